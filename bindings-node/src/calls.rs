//! One function per call of the core, from plain inputs to plain outputs; the blocking and
//! the worker form both use it.

use std::sync::Arc;
use std::time::Instant;

use napi_derive::napi;
use recallite::ImportProgress;
use recallite::{Error, Memory, Query, Result};

use crate::convert::{give_placed, give_plain, take};
use crate::embedder::Described;
use crate::generated::{
    NativeEventFilter, NativeImportFields, NativeImportProgress, NativeImportReport,
    NativeNewEvent, NativeQuery, NativeSearchResult,
};
use crate::list::NativeReceipts;
use crate::logging::OnLog;
use crate::options::NativeOpening;
use crate::outcome::Failure;

pub fn open(
    path: &str,
    options: NativeOpening,
    embedder: Option<&Described>,
    on_log: Option<OnLog>,
) -> Result<Memory, Failure> {
    if embedder.is_some() && options.fastembed.is_some() {
        return Err(Failure::from(Error::invalid(
            "embedder",
            "pass either embedder or fastembed, not both",
        )));
    }
    let has_settings = options
        .options
        .as_ref()
        .is_some_and(|given| given.settings.is_some() || given.settings_file.is_some());
    let mut builder = options.builder()?;
    if let Some(embedder) = embedder {
        builder = builder.embedder(Arc::new(embedder.embedder()?));
    }
    if let Some(on_log) = on_log {
        builder = builder.on_log(on_log);
    }
    if has_settings {
        // Checked apart from the options: an error names a key as the program wrote it.
        builder.preview_settings().map_err(in_settings)?;
    }
    builder.open(path).map_err(Failure::from)
}

/// An error about settings; only the option that names their file is not a key of theirs.
fn in_settings(error: Error) -> Failure {
    match error.argument() {
        Some("settings_file") => Failure::from(error),
        _ => Failure::in_json(&error),
    }
}

pub fn append_batch(memory: &Memory, events: Vec<NativeNewEvent>) -> Result<NativeReceipts> {
    let receipts = memory.append_batch(take("events", events)?)?;
    Ok(NativeReceipts::new(receipts))
}

pub fn events(memory: &Memory, filter: NativeEventFilter) -> Result<recallite::Events> {
    memory.events(take("", filter)?)
}

/// The core's query. The time since `asked` spent waiting for a worker counts towards its
/// deadline.
pub fn query(given: NativeQuery, asked: Instant) -> Result<Query> {
    let mut query: Query = take("", given)?;
    query.deadline = query
        .deadline
        .map(|whole| whole.saturating_sub(asked.elapsed()));
    Ok(query)
}

pub fn search(memory: &Memory, query: NativeQuery, asked: Instant) -> Result<NativeSearchResult> {
    give_placed(memory, memory.search(self::query(query, asked)?)?)
}

/// What an import did, how often the callback was called, so that the TypeScript layer can
/// wait for the last one, and whether it ended the import before its end.
#[napi(object, object_from_js = false)]
pub struct NativeImportDone {
    pub report: NativeImportReport,
    pub progress_calls: u32,
    pub ended_early: bool,
}

pub fn import_claude_code(
    memory: &Memory,
    path: &str,
    options: NativeImportFields,
    mut progress: impl FnMut(NativeImportProgress) -> bool,
) -> Result<NativeImportDone> {
    let (mut progress_calls, mut ended_early) = (0, false);
    let mut report_progress = |now: ImportProgress| {
        progress_calls += 1;
        let is_the_last = now.files_done == now.files_total;
        // Files over 2^53 bytes, which would not fit, do not exist.
        let goes_on = give_plain(now).map_or(true, &mut progress);
        ended_early |= !goes_on && !is_the_last;
        goes_on
    };
    let report = memory.import_claude_code_with(path, &take("", options)?, &mut report_progress)?;
    Ok(NativeImportDone {
        report: give_plain(report)?,
        progress_calls,
        ended_early,
    })
}
