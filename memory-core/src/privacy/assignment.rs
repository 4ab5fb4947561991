//! Finds sensitive words followed by a value (`password=…`, `"token": "…"`, `--api-key …`),
//! and decides whether the value is a secret or part of a program.

mod apart;
mod wrapped;

use super::context::{Bare, Class, Surroundings};
use super::formats::Range;
use super::line::{
    after_spaces, declares, in_call, is_expression_word, is_listed_pair, is_setting_line, joins,
    speaks,
};
use super::shape::{
    LOOK, has_chosen_default, has_chosen_word, has_pass, head, is_code_word, is_expression,
    is_function_word, is_name_of_secret, is_name_of_type, is_named_by_hash, is_ordinary_literal,
    is_placeholder, is_surely_expression, is_verb_of_commit, looks_chosen, looks_random,
    name_parts,
};
use super::tags::is_blank;
use super::tool_input::is_before_token;
use super::words::run;

/// How much a word says about the value after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strength {
    /// `password`, `secret`, `api_key`: a plain value is a secret.
    Strong,
    /// `token`: equally strong, but also a common word in parsers and prose.
    Token,
    /// `key`, `auth`, `pass`: only a value that looks random is a secret.
    Weak,
}

/// A sensitive word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) text: &'static str,
    pub(super) strength: Strength,
    /// Whether it counts only as a complete part of a name (`key`, not `monkey`).
    pub(super) whole: bool,
}

/// Names that make a following `key` a secret.
const SECRET_KEYS: &[&str] = &[
    "secret",
    "private",
    "access",
    "api",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "master",
    "account",
    "consumer",
    "webhook",
    "license",
    "auth",
    "service",
    "client",
    "shared",
    "deploy",
    "crypto",
    "cipher",
    "aes",
    "hmac",
    "jwt",
    "admin",
    "app",
    "storage",
];

/// How a section of any characters begins in XML.
const CDATA: &str = "<![CDATA[";

/// A value after a name of two letters has so many characters.
const LEAST_OF_SHORT_NAME: usize = 4;

/// The signs by which Markdown emphasises or strikes out words.
const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// The assignment whose sensitive word starts at `at`, as the range to mask.
pub(super) fn assignment_at(around: &Surroundings<'_>, at: usize, word: &Word) -> Option<Range> {
    let bytes = around.text.as_bytes();
    let word_end = at + word.text.len();
    if word.whole && !begins_part(bytes, at) {
        return None;
    }
    let name_end = after_suffix(bytes, word_end)?;
    around.spend(64);
    let name_start = name_start(bytes, at);
    let name = &around.text[name_start..name_end];
    let strength = strength_of(word, name);
    // `key` belongs to the name before it; the specification's words do not.
    let is_of_list = || {
        let parts = name_parts(&around.text[name_start..at]);
        parts.last().is_some_and(|part| is_before_token(part))
    };
    let strength =
        if word.text == "token" && (is_plural(&bytes[word_end..name_end]) || is_of_list()) {
            Strength::Weak
        } else {
            strength
        };
    let start = if word.whole { name_start } else { at };
    let place = NamedSecret {
        around,
        start,
        name_start,
        name_end,
        name,
        strength,
    };
    place.judge()
}

/// Like [`assignment_at`], for a text that has used up its budget of looks: hides whatever
/// follows the name and a sign.
pub(super) fn value_in_doubt(around: &Surroundings<'_>, at: usize, word: &Word) -> Option<Range> {
    let bytes = around.text.as_bytes();
    if word.whole && !begins_part(bytes, at) {
        return None;
    }
    let name_end = after_suffix(bytes, at + word.text.len())?;
    let is_option = bytes[name_start(bytes, at)..].starts_with(b"--");
    value_behind(around, name_end, is_option)
}

/// The value after a name that ends at `at`, up to the first blank or quote: after an
/// assignment sign or, with `when_apart`, after any blank or sign.
pub(super) fn value_behind(
    around: &Surroundings<'_>,
    at: usize,
    when_apart: bool,
) -> Option<Range> {
    const MOST_SIGNS: usize = 24;
    let behind = head(&around.text[at..], MOST_SIGNS);
    let joins = |c: char| is_blank(c) || "\"'`\\:=(,>[]?*！：＝「『".contains(c);
    let gives = |c: char| ":=(,>：＝".contains(c);
    // A Korean, Japanese or Chinese particle may come first.
    let particle = behind
        .char_indices()
        .take(2)
        .take_while(|(_, c)| !c.is_ascii() && !joins(*c))
        .last()
        .map_or(0, |(index, c)| index + c.len_utf8());
    let signs = behind[particle..]
        .find(|c| !joins(c))
        .map_or(&behind[particle..], |end| &behind[particle..particle + end]);
    let apart = when_apart && particle + signs.len() > 0;
    if !(apart || signs.contains(gives)) {
        return None;
    }
    let value = at + particle + signs.len();
    let end = around.run_end(Class::Bare, value);
    let text = &around.text[value..end];
    (!text.is_empty() && !text.starts_with("[REDACTED") && !text.starts_with("[PRIVATE"))
        .then_some((value, end))
}

fn is_plural(suffix: &[u8]) -> bool {
    matches!(suffix, [b's' | b'S'])
}

fn strength_of(word: &Word, name: &str) -> Strength {
    if word.strength == Strength::Weak && word.text == "key" {
        let lower = name.to_ascii_lowercase();
        let lower = lower.trim_end_matches("key").trim_end_matches(['_', '-']);
        if SECRET_KEYS.iter().any(|kind| lower.ends_with(kind)) {
            return Strength::Strong;
        }
    }
    if word.text == "pass" {
        let lower = name.to_ascii_lowercase();
        let owner = lower.trim_end_matches("pass").trim_end_matches(['_', '-']);
        let owner = owner.rsplit(['_', '-']).next().unwrap_or_default();
        if has_pass(owner) {
            return Strength::Strong;
        }
    }
    word.strength
}

/// How many backslashes escape the quote with which `rest` begins: one for each level of JSON in a
/// string of JSON, doubled at each. 0 if they stand before something else.
fn escapes_of_quote(rest: &[u8]) -> usize {
    const MOST: usize = 31;
    let length = run(&rest[..rest.len().min(MOST + 1)], |b| b == b'\\');
    match is_quote(rest.get(length).copied()) {
        true => length,
        false => 0,
    }
}

/// The length of the tag with which a text begins that closes an element within a line: `</b>`.
fn closing_tag(text: &str) -> usize {
    const TAGS: [&str; 7] = ["b", "strong", "i", "em", "code", "span", "u"];
    let close = |rest: &str| {
        let end = head(rest, 8).find('>')?;
        TAGS.contains(&&rest[..end]).then_some(end + 3)
    };
    text.strip_prefix("</").and_then(close).unwrap_or(0)
}

fn is_quote(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'"' | b'\''))
}

