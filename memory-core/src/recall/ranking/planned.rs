//! Boosts events whose text mentions a day of the question, in any form: a plan for a day is
//! usually made on another.

use crate::model::error::Result;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::cues::TimeCues;
use crate::recall::ranking::rank::sort;
use crate::rules::times::named_dates;
use crate::store::ReadTx;

/// How many of the best candidates are searched for days.
const PLANNED_TOP: usize = 40;

/// What a mentioned day counts at least, if nothing happened near it: as much as an event in
/// the weeks after it.
const MIN_WEIGHT: f32 = 0.5;

/// Raises candidates whose text mentions a day of the question by as much as those that
/// happened on it, so that time alone decides for neither; false if one of them could not be
/// read.
pub(in crate::recall) fn boost_planned(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    cues: &TimeCues,
    weight: f32,
) -> Result<bool> {
    let most = candidates
        .iter()
        .map(|found| found.date)
        .fold(MIN_WEIGHT, f32::max);
    if weight == 0.0 || cues.days().next().is_none() {
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
