//! One memory in several stores: what is sent to others and what is accepted from them.
//!
//! A store signs each shared record with its own key ([`keys`]); records travel as lines of text
//! ([`lines`]) by any means the host has. [`send`] makes batches, [`folder`] keeps them as files,
//! [`receive`] stores a batch whose records [`incoming`] has validated and [`same`] has compared
//! with those that are here ([`late`] ones may refer to what is erased), and [`hash`] tells whether two stores agree. An [`announcement`] says
//! who a store is. What a record is [`about`] decides who may not see it. Only the log travels: each store builds its own indexes.

pub(crate) mod about;
pub(crate) mod announcement;
mod batch_files;
pub(crate) mod folder;
pub(crate) mod hash;
mod incoming;
pub(crate) mod keys;
mod late;
pub(crate) mod lines;
pub(crate) mod members;
mod merging;
mod order;
pub(crate) mod receive;
mod same;
pub(crate) mod send;
#[cfg(test)]
mod tests;
pub(crate) mod withheld;

use crate::model::event::EventKind;

/// Fewer records do not justify another thread: a signature takes about 50 µs.
pub(crate) const RECORDS_PER_THREAD: usize = 64;

/// Whether records of this kind are shared. How memories were used, the store's settings,
/// and how its learning ran stay local.
pub(crate) fn is_shared(kind: EventKind) -> bool {
    match kind {
        EventKind::UserPrompt
        | EventKind::AgentResponse
        | EventKind::SessionSummary
        | EventKind::ToolObservation
        | EventKind::EntryChanged
        | EventKind::DecisionMade
        | EventKind::ConflictChanged
        | EventKind::EdgeChanged
        | EventKind::TaskCreated
        | EventKind::TaskStatusChanged
        | EventKind::TaskPriorityChanged
        | EventKind::TaskBlockersSet
        | EventKind::TaskTransitionRejected
        | EventKind::ConditionDeclared
        | EventKind::ArtifactDeclared
        | EventKind::ConditionResolvedTo
        | EventKind::TaskTitleChanged
        | EventKind::SessionChanged
        | EventKind::Forgotten
        | EventKind::Erased
        | EventKind::Consolidated
        | EventKind::MemoryResolved => true,
        EventKind::SessionIngested
        | EventKind::MemoryExtracted
        | EventKind::EvidenceAligned
        | EventKind::EntriesChecked
        | EventKind::BuildRun
        | EventKind::PipelineMetric
        | EventKind::Accessed
        | EventKind::Injected
        | EventKind::LevelChanged
        | EventKind::ContinuityScored
        | EventKind::SettingChanged
        | EventKind::PinChanged => false,
    }
}
