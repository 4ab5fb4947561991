//! The outbox worker: claims jobs, embeds their texts outside every lock and transaction,
//! and writes vectors and outcome in one transaction.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::embedding::Embedding;
use crate::engine::logger::{Target, counted};
use crate::index::lexical::searchable::ToolText;
use crate::index::vector::windows::{Window, windows};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::time::Timestamp;
use crate::privacy::head_of_clean;
use crate::rules::outbox::{self, CONTENT_NOT_FOUND, Job, JobStatus, OutboxTable, Processed};
use crate::store::index_tables::embedding_versions::EmbeddingRow;
use crate::store::index_tables::learned_vectors::vector;
use crate::store::index_tables::outbox::item_of;
use crate::store::index_tables::vectors::WindowVector;
use crate::store::running::Running;
use crate::store::{ReadTx, WriteTx};
use crate::text::fence::recalled_spans;

mod learned;

/// How long the embedder may take for them; a worker that takes longer is considered dead.
const EMBED_LIMIT: Duration = Duration::from_secs(120);
/// How long a worker begins on jobs after it claimed them. With one more call of the embedder it
/// stays below [`outbox::STUCK_AFTER_MS`].
const CLAIM_LIMIT: Duration = Duration::from_secs(150);
/// How many log positions one transaction scans when enqueuing events that predate the
/// embedder.
const BACKFILL_STEP: u64 = 512;
/// How many learned items one transaction examines.
const LEARNED_STEP: usize = 512;
/// How many jobs one transaction cleans up.
const TIDY_STEP: usize = 1_000;
/// The reason for skipping an event that gets a zero vector.
const NOTHING_TO_EMBED: &str = "nothing_to_embed";
/// Maximum length of a job's error text, in bytes.
const ERROR_BYTES: usize = 500;

/// What was cleaned up before a worker began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tidied {
    /// Jobs that got another attempt or were taken from dead workers.
    pub(crate) revived: usize,
    /// Jobs finished long ago that were deleted.
    pub(crate) cleaned: usize,
}

/// [`Memory::process_outbox`](crate::Memory::process_outbox).
pub(crate) fn process_outbox(
    engine: &Engine,
    limit: usize,
    running: &Running,
) -> Result<Processed> {
    if let Some(embedding) = engine.store.read()?.embedding_stats()? {
        let jobs = embedding.pending + embedding.to_enqueue;
        running.set_total(jobs.min(limit as u64));
    }
    Ok(outbox_step(engine, limit, None, running)?.0)
}

/// Like [`Memory::process_outbox`](crate::Memory::process_outbox), but starts nothing new after
/// `until`.
pub(crate) fn outbox_step(
    engine: &Engine,
    limit: usize,
    until: Option<Instant>,
    running: &Running,
) -> Result<(Processed, Tidied)> {
    let embedding = configured_embedding(engine)?;
    let mut done = Processed::default();
    let has_time = || until.is_none_or(|until| Instant::now() < until);
    let (version, tidied) = tidy_outbox(engine, embedding, &has_time, running)?;
    while done.processed < limit && has_time() {
        // The embedder may have been slow, and the memory closed since.
        engine.enter()?;
        running.checkpoint()?;
        let most = (limit - done.processed).min(engine.tuning.worker.claim_batch);
        let claimed = claim_jobs(engine, (embedding, version), most, &has_time, running);
        let jobs = claimed?;
        if jobs.is_empty() {
            break;
        }
        let named = (embedding, version);
        if !work_off(engine, named, jobs, &mut done, (&has_time, running))? {
            break;
        }
    }
    take_out_vectors(engine, Duration::ZERO)?;
    embedding
        .index
        .flush_if_due(&engine.store, &embedding.version, &has_time)?;
    if done.failed > 0 {
        engine.logger.warn(Target::Embed, || {
            let failed = counted(done.failed as u64, "job");
            format!("{failed} of the outbox failed and will be retried")
        });
    }
    if done.succeeded > 0 {
        engine.logger.debug(Target::Embed, || {
            format!("embedded {}", counted(done.succeeded as u64, "text"))
        });
    }
    Ok((done, tidied))
}

