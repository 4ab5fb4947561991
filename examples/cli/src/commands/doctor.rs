//! `doctor`: finds problems, and suggests the command that fixes each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use recallite::scope::ProjectScope;
use recallite::{EmbeddingStats, ErrorCode, Memory, Query, Stats, Timestamp};
use serde_json::json;

use super::projects::{Folder, projects};
use super::stats::what_ends_erasure;
use crate::arguments::{Doctor, Place};
use crate::busy::Busy;
use crate::disk::free_bytes;
use crate::exit;
use crate::failure::{Failure, Outcome, with_commands};
use crate::hook::troubles::{self, Noted, Trouble};
use crate::install::{self, Configured};
use crate::lines::{bytes, counted};
use crate::moved::moved;
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

    /// Names the store in the commands of the remedy, unless they mean it anyway.
    fn of_store(&mut self, place: &Place) {
        const COMMAND: &str = "`recallite ";
        let of_variable = std::env::var_os("RECALLITE_STORE");
        let named = place.store.as_ref();
        let named = named.filter(|folder| of_variable.as_deref() != Some(folder.as_os_str()));
        if let (Some(remedy), Some(folder)) = (&mut self.remedy, named) {
            let folder = folder.display().to_string();
            let folder = install::shell_line(std::iter::once(folder.as_str()));
            *remedy = remedy.replace(COMMAND, &format!("{COMMAND}--store {folder} "));
        }
    }
}

