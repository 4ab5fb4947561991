//! The words of a replayed log, copied from the segments of another store file instead of being
//! analysed again. An erased event is removed from the segment that covers its position, along with
//! surface forms that occurred only in it.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::index::lexical::analyser::is_better_surface;
use crate::index::lexical::block::{BlockCache, BlockSink};
use crate::index::lexical::forward::{EventFacts, ForwardBody};
use crate::index::lexical::merge::{Keep, Surface, merge_keeping, rewrite_facts};
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::{Error, ErrorCode, Result};
use crate::store::index_tables::lexical::TxSink;
use crate::store::log::record::RecordView;
use crate::store::replaying::replay_input::Replay;
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// The block cache for a segment that is rewritten: its blocks are read in order, in a few streams.
const CACHE_BYTES: usize = 1 << 20;

/// How many events' words are cached while surface forms are looked up.
const REMEMBERED_EVENTS: usize = 256;

/// The segments of another file that are still to be copied, and what the replay found out about
/// their events.
pub(in crate::store) struct CopiedWords<'a> {
    old: &'a ReadTx,
    /// Positions of erased events that had words, ascending.
    erased: Vec<u64>,
    /// In the order of the log.
    segments: VecDeque<SegmentInfo>,
    /// Positions of events in the memtable.
    waiting: BTreeSet<u64>,
    /// The events since the last segment that are not in the memtable, in order.
    facts: Vec<EventFacts>,
    /// The last position that was replayed.
    reached: u64,
}

impl<'a> CopiedWords<'a> {
    /// `erased` contains the positions that the copy leaves out, ascending.
    pub(in crate::store) fn new(old: &'a ReadTx, erased: &[u64]) -> Result<Self> {
        let table = old.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
        let mut waiting = BTreeSet::new();
        for entry in crate::store::database::checked::ReadableTable::iter(&table)? {
            waiting.insert(entry?.0.value());
        }
        let mut with_words = Vec::new();
        for &seq in erased {
            let has_words = |view: &RecordView<'_>| Ok(view.kind().is_conversation());
            if old.with_record(seq, has_words)? == Some(true) {
                with_words.push(seq);
            }
        }
        Ok(CopiedWords {
            old,
            erased: with_words,
            segments: old.segments()?.into(),
            waiting,
            facts: Vec::new(),
            reached: 0,
        })
    }

    /// Whether the words of an event are in the memtable and not in a segment.
    pub(in crate::store) fn is_waiting(&self, seq: u64) -> bool {
        self.waiting.contains(&seq)
    }

    pub(in crate::store) fn put_facts(&mut self, seq: u64, facts: Option<EventFacts>) {
        self.facts.extend(facts);
        self.reached = seq;
    }

    /// Whether [`CopiedWords::put_segment`] is due.
    pub(in crate::store) fn is_full(&self) -> bool {
        let next = self.segments.front();
        next.is_some_and(|segment| segment.seq_to <= self.reached)
    }

    /// Copies the next segment, all of whose events have been replayed.
    ///
    /// # Errors
    /// `corrupt` if the segment is damaged, was written by another analyser or contains events that
    /// the log does not.
    pub(in crate::store) fn put_segment(
        &mut self,
        tx: &mut WriteTx<'_>,
        rules: &dyn Replay,
    ) -> Result<()> {
        let Some(info) = self.segments.pop_front() else {
            return Ok(());
        };
        let end = self.facts.partition_point(|facts| facts.seq <= info.seq_to);
        let later = self.facts.split_off(end);
        let facts = std::mem::replace(&mut self.facts, later);
        let cache = BlockCache::new(CACHE_BYTES);
        let blocks = Blocks {
            source: self.old,
            cache: &cache,
        };
        let reader = SegmentReader::open_any(&info, blocks)?;
        if !reader.is_current() {
            return Err(stale(info.id));
        }
        let found = compared(&reader, blocks, &facts)?;
        if found.kept < facts.len() {
            return Err(stale(info.id));
        }
        let from = self.erased.partition_point(|seq| *seq < info.seq_from);
        let to = self.erased.partition_point(|seq| *seq <= info.seq_to);
        let erased = &self.erased[from..to];
        let is_whole = found.left_out == 0 && erased.is_empty();
        if is_whole && !found.is_other {
            return self.copy(tx, info, &reader);
        }
        if found.kept == 0 {
            return Ok(());
        }
        let id = tx.state.next_segment + 1;
        let keep = Kept::new(self.old, rules, facts, erased)?;
        let written = tx.write_segment((id, found.kept as u64), &mut |sink| match is_whole {
            true => rewrite_facts(id, &reader, blocks, &keep, sink),
            false => merge_keeping(id, &[&reader], blocks, &keep, sink),
        })?;
        tx.put_segment(&written)?;
        tx.state.next_segment = id;
        Ok(())
    }

