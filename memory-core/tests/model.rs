//! Random operations compared with a model: a map of what was stored, searched by brute force.
//! `RECALLITE_TEST_SEED` repeats a run, `RECALLITE_TEST_OPERATIONS` makes it longer.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use recallite::scope::ProjectScope;
use recallite::{
    CitationId, EventFilter, EventId, EventKind, Memory, NewEvent, Query, Selector, Seq, Timestamp,
};

/// SplitMix64: small, and the same on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

#[derive(Clone, Debug)]
struct Stored {
    id: EventId,
    citation: CitationId,
    kind: EventKind,
    session: String,
    project: String,
    content: String,
    timestamp: Timestamp,
    /// A word unique to this event.
    word: String,
}

#[derive(Default)]
struct Model {
    live: BTreeMap<u64, Stored>,
    dead: BTreeMap<u64, Stored>,
    erased: u64,
    made: u64,
    last_seq: u64,
}

const WORDS: [&str; 12] = [
    "payment",
    "timeout",
    "결제",
    "시간",
    "データベース",
    "缓存",
    "deploy",
    "مرحبا",
    "retry",
    "🎉",
    "cache",
    "server",
];

impl Model {
    fn new_event(&mut self, random: &mut Random) -> (NewEvent, Stored) {
        self.made += 1;
        // Letters only, so that every analyser treats it as one word.
        let mut word = String::from("zq");
        let mut number = self.made;
        while number > 0 {
            word.push((b'b' + (number % 23) as u8) as char);
            number /= 23;
        }
        word.push_str("xq");
        let mut content = word.clone();
        for _ in 0..random.below(9) {
            content.push(' ');
            content.push_str(WORDS[random.below(12) as usize]);
        }
        let kind = if random.below(2) == 0 {
            EventKind::UserPrompt
        } else {
            EventKind::AgentResponse
        };
        let session = format!("세션-{}", random.below(5));
        let project = ["", "shop", "zoo"][random.below(3) as usize].to_owned();
        let day = 86_400_000 * random.below(400) as i64;
        let timestamp = Timestamp::from_millis(1_700_000_000_000 + day).unwrap();
        let event = NewEvent::new(kind, &session, &content)
            .project(&project)
            .timestamp(timestamp);
        let stored = Stored {
            id: EventId::from_bytes([0; 16]),
            citation: "aaaaaa".parse().unwrap(),
            kind,
            session,
            project,
            content,
            timestamp,
            word,
        };
        (event, stored)
    }

    fn append(&mut self, memory: &Memory, random: &mut Random, count: u64) {
        let (events, stored): (Vec<_>, Vec<_>) = (0..count).map(|_| self.new_event(random)).unzip();
        for (receipt, mut stored) in memory.append_batch(events).unwrap().into_iter().zip(stored) {
            self.last_seq += 1;
            assert!(!receipt.duplicate);
            assert_eq!(receipt.seq.0, self.last_seq);
            (stored.id, stored.citation) = (receipt.id, receipt.citation);
            self.live.insert(self.last_seq, stored);
        }
    }

    /// Counts the records that the store appended on its own after the last operation: which events
    /// were recalled, and which moved to another level as a result.
    fn settle(&mut self, memory: &Memory) {
        while let Some(event) = memory.event(Seq(self.last_seq + 1)).unwrap() {
            let is_note = matches!(event.kind, EventKind::Accessed | EventKind::LevelChanged);
            assert!(is_note, "the model knows of no {}", event.kind);
            self.last_seq += 1;
        }
    }

    /// Counts the store's own records before an erasure, and the erasure, which forgets the event
    /// first. A record about only the erased event is gone with it.
    fn settle_before(&mut self, memory: &Memory, tombstone: Seq) {
        for seq in self.last_seq + 1..tombstone.0 {
            if let Some(event) = memory.event(Seq(seq)).unwrap() {
                let is_note = matches!(
                    event.kind,
                    EventKind::Accessed | EventKind::LevelChanged | EventKind::Forgotten
                );
                assert!(is_note, "the model knows of no {}", event.kind);
            }
        }
        self.last_seq = tombstone.0;
    }

    fn any(&self, random: &mut Random, live: bool) -> Option<(u64, Stored)> {
        let events = if live { &self.live } else { &self.dead };
        let at = random.below(events.len().max(1) as u64) as usize;
        events
            .iter()
            .nth(at)
            .map(|(seq, event)| (*seq, event.clone()))
    }

