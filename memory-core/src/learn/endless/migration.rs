//! Switches the mode of the store, and moves what it holds along.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::plan::{event_by_id, plan_consolidation, store_memory};
use super::settings::{self, config, config_in, set_config, setting_event};
use crate::engine::Engine;
use crate::engine::logger::Target;
use crate::engine::settings::StoreSettings;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind, Origin};
use crate::model::filter::EventFilter;
use crate::model::ids::EventId;
use crate::model::session::Session;
use crate::model::time::Timestamp;
use crate::projection::endless::{self as rows_of, PutInWorkingSet, SettingPayload, Settings};
use crate::recall::shown::read::Walk;
use crate::rules::batch_size::BatchSize;
use crate::rules::endless::MemoryMode;
use crate::rules::endless::migrate::{MigrationStep, to_endless, to_session};
use crate::rules::model_answer::MAX_CONTENT_CHARS;
use crate::scope::ProjectScope;
use crate::store::WriteTx;
use crate::write::session;

/// [`Endless::set_mode`](crate::Endless::set_mode).
pub(crate) fn set_mode(engine: &Engine, mode: MemoryMode) -> Result<()> {
    // Hosts say at each start what they want; the preparation reads the whole store.
    if settings::mode(engine)? == mode {
        return Ok(());
    }
    let migration = Migration::plan(engine, mode)?;
    migration.carry_out(engine)
}

/// Applies the settings given at opening to the store; writes only what differs. Where the rows
/// that hold them are damaged, opening goes on without: only an open store can be rebuilt.
pub(crate) fn take_settings(engine: &Engine, wanted: &StoreSettings) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    match apply_settings(engine, wanted) {
        Err(error) if error.code() == ErrorCode::Corrupt => {
            engine.logger.warn(Target::Open, || {
                let problem = error.message();
                format!("the store did not take its settings, open it again when it is mended: {problem}")
            });
            Ok(())
        }
        applied => applied,
    }
}

fn apply_settings(engine: &Engine, wanted: &StoreSettings) -> Result<()> {
    let old = config(engine)?;
    let mut new = old;
    wanted.apply(&mut new);
    if new != old {
        set_config(engine, &new)?;
    }
    wanted.mode.map_or(Ok(()), |mode| set_mode(engine, mode))
}

/// The largest number of memories that a switch of the mode stores in one transaction.
const MAX_AT_ONCE: usize = 1_024;

/// A switch of the mode, prepared outside of the transaction that makes it.
pub(super) struct Migration {
    mode: MemoryMode,
    steps: Vec<MigrationStep>,
    summary_events: SummaryEvents,
}

/// The event that recorded the summary of a session, by the summary.
type SummaryEvents = BTreeMap<String, EventId>;

impl Migration {
    pub(super) fn plan(engine: &Engine, mode: MemoryMode) -> Result<Self> {
        let now = engine.store.clock().now();
        let (steps, summary_events) = match mode {
            MemoryMode::Session => (to_session(), SummaryEvents::new()),
            MemoryMode::Endless => {
                let events = recent_events(engine, now)?;
                let summary_events = summary_events(engine)?;
                let summaries: Vec<String> = summary_events.keys().cloned().collect();
                (to_endless(&events, &summaries, now), summary_events)
            }
        };
        Ok(Migration {
            mode,
            steps,
            summary_events,
        })
    }

    /// The memories of many sessions are stored in batches, between which others write. If the
    /// process ends before the mode is set, the next switch finds them.
    pub(super) fn carry_out(mut self, engine: &Engine) -> Result<()> {
        let is_memory = |step: &mut MigrationStep| matches!(step, MigrationStep::StoreMemory(_));
        let mut memories: Vec<MigrationStep> = self.steps.extract_if(.., is_memory).collect();
        let mut batch_size = BatchSize::up_to(MAX_AT_ONCE);
        while memories.len() > batch_size.events() {
            let next = memories.drain(..batch_size.events()).collect();
            batch_size.took(self.carry_out_in_one(engine, next)?);
        }
        let mut last = std::mem::take(&mut self.steps);
        // What goes into the working set comes first.
        let at = last.len().min(1);
        last.splice(at..at, memories);
        self.carry_out_in_one(engine, last).map(drop)
    }

    /// Carries out steps in one transaction. Returns how long others waited for it.
    fn carry_out_in_one(&self, engine: &Engine, steps: Vec<MigrationStep>) -> Result<Duration> {
        engine.store.write(|tx| {
            let begun = Instant::now();
            if rows_of::mode(&tx.projected()?)? != self.mode {
                for step in steps {
                    migrate(engine, tx, step, &self.summary_events)?;
                }
            }
            Ok(begun.elapsed())
        })
    }
}

fn recent_events(engine: &Engine, now: Timestamp) -> Result<Vec<(String, Timestamp)>> {
    let since = now
        .millis()
        .saturating_sub(crate::rules::endless::migrate::MIGRATED_DAYS * 86_400_000);
    let filter = EventFilter {
        project: ProjectScope::All,
        from: Some(Timestamp::from_millis_clamped(since)),
        ..EventFilter::default()
    };
    let mut events = Vec::new();
    let mut walk = Walk::new(engine, filter)?;
    while let Some(event) = walk.next(Ok(engine)) {
        let event = event?;
        events.push((event.id.to_string(), event.timestamp));
    }
    Ok(events)
}