    /// Called after the last record: fails if a segment or an event's words are left over.
    pub(in crate::store) fn finish(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        if let Some(segment) = self.segments.front() {
            return Err(stale(segment.id));
        }
        if let Some(facts) = self.facts.first() {
            return Err(Error::new(
                ErrorCode::Corrupt,
                format!("no segment holds the words of event {}", facts.seq),
            ));
        }
        tx.state.flushed_seq = self.old.state()?.flushed_seq;
        Ok(())
    }

    /// Copies a segment unchanged: a reference to its file, or its blocks.
    fn copy(&self, tx: &mut WriteTx<'_>, info: SegmentInfo, from: &SegmentReader) -> Result<()> {
        if info.file.is_some() && tx.files_folder().is_some() {
            // The file was just opened, and nobody removes it while this process holds the lock of
            // `index/`.
            return tx.put_segment(&info);
        }
        let mut sink = TxSink::open(&tx.transaction)?;
        from.each_block(self.old, &mut |key, stored| sink.put(key, stored))?;
        drop(sink);
        tx.put_segment(&SegmentInfo { file: None, ..info })
    }
}

fn stale(segment: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("lexical segment {segment} does not match the log"),
    )
}

/// How a segment compares with the events of the log.
#[derive(Default)]
struct Compared {
    /// Events that are still in the log.
    kept: usize,
    /// Events that were erased.
    left_out: usize,
    /// Whether the facts of an event have changed.
    is_other: bool,
}

fn compared(segment: &SegmentReader, blocks: Blocks<'_>, facts: &[EventFacts]) -> Result<Compared> {
    let mut found = Compared::default();
    segment.each_event(blocks, 0..segment.events() as u32, |_, row| {
        match now(facts, &row.facts) {
            Some(now) => {
                found.kept += 1;
                found.is_other |= now != row.facts;
            }
            None => found.left_out += 1,
        }
    })?;
    Ok(found)
}

/// The current facts of an event of a segment. Flags depend on the text, so they are kept.
fn now(facts: &[EventFacts], old: &EventFacts) -> Option<EventFacts> {
    let at = facts
        .binary_search_by_key(&old.seq, |facts| facts.seq)
        .ok()?;
    Some(EventFacts {
        flags: old.flags,
        ..facts[at]
    })
}

/// The surface form of each stem, and whether it has pieces.
type Surfaces = HashMap<Vec<u8>, Surface>;

/// What a rewritten segment keeps.
struct Kept<'a> {
    old: &'a ReadTx,
    rules: &'a dyn Replay,
    facts: Vec<EventFacts>,
    /// The surface forms of the erased events' words, by stem.
    erased: HashMap<Vec<u8>, HashSet<Vec<u8>>>,
    /// The words of events in which surface forms were looked up.
    read: RefCell<HashMap<u64, Surfaces>>,
}

impl<'a> Kept<'a> {
    fn new(
        old: &'a ReadTx,
        rules: &'a dyn Replay,
        facts: Vec<EventFacts>,
        erased: &[u64],
    ) -> Result<Self> {
        let mut words: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
        for &seq in erased {
            if let Some(body) = body(old, rules, seq)? {
                body.each_word(&mut |stem, surface, _| {
                    let known = words.entry(stem.to_vec()).or_default();
                    known.insert(surface.to_vec());
                })?;
            }
        }
        Ok(Kept {
            old,
            rules,
            facts,
            erased: words,
            read: RefCell::default(),
        })
    }

    /// The best surface form of a stem in one event.
    fn surface_of(&self, seq: u64, stem: &[u8]) -> Result<Option<Surface>> {
        if let Some(words) = self.read.borrow().get(&seq) {
            return Ok(words.get(stem).cloned());
        }
        let mut words = Surfaces::new();
        if let Some(body) = body(self.old, self.rules, seq)? {
            body.each_word(&mut |stem, surface, has_pieces| {
                let new = || Surface {
                    text: surface.to_vec(),
                    has_pieces,
                };
                let known = words.entry(stem.to_vec()).or_insert_with(new);
                if is_better_surface(surface, &known.text) {
                    *known = new();
                }
            })?;
        }
        let found = words.get(stem).cloned();
        let mut read = self.read.borrow_mut();
        if read.len() < REMEMBERED_EVENTS {
            read.insert(seq, words);
        }
        Ok(found)
    }
}

