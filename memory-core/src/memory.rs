//! `Memory` and its builder: the only place where the parts are wired together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::{Clock, IdSource, RandomIds, SystemClock};
use crate::embed::{Embedder, GuardedEmbedder};
use crate::engine::embedding::Embedding;
use crate::engine::lexical::LexicalIndex;
use crate::index::vector::graph;
use crate::learn::entry_search::EntryIndex;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, Event, EventKind, NewEvent};
use crate::model::ids::{EventRef, Seq};
use crate::model::session::{Session, SessionUpdate};
use crate::model::stats::Stats;
use crate::model::time::Timestamp;
use crate::model::weights::RecallWeights;
use crate::privacy::{PrivacyConfig, PrivacyFilter};
use crate::projection;
use crate::recall::cache::RecallCaches;
use crate::recall::usage::{PendingInjections, fold_appended};
use crate::rules::ledgers::PipelineStage;
use crate::scope::ProjectScope;
use crate::store::scan::{Scan, Wanted};
use crate::store::{Store, StoreOptions};
use crate::text::tool::ToolLimits;
use crate::upkeep::retention::Lifetime;
use crate::write::accesses::{Accesses, Flushing};
use crate::write::prepare;

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
#[derive(Clone, Debug)]
pub struct MemoryBuilder {
    store: StoreOptions,
    project: String,
    privacy: PrivacyConfig,
    tool_limits: ToolLimits,
    index_cache_bytes: usize,
    embedder: Option<ConfiguredEmbedder>,
    embedding_timeout: Duration,
    vector_graph_from: usize,
    pub(crate) lifetime: Lifetime,
    recall_cache: bool,
    recall_weights: RecallWeights,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

#[derive(Clone)]
struct ConfiguredEmbedder(Arc<dyn Embedder>);

impl std::fmt::Debug for ConfiguredEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Embedder")
    }
}

impl Default for MemoryBuilder {
    fn default() -> Self {
        MemoryBuilder {
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
            index_cache_bytes: 48 << 20,
            embedder: None,
            embedding_timeout: Duration::from_secs(5),
            vector_graph_from: 0,
            lifetime: Lifetime::default(),
            recall_cache: true,
            recall_weights: RecallWeights::default(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
        }
    }
}

impl MemoryBuilder {
    /// The project that events belong to and reads look at unless they name
    /// another one. Default: none. See [`crate::scope::project_of`].
    #[must_use]
    pub fn project(mut self, project: impl Into<String>) -> Self {
        self.project = project.into();
        self
    }

    /// Whether a missing store is created. Default: true.
    #[must_use]
    pub fn create(mut self, create: bool) -> Self {
        self.store.create = create;
        self
    }

    /// Whether this process is the only one that has the store open. Default:
    /// false, several processes share it. All processes must choose the same.
    #[must_use]
    pub fn exclusive(mut self, exclusive: bool) -> Self {
        self.store.exclusive = exclusive;
        self
    }

    /// Memory for pages of the store file, in bytes. Default: 16 MiB. Up to half of
    /// it holds what a write changes; pages beyond that are written twice.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.store.cache_bytes = bytes;
        self
    }

    /// Memory for decoded parts of the search index, in bytes. Default: 48 MiB.
    #[must_use]
    pub fn index_cache_bytes(mut self, bytes: usize) -> Self {
        self.index_cache_bytes = bytes;
        self
    }

    /// Whether results of recall are kept for a while: searches for a minute,
    /// timelines for five, details for thirty, at most a few MB, and only until
    /// something is written by any process. Default: true. Results are the same
    /// either way.
    #[must_use]
    pub fn recall_cache(mut self, is_enabled: bool) -> Self {
        self.recall_cache = is_enabled;
        self
    }

    /// How much each part of the recipe of recall counts. Default: as measured, see
    /// [`RecallWeights`]. Every process may choose its own.
    #[must_use]
    pub fn recall_weights(mut self, weights: RecallWeights) -> Self {
        self.recall_weights = weights;
        self
    }

    /// How long a write waits for another process or thread, in milliseconds,
    /// before it fails with `busy`. Default: 5,000.
    #[must_use]
    pub fn busy_timeout_ms(mut self, ms: u64) -> Self {
        self.store.busy_timeout = Duration::from_millis(ms);
        self
    }

