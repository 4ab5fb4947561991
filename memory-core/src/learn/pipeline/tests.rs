//! Tests ingestion against a store: idempotent, all or nothing, and recorded when it fails.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::clock::RandomIds;
use crate::learn::pipeline::changes::replace_each;
use crate::model::time::Timestamp;
use crate::rules::entries::{EntryId, EntryStatus};
use crate::rules::history::{BuildOutcome, PipelineStage};
use crate::rules::tasks::status::TaskStatus;
use crate::scope::ProjectScope;
use crate::testing::FixedClock;
use crate::write::pauses::PauseKeys;
use crate::{EventFilter, EventKind, Memory, NewEvent};

const SECRET: &str = "q8Zr2LwX9vTn4KpB";

fn memory(folder: &tempfile::TempDir) -> Memory {
    Memory::builder()
        .project("shop")
        .clock(Arc::new(FixedClock::at(
            Timestamp::from_millis(1_770_000_000_000).expect("in range"),
        )))
        .ids(Arc::new(RandomIds))
        .open(folder.path())
        .expect("opens")
}

fn talk(memory: &Memory) {
    for (kind, text) in [
        (EventKind::UserPrompt, "세션은 Redis에 두자. 🎉"),
        (
            EventKind::AgentResponse,
            "Done; the login bug waits for OPS-12.",
        ),
        (EventKind::UserPrompt, "password=hunter22 is the one we use"),
    ] {
        memory
            .append(NewEvent::new(kind, "monday", text))
            .expect("appends");
    }
}

fn extraction() -> String {
    json!({
        "schema_version": 1,
        "entries": [
            {"id": "e1", "type": "decision", "title": "Sessions live in Redis",
             "content": "Sessions live in Redis.",
             "quotes": [{"message_index": 0, "quote": "세션은 Redis에 두자"}]},
            {"id": "e2", "type": "fact", "title": "Made up", "content": "Made up.",
             "quotes": [{"message_index": 1, "quote": "nothing of the kind was ever said here"}]},
            {"id": "e3", "type": "insight", "title": "From e1",
             "content": format!("token={SECRET}"), "quotes": []}
        ],
        "tasks": [
            {"id": "t1", "title": "Fix login bug", "status": "blocked", "blocked_by": ["OPS-12"],
             "quotes": [{"message_index": 1, "quote": "the login bug waits for OPS-12"}]},
            {"id": "t2", "title": "Move sessions", "status": "blocked", "blocked_by": ["Fix login bug"]}
        ],
        "relations": [
            {"from": "e3", "relation": "derived_from", "to": "e1"},
            {"from": "e1", "relation": "evidence_of", "to": "t2"}
        ]
    })
    .to_string()
}

fn count(memory: &Memory) -> usize {
    memory
        .changes_since(crate::Seq(0), usize::MAX)
        .expect("reads")
        .len()
}

#[test]
fn every_step_is_an_event_in_the_order_of_the_specification() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let report = memory.ingest("monday", &extraction()).expect("ingests");
    let stages: Vec<&str> = report.entries.iter().map(|e| e.stage.as_str()).collect();
    assert_eq!(stages, ["verified", "candidate", "candidate"]);
    let mut kinds: Vec<EventKind> = memory
        .changes_since(crate::Seq(3), usize::MAX)
        .expect("reads")
        .into_iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(kinds.len(), report.events);
    kinds.dedup();
    assert_eq!(
        kinds,
        [
            EventKind::BuildRun,
            EventKind::SessionIngested,
            EventKind::MemoryExtracted,
            EventKind::EvidenceAligned,
            EventKind::EntryChanged,
            EventKind::EntriesChecked,
            EventKind::EntryChanged,
            EventKind::TaskCreated,
            EventKind::ArtifactDeclared,
            EventKind::TaskStatusChanged,
            EventKind::TaskBlockersSet,
            EventKind::TaskCreated,
            EventKind::TaskStatusChanged,
            EventKind::TaskBlockersSet,
            EventKind::EdgeChanged,
            EventKind::MemoryResolved,
            EventKind::BuildRun,
            EventKind::PipelineMetric,
        ]
    );
}

