use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::clock::{RandomIds, SystemClock};
use crate::index::lexical::block::{BlockKey, BlockSink as _, BlockSource as _};
use crate::learn::new_entry::NewEntry;
use crate::learn::tasks::NewTask;
use crate::model::learned::EntryType;
use crate::rules::tasks::EntityId;
use crate::store::index_tables::learned::{self, LearnedSegment};
use crate::store::{Store, StoreOptions};
use crate::upkeep::select::Selector;
use crate::{MaintainBudget, Memory, Seq, Timestamp};

fn of_everything(text: &str) -> LearnedQuery<'_> {
    LearnedQuery {
        text,
        kinds: u64::MAX,
        listed: None,
        most: 200,
        given: 200,
        deadline: None,
    }
}

fn learn(memory: &Memory, number: usize) {
    let entry = NewEntry::new(
        EntryType::Fact,
        "s",
        format!("server {number}"),
        "Its port is open.",
    );
    memory.knowledge().add_entry(&entry).unwrap();
}

#[test]
fn what_there_is_no_time_for_is_found_later() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (0..5).for_each(|number| learn(&memory, number));
    let mut group = GroupIndex::new(LearnedGroup::Entries);
    let mut catch_up = |most: usize| {
        let read = memory.engine.store.read().unwrap();
        let rows = read.projected().unwrap();
        let source = Source {
            lexical: &memory.engine.lexical,
            read: &read,
            rows: &rows,
        };
        let is_whole = group.catch_up(source, most).unwrap();
        (group.in_memory(), is_whole)
    };
    assert_eq!(catch_up(0), (0, false));
    assert_eq!(catch_up(2), (2, false));
    learn(&memory, 5);
    assert_eq!(catch_up(1), (3, false), "what is new comes first");
    assert_eq!(catch_up(0), (3, false));
    assert_eq!(catch_up(2), (5, false));
    assert_eq!(catch_up(1), (6, true));
    assert_eq!(catch_up(0), (6, true));
}

#[test]
fn a_search_without_time_says_that_it_is_not_whole() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (0..3).for_each(|number| learn(&memory, number));
    let task = NewTask {
        title: "Open the port".to_owned(),
        ..NewTask::default()
    };
    memory.tasks().create(&task).unwrap();
    drop(memory);
    // Nothing is indexed in a new handle.
    let memory = Memory::open(folder.path()).unwrap();
    let read = memory.engine.store.read().unwrap();
    let rows = read.projected().unwrap();
    let search = |deadline| {
        let lexical = &memory.engine.lexical;
        let query = LearnedQuery {
            deadline,
            ..of_everything("port")
        };
        let index = &memory.engine.learned_index;
        let found = index.search(lexical, &read, &rows, query);
        let found = found.unwrap();
        (found.matches.len(), found.is_whole)
    };
    assert_eq!(search(Some(Instant::now())), (0, false));
    assert_eq!(search(None), (4, true));
    assert_eq!(search(Some(Instant::now())), (4, true), "it is indexed now");
    // Another search that is indexing is not waited for.
    let _other = memory.engine.learned_index.0.lock();
    assert_eq!(search(Some(Instant::now())), (0, false));
}

const WORDS: [&str; 12] = [
    "gateway", "museum", "budget", "sqlite", "river", "monday", "token", "결제", "cache",
    "harbour", "violin", "penguin",
];

fn learn_of(memory: &Memory, words: [u8; 3]) {
    let [a, b, c] = words.map(|word| WORDS[usize::from(word) % WORDS.len()]);
    let entry = NewEntry::new(
        EntryType::Fact,
        "s",
        format!("{a} {b}"),
        format!("{b} {c}."),
    );
    memory.knowledge().add_entry(&entry).unwrap();
}

fn try_to_create(memory: &Memory, title: &str) -> Result<EntityId> {
    let task = NewTask {
        title: title.to_owned(),
        ..NewTask::default()
    };
    Ok(memory.tasks().create(&task)?.id)
}

fn create(memory: &Memory, title: &str) -> EntityId {
    try_to_create(memory, title).unwrap()
}

/// Flushes everything waiting into the store's index.
fn flush(memory: &Memory) {
    let index = &memory.engine.learned_index;
    memory.engine.store.write(|tx| index.flush_all(tx)).unwrap();
}

