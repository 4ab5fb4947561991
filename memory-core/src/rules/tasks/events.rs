//! The events that change tasks, conditions and artifacts, with typed payloads: what the
//! log stores and what the projector applies.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::model::codec::{self, Refused};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::json::Json;
use crate::model::read::words;
use crate::rules::tasks::blockers::{BlockerRef, Blockers, BlockersMode, TaskCandidate};
use crate::rules::tasks::entity::{ArtifactKind, EntityId, EntityKind, EntityRef, Source};
use crate::rules::tasks::status::{InitialStatus, Priority, TaskStatus};

words! {
    /// Why a condition is taken to be another entity.
    ResolutionType ("resolution_type") {
        /// Its text is exactly the other's name.
        ExactMatch = "exact_match",
        /// A person confirmed it.
        UserConfirmed = "user_confirmed",
        /// The library is certain of it.
        AutoResolved = "auto_resolved",
    }
}

/// The new status of a task. Only a change to blocked has blockers, and it always has some.
#[derive(Clone, Debug, PartialEq)]
pub enum StatusMove {
    /// To pending: the task was reopened.
    Pending,
    /// To `in_progress`.
    InProgress,
    /// To blocked, with these blockers.
    Blocked(Blockers),
    /// To done.
    Done,
    /// To cancelled.
    Cancelled,
}

impl StatusMove {
    /// Returns the new status.
    pub fn status(&self) -> TaskStatus {
        match self {
            StatusMove::Pending => TaskStatus::Pending,
            StatusMove::InProgress => TaskStatus::InProgress,
            StatusMove::Blocked(_) => TaskStatus::Blocked,
            StatusMove::Done => TaskStatus::Done,
            StatusMove::Cancelled => TaskStatus::Cancelled,
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskPayload {
    /// A task was created.
    #[serde(rename = "task_created")]
    Created {
        /// The new task.
        task_id: EntityId,
        /// `task:{project}:{title}`.
        #[serde(deserialize_with = "codec::text")]
        canonical_key: String,
        /// The project it belongs to.
        project: String,
        /// The title of the task.
        #[serde(deserialize_with = "codec::text")]
        title: String,
        /// A longer description.
        description: Option<String>,
        /// The initial status.
        initial_status: InitialStatus,
        /// How urgent it is.
        #[serde(default)]
        priority: Priority,
    },
    /// A task changed its status.
    #[serde(
        rename = "task_status_changed",
        serialize_with = "write_status_changed",
        deserialize_with = "read_status_changed"
    )]
    StatusChanged {
        /// The task.
        task_id: EntityId,
        /// The previous status.
        from: TaskStatus,
        /// The new status.
        to: StatusMove,
        /// The reason, if it is not simply what was requested.
        reason: Option<String>,
    },
    /// A task's priority changed.
    #[serde(rename = "task_priority_changed")]
    PriorityChanged {
        /// The task.
        task_id: EntityId,
        /// The old priority.
        from: Priority,
        /// The new priority.
        to: Priority,
    },
    /// A task's blockers were replaced or suggested.
    #[serde(rename = "task_blockers_set")]
    BlockersSet {
        /// The task.
        task_id: EntityId,
        /// Which of the two lists is replaced.
        mode: BlockersMode,
        /// The whole new list.
        #[serde(default)]
        blockers: Vec<BlockerRef>,
    },
    /// A requested status change was rejected.
    #[serde(rename = "task_transition_rejected")]
    TransitionRejected {
        /// The task.
        task_id: EntityId,
        /// The current status.
        #[serde(rename = "from_status")]
        from: TaskStatus,
        /// The requested status.
        #[serde(rename = "to_status")]
        to: TaskStatus,
        /// Why it is not allowed.
        reason: String,
    },
    /// A condition that can block tasks was declared.
    #[serde(rename = "condition_declared")]
    ConditionDeclared {
        /// The new condition.
        condition_id: EntityId,
        /// `cond:{project}:{text}`.
        #[serde(deserialize_with = "codec::text")]
        canonical_key: String,
        /// The project it belongs to.
        project: String,
        /// The text of the condition.
        #[serde(deserialize_with = "codec::text")]
        text: String,
        /// Tasks that it may refer to, best first.
        #[serde(default)]
        candidates: Vec<TaskCandidate>,
        /// True if the library created it for an unnamed blocker.
        #[serde(default)]
        auto_placeholder: bool,
    },
    /// An artifact that can block tasks was declared.
    #[serde(rename = "artifact_declared")]
    ArtifactDeclared {
        /// The new artifact.
        artifact_id: EntityId,
        /// `art:…`.
        #[serde(deserialize_with = "codec::text")]
        canonical_key: String,
        /// What it is.
        #[serde(rename = "artifact_type")]
        kind: ArtifactKind,
        /// The identifier as it was written.
        #[serde(deserialize_with = "codec::text")]
        identifier: String,
    },
    /// A condition turned out to be another entity.
    #[serde(rename = "condition_resolved_to")]
    ConditionResolvedTo {
        /// The condition.
        condition_id: EntityId,
        /// The entity it turned out to be.
        #[serde(serialize_with = "write_entity", deserialize_with = "read_entity")]
        resolved_to: (EntityKind, EntityId),
        /// Why this is believed.
        #[serde(rename = "resolution_type")]
        resolution: ResolutionType,
        /// How certain it is, from 0 to 1.
        #[serde(deserialize_with = "codec::unit")]
        confidence: f64,
    },
    /// A task's title changed; the old key stays as an alias.
    #[serde(rename = "task_title_changed")]
    TitleChanged {
        /// The task.
        task_id: EntityId,
        /// The old title.
        from: String,
        /// The new title.
        #[serde(deserialize_with = "codec::text")]
        to: String,
        /// The new key.
        #[serde(deserialize_with = "codec::text")]
        canonical_key: String,
    },
}

/// One event and who caused it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskEvent {
    /// Who said it.
    pub source: Source,
    /// What happened.
    pub payload: TaskPayload,
}

