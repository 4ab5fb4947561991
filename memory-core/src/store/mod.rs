//! The store: the only module that uses the storage engine and the record archive.
//!
//! A store is a folder with one live *generation* file. Every transaction first reads the meta
//! record; if another process has replaced the generation, the new one is opened and the
//! transaction starts there.

pub(crate) mod database;
pub(crate) mod generations;
pub(crate) mod index_tables;
pub(crate) mod log;
mod meta;
pub(crate) mod projected_rows;
pub(crate) mod replaying;
pub(crate) mod running;
pub(crate) mod shared;
pub(crate) mod tables;
pub(crate) mod threads;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use redb::TableDefinition;

use crate::clock::{Clock, IdSource};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::CITATION_LENGTH;
use database::backend::Backend;
use database::checked::{ReadOnlyTable, ReadTransaction, ReadableTable, WriteTransaction};
use database::panics::catch_panic;
use database::watched::Database;
use database::writer_queue::WriterQueue;
use generations::folder::Folder;
use generations::notes::Note;
pub(crate) use generations::options::StoreOptions;
#[cfg(test)]
pub(crate) use meta::seal;
pub(crate) use meta::{FORMAT, State};
use meta::{META_KEY, Meta, STATE_KEY, missing_meta, read_meta};
use running::Running;

/// An open generation file.
struct Generation {
    number: u64,
    database: Database,
}

impl Generation {
    fn begin_read(&self) -> Result<ReadTransaction> {
        let file = match self.number {
            0 => "scratch".to_owned(),
            number => generations::folder::generation_name(number),
        };
        ReadTransaction::begin(&self.database, &file)
    }
}

impl From<generations::live::Live> for Generation {
    fn from(live: generations::live::Live) -> Self {
        Generation {
            number: live.number,
            database: live.database,
        }
    }
}

/// A store that is open in this process. Handles on the same folder share it.
pub(crate) struct Store {
    folder: Folder,
    /// The folder of side files.
    index: Arc<Path>,
    engine: Arc<dyn Backend>,
    busy_timeout: Duration,
    // Lock order: building, writer, turn, the engine's lock, generation. The generation is replaced
    // only while no write transaction of this process can begin on the old one.
    /// Held while a generation is built beside the live one.
    building: Mutex<()>,
    writer: Mutex<()>,
    generation: RwLock<Arc<Generation>>,
    /// The generation that this process is switching to. In exclusive mode, the file cannot be
    /// opened twice. Locked last.
    next: Mutex<Option<Arc<Generation>>>,
    /// Dropped after the generations, because they are closed in turn.
    queue: WriterQueue,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    is_exclusive: bool,
    /// The last position that this process has seen committed.
    seen_seq: AtomicU64,
    /// Notes about opening the store that have not been logged yet.
    notes: Mutex<Vec<Note>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("folder", &self.folder.path())
            .finish_non_exhaustive()
    }
}

impl Drop for Store {
    /// Closing the file takes the engine's lock, so it waits for its turn as a write does.
    fn drop(&mut self) {
        if self.generation.get_mut().database.is_of_this_process() {
            self.queue.wait_to_close();
        }
    }
}

