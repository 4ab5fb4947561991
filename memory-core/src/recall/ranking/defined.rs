//! Boosts events that define what the question describes: "compute the norm of a vector" asks for
//! `def vector_norm` rather than for the code that calls it. What its comment says counts as well.

use std::collections::HashSet;

use crate::index::lexical::analyser::parts;
use crate::index::lexical::search::LexicalHits;
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::rank::sort;
use crate::rules::doc_comments::summaries;
use crate::store::ReadTx;

/// How many of the best candidates are searched for definitions. 100 measure alike.
const DEFINED_TOP: usize = 40;
/// How many definitions of a passage are looked at.
const MAX_NAMES: usize = 32;
/// The words in front of the name of a definition.
const KEYWORDS: [&str; 9] = [
    "def ",
    "fn ",
    "func ",
    "function ",
    "class ",
    "struct ",
    "interface ",
    "trait ",
    "enum ",
];
/// Two words whose first bytes differ have different stems.
const SHARED_PREFIX: usize = 3;

/// The boosts for what a definition is called, and for what its comment says.
#[derive(Clone, Copy)]
pub(in crate::recall) struct DefinitionWeights {
    pub(in crate::recall) name: f32,
    pub(in crate::recall) summary: f32,
}

/// Raises candidates whose passage defines a name of words of the question, or documents a
/// definition in its words; false if one of them could not be read.
pub(in crate::recall) fn boost_defined(
    read: &ReadTx,
    hits: &LexicalHits<'_>,
    candidates: &mut [RecallCandidate],
    weights: DefinitionWeights,
) -> Result<bool> {
    if weights.name == 0.0 && weights.summary == 0.0 {
        return Ok(true);
    }
    let question = Question::of(hits);
    let (mut is_whole, mut has_changed) = (true, false);
    let matched = candidates.iter_mut().take(DEFINED_TOP);
    for candidate in matched.filter(|candidate| candidate.length > 0) {
        let boost = candidate.with_text(read, |passage| question.boost(passage, weights))?;
        is_whole &= boost.is_some();
        let boost = boost.unwrap_or(0.0);
        if boost > 0.0 {
            candidate.rank += boost;
            has_changed = true;
        }
    }
    if has_changed {
        sort(candidates);
    }
    Ok(is_whole)
}

/// The names that a passage defines.
fn names(passage: &str) -> impl Iterator<Item = &str> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    KEYWORDS
        .iter()
        .flat_map(move |keyword| {
            passage.match_indices(keyword).filter_map(move |(at, _)| {
                let behind = passage[at + keyword.len()..].trim_start_matches(' ');
                let end = behind.find(|c| !is_of_name(c)).unwrap_or(behind.len());
                let is_word = !passage[..at].ends_with(is_of_name);
                (is_word && end > 0).then_some(&behind[..end])
            })
        })
        .take(MAX_NAMES)
}

/// The words of the question.
struct Question<'h> {
    /// Their stems and weights.
    terms: Vec<(&'h [u8], f32)>,
    total: f32,
    prefixes: HashSet<&'h [u8]>,
}

impl<'h> Question<'h> {
    fn of(hits: &'h LexicalHits<'_>) -> Self {
        let searched = hits.terms.iter().filter(|term| term.is_searched);
        let terms: Vec<(&[u8], f32)> = searched.map(|term| (&*term.stem, term.weight)).collect();
        let prefix = |stem: &'h [u8]| &stem[..stem.len().min(SHARED_PREFIX)];
        Question {
            total: terms
                .iter()
                .map(|(_, weight)| weight)
                .sum::<f32>()
                .max(f32::MIN_POSITIVE),
            prefixes: terms.iter().map(|(stem, _)| prefix(stem)).collect(),
            terms,
        }
    }

    /// What a passage gains by the definitions in it.
    fn boost(&self, passage: &str, weights: DefinitionWeights) -> f32 {
        let mut names = names(passage).peekable();
        if names.peek().is_none() {
            return 0.0;
        }
        let of_names = names.map(|name| self.likeness(name)).fold(0.0, f32::max);
        let of_summaries = summaries(passage).map(|summary| self.likeness_of_words(summary));
        weights.name * of_names + weights.summary * of_summaries.fold(0.0, f32::max)
    }

    /// How alike a name and the question are, 0 to 1: the harmonic mean of the share of its
    /// words that are asked for and the share of the question that it covers.
    fn likeness(&self, name: &str) -> f32 {
        let words: Vec<&str> = parts(name).collect();
        let may_match = |word: &&str| {
            let word = word.to_lowercase();
            let bytes = word.as_bytes();
            (1..=SHARED_PREFIX.min(bytes.len())).any(|end| self.prefixes.contains(&bytes[..end]))
        };
        match words.iter().any(may_match) {
            true => self.likeness_of_words(&words.join(" ")),
            false => 0.0,
        }
    }

    /// The same for the words of a text.
    fn likeness_of_words(&self, text: &str) -> f32 {
        let (mut count, mut asked, mut covered) = (0f32, 0f32, 0f32);
        with_analyser(|analyser| {
            analyser.analyse("", text);
            for term in analyser.terms() {
                count += 1.0;
                if let Some((_, weight)) = self.terms.iter().find(|(stem, _)| *stem == term.stem) {
                    asked += 1.0;
                    covered += weight;
                }
            }
        });
        if asked == 0.0 {
            return 0.0;
        }
        let (of_name, of_question) = (asked / count, (covered / self.total).min(1.0));
        2.0 * of_name * of_question / (of_name + of_question).max(f32::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use crate::recall::ranking::defined::*;

    #[test]
    fn names_of_definitions_are_found_in_several_languages() {
        let code = "def read_all(path):\n  pass\npub fn parse_date(x) {}\nfunction  sendMail() {}\n\
                    class HttpServer:\nundef foo\nfunc (s *S) Method()";
        assert_eq!(
            names(code).collect::<Vec<_>>(),
            ["read_all", "parse_date", "sendMail", "HttpServer"]
        );
        assert_eq!(names("the definition of done").count(), 0);
    }
}
