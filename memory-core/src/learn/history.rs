//! Reads and extends the ledgers: runs, decisions, conflicts, promotions and metrics, and the
//! questions about uncertain memories.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::{EventId, EventRef};
use crate::model::lists::{LIST_LIMIT, first_rows};
use crate::model::time::Timestamp;
use crate::privacy::check_name;
use crate::projection::memories::{PlaceholderPayload, PlaceholderRow, ResolutionPayload};
use crate::projection::rows::{self, Row};
use crate::projection::{self, entries, memories, tasks};
use crate::recall::shown::read;
use crate::rules::entries::{
    self as entry_rules, EffectiveMemory, EntryId, MemoryAnswer, MemoryResolution, Placeholder,
    ResolutionKind,
};
use crate::rules::history::{
    BuildRun, Conflict, Decision, EvidenceKind, PipelineMetric, PromotionRecord, ProvenStage,
};
use crate::rules::tasks::EntityId;
use crate::store::ReadTx;
use crate::store::log::scan::{Scan, Wanted};
use crate::store::projected_rows::projected::{RowKind, Rows};
use crate::write::pauses::{self, PauseKeys};
use crate::write::prepare::{SystemEvent, clean_text, kept_name, kept_option};

/// The newest rows of a ledger that is stored in log order.
pub(crate) fn newest<R: Row>(engine: &Engine, limit: Option<usize>) -> Result<Vec<R>> {
    let rows = engine.store.read()?.projected()?;
    let last = rows.last(R::KIND, limit.unwrap_or(LIST_LIMIT))?;
    last.iter().map(|row| rows::read(row)).collect()
}

/// The newest rows of a ledger that is keyed by id: those named in a payload field of the
/// last events of a kind.
fn newest_named<R: Row>(
    engine: &Engine,
    (event_kind, field): (EventKind, &str),
    limit: Option<usize>,
) -> Result<Vec<R>> {
    let limit = limit.unwrap_or(LIST_LIMIT);
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let mut scan = Scan::new(Wanted {
        kinds: vec![event_kind],
        newest_first: true,
        ..Wanted::default()
    });
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    while found.len() < limit
        && let Some(guard) = read.scan_next(&mut scan)?
    {
        let payload: Value = match guard.view()?.metadata() {
            Some(text) => serde_json::from_str(text).unwrap_or_default(),
            None => Value::Null,
        };
        let Some(id) = payload[field].as_str() else {
            continue;
        };
        if seen.insert(id.to_owned()) {
            found.extend(rows::get(&rows, id.as_bytes())?);
        }
    }
    Ok(found)
}

/// [`History::build_runs`](crate::History::build_runs).
pub(crate) fn build_runs(engine: &Engine, limit: Option<usize>) -> Result<Vec<BuildRun>> {
    let told = (EventKind::BuildRun, "build_id");
    let mut runs: Vec<BuildRun> = newest_named(engine, told, limit)?;
    runs.sort_by(|a, b| (a.started_at, &a.build_id).cmp(&(b.started_at, &b.build_id)));
    Ok(runs)
}

/// [`History::pipeline_metrics`](crate::History::pipeline_metrics).
pub(crate) fn pipeline_metrics(
    engine: &Engine,
    limit: Option<usize>,
) -> Result<Vec<PipelineMetric>> {
    newest(engine, limit)
}

/// [`History::promotions`](crate::History::promotions).
pub(crate) fn promotions(engine: &Engine, limit: Option<usize>) -> Result<Vec<PromotionRecord>> {
    newest(engine, limit)
}

/// [`Knowledge::conflicts`](crate::Knowledge::conflicts).
pub(crate) fn conflicts(engine: &Engine, limit: Option<usize>) -> Result<Vec<Conflict>> {
    let told = (EventKind::ConflictChanged, "conflict_id");
    let mut found: Vec<Conflict> = newest_named(engine, told, limit)?;
    found.sort_by(|a, b| (a.detected_at, &a.conflict_id).cmp(&(b.detected_at, &b.conflict_id)));
    Ok(found)
}

/// [`History::decisions`](crate::History::decisions).
pub(crate) fn decisions(engine: &Engine, limit: Option<usize>) -> Result<Vec<Decision>> {
    let told = (EventKind::DecisionMade, "decision_id");
    let mut found: Vec<Decision> = newest_named(engine, told, limit)?;
    found.sort_by(|a, b| (a.decided_at, &a.decision_id).cmp(&(b.decided_at, &b.decision_id)));
    Ok(found)
}

