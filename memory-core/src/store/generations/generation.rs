//! Generations: a store file is built beside the live one, verified, and switched to, while other
//! processes keep reading and writing.
//!
//! One process builds at a time (`build.lock`); readers and writers never wait for it:
//!
//! 1. a mark in the live file makes every write record which rows it changed ([`crate::store::generations::changes`]);
//! 2. the copy is built from a snapshot under a temporary name, committed and read back;
//! 3. concurrent changes are applied from newer snapshots, in rounds;
//! 4. under the live file's write lock, the few remaining changes are applied and the copy becomes
//!    the live generation.
//!
//! The switch is one commit. Its steps, all under the live file's write lock, are:
//!
//! 1. the copy is renamed to `memory.N.redb`, and the folder is synced;
//! 2. under the folder's swap lock, the old file's meta record is marked with the number of the new
//!    one: from this commit on, every transaction of every process uses the new file;
//! 3. `CURRENT` is written, and the swap lock is released;
//! 4. the old file is overwritten and removed once no process has it open.
//!
//! A crash before step 2 leaves the old generation and a file that the next switch removes. A crash
//! after it leaves the new generation, which is found through the mark even if `CURRENT` still
//! names the old one. Because steps 2 and 3 happen under one lock, the number in `CURRENT` never
//! decreases, even if a process is suspended between them. No two files that were ever live have
//! the same generation number.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::model::ids::CITATION_LENGTH;
use crate::store::database::checked::{ReadableTable, WriteTransaction};
use crate::store::database::error::not_opened;
use crate::store::database::panics::catch_panic;
use crate::store::database::watched::{Database, Watch};
use crate::store::generations::changed_keys::ChangedKeys;
use crate::store::generations::create_tables::create_tables;
use crate::store::generations::fail_points::fail_point;
use crate::store::generations::folder::{BuildLock, CurrentFile, Folder};
use crate::store::generations::fresh::Fresh;
use crate::store::generations::leftovers;
use crate::store::log::record::{CHAIN_START, RecordView};
use crate::store::meta::{META_KEY, Meta, STATE_KEY, State, missing_meta, read_meta};
use crate::store::running::Running;
use crate::store::{Generation, Locked, OpenTables, ReadTx, Store, WriteTx, tables};

/// The number of catch-up rounds before the last one, which blocks writers. There are more for as
/// long as each leaves at most half as much as the one before.
const ROUNDS: u32 = 6;

/// With more changed rows left than this, which take a few tenths of a second, the last round is
/// not begun.
#[cfg(not(test))]
const MAX_LAST_ROWS: u64 = 20_000;

#[cfg(test)]
const MAX_LAST_ROWS: u64 = 2_000;

/// With at most this many changed rows left, no further round is run: applying them blocks writers
/// only briefly.
const FEW_ROWS: u64 = 512;

/// How often building a copy beside writers is attempted; see [`Fill::MAY_LOCK_OUT`].
const BEGINNINGS: u32 = 3;

/// What a switch did.
#[derive(Clone, Debug)]
pub(crate) struct Swapped<T> {
    pub(crate) result: T,
    pub(crate) generation: u64,
    pub(crate) before_bytes: u64,
    pub(crate) after_bytes: u64,
}

/// What a builder does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Another round, while others write.
    Round,
    /// The last round, while others wait.
    Last,
    /// Others write faster than it catches up.
    GiveUp,
}

/// Decides how a builder catches up.
#[derive(Debug, Default)]
struct Pace {
    rounds: u32,
    /// How many changed rows the latest round had.
    before: u64,
}

impl Pace {
    /// `rest` is the number of changed rows.
    fn next(&mut self, rest: u64) -> Next {
        if rest <= FEW_ROWS {
            return Next::Last;
        }
        let is_halved = rest <= self.before / 2;
        self.before = rest;
        if self.rounds < ROUNDS || is_halved {
            self.rounds += 1;
            return Next::Round;
        }
        match rest <= MAX_LAST_ROWS {
            true => Next::Last,
            false => Next::GiveUp,
        }
    }
}

/// Fills a new generation.
pub(crate) trait Fill {
    /// What the caller gets in the end.
    type Made: Default;

    /// Whether [`Fill::end`] has anything to do.
    const HAS_END: bool = true;

    /// Whether the copy is made as small as possible, at the price of reading every page several
    /// times.
    const IS_TRIMMED: bool = false;

