//! The endless mode in the store: its settings, the working set, consolidation,
//! continuity across processes, and the way there and back.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::memory::Memory;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::projection::{self, endless as rows_of, rows};
use crate::rules::endless::consolidate::{self, ConsolidationPlan, MemoryDraft, TopicEvent};
use crate::rules::endless::migrate::{MigrationStep, to_endless, to_session};
use crate::rules::endless::snapshot::snapshot;
use crate::rules::endless::{
    ConsolidationPolicy, ConsolidationTrigger, ContextSnapshot, Continuity, InjectionPolicy,
    MemoryMode, TransitionType, WorkingItem, WorkingSet, WorkingSetPolicy, continuity,
    select_consolidated, select_working_set,
};
use crate::store::WriteTx;
use crate::store::projected::{Rows, Shelf};
use crate::write::prepare::SystemEvent;

/// The limits of the endless mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndlessConfig {
    /// What lies on the table.
    pub working_set: WorkingSetPolicy,
    /// When and how memories are made of it.
    pub consolidation: ConsolidationPolicy,
    /// How much an agent is given.
    pub injection: InjectionPolicy,
}

pub(crate) fn config_from(value: &Value) -> EndlessConfig {
    let mut config = EndlessConfig::default();
    let size = |name: &str, old: usize| {
        value[name]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(old)
    };
    let ms = |name: &str, old: i64| value[name].as_i64().unwrap_or(old);
    let unit = |name: &str, old: f64| value[name].as_f64().unwrap_or(old);
    let set = &mut config.working_set;
    set.max_events = size("max_events", set.max_events);
    set.time_window_ms = ms("time_window_ms", set.time_window_ms);
    set.min_relevance_score = unit("min_relevance_score", set.min_relevance_score);
    let rule = &mut config.consolidation;
    rule.trigger_interval_ms = ms("trigger_interval_ms", rule.trigger_interval_ms);
    rule.trigger_event_count = size("trigger_event_count", rule.trigger_event_count);
    rule.trigger_idle_ms = ms("trigger_idle_ms", rule.trigger_idle_ms);
    rule.min_events = size("min_events", rule.min_events);
    rule.max_summary_chars = size("max_summary_chars", rule.max_summary_chars);
    let given = &mut config.injection;
    given.min_relevance = unit("min_relevance", given.min_relevance);
    given.max_events = size("max_injected_events", given.max_events);
    given.max_memories = size("max_injected_memories", given.max_memories);
    config
}

fn config_value(config: &EndlessConfig) -> Value {
    let (set, rule, given) = (
        &config.working_set,
        &config.consolidation,
        &config.injection,
    );
    json!({
        "max_events": set.max_events,
        "time_window_ms": set.time_window_ms,
        "min_relevance_score": set.min_relevance_score,
        "trigger_interval_ms": rule.trigger_interval_ms,
        "trigger_event_count": rule.trigger_event_count,
        "trigger_idle_ms": rule.trigger_idle_ms,
        "min_events": rule.min_events,
        "max_summary_chars": rule.max_summary_chars,
        "min_relevance": given.min_relevance,
        "max_injected_events": given.max_events,
        "max_injected_memories": given.max_memories,
    })
}

fn check_config(config: &EndlessConfig) -> Result<()> {
    let at_least_1 = |argument: &str, number: i64| {
        if number < 1 {
            return Err(Error::invalid(argument, "must be at least 1"));
        }
        Ok(())
    };
    let unit = |argument: &str, number: f64| {
        if !(0.0..=1.0).contains(&number) {
            return Err(Error::invalid(argument, "must be between 0 and 1"));
        }
        Ok(())
    };
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    at_least_1(
        "working_set.max_events",
        count(config.working_set.max_events),
    )?;
    if config.working_set.max_events > 10_000 {
        return Err(Error::invalid(
            "working_set.max_events",
            "must be at most 10000",
        ));
    }
    at_least_1(
        "working_set.time_window_ms",
        config.working_set.time_window_ms,
    )?;
    unit(
        "working_set.min_relevance_score",
        config.working_set.min_relevance_score,
    )?;
    let rule = &config.consolidation;
    at_least_1(
        "consolidation.trigger_interval_ms",
        rule.trigger_interval_ms,
    )?;
    at_least_1(
        "consolidation.trigger_event_count",
        count(rule.trigger_event_count),
    )?;
    at_least_1("consolidation.trigger_idle_ms", rule.trigger_idle_ms)?;
    at_least_1("consolidation.min_events", count(rule.min_events))?;
    at_least_1(
        "consolidation.max_summary_chars",
        count(rule.max_summary_chars),
    )?;
    unit("injection.min_relevance", config.injection.min_relevance)
}

