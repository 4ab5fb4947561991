//! Checks what comments name that programs of other languages read, by hand or generated: an
//! identifier that the language does not have is one of Rust's, or a mistake. The documentation
//! that they are made of is wrapped like code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::documented::LITERALS;
use crate::shell::{Outcome, read, root, sources};

/// Words with capitals inside them that are no identifiers.
const PROSE: [&str; 12] = [
    "GitHub",
    "JavaScript",
    "TypeScript",
    "MiB",
    "GiB",
    "KiB",
    "NaN",
    "macOS",
    "MiniLM",
    "nDCG",
    "README",
    "endless_YYYY",
];

/// Names that the languages themselves, their libraries and other programs have, and files.
const FOREIGN: [&str; 24] = [
    "1_Pooling",
    "Sync",
    "TRUNCATED",
    "TodoRead",
    "TodoWrite",
    "WebFetch",
    "XDG_DATA_HOME",
    "asdict",
    "com",
    "console",
    "example",
    "gh_issue",
    "jsonl",
    "logging",
    "model",
    "n",
    "next_token",
    "onnx",
    "retrieval",
    "special_tokens_map",
    "tokenizer_config",
    "topK",
    "unraisablehook",
    "v2",
];

/// Where the documentation of the interface is written.
const WRAPPED: [&str; 4] = [
    "memory-core/src/memory",
    "memory-ffi/src",
    "bindings-node/src",
    "bindings-python/src",
];

/// The most characters of a line of documentation, as of code.
const WIDTH: usize = 100;

/// What a program of a language reads, and how it is written.
struct Language {
    files: Vec<PathBuf>,
    split: fn(&str) -> Text,
    /// The names in a comment.
    named: fn(&str) -> Vec<String>,
}

/// A file's comments, each with its line, and the identifiers and texts of its code.
#[derive(Default)]
struct Text {
    comments: Vec<(usize, String)>,
    code: String,
}

/// Fails if a comment names what its language does not have.
pub fn check() -> Outcome {
    let below = |folder: &str, ending: &str| sources(&root().join(folder), ending);
    let languages = [
        Language {
            files: [below("include", "h")?, below("include", "hpp")?].concat(),
            split: like_c,
            named: compound,
        },
        Language {
            files: below("bindings-node/ts", "ts")?,
            split: like_c,
            named: marked,
        },
        Language {
            files: [
                below("bindings-python/python", "py")?,
                below("bindings-python/python", "pyi")?,
            ]
            .concat(),
            split: like_python,
            named: marked,
        },
    ];
    let mut wrong = Vec::new();
    for language in &languages {
        language.check(&mut wrong)?;
    }
    for folder in WRAPPED {
        for file in below(folder, "rs")? {
            if file
                .components()
                .any(|part| part.as_os_str() == "generated")
            {
                continue;
            }
            too_wide(&shown(&file), &read(&file)?, &mut wrong);
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("comments:\n{}", wrong.join("\n")).into()),
    }
}

