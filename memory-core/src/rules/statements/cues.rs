//! Defines the cues and traps of each language as data, and judges sentences by them.
//!
//! A sentence is a finding if a cue matches and nothing speaks against it: neither a trap of
//! its language (a question, a hypothesis, a negation, reported speech) nor the cue's own
//! exception. If several cues match, the first kind in the order of [`FindingKind`] wins: "we
//! can't release before the audit" is a blocker, not a constraint.

mod chinese;
mod english;
mod japanese;
mod korean;
mod language;
mod plain;

use std::borrow::Cow;
use std::ops::Range;

use super::finding::{Finding, FindingKind, Speaker};
use super::{asked_now, narrated, printed};
use english::Naming;
use language::{Cue, Heading, Language, Spelling, Trap};
use plain::Plain;

use crate::lazy::RaceLazy;
use crate::rules::pattern::{Gate, Pattern};
use crate::text::scripts::is_han;

/// Models give .9 or more when they are sure; rules are never that sure.
pub(crate) const MAX_CONFIDENCE: f64 = 0.6;
pub(super) const LIKELY: f64 = 0.45;

/// The minimum number of letters and digits in a sentence.
const MIN_LETTERS: usize = 5;
/// The same where each is a Chinese character, or syllables stand around a number: 证书到了, 5로 하자.
const MIN_CHARACTERS: usize = 4;
/// The place of the reading without the opening, after that of the whole sentence.
const OPENED: usize = 1;
/// At most so many clauses of a sentence are read alone.
const MAX_CLAUSES: usize = 6;
/// The maximum length of a sentence in characters: a quote has at most 500.
const MAX_CHARS: usize = 400;

/// What a sentence says: at most one finding, and that some work is done or given up, which may be
/// said beside anything else. `quoted` are the quotations of the message.
pub(super) fn judge(
    text: &str,
    span: Range<usize>,
    speaker: Speaker,
    quoted: &[Range<usize>],
) -> Vec<Finding> {
    let sentence = &text[span.clone()];
    let letters = || sentence.chars().filter(|c| c.is_alphanumeric());
    let has_number = letters().any(|c| c.is_ascii_digit());
    let least = match letters().all(is_han) || (has_number && !sentence.is_ascii()) {
        true => MIN_CHARACTERS,
        false => MIN_LETTERS,
    };
    if letters().count() < least || sentence.chars().count() > MAX_CHARS {
        return Vec::new();
    }
    let (plain, rules) = plain(sentence, span.start, quoted);
    let readings = rules.readings(plain);
    let best = rules.best(&readings, sentence, speaker).into_iter();
    let mut found: Vec<Finding> = best
        .filter_map(|(index, cue)| {
            readings.iter().find_map(|reading| {
                let captures = rules.capture(index, &reading.text)?;
                finding(text, span.clone(), reading, cue, &captures)
            })
        })
        .filter(|finding| !is_of_the_moment(sentence, speaker, finding.kind))
        .collect();
    if is_definition(sentence) {
        found.retain(|finding| !finding.kind.is_over() && finding.kind != FindingKind::Blocker);
        return found;
    }
    if found.iter().all(|finding| finding.kind.is_over()) {
        let named = found.iter().filter_map(|finding| finding.subject.clone());
        found.extend(also_resolved(
            text,
            (span, named.collect()),
            &readings,
            rules,
            speaker,
        ));
    }
    found
}

/// Whether a sentence tells what a name in code means: "`IN-QA`: work is finished and waits for
/// testers".
fn is_definition(sentence: &str) -> bool {
    let behind = sentence
        .strip_prefix('`')
        .and_then(|rest| rest.split_once('`'));
    behind.is_some_and(|(name, rest)| {
        let is_file = name.contains(['.', '/']);
        !is_file && rest.trim_start().starts_with([':', '–', '—', '：'])
    })
}

/// Whether a sentence is about the work at the moment, though it is put like a finding of this kind.
fn is_of_the_moment(sentence: &str, speaker: Speaker, kind: FindingKind) -> bool {
    use FindingKind::{Blocker, Decision, Fact, Preference};
    match (speaker, kind) {
        (Speaker::Agent, Fact) => narrated::is_narrated(sentence),
        (Speaker::Agent, Decision) => narrated::is_plan(sentence),
        (Speaker::Agent, Blocker) => narrated::is_of_its_list(sentence),
        (Speaker::User, Fact) => printed::tells_nothing(sentence),
        (Speaker::User, Decision | Preference) => asked_now::is_asked_now(sentence),
        _ => false,
    }
}

