//! The older claims interface: does a source support what a response claims?
//!
//! It compares loosely (punctuation and case do not count, and words may be in any order)
//! and tolerates small differences; [`align`](crate::rules::align::align) is the strict one
//! for evidence.

use std::collections::HashMap;

use crate::rules::align::normalize::{NormalForm, Normalized, is_space};
use crate::rules::align::span::QuoteSpan;
use crate::rules::align::{EXACT_CONFIDENCE, MatchMethod};

/// Claims with fewer normalised characters are skipped (specification).
const MIN_CLAIM_CHARS: usize = 10;
/// The smallest Jaccard index of the words of claim and window (specification).
const MIN_WORD_OVERLAP: f64 = 0.8;
/// A response counts as aligned with up to this many claims missing
/// (specification).
const MAX_MISSING_CLAIMS: usize = 2;

/// A claim that the source supports.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlignedClaim {
    /// The index of the claim in the given list.
    pub claim_index: usize,
    /// Where the source supports it, in the source as given.
    pub span: QuoteSpan,
    /// [`MatchMethod::Exact`] if the normalised source contains the normalised claim,
    /// [`MatchMethod::Fuzzy`] if it contains its words.
    pub match_method: MatchMethod,
    /// The confidence: 1.0 for exact, otherwise the Jaccard index of the words.
    pub confidence: f64,
}

/// The result for a list of claims.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClaimsAlignment {
    /// Whether at most two claims are missing.
    pub is_aligned: bool,
    /// The number of aligned claims divided by the number of given claims, including
    /// skipped ones; 1.0 if there are none.
    pub confidence: f64,
    /// The supported claims, in the given order.
    pub aligned: Vec<AlignedClaim>,
    /// The claims without support, by their index in the given list.
    pub missing: Vec<usize>,
}

/// Searches for each claim in a source.
///
/// Both are compared without regard to case, punctuation and differences in whitespace. A
/// claim of fewer than 10 such characters is skipped. A claim that the source does not
/// contain literally is still supported by a run of as many words as it has, if at least 80
/// % of the distinct words of both are common. Time is proportional to the source for each
/// claim.
///
/// ```
/// use recallite::rules::align::align_claims;
///
/// let source = "We set the retry limit (per job) to 3.";
/// let result = align_claims(&["the retry limit, per job", "the sky is green"], source);
/// assert_eq!(&source[result.aligned[0].span.bytes.range()], "the retry limit (per job");
/// assert_eq!(result.missing, [1]);
/// ```
pub fn align_claims(claims: &[impl AsRef<str>], source: &str) -> ClaimsAlignment {
    let normalized = Normalized::new(source, NormalForm::Words);
    let words = Words::of(&normalized.text);
    let mut aligned = Vec::new();
    let mut missing = Vec::new();
    for (claim_index, claim) in claims.iter().enumerate() {
        let claim = Normalized::new(claim.as_ref(), NormalForm::Words).text;
        if claim.chars().count() < MIN_CLAIM_CHARS {
            continue;
        }
        let found = match normalized.text.find(&claim) {
            Some(at) => Some((at..at + claim.len(), MatchMethod::Exact, EXACT_CONFIDENCE)),
            None => words
                .best_run(&claim)
                .map(|(bytes, overlap)| (bytes, MatchMethod::Fuzzy, overlap)),
        };
        match found {
            Some((bytes, match_method, confidence)) => aligned.push(AlignedClaim {
                claim_index,
                span: QuoteSpan::of_bytes(source, normalized.original_of_bytes(bytes))
                    .expect("origins lie on the character boundaries of the source"),
                match_method,
                confidence,
            }),
            None => missing.push(claim_index),
        }
    }
    let confidence = if claims.is_empty() {
        1.0
    } else {
        aligned.len() as f64 / claims.len() as f64
    };
    ClaimsAlignment {
        is_aligned: missing.len() <= MAX_MISSING_CLAIMS,
        confidence,
        aligned,
        missing,
    }
}

/// Returns the claims of a response: its sentences of at least 10 characters that are not
/// questions, as slices of the response without surrounding whitespace.
///
/// Sentences end at runs of `.`, `!`, `?` and their Chinese, Japanese and Arabic
/// counterparts.
///
/// ```
/// use recallite::rules::align::extract_claims;
///
/// let claims = extract_claims("We chose redb for storage. Shall we go on with it? Ok.");
/// assert_eq!(claims, ["We chose redb for storage"]);
/// ```
pub fn extract_claims(response: &str) -> Vec<&str> {
    let mut claims = Vec::new();
    let mut rest = response;
    while !rest.is_empty() {
        let end = rest.find(ends_sentence).unwrap_or(rest.len());
        let (sentence, tail) = rest.split_at(end);
        let next = tail.find(|c| !ends_sentence(c)).unwrap_or(tail.len());
        let (marks, tail) = tail.split_at(next);
        let sentence = sentence.trim_matches(is_space);
        if !marks.contains(['?', '？', '؟']) && sentence.chars().count() >= MIN_CLAIM_CHARS {
            claims.push(sentence);
        }
        rest = tail;
    }
    claims
}

fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!' | '?' | '。' | '．' | '！' | '？' | '؟' | '۔' | '｡'
    )
}

/// Returns whether a response is grounded: aligns its claims with all contexts, joined by a
/// space. Spans refer to that joined text.
pub fn check_grounding(response: &str, contexts: &[impl AsRef<str>]) -> ClaimsAlignment {
    let contexts: Vec<&str> = contexts.iter().map(AsRef::as_ref).collect();
    align_claims(&extract_claims(response), &contexts.join(" "))
}

