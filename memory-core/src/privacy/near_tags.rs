//! Tags as people, templates and encoders really write them: `<private >`,
//! `<private reason="x">`, `&lt;private&gt;`, `\u003cprivate\u003e`, `%3Cprivate%3E`.
//!
//! The rule of the specification counts exact tags only. In front of the store
//! that would be wrong: who writes nearly a tag wants the text hidden. So here
//! what looks like a tag is one, and what is code is decided more narrowly; where
//! something that looks like a tag hides nothing, the caller is told.
//!
//! One sweep, and at each place a look ahead of at most [`LOOK`] bytes.

use super::tags::{Marker, Tag, TagFormat};
use super::words::visit;

/// The longest tag, from its first sign to its last.
const LOOK: usize = 256;

/// What a sweep found.
#[derive(Default)]
pub(super) struct Marks {
    /// Tags of the wanted formats outside code, in order.
    pub(super) tags: Vec<Tag>,
    /// An opening tag stands in code and hides nothing.
    pub(super) in_code: bool,
    /// An opening tag of a format that is not wanted.
    pub(super) unwanted: bool,
    /// A tag that hides was not written exactly.
    pub(super) inexact: bool,
    /// The beginning of a tag that has no end, as `<private secret`.
    pub(super) unfinished: bool,
}

/// The tags of a text.
pub(super) fn find_marks(text: &str, formats: &[TagFormat]) -> Marks {
    let bytes = text.as_bytes();
    let mut sweep = Sweep {
        bytes,
        formats,
        marks: Marks::default(),
        code_to: 0,
    };
    let mut fences_end = false;
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(|b| STARTS[usize::from(*b)]) {
        at += skipped;
        at = match bytes[at] {
            b'`' if at < sweep.code_to => at + 1,
            b'`' => {
                let end = if is_opened_here(bytes, at) {
                    code_end(text, at, &mut fences_end)
                } else {
                    None
                };
                sweep.code_to = end.unwrap_or(sweep.code_to);
                at + backticks(bytes, at)
            }
            _ => sweep.tag_at(at),
        };
    }
    sweep.marks
}

/// The bytes that a tag or code may begin with.
static STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let signs = b"`<&\\%[\xEF";
    let mut index = 0;
    while index < signs.len() {
        starts[signs[index] as usize] = true;
        index += 1;
    }
    starts
};

struct Sweep<'t, 'f> {
    bytes: &'t [u8],
    formats: &'f [TagFormat],
    marks: Marks,
    /// Where the code that was entered last ends.
    code_to: usize,
}

impl Sweep<'_, '_> {
    /// Takes the tag that begins at `at`, if one does; gives where to go on.
    fn tag_at(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at..self.bytes.len().min(at + LOOK)];
        visit(16);
        let found = match read_tag(rest) {
            Some(found) => found,
            None => return at + 1,
        };
        let FoundTag {
            length,
            format,
            opens,
            exact,
        } = found;
        if length == 0 {
            self.marks.unfinished |= at >= self.code_to;
            return at + 1;
        }
        if at < self.code_to {
            self.marks.in_code |= opens;
        } else if !self.formats.contains(&format) {
            // What the filter itself writes comes back in quotes and exports.
            let is_marker = rest[..length] == *Marker::Private.as_str().as_bytes();
            self.marks.unwanted |= opens && !is_marker;
        } else {
            self.marks.inexact |= !exact;
            self.marks.tags.push(Tag {
                start: at,
                end: at + length,
                format,
                opens,
            });
        }
        at + length
    }
}

/// A tag at the beginning of some bytes.
struct FoundTag {
    /// 0 when it begins like a tag and does not end.
    length: usize,
    format: TagFormat,
    opens: bool,
    exact: bool,
}

fn read_tag(rest: &[u8]) -> Option<FoundTag> {
    let mut at;
    let format;
    // A sign alone, the commonest case, is no tag.
    if matches!(rest, [b'<' | b'[' | b'&' | b'%' | b'\\', next, ..] if next == &rest[0]) {
        return None;
    }
    if let Some(length) = sign(rest, 0, &LESS) {
        at = length;
        format = match rest.get(at..at + 3) {
            Some(b"!--") => {
                at += 3;
                TagFormat::Comment
            }
            _ => TagFormat::Xml,
        };
    } else {
        at = sign(rest, 0, &OPENING)?;
        format = TagFormat::Bracket;
    }
    at = after_blanks(rest, at);
    let opens = match sign(rest, at, &SLASH) {
        Some(length) => {
            at = after_blanks(rest, at + length);
            false
        }
        None => true,
    };
    at = after_name(rest, at)?;
    // `<private-key>` and `<privateKey>` are other names.
    if rest.get(at).is_some_and(|b| {
        b.is_ascii_alphanumeric() || b"_-.:".contains(b) && !rest[at..].starts_with(b"-->")
    }) {
        return None;
    }
    let length = match format {
        TagFormat::Bracket => {
            let end = after_blanks(rest, at);
            end + sign(rest, end, &CLOSING)?
        }
        TagFormat::Xml => end_of(rest, at, &GREATER),
        TagFormat::Comment => end_of(rest, at, &ARROW),
    };
    let exact = is_exact(&rest[..length], format);
    Some(FoundTag {
        length,
        format,
        opens,
        exact,
    })
}

/// Behind the sign that ends the tag; 0 when there is none before the next tag.
fn end_of(rest: &[u8], from: usize, end: &[&[u8]]) -> usize {
    for at in from..rest.len() {
        visit(1);
        if !matches!(rest[at], b'<' | b'>' | b'&' | b'\\' | b'%' | b'-' | 0xEF) {
            continue;
        }
        if let Some(length) = sign(rest, at, end) {
            return at + length;
        }
        if sign(rest, at, &LESS).is_some() {
            return 0;
        }
    }
    0
}

