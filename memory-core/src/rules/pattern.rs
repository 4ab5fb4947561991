//! Regular expressions that are compiled only when a text contains the literals that they need:
//! compiling one takes a short-lived process longer than everything else that it does with a
//! question. Of many that are tried on one text, a [`Gate`] tells which may match.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use aho_corasick::AhoCorasick;
use once_cell::race::OnceBox;
use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassBracketed, ClassSet, ClassSetItem, RepetitionKind, RepetitionRange,
};

/// After this many texts, the expression is compiled regardless, because that is cheaper by
/// then.
const MANY_TEXTS: u32 = 200;
/// The maximum size of an expression's table of states, which is filled as texts are read. There are
/// hundreds of expressions, and a search that needs more states begins a new table: with the default
/// of 2 MB, reading some thousand messages took twice the memory and the same time.
const DFA_BYTES: usize = 128 << 10;
/// Digits, also those of full width.
const DIGITS: &str = "0-9\u{FF10}-\u{FF19}";
/// The blocks of letters, without those of punctuation and symbols.
const LETTERS: &str = concat!(
    "A-Za-z\u{AA}\u{B5}\u{BA}\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{1FFF}\u{2C00}-\u{2DFF}",
    "\u{3005}-\u{3007}\u{3031}-\u{3035}\u{3041}-\u{30FA}\u{30FC}-\u{318F}\u{31A0}-\u{31BF}",
    "\u{31F0}-\u{31FF}\u{3400}-\u{4DBF}\u{4E00}-\u{D7FF}\u{F900}-\u{FB1C}",
    "\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}\u{FF66}-\u{FFDC}\u{20000}-\u{3FFFF}",
);
/// Larger character classes are not expanded into literals.
const MOST_OF_CLASS: usize = 8;

/// A regular expression, and the literals that are in every match. Two threads may both
/// compile it: a lock would be held for ever in a child process that is forked meanwhile.
pub(crate) struct Pattern {
    text: &'static str,
    written: fn(&str) -> String,
    needed: OnceBox<Needed>,
    compiled: OnceBox<Regex>,
    asked: AtomicU32,
}

impl Pattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        Pattern::written(text, str::to_owned)
    }

    /// The expression that `written` builds from a text.
    pub(crate) const fn written(text: &'static str, written: fn(&str) -> String) -> Self {
        Pattern {
            text,
            written,
            needed: OnceBox::new(),
            compiled: OnceBox::new(),
            asked: AtomicU32::new(0),
        }
    }

    /// The compiled expression, or `None` if the text cannot match.
    ///
    /// # Panics
    /// If the expression is invalid; it is a constant.
    pub(crate) fn for_text(&self, text: &str) -> Option<&Regex> {
        if self.compiled.get().is_none()
            && self.asked.fetch_add(1, Ordering::Relaxed) < MANY_TEXTS
            && !self.needed().is_in(text)
        {
            return None;
        }
        Some(self.regex())
    }

    /// The compiled expression.
    ///
    /// # Panics
    /// If the expression is invalid; it is a constant.
    pub(crate) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            let regex = RegexBuilder::new(&self.source())
                .dfa_size_limit(DFA_BYTES)
                .build();
            Box::new(regex.expect("the pattern is constant and valid"))
        })
    }

    /// Whether a text, or a part of it, has the literals that are in every match.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.needed().is_in(text)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.for_text(text)
            .is_some_and(|regex| regex.is_match(text))
    }

    /// The expression as it is compiled, with classes of few ranges and words that end where ASCII
    /// letters and digits end. The tables of states of the classes of Unicode take more than
    /// [`DFA_BYTES`], and where a word ends by Unicode no table tells in a text that is not ASCII: such
    /// expressions are searched for by other means, which take thirty times as long. A name in Latin
    /// letters beside Korean, Japanese or Chinese is a word either way.
    pub(crate) fn source(&self) -> String {
        let source = (self.written)(self.text).replace(r"\b", r"(?-u:\b)");
        // Where only ASCII matches, the classes are those of ASCII.
        if source.contains("(?i-u:") {
            return source;
        }
        source
            .replace(r"\w", &format!("[_{DIGITS}{LETTERS}]"))
            .replace(r"\d", &format!("[{DIGITS}]"))
            .replace(r"\p{N}", &format!("[{DIGITS}]"))
            .replace(r"\p{L}", &format!("[{LETTERS}]"))
    }

    fn needed(&self) -> &Needed {
        self.needed
            .get_or_init(|| Box::new(Needed::by(&self.source())))
    }
}

