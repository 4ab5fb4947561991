//! Boosts events of sessions with several matches if the query is a conversational message, which is
//! about a whole discussion rather than one fact.

use std::collections::HashMap;

use crate::recall::ranking::candidate::RecallCandidate;

/// How many other events of a session support one.
const SUPPORTERS: usize = 2;

/// Raises candidates by the scores of the best other candidates of their session.
pub(in crate::recall) fn boost_sessions(candidates: &mut [RecallCandidate], weight: f32) {
    if weight == 0.0 {
        return;
    }
    let mut best: HashMap<u32, Vec<f32>> = HashMap::new();
    for candidate in candidates.iter() {
        best.entry(candidate.facts.session)
            .or_default()
            .push(candidate.own);
    }
    for scores in best.values_mut() {
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.truncate(SUPPORTERS + 1);
    }
    for candidate in candidates {
        let scores = &best[&candidate.facts.session];
        let least = scores.last().copied().unwrap_or_default();
        // Its own score, if it is among them, or the least of them is no support.
        let own = candidate.own.max(least);
        candidate.rank += weight * (scores.iter().sum::<f32>() - own).max(0.0);
    }
}
