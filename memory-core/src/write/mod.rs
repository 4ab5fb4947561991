//! The write path: input is checked, filtered and analysed, then stored in one transaction
//! together with everything derived from it.

pub(crate) mod accesses;
pub(crate) mod append;
pub(crate) mod import;
pub(crate) mod injections;
pub(crate) mod pauses;
pub(crate) mod prepare;
pub(crate) mod session;
pub(crate) mod skip;
pub mod transcript;
mod working_set;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::write::accesses::Flushing;

/// Writes what recall has buffered: injections and accesses.
pub(crate) fn flush_recorded(engine: &Engine) -> Result<()> {
    injections::flush_injections(engine)?;
    if engine.accesses.is_empty() {
        return Ok(());
    }
    let flushing = Flushing::all(engine);
    engine.store.write(|tx| flushing.write(tx))?;
    flushing.done();
    Ok(())
}
