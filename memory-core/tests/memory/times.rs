//! Time expressions in a question select the events of that time if it asks for nothing else, and
//! otherwise only favour them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recallite::clock::Clock;
use recallite::rules::disclosure::ExpansionReason;
use recallite::rules::entries::EntryType;
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, EventKind, Json, MatchClass, Memory, NewEntry, NewEvent, Query, Recording,
    SearchResult, Seq, SmartSearchOptions, Timestamp, ToolOutcome, ToolUse,
};

/// A manually set clock.
#[derive(Debug)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis_clamped(self.0.load(Ordering::Relaxed))
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A memory on Wednesday, 2026-03-18, with two sessions from Tuesday, which is yesterday.
struct Week {
    _folder: tempfile::TempDir,
    memory: Memory,
    clock: Arc<Hands>,
}

const SAID: [(&str, &str, EventKind, &str); 8] = [
    (
        "2026-03-11T09:00:00Z",
        "old",
        EventKind::UserPrompt,
        "The invoice cache is too small.",
    ),
    (
        "2026-03-17T08:00:00Z",
        "early",
        EventKind::UserPrompt,
        "Rename the shipping module.",
    ),
    (
        "2026-03-17T08:05:00Z",
        "early",
        EventKind::AgentResponse,
        "It is called dispatch now.",
    ),
    (
        "2026-03-17T16:00:00Z",
        "late",
        EventKind::UserPrompt,
        "배포 스크립트를 고쳐 줘.",
    ),
    (
        "2026-03-17T16:05:00Z",
        "late",
        EventKind::AgentResponse,
        "고쳤습니다.",
    ),
    (
        "2026-03-17T17:00:00Z",
        "late",
        EventKind::SessionSummary,
        "Module renamed, script fixed.",
    ),
    (
        "2026-03-18T09:00:00Z",
        "now",
        EventKind::UserPrompt,
        "Good morning, heron.",
    ),
    (
        "2026-03-18T09:01:00Z",
        "now",
        EventKind::AgentResponse,
        "Good morning.",
    ),
];

fn week() -> Week {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(Hands(at("2026-03-18T15:30:00Z").millis().into()));
    let memory = Memory::builder()
        .clock(clock.clone())
        .time_zone("UTC")
        .open(folder.path())
        .unwrap();
    for (time, session, kind, text) in SAID {
        let event = NewEvent::new(kind, session, text).timestamp(at(time));
        memory.append(event).unwrap();
    }
    let call = ToolUse::new("Bash").output("12 tests passed");
    let call = NewEvent::tool("late", call).timestamp(at("2026-03-17T16:02:00Z"));
    memory.append(call).unwrap();
    Week {
        _folder: folder,
        memory,
        clock,
    }
}

fn days(found: &SearchResult) -> Vec<String> {
    let mut days: Vec<String> = found
        .items
        .iter()
        .map(|hit| hit.timestamp.date_utc())
        .collect();
    days.dedup();
    days
}

#[test]
fn a_question_for_a_time_alone_gives_what_happened_then() {
    let week = week();
    for question in [
        "what did we do yesterday?",
        "What happened on Tuesday?",
        "summarize 2026-03-17",
        "어제 뭐 했지?",
        "昨日は何をしましたか",
        "昨天我们做了什么？",
    ] {
        let found = week.memory.search(Query::new(question)).unwrap();
        assert_eq!(days(&found), ["2026-03-17"], "{question}");
        assert_eq!(
            (found.items.len(), found.total_matches),
            (6, 6),
            "{question}"
        );
        assert_eq!(found.confidence, MatchClass::Suggested);
        assert!(found.items.iter().all(|hit| hit.relevance == 0.5));
        assert!(found.items.is_sorted_by(|a, b| a.rank_score > b.rank_score));
    }
    let found = week.memory.search("what did we do yesterday?").unwrap();
    let first: Vec<&str> = found.items[..2]
        .iter()
        .map(|hit| hit.passage.text.as_str())
        .collect();
    assert_eq!(
        first,
        [
            "Module renamed, script fixed.",
            "Rename the shipping module."
        ]
    );
    assert_eq!(found.items[5].kind, EventKind::ToolObservation);
    let few = week
        .memory
        .search(Query::new("what did we do yesterday?").limit(2))
        .unwrap();
    assert_eq!((few.items.len(), few.total_matches), (2, 6));
}