impl Store {
    fn lock_writer(&self) -> Result<parking_lot::MutexGuard<'_, ()>> {
        self.writer.try_lock_for(self.busy_timeout).ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "another thread kept the store locked longer than `busy_timeout_ms`; try again",
            )
        })
    }

    /// Begins a read transaction on the live generation: a consistent snapshot.
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
            self.check_place(&generation)?;
            return Ok(ReadTx {
                transaction,
                tables: OpenTables::default(),
                index: self.index.clone(),
                meta,
                running: Running::default(),
                _generation: generation,
            });
        }
    }

    /// Whether the folder still contains the file that this store has open, or the one that
    /// replaced it after a failure made this store give up its own.
    pub(crate) fn is_in_place(&self) -> bool {
        let open = self.generation.read().clone();
        let is_replaced = || {
            let files = self.folder.generations().unwrap_or_default();
            files.iter().any(|number| *number > open.number)
        };
        self.has(&open) || !open.database.is_sound() && is_replaced()
    }

    fn has(&self, generation: &Generation) -> bool {
        let file = self.folder.generation_file(generation.number);
        generation.database.is_at(&file)
    }

    /// Fails if the folder no longer contains the file of the live generation: what is written to
    /// it would be lost with it, and the next generation would replace a store that others have
    /// created there.
    fn check_place(&self, live: &Generation) -> Result<()> {
        if self.has(live) {
            return Ok(());
        }
        let path = self.folder.path().display();
        Err(Error::new(
            ErrorCode::NeedsReopen,
            format!(
                "{path} was moved, removed or replaced while it was open; close the memory and \
                 open it again"
            ),
        ))
    }

    /// Runs `work` in a write transaction and commits it. If `work` or the commit fails, nothing is
    /// stored.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut WriteTx<'_>) -> Result<T>) -> Result<T> {
        let _writer = self.lock_writer()?;
        let held = self.hold_live()?;
        let begun = Instant::now();
        let generation = held.generation.clone();
        let (mut work, mut result) = (Some(work), None);
        let written = generation.database.writing(|| {
            self.write_and_commit(held, &mut |tx| {
                result = work.take().map(|work| work(tx)).transpose()?;
                Ok(())
            })
        });
        self.queue.wrote_since(begun);
        written.map(|()| result.expect("what is committed has run"))
    }

    /// Not generic, so that it is compiled once for all kinds of work.
    fn write_and_commit(
        &self,
        held: Locked,
        work: &mut dyn FnMut(&mut WriteTx<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut transaction = held.transaction;
        let (state, mark) = {
            let table = transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            (
                State::decode(state.value())?,
                generations::change_marks::mark_in(&table)?,
            )
        };
        if mark.is_some() {
            transaction.note_changes();
        }
        let mut tx = WriteTx {
            transaction,
            meta: held.meta,
            state,
            clock: &*self.clock,
            ids: &*self.ids,
            citation_length: CITATION_LENGTH,
            index: &self.index,
            uses_files: false,
            embeds: OnceCell::new(),
            running: Running::default(),
        };
        if let Err(error) = work(&mut tx) {
            // Dropping would abort as well, but an explicit abort keeps the original error.
            let _ = tx.transaction.abort();
            return Err(error);
        }
        let WriteTx {
            mut transaction,
            mut state,
            ..
        } = tx;
        state.commits = state.commits.wrapping_add(1);
        if let Some(mark) = mark {
            generations::change_marks::keep(&mut transaction, mark, state.commits)?;
        }
        {
            let mut table = transaction.open_table(tables::META)?;
            table.insert(STATE_KEY, state.encode().as_slice())?;
        }
        transaction.commit()?;
        self.seen_seq.fetch_max(state.last_seq, Ordering::AcqRel);
        Ok(())
    }

    /// Begins a write transaction. Where the engine wants it, the commit lets a crash be repaired
    /// without reading the whole file.
    fn begin_write(&self, database: &Database) -> Result<WriteTransaction> {
        let mut transaction = WriteTransaction::begin(database)?;
        if self.engine.wants_quick_repair() {
            transaction.set_quick_repair(true);
        }
        Ok(transaction)
    }

    /// Takes the write lock of the live generation. The caller must hold `writer`.
    fn hold_live(&self) -> Result<Locked> {
        let _turn = self.queue.wait();
        loop {
            let generation = self.generation.read().clone();
            let (transaction, meta) = generation.database.writing(|| {
                let transaction = self.begin_write(&generation.database)?;
                let meta = {
                    let table = transaction.open_table(tables::META)?;
                    let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
                    Meta::decode(meta.value())?
                };
                Ok((transaction, meta))
            })?;
            if meta.retired_to != 0 {
                transaction.abort()?;
                self.reopen(&generation, meta.retired_to)?;
                continue;
            }
            meta.check_writable()?;
            self.check_place(&generation)?;
            return Ok(Locked {
                generation,
                transaction,
                meta,
            });
        }
    }

    /// Commits a transaction that changes nothing: only a commit reads all that the file keeps of
    /// its own pages. It has a handle of its own, because a commit that fails ends what reads
    /// through the same one.
    pub(crate) fn check_write(&self) -> Result<()> {
        let _writer = self.lock_writer()?;
        let _turn = self.queue.wait();
        let (folder, patience) = (&self.folder, Duration::ZERO);
        let live = generations::live::open(folder, &*self.engine, 0, false, patience)?;
        let database = &live.database;
        database.writing(|| self.begin_write(database)?.commit())
    }

    /// Opens the generation that replaced `old`.
    fn reopen(&self, old: &Arc<Generation>, number: u64) -> Result<()> {
        let mut current = self.generation.write();
        if current.number != old.number {
            return Ok(());
        }
        let next = self.next.lock().clone();
        *current = match next.filter(|next| next.number == number) {
            Some(next) => next,
            None => {
                let patience = generations::live::PATIENCE;
                let live =
                    generations::live::open(&self.folder, &*self.engine, number, false, patience)?;
                Arc::new(live.into())
            }
        };
        Ok(())
    }

    /// Reopens the file if only that helps: after an I/O failure or an assertion of the engine.
    /// Existing handles and iterators continue on the new file; a call that is still running on the
    /// old one fails with `needs_reopen`.
    pub(crate) fn heal(&self) -> Result<()> {
        if self.generation.read().database.is_sound() {
            return Ok(());
        }
        let _writer = self.lock_writer()?;
        let mut current = self.generation.write();
        if current.database.is_sound() {
            return Ok(());
        }
        // Its readers keep the old file open. Unless it gives up its locks, they would lock out a
        // process that wants exclusive access.
        current.database.give_up();
        let number = current.number;
        let live = generations::live::open(
            &self.folder,
            &*self.engine,
            number,
            false,
            generations::live::PATIENCE,
        )?;
        *current = Arc::new(live.into());
        self.note(Note::Healed);
        Ok(())
    }

    fn note(&self, note: Note) {
        self.notes.lock().push(note);
    }

    /// Notes about opening the store that have not been logged yet.
    pub(crate) fn take_notes(&self) -> Vec<Note> {
        std::mem::take(&mut *self.notes.lock())
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The newest write that this process knows of: the live generation and the last position of
    /// the log. Every write of this process that adds, hides or erases events changes it.
    pub(crate) fn newest_known(&self) -> (u64, u64) {
        let generation = self.generation.read().number;
        (generation, self.seen_seq.load(Ordering::Acquire))
    }

    /// The store's folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Sixteen unpredictable bytes.
    pub(crate) fn new_salt(&self) -> [u8; 16] {
        self.ids.salt()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }
}

/// The live generation with its write lock held.
struct Locked {
    generation: Arc<Generation>,
    transaction: WriteTransaction,
    meta: Meta,
}

/// A consistent snapshot of the store.
pub(crate) struct ReadTx {
    transaction: ReadTransaction,
    tables: OpenTables,
    index: Arc<Path>,
    meta: Meta,
    /// The operation that reads.
    pub(crate) running: Running,
    // Keeps the generation open while the transaction exists.
    _generation: Arc<Generation>,
}

/// A secret of the store for one purpose: hashes and ids derived with it reveal nothing about the
/// texts.
fn derived_secret(meta: &Meta, purpose: &str) -> [u8; 32] {
    blake3::derive_key(purpose, &meta.secret)
}

/// The tables that one search reads hundreds of times; each is opened at most once.
#[derive(Default)]
struct OpenTables {
    events: OnceLock<ReadOnlyTable<u64, &'static [u8]>>,
    tombstones: OnceLock<ReadOnlyTable<u64, u64>>,
    by_time: OnceLock<ReadOnlyTable<&'static [u8], ()>>,
    blocks: OnceLock<ReadOnlyTable<&'static [u8], &'static [u8]>>,
}

impl ReadTx {
    /// This snapshot, for a long operation: its loops are checkpoints.
    pub(crate) fn run_by(mut self, running: &Running) -> ReadTx {
        self.running = running.clone();
        self
    }

    /// A checkpoint of its operation, for loops outside of the store.
    ///
    /// # Errors
    /// As [`Running::checkpoint`].
    pub(crate) fn tick(&self) -> Result<()> {
        self.running.tick()
    }

    /// A table that stays open until the transaction ends.
    fn opened<'t, K: redb::Key + 'static, V: redb::Value + 'static>(
        &'t self,
        place: &'t OnceLock<ReadOnlyTable<K, V>>,
        table: TableDefinition<'_, K, V>,
    ) -> Result<&'t ReadOnlyTable<K, V>> {
        catch_panic(|| {
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

    fn tombstones_table(&self) -> Result<&ReadOnlyTable<u64, u64>> {
        self.opened(&self.tables.tombstones, tables::TOMBSTONES)
    }

    fn by_time_table(&self) -> Result<&ReadOnlyTable<&'static [u8], ()>> {
        self.opened(&self.tables.by_time, tables::BY_TIME)
    }

    pub(crate) fn derived_secret(&self, purpose: &str) -> [u8; 32] {
        derived_secret(&self.meta, purpose)
    }

    /// The generation and the checksum of the state record; every write changes one of them.
    pub(crate) fn version(&self) -> Result<(u64, [u8; 8])> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            let sum = state.value().last_chunk().copied();
            Ok((self.meta.generation, sum.unwrap_or_default()))
        })
    }

    pub(crate) fn state(&self) -> Result<State> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            State::decode(state.value())
        })
    }
}

impl WriteTx<'_> {
    /// Upgrades the store to the newest format; false if it already has it.
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

    /// The secret of the store, for values that outsiders must not be able to guess.
    pub(crate) fn secret(&self) -> &[u8; 32] {
        &self.meta.secret
    }
}

/// A write transaction: all of it is stored, or nothing.
pub(crate) struct WriteTx<'a> {
    transaction: WriteTransaction,
    meta: Meta,
    pub(crate) state: State,
    clock: &'a dyn Clock,
    ids: &'a dyn IdSource,
    /// The minimum length of new citations, in characters.
    pub(crate) citation_length: usize,
    /// The folder of side files.
    index: &'a Path,
    /// Whether segments may be written to files; see [`word_files`].
    uses_files: bool,
    /// Whether an embedder is active, once that was looked up.
    embeds: OnceCell<bool>,
    /// The operation that fills this file, if it is not the live one.
    pub(crate) running: Running,
}
