//! What the rules need to see of the current state.

use std::collections::BTreeSet;

use crate::model::error::Result;
use crate::rules::tasks::entity::{EntityId, EntityKind, Source};
use crate::rules::tasks::model::Task;

/// A read-only view of tasks, conditions and artifacts, as of one moment.
///
/// The store implements it inside a transaction; [`crate::rules::tasks::TaskState`]
/// implements it in memory.
pub trait TaskView {
    /// Returns the entity that has this canonical key, or had it before it was renamed (an
    /// alias).
    fn find(&self, kind: EntityKind, canonical_key: &str) -> Result<Option<KeyHit>>;

    /// Returns a task by its id.
    fn task(&self, id: &EntityId) -> Result<Option<Task>>;

    /// Returns true if a condition or artifact (or task) with this id exists.
    fn exists(&self, kind: EntityKind, id: &EntityId) -> Result<bool>;

    /// Returns what a condition was resolved to.
    fn resolved_to(&self, condition: &EntityId) -> Result<Option<(EntityKind, EntityId)>>;

    /// Returns at most `limit` tasks of the project that a text search finds for a title:
    /// those whose title contains the text or shares words with it. The matcher decides
    /// their order and scores.
    fn search_titles(&self, project: &str, text: &str, limit: usize) -> Result<Vec<EntityId>>;

    /// Returns at most `limit` tasks of the project with similar title vectors, and their
    /// cosines. Empty if no vectors are available.
    fn similar_titles(
        &self,
        project: &str,
        text: &str,
        limit: usize,
    ) -> Result<Vec<(EntityId, f64)>> {
        let _ = (project, text, limit);
        Ok(Vec::new())
    }

    /// Returns true if this entry of this session was resolved before. It is then not
    /// resolved again, because the task may have moved on since.
    fn is_resolved(&self, source: &Source) -> Result<bool>;

    /// Returns true if this entity is the task `on`, or waits for it over any number of steps:
    /// through confirmed blockers, and through what conditions were resolved to.
    fn waits_for(&self, entity: (EntityKind, EntityId), on: &EntityId) -> Result<bool> {
        let mut open = vec![entity];
        let mut seen = BTreeSet::new();
        while let Some((kind, id)) = open.pop() {
            if kind == EntityKind::Task && id == *on {
                return Ok(true);
            }
            if !seen.insert(id.clone()) {
                continue;
            }
            match kind {
                EntityKind::Task => {
                    let task = self.task(&id)?;
                    let blockers = task.iter().flat_map(Task::blockers);
                    open.extend(blockers.map(|blocker| (blocker.kind, blocker.entity_id.clone())));
                }
                EntityKind::Condition => open.extend(self.resolved_to(&id)?),
                EntityKind::Artifact => {}
            }
        }
        Ok(false)
    }
}

/// An entity found by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHit {
    /// The entity.
    pub id: EntityId,
    /// True if this is its current key, false if it is an alias.
    pub is_primary: bool,
}