#[test]
fn filters_hold_for_the_events_of_a_time() {
    let week = week();
    let ask = || Query::new("what did we do yesterday?");
    let texts = |query: Query| -> Vec<String> {
        let found = week.memory.search(query).unwrap();
        found.items.into_iter().map(|hit| hit.session).collect()
    };
    assert_eq!(texts(ask().session("early")), ["early", "early"]);
    assert_eq!(texts(ask().tools(["Bash"])), ["late"]);
    assert_eq!(texts(ask().kinds([EventKind::UserPrompt])).len(), 2);
    assert_eq!(texts(ask().until(at("2026-03-17T12:00:00Z"))).len(), 2);
    assert!(texts(ask().min_relevance(0.6)).is_empty());
    let none = week.memory.search(ask().min_relevance(0.6)).unwrap();
    assert_eq!(none.confidence, MatchClass::None);
    let skipped = ContextOptions::new(ask())
        .session("late")
        .skip_known_since(at("2026-03-17T00:00:00Z"))
        .recording(Recording::Never);
    let context = week.memory.context(skipped).unwrap();
    assert!(!context.items.is_empty());
    assert!(context.items.iter().all(|item| item.session == "early"));
}

#[test]
fn the_day_is_that_of_the_question() {
    let week = week();
    let ask = || Query::new("what happened yesterday?");
    // As of Thursday of last week, yesterday was a Wednesday.
    let then = week
        .memory
        .search(ask().as_of(at("2026-03-12T10:00:00Z")))
        .unwrap();
    assert_eq!(days(&then), ["2026-03-11"]);
    // A cached result does not outlive the day.
    assert_eq!(days(&week.memory.search(ask()).unwrap()), ["2026-03-17"]);
    week.clock
        .0
        .store(at("2026-03-19T00:00:01Z").millis(), Ordering::Relaxed);
    assert_eq!(days(&week.memory.search(ask()).unwrap()), ["2026-03-18"]);
}

#[test]
fn a_question_with_words_of_its_own_prefers_the_time_and_hides_nothing() {
    let week = week();
    let said = |time: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "more", text).timestamp(at(time));
        week.memory.append(event).unwrap().seq
    };
    let yesterday = said(
        "2026-03-17T10:00:00Z",
        "The kestrel service needs more memory there.",
    );
    let before = said(
        "2026-03-10T10:00:00Z",
        "The kestrel service needs more memory here.",
    );
    let first = |question: &str| week.memory.search(question).unwrap().items[0].seq;
    assert_eq!(
        first("what about the kestrel service yesterday?"),
        yesterday
    );
    assert_eq!(first("what about the kestrel service last week?"), before);
    assert_eq!(first("어제 kestrel service 메모리 얘기"), yesterday);
    // An event far from that time is still found.
    let found = week
        .memory
        .search("was the invoice cache too small yesterday?")
        .unwrap();
    assert_eq!(found.items[0].passage.text, SAID[0].3);
}

#[test]
fn a_time_in_which_nothing_happened_hides_nothing() {
    let week = week();
    let found = week.memory.search("heron on Sunday").unwrap();
    assert_eq!(found.items[0].session, "now");
    let none = week.memory.search("what did we do on Sunday?").unwrap();
    assert!(none.items.iter().all(|hit| hit.relevance != 0.5));
}

#[test]
fn smart_search_shows_what_happened_around() {
    let week = week();
    let smart = |question: &str| {
        week.memory
            .smart_search(question, SmartSearchOptions::default())
            .unwrap()
    };
    let found = smart("what did we do yesterday?");
    assert_eq!(
        found.meta.expansion_reason,
        ExpansionReason::TemporalProximity
    );
    assert!(!found.timeline.is_empty() && found.details.is_empty());
    assert_ne!(
        smart("who waters the plants?").meta.expansion_reason,
        ExpansionReason::TemporalProximity
    );
    let context = week.memory.context("what did we do yesterday?").unwrap();
    assert_eq!(context.confidence, MatchClass::Suggested);
    assert!(context.text.contains("Module renamed"));
}

