//! Finds what became of what was learned from an event: events that teach nothing that holds now
//! count less in recall, and a context says why.

use std::collections::BTreeSet;

use crate::model::error::{ErrorCode, Result, unless_damaged};
use crate::model::event::Event;
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::learned::LearnedState;
use crate::model::time::Timestamp;
use crate::projection::edges::{self, Way};
use crate::projection::entries;
use crate::projection::rows::payload;
use crate::projection::tasks;
use crate::recall::asked::present::Present;
use crate::recall::learned::entries::{current_successor, state_now};
use crate::recall::learned::quoted;
use crate::recall::learned::tasks::state_of;
use crate::rules::entries::{EntryId, LearnedEntry};
use crate::rules::graph::{NodeType, Relation};
use crate::rules::tasks::events::TaskPayload;
use crate::rules::tasks::{EntityId, TaskEvent, TaskStatus};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{Projected, RowKind, Rows};

/// How many entries and tasks of one event are examined.
const MAX_LEARNED: usize = 100;

/// How many of the latest acts on a task are examined.
const MAX_ACTS: usize = 64;

/// What became of what was learned from an event if none of it holds now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LessonStatus {
    /// Contested, superseded, done or cancelled; the present status of a task that is not blocked
    /// any more.
    pub(crate) state: LearnedState,
    /// The event that says so, if one does.
    pub(crate) by: Option<(Seq, CitationId)>,
}

/// The status of each event, given by position and time. `None` if nothing was ever learned,
/// which takes two lookups.
pub(crate) fn lesson_statuses(
    read: &ReadTx,
    events: impl Iterator<Item = (u64, Timestamp)>,
    present: &Present,
) -> Result<Option<Vec<Option<LessonStatus>>>> {
    let rows = read.projected()?;
    if !has_learned(&rows)? {
        return Ok(None);
    }
    let status = |seq, at| -> Result<Option<LessonStatus>> {
        let id = read.with_record(seq, |view| Ok(EventId::from_bytes(view.archive()?.id)))?;
        match id {
            Some(id) => lesson_status_of(read, &rows, (&id, at), present),
            None => Ok(None),
        }
    };
    events
        .map(|(seq, at)| match status(seq, at) {
            // A damaged hit is dropped when it is read; what was learned from it may be damaged,
            // too.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
            status => status,
        })
        .collect::<Result<_>>()
        .map(Some)
}

/// Whether the store has entries or tasks.
pub(crate) fn has_learned(rows: &dyn Rows) -> Result<bool> {
    Ok(rows.facts(RowKind::Entry)?.rows > 0 || rows.facts(RowKind::Task)?.rows > 0)
}

/// What became of what was learned from an event. `None` if nothing was learned from it or some of
/// it holds.
pub(crate) fn lesson_status_of(
    read: &ReadTx,
    rows: &Projected,
    (id, at): (&EventId, Timestamp),
    present: &Present,
) -> Result<Option<LessonStatus>> {
    let id = id.to_string();
    let relation = Some(Relation::SourceOf);
    let learned = edges::at_node(rows, Way::Out, &id, relation, None, MAX_LEARNED)?;
    let mut found: Option<LessonStatus> = None;
    for edge in learned {
        let learned = edge.ends.destination_id;
        let lesson = match edge.ends.destination_type {
            NodeType::Entry => of_entry(read, rows, &EntryId::new(learned), present)?,
            _ => of_task(read, rows, &EntityId::new(learned), (&id, at))?,
        };
        match lesson {
            Lesson::Gone => {}
            Lesson::Holds => return Ok(None),
            Lesson::Over(status) => {
                // What is contested may yet hold.
                let is_worse = found
                    .as_ref()
                    .is_some_and(|known| known.state == LearnedState::Contested);
                if !is_worse && (found.is_none() || status.state == LearnedState::Contested) {
                    found = Some(status);
                }
            }
        }
    }
    Ok(found)
}

/// One thing that was learned from an event.
enum Lesson {
    /// It is not shown: it was withdrawn, has expired, or rests on a forgotten event.
    Gone,
    Holds,
    Over(LessonStatus),
}

