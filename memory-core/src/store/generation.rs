//! Generations: a store file built beside the live one, checked, and put in its
//! place while other processes read and write.
//!
//! One process builds at a time (`build.lock`), and nobody waits for it:
//!
//! 1. a mark in the live file makes every write note which rows it changed
//!    ([`super::changes`]);
//! 2. the copy is built from a snapshot under a temporary name, committed and read
//!    back;
//! 3. what was written meanwhile is taken in from a newer snapshot, in rounds;
//! 4. under the live file's write lock the last of it is taken in, which is little,
//!    and the copy is put in its place.
//!
//! The switch is one commit. In order, all under the live file's write lock:
//!
//! 1. the copy gets its name `memory.N.redb`, and the folder is synced;
//! 2. under the folder's swap lock the old file's meta record is marked with
//!    the number of the new one: from this commit on every transaction of every
//!    process goes there;
//! 3. `CURRENT` is written, and the swap lock is given back;
//! 4. the old file is overwritten and removed, once nobody has it open.
//!
//! A crash before 2 leaves the old generation and a file that the next switch
//! removes; a crash after 2 leaves the new generation, found through the mark
//! when `CURRENT` still names the old one. Because 2 and 3 are under one lock,
//! `CURRENT` never falls, however long a process stands still between them.
//! Generation numbers are never given to two files that were both live.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::changes::Rows;
use super::checked::{ReadableTable, WriteTransaction};
use super::engine::open_file;
use super::error::not_opened;
use super::folder::{BuildLock, Folder, Named, generation_of};
use super::leftovers;
use super::meta::{META_KEY, Meta, STATE_KEY, State};
use super::net::sound;
use super::record::{CHAIN_START, RecordView};
use super::steps::step;
use super::tables;
use super::watched::Database;
use super::{Generation, Locked, OpenTables, ReadTx, Store, WriteTx, missing_meta, read_meta};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::CITATION_LENGTH;

/// Stores with more events than this are checked with a scratch file instead of
/// in memory.
const SCRATCH_IN_MEMORY: u64 = 20_000;
/// The pages of a scratch file that are in memory: it is filled in the order of its keys
/// and read once.
const SCRATCH_CACHE_BYTES: usize = 12 << 20;

/// So many rounds take in what was written meanwhile before writers have to wait.
const ROUNDS: u32 = 6;
/// Writers have to wait while so many changed rows are taken in: no other round for
/// fewer.
const FEW_ROWS: u64 = 512;
/// So often a copy is begun again when it cannot be brought up to date; then once
/// with the write lock held, which cannot fail for that reason.
const BEGINNINGS: u32 = 3;

/// What a switch did.
#[derive(Clone, Debug)]
pub(crate) struct Swapped<T> {
    pub(crate) result: T,
    pub(crate) generation: u64,
    pub(crate) before_bytes: u64,
    pub(crate) after_bytes: u64,
}

/// Fills a new generation.
pub(crate) trait Fill {
    /// What the caller wants to know in the end.
    type Made: Default;

    /// Whether [`Fill::end`] has anything to do.
    const HAS_END: bool = true;

    /// Whether the copy is to take as few bytes as it can. Every page of it is read
    /// several times for that.
    const IS_TRIMMED: bool = false;

    /// Begins with a snapshot of the live generation, while others write. It may be
    /// called again with a newer one, and then begins anew.
    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()>;

    /// Takes in what others wrote between the snapshot before and this one. False
    /// when that is not possible and the new generation must be begun again.
    fn catch_up(&mut self, old: &ReadTx, changed: &Rows, new: &mut WriteTx<'_>) -> Result<bool>;

    /// Completes the new generation. `old` is what the live one will always be.
    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<Self::Made>;
}

/// The turn to build: of the threads of this process, and of all processes.
struct BuildTurn<'s> {
    _process: parking_lot::MutexGuard<'s, ()>,
    _lock: BuildLock,
}

/// Changes of the live generation are noted while this lives.
struct Noting<'s> {
    store: &'s Store,
    maker: [u8; 16],
    /// The generation that is built numbers its segments after this.
    segments_after: u64,
    /// The generation in which changes are noted is replaced.
    is_over: bool,
}

impl Drop for Noting<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // What stays is taken away by the next opening or maintenance.
            let _ = self.store.write(|tx| tx.end_noting(Some(self.maker)));
        }
    }
}

/// A copy that is not in its place yet.
struct Copy {
    file: PathBuf,
    generation: Arc<Generation>,
    /// How much of the log of the copy was read back.
    verified: (u64, [u8; 32]),
    /// The last commit of the live generation that the copy knows.
    commit: u64,
}

