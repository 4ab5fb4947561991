//! What a memory reports about its work to the program's logger.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use recallite::embed::CallbackEmbedder;
use recallite::{
    EventKind, LogLevel, LogRecord, MaintainBudget, Memory, MemoryBuilder, NewEvent, Query,
    Selector, Seq, Timestamp,
};

/// Must not appear in any log record.
const MARKER: &str = "zqxwmarker";

#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<LogRecord>>>);

impl Told {
    fn builder(&self, level: LogLevel) -> MemoryBuilder {
        let told = self.0.clone();
        Memory::builder()
            .log_level(level)
            .on_log(move |record| told.lock().unwrap().push(record.clone()))
    }

    /// The log records since the last call, as `level target: message`.
    fn take(&self) -> Vec<String> {
        let line =
            |record: LogRecord| format!("{} {}: {}", record.level, record.target, record.message);
        self.0.lock().unwrap().drain(..).map(line).collect()
    }
}

fn prompt(number: usize) -> NewEvent {
    let text = format!("note {number} about {MARKER} and gateways");
    NewEvent::new(EventKind::UserPrompt, format!("s-{MARKER}"), text).project(MARKER)
}

fn holds(told: &[String], words: &str) -> bool {
    told.iter().any(|line| line.contains(words))
}

#[test]
fn what_happens_is_told_and_no_text_is() {
    let folder = tempfile::tempdir().unwrap();
    let told = Told::default();
    let memory = told
        .builder(LogLevel::Debug)
        .project(MARKER)
        .open(folder.path())
        .unwrap();
    let mut all = told.take();
    assert_eq!(all, ["info open: created a new store"]);
    memory.append_batch((0..40).map(prompt).collect()).unwrap();

    memory.maintain(MaintainBudget::default()).unwrap();
    let maintained = told.take();
    assert!(
        holds(&maintained, "info upkeep: maintain: flushed 1"),
        "{maintained:?}"
    );
    let late = memory.search(Query::new(MARKER).deadline_ms(0)).unwrap();
    assert!(late.degraded);
    let searched = told.take();
    assert!(
        holds(
            &searched,
            "warn recall: a search is degraded: the deadline passed"
        ),
        "{searched:?}"
    );
    assert!(!memory.search(MARKER).unwrap().degraded);
    assert_eq!(told.take(), [""; 0], "a whole answer tells nothing");

    memory.forget(&Selector::new().id(Seq(1))).unwrap();
    memory.erase(&Selector::new().id(Seq(2))).unwrap();
    memory.compact().unwrap();
    memory
        .rebuild(Timestamp::from_millis(1_700_000_000_000).unwrap())
        .unwrap();
    memory.upkeep().export_jsonl_to(Vec::new(), None).unwrap();
    assert!(memory.check().unwrap().ok);
    let kept = told.take();
    for words in [
        "debug upkeep: forgot 1 event",
        "info upkeep: erased 1 event",
        "info upkeep: compacted: ",
        "info upkeep: rebuilt from 43 records, with the same result",
        "info upkeep: exported 43 events",
        "info upkeep: check: the store is sound",
    ] {
        assert!(holds(&kept, words), "{words}: {kept:?}");
    }
    for line in maintained.into_iter().chain(searched).chain(kept) {
        all.push(line);
    }
    for line in &all {
        assert!(
            !line.contains(MARKER) && !line.contains("gateway"),
            "{line}"
        );
        assert!(!line.contains('\n') && !line.ends_with('.'), "{line}");
    }
}

#[test]
fn what_matters_less_than_was_asked_for_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = Told::default();
    let memory = told.builder(LogLevel::Warn).open(folder.path()).unwrap();
    memory.append(prompt(1)).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    memory.compact().unwrap();
    assert_eq!(told.take(), [""; 0]);
    memory.search(Query::new("note").deadline_ms(0)).unwrap();
    assert_eq!(told.take().len(), 1);
}

#[test]
fn a_failing_embedder_is_told_without_what_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let told = Told::default();
    let embedder = CallbackEmbedder::new("fails", 2, |texts| {
        Err(format!("no vector for {}", texts.join(" ")).into())
    });
    let memory = told
        .builder(LogLevel::Warn)
        .embedder(Arc::new(embedder.unwrap()))
        .open(folder.path())
        .unwrap();
    memory.append(prompt(1)).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    let failed = "warn embed: 1 job of the outbox failed and will be retried";
    assert_eq!(told.take(), [failed]);
}

#[test]
fn recovery_is_told_at_opening() {
    let folder = tempfile::tempdir().unwrap();
    Memory::open(folder.path())
        .unwrap()
        .append(prompt(1))
        .unwrap();
    std::fs::remove_file(folder.path().join("CURRENT")).unwrap();
    let told = Told::default();
    let memory = told.builder(LogLevel::Info).open(folder.path()).unwrap();
    let lines = told.take();
    assert!(holds(&lines, "CURRENT did not name"), "{lines:?}");
    // A second handle logs only what is new.
    let second = told.builder(LogLevel::Info).open(folder.path()).unwrap();
    assert_eq!(told.take(), [""; 0]);
    drop((memory, second));
}

#[test]
fn a_crash_of_an_exclusive_store_costs_no_look_at_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let exclusive = |told: &Told, path: &Path| {
        told.builder(LogLevel::Info)
            .exclusive(true)
            .open(path)
            .unwrap()
    };
    let memory = exclusive(&Told::default(), folder.path());
    // Simulates a process killed after each of these steps.
    let repaired = |when: &str| {
        let copy = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            if file.path().is_file() {
                std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
            }
        }
        let told = Told::default();
        let killed = exclusive(&told, copy.path());
        assert!(killed.check().unwrap().ok, "{when}");
        holds(&told.take(), "a crash was repaired")
    };
    assert!(!repaired("begun"));
    memory.append_batch((0..40).map(prompt).collect()).unwrap();
    assert!(!repaired("appended"));
    memory.compact().unwrap();
    assert!(!repaired("compacted"));
    memory.erase(&Selector::new().id(Seq(1))).unwrap();
    assert!(!repaired("erased"));
    let now = Timestamp::from_millis(1_700_000_000_000).unwrap();
    memory.rebuild(now).unwrap();
    assert!(!repaired("rebuilt"));
}

#[test]
fn the_function_may_use_the_memory_and_may_fail() {
    let folder = tempfile::tempdir().unwrap();
    let memory: Arc<OnceLock<Memory>> = Arc::default();
    let calls = Arc::new(Mutex::new(0));
    let (known, counted) = (memory.clone(), calls.clone());
    let opened = Memory::builder()
        .on_log(move |record| {
            *counted.lock().unwrap() += 1;
            if let Some(memory) = known.get() {
                // It writes, searches and maintains the store, and then panics.
                memory
                    .append(NewEvent::new(
                        EventKind::UserPrompt,
                        "log",
                        &*record.message,
                    ))
                    .unwrap();
                memory.search(Query::new("log").deadline_ms(0)).unwrap();
                memory.compact().unwrap();
                panic!("on purpose");
            }
        })
        .open(folder.path())
        .unwrap();
    memory.set(opened).unwrap();
    let memory = memory.get().unwrap();
    memory.append(prompt(1)).unwrap();
    let before = *calls.lock().unwrap();
    memory.compact().unwrap();
    memory.erase(&Selector::new().id(Seq(1))).unwrap();
    assert_eq!(*calls.lock().unwrap(), before + 2);
    assert!(memory.check().unwrap().ok);
    assert!(!memory.search("compacted").unwrap().items.is_empty());
}
