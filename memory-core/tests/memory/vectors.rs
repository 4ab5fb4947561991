//! Vectors and their files while threads and processes do everything concurrently: no call fails,
//! every vector is found, and those of forgotten events are in no file.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use recallite::embed::CallbackEmbedder;
use recallite::{EventKind, MaintainBudget, Memory, NewEvent, Query, RecallWeights, Selector, Seq};

const ROLE: &str = "RECALLITE_TEST_ROLE";
const STORE: &str = "RECALLITE_TEST_STORE";

const DIMENSIONS: usize = 16;
/// More than enough to make a vector file due.
const ROUND: usize = 2_300;

/// A different direction for every text.
fn vector_of(text: &str) -> Vec<f32> {
    let mut state = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (0..DIMENSIONS)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

fn unit_of(text: &str) -> Vec<f32> {
    let mut vector = vector_of(text);
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    for x in &mut vector {
        *x = (f64::from(*x) / square.sqrt()) as f32;
    }
    vector
}

fn open(store: &Path) -> Memory {
    let embedder = CallbackEmbedder::new("directions", DIMENSIONS, |texts| {
        Ok(texts.iter().map(|text| vector_of(text)).collect())
    });
    // Rank by vectors alone: otherwise two matching neighbours would boost each other.
    let mut weights = RecallWeights::default();
    weights.context_scores = 0.0;
    Memory::builder()
        .embedder(Arc::new(embedder.unwrap()))
        .recall_weights(weights)
        .recall_cache(false)
        .busy_timeout_ms(60_000)
        .open(store)
        .unwrap()
}

fn text_of(number: usize) -> String {
    format!("number{number} of the list")
}

fn append(memory: &Memory, numbers: std::ops::Range<usize>) {
    let events = numbers.map(|n| NewEvent::new(EventKind::UserPrompt, "s1", text_of(n)));
    memory.append_batch(events.collect()).unwrap();
}

/// The texts nearest to this one.
fn nearest(memory: &Memory, text: &str) -> Vec<String> {
    let query = Query::new("").vector(vector_of(text)).limit(3);
    let found = memory.search(query).unwrap();
    found
        .items
        .into_iter()
        .map(|hit| hit.passage.text)
        .collect()
}

fn assert_found(memory: &Memory, number: usize) {
    let text = text_of(number);
    let found = nearest(memory, &text);
    assert_eq!(found.first(), Some(&text), "of {number}");
}

fn forget(memory: &Memory, seq: u64) {
    let mut selector = Selector::new();
    selector.ids.push(Seq(seq).into());
    memory.forget(&selector).unwrap();
}

/// Every file in the folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// The vector files, finished or not; segment files are in the same folder.
fn side_files(store: &Path) -> Vec<PathBuf> {
    let mut files = files(&store.join("index"));
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("vectors."))
    });
    files
}

fn start(role: &str, store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "vectors::child",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, role)
        .env(STORE, store)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Works until nothing is pending.
fn work(memory: &Memory, by_maintain: bool) {
    loop {
        let left = match by_maintain {
            true => {
                memory
                    .maintain(MaintainBudget::default())
                    .unwrap()
                    .jobs_done
            }
            false => memory.process_outbox(200).unwrap().processed,
        };
        let stats = memory.stats().unwrap().embedding.unwrap();
        if left == 0 && stats.pending + stats.to_enqueue == 0 {
            break;
        }
    }
}

#[test]
fn child() {
    let (Ok(role), Ok(store)) = (std::env::var(ROLE), std::env::var(STORE)) else {
        return;
    };
    let memory = open(Path::new(&store));
    match role.as_str() {
        "maintain" => work(&memory, true),
        "process" => work(&memory, false),
        "search for ever" => loop {
            for number in 0..ROUND {
                nearest(&memory, &text_of(number));
            }
        },
        other => panic!("unknown role {other}"),
    }
}

