//! Reads a segment: fetches only the blocks that a query needs, and verifies each when it is read
//! from the store.

use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::embed::static_table::CELLS;
use crate::index::bytes::Reader;
use crate::index::lexical::analyser::MAX_TERM_BYTES;
use crate::index::lexical::block::{
    self, BlockCache, BlockKey, BlockSource, IndexBlock, PAYLOAD_BYTES, Section,
};
use crate::index::lexical::file::SegmentFile;
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::inverted::{EventRow, PassageRow};
use crate::index::lexical::layout::{
    CELL_ROW_BYTES, EVENT_BYTES, INLINE, NO_CELL, PASSAGE_BYTES, PASSAGE_FACTS_BYTES, SKIP_BYTES,
    SKIP_EVERY, TURN_BYTES, ZONE_BYTES, ZONE_EVENTS,
};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::semantic::StaticEmbedding;
use crate::index::lexical::term::{ExpansionTerm, TermInfo};
use crate::model::error::{Error, ErrorCode, Result};

/// The counts and offsets in a segment's header block.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub analyser: u32,
    pub seq_from: u64,
    pub seq_to: u64,
    pub events: u32,
    pub passages: u32,
    pub terms: u32,
    pub turn_rows: u64,
    pub passage_rows: u64,
    pub lengths: u64,
    pub starts: u64,
    pub kinds: u64,
    pub zones: u64,
    pub postings: u64,
    pub pages: u64,
    pub page_index: u64,
    pub cells: u64,
    pub end: u64,
    /// Per cell: the words of one piece, the words of several, and the bytes of the latter's
    /// pieces.
    pub cell_sizes: Box<[[u32; 3]; CELLS]>,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            analyser: 0,
            seq_from: 0,
            seq_to: 0,
            events: 0,
            passages: 0,
            terms: 0,
            turn_rows: 0,
            passage_rows: 0,
            lengths: 0,
            starts: 0,
            kinds: 0,
            zones: 0,
            postings: 0,
            pages: 0,
            page_index: 0,
            cells: 0,
            end: 0,
            cell_sizes: Box::new([[0; 3]; CELLS]),
        }
    }
}

impl Layout {
    pub(crate) fn numbers(&self) -> [u64; 16] {
        [
            self.analyser as u64,
            self.seq_from,
            self.seq_to,
            self.events as u64,
            self.passages as u64,
            self.terms as u64,
            self.passage_rows,
            self.lengths,
            self.starts,
            self.kinds,
            self.zones,
            self.postings,
            self.pages,
            self.page_index,
            self.cells,
            self.end,
        ]
    }

    fn decode(header: &IndexBlock) -> Result<Self> {
        let mut reader = Reader::new(header.payload(), "segment header");
        let mut layout = Layout {
            analyser: reader.varint32()?,
            seq_from: reader.varint()?,
            seq_to: reader.varint()?,
            events: reader.varint32()?,
            passages: reader.varint32()?,
            terms: reader.varint32()?,
            passage_rows: reader.varint()?,
            lengths: reader.varint()?,
            starts: reader.varint()?,
            kinds: reader.varint()?,
            zones: reader.varint()?,
            postings: reader.varint()?,
            pages: reader.varint()?,
            page_index: reader.varint()?,
            cells: reader.varint()?,
            end: reader.varint()?,
            ..Layout::default()
        };
        for sizes in layout.cell_sizes.iter_mut() {
            for size in sizes {
                *size = reader.varint32()?;
            }
        }
        let (events, passages) = (layout.events as u64, layout.passages as u64);
        let zones = events.div_ceil(ZONE_EVENTS as u64) * ZONE_BYTES as u64;
        let cells: u64 = layout
            .cell_sizes
            .iter()
            .map(|&sizes| cell_bytes(sizes))
            .sum();
        // The header does not store where turns begin: after the event rows.
        layout.turn_rows = events * EVENT_BYTES as u64;
        let turns = layout.passage_rows.checked_sub(layout.turn_rows);
        let has_turns = turns.is_some_and(|bytes| {
            bytes.is_multiple_of(TURN_BYTES as u64) && bytes / TURN_BYTES as u64 <= events
        });
        let fits = has_turns
            && layout.lengths == layout.passage_rows + passages * PASSAGE_BYTES as u64
            && layout.starts == layout.lengths + passages
            && layout.kinds == layout.starts + passages.div_ceil(64) * 8
            && layout.zones == layout.kinds + passages
            && layout.postings == layout.zones + zones
            && layout.postings <= layout.pages
            && layout.pages <= layout.page_index
            && layout.page_index <= layout.cells
            && layout.cells.checked_add(cells) == Some(layout.end)
            && layout.end < PAYLOAD_BYTES as u64 * u32::MAX as u64
            && layout.seq_from <= layout.seq_to
            && layout.seq_to - layout.seq_from < u32::MAX as u64
            && layout.passages < INLINE
            && reader.is_empty();
        if fits {
            Ok(layout)
        } else {
            Err(reader.corrupt())
        }
    }
}

