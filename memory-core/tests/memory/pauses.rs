//! Paused recording: nothing of a session or a project is stored by any process, whatever happens
//! to the store meanwhile.

use std::sync::{Arc, Mutex};

use recallite::clock::Clock;
use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::EntryType;
use recallite::rules::history::{Decision, DecisionEvidence, EvidenceKind, ProvenStage};
use recallite::scope::ProjectScope;
use recallite::text::tool::ToolPolicy;
use recallite::{
    Appended, EntryFilter, ErrorCode, EventId, EventKind, Json, LearnedEntry, MaintainBudget,
    Memory, NewEntry, NewEvent, NewTask, ScopeKind, Selector, SessionUpdate, SkipReason, Timestamp,
    ToolUse,
};
use serde_json::json;

fn say(memory: &Memory, session: &str, text: &str) -> Appended {
    memory
        .append(NewEvent::new(EventKind::UserPrompt, session, text))
        .unwrap()
}

#[test]
fn what_is_paused_is_stored_by_nobody_until_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let other = Memory::builder()
        .project("blog")
        .open(folder.path())
        .unwrap();
    say(&memory, "s1", "before");
    let pauses = memory.pauses();
    assert!(pauses.pause(ScopeKind::Session, "s1").unwrap());
    assert!(!pauses.pause(ScopeKind::Session, "s1").unwrap());
    assert_eq!(
        say(&other, "s1", "between us").skipped,
        Some(SkipReason::Paused)
    );
    assert_eq!(say(&memory, "s2", "another session").skipped, None);
    assert!(other.pauses().pause(ScopeKind::Project, "blog").unwrap());
    assert_eq!(
        say(&other, "s3", "of the blog").skipped,
        Some(SkipReason::Paused)
    );
    assert_eq!(say(&memory, "s3", "of the shop").skipped, None);
    let named = NewEvent::new(EventKind::UserPrompt, "s4", "of the blog").project("blog");
    assert_eq!(
        memory.append(named).unwrap().skipped,
        Some(SkipReason::Paused)
    );
    // A batch keeps its order.
    let batch = ["s1", "s5", "s1", "s6"]
        .map(|session| NewEvent::new(EventKind::UserPrompt, session, format!("batch {session}")));
    let receipts = memory.append_batch(batch.into()).unwrap();
    let skipped: Vec<bool> = receipts.iter().map(|one| one.skipped.is_some()).collect();
    assert_eq!(skipped, [true, false, true, false]);
    assert_eq!(memory.event(receipts[3].id).unwrap().unwrap().session, "s6");

    let listed: Vec<_> = pauses.list(None).unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|one| (one.scope, one.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [(ScopeKind::Session, "s1"), (ScopeKind::Project, "blog")]
    );
    assert!(pauses.resume(ScopeKind::Project, "blog").unwrap());
    assert!(!pauses.resume(ScopeKind::Project, "blog").unwrap());
    assert_eq!(say(&other, "s3", "of the blog").skipped, None);
}

#[test]
fn a_refused_event_is_named_by_its_place_in_the_batch_though_others_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .tool_policy(ToolPolicy::default().excluded_tools(vec!["Bash".to_owned()]))
        .open(folder.path())
        .unwrap();
    memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
    let said = |session, text| NewEvent::new(EventKind::UserPrompt, session, text);
    let before = memory.stats().unwrap().last_seq;
    let call = NewEvent::tool("s2", ToolUse::new("Bash"));
    for (batch, argument) in [
        (
            vec![said("s1", "a"), said("s2", "b"), said("s2", "")],
            "events[2].content",
        ),
        (vec![said("s1", "a"), said("s2", "")], "events[1].content"),
        (vec![call, said("s2", "")], "events[1].content"),
        (vec![said("s2", "")], "content"),
    ] {
        let error = memory.append_batch(batch).unwrap_err();
        assert_eq!(error.argument(), Some(argument));
    }
    assert_eq!(memory.stats().unwrap().last_seq, before);
}

