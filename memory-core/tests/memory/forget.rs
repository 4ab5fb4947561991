//! Forgetting and rebuilding through the public interface.

use recallite::scope::ProjectScope;
use recallite::{
    Dedupe, ErrorCode, EventFilter, EventKind, MaintainBudget, Memory, NewEvent, Selector,
    SessionUpdate, Timestamp, ToolUse,
};

fn open() -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("memory")).unwrap();
    (folder, memory)
}

fn prompt(session: &str, content: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, content)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-02-01T00:00:00Z")
}

fn contents(memory: &Memory) -> Vec<String> {
    memory
        .events(EventFilter::new().project(ProjectScope::All))
        .unwrap()
        .map(|event| event.unwrap().content)
        .collect()
}

fn finds(memory: &Memory, words: &str, content: &str) -> bool {
    let found = memory.search(words).unwrap();
    found
        .items
        .iter()
        .any(|hit| memory.event(hit.id).unwrap().unwrap().content == content)
}

#[test]
fn a_forgotten_event_is_found_nowhere_and_a_rebuild_keeps_it_so() {
    let (_folder, memory) = open();
    let secret = memory
        .append(prompt("s1", "the vault opens with marmalade"))
        .unwrap();
    let other = memory
        .append(prompt("s1", "벡터 검색은 준비됐다 🎉"))
        .unwrap();
    let forgotten = memory
        .forget(&Selector::new().id(secret.citation.clone()))
        .unwrap();
    assert_eq!(
        (forgotten.count, forgotten.sessions, forgotten.content_bytes),
        (1, 1, 30)
    );
    for _ in 0..2 {
        assert!(memory.event(secret.id).unwrap().is_none());
        assert!(memory.event(secret.seq).unwrap().is_none());
        assert_eq!(contents(&memory), ["벡터 검색은 준비됐다 🎉"]);
        assert!(!finds(
            &memory,
            "marmalade vault",
            "the vault opens with marmalade"
        ));
        assert!(finds(&memory, "벡터 검색", "벡터 검색은 준비됐다 🎉"));
        let stats = memory.stats().unwrap();
        assert_eq!((stats.prompts, stats.forgotten, stats.sessions), (1, 1, 1));
        let session = memory.session("s1").unwrap().unwrap();
        assert_eq!((session.events, session.prompts), (1, 1));
        assert_eq!(memory.event(other.id).unwrap().unwrap().seq, other.seq);
        let rebuilt = memory.rebuild(now()).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    }
    // Forgetting again is not an error and counts nothing.
    let again = memory.forget(&Selector::new().id(secret.id)).unwrap();
    assert_eq!((again.count, again.tombstone), (0, None));
    // The same text is a new memory, and is reported as such.
    let back = memory
        .append(prompt("s1", "the vault opens with marmalade"))
        .unwrap();
    assert!(!back.duplicate);
    assert!(back.warnings.iter().any(|text| text.contains("forgotten")));
    assert!(
        memory
            .append(prompt("s1", "the vault opens with marmalade"))
            .unwrap()
            .duplicate
    );
    let rebuilt = memory.rebuild(now()).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    assert!(finds(
        &memory,
        "marmalade",
        "the vault opens with marmalade"
    ));
}

