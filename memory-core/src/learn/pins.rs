//! Pins and unpins events.

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventRef;
use crate::projection;
use crate::projection::pins::{self, PinItem, PinPayload};
use crate::recall::shown::read;
use crate::write::prepare::SystemEvent;

/// The maximum number of events that can be pinned at the same time.
pub const MAX_PINNED: u64 = 1_000;

/// [`Levels::pin`](crate::Levels::pin) and [`Levels::unpin`](crate::Levels::unpin).
pub(crate) fn set(engine: &Engine, event: &EventRef, is_pinned: bool) -> Result<bool> {
    let event = read::required_event(engine, event)?;
    if !event.kind.is_conversation() {
        return Err(Error::invalid(
            "event",
            format_args!(
                "is a {} event; only conversation events can be pinned",
                event.kind
            ),
        ));
    }
    let id = event.id.to_string();
    let (word, payload) = (
        if is_pinned { "pinned" } else { "unpinned" },
        codec::to_value(&PinPayload {
            pins: vec![PinItem {
                event_id: id.clone(),
                pinned: is_pinned,
            }],
        }),
    );
    let draft = SystemEvent::new(engine, EventKind::PinChanged, word, payload).draft(engine);
    engine.store.write(|tx| {
        {
            let rows = tx.projected()?;
            if pins::is_pinned(&rows, &id)? == is_pinned {
                return Ok(false);
            }
            if is_pinned && pins::count(&rows)? >= MAX_PINNED {
                return Err(Error::new(
                    ErrorCode::Full,
                    format!("{MAX_PINNED} events are already pinned; unpin one first"),
                )
                .with_argument("event"));
            }
        }
        projection::append(tx, &[draft])?;
        Ok(true)
    })
}