/// What else a sentence says is resolved in its other clauses: "OPS-311 is closed, the certificate
/// arrived".
fn also_resolved(
    text: &str,
    (span, mut named): (Range<usize>, Vec<Range<usize>>),
    readings: &[Plain],
    rules: &Rules,
    speaker: Speaker,
) -> Vec<Finding> {
    let mut also = Vec::new();
    let is_resolving = |kind| kind == FindingKind::Resolution;
    for clause in readings.iter().skip(OPENED + 1) {
        let matching = rules.matching(
            std::slice::from_ref(clause),
            &text[span.clone()],
            speaker,
            is_resolving,
        );
        let other = matching
            .iter()
            .filter_map(|(index, cue)| {
                let captures = rules.capture(*index, &clause.text)?;
                finding(text, span.clone(), clause, cue, &captures)
            })
            .find_map(|other| Some((other.subject.clone()?, other)));
        let Some((subject, other)) = other else {
            continue;
        };
        let is_other = |one: &Range<usize>| one.end <= subject.start || subject.end <= one.start;
        if rules.is_trapped(&readings[0].text, FindingKind::Resolution) {
            return Vec::new();
        }
        if named.iter().all(is_other) {
            named.push(subject);
            // Only for what is known: the sentence is a note already.
            also.push(Finding {
                kind: FindingKind::Done,
                ..other
            });
        }
    }
    also
}

/// The plain text of words that begin at `start` of a message, and the rules of its language.
fn plain(words: &str, start: usize, quoted: &[Range<usize>]) -> (Plain, &'static Rules) {
    let plain = Plain::new(words, start, quoted);
    let rules = rules_of(&plain.text);
    let plain = match rules.language.spelling {
        Spelling::Plain => plain,
        Spelling::Traditional => plain.simplified(),
        Spelling::Casual => plain.spelled_out(),
    };
    (plain, rules)
}

/// The finding that a cue shows; `None` if it is about nothing.
fn finding(
    text: &str,
    span: Range<usize>,
    plain: &Plain,
    cue: &Cue,
    captures: &regex::Captures<'_>,
) -> Option<Finding> {
    let group = |name: &str| {
        let found = captures.name(name)?;
        let inner = plain.original(found.range());
        let part = text.get(span.start + inner.start..span.start + inner.end)?;
        let start = span.start + inner.start + (part.len() - part.trim_start().len());
        let end = start
            + part
                .trim()
                .trim_end_matches(['.', '!', '。', ',', '、', ';', ':'])
                .len();
        (start < end).then_some(start..end)
    };
    let mut subject = group("t");
    if cue.kind.is_statement() && points_at_something(&plain.text) {
        return None;
    }
    if let Some(named) = &subject
        && cue.kind == FindingKind::Blocker
        && english::is_half(&text[named.clone()])
    {
        subject = None;
    }
    if let Some(named) = &subject
        && matches!(cue.kind, FindingKind::Task | FindingKind::Blocker)
    {
        match (english::naming(&text[named.clone()]), cue.kind) {
            (Naming::Work, _) => {}
            // That something is blocked is worth a note.
            (Naming::Nothing, FindingKind::Blocker) => subject = None,
            (Naming::Nothing | Naming::Talk | Naming::None, _) => return None,
        }
    }
    Some(Finding {
        kind: cue.kind,
        subject,
        verb: group("v"),
        blocker: group("b").and_then(|span| blocker_in(text, span)),
        confidence: if cue.is_clear { MAX_CONFIDENCE } else { LIKELY },
        span,
    })
}

/// Whether a short sentence is about something that only those who were there know: "they must stay".
fn points_at_something(plain: &str) -> bool {
    const MAX_WORDS: usize = 4;
    const POINTING: [&str; 8] = ["he", "it", "she", "that", "these", "they", "this", "those"];
    const JOINING: [&str; 6] = ["and", "but", "no", "ok", "so", "yes"];
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty() && !JOINING.contains(word))
        .collect();
    let first = words.first().and_then(|word| word.split('\'').next());
    let is_short = words.len() <= MAX_WORDS && first.is_some_and(|first| POINTING.contains(&first));
    is_short || POINTS.is_match(plain)
}