/// [`History::record_decision`](crate::History::record_decision).
pub(crate) fn record_decision(engine: &Engine, decision: &Decision) -> Result<()> {
    decision.check()?;
    let mut decision = decision.clone();
    decision.decision_id = kept_name(engine, &decision.decision_id)?;
    if let Some(id) = &decision.build_id {
        check_name("build_id", id)?;
    }
    decision.build_id = kept_option(engine, decision.build_id.as_deref())?;
    decision.action = clean_text(engine, "action", &decision.action)?;
    decision.actor = clean_text(engine, "actor", &decision.actor)?;
    decision.outcome = decision
        .outcome
        .as_ref()
        .map(|outcome| engine.filter.clean_json(outcome));
    let keys = PauseKeys::new(&engine.store.read()?, None, &engine.project);
    engine.store.write(|tx| {
        {
            let rows = tx.projected()?;
            if let Some(scope) = keys.paused(&rows)? {
                return Err(pauses::refusal(scope));
            }
            if rows
                .get(RowKind::Decision, decision.decision_id.as_bytes())?
                .is_some()
            {
                return Err(Error::new(
                    ErrorCode::AlreadyExists,
                    "a decision with this id already exists",
                )
                .with_argument("decision_id"));
            }
            check_evidence(&rows, &decision)?;
        }
        let draft = SystemEvent::new(
            engine,
            EventKind::DecisionMade,
            format!("decision: {}", decision.action),
            codec::to_value(&decision),
        )
        .draft(engine);
        projection::append(tx, &[draft])?;
        Ok(())
    })
}

/// [`Knowledge::resolve_memory`](crate::Knowledge::resolve_memory).
pub(crate) fn resolve_memory(engine: &Engine, memory: &str, answer: &MemoryAnswer) -> Result<()> {
    let (kind, confidence) = (answer.kind, answer.confidence);
    let resolved_to = answer.resolved_to.as_deref();
    for (argument, id) in [("memory", Some(memory)), ("resolved_to", resolved_to)] {
        if let Some(id) = id {
            check_id(argument, id)?;
        }
    }
    let memory = &read::full_id(engine, "memory", memory)?;
    let resolved_to = match resolved_to {
        Some(id) => Some(read::full_id(engine, "resolved_to", id)?),
        None => None,
    };
    if resolved_to.as_ref() == Some(memory) {
        return Err(Error::invalid(
            "resolved_to",
            "must not be the memory itself",
        ));
    }
    if kind == ResolutionKind::Confirmed && resolved_to.is_none() {
        return Err(Error::invalid(
            "resolved_to",
            "is required to confirm a memory",
        ));
    }
    if !(0.0..=1.0).contains(&confidence) {
        return Err(Error::invalid("confidence", "must be between 0 and 1"));
    }
    let memory = kept_name(engine, memory)?;
    let resolved_to = kept_option(engine, resolved_to.as_deref())?;
    let stored = engine.store.read()?;
    check_is_stored(&stored, "memory", &memory)?;
    if let Some(id) = &resolved_to {
        check_is_stored(&stored, "resolved_to", id)?;
    }
    drop(stored);
    let payload = ResolutionPayload {
        condition_id: memory,
        resolved_to,
        kind,
        confidence,
    };
    record(
        engine,
        EventKind::MemoryResolved,
        &format!("memory {kind}"),
        &payload,
    )
}

/// Ids are stored as they are given, so nothing else may be said in their place.
fn check_id(argument: &str, id: &str) -> Result<()> {
    if id.trim().is_empty() {
        return Err(Error::invalid(argument, "must not be blank"));
    }
    check_name(argument, id)?;
    match id.contains(char::is_whitespace) {
        true => Err(Error::invalid(
            argument,
            "is not an id: it contains a space",
        )),
        false => Ok(()),
    }
}

/// [`Knowledge::mark_unknown_context`](crate::Knowledge::mark_unknown_context).
pub(crate) fn mark_unknown_context(engine: &Engine, event: EventRef) -> Result<()> {
    let found = read::required_event(engine, &event)?;
    record(
        engine,
        EventKind::MemoryResolved,
        "context is missing",
        &PlaceholderPayload::new(&found.id.to_string()),
    )
}

/// [`Knowledge::placeholders`](crate::Knowledge::placeholders).
pub(crate) fn placeholders(engine: &Engine, limit: Option<usize>) -> Result<Vec<Placeholder>> {
    let rows = engine.store.read()?.projected()?;
    let found = first_rows::<PlaceholderRow>(limit, &mut |visit| {
        rows::scan(&rows, &[], &mut |_, row| visit(row))
    })?;
    Ok(found.into_iter().map(Placeholder::from).collect())
}

/// [`Knowledge::memory_resolutions`](crate::Knowledge::memory_resolutions).
pub(crate) fn memory_resolutions(
    engine: &Engine,
    limit: Option<usize>,
) -> Result<Vec<MemoryResolution>> {
    let rows = engine.store.read()?.projected()?;
    first_rows(limit, &mut |visit| {
        rows::scan(&rows, &[], &mut |_, row| visit(row))
    })
}

/// [`Knowledge::effective_memory`](crate::Knowledge::effective_memory).
pub(crate) fn effective_memory(engine: &Engine, memory: &str) -> Result<EffectiveMemory> {
    let memory = &kept_name(engine, &read::full_id(engine, "memory", memory)?)?;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let resolution = memories::resolution(&rows, memory)?;
    let (effective_id, status) = entry_rules::effective_memory(memory, resolution.as_ref());
    let (title, content) = told(&read, &rows, effective_id)?;
    Ok(EffectiveMemory {
        effective_id: effective_id.to_owned(),
        status,
        title,
        content,
    })
}

