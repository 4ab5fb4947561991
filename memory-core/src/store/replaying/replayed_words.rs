//! The words of a replayed log, inverted as they are analysed, into segments of many events each.
//! No forward entries are written, and few segments have to be merged.

use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::{BatchInverter, write_partials};
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::memtable::{FLUSH_BYTES, FLUSH_EVENTS};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::store::WriteTx;
use crate::store::database::panics::missing_record;
use crate::store::log::record::{Record, RecordView};
use crate::store::replaying::replay_input::{Log, Replay};
use crate::store::tables;

/// How much text goes into a segment: inverting it takes about 15 MB of memory.
#[cfg(not(test))]
const SEGMENT_BYTES: usize = 2 << 20;
#[cfg(test)]
const SEGMENT_BYTES: usize = 64 << 10;

/// How many events go into a segment.
const SEGMENT_EVENTS: usize = 16_384;

/// How many bytes of words the analyser caches; this takes about 4 MB.
const CACHE_BYTES: usize = 1 << 19;

/// The words of the events since the last segment.
pub(in crate::store) struct ReplayedWords {
    /// Not shared: the inverter refers to words by this analyser's numbers.
    analyser: Analyser,
    inverter: BatchInverter,
    /// The facts of each event in the inverter.
    facts: Vec<EventFacts>,
    bytes: usize,
}

impl Default for ReplayedWords {
    fn default() -> Self {
        ReplayedWords {
            analyser: Analyser::with_cache(CACHE_BYTES),
            inverter: BatchInverter::default(),
            facts: Vec::new(),
            bytes: 0,
        }
    }
}

impl ReplayedWords {
    /// Inverts the words of the next event; false if the event is not indexed. Its facts follow
    /// with [`ReplayedWords::put_facts`].
    pub(in crate::store) fn invert(
        &mut self,
        rules: &dyn Replay,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> bool {
        self.bytes += record.content.len();
        rules.invert(&mut self.inverter, &mut self.analyser, kind, record, secret)
    }

    pub(in crate::store) fn put_facts(&mut self, facts: Option<EventFacts>) {
        self.facts.extend(facts);
    }

    /// Whether [`ReplayedWords::put_segment`] is due.
    pub(in crate::store) fn is_full(&self) -> bool {
        self.bytes >= SEGMENT_BYTES || self.facts.len() >= SEGMENT_EVENTS
    }

    /// Writes the words as a segment after all others. False if there are none.
    pub(in crate::store) fn put_segment(&mut self, tx: &mut WriteTx<'_>) -> Result<bool> {
        self.bytes = 0;
        let facts = std::mem::take(&mut self.facts);
        let inverter = std::mem::take(&mut self.inverter);
        let Some((first, last)) = facts.first().zip(facts.last()) else {
            return Ok(false);
        };
        if inverter.len() != facts.len() {
            return Err(Error::new(
                ErrorCode::Internal,
                "a replay inverted different events than it has facts for",
            ));
        }
        let partial = inverter.finish(&mut self.analyser)?;
        let id = tx.state.next_segment + 1;
        let seqs = first.seq..=last.seq;
        let partials = [partial];
        let info = tx.write_segment((id, facts.len() as u64), &mut |sink| {
            write_partials(id, seqs.clone(), &partials, &facts, sink)
        })?;
        tx.put_segment(&info)?;
        tx.state.next_segment = id;
        tx.state.flushed_seq = info.seq_to;
        Ok(true)
    }

    /// Writes the last words where an append would have left them: in the memtable if they are too
    /// few for a segment. True if a segment was written.
    pub(in crate::store) fn put_last(
        &mut self,
        tx: &mut WriteTx<'_>,
        log: &Log<'_>,
        rules: &dyn Replay,
    ) -> Result<bool> {
        if self.facts.len() as u64 >= FLUSH_EVENTS {
            return self.put_segment(tx);
        }
        let mut entries = Vec::with_capacity(self.facts.len());
        let events = tx.transaction.open_table(tables::EVENTS)?;
        for facts in &self.facts {
            let seq = facts.seq;
            let bytes = log.record(&events, seq)?;
            let bytes = bytes.ok_or_else(|| missing_record(seq))?;
            let view = RecordView::new(seq, &bytes)?;
            if let Some(body) = rules.forward(view.kind(), &view.archive()?, &tx.meta.secret) {
                entries.push((seq, body.encode(facts)));
            }
        }
        drop(events);
        let bytes: usize = entries.iter().map(|(_, entry)| entry.len()).sum();
        if bytes as u64 >= FLUSH_BYTES {
            return self.put_segment(tx);
        }
        let mut memtable = tx.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
        for (seq, entry) in entries {
            memtable.insert(seq, entry.as_slice())?;
            tx.state.memtable_events += 1;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::event::NewEvent;
    use crate::model::ids::Seq;
    use crate::model::time::Timestamp;
    use crate::store::replaying::replayed_words::*;
    use crate::upkeep::select::Selector;
    use crate::{Memory, Query};

    /// Enough text for two segments, and a rest that is too short for one.
    const EVENTS: usize = 300;

    fn found(memory: &Memory) -> Vec<Vec<u64>> {
        ["harbour 7", "which lamp stands at pier 150?", "keeper 299"]
            .map(|words| {
                let hits = memory.search(Query::new(words).limit(20)).unwrap();
                hits.items.iter().map(|hit| hit.seq.0).collect()
            })
            .to_vec()
    }

    #[test]
    fn words_of_a_replay_lie_in_segments_and_the_last_ones_in_the_memtable() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for number in 0..EVENTS {
            let text = format!("Lamp {number} of keeper {number} stands at pier {number}. ");
            let event = NewEvent::new(
                EventKind::UserPrompt,
                "harbour",
                text + &"Tides and ropes. ".repeat(28),
            );
            memory.append(event).unwrap();
        }
        memory.forget(&Selector::new().id(Seq(7))).unwrap();
        let before = found(&memory);
        memory.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(found(&memory), before);
        let read = memory.engine.store.read().unwrap();
        let segments = read.segments().unwrap();
        assert_eq!(segments.len(), 2, "{segments:?}");
        let indexed: u64 = segments.iter().map(|info| u64::from(info.events)).sum();
        let rest = read.state().unwrap().memtable_events;
        assert_eq!(indexed + rest, EVENTS as u64 - 1);
        assert!(0 < rest && rest < FLUSH_EVENTS, "{rest}");
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
    }
}
