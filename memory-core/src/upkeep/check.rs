//! Checking a store: the chain of checksums, every digest, every index against the log, and
//! the search index against the live events. Changes nothing that is stored.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::BatchInverter;
use crate::index::lexical::block::BlockCache;
use crate::index::lexical::forward::{self, ForwardBody};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::merge::merge_segments;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::Seq;
use crate::model::log_record::LogLevel;
use crate::model::time::Timestamp;
use crate::projection;
use crate::store::log::record::Record;
use crate::store::replaying::compare::finding;
use crate::store::replaying::difference::Difference;
use crate::store::replaying::replay::{Log, Replay, Source, ignored};
use crate::store::running::Running;
use crate::store::{ReadTx, WriteTx};
use crate::upkeep::rebuild::hash_at;
use discarded::Discarded;

mod discarded;
mod learned;

/// The result of [`Memory::check`](crate::Memory::check).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// Whether the store is sound.
    pub ok: bool,
    /// The number of records in the log.
    pub events: u64,
    /// The first problem that was found.
    pub first_divergence: Option<Divergence>,
    /// Records of the log that are intact but ignored because the library never wrote them:
    /// they are forged. They change nothing, so a store that contains them can still be
    /// sound. At most the first hundred are listed.
    pub ignored_records: Vec<IgnoredRecord>,
    /// The state hash at `as_of`, as returned by
    /// [`Upkeep::state_hash`](crate::Upkeep::state_hash).
    pub state_hash: String,
    /// The moment of the hash, which is the time of the newest live event.
    pub as_of: Timestamp,
}

/// A problem in a store, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Divergence {
    /// The table or part with the problem: `events` is the log, `lexical` the search index.
    pub place: String,
    /// The position of the event, if one is affected.
    pub seq: Option<Seq>,
    /// What is wrong, without any stored content.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// A record that has no effect because this library cannot have written it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredRecord {
    /// Its position.
    pub seq: Seq,
    /// The kind of event that it claims to be.
    pub kind: EventKind,
    /// Why it is ignored, without any stored content.
    pub problem: String,
}

/// How many ignored records a report names.
const IGNORED_LIMIT: usize = 100;

/// A replay that derives everything but the search index.
struct WithoutSearch;

impl Replay for WithoutSearch {
    fn forward(&self, _: EventKind, _: &Record<'_>, _: &[u8; 32]) -> Option<ForwardBody> {
        None
    }

    fn invert(
        &self,
        _: &mut BatchInverter,
        _: &mut Analyser,
        _: EventKind,
        _: &Record<'_>,
        _: &[u8; 32],
    ) -> bool {
        false
    }

    fn merge(&self, _: &mut WriteTx<'_>) -> Result<()> {
        Ok(())
    }
}

/// How often a check reads the log, as its progress counts: the chain, the replay and the fold.
pub(super) const PASSES: u64 = 3;

/// [`Memory::check`](crate::Memory::check).
pub(crate) fn check(engine: &Engine, running: &Running) -> Result<CheckReport> {
    let (read, segments) = snapshot(engine)?;
    let read = read.run_by(running);
    if let Ok(state) = read.state() {
        running.set_total(PASSES * state.last_seq);
    }
    check_snapshot(engine, &read, segments)
}

/// Every segment of a snapshot, opened, or the reason why it cannot be.
type OpenSegments = Result<Vec<(SegmentInfo, Result<SegmentReader>)>>;

/// The newest snapshot with its segments. They are opened before anything is checked, so that
/// other processes may merge them, and remove their files, in the meantime.
fn snapshot(engine: &Engine) -> Result<(ReadTx, OpenSegments)> {
    loop {
        let read = engine.store.read()?;
        let segments = open_segments(&read);
        let missing: Vec<SegmentInfo> = segments
            .iter()
            .flatten()
            .filter(|(info, opened)| opened.is_err() && info.file.is_some())
            .map(|(info, _)| *info)
            .collect();
        if missing.is_empty() || engine.store.are_live(&missing)? {
            return Ok((read, segments));
        }
    }
}

fn open_segments(read: &ReadTx) -> OpenSegments {
    let cache = BlockCache::new(0);
    let blocks = Blocks {
        source: read,
        cache: &cache,
    };
    let segments = read.segments()?.into_iter();
    Ok(segments
        .map(|info| (info, SegmentReader::open_any(&info, blocks)))
        .collect())
}