/// The body block that holds an offset, and the offset within it.
#[inline]
fn block_of(offset: u64) -> (u64, usize) {
    let size = PAYLOAD_BYTES as u64;
    (offset / size, (offset % size) as usize)
}

fn cell_bytes([singles, multis, multi_bytes]: [u32; 3]) -> u64 {
    (singles as u64 + multis as u64) * CELL_ROW_BYTES as u64
        + singles as u64 * 2
        + multi_bytes as u64
}

/// A block source behind a cache.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// The source of blocks that are not cached.
    pub source: &'a dyn BlockSource,
    /// Verified blocks.
    pub cache: &'a BlockCache,
}

/// A range of the body: a part of one block, or a copy if it crosses blocks.
pub(crate) enum Bytes {
    Part(IndexBlock, Range<usize>),
    Copy(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Part(block, range) => &block.payload()[range.clone()],
            Bytes::Copy(bytes) => bytes,
        }
    }
}

/// The rows of consecutive events.
pub(crate) struct EventRows<'s> {
    segment: &'s SegmentReader,
    bytes: Bytes,
}

impl EventRows<'_> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = RawEventRow<'_>> {
        let rows = self.bytes.chunks_exact(EVENT_BYTES);
        rows.map(|bytes| RawEventRow {
            segment: self.segment,
            bytes,
        })
    }
}

/// The undecoded row of an event.
pub(crate) struct RawEventRow<'r> {
    segment: &'r SegmentReader,
    bytes: &'r [u8],
}

impl RawEventRow<'_> {
    /// The session's number.
    #[inline]
    pub(crate) fn session(&self) -> u32 {
        let bytes = &self.bytes[4..8];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    #[inline]
    pub(crate) fn decode(&self) -> EventRow {
        self.segment.event_row(self.bytes)
    }
}

/// An open segment. Cheap to keep: it holds only the header and the dictionary's index.
pub struct SegmentReader {
    id: u64,
    /// The file, if its blocks are not in the store.
    file: Option<Arc<SegmentFile>>,
    pub(crate) layout: Layout,
    cell_offsets: Box<[u64; CELLS]>,
    index: Vec<u8>,
    /// Per dictionary page, its first stem in `index`, and its offset in the body.
    pages: Vec<(Range<u32>, u64)>,
    /// A cache of words' nearest stems, which never change.
    pub(crate) nearest:
        Mutex<HashMap<NearestKey, Arc<[ExpansionTerm]>, foldhash::fast::FixedState>>,
}

/// The pieces of a word, the hash of its stem, and the number of cells probed.
pub(crate) type NearestKey = (Vec<u16>, u32, u16);

/// The number of words whose nearest stems are cached (about 1 KB each).
pub(crate) const NEAREST_WORDS: usize = 1024;

impl SegmentReader {
    /// Opens a segment from its file or from the store.
    ///
    /// # Errors
    /// As [`SegmentReader::open`], `corrupt` also if its file is missing; other errors of opening
    /// it.
    pub(crate) fn open_any(info: &SegmentInfo, blocks: Blocks<'_>) -> Result<Self> {
        let Some(folder) = blocks.source.folder().filter(|_| info.file.is_some()) else {
            return Self::open(info.id, blocks);
        };
        let file = SegmentFile::open(folder, info).map_err(|error| match error.code() {
            // The whole segment can be rebuilt.
            ErrorCode::NotFound => Error::new(
                ErrorCode::Corrupt,
                format!("{}; maintain() rebuilds it", error.message()),
            ),
            _ => error,
        })?;
        let header = file.header()?;
        Self::open_with(info.id, blocks, Some(file), header)
    }

