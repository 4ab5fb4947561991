//! The rows of the stored index of learned items: what waits to be indexed, which document
//! represents which item, and segments.
//!
//! They are in the same table as the rows they index: writing or removing a learned item
//! notes it in the same step, and a complete fold drops the index along with the rows. The
//! blocks of segments are stored with those of the lexical index, and share their
//! numbering.

use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::Result;
pub(crate) use crate::store::index_tables::learned_rows::{LearnedGroup, LearnedRow};
use crate::store::index_tables::lexical::{decode, encode};
use crate::store::meta::{Reader, corrupt};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// A learned item whose row was written or removed since it was indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LearnedChange {
    pub(crate) row: LearnedRow,
    /// The last write that did so.
    pub(crate) write: u64,
}

/// The items of a group that wait to be indexed, up to a limit.
pub(crate) fn changes(
    rows: &dyn Rows,
    group: LearnedGroup,
    most: usize,
) -> Result<Vec<LearnedChange>> {
    let mut found = Vec::new();
    for row_kind in group.row_kinds() {
        if found.len() >= most {
            break;
        }
        rows.scan(
            RowKind::LearnedChange,
            &[*row_kind as u8],
            None,
            &mut |key, row| {
                found.extend(LearnedRow::of_key(key).map(|of| LearnedChange {
                    row: of,
                    write: number(row),
                }));
                Ok(found.len() < most)
            },
        )?;
    }
    Ok(found)
}

/// How many learned items wait to be indexed.
pub(crate) fn waiting(rows: &dyn Rows) -> Result<u64> {
    Ok(rows.facts(RowKind::LearnedChange)?.rows)
}

/// Whether every learned item is indexed or waiting: not so in a store written before the
/// index existed.
pub(crate) fn is_whole(rows: &dyn Rows) -> Result<bool> {
    let mut learned = 0;
    for row_kind in LearnedGroup::ALL.iter().flat_map(|group| group.row_kinds()) {
        learned += rows.facts(*row_kind)?.rows;
    }
    Ok(learned <= waiting(rows)? + rows.facts(RowKind::LearnedDocument)?.rows)
}

/// A learned item's document in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LearnedDocument {
    pub(crate) number: u64,
    pub(crate) hash: [u8; 16],
}

/// The document of a learned item.
pub(crate) fn document(rows: &dyn Rows, of: &LearnedRow) -> Result<Option<LearnedDocument>> {
    let row = rows.get(RowKind::LearnedDocument, &of.key())?;
    row.map(|row| {
        let mut from = Reader::unsealed("learned document", &row);
        Ok(LearnedDocument {
            number: from.u64()?,
            hash: from.array()?,
        })
    })
    .transpose()
}

/// The item that a document represents; `None` if it is stale.
pub(crate) fn learned_of(
    rows: &dyn Rows,
    group: LearnedGroup,
    number: u64,
) -> Result<Option<LearnedRow>> {
    let row = rows.get(RowKind::LearnedOf, &number_key(group, number))?;
    Ok(row.as_deref().and_then(LearnedRow::of_key))
}

