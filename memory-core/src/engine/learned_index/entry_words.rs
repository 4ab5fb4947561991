//! Indexes entries by the words of their titles and contents, so that those containing a
//! piece of text are found without reading the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;

use crate::model::ids::Seq;
use crate::rules::entries::{EntryId, LearnedEntry};

/// The words of entries, case-insensitively.
#[derive(Default)]
pub(super) struct EntryWords {
    /// The newest entry: its position in the log and its id.
    pub(super) newest: Option<(Seq, EntryId)>,
    /// In learning order.
    entries: Vec<EntryId>,
    /// For each word, the numbers of the entries that contain it, in order.
    words: BTreeMap<Box<str>, Vec<u32>>,
}

/// A word of the text to find.
#[derive(Clone, Copy, Debug)]
struct Part<'t> {
    word: &'t str,
    /// Whether the text starts or ends with it, so that the entry's word may be longer on
    /// that side.
    is_first: bool,
    is_last: bool,
}

impl EntryWords {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn add(&mut self, row: &LearnedEntry) {
        let number = self.entries.len() as u32;
        for text in [&row.entry.title, &row.content] {
            for word in words_of(&text.to_lowercase()) {
                let numbers = match self.words.get_mut(word) {
                    Some(numbers) => numbers,
                    None => self.words.entry(word.into()).or_default(),
                };
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        self.entries.push(row.entry.id.clone());
        self.newest = Some((row.seq, row.entry.id.clone()));
    }

    /// The entries that may contain a lower-case text, latest first, with no false
    /// negatives. `None` for a text without a word.
    pub(super) fn candidates(&self, text: &str) -> Option<Vec<EntryId>> {
        let mut rarest: Option<Vec<u32>> = None;
        // Inner words are complete, so they are looked up directly.
        let mut parts: Vec<Part<'_>> = parts_of(text).collect();
        parts.sort_by_key(|part| (part.is_first || part.is_last, Reverse(part.word.len())));
        for part in parts {
            let is_whole = !part.is_first && !part.is_last;
            if rarest.is_some() && !is_whole {
                break;
            }
            let numbers = self.with(part);
            if rarest
                .as_ref()
                .is_none_or(|known| numbers.len() < known.len())
            {
                rarest = Some(numbers);
            }
        }
        let numbers = rarest?.into_iter().rev();
        Some(
            numbers
                .filter_map(|number| self.entries.get(number as usize).cloned())
                .collect(),
        )
    }

    fn with(&self, part: Part<'_>) -> Vec<u32> {
        let lists: Vec<&Vec<u32>> = match (part.is_first, part.is_last) {
            (false, false) => self.words.get(part.word).into_iter().collect(),
            (false, true) => {
                let from = (Bound::Included(part.word), Bound::Unbounded);
                let from = self.words.range::<str, _>(from);
                from.take_while(|(word, _)| word.starts_with(part.word))
                    .map(|(_, numbers)| numbers)
                    .collect()
            }
            (true, is_last) => {
                let fits = |word: &str| match is_last {
                    true => word.contains(part.word),
                    false => word.ends_with(part.word),
                };
                let all = self.words.iter();
                all.filter(|(word, _)| fits(word))
                    .map(|(_, numbers)| numbers)
                    .collect()
            }
        };
        let mut numbers: Vec<u32> = lists.into_iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn parts_of(text: &str) -> impl Iterator<Item = Part<'_>> {
    words_of(text).map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        Part {
            word,
            is_first: start == 0,
            is_last: start + word.len() == text.len(),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::entries::{Entry, EntryStatus, EntryType, Lifecycle, Validity};

    fn learned(number: usize, content: &str) -> LearnedEntry {
        let entry = Entry {
            id: EntryId::new(number.to_string()),
            entry_type: EntryType::Fact,
            title: "a title".to_owned(),
            lifecycle: Lifecycle::Raw,
            status: EntryStatus::Active,
            validity: Validity::default(),
        };
        LearnedEntry::new(entry, content.to_owned(), "", "s")
    }

    proptest! {
        #[test]
        fn whatever_holds_a_text_is_a_candidate(
            texts in prop::collection::vec("[aAbB .\u{300}\u{3a3}\u{130}-]{0,12}", 1..8),
            text in "[aAbB .\u{300}\u{3a3}\u{130}-]{0,4}",
        ) {
            let text = text.to_lowercase();
            let mut words = EntryWords::default();
            for (number, content) in texts.iter().enumerate() {
                words.add(&learned(number, content));
            }
            let holds: Vec<String> = (0..texts.len())
                .rev()
                .filter(|number| {
                    let row = learned(*number, &texts[*number]);
                    [row.entry.title, row.content]
                        .iter()
                        .any(|held| held.to_lowercase().contains(&text))
                })
                .map(|number| number.to_string())
                .collect();
            let found = words.candidates(&text);
            if let Some(found) = found {
                let left = found.iter().map(|id| id.as_str().to_owned());
                let left: Vec<String> = left.filter(|id| holds.contains(id)).collect();
                prop_assert_eq!(left, holds);
            } else {
                prop_assert!(!text.contains(char::is_alphanumeric));
            }
        }
    }
}
