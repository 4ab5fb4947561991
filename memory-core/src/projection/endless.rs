//! Folds endless mode: settings, the working set, consolidated memories and the log of
//! transitions.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::codec::{self, Refused};
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::time::Timestamp;
use crate::projection::pauses::{self, PausePayload};
use crate::projection::rows::{self, TIME_BYTES, newest_first, time_newest_first};
use crate::rules::endless::{
    ConsolidatedMemory, ContextSnapshot, ContinuityEntry, EndlessConfig, MemoryMode,
    TransitionType, WorkingItem, WorkingSet, WorkingSetPolicy, snapshot,
};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// The setting that holds the mode.
pub(crate) const MODE: &str = "mode";
/// The setting that holds the limits of the endless mode.
pub(crate) const ENDLESS: &str = "endless";
/// The setting that names the working set.
pub(crate) const WORKING_SET: &str = "working_set_id";
/// The setting that holds the topic of the last context.
pub(crate) const CONTEXT: &str = "context";
/// The setting that holds the time of the last consolidation.
pub(crate) const CONSOLIDATED_AT: &str = "consolidated_at";
/// All settings on which the fold of conversations depends.
pub(crate) const READ_BY_FOLDS: [&str; 2] = [MODE, ENDLESS];

/// A setting's value, and when it was set.
#[derive(Serialize, Deserialize)]
pub(crate) struct SettingRow {
    #[serde(default)]
    value: Value,
    at: Timestamp,
}

/// A setting's value; `None` also if it has another type.
pub(crate) fn setting<T: DeserializeOwned>(rows: &dyn Rows, name: &str) -> Result<Option<T>> {
    let row: Option<SettingRow> = rows::get(rows, name.as_bytes())?;
    Ok(row.and_then(|row| codec::from_value(name, &row.value).ok()))
}

fn put_setting(rows: &mut ProjectedMut<'_>, name: &str, value: Value, at: Timestamp) -> Result<()> {
    rows::put(rows, name.as_bytes(), &SettingRow { value, at })
}

/// How the memory treats conversations.
pub(crate) fn mode(rows: &dyn Rows) -> Result<MemoryMode> {
    Ok(setting(rows, MODE)?.unwrap_or(MemoryMode::Session))
}

/// The name of the working set; `None` if endless mode was never on.
pub(crate) fn working_set_id(rows: &dyn Rows) -> Result<Option<String>> {
    setting(rows, WORKING_SET)
}

/// The limits of the endless mode.
pub(crate) fn config(rows: &dyn Rows) -> Result<EndlessConfig> {
    Ok(setting(rows, ENDLESS)?.unwrap_or_default())
}

fn working_policy(rows: &dyn Rows) -> Result<WorkingSetPolicy> {
    Ok(config(rows)?.working_set)
}

/// How many rows are scanned for the events of the working set beyond its size: expired rows
/// can lie in between after old conversations were ingested.
const LOOKED_THROUGH: usize = 1_024;

/// The working set as of now.
pub(crate) fn working_set(rows: &dyn Rows, now: Timestamp) -> Result<WorkingSet> {
    let policy = working_policy(rows)?;
    let most = policy.max_events.saturating_add(LOOKED_THROUGH);
    let mut items: Vec<WorkingItem> = Vec::new();
    rows::scan(rows, &[], &mut |_, item: WorkingItem| {
        items.push(item);
        Ok(items.len() < most)
    })?;
    Ok(WorkingSet::at(&policy, items, now))
}

/// Visits what waits to be consolidated with its position in the log, newest first, until `visit`
/// returns false. Neither loss of relevance nor the end of its time takes an event out before that:
/// nobody may have asked for a consolidation meanwhile.
pub(crate) fn unconsolidated(
    rows: &dyn Rows,
    visit: &mut dyn FnMut(u64, WorkingItem) -> Result<bool>,
) -> Result<()> {
    rows.scan(RowKind::Unconsolidated, &[], None, &mut |key, _| {
        let position = key.try_into().map(u64::from_be_bytes);
        match rows::get(rows, key)? {
            Some(item) => visit(position.map_or(0, |newest_first| !newest_first), item),
            None => Ok(true),
        }
    })
}

