//! Stores the vectors of learned items: entries, the titles of tasks, and consolidated
//! memories. There are thousands of them at most in a usual store, so a search compares them
//! all, and one vector of 8-bit numbers for each is enough.
//!
//! The rows are beside those of the items (`store/index_tables/learned.rs` says why): whatever writes or
//! removes an item marks it in the same step, and whatever drops or does not copy the items'
//! index drops the vectors too. An item has one vector, made by the embedder that was active.

use crate::index::vector::quantise::Int8Vector;
use crate::model::error::Result;
use crate::store::WriteTx;
use crate::store::index_tables::learned::{LearnedRow, number};
use crate::store::index_tables::learned_rows::has_vectors;
use crate::store::meta::Reader;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The number by which jobs name a learned item, derived from its kind and id.
pub(crate) fn number_of(row: &LearnedRow) -> u64 {
    let hash = blake3::hash(&row.key());
    let bytes = hash.as_bytes().first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(bytes)
}

/// The vector of a learned item, or the note that it waits for one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearnedVector {
    pub(crate) row: LearnedRow,
    /// The embedding version that makes it.
    pub(crate) version: u32,
    /// The hash of the embedded text.
    pub(crate) hash: [u8; 16],
    /// The value of one step of the numbers; 0 while there is no vector.
    pub(crate) scale: f32,
    /// The numbers as signed bytes; empty while there is no vector.
    pub(crate) values: Vec<u8>,
}

impl LearnedVector {
    /// The note that an item waits for the vector of a text.
    pub(crate) fn waiting(row: LearnedRow, version: u32, hash: [u8; 16]) -> Self {
        LearnedVector {
            row,
            version,
            hash,
            scale: 0.0,
            values: Vec::new(),
        }
    }

    /// The same with a unit vector.
    pub(crate) fn with(self, unit: &[f32]) -> Self {
        let Int8Vector { values, scale } = Int8Vector::new(unit);
        LearnedVector {
            scale,
            values: values.iter().map(|value| *value as u8).collect(),
            ..self
        }
    }

    fn encode(&self) -> Vec<u8> {
        let key = self.row.key();
        let mut out = self.version.to_le_bytes().to_vec();
        out.extend_from_slice(&self.hash);
        out.extend_from_slice(&self.scale.to_bits().to_le_bytes());
        out.extend_from_slice(&(key.len() as u32).to_le_bytes());
        out.extend_from_slice(&key);
        out.extend_from_slice(&self.values);
        out
    }

    /// `None` for a row of an unknown kind.
    fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        let mut from = Reader::unsealed("learned vector", bytes);
        let (version, hash) = (from.u32()?, from.array()?);
        let scale = f32::from_bits(from.u32()?);
        let length = from.u32()? as usize;
        let Some((key, values)) = from.rest().split_at_checked(length) else {
            return Ok(None);
        };
        Ok(LearnedRow::of_key(key).map(|row| LearnedVector {
            row,
            version,
            hash,
            scale,
            values: values.to_vec(),
        }))
    }
}

/// The vector under a number.
pub(crate) fn vector(rows: &dyn Rows, number: u64) -> Result<Option<LearnedVector>> {
    match rows.get(RowKind::LearnedVector, &number.to_be_bytes())? {
        Some(row) => LearnedVector::decode(&row),
        None => Ok(None),
    }
}

/// Visits the vectors of a version.
pub(crate) fn each(
    rows: &dyn Rows,
    version: u32,
    visit: &mut dyn FnMut(LearnedVector),
) -> Result<()> {
    rows.scan(RowKind::LearnedVector, &[], None, &mut |_, row| {
        if let Some(found) = LearnedVector::decode(row)?
            && found.version == version
            && !found.values.is_empty()
        {
            visit(found);
        }
        Ok(true)
    })
}

/// A learned item that may need a vector, and the number of the last write that marked it.
pub(crate) struct ToEmbed {
    pub(crate) row: LearnedRow,
    pub(crate) write: u64,
}

