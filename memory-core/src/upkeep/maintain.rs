//! `maintain`: one call that advances all deferred work by a bounded step, and the small
//! part of it that ordinary appends run.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::learned_index::Limits;
use crate::engine::logger::Target;
use crate::engine::merging::MergeLimits;
use crate::index::lexical::memtable::FLUSH_BYTES;
use crate::learn::{by_rules, endless, levels};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::log_record::LogLevel;
use crate::model::setters::setters;
use crate::model::stats::Stats;
use crate::projection::usage;
use crate::store::WriteTx;
use crate::store::generations::fresh::Fresh;
use crate::store::index_tables::word_files::FILE_EVENTS;
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::store::running::Running;
use crate::upkeep::embed;
use crate::upkeep::{erase, forget, words};
use crate::write::accesses::Flushing;
use crate::write::injections::flush_injections;

/// The maximum amount of work of one call of [`Memory::maintain`](crate::Memory::maintain).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaintainBudget {
    /// The number of events to evaluate for graduation. Default: 500.
    pub graduate_events: usize,
    /// The number of index segments to merge, and also of segments to rewrite without
    /// forgotten events. Default: 4 of each.
    pub merges: usize,
    /// The size of the largest merge, in events. Default: 100,000.
    pub merge_events: u64,
    /// The number of outbox jobs to process, if there is an embedder. Default: 64.
    pub jobs: usize,
    /// The number of vectors to add to graphs, if the memory was opened with
    /// [`vector_graph_from`](crate::MemoryBuilder::vector_graph_from). Default: 500. Each
    /// takes about a millisecond, more in large graphs.
    pub graph_vectors: usize,
    /// The number of messages for rules to learn from, in sessions that have ended or
    /// fallen silent. Default: 200. None without
    /// [`learn_by_rules`](crate::MemoryBuilder::learn_by_rules).
    pub learn_messages: usize,
    /// The time after which no further step is begun, in milliseconds; `None` (the default) sets no
    /// limit. When the time runs out, `has_more` is true whatever is left, because nothing more was
    /// examined. An ordered erasure is carried out only if its one long step is likely to fit: see
    /// `requested_erasures`.
    pub time_ms: Option<u64>,
}

impl Default for MaintainBudget {
    fn default() -> Self {
        MaintainBudget {
            graduate_events: 500,
            merges: 4,
            merge_events: 100_000,
            jobs: 64,
            graph_vectors: 500,
            learn_messages: 200,
            time_ms: None,
        }
    }
}

impl MaintainBudget {
    setters! {
        /// Sets the number of events to evaluate for graduation.
        graduate_events: usize;
        /// Sets the number of index segments to merge.
        merges: usize;
        /// Sets the size of the largest merge, in events.
        merge_events: u64;
        /// Sets the number of outbox jobs to process.
        jobs: usize;
        /// Sets the number of vectors to add to graphs.
        graph_vectors: usize;
        /// Sets the number of messages for rules to learn from.
        learn_messages: usize;
        /// Sets the time after which no further step is begun, in milliseconds.
        time_ms: some u64;
    }
}

