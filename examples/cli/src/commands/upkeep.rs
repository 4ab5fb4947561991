//! `backup`, `restore`, `check` and `maintain`.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use recallite::{ErrorCode, MaintainBudget, Maintained, Memory};
use serde_json::{Value, json};

use crate::arguments::{Maintain, Place, Restore};
use crate::busy::Busy;
use crate::exit;
use crate::failure::{Failure, Outcome, with_commands};
use crate::lines::{bytes, counted};
use crate::output::{Line, Look, Output, path_json};

pub(crate) fn backup(place: &Place, path: &Path, output: &mut Output) -> Outcome {
    let memory = place.open_whole()?;
    let events = {
        let _busy = Busy::of_copy(&memory, "copying the store");
        memory.backup(path)?
    };
    if output.is_json() {
        output.json(&json!({ "events": events, "path": path_json(path) }));
        return Ok(());
    }
    let what = counted(events, "event", "events");
    let line = Line::new()
        .add(Look::Good, format_args!("backed up {what}"))
        .plain(format_args!(
            " to {}; the copy was verified",
            path.display()
        ));
    output.line(line);
    Ok(())
}

pub(crate) fn restore(place: &Place, asked: &Restore, output: &mut Output) -> Outcome {
    let file = asked.file.as_path();
    // Before a store is created for it.
    check_whole(file)?;
    let memory = place.open_or_create_whole()?;
    let restored = {
        let _busy = Busy::of(&memory, "restoring the export");
        memory.restore_jsonl(file)
    };
    let events = restored.map_err(|error| match error.code() {
        ErrorCode::AlreadyExists => Failure::said(format!(
            "the store in {} has contents; restore into a new one with --store, or add to it with \
             `recallite import`",
            memory.path().display()
        )),
        ErrorCode::InvalidArgument => {
            Failure::said(format!("{}: {}", file.display(), error.problem()))
        }
        _ => error.into(),
    })?;
    if output.is_json() {
        output.json(&json!({ "events": events, "store": path_json(memory.path()) }));
        return Ok(());
    }
    let what = counted(events, "event", "events");
    let line = Line::new()
        .add(Look::Good, format_args!("restored {what}"))
        .plain(format_args!(" to {}", memory.path().display()));
    output.line(line);
    Ok(())
}

/// Refuses a file that is no export, or one of selected memories. The library checks the rest.
fn check_whole(file: &Path) -> Outcome {
    const HEADER_BYTES: u64 = 1 << 20;
    let failed = |error: std::io::Error| Failure::io(file, &error);
    let mut header = Vec::new();
    BufReader::new(File::open(file).map_err(failed)?)
        .take(HEADER_BYTES)
        .read_until(b'\n', &mut header)
        .map_err(failed)?;
    let header: Value = serde_json::from_slice(&header).unwrap_or_default();
    let says = match (&header["recallite"], &header["whole"]) {
        (Value::Null, _) => "not an export of recallite",
        (_, Value::Bool(true)) => return Ok(()),
        _ => "an export of selected memories; use `recallite import`, or export again with --whole",
    };
    Err(Failure::said(format!("{}: {says}", file.display())))
}

pub(crate) fn check(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open_whole()?;
    let report = {
        let _busy = Busy::of(&memory, "checking the store");
        memory.check()?
    };
    let damaged = || Err(Failure::Silent(exit::DAMAGED));
    if output.is_json() {
        output.json(&json!({
            "ok": report.ok,
            "events": report.events,
            "state_hash": report.state_hash,
            "first_divergence": report.first_divergence.as_ref().map(|found| json!({
                "place": found.place,
                "seq": found.seq.map(|seq| seq.0),
                "problem": with_commands(&found.problem),
                "remedy": with_commands(&found.remedy),
            })),
            "ignored_records": report.ignored_records.len(),
        }));
        return if report.ok { Ok(()) } else { damaged() };
    }
    if report.ok {
        let what = counted(report.events, "event", "events");
        output.line(
            Line::new()
                .add(Look::Good, "ok")
                .plain(format_args!(": {what}")),
        );
    }
    for ignored in &report.ignored_records {
        let line = Line::new()
            .add(
                Look::Warning,
                format_args!("record {} is ignored: ", ignored.seq),
            )
            .plain(with_commands(&ignored.problem));
        output.line(line);
    }
    let Some(found) = &report.first_divergence else {
        return if report.ok { Ok(()) } else { damaged() };
    };
    let at = found
        .seq
        .map_or_else(String::new, |seq| format!(" at record {seq}"));
    let what = match found.place.as_str() {
        // Nothing is damaged: the remedy only says what is left to do.
        "erasures" => "erasure not complete: ".to_owned(),
        place => format!("damage in {place}{at}: "),
    };
    let line = Line::new()
        .add(Look::Bad, what)
        .plain(with_commands(&found.problem));
    output.line(line);
    output.say(with_commands(&found.remedy));
    damaged()
}

