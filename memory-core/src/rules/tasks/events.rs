//! The acts that change tasks, conditions and artifacts, with typed payloads:
//! what the log keeps and what the projector folds.

use serde_json::{Value, json};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::json::Json;
use crate::model::read::{Element, words};
use crate::rules::tasks::blockers::{BlockerRef, Blockers, BlockersMode, TaskCandidate};
use crate::rules::tasks::model::{
    ArtifactKind, EntityId, EntityKind, candidates_from, candidates_to_value, refs_from,
    refs_to_value, target_from, target_to_value,
};
use crate::rules::tasks::status::{InitialStatus, Priority, TaskStatus};

/// Who said it: a session, and within it an entry (or, for a direct call, the
/// id of that call).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The session.
    pub session: String,
    /// The extracted entry.
    pub entry: String,
}

impl Source {
    /// An entry of a session.
    pub fn new(session: impl Into<String>, entry: impl Into<String>) -> Self {
        Source {
            session: session.into(),
            entry: entry.into(),
        }
    }
}

words! {
    /// Why a condition is taken to be another entity.
    ResolutionType ("resolution_type") {
        /// Its text is exactly the other's name.
        ExactMatch = "exact_match",
        /// A person said so.
        UserConfirmed = "user_confirmed",
        /// The library found it beyond doubt.
        AutoResolved = "auto_resolved",
    }
}

/// Where a task moves. Only the move to blocked carries blockers, and always.
#[derive(Clone, Debug, PartialEq)]
pub enum StatusMove {
    /// To pending: the task was opened again.
    Pending,
    /// To in_progress.
    InProgress,
    /// To blocked, by these.
    Blocked(Blockers),
    /// To done.
    Done,
    /// To cancelled.
    Cancelled,
}

impl StatusMove {
    /// The status afterwards.
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
#[derive(Clone, Debug, PartialEq)]
pub enum TaskPayload {
    /// A task came into being.
    Created {
        /// The new task.
        task_id: EntityId,
        /// `task:{project}:{title}`.
        canonical_key: String,
        /// The project it belongs to.
        project: String,
        /// What it is called.
        title: String,
        /// More about it.
        description: Option<String>,
        /// Where it starts.
        initial_status: InitialStatus,
        /// How urgent it is.
        priority: Priority,
    },
    /// A task moved to another status.
    StatusChanged {
        /// The task.
        task_id: EntityId,
        /// Where it stood.
        from: TaskStatus,
        /// Where it stands now.
        to: StatusMove,
        /// Why, when it is not simply what was asked for.
        reason: Option<String>,
    },
    /// A task's priority changed.
    PriorityChanged {
        /// The task.
        task_id: EntityId,
        /// The old priority.
        from: Priority,
        /// The new priority.
        to: Priority,
    },
    /// A task's blockers were replaced or suggested.
    BlockersSet {
        /// The task.
        task_id: EntityId,
        /// Which of the two lists is replaced.
        mode: BlockersMode,
        /// The whole new list.
        blockers: Vec<BlockerRef>,
    },
    /// A requested move was refused.
    TransitionRejected {
        /// The task.
        task_id: EntityId,
        /// Where it stood.
        from: TaskStatus,
        /// Where it was asked to go.
        to: TaskStatus,
        /// Why it may not.
        reason: String,
    },
    /// A condition that can block tasks was declared.
    ConditionDeclared {
        /// The new condition.
        condition_id: EntityId,
        /// `cond:{project}:{text}`.
        canonical_key: String,
        /// The project it belongs to.
        project: String,
        /// What was said.
        text: String,
        /// Tasks that it may mean, best first.
        candidates: Vec<TaskCandidate>,
        /// True when the library made it up for a blocker nobody named.
        auto_placeholder: bool,
    },
    /// An artifact that can block tasks was declared.
    ArtifactDeclared {
        /// The new artifact.
        artifact_id: EntityId,
        /// `art:…`.
        canonical_key: String,
        /// What it is.
        kind: ArtifactKind,
        /// As it was written.
        identifier: String,
    },
    /// A condition turned out to be another entity.
    ConditionResolvedTo {
        /// The condition.
        condition_id: EntityId,
        /// What it is.
        resolved_to: (EntityKind, EntityId),
        /// Why this is believed.
        resolution: ResolutionType,
        /// How sure, from 0 to 1.
        confidence: f64,
    },
    /// A task's title changed; the old key stays as an alias.
    TitleChanged {
        /// The task.
        task_id: EntityId,
        /// The old title.
        from: String,
        /// The new title.
        to: String,
        /// The new key.
        canonical_key: String,
    },
}

/// One act and who said it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskEvent {
    /// Who said it.
    pub source: Source,
    /// What happened.
    pub payload: TaskPayload,
}

