//! Tasks and what they wait for.

use napi_derive::napi;
use recallite::rules::tasks::{EntityId, EntityKind};
use recallite::{Entity, Memory, Result};

use crate::convert::{IntoNative, To, give};
use crate::generated::{NativeArtifact, NativeCondition, NativeTask};
use crate::input::word;
use crate::memory::NativeMemory;
use crate::methods::methods;

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

methods! {
    entity / entity_sync(id: [String])
        -> [Option<NativeEntity>] as "Promise<NativeEntity | null | Failure>" = entity;
    resolve_condition / resolve_condition_sync(
        condition: [String], target: [NativeConditionTarget])
        -> [()] as "Promise<undefined | Failure>" = resolve_condition;
}
