//! Tests that no payload, however malformed, makes a fold write a row that cannot be read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::json::Json;
use crate::privacy::Clean;
use crate::projection::{self, concerns};
use crate::store::WriteTx;
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::testing::forged::{forged_log, forged_store, read_all};
use crate::write::prepare::SystemEvent;

/// Lines with kinds or fields that the fuzzer's seeds lack.
const MORE: &str = r#"user_prompt	user	s	the first
agent_response	assistant	s	the second
setting_changed	system		mode endless	{"settings":{"mode":"endless","endless":{"max_events":20,"time_window_ms":3600000,"min_relevance_score":0.5,"trigger_interval_ms":1000,"trigger_event_count":2,"trigger_idle_ms":1000,"min_events":1,"max_summary_chars":100,"min_relevance":0.5,"max_injected_events":5,"max_injected_memories":5,"is_left_to_host":false,"topic_weight":0.3,"file_weight":0.2,"time_weight":0.3,"entity_weight":0.2,"time_decay_ms":1000,"min_score_for_seamless":0.7,"min_score_for_topic_shift":0.4},"graduation_half_life_days":2.5}}
user_prompt	user	s	we always deploy the database on Friday
setting_changed	system		recording paused	{"pauses":[{"scope":"session","key":"00112233445566778899aabbccddeeff","name":"s","paused":true}]}
setting_changed	system		recording resumed	{"pauses":[{"scope":"project","key":"ff112233445566778899aabbccddeeff","name":"","paused":false}]}
setting_changed	system		1 events put into the working set	{"working_set":[{"event_id":"00000000-0000-0000-0000-000000000001","topics":["rust"],"relevance":0.7}]}
setting_changed	system		1 events used in the working set	{"refreshed":[{"event_id":"00000000-0000-0000-0000-000000000001"}]}
setting_changed	system		1 events taken out of the working set	{"pruned":[{"event_id":"00000000-0000-0000-0000-000000000001"}]}
pin_changed	system		pinned	{"pins":[{"event_id":"00000000-0000-0000-0000-000000000001","pinned":true}]}
accessed	system		2 events recalled	{"accesses":[{"event_id":"00000000-0000-0000-0000-000000000002","home_session":"s","session":"t","count":3,"confidence":0.9,"at":1700000000000}],"memories":[{"memory_id":"memory_1","at":1700000000000}]}
level_changed	system		1 insights	{"insights":[{"insight_type":"pattern","key":"k","content":"always","confidence":0.5,"sources":["00000000-0000-0000-0000-000000000001"]}],"levels":[{"event_id":"00000000-0000-0000-0000-000000000001","from":"L0","reason":"used","to":"L1"}]}
consolidated	system		2 events became a memory	{"confidence":0.6,"is_continuation":true,"memory_id":"memory_1","source_events":["00000000-0000-0000-0000-000000000001"],"summary":"both","topics":["rust"]}
accessed	system		1 memories recalled	{"accesses":[],"memories":[{"memory_id":"memory_1","at":1700000000000}]}
continuity_scored	system		continuity 0.80	{"current":{"entities":[],"files":["a.rs"],"id":"s","timestamp":1700000000000,"topics":["rust"]},"from_context_id":"s","is_logged":true,"score":0.8,"to_context_id":"t","transition_type":"seamless"}
edge_changed	system		edges replaced	{"removed":[{"src_type":"entry","src_id":"a","rel_type":"mentions","dst_type":"entity","dst_id":"b","meta":null}],"added":[{"src_type":"entry","src_id":"a","rel_type":"mentions","dst_type":"entity","dst_id":"c","meta":{"a":[1]}}]}
session_ingested	system	s	messages read	{"reader":"rules","read_through":2}
memory_resolved	system		context is missing	{"auto_placeholder":true,"id":"placeholder_2","placeholder_of":"00000000-0000-0000-0000-000000000002","type":"unknown_context"}
build_run	system	s	build run b: success	{"build_id":"b","started_at":1,"finished_at":2,"status":"success","error":null,"extractor_model":"","extraction_key":"key","resolved":["t@1"],"report":{"entries":[{"local_id":"e","global_id":"entry_1"}],"tasks":[{"local_id":"t","global_id":"task_1"}]}}
pipeline_metric	system	s	ingest took 1.0 ms	{"stage":"ingest","at":1,"latency_ms":1.5,"success":false,"error":"io","session_id":"s"}
entry_changed	system	s	entry upheld	{"act":"upheld","entry_id":"entry_1","against":"entry_2"}
entry_changed	system	s	entry deprecated	{"act":"deprecated","entry_id":"entry_1","at":5}
"#;

