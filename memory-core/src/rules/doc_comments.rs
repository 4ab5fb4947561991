//! Finds what comments say that document definitions: docstrings of Python, `/** */` of Java and
//! JavaScript, `///` of Rust, C# and Swift.

/// How many comments of a passage are looked at.
const MAX_COMMENTS: usize = 16;
/// A summary is cut here.
const MAX_BYTES: usize = 400;

/// How a comment begins and ends; one of lines ends at the first line without its mark.
const FORMS: [(&str, &str); 4] = [
    ("\"\"\"", "\"\"\""),
    ("'''", "'''"),
    ("/**", "*/"),
    ("///", "\n"),
];

/// The first sentence of each comment that documents something.
pub(crate) fn summaries(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    std::iter::from_fn(move || {
        let (at, mark, end) = FORMS
            .iter()
            .filter_map(|(mark, end)| Some((rest.find(mark)?, *mark, *end)))
            .min_by_key(|(at, ..)| *at)?;
        let behind = &rest[at + mark.len()..];
        let length = match mark {
            "///" => length_of_lines(behind, mark),
            _ => behind.find(end).unwrap_or(behind.len()),
        };
        rest = &behind[length..];
        rest = rest.strip_prefix(end).unwrap_or(rest);
        Some(first_sentence(&behind[..length]))
    })
    .take(MAX_COMMENTS)
    .filter(|summary| !summary.is_empty())
}

/// How long a comment is of which every line begins with `mark`.
fn length_of_lines(text: &str, mark: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let others = lines.take_while(|line| line.trim_start().starts_with(mark));
    first + others.map(str::len).sum::<usize>()
}

/// The text up to a full stop, an empty line, or a line about parameters.
fn first_sentence(comment: &str) -> &str {
    let comment = comment.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let comment = &comment[..comment.floor_char_boundary(MAX_BYTES)];
    let mut end = 0;
    for line in comment.split_inclusive('\n') {
        let words = line.trim().trim_start_matches(['*', '/']).trim();
        if words.is_empty() || words.starts_with(['@', ':']) {
            break;
        }
        if let Some(at) = line.find(". ") {
            end += at;
            break;
        }
        end += line.len();
        if words.ends_with('.') {
            break;
        }
    }
    comment[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_each_comment_is_found() {
        for (code, expected) in [
            (
                "def mean(v):\n    \"\"\"Average of\n    all values.\n\n    Slow.\n    \"\"\"\n    return sum(v)",
                vec!["Average of\n    all values."],
            ),
            (
                "def f():\n  '''One. Two.'''\n\ndef g():\n  '''Three\n  :param x: y'''",
                vec!["One", "Three"],
            ),
            (
                "/**\n * Sends a mail.\n * @param to who\n */\nfunction f() {}",
                vec!["Sends a mail."],
            ),
            (
                "/// Reads a file\n/// in one go.\n///\n/// Slow.\nfn read() {}\n/// Ends.\nfn end() {}",
                vec!["Reads a file\n/// in one go.", "Ends."],
            ),
            ("def f():\n  \"\"\"never closed", vec!["never closed"]),
            ("no comment // here", vec![]),
            ("\"\"\"\"\"\"", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(summaries(code).collect::<Vec<_>>(), expected, "{code}");
        }
    }
}
