//! Large batches: their words are written straight to a segment, and everything else is as if the
//! events had been appended one by one.

use std::path::Path;

use recallite::scope::ProjectScope;
use recallite::{
    Dedupe, EventKind, MaintainBudget, Memory, NewEvent, Query, Selector, Seq, Timestamp, ToolUse,
};

/// Enough events to bypass the memtable.
const LARGE: usize = 1_500;

fn event(n: usize) -> NewEvent {
    let session = format!("세션-{}", n / 40);
    let text = format!(
        "event n{n}word about {} and {} 결제 キャッシュ 缓存 مرحبا 🎉.\nIs it done{}",
        ["payments", "caching", "deploys"][n % 3],
        ["retries", "timeouts"][n % 2],
        if n.is_multiple_of(4) { "?" } else { "." }
    );
    let event = match n % 5 {
        4 => NewEvent::tool(session, ToolUse::new("Bash").output(text)),
        3 => NewEvent::new(EventKind::AgentResponse, session, text),
        _ => NewEvent::new(EventKind::UserPrompt, session, text).actor(format!("Speaker{}", n % 7)),
    };
    event.project(format!("project{}", n % 4)).timestamp(
        Timestamp::from_millis(1_700_000_000_000 + (n as i64 * 7919) % 86_400_000).unwrap(),
    )
}

fn everywhere(question: &str) -> Query {
    Query::new(question).project(ProjectScope::All)
}

fn chosen(seqs: std::ops::Range<u64>) -> Selector {
    Selector::new()
        .project(ProjectScope::All)
        .ids(seqs.map(Seq))
}

fn sound(memory: &Memory) {
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
}

fn hash(memory: &Memory) -> String {
    memory
        .upkeep()
        .state_hash(Timestamp::from_millis(0).unwrap())
        .unwrap()
}

/// The results of a few questions, by content.
fn answers(memory: &Memory) -> Vec<Vec<(String, u64)>> {
    [
        "n77word",
        "결제 retries",
        "caching timeouts done?",
        "キャッシュ",
        "n1499word deploys",
    ]
    .iter()
    .map(|question| {
        let query = everywhere(question);
        let found = memory.search(query).unwrap();
        found
            .items
            .iter()
            .map(|item| (item.summary.clone(), (item.rank_score * 1e6) as u64))
            .collect()
    })
    .collect()
}

fn open(path: &Path) -> Memory {
    Memory::open(path).unwrap()
}

#[test]
fn a_large_batch_is_stored_and_found_like_single_events() {
    let folder = tempfile::tempdir().unwrap();
    let large = open(&folder.path().join("large"));
    let receipts = large.append_batch((0..LARGE).map(event).collect()).unwrap();
    let seqs: Vec<u64> = receipts.iter().map(|receipt| receipt.seq.0).collect();
    assert_eq!(seqs, (1..=LARGE as u64).collect::<Vec<_>>());
    assert!(receipts.iter().all(|receipt| !receipt.duplicate));
    let small = open(&folder.path().join("small"));
    for part in 0..LARGE / 100 {
        let events = (part * 100..(part + 1) * 100).map(event).collect();
        small.append_batch(events).unwrap();
    }
    assert_eq!(answers(&large), answers(&small));
    let stats = large.stats().unwrap();
    assert_eq!(stats.events, LARGE as u64);
    assert_eq!(stats.lexical.segments, 1);
    for seq in [1, 5, 700, LARGE as u64] {
        let (one, other) = (
            large.event(Seq(seq)).unwrap().unwrap(),
            small.event(Seq(seq)).unwrap().unwrap(),
        );
        assert_eq!(one.content, other.content);
        assert_eq!(one.canonical_key, other.canonical_key);
        assert_eq!(large.event(one.id).unwrap().unwrap().seq, Seq(seq));
        assert_eq!(
            large.event(one.citation.clone()).unwrap().unwrap().seq,
            Seq(seq)
        );
    }
    sound(&large);
    let before = hash(&large);
    let rebuilt = large.rebuild(Timestamp::from_millis(0).unwrap()).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    assert_eq!(hash(&large), before);
    assert_eq!(answers(&large), answers(&small));
}

#[test]
fn a_large_batch_between_single_events_keeps_the_order_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    for n in 0..5 {
        memory.append(event(n)).unwrap();
    }
    memory
        .append_batch((5..LARGE).map(event).collect())
        .unwrap();
    for n in LARGE..LARGE + 5 {
        memory.append(event(n)).unwrap();
    }
    for n in [2, 6, 900, LARGE + 3] {
        let query = everywhere(&format!("n{n}word"));
        let found = memory.search(query).unwrap();
        assert!(found.items.iter().any(|item| item.seq == Seq(n as u64 + 1)));
    }
    sound(&memory);
    // Another batch, a merge of all segments, and a removal from them.
    memory
        .append_batch((LARGE + 5..3 * LARGE).map(event).collect())
        .unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    memory.forget(&chosen(100..200)).unwrap();
    let query = everywhere("n150word");
    let found = memory.search(query).unwrap();
    assert!(found.items.iter().all(|item| item.seq != Seq(151)));
    sound(&memory);
    memory.compact().unwrap();
    sound(&memory);
}

#[test]
fn repetitions_inside_and_before_a_large_batch_are_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let known = |n: usize| event(n).dedupe(Dedupe::Key(format!("key{n}")));
    memory.append_batch((0..50).map(known).collect()).unwrap();
    // The first fifty again, with different words; then new ones, each twice.
    let again = (0..50).map(|n| {
        NewEvent::new(EventKind::UserPrompt, "s", format!("neverstored{n}"))
            .dedupe(Dedupe::Key(format!("key{n}")))
    });
    let twice = (50..LARGE).flat_map(|n| [known(n), known(n)]);
    let receipts = memory.append_batch(again.chain(twice).collect()).unwrap();
    assert!(receipts[..50].iter().all(|receipt| receipt.duplicate));
    for (n, pair) in receipts[50..].chunks(2).enumerate() {
        assert_eq!((pair[0].duplicate, pair[1].duplicate), (false, true));
        assert_eq!((pair[0].seq, pair[0].id), (pair[1].seq, pair[1].id));
        assert_eq!(pair[0].citation, pair[1].citation);
        assert_eq!(pair[0].seq, Seq(n as u64 + 51));
    }
    assert_eq!(memory.stats().unwrap().events, LARGE as u64);
    let query = everywhere("neverstored7");
    let found = memory.search(query).unwrap();
    assert!(
        !found
            .items
            .iter()
            .any(|item| item.summary.contains("neverstored"))
    );
    sound(&memory);
    // All of them again: nothing is written.
    let receipts = memory
        .append_batch((0..LARGE).map(known).collect())
        .unwrap();
    assert!(receipts.iter().all(|receipt| receipt.duplicate));
    // Forgotten events count as new when appended again.
    memory.forget(&chosen(1..21)).unwrap();
    let receipts = memory
        .append_batch((0..LARGE).map(known).collect())
        .unwrap();
    assert_eq!(
        receipts.iter().filter(|receipt| !receipt.duplicate).count(),
        20
    );
    assert!(receipts[0].warnings[0].contains("forgotten before"));
    sound(&memory);
}

#[test]
fn a_large_batch_with_a_bad_event_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let mut events: Vec<NewEvent> = (0..LARGE).map(event).collect();
    events[1_200].session.clear();
    let error = memory.append_batch(events).unwrap_err();
    assert_eq!(error.argument(), Some("events[1200].session"));
    assert_eq!(memory.stats().unwrap().events, 0);
    sound(&memory);
}
