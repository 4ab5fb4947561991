//! Folds the ledgers: build runs, ingested sessions, decisions, conflicts, promotions and
//! metrics.

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::resolved::mark_resolved;
use crate::projection::rows::{self, Row as _, TIME_BYTES};
use crate::rules::history::{
    BuildRun, BuildStatus, Conflict, Decision, PipelineMetric, PromotionRecord,
};
use crate::rules::tasks::Source;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The payload of an event about a run.
pub(crate) struct BuildRunPayload {
    run: BuildRun,
    end: RunEnd,
    /// All of it: the row of the run.
    json: Json,
}

/// The details of a run's end.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct RunEnd {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extraction_key: Option<String>,
    /// Entries that the task resolver has processed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) resolved: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<RunReport>,
}

/// What a run produced.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunReport {
    #[serde(default)]
    pub(crate) entries: Vec<MadeHere>,
    #[serde(default)]
    pub(crate) tasks: Vec<MadeHere>,
}

/// The local id of something in an extraction, and its stored id.
#[derive(Serialize, Deserialize)]
pub(crate) struct MadeHere {
    pub(crate) local_id: String,
    #[serde(deserialize_with = "codec::text")]
    pub(crate) global_id: String,
}

/// The outcome of an extraction.
#[derive(Serialize, Deserialize)]
pub(crate) struct IngestedRow {
    pub(crate) build_id: String,
    pub(crate) status: BuildStatus,
    /// How many runs it had.
    pub(crate) runs: u64,
    pub(crate) report: Option<RunReport>,
}

impl BuildRunPayload {
    /// Reads a run and the details of its end.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub(super) fn of(name: &str, json: Json) -> Result<Self> {
        let value = json.to_value();
        Ok(BuildRunPayload {
            run: codec::from_value(name, &value)?,
            end: codec::from_value(name, &value)?,
            json,
        })
    }
}

/// Folds a run's start or end. A successful run closes its extraction, and the entries that
/// it resolved are not resolved again.
pub(crate) fn fold_build_run(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: BuildRunPayload,
) -> Result<()> {
    let BuildRunPayload { run, end, json } = payload;
    rows.put(
        BuildRun::KIND,
        run.build_id.as_bytes(),
        json.as_str().as_bytes(),
    )?;
    for entry in end.resolved {
        mark_resolved(rows, &Source::new(event.session.as_str(), entry))?;
    }
    let Some(key) = end.extraction_key else {
        return Ok(());
    };
    let status = run.outcome.status();
    let old: Option<IngestedRow> = rows::get(rows, key.as_bytes())?;
    let is_new = status != BuildStatus::Success || old.is_none();
    let row = IngestedRow {
        build_id: run.build_id,
        status,
        runs: old.map_or(0, |row| row.runs) + u64::from(is_new),
        report: end.report,
    };
    rows::put(rows, key.as_bytes(), &row)
}

/// The log position up to which a session was read. Positions survive the erasure of
/// messages; indices in a session do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadTo {
    /// By the library's rules.
    pub(crate) rules: u64,
    /// By the host's model.
    pub(crate) model: u64,
}

impl ReadTo {
    /// Rules need not read what a model has read.
    pub(crate) fn by_anyone(self) -> u64 {
        self.rules.max(self.model)
    }
}

/// How far a session was read.
pub(crate) fn read_to(rows: &dyn Rows, session: &str) -> Result<ReadTo> {
    Ok(rows::get(rows, session.as_bytes())?.unwrap_or_default())
}

/// The reader of an ingestion's payload if the library's rules read the messages.
pub(crate) const BY_RULES: &str = "rules";

/// The part of an ingestion's payload that is folded.
#[derive(Deserialize)]
pub(crate) struct IngestedPayload {
    #[serde(default)]
    reader: String,
    #[serde(default)]
    read_through: u64,
    #[serde(default)]
    reports: Vec<Report>,
}

/// A message that says that something is over: a task that becomes known later may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
    pub(crate) said: Timestamp,
}

/// Visits the ids of the messages that say that something is over, of those that rules read in a
/// project and that were said after a moment, until `visit` returns false; the oldest comes first.
pub(crate) fn reports_after(
    rows: &dyn Rows,
    project: &str,
    after: Timestamp,
    visit: &mut dyn FnMut(&str) -> Result<bool>,
) -> Result<()> {
    let prefix = rows::joined(&[project, ""]);
    let mut passed = [&prefix[..], &rows::time_oldest_first(after)].concat();
    passed.push(u8::MAX);
    let id = prefix.len() + TIME_BYTES;
    rows.scan(RowKind::Report, &prefix, Some(&passed), &mut |key, _| {
        let text = std::str::from_utf8(key.get(id..).unwrap_or_default());
        text.map_or(Ok(true), &mut *visit)
    })
}

/// Records that messages of a session were ingested.
#[derive(Serialize, Deserialize)]
pub(crate) struct SessionIngestedRow {
    session: String,
    event_id: String,
    at: Timestamp,
    payload: Json,
}

/// Folds the ingestion of a session's messages.
pub(crate) fn fold_ingested(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &IngestedPayload,
) -> Result<()> {
    if payload.read_through > 0 {
        let mut read = read_to(rows, &event.session)?;
        let by = match payload.reader.as_str() {
            BY_RULES => &mut read.rules,
            _ => &mut read.model,
        };
        *by = payload.read_through.max(*by);
        rows::put(rows, event.session.as_bytes(), &read)?;
    }
    for report in &payload.reports {
        let mut key = rows::joined(&[&event.project, ""]);
        key.extend_from_slice(&rows::time_oldest_first(report.said));
        key.extend_from_slice(report.event_id.as_bytes());
        rows.put(RowKind::Report, &key, &[])?;
    }
    let row = SessionIngestedRow {
        session: event.session.clone(),
        event_id: event.id.to_string(),
        at: event.timestamp,
        payload: rows::payload(event),
    };
    rows::put(rows, &event.seq.0.to_be_bytes(), &row)
}

/// Folds a decision.
pub(crate) fn fold_decision(rows: &mut ProjectedMut<'_>, decision: &Decision) -> Result<()> {
    rows::put(rows, decision.decision_id.as_bytes(), decision)
}

/// Folds a conflict or its resolution.
pub(crate) fn fold_conflict(rows: &mut ProjectedMut<'_>, conflict: &Conflict) -> Result<()> {
    rows::put(rows, conflict.conflict_id.as_bytes(), conflict)
}

/// Folds the duration of a stage.
pub(crate) fn fold_metric(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    metric: &PipelineMetric,
) -> Result<()> {
    rows::put(rows, &event.seq.0.to_be_bytes(), metric)
}

/// Folds the promotions and refusals that an entry's event carries.
pub(crate) fn fold_promotions(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    records: &[PromotionRecord],
) -> Result<()> {
    for (index, record) in (0u32..).zip(records) {
        let mut key = event.seq.0.to_be_bytes().to_vec();
        key.extend_from_slice(&index.to_be_bytes());
        rows::put(rows, &key, record)?;
    }
    Ok(())
}
