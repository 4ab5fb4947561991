//! Writes a segment: rows and postings are streamed out as blocks; only the term dictionary and the
//! cells are held in memory.
//!
//! The body is one byte stream, cut into blocks of [`PAYLOAD_BYTES`]: event rows · turns · passage
//! rows · a length byte per passage · a bit per passage that begins an event · a kind byte per
//! passage · zones · postings in term order · dictionary pages · dictionary index · cells.
//!
//! Turns repeat the rows of the events that are turns of a conversation, ordered by session, so
//! that a search reads a hit and its surrounding turns from one place.
//!
//! The postings of a term are its documents, then its positions. The documents of a long list are
//! preceded by its skip table: a row of [`SKIP_BYTES`] for every [`SKIP_EVERY`] postings that more
//! follow.

use std::ops::RangeInclusive;

use crate::embed::static_table::{self, CELLS};
use crate::index::bytes::shared_prefix;
use crate::index::bytes::{put_varint, term_hash};
use crate::index::lexical::analyser;
use crate::index::lexical::block::{BlockKey, BlockSink, PAYLOAD_BYTES, Section, seal};
use crate::index::lexical::forward::NO_TURN;
use crate::index::lexical::inverted::{EventRow, Inverted, NO_PLACE, PassageRow};
use crate::index::lexical::layout::{
    CELL_ROW_BYTES, EVENT_BYTES, INLINE, NO_CELL, PASSAGE_BYTES, PASSAGE_FACTS_BYTES, SKIP_EVERY,
    TURN_BYTES, ZONE_BYTES, ZONE_EVENTS,
};
use crate::index::lexical::segment::{Blocks, Layout, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::semantic::StaticEmbedding;
use crate::model::error::{Error, Result};

/// Dictionary entries are prefix-compressed within a page only.
const PAGE_BYTES: usize = 1024;

/// Inverts forward entries, in ascending order of seq, into a new segment that covers `seqs` (which
/// may include events that are not indexed).
///
/// # Errors
/// `corrupt` for a damaged entry; `invalid_argument` if entries are out of order or outside of
/// `seqs`; what the sink returns.
pub fn build_segment<'a>(
    id: u64,
    seqs: RangeInclusive<u64>,
    entries: impl IntoIterator<Item = &'a [u8]>,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let mut inverted = Inverted::new();
    for entry in entries {
        inverted.add(entry)?;
    }
    write_inverted(id, seqs, &inverted, sink)
}

pub(crate) fn write_inverted(
    id: u64,
    seqs: RangeInclusive<u64>,
    inverted: &Inverted,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let (events, passages) = (&inverted.events, &inverted.passages);
    let embeddings = inverted.embeddings.iter().map(|embedding| Ok(*embedding));
    let mut writer = SegmentWriter::begin(id, seqs, events, passages, embeddings, sink)?;
    // The first bytes, as a number, decide most comparisons.
    let mut order: Vec<(u64, u32)> = inverted
        .terms
        .iter()
        .zip(0..)
        .map(|(term, t)| (first_bytes(inverted.stem(term)), t))
        .collect();
    let stem = |t: u32| inverted.stem(&inverted.terms[t as usize]);
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| stem(a.1).cmp(stem(b.1))));
    let mut postings = PostingsBuffer::default();
    for (_, t) in order {
        let term = &inverted.terms[t as usize];
        let pieces = inverted.pieces(term);
        postings.clear();
        for (passage, positions) in inverted.postings(t) {
            postings.push(passage, positions);
        }
        let word = WordVector {
            pieces,
            norm: Some(term.norm),
            cell: None,
        };
        writer.term(inverted.stem(term), inverted.surface(term), word, &postings)?;
    }
    writer.finish()
}

/// The first 8 bytes as a number with the same order, padded with 0.
pub(crate) fn first_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}

/// Collects the postings of one term.
#[derive(Default)]
pub(crate) struct PostingsBuffer {
    skips: Vec<u8>,
    documents: Vec<u8>,
    positions: Vec<u8>,
    last: u32,
    count: u32,
}

