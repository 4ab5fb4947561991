//! Normalises text for comparison, and maps each normalised character back to its bytes in
//! the original.

use std::ops::Range;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// How much is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormalForm {
    /// Whitespace runs become one space, outer whitespace is removed, letters become
    /// lowercase.
    Basic,
    /// First applies NFKC and drops format characters.
    Compatible,
    /// Like `Compatible`, and drops everything but letters, numbers and whitespace.
    Words,
}

/// A normalised text: no outer spaces and never two in a row.
#[derive(Debug)]
pub(crate) struct Normalized {
    /// The normalised text.
    pub(crate) text: String,
    /// For each character of `text`, its bytes in the original. Neither bound ever decreases.
    origins: Vec<Range<usize>>,
}

impl Normalized {
    pub(crate) fn new(source: &str, form: NormalForm) -> Self {
        let mut builder = Builder {
            out: Normalized {
                text: String::with_capacity(source.len()),
                origins: Vec::with_capacity(source.len()),
            },
            space: None,
        };
        if form == NormalForm::Basic {
            for (start, c) in source.char_indices() {
                builder.push(c, start..start + c.len_utf8());
            }
        } else {
            let words_only = form == NormalForm::Words;
            compatible(source, |c, origin| {
                if !words_only || is_space(c) || is_word(c) {
                    builder.push(c, origin);
                }
            });
        }
        builder.out
    }

    /// The original bytes of a non-empty range of normalised characters.
    pub(crate) fn original(&self, chars: Range<usize>) -> Range<usize> {
        self.origins[chars.start].start..self.origins[chars.end - 1].end
    }

    /// The original bytes of a non-empty byte range of `text` on character boundaries.
    pub(crate) fn original_of_bytes(&self, bytes: Range<usize>) -> Range<usize> {
        let start = self.text[..bytes.start].chars().count();
        let len = self.text[bytes].chars().count();
        self.original(start..start + len)
    }
}

struct Builder {
    out: Normalized,
    /// The first whitespace character after the last other one.
    space: Option<Range<usize>>,
}

impl Builder {
    fn push(&mut self, c: char, origin: Range<usize>) {
        if is_space(c) {
            self.space.get_or_insert(origin);
            return;
        }
        if let Some(space) = self.space.take()
            && !self.out.text.is_empty()
        {
            self.out.text.push(' ');
            self.out.origins.push(space);
        }
        if c.is_ascii() {
            self.out.text.push(c.to_ascii_lowercase());
            self.out.origins.push(origin);
            return;
        }
        for lower in c.to_lowercase() {
            // A capital sigma has no context here, so both lowercase forms are treated as
            // one.
            self.out.text.push(if lower == 'ς' { 'σ' } else { lower });
            self.out.origins.push(origin.clone());
        }
    }
}

/// Unicode white space, plus the byte order mark, which many languages trim.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn is_word(c: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, LetterNumber, LowercaseLetter, ModifierLetter, OtherLetter, OtherNumber,
        TitlecaseLetter, UppercaseLetter,
    };
    matches!(
        get_general_category(c),
        UppercaseLetter
            | LowercaseLetter
            | TitlecaseLetter
            | ModifierLetter
            | OtherLetter
            | DecimalNumber
            | LetterNumber
            | OtherNumber
    )
}

/// NFKC without format characters. Composes within clusters that cannot interact with their
/// neighbours; if more than the first character of a cluster changes, all its characters get the
/// origin of the whole.
fn compatible(source: &str, mut emit: impl FnMut(char, Range<usize>)) {
    let mut cluster: Vec<(char, Range<usize>)> = Vec::new();
    for (start, c) in source.char_indices() {
        if !c.is_ascii() && get_general_category(c) == GeneralCategory::Format {
            continue;
        }
        if starts_cluster(c) {
            flush(&mut cluster, &mut emit);
        }
        cluster.push((c, start..start + c.len_utf8()));
    }
    flush(&mut cluster, &mut emit);
}

