//! Tests the outbox worker and the vector retriever with test embedders: working ones, and
//! ones that fail in every way.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use super::*;
use crate::Memory;
use crate::embed::{CallbackEmbedder, Embedder};
use crate::index::side_file;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::rules::outbox::CLAIM_BATCH;
use crate::store::tables;
use crate::testing::FixedClock;

const DIMENSIONS: usize = 64;

/// Words hash to dimensions; synonyms share a dimension of their own.
fn vector_of(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let dimension = match word.to_lowercase().as_str() {
            "" => continue,
            "zorblax" | "quindle" | "몽글" => 0,
            other => {
                let hash = blake3::hash(other.as_bytes());
                1 + usize::from(hash.as_bytes()[0]) % (DIMENSIONS - 1)
            }
        };
        vector[dimension] += 1.0;
    }
    vector
}

fn hashing(id: &str) -> Arc<dyn Embedder> {
    Arc::new(
        CallbackEmbedder::new(id, DIMENSIONS, |texts| {
            Ok(texts.iter().map(|text| vector_of(text)).collect())
        })
        .unwrap(),
    )
}

fn clock() -> Arc<FixedClock> {
    let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    Arc::new(FixedClock::at(now))
}

fn open(path: &Path, embedder: Arc<dyn Embedder>, clock: &Arc<FixedClock>) -> Memory {
    Memory::builder()
        .embedder(embedder)
        .embedding_timeout_ms(200)
        .clock(clock.clone())
        .open(path)
        .unwrap()
}

fn say(memory: &Memory, text: &str) -> Seq {
    let event = NewEvent::new(EventKind::UserPrompt, "s1", text);
    memory.append(event).unwrap().seq
}

fn found(memory: &Memory, query: &str) -> Vec<u64> {
    let found = memory.search(query).unwrap();
    found.items.iter().map(|hit| hit.seq.0).collect()
}

fn claim(memory: &Memory, embedding: &Embedding, version: u32) -> Vec<Job> {
    let named = (embedding, version);
    claim_jobs(&memory.engine, named, 10, &|| true, &Running::default()).unwrap()
}

fn counts(memory: &Memory) -> (u64, u64, u64, u64, u64) {
    let stats = memory.stats().unwrap().embedding.unwrap();
    (
        stats.pending,
        stats.processing,
        stats.done,
        stats.failed,
        stats.vectors,
    )
}

#[test]
fn an_event_that_shares_no_word_is_found_by_its_vector() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let wanted = say(&memory, "quindle").0;
    for text in ["lunch at noon", "the gate is green", "결제는 30초"] {
        say(&memory, text);
    }
    assert!(found(&memory, "몽글").is_empty());
    let done = memory.process_outbox(100).unwrap();
    assert_eq!((done.processed, done.succeeded, done.failed), (4, 4, 0));
    assert_eq!(counts(&memory), (0, 0, 4, 0, 4));
    let result = memory.search("몽글").unwrap();
    assert_eq!(result.items[0].seq.0, wanted);
    assert_eq!(result.items[0].passage.text, "quindle");
    assert!(!result.degraded);
    // A filter that excludes it applies to the vector retriever too.
    assert!(found(&memory, "zorblax").contains(&wanted));
    let other = Query::new("zorblax").kinds([EventKind::AgentResponse]);
    assert!(memory.search(other).unwrap().items.is_empty());
    assert_eq!(memory.process_outbox(100).unwrap(), Processed::default());
}

#[test]
fn the_only_text_and_its_copies_are_found_by_their_vector() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    for _ in 0..3 {
        let event = NewEvent::new(EventKind::UserPrompt, "s1", "quindle");
        let event = event.dedupe(crate::model::event::Dedupe::None);
        memory.append(event).unwrap();
        memory.process_outbox(100).unwrap();
        assert!(!found(&memory, "zorblax").is_empty());
    }
}