/// Removes the vectors of forgotten and erased events from the side files; see
/// [`Store::take_out_vectors`](crate::store::Store::take_out_vectors).
pub(crate) fn take_out_vectors(engine: &Engine, patience: Duration) -> Result<bool> {
    release_side_files(engine)?;
    engine.store.take_out_vectors(patience)
}

/// Releases side files that contain vectors which must go: a file that nobody has mapped is
/// overwritten before it is removed.
pub(crate) fn release_side_files(engine: &Engine) -> Result<()> {
    if let Some(embedding) = &engine.embedding
        && !engine.store.read()?.unclean_vectors()?.is_empty()
    {
        embedding.index.release();
    }
    Ok(())
}

/// [`Upkeep::retry_outbox`](crate::Upkeep::retry_outbox).
pub(crate) fn retry_outbox(engine: &Engine, max_retries: u32) -> Result<usize> {
    let embedding = configured_embedding(engine)?;
    let Some((version, _)) = engine.store.read()?.embedding(&embedding.version)? else {
        return Ok(0);
    };
    let now = engine.store.clock().now();
    engine.store.write(|tx| {
        tx.with_outbox(version, |outbox| {
            outbox::reconcile_failed(outbox, max_retries, false, now)
        })
    })
}

fn configured_embedding(engine: &Engine) -> Result<&Embedding> {
    engine.embedding.as_ref().ok_or_else(|| {
        Error::new(
            ErrorCode::Unsupported,
            "this memory was opened without an embedder; open it with one",
        )
    })
}

/// Reclaims the jobs of dead workers, retries what is due, and drops jobs finished long
/// ago. Repeats until nothing is left to do or there is no time, and writes only if needed.
fn tidy_outbox(
    engine: &Engine,
    embedding: &Embedding,
    has_time: &dyn Fn() -> bool,
    running: &Running,
) -> Result<(u32, Tidied)> {
    let store = &engine.store;
    let mut tidied = Tidied::default();
    loop {
        running.checkpoint()?;
        let read = store.read()?;
        let Some((version, _)) = read.embedding(&embedding.version)? else {
            // The store was replaced by a restored one since it was opened.
            drop(read);
            embedding.ensure_active(store)?;
            continue;
        };
        let now = store.clock().now();
        let named = (version, embedding.version.as_str());
        // The head of each queue is the first job that is due.
        let first = |status, is_due: &dyn Fn(&Job) -> bool| -> Result<bool> {
            Ok(read.jobs(named, status, 1)?.iter().any(is_due))
        };
        let is_due = first(JobStatus::Processing, &|job| {
            job.is_stuck(outbox::STUCK_AFTER_MS, now)
        })? || !read
            .due_retries(named, engine.tuning.worker.max_retries, now, 1)?
            .is_empty()
            || first(JobStatus::Done, &|job| {
                now.millis().saturating_sub(job.updated_at.millis())
                    > engine.tuning.worker.keep_done_ms
            })?;
        drop(read);
        if !is_due {
            return Ok((version, tidied));
        }
        let step = tidy_step(engine, version, now)?;
        tidied.revived += step.revived;
        tidied.cleaned += step.cleaned;
        if step.revived + step.cleaned == 0 || !has_time() {
            // Another worker was faster, or the rest is left to the next call.
            return Ok((version, tidied));
        }
    }
}

fn tidy_step(engine: &Engine, version: u32, now: Timestamp) -> Result<Tidied> {
    let worker = &engine.tuning.worker;
    engine.store.write(|tx| {
        tx.with_outbox(version, |table| {
            let due = table.due_retries(worker.max_retries, now, TIDY_STEP)?;
            let again = due.len();
            for mut job in due {
                job.retry(now)?;
                table.put(job)?;
            }
            let mut table = Bounded(table);
            let taken_back = outbox::recover_stuck(&mut table, outbox::STUCK_AFTER_MS, now)?;
            Ok(Tidied {
                revived: taken_back + again,
                cleaned: outbox::cleanup_done(&mut table, worker.keep_done_ms, now)?,
            })
        })
    })
}

