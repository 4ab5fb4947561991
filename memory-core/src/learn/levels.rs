//! Graduates stored memories: which ones change level, and which insights follow from
//! repeated use.

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::engine::accesses::GivenEvent;
use crate::learn::history;
use crate::learn::speaker::speaker_of;
use crate::learn::unread::readable;
use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{EventId, EventRef, Seq};
use crate::model::lists::first_rows;
use crate::model::time::Timestamp;
use crate::projection::edges::{self, Way};
use crate::projection::endless::{SettingPayload, Settings};
use crate::projection::levels::{InsightRow, LevelStep};
use crate::projection::rows::{self, Cursor};
use crate::projection::{self, entries, insights_due, levels, pins};
use crate::recall::shown::read;
use crate::rules::graph::Relation;
use crate::rules::levels::{
    CueLanguages, EvidenceGate, GraduationPolicy, Insight, InsightEvent, InsightKind, Level, Usage,
    check_policy, demotion, evaluate, extract_insights, preference_cue,
};
use crate::rules::statements::{self, Finding, FindingKind, Speaker};
use crate::store::log::tombstone::Deletions;
use crate::store::projected_rows::projected::{Counted, ProjectedMut, RowKind, Rows};
use crate::store::{ReadTx, WriteTx};
use crate::text::fence::recalled_spans;
use crate::write::accesses::Flushing;
use crate::write::pauses::PausedEvents;
use crate::write::prepare::{SystemEvent, check_required};

/// The level of an event and how it was used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventLevel {
    /// The level of the event.
    pub level: Level,
    /// How it was used; `None` if it never was.
    pub usage: Option<Usage>,
    /// Whether it is pinned.
    pub is_pinned: bool,
}

/// How many events are at each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelCounts {
    /// The number of conversation events at `L0`, where every event begins.
    pub l0: u64,
    /// The number of events at `L1`.
    pub l1: u64,
    /// The number of events at `L2`.
    pub l2: u64,
    /// The number of events at `L3`.
    pub l3: u64,
    /// The number of events at `L4`, the highest level.
    pub l4: u64,
}

/// An event whose level changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelChange {
    /// The id of the event.
    pub event_id: EventId,
    /// Its new level.
    pub level: Level,
}

/// What [`Levels::graduate`](crate::Levels::graduate) did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Graduated {
    /// The number of events that were evaluated.
    pub judged: usize,
    /// The events that rose a level.
    pub promoted: Vec<LevelChange>,
    /// The events that dropped a level.
    pub demoted: Vec<LevelChange>,
    /// Insights that are new or better supported than before.
    pub insights: Vec<Insight>,
    /// The number of events that still wait to be evaluated.
    pub waiting: u64,
}

/// The setting that holds the policy.
const HALF_LIFE: &str = "graduation_half_life_days";

/// A move to another level.
struct Step {
    event: EventId,
    from: Level,
    to: Level,
    reason: String,
}

/// [`Levels::get`](crate::Levels::get).
pub(crate) fn get(engine: &Engine, event: EventRef) -> Result<EventLevel> {
    let event = read::required_event(engine, &event)?;
    let rows = engine.store.read()?.projected()?;
    let id = event.id.to_string();
    Ok(EventLevel {
        level: levels::level(&rows, &id)?,
        usage: levels::access(&rows, &id)?
            .and_then(|metrics| metrics.usage(engine.store.clock().now())),
        is_pinned: pins::is_pinned(&rows, &id)?,
    })
}

/// [`Levels::counts`](crate::Levels::counts).
pub(crate) fn counts(engine: &Engine) -> Result<LevelCounts> {
    let read = engine.store.read()?;
    level_counts(&read.projected()?, read.state()?.conversation.iter().sum())
}

