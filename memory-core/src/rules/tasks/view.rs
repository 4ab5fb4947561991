//! What the deciding code needs to see of the present state.

use crate::model::error::Result;
use crate::rules::tasks::events::Source;
use crate::rules::tasks::model::{EntityId, EntityKind, Task};

/// A read-only view of tasks, conditions and artifacts, as of one moment.
///
/// The store implements it inside a transaction; [`crate::rules::tasks::TaskState`] is the
/// implementation in memory.
pub trait TaskView {
    /// The entity that has this canonical key, or had it before it was renamed
    /// (an alias).
    fn find(&self, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>>;

    /// A task by its id.
    fn task(&self, id: &EntityId) -> Result<Option<Task>>;

    /// Whether a condition or artifact (or task) with this id exists.
    fn exists(&self, kind: EntityKind, id: &EntityId) -> Result<bool>;

    /// What a condition was resolved to.
    fn resolved_to(&self, condition: &EntityId) -> Result<Option<(EntityKind, EntityId)>>;

    /// At most `limit` tasks of the project that text search finds for a title:
    /// those whose title holds the text or whose words it shares. Order and
    /// scores are decided by the matcher.
    fn search_titles(&self, project: &str, text: &str, limit: usize) -> Result<Vec<EntityId>>;

    /// At most `limit` tasks of the project whose title vectors are near, with
    /// their cosine. None where no vectors are at hand.
    fn similar_titles(
        &self,
        project: &str,
        text: &str,
        limit: usize,
    ) -> Result<Vec<(EntityId, f64)>> {
        let _ = (project, text, limit);
        Ok(Vec::new())
    }

    /// Whether this entry of this session went through the resolver before.
    /// Then it is not resolved again, because the task may have moved on since.
    fn is_resolved(&self, source: &Source) -> Result<bool>;
}

/// An entity found by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHit {
    /// The entity.
    pub id: EntityId,
    /// True when the key is its present one, false when it is an alias.
    pub is_primary: bool,
}
