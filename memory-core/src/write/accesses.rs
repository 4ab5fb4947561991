//! Writes buffered accesses to the log with the next write, `maintain` or `close`, never in
//! a commit of their own.

use crate::engine::Engine;
use crate::engine::accesses::{GivenEvent, Held};
use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::projection;
use crate::projection::levels::{Access, AccessPayload, MemoryAccess};
use crate::store::WriteTx;
use crate::write::prepare::SystemEvent;

/// Records in the access buffer that events were recalled, each with the confidence of the
/// recall. `erased` is how many events had been erased when the recall began: the name of a
/// session erased since must not come back.
pub(crate) fn note_accesses(
    engine: &Engine,
    given: impl Iterator<Item = (u64, f64)>,
    session: Option<&str>,
    erased: u64,
) {
    let now = engine.store.clock().now();
    let session = session.unwrap_or_default();
    for (seq, confidence) in given {
        let given = GivenEvent {
            seq,
            session,
            confidence,
        };
        engine.accesses.record_asked(given, now, erased);
    }
}

/// Accesses taken out of the buffer; they are put back unless the write succeeds.
pub(crate) struct Flushing<'a> {
    engine: &'a Engine,
    taken: Option<Held>,
}

impl<'a> Flushing<'a> {
    /// Takes everything out of the buffer.
    pub(crate) fn all(engine: &'a Engine) -> Self {
        let taken = engine.accesses.take_all();
        Flushing { engine, taken }
    }

    /// Takes out what an append should write along; nothing if nothing is due.
    pub(crate) fn due(engine: &'a Engine) -> Self {
        let taken = engine.accesses.take_due();
        Flushing { engine, taken }
    }

    /// Writes it to the log as one event of the transaction.
    pub(crate) fn write(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        let Some(taken) = &self.taken else {
            return Ok(());
        };
        let mut accesses = Vec::new();
        for ((seq, session), access) in &taken.events {
            if let Some(event) = tx.event_at(*seq)? {
                // The session may have been erased since, by any process: its name must not
                // come back.
                let may_be_gone = access.erased != tx.state.erased_events;
                let session = match may_be_gone && tx.session_number(session)?.is_none() {
                    true => "",
                    false => session.as_str(),
                };
                accesses.push(Access {
                    event_id: event.id.to_string(),
                    session: session.to_owned(),
                    home_session: event.session,
                    count: access.count,
                    confidence: access.confidence,
                    at: access.at,
                });
            }
        }
        let memories: Vec<_> = taken
            .memories
            .iter()
            .map(|(id, at)| MemoryAccess {
                memory_id: id.clone(),
                at: *at,
            })
            .collect();
        if accesses.is_empty() && memories.is_empty() {
            return Ok(());
        }
        let draft = SystemEvent::new(
            self.engine,
            EventKind::Accessed,
            format!("{} events recalled", accesses.len()),
            codec::to_value(&AccessPayload { accesses, memories }),
        )
        .draft(self.engine);
        projection::append(tx, &[draft])?;
        Ok(())
    }

    /// The write succeeded, so nothing is put back.
    pub(crate) fn done(mut self) {
        self.taken = None;
    }
}

impl Drop for Flushing<'_> {
    fn drop(&mut self) {
        if let Some(taken) = self.taken.take() {
            self.engine.accesses.put_back(taken);
        }
    }
}
