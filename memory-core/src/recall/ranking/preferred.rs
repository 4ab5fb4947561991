//! Boosts prompts that state a preference if the query asks for advice, which should follow it.

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::cues::Cues;
use crate::recall::ranking::rank::sort;
use crate::rules::advice::states_preference;
use crate::store::ReadTx;

/// How many of the best candidates are searched for preferences.
const PREFERRED_TOP: usize = 40;

/// Raises prompts whose passage states a preference by a share of their own score; false if one of
/// them could not be read.
pub(in crate::recall) fn boost_preferred(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    cues: &Cues,
    weight: f32,
) -> Result<bool> {
    // Much of a message's own wording is a request for help with what was discussed before.
    if weight == 0.0 || !cues.asks_advice || cues.is_message {
        return Ok(true);
    }
    let (mut is_whole, mut has_changed) = (true, false);
    let prompt = EventKind::UserPrompt.number();
    let first = candidates.iter_mut().take(PREFERRED_TOP);
    for candidate in first.filter(|one| one.facts.kind == prompt && one.length > 0) {
        let states = candidate.with_text(read, states_preference)?;
        is_whole &= states.is_some();
        if states.unwrap_or_default() {
            candidate.rank += weight * candidate.own;
            has_changed = true;
        }
    }
    if has_changed {
        sort(candidates);
    }
    Ok(is_whole)
}
