//! Crash enumeration over segments in files: after a crash, the store names only files that are
//! durable and complete.

use super::crash_keep::{Act, enumerate, erase, events, forget};
use super::every;
use crate::memory::Memory;
use crate::model::time::Timestamp;
use crate::store::index_tables::word_files::FILE_EVENTS;
use crate::upkeep::maintain::MaintainBudget;

fn batch(memory: &Memory, first: u64) -> crate::model::error::Result<()> {
    memory.append_batch(events(first, FILE_EVENTS)).map(drop)
}

const ACTS: [Act; 7] = [
    |memory| batch(memory, 0),
    |memory| batch(memory, 10_000),
    |memory| batch(memory, 20_000),
    // This act merges them, and removes the files of the four.
    |memory| {
        batch(memory, 30_000)?;
        memory.maintain(MaintainBudget::default())?;
        assert_eq!(memory.stats()?.lexical.segments, 1);
        Ok(())
    },
    // This one rewrites the file without the forgotten events.
    |memory| {
        forget(memory, [9, 700, 1_500])?;
        let done = memory.maintain(MaintainBudget::default())?;
        assert_eq!(done.rewritten, 1);
        Ok(())
    },
    |memory| erase(memory, [5, 6, 7]),
    |memory| memory.rebuild(Timestamp::from_millis_clamped(0)).map(drop),
];

#[test]
fn no_crash_leaves_a_segment_without_its_file() {
    let found = enumerate(&ACTS, 15, &|memory| {
        let read = memory.engine.store.read().expect("a sound store");
        let missing = memory.engine.store.missing_files(&read);
        assert_eq!(missing.expect("a sound store"), []);
        let found = memory.search("which event of the payment service?");
        assert!(!found.expect("a sound store").degraded);
    });
    let least = 500 / every(5) as u64;
    assert!(
        found.images > least,
        "only {} images were made",
        found.images
    );
    assert!(found.ahead > 0 && found.disks == 3);
}