/// The end of a value without trailing signs; a long value is not shortened.
fn trimmed_end(bare: Bare<'_>, signs: &[char]) -> usize {
    if bare.is_whole() {
        bare.end - (bare.text.len() - bare.text.trim_end_matches(signs).len())
    } else {
        bare.end
    }
}

/// A value without trailing signs, and without the particle that Korean and other languages
/// append to it if it is long.
fn without_tail(bare: &str) -> &str {
    const LONG: usize = 16;
    let ascii = bare.find(|c: char| !c.is_ascii()).unwrap_or(bare.len());
    let word = if ascii >= LONG { &bare[..ascii] } else { bare };
    word.trim_end_matches([';', ',', ')', ']', '}', '\\', ':', '`'])
}

/// Whether a part of a name starts at `at`: after a sign or at a capital.
fn begins_part(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|i| {
        !bytes[i].is_ascii_alphanumeric()
            || (bytes[i].is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
            || super::formats::begins_word(bytes, at)
    })
}

fn name_start(bytes: &[u8], at: usize) -> usize {
    let look = &bytes[at.saturating_sub(64)..at];
    at - run_back(look, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
    })
}

fn run_back(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rev().take_while(|b| test(**b)).count()
}

/// The end of the name: after the word, only `s`, a number, or a word that keeps its
/// meaning (`SECRET_KEY_BASE`, `password_prod`) may follow.
fn after_suffix(bytes: &[u8], word_end: usize) -> Option<usize> {
    const SUFFIXES: &[&str] = &[
        "base",
        "value",
        "val",
        "string",
        "str",
        "raw",
        "plain",
        "text",
        "hex",
        "b64",
        "base64",
        "dev",
        "test",
        "live",
        "staging",
        "production",
        "prod",
        "default",
        "main",
        "primary",
        "secondary",
        "old",
        "new",
        "confirm",
        "confirmation",
        "override",
    ];
    let rest = &bytes[word_end..bytes.len().min(word_end + 32)];
    let length = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
    // `__password__`
    let emphasis = run_back(&rest[..length], |b| b == b'_');
    let length = length - emphasis;
    let tail = &rest[..length];
    let keeps_meaning = match tail {
        [] => true,
        [b's' | b'S'] => true,
        _ => {
            let tail = tail.strip_prefix(b"_").unwrap_or(tail);
            tail.iter().all(u8::is_ascii_digit)
                || SUFFIXES
                    .iter()
                    .any(|s| s.as_bytes().eq_ignore_ascii_case(tail))
        }
    };
    keeps_meaning.then_some(word_end + length)
}

/// A sensitive name in a text, with tests for what follows it.
struct NamedSecret<'a, 't> {
    around: &'a Surroundings<'t>,
    /// Where the masked range starts.
    start: usize,
    name_start: usize,
    name_end: usize,
    name: &'t str,
    strength: Strength,
}

/// What is between a name and its value.
struct Operator {
    /// `:` or another sign used in types and prose.
    is_colon: bool,
    is_comparison: bool,
    is_comma: bool,
    /// Whether blanks came before or after it.
    spaced: bool,
    /// Whether a line end came after it.
    line_end: bool,
    /// Where the value starts.
    value: usize,
}

