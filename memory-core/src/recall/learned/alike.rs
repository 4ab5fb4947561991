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

/// Learned items that are alike a question, the most alike first, each with how certain that
/// is, from 0 to 1.
#[derive(Default)]
pub(super) struct Alike(Vec<(LearnedRef, f32)>);

impl Alike {
    /// The items of some kinds that are alike, among those of a list if there is one.
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
        for (_, likeness) in &mut found {
            *likeness = certainty(*likeness);
        }
        found.retain(|(_, likeness)| *likeness > 0.0);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(Alike(found))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Raises the coverage of items that also share words with the question, and adds the
    /// most alike of the others, up to so many.
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
        for (learned, likeness) in &self.0 {
            if let Some(at) = by_words.get(learned) {
                let doubt = (1.0 - scored[*at].1) * (1.0 - likeness);
                scored[*at].1 = 1.0 - doubt;
            } else if added < most {
                scored.push((learned.clone(), *likeness));
                added += 1;
            }
        }
    }
}

/// How certain it is that an item of this similarity above the usual one is meant.
fn certainty(similarity: f32) -> f32 {
    let share = (similarity - weight::ALIKE_FROM) / (weight::ALIKE_SURELY - weight::ALIKE_FROM);
    weight::ALIKE * share.clamp(0.0, 1.0)
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
    fn likeness_raises_what_words_find_and_adds_what_they_do_not() {
        let alike = Alike(vec![
            (entry("c"), 0.8),
            (entry("a"), 0.5),
            (entry("d"), 0.3),
        ]);
        let mut scored = vec![(entry("a"), 0.5), (entry("b"), 0.4)];
        alike.join(&mut scored, 1);
        let expected = [(entry("a"), 0.75), (entry("b"), 0.4), (entry("c"), 0.8)];
        assert_eq!(scored, expected);
        let mut scored = vec![(entry("a"), 0.5)];
        Alike::default().join(&mut scored, 9);
        assert_eq!(scored, [(entry("a"), 0.5)]);
    }

    #[test]
    fn what_is_hardly_more_similar_than_usual_is_not_alike() {
        assert_eq!(certainty(0.0), 0.0);
        assert_eq!(certainty(weight::ALIKE_FROM), 0.0);
        assert!(certainty(0.55) > weight::LEAST && certainty(0.55) < 0.5);
        assert_eq!(certainty(1.0), weight::ALIKE);
    }
}
