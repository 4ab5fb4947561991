//! The buffer of accesses: recalls take note of what they gave, and the next
//! write, `maintain` or `close` puts it into the log, never a commit of its own.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::json;

use super::ingest::SystemEvent;
use crate::memory::Inner;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::project;
use crate::store::WriteTx;

/// More distinct accesses than this are not held: the oldest positions go. A
/// process that only reads and never writes must not grow without end.
const MOST_HELD: usize = 10_000;

#[derive(Clone, Copy, Debug)]
struct Access {
    count: u64,
    confidence: f64,
    at: Timestamp,
}

#[derive(Debug, Default)]
struct Held {
    events: BTreeMap<(u64, String), Access>,
    memories: BTreeMap<String, Timestamp>,
}

/// Accesses that are not in the log yet.
#[derive(Debug, Default)]
pub(crate) struct Accesses(Mutex<Held>);

impl Accesses {
    /// Takes note that an event was given to a session. `session` is empty when
    /// it is not known; `confidence` is that of the recall, from 0 to 1.
    #[allow(dead_code, reason = "recall calls it for what it gives")]
    pub(crate) fn record(&self, seq: u64, session: &str, confidence: f64, at: Timestamp) {
        let mut held = self.0.lock();
        let confidence = if confidence.is_finite() {
            confidence.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let access = held
            .events
            .entry((seq, session.to_owned()))
            .or_insert(Access {
                count: 0,
                confidence,
                at,
            });
        access.count += 1;
        access.confidence = access.confidence.max(confidence);
        access.at = access.at.max(at);
        if held.events.len() > MOST_HELD {
            held.events.pop_first();
        }
    }

    /// Takes note that a consolidated memory was given to an agent.
    pub(crate) fn record_memory(&self, memory_id: &str, at: Timestamp) {
        self.0.lock().memories.insert(memory_id.to_owned(), at);
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        let held = self.0.lock();
        held.events.is_empty() && held.memories.is_empty()
    }

    fn put_back(&self, taken: Held) {
        let mut held = self.0.lock();
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
    pub(crate) fn new(inner: &'a Inner) -> Self {
        let taken = std::mem::take(&mut *inner.accesses.0.lock());
        let is_empty = taken.events.is_empty() && taken.memories.is_empty();
        Flushing {
            inner,
            taken: (!is_empty).then_some(taken),
        }
    }

    /// Puts it into the log as one event of the transaction.
    pub(crate) fn write(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        let Some(taken) = &self.taken else {
            return Ok(());
        };
        let mut accesses = Vec::new();
        for ((seq, session), access) in &taken.events {
            if let Some(event) = tx.event_at(*seq)? {
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
        project::append(tx, &[draft])?;
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