#[test]
fn a_pause_outlives_rebuilding_compacting_erasing_and_restoring() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let memory = Memory::open(&store).unwrap();
    say(&memory, "heron-session", "the heron is blue");
    say(&memory, "other", "stays");
    memory
        .pauses()
        .pause(ScopeKind::Session, "heron-session")
        .unwrap();
    let is_paused =
        |memory: &Memory| say(memory, "heron-session", "again").skipped == Some(SkipReason::Paused);
    memory
        .rebuild(Timestamp::from_millis(1_900_000_000_000).unwrap())
        .unwrap();
    assert!(is_paused(&memory));
    memory.compact().unwrap();
    assert!(is_paused(&memory));
    assert!(memory.check().unwrap().ok);
    let mut lines = Vec::new();
    memory.upkeep().export_jsonl_to(&mut lines, None).unwrap();
    let restored = Memory::open(folder.path().join("restored")).unwrap();
    restored.upkeep().restore_jsonl_from(&*lines).unwrap();
    assert!(is_paused(&restored));
    memory
        .erase(&Selector::new().session("heron-session"))
        .unwrap();
    assert!(is_paused(&memory));
    assert_eq!(memory.pauses().list(None).unwrap()[0].name, "");
    assert!(memory.check().unwrap().ok);
    drop(memory);
    for file in std::fs::read_dir(&store).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let place = bytes.windows(13).position(|part| part == b"heron-session");
        assert_eq!(place, None);
    }
    let again = Memory::open(&store).unwrap();
    assert!(is_paused(&again));
    assert!(
        again
            .pauses()
            .resume(ScopeKind::Session, "heron-session")
            .unwrap()
    );
    assert!(again.pauses().list(None).unwrap().is_empty());
    assert!(!is_paused(&again));
}

#[test]
fn the_name_of_a_paused_project_goes_with_the_last_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    for session in ["s1", "s2"] {
        let event = NewEvent::new(EventKind::UserPrompt, session, "the heron is blue");
        memory.append(event.project("heron")).unwrap();
    }
    say(&memory, "other", "stays");
    let task = NewTask::new("Paint the boat").project("heron");
    memory.tasks().create(&task).unwrap();
    let of = (ScopeKind::Project, "heron");
    memory.pauses().pause(of.0, of.1).unwrap();
    let name = || memory.pauses().list(None).unwrap()[0].name.clone();
    for session in ["s1", "s2"] {
        let selector = Selector::new().session(session).project(ProjectScope::All);
        assert!(memory.erase(&selector).unwrap().count > 0);
        assert_eq!(name(), "heron", "{session}");
    }
    let rest = Selector::everything().project(ProjectScope::Named("heron".into()));
    assert!(memory.erase(&rest).unwrap().count > 0);
    assert_eq!(name(), "");
    assert!(memory.check().unwrap().ok);
    let again = NewEvent::new(EventKind::UserPrompt, "s3", "again").project("heron");
    let skipped = memory.append(again).unwrap().skipped;
    assert_eq!(skipped, Some(SkipReason::Paused));
    assert!(memory.pauses().resume(of.0, of.1).unwrap());
}

#[test]
fn nothing_that_is_said_of_a_paused_session_is_kept() {
    const SECRET: &str = "src/quetzalsecret.rs";
    for pauses_project in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder()
            .project("shop")
            .open(folder.path())
            .unwrap();
        say(&memory, "s1", "before");
        let (scope, name, argument) = match pauses_project {
            true => (ScopeKind::Project, "shop", "project"),
            false => (ScopeKind::Session, "s1", "session"),
        };
        memory.pauses().pause(scope, name).unwrap();
        let told = |summary: Option<&str>, tags: Option<&str>| {
            let mut made = SessionUpdate::default();
            made.ended = Timestamp::from_millis(1_770_000_000_000).ok();
            made.summary = summary.map(str::to_owned);
            made.tags = tags.map(|tag| vec![tag.to_owned()]);
            made
        };
        for update in [told(Some(SECRET), None), told(None, Some(SECRET))] {
            let error = memory.update_session("s1", update).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgument);
            assert_eq!(error.argument(), Some(argument));
        }
        memory.update_session("s1", told(None, None)).unwrap();
        assert!(memory.session("s1").unwrap().unwrap().ended.is_some());

        let endless = memory.endless();
        let scored = endless.score_continuity("s1", SECRET).unwrap();
        assert!(!scored.is_logged);
        assert_eq!(endless.status().unwrap().active_files, [""; 0]);
        let mut lines = Vec::new();
        memory.upkeep().export_jsonl_to(&mut lines, None).unwrap();
        assert!(!String::from_utf8(lines).unwrap().contains("quetzalsecret"));
        memory.pauses().resume(scope, name).unwrap();
        memory
            .update_session("s1", told(Some("done"), None))
            .unwrap();
        endless.score_continuity("s1", SECRET).unwrap();
        assert_eq!(endless.status().unwrap().active_files, [SECRET]);
    }
}