impl TaskEvent {
    /// Returns the kind under which the log stores it.
    pub fn kind(&self) -> EventKind {
        match &self.payload {
            TaskPayload::Created { .. } => EventKind::TaskCreated,
            TaskPayload::StatusChanged { .. } => EventKind::TaskStatusChanged,
            TaskPayload::PriorityChanged { .. } => EventKind::TaskPriorityChanged,
            TaskPayload::BlockersSet { .. } => EventKind::TaskBlockersSet,
            TaskPayload::TransitionRejected { .. } => EventKind::TaskTransitionRejected,
            TaskPayload::ConditionDeclared { .. } => EventKind::ConditionDeclared,
            TaskPayload::ArtifactDeclared { .. } => EventKind::ArtifactDeclared,
            TaskPayload::ConditionResolvedTo { .. } => EventKind::ConditionResolvedTo,
            TaskPayload::TitleChanged { .. } => EventKind::TaskTitleChanged,
        }
    }

    /// Returns the task, condition or artifact it is about.
    pub fn subject(&self) -> &EntityId {
        match &self.payload {
            TaskPayload::Created { task_id, .. }
            | TaskPayload::StatusChanged { task_id, .. }
            | TaskPayload::PriorityChanged { task_id, .. }
            | TaskPayload::BlockersSet { task_id, .. }
            | TaskPayload::TransitionRejected { task_id, .. }
            | TaskPayload::TitleChanged { task_id, .. } => task_id,
            TaskPayload::ConditionDeclared { condition_id, .. }
            | TaskPayload::ConditionResolvedTo { condition_id, .. } => condition_id,
            TaskPayload::ArtifactDeclared { artifact_id, .. } => artifact_id,
        }
    }

    /// Returns the dedupe key by which the same act is one event: BLAKE3 (64 hex digits)
    /// over the length-prefixed kind, subject, session, source entry and payload. Two acts
    /// of one session from different entries remain two.
    pub fn dedupe_key(&self) -> String {
        let payload = self.to_json();
        let mut hasher = blake3::Hasher::new();
        for part in [
            self.kind().as_str(),
            self.subject().as_str(),
            &self.source.session,
            &self.source.entry,
            payload.as_str(),
        ] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns the payload as stored in the log. The session is the event's own.
    pub fn to_json(&self) -> Json {
        let (_, mut value) = codec::variant(&self.payload);
        value["source_entry_id"] = Value::from(self.source.entry.as_str());
        Json::from_value(&value)
    }

    /// Reads the payload as stored in the log.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing, unknown or
    /// against the rules, for example `task_status_changed.to_status`;
    /// `unsupported` when the kind is no task event.
    pub fn from_json(kind: EventKind, session: &str, payload: &Json) -> Result<Self> {
        if !TaskEvent::is_kind(kind) {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!("{kind} is not a task event"),
            )
            .with_argument("kind"));
        }
        let value = payload.to_value();
        let said: Said = codec::from_value(kind.as_str(), &value)?;
        Ok(TaskEvent {
            source: Source::new(session, said.source_entry_id),
            payload: codec::from_variant(kind.as_str(), &value)?,
        })
    }

    /// Whether events of this kind are acts on tasks.
    pub(crate) fn is_kind(kind: EventKind) -> bool {
        kind.is_of_task()
    }
}

/// The fields common to all acts on a task.
#[derive(Deserialize)]
struct Said {
    source_entry_id: String,
}