/// An embedder whose first call uses up the time leaves the rest for another call.
#[test]
fn no_job_is_begun_when_the_time_is_over() {
    for is_failing in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let embedder = CallbackEmbedder::new("slow", DIMENSIONS, move |texts: &[&str]| {
            counted.fetch_add(1, Ordering::Relaxed);
            match is_failing {
                true => Err("the service is down".into()),
                false => Ok(texts.iter().map(|text| vector_of(text)).collect()),
            }
        });
        let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock());
        let text = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do\n".repeat(60);
        for number in 0..10 {
            say(&memory, &format!("{number} {text}"));
        }
        let engine = memory.enter().unwrap();
        let embedding = engine.embedding.as_ref().unwrap();
        let read = engine.store.read().unwrap();
        let version = read.embedding(&embedding.version).unwrap().unwrap().0;
        drop(read);
        let jobs = claim(&memory, embedding, version);
        assert_eq!(jobs.len(), 10);
        // Time is over after the first call.
        let has_time = || calls.load(Ordering::Relaxed) == 0;
        let (mut done, running) = (Processed::default(), Running::default());
        let named = (embedding, version);
        assert!(work_off(engine, named, jobs, &mut done, (&has_time, &running)).unwrap());
        // A batch may take two calls.
        assert!(calls.load(Ordering::Relaxed) <= 2);
        let (pending, processing, ..) = counts(&memory);
        assert_eq!((pending + done.processed as u64, processing), (10, 0));
        assert!(pending >= 1, "{pending}");
    }
}

#[test]
fn a_vector_of_the_caller_takes_the_place_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let wanted = say(&memory, "quindle").0;
    for text in ["lunch at noon", "the gate is green", "결제는 30초"] {
        say(&memory, text);
    }
    memory.process_outbox(100).unwrap();
    let found = memory
        .search(Query::new("").vector(vector_of("quindle")))
        .unwrap();
    assert_eq!(found.items[0].seq.0, wanted);
    // If there is a text, both count.
    let both = Query::new("gate").vector(vector_of("quindle"));
    let seqs: Vec<u64> = memory
        .search(both)
        .unwrap()
        .items
        .iter()
        .map(|hit| hit.seq.0)
        .collect();
    assert!(
        seqs.contains(&wanted) && seqs.contains(&(wanted + 2)),
        "{seqs:?}"
    );
    for wrong in [
        vec![],
        vec![0.0; DIMENSIONS],
        vec![f32::NAN; DIMENSIONS],
        vec![1.0; DIMENSIONS + 1],
    ] {
        let refused = memory.search(Query::new("gate").vector(wrong)).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::InvalidArgument);
        assert_eq!(refused.argument(), Some("vector"));
    }
    let other = tempfile::tempdir().unwrap();
    let plain = Memory::open(other.path()).unwrap();
    let refused = plain
        .search(Query::new("gate").vector(vector_of("quindle")))
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Unsupported);
    assert_eq!(refused.argument(), Some("vector"));
}

#[test]
fn without_an_embedder_ever_no_job_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    say(&memory, "hello there");
    assert_eq!(memory.stats().unwrap().embedding, None);
    let error = memory.process_outbox(1).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unsupported);
    drop(memory);
    // Existing events are embedded too if the embedder is configured later.
    let memory = open(folder.path(), hashing("a"), &clock());
    assert_eq!(memory.stats().unwrap().embedding.unwrap().to_enqueue, 1);
    assert_eq!(memory.process_outbox(9).unwrap().succeeded, 1);
    assert_eq!(memory.stats().unwrap().embedding.unwrap().to_enqueue, 0);
}

#[test]
fn a_process_without_the_embedder_leaves_jobs() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), hashing("a"), &clock()));
    let hook = Memory::open(folder.path()).unwrap();
    say(&hook, "from a hook");
    let again = NewEvent::new(EventKind::UserPrompt, "s1", "from a hook");
    assert!(hook.append(again).unwrap().duplicate);
    assert_eq!(counts(&hook), (1, 0, 0, 0, 0));
    assert_eq!(found(&hook, "hook"), [1]);
    drop(hook);
    let memory = open(folder.path(), hashing("a"), &clock());
    assert_eq!(memory.process_outbox(9).unwrap().succeeded, 1);
    assert_eq!(counts(&memory), (0, 0, 1, 0, 1));
}

