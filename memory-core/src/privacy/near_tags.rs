//! Recognises tags as people, templates and encoders actually write them: `<private >`,
//! `<private reason="x">`, `&lt;private&gt;`, `\u003cprivate\u003e`, `%3Cprivate%3E`,
//! `<pr\u0069vate>`, `&ltprivate&gt`, `\<private\>`, `%253Cprivate%253E`, `<x:private>`, and with
//! the colours in which a program found the word.
//!
//! The specification's rule counts only exact tags. In front of the store that would be
//! wrong: someone who almost writes a tag wants the text hidden. So what looks like a tag
//! is one here, and code is recognised more narrowly; if something that looks like a tag
//! hides nothing, the caller is warned.
//!
//! One sweep, with a lookahead of at most [`LOOK`] bytes at each place.

use unicode_normalization::UnicodeNormalization;

use super::scanned::visit;
use super::tags::{Marker, Tag, TagFormat};

/// The longest tag, from its first to its last sign.
const LOOK: usize = 2048;
/// A sign in a usual spelling is no longer, so one that the limit of a look cuts begins so near
/// to its end.
const MAX_SIGN_LENGTH: usize = 16;

/// The name of the tags.
const NAME: &str = "private";

/// The result of a sweep.
#[derive(Default)]
pub(super) struct Marks {
    /// Tags of the wanted formats outside code, in order.
    pub(super) tags: Vec<Tag>,
    /// An opening tag is in code and hides nothing.
    pub(super) in_code: bool,
    /// An opening tag of a format that is not wanted.
    pub(super) unwanted: bool,
    /// A tag that hides text was not written exactly.
    pub(super) inexact: bool,
    /// The start of a tag without an end, like `<private secret`.
    pub(super) unfinished: bool,
    /// An opening tag whose name only looks like that of a private one, and hides nothing.
    pub(super) misspelt: bool,
}

