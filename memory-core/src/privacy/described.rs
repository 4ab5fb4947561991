//! Recognises the value of something whose name is given beside it:
//! `{"name": "DB_PASSWORD", "value": "x"}`, `<add key="Password" value="x"/>`, and a variable
//! with a default.

use super::context::Surroundings;
use super::formats::Range;
use super::shape::{
    LOOK, head, is_code_word, is_ordinary_literal, is_placeholder, is_uuid, looks_chosen,
    looks_random,
};
use super::tool_input::words_name_a_secret;

/// How far before a value its name is looked for.
const FAR: usize = 240;

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
    let field = match text[at..].starts_with(['v', 'V', 'P']) {
        true => named_by_field(near)
            .or_else(|| named_by_later_field(head(&text[end.min(text.len())..], FAR))),
        false => None,
    };
    let is_chosen = looks_random(value) || looks_chosen(value);
    let option = || name_of_option(near).filter(|_| is_chosen);
    let name = field.or_else(|| name_of_object(near)).or_else(option)?;
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

/// `{"name": "PHPSESSID", "value": "…"}`: the cookie of a session, as browsers export it.
fn is_session_cookie(name: &str, value: &str) -> bool {
    const NAMES: [&str; 6] = [
        "session",
        "sessionid",
        "phpsessid",
        "jsessionid",
        "sid",
        "_session",
    ];
    const LEAST: usize = 16;
    let is_cookie = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    is_cookie && value.len() >= LEAST && looks_random(value) && !is_uuid(value)
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

/// The signs between which an object, an element or a command stands.
const BOUNDS: [char; 5] = ['{', '}', '<', '>', ';'];

/// The name in the last field `name` or `key` of the same object, list item, element or
/// command, before its value.
fn named_by_field(text: &str) -> Option<&str> {
    let open = text.rfind(BOUNDS).map_or(0, |open| open + 1);
    let item = text
        .rmatch_indices("- ")
        .map(|(at, dash)| (at, at + dash.len()))
        .find(|(at, _)| is_indented(&text[..*at]))
        .map_or(0, |(_, end)| end);
    let scope = &text[open.max(item)..];
    fields_of(scope)
        .max_by_key(|(end, _)| *end)
        .map(|(_, name)| name)
}

/// The same after the value.
fn named_by_later_field(text: &str) -> Option<&str> {
    let close = text.find(BOUNDS).unwrap_or(text.len());
    let item = text
        .match_indices("- ")
        .find(|(at, _)| is_indented(&text[..*at]))
        .map_or(text.len(), |(at, _)| at);
    let scope = &text[..close.min(item)];
    fields_of(scope)
        .min_by_key(|(end, _)| *end)
        .map(|(_, name)| name)
}

/// Whether a text ends with a line of blanks: what follows begins a line.
fn is_indented(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    line.is_empty() || line.ends_with('\n')
}

/// The names in the fields `name` and `key` of a text, with where the fields' own names end.
fn fields_of(scope: &str) -> impl Iterator<Item = (usize, &str)> {
    let lower = scope.to_ascii_lowercase();
    let ends: Vec<usize> = ["name", "key"]
        .iter()
        .flat_map(|field| lower.match_indices(field).map(|(at, _)| at + field.len()))
        .collect();
    ends.into_iter()
        .filter_map(|end| Some((end, name_of_field(&scope[end..])?)))
}

/// The quoted name of the object that is open: `"admin_password": {`,
/// `variable "db_password" {`.
fn name_of_object(text: &str) -> Option<&str> {
    let open = text
        .rfind(['{', '}'])
        .filter(|open| text[*open..].starts_with('{'))?;
    let signed = text[..open].trim_end_matches([' ', ':', '=']);
    let quoted = signed.strip_suffix(['"', '\''])?.trim_end_matches('\\');
    Some(&quoted[quoted.trim_end_matches(is_of_name).len()..])
}

/// The last part of the name after `name` or `key`.
fn name_of_field(rest: &str) -> Option<&str> {
    let name_ends = rest.trim_start_matches(['"', '\'', '\\']);
    let signed = name_ends.trim_start_matches([' ', '\t']);
    let value = signed
        .strip_prefix([':', '='])
        .or_else(|| (signed.len() < name_ends.len()).then_some(signed))?;
    let value = value.trim_start_matches([' ', '"', '\'', '\\']);
    let length = value
        .find(|c| !(is_of_name(c) || "/.".contains(c)))
        .unwrap_or(value.len());
    value[..length].rsplit(['/', '.']).next()
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}