#[test]
fn nothing_is_learned_of_what_is_paused() {
    const EXTRACTION: &str = r#"{"schema_version": 1, "entries": [{
        "id": "e1", "type": "decision", "title": "Sessions in Redis",
        "content": "Sessions live in Redis.",
        "quotes": [{"message_index": 0, "quote": "keep sessions in Redis"}]}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let pauses = memory.pauses();
    let long_ago = Timestamp::from_millis(1_700_000_000_000).unwrap();
    for (session, text) in [
        ("s1", "Let's go with Redis, so keep sessions in Redis."),
        ("s2", "We decided to deploy on Mondays only."),
    ] {
        let event = NewEvent::new(EventKind::UserPrompt, session, text).timestamp(long_ago);
        memory.append(event).unwrap();
    }
    pauses.pause(ScopeKind::Session, "s1").unwrap();
    let error = memory.ingest("s1", EXTRACTION).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("session"));
    // A manually created task belongs to no session.
    let task = |title: &str, project: Option<&str>| {
        let mut made = NewTask::new(title);
        made.project = project.map(str::to_owned);
        made
    };
    memory.tasks().create(&task("One", None)).unwrap();
    pauses.pause(ScopeKind::Project, "shop").unwrap();
    for project in [None, Some("shop")] {
        let error = memory.tasks().create(&task("Two", project)).unwrap_err();
        assert_eq!(error.argument(), Some("project"));
    }
    memory.tasks().create(&task("Two", Some("blog"))).unwrap();
    pauses.resume(ScopeKind::Session, "s1").unwrap();
    let error = memory.ingest("s1", EXTRACTION).unwrap_err();
    assert_eq!(error.argument(), Some("project"));
    assert_eq!(
        memory
            .maintain(MaintainBudget::default())
            .unwrap()
            .entries_learned,
        0
    );
    let all = || memory.knowledge().entries(&EntryFilter::default()).unwrap();
    assert_eq!(all(), []);

    pauses.pause(ScopeKind::Session, "s2").unwrap();
    pauses.resume(ScopeKind::Project, "shop").unwrap();
    let report = memory.ingest("s1", EXTRACTION).unwrap();
    assert!(report.entries[0].is_new);
    memory.maintain(MaintainBudget::default()).unwrap();
    let is_of_s2 = |entry: &LearnedEntry| entry.content.contains("Mondays");
    assert!(!all().iter().any(is_of_s2));
    pauses.resume(ScopeKind::Session, "s2").unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    assert!(all().iter().any(is_of_s2), "{:?}", all());
}

#[test]
fn stats_count_what_is_paused() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let counts = || {
        let stats = memory.stats().unwrap();
        (stats.paused_sessions, stats.paused_projects)
    };
    assert_eq!(counts(), (0, 0));
    for (scope, name) in [
        (ScopeKind::Session, "s1"),
        (ScopeKind::Session, "s2"),
        (ScopeKind::Project, "shop"),
    ] {
        memory.pauses().pause(scope, name).unwrap();
    }
    assert_eq!(counts(), (2, 1));
    memory.pauses().resume(ScopeKind::Session, "s1").unwrap();
    assert_eq!(counts(), (1, 1));
}

