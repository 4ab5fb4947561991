//! Ingests one session: an extractor's answer becomes aligned evidence, entries, tasks and
//! edges. Each step is an event, and all are written in one transaction.

pub(super) mod changes;
mod compared;
pub(super) mod emit;
mod messages;
mod options;
pub(super) mod prepare;
mod report;

use std::rc::Rc;

use serde_json::json;

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::ErrorCode;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::projection::history::{IngestedRow, Report, RunEnd};
use crate::projection::{self, history, rows};
use crate::rules::entries::{EntryId, EvidenceReport, Stage};
use crate::rules::history::{BuildOutcome, BuildRun, BuildStatus, BuildTools};
use crate::rules::model_answer::SCHEMA_VERSION;
use crate::rules::tasks::EntityId;
use crate::write::pauses::{self, PauseKeys, ScopeKind};
use crate::write::prepare::SystemEvent;
pub(crate) use compared::Compared;
use emit::Run;
pub use messages::SessionMessage;
pub(crate) use messages::session_messages;
use options::BY_HAND;
pub use options::IngestOptions;
pub(crate) use options::Reader;
use prepare::Prepared;
pub use report::{IngestReport, IngestedEntry, IngestedTask};

/// [`Memory::ingest`](crate::Memory::ingest).
pub(crate) fn ingest(engine: &Engine, session: &str, extraction: &str) -> Result<IngestReport> {
    ingest_with(engine, session, extraction, &IngestOptions::default())
}

/// [`Memory::ingest_with`](crate::Memory::ingest_with).
pub(crate) fn ingest_with(
    engine: &Engine,
    session: &str,
    extraction: &str,
    options: &IngestOptions,
) -> Result<IngestReport> {
    ingest_as(engine, session, extraction, options, Reader::Model)
}

/// The outcome of an ingestion.
#[derive(Debug, PartialEq)]
pub(crate) enum Ingested {
    /// It was taken in, now or before.
    Report(IngestReport),
    /// Nothing was written, because recording is paused.
    Paused(ScopeKind),
}

/// How often an ingestion is retried because messages were forgotten in between.
const MAX_ATTEMPTS: usize = 5;

/// Like [`ingest_with`], for what this reader found. Refuses what is paused.
pub(crate) fn ingest_as(
    engine: &Engine,
    session: &str,
    extraction: &str,
    options: &IngestOptions,
    reader: Reader,
) -> Result<IngestReport> {
    let compared = Rc::default();
    match ingest_unless_paused(engine, session, extraction, options, reader, &compared)? {
        Ingested::Report(report) => Ok(report),
        Ingested::Paused(scope) => Err(pauses::refusal(scope)),
    }
}

/// Like [`ingest_as`], for a reader that comes back when recording is resumed.
pub(crate) fn ingest_unless_paused(
    engine: &Engine,
    session: &str,
    extraction: &str,
    options: &IngestOptions,
    reader: Reader,
    compared: &Rc<Compared>,
) -> Result<Ingested> {
    for _ in 0..MAX_ATTEMPTS {
        let prepared = Prepared {
            compared: Rc::clone(compared),
            ..Prepared::new(engine, session, extraction, options, reader)?
        };
        if let Some(ingested) = ingest_prepared(engine, &prepared, options)? {
            return Ok(ingested);
        }
    }
    Err(Error::new(
        ErrorCode::Busy,
        "messages that the extraction quotes kept being forgotten; try again later",
    ))
}

/// `None` if a message was forgotten after it was looked up.
fn ingest_prepared(
    engine: &Engine,
    prepared: &Prepared,
    options: &IngestOptions,
) -> Result<Option<Ingested>> {
    if let Some(scope) = prepared.pauses.paused(&engine.store.read()?.projected()?)? {
        return Ok(Some(Ingested::Paused(scope)));
    }
    if let Some(report) = known(engine, prepared)? {
        return Ok(Some(Ingested::Report(report)));
    }
    ingest_if_live(engine, prepared, options)
}

/// Like [`ingest_prepared`], without a look before the lock.
fn ingest_if_live(
    engine: &Engine,
    prepared: &Prepared,
    options: &IngestOptions,
) -> Result<Option<Ingested>> {
    let started_at = engine.store.clock().now();
    let mut is_stale = false;
    let written = engine.store.write(|tx| {
        is_stale = false;
        prepared.refuse_erased(tx)?;
        if let Some(scope) = prepared.pauses.paused(&tx.projected()?)? {
            return Ok(Some(Ingested::Paused(scope)));
        }
        let (runs, is_done) = runs_before(&tx.projected()?, &prepared.extraction_key)?;
        if is_done {
            return Ok(None);
        }
        if prepared.is_stale(tx)? {
            is_stale = true;
            return Ok(None);
        }
        // Another process has read these messages in the meantime.
        if let Reader::Rules { after, .. } = prepared.reader
            && history::read_to(&tx.projected()?, &prepared.session)?.by_anyone() > after
        {
            return Ok(Some(Ingested::Report(prepared.empty_report())));
        }
        let run = BuildRun {
            build_id: prepared.build_id(runs),
            started_at,
            tools: tools(prepared, options),
            outcome: BuildOutcome::Running,
        };
        let report = Run::new(engine, tx, prepared, run)?.go(options)?;
        engine.learned_index.flush_if_long(tx)?;
        Ok(Some(Ingested::Report(report)))
    });
    match written {
        Ok(Some(ingested)) => Ok(Some(ingested)),
        Ok(None) if is_stale => Ok(None),
        // Another process ingested the same extraction first.
        Ok(None) => known(engine, prepared)?
            .map(|report| Some(Ingested::Report(report)))
            .ok_or_else(|| Error::new(ErrorCode::Internal, "a finished build run has no report")),
        Err(error) => {
            // The ledger records the failure; the caller gets the original error.
            let _ = record_failure(engine, prepared, options, started_at, &error);
            Err(error)
        }
    }
}

