//! What endless mode gives to an agent, and what state it is in.

use std::collections::BTreeMap;

use super::consolidation::last_consolidation;
use super::continuity::recent_score;
use super::settings::config;
use crate::engine::Engine;
use crate::engine::accesses::GivenEvent;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::EventId;
use crate::model::lists::{LIST_LIMIT, first_rows};
use crate::model::query::{MAX_SEARCH_LIMIT, Query};
use crate::model::time::Timestamp;
use crate::projection::endless as rows_of;
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::learned::memories::matching_memories;
use crate::recall::ranking::retrieve;
use crate::rules::endless::config::EndlessConfig;
use crate::rules::endless::{
    ConsolidatedMemory, ContextSnapshot, MemoryMode, select_consolidated, select_working_set,
};
use crate::rules::relevance;
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{RowKind, Rows};

/// The current state of the endless mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessStatus {
    /// The mode in force.
    pub mode: MemoryMode,
    /// The limits in force.
    pub config: EndlessConfig,
    /// The number of events in the working set.
    pub working_set: usize,
    /// The id of the working set, which events of the endless mode have as `workingSetId`
    /// in their metadata; `None` if the mode was never on.
    pub working_set_id: Option<String>,
    /// When an event was last added to the working set.
    pub last_activity: Option<Timestamp>,
    /// The topics of the working set, most frequent first.
    pub active_topics: Vec<String>,
    /// The files mentioned in the last context.
    pub active_files: Vec<String>,
    /// The entities mentioned in the last context.
    pub active_entities: Vec<String>,
    /// The average continuity of the last hour, from 0 to 1; 0.5 if none was scored.
    pub continuity_score: f64,
    /// The number of consolidated memories.
    pub consolidated: u64,
    /// When the last consolidation took place.
    pub last_consolidation: Option<Timestamp>,
}

/// What to give to an agent in the endless mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessContext {
    /// Events of the working set, most relevant first.
    pub working_set: Vec<Event>,
    /// Consolidated memories, highest confidence first.
    pub consolidated: Vec<ConsolidatedMemory>,
    /// The average continuity of the last hour, from 0 to 1; 0.5 if none was scored.
    pub continuity_score: f64,
}

/// [`Endless::status`](crate::Endless::status).
pub(crate) fn status(engine: &Engine) -> Result<EndlessStatus> {
    let now = engine.store.clock().now();
    let config = config(engine)?;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let set = rows_of::working_set(&rows, now)?;
    let context: ContextSnapshot = rows_of::setting(&rows, rows_of::CONTEXT)?.unwrap_or_default();
    Ok(EndlessStatus {
        mode: rows_of::mode(&rows)?,
        config,
        working_set: set.items().len(),
        working_set_id: rows_of::working_set_id(&rows)?,
        last_activity: set.last_activity(),
        active_topics: set.active_topics(),
        active_files: context.files,
        active_entities: context.entities,
        continuity_score: recent_score(&read, &rows, now)?,
        consolidated: rows.facts(RowKind::Consolidated)?.rows,
        last_consolidation: last_consolidation(&rows)?,
    })
}

/// [`Endless::context`](crate::Endless::context).
pub(crate) fn context(engine: &Engine, query: Option<&str>) -> Result<EndlessContext> {
    let now = engine.store.clock().now();
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let policy = rows_of::config(&rows)?.injection;
    let query = asked(query);
    let events = events_to_give(engine, &read, (query, now))?;
    let scored = match query {
        Some(query) => matching_memories(engine, &read, query)?,
        None => {
            let surest = first_rows(Some(policy.max_memories), &mut |visit| {
                rows_of::surest_memories(&rows, visit)
            })?;
            let scored = surest.into_iter().map(|memory: ConsolidatedMemory| {
                let confidence = memory.confidence;
                (memory, confidence)
            });
            scored.collect()
        }
    };
    let consolidated = select_consolidated(&policy, scored);
    let continuity_score = recent_score(&read, &rows, now)?;
    for memory in &consolidated {
        engine.accesses.record_memory(&memory.memory_id, now);
    }
    for (event, relevance) in &events {
        let given = GivenEvent {
            seq: event.seq.0,
            session: event.session.as_str(),
            confidence: *relevance,
        };
        let erased = read.state()?.erased_events;
        engine.accesses.record_asked(given, now, erased);
    }
    Ok(EndlessContext {
        working_set: events.into_iter().map(|(event, _)| event).collect(),
        consolidated,
        continuity_score,
    })
}

/// The events of the working set to return, each with its relevance.
fn events_to_give(
    engine: &Engine,
    read: &ReadTx,
    (query, now): (Option<&str>, Timestamp),
) -> Result<Vec<(Event, f64)>> {
    let rows = read.projected()?;
    let policy = rows_of::config(&rows)?.injection;
    let items = rows_of::working_set(&rows, now)?.into_items();
    let mut events = BTreeMap::new();
    for item in &items {
        if let Ok(id) = item.event_id.parse::<EventId>()
            && let Some(event) = read.event(&id.into())?
        {
            events.insert(item.event_id.clone(), event);
        }
    }
    let from = events.values().map(|event| event.timestamp).min();
    let found = match query.zip(from) {
        Some((query, from)) => found_since(engine, query, from)?,
        None => BTreeMap::new(),
    };
    let given = select_working_set(&policy, items, &found);
    let given = given.into_iter().filter_map(|item| {
        let event = events.remove(&item.event_id)?;
        Some((event, item.relevance))
    });
    Ok(given.collect())
}

/// What a question finds among the events since a moment: relevance by event id.
fn found_since(engine: &Engine, query: &str, from: Timestamp) -> Result<BTreeMap<String, f64>> {
    let query = Query {
        project: ProjectScope::All,
        from: Some(from),
        limit: Some(MAX_SEARCH_LIMIT),
        learned: false,
        ..Query::new(query)
    };
    let found = retrieve::recall(engine, &PreparedQuery::of(engine, query)?)?;
    let sure = found
        .items
        .iter()
        .filter(|hit| hit.relevance >= relevance::NONE);
    Ok(sure
        .map(|hit| (hit.id.to_string(), f64::from(hit.relevance)))
        .collect())
}

/// [`Endless::memories`](crate::Endless::memories).
pub(crate) fn memories(
    engine: &Engine,
    text: Option<&str>,
    limit: Option<usize>,
) -> Result<Vec<ConsolidatedMemory>> {
    let read = engine.store.read()?;
    let Some(text) = asked(text) else {
        let rows = read.projected()?;
        return first_rows(limit, &mut |visit| rows_of::newest_memories(&rows, visit));
    };
    let matching = matching_memories(engine, &read, text)?;
    let matching = matching.into_iter().map(|(memory, _)| memory);
    Ok(matching.take(limit.unwrap_or(LIST_LIMIT)).collect())
}

/// What is asked, if anything is.
fn asked(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}
