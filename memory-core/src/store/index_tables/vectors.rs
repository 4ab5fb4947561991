//! The tables of vectors: the vectors themselves, their mean, and the order in which they were
//! added, which side files refer to.

use std::ops::{Bound, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

use crate::index::side_file;
use crate::index::vector::VectorId;
use crate::index::vector::folder::{self, Unwanted};
use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::checked::{Held, ReadOnlyTable, ReadableTable, Table};
use crate::store::database::panics::catch_panic;
use crate::store::index_tables::embedding_versions::EmbeddingRow;
use crate::store::log::tombstone::ranges;
use crate::store::meta::{Reader, seal};
use crate::store::tables;
use crate::store::{ReadTx, Store, WriteTx};

/// The key in the meta table for the list of events whose vectors were removed from the store but
/// may still be in side files.
const UNCLEAN_KEY: &str = "unclean_vectors";

/// The size of a stored vector's header: start and length of the passage.
const PLACE_BYTES: usize = 8;

/// The unit vector of one window of an event's text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WindowVector {
    /// The number of the window in the event.
    pub(crate) window: u16,
    /// The start of the window's passage in the event's content, in bytes.
    pub(crate) start: u32,
    /// The length of that passage in bytes.
    pub(crate) length: u32,
    pub(crate) values: Vec<f32>,
}

/// A stored vector, read without copying.
#[derive(Clone, Copy)]
pub(crate) struct StoredVector<'a> {
    pub(crate) window: u16,
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// The numbers, little-endian.
    pub(crate) floats: &'a [u8],
}

impl StoredVector<'_> {
    pub(crate) fn values(&self) -> impl Iterator<Item = f32> + '_ {
        self.floats
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks have 4 bytes")))
    }
}

fn read_vector<'a>(key: &[u8], value: &'a [u8], dimensions: u32) -> Result<StoredVector<'a>> {
    let window = key
        .last_chunk::<2>()
        .map(|bytes| u16::from_be_bytes(*bytes));
    let place = value.split_at_checked(PLACE_BYTES);
    match (window, place) {
        (Some(window), Some((place, floats))) if floats.len() == dimensions as usize * 4 => {
            let number = |at: usize| {
                u32::from_le_bytes(place[at..at + 4].try_into().expect("4 bytes were taken"))
            };
            Ok(StoredVector {
                window,
                start: number(0),
                length: number(4),
                floats,
            })
        }
        _ => Err(Error::new(
            ErrorCode::Corrupt,
            format!(
                "a vector of event {} has {} bytes, which does not fit its embedder; run check()",
                key.get(4..12)
                    .and_then(|seq| seq.try_into().ok())
                    .map_or(0, u64::from_be_bytes),
                value.len()
            ),
        )),
    }
}

fn windows_of(version: u32, seq: u64) -> RangeInclusive<[u8; 14]> {
    tables::vector_key(version, seq, 0)..=tables::vector_key(version, seq, u16::MAX)
}

/// The sum of a version's vectors, in f64 so that adding and subtracting vectors does not
/// accumulate errors.
fn decode_sums(bytes: &[u8], dimensions: u32) -> Result<Vec<f64>> {
    let mut from = Reader::unseal("sum of vectors", bytes)?;
    (0..dimensions)
        .map(|_| Ok(f64::from_bits(from.u64()?)))
        .collect()
}

fn encode_sums(sums: &[f64]) -> Vec<u8> {
    seal(
        sums.iter()
            .flat_map(|sum| sum.to_bits().to_le_bytes())
            .collect(),
    )
}

