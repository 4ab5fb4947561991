//! Tests search when part of the index or of the log is damaged.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{RandomIds, SystemClock};
use crate::embed::CallbackEmbedder;
use crate::index::lexical::block::{BlockKey, BlockSink, BlockSource, Section};
use crate::memory::Memory;
use crate::model::error::ErrorCode;
use crate::model::event::{EventKind, NewEvent, ToolUse};
use crate::model::filter::{EventFilter, ToolOutcome};
use crate::model::ids::Seq;
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::recall::shown::context::{ContextOptions, Recording};
use crate::recall::shown::smart::SmartSearchOptions;
use crate::scope::ProjectScope;
use crate::store::projected_rows::projected::RowKind;
use crate::store::{Store, StoreOptions};

fn open(path: &std::path::Path) -> Arc<Store> {
    let options = StoreOptions {
        create: true,
        exclusive: false,
        cache_bytes: 4 << 20,
        busy_timeout: Duration::from_secs(5),
        allow_network_folder: true,
    };
    Store::open(path, &options, Arc::new(SystemClock), Arc::new(RandomIds)).unwrap()
}

/// Two segments and a memtable, each with one event about an animal.
fn fill(store: &Arc<Store>) -> Vec<u64> {
    let memory = Memory::on_test_store(store.clone()).unwrap();
    for animal in ["heron", "otter", "badger"] {
        let count = if animal == "badger" { 5 } else { 300 };
        let events = (0..count).map(|number| {
            let text = match number {
                3 => format!("The {animal} lives behind the old mill 물레방아."),
                _ => format!("Message {number} of the {animal} part is about item {number}."),
            };
            NewEvent::new(EventKind::UserPrompt, format!("s-{animal}"), text)
        });
        memory.append_batch(events.collect()).unwrap();
    }
    let segments = store.read().unwrap().segments().unwrap();
    assert_eq!(segments.len(), 2);
    segments.iter().map(|segment| segment.id).collect()
}

fn flip(store: &Store, key: BlockKey) {
    store
        .write(|tx| {
            let mut block = tx.block_source()?.block(key)?.expect("it exists").to_vec();
            let middle = block.len() / 2;
            block[middle] ^= 0x10;
            tx.block_sink()?.put(key, &block)
        })
        .unwrap();
}

fn finds(memory: &Memory, animal: &str) -> bool {
    let found = memory
        .search(format!("where does the {animal} live?").as_str())
        .unwrap();
    found
        .items
        .iter()
        .any(|hit| hit.summary.contains(&format!("The {animal} lives")))
}

#[test]
fn a_damaged_block_costs_its_segment_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let segments = fill(&store);
    let intact = Memory::on_test_store(store.clone()).unwrap();
    assert!(!intact.search("heron").unwrap().degraded);
    assert!(finds(&intact, "heron") && finds(&intact, "otter") && finds(&intact, "badger"));

    let blocks = store.read().unwrap().segments().unwrap()[0].blocks - 1;
    for block in 0..blocks {
        flip(&store, BlockKey::new(segments[0], Section::Body, block));
    }
    let memory = Memory::on_test_store(store.clone()).unwrap();
    let found = memory.search("where does the otter live?").unwrap();
    assert!(found.degraded);
    assert!(!finds(&memory, "heron"));
    assert!(finds(&memory, "otter") && finds(&memory, "badger"));
    assert_eq!(memory.stats().unwrap().lexical.damaged_segments, 1);

    // Appends still work, even when a segment is folded and merges are due.
    for round in 0..3 {
        let events = (0..300).map(|number| {
            let text = format!("Later message {number} of round {round}.");
            NewEvent::new(EventKind::AgentResponse, "s-later", text)
        });
        memory.append_batch(events.collect()).unwrap();
    }
    assert!(memory.search("heron").unwrap().degraded);
    assert!(finds(&memory, "otter"));
}

#[test]
fn every_single_damaged_block_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let segments = fill(&store);
    let infos = store.read().unwrap().segments().unwrap();
    for key in infos[1].block_keys() {
        flip(&store, key);
        let memory = Memory::on_test_store(store.clone()).unwrap();
        assert!(finds(&memory, "heron"), "{key:?}");
        assert!(finds(&memory, "badger"), "{key:?}");
        let degraded = memory.search("otter part").unwrap().degraded;
        assert!(degraded || finds(&memory, "otter"), "{key:?}");
        // Flipping twice repairs the damage.
        flip(&store, key);
    }
    assert_eq!(segments.len(), 2);
    let memory = Memory::on_test_store(store).unwrap();
    assert!(finds(&memory, "otter") && !memory.search("otter").unwrap().degraded);
}