/// The tags of a text.
pub(super) fn find_marks(text: &str, formats: &[TagFormat]) -> Marks {
    let bytes = text.as_bytes();
    let mut sweep = Sweep {
        bytes,
        formats,
        marks: Marks::default(),
        code_to: 0,
        saw_marker: false,
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

/// The bytes that can start a tag or code.
static STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let signs = b"`<&\\%=[\xEF";
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
    /// The end of the code entered last.
    code_to: usize,
    /// Whether one of the filter's own markers came before.
    saw_marker: bool,
}

impl Sweep<'_, '_> {
    /// Handles the tag that starts at `at`, if any; returns where to continue.
    fn tag_at(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at..self.bytes.len().min(at + LOOK)];
        visit(16);
        // Most signs, such as `=`, spell none that begins a tag. Of a run of backslashes, only the last
        // one can.
        let spells_one = |first: Spelled| matches!(first.sign, '<' | '[');
        if rest.starts_with(b"\\\\") || !spelled(rest, 0).is_some_and(spells_one) {
            return at + 1;
        }
        let Some(found) = read_tag(rest) else {
            self.marks.misspelt |= at >= self.code_to && is_misspelt(rest);
            return at + 1;
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
            // The filter's own markers come back in quotes and exports.
            let is_marker = rest[..length] == *Marker::Private.as_str().as_bytes();
            // What such a marker closes, a person wrote as a tag.
            self.marks.unwanted |= if opens { !is_marker } else { self.saw_marker };
            self.saw_marker |= is_marker;
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

/// A tag at the start of some bytes.
struct FoundTag {
    /// 0 if it starts like a tag but does not end.
    length: usize,
    format: TagFormat,
    opens: bool,
    exact: bool,
}

impl FoundTag {
    /// The start of a tag whose end is not known.
    fn unfinished(format: TagFormat, opens: bool) -> FoundTag {
        FoundTag {
            length: 0,
            format,
            opens,
            exact: false,
        }
    }
}

/// Whether a look that came as far as `at` ended only because it is limited.
fn is_used_up(rest: &[u8], at: usize) -> bool {
    rest.len() == LOOK && at + MAX_SIGN_LENGTH > LOOK
}

fn read_tag(rest: &[u8]) -> Option<FoundTag> {
    // A sign on its own, the most common case, is not a tag.
    if matches!(rest, [b'<' | b'[' | b'&' | b'%' | b'\\', next, ..] if next == &rest[0]) {
        return None;
    }
    let first = spelled(rest, 0)?;
    let mut at = first.length;
    let format = match first.sign {
        '[' => TagFormat::Bracket,
        '<' => match after_all(rest, at, "!--") {
            Some(behind) => {
                at = behind;
                TagFormat::Comment
            }
            None => TagFormat::Xml,
        },
        _ => return None,
    };
    at = after_blanks(rest, at);
    let opens = match after_all(rest, at, "/") {
        Some(behind) => {
            at = after_blanks(rest, behind);
            false
        }
        None => true,
    };
    let named = after_name(rest, at);
    at = match named.or_else(|_| after_name(rest, after_prefix(rest, at, format))) {
        Ok(behind) => behind,
        Err(stopped) => {
            return is_used_up(rest, stopped).then(|| FoundTag::unfinished(format, opens));
        }
    };
    // `<private-key>` and `<privateKey>` are different names; `<private:x>` is one of its own.
    if spelled(rest, at).is_some_and(|next| {
        let is_end = next.sign == '.'
            && spelled(rest, at + next.length).is_none_or(|sign| !is_of_word(sign.sign));
        next.sign.is_ascii_alphanumeric()
            || "_-.".contains(next.sign) && !is_end && after_all(rest, at, "-->").is_none()
    }) {
        return None;
    }
    let length = match format {
        TagFormat::Bracket => {
            at = after_blanks(rest, at);
            match after_all(rest, at, "]") {
                Some(behind) => behind,
                None if is_used_up(rest, at) => 0,
                None => return None,
            }
        }
        TagFormat::Xml => end_of(rest, at, ">"),
        TagFormat::Comment => end_of(rest, at, "-->"),
    };
    let exact = is_exact(&rest[..length], format);
    Some(FoundTag {
        length,
        format,
        opens,
        exact,
    })
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.')
}

/// The position after the sign that ends the tag; 0 if there is none before the next tag.
fn end_of(rest: &[u8], from: usize, end: &str) -> usize {
    let mut at = from;
    while let Some(next) = spelled(rest, at) {
        visit(next.length);
        if let Some(behind) = after_all(rest, at, end) {
            return behind;
        }
        if next.sign == '<' {
            return 0;
        }
        at += next.length;
    }
    0
}

/// Whether these bytes are also a tag by the specification's rule.
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

/// A character in any spelling.
#[derive(Clone, Copy)]
struct Spelled {
    sign: char,
    /// The length of its spelling in bytes, at least 1.
    length: usize,
}

/// The character at `at`: plain, full-width, or escaped as in HTML, JSON, other programming
/// languages and addresses, even repeatedly: `&amp;lt;`, `&#38;lt;`, `\u0026lt;`. A sequence that
/// colours the text is one invisible character.
fn spelled(rest: &[u8], at: usize) -> Option<Spelled> {
    let tail = rest.get(at..)?;
    let first = *tail.first()?;
    let escaped = match first {
        b'&' => of_html(tail),
        b'\\' => of_backslash(tail),
        b'%' => of_address(tail),
        b'=' => of_mail(tail),
        b'^' if tail.starts_with(b"^[[") => Some(Spelled {
            sign: char::from(ESCAPE),
            length: 2,
        }),
        0x80.. => of_utf8(tail),
        _ => None,
    };
    let mut found = escaped.unwrap_or(Spelled {
        sign: char::from(first),
        length: 1,
    });
    // An escaped `&` may begin another escape.
    while found.sign == '&'
        && found.length > 1
        && let Some(next) = of_html(&tail[found.length - 1..])
    {
        visit(next.length);
        found = Spelled {
            sign: next.sign,
            length: found.length - 1 + next.length,
        };
    }
    if found.sign == char::from(ESCAPE)
        && let Some(length) = of_terminal(&tail[found.length..])
    {
        found = Spelled {
            sign: '\u{200b}',
            length: found.length + length,
        };
    }
    found.sign = half_width(found.sign);
    Some(found)
}

/// The plain sign for a full-width or a small one.
pub(super) fn half_width(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(sign as u32 - 0xFEE0).unwrap_or(sign),
        '\u{fe64}' => '<',
        '\u{fe65}' => '>',
        _ => sign,
    }
}

/// How many bytes a character has that begins with this one.
fn utf8_length(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// A character of more than one byte.
fn of_utf8(tail: &[u8]) -> Option<Spelled> {
    let length = utf8_length(tail[0]);
    let found = tail.get(..length).and_then(|c| std::str::from_utf8(c).ok());
    Some(match found.and_then(|c| c.chars().next()) {
        Some(sign) => Spelled { sign, length },
        // Cut off by the lookahead limit.
        None => Spelled {
            sign: char::REPLACEMENT_CHARACTER,
            length: 1,
        },
    })
}

/// The byte that begins a sequence for the terminal.
const ESCAPE: u8 = 0x1b;

/// The length of a sequence that colours or moves the text, behind its escape: `[ 01;31 m`.
fn of_terminal(tail: &[u8]) -> Option<usize> {
    const MAX_LENGTH: usize = 32;
    let parameters = tail.strip_prefix(b"[")?;
    let parameters = &parameters[..parameters.len().min(MAX_LENGTH)];
    let length = parameters
        .iter()
        .position(|b| !(0x20..0x40).contains(b))
        .filter(|end| (0x40..0x7f).contains(&parameters[*end]))?;
    Some(length + 2)
}

/// `&lt;`, `&#60;`, `&#x3c;`, also without the semicolon, and `&amp;lt;`.
fn of_html(tail: &[u8]) -> Option<Spelled> {
    let mut at = 1;
    while starts(tail, at, "amp;") {
        at += 4;
    }
    let (sign, length) = if tail.get(at) == Some(&b'#') {
        at += 1;
        let is_hex = tail.get(at).is_some_and(|b| b.eq_ignore_ascii_case(&b'x'));
        at += usize::from(is_hex);
        number(&tail[at..], if is_hex { 16 } else { 10 }, 48)?
    } else {
        let (name, sign) = NAMED.iter().find(|(name, _)| starts(tail, at, name))?;
        (*sign, name.len())
    };
    at += length;
    at += semicolon(tail.get(at..)?);
    Some(Spelled { sign, length: at })
}

/// The length of the semicolon at the start, which may be escaped once more; 0 if there is none.
fn semicolon(tail: &[u8]) -> usize {
    let escaped = match tail.first() {
        Some(b';') => return 1,
        Some(b'%') => of_address(tail),
        Some(b'\\') => of_backslash(tail),
        _ => None,
    };
    escaped
        .filter(|found| found.sign == ';')
        .map_or(0, |found| found.length)
}

const NAMED: [(&str, char); 12] = [
    ("lt", '<'),
    ("gt", '>'),
    ("sol;", '/'),
    ("nbsp", ' '),
    ("lsqb;", '['),
    ("rsqb;", ']'),
    ("lbrack;", '['),
    ("rbrack;", ']'),
    ("excl;", '!'),
    ("shy;", '\u{ad}'),
    ("zwnj;", '\u{200c}'),
    ("zwj;", '\u{200d}'),
];

/// `\u003c`, `\u{3c}`, `\x3c`, `\074`, `\n`, `\/`, after any number of backslashes.
fn of_backslash(tail: &[u8]) -> Option<Spelled> {
    let run = tail.iter().take_while(|b| **b == b'\\').count();
    visit(run);
    let rest = &tail[run..];
    let (sign, length) = match rest.first()? {
        b'u' | b'U' if rest.get(1) == Some(&b'{') => {
            let (sign, length) = number(&rest[2..], 16, 6)?;
            (sign, 3 + length)
        }
        b'u' | b'U' => {
            let long = digits(&rest[1..], 16, 8).filter(|_| rest[0] == b'U');
            match long {
                Some(sign) => (sign, 9),
                None => digits(&rest[1..], 16, 4).map(|sign| (sign, 5))?,
            }
        }
        b'x' | b'X' => digits(&rest[1..], 16, 2).map(|sign| (sign, 3))?,
        b'0' | b'1' => digits(rest, 8, 3).map(|sign| (sign, 3))?,
        b'4'..=b'7' => digits(rest, 8, 2).map(|sign| (sign, 2))?,
        b'n' | b'r' | b't' => (' ', 1),
        b'e' | b'E' if rest.get(1) == Some(&b'[') => (char::from(ESCAPE), 1),
        sign @ (b'<' | b'>' | b'/' | b'[' | b']' | b'-' | b'!') => (char::from(*sign), 1),
        _ => return None,
    };
    Some(Spelled {
        sign,
        length: run + length,
    })
}

/// `=3C`, as mails are written.
fn of_mail(tail: &[u8]) -> Option<Spelled> {
    let sign = digits(tail.get(1..)?, 16, 2).filter(char::is_ascii_graphic)?;
    Some(Spelled { sign, length: 3 })
}

/// `%3c`, and `%253c`; `%u003c`; `%ef%bc%9c`, a character of several bytes.
fn of_address(tail: &[u8]) -> Option<Spelled> {
    let mut at = 1;
    while starts(tail, at, "25") {
        at += 2;
    }
    if starts(tail, at, "u")
        && let Some(sign) = digits(&tail[at + 1..], 16, 4)
    {
        return Some(Spelled {
            sign,
            length: at + 5,
        });
    }
    let byte_at = |at: usize| digits(tail.get(at..)?, 16, 2).and_then(|c| u8::try_from(c).ok());
    let first = byte_at(at)?;
    let mut bytes = [first, 0, 0, 0];
    let count = utf8_length(first);
    let mut end = at + 2;
    for byte in &mut bytes[1..count] {
        // Each `%` is escaped as often as the first one.
        if tail.get(end) != Some(&b'%') || tail.get(end + 1..end + at) != tail.get(1..at) {
            break;
        }
        let Some(next) = byte_at(end + at) else {
            break;
        };
        *byte = next;
        end += at + 2;
    }
    let sign = std::str::from_utf8(&bytes[..count]).ok();
    match sign.and_then(|sign| sign.chars().next()) {
        Some(sign) => Some(Spelled { sign, length: end }),
        None => Some(Spelled {
            sign: char::from(first),
            length: at + 2,
        }),
    }
}

/// The value of all digits at the start, and how many there are; zeros may come first.
fn number(tail: &[u8], radix: u32, most: usize) -> Option<(char, usize)> {
    let is_digit = |b: &&u8| char::from(**b).is_digit(radix);
    let count = tail.iter().take(most).take_while(is_digit).count();
    digits(tail, radix, count).map(|sign| (sign, count))
}

/// The character with the number written in so many digits.
fn digits(tail: &[u8], radix: u32, count: usize) -> Option<char> {
    let text = std::str::from_utf8(tail.get(..count)?).ok()?;
    // A sign before the digits is not part of them.
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric())
        .then(|| u32::from_str_radix(text, radix).ok())
        .flatten()
        .and_then(char::from_u32)
}

/// Whether a word is at `at`, case-insensitively.
fn starts(tail: &[u8], at: usize, word: &str) -> bool {
    tail.get(at..at + word.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// The position after these signs if they are at `at`, each in any spelling.
fn after_all(rest: &[u8], at: usize, signs: &str) -> Option<usize> {
    signs.chars().try_fold(at, |at, sign| {
        let next = spelled(rest, at)?;
        (next.sign == sign).then_some(at + next.length)
    })
}

/// The position after the name of a namespace: `x:` in `<x:private>`.
fn after_prefix(rest: &[u8], at: usize, format: TagFormat) -> usize {
    const MAX_LENGTH: usize = 24;
    let tail = &rest[at.min(rest.len())..];
    let tail = &tail[..tail.len().min(MAX_LENGTH)];
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let name = tail.iter().take_while(|b| is_of_name(b)).count();
    match (format, tail.get(name)) {
        (TagFormat::Xml, Some(b':')) if name > 0 => at + name + 1,
        _ => at,
    }
}

fn after_blanks(rest: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(next) = spelled(rest, at)
        && (next.sign.is_whitespace() || is_unseen(next.sign))
    {
        at += next.length;
        visit(next.length);
    }
    at
}

/// Characters that are invisible or control a terminal, or only modify the one before them.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{61c}' | '\u{115f}'
        | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The position after the name, whose letters may have invisible characters, and a line end where
/// a program wrapped the text, in between; an
/// error with the position that is not part of it.
fn after_name(rest: &[u8], at: usize) -> Result<usize, usize> {
    let mut at = at;
    for letter in NAME.chars() {
        let mut next = spelled(rest, at).ok_or(at)?;
        // A wrapped line may be indented.
        let mut is_wrapped = false;
        while is_unseen(next.sign) || is_wrapped && next.sign == ' ' {
            is_wrapped |= matches!(next.sign, '\n' | '\r');
            at += next.length;
            next = spelled(rest, at).ok_or(at)?;
        }
        if !next.sign.eq_ignore_ascii_case(&letter) {
            return Err(at);
        }
        at += next.length;
    }
    Ok(at)
}

/// Whether an opening tag is next whose name looks like that of a private one: with a letter of
/// another script, an accent, a letter that was lost when the text was decoded, a blank, without its
/// last letter, or in the plural.
fn is_misspelt(rest: &[u8]) -> bool {
    const MAX_BETWEEN: usize = 3;
    const MAX_LOST: usize = 2;
    const LAST: char = 'e';
    // Only the last backslash of a run can begin a tag.
    if rest.starts_with(b"\\\\") {
        return false;
    }
    let Some(first) = spelled(rest, 0).filter(|first| first.sign == '<') else {
        return false;
    };
    let mut at = after_blanks(rest, first.length);
    let (mut is_lost, mut lost) = (false, 0);
    for letter in NAME.chars() {
        let mut between = 0;
        let next = loop {
            let Some(next) = spelled(rest, at) else {
                return false;
            };
            // A letter of several bytes leaves as many signs behind.
            let is_skipped = is_unseen(next.sign)
                || next.sign == ' '
                || is_lost && next.sign == char::REPLACEMENT_CHARACTER;
            if !is_skipped || between > MAX_BETWEEN {
                break next;
            }
            between += 1;
            at += next.length;
        };
        // `<privat>`
        if letter == LAST && next.sign == '>' {
            return true;
        }
        is_lost = next.sign == char::REPLACEMENT_CHARACTER;
        lost += usize::from(is_lost);
        if lost > MAX_LOST || !is_lost && look_alike(next.sign) != letter {
            return false;
        }
        at += next.length;
    }
    while is_lost
        && let Some(next) = spelled(rest, at)
        && next.sign == char::REPLACEMENT_CHARACTER
    {
        at += next.length;
        visit(next.length);
    }
    // `<privates>`
    let plural = spelled(rest, at).filter(|next| matches!(next.sign, 's' | 'S'));
    let at = after_blanks(rest, at + plural.map_or(0, |next| next.length));
    spelled(rest, at).is_some_and(|sign| sign.sign == '>')
}

/// The Latin letter that a sign looks like: one with an accent, or a letter of another script.
fn look_alike(sign: char) -> char {
    match sign {
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'г' => 'r',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'ѵ' | 'Ѵ' | 'ν' => 'v',
        'а' | 'А' | 'α' | 'Α' => 'a',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'е' | 'Е' | 'ε' | 'Ε' => 'e',
        _ => {
            let base = std::iter::once(sign).nfkd().next().unwrap_or(sign);
            base.to_ascii_lowercase()
        }
    }
}

fn backticks(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|b| **b == b'`').count()
}

/// Whether a backtick may open code: the one in "it`s" may not.
fn is_opened_here(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .is_none_or(|before| !(bytes[before].is_ascii_alphanumeric() || bytes[before] >= 0x80))
}

/// Where the code opened by a backtick ends: a fence at the next three backticks, inline
/// code on the same line, without a blank at either end.
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