#[test]
fn another_embedder_embeds_everything_anew_and_versions_never_mix() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let memory = open(folder.path(), hashing("a"), &clock);
    for n in 0..5 {
        say(&memory, &format!("event number{n} quindle"));
    }
    memory.process_outbox(100).unwrap();
    drop(memory);
    // The other one has fewer dimensions, so a comparison would fail at once.
    let small = CallbackEmbedder::new("b", 3, |texts| {
        Ok(texts
            .iter()
            .map(|text| vec![text.len() as f32, 1.0, 2.0])
            .collect())
    });
    let memory = open(folder.path(), Arc::new(small.unwrap()), &clock);
    assert_eq!(counts(&memory), (0, 0, 0, 0, 0));
    assert_eq!(found(&memory, "number3")[0], 4, "words still find");
    say(&memory, "a sixth one");
    let done = memory.process_outbox(100).unwrap();
    assert_eq!((done.succeeded, done.failed), (6, 0));
    assert_eq!(counts(&memory), (0, 0, 6, 0, 6));
    assert!(!memory.search("number3").unwrap().degraded);
    drop(memory);
    // Back to the first: its vectors are still there, only the sixth is missing.
    let memory = open(folder.path(), hashing("a"), &clock);
    assert_eq!(memory.process_outbox(100).unwrap().succeeded, 1);
    assert_eq!(counts(&memory).4, 6);
}

#[test]
fn wrong_answers_fail_the_job_and_nothing_else() {
    type Answer = fn(usize) -> Vec<Vec<f32>>;
    let wrong: [(&str, Answer); 4] = [
        ("nan", |n| vec![vec![f32::NAN; DIMENSIONS]; n]),
        ("short", |n| vec![vec![1.0; 3]; n]),
        ("few", |_| Vec::new()),
        ("panic", |_| panic!("a bug of the host")),
    ];
    for (name, answer) in wrong {
        let folder = tempfile::tempdir().unwrap();
        let clock = clock();
        let embedder =
            CallbackEmbedder::new(name, DIMENSIONS, move |texts| Ok(answer(texts.len())));
        let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock);
        say(&memory, "the red bicycle");
        say(&memory, "a blue door");
        let done = memory.process_outbox(10).unwrap();
        assert_eq!((done.processed, done.failed), (2, 2), "{name}");
        assert_eq!(done.errors.len(), 2);
        assert!(!done.errors[0].message.contains("bicycle"), "{name}");
        assert_eq!(counts(&memory), (0, 0, 0, 2, 0), "{name}");
        assert_eq!(found(&memory, "bicycle")[0], 1, "{name}");
        say(&memory, "appending goes on");
    }
}

