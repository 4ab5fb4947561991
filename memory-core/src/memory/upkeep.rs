//! Upkeep: forgetting and erasing, deferred work, checking and rebuilding, and moving a
//! store.

use std::io::{BufRead, Write};
use std::path::Path;

use crate::engine::effective::EffectiveSetting;
use crate::engine::settings::in_force;
use crate::learn::endless::settings_in_force;
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::progress::Operation;
use crate::model::stats::Stats;
use crate::model::time::Timestamp;
use crate::rules::outbox::Processed;
use crate::upkeep::check::CheckReport;
use crate::upkeep::compact::Compacted;
use crate::upkeep::erase::Erased;
use crate::upkeep::export::{ExportOptions, Exported};
use crate::upkeep::follow::Upgraded;
use crate::upkeep::forget::Forgotten;
use crate::upkeep::import::{self, Imported};
use crate::upkeep::maintain::{MaintainBudget, Maintained};
use crate::upkeep::rebuild::Rebuilt;
use crate::upkeep::select::Selector;
use crate::upkeep::{
    check, compact, embed, erase, export, export_file, files, follow, forget, maintain, rebuild,
    retention, select, stats,
};

impl Memory {
    /// Returns the upkeep methods that are rarely needed: the settings in force,
    /// retention, retrying failed jobs, hashes.
    pub fn upkeep(&self) -> Upkeep<'_> {
        Upkeep { memory: self }
    }

    /// Forgets events: no read, search, history or count shows them again, and a rebuild
    /// keeps them forgotten. Waiting jobs are dropped before this returns. The words of the
    /// events leave the search index, or wait in its larger segments, where no search finds
    /// them, for [`Memory::maintain`] to remove them (`segments_waiting`).
    ///
    /// The records stay in the log, marked by a tombstone, until they are erased. If the
    /// same content is appended again, it is a new memory and the receipt's warnings say
    /// so. Events that are already forgotten are not counted. More than 64 are forgotten
    /// in several transactions, between which others write; each leaves a tombstone.
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
    /// By what is forgotten and what was learned from it. When a change of the mode or a very large
    /// number of learned items is forgotten, or when what was learned depends on records of other
    /// stores that arrived late, the whole log is folded again: by store, and other writers wait
    /// for that.
    ///
    /// # Errors
    /// `invalid_argument` for a selector without a condition, an id of another project or of a
    /// tombstone; `not_found` for an id that never was; `busy`, `full`, `io`, `needs_reopen` or
    /// `corrupt` as for an append: nothing is forgotten then, or of more than 64 events only the
    /// first ones; another call continues. An error after the tombstone was stored (while vectors
    /// were removed from side files) leaves the events forgotten; the next call of `forget` or
    /// `maintain` completes the work. `interrupted` when the program stops it: what earlier
    /// transactions have forgotten stays forgotten, and another call continues.
    pub fn forget(&self, selector: &Selector) -> Result<Forgotten> {
        self.run(Operation::Forget, |engine, running| {
            forget::forget(engine, selector, running)
        })
    }

    /// Erases events from the disk. Their content, metadata, tool calls, names, salts and content
    /// hashes leave the log, along with everything that the library recorded because of them, and
    /// every index is rebuilt without them. Afterwards, no byte of the text is in any file of the
    /// store.
    ///
    /// What was learned from the events is erased too, unless every quote that supports it
    /// is in an event that stays. This applies to entries, tasks, conditions, memories,
    /// decisions and conflicts, and to a summary and tags that were given to the session
    /// later. A record that also concerns other things keeps that part.
    ///
    /// What remains of an event is its position, id, citation, kind and time, and the digest that
    /// the chain of checksums needs. The digest covered a random salt that is gone, so it reveals
    /// nothing. The keyed hash of the caller's key ([`NewEvent::dedupe`](crate::NewEvent::dedupe))
    /// also remains: an import recognises the event by it and skips it. Events that are already
    /// forgotten are erased as well if the selector matches them. Copies are the caller's
    /// responsibility: backups, exports, and the same words in other events that were not selected,
    /// such as a response that repeats a prompt or a stored
    /// [`EventKind::SessionSummary`](crate::EventKind::SessionSummary).
    ///
    /// The erasure is ordered by a first short transaction, and the events are forgotten
    /// ([`Memory::forget`]) before the store is rewritten; if there are very many, the rest is
    /// hidden only at the end. If the process is killed, or this call fails or is interrupted after
    /// that, the order stays open and [`Stats::open_erasures`](crate::Stats::open_erasures) counts
    /// it: [`Memory::maintain`], [`Memory::compact`] or another call of `erase` carries it out. It
    /// cannot be undone.
    ///
    /// Others can read and write in the meantime, unless they write so much that the new store
    /// cannot catch up with them: its third copy is made while they wait. What they append stays,
    /// even if the selector would match it, unless the library recorded it about what is erased.
    ///
    /// # Growth
    /// By store: all of it is rewritten, however little is erased. When nothing is selected, by the
    /// rarest of the conditions, among live and forgotten events.
    ///
    /// # Errors
    /// As [`Memory::forget`] and [`Memory::compact`]; the erasure then stays ordered, also when the
    /// program stops it (`interrupted`), unless the order could not be written. A failure after the
    /// events are erased is not an error: the receipt's `is_complete` is then false, and its
    /// `unclean_places` say why.
    pub fn erase(&self, selector: &Selector) -> Result<Erased> {
        self.run(Operation::Erase, |engine, running| {
            erase::erase(engine, selector, running)
        })
    }

    /// Does deferred work, one bounded step of each kind: writes noted accesses and injections,
    /// flushes and merges the index, learns entries and tasks from what was said (unless
    /// [`learn_by_rules`](crate::MemoryBuilder::learn_by_rules) is off), graduates, consolidates,
    /// embeds, and builds vector graphs. Call it when the host is idle, until `has_more` is
    /// false.
    ///
    /// It also carries out an erasure that was ordered and whose process was killed or interrupted
    /// ([`Memory::erase`]), as its last step: without a time limit, or if the remaining time is
    /// likely to suffice. A host that always sets a limit must look at
    /// [`Maintained::requested_erasures`], and call it without one when that is not 0.
    ///
    /// # Growth
    /// Constant: by the budget. By store when it carries out an erasure.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written; each step that was committed stays.
    /// Failures of the embedder are counted in `jobs_failed`. `interrupted` when the program stops
    /// it; the steps that were done stay.
    pub fn maintain(&self, budget: MaintainBudget) -> Result<Maintained> {
        self.run(Operation::Maintain, |engine, running| {
            maintain::maintain(engine, budget, running)
        })
    }

    /// Embeds waiting events, entries, titles of tasks and consolidated memories, at most
    /// `limit` jobs. Call it when there is time, until [`Processed::processed`] is 0. Any
    /// process with the embedder can call it, even several at once.
    ///
    /// Jobs of workers that died are taken back after 5 minutes. A failed job is retried
    /// after 1, 5 and 30 seconds, by calls made after that time. What was forgotten in the
    /// meantime is skipped.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use recallite::embed::CallbackEmbedder;
    /// use recallite::{EventKind, Memory, NewEvent};
    /// use std::sync::Arc;
    ///
    /// // A model of the program's own; this one only distinguishes long from short.
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
    /// `unsupported` without an embedder; `busy`, `full` or `io` when the store cannot be written.
    /// Failures of the embedder are not errors of this call: they are in [`Processed::errors`].
    /// `interrupted` when the program stops it: the vectors that were made stay, and the other jobs
    /// wait as before.
    pub fn process_outbox(&self, limit: usize) -> Result<Processed> {
        self.run(Operation::ProcessOutbox, |engine, running| {
            embed::process_outbox(engine, limit, running)
        })
    }

    /// Verifies the whole store as it is at this moment. It checks that the log's chain of
    /// checksums holds and every record is what was stored; that each derived table, and
    /// each row of what was learned, equals what the log gives when it is rebuilt; and that
    /// the search index can be decoded and contains exactly the live conversation events.
    /// Others can read and write in the meantime. At the end it commits a transaction that
    /// changes nothing, which finds damage that only a write meets.
    ///
    /// The tables are rebuilt in memory or, for more than 20,000 events, in a temporary file in
    /// the store's folder.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// Damage is a finding, not an error. `io` or `busy` when the store cannot
    /// be read at all; `interrupted` when the program stops it.
    pub fn check(&self) -> Result<CheckReport> {
        self.run(Operation::Check, |engine, running| {
            check::check(engine, running)
        })
    }

    /// Rebuilds every derived table from the log: indexes, names, sessions, tombstones,
    /// counters and the search index. They are built in a new generation of the store, as
    /// by [`Memory::compact`], while others read and write.
    ///
    /// Everything that depends on the passing of time is evaluated at the moment `as_of`,
    /// which is also part of the hash. Waiting jobs, and vectors made by a model, are kept
    /// as they are unless they are damaged; damaged ones are dropped, and the embedder
    /// makes them again. No damaged page of the tables being rebuilt is read.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `corrupt` when the log itself is damaged (nothing is changed then; use
    /// [`Memory::check`] to learn where, and restore a backup); `busy`, `full`,
    /// `io`, `needs_reopen` or `interrupted` as for [`Memory::compact`].
    pub fn rebuild(&self, as_of: Timestamp) -> Result<Rebuilt> {
        self.run(Operation::Rebuild, |engine, running| {
            rebuild::rebuild(engine, as_of, running)
        })
    }

    /// Copies the store into a new generation that replaces the old one, so that unused
    /// space is returned to the disk. The log stays complete: forgotten events keep their
    /// records until they are erased. Open erasures are carried out first.
    ///
    /// Others can read and write in the meantime. What they write is carried over to the
    /// new generation, which they switch to with their next call. Writers wait only while
    /// the last of it is carried over. This needs free disk space for a second copy. After
    /// a crash, either the old or the new generation is in place, complete.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `busy` when another call compacts, erases, rebuilds or restores, or when writers never let
    /// the last step begin; `full`, `io` or `corrupt`: the store then stays as it was.
    /// `interrupted` when the program stops it before its last step: the store stays as it was,
    /// too. `needs_reopen` when the last step failed: after reopening, the store is the old or the
    /// new one.
    pub fn compact(&self) -> Result<Compacted> {
        self.run(Operation::Compact, |engine, running| {
            compact::compact(engine, running)
        })
    }

    /// Writes events to the new file `path` as JSON Lines, as of one moment: a header, one
    /// line for each event in log order, and an end line. On Unix only the file's owner can
    /// read it.
    ///
    /// With a `selector`, the live events that match it are written; such a file can be
    /// imported but not restored. Without one, the file contains the whole log and
    /// everything that a restore needs, including forgotten events and the store's secret:
    /// keep it as private as the store.
    ///
    /// An existing file is refused. With `replace`, it is replaced once the new one is complete,
    /// and stays as it is if the export fails; a pipe is written to.
    ///
    /// # Growth
    /// By store; with a selector, by result.
    ///
    /// # Errors
    /// `already_exists` when there is something at `path`, without `replace`; `invalid_argument`
    /// when it lies in the store's own folder; `invalid_argument` or `not_found` from the selector;
    /// `not_found`, `permission_denied`, `full` or `io` when the file cannot be written: no file is
    /// left behind then; `corrupt` when a record cannot be read: the file contains the others, and
    /// [`Memory::import_jsonl`] accepts them. `interrupted` when the program stops it: no file
    /// is left behind.
    pub fn export_jsonl(
        &self,
        path: impl AsRef<Path>,
        options: &ExportOptions,
    ) -> Result<Exported> {
        self.run(Operation::Export, |engine, running| {
            export_file::export(engine, path.as_ref(), options, running)
        })
    }

    /// Restores the full export in the file `path` into this empty store: every record byte
    /// for byte, with its position, id, citation and checksum; forgotten events stay
    /// forgotten. Returns the number of events. An export that is truncated or modified
    /// leaves the store empty.
    ///
    /// # Growth
    /// By what is restored.
    ///
    /// # Errors
    /// `already_exists` when the store holds events; `invalid_argument` naming `path` and the
    /// line when the export is cut, changed or not whole; `not_found`, `permission_denied` or
    /// `io` when the file cannot be read; `newer_format`, or `unsupported` for an export of a
    /// build from before the first release; `interrupted` when the program stops it: the store
    /// stays empty.
    pub fn restore_jsonl(&self, path: impl AsRef<Path>) -> Result<u64> {
        self.run(Operation::Restore, |engine, running| {
            files::restore(engine, path.as_ref(), running)
        })
    }

    /// Adds the conversation events of the export in the file `path` to this store, in
    /// batches between which others can write. The events pass through this memory's privacy
    /// filter, get new positions and ids, and keep their time, session, project and
    /// speaker. Events that are already here are recognised, including when the same export
    /// is imported again; what was forgotten since stays forgotten and is counted as a
    /// duplicate.
    ///
    /// The export is read to its end first. If the disk fills up or the process ends after
    /// that, only whole events are stored, and importing again adds the rest.
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// `invalid_argument` naming `path` and the line for an export that is cut or holds an
    /// event that would be refused; `not_found`, `permission_denied` or `io` when the file
    /// cannot be read; as [`Memory::append`]. `interrupted` when the program stops it: the
    /// events that were stored stay, and importing the same file again adds the rest.
    pub fn import_jsonl(&self, path: impl AsRef<Path>) -> Result<Imported> {
        self.run(Operation::Import, |engine, running| {
            files::import(engine, path.as_ref(), running)
        })
    }

    /// Copies the store, as it is at one moment, to the new folder `path` while others
    /// continue to read and write. The copy is opened and checked before it gets its name.
    /// Returns the number of events in it.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `already_exists` when there is something at `path`; `invalid_argument` when it lies in the
    /// store's own folder; `corrupt` when the copy fails the check; `io`, `full` or
    /// `permission_denied`; `interrupted` when the program stops it. No folder is left behind then.
    /// A process that is killed during the copy leaves one beside `path`, whose name begins with
    /// that of the copy and `.partial-`; remove it.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<u64> {
        self.run(Operation::Backup, |engine, running| {
            export::backup(engine, path.as_ref(), running)
        })
    }

    /// Returns figures about the store: how much each layer holds and when it last changed.
    ///
    /// # Growth
    /// Constant, except for the paused sessions and projects, which are counted.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn stats(&self) -> Result<Stats> {
        stats::stats(self.enter()?)
    }
}

