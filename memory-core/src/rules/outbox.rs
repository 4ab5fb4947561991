//! The outbox: which items still need a vector. A job is written in the same transaction as
//! its item and processed later, in any process, once.
//!
//! [`Job`] holds the rules of one job, [`OutboxTable`] is what a store provides, the free
//! functions are the operations over any table, and [`Outbox`] is a table in memory.

use std::collections::BTreeMap;

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::read::words;
use crate::model::time::Timestamp;

/// How often a failed job is retried at most: 4 attempts in all.
pub const MAX_RETRIES: u32 = 3;
/// The time since it was claimed after which a job's worker is considered dead, in
/// milliseconds.
pub const STUCK_AFTER_MS: i64 = 5 * 60 * 1000;
/// How long finished jobs are kept, in milliseconds.
pub const KEEP_DONE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// The number of jobs that a worker claims at once by default.
pub const CLAIM_BATCH: usize = 50;
/// How long a failed job waits before its first, second and third retry, in milliseconds.
pub const BACKOFF_MS: [i64; 3] = [1_000, 5_000, 30_000];
/// The number of failed jobs that raises an alert.
pub const ALERT_FAILED: usize = 10;
/// The age of a waiting job that raises an alert, in milliseconds.
pub const ALERT_PENDING_AGE_MS: i64 = 60 * 60 * 1000;
/// The reason for skipping a job whose item is gone.
pub const CONTENT_NOT_FOUND: &str = "content_not_found";

words! {
    /// What kind of item the vector is for.
    ItemKind ("item_kind") {
        /// The text of a conversation event.
        Event = "event",
        /// The title and content of a learned entry.
        Entry = "entry",
        /// The title of a task.
        TaskTitle = "task_title",
        /// The summary of a session.
        SessionSummary = "session_summary",
        /// A consolidated memory.
        Memory = "memory",
    }
}

words! {
    /// The status of a job.
    JobStatus ("status") {
        /// Waiting.
        Pending = "pending",
        /// Claimed by a worker.
        Processing = "processing",
        /// Finished, or skipped because the item is gone.
        Done = "done",
        /// Its last attempt failed. It stays failed until it is reconciled.
        Failed = "failed",
    }
}

impl JobStatus {
    /// Returns true if this status change is allowed. Only the recovery of stuck jobs goes
    /// from processing back to pending, see [`Job::recover`].
    pub fn can_move_to(self, to: JobStatus) -> bool {
        use JobStatus::{Done, Failed, Pending, Processing};
        matches!(
            (self, to),
            (Pending, Processing) | (Processing, Done | Failed) | (Failed, Pending)
        )
    }
}

/// What a job is for. There is one job for each key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobKey {
    /// What kind of item it is.
    pub item_kind: ItemKind,
    /// The id of the item.
    pub item_id: String,
    /// The embedder that makes the vector. Another version is another job.
    pub embedding_version: String,
}

impl JobKey {
    /// Creates the key of the job for an item and an embedding version.
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

/// The number of a job. Numbers increase with each new job, so they also order jobs that
/// were enqueued in the same millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// A job of the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it is for.
    pub key: JobKey,
    /// Its status.
    pub status: JobStatus,
    /// The number of retries. It increases when a failed job is reconciled.
    pub retry_count: u32,
    /// The last error. It remains after a later success.
    pub error: Option<String>,
    /// Why the job was finished without a vector.
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

    /// Claims a waiting job for a worker.
    ///
    /// # Errors
    /// `invalid_transition` unless it is pending.
    pub fn claim(&mut self, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Processing, now)
    }

    /// Marks the job as done: the vector is written.
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn complete(&mut self, now: Timestamp) -> Result<()> {
        let began = self.updated_at;
        self.move_to(JobStatus::Done, now)?;
        self.processing_ms = Some(age_ms(began, now));
        Ok(())
    }

    /// Marks the job as done because there is nothing to embed, for example
    /// [`CONTENT_NOT_FOUND`].
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn skip(&mut self, reason: &str, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Done, now)?;
        self.skipped = Some(reason.to_owned());
        Ok(())
    }

    /// Marks the attempt as failed. The job stays failed until it is reconciled.
    ///
    /// # Errors
    /// `invalid_transition` unless it is processing.
    pub fn fail(&mut self, error: &str, now: Timestamp) -> Result<()> {
        self.move_to(JobStatus::Failed, now)?;
        self.error = Some(error.to_owned());
        Ok(())
    }

    /// Returns when a failed job may be retried, or `None` if it has not failed or has no
    /// retries left.
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

    /// Whether a failed job may be retried now. A failure of a time to come, stamped by a wrong
    /// clock, says nothing about how long the job has waited.
    pub(crate) fn is_retry_due(&self, max_retries: u32, now: Timestamp) -> bool {
        let is_over = |at: Timestamp| at <= now || self.updated_at > after_backoff(now);
        self.retry_at(max_retries).is_some_and(is_over)
    }

    /// The job's place among those of its status: new ones before retries, then by the time
    /// at which it is due. Failed jobs without retries left come last, so that they hide no
    /// others.
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

    /// Returns true if the worker that claimed the job seems to have died. A claim of a time to
    /// come, stamped by a wrong clock, is no younger than one of the past.
    pub fn is_stuck(&self, threshold_ms: i64, now: Timestamp) -> bool {
        let apart_ms = now.millis().saturating_sub(self.updated_at.millis());
        self.status == JobStatus::Processing && apart_ms.saturating_abs() > threshold_ms
    }

    /// Makes a stuck job available again, without using up a retry. Returns whether it was
    /// stuck.
    pub fn recover(&mut self, threshold_ms: i64, now: Timestamp) -> bool {
        let is_stuck = self.is_stuck(threshold_ms, now);
        if is_stuck {
            self.status = JobStatus::Pending;
            self.updated_at = now;
        }
        is_stuck
    }
}

