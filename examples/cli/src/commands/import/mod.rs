//! `import`: conversations and notes from before the memory was installed.

mod broken;
mod claude_code;
mod codex;
mod found;
mod gemini_cli;
mod hooked;
mod jsonl;
mod markdown;
mod projects;
mod refused;
mod storing;

use std::fs::File;
use std::io::BufReader;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use recallite::{EventKind, Memory};
use serde_json::json;

use super::upkeep::rounds;
use crate::arguments::{Import, Place, Source};
use crate::busy::{Busy, EVERY};
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::output::{Line, Look, Output};
use crate::transcript_lines::Unread;
use broken::Broken;
use found::Found;
use storing::Storing;

/// The maximum number of warnings to list.
const MAX_WARNINGS: usize = 10;

pub(crate) fn import(place: &Place, asked: &Import, output: &mut Output) -> Outcome {
    let found::Files {
        mut files,
        refused,
        failed,
    } = found::files(&asked.paths, asked.from)?;
    let is_nothing_there = files.is_empty() && refused.count == 0 && failed.is_empty();
    // Without a project: each conversation is stored under the one in which it took place.
    let memory = place.open_for_import()?;
    let bar = progress(files.iter().map(|file| file.size_bytes).sum());
    claude_code::put_forks_last(&memory, &mut files);
    let mut storing = Storing::new(&memory);
    storing.refused = refused;
    let mut report = Report {
        failed_files: failed,
        ..Report::default()
    };
    for file in &files {
        let before = bar.position();
        match read(&memory, file, &bar, &mut storing) {
            Ok(unread) => {
                report.files += 1;
                if unread.count > 0 {
                    report
                        .unread
                        .push((file.path.display().to_string(), unread));
                }
            }
            // Only this file is at fault, so the others are still imported.
            Err(Broken::Reading(problem)) => report
                .failed_files
                .push((file.path.display().to_string(), problem)),
            // What was stored before stays, so it is reported.
            Err(Broken::Storing(failure)) => {
                bar.finish_and_clear();
                if storing.has_stored() {
                    report.files += 1;
                    report.learned.has_more = true;
                    report.show(&storing, output);
                }
                return Err(failure);
            }
        }
        // Not all of a file is always read.
        bar.set_position(before + file.size_bytes);
    }
    bar.finish_and_clear();
    // An import that was interrupted may have left messages to learn from.
    let finished = match is_nothing_there {
        true => Ok(Learned::default()),
        false => learn(&memory),
    };
    let finished = finished.and_then(|learned| {
        report.learned = learned;
        Ok(memory.close()?)
    });
    report.learned.has_more |= finished.is_err();
    report.show(&storing, output);
    finished?;
    // No agent has been used on this machine yet, which is not an error.
    if is_nothing_there && !output.is_json() {
        output.say("found no history of Claude Code, Codex or Gemini CLI; name a file or folder");
    }
    match report.failed_files.is_empty() {
        true => Ok(()),
        false => Err(Failure::Silent(exit::FAILED)),
    }
}

/// How long an import learns from what it stored. The rest is left to `maintain`.
const LEARNING: Duration = Duration::from_secs(10);

/// What was learned at the end of an import.
#[derive(Debug, Default)]
struct Learned {
    entries: usize,
    tasks: usize,
    /// Whether messages are left to learn from.
    has_more: bool,
}

/// Learns from what was stored, for a limited time. What another program does meanwhile is no
/// failure of the import.
fn learn(memory: &Memory) -> Outcome<Learned> {
    let _busy = Busy::of(memory, "learning from what was imported");
    match rounds(memory, Some(LEARNING)) {
        Ok((rounds, last)) => Ok(Learned {
            entries: rounds.iter().map(|round| round.entries_learned).sum(),
            tasks: rounds.iter().map(|round| round.tasks_learned).sum(),
            has_more: last.has_more,
        }),
        Err(failure) if failure.exit_code() == exit::BUSY => Ok(Learned {
            has_more: true,
            ..Learned::default()
        }),
        Err(failure) => Err(failure),
    }
}

/// A progress bar on standard error; only on a terminal.
fn progress(bytes: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {bar:40} {bytes}/{total_bytes} {eta}");
    let bar = ProgressBar::new(bytes);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !bar.is_hidden() {
        bar.tick();
        bar.enable_steady_tick(EVERY);
    }
    bar
}

/// Stores the contents of one file; returns the lines that could not be read.
fn read(
    memory: &Memory,
    file: &Found,
    bar: &ProgressBar,
    storing: &mut Storing<'_>,
) -> Result<Unread, Broken> {
    let input = BufReader::new(bar.wrap_read(File::open(&file.path)?));
    storing.begin(file.path.display().to_string());
    let broken = match file.source {
        Source::Markdown => markdown::read(memory, file, input, storing),
        Source::ClaudeCode => claude_code::read(memory, &file.path, input, storing),
        Source::Codex => codex::read(input, storing),
        Source::GeminiCli => gemini_cli::read(&file.path, input, storing),
        Source::Jsonl => jsonl::read(memory, &file.path, input, storing),
    };
    // What a broken file gave is stored with that file, not with the next one.
    storing.flush()?;
    broken
}

#[derive(Default)]
struct Report {
    files: u64,
    /// The files with lines that could not be read.
    unread: Vec<(String, Unread)>,
    failed_files: Vec<(String, String)>,
    learned: Learned,
}