fn of_entry(read: &ReadTx, rows: &dyn Rows, id: &EntryId, present: &Present) -> Result<Lesson> {
    let Some(row) = entries::entry(rows, id)? else {
        return Ok(Lesson::Gone);
    };
    let (state, other) = match state_now(read, rows, &row.entry, present)? {
        None => return Ok(Lesson::Gone),
        Some((LearnedState::Superseded, _)) => {
            (LearnedState::Superseded, current_successor(rows, id)?)
        }
        Some((LearnedState::Contested, _)) => (LearnedState::Contested, None),
        Some(_) => return Ok(Lesson::Holds),
    };
    let by = match other {
        Some(other) => first_live(read, quotes(&other))?,
        None => None,
    };
    Ok(Lesson::Over(LessonStatus {
        state,
        by: by.map(|event| (event.seq, event.citation)),
    }))
}

fn quotes(row: &LearnedEntry) -> impl Iterator<Item = &str> {
    row.quoted_events()
}

/// A task holds for an event until others say that it is finished, or that it waits no longer for
/// what this one named.
fn of_task(
    read: &ReadTx,
    rows: &Projected,
    id: &EntityId,
    (event, at): (&str, Timestamp),
) -> Result<Lesson> {
    let Some(task) = tasks::task(rows, id)? else {
        return Ok(Lesson::Gone);
    };
    if task.status() == TaskStatus::Blocked {
        return Ok(Lesson::Holds);
    }
    if !quoted::is_task_live(read, rows, id)? {
        return Ok(Lesson::Gone);
    }
    let is_finished = matches!(task.status(), TaskStatus::Done | TaskStatus::Cancelled);
    // A record that came late from another store may be an earlier one.
    let acts = match read.may_be_reordered()? {
        true => read.in_record_order(tasks::history(rows, id.as_str())?)?,
        false => tasks::latest_acts(rows, id.as_str(), MAX_ACTS)?,
    };
    // The latest change of its status, and whether this event has blocked it before.
    let mut latest: Option<(Event, BTreeSet<String>)> = None;
    let mut has_blocked = false;
    for seq in acts.into_iter().rev().take(MAX_ACTS) {
        let Some(act) = read.event_at(seq)? else {
            continue;
        };
        let Ok(known) = TaskEvent::from_json(act.kind, &act.session, &payload(&act)) else {
            continue;
        };
        let TaskPayload::StatusChanged { to, .. } = known.payload else {
            continue;
        };
        let sources = sources_of(&act);
        let is_own = sources.contains(event);
        match &latest {
            None if is_own => return Ok(Lesson::Holds),
            None => latest = Some((act, sources)),
            Some(_) => has_blocked |= is_own && to.status() == TaskStatus::Blocked,
        }
        if is_finished || has_blocked {
            break;
        }
    }
    let Some((act, sources)) = latest.filter(|_| is_finished || has_blocked) else {
        return Ok(Lesson::Holds);
    };
    let by = first_live(read, sources.iter().map(String::as_str))?;
    // What was said after that is not about the past.
    let over_at = by.as_ref().map_or(act.timestamp, |event| event.timestamp);
    if at > over_at {
        return Ok(Lesson::Holds);
    }
    Ok(Lesson::Over(LessonStatus {
        state: state_of(task.status()),
        by: by.map(|event| (event.seq, event.citation)),
    }))
}

/// The messages on which an act rests.
fn sources_of(act: &Event) -> BTreeSet<String> {
    let value = payload(act).to_value();
    let sources = value["source_events"].as_array().into_iter().flatten();
    sources
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect()
}

/// The first of these events that is there.
fn first_live<'i>(read: &ReadTx, ids: impl Iterator<Item = &'i str>) -> Result<Option<Event>> {
    for id in ids {
        let Ok(id) = id.parse::<EventId>() else {
            continue;
        };
        // A damaged record proves nothing; check reports it.
        if let Some(event) = unless_damaged(read.event(&EventRef::Id(id)))? {
            return Ok(Some(event));
        }
    }
    Ok(None)
}