fn check_snapshot(engine: &Engine, read: &ReadTx, segments: OpenSegments) -> Result<CheckReport> {
    let mut found = first_difference(engine, read, segments)?;
    let state = read.state()?;
    let as_of = Timestamp::from_millis_clamped(state.last_ms);
    let hash = match read.state_hash() {
        Ok(hash) => hash_at(as_of, &hash),
        Err(error) if found.is_none() || error.is_stop() => return Err(error),
        Err(_) => String::new(),
    };
    let ignored_records = match ignored_records(read) {
        Ok(records) => records,
        Err(error) if found.is_none() || error.is_stop() => return Err(error),
        Err(_) => Vec::new(),
    };
    if found.is_none() {
        found = check_file(engine)?;
    }
    log_found(engine, found.as_ref(), ignored_records.len());
    Ok(CheckReport {
        ignored_records,
        ok: found.is_none(),
        events: state.last_seq,
        first_divergence: found
            .map(|found| -> Result<Divergence> {
                Ok(Divergence {
                    remedy: remedy(read, &found)?.to_owned(),
                    place: found.place,
                    seq: found.seq.map(Seq),
                    problem: found.problem,
                })
            })
            .transpose()?,
        state_hash: hash,
        as_of,
    })
}

fn log_found(engine: &Engine, found: Option<&Difference>, ignored: usize) {
    if let Some(found) = found {
        engine.logger.log(LogLevel::Error, Target::Upkeep, || {
            let at = found.seq.map(|seq| format!(" at position {seq}"));
            let (place, at) = (&found.place, at.unwrap_or_default());
            format!("check: {place} has a problem{at}: {}", found.problem)
        });
    }
    if ignored > 0 {
        engine.logger.warn(Target::Upkeep, || {
            let ignored = counted(ignored as u64, "record");
            format!("check: ignored {ignored} that this library did not write")
        });
    }
    if found.is_none() {
        engine
            .logger
            .info(Target::Upkeep, || "check: the store is sound".to_owned());
    }
}

fn first_difference(
    engine: &Engine,
    read: &ReadTx,
    segments: OpenSegments,
) -> Result<Option<Difference>> {
    match read.check_log() {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding(LOG, error).map(Some),
    }
    match read.check_sharing() {
        Ok(()) => {}
        Err(error) => return finding(SHARING, error).map(Some),
    }
    let scratch = engine.store.scratch(read, |old, new| {
        new.replay(
            &Log::Other(&old.log()?),
            &old.state()?,
            &WithoutSearch,
            Source::Log,
        )?;
        projection::fold_apart(old, new)
    });
    let derived = scratch.and_then(|scratch| read.compare(&scratch));
    match derived {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding("derived tables", error).map(Some),
    }
    match read.check_work() {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding("derived tables", error).map(Some),
    }
    match read.check_usage() {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding("citation_usage", error).map(Some),
    }
    match check_search(engine, read, segments) {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding("lexical", error).map(Some),
    }
    match learned::check(read) {
        Ok(None) => {}
        Ok(found) => return Ok(found),
        Err(error) => return finding(learned::PLACE, error).map(Some),
    }
    let open = engine.store.open_erasures()?;
    Ok((open.count() > 0).then(|| {
        let erasures = match open.count() {
            1 => "1 erasure is".to_owned(),
            count => format!("{count} erasures are"),
        };
        let problem = format!("{erasures} not complete: {}", open.places.join(", "));
        Difference::new(ERASURES, None, problem)
    }))
}

/// Damage to what the file keeps of its own pages, which only a write meets. Whatever else keeps a
/// write from beginning is no damage: a writer that is at work, a disk that cannot be written.
fn check_file(engine: &Engine) -> Result<Option<Difference>> {
    match engine.store.check_write() {
        Err(error) if error.code() == ErrorCode::Corrupt => finding(FILE, error).map(Some),
        _ => Ok(None),
    }
}

/// The place of a difference in what the file keeps of its own pages.
const FILE: &str = "file";

/// The place of a difference in the log itself.
const LOG: &str = "events";

/// The place of what is known of other stores, which nothing derives.
const SHARING: &str = "sharing";

/// The place of a difference that is an open erase order.
pub(super) const ERASURES: &str = "erasures";

fn ignored_records(read: &ReadTx) -> Result<Vec<IgnoredRecord>> {
    let mut records = Vec::new();
    read.each_record(|seq, view, is_deleted| {
        if records.len() == IGNORED_LIMIT {
            return Ok(());
        }
        let problem = match ignored(seq, view)? {
            Some(problem) => Some(problem.to_owned()),
            None if is_deleted || view.is_erased() => None,
            None if view.kind().is_conversation() => None,
            None => projection::refusal(&view.to_event()?).map(|error| error.message().to_owned()),
        };
        records.extend(problem.map(|problem| IgnoredRecord {
            seq: Seq(seq),
            kind: view.kind(),
            problem,
        }));
        Ok(())
    })?;
    Ok(records)
}