    /// Forgets the events that match `wanted`, in the model and in the store.
    fn forget(&mut self, memory: &Memory, selector: &Selector, wanted: impl Fn(&Stored) -> bool) {
        let gone: Vec<u64> = self
            .live
            .iter()
            .filter(|(_, event)| wanted(event))
            .map(|(seq, _)| *seq)
            .collect();
        assert_eq!(
            memory.upkeep().count_selected(selector).unwrap(),
            gone.len() as u64
        );
        let forgotten = memory.forget(selector).unwrap();
        assert_eq!(forgotten.count, gone.len() as u64);
        for seq in gone {
            let event = self.live.remove(&seq).unwrap();
            self.dead.insert(seq, event);
        }
        // Many events are forgotten in slices, each with a record of its own.
        if let Some(tombstone) = forgotten.tombstone {
            self.last_seq = tombstone.0;
        }
    }

    /// Asserts that a live event is found by its unique word.
    fn find_one(&self, memory: &Memory, random: &mut Random) {
        let Some((seq, event)) = self.any(random, true) else {
            return;
        };
        let query = Query::new(event.word.as_str())
            .project(ProjectScope::All)
            .limit(1_000);
        let found = memory.search(query).unwrap();
        let best = found.items.first().map(|hit| hit.id);
        assert!(
            found.items.iter().any(|hit| hit.id == event.id),
            "event {seq} is not found by {:?}; the best is {best:?}",
            event.word
        );
    }

    /// Compares everything, after an operation that rewrites the store.
    fn look_around(&mut self, memory: &Memory, random: &mut Random) {
        self.settle(memory);
        self.compare(memory);
        for _ in 0..10 {
            self.find_one(memory, random);
        }
    }

    fn compare(&self, memory: &Memory) {
        let stats = memory.stats().unwrap();
        assert_eq!(stats.prompts + stats.responses, self.live.len() as u64);
        assert_eq!(stats.forgotten, self.dead.len() as u64);
        assert_eq!(stats.erased, self.erased);
        assert_eq!(stats.last_seq, self.last_seq);
        let sessions: BTreeSet<&str> = self.live.values().map(|e| e.session.as_str()).collect();
        assert_eq!(stats.sessions, sessions.len() as u64);
        let mut wanted: Vec<(Timestamp, u64)> = self
            .live
            .iter()
            .map(|(seq, e)| (e.timestamp, *seq))
            .collect();
        wanted.sort_unstable();
        let filter = EventFilter::new().project(ProjectScope::All);
        let found: Vec<(Timestamp, u64)> = memory
            .events(filter)
            .unwrap()
            .map(|event| event.unwrap())
            .map(|event| (event.timestamp, event.seq.0))
            .collect();
        assert_eq!(found, wanted);
        for session in sessions {
            let row = memory.session(session).unwrap().unwrap();
            let mine: Vec<&Stored> = self
                .live
                .values()
                .filter(|event| event.session == session)
                .collect();
            assert_eq!(row.events, mine.len() as u64);
            let newest = mine.iter().map(|event| event.timestamp).max().unwrap();
            assert_eq!(row.last_event, newest);
            assert_eq!(row.project, mine[0].project);
        }
    }
}