    /// Whether a folder on a network file system or in a synchronised folder is
    /// accepted. Default: false, because locks and writes are not reliable there.
    #[must_use]
    pub fn allow_network_folder(mut self, allow: bool) -> Self {
        self.store.allow_network_folder = allow;
        self
    }

    /// What is filtered out of every text before it is stored.
    #[must_use]
    pub fn privacy(mut self, privacy: PrivacyConfig) -> Self {
        self.privacy = privacy;
        self
    }

    /// How much of a tool's output is stored.
    #[must_use]
    pub fn tool_limits(mut self, limits: ToolLimits) -> Self {
        self.tool_limits = limits;
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
        self.embedder = Some(ConfiguredEmbedder(embedder));
        self
    }

    /// A model in a folder as the embedder; see [`MemoryBuilder::embedder`].
    /// Its weights are loaded by the first text that is embedded.
    ///
    /// # Errors
    /// As [`FastembedEmbedder::new`](crate::embed::fastembed::FastembedEmbedder::new).
    #[cfg(feature = "fastembed")]
    pub fn fastembed(self, options: crate::embed::fastembed::FastembedOptions) -> Result<Self> {
        let embedder = crate::embed::fastembed::FastembedEmbedder::new(options)?;
        Ok(self.embedder(Arc::new(embedder)))
    }

    /// How long a search without a deadline waits for the vector of its
    /// question, in milliseconds, before it goes on without and says `degraded`.
    /// Default: 5,000, because the first question may load a model.
    #[must_use]
    pub fn embedding_timeout_ms(mut self, ms: u64) -> Self {
        self.embedding_timeout = Duration::from_millis(ms);
        self
    }

    /// From how many vectors on a file of vectors gets a graph of near ones (HNSW)
    /// in the memory of this process. Default: 0, none does.
    ///
    /// [`Memory::maintain`] builds graphs, a bounded step per call, so they are
    /// for processes that live long; until one is finished, and whenever a query
    /// has a filter, searches read the file. A graph finds nearly what the file
    /// does, in less time only where vectors are many and have little structure:
    /// see `docs/recall.md` for measurements. It takes about 2 KB of memory per
    /// vector; dropping the memory, which frees it, can take seconds.
    ///
    /// [`MemoryBuilder::open`] fails with `unsupported` when this is not 0 and the
    /// library was built without the feature `graph`.
    #[must_use]
    pub fn vector_graph_from(mut self, vectors: usize) -> Self {
        self.vector_graph_from = vectors;
        self
    }

    /// Where the time of new events comes from. Default: the machine's clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Where event ids and salts come from. Default: the system's random source.
    #[must_use]
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.ids = ids;
        self
    }

    /// Opens the memory in the folder `path`.
    ///
    /// Handles of a process on one folder share what is open. After an error with
    /// `needs_reopen` one more opening heals all of them.
    ///
    /// # Errors
    /// `invalid_argument` when `path` is a file or a setting is out of range,
    /// `not_found` when there is no store and `create` is false,
    /// `permission_denied`, `busy`, `corrupt`, `newer_format` or `io`, each
    /// naming the path; `unsupported` for `vector_graph_from` in a library
    /// without graphs.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Memory> {
        prepare::check_name("project", &self.project)?;
        self.recall_weights.check()?;
        if self.vector_graph_from > 0 && !graph::IS_BUILT_IN {
            return Err(Error::new(
                ErrorCode::Unsupported,
                "vector_graph_from: this library was built without the feature graph",
            )
            .with_argument("vector_graph_from"));
        }
        let filter = PrivacyFilter::new(self.privacy)?;
        let guard = self
            .embedder
            .map(|embedder| GuardedEmbedder::new(embedder.0))
            .transpose()?;
        let store = Store::open(path.as_ref(), &self.store, self.clock, self.ids)?;
        let secret = || Ok(store.read()?.derived_secret(prepare::NAME_SECRET));
        let project = match filter.kept_name(&self.project, secret)? {
            Some(kept) => kept.name,
            None => self.project,
        };
        let embedding = guard
            .map(|guard| {
                Embedding::activate(
                    &store,
                    guard,
                    self.embedding_timeout,
                    self.vector_graph_from,
                )
            })
            .transpose()?;
        // What hinders an erasure now (a file that another process has open, a
        // disk that fails) hinders no reader: the order stays open, and `stats`
        // and `check` show it.
        let _ = store.go_on_erasing(Duration::ZERO);
        let _ = store.take_out_vectors(Duration::ZERO);
        Ok(Memory::on_store(
            store,
            filter,
            self.tool_limits,
            project,
            self.index_cache_bytes,
            embedding,
            self.lifetime,
            self.recall_cache,
            self.recall_weights,
        ))
    }
}