#[test]
fn every_selector_means_what_it_says() {
    let (_folder, memory) = open();
    for (session, project, day, text) in [
        ("a", "shop", "2026-01-01", "a1"),
        ("a", "shop", "2026-01-02", "a2"),
        ("b", "shop", "2026-01-01", "b1"),
        ("b", "zoo", "2026-01-03", "b2"),
    ] {
        memory
            .append(
                prompt(session, text)
                    .project(project)
                    .timestamp(at(&format!("{day}T12:00:00Z"))),
            )
            .unwrap();
    }
    memory
        .append(
            NewEvent::new(EventKind::AgentResponse, "b", "b3")
                .project("zoo")
                .timestamp(at("2026-01-04T00:00:00Z")),
        )
        .unwrap();
    let count = |selector: Selector| memory.upkeep().count_selected(&selector).unwrap();
    assert_eq!(count(Selector::new().session("a")), 2);
    assert_eq!(count(Selector::new().session("missing")), 0);
    assert_eq!(
        count(Selector::new().before(at("2026-01-02T12:00:00Z"))),
        2,
        "the moment itself does not count"
    );
    assert_eq!(
        count(Selector::new().project(ProjectScope::Named("zoo".into()))),
        2
    );
    assert_eq!(count(Selector::new().kinds([EventKind::AgentResponse])), 1);
    assert_eq!(
        count(
            Selector::new()
                .session("b")
                .before(at("2026-01-02T00:00:00Z"))
        ),
        1
    );
    assert_eq!(count(Selector::everything()), 5);
    assert_eq!(contents(&memory).len(), 5, "counting changes nothing");

    let refused = memory.forget(&Selector::new()).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
    assert_eq!(refused.argument(), Some("selector"));
    let refused = memory
        .forget(&Selector::new().kinds([EventKind::Forgotten]))
        .unwrap_err();
    assert_eq!(refused.argument(), Some("kinds"));
    let nobody: [recallite::Seq; 0] = [];
    for (empty, name) in [
        (Selector::new().session("a").ids(nobody), "ids"),
        (Selector::new().session("a").kinds([]), "kinds"),
    ] {
        let refused = memory.forget(&empty).unwrap_err();
        assert_eq!(
            refused.argument(),
            Some(name),
            "an empty list means nothing"
        );
    }
    assert_eq!(contents(&memory).len(), 5);
    let unknown = memory
        .forget(&Selector::new().id(recallite::Seq(77)))
        .unwrap_err();
    assert_eq!(unknown.code(), ErrorCode::NotFound);

    memory.forget(&Selector::new().session("a")).unwrap();
    assert_eq!(contents(&memory), ["b1", "b2", "b3"]);
    assert!(
        memory.session("a").unwrap().is_none(),
        "no event is left of it"
    );
    assert_eq!(memory.sessions(&ProjectScope::All, None).unwrap().len(), 1);
    let tombstone = memory.stats().unwrap().last_seq;
    let refused = memory
        .forget(&Selector::new().id(recallite::Seq(tombstone)))
        .unwrap_err();
    assert_eq!(refused.argument(), Some("ids[0]"));
    memory.forget(&Selector::everything()).unwrap();
    assert!(contents(&memory).is_empty());
    let stats = memory.stats().unwrap();
    assert_eq!((stats.forgotten, stats.payload_bytes), (5, 30));
    let rebuilt = memory.rebuild(now()).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
}

#[test]
fn another_project_is_out_of_reach_unless_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let event = {
        let memory = Memory::open(folder.path()).unwrap();
        memory
            .append(prompt("s", "theirs").project("theirs"))
            .unwrap()
    };
    let memory = Memory::builder()
        .project("ours")
        .open(folder.path())
        .unwrap();
    memory.append(prompt("s", "ours")).unwrap();
    assert_eq!(
        memory.forget(&Selector::new().session("s")).unwrap().count,
        1
    );
    let refused = memory.forget(&Selector::new().id(event.id)).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
    assert_eq!(contents(&memory), ["theirs"]);
    let forgotten = memory
        .forget(&Selector::new().id(event.id).project(ProjectScope::All))
        .unwrap();
    assert_eq!(forgotten.count, 1);
}