/// [`Levels::record_access`](crate::Levels::record_access).
pub(crate) fn record_access(
    engine: &Engine,
    events: &[EventRef],
    session: &str,
    confidence: f64,
) -> Result<()> {
    if !(0.0..=1.0).contains(&confidence) {
        return Err(Error::invalid("confidence", "must be between 0 and 1"));
    }
    check_required("session", session)?;
    let session = &crate::write::prepare::kept_name(engine, session)?;
    let read = engine.store.read()?;
    let mut seqs = Vec::new();
    for (index, event) in events.iter().enumerate() {
        match read.seq_of(event)? {
            Some(seq) if !read.is_hidden(seq)? => seqs.push(seq),
            _ => {
                return Err(Error::new(ErrorCode::NotFound, "no event with this id")
                    .with_argument(format!("events[{index}]")));
            }
        }
    }
    let now = engine.store.clock().now();
    let erased = read.state()?.erased_events;
    for seq in seqs {
        let given = GivenEvent {
            seq,
            session,
            confidence,
        };
        engine.accesses.record_asked(given, now, erased);
    }
    Ok(())
}

/// [`Levels::set_half_life_days`](crate::Levels::set_half_life_days).
pub(crate) fn set_half_life_days(engine: &Engine, half_life_days: Option<f64>) -> Result<()> {
    check_policy(&GraduationPolicy {
        half_life_days,
        ..GraduationPolicy::default()
    })?;
    history::record(
        engine,
        EventKind::SettingChanged,
        "half-life of memories set",
        &SettingPayload {
            settings: Settings::one(HALF_LIFE, &half_life_days),
            ..SettingPayload::default()
        },
    )
}

/// [`Levels::graduate`](crate::Levels::graduate).
pub(crate) fn graduate(engine: &Engine, budget: usize) -> Result<Graduated> {
    let flushing = Flushing::all(engine);
    let mut done = engine.store.write(|tx| {
        flushing.write(tx)?;
        graduate_in(engine, tx, budget)
    })?;
    flushing.done();
    done.insights = find_insights(engine)?;
    Ok(done)
}

/// [`Levels::insights`](crate::Levels::insights).
pub(crate) fn insights(engine: &Engine, limit: Option<usize>) -> Result<Vec<Insight>> {
    let rows = engine.store.read()?.projected()?;
    let found = first_rows::<InsightRow>(limit, &mut |visit| {
        rows::scan(&rows, &[], &mut |_, row| visit(row))
    })?;
    Ok(found.into_iter().map(|row| row.insight).collect())
}

/// One step of graduation inside a transaction. If an event moves, insights are due; see
/// [`find_insights`].
pub(crate) fn graduate_in(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    budget: usize,
) -> Result<Graduated> {
    let now = engine.store.clock().now();
    let (steps, judged) = judge_due(tx, budget, now)?;
    let mut done = Graduated {
        judged,
        ..Graduated::default()
    };
    for step in &steps {
        let list = if step.to > step.from {
            &mut done.promoted
        } else {
            &mut done.demoted
        };
        list.push(LevelChange {
            event_id: step.event,
            level: step.to,
        });
    }
    if !steps.is_empty() {
        let moves: Vec<Value> = steps.into_iter().map(recorded).collect();
        level_event(
            engine,
            tx,
            format!("{} events changed level", moves.len()),
            json!({"levels": moves}),
        )?;
    }
    done.waiting = tx.projected()?.facts(RowKind::LevelDue)?.rows;
    Ok(done)
}

/// Judges up to `budget` events that are due. Returns the steps to take, and how many were judged.
fn judge_due(tx: &mut WriteTx<'_>, budget: usize, now: Timestamp) -> Result<(Vec<Step>, usize)> {
    let mut rows = tx.projected()?;
    let policy = GraduationPolicy {
        half_life_days: projection::endless::setting(&rows, HALF_LIFE)?,
        ..GraduationPolicy::default()
    };
    let due = first_due(&rows, budget)?;
    let mut steps = Vec::new();
    for id in &due {
        let (step, may_rise_more) = judge(&rows, &policy, id, now)?;
        // What rose may rise once more in the next call.
        if !may_rise_more {
            rows.remove(RowKind::LevelDue, id.as_bytes())?;
        }
        steps.extend(step);
    }
    if policy.half_life_days.is_some() {
        sink(&mut rows, &policy, budget, now, &mut steps)?;
    }
    rows.finish(now.millis())?;
    Ok((steps, due.len()))
}

