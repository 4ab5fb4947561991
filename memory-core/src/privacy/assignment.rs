//! Finds sensitive words followed by a value (`password=…`, `"token": "…"`, `--api-key …`), and
//! masks the value if it is a secret and not part of a program.

mod apart;
mod mapping;
mod name;
mod value;
mod verdict;
mod wrapped;

use super::context::{Class, Surroundings};
use super::formats::Range;
use super::shape::head;
use super::tags::is_blank;
use name::{NamedSecret, end_of_name, name_start};
pub(super) use name::{Strength, Word};

/// The assignment whose sensitive word starts at `at`, as the range to mask.
pub(super) fn assignment_at(around: &Surroundings<'_>, at: usize, word: &Word) -> Option<Range> {
    NamedSecret::at(around, at, word)?.judge()
}

/// Like [`assignment_at`], for a text that has used up its budget of looks: hides whatever
/// follows the name and a sign.
pub(super) fn value_in_doubt(around: &Surroundings<'_>, at: usize, word: &Word) -> Option<Range> {
    let bytes = around.text.as_bytes();
    let name_end = end_of_name(bytes, at, word)?;
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
    const MAX_SIGNS: usize = 24;
    let behind = head(&around.text[at..], MAX_SIGNS);
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

impl NamedSecret<'_, '_> {
    fn judge(&self) -> Option<Range> {
        let bytes = self.around.text.as_bytes();
        let before = &bytes[..self.name_start];
        let is_of_resource = before.ends_with(b":") && self.is_of_resource();
        if before.ends_with(b"::") || is_of_resource || self.allows() {
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
        if quoted_name && let Some(range) = self.form_value(after_name) {
            return Some(range);
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
}
