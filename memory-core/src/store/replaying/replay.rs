//! Replays the log: rebuilds every derived table from the records, in the same way as when
//! they were appended.

use std::collections::BTreeSet;

use crate::index::lexical::forward::EventFacts;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, is_note};
use crate::store::database::checked::{ReadOnlyTable, ReadableTable};
use crate::store::database::panics::catch_panic;
use crate::store::database::panics::missing_record;
use crate::store::generations::erasing::Erasure;
use crate::store::index_tables::rows::{Names, Projection, Scattered, Tables};
use crate::store::log::append::Words;
use crate::store::log::record::{CHAIN_START, Record, RecordView};
use crate::store::log::tombstone::{named_ranges, seqs_in, session_update};
use crate::store::meta::{Meta, State};
use crate::store::replaying::copied_words::CopiedWords;
use crate::store::replaying::hidden::{Hidden, is_tombstone};
pub(crate) use crate::store::replaying::replay_input::{Log, Replay};
use crate::store::replaying::replayed_words::ReplayedWords;
use crate::store::running::Running;
use crate::store::tables::{self, Facet};
use crate::store::{ReadTx, WriteTx};
use crate::text::tool::observed_file;

/// How many records are replayed before the caller may fold.
const STEP_EVENTS: u64 = 512;

/// What a replay rebuilds.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// Everything, from the records.
    Log,
    /// Copies words, citations and dedupe keys from the store file whose log was copied,
    /// without those of erased events. Fails with `corrupt` if the words do not belong to
    /// the log.
    Old(&'a ReadTx, &'a Erasure),
}

/// The progress of a replay, and what still has to be written.
struct Replayed<'a> {
    /// The next position.
    next: u64,
    /// The chain up to that position.
    checksum: [u8; 32],
    words: Indexing<'a>,
    scattered: Scattered<'a>,
}

impl<'a> Replayed<'a> {
    fn new(source: Source<'a>) -> Result<Self> {
        let (words, scattered) = match source {
            Source::Log => (Indexing::Anew(Box::default()), Scattered::default()),
            Source::Old(old, erasure) => (
                Indexing::Copied(CopiedWords::new(old, &erasure.erased)?),
                Scattered::beside(old, erasure)?,
            ),
        };
        Ok(Replayed {
            next: 1,
            checksum: CHAIN_START,
            words,
            scattered,
        })
    }
}

/// The source of the words for the search index.
enum Indexing<'a> {
    Anew(Box<ReplayedWords>),
    Copied(CopiedWords<'a>),
}

impl Indexing<'_> {
    /// The words of the next event.
    fn words(
        &mut self,
        rules: &dyn Replay,
        seq: u64,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> Words {
        match self {
            Indexing::Anew(words) => match words.invert(rules, kind, record, secret) {
                true => Words::Inverted,
                false => Words::None,
            },
            Indexing::Copied(words) if words.is_waiting(seq) => rules
                .forward(kind, record, secret)
                .map_or(Words::None, Words::Forward),
            Indexing::Copied(_) => Words::Inverted,
        }
    }

    fn put_facts(&mut self, seq: u64, facts: Option<EventFacts>) {
        match self {
            Indexing::Anew(words) => words.put_facts(facts),
            Indexing::Copied(words) => words.put_facts(seq, facts),
        }
    }

    fn is_full(&self) -> bool {
        match self {
            Indexing::Anew(words) => words.is_full(),
            Indexing::Copied(words) => words.is_full(),
        }
    }

    /// Appends a segment.
    fn put_segment(&mut self, tx: &mut WriteTx<'_>, rules: &dyn Replay) -> Result<()> {
        match self {
            Indexing::Anew(words) => match words.put_segment(tx)? {
                true => rules.merge(tx),
                false => Ok(()),
            },
            Indexing::Copied(words) => words.put_segment(tx, rules),
        }
    }

    /// Writes what is left after the last record.
    fn put_last(&mut self, tx: &mut WriteTx<'_>, log: &Log<'_>, rules: &dyn Replay) -> Result<()> {
        match self {
            Indexing::Anew(words) => match words.put_last(tx, log, rules)? {
                true => rules.merge(tx),
                false => Ok(()),
            },
            Indexing::Copied(words) => words.finish(tx),
        }
    }
}