pub(crate) fn maintain(place: &Place, asked: &Maintain, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let (mut said, mut left_files) = (Vec::new(), Vec::new());
    if asked.rebuild {
        let _busy = Busy::of(&memory, "rebuilding derived data");
        let rebuilt = memory.rebuild(crate::time::now())?;
        said.push(format!(
            "rebuilt from {}",
            counted(rebuilt.events, "event", "events")
        ));
    }
    let (rounds, last) = {
        let _busy = Busy::of(&memory, "running maintenance");
        rounds(&memory, asked.time_ms.map(Duration::from_millis))?
    };
    said.push(format!(
        "{}: {}",
        counted(rounds.len() as u64, "round", "rounds"),
        done(&rounds)
    ));
    if asked.compact {
        let _busy = Busy::of(&memory, "compacting the store");
        let compacted = memory.compact()?;
        let (before, after) = (bytes(compacted.before_bytes), bytes(compacted.after_bytes));
        said.push(format!("compacted from {before} to {after}"));
        if !compacted.left_files.is_empty() {
            said.push(format!(
                "not removed yet, and part of it: {}; close other programs that use the store, \
                 make room if its disk is full, then run `recallite maintain`",
                compacted.left_files.join(", ")
            ));
        }
        left_files = compacted.left_files;
    }
    if output.is_json() {
        output.json(&json!({
            "rounds": rounds.len(),
            "has_more": last.has_more,
            "judged": sum(&rounds, |r| r.judged),
            "moved": sum(&rounds, |r| r.moved),
            "flushed": sum(&rounds, |r| usize::from(r.flushed)),
            "merges": sum(&rounds, |r| r.merges),
            "rewritten": sum(&rounds, |r| r.rewritten),
            "insights": sum(&rounds, |r| r.insights),
            "consolidated": sum(&rounds, |r| r.consolidated),
            "messages_read": sum(&rounds, |r| r.messages_read),
            "entries_learned": sum(&rounds, |r| r.entries_learned),
            "tasks_learned": sum(&rounds, |r| r.tasks_learned),
            "jobs_done": sum(&rounds, |r| r.jobs_done),
            "open_erasures": last.open_erasures,
            "requested_erasures": last.requested_erasures,
            "compaction_pays": last.compaction_pays && !asked.compact,
            "left_files": left_files,
        }));
        return Ok(());
    }
    for line in said {
        output.say(line);
    }
    if last.requested_erasures > 0 {
        let next = match asked.time_ms {
            Some(_) => "run `recallite maintain` without --for",
            None => "run `recallite check`",
        };
        output.say(format_args!("an erasure is yet to be carried out; {next}"));
    } else if last.open_erasures > 0 {
        output.say("an erasure is waiting for another program that has the old file open");
    }
    if last.compaction_pays && !asked.compact {
        output.say("run `recallite maintain --compact` to free disk space");
    }
    Ok(())
}

/// Repeats maintenance until nothing is left or the time is over.
pub(super) fn rounds(
    memory: &Memory,
    time: Option<Duration>,
) -> Outcome<(Vec<Maintained>, Maintained)> {
    let until = time.and_then(|time| Instant::now().checked_add(time));
    let mut rounds = Vec::new();
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let mut budget = MaintainBudget::default();
        budget.time_ms = left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let round = memory.maintain(budget)?;
        rounds.push(round);
        if !round.has_more || left.is_some_and(|left| left.is_zero()) {
            return Ok((rounds, round));
        }
    }
}

fn sum(rounds: &[Maintained], figure: fn(&Maintained) -> usize) -> usize {
    rounds.iter().map(figure).sum()
}

fn done(rounds: &[Maintained]) -> String {
    let sum = |figure| sum(rounds, figure);
    let parts: Vec<String> = [
        (
            sum(|r| usize::from(r.flushed) + r.merges + r.rewritten),
            "index segment written",
            "index segments written",
        ),
        (sum(|r| r.judged), "memory judged", "memories judged"),
        (sum(|r| r.moved), "changed level", "changed level"),
        (sum(|r| r.insights), "insight", "insights"),
        (sum(|r| r.consolidated), "consolidated", "consolidated"),
        (
            sum(|r| r.messages_read),
            "message read to learn from",
            "messages read to learn from",
        ),
        (
            sum(|r| r.entries_learned),
            "entry learned",
            "entries learned",
        ),
        (sum(|r| r.tasks_learned), "task learned", "tasks learned"),
        (sum(|r| r.jobs_done), "embedded", "embedded"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| counted(count as u64, one, many))
    .collect();
    match parts.is_empty() {
        true => "nothing to do".to_owned(),
        false => parts.join(", "),
    }
}