impl<'t> NamedSecret<'_, 't> {
    fn judge(&self) -> Option<Range> {
        let bytes = self.around.text.as_bytes();
        if bytes[..self.name_start].ends_with(b"::") {
            return None;
        }
        let (after_name, quoted_name) = self.after_name();
        if bytes.get(after_name) == Some(&b'>')
            && self.name_start > 0
            && bytes[self.name_start - 1] == b'<'
        {
            return self.element(after_name + 1);
        }
        if let Some(content) = self.after_attributes(after_name) {
            let found = self.element(content);
            return found.filter(|range| self.is_chosen(&self.around.text[range.0..range.1]));
        }
        if quoted_name && bytes.get(after_name) == Some(&b'>') && self.names_an_element() {
            return self.element(after_name + 1);
        }
        if let Some(cell) = self.next_cell(after_name) {
            return self.value_in_cell(cell);
        }
        let Some(operator) = self.operator(after_name, quoted_name) else {
            let noted = self.value_behind_dash(after_name, quoted_name);
            return noted.or_else(|| self.without_operator(after_name, quoted_name));
        };
        self.value(&operator, quoted_name)
    }

    /// Where the content begins of the element that the name opens, if that has a prefix or
    /// attributes: `<wsse:Password Type="…">`.
    fn after_attributes(&self, after_name: usize) -> Option<usize> {
        let text = self.around.text;
        let before = &text.as_bytes()[self.name_start.saturating_sub(LOOK)..self.name_start];
        let prefix = run_back(before, |b| b.is_ascii_alphanumeric() || b == b':');
        if !before[..before.len() - prefix].ends_with(b"<") {
            return None;
        }
        let rest = head(&text[after_name..], LOOK);
        let end = rest.find(['<', '>', '\n'])?;
        let is_tag = rest[end..].starts_with('>') && !rest[..end].ends_with(['/', '=', '-']);
        (is_tag && rest.starts_with([' ', '>'])).then_some(after_name + end + 1)
    }

    /// Whether a person would choose this as a password, or a program.
    fn is_chosen(&self, value: &str) -> bool {
        looks_random(value) || looks_chosen(value) && !is_surely_expression(value)
    }

    /// Whether the name is that of an XML element: `<property name="db.password">`.
    fn names_an_element(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        let tag = before.rfind('<').map_or("", |open| &before[open..]);
        ["name=", "key="].iter().any(|name| tag.contains(name)) && !tag.contains('>')
    }

    /// Where the cell begins that follows the one that holds the name alone, in Markdown
    /// (`| Password | x |`) or HTML (`<td>Password</td><td>x</td>`).
    fn next_cell(&self, after_name: usize) -> Option<usize> {
        let behind = head(&self.around.text[after_name..], LOOK);
        let before = self.around.line_before(self.name_start);
        let rest = behind.trim_start_matches(['*', '_', '`', ' ', '\t']);
        let is_first = before.trim_end_matches(['*', '_', '`', ' ']).ends_with('|');
        let cell = if is_first && let Some(cell) = rest.strip_prefix('|') {
            cell
        } else {
            let closed = rest
                .strip_prefix("</td>")
                .or_else(|| rest.strip_prefix("</th>"));
            let closed = closed.or_else(|| rest.strip_prefix("</dt>"))?.trim_start();
            let opened = closed
                .strip_prefix("<td")
                .or_else(|| closed.strip_prefix("<dd"))?;
            &opened[opened.find('>')? + 1..]
        };
        Some(after_name + behind.len() - cell.len())
    }

    /// The value in the cell at `at`, if it is one word that a person or a program would choose.
    fn value_in_cell(&self, at: usize) -> Option<Range> {
        let line = self.around.line_after(at);
        let cell = &line[..line.find(['|', '<'])?];
        let value = cell.trim_start_matches([' ', '\t', '`', '*']);
        let begin = at + cell.len() - value.len();
        let value = value.trim_end_matches([' ', '\t', '`', '*']);
        self.around.judge(value);
        self.around.compare();
        let is_chosen = looks_random(value)
            || self.strength != Strength::Weak
                && looks_chosen(value)
                && !is_ordinary_literal(value)
                && !is_surely_expression(value);
        let is_secret = is_chosen && !value.contains(is_blank) && !is_placeholder(value);
        (is_secret && !self.is_identifier(value)).then_some((begin, begin + value.len()))
    }

    /// Where the name, including its closing quote, `]` or `?`, ends, and whether the name
    /// is quoted.
    fn after_name(&self) -> (usize, bool) {
        let bytes = self.around.text.as_bytes();
        let mut here = self.name_end;
        let escapes = escapes_of_quote(&bytes[here..]);
        let quote_at = here + escapes;
        if let Some(quote) = bytes.get(quote_at).copied()
            && matches!(quote, b'"' | b'\'' | b'`')
            && (escapes > 0 || self.is_enclosed(quote) || self.around.in_string(quote_at, quote))
        {
            here = quote_at + 1;
            here += usize::from(bytes.get(here) == Some(&b']'));
            return (here, true);
        }
        match bytes.get(here) {
            Some(b'?') => here += 1,
            // `[password] => x`, as PHP prints an array.
            Some(b']')
                if bytes[..self.name_start].ends_with(b"[")
                    && bytes[here + 1..].starts_with(b" => ") =>
            {
                here += 1;
            }
            Some(b'[') => {
                let digits = run(&bytes[here + 1..], |b| {
                    b.is_ascii_alphanumeric() || b == b'_'
                });
                if bytes.get(here + 1 + digits) == Some(&b']') {
                    here += digits + 2;
                }
            }
            Some(b'*' | b'_' | b'~' | b' ') => here = self.after_remark(here),
            Some(b'.') => here = self.after_leaders(here),
            // `<strong>Password</strong>: x`
            Some(b'<') => here += closing_tag(&self.around.text[here..]),
            _ => {}
        }
        (here, false)
    }

    /// The position after the signs that emphasise the name in Markdown, and after a remark about
    /// it before a colon: `**Password**:`, `Password (root):`; `here` if there are none.
    fn after_remark(&self, here: usize) -> usize {
        const LONGEST: usize = 28;
        let behind = head(&self.around.text[here..], LONGEST);
        self.around.spend(behind.len());
        let emphasis = behind.len() - behind.trim_start_matches(EMPHASIS).len();
        let rest = &behind[emphasis..];
        let remark = rest
            .strip_prefix(" (")
            .and_then(|inside| inside.find(')'))
            .map_or(0, |length| length + 3);
        let sign = rest[remark..].trim_start_matches(' ');
        let is_sign = rest[remark..].starts_with([':', '：'])
            || emphasis > 0 && remark == 0 && sign.starts_with(['=', '＝', ':', '：']);
        match is_sign {
            true => here + emphasis + remark,
            false => self.after_leaders(here),
        }
    }

    /// The position after the dots that lead to a sign: `password .....: x`; `here` if there are
    /// none.
    fn after_leaders(&self, here: usize) -> usize {
        const LONGEST: usize = 64;
        const FEWEST: usize = 3;
        let behind = head(&self.around.text[here..], LONGEST);
        let rest = behind.trim_start_matches(' ').trim_start_matches('.');
        let dots = behind.trim_start_matches(' ').len() - rest.len();
        let is_signed = rest.trim_start_matches(' ').starts_with([':', '=']);
        match dots >= FEWEST && is_signed {
            true => here + behind.len() - rest.len(),
            false => here,
        }
    }

    fn operator(&self, after_name: usize, quoted_name: bool) -> Option<Operator> {
        let text = self.around.text;
        let bytes = text.as_bytes();
        let sign = after_spaces(text, after_name);
        let next = |offset: usize| bytes.get(sign + offset).copied();
        let (length, is_colon, is_comparison, is_comma) = match (next(0)?, next(1)) {
            (b':', Some(b':')) => return None,
            (b':', Some(b'=')) => (2, false, false, false),
            (b':', _) => (1, true, false, false),
            (b'=', Some(b'=')) => (
                if next(2) == Some(b'=') { 3 } else { 2 },
                false,
                true,
                false,
            ),
            (b'!', Some(b'=')) => (
                if next(2) == Some(b'=') { 3 } else { 2 },
                false,
                true,
                false,
            ),
            (b'=', Some(b'~')) => return None,
            // `DB_PASSWORD ?= x` in a Makefile, `password ||= x`
            (b'?', Some(b'=')) => (2, false, false, false),
            (b'|', Some(b'|')) | (b'?', Some(b'?')) if next(2) == Some(b'=') => {
                (3, false, false, false)
            }
            // `password=3D"x"` in a mail.
            (b'=', Some(b'3')) if text[sign..].starts_with("=3D") && is_quote(next(3)) => {
                (3, false, false, false)
            }
            // `password%3Dx` in an address inside another one.
            (b'%', Some(b'3')) if matches!(next(2), Some(b'D' | b'd')) => (3, false, false, false),
            (b'=', Some(b'>')) => (2, true, false, false),
            (b'=', _) => (1, false, false, false),
            // The colon of Korean, Japanese and Chinese keyboards.
            (0xEF, _) if text[sign..].starts_with('：') => ('：'.len_utf8(), true, false, false),
            (0xEF, _) if text[sign..].starts_with('＝') => ('＝'.len_utf8(), false, false, false),
            // `put API_KEY <<< x`
            (b'<', Some(b'<')) if next(2) == Some(b'<') => (3, false, false, false),
            // `set("token", "…")`, not a list of words.
            // `setApiKey("…")`
            (b'(', _) if sign == after_name && self.is_setter() => (1, false, false, true),
            (b',', _) if quoted_name && self.is_first_argument() => (1, false, false, true),
            // `"password";s:10:"x"`, as PHP serialises an array.
            (b';', Some(b's')) if quoted_name => {
                (length_of_string(&text[sign + 1..])? + 1, true, false, false)
            }
            _ => return None,
        };
        let mut after = sign + length;
        // `**Password:** x`
        let emphasis = ["** ", "__ ", "~~ ", "* ", "_ "]
            .iter()
            .find(|signs| is_colon && text[after..].starts_with(**signs) && self.is_emphasised());
        after += emphasis.map_or(0, |signs| signs.len());
        // `<b>Password:</b> x`
        after += closing_tag(&text[after..]);
        let mut value = after_spaces(text, after);
        self.around.spend(value - after_name);
        let line_end = matches!(bytes.get(value), Some(b'\n' | b'\r'));
        if line_end {
            let rest = &text[value..];
            value += rest.len() - rest.trim_start_matches(is_blank).len();
            self.around.spend(value - after);
        }
        Some(Operator {
            is_colon,
            is_comparison,
            is_comma,
            spaced: sign > after_name || value > after,
            line_end,
            value,
        })
    }

    /// Whether a sign of emphasis stands before the name, or before the words of which it is the
    /// last.
    fn is_emphasised(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        self.name.starts_with('_') || before.contains(EMPHASIS)
    }

    /// Whether the name is that of a setter method.
    fn is_setter(&self) -> bool {
        ["set", "with", "Set", "With"].iter().any(|verb| {
            self.name
                .strip_prefix(verb)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
        })
    }

    /// Whether the quoted name is the first argument of a call.
    fn is_first_argument(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        // `setProperty("db.password", …)`
        let before =
            before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c));
        let before = before.trim_end_matches(['"', '\'', '`', '\\']);
        before.trim_end().ends_with('(')
    }

    fn value(&self, operator: &Operator, quoted_name: bool) -> Option<Range> {
        let text = self.around.text;
        // `PWD=/home/ada` and `-v $PWD:/src`: the working directory.
        if self.name.eq_ignore_ascii_case("pwd") && text[operator.value..].starts_with(['/', '~']) {
            return None;
        }
        let keeps_name = quoted_name || operator.is_comparison;
        if let Some(literal) = self.literal_at(operator.value, quoted_name) {
            let content = &text[literal.0..literal.1];
            // Names of types: `ToPrivateKey` => `DecodePrivateKey`.
            if text[..literal.0].ends_with('`') && is_name_of_type(content) {
                return None;
            }
            // An attribute of HTML: `accesskey="s"`.
            if content.len() <= 2 && self.name.eq_ignore_ascii_case("accesskey") {
                return None;
            }
            if operator.is_comma {
                self.around.compare();
            }
            let word = content.len() <= 4 && content.bytes().all(|b| b.is_ascii_alphabetic());
            let secret = if operator.is_comma {
                !operator.line_end
                    && (looks_random(content)
                        || (self.strength != Strength::Weak
                            && looks_chosen(content)
                            && !is_ordinary_literal(content)))
            } else {
                !(operator.is_comparison && word) && self.is_secret_literal(content)
            };
            let start = if keeps_name { literal.0 } else { self.start };
            return secret.then(|| (start, self.literal_end(literal)));
        }
        if operator.is_comma || self.closes_string(operator.value) {
            return None;
        }
        if let Some(range) = self.list_at(operator, quoted_name) {
            return Some(range);
        }
        let Bare {
            text: bare, end, ..
        } = self.around.bare(operator.value).before_tag();
        if bare.is_empty() {
            return None;
        }
        if let Some(range) = self.typed_literal(operator, end) {
            return Some(range);
        }
        // `["password"]=> string(10) "x"`, as PHP dumps an array.
        if quoted_name && bare.starts_with("string(") && text[end..].starts_with(" \"") {
            let literal = self.literal_at(end + 1, true)?;
            return self
                .is_secret_literal(&text[literal.0..literal.1])
                .then_some(literal);
        }
        if operator.line_end && bare == "-" && operator.is_colon {
            return self.list_below(operator.value);
        }
        if operator.line_end {
            return self.value_on_next_line(operator, bare, end, keeps_name);
        }
        if bare.starts_with("<<") {
            return self.here_document(operator.value);
        }
        if let Some(range) = self.element_of_map(operator, bare) {
            return Some(range);
        }
        if matches!(bare, "|" | ">" | "|-" | ">-" | "|+") {
            return self.block_value(end);
        }
        if self.is_secret_bare(operator, bare, end, quoted_name) {
            return Some((
                if keeps_name {
                    operator.value
                } else {
                    self.start
                },
                self.bare_end(bare, end),
            ));
        }
        let fallback = self.fallback_literal(end);
        fallback
            .or_else(|| self.default_of_template(operator.value, bare))
            .or_else(|| self.literal_in_call(operator.value, bare))
    }

    /// The only element of a list in a map, as programs in Go print headers:
    /// `map[X-Api-Key:[x]]`.
    fn element_of_map(&self, operator: &Operator, bare: &str) -> Option<Range> {
        let inside = bare.strip_prefix('[')?;
        let element = &inside[..inside.find(']')?];
        let is_map = || self.around.line_before(self.name_start).contains("map[");
        let is_element = !operator.spaced && self.is_chosen(element) && is_map();
        let begin = operator.value + 1;
        (is_element && !is_placeholder(element)).then_some((begin, begin + element.len()))
    }

    /// The literal that a template has for a missing value: `{{ password | default('x') }}`.
    fn default_of_template(&self, value: usize, bare: &str) -> Option<Range> {
        const WORD: &str = "default";
        if !bare.starts_with("{{") {
            return None;
        }
        let line = self.around.line_after(value);
        let after = &line[line.find(WORD)? + WORD.len()..];
        let literal = after.trim_start_matches([' ', '(']);
        let literal = self.literal_at(value + line.len() - literal.len(), false)?;
        let content = &self.around.text[literal.0..literal.1];
        (self.is_chosen(content) && self.is_secret_literal(content)).then_some(literal)
    }

    /// The literal that stands for a missing value: `env.PASSWORD || 'x'`.
    fn fallback_literal(&self, end: usize) -> Option<Range> {
        let line = self.around.line_after(end);
        let rest = ["||", "??", "or "]
            .iter()
            .find_map(|sign| line.trim_start().strip_prefix(*sign))?;
        let value = end + line.len() - rest.trim_start().len();
        let literal = self.literal_at(value, false)?;
        let content = &self.around.text[literal.0..literal.1];
        let is_chosen = looks_chosen(content) || looks_random(content);
        (is_chosen && self.is_secret_literal(content)).then_some(literal)
    }

    /// The end of a literal with what belongs to it: lines into which it was wrapped, a quote in it
    /// that is doubled or escaped by ending it (`'it''s'`, `'it'\''s'`), and the value that replaces
    /// it (`"old" -> "new"`).
    fn literal_end(&self, literal: Range) -> usize {
        const MOST_PARTS: usize = 8;
        let text = self.around.text;
        let mut end = self.wrapped_literal_end(literal);
        for _ in 0..MOST_PARTS {
            let Some(quote) = text
                .as_bytes()
                .get(end)
                .copied()
                .filter(|b| is_quote(Some(*b)))
            else {
                break;
            };
            let rest = &text.as_bytes()[end + 1..];
            let opens = match rest {
                [first, ..] if *first == quote => end + 1,
                [b'\\', sign, again, ..] if *sign == quote && *again == quote => end + 3,
                [b' ', b'-', b'>', b' ', again, ..] if *again == quote => end + 5,
                _ => break,
            };
            let Some(next) = self.literal_at(opens, true) else {
                break;
            };
            if !text[next.1..].starts_with(char::from(quote)) || next.0 == next.1 {
                break;
            }
            end = next.1;
        }
        end
    }

    /// The end of a bare value with what belongs to it: what a tag of YAML precedes, a quote within
    /// it (`DB_PASSWORD=it'sme`), and the groups of a password for one application.
    fn bare_end(&self, bare: &str, end: usize) -> usize {
        let text = self.around.text;
        let end = self.after_node(bare, end);
        let groups = head(&text[end..], " abcd abcd abcd".len());
        let is_group =
            |group: &str| group.len() == 4 && group.bytes().all(|b| b.is_ascii_lowercase());
        if is_group(bare)
            && groups.len() == " abcd abcd abcd".len()
            && groups.starts_with(' ')
            && groups[1..].split(' ').all(is_group)
        {
            return end + groups.len();
        }
        let quote = text.as_bytes().get(end).copied();
        let goes_on = text
            .as_bytes()
            .get(end + 1)
            .is_some_and(u8::is_ascii_alphanumeric);
        match quote {
            Some(quote @ (b'"' | b'\'')) if goes_on && !self.around.in_string(end, quote) => {
                self.around.run_end(Class::Bare, end + 1)
            }
            _ => end,
        }
    }

    /// The end of the value that a tag or an anchor of YAML precedes: `password: !!str x`.
    fn after_node(&self, bare: &str, end: usize) -> usize {
        let name = bare.strip_prefix("!!").or_else(|| bare.strip_prefix('&'));
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
        let value = after_spaces(self.around.text, end);
        match name.is_some_and(is_name) && value > end {
            true => self.around.bare(value).end.max(end),
            false => end,
        }
    }

    /// The literals of a list under a quoted name: `"passwords": ["x", "y"]`.
    fn list_at(&self, operator: &Operator, quoted_name: bool) -> Option<Range> {
        const MOST: usize = 64;
        let text = self.around.text;
        let blank = |at: usize| {
            let rest = head(&text[at..], LOOK);
            self.around.spend(rest.len() - rest.trim_start().len());
            at + rest.len() - rest.trim_start().len()
        };
        if !quoted_name || operator.is_comparison || !text[operator.value..].starts_with('[') {
            return None;
        }
        let mut at = blank(operator.value + 1);
        let (mut last, mut is_secret) = (None, false);
        for _ in 0..MOST {
            let literal = self.literal_at(at, true)?;
            is_secret |= self.is_secret_literal(&text[literal.0..literal.1]);
            last = Some((last.map_or(literal.0, |(begin, _)| begin), literal.1));
            let closing = text[literal.1..].trim_start_matches('\\');
            at = blank((text.len() - closing.len() + 1).min(text.len()));
            match text[at..].strip_prefix(',') {
                Some(_) => at = blank(at + 1),
                None => break,
            }
        }
        last.filter(|_| is_secret)
    }

    /// The content range of the quoted literal at `at`.
    fn literal_at(&self, at: usize, quoted_name: bool) -> Option<Range> {
        let text = self.around.text;
        let bytes = text.as_bytes();
        let mut here = at;
        // Prefixes of string literals: b"…", rb'…', @"…", L"…", N'…', $'…', r#"…"#.
        let prefix = run(&bytes[here..bytes.len().min(here + 3)], |b| {
            b"bBrRfFuUL@N$#".contains(&b)
        });
        if prefix > 0 && matches!(bytes.get(here + prefix), Some(b'"' | b'\'')) {
            here += prefix;
        }
        let escapes = escapes_of_quote(&bytes[here..]);
        let escaped = escapes > 0;
        here += escapes;
        let quote = bytes
            .get(here)
            .copied()
            .filter(|b| matches!(b, b'"' | b'\'' | b'`'))?;
        if !escaped && !quoted_name && self.around.in_string(here, quote) {
            return None;
        }
        let triple = !escaped && bytes[here..].starts_with(&[quote; 3]);
        let mut begin = here + if triple { 3 } else { 1 };
        let mut line = self.around.line_after(begin);
        if triple && let Some((word_at, word)) = self.word_on_next_line(begin, line) {
            (begin, line) = (word_at, word);
        }
        let line_bytes = line.as_bytes();
        let mut length = 0;
        while length < line.len() {
            if line_bytes[length] == b'\\' && length + 1 < line.len() {
                let run = run(&line_bytes[length..], |b| b == b'\\');
                let is_quoted = line_bytes.get(length + run) == Some(&quote);
                if escaped && is_quoted && run <= escapes {
                    break;
                }
                length += run + usize::from(run % 2 == 1 || escaped && is_quoted);
            } else if line_bytes[length] == quote {
                break;
            } else {
                length += 1;
            }
        }
        let length = line.floor_char_boundary(length.min(line.len()));
        self.around.spend(length);
        self.around.judge(&line[..length]);
        let mut end = begin + length;
        if length == line.len() {
            // A literal that is longer than the look at its line.
            end = self.around.run_end(Class::Bare, end);
            let content = &text[begin..end];
            if escaped {
                end -= content.len() - content.trim_end_matches('\\').len();
            }
        }
        Some((begin, end))
    }

    /// Whether a value after a name such as `cache_key` says which, and is no secret: a UUID, a
    /// hash, or a key for everybody.
    fn is_identifier(&self, value: &str) -> bool {
        const NAMES: &[&str] = &[
            "idempotency",
            "cache",
            "primary",
            "foreign",
            "partition",
            "sort",
            "object",
            "row",
            "index",
            "dedupe",
            "group",
            "map",
            "route",
            "routing",
            "content",
            "commit",
            "request",
            "event",
            "file",
        ];
        let end = self.name.len().saturating_sub(3);
        let is_key = self
            .name
            .get(end..)
            .is_some_and(|key| key.eq_ignore_ascii_case("key"));
        if self.strength != Strength::Weak || !is_key || self.is_key_of_secret() {
            return false;
        }
        let parts = name_parts(&self.name[..end]);
        let kind = parts.last().map_or("", String::as_str);
        if matches!(kind, "public" | "pub" | "publishable") {
            return true;
        }
        let is_fingerprint = value
            .trim_start_matches("0x")
            .bytes()
            .all(|b| b.is_ascii_hexdigit());
        if is_fingerprint && self.follows(&["gpg", "pgp", "gnupg", "openpgp", "signing"]) {
            return true;
        }
        let value = value.trim_end_matches([',', ';', ')', '`']);
        let is_quoted = self.around.text[self.name_end..].starts_with(['"', '\'', '\\']);
        let is_hash = value.bytes().all(|b| b.is_ascii_hexdigit());
        is_named_by_hash(value)
            && (!is_hash || NAMES.contains(&kind) || kind.is_empty() && is_quoted)
    }

    /// Whether one of some words stands before the name: "GPG key".
    fn follows(&self, words: &[&str]) -> bool {
        let before = self.around.line_before(self.name_start).trim_end();
        let last = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
        last.is_some_and(|last| words.iter().any(|word| last.eq_ignore_ascii_case(word)))
    }

    /// Whether the sign of quotation stands right before the name, or before the path that the name
    /// ends: `"db.password`.
    fn is_enclosed(&self, quote: u8) -> bool {
        const FAR: usize = 64;
        let bytes = self.around.text.as_bytes();
        let near = &bytes[self.name_start.saturating_sub(FAR)..self.name_start];
        let path = run_back(near, |b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        near[..near.len() - path].last() == Some(&quote)
    }

    /// Whether the quote at `at` closes a string that contains the name.
    fn closes_string(&self, at: usize) -> bool {
        match self.around.text.as_bytes().get(at) {
            Some(quote @ (b'"' | b'\'' | b'`')) => self.around.in_string(at, *quote),
            _ => false,
        }
    }

    fn is_secret_literal(&self, content: &str) -> bool {
        let content = content.trim_end_matches(['\r', ' ']);
        if content.is_empty() || is_placeholder(content) || self.is_identifier(content) {
            return false;
        }
        if looks_random(content) {
            return true;
        }
        if self.strength != Strength::Weak {
            self.around.compare();
        }
        match self.strength {
            Strength::Weak => {
                let before = self.around.line_before(self.name_start);
                self.is_pass()
                    && looks_chosen(content)
                    && !is_ordinary_literal(content)
                    && (before.contains("user") || before.ends_with('$'))
            }
            Strength::Token => {
                let word = content.len() <= 10 && content.bytes().all(|b| b.is_ascii_alphabetic());
                let small = content.len() <= 3 && content.bytes().all(|b| b.is_ascii_digit());
                !word && !small && content.len() > 1 && !is_ordinary_literal(content)
            }
            Strength::Strong => {
                (!is_ordinary_literal(content) || has_chosen_word(content))
                    && !self.is_own_name(content)
            }
        }
    }

    /// `password: "db_password"`, `secret = secret`: the value repeats the name.
    fn is_own_name(&self, value: &str) -> bool {
        let plain = |text: &str| -> String {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        value.len() <= 80 && plain(value) == plain(self.name)
    }

    /// `password: &str = "…"`, `token string = "…"`: a type, followed by the value.
    fn typed_literal(&self, operator: &Operator, bare_end: usize) -> Option<Range> {
        if !operator.is_colon || operator.line_end {
            return None;
        }
        let line = self.around.line_after(bare_end);
        let rest = line.trim_start().strip_prefix('=')?;
        if rest.starts_with(['=', '>']) {
            return None;
        }
        let value = bare_end + (line.len() - rest.trim_start().len());
        let literal = self.literal_at(value, false)?;
        self.is_secret_literal(&self.around.text[literal.0..literal.1])
            .then_some((self.start, literal.1))
    }

    /// `password:` and a line end: only a value that a person would choose, alone on the
    /// next line, belongs to it.
    fn value_on_next_line(
        &self,
        operator: &Operator,
        bare: &str,
        bare_end: usize,
        keeps_name: bool,
    ) -> Option<Range> {
        let fits = (looks_random(bare) || looks_chosen(bare))
            && !bare.ends_with([':', ',', ';', '(', '{'])
            && !bare.contains(['(', '='])
            && !is_placeholder(bare)
            && self.strength != Strength::Weak;
        let ok = fits && (looks_random(bare) || !self.around.is_code(self.start));
        ok.then_some((
            if keeps_name {
                operator.value
            } else {
                self.start
            },
            bare_end,
        ))
    }

    /// The content of `<password>…</password>`.
    fn element(&self, value: usize) -> Option<Range> {
        let line = self.around.line_after(value);
        if line.trim().is_empty() || line.starts_with(CDATA) {
            return self.content_apart(value);
        }
        let Some(length) = line.find("</") else {
            // Longer than the look at the line.
            let end = self.around.run_end(Class::Credential, value);
            let is_content = self.around.text[end..].starts_with("</") && looks_random(line);
            return is_content.then_some((value, end));
        };
        let content = &line[..length];
        if content.contains('<') {
            return None;
        }
        self.around.judge(content);
        let secret = !content.trim().is_empty()
            && (self.is_secret_literal(content.trim()) || looks_chosen(content.trim()));
        secret.then_some((value, value + content.len()))
    }

    /// The content of an element that stands on lines of its own, or in a section of any
    /// characters: `<![CDATA[x]]>`.
    fn content_apart(&self, value: usize) -> Option<Range> {
        let behind = head(&self.around.text[value..], LOOK);
        self.around.spend(2 * behind.len());
        let opened = behind.trim_start();
        let opened = opened.strip_prefix(CDATA).unwrap_or(opened);
        let begin = value + behind.len() - opened.len();
        let content = opened[..opened.find(['<', ']'])?].trim_end();
        self.around.judge(content);
        let closes = opened[content.len()..].trim_start();
        let is_content = closes.starts_with("</") || closes.starts_with("]]>");
        (is_content && !content.contains(is_blank) && self.is_chosen(content))
            .then_some((begin, begin + content.len()))
    }

    fn is_secret_bare(
        &self,
        operator: &Operator,
        bare: &str,
        bare_end: usize,
        quoted_name: bool,
    ) -> bool {
        let shown = without_tail(bare);
        if is_placeholder(bare)
            || is_placeholder(shown)
            || is_code_word(shown)
            || self.is_identifier(shown)
            || shown
                .bytes()
                .all(|b| b.is_ascii_punctuation() && b.is_ascii())
                && shown.len() < 4
        {
            return false;
        }
        if has_chosen_default(shown) {
            return self.strength != Strength::Weak;
        }
        if operator.is_colon && !is_name_of_variable(self.name) && is_name_of_type(bare) {
            return false;
        }
        // `Checking password .....: ok`
        let led_to = &self.around.text[self.name_end..operator.value];
        self.around.spend(led_to.len());
        if led_to.contains("...") && !looks_random(shown) && !looks_chosen(shown) {
            return false;
        }
        if operator.is_colon && self.is_declared_with(bare_end) {
            return false;
        }
        // `(FW=4, PW=2)` gives widths.
        if self.name.eq_ignore_ascii_case("pw") && shown.chars().count() < LEAST_OF_SHORT_NAME {
            return false;
        }
        if self.name == "PASS" && operator.is_colon && operator.spaced && self.is_result(shown) {
            return false;
        }
        let value_random = looks_random(shown) && !is_surely_expression(shown);
        if value_random {
            return true;
        }
        if operator.is_comparison {
            return false;
        }
        if self.strength == Strength::Weak {
            return self.is_chosen_pass(shown);
        }
        self.around.compare();
        let before = self.around.line_before(self.name_start);
        let after = self.around.line_after(bare_end);
        self.around.spend(3 * before.len() + after.len());
        if quoted_name {
            // In JSON, a number under a password key is a password; a bare word is a
            // variable.
            let number = shown.len() >= 4 && shown.bytes().all(|b| b.is_ascii_digit());
            // In Markdown, names stand between backticks and their values do not.
            let is_code = self.around.text.as_bytes().get(self.name_end) == Some(&b'`');
            let is_value = number || is_code && looks_chosen(shown);
            return is_value && self.strength == Strength::Strong && operator.is_colon;
        }
        // `/etc/nsswitch.conf`
        let is_source = operator.is_colon
            && self.name == "passwd"
            && ["files", "compat", "sss", "systemd", "ldap", "nis"].contains(&shown);
        if is_source {
            return false;
        }
        if self.strength == Strength::Token && self.is_kind_of_token(operator, shown) {
            return false;
        }
        // `password: 8+ characters`
        if shown
            .strip_suffix('+')
            .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        {
            return false;
        }
        // `{withCredentials:!1,password:""}`
        if ["!0,", "!1,", "!0}", "!1}"]
            .iter()
            .any(|word| bare.starts_with(word))
        {
            return false;
        }
        // `rails credentials:edit`
        let is_task = operator.is_colon
            && !operator.spaced
            && self.name.ends_with('s')
            && shown.bytes().all(|b| b.is_ascii_lowercase());
        if is_task {
            return false;
        }
        if is_documented(before) {
            return false;
        }
        if is_listed_pair(before, operator.spaced, operator.is_colon) {
            return !self.is_own_name(shown);
        }
        let is_close = !operator.is_colon && !operator.spaced;
        let is_property = operator.spaced && is_path_of_property(before) && looks_chosen(shown);
        let setting = (is_close || is_property) && is_setting_line(before, bare, after);
        if !setting && self.is_own_name(shown) {
            return false;
        }
        if operator.spaced && !operator.is_colon && self.is_plain_assignment(shown) {
            return false;
        }
        // `username, password = pair`
        if operator.spaced && !operator.is_colon && before.trim_end().ends_with(',') {
            return false;
        }
        let string_around = [b'"', b'\'', b'`']
            .iter()
            .any(|q| self.around.in_string(self.name_start, *q));
        if string_around {
            return is_secret_in_string(operator, shown);
        }
        let in_code = self.stands_in_code(operator, before, bare, after, setting);
        if in_code {
            let name_like = is_expression(shown) || is_surely_expression(bare);
            return !name_like
                && looks_chosen(shown)
                && shown.bytes().any(|b| b"@#%^!~".contains(&b));
        }
        // Prose and settings: as in the specification, except for a sentence that merely
        // mentions the word, and for the subject of a commit: "token: accept trailing commas".
        let is_past = || self.name.contains('_') && shown.starts_with(|c: char| c.is_uppercase());
        let is_subject = operator.is_colon
            && is_verb_of_commit(shown)
            && (!after.trim().is_empty() || is_past())
            && !speaks(before);
        // `* credential: sanitize the user prompt`: no token is a word.
        const LONGEST_WORD: usize = 12;
        let is_word = shown.len() <= LONGEST_WORD
            && shown.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let is_of_sentence = operator.is_colon
            && is_word
            && self.is_never_word()
            && after
                .trim_start()
                .starts_with(|c: char| c.is_alphanumeric());
        !(operator.spaced && (is_function_word(shown) || is_subject || is_of_sentence))
    }

    /// Whether a declaration gives the name a type and a value: `const TOKEN: kind_7 = kind_7::ONE;`.
    fn is_declared_with(&self, type_end: usize) -> bool {
        const LONGEST: usize = 8;
        let after = head(&self.around.text[type_end..], LONGEST);
        after.trim_start_matches(' ').starts_with("= ")
            && declares(self.around.line_before(self.name_start))
    }

    /// Whether programs make the secrets of this name: a token, not a password.
    fn is_never_word(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        self.strength == Strength::Token || name.contains("credential")
    }

    /// Whether the value is a kind of token of a language and not a secret: `unexpected token: name`,
    /// `token=IDENT`.
    fn is_kind_of_token(&self, operator: &Operator, shown: &str) -> bool {
        const LONGEST: usize = 16;
        let of_name = |b: u8| b.is_ascii_alphabetic() || b == b'_';
        if !shown.bytes().all(of_name) {
            return false;
        }
        let before = self.around.line_before(self.name_start);
        let is_met = ["unexpected", "expected", "unrecognized"]
            .iter()
            .any(|word| {
                let before = before.trim_end();
                let from = before.len().saturating_sub(word.len());
                before
                    .get(from..)
                    .is_some_and(|last| last.eq_ignore_ascii_case(word))
            });
        let is_upper = shown.bytes().all(|b| !b.is_ascii_lowercase());
        is_met || !operator.is_colon && is_upper && shown.len() <= LONGEST
    }

    /// `token = Kind.Word`, `TOKEN = 58`: no real token consists of letters alone, and a
    /// path of names is an expression whatever it is assigned to.
    fn is_plain_assignment(&self, value: &str) -> bool {
        let names = value
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'));
        let small = value.len() <= 6 && value.bytes().all(|b| b.is_ascii_digit());
        let grammar = value.trim_start_matches(|c: char| c.is_ascii_digit());
        let grammar = grammar.len() < value.len() && grammar.starts_with('*');
        let path = names && value.contains('.') && !value.starts_with('.');
        path || (self.strength == Strength::Token && (names || small || grammar))
    }

    fn is_chosen_pass(&self, value: &str) -> bool {
        (self.is_pass() || self.is_key_of_secret())
            && looks_chosen(value)
            && !is_surely_expression(value)
            && !self.around.is_code(self.start)
    }

    /// Whether `PASS:` is the result of a test of this name: `--- PASS: TestParse2`, and at the
    /// beginning of a line `PASS: x-1.sh` and `PASS: check_http2`. A password there has other
    /// letters and signs, or stands below the name of a user.
    fn is_result(&self, value: &str) -> bool {
        let before = self.around.line_before(self.name_start);
        self.around.spend(before.len() + value.len());
        let of_test =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_./:+=".contains(&b);
        match before.trim() {
            "---" => ["Test", "Example", "Fuzz", "Benchmark"]
                .iter()
                .any(|begin| value.starts_with(begin)),
            "" => {
                value.contains(['/', '.', '_'])
                    && value.bytes().all(of_test)
                    && !self.is_below_a_user()
            }
            _ => false,
        }
    }

    /// Whether the line before names a user: `USER: ada`.
    fn is_below_a_user(&self) -> bool {
        const FAR: usize = 160;
        const NAMES: [&str; 8] = [
            "user", "username", "login", "id", "account", "email", "name", "host",
        ];
        let text = self.around.text;
        let low = text.floor_char_boundary(self.name_start.saturating_sub(FAR));
        self.around.spend(2 * FAR);
        let line = text[low..self.name_start].rsplit('\n').nth(1);
        let name = line.and_then(|line| line.split([':', '=']).next());
        let word = name.and_then(|name| name.rsplit(|c: char| !c.is_ascii_alphabetic()).next());
        word.is_some_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
    }

    /// `pass`, `--pass`, `RABBITMQ_DEFAULT_PASS`
    fn is_pass(&self) -> bool {
        let name = self.name.trim_start_matches('-');
        name.eq_ignore_ascii_case("pass")
            || name.ends_with("_PASS") && name.bytes().all(|b| !b.is_ascii_lowercase())
    }

    /// `secret key`, `api key`: a name of two words.
    fn is_key_of_secret(&self) -> bool {
        const LONGEST: usize = 24;
        if !self.name.eq_ignore_ascii_case("key") {
            return false;
        }
        let text = self.around.text;
        let from = text.floor_char_boundary(self.name_start.saturating_sub(LONGEST));
        let before = text[from..self.name_start].strip_suffix(' ');
        let word = before.and_then(|text| text.rsplit(|c: char| !c.is_ascii_alphabetic()).next());
        word.is_some_and(|word| {
            let mut kinds = SECRET_KEYS.iter();
            kinds.any(|kind| word.eq_ignore_ascii_case(kind))
        })
    }

    fn stands_in_code(
        &self,
        operator: &Operator,
        before: &str,
        bare: &str,
        after: &str,
        setting: bool,
    ) -> bool {
        if is_surely_expression(bare) {
            return true;
        }
        let shown = bare.trim_end_matches([';', ',', ')', '}']);
        if setting {
            // A keyword argument on its own line looks like a setting.
            let argument = self.is_own_name(shown)
                || (shown.contains('.') && is_expression(shown) && !looks_chosen(shown))
                || shown
                    .to_ascii_lowercase()
                    .ends_with(&self.name.to_ascii_lowercase());
            return argument && self.around.is_code(self.start);
        }
        let is_chosen = looks_chosen(shown);
        // What stands in a comment is prose, and a type does not follow a name in capitals.
        let is_variable = operator.is_colon && is_name_of_variable(self.name);
        if is_chosen && (is_variable || is_comment(before)) {
            return false;
        }
        // "Our admin password: hunter22;"
        if is_chosen && operator.is_colon && speaks(before) {
            return false;
        }
        // `https://db/x?user=a&password=hunter22`
        let is_close = !operator.spaced && !operator.is_colon;
        let in_query = is_close
            && before
                .strip_suffix(['&', '?'])
                .is_some_and(|rest| rest.ends_with(|c: char| !is_blank(c)));
        if in_query && (is_chosen || looks_random(shown)) {
            return false;
        }
        if declares(before) || in_call(before) || joins(after) {
            // Sentences contain these words too: "… and my password: hunter22 if needed".
            return !is_chosen || self.around.is_code(self.start);
        }
        // `Pwd=abc123;` alone on a line
        if !operator.spaced && !operator.is_colon && before.is_empty() && is_chosen {
            return false;
        }
        let line_ends = after.trim_end();
        let last = if line_ends.is_empty() {
            bare
        } else {
            line_ends
        };
        if last.ends_with([';', '{', '('])
            || last.ends_with("):")
            || (last.ends_with(',')
                && after.trim().is_empty()
                && (operator.spaced
                    || (before.starts_with([' ', '\t']) && is_expression(shown) && !is_chosen)))
        {
            return true;
        }
        // "use PGPASSWORD=hunter22 psql": programs put such a value in quotes.
        !(is_close && is_chosen) && self.around.is_code(self.start)
    }

    /// `SecretString::from("…")`, `getenv("X", "…")`: a literal in a call that a person
    /// would choose as a password.
    fn literal_in_call(&self, value: usize, bare: &str) -> Option<Range> {
        if self.strength == Strength::Weak || !bare.contains('(') {
            return None;
        }
        let mut at = value + bare.find('(')? + 1;
        let line_end = value + self.around.line_after(value).len();
        self.around.spend(line_end - value);
        for _ in 0..3 {
            let quote = self.around.text[at..line_end.max(at)].find(['"', '\''])?;
            let literal = self.literal_at(at + quote, false)?;
            let content = &self.around.text[literal.0..literal.1];
            self.around.compare();
            let digits = content.bytes().any(|b| b.is_ascii_digit());
            let secret = looks_random(content)
                || (digits
                    && looks_chosen(content)
                    && !content.contains(['/', '.'])
                    && !is_ordinary_literal(content));
            if secret && !is_placeholder(content) && !content.contains(' ') {
                return Some(literal);
            }
            at = literal.1 + 1;
            if at >= line_end {
                return None;
            }
        }
        None
    }
}

/// The length of what PHP writes before a string that it serialises: `s:10:`.
fn length_of_string(text: &str) -> Option<usize> {
    const MOST_DIGITS: usize = 6;
    let digits = head(text.strip_prefix("s:")?, MOST_DIGITS);
    let length = run(digits.as_bytes(), |b| b.is_ascii_digit());
    digits[length..]
        .starts_with(':')
        .then_some("s:".len() + length + 1)
}

/// Whether a name is one of the environment: `POSTGRES_PASSWORD`.
fn is_name_of_variable(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|b| !b.is_ascii_lowercase())
}

