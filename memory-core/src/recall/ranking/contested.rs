//! Finds events whose only lesson is contested, which count less in recall.

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::EventId;
use crate::model::learned::LearnedState;
use crate::projection::edges::{self, Way};
use crate::projection::entries;
use crate::recall::asked::present::Present;
use crate::recall::learned::entries::state_now;
use crate::rules::entries::EntryId;
use crate::rules::graph::Relation;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{RowKind, Rows};

/// For each event, whether what was learned from it is contested. `None` if nothing in the
/// store ever was, which takes one lookup.
pub(crate) fn contested(
    read: &ReadTx,
    seqs: impl Iterator<Item = u64>,
    present: &Present,
) -> Result<Option<Vec<bool>>> {
    let rows = read.projected()?;
    if rows.facts(RowKind::Conflict)?.rows == 0 {
        return Ok(None);
    }
    let is_contested = |seq| -> Result<bool> {
        let id = read.with_record(seq, |view| Ok(EventId::from_bytes(view.archive()?.id)))?;
        Ok(match id {
            Some(id) => state_of(read, &rows, &id, present)? == Some(LearnedState::Contested),
            None => false,
        })
    };
    seqs.map(|seq| match is_contested(seq) {
        // A damaged hit is dropped when it is read; what was learned from it may be damaged, too.
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(false),
        is_contested => is_contested,
    })
    .collect::<Result<_>>()
    .map(Some)
}

/// How many entries of one event are examined.
const MOST_ENTRIES: usize = 100;

/// The state of what was learned from an event if none of it is in force: superseded or
/// contested. `None` if nothing was learned from it or something is in force.
pub(crate) fn state_of(
    read: &ReadTx,
    rows: &dyn Rows,
    id: &EventId,
    present: &Present,
) -> Result<Option<LearnedState>> {
    let learned = edges::at_node(
        rows,
        Way::Out,
        &id.to_string(),
        Some(Relation::SourceOf),
        None,
        MOST_ENTRIES,
    )?;
    let mut state = None;
    for edge in learned {
        let id = EntryId::new(edge.ends.destination_id);
        let Some(row) = entries::entry(rows, &id)? else {
            continue;
        };
        match state_now(read, rows, &row.entry, present)? {
            Some((LearnedState::Superseded, _)) => {
                state = state.or(Some(LearnedState::Superseded));
            }
            Some((LearnedState::Contested, _)) => state = Some(LearnedState::Contested),
            Some(_) => return Ok(None),
            None => {}
        }
    }
    Ok(state)
}