/// Literals, in any letter case, that a text must contain to match an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// Any text may match.
    Nothing,
    Literal(String),
    /// Each of these, the most selective first.
    All(Vec<Needed>),
    /// One of these.
    Any(Vec<Needed>),
}

impl Needed {
    /// Analyses an expression; an invalid one needs nothing.
    pub(crate) fn by(pattern: &str) -> Self {
        let parsed = Parser::new().parse(pattern);
        parsed.map_or(Needed::Nothing, |ast| needed_by(&ast))
    }

    /// Whether a text may match.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        *self == Needed::Nothing || self.is_in_folded(&folded_text(text))
    }

    fn is_in_folded(&self, text: &str) -> bool {
        match self {
            Needed::Nothing => true,
            Needed::Literal(literal) => text.contains(literal.as_str()),
            Needed::All(parts) => parts.iter().all(|part| part.is_in_folded(text)),
            Needed::Any(parts) => parts.iter().any(|part| part.is_in_folded(text)),
        }
    }

    fn all(mut parts: Vec<Needed>) -> Self {
        parts.retain(|part| *part != Needed::Nothing);
        parts.sort_by_key(|part| std::cmp::Reverse(part.shortest()));
        match parts.len() {
            0 => Needed::Nothing,
            1 => parts.remove(0),
            _ => Needed::All(parts),
        }
    }

    fn any(parts: Vec<Needed>) -> Self {
        if parts.is_empty() || parts.contains(&Needed::Nothing) {
            return Needed::Nothing;
        }
        Needed::Any(parts)
    }

    /// The length of the shortest literal that decides whether a text may match.
    fn shortest(&self) -> usize {
        match self {
            Needed::Nothing => 0,
            Needed::Literal(literal) => literal.chars().count(),
            Needed::All(parts) => parts.iter().map(Needed::shortest).max().unwrap_or(0),
            Needed::Any(parts) => parts.iter().map(Needed::shortest).min().unwrap_or(0),
        }
    }
}

/// Tells which of many expressions a text may match, by one pass over it.
pub(crate) struct Gate {
    literals: AhoCorasick,
    /// What each expression needs, by the numbers of the literals.
    needed: Vec<Numbered>,
    /// The expressions that need nothing.
    always: Vec<bool>,
    /// The expressions that each literal is needed by, alone or beside others.
    needed_by: Vec<Vec<usize>>,
}

/// [`Needed`] by the numbers of literals.
enum Numbered {
    Nothing,
    Literal(usize),
    All(Vec<Numbered>),
    Any(Vec<Numbered>),
}

/// Which expressions of a [`Gate`] a text may match.
pub(crate) struct Possible<'g> {
    gate: &'g Gate,
    /// Whether the text has each literal.
    present: Vec<bool>,
    /// The expressions that need nothing or a literal that is there: few of all.
    touched: Vec<bool>,
}