    /// Opens a segment whose blocks are in the store.
    ///
    /// # Errors
    /// `corrupt`, naming the block, if something is missing or damaged; what the source returns.
    pub fn open(id: u64, blocks: Blocks<'_>) -> Result<Self> {
        let header = block::read(blocks.source, BlockKey::new(id, Section::Header, 0))?;
        Self::open_with(id, blocks, None, header)
    }

    fn open_with(
        id: u64,
        blocks: Blocks<'_>,
        file: Option<Arc<SegmentFile>>,
        header: IndexBlock,
    ) -> Result<Self> {
        let layout = Layout::decode(&header)?;
        let mut cell_offsets = Box::new([0; CELLS]);
        let mut offset = layout.cells;
        for (start, &sizes) in cell_offsets.iter_mut().zip(layout.cell_sizes.iter()) {
            *start = offset;
            offset += cell_bytes(sizes);
        }
        let mut reader = SegmentReader {
            id,
            file,
            layout,
            cell_offsets,
            index: Vec::new(),
            pages: Vec::new(),
            nearest: Mutex::default(),
        };
        let bytes = reader.bytes(blocks, reader.layout.page_index, reader.layout.cells)?;
        reader.read_page_index(&bytes)?;
        reader.index = bytes.to_vec();
        Ok(reader)
    }

    fn read_page_index(&mut self, bytes: &[u8]) -> Result<()> {
        let mut index = Reader::new(bytes, "dictionary index");
        let limit = self.layout.page_index - self.layout.pages;
        let count = index.count(3)?;
        self.pages.reserve(count);
        for _ in 0..count {
            let page = index.varint()?;
            let length = index.count(1)?;
            let start = (bytes.len() - index.remaining()) as u32;
            index.take(length)?;
            let ascends = self
                .pages
                .last()
                .is_none_or(|(_, last)| *last < self.layout.pages + page);
            if page >= limit || !ascends {
                return Err(index.corrupt());
            }
            self.pages
                .push((start..start + length as u32, self.layout.pages + page));
        }
        if index.is_empty() {
            Ok(())
        } else {
            Err(index.corrupt())
        }
    }

    /// The id under which its blocks are stored.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The log positions that it covers.
    pub fn seqs(&self) -> std::ops::RangeInclusive<u64> {
        self.layout.seq_from..=self.layout.seq_to
    }

    /// The number of events.
    pub(crate) fn events(&self) -> usize {
        self.layout.events as usize
    }

    /// Whether the words are from this library's version of the analyser. Otherwise the segment
    /// must be rebuilt.
    pub fn is_current(&self) -> bool {
        self.layout.analyser == crate::index::lexical::analyser::VERSION
    }

    pub(crate) fn corrupt(&self, what: &str) -> Error {
        Error::new(
            ErrorCode::Corrupt,
            format!(
                "lexical segment {} has a damaged {what}; rebuild the index",
                self.id
            ),
        )
    }

    /// The body bytes from `start` to `end`.
    pub(crate) fn bytes(&self, blocks: Blocks<'_>, start: u64, end: u64) -> Result<Bytes> {
        if start > end || end > self.layout.end {
            return Err(self.corrupt("pointer"));
        }
        let (first, at) = block_of(start);
        let (last, _) = block_of(end.saturating_sub(1).max(start));
        if start == end {
            return Ok(Bytes::Copy(Vec::new()));
        }
        if first == last {
            let block = self.block(blocks, first)?;
            let range = at..at + (end - start) as usize;
            if range.end > block.payload().len() {
                return Err(self.corrupt("block length"));
            }
            return Ok(Bytes::Part(block, range));
        }
        let mut copy = Vec::with_capacity((end - start) as usize);
        for number in first..=last {
            let block = self.block(blocks, number)?;
            let from = if number == first { at } else { 0 };
            let to = if number == last {
                (end - number * PAYLOAD_BYTES as u64) as usize
            } else {
                PAYLOAD_BYTES
            };
            let part = block.payload().get(from..to);
            copy.extend_from_slice(part.ok_or_else(|| self.corrupt("block length"))?);
        }
        Ok(Bytes::Copy(copy))
    }

