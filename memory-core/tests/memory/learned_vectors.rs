//! Learned items are found by their vectors: what was said in other words, by an embedder that
//! knows which words mean the same. What is forgotten or erased leaves no vector behind.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use recallite::embed::CallbackEmbedder;
use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::EntryType;
use recallite::{
    ContextOptions, EventKind, LearnedHit, LearnedKind, Memory, NewEntry, NewEvent, NewTask, Query,
    Selector, Seq,
};

const DIMENSIONS: usize = 96;

/// Words that mean the same point in the same direction; all others in one of their own.
const SAME: [&[&str]; 3] = [
    &["zorblax", "quindle", "vessel"],
    &["frumious", "snark", "teapot"],
    &["mimsy", "borogove", "lantern"],
];

fn vector_of(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let word = word.to_lowercase();
        if word.is_empty() {
            continue;
        }
        let meaning = SAME.iter().position(|same| same.contains(&word.as_str()));
        let direction = meaning.unwrap_or_else(|| {
            let hash = blake3::hash(word.as_bytes());
            SAME.len() + usize::from(hash.as_bytes()[0]) % (DIMENSIONS - SAME.len())
        });
        vector[direction] += 1.0;
    }
    vector
}

fn open_with(folder: &Path, id: &str) -> Memory {
    let embedder = CallbackEmbedder::new(id, DIMENSIONS, |texts| {
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    Memory::builder()
        .project("shop")
        .embedder(Arc::new(embedder.unwrap()))
        .open(folder)
        .unwrap()
}

fn embed(memory: &Memory) -> usize {
    memory.process_outbox(1_000).unwrap().succeeded
}

fn learned(memory: &Memory, query: impl Into<Query>) -> Vec<LearnedHit> {
    memory.search(query).unwrap().learned
}

fn titles(memory: &Memory, query: &str) -> Vec<String> {
    let found = learned(memory, query);
    found.into_iter().map(|hit| hit.title).collect()
}

/// An entry, a task and some talk that has nothing to do with either.
fn fill(memory: &Memory) {
    for text in [
        "Lunch is at noon today.",
        "The gate is painted green.",
        "Somebody parked in the yard.",
    ] {
        say(memory, text);
    }
    let entry = NewEntry::new(EntryType::Decision, "s1", "Quindle", "Quindle quindle.");
    memory.knowledge().add_entry(&entry).unwrap();
    let task = NewTask::new("Frumious snark");
    memory.tasks().create(&task).unwrap();
}

fn say(memory: &Memory, text: &str) -> Seq {
    let event = NewEvent::new(EventKind::UserPrompt, "s1", text);
    memory.append(event).unwrap().seq
}

fn check(memory: &Memory) {
    let checked = memory.check().unwrap();
    assert!(checked.ok, "{:?}", checked.first_divergence);
}

#[test]
fn an_entry_and_a_task_that_share_no_word_with_the_question_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    fill(&memory);
    assert!(learned(&memory, "vessel").is_empty());
    assert_eq!(memory.stats().unwrap().embedding.unwrap().to_enqueue, 2);
    // Four events (the entry's proof is one), the entry and the task.
    assert_eq!(embed(&memory), 6);
    let entry = &learned(&memory, "vessel")[0];
    assert_eq!(
        (entry.title.as_str(), entry.kind),
        ("Quindle", LearnedKind::Entry)
    );
    assert!((0.4..1.0).contains(&entry.relevance), "{}", entry.relevance);
    assert_eq!(entry.proofs[0].quote, "Quindle quindle.");
    let task = &learned(&memory, "teapot")[0];
    assert_eq!(
        (task.title.as_str(), task.kind),
        ("Frumious snark", LearnedKind::Task)
    );
    // Only the one that is meant.
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    assert_eq!(titles(&memory, "teapot"), ["Frumious snark"]);
    assert!(titles(&memory, "weather").is_empty());
    let context = memory.context(ContextOptions::new("vessel")).unwrap();
    assert!(context.text.contains("Quindle"), "{}", context.text);
    // A vector in place of the text finds it too, and so do filters.
    let by_vector = || Query::new("").vector(vector_of("vessel"));
    assert_eq!(learned(&memory, by_vector())[0].title, "Quindle");
    let tasks = by_vector().learned_kinds([LearnedKind::Task]);
    assert!(learned(&memory, tasks).is_empty());
    assert!(learned(&memory, by_vector().session("another")).is_empty());
    assert_eq!(learned(&memory, by_vector().session("s1")).len(), 1);
    check(&memory);
}

/// An embedder gets the beginning of a long question and of a long learned item, cut between two
/// characters; words find the rest.
#[test]
fn an_embedder_gets_no_more_of_a_text_than_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let given: Arc<Mutex<Vec<String>>> = Arc::default();
    let taken = given.clone();
    let embedder = CallbackEmbedder::new("records", DIMENSIONS, move |texts| {
        let texts = texts.iter();
        taken
            .lock()
            .unwrap()
            .extend(texts.clone().map(|text| text.to_string()));
        Ok(texts.map(|text| vector_of(text)).collect())
    });
    let memory = Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .open(folder.path())
        .unwrap();
    let content = format!("{} quagga", "항구 ".repeat(5_000));
    let entry = NewEntry::new(EntryType::Fact, "s1", "Harbour 7", content);
    memory.knowledge().add_entry(&entry).unwrap();
    embed(&memory);
    let longest = |beginning: &str| {
        let given = std::mem::take(&mut *given.lock().unwrap()).into_iter();
        let lengths = given.filter(|text| text.starts_with(beginning));
        lengths.map(|text| text.len()).max()
    };
    assert!((4_094..=4_096).contains(&longest("Harbour 7").unwrap()));
    assert_eq!(titles(&memory, "quagga"), ["Harbour 7"]);

    longest("");
    let question = format!("when? {}", "등대".repeat(1_700));
    assert!(question.len() > 10_000);
    memory.search(question.as_str()).unwrap();
    assert!((4_094..=4_096).contains(&longest("when?").unwrap()));
}

