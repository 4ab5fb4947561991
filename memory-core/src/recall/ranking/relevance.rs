//! Estimates how likely each hit answers the question, from features of both.

use std::collections::HashSet;

use crate::index::lexical::expansion::{QueryTerm, idf};
use crate::index::lexical::forward::NO_TURN;
use crate::index::lexical::search::LexicalHits;
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::rules::relevance::{self, Features, RelevanceModel};

/// How many hits have a gap to the next one that counts for their relevance.
pub(in crate::recall) const SPREAD_RANK: usize = 9;
/// Ranks that differ by less than this share of the best count as equal: copies of one
/// statement do not make it doubtful.
const ALIKE: f32 = 0.02;
const SMALL_STORE: u64 = 50;
/// A word of this many pieces is unknown to the table of word vectors: it is a name or
/// invented, and a word with similar pieces is a different one. Source: where a development
/// set's store lacks such a word of an answerable question, the first hit is right in one of
/// five cases; with a word of three pieces, in 9 of 32.
const INVENTED_PIECES: usize = 4;

/// An event that holds less than this share of the weight of the question's subject lacks it. At .3,
/// two of 100 right answers about Chinese documents were no longer sure.
const SUBJECT_SHARE: f32 = 0.2;
/// The highest relevance of an event that lacks the question's subject. It is not fitted: the class
/// is to be suggested.
pub(in crate::recall) const STRANGER: f32 = 0.5;

/// What is known about a question besides its results.
pub(in crate::recall) struct Question<'a> {
    pub(in crate::recall) text: &'a str,
    /// The share of its identifiers that no event contains.
    pub(in crate::recall) unknown_identifiers: f32,
}

/// The features of each of the first `limit` candidates for a question.
pub(in crate::recall) fn features_of(
    asked: &Question<'_>,
    hits: &LexicalHits<'_>,
    ranked: &[RecallCandidate],
    limit: usize,
) -> Vec<Features> {
    let Some(best) = ranked.first().map(|candidate| candidate.rank) else {
        return Vec::new();
    };
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    let scale = best.max(1e-9);
    let tenth = ranked
        .get(SPREAD_RANK)
        .or(ranked.last())
        .map_or(best, |c| c.rank);
    // Among few candidates the drop in score says little, and their content more.
    let seen = ranked.len().min(SPREAD_RANK + 1) as f32 / (SPREAD_RANK + 1) as f32;
    let few = 1.0 - seen;
    let is_asked = |term: &&QueryTerm| term.is_searched || term.is_cut;
    let terms: Vec<&QueryTerm> = hits.terms.iter().filter(is_asked).collect();
    let unknown = terms.iter().copied().filter(|term| !term.is_known);
    let unknown: Vec<&QueryTerm> = unknown.collect();
    let is_invented = |term: &&QueryTerm| term.pieces.len() >= INVENTED_PIECES;
    let invented = match unknown.iter().any(is_invented) {
        true => relevance::largeness(hits.allowed_passages),
        false => 0.0,
    };
    let chars = asked.text.chars().take(relevance::MAX_CHARS).count().max(1);
    let question = Features {
        log_chars: (chars as f32).ln(),
        lacking: relevance::lacking(unknown.len(), terms.len(), hits.allowed_passages),
        unknown_identifiers: asked.unknown_identifiers.max(invented),
        spread: (best - tenth) / scale * seen,
        few,
        ..Features::default()
    };
    let small_store = weights_in_small_store(hits);
    let hit = |(index, candidate): (usize, &RecallCandidate)| {
        let next = ranked[index + 1..]
            .iter()
            .find(|next| candidate.rank - next.rank > ALIKE * scale);
        let gap = (candidate.rank - next.map_or(0.0, |next| next.rank)).max(0.0) / scale;
        Features {
            context: candidate.context.min(1.0),
            lead: gap * seen,
            drop: (best - candidate.rank) / scale,
            date: candidate.date,
            temporal: flag(candidate.temporal),
            few_exact: few * literal_share(hits, &small_store, candidate),
            ..question
        }
    };
    ranked.iter().take(limit).enumerate().map(hit).collect()
}

