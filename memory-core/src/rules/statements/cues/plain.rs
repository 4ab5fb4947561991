//! Reduces a sentence to the plain text that cues match: lowercase, with half-width
//! punctuation and straight apostrophes, and with quotations and code blanked unless the code
//! is just a name. Each byte maps back to the sentence.

use std::ops::Range;

pub(super) struct Plain {
    pub(super) text: String,
    /// The byte in the sentence for each byte of `text` and for its end.
    at: Vec<u32>,
}

/// Traditional characters, and their simplified forms in the same order.
const TRADITIONAL: &str = "決還須應該們統採換選這個說沒過為會員問題審檔動請別給寫測試發佈開關進導將後時間週記錄規許絕對務負責維護聯繫連線庫碼號優處復終於實現構遷結論確認證據單項點類編譯運環變數設計標準層級權鎖協議圖邊區帳戶從來內網專業產離轉輸較驗響簽臺灣東車買賣讓識願義總經貓樣劃畫積極縮約紅綠續絡緩繼綁擱著凍討價銀隊腳資儲嗎麼裡";
const SIMPLIFIED: &str = "决还须应该们统采换选这个说没过为会员问题审档动请别给写测试发布开关进导将后时间周记录规许绝对务负责维护联系连线库码号优处复终于实现构迁结论确认证据单项点类编译运环变数设计标准层级权锁协议图边区账户从来内网专业产离转输较验响签台湾东车买卖让识愿义总经猫样划画积极缩约红绿续络缓继绑搁着冻讨价银队脚资储吗么里";

/// Replaces quoted text.
const BLANK: char = '§';

/// Marks a sentence that begins in bold.
const LABEL: char = '•';

impl Plain {
    /// `quoted` are the quotations of the message, whose positions count from the sentence's
    /// `start`.
    pub(super) fn new(sentence: &str, start: usize, quoted: &[Range<usize>]) -> Self {
        let quoted = blanked_spans(sentence, start, quoted);
        let mut plain = Plain {
            text: String::with_capacity(sentence.len()),
            at: Vec::with_capacity(sentence.len() + 1),
        };
        let mut skip_to = 0;
        let mut spans = quoted.into_iter().peekable();
        // A label in bold begins an item of a template, not a statement.
        if sentence.starts_with("**") {
            plain.push(LABEL, 0);
        }
        for (at, c) in sentence.char_indices() {
            if at < skip_to {
                continue;
            }
            if let Some(span) = spans.next_if(|span| span.start == at) {
                plain.push(BLANK, at);
                skip_to = span.end;
                continue;
            }
            match c {
                // Marks of emphasis, and of code that is just a name.
                '*' | '`' => {}
                '’' | '‘' => plain.push('\'', at),
                '\u{3000}' | '\n' | '\t' | '\r' | '\u{a0}' => plain.push(' ', at),
                '\u{ff01}'..='\u{ff5e}' => {
                    let half = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
                    plain.push(half.to_ascii_lowercase(), at);
                }
                _ => c.to_lowercase().for_each(|lower| plain.push(lower, at)),
            }
        }
        plain
            .at
            .push(u32::try_from(sentence.len()).unwrap_or(u32::MAX));
        plain
    }

    /// With the simplified form of the Chinese characters that cues contain.
    pub(super) fn simplified(mut self) -> Self {
        let simplify = |c: char| match TRADITIONAL.find(c) {
            Some(at) => SIMPLIFIED[at..].chars().next().unwrap_or(c),
            None => c,
        };
        // All of them take three bytes, so that positions stay.
        self.text = self.text.chars().map(simplify).collect();
        self
    }

