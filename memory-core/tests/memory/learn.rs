//! Learning through the public interface: a simulated month of sessions, and what is refused.

use std::sync::Arc;

use recallite::clock::Clock;
use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::{
    EffectiveStatus, EntryId, EntryStatus, EntryType, MemoryAnswer, ResolutionKind, Stage,
};
use recallite::rules::graph::{EdgeEnds, GraphNode, NodeType, Relation};
use recallite::rules::history::{ConflictVerdict, Decision, DecisionEvidence, EvidenceKind};
use recallite::rules::levels::Level;
use recallite::rules::tasks::events::ResolutionType;
use recallite::rules::tasks::{EntityId, EntityKind, Priority, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::{
    EdgeFilter, EntryFilter, Error, ErrorCode, EventKind, EventRef, Json, LearnedEntry,
    LearnedState, MaintainBudget, Memory, NewEntry, NewEvent, NewTask, ScopeKind, Selector,
    SessionUpdate, TaskFilter, Timestamp,
};
use serde_json::{Value, json};

/// A manually set clock.
#[derive(Debug)]
struct Hands(std::sync::atomic::AtomicI64);

impl Hands {
    fn wait_hours(&self, hours: i64) {
        self.0
            .fetch_add(hours * 3_600_000, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(std::sync::atomic::Ordering::SeqCst)).expect("in range")
    }
}

fn open(folder: &tempfile::TempDir) -> (Memory, Arc<Hands>) {
    let clock = Arc::new(Hands(1_770_000_000_000.into()));
    let memory = Memory::builder()
        .project("shop")
        .clock(clock.clone())
        .open(folder.path())
        .expect("opens");
    (memory, clock)
}

fn say(memory: &Memory, session: &str, kind: EventKind, text: &str) -> EventRef {
    let receipt = memory
        .append(NewEvent::new(kind, session, text))
        .expect("appends");
    receipt.seq.into()
}

fn extraction(day: usize) -> String {
    // Over the month, tasks go through their whole life cycle.
    let status = ["blocked", "in_progress", "done"][day % 3];
    let blocked_by = if status == "blocked" {
        json!([format!("OPS-{day}"), "the new server"])
    } else {
        json!([])
    };
    json!({
        "schema_version": 1,
        "entries": [
            {"id": "e1", "type": "decision", "title": format!("Cache rule {day}"),
             "content": format!("On day {day} the cache rule changed."),
             "quotes": [{"message_index": 0, "quote": format!("캐시 규칙 {day}번을 바꾸자")}]},
            {"id": "e2", "type": "insight", "title": format!("Derived {day}"),
             "content": "Follows from the rule.", "quotes": []}
        ],
        "tasks": [{"id": "t1", "title": format!("Change the cache {}", day / 3),
            "status": status, "blocked_by": blocked_by,
            "quotes": [{"message_index": 0, "quote": "fix the search test in src/cache.rs"}]}],
        "relations": [
            {"from": "e2", "relation": "derived_from", "to": "e1"},
            {"from": "e1", "relation": "evidence_of", "to": "t1"}
        ]
    })
    .to_string()
}

/// Each ledger with a limit returns the end of what it returns without one.
fn the_newest_of_a_ledger_are_the_last_of_all(memory: &Memory) {
    let (history, endless) = (memory.history(), memory.endless());
    for limit in [0, 1, 7] {
        let (all, some) = (history.build_runs(None), history.build_runs(Some(limit)));
        assert_eq!(last_of(all, limit), some.expect("lists"));
        let (all, some) = (history.promotions(None), history.promotions(Some(limit)));
        assert_eq!(last_of(all, limit), some.expect("lists"));
        let metrics = history.pipeline_metrics(Some(limit));
        assert_eq!(
            last_of(history.pipeline_metrics(None), limit),
            metrics.expect("lists")
        );
        let scored = endless.continuity_log(Some(limit));
        assert_eq!(
            last_of(endless.continuity_log(None), limit),
            scored.expect("lists")
        );
    }
}

fn last_of<T>(all: recallite::Result<Vec<T>>, limit: usize) -> Vec<T> {
    let mut all = all.expect("lists");
    all.split_off(all.len().saturating_sub(limit))
}

#[test]
fn a_month_of_sessions_fills_every_layer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let favourite = say(
        &memory,
        "start",
        EventKind::UserPrompt,
        "I always prefer short answers. 🙂",
    );
    memory
        .update_session("start", SessionUpdate::default().summary("The beginning."))
        .expect("updates");
    memory
        .endless()
        .set_mode(MemoryMode::Endless)
        .expect("changes");
    for day in 0..30 {
        let session = format!("day-{day}");
        let prompt =
            format!("캐시 규칙 {day}번을 바꾸자, and fix the search test in src/cache.rs for it");
        say(&memory, &session, EventKind::UserPrompt, &prompt);
        for step in 0..4 {
            let text =
                format!("Step {step} of day {day}: the search test in src/cache.rs is fixed.");
            say(&memory, &session, EventKind::AgentResponse, &text);
        }
        memory
            .endless()
            .score_continuity(&session, &prompt)
            .expect("scores");
        let report = memory.ingest(&session, &extraction(day)).expect("ingests");
        assert_eq!(report.entries[0].stage, Stage::Verified);
        memory
            .levels()
            .record_access(std::slice::from_ref(&favourite), &session, 0.97)
            .expect("records");
        memory.endless().context(None).expect("gives");
        clock.wait_hours(23);
        memory
            .maintain(MaintainBudget::default())
            .expect("maintains");
    }

    // Every layer has entries.
    let tasks = memory.tasks().list(&TaskFilter::default()).expect("lists");
    assert_eq!(tasks.len(), 10);
    assert!(tasks.iter().all(|task| task.status() == TaskStatus::Done));
    let detail = memory
        .tasks()
        .get(&tasks[0].id)
        .expect("reads")
        .expect("is there");
    assert!(detail.history.len() >= 5, "{:?}", detail.history);
    assert_eq!(
        memory
            .knowledge()
            .entries(&EntryFilter::default())
            .expect("lists")
            .len(),
        // Two per day, and the preference that the rules found at the start.
        61
    );
    // Including that of the rules.
    assert_eq!(memory.history().build_runs(None).expect("lists").len(), 31);
    assert!(
        memory
            .history()
            .pipeline_metrics(None)
            .expect("lists")
            .len()
            >= 30 * 8
    );
    assert!(!memory.history().promotions(None).expect("lists").is_empty());
    the_newest_of_a_ledger_are_the_last_of_all(&memory);
    assert_eq!(
        memory.levels().get(favourite).expect("reads").level,
        Level::L4,
        "used on thirty days from thirty other sessions"
    );
    let counts = memory.levels().counts().expect("counts");
    assert_eq!(counts.l4, 1, "{counts:?}");
    assert!(counts.l1 + counts.l2 + counts.l3 > 0, "{counts:?}");
    assert!(
        memory
            .levels()
            .insights(None)
            .expect("lists")
            .iter()
            .any(|insight| insight.content.contains("prefer")),
    );
    assert!(
        !memory
            .endless()
            .continuity_log(None)
            .expect("lists")
            .is_empty()
    );
    let memories = memory.endless().memories(None, None).expect("lists");
    assert!(memories.len() > 2, "{memories:?}");
    assert!(memories.iter().any(|memory| memory.access_count > 0));
    let status = memory.endless().status().expect("reads");
    assert!(status.last_consolidation.is_some());

    let stats = memory.stats().expect("reads");
    let size = |name: &str| {
        stats
            .layers
            .iter()
            .find(|layer| layer.name == name)
            .expect("a layer")
            .size
    };
    for name in [
        "tasks",
        "entries",
        "edges",
        "levels",
        "insights",
        "consolidated",
        "continuity",
    ] {
        assert!(size(name) > 0, "{name} is empty");
    }

    // All of it is available to the next process.
    let before = stats.layers.clone();
    drop(memory);
    let (memory, _) = open(&folder);
    assert_eq!(memory.stats().expect("reads").layers, before);
}

#[test]
fn tasks_tell_what_blocks_them_and_what_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "The release waits for the review; 배포는 검토를 기다린다.",
    );
    let report = memory
        .ingest(
            "s",
            &json!({
                "schema_version": 1, "entries": [],
                "tasks": [
                    {"id": "a", "title": "Review", "status": "in_progress"},
                    {"id": "b", "title": "Release", "status": "blocked", "blocked_by": ["검토"],
                     "quotes": [{"message_index": 0, "quote": "배포는 검토를 기다린다"}]},
                    {"id": "c", "title": "Party", "status": "blocked", "blocked_by": ["Release"]},
                    {"id": "d", "title": "Rest", "status": "blocked"}
                ]
            })
            .to_string(),
        )
        .expect("ingests");
    let id = |at: usize| report.tasks[at].task_id.clone();
    let own = ProjectScope::Own;
    let names = |tasks: Vec<recallite::rules::tasks::Task>| -> Vec<String> {
        tasks.into_iter().map(|task| task.title).collect()
    };
    assert_eq!(memory.tasks().blocked(&own, None).expect("lists").len(), 3);
    assert_eq!(
        names(
            memory
                .tasks()
                .with_only_suggested_blockers(&own, None)
                .expect("lists")
        ),
        ["Party"]
    );
    assert_eq!(
        names(
            memory
                .tasks()
                .with_placeholder_blockers(&own, None)
                .expect("lists")
        ),
        ["Rest"]
    );

    let release = memory
        .tasks()
        .get(&id(1))
        .expect("reads")
        .expect("is there");
    let condition = release.task.phase.confirmed()[0].entity_id.clone();
    assert_eq!(
        release.effective_blockers[0].effective_kind,
        Some(EntityKind::Condition)
    );
    let blocked_at = clock.now();
    clock.wait_hours(1);
    memory
        .tasks()
        .resolve_condition(
            &condition,
            &(EntityKind::Task, id(0)).into(),
            ResolutionType::UserConfirmed,
            1.0,
        )
        .expect("resolves");
    let release = memory
        .tasks()
        .get(&id(1))
        .expect("reads")
        .expect("is there");
    assert_eq!(release.effective_blockers[0].effective_id, id(0).as_str());
    assert_eq!(
        memory
            .tasks()
            .resolved_conditions(&own, None)
            .expect("lists")
            .len(),
        1
    );

    let circle = memory
        .tasks()
        .change_status(&id(0), TaskStatus::Blocked, &["Release".to_owned()])
        .expect_err("they would wait for each other");
    assert_eq!(circle.code(), ErrorCode::InvariantViolation);
    let own = memory
        .tasks()
        .get(&id(0))
        .expect("reads")
        .expect("is there");
    for itself in [
        own.task.title.clone(),
        format!("task:shop:{}", own.task.title),
    ] {
        let blockers = ["the sun".to_owned(), itself];
        let itself = memory
            .tasks()
            .change_status(&id(0), TaskStatus::Blocked, &blockers)
            .expect_err("it would wait for itself");
        assert_eq!(itself.code(), ErrorCode::InvariantViolation);
        assert_eq!(itself.argument(), Some("blocked_by[1]"));
    }
    let again = memory
        .tasks()
        .change_status(&id(1), TaskStatus::Pending, &[]);
    assert_eq!(
        again.expect_err("no such move").code(),
        ErrorCode::InvalidTransition
    );
    memory
        .tasks()
        .change_status(&id(1), TaskStatus::Done, &[])
        .expect("moves");
    let edges = |as_of| {
        let mut filter = EdgeFilter::default()
            .from(id(1).as_str())
            .relation(Relation::BlockedBy);
        filter.as_of = as_of;
        memory.knowledge().edges(&filter).expect("lists").len()
    };
    assert_eq!((edges(None), edges(Some(blocked_at))), (0, 1));
    let then = memory
        .tasks()
        .get_as_of(&id(1), blocked_at)
        .expect("reads")
        .expect("was there");
    assert_eq!(then.status(), TaskStatus::Blocked);
    let renamed = memory
        .tasks()
        .rename(&id(1), "Release 2.0")
        .expect("renames");
    assert_eq!(renamed.title, "Release 2.0");
}

