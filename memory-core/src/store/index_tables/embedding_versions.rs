//! The embedding versions of a store: one row for each, with the counters that `stats` shows, and
//! which is active.

use crate::index::vector::folder;
use crate::model::error::{ErrorCode, Result};
use crate::model::stats::EmbeddingStats;
use crate::model::time::Timestamp;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::meta::{Reader, put_text, seal};
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::store::{ReadTx, WriteTx, tables};

/// The key of the active version in the version table; versions count from 1.
const ACTIVE: u32 = 0;

/// The row of one embedding version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EmbeddingRow {
    /// The embedder's id and fingerprint.
    pub(crate) name: String,
    pub(crate) dimensions: u32,
    /// Jobs by status, in the order of [`outbox::JobStatus`](crate::rules::outbox::JobStatus).
    pub(crate) jobs: [u64; 4],
    pub(crate) processing_ms: u64,
    pub(crate) timed_jobs: u64,
    pub(crate) last_done_ms: i64,
    /// Stored vectors.
    pub(crate) vectors: u64,
    /// The last ordinal in the order in which events got their vectors.
    pub(crate) written: u64,
    /// The range of events still to be enqueued.
    pub(crate) backfill_next: u64,
    pub(crate) backfill_to: u64,
}

impl EmbeddingRow {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = vec![1];
        put_text(&mut out, &self.name);
        out.extend_from_slice(&self.dimensions.to_le_bytes());
        for number in self.jobs.into_iter().chain([
            self.processing_ms,
            self.timed_jobs,
            self.last_done_ms as u64,
            self.vectors,
            self.written,
            self.backfill_next,
            self.backfill_to,
        ]) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        seal(out)
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::unseal("embedding row", bytes)?;
        from.version(1)?;
        Ok(EmbeddingRow {
            name: from.text()?,
            dimensions: from.u32()?,
            jobs: [from.u64()?, from.u64()?, from.u64()?, from.u64()?],
            processing_ms: from.u64()?,
            timed_jobs: from.u64()?,
            last_done_ms: from.i64()?,
            vectors: from.u64()?,
            written: from.u64()?,
            backfill_next: from.u64()?,
            backfill_to: from.u64()?,
        })
    }

    /// How many log positions are still to be enqueued.
    pub(crate) fn to_enqueue(&self) -> u64 {
        (self.backfill_to + 1).saturating_sub(self.backfill_next)
    }
}

fn versions_of(table: &impl ReadableTable<u32, &'static [u8]>) -> Result<Vec<u32>> {
    let versions = table.range(ACTIVE + 1..)?;
    versions.map(|entry| Ok(entry?.0.value())).collect()
}

pub(super) fn active_of(table: &impl ReadableTable<u32, &'static [u8]>) -> Result<Option<u32>> {
    match table.get(ACTIVE)? {
        Some(row) => Reader::unseal("active embedding", row.value())?
            .u32()
            .map(Some),
        None => Ok(None),
    }
}

impl WriteTx<'_> {
    /// The row of a version.
    pub(in crate::store) fn embedding_row(&self, version: u32) -> Result<EmbeddingRow> {
        self.transaction
            .open_table(tables::EMBEDDINGS)?
            .get(version)?
            .map_or(Ok(EmbeddingRow::default()), |row| {
                EmbeddingRow::decode(row.value())
            })
    }

    pub(in crate::store) fn put_embedding_row(
        &self,
        version: u32,
        row: &EmbeddingRow,
    ) -> Result<()> {
        self.transaction
            .open_table(tables::EMBEDDINGS)?
            .insert(version, row.encode().as_slice())?;
        Ok(())
    }

    /// Makes a version the one for which new events get jobs. If it was not active,
    /// existing events are enqueued step by step, see [`WriteTx::backfill`].
    pub(crate) fn activate_embedding(&mut self, name: &str, dimensions: u32) -> Result<u32> {
        let mut table = self.transaction.open_table(tables::EMBEDDINGS)?;
        let (version, mut row) = match find_version(&table, name)? {
            Some(known) => known,
            None => {
                let last = table.last()?.map_or(ACTIVE, |(number, _)| number.value());
                let row = EmbeddingRow {
                    name: name.to_owned(),
                    ..EmbeddingRow::default()
                };
                (last + 1, row)
            }
        };
        if active_of(&table)? == Some(version) {
            return Ok(version);
        }
        table.insert(ACTIVE, seal(version.to_le_bytes().to_vec()).as_slice())?;
        drop(table);
        row.dimensions = dimensions;
        (row.backfill_next, row.backfill_to) = (1, self.state.last_seq);
        self.put_embedding_row(version, &row)?;
        Ok(version)
    }

    #[cfg(test)]
    pub(crate) fn damage_embedding_for_test(&mut self, version: u32) -> Result<()> {
        let mut table = self.transaction.open_table(tables::EMBEDDINGS)?;
        table.insert(version, [0; 8].as_slice())?;
        Ok(())
    }

    /// Has learned items marked as with an active embedder, or without one, in a file that does
    /// not name it yet.
    pub(crate) fn use_embeds(&self, embeds: bool) {
        // It is looked up only when it is needed for the first time.
        let _ = self.embeds.set(embeds);
    }

    /// Whether an embedder is active, so that new texts need vectors. Looked up once in a
    /// transaction.
    pub(crate) fn embeds(&self) -> Result<bool> {
        if let Some(known) = self.embeds.get() {
            return Ok(*known);
        }
        let table = self.transaction.open_table(tables::EMBEDDINGS)?;
        // What cannot be read is healed by a rebuild, after which every item is marked.
        let embeds = !matches!(active_of(&table), Ok(None));
        Ok(*self.embeds.get_or_init(|| embeds))
    }

    /// The numbers of the known embedding versions.
    pub(in crate::store) fn embedding_versions(&self) -> Result<Vec<u32>> {
        versions_of(&self.transaction.open_table(tables::EMBEDDINGS)?)
    }

    /// Leaves out the embedding versions of another store file, but does not give their numbers to
    /// new ones: side files of theirs may still be in the folder, and in the memory of other
    /// processes.
    pub(crate) fn pass_over_embeddings(&mut self, old: &ReadTx) -> Result<()> {
        let known = match old.embedding_versions() {
            // Its files show how far it had come.
            Err(error) if error.code() == ErrorCode::Corrupt => Vec::new(),
            known => known?,
        };
        let named = folder::list(self.index)?;
        let named = named.into_iter().map(|named| named.version);
        if let Some(last) = known.into_iter().chain(named).max() {
            // A version without a name is never used.
            self.put_embedding_row(last.saturating_add(1), &EmbeddingRow::default())?;
        }
        Ok(())
    }
}

