//! Answers what surrounds a place in a text: its line, its string, source code or prose.
//! Answers are lazy, bounded and cached, so that asking for every place is linear overall.
//! Every look is counted, so that a sweep notices when a text costs more looks than any
//! honest one.

use std::cell::{Cell, OnceCell, RefCell};

use super::scanned::visit;
use super::shape::{LOOK, head, is_code_word};
use super::tags::is_blank;

/// How far a line is examined on each side.
const LINE_LOOK: usize = 1024;
/// The same for a command: a browser copies a request with all its headers.
const COMMAND_LOOK: usize = 4096;
/// A longer line is examined from a multiple of this on, so that neighbouring places share
/// results.
const LINE_STEP: usize = 256;
/// How far the neighbourhood is examined on each side.
const AROUND: usize = 1200;
/// Places this close to each other share a neighbourhood.
const BLOCK: usize = 256;
/// The state of a string is cached after so many bytes.
const STRING_STEP: usize = 64;
/// How many looks a text may use, in bytes: per byte of it, and as a base. Programs and
/// prose need 1 to 3 per byte, a file of nothing but settings 60.
const LOOKS_PER_BYTE: u64 = 96;
pub(super) const LOOKS_IN_ADVANCE: u64 = 4 << 20;
/// How many times a value is scanned before it is judged.
pub(super) const PASSES: usize = 16;
/// The cost of comparing a value with the word lists, in bytes.
const COMPARISON: usize = 2_000;

/// The cost of judging a line, in addition to its bytes.
const LINE: usize = 200;
/// How many line kinds are cached: more than a neighbourhood has.
const KINDS: usize = 512;

/// The character class of a run.
#[derive(Clone, Copy)]
pub(super) enum Class {
    /// `A-Z a-z 0-9`.
    Alphanumeric,
    /// `A-Z a-z 0-9 _ -`.
    Word,
    /// `A-Z 0-9`.
    Upper,
    /// `0-9 a-f`.
    Hex,
    /// `A-Z a-z 0-9 + / = _ - . ~ $`.
    Wide,
    /// The characters of a bearer credential.
    Credential,
    /// The characters of a secret in an address or a connection string.
    Connection,
    /// The characters of the path and the query of an address.
    Path,
    /// The characters of an Azure application secret.
    Azure,
    /// Anything but a blank or a quote.
    Bare,
}

const CLASSES: usize = Class::Bare as usize + 1;

impl Class {
    pub(super) fn accepts(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            && match self {
                Class::Upper => !byte.is_ascii_lowercase(),
                Class::Hex => byte.is_ascii_hexdigit(),
                _ => true,
            }
            || match self {
                Class::Alphanumeric | Class::Upper | Class::Hex => false,
                Class::Word => matches!(byte, b'_' | b'-'),
                Class::Wide => {
                    matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~' | b'$')
                }
                Class::Credential => {
                    matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
                }
                Class::Connection => {
                    matches!(byte, b'+' | b'/' | b'=' | b'%' | b'_' | b'-' | b'.' | b'~')
                }
                Class::Path => {
                    matches!(
                        byte,
                        b'+' | b'/'
                            | b'='
                            | b'%'
                            | b'_'
                            | b'-'
                            | b'.'
                            | b'~'
                            | b'@'
                            | b':'
                            | b'?'
                            | b'&'
                    )
                }
                Class::Azure => matches!(byte, b'_' | b'~' | b'.' | b'-'),
                Class::Bare => true,
            }
    }
}

/// The value at a place, up to the first blank or quote.
#[derive(Clone, Copy)]
pub(super) struct Bare<'t> {
    /// Its start: enough to judge it by.
    pub(super) text: &'t str,
    begin: usize,
    /// Where it ends.
    pub(super) end: usize,
    is_whole: bool,
}

