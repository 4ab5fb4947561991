//! Adds what a question asks for by kind: "what is open?", "what did we finish?", "what did we
//! decide?".

use std::collections::HashMap;

use crate::engine::learned_index::LearnedRef;
use crate::model::error::Result;
use crate::model::learned::{LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::projection::entries as entry_rows;
use crate::projection::tasks as task_rows;
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::Evidence;
use crate::recall::learned::{tasks, weight};
use crate::rules::entries::{EntryId, LearnedEntry};
use crate::rules::tasks::TaskStatus;
use crate::store::index_tables::learned::LearnedRow;
use crate::store::projected_rows::projected::RowKind;

/// How many items are shown because a question asks for their kind.
const MAX_ASKED: usize = 10;

impl Finder<'_> {
    /// Adds the newest tasks that are asked for and pass the filters.
    pub(super) fn ask_for_tasks(
        &self,
        kinds: u64,
        listed: Option<&[LearnedRow]>,
        scored: &mut Vec<(LearnedRef, f32)>,
    ) -> Result<()> {
        if kinds & LearnedKind::Task.bit() == 0 || !self.asked.tasks() {
            return Ok(());
        }
        let mut newest = Vec::new();
        match listed {
            Some(listed) => {
                for row in listed.iter().filter(|row| row.row_kind == RowKind::Task) {
                    newest.extend(self.asked_task(&row.id)?);
                }
            }
            None => {
                for status in TaskStatus::ALL {
                    self.ask_for_tasks_of(*status, &mut newest)?;
                }
            }
        }
        newest.sort_by(|a, b| b.cmp(a));
        newest.truncate(self.most_asked());
        let ids = newest.into_iter().map(|(_, id)| id);
        add_asked(scored, LearnedKind::Task, ids);
        Ok(())
    }

    /// Adds the newest tasks that now have a status and are asked for.
    fn ask_for_tasks_of(
        &self,
        status: TaskStatus,
        newest: &mut Vec<(Timestamp, String)>,
    ) -> Result<()> {
        let as_of = self.query.as_of;
        let is_asked = self.is_asked_state(tasks::state_of(status));
        if as_of.is_none() && !is_asked {
            return Ok(());
        }
        let mut count = 0;
        task_rows::by_status(self.rows, None, status, &mut |task| {
            // What changed since may have had any status then.
            let has_changed = as_of.is_some_and(|at| task.updated_at > at);
            if !has_changed && !is_asked {
                return Ok(false);
            }
            let is_known = as_of.is_none_or(|at| task.created_at <= at);
            if is_known && let Some(found) = self.asked_task(task.id.as_str())? {
                newest.push(found);
                count += 1;
            }
            Ok(has_changed || count < self.most_asked())
        })
    }

    /// A task that has an asked status, now or as of the query's moment, and passes the
    /// filters, with the time of its latest change.
    fn asked_task(&self, id: &str) -> Result<Option<(Timestamp, String)>> {
        let Some(found) = self.task(id, weight::ASKED)? else {
            return Ok(None);
        };
        let at = found.hit.timestamp;
        let counts = self.is_asked_state(found.hit.state) && self.counts(&found.evidence, at)?;
        Ok(counts.then_some((at, found.hit.id)))
    }

    /// Whether a question for tasks asks for those in this state.
    pub(super) fn is_asked_state(&self, state: LearnedState) -> bool {
        let asked = self.asked;
        match state {
            LearnedState::Done => asked.finished_tasks,
            LearnedState::Blocked => asked.open_tasks || asked.blocked_tasks,
            _ => asked.open_tasks && state.is_current(),
        }
    }

    /// Adds the newest decisions or preferences that pass the filters, if the question asks for
    /// nothing else.
    pub(super) fn ask_for_entries(
        &self,
        kinds: u64,
        listed: Option<&[LearnedRow]>,
        scored: &mut Vec<(LearnedRef, f32)>,
    ) -> Result<()> {
        if kinds & LearnedKind::Entry.bit() == 0 {
            return Ok(());
        }
        let mut newest = Vec::new();
        if let Some(listed) = listed {
            let mut rows = Vec::new();
            for row in listed.iter().filter(|row| row.row_kind == RowKind::Entry) {
                rows.extend(entry_rows::entry(
                    self.rows,
                    &EntryId::new(row.id.as_str()),
                )?);
            }
            entry_rows::sort_newest(self.read, &mut rows)?;
            for row in rows {
                if newest.len() >= self.most_asked() {
                    break;
                }
                newest.extend(self.asked_entry(&row)?);
            }
        } else {
            let mut looked_at = 0;
            let group = match &self.project {
                Some(project) => entry_rows::Group::OfProject(project),
                None => entry_rows::Group::All,
            };
            entry_rows::newest(self.read, self.rows, group, &mut |row| {
                looked_at += 1;
                newest.extend(self.asked_entry(&row)?);
                Ok(newest.len() < self.most_asked() && looked_at < self.most_looked_at())
            })?;
        }
        add_asked(scored, LearnedKind::Entry, newest.into_iter());
        Ok(())
    }

    /// The id of an entry if it is of an asked type and it, or what it was resolved to, holds
    /// and passes the filters.
    fn asked_entry(&self, row: &LearnedEntry) -> Result<Option<String>> {
        if !self.is_asked(row.entry.entry_type) || !self.is_of_project(&row.project) {
            return Ok(None);
        }
        let Some(found) = self.entry(&row.entry.id, weight::ASKED)? else {
            return Ok(None);
        };
        let counts =
            found.hit.state.is_current() && self.counts(&found.evidence, found.hit.timestamp)?;
        Ok(counts.then(|| row.entry.id.as_str().to_owned()))
    }

    /// How many entries are looked at for those that are asked for by kind.
    fn most_looked_at(&self) -> usize {
        let query = self.query;
        let is_filtered = query.session.is_some()
            || query.from.is_some()
            || query.until.is_some()
            || query.as_of.is_some()
            || !query.entry_types.is_empty();
        match self.times {
            _ if is_filtered => weight::MAX_CANDIDATES,
            Some(_) => weight::NARROWED_CANDIDATES,
            None => self.candidates(),
        }
    }

    /// Whether all events that prove an item are there, and one is of the times that are asked
    /// for; without a proof, the time of the item itself counts.
    fn counts(&self, evidence: &Evidence, at: Timestamp) -> Result<bool> {
        let is_asked_time = |at| {
            let times = self.times.unwrap_or_default();
            self.times.is_none() || times.iter().any(|span| span.contains(at))
        };
        let mut is_of_time = evidence.quotes.is_empty() && is_asked_time(at);
        for (id, _) in &evidence.quotes {
            match self.live(id)? {
                Some(event) => is_of_time |= is_asked_time(event.timestamp),
                None => return Ok(false),
            }
        }
        Ok(is_of_time)
    }

    /// How many items to add because the question asks for their kind, before their proofs
    /// are checked.
    fn most_asked(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => MAX_ASKED,
        }
    }
}

/// Adds items asked for by kind; one that also matches by words keeps the higher coverage. Where
/// some match, the others come after them.
fn add_asked(
    scored: &mut Vec<(LearnedRef, f32)>,
    kind: LearnedKind,
    ids: impl Iterator<Item = String>,
) {
    let mut of_kind = scored.iter().filter(|(known, _)| known.kind == kind);
    let least = match of_kind.any(|(_, coverage)| *coverage >= weight::RELATED) {
        true => weight::MIN_COVERAGE,
        false => weight::ASKED,
    };
    let mut known: HashMap<LearnedRef, usize> = HashMap::with_capacity(scored.len());
    known.extend(
        scored
            .iter()
            .enumerate()
            .map(|(at, (known, _))| (known.clone(), at)),
    );
    for id in ids {
        let learned = LearnedRef { kind, id };
        match known.get(&learned) {
            Some(at) => scored[*at].1 = scored[*at].1.max(least),
            None => scored.push((learned, least)),
        }
    }
}