impl PostingsBuffer {
    pub(crate) fn clear(&mut self) {
        self.skips.clear();
        self.documents.clear();
        self.positions.clear();
        (self.last, self.count) = (0, 0);
    }

    /// Adds a passage; passages must ascend.
    #[inline]
    pub(crate) fn push(&mut self, passage: u32, positions: &[u8]) {
        if self.count > 0 && self.count.is_multiple_of(SKIP_EVERY) {
            let (documents, before) = (self.documents.len(), self.positions.len());
            for value in [self.last, documents as u32, before as u32] {
                self.skips.extend(value.to_le_bytes());
            }
        }
        let many = positions.len() > 1;
        put_varint(
            &mut self.documents,
            ((passage - self.last) as u64) << 1 | many as u64,
        );
        if many {
            self.documents.push(positions.len() as u8);
        }
        self.positions.extend_from_slice(positions);
        self.last = passage;
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The data from which a term's cell and vector are determined.
pub(crate) struct WordVector<'a> {
    pub(crate) pieces: &'a [u16],
    /// The length of the pieces' mean, if known.
    pub(crate) norm: Option<u16>,
    /// The cell, if known.
    pub(crate) cell: Option<u16>,
}

#[derive(Default)]
struct CellBuffer {
    singles: Vec<u8>,
    single_rows: Vec<u8>,
    multis: Vec<u8>,
    multi_rows: Vec<u8>,
}

/// An entry of the dictionary: a term, and where its postings are.
struct DictionaryEntry<'a> {
    stem: &'a [u8],
    /// The word as it is shown.
    surface: &'a [u8],
    /// The cell of its word vector, or [`NO_CELL`].
    cell: u16,
    /// How many passages contain it.
    df: u32,
    /// If set, the only passage is `offset` itself, at position `extent`.
    inline: bool,
    offset: u64,
    extent: u64,
}

pub(crate) struct SegmentWriter<'s> {
    id: u64,
    sink: &'s mut dyn BlockSink,
    layout: Layout,
    buffer: Vec<u8>,
    blocks: u32,
    pages: Vec<u8>,
    page_start: usize,
    page_index: Vec<u8>,
    page_count: u32,
    last_stem: Vec<u8>,
    cells: Vec<CellBuffer>,
}

impl<'s> SegmentWriter<'s> {
    /// Starts a segment and writes all its rows.
    pub(crate) fn begin(
        id: u64,
        seqs: RangeInclusive<u64>,
        events: &[EventRow],
        passages: &[PassageRow],
        embeddings: impl Iterator<Item = Result<StaticEmbedding>>,
        sink: &'s mut dyn BlockSink,
    ) -> Result<Self> {
        let (from, to) = (*seqs.start(), *seqs.end());
        let in_order = events.windows(2).all(|w| w[0].facts.seq < w[1].facts.seq);
        let inside = events.iter().all(|e| seqs.contains(&e.facts.seq));
        if !in_order || !inside || to < from || to - from >= u32::MAX as u64 {
            return Err(Error::invalid(
                "entries",
                "must ascend by seq inside the segment's range",
            ));
        }
        if passages.len() >= INLINE as usize {
            return Err(Error::invalid(
                "entries",
                "a segment holds at most 2^31 passages",
            ));
        }
        let mut writer = SegmentWriter {
            id,
            sink,
            layout: Layout {
                analyser: analyser::VERSION,
                seq_from: from,
                seq_to: to,
                events: events.len() as u32,
                passages: passages.len() as u32,
                ..Layout::default()
            },
            buffer: Vec::with_capacity(PAYLOAD_BYTES * 2),
            blocks: 0,
            pages: Vec::new(),
            page_start: 0,
            page_index: Vec::new(),
            page_count: 0,
            last_stem: Vec::new(),
            cells: (0..CELLS).map(|_| CellBuffer::default()).collect(),
        };
        writer.rows(events, passages, embeddings)?;
        Ok(writer)
    }

