//! Values on several lines: YAML blocks, literals between triple quotes, and keys that were
//! wrapped into lines of the same length.

use super::{NamedSecret, Strength};
use crate::privacy::context::{Bare, Class, without_line_number};
use crate::privacy::formats::Range;
use crate::privacy::shape::{is_placeholder, looks_chosen, looks_random};
use crate::privacy::tags::is_blank;

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
        const LEAST: usize = 24;
        let content = &self.around.text[begin..end];
        let ends_line = self.around.text[end..].starts_with(['\n', '\r']);
        if ends_line && content.len() >= LEAST && looks_random(content) {
            self.wrapped_end(begin, end, 0)
        } else {
            end
        }
    }

    /// Where a value that begins at `begin` ends if the lines after `end` belong to it: each has
    /// this indentation and consists of one word, in a literal up to its quote.
    fn wrapped_end(&self, begin: usize, end: usize, indentation: usize) -> usize {
        const MOST: usize = 16 << 10;
        const LEAST_IN_LITERAL: usize = 16;
        let text = self.around.text;
        let mut end = end;
        while end - begin < MOST {
            let rest = text[end..].trim_start_matches([' ', '\t']);
            let Some((line_at, word_at, words)) = self.next_line(rest) else {
                break;
            };
            let word_end = self.around.run_end(Class::Bare, word_at);
            let after = &text[word_end..];
            let is_last = after.starts_with(['"', '\'']);
            let is_alone = is_last || word_at + words.trim_end().len() <= word_end;
            let is_of_literal = is_last
                || word_end - word_at >= LEAST_IN_LITERAL
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