#[test]
fn a_bad_text_does_not_fail_its_neighbours_and_is_tried_four_times() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let tried = Arc::new(AtomicUsize::new(0));
    let count = tried.clone();
    let embedder = CallbackEmbedder::new("picky", DIMENSIONS, move |texts| {
        if texts.iter().any(|text| text.contains("poison")) {
            if texts.len() == 1 {
                count.fetch_add(1, Ordering::Relaxed);
            }
            return Err("too long".into());
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock);
    say(&memory, "one");
    say(&memory, "poison");
    say(&memory, "three");
    let done = memory.process_outbox(10).unwrap();
    assert_eq!((done.processed, done.succeeded, done.failed), (3, 2, 1));
    assert_eq!(memory.process_outbox(10).unwrap().processed, 0, "it rests");
    for rest in [1_000, 5_000, 30_000, 600_000] {
        clock.advance_ms(rest);
        memory.process_outbox(10).unwrap();
    }
    assert_eq!(tried.load(Ordering::Relaxed), 4);
    assert_eq!(counts(&memory), (0, 0, 2, 1, 2));
    assert_eq!(memory.upkeep().retry_outbox(9).unwrap(), 1);
    assert_eq!(counts(&memory), (1, 0, 2, 0, 2));
}

#[test]
fn a_hanging_embedder_costs_a_recall_its_patience_once() {
    let folder = tempfile::tempdir().unwrap();
    let (release, gate): (Sender<()>, Receiver<()>) = channel();
    let gate = Mutex::new(gate);
    let hangs = Arc::new(AtomicBool::new(false));
    let is_hanging = hangs.clone();
    let embedder = CallbackEmbedder::new("slow", DIMENSIONS, move |texts| {
        if is_hanging.load(Ordering::Acquire) {
            // Ends with the test.
            let _ = gate.lock().recv();
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock());
    say(&memory, "the red bicycle");
    memory.process_outbox(10).unwrap();
    hangs.store(true, Ordering::Release);
    let begun = Instant::now();
    let result = memory
        .search(Query::new("bicycle").deadline_ms(50))
        .unwrap();
    assert!(result.degraded && begun.elapsed() < Duration::from_secs(5));
    let result = memory.search("bicycle").unwrap();
    assert!(result.degraded, "the retriever is still gone");
    assert_eq!(result.items[0].seq.0, 1, "words find it all the same");
    // The worker does not hang either: the job fails at once and waits.
    say(&memory, "a blue door");
    let done = memory.process_outbox(10).unwrap();
    assert_eq!((done.failed, counts(&memory).3), (1, 1));
    drop(release);
}

#[test]
fn jobs_of_a_worker_that_died_are_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let memory = open(folder.path(), hashing("a"), &clock);
    say(&memory, "one");
    let embedding = configured_embedding(&memory.engine).unwrap();
    let (version, _) =
        tidy_outbox(&memory.engine, embedding, &|| true, &Running::default()).unwrap();
    let claimed = claim(&memory, embedding, version);
    assert_eq!(claimed.len(), 1);
    assert_eq!(memory.process_outbox(10).unwrap().processed, 0);
    assert_eq!(counts(&memory), (0, 1, 0, 0, 0));
    clock.advance_ms(outbox::STUCK_AFTER_MS + 1);
    assert_eq!(memory.process_outbox(10).unwrap().succeeded, 1);
    assert_eq!(counts(&memory), (0, 0, 1, 0, 1));
    // The first worker was only slow; its late outcome changes nothing.
    let mut late = Processed::default();
    work_off(
        &memory.engine,
        (embedding, version),
        claimed,
        &mut late,
        (&|| true, &Running::default()),
    )
    .unwrap();
    assert_eq!(late, Processed::default());
    assert_eq!(counts(&memory), (0, 0, 1, 0, 1));
    clock.advance_ms(outbox::KEEP_DONE_MS + 1);
    memory.process_outbox(10).unwrap();
    assert_eq!(counts(&memory), (0, 0, 0, 0, 1), "done jobs are cleaned up");
}

#[test]
fn what_a_wrong_clock_put_off_by_years_is_not_waited_for() {
    const YEARS_MS: i64 = 50 * 365 * 86_400_000;
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let is_down = Arc::new(AtomicBool::new(true));
    let down = is_down.clone();
    let embedder = CallbackEmbedder::new("a", DIMENSIONS, move |texts| {
        match down.load(Ordering::Acquire) {
            true => Err("down".into()),
            false => Ok(texts.iter().map(|text| vector_of(text)).collect()),
        }
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock);
    clock.advance_ms(YEARS_MS);
    say(&memory, "failed then");
    assert_eq!(memory.process_outbox(10).unwrap().failed, 1);
    say(&memory, "claimed then, by a worker that died");
    let embedding = configured_embedding(&memory.engine).unwrap();
    let (version, _) =
        tidy_outbox(&memory.engine, embedding, &|| true, &Running::default()).unwrap();
    assert_eq!(claim(&memory, embedding, version).len(), 1);
    assert_eq!(counts(&memory), (0, 1, 0, 1, 0));
    is_down.store(false, Ordering::Release);
    clock.advance_ms(-YEARS_MS);
    say(&memory, "said now");
    assert_eq!(memory.process_outbox(10).unwrap().succeeded, 3);
    assert_eq!(counts(&memory), (0, 0, 3, 0, 3));
    assert!(memory.check().unwrap().ok);
}

fn forget(memory: &Memory, seq: u64) {
    let mut selector = crate::upkeep::select::Selector::new();
    selector.ids.push(Seq(seq).into());
    memory.forget(&selector).unwrap();
}

/// The job may be claimed already when its event is forgotten.
#[test]
fn an_event_that_is_forgotten_while_it_is_embedded_gets_no_vector() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let (first, second) = (say(&memory, "quindle one").0, say(&memory, "quindle two").0);
    let embedding = configured_embedding(&memory.engine).unwrap();
    let (version, _) =
        tidy_outbox(&memory.engine, embedding, &|| true, &Running::default()).unwrap();
    let claimed = claim(&memory, embedding, version);
    forget(&memory, second);
    let mut done = Processed::default();
    work_off(
        &memory.engine,
        (embedding, version),
        claimed,
        &mut done,
        (&|| true, &Running::default()),
    )
    .unwrap();
    assert_eq!(
        (done.succeeded, done.skipped),
        (1, 0),
        "its job left with it"
    );
    assert_eq!(counts(&memory).4, 1);
    assert_eq!(found(&memory, "zorblax"), [first]);
}

#[test]
fn a_job_whose_event_is_dead_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let seq = say(&memory, "quindle").0;
    memory
        .engine
        .store
        .write(|tx| tx.mark_deleted_for_test(seq))
        .unwrap();
    let done = memory.process_outbox(10).unwrap();
    assert_eq!((done.succeeded, done.skipped), (1, 1));
    assert_eq!(counts(&memory), (0, 0, 1, 0, 0));
}

#[test]
fn compaction_and_rebuilding_keep_the_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let wanted = say(&memory, "quindle").0;
    say(&memory, "lunch at noon");
    memory.process_outbox(10).unwrap();
    memory.compact().unwrap();
    memory
        .rebuild("2026-03-01T12:00:00Z".parse().unwrap())
        .unwrap();
    assert_eq!(counts(&memory).4, 2);
    assert_eq!(found(&memory, "몽글")[0], wanted);
}