#[test]
fn likeness_helps_what_words_find_and_nothing_changes_without_an_embedder() {
    let (plain, with) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plain = Memory::builder()
        .project("shop")
        .open(plain.path())
        .unwrap();
    let memory = open_with(with.path(), "a");
    fill(&plain);
    fill(&memory);
    let relevance = |memory: &Memory| learned(memory, "quindle maintenance")[0].relevance;
    let by_words = relevance(&plain);
    assert_eq!(relevance(&memory), by_words);
    embed(&memory);
    assert!(relevance(&memory) > by_words);
    assert!(relevance(&memory) < 1.0);
    assert!(titles(&plain, "vessel").is_empty());
}

#[test]
fn a_task_is_found_by_its_new_title_and_embedded_only_when_that_changes() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    fill(&memory);
    embed(&memory);
    let id = memory.tasks().list(&Default::default()).unwrap()[0]
        .id
        .clone();
    let high = recallite::rules::tasks::Priority::High;
    memory.tasks().set_priority(&id, high).unwrap();
    assert_eq!(embed(&memory), 0, "the title is the same");
    assert_eq!(titles(&memory, "teapot"), ["Frumious snark"]);
    memory.tasks().rename(&id, "Mimsy borogove").unwrap();
    assert_eq!(embed(&memory), 1);
    assert_eq!(titles(&memory, "lantern"), ["Mimsy borogove"]);
    assert!(titles(&memory, "teapot").is_empty());
    // Without the renaming it has its first title again, and no vector of the second.
    let renamed = Seq(memory.stats().unwrap().last_seq);
    memory.forget(&Selector::new().ids([renamed])).unwrap();
    assert!(titles(&memory, "lantern").is_empty());
    assert_eq!(embed(&memory), 1);
    assert_eq!(titles(&memory, "teapot"), ["Frumious snark"]);
    check(&memory);
}

#[test]
fn a_consolidated_memory_is_found_by_its_vector() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let mut config = memory.endless().config().unwrap();
    config.consolidation.min_events = 3;
    config.consolidation.is_left_to_host = true;
    memory.endless().set_config(&config).unwrap();
    for step in 0..4 {
        say(&memory, &format!("Step {step} of src/yard.rs"));
    }
    let mut summarize = |_: &[String], _: &[String]| Ok(Some("Mimsy borogove.".to_owned()));
    memory.endless().consolidate_with(&mut summarize).unwrap();
    let found = |text: &str| -> Vec<String> {
        let found = memory.endless().memories(Some(text), None).unwrap();
        found.into_iter().map(|one| one.summary).collect()
    };
    assert!(found("lantern").is_empty());
    embed(&memory);
    assert_eq!(found("lantern"), ["Mimsy borogove."]);
    assert!(found("weather").is_empty());
    let hits = learned(&memory, "lantern");
    assert_eq!(hits[0].kind, LearnedKind::Memory);
    let given = memory.endless().context(Some("lantern")).unwrap();
    assert_eq!(given.consolidated.len(), 1);
    check(&memory);
}

