//! The folded state of a task, a condition and an artifact.
//!
//! A state that must not exist cannot be built: only a blocked task has a place
//! for confirmed blockers, and that place is never empty.

use serde::{Deserialize, Serialize};

use crate::model::codec::{self, Refused};
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::rules::tasks::blockers::{BlockerRef, Blockers, TaskCandidate};
use crate::rules::tasks::status::{InitialStatus, Priority, TaskStatus};
pub use crate::text::keys::{ArtifactKind, EntityKind};

/// The identity of a task, condition or artifact: opaque text that never
/// changes, whatever happens to its title.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityId(#[serde(deserialize_with = "codec::text")] String);

impl EntityId {
    /// The id with this text.
    pub fn new(id: impl Into<String>) -> Self {
        EntityId(id.into())
    }

    /// The text of the id.
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

/// Where a task stands, with exactly the blockers that this allows.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskPhase {
    /// Known, not begun.
    Pending {
        /// Blockers that were suggested without evidence.
        suggested: Vec<BlockerRef>,
    },
    /// Being worked on.
    InProgress {
        /// Blockers that were suggested without evidence.
        suggested: Vec<BlockerRef>,
    },
    /// Held up; the blockers are never empty.
    Blocked(Blockers),
    /// Finished.
    Done,
    /// Given up.
    Cancelled,
}

impl TaskPhase {
    /// The phase of a new task.
    pub fn initial(status: InitialStatus) -> Self {
        let suggested = Vec::new();
        match status {
            InitialStatus::Pending => TaskPhase::Pending { suggested },
            InitialStatus::InProgress => TaskPhase::InProgress { suggested },
        }
    }

    /// The bare status.
    pub fn status(&self) -> TaskStatus {
        match self {
            TaskPhase::Pending { .. } => TaskStatus::Pending,
            TaskPhase::InProgress { .. } => TaskStatus::InProgress,
            TaskPhase::Blocked(_) => TaskStatus::Blocked,
            TaskPhase::Done => TaskStatus::Done,
            TaskPhase::Cancelled => TaskStatus::Cancelled,
        }
    }

    /// The confirmed blockers; none unless blocked.
    pub fn confirmed(&self) -> &[BlockerRef] {
        match self {
            TaskPhase::Blocked(blockers) => blockers.confirmed(),
            _ => &[],
        }
    }

    /// The suggested blockers; none for a finished task.
    pub fn suggested(&self) -> &[BlockerRef] {
        match self {
            TaskPhase::Pending { suggested } | TaskPhase::InProgress { suggested } => suggested,
            TaskPhase::Blocked(blockers) => blockers.suggested(),
            TaskPhase::Done | TaskPhase::Cancelled => &[],
        }
    }
}

/// A task as its events made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TaskForm", into = "TaskForm")]
pub struct Task {
    /// Its identity.
    pub id: EntityId,
    /// The project it belongs to.
    pub project: String,
    /// `task:{project}:{title}`, of the present title.
    pub canonical_key: String,
    /// What it is called.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// How urgent it is.
    pub priority: Priority,
    /// Where it stands.
    pub phase: TaskPhase,
    /// When it was first heard of.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Task {
    /// Where it stands.
    pub fn status(&self) -> TaskStatus {
        self.phase.status()
    }

    /// The confirmed blockers; none unless it is blocked.
    pub fn blockers(&self) -> &[BlockerRef] {
        self.phase.confirmed()
    }

    /// The blockers that were suggested without evidence; none for a finished task.
    pub fn suggested_blockers(&self) -> &[BlockerRef] {
        self.phase.suggested()
    }

    /// Whether it is blocked and every blocker is only a suggestion: a state
    /// that is tolerated, and worth asking about.
    pub fn is_blocked_by_suggestions_only(&self) -> bool {
        matches!(&self.phase, TaskPhase::Blocked(blockers) if blockers.confirmed().is_empty())
    }

    /// The text that search looks through: title and description.
    pub fn search_text(&self) -> String {
        match &self.description {
            Some(description) => format!("{} {description}", self.title),
            None => self.title.clone(),
        }
    }

    /// The JSON form, for storing and showing.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing, unknown, or
    /// against the rules (a blocked task without blockers).
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("task", json)
    }
}

