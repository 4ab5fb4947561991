//! The newest events, not folded yet: searched in memory by the same rules as
//! the segments.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[cfg(test)]
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::forward::{self, NO_TURN};
use crate::index::lexical::inverted::Inverted;
use crate::model::error::Result;

/// An index of forward blobs that can grow and shrink. Building one for 256
/// events takes about a millisecond.
pub struct TailIndex {
    blobs: BTreeMap<u64, Arc<[u8]>>,
    pub(crate) inverted: Inverted,
    pub(crate) turns: HashMap<(u32, u32), u32, foldhash::fast::FixedState>,
}

impl Default for TailIndex {
    fn default() -> Self {
        TailIndex::new()
    }
}

impl TailIndex {
    /// An empty tail.
    pub fn new() -> Self {
        TailIndex {
            blobs: BTreeMap::new(),
            inverted: Inverted::new(),
            turns: HashMap::default(),
        }
    }

    /// Adds the blob of an event. A blob whose seq is there already changes nothing.
    ///
    /// # Errors
    /// `corrupt` for a damaged blob; the tail is then as it was before.
    pub fn add(&mut self, blob: impl Into<Arc<[u8]>>) -> Result<()> {
        let blob = blob.into();
        let seq = forward::facts(&blob)?.seq;
        if self.blobs.contains_key(&seq) {
            return Ok(());
        }
        let is_newest = self
            .blobs
            .last_key_value()
            .is_none_or(|(last, _)| *last < seq);
        if !is_newest {
            // Passages are numbered in the order of the log.
            self.blobs.insert(seq, blob);
            let result = self.rebuild();
            if result.is_err() {
                self.blobs.remove(&seq);
                self.rebuild()?;
            }
            return result;
        }
        if let Err(error) = self.index(&blob) {
            self.rebuild()?;
            return Err(error);
        }
        self.blobs.insert(seq, blob);
        Ok(())
    }

    /// Keeps only the events whose seq satisfies `keep`: after folding, forgetting
    /// or erasing.
    ///
    /// # Errors
    /// None in practice: the blobs were decoded before.
    #[cfg(test)]
    pub fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) -> Result<()> {
        let before = self.blobs.len();
        self.blobs.retain(|seq, _| keep(*seq));
        if self.blobs.len() == before {
            Ok(())
        } else {
            self.rebuild()
        }
    }

    /// How many events it holds.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.blobs.len()
    }

    /// Whether it holds no event.
    pub fn is_empty(&self) -> bool {
        self.blobs.is_empty()
    }

    /// The lowest and highest seq.
    #[cfg(test)]
    pub fn seqs(&self) -> Option<(u64, u64)> {
        let first = self.blobs.first_key_value()?;
        let last = self.blobs.last_key_value()?;
        Some((*first.0, *last.0))
    }

    /// The events' facts in order of the log.
    #[cfg(test)]
    pub fn facts(&self) -> impl Iterator<Item = &EventFacts> {
        self.inverted.events.iter().map(|event| &event.facts)
    }

    fn index(&mut self, blob: &[u8]) -> Result<()> {
        let facts = self.inverted.add(blob)?;
        if facts.turn != NO_TURN {
            let event = self.inverted.events.len() as u32 - 1;
            self.turns.insert((facts.session, facts.turn), event);
        }
        Ok(())
    }

    fn rebuild(&mut self) -> Result<()> {
        self.inverted = Inverted::new();
        self.turns.clear();
        let blobs: Vec<Arc<[u8]>> = self.blobs.values().cloned().collect();
        blobs.iter().try_for_each(|blob| self.index(blob))
    }
}