impl Store {
    /// Builds the next generation and puts it in place. Nothing changes when that
    /// fails. With `is_ordered` the old file is left to the erase order that was
    /// recorded with it (see [`super::orders`]).
    pub(crate) fn next_generation<F: Fill>(
        &self,
        is_ordered: bool,
        filling: &mut F,
    ) -> Result<Swapped<F::Made>> {
        sound(|| self.build_and_switch(is_ordered, filling))
    }

    fn build_and_switch<F: Fill>(
        &self,
        is_ordered: bool,
        filling: &mut F,
    ) -> Result<Swapped<F::Made>> {
        let turn = self.take_turn(self.busy_timeout)?;
        let before_bytes = self.folder.size_bytes();
        let mut beginnings = 1;
        let (result, generation) = loop {
            let swapped = match beginnings {
                ..=BEGINNINGS => self.swap_beside(filling)?,
                _ => Some(self.swap_alone(filling)?),
            };
            match swapped {
                Some(swapped) => break swapped,
                None => beginnings += 1,
            }
        };
        drop(turn);
        step("the old generation is still there")?;
        if !is_ordered {
            // What cannot be cleaned now is left to a later call.
            let _ = self.clean_below();
        }
        Ok(Swapped {
            result,
            generation,
            before_bytes,
            after_bytes: self.folder.size_bytes(),
        })
    }

