//! The outbox: which items still need a vector. Jobs are written with the item
//! in one transaction and worked off later, in any process, once each.
//!
//! [`Job`] holds the rules of one job; [`OutboxTable`] is what a store gives;
//! the free functions are the operations over any table; [`Outbox`] is the
//! table in memory.

use std::collections::BTreeMap;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::read::words;
use crate::model::time::Timestamp;

/// A failed job is tried again at most this many times: 4 attempts in all.
pub const MAX_RETRIES: u32 = 3;
/// A job that was claimed longer ago than this belongs to a worker that died.
pub const STUCK_AFTER_MS: i64 = 5 * 60 * 1000;
/// Finished jobs are kept this long.
pub const KEEP_DONE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// How many jobs a worker claims at once, by default.
pub const CLAIM_BATCH: usize = 50;
/// How long a failed job rests before its first, second and third retry.
pub const BACKOFF_MS: [i64; 3] = [1_000, 5_000, 30_000];
/// So many failed jobs are an alert.
pub const ALERT_FAILED: usize = 10;
/// So old a waiting job is a warning, in milliseconds.
pub const ALERT_PENDING_AGE_MS: i64 = 60 * 60 * 1000;
/// The reason under which a job is skipped when its item is gone.
pub const CONTENT_NOT_FOUND: &str = "content_not_found";

words! {
    /// What kind of item gets a vector.
    ItemKind ("item_kind") {
        /// A conversation event: its text.
        Event = "event",
        /// A learned entry: its title and content.
        Entry = "entry",
        /// A task: its title.
        TaskTitle = "task_title",
        /// A session's summary.
        SessionSummary = "session_summary",
    }
}

words! {
    /// Where a job stands.
    JobStatus ("status") {
        /// Waiting.
        Pending = "pending",
        /// Claimed by a worker.
        Processing = "processing",
        /// Finished, or skipped because the item is gone.
        Done = "done",
        /// Its last attempt failed; it stays so until it is reconciled.
        Failed = "failed",
    }
}

impl JobStatus {
    /// Whether the ordinary move is allowed. Only the recovery of stuck jobs
    /// goes from processing back to pending, see [`Job::recover`].
    pub fn can_move_to(self, to: JobStatus) -> bool {
        use JobStatus::{Done, Failed, Pending, Processing};
        matches!(
            (self, to),
            (Pending, Processing) | (Processing, Done | Failed) | (Failed, Pending)
        )
    }
}

/// What a job is about; there is one job for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobKey {
    /// What kind of item it is.
    pub item_kind: ItemKind,
    /// The item.
    pub item_id: String,
    /// Which embedder makes the vector. Another version is another job.
    pub embedding_version: String,
}

impl JobKey {
    /// The job of an item under an embedding version.
    pub fn new(
        item_kind: ItemKind,
        item_id: impl Into<String>,
        embedding_version: impl Into<String>,
    ) -> Self {
        JobKey {
            item_kind,
            item_id: item_id.into(),
            embedding_version: embedding_version.into(),
        }
    }
}

/// The number of a job: grows with each new one, so it also orders jobs that
/// were enqueued in the same millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// One job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it is about.
    pub key: JobKey,
    /// Where it stands.
    pub status: JobStatus,
    /// How often it was tried again. It grows when a failed job is reconciled.
    pub retry_count: u32,
    /// What went wrong last. It stays after a later success.
    pub error: Option<String>,
    /// Why it was done without a vector.
    pub skipped: Option<String>,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How long its last successful attempt took, in milliseconds.
    pub processing_ms: Option<i64>,
}

impl Job {
    fn new(id: JobId, key: JobKey, now: Timestamp) -> Self {
        Job {
            id,
            key,
            status: JobStatus::Pending,
            retry_count: 0,
            error: None,
            skipped: None,
            created_at: now,
            updated_at: now,
            processing_ms: None,
        }
    }