#[test]
fn wrong_names_and_entries_of_a_paused_session_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    for name in ["", " ", &"x".repeat(2_000)] {
        let error = memory.pauses().pause(ScopeKind::Session, name).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("name"));
    }
    // Events without a project can be paused as well.
    memory.pauses().pause(ScopeKind::Project, "").unwrap();
    assert_eq!(say(&memory, "s1", "x").skipped, Some(SkipReason::Paused));
    let entry = NewEntry::new(EntryType::Fact, "s1", "Port 9", "The port is 9.");
    let error = memory.knowledge().add_entry(&entry).unwrap_err();
    assert_eq!(error.argument(), Some("project"));
}

/// An entry belongs to the project of its session, whichever project the memory was opened for,
/// and so does the event that proves it.
#[test]
fn an_entry_that_is_refused_leaves_nothing_behind() {
    for project in ["shop", "shop <private>of Ada</private>"] {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            let builder = Memory::builder().project(name);
            builder.open(folder.path()).unwrap()
        };
        let (memory, other) = (open(project), open("blog"));
        say(&memory, "s1", "before");
        let entry = NewEntry::new(EntryType::Fact, "s1", "Port 9", "The port is 9.");
        memory.pauses().pause(ScopeKind::Project, project).unwrap();
        for memory in [&memory, &other] {
            let before = memory.stats().unwrap().last_seq;
            let error = memory.knowledge().add_entry(&entry).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgument);
            assert_eq!(error.argument(), Some("project"));
            assert_eq!(memory.stats().unwrap().last_seq, before);
        }
        let resumed = memory.pauses().resume(ScopeKind::Project, project);
        assert!(resumed.unwrap());
        let added = other.knowledge().add_entry(&entry).unwrap();
        let evidence = added.entry.lifecycle.evidence().unwrap();
        let proof = evidence.aligned[0].event_id.as_deref().unwrap();
        let proof: EventId = proof.parse().unwrap();
        let said = other.event(proof).unwrap().unwrap();
        assert_eq!(said.project, added.project);
        let session = other.session("s1").unwrap().unwrap();
        assert_eq!(said.project, session.project);
    }
}

#[test]
fn an_entry_may_begin_with_space() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let content = format!("{:600}The port is 9.", "\n");
    let entry = NewEntry::new(EntryType::Fact, "s1", "Port 9", content);
    let added = memory.knowledge().add_entry(&entry).unwrap();
    assert_eq!(added.entry.lifecycle.stage().as_str(), "verified");
}

#[test]
fn no_decision_of_a_paused_project_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let task = memory.tasks().create(&NewTask::new("Use Redis")).unwrap();
    let at = Timestamp::from_millis(4_000_000_000_000).unwrap();
    let mut decision = Decision::new("d1", at, "Ada", "We use Redis");
    decision.evidence = vec![DecisionEvidence::new(
        EvidenceKind::Entity,
        task.id.as_str(),
        ProvenStage::Verified,
        "supports",
        task.created_at,
    )];
    let shop = (ScopeKind::Project, "shop");
    memory.pauses().pause(shop.0, shop.1).unwrap();
    let before = memory.stats().unwrap().last_seq;
    let error = memory.history().record_decision(&decision).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("project"));
    assert_eq!(memory.stats().unwrap().last_seq, before);
    memory.pauses().resume(shop.0, shop.1).unwrap();
    memory.history().record_decision(&decision).unwrap();
    assert_eq!(memory.history().decisions(None).unwrap().len(), 1);
}

