//! Crash enumeration over folding, forgetting, compacting, erasing and the switch of generations:
//! every image of all the store's files that a crash could have left opens, and shows the state
//! before or after the act in flight.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::disk::{Change, Disk, Disks, Fault, JournalStep, Step, apply};
use super::{CountingIds, FixedClock, every};
use crate::index::lexical::memtable::FLUSH_EVENTS;
use crate::index::side_file::faults;
use crate::memory::Memory;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::store::generations::pending_erasures::PendingErasure;
use crate::store::{Store, StoreOptions};
use crate::upkeep::maintain::MaintainBudget;
use crate::upkeep::select::Selector;

/// At most this many writes of an unsynced burst, evenly spaced, are dropped, kept alone or torn;
/// each enumeration tries a share of that unless all cases are requested.
const CHOICES: usize = 15;

fn open(folder: &Path, disks: &Disks) -> Result<Memory> {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 1 << 20,
        busy_timeout: Duration::from_secs(1),
        allow_network_folder: true,
    };
    let disks = disks.clone();
    let now = Timestamp::from_millis_clamped(1_769_781_900_000);
    let store = Store::open_on_backend(
        folder,
        move |file| disks.open(file),
        &options,
        Arc::new(FixedClock::at(now)),
        Arc::new(CountingIds::default()),
    )?;
    Memory::on_test_store(store)
}

pub(super) fn events(first: u64, count: u64) -> Vec<NewEvent> {
    (first..first + count)
        .map(|number| {
            let session = format!("s{}", number % 3);
            let text = format!("사건 {number} of the payment service");
            NewEvent::new(EventKind::UserPrompt, session, text)
        })
        .collect()
}

pub(super) type Act = fn(&Memory) -> Result<()>;

const ACTS: [Act; 14] = [
    |memory| memory.append_batch(events(0, FLUSH_EVENTS - 2)).map(drop),
    |memory| memory.append_batch(events(1_000, 1)).map(drop),
    // This act folds.
    |memory| memory.append_batch(events(1_001, 3)).map(drop),
    |memory| memory.append_batch(events(1_010, 2)).map(drop),
    |memory| learn(memory, 20),
    // This one writes the index of what was learned.
    |memory| {
        let done = memory.maintain(MaintainBudget::default())?;
        assert!(done.flushed, "what was learned waits no more");
        Ok(())
    },
    |memory| forget(memory, [3, 20, FLUSH_EVENTS + 2]),
    |memory| memory.compact().map(drop),
    |memory| memory.append_batch(events(2_000, 1)).map(drop),
    |memory| erase(memory, [5, 6, 7]),
    |memory| memory.append_batch(events(3_000, 1)).map(drop),
    |memory| forget(memory, [9, 10, 11]),
    |memory| memory.rebuild(Timestamp::from_millis_clamped(0)).map(drop),
    |memory| memory.compact().map(drop),
];

/// Learns `count` entries of one session in one transaction.
fn learn(memory: &Memory, count: u64) -> Result<()> {
    let entries: Vec<_> = (0..count)
        .map(|number| {
            serde_json::json!({
                "id": format!("e{number}"), "type": "fact",
                "title": format!("Event {number} is of the payment service"),
                "content": format!("The payment service had event {number}."),
                "quotes": [{"message_index": 0, "quote": "of the payment service"}],
            })
        })
        .collect();
    let extraction = serde_json::json!({"schema_version": 1, "entries": entries});
    memory.ingest("s0", &extraction.to_string()).map(drop)
}

pub(super) fn forget(memory: &Memory, seqs: [u64; 3]) -> Result<()> {
    memory.forget(&Selector::new().ids(seqs.map(Seq))).map(drop)
}

pub(super) fn erase(memory: &Memory, seqs: [u64; 3]) -> Result<()> {
    memory.erase(&Selector::new().ids(seqs.map(Seq))).map(drop)
}

/// What a caller can observe of a store.
#[derive(Debug, PartialEq)]
struct Seen {
    contents: Vec<(u64, String)>,
    counts: [u64; 4],
}