/// What [`Memory::maintain`](crate::Memory::maintain) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintained {
    /// Whether waiting events were flushed into an index segment.
    pub flushed: bool,
    /// The number of merges of index segments.
    pub merges: usize,
    /// The number of index segments that were rewritten without words of forgotten events.
    pub rewritten: usize,
    /// The number of outbox jobs whose vectors were written or that needed none.
    pub jobs_done: usize,
    /// The number of outbox jobs that failed; they are retried later.
    pub jobs_failed: usize,
    /// The number of outbox jobs that are retried or were taken back from dead workers.
    pub jobs_revived: usize,
    /// The number of outbox jobs that were completed long ago and have been removed.
    pub jobs_cleaned: usize,
    /// The number of outbox jobs that still wait for the embedder.
    pub jobs_waiting: usize,
    /// The number of vectors that were added to graphs.
    pub graph_vectors: usize,
    /// The number of events that were evaluated for graduation.
    pub judged: usize,
    /// The number of events whose level changed.
    pub moved: usize,
    /// The number of insights that were found.
    pub insights: usize,
    /// The number of memories that consolidation created.
    pub consolidated: usize,
    /// The number of messages that rules have read.
    pub messages_read: usize,
    /// The number of entries that rules have learned.
    pub entries_learned: usize,
    /// The number of tasks that rules have learned.
    pub tasks_learned: usize,
    /// The number of earlier, unfinished erasures that are now complete.
    pub erasures_completed: u64,
    /// The number of erasures that are not complete: they wait for a file that another process has
    /// open, or to be carried out; see [`Stats::unclean_places`](crate::Stats::unclean_places).
    pub open_erasures: u64,
    /// How many of these are yet to be carried out. If the time of this call did not suffice, a
    /// call without `time_ms` carries them out.
    pub requested_erasures: u64,
    /// Whether there is more work for another call.
    pub has_more: bool,
    /// Whether a compaction is worthwhile: much of the log was forgotten since the last one,
    /// or the store is much larger than its contents and than it was after the last one.
    pub compaction_pays: bool,
}

/// How many times as large as its content a store may be before compaction is worthwhile.
const WORTHWHILE_GROWTH: u64 = 4;
/// How many times as large as after its last copy, for the same content, it must also be. A file
/// grows by doubling, so that alone is no sign.
const WORTHWHILE_SINCE: u128 = 3;
/// What a component of a vector counts as content, in bytes: it is an `f32`.
const VECTOR_COMPONENT_BYTES: u64 = 4;
/// Below this size, in bytes, compaction is never worthwhile.
const WORTHWHILE_BYTES: u64 = 16 << 20;
/// How many events one append evaluates for graduation.
const STEP_EVENTS: usize = 16;

/// [`Memory::maintain`](crate::Memory::maintain).
pub(crate) fn maintain(
    engine: &Engine,
    budget: MaintainBudget,
    running: &Running,
) -> Result<Maintained> {
    let until = budget
        .time_ms
        .and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
    let has_time = || until.is_none_or(|until| Instant::now() < until);
    let mut done = Maintained::default();
    let worked = run_steps(engine, &budget, until, running, &mut done);
    done.has_more |= !has_time();
    let is_stopped = worked.as_ref().is_err_and(Error::is_stop);
    // Erased text goes even if a step before failed.
    let cleaned = match is_stopped {
        true => Ok(()),
        false => clean(engine, until, running, &mut done),
    };
    worked?;
    cleaned?;
    done.compaction_pays = compaction_pays(engine)?;
    log_done(engine, &done);
    Ok(done)
}

/// Removes files that are no longer needed, and continues open erasures.
fn clean(
    engine: &Engine,
    until: Option<Instant>,
    running: &Running,
    done: &mut Maintained,
) -> Result<()> {
    // What cannot be removed now is tried again by the next call.
    if engine.store.clean_leftovers().is_err() {
        engine.store.heal()?;
    }
    if !engine.store.unnamed_files()?.is_empty() {
        engine.lexical.release_all();
        let _ = engine.store.tidy_files();
    }
    done.erasures_completed = engine.resume_erasures(Duration::ZERO)?.completed;
    let time_left = until.map(|until| until.saturating_duration_since(Instant::now()));
    match erase::complete_within(engine, time_left, running) {
        Ok(erased) => done.erasures_completed += erased.completed,
        Err(error) if error.code() == ErrorCode::Corrupt => {
            engine.logger.warn(Target::Upkeep, || {
                "an erasure is not carried out, because the store is damaged; call check()"
                    .to_owned()
            });
        }
        Err(error) => return Err(error),
    }
    let open = engine.store.open_erasures()?;
    (done.open_erasures, done.requested_erasures) = (open.count(), open.requested);
    Ok(())
}