#[test]
fn forgotten_events_lose_their_vectors_and_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let first = say(&memory, "quindle one").0;
    memory.process_outbox(10).unwrap();
    let second = say(&memory, "quindle two").0;
    forget(&memory, second);
    assert_eq!(counts(&memory), (0, 0, 1, 0, 1));
    assert_eq!(memory.process_outbox(10).unwrap().processed, 0);
    assert_eq!(found(&memory, "zorblax"), [first]);
    forget(&memory, first);
    assert_eq!(counts(&memory), (0, 0, 0, 0, 0));
    assert!(found(&memory, "zorblax").is_empty());
}

#[test]
fn side_files_can_be_deleted_and_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let memory = open(folder.path(), hashing("a"), &clock);
    let most = usize::try_from(crate::engine::vectors::FLUSH_EVENTS).unwrap() + 10;
    let events = (0..most).map(|n| {
        let text = if n == 7 {
            "quindle".into()
        } else {
            format!("w{n}")
        };
        NewEvent::new(EventKind::UserPrompt, "s1", text)
    });
    memory.append_batch(events.collect()).unwrap();
    assert_eq!(memory.process_outbox(usize::MAX).unwrap().succeeded, most);
    let index = folder.path().join("index");
    let files = || -> Vec<_> {
        std::fs::read_dir(&index)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .filter(|path| side_file::is_of(path, side_file::VECTORS))
            .collect()
    };
    assert_eq!(files().len(), 1, "the memtable was folded");
    assert_eq!(found(&memory, "몽글")[0], 8);
    drop(memory);

    // Damage in the sign bits and floats, which only a search reads.
    let file = files().remove(0);
    let sound = std::fs::read(&file).unwrap();
    let mut broken = sound.clone();
    for at in (600..broken.len()).step_by(97) {
        broken[at] ^= 0x55;
    }
    std::fs::write(&file, &broken).unwrap();
    let memory = open(folder.path(), hashing("a"), &clock);
    memory.search("몽글").unwrap();
    assert_eq!(found(&memory, "몽글")[0], 8, "read from the store instead");
    assert!(files().is_empty(), "a damaged file is removed");
    memory.process_outbox(1).unwrap();
    assert_eq!(files().len(), 1, "and written again");
    drop(memory);

    std::fs::write(files().remove(0), &sound[..sound.len() / 2]).unwrap();
    let memory = open(folder.path(), hashing("a"), &clock);
    assert_eq!(found(&memory, "몽글")[0], 8);
    drop(memory);

    // The words of the events were in that folder too; `maintain` rebuilds both.
    std::fs::remove_dir_all(&index).unwrap();
    let memory = open(folder.path(), hashing("a"), &clock);
    assert!(memory.search("몽글").unwrap().degraded);
    memory.maintain(crate::MaintainBudget::default()).unwrap();
    assert_eq!(found(&memory, "몽글")[0], 8);
    assert_eq!(files().len(), 1);
}

