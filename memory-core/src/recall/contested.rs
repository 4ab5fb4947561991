//! How what was learned from events stands: an event whose only lesson is
//! contested counts less in recall.

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::EventId;
use crate::projection::entries;
use crate::store::ReadTx;
use crate::store::projected::{RowKind, Rows as _};

/// Whether what was learned from each event is contested, in the order given.
/// `None` when nothing ever was, which costs one look.
pub(crate) fn contested(
    read: &ReadTx,
    seqs: impl Iterator<Item = u64>,
) -> Result<Option<Vec<bool>>> {
    let rows = read.projected()?;
    if rows.facts(RowKind::Conflict)?.rows == 0 {
        return Ok(None);
    }
    seqs.map(|seq| {
        match read.with_record(seq, |view| Ok(EventId::from_bytes(view.archive()?.id))) {
            Ok(Some(id)) => Ok(entries::search_weight(&rows, &id.to_string())? < 1.0),
            Ok(None) => Ok(false),
            // The hit itself is left out when it is read.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(false),
            Err(error) => Err(error),
        }
    })
    .collect::<Result<_>>()
    .map(Some)
}
