//! The store: the only user of the storage engine and of the record archive.
//!
//! A store is a folder with one live *generation* file. Every transaction reads
//! the meta record first; when another process has replaced the generation, the
//! new one is opened and the transaction begins there.

pub(crate) mod append;
pub(crate) mod checked;
pub(crate) mod compare;
mod engine;
pub(crate) mod erasing;
mod error;
pub(crate) mod folder;
pub(crate) mod generation;
mod leftovers;
pub(crate) mod lexical;
mod live;
mod meta;
mod net;
pub(crate) mod orders;
pub(crate) mod outbox;
pub(crate) mod projected;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod replay;
mod rows;
pub(crate) mod scan;
pub(crate) mod session;
mod sorted;
pub(crate) mod steps;
pub(crate) mod tables;
pub(crate) mod tombstone;
pub(crate) mod touches;
pub(crate) mod usage;
pub(crate) mod vectors;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use redb::{Database, TableDefinition};

use crate::clock::{Clock, IdSource};
use crate::model::error::{Error, ErrorCode, Result};
use checked::{ReadOnlyTable, ReadTransaction, ReadableTable, WriteTransaction};
use engine::{Engine, ExclusiveEngine, SharedEngine};
use folder::{Folder, Named};
pub(crate) use meta::{FORMAT, State};
use meta::{META_KEY, Meta, STATE_KEY};
use net::{contained, damaged_because, sound, sound_or};

/// How a store is opened.
#[derive(Clone, Debug)]
pub(crate) struct StoreOptions {
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) cache_bytes: usize,
    pub(crate) busy_timeout: Duration,
    pub(crate) allow_network_folder: bool,
}

/// One generation file, open.
struct Generation {
    number: u64,
    /// Present until the drop.
    database: Option<Database>,
    process: u32,
}

impl Generation {
    fn new(number: u64, database: Database) -> Self {
        Generation {
            number,
            database: Some(database),
            process: std::process::id(),
        }
    }

    fn database(&self) -> &Database {
        self.database
            .as_ref()
            .expect("only the drop takes the database out")
    }

    fn begin_read(&self) -> Result<ReadTransaction> {
        let file = match self.number {
            0 => "scratch".to_owned(),
            number => folder::generation_name(number),
        };
        ReadTransaction::begin(self.database(), &file)
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        // In a child after `fork`, closing would write the parent's state over
        // what others wrote since: the inherited handle is left alone.
        let database = self.database.take();
        if self.process != std::process::id() {
            std::mem::forget(database);
        } else {
            // Closing writes, and reads what may be damaged.
            contained(|| drop(database));
        }
    }
}

/// A store that is open in this process. Handles on the same folder share it.
pub(crate) struct Store {
    folder: Folder,
    engine: Arc<dyn Engine>,
    busy_timeout: Duration,
    // Lock order: writer, then generation. The generation is swapped only while
    // no transaction of this process can begin on the old one.
    writer: Mutex<()>,
    generation: RwLock<Arc<Generation>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    is_exclusive: bool,
    /// The last position that this process has seen committed.
    seen_seq: AtomicU64,
    /// Whether a write of this process met a damaged page.
    has_stopped_writing: AtomicBool,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("folder", &self.folder.path())
            .finish_non_exhaustive()
    }
}

/// Open stores of this process by folder: two handles on one folder share one
/// inner store, because file locks do not tell two handles of a process apart.
///
/// The process is a part of the key: a child after `fork` inherits the table and
/// must never use its parent's handle, whose locks belong to the parent.
static OPEN: LazyLock<Mutex<OpenStores>> = LazyLock::new(Mutex::default);

/// By process and folder.
type OpenStores = HashMap<(u32, PathBuf), Weak<Store>>;