    /// Reads and verifies every block, whether used or not.
    pub(crate) fn verify_blocks(&self, source: &dyn BlockSource) -> Result<()> {
        self.each_block(source, &mut |_, _| Ok(()))
    }

    /// Visits every stored block, verified, the header first.
    pub(crate) fn each_block(
        &self,
        source: &dyn BlockSource,
        visit: &mut dyn FnMut(BlockKey, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if let Some(file) = &self.file {
            return file.each_block(visit);
        }
        let count = self.layout.end.div_ceil(PAYLOAD_BYTES as u64);
        let body = (0..count).map(|number| BlockKey::new(self.id, Section::Body, number as u32));
        for key in std::iter::once(BlockKey::new(self.id, Section::Header, 0)).chain(body) {
            visit(key, block::read(source, key)?.stored())?;
        }
        Ok(())
    }

    #[inline]
    fn block(&self, blocks: Blocks<'_>, number: u64) -> Result<IndexBlock> {
        let key = BlockKey::new(self.id, Section::Body, number as u32);
        match &self.file {
            Some(file) if file.is_mapped() => file.block(key.block),
            Some(file) => blocks.cache.get_or(key, || file.block(key.block)),
            None => blocks.cache.get(blocks.source, key),
        }
    }

    pub(crate) fn event(&self, blocks: Blocks<'_>, event: u32) -> Result<EventRow> {
        if event >= self.layout.events {
            return Err(self.corrupt("event number"));
        }
        let at = event as u64 * EVENT_BYTES as u64;
        let row = self.bytes(blocks, at, at + EVENT_BYTES as u64)?;
        Ok(self.event_row(&row))
    }

    /// The turn at a place, if any, and the end of its passages.
    pub(crate) fn turn(&self, blocks: Blocks<'_>, place: u32) -> Result<Option<Turn>> {
        let at = self.layout.turn_rows + place as u64 * TURN_BYTES as u64;
        if at >= self.layout.passage_rows {
            return Ok(None);
        }
        let row = self.bytes(blocks, at, at + TURN_BYTES as u64)?;
        let u32_at =
            |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let turn = Turn {
            event: u32_at(36),
            row: self.event_row(&row),
            end: u32_at(40),
        };
        match turn.event < self.layout.events && turn.end <= self.layout.passages {
            true => Ok(Some(turn)),
            false => Err(self.corrupt("turn")),
        }
    }

    /// Decodes a row of at least [`EVENT_BYTES`] bytes.
    #[inline]
    fn event_row(&self, row: &[u8]) -> EventRow {
        let u32_at =
            |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let u16_at = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let facts = EventFacts {
            seq: self.layout.seq_from + u32_at(0) as u64,
            session: u32_at(4),
            turn: u32_at(8),
            project: u32_at(12),
            kind: u16_at(24),
            origin: row[26],
            flags: row[27],
            timestamp: (u32_at(28) as u64 | (u32_at(32) as u64) << 32) as i64,
            actor: u32_at(20),
        };
        EventRow {
            facts,
            first_passage: u32_at(16),
        }
    }

    /// Calls `visit` with the rows of these events in order.
    pub(crate) fn each_event(
        &self,
        blocks: Blocks<'_>,
        events: Range<u32>,
        mut visit: impl FnMut(u32, EventRow),
    ) -> Result<()> {
        let rows = self.event_rows(blocks, events.clone())?;
        for (event, row) in events.zip(rows.iter()) {
            visit(event, row.decode());
        }
        Ok(())
    }

    /// The rows of these events, decoded lazily.
    pub(crate) fn event_rows(
        &self,
        blocks: Blocks<'_>,
        events: Range<u32>,
    ) -> Result<EventRows<'_>> {
        let size = EVENT_BYTES as u64;
        Ok(EventRows {
            segment: self,
            bytes: self.bytes(blocks, events.start as u64 * size, events.end as u64 * size)?,
        })
    }

    fn passage_bytes(&self, blocks: Blocks<'_>, passage: u32) -> Result<Bytes> {
        if passage >= self.layout.passages {
            return Err(self.corrupt("passage number"));
        }
        let size = PASSAGE_BYTES as u64;
        let at = self.layout.passage_rows + passage as u64 * size;
        self.bytes(blocks, at, at + size)
    }