/// Why a replay skips a record, if it does.
pub(crate) fn ignored(seq: u64, view: &RecordView<'_>) -> Result<Option<&'static str>> {
    if !is_tombstone(view) {
        return Ok(None);
    }
    Ok(named_ranges(seq, &view.archive()?).err())
}

impl WriteTx<'_> {
    /// Empties every derived table and rebuilds it from the log. Counters that are not a
    /// function of the log (times of the last append and fold, numbers of segments and
    /// jobs) continue from their values.
    ///
    /// `acknowledged` is the state whose last record the replay must end at: a log that
    /// lost its end is damaged, not short.
    ///
    /// # Errors
    /// `corrupt` if the log is damaged, or the segments that the words come from are; in
    /// the latter case, a replay that takes the words from the texts may follow.
    pub(crate) fn replay(
        &mut self,
        log: &Log<'_>,
        acknowledged: &State,
        rules: &dyn Replay,
        source: Source<'_>,
    ) -> Result<()> {
        let transaction = &self.transaction;
        macro_rules! clear {
            ($name:ident, truth, $erasure:ident) => {};
            ($name:ident, work, $erasure:ident) => {};
            ($name:ident, $role:ident, $erasure:ident) => {
                transaction
                    .open_table(tables::$name)?
                    .retain(|_, _| false)?;
            };
        }
        tables::every_table!(clear);
        self.set_unclean_segments(&[])?;
        self.state = State {
            last_append_ms: self.state.last_append_ms,
            last_flush_ms: self.state.last_flush_ms,
            next_segment: self.state.next_segment,
            next_job: self.state.next_job,
            ..State::default()
        };
        let hidden = match log {
            Log::Own => {
                let events = self.transaction.open_table(tables::EVENTS)?;
                Hidden::of(&events, &self.running)?
            }
            Log::Other(events) => Hidden::of(*events, &self.running)?,
        };
        {
            let mut table = self.transaction.open_table(tables::TOMBSTONES)?;
            for (seq, tombstone) in hidden.rows() {
                table.insert(seq, tombstone)?;
            }
        }
        let mut replayed = Replayed::new(source)?;
        while self.replay_step(log, rules, &mut replayed)? {
            while replayed.words.is_full() {
                replayed.words.put_segment(self, rules)?;
                self.running.checkpoint()?;
            }
            if replayed.scattered.is_much() {
                replayed.scattered.write(&self.transaction)?;
            }
        }
        replayed.scattered.finish(self)?;
        replayed.words.put_last(self, log, rules)?;
        self.recompute_reordered_sessions(log)?;
        let checksum = replayed.checksum;
        self.state.last_checksum = checksum;
        if (self.state.last_seq, checksum) != (acknowledged.last_seq, acknowledged.last_checksum) {
            return Err(Error::new(
                ErrorCode::Corrupt,
                format!(
                    "the log breaks after record {}, but {} were acknowledged; restore a backup",
                    self.state.last_seq, acknowledged.last_seq
                ),
            ));
        }
        Ok(())
    }

    /// Appends some of the records that another log, which continues this one, has in
    /// addition, up to a tombstone; without what is erased of them. Returns what that one hides and is not gone already,
    /// for [`WriteTx::delete`]; there may be more records.
    pub(crate) fn take_in(
        &mut self,
        log: &ReadOnlyTable<u64, &'static [u8]>,
        last: u64,
        rules: &dyn Replay,
        erasure: &Erasure,
    ) -> Result<Option<(u64, Vec<u64>)>> {
        let mut tables = Tables::open(&self.transaction)?;
        let mut rows = Vec::new();
        let mut changed = BTreeSet::new();
        let mut hides = None;
        while self.state.last_seq < last && hides.is_none() && (rows.len() as u64) < STEP_EVENTS {
            let seq = self.state.last_seq + 1;
            let bytes = log.get(seq)?.ok_or_else(|| missing_record(seq))?;
            let stays = erasure.what_stays(seq, bytes.value(), &self.meta.secret)?;
            let bytes = stays.into_owned();
            let view = RecordView::new(seq, &bytes)?;
            if !view.continues(&self.state.last_checksum) {
                return Err(broken_chain(seq));
            }
            self.state.last_checksum = view.checksum();
            self.state.last_seq = seq;
            let words = |kind, record: &Record<'_>| {
                let forward = rules.forward(kind, record, &self.meta.secret);
                forward.map_or(Words::None, Words::Forward)
            };
            let length = bytes.len() as u64;
            replay_one(&mut tables, &mut self.state, &view, length, words)?;
            let record = view.archive()?;
            let may_move = view.kind() == EventKind::SessionChanged || record.foreign.is_some();
            if may_move && !view.is_erased() && !record.session.is_empty() {
                changed.insert(record.session.to_string());
            }
            if is_tombstone(&view) {
                hides = named_ranges(seq, &view.archive()?).ok();
            }
            rows.push((seq, bytes));
        }
        let named = hides.as_deref().unwrap_or_default();
        let targets = newly_hidden(&mut tables, &rows, named, self.state.last_seq)?;
        let rows: Vec<(u64, &[u8])> = rows.iter().map(|(seq, row)| (*seq, &**row)).collect();
        tables.finish_with(&rows, || Ok(()))?;
        self.recompute_sessions(&changed)?;
        self.leave_window()?;
        Ok(hides.map(|_| (self.state.last_seq, targets)))
    }

    /// Copies a record of another log into this one unchanged.
    pub(crate) fn put_record(&mut self, seq: u64, bytes: &[u8]) -> Result<()> {
        let mut table = self.transaction.open_table(tables::EVENTS)?;
        table.insert(seq, bytes)?;
        Ok(())
    }

    /// Makes this store the one that the restored log came from.
    pub(crate) fn become_store(&mut self, store_id: [u8; 16], secret: [u8; 32], created_ms: i64) {
        (self.meta.store_id, self.meta.secret) = (store_id, secret);
        self.meta.created_ms = created_ms;
    }

    /// Replays some records; false if there are no more.
    fn replay_step(
        &mut self,
        log: &Log<'_>,
        rules: &dyn Replay,
        replayed: &mut Replayed<'_>,
    ) -> Result<bool> {
        let mut tables = Tables::open(&self.transaction)?;
        let end = replayed.next + STEP_EVENTS;
        let mut more = true;
        while replayed.next < end && !replayed.words.is_full() {
            let seq = replayed.next;
            let bytes = log.record(&tables.events, seq)?;
            let Some(bytes) = bytes else {
                more = false;
                break;
            };
            let view = RecordView::new(seq, &bytes)?;
            if !view.continues(&replayed.checksum) {
                return Err(broken_chain(seq));
            }
            replayed.checksum = view.checksum();
            self.state.last_seq = seq;
            let length = bytes.len() as u64;
            let words = |kind, record: &Record<'_>| {
                let secret = &self.meta.secret;
                replayed.words.words(rules, seq, kind, record, secret)
            };
            let facts = replay_one(&mut tables, &mut self.state, &view, length, words)?;
            replayed.words.put_facts(seq, facts);
            replayed.next += 1;
            self.running.count_units(1)?;
        }
        tables.take_scattered(&mut replayed.scattered);
        tables.finish()?;
        Ok(more)
    }
}