/// A memory that was made of events, or of a session's summary.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConsolidatedMemory {
    /// Its identity.
    pub memory_id: String,
    /// What happened, in words.
    pub summary: String,
    /// What it is about.
    pub topics: Vec<String>,
    /// The ids of the events that it was made of, in order of time.
    pub source_events: Vec<String>,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// Whether it continues an earlier memory of the same topic.
    pub is_continuation: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last given to an agent.
    pub accessed_at: Option<Timestamp>,
    /// How often it was given to an agent.
    pub access_count: u64,
}

fn memory_from(json: &Json) -> Result<ConsolidatedMemory> {
    let value = json.to_value();
    let root = Element::root("consolidated", &value);
    Ok(ConsolidatedMemory {
        memory_id: root.required("memory_id")?.text()?,
        summary: root.required("summary")?.string()?,
        topics: root.strings("topics")?,
        source_events: root.strings("source_events")?,
        confidence: root.required("confidence")?.unit()?,
        is_continuation: value["is_continuation"] == Value::Bool(true),
        created_at: root.required("created_at")?.time()?,
        accessed_at: root.optional_time("accessed_at")?,
        access_count: value["access_count"].as_u64().unwrap_or(0),
    })
}

/// A transition between two contexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContinuityEntry {
    /// The context before.
    pub from_context_id: String,
    /// The context after.
    pub to_context_id: String,
    /// How far the one goes on from the other, from 0 to 1.
    pub score: f64,
    /// The score in a word.
    pub transition: TransitionType,
    /// When it was scored.
    pub at: Timestamp,
}

fn continuity_from(json: &Json) -> Result<ContinuityEntry> {
    let value = json.to_value();
    let root = Element::root("continuity", &value);
    Ok(ContinuityEntry {
        from_context_id: root.required("from_context_id")?.string()?,
        to_context_id: root.required("to_context_id")?.string()?,
        score: root.required("score")?.unit()?,
        transition: root.required("transition_type")?.parse()?,
        at: root.required("at")?.time()?,
    })
}

/// How the endless mode stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessStatus {
    /// The mode in force.
    pub mode: MemoryMode,
    /// The limits in force.
    pub config: EndlessConfig,
    /// Events on the table.
    pub working_set: usize,
    /// When an event was last put on the table.
    pub last_activity: Option<Timestamp>,
    /// What lies on the table is about this, the most frequent first.
    pub active_topics: Vec<String>,
    /// The files that the last context named.
    pub active_files: Vec<String>,
    /// The things that the last context named.
    pub active_entities: Vec<String>,
    /// The average continuity of the last hour, or 0.5.
    pub continuity_score: f64,
    /// Consolidated memories.
    pub consolidated: u64,
    /// When something was last consolidated.
    pub last_consolidation: Option<Timestamp>,
}

/// What an agent is given at its start in the endless mode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndlessContext {
    /// Events on the table, the most relevant first.
    pub working_set: Vec<Event>,
    /// Consolidated memories, the surest first.
    pub consolidated: Vec<ConsolidatedMemory>,
    /// The average continuity of the last hour, or 0.5.
    pub continuity_score: f64,
}

/// What [`Memory::consolidate`] did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConsolidationReport {
    /// Whether it was due (or asked for) at all.
    pub ran: bool,
    /// The memories that were made.
    pub memories: Vec<String>,
    /// Events that wait for more of their topic.
    pub waiting: usize,
}

/// A host's own way to put a group of events into words: the topics and the
/// texts in, a summary out. `None` takes the summary made by rules.
pub type Summarizer<'a> = &'a mut dyn FnMut(&[String], &[String]) -> Option<String>;

impl Memory {
    fn read_endless<T>(&self, look: impl FnOnce(&dyn Rows) -> Result<T>) -> Result<T> {
        self.enter()?;
        look(&self.inner.store.read()?.projected()?)
    }

