//! The log through the public interface: appended events are found again, refused ones leave
//! nothing behind, and duplicates are reported.

use recallite::{
    Dedupe, ErrorCode, EventFilter, EventKind, EventRef, Json, Memory, NewEvent, Seq,
    SessionUpdate, Timestamp,
};

use crate::clock::FixedClock;

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

#[test]
fn an_event_is_read_back_by_id_citation_and_position() {
    let (_folder, memory) = open();
    let receipt = memory
        .append(
            prompt("세션-1", "결제 시간 초과는 30초입니다 🎉")
                .actor("민수")
                .project("shop")
                .timestamp(at("2026-01-30T14:05:00Z"))
                .metadata(Json::parse("metadata", r#"{"b": 1, "a": [true]}"#).unwrap()),
        )
        .unwrap();
    assert!(!receipt.duplicate);
    assert_eq!(receipt.seq, Seq(1));
    let by_id = memory.event(receipt.id).unwrap().unwrap();
    assert_eq!(by_id.content, "결제 시간 초과는 30초입니다 🎉");
    assert_eq!(by_id.actor, "민수");
    assert_eq!(by_id.project, "shop");
    assert_eq!(by_id.timestamp, at("2026-01-30T14:05:00Z"));
    assert_eq!(
        by_id.metadata.as_ref().unwrap().as_str(),
        r#"{"a":[true],"b":1}"#
    );
    assert_eq!(
        memory.event(receipt.citation.clone()).unwrap().unwrap(),
        by_id
    );
    assert_eq!(memory.event(Seq(1)).unwrap().unwrap(), by_id);
    assert_eq!(
        memory.citation(&format!("[{}]", receipt.citation)).unwrap(),
        by_id
    );
    assert_eq!(memory.event(Seq(2)).unwrap(), None);
}

#[test]
fn the_same_content_in_a_session_is_stored_once_unless_asked_otherwise() {
    let (_folder, memory) = open();
    let first = memory.append(prompt("s", "yes")).unwrap();
    let again = memory.append(prompt("s", "yes")).unwrap();
    assert!(again.duplicate);
    assert_eq!(again.id, first.id);
    assert_eq!(again.citation, first.citation);
    assert!(!memory.append(prompt("other", "yes")).unwrap().duplicate);
    assert!(
        !memory
            .append(prompt("s", "yes").dedupe(Dedupe::None))
            .unwrap()
            .duplicate
    );
    let keyed = prompt("s", "yes").dedupe(Dedupe::Key("uuid-1".into()));
    assert!(!memory.append(keyed.clone()).unwrap().duplicate);
    assert!(memory.append(keyed).unwrap().duplicate);
    assert_eq!(memory.stats().unwrap().events, 4);
}

#[test]
fn a_batch_is_stored_whole_or_not_at_all() {
    let (_folder, memory) = open();
    let refused = memory.append_batch(vec![
        prompt("s", "one"),
        prompt("s", " \n "),
        prompt("s", "three"),
    ]);
    let error = refused.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    assert_eq!(error.argument(), Some("events[1].content"));
    assert_eq!(memory.stats().unwrap().last_seq, 0);
    let receipts = memory
        .append_batch(vec![prompt("s", "one"), prompt("s", "one")])
        .unwrap();
    assert_eq!(
        receipts.iter().map(|r| r.duplicate).collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
fn bad_input_names_its_argument_and_stores_nothing() {
    let (_folder, memory) = open();
    let long = "x".repeat(5000);
    let cases = [
        (prompt("", "text"), "session"),
        (prompt(&long, "text"), "session"),
        (prompt("s\0", "text"), "session"),
        (prompt("s", ""), "content"),
        (prompt("s", "\u{3000}\t"), "content"),
        (prompt("s", "text").project(long.clone()), "project"),
        (prompt("s", "text").actor("a\0"), "actor"),
        (
            prompt("s", "text").metadata(Json::parse("metadata", "[1]").unwrap()),
            "metadata",
        ),
        (
            prompt("s", "text").dedupe(Dedupe::Key(String::new())),
            "dedupe",
        ),
    ];
    for (event, argument) in cases {
        let error = memory.append(event).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
        assert_eq!(error.argument(), Some(argument), "{error}");
        assert!(error.message().starts_with(argument), "{error}");
    }
    assert_eq!(memory.stats().unwrap().last_seq, 0);
    assert!(Timestamp::from_millis(i64::MAX).is_err());
    assert!("nonsense".parse::<EventKind>().is_err());
    assert!("not an id".parse::<EventRef>().is_err());
}

#[test]
fn nul_bytes_and_megabytes_of_text_come_back_unchanged() {
    let (_folder, memory) = open();
    let text = format!("a\0b {}", "글자 ".repeat(300_000));
    let receipt = memory.append(prompt("s", &text)).unwrap();
    assert_eq!(memory.event(receipt.id).unwrap().unwrap().content, text);
}

#[test]
fn events_come_in_the_order_of_time_and_fit_the_filter() {
    let (_folder, memory) = open();
    for (session, project, time, text) in [
        ("b", "shop", "2026-02-02T00:00:00Z", "third"),
        ("a", "shop", "2026-01-01T00:00:00Z", "first"),
        ("a", "blog", "2026-02-01T00:00:00Z", "second"),
        ("a", "shop", "1969-07-20T20:17:00Z", "before 1970"),
    ] {
        memory
            .append(prompt(session, text).project(project).timestamp(at(time)))
            .unwrap();
    }
    memory
        .append(NewEvent::new(EventKind::AgentResponse, "a", "answer").timestamp(at("2026-03-01")))
        .unwrap();
    let texts = |filter: EventFilter| -> Vec<String> {
        memory
            .events(filter)
            .unwrap()
            .map(|event| event.unwrap().content)
            .collect()
    };
    assert_eq!(
        texts(EventFilter::new()),
        ["before 1970", "first", "second", "third", "answer"]
    );
    assert_eq!(
        texts(EventFilter::new().newest_first().limit(2)),
        ["answer", "third"]
    );
    assert_eq!(
        texts(EventFilter::new().session("a")),
        ["before 1970", "first", "second", "answer"]
    );
    assert_eq!(
        texts(EventFilter::new().kinds([EventKind::AgentResponse])),
        ["answer"]
    );
    assert_eq!(
        texts(EventFilter::new().project(recallite::scope::ProjectScope::Named("shop".into()))),
        ["before 1970", "first", "third"]
    );
    assert_eq!(
        texts(
            EventFilter::new()
                .from(at("2026-01-01"))
                .until(at("2026-02-02"))
        ),
        ["first", "second"]
    );
    assert_eq!(texts(EventFilter::new().session("nobody")), [] as [&str; 0]);
    assert_eq!(
        texts(
            EventFilter::new()
                .from(at("2027-01-01"))
                .until(at("2026-01-01"))
        ),
        [] as [&str; 0]
    );
}

#[test]
fn scans_longer_than_one_step_miss_and_repeat_nothing() {
    let (_folder, memory) = open();
    let events = (0..1000).map(|i| prompt("s", &format!("event {i}")).timestamp(at("2026-01-01")));
    memory.append_batch(events.collect()).unwrap();
    let forward: Vec<u64> = memory
        .events(EventFilter::new())
        .unwrap()
        .map(|event| event.unwrap().seq.0)
        .collect();
    assert_eq!(forward, (1..=1000).collect::<Vec<_>>());
    let backward: Vec<u64> = memory
        .events(EventFilter::new().session("s").newest_first())
        .unwrap()
        .map(|event| event.unwrap().seq.0)
        .collect();
    assert_eq!(backward, (1..=1000).rev().collect::<Vec<_>>());
    let changes = memory.changes_since(Seq(990), 5).unwrap();
    assert_eq!(
        changes.iter().map(|event| event.seq.0).collect::<Vec<_>>(),
        [991, 992, 993, 994, 995]
    );
}

#[test]
fn a_session_keeps_its_figures_and_what_it_was_told() {
    let (_folder, memory) = open();
    memory
        .append(prompt("s", "q").timestamp(at("2026-01-02")))
        .unwrap();
    memory
        .append(NewEvent::new(EventKind::AgentResponse, "s", "a").timestamp(at("2026-01-03")))
        .unwrap();
    let update = SessionUpdate::default()
        .ended(at("2026-01-04"))
        .summary("They spoke. <private>secret</private>")
        .tags(["deploy"]);
    let session = memory.update_session("s", update).unwrap();
    assert_eq!(
        (session.prompts, session.responses, session.events),
        (1, 1, 2)
    );
    assert_eq!(session.started, at("2026-01-02"));
    assert_eq!(session.ended, Some(at("2026-01-04")));
    assert_eq!(session.tags, ["deploy"]);
    assert_eq!(session.summary.as_deref(), Some("They spoke. [PRIVATE]"));
    let kept = memory
        .update_session("s", SessionUpdate::default())
        .unwrap();
    assert_eq!(kept, session);
    assert_eq!(memory.session("nobody").unwrap(), None);
}

#[test]
fn a_session_is_the_same_after_a_rebuild_though_its_clock_was_a_century_ahead() {
    for years_ahead in [100, 110, 130, 400] {
        let folder = tempfile::tempdir().unwrap();
        let clock = FixedClock::at("2026-03-01T12:00:00Z");
        let memory = Memory::builder()
            .clock(clock.clone())
            .open(folder.path())
            .unwrap();
        let ahead_ms = years_ahead * 365 * 24 * 60 * 60 * 1_000;
        clock.advance_ms(ahead_ms);
        memory
            .append(prompt("s", "the first note").project("early"))
            .unwrap();
        clock.advance_ms(-ahead_ms);
        for text in ["the second note", "the third note"] {
            memory.append(prompt("s", text).project("late")).unwrap();
            clock.advance_minutes(1);
        }
        let session = memory.session("s").unwrap();
        let check = memory.check().unwrap();
        assert!(check.ok, "{years_ahead} years ahead: {check:?}");
        memory.rebuild(check.as_of).unwrap();
        assert_eq!(memory.session("s").unwrap(), session);
        let check = memory.check().unwrap();
        assert!(check.ok, "{years_ahead} years ahead: {check:?}");
    }
}

#[test]
fn a_session_does_not_end_before_the_beginning_that_it_was_given() {
    let (_folder, memory) = open();
    let began = SessionUpdate::default().started(at("2026-01-02"));
    memory.update_session("s", began.clone()).unwrap();
    let ended = |day| SessionUpdate::default().ended(at(day));
    for (session, update) in [
        ("s", ended("2026-01-01")),
        ("new", began.ended(at("2026-01-01"))),
    ] {
        let error = memory.update_session(session, update).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("ended"));
    }
    assert_eq!(memory.session("s").unwrap().unwrap().ended, None);
    assert_eq!(memory.session("new").unwrap(), None);
    let same = memory.update_session("s", ended("2026-01-02")).unwrap();
    assert_eq!(same.ended, Some(at("2026-01-02")));
    // Its first event was stamped by another clock.
    memory
        .append(prompt("t", "q").timestamp(at("2026-01-04")))
        .unwrap();
    memory.update_session("t", ended("2026-01-03")).unwrap();
}

#[test]
fn reads_and_writes_agree_on_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let blog = Memory::builder()
        .project("blog")
        .open(folder.path())
        .unwrap();
    shop.append(prompt("s1", "in the shop")).unwrap();
    blog.append(prompt("s2", "in the blog")).unwrap();
    let seen = |memory: &Memory, filter| memory.events(filter).unwrap().count();
    assert_eq!(seen(&shop, EventFilter::new()), 1);
    assert_eq!(seen(&blog, EventFilter::new()), 1);
    assert_eq!(
        seen(
            &blog,
            EventFilter::new().project(recallite::scope::ProjectScope::All)
        ),
        2
    );
    assert_eq!(
        shop.sessions(&Default::default(), None).unwrap()[0].id,
        "s1"
    );
}

#[test]
fn the_newest_sessions_are_listed_up_to_a_limit() {
    let (_folder, memory) = open();
    // The oldest session has the newest event.
    let spoken = (0..1_005).chain([0]).zip(1i64..).map(|(session, second)| {
        NewEvent::new(EventKind::UserPrompt, format!("s{session}"), "text")
            .dedupe(Dedupe::None)
            .timestamp(Timestamp::from_millis_clamped(second * 1_000))
    });
    memory.append_batch(spoken.collect()).unwrap();
    let listed = |limit| {
        let all = recallite::scope::ProjectScope::All;
        let sessions = memory.sessions(&all, limit).unwrap();
        sessions.into_iter().map(|s| s.id).collect::<Vec<_>>()
    };
    let all = listed(Some(usize::MAX));
    assert_eq!((all.len(), &*all[0], &*all[1]), (1_005, "s0", "s1004"));
    for (limit, count) in [(None, 1_000), (Some(2), 2), (Some(0), 0)] {
        assert_eq!(listed(limit), all[..count]);
    }
}

#[test]
fn a_closed_memory_says_so() {
    let (_folder, memory) = open();
    memory.append(prompt("s", "text")).unwrap();
    memory.close().unwrap();
    memory.close().unwrap();
    assert!(!memory.is_open());
    assert_eq!(memory.stats().unwrap_err().code(), ErrorCode::Closed);
    assert_eq!(
        memory.append(prompt("s", "more")).unwrap_err().code(),
        ErrorCode::Closed
    );
}

#[test]
fn what_only_the_library_records_cannot_be_appended() {
    let (_folder, memory) = open();
    let mut own = 0;
    for &kind in EventKind::ALL {
        let event = NewEvent::new(kind, "s", format!("a {kind}"));
        if kind.is_appendable() {
            memory.append(event).unwrap();
            continue;
        }
        own += 1;
        let forged = event.metadata(Json::parse("metadata", r#"{"seqs":[[1,1]]}"#).unwrap());
        let error = memory.append(forged.clone()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{kind}");
        assert_eq!(error.argument(), Some("kind"), "{kind}");
        assert!(error.message().contains(kind.as_str()), "{error}");
        let batch = vec![prompt("s", "not stored either"), forged];
        let error = memory.append_batch(batch).unwrap_err();
        assert_eq!(error.argument(), Some("events[1].kind"), "{kind}");
    }
    assert_eq!(own, EventKind::ALL.len() - 4);
    assert_eq!(memory.stats().unwrap().last_seq, 4);
}
