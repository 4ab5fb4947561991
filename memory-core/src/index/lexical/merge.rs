//! Merges segments: chooses which ones, and streams them without loading them.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::embed::static_table;
use crate::index::lexical::layout::NO_CELL;
use crate::index::lexical::segment::{Blocks, DictionaryEntry, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::{PostingsBuffer, SegmentWriter, WordVector};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::index::lexical::term::TermInfo;
use crate::model::error::{Error, ErrorCode, Result};

use crate::index::lexical::analyser::is_better_surface;
use crate::index::lexical::block::BlockSink;
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::inverted::{EventRow, PassageRow};

/// The number of segments of about one size that are merged into one of the next size.
pub const FACTOR: usize = 4;
/// Segments with fewer passages than this count as equally small.
const MIN_LEVEL: u32 = 256;

fn level(segment: &SegmentInfo) -> u32 {
    let mut level = 0;
    let mut size = segment.passages / MIN_LEVEL;
    while size > 0 {
        size /= FACTOR as u32;
        level += 1;
    }
    level
}

/// The adjacent segments to merge now, as a range of `segments`, which are in log order; `None` if
/// there is nothing to do. Each level (a factor of [`FACTOR`] in passages) keeps at most three
/// segments, so that a store of a million events has about a dozen.
pub fn choose_merge(segments: &[SegmentInfo]) -> Option<std::ops::Range<usize>> {
    // The cheapest merge comes first. It includes small segments that removals left between larger
    // ones.
    let highest = segments.iter().map(level).max()?;
    for limit in 0..=highest {
        let mut end = segments.len();
        while end > 0 {
            let mut start = end;
            while start > 0 && level(&segments[start - 1]) <= limit {
                start -= 1;
            }
            let mut last = end;
            while last > start && level(&segments[last - 1]) < limit {
                last -= 1;
            }
            let of_level = segments[start..last]
                .iter()
                .filter(|s| level(s) == limit)
                .count();
            if of_level >= FACTOR {
                return Some(start..last);
            }
            end = start.saturating_sub(1);
        }
    }
    None
}

/// What to keep when segments are rewritten.
pub(crate) trait Keep {
    /// The event's current facts; `None` to leave it out.
    fn facts(&self, facts: &EventFacts) -> Result<Option<EventFacts>>;

    /// Whether a stem's surface may occur only in text that is left out.
    fn is_suspect(&self, _stem: &[u8], _surface: &[u8]) -> bool {
        false
    }

    /// The surface of a stem in the events at these log positions, which contain it. Called only if
    /// [`Keep::is_suspect`] returned true for the present surface.
    ///
    /// # Errors
    /// `corrupt` if none of the events contains it.
    fn surface_in(
        &self,
        stem: &[u8],
        suspect: &[u8],
        seqs: &mut dyn Iterator<Item = Result<u64>>,
    ) -> Result<Surface>;
}

/// The surface that represents a stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    pub(crate) text: Vec<u8>,
    /// Whether the word has a cell; words within other words do not.
    pub(crate) has_pieces: bool,
}

/// Leaves out deleted events, and keeps the others unchanged.
struct WithoutDeleted<'a>(&'a dyn Fn(u64) -> Result<bool>);

impl Keep for WithoutDeleted<'_> {
    fn facts(&self, facts: &EventFacts) -> Result<Option<EventFacts>> {
        Ok((!(self.0)(facts.seq)?).then_some(*facts))
    }

    fn surface_in(
        &self,
        _: &[u8],
        _: &[u8],
        _: &mut dyn Iterator<Item = Result<u64>>,
    ) -> Result<Surface> {
        Err(Error::new(
            ErrorCode::Internal,
            "a surface was looked up that is not suspect",
        ))
    }
}

/// Merges adjacent segments, given in log order, into a new one. Events for which `is_deleted` is
/// true are left out with everything that only they contain, except for the surfaces of stems that
/// others contain too. The result is bytewise the same as building from the forward entries.
///
/// # Errors
/// `invalid_argument` if the segments are out of order; `corrupt` if one is damaged; what source
/// and sink return.
pub fn merge_segments(
    id: u64,
    segments: &[&SegmentReader],
    blocks: Blocks<'_>,
    is_deleted: &dyn Fn(u64) -> Result<bool>,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    merge_keeping(id, segments, blocks, &WithoutDeleted(is_deleted), sink)
}

