//! How many lines of the interface are written by hand.

use std::path::Path;

use super::GENERATED;
use crate::shell::{Outcome, read, root};

/// The folders of the interface, and the kinds of files that count there.
const FOLDERS: [(&str, &[&str]); 7] = [
    ("memory-ffi/src", &["rs"]),
    ("include", &["hpp"]),
    ("bindings-node/src", &["rs"]),
    ("bindings-node/ts", &["ts", "mts"]),
    ("bindings-python/src", &["rs"]),
    ("bindings-python/python", &["py", "pyi"]),
    ("xtask/src/interface", &["rs"]),
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
            let number = text.lines().count();
            match text
                .lines()
                .next()
                .is_some_and(|line| line.contains(GENERATED))
            {
                true => lines.generated += number,
                false => lines.by_hand += number,
            }
        }
    }
    Ok(())
}
