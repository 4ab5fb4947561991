//! Merging segments: which ones, and how, without loading them.

use std::ops::RangeInclusive;

use crate::embed::static_table;
use crate::index::lexical::segment::{Blocks, SegmentInfo, SegmentReader};
use crate::index::lexical::segment_writer::{NO_CELL, PostingsBuffer, SegmentWriter, WordVector};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::model::error::{Error, Result};

use crate::index::lexical::analyser::is_better_surface;
use crate::index::lexical::block::BlockSink;
use crate::index::lexical::inverted::{EventRow, PassageRow};

/// How many segments of about one size make one of the next size.
pub const FACTOR: usize = 4;
/// Segments below this many passages count as equally small.
const SMALLEST_LEVEL: u32 = 256;

fn level(segment: &SegmentInfo) -> u32 {
    let mut level = 0;
    let mut size = segment.passages / SMALLEST_LEVEL;
    while size > 0 {
        size /= FACTOR as u32;
        level += 1;
    }
    level
}

/// Which neighbouring segments to merge now, as a range of `segments`, which are
/// in order of the log; `None` when there is nothing to do. Each level (a factor
/// of [`FACTOR`] in passages) keeps at most three segments, so that a store of a
/// million events has about a dozen.
pub fn choose_merge(segments: &[SegmentInfo]) -> Option<std::ops::Range<usize>> {
    // The cheapest merge comes first. Small segments that removals left between
    // larger ones are taken along.
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

/// Merges neighbouring segments, given in order of the log, into a new one.
/// Events for which `is_deleted` is true are left out, with everything that only
/// they contain. Merging gives the same bytes as building from the forward entries.
///
/// # Errors
/// `invalid_argument` when the segments are out of order; `corrupt` when one is
/// damaged; what source and sink return.
pub fn merge_segments(
    id: u64,
    segments: &[&SegmentReader],
    blocks: Blocks<'_>,
    is_deleted: &dyn Fn(u64) -> bool,
    sink: &mut dyn BlockSink,
) -> Result<SegmentInfo> {
    let seqs = check_order(segments)?;
    let kept = KeptRows::of(segments, blocks, is_deleted)?;
    let embeddings = kept.embeddings(segments, blocks);
    let mut writer =
        SegmentWriter::begin(id, seqs, &kept.events, &kept.passages, embeddings, sink)?;
    let renumbered = kept.renumbered;
    drop((kept.events, kept.passages));
    merge_terms(segments, blocks, &renumbered, &mut writer)?;
    writer.finish()
}

/// The positions of the log that the segments cover, which must be in its order.
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

/// The rows of segments without those of deleted events.
#[derive(Default)]
struct KeptRows {
    events: Vec<EventRow>,
    passages: Vec<PassageRow>,
    /// The new number of each passage of each segment; [`LEFT_OUT`] for none.
    renumbered: Vec<Vec<u32>>,
}

/// The number of a passage that is left out.
const LEFT_OUT: u32 = u32::MAX;

impl KeptRows {
    fn of(
        segments: &[&SegmentReader],
        blocks: Blocks<'_>,
        is_deleted: &dyn Fn(u64) -> bool,
    ) -> Result<Self> {
        let mut kept = KeptRows::default();
        for segment in segments {
            kept.add(segment, blocks, is_deleted)?;
        }
        Ok(kept)
    }

    fn add(
        &mut self,
        segment: &SegmentReader,
        blocks: Blocks<'_>,
        is_deleted: &dyn Fn(u64) -> bool,
    ) -> Result<()> {
        let count = segment.layout.events;
        let mut rows = Vec::with_capacity(count as usize);
        segment.each_event(blocks, 0..count, |_, row| rows.push(row))?;
        let mut kept_as = Vec::with_capacity(count as usize);
        for row in rows {
            let kept = !is_deleted(row.facts.seq);
            kept_as.push(kept.then_some(self.events.len() as u32));
            if kept {
                self.events.push(row);
            }
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

    /// The embeddings of the passages that are kept, in their order.
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

/// Writes the terms of the segments, each with its postings under their new numbers.
fn merge_terms(
    segments: &[&SegmentReader],
    blocks: Blocks<'_>,
    renumbered: &[Vec<u32>],
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
            let Some(mine) = entry.as_ref().filter(|e| e.stem == stem) else {
                continue;
            };
            let kept = copy_postings(
                segments[number],
                blocks,
                mine.info,
                &renumbered[number],
                &mut postings,
            )?;
            if kept && (surface.is_empty() || is_better_surface(&mine.surface, &surface)) {
                surface.clone_from(&mine.surface);
                cell = Some(mine.cell);
            }
            *entry = terms.advance()?.cloned();
            if entry.as_ref().is_some_and(|e| e.stem <= stem) {
                return Err(segments[number].corrupt("dictionary order"));
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

/// Appends the postings of a term under their new numbers; false when none is left.
fn copy_postings(
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    info: crate::index::lexical::segment::TermInfo,
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
