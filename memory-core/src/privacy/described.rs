//! Recognises the value of something whose name is given beside it:
//! `{"name": "DB_PASSWORD", "value": "x"}`, `<add key="Password" value="x"/>`, and a variable
//! with a default.

use super::context::Surroundings;
use super::formats::Range;
use super::shape::{
    LOOK, head, is_code_word, is_ordinary_literal, is_placeholder, is_session_cookie, looks_chosen,
    looks_random,
};
use super::tool_input::words_name_a_secret;

/// How far before a value its name is looked for, and after it.
const FAR: usize = 1024;
/// Within so many bytes a blank may stand between the word `name` and the name.
const NEAR: usize = 240;

/// The value after the word `value` or `default`, which stands from `at` to `end`.
pub(super) fn described_value_at(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
) -> Option<Range> {
    let text = around.text;
    let is_option = text[..at].ends_with("--");
    // The templates of CloudFormation: `ParameterKey`, `ParameterValue`.
    let at = text[..at].strip_suffix("Parameter").map_or(at, str::len);
    let before = text.as_bytes()[..at].last();
    if !is_option && before.is_some_and(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b)) {
        return None;
    }
    let (begin, end) = value_at(around, end, is_option)?;
    let value = head(&text[begin..end], LOOK);
    around.judge(value);
    if value.len() < 4 || is_placeholder(value) || value.contains(' ') {
        return None;
    }
    let is_word = value.len() >= 6 && value.bytes().any(|b| b.is_ascii_alphabetic());
    if !(is_word || looks_random(value) || looks_chosen(value)) || is_code_word(value) {
        return None;
    }
    around.spend(2 * FAR);
    let low = text.floor_char_boundary(at.saturating_sub(FAR));
    let near = &text[low..at];
    let is_quoted_name = text[..at].ends_with(['"', '\'']);
    let scope = Scope::before(near, is_quoted_name);
    let field = match text[at..].starts_with(['v', 'V', 'P']) {
        true => scope.last_name().or_else(|| {
            let behind = head(&text[end.min(text.len())..], FAR);
            Scope::after(behind, is_quoted_name).first_name()
        }),
        false => None,
    };
    let is_chosen = looks_random(value) || looks_chosen(value);
    let closest = &near[near.ceil_char_boundary(near.len().saturating_sub(NEAR))..];
    let option = || name_of_option(closest).filter(|_| is_chosen);
    let name = field
        .or_else(|| name_of_object(scope.opened_by))
        .or_else(option)?;
    let is_named = words_name_a_secret(name)
        || is_storage_key(name, &text[begin..end])
        || is_session_cookie(name, value);
    if !is_named {
        return None;
    }
    around.compare();
    let is_quoted = text[..begin].ends_with(['"', '\'']);
    // Two assignments of a program: `name = "cookie"` and `value = "x"`.
    let assigns = field.is_some() && text[at..begin].contains(" = ");
    let is_in_code = (assigns || !is_quoted && !is_option) && around.is_code(at);
    (!is_in_code && !is_ordinary_literal(value)).then_some((begin, end))
}

/// `{"keyName": "key1", "value": "…"}`: a key of an account of Azure Storage.
fn is_storage_key(name: &str, value: &str) -> bool {
    const LENGTH: usize = 88;
    name.starts_with("key") && value.len() == LENGTH && value.ends_with("==")
}

/// The option of a command line in a call that is open: `option("--password", default="x")`.
fn name_of_option(text: &str) -> Option<&str> {
    let at = ["\"--", "'--"]
        .iter()
        .filter_map(|sign| text.rfind(sign))
        .max()?;
    let rest = &text[at + 3..];
    let name = &rest[..rest.find(|c| !is_of_name(c))?];
    (!rest.contains([')', ';', '{'])).then_some(name)
}