fn segments(memory: &Memory) -> Vec<LearnedSegment> {
    let read = memory.engine.store.read().unwrap();
    learned::segments(&read.projected().unwrap()).unwrap()
}

/// What an index finds, best first: score in thousandths, kind and id.
fn found_by(index: &LearnedIndex, memory: &Memory, text: &str) -> (Vec<(i64, LearnedRef)>, bool) {
    let read = memory.engine.store.read().unwrap();
    let rows = read.projected().unwrap();
    let lexical = &memory.engine.lexical;
    let found = index.search(lexical, &read, &rows, of_everything(text));
    let found = found.unwrap();
    let matches = found.matches.into_iter();
    let matches = matches.map(|hit| ((hit.score * 1e3).round() as i64, hit.learned));
    (matches.collect(), found.is_whole)
}

/// What a freshly started process finds.
fn found(memory: &Memory, text: &str) -> Vec<(i64, LearnedRef)> {
    let (found, is_whole) = found_by(&LearnedIndex::default(), memory, text);
    assert!(is_whole);
    found
}

/// Whether a freshly started process finds an item that matches a text completely.
fn is_found(memory: &Memory, text: &str) -> bool {
    found(memory, text).iter().any(|(score, _)| *score > 500)
}

/// What a process finds that indexes every row in memory.
fn found_alone(memory: &Memory, text: &str) -> Vec<(i64, LearnedRef)> {
    let read = memory.engine.store.read().unwrap();
    let alone = LearnedIndex::default();
    {
        let mut index = alone.0.lock();
        index.entries = GroupIndex::alone(LearnedGroup::Entries, &read).unwrap();
        index.others = GroupIndex::alone(LearnedGroup::Others, &read).unwrap();
    }
    found_by(&alone, memory, text).0
}

/// Whether no document of the store's index is stale or has another text.
fn is_clean(memory: &Memory) -> bool {
    let read = memory.engine.store.read().unwrap();
    let rows = read.projected().unwrap();
    let waits = LearnedGroup::ALL.into_iter().any(|group| {
        let changes = learned::changes(&rows, group, usize::MAX).unwrap();
        let mut changes = changes.iter();
        changes.any(|change| learned::document(&rows, &change.row).unwrap().is_some())
    });
    !waits && segments(memory).iter().all(|segment| segment.gone == 0)
}

fn ids(found: &[(i64, LearnedRef)]) -> BTreeSet<&LearnedRef> {
    found.iter().map(|(_, learned)| learned).collect()
}

/// The store's index and one in memory give the same result, in a freshly started process
/// and in one that went along.
fn same(memory: &Memory) -> Result<(), TestCaseError> {
    for question in [
        "gateway",
        "museum budget",
        "결제 river token",
        "violin",
        "task",
    ] {
        let alone = found_alone(memory, question);
        let started = found(memory, question);
        let (along, _) = found_by(&memory.engine.learned_index, memory, question);
        prop_assert_eq!(&started, &along, "{}", question);
        prop_assert_eq!(ids(&started), ids(&alone), "{}", question);
        if is_clean(memory) {
            prop_assert_eq!(&started, &alone, "{}", question);
        }
    }
    Ok(())
}

#[derive(Clone, Debug)]
enum Act {
    Learn([u8; 3]),
    Task([u8; 2]),
    Rename(u8, [u8; 2]),
    Forget(u8),
    Flush,
    Maintain,
    Compact,
    Rebuild,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => any::<[u8; 3]>().prop_map(Act::Learn),
        3 => any::<[u8; 2]>().prop_map(Act::Task),
        3 => any::<(u8, [u8; 2])>().prop_map(|(task, words)| Act::Rename(task, words)),
        2 => any::<u8>().prop_map(Act::Forget),
        3 => Just(Act::Flush),
        1 => Just(Act::Maintain),
        1 => Just(Act::Compact),
        1 => Just(Act::Rebuild),
    ]
}

fn title_of(words: [u8; 2]) -> String {
    let [a, b] = words.map(|word| WORDS[usize::from(word) % WORDS.len()]);
    format!("task {a} {b}")
}