/// The steps within the budget, the most urgent ones first.
fn run_steps(
    engine: &Engine,
    budget: &MaintainBudget,
    until: Option<Instant>,
    running: &Running,
    done: &mut Maintained,
) -> Result<()> {
    let has_time = || until.is_none_or(|until| Instant::now() < until);
    flush_injections(engine)?;
    let flushing = Flushing::all(engine);
    engine.store.write(|tx| {
        flushing.write(tx)?;
        // Forgetting very much may have been stopped in between.
        usage::refold_if_stale(tx)?;
        // A segment of a few events would soon be merged again.
        if tx.state.memtable_events >= MIN_FLUSH_EVENTS || tx.memtable_bytes()? >= FLUSH_BYTES {
            done.flushed = engine.lexical.flush(tx)?;
        }
        let graduated = levels::graduate_in(engine, tx, budget.graduate_events)?;
        done.judged = graduated.judged;
        done.moved = graduated.promoted.len() + graduated.demoted.len();
        done.has_more = graduated.waiting > 0 && budget.graduate_events > 0;
        done.consolidated = endless::consolidate_if_due(engine, tx)?.memories.len();
        Ok(())
    })?;
    flushing.done();
    running.count_units(1)?;
    if budget.graduate_events > 0 && has_time() {
        done.insights = levels::find_insights(engine)?.len();
    }
    running.count_units(1)?;
    learn_step(engine, budget.learn_messages, &has_time, done)?;
    running.count_units(1)?;
    make_words_again(engine, &has_time, running, done)?;
    running.count_units(1)?;
    let has_unclean = rewrite_step(engine, budget.merges, &has_time, running, done)?;
    done.has_more |= has_unclean;
    merge_step(engine, budget, &has_time, running, done)?;
    index_learned(engine, budget, &has_time, done)?;
    running.count_units(1)?;
    if engine.embedding.is_some() {
        embed_step(engine, budget.jobs, until, running, done)?;
        build_graphs(engine, budget.graph_vectors, &has_time, done)?;
    } else {
        embed::take_out_vectors(engine, Duration::ZERO)?;
    }
    Ok(())
}

/// Logs what a call of `maintain` did, but not what had been done before.
fn log_done(engine: &Engine, done: &Maintained) {
    let counts = [
        (usize::from(done.flushed), "flushed"),
        (done.merges, "segment merges"),
        (done.rewritten, "segments rewritten"),
        (done.jobs_done, "texts embedded"),
        (done.graph_vectors, "vectors added to graphs"),
        (done.moved, "events moved between levels"),
        (done.insights, "insights"),
        (done.consolidated, "memories consolidated"),
        (done.entries_learned, "entries learned"),
        (done.tasks_learned, "tasks learned"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, what)| format!("{what} {count}"))
        .collect();
    let level = match told.is_empty() {
        true => LogLevel::Debug,
        false => LogLevel::Info,
    };
    engine
        .logger
        .log(level, Target::Upkeep, || match told.is_empty() {
            true => "maintain: nothing to do".to_owned(),
            false => format!("maintain: {}", told.join(", ")),
        });
    if done.compaction_pays {
        engine.logger.info(Target::Upkeep, || {
            "compaction is worthwhile: much of the folder is no longer needed".to_owned()
        });
    }
}

/// Logs that an index must be rebuilt.
fn log_damage(engine: &Engine, part: &str) {
    engine.logger.warn(Target::Upkeep, || {
        format!("{part} is damaged; call rebuild()")
    });
}

