//! Consolidates when it is due or asked for, also with summaries made by a host.

use std::collections::BTreeMap;

use super::plan::{count_waiting, plan_consolidation, plan_of, store_memory, waiting_events};
use super::settings::config_in;
use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::time::Timestamp;
use crate::projection::endless as rows_of;
use crate::projection::rows::{self, Cursor};
use crate::rules::endless::consolidate::{ConsolidationPlan, MemoryDraft};
use crate::rules::endless::{ConsolidationPolicy, ConsolidationTrigger, MemoryMode};
use crate::rules::model_answer::MAX_CONTENT_CHARS;
use crate::rules::tasks::keys::has_own_words;
use crate::store::WriteTx;
use crate::store::projected_rows::projected::{RowKind, Rows};

/// What [`Endless::consolidate`](crate::Endless::consolidate) did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConsolidationReport {
    /// Whether a consolidation took place, because it was due or requested.
    pub ran: bool,
    /// The ids of the memories that were created.
    pub memories: Vec<String>,
    /// The number of events that still wait: for more events on their topic, or for the next
    /// consolidation, because one takes a limited number.
    pub waiting: usize,
}

/// A host's own function for summarising a group of events. It gets the topics and the
/// texts and returns a summary, or `None` to use the summary made by rules. If it fails, so does
/// the consolidation, and nothing is stored.
pub type Summarizer<'a> = &'a mut dyn FnMut(&[String], &[String]) -> Result<Option<String>>;

/// A group of events that a host summarises; see
/// [`Endless::prepare_consolidation`](crate::Endless::prepare_consolidation).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryRequest {
    /// The topics of the group.
    pub topics: Vec<String>,
    /// The texts of its events, oldest first.
    pub texts: Vec<String>,
}

/// A consolidation that waits for its summaries; see
/// [`Endless::prepare_consolidation`](crate::Endless::prepare_consolidation).
#[derive(Clone, Debug)]
pub struct PreparedConsolidation {
    plan: ConsolidationPlan,
    /// In the order of the plan's memories.
    groups: Vec<SummaryRequest>,
}

impl PreparedConsolidation {
    /// The groups to summarise.
    pub fn groups(&self) -> &[SummaryRequest] {
        &self.groups
    }
}

/// [`Endless::consolidate`](crate::Endless::consolidate).
pub(crate) fn consolidate(engine: &Engine) -> Result<ConsolidationReport> {
    consolidate_with(engine, &mut |_, _| Ok(None))
}

/// [`Endless::consolidate_with`](crate::Endless::consolidate_with).
pub(crate) fn consolidate_with(
    engine: &Engine,
    summarize: Summarizer<'_>,
) -> Result<ConsolidationReport> {
    let mut prepared = prepare(engine)?;
    for (draft, group) in prepared.plan.memories.iter_mut().zip(&prepared.groups) {
        let summary = summarize(&group.topics, &group.texts)?;
        // The host may have closed the memory meanwhile.
        engine.enter()?;
        summarized(engine, draft, summary)?;
    }
    engine
        .store
        .write(|tx| store_plan(engine, tx, &prepared.plan))
}

/// [`Endless::prepare_consolidation`](crate::Endless::prepare_consolidation).
///
/// No transaction is held while the host summarises: an open one would keep pages from being
/// reused and an erasure from finishing.
pub(crate) fn prepare(engine: &Engine) -> Result<PreparedConsolidation> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let waiting = waiting_events(&rows, &read, &|id, look| match read.seq_of(&id.into())? {
        Some(seq) if !read.is_hidden(seq)? => Ok(read.with_record(seq, look)?.flatten()),
        _ => Ok(None),
    })?;
    let plan = plan_of(&rows, &waiting)?;
    let events = waiting.by_project.into_values().flatten();
    let mut texts: BTreeMap<String, String> = events
        .map(|event| (event.event_id, event.content))
        .collect();
    let groups = plan.memories.iter().map(|draft| SummaryRequest {
        topics: draft.topics.clone(),
        texts: draft
            .source_events
            .iter()
            .filter_map(|id| texts.remove(id))
            .collect(),
    });
    Ok(PreparedConsolidation {
        groups: groups.collect(),
        plan,
    })
}

/// [`Endless::store_consolidation`](crate::Endless::store_consolidation).
pub(crate) fn store_prepared(
    engine: &Engine,
    prepared: &PreparedConsolidation,
    summaries: Vec<Option<String>>,
) -> Result<ConsolidationReport> {
    let mut plan = prepared.plan.clone();
    if summaries.len() != plan.memories.len() {
        return Err(Error::invalid(
            "summaries",
            format_args!("must be one for each of the {} groups", plan.memories.len()),
        ));
    }
    for (draft, summary) in plan.memories.iter_mut().zip(summaries) {
        summarized(engine, draft, summary)?;
    }
    engine.store.write(|tx| store_plan(engine, tx, &plan))
}

