//! How many lines of the interface are written by hand.

use std::path::Path;

use super::{GENERATED, LISTED};
use crate::shell::{Outcome, read, root};

/// The folders of the interface, and the kinds of files that count there.
const FOLDERS: [(&str, &[&str]); 7] = [
    ("memory-ffi/src", &["rs"]),
    ("include", &["hpp"]),
    ("bindings-node/src", &["rs"]),
    ("bindings-node/ts", &["ts", "mts"]),
    ("bindings-python/src", &["rs"]),
    ("bindings-python/python", &["py", "pyi"]),
    ("xtask/src/interface", &["rs", "jinja"]),
];

#[derive(Default)]
struct Lines {
    by_hand: usize,
    generated: usize,
}

/// Prints the lines of each folder and their sum.
pub fn print() -> Outcome {
    let mut sum = Lines::default();
    let mut show = |name: &str, lines: Lines| {
        println!(
            "{name:24} {:6} by hand {:6} generated",
            lines.by_hand, lines.generated
        );
        sum.by_hand += lines.by_hand;
        sum.generated += lines.generated;
    };
    for (folder, endings) in FOLDERS {
        let mut lines = Lines::default();
        count(&root().join(folder), endings, &mut lines)?;
        show(folder, lines);
    }
    let table = Lines {
        by_hand: read(&root().join("xtask/interface.toml"))?.lines().count(),
        generated: 0,
    };
    show("xtask/interface.toml", table);
    println!(
        "{:24} {:6} by hand {:6} generated",
        "all", sum.by_hand, sum.generated
    );
    Ok(())
}

fn count(folder: &Path, endings: &[&str], lines: &mut Lines) -> Outcome {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            count(&path, endings, lines)?;
        } else if path
            .extension()
            .is_some_and(|ending| endings.iter().any(|known| *known == ending))
        {
            let text = read(&path)?;
            let (whole, generated) = (text.lines().count(), generated(&text));
            lines.generated += generated;
            lines.by_hand += whole - generated;
        }
    }
    Ok(())
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
