//! Tasks in the store: the lists that people ask for, one task with its
//! history, and what a caller may do to a task or a condition.

use crate::learn::knowledge::LIST_LIMIT;
use crate::learn::pipeline::emit::task_event;
use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::time::Timestamp;
use crate::projection::tasks::{self as rows_of, GraphRows, TaskRows, TitleCache};
use crate::projection::{self, rows};
use crate::rules::graph::{EffectiveBlocker, effective_blockers};
use crate::rules::tasks::events::ResolutionType;
use crate::rules::tasks::resolver::KeyedIds;
use crate::rules::tasks::{
    Artifact, Condition, EntityId, EntityKind, Source, Task, TaskEvent, TaskResolver, TaskState,
    TaskStatus,
};
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::store::projected::{Rows, Shelf};
use crate::write::prepare::clean_text;

/// Which tasks are wanted. Every field that is set must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskFilter {
    /// Of these projects.
    pub project: ProjectScope,
    /// In this status.
    pub status: Option<TaskStatus>,
    /// At most so many; 1,000 by default.
    pub limit: Option<usize>,
}

/// A task and what really blocks it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockedTask {
    /// The task.
    pub task: Task,
    /// What stands in the way, conditions replaced by what they turned out to be.
    pub blockers: Vec<EffectiveBlocker>,
}

/// A task with all that is known about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskDetail {
    /// The task, with its confirmed and suggested blockers.
    pub task: Task,
    /// What stands in the way, conditions replaced by what they turned out to be.
    pub effective_blockers: Vec<EffectiveBlocker>,
    /// The acts on it, in the order of the log.
    pub history: Vec<Event>,
}

/// A task, condition or artifact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entity {
    /// Something to do.
    Task(Task),
    /// Something that must become true.
    Condition(Condition),
    /// Something elsewhere.
    Artifact(Artifact),
}

/// The project that a scope means for tasks: tasks without one lie in `default`.
fn task_project(scope: &ProjectScope, memory: &Memory) -> Result<Option<String>> {
    let wanted = crate::write::prepare::wanted_project(&memory.inner, scope)?;
    Ok(wanted.map(|project| {
        if project.is_empty() {
            crate::rules::tasks::keys::DEFAULT_PROJECT.to_owned()
        } else {
            project
        }
    }))
}

fn effective(rows: &dyn Rows, id: &EntityId) -> Result<Vec<EffectiveBlocker>> {
    let graph = GraphRows::new(rows);
    graph.check(effective_blockers(&graph, id.as_str()))
}

fn no_task(id: &EntityId) -> Error {
    Error::new(ErrorCode::NotFound, format!("there is no task {id}")).with_argument("task_id")
}