impl Seen {
    /// What was said, and how much of it is there, forgotten and erased.
    fn said(&self) -> (Vec<&(u64, String)>, &[u64]) {
        let is_said = |(_, text): &&(u64, String)| text.contains("payment service");
        let said = self.contents.iter().filter(is_said);
        (said.collect(), &self.counts[1..])
    }
}

/// Between two states, that of an erasure that was ordered and has hidden its events, if the second
/// one erased some.
fn hidden(before: &Seen, after: &Seen) -> Option<Seen> {
    let erased = after.counts[3] - before.counts[3];
    let [events, prompts, ..] = after.counts;
    let mut contents = after.contents.clone();
    // The record that says that they are erased.
    contents.pop();
    (erased > 0).then(|| Seen {
        contents,
        counts: [
            events - 1,
            prompts,
            before.counts[2] + erased,
            before.counts[3],
        ],
    })
}

/// Whether an erasure is ordered and not carried out.
fn is_ordered(memory: &Memory) -> bool {
    let read = memory.engine.store.read().expect("a sound store");
    !read.erase_requests().expect("a sound store").is_empty()
}

/// Asserts that nothing but an open erasure keeps a store from being sound.
fn assert_sound(memory: &Memory, what: u64) {
    let report = memory.check().expect("a store can be checked");
    let found = report.first_divergence.as_ref();
    let is_open = found.is_some_and(|found| found.place == "erasures");
    assert!(
        report.ok || (is_open && is_ordered(memory)),
        "image {what}: {found:?}"
    );
}

fn look(memory: &Memory) -> Result<Seen> {
    let contents = memory.changes_since(Seq(0), usize::MAX)?;
    let stats = memory.stats()?;
    Ok(Seen {
        contents: contents
            .into_iter()
            .map(|event| (event.seq.0, event.content))
            .collect(),
        counts: [stats.events, stats.prompts, stats.forgotten, stats.erased],
    })
}

/// One file of a crashed machine: its durable bytes, and the changes that may be lost.
#[derive(Default)]
struct Pending {
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

impl Pending {
    fn with(&self, chosen: impl Fn(usize) -> bool, torn: Option<usize>) -> Vec<u8> {
        let mut image = self.durable.clone();
        for (index, change) in self.unsynced.iter().enumerate() {
            match change {
                _ if !chosen(index) => {}
                Change::Write { offset, data } if torn == Some(index) => {
                    let half = (data.len() / 2).next_multiple_of(512).min(data.len());
                    let data = data[..half].to_vec();
                    apply(
                        &mut image,
                        &Change::Write {
                            offset: *offset,
                            data,
                        },
                    );
                }
                change => apply(&mut image, change),
            }
        }
        image
    }

