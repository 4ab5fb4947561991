//! The values of a mapping under the plural of a sensitive name: `passwords: {ada: x}`, and in YAML
//! the lines below `passwords:`.

use super::name::{NamedSecret, Strength};
use crate::privacy::context::{Class, without_line_number};
use crate::privacy::formats::Range;
use crate::privacy::shape::{head, is_named_by_hash, looks_random};
use crate::privacy::tags::is_blank;
use crate::privacy::told::{is_setting, is_told};
use crate::privacy::tool_input::is_label;
use crate::privacy::words::run;

/// How many entries of a mapping are read.
const MAX_ENTRIES: usize = 64;

impl NamedSecret<'_, '_> {
    /// The values of a mapping in braces at `at`.
    pub(super) fn mapping_at(&self, at: usize) -> Option<Range> {
        if !self.has_entries() || !self.around.text[at..].starts_with('{') {
            return None;
        }
        let mut here = at + 1;
        let mut found = Vec::new();
        for _ in 0..MAX_ENTRIES {
            let Some((name, value)) = self.entry_at(self.after_blanks(here)) else {
                break;
            };
            let literal = self.literal_at(value, true);
            let (begin, end) = literal.unwrap_or_else(|| (value, self.end_of_bare(value)));
            found.extend(self.secret_entry(name, (begin, end)));
            let is_closed = self.around.text[end..].starts_with(['"', '\'']);
            here = self.after_blanks(end + usize::from(literal.is_some() && is_closed));
            match self.around.text[here..].strip_prefix(',') {
                Some(_) => here += 1,
                None => break,
            }
        }
        self.first_of(found)
    }

    /// The values of a mapping in the lines of YAML that begin at `at`, below the name.
    pub(super) fn mapping_below(&self, at: usize) -> Option<Range> {
        if !self.has_entries() || !self.around.line_before(self.name_start).trim().is_empty() {
            return None;
        }
        let indentation = self.around.line_before(at);
        let own = self.around.line_before(self.name_start).len();
        let is_below = indentation.trim().is_empty() && indentation.len() > own;
        let mut here = Some(at).filter(|_| is_below);
        let mut found = Vec::new();
        for _ in 0..MAX_ENTRIES {
            let Some((name, value)) = here.and_then(|here| self.entry_at(here)) else {
                break;
            };
            let line = self.around.line_after(value);
            let literal = self.literal_at(value, true);
            let bare = self.around.run_end(Class::Bare, value);
            found.extend(self.secret_entry(name, literal.unwrap_or((value, bare))));
            here = self.next_entry(value + line.len(), indentation);
        }
        self.first_of(found)
    }

    /// Whether a mapping under the name holds secrets: below `credentials` stand names as well.
    fn has_entries(&self) -> bool {
        let is_of_secrets = self.strength == Strength::Strong && !self.is_credential();
        self.is_plural && (is_of_secrets || self.is_token())
    }

    /// The name of the entry at `at`, and where its value begins.
    fn entry_at(&self, at: usize) -> Option<(&str, usize)> {
        const MAX_LENGTH: usize = 96;
        let entry = head(&self.around.text[at..], MAX_LENGTH);
        let opened = entry.trim_start_matches(['"', '\'']);
        let name = run(opened.as_bytes(), |b| {
            b.is_ascii_alphanumeric() || b"_-.@".contains(&b)
        });
        let behind = opened[name..].trim_start_matches(['"', '\'']);
        let value = behind.strip_prefix(':')?;
        let value = value.trim_start_matches([' ', '\t']);
        let begin = at + entry.len() - value.len();
        (name > 0 && !value.starts_with(['\n', '\r'])).then_some((&opened[..name], begin))
    }

    /// Where the next entry begins, if the line after the one that ends at `end` has the same
    /// indentation.
    fn next_entry(&self, end: usize, indentation: &str) -> Option<usize> {
        let rest = &self.around.text[end..];
        let next = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))?;
        let line_at = self.around.text.len() - next.len();
        let line = self.around.line_after(line_at);
        let words = without_line_number(line).strip_prefix(indentation)?;
        (!words.starts_with(is_blank)).then_some(line_at + line.len() - words.len())
    }

    /// The value of an entry, if it is a secret.
    fn secret_entry(&self, name: &str, range: Range) -> Option<Range> {
        let value = &self.around.text[range.0..range.1];
        self.around.judge(value);
        let fits = !value.contains(is_blank) && !is_label(name) && !is_named_by_hash(value);
        let is_told = is_setting(name) || is_told(value);
        let is_secret = looks_random(value)
            || self.strength == Strength::Strong && self.is_chosen(value) && !is_told;
        (fits && is_secret && self.is_secret_literal(value)).then_some(range)
    }

    /// The end of a value without quotes in a mapping in braces.
    fn end_of_bare(&self, at: usize) -> usize {
        let line = self.around.line_after(at);
        let ends = |c: char| is_blank(c) || matches!(c, ',' | '}' | '{' | '[');
        at + line.find(ends).unwrap_or(line.len())
    }

    fn after_blanks(&self, at: usize) -> usize {
        const FAR: usize = 128;
        let rest = head(&self.around.text[at..], FAR);
        at + rest.len() - rest.trim_start().len()
    }

    /// The first of the secrets; the others are kept for the sweep.
    fn first_of(&self, found: Vec<Range>) -> Option<Range> {
        let mut found = found.into_iter();
        let first = found.next();
        self.around.also.borrow_mut().extend(found);
        first
    }
}