#[test]
fn a_second_run_adds_no_event_and_gives_the_same_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let first = memory.ingest("monday", &extraction()).expect("ingests");
    let events = count(&memory);
    let second = memory.ingest("monday", &extraction()).expect("ingests");
    assert_eq!(count(&memory), events);
    assert!(second.already_ingested);
    assert_eq!(second.build_id, first.build_id);
    let ids = |report: &crate::IngestReport| {
        let entries: Vec<_> = report.entries.iter().map(|e| e.entry_id.clone()).collect();
        let tasks: Vec<_> = report.tasks.iter().map(|t| t.task_id.clone()).collect();
        (entries, tasks)
    };
    assert_eq!(ids(&first), ids(&second));
    assert_eq!(first.entries[0].evidence, second.entries[0].evidence);
}

#[test]
fn a_failure_leaves_only_a_failed_run_and_can_be_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    *memory.engine.fails_at.lock() = Some(PipelineStage::Resolve);
    memory.ingest("monday", &extraction()).expect_err("fails");
    assert_eq!(count(&memory), 4, "three messages and the failed run");
    assert!(
        memory
            .knowledge()
            .entries(&crate::EntryFilter::default())
            .expect("reads")
            .is_empty()
    );
    let runs = memory.history().build_runs(None).expect("reads");
    assert!(
        matches!(&runs[0].outcome, BuildOutcome::Failed { error, .. } if error.contains("io")),
        "{runs:?}"
    );
    *memory.engine.fails_at.lock() = None;
    let report = memory.ingest("monday", &extraction()).expect("ingests");
    assert!(!report.already_ingested);
    assert_ne!(report.build_id, runs[0].build_id);
    assert_eq!(report.entries.len(), 3);
}

#[test]
fn no_secret_of_an_extraction_reaches_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    memory.ingest("monday", &extraction()).expect("ingests");
    let log = format!(
        "{:?}",
        memory
            .changes_since(crate::Seq(0), usize::MAX)
            .expect("reads")
    );
    assert!(!log.contains(SECRET) && !log.contains("hunter22"));
    // Identities are never mistaken for secrets.
    assert!(log.contains("task:shop:fix-login-bug"));
    let shown = memory
        .events(EventFilter {
            project: ProjectScope::All,
            ..EventFilter::default()
        })
        .expect("reads")
        .count();
    assert_eq!(shown, 3, "system events are no conversation");
}

#[test]
fn a_blocker_that_comes_later_in_the_extraction_is_known_as_a_task() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let said = json!({
        "schema_version": 1, "entries": [],
        "tasks": [
            {"id": "t1", "title": "배포", "status": "blocked", "blocked_by": ["로그인 고치기"],
             "quotes": [{"message_index": 1, "quote": "the login bug waits for OPS-12"}]},
            {"id": "t2", "title": "로그인 고치기", "status": "in_progress"}
        ]
    });
    let report = memory.ingest("monday", &said.to_string()).expect("ingests");
    let names: Vec<&str> = report.tasks.iter().map(|t| t.local_id.as_str()).collect();
    assert_eq!(names, ["t1", "t2"]);
    let detail = memory
        .tasks()
        .get(&report.tasks[0].task_id)
        .expect("reads")
        .expect("is there");
    let blockers: Vec<_> = detail.task.phase.confirmed().iter().collect();
    assert_eq!(blockers.len(), 1);
    assert_eq!(blockers[0].entity_id, report.tasks[1].task_id);
    assert!(memory.check().expect("checks").ok);
}