/// A session may be continued in another project than the one in which it began.
#[test]
fn nothing_is_learned_of_messages_of_a_paused_project() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let long_ago = Timestamp::from_millis(1_700_000_000_000).unwrap();
    let said = |project: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "s1", text);
        let event = event.project(project).timestamp(long_ago);
        memory.append(event).unwrap()
    };
    said("shop", "Let's go with lz4 for the cache.");
    let redis = said("blog", "Let's go with Redis for the blog.");
    said("shop", "Let's go with zstd for the snapshots.");
    memory.pauses().pause(ScopeKind::Project, "blog").unwrap();

    let answer = json!({"schema_version": 1, "entries": [{
        "id": "e1", "type": "decision", "title": "Redis", "content": "Redis for the blog.",
        "quotes": [{"message_index": 1, "quote": "Redis for the blog"}],
    }]});
    let error = memory.ingest("s1", &answer.to_string()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("project"));
    let mut entry = NewEntry::new(EntryType::Decision, "s1", "Redis", "Redis for the blog.");
    entry.event = Some(redis.id.into());
    let error = memory.knowledge().add_entry(&entry).unwrap_err();
    assert_eq!(error.argument(), Some("project"));

    let budget = MaintainBudget::default();
    let read = || memory.maintain(budget).unwrap();
    let titles = || -> Vec<String> {
        let filter = EntryFilter::default().project(ProjectScope::All);
        let all = memory.knowledge().entries(&filter);
        let mut titles: Vec<String> = all.unwrap().into_iter().map(|e| e.entry.title).collect();
        titles.sort();
        titles
    };
    let done = read();
    assert_eq!((done.messages_read, done.has_more), (1, false));
    assert_eq!(read().messages_read, 0);
    assert_eq!(titles(), ["Let's go with lz4 for the cache."]);
    memory.pauses().resume(ScopeKind::Project, "blog").unwrap();
    assert_eq!(read().messages_read, 2);
    assert_eq!(titles().len(), 3);
}

#[test]
fn an_entry_proved_by_an_event_of_what_is_paused_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let said = say(&memory, "s1", "The port is 9.");
    let mut entry = NewEntry::new(EntryType::Fact, "s1", "Port 9", "The port is 9.");
    entry.event = Some(said.id.into());
    for (scope, name, argument) in [
        (ScopeKind::Session, "s1", "session"),
        (ScopeKind::Project, "shop", "project"),
    ] {
        memory.pauses().pause(scope, name).unwrap();
        let before = memory.stats().unwrap().last_seq;
        let error = memory.knowledge().add_entry(&entry).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some(argument));
        assert_eq!(memory.stats().unwrap().last_seq, before);
        memory.pauses().resume(scope, name).unwrap();
    }
    memory.knowledge().add_entry(&entry).unwrap();
}

/// An import goes by the pauses, the tool policy and the size limit like any other write.
#[test]
fn an_import_stores_nothing_that_an_append_would_not() {
    let folder = tempfile::tempdir().unwrap();
    let source = Memory::open(folder.path().join("source")).unwrap();
    say(&source, "s1", "of the paused session");
    say(&source, "s2", "of another session");
    let list = json!({"todos": []}).to_string();
    let call = ToolUse::new("TodoWrite").input(Json::parse("input", &list).unwrap());
    source.append(NewEvent::tool("s2", call)).unwrap();
    let mut export = Vec::new();
    source.upkeep().export_jsonl_to(&mut export, None).unwrap();

    let memory = Memory::builder()
        .tool_policy(ToolPolicy::default())
        .open(folder.path().join("memory"))
        .unwrap();
    memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
    let imported = memory.upkeep().import_jsonl_from(&export[..]).unwrap();
    assert_eq!((imported.events, imported.skipped), (1, 2));
    memory.pauses().resume(ScopeKind::Session, "s1").unwrap();
    let imported = memory.upkeep().import_jsonl_from(&export[..]).unwrap();
    assert_eq!((imported.events, imported.duplicates), (1, 1));
}

/// A pause that begins while a host summarises stops the memory that it made.
#[test]
fn nothing_is_consolidated_of_what_was_paused_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        say(
            &memory,
            "s1",
            &format!("The parser of the ledger failed for file{number}.rs again."),
        );
    }
    let paused = memory.endless().consolidate_with(&mut |_, _| {
        memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
        Ok(Some("The parser fails.".to_owned()))
    });
    assert_eq!(paused.unwrap().memories, Vec::<String>::new());
    assert_eq!(memory.endless().consolidate().unwrap().memories.len(), 0);
    memory.pauses().resume(ScopeKind::Session, "s1").unwrap();
    assert_eq!(memory.endless().consolidate().unwrap().memories.len(), 1);
}

