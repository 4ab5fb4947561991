//! Compares what became known late with what was read before it: an old conversation may be
//! imported after a newer one, and another store may send what it learned.
//!
//! A report ("OPS-77 is closed") says nothing until the task is known that it ends. The log is
//! walked once: where it makes a task known or opens it, the reports that were said later are read
//! again.
//!
//! Of two things that two stores learned, the store that learned what was said later compares them,
//! once it has received the other. So each pair is compared once, whoever sends first.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::learn::entries;
use crate::learn::pipeline::{self, IngestOptions, Reader, changes};
use crate::learn::speaker::speaker_of;
use crate::learn::task_times;
use crate::learn::unread::readable;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{EventId, EventRef};
use crate::model::time::Timestamp;
use crate::projection::rows::{self, Cursor, payload};
use crate::projection::{self, history, tasks};
use crate::recall::learned::quoted;
use crate::rules::entries::EntryId;
use crate::rules::statements::answer::{OpenTask, TaskTimes, Told, answer};
use crate::rules::statements::{self, RULES_MODEL};
use crate::rules::tasks::keys::{DEFAULT_PROJECT, normalize_identity};
use crate::rules::tasks::{EntityId, TaskEvent};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;
use crate::text::fence::recalled_spans;
use crate::write::pauses::PauseKeys;

/// The row in [`RowKind::Cursor`](crate::store::projected_rows::projected::RowKind::Cursor) that
/// says how far the log was walked.
const CURSOR: &[u8] = b"late";
/// The maximum number of reports of a project that are read again because of what one walk found.
const MAX_REPORTS: usize = 2_000;
/// How many received entries one transaction compares.
const ENTRIES_AT_ONCE: usize = 64;

/// Walks on by at most so many records, and compares what they made known. True if it stopped
/// before the end.
pub(super) fn compare_step(engine: &Engine, most: u64) -> Result<bool> {
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    let at = cursor(&read.projected()?)?.min(last);
    let to = last.min(at.saturating_add(most));
    if to == at {
        return Ok(false);
    }
    let (changed, received) = made_known(&read, at, to)?;
    let asked = opened(&read, changed)?;
    drop(read);
    for (project, tasks) in &asked {
        end_tasks(engine, project, tasks, to)?;
    }
    for some in received.chunks(ENTRIES_AT_ONCE) {
        compare_received(engine, some)?;
    }
    engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        // Another process may have walked further.
        let now = cursor(&rows)?;
        rows::put(&mut rows, CURSOR, &Cursor::at(now.max(to)))?;
        rows.finish(i64::MIN)
    })?;
    Ok(to < last)
}

fn cursor(rows: &dyn Rows) -> Result<u64> {
    let cursor: Option<Cursor> = rows::get(rows, CURSOR)?;
    Ok(cursor.map_or(0, |cursor| cursor.0.unsigned_abs()))
}

/// The open tasks of a project by identity, and since when nothing was said of each.
type Asked = BTreeMap<String, Timestamp>;

/// The tasks that a part of the log made known or changed, and the entries that other stores sent in
/// it.
fn made_known(read: &ReadTx, at: u64, to: u64) -> Result<(BTreeSet<EntityId>, Vec<EntryId>)> {
    let (mut changed, mut received) = (BTreeSet::new(), Vec::new());
    for seq in at + 1..=to {
        let act = readable(
            || match read.with_record(seq, |record| Ok(record.kind()))? {
                Some(kind) if task_times::is_change(kind) => read.event_at(seq),
                Some(EventKind::EntryChanged) if read.is_foreign(seq)? => read.event_at(seq),
                _ => Ok(None),
            },
        )?;
        let Some(act) = act else { continue };
        if act.kind != EventKind::EntryChanged {
            let act = TaskEvent::from_json(act.kind, &act.session, &payload(&act));
            changed.extend(act.ok().map(|act| act.subject().clone()));
        } else if let Some(id) = projection::entries::created_id(&act) {
            received.push(id);
        }
    }
    Ok((changed, received))
}

/// Those of some tasks that are open, by project.
fn opened(read: &ReadTx, changed: BTreeSet<EntityId>) -> Result<BTreeMap<String, Asked>> {
    let rows = read.projected()?;
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    for id in changed {
        if let Some(task) = tasks::task(&rows, &id)?
            && task.status().is_open()
            && quoted::is_task_live(read, &rows, &id)?
        {
            let since = task_times::changed_at(read, &rows, &task)?;
            let of_project = asked.entry(task.project).or_default();
            let latest = of_project.entry(normalize_identity(&task.title));
            let latest = latest.or_insert(since);
            *latest = since.max(*latest);
        }
    }
    Ok(asked)
}