impl Bare<'_> {
    /// The value without what ends the element or the comment of HTML it stands in, or the address of
    /// an image of Markdown: `x</p>`, `x<br/>`, `x-->`, `x)](y)`.
    pub(super) fn before_tag(self) -> Self {
        let tags = ["</", "<br", "-->", ")]("]
            .iter()
            .filter_map(|tag| self.text.find(tag));
        match tags.min().filter(|length| *length > 0) {
            Some(length) => Bare {
                text: &self.text[..length],
                end: self.begin + length,
                is_whole: true,
                ..self
            },
            None => self,
        }
    }

    /// Whether `text` is all of it.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// A text and what is known about it so far.
pub(super) struct Surroundings<'t> {
    pub(super) text: &'t str,
    fences: OnceCell<Vec<Fence>>,
    /// The last run of each class: a position in it and its end.
    runs: [Cell<(usize, usize)>; CLASSES],
    /// The last line: its start with and without a line number.
    line: Cell<(usize, usize)>,
    /// One for each sign of quotation.
    strings: RefCell<[Strings; 3]>,
    /// The last judged blocks, by block and fence.
    code: [Cell<Option<(usize, usize, bool)>>; 2],
    /// Whether the last judged line stands with code.
    code_line: Cell<Option<CodeLine>>,
    /// The kinds of the last lines, by start and length.
    kinds: OnceCell<Vec<Cell<(usize, usize, LineKind)>>>,
    looks: Cell<u64>,
    /// How many looks it may use besides those for each byte.
    advance: u64,
    /// Where the last file in base64 ends that was decoded.
    pub(super) decoded_to: Cell<usize>,
    /// Where the last statement ends whose rows were read.
    pub(super) rows_to: Cell<usize>,
    /// Secrets that were found together with one that a rule returned.
    pub(super) also: RefCell<Vec<(usize, usize)>>,
}

/// At which places of a line a string is open. A line may be as long as the text.
#[derive(Default)]
struct Strings {
    /// Where the line begins.
    from: usize,
    /// Up to where the text is known to be the same line.
    same_to: usize,
    /// For each step of the line that has been reached, whether a string is open at its start.
    open: Vec<bool>,
}

impl Strings {
    /// Goes to the line of a position; what is known of another line is forgotten.
    fn go_to(&mut self, text: &str, at: usize) {
        if self.from <= at && at <= self.same_to {
            return;
        }
        let looked_from = if self.from <= at { self.same_to } else { 0 };
        let before = &text.as_bytes()[looked_from..at];
        let length = before.iter().rev().take_while(|b| **b != b'\n').count();
        visit(length);
        if length < before.len() || looked_from == 0 {
            self.from = at - length;
            self.open.clear();
        }
        self.same_to = at;
    }
}

/// A line, by where it begins and ends and where the fenced block around it begins, and whether it
/// stands with code.
#[derive(Clone, Copy)]
struct CodeLine {
    begin: usize,
    end: usize,
    low: usize,
    is_code: bool,
}

struct Fence {
    start: usize,
    end: usize,
    language: FenceLanguage,
}

#[derive(Clone, Copy, PartialEq)]
enum FenceLanguage {
    /// A programming language.
    Code,
    /// Settings, data or logs.
    Data,
    /// Unspecified.
    Unknown,
}

