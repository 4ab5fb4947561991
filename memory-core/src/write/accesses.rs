//! The buffer of accesses: recalls take note of what they gave, and the next
//! write, `maintain` or `close` puts it into the log, never a commit of its own.
//! What was injected goes with the next write; what was only found by a search
//! waits for a batch.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::json;

use crate::memory::Inner;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::projection;
use crate::store::WriteTx;
use crate::write::prepare::SystemEvent;

/// More distinct accesses than this are not held: the oldest positions go. A
/// process that only reads and never writes must not grow without end.
const MOST_HELD: usize = 10_000;

/// So many accesses are worth an event of the log.
const BATCH: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Access {
    count: u64,
    confidence: f64,
    at: Timestamp,
    /// How many events were erased when it was recorded.
    erased: u64,
}

#[derive(Debug, Default)]
struct Held {
    events: BTreeMap<(u64, String), Access>,
    memories: BTreeMap<String, Timestamp>,
    /// Whether something in it goes with the very next write.
    is_urgent: bool,
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
        let access = self
            .events
            .entry((seq, session.to_owned()))
            .or_insert(Access {
                count: 0,
                confidence,
                at,
                erased,
            });
        access.erased = access.erased.min(erased);
        access.count += 1;
        access.confidence = access.confidence.max(confidence);
        access.at = access.at.max(at);
        if self.events.len() > MOST_HELD {
            self.events.pop_first();
        }
    }
}

/// Accesses that are not in the log yet.
#[derive(Debug, Default)]
pub(crate) struct Accesses(Mutex<Held>);

impl Accesses {
    /// Takes note that an event was given to a session. `session` is empty when
    /// it is not known; `confidence` is that of the recall, from 0 to 1.
    pub(crate) fn record(&self, seq: u64, session: &str, confidence: f64, at: Timestamp) {
        let mut held = self.0.lock();
        held.is_urgent = true;
        held.record(seq, session, confidence, at, 0);
    }

    /// As [`Accesses::record`], for a session that need not be known to the store;
    /// `erased` is how many events are erased now.
    pub(crate) fn record_asked(&self, seq: u64, session: &str, at: Timestamp, erased: u64) {
        let mut held = self.0.lock();
        held.is_urgent = true;
        held.record(seq, session, 1.0, at, erased);
    }

    /// Takes note of what a search found with some confidence. Who asked is not
    /// known.
    pub(crate) fn record_found(&self, found: impl IntoIterator<Item = (u64, f64)>, at: Timestamp) {
        let mut held = self.0.lock();
        for (seq, confidence) in found {
            held.record(seq, "", confidence, at, 0);
        }
    }

    /// Takes note that a consolidated memory was given to an agent.
    pub(crate) fn record_memory(&self, memory_id: &str, at: Timestamp) {
        let mut held = self.0.lock();
        held.is_urgent = true;
        held.memories.insert(memory_id.to_owned(), at);
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    fn put_back(&self, taken: Held) {
        let mut held = self.0.lock();
        held.is_urgent |= taken.is_urgent;
        for (key, access) in taken.events {
            let known = held
                .events
                .entry(key)
                .or_insert(Access { count: 0, ..access });
            known.count += access.count;
            known.confidence = known.confidence.max(access.confidence);
            known.at = known.at.max(access.at);
        }
        for (id, at) in taken.memories {
            held.memories.entry(id).or_insert(at);
        }
    }
}

/// What was taken out of the buffer; back it goes unless the write succeeds.
pub(crate) struct Flushing<'a> {
    inner: &'a Inner,
    taken: Option<Held>,
}

impl<'a> Flushing<'a> {
    /// Takes out all that waits.
    pub(crate) fn all(inner: &'a Inner) -> Self {
        Self::when(inner, |held| !held.is_empty())
    }

    /// Takes out what an append writes along: all of it when something is urgent
    /// or a batch is full, else nothing.
    pub(crate) fn due(inner: &'a Inner) -> Self {
        Self::when(inner, |held| held.is_urgent || held.events.len() >= BATCH)
    }

    fn when(inner: &'a Inner, is_due: impl FnOnce(&Held) -> bool) -> Self {
        let mut held = inner.accesses.0.lock();
        let taken = is_due(&held).then(|| std::mem::take(&mut *held));
        drop(held);
        Flushing { inner, taken }
    }

    /// Puts it into the log as one event of the transaction.
    pub(crate) fn write(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        let Some(taken) = &self.taken else {
            return Ok(());
        };
        let mut accesses = Vec::new();
        for ((seq, session), access) in &taken.events {
            if let Some(event) = tx.event_at(*seq)? {
                // The session may have been erased since, by whatever process: its
                // name must not come back.
                let may_be_gone = access.erased != tx.state.erased_events;
                let session = match may_be_gone && tx.session_number(session)?.is_none() {
                    true => "",
                    false => session.as_str(),
                };
                accesses.push(json!({
                    "event_id": event.id.to_string(),
                    "home_session": event.session,
                    "session": session,
                    "count": access.count,
                    "confidence": access.confidence,
                    "at": access.at.millis(),
                }));
            }
        }
        let memories: Vec<_> = taken
            .memories
            .iter()
            .map(|(id, at)| json!({"memory_id": id, "at": at.millis()}))
            .collect();
        if accesses.is_empty() && memories.is_empty() {
            return Ok(());
        }
        let draft = SystemEvent::new(
            self.inner,
            EventKind::Accessed,
            format!("{} events recalled", accesses.len()),
            json!({"accesses": accesses, "memories": memories}),
        )
        .draft(self.inner);
        projection::append(tx, &[draft])?;
        Ok(())
    }

    /// The write succeeded: nothing goes back.
    pub(crate) fn done(mut self) {
        self.taken = None;
    }
}

impl Drop for Flushing<'_> {
    fn drop(&mut self) {
        if let Some(taken) = self.taken.take() {
            self.inner.accesses.put_back(taken);
        }
    }
}
