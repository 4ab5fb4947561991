//! Iterating over events while the store changes underneath.

use recallite::scope::ProjectScope;
use recallite::{
    ErrorCode, EventFilter, EventKind, Events, Json, Memory, NewEvent, Selector, Seq, Timestamp,
    ToolUse,
};

fn open() -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("memory")).unwrap();
    (folder, memory)
}

fn at(number: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + number as i64).unwrap()
}

fn prompts(session: &str, range: std::ops::Range<u64>) -> Vec<NewEvent> {
    range
        .map(|number| {
            NewEvent::new(EventKind::UserPrompt, session, format!("event {number}"))
                .timestamp(at(number))
        })
        .collect()
}

fn seqs(events: Events) -> Vec<u64> {
    events.map(|event| event.unwrap().seq.0).collect()
}

fn edits(session: &str, project: &str, tool: &str, range: std::ops::Range<u64>) -> Vec<NewEvent> {
    range
        .map(|number| {
            let input = format!(r#"{{"file_path": "/{session}/{}.rs"}}"#, number % 3);
            let tool = ToolUse::new(tool)
                .input(Json::parse("input", &input).unwrap())
                .output(format!("output {number}"));
            NewEvent::tool(session, tool)
                .project(project)
                .timestamp(at(number))
        })
        .collect()
}

#[test]
fn a_scan_goes_on_when_another_session_is_erased() {
    // One filter for each index that a scan may use.
    let shop = || ProjectScope::Named("shop".into());
    let all = || EventFilter::new().project(ProjectScope::All);
    for filter in [
        all().session("kept"),
        all().session("kept").newest_first(),
        all().tools(["Edit"]),
        all().file_contains("kept"),
        all().project(shop()),
        all().project(shop()).kinds([EventKind::ToolObservation]),
        all().from(at(20)),
    ] {
        let (_folder, memory) = open();
        // Names are numbered in log order: without the first session all later ones have other
        // numbers.
        memory
            .append_batch(edits("gone", "other", "Read", 0..20))
            .unwrap();
        memory
            .append_batch(edits("kept", "shop", "Edit", 20..620))
            .unwrap();
        let whole = seqs(memory.events(filter.clone()).unwrap());
        assert_eq!(whole.len(), 600, "{filter:?}");
        let mut events = memory.events(filter.clone()).unwrap();
        let mut read: Vec<u64> = events
            .by_ref()
            .take(10)
            .map(|event| event.unwrap().seq.0)
            .collect();
        let gone = Selector::new().session("gone").project(ProjectScope::All);
        memory.erase(&gone).unwrap();
        read.extend(seqs(events));
        assert_eq!(read, whole, "{filter:?}");
    }
}

#[test]
fn a_step_gives_nothing_that_was_forgotten_or_erased_before_it() {
    for (is_erased, newest_first) in [(false, false), (true, false), (true, true)] {
        let (_folder, memory) = open();
        memory.append_batch(prompts("s", 0..1000)).unwrap();
        memory.append_batch(prompts("t", 1000..1002)).unwrap();
        let mut filter = EventFilter::new();
        filter.newest_first = newest_first;
        let mut events = memory.events(filter).unwrap();
        events.next().unwrap().unwrap();
        let selector = Selector::new().session("s");
        match is_erased {
            true => drop(memory.erase(&selector).unwrap()),
            false => drop(memory.forget(&selector).unwrap()),
        }
        let left = seqs(events);
        let wanted: &[u64] = if newest_first { &[1001] } else { &[1001, 1002] };
        assert_eq!(left, wanted);
    }
}

#[test]
fn a_step_sees_what_another_handle_forgot() {
    let (folder, memory) = open();
    memory.append_batch(prompts("s", 0..20)).unwrap();
    let mut events = memory.events(EventFilter::new()).unwrap();
    events.next().unwrap().unwrap();
    let other = Memory::open(folder.path().join("memory")).unwrap();
    other
        .forget(&Selector::new().ids((3..=20).map(Seq)))
        .unwrap();
    assert_eq!(seqs(events), [2]);
}

#[test]
fn a_step_sees_events_that_were_appended_where_it_has_not_been() {
    let (_folder, memory) = open();
    memory.append_batch(prompts("s", 100..105)).unwrap();
    let mut events = memory.events(EventFilter::new().session("s")).unwrap();
    let mut texts = Vec::new();
    let mut step = |events: &mut Events| {
        texts.push(events.next().unwrap().unwrap().content);
    };
    step(&mut events);
    // One behind the scan's position, one ahead of it, one at the end.
    memory.append_batch(prompts("s", 99..100)).unwrap();
    memory.append_batch(prompts("s", 105..106)).unwrap();
    (0..5).for_each(|_| step(&mut events));
    assert!(events.next().is_none());
    let wanted: Vec<String> = (100..106).map(|number| format!("event {number}")).collect();
    assert_eq!(texts, wanted);
    // A finished scan stays finished.
    memory.append_batch(prompts("s", 106..107)).unwrap();
    assert!(events.next().is_none());
}

#[test]
fn a_scan_misses_and_repeats_nothing_while_others_write() {
    let (_folder, memory) = open();
    memory.append_batch(prompts("s", 0..300)).unwrap();
    let mut read = Vec::new();
    for event in memory.events(EventFilter::new().session("s")).unwrap() {
        read.push(event.unwrap().seq.0);
        let number = 1000 + read.len() as u64;
        memory
            .append_batch(prompts("t", number..number + 1))
            .unwrap();
    }
    assert_eq!(read, (1..=300).collect::<Vec<_>>());
}

#[test]
fn a_closed_memory_ends_its_iterators_with_an_error() {
    let (_folder, memory) = open();
    memory.append_batch(prompts("s", 0..20)).unwrap();
    let mut events = memory.events(EventFilter::new()).unwrap();
    events.next().unwrap().unwrap();
    memory.close().unwrap();
    let error = events.next().unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Closed);
    assert!(events.next().is_none());
}

#[test]
fn events_are_passed_over_as_if_they_had_been_read() {
    let (_folder, memory) = open();
    memory.append_batch(prompts("s", 0..50)).unwrap();
    for filter in [
        EventFilter::new(),
        EventFilter::new().newest_first(),
        EventFilter::new().session("s").limit(20),
    ] {
        let all = seqs(memory.events(filter.clone()).unwrap());
        for count in [0, 1, 19, 20, 21, 49, 50, 60] {
            let left = memory.events(filter.clone()).unwrap().skip(count);
            let left: Vec<u64> = left.map(|event| event.unwrap().seq.0).collect();
            assert_eq!(left, all[count.min(all.len())..], "{filter:?} {count}");
        }
    }
    let mut events = memory.events(EventFilter::new()).unwrap();
    memory.close().unwrap();
    let error = events.nth(3).unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Closed);
    assert!(events.nth(3).is_none());
}
