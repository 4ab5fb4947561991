//! Compares learned items with a question by an embedder's vectors: what is said in other words
//! is found too.

use std::collections::HashMap;

use crate::engine::embedding::QuestionVector;
use crate::engine::learned_index::LearnedRef;
use crate::engine::learned_vectors::similar;
use crate::model::error::{ErrorCode, Result};
use crate::recall::learned::weight;
use crate::store::ReadTx;
use crate::store::index_tables::learned::LearnedRow;
use crate::store::projected_rows::projected::Projected;

/// Learned items similar to a question, the most similar first, each with how certain it is that
/// it is meant, from 0 to 1.
#[derive(Default)]
pub(super) struct SimilarItems(Vec<(LearnedRef, f32)>);

impl SimilarItems {
    /// The items of some kinds that are similar, among those of a list if there is one.
    pub(super) fn find(
        read: &ReadTx,
        rows: &Projected,
        question: &QuestionVector,
        kinds: u64,
        listed: Option<&[LearnedRow]>,
    ) -> Result<Self> {
        let mut found = match similar(read, rows, question, kinds, listed) {
            // Words still find them, and a rebuild drops damaged vectors.
            Err(error) if error.code() == ErrorCode::Corrupt => Vec::new(),
            found => found?,
        };
        for (_, similarity) in &mut found {
            *similarity = certainty(*similarity);
        }
        found.retain(|(_, similarity)| *similarity > 0.0);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(SimilarItems(found))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Raises the coverage of items that also share words with the question, and adds the
    /// most similar of the others, up to so many.
    pub(super) fn join(&self, scored: &mut Vec<(LearnedRef, f32)>, most: usize) {
        if self.0.is_empty() {
            return;
        }
        let by_words: HashMap<LearnedRef, usize> = scored
            .iter()
            .enumerate()
            .map(|(at, (learned, _))| (learned.clone(), at))
            .collect();
        let mut added = 0;
        for (learned, similarity) in &self.0 {
            if let Some(at) = by_words.get(learned) {
                let doubt = (1.0 - scored[*at].1) * (1.0 - similarity);
                scored[*at].1 = 1.0 - doubt;
            } else if added < most {
                scored.push((learned.clone(), *similarity));
                added += 1;
            }
        }
    }
}

/// How certain it is that an item of this similarity above the usual one is meant.
fn certainty(similarity: f32) -> f32 {
    let share = (similarity - weight::SIMILARITY_FLOOR)
        / (weight::SIMILARITY_CEILING - weight::SIMILARITY_FLOOR);
    weight::SIMILARITY_SHARE * share.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::learned::LearnedKind;

    fn entry(id: &str) -> LearnedRef {
        LearnedRef {
            kind: LearnedKind::Entry,
            id: id.to_owned(),
        }
    }

    #[test]
    fn similarity_raises_what_words_find_and_adds_what_they_do_not() {
        let items = SimilarItems(vec![
            (entry("c"), 0.8),
            (entry("a"), 0.5),
            (entry("d"), 0.3),
        ]);
        let mut scored = vec![(entry("a"), 0.5), (entry("b"), 0.4)];
        items.join(&mut scored, 1);
        let expected = [(entry("a"), 0.75), (entry("b"), 0.4), (entry("c"), 0.8)];
        assert_eq!(scored, expected);
        let mut scored = vec![(entry("a"), 0.5)];
        SimilarItems::default().join(&mut scored, 9);
        assert_eq!(scored, [(entry("a"), 0.5)]);
    }

    #[test]
    fn what_is_hardly_more_similar_than_usual_is_not_similar() {
        assert_eq!(certainty(0.0), 0.0);
        assert_eq!(certainty(weight::SIMILARITY_FLOOR), 0.0);
        assert!(certainty(0.55) > weight::MIN_COVERAGE && certainty(0.55) < 0.5);
        assert_eq!(certainty(1.0), weight::SIMILARITY_SHARE);
    }
}
