//! The memtable: the newest events, not flushed yet, searched in memory by the same rules as
//! segments.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[cfg(test)]
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::forward::{self, NO_TURN};
use crate::index::lexical::inverted::Inverted;
use crate::model::error::Result;

/// The number of events at which the memtable is flushed to a segment. An append waits for the flush,
/// so it must not take much longer than the append itself.
pub(crate) const FLUSH_EVENTS: u64 = 64;
/// Long texts take longer, so the memtable is also flushed when its entries are this large
/// together, in bytes.
pub(crate) const FLUSH_BYTES: u64 = 256 << 10;
/// A shorter entry, in bytes, is no reason to add up the others.
pub(crate) const LONG_ENTRY_BYTES: u64 = 8 << 10;

/// An in-memory index of forward entries. Building one for 64 events takes about a quarter of a
/// millisecond.
pub struct Memtable {
    entries: BTreeMap<u64, Arc<[u8]>>,
    pub(crate) inverted: Inverted,
    pub(crate) turns: HashMap<(u32, u32), u32, foldhash::fast::FixedState>,
}

impl Default for Memtable {
    fn default() -> Self {
        Memtable::new()
    }
}

impl Memtable {
    /// An empty memtable.
    pub fn new() -> Self {
        Memtable {
            entries: BTreeMap::new(),
            inverted: Inverted::new(),
            turns: HashMap::default(),
        }
    }

    /// Adds an event's entry. Does nothing if its seq is already present.
    ///
    /// # Errors
    /// `corrupt` for a damaged entry, which leaves the memtable unchanged.
    pub fn add(&mut self, entry: impl Into<Arc<[u8]>>) -> Result<()> {
        let entry = entry.into();
        let seq = forward::facts(&entry)?.seq;
        if self.entries.contains_key(&seq) {
            return Ok(());
        }
        let is_newest = self
            .entries
            .last_key_value()
            .is_none_or(|(last, _)| *last < seq);
        if !is_newest {
            // Passages must be numbered in log order.
            self.entries.insert(seq, entry);
            let result = self.rebuild();
            if result.is_err() {
                self.entries.remove(&seq);
                self.rebuild()?;
            }
            return result;
        }
        if let Err(error) = self.index(&entry) {
            self.rebuild()?;
            return Err(error);
        }
        self.entries.insert(seq, entry);
        Ok(())
    }

    /// Keeps only the events whose seq satisfies `keep`, after flushing, forgetting or erasing.
    ///
    /// # Errors
    /// None in practice: the entries were decoded before.
    #[cfg(test)]
    pub fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) -> Result<()> {
        let before = self.entries.len();
        self.entries.retain(|seq, _| keep(*seq));
        if self.entries.len() == before {
            Ok(())
        } else {
            self.rebuild()
        }
    }

    /// The number of events.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The lowest and highest seq.
    #[cfg(test)]
    pub fn seqs(&self) -> Option<(u64, u64)> {
        let first = self.entries.first_key_value()?;
        let last = self.entries.last_key_value()?;
        Some((*first.0, *last.0))
    }

    /// The events' facts in log order.
    #[cfg(test)]
    pub fn facts(&self) -> impl Iterator<Item = &EventFacts> {
        self.inverted.events.iter().map(|event| &event.facts)
    }

    fn index(&mut self, entry: &[u8]) -> Result<()> {
        let facts = self.inverted.add(entry)?;
        if facts.turn != NO_TURN {
            let event = self.inverted.events.len() as u32 - 1;
            self.turns.insert((facts.session, facts.turn), event);
        }
        Ok(())
    }

    fn rebuild(&mut self) -> Result<()> {
        self.inverted = Inverted::new();
        self.turns.clear();
        let entries: Vec<Arc<[u8]>> = self.entries.values().cloned().collect();
        entries.iter().try_for_each(|entry| self.index(entry))
    }
}
