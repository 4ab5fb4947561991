//! Events of the endless mode say to which working set they belong.

use crate::model::error::Result;
use crate::projection::endless;
use crate::rules::endless::{MemoryMode, WORKING_SET_FIELD};
use crate::store::WriteTx;
use crate::store::append::Draft;

/// Writes the id of the working set into the metadata of what is said or done in the endless
/// mode; what a host wrote there itself stays.
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
