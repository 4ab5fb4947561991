//! Identifiers in a question: events that contain them literally come first, and an
//! identifier that no event contains lowers the relevance of everything similar.

use crate::index::lexical::expansion::QueryTerm;
use crate::index::lexical::search::LexicalHits;
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::rank::sort;
use crate::rules::identifiers::{Identifier, holds};
use crate::store::ReadTx;

/// The bonus for an event that contains all identifiers of the question, as a multiple of the
/// weight of neighbouring words. It must exceed what the surrounding turns can give an event
/// with other words of the question or a similar number, such as `10.0.33.7` for `10.0.7.7`.
const HELD: f32 = 1.2;

/// The outcome for the identifiers of a question.
#[derive(Clone, Copy, Debug)]
pub(in crate::recall) struct NamedIdentifiers {
    /// The share of them that no event contains.
    pub(in crate::recall) unknown: f32,
    /// Whether all events that may contain one could be read.
    pub(in crate::recall) is_whole: bool,
}

impl NamedIdentifiers {
    /// For a question without identifiers.
    pub(in crate::recall) const NONE: Self = NamedIdentifiers {
        unknown: 0.0,
        is_whole: true,
    };
}

/// Boosts the candidates that contain identifiers of the question.
pub(in crate::recall) fn boost_named(
    read: &ReadTx,
    hits: &LexicalHits<'_>,
    candidates: &mut [RecallCandidate],
    identifiers: &[Identifier],
    phrase_proximity: f32,
) -> Result<NamedIdentifiers> {
    if identifiers.is_empty() {
        return Ok(NamedIdentifiers::NONE);
    }
    let (words, compounds): (Vec<&Identifier>, Vec<&Identifier>) =
        identifiers.iter().partition(|named| named.is_word);
    let columns: Vec<Column> = words.iter().map(|word| column(hits, word)).collect();
    let mut is_held = vec![false; compounds.len()];
    let mut is_whole = true;
    for candidate in candidates.iter_mut() {
        let exact: Vec<bool> = hits
            .matches(candidate.handle)
            .map(|(_, exact)| exact)
            .collect();
        let is_exact = |column: &&Column| matches!(column, Column::At(at) if exact[*at]);
        let mut held = columns.iter().filter(is_exact).count();
        // A candidate found only through its neighbours contains no words of the question.
        if !compounds.is_empty() && candidate.length > 0 {
            let text = candidate.lower_text(read)?;
            is_whole &= text.is_some();
            let text = text.unwrap_or_default();
            for (compound, is_held) in compounds.iter().zip(&mut is_held) {
                if holds(&text, &compound.text) {
                    *is_held = true;
                    held += 1;
                }
            }
        }
        if held > 0 {
            candidate.rank += HELD * phrase_proximity * held as f32 / identifiers.len() as f32;
        }
    }
    sort(candidates);
    let is_unknown = |column: &&Column| matches!(column, Column::Unknown);
    let unknown = columns.iter().filter(is_unknown).count()
        + is_held.iter().filter(|is_held| !**is_held).count();
    Ok(NamedIdentifiers {
        unknown: unknown as f32 / identifiers.len() as f32,
        is_whole,
    })
}

/// Where an event's matches record a word of the question.
enum Column {
    At(usize),
    /// The store holds the word, but the question was too long to search for it.
    NotSearched,
    /// No passage contains it.
    Unknown,
}

fn column(hits: &LexicalHits<'_>, word: &Identifier) -> Column {
    let stem = with_analyser(|analyser| {
        analyser.analyse("", &word.text);
        analyser.terms().next().map(|term| term.stem.to_vec())
    });
    let is_held = |term: &&QueryTerm| Some(&term.stem) == stem.as_ref() && term.is_known;
    let mut searched = hits.terms.iter().filter(|term| term.is_searched);
    if let Some(at) = searched.position(|term| is_held(&term)) {
        return Column::At(at);
    }
    match hits.terms.iter().any(|term| term.is_cut && is_held(&term)) {
        true => Column::NotSearched,
        false => Column::Unknown,
    }
}