/// The learned items that may need a vector, at most so many.
pub(crate) fn to_embed(rows: &dyn Rows, most: usize) -> Result<Vec<ToEmbed>> {
    let mut found = Vec::new();
    rows.scan(RowKind::LearnedToEmbed, &[], None, &mut |key, row| {
        found.extend(LearnedRow::of_key(key).map(|of| ToEmbed {
            row: of,
            write: number(row),
        }));
        Ok(found.len() < most)
    })?;
    Ok(found)
}

impl ProjectedMut<'_> {
    /// Marks a learned item as one that may need a vector.
    pub(crate) fn put_to_embed(&mut self, row: &LearnedRow) -> Result<()> {
        if !has_vectors(row.row_kind) {
            return Ok(());
        }
        let write = self.write().to_le_bytes();
        self.put(RowKind::LearnedToEmbed, &row.key(), &write)
    }

    /// Removes that mark.
    pub(crate) fn remove_to_embed(&mut self, row: &LearnedRow) -> Result<()> {
        self.remove(RowKind::LearnedToEmbed, &row.key())
    }

    /// Stores a vector, or that an item waits for one.
    pub(crate) fn put_learned_vector(&mut self, vector: &LearnedVector) -> Result<()> {
        let key = number_of(&vector.row).to_be_bytes();
        self.put(RowKind::LearnedVector, &key, &vector.encode())
    }

    /// Removes the vector of a learned item, if it has one.
    pub(crate) fn remove_learned_vector(&mut self, row: &LearnedRow) -> Result<()> {
        let key = number_of(row).to_be_bytes();
        self.remove(RowKind::LearnedVector, &key)
    }
}

impl WriteTx<'_> {
    /// Stores the unit vectors of learned items under their numbers, unless they are gone.
    pub(crate) fn put_learned_vectors(&self, made: &[(u64, Vec<f32>)]) -> Result<()> {
        if made.is_empty() {
            return Ok(());
        }
        let mut rows = self.projected()?;
        for (number, unit) in made {
            if let Some(waiting) = vector(&rows, *number)? {
                rows.put_learned_vector(&waiting.with(unit))?;
            }
        }
        // Vectors are no layer of their own.
        rows.finish(i64::MIN)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::index_tables::learned_vectors::*;

    fn row(row_kind: RowKind, id: &str) -> LearnedRow {
        let id = id.to_owned();
        LearnedRow { row_kind, id }
    }

    #[test]
    fn a_vector_comes_back_and_keeps_its_direction() {
        let waiting = LearnedVector::waiting(row(RowKind::Entry, "e1"), 3, [7; 16]);
        let decoded = LearnedVector::decode(&waiting.encode()).expect("sound");
        assert_eq!(decoded.as_ref(), Some(&waiting));
        let made = waiting.with(&[0.6, -0.8]);
        let decoded = LearnedVector::decode(&made.encode()).expect("sound");
        let decoded = decoded.expect("a known kind");
        assert_eq!(decoded, made);
        let second = f32::from(decoded.values[1] as i8) * decoded.scale;
        assert!((second + 0.8).abs() < 0.01, "{second}");
        for length in 0..28 {
            let cut = LearnedVector::decode(&made.encode()[..length]);
            assert!(!matches!(cut, Ok(Some(_))), "{length}");
        }
    }

    #[test]
    fn only_items_that_say_something_get_vectors() {
        for (row_kind, embeds) in [
            (RowKind::Entry, true),
            (RowKind::Task, true),
            (RowKind::Consolidated, true),
            (RowKind::Insight, false),
            (RowKind::Setting, false),
        ] {
            assert_eq!(
                crate::store::index_tables::learned_rows::is_embedded(&row(row_kind, "x").key()),
                embeds
            );
        }
        let (entry, task) = (row(RowKind::Entry, "x"), row(RowKind::Task, "x"));
        assert_ne!(number_of(&entry), number_of(&task));
    }
}