/// Adds an event of a conversation to the working set, in endless mode.
pub(crate) fn fold_conversation(rows: &mut ProjectedMut<'_>, event: &Event) -> Result<()> {
    let seq = event.seq.0;
    if !rows.is_in_window(seq) || mode(rows)? != MemoryMode::Endless {
        return Ok(());
    }
    let policy = working_policy(rows)?;
    let mut item = WorkingItem::new(
        &policy,
        event.id.to_string(),
        MAX_RELEVANCE,
        event.timestamp,
    );
    item.add_topics(topics_of(&event.content));
    put_item(rows, seq, &item)?;
    rows.put(RowKind::Unconsolidated, &newest_first(seq), &[])
}

/// The relevance of what was just said.
pub(crate) const MAX_RELEVANCE: f64 = 1.0;

fn put_item(rows: &mut ProjectedMut<'_>, seq: u64, item: &WorkingItem) -> Result<()> {
    rows::put(rows, &newest_first(seq), item)
}

/// An event that was added to the working set, expired or not.
pub(crate) fn item(rows: &dyn Rows, seq: u64) -> Result<Option<WorkingItem>> {
    rows::get(rows, &newest_first(seq))
}

/// Whether an event is part of a memory. It waits to be consolidated while it is not and has a row of
/// [`RowKind::Working`], so that a part which changes that has to read both.
fn is_consolidated(rows: &dyn Rows, event_id: &str) -> Result<bool> {
    let memory = rows.get(RowKind::ConsolidatedEvent, event_id.as_bytes())?;
    Ok(memory.is_some())
}

/// Adds an earlier event to the working set, or refreshes one that is already there.
fn put_in_working_set(
    rows: &mut ProjectedMut<'_>,
    seq: u64,
    put: PutInWorkingSet,
    at: Timestamp,
) -> Result<()> {
    let policy = working_policy(rows)?;
    if !is_consolidated(rows, &put.event_id)? {
        rows.put(RowKind::Unconsolidated, &newest_first(seq), &[])?;
    }
    let mut row = match item(rows, seq)? {
        Some(mut row) if row.expires_at > at => {
            row.use_again(&policy, put.relevance, at);
            row
        }
        expired => WorkingItem {
            topics: expired.map_or_else(Vec::new, |row| row.topics),
            ..WorkingItem::new(&policy, put.event_id, put.relevance, at)
        },
    };
    row.add_topics(put.topics);
    put_item(rows, seq, &row)
}

/// The topics of an event, for the working set and for consolidation.
pub(crate) fn topics_of(content: &str) -> Vec<String> {
    snapshot::topics(content, &snapshot::files(content))
}

/// Refreshes an event of the working set that a recall used with this confidence.
pub(crate) fn refresh(
    rows: &mut ProjectedMut<'_>,
    seq: u64,
    confidence: f64,
    at: Timestamp,
) -> Result<()> {
    if !rows.is_in_window(seq) {
        return Ok(());
    }
    match item(rows, seq)? {
        Some(mut row) if row.expires_at > at => {
            row.use_again(&working_policy(rows)?, confidence, at);
            put_item(rows, seq, &row)
        }
        _ => Ok(()),
    }
}

/// Counts that an agent was given a consolidated memory.
pub(crate) fn memory_accessed(rows: &mut ProjectedMut<'_>, id: &str, at: Timestamp) -> Result<()> {
    let Some(mut row) = rows::get::<ConsolidatedMemory>(rows, id.as_bytes())? else {
        return Ok(());
    };
    row.accessed_at = row.accessed_at.max(Some(at));
    row.access_count += 1;
    rows::put(rows, id.as_bytes(), &row)
}

/// The payload of an event about a consolidated memory.
#[derive(Serialize, Deserialize)]
pub(crate) struct ConsolidatedPayload {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) memory_id: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) topics: Vec<String>,
    #[serde(default)]
    pub(crate) source_events: Vec<String>,
    #[serde(deserialize_with = "codec::unit")]
    pub(crate) confidence: f64,
    #[serde(default)]
    pub(crate) is_continuation: bool,
    /// The event that recorded the summary of a session, if the memory was made of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summary_event: Option<String>,
}