/// A subject or an object that was named before: "don't make them twice", "both are in src", "for 2
/// drop the suffix", and a label that does not say whose it is: "port: 80".
static POINTS: Pattern = Pattern::lean(concat!(
    r"^(?:(?:and|but|so|no|ok|please)[,:]? )*(?:don't|do not|never|stop) [a-z]+ (?:them|it|these|those)(?: (?:again|twice|anymore|any more|here|there|yet|now|all|both|either|please|up|out|at all))*[.!]*$",
    r"|^(?:(?:and|but|so|no|ok|yes)[,:]? )*both (?:are|is|were|have|use|run|live|point|go)\b",
    r"|^(?:for|on|re:?|as for|regarding|in|about|and for) (?:#|no\.? ?|number |point |item )?\d{1,2}(?:,|:)? (?:drop|use|keep|do|let's|go|add|remove|make|we|i|it|yes|no|just)\b",
    r"|\b(?:decided|agreed on|settled) (?:(?:this|it) (?:in|on|at|before|yesterday|already|last|there)\b|that (?:yesterday|already|(?:in|on|at) (?:the other|another|the last) \w+[.!]*$))",
    r"|^\W*(?:port|端口号?) ?\d{2,5}\W*$",
    r"|^\W*(?:port|url|uri|path|host|address|ip|user|username|id|name|version|key|端口|端口号|地址|账号|帐号|用户名|路径|域名|编号|版本)\W*[:：=]\W*[^\s,，。]+\W*$",
));

/// The blocker in what follows "blocked by": up to the next clause, but with all of a list. `None` if
/// it begins with another clause.
fn blocker_in(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    const MAX_OF_ITEM: usize = 3;
    let words = &text[span.clone()];
    let is_end = |c: char| matches!(c, ';' | ':' | '–' | '—' | '；' | '：' | '。');
    let mut parts = words.split([',', '，', '、']);
    let mut length = parts.next()?.len();
    let rest: Vec<&str> = parts.collect();
    let is_item = |part: &&str| {
        let words: Vec<String> = part.split_whitespace().map(str::to_lowercase).collect();
        let is_short = |item: &[String]| item.len() <= MAX_OF_ITEM;
        let starts_clause = |first: &String| CLAUSE_STARTS.contains(&first.as_str());
        words
            .split(|word| matches!(word.as_str(), "and" | "or"))
            .all(is_short)
            && !words.first().is_some_and(starts_clause)
    };
    if rest.iter().all(is_item) && !words.contains('，') {
        length = words.len();
    }
    let blocker = words[..length].split(is_end).next()?.split(" - ").next()?;
    let bare = blocker.trim_end();
    const NO_ONE: [&str; 9] = [
        "anybody",
        "anyone",
        "everybody",
        "for now",
        "me",
        "nobody",
        "now",
        "the moment",
        "you",
    ];
    let is_named = !NO_ONE.contains(&bare.to_lowercase().as_str());
    (!bare.is_empty() && is_named).then_some(span.start..span.start + bare.len())
}

/// Words that begin another clause after what somebody waits for.
const CLAUSE_STARTS: [&str; 30] = [
    "but",
    "because",
    "he",
    "hopefully",
    "i",
    "i'll",
    "i'm",
    "it",
    "it's",
    "let's",
    "meanwhile",
    "no",
    "not",
    "please",
    "probably",
    "see",
    "she",
    "since",
    "so",
    "that",
    "that's",
    "then",
    "they",
    "they're",
    "this",
    "we",
    "we're",
    "which",
    "who",
    "you",
];

/// Whether a word is written like a name: of two letters, with a capital or a digit if it is Latin.
fn is_name(word: &str) -> bool {
    let is_marked = |c: char| c.is_uppercase() || c.is_ascii_digit() || !c.is_ascii();
    word.chars().count() > 1 && word.contains(is_marked)
}

/// Whether a word is written as products are and people are not: "RabbitMQ", "Next.js", "S3".
fn is_product(word: &str) -> bool {
    let mut rest = word.trim_end_matches('.').chars().skip(1);
    rest.any(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '.' | '+' | '#'))
}