    /// The embedding of a passage.
    pub(crate) fn embedding(&self, blocks: Blocks<'_>, passage: u32) -> Result<StaticEmbedding> {
        let row = self.passage_bytes(blocks, passage)?;
        let bytes = row[PASSAGE_FACTS_BYTES..].first_chunk();
        let bytes = bytes.ok_or_else(|| self.corrupt("passage row"))?;
        Ok(StaticEmbedding::decode(bytes))
    }

    pub(crate) fn passage(&self, blocks: Blocks<'_>, passage: u32) -> Result<PassageRow> {
        let row = self.passage_bytes(blocks, passage)?;
        let u32_at =
            |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let found = PassageRow {
            event: u32_at(0),
            start: u32_at(4),
            length: u32_at(8),
            words: u16::from_le_bytes([row[12], row[13]]),
            place: u32_at(14),
        };
        if found.event >= self.layout.events {
            return Err(self.corrupt("passage row"));
        }
        Ok(found)
    }

    /// Looks up a stem.
    pub(crate) fn find(&self, blocks: Blocks<'_>, stem: &[u8]) -> Result<Option<TermInfo>> {
        let page = self
            .pages
            .partition_point(|(first, _)| self.index_stem(first) <= stem);
        let Some(page) = page.checked_sub(1) else {
            return Ok(None);
        };
        let start = self.pages[page].1;
        let end = self
            .pages
            .get(page + 1)
            .map_or(self.layout.page_index, |(_, at)| *at);
        let bytes = self.bytes(blocks, start, end)?;
        let mut reader = Reader::new(&bytes, "dictionary page");
        let mut entry = DictionaryEntry::default();
        while !reader.is_empty() {
            self.next_entry(&mut reader, &mut entry)?;
            match entry.stem.as_slice().cmp(stem) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(entry.info)),
                std::cmp::Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }

    fn index_stem(&self, range: &Range<u32>) -> &[u8] {
        &self.index[range.start as usize..range.end as usize]
    }

    fn next_entry(&self, reader: &mut Reader<'_>, entry: &mut DictionaryEntry) -> Result<()> {
        let (shared, added) = (reader.byte()? as usize, reader.byte()? as usize);
        if shared > entry.stem.len() || shared + added > MAX_TERM_BYTES {
            return Err(reader.corrupt());
        }
        entry.stem.truncate(shared);
        entry.stem.extend_from_slice(reader.take(added)?);
        let (shared, added) = (reader.byte()? as usize, reader.byte()? as usize);
        if shared > entry.stem.len() || shared + added > MAX_TERM_BYTES {
            return Err(reader.corrupt());
        }
        entry.surface.clear();
        entry.surface.extend_from_slice(&entry.stem[..shared]);
        entry.surface.extend_from_slice(reader.take(added)?);
        entry.cell = reader.varint()?.min(NO_CELL as u64) as u16;
        let df = reader.varint()?;
        entry.info = TermInfo {
            df: u32::try_from(df >> 1).map_err(|_| reader.corrupt())?,
            inline: df & 1 == 1,
            offset: reader.varint32()?,
            extent: reader.varint32()?,
        };
        if entry.info.df == 0 || entry.info.df > self.layout.passages {
            return Err(reader.corrupt());
        }
        Ok(())
    }

    /// The words of a cell: those of one piece, those of several, then a row for each.
    pub(crate) fn cell(&self, blocks: Blocks<'_>, cell: u8) -> Result<Bytes> {
        let start = self.cell_offsets[cell as usize];
        self.bytes(
            blocks,
            start,
            start + cell_bytes(self.layout.cell_sizes[cell as usize]),
        )
    }

    /// An iterator over a term's postings, from the beginning.
    pub(crate) fn postings(&self, blocks: Blocks<'_>, info: TermInfo) -> Result<PostingsIterator> {
        if info.inline {
            if info.offset >= self.layout.passages {
                return Err(self.corrupt("posting"));
            }
            return Ok(PostingsIterator {
                kind: PostingsSource::One(info.offset),
                df: 1,
                left: 1,
                last: 0,
                positions: 0,
            });
        }
        let start = self.layout.postings + info.offset as u64;
        if start >= self.layout.pages || info.df > self.layout.passages {
            return Err(self.corrupt("postings pointer"));
        }
        let block = self.block(blocks, block_of(start).0)?;
        Ok(PostingsIterator {
            kind: PostingsSource::Stream {
                block,
                at: start,
                start,
                skips: None,
            },
            df: info.df,
            left: info.df,
            last: 0,
            positions: 0,
        })
    }

