//! `show` and `timeline`: memories by citation, in full and with the events around them.

use recallite::{CitationDetail, CitationNeighbour, Event, EventRef, RecordSource};
use serde_json::{Value, json};

use super::knowledge::show_entry;
use crate::arguments::{Place, Show, Timeline};
use crate::as_json;
use crate::evidence;
use crate::failure::Outcome;
use crate::lines::{counted, heading, listed};
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn show(place: &Place, asked: &Show, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let citations = memory.citations();
    let shown = asked
        .memories
        .iter()
        .map(|name| citations.detail(name.parse::<EventRef>()?))
        .collect::<recallite::Result<Vec<_>>>()?;
    if output.is_json() {
        let mut items = Vec::with_capacity(shown.len());
        for detail in &shown {
            let full = memory.details(&[EventRef::from(detail.event.id)])?;
            let mut item = full
                .first()
                .map_or_else(|| as_json::event(&detail.event), as_json::detail);
            item["previous"] = json!(detail.previous.as_ref().map(as_json::neighbour));
            item["next"] = json!(detail.next.as_ref().map(as_json::neighbour));
            let source = memory.sharing().source(detail.event.id)?;
            item["source"] = json!(source.as_ref().map(as_json::source));
            let elsewhere = memory.sharing().cited_elsewhere(detail.event.id)?;
            let elsewhere = elsewhere.iter().map(|id| format!("mem:{id}"));
            item["cited_elsewhere"] = json!(elsewhere.collect::<Vec<_>>());
            item["usage_count"] = json!(detail.usage_count);
            item["last_used"] = json!(detail.last_used.map(|at| at.to_string()));
            items.push(item);
        }
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    for (index, detail) in shown.iter().enumerate() {
        if index > 0 {
            output.blank();
        }
        let source = memory.sharing().source(detail.event.id)?;
        show_detail(detail, source.as_ref(), output);
        for other in memory.sharing().cited_elsewhere(detail.event.id)? {
            let source = memory.sharing().source(other.parse::<EventRef>()?)?;
            let machine = machine_name(source.as_ref());
            let line = Line::new().add(Look::Id, format_args!("mem:{other}"));
            output.line(line.plain(format_args!("  has this citation on {machine}")));
        }
        if let Some(learned) = evidence::entry_of(&memory, &detail.event)? {
            show_entry(&memory, &learned, output)?;
        }
    }
    Ok(())
}

fn show_detail(detail: &CitationDetail, source: Option<&RecordSource>, output: &mut Output) {
    let event = &detail.event;
    output.line(
        heading(&event.citation, event.timestamp, event.kind)
            .plain("  ")
            .plain(&event.actor),
    );
    output.line(origin_line(event, source));
    output.block(&event.content);
    if let Some(line) = file_line(event) {
        output.line(line);
    }
    if let Some(tool) = &event.tool {
        let result = if tool.success { "succeeded" } else { "failed" };
        output.line(Line::new().add(Look::Faint, format_args!("tool {}: {result}", tool.name)));
    }
    for (word, neighbour) in [("before", &detail.previous), ("after", &detail.next)] {
        if let Some(neighbour) = neighbour {
            output.line(neighbour_line(word, neighbour));
        }
    }
    if detail.usage_count > 0 {
        let times = counted(detail.usage_count, "time", "times");
        let last = detail.last_used.map(local).unwrap_or_default();
        let used = format!("given to agents {times}, last {last}");
        output.line(Line::new().add(Look::Faint, used));
    }
}

fn origin_line(event: &Event, source: Option<&RecordSource>) -> Line {
    let project = match event.project.as_str() {
        "" => String::new(),
        project => format!("  project {project}"),
    };
    let machine = match source {
        Some(_) => format!("  from {}", machine_name(source)),
        None => String::new(),
    };
    Line::new().add(
        Look::Faint,
        format_args!("session {}{project}{machine}", event.session),
    )
}

/// The machine that recorded an event.
fn machine_name(source: Option<&RecordSource>) -> &str {
    let name = source.and_then(|source| source.name.as_deref());
    name.unwrap_or("a former member")
}

/// The file and line of a note that was imported.
fn file_line(event: &Event) -> Option<Line> {
    let metadata: Value = serde_json::from_str(event.metadata.as_ref()?.as_str()).ok()?;
    let (file, line) = (metadata["file"].as_str()?, metadata["line"].as_u64()?);
    Some(Line::new().add(Look::Faint, format_args!("from {file}:{line}")))
}

fn neighbour_line(word: &str, neighbour: &CitationNeighbour) -> Line {
    Line::new()
        .add(Look::Faint, format_args!("{word:<7}"))
        .add(Look::Id, &neighbour.citation)
        .plain("  ")
        .plain(&neighbour.preview)
}

pub(crate) fn timeline(place: &Place, asked: &Timeline, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    // Unknown citations are an error here, because a person typed them.
    let events = asked
        .memories
        .iter()
        .map(|name| memory.citation(name))
        .collect::<recallite::Result<Vec<_>>>()?;
    let wanted: Vec<EventRef> = events.iter().map(|event| event.id.into()).collect();
    let items = memory.timeline(&wanted, asked.window)?;
    if output.is_json() {
        let items: Vec<_> = items.iter().map(as_json::timeline_item).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    for item in &items {
        let (mark, look) = match item.is_target {
            true => ("> ", Look::Strong),
            false => ("  ", Look::Plain),
        };
        let line = Line::new()
            .add(look, mark)
            .add(Look::Id, &item.citation)
            .add(Look::Faint, format_args!("  {}  ", local(item.timestamp)))
            .plain(item.kind.display_name())
            .plain("  ")
            .add(look, &item.preview);
        output.line(line);
    }
    Ok(())
}

/// Lists events, one per line.
pub(super) fn show_list(events: &[Event], output: &mut Output) {
    for event in events {
        output.line(listed(event));
    }
}
