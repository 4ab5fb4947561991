//! How a memory is opened: every setting with its default, and the one place where
//! the parts are wired together.

use crate::memory::Memory;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, IdSource};
use crate::embed::{Embedder, FastembedOptions};
use crate::engine::Engine;
use crate::engine::open::{ConfiguredEmbedder, Settings};
use crate::engine::settings::{EffectiveSetting, Given, ReadSettings};
use crate::learn::endless;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::json::Json;
use crate::model::log_record::{LogLevel, LogRecord};
use crate::model::weights::RecallWeights;
use crate::privacy::PrivacyConfig;
use crate::text::tool::{ToolLimits, ToolPolicy};

/// How a memory is opened. Every setting has a default.
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
    given: Given,
}

impl MemoryBuilder {
    /// The project that events belong to and reads look at unless they name
    /// another one. Default: none. See [`crate::scope::project_of`].
    #[must_use]
    pub fn project(mut self, project: impl Into<String>) -> Self {
        self.settings.project = project.into();
        self
    }

    /// Whether a missing store is created. Default: true.
    #[must_use]
    pub fn create(mut self, create: bool) -> Self {
        self.settings.store.create = create;
        self
    }

    /// Whether this process is the only one that has the store open. Default:
    /// false, several processes share it. All processes must choose the same.
    #[must_use]
    pub fn exclusive(mut self, exclusive: bool) -> Self {
        self.settings.store.exclusive = exclusive;
        self
    }