    fn take_turn(&self, wait: std::time::Duration) -> Result<BuildTurn<'_>> {
        let process = self.building.try_lock_for(wait).ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "another thread is compacting, erasing, rebuilding or restoring; try again",
            )
        })?;
        Ok(BuildTurn {
            _process: process,
            _lock: self.folder.lock_building(wait)?,
        })
    }

    /// Builds and switches while others write; `None` when the copy could not be
    /// brought up to date.
    fn swap_beside<F: Fill>(&self, filling: &mut F) -> Result<Option<(F::Made, u64)>> {
        let mut noting = self.begin_noting()?;
        let live = self.read()?;
        let copy = self.build(&live, noting.segments_after, filling)?;
        let live = live._generation.clone();
        let file = copy.file.clone();
        let swapped = self.catch_up_and_swap(copy, noting.maker, filling);
        noting.is_over = matches!(swapped, Ok(Some(_)));
        if !noting.is_over {
            let _ = self.engine.remove(&file);
        }
        swapped.map_err(|error| of_copy(error, &live, &file))
    }

    /// Builds and switches with the write lock held from the beginning.
    fn swap_alone<F: Fill>(&self, filling: &mut F) -> Result<(F::Made, u64)> {
        let _writer = self.lock_writer()?;
        let held = self.hold_live()?;
        let begun = Instant::now();
        let old = self.read_of(&held.generation)?;
        let copy = self.build(&old, old.state()?.next_segment, filling)?;
        let file = copy.file.clone();
        let nothing = Rows::default();
        let swapped = self.end_and_swap(held, copy, (&old, &nothing), filling);
        self.turns.wrote_since(begun);
        match swapped {
            Ok(Some(swapped)) => Ok(swapped),
            other => {
                let _ = self.engine.remove(&file);
                let other = other.map_err(|error| of_copy(error, &old._generation, &file));
                other?.ok_or_else(|| Error::new(ErrorCode::Internal, "a copy was not completed"))
            }
        }
    }

    fn begin_noting(&self) -> Result<Noting<'_>> {
        let maker = self.ids.salt();
        Ok(Noting {
            store: self,
            maker,
            segments_after: self.write(|tx| tx.begin_noting(maker))?,
            is_over: false,
        })
    }

    fn catch_up_and_swap<F: Fill>(
        &self,
        mut copy: Copy,
        maker: [u8; 16],
        filling: &mut F,
    ) -> Result<Option<(F::Made, u64)>> {
        step("a copy of a snapshot is made")?;
        for _ in 0..ROUNDS {
            let now = self.read()?;
            let Some(changed) = now.changes_after(maker, copy.commit)? else {
                return Ok(None);
            };
            if changed.len() <= FEW_ROWS {
                break;
            }
            if !self.round(&mut copy, &now, &changed, filling)? {
                return Ok(None);
            }
        }
        let _writer = self.lock_writer()?;
        let held = self.hold_live()?;
        let begun = Instant::now();
        let now = self.read_of(&held.generation)?;
        let changed = now.changes_after(maker, copy.commit)?;
        let swapped = match changed {
            Some(changed) => self.end_and_swap(held, copy, (&now, &changed), filling),
            None => Ok(None),
        };
        self.turns.wrote_since(begun);
        swapped
    }

    /// Takes in what others changed up to a snapshot.
    fn round<F: Fill>(
        &self,
        copy: &mut Copy,
        now: &ReadTx,
        changed: &Rows,
        filling: &mut F,
    ) -> Result<bool> {
        let commit = now.state()?.commits;
        let is_current = self.write_copy(&copy.generation, now, |new| {
            filling.catch_up(now, changed, new)
        })?;
        copy.commit = commit;
        Ok(is_current)
    }

    /// Takes in the last changes, completes the copy and puts it in place. `None`, and
    /// nothing is put anywhere, when they cannot be taken in.
    fn end_and_swap<F: Fill>(
        &self,
        held: Locked,
        mut copy: Copy,
        (old, changed): (&ReadTx, &Rows),
        filling: &mut F,
    ) -> Result<Option<(F::Made, u64)>> {
        // Every write makes a dense file longer.
        let made = if F::HAS_END || !changed.is_empty() {
            self.write_copy(&copy.generation, old, |new| {
                if !changed.is_empty() && !filling.catch_up(old, changed, new)? {
                    return Ok(None);
                }
                filling.end(old, new).map(Some)
            })?
        } else {
            Some(F::Made::default())
        };
        let Some(made) = made else {
            return Ok(None);
        };
        copy.verified = verify(&self.read_of(&copy.generation)?, copy.verified)?;
        let new = copy.generation.clone();
        if let Err(error) = self.place(&held, &copy) {
            let _ = held.transaction.abort();
            return Err(error);
        }
        let live = held.generation.clone();
        live.database.writing(|| self.retire(held, &new))?;
        let number = new.number;
        *self.generation.write() = new;
        Ok(Some((made, number)))
    }

    /// The copy of a snapshot, committed and read back.
    fn build<F: Fill>(&self, old: &ReadTx, segments_after: u64, filling: &mut F) -> Result<Copy> {
        let number = old.meta.generation + 1;
        let (file, database) = self.new_copy(old.meta.generation)?;
        let meta = Meta {
            generation: number,
            retired_to: 0,
            ..old.meta.clone()
        };
        let built = (|| {
            let begin = |old: &ReadTx, new: &mut WriteTx<'_>| {
                new.state.next_segment = segments_after;
                filling.begin(old, new)
            };
            let (mut new, ()) = self.fill(database, number, &meta, old, begin)?;
            if F::IS_TRIMMED
                && let Some(generation) = Arc::get_mut(&mut new)
            {
                // Only space is at stake here; a copy in key order is dense.
                generation.database.compact();
                if self.engine.wants_quick_repair() {
                    // Which leaves behind what a crash would have to make again.
                    self.begin_write(&generation.database)?.commit()?;
                }
            }
            let verified = verify(&self.read_of(&new)?, (0, CHAIN_START))?;
            Ok((new, verified, old.state()?.commits))
        })();
        match built {
            Ok((generation, verified, commit)) => Ok(Copy {
                file,
                generation,
                verified,
                commit,
            }),
            Err(error) => {
                let _ = self.engine.remove(&file);
                Err(of_copy(error, &old._generation, &file))
            }
        }
    }

    /// Goes on with the copy, which becomes one of what `now` sees.
    fn write_copy<T>(
        &self,
        copy: &Generation,
        now: &ReadTx,
        work: impl FnOnce(&mut WriteTx<'_>) -> Result<T>,
    ) -> Result<T> {
        if now.meta.generation + 1 != copy.number {
            return Err(Error::new(
                ErrorCode::Busy,
                "the store was replaced while it was copied; try again",
            ));
        }
        let transaction = self.begin_write(&copy.database)?;
        let mut meta = meta_of(&transaction)?;
        meta.format = meta.format.max(now.meta.format);
        let state = {
            let table = transaction.open_table(tables::META)?;
            let state = table.get(STATE_KEY)?.ok_or_else(missing_meta)?;
            State::decode(state.value())?
        };
        let mut tx = WriteTx {
            transaction,
            meta,
            state,
            clock: &*self.clock,
            ids: &*self.ids,
            citation_length: CITATION_LENGTH,
            index: &self.index,
            uses_files: false,
        };
        let result = work(&mut tx)?;
        tx.put_meta_and_state()?;
        tx.transaction.commit()?;
        Ok(result)
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

    /// The copy gets its name.
    fn place(&self, held: &Locked, copy: &Copy) -> Result<()> {
        step("the new generation is built")?;
        self.discard_above(held.generation.number)?;
        let file = self.folder.generation_file(copy.generation.number);
        std::fs::rename(&copy.file, file)?;
        self.folder.sync()?;
        step("the new generation has its name")?;
        Ok(())
    }

    /// The new generation becomes the live one.
    fn retire(&self, held: Locked, new: &Generation) -> Result<()> {
        let lock = self.folder.lock_swap(self.busy_timeout)?;
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
        let lock = self.folder.lock_swap(self.busy_timeout)?;
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
        self.end_abandoned_noting()?;
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

    /// Takes away the mark of a maker that was killed.
    fn end_abandoned_noting(&self) -> Result<()> {
        if !self.read()?.notes_changes()? {
            return Ok(());
        }
        match self.take_turn(std::time::Duration::ZERO) {
            Ok(_turn) => self.write(|tx| tx.end_noting(None)),
            Err(error) if error.code() == ErrorCode::Busy => Ok(()),
            Err(error) => Err(error),
        }
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
                new.take_in_files(old)?;
                // The new folder never had the files that erasures wait for.
                new.set_erase_orders(&[])
            })
        })?;
        let read_back = self
            .read_of(&copy)
            .and_then(|read| verify(&read, (0, CHAIN_START)));
        read_back.map_err(|error| not_opened(error, &file))?;
        // Half a copy must not be taken for a store.
        std::fs::rename(&file, folder.generation_file(1))?;
        folder.sync()?;
        folder.set_current(1, &folder.lock_swap(self.busy_timeout)?)
    }

    /// A store file that only this call sees, filled by `work`: for comparing. It knows who
    /// the store is, without which no rank can be told.
    pub(crate) fn scratch(
        &self,
        old: &ReadTx,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<()>,
    ) -> Result<ReadTx> {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(SCRATCH_CACHE_BYTES);
        let database = if old.state()?.last_seq > SCRATCH_IN_MEMORY && cfg!(unix) {
            self.new_scratch(&mut builder)?
        } else {
            Database::open(&mut builder, redb::backends::InMemoryBackend::new())?
        };
        let fill = |old: &ReadTx, new: &mut WriteTx<'_>| {
            new.copy_table(old, tables::SHARING)?;
            work(old, new)
        };
        let (scratch, ()) = sound(|| self.fill(database, 0, &old.meta.clone(), old, fill))?;
        self.read_of(&scratch)
    }

    /// A store file without a name: whatever happens, nothing stays behind.
    fn new_scratch(&self, builder: &mut redb::Builder) -> Result<Database> {
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
        let transaction = self.begin_write(&database)?;
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
            citation_length: CITATION_LENGTH,
            index: &self.index,
            uses_files: false,
        };
        let result = work(old, &mut tx)?;
        tx.put_meta_and_state()?;
        tx.transaction.commit()?;
        Ok((Arc::new(Generation { number, database }), result))
    }

    fn read_of(&self, generation: &Arc<Generation>) -> Result<ReadTx> {
        let transaction = generation.begin_read()?;
        let meta = read_meta(&transaction)?;
        Ok(ReadTx {
            transaction,
            tables: OpenTables::default(),
            index: self.index.clone(),
            meta,
            _generation: generation.clone(),
        })
    }
}

