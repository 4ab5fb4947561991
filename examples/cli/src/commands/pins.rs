//! `pin`, `unpin` and `pinned`: the memories with which every context begins.

use recallite::{EventRef, Memory, PinnedEvent};
use serde_json::{Value, json};

use crate::arguments::{Pin, Place};
use crate::failure::Outcome;
use crate::lines::{heading, shortened};
use crate::output::{Line, Look, Output};

pub(crate) fn pin(place: &Place, asked: &Pin, output: &mut Output) -> Outcome {
    change(&place.open()?, &asked.memories, true, output)
}

pub(crate) fn unpin(place: &Place, asked: &Pin, output: &mut Output) -> Outcome {
    change(&place.open()?, &asked.memories, false, output)
}

fn change(memory: &Memory, names: &[String], is_pinned: bool, output: &mut Output) -> Outcome {
    // All are looked up before the first is changed.
    let events = names
        .iter()
        .map(|name| memory.citation(name))
        .collect::<recallite::Result<Vec<_>>>()?;
    let mut items = Vec::with_capacity(events.len());
    for event in events {
        let named = EventRef::from(event.id);
        let is_changed = match is_pinned {
            true => memory.levels().pin(named)?,
            false => memory.levels().unpin(named)?,
        };
        let said = match (is_pinned, is_changed) {
            (true, true) => "pinned",
            (true, false) => "already pinned:",
            (false, true) => "unpinned",
            (false, false) => "was not pinned:",
        };
        if !output.is_json() {
            let line = Line::new()
                .add(Look::Good, said)
                .plain(" ")
                .add(Look::Id, &event.citation);
            output.line(line);
        }
        items.push(json!({
            "citation": event.citation.to_string(),
            "pinned": is_pinned,
            "changed": is_changed,
        }));
    }
    if output.is_json() {
        output.json(&json!({ "items": items }));
    }
    Ok(())
}

pub(crate) fn pinned(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let pins = memory.levels().pinned(&place.scope())?;
    if output.is_json() {
        let items: Vec<_> = pins.iter().map(as_json).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if pins.is_empty() {
        let place = place.where_looked(&memory);
        output.say(format_args!("no pinned memories{place}"));
    }
    for pin in &pins {
        let line = heading(&pin.citation, pin.pinned_at, pin.kind);
        // A preview is only the first sentence.
        let text = match memory.event(pin.id)? {
            Some(event) => shortened(&event.content),
            None => pin.preview.clone(),
        };
        output.line(line.plain("  ").plain(text));
    }
    Ok(())
}

fn as_json(pin: &PinnedEvent) -> Value {
    json!({
        "id": pin.id.to_string(),
        "citation": pin.citation.to_string(),
        "kind": pin.kind.as_str(),
        "session": pin.session,
        "project": pin.project,
        "preview": pin.preview,
        "pinned_at": pin.pinned_at.to_string(),
    })
}
