//! Tells whether the events that an entry or a task quotes still exist: what rests on a
//! forgotten event is returned by no search and given to no model. The listings keep it until
//! it is erased.

use std::collections::BTreeSet;

use crate::model::error::{ErrorCode, Result};
use crate::model::ids::{EventId, EventRef};
use crate::model::time::Timestamp;
use crate::projection::edges::{self, Way};
use crate::projection::tasks;
use crate::rules::entries::LearnedEntry;
use crate::rules::graph::{Edge, Relation};
use crate::rules::tasks::{EntityId, Task, TaskStatus, keys};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;

/// The maximum number of quotes looked up for a task.
const MAX_QUOTES: usize = 100;

/// Whether every event that the entry quotes is live.
pub(crate) fn is_entry_live(read: &ReadTx, row: &LearnedEntry) -> Result<bool> {
    all_live(read, row.quoted_events())
}

/// Whether an entry was known at a moment: it says itself since when it is valid, or it had
/// been said or recorded by then.
pub(crate) fn was_known_at(read: &ReadTx, row: &LearnedEntry, at: Timestamp) -> Result<bool> {
    if row.entry.valid_from().is_some() || row.created_at <= at {
        return Ok(true);
    }
    any_said(read, row.quoted_events(), &|said| said <= at)
}

/// Whether one of these events is there, and of a time that fits.
pub(super) fn any_said<'a>(
    read: &ReadTx,
    ids: impl IntoIterator<Item = &'a str>,
    fits: &dyn Fn(Timestamp) -> bool,
) -> Result<bool> {
    for id in ids {
        let Ok(id) = id.parse::<EventId>() else {
            continue;
        };
        match read.event(&EventRef::Id(id)) {
            Ok(Some(event)) if fits(event.timestamp) => return Ok(true),
            Ok(_) => {}
            // A damaged record proves nothing; check reports it.
            Err(error) if error.code() == ErrorCode::Corrupt => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// The edges from the events that a task quotes, newest first.
pub(crate) fn quotes_of(rows: &dyn Rows, id: &EntityId) -> Result<Vec<Edge>> {
    let (way, relation) = (Way::In, Some(Relation::SourceOf));
    edges::at_node(rows, way, id.as_str(), relation, None, MAX_QUOTES)
}

/// Whether every event that the task quotes is live.
pub(crate) fn is_task_live(read: &ReadTx, rows: &dyn Rows, id: &EntityId) -> Result<bool> {
    let quotes = quotes_of(rows, id)?;
    all_live(read, quotes.iter().map(|edge| edge.ends.source_id.as_str()))
}

/// Passes the open tasks of a project whose quotes are live to `each`, blocked ones first, until
/// it returns false. Of several with one title, which stores recorded before they shared, the first
/// one is passed.
pub(crate) fn open_tasks(
    read: &ReadTx,
    project: &str,
    each: &mut dyn FnMut(Task) -> bool,
) -> Result<()> {
    let rows = read.projected()?;
    let (mut goes_on, mut keys) = (true, BTreeSet::new());
    for status in [
        TaskStatus::Blocked,
        TaskStatus::InProgress,
        TaskStatus::Pending,
    ] {
        if !goes_on {
            break;
        }
        let project = Some(keys::or_default(project));
        tasks::by_status(&rows, project, status, &mut |task| {
            if is_task_live(read, &rows, &task.id)? && keys.insert(task.canonical_key.clone()) {
                goes_on = each(task);
            }
            Ok(goes_on)
        })?;
    }
    Ok(())
}

fn all_live<'i>(read: &ReadTx, ids: impl Iterator<Item = &'i str>) -> Result<bool> {
    for id in ids {
        let Ok(id) = id.parse::<EventId>() else {
            return Ok(false);
        };
        match read.guard(&EventRef::Id(id)) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            // A damaged record proves nothing; check reports it.
            Err(error) if error.code() == ErrorCode::Corrupt => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
