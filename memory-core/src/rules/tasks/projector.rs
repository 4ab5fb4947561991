//! The fold from task events to tables. The same function runs when an event is appended
//! and when everything is rebuilt, so both give the same state.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::shorten::short;
use crate::model::time::Timestamp;
use crate::rules::tasks::blockers::{BlockerRef, Blockers, BlockersMode, unique};
use crate::rules::tasks::entity::{EntityId, EntityKind, Source};
use crate::rules::tasks::events::{StatusMove, TaskEvent, TaskPayload};
use crate::rules::tasks::keys;
use crate::rules::tasks::model::{Artifact, Condition, Task, TaskPhase};
use crate::rules::tasks::status::TaskStatus;
use crate::rules::tasks::view::{KeyHit, TaskView};

/// The tables that the fold writes.
pub trait TaskTables: TaskView {
    /// Returns a condition by its id.
    fn condition(&self, id: &EntityId) -> Result<Option<Condition>>;

    /// Stores a task under its id.
    fn put_task(&mut self, task: Task) -> Result<()>;

    /// Stores a condition under its id.
    fn put_condition(&mut self, condition: Condition) -> Result<()>;

    /// Stores an artifact under its id.
    fn put_artifact(&mut self, artifact: Artifact) -> Result<()>;

    /// Makes the key the entity's current one. An earlier key of the entity stays as an
    /// alias; a key of another entity is left alone.
    fn put_key(&mut self, kind: EntityKind, canonical_key: &str, id: &EntityId) -> Result<()>;

    /// Records that this entry was resolved.
    fn mark_resolved(&mut self, source: &Source) -> Result<()>;
}

/// What the fold changed, for dependent indexes and edges.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskChange {
    /// The entity's record is new or has changed.
    Entity(EntityKind, EntityId),
    /// Replace every `blocked_by` edge of the task by the `confirmed` ones, and every
    /// `blocked_by_suggested` edge by the `suggested` ones.
    BlockerEdges {
        /// The task.
        task: EntityId,
        /// The targets of `blocked_by`.
        confirmed: Vec<(EntityKind, EntityId)>,
        /// The targets of `blocked_by_suggested`.
        suggested: Vec<(EntityKind, EntityId)>,
    },
    /// Replace the condition's `resolves_to` edge.
    ResolvesTo {
        /// The condition.
        condition: EntityId,
        /// The entity it turned out to be.
        target: (EntityKind, EntityId),
    },
    /// The event belongs to the task's history, and the entry is evidence for it.
    History {
        /// The task.
        task: EntityId,
        /// The entry that said so.
        entry: String,
    },
}

/// Checks that an event may follow the current state. The resolver's events always may; use
/// this for events from elsewhere before they are appended.
///
/// # Errors
/// `not_found` when the subject (or a blocker) does not exist;
/// `invalid_transition` when the move is not in the table or does not start
/// where the task stands; `invariant_violation` when confirmed blockers are set
/// on a task that is not blocked; those of the view.
pub fn check(view: &dyn TaskView, event: &TaskEvent) -> Result<()> {
    let task = |id: &EntityId| view.task(id)?.ok_or_else(|| missing(EntityKind::Task, id));
    match &event.payload {
        TaskPayload::Created { .. }
        | TaskPayload::ConditionDeclared { .. }
        | TaskPayload::ArtifactDeclared { .. } => Ok(()),
        TaskPayload::PriorityChanged { task_id, .. }
        | TaskPayload::TransitionRejected { task_id, .. }
        | TaskPayload::TitleChanged { task_id, .. } => task(task_id).map(|_| ()),
        TaskPayload::StatusChanged {
            task_id, from, to, ..
        } => check_move(task_id, task(task_id)?.status(), *from, to.status()),
        TaskPayload::BlockersSet {
            task_id,
            mode,
            blockers,
        } => check_blockers(view, &task(task_id)?, *mode, blockers),
        TaskPayload::ConditionResolvedTo {
            condition_id,
            resolved_to,
            ..
        } => {
            for (kind, id) in [
                (EntityKind::Condition, condition_id),
                (resolved_to.0, &resolved_to.1),
            ] {
                if !view.exists(kind, id)? {
                    return Err(missing(kind, id));
                }
            }
            Ok(())
        }
    }
}

fn missing(kind: EntityKind, id: &EntityId) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("no {kind} with id {}", short(id.as_str())),
    )
}

fn check_move(task: &EntityId, is: TaskStatus, from: TaskStatus, to: TaskStatus) -> Result<()> {
    if is == from && from.can_move_to(to) {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::InvalidTransition,
        format!("task {task} is {is}: it cannot move from {from} to {to}"),
    ))
}