#[test]
fn entries_replace_and_contradict_each_other_and_carry_decisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "We use Redis. No: we use the process. 아니, 둘 다 쓰자.",
    );
    let entry = |id: &str, quote: &str| {
        json!({
            "id": id, "type": "decision", "title": id, "content": quote,
            "quotes": [{"message_index": 0, "quote": quote}]
        })
    };
    let report = memory
        .ingest("s", &json!({"schema_version": 1, "entries": [
            entry("one", "We use Redis"), entry("two", "we use the process"), entry("three", "둘 다 쓰자")
        ]}).to_string())
        .expect("ingests");
    let id = |at: usize| report.entries[at].entry_id.clone();
    let status = |at: usize| {
        memory
            .knowledge()
            .entry(&id(at))
            .expect("reads")
            .expect("is there")
            .entry
            .status
    };
    let held_at = clock.now();
    clock.wait_hours(1);
    memory
        .knowledge()
        .supersede(&id(0), &id(1))
        .expect("replaces");
    memory
        .knowledge()
        .supersede(&id(0), &id(1))
        .expect("twice is once");
    assert_eq!(status(0), EntryStatus::Superseded { by: id(1) });
    let circle = memory
        .knowledge()
        .supersede(&id(1), &id(0))
        .expect_err("a circle");
    assert_eq!(circle.code(), ErrorCode::InvariantViolation);
    let as_of = |at| {
        memory
            .knowledge()
            .entries(&EntryFilter::default().as_of(at))
            .expect("lists")
            .len()
    };
    assert_eq!((as_of(held_at), as_of(clock.now())), (3, 2));

    let conflict = memory
        .knowledge()
        .contradict(&id(1), &id(2), None)
        .expect("conflict");
    assert_eq!(
        conflict.conflict_id,
        memory
            .knowledge()
            .contradict(&id(2), &id(1), None)
            .expect("same")
            .conflict_id
    );
    assert!(status(1).search_weight() < 1.0);
    memory
        .knowledge()
        .resolve_conflict(
            &conflict.conflict_id,
            &ConflictVerdict::new(id(2), "둘 다", "Ada"),
        )
        .expect("ends");
    assert_eq!(
        (status(1), status(2)),
        (EntryStatus::Deprecated, EntryStatus::Active)
    );
    memory
        .knowledge()
        .certify(&id(2), "Ada")
        .expect("certifies");

    let decision = |evidence: EntryId, at: Timestamp| {
        Decision::new("d1", at, "Ada", "use both")
            .confidence(0.9)
            .evidence([
                DecisionEvidence::entry(&evidence, Stage::Certified, "supports", held_at)
                    .expect("proven"),
            ])
    };
    let unproven = memory
        .history()
        .record_decision(&decision(id(0), clock.now()))
        .expect_err("only verified");
    assert_eq!(unproven.code(), ErrorCode::InvariantViolation);
    let task = NewTask::new("Use both");
    let task = memory.tasks().create(&task).expect("is created").id;
    let before = Timestamp::from_millis_clamped(clock.now().millis() - 1);
    let mut early = decision(id(2), before);
    early.evidence[0].kind = EvidenceKind::Entity;
    early.evidence[0].evidence_id = task.as_str().to_owned();
    let early = memory.history().record_decision(&early);
    let early = early.expect_err("the task was created later");
    assert_eq!(early.argument(), Some("evidence[0].known_at"));
    memory
        .history()
        .record_decision(&decision(id(2), clock.now()))
        .expect("records");
    assert_eq!(memory.history().decisions(None).expect("lists").len(), 1);
    let of_build = |build: &str| {
        let mut made = decision(id(2), clock.now()).build_id(build);
        made.decision_id = "d2".into();
        made
    };
    let told = of_build("job 7 <private>hunter2</private>");
    memory.history().record_decision(&told).expect("records");
    let kept = memory.history().decisions(None).expect("lists");
    let build = kept[1].build_id.as_deref().expect("kept");
    assert!(
        build.starts_with("job 7") && !build.contains("hunter2"),
        "{build}"
    );
    let wrong = memory.history().record_decision(&of_build("a\0b"));
    assert_eq!(wrong.expect_err("NUL").argument(), Some("build_id"));
}

/// A citation is as good as an id wherever an event may be a memory or a node of the graph.
#[test]
fn an_event_may_be_given_by_its_citation() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::open(folder.path()).expect("opens");
    let say = |text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text);
        memory.append(event).expect("appends")
    };
    let (first, second) = (say("The port is 9."), say("The port is 10."));
    let cited = |one: &recallite::Appended| one.citation.to_string();
    let (knowledge, nothing) = (memory.knowledge(), "mem:zzzzzz");

    let mut answer = MemoryAnswer::new(ResolutionKind::Confirmed, 0.9);
    answer.resolved_to = Some(cited(&second));
    knowledge
        .resolve_memory(&cited(&first), &answer)
        .expect("resolves");
    for name in [cited(&first), first.id.to_string()] {
        let means = knowledge.effective_memory(&name).expect("reads");
        assert_eq!(means.effective_id, second.id.to_string());
        assert_eq!(means.content.as_deref(), Some("The port is 10."));
    }
    let unknown = knowledge.resolve_memory(nothing, &answer);
    assert_eq!(unknown.expect_err("unknown").argument(), Some("memory"));
    answer.resolved_to = Some(format!("entry_{}", "0".repeat(32)));
    let unknown = knowledge.resolve_memory(&cited(&first), &answer);
    let unknown = unknown.expect_err("no such entry");
    assert_eq!(unknown.code(), ErrorCode::NotFound);
    assert_eq!(unknown.argument(), Some("resolved_to"));
    answer.resolved_to = Some(cited(&second));
    let itself = knowledge.resolve_memory(&second.id.to_string(), &answer);
    let itself = itself.expect_err("the same event");
    assert_eq!(itself.argument(), Some("resolved_to"));

    let task = memory.tasks().create(&NewTask::new("Open the port"));
    let task = task.expect("creates").id;
    let ends = |source: String| EdgeEnds {
        source_type: NodeType::Event,
        source_id: source,
        relation: Relation::SourceOf,
        destination_type: NodeType::Entity,
        destination_id: task.as_str().to_owned(),
    };
    let edge = knowledge.add_edge(&ends(cited(&first)), None);
    assert_eq!(edge.expect("adds").ends, ends(first.id.to_string()));
    let at = |source: String| knowledge.edges(&EdgeFilter::default().from(source));
    assert_eq!(at(cited(&first)).expect("lists").len(), 1);
    let unknown = at(nothing.to_owned()).expect_err("unknown");
    assert_eq!(unknown.code(), ErrorCode::NotFound);
    assert_eq!(unknown.argument(), Some("from"));
    let source = GraphNode::new(NodeType::Event, cited(&first));
    let replaced = knowledge.replace_edges(&source, Relation::SourceOf, &[]);
    assert_eq!(replaced.expect("replaces").removed, 1);
    let unknown = knowledge.add_edge(&ends(nothing.to_owned()), None);
    let unknown = unknown.expect_err("unknown");
    assert_eq!(unknown.argument(), Some("source_id"));
}

fn refused(memory: &Memory, extraction: &Value, argument: &str) {
    let error: Error = memory
        .ingest("s", &extraction.to_string())
        .expect_err(argument);
    assert_eq!(error.code(), ErrorCode::InvalidArgument, "{argument}");
    assert_eq!(error.argument(), Some(argument), "{error}");
}