    /// Memory for pages of the store file, in bytes. Default: 16 MiB. Up to half of
    /// it holds what a write changes; pages beyond that are written twice.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.store.cache_bytes = bytes;
        self
    }

    /// Memory for decoded parts of the search index, in bytes. Default: 48 MiB.
    #[must_use]
    pub fn index_cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.index_cache_bytes = bytes;
        self
    }

    /// Whether results of recall are kept for a while: searches for a minute,
    /// timelines for five, details for thirty, at most a few MB, and only until
    /// something is written by any process. Default: true. Results are the same
    /// either way.
    #[must_use]
    pub fn recall_cache(mut self, is_enabled: bool) -> Self {
        self.settings.recall_cache = is_enabled;
        self
    }

    /// How much each part of the recipe of recall counts. Default: as measured, see
    /// [`RecallWeights`]. Every process may choose its own.
    #[must_use]
    pub fn recall_weights(mut self, weights: RecallWeights) -> Self {
        self.settings.recall_weights = weights;
        self
    }

    /// How long a write waits for another process or thread, in milliseconds,
    /// before it fails with `busy`. Default: 5,000.
    #[must_use]
    pub fn busy_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.store.busy_timeout = Duration::from_millis(ms);
        self
    }

    /// Whether a folder on a network file system or in a synchronised folder is
    /// accepted. Default: false, because locks and writes are not reliable there.
    #[must_use]
    pub fn allow_network_folder(mut self, allow: bool) -> Self {
        self.settings.store.allow_network_folder = allow;
        self
    }

    /// What is filtered out of every text before it is stored.
    #[must_use]
    pub fn privacy(mut self, privacy: PrivacyConfig) -> Self {
        self.settings.privacy = privacy;
        self.given.options.insert("privacy");
        self
    }

    /// How much of a tool's output is stored.
    #[must_use]
    pub fn tool_limits(mut self, limits: ToolLimits) -> Self {
        self.settings.tool_limits = limits;
        self.given.options.insert("tool_limits");
        self
    }

    /// Which calls of tools an append stores; the receipt of another one says that it was
    /// skipped. Default: every call. A policy in which nothing is changed is the
    /// specification's, which leaves TodoWrite and TodoRead out.
    #[must_use]
    pub fn tool_policy(mut self, policy: ToolPolicy) -> Self {
        self.settings.tool_policy = policy;
        self.given.options.insert("tool_policy");
        self
    }

    /// What turns texts into vectors, for recall by meaning beside recall by
    /// words. Default: none; words alone, with their static vectors.
    ///
    /// The store remembers the embedder's version: from now on every process
    /// that appends, also one without an embedder, leaves a job for each event,
    /// and [`Memory::process_outbox`] in a process with the embedder works them
    /// off. With another embedder than before, what is stored is embedded anew
    /// in the same way; vectors of two embedders are never compared. Until an
    /// event has its vector, and whenever the embedder fails, it is found by its
    /// words.
    #[must_use]
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.settings.embedder = Some(ConfiguredEmbedder(embedder));
        self.given.options.insert("embedder");
        self
    }

    /// A model in a folder as the embedder; see [`MemoryBuilder::embedder`].
    /// Its weights are loaded by the first text that is embedded.
    ///
    /// # Errors
    /// `unsupported` in a library that was built without the feature `fastembed`; else
    /// `invalid_argument` naming a field, `not_found` or `io` from the model's folder.
    pub fn fastembed(self, options: FastembedOptions) -> Result<Self> {
        Ok(self.embedder(model(options)?))
    }

    /// How long a search without a deadline waits for the vector of its
    /// question, in milliseconds, before it goes on without and says `degraded`.
    /// Default: 5,000, because the first question may load a model.
    #[must_use]
    pub fn embedding_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.embedding_timeout = Duration::from_millis(ms);
        self
    }

    /// From how many vectors on a file of vectors gets a graph of near ones (HNSW)
    /// in the memory of this process. Default: 0, none does.
    ///
    /// [`Memory::maintain`] builds graphs, a bounded step per call, so they are
    /// for processes that live long; until one is finished, and whenever a query
    /// has a filter, searches read the file. A graph finds nearly what the file
    /// does, in less time only where vectors are many and have little structure:
    /// see `docs/measurements.md` for measurements. It takes 2 to 4 KB of memory per
    /// vector and the vector's dimensions in bytes, up to
    /// [`MemoryBuilder::vector_graph_bytes`]; dropping the memory, which frees it, can
    /// take seconds.
    ///
    /// [`MemoryBuilder::open`] fails with `unsupported` when this is not 0 and the
    /// library was built without the feature `graph`, which is one of its defaults.
    #[must_use]
    pub fn vector_graph_from(mut self, vectors: usize) -> Self {
        self.settings.graphs.from_vectors = vectors;
        self
    }

    /// The most memory that graphs of near vectors may take in this process, in bytes.
    /// Default: 1 GiB. A file whose graph would take more than what is left, by an
    /// estimate, gets none, and searches read it. While a graph takes the place of
    /// another, both are in memory. Without
    /// [`MemoryBuilder::vector_graph_from`] there is no graph to limit.
    #[must_use]
    pub fn vector_graph_bytes(mut self, bytes: usize) -> Self {
        self.settings.graphs.most_bytes = bytes;
        self
    }

    /// Whether [`Memory::maintain`](crate::Memory::maintain) learns without a model:
    /// rules find decisions, preferences, constraints, facts, tasks and blockers in what
    /// people and agents said, in English, Korean, Japanese and Chinese, in sessions
    /// that ended or in which nothing was said for half an hour. Default: true. See
    /// `docs/guides/learning.md`.
    #[must_use]
    pub fn learn_by_rules(mut self, is_enabled: bool) -> Self {
        self.settings.learns_by_rules = is_enabled;
        self
    }

    /// The time zone whose days a question means by "yesterday", "last week" or "on March
    /// 14", and by whose days the endless mode names its sessions: an IANA name
    /// (`Asia/Seoul`) or an offset (`+09:00`). Default: the machine's. Times that are given
    /// and shown are those of UTC.
    ///
    /// [`MemoryBuilder::open`] fails with `invalid_argument` for a name that the machine's
    /// time zone database does not have.
    #[must_use]
    pub fn time_zone(mut self, name: impl Into<String>) -> Self {
        self.settings.time_zone = Some(name.into());
        self
    }

    /// Where the time of new events comes from. Default: the machine's clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.settings.clock = clock;
        self
    }

    /// Where event ids and salts come from. Default: the system's random source.
    #[must_use]
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.settings.ids = ids;
        self
    }

    /// The size of the store's folder, in bytes, from which on receipts carry a
    /// warning and [`crate::Stats::is_over_quota`] is true. Nothing is refused.
    /// Default: 500,000,000.
    #[must_use]
    pub fn quota_bytes(mut self, bytes: u64) -> Self {
        self.settings.lifetime.quota_bytes = bytes;
        self.given.options.insert("quota_bytes");
        self
    }

    /// The size of the store's folder, in bytes, from which on appends fail
    /// with `full`. Forgetting, erasing and compacting always work. Default:
    /// no limit.
    #[must_use]
    pub fn size_limit_bytes(mut self, bytes: u64) -> Self {
        self.settings.lifetime.limit_bytes = Some(bytes);
        self
    }

    /// How long events of a kind are kept, in milliseconds after the time they
    /// carry; [`Upkeep::apply_retention`](crate::Upkeep::apply_retention) forgets older ones. Default: for ever.
    #[must_use]
    pub fn retention_ms(mut self, kind: EventKind, ms: u64) -> Self {
        self.settings.lifetime.retention_ms.insert(kind, ms);
        self
    }

    /// The least level that the function of [`MemoryBuilder::on_log`] is told of.
    /// Default: `info`.
    #[must_use]
    pub fn log_level(mut self, level: LogLevel) -> Self {
        self.settings.logger.least = level;
        self
    }

    /// A function that is told what opening, recovery, upkeep and degraded searches do;
    /// never what is stored or asked. Default: none, the library writes nothing anywhere.
    ///
    /// It is called on the thread that does the work, after it, with no lock held: it may
    /// call the memory, and is not told of what it calls. A panic in it is ignored.
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

    /// A settings file of the documented form (`docs/guides/settings.md`): JSON, every
    /// key of which either acts or is refused by its name. What it does not name has the
    /// library's default. Options of this call win over it, and so does
    /// [`MemoryBuilder::settings`], key by key. The library reads no other file and no
    /// environment variable. Default: none.
    #[must_use]
    pub fn settings_file(mut self, path: PathBuf) -> Self {
        self.given.file = Some(path);
        self
    }

    /// Settings as a settings file holds them, see [`MemoryBuilder::settings_file`];
    /// they win over a file, key by key. [`Memory::effective_settings`] shows what is in
    /// force. Default: none.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::{Json, Memory};
    /// let settings = Json::parse("settings", r#"{"retrieval": {"topK": 3}}"#)?;
    /// let memory = Memory::builder().settings(settings).open(folder.path())?;
    /// let in_force = memory.effective_settings()?;
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

    /// Every setting of a settings file as a memory that is opened now would have it; what
    /// a store says of its own is not known yet and has its default. Nothing is opened.
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
    /// Handles of a process on one folder share what is open. After an error with
    /// `needs_reopen` one more opening heals all of them.
    ///
    /// # Errors
    /// `invalid_argument` when `path` is a file or a setting is out of range, naming the
    /// key of a settings file that does not exist, is wrong or is not supported;
    /// `not_found` when there is no store and `create` is false,
    /// `permission_denied`, `busy`, `corrupt`, `newer_format` or `io`, each
    /// naming the path; `unsupported` for a store of a build from before the first
    /// release, and for `vector_graph_from` in a library without graphs.
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
            "it is no folder; give the folder of a model, or an embedder",
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
    let problem = "fastembed: this library was built without the feature fastembed; give an \
                   embedder instead";
    Err(Error::new(ErrorCode::Unsupported, problem).with_argument("fastembed"))
}

/// This library runs no models.
#[cfg(not(feature = "fastembed"))]
fn model_in(name: &str) -> Result<ConfiguredEmbedder> {
    Err(ReadSettings::refused_model(
        name,
        "this library was built without fastembed; give an embedder",
    ))
}