impl Language {
    fn check(&self, wrong: &mut Vec<String>) -> Outcome {
        let mut texts = Vec::new();
        for file in &self.files {
            texts.push((file, (self.split)(&read(file)?)));
        }
        let code = texts.iter().flat_map(|(_, text)| words(&text.code));
        let known: BTreeSet<&str> = code.chain(LITERALS).chain(PROSE).chain(FOREIGN).collect();
        for (file, text) in &texts {
            for (line, comment) in &text.comments {
                if comment.contains("](crate::") || comment.contains("](Self::") {
                    wrong.push(format!("{}:{line}: a link of Rust", shown(file)));
                }
                for name in (self.named)(comment) {
                    // C has some switches turned round.
                    let turned = format!("skip_{name}");
                    if !known.contains(&*name) && !known.contains(&*turned) {
                        let file = shown(file);
                        wrong.push(format!("{file}:{line}: {name}"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Finds the lines of documentation that are too wide. Addresses and examples are not broken.
fn too_wide(file: &str, text: &str, wrong: &mut Vec<String>) {
    let mut is_example = false;
    for (index, line) in text.lines().enumerate() {
        let is_documentation = line.trim_start().starts_with("//");
        is_example ^= is_documentation && line.contains("```");
        let may_be_wide = !is_documentation || is_example || line.contains("://");
        if !may_be_wide && line.chars().count() > WIDTH {
            wrong.push(format!("{file}:{}: is wider than {WIDTH}", index + 1));
        }
    }
}

fn shown(file: &Path) -> String {
    let file = file.strip_prefix(root()).unwrap_or(file);
    file.display().to_string()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The words of a comment of C that can only be identifiers: with an underscore or a capital
/// inside, and not in quotation marks.
fn compound(comment: &str) -> Vec<String> {
    let outside = comment.split('"').step_by(2);
    let is_compound = |word: &&str| {
        let inside = word.trim_matches('_');
        inside.contains('_')
            || inside
                .char_indices()
                .any(|(at, c)| c.is_uppercase() && inside[..at].ends_with(char::is_lowercase))
    };
    outside
        .flat_map(words)
        .filter(is_compound)
        .map(str::to_owned)
        .collect()
}

/// The names between backticks, one by one: `events[1].session` are two.
fn marked(comment: &str) -> Vec<String> {
    let comment = comment.replace("``", "`");
    let spans = comment.split('`').skip(1).step_by(2);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.[]()".contains(c);
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let names = spans.filter(|span| span.chars().all(is_part));
    names
        .flat_map(words)
        .filter(is_name)
        .map(str::to_owned)
        .collect()
}

/// C, C++ and TypeScript: comments from `//` and between `/*` and `*/`.
fn like_c(text: &str) -> Text {
    let mut found = Text::default();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'', '`']) {
        let (before, behind) = rest.split_at(at);
        found.code.push_str(before);
        let end = match behind.as_bytes() {
            [b'/', b'/', ..] => behind.find('\n').unwrap_or(behind.len()),
            [b'/', b'*', ..] => behind.find("*/").map_or(behind.len(), |end| end + 2),
            [b'/', ..] => 1,
            [quote, ..] => quoted(behind, *quote as char),
            [] => 0,
        };
        let (part, after) = behind.split_at(end);
        match part.starts_with("//") || part.starts_with("/*") {
            true => {
                let before = &text[..text.len() - behind.len()];
                let line = before.matches('\n').count() + 1;
                found.comments.push((line, part.to_owned()));
            }
            false => found.code.push_str(part),
        }
        rest = after;
    }
    found.code.push_str(rest);
    found
}

/// The length of a text in quotation marks.
fn quoted(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            // No character of C, but the mark of a digit: 1'000.
            '\n' if quote != '`' => return at,
            letter if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Python: documentation between three quotation marks, and comments from `#`.
fn like_python(text: &str) -> Text {
    let mut found = Text::default();
    for (part, text) in text.split("\"\"\"").enumerate() {
        let is_documentation = part % 2 == 1;
        let line = found.code.matches('\n').count() + 1;
        match is_documentation {
            true => found.comments.push((line, text.to_owned())),
            false => found.code.push_str(text),
        }
        // Lines are counted in the code.
        if is_documentation {
            found
                .code
                .push_str(&"\n".repeat(text.matches('\n').count()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_that_is_too_wide_is_told() {
        let mut wrong = Vec::new();
        let wide = format!("fn f() {{}}\n    /// {}\n", "word ".repeat(20));
        too_wide("a.rs", &wide, &mut wrong);
        assert_eq!(wrong, ["a.rs:2: is wider than 100"]);
    }

    #[test]
    fn comments_are_told_from_code() {
        let text = like_c("int a_b; /* c_d\n \"e_f\" */ char *g = \"// h_i\"; // j_k\n");
        let named: Vec<_> = text
            .comments
            .iter()
            .flat_map(|(_, text)| compound(text))
            .collect();
        assert_eq!(named, ["c_d", "j_k"]);
        assert!(words(&text.code).any(|word| word == "h_i"));
        let text = like_python("def f():\n    \"\"\"Of ``a.b_c`` and `x[1]`.\"\"\"\n    d_e\n");
        assert_eq!(text.comments[0].0, 2);
        assert_eq!(marked(&text.comments[0].1), ["a", "b_c", "x"]);
        assert!(words(&text.code).any(|word| word == "d_e"));
    }
}