    /// With casual English spelled out: "dont" is "don't", "gonna" is "going to".
    pub(super) fn spelled_out(self) -> Self {
        let mut plain = Plain {
            text: String::with_capacity(self.text.len()),
            at: Vec::with_capacity(self.at.len()),
        };
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '_' | '-' | '.' | '/');
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let start = self.text.len() - rest.len();
            let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            if length > 0 {
                let word = &rest[..length];
                match spelled(word, &self.text[..start], &rest[length..]) {
                    Some(long) => {
                        plain.text.push_str(long);
                        plain
                            .at
                            .extend(std::iter::repeat_n(self.at[start], long.len()));
                    }
                    None => plain.copy(&self, start..start + length),
                }
                rest = &rest[length..];
                continue;
            }
            let other = rest.chars().next().map_or(rest.len(), char::len_utf8);
            plain.copy(&self, start..start + other);
            rest = &rest[other..];
        }
        plain.at.extend(self.at.last());
        plain
    }

    /// Part of the text.
    pub(super) fn part(&self, span: Range<usize>) -> Self {
        Plain {
            text: self.text[span.clone()].to_owned(),
            at: self.at[span.start..=span.end].to_vec(),
        }
    }

    fn copy(&mut self, other: &Plain, span: Range<usize>) {
        self.text.push_str(&other.text[span.clone()]);
        self.at.extend_from_slice(&other.at[span]);
    }

    fn push(&mut self, c: char, at: usize) {
        if c == ' ' && self.text.ends_with(' ') {
            return;
        }
        self.text.push(c);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.at.extend(std::iter::repeat_n(at, c.len_utf8()));
    }

    /// The position in the sentence of a span of the plain text.
    pub(super) fn original(&self, span: Range<usize>) -> Range<usize> {
        self.at[span.start] as usize..self.at[span.end] as usize
    }
}

/// How people type what English spells otherwise.
const CASUAL: [(&str, &str); 89] = [
    ("abt", "about"),
    ("ain't", "isn't"),
    ("aint", "isn't"),
    ("arent", "aren't"),
    ("b4", "before"),
    ("bc", "because"),
    ("bcs", "because"),
    ("cant", "can't"),
    ("cos", "because"),
    ("coulda", "could have"),
    ("couldnt", "couldn't"),
    ("coz", "because"),
    ("cuz", "because"),
    ("def", "definitely"),
    ("deffo", "definitely"),
    ("defo", "definitely"),
    ("didnt", "didn't"),
    ("doesnt", "doesn't"),
    ("dont", "don't"),
    ("dunno", "don't know"),
    ("gimme", "give me"),
    ("gon", "going to"),
    ("gonna", "going to"),
    ("gotta", "have to"),
    ("gunna", "going to"),
    ("hadnt", "hadn't"),
    ("hafta", "have to"),
    ("hasnt", "hasn't"),
    ("havent", "haven't"),
    ("heres", "here's"),
    ("hes", "he's"),
    ("hows", "how's"),
    ("idk", "i don't know"),
    ("im", "i'm"),
    ("ima", "i'm going to"),
    ("imma", "i'm going to"),
    ("isnt", "isn't"),
    ("ive", "i've"),
    ("kinda", "kind of"),
    ("lemme", "let me"),
    ("msg", "message"),
    ("msgs", "messages"),
    ("mustnt", "mustn't"),
    ("needa", "need to"),
    ("neednt", "needn't"),
    ("nvm", "never mind"),
    ("oughta", "ought to"),
    ("pls", "please"),
    ("plz", "please"),
    ("ppl", "people"),
    ("probs", "probably"),
    ("prolly", "probably"),
    ("rly", "really"),
    ("rn", "right now"),
    ("shes", "she's"),
    ("shoulda", "should have"),
    ("shouldnt", "shouldn't"),
    ("thats", "that's"),
    ("theres", "there's"),
    ("theyre", "they're"),
    ("theyve", "they've"),
    ("tho", "though"),
    ("thru", "through"),
    ("til", "until"),
    ("till", "until"),
    ("tmr", "tomorrow"),
    ("tmrw", "tomorrow"),
    ("tomo", "tomorrow"),
    ("tonite", "tonight"),
    ("tryna", "trying to"),
    ("u", "you"),
    ("ur", "your"),
    ("w/", "with"),
    ("w/o", "without"),
    ("wanna", "want to"),
    ("wasnt", "wasn't"),
    ("werent", "weren't"),
    ("weve", "we've"),
    ("whats", "what's"),
    ("wheres", "where's"),
    ("whos", "who's"),
    ("wknd", "weekend"),
    ("wont", "won't"),
    ("woulda", "would have"),
    ("wouldnt", "wouldn't"),
    ("y'all", "you"),
    ("yall", "you"),
    ("youre", "you're"),
    ("youve", "you've"),
];