/// What a subagent said belongs to the conversation that started it, also for what was said before
/// the pause.
#[test]
fn nothing_is_learned_of_what_the_subagents_of_a_paused_session_said() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let long_ago = Timestamp::from_millis(1_700_000_000_000).unwrap();
    let parent = json!({"parentSessionId": "main"}).to_string();
    let said = |text: &str| {
        NewEvent::new(EventKind::UserPrompt, "helper", text)
            .metadata(Json::parse("metadata", &parent).unwrap())
            .timestamp(long_ago)
    };
    let redis = memory
        .append(said("Let's go with Redis for the blog."))
        .unwrap();
    let session = (ScopeKind::Session, "main");
    memory.pauses().pause(session.0, session.1).unwrap();

    let answer = json!({"schema_version": 1, "entries": [{
        "id": "e1", "type": "decision", "title": "Redis", "content": "Redis for the blog.",
        "quotes": [{"message_index": 0, "quote": "Redis for the blog"}],
    }]});
    let unproved = json!({"schema_version": 1, "entries": [{
        "id": "e1", "type": "decision", "title": "Redis", "content": "Redis for the blog.",
        "quotes": [],
    }]});
    for answer in [&answer, &unproved] {
        let error = memory.ingest("helper", &answer.to_string()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("session"));
    }
    let mut entry = NewEntry::new(
        EntryType::Decision,
        "helper",
        "Redis",
        "Redis for the blog.",
    );
    entry.event = Some(redis.id.into());
    let error = memory.knowledge().add_entry(&entry).unwrap_err();
    assert_eq!(error.argument(), Some("session"));
    let budget = MaintainBudget::default();
    let done = memory.maintain(budget).unwrap();
    assert_eq!((done.messages_read, done.entries_learned), (0, 0));
    assert_eq!(
        memory.knowledge().entries(&EntryFilter::default()).unwrap(),
        []
    );

    memory.pauses().resume(session.0, session.1).unwrap();
    let done = memory.maintain(budget).unwrap();
    assert_eq!((done.messages_read, done.entries_learned), (1, 1));
}

#[test]
fn nothing_is_consolidated_of_what_the_subagents_of_a_paused_session_said() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let parent = json!({"parentSessionId": "main"}).to_string();
    for number in 0..12 {
        let text = format!("The parser of the ledger failed for file{number}.rs again.");
        let said = NewEvent::new(EventKind::UserPrompt, "helper", text)
            .metadata(Json::parse("metadata", &parent).unwrap());
        memory.append(said).unwrap();
    }
    let made = || memory.endless().consolidate().unwrap().memories.len();
    memory.pauses().pause(ScopeKind::Session, "main").unwrap();
    assert_eq!(made(), 0);
    memory.pauses().resume(ScopeKind::Session, "main").unwrap();
    assert_eq!(made(), 1);
}

/// A clock that does something once, when it is next asked: what happens while a batch is
/// prepared.
#[derive(Debug, Default)]
struct Meanwhile(Mutex<Option<Memory>>);

impl Clock for Meanwhile {
    fn now(&self) -> Timestamp {
        let other = self.0.lock().unwrap().take();
        if let Some(other) = other {
            assert!(other.pauses().pause(ScopeKind::Session, "s1").unwrap());
        }
        Timestamp::from_millis(1_770_000_000_000).unwrap()
    }
}

