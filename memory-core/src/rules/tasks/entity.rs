//! What tasks, conditions and artifacts have in common: an id, a kind, and who named them.

use serde::{Deserialize, Serialize};

use crate::model::codec;
pub use crate::text::keys::{ArtifactKind, EntityKind};

/// The id of a task, condition or artifact. It is opaque text that never changes, whatever
/// happens to the title.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityId(#[serde(deserialize_with = "codec::text")] String);

impl EntityId {
    /// Creates an id from its text.
    pub fn new(id: impl Into<String>) -> Self {
        EntityId(id.into())
    }

    /// Returns the text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntityId {
    fn from(id: &str) -> Self {
        EntityId::new(id)
    }
}

impl std::fmt::Display for EntityId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A reference to a task, condition or artifact.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntityRef {
    /// What it is.
    pub kind: EntityKind,
    /// The id of the entity.
    #[serde(rename = "entity_id")]
    pub id: EntityId,
}

impl From<(EntityKind, EntityId)> for EntityRef {
    fn from((kind, id): (EntityKind, EntityId)) -> Self {
        EntityRef { kind, id }
    }
}

impl From<EntityRef> for (EntityKind, EntityId) {
    fn from(entity: EntityRef) -> Self {
        (entity.kind, entity.id)
    }
}

/// Who said something: a session and, within it, an entry (or, for a direct call, the id of
/// that call).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The session.
    pub session: String,
    /// The extracted entry.
    pub entry: String,
}

impl Source {
    /// Creates the source for an entry of a session.
    pub fn new(session: impl Into<String>, entry: impl Into<String>) -> Self {
        Source {
            session: session.into(),
            entry: entry.into(),
        }
    }
}
