//! Judges a value by the rest of its line: a setting, a declaration, an open call, or a
//! continued expression.

use super::shape::is_expression;
use super::tags::is_blank;

pub(super) fn after_spaces(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + rest.len()
        - rest
            .trim_start_matches(|c| is_blank(c) && c != '\n' && c != '\r')
            .len()
}

/// `Server=db;Password=` and `a=1; token=`: a list of pairs on one line.
pub(super) fn is_listed_pair(before: &str, spaced: bool, is_colon: bool) -> bool {
    let before = before.trim_end();
    !spaced
        && !is_colon
        && before.strip_suffix(';').is_some_and(|pairs| {
            pairs.rsplit(';').next().is_some_and(|pair| {
                pair.contains('=') && !pair.contains(" = ") && !pair.contains('(')
            })
        })
}

/// Whether a line has the form `NAME=value`.
pub(super) fn is_setting_line(before: &str, bare: &str, after: &str) -> bool {
    let lead = before.trim();
    let lead = lead.strip_suffix('.').map_or(lead, |path| {
        if path
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
            && !matches!(path, "self" | "this" | "cls")
        {
            ""
        } else {
            lead
        }
    });
    let lead_fits = lead.is_empty()
        || [
            "export", "set", "setx", "ENV", "ARG", "env", "-", "-e", "--env", "$", "declare",
            "readonly", "local",
        ]
        .contains(&lead.split_whitespace().next_back().unwrap_or_default());
    let ends = if after.trim().is_empty() {
        bare
    } else {
        after.trim_end()
    };
    lead_fits && !ends.ends_with([',', ';', ')', '{', '('])
}

/// Whether the text before a name makes it a declaration or a member.
pub(super) fn declares(before: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "let",
        "local",
        "my",
        "our",
        "mut",
        "const",
        "var",
        "val",
        "fn",
        "def",
        "function",
        "func",
        "fun",
        "static",
        "final",
        "private",
        "public",
        "protected",
        "readonly",
        "type",
        "String",
        "string",
        "str",
        "char",
        "int",
        "auto",
        "return",
        "ref",
        "internal",
        "self.",
        "this.",
        "cls.",
        "defp",
        "lateinit",
        "case",
        "if",
        "elif",
        "while",
        "and",
        "or",
        "not",
        "in",
        "class",
        "struct",
        "field",
    ];
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let after_blank = before.ends_with([' ', '\t']);
    (after_blank && KEYWORDS.contains(&last.trim_start_matches(['(', '{'])))
        || ["self.", "this.", "cls.", "->", "::", "?.", "*", "&", "@"]
            .iter()
            .any(|end| before.ends_with(end))
}

/// Whether the words before a name form a sentence: "use my password: …".
pub(super) fn speaks(before: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "this", "that", "is",
        "new", "old", "please", "with",
    ];
    // A comment belongs to the code around it.
    let is_comment = ["//", "#", "--", "*", ";"]
        .iter()
        .any(|sign| before.trim_start().starts_with(sign));
    let mut words = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    !is_comment && words.any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether the text before a name leaves a call or a parameter list open.
pub(super) fn in_call(before: &str) -> bool {
    let mut depth = 0usize;
    let bytes = before.as_bytes();
    for (index, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                return index > 0
                    && (bytes[index - 1].is_ascii_alphanumeric()
                        || b"_>!?".contains(&bytes[index - 1]));
            }
            _ => {}
        }
    }
    false
}

/// Whether what follows a bare value continues an expression.
pub(super) fn joins(after: &str) -> bool {
    let rest = after.trim_start();
    rest.len() < after.len()
        && [
            "+ ", "|| ", "&& ", "?? ", "? ", "== ", "!= ", "if ", "or ", "and ", "else ", "|> ",
            "= ", "=> ", "-> ", "as ", "| ",
        ]
        .iter()
        .any(|sign| rest.starts_with(sign))
        || after.starts_with(['"', '\'']) && after.len() == 1
}

pub(super) fn is_expression_word(text: &str) -> bool {
    is_expression(text)
        && text
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b"_.".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_parenthesis_behind_a_name_is_a_call() {
        assert!(in_call("connect(host=h, "));
        assert!(!in_call("login (user ada, "));
        assert!(!in_call("f(x) "));
    }
}