/// What kind of items a heading announces: "Decisions so far:".
pub(super) fn announced(heading: &str, speaker: Speaker) -> Option<FindingKind> {
    let marks =
        |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '_' | ':' | '：' | '-' | '–');
    let title = heading.trim_matches(marks);
    if title.is_empty() || title.chars().count() > MAX_TITLE_CHARS {
        return None;
    }
    let (plain, rules) = plain(title, 0, &[]);
    let titles = rules.language.headings.iter().zip(&rules.headings);
    titles
        .filter(|(heading, _)| heading.who.includes(speaker))
        .find(|(_, pattern)| pattern.is_match(&plain.text))
        .map(|(heading, _)| heading.kind)
}

/// The longest heading, in characters.
const MAX_TITLE_CHARS: usize = 60;

/// An item under a heading of this kind; `None` if it is a question, a proposal, the label of a
/// template or no statement at all. `quoted` are the quotations of the message.
pub(super) fn item(
    text: &str,
    span: Range<usize>,
    kind: FindingKind,
    quoted: &[Range<usize>],
) -> Option<Finding> {
    let words = &text[span.clone()];
    let letters = words.chars().filter(|c| c.is_alphanumeric());
    // A syllable or a character says as much as two letters.
    let letters: usize = letters.map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    if letters < MIN_LETTERS || words.chars().count() > MAX_CHARS || words.starts_with("**") {
        return None;
    }
    let (plain, rules) = plain(words, span.start, quoted);
    if rules.is_trapped(&plain.text, kind) {
        return None;
    }
    let bare = words.trim_end_matches(['.', '!', '。', ',', '、', ';', '，', '；', ' ']);
    let subject = span.start..span.start + bare.len();
    let is_work = kind != FindingKind::Task || english::naming(bare) == Naming::Work;
    is_work.then(|| Finding {
        kind,
        subject: (kind == FindingKind::Task).then_some(subject),
        verb: None,
        blocker: None,
        confidence: MAX_CONFIDENCE,
        span,
    })
}

/// Makes a pattern's classes ASCII-only: words of other scripts are spelled out in the
/// tables, and Unicode classes would take a hundred times the memory.
fn ascii(pattern: &str) -> String {
    pattern
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\d", "[0-9]")
        .replace(r"\S", r"[^ \t\n]")
        .replace(r"\s", r"[ \t\n]")
        .replace(r"\b", r"(?-u:\b)")
}

/// The compiled cues and traps of one language. Not a `RegexSet`, because each pattern has
/// its own literals to search for first, which a set does not.
struct Rules {
    language: &'static Language,
    cues: Vec<Pattern>,
    /// Tells which cues a sentence may match.
    gate: Gate,
    /// `None` for a cue without an exception.
    exceptions: Vec<Option<Pattern>>,
    traps: Vec<Pattern>,
    headings: Vec<Pattern>,
    aside: Pattern,
    opening: Option<Pattern>,
    closing: Option<Pattern>,
    boundary: Pattern,
    supposing: Pattern,
}

impl Rules {
    fn new(language: &'static Language) -> Self {
        let pattern = |text: &'static str| Pattern::lean_written(text, ascii);
        let cues = language.cues.iter().chain(language.clauses);
        let traps = language.traps.iter();
        let exception = |cue: &Cue| (!cue.unless.is_empty()).then(|| pattern(cue.unless));
        let whole = |heading: &Heading| {
            Pattern::lean_written(heading.pattern, |text| format!("^(?:{})$", ascii(text)))
        };
        let compiled: Vec<Pattern> = cues.clone().map(|cue| pattern(cue.pattern)).collect();
        Rules {
            language,
            gate: Gate::new(compiled.iter()),
            cues: compiled,
            exceptions: cues.map(exception).collect(),
            traps: traps.map(|trap| pattern(trap.pattern)).collect(),
            headings: language.headings.iter().map(whole).collect(),
            aside: pattern(language.aside),
            opening: (!language.opening.is_empty()).then(|| pattern(language.opening)),
            closing: (!language.closing.is_empty()).then(|| pattern(language.closing)),
            boundary: pattern(language.boundary),
            supposing: pattern(language.supposing),
        }
    }

