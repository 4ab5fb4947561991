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
/// The letters of ASCII and those of Chinese, Japanese and Korean, in few ranges.
const LETTERS: &str = concat!(
    "A-Za-z\u{1100}-\u{11FF}\u{2E80}-\u{2FDF}\u{3005}-\u{3007}\u{3031}-\u{3035}",
    "\u{3041}-\u{3096}\u{309D}-\u{309F}\u{30A1}-\u{30FA}\u{30FC}-\u{318F}\u{31A0}-\u{31BF}",
    "\u{31F0}-\u{31FF}\u{3400}-\u{4DBF}\u{4E00}-\u{9FFF}\u{A960}-\u{A97F}\u{AC00}-\u{D7FF}",
    "\u{F900}-\u{FAFF}\u{FF66}-\u{FFDC}\u{20000}-\u{3FFFF}",
);
/// Larger character classes are not expanded into literals.
const MAX_OF_CLASS: usize = 8;

/// A regular expression, and the literals that are in every match. Two threads may both
/// compile it: a lock would be held for ever in a child process that is forked meanwhile.
pub(crate) struct Pattern {
    text: &'static str,
    written: fn(&str) -> String,
    /// Whether texts without letters of other alphabets are searched with the lean expression.
    is_lean: bool,
    needed: OnceBox<Needed>,
    compiled: OnceBox<Regex>,
    lean: OnceBox<Regex>,
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
            is_lean: false,
            needed: OnceBox::new(),
            compiled: OnceBox::new(),
            lean: OnceBox::new(),
            asked: AtomicU32::new(0),
        }
    }

    /// An expression that many long texts are searched with: like [`Pattern::new`], but letters and
    /// digits are those of ASCII, Chinese, Japanese and Korean in a text that has no others.
    pub(crate) const fn lean(text: &'static str) -> Self {
        Pattern::lean_written(text, str::to_owned)
    }

    /// Like [`Pattern::lean`], for the expression that `written` builds from a text.
    pub(crate) const fn lean_written(text: &'static str, written: fn(&str) -> String) -> Self {
        let mut pattern = Pattern::written(text, written);
        pattern.is_lean = true;
        pattern
    }

    /// The compiled expression, or `None` if the text cannot match.
    ///
    /// # Panics
    /// If the expression is invalid; it is a constant.
    pub(crate) fn for_text(&self, text: &str) -> Option<&Regex> {
        let takes_lean = self.takes_lean(text);
        let form = match takes_lean {
            true => &self.lean,
            false => &self.compiled,
        };
        if form.get().is_none()
            && self.asked.fetch_add(1, Ordering::Relaxed) < MANY_TEXTS
            && !self.needed().is_in(text)
        {
            return None;
        }
        Some(self.form(takes_lean))
    }

    /// The compiled expression for a text.
    ///
    /// # Panics
    /// If the expression is invalid; it is a constant.
    pub(crate) fn regex(&self, text: &str) -> &Regex {
        self.form(self.takes_lean(text))
    }

    /// Whether a text is searched with the lean expression.
    fn takes_lean(&self, text: &str) -> bool {
        self.is_lean && !has_letters_of_other_alphabets(text)
    }

    fn form(&self, is_lean: bool) -> &Regex {
        match is_lean {
            true => self.lean.get_or_init(|| compiled(&self.lean_source())),
            false => self.compiled.get_or_init(|| compiled(&self.source())),
        }
    }

    /// Whether a text, or a part of it, has the literals that are in every match.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        self.needed().is_in(text)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.for_text(text)
            .is_some_and(|regex| regex.is_match(text))
    }

    /// The expression, with all that Unicode knows of letters and digits.
    pub(crate) fn source(&self) -> String {
        (self.written)(self.text)
    }

    /// The expression with classes of few ranges and words that end where ASCII letters and digits end.
    /// The tables of states of Unicode's classes take more than [`DFA_BYTES`], and where a word ends by
    /// Unicode no table tells in a text that is not ASCII: such expressions are searched for by other
    /// means, which take thirty times as long. A name in Latin letters beside Chinese, Japanese or
    /// Korean is a word either way.
    fn lean_source(&self) -> String {
        self.source()
            .replace(r"\b", r"(?-u:\b)")
            .replace(r"\w", &format!("[_0-9{LETTERS}]"))
            .replace(r"\d", "[0-9]")
            .replace(r"\p{N}", "[0-9]")
            .replace(r"\p{L}", &format!("[{LETTERS}]"))
    }

    fn needed(&self) -> &Needed {
        self.needed
            .get_or_init(|| Box::new(Needed::by(&self.source())))
    }
}

/// # Panics
/// If the expression is invalid; it is a constant.
fn compiled(source: &str) -> Box<Regex> {
    let regex = RegexBuilder::new(source).dfa_size_limit(DFA_BYTES).build();
    Box::new(regex.expect("the pattern is constant and valid"))
}

