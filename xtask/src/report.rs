//! Reports what ran, how many tests it had, and what was skipped.

use std::time::Instant;

use crate::shell::Outcome;

/// The steps that ran, and their results.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    skipped: Vec<(String, String)>,
    failed: Vec<String>,
    tests: usize,
}

/// What a step counted.
#[derive(Default)]
pub struct Count {
    /// Tests that ran and passed.
    pub passed: usize,
    /// Tests that a runner ignored, and why that is allowed.
    pub ignored: usize,
}

impl Count {
    /// Parses the last lines of node:test: "# pass 12" or "ℹ pass 12", depending on its reporter.
    pub fn by_node(text: &str) -> Count {
        let total = |word: &str| {
            text.lines()
                .filter_map(|line| line.split_once(' '))
                .filter(|(mark, _)| matches!(*mark, "#" | "ℹ"))
                .filter_map(|(_, rest)| rest.strip_prefix(word)?.trim().parse().ok())
                .next_back()
                .unwrap_or(0)
        };
        Count {
            passed: total("pass "),
            ignored: total("skipped "),
        }
    }
}

impl Report {
    /// Runs a step; a failure is recorded, and the other steps still run.
    pub fn step(&mut self, name: &str, run: impl FnOnce(&mut Report) -> Outcome<Count>) {
        println!("\n=== {name}");
        let begun = Instant::now();
        match run(self) {
            Ok(count) => {
                self.tests += count.passed;
                let ignored = match count.ignored {
                    0 => String::new(),
                    ignored => format!(", {ignored} ignored by its runner"),
                };
                self.lines.push(format!(
                    "ok      {name}: {} tests{ignored}, {:.0} s",
                    count.passed,
                    begun.elapsed().as_secs_f32()
                ));
            }
            Err(problem) => {
                eprintln!("FAILED  {name}: {problem}");
                let first = problem.to_string();
                let first = first.lines().next().unwrap_or_default();
                self.failed.push(name.to_owned());
                self.lines.push(format!("FAILED  {name}: {first}"));
            }
        }
    }

    /// Records what is not run, and why.
    pub fn skip(&mut self, what: &str, why: impl std::fmt::Display) {
        println!("skipped {what}: {why}");
        self.skipped.push((what.to_owned(), why.to_string()));
    }

    /// Prints the report; an error if a step failed.
    pub fn end(self) -> Outcome {
        println!("\n=== What ran");
        for line in &self.lines {
            println!("{line}");
        }
        if self.skipped.is_empty() {
            println!("nothing was skipped");
        }
        for (what, why) in &self.skipped {
            println!("skipped {what}: {why}");
        }
        println!("{} tests passed in all", self.tests);
        match self.failed.as_slice() {
            [] => Ok(()),
            failed => Err(format!("failed: {}", failed.join(", ")).into()),
        }
    }
}