/// Reads again the reports of a project that were said after tasks of it were asked for.
fn end_tasks(engine: &Engine, project: &str, asked: &Asked, known: u64) -> Result<()> {
    let Some(&since) = asked.values().min() else {
        return Ok(());
    };
    let read = engine.store.read()?;
    let rows = read.projected()?;
    // Tasks without a project belong to the one of this name.
    let unnamed = (project == DEFAULT_PROJECT).then_some("");
    let mut reports: Vec<(&str, EventId)> = Vec::new();
    for of in unnamed.into_iter().chain([project]) {
        let most = reports.len() + MAX_REPORTS;
        history::reports_after(&rows, of, since, &mut |id| {
            reports.extend(id.parse().ok().map(|id| (of, id)));
            Ok(reports.len() < most)
        })?;
    }
    drop(read);
    let mut open = None;
    for (of, id) in reports {
        let now = match open.take() {
            Some(now) => now,
            None => Open::now(engine, project, asked)?,
        };
        if !read_again(engine, (of, &id), &now, asked, known)? {
            open = Some(now);
        }
    }
    Ok(())
}

/// Compares entries that were received with what this store learned.
fn compare_received(engine: &Engine, received: &[EntryId]) -> Result<()> {
    engine.store.write(|tx| {
        let changes = {
            let rows = tx.projected()?;
            let mut recorded = Vec::with_capacity(received.len());
            for id in received {
                if let Some(row) = projection::entries::entry(&rows, id)?
                    && PauseKeys::with_secret(tx.secret(), None, &row.project)
                        .paused(&rows)?
                        .is_none()
                {
                    recorded.push(id.clone());
                }
            }
            changes::of_received(tx, &rows, &recorded)?
        };
        changes::replace_each(changes.replaced, |older, newer| {
            let drafts = entries::replacement_if_free(engine, &tx.projected()?, older, newer)?;
            projection::append(tx, &drafts)?;
            Ok(!drafts.is_empty())
        })?;
        for (older, newer) in &changes.disagree {
            let drafts = entries::conflict_if_new(engine, &tx.projected()?, older, newer)?;
            projection::append(tx, &drafts)?;
        }
        engine.learned_index.flush_if_long(tx)
    })
}

/// The open tasks of a project, and when they were asked for.
struct Open {
    tasks: Vec<OpenTask>,
    times: TaskTimes,
}

impl Open {
    fn now(engine: &Engine, project: &str, asked: &Asked) -> Result<Self> {
        let read = engine.store.read()?;
        let mut times = TaskTimes::default();
        task_times::asked(&read, project, &mut times)?;
        for (title, since) in asked {
            times.asks(title, *since);
        }
        Ok(Open {
            tasks: task_times::open_tasks(&read, project)?,
            times,
        })
    }
}

/// Reads a report of a project again. True if it changed one of the tasks that were asked for.
fn read_again(
    engine: &Engine,
    (project, id): (&str, &EventId),
    open: &Open,
    asked: &Asked,
    known: u64,
) -> Result<bool> {
    let read = engine.store.read()?;
    let Some(event) = readable(|| read.event(&EventRef::Id(*id)))? else {
        return Ok(false);
    };
    let Some(found) = ended_by(&read, &event, open, asked) else {
        return Ok(false);
    };
    drop(read);
    let options = IngestOptions {
        extractor_model: RULES_MODEL.to_owned(),
        messages: vec![event.id],
        project: Some(project.to_owned()),
        ..IngestOptions::default()
    };
    let reader = Reader::Again { known };
    let found = found.to_string();
    let (session, compared) = (&event.session, Rc::default());
    match pipeline::ingest_unless_paused(engine, session, &found, &options, reader, &compared) {
        Ok(_) => Ok(true),
        // The privacy filter left nothing of a title, or the session was erased meanwhile.
        Err(error)
            if matches!(
                error.code(),
                ErrorCode::InvalidArgument | ErrorCode::NotFound
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// What a message says of the tasks that were asked for before it, as an answer of a model; `None`
/// if that is nothing.
fn ended_by(read: &ReadTx, event: &Event, open: &Open, asked: &Asked) -> Option<Value> {
    let (text, said) = (event.content.as_str(), event.timestamp);
    let hidden = recalled_spans(read.secret(), text);
    let found = statements::find(text, speaker_of(event)?, &hidden).into_iter();
    let reports = found.filter(|finding| finding.kind.is_report());
    let told: Vec<Told<'_>> = reports
        .map(|finding| Told {
            message_index: 0,
            said,
            text,
            finding,
            question: None,
        })
        .collect();
    let mut found = answer(&told, &open.tasks, open.times.clone());
    // What it says of others was found when it was read first.
    found["entries"] = json!([]);
    let tasks = found["tasks"].as_array_mut()?;
    tasks.retain(|task| {
        let title = task["title"].as_str().map(normalize_identity);
        let since = title.and_then(|title| asked.get(&title));
        since.is_some_and(|since| *since < said)
    });
    (!tasks.is_empty()).then_some(found)
}
