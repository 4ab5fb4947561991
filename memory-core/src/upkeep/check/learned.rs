//! Checks the learned index: it decodes completely, and contains the current text of each
//! learned item exactly once and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::discarded::Discarded;
use crate::index::lexical::block::BlockCache;
use crate::index::lexical::merge::merge_segments;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::model::error::Result;
use crate::projection::learned as texts;
use crate::store::ReadTx;
use crate::store::index_tables::learned::{self, LearnedGroup, LearnedRow, LearnedSegment};
use crate::store::projected_rows::projected::Projected;
use crate::store::replaying::difference::Difference;

/// The place name of differences in this index.
pub(super) const PLACE: &str = "learned_index";

fn wrong(problem: &str) -> Option<Difference> {
    Some(Difference::new(PLACE, None, problem))
}

/// The first difference found in the index.
pub(super) fn check(read: &ReadTx) -> Result<Option<Difference>> {
    let rows = read.projected()?;
    if !learned::is_whole(&rows)? {
        return Ok(wrong(
            "a learned item is neither indexed nor waiting for it",
        ));
    }
    let segments = learned::segments(&rows)?;
    for group in LearnedGroup::ALL {
        let mut held = BTreeMap::new();
        for segment in segments.iter().filter(|segment| segment.group == group) {
            if let Some(found) = check_segment(read, &rows, segment, &mut held)? {
                return Ok(Some(found));
            }
        }
        if let Some(found) = check_rows(&rows, group, held)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Adds the items of a segment's live documents to `held`, with their numbers.
fn check_segment(
    read: &ReadTx,
    rows: &Projected,
    segment: &LearnedSegment,
    held: &mut BTreeMap<LearnedRow, u64>,
) -> Result<Option<Difference>> {
    let cache = BlockCache::new(8 << 20);
    let blocks = Blocks {
        source: read,
        cache: &cache,
    };
    let reader = SegmentReader::open(segment.info.id, blocks)?;
    reader.verify_blocks(blocks.source)?;
    // Merging reads every row, term and posting.
    merge_segments(
        reader.id(),
        &[&reader],
        blocks,
        &|_| Ok(false),
        &mut Discarded(&read.running),
    )?;
    let mut numbers = Vec::new();
    reader.each_event(blocks, 0..segment.info.events, |_, row| {
        numbers.push(row.facts.seq);
    })?;
    let mut gone = 0;
    for number in numbers {
        match learned::learned_of(rows, segment.group, number)? {
            None => gone += 1,
            Some(row) => {
                if held.insert(row, number).is_some() {
                    return Ok(wrong("a learned item is indexed twice"));
                }
            }
        }
    }
    Ok((gone != segment.gone)
        .then(|| wrong("a segment's count of removed items is wrong"))
        .flatten())
}

/// Compares the documents of a group with the rows.
fn check_rows(
    rows: &Projected,
    group: LearnedGroup,
    mut held: BTreeMap<LearnedRow, u64>,
) -> Result<Option<Difference>> {
    let changes = learned::changes(rows, group, usize::MAX)?;
    let waiting: BTreeSet<LearnedRow> = changes.into_iter().map(|change| change.row).collect();
    held.retain(|row, _| !waiting.contains(row));
    let mut all = Vec::new();
    texts::each(rows, group, &mut |row| all.push(row))?;
    for row in all {
        if waiting.contains(&row) {
            continue;
        }
        let (text, document) = (texts::text(rows, &row)?, learned::document(rows, &row)?);
        let number = held.remove(&row);
        let is_right = text.zip(document).is_some_and(|(text, document)| {
            text.hash() == document.hash && number == Some(document.number)
        });
        if !is_right {
            return Ok(wrong("the index lacks the text of a learned item"));
        }
    }
    Ok((!held.is_empty())
        .then(|| wrong("the index returns an item that does not exist"))
        .flatten())
}