fn meta_of(transaction: &WriteTransaction) -> Result<Meta> {
    let table = transaction.open_table(tables::META)?;
    let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
    Meta::decode(meta.value())
}

/// What a failure tells the caller: nothing has to be opened again when it was that
/// of a copy, and the live file is sound.
fn of_copy(error: Error, live: &Generation, file: &Path) -> Error {
    match live.database.is_sound() {
        true => not_opened(error, file),
        false => error,
    }
}

/// Reads a new generation back: the chain from where it was read before, up to where
/// its state says. Gives where that is.
fn verify(read: &ReadTx, from: (u64, [u8; 32])) -> Result<(u64, [u8; 32])> {
    let state = read.state()?;
    let (mut last, mut checksum) = from;
    for entry in read.log()?.range(last + 1..)? {
        let (seq, bytes) = entry?;
        let view = RecordView::new(seq.value(), bytes.value())?;
        view.archive()?;
        if seq.value() != last + 1 || !view.continues(&checksum) {
            return Err(broken_copy(seq.value()));
        }
        (last, checksum) = (last + 1, view.checksum());
    }
    if state.last_seq != last || state.last_checksum != checksum {
        return Err(broken_copy(last + 1));
    }
    Ok((last, checksum))
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
    fn put_meta_and_state(&self) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        table.insert(META_KEY, self.meta.encode().as_slice())?;
        table.insert(STATE_KEY, self.state.encode().as_slice())?;
        Ok(())
    }
}