/// A model sees one conversation at a time, and does not know what waits for what since then.
#[test]
fn no_task_waits_for_itself_over_several_conversations() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    let blocked = [
        ("monday", "Ship the release", "Run the migration"),
        ("tuesday", "Run the migration", "Upgrade the database"),
        ("wednesday", "Upgrade the database", "Ship the release"),
    ];
    let mut ids = Vec::new();
    for (session, task, blocker) in blocked {
        let text = format!("{task} waits for: {blocker}.");
        memory
            .append(NewEvent::new(EventKind::UserPrompt, session, text.as_str()))
            .expect("appends");
        let said = json!({
            "schema_version": 1, "entries": [],
            "tasks": [
                {"id": "t1", "title": blocker},
                {"id": "t2", "title": task, "status": "blocked", "blocked_by": [blocker],
                 "quotes": [{"message_index": 0, "quote": text}]}
            ]
        });
        let report = memory.ingest(session, &said.to_string()).expect("ingests");
        ids.push(report.tasks[1].task_id.clone());
    }
    let blockers: Vec<_> = ids
        .iter()
        .map(|id| {
            let detail = memory.tasks().get(id).expect("reads").expect("is there");
            assert_eq!(detail.task.status(), TaskStatus::Blocked);
            let confirmed = detail.task.phase.confirmed();
            assert_eq!(confirmed.len(), 1);
            confirmed[0].entity_id.clone()
        })
        .collect();
    assert_eq!(blockers[..2], ids[1..]);
    // The last one is blocked, by nothing that has a name.
    assert!(!ids.contains(&blockers[2]), "{blockers:?}");
    assert!(memory.check().expect("checks").ok);
}

/// The rules read messages outside of a transaction: their session may be erased before they
/// record that they read it.
#[test]
fn the_name_of_a_session_erased_while_it_was_read_does_not_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let engine = memory.engine.clone();
    let erased = memory.erase(&crate::Selector::new().session("monday"));
    assert_eq!(erased.expect("erases").count, 3);
    let before = memory.stats().expect("reads").last_seq;
    let read = engine.store.read().expect("reads");
    let keys = PauseKeys::new(&read, Some("monday"), "shop");
    super::mark_read(&engine, ("monday", "shop"), &keys, (0, 3), &[]).expect("writes");
    assert_eq!(memory.stats().expect("reads").last_seq, before);
    assert_eq!(memory.session("monday").expect("reads"), None);
}

/// An extraction is prepared outside of the transaction that takes it in.
#[test]
fn the_name_of_a_session_erased_while_its_extraction_was_prepared_does_not_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let engine = memory.engine.clone();
    let extraction = r#"{"schema_version": 1, "entries": [], "tasks": []}"#;
    let options = super::IngestOptions::default();
    let prepared = super::prepare::Prepared::new(
        &engine,
        "monday",
        extraction,
        &options,
        super::Reader::Model,
    );
    let prepared = prepared.expect("prepares");
    let erased = memory.erase(&crate::Selector::new().session("monday"));
    assert_eq!(erased.expect("erases").count, 3);
    let before = memory.stats().expect("reads").last_seq;
    let error = super::ingest_prepared(&engine, &prepared, &options).expect_err("refuses");
    assert_eq!(error.argument(), Some("session"));
    assert_eq!(memory.stats().expect("reads").last_seq, before);
    assert_eq!(memory.session("monday").expect("reads"), None);
}

const UNQUOTED: &str = r#"{"schema_version": 1,
    "entries": [{"id": "e1", "type": "fact", "title": "About Redis", "content": "Redis it is.",
        "quotes": []}],
    "tasks": [{"id": "t1", "title": "Move to Redis", "status": "pending"}]}"#;

fn given(memory: &Memory) -> super::IngestOptions {
    let request = memory.knowledge().extraction_request("monday", None);
    super::IngestOptions {
        messages: request.expect("a request").messages,
        ..super::IngestOptions::default()
    }
}

