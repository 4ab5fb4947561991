//! Plans the consolidation of the events that wait, and stores the memories it makes.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Engine;
use crate::learn::speaker::speaker_of;
use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::ids::EventId;
use crate::projection;
use crate::projection::endless::{self as rows_of, ConsolidatedPayload};
use crate::projection::rows;
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::endless::consolidate::{self, ConsolidationPlan, MemoryDraft, Said, TopicEvent};
use crate::store::WriteTx;
use crate::store::log::record::RecordView;
use crate::store::projected_rows::projected::{RowKind, Rows};
use crate::store::projected_rows::touches::Liveness as _;
use crate::text::fence::recalled_spans;
use crate::write::pauses::{PausedEvents, Sessions};
use crate::write::prepare::SystemEvent;

pub(super) fn plan_consolidation(tx: &WriteTx<'_>) -> Result<ConsolidationPlan> {
    let rows = tx.projected()?;
    let waiting = waiting_events(&rows, tx, &|id, look| match tx.seq_of_id(&id)? {
        Some(seq) if !tx.is_deleted(seq)? => Ok(tx.with_record(seq, look)?.flatten()),
        _ => Ok(None),
    })?;
    plan_of(&rows, &waiting)
}

/// The events to consolidate next.
#[derive(Default)]
pub(super) struct WaitingEvents {
    pub(super) by_project: BTreeMap<String, Vec<TopicEvent>>,
    /// Who said them, by id, as far as a person or the agent did.
    said: BTreeMap<String, Said>,
    /// The ids of the events for later.
    later: Vec<String>,
}

/// Plans the consolidation of these events; those for later wait.
pub(super) fn plan_of(rows: &dyn Rows, waiting: &WaitingEvents) -> Result<ConsolidationPlan> {
    let events = &waiting.by_project;
    let policy = rows_of::config(rows)?.consolidation;
    let mut consolidated = BTreeSet::new();
    for event in events.values().flatten() {
        if rows
            .get(RowKind::ConsolidatedEvent, event.event_id.as_bytes())?
            .is_some()
        {
            consolidated.insert(event.event_id.clone());
        }
    }
    let mut topics = BTreeSet::new();
    for memory in rows::all::<ConsolidatedMemory>(rows)? {
        topics.extend(memory.topics.into_iter().next());
    }
    let mut whole = ConsolidationPlan::default();
    // A memory of two projects would belong to neither, and be found in neither.
    for events in events.values() {
        let plan =
            consolidate::plan_knowing(&policy, events, &consolidated, &topics, &waiting.said);
        whole.memories.extend(plan.memories);
        whole.prune.extend(plan.prune);
        whole.waiting.extend(plan.waiting);
    }
    whole.waiting.extend(waiting.later.iter().cloned());
    Ok(whole)
}

/// For how many times what one project may give events are read.
const MAX_READ: usize = 4;

