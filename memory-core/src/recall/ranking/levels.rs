//! Boosts events that rose in level through use, to decide between roughly equal hits.

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::EventId;
use crate::projection::levels;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::rank::sort;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{RowKind, Rows};

/// How many of the best candidates have their level looked up.
const LEVELLED_TOP: usize = 40;

/// The highest level.
const TOP_LEVEL: f32 = 4.0;

/// Boosts candidates by their level, one at L4 by the whole weight; false if one of them or
/// its level could not be read. Costs one lookup in a store where nothing has risen yet.
pub(in crate::recall) fn boost_used(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    weight: f32,
) -> Result<bool> {
    let rows = read.projected()?;
    if weight == 0.0 || rows.facts(RowKind::Level)?.rows == 0 {
        return Ok(true);
    }
    let (mut is_whole, mut has_changed) = (true, false);
    for candidate in candidates.iter_mut().take(LEVELLED_TOP) {
        let id = read.with_record(candidate.facts.seq, |view| {
            Ok(EventId::from_bytes(view.archive()?.id))
        });
        let id = match id {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                is_whole = false;
                continue;
            }
            id => id?,
        };
        let Some(id) = id else { continue };
        let level = match levels::level(&rows, &id.to_string()) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                is_whole = false;
                continue;
            }
            level => level? as u8,
        };
        candidate.rank += weight * f32::from(level) / TOP_LEVEL;
        has_changed |= level > 0;
    }
    if has_changed {
        sort(candidates);
    }
    Ok(is_whole)
}
