//! Splits a block of prose into sentences, as byte spans, in scripts with and without spaces
//! between words.

use std::ops::Range;

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 20] = [
    "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "ms", "no", "approx", "resp", "incl",
    "fig", "st", "inc", "ltd", "al", "ca", "ver",
];

/// The sentences of a block, in order. None ends inside a quotation.
pub(crate) fn split(text: &str, block: Range<usize>, quoted: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = block.start;
    let first = quoted.partition_point(|span| span.end <= block.start);
    let mut quoted = quoted[first..].iter();
    let mut next_quoted = quoted.next();
    let mut at = block.start;
    while let Some(c) = text[at..block.end].chars().next() {
        if let Some(span) = next_quoted.filter(|span| span.start <= at) {
            let end = span.end.min(block.end);
            next_quoted = quoted.next();
            if ends_with_quotation(&text[at..end], &text[end..block.end]) {
                push(text, &mut sentences, start..end);
                start = end;
            }
            at = end;
            continue;
        }
        if !is_end_mark(c) {
            at += c.len_utf8();
            continue;
        }
        // Further punctuation and closing brackets belong to the sentence.
        let further = text[at..block.end]
            .find(|next| !(is_end_mark(next) || is_closing(next)))
            .unwrap_or(block.end - at);
        let mut end = at + further;
        if let Some(span) = next_quoted {
            end = end.min(span.start).max(at + c.len_utf8());
        }
        let follows = text[end..block.end].chars().next();
        if ends_here(&text[start..at], c, follows) {
            push(text, &mut sentences, start..end);
            start = end;
        }
        at = end;
    }
    push(text, &mut sentences, start..block.end);
    sentences
}

/// Whether a quotation ends a sentence for itself and for the words that introduce it.
fn ends_with_quotation(quotation: &str, rest: &str) -> bool {
    let inside = quotation.trim_end_matches(is_closing);
    let goes_on = rest
        .trim_start()
        .chars()
        .next()
        .is_some_and(char::is_lowercase);
    inside.ends_with(is_end_mark) && rest.chars().next().is_none_or(char::is_whitespace) && !goes_on
}

fn push(text: &str, sentences: &mut Vec<Range<usize>>, span: Range<usize>) {
    let words = &text[span.clone()];
    let start = span.start + (words.len() - words.trim_start().len());
    let end = start + words.trim().len();
    if end > start {
        sentences.push(start..end);
    }
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '．')
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        ')' | ']' | '"' | '\'' | '”' | '’' | '」' | '』' | '»' | '）' | '*' | '_'
    )
}

fn is_east_asian(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff)
}

/// Whether an end mark after `before` ends the sentence.
fn ends_here(before: &str, mark: char, follows: Option<char>) -> bool {
    let Some(follows) = follows else { return true };
    match mark {
        '。' | '！' | '？' | '．' => true,
        // In scripts without spaces, a half-width mark needs no space after it.
        '!' | '?' => {
            follows.is_whitespace()
                || (before.chars().next_back().is_some_and(is_east_asian) && is_east_asian(follows))
        }
        '.' => {
            let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
            let word = word
                .trim_start_matches(['(', '[', '"', '\''])
                .to_lowercase();
            let is_initial = word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
            follows.is_whitespace() && !is_initial && !ABBREVIATIONS.contains(&word.as_str())
        }
        _ => follows.is_whitespace() || is_east_asian(follows),
    }
}

#[cfg(test)]
mod tests {
    use super::super::quotations;
    use super::*;
    use proptest::prelude::*;

    fn sentences(text: &str) -> Vec<&str> {
        split(text, 0..text.len(), &quotations::spans(text))
            .into_iter()
            .map(|s| &text[s])
            .collect()
    }

    #[test]
    fn sentences_end_where_readers_see_it() {
        let cases: [(&str, &[&str]); 11] = [
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            (
                "See e.g. src/main.rs, v1.2. Done",
                &["See e.g. src/main.rs, v1.2.", "Done"],
            ),
            (
                "Wait... what?! (Yes.) No",
                &["Wait...", "what?!", "(Yes.)", "No"],
            ),
            ("결정했어요. 좋아요!", &["결정했어요.", "좋아요!"]),
            ("決めました。次です。", &["決めました。", "次です。"]),
            (
                "「やめよう。」と書いた。次",
                &["「やめよう。」と書いた。", "次"],
            ),
            ("好吗?我看看。", &["好吗?", "我看看。"]),
            ("“定了。”他说。好", &["“定了。”他说。", "好"]),
            (
                "I said: \"No. Go.\" He did.",
                &["I said: \"No. Go.\"", "He did."],
            ),
            (
                "He said \"Go. Now.\" and left. I",
                &["He said \"Go. Now.\" and left.", "I"],
            ),
            ("A 5\" one. A 7\" two.", &["A 5\" one.", "A 7\" two."]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_hold_every_word_in_order(text in "([a-z가各あ]{1,4}|[ .!?。！」「”\"…]){0,30}") {
            let spans = split(&text, 0..text.len(), &quotations::spans(&text));
            let joined: String = spans.iter().map(|s| &text[s.clone()]).collect();
            let words = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(words(&joined), words(&text));
            prop_assert!(spans.windows(2).all(|w| w[0].end <= w[1].start));
        }
    }
}