/// What may be read of an event's record.
type Look<'a> = &'a mut dyn FnMut(&RecordView<'_>) -> Result<Option<Event>>;

/// Looks at the record of an event; `None` of one that is gone.
type LiveRecord<'a> = &'a dyn Fn(EventId, Look<'_>) -> Result<Option<Event>>;

/// The events to consolidate next with their texts, the oldest that wait, and the ids of those for
/// later: one run takes as many of a project as the working set holds, or more if fewer could never
/// become a memory, and reads a few times as many. What is paused waits until it is resumed.
pub(super) fn waiting_events(
    rows: &dyn Rows,
    sessions: &dyn Sessions,
    live_record: LiveRecord<'_>,
) -> Result<WaitingEvents> {
    let secret = sessions.secret();
    let config = rows_of::config(rows)?;
    let policy = config.consolidation;
    let most = (config.working_set.max_events)
        .max(policy.min_events)
        .max(policy.trigger_event_count);
    let mut items = Vec::new();
    rows_of::unconsolidated(rows, &mut |_, item| {
        items.push(item);
        Ok(true)
    })?;
    let mut waiting = WaitingEvents::default();
    let mut paused = PausedEvents::new(rows, sessions)?;
    let mut left = MAX_READ * most;
    for item in items.into_iter().rev() {
        if left == 0 {
            waiting.later.push(item.event_id);
            continue;
        }
        let Ok(id) = item.event_id.parse::<EventId>() else {
            continue;
        };
        // The content of what is paused is not read, however much of it waits.
        let event = live_record(id, &mut |record| match paused.has_record(record)? {
            true => Ok(None),
            false => record.to_event().map(Some),
        })?;
        if let Some(event) = event {
            left -= 1;
            let speaker = speaker_of(&event);
            let of_project = waiting.by_project.entry(event.project).or_default();
            if of_project.len() == most {
                waiting.later.push(item.event_id);
                continue;
            }
            if let Some(speaker) = speaker {
                let recalled = recalled_spans(secret, &event.content);
                let said = Said { speaker, recalled };
                waiting.said.insert(item.event_id.clone(), said);
            }
            of_project.push(TopicEvent {
                event_id: item.event_id,
                timestamp: event.timestamp,
                topics: item.topics,
                content: event.content,
            });
        }
    }
    Ok(waiting)
}

/// How many of the events of a memory still wait for one.
pub(super) fn count_waiting(tx: &WriteTx<'_>, draft: &MemoryDraft) -> Result<usize> {
    let rows = tx.projected()?;
    let mut count = 0;
    for source in &draft.source_events {
        count += usize::from(is_waiting(tx, &rows, source)?);
    }
    Ok(count)
}

/// Whether an event is neither part of a memory nor gone.
fn is_waiting(tx: &WriteTx<'_>, rows: &dyn Rows, event: &str) -> Result<bool> {
    let is_taken = rows
        .get(RowKind::ConsolidatedEvent, event.as_bytes())?
        .is_some();
    let is_live = event.parse().map_or(Ok(false), |id| tx.is_live(&id))?;
    Ok(is_live && !is_taken)
}

/// Stores a memory unless another already contains one of its events, or one of them was
/// forgotten or erased while the host summarised them: the summary may quote it.
pub(super) fn store_memory(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    draft: &MemoryDraft,
    summary_event: Option<String>,
) -> Result<Option<String>> {
    let mut hasher = blake3::Hasher::new_keyed(&tx.derived_secret("recallite 2026 memory ids"));
    for part in draft.source_events.iter().chain([&draft.summary]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let memory_id = format!("memory_{}", &hasher.finalize().to_hex()[..32]);
    {
        let rows = tx.projected()?;
        if rows
            .get(RowKind::Consolidated, memory_id.as_bytes())?
            .is_some()
        {
            return Ok(None);
        }
        for source in &draft.source_events {
            if !is_waiting(tx, &rows, source)? {
                return Ok(None);
            }
        }
        // Recording may have been paused while the host summarised them.
        let mut paused = PausedEvents::new(&rows, &*tx)?;
        for id in draft.source_events.iter().chain(&summary_event) {
            let event = event_by_id(tx, id)?;
            if let Some(event) = event
                && paused.has(&event)?
            {
                return Ok(None);
            }
        }
    }
    let event = SystemEvent::new(
        engine,
        EventKind::Consolidated,
        format!("{} events became a memory", draft.source_events.len()),
        codec::to_value(&ConsolidatedPayload {
            memory_id: memory_id.clone(),
            summary: draft.summary.clone(),
            topics: draft.topics.clone(),
            source_events: draft.source_events.clone(),
            confidence: draft.confidence,
            is_continuation: draft.is_continuation,
            summary_event,
        }),
    )
    .draft(engine);
    projection::append(tx, &[event])?;
    Ok(Some(memory_id))
}

pub(super) fn event_by_id(tx: &WriteTx<'_>, id: &str) -> Result<Option<Event>> {
    let Ok(id) = id.parse::<EventId>() else {
        return Ok(None);
    };
    event(tx, id)
}

fn event(tx: &WriteTx<'_>, id: EventId) -> Result<Option<Event>> {
    match tx.seq_of_id(&id)? {
        Some(seq) => tx.event_at(seq),
        None => Ok(None),
    }
}