/// Claims jobs. Enqueues learned items whose texts are new, and older events while no job is
/// waiting, in steps, while there is time.
fn claim_jobs(
    engine: &Engine,
    (embedding, version): (&Embedding, u32),
    most: usize,
    has_time: &dyn Fn() -> bool,
    running: &Running,
) -> Result<Vec<Job>> {
    let store = &engine.store;
    loop {
        running.checkpoint()?;
        let row: EmbeddingRow = match store.read()?.embedding(&embedding.version)? {
            Some((_, row)) => row,
            None => return Ok(Vec::new()),
        };
        let (waiting, older) = (row.jobs[0] > 0, row.to_enqueue() > 0);
        let marked = learned::is_marked(&store.read()?)?;
        if !waiting && !older && !marked {
            return Ok(Vec::new());
        }
        let now = store.clock().now();
        let jobs = store.write(|tx| {
            if marked {
                learned::enqueue(tx, version, LEARNED_STEP)?;
            }
            if !waiting {
                tx.backfill(version, BACKFILL_STEP)?;
            }
            tx.with_outbox(version, |table| outbox::claim(table, most, now))
        })?;
        if !jobs.is_empty() || !(older || marked) || !has_time() {
            return Ok(jobs);
        }
    }
}

/// Embeds claimed jobs, several texts at a time. False if the embedder hangs and continuing
/// is pointless.
fn work_off(
    engine: &Engine,
    (embedding, version): (&Embedding, u32),
    jobs: Vec<Job>,
    done: &mut Processed,
    (has_time, running): (&dyn Fn() -> bool, &Running),
) -> Result<bool> {
    let begun = Instant::now();
    // In time also before another worker takes this one for dead.
    let has_time = &|| has_time() && begun.elapsed() < CLAIM_LIMIT;
    let at_once = engine.tuning.worker.texts_at_once;
    let (prepared, damaged) = match prepare(engine, &jobs, at_once) {
        Ok(prepared) => prepared,
        Err(error) => {
            // The error that came first is the one to report.
            let _ = give_back(engine, version, jobs);
            return Err(error);
        }
    };
    // Jobs that were not tried, or whose outcome could not be stored, do not lose an attempt.
    let mut left = Vec::new();
    let mut goes_on = true;
    let mut ended = Ok(());
    if !damaged.is_empty() {
        let jobs: Vec<Job> = damaged.iter().map(|(job, _)| job.clone()).collect();
        ended = write_down(engine, version, damaged, done).inspect_err(|_| left.extend(jobs));
    }
    for batch in prepared {
        if !goes_on || ended.is_err() || !has_time() {
            left.extend(batch.into_iter().map(|(job, _)| job));
            continue;
        }
        let (outcomes, untried) = outcomes_of(embedding, batch, at_once, has_time);
        goes_on = embedding.guard.is_available();
        let jobs: Vec<Job> = outcomes.iter().map(|(job, _)| job.clone()).collect();
        let count = jobs.len() as u64;
        left.extend(untried);
        ended = write_down(engine, version, outcomes, done)
            .inspect_err(|_| left.extend(jobs))
            .and_then(|()| running.count_units(count));
    }
    if !left.is_empty() {
        let given_back = give_back(engine, version, left);
        ended = ended.and(given_back);
    }
    ended.map(|()| goes_on)
}

/// Jobs with their texts.
type Batch = Vec<(Job, Vec<Window>)>;
/// Jobs with their vectors, or the reason why there are none.
type Outcomes = Vec<(Job, Result<Vec<WindowVector>>)>;

/// Reads the texts of jobs, in batches of about `at_once` texts. Jobs whose text is damaged fail.
fn prepare(engine: &Engine, jobs: &[Job], at_once: usize) -> Result<(Vec<Batch>, Outcomes)> {
    let read = engine.store.read()?;
    let (mut prepared, mut damaged) = (Vec::new(), Vec::new());
    let mut batch = Batch::new();
    let mut texts = 0;
    for job in jobs {
        let found = match texts_of(&read, job) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                damaged.push((job.clone(), Err(error)));
                continue;
            }
            found => found?,
        };
        if texts > 0 && texts + found.len() > at_once {
            prepared.push(std::mem::take(&mut batch));
            texts = 0;
        }
        texts += found.len();
        batch.push((job.clone(), found));
    }
    if !batch.is_empty() {
        prepared.push(batch);
    }
    Ok((prepared, damaged))
}

