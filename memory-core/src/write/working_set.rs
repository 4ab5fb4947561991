//! Tags events of the endless mode with the working set they belong to.

use crate::model::error::Result;
use crate::projection::endless;
use crate::rules::endless::{MemoryMode, WORKING_SET_FIELD};
use crate::store::WriteTx;
use crate::store::log::append::Draft;

/// Writes the working set's id into the metadata of conversation events in the endless mode;
/// a value set by the host is kept.
pub(crate) fn mark(tx: &WriteTx<'_>, drafts: &mut [Draft]) -> Result<()> {
    let id = {
        let rows = tx.projected()?;
        match endless::mode(&rows)? {
            MemoryMode::Endless => endless::working_set_id(&rows)?,
            MemoryMode::Session => None,
        }
    };
    let Some(id) = id else { return Ok(()) };
    for draft in drafts {
        if draft.event.kind.is_conversation() {
            draft.event.note(WORKING_SET_FIELD, &id);
        }
    }
    Ok(())
}
