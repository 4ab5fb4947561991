//! Which folders keep the project that they had elsewhere: what the user's configuration of git
//! says, which the library reads for the project of a folder.

use std::io::ErrorKind;
use std::process::{Command, Output};

use crate::failure::{Failure, Outcome};

/// The projects that a moved folder keeps, each with that folder. None if git cannot be asked.
pub(crate) fn moved() -> Vec<(String, String)> {
    let asked = git(&["--null", "--get-regexp", r"^recallite\..+\.project$"]);
    let Some(lines) = asked.ok().filter(|it| it.status.success()) else {
        return Vec::new();
    };
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    let row = |line: &str| {
        let (key, project) = line.split_once('\n')?;
        let folder = key.strip_prefix("recallite.")?.strip_suffix(".project")?;
        Some((project.to_owned(), folder.to_owned()))
    };
    lines.split('\0').filter_map(row).collect()
}

/// Has a folder keep a project from now on.
pub(crate) fn keep(folder: &str, project: &str) -> Outcome {
    let key = format!("recallite.{folder}.project");
    let done = git(&["--replace-all", &key, project])?;
    match done.status.success() {
        true => Ok(()),
        false => Err(Failure::said(format!(
            "git config: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        ))),
    }
}

/// Runs `git config` on the user's own configuration.
fn git(arguments: &[&str]) -> Outcome<Output> {
    let mut git = Command::new("git");
    git.args(["config", "--global"]).args(arguments);
    git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::said(
            "git is not installed: its configuration is where a moved folder's project is kept",
        ),
        _ => Failure::said(format!("git: {error}")),
    })
}