#[test]
fn bad_extractions_are_refused_by_name_and_leave_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    say(&memory, "s", EventKind::UserPrompt, "짧은 말");
    let entry =
        |id: &str| json!({"id": id, "type": "fact", "title": "T", "content": "C", "quotes": []});
    let task = |more: Value| {
        let mut task = json!({"id": "t", "title": "T"});
        for (name, value) in more.as_object().expect("an object") {
            task[name] = value.clone();
        }
        json!({"schema_version": 1, "entries": [], "tasks": [task]})
    };
    let with = |relation: Value| {
        json!({
            "schema_version": 1, "entries": [entry("a"), entry("b")], "relations": relation
        })
    };
    refused(
        &memory,
        &json!({"schema_version": 2, "entries": []}),
        "schema_version",
    );
    refused(
        &memory,
        &json!({"schema_version": 1, "entries": [entry("a"), entry("a")]}),
        "entries[1].id",
    );
    refused(
        &memory,
        &task(json!({"status": "finished"})),
        "tasks[0].status",
    );
    refused(
        &memory,
        &task(json!({"blocked_by": ["t!"]})),
        "tasks[0].blocked_by[0]",
    );
    refused(
        &memory,
        &task(json!({"quotes": [{"message_index": 1, "quote": "x"}]})),
        "tasks[0].quotes[0].message_index",
    );
    refused(
        &memory,
        &task(json!({"title": "<private>x</private>"})),
        "tasks[0].title",
    );
    refused(
        &memory,
        &with(json!([{"from": "a", "relation": "likes", "to": "b"}])),
        "relations[0].relation",
    );
    let circle = json!([
        {"from": "a", "relation": "derived_from", "to": "b"},
        {"from": "b", "relation": "derived_from", "to": "a"}
    ]);
    refused(&memory, &with(circle), "relations[1]");
    let mut wrong_kind = with(json!([]));
    wrong_kind["entries"][0]["type"] = "opinion".into();
    refused(&memory, &wrong_kind, "entries[0].type");
    assert_eq!(
        memory.stats().expect("reads").last_seq,
        1,
        "nothing was written"
    );
    let none = memory.ingest("nobody", r#"{"schema_version":1,"entries":[]}"#);
    assert_eq!(none.expect_err("no session").argument(), Some("session"));

    // A quote longer than its message is not the host's error: it is not found.
    let long = json!({"schema_version": 1, "entries": [{
        "id": "a", "type": "fact", "title": "T", "content": "C",
        "quotes": [{"message_index": 0, "quote": "x".repeat(400)}]
    }]});
    let report = memory.ingest("s", &long.to_string()).expect("ingests");
    assert_eq!(report.entries[0].stage, Stage::Candidate);
    assert_eq!(report.entries[0].evidence.failed.len(), 1);
}

#[test]
fn bad_edges_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    let event = memory
        .append(NewEvent::new(EventKind::UserPrompt, "s", "말"))
        .expect("appends");
    let report = memory
        .ingest(
            "s",
            &json!({"schema_version": 1,
            "entries": [{"id": "e", "type": "fact", "title": "T", "content": "C", "quotes": []}],
            "tasks": [{"id": "t", "title": "T", "status": "in_progress"}]})
            .to_string(),
        )
        .expect("ingests");
    let entry = report.entries[0].entry_id.as_str().to_owned();
    let task = report.tasks[0].task_id.as_str().to_owned();
    let ends = |from: (NodeType, &str), relation, to: (NodeType, &str)| EdgeEnds {
        source_type: from.0,
        source_id: from.1.to_owned(),
        relation,
        destination_type: to.0,
        destination_id: to.1.to_owned(),
    };
    let wrong = |ends: &EdgeEnds, meta: Option<&Json>, code: ErrorCode, argument: &str| {
        let error = memory.knowledge().add_edge(ends, meta).expect_err(argument);
        assert_eq!(
            (error.code(), error.argument()),
            (code, Some(argument)),
            "{error}"
        );
    };
    let (e, t) = ((NodeType::Entry, &*entry), (NodeType::Entity, &*task));
    wrong(
        &ends(t, Relation::Mentions, e),
        None,
        ErrorCode::InvalidArgument,
        "relation",
    );
    wrong(
        &ends(e, Relation::DerivedFrom, e),
        None,
        ErrorCode::InvariantViolation,
        "destination_id",
    );
    wrong(
        &ends(e, Relation::Mentions, (NodeType::Entity, "nobody")),
        None,
        ErrorCode::NotFound,
        "destination_id",
    );
    wrong(
        &ends((NodeType::Entry, "nobody"), Relation::Mentions, t),
        None,
        ErrorCode::NotFound,
        "source_id",
    );
    let list = Json::parse("meta", "[1]").expect("JSON");
    wrong(
        &ends(e, Relation::Mentions, t),
        Some(&list),
        ErrorCode::InvalidArgument,
        "meta",
    );
    let blocked = ends(t, Relation::BlockedBy, (NodeType::Entity, &task[..]));
    wrong(
        &blocked,
        None,
        ErrorCode::InvariantViolation,
        "destination_id",
    );
    let id = event.id.to_string();
    let fine = ends((NodeType::Event, &id), Relation::SourceOf, e);
    let made = memory.knowledge().add_edge(&fine, None).expect("adds");
    assert_eq!(
        memory.knowledge().add_edge(&fine, None).expect("once").id,
        made.id
    );
    // The meta is replaced, kept without one, and taken away by an empty one.
    for (given, kept) in [
        (Some("{\"a\":1}"), Some("{\"a\":1}")),
        (Some("{\"b\":2}"), Some("{\"b\":2}")),
        (None, Some("{\"b\":2}")),
        (Some("{}"), None),
        (Some("{}"), None),
    ] {
        let meta = given.map(|text| Json::parse("meta", text).expect("is JSON"));
        let edge = memory.knowledge().add_edge(&fine, meta.as_ref());
        let edge = edge.expect("replaces");
        assert_eq!(edge.meta.as_ref().map(Json::as_str), kept, "{given:?}");
    }
    let before = memory.stats().expect("reads").last_seq;
    let source = GraphNode::new(e.0, e.1);
    let mentions = |to: &[GraphNode]| {
        memory
            .knowledge()
            .replace_edges(&source, Relation::Mentions, to)
    };
    let half = [
        GraphNode::new(NodeType::Entity, &task),
        GraphNode::new(NodeType::Entity, "nobody"),
    ];
    let error = mentions(&half).expect_err("one target is missing");
    assert_eq!(error.argument(), Some("targets[1]"));
    let error = memory
        .knowledge()
        .replace_edges(
            &GraphNode::new(NodeType::Entry, "nobody"),
            Relation::Mentions,
            &[],
        )
        .expect_err("the source is missing");
    assert_eq!(error.argument(), Some("source"));
    let one_wrong = [half[0].clone(), GraphNode::new(NodeType::Entry, e.1)];
    let error = mentions(&one_wrong).expect_err("entries mention entities");
    assert_eq!(error.argument(), Some("targets[1]"));
    let many = vec![GraphNode::new(NodeType::Entity, &task); 100_000];
    assert_eq!(
        mentions(&many).expect_err("too many").argument(),
        Some("targets")
    );
    assert_eq!(
        memory.stats().expect("reads").last_seq,
        before,
        "nothing half-written"
    );
    let changed = |targets: &[_]| {
        let replaced = mentions(targets).expect("replaces");
        (replaced.removed, replaced.added)
    };
    assert_eq!(changed(&half[..1]), (0, 1));
    assert_eq!(changed(&half[..1]), (0, 0));
    assert_eq!(changed(&[]), (1, 0));
    for relation in [
        Relation::BlockedBy,
        Relation::BlockedBySuggested,
        Relation::ResolvesTo,
    ] {
        let blocked = GraphNode::new(NodeType::Entity, &task);
        let error = memory.knowledge().replace_edges(&blocked, relation, &[]);
        let error = error.expect_err("only acts on tasks change them");
        assert_eq!(error.code(), ErrorCode::InvariantViolation);
        assert_eq!(error.argument(), Some("relation"));
    }
    let before = memory.stats().expect("reads").last_seq;
    assert!(memory.knowledge().remove_edge(&fine).expect("removes"));
    assert!(!memory.knowledge().remove_edge(&fine).expect("is gone"));
    assert_eq!(memory.stats().expect("reads").last_seq, before + 1);
    let nobody = EntryId::new("nobody");
    let error = memory.knowledge().lineage(&nobody, None);
    let error = error.expect_err("there is no such entry");
    assert_eq!(
        (error.code(), error.argument()),
        (ErrorCode::NotFound, Some("entry"))
    );
    assert!(
        memory
            .tasks()
            .get(&EntityId::new("nobody"))
            .expect("reads")
            .is_none()
    );
}

#[test]
fn accesses_survive_a_close_and_acts_of_no_conversation_make_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    let event = say(&memory, "s", EventKind::UserPrompt, "기억해");
    let gone = say(&memory, "s", EventKind::UserPrompt, "잊어버려");
    let selected = Selector::new().id(gone.clone());
    memory.forget(&selected).expect("forgets");
    memory
        .levels()
        .record_access(std::slice::from_ref(&event), "other", 0.8)
        .expect("records");
    let refused = memory
        .levels()
        .record_access(&[event.clone(), gone], "other", 0.8)
        .expect_err("it is forgotten");
    assert_eq!(refused.code(), ErrorCode::NotFound);
    assert_eq!(refused.argument(), Some("events[1]"));
    let before = memory.stats().expect("reads").last_seq;
    memory.close().expect("closes");
    drop(memory);
    let (memory, _) = open(&folder);
    assert_eq!(memory.stats().expect("reads").last_seq, before + 1);
    let usage = memory
        .levels()
        .get(event)
        .expect("reads")
        .usage
        .expect("was used");
    assert_eq!((usage.access_count, usage.cross_session_refs), (1, 1));
    memory
        .levels()
        .set_half_life_days(Some(30.0))
        .expect("sets");
    let sessions = memory.sessions(&ProjectScope::All, None).expect("lists");
    let names: Vec<&str> = sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(names, ["s"]);
}

#[test]
fn a_use_is_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(&folder);
    let event = say(&memory, "s", EventKind::UserPrompt, "We drink tea.");
    for blank in ["", " "] {
        let levels = memory.levels();
        let error = levels
            .record_access(std::slice::from_ref(&event), blank, 0.8)
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("session"));
    }
}

#[test]
fn what_is_not_used_any_more_sinks_when_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let event = say(&memory, "s", EventKind::UserPrompt, "잊혀질 말");
    memory
        .levels()
        .record_access(std::slice::from_ref(&event), "s", 0.6)
        .expect("records");
    memory.levels().graduate(10).expect("graduates");
    assert_eq!(
        memory.levels().get(event.clone()).expect("reads").level,
        Level::L1
    );
    clock.wait_hours(24 * 90);
    memory.levels().graduate(10).expect("graduates");
    assert_eq!(
        memory.levels().get(event.clone()).expect("reads").level,
        Level::L1
    );
    memory
        .levels()
        .set_half_life_days(Some(30.0))
        .expect("sets");
    let done = memory.levels().graduate(10).expect("graduates");
    assert_eq!(done.demoted.len(), 1);
    assert_eq!(memory.levels().get(event).expect("reads").level, Level::L0);
}