impl Gate {
    /// A gate before these expressions, which are numbered in this order.
    ///
    /// # Panics
    /// If the literals make no automaton: there are some thousand short constants.
    pub(crate) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let mut numbers = HashMap::new();
        let needed = patterns.map(|pattern| Numbered::of(pattern.needed(), &mut numbers));
        let needed: Vec<Numbered> = needed.collect();
        let mut literals = vec![String::new(); numbers.len()];
        for (literal, number) in numbers {
            literals[number] = literal;
        }
        let mut needed_by = vec![Vec::new(); literals.len()];
        for (expression, needed) in needed.iter().enumerate() {
            needed.each(&mut |literal| needed_by[literal].push(expression));
        }
        let is_nothing = |needed: &Numbered| matches!(needed, Numbered::Nothing);
        Gate {
            literals: AhoCorasick::new(literals).expect("the literals are few and short"),
            always: needed.iter().map(is_nothing).collect(),
            needed,
            needed_by,
        }
    }

    /// Which expressions a text may match, or a part of it.
    pub(crate) fn possible(&self, text: &str) -> Possible<'_> {
        let mut present = vec![false; self.literals.patterns_len()];
        let mut touched = self.always.clone();
        for found in self.literals.find_overlapping_iter(&folded_text(text)) {
            let literal = found.pattern().as_usize();
            if !std::mem::replace(&mut present[literal], true) {
                for &expression in &self.needed_by[literal] {
                    touched[expression] = true;
                }
            }
        }
        Possible {
            gate: self,
            present,
            touched,
        }
    }
}

impl Possible<'_> {
    /// Whether the text may match the expression of this number.
    pub(crate) fn may_match(&self, number: usize) -> bool {
        self.touched[number] && self.gate.needed[number].is_among(&self.present)
    }
}

impl Numbered {
    fn of(needed: &Needed, numbers: &mut HashMap<String, usize>) -> Self {
        match needed {
            Needed::Nothing => Numbered::Nothing,
            Needed::Literal(literal) => {
                let next = numbers.len();
                Numbered::Literal(*numbers.entry(literal.clone()).or_insert(next))
            }
            Needed::All(parts) => {
                Numbered::All(parts.iter().map(|part| Self::of(part, numbers)).collect())
            }
            Needed::Any(parts) => {
                Numbered::Any(parts.iter().map(|part| Self::of(part, numbers)).collect())
            }
        }
    }

    /// Visits the literals.
    fn each(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Numbered::Nothing => {}
            Numbered::Literal(number) => visit(*number),
            Numbered::All(parts) | Numbered::Any(parts) => {
                parts.iter().for_each(|part| part.each(visit));
            }
        }
    }

    fn is_among(&self, present: &[bool]) -> bool {
        match self {
            Numbered::Nothing => true,
            Numbered::Literal(number) => present[*number],
            Numbered::All(parts) => parts.iter().all(|part| part.is_among(present)),
            Numbered::Any(parts) => parts.iter().any(|part| part.is_among(present)),
        }
    }
}

/// A text in lower case, as the literals are.
fn folded_text(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().flat_map(folded).collect(),
    }
}

/// A character in lower case, as case-insensitive expressions compare it.
fn folded(c: char) -> impl Iterator<Item = char> {
    // The long s is already lowercase, but matches an s.
    let c = if c == 'ſ' { 's' } else { c };
    c.to_lowercase()
}

/// What part of an expression needs.
fn needed_by(ast: &Ast) -> Needed {
    match ast {
        Ast::Literal(_) => match literal(ast) {
            Some(c) => Needed::Literal(folded(c).collect()),
            None => Needed::Nothing,
        },
        Ast::Group(group) => needed_by(&group.ast),
        Ast::Concat(concat) => by_sequence(&concat.asts),
        Ast::Alternation(alternation) => {
            Needed::any(alternation.asts.iter().map(needed_by).collect())
        }
        Ast::Repetition(repetition) if is_certain(&repetition.op.kind) => {
            needed_by(&repetition.ast)
        }
        Ast::ClassBracketed(class) => by_class(class),
        _ => Needed::Nothing,
    }
}

