//! Inverts a large batch into postings while analysing it, with the same result as encoding,
//! decoding and inverting forward entries but without their cost. Each thread of a batch makes a
//! partial index; together they become one segment.

use std::ops::{Range, RangeInclusive};

use crate::index::lexical::analyser::{Analyser, MAX_FREQUENCY, is_better_surface};
use crate::index::lexical::block::BlockSink;
use crate::index::lexical::forward::{self, EventFacts, PassageSink, TextPart};
use crate::index::lexical::id_table::IdTable;
use crate::index::lexical::inverted::{Embeddings, EventRow, NO_PLACE, PassageRow};
use crate::index::lexical::pool::{Pool, Span};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::{
    PostingsBuffer, SegmentWriter, WordVector, first_bytes,
};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::model::error::{Error, ErrorCode, Result};

const NONE: u32 = u32::MAX;
/// Positions have 27-bit addresses.
const POSITIONS_LIMIT: usize = 1 << 27;

/// The surface that represents a stem, copied from the analyser.
#[derive(Clone, Copy)]
struct Copied {
    text: Span,
    pieces: Span,
    norm: u16,
    cell: u16,
}

struct BatchTerm {
    stem: Span,
    hash: u32,
    surface: Option<Copied>,
    df: u32,
}

/// What changes with every occurrence of a stem, indexed by the analyser's number for it.
#[derive(Clone, Copy)]
struct Recent {
    term: u32,
    /// Passages with the stem since the last [`BatchInverter::settle`].
    df: u32,
    /// The best surface since then.
    word: u32,
}

const UNKNOWN: Recent = Recent {
    term: NONE,
    df: 0,
    word: 0,
};

/// An element of a postings list: a passage and the term's positions in it. A single position is
/// stored in place of its address.
#[derive(Clone, Copy, Default)]
struct BatchPosting {
    passage: u32,
    positions: u32,
}

/// Inverts events in log order, with a single analyser.
pub(crate) struct BatchInverter {
    /// The first passage of each event, and its flags.
    events: Vec<(u32, u8)>,
    passages: Vec<PassageRow>,
    embeddings: Embeddings,
    terms: Vec<BatchTerm>,
    ids: IdTable,
    recent: Vec<Recent>,
    text: Pool<u8>,
    pieces: Pool<u16>,
    /// Postings in passage order, with their terms.
    postings: Vec<(u32, BatchPosting)>,
    positions: Vec<u8>,
}

impl Default for BatchInverter {
    fn default() -> Self {
        BatchInverter::new()
    }
}