#[test]
fn threads_build_search_append_and_forget_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    let all = ROUND + 600;
    let is_over = AtomicBool::new(false);
    let forgotten = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let (memory, is_over, forgotten) = (&memory, &is_over, &forgotten);
        let workers: Vec<_> = (0..4)
            .map(|n| scope.spawn(move || work(memory, n % 2 == 0)))
            .collect();
        scope.spawn(move || {
            while !is_over.load(Ordering::Acquire) {
                nearest(memory, "number7 of the list");
            }
        });
        scope.spawn(move || {
            // Every tenth of the first 400.
            for seq in (1..400).step_by(10) {
                if is_over.load(Ordering::Acquire) {
                    break;
                }
                forget(memory, seq);
                forgotten.store(seq, Ordering::Release);
            }
        });
        append(memory, ROUND..all);
        for worker in workers {
            worker.join().unwrap();
        }
        is_over.store(true, Ordering::Release);
    });
    work(&memory, true);
    let last = forgotten.load(Ordering::Acquire);
    assert!(last > 1, "forgetting went on beside the rest");
    let dead = |number: usize| {
        let seq = number as u64 + 1;
        seq <= last && seq % 10 == 1
    };
    let live = (0..all).filter(|&number| !dead(number));
    let stats = memory.stats().unwrap().embedding.unwrap();
    assert_eq!(
        (stats.vectors, stats.failed),
        (live.clone().count() as u64, 0)
    );
    for number in live.step_by(23) {
        assert_found(&memory, number);
    }
    for number in (0..last as usize).filter(|&number| dead(number)) {
        assert!(!nearest(&memory, &text_of(number)).contains(&text_of(number)));
    }
    assert!(!side_files(folder.path()).is_empty());
    let left = side_files(folder.path());
    assert!(
        left.iter().all(|path| path.extension().unwrap() == "bin"),
        "{left:?}"
    );
}

#[test]
fn processes_build_and_search_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    let mut searching = start("search for ever", folder.path());
    let workers: Vec<Child> = ["maintain", "process", "maintain"]
        .map(|role| start(role, folder.path()))
        .into();
    let all = ROUND + 600;
    append(&memory, ROUND..all);
    for seq in (1..200).step_by(10) {
        forget(&memory, seq);
    }
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    assert!(searching.try_wait().unwrap().is_none(), "it still searches");
    searching.kill().unwrap();
    searching.wait().unwrap();
    work(&memory, true);
    assert_eq!(
        memory.stats().unwrap().embedding.unwrap().vectors,
        all as u64 - 20
    );
    for number in (1..all).step_by(50) {
        assert_found(&memory, number);
    }
}

#[test]
fn a_short_file_and_what_killed_builders_left_are_made_good() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    work(&memory, false);
    let whole = side_files(folder.path());
    assert_eq!(whole.len(), 1);
    drop(memory);
    let left = whole[0].with_extension("1234.tmp");
    std::fs::write(&left, b"half a file").unwrap();
    for length in [0, 100, 600, 20_000] {
        let is_whole = |path: &PathBuf| path.extension().unwrap() == "bin";
        let path = &side_files(folder.path())
            .into_iter()
            .find(is_whole)
            .unwrap();
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..length]).unwrap();
        let memory = open(folder.path());
        assert_found(&memory, 77);
        work(&memory, true);
        assert_found(&memory, 78);
        let now = side_files(folder.path());
        assert_eq!(now.len(), 1, "{now:?}");
        assert!(std::fs::metadata(&now[0]).unwrap().len() > 20_000);
    }
    assert!(!left.exists());
}

#[test]
fn a_compaction_keeps_the_side_files_and_a_search_writes_none() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    work(&memory, false);
    let before = side_files(folder.path());
    memory.compact().unwrap();
    for number in (0..ROUND).step_by(200) {
        assert_found(&memory, number);
    }
    work(&memory, true);
    assert_eq!(side_files(folder.path()), before);
    std::fs::remove_dir_all(folder.path().join("index")).unwrap();
    assert_found(&memory, 5);
    assert!(side_files(folder.path()).is_empty());
    work(&memory, true);
    assert_eq!(side_files(folder.path()).len(), 1);
    assert_found(&memory, 6);
}