    /// All terms in order, for merging.
    pub(crate) fn terms<'a>(&'a self, blocks: Blocks<'a>) -> Terms<'a> {
        Terms {
            reader: self,
            blocks,
            page: 0,
            bytes: Vec::new(),
            at: 0,
            entry: DictionaryEntry::default(),
        }
    }
}

/// An event that is a turn of a conversation.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// The event's index.
    pub event: u32,
    pub row: EventRow,
    /// The end of its passages.
    pub end: u32,
}

/// A dictionary entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct DictionaryEntry {
    pub stem: Vec<u8>,
    pub surface: Vec<u8>,
    pub cell: u16,
    pub info: TermInfo,
}

pub(crate) struct Terms<'a> {
    reader: &'a SegmentReader,
    blocks: Blocks<'a>,
    page: usize,
    bytes: Vec<u8>,
    at: usize,
    entry: DictionaryEntry,
}

impl Terms<'_> {
    /// Moves to the next term; `None` after the last.
    pub(crate) fn advance(&mut self) -> Result<Option<&DictionaryEntry>> {
        if self.at == self.bytes.len() {
            let Some((_, start)) = self.reader.pages.get(self.page) else {
                return Ok(None);
            };
            let next = self.reader.pages.get(self.page + 1);
            let end = next.map_or(self.reader.layout.page_index, |(_, at)| *at);
            self.bytes = self.reader.bytes(self.blocks, *start, end)?.to_vec();
            self.page += 1;
            self.at = 0;
            self.entry.stem.clear();
        }
        let mut reader = Reader::new(&self.bytes[self.at..], "dictionary page");
        self.reader.next_entry(&mut reader, &mut self.entry)?;
        self.at = self.bytes.len() - reader.remaining();
        Ok(Some(&self.entry))
    }
}

enum PostingsSource {
    One(u32),
    Stream {
        block: IndexBlock,
        at: u64,
        /// Where the documents begin, right after the skip table.
        start: u64,
        /// Read on demand.
        skips: Option<Bytes>,
    },
}

/// Decodes the postings of a term lazily.
pub(crate) struct PostingsIterator {
    kind: PostingsSource,
    df: u32,
    left: u32,
    last: u32,
    /// The number of positions of the passages so far.
    positions: u64,
}

impl PostingsIterator {
    /// Advances to `passage`, which must not have been visited yet. If it is in the list, returns
    /// the term's frequency in it, and the number of positions before its own.
    pub(crate) fn seek(
        &mut self,
        segment: &SegmentReader,
        blocks: Blocks<'_>,
        passage: u32,
    ) -> Result<Option<(u32, u64)>> {
        self.skip_to(segment, blocks, passage)?;
        let mut found = None;
        self.visit(
            segment,
            blocks,
            passage.saturating_add(1),
            |at, frequency| {
                found = (at == passage).then_some(frequency);
            },
        )?;
        // It was the last one visited.
        Ok(found.map(|frequency| (frequency, self.positions - u64::from(frequency))))
    }