impl<'t> Surroundings<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Surroundings::with_advance(text, LOOKS_IN_ADVANCE)
    }

    /// For a text in another one, which may use what that has left of its looks in advance.
    pub(super) fn with_advance(text: &'t str, advance: u64) -> Self {
        Surroundings {
            text,
            fences: OnceCell::new(),
            runs: [const { Cell::new((usize::MAX, 0)) }; CLASSES],
            line: Cell::new((usize::MAX, 0)),
            strings: Default::default(),
            code: Default::default(),
            code_line: Cell::new(None),
            kinds: OnceCell::new(),
            looks: Cell::new(0),
            advance,
            decoded_to: Cell::new(0),
            rows_to: Cell::new(0),
            also: RefCell::default(),
        }
    }

    /// Counts a look at so many bytes.
    pub(super) fn spend(&self, bytes: usize) {
        self.looks
            .set(self.looks.get().saturating_add(bytes as u64));
    }

    /// Whether the text up to `at` has used up its budget of looks.
    pub(super) fn is_overdrawn(&self, at: usize) -> bool {
        self.looks.get() > self.advance + LOOKS_PER_BYTE * at as u64
    }

    /// What is left of the looks in advance after the whole text.
    pub(super) fn advance_left(&self) -> u64 {
        let earned = LOOKS_PER_BYTE * self.text.len() as u64;
        self.advance
            .saturating_sub(self.looks.get().saturating_sub(earned))
    }

    /// Where the run of a class through `at` ends; `at` if there is none.
    pub(super) fn run_end(&self, class: Class, at: usize) -> usize {
        let memo = &self.runs[class as usize];
        let (from, end) = memo.get();
        if from <= at && at <= end {
            end
        } else {
            self.fresh_run(class, at)
        }
    }

    fn fresh_run(&self, class: Class, at: usize) -> usize {
        let memo = &self.runs[class as usize];
        let (known, known_end) = memo.get();
        let bytes = self.text.as_bytes();
        // Stepping back a little, as a sweep does, must not rescan a long run.
        let limit = if at < known && known <= known_end {
            known
        } else {
            bytes.len()
        };
        let length = if let Class::Bare = class {
            self.text[at..limit].find(|c| is_blank(c) || c == '\'' || c == '"')
        } else {
            bytes[at..limit].iter().position(|b| !class.accepts(*b))
        };
        self.spend(length.unwrap_or(limit - at));
        visit(length.unwrap_or(limit - at));
        let end = match length {
            Some(length) => at + length,
            None if limit == known => known_end,
            None => limit,
        };
        memo.set((at, end));
        end
    }

    /// The value at `at`, up to the first blank or quote, as specified.
    pub(super) fn bare(&self, at: usize) -> Bare<'t> {
        let end = self.run_end(Class::Bare, at);
        let text = head(&self.text[at..end], LOOK);
        self.judge(text);
        Bare {
            text,
            begin: at,
            end,
            is_whole: at + text.len() == end,
        }
    }

    /// Counts a test whether a value looks random.
    pub(super) fn judge(&self, value: &str) {
        self.spend(100 + PASSES * value.len().min(LOOK));
    }

    /// Counts a comparison of a value with the lists of ordinary words.
    pub(super) fn compare(&self) {
        self.spend(COMPARISON);
    }

    /// The start of the line at `at`, without a line number added by a tool.
    fn line_start(&self, at: usize) -> usize {
        let far = at.saturating_sub(LINE_LOOK) / LINE_STEP * LINE_STEP;
        let far = self.text.floor_char_boundary(far);
        let before = &self.text[far..at];
        let from = far + before.rfind('\n').map_or(0, |end| end + 1);
        self.spend(16 + (at - from) / 8);
        visit((at - from) / 8);
        let (known, start) = self.line.get();
        if known == from && start <= at {
            return start;
        }
        let line = &self.text[from..at];
        let start = at - without_line_number(line).len();
        let lead = line.trim_start();
        let rest = lead.trim_start_matches(|c: char| c.is_ascii_digit());
        self.spend(2 * (line.len() - rest.len()));
        visit(2 * (line.len() - rest.len()));
        // The sign of a line number may come later.
        if start > from || rest.len() > 3 {
            self.line.set((from, start));
        }
        start
    }

    /// The part of the line before `at`.
    pub(super) fn line_before(&self, at: usize) -> &'t str {
        let line = &self.text[self.line_start(at)..at];
        self.spend(line.len());
        visit(line.len());
        line
    }

    /// The part of the command before `at`, which may have begun on earlier lines that end
    /// with a sign of continuation.
    pub(super) fn command_before(&self, at: usize) -> &'t str {
        let line = self.line_before(at);
        let mut from = at - line.len();
        let low = self
            .text
            .floor_char_boundary(at.saturating_sub(COMMAND_LOOK));
        // A long line: where it begins is not known yet.
        if line.len() >= LINE_LOOK - LINE_STEP {
            from = low + self.text[low..from].rfind('\n').map_or(0, |end| end + 1);
        }
        while let Some(start) = self.text[low.min(from)..from].rfind('\n') {
            let before = &self.text[low..low + start];
            if !before.trim_end_matches('\r').ends_with(['\\', '`', '^']) {
                break;
            }
            from = low + before.rfind('\n').map_or(0, |end| end + 1);
        }
        self.spend(at - from);
        &self.text[from..at]
    }

    /// The part of the line from `at` on, without the line end.
    pub(super) fn line_after(&self, at: usize) -> &'t str {
        let after = head(&self.text[at..], LINE_LOOK);
        let line = after.find('\n').map_or(after, |end| &after[..end]);
        let line = line.trim_end_matches('\r');
        self.spend(16 + line.len() / 2);
        line
    }

    /// What follows an option that ends at `at`, and where that begins: the rest of its line or, if
    /// the command is continued right there, the next line.
    pub(super) fn value_after(&self, at: usize) -> (usize, &'t str) {
        let line = self.line_after(at);
        let end = at + line.len();
        let next = &self.text[end..];
        let next = next
            .strip_prefix('\n')
            .or_else(|| next.strip_prefix("\r\n"));
        match (line.trim_matches([' ', '\t']), next) {
            ("\\" | "`" | "^", Some(next)) => {
                let begin = self.text.len() - next.len();
                (begin, self.line_after(begin))
            }
            _ => (at, line),
        }
    }

    /// Whether `at` is inside a string opened by `quote` on the same line.
    pub(super) fn in_string(&self, at: usize, quote: u8) -> bool {
        let mut strings = self.strings.borrow_mut();
        let known = &mut strings[match quote {
            b'"' => 0,
            b'\'' => 1,
            _ => 2,
        }];
        known.go_to(self.text, at);
        let line = &self.text.as_bytes()[known.from..at];
        if known.open.is_empty() {
            known.open.push(false);
        }
        // The last byte is examined without its successor.
        let step = line.len().saturating_sub(1) / STRING_STEP;
        while known.open.len() <= step {
            let last = known.open.len() - 1;
            let begin = last * STRING_STEP;
            let inside = walk(line, begin..begin + STRING_STEP, quote, known.open[last]);
            self.spend(STRING_STEP);
            known.open.push(inside);
        }
        let begin = step * STRING_STEP;
        self.spend(line.len() - begin);
        walk(line, begin..line.len(), quote, known.open[step])
    }

    /// Whether the text around `at` is source code: a fenced block that says so, or lines
    /// that look like it.
    pub(super) fn is_code(&self, at: usize) -> bool {
        let fences = self.fences();
        let index = fences.partition_point(|f| f.end <= at);
        let fence = fences.get(index).filter(|f| f.start <= at);
        let (low, high) = match fence.map(|f| (f.language, f.start, f.end)) {
            Some((FenceLanguage::Code, ..)) => return true,
            Some((FenceLanguage::Data, ..)) => return false,
            Some((FenceLanguage::Unknown, start, end)) => (start, end),
            None => (0, self.text.len()),
        };
        self.is_in_code_block(at, low, high) && self.is_in_code_lines(at, low, high)
    }

    fn is_in_code_block(&self, at: usize, low: usize, high: usize) -> bool {
        let block = at / BLOCK;
        for known in &self.code {
            if let Some((b, f, is_code)) = known.get()
                && (b, f) == (block, low)
            {
                return is_code;
            }
        }
        let is_code = self.block_is_code(block * BLOCK + BLOCK / 2, low, high);
        self.code[1].set(self.code[0].get());
        self.code[0].set(Some((block, low, is_code)));
        is_code
    }

    /// Whether code is among the lines that stand with this one, without an empty line between, or
    /// right before or behind a line that stands alone. What a person adds below their code, or
    /// another file after it, is none. All places of a line have one verdict, which is kept.
    fn is_in_code_lines(&self, at: usize, low: usize, high: usize) -> bool {
        let known = self.code_line.get();
        let known = known.filter(|line| line.low == low && (line.begin..line.end).contains(&at));
        if let Some(line) = known {
            return line.is_code;
        }
        // A line that is longer is judged by its neighbourhood alone.
        let Some((begin, end)) = self.line_around(at, low, high) else {
            return true;
        };
        let is_code = !is_of_data_file(&self.text[begin..end])
            && self.stands_with_code((begin, end), low, high);
        self.code_line.set(Some(CodeLine {
            begin,
            end,
            low,
            is_code,
        }));
        is_code
    }

    /// Where the line of a place begins and ends, if it does both within the look at a line.
    fn line_around(&self, at: usize, low: usize, high: usize) -> Option<(usize, usize)> {
        let bounded = |at: usize| self.text.floor_char_boundary(at.clamp(low, high));
        let from = bounded(at.saturating_sub(LINE_LOOK));
        let to = bounded(at + LINE_LOOK);
        self.spend(to - from);
        visit((to - from) / 8);
        let begin = self.text[from..at].rfind('\n').map(|end| from + end + 1);
        let begin = begin.or((from == low).then_some(low))?;
        let end = self.text[at..to].find('\n').map(|length| at + length + 1);
        let end = end.or((to == high).then_some(high))?;
        Some((begin, end))
    }

    /// The look at the lines before and behind a line that [`is_in_code_lines`](Self::is_in_code_lines)
    /// describes.
    fn stands_with_code(&self, (begin, end): (usize, usize), low: usize, high: usize) -> bool {
        let bounded = |at: usize| self.text.floor_char_boundary(at.clamp(low, high));
        let mut from = begin;
        let before = self.text[bounded(begin.saturating_sub(AROUND))..begin].split_inclusive('\n');
        let before = before.rev().map(|line| {
            from -= line.len();
            self.kind_among(from, line)
        });
        let mut to = end;
        let after = self.text[end..bounded(end + AROUND)].split_inclusive('\n');
        let after = after.map(|line| {
            to += line.len();
            self.kind_among(to - line.len(), line)
        });
        let (above, below) = (run_of(before), run_of(after));
        let stands_alone = above.is_empty && below.is_empty;
        let is_code = || {
            let own = self.kind_of(begin, &self.text[begin..end]) == LineKind::Code;
            own || above.meets_code || below.meets_code
        };
        above.has_code || below.has_code || (stands_alone && is_code())
    }

    /// The kind of a line; one that begins another file is as good as empty.
    fn kind_among(&self, at: usize, line: &str) -> LineKind {
        match FILE_STARTS.iter().any(|start| line.starts_with(start)) {
            true => LineKind::Empty,
            false => self.kind_of(at, line),
        }
    }

    fn block_is_code(&self, at: usize, low: usize, high: usize) -> bool {
        let from = self
            .text
            .floor_char_boundary(at.saturating_sub(AROUND).max(low).min(high));
        let to = self.text.floor_char_boundary((at + AROUND).min(high));
        let mut lines = 0;
        let mut code = 0;
        let mut at = from;
        let fences = self.fences();
        let mut next = fences.partition_point(|fence| fence.end <= from);
        for line in self.text[from..to.max(from)].split_inclusive('\n') {
            let begin = at;
            at += line.len();
            // A fenced block says nothing about the text around it.
            while fences.get(next).is_some_and(|fence| fence.end <= begin) {
                next += 1;
            }
            let fence = fences.get(next).filter(|fence| fence.start <= begin);
            if fence.is_some_and(|fence| (fence.start, fence.end) != (low, high)) {
                continue;
            }
            let kind = self.kind_of(begin, line);
            match kind {
                LineKind::Empty => {}
                LineKind::Code => {
                    code += 1;
                    lines += 1;
                }
                LineKind::Other => lines += 1,
            }
        }
        code > 0 && code * 5 >= lines * 2
    }

    /// The kind of the line that starts at `at`, cached for the next neighbourhood.
    fn kind_of(&self, at: usize, line: &str) -> LineKind {
        // A text in another one may be short, and one of many.
        let most = KINDS.min(self.text.len() / 8 + 1);
        let slots = self
            .kinds
            .get_or_init(|| vec![Cell::new((usize::MAX, 0, LineKind::Empty)); most]);
        let slot = &slots[at / 8 % most];
        self.spend(8);
        visit(1);
        let (known, length, kind) = slot.get();
        if (known, length) == (at, line.len()) {
            return kind;
        }
        self.spend(LINE + 4 * line.len().min(LINE_LOOK));
        let kind = line_kind(line.trim_end_matches(['\n', '\r']));
        slot.set((at, line.len(), kind));
        kind
    }

    fn fences(&self) -> &[Fence] {
        self.fences.get_or_init(|| {
            let mut fences = Vec::new();
            let mut at = 0;
            while let Some(open) = self.text[at..].find("```") {
                let start = at + open + 3;
                let end = self.text[start..]
                    .find("```")
                    .map_or(self.text.len(), |length| start + length);
                let info = head(&self.text[start..end], 40);
                let info = info.split(['\n', ' ', '{', ':']).next().unwrap_or_default();
                fences.push(Fence {
                    start,
                    end,
                    language: fence_language(info.trim()),
                });
                at = (end + 3).min(self.text.len());
            }
            fences
        })
    }
}

