//! The options of opening a memory.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, IdSource, RandomIds, SystemClock};
use crate::embed::Embedder;
use crate::engine::effective::EffectiveSetting;
use crate::engine::hnsw_graphs::GraphLimits;
use crate::engine::lifetime::Lifetime;
use crate::engine::logger::Logger;
use crate::engine::tuning::Tuning;
use crate::model::weights::RecallWeights;
use crate::model::zone::Zone;
use crate::privacy::PrivacyConfig;
use crate::store::StoreOptions;
use crate::text::tool::{ToolLimits, ToolPolicy};

/// How a memory is opened.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) store: StoreOptions,
    pub(crate) project: String,
    pub(crate) privacy: PrivacyConfig,
    pub(crate) tool_limits: ToolLimits,
    pub(crate) tool_policy: ToolPolicy,
    pub(crate) index_cache_bytes: usize,
    pub(crate) embedder: Option<ConfiguredEmbedder>,
    pub(crate) embedding_timeout: Duration,
    pub(crate) graphs: GraphLimits,
    pub(crate) lifetime: Lifetime,
    pub(crate) logger: Logger,
    pub(crate) recall_cache: bool,
    pub(crate) recall_weights: RecallWeights,
    pub(crate) learns_by_rules: bool,
    pub(crate) time_zone: Option<String>,
    /// The zone that `time_zone` names; the machine's if none.
    pub(crate) zone: Zone,
    pub(crate) tuning: Tuning,
    pub(crate) effective: Vec<EffectiveSetting>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
}

/// The embedder chosen by the opener.
#[derive(Clone)]
pub(crate) struct ConfiguredEmbedder(pub(crate) Arc<dyn Embedder>);

impl std::fmt::Debug for ConfiguredEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Embedder")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            store: StoreOptions {
                create: true,
                exclusive: false,
                cache_bytes: 16 << 20,
                busy_timeout: Duration::from_secs(5),
                allow_network_folder: false,
            },
            project: String::new(),
            privacy: PrivacyConfig::default(),
            tool_limits: ToolLimits::default(),
            tool_policy: ToolPolicy::everything(),
            index_cache_bytes: 48 << 20,
            embedder: None,
            embedding_timeout: Duration::from_secs(5),
            graphs: GraphLimits::default(),
            lifetime: Lifetime::default(),
            logger: Logger::default(),
            recall_cache: true,
            recall_weights: RecallWeights::default(),
            learns_by_rules: true,
            time_zone: None,
            zone: Zone::default(),
            tuning: Tuning::default(),
            effective: Vec::new(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
        }
    }
}
