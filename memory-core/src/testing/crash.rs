//! Crash enumeration: runs a workload on the recording disk, opens every image that a crash could
//! have left, and compares it with what had been acknowledged: acknowledged <= found <=
//! acknowledged + in flight.
//!
//! Between two syncs a disk may persist any subset of the writes, in any order, and tear one of
//! them. For each point of the recording, the images are: no unsynced write kept, all kept, all but
//! one, only one, and each one torn.
//!
//! Many images have the same bytes: those with only one write kept do not depend on how many follow
//! it. Each distinct image is opened once and compared with every acknowledgement for which it
//! occurs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::disk::{Change, Disk, Fault, Step, apply};
use super::{CountingIds, FixedClock, every};
use crate::memory::Memory;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::store::{Store, StoreOptions};

/// Events per transaction of the workload.
const BATCH: u64 = 3;

fn open(folder: &Path, disk: &Disk) -> Result<Memory> {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 1 << 20,
        busy_timeout: Duration::from_secs(1),
        allow_network_folder: true,
    };
    let disk = disk.clone();
    let clock = Arc::new(FixedClock::at(Timestamp::from_millis_clamped(
        1_769_781_900_000,
    )));
    let store = Store::open_on_backend(
        folder,
        move |file| {
            // Like a file, the disk needs a name in the folder.
            std::fs::write(file, b"disk").expect("a temporary folder takes files");
            disk.clone()
        },
        &options,
        clock,
        Arc::new(CountingIds::default()),
    )?;
    Memory::on_test_store(store)
}

fn text(number: u64) -> String {
    format!(
        "event {number}: 결제 모듈의 시간 초과를 {number}초로 바꿨다 {}",
        "x".repeat(50 * (number % 7) as usize)
    )
}

fn batch(first: u64, size: u64) -> Vec<NewEvent> {
    (first..first + size)
        .map(|number| {
            NewEvent::new(
                EventKind::UserPrompt,
                format!("s{}", number % 3),
                text(number),
            )
        })
        .collect()
}

/// The number of events in a store, which must be an intact prefix of those written, in order.
fn found(memory: &Memory) -> Result<u64> {
    let events = memory.changes_since(Seq(0), usize::MAX)?;
    for (index, event) in events.iter().enumerate() {
        assert_eq!(
            event.content,
            text(index as u64),
            "event {index} is not what was written"
        );
        assert_eq!(
            memory.event(event.id)?.as_ref(),
            Some(event),
            "its id index disagrees"
        );
        assert_eq!(memory.event(event.citation.clone())?.as_ref(), Some(event));
    }
    let stats = memory.stats()?;
    assert_eq!(
        stats.events,
        events.len() as u64,
        "the counters disagree with the log"
    );
    assert_eq!(
        memory.events(Default::default())?.count(),
        events.len(),
        "the time index disagrees"
    );
    Ok(events.len() as u64)
}

/// Calls `visit` with every image that a crash at this point could leave, from the durable image
/// and the unsynced changes. Only each `share`th change is dropped, kept alone or torn, starting at
/// a different one for each length of the burst.
fn images(durable: &[u8], unsynced: &[Change], share: usize, mut visit: impl FnMut(Vec<u8>)) {
    let with = |chosen: &dyn Fn(usize) -> bool, torn: Option<usize>| {
        let mut image = durable.to_vec();
        for (index, change) in unsynced.iter().enumerate() {
            if !chosen(index) {
                continue;
            }
            match (change, torn == Some(index)) {
                (Change::Write { offset, data }, true) => {
                    // Sectors are written atomically, pages are not.
                    let half = (data.len() / 2).next_multiple_of(512).min(data.len());
                    apply(
                        &mut image,
                        &Change::Write {
                            offset: *offset,
                            data: data[..half].to_vec(),
                        },
                    );
                }
                _ => apply(&mut image, change),
            }
        }
        image
    };
    visit(with(&|_| false, None));
    if unsynced.is_empty() {
        return;
    }
    visit(with(&|_| true, None));
    for one in (unsynced.len() / 3 % share..unsynced.len()).step_by(share) {
        visit(with(&|index| index == one, None));
        visit(with(&|index| index != one, None));
        visit(with(&|index| index <= one, Some(one)));
    }
}