    fn images(&self, choices: usize) -> Vec<Vec<u8>> {
        let count = self.unsynced.len();
        let mut images = vec![self.with(|_| false, None)];
        if count == 0 {
            return images;
        }
        images.push(self.with(|_| true, None));
        let step = count.div_ceil(choices).max(1);
        for one in (0..count).rev().step_by(step) {
            images.push(self.with(|index| index == one, None));
            images.push(self.with(|index| index != one, None));
            images.push(self.with(|index| index <= one, Some(one)));
        }
        images
    }
}

/// The results of an enumeration of crashes.
#[derive(Default)]
pub(super) struct Enumerated {
    pub(super) images: u64,
    /// Images that were checked completely.
    checked: u64,
    /// Those of them in which an erasure was ordered and not carried out.
    ordered: u64,
    /// Images that contain an act not acknowledged yet.
    pub(super) ahead: u64,
    pub(super) disks: usize,
}

/// Runs acts on a recording disk, and opens every image that a crash could have left, which must
/// show the state before or after the act in flight. Of the writes of a burst it tries one in
/// `share` of the choices.
pub(super) fn enumerate(acts: &[Act], share: usize, looks: &dyn Fn(&Memory)) -> Enumerated {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disks = Disks::in_folder(folder.path());
    faults::watch(&folder.path().join("index"));
    let memory = open(folder.path(), &disks).expect("a new store opens");
    let mut after = vec![look(&memory).expect("an empty store")];
    disks.acknowledge(0);
    for (index, act) in acts.iter().enumerate() {
        act(&memory).unwrap_or_else(|error| panic!("act {index}: {error}"));
        disks.acknowledge(index as u64 + 1);
        after.push(look(&memory).expect("a sound store"));
    }
    let report = memory.check().expect("a sound store");
    assert!(report.ok, "{:?}", report.first_divergence);
    drop(memory);
    faults::heal(&folder.path().join("index"));

    let mut found = Enumerated {
        disks: disks.count(),
        ..Enumerated::default()
    };
    let mut pending: BTreeMap<usize, Pending> = BTreeMap::new();
    let mut acknowledged = None;
    for entry in &disks.journal() {
        let is_sync = match &entry.step {
            Step::Acknowledged(acts) => {
                acknowledged = Some(*acts as usize);
                continue;
            }
            Step::Change(change) => {
                let disk = pending.entry(entry.disk).or_default();
                disk.unsynced.push(change.clone());
                false
            }
            Step::Sync => true,
        };
        let disk = pending.entry(entry.disk).or_default();
        // Images in the middle of a burst are among those at its end.
        if let Some(done) = acknowledged
            && (is_sync || disk.unsynced.len() % 16 == 3)
        {
            let next = (done + 1).min(after.len() - 1);
            let states = [&after[done], &after[next]];
            for image in pending[&entry.disk].images(CHOICES / every(share)) {
                for others_kept in [false, true] {
                    let mut others = pending.iter().filter(|(number, _)| **number != entry.disk);
                    if others_kept && others.all(|(_, other)| other.unsynced.is_empty()) {
                        continue;
                    }
                    let crashed = Crashed::new(entry, &pending, (&image, others_kept));
                    crashed.look(states, &mut found, looks);
                }
            }
        }
        if is_sync {
            let disk = pending.entry(entry.disk).or_default();
            for change in disk.unsynced.drain(..) {
                apply(&mut disk.durable, &change);
            }
        }
    }
    println!(
        "{} crash images over {} acts and {} files, {} checked whole, \
         {} held an unacknowledged act, {} an ordered erasure",
        found.images,
        acts.len(),
        found.disks,
        found.checked,
        found.ahead,
        found.ordered
    );
    found
}

/// A store's folder as left by a crash.
struct Crashed {
    place: tempfile::TempDir,
    disks: Disks,
}

impl Crashed {
    fn new(
        entry: &JournalStep,
        pending: &BTreeMap<usize, Pending>,
        (image, others_kept): (&[u8], bool),
    ) -> Self {
        let place = tempfile::tempdir().expect("a temporary folder");
        let disks = Disks::in_folder(place.path());
        for (name, bytes) in &entry.folder {
            let file = place.path().join(name);
            let number = std::str::from_utf8(bytes).ok();
            let number = number.and_then(|text| text.parse::<usize>().ok());
            match number.filter(|_| name != "CURRENT") {
                Some(number) if number == entry.disk => disks.put(&file, image.to_vec()),
                Some(number) => {
                    let other = pending.get(&number);
                    let image = other.map(|other| other.with(|_| others_kept, None));
                    disks.put(&file, image.unwrap_or_default());
                }
                None => std::fs::write(&file, bytes).expect("a temporary folder"),
            }
        }
        if !entry.side_files.is_empty() {
            let index = place.path().join("index");
            std::fs::create_dir(&index).expect("a temporary folder");
            for (name, bytes) in &entry.side_files {
                std::fs::write(index.join(name), bytes).expect("a temporary folder");
            }
        }
        Crashed { place, disks }
    }