    fn move_to(&mut self, to: JobStatus, now: Timestamp) -> Result<()> {
        if !self.status.can_move_to(to) {
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!(
                    "job {}: Cannot transition from {} to {to}",
                    self.id.0, self.status
                ),
            ));
        }
        self.status = to;
        self.updated_at = now;
        Ok(())
    }

    /// Takes a waiting job for a worker.
    ///
    /// # Errors
    /// `invalid_transition` unless it is pending.
    pub fn claim(&mut self, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Processing, now)
    }

    /// Says that the vector is written.
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn complete(&mut self, now: Timestamp) -> Result<()> {
        let began = self.updated_at;
        self.move_to(JobStatus::Done, now)?;
        self.processing_ms = Some(age_ms(began, now));
        Ok(())
    }

    /// Says that there is nothing to embed, for example
    /// [`CONTENT_NOT_FOUND`]: the job is done.
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn skip(&mut self, reason: &str, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Done, now)?;
        self.skipped = Some(reason.to_owned());
        Ok(())
    }

    /// Says that the attempt failed. The job stays failed until it is
    /// reconciled.
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn fail(&mut self, error: &str, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Failed, now)?;
        self.error = Some(error.to_owned());
        Ok(())
    }

    /// When a failed job may be tried again; `None` when it is not failed or
    /// has no retry left.
    pub fn retry_at(&self, max_retries: u32) -> Option<Timestamp> {
        if self.status != JobStatus::Failed || self.retry_count >= max_retries {
            return None;
        }
        let step = usize::try_from(self.retry_count)
            .unwrap_or(usize::MAX)
            .min(BACKOFF_MS.len() - 1);
        let at = self.updated_at.millis().saturating_add(BACKOFF_MS[step]);
        Some(Timestamp::from_millis_clamped(at))
    }

    /// Where the job stands among those of its status: new ones in front of those
    /// that are tried again, then by the time at which something is to be done with
    /// it. A failed job without a retry left is last, so that it hides no other.
    pub(crate) fn place(&self) -> (bool, Timestamp, JobId) {
        let is_retry = self.status == JobStatus::Pending && self.retry_count > 0;
        let at = match self.status {
            JobStatus::Pending if !is_retry => self.created_at,
            JobStatus::Pending | JobStatus::Processing | JobStatus::Done => self.updated_at,
            JobStatus::Failed => self
                .retry_at(MAX_RETRIES)
                .unwrap_or(Timestamp::from_millis_clamped(i64::MAX)),
        };
        (is_retry, at, self.id)
    }

    /// Gives a failed job another attempt.
    ///
    /// # Errors
    /// `invalid_transition` unless it is failed.
    pub fn retry(&mut self, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Pending, now)?;
        self.retry_count = self.retry_count.saturating_add(1);
        Ok(())
    }

    /// Whether it was claimed by a worker that seems to have died.
    pub fn is_stuck(&self, threshold_ms: i64, now: Timestamp) -> bool {
        self.status == JobStatus::Processing && age_ms(self.updated_at, now) > threshold_ms
    }

    /// Gives a stuck job back; it costs no retry. Returns whether it was stuck.
    pub fn recover(&mut self, threshold_ms: i64, now: Timestamp) -> bool {
        let is_stuck = self.is_stuck(threshold_ms, now);
        if is_stuck {
            self.status = JobStatus::Pending;
            self.updated_at = now;
        }
        is_stuck
    }
}

fn age_ms(since: Timestamp, now: Timestamp) -> i64 {
    now.millis().saturating_sub(since.millis()).max(0)
}

/// The jobs as a store keeps them. Each operation below runs inside one write
/// transaction of it.
pub trait OutboxTable {
    /// The job about this.
    fn find(&self, key: &JobKey) -> Result<Option<Job>>;

    /// The job with this number.
    fn job(&self, id: JobId) -> Result<Option<Job>>;

    /// The jobs of a status, at most `limit`. Waiting ones: the one enqueued first in
    /// front, those that are tried again behind all others. Failed ones: the one whose
    /// retry is due first in front, those that have none left behind all others. The
    /// others: the one that changed first in front.
    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>>;

    /// A number larger than every one given before.
    fn next_id(&mut self) -> Result<JobId>;

    /// Stores a job under its number.
    fn put(&mut self, job: Job) -> Result<()>;

    /// Removes a job.
    fn remove(&mut self, id: JobId) -> Result<()>;
}

/// What enqueuing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The job's number: the existing one's when it is not new.
    pub id: JobId,
    /// Whether the job was made by this call.
    pub is_new: bool,
}