/// A memory: a log of events that can be searched, in one folder.
///
/// A handle is cheap to clone and may be used by several threads at once.
/// Several processes may have the same folder open.
///
/// ```
/// # fn main() -> recallite::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path();
/// use recallite::{EventKind, Memory, NewEvent};
///
/// let memory = Memory::open(path)?;
/// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "We deploy on Fridays at noon."))?;
/// let found = memory.search("when do we deploy?")?;
/// assert_eq!(found.items[0].summary, "We deploy on Fridays at noon.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Memory {
    pub(crate) inner: Arc<Inner>,
}

/// What the handles of one `open` share.
pub(crate) struct Inner {
    pub(crate) store: Arc<Store>,
    pub(crate) filter: PrivacyFilter,
    pub(crate) tool_limits: ToolLimits,
    pub(crate) project: String,
    pub(crate) lexical: LexicalIndex,
    pub(crate) embedding: Option<Embedding>,
    pub(crate) lifetime: Lifetime,
    /// What recalls gave and the log does not know yet.
    pub(crate) accesses: Accesses,
    pub(crate) entry_index: EntryIndex,
    /// The stage of the pipeline at which a test wants it to fail.
    #[cfg(test)]
    pub(crate) fails_at: parking_lot::Mutex<Option<PipelineStage>>,
    pub(crate) injections: PendingInjections,
    pub(crate) caches: RecallCaches,
    pub(crate) recall_weights: RecallWeights,
    closed: AtomicBool,
    /// The process that opened the memory: locks do not survive a fork.
    process: u32,
}

impl Inner {
    /// Lets go of every text that this process keeps in memory, after events were
    /// erased. Every part is named, so that a new one is thought of. What other
    /// processes keep is for the generation that they read it from, and goes when
    /// they meet the new one.
    pub(crate) fn forget_recalled(&self) {
        let Inner {
            // No text, or settings of the host.
            store: _,
            filter: _,
            tool_limits: _,
            project: _,
            lifetime: _,
            recall_weights: _,
            closed: _,
            process: _,
            #[cfg(test)]
                fails_at: _,
            // Made for one generation, and made again for the next.
            lexical: _,
            embedding: _,
            // Flushed before the erasure.
            accesses: _,
            injections: _,
            entry_index,
            caches,
        } = self;
        entry_index.clear();
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
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory")
            .field("path", &self.inner.store.folder().path())
            .field("project", &self.inner.project)
            .finish_non_exhaustive()
    }
}

// Public handles cross threads; this fails to compile if a part ever does not.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Memory>();
};

