//! Upkeep: forgetting and erasing, what may wait, proving and making anew, and moving
//! a store.

use std::io::{BufRead, Write};
use std::path::Path;

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::stats::Stats;
use crate::model::time::Timestamp;
use crate::rules::outbox::Processed;
use crate::upkeep::check::CheckReport;
use crate::upkeep::compact::Compacted;
use crate::upkeep::erase::Erased;
use crate::upkeep::export::{ExportFilter, Exported};
use crate::upkeep::follow::Upgraded;
use crate::upkeep::forget::Forgotten;
use crate::upkeep::import::{self, Imported};
use crate::upkeep::maintain::{MaintainBudget, Maintained};
use crate::upkeep::rebuild::Rebuilt;
use crate::upkeep::select::Selector;
use crate::upkeep::{
    check, compact, embed, erase, export, files, follow, forget, maintain, rebuild, retention,
    select, stats,
};

impl Memory {
    /// Upkeep that is seldom needed: retention, another attempt for failed jobs, hashes.
    pub fn upkeep(&self) -> Upkeep<'_> {
        Upkeep { memory: self }
    }

    /// Forgets events: no read, search, history or count shows them again, and
    /// a rebuild keeps them forgotten. Waiting jobs are dropped before this returns,
    /// and their words leave the search index, or wait in its larger segments for
    /// [`Memory::maintain`] where no search finds them (`segments_waiting`).
    ///
    /// The records stay in the log, marked by a tombstone, until they are
    /// erased. The same content appended again is a new memory, and the
    /// receipt's warnings say so. Forgetting what is forgotten already counts
    /// nothing.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent, Selector};
    ///
    /// let receipt = memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "my door code is 4711"))?;
    /// let forgotten = memory.forget(&Selector::new().id(receipt.id))?;
    /// assert_eq!(forgotten.count, 1);
    /// assert!(memory.event(receipt.id)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By what is forgotten and what was learned from it. A forgotten change of the mode, or
    /// very much at once, folds the whole log again.
    ///
    /// # Errors
    /// `invalid_argument` for a selector without a condition, an id of another
    /// project or of a tombstone; `not_found` for an id that never was; `busy`,
    /// `full`, `io`, `needs_reopen` or `corrupt` as for an append: nothing is
    /// forgotten then. An error after the tombstone was stored (while vectors were
    /// taken out of side files) leaves the events forgotten; the next call of `forget`
    /// or `maintain` completes the work.
    pub fn forget(&self, selector: &Selector) -> Result<Forgotten> {
        forget::forget(self.enter()?, selector)
    }

    /// Erases events: their content, metadata, tool calls, names, salts and
    /// dedupe keys leave the log, with all that the library recorded because of
    /// them, and every index is made again without them. Afterwards no byte of
    /// the text is in any file of the store.
    ///
    /// What was learned goes unless every quote of it stands in an event that
    /// stays: entries, tasks, conditions, memories, decisions and conflicts that
    /// rest on them. A summary and tags that were given to the session later go
    /// too. A record that is about others as well keeps that part.
    ///
    /// What stays of an event is its position, id, citation, kind and time, and
    /// the digest that the chain needs; the digest covered a random salt that is
    /// gone, so it tells nothing. Forgotten events are erased as well when the
    /// selector means them. Copies are the caller's: backups, exports, and the
    /// same words in other events, which were not selected: a response that
    /// repeats a prompt, or a stored [`EventKind::SessionSummary`](crate::EventKind::SessionSummary).
    ///
    /// Others read and write meanwhile. What they append stays, also where the selector
    /// would mean it, unless the library recorded it about what is erased.
    ///
    /// # Growth
    /// By store: all of it is written anew, however little is erased. Constant when
    /// nothing is selected.
    ///
    /// # Errors
    /// As [`Memory::forget`] and [`Memory::compact`]; the store stays as it was.
    pub fn erase(&self, selector: &Selector) -> Result<Erased> {
        erase::erase(self.enter()?, selector)
    }

    /// Does what may wait, a bounded step of each: writes noted accesses, folds
    /// and merges the index, graduates, consolidates, embeds, builds graphs of
    /// vectors. Call it when the host is idle, until `has_more` is false.
    ///
    /// # Growth
    /// Constant: by the budget.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written; each step that
    /// was committed stays. What an embedder does wrong is counted in
    /// `jobs_failed`.
    pub fn maintain(&self, budget: MaintainBudget) -> Result<Maintained> {
        maintain::maintain(self.enter()?, budget)
    }

    /// Embeds waiting events: at most `limit` jobs. Call it when there is time,
    /// again until [`Processed::processed`] is 0; any process with the embedder
    /// may, also several at once.
    ///
    /// Jobs of workers that died are taken back after 5 minutes; a failed job is
    /// tried again 1, 5 and 30 seconds later, by calls after that time. An event
    /// that was forgotten meanwhile is skipped.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::embed::CallbackEmbedder;
    /// use recallite::{EventKind, Memory, NewEvent};
    /// use std::sync::Arc;
    ///
    /// // A model of the program's own; this one only tells long from short.
    /// let embedder = CallbackEmbedder::new("length-1", 2, |texts| {
    ///     Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
    /// })?;
    /// let memory = Memory::builder().embedder(Arc::new(embedder)).open(folder.path())?;
    /// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "We deploy on Fridays."))?;
    /// assert_eq!(memory.process_outbox(100)?.succeeded, 1);
    /// assert_eq!(memory.stats()?.embedding.unwrap().vectors, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By the jobs that are done.
    ///
    /// # Errors
    /// `unsupported` without an embedder; `busy`, `full` or `io` when the store
    /// cannot be written. What the embedder does wrong is no error of this call:
    /// it stands in [`Processed::errors`].
    pub fn process_outbox(&self, limit: usize) -> Result<Processed> {
        embed::process_outbox(self.enter()?, limit)
    }

    /// Proves the store as it is at this moment: that the log's chain of
    /// checksums holds and every record is what was stored; that each derived
    /// table, and each row of what was learned, is exactly what the log gives when
    /// it is made again; and that the search index can be decoded and holds exactly
    /// the live conversation events. Others may read and write meanwhile.
    ///
    /// The tables are made again in memory, for more than 100,000 events in a
    /// nameless file in the store's folder.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// Damage is a finding, not an error. `io` or `busy` when the store cannot
    /// be read at all.
    pub fn check(&self) -> Result<CheckReport> {
        check::check(self.enter()?)
    }

    /// Makes every derived table again from the log: indexes, names, sessions,
    /// tombstones, counters and the search index. They are made in a new generation
    /// of the store, as by [`Memory::compact`], while others read and write.
    ///
    /// `as_of` is the moment at which everything that depends on the passing of
    /// time is judged, and part of the hash. Jobs that wait, and vectors that a
    /// model made, are kept as they are, unless they are damaged: then there are
    /// none, and the embedder makes them again. No damaged page of the tables that
    /// are made again is read.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `corrupt` when the log itself is damaged (nothing is changed then; use
    /// [`Memory::check`] to learn where, and restore a backup); `busy`, `full`,
    /// `io` or `needs_reopen` as for [`Memory::compact`].
    pub fn rebuild(&self, as_of: Timestamp) -> Result<Rebuilt> {
        rebuild::rebuild(self.enter()?, as_of)
    }

    /// Copies the store into a new generation and puts that in place, so that
    /// space which is no longer used goes back to the disk. The log stays
    /// whole: forgotten events keep their records until they are erased.
    ///
    /// Others go on reading and writing meanwhile; what they write is in the new
    /// generation, to which all go over in their next call. Writers wait only while
    /// the last of it is taken over. Needs free space for a second copy. A crash
    /// leaves the old generation or the new one, whole.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `busy` when another call compacts, erases, rebuilds or restores, or when
    /// writers never let the last step begin; `full`, `io` or `corrupt`: the store
    /// then stays as it was. `needs_reopen` when the last step
    /// failed: after reopening the store is the old or the new one.
    pub fn compact(&self) -> Result<Compacted> {
        compact::compact(self.enter()?)
    }

    /// Writes events as lines of JSON, as of one moment: a header, one line for
    /// each event in the order of the log, and an end.
    ///
    /// # Growth
    /// By store, also with a selector: every record is passed.
    ///
    /// # Errors
    /// `invalid_argument` or `not_found` from the selector; `io` from the
    /// writer; `corrupt` when a record cannot be read: the others are written all
    /// the same, and [`Memory::import_jsonl`] takes them.
    pub fn export_jsonl(&self, writer: impl Write, filter: &ExportFilter) -> Result<Exported> {
        export::export_jsonl(self.enter()?, writer, filter)
    }

    /// Makes this empty store the one that a whole export was made of: every
    /// record byte for byte, with its position, id, citation and checksum, and
    /// forgotten events forgotten. Returns how many events there are.
    ///
    /// The chain of checksums is verified on the way. The store is replaced in
    /// one step, so an export that is cut or changed leaves it empty.
    ///
    /// # Growth
    /// By what is restored.
    ///
    /// # Errors
    /// `already_exists` when the store holds events; `invalid_argument` naming
    /// `reader` and the line when the export is cut, changed or not whole;
    /// `newer_format`, or `unsupported` for an export of a build from before the first
    /// release; `io` from the reader or the disk.
    pub fn restore_jsonl(&self, reader: impl BufRead) -> Result<u64> {
        export::restore_jsonl(self.enter()?, reader)
    }

    /// Adds the conversation events of an export to this store, in slices between
    /// which others write. They pass this memory's privacy filter, get new positions
    /// and ids, and keep their time, session, project and speaker. What is here
    /// already is recognised, also when it is imported again.
    ///
    /// The export is read to its end first, so that one which is cut, or holds an
    /// event that would be refused, changes nothing. Until then it is kept in a
    /// nameless, enciphered file in the store's folder; memory holds a few hundred
    /// events. When the disk fills or the process ends later, whole events are stored;
    /// importing the same export again adds the others.
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// `invalid_argument` naming `reader` and the line for an export that is
    /// cut or holds an event that would be refused; as [`Memory::append`].
    pub fn import_jsonl(&self, reader: impl BufRead) -> Result<Imported> {
        import::import_jsonl(self.enter()?, reader)
    }

    /// Writes events into the new file `path` as lines of JSON, as of one moment: a header,
    /// one line for each event in the order of the log, and an end. On Unix only its owner
    /// may read it.
    ///
    /// With a `selector` the live events that it means are written; such a file can be
    /// imported, not restored. Without one it is the whole log with what a restore needs,
    /// forgotten events and the store's secret among it: keep that as private as the store.
    ///
    /// # Growth
    /// By store, also with a selector: every record is passed.
    ///
    /// # Errors
    /// `already_exists` when there is something at `path`; `invalid_argument` when it lies in
    /// the store's own folder; `invalid_argument` or `not_found` from the selector; `io`, `full` or `permission_denied` when the file cannot be
    /// written; `corrupt` when a record cannot be read. No file is left behind then.
    pub fn export_jsonl_file(&self, path: &Path, selector: Option<&Selector>) -> Result<Exported> {
        files::export(self.enter()?, path, selector)
    }

    /// Makes this empty store the one that the whole export in the file `path` was made of:
    /// every record byte for byte, with its position, id, citation and checksum, and
    /// forgotten events forgotten. Gives how many events there are. An export that is cut or
    /// changed leaves the store empty.
    ///
    /// # Growth
    /// By what is restored.
    ///
    /// # Errors
    /// `already_exists` when the store holds events; `invalid_argument` naming `path` and the
    /// line when the export is cut, changed or not whole; `not_found`, `permission_denied` or
    /// `io` when the file cannot be read; `newer_format`, or `unsupported` for an export of a
    /// build from before the first release.
    pub fn restore_jsonl_file(&self, path: &Path) -> Result<u64> {
        files::restore(self.enter()?, path)
    }

    /// Adds the conversation events of the export in the file `path` to this store, in slices
    /// between which others write. They pass this memory's privacy filter, get new positions
    /// and ids, and keep their time, session, project and speaker. What is here already is
    /// recognised, also when it is imported again.
    ///
    /// The export is read to its end first. When the disk fills or the process ends after
    /// that, whole events are stored; importing again adds the others.
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// `invalid_argument` naming `path` and the line for an export that is cut or holds an
    /// event that would be refused; `not_found`, `permission_denied` or `io` when the file
    /// cannot be read; as [`Memory::append`].
    pub fn import_jsonl_file(&self, path: &Path) -> Result<Imported> {
        files::import(self.enter()?, path)
    }

    /// Copies the store, as it is at one moment, into the new folder `path`
    /// while others go on reading and writing. The copy is opened and checked
    /// before it gets its name. Returns how many events it holds.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `already_exists` when there is something at `path`; `invalid_argument` when it lies
    /// in the store's own folder; `corrupt` when this store does not check; `io`, `full` or `permission_denied`. No folder is
    /// left behind then.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<u64> {
        export::backup(self.enter()?, path.as_ref())
    }

    /// Figures about the store: how much each layer holds and when it last moved.
    ///
    /// # Growth
    /// Constant, but for the sessions and projects that are paused, which are counted.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn stats(&self) -> Result<Stats> {
        stats::stats(self.enter()?)
    }
}