impl TaskEvent {
    /// The kind under which the log keeps it.
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

    /// The task, condition or artifact it is about.
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

    /// The key under which the same act is one event: BLAKE3 (64 hex digits)
    /// over the length-prefixed kind, subject, session, source entry and
    /// payload. Two acts of one session from different entries stay two.
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

    /// The payload as the log keeps it. The session is the event's own.
    pub fn to_json(&self) -> Json {
        let mut value = self.payload_value();
        value["source_entry_id"] = Value::from(self.source.entry.as_str());
        Json::from_value(&value)
    }

    fn payload_value(&self) -> Value {
        match &self.payload {
            TaskPayload::Created {
                task_id,
                canonical_key,
                project,
                title,
                description,
                initial_status,
                priority,
            } => json!({
                "task_id": task_id.as_str(),
                "canonical_key": canonical_key,
                "project": project,
                "title": title,
                "description": description,
                "initial_status": initial_status.as_str(),
                "priority": priority.as_str(),
            }),
            TaskPayload::StatusChanged {
                task_id,
                from,
                to,
                reason,
            } => {
                let mut value = json!({
                    "task_id": task_id.as_str(),
                    "from_status": from.as_str(),
                    "to_status": to.status().as_str(),
                    "reason": reason,
                });
                if let StatusMove::Blocked(blockers) = to {
                    value["blockers"] = refs_to_value(blockers.confirmed());
                    value["blocker_suggestions"] = refs_to_value(blockers.suggested());
                }
                value
            }
            TaskPayload::PriorityChanged { task_id, from, to } => json!({
                "task_id": task_id.as_str(),
                "from": from.as_str(),
                "to": to.as_str(),
            }),
            TaskPayload::BlockersSet {
                task_id,
                mode,
                blockers,
            } => json!({
                "task_id": task_id.as_str(),
                "mode": mode.as_str(),
                "blockers": refs_to_value(blockers),
            }),
            TaskPayload::TransitionRejected {
                task_id,
                from,
                to,
                reason,
            } => json!({
                "task_id": task_id.as_str(),
                "from_status": from.as_str(),
                "to_status": to.as_str(),
                "reason": reason,
            }),
            TaskPayload::ConditionDeclared {
                condition_id,
                canonical_key,
                project,
                text,
                candidates,
                auto_placeholder,
            } => json!({
                "condition_id": condition_id.as_str(),
                "canonical_key": canonical_key,
                "project": project,
                "text": text,
                "candidates": candidates_to_value(candidates),
                "auto_placeholder": auto_placeholder,
            }),
            TaskPayload::ArtifactDeclared {
                artifact_id,
                canonical_key,
                kind,
                identifier,
            } => json!({
                "artifact_id": artifact_id.as_str(),
                "canonical_key": canonical_key,
                "artifact_type": kind.as_str(),
                "identifier": identifier,
            }),
            TaskPayload::ConditionResolvedTo {
                condition_id,
                resolved_to,
                resolution,
                confidence,
            } => json!({
                "condition_id": condition_id.as_str(),
                "resolved_to": target_to_value(resolved_to),
                "resolution_type": resolution.as_str(),
                "confidence": confidence,
            }),
            TaskPayload::TitleChanged {
                task_id,
                from,
                to,
                canonical_key,
            } => json!({
                "task_id": task_id.as_str(),
                "from": from,
                "to": to,
                "canonical_key": canonical_key,
            }),
        }
    }

