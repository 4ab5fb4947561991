//! Offsets in the contents of events, counted as other languages count in their texts.

use std::collections::BTreeMap;

use crate::learn::entry_search::EntryHit;
use crate::learn::pipeline::IngestReport;
use crate::memory::Memory;
use crate::model::context::Context;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::model::learned::LearnedHit;
use crate::model::query::SearchResult;
use crate::recall::shown::smart::SmartSearchResult;
use crate::rules::entries::{EvidenceReport, LearnedEntry};
use crate::text::tokens::utf16_len;

/// The unit in which a language counts in its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextUnit {
    /// UTF-16 code units, as in JavaScript.
    Utf16,
    /// Code points, as in Python.
    CodePoint,
}

impl TextUnit {
    /// Returns the length of a text in this unit.
    ///
    /// # Growth
    /// By the length of the text.
    pub fn length(self, text: &str) -> usize {
        match self {
            TextUnit::Utf16 => utf16_len(text),
            TextUnit::CodePoint => text.chars().count(),
        }
    }
}

/// Converts offsets in the contents of events from bytes to another unit.
///
/// Results of a memory count in bytes of UTF-8 and hold only a part of a content, so what is
/// before it is read again. Every offset is counted once, from the nearest one that is known.
///
/// ```
/// # use recallite::{EventKind, Memory, NewEvent, Offsets, TextUnit};
/// # let folder = tempfile::tempdir()?;
/// # let memory = Memory::open(folder.path())?;
/// let stored = memory.append(NewEvent::new(EventKind::UserPrompt, "s", "한국어 port"))?;
/// let mut offsets = Offsets::new(TextUnit::CodePoint);
/// assert_eq!(offsets.count(&memory, &stored.id.to_string(), 10)?, Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Offsets {
    unit: TextUnit,
    /// The units before a byte of an event's content.
    counted: BTreeMap<(String, usize), usize>,
}

impl Offsets {
    /// No offsets yet.
    pub fn new(unit: TextUnit) -> Self {
        let counted = BTreeMap::new();
        Offsets { unit, counted }
    }

    /// Returns the number of units before a byte of an event's content, if it was counted.
    ///
    /// # Growth
    /// Logarithmic.
    pub fn counted(&self, event: &str, byte: usize) -> Option<usize> {
        self.counted.get(&(event.to_owned(), byte)).copied()
    }

    /// Counts the units before a byte of an event's content; `None` if there is no such byte,
    /// or the event was forgotten.
    ///
    /// # Growth
    /// By the length of what is read of the content.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn count(&mut self, memory: &Memory, event: &str, byte: usize) -> Result<Option<usize>> {
        let at = |byte: usize| (event.to_owned(), byte);
        let nearest = self.counted.range(at(0)..=at(byte)).next_back();
        let (from, known) = nearest.map_or((0, 0), |((_, from), known)| (*from, *known));
        if nearest.is_some() && from == byte {
            return Ok(Some(known));
        }
        let Ok(name) = event.parse::<EventRef>() else {
            return Ok(None);
        };
        let units = memory.views().event(name, |event| {
            let between = event.content().get(from..byte)?;
            Some(known + self.unit.length(between))
        })?;
        let units = units.flatten();
        if let Some(units) = units {
            self.counted.insert(at(byte), units);
        }
        Ok(units)
    }

    /// Counts a part of an event's content whose text is at hand: the start of the content
    /// needs no reading. False if the event was forgotten since.
    ///
    /// # Growth
    /// By the length of what is read of the content.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn count_part(
        &mut self,
        memory: &Memory,
        event: &str,
        start: usize,
        text: &str,
    ) -> Result<bool> {
        let before = match start {
            0 => Some(0),
            start => self.count(memory, event, start)?,
        };
        let Some(before) = before else {
            return Ok(false);
        };
        let end = (event.to_owned(), start + text.len());
        self.counted.insert((event.to_owned(), start), before);
        self.counted.insert(end, before + self.unit.length(text));
        Ok(true)
    }

    fn count_evidence(&mut self, memory: &Memory, evidence: &EvidenceReport) -> Result<()> {
        for span in &evidence.aligned {
            let Some(event) = &span.event_id else {
                continue;
            };
            for byte in [span.span_start, span.span_end] {
                self.count(memory, event, usize::try_from(byte).unwrap_or(usize::MAX))?;
            }
        }
        Ok(())
    }

    /// Drops what is based on an event that was forgotten since.
    fn count_learned(&mut self, memory: &Memory, learned: &mut Vec<LearnedHit>) -> Result<()> {
        retain(learned, |hit| {
            let mut is_there = true;
            for proof in &hit.proofs {
                let event = proof.id.to_string();
                is_there &= self.count_part(memory, &event, proof.start, &proof.quote)?;
            }
            Ok(is_there)
        })
    }
}

/// A result with offsets in the contents of events.
pub trait HasOffsets: Sized {
    /// Counts each of them, and drops the parts of the result whose event was forgotten since.
    ///
    /// # Growth
    /// By the length of what is read of the content.
    ///
    /// # Errors
    /// As [`Memory::event`].
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()>;