#[test]
fn after_a_rebuild_and_with_another_embedder_everything_is_embedded_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    fill(&memory);
    embed(&memory);
    let as_of = memory.check().unwrap().as_of;
    let rebuilt = memory.rebuild(as_of).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    assert!(titles(&memory, "vessel").is_empty());
    assert_eq!(embed(&memory), 2);
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    memory.compact().unwrap();
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    assert_eq!(embed(&memory), 0);
    drop(memory);
    // Its vectors are not compared with those of the first.
    let memory = open_with(folder.path(), "b");
    assert!(titles(&memory, "vessel").is_empty());
    assert_eq!(embed(&memory), 6);
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    check(&memory);
    drop(memory);
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    assert!(titles(&memory, "vessel").is_empty());
    let entry = NewEntry::new(EntryType::Fact, "s1", "Borogove", "Borogove.");
    memory.knowledge().add_entry(&entry).unwrap();
    drop(memory);
    // What a process without an embedder learns is embedded later.
    let memory = open_with(folder.path(), "b");
    embed(&memory);
    assert_eq!(titles(&memory, "lantern"), ["Borogove"]);
}

#[test]
fn what_was_learned_before_there_was_an_embedder_is_embedded_too() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    fill(&memory);
    assert_eq!(memory.stats().unwrap().embedding, None);
    drop(memory);
    let memory = open_with(folder.path(), "a");
    assert_eq!(embed(&memory), 6);
    assert_eq!(titles(&memory, "teapot"), ["Frumious snark"]);
}

/// The 8-bit numbers that a store keeps for a text.
fn trace_of(text: &str) -> Vec<u8> {
    let vector = vector_of(text);
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    vector
        .iter()
        .map(|x| (x / largest * 127.0).round() as i8 as u8)
        .collect()
}

fn files_with(folder: &Path, trace: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, trace));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(trace.len()).any(|window| window == trace) {
            found.push(path);
        }
    }
    found
}

/// An entry whose words nothing else has, and the events that made it.
fn secret_entry(memory: &Memory) -> (Vec<u8>, Selector) {
    let before = memory.stats().unwrap().last_seq;
    let text = "Zorblax zorblax zorblax manxome";
    let entry = NewEntry::new(EntryType::Fact, "s1", "Tulgey", text);
    memory.knowledge().add_entry(&entry).unwrap();
    let after = memory.stats().unwrap().last_seq;
    let made = Selector::new().ids((before + 1..=after).map(Seq));
    (trace_of(&format!("Tulgey\n{text}")), made)
}

#[test]
fn a_forgotten_entry_has_no_vector_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    fill(&memory);
    let (trace, made) = secret_entry(&memory);
    embed(&memory);
    assert!(
        !files_with(folder.path(), &trace).is_empty(),
        "the right bytes"
    );
    assert!(titles(&memory, "vessel").contains(&"Tulgey".to_owned()));
    memory.forget(&made).unwrap();
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    // Freed pages of the store are overwritten by a compaction, as those of events are.
    memory.compact().unwrap();
    assert!(files_with(folder.path(), &trace).is_empty());
    assert_eq!(embed(&memory), 0);
    check(&memory);
}

#[test]
fn an_erased_entry_leaves_no_byte_of_its_vector() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    fill(&memory);
    let (trace, made) = secret_entry(&memory);
    embed(&memory);
    assert!(
        !files_with(folder.path(), &trace).is_empty(),
        "the right bytes"
    );
    assert!(memory.erase(&made).unwrap().is_complete);
    assert!(files_with(folder.path(), &trace).is_empty());
    embed(&memory);
    assert!(files_with(folder.path(), &trace).is_empty());
    assert_eq!(titles(&memory, "vessel"), ["Quindle"]);
    assert_eq!(memory.stats().unwrap().embedding.unwrap().failed, 0);
    check(&memory);
}

#[test]
fn what_the_session_knows_does_not_hide_what_only_a_vector_finds() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_with(folder.path(), "a");
    let old = NewEvent::new(EventKind::UserPrompt, "old", "Zorblax noon.");
    let old = memory.append(old).unwrap();
    let events =
        (0..250).map(|_| NewEvent::new(EventKind::AgentResponse, "new", "Quindle quindle."));
    memory.append_batch(events.collect()).unwrap();
    // What is usual in the store is something else.
    let others = (0..750).map(|number| {
        NewEvent::new(
            EventKind::UserPrompt,
            "other",
            format!("Gate {number} is green."),
        )
    });
    memory.append_batch(others.collect()).unwrap();
    while embed(&memory) > 0 {}
    let known = ContextOptions::new(Query::new("").vector(vector_of("vessel")))
        .session("new")
        .skip_known_since(recallite::Timestamp::MIN);
    let context = memory.context(known).unwrap();
    let seqs: Vec<Seq> = context.items.iter().map(|item| item.seq).collect();
    assert_eq!(seqs, [old.seq], "{}", context.text);
}
