//! The options of opening a memory, as a builder.

use crate::memory::Memory;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, IdSource};
use crate::embed::{Embedder, FastembedOptions};
use crate::engine::Engine;
use crate::engine::effective::EffectiveSetting;
use crate::engine::options::{ConfiguredEmbedder, Settings};
use crate::engine::settings::{GivenSettings, ReadSettings};
use crate::learn::endless;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::json::Json;
use crate::model::log_record::{LogLevel, LogRecord};
use crate::model::weights::RecallWeights;
use crate::privacy::PrivacyConfig;
use crate::text::tool::{ToolLimits, ToolPolicy};

/// Settings for opening a memory. Every setting has a default.
///
/// ```no_run
/// # fn main() -> recallite::Result<()> {
/// let memory = recallite::Memory::builder()
///     .project("shop")
///     .busy_timeout_ms(2_000)
///     .open("./memory")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryBuilder {
    settings: Settings,
    given: GivenSettings,
}

impl MemoryBuilder {
    /// Sets the project that events belong to and that reads cover unless they name another one.
    /// Default: none. See [`crate::scope::project_of`].
    #[must_use]
    pub fn project(mut self, project: impl Into<String>) -> Self {
        self.settings.project = project.into();
        self
    }

    /// Whether to create the store if it does not exist. Default: true.
    #[must_use]
    pub fn create(mut self, create: bool) -> Self {
        self.settings.store.create = create;
        self
    }

    /// Whether this process is the only one that has the store open. Default: false, so
    /// several processes can share it. All processes must use the same value.
    #[must_use]
    pub fn exclusive(mut self, exclusive: bool) -> Self {
        self.settings.store.exclusive = exclusive;
        self
    }