    fn offset(&self) -> u64 {
        self.blocks as u64 * PAYLOAD_BYTES as u64 + self.buffer.len() as u64
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= PAYLOAD_BYTES {
            let mut start = 0;
            while self.buffer.len() - start >= PAYLOAD_BYTES {
                let key = BlockKey::new(self.id, Section::Body, self.blocks);
                self.sink
                    .put(key, &seal(key, &self.buffer[start..start + PAYLOAD_BYTES]))?;
                self.blocks += 1;
                start += PAYLOAD_BYTES;
            }
            self.buffer.drain(..start);
        }
        Ok(())
    }

    /// The part of the row that turns and other events share.
    fn event_row(&self, event: &EventRow) -> [u8; EVENT_BYTES] {
        let f = &event.facts;
        let mut row = [0u8; EVENT_BYTES];
        let seq = (f.seq - self.layout.seq_from) as u32;
        for (slot, value) in row.as_chunks_mut::<4>().0.iter_mut().zip([
            seq,
            f.session,
            f.turn,
            f.project,
            event.first_passage,
            f.actor,
        ]) {
            *slot = value.to_le_bytes();
        }
        row[24..26].copy_from_slice(&f.kind.to_le_bytes());
        (row[26], row[27]) = (f.origin, f.flags);
        row[28..36].copy_from_slice(&f.timestamp.to_le_bytes());
        row
    }

    fn rows(
        &mut self,
        events: &[EventRow],
        passages: &[PassageRow],
        mut embeddings: impl Iterator<Item = Result<StaticEmbedding>>,
    ) -> Result<()> {
        for event in events {
            self.write(&self.event_row(event))?;
        }
        let mut turns: Vec<u32> = (0..events.len() as u32).collect();
        turns.retain(|&event| events[event as usize].facts.turn != NO_TURN);
        turns.sort_by_key(|&event| {
            let facts = &events[event as usize].facts;
            (facts.session, facts.turn)
        });
        let mut places = vec![NO_PLACE; events.len()];
        self.layout.turn_rows = self.offset();
        for (place, &event) in (0..).zip(&turns) {
            places[event as usize] = place;
            let next = events.get(event as usize + 1);
            let end = next.map_or(passages.len() as u32, |next| next.first_passage);
            let mut row = [0u8; TURN_BYTES];
            row[..EVENT_BYTES].copy_from_slice(&self.event_row(&events[event as usize]));
            row[36..40].copy_from_slice(&event.to_le_bytes());
            row[40..].copy_from_slice(&end.to_le_bytes());
            self.write(&row)?;
        }
        self.layout.passage_rows = self.offset();
        for passage in passages {
            let mut row = [0u8; PASSAGE_BYTES];
            row[..4].copy_from_slice(&passage.event.to_le_bytes());
            row[4..8].copy_from_slice(&passage.start.to_le_bytes());
            row[8..12].copy_from_slice(&passage.length.to_le_bytes());
            row[12..14].copy_from_slice(&passage.words.to_le_bytes());
            row[14..18].copy_from_slice(&places[passage.event as usize].to_le_bytes());
            let embedding = embeddings.next().transpose()?;
            let embedding = embedding.unwrap_or(StaticEmbedding::NONE);
            row[PASSAGE_FACTS_BYTES..].copy_from_slice(&embedding.encode());
            self.write(&row)?;
        }
        self.layout.lengths = self.offset();
        let lengths: Vec<u8> = passages.iter().map(|p| p.words.min(255) as u8).collect();
        self.write(&lengths)?;
        self.layout.starts = self.offset();
        self.write(&start_bits(passages))?;
        self.layout.kinds = self.offset();
        let kind = |p: &PassageRow| events[p.event as usize].facts.kind.min(63) as u8;
        let kinds: Vec<u8> = passages.iter().map(kind).collect();
        self.write(&kinds)?;
        self.layout.zones = self.offset();
        for zone in events.chunks(ZONE_EVENTS) {
            let row = zone_row(zone, self.layout.seq_from);
            self.write(&row)?;
        }
        self.layout.postings = self.offset();
        Ok(())
    }

