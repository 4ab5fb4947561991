//! Reads sessions, and writes the events that change them.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::session::{Session, SessionUpdate};
use crate::model::time::Timestamp;
use crate::rules::tasks::keys::has_own_words;
use crate::scope::ProjectScope;
use crate::store::WriteTx;
use crate::store::log::append::Draft;
use crate::write::pauses::{self, PauseKeys};
use crate::write::prepare;

/// Default number of listed sessions.
const SESSIONS: usize = 1_000;

/// [`Memory::sessions`](crate::Memory::sessions).
pub(crate) fn sessions(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<Session>> {
    let read = engine.store.read()?;
    let wanted = prepare::wanted_project(engine, project)?;
    let limit = limit.unwrap_or(SESSIONS);
    let mut rows = read.newest_sessions(wanted.as_deref(), limit)?;
    rows.sort_unstable_by(|a, b| (b.last_ms, &a.name).cmp(&(a.last_ms, &b.name)));
    rows.truncate(limit);
    rows.into_iter()
        .map(|row| read.public_session(row))
        .collect()
}

/// [`Memory::session`](crate::Memory::session).
pub(crate) fn session(engine: &Engine, id: &str) -> Result<Option<Session>> {
    let id = prepare::read_session(engine, id)?;
    let read = engine.store.read()?;
    match read.session(&id)? {
        Some((_, row)) if !row.is_forgotten() => read.public_session(row).map(Some),
        _ => Ok(None),
    }
}

/// [`Memory::update_session`](crate::Memory::update_session).
pub(crate) fn update_session(
    engine: &Engine,
    id: &str,
    mut update: SessionUpdate,
) -> Result<Session> {
    let id = &prepare::kept_name(engine, id)?;
    update.project = prepare::kept_option(engine, update.project.as_deref())?;
    refuse_end_before_start(engine, id, &update)?;
    let drafts = prepare::session_changes(engine, id, &update).map_err(|error| {
        match error.argument() {
            // The caller calls it so.
            Some("session") => error.with_argument("id"),
            _ => error,
        }
    })?;
    let says_something = update.summary.is_some() || update.tags.is_some();
    let given = update.summary.clone().unwrap_or_default();
    let update = prepare::filtered_update(&drafts, &update);
    let kept = update.summary.as_deref().unwrap_or_default();
    if has_own_words(&given) && !has_own_words(kept) {
        return Err(Error::invalid(
            "summary",
            "needs at least one letter or digit that is not private",
        ));
    }
    let changed = BTreeSet::from([id.clone()]);
    engine.store.write(|tx| {
        // All of them are of one session and project.
        if says_something && let Some(draft) = drafts.first() {
            refuse_paused(tx, draft)?;
        }
        tx.counting_moves(changed.clone(), |tx| {
            tx.append(&drafts)?;
            tx.update_session(id, &update)?;
            // A change made by another store may come after this one.
            match tx.state.is_ahead_of_own() {
                true => tx.recompute_sessions(&changed),
                false => Ok(()),
            }
        })
    })?;
    session(engine, id)?.ok_or_else(|| {
        Error::new(
            ErrorCode::Internal,
            "a session that was just written is missing",
        )
    })
}

/// Refuses an end before the beginning that the host gave. The first event of a session may be
/// stamped by another clock than its end, so that one is not compared.
fn refuse_end_before_start(engine: &Engine, id: &str, update: &SessionUpdate) -> Result<()> {
    let Some(ended) = update.ended else {
        return Ok(());
    };
    let known = engine.store.read()?.session(id)?;
    let given = known
        .filter(|(_, row)| row.is_start_set)
        .map(|(_, row)| Timestamp::from_millis_clamped(row.started_ms));
    let started = update.started.or(given);
    match started.is_some_and(|started| ended < started) {
        true => Err(Error::invalid("ended", "is before `started`")),
        false => Ok(()),
    }
}

/// A summary and tags say what happened in a session. When it began and ended may be recorded while
/// it is paused.
fn refuse_paused(tx: &WriteTx<'_>, draft: &Draft) -> Result<()> {
    let keys = PauseKeys::of_draft(tx, draft)?;
    match keys.paused(&tx.projected()?)? {
        Some(scope) => Err(pauses::refusal(scope)),
        None => Ok(()),
    }
}
