//! Tasks that survive across conversations: lists, one task with its history, and what a
//! caller may change.

use crate::learn::tasks::{self, BlockedTask, Entity, NewTask, TaskDetail, TaskFilter};
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::time::Timestamp;
use crate::rules::tasks::events::ResolutionType;
use crate::rules::tasks::{Artifact, Condition, EntityId, EntityRef, Priority, Task, TaskStatus};
use crate::scope::ProjectScope;

/// The tasks of a memory; see [`Memory::tasks`].
#[derive(Clone, Copy, Debug)]
pub struct Tasks<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Tasks: what has to be done, what blocks it, and how it came about.
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks { memory: self }
    }
}

impl Tasks<'_> {
    /// Returns the tasks that match a filter, grouped by status (blocked, `in_progress`,
    /// pending, done, cancelled), most recently changed first within each status.
    ///
    /// # Growth
    /// By result; with a text, by the tasks of all projects that contain its rarest word. A text
    /// without three letters in a row is looked for in one task after another.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn list(&self, filter: &TaskFilter) -> Result<Vec<Task>> {
        tasks::list(self.memory.enter()?, filter)
    }

    /// Creates a task.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::{Memory, NewTask, TaskFilter};
    /// let memory = Memory::open(folder.path())?;
    /// let task = NewTask::new("Renew the certificate").blocked_by(["OPS-12"]);
    /// let made = memory.tasks().create(&task)?;
    /// let found = memory.tasks().list(&TaskFilter::default().text("certificate"))?;
    /// assert_eq!(found, [made]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming what is wrong, for example `title` without a letter or digit,
    /// `blocked_by[0]` that is the task itself, or `project` while recording of it is paused;
    /// `already_exists` when a task of the project has this title, whatever its status.
    pub fn create(&self, task: &NewTask) -> Result<Task> {
        tasks::create(self.memory.enter()?, task)
    }

    /// Returns one task with its effective blockers and its history; `None` if there is
    /// none with this id.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn get(&self, id: &EntityId) -> Result<Option<TaskDetail>> {
        tasks::get(self.memory.enter()?, id)
    }

    /// Returns a task as it was at a moment, according to its events up to then; `None` if
    /// it was not known yet.
    ///
    /// # Growth
    /// By the changes of the task.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn get_as_of(&self, id: &EntityId, at: Timestamp) -> Result<Option<Task>> {
        tasks::get_as_of(self.memory.enter()?, id, at)
    }

    /// Returns a task, condition or artifact by its id; `None` if there is none.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn entity(&self, id: &EntityId) -> Result<Option<Entity>> {
        tasks::entity(self.memory.enter()?, id)
    }

    /// Returns the blocked tasks with their effective blockers, most urgent first. At most `limit`
    /// are returned, 1,000 by default. Includes what was learned from forgotten events; don't show
    /// it to a model.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn blocked(
        &self,
        project: &ProjectScope,
        limit: Option<usize>,
    ) -> Result<Vec<BlockedTask>> {
        tasks::blocked(self.memory.enter()?, project, limit)
    }

    /// Returns the blocked tasks whose blockers are all mere suggestions, which are worth asking
    /// about. At most `limit` are returned, 1,000 by default. Includes what was learned from
    /// forgotten events; don't show it to a model.
    ///
    /// # Growth
    /// By the blocked tasks of the project.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn with_only_suggested_blockers(
        &self,
        project: &ProjectScope,
        limit: Option<usize>,
    ) -> Result<Vec<Task>> {
        tasks::with_only_suggested_blockers(self.memory.enter()?, project, limit)
    }

    /// Returns the blocked tasks whose blocker is unknown: the library added a placeholder for it
    /// that is not resolved yet. At most `limit` are returned, 1,000 by default. Includes what was
    /// learned from forgotten events; don't show it to a model.
    ///
    /// # Growth
    /// By the blocked tasks of the project.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn with_placeholder_blockers(
        &self,
        project: &ProjectScope,
        limit: Option<usize>,
    ) -> Result<Vec<Task>> {
        tasks::with_placeholder_blockers(self.memory.enter()?, project, limit)
    }

    /// Returns the conditions: what tasks wait for that is neither a task nor an artifact. At most
    /// `limit` are returned, 1,000 by default, ordered by id. Includes what was learned from
    /// forgotten events; don't show it to a model.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn conditions(
        &self,
        project: &ProjectScope,
        limit: Option<usize>,
    ) -> Result<Vec<Condition>> {
        tasks::conditions(self.memory.enter()?, project, limit)
    }

    /// Returns the artifacts: external things that tasks wait for, such as tickets, issues
    /// and addresses. They belong to no project. At most `limit` are returned, 1,000 by
    /// default, ordered by id.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn artifacts(&self, limit: Option<usize>) -> Result<Vec<Artifact>> {
        tasks::artifacts(self.memory.enter()?, limit)
    }

    /// Returns the conditions that turned out to be another entity. At most `limit` are returned,
    /// 1,000 by default. Includes what was learned from forgotten events; don't show it to a model.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn resolved_conditions(
        &self,
        project: &ProjectScope,
        limit: Option<usize>,
    ) -> Result<Vec<Condition>> {
        tasks::resolved_conditions(self.memory.enter()?, project, limit)
    }

    /// Resolves a condition to another entity: the two are the same thing. Repeating the
    /// call changes nothing.
    ///
    /// # Growth
    /// By the tasks that wait for the condition.
    ///
    /// # Errors
    /// `not_found` when the condition or the target does not exist;
    /// `invalid_argument` when they are the same or `confidence` is outside 0
    /// to 1; `invariant_violation` when the target waits for the condition.
    pub fn resolve_condition(
        &self,
        condition: &EntityId,
        target: &EntityRef,
        resolution: ResolutionType,
        confidence: f64,
    ) -> Result<()> {
        tasks::resolve_condition(
            self.memory.enter()?,
            condition,
            target,
            resolution,
            confidence,
        )
    }

    /// Changes the status of a task. If the new status is blocked, `blocked_by` says in
    /// free text what blocks it, in at most 50 items; without it, a placeholder is added.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such task; `invalid_argument` naming `blocked_by` above
    /// 50 items, or the item that is too long; `invalid_transition` when the move is not
    /// allowed; `invariant_violation` when the task would wait for itself.
    pub fn change_status(
        &self,
        task: &EntityId,
        to: TaskStatus,
        blocked_by: &[String],
    ) -> Result<Task> {
        tasks::change_status(self.memory.enter()?, task, to, blocked_by)
    }

    /// Sets the priority of a task.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found` when there is no such task.
    pub fn set_priority(&self, task: &EntityId, priority: Priority) -> Result<Task> {
        tasks::set_priority(self.memory.enter()?, task, priority)
    }

    /// Renames a task. The old title still refers to it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `not_found`; `invalid_argument` naming `title` when it is blank, private or longer than 500
    /// characters; `already_exists` when another task has it.
    pub fn rename(&self, task: &EntityId, title: &str) -> Result<Task> {
        tasks::rename(self.memory.enter()?, task, title)
    }
}