    /// Adds a term; terms must be in ascending order of their stems.
    pub(crate) fn term(
        &mut self,
        stem: &[u8],
        surface: &[u8],
        word: WordVector<'_>,
        postings: &PostingsBuffer,
    ) -> Result<()> {
        if postings.is_empty() {
            return Ok(());
        }
        let pieces = word.pieces;
        let cell = word
            .cell
            .unwrap_or_else(|| static_table::cell(pieces).map_or(NO_CELL, u16::from));
        let inline = postings.count == 1 && postings.positions.len() == 1;
        let (offset, extent) = if inline {
            (postings.last as u64, postings.positions[0] as u64)
        } else {
            self.write(&postings.skips)?;
            let offset = self.offset() - self.layout.postings;
            self.write(&postings.documents)?;
            self.write(&postings.positions)?;
            (offset, postings.documents.len() as u64)
        };
        if offset > u32::MAX as u64 {
            return Err(Error::invalid(
                "segment",
                "postings exceed 4 GB; merge fewer segments",
            ));
        }
        self.add_to_dictionary(&DictionaryEntry {
            stem,
            surface,
            cell,
            df: postings.count,
            inline,
            offset,
            extent,
        });
        self.layout.terms += 1;
        if cell != NO_CELL && !pieces.is_empty() {
            let buffer = &mut self.cells[cell as usize];
            let rows = if let [piece] = pieces {
                buffer.singles.extend(piece.to_le_bytes());
                &mut buffer.single_rows
            } else {
                let norm = word
                    .norm
                    .unwrap_or_else(|| static_table::encoded_norm(pieces));
                buffer.multis.push(pieces.len() as u8);
                buffer.multis.extend(norm.to_le_bytes());
                buffer
                    .multis
                    .extend(pieces.iter().flat_map(|p| p.to_le_bytes()));
                &mut buffer.multi_rows
            };
            rows.extend(term_hash(stem).to_le_bytes());
            let flag = if inline { INLINE } else { 0 };
            rows.extend((postings.count | flag).to_le_bytes());
            rows.extend((offset as u32).to_le_bytes());
        }
        Ok(())
    }

    fn add_to_dictionary(&mut self, entry: &DictionaryEntry<'_>) {
        let DictionaryEntry { stem, surface, .. } = *entry;
        if self.page_count == 0 || self.pages.len() - self.page_start >= PAGE_BYTES {
            self.page_start = self.pages.len();
            self.page_count += 1;
            self.last_stem.clear();
            put_varint(&mut self.page_index, self.page_start as u64);
            put_varint(&mut self.page_index, stem.len() as u64);
            self.page_index.extend_from_slice(stem);
        }
        let out = &mut self.pages;
        let shared = shared_prefix(&self.last_stem, stem);
        out.push(shared as u8);
        out.push((stem.len() - shared) as u8);
        out.extend_from_slice(&stem[shared..]);
        let shared = shared_prefix(stem, surface);
        out.push(shared as u8);
        out.push((surface.len() - shared) as u8);
        out.extend_from_slice(&surface[shared..]);
        put_varint(out, entry.cell as u64);
        put_varint(out, (entry.df as u64) << 1 | entry.inline as u64);
        put_varint(out, entry.offset);
        put_varint(out, entry.extent);
        self.last_stem.clear();
        self.last_stem.extend_from_slice(stem);
    }

    /// Writes the remaining sections and the header.
    pub(crate) fn finish(mut self) -> Result<SegmentInfo> {
        self.layout.pages = self.offset();
        let pages = std::mem::take(&mut self.pages);
        self.write(&pages)?;
        self.layout.page_index = self.offset();
        let mut index = Vec::new();
        put_varint(&mut index, self.page_count as u64);
        index.append(&mut self.page_index);
        self.write(&index)?;
        self.layout.cells = self.offset();
        for (cell, buffer) in std::mem::take(&mut self.cells).into_iter().enumerate() {
            self.layout.cell_sizes[cell] = [
                buffer.singles.len() as u32 / 2,
                (buffer.multi_rows.len() / CELL_ROW_BYTES) as u32,
                buffer.multis.len() as u32,
            ];
            for part in [
                buffer.singles,
                buffer.multis,
                buffer.single_rows,
                buffer.multi_rows,
            ] {
                self.write(&part)?;
            }
        }
        self.finish_body()
    }