impl Report {
    fn show(&self, storing: &Storing<'_>, output: &mut Output) {
        let stored = |kind: EventKind| storing.stored.get(&kind).copied().unwrap_or(0);
        if output.is_json() {
            output.json(&json!({
                "files": self.files,
                "prompts": stored(EventKind::UserPrompt),
                "responses": stored(EventKind::AgentResponse),
                "tools": stored(EventKind::ToolObservation),
                "summaries": stored(EventKind::SessionSummary),
                "notes": storing.notes,
                "exported": storing.exported,
                "left_out": storing.left_out,
                "entries_learned": self.learned.entries,
                "tasks_learned": self.learned.tasks,
                "learning_left": self.learned.has_more,
                "unwanted": storing.unwanted,
                "duplicates": storing.duplicates,
                "broken_lines": self.unread.iter().map(|(_, lines)| lines.count).sum::<u64>(),
                "broken_files": self.unread.iter()
                    .map(|(path, lines)| json!({
                        "path": path,
                        "lines": lines.count,
                        "first": lines.first.iter()
                            .map(|(line, problem)| json!({ "line": line, "problem": problem }))
                            .collect::<Vec<_>>(),
                    }))
                    .collect::<Vec<_>>(),
                "refused": storing.refused.first,
                "refused_count": storing.refused.count,
                "warnings": storing.warnings.iter()
                    .map(|((path, warning), events)| {
                        json!({ "path": path, "warning": warning, "events": events })
                    })
                    .collect::<Vec<_>>(),
                "failed_files": self.failed_files.iter()
                    .map(|(path, problem)| json!({ "path": path, "problem": problem }))
                    .collect::<Vec<_>>(),
            }));
            return;
        }
        let kinds = [
            (EventKind::UserPrompt, "prompt", "prompts"),
            (EventKind::AgentResponse, "response", "responses"),
            (EventKind::ToolObservation, "tool call", "tool calls"),
            (EventKind::SessionSummary, "summary", "summaries"),
        ];
        let mut parts: Vec<String> = kinds
            .into_iter()
            .filter(|(kind, ..)| stored(*kind) > 0)
            .map(|(kind, one, many)| counted(stored(kind), one, many))
            .collect();
        if storing.notes > 0 {
            parts.push(counted(storing.notes, "note", "notes"));
        }
        if storing.exported > 0 {
            parts.push(counted(storing.exported, "event", "events"));
        }
        let what = match parts.is_empty() {
            true => "nothing new".to_owned(),
            false => parts.join(", "),
        };
        let line = Line::new()
            .add(Look::Good, format_args!("imported {what}"))
            .plain(format_args!(
                " from {}",
                counted(self.files, "file", "files")
            ));
        output.line(line);
        self.show_learned(output);
        if storing.duplicates > 0 {
            output.say(format_args!("{} already in the store", storing.duplicates));
        }
        if storing.unwanted > 0 {
            let events = counted(storing.unwanted, "event", "events");
            output.say(format_args!(
                "skipped {events}, because of settings or a pause (see `recallite paused`)"
            ));
        }
        if storing.left_out > 0 {
            let records = counted(storing.left_out, "record", "records");
            output.say(format_args!(
                "skipped {records}: an import brings what was said and done, but not tasks, \
                 learned entries and pins; `recallite restore` brings everything of an `export \
                 --whole` into a new store"
            ));
        }
        self.show_unread(output);
        for problem in &storing.refused.first {
            output.line(Line::new().add(Look::Warning, "skipped: ").plain(problem));
        }
        let more = storing.refused.count - storing.refused.first.len() as u64;
        if more > 0 {
            output.say(format_args!("skipped {more} more, for such reasons"));
        }
        show_warnings(storing, output);
        for (path, problem) in &self.failed_files {
            let line = Line::new().add(Look::Warning, "failed: ").plain(path);
            output.line(line.plain(": ").plain(problem));
        }
    }

    fn show_learned(&self, output: &mut Output) {
        let Learned {
            entries,
            tasks,
            has_more,
        } = self.learned;
        if entries + tasks > 0 {
            output.say(format_args!(
                "learned {} and {}",
                counted(entries as u64, "entry", "entries"),
                counted(tasks as u64, "task", "tasks")
            ));
        }
        if has_more {
            output.say("run `recallite maintain` to learn from the rest of it");
        }
    }

    /// The lines that could not be read.
    fn show_unread(&self, output: &mut Output) {
        for (path, unread) in self.unread.iter().take(MAX_WARNINGS) {
            let lines = counted(unread.count, "line", "lines");
            let mut named: Vec<String> = unread
                .first
                .iter()
                .map(|(line, problem)| format!("line {line}: {problem}"))
                .collect();
            if !named.is_empty() && unread.count > named.len() as u64 {
                named.push("…".to_owned());
            }
            let named = match named.is_empty() {
                true => String::new(),
                false => format!(": {}", named.join(", ")),
            };
            let line = Line::new().add(Look::Warning, "skipped: ");
            output.line(line.plain(format_args!(
                "{lines} of {path} that could not be read{named}"
            )));
        }
        let more = self.unread.len().saturating_sub(MAX_WARNINGS);
        if more > 0 {
            let files = counted(more as u64, "more file", "more files");
            output.say(format_args!(
                "{files} with lines that could not be read; --json lists them all"
            ));
        }
    }
}

/// The first warnings of the privacy filter, and how many more there are.
fn show_warnings(storing: &Storing<'_>, output: &mut Output) {
    for ((path, warning), events) in storing.warnings.iter().take(MAX_WARNINGS) {
        let line = Line::new().add(Look::Warning, "warning: ");
        let line = line.plain(format_args!("{path}: {warning}"));
        output.line(match events {
            0 => line,
            _ => line.plain(format_args!(" ({})", counted(*events, "event", "events"))),
        });
    }
    let more = storing.warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        let warnings = counted(more as u64, "more warning", "more warnings");
        output.say(format_args!("{warnings}; --json lists them all"));
    }
}
