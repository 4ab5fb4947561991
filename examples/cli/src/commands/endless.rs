//! `endless`: treats all sessions as one conversation.

use recallite::rules::endless::MemoryMode;
use recallite::{ConsolidatedMemory, EffectiveSetting, EndlessStatus, Memory, SettingSource};
use serde_json::json;

use super::show::show_list;
use crate::arguments::{Endless, Place};
use crate::as_json;
use crate::failure::{Failure, Outcome};
use crate::lines::{columns, counted};
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn run(place: &Place, act: &Endless, output: &mut Output) -> Outcome {
    let memory = match act {
        // It may be the first command.
        Endless::Start => place.open_or_create()?,
        _ => place.open()?,
    };
    match act {
        Endless::Status => status(&memory, output),
        Endless::Start => switch(&memory, MemoryMode::Endless, output),
        Endless::Stop => switch(&memory, MemoryMode::Session, output),
        Endless::Context { words } => context(&memory, words, output),
        Endless::Memories { words } => memories(&memory, words, output),
        Endless::Consolidate => consolidate(&memory, output),
    }
}

fn status(memory: &Memory, output: &mut Output) -> Outcome {
    let status = memory.endless().status()?;
    if output.is_json() {
        output.json(&as_json::endless_status(&status));
        return Ok(());
    }
    columns(output, &rows(&status));
    Ok(())
}

fn rows(status: &EndlessStatus) -> Vec<(&'static str, String)> {
    let at = |at: Option<recallite::Timestamp>| at.map_or_else(|| "never".to_owned(), local);
    let words = |words: &[String]| match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    };
    let mode = match status.mode == MemoryMode::Endless {
        true => "on",
        false => "off; run `recallite endless start` to turn it on",
    };
    let percent = (status.continuity_score * 100.0).round();
    vec![
        ("endless", mode.to_owned()),
        (
            "working set",
            format!(
                "{}, last activity {}",
                counted(status.working_set as u64, "event", "events"),
                at(status.last_activity)
            ),
        ),
        (
            "memories",
            format!(
                "{}, last consolidated {}",
                status.consolidated,
                at(status.last_consolidation)
            ),
        ),
        ("continuity", format!("{percent}% in the last hour")),
        ("topics", words(&status.active_topics)),
        ("files", words(&status.active_files)),
        ("names", words(&status.active_entities)),
    ]
}

fn switch(memory: &Memory, mode: MemoryMode, output: &mut Output) -> Outcome {
    let endless = memory.endless();
    let was = endless.mode()?;
    let contradicting = contradicting(memory, mode)?;
    endless.set_mode(mode)?;
    let status = endless.status()?;
    if output.is_json() {
        let mut value = as_json::endless_status(&status);
        value["changed"] = json!(was != status.mode);
        value["overridden_by"] = json!(contradicting);
        output.json(&value);
        return Ok(());
    }
    let is_on = status.mode == MemoryMode::Endless;
    let said = match (is_on, was == status.mode) {
        (true, true) => "endless mode is already on",
        (true, false) => "endless mode is on",
        (false, true) => "endless mode is already off",
        (false, false) => "endless mode is off; its memories are kept",
    };
    output.line(Line::new().add(Look::Good, said));
    if is_on {
        let present = counted(status.working_set as u64, "event", "events");
        let made = counted(status.consolidated, "memory", "memories");
        output.say(format_args!("working set: {present}; consolidated: {made}"));
    }
    if let Some(key) = contradicting {
        let line = Line::new().add(Look::Warning, "warning: ");
        output.line(line.plain(format_args!(
            "{key} of the settings file switches it back whenever a memory is opened with the file"
        )));
    }
    Ok(())
}

/// The key of the settings file that sets another mode, at every opening.
fn contradicting(memory: &Memory, mode: MemoryMode) -> Outcome<Option<String>> {
    let other: [(&str, &str); 2] = match mode {
        MemoryMode::Endless => [("mode", "\"session\""), ("endless.enabled", "false")],
        _ => [("mode", "\"endless\""), ("endless.enabled", "true")],
    };
    let sets_other = |row: &EffectiveSetting| {
        row.source == SettingSource::File && other.contains(&(&row.key, row.value.as_str()))
    };
    let rows = memory.upkeep().settings()?;
    Ok(rows.into_iter().find(sets_other).map(|row| row.key))
}

fn context(memory: &Memory, words: &[String], output: &mut Output) -> Outcome {
    let question = words.join(" ");
    if !words.is_empty() && question.trim().is_empty() {
        return Err(Failure::usage("the words must not be empty"));
    }
    let context = memory.endless().context(Some(&question))?;
    if output.is_json() {
        let events: Vec<_> = context.working_set.iter().map(as_json::event).collect();
        let made: Vec<_> = context
            .consolidated
            .iter()
            .map(as_json::consolidated)
            .collect();
        output.json(&json!({
            "working_set": events,
            "consolidated": made,
            "continuity_score": context.continuity_score,
        }));
        return Ok(());
    }
    if context.working_set.is_empty() && context.consolidated.is_empty() {
        output.say("no context to give; run `recallite endless status` for details");
    }
    show_list(&context.working_set, output);
    for made in &context.consolidated {
        show_memory(made, output);
    }
    Ok(())
}

fn memories(memory: &Memory, words: &[String], output: &mut Output) -> Outcome {
    let words = words.join(" ");
    let found = memory.endless().memories(Some(&words), None)?;
    if output.is_json() {
        let items: Vec<_> = found.iter().map(as_json::consolidated).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if found.is_empty() {
        output.say("no consolidated memories found; endless mode creates them from events");
    }
    for made in &found {
        show_memory(made, output);
    }
    Ok(())
}

fn show_memory(made: &ConsolidatedMemory, output: &mut Output) {
    let percent = (made.confidence * 100.0).round();
    let of = counted(made.source_events.len() as u64, "event", "events");
    let line = Line::new()
        .add(Look::Faint, local(made.created_at))
        .plain("  memory")
        .add(Look::Faint, format_args!("  from {of}  {percent}%"));
    output.line(line);
    output.block(&made.summary);
}

fn consolidate(memory: &Memory, output: &mut Output) -> Outcome {
    let report = memory.endless().consolidate()?;
    if output.is_json() {
        output.json(&json!({ "memories": report.memories, "waiting": report.waiting }));
        return Ok(());
    }
    let made = counted(report.memories.len() as u64, "memory", "memories");
    let line = Line::new().add(Look::Good, format_args!("created {made}"));
    let waiting = counted(report.waiting as u64, "event", "events");
    output.line(line.plain(format_args!("; {waiting} waiting for more on their topic")));
    Ok(())
}