#[test]
fn an_answer_about_an_erased_session_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let options = given(&memory);
    let erased = memory.erase(&crate::Selector::new().session("monday"));
    assert_eq!(erased.expect("erases").count, 3);
    let before = memory.stats().expect("reads").last_seq;
    let error = memory
        .ingest_with("monday", UNQUOTED, &options)
        .expect_err("refuses");
    assert_eq!(error.code(), crate::ErrorCode::NotFound);
    assert_eq!(error.argument(), Some("session"));
    assert_eq!(memory.stats().expect("reads").last_seq, before);
    assert_eq!(memory.session("monday").expect("reads"), None);
    let long = "x".repeat(5_000);
    let error = memory
        .ingest_with(&long, UNQUOTED, &options)
        .expect_err("refuses");
    assert_eq!(error.code(), crate::ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("session"));
}

#[test]
fn what_quotes_nothing_is_left_out_when_a_given_message_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let options = given(&memory);
    let last = options.messages[2];
    memory
        .forget(&crate::Selector::new().id(last))
        .expect("forgets");
    let report = memory
        .ingest_with("monday", UNQUOTED, &options)
        .expect("ingests");
    assert_eq!(report.left_out, ["e1", "t1"]);
    assert!(report.entries.is_empty() && report.tasks.is_empty());
    // The messages that are left were read as a whole.
    let rest = given(&memory);
    assert!(rest.messages.is_empty());
}

/// The session is erased, and its name used again, between the preparation and the write.
#[test]
fn what_quotes_nothing_is_looked_at_again_when_a_given_message_went_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let engine = memory.engine.clone();
    let options = given(&memory);
    let reader = super::Reader::Model;
    let prepared = super::prepare::Prepared::new(&engine, "monday", UNQUOTED, &options, reader);
    let prepared = prepared.expect("prepares");
    memory
        .erase(&crate::Selector::new().session("monday"))
        .expect("erases");
    talk(&memory);
    let report = super::ingest_prepared(&engine, &prepared, &options).expect("reads");
    assert_eq!(report, None, "it must be prepared again");
    let report = memory
        .ingest_with("monday", UNQUOTED, &options)
        .expect("ingests");
    assert_eq!(report.left_out, ["e1", "t1"]);
}

/// Another process pauses recording after the messages were read.
#[test]
fn what_is_paused_meanwhile_is_not_learned() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let engine = memory.engine.clone();
    let messages = given(&memory).messages;
    let options = super::IngestOptions {
        messages,
        ..super::IngestOptions::default()
    };
    memory
        .pauses()
        .pause(crate::ScopeKind::Session, "monday")
        .expect("pauses");
    let before = memory.stats().expect("reads").last_seq;
    let rules = super::Reader::Rules { after: 0, to: 3 };
    for reader in [super::Reader::Model, rules, super::Reader::Caller] {
        let prepared = super::prepare::Prepared::new(&engine, "monday", UNQUOTED, &options, reader);
        let prepared = prepared.expect("prepares");
        // As if the pause came after the first look.
        let ingested = super::ingest_if_live(&engine, &prepared, &options).expect("reads");
        let paused = super::Ingested::Paused(crate::ScopeKind::Session);
        assert_eq!(ingested, Some(paused));
    }
    let mark = |projects: &[&str]| {
        let read = engine.store.read().expect("reads");
        let keys = PauseKeys::new(&read, Some("monday"), "shop")
            .and_projects(&read, projects.iter().copied());
        super::mark_read(&engine, ("monday", "shop"), &keys, (0, 3), &[]).expect("reads")
    };
    assert!(!mark(&[]));
    assert_eq!(memory.stats().expect("reads").last_seq, before);
    let pauses = memory.pauses();
    pauses
        .resume(crate::ScopeKind::Session, "monday")
        .expect("resumes");
    pauses
        .pause(crate::ScopeKind::Project, "blog")
        .expect("pauses");
    // One of the messages was said there.
    assert!(!mark(&["shop", "blog"]));
    assert!(mark(&["shop"]));
}