/// A step as the log records it.
fn recorded(step: Step) -> Value {
    codec::to_value(&LevelStep {
        event_id: step.event.to_string(),
        from: Some(step.from),
        to: step.to,
        reason: step.reason,
    })
}

fn level_event(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    content: String,
    payload: Value,
) -> Result<()> {
    let draft = SystemEvent::new(engine, EventKind::LevelChanged, content, payload).draft(engine);
    projection::append(tx, &[draft])?;
    Ok(())
}

/// Searches for insights if they are due: examines events of L1 and higher, a bounded number
/// per level. Others may write meanwhile, since the events are read apart from the transaction
/// that stores what was found.
pub(crate) fn find_insights(engine: &Engine) -> Result<Vec<Insight>> {
    let read = engine.store.read()?;
    let Some(due) = insights_due(&read.projected()?)? else {
        return Ok(Vec::new());
    };
    if !engine.tuning.finds_insights {
        return Ok(Vec::new());
    }
    let mut found = extract_insights(&risen_events(&read)?, CueLanguages::EnglishAndKorean);
    found.iter_mut().for_each(tell_apart);
    let before = read.deletions()?;
    drop(read);
    add_insights(engine, found, (due, before))
}

/// Gives a preference a key of its own. The rule ends it with the beginning of the event's id
/// (specification, section 8), which is a time here, the same for all events of a minute.
fn tell_apart(insight: &mut Insight) {
    if insight.kind != InsightKind::Preference {
        return;
    }
    let Some((id, (cue, _))) = insight.sources.first().zip(insight.key.rsplit_once('_')) else {
        return;
    };
    let random = id
        .rsplit_once('-')
        .map_or(id.as_str(), |(_, random)| random);
    insight.key = format!("{cue}_{random}");
}

/// Stores the insights that are new. If an event was deleted since they were found, they may quote
/// it, and if the recording of one was paused, nothing may be learned from it: nothing is stored,
/// and the search stays due.
fn add_insights(
    engine: &Engine,
    mut found: Vec<Insight>,
    (due, before): (i64, Deletions),
) -> Result<Vec<Insight>> {
    engine.store.write(|tx| {
        if tx.deletions() != before {
            return Ok(Vec::new());
        }
        let now = engine.store.clock().now();
        let mut rows = tx.projected()?;
        leave_out_known(&rows, &mut found)?;
        if rests_on_paused(tx, &rows, &found)? {
            return Ok(Vec::new());
        }
        // If events have moved again since, the search stays due.
        if insights_due(&rows)? == Some(due) {
            rows.remove(RowKind::Cursor, insights_due::INSIGHTS_DUE)?;
        }
        rows.finish(now.millis())?;
        if !found.is_empty() {
            let payload = codec::to_value(&found);
            let content = format!("{} insights", found.len());
            level_event(engine, tx, content, json!({"insights": payload}))?;
        }
        Ok(found)
    })
}

/// Leaves out the insights that are stored as they are.
fn leave_out_known(rows: &dyn Rows, found: &mut Vec<Insight>) -> Result<()> {
    let mut new = Vec::with_capacity(found.len());
    for insight in found.drain(..) {
        let known = rows::get::<InsightRow>(rows, insight.key.as_bytes())?;
        if known.is_none_or(|known| known.insight != insight) {
            new.push(insight);
        }
    }
    *found = new;
    Ok(())
}