    /// Reads what the log kept.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is missing, unknown or
    /// against the rules, for example `task_status_changed.to_status`;
    /// `unsupported` when the kind is no task event.
    pub fn from_json(kind: EventKind, session: &str, payload: &Json) -> Result<Self> {
        let value = payload.to_value();
        let root = Element::root(kind.as_str(), &value);
        let source = Source::new(session, root.required("source_entry_id")?.str()?);
        let id = |name: &str| root.required(name)?.text().map(EntityId::new);
        let payload = match kind {
            EventKind::TaskCreated => TaskPayload::Created {
                task_id: id("task_id")?,
                canonical_key: root.required("canonical_key")?.text()?,
                project: root.required("project")?.string()?,
                title: root.required("title")?.text()?,
                description: root.optional_string("description")?,
                initial_status: root.required("initial_status")?.parse()?,
                priority: root
                    .optional("priority")?
                    .map_or_else(|| Ok(Priority::default()), |e| e.parse())?,
            },
            EventKind::TaskStatusChanged => TaskPayload::StatusChanged {
                task_id: id("task_id")?,
                from: root.required("from_status")?.parse()?,
                to: read_move(&root)?,
                reason: root.optional_string("reason")?,
            },
            EventKind::TaskPriorityChanged => TaskPayload::PriorityChanged {
                task_id: id("task_id")?,
                from: root.required("from")?.parse()?,
                to: root.required("to")?.parse()?,
            },
            EventKind::TaskBlockersSet => TaskPayload::BlockersSet {
                task_id: id("task_id")?,
                mode: root.required("mode")?.parse()?,
                blockers: refs_from(&root, "blockers")?,
            },
            EventKind::TaskTransitionRejected => TaskPayload::TransitionRejected {
                task_id: id("task_id")?,
                from: root.required("from_status")?.parse()?,
                to: root.required("to_status")?.parse()?,
                reason: root.required("reason")?.string()?,
            },
            EventKind::ConditionDeclared => TaskPayload::ConditionDeclared {
                condition_id: id("condition_id")?,
                canonical_key: root.required("canonical_key")?.text()?,
                project: root.required("project")?.string()?,
                text: root.required("text")?.text()?,
                candidates: candidates_from(&root)?,
                auto_placeholder: root
                    .optional("auto_placeholder")?
                    .map_or(Ok(false), |e| e.bool())?,
            },
            EventKind::ArtifactDeclared => TaskPayload::ArtifactDeclared {
                artifact_id: id("artifact_id")?,
                canonical_key: root.required("canonical_key")?.text()?,
                kind: root.required("artifact_type")?.parse()?,
                identifier: root.required("identifier")?.text()?,
            },
            EventKind::ConditionResolvedTo => TaskPayload::ConditionResolvedTo {
                condition_id: id("condition_id")?,
                resolved_to: target_from(&root.required("resolved_to")?)?,
                resolution: root.required("resolution_type")?.parse()?,
                confidence: root.required("confidence")?.unit()?,
            },
            EventKind::TaskTitleChanged => TaskPayload::TitleChanged {
                task_id: id("task_id")?,
                from: root.required("from")?.string()?,
                to: root.required("to")?.text()?,
                canonical_key: root.required("canonical_key")?.text()?,
            },
            other => {
                return Err(Error::new(
                    ErrorCode::Unsupported,
                    format!("{other} is not a task event"),
                )
                .with_argument("kind"));
            }
        };
        Ok(TaskEvent { source, payload })
    }
}

fn read_move(root: &Element<'_>) -> Result<StatusMove> {
    Ok(match root.required("to_status")?.parse()? {
        TaskStatus::Pending => StatusMove::Pending,
        TaskStatus::InProgress => StatusMove::InProgress,
        TaskStatus::Done => StatusMove::Done,
        TaskStatus::Cancelled => StatusMove::Cancelled,
        TaskStatus::Blocked => StatusMove::Blocked(
            Blockers::new(
                refs_from(root, "blockers")?,
                refs_from(root, "blocker_suggestions")?,
            )
            .map_err(|e| e.about(format!("{}.blockers", root.path())))?,
        ),
    })
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
        // The parts are length-prefixed: moving a colon between them matters.
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