#[test]
fn a_relation_between_entries_that_turn_out_to_be_one_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    talk(&memory);
    let entry = |id: &str, title: &str| json!({"id": id, "type": "fact", "title": title, "content": "C", "quotes": []});
    let extraction = |entries: &[Value], relations: Value| {
        json!({"schema_version": 1, "entries": entries, "relations": relations}).to_string()
    };
    let refused = |extraction: &str, argument: &str| {
        let error = memory.ingest("monday", extraction).expect_err(argument);
        assert_eq!(error.code(), crate::ErrorCode::InvalidArgument, "{error}");
        assert_eq!(error.argument(), Some(argument), "{error}");
    };
    let same = [entry("old", "Port 8080"), entry("new", "Port 8080")];
    // Only the secrets differ, and they are masked.
    let key = |id: &str, end: &str| {
        let title = format!("The key is sk-ant-api03-{}", end.repeat(40));
        entry(id, &title)
    };
    let keys = [key("old", "q7"), key("new", "Z2")];
    for kind in ["supersedes", "contradicts", "derived_from"] {
        let related = json!([{"from": "new", "relation": kind, "to": "old"}]);
        for entries in [&same, &keys] {
            refused(&extraction(entries, related.clone()), "relations[0].to");
        }
    }
    let three = [
        entry("a", "Port 1"),
        entry("b", "Port 2"),
        entry("c", "Port 1"),
    ];
    let around = json!([
        {"from": "a", "relation": "supersedes", "to": "b"},
        {"from": "b", "relation": "supersedes", "to": "c"},
    ]);
    refused(&extraction(&three, around), "relations[1]");
    let entries = || {
        let entries = memory.knowledge().entries(&Default::default());
        entries.expect("lists").len()
    };
    assert_eq!(entries(), 0, "nothing was written");
    let runs = memory.history().build_runs(None).expect("lists");
    assert!(runs.iter().all(|run| run.outcome.as_str() == "failed"));
    assert_eq!(runs.len(), 7);
    // Without the relation, it is taken in.
    let report = memory.ingest("monday", &extraction(&same, json!([])));
    let report = report.expect("ingests");
    assert_eq!(report.entries[0].entry_id, report.entries[1].entry_id);
    assert_eq!(entries(), 1);
}

/// Damage says nothing of when something was said: an old conversation replaces nothing by it.
#[test]
fn an_older_conversation_replaces_nothing_whose_record_is_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    let say = |session: &str, text: &str, at: i64| {
        let said = NewEvent::new(EventKind::UserPrompt, session, text)
            .timestamp(Timestamp::from_millis_clamped(at));
        let said = memory.append(said).expect("appends");
        let end = crate::SessionUpdate::default()
            .ended(Timestamp::from_millis_clamped(1_770_000_000_000));
        memory.update_session(session, end).expect("ends");
        let budget = crate::MaintainBudget::default();
        let learned = memory.maintain(budget).expect("maintains").entries_learned;
        assert_eq!(learned, 1, "{text}");
        said.seq.0
    };
    let (old, new) = (
        "The gateway now listens on port 8080.",
        "We moved the gateway to port 9090.",
    );
    let seq = say("new", new, 1_769_990_000_000);
    let store = memory.engine.store.clone();
    let damaged = store.write(|tx| tx.damage_record_for_test(seq));
    damaged.expect("damages");
    say("old", old, 1_769_000_000_000);
    let known = memory.knowledge().entries(&Default::default());
    for known in known.expect("lists") {
        let is_active = known.entry.status == EntryStatus::Active;
        assert_eq!(is_active, known.entry.title == new, "{}", known.entry.title);
    }
}