    /// How the memory treats conversations.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn mode(&self) -> Result<MemoryMode> {
        self.read_endless(|rows| rows_of::mode(rows))
    }

    /// The session under which what happens now belongs: in the endless mode
    /// the day's, `endless_YYYY-MM-DD` by local time; otherwise `session`.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn session_now(&self, session: &str) -> Result<String> {
        let now = self.inner.store.clock().now();
        Ok(match self.mode()? {
            MemoryMode::Session => session.to_owned(),
            MemoryMode::Endless => crate::rules::endless::day_session_id(
                now,
                crate::rules::endless::local_offset_seconds(now),
            ),
        })
    }

    /// Changes the mode. To the endless mode: the events of the last 7 days come
    /// on the table, each session's summary becomes a memory, and one
    /// consolidation is run. Back: only the mode changes, nothing is lost.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn set_mode(&self, mode: MemoryMode) -> Result<()> {
        self.enter()?;
        let now = self.inner.store.clock().now();
        let steps = match mode {
            MemoryMode::Session => to_session(),
            MemoryMode::Endless => {
                let (events, summaries) = self.migration_material(now)?;
                to_endless(&events, &summaries, now)
            }
        };
        self.inner.store.write(|tx| {
            if rows_of::mode(&tx.projected()?)? == mode {
                return Ok(());
            }
            for step in steps {
                self.migrate(tx, step)?;
            }
            Ok(())
        })
    }

    #[expect(clippy::type_complexity, reason = "what the plan of a migration takes")]
    fn migration_material(
        &self,
        now: Timestamp,
    ) -> Result<(Vec<(String, Timestamp)>, Vec<String>)> {
        let since = now
            .millis()
            .saturating_sub(crate::rules::endless::migrate::MIGRATED_DAYS * 86_400_000);
        let filter = crate::EventFilter {
            project: crate::scope::ProjectScope::All,
            from: Some(Timestamp::from_millis_clamped(since)),
            ..crate::EventFilter::default()
        };
        let mut events = Vec::new();
        for event in self.events(filter)? {
            let event = event?;
            events.push((event.id.to_string(), event.timestamp));
        }
        let summaries = self
            .sessions(crate::scope::ProjectScope::All)?
            .into_iter()
            .filter_map(|session| session.summary)
            .collect();
        Ok((events, summaries))
    }

    fn migrate(&self, tx: &mut WriteTx<'_>, step: MigrationStep) -> Result<()> {
        match step {
            MigrationStep::AddToWorkingSet(ids) => {
                let mut items = Vec::new();
                // No more than the table holds, the newest of them.
                let skip = ids
                    .len()
                    .saturating_sub(self.config_in(tx)?.working_set.max_events);
                for id in ids.into_iter().skip(skip) {
                    if let Some(event) = event_by_id(tx, &id)? {
                        items.push(json!({
                            "event_id": id,
                            "topics": rows_of::topics_of(&event.content),
                        }));
                    }
                }
                self.setting_event(
                    tx,
                    format!("{} events put on the table", items.len()),
                    json!({"working_set": items}),
                )
            }
            MigrationStep::StoreMemory(draft) => self.store_memory(tx, &draft).map(|_| ()),
            MigrationStep::Consolidate => {
                let plan = self.plan_consolidation(tx)?;
                for draft in &plan.memories {
                    self.store_memory(tx, draft)?;
                }
                Ok(())
            }
            MigrationStep::SetMode(mode) => self.setting_event(
                tx,
                format!("mode {mode}"),
                json!({"settings": {rows_of::MODE: mode.as_str()}}),
            ),
        }
    }

    fn setting_event(&self, tx: &mut WriteTx<'_>, content: String, payload: Value) -> Result<()> {
        let draft = SystemEvent::new(&self.inner, EventKind::SettingChanged, content, payload)
            .draft(&self.inner);
        projection::append(tx, &[draft])?;
        Ok(())
    }

    fn config_in(&self, tx: &WriteTx<'_>) -> Result<EndlessConfig> {
        Ok(rows_of::setting(&tx.projected()?, rows_of::ENDLESS)?
            .map(|value| config_from(&value))
            .unwrap_or_default())
    }

    /// The limits of the endless mode.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn endless_config(&self) -> Result<EndlessConfig> {
        self.read_endless(|rows| {
            Ok(rows_of::setting(rows, rows_of::ENDLESS)?
                .map(|value| config_from(&value))
                .unwrap_or_default())
        })
    }

    /// Changes the limits of the endless mode, all of them.
    ///
    /// # Errors
    /// `invalid_argument` naming the limit that is out of range.
    pub fn set_endless_config(&self, config: &EndlessConfig) -> Result<()> {
        self.enter()?;
        check_config(config)?;
        self.record(
            EventKind::SettingChanged,
            "limits of the endless mode set",
            json!({"settings": {rows_of::ENDLESS: config_value(config)}}),
        )
    }

    /// What lies on the table, the most relevant first, then the newest.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn working_set(&self) -> Result<Vec<WorkingItem>> {
        let now = self.inner.store.clock().now();
        self.read_endless(|rows| {
            let set = WorkingSet::from_items(rows_of::working_items(rows)?);
            Ok(set.best(now).into_iter().cloned().collect())
        })
    }

    /// The consolidated memories, the newest first. `text` is looked for in
    /// the summaries, letter case ignored; then the surest come first.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn consolidated_memories(&self, text: Option<&str>) -> Result<Vec<ConsolidatedMemory>> {
        self.read_endless(|rows| {
            let mut found = rows::all(rows, Shelf::Consolidated, &[], memory_from)?;
            match text.map(str::to_lowercase) {
                Some(text) => {
                    found.retain(|memory| memory.summary.to_lowercase().contains(&text));
                    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
                }
                None => found.sort_by_key(|memory| std::cmp::Reverse(memory.created_at)),
            }
            Ok(found)
        })
    }

    /// The transitions that were scored, in the order of the log.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn continuity_log(&self) -> Result<Vec<ContinuityEntry>> {
        self.read_endless(|rows| rows::all(rows, Shelf::Continuity, &[], continuity_from))
    }

    /// Scores how far a text (a prompt, or the beginning of a conversation)
    /// goes on from the context before it, and keeps it as the context for the
    /// next call, in whatever process that is.
    ///
    /// # Errors
    /// `invalid_argument` naming `context_id` or `text` when it is blank.
    pub fn score_continuity(&self, context_id: &str, text: &str) -> Result<Continuity> {
        self.enter()?;
        if context_id.trim().is_empty() {
            return Err(Error::invalid("context_id", "must not be blank"));
        }
        let context_id = crate::write::prepare::kept_name(&self.inner, context_id)?;
        let text = crate::write::prepare::clean_text(&self.inner, "text", text)?;
        let now = self.inner.store.clock().now();
        let current = snapshot(&context_id, &text, now);
        self.inner.store.write(|tx| {
            let previous = {
                let rows = tx.projected()?;
                rows_of::setting(&rows, rows_of::CONTEXT)?
                    .and_then(|value| ContextSnapshot::from_json(&Json::from_value(&value)).ok())
            };
            let found = continuity(&current, previous.as_ref(), continuity::MIN_SEAMLESS_SCORE);
            let draft = SystemEvent::new(
                &self.inner,
                EventKind::ContinuityScored,
                format!("continuity {:.2}: {}", found.score, found.transition),
                json!({
                    "current": current.to_json().to_value(),
                    "from_context_id": previous.as_ref().map(|context| &context.id),
                    "to_context_id": current.id,
                    "score": found.score,
                    "transition_type": found.transition.as_str(),
                    "is_logged": found.is_logged,
                }),
            )
            .draft(&self.inner);
            projection::append(tx, &[draft])?;
            Ok(found)
        })
    }

    /// How the endless mode stands.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn endless_status(&self) -> Result<EndlessStatus> {
        let now = self.inner.store.clock().now();
        let config = self.endless_config()?;
        self.read_endless(|rows| {
            let set = WorkingSet::from_items(rows_of::working_items(rows)?);
            let context = rows_of::setting(rows, rows_of::CONTEXT)?
                .and_then(|value| ContextSnapshot::from_json(&Json::from_value(&value)).ok())
                .unwrap_or_default();
            Ok(EndlessStatus {
                mode: rows_of::mode(rows)?,
                config,
                working_set: set.len(now),
                last_activity: set.last_activity(),
                active_topics: set.active_topics(now),
                active_files: context.files,
                active_entities: context.entities,
                continuity_score: recent_score(rows, now)?,
                consolidated: rows.facts(Shelf::Consolidated)?.rows,
                last_consolidation: last_consolidation(rows)?,
            })
        })
    }

    /// What to give an agent at its start: events on the table and consolidated
    /// memories. That the memories were given is noted.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn endless_context(&self) -> Result<EndlessContext> {
        self.enter()?;
        let now = self.inner.store.clock().now();
        let policy = self.endless_config()?.injection;
        let read = self.inner.store.read()?;
        let rows = read.projected()?;
        let set = WorkingSet::from_items(rows_of::working_items(&rows)?);
        let mut working_set = Vec::new();
        for item in select_working_set(&policy, &set.best(now)) {
            if let Ok(id) = item.event_id.parse::<EventId>() {
                working_set.extend(read.event(&id.into())?);
            }
        }
        let mut memories = rows::all(&rows, Shelf::Consolidated, &[], memory_from)?;
        memories.sort_by_key(|memory| std::cmp::Reverse(memory.created_at));
        let scored = memories
            .into_iter()
            .map(|memory| {
                let confidence = memory.confidence;
                (memory, confidence)
            })
            .collect();
        let consolidated = select_consolidated(&policy, scored);
        for memory in &consolidated {
            self.inner.accesses.record_memory(&memory.memory_id, now);
        }
        for event in &working_set {
            self.inner
                .accesses
                .record(event.seq.0, &event.session, 1.0, now);
        }
        Ok(EndlessContext {
            working_set,
            consolidated,
            continuity_score: recent_score(&rows, now)?,
        })
    }

    /// Makes memories of what lies on the table, whether it is due or not.
    ///
    /// # Errors
    /// `busy`, `full` or `io` when the store cannot be written.
    pub fn consolidate(&self) -> Result<ConsolidationReport> {
        self.consolidate_with(&mut |_, _| None)
    }

    /// As [`Memory::consolidate`], with summaries in the host's own words. The
    /// callback is called outside of any transaction and lock, so that one which
    /// never answers holds up nobody else; its texts pass the privacy filter.
    ///
    /// # Errors
    /// As [`Memory::consolidate`]; `closed` when the memory was closed while the
    /// callback ran: nothing is stored then, and the callback is not called again.
    pub fn consolidate_with(&self, summarize: Summarizer<'_>) -> Result<ConsolidationReport> {
        self.enter()?;
        // Nothing is held while the host's code runs: a transaction that stays open
        // would keep pages from being used again, and an erasure from ending.
        let (events, mut plan) = {
            let read = self.inner.store.read()?;
            let rows = read.projected()?;
            let events = topic_events(&rows, |id| read.event(&id.into()))?;
            let plan = self.plan_of(&rows, &events)?;
            (events, plan)
        };
        for draft in &mut plan.memories {
            let texts: Vec<String> = draft
                .source_events
                .iter()
                .filter_map(|id| events.iter().find(|event| event.event_id == *id))
                .map(|event| event.content.clone())
                .collect();
            let summary = summarize(&draft.topics, &texts);
            self.enter()?;
            if let Some(summary) = summary
                && !summary.trim().is_empty()
            {
                draft.summary = summary;
            }
        }
        self.inner.store.write(|tx| self.store_plan(tx, &plan))
    }

    fn store_plan(
        &self,
        tx: &mut WriteTx<'_>,
        plan: &ConsolidationPlan,
    ) -> Result<ConsolidationReport> {
        let mut report = ConsolidationReport {
            ran: true,
            memories: Vec::new(),
            waiting: plan.waiting.len(),
        };
        for draft in &plan.memories {
            report.memories.extend(self.store_memory(tx, draft)?);
        }
        note_attempt(tx, self.inner.store.clock().now())?;
        Ok(report)
    }

    /// Consolidates when one of the three limits is reached. A part of
    /// `maintain` and of appends.
    pub(crate) fn consolidate_if_due(&self, tx: &mut WriteTx<'_>) -> Result<ConsolidationReport> {
        let now = self.inner.store.clock().now();
        let config = self.config_in(tx)?;
        let is_due = {
            let rows = tx.projected()?;
            if rows_of::mode(&rows)? != MemoryMode::Endless {
                return Ok(ConsolidationReport::default());
            }
            let set = WorkingSet::from_items(rows_of::working_items(&rows)?);
            let apart = |since: Option<Timestamp>| {
                since.map_or(i64::MAX, |at| now.millis().saturating_sub(at.millis()))
            };
            let attempt = rows::get(&rows, Shelf::Cursor, CONSOLIDATION_ATTEMPT)?
                .and_then(|row| row.as_i64())
                .map(Timestamp::from_millis_clamped);
            let last = last_consolidation(&rows)?.max(attempt);
            let idle_ms = apart(set.last_activity());
            let trigger = ConsolidationTrigger {
                since_last_ms: apart(last),
                working_set_size: set.len(now),
                // Once in an idle time is enough.
                idle_ms: if last >= set.last_activity() {
                    0
                } else {
                    idle_ms
                },
            };
            !set.items().is_empty() && trigger.is_due(&config.consolidation)
        };
        if !is_due {
            return Ok(ConsolidationReport::default());
        }
        let plan = self.plan_consolidation(tx)?;
        self.store_plan(tx, &plan)
    }

    fn plan_consolidation(&self, tx: &WriteTx<'_>) -> Result<ConsolidationPlan> {
        let rows = tx.projected()?;
        let events = topic_events(&rows, |id| match tx.seq_of_id(&id)? {
            Some(seq) => tx.event_at(seq),
            None => Ok(None),
        })?;
        self.plan_of(&rows, &events)
    }

    fn plan_of(&self, rows: &dyn Rows, events: &[TopicEvent]) -> Result<ConsolidationPlan> {
        let policy = rows_of::setting(rows, rows_of::ENDLESS)?
            .map(|value| config_from(&value))
            .unwrap_or_default()
            .consolidation;
        let mut consolidated = BTreeSet::new();
        for event in events {
            if rows
                .get(Shelf::ConsolidatedEvent, event.event_id.as_bytes())?
                .is_some()
            {
                consolidated.insert(event.event_id.clone());
            }
        }
        let mut topics = BTreeSet::new();
        for memory in rows::all(rows, Shelf::Consolidated, &[], memory_from)? {
            topics.extend(memory.topics.into_iter().next());
        }
        Ok(consolidate::plan(&policy, events, &consolidated, &topics))
    }

    /// Stores a memory unless one of its events is in another already.
    fn store_memory(&self, tx: &mut WriteTx<'_>, draft: &MemoryDraft) -> Result<Option<String>> {
        let mut hasher = blake3::Hasher::new_keyed(&tx.derived_secret("recallite 2026 memory ids"));
        for part in draft.source_events.iter().chain([&draft.summary]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let memory_id = format!("memory_{}", &hasher.finalize().to_hex()[..32]);
        {
            let rows = tx.projected()?;
            if rows
                .get(Shelf::Consolidated, memory_id.as_bytes())?
                .is_some()
            {
                return Ok(None);
            }
            for source in &draft.source_events {
                if rows
                    .get(Shelf::ConsolidatedEvent, source.as_bytes())?
                    .is_some()
                {
                    return Ok(None);
                }
            }
        }
        let event = SystemEvent::new(
            &self.inner,
            EventKind::Consolidated,
            format!("{} events became a memory", draft.source_events.len()),
            json!({
                "memory_id": memory_id,
                "summary": draft.summary,
                "topics": draft.topics,
                "source_events": draft.source_events,
                "confidence": draft.confidence,
                "is_continuation": draft.is_continuation,
            }),
        )
        .draft(&self.inner);
        projection::append(tx, &[event])?;
        Ok(Some(memory_id))
    }
}

