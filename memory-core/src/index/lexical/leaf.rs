//! One view of the parts of the index that are searched separately: segments and the memtable.

use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::inverted::PassageRow;
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::term::LeafTerm;
use crate::model::error::{Error, ErrorCode, Result};

/// A part of the index that is searched separately.
#[derive(Clone, Copy)]
pub(crate) enum Leaf<'a> {
    Segment(&'a SegmentReader, Blocks<'a>),
    Memtable(&'a Memtable),
}

/// Identifies an event within the results of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventHandle {
    pub(crate) leaf: u32,
    pub(crate) event: u32,
}

/// The error for a leaf whose rows contradict each other.
pub(crate) fn damaged(leaf: &Leaf<'_>) -> Error {
    match leaf {
        Leaf::Segment(segment, _) => segment.corrupt("event row"),
        Leaf::Memtable(_) => Error::new(
            ErrorCode::Internal,
            "the lexical memtable's event numbers are inconsistent",
        ),
    }
}

/// The number of passages in a leaf.
pub(crate) fn passage_count(leaf: &Leaf<'_>) -> u32 {
    match leaf {
        Leaf::Segment(segment, _) => segment.layout.passages,
        Leaf::Memtable(memtable) => memtable.inverted.passages.len() as u32,
    }
}

/// The number of events in a leaf.
pub(crate) fn event_count(leaf: &Leaf<'_>) -> u32 {
    match leaf {
        Leaf::Segment(segment, _) => segment.layout.events,
        Leaf::Memtable(memtable) => memtable.inverted.events.len() as u32,
    }
}

/// Looks up a term in a leaf. Returns its document frequency, counted in passages, and its
/// postings.
pub(crate) fn find(leaf: &Leaf<'_>, stem: &[u8]) -> Result<(u64, Option<LeafTerm>)> {
    Ok(match leaf {
        Leaf::Segment(segment, blocks) => match segment.find(*blocks, stem)? {
            Some(info) => (info.df as u64, Some(LeafTerm::Segment(info))),
            None => (0, None),
        },
        Leaf::Memtable(memtable) => match memtable.inverted.find(stem) {
            Some(term) => {
                let df = memtable.inverted.terms[term as usize].df as u64;
                (df, Some(LeafTerm::Memtable(term)))
            }
            None => (0, None),
        },
    })
}

/// The row of a passage.
pub(crate) fn passage_row(leaf: &Leaf<'_>, passage: u32) -> Result<PassageRow> {
    match leaf {
        Leaf::Segment(segment, blocks) => segment.passage(*blocks, passage),
        Leaf::Memtable(memtable) => Ok(memtable.inverted.passages[passage as usize]),
    }
}

/// The facts of an event, and its first passage.
pub(crate) fn event_row(leaf: &Leaf<'_>, event: u32) -> Result<(EventFacts, u32)> {
    let row = match leaf {
        Leaf::Segment(segment, blocks) => segment.event(*blocks, event)?,
        Leaf::Memtable(memtable) => memtable.inverted.events[event as usize],
    };
    Ok((row.facts, row.first_passage))
}

/// The positions of a term in these passages, which must be ascending.
pub(crate) fn positions_at(
    leaf: &Leaf<'_>,
    leaf_term: LeafTerm,
    targets: &[(u32, usize)],
) -> Result<Vec<Vec<u8>>> {
    let mut found = vec![Vec::new(); targets.len()];
    match (leaf, leaf_term) {
        (Leaf::Memtable(memtable), LeafTerm::Memtable(term)) => {
            for (passage, positions) in memtable.inverted.postings(term) {
                if let Ok(at) = targets.binary_search_by_key(&passage, |t| t.0) {
                    found[at] = positions.to_vec();
                }
            }
        }
        (Leaf::Segment(..), LeafTerm::Segment(info)) if info.inline => {
            if let Ok(at) = targets.binary_search_by_key(&info.offset, |t| t.0) {
                found[at] = vec![info.extent as u8];
            }
        }
        (Leaf::Segment(segment, blocks), LeafTerm::Segment(info)) => {
            let base = segment.layout.postings + info.offset as u64 + info.extent as u64;
            let mut postings = segment.postings(*blocks, info)?;
            let mut wanted = Vec::with_capacity(targets.len());
            for (at, &(passage, _)) in targets.iter().enumerate() {
                if let Some((count, before)) = postings.seek(segment, *blocks, passage)? {
                    wanted.push((at, before, count));
                }
            }
            for (at, before, count) in wanted {
                let start = base + before;
                let end = start + count as u64;
                if end > segment.layout.pages {
                    return Err(segment.corrupt("positions"));
                }
                found[at] = segment.bytes(*blocks, start, end)?.to_vec();
            }
        }
        _ => {}
    }
    Ok(found)
}
