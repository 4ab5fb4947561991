//! Learned items as rows: which kinds of rows they are, how they are grouped, and which of them
//! get a vector.

use crate::store::projected_rows::row_kind::{RowKind, full_key};

/// Learned items that are indexed together, because their word weights are relative to each
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum LearnedGroup {
    /// Entries: their texts never change.
    Entries = 1,
    /// Tasks, insights and consolidated memories.
    Others = 2,
}

impl LearnedGroup {
    /// Every group.
    pub(crate) const ALL: [LearnedGroup; 2] = [LearnedGroup::Entries, LearnedGroup::Others];

    /// The row kinds of the group's learned items.
    pub(crate) fn row_kinds(self) -> &'static [RowKind] {
        match self {
            LearnedGroup::Entries => &[RowKind::Entry],
            LearnedGroup::Others => &[RowKind::Task, RowKind::Insight, RowKind::Consolidated],
        }
    }

    /// The group of a kind of rows.
    pub(crate) fn of(row_kind: RowKind) -> LearnedGroup {
        match row_kind {
            RowKind::Entry => LearnedGroup::Entries,
            _ => LearnedGroup::Others,
        }
    }
}

/// A learned item, identified by its row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LearnedRow {
    pub(crate) row_kind: RowKind,
    pub(crate) id: String,
}

impl LearnedRow {
    pub(in crate::store) fn of_key(key: &[u8]) -> Option<LearnedRow> {
        let (number, id) = key.split_first()?;
        let row_kind = learned_kind(*number)?;
        let id = std::str::from_utf8(id).ok()?.to_owned();
        Some(LearnedRow { row_kind, id })
    }

    pub(in crate::store) fn key(&self) -> Vec<u8> {
        full_key(self.row_kind, self.id.as_bytes())
    }
}

fn learned_kind(number: u8) -> Option<RowKind> {
    let mut kinds = LearnedGroup::ALL.iter().flat_map(|group| group.row_kinds());
    kinds.find(|kind| **kind as u8 == number).copied()
}

/// Whether a full key is that of a learned item.
pub(in crate::store) fn is_learned(key: &[u8]) -> bool {
    key.first()
        .is_some_and(|kind| learned_kind(*kind).is_some())
}

/// Whether the rows of a kind get vectors.
pub(in crate::store) fn has_vectors(row_kind: RowKind) -> bool {
    matches!(
        row_kind,
        RowKind::Entry | RowKind::Task | RowKind::Consolidated
    )
}

/// Whether a full key is that of a learned item that gets a vector. Insights repeat words of
/// events and get none.
pub(in crate::store) fn is_embedded(key: &[u8]) -> bool {
    LearnedRow::of_key(key).is_some_and(|row| has_vectors(row.row_kind))
}