impl Store {
    /// Opens the store in `path`, or joins the handle that this process has
    /// open there already.
    pub(crate) fn open(
        path: &Path,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>> {
        let folder = Folder::open(path, options.create)?;
        if !options.allow_network_folder {
            folder.check_place()?;
        }
        let key = (std::process::id(), folder.path().to_owned());
        let mut open = OPEN.lock();
        open.retain(|_, store| store.strong_count() > 0);
        if let Some(store) = open.get(&key).and_then(Weak::upgrade) {
            if store.is_exclusive != options.exclusive {
                return Err(Error::invalid(
                    "exclusive",
                    "this process has the store open the other way; every handle must choose the same",
                ));
            }
            return Ok(store);
        }
        let engine: Arc<dyn Engine> = if options.exclusive {
            Arc::new(ExclusiveEngine {
                cache_bytes: options.cache_bytes,
            })
        } else {
            Arc::new(SharedEngine {
                cache_bytes: options.cache_bytes,
                busy_timeout: options.busy_timeout,
            })
        };
        let store = Arc::new(Store::open_with(folder, engine, options, clock, ids)?);
        open.insert(key, Arc::downgrade(&store));
        Ok(store)
    }

    /// Opens a store with an engine of the caller's choice; not shared.
    fn open_with(
        folder: Folder,
        engine: Arc<dyn Engine>,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Store> {
        let mut attempt = 0;
        loop {
            let live = live::open(&folder, &*engine, 0, options.create)?;
            let store = Store {
                folder: folder.clone(),
                engine: engine.clone(),
                busy_timeout: options.busy_timeout,
                writer: Mutex::new(()),
                generation: RwLock::new(Arc::new(Generation::new(live.number, live.database))),
                clock: clock.clone(),
                ids: ids.clone(),
                is_exclusive: options.exclusive,
                seen_seq: AtomicU64::new(0),
                has_stopped_writing: AtomicBool::new(false),
            };
            if live.is_new && !sound(|| store.initialise())? {
                attempt += 1;
                if attempt == 100 {
                    return Err(replaced_again());
                }
                continue;
            }
            store.read()?;
            if !live.is_named {
                // The marks lead to the live generation as well: what cannot be
                // written now is written by the next opening.
                let _ = store.name_live();
            }
            let _ = store.clean_leftovers();
            return Ok(store);
        }
    }

    /// A store that shares nothing with other handles of this process, as one in
    /// another process.
    #[cfg(test)]
    pub(crate) fn open_unshared(
        path: &Path,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>> {
        let engine = Arc::new(SharedEngine {
            cache_bytes: options.cache_bytes,
            busy_timeout: options.busy_timeout,
        });
        let folder = Folder::open(path, options.create)?;
        Store::open_with(folder, engine, options, clock, ids).map(Arc::new)
    }

    /// A store on a backend that a test supplies (recording, failing).
    #[cfg(test)]
    pub(crate) fn open_on_backend<F, B>(
        path: &Path,
        make: F,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>>
    where
        F: Fn(&Path) -> B + Send + Sync + 'static,
        B: redb::StorageBackend,
    {
        let folder = Folder::open(path, true)?;
        let engine = Arc::new(engine::BackendEngine { make });
        Store::open_with(folder, engine, options, clock, ids).map(Arc::new)
    }

    /// Writes the meta record and creates the tables of a new store. False when
    /// there is a store already: another process was faster, and this one holds
    /// a file that is not the store.
    fn initialise(&self) -> Result<bool> {
        let _writer = self.lock_writer()?;
        let generation = self.generation.read().clone();
        let transaction = WriteTransaction::begin(generation.database())?;
        // A process that stood still after its look at the folder must not begin
        // a second store beside the one that others have made meanwhile.
        let seen = self.folder.seen()?;
        let is_alone = seen.named == Named::Nothing && seen.files == [generation.number];
        let is_begun = {
            let table = transaction.open_table(tables::META)?;
            table.get(META_KEY)?.is_some()
        };
        if !is_alone || is_begun {
            transaction.abort()?;
            return Ok(false);
        }
        {
            let mut table = transaction.open_table(tables::META)?;
            let mut secret = [0; 32];
            secret[..16].copy_from_slice(&self.ids.salt());
            secret[16..].copy_from_slice(&self.ids.salt());
            let meta = Meta::new(self.ids.salt(), secret, self.clock.now().millis());
            table.insert(META_KEY, meta.encode().as_slice())?;
            table.insert(STATE_KEY, State::default().encode().as_slice())?;
        }
        // Every table exists from the first transaction on, so that readers
        // never meet a missing one.
        tables::create_all(&transaction)?;
        self.commit(transaction)?;
        Ok(true)
    }

    fn lock_writer(&self) -> Result<parking_lot::MutexGuard<'_, ()>> {
        self.writer.try_lock_for(self.busy_timeout).ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "another thread kept the store locked longer than busy_timeout_ms; try again",
            )
        })
    }

