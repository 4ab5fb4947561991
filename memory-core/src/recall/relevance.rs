//! How likely each hit answers the question, from features of the hit and the
//! question.

use crate::index::lexical::search::LexicalHits;
use crate::recall::candidate::RecallCandidate;
use crate::recall::cues::Cues;
use crate::rules::relevance::{self, Features, RelevanceModel};

/// Hits whose relevance is worked out from the gap to the hit after them.
pub(super) const SPREAD_RANK: usize = 9;

/// The features of each of the first `limit` candidates for the question `text`.
pub(super) fn features_of(
    text: &str,
    hits: &LexicalHits<'_>,
    cues: &Cues,
    ranked: &[RecallCandidate],
    limit: usize,
) -> Vec<Features> {
    let Some(best) = ranked.first().map(|candidate| candidate.rank) else {
        return Vec::new();
    };
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    let scale = best.max(1e-9);
    let weights: Vec<f32> = hits.weights().collect();
    let count = weights.len().max(1) as f32;
    let total: f32 = weights.iter().sum();
    let rarest = crate::index::lexical::expansion::idf(hits.passages, 0).max(f32::MIN_POSITIVE);
    let tenth = ranked
        .get(SPREAD_RANK)
        .or(ranked.last())
        .map_or(best, |c| c.rank);
    // Among few candidates it says little how far they fall.
    let seen = ranked.len().min(SPREAD_RANK + 1) as f32 / (SPREAD_RANK + 1) as f32;
    let searched = hits.terms.iter().filter(|term| term.is_searched);
    let unknown = searched.filter(|term| term.df == 0).count();
    let chars = text.chars().take(relevance::MOST_CHARS).count().max(1);
    let question = Features {
        log_chars: (chars as f32).ln(),
        lacking: relevance::lacking(unknown, weights.len(), hits.passages),
        log_idf: (total / count / rarest).max(1e-6).ln(),
        log_words: count.ln(),
        named: flag(cues.named.is_some()),
        spread: (best - tenth) / scale * seen,
        ..Features::default()
    };
    let hit = |(index, candidate): (usize, &RecallCandidate)| {
        let next = ranked.get(index + 1).map_or(0.0, |next| next.rank);
        Features {
            exact: candidate.exact,
            soft: candidate.soft,
            context: candidate.context.min(1.0),
            gap: ((candidate.rank - next) / scale).max(0.0),
            drop: (best - candidate.rank) / scale,
            date: candidate.date,
            temporal: flag(candidate.temporal),
            first: flag(index == 0),
            ..question
        }
    };
    ranked.iter().take(limit).enumerate().map(hit).collect()
}

/// How likely each candidate with these features answers the question.
pub(super) fn relevance_of(
    model: &RelevanceModel,
    features: &[Features],
    ranked: &[RecallCandidate],
) -> Vec<f32> {
    features
        .iter()
        .zip(ranked)
        .map(|(features, candidate)| candidate.status_factor * model.relevance(features))
        .collect()
}