/// Whether a string of `quote` is open after part of a line, for both possible states
/// before it.
fn walk(line: &[u8], part: std::ops::Range<usize>, quote: u8, open: bool) -> bool {
    let mut inside = open;
    visit(part.len());
    for index in part {
        if line[index] != quote || (index > 0 && line[index - 1] == b'\\') {
            continue;
        }
        // The apostrophe in "don't" or in a Rust lifetime does not open a string.
        let apostrophe = quote == b'\''
            && !inside
            && (index > 0 && line[index - 1].is_ascii_alphanumeric()
                || index > 0
                    && matches!(line[index - 1], b'&' | b'<')
                    && line.get(index + 1).is_some_and(u8::is_ascii_alphabetic));
        if !apostrophe {
            inside = !inside;
        }
    }
    inside
}

fn fence_language(info: &str) -> FenceLanguage {
    const CODE: &[&str] = &[
        "c",
        "c++",
        "cpp",
        "cs",
        "csharp",
        "css",
        "dart",
        "elixir",
        "erlang",
        "ex",
        "go",
        "golang",
        "groovy",
        "haskell",
        "hs",
        "html",
        "java",
        "javascript",
        "js",
        "jsx",
        "kotlin",
        "kt",
        "lua",
        "objc",
        "ocaml",
        "perl",
        "php",
        "py",
        "python",
        "r",
        "rb",
        "rs",
        "ruby",
        "rust",
        "scala",
        "sql",
        "svelte",
        "swift",
        "ts",
        "tsx",
        "typescript",
        "vue",
        "zig",
    ];
    if info.is_empty() {
        FenceLanguage::Unknown
    } else if CODE.iter().any(|name| name.eq_ignore_ascii_case(info)) {
        FenceLanguage::Code
    } else if info.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        FenceLanguage::Data
    } else {
        FenceLanguage::Unknown
    }
}

