//! How well each context goes on with the one before it, across processes.

use super::settings::config_in;
use crate::engine::Engine;
use crate::learn::history;
use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::projection;
use crate::projection::endless::{self as rows_of, ContinuityPayload, ContinuityRow};
use crate::projection::rows;
use crate::rules::endless::snapshot::snapshot;
use crate::rules::endless::{ContextSnapshot, Continuity, ContinuityEntry, continuity};
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;
use crate::write::pauses::PauseKeys;
use crate::write::prepare::SystemEvent;

/// [`Endless::continuity_log`](crate::Endless::continuity_log).
pub(crate) fn continuity_log(
    engine: &Engine,
    limit: Option<usize>,
) -> Result<Vec<ContinuityEntry>> {
    let now = engine.store.clock().now();
    let since = now.millis().saturating_sub(continuity::LOG_MS);
    let newest: Vec<ContinuityRow> = history::newest(engine, limit)?;
    let entries = newest.into_iter().map(ContinuityEntry::from);
    Ok(entries.filter(|entry| entry.at.millis() >= since).collect())
}

/// [`Endless::score_continuity`](crate::Endless::score_continuity).
pub(crate) fn score_continuity(
    engine: &Engine,
    context_id: &str,
    text: &str,
) -> Result<Continuity> {
    if context_id.trim().is_empty() {
        return Err(Error::invalid("context_id", "must not be blank"));
    }
    let context_id = crate::write::prepare::kept_name(engine, context_id)?;
    let text = crate::write::prepare::clean_text(engine, "text", text)?;
    let now = engine.store.clock().now();
    let current = snapshot(&context_id, &text, now);
    let own_project = engine.store.read()?.session_project(&context_id)?;
    engine.store.write(|tx| {
        let project = own_project.as_deref().unwrap_or(&engine.project);
        let pauses = PauseKeys::with_secret(tx.secret(), Some(&context_id), project);
        let is_paused = pauses.paused(&tx.projected()?)?.is_some();
        let previous = {
            let rows = tx.projected()?;
            rows_of::setting::<ContextSnapshot>(&rows, rows_of::CONTEXT)?
        };
        let policy = config_in(tx)?.continuity;
        let mut found = continuity(&current, previous.as_ref(), &policy);
        if is_paused {
            // The context keeps topics, files and names of the text.
            found.is_logged = false;
            return Ok(found);
        }
        let draft = SystemEvent::new(
            engine,
            EventKind::ContinuityScored,
            format!("continuity {:.2}: {}", found.score, found.transition),
            codec::to_value(&ContinuityPayload {
                from_context_id: previous.map(|context| context.id),
                to_context_id: current.id.clone(),
                score: found.score,
                transition_type: found.transition,
                is_logged: found.is_logged,
                current,
            }),
        )
        .draft(engine);
        projection::append(tx, &[draft])?;
        Ok(found)
    })
}

/// The recent continuity, from the scores of the last hour.
pub(super) fn recent_score(read: &ReadTx, rows: &dyn Rows, now: Timestamp) -> Result<f64> {
    let since = Timestamp::from_millis_clamped(now.millis().saturating_sub(continuity::RECENT_MS));
    let mut log = Vec::new();
    for seq in read.kind_between(EventKind::ContinuityScored, since, now)? {
        if let Some(row) = rows::get::<ContinuityRow>(rows, &seq.to_be_bytes())? {
            let entry = ContinuityEntry::from(row);
            log.push((entry.at, entry.score));
        }
    }
    Ok(continuity::recent_continuity(&log, now))
}
