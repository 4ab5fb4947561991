//! Which sessions have messages that the rules have not read, in the order in which they were
//! said: what was decided last must be learned last, whatever the sessions are called.
//!
//! The log is walked once, and each session that it meets gets a row.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Engine;
use crate::model::error::{Result, unless_damaged};
use crate::projection::rows::{self, Cursor};
use crate::store::projected_rows::projected::{RowKind, Rows};

/// The row in [`RowKind::Cursor`] that says how far the log was walked.
const CURSOR: &[u8] = b"rules";

/// A session that may have messages to be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    /// When its first unread message was said, in milliseconds; earlier if it was read since.
    pub(super) first_ms: i64,
    pub(super) session: String,
    /// How far the walk had come when it last met a message of it.
    walked: u64,
}

impl Waiting {
    fn of_row(session: &[u8], row: &[u8]) -> Self {
        let part = |at: usize| {
            let bytes = row.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_be_bytes)
        };
        Waiting {
            first_ms: part(8).cast_signed(),
            session: String::from_utf8_lossy(session).into_owned(),
            walked: part(0),
        }
    }

    fn to_row(&self) -> [u8; 16] {
        let mut row = [0; 16];
        row[..8].copy_from_slice(&self.walked.to_be_bytes());
        row[8..].copy_from_slice(&self.first_ms.to_be_bytes());
        row
    }
}

/// The sessions that wait, by the time of their first unread message. They take turns: a session
/// that goes on after another one began waits again.
#[derive(Debug)]
pub(super) struct Queue(BTreeSet<Waiting>);

impl Queue {
    pub(super) fn read(engine: &Engine) -> Result<Self> {
        let rows = engine.store.read()?.projected()?;
        let mut sessions = BTreeSet::new();
        rows.scan(RowKind::Unread, &[], None, &mut |session, row| {
            sessions.insert(Waiting::of_row(session, row));
            Ok(true)
        })?;
        Ok(Queue(sessions))
    }

    pub(super) fn next(&mut self) -> Option<Waiting> {
        self.0.pop_first()
    }

    /// When the first message of those that still wait was said.
    pub(super) fn others_begin_ms(&self) -> Option<i64> {
        self.0.first().map(|waiting| waiting.first_ms)
    }

    /// Lets a session wait again, whose next message was said at this time.
    pub(super) fn again(&mut self, session: Waiting, next_ms: i64) {
        self.0.insert(Waiting {
            first_ms: next_ms,
            ..session
        });
    }
}

/// Continues the walk of the log by at most so many records, and notes sessions with messages. True
/// if it stopped before the end.
pub(super) fn walk(engine: &Engine, most: u64) -> Result<bool> {
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    let at = cursor(&read.projected()?)?.min(last);
    let to = last.min(at.saturating_add(most));
    if to == at {
        return Ok(false);
    }
    let mut sessions: BTreeMap<String, i64> = BTreeMap::new();
    for seq in at + 1..=to {
        let said = readable(
            || match read.with_record(seq, |record| Ok(record.kind()))? {
                Some(kind) if kind.is_turn() => read.event_at(seq),
                _ => Ok(None),
            },
        )?;
        if let Some(event) = said {
            let ms = event.timestamp.millis();
            let first = sessions.entry(event.session).or_insert(ms);
            *first = ms.min(*first);
        }
    }
    drop(read);
    engine.store.write(|tx| {
        // The name of a session that was erased meanwhile must not come back.
        let mut live = Vec::with_capacity(sessions.len());
        for (session, first_ms) in &sessions {
            if tx.session_number(session)?.is_some() {
                live.push((session, *first_ms));
            }
        }
        let mut rows = tx.projected()?;
        for (session, first_ms) in live {
            let noted = rows.get(RowKind::Unread, session.as_bytes())?;
            let noted = noted.map(|row| Waiting::of_row(session.as_bytes(), &row).first_ms);
            let waiting = Waiting {
                first_ms: noted.map_or(first_ms, |noted| noted.min(first_ms)),
                session: session.clone(),
                walked: to,
            };
            rows.put(RowKind::Unread, session.as_bytes(), &waiting.to_row())?;
        }
        // Another process may have walked further.
        let now = cursor(&rows)?;
        rows::put(&mut rows, CURSOR, &Cursor::at(now.max(to)))?;
        rows.finish(i64::MIN)
    })?;
    Ok(to < last)
}

/// Notes that a session has nothing to be read, unless a message arrived since it was looked at.
pub(super) fn forget(engine: &Engine, waiting: &Waiting) -> Result<()> {
    let session = waiting.session.as_bytes();
    engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        let row = rows.get(RowKind::Unread, session)?;
        if row.is_none_or(|row| Waiting::of_row(session, &row).walked != waiting.walked) {
            return Ok(());
        }
        rows.remove(RowKind::Unread, session)?;
        rows.finish(i64::MIN)
    })
}

fn cursor(rows: &dyn Rows) -> Result<u64> {
    let cursor: Option<Cursor> = rows::get(rows, CURSOR)?;
    Ok(cursor.map_or(0, |cursor| cursor.0.unsigned_abs()))
}

/// What is read of a record; `None` for a damaged one, from which nothing can be learned.
pub(super) fn readable<T>(read: impl FnOnce() -> Result<Option<T>>) -> Result<Option<T>> {
    unless_damaged(read())
}
