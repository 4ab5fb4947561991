//! The folded state of a task, a condition and an artifact.
//!
//! A state that must not exist cannot be built: only a blocked task has a place
//! for confirmed blockers, and that place is never empty.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::rules::tasks::blockers::{BlockerRef, Blockers, TaskCandidate};
use crate::rules::tasks::status::{InitialStatus, Priority, TaskStatus};
pub use crate::text::keys::{ArtifactKind, EntityKind};

/// The identity of a task, condition or artifact: opaque text that never
/// changes, whatever happens to its title.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId(String);

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
#[derive(Clone, Debug, PartialEq)]
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
        Json::from_value(&json!({
            "task_id": self.id.as_str(),
            "project": self.project,
            "canonical_key": self.canonical_key,
            "title": self.title,
            "description": self.description,
            "priority": self.priority.as_str(),
            "status": self.status().as_str(),
            "blockers": refs_to_value(self.phase.confirmed()),
            "blocker_suggestions": refs_to_value(self.phase.suggested()),
            "created_at": self.created_at.millis(),
            "updated_at": self.updated_at.millis(),
        }))
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing, unknown, or
    /// against the rules (a blocked task without blockers).
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("task", &value);
        let confirmed = refs_from(&root, "blockers")?;
        let suggested = refs_from(&root, "blocker_suggestions")?;
        let status = root.required("status")?;
        let found: TaskStatus = status.parse()?;
        if !found.allows_blockers(confirmed.len(), suggested.len()) {
            return Err(root.required("blockers")?.error(format_args!(
                "a task that is {found} cannot have {} confirmed and {} suggested blockers",
                confirmed.len(),
                suggested.len()
            )));
        }
        let phase = match found {
            TaskStatus::Pending => TaskPhase::Pending { suggested },
            TaskStatus::InProgress => TaskPhase::InProgress { suggested },
            TaskStatus::Blocked => TaskPhase::Blocked(
                Blockers::new(confirmed, suggested).map_err(|e| status.error(e.problem()))?,
            ),
            TaskStatus::Done => TaskPhase::Done,
            TaskStatus::Cancelled => TaskPhase::Cancelled,
        };
        Ok(Task {
            id: EntityId::new(root.required("task_id")?.text()?),
            project: root.required("project")?.string()?,
            canonical_key: root.required("canonical_key")?.text()?,
            title: root.required("title")?.text()?,
            description: root.optional_string("description")?,
            priority: root.required("priority")?.parse()?,
            phase,
            created_at: root.required("created_at")?.time()?,
            updated_at: root.required("updated_at")?.time()?,
        })
    }
}

/// The name of a task, condition or artifact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntityRef {
    /// What it is.
    pub kind: EntityKind,
    /// Its identity.
    pub id: EntityId,
}

impl EntityRef {
    fn to_value(&self) -> Value {
        target_to_value(&(self.kind, self.id.clone()))
    }
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
#[derive(Clone, Debug, PartialEq)]
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
        Json::from_value(&json!({
            "condition_id": self.id.as_str(),
            "project": self.project,
            "canonical_key": self.canonical_key,
            "text": self.text,
            "candidates": candidates_to_value(&self.candidates),
            "auto_placeholder": self.auto_placeholder,
            "resolved": self.is_resolved(),
            "resolved_to": self.resolved_to.as_ref().map(EntityRef::to_value),
            "created_at": self.created_at.millis(),
            "updated_at": self.updated_at.millis(),
        }))
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("condition", &value);
        Ok(Condition {
            id: EntityId::new(root.required("condition_id")?.text()?),
            project: root.required("project")?.string()?,
            canonical_key: root.required("canonical_key")?.text()?,
            text: root.required("text")?.text()?,
            candidates: candidates_from(&root)?,
            auto_placeholder: root.required("auto_placeholder")?.bool()?,
            resolved_to: root
                .optional("resolved_to")?
                .map(|e| target_from(&e).map(EntityRef::from))
                .transpose()?,
            created_at: root.required("created_at")?.time()?,
            updated_at: root.required("updated_at")?.time()?,
        })
    }
}

/// Something elsewhere that a task waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// Its identity.
    pub id: EntityId,
    /// `art:{type}:{identifier}`.
    pub canonical_key: String,
    /// What it is.
    pub kind: ArtifactKind,
    /// The address, ticket or issue as it was written.
    pub identifier: String,
    /// When it was declared.
    pub created_at: Timestamp,
}

impl Artifact {
    /// The JSON form, for storing and showing.
    pub fn to_json(&self) -> Json {
        Json::from_value(&json!({
            "artifact_id": self.id.as_str(),
            "canonical_key": self.canonical_key,
            "artifact_type": self.kind.as_str(),
            "identifier": self.identifier,
            "created_at": self.created_at.millis(),
        }))
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        let value = json.to_value();
        let root = Element::root("artifact", &value);
        Ok(Artifact {
            id: EntityId::new(root.required("artifact_id")?.text()?),
            canonical_key: root.required("canonical_key")?.text()?,
            kind: root.required("artifact_type")?.parse()?,
            identifier: root.required("identifier")?.text()?,
            created_at: root.required("created_at")?.time()?,
        })
    }
}

pub(crate) fn refs_to_value(refs: &[BlockerRef]) -> Value {
    Value::Array(refs.iter().map(BlockerRef::to_value).collect())
}

pub(crate) fn refs_from(root: &Element<'_>, name: &str) -> Result<Vec<BlockerRef>> {
    root.items(name)?.iter().map(BlockerRef::read).collect()
}

pub(crate) fn candidates_to_value(candidates: &[TaskCandidate]) -> Value {
    Value::Array(candidates.iter().map(TaskCandidate::to_value).collect())
}

pub(crate) fn candidates_from(root: &Element<'_>) -> Result<Vec<TaskCandidate>> {
    root.items("candidates")?
        .iter()
        .map(TaskCandidate::read)
        .collect()
}

pub(crate) fn target_to_value(target: &(EntityKind, EntityId)) -> Value {
    json!({"kind": target.0.as_str(), "entity_id": target.1.as_str()})
}

pub(crate) fn target_from(element: &Element<'_>) -> Result<(EntityKind, EntityId)> {
    Ok((
        element.required("kind")?.parse()?,
        EntityId::new(element.required("entity_id")?.text()?),
    ))
}
