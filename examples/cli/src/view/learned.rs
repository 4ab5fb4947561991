//! Learned items: entries with their evidence, insights, endless mode.

use std::sync::Arc;

use axum::extract::{Path, State};
use recallite::rules::entries::{EntryId, EntryType, LearnedEntry};
use recallite::{ConsolidatedMemory, EntryFilter, EventId, Memory};
use serde_json::{Value, json};

use super::asked::{Asked, MAX_LISTED};
use super::refused::{Answer, Document};
use super::shapes;
use super::viewer::Viewer;
use crate::as_json;
use crate::evidence::{self, Quote};
use crate::failure::{Failure, Outcome};
use crate::insights::insights_of;

pub(super) async fn entries(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["type", "status", "project", "sessionId", "text", "limit"])?;
    let limit = asked.number("limit", 100, 1..=MAX_LISTED)?;
    let mut filter = EntryFilter::default()
        .project(asked.scope())
        .limit(limit + 1);
    filter.entry_type = asked.word::<EntryType>("type")?;
    filter.status = asked.text("status").map(str::to_owned);
    filter.session = asked.text("sessionId").map(str::to_owned);
    filter.text = asked.text("text").map(str::to_owned);
    viewer
        .ask(move |memory| {
            let mut found = memory.knowledge().entries(&filter)?;
            let has_more = found.len() > limit;
            found.truncate(limit);
            let entries: Vec<Value> = found.iter().map(shapes::entry).collect();
            Ok(Document(json!({ "entries": entries, "hasMore": has_more })))
        })
        .await
}

pub(super) async fn entry(
    State(viewer): State<Arc<Viewer>>,
    Path(id): Path<String>,
    asked: Asked,
) -> Answer {
    asked.only(&[])?;
    viewer
        .ask(move |memory| {
            let learned = memory
                .knowledge()
                .entry(&EntryId::new(&id))?
                .ok_or_else(|| Failure::not_found("no such entry"))?;
            described(memory, &learned)
        })
        .await
}

fn described(memory: &Memory, learned: &LearnedEntry) -> Outcome<Document> {
    let entry = &learned.entry;
    let mut proofs = Vec::new();
    for quote in evidence::quotes(memory, learned)? {
        proofs.push(proof(&quote));
    }
    let mut related = Vec::new();
    let others = entry.contested_with().iter().chain(entry.superseded_by());
    for id in others {
        if let Some(other) = memory.knowledge().entry(id)? {
            related.push(shapes::entry(&other));
        }
    }
    let failed = entry.evidence().map_or(0, |report| report.failed.len());
    Ok(Document(json!({
        "entry": shapes::entry(learned),
        "evidence": proofs,
        "missingQuotes": failed,
        "related": related,
    })))
}

/// A quote with its event; without the words if the event is gone.
fn proof(quote: &Quote<'_>) -> Value {
    json!({
        "quote": quote.words(),
        "event": quote.event.as_ref().map(shapes::event_line),
        "confidence": quote.span.confidence,
        "method": quote.span.method.as_str(),
    })
}

pub(super) async fn insights(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["project"])?;
    let scope = asked.scope();
    viewer
        .ask(move |memory| {
            let insights = insights_of(memory, &scope)?;
            let insights: Vec<Value> = insights.iter().map(as_json::insight).collect();
            Ok(Document(json!({ "insights": insights })))
        })
        .await
}

/// Endless mode: its state, what it contains, and which conversations continued others. The limit
/// is that of the consolidated memories.
pub(super) async fn endless(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    /// How many items of each list are returned.
    const SHOWN: usize = 100;
    asked.only(&["limit"])?;
    let limit = asked.number("limit", SHOWN, 1..=MAX_LISTED)?;
    viewer
        .ask(move |memory| {
            let endless = memory.endless();
            let status = endless.status()?;
            let mut working = Vec::new();
            for item in endless.working_set()?.iter().take(SHOWN) {
                let event = match item.event_id.parse::<EventId>() {
                    Ok(id) => memory.event(id)?,
                    Err(_) => None,
                };
                working.push(json!({
                    "event": event.as_ref().map(shapes::event_line),
                    "addedAt": shapes::time(item.added_at),
                    "expiresAt": shapes::time(item.expires_at),
                    "relevance": item.relevance,
                    "topics": item.topics,
                }));
            }
            let memories = endless.memories(None, Some(limit + 1))?;
            let continuity = endless.continuity_log(Some(SHOWN))?;
            let log = continuity.iter().rev().map(|entry| {
                json!({
                    "score": entry.score,
                    "transition": entry.transition.as_str(),
                    "at": shapes::time(entry.at),
                })
            });
            Ok(Document(json!({
                "mode": status.mode.as_str(),
                "workingSet": { "size": status.working_set, "items": working },
                "lastActivity": status.last_activity.map(shapes::time),
                "activeTopics": status.active_topics,
                "activeFiles": status.active_files,
                "continuityScore": status.continuity_score,
                "lastConsolidation": status.last_consolidation.map(shapes::time),
                "consolidated": status.consolidated,
                "memories": memories.iter().take(limit).map(consolidated).collect::<Vec<_>>(),
                "hasMore": memories.len() > limit,
                "continuity": log.collect::<Vec<_>>(),
            })))
        })
        .await
}

fn consolidated(memory: &ConsolidatedMemory) -> Value {
    json!({
        "id": memory.memory_id,
        "summary": memory.summary,
        "topics": memory.topics,
        "sources": memory.source_events.len(),
        "confidence": memory.confidence,
        "isContinuation": memory.is_continuation,
        "createdAt": shapes::time(memory.created_at),
        "accessCount": memory.access_count,
    })
}
