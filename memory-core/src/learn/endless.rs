//! Runs endless mode on the store: its settings, the working set, consolidation, continuity
//! across processes, and switching it on and off.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::engine::Engine;
use crate::engine::accesses::GivenEvent;
use crate::engine::settings::StoreSettings;
use crate::learn::history;
use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::model::filter::EventFilter;
use crate::model::ids::EventId;
use crate::model::lists::{LIST_LIMIT, some_of};
use crate::model::query::{MAX_SEARCH_LIMIT, Query};
use crate::model::time::Timestamp;
use crate::projection;
use crate::projection::endless::{
    self as rows_of, ConsolidatedPayload, ContinuityPayload, ContinuityRow, PutInWorkingSet,
    SettingPayload, Settings,
};
use crate::projection::rows::{self, Cursor};
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::learned::memories::matching_memories;
use crate::recall::ranking::retrieve;
use crate::recall::shown::read::Walk;
use crate::rules::batch_size::BatchSize;
use crate::rules::endless::config::{EndlessConfig, check_config};
use crate::rules::endless::consolidate::{self, ConsolidationPlan, MemoryDraft, TopicEvent};
use crate::rules::endless::migrate::{MigrationStep, to_endless, to_session};
use crate::rules::endless::snapshot::snapshot;
use crate::rules::endless::{
    ConsolidatedMemory, ConsolidationPolicy, ConsolidationTrigger, ContextSnapshot, Continuity,
    ContinuityEntry, MemoryMode, continuity, select_consolidated, select_working_set,
};
use crate::rules::model_answer::MAX_CONTENT_CHARS;
use crate::rules::relevance;
use crate::scope::ProjectScope;
use crate::store::projected_rows::projected::{RowKind, Rows};
use crate::store::projected_rows::touches::Liveness as _;
use crate::store::{ReadTx, WriteTx};
use crate::write::pauses::{PauseKeys, is_event_paused};
use crate::write::prepare::SystemEvent;
use crate::write::session;

/// The current state of the endless mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessStatus {
    /// The mode in force.
    pub mode: MemoryMode,
    /// The limits in force.
    pub config: EndlessConfig,
    /// The number of events in the working set.
    pub working_set: usize,
    /// The id of the working set, which events of the endless mode have as `workingSetId`
    /// in their metadata; `None` if the mode was never on.
    pub working_set_id: Option<String>,
    /// When an event was last added to the working set.
    pub last_activity: Option<Timestamp>,
    /// The topics of the working set, most frequent first.
    pub active_topics: Vec<String>,
    /// The files mentioned in the last context.
    pub active_files: Vec<String>,
    /// The entities mentioned in the last context.
    pub active_entities: Vec<String>,
    /// The average continuity of the last hour, from 0 to 1; 0.5 if none was scored.
    pub continuity_score: f64,
    /// The number of consolidated memories.
    pub consolidated: u64,
    /// When the last consolidation took place.
    pub last_consolidation: Option<Timestamp>,
}

/// What to give to an agent in the endless mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessContext {
    /// Events of the working set, most relevant first.
    pub working_set: Vec<Event>,
    /// Consolidated memories, highest confidence first.
    pub consolidated: Vec<ConsolidatedMemory>,
    /// The average continuity of the last hour, from 0 to 1; 0.5 if none was scored.
    pub continuity_score: f64,
}

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
/// texts and returns a summary, or `None` to use the summary made by rules.
pub type Summarizer<'a> = &'a mut dyn FnMut(&[String], &[String]) -> Option<String>;

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

fn read_endless<T>(engine: &Engine, look: impl FnOnce(&dyn Rows) -> Result<T>) -> Result<T> {
    look(&engine.store.read()?.projected()?)
}

/// [`Endless::mode`](crate::Endless::mode).
pub(crate) fn mode(engine: &Engine) -> Result<MemoryMode> {
    read_endless(engine, |rows| rows_of::mode(rows))
}

/// [`Endless::session_now`](crate::Endless::session_now).
pub(crate) fn session_now(engine: &Engine, session: &str) -> Result<String> {
    let now = engine.store.clock().now();
    Ok(match mode(engine)? {
        MemoryMode::Session => session.to_owned(),
        MemoryMode::Endless => {
            crate::rules::endless::day_session_id(now, engine.zone.offset_seconds(now))
        }
    })
}

/// [`Endless::set_mode`](crate::Endless::set_mode).
pub(crate) fn set_mode(engine: &Engine, mode: MemoryMode) -> Result<()> {
    // Hosts say at each start what they want; the preparation reads the whole store.
    if self::mode(engine)? == mode {
        return Ok(());
    }
    let migration = Migration::plan(engine, mode)?;
    migration.carry_out(engine)
}