fn perform(memory: &Memory, tasks: &mut Vec<EntityId>, act: &Act) {
    match act {
        Act::Learn(words) => learn_of(memory, *words),
        // The title may belong to another task.
        Act::Task(words) => tasks.extend(try_to_create(memory, &title_of(*words))),
        Act::Rename(task, words) => {
            if let Some(task) = tasks.get(usize::from(*task) % tasks.len().max(1)) {
                // It may be forgotten, and the title may belong to another task.
                let _ = memory.tasks().rename(task, &title_of(*words));
            }
        }
        Act::Forget(at) => {
            let last = memory
                .engine
                .store
                .read()
                .unwrap()
                .state()
                .unwrap()
                .last_seq;
            if last > 0 {
                let seq = Seq(u64::from(*at) % last + 1);
                if let Err(refused) = memory.forget(&Selector::new().ids([seq])) {
                    assert!(refused.message().contains("is a tombstone"), "{refused}");
                }
            }
        }
        Act::Flush => flush(memory),
        Act::Maintain => drop(memory.maintain(MaintainBudget::default()).unwrap()),
        Act::Compact => drop(memory.compact().unwrap()),
        Act::Rebuild => drop(memory.rebuild(Timestamp::default()).unwrap()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24 / crate::testing::every(3) as u32, ..ProptestConfig::default() })]

    #[test]
    fn the_stored_index_gives_what_one_in_memory_gives(
        acts in proptest::collection::vec(act(), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder().project("shop").open(folder.path()).unwrap();
        let mut tasks = Vec::new();
        for act in &acts {
            perform(&memory, &mut tasks, act);
            same(&memory)?;
        }
        let report = memory.check().unwrap();
        prop_assert!(report.ok, "{:?}", report.first_divergence);
    }
}

#[test]
fn a_new_process_reads_of_the_rows_only_what_was_learned_since() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (0..40).for_each(|number| learn(&memory, number));
    memory.maintain(MaintainBudget::default()).unwrap();
    (40..43).for_each(|number| learn(&memory, number));
    let started = LearnedIndex::default();
    assert_eq!(found_by(&started, &memory, "server port").0.len(), 43);
    assert_eq!(started.0.lock().entries.in_memory(), 3);
}

#[test]
fn who_learns_much_flushes_it_without_maintenance() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (0..300).for_each(|number| learn(&memory, number));
    let indexed: u32 = segments(&memory)
        .iter()
        .map(|segment| segment.info.events)
        .sum();
    assert!(indexed >= 200, "{indexed}");
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_changed_title_is_found_by_its_new_words_only() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let task = create(&memory, "Tune the violin");
    (0..3).for_each(|number| drop(create(&memory, &format!("Sweep yard {number}"))));
    flush(&memory);
    assert_eq!(found(&memory, "violin").len(), 1);
    memory.tasks().rename(&task, "Paint the harbour").unwrap();
    for is_flushed in [false, true] {
        if is_flushed {
            flush(&memory);
        }
        let holds = |text: &str| {
            let found = found_by(&memory.engine.learned_index, &memory, text).0;
            found
                .iter()
                .any(|(score, hit)| *score > 500 && hit.id == task.as_str())
        };
        assert!(holds("harbour") && !holds("violin"), "{is_flushed}");
        assert_eq!(found_alone(&memory, "violin"), found(&memory, "violin"));
    }
}

