//! What a passage is about as a whole: the embedding of its words' static
//! vectors, compared with that of the question. A small second opinion on the
//! best candidates, worked out from their text when it is asked for.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::embed::kernels;
use crate::embed::static_table::{self, DIMENSIONS};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::expansion::generality;

/// How much of the mean embedding is taken out of the question; all of it is
/// taken out of the passages. Texts of one store resemble each other, and what
/// they share says nothing.
const QUESTION_CENTRING: f32 = 0.5;

/// Embeddings that a process remembers are dropped in halves of this many
/// (about 9 MB each).
const REMEMBERED: usize = 28_000;

type Vector = [f32; DIMENSIONS];

/// The embedding of a text: a unit vector in 16-bit fixed point, the even
/// dimensions first. Zero for a text without a word that has a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StaticEmbedding([i16; DIMENSIONS]);

/// What a code of 1 stands for: values are within ±1.
const STEP: f32 = 1.0 / 32_767.0;

impl StaticEmbedding {
    /// Says nothing.
    pub(crate) const NONE: StaticEmbedding = StaticEmbedding([0; DIMENSIONS]);

    /// The sum of the text's distinct words' unit vectors, each weighted by how
    /// telling the word is.
    pub(crate) fn of(analyser: &mut Analyser, header: &str, text: &str) -> Self {
        analyser.analyse(header, text);
        let mut sum = [0.0; DIMENSIONS];
        for term in analyser.terms() {
            if term.is_question_stop {
                continue;
            }
            let length = match term.pieces {
                [] => continue,
                [one] => static_table::norm(*one),
                many => static_table::decode_norm(term.norm) * many.len() as f32,
            };
            let weight = generality(term.pieces) / length.max(f32::MIN_POSITIVE);
            for &piece in term.pieces {
                let factor = weight * static_table::scale(piece);
                kernels::add_row(&mut sum, static_table::row(piece), factor);
            }
        }
        StaticEmbedding(scaled_to_unit(sum).map(|value| (value / STEP) as i16))
    }

    fn vector(&self) -> Vector {
        self.0.map(|code| code as f32 * STEP)
    }
}

/// How similar each text is to the question: cosines of centred embeddings, 0 for
/// those that point away.
pub(crate) fn similarity(question: &StaticEmbedding, texts: &[StaticEmbedding]) -> Vec<f32> {
    let mut mean = [0.0; DIMENSIONS];
    for text in texts {
        let factor = STEP / texts.len() as f32;
        for (mean, &code) in mean.iter_mut().zip(&text.0) {
            *mean += code as f32 * factor;
        }
    }
    let mut asked = question.vector();
    subtract(&mut asked, &mean, QUESTION_CENTRING);
    let asked = scaled_to_unit(asked);
    texts
        .iter()
        .map(|text| {
            let mut vector = text.vector();
            subtract(&mut vector, &mean, 1.0);
            let length = dot(&vector, &vector).sqrt();
            if length > 0.0 {
                (dot(&vector, &asked) / length).max(0.0)
            } else {
                0.0
            }
        })
        .collect()
}

/// Which passage an embedding belongs to: the store's generation, the position in
/// the log, and where the passage begins.
pub(crate) type PassageKey = (u64, u64, u32);

/// Embeddings of passages that were candidates before. Events never change.
#[derive(Debug, Default)]
pub(crate) struct StaticEmbeddingCache(Mutex<Halves>);

/// What was asked for lately, and what was before.
#[derive(Debug, Default)]
struct Halves {
    new: HashMap<PassageKey, StaticEmbedding, foldhash::fast::FixedState>,
    old: HashMap<PassageKey, StaticEmbedding, foldhash::fast::FixedState>,
}

impl StaticEmbeddingCache {
    /// The embedding of each passage, where it is known.
    pub(crate) fn get(
        &self,
        passages: impl Iterator<Item = PassageKey>,
    ) -> Vec<Option<StaticEmbedding>> {
        let halves = &mut *self.0.lock();
        passages
            .map(|key| {
                if let Some(known) = halves.new.get(&key) {
                    return Some(*known);
                }
                let known = halves.old.remove(&key)?;
                halves.put(key, known);
                Some(known)
            })
            .collect()
    }

    /// Remembers the embeddings of passages.
    pub(crate) fn put(&self, made: impl Iterator<Item = (PassageKey, StaticEmbedding)>) {
        let halves = &mut *self.0.lock();
        made.for_each(|(key, embedding)| halves.put(key, embedding));
    }
}

impl Halves {
    fn put(&mut self, key: PassageKey, embedding: StaticEmbedding) {
        if self.new.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, embedding);
    }
}

fn dot(a: &Vector, b: &Vector) -> f32 {
    // Eight sums side by side, which the compiler keeps in vector registers.
    let mut sums = [0.0f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

fn subtract(vector: &mut Vector, mean: &Vector, share: f32) {
    for (value, mean) in vector.iter_mut().zip(mean) {
        *value -= share * mean;
    }
}

fn scaled_to_unit(mut vector: Vector) -> Vector {
    let length = dot(&vector, &vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_about_the_question_is_nearer() {
        let analyser = &mut Analyser::new();
        let asked = StaticEmbedding::of(analyser, "", "Which database stores the orders?");
        let texts = [
            "PostgreSQL keeps all customer orders in one table.",
            "The mountain was covered with snow in January.",
            "",
            "서울은 비가 온다 😀",
        ]
        .map(|text| StaticEmbedding::of(analyser, "", text));
        let near = similarity(&asked, &texts);
        assert!(near[0] > near[1] + 0.1, "{near:?}");
        assert!(
            near.iter().all(|near| (0.0..=1.0).contains(near)),
            "{near:?}"
        );
        assert!(similarity(&asked, &[]).is_empty());
    }

    #[test]
    fn an_embedding_is_that_of_the_words_vectors() {
        let analyser = &mut Analyser::new();
        let embedding = StaticEmbedding::of(analyser, "", "zanzibar").vector();
        let plain = static_table::word_vector("zanzibar").unwrap();
        let cosine: f32 = (0..DIMENSIONS / 2)
            .map(|d| {
                let odd = embedding[DIMENSIONS / 2 + d] * plain[2 * d + 1];
                embedding[d] * plain[2 * d] + odd
            })
            .sum();
        assert!(cosine > 0.999, "{cosine}");
    }

    #[test]
    fn the_oldest_embeddings_are_forgotten() {
        let known = StaticEmbeddingCache::default();
        let key = |seq| (1, seq, 0);
        for seq in 0..REMEMBERED as u64 * 3 {
            known.put(std::iter::once((key(seq), StaticEmbedding::NONE)));
            assert!(known.get(std::iter::once(key(0)))[0].is_some());
        }
        assert!(known.get(std::iter::once(key(1)))[0].is_none());
        let halves = known.0.lock();
        assert!(halves.new.len() + halves.old.len() <= 2 * REMEMBERED);
    }
}