impl Keep for Kept<'_> {
    fn facts(&self, facts: &EventFacts) -> Result<Option<EventFacts>> {
        Ok(now(&self.facts, facts))
    }

    fn is_suspect(&self, stem: &[u8], surface: &[u8]) -> bool {
        self.erased
            .get(stem)
            .is_some_and(|surfaces| surfaces.contains(surface))
    }

    fn surface_in(
        &self,
        stem: &[u8],
        suspect: &[u8],
        seqs: &mut dyn Iterator<Item = Result<u64>>,
    ) -> Result<Surface> {
        let mut best: Option<Surface> = None;
        for seq in seqs {
            let Some(found) = self.surface_of(seq?, stem)? else {
                continue;
            };
            // The segment has the best form of all its events, so no later event has a better one.
            if found.text == suspect {
                return Ok(found);
            }
            if best
                .as_ref()
                .is_none_or(|best| is_better_surface(&found.text, &best.text))
            {
                best = Some(found);
            }
        }
        best.ok_or_else(|| {
            Error::new(
                ErrorCode::Corrupt,
                "a lexical segment contains a word that none of its events contains",
            )
        })
    }
}

/// The words of the event at a position, analysed from its record.
fn body(old: &ReadTx, rules: &dyn Replay, seq: u64) -> Result<Option<ForwardBody>> {
    let secret = &old.meta.secret;
    let body = old.with_record(seq, |view| {
        match view.is_erased() || !view.kind().is_conversation() {
            true => Ok(None),
            false => Ok(rules.forward(view.kind(), &view.archive()?, secret)),
        }
    })?;
    Ok(body.flatten())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::index::lexical::block::BlockKey;
    use crate::index::lexical::forward;
    use crate::index::lexical::segment_writer::build_segment;
    use crate::model::event::{EventKind, NewEvent};
    use crate::model::ids::Seq;
    use crate::model::time::Timestamp;
    use crate::store::replaying::copied_words::*;
    use crate::upkeep::replay::WithSearch;
    use crate::upkeep::select::Selector;
    use crate::{MaintainBudget, Memory};

    type Store = HashMap<BlockKey, Arc<[u8]>>;

    /// The number of events of each batch, which becomes a segment.
    const EVENTS: usize = 600;

    fn say(number: usize) -> NewEvent {
        // In the other events, each word has a longer form than in event 9.
        let text = match number {
            9 => "One pony of Zebulon runs.".to_owned(),
            _ => format!("Ponies {number} were running past pier {}.", number % 40),
        };
        let kind = match number % 3 {
            0 => EventKind::AgentResponse,
            _ => EventKind::UserPrompt,
        };
        let session = format!("session {}", number % 7);
        NewEvent::new(kind, &*session, text).project(format!("project {}", number % 2))
    }

    fn filled() -> (tempfile::TempDir, Memory) {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for batch in 0..3 {
            let numbers = batch * EVENTS..(batch + 1) * EVENTS;
            memory.append_batch(numbers.map(say).collect()).unwrap();
        }
        for number in 3 * EVENTS..3 * EVENTS + 20 {
            memory.append(say(number)).unwrap();
        }
        (folder, memory)
    }

    /// The segment numbers, and the facts of each event in the segments and the memtable. Asserts
    /// that every segment equals one built from its events' texts.
    fn indexed(memory: &Memory) -> (Vec<u64>, Vec<EventFacts>) {
        let read = memory.engine.store.read().unwrap();
        let rules = WithSearch(&memory.engine.lexical);
        let (mut segments, mut all) = (Vec::new(), Vec::new());
        for info in read.segments().unwrap() {
            let cache = BlockCache::new(CACHE_BYTES);
            let blocks = Blocks {
                source: &read,
                cache: &cache,
            };
            let reader = SegmentReader::open_any(&info, blocks).unwrap();
            let (mut entries, mut stored) = (Vec::new(), Store::new());
            reader
                .each_event(blocks, 0..info.events, |_, row| {
                    let words = body(&read, &rules, row.facts.seq).unwrap().unwrap();
                    entries.push(words.encode(&row.facts));
                    all.push(row.facts);
                })
                .unwrap();
            let mut put = |key, block: &[u8]| stored.put(key, block);
            reader.each_block(&read, &mut put).unwrap();
            let mut made = Store::new();
            let entries = entries.iter().map(|entry| &**entry);
            build_segment(info.id, reader.seqs(), entries, &mut made).unwrap();
            assert!(stored == made, "segment {info:?} is another");
            segments.push(info.id);
        }
        read.forward_entries(0, |entry| {
            all.push(forward::facts(&entry)?);
            Ok(())
        })
        .unwrap();
        (segments, all)
    }

    /// Asserts that a rebuild produces the same index.
    fn assert_as_rebuilt(memory: &Memory) {
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let (_, facts) = indexed(memory);
        let rebuilt = memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        assert_eq!(indexed(memory).1, facts);
    }

    fn surfaces_of_the_first_segment(memory: &Memory) -> Vec<String> {
        let read = memory.engine.store.read().unwrap();
        let cache = BlockCache::new(CACHE_BYTES);
        let blocks = Blocks {
            source: &read,
            cache: &cache,
        };
        let info = read.segments().unwrap()[0];
        let reader = SegmentReader::open_any(&info, blocks).unwrap();
        let mut surfaces = Vec::new();
        let mut terms = reader.terms(blocks);
        while let Some(term) = terms.advance().unwrap() {
            surfaces.push(String::from_utf8(term.surface.clone()).unwrap());
        }
        surfaces
    }

    #[test]
    fn segments_without_erased_events_are_copied_as_they_are() {
        let (_folder, memory) = filled();
        let (before, _) = indexed(&memory);
        assert!(before.len() >= 3, "{before:?}");
        // The last event of its session in its batch, so no numbers change.
        let last = Seq(3 * EVENTS as u64);
        memory.erase(&Selector::new().id(last)).unwrap();
        let (after, _) = indexed(&memory);
        assert_eq!(after[..2], before[..2]);
        assert_ne!(after[2], before[2]);
        assert_as_rebuilt(&memory);
    }

    #[test]
    fn numbers_that_an_erasure_changes_are_changed_in_every_segment() {
        let (_folder, memory) = filled();
        let (before, facts) = indexed(&memory);
        // The first session: all other sessions and their projects get new numbers.
        let gone = Selector::new().session("session 0");
        assert!(memory.erase(&gone).unwrap().count > 200);
        let (after, now) = indexed(&memory);
        assert!(after.iter().all(|id| !before.contains(id)), "{after:?}");
        let of = |facts: &[EventFacts], seq: u64| {
            let found = facts.iter().find(|facts| facts.seq == seq).unwrap();
            (found.session, found.project)
        };
        assert_ne!(of(&now, 3), of(&facts, 3));
        assert_as_rebuilt(&memory);
    }

    #[test]
    fn turns_that_an_erasure_moves_are_moved_where_nothing_was_erased() {
        let (_folder, memory) = filled();
        let (before, _) = indexed(&memory);
        memory.erase(&Selector::new().id(Seq(30))).unwrap();
        let (after, _) = indexed(&memory);
        assert!(after.iter().all(|id| !before.contains(id)), "{after:?}");
        assert_as_rebuilt(&memory);
    }

    #[test]
    fn forms_of_words_go_with_the_only_event_that_held_them() {
        for was_forgotten in [false, true] {
            let (_folder, memory) = filled();
            let event = Selector::new().id(Seq(10));
            if was_forgotten {
                memory.forget(&event).unwrap();
                memory.maintain(MaintainBudget::default()).unwrap();
            }
            memory.erase(&event).unwrap();
            let surfaces = surfaces_of_the_first_segment(&memory);
            let holds = |word: &str| surfaces.iter().any(|surface| surface == word);
            assert!(holds("ponies") && holds("running"), "{surfaces:?}");
            assert!(!holds("pony") && !holds("runs") && !holds("zebulon"));
            assert_as_rebuilt(&memory);
        }
    }

    #[test]
    fn a_dedupe_key_goes_back_to_the_event_that_had_it_before() {
        let (_folder, memory) = filled();
        let again = || memory.append(say(30)).unwrap();
        memory.forget(&Selector::new().id(Seq(31))).unwrap();
        let second = again();
        assert!(!second.duplicate);
        memory.erase(&Selector::new().id(second.seq)).unwrap();
        assert_as_rebuilt(&memory);
        let third = again();
        memory.erase(&Selector::new().id(Seq(31))).unwrap();
        assert_as_rebuilt(&memory);
        assert_eq!(again().seq, third.seq);
    }

    #[test]
    fn damaged_segments_are_made_again_from_the_texts() {
        let (_folder, memory) = filled();
        let segment = memory.engine.store.read().unwrap().segments().unwrap()[1];
        memory.engine.lexical.release_all();
        let name = segment.file_name().unwrap();
        let path = memory.engine.store.folder().index().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[4_096 + 100] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        memory.erase(&Selector::new().id(Seq(30))).unwrap();
        assert_as_rebuilt(&memory);
    }
}