/// As [`merge_segments`], with `keep` to choose events and update their facts.
pub(crate) fn merge_keeping(
    id: u64,
    segments: &[&SegmentReader],
    blocks: Blocks<'_>,
    keep: &dyn Keep,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let seqs = check_order(segments)?;
    let kept = KeptRows::of(segments, blocks, keep)?;
    let embeddings = kept.embeddings(segments, blocks);
    let mut writer =
        SegmentWriter::begin(id, seqs, &kept.events, &kept.passages, embeddings, sink)?;
    let renumbered = kept.renumbered;
    drop((kept.events, kept.passages));
    merge_terms(segments, blocks, &renumbered, keep, &mut writer)?;
    writer.finish()
}

/// The log positions that the segments cover; fails if they are not in log order.
fn check_order(segments: &[&SegmentReader]) -> Result<RangeInclusive<u64>> {
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
        return Err(Error::invalid("segments", "must not be empty"));
    };
    if segments
        .windows(2)
        .any(|w| w[0].seqs().end() >= w[1].seqs().start())
    {
        return Err(Error::invalid("segments", "must be in order of the log"));
    }
    if segments.iter().any(|s| !s.is_current()) {
        return Err(Error::invalid(
            "segments",
            "were made by another analyser; rebuild them",
        ));
    }
    Ok(*first.seqs().start()..=*last.seqs().end())
}

/// The rows of segments, without the events that are left out.
#[derive(Default)]
struct KeptRows {
    events: Vec<EventRow>,
    passages: Vec<PassageRow>,
    /// Per segment, the new number of each passage, or [`LEFT_OUT`].
    renumbered: Vec<Vec<u32>>,
}

/// Marks a passage that is left out.
const LEFT_OUT: u32 = u32::MAX;

impl KeptRows {
    fn of(segments: &[&SegmentReader], blocks: Blocks<'_>, keep: &dyn Keep) -> Result<Self> {
        let mut kept = KeptRows::default();
        for segment in segments {
            kept.add(segment, blocks, keep)?;
        }
        Ok(kept)
    }

    fn add(&mut self, segment: &SegmentReader, blocks: Blocks<'_>, keep: &dyn Keep) -> Result<()> {
        let count = segment.layout.events;
        let mut kept_as = Vec::with_capacity(count as usize);
        let events = &mut self.events;
        for row in segment.event_rows(blocks, 0..count)?.iter() {
            let row = row.decode();
            let facts = keep.facts(&row.facts)?;
            kept_as.push(facts.map(|_| events.len() as u32));
            events.extend(facts.map(|facts| EventRow { facts, ..row }));
        }
        let mut numbers = Vec::with_capacity(segment.layout.passages as usize);
        let mut last = None;
        for passage in 0..segment.layout.passages {
            let row = segment.passage(blocks, passage)?;
            let Some(event) = kept_as[row.event as usize] else {
                numbers.push(LEFT_OUT);
                continue;
            };
            if last != Some(event) {
                self.events[event as usize].first_passage = self.passages.len() as u32;
                last = Some(event);
            }
            numbers.push(self.passages.len() as u32);
            self.passages.push(PassageRow { event, ..row });
        }
        self.renumbered.push(numbers);
        Ok(())
    }

    /// The embeddings of the passages kept, in order.
    fn embeddings<'k>(
        &'k self,
        segments: &'k [&SegmentReader],
        blocks: Blocks<'k>,
    ) -> impl Iterator<Item = Result<StaticEmbedding>> + 'k {
        let each = segments.iter().zip(&self.renumbered);
        each.flat_map(move |(segment, numbers)| {
            let kept = (0u32..)
                .zip(numbers)
                .filter(|(_, number)| **number != LEFT_OUT);
            kept.map(move |(passage, _)| segment.embedding(blocks, passage))
        })
    }
}

/// Merges the dictionaries of the segments, and writes the postings with the new passage numbers.
fn merge_terms(
    segments: &[&SegmentReader],
    blocks: Blocks<'_>,
    renumbered: &[Vec<u32>],
    keep: &dyn Keep,
    writer: &mut SegmentWriter<'_>,
) -> Result<()> {
    let mut streams = Vec::with_capacity(segments.len());
    for segment in segments {
        let mut terms = segment.terms(blocks);
        let entry = terms.advance()?.cloned();
        streams.push((terms, entry));
    }
    let mut postings = PostingsBuffer::default();
    let (mut stem, mut surface) = (Vec::new(), Vec::new());
    let mut pieces = Vec::new();
    while let Some(next) = streams
        .iter()
        .filter_map(|(_, e)| e.as_ref())
        .map(|e| &e.stem)
        .min()
    {
        stem.clone_from(next);
        surface.clear();
        let mut cell = None;
        postings.clear();
        for (number, (terms, entry)) in streams.iter_mut().enumerate() {
            let (segment, renumbered) = (segments[number], &renumbered[number]);
            let Some(mine) = entry.as_ref().filter(|e| e.stem == stem) else {
                continue;
            };
            if copy_postings(segment, blocks, mine.info, renumbered, &mut postings)? {
                let own = own_surface(segment, blocks, mine, renumbered, keep)?;
                if surface.is_empty() || is_better_surface(&own.0, &surface) {
                    surface.clear();
                    surface.extend_from_slice(&own.0);
                    cell = own.1;
                }
            }
            *entry = terms.advance()?.cloned();
            if entry.as_ref().is_some_and(|e| e.stem <= stem) {
                return Err(segment.corrupt("dictionary order"));
            }
        }
        let text = std::str::from_utf8(&surface);
        let text = text.map_err(|_| segments[0].corrupt("dictionary entry"))?;
        match cell {
            Some(NO_CELL) => pieces.clear(),
            _ => {
                static_table::word_pieces(text, &mut pieces);
            }
        }
        let word = WordVector {
            pieces: &pieces,
            norm: None,
            cell,
        };
        writer.term(&stem, &surface, word, &postings)?;
    }
    Ok(())
}