/// Words answer while vectors cannot be read, and no sound segment is blamed.
#[test]
fn damaged_vectors_cost_no_segment() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = CallbackEmbedder::new("lengths", 4, |texts| {
        let length = |text: &&str| vec![1.0, text.len() as f32, 0.5, 0.25];
        Ok(texts.iter().map(length).collect())
    });
    let memory = Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .recall_cache(false)
        .open(folder.path())
        .unwrap();
    let texts = (0..300).map(|number| match number {
        3 => "The heron lives behind the old mill.".to_owned(),
        _ => format!("Message {number} is about item {number}."),
    });
    let events = texts.map(|text| NewEvent::new(EventKind::UserPrompt, "s", text));
    memory.append_batch(events.collect()).unwrap();
    memory.process_outbox(1_000).unwrap();
    let store = &memory.engine.store;
    let version = store.read().unwrap().active_embedding().unwrap().unwrap();
    assert!(finds(&memory, "heron") && !memory.search("heron").unwrap().degraded);
    let damage: [&dyn Fn(); 2] = [
        &|| {
            store
                .write(|tx| tx.damage_vector_for_test(version, 4))
                .unwrap()
        },
        &|| store.write(|tx| tx.damage_sums_for_test(version)).unwrap(),
    ];
    for damage in damage {
        damage();
        let found = memory.search("where does the heron live?").unwrap();
        assert!(found.degraded && finds(&memory, "heron"));
        assert_eq!(memory.stats().unwrap().lexical.damaged_segments, 0);
    }
}

/// What a row says of one event costs no others.
#[test]
fn a_damaged_level_costs_no_segment() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store);
    let memory = Memory::on_test_store(store.clone()).unwrap();
    let heron = memory.event(Seq(4)).unwrap().unwrap();
    let id = heron.id.to_string();
    store
        .write(|tx| {
            let mut rows = tx.projected()?;
            rows.put(RowKind::Level, id.as_bytes(), b"broken")?;
            rows.finish(0)
        })
        .unwrap();
    let found = memory.search("where does the heron live?").unwrap();
    assert!(found.degraded && finds(&memory, "heron"));
    assert_eq!(memory.stats().unwrap().lexical.damaged_segments, 0);
}

/// Calls of two days, of which the record of the first is damaged.
#[test]
fn what_could_not_be_read_of_a_time_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let memory = Memory::on_test_store(store.clone()).unwrap();
    let called = |at: &str| {
        let call = ToolUse {
            name: "Bash".to_owned(),
            output: format!("tests passed at {at}"),
            success: Some(true),
            ..ToolUse::default()
        };
        let event = NewEvent::tool("s", call).timestamp(at.parse().unwrap());
        memory.append(event).unwrap().seq
    };
    let first = called("2026-03-16T12:00:00Z");
    called("2026-03-17T12:00:00Z");
    store
        .write(|tx| tx.damage_record_for_test(first.0))
        .unwrap();
    let of = |day: u8| {
        let query = Query::new(format!("what did we do on March {day}, 2026?"));
        [query.clone(), query.tool_outcome(ToolOutcome::Succeeded)]
    };
    for query in of(16) {
        assert!(memory.search(query).unwrap().degraded);
    }
    let [plain, _] = of(17);
    let found = memory.search(plain).unwrap();
    assert_eq!((found.items.len(), found.degraded), (1, false));
}

#[test]
fn a_damaged_record_costs_neither_a_context_nor_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let memory = Memory::on_test_store(store.clone()).unwrap();
    let said = [
        "The heron lives behind the old mill.",
        "It feeds at dawn and at dusk.",
        "Nobody may disturb it in spring.",
    ]
    .map(|text| {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text);
        memory.append(event).unwrap().seq
    });
    memory.levels().pin(said[2]).unwrap();
    let ask = || {
        let options = ContextOptions::new("where does the heron live?").session("other");
        options.recording(Recording::Now)
    };
    assert!(!memory.context(ask()).unwrap().degraded);
    let given = EventFilter::new().kinds([EventKind::Injected]);
    let given = memory.events(given).unwrap().next().unwrap().unwrap();
    for seq in [said[2], given.seq] {
        store.write(|tx| tx.damage_record_for_test(seq.0)).unwrap();
    }
    let pinned = ask().pinned([said[2].into()]);
    let begin = Timestamp::from_millis_clamped(0);
    // What the damaged record lists is not known to have been given.
    for options in [ask().skip_known_since(begin), ask(), pinned] {
        let context = memory.context(options).unwrap();
        assert!(context.degraded && context.text.contains("old mill"));
    }
    let error = memory.levels().pinned(&ProjectScope::All).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Corrupt);

    let options = SmartSearchOptions::default().expand_timeline(true);
    let found = memory.smart_search(Query::new("heron mill"), options);
    assert_eq!(found.unwrap().index[0].seq, said[0]);
    let around = memory.timeline(&[said[0].into()], 3).unwrap();
    let seqs: Vec<Seq> = around.iter().map(|item| item.seq).collect();
    assert_eq!(seqs, said[..2]);
    let detail = memory.details(&[said[1].into()]).unwrap();
    assert!(detail[0].relations.previous.is_some() && detail[0].relations.next.is_none());
    assert!(memory.citations().detail(said[1]).unwrap().next.is_none());
}