#[test]
fn a_long_text_has_one_job_and_many_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), hashing("a"), &clock());
    let text = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do\n".repeat(60)
        + "the quindle is here\n";
    say(&memory, &text);
    memory.process_outbox(10).unwrap();
    let (_, _, done, _, vectors) = counts(&memory);
    assert!(done == 1 && vectors > 5, "{vectors}");
    let hit = &memory.search("zorblax").unwrap().items[0];
    assert!(hit.passage.text.contains("quindle"), "{:?}", hit.passage);
}

#[test]
fn every_table_of_the_outbox_is_there_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let read = memory.engine.store.read().unwrap();
    assert_eq!(read.active_embedding().unwrap(), None);
    assert!(read.embedding("nobody@0").unwrap().is_none());
    let key = tables::outbox_queue_key(1, 2, -1, 3);
    assert!(key < tables::outbox_queue_key(1, 2, 0, 0));
}

#[cfg(not(feature = "graph"))]
#[test]
fn a_graph_is_refused_by_name_in_a_build_without() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Memory::builder().embedder(hashing("a"));
    let refused = builder
        .clone()
        .vector_graph_from(1)
        .open(folder.path())
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Unsupported);
    assert_eq!(refused.argument(), Some("vector_graph_from"));
    assert!(builder.vector_graph_from(0).open(folder.path()).is_ok());
}

