//! Following a store: waiting for an append by another process or thread, and upgrading a
//! store to this library's format.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::ids::Seq;
use crate::store::FORMAT;

/// The shortest and longest pause between two checks of the store.
const MIN_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(25);

/// What [`Upkeep::upgrade`](crate::Upkeep::upgrade) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upgraded {
    /// The format that the store had.
    pub from_format: u32,
    /// The format that the store has now.
    pub to_format: u32,
    /// Whether anything changed.
    pub changed: bool,
}

/// [`Memory::wait_for_change`](crate::Memory::wait_for_change).
pub(crate) fn wait_for_change(engine: &Engine, after: Seq, timeout: Duration) -> Result<Seq> {
    let begun = Instant::now();
    let mut pause = MIN_PAUSE;
    loop {
        engine.enter()?;
        let last = Seq(engine.store.read()?.state()?.last_seq);
        let left = timeout.saturating_sub(begun.elapsed());
        if last > after || left.is_zero() {
            return Ok(last);
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// [`Upkeep::upgrade`](crate::Upkeep::upgrade).
pub(crate) fn upgrade(engine: &Engine) -> Result<Upgraded> {
    let format = engine.store.read()?.meta().format;
    let changed = format < FORMAT && engine.store.write(|tx| tx.upgrade())?;
    Ok(Upgraded {
        from_format: format,
        to_format: FORMAT.max(format),
        changed,
    })
}