impl Memory {
    /// Opens the memory in the folder `path` with default settings, creating it
    /// when it is missing.
    ///
    /// # Errors
    /// As [`MemoryBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Memory> {
        Memory::builder().open(path)
    }

    /// Settings for opening a memory.
    pub fn builder() -> MemoryBuilder {
        MemoryBuilder::default()
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the one place where the parts are wired"
    )]
    fn on_store(
        store: Arc<Store>,
        filter: PrivacyFilter,
        tool_limits: ToolLimits,
        project: String,
        index_cache_bytes: usize,
        embedding: Option<Embedding>,
        lifetime: Lifetime,
        recall_cache: bool,
        recall_weights: RecallWeights,
    ) -> Memory {
        Memory {
            inner: Arc::new(Inner {
                store,
                filter,
                tool_limits,
                project,
                lexical: LexicalIndex::new(index_cache_bytes),
                embedding,
                lifetime,
                accesses: Accesses::default(),
                entry_index: EntryIndex::default(),
                #[cfg(test)]
                fails_at: parking_lot::Mutex::new(None),
                injections: PendingInjections::default(),
                caches: RecallCaches::new(recall_cache),
                recall_weights,
                closed: AtomicBool::new(false),
                process: std::process::id(),
            }),
        }
    }

    /// A memory on a store that a test opened on its own disk.
    #[cfg(test)]
    pub(crate) fn on_test_store(store: Arc<Store>) -> Result<Memory> {
        // As the builder's opening does.
        let _ = store.go_on_erasing(Duration::ZERO);
        let filter = PrivacyFilter::new(PrivacyConfig::default())?;
        Ok(Memory::on_store(
            store,
            filter,
            ToolLimits::default(),
            String::new(),
            4 << 20,
            None,
            Lifetime::default(),
            true,
            RecallWeights::default(),
        ))
    }

    /// The folder of the memory.
    pub fn path(&self) -> &Path {
        self.inner.store.folder().path()
    }

    /// The project that the memory was opened for; empty for none.
    pub fn project(&self) -> &str {
        &self.inner.project
    }

    /// Remembers one event. When this returns, the event is on the disk.
    ///
    /// The text passes the privacy filter first. The same content in the same
    /// session is stored once (see [`crate::Dedupe`]); the receipt says so.
    ///
    /// # Errors
    /// `invalid_argument` for an empty text, a kind that only the library records
    /// (see [`EventKind::is_appendable`]), a name that is too long or a time out
    /// of range; `busy`, `full` or `io` when the store cannot be written: nothing
    /// is stored then. `needs_reopen` when writing its file failed: the event may be
    /// stored or not; open the store again and repeat the call.
    pub fn append(&self, event: NewEvent) -> Result<Appended> {
        let mut receipts = self.append_batch(vec![event])?;
        receipts
            .pop()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "an append gave no receipt"))
    }

    /// Remembers several events in one transaction: all of them or, when one
    /// is refused, none. Receipts are in the order of the events.
    ///
    /// # Errors
    /// As [`Memory::append`]; the message names the event's index when there
    /// is more than one.
    pub fn append_batch(&self, events: Vec<NewEvent>) -> Result<Vec<Appended>> {
        self.enter()?;
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let inner = &self.inner;
        let space = inner.check_space()?;
        let batch = prepare::prepare_batch(inner, events)?;
        // What was injected before comes first in the log: the new events may
        // be the responses to it.
        let mut injections = inner.injections.take();
        let mut drafts = std::mem::take(&mut injections.drafts);
        let buffered = drafts.len();
        let mut hashes = batch.hashes;
        let secret = hashes.as_ref().map_or([0; 32], |hashes| hashes.secret);
        if let Some(hashes) = &mut hashes {
            hashes.put_before(&drafts);
        }
        drafts.extend(batch.drafts);
        let mut shares = batch.shares;
        let flushing = Flushing::due(inner);
        let result = inner.store.write(|tx| {
            injections.forget_erased(tx, &mut drafts)?;
            let known = tx.recognise(&drafts, hashes)?;
            if !shares.is_empty() && !known.is_new().skip(buffered).all(|is_new| is_new) {
                prepare::analyse_again(&mut drafts, &known, &secret);
                shares.clear();
            }
            if !shares.is_empty() {
                // Segments are in the order of the log.
                inner.lexical.fold(tx)?;
            }
            let stored = projection::append_recognised(tx, &drafts, &known, &shares)?;
            fold_appended(tx, &drafts, &stored.receipts)?;
            flushing.write(tx)?;
            match &stored.segment {
                Some(segment) => inner.lexical.add_segment(tx, segment)?,
                None => inner.lexical.fold_if_due(tx)?,
            }
            self.slice(tx)?;
            Ok(stored.receipts)
        });
        match result {
            Ok(mut receipts) => {
                flushing.done();
                let mut receipts = receipts.split_off(buffered);
                if let Some(warning) = space {
                    for receipt in receipts.iter_mut().filter(|receipt| !receipt.duplicate) {
                        receipt.warnings.push(warning.clone());
                    }
                }
                Ok(receipts)
            }
            Err(error) => {
                drafts.truncate(buffered);
                injections.drafts = drafts;
                inner.injections.put_back(injections);
                Err(error)
            }
        }
    }

    /// Reads an event by id, citation or position. `None` when there is no such
    /// event or it was forgotten.
    ///
    /// # Errors
    /// `corrupt` or `io` when the record cannot be read.
    pub fn event(&self, event: impl Into<EventRef>) -> Result<Option<Event>> {
        self.enter()?;
        self.inner.store.read()?.event(&event.into())
    }

    /// Reads an event by what people type: an event id, `a7Bc3x`, `mem:a7Bc3x`
    /// or `[mem:a7Bc3x]`.
    ///
    /// # Errors
    /// `invalid_argument` when the text is neither, `not_found` when there is
    /// no such event.
    pub fn citation(&self, text: &str) -> Result<Event> {
        let event: EventRef = text.parse()?;
        self.event(event)?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("no event is named {text}"))
                .with_argument("citation")
        })
    }

    /// Events in the order of time that fit a filter, read as they are asked
    /// for. Each step sees what is stored at that moment: an event that was
    /// forgotten or erased before the step is not given, and one that was appended
    /// meanwhile is, when its place is still ahead. To append for each event that
    /// is read, collect them first or set [`EventFilter::until`].
    ///
    /// # Errors
    /// As [`Memory::event`], also from the iterator's items; `closed` from the
    /// first step after [`Memory::close`]. The iterator is at its end then.
    pub fn events(&self, filter: EventFilter) -> Result<Events> {
        self.enter()?;
        let clean = |name: String| self.inner.filter.text(&name).text.into_string();
        let wanted = Wanted {
            project: prepare::wanted_project(&self.inner, &filter.project)?,
            session: prepare::kept_option(&self.inner, filter.session.as_deref())?,
            kinds: filter.kinds,
            from: filter.from,
            until: filter.until,
            tool: filter.tool.map(clean),
            file_contains: filter.file_contains.map(clean),
            newest_first: filter.newest_first,
        };
        Ok(Events {
            memory: self.clone(),
            scan: Scan::new(wanted),
            left: filter.limit.unwrap_or(usize::MAX),
        })
    }

    /// Events after a position of the log, in log order, of every kind and
    /// project: what a viewer or a cache needs to follow the store.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn changes_since(&self, after: Seq, limit: usize) -> Result<Vec<Event>> {
        self.enter()?;
        self.inner.store.read()?.changes_since(after.0, limit)
    }

    /// The sessions of the store, the one with the newest event first.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn sessions(&self, project: ProjectScope) -> Result<Vec<Session>> {
        self.enter()?;
        let read = self.inner.store.read()?;
        let wanted = prepare::wanted_project(&self.inner, &project)?;
        let mut sessions = Vec::new();
        for row in read.sessions()? {
            let session = read.public_session(row)?;
            if wanted
                .as_ref()
                .is_none_or(|project| session.project == *project)
            {
                sessions.push(session);
            }
        }
        sessions.sort_by(|a, b| {
            b.last_event
                .cmp(&a.last_event)
                .then_with(|| a.id.cmp(&b.id))
        });
        Ok(sessions)
    }

    /// One session, or `None` when no event belongs to it.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn session(&self, id: &str) -> Result<Option<Session>> {
        self.enter()?;
        let id = prepare::kept_name(&self.inner, id)?;
        let read = self.inner.store.read()?;
        match read.session(&id)? {
            Some((_, row)) => read.public_session(row).map(Some),
            None => Ok(None),
        }
    }

    /// Starts, ends, summarises or tags a session. Fields that are `None` stay
    /// as they are. The change itself is an event of the log.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn update_session(&self, id: &str, update: SessionUpdate) -> Result<Session> {
        self.enter()?;
        let id = &prepare::kept_name(&self.inner, id)?;
        let mut update = update;
        update.project = prepare::kept_option(&self.inner, update.project.as_deref())?;
        let draft = prepare::session_change(&self.inner, id, &update)?;
        let update = prepare::filtered_update(&draft.event, &update);
        self.inner.store.write(|tx| {
            tx.append(std::slice::from_ref(&draft))?;
            tx.update_session(id, &update)
        })?;
        self.session(id)?.ok_or_else(|| {
            Error::new(
                ErrorCode::Internal,
                "a session that was just written is missing",
            )
        })
    }

    /// Figures about the store: how much each layer holds and when it last moved.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn stats(&self) -> Result<Stats> {
        self.enter()?;
        let inner = &self.inner;
        let mut stats = inner
            .store
            .read()?
            .stats(inner.store.folder().size_bytes())?;
        stats.quota_bytes = inner.lifetime.quota_bytes;
        stats.is_over_quota = stats.size_bytes >= stats.quota_bytes;
        let (segments, events) = inner.lexical.damaged();
        stats.lexical.damaged_segments = segments.len() as u64;
        stats.lexical.damaged_events = events;
        let (orders, places) = inner.store.open_erasures()?;
        (stats.open_erasures, stats.unclean_places) = (orders, places);
        if let (Some(stats), Some(ours)) = (&mut stats.embedding, &inner.embedding)
            && stats.version == ours.version
        {
            let graphs = ours.index.graph_counts();
            (stats.graph_vectors, stats.graph_waiting) = (graphs.held, graphs.waiting);
        }
        Ok(stats)
    }

    /// Closes this handle and its clones: later calls fail with `closed`. The
    /// store file is released when the last handle of the process is dropped.
    /// Closing twice is fine.
    ///
    /// What recall has buffered (see [`crate::Recording`]) is written first.
    ///
    /// # Errors
    /// As [`Memory::append`] when that last write fails; the handle is closed
    /// all the same.
    pub fn close(&self) -> Result<()> {
        let inner = &self.inner;
        if inner.closed.load(Ordering::Acquire) || inner.process != std::process::id() {
            inner.closed.store(true, Ordering::Release);
            return Ok(());
        }
        let written = self.flush_recorded();
        inner.closed.store(true, Ordering::Release);
        written
    }

    /// Writes what recall has buffered: injections and accesses.
    pub(crate) fn flush_recorded(&self) -> Result<()> {
        self.flush_injections()?;
        let inner = &self.inner;
        if inner.accesses.is_empty() {
            return Ok(());
        }
        let flushing = Flushing::all(inner);
        inner.store.write(|tx| flushing.write(tx))?;
        flushing.done();
        Ok(())
    }

    /// Whether the handle is open.
    pub fn is_open(&self) -> bool {
        !self.inner.closed.load(Ordering::Acquire)
    }

    /// Every call begins here.
    pub(crate) fn enter(&self) -> Result<()> {
        if self.inner.closed.load(Ordering::Acquire) {
            return Err(Error::new(
                ErrorCode::Closed,
                "the memory was closed; open it again",
            ));
        }
        if self.inner.process != std::process::id() {
            return Err(Error::new(
                ErrorCode::NeedsReopen,
                "the process was forked after the memory was opened; open it again in the child",
            ));
        }
        Ok(())
    }
}