impl BatchInverter {
    pub(crate) fn new() -> Self {
        BatchInverter {
            events: Vec::new(),
            passages: Vec::new(),
            embeddings: Vec::new(),
            terms: Vec::new(),
            ids: IdTable::new(),
            recent: Vec::new(),
            text: Pool::default(),
            pieces: Pool::default(),
            postings: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Analyses the next event. All calls, and [`BatchInverter::finish`], must use the same
    /// analyser.
    pub(crate) fn add(&mut self, analyser: &mut Analyser, parts: &[TextPart<'_>]) {
        let event = self.events.len();
        self.events.push((self.passages.len() as u32, 0));
        self.events[event].1 = forward::each_passage(analyser, parts, self);
    }

    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// Finds or adds the term for the analyser's stem.
    #[cold]
    fn intern(&mut self, analyser: &Analyser, stem: u32, word: u32) {
        let (text, hash) = analyser.stem(stem);
        let found = self.ids.find(hash, |id| {
            let term = &self.terms[id as usize];
            term.hash == hash && self.text.get(term.stem) == text
        });
        let term = found.unwrap_or_else(|| {
            let id = self.terms.len() as u32;
            let stem = self.text.keep(text);
            self.terms.push(BatchTerm {
                stem,
                hash,
                surface: None,
                df: 0,
            });
            self.ids.insert(hash, id);
            id
        });
        if self.recent.len() <= stem as usize {
            self.recent.resize(stem as usize + 1024, UNKNOWN);
        }
        self.recent[stem as usize] = Recent { term, df: 0, word };
    }

    /// Copies what is known only by the analyser's numbers, before they become invalid.
    fn settle(&mut self, analyser: &mut Analyser) {
        for recent in std::mem::take(&mut self.recent) {
            if recent.term == NONE {
                continue;
            }
            let word = recent.word;
            let term = &mut self.terms[recent.term as usize];
            term.df += recent.df;
            let surface = analyser.surface(word);
            if let Some(known) = term.surface
                && !is_better_surface(surface, self.text.get(known.text))
            {
                continue;
            }
            let text = self.text.keep(surface);
            let pieces = self.pieces.keep(analyser.pieces(word));
            self.terms[recent.term as usize].surface = Some(Copied {
                text,
                pieces,
                norm: analyser.norm(word),
                cell: analyser.cell(word),
            });
        }
    }

    /// Sorts everything by stem.
    ///
    /// # Errors
    /// `invalid_argument` if there is more text than one segment can hold.
    pub(crate) fn finish(mut self, analyser: &mut Analyser) -> Result<PartialIndex> {
        if self.positions.len() >= POSITIONS_LIMIT {
            return Err(Error::invalid(
                "events",
                "hold more text than one batch can; append them in several",
            ));
        }
        self.settle(analyser);
        // The first bytes, as two numbers, decide most comparisons.
        let mut order: Vec<([u64; 2], u32)> = self
            .terms
            .iter()
            .zip(0..)
            .map(|(term, t)| {
                let stem = self.text.get(term.stem);
                let next = stem.get(8..).map_or(0, first_bytes);
                ([first_bytes(stem), next], t)
            })
            .collect();
        let stem = |t: u32| self.text.get(self.terms[t as usize].stem);
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| stem(a.1).cmp(stem(b.1))));
        let mut terms = Vec::with_capacity(order.len());
        // The index for the next posting of each term.
        let mut next = vec![0u32; order.len()];
        let mut first = 0;
        for ([key, _], t) in order {
            let term = &self.terms[t as usize];
            let Some(surface) = term.surface else {
                return Err(internal("an inverted word was not settled"));
            };
            next[t as usize] = first;
            terms.push(PartialTerm {
                key,
                stem: term.stem,
                surface,
                first,
                df: term.df,
            });
            first += term.df;
        }
        let mut postings = vec![BatchPosting::default(); self.postings.len()];
        for (term, posting) in &self.postings {
            let place = &mut next[*term as usize];
            postings[*place as usize] = *posting;
            *place += 1;
        }
        Ok(PartialIndex {
            events: self.events,
            passages: self.passages,
            embeddings: self.embeddings,
            terms,
            text: self.text,
            pieces: self.pieces,
            postings,
            positions: self.positions,
        })
    }
}

fn internal(problem: &str) -> Error {
    Error::new(ErrorCode::Internal, problem)
}

impl PassageSink for BatchInverter {
    fn before(&mut self, analyser: &mut Analyser) {
        if analyser.is_full() {
            self.settle(analyser);
        }
    }

    fn passage(&mut self, analyser: &Analyser, span: Range<usize>, embedding: StaticEmbedding) {
        let passage = self.passages.len() as u32;
        self.passages.push(PassageRow {
            event: self.events.len() as u32 - 1,
            start: span.start as u32,
            length: span.len() as u32,
            words: analyser.length().min(u32::from(u16::MAX)) as u16,
            place: NO_PLACE,
        });
        self.embeddings.push(embedding);
        for (stem, word, positions) in analyser.numbered() {
            let term = match self.recent.get_mut(stem as usize) {
                Some(recent) if recent.term != NONE => {
                    if recent.word != word
                        && is_better_surface(analyser.surface(word), analyser.surface(recent.word))
                    {
                        recent.word = word;
                    }
                    recent.df += 1;
                    recent.term
                }
                _ => {
                    self.intern(analyser, stem, word);
                    let recent = &mut self.recent[stem as usize];
                    recent.df = 1;
                    recent.term
                }
            };
            let positions = match positions {
                [one] => u32::from(*one) << 4 | 1,
                many => {
                    let start = self.positions.len().min(POSITIONS_LIMIT) as u32;
                    self.positions.extend_from_slice(many);
                    start << 4 | many.len() as u32
                }
            };
            self.postings
                .push((term, BatchPosting { passage, positions }));
        }
    }
}

struct PartialTerm {
    /// The first bytes of the stem.
    key: u64,
    stem: Span,
    surface: Copied,
    first: u32,
    df: u32,
}

/// The part of a batch that one thread inverted, sorted by stem.
pub(crate) struct PartialIndex {
    events: Vec<(u32, u8)>,
    passages: Vec<PassageRow>,
    embeddings: Embeddings,
    terms: Vec<PartialTerm>,
    text: Pool<u8>,
    pieces: Pool<u16>,
    postings: Vec<BatchPosting>,
    positions: Vec<u8>,
}

impl PartialIndex {
    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    fn stem(&self, at: usize) -> Option<(u64, &[u8])> {
        let term = self.terms.get(at)?;
        Some((term.key, self.text.get(term.stem)))
    }