pub(crate) fn doctor(place: &Place, asked: &Doctor, output: &mut Output) -> Outcome {
    let mut findings = Vec::new();
    let mut code = exit::DAMAGED;
    match (place.file_settings(), place.folder()) {
        (Err(failure), _) => findings.push(Finding::bad(
            "settings",
            failure.message(),
            "correct the settings file, or name another one with --settings or RECALLITE_SETTINGS",
        )),
        (_, Err(failure)) => findings.push(Finding::bad(
            "store",
            failure.message(),
            "correct what the message names, then run `recallite doctor` again",
        )),
        (Ok(_), Ok(folder)) => match place.open_whole() {
            Ok(memory) => {
                findings.push(Finding::good("store", folder.display().to_string()));
                opened(&memory, asked.deep, &mut findings);
                findings.extend(room(&folder));
            }
            Err(failure) => {
                if failure.exit_code() == exit::BUSY {
                    code = exit::BUSY;
                }
                findings.push(unopened(&folder, failure));
                findings.extend(room(&folder));
            }
        },
    }
    for finding in &mut findings {
        finding.of_store(place);
    }
    findings.extend(project(place));
    findings.extend(hooks(place));
    findings.extend(agents(place));
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

/// What keeps the memories of the working folder's project from being found.
fn project(place: &Place) -> Vec<Finding> {
    let about = "project";
    let mut findings = Vec::new();
    if let Some(ignored) = place.ignored_name() {
        let remedy = "choose a name without `/`, `\\` and `:`, or use `git config --unset recallite.project`";
        findings.push(Finding::warning(about, ignored, remedy));
    }
    let elsewhere = place
        .open()
        .ok()
        .and_then(|memory| lost(&memory).ok().flatten());
    if let Some((gone, project)) = elsewhere {
        let says = format!(
            "{project} has no memories; those of {gone} are there, whose folder is gone: a folder \
             that is renamed or moved is another project"
        );
        let remedy = format!(
            "if this is that folder, run `recallite projects moved {0}`; else read them with \
             `recallite --project {0} search`",
            install::shell_line(std::iter::once(gone.as_str()))
        );
        findings.push(Finding::warning(about, says, remedy));
    }
    findings
}

/// If the memory's own project has no memories, the last project whose folder is gone.
fn lost(memory: &Memory) -> recallite::Result<Option<(String, String)>> {
    let own = memory.project();
    if own.is_empty() || !memory.sessions(&ProjectScope::Own, Some(1))?.is_empty() {
        return Ok(None);
    }
    let (projects, moved) = (projects(memory)?, moved());
    let gone = projects
        .into_iter()
        .find(|project| project.folder(&moved) == Folder::Gone);
    Ok(gone.map(|gone| (gone.name, own.to_owned())))
}

/// How far back hook failures are reported, in milliseconds.
const HOOKS_SINCE_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Hook failures that were not shown to the agent: of each kind, because each has its own remedy.
fn hooks(place: &Place) -> Vec<Finding> {
    let folder = place.folder().ok();
    let since = Timestamp::from_millis_clamped(now().millis() - HOOKS_SINCE_MS);
    let mut kinds: BTreeMap<String, Vec<Noted>> = BTreeMap::new();
    for noted in troubles::since(since) {
        kinds.entry(noted.code.clone()).or_default().push(noted);
    }
    if kinds.is_empty() {
        return vec![Finding::good("hooks", "no failures in the last 7 days")];
    }
    kinds
        .iter()
        .map(|(code, noted)| failures(code, noted, folder.as_deref()))
        .collect()
}

/// `folder` is that of the store that is looked at.
fn failures(code: &str, noted: &[Noted], folder: Option<&Path>) -> Finding {
    let hosts: BTreeSet<&str> = noted.iter().map(|it| it.host.as_str()).collect();
    let hosts: Vec<&str> = hosts.into_iter().filter(|host| !host.is_empty()).collect();
    let by = match hosts.is_empty() {
        true => String::new(),
        false => format!(" ({})", hosts.join(", ")),
    };
    let count = counted(noted.len() as u64, "time", "times");
    let what = match Trouble::is_failure(code) {
        true => "failed",
        false => "warned",
    };
    let last = noted.last().map_or_else(String::new, |last| {
        let other = last.store.as_deref().filter(|store| Some(*store) != folder);
        let of = other.map_or_else(String::new, |store| format!(" (store {})", store.display()));
        format!("{}{of}: {code}: {}", local(last.at), last.message)
    });
    Finding::warning(
        "hooks",
        format!("{what} {count} in the last 7 days{by}, most recently {last}"),
        Trouble::remedy(code),
    )
}

/// The agents that have the memory, and what is wrong with what they call.
fn agents(place: &Place) -> Vec<Finding> {
    let configured = Configured::everywhere();
    if configured.is_empty() {
        let says = "not installed in any agent; use `recallite install`, unless an agent has it as \
                    a plugin of a project";
        return vec![Finding::good(AGENTS, says)];
    }
    let mut findings: Vec<Finding> = configured.iter().flat_map(looked_at).collect();
    if let Ok(folder) = place.folder() {
        findings.extend(configured.iter().filter_map(|it| elsewhere(it, &folder)));
    }
    let by_name = configured.iter().filter(|it| it.is_called_by_name());
    let hosts: Vec<&str> = by_name.map(|agent| agent.host).collect();
    if let (false, Some(folder)) = (hosts.is_empty(), install::folder_off_path()) {
        findings.push(Finding::warning(
            AGENTS,
            format!(
                "the slash commands, skills and plugins of {} call `recallite`, which is not on \
                 the PATH",
                hosts.join(" and ")
            ),
            format!("add {folder} to the PATH"),
        ));
    }
    findings
}

const AGENTS: &str = "agents";

/// What is wrong in an agent, or else what it calls.
fn looked_at(agent: &Configured) -> Vec<Finding> {
    let host = agent.host;
    let again = || format!("run `recallite install {host}` again");
    let mut findings = Vec::new();
    if let Some(unreadable) = &agent.unreadable {
        let says = format!("{host}: {unreadable}");
        let remedy = "repair the file, then run `recallite doctor` again";
        findings.push(Finding::warning(AGENTS, says, remedy));
    }
    for damaged in &agent.damaged {
        let says = format!("{host}: cannot read {}", damaged.display());
        findings.push(Finding::warning(AGENTS, says, again()));
    }
    // A name without a path is looked up in the agent's search path, which we do not know.
    let is_gone = |program: &&String| {
        let program = Path::new(program.as_str());
        program.is_absolute() && !program.is_file()
    };
    for gone in agent.programs.iter().filter(is_gone) {
        let says = format!("{host} calls {gone}, which does not exist");
        findings.push(Finding::bad(AGENTS, says, again()));
    }
    for locked in agent.programs.iter().filter(|it| !may_run(Path::new(it))) {
        let says = format!("{host} calls {locked}, which is not executable");
        let named = install::shell_line(std::iter::once(locked.as_str()));
        let remedy = format!("run `chmod +x {named}`, or {}", again());
        findings.push(Finding::bad(AGENTS, says, remedy));
    }
    let is_installed = !agent.programs.is_empty();
    if is_installed && agent.has_plugin {
        findings.push(Finding::warning(
            AGENTS,
            format!("{host} has the plugin and what `recallite install` wrote: it calls both"),
            format!("run `recallite uninstall {host}`, or remove the plugin"),
        ));
    } else if is_installed && !agent.missing.is_empty() {
        let says = format!("{host} does not have {}", agent.missing.join(", "));
        findings.push(Finding::warning(AGENTS, says, again()));
    }
    if let Some(hindered) = agent.hindered.filter(|_| is_installed || agent.has_plugin) {
        findings.push(Finding::warning(AGENTS, host, hindered));
    }
    let this = env!("CARGO_PKG_VERSION");
    if let Some(version) = agent.version.as_ref().filter(|version| *version != this) {
        let says = format!("{host} has plugin version {version}, but this is recallite {this}");
        findings.push(Finding::warning(AGENTS, says, again()));
    }
    if findings.is_empty() {
        findings.push(Finding::good(
            AGENTS,
            match is_installed {
                true => format!("{host} calls {}", agent.programs.join(", ")),
                false => format!("{host} has the plugin"),
            },
        ));
    }
    findings
}

/// An agent that has another memory than the one that was looked at.
fn elsewhere(agent: &Configured, folder: &Path) -> Option<Finding> {
    let store = agent.store.as_ref()?;
    let same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    (same(store) != same(folder)).then(|| {
        let (host, store) = (agent.host, store.display().to_string());
        let named = install::shell_line(std::iter::once(store.as_str()));
        let remedy = format!("look at it with `recallite --store {named} doctor`");
        Finding::warning(AGENTS, format!("{host} uses the store {store}"), remedy)
    })
}

/// Whether the system would run a file; what is no file is not its concern.
fn may_run(program: &Path) -> bool {
    #[cfg(unix)]
    if let Ok(metadata) = std::fs::metadata(program) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        return !metadata.is_file() || mode & 0o111 != 0;
    }
    let _ = program;
    true
}