/// Records that the rules read messages and found nothing. False if recording was paused: they are
/// read again later.
pub(crate) fn mark_read(
    engine: &Engine,
    (session, project): (&str, &str),
    pauses: &PauseKeys,
    (after, to): (u64, u64),
    reports: &[Report],
) -> Result<bool> {
    engine.store.write(|tx| {
        if pauses.paused(&tx.projected()?)?.is_some() {
            return Ok(false);
        }
        // The name of a session that was erased meanwhile must not come back.
        let is_gone = tx.session_number(session)?.is_none();
        if is_gone || history::read_to(&tx.projected()?, session)?.by_anyone() > after {
            return Ok(true);
        }
        let payload = json!({
            "reader": Reader::Rules { after, to }.as_str(),
            "read_through": to,
            "reports": codec::to_value(&reports),
        });
        let draft = SystemEvent {
            session: session.to_owned(),
            project: project.to_owned(),
            ..SystemEvent::new(
                engine,
                EventKind::SessionIngested,
                "messages read, nothing found",
                payload,
            )
        }
        .draft(engine);
        projection::append(tx, &[draft])?;
        Ok(true)
    })
}

fn record_failure(
    engine: &Engine,
    prepared: &Prepared,
    options: &IngestOptions,
    started_at: Timestamp,
    error: &Error,
) -> Result<()> {
    engine.store.write(|tx| {
        prepared.refuse_erased(tx)?;
        let (runs, _) = runs_before(&tx.projected()?, &prepared.extraction_key)?;
        let run = BuildRun {
            build_id: prepared.build_id(runs),
            started_at,
            tools: tools(prepared, options),
            outcome: BuildOutcome::Running,
        };
        let now = engine.store.clock().now().max(started_at);
        let failed = run.finish(now, Some(format!("{}: {error}", error.code())))?;
        let draft = emit::build_run(engine, prepared, &failed, RunEnd::default());
        projection::append(tx, &[draft])?;
        Ok(())
    })
}

fn tools(prepared: &Prepared, options: &IngestOptions) -> BuildTools {
    let prompt = &options.extractor_prompt;
    BuildTools {
        extractor_model: match prepared.reader {
            Reader::Caller => BY_HAND.to_owned(),
            Reader::Model | Reader::Rules { .. } | Reader::Again { .. } => {
                options.extractor_model.clone()
            }
        },
        extractor_prompt_hash: if prompt.is_empty() {
            String::new()
        } else {
            // The prompt may contain the conversation, so the hash is keyed with the store's
            // secret.
            blake3::keyed_hash(&prepared.prompt_secret, prompt.as_bytes())
                .to_hex()
                .to_string()
        },
        schema_version: SCHEMA_VERSION.to_string(),
        ..BuildTools::default()
    }
}

/// How many runs an extraction has had, and whether one succeeded.
fn runs_before(
    rows: &dyn crate::store::projected_rows::projected::Rows,
    extraction_key: &str,
) -> Result<(u64, bool)> {
    let row: Option<IngestedRow> = rows::get(rows, extraction_key.as_bytes())?;
    Ok(row.map_or((0, false), |row| {
        (row.runs, row.status == BuildStatus::Success)
    }))
}

/// The report of an extraction that was ingested before.
fn known(engine: &Engine, prepared: &Prepared) -> Result<Option<IngestReport>> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let row: Option<IngestedRow> = rows::get(&rows, prepared.extraction_key.as_bytes())?;
    let Some(row) = row.filter(|row| row.status == BuildStatus::Success) else {
        return Ok(None);
    };
    let (made_entries, made_tasks) =
        (row.report).map_or_else(Default::default, |report| (report.entries, report.tasks));
    let mut entries = Vec::new();
    let evidence_of = |place: Option<usize>, all: &[EvidenceReport]| {
        let found = place.and_then(|place| all.get(place));
        found.cloned().unwrap_or_default()
    };
    for made in made_entries {
        let mut read_now = prepared.extraction.entries.iter();
        let place = read_now.position(|entry| entry.id == made.local_id);
        let entry_id = EntryId::new(made.global_id);
        let stage = projection::entries::entry(&rows, &entry_id)?
            .map_or(Stage::Raw, |row| row.entry.lifecycle.stage());
        entries.push(IngestedEntry {
            local_id: made.local_id,
            entry_id,
            is_new: false,
            stage,
            evidence: evidence_of(place, &prepared.entry_evidence),
        });
    }
    let mut tasks = Vec::new();
    for made in made_tasks {
        let mut read_now = prepared.extraction.tasks.iter();
        let place = read_now.position(|task| task.id == made.local_id);
        let task_id = EntityId::new(made.global_id);
        tasks.push(IngestedTask {
            local_id: made.local_id,
            status: emit::status_of(&rows, &task_id)?,
            task_id,
            is_new: false,
            acts: 0,
            evidence: evidence_of(place, &prepared.task_evidence),
        });
    }
    Ok(Some(IngestReport {
        build_id: row.build_id,
        session: prepared.session.clone(),
        already_ingested: true,
        entries,
        tasks,
        left_out: prepared.left_out.clone(),
        events: 0,
    }))
}

#[cfg(test)]
mod tests;