#[test]
fn thousands_of_failed_jobs_hide_no_other() {
    const FAILED: usize = 5_000;
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let is_broken = Arc::new(AtomicBool::new(true));
    let breaks = is_broken.clone();
    let embedder = CallbackEmbedder::new("a", DIMENSIONS, move |texts| {
        if texts.iter().any(|text| text.contains("flaky")) && breaks.load(Ordering::Acquire) {
            return Err("down".into());
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock);
    let batch = |name: &str, count: usize| {
        let events =
            (0..count).map(|n| NewEvent::new(EventKind::UserPrompt, "s1", format!("{name}{n}")));
        memory.append_batch(events.collect()).unwrap();
    };
    // Half of them have no retry left; the others are due again later.
    batch("lost", FAILED);
    let embedding = configured_embedding(&memory.engine).unwrap();
    let (version, _) =
        tidy_outbox(&memory.engine, embedding, &|| true, &Running::default()).unwrap();
    let now = memory.engine.store.clock().now();
    memory
        .engine
        .store
        .write(|tx| {
            tx.with_outbox(version, |table| {
                for mut job in outbox::claim(table, FAILED, now)? {
                    let is_odd = job.id.0 % 2 == 1;
                    job.retry_count = outbox::MAX_RETRIES - u32::from(is_odd);
                    job.fail("broken", now)?;
                    table.put(job)?;
                }
                Ok(())
            })
        })
        .unwrap();
    assert_eq!(counts(&memory), (0, 0, 0, FAILED as u64, 0));
    batch("new", 5);
    say(&memory, "flaky");
    let done = memory.process_outbox(100).unwrap();
    assert_eq!((done.processed, done.succeeded, done.failed), (6, 5, 1));
    is_broken.store(false, Ordering::Release);
    clock.advance_ms(1_000);
    let done = memory.process_outbox(100).unwrap();
    assert_eq!((done.processed, done.succeeded), (1, 1), "its retry is due");
    assert_eq!(counts(&memory), (0, 0, 6, FAILED as u64, 6));
    // All that are due come back at once, behind new jobs.
    clock.advance_ms(30_000);
    let wanted = say(&memory, "quindle").0;
    let done = memory.process_outbox(1).unwrap();
    assert_eq!((done.processed, done.succeeded), (1, 1));
    let near = |seq: u64| {
        let query = Query::new("").vector(vector_of("quindle"));
        let found = memory.search(query).unwrap();
        found.items.iter().any(|hit| hit.seq.0 == seq)
    };
    assert!(near(wanted), "the new one came first");
    let half = FAILED as u64 / 2;
    assert_eq!(counts(&memory), (half, 0, 7, half, 7));
    assert_eq!(memory.upkeep().retry_outbox(9).unwrap() as u64, half);
    let newer = say(&memory, "몽글").0;
    memory.process_outbox(1).unwrap();
    assert!(near(newer));
    assert_eq!(counts(&memory).0, FAILED as u64);
    let done = memory.process_outbox(usize::MAX).unwrap();
    assert_eq!((done.processed, done.succeeded), (FAILED, FAILED));
    assert_eq!(
        counts(&memory),
        (0, 0, FAILED as u64 + 8, 0, FAILED as u64 + 8)
    );
}

#[test]
fn a_job_without_retries_left_keeps_no_other_from_being_retried() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let repaired = Arc::new(AtomicBool::new(false));
    let is_repaired = repaired.clone();
    let embedder = CallbackEmbedder::new("a", DIMENSIONS, move |texts| {
        let breaks = |text: &&str| {
            text.contains("never") || text.contains("later") && !is_repaired.load(Ordering::Acquire)
        };
        match texts.iter().any(breaks) {
            true => Err("down".into()),
            false => Ok(texts.iter().map(|text| vector_of(text)).collect()),
        }
    });
    let settings = crate::Json::parse("settings", r#"{"outbox": {"maxRetries": 1}}"#).unwrap();
    let memory = Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .clock(clock.clone())
        .settings(settings)
        .open(folder.path())
        .unwrap();
    say(&memory, "never");
    for _ in 0..3 {
        memory.process_outbox(10).unwrap();
        clock.advance_ms(60_000);
    }
    assert_eq!(counts(&memory), (0, 0, 0, 1, 0));
    say(&memory, "later");
    assert_eq!(memory.process_outbox(10).unwrap().failed, 1);
    repaired.store(true, Ordering::Release);
    clock.advance_ms(1_000);
    assert_eq!(memory.process_outbox(10).unwrap().succeeded, 1);
    assert_eq!(counts(&memory), (0, 0, 1, 1, 1));
}

#[test]
fn a_damaged_record_keeps_no_other_from_getting_its_vector() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let memory = open(folder.path(), hashing("a"), &clock);
    for text in ["one", "two", "three"] {
        say(&memory, text);
    }
    let store = &memory.engine.store;
    store.write(|tx| tx.damage_record_for_test(2)).unwrap();
    let done = memory.process_outbox(10).unwrap();
    assert_eq!((done.processed, done.succeeded, done.failed), (3, 2, 1));
    assert_eq!(counts(&memory), (0, 0, 2, 1, 2));
}

#[test]
fn looking_for_events_without_a_job_can_be_stopped_and_ends_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let events = BACKFILL_STEP * 3;
    let memory = open(folder.path(), hashing("a"), &clock);
    let batch = (0..events).map(|n| NewEvent::new(EventKind::UserPrompt, "s1", format!("{n}")));
    memory.append_batch(batch.collect()).unwrap();
    memory.process_outbox(usize::MAX).unwrap();
    drop(memory);
    drop(open(folder.path(), hashing("b"), &clock));
    // Every event is looked at again, and has its vector.
    let memory = open(folder.path(), hashing("a"), &clock);
    let waiting = || memory.stats().unwrap().embedding.unwrap().to_enqueue;
    assert_eq!(waiting(), events);
    let is_eager = &memory.engine.operations.is_eager;
    is_eager.store(true, Ordering::Release);
    // When it begins, before it tidies, twice before it claims, and after the first step.
    let calls = AtomicUsize::new(0);
    let stop = move |_: &crate::Progress| calls.fetch_add(1, Ordering::AcqRel) < 4;
    memory.set_progress_handler(Some(Arc::new(stop)));
    let stopped = memory.process_outbox(usize::MAX).unwrap_err();
    assert_eq!(stopped.code(), ErrorCode::Interrupted);
    memory.set_progress_handler(None);
    assert_eq!(waiting(), events - BACKFILL_STEP);
    let embedding = configured_embedding(&memory.engine).unwrap();
    let read = memory.engine.store.read().unwrap();
    let (version, _) = read.embedding(&embedding.version).unwrap().unwrap();
    drop(read);
    let named = (embedding, version);
    let jobs = claim_jobs(&memory.engine, named, 10, &|| false, &Running::default());
    assert!(jobs.unwrap().is_empty());
    assert_eq!(waiting(), events - 2 * BACKFILL_STEP);
    memory.process_outbox(1).unwrap();
    assert_eq!(waiting(), 0);
}

