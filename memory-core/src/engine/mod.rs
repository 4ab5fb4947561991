//! What the handles of one open memory share: the store, the indexes as this
//! process searches them, the privacy filter and the embedder.

pub(crate) mod accesses;
pub(crate) mod embedding;
pub(crate) mod hnsw_graphs;
pub(crate) mod injections;
pub(crate) mod learned_index;
pub(crate) mod lexical;
pub(crate) mod lifetime;
pub(crate) mod logger;
pub(crate) mod open;
pub(crate) mod recall_cache;
pub(crate) mod settings;
pub(crate) mod tuning;
pub(crate) mod vectors;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::accesses::Accesses;
use crate::engine::embedding::Embedding;
use crate::engine::injections::PendingInjections;
use crate::engine::learned_index::LearnedIndex;
use crate::engine::lexical::LexicalIndex;
use crate::engine::lifetime::Lifetime;
use crate::engine::logger::{Logger, Target, counted};
use crate::engine::recall_cache::RecallCaches;
use crate::engine::settings::EffectiveSetting;
use crate::engine::tuning::Tuning;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::weights::RecallWeights;
use crate::model::zone::Zone;
use crate::privacy::PrivacyFilter;
use crate::rules::history::PipelineStage;
use crate::store::Store;
use crate::store::orders::Cleaned;
use crate::text::tool::{ToolLimits, ToolPolicy};

/// What the handles of one `open` share.
pub(crate) struct Engine {
    pub(crate) store: Arc<Store>,
    pub(crate) filter: PrivacyFilter,
    pub(crate) tool_limits: ToolLimits,
    /// Which calls of tools an append stores.
    pub(crate) tool_policy: ToolPolicy,
    pub(crate) project: String,
    pub(crate) lexical: LexicalIndex,
    pub(crate) embedding: Option<Embedding>,
    pub(crate) lifetime: Lifetime,
    /// Where the program is told what the library does.
    pub(crate) logger: Logger,
    /// What recalls gave and the log does not know yet.
    pub(crate) accesses: Accesses,
    pub(crate) learned_index: LearnedIndex,
    /// The stage of the pipeline at which a test wants it to fail.
    #[cfg(test)]
    pub(crate) fails_at: parking_lot::Mutex<Option<PipelineStage>>,
    pub(crate) injections: PendingInjections,
    pub(crate) caches: RecallCaches,
    pub(crate) recall_weights: RecallWeights,
    /// Whether `maintain` learns from what was said without a model.
    pub(crate) learns_by_rules: bool,
    /// Where the days are those that questions name.
    pub(crate) zone: Zone,
    pub(crate) tuning: Tuning,
    /// What the settings say, and where each comes from.
    pub(crate) effective: Vec<EffectiveSetting>,
    pub(crate) closed: AtomicBool,
    /// The process that opened the memory: locks do not survive a fork.
    pub(crate) process: u32,
}

impl Engine {
    /// Goes on with the open erase orders, and tells how they stand.
    pub(crate) fn go_on_erasing(&self, wait: Duration) -> Result<Cleaned> {
        let cleaned = self.store.go_on_erasing(wait)?;
        self.tell_erasing(cleaned.completed, cleaned.open.len());
        Ok(cleaned)
    }

    /// Tells of earlier erasures that are complete now, and of files that hinder one.
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

    /// Lets go of every text that this process keeps in memory, after events were
    /// erased. Every part is named, so that a new one is thought of. What other
    /// processes keep is for the generation that they read it from, and goes when
    /// they meet the new one.
    pub(crate) fn forget_recalled(&self) {
        let Engine {
            // No text, or settings of the host.
            store: _,
            filter: _,
            tool_limits: _,
            tool_policy: _,
            project: _,
            lifetime: _,
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
            // Made for one generation, and made again for the next.
            lexical,
            embedding: _,
            // Flushed before the erasure.
            accesses: _,
            injections: _,
            learned_index,
            caches,
        } = self;
        learned_index.clear(lexical);
        caches.clear();
    }

    /// Fails where a test asked for it; does nothing in a built library.
    pub(crate) fn testing_failure(&self, stage: PipelineStage) -> Result<()> {
        #[cfg(test)]
        if *self.fails_at.lock() == Some(stage) {
            return Err(Error::new(ErrorCode::Io, "a test made this stage fail"));
        }
        let _ = stage;
        Ok(())
    }

    /// Every call begins here.
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
