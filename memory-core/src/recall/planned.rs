//! Days that a question names and a text speaks of, in whatever form: what was planned for
//! a day was said on another.

use crate::model::error::Result;
use crate::recall::candidate::RecallCandidate;
use crate::recall::cues::TimeCues;
use crate::recall::rank::sort;
use crate::rules::times::named_dates;
use crate::store::ReadTx;

/// Only among so many of the best ones days are looked for.
const PLANNED_TOP: usize = 40;

/// Lifts the candidates whose text names a day of the question to what those gain that
/// happened on it, so that neither comes first for its time alone; false when one of them
/// cannot be read.
pub(super) fn lift_planned(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    cues: &TimeCues,
    weight: f32,
) -> Result<bool> {
    let most = candidates
        .iter()
        .map(|found| found.date)
        .fold(0.0, f32::max);
    if weight * most == 0.0 || cues.days().next().is_none() {
        return Ok(true);
    }
    let (mut is_whole, mut has_changed) = (true, false);
    let found = candidates.iter_mut().take(PLANNED_TOP);
    for candidate in found.filter(|found| found.length > 0 && found.date < most) {
        let text = candidate.lower_text(read)?;
        is_whole &= text.is_some();
        let said = named_dates(&text.unwrap_or_default());
        let is_said = |asked| said.iter().any(|said| said.is_same_day(asked));
        if cues.days().any(is_said) {
            candidate.rank += weight * (most - candidate.date);
            has_changed = true;
        }
    }
    if has_changed {
        sort(candidates);
    }
    Ok(is_whole)
}
