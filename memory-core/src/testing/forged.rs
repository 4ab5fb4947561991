//! A log of forged records with valid checksums, none of which may make a store unusable.

use std::path::Path;
use std::sync::Arc;

use super::{CountingIds, FixedClock};
use crate::memory::Memory;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent, Origin};
use crate::model::hex::hex;
use crate::model::ids::Seq;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::store::log::record::{CHAIN_START, Record, RecordView, Text, ToolFields, encode};
use crate::upkeep::jsonl::{End, EventLine, Header, VERSION};
use crate::{EdgeFilter, EntryFilter, MaintainBudget, Query, Selector, TaskFilter};

/// The export of a log of forged records with valid checksums, one per line of `text`. A line has
/// up to five tab-separated fields: the kind, the origin, the session, the content and the
/// metadata.
fn forged_export(text: &str) -> Result<Vec<u8>> {
    let secret = [7; 32];
    let header = Header {
        recallite: VERSION,
        whole: true,
        exported: String::new(),
        store: Some(hex(&[1; 16])),
        secret: Some(hex(&secret)),
        created_ms: 0,
        withheld: Vec::new(),
    };
    let mut export = vec![json(&header)];
    let mut checksum = CHAIN_START;
    for (seq, line) in (1..).zip(text.lines().take(100)) {
        let bytes = forged_record(seq, line, &checksum)?;
        let view = RecordView::new(seq, &bytes)?;
        checksum = view.checksum();
        let line = EventLine::of_record(seq, &view, false, &secret, true)?;
        export.push(json(&line));
    }
    let end = End {
        end: true,
        events: export.len() as u64 - 1,
        checksum: Some(hex(&checksum)),
    };
    export.push(json(&end));
    export.push(String::new());
    Ok(export.join("\n").into_bytes())
}

fn json(line: &impl serde::Serialize) -> String {
    serde_json::to_string(line).unwrap_or_default()
}

fn forged_record(seq: u64, line: &str, previous: &[u8; 32]) -> Result<Vec<u8>> {
    let mut fields = line.split('\t');
    let mut next = || fields.next().unwrap_or_default();
    let (kind, origin, session, content) = (next(), next(), next(), next());
    let any = |name: &str| name.bytes().map(usize::from).sum::<usize>();
    let kind = kind
        .parse()
        .unwrap_or(EventKind::ALL[any(kind) % EventKind::ALL.len()]);
    let origin = origin
        .parse()
        .unwrap_or(Origin::ALL[any(origin) % Origin::ALL.len()]);
    let metadata = Json::parse("metadata", next()).ok();
    let metadata = metadata.as_ref().map(Json::as_str);
    let citation = format!("{seq:06}");
    let mut id = [0; 16];
    id[8..].copy_from_slice(&seq.to_be_bytes());
    let record = Record {
        id,
        timestamp_ms: 1_700_000_000_000 + 60_000 * seq as i64,
        origin: origin as u8,
        session: Text(session),
        actor: Text(origin.as_str()),
        citation: Text(&citation),
        content: Text(content),
        metadata: metadata.map(Text),
        tool: (kind == EventKind::ToolObservation).then_some(ToolFields {
            name: Text("Read"),
            output: Text(content),
            metadata: Text(metadata.unwrap_or("{}")),
            ..ToolFields::default()
        }),
        ..Record::default()
    };
    encode(seq, kind, &record, previous)
}

/// A new store with a log of forged records, one per line, at most a hundred.
pub(crate) fn forged_store(folder: &Path, text: &str) -> Result<Memory> {
    let export = forged_export(text)?;
    let memory = Memory::builder()
        .clock(Arc::new(FixedClock::at(Timestamp::from_millis_clamped(
            1_700_100_000_000,
        ))))
        .ids(Arc::new(CountingIds::default()))
        .open(folder)?;
    let events = memory.upkeep().restore_jsonl_from(export.as_slice())?;
    assert_eq!(events, text.lines().take(100).count() as u64);
    Ok(memory)
}

/// Restores a log of forged records, none of which may make the store unusable.
///
/// # Errors
/// Any error of the store; on an intact disk that is a finding.
///
/// # Panics
/// If the store reports damage, or differs after a rebuild.
pub fn forged_log(folder: &Path, bytes: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(bytes);
    let memory = forged_store(folder, &text)?;
    is_sound(&memory)?;
    read_all(&memory)?;
    if !text.is_empty() {
        let first = Selector::new().id(Seq(1)).project(ProjectScope::All);
        match memory.erase(&first) {
            Ok(_) => {}
            Err(error) if is_refusal(&error) => {}
            Err(error) => return Err(error),
        }
    }
    memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "one more"))?;
    memory.maintain(MaintainBudget::default())?;
    is_sound(&memory)?;
    read_all(&memory)
}

pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(
        error.code(),
        ErrorCode::NotFound | ErrorCode::InvalidArgument
    )
}

/// Asserts that the store passes a check and a rebuild.
fn is_sound(memory: &Memory) -> Result<()> {
    let report = memory.check()?;
    assert!(report.ok, "{:?}", report.first_divergence);
    let rebuilt = memory.rebuild(Timestamp::from_millis_clamped(0))?;
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    Ok(())
}

/// Reads everything that is derived from the log.
pub(crate) fn read_all(memory: &Memory) -> Result<()> {
    let all = ProjectScope::All;
    memory.stats()?;
    memory.sessions(&all, None)?;
    memory.search(Query::new("payment service").project(all.clone()))?;
    memory.context("what about the payment service?")?;
    for event in memory.changes_since(Seq(0), usize::MAX)? {
        memory.event(event.id)?;
        if event.kind.is_conversation() {
            memory.levels().get(event.id)?;
        }
    }
    let tasks = TaskFilter {
        project: all.clone(),
        ..TaskFilter::default()
    };
    for task in memory.tasks().list(&tasks)? {
        memory.tasks().get(&task.id)?;
    }
    memory.tasks().blocked(&all, None)?;
    memory.tasks().with_only_suggested_blockers(&all, None)?;
    memory.tasks().with_placeholder_blockers(&all, None)?;
    memory.tasks().resolved_conditions(&all, None)?;
    let entries = EntryFilter {
        project: all.clone(),
        ..EntryFilter::default()
    };
    for entry in memory.knowledge().entries(&entries)? {
        memory.knowledge().edges(&EdgeFilter {
            from: Some(entry.entry.id.as_str().to_owned()),
            ..EdgeFilter::default()
        })?;
        memory.knowledge().lineage(&entry.entry.id, None)?;
        memory.knowledge().related_entries(&entry.entry.id, None)?;
    }
    memory.knowledge().conflicts(None)?;
    memory.history().decisions(None)?;
    memory.history().promotions(None)?;
    memory.history().build_runs(None)?;
    memory.history().pipeline_metrics(None)?;
    memory.knowledge().placeholders(None)?;
    memory.knowledge().memory_resolutions(None)?;
    memory.endless().continuity_log(None)?;
    memory.endless().working_set()?;
    memory.endless().memories(None, None)?;
    memory.levels().insights(None)?;
    memory.levels().counts()?;
    memory.citations().popular(10, None)?;
    memory.endless().status()?;
    memory.endless().context(None)?;
    memory.upkeep().export_jsonl_to(std::io::sink(), None)?;
    Ok(())
}
