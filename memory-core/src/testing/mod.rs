//! Doubles for tests: a clock that stands still, ids that count, and (inside
//! this crate) a disk that records and fails.

#[cfg(test)]
mod crash;
#[cfg(test)]
mod crash_files;
#[cfg(test)]
mod crash_keep;
#[cfg(test)]
mod crash_swap;
#[cfg(test)]
pub(crate) mod disk;
pub(crate) mod forged;
#[doc(hidden)]
pub mod fuzz;
#[cfg(test)]
mod meanwhile;
#[doc(hidden)]
pub mod relevance;
#[cfg(test)]
mod turns;
#[doc(hidden)]
pub use crate::privacy::hostile as hostile_texts;
#[doc(hidden)]
pub mod vectors;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::clock::{Clock, IdSource};
use crate::model::ids::EventId;
use crate::model::time::Timestamp;

/// The words of the static table's vocabulary, the most frequent first: what
/// made-up text for tests and benches is made of.
pub fn vocabulary() -> impl Iterator<Item = &'static str> {
    const FIRST_WORD: usize = 1_996;
    crate::embed::static_table::beginnings()
        .skip_while(|(id, _)| *id < FIRST_WORD)
        .map(|(_, text)| text)
}

/// The stem of an English word in lower case, for the baselines of benches; other words stay as
/// they are.
pub fn stem(word: &str) -> String {
    let is_english = word
        .bytes()
        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if !is_english {
        return word.to_owned();
    }
    let mut stem = Vec::new();
    crate::index::lexical::stemmer::stem_into(word.as_bytes(), &mut stem);
    String::from_utf8(stem).expect("stems of ASCII words are ASCII")
}

/// Writes the stem of a word of lower-case ASCII letters to `stem`, as the analyser does.
#[doc(hidden)]
pub fn stem_into(word: &str, stem: &mut Vec<u8>) {
    crate::index::lexical::stemmer::stem_into(word.as_bytes(), stem);
}

/// Tests run only each `share`th of many similar cases, or all of them with
/// `RECALLITE_TEST_CASES=all`.
#[cfg(test)]
pub(crate) fn every(share: usize) -> usize {
    match std::env::var("RECALLITE_TEST_CASES").as_deref() {
        Ok("all") => 1,
        _ => share,
    }
}

/// A clock that shows what it was set to.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        FixedClock(AtomicI64::new(now.millis()))
    }

    /// Moves the clock on by `ms` milliseconds (back when negative).
    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis_clamped(self.0.load(Ordering::Relaxed))
    }
}

/// Ids and salts that count up from 1, so that a test's store is the same in
/// every run. Never for real data: the salts can be guessed.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    fn next(&self, mark: u8) -> [u8; 16] {
        let mut bytes = [0; 16];
        // UUID version 7 and the RFC variant, like real ids.
        (bytes[0], bytes[6], bytes[8]) = (mark, 0x70, 0x80);
        let count = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        bytes[9..].copy_from_slice(&count.to_be_bytes()[1..]);
        bytes
    }
}

impl IdSource for CountingIds {
    fn event_id(&self, _now: Timestamp) -> EventId {
        EventId::from_bytes(self.next(1))
    }

    fn salt(&self) -> [u8; 16] {
        self.next(2)
    }
}