/// Merges segments, and moves large ones from the store into files.
fn merge_step(
    engine: &Engine,
    budget: &MaintainBudget,
    has_time: &dyn Fn() -> bool,
    running: &Running,
    done: &mut Maintained,
) -> Result<()> {
    let limits = MergeLimits {
        most_events: budget.merge_events,
        files_from: FILE_EVENTS,
    };
    let step = || -> Result<bool> {
        Ok(engine.lexical.merge_apart(&engine.store, limits)?
            || engine.lexical.move_into_file(&engine.store)?)
    };
    while done.merges < budget.merges && has_time() {
        match step() {
            Ok(true) => done.merges += 1,
            Ok(false) => return Ok(()),
            // A damaged segment is left for the next call, or for a rebuild.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                log_damage(engine, "a segment of the search index");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        running.count_units(1)?;
    }
    done.has_more |= budget.merges > 0 && done.merges == budget.merges;
    Ok(())
}

/// Runs the rules on recent messages.
fn learn_step(
    engine: &Engine,
    messages: usize,
    has_time: &dyn Fn() -> bool,
    done: &mut Maintained,
) -> Result<()> {
    if engine.learns_by_rules {
        let learned = match by_rules::learn_step(engine, messages, has_time) {
            // The other steps do not need what is damaged.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                log_damage(engine, "what is learned by rules");
                return Ok(());
            }
            learned => learned?,
        };
        done.messages_read = learned.messages;
        done.entries_learned = learned.entries;
        done.tasks_learned = learned.tasks;
        done.has_more |= learned.has_more;
    }
    Ok(())
}

/// Flushes learned items into their index, and merges its segments.
fn index_learned(
    engine: &Engine,
    budget: &MaintainBudget,
    has_time: &dyn Fn() -> bool,
    done: &mut Maintained,
) -> Result<()> {
    let limits = Limits {
        merges: budget.merges.saturating_sub(done.merges),
        rewrites: budget.merges.saturating_sub(done.rewritten),
        merge_events: budget.merge_events,
        has_time,
    };
    let indexed = match engine.learned_index.maintain(&engine.store, &limits) {
        // If the rows are damaged too, both are left for a rebuild.
        Err(error) if error.code() == ErrorCode::Corrupt => {
            log_damage(engine, "the index of learned items");
            return Ok(());
        }
        indexed => indexed?,
    };
    done.flushed |= indexed.is_flushed;
    done.merges += indexed.merges;
    done.rewritten += indexed.rewritten;
    done.has_more |= indexed.has_more;
    Ok(())
}