impl WriteTx<'_> {
    /// Stores vectors of events, replacing those that they had.
    pub(crate) fn put_vectors(
        &mut self,
        version: u32,
        events: &[(u64, Vec<WindowVector>)],
    ) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let mut row = self.embedding_row(version)?;
        {
            let mut change = VectorChange::open(self, version, &row)?;
            let mut order = self.transaction.open_table(tables::VECTOR_ORDER)?;
            for (seq, windows) in events {
                change.remove(*seq, &mut row)?;
                for window in windows {
                    change.add(*seq, window, &mut row)?;
                }
                row.written += 1;
                let key = tables::vector_order_key(version, row.written);
                order.insert(key.as_slice(), *seq)?;
            }
            change.finish()?;
        }
        self.put_embedding_row(version, &row)
    }

    #[cfg(test)]
    pub(crate) fn mark_deleted_for_test(&mut self, seq: u64) -> Result<()> {
        let mut tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
        tombstones.insert(seq, self.state.last_seq)?;
        self.state.forgotten_events += 1;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn damage_vector_for_test(&mut self, version: u32, seq: u64) -> Result<()> {
        let key = tables::vector_key(version, seq, 0);
        let mut vectors = self.transaction.open_table(tables::VECTORS)?;
        vectors.insert(key.as_slice(), [7].as_slice())?;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn damage_sums_for_test(&mut self, version: u32) -> Result<()> {
        let mut sums = self.transaction.open_table(tables::VECTOR_SUMS)?;
        sums.insert(version, [7].as_slice())?;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn damage_record_for_test(&mut self, seq: u64) -> Result<()> {
        let mut events = self.transaction.open_table(tables::EVENTS)?;
        let Some(mut record) = events.get(seq)?.map(|record| record.value().to_vec()) else {
            return Ok(());
        };
        if let Some(last) = record.last_mut() {
            *last ^= 0x55;
        }
        events.insert(seq, record.as_slice())?;
        Ok(())
    }

    /// Removes the vectors of events. Those that had any are recorded until no side file has their
    /// vectors; see [`WriteTx::vectors_are_clean`].
    pub(in crate::store) fn remove_vectors(&mut self, version: u32, seqs: &[u64]) -> Result<()> {
        let mut row = self.embedding_row(version)?;
        let mut had = Vec::new();
        {
            let mut change = VectorChange::open(self, version, &row)?;
            for seq in seqs {
                let before = row.vectors;
                change.remove(*seq, &mut row)?;
                if row.vectors != before {
                    had.push(*seq);
                }
            }
            change.finish()?;
        }
        if had.is_empty() {
            return Ok(());
        }
        self.put_embedding_row(version, &row)?;
        had.extend(unclean(&self.transaction.open_table(tables::META)?)?);
        self.set_unclean_vectors(had)
    }

    /// Records that no side file contains vectors of these events any more.
    pub(crate) fn vectors_are_clean(&mut self, seqs: &[u64]) -> Result<()> {
        let mut left = unclean(&self.transaction.open_table(tables::META)?)?;
        left.retain(|seq| seqs.binary_search(seq).is_err());
        self.set_unclean_vectors(left)
    }

    fn set_unclean_vectors(&mut self, mut seqs: Vec<u64>) -> Result<()> {
        seqs.sort_unstable();
        seqs.dedup();
        let mut table = self.transaction.open_table(tables::META)?;
        if seqs.is_empty() {
            table.remove(UNCLEAN_KEY)?;
            return Ok(());
        }
        let ranges = ranges(&seqs);
        let mut out = (ranges.len() as u32).to_le_bytes().to_vec();
        for (from, to) in ranges {
            out.extend_from_slice(&from.to_le_bytes());
            out.extend_from_slice(&to.to_le_bytes());
        }
        table.insert(UNCLEAN_KEY, seal(out).as_slice())?;
        Ok(())
    }
}

/// The events of [`UNCLEAN_KEY`], ascending.
fn unclean(table: &impl ReadableTable<&'static str, &'static [u8]>) -> Result<Vec<u64>> {
    let Some(bytes) = table.get(UNCLEAN_KEY)? else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("list of vectors to be removed", bytes.value())?;
    let mut seqs = Vec::new();
    for _ in 0..from.u32()? {
        let (first, last) = (from.u64()?, from.u64()?);
        seqs.extend(first..=last);
    }
    Ok(seqs)
}

impl Store {
    /// Removes the vectors of forgotten and erased events from the side files. Waits for another
    /// builder up to `patience`; returns false if that one may still write some of them, or if a
    /// file with some of them is left, and the next call must remove them again.
    ///
    /// Any process can do this, with or without an embedder.
    pub(crate) fn take_out_vectors(&self, patience: Duration) -> Result<bool> {
        let unwanted = self.read()?.unwanted_vectors()?;
        let is_clean = unwanted.seqs.is_empty()
            && !folder::list(&self.index)?
                .iter()
                .any(|named| unwanted.is_all_of(named));
        match is_clean {
            true => Ok(true),
            false => self.clean_side_files(patience),
        }
    }

    /// Like [`Store::take_out_vectors`], but also removes unfinished and unreadable files in any
    /// case.
    pub(crate) fn clean_side_files(&self, patience: Duration) -> Result<bool> {
        let unclean = match side_file::is_there(&self.index)? {
            false => self.read()?.unclean_vectors()?,
            true => {
                let turn = folder::take_turn(&self.index, patience)?;
                // Read in the turn, so that every version that has a file is known.
                let read = self.read()?;
                let (unclean, unwanted) = (read.unclean_vectors()?, read.unwanted_vectors()?);
                drop(read);
                let is_clean = folder::take_out(&self.index, &unwanted, turn.as_ref())?;
                if turn.is_none() || !is_clean {
                    return Ok(false);
                }
                unclean
            }
        };
        if !unclean.is_empty() {
            self.write(|tx| tx.vectors_are_clean(&unclean))?;
        }
        Ok(true)
    }

    /// The side files that may contain vectors of forgotten or erased events, and foreign files. If
    /// [`ReadTx::unclean_vectors`] is empty, no other file contains such vectors.
    ///
    /// # Errors
    /// Also if the folder cannot be listed.
    pub(crate) fn unclean_side_files(&self) -> Result<Vec<PathBuf>> {
        let unwanted = self.read()?.unwanted_vectors()?;
        folder::unclean(&self.index, &unwanted)
    }
}

impl WriteTx<'_> {
    /// Copies the vectors of another store file except those of some events.
    pub(in crate::store) fn copy_vectors_without(
        &mut self,
        old: &ReadTx,
        is_gone: &dyn Fn(u64) -> bool,
    ) -> Result<()> {
        let from = old.transaction.open_table(tables::VECTORS)?;
        let mut to = self.transaction.open_table(tables::VECTORS)?;
        let mut cursor = Held::new(to.unnoted().upper_bound_mut(Bound::<&[u8]>::Unbounded)?);
        for entry in from.iter()? {
            let (key, value) = entry?;
            self.running.count_row()?;
            if !is_gone(vector_owner(key.value())) {
                cursor.insert_before(key.value(), value.value())?;
            }
        }
        cursor.into_inner().close()?;
        Ok(())
    }

    /// Copies the counters and sums of another store file whose jobs were all copied, and whose
    /// vectors were copied except those of the events in `gone`. Side files may still contain these
    /// vectors, which is recorded together with what the other file had recorded. Then the jobs of
    /// these events are dropped. Returns how many there were.
    pub(crate) fn settle_embeddings(&mut self, old: &ReadTx, gone: &[u64]) -> Result<u64> {
        self.transaction.delete_table(tables::EMBEDDINGS)?;
        self.copy_table(old, tables::EMBEDDINGS)?;
        self.transaction.delete_table(tables::VECTOR_SUMS)?;
        self.copy_table(old, tables::VECTOR_SUMS)?;
        let vectors = old.transaction.open_table(tables::VECTORS)?;
        let mut unclean = old.unclean_vectors()?;
        for version in self.embedding_versions()? {
            let mut row = self.embedding_row(version)?;
            let mut change = VectorChange::open(self, version, &row)?;
            for &seq in gone {
                let before = row.vectors;
                let range = windows_of(version, seq);
                for entry in vectors.range(range.start().as_slice()..=range.end().as_slice())? {
                    let (key, value) = entry?;
                    let vector = read_vector(key.value(), value.value(), change.dimensions)?;
                    change.take_away(&vector, &mut row);
                }
                if row.vectors != before {
                    unclean.push(seq);
                }
            }
            change.finish()?;
            self.put_embedding_row(version, &row)?;
        }
        self.set_unclean_vectors(unclean)?;
        self.drop_embeddings(gone)
    }
}

/// The event of the vector with this key.
pub(in crate::store) fn vector_owner(key: &[u8]) -> u64 {
    let bytes = key.get(4..12).unwrap_or_default();
    bytes
        .iter()
        .fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// The tables that change whenever vectors change.
struct VectorChange<'t> {
    version: u32,
    dimensions: u32,
    vectors: Table<'t, &'static [u8], &'static [u8]>,
    sums_table: Table<'t, u32, &'static [u8]>,
    sums: Vec<f64>,
}

impl<'t> VectorChange<'t> {
    fn open(tx: &'t WriteTx<'_>, version: u32, row: &EmbeddingRow) -> Result<Self> {
        let sums_table = tx.transaction.open_table(tables::VECTOR_SUMS)?;
        let sums = match sums_table.get(version)? {
            Some(bytes) => decode_sums(bytes.value(), row.dimensions)?,
            None => vec![0.0; row.dimensions as usize],
        };
        Ok(VectorChange {
            version,
            dimensions: row.dimensions,
            vectors: tx.transaction.open_table(tables::VECTORS)?,
            sums_table,
            sums,
        })
    }

    fn remove(&mut self, seq: u64, row: &mut EmbeddingRow) -> Result<()> {
        let range = windows_of(self.version, seq);
        let range = range.start().as_slice()..=range.end().as_slice();
        for entry in Held::new(self.vectors.extract_in(range)?) {
            let (key, value) = entry?;
            let vector = read_vector(key.value(), value.value(), self.dimensions)?;
            for (sum, value) in self.sums.iter_mut().zip(vector.values()) {
                *sum -= f64::from(value);
            }
            row.vectors = row.vectors.saturating_sub(1);
        }
        Ok(())
    }

    /// Subtracts a vector that was not copied to this file from the sum and the count.
    fn take_away(&mut self, vector: &StoredVector<'_>, row: &mut EmbeddingRow) {
        for (sum, value) in self.sums.iter_mut().zip(vector.values()) {
            *sum -= f64::from(value);
        }
        row.vectors = row.vectors.saturating_sub(1);
    }

    fn add(&mut self, seq: u64, window: &WindowVector, row: &mut EmbeddingRow) -> Result<()> {
        if window.values.len() != self.dimensions as usize {
            return Err(Error::new(
                ErrorCode::Embedder,
                format!(
                    "a vector of event {seq} has {} dimensions instead of {}",
                    window.values.len(),
                    self.dimensions
                ),
            ));
        }
        let mut bytes = Vec::with_capacity(PLACE_BYTES + window.values.len() * 4);
        bytes.extend_from_slice(&window.start.to_le_bytes());
        bytes.extend_from_slice(&window.length.to_le_bytes());
        for (sum, value) in self.sums.iter_mut().zip(&window.values) {
            *sum += f64::from(*value);
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let key = tables::vector_key(self.version, seq, window.window);
        self.vectors.insert(key.as_slice(), bytes.as_slice())?;
        row.vectors += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.sums_table
            .insert(self.version, encode_sums(&self.sums).as_slice())?;
        Ok(())
    }
}

/// The vectors of one version, open for reading.
pub(crate) struct Vectors {
    version: u32,
    dimensions: u32,
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
}

impl Vectors {
    /// Visits the vectors of an event, in the order of its windows.
    pub(crate) fn each_of(
        &self,
        seq: u64,
        mut visit: impl FnMut(StoredVector<'_>) -> Result<()>,
    ) -> Result<()> {
        let range = windows_of(self.version, seq);
        for entry in self
            .table
            .range(range.start().as_slice()..=range.end().as_slice())?
        {
            let (key, value) = entry?;
            visit(read_vector(key.value(), value.value(), self.dimensions)?)?;
        }
        Ok(())
    }

    /// Runs `look` on one vector; `None` if it does not exist.
    pub(crate) fn with<T>(
        &self,
        id: VectorId,
        look: impl FnOnce(StoredVector<'_>) -> T,
    ) -> Result<Option<T>> {
        let key = tables::vector_key(self.version, id.seq, id.passage);
        match self.table.get(key.as_slice())? {
            Some(value) => read_vector(&key, value.value(), self.dimensions)
                .map(look)
                .map(Some),
            None => Ok(None),
        }
    }
}

impl ReadTx {
    /// The events whose vectors were removed from the store but may still be in side files,
    /// ascending. They are forgotten or erased.
    pub(crate) fn unclean_vectors(&self) -> Result<Vec<u64>> {
        catch_panic(|| unclean(&self.transaction.open_table(tables::META)?))
    }

    /// The vectors that must be in no side file.
    pub(crate) fn unwanted_vectors(&self) -> Result<Unwanted> {
        Ok(Unwanted {
            seqs: self.unclean_vectors()?.into_iter().collect(),
            versions: self.named_embeddings()?,
        })
    }

    /// The vectors of a version.
    pub(crate) fn vectors(&self, version: u32, row: &EmbeddingRow) -> Result<Vectors> {
        catch_panic(|| {
            Ok(Vectors {
                version,
                dimensions: row.dimensions,
                table: self.transaction.open_table(tables::VECTORS)?,
            })
        })
    }

    /// The mean of a version's vectors; empty if there are none.
    pub(crate) fn mean_vector(&self, version: u32, row: &EmbeddingRow) -> Result<Vec<f32>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::VECTOR_SUMS)?;
            let Some(bytes) = table.get(version)?.filter(|_| row.vectors > 0) else {
                return Ok(Vec::new());
            };
            let sums = decode_sums(bytes.value(), row.dimensions)?;
            Ok(sums
                .iter()
                .map(|sum| (sum / row.vectors as f64) as f32)
                .collect())
        })
    }

    /// The events that got vectors after ordinal `after` and up to `to`, in order; an event may
    /// occur more than once.
    pub(crate) fn vector_order(&self, version: u32, after: u64, to: u64) -> Result<Vec<u64>> {
        catch_panic(|| {
            if after >= to {
                return Ok(Vec::new());
            }
            let table = self.transaction.open_table(tables::VECTOR_ORDER)?;
            let (from, to) = (
                tables::vector_order_key(version, after),
                tables::vector_order_key(version, to),
            );
            table
                .range((
                    Bound::Excluded(from.as_slice()),
                    Bound::Included(to.as_slice()),
                ))?
                .map(|entry| Ok(entry?.1.value()))
                .collect()
        })
    }

    /// Forgotten and erased events.
    pub(crate) fn deleted_seqs(&self) -> Result<Vec<u64>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::TOMBSTONES)?;
            table.iter()?.map(|entry| Ok(entry?.0.value())).collect()
        })
    }

    /// Events of a session or, without one, of a project; ascending.
    pub(crate) fn seqs_of(&self, session: Option<u32>, project: Option<u32>) -> Result<Vec<u64>> {
        catch_panic(|| {
            let mut seqs: Vec<u64> = match (session, project) {
                (Some(session), _) => {
                    let table = self.transaction.open_table(tables::SESSION_EVENTS)?;
                    let (from, to) = (
                        tables::session_event_key(session, &[0; 16]),
                        tables::session_event_key(session, &[0xff; 16]),
                    );
                    table
                        .range(from.as_slice()..=to.as_slice())?
                        .map(|entry| Ok(tables::seq_of(entry?.0.value())))
                        .collect::<Result<_>>()?
                }
                (None, Some(project)) => {
                    let table = self.transaction.open_table(tables::BY_FACET)?;
                    let facet = tables::Facet::Project;
                    let (from, to) = (
                        tables::facet_key(facet, project, &[0; 16]),
                        tables::facet_key(facet, project, &[0xff; 16]),
                    );
                    table
                        .range(from.as_slice()..=to.as_slice())?
                        .map(|entry| Ok(tables::seq_of(entry?.0.value())))
                        .collect::<Result<_>>()?
                }
                (None, None) => {
                    let table = self.transaction.open_table(tables::BY_TIME)?;
                    table
                        .iter()?
                        .map(|entry| Ok(tables::seq_of(entry?.0.value())))
                        .collect::<Result<_>>()?
                }
            };
            seqs.sort_unstable();
            Ok(seqs)
        })
    }
}