/// Whether the bytes of a block of the learned index contain a text.
fn index_holds(memory: &Memory, text: &str) -> bool {
    let read = memory.engine.store.read().unwrap();
    let keys = segments(memory)
        .into_iter()
        .flat_map(|segment| segment.info.block_keys());
    let mut blocks = keys.map(|key| read.block(key).unwrap().unwrap());
    blocks.any(|block| {
        block
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[test]
fn what_rests_on_forgotten_events_leaves_the_bytes_of_the_index() {
    for (others, is_at_once) in [(3, true), (400, false)] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let entry = NewEntry::new(
            EntryType::Fact,
            "s",
            "a secret plan",
            "qzxjvkwpqz is the word",
        );
        let learned = memory.knowledge().add_entry(&entry).unwrap();
        (0..others).for_each(|number| learn(&memory, number));
        flush(&memory);
        while memory.maintain(MaintainBudget::default()).unwrap().has_more {}
        assert!(index_holds(&memory, "qzxjvkwpqz"), "{others}");
        assert!(is_found(&memory, "qzxjvkwpqz"));
        memory.forget(&Selector::new().ids([learned.seq])).unwrap();
        assert!(!is_found(&memory, "qzxjvkwpqz"));
        assert_eq!(index_holds(&memory, "qzxjvkwpqz"), !is_at_once);
        memory.maintain(MaintainBudget::default()).unwrap();
        assert!(!index_holds(&memory, "qzxjvkwpqz"));
        assert!(memory.check().unwrap().ok);
    }
}

#[test]
fn the_words_of_a_title_of_the_past_go_with_the_event_that_said_them() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let task = create(&memory, "Sweep the yard");
    (0..3).for_each(|number| drop(create(&memory, &format!("Other work {number}"))));
    memory.tasks().rename(&task, "Call qzxjvkwpqz").unwrap();
    let renamed = memory
        .engine
        .store
        .read()
        .unwrap()
        .state()
        .unwrap()
        .last_seq;
    flush(&memory);
    assert!(index_holds(&memory, "qzxjvkwpqz"));
    memory.tasks().rename(&task, "Call nobody").unwrap();
    assert!(index_holds(&memory, "qzxjvkwpqz"), "it waits to be indexed");
    memory.forget(&Selector::new().ids([Seq(renamed)])).unwrap();
    assert!(!index_holds(&memory, "qzxjvkwpqz"));
    assert!(memory.check().unwrap().ok);
}

fn unshared(path: &std::path::Path) -> Memory {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 4 << 20,
        busy_timeout: Duration::from_secs(5),
        allow_network_folder: true,
    };
    let store = Store::open_unshared(path, &options, Arc::new(SystemClock), Arc::new(RandomIds));
    Memory::on_test_store(store.unwrap()).unwrap()
}

#[test]
fn a_process_that_searches_agrees_with_one_that_maintains() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (unshared(folder.path()), unshared(folder.path()));
    for round in 0..6 {
        (0..40).for_each(|number| learn(&one, round * 40 + number));
        let before = found_by(&other.engine.learned_index, &other, "server 41 port").0;
        one.maintain(MaintainBudget::default()).unwrap();
        if round == 3 {
            one.compact().unwrap();
        }
        if round == 4 {
            one.rebuild(Timestamp::default()).unwrap();
        }
        let after = found_by(&other.engine.learned_index, &other, "server 41 port").0;
        assert_eq!(before, after, "{round}");
        assert_eq!(after, found_alone(&other, "server 41 port"), "{round}");
    }
}

fn flip(memory: &Memory, key: BlockKey) {
    let flipped = memory.engine.store.write(|tx| {
        let mut block = tx.block_source()?.block(key)?.expect("it exists").to_vec();
        let middle = block.len() / 2;
        block[middle] ^= 0x10;
        tx.block_sink()?.put(key, &block)
    });
    flipped.unwrap();
}

#[test]
fn a_damaged_block_is_told_and_costs_nothing_else_and_maintenance_makes_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = unshared(folder.path());
    // So few that one flush takes all of them.
    (0..30).for_each(|number| learn(&memory, number));
    (0..2).for_each(|number| drop(create(&memory, &format!("Visit museum {number}"))));
    flush(&memory);
    let questions = ["server 7", "museum", "port"];
    let right = questions.map(|question| found(&memory, question));
    let keys: Vec<BlockKey> = segments(&memory)
        .iter()
        .flat_map(|segment| segment.info.block_keys())
        .collect();
    assert!(keys.len() >= 4);
    for key in keys {
        flip(&memory, key);
        let damaged = unshared(folder.path());
        let index = &damaged.engine.learned_index;
        for (question, right) in questions.iter().zip(&right) {
            assert_eq!(&found_by(index, &damaged, question).0, right, "{key:?}");
        }
        let report = damaged.check().unwrap();
        let place = report.first_divergence.expect("the damage is found").place;
        assert_eq!(place, "learned_index", "{key:?}");
        flip(&memory, key);
    }
    assert!(memory.check().unwrap().ok);
    let first = segments(&memory)[0].info.block_keys().next().unwrap();
    flip(&memory, first);
    let damaged = unshared(folder.path());
    assert!(
        damaged
            .search("what is open on server 7?")
            .unwrap()
            .degraded
    );
    assert_eq!(damaged.stats().unwrap().lexical.damaged_segments, 1);
    damaged.maintain(MaintainBudget::default()).unwrap();
    assert!(
        !damaged
            .search("what is open on server 7?")
            .unwrap()
            .degraded
    );
    assert_eq!(damaged.stats().unwrap().lexical.damaged_segments, 0);
    assert!(damaged.check().unwrap().ok);
    for (question, right) in questions.iter().zip(&right) {
        assert_eq!(&found(&damaged, question), right);
    }
}