#[test]
fn sessions_turns_and_indexes_come_out_of_a_rebuild_as_they_were() {
    let (_folder, memory) = open();
    for number in 0..700u32 {
        let session = format!("세션-{}", number % 5);
        let event = match number % 4 {
            0 => prompt(&session, &format!("question {number} about zebras?")),
            1 => NewEvent::new(
                EventKind::AgentResponse,
                &session,
                format!("answer {number}: giraffes أهلا"),
            ),
            2 => NewEvent::tool(
                &session,
                ToolUse::new("Read")
                    .input(
                        recallite::Json::parse(
                            "input",
                            &format!("{{\"file_path\":\"/src/{}.rs\"}}", number % 9),
                        )
                        .unwrap(),
                    )
                    .output(format!("line {number}")),
            ),
            _ => prompt(&session, "yes")
                .actor("Ada")
                .dedupe(Dedupe::Key(format!("uuid-{number}"))),
        };
        memory.append(event).unwrap();
        if number % 100 == 50 {
            memory
                .update_session(
                    &session,
                    SessionUpdate::default()
                        .summary(format!("summary {number}"))
                        .tags(["tag"]),
                )
                .unwrap();
        }
        if number % 150 == 149 {
            memory
                .forget(
                    &Selector::new()
                        .ids((1..30).map(|n| recallite::Seq(u64::from(number) - n * 3))),
                )
                .unwrap();
        }
    }
    let before: Vec<_> = memory.sessions(&ProjectScope::All, None).unwrap();
    let stats = memory.stats().unwrap();
    let search = memory.search("giraffes answer").unwrap();
    let rebuilt = memory.rebuild(now()).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    assert_eq!(memory.sessions(&ProjectScope::All, None).unwrap(), before);
    let after = memory.stats().unwrap();
    assert_eq!(after.tools, stats.tools);
    assert_eq!(
        after.lexical.flushed_events + after.lexical.memtable_events,
        stats.lexical.flushed_events + stats.lexical.memtable_events
    );
    let ids = |result: &recallite::SearchResult| -> Vec<_> {
        result.items.iter().map(|hit| hit.id).collect()
    };
    assert_eq!(
        ids(&memory.search("giraffes answer").unwrap()),
        ids(&search)
    );
}

/// A rebuild removes the segments, and does not create a new one if the log is short: a handle that
/// searched before must not continue with its old memtable.
#[test]
fn every_handle_finds_everything_after_a_rebuild() {
    let (folder, memory) = open();
    let other = Memory::open(folder.path().join("memory")).unwrap();
    let texts: Vec<String> = (0..60).map(|number| format!("zebra{number}x")).collect();
    for text in &texts {
        memory.append(prompt("s", text)).unwrap();
    }
    memory.maintain(MaintainBudget::default()).unwrap();
    assert!(memory.stats().unwrap().lexical.segments > 0);
    for handle in [&memory, &other] {
        assert!(finds(handle, &texts[0], &texts[0]));
    }
    memory.rebuild(now()).unwrap();
    assert_eq!(memory.stats().unwrap().lexical.segments, 0);
    for handle in [&memory, &other] {
        for text in &texts {
            assert!(finds(handle, text, text), "{text}");
        }
    }
}

#[test]
fn words_in_large_segments_wait_for_upkeep_and_no_search_finds_them() {
    let (_folder, memory) = open();
    let batch =
        (0..1_200).map(|number| prompt(&format!("s{}", number % 3), &format!("walnut {number}")));
    memory.append_batch(batch.collect()).unwrap();
    let gone: Vec<_> = memory.search("walnut 77").unwrap().items;
    assert_eq!(
        memory.event(gone[0].id).unwrap().unwrap().content,
        "walnut 77"
    );
    let forgotten = memory.forget(&Selector::new().id(gone[0].id)).unwrap();
    // The cost does not depend on the segment's size.
    assert_eq!((forgotten.count, forgotten.segments), (1, 0));
    assert_eq!(forgotten.segments_waiting, 1);
    let finds_it = |memory: &Memory| {
        let found = memory.search("walnut 77").unwrap();
        assert!(!found.degraded);
        found.items.iter().any(|hit| hit.id == gone[0].id)
    };
    assert!(!finds_it(&memory));
    assert!(memory.check().unwrap().ok);
    // An event forgotten while the segment is rewritten stays marked. Here there is none, and the
    // check finds no dead events in a clean segment.
    let done = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!((done.rewritten, done.has_more), (1, false));
    let again = memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(again.rewritten, 0);
    assert!(!finds_it(&memory));
    assert!(memory.check().unwrap().ok);
    // A segment without live events is removed, also by a compaction.
    memory.forget(&Selector::new().session("s1")).unwrap();
    memory.compact().unwrap();
    memory.forget(&Selector::everything()).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    assert!(memory.check().unwrap().ok);
    assert_eq!(memory.stats().unwrap().lexical.segments, 0);
}