    /// Asserts that it shows one of two states; checks and compacts one in forty.
    fn look(&self, states: [&Seen; 2], found: &mut Enumerated, looks: &dyn Fn(&Memory)) {
        found.images += 1;
        let count = found.images;
        let memory = open(self.place.path(), &self.disks)
            .unwrap_or_else(|error| panic!("image {count}: {error}"));
        let seen = look(&memory).unwrap_or_else(|error| panic!("image {count}: {error}"));
        let hidden = hidden(states[0], states[1]);
        assert!(
            states.contains(&&seen) || hidden.as_ref() == Some(&seen),
            "image {count}: neither the state after the last act nor after the next"
        );
        looks(&memory);
        found.ahead += u64::from(seen != *states[0]);
        if count.is_multiple_of(40) {
            found.checked += 1;
            assert_sound(&memory, count);
            let is_ordered = is_ordered(&memory);
            found.ordered += u64::from(is_ordered);
            // Compacting must cope with whatever the crash left, and carries out what is ordered.
            memory.compact().expect("a crashed store can be compacted");
            let compacted = look(&memory).expect("a compacted store");
            match is_ordered {
                // What looking recalled is recorded first.
                true => assert_eq!(compacted.said(), states[1].said()),
                false => assert_eq!(compacted, seen),
            }
        }
    }
}

#[test]
fn no_crash_shows_a_half_done_fold_forgetting_erasure_or_compaction() {
    let found = enumerate(&ACTS, 5, &|_| ());
    let least = 1_000 / every(5) as u64;
    assert!(
        found.images > least,
        "only {} images were made",
        found.images
    );
    assert!(found.ahead > 0 && found.disks == 5);
}

/// A store of one file in its own folder.
struct CrashFolder {
    folder: tempfile::TempDir,
    disks: Disks,
    disk: Disk,
}

impl CrashFolder {
    fn with(image: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("memory.1.redb");
        std::fs::write(folder.path().join("CURRENT"), "1\n").expect("a temporary folder");
        let disks = Disks::in_folder(folder.path());
        disks.put(&file, image.to_vec());
        let disk = disks.open(&file);
        CrashFolder {
            folder,
            disks,
            disk,
        }
    }

    fn open(&self) -> Result<Memory> {
        open(self.folder.path(), &self.disks)
    }
}

/// Makes an act on a copy of `image` fail at every operation of the disk, or at each fifth unless
/// all cases are requested. The store must then open and show the state before or after the act,
/// and (checked for every fourth) the act must succeed when repeated.
fn fails_cleanly(image: &[u8], act: Act) -> u64 {
    let (before, after) = {
        let place = CrashFolder::with(image);
        let memory = place.open().expect("a sound store");
        let before = look(&memory).expect("a sound store");
        act(&memory).expect("a sound disk");
        (before, look(&memory).expect("a sound store"))
    };
    let (mut operations, mut first) = (0, 0);
    for fault in [Fault::InputOutput, Fault::NoSpace] {
        for for_ever in [false, true] {
            let mut at = first;
            first += 1;
            loop {
                let place = CrashFolder::with(image);
                let memory = place.open().expect("a sound store");
                place.disk.fail(at, for_ever, fault);
                let result = act(&memory);
                let was_reached = place.disk.operations() > at;
                drop(memory);
                place.disk.heal();
                let memory = place
                    .open()
                    .unwrap_or_else(|error| panic!("operation {at}, {fault:?}: {error}"));
                let seen = look(&memory).expect("the store can be read");
                match &result {
                    Ok(()) => assert_eq!(seen, after, "operation {at}"),
                    Err(error) => {
                        assert!(
                            matches!(
                                error.code(),
                                ErrorCode::Io | ErrorCode::Full | ErrorCode::NeedsReopen
                            ),
                            "operation {at}: {error}"
                        );
                        let is_hidden = hidden(&before, &after).as_ref() == Some(&seen);
                        assert!(
                            seen == before || seen == after || is_hidden,
                            "operation {at}"
                        );
                    }
                }
                if seen != after && operations % 4 == 0 {
                    act(&memory).unwrap_or_else(|error| panic!("operation {at}: {error}"));
                    assert_eq!(look(&memory).expect("the store can be read"), after);
                }
                operations += 1;
                if !was_reached {
                    break;
                }
                at += every(5) as u64;
            }
        }
    }
    operations
}

#[test]
fn a_failing_disk_leaves_a_forgetting_and_a_fold_done_or_undone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disks = Disks::in_folder(folder.path());
    let memory = open(folder.path(), &disks).expect("a new store opens");
    let file = folder.path().join("memory.1.redb");
    memory
        .append_batch(events(0, FLUSH_EVENTS - 1))
        .expect("a sound disk");
    let before_fold = disks.open(&file).image();
    memory.append_batch(events(500, 3)).expect("a sound disk");
    memory.append_batch(events(600, 3)).expect("a sound disk");
    let after_fold = disks.open(&file).image();
    let folded = memory.stats().expect("stats").lexical.segments;
    assert_eq!(folded, 1);
    drop(memory);
    let fold = fails_cleanly(&before_fold, |memory| {
        memory.append_batch(events(700, 1)).map(drop)
    });
    let forget = fails_cleanly(&after_fold, |memory| {
        forget(memory, [3, 4, FLUSH_EVENTS + 3])
    });
    println!("{fold} failures of a fold, {forget} of a forgetting");
    let least = 100 / every(5) as u64;
    assert!(fold > least && forget > least);
}

