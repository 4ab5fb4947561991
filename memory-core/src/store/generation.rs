//! Generations: a store file built beside the live one, checked, and put in its
//! place while other processes read and wait to write.
//!
//! The switch is one commit. In order, all under the live file's write lock:
//!
//! 1. the new file is built, committed and read back, the folder is synced;
//! 2. the old file's meta record is marked with the number of the new one:
//!    from this commit on every transaction of every process goes there;
//! 3. `CURRENT` is written, so that the old file is no longer needed;
//! 4. the old file is removed.
//!
//! A crash before 2 leaves the old generation and a file that the next switch
//! removes; a crash after 2 leaves the new generation, found through the mark
//! when `CURRENT` still names the old one. Generation numbers are never given
//! to two files that were both live.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use redb::{Database, ReadableTableMetadata};

use super::checked::{Held, ReadOnlyTable, ReadableTable, WriteTransaction};
use super::folder::Folder;
use super::meta::{META_KEY, Meta, STATE_KEY, State};
use super::net::sound;
use super::orders::CLEAN_WAIT;
use super::record::{CHAIN_START, RecordView};
use super::steps::step;
use super::tables;
use super::{Generation, OpenTables, ReadTx, Store, WriteTx, missing_meta, read_meta};
use crate::model::error::{Error, ErrorCode, Result};

/// Stores with more events than this are checked with a scratch file instead of
/// in memory.
const SCRATCH_IN_MEMORY: u64 = 100_000;

/// What a switch did.
#[derive(Clone, Debug)]
pub(crate) struct Switched<T> {
    pub(crate) result: T,
    pub(crate) generation: u64,
    pub(crate) before_bytes: u64,
    pub(crate) after_bytes: u64,
}