    /// Copies the postings, dictionary and cells of another segment, which has the same passages,
    /// and writes the header.
    ///
    /// # Errors
    /// `invalid_argument` if the numbers of rows differ; what source and sink return.
    pub(crate) fn finish_as(
        mut self,
        other: &SegmentReader,
        blocks: Blocks<'_>,
    ) -> Result<SegmentInfo> {
        if (self.layout.events, self.layout.postings)
            != (other.layout.events, other.layout.postings)
        {
            return Err(Error::invalid(
                "entries",
                "must be as many as in the other segment",
            ));
        }
        let mut at = other.layout.postings;
        while at < other.layout.end {
            let end = other.layout.end.min(at + PAYLOAD_BYTES as u64);
            self.write(&other.bytes(blocks, at, end)?)?;
            at = end;
        }
        self.layout = Layout {
            turn_rows: self.layout.turn_rows,
            ..other.layout.clone()
        };
        self.finish_body()
    }

    /// Writes the last block and the header.
    fn finish_body(mut self) -> Result<SegmentInfo> {
        self.layout.end = self.offset();
        if !self.buffer.is_empty() {
            let key = BlockKey::new(self.id, Section::Body, self.blocks);
            self.sink.put(key, &seal(key, &self.buffer))?;
            self.blocks += 1;
        }
        let key = BlockKey::new(self.id, Section::Header, 0);
        let header = encode_layout(&self.layout);
        self.sink.put(key, &seal(key, &header))?;
        Ok(SegmentInfo {
            id: self.id,
            seq_from: self.layout.seq_from,
            seq_to: self.layout.seq_to,
            events: self.layout.events,
            passages: self.layout.passages,
            terms: self.layout.terms,
            blocks: self.blocks + 1,
            size_bytes: self.layout.end + header.len() as u64,
            file: None,
        })
    }
}

/// One bit per passage that is the first of its event.
pub(crate) fn start_bits(passages: &[PassageRow]) -> Vec<u8> {
    let mut bits = vec![0u8; passages.len().div_ceil(64) * 8];
    let mut last = None;
    for (at, passage) in passages.iter().enumerate() {
        if last != Some(passage.event) {
            bits[at / 8] |= 1 << (at % 8);
            last = Some(passage.event);
        }
    }
    bits
}

fn zone_row(events: &[EventRow], seq_from: u64) -> [u8; ZONE_BYTES] {
    let mut row = [0u8; ZONE_BYTES];
    let bounds = |of: &dyn Fn(&EventRow) -> i64| -> (i64, i64) {
        events
            .iter()
            .map(of)
            .fold((i64::MAX, i64::MIN), |(low, high), x| {
                (low.min(x), high.max(x))
            })
    };
    let times = bounds(&|e| e.facts.timestamp);
    let sessions = bounds(&|e| e.facts.session as i64);
    let projects = bounds(&|e| e.facts.project as i64);
    let seqs = bounds(&|e| (e.facts.seq - seq_from) as i64);
    row[..8].copy_from_slice(&times.0.to_le_bytes());
    row[8..16].copy_from_slice(&times.1.to_le_bytes());
    let kinds = events
        .iter()
        .fold(0u64, |m, e| m | 1 << e.facts.kind.min(63));
    row[16..24].copy_from_slice(&kinds.to_le_bytes());
    let origins = events
        .iter()
        .fold(0u32, |m, e| m | 1 << e.facts.origin.min(31));
    let first = events.first().map_or(0, |e| e.first_passage);
    let values = [
        sessions.0 as u32,
        sessions.1 as u32,
        projects.0 as u32,
        projects.1 as u32,
        seqs.0 as u32,
        seqs.1 as u32,
        first,
        origins,
    ];
    for (slot, value) in row[24..].as_chunks_mut::<4>().0.iter_mut().zip(values) {
        *slot = value.to_le_bytes();
    }
    row
}

pub(crate) fn encode_layout(layout: &Layout) -> Vec<u8> {
    let mut out = Vec::with_capacity(1500);
    for value in layout.numbers() {
        put_varint(&mut out, value);
    }
    for sizes in layout.cell_sizes.iter() {
        sizes
            .iter()
            .for_each(|&size| put_varint(&mut out, size as u64));
    }
    out
}
