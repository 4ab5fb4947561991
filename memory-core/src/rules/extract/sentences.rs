//! Splits a block of prose into sentences, as byte spans, in scripts with and without spaces
//! between words.

use std::ops::Range;

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 20] = [
    "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "ms", "no", "approx", "resp", "incl",
    "fig", "st", "inc", "ltd", "al", "ca", "ver",
];

/// The sentences of a block, in order.
pub(super) fn split(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = block.start;
    let mut quotes = Quotes::default();
    let mut chars = text[block.clone()].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        quotes.take(c);
        if quotes.is_open() || !is_end_mark(c) {
            continue;
        }
        let at = block.start + at;
        let mut end = at + c.len_utf8();
        // Further punctuation and closing brackets belong to the sentence.
        while let Some((_, next)) = chars.peek().copied() {
            if !(is_end_mark(next) || is_closing(next)) {
                break;
            }
            quotes.take(next);
            end += next.len_utf8();
            chars.next();
        }
        let follows = text[end..block.end].chars().next();
        if ends_here(&text[start..at], c, follows) {
            push(text, &mut sentences, start..end);
            start = end;
        }
    }
    push(text, &mut sentences, start..block.end);
    sentences
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
        ')' | ']' | '"' | '\'' | '”' | '’' | '」' | '』' | '）' | '*' | '_'
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

/// Paired quotation marks: no sentence ends inside them.
#[derive(Default)]
struct Quotes {
    depth: u32,
    chars: u32,
}

impl Quotes {
    fn take(&mut self, c: char) {
        match c {
            '「' | '『' | '“' => self.depth += 1,
            '」' | '』' | '”' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.chars = if self.depth == 0 { 0 } else { self.chars + 1 };
    }

    /// An unclosed one must not swallow the rest.
    fn is_open(&self) -> bool {
        self.depth > 0 && self.chars < 200
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sentences(text: &str) -> Vec<&str> {
        split(text, 0..text.len())
            .into_iter()
            .map(|s| &text[s])
            .collect()
    }

    #[test]
    fn sentences_end_where_readers_see_it() {
        let cases: [(&str, &[&str]); 8] = [
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
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_hold_every_word_in_order(text in "([a-z가各あ]{1,4}|[ .!?。！」「”\"…]){0,30}") {
            let spans = split(&text, 0..text.len());
            let joined: String = spans.iter().map(|s| &text[s.clone()]).collect();
            let words = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(words(&joined), words(&text));
            prop_assert!(spans.windows(2).all(|w| w[0].end <= w[1].start));
        }
    }
}
