//! Tasks: entities of one of three kinds.

use napi_derive::napi;
use recallite::rules::tasks::{EntityId, EntityKind};
use recallite::{Entity, Memory, Result};

use crate::convert::{IntoNative, To, give};
use crate::generated::{NativeArtifact, NativeCondition, NativeTask};
use crate::memory::NativeMemory;
use crate::methods::methods;

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
            // A kind added to the core since is represented by no field.
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

methods! {
    entity / entity_sync(id: [String])
        -> [Option<NativeEntity>] as "Promise<NativeEntity | null | Failure>" = entity;
}