/// Rebuilds segments whose files are missing or damaged.
fn make_words_again(
    engine: &Engine,
    has_time: &dyn Fn() -> bool,
    running: &Running,
    done: &mut Maintained,
) -> Result<()> {
    match words::make_again(engine, has_time, running) {
        Ok(made) => done.rewritten += made,
        // If a record is damaged too, both are left for a rebuild.
        Err(error) if error.code() == ErrorCode::Corrupt => {
            log_damage(engine, "a segment of the search index");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Rewrites index segments without forgotten events. True if more are waiting.
fn rewrite_step(
    engine: &Engine,
    most: usize,
    has_time: &dyn Fn() -> bool,
    running: &Running,
    done: &mut Maintained,
) -> Result<bool> {
    for _ in 0..most {
        if !has_time() {
            break;
        }
        match forget::rewrite_one(engine) {
            Ok(Some(is_changed)) => done.rewritten += usize::from(is_changed),
            Ok(None) => return Ok(false),
            // A damaged segment is left for a rebuild.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                log_damage(engine, "a segment of the search index");
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        running.count_units(1)?;
    }
    Ok(most > 0 && !engine.store.read()?.unclean_segments()?.is_empty())
}

fn embed_step(
    engine: &Engine,
    jobs: usize,
    until: Option<Instant>,
    running: &Running,
    done: &mut Maintained,
) -> Result<()> {
    let (worked, tidied) = embed::outbox_step(engine, jobs, until, running)?;
    done.jobs_done = worked.succeeded;
    done.jobs_failed = worked.failed;
    done.jobs_revived = tidied.revived;
    done.jobs_cleaned = tidied.cleaned;
    if let Some(embedding) = engine.store.read()?.embedding_stats()? {
        let waiting = embedding.pending + embedding.to_enqueue;
        done.jobs_waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
    }
    // A failing embedder is no reason to call again at once.
    done.has_more |= jobs > 0 && done.jobs_done > 0 && done.jobs_waiting > 0;
    Ok(())
}

/// Runs outside every transaction: graphs are built in memory, from files.
fn build_graphs(
    engine: &Engine,
    most: usize,
    has_time: &dyn Fn() -> bool,
    done: &mut Maintained,
) -> Result<()> {
    let Some(index) = engine.embedding.as_ref().map(|ours| &ours.index) else {
        return Ok(());
    };
    if index.has_graphs() {
        done.graph_vectors = index.build_graphs(most, has_time)?;
        done.has_more |= most > 0 && index.graph_counts().waiting > 0;
    }
    Ok(())
}

/// Whether a compaction would free much. What it cannot free does not count: records of forgotten
/// events are kept, and a store may be larger than its log for good reasons. So the store is
/// compared with what it was like after its last copy.
fn compaction_pays(engine: &Engine) -> Result<bool> {
    let stats = crate::upkeep::stats::stats(engine)?;
    // Files that wait for their removal would not go.
    let size_bytes = engine.store.folder().live_bytes()?;
    let vectors = stats.embedding.as_ref().map_or(0, |embedding| {
        embedding.vectors * u64::from(embedding.dimensions) * VECTOR_COMPONENT_BYTES
    });
    let content_bytes = stats.log_bytes + vectors;
    let mut fresh = engine.store.read()?.fresh()?;
    if fresh.is_some_and(|fresh| fresh.size_bytes == 0) {
        fresh = engine.store.write(|tx| {
            // Another process may have made a new copy meanwhile; then these numbers are close.
            let measured = tx.fresh()?.map(|fresh| Fresh {
                size_bytes,
                content_bytes,
                ..fresh
            });
            measured.map(|fresh| tx.set_fresh(fresh)).transpose()?;
            Ok(measured)
        })?;
    }
    Ok(pays(&stats, (size_bytes, content_bytes), fresh))
}

/// Whether a compaction would free much of a store of this size and content, which was `fresh` after
/// its last copy.
fn pays(stats: &Stats, (size, content): (u64, u64), fresh: Option<Fresh>) -> bool {
    let forgotten = fresh.map_or(0, |fresh| fresh.forgotten_events);
    let gone = stats.forgotten.saturating_sub(forgotten);
    let is_hollow = gone > 100 && gone * 2 > stats.events;
    let has_grown = fresh.is_none_or(|fresh| {
        u128::from(size) * u128::from(fresh.content_bytes)
            > u128::from(content) * u128::from(fresh.size_bytes) * WORTHWHILE_SINCE
    });
    let is_bloated =
        size > WORTHWHILE_BYTES && size > content.saturating_mul(WORTHWHILE_GROWTH) && has_grown;
    is_hollow || is_bloated
}

/// The small step of upkeep that runs in an append's transaction.
pub(crate) fn after_append(engine: &Engine, tx: &mut WriteTx<'_>) -> Result<()> {
    engine.learned_index.flush_if_long(tx)?;
    let (is_due, is_endless) = {
        let rows = tx.projected()?;
        (
            rows.facts(RowKind::LevelDue)?.rows > 0,
            crate::projection::endless::mode(&rows)? == crate::rules::endless::MemoryMode::Endless,
        )
    };
    if is_due {
        levels::graduate_in(engine, tx, STEP_EVENTS)?;
    }
    if is_endless {
        endless::consolidate_if_due(engine, tx)?;
    }
    Ok(())
}

/// Fewer waiting events than this stay in the memtable, unless they are long.
const MIN_FLUSH_EVENTS: u64 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_is_as_large_as_after_its_last_copy_is_not_bloated() {
        let stats = Stats::default();
        let (content, size) = (10 << 20, 50 << 20);
        assert!(pays(&stats, (size, content), None));
        let fresh = |size_bytes| Fresh {
            size_bytes,
            content_bytes: content,
            forgotten_events: 0,
        };
        assert!(!pays(&stats, (size, content), Some(fresh(size))));
        // Doubled by what it needs to write.
        assert!(!pays(&stats, (2 * size, content), Some(fresh(size))));
        assert!(pays(&stats, (4 * size, content), Some(fresh(size))));
        assert!(!pays(&stats, (4 * size, 4 * content), Some(fresh(size))));
    }
}