/// The summaries of the sessions: the one that a change of the session recorded, or the newest that is
/// an event of it. A memory made of one goes with the event that recorded it.
fn summary_events(engine: &Engine) -> Result<SummaryEvents> {
    let sessions: BTreeMap<String, Session> =
        session::sessions(engine, &ProjectScope::All, Some(usize::MAX))?
            .into_iter()
            .map(|session| (session.id.clone(), session))
            .collect();
    let mut found = SummaryEvents::new();
    let read = engine.store.read()?;
    let mut newest: BTreeMap<String, (String, EventId)> = BTreeMap::new();
    for kind in [EventKind::SessionChanged, EventKind::SessionSummary] {
        for seq in read.kind_between(kind, Timestamp::MIN, Timestamp::MAX)? {
            let Some(event) = read.event_at(seq)? else {
                continue;
            };
            let (Some(session), Some(summary)) = (sessions.get(&event.session), summary_in(&event))
            else {
                continue;
            };
            if kind == EventKind::SessionChanged {
                if session.summary.as_ref() == Some(&summary) {
                    found.entry(summary).or_insert(event.id);
                }
            } else if session.summary.is_none()
                && !is_note(&event, session)
                && summary.chars().count() <= MAX_CONTENT_CHARS
            {
                newest.insert(event.session, (summary, event.id));
            }
        }
    }
    for (summary, event) in newest.into_values() {
        found.entry(summary).or_insert(event);
    }
    Ok(found)
}

/// Whether an event of the kind of summaries is a note: what a person wants to be remembered, or an
/// agent in a session in which nothing else was answered.
fn is_note(event: &Event, session: &Session) -> bool {
    let is_answered = session.responses > 0 || session.tools > 0;
    let is_by = |actor: &str| event.actor == actor;
    event.origin == Origin::User || is_by("user") || is_by("assistant") && !is_answered
}

/// The summary that an event is, or that a change of a session recorded.
fn summary_in(event: &Event) -> Option<String> {
    if event.kind == EventKind::SessionSummary {
        return Some(event.content.clone());
    }
    let metadata = event.metadata.as_ref()?.to_value();
    metadata["summary"].as_str().map(str::to_owned)
}

fn migrate(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    step: MigrationStep,
    summary_events: &SummaryEvents,
) -> Result<()> {
    match step {
        MigrationStep::AddToWorkingSet(ids) => {
            let items = put_in_working_set(tx, ids)?;
            setting_event(
                engine,
                tx,
                format!("{} events put into the working set", items.len()),
                &SettingPayload {
                    working_set: Some(items),
                    ..SettingPayload::default()
                },
            )
        }
        MigrationStep::StoreMemory(draft) => {
            let Some(id) = summary_events.get(&draft.summary).map(EventId::to_string) else {
                return Ok(());
            };
            // The summary may have been forgotten, erased or taken out of its event meanwhile.
            let event = event_by_id(tx, &id)?;
            if event.and_then(|event| summary_in(&event)).as_ref() == Some(&draft.summary) {
                store_memory(engine, tx, &draft, Some(id))?;
            }
            Ok(())
        }
        MigrationStep::Consolidate if config_in(tx)?.consolidation.is_left_to_host => Ok(()),
        MigrationStep::Consolidate => {
            let plan = plan_consolidation(tx)?;
            for draft in &plan.memories {
                store_memory(engine, tx, draft, None)?;
            }
            Ok(())
        }
        MigrationStep::SetMode(mode) => {
            let mut settings = Settings::one(rows_of::MODE, &mode);
            if mode == MemoryMode::Endless && rows_of::working_set_id(&tx.projected()?)?.is_none() {
                settings = settings.and(rows_of::WORKING_SET, &new_working_set_id(engine, tx));
            }
            let payload = SettingPayload {
                settings,
                ..SettingPayload::default()
            };
            setting_event(engine, tx, format!("mode {mode}"), &payload)
        }
    }
}

/// The newest of these events, as many as the working set holds.
fn put_in_working_set(tx: &WriteTx<'_>, ids: Vec<String>) -> Result<Vec<PutInWorkingSet>> {
    let most = config_in(tx)?.working_set.max_events;
    let skip = ids.len().saturating_sub(most);
    let mut items = Vec::new();
    for id in ids.into_iter().skip(skip) {
        if let Some(event) = event_by_id(tx, &id)? {
            items.push(PutInWorkingSet {
                event_id: id,
                topics: rows_of::topics_of(&event.content),
                relevance: rows_of::MAX_RELEVANCE,
            });
        }
    }
    Ok(items)
}

/// An id that no other store uses for its working set.
fn new_working_set_id(engine: &Engine, tx: &WriteTx<'_>) -> String {
    let secret = tx.derived_secret("recallite 2026 working set ids");
    let now = engine.store.clock().now().millis();
    let hash = blake3::keyed_hash(&secret, &now.to_be_bytes());
    format!("workingset_{}", &hash.to_hex()[..32])
}