/// How English spells a word that people type otherwise, which depends on the text around it.
fn spelled(word: &str, before: &str, after: &str) -> Option<&'static str> {
    let bare = word.trim_end_matches('.');
    if bare.len() != word.len() {
        return None;
    }
    let last = before.trim_end().rsplit(' ').next().unwrap_or("");
    let next = after.split_whitespace().next().unwrap_or("");
    let begins = last.is_empty()
        || last.ends_with([',', '.', ':', ';', '!', '-', '–', '—'])
        || JOINING.contains(&last);
    match word {
        // "This lets us" is no proposal.
        "lets" => return begins.then_some("let's"),
        // "Were they there", "the id", "ill people".
        "were" => {
            let goes_on = next.ends_with("ing") || matches!(next, "not" | "gonna" | "still");
            return (begins && goes_on).then_some("we're");
        }
        "id" => {
            let goes_on = matches!(next, "prefer" | "rather" | "like" | "love" | "say" | "go");
            return goes_on.then_some("i'd");
        }
        "ill" => return (begins && !next.is_empty()).then_some("i'll"),
        _ => {}
    }
    let at = CASUAL
        .binary_search_by_key(&word, |(short, _)| short)
        .ok()?;
    Some(CASUAL[at].1)
}

/// What may stand before the first word of a clause.
const JOINING: [&str; 14] = [
    "actually", "alright", "and", "but", "fine", "no", "now", "ok", "okay", "right", "so", "then",
    "well", "yeah",
];

/// Quotations, and code that is more than a name, including their marks.
fn blanked_spans(sentence: &str, start: usize, quoted: &[Range<usize>]) -> Vec<Range<usize>> {
    let first = quoted.partition_point(|span| span.end <= start);
    let mut quoted = quoted[first..]
        .iter()
        .map(|span| span.start.saturating_sub(start)..(span.end - start).min(sentence.len()))
        .peekable();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(c) = sentence[at..].chars().next() {
        while quoted.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = quoted.next_if(|span| span.start <= at) {
            at = span.end;
            spans.push(span);
            continue;
        }
        let inside = at + c.len_utf8();
        let end = match c {
            '`' => sentence[inside..]
                .find('`')
                .filter(|length| !is_name(&sentence[inside..inside + length]))
                .map(|length| inside + length + 1),
            '\'' => single_quotation_end(sentence, at, '\''),
            '‘' => single_quotation_end(sentence, at, '’'),
            _ => None,
        };
        match end {
            Some(end) => {
                spans.push(at..end);
                at = end;
            }
            // Code that is a name keeps its marks until here.
            None if c == '`' => {
                at = sentence[inside..]
                    .find('`')
                    .map_or(inside, |length| inside + length + 1);
            }
            None => at = inside,
        }
    }
    spans
}

/// The end of a quotation between single marks; an apostrophe is none.
fn single_quotation_end(sentence: &str, at: usize, close: char) -> Option<usize> {
    let inside = at + sentence[at..].chars().next().map_or(0, char::len_utf8);
    let before = sentence[..at].chars().next_back();
    if before.is_some_and(|c| !c.is_whitespace() && !"(:=".contains(c)) {
        return None;
    }
    let mut from = inside;
    while let Some(length) = sentence[from..].find(close) {
        let end = from + length + close.len_utf8();
        let after = sentence[end..].chars().next();
        if after.is_none_or(|c| !c.is_alphanumeric()) {
            return (end > inside + close.len_utf8()).then_some(end);
        }
        from = end;
    }
    None
}

/// Whether code is a single name, path or address, such as `src/main.rs`.
fn is_name(code: &str) -> bool {
    code.is_ascii() && !code.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::super::super::quotations;
    use super::*;

    fn plain(text: &str) -> Plain {
        Plain::new(text, 0, &quotations::spans(text))
    }

    #[test]
    fn quotations_and_code_are_blanked_and_names_are_not() {
        let cases = [
            ("He said \"we must\".", "he said §."),
            ("Don’t use `cargo run` here", "don't use § here"),
            ("Let’s use `sqlx`", "let's use sqlx"),
            ("it's the users' 'own words' here", "it's the users' § here"),
            ("「決めた」と，ＡＢ", "§と,ab"),
            ("`절대`라는", "§라는"),
            ("one \" only", "one \" only"),
            ("5\" and 7\" \"x\"", "5\" and 7\" §"),
            ("**Next steps**: go on", "•next steps: go on"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text).text, expected);
        }
    }

    #[test]
    fn traditional_characters_are_read_as_simplified_ones() {
        assert_eq!(TRADITIONAL.len(), SIMPLIFIED.len());
        assert_eq!(
            plain("我們決定採用這個方案").simplified().text,
            "我们决定采用这个方案"
        );
    }

    #[test]
    fn every_byte_knows_where_it_comes_from() {
        let text = "İstanbul “x y” ＡＢ끝";
        let plain = plain(text);
        let at = plain.text.find('끝').expect("kept");
        assert_eq!(&text[plain.original(at..at + 3)], "끝");
        assert_eq!(plain.original(0..plain.text.len()), 0..text.len());
    }
}
