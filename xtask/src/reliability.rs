//! The reliability figures, each printed by the test that measures it.

use crate::shell::{Outcome, cargo, passed_on};
use crate::tools;

/// The figures: a title, the arguments of `cargo test`, and words of the lines that contain the
/// figure.
const FIGURES: [(&str, &[&str], &str); 13] = [
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
    ("damaged store files", &["--test", "damage"], "damages"),
    (FILTER, &["--lib", "time_per_byte"], "slowest"),
    ("erase", &["--test", "memory", "erase::"], "test "),
    (
        "operations against the model",
        &["--test", "model"],
        "operations:",
    ),
    (
        "stores that share",
        &["--lib", "random_histories"],
        "histories",
    ),
];

/// The figure of a test that only counts in a release build, and is left out otherwise.
const FILTER: &str = "time of the privacy filter";

/// The tests of sharing between machines, in the workspace of the command.
const MACHINES: [&str; 6] = [
    "test",
    "--manifest-path",
    "examples/cli/Cargo.toml",
    "--workspace",
    "--test",
    "histories",
];

/// The title of the figure of [`MACHINES`].
const MACHINES_TITLE: &str = "machines that share";

/// `cargo xtask reliability [--release] [--rounds N] [--operations N] [--histories N]
/// [--machine-histories N] [--damages N] [--cases N] [--only WORDS]...`
pub fn command(arguments: &[&str]) -> Outcome {
    let (mut rounds, mut operations, mut histories) = (200u64, 2_000_000u64, 10_000u64);
    let (mut machine_histories, mut damages) = (200u64, 20_000u64);
    let mut cases = "all".to_owned();
    let mut is_release = false;
    let mut only: Vec<&str> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if *option == "--cases" {
            cases = number(option, rest.next())?.to_string();
            continue;
        }
        if *option == "--only" {
            only.push(rest.next().ok_or("--only needs words of a title")?);
            continue;
        }
        if *option == "--release" {
            is_release = true;
            continue;
        }
        let place = match *option {
            "--rounds" => &mut rounds,
            "--operations" => &mut operations,
            "--histories" => &mut histories,
            "--machine-histories" => &mut machine_histories,
            "--damages" => &mut damages,
            other => return Err(format!("reliability knows no {other}").into()),
        };
        *place = number(option, rest.next())?;
    }
    let is_wanted = |title: &str| only.is_empty() || only.iter().any(|words| title.contains(words));
    let titles = FIGURES.iter().map(|(title, ..)| *title);
    let titles: Vec<&str> = titles.chain([MACHINES_TITLE]).collect();
    if !titles.iter().any(|title| is_wanted(title)) {
        return Err(format!("--only takes words of {}", titles.join(", ")).into());
    }
    tools::need(&[("strace", "strace")])?;
    if is_wanted(MACHINES_TITLE) {
        tools::need_postgres()?;
    }
    let mut lines = Vec::new();
    for (title, words, wanted) in FIGURES {
        if !is_wanted(title) {
            continue;
        }
        let mut command = cargo();
        command
            .args(["test", "--package", "recallite"])
            .args(is_release.then_some("--release"))
            .args(words)
            .env("RECALLITE_TEST_CASES", &cases)
            .env("RECALLITE_TEST_ROUNDS", rounds.to_string())
            .env("RECALLITE_TEST_OPERATIONS", operations.to_string())
            .env("RECALLITE_TEST_DAMAGES", damages.to_string())
            .env("RECALLITE_TEST_HISTORIES", histories.to_string())
            .args(["--", "--nocapture"])
            .args((title == FILTER && is_release).then_some("--ignored"));
        let text = passed_on(&mut command)?;
        lines.extend(
            text.lines()
                .filter(|line| line.contains(wanted))
                .map(|line| format!("{title}: {line}")),
        );
    }
    if is_wanted(MACHINES_TITLE) {
        let mut command = cargo();
        command
            .args(MACHINES)
            .args(is_release.then_some("--release"))
            .env("RECALLITE_TEST_HISTORIES", machine_histories.to_string());
        let text = passed_on(command.args(["--", "--nocapture"]))?;
        lines.extend(
            text.lines()
                .filter(|line| line.contains(" killed"))
                .map(|line| format!("{MACHINES_TITLE}: {line}")),
        );
    }
    println!("\n=== Reliability");
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

/// Parses the number after an option.
pub fn number(option: &str, value: Option<&&str>) -> Outcome<u64> {
    value
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{option} needs a number").into())
}