    fn commit(&self, transaction: WriteTransaction) -> Result<()> {
        transaction.commit().map_err(|error| {
            match error.code() {
                // The commit may or may not have reached the disk; the dedupe
                // key makes the retry after reopening safe.
                ErrorCode::Io => Error::new(
                    ErrorCode::NeedsReopen,
                    format!(
                        "the commit failed ({}); close the store and open it again, then retry: \
                         an event that did reach the disk is recognised as a duplicate",
                        error.message()
                    ),
                )
                .with_source(error),
                _ => error,
            }
        })
    }

    /// Begins a read transaction on the live generation: one consistent view.
    pub(crate) fn read(&self) -> Result<ReadTx> {
        loop {
            let generation = self.generation.read().clone();
            let transaction = generation.begin_read()?;
            let meta = read_meta(&transaction)?;
            if meta.retired_to != 0 {
                drop(transaction);
                self.reopen(&generation, meta.retired_to)?;
                continue;
            }
            meta.check_readable()?;
            return Ok(ReadTx {
                transaction,
                tables: OpenTables::default(),
                meta,
                _generation: generation,
            });
        }
    }

    /// Runs `work` in a write transaction and commits it. Nothing of it stays
    /// when `work` or the commit fails.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut WriteTx<'_>) -> Result<T>) -> Result<T> {
        // An assertion in the middle of a write leaves the engine half done: what
        // it holds in memory is good for reading, but never to be written again.
        if self.has_stopped_writing.load(Ordering::Acquire) {
            return Err(damaged_because(
                "an earlier write met a damaged page, so nothing is written until the store is \
                 opened again",
            ));
        }
        sound_or(
            || self.write_and_commit(work),
            || self.has_stopped_writing.store(true, Ordering::Release),
        )
    }

    fn write_and_commit<T>(&self, work: impl FnOnce(&mut WriteTx<'_>) -> Result<T>) -> Result<T> {
        let _writer = self.lock_writer()?;
        loop {
            let generation = self.generation.read().clone();
            let mut transaction = WriteTransaction::begin(generation.database())?;
            if self.engine.wants_quick_repair() {
                transaction.set_quick_repair(true);
            }
            let (meta, state) = {
                let table = transaction.open_table(tables::META)?;
                let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
                let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
                (Meta::decode(meta.value())?, State::decode(state.value())?)
            };
            if meta.retired_to != 0 {
                transaction.abort()?;
                self.reopen(&generation, meta.retired_to)?;
                continue;
            }
            meta.check_writable()?;
            let mut tx = WriteTx {
                transaction,
                meta,
                state,
                clock: &*self.clock,
                ids: &*self.ids,
            };
            let result = match work(&mut tx) {
                Ok(result) => result,
                Err(error) => {
                    // Dropping would abort as well; saying so keeps the reason
                    // that the caller sees.
                    let _ = tx.transaction.abort();
                    return Err(error);
                }
            };
            let WriteTx {
                transaction,
                mut state,
                ..
            } = tx;
            state.commits = state.commits.wrapping_add(1);
            {
                let mut table = transaction.open_table(tables::META)?;
                table.insert(STATE_KEY, state.encode().as_slice())?;
            }
            self.commit(transaction)?;
            self.seen_seq.fetch_max(state.last_seq, Ordering::AcqRel);
            return Ok(result);
        }
    }

    /// Opens the generation that replaced `old`.
    fn reopen(&self, old: &Arc<Generation>, number: u64) -> Result<()> {
        let mut current = self.generation.write();
        if current.number != old.number {
            return Ok(());
        }
        let live = live::open(&self.folder, &*self.engine, number, false)?;
        *current = Arc::new(Generation::new(live.number, live.database));
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Sixteen bytes that nobody can guess.
    pub(crate) fn new_salt(&self) -> [u8; 16] {
        self.ids.salt()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }
}

fn replaced_again() -> Error {
    Error::new(
        ErrorCode::Busy,
        "the store is being replaced again and again; try again",
    )
}

fn read_meta(transaction: &ReadTransaction) -> Result<Meta> {
    let table = transaction.open_table(tables::META)?;
    let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
    Meta::decode(meta.value())
}

fn missing_meta() -> Error {
    Error::new(
        ErrorCode::Corrupt,
        "the store's meta record is missing; restore a backup, or move the folder away to start afresh",
    )
}

/// One consistent view of the store.
pub(crate) struct ReadTx {
    transaction: ReadTransaction,
    tables: OpenTables,
    meta: Meta,
    // Keeps the generation open for as long as something reads it.
    _generation: Arc<Generation>,
}

/// A secret of the store for one purpose: hashes and ids under it say nothing
/// about the texts that they were made of.
fn derived_secret(meta: &Meta, purpose: &str) -> [u8; 32] {
    blake3::derive_key(purpose, &meta.secret)
}

/// The tables that one search reads hundreds of times, opened at most once.
#[derive(Default)]
struct OpenTables {
    events: OnceLock<ReadOnlyTable<u64, &'static [u8]>>,
    dead: OnceLock<ReadOnlyTable<u64, u64>>,
    blocks: OnceLock<ReadOnlyTable<&'static [u8], &'static [u8]>>,
}

impl ReadTx {
    /// A table that stays open until the transaction ends.
    fn opened<'t, K: redb::Key + 'static, V: redb::Value + 'static>(
        &'t self,
        place: &'t OnceLock<ReadOnlyTable<K, V>>,
        table: TableDefinition<'_, K, V>,
    ) -> Result<&'t ReadOnlyTable<K, V>> {
        sound(|| {
            if let Some(open) = place.get() {
                return Ok(open);
            }
            let open = self.transaction.open_table(table)?;
            Ok(place.get_or_init(|| open))
        })
    }

    fn events_table(&self) -> Result<&ReadOnlyTable<u64, &'static [u8]>> {
        self.opened(&self.tables.events, tables::EVENTS)
    }

    fn dead_table(&self) -> Result<&ReadOnlyTable<u64, u64>> {
        self.opened(&self.tables.dead, tables::DEAD)
    }

    pub(crate) fn derived_secret(&self, purpose: &str) -> [u8; 32] {
        derived_secret(&self.meta, purpose)
    }

    /// The generation, and the checksum of the state record: every write
    /// changes one of them.
    pub(crate) fn version(&self) -> Result<(u64, [u8; 8])> {
        sound(|| {
            let table = self.transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            let sum = state.value().last_chunk().copied();
            Ok((self.meta.generation, sum.unwrap_or_default()))
        })
    }

    pub(crate) fn state(&self) -> Result<State> {
        sound(|| {
            let table = self.transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            State::decode(state.value())
        })
    }
}

impl WriteTx<'_> {
    /// Makes the store one of the newest format; false when it is already.
    pub(crate) fn upgrade(&mut self) -> Result<bool> {
        if self.meta.format >= FORMAT {
            return Ok(false);
        }
        self.meta.format = FORMAT;
        let mut table = self.transaction.open_table(tables::META)?;
        table.insert(META_KEY, self.meta.encode().as_slice())?;
        Ok(true)
    }

    pub(crate) fn derived_secret(&self, purpose: &str) -> [u8; 32] {
        derived_secret(&self.meta, purpose)
    }
}

/// One write transaction: either all of it is stored or nothing.
pub(crate) struct WriteTx<'a> {
    transaction: WriteTransaction,
    meta: Meta,
    pub(crate) state: State,
    clock: &'a dyn Clock,
    ids: &'a dyn IdSource,
}
