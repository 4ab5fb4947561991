//! `doctor`: finds problems, and suggests the command that fixes each.

use std::path::Path;

use recallite::{ErrorCode, Memory, Stats, Timestamp};
use serde_json::json;

use crate::arguments::{Doctor, Place};
use crate::failure::{Failure, Outcome, exit};
use crate::hook::troubles::{self, Trouble};
use crate::install::Installed;
use crate::lines::{bytes, counted};
use crate::output::{Line, Look, Output};
use crate::time::{local, now};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Good,
    Warning,
    Bad,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Good => "ok",
            Level::Warning => "warning",
            Level::Bad => "bad",
        }
    }
}

/// One thing that was checked.
#[derive(Debug)]
struct Finding {
    about: &'static str,
    level: Level,
    says: String,
    /// What to do about it.
    remedy: Option<String>,
}

impl Finding {
    fn good(about: &'static str, says: impl Into<String>) -> Self {
        Finding {
            about,
            level: Level::Good,
            says: says.into(),
            remedy: None,
        }
    }

    fn warning(about: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Finding {
            about,
            level: Level::Warning,
            says: says.into(),
            remedy,
        }
    }

    fn bad(about: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding {
            level: Level::Bad,
            ..Finding::warning(about, says, remedy)
        }
    }
}

pub(crate) fn doctor(place: &Place, asked: &Doctor, output: &mut Output) -> Outcome {
    let mut findings = Vec::new();
    let mut code = exit::DAMAGED;
    let folder = place.folder()?;
    match place.open_whole() {
        Ok(memory) => {
            findings.push(Finding::good("store", folder.display().to_string()));
            opened(&memory, asked.deep, &mut findings);
        }
        Err(failure) => {
            if failure.exit_code() == exit::BUSY {
                code = exit::BUSY;
            }
            findings.push(unopened(&folder, failure));
        }
    }
    findings.push(hooks());
    findings.extend(agents());
    show(&findings, code, output)
}

/// `code` is the exit code if something is bad.
fn show(findings: &[Finding], code: u8, output: &mut Output) -> Outcome {
    let is_bad = findings.iter().any(|finding| finding.level == Level::Bad);
    if output.is_json() {
        let items: Vec<_> = findings
            .iter()
            .map(|finding| {
                json!({
                    "about": finding.about,
                    "level": finding.level.word(),
                    "says": finding.says,
                    "remedy": finding.remedy,
                })
            })
            .collect();
        output.json(&json!({ "ok": !is_bad, "findings": items }));
    } else {
        for finding in findings {
            show_finding(finding, output);
        }
    }
    match is_bad {
        true => Err(Failure::Silent(code)),
        false => Ok(()),
    }
}

fn show_finding(finding: &Finding, output: &mut Output) {
    let look = match finding.level {
        Level::Good => Look::Good,
        Level::Warning => Look::Warning,
        Level::Bad => Look::Bad,
    };
    let line = Line::new()
        .add(look, format_args!("{:<8}", finding.level.word()))
        .plain(format_args!("{:<10}", finding.about))
        .plain(&finding.says);
    output.line(line);
    if let Some(remedy) = &finding.remedy {
        output.line(Line::new().plain(format_args!("{:18}", "")).plain(remedy));
    }
}

/// How far back hook failures are reported, in milliseconds.
const HOOKS_SINCE_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Hook failures that were not shown to the agent.
fn hooks() -> Finding {
    let since = Timestamp::from_millis_clamped(now().millis() - HOOKS_SINCE_MS);
    let troubles = troubles::since(since);
    let Some(last) = troubles.last() else {
        return Finding::good("hooks", "no failures in the last 7 days");
    };
    let count = counted(troubles.len() as u64, "time", "times");
    let what = match troubles.iter().all(|noted| noted.code == "privacy") {
        true => "warned",
        false => "failed",
    };
    Finding::warning(
        "hooks",
        format!(
            "{what} {count} in the last 7 days, most recently {}: {}: {}",
            local(last.at),
            last.code,
            last.message
        ),
        Trouble::remedy(&last.code),
    )
}

/// The agents into which the memory is installed, and whether the program that they call exists.
fn agents() -> Vec<Finding> {
    let about = "agents";
    let installed = crate::install::installed();
    if installed.is_empty() {
        let says = "not installed in any agent; use `recallite install`";
        return vec![Finding::good(about, says)];
    }
    installed
        .iter()
        .map(|agent| looked_at(about, agent))
        .collect()
}

