//! Stores the outbox: the jobs of each embedding version, and their queues by status.

use std::ops::RangeInclusive;

use redb::Value;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::rules::outbox::{self, ItemKind, Job, JobId, JobKey, JobStatus, OutboxTable};
use crate::store::database::checked::{ReadableTable, Table};
use crate::store::database::panics::catch_panic;
use crate::store::generations::changed_keys::TableKeys;
use crate::store::index_tables::embedding_versions::{EmbeddingRow, active_of};
use crate::store::meta::{Reader, put_text, seal};
use crate::store::{ReadTx, WriteTx, tables};

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

impl WriteTx<'_> {
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

impl ReadTx {
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
    pub(super) fn oldest_pending(&self, version: u32, name: &str) -> Result<Option<Timestamp>> {
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
