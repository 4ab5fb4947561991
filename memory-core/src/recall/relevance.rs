//! The logistic models of relevance: one for recall by words, one for recall with
//! the vectors of an embedder, whose scores lie differently.

use crate::index::lexical::search::LexicalHits;
use crate::recall::candidate::RecallCandidate;
use crate::recall::cues::Cues;

/// Hits whose relevance is worked out from the gap to the hit after them.
pub(super) const SPREAD_RANK: usize = 9;

/// The weights of the features that say how likely a hit is right.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelevanceModel {
    pub(super) exact: f32,
    pub(super) context: f32,
    pub(super) gap: f32,
    pub(super) drop: f32,
    pub(super) date: f32,
    pub(super) temporal: f32,
    pub(super) first: f32,
    pub(super) log_idf: f32,
    pub(super) log_words: f32,
    pub(super) named: f32,
    pub(super) spread: f32,
    pub(super) constant: f32,
}

/// Source: fitted on the development sets, each conversation held out once; see
/// `docs/recall.md`.
pub(super) const BY_WORDS: RelevanceModel = RelevanceModel {
    exact: 0.065,
    context: 2.128,
    gap: 5.264,
    drop: -4.516,
    date: 1.151,
    temporal: 1.217,
    first: 0.567,
    log_idf: 1.217,
    log_words: 0.877,
    named: 0.625,
    spread: 0.25,
    constant: -4.111,
};

/// Source: fitted in the same way with all-MiniLM-L6-v2.
pub(super) const WITH_VECTORS: RelevanceModel = RelevanceModel {
    exact: 0.115,
    context: 1.192,
    gap: 6.366,
    drop: -5.049,
    date: 0.363,
    temporal: 1.368,
    first: 0.676,
    log_idf: 0.0,
    log_words: 0.595,
    named: 0.184,
    spread: 0.0,
    constant: -3.727,
};

/// From this relevance of the first hit on the result is "high".
pub(super) const HIGH: f32 = 0.75;
/// Below this relevance of the first hit the result is "none".
pub(super) const NONE: f32 = 0.1;

/// How likely each of the first `limit` candidates answers the question.
pub(super) fn relevance_of(
    model: &RelevanceModel,
    hits: &LexicalHits<'_>,
    cues: &Cues,
    ranked: &[RecallCandidate],
    limit: usize,
) -> Vec<f32> {
    let Some(best) = ranked.first().map(|candidate| candidate.rank) else {
        return Vec::new();
    };
    let scale = best.max(1e-9);
    let weights: Vec<f32> = hits.weights().collect();
    let count = weights.len().max(1) as f32;
    let total: f32 = weights.iter().sum();
    let rarest = crate::index::lexical::expansion::idf(hits.passages, 0).max(f32::MIN_POSITIVE);
    let log_idf = (total / count / rarest).max(1e-6).ln();
    let tenth = ranked
        .get(SPREAD_RANK)
        .or(ranked.last())
        .map_or(best, |c| c.rank);
    ranked
        .iter()
        .take(limit)
        .enumerate()
        .map(|(index, candidate)| {
            let next = ranked.get(index + 1).map_or(0.0, |next| next.rank);
            let flag = |is: bool| if is { 1.0 } else { 0.0 };
            let sum = model.constant
                + model.exact * candidate.exact
                + model.context * candidate.context.min(1.0)
                + model.gap * ((candidate.rank - next) / scale).max(0.0)
                + model.drop * ((best - candidate.rank) / scale)
                + model.date * candidate.date
                + model.temporal * flag(candidate.temporal)
                + model.first * flag(index == 0)
                + model.log_idf * log_idf
                + model.log_words * count.ln()
                + model.named * flag(cues.named.is_some())
                + model.spread * ((best - tenth) / scale);
            candidate.status_factor / (1.0 + (-sum).exp())
        })
        .collect()
}