/// The value after a sign at `at`: quoted, or a word alone at the end of its line.
fn value_at(around: &Surroundings<'_>, at: usize, is_option: bool) -> Option<Range> {
    let line = around.line_after(at);
    let name_ends = line.trim_start_matches(['"', '\'', '\\']);
    let signed = name_ends.trim_start_matches(' ');
    let value = match signed.strip_prefix([':', '=']) {
        Some(value) => value,
        None if is_option && signed.len() < name_ends.len() => signed,
        None => return None,
    };
    let value = value.trim_start_matches([' ', '\\']);
    let opened = value.strip_prefix(['"', '\'']).unwrap_or(value);
    let is_quoted = opened.len() < value.len();
    let begin = at + line.len() - opened.len();
    let end = around.run_end(super::context::Class::Bare, begin);
    let ends = if is_quoted {
        around.text[end..].starts_with(['"', '\''])
    } else {
        is_option || end - begin == opened.trim_end().len()
    };
    let value = &around.text[begin..end];
    let escapes = value.len() - value.trim_end_matches('\\').len();
    ends.then_some((begin, end - if is_quoted { escapes } else { 0 }))
}

/// The value of a property list behind the end of its key at `at`:
/// `<key>password</key><string>x</string>`.
pub(super) fn property_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const OPEN: &str = "<string>";
    let before = around.line_before(at);
    around.spend(before.len());
    let name = &before[before.rfind("<key>")? + "<key>".len()..];
    let behind = head(&around.text[end..], FAR);
    let opened = behind.trim_start().strip_prefix(OPEN)?;
    let begin = end + behind.len() - opened.len();
    if !words_name_a_secret(name) {
        return None;
    }
    let value = around.line_after(begin);
    let length = value.find("</").unwrap_or(value.len());
    around.judge(&value[..length]);
    let is_value = length > 0 && !is_placeholder(&value[..length]);
    is_value.then_some((begin, begin + length))
}

/// What stands in the same object, list item, element or command before or after a value.
struct Scope<'t> {
    text: &'t str,
    /// The text before the sign that opens the object.
    opened_by: &'t str,
    /// The objects in it, in order, whose fields are their own.
    nested: Vec<Range>,
}

