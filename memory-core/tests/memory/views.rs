//! Events read in place: they equal owned ones, whatever a visitor does meanwhile.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use recallite::scope::ProjectScope;
use recallite::{
    ErrorCode, Event, EventFilter, EventId, EventKind, Json, Memory, NewEvent, Selector, Timestamp,
    ToolUse,
};

fn open() -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("memory")).unwrap();
    (folder, memory)
}

fn prompt(number: i64) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, "s", format!("prompt {number}"))
        .timestamp(Timestamp::from_millis(1_700_000_000_000 + number).unwrap())
}

fn every_event() -> EventFilter {
    EventFilter::new()
        .project(ProjectScope::All)
        .kinds(EventKind::ALL.iter().copied())
}

/// A prompt with metadata and a secret, a text longer than a page, a tool call with every field,
/// and the library's own records.
fn fill(memory: &Memory) {
    let with_metadata = NewEvent::new(
        EventKind::UserPrompt,
        "s",
        "배포 token=ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    )
    .metadata(Json::parse("metadata", r#"{"ticket": [1, null]}"#).unwrap())
    .actor("ada");
    let long = NewEvent::new(
        EventKind::AgentResponse,
        "s",
        "a long answer ".repeat(50_000),
    );
    let tool = NewEvent::tool(
        "s",
        ToolUse::new("Bash")
            .input(Json::parse("input", r#"{"command": "ls"}"#).unwrap())
            .output("src")
            .duration_ms(12)
            .error("exit 1"),
    );
    memory
        .append_batch(vec![with_metadata, long, tool.project("shop")])
        .unwrap();
    let summary = recallite::SessionUpdate::default().summary("deployed");
    memory.update_session("s", summary).unwrap();
}

#[test]
fn a_view_says_what_the_event_says() {
    let (_folder, memory) = open();
    fill(&memory);
    let events: Vec<Event> = memory
        .events(every_event())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(events.len(), 4);
    for event in &events {
        let seen = memory.views().event(event.id, |view| {
            assert_eq!(view.to_event(), *event);
            let tool = view.tool();
            let texts = (
                view.citation(),
                view.session(),
                view.project(),
                view.actor(),
            );
            assert_eq!(
                texts,
                (
                    event.citation.as_str(),
                    &*event.session,
                    &*event.project,
                    &*event.actor
                )
            );
            assert_eq!(view.metadata(), event.metadata.as_ref().map(Json::as_str));
            assert_eq!(view.privacy(), event.privacy);
            assert_eq!(tool.is_some(), event.tool.is_some());
            if let (Some(tool), Some(owned)) = (tool, &event.tool) {
                assert_eq!(tool.input(), owned.input.as_ref().map(Json::as_str));
                assert_eq!(
                    (tool.output(), tool.error()),
                    (&*owned.output, owned.error.as_deref())
                );
                assert_eq!(tool.metadata(), owned.metadata.as_str());
            }
            view.content().len()
        });
        assert_eq!(seen.unwrap(), Some(event.content.len()));
    }
}

#[test]
fn nothing_is_given_of_what_is_not_there() {
    let (_folder, memory) = open();
    let stored = memory.append(prompt(0)).unwrap();
    memory.append(prompt(1)).unwrap();
    memory.forget(&Selector::new().id(stored.id)).unwrap();
    let unknown = EventId::from_bytes([7; 16]);
    for event in [stored.id, unknown] {
        assert!(memory.views().event(event, |_| ()).unwrap().is_none());
        assert!(memory.views().guard(event).unwrap().is_none());
    }
    memory.close().unwrap();
    let error = memory.views().event(stored.id, |_| ()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Closed);
}

#[test]
fn a_visit_gives_what_a_filter_fits_until_it_breaks() {
    let (_folder, memory) = open();
    memory.append_batch((0..600).map(prompt).collect()).unwrap();
    let newest = EventFilter::new().newest_first().limit(500);
    let expected: Vec<Event> = memory
        .events(newest.clone())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut visited = Vec::new();
    let count = memory
        .views()
        .scan(&newest, |view| {
            visited.push(view.to_event());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((count, visited), (500, expected));
    let mut left = 3;
    let stop = |_: &recallite::EventView<'_>| {
        left -= 1;
        match left {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    assert_eq!(memory.views().scan(&newest, stop).unwrap(), 3);
}

#[test]
fn a_visitor_may_write_and_sees_what_is_stored_at_each_step() {
    let (_folder, memory) = open();
    let stored = memory.append_batch((0..100).map(prompt).collect()).unwrap();
    let mut seen = Vec::new();
    memory
        .views()
        .scan(&EventFilter::new(), |view| {
            seen.push(view.seq().0);
            match view.seq().0 {
                // Another event is forgotten, and one is appended at the end.
                1 => {
                    memory.forget(&Selector::new().id(stored[1].id)).unwrap();
                    memory.append(prompt(1_000)).unwrap();
                }
                // The event being visited is erased, together with a later one.
                3 => {
                    let both = Selector::new().ids([stored[2].id, stored[3].id]);
                    assert!(memory.erase(&both).unwrap().is_complete);
                    assert_eq!(view.content(), "prompt 2");
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    let gone = [2, 4];
    let mut expected: Vec<u64> = (1..=100).filter(|seq| !gone.contains(seq)).collect();
    // The appended event follows the first tombstone.
    expected.push(102);
    assert_eq!(seen, expected);
    assert!(memory.check().unwrap().ok);
}

#[test]
fn what_a_visitor_appends_at_the_end_is_visited_too() {
    let (_folder, memory) = open();
    memory.append_batch((0..5).map(prompt).collect()).unwrap();
    let mut visited = 0;
    let count = memory
        .views()
        .scan(&EventFilter::new(), |_| {
            visited += 1;
            if visited <= 5 {
                memory.append(prompt(100 + visited)).unwrap();
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((count, visited), (10, 10));
}

/// Where the texts of a view lie.
fn places(view: &recallite::EventView<'_>) -> Vec<*const u8> {
    let mut texts = vec![view.content(), view.session(), view.project(), view.actor()];
    texts.extend(view.metadata());
    if let Some(tool) = view.tool() {
        texts.extend(tool.input());
        texts.extend(tool.error());
        texts.push(tool.output());
    }
    texts.retain(|text| !text.is_empty());
    texts.into_iter().map(str::as_ptr).collect()
}

/// A copy would lie elsewhere for each reader.
#[test]
fn no_text_of_a_view_is_copied() {
    let (_folder, memory) = open();
    fill(&memory);
    let ids: Vec<EventId> = memory
        .events(every_event())
        .unwrap()
        .map(|event| event.unwrap().id)
        .collect();
    let guards = || -> Vec<_> {
        let guards = ids.iter().map(|id| memory.views().guard(*id).unwrap());
        guards.map(Option::unwrap).collect()
    };
    let (first, second) = (guards(), guards());
    let mut scanned = Vec::new();
    memory
        .views()
        .scan(&every_event(), |view| {
            scanned.push(places(view));
            ControlFlow::Continue(())
        })
        .unwrap();
    for (at, id) in ids.iter().enumerate() {
        let lie = places(&first[at].view().unwrap());
        assert!(!lie.is_empty());
        assert_eq!(places(&second[at].view().unwrap()), lie, "{at}: two guards");
        let within = memory.views().event(*id, places).unwrap().unwrap();
        assert_eq!(within, lie, "{at}: views.event");
        assert_eq!(scanned[at], lie, "{at}: views.scan");
    }
}

#[test]
fn a_guard_stays_what_it_was() {
    let (_folder, memory) = open();
    let stored = memory.append(prompt(0)).unwrap();
    let guard = memory.views().guard(stored.id).unwrap().unwrap();
    let erased = memory.erase(&Selector::new().id(stored.id)).unwrap();
    assert!(erased.is_complete, "{:?}", erased.unclean_places);
    memory.close().unwrap();
    assert_eq!(guard.view().unwrap().content(), "prompt 0");
}

#[test]
fn a_panic_of_a_visitor_is_the_caller_s_own() {
    let (_folder, memory) = open();
    let stored = memory.append(prompt(0)).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        memory
            .views()
            .event(stored.id, |_| -> () { panic!("the visitor's") })
    }));
    let said = panicked.unwrap_err();
    assert_eq!(said.downcast_ref::<&str>(), Some(&"the visitor's"));
    memory.append(prompt(1)).unwrap();
    assert!(memory.check().unwrap().ok);
}
