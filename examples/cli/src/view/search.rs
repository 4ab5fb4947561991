//! Search: the hits for a question, with the matched words and their relevance.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::State;
use recallite::{Hit, MAX_SEARCH_LIMIT, Memory, Query, SearchResult};
use serde_json::{Value, json};

use super::asked::Given;
use super::marks::{Mark, marked};
use super::refused::{Answer, Document, Refused};
use super::shapes;
use super::viewer::Viewer;
use crate::failure::Outcome;

pub(super) async fn search(State(viewer): State<Arc<Viewer>>, body: Bytes) -> Answer {
    let query = query(&Given::new(&body, &["query", "filters", "options"])?)?;
    viewer.ask(move |memory| found(memory, query)).await
}

fn query(given: &Given) -> Result<Query, Refused> {
    let text = given.text("query")?.unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Refused::wrong("Query is required"));
    }
    let filters = given.inside(
        "filters",
        &["sessionId", "eventType", "dateFrom", "dateTo", "project"],
    )?;
    let options = given.inside("options", &["topK", "minScore", "progressive"])?;
    // The answer is the first layer of a progressive search either way: the hits, not their texts.
    options.flag("progressive")?;
    let mut query = Query::new(text)
        .limit(options.number("topK", 10, 1..=MAX_SEARCH_LIMIT)?)
        .kinds(filters.kinds("eventType")?)
        .project(filters.scope()?);
    query.session = filters.text("sessionId")?.map(str::to_owned);
    query.from = filters.moment("dateFrom")?;
    query.until = filters.moment("dateTo")?;
    query.min_relevance = options.share("minScore")?;
    Ok(query)
}

fn found(memory: &Memory, query: Query) -> Outcome<Document> {
    let text = query.text.clone();
    let begun = Instant::now();
    let found = memory.search(query)?;
    let took = begun.elapsed();
    let mode = match memory.stats()?.embedding {
        Some(_) => "hybrid",
        None => "fts",
    };
    Ok(Document(json!({
        "results": found.items.iter().map(|item| hit(item, &text)).collect::<Vec<_>>(),
        "learned": found.learned.iter().map(shapes::learned_hit).collect::<Vec<_>>(),
        "meta": meta(&found, took.as_secs_f64() * 1_000.0, mode),
    })))
}

fn meta(found: &SearchResult, took_ms: f64, mode: &str) -> Value {
    json!({
        "totalMatches": found.total_matches,
        "searchTime": (took_ms * 10.0).round() / 10.0,
        "mode": mode,
        "confidence": found.confidence.as_str(),
        "degraded": found.degraded,
    })
}

fn hit(hit: &Hit, query: &str) -> Value {
    let marked = marked(&hit.passage.text, query);
    json!({
        "id": hit.id.to_string(),
        "citation": hit.citation.to_string(),
        "score": hit.relevance,
        "matchScore": hit.match_score,
        "type": hit.kind.as_str(),
        "timestamp": shapes::time(hit.timestamp),
        "sessionId": hit.session,
        "project": hit.project,
        "actor": hit.actor,
        "origin": hit.origin.as_str(),
        "preview": hit.summary,
        "highlight": marked.parts.iter().map(part).collect::<Vec<_>>(),
        "matchedWords": marked.words,
        "isWhole": !hit.passage.has_more_before && !hit.passage.has_more_after,
        "hasMoreBefore": hit.passage.has_more_before,
        "hasMoreAfter": hit.passage.has_more_after,
    })
}

fn part(part: &Mark<'_>) -> Value {
    json!({ "text": part.text, "isMatch": part.is_match })
}
