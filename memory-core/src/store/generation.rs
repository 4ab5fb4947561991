//! Generations: a store file built beside the live one, checked, and put in its
//! place while other processes read and wait to write.
//!
//! The switch is one commit. In order, all under the live file's write lock:
//!
//! 1. the copy is built under a temporary name, committed and read back;
//! 2. it gets its name `memory.N.redb`, and the folder is synced;
//! 3. under the folder's switch lock the old file's meta record is marked with
//!    the number of the new one: from this commit on every transaction of every
//!    process goes there;
//! 4. `CURRENT` is written, and the switch lock is given back;
//! 5. the old file is overwritten and removed, once nobody has it open.
//!
//! A crash before 3 leaves the old generation and a file that the next switch
//! removes; a crash after 3 leaves the new generation, found through the mark
//! when `CURRENT` still names the old one. Because 3 and 4 are under one lock,
//! `CURRENT` never falls, however long a process stands still between them.
//! Generation numbers are never given to two files that were both live.

use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use redb::ReadableTableMetadata;

use super::checked::{Held, ReadOnlyTable, ReadableTable, WriteTransaction};
use super::engine::open_file;
use super::error::not_opened;
use super::folder::{Folder, Named, generation_of};
use super::leftovers;
use super::meta::{META_KEY, Meta, STATE_KEY, State};
use super::net::sound;
use super::record::{CHAIN_START, RecordView};
use super::steps::step;
use super::tables;
use super::watched::Database;
use super::{Generation, Locked, OpenTables, ReadTx, Store, WriteTx, read_meta};
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

/// A copy that is not in its place yet.
struct Copy<T> {
    file: PathBuf,
    generation: Arc<Generation>,
    result: T,
}

