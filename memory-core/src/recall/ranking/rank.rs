//! Ranks the events that were found by their own scores, the turns around them and the cues
//! of the question.

use std::collections::HashMap;

use crate::index::lexical::forward::{EventFacts, HAS_TEMPORAL, IS_QUESTION, NO_TURN};
use crate::index::lexical::leaf::EventHandle;
use crate::index::lexical::search::LexicalHits;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::model::weights::RecallWeights;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::cues::Cues;
use crate::recall::ranking::recent::boost_recent;
use crate::recall::ranking::sessions::boost_sessions;
use crate::rules::relevance::RelevanceModel;

/// Turns with more words than this need less context.
const LONG_TURN_WORDS: f32 = 25.0;
/// A longer turn that ends in a question also says something: the penalty shrinks in inverse
/// proportion to its words. Stop words do not count; the month, year and speaker that a
/// passage carries do.
const QUESTION_WORDS: f32 = 8.0;

/// How many turns before and after a turn form its context.
const NEIGHBOURS: u32 = 2;

/// The hits' similarity to the whole question, in hit order.
pub(in crate::recall) struct Similarity {
    pub(in crate::recall) values: Vec<f32>,
    /// The bonus for the most similar one.
    pub(in crate::recall) weight: f32,
    /// The relevance model fitted to scores of this kind.
    pub(in crate::recall) model: &'static RelevanceModel,
}

/// The events that were found, plus neighbouring turns that `admits` accepts, best first.
pub(in crate::recall) fn rank(
    hits: &LexicalHits<'_>,
    similarity: &Similarity,
    cues: &Cues,
    weights: &RecallWeights,
    admits: &dyn Fn(&EventFacts) -> Result<bool>,
) -> Result<Vec<RecallCandidate>> {
    if hits.hits.is_empty() {
        return Ok(Vec::new());
    }
    // Neighbours are ranked too, and need their own neighbours.
    let reach = NEIGHBOURS * if weights.has_context() { 2 } else { 1 };
    hits.load_turns(reach)?;
    let (scores, top) = passage_scores(hits, similarity);
    let term_weights: Vec<f32> = hits.weights().collect();
    let mut ranking = Ranking {
        hits,
        weights,
        top,
        total: term_weights.iter().sum::<f32>().max(f32::MIN_POSITIVE),
        turns: NeighbourTurns {
            hits,
            weights: term_weights,
            shares: weights.fixed.word_shares(),
        },
        own_scores: HashMap::with_capacity_and_hasher(hits.hits.len() * 4, Default::default()),
    };
    let mut candidates = ranking.found(&scores)?;
    ranking.add_neighbours(&mut candidates, admits)?;
    let best_own = candidates
        .iter()
        .filter(|candidate| candidate.facts.turn != NO_TURN)
        .map(|candidate| ranking.turns.covered(candidate.handle))
        .fold(f32::MIN_POSITIVE, f32::max);
    for candidate in &mut candidates {
        candidate.rank = candidate.own;
        if candidate.facts.turn != NO_TURN {
            ranking.add_context(candidate, best_own)?;
        }
        add_cues(candidate, cues, weights);
    }
    if cues.is_message {
        boost_recent(&mut candidates, weights.fixed.recent);
        boost_sessions(&mut candidates, weights.fixed.sessions);
    }
    sort(&mut candidates);
    Ok(candidates)
}

/// The score of each hit's passage from its words and its similarity to the question, and the
/// score that counts as 1.
fn passage_scores(hits: &LexicalHits<'_>, similarity: &Similarity) -> (Vec<f32>, f32) {
    let lexical = |index: usize| hits.hits[index].score + hits.hits[index].phrase_proximity;
    let top = (0..hits.hits.len()).map(lexical).fold(0f32, f32::max);
    // If no word matches, the vectors alone decide.
    let top = if top > 0.0 { top } else { 1.0 };
    let most_similar = similarity
        .values
        .iter()
        .copied()
        .fold(f32::MIN_POSITIVE, f32::max);
    let scores: Vec<f32> = (0..hits.hits.len())
        .map(|index| {
            let value = similarity.values.get(index);
            let share = value.map_or(0.0, |value| value / most_similar);
            lexical(index) + top * similarity.weight * share
        })
        .collect();
    let top = scores.iter().copied().fold(top, f32::max);
    (scores, top)
}

