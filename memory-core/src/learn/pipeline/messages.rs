//! The messages of a session, as an extraction numbers them.

use std::ops::Range;

use crate::engine::Engine;
use crate::learn::unread::readable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::lists::page;
use crate::store::ReadTx;
use crate::write::prepare::read_session;

/// A message of a session, with the number by which quotes refer to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// The number of the message, counted from 0 over the session's prompts and responses.
    pub index: usize,
    /// The prompt or response; `None` if it was forgotten.
    pub event: Option<Event>,
}

/// [`Knowledge::session_messages`](crate::Knowledge::session_messages).
pub(crate) fn session_messages(
    engine: &Engine,
    session: &str,
    offset: Option<usize>,
    limit: Option<usize>,
) -> Result<Vec<SessionMessage>> {
    let session = read_session(engine, session)?;
    let read = engine.store.read()?;
    messages_in(&read, &session, page(offset, limit), &|seq| {
        read.event_at(seq)
    })
}

pub(super) fn no_session() -> Error {
    Error::new(ErrorCode::NotFound, "no session with this name").with_argument("session")
}

/// The messages of a session from which something may be learned: a damaged one counts as gone.
pub(crate) fn messages(read: &ReadTx, session: &str) -> Result<Vec<SessionMessage>> {
    messages_in(read, session, 0..usize::MAX, &|seq| {
        readable(|| read.event_at(seq))
    })
}

/// The messages of a session with these numbers.
fn messages_in(
    read: &ReadTx,
    session: &str,
    span: Range<usize>,
    event_at: &dyn Fn(u64) -> Result<Option<Event>>,
) -> Result<Vec<SessionMessage>> {
    let Some((number, row)) = read.session(session)? else {
        return Err(no_session());
    };
    let turn = |index| u32::try_from(index).unwrap_or(u32::MAX).min(row.next_turn);
    (turn(span.start)..turn(span.end))
        .map(|turn| {
            let event = match read.turn(number, turn)? {
                Some(seq) => event_at(seq)?,
                None => None,
            };
            Ok(SessionMessage {
                index: turn as usize,
                event,
            })
        })
        .collect()
}