/// The replacements for a field; `None` removes it.
fn changes() -> Vec<Option<Value>> {
    let mut deep = json!(1);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    vec![
        None,
        Some(Value::Null),
        Some(json!(true)),
        Some(json!(-1)),
        Some(json!(i64::MIN)),
        Some(json!(u64::MAX)),
        Some(json!(1e300)),
        Some(json!("")),
        Some(json!("a\0b")),
        Some(json!([])),
        Some(json!([null, 7])),
        Some(json!({})),
        Some(deep),
    ]
}

/// The JSON pointers of all values in a payload.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    if !place.is_empty() {
        found.push(place.to_owned());
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate().take(1) {
                places(value, &format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn changed(payload: &Value, place: &str, change: Option<&Value>) -> Value {
    let mut payload = payload.clone();
    let (parent, name) = place.rsplit_once('/').expect("a pointer");
    let parent = payload.pointer_mut(parent).expect("the place is there");
    match (parent, change) {
        (parent, Some(change)) => {
            let at = match parent {
                Value::Array(items) => &mut items[name.parse::<usize>().expect("an index")],
                parent => &mut parent[name],
            };
            *at = change.clone();
        }
        (Value::Object(fields), None) => drop(fields.remove(name)),
        (Value::Array(items), None) => drop(items.remove(name.parse().expect("an index"))),
        _ => {}
    }
    payload
}

/// A folded line of a log, and the log around it.
struct Line<'a> {
    log: &'a str,
    at: usize,
    kind: EventKind,
    session: &'a str,
    payload: Value,
}

impl Line<'_> {
    /// The log with another line in its place.
    fn log_with(&self, other: &str) -> String {
        let lines = self.log.lines().enumerate();
        let lines = lines.map(|(at, line)| if at == self.at { other } else { line });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The payload with each field replaced in each way.
    fn variants(&self) -> Vec<Value> {
        let mut found = Vec::new();
        places(&self.payload, "", &mut found);
        let changes = changes();
        let mut variants = vec![Value::Null, json!([]), json!({}), json!("x")];
        for place in found {
            variants.extend(
                changes
                    .iter()
                    .map(|c| changed(&self.payload, &place, c.as_ref())),
            );
        }
        variants
    }
}

/// The lines of a log whose payloads have a shape that no earlier one had.
fn lines<'a>(log: &'a str, seen: &mut BTreeSet<String>) -> Vec<Line<'a>> {
    let mut found = Vec::new();
    for (at, line) in log.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let kind = fields[0].parse::<EventKind>().expect("a kind");
        let payload = fields
            .get(4)
            .and_then(|text| serde_json::from_str(text).ok());
        let Some(payload) = payload else { continue };
        if !concerns(kind) || kind.is_conversation() {
            continue;
        }
        let mut shape = Vec::new();
        places(&payload, "", &mut shape);
        let act = payload["act"].as_str().unwrap_or_default();
        if seen.insert(format!("{kind} {act} {shape:?}")) {
            found.push(Line {
                log,
                at,
                kind,
                session: fields[2],
                payload,
            });
        }
    }
    found
}

type Dump = BTreeMap<(RowKind, Vec<u8>), Vec<u8>>;

fn rows(tx: &WriteTx<'_>) -> Result<Dump> {
    let projected = tx.projected()?;
    let mut rows = BTreeMap::new();
    for &kind in RowKind::ALL {
        if !RowKind::is_work_key(&[kind as u8]) && kind != RowKind::Count {
            projected.scan(kind, &[], None, &mut |key, row| {
                rows.insert((kind, key.to_vec()), row.to_vec());
                Ok(true)
            })?;
        }
    }
    Ok(rows)
}

