//! Stores the outbox: job rows, queues by status, and one row per embedding version with
//! the counters that `stats` shows.

use std::ops::RangeInclusive;

use redb::Value;

use crate::index::vector::folder;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::stats::EmbeddingStats;
use crate::model::time::Timestamp;
use crate::rules::outbox::{self, ItemKind, Job, JobId, JobKey, JobStatus, OutboxTable};
use crate::store::database::checked::{ReadableTable, Table};
use crate::store::database::panics::catch_panic;
use crate::store::generations::changed_keys::TableKeys;
use crate::store::meta::{Reader, put_text, seal};
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// The key of the active version in the version table; versions count from 1.
const ACTIVE: u32 = 0;

/// The row of one embedding version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EmbeddingRow {
    /// The embedder's id and fingerprint.
    pub(crate) name: String,
    pub(crate) dimensions: u32,
    /// Jobs by status, in the order of [`JobStatus`].
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
    fn encode(&self) -> Vec<u8> {
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

    fn decode(bytes: &[u8]) -> Result<Self> {
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

fn status_number(status: JobStatus) -> u8 {
    match status {
        JobStatus::Pending => 0,
        JobStatus::Processing => 1,
        JobStatus::Done => 2,
        JobStatus::Failed => 3,
    }
}

fn kind_number(kind: ItemKind) -> u8 {
    match kind {
        ItemKind::Event => 0,
        ItemKind::Entry => 1,
        ItemKind::TaskTitle => 2,
        ItemKind::SessionSummary => 3,
        ItemKind::Memory => 4,
    }
}

/// The number of a job's item: an event's log position, or the number of a learned item (see
/// [`crate::store::index_tables::learned_vectors::number_of`]).
pub(crate) fn item_of(key: &JobKey) -> Result<u64> {
    key.item_id.parse().map_err(|_| {
        Error::invalid(
            "item_id",
            format_args!("{:?} is not the number of an item", key.item_id),
        )
    })
}

fn encode_job(job: &Job) -> Result<Vec<u8>> {
    let mut out = vec![
        1,
        kind_number(job.key.item_kind),
        status_number(job.status),
        u8::from(job.processing_ms.is_some()),
        u8::from(job.error.is_some()),
        u8::from(job.skipped.is_some()),
    ];
    out.extend_from_slice(&job.retry_count.to_le_bytes());
    for number in [
        item_of(&job.key)?,
        job.created_at.millis() as u64,
        job.updated_at.millis() as u64,
        job.processing_ms.unwrap_or(0) as u64,
    ] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    put_text(&mut out, job.error.as_deref().unwrap_or(""));
    put_text(&mut out, job.skipped.as_deref().unwrap_or(""));
    Ok(seal(out))
}

fn decode_job(id: u64, version: &str, bytes: &[u8]) -> Result<Job> {
    let mut from = Reader::unseal("outbox job", bytes)?;
    from.version(1)?;
    let [kind, status, is_timed, has_error, is_skipped] = from.array()?;
    let broken = || {
        Error::new(
            ErrorCode::Corrupt,
            format!("outbox job {id} has an unknown kind or status; run check()"),
        )
    };
    let item_kind = *ItemKind::ALL
        .iter()
        .find(|known| kind_number(**known) == kind)
        .ok_or_else(broken)?;
    let status = *JobStatus::ALL
        .iter()
        .find(|known| status_number(**known) == status)
        .ok_or_else(broken)?;
    let retry_count = from.u32()?;
    let (item, created, updated, took) = (from.u64()?, from.i64()?, from.i64()?, from.i64()?);
    let (error, skipped) = (from.text()?, from.text()?);
    Ok(Job {
        id: JobId(id),
        key: JobKey::new(item_kind, item.to_string(), version),
        status,
        retry_count,
        error: (has_error != 0).then_some(error),
        skipped: (is_skipped != 0).then_some(skipped),
        created_at: Timestamp::from_millis_clamped(created),
        updated_at: Timestamp::from_millis_clamped(updated),
        processing_ms: (is_timed != 0).then_some(took),
    })
}

/// The queue of waiting jobs that are being retried, after that of new ones.
const RETRY_QUEUE: u8 = 4;

fn queue_range(version: u32, queue: u8) -> RangeInclusive<[u8; 21]> {
    tables::outbox_queue_key(version, queue, i64::MIN, 0)
        ..=tables::outbox_queue_key(version, queue, i64::MAX, u64::MAX)
}

/// The queues of a status, in order.
fn queues_of(status: JobStatus) -> &'static [u8] {
    match status {
        JobStatus::Pending => &[0, RETRY_QUEUE],
        JobStatus::Processing => &[1],
        JobStatus::Done => &[2],
        JobStatus::Failed => &[3],
    }
}

fn jobs_with_status(
    jobs: &impl ReadableTable<u64, &'static [u8]>,
    queue: &impl ReadableTable<&'static [u8], ()>,
    version: (u32, &str),
    status: JobStatus,
    limit: usize,
) -> Result<Vec<Job>> {
    let mut found = Vec::new();
    for number in queues_of(status) {
        let range = queue_range(version.0, *number);
        for entry in queue.range(range.start().as_slice()..=range.end().as_slice())? {
            if found.len() == limit {
                return Ok(found);
            }
            let id = tables::seq_of(entry?.0.value());
            found.push(queued_job(jobs, id, version.1)?);
        }
    }
    Ok(found)
}

/// Failed jobs whose retry is due, at most `limit`. Jobs without retries left may lie between them,
/// because the queue is in the order of the default number of retries.
fn due_retries(
    jobs: &impl ReadableTable<u64, &'static [u8]>,
    queue: &impl ReadableTable<&'static [u8], ()>,
    version: (u32, &str),
    (max_retries, now): (u32, Timestamp),
    limit: usize,
) -> Result<Vec<Job>> {
    let number = status_number(JobStatus::Failed);
    let parts = match max_retries > outbox::MAX_RETRIES {
        true => vec![(i64::MIN, i64::MAX)],
        // The second part is of a clock that was wrong. After it come the jobs without retries.
        false => vec![
            (i64::MIN, now.millis()),
            (
                outbox::after_backoff(now).millis(),
                Timestamp::MAX.millis() - 1,
            ),
        ],
    };
    let mut found = Vec::new();
    for (first, last) in parts.into_iter().filter(|(first, last)| first <= last) {
        let range = tables::outbox_queue_key(version.0, number, first, 0)
            ..=tables::outbox_queue_key(version.0, number, last, u64::MAX);
        for entry in queue.range(range.start().as_slice()..=range.end().as_slice())? {
            if found.len() == limit {
                return Ok(found);
            }
            let job = queued_job(jobs, tables::seq_of(entry?.0.value()), version.1)?;
            if job.is_retry_due(max_retries, now) {
                found.push(job);
            }
        }
    }
    Ok(found)
}

fn queued_job(
    jobs: &impl ReadableTable<u64, &'static [u8]>,
    id: u64,
    version: &str,
) -> Result<Job> {
    let row = jobs.get(id)?.ok_or_else(|| {
        Error::new(
            ErrorCode::Corrupt,
            format!("outbox job {id} is queued but missing; run check()"),
        )
    })?;
    decode_job(id, version, row.value())
}

/// The jobs of one embedding version, in a write transaction.
pub(crate) struct StoredOutbox<'t, 's> {
    version: u32,
    name: String,
    row: EmbeddingRow,
    next_job: &'s mut u64,
    jobs: Table<'t, u64, &'static [u8]>,
    items: Table<'t, &'static [u8], u64>,
    queue: Table<'t, &'static [u8], ()>,
}

impl StoredOutbox<'_, '_> {
    fn item_key(&self, key: &JobKey) -> Result<[u8; 13]> {
        Ok(tables::outbox_item_key(
            kind_number(key.item_kind),
            item_of(key)?,
            self.version,
        ))
    }

    fn queue_key(&self, job: &Job) -> [u8; 21] {
        let (is_retry, at, id) = job.place();
        let queue = match is_retry {
            true => RETRY_QUEUE,
            false => status_number(job.status),
        };
        tables::outbox_queue_key(self.version, queue, at.millis(), id.0)
    }

    /// Failed jobs whose retry is due, at most `limit`.
    pub(crate) fn due_retries(
        &self,
        max_retries: u32,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Job>> {
        let version = (self.version, self.name.as_str());
        due_retries(&self.jobs, &self.queue, version, (max_retries, now), limit)
    }

    /// Removes a job from the queue of its status.
    fn unqueue(&mut self, job: &Job) -> Result<()> {
        let key = self.queue_key(job);
        self.queue.remove(key.as_slice())?;
        let count = &mut self.row.jobs[usize::from(status_number(job.status))];
        *count = count.saturating_sub(1);
        Ok(())
    }
}

impl OutboxTable for StoredOutbox<'_, '_> {
    fn find(&self, key: &JobKey) -> Result<Option<Job>> {
        if key.embedding_version != self.name {
            return Ok(None);
        }
        let item = self.item_key(key)?;
        match self.items.get(item.as_slice())?.map(|id| id.value()) {
            Some(id) => self.job(JobId(id)),
            None => Ok(None),
        }
    }

    fn job(&self, id: JobId) -> Result<Option<Job>> {
        self.jobs
            .get(id.0)?
            .map(|row| decode_job(id.0, &self.name, row.value()))
            .transpose()
    }

    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>> {
        let version = (self.version, self.name.as_str());
        jobs_with_status(&self.jobs, &self.queue, version, status, limit)
    }

    fn next_id(&mut self) -> Result<JobId> {
        *self.next_job += 1;
        Ok(JobId(*self.next_job))
    }

    fn put(&mut self, job: Job) -> Result<()> {
        let known = self.job(job.id)?;
        if let Some(known) = &known {
            self.unqueue(known)?;
        }
        if job.status == JobStatus::Done
            && known.is_some_and(|known| known.status == JobStatus::Processing)
        {
            self.row.last_done_ms = self.row.last_done_ms.max(job.updated_at.millis());
            if let Some(took) = job.processing_ms {
                self.row.processing_ms += u64::try_from(took).unwrap_or(0);
                self.row.timed_jobs += 1;
            }
        }
        let (item, queued) = (self.item_key(&job.key)?, self.queue_key(&job));
        self.items.insert(item.as_slice(), job.id.0)?;
        self.queue.insert(queued.as_slice(), ())?;
        self.row.jobs[usize::from(status_number(job.status))] += 1;
        self.jobs.insert(job.id.0, encode_job(&job)?.as_slice())?;
        Ok(())
    }

    fn remove(&mut self, id: JobId) -> Result<()> {
        if let Some(job) = self.job(id)? {
            self.unqueue(&job)?;
            let item = self.item_key(&job.key)?;
            self.items.remove(item.as_slice())?;
            self.jobs.remove(id.0)?;
        }
        Ok(())
    }
}

fn versions_of(table: &impl ReadableTable<u32, &'static [u8]>) -> Result<Vec<u32>> {
    let versions = table.range(ACTIVE + 1..)?;
    versions.map(|entry| Ok(entry?.0.value())).collect()
}

fn active_of(table: &impl ReadableTable<u32, &'static [u8]>) -> Result<Option<u32>> {
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

    /// Runs `work` on the jobs of a version.
    pub(crate) fn with_outbox<T>(
        &mut self,
        version: u32,
        work: impl FnOnce(&mut StoredOutbox<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let row = self.embedding_row(version)?;
        let transaction = &self.transaction;
        let mut outbox = StoredOutbox {
            version,
            name: row.name.clone(),
            row,
            next_job: &mut self.state.next_job,
            jobs: transaction.open_table(tables::OUTBOX)?,
            items: transaction.open_table(tables::OUTBOX_ITEMS)?,
            queue: transaction.open_table(tables::OUTBOX_QUEUE)?,
        };
        let result = work(&mut outbox)?;
        let row = outbox.row;
        self.put_embedding_row(version, &row)?;
        Ok(result)
    }

    /// Writes the jobs of new events. Does nothing in a store for which no embedder was
    /// ever configured.
    pub(in crate::store) fn enqueue_events(
        &mut self,
        events: impl Iterator<Item = (EventKind, u64)>,
    ) -> Result<()> {
        let mut events = events.peekable();
        if events.peek().is_none() {
            return Ok(());
        }
        let active = active_of(&self.transaction.open_table(tables::EMBEDDINGS)?)?;
        let Some(version) = active else {
            return Ok(());
        };
        let now = self.clock.now();
        self.with_outbox(version, |outbox| {
            for (kind, seq) in events {
                let key = job_key(kind, seq, &outbox.name);
                outbox::enqueue(outbox, key, now)?;
            }
            Ok(())
        })
    }

    /// Writes the jobs of learned items whose texts are new. A job that an item had was for
    /// its earlier text.
    pub(crate) fn enqueue_learned(
        &mut self,
        version: u32,
        items: &[(ItemKind, u64)],
    ) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        self.with_outbox(version, |outbox| {
            for (kind, number) in items {
                let key = JobKey::new(*kind, number.to_string(), outbox.name.as_str());
                if let Some(earlier) = outbox.find(&key)? {
                    outbox.remove(earlier.id)?;
                }
                outbox::enqueue(outbox, key, now)?;
            }
            Ok(())
        })
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

    /// Drops the jobs and vectors of events that are gone, for all embedders. Returns how
    /// many jobs there were.
    pub(in crate::store) fn drop_embeddings(&mut self, seqs: &[u64]) -> Result<u64> {
        let mut dropped = 0;
        for version in self.embedding_versions()? {
            dropped += self.with_outbox(version, |outbox| {
                let mut dropped = 0;
                for seq in seqs {
                    for kind in [ItemKind::Event, ItemKind::SessionSummary] {
                        let key = JobKey::new(kind, seq.to_string(), outbox.name.as_str());
                        if let Some(job) = outbox.find(&key)? {
                            outbox.remove(job.id)?;
                            dropped += 1;
                        }
                    }
                }
                Ok(dropped)
            })?;
            self.remove_vectors(version, seqs)?;
        }
        Ok(dropped)
    }

    /// Copies the jobs of another store file, with a fixed text in place of their
    /// embedder's error messages.
    pub(in crate::store) fn copy_jobs_without_errors(&mut self, old: &ReadTx) -> Result<()> {
        let from = old.transaction.open_table(tables::OUTBOX)?;
        let mut to = self.transaction.open_table(tables::OUTBOX)?;
        for entry in from.iter()? {
            let (id, bytes) = entry?;
            let job = without_error(id.value(), bytes.value())?;
            to.insert(id.value(), job.as_slice())?;
            self.running.tick()?;
        }
        Ok(())
    }

    /// Copies or removes changed jobs of another store file in the same way.
    pub(in crate::store) fn copy_changed_jobs(
        &mut self,
        old: &ReadTx,
        rows: &TableKeys,
    ) -> Result<()> {
        let from = old.transaction.open_table(tables::OUTBOX)?;
        let mut to = self.transaction.open_table(tables::OUTBOX)?;
        for key in &rows.keys {
            let id = u64::from_bytes(key);
            match from.get(id)? {
                Some(bytes) => {
                    let job = without_error(id, bytes.value())?;
                    to.insert(id, job.as_slice())?;
                }
                None => drop(to.remove(id)?),
            }
        }
        Ok(())
    }

    /// Enqueues events that predate the version, examining at most `most` log positions.
    pub(crate) fn backfill(&mut self, version: u32, most: u64) -> Result<()> {
        let row = self.embedding_row(version)?;
        if row.to_enqueue() == 0 || most == 0 {
            return Ok(());
        }
        let last = row
            .backfill_to
            .min(row.backfill_next.saturating_add(most - 1));
        let mut found = Vec::new();
        {
            let events = self.transaction.open_table(tables::EVENTS)?;
            let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
            let vectors = self.transaction.open_table(tables::VECTORS)?;
            for entry in events.range(row.backfill_next..=last)? {
                let (seq, record) = entry?;
                let seq = seq.value();
                let kind = crate::store::log::record::RecordView::new(seq, record.value())?.kind();
                let (from, to) = (
                    tables::vector_key(version, seq, 0),
                    tables::vector_key(version, seq, u16::MAX),
                );
                if kind.is_conversation()
                    && tombstones.get(seq)?.is_none()
                    && vectors
                        .range(from.as_slice()..=to.as_slice())?
                        .next()
                        .is_none()
                {
                    found.push((kind, seq));
                }
            }
        }
        let now = self.clock.now();
        self.with_outbox(version, |outbox| {
            for (kind, seq) in found {
                let key = job_key(kind, seq, &outbox.name);
                // A skipped event is known and stays skipped.
                outbox::enqueue(outbox, key, now)?;
            }
            outbox.row.backfill_next = last + 1;
            Ok(())
        })
    }
}

/// A stored job with a fixed text in place of its embedder's error message.
fn without_error(id: u64, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut job = decode_job(id, "", bytes)?;
    job.error = job.error.map(|_| "the embedder failed".to_owned());
    encode_job(&job)
}

fn job_key(kind: EventKind, seq: u64, version: &str) -> JobKey {
    let item = match kind {
        EventKind::SessionSummary => ItemKind::SessionSummary,
        _ => ItemKind::Event,
    };
    JobKey::new(item, seq.to_string(), version)
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
    fn embedding_versions(&self) -> Result<Vec<u32>> {
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

    /// The jobs of a version with a status, oldest first.
    pub(crate) fn jobs(
        &self,
        version: (u32, &str),
        status: JobStatus,
        limit: usize,
    ) -> Result<Vec<Job>> {
        catch_panic(|| {
            jobs_with_status(
                &self.transaction.open_table(tables::OUTBOX)?,
                &self.transaction.open_table(tables::OUTBOX_QUEUE)?,
                version,
                status,
                limit,
            )
        })
    }

    /// Failed jobs whose retry is due, at most `limit`.
    pub(crate) fn due_retries(
        &self,
        version: (u32, &str),
        max_retries: u32,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Job>> {
        catch_panic(|| {
            due_retries(
                &self.transaction.open_table(tables::OUTBOX)?,
                &self.transaction.open_table(tables::OUTBOX_QUEUE)?,
                version,
                (max_retries, now),
                limit,
            )
        })
    }

    /// When the longest-waiting job was enqueued.
    fn oldest_pending(&self, version: u32, name: &str) -> Result<Option<Timestamp>> {
        let jobs = self.transaction.open_table(tables::OUTBOX)?;
        let queue = self.transaction.open_table(tables::OUTBOX_QUEUE)?;
        let mut oldest = None;
        for number in queues_of(JobStatus::Pending) {
            let range = queue_range(version, *number);
            let mut range = queue.range(range.start().as_slice()..=range.end().as_slice())?;
            let Some(entry) = range.next() else {
                continue;
            };
            let id = tables::seq_of(entry?.0.value());
            if let Some(row) = jobs.get(id)? {
                let enqueued = decode_job(id, name, row.value())?.created_at;
                oldest = Some(oldest.map_or(enqueued, |other: Timestamp| other.min(enqueued)));
            }
        }
        Ok(oldest)
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

#[cfg(test)]
mod tests {
    use crate::store::index_tables::outbox::*;

    #[test]
    fn jobs_and_version_rows_come_back() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let job = Job {
            id: JobId(7),
            key: JobKey::new(ItemKind::SessionSummary, "12", "모델@1"),
            status: JobStatus::Failed,
            retry_count: 2,
            error: Some("끊겼음".into()),
            skipped: None,
            created_at: at(-5),
            updated_at: at(9),
            processing_ms: Some(14),
        };
        let bytes = encode_job(&job).unwrap();
        assert_eq!(decode_job(7, "모델@1", &bytes).unwrap(), job);
        for length in 0..bytes.len() {
            let error = decode_job(7, "v", &bytes[..length]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Corrupt, "{length}");
        }
        let mut other = bytes[..bytes.len() - 8].to_vec();
        other[0] = 9;
        let error = decode_job(7, "v", &seal(other)).unwrap_err();
        assert!(error.message().contains("version"), "{error}");
        let row = EmbeddingRow {
            name: "모델@1".into(),
            dimensions: 384,
            jobs: [1, 2, 3, 4],
            last_done_ms: -3,
            backfill_next: 5,
            backfill_to: 9,
            ..EmbeddingRow::default()
        };
        assert_eq!(EmbeddingRow::decode(&row.encode()).unwrap(), row);
        assert_eq!(row.to_enqueue(), 5);
    }
}
