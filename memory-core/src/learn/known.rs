//! Lists what is known of a project for a model that reads its conversations: a line each, and for an
//! entry the id by which an answer may refer to it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::learn::namesakes;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::projection::entries::{self, Group};
use crate::projection::tasks;
use crate::recall::asked::present::Present;
use crate::recall::learned::entries::state_now;
use crate::recall::learned::quoted;
use crate::rules::entries::{EntryId, EntryStatus, LearnedEntry};
use crate::rules::tasks::{Task, TaskStatus, keys};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Projected;
use crate::text::show::harmless_line;
use crate::text::tokens::{cut_utf16, estimate_tokens};

/// The maximum number of tasks listed, and that of entries.
const MAX_EACH: usize = 20;
/// The maximum number of finished tasks listed.
const MAX_FINISHED: usize = 10;
/// The maximum number of entries listed because they share words with the messages.
const MAX_ABOUT: usize = 10;
/// How many of the newest entries are looked at: most may have been replaced.
const MAX_LOOKED_AT: usize = 500;
/// How much of the messages is compared with what is known, in UTF-16 units.
const MAX_COMPARED: usize = 4_000;
/// The maximum length of what is listed of an entry, in UTF-16 units.
const MAX_SHOWN: usize = 240;

/// What is known of a project, without what quotes a forgotten message: its open tasks, those that
/// were finished last, the entries that share words with some messages, and the newest ones.
pub(super) fn known(
    engine: &Engine,
    read: &ReadTx,
    (project, messages): (&str, &str),
    tokens_left: usize,
) -> Result<String> {
    let rows = read.projected()?;
    let mut list = List {
        text: String::new(),
        left: MAX_EACH,
        tokens_left,
    };
    quoted::open_tasks(read, project, &mut |task| list.add(&task_line(&task)))?;
    for task in finished_tasks(read, &rows, project)? {
        list.add(&task_line(&task));
    }
    let now = engine.store.clock().now();
    let current = Current {
        read,
        rows: &rows,
        present: Present::at(now),
        now,
        project,
    };
    let (mut named, mut about) = (BTreeSet::new(), Vec::new());
    let words = cut_utf16(messages, MAX_COMPARED);
    for id in namesakes::candidates(engine, read, &rows, words)? {
        if about.len() < MAX_ABOUT {
            about.extend(current.entry(&id)?);
        }
    }
    list.left = MAX_EACH;
    for row in about {
        if list.add(&entry_line(&row)) {
            named.insert(row.entry.id);
        }
    }
    let mut looked_at = 0;
    entries::newest(read, &rows, Group::OfProject(project), &mut |row| {
        looked_at += 1;
        let is_listed = !named.contains(&row.entry.id) && current.has(&row)?;
        let has_place = !is_listed || list.add(&entry_line(&row));
        Ok(has_place && looked_at < MAX_LOOKED_AT)
    })?;
    Ok(match list.text.is_empty() {
        true => list.text,
        false => format!("Known already\n\n{}\n", list.text),
    })
}

/// Lines within a budget.
struct List {
    text: String,
    /// How many lines may be added.
    left: usize,
    tokens_left: usize,
}

impl List {
    /// False if the line does not fit.
    fn add(&mut self, line: &str) -> bool {
        let tokens = estimate_tokens(&self.text) + estimate_tokens(line);
        let fits = self.left > 0 && tokens <= self.tokens_left;
        if fits {
            self.text.push_str(line);
            self.left -= 1;
        }
        fits
    }
}

/// The entries of a project that count now.
struct Current<'a> {
    read: &'a ReadTx,
    rows: &'a Projected,
    present: Present,
    now: Timestamp,
    project: &'a str,
}

impl Current<'_> {
    /// The entry with this id, if it counts.
    fn entry(&self, id: &EntryId) -> Result<Option<LearnedEntry>> {
        let Some(row) = entries::entry(self.rows, id)? else {
            return Ok(None);
        };
        let has = row.project == self.project && self.has(&row)?;
        Ok(has.then_some(row))
    }

    /// Whether an entry is or will be in force, contested or not, and nothing that it quotes was
    /// forgotten.
    fn has(&self, row: &LearnedEntry) -> Result<bool> {
        let counts = match state_now(self.read, self.rows, &row.entry, &self.present)? {
            Some((state, _)) => state.is_current(),
            // It will be.
            None => {
                row.entry.status == EntryStatus::Active && row.entry.valid_from() > Some(self.now)
            }
        };
        Ok(counts && quoted::is_entry_live(self.read, row)?)
    }
}

/// The tasks of a project that were finished or given up last and whose quotes are live.
fn finished_tasks(read: &ReadTx, rows: &Projected, project: &str) -> Result<Vec<Task>> {
    let mut finished = Vec::new();
    for status in [TaskStatus::Done, TaskStatus::Cancelled] {
        let (project, mut left) = (Some(keys::or_default(project)), MAX_FINISHED);
        tasks::by_status(rows, project, status, &mut |task| {
            left -= 1;
            if quoted::is_task_live(read, rows, &task.id)? {
                finished.push(task);
            }
            Ok(left > 0)
        })?;
    }
    finished.sort_by_key(|task| Reverse(task.updated_at));
    finished.truncate(MAX_FINISHED);
    Ok(finished)
}

fn task_line(task: &Task) -> String {
    let title = harmless_line(&task.title);
    format!("> task, {}: {title}\n", task.status())
}

/// An entry with the id by which an answer may refer to it.
fn entry_line(row: &LearnedEntry) -> String {
    let entry = &row.entry;
    let (title, content) = (harmless_line(&entry.title), harmless_line(&row.content));
    let says = match content.starts_with(title.trim_end_matches('.')) {
        true => content.into_owned(),
        false => format!("{title}: {content}"),
    };
    let title_length = title.encode_utf16().count();
    let shown = cut_utf16(&says, MAX_SHOWN.max(title_length));
    let rest = if shown.len() < says.len() { "…" } else { "" };
    let (id, kind) = (entry.id.short(), entry.entry_type);
    format!("> {id}, {kind}: {shown}{rest}\n")
}