    /// The memory to use for caching pages of the store file, in bytes. Default: 16 MiB. Up
    /// to half of it holds pages changed by the current write; a write that changes more
    /// pages than that writes the rest twice. If this process has the store open already,
    /// the cache is shared and keeps its size.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.store.cache_bytes = bytes;
        self
    }

    /// The memory to use for caching decoded parts of the search index, in bytes. Default:
    /// 48 MiB.
    #[must_use]
    pub fn index_cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.index_cache_bytes = bytes;
        self
    }

    /// Whether to cache the results of recall: searches for one minute, timelines for five
    /// minutes and details for thirty, a few MB at most. Any write by any process
    /// invalidates the cache, so results are the same with or without it. Default: true.
    #[must_use]
    pub fn recall_cache(mut self, is_enabled: bool) -> Self {
        self.settings.recall_cache = is_enabled;
        self
    }

    /// Sets the weights that recall uses for ranking. Default: the measured ones, see
    /// [`RecallWeights`]. Each process can use its own.
    #[must_use]
    pub fn recall_weights(mut self, weights: RecallWeights) -> Self {
        self.settings.recall_weights = weights;
        self
    }

    /// How long a write waits for another process or thread before it fails with
    /// [`ErrorCode::Busy`](crate::ErrorCode::Busy), in milliseconds. Default: 5,000. If this
    /// process has the store open already, the time of the first handle applies.
    #[must_use]
    pub fn busy_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.store.busy_timeout = Duration::from_millis(ms);
        self
    }

    /// Whether to accept a folder on a network file system, which is recognised on Linux and
    /// Windows, or a synchronised folder.
    /// Default: false, because locks and writes are not reliable there.
    #[must_use]
    pub fn allow_network_folder(mut self, allow: bool) -> Self {
        self.settings.store.allow_network_folder = allow;
        self
    }

    /// What to filter out of every text before it is stored.
    #[must_use]
    pub fn privacy(mut self, privacy: PrivacyConfig) -> Self {
        self.settings.privacy = privacy;
        self.given.options.insert("privacy");
        self
    }

    /// How much of a tool's output to store.
    #[must_use]
    pub fn tool_limits(mut self, limits: ToolLimits) -> Self {
        self.settings.tool_limits = limits;
        self.given.options.insert("tool_limits");
        self
    }

    /// Which tool calls an append stores. For any other call, the receipt says that it was
    /// skipped. Default: every call. An unmodified [`ToolPolicy`] is the specification's,
    /// which excludes TodoWrite and TodoRead.
    #[must_use]
    pub fn tool_policy(mut self, policy: ToolPolicy) -> Self {
        self.settings.tool_policy = policy;
        self.given.options.insert("tool_policy");
        self
    }

    /// Sets the embedder, which turns texts into vectors so that recall can search by
    /// meaning as well as by words. Default: none; recall then uses words and their static
    /// vectors.
    ///
    /// The store remembers the embedder's version. From then on every process that appends,
    /// including those without an embedder, enqueues a job for each event, and
    /// [`Memory::process_outbox`] in a process with the embedder works through them. If the
    /// embedder changes, everything stored is embedded again in the same way; vectors of
    /// two embedders are never compared. Until an event has its vector, and whenever the
    /// embedder fails, it is found by its words.
    #[must_use]
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.settings.embedder = Some(ConfiguredEmbedder(embedder));
        self.given.options.insert("embedder");
        self
    }

    /// Uses a model in a folder as the embedder; see [`MemoryBuilder::embedder`]. The model
    /// is loaded when the first text is embedded.
    ///
    /// # Errors
    /// `unsupported` in a library that was built without the feature `fastembed`; otherwise
    /// `invalid_argument` naming a field, `not_found` or `io` from the model's folder.
    pub fn fastembed(self, options: FastembedOptions) -> Result<Self> {
        Ok(self.embedder(model(options)?))
    }

    /// How long a search without a deadline waits for the vector of its question, in
    /// milliseconds. When the time is over, the search continues without the vector and
    /// marks its result as `degraded`. Default: 5,000, because the first question may have
    /// to load a model.
    #[must_use]
    pub fn embedding_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.embedding_timeout = Duration::from_millis(ms);
        self
    }

    /// The number of vectors from which a vector file gets an HNSW graph in the memory of
    /// this process. Default: 0, which disables graphs.
    ///
    /// Graphs are built by [`Memory::maintain`], one bounded step per call, so they suit
    /// long-lived processes. Until a graph is finished, and whenever a query has a filter,
    /// searches read the file. A graph finds almost the same results as the file, and is
    /// faster only where there are many vectors with little structure;
    /// `docs/measurements.md` has measurements. It takes 2 to 4 KB of memory per vector plus
    /// one byte per dimension, up to [`MemoryBuilder::vector_graph_bytes`]; freeing it when
    /// the memory is dropped can take seconds.
    ///
    /// [`MemoryBuilder::open`] fails with
    /// [`ErrorCode::Unsupported`](crate::ErrorCode::Unsupported) if this is not 0 and the library
    /// was built without the feature `graph`, which is enabled by default.
    #[must_use]
    pub fn vector_graph_from(mut self, vectors: usize) -> Self {
        self.settings.graphs.from_vectors = vectors;
        self
    }

    /// The maximum memory that HNSW graphs may use in this process, in bytes. Default: 1 GiB.
    /// If the estimated size of a file's graph exceeds what is left, the file gets no graph,
    /// and searches read the file. While one graph replaces another, both are in memory.
    /// Has no effect without [`MemoryBuilder::vector_graph_from`].
    #[must_use]
    pub fn vector_graph_bytes(mut self, bytes: usize) -> Self {
        self.settings.graphs.most_bytes = bytes;
        self
    }

    /// Whether [`Memory::maintain`](crate::Memory::maintain) learns without a language
    /// model. Rules find decisions, preferences, constraints, facts, tasks and blockers in
    /// what people and agents said, in English, Korean, Japanese and Chinese. They look at
    /// sessions that have ended or have been silent for half an hour. Default: true. See
    /// `docs/guides/learning.md`.
    #[must_use]
    pub fn learn_by_rules(mut self, is_enabled: bool) -> Self {
        self.settings.learns_by_rules = is_enabled;
        self
    }

    /// The time zone for days: what a question means by "yesterday", "last week" or "on
    /// March 14", and how the endless mode names its sessions. Give an IANA name
    /// (`Asia/Seoul`) or an offset (`+09:00`). Default: the machine's time zone. Times that
    /// are passed in and shown are always UTC.
    ///
    /// [`MemoryBuilder::open`] fails with
    /// [`ErrorCode::InvalidArgument`](crate::ErrorCode::InvalidArgument) for a name that is not
    /// in the machine's time zone database.
    #[must_use]
    pub fn time_zone(mut self, name: impl Into<String>) -> Self {
        self.settings.time_zone = Some(name.into());
        self
    }

    /// Sets the clock that gives new events their time. Default: the machine's clock. If this
    /// process has the store open already, the clock of the first handle is used.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.settings.clock = clock;
        self
    }

    /// Sets the source of event ids and salts. Default: the system's random source. If this
    /// process has the store open already, the source of the first handle is used.
    #[must_use]
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.settings.ids = ids;
        self
    }

    /// The size of the store, in bytes, above which receipts carry a warning and
    /// [`crate::Stats::is_over_quota`] is true. Nothing is refused. A copy that is being made and
    /// old files that wait to be removed do not count. Default: 500,000,000.
    #[must_use]
    pub fn quota_bytes(mut self, bytes: u64) -> Self {
        self.settings.lifetime.quota_bytes = bytes;
        self.given.options.insert("quota_bytes");
        self
    }

    /// The size of the store, in bytes, above which appends fail with
    /// [`ErrorCode::Full`](crate::ErrorCode::Full). Forgetting, erasing and compacting always
    /// work. A copy that is being made and old files that wait to be removed do not count.
    /// Default: no limit.
    #[must_use]
    pub fn size_limit_bytes(mut self, bytes: u64) -> Self {
        self.settings.lifetime.limit_bytes = Some(bytes);
        self
    }

    /// How long to keep events of a kind, in milliseconds after their timestamp.
    /// [`Upkeep::apply_retention`](crate::Upkeep::apply_retention) forgets older ones.
    /// Default: forever.
    #[must_use]
    pub fn retention_ms(mut self, kind: EventKind, ms: u64) -> Self {
        self.settings.lifetime.retention_ms.insert(kind, ms);
        self
    }

    /// The least severe level that is reported to the function of
    /// [`MemoryBuilder::on_log`]. Default: [`LogLevel::Info`].
    #[must_use]
    pub fn log_level(mut self, level: LogLevel) -> Self {
        self.settings.logger.least = level;
        self
    }

    /// Sets a function that is called with reports of what opening, recovery, upkeep and degraded
    /// searches do, but never with stored text or questions. Default: none, and the library logs
    /// nothing anywhere.
    ///
    /// The function is called on the thread that does the work, after the work is done and
    /// with no lock held. It may call the memory; what those calls do is not reported. A
    /// panic in it is ignored.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// let memory = recallite::Memory::builder()
    ///     .on_log(|record| eprintln!("{} {}: {}", record.level, record.target, record.message))
    ///     .open(folder.path())?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_log(mut self, log: impl Fn(&LogRecord) + Send + Sync + 'static) -> Self {
        self.settings.logger.sink = Some(Arc::new(log));
        self
    }

    /// Reads settings from a JSON file of the documented form (`docs/guides/settings.md`).
    /// Every key either has an effect or is refused by name. Keys that are absent have the
    /// library's default. Options that are given here take precedence over the file, and so
    /// does [`MemoryBuilder::settings`], key by key. The library reads no other file and no
    /// environment variable. Default: none.
    #[must_use]
    pub fn settings_file(mut self, path: PathBuf) -> Self {
        self.given.file = Some(path);
        self
    }

    /// Sets settings given as JSON, in the form of a settings file (see
    /// [`MemoryBuilder::settings_file`]). They take precedence over a file, key by key.
    /// [`Upkeep::settings`](crate::Upkeep::settings) shows what is in force. Default: none.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::{Json, Memory};
    /// let settings = Json::parse("settings", r#"{"retrieval": {"topK": 3}}"#)?;
    /// let memory = Memory::builder().settings(settings).open(folder.path())?;
    /// let in_force = memory.upkeep().settings()?;
    /// let top_k = in_force.iter().find(|it| it.key == "retrieval.topK").unwrap();
    /// assert_eq!((top_k.value.as_str(), top_k.source.as_str()), ("3", "call"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn settings(mut self, settings: Json) -> Self {
        self.given.settings = Some(settings);
        self
    }

    /// Returns every setting that a memory opened now would have, without opening anything.
    /// Settings that the store itself holds are not known yet and are shown with their
    /// defaults.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`MemoryBuilder::open`] for settings that are wrong, and for a file that cannot be
    /// read.
    pub fn preview_settings(&self) -> Result<Vec<EffectiveSetting>> {
        let mut settings = self.settings.clone();
        self.given.clone().read()?.apply(&mut settings);
        Ok(settings.effective)
    }

    /// Opens the memory in the folder `path`.
    ///
    /// All handles of one process on the same folder share the open store. After an error
    /// that says `needs_reopen`, opening the folder once more repairs all of them, unless the
    /// folder was moved, removed or replaced: then they stay unusable.
    ///
    /// # Growth
    /// Constant, as [`Memory::open`]; after a crash, by what the last transactions wrote.
    ///
    /// # Errors
    /// `invalid_argument` when `path` is a file or a setting is out of range, naming the
    /// key of a settings file that does not exist, is wrong or is not supported;
    /// `not_found` when there is no store and `create` is false,
    /// `permission_denied`, `busy`, `corrupt`, `newer_format` or `io`, each
    /// naming the path; `unsupported` for a folder on a network, in a synchronised folder or
    /// on a file system without byte-range locks, for a store of a build from before the
    /// first release, and for `vector_graph_from` in a library without graphs.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Memory> {
        let MemoryBuilder {
            mut settings,
            given,
        } = self;
        let given = given.read()?;
        if let Some(name) = given.model_folder() {
            settings.embedder = Some(model_in(name)?);
        }
        given.apply(&mut settings);
        let engine = Engine::open(path.as_ref(), settings).map_err(|error| given.by_key(error))?;
        endless::take_settings(&engine, &given.for_store())?;
        Ok(Memory {
            engine: Arc::new(engine),
        })
    }
}