fn check_blockers(
    view: &dyn TaskView,
    task: &Task,
    mode: BlockersMode,
    blockers: &[BlockerRef],
) -> Result<()> {
    let (id, status) = (&task.id, task.status());
    let violation = |problem: String| Err(Error::new(ErrorCode::InvariantViolation, problem));
    if mode == BlockersMode::Replace && status != TaskStatus::Blocked {
        return violation(format!(
            "Cannot create blocked_by edge: Task {id} is not in blocked status"
        ));
    }
    if !status.is_open() {
        return violation(format!("task {id} is {status}: nothing can block it"));
    }
    for blocker in blockers {
        if blocker.entity_id == *id {
            return violation(format!("task {id} cannot block itself"));
        }
        if !view.exists(blocker.kind, &blocker.entity_id)? {
            return Err(missing(blocker.kind, &blocker.entity_id));
        }
    }
    Ok(())
}

/// Applies one event that happened at the time `at`.
///
/// This never fails because of what an event says. If earlier events were erased, it keeps
/// what still makes sense (confirmed blockers of a task that is not blocked become
/// suggestions) and skips subjects that no longer exist.
///
/// # Errors
/// Those of the tables.
pub fn apply(
    tables: &mut dyn TaskTables,
    event: &TaskEvent,
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    tables.mark_resolved(&event.source)?;
    match &event.payload {
        TaskPayload::Created { .. } => declare_task(tables, event, at),
        TaskPayload::ConditionDeclared { .. } => declare_condition(tables, event, at),
        TaskPayload::ArtifactDeclared { .. } => declare_artifact(tables, event, at),
        TaskPayload::ConditionResolvedTo {
            condition_id,
            resolved_to,
            ..
        } => resolve(tables, condition_id, resolved_to, at),
        TaskPayload::StatusChanged { task_id, .. }
        | TaskPayload::PriorityChanged { task_id, .. }
        | TaskPayload::BlockersSet { task_id, .. }
        | TaskPayload::TransitionRejected { task_id, .. }
        | TaskPayload::TitleChanged { task_id, .. } => {
            let Some(task) = tables.task(task_id)? else {
                return Ok(Vec::new());
            };
            apply_to_task(tables, event, task, at)
        }
    }
}

/// Adds the task that an event declares, unless it exists.
fn declare_task(
    tables: &mut dyn TaskTables,
    event: &TaskEvent,
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    let TaskPayload::Created {
        task_id,
        canonical_key,
        project,
        title,
        description,
        initial_status,
        priority,
    } = event.payload.clone()
    else {
        return Ok(Vec::new());
    };
    let task = Task {
        id: task_id.clone(),
        project,
        canonical_key: canonical_key.clone(),
        title,
        description,
        priority,
        phase: TaskPhase::initial(initial_status),
        created_at: at,
        updated_at: at,
    };
    let put = |tables: &mut dyn TaskTables| tables.put_task(task);
    let mut changes = add(tables, EntityKind::Task, &task_id, &canonical_key, put)?;
    if !changes.is_empty() {
        changes.push(history(event, &task_id));
    }
    Ok(changes)
}

/// Adds the condition that an event declares, unless it exists.
fn declare_condition(
    tables: &mut dyn TaskTables,
    event: &TaskEvent,
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    let TaskPayload::ConditionDeclared {
        condition_id,
        canonical_key,
        project,
        text,
        candidates,
        auto_placeholder,
    } = event.payload.clone()
    else {
        return Ok(Vec::new());
    };
    let condition = Condition {
        id: condition_id.clone(),
        project,
        canonical_key: canonical_key.clone(),
        text,
        candidates,
        auto_placeholder,
        resolved_to: None,
        created_at: at,
        updated_at: at,
    };
    let put = |tables: &mut dyn TaskTables| tables.put_condition(condition);
    add(
        tables,
        EntityKind::Condition,
        &condition_id,
        &canonical_key,
        put,
    )
}

/// Adds the artifact that an event declares, unless it exists.
fn declare_artifact(
    tables: &mut dyn TaskTables,
    event: &TaskEvent,
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    let TaskPayload::ArtifactDeclared {
        artifact_id,
        canonical_key,
        kind,
        identifier,
    } = event.payload.clone()
    else {
        return Ok(Vec::new());
    };
    let artifact = Artifact {
        id: artifact_id.clone(),
        canonical_key: canonical_key.clone(),
        kind,
        identifier,
        created_at: at,
    };
    let put = |tables: &mut dyn TaskTables| tables.put_artifact(artifact);
    add(
        tables,
        EntityKind::Artifact,
        &artifact_id,
        &canonical_key,
        put,
    )
}

