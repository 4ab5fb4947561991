//! Tests HNSW graphs through `Memory`, including what happens when their files go.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::*;
use crate::embed::CallbackEmbedder;
use crate::engine::vectors::FLUSH_EVENTS;
use crate::index::side_file;
use crate::index::vector::testing::{Random, file_of};
use crate::model::event::{EventKind, NewEvent};
use crate::model::query::Query;
use crate::upkeep::maintain::{MaintainBudget, Maintained};
use crate::upkeep::select::Selector;
use crate::{Memory, Seq};

const DIMENSIONS: usize = 24;
const TOPICS: usize = 40;
const EVENTS: usize = FLUSH_EVENTS as usize + 50;

/// One direction per topic (the first word), plus some variation for each text.
fn vector_of(text: &str) -> Vec<f32> {
    let seed = |text: &str| {
        u64::from_le_bytes(
            *blake3::hash(text.as_bytes())
                .as_bytes()
                .first_chunk()
                .unwrap(),
        )
    };
    let topic = text.split(' ').next().unwrap_or_default();
    let topic = Random::new(seed(topic)).unit_vector(DIMENSIONS);
    let own = Random::new(seed(text)).unit_vector(DIMENSIONS);
    topic.iter().zip(own).map(|(t, o)| t + 0.7 * o).collect()
}