/// Tools that show files add a line number to each line: `  12→` or `12:`.
pub(super) fn without_line_number(line: &str) -> &str {
    let rest = line.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &rest[digits..];
    ["\u{2192}", "\t", ": ", " | ", "| "]
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))
        .filter(|_| digits > 0)
        .unwrap_or(line)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Empty,
    Code,
    Other,
}

/// Words that start lines of programs. Words that also start sentences count only with the
/// signs that a program puts at the end of such a line.
const OPENERS: &[&str] = &[
    "#[",
    "#define ",
    "#include",
    "#import",
    "#if",
    "#endif",
    "*/",
    "/*",
    "//",
    "@Override",
    "alias ",
    "async ",
    "await ",
    "begin",
    "class ",
    "const ",
    "def ",
    "defmodule ",
    "defp ",
    "do ",
    "elif ",
    "else",
    "end",
    "enum ",
    "esac",
    "except",
    "export ",
    "fi",
    "final ",
    "finally",
    "fn ",
    "func ",
    "fun ",
    "function ",
    "impl ",
    "import ",
    "interface ",
    "let ",
    "local ",
    "match ",
    "mod ",
    "module ",
    "module.",
    "namespace ",
    "override ",
    "package ",
    "private ",
    "protected ",
    "pub ",
    "public ",
    "raise ",
    "require ",
    "required_",
    "rescue",
    "resource ",
    "return",
    "self.",
    "static ",
    "struct ",
    "super",
    "this.",
    "throw ",
    "try",
    "type ",
    "typedef ",
    "unless ",
    "use ",
    "using ",
    "val ",
    "var ",
    "void ",
    "when ",
    "yield",
    "}",
    ")",
    "]",
    "@",
    "SELECT ",
    "CREATE ",
    "INSERT ",
    "UPDATE ",
    "ALTER ",
    "WHERE ",
    "FROM ",
    "case ",
    "if (",
    "if let ",
    "for (",
    "while (",
    "switch ",
];