/// The results for the images so far.
#[derive(Default)]
struct Crashed {
    seen: HashMap<blake3::Hash, Result<u64>>,
}

impl Crashed {
    /// The number of events after a crash that leaves this image. The store may fail to open, which
    /// is an error; if it opens, it must be intact.
    fn found(&mut self, image: Vec<u8>) -> &Result<u64> {
        self.seen.entry(blake3::hash(&image)).or_insert_with(|| {
            let place = tempfile::tempdir().expect("a temporary folder");
            let memory = open(place.path(), &Disk::with_image(image))?;
            Ok(found(&memory).expect("a store that opens can be read"))
        })
    }
}

#[test]
fn no_crash_loses_an_acknowledged_event() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = Disk::default();
    let memory = open(folder.path(), &disk).expect("a new store opens");
    let mut written = 0;
    for round in 0..40u64 {
        let size = if round % 4 == 0 { BATCH } else { 1 };
        memory
            .append_batch(batch(written, size))
            .expect("an append on a sound disk");
        written += size;
        disk.acknowledge(written);
    }
    drop(memory);

    let share = every(16);
    let mut crashed = Crashed::default();
    let (mut durable, mut unsynced) = (Vec::new(), Vec::new());
    let (mut acknowledged, mut count, mut beyond) = (0, 0u64, 0u64);
    for step in &disk.steps() {
        match step {
            Step::Change(change) => {
                unsynced.push(change.clone());
                // The image in the middle of a burst of writes is among those at its end, so
                // checking a third of them is enough.
                if unsynced.len() % 3 != 1 {
                    continue;
                }
            }
            Step::Acknowledged(events) => {
                acknowledged = *events;
                continue;
            }
            Step::Sync => {}
        }
        images(&durable, &unsynced, share, |image| {
            count += 1;
            let found = match crashed.found(image) {
                Ok(found) => found,
                // Before the first commit there may be no store.
                Err(error) if acknowledged == 0 => {
                    assert_ne!(error.code(), ErrorCode::Internal, "{error}");
                    return;
                }
                Err(error) => panic!("image {count}, {acknowledged} acknowledged: {error}"),
            };
            assert!(
                (acknowledged..=acknowledged + BATCH).contains(found),
                "image {count}: {acknowledged} acknowledged, {found} found"
            );
            beyond += u64::from(*found > acknowledged);
        });
        if matches!(step, Step::Sync) {
            for change in unsynced.drain(..) {
                apply(&mut durable, &change);
            }
        }
    }
    let different = crashed.seen.len();
    println!(
        "{count} crash images, {different} of them different, {written} events, \
         {beyond} images held an unacknowledged commit"
    );
    let (least, least_different) = (10_000 / share as u64, 3_000 / share);
    assert!(count > least, "only {count} images were made");
    assert!(
        different > least_different,
        "only {different} images were different"
    );
}