#[test]
fn a_session_is_what_its_live_events_make_it_whichever_are_forgotten() {
    let (_folder, memory) = open();
    let mut seqs = Vec::new();
    for number in 0..60u64 {
        // Some times are repeated, and some precede the first one.
        let time = 1_769_900_000_000 + (number as i64 * 37 % 25) * 1_000;
        let kind = match number % 4 {
            0 => EventKind::AgentResponse,
            1 => EventKind::SessionSummary,
            _ => EventKind::UserPrompt,
        };
        let event = NewEvent::new(kind, "long", format!("event {number}"))
            .timestamp(Timestamp::from_millis(time).unwrap());
        seqs.push(memory.append(event).unwrap().seq);
        if number % 20 == 13 {
            let update = SessionUpdate::default()
                .summary(format!("after {number}"))
                .started(Timestamp::from_millis(time + 500).unwrap());
            memory.update_session("long", update).unwrap();
        }
    }
    // A fixed order that starts in the middle and reaches both ends.
    let mut place = 31;
    while !seqs.is_empty() {
        place = (place * 7 + 11) % seqs.len();
        memory
            .forget(&Selector::new().id(seqs.remove(place)))
            .unwrap();
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        assert_eq!(memory.stats().unwrap().prompts, {
            let events = memory.events(EventFilter::new().kinds([EventKind::UserPrompt]));
            events.unwrap().count() as u64
        });
    }
}

/// Others write between the transactions, whose number depends on the machine.
#[test]
fn many_events_are_forgotten_in_several_transactions() {
    let (_folder, memory) = open();
    let events = (0..1_500).map(|n| prompt(["s1", "s2", "s3"][n % 3], &format!("note {n}")));
    for batch in events.collect::<Vec<_>>().chunks(500) {
        memory.append_batch(batch.to_vec()).unwrap();
    }
    let kept = NewEvent::new(EventKind::AgentResponse, "s1", "note to keep");
    let kept = memory.append(kept).unwrap();
    let prompts = Selector::new().kinds([EventKind::UserPrompt]);
    let forgotten = memory.forget(&prompts).unwrap();
    assert_eq!((forgotten.count, forgotten.sessions), (1_500, 3));
    assert_eq!(contents(&memory), ["note to keep"]);
    let tombstones = EventFilter::new()
        .project(ProjectScope::All)
        .kinds([EventKind::Forgotten]);
    let tombstones: Vec<_> = memory
        .events(tombstones)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(tombstones.len() > 1, "{}", tombstones.len());
    assert_eq!(tombstones[0].content, "forgot 64 events");
    assert_eq!(
        forgotten.tombstone,
        tombstones.iter().map(|event| event.seq).max()
    );

    assert_eq!(memory.forget(&prompts).unwrap().count, 0);
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    memory.rebuild(report.as_of).unwrap();
    assert_eq!(contents(&memory), ["note to keep"]);
    assert!(memory.event(kept.id).unwrap().is_some());
}