/// How a line begins behind which another file is printed.
const FILE_STARTS: [&str; 6] = ["diff --git ", "--- ", "+++ ", "@@ ", "==> ", "$ "];

/// Whether a line is printed as one of a file of data: "config/prod.yml:7:  password: …".
fn is_of_data_file(line: &str) -> bool {
    const DATA: [&str; 13] = [
        ".cfg",
        ".conf",
        ".csv",
        ".env",
        ".hcl",
        ".ini",
        ".json",
        ".properties",
        ".tf",
        ".toml",
        ".xml",
        ".yaml",
        ".yml",
    ];
    let Some((file, rest)) = head(line, 400).split_once(':') else {
        return false;
    };
    let is_numbered = || {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with([':', '-'])
    };
    !file.contains(' ') && DATA.iter().any(|end| file.ends_with(end)) && is_numbered()
}

/// The lines next to one up to an empty line, and what comes behind that.
#[derive(Default)]
struct Run {
    is_empty: bool,
    has_code: bool,
    /// Whether the first line behind the empty ones is code.
    meets_code: bool,
}

fn run_of(kinds: impl Iterator<Item = LineKind>) -> Run {
    let mut run = Run {
        is_empty: true,
        ..Run::default()
    };
    let mut has_ended = false;
    for kind in kinds {
        match kind {
            LineKind::Empty => has_ended = true,
            _ if has_ended => {
                run.meets_code = kind == LineKind::Code;
                return run;
            }
            LineKind::Code => {
                (run.is_empty, run.has_code) = (false, true);
                return run;
            }
            LineKind::Other => run.is_empty = false,
        }
    }
    run
}