/// Folds each variant after the log without the line, and takes it back.
fn fold_each(line: &Line<'_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = forged_store(
        folder.path(),
        &line.log_with("session_changed\tsystem\ts\t\t{}"),
    )
    .expect("a store");
    let engine = &memory.engine;
    for payload in line.variants() {
        let mut draft = SystemEvent {
            session: line.session.to_owned(),
            ..SystemEvent::new(engine, line.kind, "forged", json!({}))
        }
        .draft(engine);
        draft.event.metadata = Some(Clean::from_log(Json::from_value(&payload).to_string()));
        let undone = engine.store.write(|tx| -> Result<()> {
            let before = rows(tx)?;
            let receipt = projection::append(tx, &[draft]).expect("folds");
            let event = tx.event_at(receipt[0].seq.0)?.expect("is there");
            let after = rows(tx)?;
            if projection::refusal(&event).is_some() {
                assert_eq!(before, after, "{} {payload}", line.kind);
            }
            for ((kind, key), row) in &after {
                if before.get(&(*kind, key.clone())) != Some(row) {
                    let read = projection::row_types::check(*kind, row);
                    read.unwrap_or_else(|error| panic!("{} {payload}: {error}", line.kind));
                }
            }
            Err(Error::new(ErrorCode::Full, "undone"))
        });
        assert_eq!(undone.expect_err("undone").code(), ErrorCode::Full);
    }
}

#[test]
fn a_fold_writes_only_rows_that_can_be_read() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds/forged_log");
    let mut logs = vec![MORE.to_owned()];
    for seed in std::fs::read_dir(seeds).expect("the seeds are committed") {
        let bytes = std::fs::read(seed.expect("a seed").path()).expect("a seed");
        logs.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    logs.sort();
    let mut seen = BTreeSet::new();
    let all: Vec<Line<'_>> = logs.iter().flat_map(|log| lines(log, &mut seen)).collect();
    let kinds: BTreeSet<EventKind> = all.iter().map(|line| line.kind).collect();
    for &kind in EventKind::ALL {
        let is_folded = concerns(kind) && !kind.is_conversation();
        assert_eq!(kinds.contains(&kind), is_folded, "{kind}");
    }
    for line in &all {
        fold_each(line);
    }
    let share = crate::testing::every(15);
    for (number, line) in all.iter().enumerate() {
        let variants = line.variants();
        let some = variants.iter().skip(number % share).step_by(share);
        let forged: Vec<String> = some
            .map(|payload| format!("{}\tsystem\t{}\tforged\t{payload}", line.kind, line.session))
            .collect();
        for forged in forged.chunks(70) {
            let log = format!("{}\n{}", line.log.trim_end(), forged.join("\n"));
            let folder = tempfile::tempdir().expect("a folder");
            forged_log(folder.path(), log.as_bytes()).expect("a usable store");
        }
    }
}

#[test]
fn check_names_a_payload_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = "user_prompt\tuser\ts\thello\n\
        continuity_scored\tsystem\t\tx\t{\"current\":{\"id\":\"a\",\"timestamp\":1},\"is_logged\":true}\n\
        pin_changed\tsystem\t\tx\t{\"pins\":[{\"event_id\":\"00000000-0000-0000-0000-000000000001\"}]}\n\
        entry_changed\tsystem\t\tx\t{\"act\":\"risen\",\"entry_id\":\"e\"}";
    let memory = forged_store(folder.path(), log).expect("a store");
    read_all(&memory).expect("a usable store");
    let report = memory.check().expect("checks");
    assert!(report.ok, "{:?}", report.first_divergence);
    let ignored = report.ignored_records.iter();
    let named: Vec<_> = ignored
        .map(|r| (r.seq.0, r.kind, r.problem.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            (
                2,
                EventKind::ContinuityScored,
                "continuity_scored.to_context_id: is missing"
            ),
            (
                3,
                EventKind::PinChanged,
                "pin_changed.pins[0].pinned: is missing"
            ),
            (
                4,
                EventKind::EntryChanged,
                "entry_changed.act: unknown value; use one of promoted, superseded, \
                 contested, upheld, deprecated"
            ),
        ]
    );
}