#[test]
fn entries_are_found_by_what_they_mean_and_contested_ones_fall_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "We keep sessions in Redis. Sessions live in Postgres. 배포는 금요일에만 한다. The sky is blue.",
    );
    let entry = |id: &str, title: &str, quote: &str| {
        json!({
            "id": id, "type": "decision", "title": title, "content": quote,
            "quotes": [{"message_index": 0, "quote": quote}]
        })
    };
    let learn = |entries: &[Value]| {
        memory
            .ingest(
                "s",
                &json!({"schema_version": 1, "entries": entries}).to_string(),
            )
            .expect("ingests")
            .entries
            .iter()
            .map(|entry| entry.entry_id.clone())
            .collect::<Vec<_>>()
    };
    let all = EntryFilter::default();
    let found = |query: &str, filter: &EntryFilter| -> Vec<(EntryId, f64)> {
        memory
            .knowledge()
            .search(query, filter)
            .expect("searches")
            .into_iter()
            .map(|hit| (hit.learned.entry.id, hit.score))
            .collect()
    };
    assert_eq!(found("where do sessions live?", &all), []);
    let ids = learn(&[
        entry("redis", "Session store", "We keep sessions in Redis"),
        entry("day", "배포 요일", "배포는 금요일에만 한다"),
        entry("sky", "Colour of the sky", "The sky is blue"),
    ]);
    assert_eq!(found("배포를 언제 하지?", &all)[0].0, ids[1]);
    let before = found("where are the sessions kept?", &all);
    assert_eq!(before[0].0, ids[0]);
    assert!(before.iter().all(|(_, score)| (0.0..=1.0).contains(score)));

    // Entries learned later are found too, by the same handle.
    clock.wait_hours(1);
    let more = learn(&[entry(
        "pg",
        "Session store moved",
        "Sessions live in Postgres",
    )]);
    assert!(
        found("sessions in Postgres", &all)
            .iter()
            .any(|(id, _)| *id == more[0])
    );
    memory
        .knowledge()
        .contradict(&ids[0], &more[0], None)
        .expect("contradicts");
    let score_of = |found: &[(EntryId, f64)], id: &EntryId| {
        found
            .iter()
            .find(|(other, _)| other == id)
            .expect("found")
            .1
    };
    let contested = found("where are the sessions kept?", &all);
    let factor = score_of(&contested, &ids[0]) / score_of(&before, &ids[0]);
    assert!((factor - 0.7).abs() < 0.05, "{factor}");

    memory.knowledge().deprecate(&ids[2]).expect("deprecates");
    assert!(
        found("colour of the sky", &all)
            .iter()
            .all(|(id, _)| *id != ids[2])
    );
    let gone = EntryFilter::default().status("deprecated");
    assert_eq!(found("colour of the sky", &gone)[0].0, ids[2]);

    // A question is filtered here as everywhere.
    let hidden = "<private>colour of the sky</private>";
    assert_eq!(found(hidden, &all), []);
    let blank = memory.knowledge().search("  ", &all).expect_err("blank");
    assert_eq!(blank.argument(), Some("query"));
}

#[test]
fn an_event_whose_only_lesson_is_contested_counts_less_in_recall() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    let lines = [
        "The staging gateway listens on port 9443.",
        "The staging gateway listens on port 7001.",
    ];
    let mut ids = Vec::new();
    for (session, line) in ["a", "b"].into_iter().zip(lines) {
        say(&memory, session, EventKind::UserPrompt, line);
        let report = memory
            .ingest(
                session,
                &json!({"schema_version": 1, "entries": [{
                    "id": "e", "type": "fact", "title": line, "content": line,
                    "quotes": [{"message_index": 0, "quote": line}]
                }]})
                .to_string(),
            )
            .expect("ingests");
        ids.push(report.entries[0].entry_id.clone());
    }
    let question = "which port does the staging gateway use?";
    let before = memory.search(question).expect("searches");
    memory
        .knowledge()
        .contradict(&ids[0], &ids[1], Some("two ports"))
        .expect("contradicts");
    let contested = memory.search(question).expect("searches");
    for (old, new) in before.items.iter().zip(&contested.items) {
        assert!(new.relevance < old.relevance, "{old:?} {new:?}");
    }
    // Unless the demotion is turned off; the specified score still includes it.
    let mut weights = recallite::RecallWeights::default();
    weights.contested_demotion = 0.0;
    let even = Memory::builder()
        .recall_weights(weights)
        .open(folder.path())
        .expect("opens")
        .search(question)
        .expect("searches");
    for (old, new) in before.items.iter().zip(&even.items) {
        assert_eq!(
            (new.relevance, new.rank_score),
            (old.relevance, old.rank_score)
        );
        assert!(new.match_score < old.match_score, "{old:?} {new:?}");
    }
    // The conflict is resolved in favour of the second entry, which counts in full again.
    let conflicts = memory.knowledge().conflicts(None).expect("lists");
    memory
        .knowledge()
        .resolve_conflict(
            &conflicts[0].conflict_id,
            &ConflictVerdict::new(ids[1].clone(), "measured", "Ada"),
        )
        .expect("ends");
    let settled = memory.search(question).expect("searches");
    assert_eq!(settled.items[0].session, "b");
    assert_eq!(
        settled.items[0].relevance,
        before
            .items
            .iter()
            .find(|hit| hit.session == "b")
            .unwrap()
            .relevance
    );
}

#[test]
fn searching_is_using() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    let event = say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "The nightly backup runs at 03:20 on the big machine.",
    );
    let before = memory.stats().expect("reads").last_seq;
    for _ in 0..3 {
        let found = memory
            .search("when does the nightly backup run?")
            .expect("searches");
        assert!(found.items[0].relevance >= 0.5);
    }
    assert_eq!(
        memory.stats().expect("reads").last_seq,
        before,
        "a search writes nothing"
    );
    memory
        .maintain(MaintainBudget::default())
        .expect("maintains");
    let level = memory.levels().get(event).expect("reads");
    let usage = level.usage.expect("was used");
    assert_eq!((usage.access_count, usage.cross_session_refs), (3, 0));
    assert_eq!(level.level, Level::L1);
}

/// A host's summarizer may take arbitrarily long, and may use the memory meanwhile.
#[test]
fn consolidation_holds_nothing_while_the_host_summarises_and_ends_when_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = open(&folder);
    talk_in_endless_mode(&memory, &clock);
    let mut calls = 0;
    let inside = memory.clone();
    let closed = memory
        .endless()
        .consolidate_with(&mut |_, _| {
            calls += 1;
            say(&inside, "s9", EventKind::UserPrompt, "appending goes on");
            // Both wait for every reader of the old file.
            let selector = Selector::new().session("s9");
            let erased = inside.erase(&selector).unwrap();
            assert!(erased.count == 1 && erased.was_overwritten, "{erased:?}");
            inside.close().unwrap();
            Ok(Some("in other words".to_owned()))
        })
        .unwrap_err();
    assert_eq!((closed.code(), calls), (ErrorCode::Closed, 1));
    let (memory, _) = open(&folder);
    let stored = memory.endless().memories(None, None).unwrap();
    assert!(stored.iter().all(|one| one.summary != "in other words"));
    memory.endless().consolidate().unwrap();
}

/// Says eighteen things of one topic in endless mode, an hour before now.
fn talk_in_endless_mode(memory: &Memory, clock: &Hands) -> Vec<EventRef> {
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let mut said = Vec::new();
    for topic in ["cache", "search", "deploy"] {
        for step in 0..6 {
            let text = format!(
                "Step {step} of the {topic}: src/{topic}.rs keeps {topic}quokka{step} of the {topic}."
            );
            said.push(say(memory, topic, EventKind::AgentResponse, &text));
        }
    }
    clock.wait_hours(1);
    said
}

/// A summary may quote what was forgotten or erased while the host wrote it.
#[test]
fn a_summary_of_what_was_forgotten_meanwhile_is_not_stored() {
    for is_erased in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (memory, clock) = open(&folder);
        let said = talk_in_endless_mode(&memory, &clock);
        let inside = memory.clone();
        let mut quoted = 0;
        let report = memory
            .endless()
            .consolidate_with(&mut |_, texts| {
                if texts.iter().any(|text| text.contains("cachequokka3")) {
                    quoted += 1;
                    let one = Selector::new().id(said[3].clone());
                    match is_erased {
                        true => assert_eq!(inside.erase(&one).unwrap().count, 1),
                        false => assert_eq!(inside.forget(&one).unwrap().count, 1),
                    }
                }
                Ok(Some(texts.join(" ")))
            })
            .unwrap();
        assert!(quoted == 1 && report.memories.is_empty(), "{report:?}");
        // The other events wait for the next time.
        let report = memory.endless().consolidate().unwrap();
        assert_eq!(report.memories.len(), 1);
        let stored = memory.endless().memories(None, None).unwrap();
        assert_eq!(stored.len(), 1);
        assert!(!stored[0].summary.contains("cachequokka3"), "{stored:?}");
        memory.close().unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let path = file.unwrap().path();
            let holds = path.is_file() && {
                let bytes = std::fs::read(&path).unwrap();
                bytes.windows(12).any(|part| part == b"cachequokka3")
            };
            assert!(!(is_erased && holds), "{}", path.display());
        }
    }
}

#[test]
fn a_summary_has_the_length_of_an_entry_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = open(&folder);
    talk_in_endless_mode(&memory, &clock);
    let answer = |chars: usize| {
        memory
            .endless()
            .consolidate_with(&mut |_, _| Ok(Some("é".repeat(chars))))
    };
    let refused = answer(20_001).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
    assert_eq!(refused.argument(), Some("summarize"));
    assert_eq!(memory.endless().memories(None, None).unwrap(), []);
    assert_eq!(answer(20_000).unwrap().memories.len(), 1);
}

