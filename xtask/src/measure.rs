//! How many lines of the interface are written by hand.

use std::path::Path;

use crate::interface::{GENERATED, LISTED};
use crate::shell::{Outcome, read, root};

/// Where the interface lies, and the kinds of files that count there.
const PLACES: [(&str, &[&str]); 8] = [
    ("memory-ffi/src", &["rs"]),
    ("include", &["hpp"]),
    ("bindings-node/src", &["rs"]),
    ("bindings-node/ts", &["ts", "mts"]),
    ("bindings-python/src", &["rs"]),
    ("bindings-python/python", &["py", "pyi"]),
    ("xtask/src/interface", &["rs", "jinja"]),
    ("xtask/interface.toml", &["toml"]),
];

/// The lines of some files.
#[derive(Clone, Copy, Default)]
struct Lines {
    /// Every line that is not generated.
    by_hand: usize,
    /// Those of them that are neither empty nor comments nor tests.
    code: usize,
    generated: usize,
}

impl Lines {
    fn of(text: &str, ending: &str) -> Lines {
        let by_hand = by_hand(text);
        Lines {
            code: code(&by_hand, ending),
            by_hand: by_hand.len(),
            generated: text.lines().count() - by_hand.len(),
        }
    }

    fn add(&mut self, other: Lines) {
        self.by_hand += other.by_hand;
        self.code += other.code;
        self.generated += other.generated;
    }
}

/// Prints the lines of each place and their sum.
pub fn print() -> Outcome {
    let show = |name: &str, lines: Lines| {
        let Lines {
            by_hand,
            code,
            generated,
        } = lines;
        println!("{name:24} {by_hand:6} by hand ({code:6} of code) {generated:6} generated");
    };
    let mut sum = Lines::default();
    for (name, endings) in PLACES {
        let lines = count(&root().join(name), endings)?;
        show(name, lines);
        sum.add(lines);
    }
    show("all", sum);
    Ok(())
}

/// The lines of a file, or of the files below a folder.
fn count(path: &Path, endings: &[&str]) -> Outcome<Lines> {
    let mut sum = Lines::default();
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            sum.add(count(&entry?.path(), endings)?);
        }
    } else if let Some(end) = path.extension().and_then(|end| end.to_str())
        && endings.contains(&end)
    {
        sum = Lines::of(&read(path)?, end);
    }
    Ok(sum)
}

/// The lines that are not generated: none of some files, or those outside of the parts that
/// reach from a mark up to an empty line or the end of a list.
fn by_hand(text: &str) -> Vec<&str> {
    let mut lines = text.lines().peekable();
    if (lines.peek()).is_some_and(|line| line.contains(GENERATED)) {
        return Vec::new();
    }
    let marks = ["#", "//"].map(|sign| format!("{sign} {GENERATED}"));
    let is_mark = |line: &str| {
        let line = line.trim_start();
        marks.iter().any(|mark| line.starts_with(mark)) || line.ends_with(LISTED)
    };
    let is_part = |line: &&str| !line.is_empty() && *line != "]";
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        match is_mark(line) {
            true => while lines.next_if(is_part).is_some() {},
            false => found.push(line),
        }
    }
    found
}

/// How many lines are code: not empty, no comment or docstring, and outside of a module of
/// tests.
fn code(lines: &[&str], ending: &str) -> usize {
    let (sign, blocks): (&str, &[(&str, &str)]) = match ending {
        "py" | "pyi" => ("#", &[("\"\"\"", "\"\"\"")]),
        "toml" => ("#", &[]),
        "jinja" => ("//", &[("{#", "#}"), ("/*", "*/")]),
        _ => ("//", &[("/*", "*/"), ("#[cfg(test)]\nmod ", "\n}")]),
    };
    let mut count = 0;
    let mut rest = lines;
    while let Some((line, others)) = rest.split_first() {
        let text = line.trim_start();
        let two = format!("{text}\n{}", others.first().unwrap_or(&""));
        let block = blocks.iter().find(|(begin, _)| two.starts_with(begin));
        rest = match block {
            Some((begin, end)) => past(rest, begin, end),
            None => others,
        };
        count += usize::from(block.is_none() && !text.is_empty() && !text.starts_with(sign));
    }
    count
}

/// The lines behind a block that begins with the first of them.
fn past<'l>(lines: &'l [&'l str], begin: &str, end: &str) -> &'l [&'l str] {
    let is_end = |(at, line): (usize, &&str)| match at {
        0 => line
            .trim_start()
            .get(begin.len()..)
            .is_some_and(|rest| rest.contains(end)),
        _ => format!("\n{line}").contains(end),
    };
    let last = lines.iter().enumerate().position(is_end);
    &lines[last.map_or(lines.len(), |last| last + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_or_a_part_of_it_is_generated() {
        let generated = |text: &str| Lines::of(text, "py").generated;
        let mark = format!("# {GENERATED}");
        assert_eq!(generated(&format!("{mark}\na\nb\n")), 3);
        let part =
            format!("class A:\n    by_hand\n    {mark}\n    x\n\nclass B:\n    {mark}\n    y\n");
        assert_eq!(generated(&part), 4);
        assert_eq!(generated("class A:\n    by_hand\n"), 0);
        let list = format!("names = [\n    \"a\",\n    # {LISTED}\n    \"b\",\n]\nby_hand\n");
        assert_eq!(generated(&list), 2);
    }

    #[test]
    fn comments_empty_lines_and_tests_are_no_code() {
        let rust = "//! Docs.\n\nuse a;\n/// Docs.\nfn b() {} // why\n/* a\n b */\n\
                    #[cfg(test)]\nmod tests {\n    fn c() {}\n}\nfn d() {}\n";
        assert_eq!(Lines::of(rust, "rs").code, 3);
        let python = "\"\"\"Docs.\"\"\"\nclass A:\n    \"\"\"Docs\n\n    more.\"\"\"\n    # why\n    x = 1\n";
        assert_eq!(Lines::of(python, "py").code, 2);
        assert_eq!(Lines::of("{# a\nb #}\n{% if c %}\n", "jinja").code, 1);
    }
}
