//! What blocks a task: references to entities, the lists of blockers that a blocked task
//! owns, and how the text of a blocker is read.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::read::words;
use crate::rules::tasks::model::{ArtifactKind, EntityId, EntityKind};
use crate::rules::tasks::view::TaskView;
use crate::rules::tasks::{keys, matcher};

words! {
    /// How certain it is that the text of a blocker refers to its entity.
    BlockerConfidence ("confidence") {
        /// Certain: an artifact, a task key, or a strict title match.
        High = "high",
        /// Likely, but not confirmed.
        Suggested = "suggested",
        /// Not known to refer to any task; a condition stands for the text.
        None = "none",
    }
}

words! {
    /// Whether a list of blockers replaces the confirmed ones or is a suggestion.
    BlockersMode ("mode") {
        /// Confirmed by evidence; replaces the confirmed blockers.
        Replace = "replace",
        /// Without evidence; replaces only the suggested blockers.
        Suggest = "suggest",
    }
}

/// A task that a condition may refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskCandidate {
    /// The id of the task.
    pub entity_id: EntityId,
    /// Its title when it was suggested.
    pub title: String,
    /// How well it matches, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub score: f64,
}

/// A reference to something that blocks a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockerRef {
    /// What kind of entity it is.
    pub kind: EntityKind,
    /// The id of the entity.
    pub entity_id: EntityId,
    /// The words that named it.
    pub raw_text: String,
    /// How certain the reading is.
    pub confidence: BlockerConfidence,
    /// Tasks that the words may refer to, if the confidence is `None`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<TaskCandidate>,
}

/// The confirmed and suggested blockers of a blocked task, never both empty. A task that is
/// blocked only by suggestions is tolerated; a blocked task without any blocker cannot be
/// created.
#[derive(Clone, Debug, PartialEq)]
pub struct Blockers {
    confirmed: Vec<BlockerRef>,
    suggested: Vec<BlockerRef>,
}

impl Blockers {
    /// Combines the lists. Each entity is kept once per list.
    ///
    /// # Errors
    /// `invariant_violation` when both lists are empty.
    pub fn new(confirmed: Vec<BlockerRef>, suggested: Vec<BlockerRef>) -> Result<Self> {
        if confirmed.is_empty() && suggested.is_empty() {
            return Err(Error::new(
                crate::model::error::ErrorCode::InvariantViolation,
                "a blocked task needs at least one blocker",
            ));
        }
        Ok(Blockers {
            confirmed: unique(confirmed),
            suggested: unique(suggested),
        })
    }

    /// Returns the confirmed blockers, in the order in which they were named.
    pub fn confirmed(&self) -> &[BlockerRef] {
        &self.confirmed
    }

    /// Returns the suggested blockers, in the order in which they were named.
    pub fn suggested(&self) -> &[BlockerRef] {
        &self.suggested
    }
}

pub(crate) fn unique(refs: Vec<BlockerRef>) -> Vec<BlockerRef> {
    let mut kept: Vec<BlockerRef> = Vec::with_capacity(refs.len());
    for one in refs {
        if !kept
            .iter()
            .any(|k| k.kind == one.kind && k.entity_id == one.entity_id)
        {
            kept.push(one);
        }
    }
    kept
}

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
pub fn placeholder_text(title: &str) -> String {
    format!("Unknown blocker for {title}")
}