fn open(path: &Path, graph_from: usize) -> Memory {
    let embedder = CallbackEmbedder::new("topics", DIMENSIONS, |texts| {
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .vector_graph_from(graph_from)
        .recall_cache(false)
        .open(path)
        .unwrap()
}

fn fill(memory: &Memory, numbers: std::ops::Range<usize>) {
    let events = numbers.map(|n| {
        let kind = match n % 3 {
            0 => EventKind::AgentResponse,
            _ => EventKind::UserPrompt,
        };
        let text = format!("topic{} number{n}", n % TOPICS);
        NewEvent::new(kind, "s1", text)
    });
    memory.append_batch(events.collect()).unwrap();
    memory.process_outbox(usize::MAX).unwrap();
}

fn maintain(memory: &Memory, graph_vectors: usize) -> Maintained {
    let budget = MaintainBudget {
        graph_vectors,
        graduate_events: 0,
        merges: 0,
        jobs: 0,
        ..MaintainBudget::default()
    };
    memory.maintain(budget).unwrap()
}

fn nearest(text: &str) -> Query {
    Query::new("").vector(vector_of(text)).limit(10)
}

fn found(memory: &Memory, query: Query) -> Vec<u64> {
    let found = memory.search(query).unwrap();
    assert!(!found.degraded);
    found.items.iter().map(|hit| hit.seq.0).collect()
}

/// Vectors in graphs, and vectors waiting.
fn counts(memory: &Memory) -> (u64, u64) {
    let stats = memory.stats().unwrap().embedding.unwrap();
    (stats.graph_vectors, stats.graph_waiting)
}

fn graphs(memory: &Memory) -> &HnswGraphs {
    &memory.engine.embedding.as_ref().unwrap().index.graphs
}

/// How many searches a graph has answered.
fn answered(memory: &Memory) -> usize {
    let state = graphs(memory).state.lock();
    state.finished.iter().map(|graph| graph.answered()).sum()
}

#[test]
fn maintain_builds_in_steps_and_searches_answer_as_without() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), 1_000);
    fill(&memory, 0..EVENTS);
    let plain = open(folder.path(), 0);
    let all = EVENTS as u64;
    assert_eq!(counts(&memory), (0, all));
    let step = maintain(&memory, 700);
    assert!(step.graph_vectors == 700 && step.has_more);
    assert_eq!(counts(&memory), (0, all - 700));
    // A builder holds this lock; it must not block searches.
    let building = graphs(&memory).building.lock();
    assert_eq!(
        found(&memory, nearest("topic7 question")),
        found(&plain, nearest("topic7 question")),
    );
    drop(building);
    assert_eq!(answered(&memory), 0);
    let (mut calls, mut built) = (0, 700);
    let last = loop {
        let done = maintain(&memory, 700);
        (calls, built) = (calls + 1, built + done.graph_vectors);
        if !done.has_more {
            break done;
        }
    };
    assert_eq!((calls, built), (2, EVENTS));
    assert!(last.graph_vectors <= 700);
    assert_eq!(counts(&memory), (all, 0));
    assert_eq!(maintain(&memory, 700).graph_vectors, 0);
    assert_eq!(counts(&plain), (0, 0), "a graph is off by default");
    assert_eq!(maintain(&plain, 700).graph_vectors, 0);

    let (mut same, mut wanted) = (0, 0);
    for n in 0..30 {
        let text = format!("topic{} question{n}", n % TOPICS);
        let with: HashSet<u64> = found(&memory, nearest(&text)).into_iter().collect();
        let without = found(&plain, nearest(&text));
        wanted += without.len();
        same += without.iter().filter(|seq| with.contains(seq)).count();
    }
    assert!(wanted == 300 && same >= 297, "{same} of {wanted}");
    assert_eq!(answered(&memory), 30);

    // A filter is exact, and forgotten events are gone, whoever forgot them.
    let responses = |memory: &Memory| {
        let query = nearest("topic3 question").kinds([EventKind::AgentResponse]);
        found(memory, query)
    };
    assert_eq!(responses(&memory), responses(&plain));
    let first = found(&memory, nearest("topic5 question"));
    let mut selector = Selector::new();
    selector.ids.push(Seq(first[0]).into());
    plain.forget(&selector).unwrap();
    let second = found(&memory, nearest("topic5 question"));
    assert!(
        !second.contains(&first[0]) && second[..5] == first[1..6],
        "{first:?} {second:?}"
    );
    // The file was rewritten without it, and its graph is rebuilt.
    assert_eq!(counts(&memory), (0, all - 1));
    while maintain(&memory, 700).has_more {}
    assert_eq!(counts(&memory), (all - 1, 0));
    assert_eq!(found(&memory, nearest("topic5 question"))[..5], second[..5]);
    assert_eq!(answered(&memory), 1);
    // Vectors written by another process since then are found beside the file.
    fill(&plain, EVENTS..EVENTS + TOPICS);
    let text = format!("topic{} number{}", EVENTS % TOPICS, EVENTS);
    let newest = memory.search(nearest(&text)).unwrap();
    assert_eq!(newest.items[0].passage.text, text);

    // Damage in the floats from which answers are computed: the graph and then the file are
    // dropped, and the store answers.
    let expected = found(&plain, nearest("topic9 question"));
    let path = std::fs::read_dir(folder.path().join("index"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| side_file::is_of(path, side_file::VECTORS))
        .unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    let rows = EVENTS - 1;
    let floats = length - rows as u64 * (8 + 4 * DIMENSIONS as u64);
    file.seek(SeekFrom::Start(floats)).unwrap();
    file.write_all(&vec![0x5a; rows * 4 * DIMENSIONS]).unwrap();
    memory.search(nearest("topic9 question")).unwrap();
    assert!(!path.exists(), "a damaged file is removed");
    assert_eq!(found(&memory, nearest("topic9 question")), expected);
    assert_eq!(maintain(&memory, 0).graph_vectors, 0);
    assert_eq!(
        graphs(&memory).state.lock().finished.len(),
        0,
        "its graph is freed"
    );
    assert_eq!(
        counts(&memory),
        (0, memory.stats().unwrap().embedding.unwrap().vectors)
    );
}

#[test]
fn a_graph_goes_with_the_file_that_a_fold_replaces_and_outlives_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), 1);
    fill(&memory, 0..EVENTS);
    assert_eq!(maintain(&memory, 40).graph_vectors, 40);
    fill(&memory, EVENTS..EVENTS + FLUSH_EVENTS as usize);
    let all = (EVENTS + FLUSH_EVENTS as usize) as u64;
    // The next step looks at the file list.
    assert_eq!(maintain(&memory, 40).graph_vectors, 40);
    assert_eq!(counts(&memory), (0, all - 40), "its file was merged away");
    memory.compact().unwrap();
    let query = nearest("topic7 question");
    assert_eq!(found(&memory, query).len(), 10);
    assert_eq!(maintain(&memory, 10).graph_vectors, 10);
    assert_eq!(counts(&memory), (0, all - 50));
}

