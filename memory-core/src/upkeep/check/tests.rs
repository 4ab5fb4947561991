//! Tests that a log with forged records still works.

use std::io::Cursor;

use super::*;
use crate::Memory;
use crate::model::event::{EventKind, NewEvent, Origin};
use crate::privacy::Clean;
use crate::upkeep::forget::{TombstoneScope, tombstone};
use crate::upkeep::select::Selector;

fn live(memory: &Memory) -> Vec<u64> {
    memory
        .events(crate::EventFilter::new())
        .expect("a sound store")
        .map(|event| event.expect("a sound store").seq.0)
        .collect()
}

/// A tombstone as a hostile export may contain it.
fn forge(
    memory: &Memory,
    kind: EventKind,
    change: impl FnOnce(&mut crate::store::log::append::Draft),
) {
    let inner = &memory.engine;
    let mut draft = tombstone(inner, kind, &[1, 2, 3], TombstoneScope::Everywhere);
    change(&mut draft);
    let appended = inner.store.write(|tx| tx.append(&[draft]));
    appended.expect("a sound store");
}

#[test]
fn forged_tombstones_hide_nothing_and_break_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::open(folder.path().join("a")).expect("a store");
    for number in 1..=20 {
        let event = NewEvent::new(EventKind::UserPrompt, "s", format!("event {number}"));
        memory.append(event).expect("a sound store");
    }
    memory
        .forget(&Selector::new().ids([Seq(3)]))
        .expect("a sound store");
    for kind in [EventKind::Forgotten, EventKind::Erased] {
        forge(&memory, kind, |draft| draft.event.session = "s".into());
        forge(&memory, kind, |draft| draft.origin = Origin::User);
        forge(&memory, kind, |draft| draft.event.metadata = None);
        for seqs in [
            "{\"seqs\":[[1,18446744073709551615]]}",
            "{\"seqs\":[[0,4]]}",
            "{\"seqs\":[[9,4]]}",
            "{\"seqs\":[[1,2],[1000000,2000000]]}",
            "{\"seqs\":\"all\"}",
            "[]",
        ] {
            forge(&memory, kind, |draft| {
                draft.event.metadata = Some(Clean::from_log(seqs.to_owned()));
            });
        }
    }
    let mut expected: Vec<u64> = (1..=20).filter(|seq| *seq != 3).collect();
    let holds = |memory: &Memory, expected: &[u64]| {
        assert_eq!(live(memory), expected);
        let report = memory.check().expect("a sound store");
        assert!(report.ok, "{:?}", report.first_divergence);
        let ignored = &report.ignored_records;
        assert_eq!(ignored.len(), 18, "{ignored:?}");
        assert_eq!(ignored[0].seq, Seq(22));
        assert_eq!(ignored[0].kind, EventKind::Forgotten);
        assert_eq!(ignored[0].problem, "was not written by this library");
        assert_eq!(ignored[9].kind, EventKind::Erased);
    };
    holds(&memory, &expected);
    memory
        .rebuild(Timestamp::from_millis_clamped(0))
        .expect("a rebuild");
    holds(&memory, &expected);
    memory.compact().expect("a compaction");
    holds(&memory, &expected);
    memory
        .erase(&Selector::new().ids([Seq(5)]))
        .expect("an erasure");
    expected.retain(|seq| *seq != 5);
    holds(&memory, &expected);

    let mut lines = Vec::new();
    memory
        .upkeep()
        .export_jsonl_to(&mut lines, None)
        .expect("an export");
    let copy = Memory::open(folder.path().join("b")).expect("a store");
    copy.upkeep()
        .restore_jsonl_from(Cursor::new(&lines))
        .expect("a restore");
    holds(&copy, &expected);
    assert!(copy.event(Seq(3)).expect("a sound store").is_none());
    memory
        .backup(folder.path().join("c"))
        .expect("a backup of it");
}