/// Whether recording is paused for an event that one of the insights rests on.
fn rests_on_paused(tx: &WriteTx<'_>, rows: &dyn Rows, found: &[Insight]) -> Result<bool> {
    let mut paused = PausedEvents::new(rows, tx)?;
    if paused.is_empty() {
        return Ok(false);
    }
    for id in found.iter().flat_map(|insight| &insight.sources) {
        let seq = id.parse().ok().map(|id| tx.seq_of_id(&id)).transpose()?;
        if let Some(seq) = seq.flatten()
            && let Some(event) = readable(|| tx.event_at(seq))?
            && paused.has(&event)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The last position of the log when what feeds insights changed; `None` if no search for them is
/// due.
fn insights_due(rows: &dyn Rows) -> Result<Option<i64>> {
    let due: Option<Cursor> = rows::get(rows, insights_due::INSIGHTS_DUE)?;
    Ok(due.map(|due| due.0))
}

/// The events of L1 and higher, in log order, the newest [`INSIGHT_EVENTS`] of each level.
fn risen_events(read: &ReadTx) -> Result<Vec<InsightEvent>> {
    let rows = read.projected()?;
    let mut paused = PausedEvents::new(&rows, read)?;
    let mut events: Vec<Event> = Vec::new();
    for level in [Level::L4, Level::L3, Level::L2, Level::L1] {
        // Ids ascend in time.
        for key in rows.last_keys(RowKind::LevelOf, &[level as u8], INSIGHT_EVENTS)? {
            if let Ok(id) = String::from_utf8_lossy(&key[1..]).parse::<EventId>() {
                let event = readable(|| read.event(&EventRef::Id(id)))?;
                if let Some(event) = event
                    && !paused.has(&event)?
                {
                    events.push(event);
                }
            }
        }
    }
    events.sort_by_key(|event| event.seq);
    let seen = events.into_iter().map(|event| {
        let preference = preference_in(&event, read.secret());
        InsightEvent {
            id: event.id.to_string(),
            is_user_prompt: preference.is_some(),
            content: preference.unwrap_or_default(),
            canonical_key: event.canonical_key,
        }
    });
    Ok(seen.collect())
}

/// The first sentence in which a person says what they prefer themselves: a word such as "want" also
/// stands in a question, and in what others wish.
fn preference_in(event: &Event, secret: &[u8; 32]) -> Option<String> {
    let text = event.content.as_str();
    let speaker = speaker_of(event).filter(|speaker| *speaker == Speaker::User)?;
    // No insight is made without such a word, and most messages have none.
    preference_cue(text, CueLanguages::EnglishAndKorean)?;
    let found = statements::find(text, speaker, &recalled_spans(secret, text));
    let preference = |finding: &Finding| finding.kind == FindingKind::Preference;
    let preference = found.into_iter().find(preference)?;
    text.get(preference.span).map(str::to_owned)
}

/// The maximum number of events per level that are examined for insights.
const INSIGHT_EVENTS: usize = if cfg!(test) { 20 } else { 500 };

/// The first events that wait to be evaluated.
fn first_due(rows: &dyn Rows, limit: usize) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    if limit == 0 {
        return Ok(keys);
    }
    rows.scan(RowKind::LevelDue, &[], None, &mut |key, _| {
        keys.push(String::from_utf8_lossy(key).into_owned());
        Ok(keys.len() < limit)
    })?;
    Ok(keys)
}

pub(crate) fn level_counts(rows: &dyn Rows, conversation: u64) -> Result<LevelCounts> {
    let at = |level| -> Result<u64> { Ok(rows.facts_of(Counted::of_level(level))?.rows) };
    let [l1, l2, l3, l4] = [at(1)?, at(2)?, at(3)?, at(4)?];
    Ok(LevelCounts {
        l0: conversation.saturating_sub(l1 + l2 + l3 + l4),
        l1,
        l2,
        l3,
        l4,
    })
}

/// Whether the event rises, and whether it may rise once more afterwards.
fn judge(
    rows: &dyn Rows,
    policy: &GraduationPolicy,
    id: &str,
    now: Timestamp,
) -> Result<(Option<Step>, bool)> {
    let Ok(event) = id.parse::<EventId>() else {
        return Ok((None, false));
    };
    let level = levels::level(rows, id)?;
    let usage = levels::access(rows, id)?.and_then(|metrics| metrics.usage(now));
    let gate = evidence_gate(rows, id)?;
    let found = evaluate(policy, level, usage.as_ref(), gate);
    let Some(to) = found.next.filter(|_| found.passed) else {
        return Ok((None, false));
    };
    let more = evaluate(policy, to, usage.as_ref(), gate).passed;
    let usage_text = usage.map_or_else(String::new, |usage| {
        format!(
            "{} accesses from {} other sessions",
            usage.access_count, usage.cross_session_refs
        )
    });
    let step = Step {
        event,
        from: level,
        to,
        reason: usage_text,
    };
    Ok((Some(step), more))
}

/// The state of the evidence that entries took from an event.
fn evidence_gate(rows: &dyn Rows, event_id: &str) -> Result<EvidenceGate> {
    let mut gate = EvidenceGate::NotNeeded;
    for edge in edges::at_node(
        rows,
        Way::Out,
        event_id,
        Some(Relation::SourceOf),
        None,
        100,
    )? {
        let id = crate::rules::entries::EntryId::new(edge.ends.destination_id);
        if let Some(row) = entries::entry(rows, &id)?
            && let Some(evidence) = row.entry.lifecycle.evidence()
        {
            if evidence.is_aligned() {
                return Ok(EvidenceGate::Aligned);
            }
            gate = EvidenceGate::Failed;
        }
    }
    Ok(gate)
}

/// Checks the next events that rose, and lowers those that no longer qualify.
fn sink(
    rows: &mut ProjectedMut<'_>,
    policy: &GraduationPolicy,
    budget: usize,
    now: Timestamp,
    steps: &mut Vec<Step>,
) -> Result<()> {
    const CURSOR: &[u8] = b"sink";
    if budget == 0 {
        return Ok(());
    }
    let after = rows.get(RowKind::Cursor, CURSOR)?;
    let mut keys: Vec<Vec<u8>> = Vec::new();
    rows.scan(RowKind::LevelOf, &[], after.as_deref(), &mut |key, _| {
        keys.push(key.to_vec());
        Ok(keys.len() < budget)
    })?;
    match keys.last() {
        Some(last) if keys.len() == budget => rows.put(RowKind::Cursor, CURSOR, last)?,
        // The next step starts over.
        _ => {
            rows.remove(RowKind::Cursor, CURSOR)?;
        }
    }
    for key in keys {
        let id = String::from_utf8_lossy(&key[1..]).into_owned();
        let Ok(event) = id.parse::<EventId>() else {
            continue;
        };
        let from = levels::level(rows, &id)?;
        if pins::is_pinned(rows, &id)? {
            continue;
        }
        let usage = levels::access(rows, &id)?.and_then(|metrics| metrics.usage(now));
        if let Some(to) = usage.and_then(|usage| demotion(policy, from, &usage))
            && !steps.iter().any(|step| step.event == event)
        {
            steps.push(Step {
                event,
                from,
                to,
                reason: "not used for long".to_owned(),
            });
        }
    }
    Ok(())
}

/// Refers to events by position.
impl From<&Event> for EventRef {
    fn from(event: &Event) -> Self {
        EventRef::Seq(Seq(event.seq.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::NewEvent;
    use crate::projection::pauses::ScopeKind;
    use crate::upkeep::select::Selector;
    use crate::{MaintainBudget, Memory, Seq};

    #[test]
    fn preferences_of_the_same_minute_stand_beside_each_other() {
        let event = |id: &str, text: &str| InsightEvent {
            id: id.to_owned(),
            is_user_prompt: true,
            content: text.to_owned(),
            canonical_key: text.to_owned(),
        };
        let events = [
            event("019f3b2a-7c10-7a3e-9d2f-0a1b2c3d4e5f", "I prefer tabs"),
            event(
                "019f3b2a-8d11-7b4f-8e30-1b2c3d4e5f60",
                "I prefer short answers",
            ),
        ];
        let mut found = extract_insights(&events, CueLanguages::English);
        assert_eq!(
            found[0].key, found[1].key,
            "the rule does not tell them apart"
        );
        found.iter_mut().for_each(tell_apart);
        assert_eq!(found[0].key, "preference_prefer_0a1b2c3d4e5f");
        assert_eq!(found[1].key, "preference_prefer_1b2c3d4e5f60");
    }

    #[test]
    fn an_insight_that_quotes_what_was_erased_meanwhile_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let text = "I prefer the quetzal theme";
        let event = NewEvent::new(EventKind::UserPrompt, "s1", text);
        let stored = memory.append(event).unwrap();
        let found = extract_insights(
            &[InsightEvent {
                id: stored.id.to_string(),
                is_user_prompt: true,
                content: text.to_owned(),
                canonical_key: "theme".to_owned(),
            }],
            CueLanguages::English,
        );
        assert_eq!(found.len(), 1);
        let engine = &memory.engine;
        let deletions = || engine.store.read().unwrap().deletions().unwrap();
        let before = deletions();
        memory.erase(&Selector::new().id(Seq(1))).unwrap();
        let added = add_insights(engine, found.clone(), (0, before)).unwrap();
        assert!(added.is_empty() && memory.levels().insights(None).unwrap().is_empty());
        assert_eq!(
            add_insights(engine, found, (0, deletions())).unwrap().len(),
            1
        );
    }

    fn say(memory: &Memory, session: &str, text: &str) -> Seq {
        let event = NewEvent::new(EventKind::UserPrompt, session, text);
        memory.append(event).unwrap().seq
    }

    /// Uses an event so often that it rises to L1.
    fn raise(memory: &Memory, seq: Seq) {
        for session in ["a", "b", "c"] {
            let used = memory.levels().record_access(&[seq.into()], session, 0.9);
            used.unwrap();
        }
        memory.levels().graduate(100).unwrap();
        assert!(memory.levels().get(seq).unwrap().level >= Level::L1);
    }

    fn patterns(memory: &Memory) -> Vec<usize> {
        let found = memory.levels().insights(None).unwrap().into_iter();
        let patterns = found.filter(|insight| insight.kind == InsightKind::Pattern);
        patterns.map(|insight| insight.sources.len()).collect()
    }

    #[test]
    fn a_pattern_outlives_one_of_its_events() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = ["s1", "s2", "s3", "s4"].map(|session| say(&memory, session, "Ship the heron"));
        for seq in said {
            raise(&memory, seq);
        }
        assert_eq!(patterns(&memory), [4]);
        memory.forget(&Selector::new().id(said[0])).unwrap();
        assert_eq!(patterns(&memory), [0; 0]);
        memory.levels().graduate(0).unwrap();
        assert_eq!(patterns(&memory), [3]);
        memory.erase(&Selector::new().id(said[1])).unwrap();
        memory.levels().graduate(0).unwrap();
        assert_eq!(patterns(&memory), [2]);
        assert!(memory.check().unwrap().ok);
    }

    #[test]
    fn nothing_is_learned_of_a_paused_session_that_rose() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = ["s1", "s2", "s3"].map(|session| say(&memory, session, "Ship the heron"));
        let pauses = memory.pauses();
        pauses.pause(ScopeKind::Session, "s1").unwrap();
        raise(&memory, said[0]);
        raise(&memory, said[1]);
        assert_eq!(patterns(&memory), [0; 0]);
        pauses.resume(ScopeKind::Session, "s1").unwrap();
        raise(&memory, said[2]);
        assert_eq!(patterns(&memory), [3]);
    }

    #[test]
    fn the_end_of_a_pause_gives_the_insights_that_it_kept_out() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = ["s1", "s2"].map(|session| say(&memory, session, "Ship the heron"));
        let pauses = memory.pauses();
        pauses.pause(ScopeKind::Session, "s1").unwrap();
        for seq in said {
            raise(&memory, seq);
        }
        while memory.levels().graduate(100).unwrap().waiting > 0 {}
        assert_eq!(patterns(&memory), [0; 0]);
        pauses.resume(ScopeKind::Session, "s1").unwrap();
        let maintained = memory.maintain(MaintainBudget::default()).unwrap();
        assert_eq!((maintained.moved, maintained.insights), (0, 1));
        assert_eq!(patterns(&memory), [2]);
        // Once: nothing is due afterwards.
        assert!(insights_due_of(&memory).is_none());
        assert!(memory.check().unwrap().ok);
    }

    #[test]
    fn forgetting_a_pause_gives_them_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = ["s1", "s2"].map(|session| say(&memory, session, "Ship the heron"));
        let pauses = memory.pauses();
        pauses.pause(ScopeKind::Session, "s1").unwrap();
        for seq in said {
            raise(&memory, seq);
        }
        let kinds = Selector::new().kinds([EventKind::SettingChanged]);
        memory.forget(&kinds).unwrap();
        assert!(pauses.list(None).unwrap().is_empty());
        assert_eq!(memory.levels().graduate(0).unwrap().insights.len(), 1);
    }

    #[test]
    fn what_a_pause_kept_out_is_found_in_a_restored_store_too() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [memory, restored] = [0, 1].map(|at| Memory::open(folders[at].path()).unwrap());
        let said = ["s1", "s2"].map(|session| say(&memory, session, "Ship the heron"));
        memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
        for seq in said {
            raise(&memory, seq);
        }
        memory.pauses().resume(ScopeKind::Session, "s1").unwrap();
        let mut lines = Vec::new();
        memory.upkeep().export_jsonl_to(&mut lines, None).unwrap();
        restored
            .upkeep()
            .restore_jsonl_from(lines.as_slice())
            .unwrap();
        assert_eq!(patterns(&restored), [0; 0]);
        restored.levels().graduate(0).unwrap();
        assert_eq!(patterns(&restored), [2]);
    }

    #[test]
    fn an_insight_from_a_session_that_was_paused_meanwhile_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = ["s1", "s2"].map(|session| say(&memory, session, "Ship the heron"));
        let engine = &memory.engine;
        for seq in said {
            for session in ["a", "b", "c"] {
                let used = memory.levels().record_access(&[seq.into()], session, 0.9);
                used.unwrap();
            }
        }
        let flushing = Flushing::all(engine);
        let moved = engine.store.write(|tx| {
            flushing.write(tx)?;
            graduate_in(engine, tx, 100)
        });
        flushing.done();
        assert_eq!(moved.unwrap().promoted.len(), 2);
        let read = engine.store.read().unwrap();
        let due = insights_due(&read.projected().unwrap()).unwrap().unwrap();
        let events = risen_events(&read).unwrap();
        let before = read.deletions().unwrap();
        drop(read);
        let found = extract_insights(&events, CueLanguages::English);
        assert_eq!(found.len(), 1);
        memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
        let added = add_insights(engine, found, (due, before)).unwrap();
        assert!(added.is_empty() && patterns(&memory).is_empty());
        assert_eq!(insights_due_of(&memory), Some(due), "it stays due");
    }

    fn insights_due_of(memory: &Memory) -> Option<i64> {
        let read = memory.engine.store.read().unwrap();
        insights_due(&read.projected().unwrap()).unwrap()
    }

    #[test]
    fn insights_are_found_among_the_newest_however_many_rose_before() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for number in 0..INSIGHT_EVENTS + 2 {
            let text = format!("The {number}th thing is green");
            raise(&memory, say(&memory, &format!("old {number}"), &text));
        }
        assert_eq!(patterns(&memory), [0; 0]);
        for session in ["s1", "s2"] {
            raise(&memory, say(&memory, session, "Ship the heron"));
        }
        assert_eq!(patterns(&memory), [2]);
    }

    #[test]
    fn a_budget_of_nothing_lowers_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let clock = std::sync::Arc::new(crate::testing::FixedClock::at(
            Timestamp::from_millis(1_770_000_000_000).unwrap(),
        ));
        let memory = Memory::builder()
            .clock(clock.clone())
            .open(folder.path())
            .unwrap();
        raise(&memory, say(&memory, "s1", "Ship the heron"));
        memory.levels().set_half_life_days(Some(1.0)).unwrap();
        clock.advance_ms(365 * 86_400_000);
        let lowered = |budget| memory.levels().graduate(budget).unwrap().demoted.len();
        assert_eq!((lowered(0), lowered(1)), (0, 1));
    }
}
