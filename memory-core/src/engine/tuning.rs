//! The defaults of calls that leave options out, and the limits of upkeep, as the opener
//! chose them.

use crate::model::query::Hit;
use crate::rules::align::AlignOptions;
use crate::rules::disclosure::ExpansionThresholds;
use crate::rules::matching::{MatchClass, MatchThresholds, MatchWeights, match_list_by};
use crate::rules::{outbox, relevance};
use crate::text::citation::{CITATION_LENGTH, CitationFormat};

/// Defaults of calls that leave options out, and the limits of upkeep.
#[derive(Clone, Debug)]
pub(crate) struct Tuning {
    pub(crate) recall: RecallTuning,
    pub(crate) disclosure: DisclosureTuning,
    pub(crate) worker: WorkerTuning,
    pub(crate) caches: CacheTuning,
    /// How quotes of an extraction are matched.
    pub(crate) align: AlignOptions,
    /// Whether graduation derives insights.
    pub(crate) finds_insights: bool,
    /// The minimum length of the citations of appended events, in characters.
    pub(crate) citation_length: usize,
}

/// Defaults of a search and a context.
#[derive(Clone, Debug)]
pub(crate) struct RecallTuning {
    pub(crate) search_limit: usize,
    pub(crate) context_limit: usize,
    pub(crate) budget_tokens: usize,
    pub(crate) min_relevance: Option<f32>,
    pub(crate) citation_format: CitationFormat,
    /// Whether injections are recorded.
    pub(crate) tracks_usage: bool,
    /// Whether a read of the own project covers every project.
    pub(crate) crosses_projects: bool,
    pub(crate) match_weights: MatchWeights,
    /// If set, the class of a match follows from its specified score with these thresholds,
    /// otherwise from its calibrated relevance.
    pub(crate) match_thresholds: Option<MatchThresholds>,
}

impl RecallTuning {
    /// The class of some hits, the best first.
    pub(crate) fn class_of(&self, hits: &[Hit]) -> MatchClass {
        match &self.match_thresholds {
            Some(thresholds) => {
                let scores: Vec<f64> = hits.iter().map(|hit| f64::from(hit.match_score)).collect();
                match_list_by(&scores, thresholds).match_class
            }
            None => relevance::class_of(hits.first().map(|hit| hit.relevance)),
        }
    }
}

/// Defaults of a smart search.
#[derive(Clone, Debug)]
pub(crate) struct DisclosureTuning {
    /// Whether anything besides the index is returned.
    pub(crate) is_enabled: bool,
    /// Whether results that the query does not name are expanded.
    pub(crate) auto_expands: bool,
    pub(crate) limit: usize,
    pub(crate) min_relevance: f32,
    pub(crate) max_expanded: usize,
    pub(crate) budget_tokens: usize,
    pub(crate) thresholds: ExpansionThresholds,
}

/// How much the outbox worker does at once, and how often it retries.
#[derive(Clone, Debug)]
pub(crate) struct WorkerTuning {
    /// How many texts the embedder gets before the outcome is stored.
    pub(crate) texts_at_once: usize,
    /// How many jobs are claimed at once.
    pub(crate) claim_batch: usize,
    pub(crate) max_retries: u32,
    pub(crate) keep_done_ms: i64,
}

/// Lifetime and size of each cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerTuning {
    pub(crate) lifetime_ms: i64,
    pub(crate) capacity: usize,
}

/// Lifetimes and sizes of the caches of recall. Source: specification, section 15.
#[derive(Clone, Debug)]
pub(crate) struct CacheTuning {
    pub(crate) searches: LayerTuning,
    pub(crate) timelines: LayerTuning,
    pub(crate) details: LayerTuning,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            recall: RecallTuning::default(),
            disclosure: DisclosureTuning::default(),
            worker: WorkerTuning::default(),
            caches: CacheTuning::default(),
            align: AlignOptions {
                same_facts: true,
                ..AlignOptions::default()
            },
            finds_insights: true,
            citation_length: CITATION_LENGTH,
        }
    }
}

impl Default for RecallTuning {
    fn default() -> Self {
        RecallTuning {
            search_limit: 10,
            context_limit: 5,
            budget_tokens: 2_000,
            min_relevance: None,
            citation_format: CitationFormat::default(),
            tracks_usage: true,
            crosses_projects: false,
            match_weights: MatchWeights::default(),
            match_thresholds: None,
        }
    }
}

impl Default for DisclosureTuning {
    fn default() -> Self {
        DisclosureTuning {
            is_enabled: true,
            auto_expands: true,
            limit: 10,
            min_relevance: 0.0,
            max_expanded: 3,
            budget_tokens: 2_000,
            thresholds: ExpansionThresholds::default(),
        }
    }
}

impl Default for WorkerTuning {
    fn default() -> Self {
        WorkerTuning {
            texts_at_once: 64,
            claim_batch: outbox::CLAIM_BATCH,
            max_retries: outbox::MAX_RETRIES,
            keep_done_ms: outbox::KEEP_DONE_MS,
        }
    }
}

impl Default for CacheTuning {
    fn default() -> Self {
        let layer = |lifetime_ms, capacity| LayerTuning {
            lifetime_ms,
            capacity,
        };
        CacheTuning {
            searches: layer(60_000, 100),
            timelines: layer(5 * 60_000, 500),
            details: layer(30 * 60_000, 200),
        }
    }
}