pub(in crate::store) fn number_key(group: LearnedGroup, number: u64) -> [u8; 9] {
    let mut key = [group as u8; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

pub(in crate::store) fn number(row: &[u8]) -> u64 {
    row.try_into().map_or(0, u64::from_le_bytes)
}

/// A segment of the learned index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LearnedSegment {
    pub(crate) group: LearnedGroup,
    pub(crate) info: SegmentInfo,
    /// How many of its documents are stale.
    pub(crate) gone: u32,
    /// Whether it must be rewritten because it may contain forgotten words.
    pub(crate) is_unclean: bool,
}

/// Every segment, in document order.
pub(crate) fn segments(rows: &dyn Rows) -> Result<Vec<LearnedSegment>> {
    let mut found = Vec::new();
    rows.scan(RowKind::LearnedSegment, &[], None, &mut |_, row| {
        let mut from = Reader::unsealed("learned segment", row);
        let number = from.u8()?;
        let group = LearnedGroup::ALL
            .into_iter()
            .find(|group| *group as u8 == number)
            .ok_or_else(|| corrupt("learned segment", "has an unknown group"))?;
        found.push(LearnedSegment {
            group,
            is_unclean: from.u8()? == 1,
            gone: from.u32()?,
            info: decode(&mut from)?,
        });
        Ok(true)
    })?;
    found.sort_by_key(|segment| (segment.group, segment.info.seq_from));
    Ok(found)
}

fn id_of(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}

/// The name under which the last document number is kept.
const LAST_NUMBER: &[u8] = b"learned documents";

impl ProjectedMut<'_> {
    /// Removes a learned item from those that wait to be indexed.
    pub(crate) fn remove_change(&mut self, of: &LearnedRow) -> Result<()> {
        self.remove(RowKind::LearnedChange, &of.key())
    }

    /// Marks a learned item as waiting to be indexed.
    pub(crate) fn put_change(&mut self, of: &LearnedRow) -> Result<()> {
        let write = self.write().to_le_bytes();
        self.put(RowKind::LearnedChange, &of.key(), &write)
    }

    /// Reserves so many new document numbers; returns the first.
    pub(crate) fn next_documents(&mut self, count: usize) -> Result<u64> {
        let last = self.get(RowKind::Cursor, LAST_NUMBER)?;
        let last = last.map_or(0, |last| number(&last));
        let next = last + count as u64;
        self.put(RowKind::Cursor, LAST_NUMBER, &next.to_le_bytes())?;
        Ok(last + 1)
    }

    /// Notes which document represents a learned item.
    pub(crate) fn put_document(
        &mut self,
        of: &LearnedRow,
        document: LearnedDocument,
    ) -> Result<()> {
        let mut row = document.number.to_le_bytes().to_vec();
        row.extend_from_slice(&document.hash);
        self.put(RowKind::LearnedDocument, &of.key(), &row)?;
        let key = number_key(LearnedGroup::of(of.row_kind), document.number);
        self.put(RowKind::LearnedOf, &key, &of.key())
    }

    /// Removes the link between a learned item and its document.
    pub(crate) fn remove_document(&mut self, of: &LearnedRow, number: u64) -> Result<()> {
        let group = LearnedGroup::of(of.row_kind);
        self.remove(RowKind::LearnedDocument, &of.key())?;
        self.remove_words(group, number)?;
        self.remove(RowKind::LearnedOf, &number_key(group, number))
    }

    /// Stores a segment's descriptor.
    pub(crate) fn put_segment(&mut self, segment: &LearnedSegment) -> Result<()> {
        let mut row = vec![segment.group as u8, u8::from(segment.is_unclean)];
        row.extend_from_slice(&segment.gone.to_le_bytes());
        row.extend_from_slice(&encode(&segment.info));
        let key = segment.info.id.to_be_bytes();
        self.put(RowKind::LearnedSegment, &key, &row)
    }

    /// Removes a segment's descriptor, but not its blocks.
    pub(crate) fn remove_segment(&mut self, id: u64) -> Result<()> {
        self.remove(RowKind::LearnedSegment, &id.to_be_bytes())
    }

    /// Removes every row of the index, even damaged ones. Returns the segments, whose
    /// blocks remain.
    pub(crate) fn clear_learned_index(&mut self) -> Result<Vec<u64>> {
        for row_kind in [
            RowKind::LearnedChange,
            RowKind::LearnedDocument,
            RowKind::LearnedOf,
            RowKind::LearnedWord,
            RowKind::LearnedPiece,
            RowKind::LearnedWords,
        ] {
            self.remove_all(row_kind)?;
        }
        let segments = self.remove_all(RowKind::LearnedSegment)?;
        Ok(segments.iter().filter_map(|key| id_of(key)).collect())
    }
}