/// When consolidation was last tried, whether or not it made anything.
const CONSOLIDATION_ATTEMPT: &[u8] = b"consolidation";

fn note_attempt(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    let mut rows = tx.projected()?;
    rows::put(
        &mut rows,
        Shelf::Cursor,
        CONSOLIDATION_ATTEMPT,
        &now.millis().into(),
    )?;
    rows.finish(now.millis())
}

fn last_consolidation(rows: &dyn Rows) -> Result<Option<Timestamp>> {
    Ok(rows_of::setting(rows, rows_of::CONSOLIDATED_AT)?
        .and_then(|value| value.as_i64())
        .map(Timestamp::from_millis_clamped))
}

fn recent_score(rows: &dyn Rows, now: Timestamp) -> Result<f64> {
    let log: Vec<(Timestamp, f64)> = rows::all(rows, Shelf::Continuity, &[], continuity_from)?
        .into_iter()
        .map(|entry| (entry.at, entry.score))
        .collect();
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

/// What lies on the table (expired or not: what nobody consolidated yet must
/// not be lost) with the texts.
fn topic_events(
    rows: &dyn Rows,
    event: impl Fn(EventId) -> Result<Option<Event>>,
) -> Result<Vec<TopicEvent>> {
    let mut events = Vec::new();
    for item in rows_of::working_items(rows)? {
        let Ok(id) = item.event_id.parse::<EventId>() else {
            continue;
        };
        if let Some(event) = event(id)? {
            events.push(TopicEvent {
                event_id: item.event_id,
                timestamp: event.timestamp,
                topics: item.topics,
                content: event.content,
            });
        }
    }
    Ok(events)
}