/// Whether a comment begins before the name on its line.
fn is_comment(before: &str) -> bool {
    let before = before.trim_start();
    ["//", "#", "/*", "* ", "--"]
        .iter()
        .any(|sign| before.starts_with(sign))
}

/// Whether a text is the path before the name of a property: `spring.datasource.`.
fn is_path_of_property(before: &str) -> bool {
    let Some(path) = before.trim_start().strip_suffix('.') else {
        return false;
    };
    let of_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let mut parts = path.split('.');
    parts
        .next()
        .is_some_and(|first| !matches!(first, "self" | "this" | "cls"))
        && parts.next().is_some()
        && path
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(of_name))
}

/// Whether a name is one that documentation describes: `:param token: …`.
fn is_documented(before: &str) -> bool {
    [":param", "@param", ":type", ":return", "@return", "\\param"]
        .iter()
        .any(|tag| before.trim_end().ends_with(tag))
}

/// Whether a value is a secret where it stands in a string of a program, which is a message or a
/// real literal.
fn is_secret_in_string(operator: &Operator, shown: &str) -> bool {
    let pair_of_names = operator.is_colon
        && shown
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-'));
    if pair_of_names {
        false
    } else if operator.spaced {
        looks_chosen(shown) && !is_expression_word(shown)
    } else {
        !is_name_of_secret(shown)
            && !shown.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            && !shown.starts_with(['+', '&', '\\'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_the_word_or_with_what_keeps_its_meaning() {
        assert_eq!(after_suffix(b"=x", 0), Some(0));
        assert_eq!(after_suffix(b"_BASE=x", 0), Some(5));
        assert_eq!(after_suffix(b"2: x", 0), Some(1));
        assert_eq!(after_suffix(b"_url=x", 0), None);
        assert_eq!(after_suffix(b"izer=x", 0), None);
    }
}