fn remedy(read: &ReadTx, found: &Difference) -> Result<&'static str> {
    Ok(match found.place.as_str() {
        LOG if !has_readable_event(read)? => {
            "restore a backup or a whole export into an empty folder: no event in this store can \
             be read any more"
        }
        LOG => {
            "restore a backup or a whole export into an empty folder; without one, export_jsonl() \
             writes every event that can still be read, for import_jsonl() into a new store"
        }
        SHARING => {
            "restore a backup; without one, restore_jsonl() of a whole export into an empty folder \
             keeps every event: withhold again what is withheld, then join the other stores again"
        }
        FILE => {
            "everything can be read, but nothing can be written to this file: call backup() with a \
             new folder, and use that folder in place of this one"
        }
        ERASURES => {
            "call maintain(), which continues open erasures; if it is still open afterwards, something \
             reads the store: wait until it ends, in this process too, or close it, and repeat"
        }
        _ => {
            "call rebuild(), which derives everything from the log again; if the file itself cannot \
             be written, restore_jsonl() of an export into an empty folder does the same"
        }
    })
}

/// Whether an export would save anything: a damaged page near the root of the log's
/// tree takes every record with it.
fn has_readable_event(read: &ReadTx) -> Result<bool> {
    let mut found = false;
    let visited = read.each_readable_record(1, |_, view, is_deleted| {
        found |= !is_deleted && view.kind().is_appendable();
        Ok(())
    });
    match visited {
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(false),
        visited => visited.map(|_| found),
    }
}

/// The search index: everything in it decodes, and it holds every live
/// conversation event once and nothing else.
fn check_search(
    engine: &Engine,
    read: &ReadTx,
    segments: OpenSegments,
) -> Result<Option<Difference>> {
    let mut seen = BTreeSet::new();
    if let Some(wrong) = check_segments(engine, read, segments, &mut seen)? {
        return Ok(Some(wrong));
    }
    let mut memtable = Memtable::new();
    let mut seqs = Vec::new();
    read.forward_entries(0, |entry| {
        seqs.push(forward::facts(&entry)?.seq);
        memtable.add(entry)
    })?;
    for seq in seqs {
        if !seen.insert(seq) {
            return wrong(seq, "the event is indexed twice");
        }
    }
    for seq in read.searchable_seqs()? {
        if !seen.remove(&seq) {
            return wrong(seq, "search does not find the event");
        }
    }
    match seen.first() {
        Some(seq) => wrong(*seq, "the index contains an event that does not exist"),
        None => Ok(None),
    }
}

/// A difference of the search index.
fn wrong(seq: u64, problem: &str) -> Result<Option<Difference>> {
    let problem = problem.to_owned();
    Ok(Some(Difference::new("lexical", Some(seq), problem)))
}

/// Everything in the segments decodes; the events that they hold are added to `seen`, each for the
/// first time.
fn check_segments(
    engine: &Engine,
    read: &ReadTx,
    segments: OpenSegments,
    seen: &mut BTreeSet<u64>,
) -> Result<Option<Difference>> {
    let unclean = read.unclean_segments()?;
    let tombstones = read.tombstones()?;
    let cache = BlockCache::new(8 << 20);
    let blocks = Blocks {
        source: read,
        cache: &cache,
    };
    for (segment, opened) in segments? {
        let reader = opened.and_then(|reader| reader.verify_blocks(read).map(|()| reader));
        let reader = reader.inspect_err(|error| {
            if error.code() == ErrorCode::Corrupt && segment.file.is_some() {
                // The next `maintain` rebuilds it.
                engine.lexical.note_damaged(segment.id);
            }
        })?;
        // Merging reads every row, term and posting.
        merge_segments(
            segment.id,
            &[&reader],
            blocks,
            &|_| Ok(false),
            &mut Discarded(&read.running),
        )?;
        let mut seqs = Vec::new();
        reader.each_event(blocks, 0..segment.events, |_, row| seqs.push(row.facts.seq))?;
        for seq in seqs {
            if tombstones.contains(seq)? {
                if !unclean.contains(&segment.id) {
                    return wrong(seq, "the index still finds a forgotten event");
                }
            } else if !seen.insert(seq) {
                return wrong(seq, "the event is indexed twice");
            }
        }
        cache.forget_segment(segment.id);
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
