//! Tells when it was said that a task is to be done, or that it is finished: what is imported late
//! may be older than what is known.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::learn::unread::readable;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::{EventId, EventRef};
use crate::model::time::Timestamp;
use crate::projection::rows::payload;
use crate::projection::tasks;
use crate::recall::learned::quoted;
use crate::rules::statements::answer::{OpenTask, TaskTimes};
use crate::rules::tasks::keys::{normalize_identity, or_default};
use crate::rules::tasks::{EntityId, Task, TaskStatus};
use crate::store::projected_rows::projected::{Projected, Rows};
use crate::store::{ReadTx, WriteTx};

/// The maximum number of open tasks that a resolution is compared with.
const MAX_OPEN_TASKS: usize = 500;
/// The maximum number of finished tasks that a message written before that is compared with.
const MAX_FINISHED_TASKS: usize = 5_000;
/// How many of the last acts on a task are looked at.
const MAX_ACTS: usize = 100;

/// The open tasks of a project.
pub(super) fn open_tasks(read: &ReadTx, project: &str) -> Result<Vec<OpenTask>> {
    let mut open = Vec::new();
    quoted::open_tasks(read, project, &mut |task| {
        open.push(OpenTask {
            blockers: task.blockers().iter().map(|b| b.raw_text.clone()).collect(),
            title: task.title,
        });
        open.len() < MAX_OPEN_TASKS
    })?;
    Ok(open)
}

/// When the open tasks of a project were last asked for. Those that nobody said are as old as
/// their record.
pub(super) fn asked(read: &ReadTx, project: &str, times: &mut TaskTimes) -> Result<()> {
    let rows = read.projected()?;
    let mut open: Vec<Task> = Vec::new();
    quoted::open_tasks(read, project, &mut |task| {
        open.push(task);
        open.len() < MAX_OPEN_TASKS
    })?;
    for task in open {
        times.asks(&task.title, asked_at(read, &rows, &task)?);
    }
    Ok(())
}

/// When a task was last asked for.
fn asked_at(read: &ReadTx, rows: &dyn Rows, task: &Task) -> Result<Timestamp> {
    let quotes = quoted::quotes_of(rows, &task.id)?;
    let said = last_said(read, quotes.iter().map(|edge| edge.ends.source_id.as_str()))?;
    Ok(said.unwrap_or(task.created_at))
}

/// When the last thing was said that was done to a task: it was asked for, or its status or its
/// blockers changed. What nobody said was when it was recorded.
pub(super) fn changed_at(read: &ReadTx, rows: &Projected, task: &Task) -> Result<Timestamp> {
    let mut last = asked_at(read, rows, task)?;
    for act in tasks::latest_acts(rows, task.id.as_str(), MAX_ACTS)? {
        let Some(event) = readable(|| read.event_at(act))? else {
            continue;
        };
        if is_change(event.kind) {
            last = last.max(said_by_act(read, act)?.unwrap_or(event.timestamp));
        }
    }
    Ok(last)
}

/// Whether an act of this kind changes the status or the blockers of a task.
pub(super) fn is_change(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskCreated | EventKind::TaskStatusChanged | EventKind::TaskBlockersSet
    )
}

/// When those of some tasks were finished whose end was recorded at a moment or later; they are given
/// by identity.
pub(super) fn finished(
    read: &ReadTx,
    project: &str,
    since: Timestamp,
    among: &BTreeSet<String>,
    times: &mut TaskTimes,
) -> Result<()> {
    let rows = read.projected()?;
    let (mut over, mut looked_at) = (Vec::new(), 0);
    for status in [TaskStatus::Done, TaskStatus::Cancelled] {
        let project = Some(or_default(project));
        tasks::by_status(&rows, project, status, &mut |task| {
            let is_since = task.updated_at >= since;
            looked_at += usize::from(is_since);
            if is_since && among.contains(&normalize_identity(&task.title)) {
                over.push(task);
            }
            Ok(is_since && looked_at < MAX_FINISHED_TASKS)
        })?;
    }
    for task in over {
        let said = match tasks::latest_acts(&rows, task.id.as_str(), 1)?.first() {
            Some(&act) => said_by_act(read, act)?,
            None => None,
        };
        times.finishes(&task.title, said.unwrap_or(task.updated_at));
    }
    Ok(())
}

/// When the messages were said on which an act rests; `None` if it rests on none.
fn said_by_act(read: &ReadTx, act: u64) -> Result<Option<Timestamp>> {
    let Some(act) = readable(|| read.event_at(act))? else {
        return Ok(None);
    };
    let value = payload(&act).to_value();
    let sources = value["source_events"].as_array().into_iter().flatten();
    last_said(read, sources.filter_map(Value::as_str))
}

/// When what changed the status or the blockers of a task last, up to a position of the log, was said,
/// as a transaction sees it; what nobody said was when it was recorded.
pub(super) fn last_change(
    tx: &WriteTx<'_>,
    rows: &dyn Rows,
    (id, up_to): (&EntityId, u64),
) -> Result<Option<Timestamp>> {
    let acts = tasks::history(rows, id.as_str())?;
    for seq in acts.into_iter().rev().filter(|seq| *seq <= up_to) {
        let Some(act) = readable(|| tx.event_at(seq))? else {
            continue;
        };
        if is_change(act.kind) {
            let value = payload(&act).to_value();
            let sources = value["source_events"].as_array().into_iter().flatten();
            let said = last_said_in(tx, sources.filter_map(Value::as_str))?;
            return Ok(Some(said.unwrap_or(act.timestamp)));
        }
    }
    Ok(None)
}

/// When the last of some messages was said, as a transaction sees it.
pub(super) fn last_said_in<'i>(
    tx: &WriteTx<'_>,
    ids: impl Iterator<Item = &'i str>,
) -> Result<Option<Timestamp>> {
    let mut last = None;
    for id in ids {
        let Ok(id) = id.parse::<EventId>() else {
            continue;
        };
        if let Some(seq) = tx.seq_of_id(&id)? {
            let event = readable(|| tx.event_at(seq))?;
            last = last.max(event.map(|event| event.timestamp));
        }
    }
    Ok(last)
}

/// When the last of some messages was said.
fn last_said<'i>(read: &ReadTx, ids: impl Iterator<Item = &'i str>) -> Result<Option<Timestamp>> {
    let mut last = None;
    for id in ids {
        let Ok(id) = id.parse::<EventId>() else {
            continue;
        };
        let said = readable(|| match read.guard(&EventRef::Id(id))? {
            Some(guard) => Ok(Some(guard.view()?.timestamp())),
            None => Ok(None),
        })?;
        last = last.max(said);
    }
    Ok(last)
}