/// A [`Task`] as it is kept.
#[derive(Serialize, Deserialize)]
struct TaskForm {
    task_id: EntityId,
    project: String,
    #[serde(deserialize_with = "codec::text")]
    canonical_key: String,
    #[serde(deserialize_with = "codec::text")]
    title: String,
    description: Option<String>,
    priority: Priority,
    status: TaskStatus,
    #[serde(default)]
    blockers: Vec<BlockerRef>,
    #[serde(default)]
    blocker_suggestions: Vec<BlockerRef>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Task> for TaskForm {
    fn from(task: Task) -> Self {
        TaskForm {
            status: task.status(),
            blockers: task.phase.confirmed().to_vec(),
            blocker_suggestions: task.phase.suggested().to_vec(),
            task_id: task.id,
            project: task.project,
            canonical_key: task.canonical_key,
            title: task.title,
            description: task.description,
            priority: task.priority,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}

impl TryFrom<TaskForm> for Task {
    type Error = Refused;

    fn try_from(form: TaskForm) -> Result<Self, Refused> {
        let (confirmed, suggested) = (form.blockers, form.blocker_suggestions);
        let status = form.status;
        if !status.allows_blockers(confirmed.len(), suggested.len()) {
            let problem = format_args!(
                "a task that is {status} cannot have {} confirmed and {} suggested blockers",
                confirmed.len(),
                suggested.len()
            );
            return Err(Refused::new("blockers", problem));
        }
        let phase = match status {
            TaskStatus::Pending => TaskPhase::Pending { suggested },
            TaskStatus::InProgress => TaskPhase::InProgress { suggested },
            TaskStatus::Blocked => TaskPhase::Blocked(Blockers::new(confirmed, suggested)?),
            TaskStatus::Done => TaskPhase::Done,
            TaskStatus::Cancelled => TaskPhase::Cancelled,
        };
        Ok(Task {
            id: form.task_id,
            project: form.project,
            canonical_key: form.canonical_key,
            title: form.title,
            description: form.description,
            priority: form.priority,
            phase,
            created_at: form.created_at,
            updated_at: form.updated_at,
        })
    }
}

/// The name of a task, condition or artifact.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntityRef {
    /// What it is.
    pub kind: EntityKind,
    /// Its identity.
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

/// Something that must become true before a task can go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "ConditionForm", into = "ConditionForm")]
pub struct Condition {
    /// Its identity.
    pub id: EntityId,
    /// The project it belongs to.
    pub project: String,
    /// `cond:{project}:{text}`.
    pub canonical_key: String,
    /// What was said.
    pub text: String,
    /// Tasks that it may mean, best first.
    pub candidates: Vec<TaskCandidate>,
    /// True when the library made it up because a blocker was not named.
    pub auto_placeholder: bool,
    /// What it turned out to be.
    pub resolved_to: Option<EntityRef>,
    /// When it was declared.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Condition {
    /// Whether it turned out to be another entity.
    pub fn is_resolved(&self) -> bool {
        self.resolved_to.is_some()
    }

    /// The JSON form, for storing and showing.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("condition", json)
    }
}

/// A [`Condition`] as it is kept.
#[derive(Serialize, Deserialize)]
struct ConditionForm {
    condition_id: EntityId,
    project: String,
    #[serde(deserialize_with = "codec::text")]
    canonical_key: String,
    #[serde(deserialize_with = "codec::text")]
    text: String,
    #[serde(default)]
    candidates: Vec<TaskCandidate>,
    auto_placeholder: bool,
    /// For those who read the JSON: whether there is a `resolved_to`.
    #[serde(default)]
    resolved: bool,
    resolved_to: Option<EntityRef>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Condition> for ConditionForm {
    fn from(condition: Condition) -> Self {
        ConditionForm {
            resolved: condition.is_resolved(),
            condition_id: condition.id,
            project: condition.project,
            canonical_key: condition.canonical_key,
            text: condition.text,
            candidates: condition.candidates,
            auto_placeholder: condition.auto_placeholder,
            resolved_to: condition.resolved_to,
            created_at: condition.created_at,
            updated_at: condition.updated_at,
        }
    }
}

impl From<ConditionForm> for Condition {
    fn from(form: ConditionForm) -> Self {
        Condition {
            id: form.condition_id,
            project: form.project,
            canonical_key: form.canonical_key,
            text: form.text,
            candidates: form.candidates,
            auto_placeholder: form.auto_placeholder,
            resolved_to: form.resolved_to,
            created_at: form.created_at,
            updated_at: form.updated_at,
        }
    }
}

/// Something elsewhere that a task waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its identity.
    #[serde(rename = "artifact_id")]
    pub id: EntityId,
    /// `art:{type}:{identifier}`.
    #[serde(deserialize_with = "codec::text")]
    pub canonical_key: String,
    /// What it is.
    #[serde(rename = "artifact_type")]
    pub kind: ArtifactKind,
    /// The address, ticket or issue as it was written.
    #[serde(deserialize_with = "codec::text")]
    pub identifier: String,
    /// When it was declared.
    pub created_at: Timestamp,
}

impl Artifact {
    /// The JSON form, for storing and showing.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("artifact", json)
    }
}
