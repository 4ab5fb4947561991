//! How many lines of the interface are written by hand.

use std::path::Path;

use super::{GENERATED, LISTED};
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

/// Prints the lines of each place and their sum.
pub fn print() -> Outcome {
    let show = |name: &str, [by_hand, generated]: [usize; 2]| {
        println!("{name:24} {by_hand:6} by hand {generated:6} generated");
    };
    let mut sum = [0, 0];
    for (name, endings) in PLACES {
        let lines = count(&root().join(name), endings)?;
        show(name, lines);
        sum = [sum[0] + lines[0], sum[1] + lines[1]];
    }
    show("all", sum);
    Ok(())
}

/// The lines by hand and the generated ones.
fn count(path: &Path, endings: &[&str]) -> Outcome<[usize; 2]> {
    let mut sum = [0, 0];
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let lines = count(&entry?.path(), endings)?;
            sum = [sum[0] + lines[0], sum[1] + lines[1]];
        }
    } else if path
        .extension()
        .is_some_and(|end| endings.iter().any(|known| *known == end))
    {
        let text = read(path)?;
        let generated = generated(&text);
        sum = [text.lines().count() - generated, generated];
    }
    Ok(sum)
}

/// The generated lines of a file: all, or those from a mark up to an empty line or the
/// end of a list.
fn generated(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().is_some_and(|line| line.contains(GENERATED)) {
        return text.lines().count();
    }
    let mut count = 0;
    let marks = ["#", "//"].map(|sign| format!("{sign} {GENERATED}"));
    let is_mark = |line: &str| {
        let line = line.trim_start();
        marks.iter().any(|mark| line.starts_with(mark)) || line.ends_with(LISTED)
    };
    let is_part = |line: &&str| !line.is_empty() && *line != "]";
    while lines.any(is_mark) {
        count += 1 + lines.by_ref().take_while(is_part).count();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_or_a_part_of_it_is_generated() {
        let mark = format!("# {GENERATED}");
        assert_eq!(generated(&format!("{mark}\na\nb\n")), 3);
        let part =
            format!("class A:\n    by_hand\n    {mark}\n    x\n\nclass B:\n    {mark}\n    y\n");
        assert_eq!(generated(&part), 4);
        assert_eq!(generated("class A:\n    by_hand\n"), 0);
        let list = format!("names = [\n    \"a\",\n    # {LISTED}\n    \"b\",\n]\nby_hand\n");
        assert_eq!(generated(&list), 2);
    }
}