/// The stored form of a move: only one to blocked has lists of blockers.
#[derive(Serialize, Deserialize)]
struct StatusChangedForm {
    task_id: EntityId,
    from_status: TaskStatus,
    to_status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    blockers: Option<Vec<BlockerRef>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocker_suggestions: Option<Vec<BlockerRef>>,
    reason: Option<String>,
}

fn write_status_changed<S: Serializer>(
    task_id: &EntityId,
    from: &TaskStatus,
    to: &StatusMove,
    reason: &Option<String>,
    out: S,
) -> Result<S::Ok, S::Error> {
    let (blockers, blocker_suggestions) = match to {
        StatusMove::Blocked(blockers) => (
            Some(blockers.confirmed().to_vec()),
            Some(blockers.suggested().to_vec()),
        ),
        _ => (None, None),
    };
    let form = StatusChangedForm {
        task_id: task_id.clone(),
        from_status: *from,
        to_status: to.status(),
        blockers,
        blocker_suggestions,
        reason: reason.clone(),
    };
    form.serialize(out)
}

/// The fields of the variant, in the form that serde expects.
fn read_status_changed<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<(EntityId, TaskStatus, StatusMove, Option<String>), D::Error> {
    let form = StatusChangedForm::deserialize(from)?;
    let to = match form.to_status {
        TaskStatus::Pending => StatusMove::Pending,
        TaskStatus::InProgress => StatusMove::InProgress,
        TaskStatus::Done => StatusMove::Done,
        TaskStatus::Cancelled => StatusMove::Cancelled,
        TaskStatus::Blocked => {
            let suggested = form.blocker_suggestions.unwrap_or_default();
            let blockers = Blockers::new(form.blockers.unwrap_or_default(), suggested);
            StatusMove::Blocked(blockers.map_err(|error| {
                serde::de::Error::custom(Refused::new("blockers", error.problem()))
            })?)
        }
    };
    Ok((form.task_id, form.from_status, to, form.reason))
}

fn write_entity<S: Serializer>(entity: &(EntityKind, EntityId), to: S) -> Result<S::Ok, S::Error> {
    EntityRef::from(entity.clone()).serialize(to)
}

fn read_entity<'de, D: Deserializer<'de>>(from: D) -> Result<(EntityKind, EntityId), D::Error> {
    EntityRef::deserialize(from).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: EventKind, text: &str) -> Result<TaskEvent> {
        TaskEvent::from_json(kind, "s", &Json::parse("payload", text)?)
    }

    #[test]
    fn an_unknown_status_is_an_error_that_names_the_element() {
        let error = parse(
            EventKind::TaskStatusChanged,
            r#"{"source_entry_id":"e","task_id":"t","from_status":"pending","to_status":"finished"}"#,
        )
        .expect_err("unknown status");
        assert_eq!(error.argument(), Some("task_status_changed.to_status"));
    }

    #[test]
    fn a_move_to_blocked_without_blockers_cannot_be_read() {
        let error = parse(
            EventKind::TaskStatusChanged,
            r#"{"source_entry_id":"e","task_id":"t","from_status":"pending","to_status":"blocked"}"#,
        )
        .expect_err("no blockers");
        assert_eq!(error.argument(), Some("task_status_changed.blockers"));
    }

    #[test]
    fn a_task_cannot_be_created_blocked_or_done() {
        for status in ["blocked", "done", "cancelled"] {
            let error = parse(
                EventKind::TaskCreated,
                &format!(
                    r#"{{"source_entry_id":"e","task_id":"t","canonical_key":"task:p:t","project":"p","title":"T","initial_status":"{status}"}}"#
                ),
            )
            .expect_err("only pending or in_progress");
            assert_eq!(error.argument(), Some("task_created.initial_status"));
        }
    }

    #[test]
    fn the_dedupe_key_tells_entries_and_sessions_apart() {
        let event = |session: &str, entry: &str| TaskEvent {
            source: Source::new(session, entry),
            payload: TaskPayload::PriorityChanged {
                task_id: EntityId::new("t"),
                from: Priority::Low,
                to: Priority::High,
            },
        };
        let key = event("s", "e1").dedupe_key();
        assert_eq!(key.len(), 64);
        assert_eq!(key, event("s", "e1").dedupe_key());
        assert_ne!(key, event("s", "e2").dedupe_key());
        // The parts are length-prefixed, so moving a colon between them matters.
        assert_ne!(
            event("s:e", "1").dedupe_key(),
            event("s", "e:1").dedupe_key()
        );
    }

    #[test]
    fn other_kinds_are_refused() {
        let error = parse(EventKind::UserPrompt, r#"{"source_entry_id":"e"}"#)
            .expect_err("not a task event");
        assert_eq!(error.code(), ErrorCode::Unsupported);
    }
}