/// Folds a consolidated memory. It is dropped with the first of its events that is forgotten,
/// because it may reveal it; so is one made of a session's summary when that is forgotten. Its other
/// events then wait to be consolidated as before. Its events stay in the working set while they are
/// recent: what was just said is not replaced by a summary of it.
pub(crate) fn fold_consolidated(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    made: ConsolidatedPayload,
) -> Result<()> {
    let mut is_whole = true;
    let mut sources = Vec::with_capacity(made.source_events.len());
    for source in &made.source_events {
        match rows.live_seq(source)? {
            Some(seq) => sources.push(seq),
            None => is_whole = false,
        }
    }
    if let Some(source) = &made.summary_event {
        is_whole &= rows.live_seq(source)?.is_some();
    }
    let at = event.timestamp;
    put_setting(rows, CONSOLIDATED_AT, codec::to_value(&at), at)?;
    if !is_whole {
        return Ok(());
    }
    let recent_ms = working_policy(rows)?.time_window_ms / 2;
    for seq in sources {
        if let Some(item) = item(rows, seq)?
            && item.used_at.millis() <= at.millis().saturating_sub(recent_ms)
        {
            rows.remove(RowKind::Working, &newest_first(seq))?;
        }
        rows.remove(RowKind::Unconsolidated, &newest_first(seq))?;
    }
    let id = made.memory_id.as_bytes();
    for source in &made.source_events {
        rows.put(RowKind::ConsolidatedEvent, source.as_bytes(), id)?;
    }
    let old = rows::get::<ConsolidatedMemory>(rows, id)?;
    let row = ConsolidatedMemory {
        memory_id: made.memory_id,
        summary: made.summary,
        topics: made.topics,
        source_events: made.source_events,
        confidence: made.confidence,
        is_continuation: made.is_continuation,
        created_at: at,
        accessed_at: None,
        access_count: 0,
    };
    rows::list_anew(rows, old.as_ref().map(listed), &listed(&row))?;
    rows::put(rows, row.memory_id.as_bytes(), &row)
}

/// The keys under which a memory is listed.
fn listed(memory: &ConsolidatedMemory) -> Vec<(RowKind, Vec<u8>)> {
    let (time, id) = (
        time_newest_first(memory.created_at),
        memory.memory_id.as_bytes(),
    );
    // The bits of numbers that are not negative have their order.
    let confidence = newest_first(memory.confidence.to_bits());
    let by_age = [&time, id].concat();
    let by_confidence = [&confidence, time.as_slice(), id].concat();
    vec![
        (RowKind::ConsolidatedByAge, by_age),
        (RowKind::ConsolidatedByConfidence, by_confidence),
    ]
}

/// Visits the consolidated memories, newest first, until `visit` returns false.
pub(crate) fn newest_memories(
    rows: &dyn Rows,
    visit: &mut dyn FnMut(ConsolidatedMemory) -> Result<bool>,
) -> Result<()> {
    rows::each_listed(rows, RowKind::ConsolidatedByAge, &[], TIME_BYTES, visit)
}

/// Visits the consolidated memories, the most certain first and then the newest first, until
/// `visit` returns false.
pub(crate) fn surest_memories(
    rows: &dyn Rows,
    visit: &mut dyn FnMut(ConsolidatedMemory) -> Result<bool>,
) -> Result<()> {
    // The confidence is as long as a time.
    rows::each_listed(
        rows,
        RowKind::ConsolidatedByConfidence,
        &[],
        2 * TIME_BYTES,
        visit,
    )
}

/// The payload of an event about a scored transition.
#[derive(Serialize, Deserialize)]
pub(crate) struct ContinuityPayload {
    pub(crate) current: ContextSnapshot,
    /// `None` if there was no earlier context.
    pub(crate) from_context_id: Option<String>,
    pub(crate) to_context_id: String,
    #[serde(deserialize_with = "codec::unit")]
    pub(crate) score: f64,
    pub(crate) transition_type: TransitionType,
    pub(crate) is_logged: bool,
}

/// A scored transition, and when it was scored.
#[derive(Serialize, Deserialize)]
pub(crate) struct ContinuityRow {
    #[serde(flatten)]
    scored: ContinuityPayload,
    at: Timestamp,
}

