//! The fold of the history: build runs, ingested sessions, decisions, conflicts,
//! promotions and metrics.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::json::Json;
use crate::projection::rows;
use crate::projection::tasks::mark_resolved;
use crate::rules::history::{BuildRun, Conflict, Decision, PipelineMetric, PromotionRecord};
use crate::rules::tasks::Source;
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// Folds a run's beginning or end. A run that ended well closes its extraction,
/// and the entries that it resolved are not resolved again.
pub(crate) fn fold_build_run(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    let json = rows::payload_json(event);
    let Ok(run) = BuildRun::from_json(&json) else {
        return Ok(());
    };
    rows.put(
        RowKind::BuildRun,
        run.build_id.as_bytes(),
        json.as_str().as_bytes(),
    )?;
    for entry in rows::strings(&payload["resolved"]) {
        mark_resolved(rows, &Source::new(event.session.as_str(), entry))?;
    }
    let Some(key) = rows::text(payload, "extraction_key") else {
        return Ok(());
    };
    let old = rows::get(rows, RowKind::Ingested, key.as_bytes())?;
    let runs = old.as_ref().and_then(|row| row["runs"].as_u64());
    let is_new = rows::text(payload, "status") != Some("success") || old.is_none();
    let row = json!({
        "build_id": run.build_id,
        "status": payload["status"],
        "runs": runs.unwrap_or(0) + u64::from(is_new),
        "report": payload["report"],
    });
    rows::put(rows, RowKind::Ingested, key.as_bytes(), &row)
}

/// Up to which position of the log a session was read. Positions stay when messages
/// are erased; places in a session do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadTo {
    /// By the rules of the library.
    pub(crate) rules: u64,
    /// By a model of the host.
    pub(crate) model: u64,
}

impl ReadTo {
    /// What a model has read needs no rules.
    pub(crate) fn by_anyone(self) -> u64 {
        self.rules.max(self.model)
    }
}

/// How far a session was read.
pub(crate) fn read_to(rows: &dyn Rows, session: &str) -> Result<ReadTo> {
    let row = rows::get(rows, RowKind::SessionRead, session.as_bytes())?;
    let field = |name: &str| row.as_ref().and_then(|row| row[name].as_u64()).unwrap_or(0);
    Ok(ReadTo {
        rules: field("rules"),
        model: field("model"),
    })
}

/// Folds the taking in of a session's messages.
pub(crate) fn fold_ingested(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    if let Some(to) = payload["read_through"].as_u64().filter(|to| *to > 0) {
        let mut read = read_to(rows, &event.session)?;
        let by = match payload["reader"].as_str() {
            Some("rules") => &mut read.rules,
            _ => &mut read.model,
        };
        *by = to.max(*by);
        let row = json!({"rules": read.rules, "model": read.model});
        rows::put(rows, RowKind::SessionRead, event.session.as_bytes(), &row)?;
    }
    let row = json!({
        "session": event.session,
        "event_id": event.id.to_string(),
        "at": event.timestamp.millis(),
        "payload": payload,
    });
    rows::put(
        rows,
        RowKind::SessionIngested,
        &event.seq.0.to_be_bytes(),
        &row,
    )
}

/// Folds a decision.
pub(crate) fn fold_decision(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    let json = rows::payload_json(event);
    match Decision::from_json(&json) {
        Ok(decision) => rows.put(
            RowKind::Decision,
            decision.decision_id.as_bytes(),
            json.as_str().as_bytes(),
        ),
        Err(_) => Ok(()),
    }
}

/// Folds a disagreement or its end.
pub(crate) fn fold_conflict(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    let json = rows::payload_json(event);
    match Conflict::from_json(&json) {
        Ok(conflict) => rows.put(
            RowKind::Conflict,
            conflict.conflict_id.as_bytes(),
            json.as_str().as_bytes(),
        ),
        Err(_) => Ok(()),
    }
}

/// Folds how long a stage took.
pub(crate) fn fold_metric(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    let json = rows::payload_json(event);
    match PipelineMetric::from_json(&json) {
        Ok(_) => rows.put(
            RowKind::Metric,
            &event.seq.0.to_be_bytes(),
            json.as_str().as_bytes(),
        ),
        Err(_) => Ok(()),
    }
}

/// Folds the promotions and refusals that an entry's event carries.
pub(crate) fn fold_promotions(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: &Value,
) -> Result<()> {
    let records = payload["promotions"].as_array().into_iter().flatten();
    for (index, record) in (0u32..).zip(records) {
        let json = Json::from_value(record);
        if PromotionRecord::from_json(&json).is_ok() {
            let mut key = event.seq.0.to_be_bytes().to_vec();
            key.extend_from_slice(&index.to_be_bytes());
            rows.put(RowKind::Promotion, &key, json.as_str().as_bytes())?;
        }
    }
    Ok(())
}
