//! Values on several lines: YAML blocks and lists, literals between triple quotes, here documents,
//! and keys that were wrapped into lines of the same length.

use super::name::{NamedSecret, Strength};
use crate::privacy::context::{Bare, Class, without_line_number};
use crate::privacy::formats::Range;
use crate::privacy::shape::{
    head, is_ordinary_literal, is_placeholder, looks_chosen, looks_random,
};
use crate::privacy::tags::is_blank;
use crate::privacy::told::is_told;

impl<'t> NamedSecret<'_, 't> {
    /// The only word on the line after an empty one that ends at `at`.
    pub(super) fn word_on_next_line(&self, at: usize, line: &str) -> Option<(usize, &'t str)> {
        let text = self.around.text;
        let rest = text[at..]
            .strip_prefix(line)
            .filter(|_| line.trim().is_empty())?;
        let (_, word_at, word) = self.next_line(rest)?;
        (!word.trim_end().contains(is_blank)).then_some((word_at, word))
    }

    /// The line after the line end with which `rest`, the end of the text, begins: where it begins,
    /// where its words begin, and these.
    fn next_line(&self, rest: &str) -> Option<(usize, usize, &'t str)> {
        let next = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))?;
        let line_at = self.around.text.len() - next.len();
        let line = self.around.line_after(line_at);
        let words = without_line_number(line).trim_start();
        Some((line_at, line_at + line.len() - words.len(), words))
    }

    /// Where a random literal ends that was wrapped into lines of the same kind.
    pub(super) fn wrapped_literal_end(&self, (begin, end): Range) -> usize {
        const MIN: usize = 24;
        let content = &self.around.text[begin..end];
        let ends_line = self.around.text[end..].starts_with(['\n', '\r']);
        if ends_line && content.len() >= MIN && looks_random(content) {
            self.wrapped_end(begin, end, 0)
        } else {
            end
        }
    }

    /// Where a value that begins at `begin` ends if the lines after `end` belong to it: each has
    /// this indentation and consists of one word, in a literal up to its quote.
    fn wrapped_end(&self, begin: usize, end: usize, indentation: usize) -> usize {
        const MAX: usize = 16 << 10;
        const MIN_IN_LITERAL: usize = 16;
        let text = self.around.text;
        let mut end = end;
        while end - begin < MAX {
            let rest = text[end..].trim_start_matches([' ', '\t']);
            let Some((line_at, word_at, words)) = self.next_line(rest) else {
                break;
            };
            let word_end = self.around.run_end(Class::Bare, word_at);
            let after = &text[word_end..];
            let is_last = after.starts_with(['"', '\'']);
            let is_alone = is_last || word_at + words.trim_end().len() <= word_end;
            let is_of_literal = is_last
                || word_end - word_at >= MIN_IN_LITERAL
                    && text[word_at..word_end]
                        .bytes()
                        .all(|b| Class::Wide.accepts(b));
            if word_end == word_at
                || !is_alone
                || word_at - line_at < indentation
                || indentation == 0 && !is_of_literal
            {
                break;
            }
            end = word_end;
            if is_last {
                break;
            }
        }
        end
    }

    /// The items of a YAML list under the name, the first of which begins at `at` with its sign.
    pub(super) fn list_below(&self, at: usize) -> Option<Range> {
        const MAX: usize = 64;
        let text = self.around.text;
        let (mut here, mut found, mut is_secret) = (at, None, false);
        for _ in 0..MAX {
            let line = self.around.line_after(here);
            let Some(item) = line.strip_prefix("- ") else {
                break;
            };
            let word = item.trim_start_matches([' ', '"', '\'']);
            let begin = here + line.len() - word.len();
            let word = word.trim_end_matches([' ', '"', '\'']);
            if word.is_empty() || word.contains(is_blank) || word.ends_with(':') {
                break;
            }
            is_secret |= self.is_listed_secret(word);
            found = Some((found.map_or(begin, |(from, _)| from), begin + word.len()));
            let Some((_, next, _)) = self.next_line(&text[here + line.len()..]) else {
                break;
            };
            here = next;
        }
        found.filter(|_| is_secret)
    }

    /// Whether an item of a list under the name is a secret: `secrets` often lists names of them.
    fn is_listed_secret(&self, word: &str) -> bool {
        self.around.judge(word);
        self.around.compare();
        let is_of_passwords = self.name.to_ascii_lowercase().contains("pass");
        let is_chosen = self.strength == Strength::Strong
            && is_of_passwords
            && looks_chosen(word)
            && !is_told(word)
            && !is_ordinary_literal(word);
        (is_chosen || looks_random(word)) && !is_placeholder(word) && !self.is_identifier(word)
    }

    /// The text of a here document, `password = <<~EOS`, whose sign is at `at`, up to the line that
    /// ends it.
    pub(super) fn here_document(&self, at: usize) -> Option<Range> {
        const MAX: usize = 4096;
        let text = self.around.text;
        let line = self.around.line_after(at);
        let opened = line.trim_start_matches(['<', '~', '-', '"', '\'']);
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = &opened[..opened.find(|c| !of_name(c)).unwrap_or(opened.len())];
        let (_, begin, words) = self.next_line(&text[at + line.len()..])?;
        let first = words.trim_end();
        self.around.judge(first);
        let is_chosen = self.strength != Strength::Weak
            && (looks_random(first) || looks_chosen(first))
            && !first.contains(is_blank)
            && !is_placeholder(first);
        if name.is_empty() || !is_chosen {
            return None;
        }
        let rest = head(&text[begin..], MAX);
        self.around.spend(rest.len());
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim() == name {
                break;
            }
            length += line.len();
        }
        Some((begin, begin + rest[..length].trim_end().len()))
    }

    /// The words of a YAML block value, each on a line of its own.
    pub(super) fn block_value(&self, after_sign: usize) -> Option<Range> {
        let rest = &self.around.text[after_sign..];
        let first = after_sign + rest.len() - rest.trim_start_matches(is_blank).len();
        let line = self.around.line_after(first);
        let value = first + line.len() - without_line_number(line).trim_start().len();
        let Bare {
            text: bare, end, ..
        } = self.around.bare(value);
        let line_end = self.around.text[after_sign..value].rfind('\n');
        let indentation = line_end.map_or(0, |end| value - (after_sign + end + 1));
        let is_chosen = self.strength != Strength::Weak && looks_chosen(bare);
        ((looks_random(bare) || is_chosen)
            && !self.is_identifier(bare)
            && !is_placeholder(bare)
            && !bare.contains("-----")
            && !bare.ends_with(':'))
        .then(|| (value, self.wrapped_end(value, end, indentation)))
    }
}
