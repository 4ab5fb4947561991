//! Tasks and what they wait for.

use napi_derive::napi;
use recallite::rules::tasks::{EntityId, EntityKind};
use recallite::{Entity, Memory, NewTask, Result, TaskFilter};

use super::{word, words};
use crate::convert::{IntoNative, To, give, take};
use crate::generated::{
    NativeArtifact, NativeBlockedTask, NativeCondition, NativeNewTask, NativeTask, NativeTaskDetail,
};
use crate::input::{self, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;

/// Which tasks are wanted.
#[napi(object, object_to_js = false)]
pub struct NativeTaskFilter {
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub status: Option<String>,
    pub text: Option<String>,
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

/// An entity: the one of the three that its kind names.
#[napi(object, object_from_js = false)]
pub struct NativeEntity {
    pub kind: String,
    pub task: Option<NativeTask>,
    pub condition: Option<NativeCondition>,
    pub artifact: Option<NativeArtifact>,
}

fn tasks(memory: &Memory, filter: NativeTaskFilter) -> Result<Vec<NativeTask>> {
    let filter = TaskFilter {
        project: input::scope(filter.project, filter.all_projects)?,
        status: words("status", filter.status)?,
        text: filter.text,
        limit: input::optional("limit", filter.limit, input::size)?,
    };
    give(memory, memory.tasks().list(&filter)?)
}

fn task(memory: &Memory, id: String) -> Result<Option<NativeTaskDetail>> {
    give(memory, memory.tasks().get(&EntityId::new(id))?)
}

fn task_as_of(memory: &Memory, id: String, at: Time) -> Result<Option<NativeTask>> {
    let at = input::time("at", at)?;
    give(memory, memory.tasks().get_as_of(&EntityId::new(id), at)?)
}

impl IntoNative for Entity {
    type Native = NativeEntity;

    fn into_native(self, to: &To<'_>) -> Result<NativeEntity> {
        let mut entity = NativeEntity {
            // A kind that the core got since is known by its absence.
            kind: "unknown".to_owned(),
            task: None,
            condition: None,
            artifact: None,
        };
        let kind = match self {
            Entity::Task(task) => {
                entity.task = Some(task.into_native(to)?);
                EntityKind::Task
            }
            Entity::Condition(condition) => {
                entity.condition = Some(condition.into_native(to)?);
                EntityKind::Condition
            }
            Entity::Artifact(artifact) => {
                entity.artifact = Some(artifact.into_native(to)?);
                EntityKind::Artifact
            }
            _ => return Ok(entity),
        };
        entity.kind = kind.as_str().to_owned();
        Ok(entity)
    }
}

fn entity(memory: &Memory, id: String) -> Result<Option<NativeEntity>> {
    give(memory, memory.tasks().entity(&EntityId::new(id))?)
}

fn blocked_tasks(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeBlockedTask>> {
    let scope = input::scope(project, all_projects)?;
    give(memory, memory.tasks().blocked(&scope)?)
}

fn tasks_with_only_suggested_blockers(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeTask>> {
    let scope = input::scope(project, all_projects)?;
    give(memory, memory.tasks().with_only_suggested_blockers(&scope)?)
}

fn tasks_with_placeholder_blockers(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeTask>> {
    let scope = input::scope(project, all_projects)?;
    give(memory, memory.tasks().with_placeholder_blockers(&scope)?)
}

fn resolved_conditions(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
) -> Result<Vec<NativeCondition>> {
    let scope = input::scope(project, all_projects)?;
    give(memory, memory.tasks().resolved_conditions(&scope)?)
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
    let task = EntityId::new(task);
    give(
        memory,
        memory.tasks().change_status(&task, to, &blocked_by)?,
    )
}

fn create_task(memory: &Memory, task: NativeNewTask) -> Result<NativeTask> {
    let task: NewTask = take("", task)?;
    give(memory, memory.tasks().create(&task)?)
}

fn set_task_priority(memory: &Memory, task: String, priority: String) -> Result<NativeTask> {
    let priority = word("priority", &priority)?;
    let task = EntityId::new(task);
    give(memory, memory.tasks().set_priority(&task, priority)?)
}

fn conditions(
    memory: &Memory,
    project: Option<String>,
    all_projects: Option<bool>,
    limit: Option<f64>,
) -> Result<Vec<NativeCondition>> {
    let scope = input::scope(project, all_projects)?;
    let limit = input::optional("limit", limit, input::size)?;
    give(memory, memory.tasks().conditions(&scope, limit)?)
}

fn artifacts(memory: &Memory, limit: Option<f64>) -> Result<Vec<NativeArtifact>> {
    let limit = input::optional("limit", limit, input::size)?;
    give(memory, memory.tasks().artifacts(limit)?)
}

fn rename_task(memory: &Memory, task: String, title: String) -> Result<NativeTask> {
    give(memory, memory.tasks().rename(&EntityId::new(task), &title)?)
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
    create_task / create_task_sync(task: [NativeNewTask])
        -> [NativeTask] as "Promise<NativeTask | Failure>" = create_task;
    set_task_priority / set_task_priority_sync(task: [String], priority: [String])
        -> [NativeTask] as "Promise<NativeTask | Failure>" = set_task_priority;
    conditions / conditions_sync(
        project: [Option<String>], all_projects: [Option<bool>], limit: [Option<f64>])
        -> [Vec<NativeCondition>] as "Promise<Array<NativeCondition> | Failure>" = conditions;
    artifacts / artifacts_sync(limit: [Option<f64>])
        -> [Vec<NativeArtifact>] as "Promise<Array<NativeArtifact> | Failure>" = artifacts;
    rename_task / rename_task_sync(task: [String], title: [String])
        -> [NativeTask] as "Promise<NativeTask | Failure>" = rename_task;
}