/// An embedder that uses the very memory it embeds for.
#[test]
fn an_embedder_may_call_back_into_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let ours: Arc<std::sync::OnceLock<Memory>> = Arc::default();
    let inside = ours.clone();
    let embedder = CallbackEmbedder::new("a", DIMENSIONS, move |texts| {
        if let Some(memory) = inside.get() {
            let note = NewEvent::new(EventKind::AgentResponse, "s2", "an embedder was asked");
            memory.append(note)?;
            memory.stats()?;
            memory.maintain(crate::MaintainBudget {
                jobs: 0,
                ..crate::MaintainBudget::default()
            })?;
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock());
    let wanted = say(&memory, "quindle").0;
    ours.set(memory.clone()).unwrap();
    let done = memory.process_outbox(1).unwrap();
    assert_eq!(
        (done.processed, done.succeeded),
        (1, 1),
        "{:?}",
        done.errors
    );
    assert!(found(&memory, "zorblax").contains(&wanted));
    assert_eq!(found(&memory, "embedder asked").len(), 1, "stored once");
}

#[test]
fn a_memory_that_is_closed_while_it_embeds_keeps_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let ours: Arc<std::sync::OnceLock<Memory>> = Arc::default();
    let inside = ours.clone();
    let embedder = CallbackEmbedder::new("a", DIMENSIONS, move |texts| {
        if let Some(memory) = inside.get() {
            memory.close()?;
        }
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    let memory = open(folder.path(), Arc::new(embedder.unwrap()), &clock);
    for n in 0..CLAIM_BATCH + 10 {
        say(&memory, &format!("number{n}"));
    }
    ours.set(memory.clone()).unwrap();
    let closed = memory.process_outbox(usize::MAX).unwrap_err();
    assert_eq!(closed.code(), ErrorCode::Closed);
    let memory = open(folder.path(), hashing("a"), &clock);
    let claimed = CLAIM_BATCH as u64;
    assert_eq!(counts(&memory), (10, 0, claimed, 0, claimed));
    assert_eq!(memory.process_outbox(usize::MAX).unwrap().succeeded, 10);
}