/// What a sequence needs; adjacent characters form one literal.
fn by_sequence(parts: &[Ast]) -> Needed {
    let mut needed = Vec::new();
    let mut run = String::new();
    let end_run = |run: &mut String, needed: &mut Vec<Needed>| {
        if !run.is_empty() {
            needed.push(Needed::Literal(std::mem::take(run)));
        }
    };
    for part in parts {
        if let Some(c) = literal(part) {
            run.extend(folded(c));
            continue;
        }
        // A repetition that occurs at least once extends the run.
        if let Ast::Repetition(repetition) = part
            && is_certain(&repetition.op.kind)
            && let Some(c) = literal(&repetition.ast)
        {
            run.extend(folded(c));
            end_run(&mut run, &mut needed);
            continue;
        }
        end_run(&mut run, &mut needed);
        needed.push(needed_by(part));
    }
    end_run(&mut run, &mut needed);
    Needed::all(needed)
}

/// The character that a part matches. Non-ASCII characters have case variants that are not
/// handled here.
fn literal(ast: &Ast) -> Option<char> {
    match ast {
        Ast::Literal(literal) => Some(literal.c).filter(|c| is_folded_here(*c)),
        _ => None,
    }
}

fn is_folded_here(c: char) -> bool {
    c.is_ascii() || !(c.is_lowercase() || c.is_uppercase())
}

/// Whether a repetition occurs at least once.
fn is_certain(kind: &RepetitionKind) -> bool {
    match kind {
        RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => false,
        RepetitionKind::OneOrMore => true,
        RepetitionKind::Range(RepetitionRange::Exactly(least))
        | RepetitionKind::Range(RepetitionRange::AtLeast(least))
        | RepetitionKind::Range(RepetitionRange::Bounded(least, _)) => *least > 0,
    }
}