    /// Where a sentence begins to say something: after "ok so", "btw," and the like.
    fn opening_end(&self, text: &str) -> usize {
        let opening = self.opening.as_ref();
        let found = opening.and_then(|opening| opening.for_text(text)?.find(text));
        found.map_or(0, |found| found.end())
    }

    /// The parts of a sentence that may say something: all of it, and each clause with and without
    /// what follows it. What people say before and after a statement is left out.
    fn readings(&self, plain: Plain) -> Vec<Plain> {
        let closing = self.closing.as_ref();
        let end = closing.and_then(|closing| closing.for_text(&plain.text)?.find(&plain.text));
        let plain = match end {
            Some(end) if end.start() > 0 => plain.part(0..end.start()),
            _ => plain,
        };
        let text = plain.text.as_str();
        let mut spans = vec![0..text.len(), self.opening_end(text)..text.len()];
        let (mut start, mut is_supposed) = (0, false);
        let boundary = self.boundary.for_text(text);
        let between = boundary
            .into_iter()
            .flat_map(|boundary| boundary.find_iter(text))
            .take(MAX_CLAUSES)
            .map(|found| found.range());
        for between in between.chain(std::iter::once(text.len()..text.len())) {
            if !is_supposed {
                let opened = start + self.opening_end(&text[start..between.start]);
                spans.extend([
                    start..text.len(),
                    opened..text.len(),
                    start..between.start,
                    opened..between.start,
                ]);
            }
            is_supposed |= self.supposing.is_match(&text[start..between.start]);
            start = between.end;
        }
        let mut readings: Vec<Range<usize>> = Vec::with_capacity(spans.len());
        for span in spans {
            let is_long = text[span.clone()].len() >= MIN_LETTERS;
            if readings.len() <= OPENED || (is_long && !readings.contains(&span)) {
                readings.push(span);
            }
        }
        readings.into_iter().map(|span| plain.part(span)).collect()
    }

    /// The cues of some kinds that match, the best first, each with its index in the table. The first
    /// reading is the whole sentence.
    fn matching(
        &self,
        readings: &[Plain],
        sentence: &str,
        speaker: Speaker,
        is_meant: impl Fn(FindingKind) -> bool,
    ) -> Vec<(usize, &'static Cue)> {
        let mut traps: Vec<Option<Vec<&Trap>>> = vec![None; readings.len()];
        let all = readings.first().map_or("", |reading| reading.text.as_str());
        let possible = self.gate.possible(all);
        let sentences = self.language.cues.iter().map(|cue| (cue, OPENED + 1));
        let clauses = self.language.clauses.iter();
        let clauses = clauses.map(|cue| (cue, readings.len()));
        let cues = sentences.chain(clauses).enumerate();
        let mut found: Vec<(usize, &Cue)> = cues
            .map(|(index, (cue, count))| (index, cue, count.min(readings.len())))
            .filter(|(index, cue, count)| {
                is_meant(cue.kind)
                    && cue.who.includes(speaker)
                    && possible.may_match(*index)
                    && (0..*count).any(|place| {
                        let text = readings[place].text.as_str();
                        self.cues[*index].regex(text).is_match(text)
                            && self.names_products(*index, cue, &readings[place], sentence)
                            && !self.is_excepted(*index, cue.kind, text, &readings[0].text)
                            && ![0, place].into_iter().any(|place| {
                                let traps = traps[place]
                                    .get_or_insert_with(|| self.traps_in(&readings[place].text));
                                traps.iter().any(|trap| trap.suppresses(cue.kind))
                            })
                    })
            })
            .map(|(index, cue, _)| (index, cue))
            .collect();
        found.sort_by_key(|(index, cue)| (cue.kind, !cue.is_clear, *index));
        found
    }

    /// Whether what a cue wants to be names is written like names in a sentence: of the groups that
    /// begin with `n` each, of those that begin with `p` one, in the way in which only products are.
    fn names_products(&self, index: usize, cue: &Cue, reading: &Plain, sentence: &str) -> bool {
        const NAMES: [&str; 4] = ["n1", "n2", "n3", "n4"];
        const PRODUCTS: [&str; 2] = ["p1", "p2"];
        let wants_products = cue.pattern.contains("(?P<p1>");
        if !wants_products && !cue.pattern.contains("(?P<n1>") {
            return true;
        }
        let Some(captures) = self.capture(index, &reading.text) else {
            return false;
        };
        let written = |name: &&str| {
            let found = captures.name(name)?;
            sentence.get(reading.original(found.range()))
        };
        NAMES.iter().filter_map(written).all(is_name)
            && (!wants_products || PRODUCTS.iter().filter_map(written).any(is_product))
    }

