//! How what was learned from events stands: an event whose only lesson is
//! contested counts less in recall.

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::EventId;
use crate::project::entries;
use crate::store::ReadTx;
use crate::store::projected::{Rows as _, Shelf};

/// The factor on the score of each event, in the order given. `None` when
/// nothing was ever contested, which costs one look.
pub(crate) fn standing_of(
    read: &ReadTx,
    seqs: impl Iterator<Item = u64>,
) -> Result<Option<Vec<f32>>> {
    let rows = read.projected()?;
    if rows.facts(Shelf::Conflict)?.rows == 0 {
        return Ok(None);
    }
    seqs.map(|seq| {
        match read.with_record(seq, |view| Ok(EventId::from_bytes(view.archive()?.id))) {
            Ok(Some(id)) => Ok(entries::search_weight(&rows, &id.to_string())? as f32),
            Ok(None) => Ok(1.0),
            // The hit itself is left out when it is read.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(1.0),
            Err(error) => Err(error),
        }
    })
    .collect::<Result<_>>()
    .map(Some)
}