fn line_kind(line: &str) -> LineKind {
    let line = without_line_number(head(line, 400)).trim();
    if line.is_empty() || line.starts_with("```") {
        return LineKind::Empty;
    }
    let ends = line.ends_with(['{', '}', ';', '(', '[', '\\'])
        || line.ends_with("),")
        || line.ends_with("):")
        || line.ends_with("->")
        || line.ends_with("=>")
        || line.ends_with("()")
        || line.ends_with("*/")
        || line.ends_with(" do")
        || line.ends_with(" then");
    let first = line.as_bytes().first();
    let opens = OPENERS.iter().any(|word| {
        if word.as_bytes().first() != first {
            return false;
        }
        line.strip_prefix(word).is_some_and(|rest| {
            let whole = word.ends_with(|c: char| !c.is_ascii_alphabetic())
                || !rest.starts_with(|c: char| c.is_alphabetic());
            // "Return the token." and "Use password x" are sentences, `return token` is not.
            let imports =
                *word != "use " || rest.contains([';', '{', ':', '\\']) || rest.ends_with(';');
            whole && imports && !(rest.ends_with('.') && rest.contains(' '))
        })
    });
    let condition = ["if ", "for ", "while ", "with ", "except ", "else", "try"]
        .iter()
        .any(|word| line.starts_with(word) && line.ends_with([':', '{']));
    let typed = line.split_once(": ").is_some_and(|(name, rest)| {
        let kind = rest.trim_end_matches([',', ';', '?', '!']);
        is_name(name)
            && (is_code_word(kind)
                || rest.contains("= ")
                || rest.ends_with(['>', ']']) && rest.starts_with(is_of_name))
    });
    let call = line.find('(').is_some_and(|open| {
        let name = line[..open].trim_end();
        open == name.len()
            && name.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '!')
            && (line.ends_with(')') || line.contains(" = ") || line.ends_with(','))
    });
    let assigns = line.split_once(" = ").is_some_and(|(name, value)| {
        name.split(['.', ',', ' ', ':', '[', '*', '&']).count() <= 6
            && !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.,: []'\"*&<>@".contains(&b))
            && (value.ends_with([')', ']', '{']) || name.contains('.'))
    });
    if ends || opens || condition || typed || call || assigns {
        LineKind::Code
    } else {
        LineKind::Other
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-?\"'.".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_code(text: &str) -> bool {
        Surroundings::new(text).is_code(text.len() / 2)
    }

    #[test]
    fn programs_are_told_from_prose_settings_and_logs() {
        for code in [
            "fn f() {\n    let x = 1;\n}\n",
            "def login(user):\n    token = user.token\n    return token\n",
            "class A\n  def b\n    @token = token\n  end\nend\n",
            "```python\nx\n```",
        ] {
            assert!(is_code(code), "{code}");
        }
        for other in [
            "Please set the password to the new one.\nThe token: see below.\nThanks (Ada)\n",
            "DB_HOST=localhost\nDB_PASSWORD=hunter2\nPORT=80\n",
            "2024-01-01 INFO login of ada token=abc\n2024-01-01 INFO done\n",
            "services:\n  db:\n    image: postgres\n    password: x\n",
            "```env\nx = f();\n```",
        ] {
            assert!(!is_code(other), "{other}");
        }
    }

    /// Where no cache answers, each place of a line costs a look at the lines around it.
    #[test]
    fn the_places_of_a_line_of_code_are_judged_once() {
        let line = "call(a, b); ".repeat(40);
        let text = format!("fn f() {{\n    let x = 1;\n{line}\n    g();\n}}\n");
        let around = Surroundings::new(&text);
        let first = text.find("call").expect("it is there");
        assert!(around.is_code(first));
        let spent = around.looks.get();
        for at in first..first + line.len() {
            assert!(around.is_code(at));
        }
        // What is left are the blocks, each of which is judged once.
        assert!(around.looks.get() < 4 * spent, "{spent}");
    }

    #[test]
    fn a_name_may_be_followed_by_any_letter() {
        for line in [
            "key: é]",
            "key: 비밀]",
            "key: \u{1F511}>",
            "password: \u{85} <>",
        ] {
            assert!(!is_code(line), "{line}");
        }
        assert!(is_code("key: list[str]"));
    }

    #[test]
    fn quotes_before_a_place_decide_whether_it_is_in_a_string() {
        let text = "print(\"token: \", it's)";
        let inside = Surroundings::new(text);
        assert!(inside.in_string(10, b'"'));
        assert!(!inside.in_string(text.len(), b'"'));
        assert!(!inside.in_string(text.len(), b'\''));
    }
}
