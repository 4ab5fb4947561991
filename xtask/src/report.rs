//! Reports what ran, how many tests it had, and what was skipped.

use std::time::Instant;

use crate::shell::Outcome;

/// The steps that ran, and their results.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    skipped: Vec<(String, String)>,
    /// What was skipped although nobody asked for that.
    missing: Vec<String>,
    /// What may be skipped.
    optional: Vec<String>,
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

/// Parses the summaries of cargo's test runners.
pub fn counted(text: &str) -> Count {
    let mut count = Count::default();
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        count.passed += number_before(line, " passed");
        count.ignored += number_before(line, " ignored");
    }
    count
}

/// The number before a word; 0 if there is none.
pub fn number_before(line: &str, word: &str) -> usize {
    line.split_once(word)
        .and_then(|(before, _)| before.rsplit(|c: char| !c.is_ascii_digit()).next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

impl Report {
    /// A report of a machine on which these may be skipped.
    pub fn without(optional: &[&str]) -> Report {
        Report {
            optional: optional.iter().map(|&name| name.to_owned()).collect(),
            ..Report::default()
        }
    }

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

    /// Records what cannot be run here, and why. Unless it may be skipped, the report ends with an
    /// error: otherwise a machine that lacks a tool would pass.
    pub fn skip(&mut self, what: &str, why: impl std::fmt::Display) {
        if !self.optional.iter().any(|name| name == what) {
            self.missing.push(what.to_owned());
        }
        self.leave_out(what, why);
    }

    /// Records what nobody expects to be run, and why.
    pub fn leave_out(&mut self, what: &str, why: impl std::fmt::Display) {
        println!("skipped {what}: {why}");
        self.skipped.push((what.to_owned(), why.to_string()));
    }

    /// Prints the report; an error if a step failed, or was skipped and may not be.
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
        let mut problems = Vec::new();
        if !self.failed.is_empty() {
            problems.push(format!("failed: {}", self.failed.join(", ")));
        }
        if !self.missing.is_empty() {
            problems.push(format!(
                "skipped, which only `--may-skip STEP` allows: {}",
                self.missing.join(", ")
            ));
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("; ").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_a_failure_unless_it_may_be() {
        let of = |optional: &[&str], missing: &[&str]| {
            let mut report = Report::without(optional);
            report.leave_out("core", "not asked for");
            for step in missing {
                report.skip(step, "there is no Node here");
            }
            report.end().map_err(|problem| problem.to_string())
        };
        assert!(of(&[], &[]).is_ok());
        assert!(of(&["view", "hosts"], &["hosts", "view"]).is_ok());
        let problem = of(&["view"], &["hosts", "view"]).unwrap_err();
        assert!(problem.ends_with(": hosts"), "{problem}");
    }
}