/// Why the store could not be opened.
fn unopened(folder: &Path, failure: Failure) -> Finding {
    let about = "store";
    let error = match failure {
        Failure::Memory(error) => error,
        Failure::Said(exit::NOT_FOUND, _) | Failure::NoStore(_) => {
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
        ErrorCode::PermissionDenied => NO_PERMISSION,
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
    Finding::bad(about, with_commands(error.message()), remedy)
}

/// What to do if a file of the store belongs to somebody else, for example because the command was
/// run by root once.
const NO_PERMISSION: &str = "make yourself the owner of the folder and make it writable, or copy it \
                             elsewhere and name the copy with --store";

/// With less room than this on the store's disk, in bytes, hooks soon store nothing, and may not
/// even be able to note that.
const LITTLE_ROOM: u64 = 32 << 20;

/// Whether the store's disk is almost full.
fn room(folder: &Path) -> Option<Finding> {
    let free = free_bytes(folder).filter(|free| *free < LITTLE_ROOM)?;
    Some(Finding::warning(
        "disk",
        format!("only {} are free at {}", bytes(free), folder.display()),
        "free disk space: on a full disk nothing is stored; what hooks missed, `recallite import` \
         adds",
    ))
}

fn opened(memory: &Memory, is_deep: bool, findings: &mut Vec<Finding>) {
    match memory.stats() {
        Ok(stats) => {
            figures(&stats, findings);
            findings.push(searched(memory, &stats));
        }
        Err(error) => findings.push(Finding::bad(
            "store",
            with_commands(error.message()),
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
    if stats.open_erasures > 0 {
        findings.push(Finding::warning(
            "erasure",
            format!("not complete: {}", stats.unclean_places.join("; ")),
            what_ends_erasure(stats),
        ));
    }
    let backlog: u64 = stats.layers.iter().map(|layer| layer.backlog).sum();
    let waiting = format!("{} waiting", counted(backlog, "item", "items"));
    findings.push(if backlog > 10_000 {
        Finding::warning("upkeep", waiting, "run `recallite maintain`")
    } else {
        Finding::good("upkeep", waiting)
    });
    findings.extend(stats.embedding.as_ref().map(|found| embedded(found, now())));
}

/// From so many failed jobs on, the embedder is suspected.
const MANY_FAILED: u64 = 10;

/// A job that has waited for so long has no worker.
const LONG_MS: i64 = 60 * 60 * 1_000;

/// Whether vectors are made of what is stored. The command itself has no embedder.
fn embedded(found: &EmbeddingStats, now: Timestamp) -> Finding {
    let about = "embedder";
    let oldest = found.oldest_pending;
    let oldest = oldest.filter(|at| now.millis().saturating_sub(at.millis()) >= LONG_MS);
    if found.failed >= MANY_FAILED {
        return Finding::warning(
            about,
            format!("{} failed", counted(found.failed, "job", "jobs")),
            "repair the embedder, then call retry_outbox and process_outbox in the program that \
             opens the store with it; process_outbox returns the errors",
        );
    }
    match oldest {
        Some(at) => Finding::warning(
            about,
            format!(
                "{} waiting, the oldest since {}",
                counted(found.pending, "job", "jobs"),
                local(at)
            ),
            "call maintain or process_outbox in a program that opens the store with the embedder",
        ),
        None => Finding::good(about, counted(found.vectors, "vector", "vectors")),
    }
}

/// A word that nobody says: a search for it reads every part of the index, and finds nothing.
const UNSAID: &str = "qzxwvkjqzx";

/// Whether searches work. Opening a store does not touch the files of its index.
fn searched(memory: &Memory, stats: &Stats) -> Finding {
    let about = "search";
    let damaged = stats.lexical.damaged_segments + stats.lexical.damaged_events;
    if damaged > 0 {
        return Finding::bad(
            about,
            format!("damaged parts of the index, skipped by searches: {damaged}"),
            "run `recallite maintain --rebuild`",
        );
    }
    let query = Query::new(UNSAID).project(ProjectScope::All).limit(1);
    match memory.search(query) {
        Err(error) => Finding::bad(
            about,
            with_commands(error.message()),
            match error.code() {
                ErrorCode::PermissionDenied => NO_PERMISSION,
                _ => "run `recallite maintain --rebuild`",
            },
        ),
        Ok(found) if found.degraded => Finding::warning(
            about,
            "a part of the index is missing, and skipped by searches",
            "run `recallite maintain`",
        ),
        Ok(_) => Finding::good(
            about,
            counted(stats.lexical.segments, "index segment", "index segments"),
        ),
    }
}

fn checked(memory: &Memory) -> Finding {
    let _busy = Busy::of(memory, "checking the store");
    match memory.check() {
        Ok(report) => match report.first_divergence {
            None => Finding::good(
                "check",
                format!("{} ok", counted(report.events, "record", "records")),
            ),
            Some(found) => Finding::bad(
                "check",
                format!("{}: {}", found.place, with_commands(&found.problem)),
                with_commands(&found.remedy),
            ),
        },
        Err(error) => Finding::bad(
            "check",
            with_commands(error.message()),
            "run `recallite check` to try again",
        ),
    }
}
