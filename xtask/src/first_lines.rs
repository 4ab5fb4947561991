//! The first lines of the command's README: its line that installs, run word for word with this
//! build's folder and profile, and the lines behind it by what was installed.

use std::time::Instant;

use crate::report::{Count, counted};
use crate::shell::{Outcome, cargo, passed_on, program, read, root, run, scratch, target};

const README: &str = "examples/cli/README.md";

/// The test that runs the other lines.
const TEST: &str = "the_first_lines_of_the_readme_work_on_a_fresh_machine";

/// Installs the command and tests what was installed.
pub fn test() -> Outcome<Count> {
    let line = install_line(&read(&root().join(README))?)?;
    let installed = scratch("installed")?;
    let begun = Instant::now();
    // A release build would take many times as long, and tell no more.
    run(program("/bin/sh")
        .arg("-c")
        .arg(format!(
            "{line} --root \"$0\" --debug --target-dir \"$1\" --features workspace-hack"
        ))
        .arg(&installed)
        .arg(target()))?;
    println!("{line}: {:.0} s", begun.elapsed().as_secs_f32());
    let text = passed_on(
        cargo()
            .args(["test", "--manifest-path", "examples/cli/Cargo.toml"])
            .args(["--workspace", "--test", "commands", TEST])
            .args(["--", "--nocapture"])
            .env("RECALLITE_TEST_INSTALLED", installed.join("bin")),
    )?;
    match counted(&text) {
        count @ Count { passed: 1, .. } => Ok(count),
        _ => Err(format!("the test {TEST} did not run").into()),
    }
}

/// The first line of the README's first block, without its comment.
fn install_line(readme: &str) -> Outcome<String> {
    let block = readme.split("```sh\n").nth(1).unwrap_or_default();
    let line = block.lines().next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default().trim();
    match line.starts_with("cargo install ") {
        true => Ok(line.to_owned()),
        false => Err(format!("{README} does not begin with cargo install, but with {line}").into()),
    }
}