#[test]
fn searches_go_on_while_other_threads_build() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), 1);
    fill(&memory, 0..EVENTS);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..4 {
                    assert!(maintain(&memory, 60).has_more);
                }
            });
        }
        for n in 0..20 {
            let text = format!("topic{} number{n}", n % TOPICS);
            assert_eq!(found(&memory, nearest(&text))[0], n as u64 + 1);
        }
    });
    assert_eq!(counts(&memory), (0, EVENTS as u64 - 480));
}

fn graphs_from(from_vectors: usize) -> HnswGraphs {
    HnswGraphs::new(GraphLimits {
        from_vectors,
        ..GraphLimits::default()
    })
}

fn small_file(seed: u64) -> Arc<VectorFile> {
    Arc::new(file_of(&Random::new(seed).clustered(50, 8, 5, 0.5, 0.0)))
}

#[test]
fn time_that_is_over_begins_no_further_step() {
    let graphs = graphs_from(10);
    graphs.set_files([&small_file(1)].into_iter());
    let looks = Cell::new(0);
    let has_time = || {
        looks.set(looks.get() + 1);
        looks.get() <= 2
    };
    assert_eq!(
        graphs.build(usize::MAX, &has_time).unwrap(),
        2 * STEP_VECTORS
    );
    assert_eq!(graphs.build(usize::MAX, &has_time).unwrap(), 0);
    let waiting = 50 - 2 * STEP_VECTORS as u64;
    assert_eq!(graphs.counts(), HnswCounts { held: 0, waiting });
    assert_eq!(graphs.build(3, &|| true).unwrap(), 3);
    assert_eq!(
        graphs.build(usize::MAX, &|| true).unwrap() as u64,
        waiting - 3
    );
    assert_eq!(
        graphs.counts(),
        HnswCounts {
            held: 50,
            waiting: 0
        }
    );
}

#[test]
fn a_graph_is_freed_when_its_file_is_gone_and_no_search_uses_it() {
    let (first, second) = (small_file(1), small_file(2));
    let graphs = graphs_from(50);
    graphs.set_files([&first, &second].into_iter());
    assert_eq!(graphs.build(usize::MAX, &|| true).unwrap(), 100);
    let used = graphs.of(&first).unwrap();
    assert!(used.file().is_same(&first) && !used.file().is_same(&second));
    graphs.set_files([&second].into_iter());
    graphs.free_unused();
    assert_eq!(graphs.state.lock().finished.len(), 2, "a search uses it");
    drop(used);
    graphs.free_unused();
    assert_eq!(graphs.state.lock().finished.len(), 1);
    // The same file has the graph after reopening; a smaller one never gets one.
    assert!(graphs.of(&small_file(2)).is_some());
    assert!(graphs.of(&small_file(1)).is_none());
    let graphs = graphs_from(51);
    graphs.set_files([&second].into_iter());
    assert_eq!(graphs.build(usize::MAX, &|| true).unwrap(), 0);
    assert_eq!(graphs.counts(), HnswCounts::default());
}

#[test]
fn a_graph_that_failed_is_freed_and_not_built_again() {
    let file = small_file(3);
    let graphs = graphs_from(1);
    graphs.set_files([&file].into_iter());
    graphs.build(usize::MAX, &|| true).unwrap();
    graphs.of(&file).unwrap().break_for_test();
    assert!(graphs.of(&file).is_none());
    graphs.free_unused();
    assert_eq!(graphs.state.lock().finished.len(), 0);
    assert_eq!(graphs.counts(), HnswCounts::default());
    assert_eq!(graphs.build(usize::MAX, &|| true).unwrap(), 0);
    // A new file in its place gets another try.
    graphs.set_files(std::iter::empty());
    graphs.set_files([&file].into_iter());
    assert_eq!(graphs.build(usize::MAX, &|| true).unwrap(), 50);
}

#[test]
fn graphs_take_no_more_memory_than_they_may() {
    let files = [small_file(1), small_file(2), small_file(3)];
    let limited = |most_bytes| {
        let graphs = HnswGraphs::new(GraphLimits {
            from_vectors: 1,
            most_bytes,
        });
        graphs.set_files(files.iter());
        graphs.build(usize::MAX, &|| true).unwrap();
        graphs.counts()
    };
    let one = hnsw::estimated_bytes(&files[0]);
    let held = |held| HnswCounts { held, waiting: 0 };
    assert_eq!(limited(one - 1), held(0));
    assert_eq!(limited(2 * one), held(100));
    assert_eq!(limited(3 * one), held(150));
}