/// The largest number of memories that a switch of the mode stores in one transaction.
const MOST_AT_ONCE: usize = 1_024;

/// A switch of the mode, prepared outside of the transaction that makes it.
struct Migration {
    mode: MemoryMode,
    steps: Vec<MigrationStep>,
    summary_events: SummaryEvents,
}

/// The event that recorded the summary of a session, by the summary.
type SummaryEvents = BTreeMap<String, EventId>;

impl Migration {
    fn plan(engine: &Engine, mode: MemoryMode) -> Result<Self> {
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
    fn carry_out(mut self, engine: &Engine) -> Result<()> {
        let is_memory = |step: &mut MigrationStep| matches!(step, MigrationStep::StoreMemory(_));
        let mut memories: Vec<MigrationStep> = self.steps.extract_if(.., is_memory).collect();
        let mut batch_size = BatchSize::up_to(MOST_AT_ONCE);
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

/// The summaries of the sessions. A memory made of one goes with the event that recorded it.
fn summary_events(engine: &Engine) -> Result<SummaryEvents> {
    let summaries: BTreeMap<String, String> =
        session::sessions(engine, &ProjectScope::All, Some(usize::MAX))?
            .into_iter()
            .filter_map(|session| Some((session.id, session.summary?)))
            .collect();
    let mut found = SummaryEvents::new();
    if summaries.is_empty() {
        return Ok(found);
    }
    let read = engine.store.read()?;
    let (first, last) = (i64::MIN, i64::MAX);
    let span = [first, last].map(Timestamp::from_millis_clamped);
    for seq in read.kind_between(EventKind::SessionChanged, span[0], span[1])? {
        let Some(event) = read.event_at(seq)? else {
            continue;
        };
        if let Some(summary) = summary_in(&event)
            && summaries.get(&event.session) == Some(&summary)
        {
            found.entry(summary).or_insert(event.id);
        }
    }
    Ok(found)
}

/// The summary that a change of a session recorded.
fn summary_in(event: &Event) -> Option<String> {
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
                relevance: rows_of::MOST,
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

fn setting_event(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    content: String,
    payload: &SettingPayload,
) -> Result<()> {
    let payload = codec::to_value(payload);
    let draft = SystemEvent::new(engine, EventKind::SettingChanged, content, payload).draft(engine);
    projection::append(tx, &[draft])?;
    Ok(())
}

fn config_in(tx: &WriteTx<'_>) -> Result<EndlessConfig> {
    rows_of::config(&tx.projected()?)
}

/// [`Endless::config`](crate::Endless::config).
pub(crate) fn config(engine: &Engine) -> Result<EndlessConfig> {
    read_endless(engine, |rows| rows_of::config(rows))
}

/// [`Endless::set_config`](crate::Endless::set_config).
pub(crate) fn set_config(engine: &Engine, config: &EndlessConfig) -> Result<()> {
    check_config(config)?;
    history::record(
        engine,
        EventKind::SettingChanged,
        "limits of the endless mode set",
        &SettingPayload {
            settings: Settings::one(rows_of::ENDLESS, config),
            ..SettingPayload::default()
        },
    )
}

/// Applies the settings given at opening to the store; writes only what differs.
pub(crate) fn take_settings(engine: &Engine, wanted: &StoreSettings) -> Result<()> {
    let old = config(engine)?;
    let mut new = old;
    wanted.apply(&mut new);
    if new != old {
        set_config(engine, &new)?;
    }
    wanted.mode.map_or(Ok(()), |mode| set_mode(engine, mode))
}

/// The store's values for the settings that apply to it.
pub(crate) fn settings_in_force(engine: &Engine) -> Result<Vec<(&'static str, Value)>> {
    let (config, mode) = (config(engine)?, mode(engine)?);
    let (set, rule) = (&config.working_set, &config.consolidation);
    let joined = &config.continuity;
    Ok(vec![
        ("mode", mode.as_str().into()),
        ("endless.enabled", (mode == MemoryMode::Endless).into()),
        ("endless.workingSet.maxEvents", set.max_events.into()),
        (
            "endless.workingSet.timeWindowHours",
            match set.time_window_ms % 3_600_000 {
                0 => (set.time_window_ms / 3_600_000).into(),
                _ => hours(set.time_window_ms).into(),
            },
        ),
        (
            "endless.workingSet.minRelevanceScore",
            set.min_relevance_score.into(),
        ),
        (
            "endless.consolidation.triggerIntervalMs",
            rule.trigger_interval_ms.into(),
        ),
        (
            "endless.consolidation.triggerEventCount",
            rule.trigger_event_count.into(),
        ),
        (
            "endless.consolidation.triggerIdleMs",
            rule.trigger_idle_ms.into(),
        ),
        (
            "endless.consolidation.useLLMSummarization",
            rule.is_left_to_host.into(),
        ),
        (
            "endless.continuity.minScoreForSeamless",
            joined.min_score_for_seamless.into(),
        ),
        (
            "endless.continuity.topicDecayHours",
            hours(joined.time_decay_ms).into(),
        ),
        ("endless.continuity.topicWeight", joined.topic_weight.into()),
        ("endless.continuity.fileWeight", joined.file_weight.into()),
        ("endless.continuity.timeWeight", joined.time_weight.into()),
        (
            "endless.continuity.entityWeight",
            joined.entity_weight.into(),
        ),
        (
            "endless.continuity.minScoreForTopicShift",
            joined.min_score_for_topic_shift.into(),
        ),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "a time as a host gave it")]
fn hours(millis: i64) -> f64 {
    millis as f64 / 3_600_000.0
}

/// [`Endless::memories`](crate::Endless::memories).
pub(crate) fn memories(
    engine: &Engine,
    text: Option<&str>,
    limit: Option<usize>,
) -> Result<Vec<ConsolidatedMemory>> {
    let read = engine.store.read()?;
    let Some(text) = asked(text) else {
        let rows = read.projected()?;
        return some_of(limit, &mut |visit| rows_of::newest_memories(&rows, visit));
    };
    let matching = matching_memories(engine, &read, text)?;
    let matching = matching.into_iter().map(|(memory, _)| memory);
    Ok(matching.take(limit.unwrap_or(LIST_LIMIT)).collect())
}

/// What is asked, if anything is.
fn asked(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

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

/// [`Endless::status`](crate::Endless::status).
pub(crate) fn status(engine: &Engine) -> Result<EndlessStatus> {
    let now = engine.store.clock().now();
    let config = config(engine)?;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let set = rows_of::working_set(&rows, now)?;
    let context: ContextSnapshot = rows_of::setting(&rows, rows_of::CONTEXT)?.unwrap_or_default();
    Ok(EndlessStatus {
        mode: rows_of::mode(&rows)?,
        config,
        working_set: set.items().len(),
        working_set_id: rows_of::working_set_id(&rows)?,
        last_activity: set.last_activity(),
        active_topics: set.active_topics(),
        active_files: context.files,
        active_entities: context.entities,
        continuity_score: recent_score(&read, &rows, now)?,
        consolidated: rows.facts(RowKind::Consolidated)?.rows,
        last_consolidation: last_consolidation(&rows)?,
    })
}

/// [`Endless::context`](crate::Endless::context).
pub(crate) fn context(engine: &Engine, query: Option<&str>) -> Result<EndlessContext> {
    let now = engine.store.clock().now();
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let policy = rows_of::config(&rows)?.injection;
    let query = asked(query);
    let events = events_to_give(engine, &read, (query, now))?;
    let scored = match query {
        Some(query) => matching_memories(engine, &read, query)?,
        None => {
            let surest = some_of(Some(policy.max_memories), &mut |visit| {
                rows_of::surest_memories(&rows, visit)
            })?;
            let scored = surest.into_iter().map(|memory: ConsolidatedMemory| {
                let confidence = memory.confidence;
                (memory, confidence)
            });
            scored.collect()
        }
    };
    let consolidated = select_consolidated(&policy, scored);
    let continuity_score = recent_score(&read, &rows, now)?;
    for memory in &consolidated {
        engine.accesses.record_memory(&memory.memory_id, now);
    }
    for (event, relevance) in &events {
        let given = GivenEvent {
            seq: event.seq.0,
            session: event.session.as_str(),
            confidence: *relevance,
        };
        let erased = read.state()?.erased_events;
        engine.accesses.record_asked(given, now, erased);
    }
    Ok(EndlessContext {
        working_set: events.into_iter().map(|(event, _)| event).collect(),
        consolidated,
        continuity_score,
    })
}

/// The events of the working set to return, each with its relevance.
fn events_to_give(
    engine: &Engine,
    read: &ReadTx,
    (query, now): (Option<&str>, Timestamp),
) -> Result<Vec<(Event, f64)>> {
    let rows = read.projected()?;
    let policy = rows_of::config(&rows)?.injection;
    let items = rows_of::working_set(&rows, now)?.into_items();
    let mut events = BTreeMap::new();
    for item in &items {
        if let Ok(id) = item.event_id.parse::<EventId>()
            && let Some(event) = read.event(&id.into())?
        {
            events.insert(item.event_id.clone(), event);
        }
    }
    let from = events.values().map(|event| event.timestamp).min();
    let found = match query.zip(from) {
        Some((query, from)) => found_since(engine, query, from)?,
        None => BTreeMap::new(),
    };
    let given = select_working_set(&policy, items, &found);
    let given = given.into_iter().filter_map(|item| {
        let event = events.remove(&item.event_id)?;
        Some((event, item.relevance))
    });
    Ok(given.collect())
}

/// What a question finds among the events since a moment: relevance by event id.
fn found_since(engine: &Engine, query: &str, from: Timestamp) -> Result<BTreeMap<String, f64>> {
    let query = Query {
        project: ProjectScope::All,
        from: Some(from),
        limit: Some(MAX_SEARCH_LIMIT),
        learned: false,
        ..Query::new(query)
    };
    let found = retrieve::recall(engine, &PreparedQuery::of(engine, query)?)?;
    let sure = found
        .items
        .iter()
        .filter(|hit| hit.relevance >= relevance::NONE);
    Ok(sure
        .map(|hit| (hit.id.to_string(), f64::from(hit.relevance)))
        .collect())
}

/// [`Endless::consolidate`](crate::Endless::consolidate).
pub(crate) fn consolidate(engine: &Engine) -> Result<ConsolidationReport> {
    consolidate_with(engine, &mut |_, _| None)
}

/// [`Endless::consolidate_with`](crate::Endless::consolidate_with).
pub(crate) fn consolidate_with(
    engine: &Engine,
    summarize: Summarizer<'_>,
) -> Result<ConsolidationReport> {
    let mut prepared = prepare(engine)?;
    for (draft, group) in prepared.plan.memories.iter_mut().zip(&prepared.groups) {
        let summary = summarize(&group.topics, &group.texts);
        // The host may have closed the memory meanwhile.
        engine.enter()?;
        summarized(draft, summary)?;
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
    let (events, later) = topic_events(&rows, read.secret(), |id| read.event(&id.into()))?;
    let plan = plan_of(&rows, &events, later)?;
    let groups = plan.memories.iter().map(|draft| SummaryRequest {
        topics: draft.topics.clone(),
        texts: draft
            .source_events
            .iter()
            .filter_map(|id| {
                let mut all = events.values().flatten();
                all.find(|event| event.event_id == *id)
            })
            .map(|event| event.content.clone())
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
        summarized(draft, summary)?;
    }
    engine.store.write(|tx| store_plan(engine, tx, &plan))
}

/// Takes over the host's summary, if there is one.
fn summarized(draft: &mut MemoryDraft, summary: Option<String>) -> Result<()> {
    let Some(summary) = summary.filter(|summary| !summary.trim().is_empty()) else {
        return Ok(());
    };
    let chars = summary.chars().count();
    if chars > MAX_CONTENT_CHARS {
        return Err(Error::invalid(
            "summarize",
            format_args!("returned {chars} characters; the limit is {MAX_CONTENT_CHARS}"),
        ));
    }
    draft.summary = summary;
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
        report
            .memories
            .extend(store_memory(engine, tx, draft, None)?);
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

fn plan_consolidation(tx: &WriteTx<'_>) -> Result<ConsolidationPlan> {
    let rows = tx.projected()?;
    let (events, later) = topic_events(&rows, tx.secret(), |id| match tx.seq_of_id(&id)? {
        Some(seq) => tx.event_at(seq),
        None => Ok(None),
    })?;
    plan_of(&rows, &events, later)
}

/// Plans the consolidation of these events; those for later wait.
fn plan_of(rows: &dyn Rows, events: &ByProject, later: Vec<String>) -> Result<ConsolidationPlan> {
    let policy = rows_of::config(rows)?.consolidation;
    let mut consolidated = BTreeSet::new();
    for event in events.values().flatten() {
        if rows
            .get(RowKind::ConsolidatedEvent, event.event_id.as_bytes())?
            .is_some()
        {
            consolidated.insert(event.event_id.clone());
        }
    }
    let mut topics = BTreeSet::new();
    for memory in rows::all::<ConsolidatedMemory>(rows)? {
        topics.extend(memory.topics.into_iter().next());
    }
    let mut whole = ConsolidationPlan::default();
    // A memory of two projects would belong to neither, and be found in neither.
    for events in events.values() {
        let plan = consolidate::plan(&policy, events, &consolidated, &topics);
        whole.memories.extend(plan.memories);
        whole.prune.extend(plan.prune);
        whole.waiting.extend(plan.waiting);
    }
    whole.waiting.extend(later);
    Ok(whole)
}

/// Stores a memory unless another already contains one of its events, or one of them was
/// forgotten or erased while the host summarised them: the summary may quote it.
fn store_memory(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    draft: &MemoryDraft,
    summary_event: Option<String>,
) -> Result<Option<String>> {
    let mut hasher = blake3::Hasher::new_keyed(&tx.derived_secret("recallite 2026 memory ids"));
    for part in draft.source_events.iter().chain([&draft.summary]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let memory_id = format!("memory_{}", &hasher.finalize().to_hex()[..32]);
    {
        let rows = tx.projected()?;
        if rows
            .get(RowKind::Consolidated, memory_id.as_bytes())?
            .is_some()
        {
            return Ok(None);
        }
        for source in &draft.source_events {
            let is_taken = rows
                .get(RowKind::ConsolidatedEvent, source.as_bytes())?
                .is_some();
            let is_live = source.parse().map_or(Ok(false), |id| tx.is_live(&id))?;
            if is_taken || !is_live {
                return Ok(None);
            }
        }
        // Recording may have been paused while the host summarised them.
        for id in draft.source_events.iter().chain(&summary_event) {
            let event = event_by_id(tx, id)?;
            if let Some(event) = event
                && is_event_paused(&rows, tx.secret(), &event)?
            {
                return Ok(None);
            }
        }
    }
    let event = SystemEvent::new(
        engine,
        EventKind::Consolidated,
        format!("{} events became a memory", draft.source_events.len()),
        codec::to_value(&ConsolidatedPayload {
            memory_id: memory_id.clone(),
            summary: draft.summary.clone(),
            topics: draft.topics.clone(),
            source_events: draft.source_events.clone(),
            confidence: draft.confidence,
            is_continuation: draft.is_continuation,
            summary_event,
        }),
    )
    .draft(engine);
    projection::append(tx, &[event])?;
    Ok(Some(memory_id))
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

fn last_consolidation(rows: &dyn Rows) -> Result<Option<Timestamp>> {
    rows_of::setting(rows, rows_of::CONSOLIDATED_AT)
}

/// The recent continuity, from the scores of the last hour.
fn recent_score(read: &ReadTx, rows: &dyn Rows, now: Timestamp) -> Result<f64> {
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

fn event_by_id(tx: &WriteTx<'_>, id: &str) -> Result<Option<Event>> {
    let Ok(id) = id.parse::<EventId>() else {
        return Ok(None);
    };
    match tx.seq_of_id(&id)? {
        Some(seq) => tx.event_at(seq),
        None => Ok(None),
    }
}

/// Events of the working set by project.
type ByProject = BTreeMap<String, Vec<TopicEvent>>;

/// For how many times what one project may give events are read.
const MOST_READ: usize = 4;

/// The events to consolidate next with their texts, the oldest that wait, and the ids of those for
/// later: one run takes as many of a project as the working set holds, or more if fewer could never
/// become a memory, and reads a few times as many. What is paused waits until it is resumed.
fn topic_events(
    rows: &dyn Rows,
    secret: &[u8; 32],
    event: impl Fn(EventId) -> Result<Option<Event>>,
) -> Result<(ByProject, Vec<String>)> {
    let config = rows_of::config(rows)?;
    let policy = config.consolidation;
    let most = (config.working_set.max_events)
        .max(policy.min_events)
        .max(policy.trigger_event_count);
    let mut items = Vec::new();
    rows_of::unconsolidated(rows, &mut |_, item| {
        items.push(item);
        Ok(true)
    })?;
    let (mut events, mut later) = (ByProject::new(), Vec::new());
    let mut left = MOST_READ * most;
    for item in items.into_iter().rev() {
        if left == 0 {
            later.push(item.event_id);
            continue;
        }
        let Ok(id) = item.event_id.parse::<EventId>() else {
            continue;
        };
        if let Some(event) = event(id)?
            && !is_event_paused(rows, secret, &event)?
        {
            left -= 1;
            let of_project = events.entry(event.project).or_default();
            if of_project.len() == most {
                later.push(item.event_id);
                continue;
            }
            of_project.push(TopicEvent {
                event_id: item.event_id,
                timestamp: event.timestamp,
                topics: item.topics,
                content: event.content,
            });
        }
    }
    Ok((events, later))
}

#[cfg(test)]
mod tests;
