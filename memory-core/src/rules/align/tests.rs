//! Tests of the three steps together.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::*;

/// [`super::align`] with the default options.
fn align(messages: &[&str], quotes: &[EvidenceQuote]) -> AlignmentReport {
    super::align(messages, quotes, &AlignOptions::default()).unwrap()
}

fn one(message: &str, quote: &str) -> Alignment {
    let report = align(&[message], &[EvidenceQuote::new(0, quote)]);
    report.results.into_iter().next().unwrap()
}

fn found<'m>(message: &'m str, quote: &str) -> (MatchMethod, &'m str) {
    let result = one(message, quote);
    let span = result
        .span
        .unwrap_or_else(|| panic!("{quote:?}: {result:?}"));
    let text = message.get(span.bytes.range()).unwrap();
    assert_eq!(result.matched_text.as_deref(), Some(text));
    (result.match_method, text)
}

fn reason(message: &str, quote: &str) -> FailureReason {
    one(message, quote).reason.unwrap()
}

#[test]
fn exact_beats_what_later_steps_would_find_earlier() {
    let message = "RETRY limit, retry limit";
    assert_eq!(
        one(message, "retry limit").span.unwrap().bytes,
        Span { start: 13, end: 24 }
    );
}

#[test]
fn spans_are_given_in_three_units() {
    let result = one("👨‍👩‍👧 é — 검색을 구현", "검색을 구현");
    let span = result.span.unwrap();
    assert_eq!(span.bytes, Span { start: 26, end: 42 });
    assert_eq!(span.utf16, Span { start: 13, end: 19 });
    assert_eq!(span.chars, Span { start: 10, end: 16 });
}

#[test]
fn normalized_spans_leave_outer_whitespace_out() {
    assert_eq!(
        found("x \t Target\n\nWords  y", "  target words\n"),
        (MatchMethod::Normalized, "Target\n\nWords")
    );
}

#[test]
fn letters_that_grow_in_lowercase_do_not_shift_the_span() {
    let message = "İİİ Straße İstanbul ΟΔΟΣ";
    assert_eq!(
        found(message, "straße i\u{307}stanbul"),
        (MatchMethod::Normalized, "Straße İstanbul")
    );
    assert_eq!(found(message, "οδος"), (MatchMethod::Normalized, "ΟΔΟΣ"));
}

#[test]
fn decomposed_and_invisible_characters_are_normalised() {
    let message: String = "벡터 검색을 구현합니다 그리고".nfd().collect();
    let expected: String = "검색을 구현합니다".nfd().collect();
    assert_eq!(
        found(&message, "검색을 구현합니다"),
        (MatchMethod::Normalized, expected.as_str())
    );
    assert_eq!(
        found("the vec\u{200b}tor out\u{ad}box", "vector outbox"),
        (MatchMethod::Normalized, "vec\u{200b}tor out\u{ad}box")
    );
}

#[test]
fn a_typing_error_in_a_quote_of_decomposed_text_is_found() {
    let message: String = "오늘은 벡터 검색을 구현합니다 그리고 테스트합니다"
        .nfd()
        .collect();
    let (method, text) = found(&message, "벡터 검색을 구현헙니다 그리고");
    assert_eq!(method, MatchMethod::Fuzzy);
    assert_eq!(
        text.nfc().collect::<String>(),
        "벡터 검색을 구현합니다 그리고"
    );
}

#[test]
fn fuzzy_confidence_stays_below_normalized() {
    let message = "we delete by id first and then insert again, so exactly one record exists";
    let result = one(message, &message.replace("again", "agian"));
    assert_eq!(result.match_method, MatchMethod::Fuzzy);
    assert_eq!(result.confidence, MAX_FUZZY_CONFIDENCE);
}

#[test]
fn indentation_does_not_hide_a_fuzzy_match() {
    let message = "fn main() {\n            let value   =\n                      compute_it(1);\n}";
    assert_eq!(
        found(message, "let value = compute_at(1);"),
        (
            MatchMethod::Fuzzy,
            "let value   =\n                      compute_it(1);"
        )
    );
}

#[test]
fn several_places_are_reported_and_can_be_refused() {
    let evidence = [EvidenceQuote::new(0, "aa")];
    let report = align(&["aaaa"], &evidence);
    let quote = &report.results[0];
    assert!(quote.ambiguous);
    assert_eq!(quote.alternative_count, 2);
    let strict = AlignOptions {
        reject_ambiguous: true,
        ..AlignOptions::default()
    };
    let report = super::align(&["aaaa"], &evidence, &strict).unwrap();
    assert_eq!(report.results[0].reason, Some(FailureReason::Ambiguous));
    assert!(
        super::align(&["aa"], &evidence, &strict)
            .unwrap()
            .evidence_aligned
    );
}