fn run(folder: &Path, seed: u64, operations: u64) -> BTreeMap<&'static str, u64> {
    let mut random = Random(seed);
    let mut model = Model::default();
    let mut memory = Memory::open(folder).unwrap();
    let mut done: BTreeMap<&'static str, u64> = BTreeMap::new();
    for _ in 0..operations {
        let name = match random.below(1_000) {
            0..250 => {
                model.append(&memory, &mut random, 1);
                "append"
            }
            250..330 => {
                let count = 2 + random.below(40);
                model.append(&memory, &mut random, count);
                "append a batch"
            }
            330..430 => {
                if let Some((seq, event)) = model.any(&mut random, true) {
                    let again = NewEvent::new(event.kind, &event.session, &event.content);
                    let receipt = memory.append(again).unwrap();
                    assert!(receipt.duplicate);
                    assert_eq!((receipt.seq.0, receipt.id), (seq, event.id));
                }
                "append again"
            }
            430..460 => {
                if let Some((seq, mut event)) = model.any(&mut random, false) {
                    let again = NewEvent::new(event.kind, &event.session, &event.content)
                        .project(&event.project)
                        .timestamp(event.timestamp);
                    let back = model.live.values().any(|other| {
                        other.session == event.session && other.content == event.content
                    });
                    let receipt = memory.append(again).unwrap();
                    assert_eq!(receipt.duplicate, back, "event {seq}");
                    if !back {
                        model.last_seq += 1;
                        (event.id, event.citation) = (receipt.id, receipt.citation);
                        model.live.insert(receipt.seq.0, event);
                    }
                }
                "append what was forgotten"
            }
            460..640 | 920..985 => {
                if let Some((seq, event)) = model.any(&mut random, true) {
                    let by_id = memory.event(event.id).unwrap().unwrap();
                    assert_eq!(by_id.content, event.content);
                    assert_eq!(memory.event(Seq(seq)).unwrap().unwrap(), by_id);
                    let by_citation = memory.event(event.citation.clone()).unwrap();
                    assert_eq!(by_citation.unwrap(), by_id);
                }
                if let Some((seq, event)) = model.any(&mut random, false) {
                    assert!(memory.event(event.id).unwrap().is_none());
                    assert!(memory.event(Seq(seq)).unwrap().is_none());
                }
                "read"
            }
            640..780 => {
                model.find_one(&memory, &mut random);
                if let Some((_, event)) = model.any(&mut random, false) {
                    let query = Query::new(event.content.as_str()).project(ProjectScope::All);
                    for hit in memory.search(query).unwrap().items {
                        assert!(model.live.values().any(|live| live.id == hit.id));
                    }
                }
                "search"
            }
            780..830 => {
                if let Some((_, event)) = model.any(&mut random, true) {
                    let selector = Selector::new().id(event.id).project(ProjectScope::All);
                    model.forget(&memory, &selector, |other| other.id == event.id);
                }
                "forget one"
            }
            830..835 => {
                let session = format!("세션-{}", random.below(5));
                let selector = Selector::new().session(&session);
                model.forget(&memory, &selector, |event| event.session == session);
                "forget a session"
            }
            835..845 => {
                let day = 86_400_000 * random.below(120) as i64;
                let before = Timestamp::from_millis(1_700_000_000_000 + day).unwrap();
                let selector = Selector::new()
                    .before(before)
                    .project(ProjectScope::Named("shop".into()));
                model.forget(&memory, &selector, |event| {
                    event.timestamp < before && event.project == "shop"
                });
                "forget old ones"
            }
            845..900 => {
                drop(memory);
                memory = Memory::open(folder).unwrap();
                "reopen"
            }
            900..920 => {
                model.compare(&memory);
                "compare"
            }
            985..990 => {
                let rebuilt = memory.rebuild(Timestamp::from_millis(0).unwrap()).unwrap();
                assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
                model.look_around(&memory, &mut random);
                "rebuild"
            }
            990..993 => {
                memory.compact().unwrap();
                model.look_around(&memory, &mut random);
                "compact"
            }
            993..996 => {
                if let Some((seq, event)) = model.any(&mut random, true) {
                    let selector = Selector::new().id(event.id).project(ProjectScope::All);
                    let erased = memory.erase(&selector).unwrap();
                    assert_eq!(erased.count, 1);
                    model.live.remove(&seq);
                    model.erased += 1 + erased.dependents;
                    model.settle_before(&memory, erased.tombstone.unwrap());
                    model.look_around(&memory, &mut random);
                }
                "erase one"
            }
            _ => {
                let report = memory.check().unwrap();
                assert!(report.ok, "{:?}", report.first_divergence);
                "check"
            }
        };
        model.settle(&memory);
        *done.entry(name).or_default() += 1;
    }
    model.compare(&memory);
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    done
}

/// The number of operations per store: comparisons get slower as it grows, and a small store hits
/// more edge cases.
const PER_STORE: u64 = 1_000;

#[test]
fn random_operations_agree_with_the_model() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let operations = number("RECALLITE_TEST_OPERATIONS", 600);
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let seed = number("RECALLITE_TEST_SEED", clock.as_nanos() as u64);
    println!("RECALLITE_TEST_SEED={seed}");
    let stores = operations.div_ceil(PER_STORE);
    let next = AtomicU64::new(0);
    let done = Mutex::new(BTreeMap::<&'static str, u64>::new());
    let work = || {
        loop {
            let store = next.fetch_add(1, Ordering::Relaxed);
            if store >= stores {
                return;
            }
            let wanted = PER_STORE.min(operations - store * PER_STORE);
            let own_seed = seed.wrapping_add(store);
            let folder = tempfile::tempdir().unwrap();
            let ran = std::panic::catch_unwind(|| run(folder.path(), own_seed, wanted));
            let Ok(ran) = ran else {
                next.store(stores, Ordering::Relaxed);
                panic!(
                    "RECALLITE_TEST_SEED={own_seed} RECALLITE_TEST_OPERATIONS={wanted} repeats it"
                );
            };
            let mut done = done.lock().unwrap();
            for (name, count) in ran {
                *done.entry(name).or_default() += count;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let begun = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(stores) {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().unwrap();
    assert_eq!(done.values().sum::<u64>(), operations);
    let per_second = operations as f64 / begun.elapsed().as_secs_f64();
    println!("{operations} operations: {done:?}, {per_second:.0} per second, {stores} stores");
}