/// Notes of each of the first `limit` candidates whether it lacks what the question is about: an
/// event that shares with it only the words for what it asks for, or parts of longer words, is a
/// suggestion at most. What the turns around it hold counts as its own.
pub(in crate::recall) fn note_strangers(
    subject: &str,
    hits: &LexicalHits<'_>,
    candidates: &mut [RecallCandidate],
    limit: usize,
) -> Result<()> {
    let stems: HashSet<Vec<u8>> = with_analyser(|analyser| {
        analyser.analyse("", subject);
        analyser.terms().map(|term| term.stem.to_vec()).collect()
    });
    let terms: Vec<&QueryTerm> = hits.terms.iter().filter(|term| term.is_searched).collect();
    let mut weights = weights_in_small_store(hits);
    for (weight, term) in weights.iter_mut().zip(&terms) {
        if !stems.contains(&term.stem) {
            *weight = 0.0;
        }
    }
    let total: f32 = weights.iter().sum();
    if total <= 0.0 {
        return Ok(());
    }
    // The pairs of letters beside each pair, and whether one of them makes it part of a longer word.
    let frame: Vec<&QueryTerm> = hits.terms.iter().filter(|term| !term.is_searched).collect();
    let ends_word = |at: usize| {
        let is_frame = |other: &&QueryTerm| is_beside(terms[at], other);
        weights[at] == 0.0 || frame.iter().any(is_frame)
    };
    let beside = |at: usize| -> Vec<usize> {
        let others = (0..terms.len()).filter(|other| is_beside(terms[at], terms[*other]));
        others.collect()
    };
    let beside: Vec<Vec<usize>> = (0..terms.len()).map(beside).collect();
    let goes_on = |at: &usize| !terms[*at].is_known && !ends_word(*at);
    let is_in_longer: Vec<bool> = beside.iter().map(|of| of.iter().any(goes_on)).collect();
    for candidate in candidates.iter_mut().take(limit) {
        let mut held = vec![false; weights.len()];
        let mut add = |handle| {
            for (held, (_, is_exact)) in held.iter_mut().zip(hits.matches(handle)) {
                *held |= is_exact;
            }
        };
        add(candidate.handle);
        if candidate.facts.turn != NO_TURN {
            for steps in [-2, -1, 1, 2] {
                if let Some(turn) = hits.turn(candidate.handle, steps)? {
                    add(turn);
                }
            }
        }
        // One pair of letters of a longer word is not that word.
        let is_part = |at: usize| is_in_longer[at] && !beside[at].iter().any(|at| held[*at]);
        let counted = (0..held.len()).filter(|at| held[*at] && !is_part(*at));
        let share = counted.map(|at| weights[at]).sum::<f32>() / total;
        if share < SUBJECT_SHARE {
            candidate.most = STRANGER;
        }
    }
    Ok(())
}

/// Whether two words are neighbouring pairs of letters of a script without spaces.
fn is_beside(one: &QueryTerm, other: &QueryTerm) -> bool {
    let mut places = one.positions.iter();
    one.is_pair
        && other.is_pair
        && places.any(|place| {
            let mut others = other.positions.iter();
            others.any(|other| place.abs_diff(*other) == 1)
        })
}

/// The weights of the searched words as if the store held at least [`SMALL_STORE`] passages:
/// a word found in all three of three passages still says something.
fn weights_in_small_store(hits: &LexicalHits<'_>) -> Vec<f32> {
    let passages = hits.passages.max(SMALL_STORE);
    let searched = hits.terms.iter().filter(|term| term.is_searched);
    searched
        .map(|term| term.weight / term.idf.max(f32::MIN_POSITIVE) * idf(passages, term.df))
        .collect()
}

/// The share of the question's weight whose words an event contains literally.
fn literal_share(hits: &LexicalHits<'_>, weights: &[f32], candidate: &RecallCandidate) -> f32 {
    let matches = hits.matches(candidate.handle).zip(weights);
    let held = matches.filter(|((_, is_exact), _)| *is_exact);
    let held: f32 = held.map(|(_, weight)| weight).sum();
    held / weights.iter().sum::<f32>().max(f32::MIN_POSITIVE)
}

/// The probability that each candidate answers the question; never higher than that of a
/// candidate ranked before it. What says what became of another answers as likely as that one.
pub(in crate::recall) fn relevance_of(
    model: &RelevanceModel,
    features: &[Features],
    ranked: &[RecallCandidate],
) -> Vec<f32> {
    let own = |(features, candidate): (&Features, &RecallCandidate)| {
        (candidate.status_factor * model.relevance(features)).min(candidate.most)
    };
    let own: Vec<f32> = features.iter().zip(ranked).map(own).collect();
    let replaced = |candidate: &RecallCandidate| {
        let is_old = |other: &RecallCandidate| Some(other.facts.seq) == candidate.replaces;
        let at = candidate
            .replaces
            .and_then(|_| ranked.iter().position(is_old));
        at.and_then(|at| own.get(at)).copied()
    };
    let mut least = 1.0f32;
    own.iter()
        .zip(ranked)
        .map(|(own, candidate)| {
            least = least.min(own.max(replaced(candidate).unwrap_or(0.0)));
            least
        })
        .collect()
}