    /// The cue that wins and the best for work that is done or given up.
    fn best(
        &self,
        readings: &[Plain],
        sentence: &str,
        speaker: Speaker,
    ) -> Vec<(usize, &'static Cue)> {
        let found = self.matching(readings, sentence, speaker, |_| true);
        let first = found.first().copied();
        let end = found
            .iter()
            .find(|(_, cue)| cue.kind.ends_a_task())
            .copied();
        // What is resolved is done ("the certificate is renewed"), and nothing is given up where it is
        // asked for.
        let goes_with = |(_, first): (usize, &Cue), (_, end): (usize, &Cue)| match first.kind {
            FindingKind::Done | FindingKind::GivenUp => false,
            FindingKind::Resolution | FindingKind::Task | FindingKind::Blocker => {
                end.kind == FindingKind::Done
            }
            _ => true,
        };
        let end = first
            .zip(end)
            .filter(|(first, end)| goes_with(*first, *end));
        first.into_iter().chain(end.map(|(_, end)| end)).collect()
    }

    /// Whether a statement of this kind says nothing.
    fn is_trapped(&self, text: &str, kind: FindingKind) -> bool {
        let traps = self.traps_in(text);
        traps.iter().any(|trap| trap.suppresses(kind))
    }

    fn without_asides<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.aside.for_text(text) {
            Some(aside) => aside.replace_all(text, ""),
            None => Cow::Borrowed(text),
        }
    }

    /// The traps that a text contains.
    fn traps_in(&self, text: &str) -> Vec<&'static Trap> {
        let said = self.without_asides(text);
        let traps = self.language.traps.iter().zip(&self.traps);
        let sprung = traps.filter(|(_, pattern)| pattern.is_match(&said));
        sprung.map(|(trap, _)| trap).collect()
    }

    /// Whether something speaks against a cue in a part of a sentence.
    fn is_excepted(&self, index: usize, kind: FindingKind, text: &str, sentence: &str) -> bool {
        let exception = self.exceptions[index].as_ref();
        let Some(exception) = exception else {
            return false;
        };
        // The reason after a comma tells a decision from a preference; what is only hoped for is told
        // by what follows.
        let clause = match kind {
            FindingKind::Decision | FindingKind::Resolution => sentence,
            _ => self.clause_of(index, text),
        };
        exception.is_match(clause)
    }

    /// The clauses in which a cue matches: "is blocked by OPS-311", without ", ask the firewall team".
    fn clause_of<'t>(&self, index: usize, text: &'t str) -> &'t str {
        let Some(captures) = self.capture(index, text) else {
            return text;
        };
        let (start, end) = captures
            .get(0)
            .map_or((0, 0), |all| (all.start(), all.end()));
        // A blocker takes all that follows, but is named in its first clause.
        let end = captures.name("b").map_or(end, |blocker| blocker.start());
        let is_end = |c: char| matches!(c, ',' | ';' | '–' | '—');
        let start = text[..start].rfind(is_end).unwrap_or(0);
        let length = text[end..].find(is_end);
        &text[start..length.map_or(text.len(), |length| end + length)]
    }

    fn capture<'t>(&self, index: usize, text: &'t str) -> Option<regex::Captures<'t>> {
        self.cues[index].regex(text).captures(text)
    }
}

