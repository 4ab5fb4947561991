//! Regular expressions that are compiled only when a text contains a literal that they need:
//! compiling one takes a short-lived process longer than everything else that it does with a
//! question.

use std::sync::atomic::{AtomicU32, Ordering};

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
/// Larger character classes are not expanded into literals.
const MOST_OF_CLASS: usize = 8;

/// A regular expression with literals, one of which is in every match. Two threads may both
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
        let compile = || {
            let regex = RegexBuilder::new(&self.source())
                .dfa_size_limit(DFA_BYTES)
                .build();
            Box::new(regex.expect("the pattern is constant and valid"))
        };
        Some(self.compiled.get_or_init(compile))
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.for_text(text)
            .is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn source(&self) -> String {
        (self.written)(self.text)
    }

    fn needed(&self) -> &Needed {
        self.needed
            .get_or_init(|| Box::new(Needed::by(&self.source())))
    }
}

/// Literals, in any letter case, one of which a matching text must contain; if empty, any
/// text may match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed(Vec<String>);

impl Needed {
    /// Analyses an expression; an invalid one yields no literals.
    pub(crate) fn by(pattern: &str) -> Self {
        let parsed = Parser::new().parse(pattern).ok();
        Needed(parsed.and_then(|ast| pieces(&ast)).unwrap_or_default())
    }

    /// Whether a text may match.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let folded: String = text.chars().flat_map(folded).collect();
        self.0.iter().any(|piece| folded.contains(piece.as_str()))
    }
}

/// A character in lower case, as case-insensitive expressions compare it.
fn folded(c: char) -> impl Iterator<Item = char> {
    // The long s is already lowercase, but matches an s.
    let c = if c == 'ſ' { 's' } else { c };
    c.to_lowercase()
}

/// Literals one of which is in every match, or `None` if unknown.
type Pieces = Option<Vec<String>>;

/// The literals of part of an expression.
fn pieces(ast: &Ast) -> Pieces {
    match ast {
        Ast::Literal(_) => literal(ast).map(|c| vec![folded(c).collect()]),
        Ast::Group(group) => pieces(&group.ast),
        Ast::Concat(concat) => in_sequence(&concat.asts),
        Ast::Alternation(alternation) => {
            let all: Option<Vec<_>> = alternation.asts.iter().map(pieces).collect();
            all.map(|all| all.concat())
        }
        Ast::Repetition(repetition) if is_certain(&repetition.op.kind) => pieces(&repetition.ast),
        Ast::ClassBracketed(class) => of_class(class),
        _ => None,
    }
}

/// The best literals of a sequence; adjacent characters form one literal.
fn in_sequence(parts: &[Ast]) -> Pieces {
    let mut best = None;
    let mut run = String::new();
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
        }
        take_better(&mut best, Some(vec![std::mem::take(&mut run)]));
        take_better(&mut best, pieces(part));
    }
    take_better(&mut best, Some(vec![run]));
    best
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
fn of_class(class: &ClassBracketed) -> Pieces {
    let items = match &class.kind {
        ClassSet::Item(ClassSetItem::Union(union)) => union.items.as_slice(),
        ClassSet::Item(item) => std::slice::from_ref(item),
        ClassSet::BinaryOp(_) => return None,
    };
    if class.negated || items.len() > MOST_OF_CLASS {
        return None;
    }
    let character = |item: &ClassSetItem| match item {
        ClassSetItem::Literal(literal) if is_folded_here(literal.c) => {
            Some(folded(literal.c).collect())
        }
        _ => None,
    };
    items.iter().map(character).collect()
}

/// Keeps the more selective literals: those whose shortest is longer.
fn take_better(best: &mut Pieces, new: Pieces) {
    let worth = |pieces: &Vec<String>| {
        let shortest = pieces.iter().map(|piece| piece.chars().count()).min();
        (shortest.unwrap_or(0), std::cmp::Reverse(pieces.len()))
    };
    let Some(new) = new.filter(|new| worth(new).0 > 0) else {
        return;
    };
    if best.as_ref().is_none_or(|best| worth(&new) > worth(best)) {
        *best = Some(new);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    use proptest::test_runner::TestRunner;

    use super::*;

    fn needed(pattern: &str) -> Vec<String> {
        Needed::by(pattern).0
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
            .replace(['^', '$'], "");
        let plain = match pattern.contains("[^") {
            true => return,
            false => plain,
        };
        let texts = proptest::string::string_regex(&plain).unwrap();
        let mut runner = TestRunner::deterministic();
        for _ in 0..40 {
            let text = texts.new_tree(&mut runner).unwrap().current();
            for text in [text.to_uppercase(), text] {
                if regex.is_match(&text) {
                    assert!(
                        needed.is_in(&text),
                        "{pattern} matches {text:?}: {needed:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_pieces_of_an_expression_are_in_every_match() {
        for (pattern, pieces) in [
            ("agreed?", vec!["agree"]),
            (
                r"(?i)\b(?:Settled on|chose[n]?)\b",
                vec!["settled on", "chose"],
            ),
            ("a|(?:b|c)d+e", vec!["a", "d"]),
            ("(?:we|i) (?:likes?|wants?)", vec!["like", "want"]),
            (r"(?P<year>20\d\d)[-/.]\d{1,2}", vec!["20"]),
            (r"\d{1,2}\s*[월月]", vec!["월", "月"]),
            (r"x{2,3}y{0,1}", vec!["x"]),
            (r"e\.g\.", vec!["e.g."]),
            (r"\x41b\u{63}\n", vec!["abc\n"]),
            (r"\pLab\b.c", vec!["ab"]),
            ("[]ab]", vec!["]", "a", "b"]),
            ("[^]ab]", vec![]),
            ("[a-c&&b]", vec![]),
            ("(?x) a b # c", vec!["ab"]),
            ("(?i)é+", vec![]),
            ("[가-힣]*", vec![]),
            ("[[a-z].-]+(?:[/.])", vec!["/", "."]),
            ("a|", vec![]),
            ("(?:a)?|b", vec![]),
            ("", vec![]),
            ("a)b", vec![]),
            ("[a", vec![]),
        ] {
            assert_eq!(needed(pattern), pieces, "{pattern}");
        }
        assert!(Needed::by("mask").is_in("a MAſK"));
        assert!(Needed::by("mask").is_in("a MAS\u{212A}"));
        assert!(Needed::by("[a-z]+").is_in(""));
        assert!(!Needed::by("mask").is_in("a mast"));
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