fn looked_at(about: &'static str, agent: &Installed) -> Finding {
    let (host, program) = (agent.host, Path::new(&agent.program));
    let again = format!("run `recallite install {host}` again");
    // A name without a path is looked up in the agent's search path, which we do not know.
    if program.is_absolute() && !program.is_file() {
        let says = format!("{host} calls {}, which does not exist", agent.program);
        return Finding::bad(about, says, again);
    }
    if let Some(hindered) = agent.hindered {
        return Finding::warning(about, host, hindered);
    }
    match &agent.version {
        Some(version) if version != env!("CARGO_PKG_VERSION") => {
            let says = format!(
                "{host} has plugin version {version}, but this is recallite {}",
                env!("CARGO_PKG_VERSION")
            );
            Finding::warning(about, says, again)
        }
        _ => Finding::good(about, format!("{host} calls {}", agent.program)),
    }
}

/// Why the store could not be opened.
fn unopened(folder: &Path, failure: Failure) -> Finding {
    let about = "store";
    let error = match failure {
        Failure::Memory(error) => error,
        Failure::Said(exit::NOT_FOUND, _) => {
            return Finding::warning(
                about,
                format!("no store in {} yet", folder.display()),
                "run `recallite import` to create one from your coding agents' history",
            );
        }
        Failure::Said(_, says) | Failure::Ambiguous { said: says, .. } => {
            return Finding::bad(about, says, "see `recallite --help`");
        }
        Failure::Silent(_) => return Finding::bad(about, "cannot open the store", "see above"),
    };
    let remedy = match error.code() {
        ErrorCode::PermissionDenied => {
            "make yourself the owner of the folder and make it writable, or use another --store"
        }
        ErrorCode::Busy => {
            "another program is writing or has locked the store; try again when it has finished"
        }
        ErrorCode::Corrupt => {
            "move the folder away; then put a backup in its place, run `recallite restore` with a \
             whole export, or run `recallite import`"
        }
        ErrorCode::NewerFormat => "install the newer version of recallite that wrote it",
        _ => "fix what the message names, or use another folder with --store",
    };
    Finding::bad(about, error.message(), remedy)
}

fn opened(memory: &Memory, is_deep: bool, findings: &mut Vec<Finding>) {
    match memory.stats() {
        Ok(stats) => figures(&stats, findings),
        Err(error) => findings.push(Finding::bad(
            "store",
            error.message(),
            "run `recallite check` to locate the damage; `recallite maintain --rebuild` repairs \
             derived data",
        )),
    }
    if is_deep {
        findings.push(checked(memory));
    }
}

fn figures(stats: &Stats, findings: &mut Vec<Finding>) {
    let size = format!(
        "{} of {}",
        bytes(stats.size_bytes),
        bytes(stats.quota_bytes)
    );
    findings.push(if stats.is_over_quota {
        Finding::warning(
            "size",
            size,
            "run `recallite forget --before 365d`, then `recallite maintain --compact`",
        )
    } else {
        Finding::good("size", size)
    });
    let damaged = stats.lexical.damaged_segments + stats.lexical.damaged_events;
    findings.push(if damaged > 0 {
        Finding::bad(
            "search",
            format!("damaged parts of the index, skipped by searches: {damaged}"),
            "run `recallite maintain --rebuild`",
        )
    } else {
        Finding::good(
            "search",
            counted(stats.lexical.segments, "index segment", "index segments"),
        )
    });
    if stats.open_erasures > 0 {
        findings.push(Finding::warning(
            "erasure",
            format!("not complete: {}", stats.unclean_places.join("; ")),
            "close other programs that use the store, then run `recallite maintain`",
        ));
    }
    let backlog: u64 = stats.layers.iter().map(|layer| layer.backlog).sum();
    let waiting = format!("{} waiting", counted(backlog, "item", "items"));
    findings.push(if backlog > 10_000 {
        Finding::warning("upkeep", waiting, "run `recallite maintain`")
    } else {
        Finding::good("upkeep", waiting)
    });
}

fn checked(memory: &Memory) -> Finding {
    match memory.check() {
        Ok(report) => match report.first_divergence {
            None => Finding::good(
                "check",
                format!("{} ok", counted(report.events, "record", "records")),
            ),
            Some(found) => Finding::bad(
                "check",
                format!("{}: {}", found.place, found.problem),
                found.remedy,
            ),
        },
        Err(error) => Finding::bad(
            "check",
            error.message(),
            "run `recallite check` to try again",
        ),
    }
}