/// Those of the positions which a tombstone names that are still live. The others pass to this
/// tombstone, which is the newest, as in [`Hidden::rows`]. `new` are the latest records, which the
/// table does not have yet.
fn newly_hidden(
    tables: &mut Tables<'_>,
    new: &[(u64, Vec<u8>)],
    named: &[(u64, u64)],
    tombstone: u64,
) -> Result<Vec<u64>> {
    let mut live = Vec::new();
    for seq in seqs_in(named) {
        let (is_order, is_erased) = {
            let stored = tables.events.get(seq)?;
            let stored = stored.as_ref().map(|bytes| bytes.value());
            let fresh = new.binary_search_by_key(&seq, |(at, _)| *at).ok();
            let bytes = fresh.map(|at| &*new[at].1).or(stored);
            let view = RecordView::new(seq, bytes.ok_or_else(|| missing_record(seq))?)?;
            let is_order = is_tombstone(&view) && named_ranges(seq, &view.archive()?).is_ok();
            (is_order, view.is_erased())
        };
        if is_order {
            continue;
        }
        if is_erased || tables.tombstones.get(seq)?.is_some() {
            tables.tombstones.insert(seq, tombstone)?;
        } else {
            live.push(seq);
        }
    }
    Ok(live)
}

fn broken_chain(seq: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("record {seq} does not continue the chain of the log; restore a backup"),
    )
}