#[test]
fn what_was_decided_then_is_given_with_it() {
    let week = week();
    let decided = |text: &str| {
        let entry = NewEntry::new(EntryType::Decision, "now", text, text);
        week.memory.knowledge().add_entry(&entry).unwrap();
    };
    decided("Orders are kept in SQLite.");
    week.clock
        .0
        .store(at("2026-03-19T10:00:00Z").millis(), Ordering::Relaxed);
    decided("Parcels are kept in Postgres.");
    let titles = |question: &str| -> Vec<String> {
        let found = week.memory.search(question).unwrap().learned;
        found.into_iter().map(|hit| hit.title).collect()
    };
    assert_eq!(
        titles("what did we decide yesterday?"),
        ["Orders are kept in SQLite."]
    );
    assert_eq!(titles("어제 뭘 결정했지?"), ["Orders are kept in SQLite."]);
    assert_eq!(
        titles("what did we decide today?"),
        ["Parcels are kept in Postgres."]
    );
}

#[test]
fn the_days_are_those_of_the_time_zone() {
    // It is half past midnight on the 19th in Seoul, where yesterday is the 18th.
    let week = week();
    let folder = week._folder.path();
    let found = |zone: &str, question: &str| -> Vec<String> {
        let builder = Memory::builder().clock(week.clock.clone()).time_zone(zone);
        let memory = builder.open(folder).unwrap();
        let found = memory.search(question).unwrap();
        let of_time = found.items.iter().filter(|hit| hit.relevance == 0.5);
        of_time.map(|hit| hit.timestamp.to_string()).collect()
    };
    let question = "what did we do yesterday?";
    let in_utc = found("UTC", question);
    assert!(
        in_utc.iter().all(|at| at.starts_with("2026-03-17")),
        "{in_utc:?}"
    );
    assert_eq!(found("+00:00", question), in_utc);
    let in_seoul = found("Asia/Seoul", question);
    assert!(!in_seoul.is_empty());
    assert!(
        in_seoul
            .iter()
            .all(|at| ("2026-03-17T15:00".."2026-03-18T15:00").contains(&at.as_str())),
        "{in_seoul:?}"
    );
    // In Apia it is the 19th as well; in Honolulu it is still the morning of the 18th.
    assert_eq!(
        found("Pacific/Apia", "what did we do on March 17?").len(),
        2
    );

    let error = Memory::builder()
        .time_zone("Asia/Nowhere")
        .open(folder.join("new"))
        .unwrap_err();
    assert_eq!(error.argument(), Some("time_zone"));
    assert!(!folder.join("new").exists());
}

#[test]
fn of_more_events_than_are_looked_at_the_newest_count() {
    let week = week();
    let day = at("2026-03-13T00:00:00Z").millis();
    let said = (0..1_030i64).map(|minute| {
        let time = Timestamp::from_millis(day + minute * 60_000).unwrap();
        NewEvent::new(EventKind::UserPrompt, "long", format!("Step {minute}.")).timestamp(time)
    });
    week.memory.append_batch(said.collect()).unwrap();
    let question = "what did we do last Friday?";
    let found = week.memory.search(Query::new(question).limit(1)).unwrap();
    assert_eq!(found.total_matches, 1_024);
    // A session is listed in chronological order.
    assert_eq!(found.items[0].timestamp, at("2026-03-13T00:06:00Z"));
}