/// What opening would like to write, on a disk without room: the end of a killed builder's notes,
/// and that of an erasure.
#[test]
fn a_store_that_cannot_be_tidied_for_lack_of_room_can_be_read() {
    const ORDER: PendingErasure = PendingErasure {
        tombstone: 1,
        generation: 1,
    };
    let leave: [Act; 2] = [
        |memory| {
            let noted = memory.engine.store.write(|tx| tx.begin_noting([7; 16]));
            noted.map(drop)
        },
        |memory| {
            let store = &memory.engine.store;
            store.write(|tx| tx.set_erase_orders(&[ORDER]))
        },
    ];
    for leave in leave {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let disks = Disks::in_folder(folder.path());
        let memory = open(folder.path(), &disks).expect("a new store opens");
        memory.append_batch(events(0, 12)).expect("a sound disk");
        leave(&memory).expect("a sound disk");
        let seen = look(&memory).expect("a sound store");
        let image = disks.open(&folder.path().join("memory.1.redb")).image();
        drop(memory);
        let place = CrashFolder::with(&image);
        place.disk.fail(0, true, Fault::NoRoom);
        let memory = place
            .open()
            .expect("opening what was not closed only reads");
        assert!(place.disk.operations() > 0, "nothing was written");
        assert_eq!(look(&memory).expect("reading needs no room"), seen);
        drop(memory);
        place.disk.heal();
        let memory = place.open().expect("a sound store");
        let read = memory.engine.store.read().expect("a sound store");
        assert!(!read.notes_changes().expect("a sound store"));
        assert_eq!(read.erase_orders().expect("a sound store"), []);
    }
}

/// Others still read from the file whose mark could not be removed.
#[test]
fn a_copy_that_fails_for_lack_of_room_keeps_nobody_from_reading() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disks = Disks::in_folder(folder.path());
    let memory = open(folder.path(), &disks).expect("a new store opens");
    memory.append_batch(events(0, 12)).expect("a sound disk");
    let seen = look(&memory).expect("a sound store");
    let file = disks.open(&folder.path().join("memory.1.redb"));
    let mut failed = 0;
    for at in (0..).step_by(every(5)) {
        file.fail(at, true, Fault::NoRoom);
        let result = memory.compact();
        let was_reached = file.operations() > at;
        let now = look(&memory);
        file.heal();
        if !was_reached {
            break;
        }
        if let Err(error) = result
            && !error.needs_reopen()
        {
            failed += 1;
            // Also where the engine only said that it had failed before.
            assert_eq!(error.code(), ErrorCode::Full, "operation {at}: {error}");
            assert!(
                error.message().contains("building."),
                "operation {at}: {error}"
            );
            assert!(error.is_of_full_disk(), "operation {at}: {error}");
            assert_eq!(now.expect("reading needs no room"), seen, "operation {at}");
        }
        memory.engine.store.heal().expect("a sound disk");
    }
    assert!(failed > 0);
}

#[test]
fn a_failing_disk_leaves_an_erasure_and_a_compaction_done_or_undone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disks = Disks::in_folder(folder.path());
    let memory = open(folder.path(), &disks).expect("a new store opens");
    memory.append_batch(events(0, 12)).expect("a sound disk");
    let image = disks.open(&folder.path().join("memory.1.redb")).image();
    drop(memory);
    let erase = fails_cleanly(&image, |memory| erase(memory, [3, 4, 5]));
    let compact = fails_cleanly(&image, |memory| memory.compact().map(drop));
    println!("{erase} failures of an erasure, {compact} of a compaction");
    let least = 100 / every(5) as u64;
    assert!(erase > least && compact > least);
}
