//! What a passage is about as a whole: the direction of its words' static
//! vectors, compared with that of the question. A small second opinion on the
//! best candidates, worked out from their text when it is asked for.

use crate::embed::static_table::{self, DIMENSIONS};
use crate::index::analyser::Analyser;
use crate::index::soft::generality;

/// How much of the mean direction is taken out of the question; all of it is
/// taken out of the passages. Texts of one store resemble each other, and what
/// they share says nothing.
const QUESTION_CENTRING: f32 = 0.5;

type Vector = [f32; DIMENSIONS];

/// The direction of a text: the sum of its distinct words' unit vectors, each
/// weighted by how telling the word is. Zero without words that have a vector.
fn direction(analyser: &mut Analyser, header: &str, text: &str) -> Vector {
    analyser.analyse(header, text);
    let mut sum = [0.0; DIMENSIONS];
    for term in analyser.terms() {
        if term.pieces.is_empty() || term.is_question_stop {
            continue;
        }
        let mean = static_table::mean(term.pieces);
        let weight = generality(term.pieces) / length(&mean).max(f32::MIN_POSITIVE);
        for (sum, value) in sum.iter_mut().zip(&mean) {
            *sum += weight * value;
        }
    }
    scaled_to_unit(sum)
}

/// How near each text is to the question: cosines of centred directions, 0 for
/// those that point away.
pub(crate) fn nearness<'t>(
    analyser: &mut Analyser,
    question: &str,
    texts: impl Iterator<Item = (&'t str, &'t str)>,
) -> Vec<f32> {
    let mut vectors: Vec<Vector> = texts
        .map(|(header, text)| direction(analyser, header, text))
        .collect();
    let mut mean = [0.0; DIMENSIONS];
    for vector in &vectors {
        for (mean, value) in mean.iter_mut().zip(vector) {
            *mean += value / vectors.len() as f32;
        }
    }
    let mut asked = direction(analyser, "", question);
    subtract(&mut asked, &mean, QUESTION_CENTRING);
    let asked = scaled_to_unit(asked);
    vectors
        .iter_mut()
        .map(|vector| {
            subtract(vector, &mean, 1.0);
            let unit = scaled_to_unit(*vector);
            unit.iter()
                .zip(&asked)
                .map(|(a, b)| a * b)
                .sum::<f32>()
                .max(0.0)
        })
        .collect()
}

fn subtract(vector: &mut Vector, mean: &Vector, share: f32) {
    for (value, mean) in vector.iter_mut().zip(mean) {
        *value -= share * mean;
    }
}

fn length(vector: &Vector) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

fn scaled_to_unit(mut vector: Vector) -> Vector {
    let length = length(&vector);
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vector
}
