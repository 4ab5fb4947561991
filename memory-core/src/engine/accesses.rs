//! Buffers accesses, so that recording what a recall returned costs no commit of its own:
//! the next write, `maintain` or `close` logs them. Injected events go with the next write;
//! those only found by a search wait for a batch.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::model::time::Timestamp;

/// Maximum number of buffered distinct accesses; beyond it the oldest positions are
/// dropped, so that a process that only reads does not grow without bound.
const MAX_HELD: usize = 10_000;

/// Number of accesses that justify an event in the log.
const BATCH: usize = 64;

/// How an event was used since the last write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) count: u64,
    pub(crate) confidence: f64,
    pub(crate) at: Timestamp,
    /// How many events were erased when it was recorded.
    pub(crate) erased: u64,
}

/// The buffered accesses.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) events: BTreeMap<(u64, String), Access>,
    pub(crate) memories: BTreeMap<String, Timestamp>,
    /// Whether something in it must go with the very next write.
    is_urgent: bool,
}

impl Access {
    fn merge(&mut self, other: &Access) {
        self.count += other.count;
        self.confidence = self.confidence.max(other.confidence);
        self.at = self.at.max(other.at);
        self.erased = self.erased.min(other.erased);
    }
}

impl Held {
    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.memories.is_empty()
    }

    fn record(&mut self, seq: u64, session: &str, confidence: f64, at: Timestamp, erased: u64) {
        let confidence = if confidence.is_finite() {
            confidence.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let access = Access {
            count: 1,
            confidence,
            at,
            erased,
        };
        self.add((seq, session.to_owned()), access);
    }

    fn add(&mut self, key: (u64, String), access: Access) {
        self.events
            .entry(key)
            .and_modify(|known| known.merge(&access))
            .or_insert(access);
        if self.events.len() > MAX_HELD {
            self.events.pop_first();
        }
    }
}

/// An event that was given to a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenEvent<'a> {
    pub(crate) seq: u64,
    /// Empty if unknown.
    pub(crate) session: &'a str,
    /// Of the recall, from 0 to 1.
    pub(crate) confidence: f64,
}

/// Accesses that are not in the log yet.
#[derive(Debug, Default)]
pub(crate) struct Accesses(Mutex<Held>);

impl Accesses {
    /// Records that an event was given to a session, which the store need not know; `erased`
    /// is the number of events erased so far.
    pub(crate) fn record_asked(&self, given: GivenEvent<'_>, at: Timestamp, erased: u64) {
        let mut held = self.0.lock();
        held.is_urgent = true;
        held.record(given.seq, given.session, given.confidence, at, erased);
    }

    /// Records what a search found with some confidence. The session is unknown.
    pub(crate) fn record_found(&self, found: impl IntoIterator<Item = (u64, f64)>, at: Timestamp) {
        let mut held = self.0.lock();
        for (seq, confidence) in found {
            held.record(seq, "", confidence, at, 0);
        }
    }

    /// Records that a consolidated memory was given to an agent.
    pub(crate) fn record_memory(&self, memory_id: &str, at: Timestamp) {
        let mut held = self.0.lock();
        held.is_urgent = true;
        held.memories.insert(memory_id.to_owned(), at);
    }

    /// Whether the buffer is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Takes everything out of the buffer.
    pub(crate) fn take_all(&self) -> Option<Held> {
        self.take_when(|held| !held.is_empty())
    }

    /// Takes out what an append should write along with it: everything if something is
    /// urgent or a batch is full, otherwise nothing.
    pub(crate) fn take_due(&self) -> Option<Held> {
        self.take_when(|held| held.is_urgent || held.events.len() >= BATCH)
    }

    fn take_when(&self, is_due: impl FnOnce(&Held) -> bool) -> Option<Held> {
        let mut held = self.0.lock();
        is_due(&held).then(|| std::mem::take(&mut *held))
    }

    /// Puts back what could not be written.
    pub(crate) fn put_back(&self, taken: Held) {
        let mut held = self.0.lock();
        held.is_urgent |= taken.is_urgent;
        for (key, access) in taken.events {
            held.add(key, access);
        }
        for (id, at) in taken.memories {
            held.memories.entry(id).or_insert(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_keeps_what_is_known_of_both() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let accesses = Accesses::default();
        let given = |confidence| GivenEvent {
            seq: 7,
            session: "s",
            confidence,
        };
        accesses.record_asked(given(0.9), at(5), 3);
        let taken = accesses.take_all().unwrap();
        accesses.record_asked(given(0.2), at(9), 5);
        accesses.put_back(taken);
        let held = accesses.take_all().unwrap();
        let access = held.events[&(7, "s".to_owned())];
        assert_eq!((access.count, access.at, access.erased), (2, at(9), 3));
        assert_eq!(access.confidence, 0.9);
    }

    #[test]
    fn what_is_put_back_keeps_the_bound() {
        let accesses = Accesses::default();
        let found = |from: u64| (from..from + MAX_HELD as u64).map(|seq| (seq, 0.5));
        accesses.record_found(found(1), Timestamp::default());
        let taken = accesses.take_all().unwrap();
        accesses.record_found(found(1_000_000), Timestamp::default());
        accesses.put_back(taken);
        assert_eq!(accesses.take_all().unwrap().events.len(), MAX_HELD);
    }
}