/// Adds an entity and its key to the tables, unless it exists.
fn add(
    tables: &mut dyn TaskTables,
    kind: EntityKind,
    id: &EntityId,
    canonical_key: &str,
    put: impl FnOnce(&mut dyn TaskTables) -> Result<()>,
) -> Result<Vec<TaskChange>> {
    if tables.exists(kind, id)? {
        return Ok(Vec::new());
    }
    put(tables)?;
    tables.put_key(kind, canonical_key, id)?;
    Ok(vec![TaskChange::Entity(kind, id.clone())])
}

/// Records which entity a condition stands for.
fn resolve(
    tables: &mut dyn TaskTables,
    condition_id: &EntityId,
    resolved_to: &(EntityKind, EntityId),
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    let Some(mut condition) = tables.condition(condition_id)? else {
        return Ok(Vec::new());
    };
    condition.resolved_to = Some(resolved_to.clone().into());
    condition.updated_at = at;
    tables.put_condition(condition)?;
    Ok(vec![
        TaskChange::Entity(EntityKind::Condition, condition_id.clone()),
        TaskChange::ResolvesTo {
            condition: condition_id.clone(),
            target: resolved_to.clone(),
        },
    ])
}

fn apply_to_task(
    tables: &mut dyn TaskTables,
    event: &TaskEvent,
    task: Task,
    at: Timestamp,
) -> Result<Vec<TaskChange>> {
    let mut next = task.clone();
    let mut changes = Vec::new();
    match &event.payload {
        TaskPayload::StatusChanged { to, .. } => next.phase = moved(&task.phase, to),
        TaskPayload::PriorityChanged { to, .. } => next.priority = *to,
        TaskPayload::BlockersSet { mode, blockers, .. } => {
            next.phase = blocked_by(&task.phase, *mode, blockers.clone());
        }
        TaskPayload::TitleChanged {
            to, canonical_key, ..
        } => {
            next.title.clone_from(to);
            next.canonical_key.clone_from(canonical_key);
            tables.put_key(EntityKind::Task, canonical_key, &task.id)?;
        }
        _ => {}
    }
    if next != task {
        next.updated_at = at;
        changes.push(TaskChange::Entity(EntityKind::Task, task.id.clone()));
        if targets(next.phase.confirmed()) != targets(task.phase.confirmed())
            || targets(next.phase.suggested()) != targets(task.phase.suggested())
        {
            changes.push(TaskChange::BlockerEdges {
                task: task.id.clone(),
                confirmed: targets(next.phase.confirmed()),
                suggested: targets(next.phase.suggested()),
            });
        }
        tables.put_task(next)?;
    }
    changes.push(history(event, &task.id));
    Ok(changes)
}

fn history(event: &TaskEvent, task: &EntityId) -> TaskChange {
    TaskChange::History {
        task: task.clone(),
        entry: event.source.entry.clone(),
    }
}

fn targets(refs: &[BlockerRef]) -> Vec<(EntityKind, EntityId)> {
    refs.iter().map(|r| (r.kind, r.entity_id.clone())).collect()
}

/// Leaving blocked drops the confirmed blockers; finishing drops both kinds.
fn moved(phase: &TaskPhase, to: &StatusMove) -> TaskPhase {
    let suggested = || phase.suggested().to_vec();
    match to {
        StatusMove::Pending => TaskPhase::Pending {
            suggested: suggested(),
        },
        StatusMove::InProgress => TaskPhase::InProgress {
            suggested: suggested(),
        },
        StatusMove::Blocked(blockers) => TaskPhase::Blocked(blockers.clone()),
        StatusMove::Done => TaskPhase::Done,
        StatusMove::Cancelled => TaskPhase::Cancelled,
    }
}

fn blocked_by(phase: &TaskPhase, mode: BlockersMode, refs: Vec<BlockerRef>) -> TaskPhase {
    match phase {
        TaskPhase::Blocked(old) => {
            let (confirmed, suggested) = match mode {
                BlockersMode::Replace => (refs, old.suggested().to_vec()),
                BlockersMode::Suggest => (old.confirmed().to_vec(), refs),
            };
            // An empty list cannot remove the last blocker: only a move can.
            Blockers::new(confirmed, suggested).map_or_else(|_| phase.clone(), TaskPhase::Blocked)
        }
        TaskPhase::Pending { .. } => TaskPhase::Pending {
            suggested: unique(refs),
        },
        TaskPhase::InProgress { .. } => TaskPhase::InProgress {
            suggested: unique(refs),
        },
        TaskPhase::Done | TaskPhase::Cancelled => phase.clone(),
    }
}