fn replay_one(
    tables: &mut Tables<'_>,
    state: &mut State,
    view: &RecordView<'_>,
    record_bytes: u64,
    words: impl FnOnce(EventKind, &Record<'_>) -> Words,
) -> Result<Option<EventFacts>> {
    let seq = state.last_seq;
    let record = view.archive()?;
    if view.is_erased() {
        tables.name(state, view.kind(), &Names::of(&record), seq);
        tables.dedupe_key(record.dedupe.as_ref(), seq);
        state.erased_events += 1;
        state.log_bytes += record_bytes;
        return Ok(None);
    }
    let tool = record.tool.as_ref();
    let file = tool.and_then(|tool| observed_file(tool.metadata.as_str()));
    let is_deleted = tables.tombstones.get(seq)?.is_some();
    if is_deleted {
        state.forgotten_events += 1;
    }
    let projection = Projection {
        seq,
        kind: view.kind(),
        record_bytes,
        names: Names::of(&record),
        dedupe: record.dedupe.as_ref(),
        at: record.timestamp_ms,
        session: record.session.as_str(),
        project: record.project.as_str(),
        actor: record.actor.as_str(),
        origin: record.origin,
        tool: tool.map(|tool| tool.name.as_str()),
        file: file.as_deref(),
        content_bytes: record.content.len() as u64,
        prompt: tables::prompt_number(view.kind(), &record.content),
        is_failed: tool.is_some_and(|tool| !tool.success),
        is_note: is_note(record.metadata.as_ref().map(|json| json.as_str())),
        privacy: record.privacy,
        is_deleted,
    };
    let words = match !is_deleted && view.kind().is_conversation() {
        true => words(view.kind(), &record),
        false => Words::None,
    };
    let facts = tables.project(state, &projection, &words)?;
    // What this store's own orders name is in the log.
    if is_tombstone(view) && record.foreign.is_some() {
        tables.order(seq, &record)?;
    }
    if !is_deleted && let Some((update, moves)) = session_update(view)? {
        let session = tables.number(Facet::Session, record.session.as_str())?;
        let project = tables.number(Facet::Project, record.project.as_str())?;
        if let Some(row) = tables.session_row(session) {
            row.change(&update, moves.then_some(project));
        }
    }
    Ok(facts)
}

impl ReadTx {
    /// The log, for a replay into another store file.
    pub(crate) fn log(&self) -> Result<ReadOnlyTable<u64, &'static [u8]>> {
        self.transaction.open_table(tables::EVENTS)
    }

    /// Visits every record of the log in order, with whether it is forgotten.
    pub(crate) fn each_record(
        &self,
        mut visit: impl FnMut(u64, &RecordView<'_>, bool) -> Result<()>,
    ) -> Result<()> {
        catch_panic(|| {
            let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
            for entry in self.log()?.iter()? {
                let (seq, bytes) = entry?;
                let seq = seq.value();
                visit(
                    seq,
                    &RecordView::new(seq, bytes.value())?,
                    tombstones.get(seq)?.is_some(),
                )?;
                self.running.tick()?;
            }
            Ok(())
        })
    }

    /// A hash of everything that is derived deterministically from the log: every
    /// projection table in key order, the rows of the folds, and the state counters that
    /// depend on the log alone. Excluded: how the lexical index is split into segments,
    /// jobs, usage counts, times of the last append and fold, and vectors (floating point).
    pub(crate) fn state_hash(&self) -> Result<[u8; 32]> {
        catch_panic(|| {
            let mut hasher = blake3::Hasher::new();
            let open = &self.transaction;
            macro_rules! hash {
                ($name:ident, projection, $erasure:ident) => {
                    hash_table(
                        &mut hasher,
                        stringify!($name),
                        &open.open_table(tables::$name)?,
                        &self.running,
                    )?;
                };
                ($name:ident, $role:ident, $erasure:ident) => {};
            }
            tables::every_table!(hash);
            put(&mut hasher, b"PROJECTED");
            hasher.update(&self.projected_digest()?);
            hasher.update(&self.state()?.of_the_log().encode());
            Ok(*hasher.finalize().as_bytes())
        })
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }
}

fn hash_table<K, V>(
    hasher: &mut blake3::Hasher,
    name: &str,
    table: &ReadOnlyTable<K, V>,
    running: &Running,
) -> Result<()>
where
    K: redb::Key + 'static,
    V: redb::Value + 'static,
{
    put(hasher, name.as_bytes());
    for entry in table.iter()? {
        let (key, value) = entry?;
        put(hasher, K::as_bytes(&key.value()).as_ref());
        put(hasher, V::as_bytes(&value.value()).as_ref());
        running.tick()?;
    }
    Ok(())
}

/// Length-prefixed, so that tables cannot run into each other.
fn put(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}