impl Store {
    /// Builds the next generation with `work`, which reads the live one and
    /// fills the new one, and puts it in place. Nothing changes when `work`
    /// fails. With `is_ordered` the old file is left to the erase order that `work`
    /// recorded (see [`super::orders`]).
    pub(crate) fn next_generation<T>(
        &self,
        is_ordered: bool,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<Switched<T>> {
        let _writer = self.lock_writer()?;
        let held = self.hold_live()?;
        let begun = Instant::now();
        let switched = sound(|| self.build_and_switch(held, is_ordered, work));
        self.turns.wrote_since(begun);
        switched
    }

    fn build_and_switch<T>(
        &self,
        held: Locked,
        is_ordered: bool,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<Switched<T>> {
        let before_bytes = self.folder.size_bytes();
        let old = held.generation.clone();
        let number = old.number + 1;
        let copy = self.build(&held, number, work)?;
        let new = copy.generation.clone();
        if let Err(error) = self.place(&held, &copy) {
            let _ = held.transaction.abort();
            let file = copy.file.clone();
            drop((copy, new));
            let _ = self.engine.remove(&file);
            return Err(error);
        }
        old.database.writing(|| self.retire(held, &new))?;
        *self.generation.write() = new;
        drop(old);
        step("the old generation is still there")?;
        if !is_ordered {
            // What cannot be cleaned now is left to a later call.
            let _ = self.clean_below();
        }
        Ok(Switched {
            result: copy.result,
            generation: number,
            before_bytes,
            after_bytes: self.folder.size_bytes(),
        })
    }

    /// Step 1: the copy, committed and read back.
    fn build<T>(
        &self,
        held: &Locked,
        number: u64,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<Copy<T>> {
        let old = self.read_of(&held.generation)?;
        let (file, database) = self.new_copy(held.generation.number)?;
        let meta = Meta {
            generation: number,
            retired_to: 0,
            ..held.meta.clone()
        };
        let built = (|| {
            let (mut new, result) = self.fill(database, number, &meta, &old, work)?;
            if let Some(generation) = Arc::get_mut(&mut new) {
                // Only space is at stake here; a copy in key order is dense.
                generation.database.compact();
            }
            verify(&self.read_of(&new)?)?;
            Ok((new, result))
        })();
        match built {
            Ok((generation, result)) => Ok(Copy {
                file,
                generation,
                result,
            }),
            Err(error) => {
                let _ = self.engine.remove(&file);
                let is_of_copy = held.generation.database.is_sound();
                Err(match is_of_copy {
                    true => not_opened(error, &file),
                    false => error,
                })
            }
        }
    }

    /// A new store file under a temporary name.
    fn new_copy(&self, of: u64) -> Result<(PathBuf, Database)> {
        let mut attempt = 0;
        loop {
            let file = self.folder.temporary(leftovers::BUILDING, of);
            let opened = self.engine.open(&file, true);
            attempt += 1;
            match opened {
                // Before the engine locked it, somebody who tidied up may have
                // taken it for a file of a dead process.
                Ok(database) if file.exists() => return Ok((file, database)),
                Err(error) if error.code() != ErrorCode::Busy || attempt == 10 => {
                    let _ = self.engine.remove(&file);
                    return Err(error);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Step 2: the copy gets its name.
    fn place<T>(&self, held: &Locked, copy: &Copy<T>) -> Result<()> {
        step("the new generation is built")?;
        self.discard_above(held.generation.number)?;
        let file = self.folder.generation_file(copy.generation.number);
        std::fs::rename(&copy.file, file)?;
        self.folder.sync()?;
        step("the new generation has its name")?;
        Ok(())
    }

    /// Steps 3 and 4: the new generation becomes the live one.
    fn retire(&self, held: Locked, new: &Generation) -> Result<()> {
        let lock = self.folder.lock_switch(self.busy_timeout)?;
        {
            let mut table = held.transaction.open_table(tables::META)?;
            let retired = Meta {
                retired_to: new.number,
                ..held.meta
            };
            table.insert(META_KEY, retired.encode().as_slice())?;
        }
        // An error here leaves both files: whether the mark reached the disk
        // decides which one is live.
        held.transaction.commit()?;
        step("CURRENT names the old generation")?;
        // The mark alone leads to the new generation as well: the next opening
        // writes what cannot be written now.
        let _ = self.folder.set_current(new.number, &lock);
        Ok(())
    }

    /// Writes the number of the live generation into `CURRENT`.
    pub(super) fn name_live(&self) -> Result<()> {
        let lock = self.folder.lock_switch(self.busy_timeout)?;
        // Under the lock what is live now stays so.
        let live = self.read()?.generation();
        if self.folder.seen()?.named != Named::Generation(live) {
            self.folder.set_current(live, &lock)?;
        }
        Ok(())
    }

    /// The files in the folder that may hold what the live generation does not
    /// hold any more: retired generations and unfinished copies of them.
    #[cfg(test)]
    pub(crate) fn leftovers(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        leftovers::list(&self.folder, live)
    }

    /// Overwrites and removes the files that nothing needs any more, where
    /// nobody has them open; gives those that hold old bytes and are still there.
    pub(crate) fn clean_leftovers(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        let names = self.folder.names()?;
        if names.iter().all(|name| !leftovers::is_left(name, live)) {
            return Ok(Vec::new());
        }
        if names
            .iter()
            .filter_map(|name| generation_of(name))
            .any(|number| number > live)
        {
            // Only this lock tells what a crash left from a switch under way.
            let _writer = self.lock_writer()?;
            let held = self.hold_live()?;
            self.discard_above(held.generation.number)?;
            held.transaction.abort()?;
        }
        self.clean_below()
    }

    fn clean_below(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        // The old file goes only when the name of the new one is written.
        if self.folder.seen()?.named == Named::Generation(live)
            && leftovers::clean(&self.folder, &*self.engine, live)?
        {
            self.folder.sync()?;
        }
        leftovers::list(&self.folder, live)
    }

    /// Files above the live generation were left by a crash before step 3. Only
    /// for who holds its write lock.
    fn discard_above(&self, live: u64) -> Result<()> {
        for left in self.folder.generations()? {
            if left > live {
                leftovers::make_way(&self.folder, &*self.engine, left)?;
            }
        }
        Ok(())
    }

    /// A copy of the store as `read` sees it, as the first generation of a new
    /// folder, which must be empty.
    pub(crate) fn copy_to(&self, read: &ReadTx, folder: &Folder) -> Result<()> {
        let file = folder.temporary(leftovers::BUILDING, 0);
        let database = self.engine.open(&file, true)?;
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
        let read_back = self.read_of(&copy).and_then(|read| verify(&read));
        read_back.map_err(|error| not_opened(error, &file))?;
        // Half a copy must not be taken for a store.
        std::fs::rename(&file, folder.generation_file(1))?;
        folder.sync()?;
        folder.set_current(1, &folder.lock_switch(self.busy_timeout)?)
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
            self.new_scratch(&builder)?
        } else {
            Database::open(&builder, redb::backends::InMemoryBackend::new())?
        };
        let (scratch, ()) = sound(|| self.fill(database, 0, &old.meta.clone(), old, work))?;
        self.read_of(&scratch)
    }

    /// A store file without a name: whatever happens, nothing stays behind.
    fn new_scratch(&self, builder: &redb::Builder) -> Result<Database> {
        let file = self.folder.temporary(leftovers::SCRATCH, 0);
        let open = open_file(&file, true)?;
        let removed = std::fs::remove_file(&file);
        let backend = redb::backends::FileBackend::new(open)?;
        // Somebody who tidied up may have been faster.
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        Database::open(builder, backend)
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
            state: State {
                // Caches know segments by their numbers, which therefore are
                // never given twice in a store.
                next_segment: old.state()?.next_segment,
                ..State::default()
            },
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
        Ok((Arc::new(Generation { number, database }), result))
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

impl ReadTx {
    /// Refuses to copy a store that has more tables than were copied.
    pub(super) fn knows_all_tables(&self, known: usize) -> Result<()> {
        let found = self.transaction.count_tables()?;
        if found == known {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Unsupported,
            format!(
                "the store has {found} tables and this library knows {known}; \
                 a newer library must do this"
            ),
        ))
    }
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
        old.knows_all_tables(known)?;
        self.copy_notes(old)
    }

    /// Copies what stands in `meta` beside the meta record and the state.
    pub(crate) fn copy_notes(&mut self, old: &ReadTx) -> Result<()> {
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