fn flush(cluster: &mut Vec<(char, Range<usize>)>, emit: &mut impl FnMut(char, Range<usize>)) {
    let (Some((first, first_origin)), Some((_, last_origin))) = (cluster.first(), cluster.last())
    else {
        return;
    };
    let alone = cluster.len() == 1;
    if alone && is_nfkc_quick(std::iter::once(*first)) == IsNormalized::Yes {
        emit(*first, first_origin.clone());
    } else {
        let whole = first_origin.start..last_origin.end;
        let composed: Vec<char> = cluster.iter().map(|(c, _)| *c).nfkc().collect();
        let marks = cluster.iter().skip(1).map(|(c, _)| c);
        let is_first_replaced = !composed.is_empty() && composed.iter().skip(1).eq(marks);
        for (at, c) in composed.into_iter().enumerate() {
            let origin = if is_first_replaced {
                cluster[at].1.clone()
            } else {
                whole.clone()
            };
            emit(c, origin);
        }
    }
    cluster.clear();
}

/// Whether no earlier character can combine with this one.
fn starts_cluster(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn basic(text: &str) -> String {
        Normalized::new(text, NormalForm::Basic).text
    }

    fn folded(text: &str) -> String {
        Normalized::new(text, NormalForm::Compatible).text
    }

    #[test]
    fn whitespace_of_every_kind_becomes_one_space() {
        assert_eq!(
            basic("\u{feff} A\u{a0}\u{3000}\r\n\tb\u{2028}C \u{85}"),
            "a b c"
        );
        assert_eq!(basic(" \t\u{3000}"), "");
    }

    #[test]
    fn length_changing_lowercase_keeps_the_way_back() {
        let source = "x İs";
        let normalized = Normalized::new(source, NormalForm::Basic);
        assert_eq!(normalized.text, "x i\u{307}s");
        assert_eq!(&source[normalized.original(2..4)], "İ");
        assert_eq!(&source[normalized.original(4..5)], "s");
    }

    #[test]
    fn both_small_sigmas_are_one() {
        assert_eq!(basic("ΟΔΟΣ"), basic("οδος"));
    }

    #[test]
    fn decomposed_hangul_and_accents_compose() {
        let source: String = "검색을 très".nfd().collect();
        let normalized = Normalized::new(&source, NormalForm::Compatible);
        assert_eq!(normalized.text, "검색을 très");
        let second: String = "색".nfd().collect();
        assert_eq!(source[normalized.original(1..2)], second);
    }

    #[test]
    fn halfwidth_voice_marks_compose_with_what_stands_before() {
        assert_eq!(folded("ｶﾞ"), "ガ");
        assert_eq!(folded("ﬁle Ｆｕｌｌ　x\u{200b}y"), "file full xy");
    }

    #[test]
    fn a_mark_on_a_wide_space_has_a_place_of_its_own() {
        let source = "\u{3000}\u{301}A";
        let normalized = Normalized::new(source, NormalForm::Compatible);
        let mark = normalized.text.find('\u{301}').unwrap();
        let chars = normalized.text[..mark].chars().count();
        assert_eq!(&source[normalized.original(chars..chars + 1)], "\u{301}");
    }

    #[test]
    fn words_drop_punctuation_and_marks() {
        let normalized = Normalized::new("Don't — “stop”, 2.0!", NormalForm::Words);
        assert_eq!(normalized.text, "dont stop 20");
    }

    proptest! {
        #[test]
        fn folding_equals_nfkc_of_the_whole(source in "\\PC{0,40}") {
            let kept: String = source
                .chars()
                .filter(|c| get_general_category(*c) != GeneralCategory::Format)
                .collect();
            prop_assert_eq!(folded(&source), basic(&kept.nfkc().collect::<String>()));
        }

        #[test]
        fn folding_equals_nfkc_where_characters_combine(
            source in "[a가각ｶﾞ\u{301}\u{323}\u{344}\u{ffc2}\u{11ba}é\u{9c7}\u{9be} ]{0,30}"
        ) {
            prop_assert_eq!(folded(&source), basic(&source.nfkc().collect::<String>()));
        }

        #[test]
        fn origins_are_ordered_character_ranges(source in "\\PC{0,40}") {
            for form in [NormalForm::Basic, NormalForm::Compatible, NormalForm::Words] {
                let normalized = Normalized::new(&source, form);
                prop_assert_eq!(normalized.text.chars().count(), normalized.origins.len());
                let mut last = 0..0;
                for origin in &normalized.origins {
                    prop_assert!(source.get(origin.clone()).is_some_and(|s| !s.is_empty()));
                    prop_assert!(origin.start >= last.start && origin.end >= last.end);
                    last = origin.clone();
                }
                prop_assert!(!normalized.text.contains("  "));
                prop_assert_eq!(normalized.text.trim_matches(' '), &normalized.text);
            }
        }
    }
}