#[test]
fn a_store_without_the_index_is_searched_whole_and_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let memory = unshared(folder.path());
    (0..40).for_each(|number| learn(&memory, number));
    let task = create(&memory, "Visit the museum");
    let right = found(&memory, "server 7 museum");
    let cleared = memory.engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        rows.clear_learned_index()?;
        for group in LearnedGroup::ALL {
            for change in learned::changes(&rows, group, usize::MAX)? {
                rows.remove_change(&change.row)?;
            }
        }
        rows.finish(i64::MIN)
    });
    cleared.unwrap();
    let old = unshared(folder.path());
    assert_eq!(found(&old, "server 7 museum"), right);
    assert!(!old.check().unwrap().ok);
    let index = &old.engine.learned_index;
    found_by(index, &old, "museum");
    old.tasks().rename(&task, "Visit the harbour").unwrap();
    assert!(
        found_by(index, &old, "harbour")
            .0
            .iter()
            .any(|(_, hit)| hit.id == task.as_str())
    );
    old.maintain(MaintainBudget::default()).unwrap();
    assert!(old.check().unwrap().ok);
    assert_eq!(found(&old, "server 7").len(), right.len() - 1);
}

#[test]
fn a_damaged_row_of_the_index_is_survived_and_made_again() {
    for kind in [
        RowKind::LearnedChange,
        RowKind::LearnedDocument,
        RowKind::LearnedOf,
        RowKind::LearnedSegment,
    ] {
        let folder = tempfile::tempdir().unwrap();
        let memory = unshared(folder.path());
        let task = create(&memory, "Visit the museum");
        (0..4).for_each(|number| learn(&memory, number));
        flush(&memory);
        memory.tasks().rename(&task, "Visit the harbour").unwrap();
        (4..40).for_each(|number| learn(&memory, number));
        let right = found_alone(&memory, "server 7 harbour");
        let damaged = memory.engine.store.write(|tx| {
            let mut key = Vec::new();
            tx.projected()?.scan(kind, &[], None, &mut |found, _| {
                key = [&[kind as u8], found].concat();
                Ok(false)
            })?;
            tx.damage_projected(&key, Some(&[7; 12]))
        });
        assert!(damaged.unwrap().is_some());
        let damaged = unshared(folder.path());
        let index = &damaged.engine.learned_index;
        let held = found_by(index, &damaged, "server 7 harbour").0;
        assert_eq!(ids(&held), ids(&right), "{kind:?}");
        assert!(!damaged.check().unwrap().ok, "{kind:?}");
        damaged.tasks().rename(&task, "Visit the violin").unwrap();
        let renamed = found_by(index, &damaged, "violin").0;
        assert!(
            renamed
                .iter()
                .any(|(score, hit)| *score > 500 && hit.id == task.as_str()),
            "{kind:?}"
        );
        damaged.forget(&Selector::new().ids([Seq(1)])).unwrap();
        damaged.maintain(MaintainBudget::default()).unwrap();
        let report = damaged.check().unwrap();
        assert!(report.ok, "{kind:?} {:?}", report.first_divergence);
    }
}

/// A search holds no lock while others learn, and finds what there was when it began.
#[test]
fn a_search_under_way_neither_waits_for_others_nor_changes() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (0..3).for_each(|number| learn(&memory, number));
    let index = &memory.engine.learned_index;
    let read = memory.engine.store.read().unwrap();
    let rows = read.projected().unwrap();
    let source = Source {
        lexical: &memory.engine.lexical,
        read: &read,
        rows: &rows,
    };
    let query = LearnedQuery {
        kinds: LearnedKind::Entry.bit(),
        ..of_everything("port")
    };
    let snapshots = index.snapshots(source, query).unwrap().unwrap();
    let [under_way] = &snapshots[..] else {
        panic!("one group");
    };
    learn(&memory, 3);
    assert_eq!(found_by(index, &memory, "port").0.len(), 4);
    learn(&memory, 4);
    assert_eq!(found_by(index, &memory, "port").0.len(), 5);
    assert_eq!(under_way.search(source, query).unwrap().len(), 3);
    drop(snapshots);
    learn(&memory, 5);
    assert_eq!(found_by(index, &memory, "port").0.len(), 6);
    assert_eq!(index.0.lock().entries.in_memory(), 6);
}
