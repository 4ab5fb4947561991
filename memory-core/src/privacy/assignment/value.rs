//! Where the value of a sensitive name lies: a literal, a bare word, a list, an element, a cell, or
//! what stands on the lines below.

use super::name::{NamedSecret, Operator, Strength, escapes_of_quote, is_quote, run_back};
use crate::privacy::context::{Bare, Class};
use crate::privacy::formats::Range;
use crate::privacy::line::after_spaces;
use crate::privacy::shape::{
    LOOK, head, is_described, is_name_of_type, is_ordinary_literal, is_placeholder,
    is_surely_expression, looks_chosen, looks_random,
};
use crate::privacy::tags::is_blank;
use crate::privacy::told::is_told;
use crate::privacy::words::run;

/// How a section of any characters begins in XML.
const CDATA: &str = "<![CDATA[";

/// The end of a value without trailing signs; a long value is not shortened.
pub(super) fn trimmed_end(bare: Bare<'_>, signs: &[char]) -> usize {
    if bare.is_whole() {
        bare.end - (bare.text.len() - bare.text.trim_end_matches(signs).len())
    } else {
        bare.end
    }
}

impl NamedSecret<'_, '_> {
    /// Where the content begins of the element that the name opens, if that has a prefix or
    /// attributes: `<wsse:Password Type="…">`.
    pub(super) fn after_attributes(&self, after_name: usize) -> Option<usize> {
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

    /// Where the cell begins that follows the one that holds the name alone, in Markdown
    /// (`| Password | x |`) or HTML (`<td>Password</td><td>x</td>`).
    pub(super) fn next_cell(&self, after_name: usize) -> Option<usize> {
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
    pub(super) fn value_in_cell(&self, at: usize) -> Option<Range> {
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

    /// The value after a sign.
    pub(super) fn value(&self, operator: &Operator, quoted_name: bool) -> Option<Range> {
        // `PWD=/home/ada` and `-v $PWD:/src`: the working directory.
        let after = &self.around.text[operator.value..];
        if self.name.eq_ignore_ascii_case("pwd") && after.starts_with(['/', '~']) {
            return None;
        }
        if let Some(literal) = self.literal_at(operator.value, quoted_name) {
            return self.literal_value(operator, literal, quoted_name);
        }
        if operator.is_comma || self.closes_string(operator.value) {
            return None;
        }
        self.list_at(operator, quoted_name)
            .or_else(|| self.mapping_at(operator.value))
            .or_else(|| self.value_without_quotes(operator, quoted_name))
    }

    /// A literal after a sign.
    fn literal_value(
        &self,
        operator: &Operator,
        literal: Range,
        quoted_name: bool,
    ) -> Option<Range> {
        let text = self.around.text;
        let first = literal;
        let literal = self.literal_of_pair(operator, first);
        let content = &text[literal.0..literal.1];
        // Names of types: `ToPrivateKey` => `DecodePrivateKey`.
        if text[..literal.0].ends_with('`') && is_name_of_type(content) {
            return None;
        }
        // An attribute of HTML: `accesskey="s"`.
        if content.len() <= 2 && self.name.eq_ignore_ascii_case("accesskey") {
            return None;
        }
        if !quoted_name && self.is_arm_of_match(operator, content) {
            return None;
        }
        let secret = if operator.is_comma {
            self.is_secret_argument(operator, content)
        } else {
            let word = content.len() <= 4 && content.bytes().all(|b| b.is_ascii_alphabetic());
            !(operator.is_comparison && word) && self.is_secret_literal(content)
        };
        let keeps_name = quoted_name || literal != first;
        let start = self.masked_from(operator, literal.0, keeps_name);
        secret.then(|| (start, self.literal_end(literal)))
    }

    /// The literal of the name where several names are assigned at once: `user, password = "a", "b"`.
    fn literal_of_pair(&self, operator: &Operator, literal: Range) -> Range {
        const MAX: usize = 4;
        let before = self.around.line_before(self.name_start);
        let of_names = |b: u8| b.is_ascii_alphanumeric() || b"_., ".contains(&b);
        let names = before.trim_start();
        let is_pair = names.ends_with(", ")
            && operator.spaced
            && !operator.is_colon
            && !operator.is_comparison
            && names.bytes().all(of_names);
        let count = names.matches(", ").count();
        if !is_pair || count > MAX {
            return literal;
        }
        let mut found = literal;
        for _ in 0..count {
            let behind = head(&self.around.text[found.1..], LOOK);
            let next = behind
                .strip_prefix(['"', '\''])
                .and_then(|rest| rest.trim_start_matches(' ').strip_prefix(','))
                .map(|rest| rest.trim_start_matches(' '));
            let begin = next.map(|next| found.1 + behind.len() - next.len());
            let Some(next) = begin.and_then(|begin| self.literal_at(begin, false)) else {
                return literal;
            };
            found = next;
        }
        // Behind the last one, the statement ends: `host, password = "x", "db")` has arguments.
        let behind = head(&self.around.text[found.1..], LOOK).trim_start_matches(['"', '\'']);
        let behind = behind.trim_start_matches([' ', '\t', '\r']);
        let ends =
            behind.is_empty() || behind.starts_with(['\n', ';', '#']) || behind.starts_with("//");
        let is_chosen = |(from, to): Range| self.is_chosen(&self.around.text[from..to]);
        let last = &self.around.text[found.0..found.1];
        // The mark of an earlier pass stands for the password, too.
        let is_password = self.is_secret_literal(last) || !last.is_empty() && is_placeholder(last);
        match ends && is_password && (is_chosen(found) || !is_chosen(literal)) {
            true => found,
            false => literal,
        }
    }

    /// Whether the literal is what an arm of a match gives: `ClientSecret => "client secret"`.
    fn is_arm_of_match(&self, operator: &Operator, content: &str) -> bool {
        let is_arm = self.around.text[self.name_end..operator.value].contains("=>");
        let is_secret = || self.is_chosen(content) && !is_described(content);
        // Perl and PHP write `DbPassword => 'tiger'`.
        let is_text = content.contains([' ', '_']);
        is_arm && is_text && self.is_name_of_kind() && !is_secret()
    }

    /// Where the masked range begins of a value at `value`: a name in quotes or of a comparison is
    /// kept.
    fn masked_from(&self, operator: &Operator, value: usize, quoted_name: bool) -> usize {
        match quoted_name || operator.is_comparison {
            true => value,
            false => self.start,
        }
    }

    /// What is not a literal after a sign: each form that only some signs or beginnings have, then
    /// a bare word, then a literal somewhere in the expression.
    fn value_without_quotes(&self, operator: &Operator, quoted_name: bool) -> Option<Range> {
        let text = self.around.text;
        let found = self.around.bare(operator.value).before_tag();
        let (bare, end) = (found.text, found.end);
        if bare.is_empty() {
            return None;
        }
        if let Some(range) = self.typed_literal(operator, end) {
            return Some(range);
        }
        match bare {
            // `["password"]=> string(10) "x"`, as PHP dumps an array.
            _ if quoted_name && bare.starts_with("string(") && text[end..].starts_with(" \"") => {
                self.secret_literal_at(end + 1)
            }
            "-" if operator.line_end && operator.is_colon => self.list_below(operator.value),
            _ if operator.line_end => self
                .mapping_below(operator.value)
                .or_else(|| self.value_on_next_line(operator, bare, end, quoted_name)),
            _ if bare.starts_with("<<") => self.here_document(operator.value),
            "|" | ">" | "|-" | ">-" | "|+" => self.block_value(end),
            _ => self
                .element_of_map(operator, bare)
                .or_else(|| self.bare_value(operator, bare, end, quoted_name))
                .or_else(|| self.fallback_literal(end))
                .or_else(|| self.default_of_template(operator.value, bare))
                .or_else(|| self.literal_in_call(operator.value, bare)),
        }
    }

    /// The literal at `at`, if it is a secret.
    fn secret_literal_at(&self, at: usize) -> Option<Range> {
        let literal = self.literal_at(at, true)?;
        self.is_secret_literal(&self.around.text[literal.0..literal.1])
            .then_some(literal)
    }

    /// A bare value that is a secret itself.
    fn bare_value(
        &self,
        operator: &Operator,
        bare: &str,
        end: usize,
        quoted_name: bool,
    ) -> Option<Range> {
        let start = self.masked_from(operator, operator.value, quoted_name);
        self.is_secret_bare(operator, bare, end, quoted_name)
            .then(|| (start, self.bare_end(bare, end)))
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
        const MAX_PARTS: usize = 8;
        let text = self.around.text;
        let mut end = self.wrapped_literal_end(literal);
        for _ in 0..MAX_PARTS {
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

    /// The literals of a list: `"passwords": ["x", "y"]`. Under a name without quotes, one of them
    /// is what a person or a program would choose.
    fn list_at(&self, operator: &Operator, quoted_name: bool) -> Option<Range> {
        const MAX: usize = 64;
        let text = self.around.text;
        let blank = |at: usize| {
            let rest = head(&text[at..], LOOK);
            self.around.spend(rest.len() - rest.trim_start().len());
            at + rest.len() - rest.trim_start().len()
        };
        if operator.is_comparison || !text[operator.value..].starts_with('[') {
            return None;
        }
        let mut at = blank(operator.value + 1);
        let (mut last, mut is_secret) = (None, false);
        for _ in 0..MAX {
            let literal = self.literal_at(at, quoted_name)?;
            let content = &text[literal.0..literal.1];
            is_secret |=
                self.is_secret_literal(content) && (quoted_name || self.is_told_secret(content));
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

    /// Whether an element of a list under a name without quotes is a secret: names of features stand
    /// under `credentials`.
    fn is_told_secret(&self, content: &str) -> bool {
        looks_random(content)
            || !self.is_credential() && self.is_chosen(content) && !is_told(content)
    }

    /// The content range of the quoted literal at `at`.
    pub(super) fn literal_at(&self, at: usize, quoted_name: bool) -> Option<Range> {
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

    /// Whether the quote at `at` closes a string that contains the name.
    fn closes_string(&self, at: usize) -> bool {
        match self.around.text.as_bytes().get(at) {
            Some(quote @ (b'"' | b'\'' | b'`')) => self.around.in_string(at, *quote),
            _ => false,
        }
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
        quoted_name: bool,
    ) -> Option<Range> {
        let fits = (looks_random(bare) || looks_chosen(bare))
            && !bare.ends_with([':', ',', ';', '(', '{'])
            && !bare.contains(['(', '='])
            && !is_placeholder(bare)
            && (self.strength != Strength::Weak || self.is_key_of_secret() && looks_random(bare));
        let ok = fits && (looks_random(bare) || !self.around.is_code(self.start));
        let start = self.masked_from(operator, operator.value, quoted_name);
        ok.then_some((start, bare_end))
    }

    /// The content of `<password>…</password>`.
    pub(super) fn element(&self, value: usize) -> Option<Range> {
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
        let content_is_chosen =
            !self.name.eq_ignore_ascii_case("key") && looks_chosen(content.trim());
        let secret = !content.trim().is_empty()
            && (self.is_secret_literal(content.trim()) || content_is_chosen);
        secret.then_some((value, value + content.len()))
    }

    /// The value of a field of a form, whose name ends the line at `at`:
    /// `Content-Disposition: form-data; name="password"`, an empty line and the value.
    fn form_value_at(&self, at: usize) -> Option<Range> {
        let text = self.around.text;
        let gaps = ["\r\n\r\n", "\n\n"];
        let gap = gaps.iter().find(|gap| text[at..].starts_with(**gap))?;
        let begin = at + gap.len();
        let value = self.around.line_after(begin);
        let is_form = self
            .around
            .line_before(self.name_start)
            .contains("form-data");
        let fits = is_form && self.strength != Strength::Weak && !is_placeholder(value);
        fits.then_some((begin, begin + value.len()))
    }

    /// The same behind the quote that ends the name at `at`.
    pub(super) fn form_value(&self, at: usize) -> Option<Range> {
        let is_end = self.around.text[at..].starts_with(['\r', '\n']);
        is_end.then(|| self.form_value_at(at)).flatten()
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

    /// `SecretString::from("…")`, `getenv("X", "…")`: a literal in a call that a person
    /// would choose as a password.
    fn literal_in_call(&self, value: usize, bare: &str) -> Option<Range> {
        // `credentials = credentials.with_project('project-2')`
        let is_changed = self.is_credential() && bare.contains(".with_");
        if self.strength == Strength::Weak || is_changed || !bare.contains('(') {
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
                    && !is_described(content)
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