#[test]
fn the_enumeration_notices_a_store_that_acknowledges_too_early() {
    // The same check must fail on a disk that lost the last commit, which proves that the check can
    // fail.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = Disk::default();
    let memory = open(folder.path(), &disk).expect("a new store opens");
    memory.append_batch(batch(0, 1)).expect("an append");
    let before_second = disk.steps().len();
    memory.append_batch(batch(1, 1)).expect("an append");
    drop(memory);
    let mut image = Vec::new();
    for step in &disk.steps()[..before_second] {
        if let Step::Change(change) = step {
            apply(&mut image, change);
        }
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let memory = open(place.path(), &Disk::with_image(image)).expect("the image opens");
    assert_eq!(
        found(&memory).expect("it can be read"),
        1,
        "two were acknowledged, one is found"
    );
}

#[test]
fn a_failing_disk_gives_an_error_and_loses_nothing_acknowledged() {
    for fault in [Fault::InputOutput, Fault::NoSpace] {
        for for_ever in [false, true] {
            let mut at = 0;
            loop {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let disk = Disk::default();
                let memory = open(folder.path(), &disk).expect("a new store opens");
                memory
                    .append_batch(batch(0, BATCH))
                    .expect("an append on a sound disk");
                disk.fail(at, for_ever, fault);
                let result = memory.append_batch(batch(BATCH, 1));
                let reached = disk.operations() > at;
                if let Err(error) = &result {
                    assert_eq!(error.code(), ErrorCode::NeedsReopen, "{at}: {error}");
                    let says_room = error.message().contains("; make room on the disk, open");
                    assert_eq!(says_room, fault == Fault::NoSpace, "{at}: {error}");
                }
                drop(memory);
                disk.heal();
                let memory = open(folder.path(), &disk)
                    .unwrap_or_else(|error| panic!("operation {at}, {fault:?}: {error}"));
                let found = found(&memory).expect("the store can be read");
                let least = BATCH + u64::from(result.is_ok());
                assert!(
                    (least..=BATCH + 1).contains(&found),
                    "operation {at}: {found} found"
                );
                // The dedupe key makes the retry safe in either case.
                memory.append_batch(batch(BATCH, 1)).expect("the retry");
                assert_eq!(memory.stats().expect("stats").events, BATCH + 1);
                if !reached {
                    break;
                }
                at += 1;
            }
            assert!(at > 5, "only {at} operations were reached");
        }
    }
}

#[test]
fn opening_again_heals_every_handle_and_iterator() {
    for fault in [Fault::InputOutput, Fault::NoSpace] {
        for is_read in [false, true] {
            let mut at = 0;
            loop {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let disk = Disk::default();
                let memory = open(folder.path(), &disk).expect("a new store opens");
                memory
                    .append_batch(batch(0, BATCH))
                    .expect("an append on a sound disk");
                let other = memory.clone();
                let mut events = other.events(Default::default()).expect("a sound disk");
                let mut spoilt = other.events(Default::default()).expect("a sound disk");
                events.next().expect("an event").expect("a sound disk");
                let reading = memory.engine.store.read().expect("a sound disk");
                disk.fail(at, false, fault);
                let result = match is_read {
                    true => memory.changes_since(Seq(0), usize::MAX).map(drop),
                    false => memory.append_batch(batch(BATCH, 1)).map(drop),
                };
                let was_reached = disk.operations() > at;
                if let Err(error) = &result {
                    assert_eq!(error.code(), ErrorCode::NeedsReopen, "{at}: {error}");
                    assert!(error.needs_reopen());
                    // All handles know it, and report what failed.
                    let step = spoilt.next().expect("an answer").expect_err("it stopped");
                    assert_eq!(step.code(), ErrorCode::NeedsReopen, "{at}: {step}");
                    assert!(
                        step.message().contains("the store's file failed ("),
                        "{step}"
                    );
                }
                disk.heal();
                memory.engine.store.heal().expect("the disk is sound again");
                let left = events.map(|event| event.expect("the iterator goes on"));
                // The append in flight may have reached the disk.
                assert!((2..=3).contains(&left.count()), "operation {at}");
                drop(reading);
                other.append_batch(batch(BATCH, 1)).expect("the retry");
                assert_eq!(found(&memory).expect("a sound store"), BATCH + 1);
                drop((memory, other, spoilt));
                let memory = open(folder.path(), &disk).expect("a sound store");
                assert_eq!(found(&memory).expect("a sound store"), BATCH + 1);
                if !was_reached {
                    break;
                }
                at += 1;
            }
            assert!(at > 0, "no operation was reached");
        }
    }
}
