//! Runs the fuzz targets for as long as requested.

use std::path::Path;

use crate::reliability::number;
use crate::shell::{Outcome, cargo, complaints_passed_on, root, run};
use crate::tools;

/// The default number of executions of each target.
const RUNS: u64 = 100_000;

/// `cargo xtask fuzz [--runs N] [--seconds N] [TARGET]...`
pub fn command(arguments: &[&str]) -> Outcome {
    let (mut runs, mut seconds) = (None, None);
    let mut targets: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--runs" => runs = Some(number(word, rest.next())?),
            "--seconds" => seconds = Some(number(word, rest.next())?),
            target => targets.push(target.to_owned()),
        }
    }
    if (runs, seconds) == (None, None) {
        runs = Some(RUNS);
    }
    if targets.is_empty() {
        targets = all_targets(&root().join("fuzz/fuzz_targets"))?;
    }
    if !tools::is_there("cargo-fuzz") {
        run(cargo().args(["install", "--locked", "cargo-fuzz"]))?;
    }
    let mut lines = Vec::new();
    for target in &targets {
        let mut limits = Vec::new();
        limits.extend(runs.map(|runs| format!("-runs={runs}")));
        limits.extend(seconds.map(|seconds| format!("-max_total_time={seconds}")));
        lines.push(format!("{target}: {}", fuzz(target, &limits)?));
    }
    println!("\n=== Fuzz targets, without a finding");
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

/// Runs one target up to its limits and returns what it reached. Its corpus stays in `fuzz/corpus`,
/// from which the next run continues.
fn fuzz(target: &str, limits: &[String]) -> Outcome<String> {
    let corpus = root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&corpus)?;
    // libFuzzer needs flags that only a nightly toolchain accepts.
    let said = complaints_passed_on(
        cargo()
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("CARGO_TARGET_DIR")
            .args(["fuzz", "run", target])
            .arg(&corpus)
            .arg(root().join("fuzz/seeds").join(target))
            .args(["--", "-print_final_stats=1", "-rss_limit_mb=4096"])
            .args(limits),
    )?;
    let executions = said
        .lines()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))
        .ok_or_else(|| format!("{target} did not say how often it ran"))?;
    // "#4096 DONE cov: 770 ft: 1596 corp: 249/71Kb lim: 953 exec/s: 7342 …"
    let reached = said
        .lines()
        .rfind(|line| line.contains("cov: "))
        .and_then(|line| line.split_once("cov: "))
        .map_or("", |(_, rest)| rest.split(" lim:").next().unwrap_or(rest));
    Ok(format!("{} executions, cov: {reached}", executions.trim()))
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