/// The tables in memory: for tests, for rebuilding, and for small hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskState {
    tasks: BTreeMap<EntityId, Task>,
    conditions: BTreeMap<EntityId, Condition>,
    artifacts: BTreeMap<EntityId, Artifact>,
    keys: BTreeMap<(EntityKind, String), KeyRow>,
    resolved: BTreeSet<Source>,
}

#[derive(Clone, Debug, PartialEq)]
struct KeyRow {
    id: EntityId,
    is_primary: bool,
}

impl TaskState {
    /// Creates empty tables.
    pub fn new() -> Self {
        TaskState::default()
    }

    /// Returns the state that these events give when applied to empty tables.
    pub fn rebuild<'a>(events: impl IntoIterator<Item = (&'a TaskEvent, Timestamp)>) -> TaskState {
        let mut state = TaskState::new();
        for (event, at) in events {
            state.apply(event, at);
        }
        state
    }

    /// Applies one event; see [`apply`].
    pub fn apply(&mut self, event: &TaskEvent, at: Timestamp) -> Vec<TaskChange> {
        apply(self, event, at).expect("tables in memory never fail")
    }

    /// Returns every task, by id.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values()
    }

    /// Returns every condition, by id.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.values()
    }

    /// Returns every artifact, by id.
    pub fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.artifacts.values()
    }
}

impl TaskView for TaskState {
    fn find(&self, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>> {
        Ok(self
            .keys
            .get(&(kind, canonical_key.to_owned()))
            .map(|row| KeyHit {
                id: row.id.clone(),
                is_primary: row.is_primary,
            }))
    }

    fn task(&self, id: &EntityId) -> Result<Option<Task>> {
        Ok(self.tasks.get(id).cloned())
    }

    fn exists(&self, kind: EntityKind, id: &EntityId) -> Result<bool> {
        Ok(match kind {
            EntityKind::Task => self.tasks.contains_key(id),
            EntityKind::Condition => self.conditions.contains_key(id),
            EntityKind::Artifact => self.artifacts.contains_key(id),
        })
    }

    fn resolved_to(&self, condition: &EntityId) -> Result<Option<(EntityKind, EntityId)>> {
        Ok(self
            .conditions
            .get(condition)
            .and_then(|c| c.resolved_to.clone().map(Into::into)))
    }

    fn search_titles(&self, project: &str, text: &str, limit: usize) -> Result<Vec<EntityId>> {
        let norm = keys::title_norm(text);
        let mut found: Vec<(bool, &Task)> = self
            .tasks
            .values()
            .filter(|task| task.project == project)
            .filter_map(|task| {
                let title = keys::title_norm(&task.title);
                title.contains(&norm).then_some((title != norm, task))
            })
            .collect();
        found.sort_by_key(|(is_partial, task)| (*is_partial, task.id.clone()));
        Ok(found
            .into_iter()
            .take(limit)
            .map(|(_, task)| task.id.clone())
            .collect())
    }

    fn is_resolved(&self, source: &Source) -> Result<bool> {
        Ok(self.resolved.contains(source))
    }
}

impl TaskTables for TaskState {
    fn condition(&self, id: &EntityId) -> Result<Option<Condition>> {
        Ok(self.conditions.get(id).cloned())
    }

    fn put_task(&mut self, task: Task) -> Result<()> {
        self.tasks.insert(task.id.clone(), task);
        Ok(())
    }

    fn put_condition(&mut self, condition: Condition) -> Result<()> {
        self.conditions.insert(condition.id.clone(), condition);
        Ok(())
    }

    fn put_artifact(&mut self, artifact: Artifact) -> Result<()> {
        self.artifacts.insert(artifact.id.clone(), artifact);
        Ok(())
    }

    fn put_key(&mut self, kind: EntityKind, canonical_key: &str, id: &EntityId) -> Result<()> {
        let key = (kind, canonical_key.to_owned());
        if self.keys.get(&key).is_some_and(|row| row.id != *id) {
            return Ok(());
        }
        for ((row_kind, _), row) in &mut self.keys {
            if *row_kind == kind && row.id == *id {
                row.is_primary = false;
            }
        }
        self.keys.insert(
            key,
            KeyRow {
                id: id.clone(),
                is_primary: true,
            },
        );
        Ok(())
    }

    fn mark_resolved(&mut self, source: &Source) -> Result<()> {
        self.resolved.insert(source.clone());
        Ok(())
    }
}