    /// The result and its offsets in a unit.
    ///
    /// # Growth
    /// By the length of what is read of the content.
    ///
    /// # Errors
    /// As [`Memory::event`].
    fn with_offsets(mut self, memory: &Memory, unit: TextUnit) -> Result<(Self, Offsets)> {
        let mut offsets = Offsets::new(unit);
        self.count(memory, &mut offsets)?;
        Ok((self, offsets))
    }
}

impl HasOffsets for SearchResult {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        retain(&mut self.items, |hit| {
            let passage = &hit.passage;
            offsets.count_part(memory, &hit.id.to_string(), passage.start, &passage.text)
        })?;
        offsets.count_learned(memory, &mut self.learned)
    }
}

impl HasOffsets for SmartSearchResult {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        offsets.count_learned(memory, &mut self.learned)
    }
}

impl HasOffsets for Context {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        retain(&mut self.items, |item| {
            offsets.count_part(memory, &item.id.to_string(), item.start, &item.text)
        })?;
        offsets.count_learned(memory, &mut self.learned)
    }
}

impl HasOffsets for LearnedEntry {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        match self.entry.evidence() {
            Some(evidence) => offsets.count_evidence(memory, evidence),
            None => Ok(()),
        }
    }
}

impl HasOffsets for EntryHit {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        self.learned.count(memory, offsets)
    }
}

impl HasOffsets for IngestReport {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        let entries = self.entries.iter().map(|entry| &entry.evidence);
        let tasks = self.tasks.iter().map(|task| &task.evidence);
        entries
            .chain(tasks)
            .try_for_each(|evidence| offsets.count_evidence(memory, evidence))
    }
}

impl<T: HasOffsets> HasOffsets for Vec<T> {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        self.iter_mut()
            .try_for_each(|item| item.count(memory, offsets))
    }
}

impl<T: HasOffsets> HasOffsets for Option<T> {
    fn count(&mut self, memory: &Memory, offsets: &mut Offsets) -> Result<()> {
        self.as_mut()
            .map_or(Ok(()), |value| value.count(memory, offsets))
    }
}

/// `Vec::retain` with a condition that may fail.
fn retain<T>(items: &mut Vec<T>, mut is_there: impl FnMut(&T) -> Result<bool>) -> Result<()> {
    let mut kept = Vec::with_capacity(items.len());
    for item in std::mem::take(items) {
        if is_there(&item)? {
            kept.push(item);
        }
    }
    *items = kept;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventKind, NewEvent, Query};

    const TEXT: &str = "한국어 🎉 and the port is 5433. ";

    fn memory(folder: &tempfile::TempDir, content: String) -> (Memory, String) {
        let memory = Memory::open(folder.path().join("store")).unwrap();
        let event = NewEvent::new(EventKind::UserPrompt, "s", content);
        let id = memory.append(event).unwrap().id.to_string();
        (memory, id)
    }

    #[test]
    fn each_unit_counts_every_byte_that_begins_a_character() {
        let folder = tempfile::tempdir().unwrap();
        let text = TEXT.repeat(3);
        let (memory, id) = memory(&folder, text.clone());
        for unit in [TextUnit::Utf16, TextUnit::CodePoint] {
            // In any order: what is known of later ones does not disturb.
            let mut offsets = Offsets::new(unit);
            for byte in (0..=text.len()).rev().chain(0..=text.len() + 2) {
                let expected = text.get(..byte).map(|before| match unit {
                    TextUnit::Utf16 => before.encode_utf16().count(),
                    TextUnit::CodePoint => before.chars().count(),
                });
                let counted = offsets.count(&memory, &id, byte).unwrap();
                assert_eq!(counted, expected, "{unit:?} {byte}");
                assert_eq!(offsets.counted(&id, byte), expected);
            }
        }
        let mut offsets = Offsets::new(TextUnit::Utf16);
        assert_eq!(offsets.count(&memory, "not an event", 1).unwrap(), None);
        assert!(offsets.count_part(&memory, &id, 10, "🎉").unwrap());
        assert_eq!(offsets.counted(&id, 14), Some(6));
    }

    #[test]
    fn what_was_forgotten_since_is_dropped_from_a_result() {
        let folder = tempfile::tempdir().unwrap();
        let (memory, _) = memory(&folder, "words and words. ".repeat(200) + TEXT);
        let found = memory.search(Query::new("port 5433")).unwrap();
        assert!(found.items[0].passage.start > 0);
        let there = found.clone().with_offsets(&memory, TextUnit::Utf16);
        let (there, offsets) = there.unwrap();
        assert_eq!(there, found);
        let hit = &found.items[0];
        let start = offsets.counted(&hit.id.to_string(), hit.passage.start);
        assert_eq!(start, Some(hit.passage.start));

        memory
            .forget(&crate::Selector::new().ids([hit.id]))
            .unwrap();
        let (since, _) = found.with_offsets(&memory, TextUnit::Utf16).unwrap();
        assert!(since.items.is_empty());
    }
}