/// Refuses the id of what is no memory: an event, an entry, a task, a condition or an artifact.
fn check_is_stored(read: &ReadTx, argument: &str, id: &str) -> Result<()> {
    match told(read, &read.projected()?, id)? {
        (None, None) => Err(Error::new(
            ErrorCode::NotFound,
            "is no event, entry, task, condition or artifact of this store",
        )
        .about(argument)),
        _ => Ok(()),
    }
}

/// Title and content of what an id refers to, if it has them.
fn told(read: &ReadTx, rows: &dyn Rows, id: &str) -> Result<(Option<String>, Option<String>)> {
    if let Ok(event) = id.parse::<EventId>()
        && let Some(event) = read.event(&EventRef::Id(event))?
    {
        return Ok((None, Some(event.content)));
    }
    if let Some(entry) = entries::entry(rows, &EntryId::new(id))? {
        return Ok((Some(entry.entry.title), Some(entry.content)));
    }
    let entity = EntityId::new(id);
    if let Some(task) = tasks::task(rows, &entity)? {
        return Ok((Some(task.title), task.description));
    }
    let condition = tasks::condition(rows, &entity)?.map(|found| found.text);
    let artifact = match condition {
        None => tasks::artifact(rows, &entity)?.map(|found| found.identifier),
        Some(_) => None,
    };
    Ok((condition.or(artifact), None))
}

pub(crate) fn record(
    engine: &Engine,
    kind: EventKind,
    content: &str,
    payload: &impl Serialize,
) -> Result<()> {
    let payload = codec::to_value(payload);
    let draft = SystemEvent::new(engine, kind, content, payload).draft(engine);
    engine.store.write(|tx| {
        projection::append(tx, &[draft])?;
        Ok(())
    })
}

fn known_before(decision: &Decision, index: usize, learned_at: Timestamp) -> Result<()> {
    match learned_at > decision.decided_at {
        true => Err(Error::invalid(
            format!("evidence[{index}].known_at"),
            "it was learned after the decision",
        )),
        false => Ok(()),
    }
}

fn check_evidence(rows: &dyn Rows, decision: &Decision) -> Result<()> {
    for (index, evidence) in decision.evidence.iter().enumerate() {
        let path = format!("evidence[{index}].evidence_id");
        let missing =
            || Error::new(ErrorCode::NotFound, "does not exist in the store").about(path.as_str());
        match evidence.kind {
            EvidenceKind::Entry => {
                let id = EntryId::new(evidence.evidence_id.as_str());
                let row = entries::entry(rows, &id)?.ok_or_else(missing)?;
                let stage = ProvenStage::of(row.entry.lifecycle.stage());
                if stage.is_none_or(|stage| stage < evidence.stage) {
                    return Err(Error::new(
                        ErrorCode::InvariantViolation,
                        format!(
                            "{path}: the entry is {}, not {}",
                            row.entry.lifecycle.stage(),
                            evidence.stage
                        ),
                    )
                    .with_argument(path));
                }
                known_before(decision, index, row.created_at)?;
            }
            EvidenceKind::Entity => {
                let id = EntityId::new(evidence.evidence_id.as_str());
                let created_at = tasks::created_at(rows, &id)?.ok_or_else(missing)?;
                known_before(decision, index, created_at)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::learn::new_entry::NewEntry;
    use crate::model::event::EventKind;
    use crate::model::learned::EntryType;
    use crate::rules::history::{Decision, DecisionEvidence};
    use crate::upkeep::select::Selector;
    use crate::{Memory, SearchResult};

    #[test]
    fn a_decision_by_hand_is_found_as_an_entry_and_kept_in_the_ledger_with_that_as_evidence() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let title = "Invoices go out on Mondays";
        let text = "Invoices go out on Mondays, by the billing team.";
        let said = NewEntry::new(EntryType::Decision, "notes", title, text);
        let made = memory.knowledge().add_entry(&said).unwrap();
        let (id, at) = (made.entry.id.clone(), made.created_at);
        let evidence = DecisionEvidence::entry(&id, made.entry.stage(), "supports", at).unwrap();
        let decision = Decision::new("d1", at, "Ada", "approve the quokka calendar");
        let decision = decision.evidence([evidence]);
        memory.history().record_decision(&decision).unwrap();

        let question = "what did we decide about the invoices?";
        let found = memory.search(question).unwrap();
        assert!(found.learned.iter().any(|hit| hit.title == title));
        let context = memory.context(question).unwrap().text;
        let line = format!("Decision, in force: {title}");
        assert!(context.contains(&line), "{context}");
        // The ledger is read by its own call.
        let names_it = |found: &SearchResult| {
            let learned = found.learned.iter().map(|hit| hit.title.as_str());
            let items = found.items.iter().map(|hit| hit.passage.text.as_str());
            learned.chain(items).any(|text| text.contains("quokka"))
        };
        assert!(!names_it(&memory.search("the quokka calendar").unwrap()));
        assert_eq!(memory.history().decisions(None).unwrap(), [decision]);
        let proof = Selector::new().kinds([EventKind::SessionSummary]);
        memory.erase(&proof).unwrap();
        assert_eq!(memory.history().decisions(None).unwrap(), []);
    }
}
