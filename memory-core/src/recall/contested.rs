//! How what was learned from events stands: an event whose only lesson is
//! contested counts less in recall.

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::EventId;
use crate::model::learned::LearnedState;
use crate::projection::edges::{self, Way};
use crate::projection::entries;
use crate::rules::entries::{EntryId, EntryStatus};
use crate::rules::graph::Relation;
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

/// So many entries of one event are looked at.
const MOST_ENTRIES: usize = 100;

/// How what was learned from an event stands when nothing of it holds for sure:
/// superseded, or contested. `None` when nothing was learned from it, or when
/// something that was holds.
pub(crate) fn state_of(read: &ReadTx, id: &EventId) -> Result<Option<LearnedState>> {
    let rows = read.projected()?;
    if rows.facts(RowKind::Entry)?.rows == 0 {
        return Ok(None);
    }
    let learned = edges::at_node(
        &rows,
        Way::Out,
        &id.to_string(),
        Some(Relation::SourceOf),
        None,
        MOST_ENTRIES,
    )?;
    let mut state = None;
    for edge in learned {
        let entry = entries::entry(&rows, &EntryId::new(edge.ends.destination_id))?;
        match entry.map(|row| row.entry.status) {
            Some(EntryStatus::Active) => return Ok(None),
            Some(EntryStatus::Contested { .. }) => state = Some(LearnedState::Contested),
            Some(EntryStatus::Superseded { .. }) => {
                state = state.or(Some(LearnedState::Superseded));
            }
            Some(EntryStatus::Deprecated) | None => {}
        }
    }
    Ok(state)
}