#[test]
fn failures_have_reasons_and_one_failure_is_enough() {
    assert_eq!(reason("text", ""), FailureReason::EmptyQuote);
    assert_eq!(
        reason("text", " \u{3000}\n\u{feff}"),
        FailureReason::EmptyQuote
    );
    assert_eq!(reason("text", "\u{200b}"), FailureReason::NotFound);
    assert_eq!(reason("", "hello"), FailureReason::NotFound);
    assert_eq!(reason("abc", "z"), FailureReason::NotFound);
    assert_eq!(
        reason("the retry limit is five here", "the retry count was five"),
        FailureReason::BelowThreshold
    );
    let evidence = [0, 1, -1, i64::MAX].map(|index| EvidenceQuote::new(index, "text"));
    let report = align(&["text"], &evidence);
    assert!(!report.evidence_aligned);
    assert_eq!((report.aligned_count(), report.failed_count()), (1, 3));
    for (failed, given) in report.results.iter().zip(&evidence).skip(1) {
        assert_eq!(failed.reason, Some(FailureReason::InvalidIndex));
        assert_eq!(failed.message_index, given.message_index);
        assert_eq!(failed.match_method, MatchMethod::None);
        assert_eq!((failed.span, &failed.matched_text), (None, &None));
    }
    assert!(align(&[], &[]).evidence_aligned);
}

#[test]
fn quote_hash_is_of_the_quote_as_given() {
    let report = align(&["a b"], &[EvidenceQuote::new(0, " A  b")]);
    assert_eq!(
        report.results[0].quote_hash,
        blake3::hash(b" A  b").to_hex().to_string()
    );
}

#[test]
fn options_outside_their_range_are_refused_by_name() {
    for threshold in [f64::NAN, 0.2, 1.1] {
        let options = AlignOptions {
            fuzzy_threshold: threshold,
            ..AlignOptions::default()
        };
        let error = super::align(&[""; 0], &[], &options).unwrap_err();
        assert_eq!(error.argument(), Some("fuzzy_threshold"));
    }
    let options = AlignOptions {
        max_fuzzy_quote_chars: 10_001,
        ..AlignOptions::default()
    };
    let error = super::align(&[""; 0], &[], &options).unwrap_err();
    assert_eq!(error.argument(), Some("max_fuzzy_quote_chars"));
}

#[test]
fn quotes_above_the_limit_are_still_found_literally() {
    let message = "abcdefghij ".repeat(100);
    let mut quote = message[11..900].to_uppercase();
    assert_eq!(found(&message, &quote).0, MatchMethod::Normalized);
    quote.replace_range(400..401, "#");
    assert_eq!(reason(&message, &quote), FailureReason::NotFound);
}

#[test]
fn large_messages_and_quotes_take_bounded_time() {
    let words = "retry limit and stuck threshold, 검색 색인 🎉 ";
    let message = words.repeat(1_000_000 / words.len());
    let long_quote: String = message.chars().skip(40).take(20_000).collect();
    assert_eq!(found(&message, &long_quote).0, MatchMethod::Exact);
    assert_eq!(
        found(&message, &long_quote.to_uppercase()).0,
        MatchMethod::Normalized
    );
    assert_eq!(
        reason(&message, &"zebra ".repeat(9_000)),
        FailureReason::NotFound
    );
    let same = "a".repeat(1_000_000);
    let (method, text) = found(&same, &format!("{}bb", "a".repeat(498)));
    assert_eq!((method, text.len()), (MatchMethod::Fuzzy, 500));
    let marks = "\u{301}".repeat(300_000);
    assert_eq!(reason(&marks, "zebra crossing"), FailureReason::NotFound);
}

proptest! {
    #[test]
    fn every_piece_of_a_message_aligns_exactly(
        message in "\\PC{1,60}", start in any::<prop::sample::Index>(), len in 1usize..60
    ) {
        let chars: Vec<char> = message.chars().collect();
        let start = start.index(chars.len());
        let quote: String = chars[start..(start + len).min(chars.len())].iter().collect();
        prop_assume!(!quote.chars().all(normalize::is_space));
        let (method, text) = found(&message, &quote);
        prop_assert_eq!(method, MatchMethod::Exact);
        prop_assert_eq!(text, quote);
    }

    #[test]
    fn any_input_gives_a_span_whose_text_explains_the_confidence(
        message in "[aAbİß가각\u{301}\u{200b}🎉 \n\u{3000}]{0,60}",
        quote in "[aAbi\u{307}ß가각\u{301}🎉 \n]{0,20}",
    ) {
        let result = one(&message, &quote);
        if let Some(text) = &result.matched_text {
            match result.match_method {
                MatchMethod::Exact => prop_assert_eq!(text, &quote),
                MatchMethod::Normalized => prop_assert_eq!(result.confidence, 0.95),
                MatchMethod::Fuzzy => prop_assert!((0.85..0.95).contains(&result.confidence)),
                MatchMethod::None => prop_assert!(false),
            }
            if result.match_method != MatchMethod::Exact {
                prop_assert!(!text.starts_with(char::is_whitespace));
                prop_assert!(!text.ends_with(char::is_whitespace));
            }
        }
    }

    #[test]
    fn arbitrary_text_never_panics(message in any::<String>(), quote in any::<String>()) {
        one(&message, &quote);
        align_claims(&extract_claims(&quote), &message);
    }
}