/// Whether the specification's rule takes these bytes for a tag too.
fn is_exact(tag: &[u8], format: TagFormat) -> bool {
    let lower = tag.to_ascii_lowercase();
    match format {
        TagFormat::Xml => [
            b"<private>".as_slice(),
            b"<private/>",
            b"<private />",
            b"</private>",
        ]
        .contains(&lower.as_slice()),
        TagFormat::Bracket => [b"[private]".as_slice(), b"[/private]"].contains(&lower.as_slice()),
        TagFormat::Comment => {
            let inner = lower
                .strip_prefix(b"<!--")
                .and_then(|tag| tag.strip_suffix(b"-->"))
                .unwrap_or_default()
                .trim_ascii();
            inner == b"private" || inner == b"/private"
        }
    }
}

const LESS: [&[u8]; 10] = [
    b"<",
    b"&lt;",
    b"&amp;lt;",
    b"&#60;",
    b"&#060;",
    b"&#x3c;",
    b"\\u003c",
    b"\\x3c",
    b"%3c",
    "＜".as_bytes(),
];
const GREATER: [&[u8]; 10] = [
    b">",
    b"&gt;",
    b"&amp;gt;",
    b"&#62;",
    b"&#062;",
    b"&#x3e;",
    b"\\u003e",
    b"\\x3e",
    b"%3e",
    "＞".as_bytes(),
];
const ARROW: [&[u8]; 6] = [
    b"-->",
    b"--&gt;",
    b"--&#62;",
    b"--\\u003e",
    b"--%3e",
    "--＞".as_bytes(),
];
const SLASH: [&[u8]; 9] = [
    b"/",
    b"\\/",
    b"&#47;",
    b"&#x2f;",
    b"&sol;",
    b"\\u002f",
    b"\\x2f",
    b"%2f",
    "／".as_bytes(),
];
const OPENING: [&[u8]; 5] = [b"[", b"&#91;", b"\\u005b", b"%5b", "［".as_bytes()];
const CLOSING: [&[u8]; 5] = [b"]", b"&#93;", b"\\u005d", b"%5d", "］".as_bytes()];
/// Blanks, escaped ones too, and characters that are not seen.
const BLANKS: [&[u8]; 26] = [
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\x0b",
    b"\x0c",
    b"\\n",
    b"\\r",
    b"\\t",
    b"%20",
    b"%09",
    b"%0a",
    b"%0d",
    b"&nbsp;",
    b"&#32;",
    b"&#10;",
    "\u{a0}".as_bytes(),
    "\u{ad}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200c}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{200e}".as_bytes(),
    "\u{200f}".as_bytes(),
    "\u{2060}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{feff}".as_bytes(),
];

/// The bytes that spellings begin with.
static MAY_BEGIN: [bool; 256] = {
    let mut may = [false; 256];
    let signs = b"<>&\\%-/[] \t\n\r\x0b\x0c\xC2\xE2\xE3\xEF";
    let mut index = 0;
    while index < signs.len() {
        may[signs[index] as usize] = true;
        index += 1;
    }
    may
};

/// The length of the spelling that stands at `at`.
fn sign(rest: &[u8], at: usize, spellings: &[&[u8]]) -> Option<usize> {
    let tail = rest.get(at..)?;
    // Nearly every byte begins no spelling of any sign.
    if !MAY_BEGIN[usize::from(*tail.first()?)] {
        return None;
    }
    spellings
        .iter()
        .find(|s| {
            // The first byte of every spelling is no letter.
            s.first() == tail.first()
                && tail
                    .get(..s.len())
                    .is_some_and(|found| found.eq_ignore_ascii_case(s))
        })
        .map(|s| s.len())
}

fn after_blanks(rest: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(length) = sign(rest, at, &BLANKS) {
        at += length;
        visit(length);
    }
    at
}

/// Behind the name, whose letters may have unseen characters between them.
fn after_name(rest: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    for letter in b"private" {
        while rest.get(at).is_some_and(|b| *b >= 0x80) {
            at += sign(rest, at, &BLANKS)?;
        }
        if !rest.get(at)?.eq_ignore_ascii_case(letter) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

fn backticks(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|b| **b == b'`').count()
}

/// Whether a backtick may open code: the one in "it`s" does not.
fn is_opened_here(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .is_none_or(|before| !(bytes[before].is_ascii_alphanumeric() || bytes[before] >= 0x80))
}

/// Where the code that a backtick opens ends: a fence at the next three
/// backticks, inline code on the same line, with no blank inside its ends.
fn code_end(text: &str, at: usize, fences_end: &mut bool) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes[at..].starts_with(b"```") {
        if *fences_end {
            return None;
        }
        let end = text[at + 3..].find("```");
        *fences_end = end.is_none();
        return end.map(|length| at + length + 6);
    }
    let begin = at + 1;
    let length = bytes[begin..]
        .iter()
        .position(|b| matches!(b, b'`' | b'\n'))?;
    let end = begin + length;
    let solid = |b: Option<&u8>| b.is_some_and(|b| !b.is_ascii_whitespace());
    let closes = length > 0
        && bytes[end] == b'`'
        && solid(bytes.get(begin))
        && solid(bytes.get(end - 1))
        && bytes
            .get(end + 1)
            .is_none_or(|b| !b.is_ascii_alphanumeric());
    closes.then_some(end + 1)
}
