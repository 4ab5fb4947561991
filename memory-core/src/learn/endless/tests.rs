//! Tests the switch to the endless mode while others delete what it takes over.

use super::migration::Migration;
use crate::rules::endless::MemoryMode;
use crate::{EventKind, Memory, NewEvent, Selector, SessionUpdate};

const SUMMARY: &str = "The heron project was dropped.";

fn say(memory: &Memory, session: &str, text: &str) -> crate::EventId {
    let event = NewEvent::new(EventKind::UserPrompt, session, text);
    memory.append(event).unwrap().id
}

fn summarize(memory: &Memory, session: &str) {
    let update = SessionUpdate {
        summary: Some(SUMMARY.to_owned()),
        ..SessionUpdate::default()
    };
    memory.update_session(session, update).unwrap();
}

/// The summaries of the memories after this happened between the preparation and the write.
fn memories_after(meanwhile: impl FnOnce(&Memory, crate::EventId)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let said = say(&memory, "herons", "We drop the heron project.");
    summarize(&memory, "herons");
    let migration = Migration::plan(&memory.engine, MemoryMode::Endless).unwrap();
    meanwhile(&memory, said);
    migration.carry_out(&memory.engine).unwrap();
    assert_eq!(memory.endless().mode().unwrap(), MemoryMode::Endless);
    assert!(memory.check().unwrap().ok);
    let memories = memory.endless().memories(None, None).unwrap();
    memories.into_iter().map(|found| found.summary).collect()
}

#[test]
fn a_summary_that_is_deleted_while_the_mode_is_switched_becomes_no_memory() {
    assert_eq!(memories_after(|_, _| ()), [SUMMARY]);
    let erased = memories_after(|memory, _| {
        memory.erase(&Selector::new().session("herons")).unwrap();
    });
    assert!(erased.is_empty(), "{erased:?}");
    // The summary goes with an earlier event of its session, but the session stays.
    let reduced = memories_after(|memory, said| {
        say(memory, "herons", "Another word.");
        memory.erase(&Selector::new().id(said)).unwrap();
        assert!(memory.session("herons").unwrap().is_some());
    });
    assert!(reduced.is_empty(), "{reduced:?}");
    let forgotten = memories_after(|memory, _| {
        memory.forget(&Selector::new().session("herons")).unwrap();
    });
    assert!(forgotten.is_empty(), "{forgotten:?}");
}

#[test]
fn the_summaries_of_many_sessions_are_taken_over_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    for number in 0..200 {
        let session = format!("s{number}");
        say(&memory, &session, "We talk about herons.");
        let update = SessionUpdate {
            summary: Some(format!("Heron number {number}.")),
            ..SessionUpdate::default()
        };
        memory.update_session(&session, update).unwrap();
    }
    let commits = || {
        let read = memory.engine.store.read().unwrap();
        read.state().unwrap().commits
    };
    let before = commits();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    assert!(commits() - before > 2, "others can write between them");
    assert_eq!(memory.endless().mode().unwrap(), MemoryMode::Endless);
    let memories = memory.endless().memories(None, None).unwrap();
    let of_herons = memories
        .iter()
        .filter(|found| found.summary.starts_with("Heron number"));
    assert_eq!(of_herons.count(), 200);
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_memory_made_of_a_summary_goes_with_it() {
    let acts: [fn(&Memory); 2] = [
        |memory| {
            memory.forget(&Selector::new().session("herons")).unwrap();
        },
        |memory| {
            memory.erase(&Selector::new().session("herons")).unwrap();
        },
    ];
    for act in acts {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        say(&memory, "herons", "We drop the heron project.");
        summarize(&memory, "herons");
        // Switching twice makes one memory.
        for mode in [
            MemoryMode::Endless,
            MemoryMode::Session,
            MemoryMode::Endless,
        ] {
            memory.endless().set_mode(mode).unwrap();
        }
        let memories = || memory.endless().memories(None, None).unwrap();
        assert_eq!(memories().len(), 1);
        act(&memory);
        assert!(memories().is_empty(), "{:?}", memories());
        let context = memory.endless().context(Some("heron")).unwrap();
        assert!(context.consolidated.is_empty());
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let rebuilt = memory.rebuild(report.as_of).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    }
}
