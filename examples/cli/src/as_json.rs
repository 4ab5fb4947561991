//! JSON output for programs: the library's records, with the library's names.

use recallite::rules::levels::Insight;
use recallite::rules::tasks::{Condition, Task};
use recallite::{
    CitationNeighbour, ConsolidatedMemory, Detail, EndlessStatus, Event, Hit, Json, LearnedEntry,
    LearnedHit, Memory, Proof, RecordSource, Session, Stats, TimelineItem, Timestamp,
};
use serde_json::{Value, json};

use crate::evidence;

pub(crate) fn event(event: &Event) -> Value {
    let mut value = json!({
        "id": event.id.to_string(),
        "seq": event.seq.0,
        "citation": event.citation.to_string(),
        "kind": event.kind.as_str(),
        "session": event.session,
        "project": event.project,
        "actor": event.actor,
        "origin": event.origin.as_str(),
        "timestamp": event.timestamp.to_string(),
        "content": event.content,
    });
    if let Some(metadata) = &event.metadata {
        value["metadata"] = library(metadata);
    }
    if let Some(tool) = &event.tool {
        value["tool"] = json!({
            "name": tool.name,
            "input": tool.input.as_ref().map(library),
            "output": tool.output,
            "success": tool.success,
            "error": tool.error,
            "duration_ms": tool.duration_ms,
        });
    }
    value
}

/// The origin of an event that another machine recorded.
pub(crate) fn source(source: &RecordSource) -> Value {
    json!({
        "identity": source.identity,
        "name": source.name,
        "position": source.position.0,
        "citation": source.citation.to_string(),
    })
}

pub(crate) fn hit(hit: &Hit) -> Value {
    json!({
        "id": hit.id.to_string(),
        "citation": hit.citation.to_string(),
        "kind": hit.kind.as_str(),
        "session": hit.session,
        "project": hit.project,
        "actor": hit.actor,
        "origin": hit.origin.as_str(),
        "timestamp": hit.timestamp.to_string(),
        "summary": hit.summary,
        "passage": {
            "text": hit.passage.text,
            "start": hit.passage.start,
            "end": hit.passage.end,
            "has_more_before": hit.passage.has_more_before,
            "has_more_after": hit.passage.has_more_after,
        },
        "relevance": hit.relevance,
        "is_proof": hit.is_proof,
    })
}

pub(crate) fn learned(hit: &LearnedHit) -> Value {
    json!({
        "kind": hit.kind.as_str(),
        "type": hit.entry_type.map(|it| it.as_str()),
        "id": hit.id,
        "title": hit.title,
        "text": hit.text,
        "state": hit.state.as_str(),
        "stage": hit.stage.map(|it| it.as_str()),
        "level": hit.level.as_str(),
        "superseded_by": hit.superseded_by,
        "contested_with": hit.contested_with,
        "blockers": hit.blockers,
        "session": hit.session,
        "project": hit.project,
        "timestamp": hit.timestamp.to_string(),
        "citation": hit.citation.to_string(),
        "proofs": hit.proofs.iter().map(proof).collect::<Vec<_>>(),
        "relevance": hit.relevance,
        "confidence": hit.confidence,
    })
}

fn proof(proof: &Proof) -> Value {
    json!({
        "id": proof.id.to_string(),
        "citation": proof.citation.to_string(),
        "session": proof.session,
        "timestamp": proof.timestamp.to_string(),
        "quote": proof.quote,
        "start": proof.start,
        "end": proof.end,
    })
}

pub(crate) fn detail(detail: &Detail) -> Value {
    let mut value = event(&detail.event);
    value["files"] = json!(detail.files);
    value["token_count"] = json!(detail.token_count);
    value
}

pub(crate) fn neighbour(neighbour: &CitationNeighbour) -> Value {
    json!({
        "citation": neighbour.citation.to_string(),
        "kind": neighbour.kind.as_str(),
        "timestamp": neighbour.timestamp.to_string(),
        "preview": neighbour.preview,
    })
}

pub(crate) fn timeline_item(item: &TimelineItem) -> Value {
    json!({
        "citation": item.citation.to_string(),
        "kind": item.kind.as_str(),
        "session": item.session,
        "actor": item.actor,
        "timestamp": item.timestamp.to_string(),
        "preview": item.preview,
        "is_target": item.is_target,
    })
}

/// When a session ended; `None` if it went on afterwards.
pub(crate) fn ended(session: &Session) -> Option<Timestamp> {
    session.ended.filter(|ended| *ended >= session.last_event)
}

pub(crate) fn session(session: &Session) -> Value {
    json!({
        "id": session.id,
        "project": session.project,
        "started": session.started.to_string(),
        "ended": optional_time(ended(session)),
        "last_event": session.last_event.to_string(),
        "summary": session.summary,
        "tags": session.tags,
        "events": session.events,
        "prompts": session.prompts,
        "responses": session.responses,
        "tools": session.tools,
    })
}

