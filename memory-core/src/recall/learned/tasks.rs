//! Resolves tasks that were found: their status and what blocks them.

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::Seq;
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::projection::rows;
use crate::projection::tasks::{self as rows_of, GraphRows};
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::{Evidence, Found, blank};
use crate::recall::learned::quoted::{self, quotes_of};
use crate::recall::learned::{less_doubted, weight};
use crate::rules::graph::{EffectiveBlocker, effective_blockers};
use crate::rules::tasks::keys::{DEFAULT_PROJECT, or_default};
use crate::rules::tasks::{EntityId, EntityKind, Task, TaskEvent, TaskState, TaskStatus};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;

/// What really blocks a task.
pub(crate) fn blockers(rows: &dyn Rows, id: &EntityId) -> Result<Vec<EffectiveBlocker>> {
    let graph = GraphRows::new(rows);
    graph.check(effective_blockers(&graph, id.as_str()))
}

/// The events that changed a task, in the order in which they were folded.
pub(crate) fn history(read: &ReadTx, rows: &dyn Rows, id: &EntityId) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    // Those of other stores are in the log in the order in which they arrived.
    for seq in read.in_record_order(rows_of::history(rows, id.as_str())?)? {
        events.extend(read.event_at(seq)?);
    }
    Ok(events)
}

/// A task as it was at a moment, rebuilt from the events up to then.
pub(crate) fn as_of(acts: &[Event], at: Timestamp) -> Option<Task> {
    let mut state = TaskState::new();
    for event in acts.iter().filter(|event| event.timestamp <= at) {
        if let Ok(act) = TaskEvent::from_json(event.kind, &event.session, &rows::payload(event)) {
            state.apply(&act, event.timestamp);
        }
    }
    state.tasks().next().cloned()
}

/// The task's project as events name it; tasks without one are in `default`.
fn project_of(task: &Task) -> &str {
    match task.project.as_str() {
        DEFAULT_PROJECT => "",
        project => project,
    }
}

pub(crate) fn state_of(status: TaskStatus) -> LearnedState {
    match status {
        TaskStatus::Pending => LearnedState::Pending,
        TaskStatus::InProgress => LearnedState::InProgress,
        TaskStatus::Blocked => LearnedState::Blocked,
        TaskStatus::Done => LearnedState::Done,
        TaskStatus::Cancelled => LearnedState::Cancelled,
    }
}

impl Finder<'_> {
    /// Whether a task is in the project that items must belong to.
    pub(super) fn is_task_of_project(&self, task: &Task) -> bool {
        let own = self.project.as_deref().map(or_default);
        own.is_none_or(|own| own == task.project)
    }

    /// Whether a task was spoken of or changed by hand in the period. What was learned of it counts
    /// from when it was said.
    fn is_task_in_time<'a>(
        &self,
        id: &EntityId,
        mut acts: impl Iterator<Item = &'a Event>,
    ) -> Result<bool> {
        let quotes = quotes_of(self.rows, id)?;
        let is_by_hand = |act: &Event| act.session.is_empty();
        let is_changed = acts
            .any(|act| (quotes.is_empty() || is_by_hand(act)) && self.is_in_time(act.timestamp));
        let said = quotes.iter().map(|edge| edge.ends.source_id.as_str());
        Ok(is_changed || quoted::any_said(self.read, said, &|at| self.is_in_time(at))?)
    }

    pub(super) fn task(&self, id: &str, coverage: f32) -> Result<Option<Found>> {
        let id = EntityId::new(id);
        let query = self.query;
        let needs_acts = query.as_of.is_some() || query.session.is_some() || self.is_dated();
        let acts = match needs_acts {
            true => history(self.read, self.rows, &id)?,
            false => Vec::new(),
        };
        let task = match self.query.as_of {
            Some(at) => as_of(&acts, at),
            None => rows_of::task(self.rows, &id)?,
        };
        let Some(task) = task else {
            return Ok(None);
        };
        let wanted = query.session.as_ref();
        let acts_by_then = || {
            acts.iter()
                .filter(|act| query.as_of.is_none_or(|at| act.timestamp <= at))
        };
        let fits = self.is_task_of_project(&task)
            && (!self.is_dated() || self.is_task_in_time(&id, acts_by_then())?)
            && wanted.is_none_or(|session| acts_by_then().any(|act| act.session == *session));
        if !fits {
            return Ok(None);
        }
        let state = state_of(task.status());
        let mut relevance = coverage * self.share_of(LearnedKind::Task, None);
        let is_asked = self.is_asked_state(state);
        let is_meant = self.asked.described_task || (is_asked && state == LearnedState::Done);
        if is_meant || (self.asked.tasks() && state.is_current()) {
            relevance = less_doubted(relevance);
        }
        // A question that describes a task may ask what became of it.
        if !state.is_current() && !is_meant {
            relevance *= weight::PAST;
        }
        Ok(Some(Found {
            evidence: self.evidence_of_task(&id)?,
            rank: relevance,
            hit: LearnedHit {
                text: task.description.clone().unwrap_or_default(),
                blockers: self.names_of_blockers(&task)?,
                relevance,
                timestamp: task.updated_at,
                project: project_of(&task).to_owned(),
                ..blank(LearnedKind::Task, id.as_str(), task.title.clone(), state)
            },
        }))
    }

    pub(super) fn evidence_of_task(&self, id: &EntityId) -> Result<Evidence> {
        let found = quotes_of(self.rows, id)?;
        // The newest edge is stored first, but the oldest, which created the task, proves it
        // best.
        let quotes = found.into_iter().rev().map(|edge| {
            let span = edge.meta.map(|meta| meta.to_value()["span"].clone());
            let place =
                span.and_then(|span| Some((span["start"].as_u64()?, span["end"].as_u64()?)));
            (edge.ends.source_id, place)
        });
        let acts = rows_of::history(self.rows, id.as_str())?;
        let made_by = self.read.in_record_order(acts)?;
        Ok(Evidence {
            quotes: quotes.collect(),
            record: made_by.first().copied().map(Seq),
            is_all_there_is: false,
        })
    }

    /// The names of a task's confirmed blockers, or else of the suggested ones.
    fn names_of_blockers(&self, task: &Task) -> Result<Vec<String>> {
        if task.status() != TaskStatus::Blocked {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        if self.query.as_of.is_none() {
            for blocker in blockers(self.rows, &task.id)? {
                names.extend(self.name_of(&blocker, task)?);
            }
        }
        if names.is_empty() {
            let named = match task.blockers() {
                [] => task.suggested_blockers(),
                confirmed => confirmed,
            };
            names.extend(named.iter().map(|blocker| blocker.raw_text.clone()));
        }
        Ok(names)
    }

    fn name_of(&self, blocker: &EffectiveBlocker, of: &Task) -> Result<Option<String>> {
        let id = EntityId::new(blocker.effective_id.as_str());
        Ok(match blocker.effective_kind {
            // The title of a task whose quotes were forgotten is not given; what was said of the
            // blocked one is its own.
            Some(EntityKind::Task) if !quoted::is_task_live(self.read, self.rows, &id)? => {
                let mut own = of.blockers().iter();
                own.find(|own| own.entity_id.as_str() == blocker.original_id)
                    .map(|own| own.raw_text.clone())
            }
            Some(EntityKind::Task) => rows_of::task(self.rows, &id)?.map(|found| found.title),
            Some(EntityKind::Condition) => {
                rows_of::condition(self.rows, &id)?.map(|found| found.text)
            }
            Some(EntityKind::Artifact) => {
                rows_of::artifact(self.rows, &id)?.map(|found| found.identifier)
            }
            None => None,
        })
    }
}
