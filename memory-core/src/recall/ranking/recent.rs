//! Boosts recent events if the query is a conversational message: most messages continue what was
//! discussed lately.

use crate::recall::ranking::candidate::RecallCandidate;

/// An event that is this much older than the newest candidate gets half of the bonus.
const HALF_MS: f32 = 14.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// Raises candidates by how recent they are, the newest by the whole weight.
pub(in crate::recall) fn boost_recent(candidates: &mut [RecallCandidate], weight: f32) {
    let times = candidates.iter().map(|candidate| candidate.facts.timestamp);
    let Some(newest) = times.max().filter(|_| weight > 0.0) else {
        return;
    };
    for candidate in candidates {
        let age = newest.saturating_sub(candidate.facts.timestamp) as f32;
        candidate.rank += weight * HALF_MS / (HALF_MS + age);
    }
}