/// Whether a text has letters or digits beside which a word goes on and that are neither of ASCII nor
/// Chinese, Japanese or Korean: those of "José", full-width ones.
fn has_letters_of_other_alphabets(text: &str) -> bool {
    let is_other = |c: char| {
        matches!(c, '\u{AA}'..='\u{10FF}' | '\u{1200}'..='\u{1FFF}' | '\u{2C00}'..='\u{2DFF}')
            || matches!(c, '\u{A000}'..='\u{A95F}' | '\u{A980}'..='\u{ABFF}')
            || matches!(c, '\u{FB00}'..='\u{FF65}' | '\u{10000}'..='\u{1EFFF}')
    };
    !text.is_ascii() && text.chars().any(|c| is_other(c) && c.is_alphanumeric())
}

/// Literals, in any letter case, that a text must contain to match an expression. A [`Gate`] numbers
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needed<L = String> {
    /// Any text may match.
    Nothing,
    Literal(L),
    /// Each of these, the most selective first.
    All(Vec<Needed<L>>),
    /// One of these.
    Any(Vec<Needed<L>>),
}

impl<L> Needed<L> {
    /// Whether a text may match that has the literals of which `has` says so.
    fn is_met(&self, has: &impl Fn(&L) -> bool) -> bool {
        match self {
            Needed::Nothing => true,
            Needed::Literal(literal) => has(literal),
            Needed::All(parts) => parts.iter().all(|part| part.is_met(has)),
            Needed::Any(parts) => parts.iter().any(|part| part.is_met(has)),
        }
    }

    /// The same with other literals.
    fn map<M>(&self, to: &mut impl FnMut(&L) -> M) -> Needed<M> {
        match self {
            Needed::Nothing => Needed::Nothing,
            Needed::Literal(literal) => Needed::Literal(to(literal)),
            Needed::All(parts) => Needed::All(parts.iter().map(|part| part.map(to)).collect()),
            Needed::Any(parts) => Needed::Any(parts.iter().map(|part| part.map(to)).collect()),
        }
    }
}

impl Needed {
    /// Analyses an expression; an invalid one needs nothing.
    pub(crate) fn by(pattern: &str) -> Self {
        let parsed = Parser::new().parse(pattern);
        parsed.map_or(Needed::Nothing, |ast| needed_by(&ast))
    }

    /// Whether a text may match.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if *self == Needed::Nothing {
            return true;
        }
        let text = folded_text(text);
        self.is_met(&|literal: &String| text.contains(literal.as_str()))
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
    needed: Vec<Needed<usize>>,
    /// The expressions that need nothing.
    always: Vec<bool>,
    /// The expressions that each literal is needed by, alone or beside others.
    needed_by: Vec<Vec<usize>>,
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
        let mut needed_by: Vec<Vec<usize>> = Vec::new();
        let needed = patterns.enumerate().map(|(expression, pattern)| {
            pattern.needed().map(&mut |literal: &String| {
                let number = *numbers.entry(literal.clone()).or_insert(needed_by.len());
                if number == needed_by.len() {
                    needed_by.push(Vec::new());
                }
                needed_by[number].push(expression);
                number
            })
        });
        let needed: Vec<Needed<usize>> = needed.collect();
        let mut literals = vec![String::new(); numbers.len()];
        for (literal, number) in numbers {
            literals[number] = literal;
        }
        let is_nothing = |needed: &Needed<usize>| *needed == Needed::Nothing;
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
        let is_there = |literal: &usize| self.present[*literal];
        self.touched[number] && self.gate.needed[number].is_met(&is_there)
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
    if class.negated || items.len() > MAX_OF_CLASS {
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
    fn a_word_ends_where_another_script_begins_and_goes_on_in_other_alphabets() {
        static REDIS: Pattern = Pattern::lean(r"(?i)\bredis\b");
        for text in ["Redis는 6380", "今はRedisを使う", "“Redis”", "José: redis!"] {
            assert!(REDIS.is_match(text), "{text}");
        }
        for text in ["Redison", "Redisé", "éRedis"] {
            assert!(!REDIS.is_match(text), "{text}");
        }
        static PORT: Pattern = Pattern::lean(r"\bport (\d+)\b");
        assert!(PORT.is_match("port ８０８０"));
        static NAME: Pattern = Pattern::lean(r"^[\w-]+ owns [\p{L}\p{N} ]+$");
        for text in [
            "Zoë owns it",
            "민지 owns 결제 2",
            "田中 owns 々",
            "Пётр owns it",
        ] {
            assert!(NAME.is_match(text), "{text}");
        }
        assert!(!NAME.is_match("민지、 owns it"));
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
        // Neither form is compiled for a text that the other one would be for.
        static BOTH: Pattern = Pattern::lean("(?i)colou?rs?");
        assert!(BOTH.is_match("the Color"));
        assert!(!BOTH.is_match("José"));
        assert!(BOTH.compiled.get().is_none());
        assert!(BOTH.is_match("José: colours"));
    }
}