/// Takes over the host's summary, if there is one that does not hide everything.
fn summarized(engine: &Engine, draft: &mut MemoryDraft, summary: Option<String>) -> Result<()> {
    let Some(summary) = summary else {
        return Ok(());
    };
    let chars = summary.chars().count();
    if chars > MAX_CONTENT_CHARS {
        return Err(Error::invalid(
            "summarize",
            format_args!("returned {chars} characters; the limit is {MAX_CONTENT_CHARS}"),
        ));
    }
    if has_own_words(engine.filter.text(&summary).text.as_str()) {
        draft.summary = summary;
    }
    Ok(())
}

fn store_plan(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    plan: &ConsolidationPlan,
) -> Result<ConsolidationReport> {
    let mut report = ConsolidationReport {
        ran: true,
        memories: Vec::new(),
        waiting: plan.waiting.len(),
    };
    for draft in &plan.memories {
        match store_memory(engine, tx, draft, None)? {
            Some(memory) => report.memories.push(memory),
            // Some of its events are gone or taken meanwhile, and the others go on waiting.
            None => report.waiting += count_waiting(tx, draft)?,
        }
    }
    note_attempt(tx, engine.store.clock().now(), report.memories.is_empty())?;
    Ok(report)
}

/// Consolidates when one of the three triggers is reached. Called by `maintain` and by
/// appends.
pub(crate) fn consolidate_if_due(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
) -> Result<ConsolidationReport> {
    let now = engine.store.clock().now();
    let config = config_in(tx)?;
    if config.consolidation.is_left_to_host {
        return Ok(ConsolidationReport::default());
    }
    let is_due = {
        let rows = tx.projected()?;
        if rows_of::mode(&rows)? != MemoryMode::Endless {
            return Ok(ConsolidationReport::default());
        }
        is_consolidation_due(&rows, &config.consolidation, now)?
    };
    if !is_due {
        return Ok(ConsolidationReport::default());
    }
    let plan = plan_consolidation(tx)?;
    store_plan(engine, tx, &plan)
}

/// Whether one of the three triggers is reached.
fn is_consolidation_due(
    rows: &dyn Rows,
    policy: &ConsolidationPolicy,
    now: Timestamp,
) -> Result<bool> {
    // Events that are paused would be read again by every append; only what came since counts.
    let in_vain = rows::get::<Cursor>(rows, CONSOLIDATED_IN_VAIN)?;
    let in_vain = in_vain.map_or(0, |to| to.0.unsigned_abs());
    let (mut waiting, mut fresh, mut last_activity) = (0, 0, None);
    rows_of::unconsolidated(rows, &mut |seq, item| {
        waiting += 1;
        fresh += usize::from(seq > in_vain);
        // A time to come, stamped by a wrong clock, says nothing about silence.
        last_activity = last_activity.max(Some(item.added_at).filter(|at| *at <= now));
        Ok(waiting < policy.trigger_event_count)
    })?;
    let attempt = rows::get::<Cursor>(rows, CONSOLIDATION_ATTEMPT)?;
    // What other stores consolidate does not postpone it here; after a rebuild, no attempt is known.
    let last = match attempt {
        Some(attempt) => Some(Timestamp::from_millis_clamped(attempt.0)),
        None => last_consolidation(rows)?,
    };
    let last = last.filter(|at| *at <= now);
    let apart = |since: Option<Timestamp>| {
        since.map_or(i64::MAX, |at| now.millis().saturating_sub(at.millis()))
    };
    let trigger = ConsolidationTrigger {
        since_last_ms: apart(last),
        working_set_size: fresh,
        // One consolidation per idle period is enough.
        idle_ms: match last >= last_activity {
            true => 0,
            false => apart(last_activity),
        },
    };
    Ok(waiting > 0 && trigger.is_due(policy))
}

/// When consolidation was last attempted, whether or not it produced anything.
const CONSOLIDATION_ATTEMPT: &[u8] = b"consolidation";

/// Up to where the log was when enough events waited and gave no memory, until one is made.
const CONSOLIDATED_IN_VAIN: &[u8] = b"consolidated in vain";

fn note_attempt(tx: &WriteTx<'_>, now: Timestamp, is_in_vain: bool) -> Result<()> {
    let mut rows = tx.projected()?;
    rows::put(&mut rows, CONSOLIDATION_ATTEMPT, &Cursor(now.millis()))?;
    if is_in_vain && enough_wait(&rows)? {
        rows::put(
            &mut rows,
            CONSOLIDATED_IN_VAIN,
            &Cursor::at(tx.state.last_seq),
        )?;
    } else {
        rows.remove(RowKind::Cursor, CONSOLIDATED_IN_VAIN)?;
    }
    rows.finish(now.millis())
}

/// Whether as many events wait as trigger a consolidation.
fn enough_wait(rows: &dyn Rows) -> Result<bool> {
    let enough = rows_of::config(rows)?.consolidation.trigger_event_count;
    let mut waiting = 0;
    rows_of::unconsolidated(rows, &mut |_, _| {
        waiting += 1;
        Ok(waiting < enough)
    })?;
    Ok(waiting >= enough)
}

pub(super) fn last_consolidation(rows: &dyn Rows) -> Result<Option<Timestamp>> {
    rows_of::setting(rows, rows_of::CONSOLIDATED_AT)
}