/// The floats and the int8 values that a file would store for a text.
fn traces_of(text: &str) -> [Vec<u8>; 2] {
    let unit = unit_of(text);
    let scale = unit.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0;
    [
        unit.iter().flat_map(|x| x.to_le_bytes()).collect(),
        unit.iter()
            .map(|x| (x / scale).round() as i8 as u8)
            .collect(),
    ]
}

fn holds(path: &Path, trace: &[u8]) -> bool {
    let bytes = std::fs::read(path).unwrap();
    bytes.windows(trace.len()).any(|window| window == trace)
}

#[test]
fn the_vector_of_a_forgotten_event_is_in_no_side_file() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    work(&memory, false);
    let other = open(folder.path());
    let plain = Memory::open(folder.path()).unwrap();
    assert_found(&other, 700);
    for (number, by) in [(700, &memory), (701, &other), (702, &plain)] {
        let traces = traces_of(&text_of(number));
        for trace in &traces {
            let found = side_files(folder.path())
                .iter()
                .any(|path| holds(path, trace));
            assert!(found, "the test looks for the right bytes");
        }
        let kept: Vec<PathBuf> = side_files(folder.path());
        forget(by, number as u64 + 1);
        for path in side_files(folder.path()) {
            assert!(!traces.iter().any(|trace| holds(&path, trace)));
        }
        assert!(kept.iter().all(|path| !path.exists()));
        assert!(!nearest(&memory, &text_of(number)).contains(&text_of(number)));
        assert_eq!(
            side_files(folder.path()).len(),
            1,
            "written again without it"
        );
    }
    for number in (0..ROUND).step_by(100).filter(|&number| number != 700) {
        assert_found(&memory, number);
    }
}

/// The files, including the store's, that contain a text's floats.
fn files_with_floats(store: &Path, text: &str) -> Vec<PathBuf> {
    let [floats, _] = traces_of(text);
    let mut found = files(store);
    found.retain(|path| holds(path, &floats));
    found
}

#[test]
fn after_a_compaction_or_an_erasure_the_floats_are_in_no_file_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    work(&memory, false);
    let (forgotten, erased) = (text_of(1_200), text_of(1_300));
    for text in [&forgotten, &erased] {
        assert_eq!(files_with_floats(folder.path(), text).len(), 2);
    }
    forget(&memory, 1_201);
    memory.compact().unwrap();
    assert!(files_with_floats(folder.path(), &forgotten).is_empty());
    let mut selector = Selector::new();
    selector.ids.push(Seq(1_301).into());
    assert!(memory.erase(&selector).unwrap().is_complete);
    assert!(files_with_floats(folder.path(), &erased).is_empty());
    assert_eq!(side_files(folder.path()).len(), 1, "the others stay");
    assert_found(&memory, 1_301);
}

/// A builder that is delayed for so long that forgetting does not wait for it later publishes a
/// file with the vector.
#[cfg(unix)]
#[test]
fn what_a_late_builder_brings_back_is_taken_out_by_maintain_and_by_opening() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    append(&memory, 0..ROUND);
    work(&memory, false);
    let index = folder.path().join("index");
    for (number, by_opening) in [(900, false), (901, true)] {
        let [_, codes] = traces_of(&text_of(number));
        let path = side_files(folder.path()).remove(0);
        let bytes = std::fs::read(&path).unwrap();
        let builder = std::fs::File::open(&index).unwrap();
        builder.lock().unwrap();
        forget(&memory, number as u64 + 1);
        assert!(
            !side_files(folder.path())
                .iter()
                .any(|path| holds(path, &codes))
        );
        assert!(!nearest(&memory, &text_of(number)).contains(&text_of(number)));
        assert_found(&memory, 5);
        std::fs::write(&path, bytes).unwrap();
        builder.unlock().unwrap();
        match by_opening {
            true => drop(Memory::open(folder.path()).unwrap()),
            false => work(&memory, true),
        }
        assert!(
            !side_files(folder.path())
                .iter()
                .any(|path| holds(path, &codes))
        );
        work(&memory, true);
        assert_eq!(side_files(folder.path()).len(), 1);
        assert_found(&memory, 6);
    }
}