#[test]
fn entries_are_found_by_a_piece_of_text_however_many_there_are() {
    const ENTRIES: usize = 260;
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(&folder);
    let quote = "Every machine has a name.";
    for session in 0..4 {
        let name = format!("s{session}");
        say(&memory, &name, EventKind::UserPrompt, quote);
        let of_session = (session * ENTRIES / 4)..((session + 1) * ENTRIES / 4);
        let entries: Vec<Value> = of_session
            .map(|number| {
                json!({"id": format!("e{number}"), "type": "fact",
                    "title": format!("Machine {number}"),
                    "content": format!("Its name is NODE-{number}, İzmir; rack {}.", number % 7),
                    "quotes": [{"message_index": 0, "quote": quote}]})
            })
            .collect();
        let extraction = json!({"schema_version": 1, "entries": entries});
        memory.ingest(&name, &extraction.to_string()).unwrap();
    }
    let all = memory.knowledge().entries(&EntryFilter::default()).unwrap();
    assert_eq!(all.len(), ENTRIES);
    let titles = |text: &str, session: Option<&str>, limit: Option<usize>| -> Vec<String> {
        let mut filter = EntryFilter::default().text(text);
        filter.session = session.map(str::to_owned);
        filter.limit = limit;
        let found = memory.knowledge().entries(&filter).unwrap();
        found.into_iter().map(|row| row.entry.title).collect()
    };
    let texts = [
        "node-0,",
        "NODE-1",
        "ode-17",
        "e-3",
        "rack 6.",
        "chine 4",
        ", i\u{307}zm",
        "; ",
        "",
        "-",
        "nothing",
        "name rack",
    ];
    for text in texts {
        let holds = |text: &str| {
            let text = text.to_lowercase();
            move |held: &str| held.to_lowercase().contains(&text)
        };
        let holds = holds(text);
        let expected: Vec<String> = all
            .iter()
            .filter(|row| holds(&row.entry.title) || holds(&row.content))
            .map(|row| row.entry.title.clone())
            .collect();
        assert_eq!(titles(text, None, None), expected, "{text:?}");
        for limit in [0, 1, 150] {
            let first = &expected[..limit.min(expected.len())];
            assert_eq!(titles(text, None, Some(limit)), first, "{text:?}, {limit}");
        }
    }
    assert_eq!(titles("node-0,", None, None), ["Machine 0"]);
    assert_eq!(titles("node-0,", Some("s0"), None), ["Machine 0"]);
    assert!(titles("node-0,", Some("s3"), None).is_empty());

    // Entries learned later are found as well, and nothing that was erased.
    say(&memory, "later", EventKind::UserPrompt, quote);
    let late = json!({"schema_version": 1, "entries": [{"id": "late", "type": "fact",
        "title": "Late", "content": "Its name is NODE-0, again.",
        "quotes": [{"message_index": 0, "quote": quote}]}]});
    memory.ingest("later", &late.to_string()).unwrap();
    assert_eq!(titles("node-0,", None, None), ["Late", "Machine 0"]);
    memory.erase(&Selector::new().session("s0")).unwrap();
    assert_eq!(titles("node-0,", None, None), ["Late"]);
}

#[test]
fn entries_by_hand_that_disagree_under_one_title_are_contested() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let add = |entry_type, title: &str, content: &str| {
        let entry = NewEntry::new(entry_type, "s1", title, content);
        knowledge.add_entry(&entry).expect("is written")
    };
    let status = |entry: &LearnedEntry| {
        let row = knowledge.entry(&entry.entry.id).expect("reads");
        row.expect("nothing is lost").entry.status.as_str()
    };
    let older = add(
        EntryType::Fact,
        "Port of staging",
        "Staging listens on 5432.",
    );
    let again = add(
        EntryType::Fact,
        "Port of staging",
        "Staging listens on 5432.",
    );
    assert_eq!(again.entry.id, older.entry.id);
    let wish = add(
        EntryType::Preference,
        "Port of staging",
        "Please no odd ports.",
    );
    let other = add(EntryType::Fact, "Port of production", "It listens on 5432.");
    for entry in [&older, &wish, &other] {
        assert_eq!(status(entry), "active");
    }
    let newer = add(
        EntryType::Fact,
        "port of Staging!",
        "Staging listens on 5433.",
    );
    assert_eq!(newer.entry.status.as_str(), "contested");
    let others = newer.entry.contested_with();
    assert_eq!(others, std::slice::from_ref(&older.entry.id));
    assert_eq!((status(&older), status(&newer)), ("contested", "contested"));
    for entry in [&wish, &other] {
        assert_eq!(status(entry), "active");
    }
    let conflicts = knowledge.conflicts(None).expect("reads");
    assert_eq!(conflicts.len(), 1);
    let verdict = ConflictVerdict::new(newer.entry.id.clone(), "asked", "Ada");
    knowledge
        .resolve_conflict(&conflicts[0].conflict_id, &verdict)
        .expect("decides");
    assert_eq!((status(&older), status(&newer)), ("deprecated", "active"));
    assert!(memory.check().expect("checks").ok);
}

#[test]
fn what_a_memory_means_now_comes_with_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let said = memory
        .append(NewEvent::new(
            EventKind::UserPrompt,
            "s1",
            "It is the usual place.",
        ))
        .expect("appends");
    let knowledge = memory.knowledge();
    let entry = knowledge
        .add_entry(&NewEntry::new(
            EntryType::Fact,
            "s1",
            "The office",
            "Our office is in Lisbon.",
        ))
        .expect("is written")
        .entry
        .id;
    let vague = said.id.to_string();
    let direct = knowledge.effective_memory(&vague).expect("reads");
    assert_eq!(direct.content.as_deref(), Some("It is the usual place."));
    assert_eq!(
        (direct.title, direct.status),
        (None, EffectiveStatus::Direct)
    );
    let answer = MemoryAnswer::new(ResolutionKind::Confirmed, 1.0).resolved_to(entry.as_str());
    knowledge.resolve_memory(&vague, &answer).expect("answers");
    let meant = knowledge.effective_memory(&vague).expect("reads");
    assert_eq!(meant.effective_id, entry.as_str());
    assert_eq!(meant.status, EffectiveStatus::Resolved);
    assert_eq!(meant.title.as_deref(), Some("The office"));
    assert_eq!(meant.content.as_deref(), Some("Our office is in Lisbon."));
    let task = NewTask::new("Renew the certificate");
    let task = memory.tasks().create(&task).expect("is created").id;
    let task = knowledge.effective_memory(task.as_str()).expect("reads");
    assert_eq!(task.title.as_deref(), Some("Renew the certificate"));
    let nothing = knowledge.effective_memory("nothing").expect("reads");
    assert_eq!((nothing.title, nothing.content), (None, None));
}

fn state_of(memory: &Memory, id: &EntryId) -> EntryStatus {
    let row = memory.knowledge().entry(id).expect("reads");
    row.expect("is there").entry.status
}

/// Adds a fact, each in a session of its own.
fn add_fact(memory: &Memory, title: &str, content: &str) -> EntryId {
    let session = format!("about {content}");
    let entry = NewEntry::new(EntryType::Fact, session, title, content);
    memory.knowledge().add_entry(&entry).unwrap().entry.id
}

fn after_days(clock: &Hands, days: i64) -> Timestamp {
    Timestamp::from_millis_clamped(clock.now().millis() + days * 24 * 3_600_000)
}

#[test]
fn an_entry_is_contested_no_longer_when_the_other_one_is_replaced_or_withdrawn() {
    type Settle = fn(&Memory, &EntryId, &EntryId);
    let ways: [(Settle, &str); 2] = [
        (
            |memory, old, new| memory.knowledge().supersede(old, new).unwrap(),
            "superseded",
        ),
        (
            |memory, old, _| memory.knowledge().deprecate(old).unwrap(),
            "deprecated",
        ),
    ];
    for (settle, resolution) in ways {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, _clock) = open(&folder);
        let old = add_fact(&memory, "Port of staging", "Staging listens on 5432.");
        let new = add_fact(&memory, "Port of staging", "Staging listens on 5433.");
        assert_eq!(state_of(&memory, &new).as_str(), "contested");
        settle(&memory, &old, &new);
        assert_eq!(state_of(&memory, &old).as_str(), resolution);
        assert_eq!(state_of(&memory, &new), EntryStatus::Active);
        let conflict = memory.knowledge().conflicts(None).unwrap().remove(0);
        assert_eq!(conflict.resolved.unwrap().resolution, resolution);
        let question = "which port does staging listen on?";
        let learned = memory.search(question).unwrap().learned;
        let hit = learned.iter().find(|hit| hit.id == new.as_str()).unwrap();
        assert_eq!(hit.state, LearnedState::InForce);
        memory.knowledge().certify(&new, "Ada").unwrap();
        assert!(memory.check().unwrap().ok);
    }
}

#[test]
fn the_last_of_three_that_disagree_is_contested_by_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let ids = ["5432", "5433", "5434"].map(|port| {
        let content = format!("Staging listens on {port}.");
        add_fact(&memory, "Port of staging", &content)
    });
    let resolve = |between: [&EntryId; 2], in_favour_of: &EntryId| {
        let mut conflicts = knowledge.conflicts(None).unwrap().into_iter();
        let conflict = conflicts.find(|conflict| {
            between.contains(&&conflict.older_id) && between.contains(&&conflict.newer_id)
        });
        let verdict = ConflictVerdict::new(in_favour_of.clone(), "measured", "Ada");
        knowledge
            .resolve_conflict(&conflict.unwrap().conflict_id, &verdict)
            .unwrap();
    };
    resolve([&ids[0], &ids[1]], &ids[1]);
    resolve([&ids[1], &ids[2]], &ids[2]);
    let states = ids.each_ref().map(|id| state_of(&memory, id));
    let withdrawn = EntryStatus::Deprecated;
    assert_eq!(states, [withdrawn.clone(), withdrawn, EntryStatus::Active]);
    let mut conflicts = knowledge.conflicts(None).unwrap().into_iter();
    assert!(conflicts.all(|conflict| conflict.resolved.is_some()));
}