impl Memory {
    /// Tasks that fit a filter: of each status the one changed last in front;
    /// blocked, in_progress, pending, done, cancelled.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn tasks(&self, filter: &TaskFilter) -> Result<Vec<Task>> {
        self.enter()?;
        let all = [
            TaskStatus::Blocked,
            TaskStatus::InProgress,
            TaskStatus::Pending,
            TaskStatus::Done,
            TaskStatus::Cancelled,
        ];
        let statuses = match &filter.status {
            Some(status) => std::slice::from_ref(status),
            None => &all,
        };
        let project = task_project(&filter.project, self)?;
        let limit = filter.limit.unwrap_or(LIST_LIMIT);
        self.list_tasks(statuses, project.as_deref(), limit, &|_| true)
    }

    fn list_tasks(
        &self,
        statuses: &[TaskStatus],
        project: Option<&str>,
        limit: usize,
        fits: &dyn Fn(&Task) -> bool,
    ) -> Result<Vec<Task>> {
        let rows = self.inner.store.read()?.projected()?;
        let mut found = Vec::new();
        for status in statuses {
            rows_of::by_status(&rows, *status, &mut |id| {
                if found.len() < limit
                    && let Some(task) = rows_of::task(&rows, &id)?
                    && project.is_none_or(|project| task.project == project)
                    && fits(&task)
                {
                    found.push(task);
                }
                Ok(found.len() < limit)
            })?;
        }
        Ok(found)
    }

    /// One task with what really blocks it and its history, or `None`.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn task(&self, id: &EntityId) -> Result<Option<TaskDetail>> {
        self.enter()?;
        let read = self.inner.store.read()?;
        let rows = read.projected()?;
        let Some(task) = rows_of::task(&rows, id)? else {
            return Ok(None);
        };
        Ok(Some(TaskDetail {
            effective_blockers: effective(&rows, id)?,
            history: history(&read, &rows, id)?,
            task,
        }))
    }

    /// A task as it stood at a moment, by its acts up to then; `None` when it
    /// was not known yet.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn task_as_of(&self, id: &EntityId, at: Timestamp) -> Result<Option<Task>> {
        self.enter()?;
        let read = self.inner.store.read()?;
        let acts = history(&read, &read.projected()?, id)?;
        let mut state = TaskState::new();
        for event in acts.iter().filter(|event| event.timestamp <= at) {
            if let Ok(act) =
                TaskEvent::from_json(event.kind, &event.session, &rows::payload_json(event))
            {
                state.apply(&act, event.timestamp);
            }
        }
        Ok(state.tasks().next().cloned())
    }

    /// A task, condition or artifact by its id, or `None`.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn entity(&self, id: &EntityId) -> Result<Option<Entity>> {
        self.enter()?;
        let rows = self.inner.store.read()?.projected()?;
        Ok(match rows_of::entity_kind(&rows, id.as_str())? {
            Some(EntityKind::Task) => rows_of::task(&rows, id)?.map(Entity::Task),
            Some(EntityKind::Condition) => rows_of::condition(&rows, id)?.map(Entity::Condition),
            Some(EntityKind::Artifact) => rows_of::artifact(&rows, id)?.map(Entity::Artifact),
            None => None,
        })
    }

    /// The blocked tasks with what really stands in their way.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn blocked_tasks(&self, project: &ProjectScope) -> Result<Vec<BlockedTask>> {
        self.blocked(project, &|_, _| Ok(true))
    }

    /// Blocked tasks whose every blocker is only a suggestion: worth asking
    /// about.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn tasks_with_only_suggested_blockers(&self, project: &ProjectScope) -> Result<Vec<Task>> {
        let found = self.blocked(
            project,
            &|_, task| Ok(task.is_blocked_by_suggestions_only()),
        )?;
        Ok(found.into_iter().map(|blocked| blocked.task).collect())
    }

    /// Blocked tasks of which nobody said what blocks them: the library put a
    /// placeholder there that is not resolved yet.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn tasks_with_placeholder_blockers(&self, project: &ProjectScope) -> Result<Vec<Task>> {
        let found = self.blocked(project, &|rows, task| {
            for blocker in task.phase.confirmed() {
                if blocker.kind == EntityKind::Condition
                    && rows_of::condition(rows, &blocker.entity_id)?
                        .is_some_and(|found| found.auto_placeholder && !found.is_resolved())
                {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        Ok(found.into_iter().map(|blocked| blocked.task).collect())
    }

    fn blocked(
        &self,
        project: &ProjectScope,
        fits: &dyn Fn(&dyn Rows, &Task) -> Result<bool>,
    ) -> Result<Vec<BlockedTask>> {
        self.enter()?;
        let rows = self.inner.store.read()?.projected()?;
        let project = task_project(project, self)?;
        let mut found = Vec::new();
        rows_of::by_status(&rows, TaskStatus::Blocked, &mut |id| {
            if let Some(task) = rows_of::task(&rows, &id)?
                && project.as_ref().is_none_or(|p| task.project == *p)
                && fits(&rows, &task)?
            {
                found.push(BlockedTask {
                    blockers: effective(&rows, &id)?,
                    task,
                });
            }
            Ok(true)
        })?;
        Ok(found)
    }

    /// Conditions that turned out to be another entity.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn resolved_conditions(&self, project: &ProjectScope) -> Result<Vec<Condition>> {
        self.enter()?;
        let rows = self.inner.store.read()?.projected()?;
        let project = task_project(project, self)?;
        let all = rows::all(&rows, Shelf::Condition, &[], Condition::from_json)?;
        Ok(all
            .into_iter()
            .filter(|found| found.is_resolved())
            .filter(|found| project.as_ref().is_none_or(|p| found.project == *p))
            .collect())
    }

    /// Says that a condition is in truth another entity. Saying it twice
    /// changes nothing.
    ///
    /// # Errors
    /// `not_found` when the condition or the target does not exist;
    /// `invalid_argument` when they are the same or `confidence` is outside 0
    /// to 1.
    pub fn resolve_condition(
        &self,
        condition: &EntityId,
        target: (EntityKind, EntityId),
        resolution: ResolutionType,
        confidence: f64,
    ) -> Result<()> {
        self.change_tasks(|resolver, source| {
            resolver.resolve_condition(source, condition, target, resolution, confidence)
        })
    }

    /// Moves a task. `blocked_by` says in free words what holds it up, when it
    /// is moved to blocked; without it a placeholder stands there.
    ///
    /// # Errors
    /// `not_found` when there is no such task; `invalid_transition` when the
    /// move is not allowed; `invariant_violation` when the task would wait for
    /// itself.
    pub fn change_task_status(
        &self,
        task: &EntityId,
        to: TaskStatus,
        blocked_by: &[String],
    ) -> Result<Task> {
        let blocked_by: Vec<String> = blocked_by
            .iter()
            .enumerate()
            .map(|(at, text)| clean_text(&self.inner, &format!("blocked_by[{at}]"), text))
            .collect::<Result<_>>()?;
        self.change_tasks(|resolver, source| {
            resolver.change_status(source, task, to, &blocked_by)
        })?;
        self.required_task(task)
    }

    /// Gives a task another title; the old one still means it.
    ///
    /// # Errors
    /// `not_found`; `invalid_argument` naming `title` when it is blank;
    /// `already_exists` when another task has it.
    pub fn rename_task(&self, task: &EntityId, title: &str) -> Result<Task> {
        let title = clean_text(&self.inner, "title", title)?;
        self.change_tasks(|resolver, source| resolver.rename(source, task, &title))?;
        self.required_task(task)
    }

    fn required_task(&self, id: &EntityId) -> Result<Task> {
        rows_of::task(&self.inner.store.read()?.projected()?, id)?.ok_or_else(|| no_task(id))
    }

    fn change_tasks(
        &self,
        decide: impl FnOnce(&TaskResolver<'_>, &Source) -> Result<Vec<TaskEvent>>,
    ) -> Result<()> {
        self.enter()?;
        self.inner.store.write(|tx| {
            let secret = tx.derived_secret("recallite 2026 entity and entry ids");
            let ids = KeyedIds::new(secret);
            // Each call is an act of its own.
            let call = format!("call@{}", tx.state.last_seq + 1);
            let source = Source::new("", call);
            let own = self.project();
            let acts = {
                let rows = tx.projected()?;
                let titles = TitleCache::default();
                let view = TaskRows {
                    rows: &rows,
                    titles: &titles,
                };
                let project = (!own.is_empty()).then_some(own);
                let acts = decide(&TaskResolver::new(&view, &ids, project), &source)?;
                for act in &acts {
                    refuse_waiting_for_itself(&rows, act)?;
                }
                acts
            };
            let drafts: Vec<_> = acts.iter().map(|act| task_event(self, own, act)).collect();
            projection::append(tx, &drafts)?;
            Ok(())
        })
    }
}

/// A task cannot wait for one that waits for it, over any number of steps.
fn refuse_waiting_for_itself(rows: &dyn Rows, act: &TaskEvent) -> Result<()> {
    use crate::rules::graph::{Adjacency as _, Relation};
    use crate::rules::tasks::{StatusMove, TaskPayload};
    let TaskPayload::StatusChanged {
        task_id,
        to: StatusMove::Blocked(blockers),
        ..
    } = &act.payload
    else {
        return Ok(());
    };
    let graph = GraphRows::new(rows);
    let mut seen = std::collections::BTreeSet::new();
    let mut waiting: Vec<String> = blockers
        .confirmed()
        .iter()
        .map(|blocker| blocker.entity_id.as_str().to_owned())
        .collect();
    while let Some(at) = waiting.pop() {
        if at == task_id.as_str() {
            return Err(Error::new(
                ErrorCode::InvariantViolation,
                format!("task {task_id} would wait for itself"),
            )
            .with_argument("blocked_by"));
        }
        if seen.insert(at.clone()) {
            waiting.extend(graph.destinations(&at, Relation::BlockedBy));
            waiting.extend(graph.destinations(&at, Relation::ResolvesTo));
        }
    }
    graph.check(())
}

fn history(read: &ReadTx, rows: &dyn Rows, id: &EntityId) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for seq in rows_of::history(rows, id.as_str())? {
        events.extend(read.event_at(seq)?);
    }
    Ok(events)
}