/// Makes sure that there is a job. When one is there already, in whatever
/// status, it stays as it is.
///
/// # Errors
/// `invalid_argument` when the item's id is empty; those of the table.
pub fn enqueue(table: &mut dyn OutboxTable, key: JobKey, now: Timestamp) -> Result<Enqueued> {
    if key.item_id.is_empty() {
        return Err(Error::invalid("item_id", "must not be empty"));
    }
    if let Some(job) = table.find(&key)? {
        return Ok(Enqueued {
            id: job.id,
            is_new: false,
        });
    }
    let id = table.next_id()?;
    table.put(Job::new(id, key, now))?;
    Ok(Enqueued { id, is_new: true })
}

/// Takes at most `limit` waiting jobs, the oldest first.
///
/// # Errors
/// Those of the table.
pub fn claim(table: &mut dyn OutboxTable, limit: usize, now: Timestamp) -> Result<Vec<Job>> {
    let mut jobs = table.with_status(JobStatus::Pending, limit)?;
    for job in &mut jobs {
        job.claim(now)?;
        table.put(job.clone())?;
    }
    Ok(jobs)
}

/// Changes one job by one of its moves and stores it.
///
/// # Errors
/// `not_found` when there is no such job; that of the move; those of the table.
pub fn change(
    table: &mut dyn OutboxTable,
    id: JobId,
    act: impl FnOnce(&mut Job) -> Result<()>,
) -> Result<()> {
    let mut job = table.job(id)?.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!("there is no outbox job {}", id.0),
        )
    })?;
    act(&mut job)?;
    table.put(job)
}