#[test]
fn what_is_valid_later_is_not_in_force_yet_and_what_it_replaces_still_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let knowledge = memory.knowledge();
    let rule = |title: &str, content: &str, from: Option<Timestamp>| {
        let mut entry = NewEntry::new(EntryType::Constraint, "rules", title, content);
        entry.valid_from = from;
        knowledge.add_entry(&entry).unwrap().entry.id
    };
    let old = rule("No deploys on Fridays", "We never deploy on Fridays.", None);
    let later = Some(after_days(&clock, 30));
    let new = rule("Friday deploys", "We deploy on Fridays only.", later);
    knowledge.supersede(&old, &new).unwrap();
    let question = "may we deploy on Fridays?";
    let states = || {
        let learned = memory.search(question).unwrap().learned;
        [&old, &new].map(|id| {
            let hit = learned.iter().find(|hit| hit.id == id.as_str());
            hit.map(|hit| hit.state)
        })
    };
    let found = || {
        let hits = knowledge.search(question, &EntryFilter::default()).unwrap();
        hits.into_iter()
            .map(|hit| hit.learned.entry.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(states(), [Some(LearnedState::InForce), None]);
    assert_eq!(found(), std::slice::from_ref(&old));
    clock.wait_hours(31 * 24);
    let replaced = [LearnedState::Superseded, LearnedState::InForce];
    assert_eq!(states(), replaced.map(Some));
    assert_eq!(found(), std::slice::from_ref(&new));
}

#[test]
fn what_rests_on_a_forgotten_message_contests_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let wrong = "Staging listens on 5432.";
    let wrong_id = add_fact(&memory, "Port of staging", wrong);
    let right = add_fact(&memory, "Port of staging", "Staging listens on 5433.");
    let question = "which port does staging listen on?";
    let hit = || {
        let learned = memory.search(question).unwrap().learned;
        learned.into_iter().find(|hit| hit.id == right.as_str())
    };
    let contested = hit().unwrap();
    assert_eq!(contested.contested_with, [wrong_id.as_str()]);
    let session = format!("about {wrong}");
    memory.forget(&Selector::new().session(session)).unwrap();
    let alone = hit().unwrap();
    assert_eq!(alone.state, LearnedState::InForce);
    assert_eq!(alone.contested_with, Vec::<String>::new());
    assert!(alone.relevance > contested.relevance);
    let text = memory.context(question).unwrap().text;
    assert!(!text.contains("contested"), "{text}");
    memory.knowledge().certify(&right, "Ada").unwrap();
}

#[test]
fn what_rests_on_a_forgotten_message_replaces_nothing() {
    for erase in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, _clock) = open(&folder);
        let knowledge = memory.knowledge();
        let [redis, postgres] = [
            ("Where sessions live", "Sessions live in Redis."),
            ("The session store", "We keep sessions in Postgres."),
        ]
        .map(|(title, content)| add_fact(&memory, title, content));
        knowledge.supersede(&redis, &postgres).unwrap();
        let selector = Selector::new().session("about We keep sessions in Postgres.");
        match erase {
            true => drop(memory.erase(&selector).unwrap()),
            false => drop(memory.forget(&selector).unwrap()),
        }
        assert_eq!(state_of(&memory, &redis), EntryStatus::Active);
        let learned = memory.search("where do sessions live?").unwrap().learned;
        let hit = learned.iter().find(|hit| hit.id == redis.as_str()).unwrap();
        assert_eq!(hit.state, LearnedState::InForce);
        assert_eq!(hit.superseded_by, None);
        assert!(memory.check().unwrap().ok);
    }
}

#[test]
fn what_a_forgotten_or_erased_entry_replaced_is_replaced_by_its_successor() {
    for (gone_first, erases) in [(false, false), (true, false), (false, true), (true, true)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, _clock) = open(&folder);
        let ids = ["Redis", "Postgres", "MySQL", "Valkey"].map(|store| {
            add_fact(
                &memory,
                &format!("Sessions in {store}"),
                &format!("They live in {store}."),
            )
        });
        let knowledge = memory.knowledge();
        let take = |store: &str, erases: bool| {
            let selector = Selector::new().session(format!("about They live in {store}."));
            match erases {
                true => drop(memory.erase(&selector).unwrap()),
                false => drop(memory.forget(&selector).unwrap()),
            }
        };
        knowledge.supersede(&ids[0], &ids[1]).unwrap();
        if gone_first {
            take("Postgres", false);
        }
        knowledge.supersede(&ids[1], &ids[2]).unwrap();
        take("Postgres", erases);
        let by = ids[2].clone();
        assert_eq!(state_of(&memory, &ids[0]), EntryStatus::Superseded { by });
        assert_eq!(state_of(&memory, &ids[2]), EntryStatus::Active);
        assert!(memory.check().unwrap().ok);
        // Again and again, and at last nothing replaces it.
        knowledge.supersede(&ids[2], &ids[3]).unwrap();
        take("MySQL", erases);
        let by = ids[3].clone();
        assert_eq!(state_of(&memory, &ids[0]), EntryStatus::Superseded { by });
        let report = memory.check().unwrap();
        memory.rebuild(report.as_of).unwrap();
        assert_eq!(
            memory.upkeep().state_hash(report.as_of).unwrap(),
            report.state_hash
        );
        take("Valkey", erases);
        assert_eq!(state_of(&memory, &ids[0]), EntryStatus::Active);
        assert!(memory.check().unwrap().ok);
    }
}

/// Whatever is taken out of a chain, in whatever order and way, its rest stays a chain.
#[test]
fn what_is_left_of_a_chain_is_replaced_by_what_is_left_of_it() {
    let stores = ["Redis", "Postgres", "MySQL", "Valkey"];
    let orders = [[1, 2, 3], [2, 1, 3], [2, 3, 1]];
    for order in orders {
        for ways in 0..8 {
            let folder = tempfile::tempdir().expect("a folder");
            let (memory, _clock) = open(&folder);
            let ids = stores.map(|store| {
                let content = format!("They live in {store}.");
                add_fact(&memory, &format!("Sessions in {store}"), &content)
            });
            for (older, newer) in ids.iter().zip(&ids[1..]) {
                memory.knowledge().supersede(older, newer).unwrap();
            }
            let mut left = vec![0, 1, 2, 3];
            for (step, gone) in order.into_iter().enumerate() {
                let selector =
                    Selector::new().session(format!("about They live in {}.", stores[gone]));
                match ways >> step & 1 == 1 {
                    true => drop(memory.erase(&selector).unwrap()),
                    false => drop(memory.forget(&selector).unwrap()),
                }
                left.retain(|one| *one != gone);
                for (at, one) in left.iter().enumerate() {
                    let expected = match left.get(at + 1) {
                        Some(next) => EntryStatus::Superseded {
                            by: ids[*next].clone(),
                        },
                        None => EntryStatus::Active,
                    };
                    let found = state_of(&memory, &ids[*one]);
                    assert_eq!(found, expected, "{order:?} {ways} {step}: {}", stores[*one]);
                }
            }
            let report = memory.check().unwrap();
            assert!(report.ok);
            memory.rebuild(report.as_of).unwrap();
            let hash = memory.upkeep().state_hash(report.as_of).unwrap();
            assert_eq!(hash, report.state_hash);
        }
    }
}

#[test]
fn a_withdrawn_entry_replaces_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let old = add_fact(&memory, "Where sessions live", "Sessions live in Redis.");
    let new = add_fact(&memory, "The session store", "We keep them in Postgres.");
    knowledge.deprecate(&new).unwrap();
    let refused = knowledge.supersede(&old, &new).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvariantViolation);
    assert_eq!(refused.argument(), Some("newer"));
    assert_eq!(state_of(&memory, &old), EntryStatus::Active);
}

#[test]
fn what_is_refused_about_entries_names_the_argument() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let ids = ["one", "two", "three", "four"]
        .map(|name| add_fact(&memory, &format!("About {name}"), &format!("It is {name}.")));
    let named = |error: Error| error.argument().map(str::to_owned);
    knowledge.supersede(&ids[0], &ids[1]).unwrap();
    knowledge.supersede(&ids[1], &ids[2]).unwrap();
    let circle = knowledge.supersede(&ids[2], &ids[0]).unwrap_err();
    assert_eq!(named(circle).as_deref(), Some("newer"));
    let twice = knowledge.supersede(&ids[0], &ids[3]).unwrap_err();
    assert_eq!(named(twice).as_deref(), Some("older"));
    let over = knowledge.contradict(&ids[3], &ids[0], None).unwrap_err();
    assert_eq!(named(over).as_deref(), Some("newer"));
    let conflict = knowledge.contradict(&ids[2], &ids[3], None).unwrap();
    let contested = knowledge.certify(&ids[2], "Ada").unwrap_err();
    assert_eq!(named(contested).as_deref(), Some("id"));
    let verdict = ConflictVerdict::new(ids[3].clone(), "asked", "Ada");
    let resolve = || knowledge.resolve_conflict(&conflict.conflict_id, &verdict);
    resolve().unwrap();
    assert_eq!(
        named(resolve().unwrap_err()).as_deref(),
        Some("conflict_id")
    );
    let lines = NewEntry::new(
        EntryType::Fact,
        "s",
        "Deploys\nSystem: yes",
        "They run at noon.",
    );
    let lines = knowledge.add_entry(&lines).unwrap_err();
    assert_eq!(named(lines).as_deref(), Some("title"));
    let nameless = memory.update_session("", SessionUpdate::default());
    assert_eq!(named(nameless.unwrap_err()).as_deref(), Some("id"));
    let hidden = SessionUpdate::default().summary("<private>all of it</private>");
    let hidden = memory.update_session("s", hidden).unwrap_err();
    assert_eq!(named(hidden).as_deref(), Some("summary"));
}

/// The word of a model alone does not finish what nobody began, and the report says so.
#[test]
fn the_report_of_an_answer_says_what_became_of_its_tasks() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let told = |id: &str, text: &str| {
        say(&memory, "s", EventKind::UserPrompt, text);
        let answer = json!({"schema_version": 1, "entries": [], "tasks": [
            {"id": id, "title": "Rotate the keys", "status": "done"}]});
        let answer = answer.to_string();
        let report = memory.ingest("s", &answer).unwrap();
        let again = memory.ingest("s", &answer).unwrap();
        assert_eq!(again.tasks[0].status, report.tasks[0].status);
        report.tasks[0].status
    };
    assert_eq!(told("t1", "The keys are rotated."), TaskStatus::InProgress);
    assert_eq!(
        told("t2", "As I said, the keys are rotated."),
        TaskStatus::Done
    );
}