impl From<ContinuityRow> for ContinuityEntry {
    fn from(row: ContinuityRow) -> Self {
        ContinuityEntry {
            from_context_id: row.scored.from_context_id.unwrap_or_default(),
            to_context_id: row.scored.to_context_id,
            score: row.scored.score,
            transition: row.scored.transition_type,
            at: row.at,
        }
    }
}

/// Folds a scored transition and the topic of the new context.
pub(crate) fn fold_continuity(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    scored: ContinuityPayload,
) -> Result<()> {
    let at = event.timestamp;
    put_setting(rows, CONTEXT, codec::to_value(&scored.current), at)?;
    if scored.is_logged && rows.is_in_window(event.seq.0) {
        let row = ContinuityRow { scored, at };
        rows::put(rows, &event.seq.0.to_be_bytes(), &row)?;
    }
    Ok(())
}

/// The payload of an event about settings.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SettingPayload {
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub(crate) settings: Settings,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pauses: Vec<PausePayload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) working_set: Option<Vec<PutInWorkingSet>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) refreshed: Vec<InWorkingSet>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pruned: Vec<InWorkingSet>,
}

/// Settings by name. Those on which folds depend are checked for their type.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub(crate) struct Settings(Map<String, Value>);

impl Settings {
    /// A single setting.
    pub(crate) fn one(name: &str, value: &impl Serialize) -> Self {
        Settings(Map::from_iter([(name.to_owned(), codec::to_value(value))]))
    }

    /// Adds a setting.
    pub(crate) fn and(mut self, name: &str, value: &impl Serialize) -> Self {
        self.0.insert(name.to_owned(), codec::to_value(value));
        self
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Settings> for Map<String, Value> {
    fn from(settings: Settings) -> Self {
        settings.0
    }
}

impl TryFrom<Map<String, Value>> for Settings {
    type Error = Refused;

    fn try_from(settings: Map<String, Value>) -> Result<Self, Refused> {
        for (name, value) in settings.iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                MODE => drop(codec::from_value::<MemoryMode>(name, value)?),
                ENDLESS => drop(codec::from_value::<EndlessConfig>(name, value)?),
                // Such a name would be taken for a pause.
                name if name.starts_with(pauses::PREFIX) => {
                    return Err(Refused::new("", "has an invalid setting name"));
                }
                _ => {}
            }
        }
        Ok(Settings(settings))
    }
}

/// An earlier event that is added to the working set.
#[derive(Serialize, Deserialize)]
pub(crate) struct PutInWorkingSet {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
    #[serde(default)]
    pub(crate) topics: Vec<String>,
    #[serde(default = "most", deserialize_with = "codec::unit")]
    pub(crate) relevance: f64,
}

fn most() -> f64 {
    MAX_RELEVANCE
}

/// An event of the working set that is refreshed or removed.
#[derive(Serialize, Deserialize)]
pub(crate) struct InWorkingSet {
    #[serde(deserialize_with = "codec::text")]
    pub(crate) event_id: String,
}

/// Folds changed settings and changes to the working set.
pub(crate) fn fold_setting(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: SettingPayload,
) -> Result<()> {
    if rows.next_part() {
        for (name, value) in payload.settings.0 {
            put_setting(rows, &name, value, event.timestamp)?;
        }
        pauses::fold(rows, event, payload.pauses)?;
    }
    for item in payload.working_set.unwrap_or_default() {
        if rows.next_part()
            && let Some(seq) = rows.live_seq(&item.event_id)?
            && rows.is_in_window(seq)
        {
            put_in_working_set(rows, seq, item, event.timestamp)?;
        }
    }
    for item in payload.refreshed {
        if rows.next_part()
            && let Some(seq) = rows.live_seq(&item.event_id)?
        {
            refresh(rows, seq, MAX_RELEVANCE, event.timestamp)?;
        }
    }
    for item in payload.pruned {
        if rows.next_part()
            && let Some(seq) = rows.live_seq(&item.event_id)?
        {
            rows.remove(RowKind::Working, &newest_first(seq))?;
            if !is_consolidated(rows, &item.event_id)? {
                rows.remove(RowKind::Unconsolidated, &newest_first(seq))?;
            }
        }
    }
    Ok(())
}
