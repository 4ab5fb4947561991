//! The state of a task, a condition and an artifact, folded from its events.
//!
//! An invalid state cannot be created: only a blocked task has a place for confirmed
//! blockers, and that place is never empty.

use serde::{Deserialize, Serialize};

use crate::model::codec::{self, Refused};
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::rules::tasks::blockers::{BlockerRef, Blockers, TaskCandidate};
use crate::rules::tasks::entity::{ArtifactKind, EntityId, EntityRef};
use crate::rules::tasks::status::{InitialStatus, Priority, TaskStatus};

/// The status of a task, with exactly the blockers that this status allows.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskPhase {
    /// Not started.
    Pending {
        /// Blockers that were suggested without evidence.
        suggested: Vec<BlockerRef>,
    },
    /// In progress.
    InProgress {
        /// Blockers that were suggested without evidence.
        suggested: Vec<BlockerRef>,
    },
    /// Blocked; the blockers are never empty.
    Blocked(Blockers),
    /// Finished.
    Done,
    /// Cancelled.
    Cancelled,
}

impl TaskPhase {
    /// Returns the phase of a new task.
    pub fn initial(status: InitialStatus) -> Self {
        let suggested = Vec::new();
        match status {
            InitialStatus::Pending => TaskPhase::Pending { suggested },
            InitialStatus::InProgress => TaskPhase::InProgress { suggested },
        }
    }

    /// Returns the status alone.
    pub fn status(&self) -> TaskStatus {
        match self {
            TaskPhase::Pending { .. } => TaskStatus::Pending,
            TaskPhase::InProgress { .. } => TaskStatus::InProgress,
            TaskPhase::Blocked(_) => TaskStatus::Blocked,
            TaskPhase::Done => TaskStatus::Done,
            TaskPhase::Cancelled => TaskStatus::Cancelled,
        }
    }

    /// Returns the confirmed blockers; empty unless the task is blocked.
    pub fn confirmed(&self) -> &[BlockerRef] {
        match self {
            TaskPhase::Blocked(blockers) => blockers.confirmed(),
            _ => &[],
        }
    }

    /// Returns the suggested blockers; empty if the task is finished.
    pub fn suggested(&self) -> &[BlockerRef] {
        match self {
            TaskPhase::Pending { suggested } | TaskPhase::InProgress { suggested } => suggested,
            TaskPhase::Blocked(blockers) => blockers.suggested(),
            TaskPhase::Done | TaskPhase::Cancelled => &[],
        }
    }

    /// The confirmed and the suggested blockers.
    pub(crate) fn blockers_mut(&mut self) -> Vec<&mut BlockerRef> {
        match self {
            TaskPhase::Pending { suggested } | TaskPhase::InProgress { suggested } => {
                suggested.iter_mut().collect()
            }
            TaskPhase::Blocked(blockers) => blockers.all_mut().collect(),
            TaskPhase::Done | TaskPhase::Cancelled => Vec::new(),
        }
    }
}

/// A task, as its events made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TaskForm", into = "TaskForm")]
#[non_exhaustive]
pub struct Task {
    /// The id of the task.
    pub id: EntityId,
    /// The project it belongs to.
    pub project: String,
    /// `task:{project}:{title}`, with the current title.
    pub canonical_key: String,
    /// The title of the task.
    pub title: String,
    /// A longer description.
    pub description: Option<String>,
    /// How urgent it is.
    pub priority: Priority,
    /// Its status and blockers.
    pub phase: TaskPhase,
    /// When it was first mentioned.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Task {
    /// The status of the task.
    pub fn status(&self) -> TaskStatus {
        self.phase.status()
    }

    /// The confirmed blockers; empty unless the task is blocked.
    pub fn blockers(&self) -> &[BlockerRef] {
        self.phase.confirmed()
    }

    /// The blockers that were suggested without evidence; empty if the task is finished.
    pub fn suggested_blockers(&self) -> &[BlockerRef] {
        self.phase.suggested()
    }

    /// Returns true if the task is blocked and every blocker is only a suggestion. This is
    /// tolerated, and worth asking about.
    pub fn is_blocked_by_suggestions_only(&self) -> bool {
        matches!(&self.phase, TaskPhase::Blocked(blockers) if blockers.confirmed().is_empty())
    }

    /// Returns the text that a search looks at: title and description.
    pub fn search_text(&self) -> String {
        match &self.description {
            Some(description) => format!("{} {description}", self.title),
            None => self.title.clone(),
        }
    }

    /// Returns the JSON form, for storing and showing.
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

/// The stored form of a [`Task`].
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

/// Something that must become true before a task can continue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "ConditionForm", into = "ConditionForm")]
#[non_exhaustive]
pub struct Condition {
    /// The id of the condition.
    pub id: EntityId,
    /// The project it belongs to.
    pub project: String,
    /// `cond:{project}:{text}`.
    pub canonical_key: String,
    /// The text of the condition.
    pub text: String,
    /// Tasks that it may refer to, best first.
    pub candidates: Vec<TaskCandidate>,
    /// True if the library created it for an unnamed blocker.
    pub auto_placeholder: bool,
    /// The entity it turned out to be.
    pub resolved_to: Option<EntityRef>,
    /// When it was declared.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Condition {
    /// Returns true if it turned out to be another entity.
    pub fn is_resolved(&self) -> bool {
        self.resolved_to.is_some()
    }

    /// Returns the JSON form, for storing and showing.
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

/// The stored form of a [`Condition`].
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
    /// Whether there is a `resolved_to`, for readers of the JSON.
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

/// Something external that a task waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// The id of the artifact.
    #[serde(rename = "artifact_id")]
    pub id: EntityId,
    /// `art:{type}:{identifier}`.
    #[serde(deserialize_with = "codec::text")]
    pub canonical_key: String,
    /// What it is.
    #[serde(rename = "artifact_type")]
    pub kind: ArtifactKind,
    /// The address, ticket or issue, as it was written.
    #[serde(deserialize_with = "codec::text")]
    pub identifier: String,
    /// When it was declared.
    pub created_at: Timestamp,
}

impl Artifact {
    /// Returns the JSON form, for storing and showing.
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
