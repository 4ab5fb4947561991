//! Tasks and what they wait for.

use napi_derive::napi;
use recallite::rules::graph::EffectiveBlocker;
use recallite::rules::tasks::{
    Artifact, BlockerRef, Condition, EntityId, EntityKind, Task, TaskCandidate,
};
use recallite::{BlockedTask, Entity, Memory, Result, TaskDetail, TaskFilter};

use super::{each, word, words};
use crate::input::{self, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::{self, NativeEvent, ms};

/// Which tasks are wanted.
#[napi(object, object_to_js = false)]
pub struct NativeTaskFilter {
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub status: Option<String>,
    pub limit: Option<f64>,
}

/// What a condition turned out to be.
#[napi(object, object_to_js = false)]
pub struct NativeConditionTarget {
    pub kind: String,
    pub id: String,
    pub resolution: String,
    pub confidence: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeTaskCandidate {
    pub entity_id: String,
    pub title: String,
    pub score: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeBlockerRef {
    pub kind: String,
    pub entity_id: String,
    pub raw_text: String,
    pub confidence: String,
    pub candidates: Vec<NativeTaskCandidate>,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeTask {
    pub id: String,
    pub project: String,
    pub canonical_key: String,
    pub title: String,
    pub description: Option<String>,
    pub priority: String,
    pub status: String,
    pub blockers: Vec<NativeBlockerRef>,
    pub blocker_suggestions: Vec<NativeBlockerRef>,
    pub created_at: f64,
    pub updated_at: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEffectiveBlocker {
    pub original_id: String,
    pub effective_id: String,
    pub effective_kind: Option<String>,
    pub resolved: bool,
}

#[napi(object, object_from_js = false)]
pub struct NativeTaskDetail {
    pub task: NativeTask,
    pub effective_blockers: Vec<NativeEffectiveBlocker>,
    pub history: Vec<NativeEvent>,
}

#[napi(object, object_from_js = false)]
pub struct NativeBlockedTask {
    pub task: NativeTask,
    pub blockers: Vec<NativeEffectiveBlocker>,
}

#[napi(object, object_from_js = false)]
pub struct NativeEntityName {
    pub kind: String,
    pub id: String,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeCondition {
    pub id: String,
    pub project: String,
    pub canonical_key: String,
    pub text: String,
    pub candidates: Vec<NativeTaskCandidate>,
    pub auto_placeholder: bool,
    pub resolved_to: Option<NativeEntityName>,
    pub created_at: f64,
    pub updated_at: f64,
}

#[napi(object, object_from_js = false)]
pub struct NativeArtifact {
    pub id: String,
    pub canonical_key: String,
    pub kind: String,
    pub identifier: String,
    pub created_at: f64,
}

/// An entity: the one of the three that its kind names.
#[napi(object, object_from_js = false)]
pub struct NativeEntity {
    pub kind: String,
    pub task: Option<NativeTask>,
    pub condition: Option<NativeCondition>,
    pub artifact: Option<NativeArtifact>,
}

fn candidates(candidates: Vec<TaskCandidate>) -> Vec<NativeTaskCandidate> {
    candidates
        .into_iter()
        .map(|candidate| NativeTaskCandidate {
            entity_id: candidate.entity_id.as_str().to_owned(),
            title: candidate.title,
            score: candidate.score,
        })
        .collect()
}

fn blockers(refs: &[BlockerRef]) -> Vec<NativeBlockerRef> {
    refs.iter()
        .map(|blocker| NativeBlockerRef {
            kind: blocker.kind.as_str().to_owned(),
            entity_id: blocker.entity_id.as_str().to_owned(),
            raw_text: blocker.raw_text.clone(),
            confidence: blocker.confidence.as_str().to_owned(),
            candidates: candidates(blocker.candidates.clone()),
        })
        .collect()
}

fn native_task(task: Task) -> NativeTask {
    NativeTask {
        status: task.status().as_str().to_owned(),
        blockers: blockers(task.phase.confirmed()),
        blocker_suggestions: blockers(task.phase.suggested()),
        id: task.id.as_str().to_owned(),
        project: task.project,
        canonical_key: task.canonical_key,
        title: task.title,
        description: task.description,
        priority: task.priority.as_str().to_owned(),
        created_at: ms(task.created_at),
        updated_at: ms(task.updated_at),
    }
}

fn native_tasks(tasks: Vec<Task>) -> Vec<NativeTask> {
    tasks.into_iter().map(native_task).collect()
}

fn effective(blockers: Vec<EffectiveBlocker>) -> Vec<NativeEffectiveBlocker> {
    blockers
        .into_iter()
        .map(|blocker| NativeEffectiveBlocker {
            original_id: blocker.original_id,
            effective_id: blocker.effective_id,
            effective_kind: blocker.effective_kind.map(|kind| kind.as_str().to_owned()),
            resolved: blocker.resolved,
        })
        .collect()
}

fn native_condition(condition: Condition) -> NativeCondition {
    NativeCondition {
        id: condition.id.as_str().to_owned(),
        project: condition.project,
        canonical_key: condition.canonical_key,
        text: condition.text,
        candidates: candidates(condition.candidates),
        auto_placeholder: condition.auto_placeholder,
        resolved_to: condition.resolved_to.map(|entity| NativeEntityName {
            kind: entity.kind.as_str().to_owned(),
            id: entity.id.as_str().to_owned(),
        }),
        created_at: ms(condition.created_at),
        updated_at: ms(condition.updated_at),
    }
}

fn native_artifact(artifact: Artifact) -> NativeArtifact {
    NativeArtifact {
        id: artifact.id.as_str().to_owned(),
        canonical_key: artifact.canonical_key,
        kind: artifact.kind.as_str().to_owned(),
        identifier: artifact.identifier,
        created_at: ms(artifact.created_at),
    }
}

fn tasks(memory: &Memory, filter: NativeTaskFilter) -> Result<Vec<NativeTask>> {
    let filter = TaskFilter {
        project: input::scope(filter.project, filter.all_projects)?,
        status: words("status", filter.status)?,
        limit: input::optional("limit", filter.limit, input::size)?,
    };
    Ok(native_tasks(memory.tasks().list(&filter)?))
}

fn task(memory: &Memory, id: String) -> Result<Option<NativeTaskDetail>> {
    memory
        .tasks()
        .get(&EntityId::new(id))?
        .map(detail)
        .transpose()
}

fn detail(detail: TaskDetail) -> Result<NativeTaskDetail> {
    Ok(NativeTaskDetail {
        task: native_task(detail.task),
        effective_blockers: effective(detail.effective_blockers),
        history: each(detail.history, output::event)?,
    })
}

fn task_as_of(memory: &Memory, id: String, at: Time) -> Result<Option<NativeTask>> {
    let at = input::time("at", at)?;
    Ok(memory
        .tasks()
        .get_as_of(&EntityId::new(id), at)?
        .map(native_task))
}

fn entity(memory: &Memory, id: String) -> Result<Option<NativeEntity>> {
    Ok(memory.tasks().entity(&EntityId::new(id))?.map(|found| {
        let mut entity = NativeEntity {
            kind: EntityKind::Task.as_str().to_owned(),
            task: None,
            condition: None,
            artifact: None,
        };
        match found {
            Entity::Task(task) => entity.task = Some(native_task(task)),
            Entity::Condition(condition) => {
                entity.kind = EntityKind::Condition.as_str().to_owned();
                entity.condition = Some(native_condition(condition));
            }
            Entity::Artifact(artifact) => {
                entity.kind = EntityKind::Artifact.as_str().to_owned();
                entity.artifact = Some(native_artifact(artifact));
            }
            // A kind that the core got since: known by its absence.
            _ => entity.kind = "unknown".to_owned(),
        }
        entity
    }))
}

fn blocked_tasks(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeBlockedTask>> {
    let found = memory
        .tasks()
        .blocked(&input::scope(project, all_projects)?)?;
    Ok(found
        .into_iter()
        .map(|BlockedTask { task, blockers, .. }| NativeBlockedTask {
            task: native_task(task),
            blockers: effective(blockers),
        })
        .collect())
}

fn tasks_with_only_suggested_blockers(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeTask>> {
    let scope = input::scope(project, all_projects)?;
    Ok(native_tasks(
        memory.tasks().with_only_suggested_blockers(&scope)?,
    ))
}

fn tasks_with_placeholder_blockers(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeTask>> {
    let scope = input::scope(project, all_projects)?;
    Ok(native_tasks(
        memory.tasks().with_placeholder_blockers(&scope)?,
    ))
}

fn resolved_conditions(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeCondition>> {
    let found = memory
        .tasks()
        .resolved_conditions(&input::scope(project, all_projects)?)?;
    Ok(found.into_iter().map(native_condition).collect())
}

fn resolve_condition(
    memory: &Memory,
    condition: String,
    target: NativeConditionTarget,
) -> Result<()> {
    memory.tasks().resolve_condition(
        &EntityId::new(condition),
        (word("kind", &target.kind)?, EntityId::new(target.id)),
        word("resolution", &target.resolution)?,
        target.confidence,
    )
}

fn change_task_status(
    memory: &Memory,
    task: String,
    to: String,
    blocked_by: Vec<String>,
) -> Result<NativeTask> {
    let to = word("to", &to)?;
    let changed = memory
        .tasks()
        .change_status(&EntityId::new(task), to, &blocked_by)?;
    Ok(native_task(changed))
}

fn rename_task(memory: &Memory, task: String, title: String) -> Result<NativeTask> {
    let renamed = memory.tasks().rename(&EntityId::new(task), &title)?;
    Ok(native_task(renamed))
}

methods! {
    tasks / tasks_sync(filter: [NativeTaskFilter])
        -> [Vec<NativeTask>] as "Promise<Array<NativeTask> | Failure>" = tasks;
    task / task_sync(id: [String])
        -> [Option<NativeTaskDetail>] as "Promise<NativeTaskDetail | null | Failure>" = task;
    task_as_of / task_as_of_sync(id: [String], at: [Time])
        -> [Option<NativeTask>] as "Promise<NativeTask | null | Failure>" = task_as_of;
    entity / entity_sync(id: [String])
        -> [Option<NativeEntity>] as "Promise<NativeEntity | null | Failure>" = entity;
    blocked_tasks / blocked_tasks_sync(project: [Option<String>], all_projects: [Option<bool>])
        -> [Vec<NativeBlockedTask>] as "Promise<Array<NativeBlockedTask> | Failure>"
        = blocked_tasks;
    tasks_with_only_suggested_blockers / tasks_with_only_suggested_blockers_sync(
        project: [Option<String>], all_projects: [Option<bool>])
        -> [Vec<NativeTask>] as "Promise<Array<NativeTask> | Failure>"
        = tasks_with_only_suggested_blockers;
    tasks_with_placeholder_blockers / tasks_with_placeholder_blockers_sync(
        project: [Option<String>], all_projects: [Option<bool>])
        -> [Vec<NativeTask>] as "Promise<Array<NativeTask> | Failure>"
        = tasks_with_placeholder_blockers;
    resolved_conditions / resolved_conditions_sync(
        project: [Option<String>], all_projects: [Option<bool>])
        -> [Vec<NativeCondition>] as "Promise<Array<NativeCondition> | Failure>"
        = resolved_conditions;
    resolve_condition / resolve_condition_sync(
        condition: [String], target: [NativeConditionTarget])
        -> [()] as "Promise<undefined | Failure>" = resolve_condition;
    change_task_status / change_task_status_sync(
        task: [String], to: [String], blocked_by: [Vec<String>])
        -> [NativeTask] as "Promise<NativeTask | Failure>" = change_task_status;
    rename_task / rename_task_sync(task: [String], title: [String])
        -> [NativeTask] as "Promise<NativeTask | Failure>" = rename_task;
}
