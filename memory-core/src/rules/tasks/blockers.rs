//! What blocks a task: references to entities, and the lists of blockers that a blocked
//! task owns.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::read::words;
use crate::rules::tasks::entity::{EntityId, EntityKind};

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
#[non_exhaustive]
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
#[non_exhaustive]
pub struct BlockerRef {
    /// What kind of entity it is.
    pub kind: EntityKind,
    /// The id of the entity.
    pub entity_id: EntityId,
    /// The words that named it.
    pub raw_text: String,
    /// How certain the reading is.
    pub confidence: BlockerConfidence,
    /// Tasks that the words may refer to, if the confidence is [`BlockerConfidence::None`].
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
                ErrorCode::InvariantViolation,
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

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut BlockerRef> {
        self.confirmed.iter_mut().chain(&mut self.suggested)
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