#[test]
fn a_damaged_record_that_an_entry_quotes_does_not_stop_learning() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = memory(&folder);
    let say = |session: &str, text: &str| {
        let said = NewEvent::new(EventKind::UserPrompt, session, text);
        let said = memory.append(said).expect("appends");
        let end = crate::SessionUpdate::default()
            .ended(Timestamp::from_millis_clamped(1_770_000_000_000));
        memory.update_session(session, end).expect("ends");
        said.seq.0
    };
    let learned = || {
        let budget = crate::MaintainBudget::default();
        memory.maintain(budget).expect("maintains").entries_learned
    };
    say("rules", "The gateway listens on port 8080.");
    assert_eq!(learned(), 1);
    say("model", "We deploy from the release branch.");
    let decision = |title: &str, quote: &str| {
        json!({"schema_version": 1, "entries": [{
            "id": "e1", "type": "fact", "title": title, "content": title,
            "quotes": [{"message_index": 0, "quote": quote}],
        }]})
        .to_string()
    };
    let quote = "We deploy from the release branch";
    let by_model = memory.ingest("model", &decision("Deploys from the branch", quote));
    assert!(by_model.expect("ingests").entries[0].is_new);
    let store = memory.engine.store.clone();
    for seq in 1..=store
        .read()
        .expect("reads")
        .state()
        .expect("reads")
        .last_seq
    {
        let kind =
            |read: &crate::store::ReadTx| read.event_at(seq).map(|event| event.map(|e| e.kind));
        if kind(&store.read().expect("reads")).expect("reads") == Some(EventKind::UserPrompt) {
            let damaged = store.write(|tx| tx.damage_record_for_test(seq));
            damaged.expect("damages");
        }
    }

    say("later", "We moved the gateway to port 9090.");
    assert_eq!(learned(), 1, "what rules find");
    let is_in_force = |title: &str| {
        let known = memory.knowledge().entries(&Default::default());
        let mut known = known.expect("lists").into_iter();
        let found = known.find(|known| known.entry.title == title);
        found.expect("is known").entry.status == EntryStatus::Active
    };
    assert!(is_in_force("We moved the gateway to port 9090."));
    assert!(!is_in_force("The gateway listens on port 8080."));
    let unread = say("unread", "The wiki listens on port 6060.");
    store
        .write(|tx| tx.damage_record_for_test(unread))
        .expect("damages");
    say("unread", "The mirror listens on port 5050.");
    assert_eq!(learned(), 1, "what stands behind it");
    say("again", "We deploy from the main branch.");
    let quote = "We deploy from the main branch";
    let again = memory.ingest("again", &decision("Deploys from the branch", quote));
    assert!(
        again.expect("ingests").entries[0].is_new,
        "what a model finds"
    );
    // The session begins with the damaged record, and goes on.
    say("rules", "The search service listens on port 7070.");
    assert_eq!(learned(), 1);
    let request = memory.knowledge().extraction_request("rules", None);
    assert!(request.expect("asks").prompt.contains("port 7070"));
    let quote = "search service listens on port 7070";
    let all = json!({"schema_version": 1, "entries": [{
        "id": "e1", "type": "fact", "title": "Search port", "content": "7070",
        "quotes": [{"message_index": 1, "quote": quote}],
    }]});
    let all = memory.ingest("rules", &all.to_string()).expect("ingests");
    assert!(all.entries[0].is_new);
    assert!(!memory.check().expect("checks").ok, "the damage is told");
}

#[test]
fn an_entry_that_was_replaced_is_not_asked_for_again() {
    let id = |of: &str| EntryId::new(of);
    let mut pairs = Vec::new();
    for newer in 1..20 {
        pairs.extend((0..newer).map(|older| (id(&format!("e{older}")), id(&format!("e{newer}")))));
    }
    let mut asked = 0;
    replace_each(pairs, |older, newer| {
        asked += 1;
        // The first newer one may not replace it.
        Ok(!(older == &id("e0") && newer == &id("e1")))
    })
    .expect("replaces");
    assert_eq!(asked, 20);
}