/// A time by which every job that has failed until `now` and has retries left may be retried.
pub(crate) fn after_backoff(now: Timestamp) -> Timestamp {
    let longest = BACKOFF_MS[BACKOFF_MS.len() - 1];
    Timestamp::from_millis_clamped(now.millis().saturating_add(longest))
}

fn age_ms(since: Timestamp, now: Timestamp) -> i64 {
    now.millis().saturating_sub(since.millis()).max(0)
}

/// The jobs as a store keeps them. Each operation below runs inside one of its write
/// transactions.
pub trait OutboxTable {
    /// Returns the job with this key.
    fn find(&self, key: &JobKey) -> Result<Option<Job>>;

    /// Returns the job with this number.
    fn job(&self, id: JobId) -> Result<Option<Job>>;

    /// Returns the jobs with a status, at most `limit`. Waiting jobs are in the order in
    /// which they were enqueued, with those being retried after all others. Failed jobs are
    /// in the order in which their retries are due, with those that have none left after
    /// all others. Other jobs are in the order in which they last changed.
    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>>;

    /// Returns a number larger than every one returned before.
    fn next_id(&mut self) -> Result<JobId>;

    /// Stores a job under its number.
    fn put(&mut self, job: Job) -> Result<()>;

    /// Removes a job.
    fn remove(&mut self, id: JobId) -> Result<()>;
}

/// The result of enqueuing a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The job's number; that of the existing job if it is not new.
    pub id: JobId,
    /// Whether this call created the job.
    pub is_new: bool,
}

/// Enqueues a job unless it already exists. An existing job stays as it is, whatever its
/// status.
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

/// Claims at most `limit` waiting jobs in the order of the table: the oldest first, and in a store
/// those that failed before after all new ones.
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

/// Changes the status of one job and stores it.
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
            format!("no outbox job with id {}", id.0),
        )
    })?;
    act(&mut job)?;
    table.put(job)
}

/// Gives failed jobs that have retries left another attempt, and returns how many there
/// are. With `wait_for_backoff`, only those that have waited long enough.
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
        let is_due = match wait_for_backoff {
            true => job.is_retry_due(max_retries, now),
            false => job.retry_at(max_retries).is_some(),
        };
        if is_due {
            job.retry(now)?;
            table.put(job)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Makes the jobs of dead workers available again, and returns how many there are.
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

/// The state of the outbox.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutboxMetrics {
    /// The number of waiting jobs.
    pub pending: usize,
    /// The number of jobs that a worker is processing.
    pub processing: usize,
    /// The number of jobs that are done and not yet cleaned up.
    pub done: usize,
    /// The number of jobs whose last attempt failed.
    pub failed: usize,
    /// The average duration of the successful jobs that are still kept, in milliseconds.
    pub average_processing_ms: Option<f64>,
    /// When a job was last completed.
    pub last_processed_at: Option<Timestamp>,
    /// How long the oldest waiting job has been waiting, in milliseconds.
    pub oldest_pending_age_ms: Option<i64>,
}

/// Something about the outbox that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxAlert {
    /// Many jobs failed; the embedder is probably broken.
    ManyFailed {
        /// The number of failed jobs.
        failed: usize,
    },
    /// A job has been waiting for too long; nothing is calling the worker.
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
    /// Returns what a person should look at.
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
#[non_exhaustive]
pub struct JobFailure {
    /// The job's number.
    pub job: JobId,
    /// The error message.
    pub message: String,
}

/// The result of a run of the worker.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Processed {
    /// The number of jobs that were claimed.
    pub processed: usize,
    /// The number of jobs that are done, including skipped ones.
    pub succeeded: usize,
    /// The number of jobs that failed.
    pub failed: usize,
    /// The number of finished jobs that needed no vector, because their item is gone or
    /// contains nothing to embed.
    pub skipped: usize,
    /// The error of each failed job.
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

/// Returns true if a job may go from one status to another.
pub fn allows_job_transition(from: JobStatus, to: JobStatus) -> bool {
    from.can_move_to(to)
}

/// Returns the name of the vector table of a kind and version. Every character of the
/// version that is not an ASCII letter or digit becomes `_`.
pub fn vector_table_name(item_kind: ItemKind, embedding_version: &str) -> String {
    let version: String = embedding_version
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("{item_kind}_vectors_{version}")
}

/// An outbox in memory.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    jobs: BTreeMap<JobId, Job>,
    by_key: BTreeMap<JobKey, JobId>,
    last_id: u64,
}

impl Outbox {
    /// Creates an empty outbox.
    pub fn new() -> Self {
        Outbox::default()
    }

    /// Returns every job, in the order in which they were enqueued.
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
        match status {
            JobStatus::Pending => jobs.sort_by_key(|job| (job.created_at, job.id)),
            _ => jobs.sort_by_key(Job::place),
        }
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
    fn the_oldest_job_is_claimed_first_even_if_it_failed_before() {
        let (mut outbox, first) = one();
        let key = JobKey::new(ItemKind::Event, "second", "v1");
        let second = enqueue(&mut outbox, key, at(1)).expect("enqueues").id;
        claim(&mut outbox, 1, at(2)).expect("claims");
        change(&mut outbox, first, |job| job.fail("boom", at(3))).expect("fails");
        reconcile_failed(&mut outbox, MAX_RETRIES, false, at(4)).expect("retries");
        let claimed = claim(&mut outbox, 2, at(5)).expect("claims");
        let ids: Vec<JobId> = claimed.iter().map(|job| job.id).collect();
        assert_eq!(ids, [first, second]);
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
