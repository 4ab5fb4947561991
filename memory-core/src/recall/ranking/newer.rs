//! Of statements that match a question equally, the latest comes first: where they contradict each
//! other, it is the one that may still hold.

use crate::index::lexical::search::LexicalHits;
use crate::recall::ranking::candidate::RecallCandidate;

/// By how much of the best rank statements of the same form may differ and still match equally: the
/// similarity of one name or number to the question says nothing about which of them holds.
const EQUAL: f32 = 0.02;

/// Reorders the candidates that match equally. They share out their ranks, of which none stays equal
/// to another, so that sorting again changes nothing.
pub(in crate::recall) fn prefer_later(hits: &LexicalHits<'_>, candidates: &mut [RecallCandidate]) {
    let Some(best) = candidates.first().map(|candidate| candidate.rank) else {
        return;
    };
    let mut rest = candidates;
    while let Some(first) = rest.first().copied() {
        let is_equal = |other: &&RecallCandidate| {
            first.rank - other.rank <= EQUAL * best && are_alike(hits, &first, other)
        };
        let count = 1 + rest[1..].iter().take_while(is_equal).count();
        let (equal, others) = rest.split_at_mut(count);
        if count > 1 {
            let ranks: Vec<f32> = equal.iter().map(|candidate| candidate.rank).collect();
            equal.sort_by_key(|it| std::cmp::Reverse((it.facts.timestamp, it.facts.seq)));
            let mut most = f32::INFINITY;
            for (candidate, rank) in equal.iter_mut().zip(ranks) {
                candidate.rank = rank.min(most);
                most = candidate.rank.next_down();
            }
        }
        rest = others;
    }
}

/// Whether two events contain the same words of the question and are equally long. What no longer
/// holds, and what was put above that, already has its place.
fn are_alike(hits: &LexicalHits<'_>, one: &RecallCandidate, other: &RecallCandidate) -> bool {
    let has_place = |it: &RecallCandidate| it.is_past || it.replaces.is_some() || it.length == 0;
    one.words == other.words
        && one.facts.kind == other.facts.kind
        && !has_place(one)
        && !has_place(other)
        && hits.matches(one.handle).eq(hits.matches(other.handle))
}