pub(crate) fn task(task: &Task) -> Value {
    let mut value = library(&task.to_json());
    // The library stores milliseconds; this output uses one form of time throughout.
    value["created_at"] = json!(task.created_at.to_string());
    value["updated_at"] = json!(task.updated_at.to_string());
    value
}

pub(crate) fn condition(condition: &Condition) -> Value {
    let mut value = library(&condition.to_json());
    value["created_at"] = json!(condition.created_at.to_string());
    value["updated_at"] = json!(condition.updated_at.to_string());
    value
}

pub(crate) fn endless_status(status: &EndlessStatus) -> Value {
    json!({
        "mode": status.mode.as_str(),
        "working_set": status.working_set,
        "working_set_id": status.working_set_id,
        "last_activity": optional_time(status.last_activity),
        "active_topics": status.active_topics,
        "active_files": status.active_files,
        "active_entities": status.active_entities,
        "continuity_score": status.continuity_score,
        "consolidated": status.consolidated,
        "last_consolidation": optional_time(status.last_consolidation),
    })
}

pub(crate) fn consolidated(made: &ConsolidatedMemory) -> Value {
    json!({
        "id": made.memory_id,
        "summary": made.summary,
        "topics": made.topics,
        "source_events": made.source_events,
        "confidence": made.confidence,
        "is_continuation": made.is_continuation,
        "created_at": made.created_at.to_string(),
        "accessed_at": optional_time(made.accessed_at),
        "access_count": made.access_count,
    })
}

/// An entry with the citation of its record, and its quotes as `learned` has them.
pub(crate) fn entry(memory: &Memory, learned: &LearnedEntry) -> recallite::Result<Value> {
    let entry = &learned.entry;
    let record = memory.event(learned.event_id)?;
    let quotes = evidence::quotes(memory, learned)?;
    let proofs = quotes.iter().filter_map(|quote| {
        let (event, words) = (quote.event.as_ref()?, quote.words()?);
        Some(json!({
            "id": event.id.to_string(),
            "citation": event.citation.to_string(),
            "session": event.session,
            "timestamp": event.timestamp.to_string(),
            "quote": words,
            "start": quote.span.span_start,
            "end": quote.span.span_end,
        }))
    });
    Ok(json!({
        "id": entry.id.as_str(),
        "type": entry.entry_type.as_str(),
        "title": entry.title,
        "content": learned.content,
        "stage": entry.stage().as_str(),
        "status": entry.status.as_str(),
        "project": learned.project,
        "session": learned.session,
        "confidence": learned.confidence,
        "valid_from": optional_time(entry.validity.from),
        "valid_to": optional_time(entry.validity.to),
        "created_at": learned.created_at.to_string(),
        "citation": record.map(|record| record.citation.to_string()),
        "superseded_by": entry.superseded_by().map(|id| id.as_str()),
        "contested_with": entry.contested_with().iter().map(|id| id.as_str()).collect::<Vec<_>>(),
        "proofs": proofs.collect::<Vec<_>>(),
    }))
}

pub(crate) fn insight(insight: &Insight) -> Value {
    json!({
        "type": insight.kind.as_str(),
        "content": insight.content,
        "confidence": insight.confidence,
        "sources": insight.sources,
    })
}

pub(crate) fn stats(stats: &Stats) -> Value {
    json!({
        "events": stats.events,
        "prompts": stats.prompts,
        "responses": stats.responses,
        "summaries": stats.summaries,
        "tools": stats.tools,
        "sessions": stats.sessions,
        "projects": stats.projects,
        "forgotten": stats.forgotten,
        "erased": stats.erased,
        "size_bytes": stats.size_bytes,
        "quota_bytes": stats.quota_bytes,
        "is_over_quota": stats.is_over_quota,
        "payload_bytes": stats.payload_bytes,
        "oldest": optional_time(stats.oldest),
        "newest": optional_time(stats.newest),
        "last_append": optional_time(stats.last_append),
        "open_erasures": stats.open_erasures,
        "requested_erasures": stats.requested_erasures,
        "paused_sessions": stats.paused_sessions,
        "paused_projects": stats.paused_projects,
        "privacy": {
            "private_sections": stats.privacy.private_sections,
            "secrets_masked": stats.privacy.secrets_masked,
            "bytes_filtered": stats.privacy.bytes_filtered,
        },
        "injections": {
            "injections": stats.injections.injections,
            "memories": stats.injections.memories,
            "tokens": stats.injections.tokens,
            "judged": stats.injections.judged,
            "reused": stats.injections.reused,
        },
        "lexical": {
            "segments": stats.lexical.segments,
            "memtable_events": stats.lexical.memtable_events,
            "damaged_segments": stats.lexical.damaged_segments,
            "damaged_events": stats.lexical.damaged_events,
        },
        "layers": stats.layers.iter().map(|layer| json!({
            "name": layer.name,
            "size": layer.size,
            "backlog": layer.backlog,
            "last_moved": optional_time(layer.last_moved),
        })).collect::<Vec<_>>(),
    })
}

/// JSON that the library created or validated.
fn library(json: &Json) -> Value {
    serde_json::from_str(json.as_str()).unwrap_or(Value::Null)
}

fn optional_time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
