//! How the text of a blocker is read: as an artifact, a known task or a condition.

use crate::model::error::Result;
use crate::rules::tasks::blockers::{BlockerConfidence, TaskCandidate};
use crate::rules::tasks::entity::{ArtifactKind, EntityId, EntityKind};
use crate::rules::tasks::view::TaskView;
use crate::rules::tasks::{keys, matcher};

/// What the text of a blocker refers to. Reading a text never creates a task: a text that
/// refers to no known task stays a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Classified {
    /// A web address, a ticket or an issue.
    Artifact {
        /// What it is.
        kind: ArtifactKind,
        /// `art:…`.
        canonical_key: String,
    },
    /// A known task.
    Task {
        /// The id of the task.
        id: EntityId,
    },
    /// Anything else.
    Condition {
        /// Tasks that it may refer to, best first.
        candidates: Vec<TaskCandidate>,
    },
}

impl Classified {
    /// Returns what kind of entity it is.
    pub fn kind(&self) -> EntityKind {
        match self {
            Classified::Artifact { .. } => EntityKind::Artifact,
            Classified::Task { .. } => EntityKind::Task,
            Classified::Condition { .. } => EntityKind::Condition,
        }
    }

    /// Returns how certain the reading is.
    pub fn confidence(&self) -> BlockerConfidence {
        match self {
            Classified::Artifact { .. } | Classified::Task { .. } => BlockerConfidence::High,
            Classified::Condition { .. } => BlockerConfidence::None,
        }
    }
}

/// Reads the text of a blocker, in this order: artifact, explicit task key
/// (`task:{project}:{identity}`), strict title match, condition. `blocked` is the task
/// being blocked, which never blocks itself.
///
/// # Errors
/// Only those of the view.
pub fn classify(
    view: &dyn TaskView,
    project: &str,
    text: &str,
    blocked: Option<&EntityId>,
) -> Result<Classified> {
    let text = text.trim();
    if let Some((kind, canonical_key)) = keys::artifact_key(text) {
        return Ok(Classified::Artifact {
            kind,
            canonical_key,
        });
    }
    if keys::is_task_key(text) {
        let mut found = view.find(EntityKind::Task, text)?;
        for key in keys::normalized_task_keys(text) {
            if found.is_none() {
                found = view.find(EntityKind::Task, &key)?;
            }
        }
        return Ok(match found {
            Some(hit) if Some(&hit.id) != blocked => Classified::Task { id: hit.id },
            _ => Classified::Condition {
                candidates: Vec::new(),
            },
        });
    }
    let candidates = matcher::find_candidates(view, project, text, blocked)?;
    Ok(match matcher::strict_match(&candidates) {
        Some(found) => Classified::Task {
            id: found.task.id.clone(),
        },
        None => Classified::Condition {
            candidates: matcher::suggestions(&candidates),
        },
    })
}

/// Returns the text of the condition that stands for an unnamed blocker.
pub(crate) fn placeholder_text(title: &str) -> String {
    format!("Unknown blocker for {title}")
}