/// A selection by ids keeps to the kinds that were chosen as well.
#[test]
fn events_of_other_kinds_stay_although_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let say = |kind, text: &str| memory.append(NewEvent::new(kind, "s", text)).unwrap();
    let prompt = say(EventKind::UserPrompt, "Where does the ledger live?");
    let response = say(EventKind::AgentResponse, "The ledger lives in Postgres.");
    let ids = [prompt.id, response.id];
    let prompts = Selector::new().ids(ids).kinds([EventKind::UserPrompt]);
    assert_eq!(memory.upkeep().count_selected(&prompts).unwrap(), 1);
    assert_eq!(memory.upkeep().count_erasable(&prompts).unwrap(), 1);
    assert_eq!(memory.forget(&prompts).unwrap().count, 1);
    assert_eq!(memory.upkeep().count_selected(&prompts).unwrap(), 0);
    assert_eq!(memory.upkeep().count_erasable(&prompts).unwrap(), 1);
    assert!(memory.event(prompt.id).unwrap().is_none());
    assert_eq!(memory.erase(&prompts).unwrap().count, 1);
    assert_eq!(memory.upkeep().count_erasable(&prompts).unwrap(), 0);
    assert!(memory.event(response.id).unwrap().is_some());
    // Without kinds, whatever is named.
    assert_eq!(
        memory
            .forget(&Selector::new().ids(ids[1..].to_vec()))
            .unwrap()
            .count,
        1
    );
}

/// What a forgotten injection gave to an agent is no longer counted.
#[test]
fn a_forgotten_injection_takes_its_uses_along() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let text = "The ledger lives in Postgres.";
    let said = memory
        .append(NewEvent::new(EventKind::UserPrompt, "s", text))
        .unwrap();
    let mut options = recallite::ContextOptions::new("where does the ledger live?");
    options.session = Some("a".to_owned());
    options.recording = Some(recallite::Recording::Now);
    memory.context(options).unwrap();
    let uses = || memory.citations().popular(10, None).unwrap().len();
    assert_eq!(uses(), 1);
    let injections = Selector::new().kinds([EventKind::Injected]);
    assert_eq!(memory.forget(&injections).unwrap().count, 1);
    assert_eq!(
        (uses(), memory.stats().unwrap().injections.injections),
        (0, 0)
    );
    assert!(memory.event(said.id).unwrap().is_some());
    let now = Timestamp::from_millis(1_800_000_000_000).unwrap();
    let rebuilt = memory.rebuild(now).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    assert_eq!(uses(), 0);
}

#[test]
fn tombstones_have_no_retention() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Memory::builder().retention_ms(EventKind::Forgotten, 1_000);
    let error = builder.open(folder.path()).unwrap_err();
    assert_eq!(error.argument(), Some("retention_ms"));
}

/// What is learned from such a session belongs to the project that it was given to.
#[test]
fn a_project_covers_the_sessions_that_were_given_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let say = |session: &str, project: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, session, text).project(project);
        memory.append(event).unwrap();
    };
    say("given", "shop", "We decided to keep sessions in Redis.");
    say("given", "", "The office is in Lisbon.");
    say("other", "shop", "The logo is green.");
    let update = SessionUpdate::default().project("bank");
    let update = update.summary("Where sessions are.");
    memory.update_session("given", update).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    let bank = || Selector::new().project(ProjectScope::Named("bank".to_owned()));
    let count = |selector: &Selector| memory.upkeep().count_selected(selector).unwrap();
    let whole = Selector::new().session("given").project(ProjectScope::All);
    assert!(count(&whole) > 2);
    assert_eq!(count(&bank().session("given")), count(&whole));
    assert_eq!(count(&bank().kinds([EventKind::UserPrompt])), 2);
    assert_eq!(count(&bank().session("other")), 0);
    assert_eq!(count(&bank().id(recallite::Seq(1))), 1);
    let shop = Selector::new().project(ProjectScope::Named("shop".to_owned()));
    assert_eq!(count(&shop.session("given")), 1);
    let mut all = bank();
    all.everything = true;
    memory.erase(&all).unwrap();
    let sessions = memory.sessions(&ProjectScope::All, None).unwrap();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let entries = memory
        .knowledge()
        .entries(&recallite::EntryFilter::default())
        .unwrap();
    assert!(entries.is_empty(), "{entries:?}");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = if path.is_file() {
            std::fs::read(path).unwrap()
        } else {
            Vec::new()
        };
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("Lisbon") && !text.contains("bank"));
    }
}
