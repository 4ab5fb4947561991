//! The documents of the API: the library's records under the names of the specification, section
//! 24.

use recallite::rules::entries::LearnedEntry;
use recallite::rules::tasks::{BlockerRef, Task};
use recallite::text::summary::preview;
use recallite::{CitationNeighbour, Event, Json, LearnedHit, Proof, Session, Stats, Timestamp};
use serde_json::{Value, json};

use crate::as_json::ended;

/// A session that was not ended counts as active for a day after its last event.
const ACTIVE_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn session(session: &Session, now: Timestamp) -> Value {
    json!({
        "sessionId": session.id,
        "projectPath": session.project,
        "startedAt": time(session.started),
        "endedAt": ended(session).map(time),
        "lastEventAt": time(session.last_event),
        "status": if is_active(session, now) { "active" } else { "ended" },
        "summary": session.summary.as_deref().map(preview),
        "tags": session.tags,
        "eventCount": session.events,
        "promptCount": session.prompts,
        "responseCount": session.responses,
        "toolCount": session.tools,
    })
}

pub(super) fn is_active(session: &Session, now: Timestamp) -> bool {
    let idle = now.millis().saturating_sub(session.last_event.millis());
    ended(session).is_none() && idle < ACTIVE_MS
}

/// An event as a line of a list.
pub(super) fn event_line(event: &Event) -> Value {
    json!({
        "id": event.id.to_string(),
        "seq": event.seq.0,
        "citation": event.citation.to_string(),
        "type": event.kind.as_str(),
        "timestamp": time(event.timestamp),
        "sessionId": event.session,
        "project": event.project,
        "actor": event.actor,
        "preview": preview(&event.content),
        "metadata": event.metadata.as_ref().map(library),
    })
}

/// The citation of an event: what it is called, and what it points to.
pub(super) fn citation(event: &Event) -> Value {
    json!({
        "id": event.citation.to_string(),
        "eventId": event.id.to_string(),
        "eventType": event.kind.as_str(),
        "sessionId": event.session,
        "timestamp": time(event.timestamp),
        "preview": preview(&event.content),
    })
}

/// An event with its texts up to a length, and the full length of each.
pub(super) fn event(event: &Event, max_chars: usize) -> Value {
    let mut value = event_line(event);
    value["origin"] = json!(event.origin.as_str());
    value["content"] = cut(&event.content, max_chars);
    if let Some(tool) = &event.tool {
        let input = tool.input.as_ref().map(|input| input.as_str().to_owned());
        value["tool"] = json!({
            "name": tool.name,
            "success": tool.success,
            "durationMs": tool.duration_ms,
            "input": input.as_deref().map(|input| cut(input, max_chars)),
            "output": cut(&tool.output, max_chars),
            "error": tool.error.as_deref().map(|error| cut(error, max_chars)),
        });
    }
    value
}

/// The beginning of a text, with its full length in characters.
pub(super) fn cut(text: &str, max_chars: usize) -> Value {
    match text.char_indices().nth(max_chars) {
        None => json!({ "text": text, "isCut": false }),
        Some((end, _)) => json!({
            "text": &text[..end],
            "isCut": true,
            "chars": text.chars().count(),
        }),
    }
}

pub(super) fn neighbour(neighbour: &CitationNeighbour) -> Value {
    json!({
        "id": neighbour.id.to_string(),
        "citation": neighbour.citation.to_string(),
        "type": neighbour.kind.as_str(),
        "timestamp": time(neighbour.timestamp),
        "preview": neighbour.preview,
    })
}

pub(super) fn entry(learned: &LearnedEntry) -> Value {
    let entry = &learned.entry;
    json!({
        "id": entry.id.as_str(),
        "type": entry.entry_type.as_str(),
        "title": entry.title,
        "content": learned.content,
        "stage": entry.stage().as_str(),
        "status": entry.status.as_str(),
        "project": learned.project,
        "sessionId": learned.session,
        "confidence": learned.confidence,
        "certifiedBy": entry.certified_by(),
        "validFrom": entry.validity.from.map(time),
        "validTo": entry.validity.to.map(time),
        "createdAt": time(learned.created_at),
        "supersededBy": entry.superseded_by().map(|id| id.as_str()),
        "contestedWith": entry.contested_with().iter().map(|id| id.as_str()).collect::<Vec<_>>(),
    })
}

pub(super) fn learned_hit(hit: &LearnedHit) -> Value {
    json!({
        "kind": hit.kind.as_str(),
        "type": hit.entry_type.map(|kind| kind.as_str()),
        "id": hit.id,
        "title": hit.title,
        "text": hit.text,
        "state": hit.state.as_str(),
        "isCurrent": hit.state.is_current(),
        "stage": hit.stage.map(|stage| stage.as_str()),
        "level": hit.level.as_str(),
        "relevance": hit.relevance,
        "timestamp": time(hit.timestamp),
        "project": hit.project,
        "sessionId": hit.session,
        "citation": hit.citation.to_string(),
        "supersededBy": hit.superseded_by,
        "contestedWith": hit.contested_with,
        "blockers": hit.blockers,
        "proofs": hit.proofs.iter().map(proof).collect::<Vec<_>>(),
    })
}

fn proof(proof: &Proof) -> Value {
    json!({
        "citation": proof.citation.to_string(),
        "sessionId": proof.session,
        "timestamp": time(proof.timestamp),
        "quote": proof.quote,
    })
}

pub(super) fn task(task: &Task) -> Value {
    json!({
        "id": task.id.as_str(),
        "title": task.title,
        "description": task.description,
        "status": task.status().as_str(),
        "isOpen": task.status().is_open(),
        "priority": task.priority.as_str(),
        "project": task.project,
        "createdAt": time(task.created_at),
        "updatedAt": time(task.updated_at),
        "blockers": task.blockers().iter().map(blocker).collect::<Vec<_>>(),
        "suggestedBlockers": task.suggested_blockers().iter().map(blocker).collect::<Vec<_>>(),
    })
}

fn blocker(blocker: &BlockerRef) -> Value {
    json!({
        "id": blocker.entity_id.as_str(),
        "kind": blocker.kind.as_str(),
        "text": blocker.raw_text,
        "confidence": blocker.confidence.as_str(),
    })
}

/// The embedder's outbox; `null` without an embedder.
pub(super) fn embeddings(stats: &Stats) -> Value {
    stats.embedding.as_ref().map_or(Value::Null, |embedding| {
        json!({
            "version": embedding.version,
            "vectors": embedding.vectors,
            "pending": embedding.pending,
            "processing": embedding.processing,
            "processed": embedding.done,
            "failed": embedding.failed,
            "avgProcessTime": embedding.average_processing_ms,
        })
    })
}

/// JSON that the library created or validated.
pub(super) fn library(json: &Json) -> Value {
    serde_json::from_str(json.as_str()).unwrap_or(Value::Null)
}

pub(super) fn time(at: Timestamp) -> String {
    at.to_string()
}