    fn pieces(&self, term: &PartialTerm) -> &[u16] {
        self.pieces.get(term.surface.pieces)
    }

    fn put_postings(&self, term: &PartialTerm, base: u32, out: &mut PostingsBuffer) {
        for posting in &self.postings[term.first as usize..][..term.df as usize] {
            let (value, count) = (posting.positions >> 4, posting.positions as usize & 15);
            let passage = base + posting.passage;
            if count == 1 {
                out.push(passage, &[value as u8]);
            } else {
                out.push(passage, &self.positions[value as usize..][..count]);
            }
        }
    }
}

/// The rows of partial indexes, one behind the other.
struct JoinedRows {
    events: Vec<EventRow>,
    passages: Vec<PassageRow>,
    /// The first passage of each partial index.
    bases: Vec<u32>,
}

impl JoinedRows {
    fn of(partials: &[PartialIndex], facts: &[EventFacts]) -> Result<JoinedRows> {
        let mut events = Vec::with_capacity(facts.len());
        let mut passages: Vec<PassageRow> = Vec::new();
        let mut bases = Vec::with_capacity(partials.len());
        let mut left = facts.iter();
        for partial in partials {
            let (event, base) = (events.len() as u32, passages.len() as u32);
            bases.push(base);
            for ((first, flags), facts) in partial.events.iter().zip(left.by_ref()) {
                events.push(EventRow {
                    facts: EventFacts {
                        flags: facts.flags | flags,
                        ..*facts
                    },
                    first_passage: base + first,
                });
            }
            passages.extend(partial.passages.iter().map(|row| PassageRow {
                event: event + row.event,
                ..*row
            }));
        }
        let inverted: usize = partials.iter().map(PartialIndex::len).sum();
        if left.next().is_some() || events.len() != inverted {
            return Err(internal(
                "the events of a batch are not those that were inverted",
            ));
        }
        Ok(JoinedRows {
            events,
            passages,
            bases,
        })
    }
}

// The count of positions is packed into the same number as their address.
const _: () = assert!(MAX_FREQUENCY < 16);

/// Writes partial indexes, consecutive in the log, as one segment. `facts` are those of all their
/// events.
///
/// # Errors
/// `internal` if the numbers of facts and events differ; as
/// [`build_segment`](crate::index::lexical::segment_writer::build_segment).
pub(crate) fn write_partials(
    id: u64,
    seqs: RangeInclusive<u64>,
    partials: &[PartialIndex],
    facts: &[EventFacts],
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let JoinedRows {
        events,
        passages,
        bases,
    } = JoinedRows::of(partials, facts)?;
    let embeddings = partials.iter().flat_map(|partial| &partial.embeddings);
    let embeddings = embeddings.map(|embedding| Ok(*embedding));
    let mut writer = SegmentWriter::begin(id, seqs, &events, &passages, embeddings, sink)?;
    drop((events, passages));
    let mut postings = PostingsBuffer::default();
    let mut at = vec![0usize; partials.len()];
    loop {
        let heads = partials
            .iter()
            .zip(&at)
            .map(|(partial, at)| partial.stem(*at));
        let Some(least) = heads.flatten().min() else {
            break;
        };
        postings.clear();
        let mut best: Option<(&PartialIndex, &PartialTerm)> = None;
        for ((partial, at), base) in partials.iter().zip(&mut at).zip(&bases) {
            if partial.stem(*at) != Some(least) {
                continue;
            }
            let term = &partial.terms[*at];
            *at += 1;
            partial.put_postings(term, *base, &mut postings);
            if best.is_none_or(|(other, known)| {
                let (new, old) = (
                    partial.text.get(term.surface.text),
                    other.text.get(known.surface.text),
                );
                is_better_surface(new, old)
            }) {
                best = Some((partial, term));
            }
        }
        if let Some((partial, term)) = best {
            let word = WordVector {
                pieces: partial.pieces(term),
                norm: Some(term.surface.norm),
                cell: Some(term.surface.cell),
            };
            let surface = partial.text.get(term.surface.text);
            writer.term(least.1, surface, word, &postings)?;
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::*;
    use crate::index::lexical::block::BlockKey;
    use crate::index::lexical::segment_writer::build_segment;

    fn texts() -> Vec<String> {
        let words = [
            "cache",
            "caches",
            "caching",
            "deploy",
            "DEPLOYED",
            "서울에서",
            "결제",
            "キャッシュ",
            "缓存",
            "camelCase",
            "snake_case_name",
            "the",
            "yesterday",
            "2024",
            "e\u{301}te\u{301}",
            "🎉",
            "زمان",
            "unbelievably",
            "run",
            "running",
        ];
        (0..300usize)
            .map(|n| {
                let mut text = String::new();
                for k in 0..(n * 7) % 400 {
                    text.push_str(words[(n * 31 + k * k + k) % words.len()]);
                    text.push(if k % 11 == 10 { '.' } else { ' ' });
                    if k % 17 == 3 {
                        text.push_str(&format!("w{}", (n * k) % 997));
                        text.push(' ');
                    }
                }
                if n % 5 == 0 {
                    text.push('?');
                }
                text
            })
            .collect()
    }

    fn facts(n: usize) -> EventFacts {
        EventFacts {
            seq: 10 + n as u64,
            session: n as u32 / 9,
            turn: n as u32 % 9,
            kind: 1 + (n % 2) as u16,
            timestamp: 1_700_000_000_000 + n as i64,
            ..EventFacts::default()
        }
    }

    #[test]
    fn partial_indexes_give_the_segment_that_forward_entries_give() {
        let texts = texts();
        let all: Vec<EventFacts> = (0..texts.len()).map(facts).collect();
        let parts: Vec<(String, String, usize)> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| (format!("May 2024 user{}", n % 4), text.clone(), n % 3))
            .collect();
        let as_parts =
            |(header, text, offset): &(String, String, usize)| -> [TextPart<'static>; 1] {
                // Leaked, so that the texts outlive the loop.
                [TextPart {
                    header: String::leak(header.clone()),
                    embeds_header: offset % 2 == 0,
                    text: String::leak(text.clone()),
                    offset: *offset,
                }]
            };
        let mut analyser = Analyser::new();
        let entries: Vec<Vec<u8>> = parts
            .iter()
            .zip(&all)
            .map(|(part, facts)| forward::encode(&mut analyser, facts, &as_parts(part)))
            .collect();
        let mut expected: HashMap<BlockKey, Arc<[u8]>> = HashMap::new();
        let entries = entries.iter().map(|entry| &**entry);
        let info = build_segment(3, 5..=400, entries, &mut expected).unwrap();
        for cuts in [vec![0, 300], vec![0, 1, 299, 300], vec![0, 100, 100, 300]] {
            let partials: Vec<PartialIndex> = cuts
                .windows(2)
                .map(|cut| {
                    let mut analyser = Analyser::new();
                    let mut inverter = BatchInverter::new();
                    for (n, part) in parts[cut[0]..cut[1]].iter().enumerate() {
                        if n == 50 {
                            // As if the analyser were about to clear its cache.
                            inverter.settle(&mut analyser);
                            analyser = Analyser::new();
                        }
                        inverter.add(&mut analyser, &as_parts(part));
                    }
                    inverter.finish(&mut analyser).unwrap()
                })
                .collect();
            let mut made: HashMap<BlockKey, Arc<[u8]>> = HashMap::new();
            let found = write_partials(3, 5..=400, &partials, &all, &mut made).unwrap();
            assert_eq!(found, info);
            assert!(made == expected, "{cuts:?}");
        }
    }

    #[test]
    fn shares_of_other_events_are_refused() {
        let mut analyser = Analyser::new();
        let mut inverter = BatchInverter::new();
        let part = TextPart {
            header: "",
            embeds_header: false,
            text: "one two",
            offset: 0,
        };
        inverter.add(&mut analyser, &[part]);
        let partial = inverter.finish(&mut analyser).unwrap();
        let mut sink: HashMap<BlockKey, Arc<[u8]>> = HashMap::new();
        for count in [0, 2] {
            let facts: Vec<EventFacts> = (0..count).map(facts).collect();
            assert!(write_partials(1, 1..=99, &[copy_of(&partial)], &facts, &mut sink).is_err());
        }
    }

    fn copy_of(partial: &PartialIndex) -> PartialIndex {
        PartialIndex {
            events: partial.events.clone(),
            passages: partial.passages.clone(),
            embeddings: partial.embeddings.clone(),
            terms: Vec::new(),
            text: Pool::default(),
            pieces: Pool::default(),
            postings: Vec::new(),
            positions: Vec::new(),
        }
    }
}