/// The rules for the script of a sentence: a single kana makes it Japanese, a single Hangul
/// syllable Korean.
fn rules_of(text: &str) -> &'static Rules {
    static RULES: [RaceLazy<Rules>; 4] = [
        RaceLazy::new(|| Rules::new(&english::ENGLISH)),
        RaceLazy::new(|| Rules::new(&korean::KOREAN)),
        RaceLazy::new(|| Rules::new(&japanese::JAPANESE)),
        RaceLazy::new(|| Rules::new(&chinese::CHINESE)),
    ];
    let (mut han, mut index) = (false, 0);
    for c in text.chars() {
        match u32::from(c) {
            0x3041..=0x30fa => {
                index = 2;
                break;
            }
            0xac00..=0xd7a3 => {
                index = 1;
                break;
            }
            0x3400..=0x9fff => han = true,
            _ => {}
        }
    }
    if index == 0 && han {
        index = 3;
    }
    &RULES[index]
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        holds_for_matches(&POINTS.source());
        for language in [
            &english::ENGLISH,
            &korean::KOREAN,
            &japanese::JAPANESE,
            &chinese::CHINESE,
        ] {
            let cues = language.cues.iter().chain(language.clauses);
            let cues = cues.flat_map(|cue| [cue.pattern, cue.unless]);
            let traps = language.traps.iter().map(|trap| trap.pattern);
            for pattern in cues.chain(traps).chain([
                language.aside,
                language.opening,
                language.closing,
                language.boundary,
                language.supposing,
            ]) {
                holds_for_matches(&ascii(pattern));
            }
            for heading in language.headings {
                holds_for_matches(&format!("^(?:{})$", ascii(heading.pattern)));
            }
        }
    }

    fn kinds(text: &str, speaker: Speaker) -> Vec<&'static str> {
        let found = super::super::find(text, speaker, &[]);
        found.iter().map(|finding| finding.kind.as_str()).collect()
    }

    #[test]
    fn what_only_points_says_nothing() {
        for text in [
            "Do not generate them twice.",
            "for 2 drop the suffix, we decided that in the other branch",
            "Both are `~/.cache/shop/main`.",
            "port: 8080",
            "端口：80",
            "No, I don't like that at all...",
        ] {
            assert_eq!(kinds(text, Speaker::User), [""; 0], "{text}");
        }
        for text in [
            "Do not generate migrations by hand.",
            "For the invoices we decided to drop the suffix.",
            "网关的端口是 8443",
            "The gateway's port is 8443",
            "We decided that in CI we use uv",
            "Don't add comments unless they explain why",
            "No, I don't like nested ternaries at all...",
        ] {
            assert!(!kinds(text, Speaker::User).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_something_is_no_wish() {
        for text in [
            "but the badge has the wrong count, like Rows 12-0 which is wrong",
            "There is a mismatch with currency handling and names of exports as well I believe.",
            "Right now most invoices are showing up as drafts in the lists, mails or from reports.",
            "Upload form with a file under 20MB → passes",
        ] {
            let found = kinds(text, Speaker::User);
            let wishes = ["preference", "constraint"];
            assert!(
                !wishes.iter().any(|kind| found.contains(kind)),
                "{text} {found:?}"
            );
        }
        for text in [
            "I like short commit messages with a ticket number",
            "Commit messages in English, always with the ticket.",
            "Uploads have to stay under 20MB",
            "Card numbers must never show up in the logs",
        ] {
            let found = kinds(text, Speaker::User);
            let wishes = ["preference", "constraint"];
            assert!(
                wishes.iter().any(|kind| found.contains(kind)),
                "{text} {found:?}"
            );
        }
    }

    #[test]
    fn what_a_team_does_not_want_is_a_limit() {
        for text in [
            "We don't want one lock file per app.",
            "and we don't want to store raw card numbers",
            "We don't want any ORM.",
            "We shouldn't depend on the clock of the client.",
            "no, we never want to log the tokens of users",
        ] {
            assert!(kinds(text, Speaker::User).contains(&"constraint"), "{text}");
        }
        for text in [
            "We don't want to do that.",
            "We don't want this.",
            "we don't want to talk about it now",
            "Do we want one lock file per app?",
            "We shouldn't have used a cache.",
            "we don't want to break anything",
            "we don't want any surprises when the guests arrive at the new house",
            "maybe we shouldn't use a cache",
            "if we don't want to store raw rows, what else is there",
        ] {
            assert!(
                !kinds(text, Speaker::User).contains(&"constraint"),
                "{text}"
            );
        }
        let alias = "when I say sync, deploy the docs as well";
        assert!(kinds(alias, Speaker::User).contains(&"preference"));
    }

    #[test]
    fn what_waits_for_nothing_is_not_blocked() {
        for (text, speaker) in [
            ("- Analytics stays blocked forever", Speaker::Agent),
            (
                "while we wait for the nightly result, there are new remarks from the linter bot.",
                Speaker::User,
            ),
            ("All 6 tasks remain blocked.", Speaker::Agent),
            ("DB-3 (#9) is blocked by API-2 and API-5.", Speaker::Agent),
            ("Waiting for logs...", Speaker::User),
            ("先杀掉卡住的命令", Speaker::Agent),
        ] {
            assert!(!kinds(text, speaker).contains(&"blocker"), "{text}");
        }
        for (text, speaker) in [
            (
                "The release notes are blocked by the legal review.",
                Speaker::Agent,
            ),
            (
                "Analytics stays blocked until legal approves the banner.",
                Speaker::User,
            ),
            ("上线卡在域名备案上", Speaker::User),
            (
                "All migration tasks are blocked by the DBA review.",
                Speaker::Agent,
            ),
            ("OPS-311 is blocked by the legal review.", Speaker::Agent),
        ] {
            assert!(
                kinds(text, speaker).contains(&"blocker"),
                "{text} {:?}",
                kinds(text, speaker)
            );
        }
    }

    #[test]
    fn every_pattern_of_the_tables_compiles() {
        for language in [
            &english::ENGLISH,
            &korean::KOREAN,
            &japanese::JAPANESE,
            &chinese::CHINESE,
        ] {
            for cue in language.cues.iter().chain(language.clauses) {
                assert!(Regex::new(&ascii(cue.pattern)).is_ok(), "{}", cue.pattern);
                assert!(Regex::new(&ascii(cue.unless)).is_ok(), "{}", cue.unless);
            }
            for trap in language.traps {
                assert!(Regex::new(&ascii(trap.pattern)).is_ok(), "{}", trap.pattern);
            }
            for heading in language.headings {
                assert!(
                    Regex::new(&ascii(heading.pattern)).is_ok(),
                    "{}",
                    heading.pattern
                );
            }
            for pattern in [
                language.aside,
                language.opening,
                language.closing,
                language.boundary,
                language.supposing,
            ] {
                assert!(Regex::new(&ascii(pattern)).is_ok(), "{pattern}");
            }
        }
    }

    #[test]
    fn what_is_to_be_done_and_what_it_waits_for_are_named() {
        let found = |text: &str| judge(text, 0..text.len(), Speaker::User, &[]).remove(0);
        let task = found("TODO: Rotate the ‘signing’ keys.");
        assert_eq!(task.kind, FindingKind::Task);
        let subject = task.subject.expect("a subject");
        assert_eq!(
            &"TODO: Rotate the ‘signing’ keys."[subject],
            "Rotate the ‘signing’ keys"
        );
        let text = "The release is waiting for the certificate.";
        let blocked = found(text);
        assert_eq!(blocked.kind, FindingKind::Blocker);
        assert_eq!(&text[blocked.subject.expect("a subject")], "The release");
        assert_eq!(
            &text[blocked.blocker.expect("a blocker")],
            "the certificate"
        );
        for (text, blocker) in [
            (
                "The rollout is blocked by OPS-311, they need to open the firewall first.",
                "OPS-311",
            ),
            (
                "The release is waiting for the certificate, Bob ordered it yesterday.",
                "the certificate",
            ),
            (
                "The release is stuck behind OPS-77; I'll ask again.",
                "OPS-77",
            ),
            (
                "The release is blocked by legal, ops and the audit.",
                "legal, ops and the audit",
            ),
            ("The release is blocked by OPS-1, OPS-2.", "OPS-1, OPS-2"),
            ("上线卡在 OPS-311 上，他们得先开防火墙", "OPS-311"),
            ("发布还在等证书，昨天刚申请的", "证书"),
        ] {
            let blocked = found(text);
            assert_eq!(blocked.kind, FindingKind::Blocker, "{text}");
            assert_eq!(&text[blocked.blocker.expect("a blocker")], blocker);
        }
    }

    #[test]
    fn casual_spelling_is_read_as_the_usual_one() {
        let text = "dont forget: im gonna use what lets us win, lets go";
        let (plain, _) = plain(text, 0, &[]);
        assert_eq!(
            plain.text,
            "don't forget: i'm going to use what lets us win, let's go"
        );
        let at = plain.text.find("use").expect("kept");
        assert_eq!(&text[plain.original(at..at + 3)], "use");
        assert_eq!(plain.original(0..plain.text.len()), 0..text.len());
    }
}