/// Embeds the texts of a batch. Also returns the jobs for which there was no time.
fn outcomes_of(
    embedding: &Embedding,
    batch: Batch,
    at_once: usize,
    has_time: &dyn Fn() -> bool,
) -> (Outcomes, Vec<Job>) {
    let mut outcomes = Vec::with_capacity(batch.len());
    let mut untried = Vec::new();
    match embed(embedding, &batch, at_once) {
        Ok(vectors) => outcomes.extend(
            batch
                .into_iter()
                .zip(vectors)
                .map(|((job, _), vectors)| (job, Ok(vectors))),
        ),
        // One bad text must not fail the rest of its batch, so each is retried alone.
        Err(_) if batch.len() > 1 && embedding.guard.is_available() => {
            for one in batch {
                if !has_time() {
                    untried.push(one.0);
                    continue;
                }
                let answer = embed(embedding, std::slice::from_ref(&one), at_once)
                    .map(|mut vectors| vectors.pop().unwrap_or_default());
                outcomes.push((one.0, answer));
            }
        }
        Err(error) => outcomes.extend(batch.into_iter().map(|(job, _)| (job, Err(error.clone())))),
    }
    (outcomes, untried)
}

/// Returns claimed jobs to the queue.
fn give_back(engine: &Engine, version: u32, jobs: Vec<Job>) -> Result<()> {
    let now = engine.store.clock().now();
    engine.store.write(|tx| {
        tx.with_outbox(version, |table| {
            for mut job in jobs {
                if is_ours(table, &job)? && job.recover(-1, now) {
                    table.put(job)?;
                }
            }
            Ok(())
        })
    })
}

/// Writes vectors and outcomes in one transaction. A job that another worker took over in
/// the meantime is left to it, and what was forgotten in the meantime gets no vector.
fn write_down(
    engine: &Engine,
    version: u32,
    outcomes: Outcomes,
    done: &mut Processed,
) -> Result<()> {
    let (store, filter) = (&engine.store, &engine.filter);
    let now = store.clock().now();
    let counted = store.write(|tx| {
        let mut counted = Processed::default();
        let (mut vectors, mut of_learned) = (Vec::new(), Vec::new());
        let is_deleted = are_deleted(tx, version, outcomes.iter().map(|(job, _)| job))?;
        tx.with_outbox(version, |table| {
            for ((job, outcome), is_deleted) in outcomes.into_iter().zip(is_deleted) {
                if !is_ours(table, &job)? {
                    continue;
                }
                let mut job = job;
                match outcome {
                    Ok(_) if is_deleted => {
                        job.skip(CONTENT_NOT_FOUND, now)?;
                        counted.count_skipped();
                    }
                    Ok(found) if found.is_empty() => {
                        job.skip(NOTHING_TO_EMBED, now)?;
                        counted.count_skipped();
                    }
                    Ok(mut found) => {
                        let item = item_of(&job.key)?;
                        match learned::is_learned(&job) {
                            true => of_learned.push((item, found.swap_remove(0).values)),
                            false => vectors.push((item, found)),
                        }
                        job.complete(now)?;
                        counted.count_success();
                    }
                    Err(error) => {
                        // A service's error message may contain its key.
                        let text = filter.text(&error.to_string()).text;
                        let text = head_of_clean(text.as_str(), ERROR_BYTES);
                        job.fail(text, now)?;
                        counted.count_failure(job.id, text);
                    }
                }
                table.put(job)?;
            }
            Ok(())
        })?;
        tx.put_vectors(version, &vectors)?;
        tx.put_learned_vectors(&of_learned)?;
        Ok(counted)
    })?;
    done.processed += counted.processed;
    done.succeeded += counted.succeeded;
    done.failed += counted.failed;
    done.skipped += counted.skipped;
    done.errors.extend(counted.errors);
    Ok(())
}