/// The words of a normalised text, numbered by first appearance.
struct Words<'a> {
    numbers: HashMap<&'a str, usize>,
    /// Each word's number and its byte range in the text.
    words: Vec<(usize, usize, usize)>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        let mut numbers = HashMap::new();
        let mut words = Vec::new();
        let mut start = 0;
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let next = numbers.len();
            let number = *numbers.entry(word).or_insert(next);
            words.push((number, start, start + word.len()));
            start += word.len() + 1;
        }
        Words { numbers, words }
    }

    /// The first window of as many words as the claim has with the largest Jaccard index, if
    /// it reaches the minimum: its bytes and the index.
    fn best_run(&self, claim: &str) -> Option<(std::ops::Range<usize>, f64)> {
        let claim = Words::of(claim);
        let size = claim.words.len().min(self.words.len());
        if size == 0 {
            return None;
        }
        let mut wanted = vec![false; self.numbers.len()];
        for word in claim.numbers.keys() {
            if let Some(number) = self.numbers.get(word) {
                wanted[*number] = true;
            }
        }
        let mut inside = vec![0usize; self.numbers.len()];
        let (mut distinct, mut common) = (0, 0);
        let mut best: Option<(usize, f64)> = None;
        for (at, (number, _, _)) in self.words.iter().enumerate() {
            inside[*number] += 1;
            if inside[*number] == 1 {
                distinct += 1;
                common += usize::from(wanted[*number]);
            }
            if at >= size {
                let (gone, _, _) = self.words[at - size];
                inside[gone] -= 1;
                if inside[gone] == 0 {
                    distinct -= 1;
                    common -= usize::from(wanted[gone]);
                }
            }
            if at + 1 >= size {
                let union = claim.numbers.len() + distinct - common;
                let overlap = common as f64 / union as f64;
                if overlap >= MIN_WORD_OVERLAP && best.is_none_or(|(_, best)| overlap > best) {
                    best = Some((at + 1 - size, overlap));
                }
            }
        }
        let (first, overlap) = best?;
        let bytes = self.words[first].1..self.words[first + size - 1].2;
        Some((bytes, overlap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(result: &ClaimsAlignment, source: &'a str) -> Vec<&'a str> {
        result
            .aligned
            .iter()
            .map(|claim| &source[claim.span.bytes.range()])
            .collect()
    }

    #[test]
    fn spans_lie_in_the_source_and_not_in_its_normalised_form() {
        let source = "🎉🎉 — «Release»: the FAMILY   plan (v2) is included!";
        let result = align_claims(&["The family plan v2"], source);
        assert_eq!(texts(&result, source), ["the FAMILY   plan (v2"]);
        assert_eq!(result.confidence, 1.0);
        let decomposed = "검색을 구현합니다, 그리고 테스트도 합니다";
        let source: String = unicode_normalization::UnicodeNormalization::nfd(decomposed).collect();
        let result = align_claims(&["구현합니다 그리고 테스트도"], &source);
        let expected: String =
            unicode_normalization::UnicodeNormalization::nfd("구현합니다, 그리고 테스트도")
                .collect();
        assert_eq!(texts(&result, &source), [expected]);
    }

    #[test]
    fn words_in_another_order_support_a_claim() {
        let source = "Yes. Vectors are written by one single worker, always. Fine.";
        let result = align_claims(&["one single worker always vectors are written"], source);
        assert_eq!(
            result.aligned.len(),
            0,
            "six of eight words are less than 80 %"
        );
        let result = align_claims(&["by one single worker vectors are written"], source);
        assert_eq!(
            texts(&result, source),
            ["Vectors are written by one single worker"]
        );
        assert_eq!(result.aligned[0].match_method, MatchMethod::Fuzzy);
    }

    #[test]
    fn two_missing_claims_are_tolerated_and_short_ones_skipped() {
        let source = "nothing of that kind";
        let two = [
            "the first missing claim",
            "the second missing claim",
            "short",
        ];
        let result = align_claims(&two, source);
        assert!(result.is_aligned);
        assert_eq!(result.missing, [0, 1]);
        assert_eq!(result.confidence, 0.0);
        let three = [
            "the first missing claim",
            "the second one missing",
            "and a third one",
        ];
        assert!(!align_claims(&three, source).is_aligned);
        assert_eq!(align_claims(&[] as &[&str], source).confidence, 1.0);
        assert!(!align_claims(&["the first missing claim"; 3], "").is_aligned);
    }

    #[test]
    fn questions_and_fragments_are_no_claims() {
        let text = "DuckDB has no JSONB type! Do you agree with that?! 벡터 검색을 구현하는 것이 좋습니다. \
            어떻게 설계할까요, 이 스키마를? これは設計上の決定事項です。本当にそうなのでしょうか？ no";
        assert_eq!(
            extract_claims(text),
            [
                "DuckDB has no JSONB type",
                "벡터 검색을 구현하는 것이 좋습니다",
                "これは設計上の決定事項です",
            ]
        );
        assert!(extract_claims("...?!").is_empty());
    }

    #[test]
    fn a_response_is_grounded_in_all_contexts_together() {
        let result = check_grounding(
            "The retry limit is three. Is it really three? The threshold is five minutes.",
            &[
                "the retry limit is three",
                "threshold: the threshold is five minutes",
            ],
        );
        assert!(result.is_aligned);
        assert_eq!(result.aligned.len(), 2);
        assert_eq!(result.confidence, 1.0);
    }
}
