//! The reliability figures, each printed by the test that earns it, and the fuzz
//! targets for as long as one likes.

use std::path::Path;

use crate::shell::{Outcome, cargo, passed_on, root, run};
use crate::tools;

/// What is measured: a title, the arguments of `cargo test`, and words of the
/// lines that tell the figure.
const FIGURES: [(&str, &[&str], &str); 10] = [
    ("crash images", &["--lib", "no_crash"], "crash images"),
    ("failing disk", &["--lib", "failing_disk"], "failures of"),
    (
        "broken on purpose",
        &["--lib", "the_enumeration_notices"],
        "test testing",
    ),
    (
        "every file operation",
        &["--test", "hostile", "at_every_file_operation"],
        "file operations,",
    ),
    ("limits", &["--test", "hostile", "limits"], " calls, "),
    (
        "kill -9",
        &["--test", "processes", "a_killed_process"],
        "kill -9",
    ),
    (
        "damaged bytes",
        &["--lib", "seeds_and_their_changes"],
        "survived",
    ),
    ("flipped bits", &["--lib", "flip"], "test "),
    ("erase", &["--test", "erase"], "test "),
    (
        "operations against the model",
        &["--test", "model"],
        "operations:",
    ),
];

/// `cargo xtask reliability [--rounds N] [--operations N] [--cases N]`
pub fn command(arguments: &[&str]) -> Outcome {
    let (mut rounds, mut operations) = (200u64, 2_000_000u64);
    let mut cases = "all".to_owned();
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if *option == "--cases" {
            cases = number(option, rest.next())?.to_string();
            continue;
        }
        let place = match *option {
            "--rounds" => &mut rounds,
            "--operations" => &mut operations,
            other => return Err(format!("reliability knows no {other}").into()),
        };
        *place = number(option, rest.next())?;
    }
    tools::need(&[("strace", "strace")])?;
    let mut lines = Vec::new();
    for (title, words, wanted) in FIGURES {
        let mut command = cargo();
        command
            .args(["test", "--package", "recallite"])
            .args(words)
            .env("RECALLITE_TEST_CASES", &cases)
            .env("RECALLITE_TEST_ROUNDS", rounds.to_string())
            .env("RECALLITE_TEST_OPERATIONS", operations.to_string());
        let text = passed_on(command.args(["--", "--nocapture"]))?;
        lines.extend(
            text.lines()
                .filter(|line| line.contains(wanted))
                .map(|line| format!("{title}: {line}")),
        );
    }
    println!("\n=== Reliability");
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

/// `cargo xtask fuzz [--runs N] [TARGET]...`
pub fn fuzz(arguments: &[&str]) -> Outcome {
    let mut runs = 100_000;
    let mut targets: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--runs" => runs = number(word, rest.next())?,
            target => targets.push(target.to_owned()),
        }
    }
    if targets.is_empty() {
        targets = all_targets(&root().join("fuzz/fuzz_targets"))?;
    }
    if !tools::is_there("cargo-fuzz") {
        run(cargo().args(["install", "--locked", "cargo-fuzz"]))?;
    }
    for target in &targets {
        let corpus = root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&corpus)?;
        // libFuzzer needs flags that the stable toolchain keeps to itself.
        run(cargo()
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("CARGO_TARGET_DIR")
            .args(["fuzz", "run", target])
            .arg(&corpus)
            .arg(root().join("fuzz/seeds").join(target))
            .args(["--", "-print_final_stats=1", "-rss_limit_mb=4096"])
            .arg(format!("-runs={runs}")))?;
    }
    println!(
        "{} targets, {runs} executions each, without a finding: {}",
        targets.len(),
        targets.join(", ")
    );
    Ok(())
}

fn number(option: &str, value: Option<&&str>) -> Outcome<u64> {
    value
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{option} needs a number").into())
}

fn all_targets(folder: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        if let Some(name) = entry?.path().file_stem() {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