/// What is shared by all events during ranking.
struct Ranking<'a, 'h> {
    hits: &'a LexicalHits<'h>,
    weights: &'a RecallWeights,
    /// The score that counts as 1.
    top: f32,
    /// The weight of all words of the question.
    total: f32,
    turns: NeighbourTurns<'a, 'h>,
    own_scores: HashMap<EventHandle, f32, foldhash::fast::FixedState>,
}

impl Ranking<'_, '_> {
    /// A candidate for each hit.
    fn found(&mut self, scores: &[f32]) -> Result<Vec<RecallCandidate>> {
        let mut candidates = Vec::with_capacity(self.hits.hits.len() * 2);
        for (hit, score) in self.hits.hits.iter().zip(scores) {
            let score = score / self.top;
            let union = self.turns.covered(hit.handle) / self.top;
            let own = score + self.weights.fixed.passage_union * (union - score).max(0.0);
            self.own_scores.insert(hit.handle, own);
            candidates.push(RecallCandidate {
                start: hit.start,
                length: hit.length,
                words: self.hits.words(hit.handle)?,
                exact: hit.exact / self.total,
                context: hit.score / self.total,
                ..RecallCandidate::new(hit.handle, hit.facts, own)
            });
        }
        Ok(candidates)
    }

    /// Adds turns without a match of their own that lie next to one with a match.
    fn add_neighbours(
        &mut self,
        candidates: &mut Vec<RecallCandidate>,
        admits: &dyn Fn(&EventFacts) -> Result<bool>,
    ) -> Result<()> {
        if !self.weights.has_context() {
            return Ok(());
        }
        let hits = self.hits;
        for hit in hits.hits.iter().filter(|hit| hit.facts.turn != NO_TURN) {
            for steps in [-1, 1, -2, 2] {
                let Some(handle) = hits.turn(hit.handle, steps)? else {
                    continue;
                };
                if self.own_scores.contains_key(&handle) {
                    continue;
                }
                let facts = hits.facts(handle)?;
                let own = hits.score(handle) / self.top;
                self.own_scores.insert(handle, own);
                if admits(&facts)? {
                    candidates.push(RecallCandidate {
                        context: own * self.top / self.total,
                        ..RecallCandidate::new(handle, facts, own)
                    });
                }
            }
        }
        Ok(())
    }

    /// The event's own score.
    fn own(&self, handle: EventHandle) -> f32 {
        let known = self.own_scores.get(&handle).copied();
        known.unwrap_or_else(|| self.hits.score(handle) / self.top)
    }

    /// Adds what the surrounding turns contribute, and subtracts the penalty for a question.
    fn add_context(&self, candidate: &mut RecallCandidate, best_own: f32) -> Result<()> {
        let weights = self.weights;
        let around = self.turns.around(candidate.handle)?;
        let mut pooled = 0.0;
        for (neighbour, share) in around.iter().zip(weights.fixed.score_shares()) {
            if let Some(neighbour) = neighbour {
                pooled += weights.context_scores * share * self.own(*neighbour);
            }
        }
        if weights.has_context()
            && let Some(previous) = around[0]
            && self.hits.facts(previous)?.flags & IS_QUESTION != 0
        {
            pooled += weights.fixed.after_question * self.own(previous);
        }
        let own = self.turns.covered(candidate.handle);
        let context = self.turns.context(candidate.handle, &around);
        if weights.context_words > 0.0 {
            pooled += weights.context_words * (context - own) / best_own;
        }
        let long = (candidate.words as f32 / LONG_TURN_WORDS - 1.0).max(0.0);
        candidate.rank += pooled / (1.0 + weights.fixed.long_turn_damping * long);
        candidate.context = candidate.context.max(context / self.total);
        if candidate.facts.flags & IS_QUESTION != 0 {
            let share = (QUESTION_WORDS / candidate.words as f32).min(1.0);
            candidate.rank -= weights.fixed.question_penalty * share;
        }
        Ok(())
    }
}