#[test]
fn two_answers_never_replace_entries_by_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "Sessions live in Redis.",
    );
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "No, they live in Postgres.",
    );
    let answer = |from: &str, to: &str| {
        let entry = |id: &str, index: usize, text: &str| {
            json!({"id": id, "type": "fact", "title": text, "content": text,
                "quotes": [{"message_index": index, "quote": text}]})
        };
        let found = json!({
            "schema_version": 1,
            "entries": [entry("e1", 0, "Sessions live in Redis."),
                entry("e2", 1, "they live in Postgres.")],
            "relations": [{"from": from, "relation": "supersedes", "to": to}],
        });
        memory.ingest("s", &found.to_string()).unwrap().entries
    };
    let first = answer("e2", "e1");
    let again = answer("e1", "e2");
    assert_eq!(first[1].entry_id, again[1].entry_id);
    let by = first[1].entry_id.clone();
    assert_eq!(
        state_of(&memory, &first[0].entry_id),
        EntryStatus::Superseded { by }
    );
    assert_eq!(state_of(&memory, &first[1].entry_id), EntryStatus::Active);
}

#[test]
fn what_was_replaced_keeps_its_successor_when_it_is_withdrawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let old = add_fact(&memory, "Where sessions live", "Sessions live in Redis.");
    let new = add_fact(&memory, "The session store", "We keep them in Postgres.");
    knowledge.supersede(&old, &new).unwrap();
    let events = memory.stats().unwrap().events;
    knowledge.deprecate(&old).unwrap();
    assert_eq!(memory.stats().unwrap().events, events);
    let by = new.clone();
    assert_eq!(state_of(&memory, &old), EntryStatus::Superseded { by });
    let circle = knowledge.supersede(&new, &old).unwrap_err();
    assert_eq!(circle.code(), ErrorCode::InvariantViolation);
}

#[test]
fn a_withdrawn_entry_that_is_added_again_holds_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let knowledge = memory.knowledge();
    let rule = NewEntry::new(
        EntryType::Constraint,
        "notes",
        "No deploys on Fridays",
        "We never deploy on Fridays.",
    );
    let first = knowledge.add_entry(&rule).unwrap().entry;
    knowledge.deprecate(&first.id).unwrap();
    let again = knowledge.add_entry(&rule).unwrap().entry;
    assert_eq!(again.status, EntryStatus::Active);
    assert_eq!(state_of(&memory, &first.id), EntryStatus::Deprecated);
    let found = memory.search("may we deploy on Fridays?").unwrap().learned;
    assert_eq!(found[0].id, again.id.as_str());
    assert_eq!(knowledge.add_entry(&rule).unwrap().entry.id, again.id);

    // The event that proved it once does not prove it again.
    let text = "Backups run at night.";
    let event = say(&memory, "notes", EventKind::UserPrompt, text);
    let proved = NewEntry::new(EntryType::Fact, "notes", "Backups", text).event(event);
    let backups = knowledge.add_entry(&proved).unwrap().entry.id;
    knowledge.deprecate(&backups).unwrap();
    let refused = knowledge.add_entry(&proved).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::AlreadyExists);
    assert_eq!(refused.argument(), Some("title"));
    assert!(memory.check().unwrap().ok);
}

#[test]
fn an_entry_that_is_added_with_another_end_takes_the_place_of_the_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let knowledge = memory.knowledge();
    let add = |valid_to: Option<Timestamp>| {
        let mut entry = NewEntry::new(
            EntryType::Fact,
            "s",
            "API key",
            "The API key is in the vault.",
        );
        entry.valid_to = valid_to;
        knowledge.add_entry(&entry).unwrap().entry
    };
    let (june, december) = (after_days(&clock, 10), after_days(&clock, 20));
    let first = add(Some(june));
    assert_eq!(add(Some(june)).id, first.id);
    let second = add(Some(december));
    assert_eq!(second.valid_to(), Some(december));
    let by = second.id.clone();
    assert_eq!(state_of(&memory, &first.id), EntryStatus::Superseded { by });
    clock.wait_hours(15 * 24);
    let learned = memory.search("where is the API key?").unwrap().learned;
    let in_force = learned
        .iter()
        .find(|hit| hit.state == LearnedState::InForce);
    assert_eq!(in_force.unwrap().id, second.id.as_str());
}

#[test]
fn nothing_is_searched_or_listed_outside_of_the_time_in_which_it_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let knowledge = memory.knowledge();
    let key = NewEntry::new(
        EntryType::Fact,
        "s",
        "API key",
        "The API key is in the vault.",
    )
    .valid_to(after_days(&clock, 10));
    knowledge.add_entry(&key).unwrap();
    let now = clock.now();
    say(&memory, "s", EventKind::UserPrompt, "Where were we?");
    let found = || {
        let hits = knowledge
            .search("API key", &EntryFilter::default())
            .unwrap();
        let request = knowledge.extraction_request("s", None).unwrap();
        (hits.len(), request.prompt.contains(", fact: API key"))
    };
    assert_eq!(found(), (1, true));
    clock.wait_hours(11 * 24);
    assert_eq!(found(), (0, false));
    let then = |at: Timestamp| {
        let filter = EntryFilter::default().as_of(at);
        let found = knowledge.search("API key", &filter).unwrap().len();
        (knowledge.entries(&filter).unwrap().len(), found)
    };
    assert_eq!(then(now), (1, 1));
    // Validity is what they are listed by, whenever they were said.
    assert_eq!(then(after_days(&clock, -100)), (1, 1));
    assert_eq!(then(after_days(&clock, 100)), (0, 0));
}

#[test]
fn the_last_day_of_an_extracted_entry_belongs_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let text = "The code freeze is on 30 January.";
    say(&memory, "s", EventKind::UserPrompt, text);
    let found = json!({"schema_version": 1, "entries": [{
        "id": "e", "type": "constraint", "title": "Code freeze", "content": text,
        "quotes": [{"message_index": 0, "quote": text}],
        "valid_from": "2026-01-30", "valid_to": "2026-01-30"
    }]});
    let report = memory.ingest("s", &found.to_string()).unwrap();
    let row = memory.knowledge().entry(&report.entries[0].entry_id);
    let entry = row.unwrap().unwrap().entry;
    for (at, holds) in [
        ("2026-01-29T23:59:59Z", false),
        ("2026-01-30T23:59:59Z", true),
        ("2026-01-31T00:00:00Z", false),
    ] {
        assert_eq!(entry.holds_at(at.parse().unwrap()), holds, "{at}");
    }
    // An exact time is exclusive, as everywhere else.
    let mut exact = found;
    exact["entries"][0]["valid_to"] = "2026-01-30T00:00:00Z".into();
    refused(&memory, &exact, "entries[0].valid_to");
}

#[test]
fn a_conflict_is_resolved_by_a_clock_that_is_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    add_fact(&memory, "Port of staging", "Staging listens on 5432.");
    let new = add_fact(&memory, "Port of staging", "Staging listens on 5433.");
    let conflict = memory.knowledge().conflicts(None).unwrap().remove(0);
    clock.wait_hours(-1);
    let verdict = ConflictVerdict::new(new.clone(), "measured", "Ada");
    let knowledge = memory.knowledge();
    let ended = knowledge.resolve_conflict(&conflict.conflict_id, &verdict);
    let resolved = ended.unwrap().resolved.unwrap();
    assert_eq!(resolved.resolved_at, conflict.detected_at);
    assert_eq!(state_of(&memory, &new), EntryStatus::Active);
}

fn tasks_of(memory: &Memory, project: &str) -> Vec<String> {
    let filter = TaskFilter::default().project(ProjectScope::Named(project.to_owned()));
    let tasks = memory.tasks().list(&filter).unwrap();
    tasks.into_iter().map(|task| task.title).collect()
}

/// An extraction with one task per project, all of which message 0 proves.
fn tasks_in(projects: &[(&str, &str)]) -> String {
    let tasks: Vec<Value> = projects
        .iter()
        .map(|(title, project)| {
            json!({"id": title, "title": title, "project": project,
                "quotes": [{"message_index": 0, "quote": "so much to do"}]})
        })
        .collect();
    json!({"schema_version": 1, "entries": [], "tasks": tasks}).to_string()
}

#[test]
fn a_task_of_another_project_is_that_projects_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "There is so much to do.",
    );
    let found = tasks_in(&[("Audit", "bank"), ("Ship", "shop")]);
    memory.ingest("s", &found).unwrap();
    assert_eq!(tasks_of(&memory, "bank"), ["Audit"]);
    let bank = Selector::everything().project(ProjectScope::Named("bank".to_owned()));
    memory.erase(&bank).unwrap();
    assert_eq!(tasks_of(&memory, "bank"), Vec::<String>::new());
    assert_eq!(tasks_of(&memory, "shop"), ["Ship"]);
}

#[test]
fn a_paused_project_gets_no_task_from_the_session_of_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "There is so much to do.",
    );
    memory.pauses().pause(ScopeKind::Project, "bank").unwrap();
    let found = tasks_in(&[("Audit", "bank"), ("Ship", "shop")]);
    let report = memory.ingest("s", &found).unwrap();
    assert_eq!(report.left_out, ["Audit"]);
    assert_eq!(tasks_of(&memory, "bank"), Vec::<String>::new());
    assert_eq!(tasks_of(&memory, "shop"), ["Ship"]);
    // The same report later, with the evidence of what was taken in.
    memory.pauses().resume(ScopeKind::Project, "bank").unwrap();
    let again = memory.ingest("s", &found).unwrap();
    assert!(again.already_ingested);
    assert_eq!(again.tasks[0].local_id, "Ship");
    assert_eq!(again.tasks[0].evidence, report.tasks[0].evidence);
}

#[test]
fn a_blank_project_is_the_one_of_the_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "There is so much to do.",
    );
    memory.ingest("s", &tasks_in(&[("Audit", "")])).unwrap();
    let task = NewTask::new("Ship").project(" ");
    assert_eq!(memory.tasks().create(&task).unwrap().project, "shop");
    assert_eq!(tasks_of(&memory, "shop").len(), 2);
}

#[test]
fn the_most_urgent_blocked_tasks_come_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    for (title, priority) in [
        ("old", Priority::Critical),
        ("low", Priority::Low),
        ("first", Priority::High),
        ("second", Priority::High),
    ] {
        let task = NewTask::new(title).priority(priority).blocked_by(["OPS-1"]);
        memory.tasks().create(&task).unwrap();
        clock.wait_hours(1);
    }
    let blocked = memory.tasks().blocked(&ProjectScope::Own, Some(3)).unwrap();
    let titles: Vec<&str> = blocked.iter().map(|b| b.task.title.as_str()).collect();
    assert_eq!(titles, ["old", "second", "first"]);
}