impl Store {
    /// Builds the next generation with `work`, which reads the live one and
    /// fills the new one, and puts it in place. Nothing changes when `work`
    /// fails. With `overwrite` the old file is left to the erase order that `work`
    /// recorded (see [`super::orders`]); without it is removed.
    pub(crate) fn next_generation<T>(
        &self,
        overwrite: bool,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<Switched<T>> {
        sound(|| self.build_and_switch(overwrite, work))
    }

    fn build_and_switch<T>(
        &self,
        overwrite: bool,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<Switched<T>> {
        let _writer = self.lock_writer()?;
        let (generation, transaction, meta) = loop {
            let generation = self.generation.read().clone();
            let transaction = WriteTransaction::begin(generation.database())?;
            let meta = {
                let table = transaction.open_table(tables::META)?;
                let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
                Meta::decode(meta.value())?
            };
            if meta.retired_to == 0 {
                break (generation, transaction, meta);
            }
            transaction.abort()?;
            self.reopen(&generation, meta.retired_to)?;
        };
        meta.check_writable()?;
        let old = self.read_of(&generation)?;
        let before_bytes = self.folder.size_bytes();
        let number = generation.number + 1;
        // Files above the live generation were left by a crash before its end.
        for left in self.folder.generations()? {
            if left > generation.number {
                self.engine
                    .remove(&self.folder.generation_file(left), false)?;
            }
        }
        let file = self.folder.generation_file(number);
        let built = (|| {
            let database = self.engine.open(&file, true)?;
            let meta = Meta {
                generation: number,
                retired_to: 0,
                ..meta.clone()
            };
            let (mut new, result) = self.fill(database, number, &meta, &old, work)?;
            if let Some(generation) = Arc::get_mut(&mut new) {
                // Only space is at stake here; a copy in key order is dense.
                let _ = generation.database.as_mut().map(Database::compact);
            }
            verify(&self.read_of(&new)?)?;
            self.folder.sync()?;
            Ok((new, result))
        })();
        let (new, result) = match built {
            Ok(built) => built,
            Err(error) => {
                let _ = transaction.abort();
                let _ = self.engine.remove(&file, overwrite);
                return Err(error);
            }
        };
        {
            let mut table = transaction.open_table(tables::META)?;
            let retired = Meta {
                retired_to: number,
                ..meta
            };
            table.insert(META_KEY, retired.encode().as_slice())?;
        }
        step("the new generation is built")?;
        // An error here leaves both files: whether the mark reached the disk
        // decides which one is live.
        self.commit(transaction)?;
        *self.generation.write() = new;
        drop(old);
        step("CURRENT names the old generation")?;
        self.folder.set_current(number)?;

        step("the old generation is still there")?;
        let begun = Instant::now();
        // Readers of this process that are under way keep the old file open.
        while overwrite && Arc::strong_count(&generation) > 1 && begun.elapsed() < CLEAN_WAIT {
            std::thread::sleep(Duration::from_millis(2));
        }
        let replaced = generation.number;
        drop(generation);
        if !overwrite {
            // Another process may hold the file open where that forbids its
            // removal; it goes with the next switch or opening.
            let _ = self
                .engine
                .remove(&self.folder.generation_file(replaced), false);
        }
        self.folder.sync()?;
        Ok(Switched {
            result,
            generation: number,
            before_bytes,
            after_bytes: self.folder.size_bytes(),
        })
    }

    /// A copy of the store as `read` sees it, as the first generation of a new
    /// folder, which must be empty.
    pub(crate) fn copy_to(&self, read: &ReadTx, folder: &Folder) -> Result<()> {
        let database = self.engine.open(&folder.generation_file(1), true)?;
        let meta = Meta {
            generation: 1,
            retired_to: 0,
            ..read.meta.clone()
        };
        let (copy, ()) = sound(|| {
            self.fill(database, 1, &meta, read, |old, new| {
                new.state = old.state()?;
                new.copy_tables(old)?;
                // The new folder never had the files that erasures wait for.
                new.set_erase_orders(&[])
            })
        })?;
        verify(&self.read_of(&copy)?)?;
        drop(copy);
        folder.sync()?;
        folder.set_current(1)
    }

    /// A store file that only this call sees, filled by `work`: for comparing.
    pub(crate) fn scratch(
        &self,
        old: &ReadTx,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<()>,
    ) -> Result<ReadTx> {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(64 << 20);
        let database = if old.state()?.last_seq > SCRATCH_IN_MEMORY && cfg!(unix) {
            let file = self
                .folder
                .path()
                .join(format!("scratch.{}.tmp", std::process::id()));
            let database = builder.create(&file).map_err(Error::from);
            // The name goes at once: whatever happens, nothing stays behind.
            let _ = std::fs::remove_file(&file);
            database?
        } else {
            builder
                .create_with_backend(redb::backends::InMemoryBackend::new())
                .map_err(Error::from)?
        };
        let (scratch, ()) = sound(|| self.fill(database, 0, &old.meta.clone(), old, work))?;
        self.read_of(&scratch)
    }

    fn fill<T>(
        &self,
        database: Database,
        number: u64,
        meta: &Meta,
        old: &ReadTx,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<(Arc<Generation>, T)> {
        let transaction = WriteTransaction::begin(&database)?;
        tables::create_all(&transaction)?;
        let mut tx = WriteTx {
            transaction,
            meta: meta.clone(),
            state: State::default(),
            clock: &*self.clock,
            ids: &*self.ids,
        };
        let result = work(old, &mut tx)?;
        let WriteTx {
            transaction,
            state,
            meta,
            ..
        } = tx;
        {
            let mut table = transaction.open_table(tables::META)?;
            table.insert(META_KEY, meta.encode().as_slice())?;
            table.insert(STATE_KEY, state.encode().as_slice())?;
        }
        transaction.commit()?;
        Ok((Arc::new(Generation::new(number, database)), result))
    }

    fn read_of(&self, generation: &Arc<Generation>) -> Result<ReadTx> {
        let transaction = generation.begin_read()?;
        let meta = read_meta(&transaction)?;
        Ok(ReadTx {
            transaction,
            tables: OpenTables::default(),
            meta,
            _generation: generation.clone(),
        })
    }

    /// Removes generation files that a crash left behind: those below the live
    /// one, which `CURRENT` names durably.
    pub(super) fn remove_stale_generations(&self, live: u64) {
        for old in self.folder.generations().unwrap_or_default() {
            if old < live {
                let file = self.folder.generation_file(old);
                // One that somebody has open stays, so that the next opening can
                // overwrite it.
                let _ = self.engine.remove(&file, true);
            }
        }
    }
}

/// Reads a new generation back: the whole chain, up to where its state says.
fn verify(read: &ReadTx) -> Result<()> {
    let state = read.state()?;
    let (mut next, mut checksum) = (1, CHAIN_START);
    for entry in read.log()?.iter()? {
        let (seq, bytes) = entry?;
        let view = RecordView::new(seq.value(), bytes.value())?;
        view.archive()?;
        if seq.value() != next || !view.continues(&checksum) {
            return Err(broken_copy(seq.value()));
        }
        (next, checksum) = (next + 1, view.checksum());
    }
    if state.last_seq + 1 != next || state.last_checksum != checksum {
        return Err(broken_copy(next));
    }
    Ok(())
}

fn broken_copy(seq: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "the log breaks at record {seq}, so no new generation is made of it; \
             the store stays as it is: run check(), then restore a backup"
        ),
    )
}

impl WriteTx<'_> {
    /// Copies the tables of another store file as they are.
    pub(crate) fn copy_tables(&mut self, old: &ReadTx) -> Result<()> {
        let mut known = 0usize;
        macro_rules! copy {
            (META, $role:ident) => {
                known += 1;
            };
            ($name:ident, $role:ident) => {
                known += 1;
                self.copy_table(old, tables::$name)?;
            };
        }
        tables::every_table!(copy);
        let found = old.transaction.count_tables()?;
        if found != known {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "the store has {found} tables and this library knows {known}; \
                     a newer library must do this"
                ),
            ));
        }
        let from = old.transaction.open_table(tables::META)?;
        let mut to = self.transaction.open_table(tables::META)?;
        for entry in from.iter()? {
            let (key, value) = entry?;
            if key.value() != META_KEY && key.value() != STATE_KEY {
                to.insert(key.value(), value.value())?;
            }
        }
        Ok(())
    }

    pub(super) fn copy_table<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        old: &ReadTx,
        table: redb::TableDefinition<'_, K, V>,
    ) -> Result<()> {
        let from: ReadOnlyTable<K, V> = old.transaction.open_table(table)?;
        let mut to = self.transaction.open_table(table)?;
        // In key order through one cursor: fast, and the pages become full.
        let mut cursor = Held::new(to.upper_bound_mut(Bound::<K::SelfType<'_>>::Unbounded)?);
        for entry in from.iter()? {
            let (key, value) = entry?;
            cursor.insert_before(key.value(), value.value())?;
        }
        cursor.into_inner().close()?;
        if from.len()? != to.len()? {
            return Err(Error::new(
                ErrorCode::Internal,
                "a copied table has another length",
            ));
        }
        Ok(())
    }

    /// Points the erased events at the event that erased them, and drops the
    /// jobs that waited for them and their vectors.
    pub(crate) fn mark_erased(&mut self, targets: &[u64], tombstone: u64) -> Result<u64> {
        {
            let mut dead = self.transaction.open_table(tables::DEAD)?;
            for &seq in targets {
                dead.insert(seq, tombstone)?;
            }
        }
        self.drop_embeddings(targets)
    }
}

impl Folder {
    /// The numbers of the generation files, in order.
    pub(crate) fn generations(&self) -> Result<Vec<u64>> {
        let mut numbers: Vec<u64> = std::fs::read_dir(self.path())?
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                name.strip_prefix("memory.")?
                    .strip_suffix(".redb")?
                    .parse()
                    .ok()
            })
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// Writes zeros over all of a file, down to the disk.
pub(super) fn fill_with_zeros(file: &mut std::fs::File) -> Result<()> {
    use std::io::Write;

    let zeros = vec![0; 1 << 16];
    let mut left = file.metadata()?.len();
    while left > 0 {
        let part = left.min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        left -= part;
    }
    file.sync_all()?;
    Ok(())
}

/// Removes a file; with `overwrite` only when nobody has it open, after zeros
/// were written over it. False when it was left because somebody has.
pub(super) fn remove_file(file: &Path, overwrite: bool) -> Result<bool> {
    use redb::StorageBackend;

    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    if overwrite {
        let open = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(file);
        let open = match open {
            Ok(open) => open,
            Err(error) if gone(&error) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        let mut writer = open.try_clone()?;
        let locks = redb::backends::FileBackend::new(open).map_err(Error::from)?;
        // Whoever has the file open holds a lock on a part of it.
        match locks.try_lock_range(Bound::Unbounded, Bound::Unbounded) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(redb::BackendError::Unsupported) => {}
            Err(_) => return Ok(false),
        }
        fill_with_zeros(&mut writer)?;
        let removed = std::fs::remove_file(file);
        let _ = locks.unlock_range(Bound::Unbounded, Bound::Unbounded);
        return match removed {
            Err(error) if !gone(&error) => Err(error.into()),
            _ => Ok(true),
        };
    }
    match std::fs::remove_file(file) {
        Err(error) if !gone(&error) => Err(error.into()),
        _ => Ok(true),
    }
}