    /// Whether a copy that could not catch up is built with the write lock held, which always
    /// finishes. Otherwise the caller is told to try again.
    const MAY_LOCK_OUT: bool = false;

    /// Fills the new generation from a snapshot of the live one, while others write. May be called
    /// again with a newer snapshot, and then starts over.
    fn begin(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<()>;

    /// Applies what others wrote between the previous snapshot and this one, or a part of it: then
    /// it is called again with the same snapshot. Returns false if that is impossible and the new
    /// generation must be built again.
    fn catch_up(
        &mut self,
        old: &ReadTx,
        changed: &ChangedKeys,
        new: &mut WriteTx<'_>,
    ) -> Result<bool>;

    /// Completes the new generation. `old` is the final state of the live one.
    fn end(&mut self, old: &ReadTx, new: &mut WriteTx<'_>) -> Result<Self::Made>;

    /// How many rows and events will be counted, including those that are read back; `None` if
    /// that is not known.
    fn total(&self, old: &ReadTx) -> Result<Option<u64>>;
}

/// The build lock, held against the threads of this process and against other processes.
pub(super) struct GenerationGuard<'s> {
    _process: parking_lot::MutexGuard<'s, ()>,
    _lock: BuildLock,
}

/// While this exists, changes of the live generation are recorded.
struct Noting<'s> {
    store: &'s Store,
    maker: [u8; 16],
    /// Segments of the new generation are numbered from after this number.
    segments_after: u64,
    /// Whether the generation that records the changes has been replaced.
    is_over: bool,
}

impl Drop for Noting<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let ended = self.store.write(|tx| tx.end_noting(Some(self.maker)));
            // Then the next open or `maintain` removes the mark. Reading goes on.
            if ended.is_err() {
                let _ = self.store.heal();
            }
        }
    }
}

/// A copy that is not live yet.
struct Copy {
    file: PathBuf,
    generation: Arc<Generation>,
    /// How far the log of the copy has been read back: position and checksum.
    verified: (u64, [u8; 32]),
    /// The last commit of the live generation that the copy contains.
    commit: u64,
}

impl Store {
    /// Builds the next generation and switches to it. If that fails, nothing changes. With
    /// `is_ordered`, removing the old file is left to the erase order that was recorded in the new
    /// generation (see [`crate::store::generations::pending_erasures`]).
    ///
    /// `running` can be stopped until the last changes are applied: then the copy is removed.
    pub(crate) fn next_generation<F: Fill>(
        &self,
        is_ordered: bool,
        filling: &mut F,
        running: &Running,
    ) -> Result<Swapped<F::Made>> {
        catch_panic(|| self.build_and_switch(is_ordered, filling, running))
    }

    fn build_and_switch<F: Fill>(
        &self,
        is_ordered: bool,
        filling: &mut F,
        running: &Running,
    ) -> Result<Swapped<F::Made>> {
        fail_point("a copy is wanted")?;
        let turn = self.lock_generation(self.busy_timeout)?;
        let before_bytes = self.folder.size_bytes()?;
        let mut beginnings = 1;
        let (result, generation) = loop {
            let swapped = match beginnings {
                ..=BEGINNINGS => self.swap_beside(filling, running)?,
                _ if !F::MAY_LOCK_OUT => return Err(outrun()),
                _ => Some(self.swap_alone(filling, running)?),
            };
            match swapped {
                Some(swapped) => break swapped,
                None => beginnings += 1,
            }
        };
        drop(turn);
        fail_point("the old generation is still there")?;
        if !is_ordered {
            // What cannot be removed now is left to a later call.
            let _ = self.clean_below();
        }
        Ok(Swapped {
            result,
            generation,
            before_bytes,
            after_bytes: self.folder.size_bytes()?,
        })
    }

