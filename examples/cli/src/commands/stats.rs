//! `stats`: figures about the store.

use recallite::Stats;

use crate::arguments::Place;
use crate::as_json;
use crate::failure::Outcome;
use crate::lines::{bytes, columns, counted};
use crate::output::{Output, path_json};
use crate::time::local;

/// What completes the erasures that are open.
pub(super) fn what_ends_erasure(stats: &Stats) -> &'static str {
    match stats.requested_erasures {
        0 => {
            "close other programs that use the store, make room if its disk is full, then run \
             `recallite maintain`"
        }
        _ => "run `recallite maintain`",
    }
}

pub(crate) fn stats(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open_whole()?;
    let stats = memory.stats()?;
    if output.is_json() {
        let mut value = as_json::stats(&stats);
        value["store"] = path_json(memory.path());
        output.json(&value);
        return Ok(());
    }
    let last = |at: Option<recallite::Timestamp>| at.map_or_else(|| "never".to_owned(), local);
    let injections = &stats.injections;
    let mut rows = vec![
        ("store", memory.path().display().to_string()),
        (
            "size",
            format!(
                "{} of {}",
                bytes(stats.size_bytes),
                bytes(stats.quota_bytes)
            ),
        ),
        ("prompts", stats.prompts.to_string()),
        ("responses", stats.responses.to_string()),
        ("tool calls", stats.tools.to_string()),
        ("summaries", stats.summaries.to_string()),
        ("sessions", stats.sessions.to_string()),
        ("projects", stats.projects.to_string()),
        ("forgotten", stats.forgotten.to_string()),
        ("erased", stats.erased.to_string()),
        ("oldest", last(stats.oldest)),
        ("newest", last(stats.newest)),
        ("last stored", last(stats.last_append)),
        (
            "paused",
            format!(
                "{}, {}",
                counted(stats.paused_sessions, "conversation", "conversations"),
                counted(stats.paused_projects, "project", "projects")
            ),
        ),
        ("secrets masked", stats.privacy.secrets_masked.to_string()),
        (
            "private sections",
            stats.privacy.private_sections.to_string(),
        ),
        (
            "given to agents",
            format!(
                "{}, {} in total",
                counted(injections.injections, "time", "times"),
                counted(injections.memories, "memory", "memories")
            ),
        ),
        (
            "used by agents",
            format!(
                "{} of the {} that an answer followed",
                injections.reused,
                counted(injections.judged, "time", "times")
            ),
        ),
    ];
    if stats.open_erasures > 0 {
        let places = stats.unclean_places.join("; ");
        let says = what_ends_erasure(&stats);
        rows.push(("erasure", format!("not complete; {says}: {places}")));
    }
    // A layer that never changes reveals that maintenance is not running.
    for layer in &stats.layers {
        let waiting = match layer.backlog {
            0 => String::new(),
            backlog => format!(", {backlog} waiting"),
        };
        let moved = format!(
            "{}{waiting}, last updated {}",
            layer.size,
            last(layer.last_moved)
        );
        rows.push(("layer", format!("{}: {moved}", layer.name)));
    }
    columns(output, &rows);
    Ok(())
}