/// Gives failed jobs with a retry left another attempt, and returns how many.
/// With `wait_for_backoff`, only those that have rested long enough.
///
/// # Errors
/// Those of the table.
pub fn reconcile_failed(
    table: &mut dyn OutboxTable,
    max_retries: u32,
    wait_for_backoff: bool,
    now: Timestamp,
) -> Result<usize> {
    let mut count = 0;
    for mut job in table.with_status(JobStatus::Failed, usize::MAX)? {
        let is_due = job
            .retry_at(max_retries)
            .is_some_and(|at| !wait_for_backoff || at <= now);
        if is_due {
            job.retry(now)?;
            table.put(job)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Gives back the jobs of workers that died, and returns how many.
///
/// # Errors
/// Those of the table.
pub fn recover_stuck(
    table: &mut dyn OutboxTable,
    threshold_ms: i64,
    now: Timestamp,
) -> Result<usize> {
    let mut count = 0;
    for mut job in table.with_status(JobStatus::Processing, usize::MAX)? {
        if job.recover(threshold_ms, now) {
            table.put(job)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Removes jobs that were done longer ago than `keep_ms`, and returns how many.
///
/// # Errors
/// Those of the table.
pub fn cleanup_done(table: &mut dyn OutboxTable, keep_ms: i64, now: Timestamp) -> Result<usize> {
    let mut count = 0;
    for job in table.with_status(JobStatus::Done, usize::MAX)? {
        if age_ms(job.updated_at, now) > keep_ms {
            table.remove(job.id)?;
            count += 1;
        }
    }
    Ok(count)
}

/// How the outbox stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutboxMetrics {
    /// Jobs that wait.
    pub pending: usize,
    /// Jobs that a worker has.
    pub processing: usize,
    /// Jobs that are done and not yet cleaned up.
    pub done: usize,
    /// Jobs whose last attempt failed.
    pub failed: usize,
    /// How long the kept successful jobs took on average, in milliseconds.
    pub average_processing_ms: Option<f64>,
    /// When a job was last done.
    pub last_processed_at: Option<Timestamp>,
    /// How long the oldest waiting job has waited, in milliseconds.
    pub oldest_pending_age_ms: Option<i64>,
}

/// Something about the outbox that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxAlert {
    /// So many jobs failed: the embedder is probably broken.
    ManyFailed {
        /// How many.
        failed: usize,
    },
    /// A job has waited too long: nothing calls the worker.
    OldPending {
        /// How long, in milliseconds.
        age_ms: i64,
    },
}

/// Counts the jobs.
///
/// # Errors
/// Those of the table.
pub fn metrics(table: &dyn OutboxTable, now: Timestamp) -> Result<OutboxMetrics> {
    let pending = table.with_status(JobStatus::Pending, usize::MAX)?;
    let done = table.with_status(JobStatus::Done, usize::MAX)?;
    let times: Vec<i64> = done.iter().filter_map(|job| job.processing_ms).collect();
    #[expect(clippy::cast_precision_loss, reason = "an average of durations")]
    let average = |times: &[i64]| times.iter().sum::<i64>() as f64 / times.len() as f64;
    Ok(OutboxMetrics {
        pending: pending.len(),
        processing: table.with_status(JobStatus::Processing, usize::MAX)?.len(),
        failed: table.with_status(JobStatus::Failed, usize::MAX)?.len(),
        done: done.len(),
        average_processing_ms: (!times.is_empty()).then(|| average(&times)),
        last_processed_at: done.iter().map(|job| job.updated_at).max(),
        oldest_pending_age_ms: pending.iter().map(|job| age_ms(job.created_at, now)).max(),
    })
}

impl OutboxMetrics {
    /// What a person should look at.
    pub fn alerts(&self) -> Vec<OutboxAlert> {
        let mut alerts = Vec::new();
        if self.failed >= ALERT_FAILED {
            alerts.push(OutboxAlert::ManyFailed {
                failed: self.failed,
            });
        }
        if let Some(age_ms) = self.oldest_pending_age_ms
            && age_ms >= ALERT_PENDING_AGE_MS
        {
            alerts.push(OutboxAlert::OldPending { age_ms });
        }
        alerts
    }
}

/// A job that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFailure {
    /// The job's number.
    pub job: JobId,
    /// What went wrong.
    pub message: String,
}

/// What a run of the worker did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Processed {
    /// Jobs that were claimed.
    pub processed: usize,
    /// Jobs that are done, skipped ones included.
    pub succeeded: usize,
    /// Jobs that failed.
    pub failed: usize,
    /// Of those that are done, the ones that needed no vector because their item
    /// is gone or says nothing.
    pub skipped: usize,
    /// What went wrong, per job.
    pub errors: Vec<JobFailure>,
}

impl Processed {
    /// Counts a job that was done or skipped.
    pub fn count_success(&mut self) {
        self.processed += 1;
        self.succeeded += 1;
    }

    /// Counts a job that was done without a vector.
    pub fn count_skipped(&mut self) {
        self.count_success();
        self.skipped += 1;
    }

    /// Counts a job that failed.
    pub fn count_failure(&mut self, job: JobId, error: impl Into<String>) {
        self.processed += 1;
        self.failed += 1;
        let message = error.into();
        self.errors.push(JobFailure { job, message });
    }
}

/// The name of the vector table of a kind and version: every character of the
/// version that is not an ASCII letter or digit becomes `_`.
pub fn vector_table_name(item_kind: ItemKind, embedding_version: &str) -> String {
    let version: String = embedding_version
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("{item_kind}_vectors_{version}")
}

/// The outbox in memory.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    jobs: BTreeMap<JobId, Job>,
    by_key: BTreeMap<JobKey, JobId>,
    last_id: u64,
}

impl Outbox {
    /// An empty outbox.
    pub fn new() -> Self {
        Outbox::default()
    }

    /// Every job, in the order of enqueuing.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values()
    }
}

impl OutboxTable for Outbox {
    fn find(&self, key: &JobKey) -> Result<Option<Job>> {
        Ok(self
            .by_key
            .get(key)
            .and_then(|id| self.jobs.get(id))
            .cloned())
    }

    fn job(&self, id: JobId) -> Result<Option<Job>> {
        Ok(self.jobs.get(&id).cloned())
    }

    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>> {
        let mut jobs: Vec<Job> = self
            .jobs
            .values()
            .filter(|job| job.status == status)
            .cloned()
            .collect();
        jobs.sort_by_key(Job::place);
        jobs.truncate(limit);
        Ok(jobs)
    }

    fn next_id(&mut self) -> Result<JobId> {
        self.last_id += 1;
        Ok(JobId(self.last_id))
    }

    fn put(&mut self, job: Job) -> Result<()> {
        self.by_key.insert(job.key.clone(), job.id);
        self.jobs.insert(job.id, job);
        Ok(())
    }