/// Whether this worker still holds the claim of a job.
fn is_ours(table: &dyn OutboxTable, claimed: &Job) -> Result<bool> {
    Ok(table.job(claimed.id)?.is_some_and(|now| {
        now.status == JobStatus::Processing && now.updated_at == claimed.updated_at
    }))
}

/// Whether the item of each job is gone. That of a learned item may also wait for the vector
/// of another embedder by now.
fn are_deleted<'j>(
    tx: &WriteTx<'_>,
    version: u32,
    jobs: impl Iterator<Item = &'j Job>,
) -> Result<Vec<bool>> {
    let (source, rows) = (tx.block_source()?, tx.projected()?);
    jobs.map(|job| match learned::is_learned(job) {
        true => {
            let waiting = vector(&rows, item_of(&job.key)?)?;
            Ok(waiting.is_none_or(|waiting| waiting.version != version))
        }
        false => source.is_deleted(item_of(&job.key)?),
    })
    .collect()
}

/// The texts to embed for a job; none if its item is gone.
fn texts_of(read: &ReadTx, job: &Job) -> Result<Vec<Window>> {
    let item = item_of(&job.key)?;
    let found = match learned::is_learned(job) {
        true => learned::text_of(read, item)?.map(|window| vec![window]),
        false => windows_of(read, item)?,
    };
    Ok(found.unwrap_or_default())
}

/// The windows of a live event; `None` if it is gone.
fn windows_of(read: &ReadTx, seq: u64) -> Result<Option<Vec<Window>>> {
    if read.tombstones()?.contains(seq)? {
        return Ok(None);
    }
    read.with_record(seq, |view| {
        let record = view.archive()?;
        let tool = record.tool.as_ref().map(|tool| ToolText {
            name: tool.name.as_str(),
            input: tool.input.as_ref().map(|json| json.as_str()),
            output: tool.output.as_str(),
        });
        let content = record.content.as_str();
        let recalled = recalled_spans(read.secret(), content);
        let actor = record.actor.as_str();
        Ok(windows(view.kind(), content, tool, actor, &recalled))
    })
}

/// The vectors of each job's windows, without zero vectors.
fn embed(
    embedding: &Embedding,
    batch: &[(Job, Vec<Window>)],
    at_once: usize,
) -> Result<Vec<Vec<WindowVector>>> {
    let texts: Vec<&str> = batch
        .iter()
        .flat_map(|(_, windows)| windows.iter().map(|window| window.text.as_str()))
        .collect();
    let mut answer = Vec::with_capacity(texts.len());
    for texts in texts.chunks(at_once) {
        answer.extend(embedding.guard.embed_within(texts, EMBED_LIMIT)?);
    }
    let mut vectors = answer.into_iter();
    Ok(batch
        .iter()
        .map(|(_, windows)| {
            windows
                .iter()
                .zip(&mut vectors)
                .filter(|(_, values)| values.iter().any(|value| *value != 0.0))
                .map(|(window, values)| WindowVector {
                    window: window.number,
                    start: window.start,
                    length: window.length,
                    values,
                })
                .collect()
        })
        .collect())
}

/// A table of which one step looks at a bounded number of jobs.
struct Bounded<'a>(&'a mut dyn OutboxTable);

impl OutboxTable for Bounded<'_> {
    fn find(&self, key: &outbox::JobKey) -> Result<Option<Job>> {
        self.0.find(key)
    }

    fn job(&self, id: outbox::JobId) -> Result<Option<Job>> {
        self.0.job(id)
    }

    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>> {
        self.0.with_status(status, limit.min(TIDY_STEP))
    }

    fn next_id(&mut self) -> Result<outbox::JobId> {
        self.0.next_id()
    }

    fn put(&mut self, job: Job) -> Result<()> {
        self.0.put(job)
    }

    fn remove(&mut self, id: outbox::JobId) -> Result<()> {
        self.0.remove(id)
    }
}

#[cfg(test)]
mod tests;