/// The surface to use for a segment's term once events are left out, and its cell if known.
fn own_surface<'e>(
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    term: &'e DictionaryEntry,
    renumbered: &[u32],
    keep: &dyn Keep,
) -> Result<(Cow<'e, [u8]>, Option<u16>)> {
    if !keep.is_suspect(&term.stem, &term.surface) {
        return Ok((Cow::Borrowed(&*term.surface), Some(term.cell)));
    }
    let mut seqs = holders(segment, blocks, term.info, renumbered)?;
    let found = keep.surface_in(&term.stem, &term.surface, &mut seqs)?;
    let cell = (!found.has_pieces).then_some(NO_CELL);
    Ok((Cow::Owned(found.text), cell))
}

/// The log positions of the kept events that contain a term. An event with several such passages is
/// repeated.
fn holders<'a>(
    segment: &'a SegmentReader,
    blocks: Blocks<'a>,
    info: TermInfo,
    renumbered: &[u32],
) -> Result<impl Iterator<Item = Result<u64>> + use<'a>> {
    let mut passages = Vec::new();
    let mut postings = segment.postings(blocks, info)?;
    postings.visit(segment, blocks, segment.layout.passages, |passage, _| {
        if renumbered[passage as usize] != LEFT_OUT {
            passages.push(passage);
        }
    })?;
    Ok(passages.into_iter().map(move |passage| {
        let event = segment.passage(blocks, passage)?.event;
        Ok(segment.event(blocks, event)?.facts.seq)
    }))
}

/// Rewrites a segment with new facts of its events; all else stays the same.
///
/// # Errors
/// `invalid_argument` if an event is left out or stops being a turn; otherwise as
/// [`merge_segments`].
pub(crate) fn rewrite_facts(
    id: u64,
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    keep: &dyn Keep,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let layout = &segment.layout;
    let mut events = Vec::with_capacity(layout.events as usize);
    for row in segment.event_rows(blocks, 0..layout.events)?.iter() {
        let row = row.decode();
        let facts = keep.facts(&row.facts)?;
        events.extend(facts.map(|facts| EventRow { facts, ..row }));
    }
    let passages = (0..layout.passages)
        .map(|passage| segment.passage(blocks, passage))
        .collect::<Result<Vec<PassageRow>>>()?;
    let embeddings = (0..layout.passages).map(|passage| segment.embedding(blocks, passage));
    SegmentWriter::begin(id, segment.seqs(), &events, &passages, embeddings, sink)?
        .finish_as(segment, blocks)
}

/// Appends the postings of a term under their new numbers; false if none are left.
fn copy_postings(
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    info: TermInfo,
    renumbered: &[u32],
    out: &mut PostingsBuffer,
) -> Result<bool> {
    let mut found = Vec::with_capacity(info.df as usize);
    let mut postings = segment.postings(blocks, info)?;
    postings.visit(
        segment,
        blocks,
        segment.layout.passages,
        |passage, frequency| {
            found.push((passage, frequency));
        },
    )?;
    let total: u64 = found.iter().map(|&(_, f)| f as u64).sum();
    let inline = [info.extent as u8];
    let stored;
    let mut positions: &[u8] = if info.inline {
        &inline
    } else {
        let start = segment.layout.postings + info.offset as u64 + info.extent as u64;
        stored = segment.bytes(blocks, start, start + total)?;
        &stored
    };
    let mut kept = false;
    for (passage, frequency) in found {
        let (mine, rest) = positions.split_at(frequency as usize);
        positions = rest;
        let number = renumbered[passage as usize];
        if number != LEFT_OUT {
            out.push(number, mine);
            kept = true;
        }
    }
    Ok(kept)
}
