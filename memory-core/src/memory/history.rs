//! What the learning pipeline did, and what was decided.

use crate::learn::history;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::rules::history::{BuildRun, Decision, PipelineMetric, PromotionRecord};

/// The ledgers of a memory; see [`Memory::history`].
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// The ledgers: build runs, metrics, promotions and decisions.
    pub fn history(&self) -> History<'_> {
        History { memory: self }
    }
}

impl History<'_> {
    /// Returns the newest runs of the pipeline, at most `limit` of them, 1,000 by default,
    /// in the order in which they began.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn build_runs(&self, limit: Option<usize>) -> Result<Vec<BuildRun>> {
        history::build_runs(self.memory.enter()?, limit)
    }

    /// Returns how long each stage of the pipeline took: the newest `limit` measurements,
    /// 1,000 by default, in log order.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn pipeline_metrics(&self, limit: Option<usize>) -> Result<Vec<PipelineMetric>> {
        history::pipeline_metrics(self.memory.enter()?, limit)
    }

    /// Returns the newest promotions of entries, including refused ones, at most `limit` of
    /// them, 1,000 by default, in log order.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn promotions(&self, limit: Option<usize>) -> Result<Vec<PromotionRecord>> {
        history::promotions(self.memory.enter()?, limit)
    }

    /// Returns the newest recorded decisions, at most `limit` of them, 1,000 by default, in
    /// the order in which they were made.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn decisions(&self, limit: Option<usize>) -> Result<Vec<Decision>> {
        history::decisions(self.memory.enter()?, limit)
    }

    /// Records a decision. Its evidence must be in the store, be verified or certified, and
    /// have been known before the decision was made. The stage of an entry is compared with the
    /// store; that of an entity is the caller's word.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming the element, for example `evidence[1].known_at`, or `project`
    /// while recording of the memory's own one is paused; `not_found` naming
    /// `evidence[1].evidence_id`; `invariant_violation` when an entry does not have the stage that
    /// is claimed; `already_exists` when the decision was recorded before.
    pub fn record_decision(&self, decision: &Decision) -> Result<()> {
        history::record_decision(self.memory.enter()?, decision)
    }
}