    fn remove(&mut self, id: JobId) -> Result<()> {
        if let Some(job) = self.jobs.remove(&id) {
            self.by_key.remove(&job.key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    fn one() -> (Outbox, JobId) {
        let mut outbox = Outbox::new();
        let key = JobKey::new(ItemKind::Event, "이벤트", "v1");
        let id = enqueue(&mut outbox, key, at(0)).expect("enqueues").id;
        (outbox, id)
    }

    #[test]
    fn enqueuing_again_gives_the_number_of_the_row() {
        let (mut outbox, id) = one();
        let key = JobKey::new(ItemKind::Event, "이벤트", "v1");
        let again = enqueue(&mut outbox, key, at(9)).expect("enqueues");
        assert_eq!(again, Enqueued { id, is_new: false });
    }

    #[test]
    fn a_failed_job_rests_longer_each_time_and_has_four_attempts() {
        let (mut outbox, id) = one();
        let mut now = 0;
        let mut attempts = 0;
        while let Some(job) = claim(&mut outbox, 1, at(now)).expect("claims").pop() {
            attempts += 1;
            change(&mut outbox, job.id, |j| j.fail("boom", at(now))).expect("fails");
            let Some(&rest) = BACKOFF_MS.get(attempts - 1) else {
                break;
            };
            let early = at(now + rest - 1);
            assert_eq!(
                reconcile_failed(&mut outbox, MAX_RETRIES, true, early).ok(),
                Some(0)
            );
            now += rest;
            assert_eq!(
                reconcile_failed(&mut outbox, MAX_RETRIES, true, at(now)).ok(),
                Some(1)
            );
        }
        assert_eq!(attempts, 4);
        assert_eq!(
            reconcile_failed(&mut outbox, MAX_RETRIES, false, at(now)).ok(),
            Some(0)
        );
        let job = outbox.job(id).expect("table").expect("job");
        assert_eq!((job.status, job.retry_count), (JobStatus::Failed, 3));
    }

    #[test]
    fn a_missing_item_completes_the_job_as_skipped() {
        let (mut outbox, id) = one();
        claim(&mut outbox, CLAIM_BATCH, at(1)).expect("claims");
        change(&mut outbox, id, |j| j.skip(CONTENT_NOT_FOUND, at(2))).expect("skips");
        let job = outbox.job(id).expect("table").expect("job");
        assert_eq!(job.status, JobStatus::Done);
        assert_eq!(job.skipped.as_deref(), Some("content_not_found"));
    }

    #[test]
    fn a_forbidden_move_names_both_statuses() {
        let (mut outbox, id) = one();
        let error = change(&mut outbox, id, |j| j.complete(at(1))).expect_err("not claimed");
        assert_eq!(error.code(), ErrorCode::InvalidTransition);
        assert!(
            error
                .message()
                .contains("Cannot transition from pending to done")
        );
    }

    #[test]
    fn cleanup_removes_old_done_jobs_only_and_counts_them() {
        let (mut outbox, id) = one();
        claim(&mut outbox, 1, at(0)).expect("claims");
        change(&mut outbox, id, |j| j.complete(at(40))).expect("done");
        assert_eq!(
            cleanup_done(&mut outbox, KEEP_DONE_MS, at(40 + KEEP_DONE_MS)).ok(),
            Some(0)
        );
        let metrics = metrics(&outbox, at(50)).expect("counts");
        assert_eq!(metrics.average_processing_ms, Some(40.0));
        assert_eq!(
            cleanup_done(&mut outbox, KEEP_DONE_MS, at(41 + KEEP_DONE_MS)).ok(),
            Some(1)
        );
    }

    #[test]
    fn a_waiting_hour_and_ten_failures_are_alerts() {
        let (outbox, _) = one();
        let counted = metrics(&outbox, at(ALERT_PENDING_AGE_MS)).expect("counts");
        assert_eq!(
            counted.alerts(),
            [OutboxAlert::OldPending {
                age_ms: ALERT_PENDING_AGE_MS
            }]
        );
        let failing = OutboxMetrics {
            failed: ALERT_FAILED,
            ..OutboxMetrics::default()
        };
        assert_eq!(failing.alerts(), [OutboxAlert::ManyFailed { failed: 10 }]);
    }
}