    /// Skips postings below `passage` by the skip table.
    pub(crate) fn skip_to(
        &mut self,
        segment: &SegmentReader,
        blocks: Blocks<'_>,
        passage: u32,
    ) -> Result<()> {
        let PostingsSource::Stream {
            block,
            at,
            start,
            skips,
        } = &mut self.kind
        else {
            return Ok(());
        };
        let count = (self.df.saturating_sub(1) / SKIP_EVERY) as usize;
        let done = ((self.df - self.left) / SKIP_EVERY) as usize;
        if done >= count {
            return Ok(());
        }
        let table = match skips {
            Some(table) => table,
            None => {
                let from = start.checked_sub((count * SKIP_BYTES) as u64);
                let from = from.filter(|from| *from >= segment.layout.postings);
                let from = from.ok_or_else(|| segment.corrupt("skip table"))?;
                skips.insert(segment.bytes(blocks, from, *start)?)
            }
        };
        let rows = table.as_chunks::<SKIP_BYTES>().0;
        let number = |row: &[u8; SKIP_BYTES], at: usize| {
            u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
        };
        if number(&rows[done], 0) >= passage {
            return Ok(());
        }
        let further = rows[done..].partition_point(|row| number(row, 0) < passage);
        let skipped = done + further.max(1);
        let row = &rows[skipped - 1];
        *at = *start + u64::from(number(row, 4));
        if *at >= segment.layout.pages || number(row, 0) < self.last {
            return Err(segment.corrupt("skip table"));
        }
        *block = segment.block(blocks, block_of(*at).0)?;
        self.left = self.df - skipped as u32 * SKIP_EVERY;
        self.last = number(row, 0);
        self.positions = u64::from(number(row, 8));
        Ok(())
    }

    /// Visits (passage, frequency) in ascending order for passages below `limit`.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        segment: &SegmentReader,
        blocks: Blocks<'_>,
        limit: u32,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<()> {
        match &mut self.kind {
            PostingsSource::One(passage) => {
                if self.left == 1 && *passage < limit {
                    visit(*passage, 1);
                    self.left = 0;
                    self.positions = 1;
                }
                Ok(())
            }
            PostingsSource::Stream { block, at, .. } => {
                while self.left > 0 {
                    let inside = block_of(*at).1;
                    let payload = block.payload();
                    // An entry far from the end of a block is decoded in place; one near it is
                    // first assembled from both blocks.
                    let mut near = [0u8; 12];
                    let (window, crosses) = if inside + 12 <= payload.len() {
                        (&payload[inside..], false)
                    } else {
                        let end = (*at + 12).min(segment.layout.pages);
                        let bytes = segment.bytes(blocks, *at, end)?;
                        near[..bytes.len()].copy_from_slice(&bytes);
                        (&near[..bytes.len()], true)
                    };
                    let mut used = 0;
                    loop {
                        // Most entries are one or two bytes, far from the window's end.
                        let near = window[used..].first_chunk::<12>();
                        let one = match near {
                            Some(&[first, ..]) if first < 0x80 && first & 1 == 0 => {
                                Some((1, self.last.wrapping_add((first >> 1) as u32), 1))
                            }
                            Some(&[first, second, ..])
                                if first >= 0x80 && first & 1 == 0 && second < 0x80 =>
                            {
                                let value = u32::from(first & 0x7F) | u32::from(second) << 7;
                                Some((2, self.last.wrapping_add(value >> 1), 1))
                            }
                            Some(chunk) => decode_one(chunk, self.last),
                            None => decode_one(&window[used..], self.last),
                        };
                        let Some((step, passage, frequency)) = one else {
                            return Err(segment.corrupt("posting"));
                        };
                        if passage >= limit {
                            if passage >= segment.layout.passages {
                                return Err(segment.corrupt("posting"));
                            }
                            *at += used as u64;
                            return Ok(());
                        }
                        visit(passage, frequency);
                        self.positions += u64::from(frequency);
                        used += step;
                        self.last = passage;
                        self.left -= 1;
                        if self.left == 0 || crosses || used + 12 > window.len() {
                            break;
                        }
                    }
                    *at += used as u64;
                    if self.left > 0 && (inside + used) >= PAYLOAD_BYTES {
                        if *at >= segment.layout.pages {
                            return Err(segment.corrupt("posting"));
                        }
                        *block = segment.block(blocks, block_of(*at).0)?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[inline]
fn decode_one(bytes: &[u8], last: u32) -> Option<(usize, u32, u32)> {
    let mut used = 1;
    let first = *bytes.first()? as u64;
    let mut value = first & 0x7F;
    if first >= 0x80 {
        let mut shift = 7;
        loop {
            let byte = *bytes.get(used)? as u64;
            used += 1;
            value |= (byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
            if shift > 35 {
                return None;
            }
        }
    }
    let passage = last as u64 + (value >> 1);
    let frequency = if value & 1 == 1 {
        used += 1;
        *bytes.get(used - 1)? as u32
    } else {
        1
    };
    if passage >= INLINE as u64 {
        return None;
    }
    Some((used, passage as u32, frequency))
}
