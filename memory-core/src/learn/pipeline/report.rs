//! What an ingestion took in.

use crate::rules::entries::{EntryId, EvidenceReport, Stage};
use crate::rules::tasks::{EntityId, TaskStatus};

/// The result for one entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IngestedEntry {
    /// Its id in the extraction.
    pub local_id: String,
    /// Its id in the store.
    pub entry_id: EntryId,
    /// Whether this call added it to the store.
    pub is_new: bool,
    /// The stage that its evidence supports.
    pub stage: Stage,
    /// Where its quotes were found, and which were not found.
    pub evidence: EvidenceReport,
}

/// The result for one task.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IngestedTask {
    /// Its id in the extraction.
    pub local_id: String,
    /// The task that it refers to.
    pub task_id: EntityId,
    /// Whether this call created the task.
    pub is_new: bool,
    /// Its status now. A task that an answer reports as done before it was begun is
    /// `in_progress`.
    pub status: TaskStatus,
    /// The number of events that were recorded about the task and its blockers.
    pub acts: usize,
    /// Where its quotes were found, and which were not found.
    pub evidence: EvidenceReport,
}

/// The result of [`Memory::ingest`](crate::Memory::ingest).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IngestReport {
    /// The id of the run in the ledger.
    pub build_id: String,
    /// The session.
    pub session: String,
    /// True if the same extraction was ingested before; nothing was written.
    pub already_ingested: bool,
    /// The results for the entries, in the order of the extraction.
    pub entries: Vec<IngestedEntry>,
    /// The results for the tasks, in the order of the extraction.
    pub tasks: Vec<IngestedTask>,
    /// The entries and tasks that were not ingested because they quote a message that has been
    /// forgotten or erased in the meantime, by their ids in the extraction. If that happened to one
    /// of the [`IngestOptions::messages`](super::IngestOptions::messages), those that quote nothing
    /// are left out as well, because they may come from it. So are the tasks of another project
    /// that is paused. Known entries to which a relation leads and which are not there, or are of
    /// another project, are named by the ids that the relations give.
    pub left_out: Vec<String>,
    /// The number of events that were recorded.
    pub events: usize,
}
