//! Shared by all handles of one open memory: the store, this process's indexes, the privacy
//! filter and the embedder.

pub(crate) mod accesses;
pub(crate) mod effective;
pub(crate) mod embedding;
pub(crate) mod hnsw_graphs;
pub(crate) mod injections;
pub(crate) mod learned_index;
pub(crate) mod learned_vectors;
pub(crate) mod lexical;
pub(crate) mod lifetime;
pub(crate) mod logger;
pub(crate) mod merging;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod question_vector;
pub(crate) mod recall_cache;
pub(crate) mod settings;
pub(crate) mod tuning;
pub(crate) mod vectors;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::accesses::Accesses;
use crate::engine::effective::EffectiveSetting;
use crate::engine::embedding::Embedding;
use crate::engine::injections::PendingInjections;
use crate::engine::learned_index::LearnedIndex;
use crate::engine::lexical::LexicalIndex;
use crate::engine::lifetime::Lifetime;
use crate::engine::logger::{Logger, Target, counted};
use crate::engine::recall_cache::RecallCaches;
use crate::engine::tuning::Tuning;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::weights::RecallWeights;
use crate::model::zone::Zone;
use crate::privacy::PrivacyFilter;
use crate::rules::history::PipelineStage;
use crate::store::Store;
use crate::store::generations::pending_erasures::Cleaned;
use crate::store::running::Operations;
use crate::text::tool::{ToolLimits, ToolPolicy};

/// Shared by all handles of one `open`.
pub(crate) struct Engine {
    pub(crate) store: Arc<Store>,
    pub(crate) filter: PrivacyFilter,
    pub(crate) tool_limits: ToolLimits,
    /// Which tool calls an append stores.
    pub(crate) tool_policy: ToolPolicy,
    pub(crate) project: String,
    pub(crate) lexical: LexicalIndex,
    pub(crate) embedding: Option<Embedding>,
    pub(crate) lifetime: Lifetime,
    /// The long operations of this memory.
    pub(crate) operations: Operations,
    /// The program's logger.
    pub(crate) logger: Logger,
    /// Accesses that are not yet in the log.
    pub(crate) accesses: Accesses,
    pub(crate) learned_index: LearnedIndex,
    /// The pipeline stage that a test wants to fail.
    #[cfg(test)]
    pub(crate) fails_at: parking_lot::Mutex<Option<PipelineStage>>,
    pub(crate) injections: PendingInjections,
    /// By a hash of what was signed: the signatures of the answers that this store last gave to others.
    pub(crate) signed_answers: parking_lot::Mutex<HashMap<[u8; 32], String>>,
    pub(crate) caches: RecallCaches,
    pub(crate) recall_weights: RecallWeights,
    /// Whether `maintain` learns from conversations by rules, without a model.
    pub(crate) learns_by_rules: bool,
    /// The time zone of the days that questions name.
    pub(crate) zone: Zone,
    pub(crate) tuning: Tuning,
    /// Every setting in force and its source.
    pub(crate) effective: Vec<EffectiveSetting>,
    pub(crate) closed: AtomicBool,
    /// The process that opened the memory: locks do not survive a fork.
    pub(crate) process: u32,
}

impl Engine {
    /// Continues open erase orders and logs their progress.
    pub(crate) fn resume_erasures(&self, wait: Duration) -> Result<Cleaned> {
        let cleaned = self.store.resume_erasures(wait)?;
        self.tell_erasing(cleaned.completed, cleaned.open.len());
        Ok(cleaned)
    }

    /// Logs earlier erasures that are now complete, and files that block one.
    pub(crate) fn tell_erasing(&self, completed: u64, open_files: usize) {
        if completed > 0 {
            self.logger.info(Target::Upkeep, || {
                format!("completed {}", counted(completed, "earlier erasure"))
            });
        }
        if open_files > 0 {
            self.logger.warn(Target::Upkeep, || {
                let files = counted(open_files as u64, "file");
                format!("erasing waits for {files} open elsewhere; call maintain() to finish it")
            });
        }
    }

    /// The warning for receipts if the store is large, or the error if it has reached its
    /// limit. A store that cannot be measured now is neither: the write itself may succeed.
    pub(crate) fn check_space(&self) -> Result<Option<String>> {
        match self.store.folder().live_bytes() {
            Ok(bytes) => self.lifetime.check_space(bytes),
            Err(_) => Ok(None),
        }
    }

    /// Drops every text that this process keeps in memory, after events were erased. Every
    /// field is named, so that a new one is not overlooked. Other processes tie their
    /// copies to the generation they were read from, and drop them at the next one.
    pub(crate) fn forget_recalled(&self) {
        let Engine {
            // No text, or settings of the host.
            store: _,
            filter: _,
            tool_limits: _,
            tool_policy: _,
            project: _,
            lifetime: _,
            operations: _,
            logger: _,
            recall_weights: _,
            learns_by_rules: _,
            zone: _,
            tuning: _,
            effective: _,
            closed: _,
            process: _,
            #[cfg(test)]
                fails_at: _,
            lexical,
            // Built for one generation, and rebuilt for the next.
            embedding: _,
            // Flushed before the erasure.
            accesses: _,
            injections: _,
            signed_answers: _,
            learned_index,
            caches,
        } = self;
        learned_index.clear(lexical);
        lexical.forget_all_blocks();
        caches.clear();
    }

    /// Fails if a test asked for it; no effect outside tests.
    pub(crate) fn testing_failure(&self, stage: PipelineStage) -> Result<()> {
        #[cfg(test)]
        if *self.fails_at.lock() == Some(stage) {
            return Err(Error::new(ErrorCode::Io, "a test made this stage fail"));
        }
        let _ = stage;
        Ok(())
    }

    /// Every call starts here.
    pub(crate) fn enter(&self) -> Result<&Engine> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(
                ErrorCode::Closed,
                "the memory was closed; open it again",
            ));
        }
        if self.process != std::process::id() {
            return Err(Error::new(
                ErrorCode::NeedsReopen,
                "the process was forked after the memory was opened; open it again in the child",
            ));
        }
        Ok(self)
    }
}
