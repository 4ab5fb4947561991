//! Similarity of whole passages: compares a passage's embedding, made of its words' static vectors,
//! with the question's. A cheap second signal for the best candidates; the embeddings are computed
//! when passages are analysed and stored with them.

use crate::embed::kernels;
use crate::embed::static_table::{self, DIMENSIONS};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::layout::EMBEDDING_BYTES;

/// The frequency of a common word in one store overstates how informative it is. A word of one
/// piece is weighted by idf · √generality, from the rank of its piece in the vocabulary, which is
/// ordered by frequency.
const FIRST_WORD_PIECE: u16 = 1996;
const GENERALITY_RANKS: f32 = 28_000.0;
const MIN_GENERALITY: f32 = 0.3;
/// How much of the mean embedding is subtracted from the question; all of it is subtracted from the
/// passages. The texts of one store resemble each other, and what they share does not discriminate.
const QUESTION_CENTRING: f32 = 0.5;

type Vector = [f32; DIMENSIONS];

/// The embedding of a text: a unit vector with 8 bits per dimension, the even dimensions first.
/// Zero for a text without any word that has a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StaticEmbedding {
    /// The value of a code of 127, in units of 1 / [`SCALES`].
    scale: u16,
    codes: [i8; DIMENSIONS],
}

/// The resolution of scales.
const SCALES: f32 = 65_534.0;

impl StaticEmbedding {
    /// The zero embedding, similar to nothing.
    pub(crate) const NONE: StaticEmbedding = StaticEmbedding {
        scale: 0,
        codes: [0; DIMENSIONS],
    };

    /// The embedding of a text and its header.
    #[cfg(test)]
    pub(crate) fn of(analyser: &mut Analyser, header: &str, text: &str) -> Self {
        analyser.analyse(header, text);
        StaticEmbedding::of_analysed(analyser, true)
    }

    /// The embedding of the passage analysed last, with or without its header.
    pub(crate) fn of_analysed(analyser: &Analyser, with_header: bool) -> Self {
        StaticEmbedding::quantised(&vector_of(analyser, with_header))
    }

    fn quantised(vector: &Vector) -> Self {
        let top = vector
            .iter()
            .fold(0.0f32, |top, value| top.max(value.abs()));
        let scale = (top * SCALES).ceil().min(SCALES) as u16;
        if scale == 0 {
            return StaticEmbedding::NONE;
        }
        let factor = 127.0 * SCALES / f32::from(scale);
        StaticEmbedding {
            scale,
            codes: vector.map(|value| rounded(value * factor)),
        }
    }

    /// The stored form.
    pub(crate) fn encode(&self) -> [u8; EMBEDDING_BYTES] {
        let mut bytes = [0; EMBEDDING_BYTES];
        let (scale, codes) = bytes.split_at_mut(2);
        scale.copy_from_slice(&self.scale.to_le_bytes());
        for (byte, code) in codes.iter_mut().zip(self.codes) {
            *byte = code as u8;
        }
        bytes
    }

    /// The inverse of [`StaticEmbedding::encode`].
    pub(crate) fn decode(bytes: &[u8; EMBEDDING_BYTES]) -> Self {
        let scale = u16::from_le_bytes([bytes[0], bytes[1]]);
        let mut codes = [0; DIMENSIONS];
        for (code, byte) in codes.iter_mut().zip(&bytes[2..]) {
            *code = *byte as i8;
        }
        StaticEmbedding { scale, codes }
    }

    fn vector(&self) -> Vector {
        let factor = self.factor();
        self.codes.map(|code| f32::from(code) * factor)
    }

    /// The value of a code of 1.
    fn factor(&self) -> f32 {
        f32::from(self.scale) / SCALES / 127.0
    }
}

/// A code, at most 127 in size, as [`f32::round`] rounds it: that is a call of a function per value.
fn rounded(code: f32) -> i8 {
    let whole = code as i32;
    let rest = code - whole as f32;
    (whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)) as i8
}

/// The sum of the distinct words' unit vectors, weighted by how informative each word is, scaled to
/// unit length.
fn vector_of(analyser: &Analyser, with_header: bool) -> Vector {
    let mut sum = [0.0; DIMENSIONS];
    for term in analyser.terms() {
        if term.is_question_stop || !(with_header || term.is_in_text) {
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
    scaled_to_unit(sum)
}

/// The cosines of the centred embeddings of the texts and the question; negative ones become 0.
pub(crate) fn similarity(
    analyser: &mut Analyser,
    question: &str,
    texts: &[StaticEmbedding],
) -> Vec<f32> {
    analyser.analyse("", question);
    let mut asked = vector_of(analyser, true);
    let mut mean = [0.0; DIMENSIONS];
    for text in texts {
        let factor = text.factor() / texts.len() as f32;
        for (mean, &code) in mean.iter_mut().zip(&text.codes) {
            *mean += f32::from(code) * factor;
        }
    }
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

/// How informative a word is, by its word pieces.
pub(crate) fn generality(pieces: &[u16]) -> f32 {
    match pieces {
        [piece] => {
            let rank = piece.saturating_sub(FIRST_WORD_PIECE) as f32;
            (rank.ln_1p() / GENERALITY_RANKS.ln()).clamp(MIN_GENERALITY, 1.0)
        }
        _ => 1.0,
    }
}

fn dot(a: &Vector, b: &Vector) -> f32 {
    // Eight independent sums, which the compiler keeps in vector registers.
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
        let asked = "Which database stores the orders?";
        let texts = [
            "PostgreSQL keeps all customer orders in one table.",
            "The mountain was covered with snow in January.",
            "",
            "서울은 비가 온다 😀",
        ]
        .map(|text| StaticEmbedding::of(analyser, "", text));
        let near = similarity(analyser, asked, &texts);
        assert!(near[0] > near[1] + 0.1, "{near:?}");
        assert!(
            near.iter().all(|near| (0.0..=1.0).contains(near)),
            "{near:?}"
        );
        assert!(similarity(analyser, asked, &[]).is_empty());
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
        assert!(cosine > 0.998, "{cosine}");
    }

    #[test]
    fn an_embedding_comes_back_as_it_was_stored() {
        let analyser = &mut Analyser::new();
        for text in ["PostgreSQL keeps all customer orders.", "", "서울 😀"] {
            let embedding = StaticEmbedding::of(analyser, "", text);
            let stored = embedding.encode();
            assert_eq!(StaticEmbedding::decode(&stored), embedding);
            let exact = vector_of(analyser, true);
            let step = embedding.factor();
            for (exact, kept) in exact.iter().zip(embedding.vector()) {
                assert!((exact - kept).abs() <= step * 0.501, "{exact} {kept}");
            }
        }
    }

    #[test]
    fn a_header_counts_only_where_it_is_a_part_of_the_passage() {
        let analyser = &mut Analyser::new();
        let plain = StaticEmbedding::of(analyser, "", "the cache is full");
        analyser.analyse("may 2024 Caroline", "the cache is full");
        assert_eq!(StaticEmbedding::of_analysed(analyser, false), plain);
        assert_ne!(StaticEmbedding::of_analysed(analyser, true), plain);
        let twice = StaticEmbedding::of(analyser, "", "cache full Caroline");
        analyser.analyse("Caroline cache", "cache full Caroline");
        assert_eq!(StaticEmbedding::of_analysed(analyser, false), twice);
    }
}