/// A small class is expanded into its characters.
fn by_class(class: &ClassBracketed) -> Needed {
    let items = match &class.kind {
        ClassSet::Item(ClassSetItem::Union(union)) => union.items.as_slice(),
        ClassSet::Item(item) => std::slice::from_ref(item),
        ClassSet::BinaryOp(_) => return Needed::Nothing,
    };
    if class.negated || items.len() > MOST_OF_CLASS {
        return Needed::Nothing;
    }
    let character = |item: &ClassSetItem| match item {
        ClassSetItem::Literal(literal) if is_folded_here(literal.c) => {
            Needed::Literal(folded(literal.c).collect())
        }
        _ => Needed::Nothing,
    };
    Needed::any(items.iter().map(character).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    use proptest::test_runner::TestRunner;

    use super::*;

    /// The literals as an expression of their own: `a&(b|c)`.
    fn written(needed: &Needed) -> String {
        let joined = |parts: &[Needed], sign: &str| {
            let parts: Vec<String> = parts.iter().map(written).collect();
            format!("({})", parts.join(sign))
        };
        match needed {
            Needed::Nothing => String::new(),
            Needed::Literal(literal) => literal.clone(),
            Needed::All(parts) => joined(parts, "&"),
            Needed::Any(parts) => joined(parts, "|"),
        }
    }

    impl Needed {
        /// Whether no ASCII text can match.
        pub(crate) fn is_beyond_ascii(&self) -> bool {
            match self {
                Needed::Nothing => false,
                Needed::Literal(literal) => !literal.is_ascii(),
                Needed::All(parts) => parts.iter().any(Needed::is_beyond_ascii),
                Needed::Any(parts) => parts.iter().all(Needed::is_beyond_ascii),
            }
        }
    }

    /// Checks with generated texts that no match of an expression is missed.
    pub(crate) fn holds_for_matches(pattern: &str) {
        let needed = Needed::by(pattern);
        let regex = Regex::new(pattern).unwrap();
        // Texts cannot be generated for assertions; most match without.
        let plain = pattern
            .replace(r"(?-u:\b)", "")
            .replace(r"\b", "")
            .replace(r"\^", r"\x5e")
            .replace(r"\$", r"\x24")
            .replace("[^", "[\0")
            .replace(['^', '$'], "")
            .replace("[\0", "[^");
        let texts = proptest::string::string_regex(&plain).unwrap();
        let mut runner = TestRunner::deterministic();
        let mut matches = 0;
        for _ in 0..40 {
            let text = texts.new_tree(&mut runner).unwrap().current();
            for text in [text.to_uppercase(), text] {
                if regex.is_match(&text) {
                    matches += 1;
                    assert!(
                        needed.is_in(&text),
                        "{pattern} matches {text:?}: {needed:?}"
                    );
                }
            }
        }
        assert!(matches > 0, "no generated text matches {pattern}");
    }

    #[test]
    fn the_literals_of_an_expression_are_in_every_match() {
        for (pattern, literals) in [
            ("agreed?", "agree"),
            (r"(?i)\b(?:Settled on|chose[n]?)\b", "(settled on|chose)"),
            ("a|(?:b|c)d+e", "(a|((b|c)&d&e))"),
            ("(?:we|i) (?:likes?|wants?)", "((like|want)&(we|i)& )"),
            (r"(?P<year>20\d\d)[-/.]\d{1,2}", "(20&(-|/|.))"),
            (r"\d{1,2}\s*[월月]", "(월|月)"),
            (r"x{2,3}y{0,1}", "x"),
            (r"e\.g\.", "e.g."),
            (r"\x41b\u{63}\n", "abc\n"),
            (r"\pLab\b.c", "(ab&c)"),
            ("[]ab]", "(]|a|b)"),
            ("[^]ab]", ""),
            ("[a-c&&b]", ""),
            ("(?x) a b # c", "ab"),
            ("(?i)é+", ""),
            ("[가-힣]*", ""),
            ("[[a-z].-]+(?:[/.])", "(/|.)"),
            ("a|", ""),
            ("(?:a)?|b", ""),
            ("", ""),
            ("a)b", ""),
            ("[a", ""),
        ] {
            assert_eq!(written(&Needed::by(pattern)), literals, "{pattern}");
        }
        assert!(Needed::by("that (?:task|job) of").is_in("that JOB of mine"));
        assert!(!Needed::by("that (?:task|job) of").is_in("that JOB is mine"));
        assert!(Needed::by("mask").is_in("a MAſK"));
        assert!(Needed::by("mask").is_in("a MAS\u{212A}"));
        assert!(Needed::by("[a-z]+").is_in(""));
        assert!(!Needed::by("mask").is_in("a mast"));
    }

    #[test]
    fn a_gate_tells_what_each_expression_alone_tells() {
        static PATTERNS: [Pattern; 5] = [
            Pattern::new(r"(?i)\b(?:settled on|chose[n]?)\b"),
            Pattern::new("(?:we|i) (?:likes?|wants?)"),
            Pattern::new("[a-z]+"),
            Pattern::new("결정|결"),
            Pattern::new("mask"),
        ];
        let gate = Gate::new(PATTERNS.iter());
        for text in [
            "",
            "We CHOSE Redis",
            "i want it",
            "결과",
            "a MAſK",
            "a MAS\u{212A} that I like",
            "nothing of it",
        ] {
            let possible = gate.possible(text);
            for (number, pattern) in PATTERNS.iter().enumerate() {
                let alone = pattern.needed().is_in(text);
                assert_eq!(possible.may_match(number), alone, "{number}: {text}");
            }
        }
    }

    #[test]
    fn a_word_ends_where_another_script_begins() {
        static NOW: Pattern = Pattern::new(r"(?i)\bredis\b");
        for text in ["Redis는 6380", "今はRedisを使う", "“Redis”"] {
            assert!(NOW.is_match(text), "{text}");
        }
        assert!(!NOW.is_match("Redison"));
    }

    #[test]
    fn an_expression_is_compiled_when_a_text_may_match() {
        static ASKED: Pattern = Pattern::new("(?i)colou?rs?");
        assert!(!ASKED.is_match("which port is open?"));
        assert!(ASKED.compiled.get().is_none());
        assert!(!ASKED.is_match("columns"));
        assert!(ASKED.is_match("the Color"));
        assert!(ASKED.compiled.get().is_some());
        static OFTEN: Pattern = Pattern::new("z");
        for _ in 0..=MANY_TEXTS {
            assert!(!OFTEN.is_match("a"));
        }
        assert!(OFTEN.compiled.get().is_some());
    }
}