#[test]
fn a_call_is_found_behind_more_events_than_are_looked_at() {
    let week = week();
    let day = at("2026-03-13T00:00:00Z").millis();
    let time = |minute: i64| Timestamp::from_millis(day + minute * 60_000).unwrap();
    let call = ToolUse::new("Grep").output("one match");
    let call = NewEvent::tool("long", call).timestamp(time(0));
    let call = week.memory.append(call).unwrap();
    let said = (1..1_100).map(|minute| {
        let text = format!("Step {minute}.");
        NewEvent::new(EventKind::UserPrompt, "long", text).timestamp(time(minute))
    });
    week.memory.append_batch(said.collect()).unwrap();
    let question = Query::new("what did we do last Friday?").tools(["Grep"]);
    let found = week.memory.search(question).unwrap();
    let seqs: Vec<Seq> = found.items.iter().map(|hit| hit.seq).collect();
    assert_eq!(seqs, [call.seq]);
}

#[test]
fn a_date_alone_is_looked_for_as_it_stands() {
    let week = week();
    let event = NewEvent::new(
        EventKind::UserPrompt,
        "old",
        "The report of 2026-03-17 is late.",
    );
    let said = week
        .memory
        .append(event.timestamp(at("2026-03-12T09:00:00Z")))
        .unwrap();
    let found = week.memory.search("2026-03-17").unwrap();
    assert_eq!(found.items[0].seq, said.seq);
}

#[test]
fn several_times_are_told_together_the_newest_session_first() {
    let week = week();
    let monday = NewEvent::new(EventKind::UserPrompt, "monday", "Plan the week.");
    let monday = monday.timestamp(at("2026-03-16T10:00:00Z"));
    week.memory.append(monday).unwrap();
    for question in [
        "what did we do on Monday and yesterday?",
        "what did we do yesterday and on Monday?",
    ] {
        let found = week.memory.search(question).unwrap();
        assert_eq!(found.total_matches, 7, "{question}");
        let first = found.items.iter().take(3);
        let sessions: Vec<&str> = first.map(|hit| hit.session.as_str()).collect();
        assert_eq!(sessions, ["late", "early", "monday"], "{question}");
    }
}

#[test]
fn what_filters_leave_is_found_behind_more_events_than_are_looked_at() {
    let week = week();
    let day = at("2026-03-13T00:00:00Z").millis();
    let time = |number: i64| Timestamp::from_millis(day + number * 10_000).unwrap();
    let call = |number: i64| {
        let call = ToolUse::new("Grep")
            .output(format!("match {number}"))
            .success(number != 0);
        NewEvent::tool("long", call).timestamp(time(number))
    };
    let failed = week.memory.append(call(0)).unwrap();
    let calls = (1..1_100).map(call).collect();
    week.memory.append_batch(calls).unwrap();
    let ask = || Query::new("what did we do last Friday?");
    let found = |query: Query| -> Vec<Seq> {
        let found = week.memory.search(query).unwrap();
        assert!(!found.degraded);
        found.items.iter().map(|hit| hit.seq).collect()
    };
    let query = ask().tool_outcome(ToolOutcome::Failed);
    assert_eq!(found(query), [failed.seq]);
    // That an event has no project is in no index.
    let others = (1_100..7_000).map(|number| {
        let event = NewEvent::new(EventKind::UserPrompt, "long", format!("Step {number}."));
        event.project("other").timestamp(time(number))
    });
    week.memory.append_batch(others.collect()).unwrap();
    let query = ask().project(ProjectScope::Named(String::new()));
    let found = week.memory.search(query).unwrap();
    assert_eq!((found.total_matches, found.degraded), (1_024, false));
}

#[test]
fn a_time_is_answered_whatever_counts_as_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(Hands(at("2026-03-18T15:30:00Z").millis().into()));
    let settings = Json::parse("settings", r#"{"matching": {"minGap": 0.03}}"#).unwrap();
    let memory = Memory::builder()
        .clock(clock)
        .time_zone("UTC")
        .settings(settings)
        .open(folder.path())
        .unwrap();
    for (time, session, kind, text) in SAID {
        let event = NewEvent::new(kind, session, text).timestamp(at(time));
        memory.append(event).unwrap();
    }
    let found = memory.search("what did we do yesterday?").unwrap();
    assert_eq!(found.confidence, MatchClass::Suggested);
    let context = memory.context("what did we do yesterday?").unwrap();
    assert!(!context.items.is_empty());
}