    pub(super) fn lock_generation(&self, wait: std::time::Duration) -> Result<GenerationGuard<'_>> {
        let process = self.building.try_lock_for(wait).ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "another thread is compacting, erasing, rebuilding or restoring; try again",
            )
        })?;
        Ok(GenerationGuard {
            _process: process,
            _lock: self.folder.lock_building(wait)?,
        })
    }

    /// Whether a generation is being built, here or in another process.
    pub(crate) fn is_building(&self) -> Result<bool> {
        match self.lock_generation(std::time::Duration::ZERO) {
            Ok(_turn) => Ok(false),
            Err(error) if error.code() == ErrorCode::Busy => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Builds and switches while others write; `None` if the copy could not catch up.
    fn swap_beside<F: Fill>(
        &self,
        filling: &mut F,
        running: &Running,
    ) -> Result<Option<(F::Made, u64)>> {
        let mut noting = self.begin_noting()?;
        let live = self.read()?.run_by(running);
        let copy = self.build(&live, noting.segments_after, filling)?;
        let live = live._generation.clone();
        let file = copy.file.clone();
        let watch = copy.generation.database.watch().clone();
        let swapped = self.catch_up_and_swap(copy, noting.maker, filling, running);
        noting.is_over = matches!(swapped, Ok(Some(_)));
        if !noting.is_over {
            let _ = self.engine.remove(&file);
        }
        swapped.map_err(|error| of_copy(error, &live, &file, &watch))
    }

    /// Builds and switches with the write lock held throughout.
    fn swap_alone<F: Fill>(&self, filling: &mut F, running: &Running) -> Result<(F::Made, u64)> {
        let _writer = self.lock_writer()?;
        let held = self.hold_live()?;
        let begun = Instant::now();
        let old = self.read_of(&held.generation)?.run_by(running);
        let copy = self.build(&old, old.state()?.next_segment, filling)?;
        let file = copy.file.clone();
        let watch = copy.generation.database.watch().clone();
        let swapped = self.end_and_swap(held, copy, (&old, 0), filling);
        self.queue.wrote_since(begun);
        match swapped {
            Ok(Some(swapped)) => Ok(swapped),
            other => {
                let _ = self.engine.remove(&file);
                let other = other.map_err(|error| of_copy(error, &old._generation, &file, &watch));
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
        running: &Running,
    ) -> Result<Option<(F::Made, u64)>> {
        fail_point("a copy of a snapshot is made")?;
        let (mut pace, mut missed) = (Pace::default(), 0);
        loop {
            let now = self.read()?.run_by(running);
            let Some(rest) = now.count_changes_after(maker, copy.commit)? else {
                return Ok(None);
            };
            match pace.next(rest) {
                Next::GiveUp => return Ok(None),
                Next::Round => {
                    if !self.round(&mut copy, &now, filling)? {
                        return Ok(None);
                    }
                    continue;
                }
                Next::Last => {}
            }
            running.checkpoint()?;
            // From here on others wait, and the operation is completed.
            let _writer = self.lock_writer()?;
            let held = self.hold_live()?;
            let begun = Instant::now();
            let now = self.read_of(&held.generation)?;
            let swapped = match now.count_changes_after(maker, copy.commit)? {
                // Very much was written while this waited for the lock.
                Some(rest) if rest > MAX_LAST_ROWS => {
                    held.transaction.abort()?;
                    missed += 1;
                    match missed < ROUNDS {
                        true => continue,
                        false => Ok(None),
                    }
                }
                Some(rest) => self.end_and_swap(held, copy, (&now, rest), filling),
                None => Ok(None),
            };
            self.queue.wrote_since(begun);
            return swapped;
        }
    }

    /// Applies what others changed up to a snapshot.
    fn round<F: Fill>(&self, copy: &mut Copy, now: &ReadTx, filling: &mut F) -> Result<bool> {
        let (before, commit) = (copy.commit, now.state()?.commits);
        let is_current = self.write_copy(&copy.generation, now, |new| {
            now.each_change_after(before, &mut |changed| filling.catch_up(now, changed, new))
        })?;
        copy.commit = commit;
        Ok(is_current)
    }

    /// Applies the last changes, `rest` rows, completes the copy and switches to it. `None`, and no
    /// switch, if the changes cannot be applied.
    fn end_and_swap<F: Fill>(
        &self,
        held: Locked,
        mut copy: Copy,
        (old, rest): (&ReadTx, u64),
        filling: &mut F,
    ) -> Result<Option<(F::Made, u64)>> {
        let commit = copy.commit;
        // A needless write would enlarge a file that has no free pages.
        let made = if F::HAS_END || rest > 0 {
            self.write_copy(&copy.generation, old, |new| {
                let mut take = |changed: &ChangedKeys| filling.catch_up(old, changed, new);
                if rest > 0 && !old.each_change_after(commit, &mut take)? {
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
        let number = new.number;
        *self.next.lock() = Some(new.clone());
        let retired = live.database.writing(|| self.retire(held, &new));
        if retired.is_ok() {
            *self.generation.write() = new;
        }
        *self.next.lock() = None;
        retired?;
        Ok(Some((made, number)))
    }

    /// Copies a snapshot, commits the copy and reads it back.
    fn build<F: Fill>(&self, old: &ReadTx, segments_after: u64, filling: &mut F) -> Result<Copy> {
        // What cannot be counted because it is damaged may be what a rebuild repairs.
        if let Ok(Some(total)) = catch_panic(|| filling.total(old)) {
            old.running.set_total(total);
        }
        let number = old.meta.generation + 1;
        let (file, database) = self.new_copy(old.meta.generation)?;
        let watch = database.watch().clone();
        let meta = Meta {
            generation: number,
            retired_to: 0,
            ..old.meta.clone()
        };
        let built = (|| {
            let begin = |old: &ReadTx, new: &mut WriteTx<'_>| {
                new.state.next_segment = segments_after;
                filling.begin(old, new)?;
                new.set_fresh(Fresh {
                    forgotten_events: new.state.forgotten_events,
                    ..Fresh::default()
                })
            };
            let (mut new, ()) = self.fill(database, number, &meta, old, begin)?;
            if F::IS_TRIMMED
                && let Some(generation) = Arc::get_mut(&mut new)
            {
                // A failure costs only space, and a copy written in key order is already dense.
                generation.database.compact();
                if self.engine.wants_quick_repair() {
                    // This also saves the allocator state that a repair after a crash would have to
                    // compute.
                    self.begin_write(&generation.database)?.commit()?;
                }
            }
            let read_back = self.read_of(&new)?.run_by(&old.running);
            let verified = verify(&read_back, (0, CHAIN_START))?;
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
                Err(of_copy(error, &old._generation, &file, &watch))
            }
        }
    }

    /// Continues writing the copy, bringing it up to `now`.
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
            embeds: OnceCell::new(),
            running: now.running.clone(),
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
                // Before the engine locked the file, another process may have removed it as that of
                // a dead process.
                Ok(database) if file.exists() => return Ok((file, database)),
                Err(error) if error.code() != ErrorCode::Busy || attempt == 10 => {
                    let _ = self.engine.remove(&file);
                    return Err(error);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Gives the copy its final name.
    fn place(&self, held: &Locked, copy: &Copy) -> Result<()> {
        fail_point("the new generation is built")?;
        self.check_place(&held.generation)?;
        self.discard_above(held.generation.number)?;
        let file = self.folder.generation_file(copy.generation.number);
        std::fs::rename(&copy.file, &file).map_err(about_file(&file))?;
        self.folder.sync()?;
        fail_point("the new generation has its name")?;
        Ok(())
    }

    /// Makes the new generation the live one.
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
        // If the commit fails, both files stay: the live one depends on whether the mark reached
        // the disk.
        held.transaction.commit()?;
        fail_point("CURRENT names the old generation")?;
        // The mark alone identifies the new generation, so the next open can write `CURRENT` if
        // this fails.
        let _ = self.folder.set_current(new.number, &lock);
        Ok(())
    }

    /// Writes the number of the live generation into `CURRENT`.
    pub(in crate::store) fn name_live(&self) -> Result<()> {
        let lock = self.folder.lock_swap(self.busy_timeout)?;
        // Under the lock, the live generation cannot change.
        let live = self.read()?.generation();
        if self.folder.seen()?.named != CurrentFile::Generation(live) {
            self.folder.set_current(live, &lock)?;
        }
        Ok(())
    }

    /// Copies the store, as `read` sees it, to a new, empty folder as its first generation.
    pub(crate) fn copy_to(&self, read: &ReadTx, folder: &Folder) -> Result<()> {
        let file = folder.temporary(leftovers::BUILDING, 0);
        let database = self.engine.open(&file, true)?;
        let meta = Meta {
            generation: 1,
            retired_to: 0,
            ..read.meta.clone()
        };
        let (copy, ()) = catch_panic(|| {
            self.fill(database, 1, &meta, read, |old, new| {
                new.state = old.state()?;
                new.copy_tables(old)?;
                new.take_in_files(old)?;
                // The new folder never contained the files that open erasures wait for.
                new.set_erase_orders(&[])
            })
        })?;
        let read_back = self
            .read_of(&copy)
            .and_then(|copied| verify(&copied.run_by(&read.running), (0, CHAIN_START)));
        read_back.map_err(|error| not_opened(error, &file))?;
        // A partial copy must never be mistaken for a store.
        let first = folder.generation_file(1);
        std::fs::rename(&file, &first).map_err(about_file(&first))?;
        folder.sync()?;
        folder.set_current(1, &folder.lock_swap(self.busy_timeout)?)
    }

    pub(super) fn fill<T>(
        &self,
        database: Database,
        number: u64,
        meta: &Meta,
        old: &ReadTx,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<T>,
    ) -> Result<(Arc<Generation>, T)> {
        let transaction = self.begin_write(&database)?;
        create_tables(&transaction)?;
        let mut tx = WriteTx {
            transaction,
            meta: meta.clone(),
            state: State {
                // Caches identify segments by number, so a store never reuses one.
                next_segment: old.state()?.next_segment,
                ..State::default()
            },
            clock: &*self.clock,
            ids: &*self.ids,
            citation_length: CITATION_LENGTH,
            index: &self.index,
            uses_files: false,
            embeds: OnceCell::new(),
            running: old.running.clone(),
        };
        let result = work(old, &mut tx)?;
        tx.put_meta_and_state()?;
        tx.transaction.commit()?;
        Ok((Arc::new(Generation { number, database }), result))
    }

    pub(super) fn read_of(&self, generation: &Arc<Generation>) -> Result<ReadTx> {
        let transaction = generation.begin_read()?;
        let meta = read_meta(&transaction)?;
        Ok(ReadTx {
            transaction,
            tables: OpenTables::default(),
            index: self.index.clone(),
            meta,
            running: Running::default(),
            _generation: generation.clone(),
        })
    }
}

fn outrun() -> Error {
    Error::new(
        ErrorCode::Busy,
        "others wrote faster than the store could be copied; try again",
    )
}

fn meta_of(transaction: &WriteTransaction) -> Result<Meta> {
    let table = transaction.open_table(tables::META)?;
    let meta = table.get(META_KEY)?.ok_or_else(missing_meta)?;
    Meta::decode(meta.value())
}

/// The error that the caller gets: if only the copy failed and the live file is intact, nothing
/// needs to be reopened. `watch` is that of the copy: it knows what failed first.
fn of_copy(error: Error, live: &Generation, file: &Path, watch: &Watch) -> Error {
    match live.database.is_sound() {
        true => not_opened(watch.told(error), file),
        false => error,
    }
}

/// Reads back the log of a new generation from where the last call ended, up to the end in its
/// state record. Returns how far it read.
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
        read.running.count_row()?;
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
            "the log is damaged at record {seq}, so no new generation was built; \
             the store is unchanged: run check(), then restore a backup"
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

#[cfg(test)]
mod tests {
    use crate::store::generations::generation::*;

    #[test]
    fn a_builder_locks_writers_out_only_for_a_short_rest() {
        let plan = |rests: &[u64]| {
            let mut pace = Pace::default();
            rests
                .iter()
                .map(|rest| pace.next(*rest))
                .collect::<Vec<_>>()
        };
        assert_eq!(plan(&[FEW_ROWS]), [Next::Last]);
        assert_eq!(
            plan(&[90_000, 9_000, 900, 90])[2..],
            [Next::Round, Next::Last]
        );
        // Writers that never pause: what is left stays the same.
        let steady = plan(&[MAX_LAST_ROWS; 7]);
        assert_eq!(steady[5..], [Next::Round, Next::Last]);
        let much = plan(&[MAX_LAST_ROWS + 1; 7]);
        assert_eq!(much[5..], [Next::Round, Next::GiveUp]);
        // It takes longer, but it comes to an end.
        let mut halves: Vec<u64> = vec![u64::MAX; 6];
        halves.extend((1..64).map(|at| u64::MAX >> at));
        let slow = plan(&halves);
        assert!(slow[..50].iter().all(|next| *next == Next::Round));
        assert_eq!(slow.last(), Some(&Next::Last));
        let mut growing = vec![90_000; 6];
        growing.push(91_000);
        assert_eq!(plan(&growing).last(), Some(&Next::GiveUp));
    }
}