/// Adds the bonus for each cue of the question that an event has.
fn add_cues(candidate: &mut RecallCandidate, cues: &Cues, weights: &RecallWeights) {
    let is_tool = candidate.facts.kind == EventKind::ToolObservation.number();
    if !is_tool && cues.named == Some(candidate.facts.actor) {
        candidate.rank += weights.named_actor;
    }
    let is_prompt = candidate.facts.kind == EventKind::UserPrompt.number();
    if is_prompt && cues.asks_own_words && cues.named.is_none() {
        candidate.rank += weights.own_prompts;
    }
    if cues.time.names_a_time() {
        let at = Timestamp::from_millis_clamped(candidate.facts.timestamp);
        candidate.date = cues.time.time_score(at);
        candidate.rank += weights.date * candidate.date;
    }
    if cues.time.asks_when && candidate.facts.flags & HAS_TEMPORAL != 0 {
        candidate.temporal = true;
        candidate.rank += weights.fixed.temporal;
    }
}

/// Best first; ties in log order. Of what no longer holds, which comes after what does, the newest
/// comes first.
pub(in crate::recall) fn sort(candidates: &mut [RecallCandidate]) {
    candidates.sort_by(|a, b| {
        let (one, other) = (&a.facts, &b.facts);
        b.rank
            .total_cmp(&a.rank)
            .then(a.is_past.cmp(&b.is_past))
            .then_with(|| match a.is_past {
                true => (other.timestamp, other.seq).cmp(&(one.timestamp, one.seq)),
                false => one.seq.cmp(&other.seq),
            })
    });
}

/// The neighbours of turns and what they match.
struct NeighbourTurns<'a, 'h> {
    hits: &'a LexicalHits<'h>,
    weights: Vec<f32>,
    /// How much a word of each neighbour counts.
    shares: [f32; 4],
}

impl NeighbourTurns<'_, '_> {
    /// The question's weight that an event's passages cover together.
    fn covered(&self, handle: EventHandle) -> f32 {
        self.hits
            .matches(handle)
            .zip(&self.weights)
            .map(|((value, _), weight)| value * weight)
            .sum()
    }

    /// The previous, next, second previous and second next turn.
    fn around(&self, handle: EventHandle) -> Result<[Option<EventHandle>; 4]> {
        let hits = self.hits;
        let (previous, next) = (hits.turn(handle, -1)?, hits.turn(handle, 1)?);
        let step = |from: Option<EventHandle>, steps| match from {
            Some(from) => hits.turn(from, steps),
            None => Ok(None),
        };
        Ok([previous, next, step(previous, -1)?, step(next, 1)?])
    }

    /// The question's weight that a turn and its neighbours cover together, with neighbours
    /// counted in part.
    fn context(&self, handle: EventHandle, around: &[Option<EventHandle>; 4]) -> f32 {
        let mut best: Vec<f32> = self.hits.matches(handle).map(|(value, _)| value).collect();
        for (neighbour, share) in around.iter().zip(self.shares) {
            let Some(neighbour) = neighbour else { continue };
            for (best, (value, _)) in best.iter_mut().zip(self.hits.matches(*neighbour)) {
                *best = best.max(share * value);
            }
        }
        best.iter()
            .zip(&self.weights)
            .map(|(value, weight)| value * weight)
            .sum()
    }
}