/// Which events [`Memory::events`] gives. The default is every conversation
/// event of the memory's project, oldest first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EventFilter {
    /// Only this session.
    pub session: Option<String>,
    /// Only these projects.
    pub project: ProjectScope,
    /// Only these kinds; empty means the four conversation kinds.
    pub kinds: Vec<EventKind>,
    /// Only events at this time or later.
    pub from: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
    /// Only observations of this tool.
    pub tool: Option<String>,
    /// Only tool observations about a file whose path contains this.
    pub file_contains: Option<String>,
    /// Newest first instead of oldest first.
    pub newest_first: bool,
    /// At most this many events.
    pub limit: Option<usize>,
}

impl EventFilter {
    /// The default filter.
    pub fn new() -> Self {
        EventFilter::default()
    }

    /// Only this session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Only these projects.
    #[must_use]
    pub fn project(mut self, project: ProjectScope) -> Self {
        self.project = project;
        self
    }

    /// Only these kinds.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        self
    }

    /// Only events at this time or later.
    #[must_use]
    pub fn from(mut self, from: Timestamp) -> Self {
        self.from = Some(from);
        self
    }

    /// Only events before this time.
    #[must_use]
    pub fn until(mut self, until: Timestamp) -> Self {
        self.until = Some(until);
        self
    }

    /// Only observations of this tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Only tool observations about a file whose path contains this.
    #[must_use]
    pub fn file_contains(mut self, part: impl Into<String>) -> Self {
        self.file_contains = Some(part.into());
        self
    }

    /// Newest first.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.newest_first = true;
        self
    }

    /// At most this many events.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }
}

/// Events, read as they are asked for. See [`Memory::events`].
#[derive(Debug)]
pub struct Events {
    memory: Memory,
    scan: Scan,
    /// How many may still be given; 0 after the end or an error.
    left: usize,
}

impl Iterator for Events {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        if self.left == 0 {
            return None;
        }
        let step = self
            .memory
            .enter()
            .and_then(|()| self.memory.inner.store.read())
            .and_then(|read| read.scan_next(&mut self.scan))
            .transpose();
        self.left = match step {
            Some(Ok(_)) => self.left - 1,
            Some(Err(_)) | None => 0,
        };
        step
    }
}

impl std::iter::FusedIterator for Events {}