fn find_version(
    table: &impl ReadableTable<u32, &'static [u8]>,
    name: &str,
) -> Result<Option<(u32, EmbeddingRow)>> {
    // A store sees only a few embedders in its life.
    for entry in table.range(ACTIVE + 1..)? {
        let (version, row) = entry?;
        let row = EmbeddingRow::decode(row.value())?;
        if row.name == name {
            return Ok(Some((version.value(), row)));
        }
    }
    Ok(None)
}

impl ReadTx {
    /// The number of a version and its row, if known.
    pub(crate) fn embedding(&self, name: &str) -> Result<Option<(u32, EmbeddingRow)>> {
        catch_panic(|| find_version(&self.transaction.open_table(tables::EMBEDDINGS)?, name))
    }

    /// The active version.
    pub(crate) fn active_embedding(&self) -> Result<Option<u32>> {
        catch_panic(|| active_of(&self.transaction.open_table(tables::EMBEDDINGS)?))
    }

    /// The numbers that no new version gets.
    pub(super) fn embedding_versions(&self) -> Result<Vec<u32>> {
        catch_panic(|| versions_of(&self.transaction.open_table(tables::EMBEDDINGS)?))
    }

    /// The numbers of the known versions. A row without a name is none: see
    /// [`WriteTx::pass_over_embeddings`]. A worker that began before it may also have written one.
    pub(in crate::store) fn named_embeddings(&self) -> Result<Vec<u32>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::EMBEDDINGS)?;
            let mut versions = Vec::new();
            for entry in table.range(ACTIVE + 1..)? {
                let (version, row) = entry?;
                // The files of a damaged row stay until a rebuild.
                if EmbeddingRow::decode(row.value()).map_or(true, |row| !row.name.is_empty()) {
                    versions.push(version.value());
                }
            }
            Ok(versions)
        })
    }

    pub(crate) fn embedding_stats(&self) -> Result<Option<EmbeddingStats>> {
        catch_panic(|| {
            let Some(version) = self.active_embedding()? else {
                return Ok(None);
            };
            let table = self.transaction.open_table(tables::EMBEDDINGS)?;
            let Some(row) = table.get(version)? else {
                return Ok(None);
            };
            let row = EmbeddingRow::decode(row.value())?;
            let oldest = self.oldest_pending(version, &row.name)?;
            let learned = self.projected()?.facts(RowKind::LearnedToEmbed)?.rows;
            Ok(Some(EmbeddingStats {
                dimensions: row.dimensions,
                vectors: row.vectors,
                pending: row.jobs[0],
                processing: row.jobs[1],
                done: row.jobs[2],
                failed: row.jobs[3],
                to_enqueue: row.to_enqueue() + learned,
                average_processing_ms: row.processing_ms.checked_div(row.timed_jobs),
                last_processed: (row.last_done_ms != 0)
                    .then(|| Timestamp::from_millis_clamped(row.last_done_ms)),
                oldest_pending: oldest,
                // Known to the memory that searches.
                graph_vectors: 0,
                graph_waiting: 0,
                // The row's last use, so it is moved.
                version: row.name,
            }))
        })
    }
}