/// Upkeep that is seldom needed; see [`Memory::upkeep`].
#[derive(Clone, Copy, Debug)]
pub struct Upkeep<'a> {
    memory: &'a Memory,
}

impl Upkeep<'_> {
    /// How many live events a selector means: what [`Memory::forget`] would
    /// forget. Changes nothing.
    ///
    /// # Growth
    /// By the rarest of the conditions.
    ///
    /// # Errors
    /// `invalid_argument` for a selector without a condition, or an id of
    /// another project; `not_found` for an id that never was.
    pub fn count_selected(&self, selector: &Selector) -> Result<u64> {
        select::count_selected(self.memory.enter()?, selector)
    }

    /// Forgets the events of every project that are older than their kind is
    /// kept (see [`MemoryBuilder::retention_ms`](crate::MemoryBuilder::retention_ms)). Without such a setting it
    /// does nothing. The tombstones say what went.
    ///
    /// # Growth
    /// By what is forgotten.
    ///
    /// # Errors
    /// As [`Memory::forget`].
    pub fn apply_retention(&self) -> Result<Forgotten> {
        retention::apply_retention(self.memory.enter()?)
    }

    /// Gives failed jobs that were tried fewer than `max_retries` times again
    /// another attempt at once, for example after the embedder was repaired.
    /// Returns how many.
    ///
    /// # Growth
    /// By the jobs that failed.
    ///
    /// # Errors
    /// As [`Memory::process_outbox`].
    pub fn retry_outbox(&self, max_retries: u32) -> Result<usize> {
        embed::retry_outbox(self.memory.enter()?, max_retries)
    }

    /// A hash of all that was made from the log: the same log gives the same
    /// hash at the same `as_of`, in every process, after every rebuild and
    /// compaction. 64 hexadecimal digits.
    ///
    /// It covers ids, citations, dedupe keys, times, facets, names, sessions,
    /// turns, tombstones, the log's counters, and all that was learned: tasks,
    /// entries, edges, levels, ledgers and the endless mode. It does not cover
    /// how the search index is cut into segments, jobs that wait, how often
    /// events were cited, vectors (floating point), and when the last append and
    /// flush took place. Erasing changes it, because the log changes.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn state_hash(&self, as_of: Timestamp) -> Result<String> {
        rebuild::state_hash(self.memory.enter()?, as_of)
    }

    /// Moves the store to the newest format that this library writes. Until it
    /// is called, a newer library keeps writing the store's own format, so that
    /// updating one program breaks no other that shares the store.
    ///
    /// There is one format so far, so it changes nothing. What a store holds stays as
    /// it is when a later format comes; libraries that do not know that one can no
    /// longer open the store afterwards.
    ///
    /// # Growth
    /// Constant: there is one format.
    ///
    /// # Errors
    /// `newer_format` when the store is newer than this library; `busy`, `full`
    /// or `io` when it cannot be written.
    pub fn upgrade(&self) -> Result<Upgraded> {
        follow::upgrade(self.memory.enter()?)
    }
}