/// The model in a folder that settings name.
#[cfg(feature = "fastembed")]
fn model_in(name: &str) -> Result<ConfiguredEmbedder> {
    if !Path::new(name).is_dir() {
        return Err(ReadSettings::refused_model(
            name,
            "it is not a folder; name a model folder or give an embedder",
        ));
    }
    let embedder =
        model(FastembedOptions::new(name)).map_err(|error| error.about("embedding.model"))?;
    Ok(ConfiguredEmbedder(embedder))
}

#[cfg(feature = "fastembed")]
fn model(options: FastembedOptions) -> Result<Arc<dyn Embedder>> {
    let embedder = crate::embed::fastembed::FastembedEmbedder::new(options)?;
    Ok(Arc::new(embedder))
}

#[cfg(not(feature = "fastembed"))]
fn model(_: FastembedOptions) -> Result<Arc<dyn Embedder>> {
    use crate::model::error::{Error, ErrorCode};
    let problem = "fastembed: this library was built without the fastembed feature; give an \
                   embedder instead";
    Err(Error::new(ErrorCode::Unsupported, problem).with_argument("fastembed"))
}

/// This build runs no models.
#[cfg(not(feature = "fastembed"))]
fn model_in(name: &str) -> Result<ConfiguredEmbedder> {
    Err(ReadSettings::refused_model(
        name,
        "this library was built without fastembed; give an embedder",
    ))
}