/// Upkeep that is rarely needed; see [`Memory::upkeep`].
#[derive(Clone, Copy, Debug)]
pub struct Upkeep<'a> {
    memory: &'a Memory,
}

impl Upkeep<'_> {
    /// Returns every setting currently in force and where its value comes from: the
    /// library's default, the store, the settings file, or the call that opened this
    /// memory. The settings are in the order of `docs/guides/settings.md`.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `closed`; `corrupt` or `io` when the store cannot be read.
    pub fn settings(&self) -> Result<Vec<EffectiveSetting>> {
        let engine = self.memory.enter()?;
        let in_store = settings_in_force(engine)?;
        Ok(in_force(&engine.effective, engine.store.path(), &in_store))
    }

    /// Returns how many live events a selector matches, which is what [`Memory::forget`]
    /// would forget. Changes nothing.
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

    /// Returns how many events a selector matches among the live and the forgotten ones, which
    /// is what [`Memory::erase`] would erase. Changes nothing.
    ///
    /// # Growth
    /// By the rarest of the conditions, among live and forgotten events.
    ///
    /// # Errors
    /// As [`Upkeep::count_selected`].
    pub fn count_erasable(&self, selector: &Selector) -> Result<u64> {
        select::count_erasable(self.memory.enter()?, selector)
    }

    /// Forgets the events of every project that have outlived the retention period of their
    /// kind (see [`MemoryBuilder::retention_ms`](crate::MemoryBuilder::retention_ms)). Does
    /// nothing if no period is set. The tombstones record what was forgotten.
    ///
    /// # Growth
    /// By what is forgotten.
    ///
    /// # Errors
    /// As [`Memory::forget`].
    pub fn apply_retention(&self) -> Result<Forgotten> {
        self.memory
            .run(Operation::Forget, retention::apply_retention)
    }

    /// Immediately retries failed jobs that were retried fewer than `max_retries` times,
    /// for example after the embedder was repaired. Returns how many there are.
    ///
    /// # Growth
    /// By the jobs that failed.
    ///
    /// # Errors
    /// As [`Memory::process_outbox`].
    pub fn retry_outbox(&self, max_retries: u32) -> Result<usize> {
        embed::retry_outbox(self.memory.enter()?, max_retries)
    }

    /// Returns a hash of everything derived from the log, as 64 hexadecimal digits. The
    /// same log gives the same hash at the same `as_of`, in every process and after every
    /// rebuild and compaction.
    ///
    /// It covers ids, citations, dedupe keys, times, facets, names, sessions, turns,
    /// tombstones, the log's counters, and everything learned: tasks, entries, edges,
    /// levels, ledgers and the endless mode. It does not cover how the search index is
    /// split into segments, waiting jobs, how often events were cited, vectors (which are
    /// floating point), or when the last append and flush took place. Erasing changes it,
    /// because the log changes.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn state_hash(&self, as_of: Timestamp) -> Result<String> {
        rebuild::state_hash(self.memory.enter()?, as_of)
    }

    /// Like [`Memory::export_jsonl`], but to a writer: the whole log, or the live events that
    /// a selector matches.
    ///
    /// # Growth
    /// By store; with a selector, by result.
    ///
    /// # Errors
    /// `invalid_argument` or `not_found` from the selector; `io` from the
    /// writer; `corrupt` when a record cannot be read: the others are written all
    /// the same, and [`Upkeep::import_jsonl_from`] takes them. `interrupted` when the program stops
    /// it: what was written lacks its end, so no import takes it.
    pub fn export_jsonl_to(
        &self,
        writer: impl Write,
        selector: Option<&Selector>,
    ) -> Result<Exported> {
        self.memory.run(Operation::Export, |engine, running| {
            export::export_jsonl(engine, writer, selector, running)
        })
    }

    /// Restores a full export into this empty store: every record byte for byte, with its
    /// position, id, citation and checksum; forgotten events stay forgotten. Returns the
    /// number of events.
    ///
    /// The chain of checksums is verified on the way. The store is replaced in one step, so
    /// an export that is truncated or modified leaves it empty.
    ///
    /// # Growth
    /// By what is restored.
    ///
    /// # Errors
    /// `already_exists` when the store holds events; `invalid_argument` naming
    /// `reader` and the line when the export is cut, changed or not whole;
    /// `newer_format`, or `unsupported` for an export of a build from before the first
    /// release; `io` from the reader or the disk; `interrupted` when the program stops it. The
    /// store stays empty.
    pub fn restore_jsonl_from(&self, reader: impl BufRead) -> Result<u64> {
        self.memory.run(Operation::Restore, |engine, running| {
            export::restore_jsonl(engine, reader, running)
        })
    }

    /// Adds the conversation events of an export to this store, in batches between which
    /// others can write. The events pass through this memory's privacy filter, get new
    /// positions and ids, and keep their time, session, project and speaker. Events that
    /// are already here are recognised, including when the same export is imported again;
    /// what was forgotten since stays forgotten and is counted as a duplicate.
    ///
    /// The export is read to its end first, so one that is truncated, or contains an event
    /// that would be refused, changes nothing. Until then it is kept in an unnamed,
    /// encrypted file in the store's folder; only a few hundred events are held in memory.
    /// If the disk fills up or the process ends later, only whole events are stored, and
    /// importing the same export again adds the rest.
    ///
    /// # Growth
    /// By what is imported.
    ///
    /// # Errors
    /// `invalid_argument` naming `reader` and the line for an export that is
    /// cut or holds an event that would be refused; as [`Memory::append`]. `interrupted` when
    /// the program stops it: the events that were stored stay, and importing the same export
    /// again adds the rest.
    pub fn import_jsonl_from(&self, reader: impl BufRead) -> Result<Imported> {
        self.memory.run(Operation::Import, |engine, running| {
            import::import_jsonl(engine, reader, running)
        })
    }

    /// Upgrades the store to the newest format that this library writes. Until this is
    /// called, a newer library keeps writing the store's own format, so that updating one
    /// program does not break others that share the store.
    ///
    /// There is only one format so far, so this changes nothing yet. Upgrading to a later
    /// format will keep everything in the store, but libraries that do not know that format
    /// will no longer be able to open it.
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