/// A pause that has returned stops also a batch that is being prepared.
#[test]
fn a_pause_stops_a_batch_that_is_under_way() {
    for count in [1, 3, 3_000] {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Meanwhile::default());
        let memory = Memory::builder()
            .clock(clock.clone())
            .open(folder.path())
            .unwrap();
        say(&memory, "s1", "before the pause");
        *clock.0.lock().unwrap() = Some(Memory::open(folder.path()).unwrap());
        let event = |number: usize| {
            let session = if number.is_multiple_of(2) { "s1" } else { "s2" };
            NewEvent::new(
                EventKind::UserPrompt,
                session,
                format!("the zyzzyva number {number}"),
            )
        };
        let receipts = memory
            .append_batch((0..count).map(event).collect())
            .unwrap();
        assert_eq!(receipts.len(), count);
        for (number, receipt) in receipts.iter().enumerate() {
            let paused = number.is_multiple_of(2).then_some(SkipReason::Paused);
            assert_eq!(receipt.skipped, paused, "{number} of {count}");
        }
        let stored = memory.stats().unwrap().prompts;
        assert_eq!(stored as usize, 1 + count / 2);
        assert_eq!(
            memory.search("zyzzyva").unwrap().items.is_empty(),
            count == 1
        );
        assert!(memory.check().unwrap().ok);
    }
}

/// A transcript of a session, of one of its subagents, or of a later session that repeats it.
fn transcript(session: &str, agent: Option<&str>, text: &str) -> String {
    let line = json!({
        "type": "user", "sessionId": session, "uuid": format!("{session}-{text}"),
        "isSidechain": agent.is_some(), "agentId": agent, "timestamp": "2026-03-10T04:06:01.000Z",
        "message": {"role": "user", "content": text},
    });
    format!("{line}\n")
}

#[test]
fn a_paused_session_is_not_imported_from_other_files_either() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("store")).unwrap();
    let project = folder.path().join("project");
    let subagents = project.join("s1").join("subagents");
    std::fs::create_dir_all(&subagents).unwrap();
    let put = |path: std::path::PathBuf, text: String| std::fs::write(path, text).unwrap();
    put(project.join("s1.jsonl"), transcript("s1", None, "walrus"));
    put(
        project.join("agent-a1.jsonl"),
        transcript("s1", Some("a1"), "narwhal"),
    );
    put(
        subagents.join("agent-a2.jsonl"),
        transcript("s1", Some("a2"), "beluga"),
    );
    put(
        project.join("s2.jsonl"),
        transcript("s1", None, "orca") + &transcript("s2", None, "otter"),
    );
    memory.pauses().pause(ScopeKind::Session, "s1").unwrap();
    let report = memory.import_claude_code(&project).unwrap();
    assert_eq!(report.counters.skipped, 4, "{report:?}");
    assert_eq!(report.counters.imported_prompts, 1);
    assert_eq!(memory.search("otter").unwrap().items.len(), 1);
    memory.pauses().resume(ScopeKind::Session, "s1").unwrap();
    let report = memory.import_claude_code(&project).unwrap();
    assert_eq!(report.counters.imported_prompts, 4, "{report:?}");
}

/// What is learned from such a session belongs to the project that it was given to.
#[test]
fn a_paused_project_pauses_the_sessions_that_were_given_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let say = |session: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, session, text).project("shop");
        memory.append(event).unwrap().skipped
    };
    assert_eq!(say("given", "The first."), None);
    let update = SessionUpdate::default().project("bank");
    memory.update_session("given", update).unwrap();
    memory.pauses().pause(ScopeKind::Project, "bank").unwrap();
    assert_eq!(say("given", "The second."), Some(SkipReason::Paused));
    assert_eq!(say("other", "The third."), None);
    memory.pauses().resume(ScopeKind::Project, "bank").unwrap();
    assert_eq!(say("given", "The fourth."), None);
}

#[test]
fn nothing_is_learned_of_sessions_that_were_given_to_a_paused_project() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        let text = format!("The parser of the ledger failed for file{number}.rs again.");
        let event = NewEvent::new(EventKind::UserPrompt, "given", text).project("shop");
        memory.append(event).unwrap();
    }
    let update = SessionUpdate::default().project("bank");
    memory.update_session("given", update).unwrap();
    let consolidated = || memory.endless().consolidate().unwrap().memories.len();
    memory.pauses().pause(ScopeKind::Project, "bank").unwrap();
    assert_eq!(consolidated(), 0);
    memory.pauses().resume(ScopeKind::Project, "bank").unwrap();
    assert_eq!(consolidated(), 1);
}