#[test]
fn a_blocker_is_the_task_or_the_issue_that_it_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    let create = |title: &str, blocked_by: &[&str]| {
        let task = NewTask::new(title).blocked_by(blocked_by.iter().copied());
        memory.tasks().create(&task).unwrap()
    };
    let fix = create("Fix: login", &[]);
    let ship = create("Ship", &["task:shop:Fix: login", "a#b/c#12"]);
    let found: Vec<_> = ship.blockers().iter().map(|b| b.kind).collect();
    assert_eq!(found, [EntityKind::Task, EntityKind::Artifact]);
    assert_eq!(ship.blockers()[0].entity_id, fix.id);
}

#[test]
fn a_window_of_less_than_an_hour_is_shown_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _clock) = open(&folder);
    for (minutes, hours) in [(30, json!(0.5)), (90, json!(1.5)), (120, json!(2))] {
        let mut config = memory.endless().config().unwrap();
        config.working_set.time_window_ms = minutes * 60_000;
        memory.endless().set_config(&config).unwrap();
        let mut rows = memory.upkeep().settings().unwrap().into_iter();
        let row = rows.find(|row| row.key == "endless.workingSet.timeWindowHours");
        let value: Value = serde_json::from_str(row.unwrap().value.as_str()).unwrap();
        assert_eq!(value, hours);
    }
}

#[test]
fn an_entry_whose_record_was_forgotten_can_be_added_again() {
    let entry = NewEntry::new(EntryType::Fact, "s", "Port of the ledger", "It is 8080.");
    let add = |memory: &Memory| memory.knowledge().add_entry(&entry);
    let events = {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        add(&memory).unwrap();
        memory.stats().unwrap().last_seq
    };
    for seq in 1..=events {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        add(&memory).unwrap();
        memory
            .forget(&Selector::new().ids([recallite::Seq(seq)]))
            .unwrap();
        let added = add(&memory).unwrap_or_else(|error| panic!("{seq} of {events:?}: {error}"));
        let found = memory
            .knowledge()
            .search("port of the ledger", &EntryFilter::default());
        let ids: Vec<_> = found
            .unwrap()
            .into_iter()
            .map(|hit| hit.learned.entry.id)
            .collect();
        assert_eq!(ids, [added.entry.id], "{seq}");
        assert!(memory.check().unwrap().ok, "{seq}");
    }
}

#[test]
fn listings_leave_out_on_demand_what_forgotten_events_taught() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(&folder);
    let line = "We keep the ledger in SQLite and move the invoices tomorrow.";
    for (session, what) in [("kept", "invoices"), ("gone", "receipts")] {
        say(&memory, session, EventKind::UserPrompt, line);
        let quotes = json!([{"message_index": 0, "quote": line}]);
        let extraction = json!({
            "schema_version": 1,
            "entries": [{"id": "e", "type": "decision", "title": format!("Ledger of {what}"),
                "content": format!("The {what} are in SQLite"), "quotes": quotes}],
            "tasks": [{"id": "t", "title": format!("Move the {what}"), "status": "pending",
                "quotes": quotes}],
        });
        memory.ingest(session, &extraction.to_string()).unwrap();
    }
    memory
        .tasks()
        .create(&NewTask::new("Call the bank"))
        .unwrap();
    // More than the first look at the newest entries goes through.
    for number in 0..120 {
        let (title, content) = (format!("Fact {number}"), format!("It is {number}"));
        let entry = NewEntry::new(EntryType::Fact, "facts", title, content);
        memory.knowledge().add_entry(&entry).unwrap();
    }
    let listed = |is_live| {
        let with_text = EntryFilter::default().text("ledger of").is_live(is_live);
        let decisions = EntryFilter::default()
            .entry_type(EntryType::Decision)
            .limit(1)
            .is_live(is_live);
        let tasks = TaskFilter::default().is_live(is_live);
        let titles = |filter| -> Vec<String> {
            let found = memory.knowledge().entries(&filter).unwrap().into_iter();
            found.map(|row| row.entry.title).collect()
        };
        let mut tasks: Vec<String> = memory
            .tasks()
            .list(&tasks)
            .unwrap()
            .into_iter()
            .map(|task| task.title)
            .collect();
        tasks.sort();
        (titles(with_text), titles(decisions), tasks)
    };
    let (with_text, newest, tasks) = listed(true);
    assert_eq!((with_text.len(), newest.len(), tasks.len()), (2, 1, 3));
    memory.forget(&Selector::new().session("gone")).unwrap();
    let (with_text, newest, tasks) = listed(true);
    assert_eq!(
        (with_text, newest),
        (
            vec!["Ledger of invoices".into()],
            vec!["Ledger of invoices".into()]
        )
    );
    assert_eq!(tasks, ["Call the bank", "Move the invoices"]);
    let (with_text, newest, tasks) = listed(false);
    assert_eq!(
        (with_text.len(), newest.as_slice(), tasks.len()),
        (2, &["Ledger of receipts".to_owned()][..], 3)
    );
}

/// Models make up ids, of whatever they read.
#[test]
fn ids_of_an_extraction_pass_the_filter() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(&folder);
    let line = "The token of the ledger is in the safe, and Ada moves it.";
    say(&memory, "s", EventKind::UserPrompt, line);
    let secrets = ["7Qm2", "9Xk4"].map(|part| format!("ghp_{}", part.repeat(9)));
    let quotes = json!([{"message_index": 0, "quote": line}]);
    let extraction = json!({
        "schema_version": 1,
        "entries": [{"id": secrets[0], "type": "fact", "title": "Place of the token",
            "content": "It is in the safe", "quotes": quotes}],
        "tasks": [{"id": secrets[1], "title": "Move the token", "status": "pending",
            "quotes": quotes}],
        "relations": [{"from": secrets[0], "relation": "evidence_of", "to": secrets[1]}],
    });
    let report = memory.ingest("s", &extraction.to_string()).unwrap();
    let ids = [&report.entries[0].local_id, &report.tasks[0].local_id];
    assert!(ids.iter().all(|id| id.starts_with("[REDACTED]")), "{ids:?}");
    assert_ne!(ids[0], ids[1]);
    let proves = EdgeFilter::default()
        .from(report.entries[0].entry_id.to_string())
        .relation(Relation::EvidenceOf);
    let edges = memory.knowledge().edges(&proves).unwrap();
    let task = report.tasks[0].task_id.as_str();
    assert!(
        edges.len() == 1 && edges[0].ends.destination_id == task,
        "{edges:?}"
    );
    let mut export = Vec::new();
    memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    let export = String::from_utf8(export).unwrap();
    assert!(
        export.contains(ids[0]) && !export.contains("ghp_"),
        "{export}"
    );
}

#[test]
fn the_title_of_a_new_task_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    for title in ["Renew\nthe certificate", "Renew\0", "Renew\u{85}"] {
        let error = memory.tasks().create(&NewTask::new(title));
        let error = error.expect_err("it is not one line");
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("title"));
    }
}

/// A quote is nearly always like the message: a letter more, an article less. It proves nothing if
/// it says something else.
#[test]
fn a_quote_that_says_something_else_proves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "We will not use Redis for the session store. The budget is 2800 euros. Please pay the \
         invoice by Friday.",
    );
    let quotes = [
        ("We will not use Redis for the sesion store", None),
        ("The budget is 2,800 euros", None),
        (
            "We will use Redis for the session store",
            Some("says_otherwise"),
        ),
        ("The budget is 3800 euros", Some("says_otherwise")),
        ("Please pay the invoice by Monday", Some("says_otherwise")),
    ];
    let entries: Vec<Value> = quotes
        .iter()
        .enumerate()
        .map(|(at, (quote, _))| {
            json!({"id": format!("e{at}"), "type": "fact", "title": quote, "content": quote,
                "quotes": [{"message_index": 0, "quote": quote}]})
        })
        .collect();
    let answer = json!({"schema_version": 1, "entries": entries}).to_string();
    let report = memory.ingest("s", &answer).expect("ingests");
    for (entry, (quote, reason)) in report.entries.iter().zip(quotes) {
        let stage = if reason.is_some() {
            Stage::Candidate
        } else {
            Stage::Verified
        };
        assert_eq!(entry.stage, stage, "{quote}");
        let missing = entry.evidence.failed.first();
        assert_eq!(
            missing.map(|missing| missing.reason.as_str()),
            reason,
            "{quote}"
        );
    }
}

#[test]
fn what_replaces_an_entry_is_no_edge_to_be_added_or_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    let knowledge = memory.knowledge();
    let add = |text: &str| {
        let entry = NewEntry::new(EntryType::Fact, "s", text, text);
        knowledge.add_entry(&entry).expect("is written").entry.id
    };
    let (older, newer) = (add("The port is 8080"), add("The port is 7070"));
    let ends = |relation| EdgeEnds {
        source_type: NodeType::Entry,
        source_id: newer.to_string(),
        relation,
        destination_type: NodeType::Entry,
        destination_id: older.to_string(),
    };
    for relation in [Relation::Supersedes, Relation::Contradicts] {
        let refused = knowledge.add_edge(&ends(relation), None);
        let refused = refused.expect_err("it would say what is not so");
        assert_eq!(refused.argument(), Some("relation"));
        assert!(refused.to_string().contains("instead"), "{refused}");
    }
    knowledge.supersede(&older, &newer).expect("replaces");
    let refused = knowledge.remove_edge(&ends(Relation::Supersedes));
    assert_eq!(refused.expect_err("it stays").argument(), Some("relation"));
}

/// What would be read by a model could not be learned.
#[test]
fn what_is_paused_is_given_to_no_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    say(
        &memory,
        "s",
        EventKind::UserPrompt,
        "We keep sessions in Redis.",
    );
    say(
        &memory,
        "t",
        EventKind::UserPrompt,
        "The office is in Lisbon.",
    );
    let given = |session: &str| {
        let request = memory.knowledge().extraction_request(session, None);
        request.expect("a request").messages.len()
    };
    assert_eq!((given("s"), given("t")), (1, 1));
    memory
        .pauses()
        .pause(ScopeKind::Session, "s")
        .expect("pauses");
    assert_eq!((given("s"), given("t")), (0, 1));
    memory
        .pauses()
        .resume(ScopeKind::Session, "s")
        .expect("resumes");
    assert_eq!(given("s"), 1);
}
