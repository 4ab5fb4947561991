//! Rebuilds segments whose files are missing or damaged from the texts in the log. Until then,
//! searches leave them out and report `degraded`.

use std::time::Duration;

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::{BatchInverter, write_partials};
use crate::index::lexical::block::BlockSink;
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::Result;
use crate::store::ReadTx;
use crate::store::index_tables::word_files::{FilesLock, WrittenApart};
use crate::store::replaying::replay::Replay as _;
use crate::store::running::Running;
use crate::upkeep::replay::WithSearch;

/// How much text goes into a segment: inverting it takes about 15 MB of memory.
#[cfg(not(test))]
const SEGMENT_BYTES: usize = 2 << 20;
#[cfg(test)]
const SEGMENT_BYTES: usize = 64 << 10;

/// The live segments whose files are missing or are known to be damaged.
fn damaged(engine: &Engine, read: &ReadTx) -> Result<Vec<SegmentInfo>> {
    let mut found = engine.store.missing_files(read)?;
    let (noted, _) = engine.lexical.damaged();
    if !noted.is_empty() {
        let is_noted = |segment: &SegmentInfo| {
            segment.file.is_some() && noted.contains(&segment.id) && !found.contains(segment)
        };
        let noted: Vec<SegmentInfo> = read.segments()?.into_iter().filter(is_noted).collect();
        found.extend(noted);
    }
    Ok(found)
}

/// Rebuilds segments whose files are missing or damaged, while `has_time` returns true; returns how
/// many. Does nothing while another process is building.
pub(crate) fn make_again(
    engine: &Engine,
    has_time: &dyn Fn() -> bool,
    running: &Running,
) -> Result<usize> {
    let mut made = 0;
    while has_time() {
        let Some(found) = damaged(engine, &engine.store.read()?)?.first().copied() else {
            break;
        };
        let turn = engine.store.lock_files(Duration::ZERO);
        if matches!(turn, FilesLock::Busy) || !replace(engine, &turn, &found, running)? {
            break;
        }
        made += 1;
    }
    if made > 0 {
        engine.logger.info(Target::Upkeep, || {
            format!("rebuilt {} of the index", counted(made as u64, "file"))
        });
    }
    Ok(made)
}

/// Replaces a damaged segment by ones built from the texts. False if the store changed meanwhile.
fn replace(
    engine: &Engine,
    turn: &FilesLock,
    old: &SegmentInfo,
    running: &Running,
) -> Result<bool> {
    let store = &engine.store;
    let read = store.read()?.run_by(running);
    let before = read.deletions()?;
    let made = of_the_texts(engine, turn, &read, old)?;
    drop(read);
    let put = store.write(|tx| {
        let is_as_it_was = tx.deletions() == before && tx.segments()?.contains(old);
        if !is_as_it_was {
            return Ok(false);
        }
        tx.remove_segment(old)?;
        for (info, blocks) in made {
            tx.put_blocks(blocks)?;
            tx.put_segment(&info)?;
        }
        // The new segments contain no deleted events.
        let mut unclean = tx.unclean_segments()?;
        unclean.retain(|id| *id != old.id);
        tx.set_unclean_segments(&unclean)?;
        Ok(true)
    });
    if turn.is_held() {
        engine.lexical.clean_files(store, turn, &[old.id]);
    }
    put
}

/// Builds segments with the words of the live events in the range of an old segment.
fn of_the_texts(
    engine: &Engine,
    turn: &FilesLock,
    read: &ReadTx,
    old: &SegmentInfo,
) -> Result<Vec<WrittenApart>> {
    let mut made = Vec::new();
    let mut next = old.seq_from;
    while next <= old.seq_to {
        let mut part = Part::default();
        next = part.read(engine, read, next..=old.seq_to)?;
        made.extend(part.write(engine, turn)?);
    }
    Ok(made)
}

/// The words of some of the events.
struct Part {
    analyser: Analyser,
    inverter: BatchInverter,
    facts: Vec<EventFacts>,
}

impl Default for Part {
    fn default() -> Self {
        Part {
            analyser: Analyser::with_cache(SEGMENT_BYTES / 4),
            inverter: BatchInverter::default(),
            facts: Vec::new(),
        }
    }
}

impl Part {
    /// Reads events until there are enough for a segment; returns the position after them.
    fn read(
        &mut self,
        engine: &Engine,
        read: &ReadTx,
        seqs: std::ops::RangeInclusive<u64>,
    ) -> Result<u64> {
        let rules = WithSearch(&engine.lexical);
        let (tombstones, secret) = (read.tombstones()?, &read.meta().secret);
        let end = seqs.end() + 1;
        let mut bytes = 0;
        for seq in seqs {
            read.running.tick()?;
            if tombstones.contains(seq)? {
                continue;
            }
            read.with_record(seq, |view| {
                if view.is_erased() || !view.kind().is_conversation() {
                    return Ok(());
                }
                let record = view.archive()?;
                bytes += record.content.len();
                let (inverter, analyser) = (&mut self.inverter, &mut self.analyser);
                rules.invert(inverter, analyser, view.kind(), &record, secret);
                self.facts.push(read.facts_of(seq, view.kind(), &record)?);
                Ok(())
            })?;
            if bytes >= SEGMENT_BYTES {
                return Ok(seq + 1);
            }
        }
        Ok(end)
    }

    fn write(mut self, engine: &Engine, turn: &FilesLock) -> Result<Option<WrittenApart>> {
        let Some((first, last)) = self.facts.first().zip(self.facts.last()) else {
            return Ok(None);
        };
        let seqs = first.seq..=last.seq;
        // Segment numbers are never reused.
        let id = engine.store.write(|tx| {
            tx.state.next_segment += 1;
            Ok(tx.state.next_segment)
        })?;
        let partials = [self.inverter.finish(&mut self.analyser)?];
        let named = (id, self.facts.len() as u64);
        let mut write = |sink: &mut dyn BlockSink| {
            write_partials(id, seqs.clone(), &partials, &self.facts, sink)
        };
        engine.store.write_apart(turn, named, &mut write).map(Some)
    }
}

#[cfg(test)]
mod tests;