impl<'t> Scope<'t> {
    /// The part of a text before a value. The field of that is quoted in JSON, where only braces
    /// end an object.
    fn before(text: &'t str, is_json: bool) -> Self {
        let (mut open, mut close, mut depth) = (0, 0, 0usize);
        let (mut nested, mut is_same_line) = (Vec::new(), true);
        for (at, byte) in text.bytes().enumerate().rev() {
            is_same_line &= byte != b'\n';
            match byte {
                b'}' => {
                    close = if depth == 0 { at } else { close };
                    depth += 1;
                }
                b'{' if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        nested.push((at, close));
                    }
                }
                b'{' => {
                    open = at + 1;
                    break;
                }
                _ if depth == 0 && !is_json && ends_element(text, at, is_same_line) => {
                    open = at + 1;
                    break;
                }
                _ => {}
            }
        }
        if depth > 0 {
            open = close + 1;
        }
        let item = text
            .rmatch_indices("- ")
            .map(|(at, dash)| (at, at + dash.len()))
            .find(|(at, _)| is_indented(&text[..*at]))
            .map_or(0, |(_, end)| end);
        let is_object = open > 0 && text[..open].ends_with('{');
        let begin = open.max(item);
        nested.reverse();
        let in_scope = |(from, to): Range| (from.saturating_sub(begin), to.saturating_sub(begin));
        Scope {
            opened_by: if is_object { &text[..open - 1] } else { "" },
            nested: nested.into_iter().map(in_scope).collect(),
            text: &text[begin..],
        }
    }

    /// The part of a text after a value.
    fn after(text: &'t str, is_json: bool) -> Self {
        let (mut close, mut open, mut depth) = (text.len(), 0, 0usize);
        let (mut nested, mut is_same_line) = (Vec::new(), true);
        for (at, byte) in text.bytes().enumerate() {
            is_same_line &= byte != b'\n';
            match byte {
                b'{' => {
                    open = if depth == 0 { at } else { open };
                    depth += 1;
                }
                b'}' if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        nested.push((open, at));
                    }
                }
                b'}' => {
                    close = at;
                    break;
                }
                _ if depth == 0 && !is_json && ends_element(text, at, is_same_line) => {
                    close = at;
                    break;
                }
                _ => {}
            }
        }
        if depth > 0 {
            close = open;
        }
        let item = text
            .match_indices("- ")
            .find(|(at, _)| is_indented(&text[..*at]))
            .map_or(text.len(), |(at, _)| at);
        Scope {
            text: &text[..close.min(item)],
            opened_by: "",
            nested,
        }
    }

    /// The name in the field `name` or `key` next before the value.
    fn last_name(&self) -> Option<&'t str> {
        let near = self.text.len().saturating_sub(NEAR);
        self.names(|end| end >= near)
            .max_by_key(|(end, _)| *end)
            .map(|(_, name)| name)
    }

    /// The same next after the value.
    fn first_name(&self) -> Option<&'t str> {
        self.names(|end| end <= NEAR)
            .min_by_key(|(end, _)| *end)
            .map(|(_, name)| name)
    }

    /// The names in the fields `name` and `key`, with where the fields' own names end. Only where
    /// `may_be_apart` says so, a blank may be all that stands between the two.
    fn names(
        &self,
        may_be_apart: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = (usize, &'t str)> {
        let lower = self.text.to_ascii_lowercase();
        let ends: Vec<usize> = ["name", "key"]
            .iter()
            .flat_map(|field| lower.match_indices(field).map(|(at, _)| at + field.len()))
            .filter(|end| {
                let opened = self.nested.partition_point(|(from, _)| from < end);
                let object = opened.checked_sub(1).map(|index| self.nested[index]);
                object.is_none_or(|(_, to)| *end >= to)
            })
            .collect();
        let text = self.text;
        ends.into_iter()
            .filter_map(move |end| Some((end, name_of_field(&text[end..], may_be_apart(end))?)))
    }
}

/// Whether the byte at `at` ends an element or a command. A folded text of YAML begins with one of
/// these signs, and a sentence on another line than the value may contain another one.
fn ends_element(text: &str, at: usize, is_same_line: bool) -> bool {
    match text.as_bytes()[at] {
        b'<' => true,
        b'>' => !text[..at].ends_with(": "),
        b';' => is_same_line || text[at + 1..].starts_with(['\n', '\r']),
        _ => false,
    }
}

/// Whether a text ends with a line of blanks: what follows begins a line.
fn is_indented(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    line.is_empty() || line.ends_with('\n')
}

/// The quoted name of an object, at the end of the text before its sign: `"admin_password": {`,
/// `variable "db_password" {`.
fn name_of_object(text: &str) -> Option<&str> {
    let signed = text.trim_end_matches([' ', ':', '=']);
    let quoted = signed.strip_suffix(['"', '\''])?.trim_end_matches('\\');
    Some(&quoted[quoted.trim_end_matches(is_of_name).len()..])
}

/// The last part of the name after `name` or `key`.
fn name_of_field(rest: &str, may_be_apart: bool) -> Option<&str> {
    let name_ends = rest.trim_start_matches(['"', '\'', '\\']);
    let signed = name_ends.trim_start_matches([' ', '\t']);
    let value = signed
        .strip_prefix([':', '='])
        .or_else(|| (may_be_apart && signed.len() < name_ends.len()).then_some(signed))?;
    let value = value.trim_start_matches([' ', '"', '\'', '\\']);
    let length = value
        .find(|c| !(is_of_name(c) || "/.".contains(c)))
        .unwrap_or(value.len());
    value[..length].rsplit(['/', '.']).next()
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}
