//! Tests that folding the log from scratch gives the same rows as folding each event on
//! arrival, and as taking back forgotten events.

mod payloads;

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use crate::clock::{Clock as _, RandomIds};
use crate::model::time::Timestamp;
use crate::projection::refold;
use crate::projection::take_back::{TakenBack, copy_without, take_back};
use crate::rules::endless::MemoryMode;
use crate::rules::entries::{MemoryAnswer, ResolutionKind};
use crate::rules::graph::{EdgeEnds, NodeType, Relation};
use crate::rules::history::ConflictVerdict;
use crate::rules::tasks::TaskStatus;
use crate::scope::ProjectScope;
use crate::store::log::tombstone::is_tombstone;
use crate::store::projected_rows::projected::RowKind;
use crate::store::replaying::replay::{Log, Source};
use crate::store::{ReadTx, WriteTx, seal};
use crate::testing::FixedClock;
use crate::upkeep::provenance::traces;
use crate::upkeep::replay::WithSearch;
use crate::{EntryFilter, EventKind, MaintainBudget, Memory, NewEvent, TaskFilter};

/// One action of a host.
#[derive(Clone, Debug)]
enum Act {
    Say(u8, u8),
    Ingest(u8, u8, u8),
    Move(u8, u8),
    Rename(u8, u8),
    Access(u8, u8),
    Supersede(u8, u8),
    Contradict(u8, u8),
    Settle,
    Edge(u8, u8),
    Unedge,
    Mode(bool),
    Context(u8),
    WorkingSet(u8, u8),
    Resolve(u8),
    Maintain,
    Wait(u16),
    Forget(u16, u8),
    ForgetSession(u8),
}

fn act() -> impl Strategy<Value = Act> {
    let n = any::<u8>;
    prop_oneof![
        4 => (n(), n()).prop_map(|(a, b)| Act::Say(a, b)),
        4 => (n(), n(), n()).prop_map(|(a, b, c)| Act::Ingest(a, b, c)),
        2 => (n(), n()).prop_map(|(a, b)| Act::Move(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Act::Rename(a, b)),
        4 => (n(), n()).prop_map(|(a, b)| Act::Access(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Act::Supersede(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Act::Contradict(a, b)),
        1 => Just(Act::Settle),
        1 => (n(), n()).prop_map(|(a, b)| Act::Edge(a, b)),
        1 => Just(Act::Unedge),
        1 => any::<bool>().prop_map(Act::Mode),
        1 => n().prop_map(Act::Context),
        2 => (n(), n()).prop_map(|(a, b)| Act::WorkingSet(a, b)),
        1 => n().prop_map(Act::Resolve),
        1 => Just(Act::Maintain),
        1 => any::<u16>().prop_map(Act::Wait),
        3 => (any::<u16>(), 0..4u8).prop_map(|(a, b)| Act::Forget(a, b)),
        1 => n().prop_map(Act::ForgetSession),
    ]
}

const TEXTS: [&str; 5] = [
    "fix the login test in src/auth.rs, 로그인 오류",
    "배포는 금요일에 하자 🎉",
    "the schema of the database changed",
    "שלום, we always prefer short answers",
    "cache prices for 30 seconds",
];

fn pick<T: Clone>(items: &[T], at: u8) -> Option<T> {
    (!items.is_empty()).then(|| items[usize::from(at) % items.len()].clone())
}

/// Acts that the rules refuse are part of a history too: they change nothing.
fn perform(memory: &Memory, clock: &FixedClock, act: &Act) {
    let events = || {
        memory
            .changes_since(crate::Seq(0), usize::MAX)
            .expect("reads")
            .into_iter()
            .filter(|event| event.kind.is_conversation())
            .collect::<Vec<_>>()
    };
    let tasks = || memory.tasks().list(&TaskFilter::default()).expect("lists");
    let entries = || -> Vec<_> {
        let all = memory
            .knowledge()
            .entries(&EntryFilter::default())
            .expect("lists");
        all.into_iter().map(|row| row.entry.id).collect()
    };
    match act {
        Act::Say(session, text) => {
            let kind = match text % 3 {
                0 => EventKind::AgentResponse,
                _ => EventKind::UserPrompt,
            };
            let text = TEXTS[usize::from(*text) % TEXTS.len()];
            memory
                .append(
                    NewEvent::new(kind, format!("s{}", session % 4), text)
                        .dedupe(crate::Dedupe::None),
                )
                .expect("appends");
        }
        Act::Ingest(session, task, blocker) => {
            let text = TEXTS[usize::from(*task) % TEXTS.len()];
            let status = TaskStatus::ALL[usize::from(*blocker) % TaskStatus::ALL.len()];
            let extraction = json!({
                "schema_version": 1,
                "entries": [
                    {"id": "e1", "type": "fact", "title": text, "content": text,
                     "quotes": [{"message_index": 0, "quote": text}]},
                    {"id": "e2", "type": "insight", "title": format!("n{blocker}"), "content": "c", "quotes": []}
                ],
                "tasks": [{"id": "t1", "title": format!("task {}", task % 7), "status": status.as_str(),
                    "blocked_by": [format!("task {}", 7 + blocker % 5), "OPS-1"],
                    "quotes": [{"message_index": 0, "quote": text}]}],
                "relations": [
                    {"from": "e2", "relation": "derived_from", "to": "e1"},
                    {"from": "e1", "relation": "evidence_of", "to": "t1"}
                ]
            });
            // The session may not exist yet.
            let _ = memory.ingest(&format!("s{}", session % 4), &extraction.to_string());
        }
        Act::Move(task, to) => {
            if let Some(task) = pick(&tasks(), *task) {
                let to = TaskStatus::ALL[usize::from(*to) % TaskStatus::ALL.len()];
                let _ = memory
                    .tasks()
                    .change_status(&task.id, to, &["the weather".to_owned()]);
            }
        }
        Act::Rename(task, name) => {
            if let Some(task) = pick(&tasks(), *task) {
                let _ = memory
                    .tasks()
                    .rename(&task.id, &format!("task {}", name % 20));
            }
        }
        Act::Access(event, session) => {
            if let Some(event) = pick(&events(), *event) {
                memory
                    .levels()
                    .record_access(&[(&event).into()], &format!("s{}", session % 9), 0.95)
                    .expect("records");
            }
        }
        Act::Supersede(a, b) => {
            if let Some((a, b)) = pick(&entries(), *a).zip(pick(&entries(), *b)) {
                let _ = memory.knowledge().supersede(&a, &b);
            }
        }
        Act::Contradict(a, b) => {
            if let Some((a, b)) = pick(&entries(), *a).zip(pick(&entries(), *b)) {
                let _ = memory
                    .knowledge()
                    .contradict(&a, &b, Some("둘 다는 아니다"));
            }
        }
        Act::Settle => {
            if let Some(conflict) = memory.knowledge().conflicts(None).expect("lists").pop() {
                let verdict = ConflictVerdict::new(conflict.newer_id, "the newer one", "Ada");
                let _ = memory
                    .knowledge()
                    .resolve_conflict(&conflict.conflict_id, &verdict);
            }
        }
        Act::Edge(entry, task) => {
            if let Some((entry, task)) = pick(&entries(), *entry).zip(pick(&tasks(), *task)) {
                memory
                    .knowledge()
                    .add_edge(&mentions(entry.as_str(), task.id.as_str()), None)
                    .expect("adds");
            }
        }
        Act::Unedge => {
            for entry in entries() {
                for task in tasks() {
                    memory
                        .knowledge()
                        .remove_edge(&mentions(entry.as_str(), task.id.as_str()))
                        .expect("removes");
                }
            }
        }
        Act::Mode(endless) => memory
            .endless()
            .set_mode(if *endless {
                MemoryMode::Endless
            } else {
                MemoryMode::Session
            })
            .expect("changes"),
        Act::Context(text) => {
            let text = TEXTS[usize::from(*text) % TEXTS.len()];
            memory
                .endless()
                .score_continuity("c", text)
                .expect("scores");
        }
        Act::WorkingSet(event, how) => {
            if let Some(event) = pick(&events(), *event) {
                let (endless, events) = (memory.endless(), [event.id.into()]);
                match how % 3 {
                    0 => endless.add_to_working_set(&events, f64::from(*how) / 255.0),
                    1 => endless.refresh_working_set(&events),
                    _ => endless.prune_working_set(&events),
                }
                .expect("changes");
            }
        }
        Act::Resolve(event) => {
            if let Some(event) = pick(&events(), *event) {
                memory
                    .knowledge()
                    .mark_unknown_context(&event)
                    .expect("marks");
                let id = event.id.to_string();
                let other = events().into_iter().find(|other| other.id != event.id);
                let answer = MemoryAnswer {
                    kind: match other {
                        Some(_) => ResolutionKind::Confirmed,
                        None => ResolutionKind::Rejected,
                    },
                    resolved_to: other.map(|other| other.id.to_string()),
                    confidence: 0.9,
                };
                memory
                    .knowledge()
                    .resolve_memory(&id, &answer)
                    .expect("resolves");
            }
        }
        Act::Maintain => {
            memory
                .maintain(MaintainBudget::default())
                .expect("maintains");
        }
        Act::Forget(first, more) => {
            let all: Vec<_> = memory
                .changes_since(crate::Seq(0), usize::MAX)
                .expect("reads")
                .into_iter()
                .filter(|event| !matches!(event.kind, EventKind::Forgotten | EventKind::Erased))
                .collect();
            if !all.is_empty() {
                let from = usize::from(*first) % all.len();
                let ids = all.iter().skip(from).take(1 + usize::from(*more));
                let selector = crate::Selector::new()
                    .ids(ids.map(|event| event.id))
                    .project(ProjectScope::All);
                memory.forget(&selector).expect("forgets");
            }
        }
        Act::ForgetSession(session) => {
            let selector = crate::Selector::new().session(format!("s{}", session % 4));
            memory.forget(&selector).expect("forgets");
        }
        Act::Wait(minutes) => clock.advance_ms(i64::from(*minutes) * 60_000),
    }
}

fn mentions(entry: &str, task: &str) -> EdgeEnds {
    EdgeEnds {
        source_type: NodeType::Entry,
        source_id: entry.to_owned(),
        relation: Relation::Mentions,
        destination_type: NodeType::Entity,
        destination_id: task.to_owned(),
    }
}

type Dump = std::collections::BTreeMap<(String, String), String>;

fn rows_of(tx: &WriteTx<'_>) -> crate::Result<Dump> {
    let mut dump = Dump::new();
    tx.each_projected(|row_kind, key, row| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        dump.insert((format!("{row_kind:03}"), text(key)), text(row));
    })?;
    Ok(dump)
}

/// The rows of the store, and the result of folding the log from scratch; the store does not
/// change.
fn rows_and_refolded(memory: &Memory) -> (Dump, Dump, bool) {
    let mut found = None;
    let stopped = memory.engine.store.write(|tx| {
        let (before, digest) = (rows_of(tx)?, tx.projected_digest()?);
        refold(tx)?;
        let is_same = digest == tx.projected_digest()?;
        found = Some((before, rows_of(tx)?, is_same));
        Err::<(), _>(crate::Error::invalid("test", "goes back"))
    });
    assert!(stopped.is_err());
    found.expect("folds")
}

fn compare(memory: &Memory) -> Result<(), TestCaseError> {
    let (before, after, is_same) = rows_and_refolded(memory);
    for (key, row) in &before {
        prop_assert_eq!(Some(row), after.get(key), "a row at {:?}", key);
    }
    for (key, row) in &after {
        prop_assert_eq!(Some(row), before.get(key), "a refolded row at {:?}", key);
    }
    prop_assert!(is_same);
    Ok(())
}

fn open(folder: &tempfile::TempDir) -> (Memory, Arc<FixedClock>) {
    let start = Timestamp::from_millis(1_770_000_000_000).expect("in range");
    let clock = Arc::new(FixedClock::at(start));
    let memory = Memory::builder()
        .project("shop")
        .clock(clock.clone())
        .ids(Arc::new(RandomIds))
        .open(folder.path())
        .expect("opens");
    (memory, clock)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24 / crate::testing::every(2) as u32, ..ProptestConfig::default() })]

    #[test]
    fn folding_again_gives_the_same_rows(acts in proptest::collection::vec(act(), 1..60)) {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, clock) = open(&folder);
        for act in &acts {
            perform(&memory, &clock, act);
            if matches!(act, Act::Forget(..) | Act::ForgetSession(_)) {
                compare(&memory)?;
            }
        }
        compare(&memory)?;
    }

    #[test]
    fn what_is_copied_when_events_are_erased_is_what_folding_makes(
        acts in proptest::collection::vec(act(), 20..60),
        chosen in proptest::collection::vec(any::<u16>(), 1..6),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, clock) = open(&folder);
        for act in &acts {
            perform(&memory, &clock, act);
        }
        let last = memory.engine.store.read().expect("reads").state().expect("reads").last_seq;
        let mut seqs = Vec::new();
        let read = memory.engine.store.read().expect("reads");
        for at in chosen {
            let seq = 1 + u64::from(at) % last.max(1);
            let kind = read.with_record(seq, |view| Ok(view.kind())).expect("reads");
            seqs.extend(kind.filter(|kind| !is_tombstone(*kind)).map(|_| seq));
        }
        seqs.sort_unstable();
        seqs.dedup();
        try_to_erase(&memory, &seqs);
    }
}

/// Forgets in a transaction that is rolled back. Returns the cost, the rows, and the result
/// of folding the rest of the log.
fn try_to_forget(memory: &Memory, seqs: &[u64]) -> (TakenBack, Dump, Dump) {
    let mut found = None;
    let stopped = memory.engine.store.write(|tx| {
        let draft = crate::upkeep::forget::tombstone(
            &memory.engine,
            EventKind::Forgotten,
            seqs,
            crate::upkeep::forget::TombstoneScope::Everywhere,
        );
        tx.append(std::slice::from_ref(&draft))?;
        let tombstone = tx.state.last_seq;
        tx.delete(seqs, tombstone)?;
        let cost = take_back(tx, seqs)?;
        let rows = rows_of(tx)?;
        refold(tx)?;
        found = Some((cost, rows, rows_of(tx)?));
        Err::<(), _>(crate::Error::invalid("test", "goes back"))
    });
    assert!(stopped.is_err());
    found.expect("folds")
}

/// Erases in a copy. Returns whether rows were copied, the rows, and the result of folding
/// the rest of the log.
fn try_to_erase(memory: &Memory, seqs: &[u64]) -> (bool, Dump, Dump) {
    let read = memory.engine.store.read().expect("reads");
    let erasure = traces(&read, seqs, &BTreeSet::new())
        .expect("finds")
        .erasure;
    let mut found = None;
    let erase = |old: &ReadTx, new: &mut WriteTx<'_>| {
        let (state, rules) = (old.state()?, WithSearch(&memory.engine.lexical));
        new.copy_erasing(old, &erasure)?;
        new.replay(&Log::Own, &state, &rules, Source::Log)?;
        new.mark_erased(&erasure.erased, state.last_seq + 1)?;
        let is_copied = copy_without(old, new, &erasure)?;
        let (copied, digest) = (rows_of(new)?, new.projected_digest()?);
        refold(new)?;
        if is_copied {
            assert_eq!(copied, rows_of(new)?, "{seqs:?}");
            assert_eq!(digest, new.projected_digest()?, "{seqs:?}");
        }
        found = Some((is_copied, copied, rows_of(new)?));
        Ok(())
    };
    memory.engine.store.scratch(&read, erase).expect("erases");
    found.expect("erases")
}

fn history(memory: &Memory, clock: &FixedClock, rounds: u8) {
    for n in 0..rounds {
        for act in [
            Act::Say(n, n),
            Act::Say(n, n + 1),
            Act::Ingest(n, n, n + 1),
            Act::Access(n, n),
            Act::Access(0, n),
            Act::Move(n, n + 2),
            Act::Edge(n, n),
            Act::Context(n),
            Act::WorkingSet(n, n.wrapping_mul(63)),
            Act::Supersede(n, n + 1),
            Act::Contradict(n, n + 3),
            Act::Resolve(n),
            Act::Wait(40),
            Act::Maintain,
        ] {
            perform(memory, clock, &act);
        }
    }
    perform(memory, clock, &Act::Settle);
    perform(memory, clock, &Act::Unedge);
}

#[test]
fn each_event_of_a_history_is_taken_back_without_folding_the_log() {
    for is_endless in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, clock) = open(&folder);
        perform(&memory, &clock, &Act::Mode(is_endless));
        history(&memory, &clock, 3);
        let events = memory
            .changes_since(crate::Seq(0), usize::MAX)
            .expect("reads");
        assert!(events.len() > 50);
        for event in &events {
            let (cost, rows, refolded) = try_to_forget(&memory, &[event.seq.0]);
            assert_eq!(rows, refolded, "{:?} at {}", event.kind, event.seq.0);
            let changes_mode = event.kind == EventKind::SettingChanged;
            assert!(
                !cost.is_refolded || changes_mode,
                "{:?} {cost:?}",
                event.kind
            );
        }
        // Two at once, one of which depends on the other.
        for pair in events.windows(2).step_by(7) {
            let seqs = [pair[0].seq.0, pair[1].seq.0];
            let (_, rows, refolded) = try_to_forget(&memory, &seqs);
            assert_eq!(rows, refolded, "{seqs:?}");
        }
    }
}

#[test]
fn each_event_of_a_history_is_erased_without_folding_the_log() {
    for is_endless in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, clock) = open(&folder);
        perform(&memory, &clock, &Act::Mode(is_endless));
        history(&memory, &clock, 3);
        perform(&memory, &clock, &Act::Forget(9, 2));
        let events = memory
            .changes_since(crate::Seq(0), usize::MAX)
            .expect("reads");
        let mut reduced = 0;
        for event in events.iter().filter(|event| !is_tombstone(event.kind)) {
            let (is_copied, copied, refolded) = try_to_erase(&memory, &[event.seq.0]);
            let changes_mode = event.kind == EventKind::SettingChanged;
            assert!(is_copied || changes_mode, "{:?}", event.kind);
            assert!(!is_copied || copied == refolded);
            let read = memory.engine.store.read().expect("reads");
            let erasure = traces(&read, &[event.seq.0], &BTreeSet::new())
                .expect("finds")
                .erasure;
            reduced += erasure.reduced.len();
        }
        assert!(reduced > 10, "{reduced}");
        for pair in events.windows(2).step_by(5) {
            if pair.iter().all(|event| !is_tombstone(event.kind)) {
                try_to_erase(&memory, &[pair[0].seq.0, pair[1].seq.0]);
            }
        }
    }
}

#[test]
fn forgetting_costs_what_hangs_on_the_event_and_not_the_log() {
    for is_endless in [false, true] {
        let mut costs = Vec::new();
        for rounds in [3, 15] {
            let folder = tempfile::tempdir().expect("a folder");
            let (memory, clock) = open(&folder);
            let append = |text: &str| {
                let event =
                    NewEvent::new(EventKind::UserPrompt, "s0", text).dedupe(crate::Dedupe::None);
                memory.append(event).expect("appends")
            };
            perform(&memory, &clock, &Act::Mode(is_endless));
            append("the history goes back to the first event again and again");
            let plain = append("nobody ever names this one");
            let used = append("this one is used twice");
            for session in ["a", "b"] {
                memory
                    .levels()
                    .record_access(&[used.id.into()], session, 0.9)
                    .expect("records");
            }
            append("the accesses are written with this one");
            history(&memory, &clock, rounds);
            let cost = |seq: crate::Seq| {
                let (cost, rows, refolded) = try_to_forget(&memory, &[seq.0]);
                assert_eq!(rows, refolded);
                cost
            };
            costs.push([cost(plain.seq), cost(used.seq)]);
        }
        // In endless mode, the memory made from the event goes too, and what else it was made of
        // returns to the working set: a row and a fold for each.
        assert!(is_endless || costs[0] == costs[1], "{costs:?}");
        for [plain, used] in costs {
            assert!(
                !plain.is_refolded && plain.folds <= 16 + plain.rows,
                "{plain:?}"
            );
            assert!(
                !used.is_refolded && used.folds <= 20 + used.rows,
                "{used:?}"
            );
        }
    }
}

#[test]
fn a_forgotten_mode_folds_the_log_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    perform(&memory, &clock, &Act::Say(0, 0));
    perform(&memory, &clock, &Act::Mode(true));
    history(&memory, &clock, 2);
    let events = memory
        .changes_since(crate::Seq(0), usize::MAX)
        .expect("reads");
    let modes = events
        .iter()
        .filter(|event| event.kind == EventKind::SettingChanged)
        .filter(|event| event.content.contains("mode"));
    let mut seen = 0;
    for event in modes {
        let (cost, rows, refolded) = try_to_forget(&memory, &[event.seq.0]);
        assert_eq!(rows, refolded);
        assert!(cost.is_refolded);
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn a_row_that_is_not_what_the_log_made_folds_the_log_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    history(&memory, &clock, 2);
    let entry = memory
        .knowledge()
        .entries(&EntryFilter::default())
        .expect("lists")
        .pop();
    let entry = entry.expect("one was learned");
    memory
        .engine
        .store
        .write(|tx| {
            let mut rows = tx.projected()?;
            let key = entry.entry.id.as_str().as_bytes();
            rows.put(RowKind::Entry, key, b"{}")?;
            rows.finish(clock.now().millis())
        })
        .expect("writes");
    let (cost, rows, refolded) = try_to_forget(&memory, &[entry.seq.0]);
    assert!(cost.is_refolded);
    assert_eq!(rows, refolded);
}

#[test]
fn the_digest_notices_a_row_that_the_log_does_not_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    perform(&memory, &clock, &Act::Say(0, 1));
    perform(&memory, &clock, &Act::Ingest(0, 0, 0));
    memory
        .engine
        .store
        .write(|tx| {
            let mut rows = tx.projected()?;
            rows.put(RowKind::Task, b"ghost", b"{}")?;
            rows.finish(clock.now().millis())
        })
        .expect("writes");
    let (before, after, is_same) = rows_and_refolded(&memory);
    assert!(!is_same && before != after);
}

/// A store that has rows of most kinds.
fn with_rows_of_most_kinds(folder: &tempfile::TempDir) -> Memory {
    let (memory, clock) = open(folder);
    perform(&memory, &clock, &Act::Mode(true));
    history(&memory, &clock, 6);
    for text in ["the login test", "the schema"] {
        let endless = memory.endless();
        endless.score_continuity(text, text).expect("scores");
        endless.consolidate().expect("consolidates");
    }
    let event = memory
        .changes_since(crate::Seq(0), 1)
        .expect("reads")
        .remove(0);
    memory
        .knowledge()
        .mark_unknown_context(event.id)
        .expect("marks");
    memory
}

#[test]
fn the_continuity_of_late_is_the_average_of_what_was_scored_within_the_hour() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    let endless = memory.endless();
    let shown = || {
        let status = endless.status().expect("reads").continuity_score;
        assert_eq!(
            endless.context(None).expect("reads").continuity_score,
            status
        );
        status
    };
    assert!((shown() - 0.5).abs() < 1e-9);
    let texts = [
        "src/a.rs",
        "src/a.rs and src/b.rs",
        "tea",
        "src/b.rs",
        "tea",
    ];
    for step in 0..15 {
        let text = texts[step % texts.len()];
        endless
            .score_continuity(&format!("c{step}"), text)
            .expect("scores");
        let since = clock.now().millis() - 3_600_000;
        let log = endless.continuity_log(None).expect("reads");
        let recent: Vec<f64> = log
            .iter()
            .filter(|entry| entry.at.millis() >= since)
            .map(|entry| entry.score)
            .collect();
        assert!(step < 10 || recent.len() < log.len(), "{}", recent.len());
        let average = match recent.len() {
            0 => 0.5,
            count => recent.iter().sum::<f64>() / count as f64,
        };
        assert!((shown() - average).abs() < 1e-9, "step {step}");
        clock.advance_ms(600_000);
    }
    clock.advance_ms(4_000_000);
    assert!((shown() - 0.5).abs() < 1e-9);
}

#[test]
fn entries_of_a_session_or_a_project_are_those_of_all_that_are_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, _) = open(&folder);
    for (number, project) in ["bank", "shop", "bank", "", "bank"].into_iter().enumerate() {
        let (session, text) = (format!("s{}", number % 4), TEXTS[number]);
        let said = NewEvent::new(EventKind::UserPrompt, &*session, text)
            .project(project)
            .dedupe(crate::Dedupe::None);
        memory.append(said).expect("appends");
        let options = crate::IngestOptions {
            project: Some(project.to_owned()),
            ..crate::IngestOptions::default()
        };
        let extraction = json!({"schema_version": 1, "entries": [
            {"id": "e1", "type": "fact", "title": format!("fact {number}"), "content": text,
             "quotes": [{"message_index": number / 4, "quote": text}]},
        ]});
        memory
            .ingest_with(&session, &extraction.to_string(), &options)
            .expect("ingests");
    }
    let listed = |session: Option<&str>, project: Option<&str>| {
        let filter = EntryFilter {
            session: session.map(str::to_owned),
            project: project.map_or(ProjectScope::All, |name| {
                ProjectScope::Named(name.to_owned())
            }),
            ..EntryFilter::default()
        };
        memory.knowledge().entries(&filter).expect("lists")
    };
    let look = || {
        let all = listed(None, None);
        for session in [None, Some("s0"), Some("s1"), Some("s3"), Some("s")] {
            for project in [None, Some("shop"), Some("bank"), Some(""), Some("sho")] {
                let mut expected = all.clone();
                expected.retain(|row| {
                    session.is_none_or(|name| row.session == name)
                        && project.is_none_or(|name| row.project == name)
                });
                let found = listed(session, project);
                assert_eq!(found, expected, "{session:?} {project:?}");
            }
        }
        let of_project = |name| listed(None, Some(name)).len();
        (all.len(), ["bank", "shop", ""].map(of_project))
    };
    assert_eq!(look(), (5, [3, 1, 1]));
    let of_shop = listed(None, Some("shop")).remove(0).seq;
    let gone = crate::Selector::new()
        .id(of_shop)
        .project(ProjectScope::All);
    memory.forget(&gone).expect("forgets");
    assert_eq!(look(), (4, [3, 0, 1]));
    let (before, after, is_same) = rows_and_refolded(&memory);
    assert!(is_same && before == after);
}

/// Changes a row, and returns where `check` finds the difference and what it reports.
fn checked_with(memory: &Memory, key: &[u8], bytes: Option<&[u8]>) -> (String, String) {
    let damage = |bytes: Option<&[u8]>| {
        let store = &memory.engine.store;
        store
            .write(|tx| tx.damage_projected(key, bytes))
            .expect("writes")
    };
    let before = damage(bytes);
    let report = memory.check().expect("checks");
    damage(before.as_deref());
    let found = report
        .first_divergence
        .unwrap_or_else(|| panic!("{key:?} is found"));
    (found.place, found.problem)
}

#[test]
fn damage_to_a_row_of_each_kind_is_named_and_a_rebuild_heals_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = with_rows_of_most_kinds(&folder);
    assert_eq!(memory.check().expect("checks").first_divergence, None);
    let mut rows = std::collections::BTreeMap::new();
    let collected = memory.engine.store.write(|tx| {
        tx.each_projected(|row_kind, key, row| {
            let mut full = vec![row_kind];
            full.extend_from_slice(key);
            rows.insert(row_kind, (full, !row.is_empty()));
        })
    });
    collected.expect("reads");
    let named = |(place, problem): (String, String), kind: &RowKind| {
        let name = place.strip_prefix("projected.").expect("a row of a fold");
        assert_eq!(name.replace('_', ""), format!("{kind:?}").to_lowercase());
        problem
    };
    let (other, damaged) = (seal(vec![9; 16]), [7; 12]);
    let mut found = 0;
    for kind in RowKind::ALL {
        if RowKind::is_work_key(&[*kind as u8]) {
            continue;
        }
        let Some((key, has_bytes)) = rows.get(&(*kind as u8)) else {
            let key = [&[*kind as u8], b"ghost".as_slice()].concat();
            let problem = named(checked_with(&memory, &key, Some(&other)), kind);
            assert_eq!(problem, "a row has no counterpart in the log");
            continue;
        };
        found += 1;
        let problem = named(checked_with(&memory, key, None), kind);
        assert_eq!(problem, "a row of the log is missing");
        if *has_bytes {
            let problem = named(checked_with(&memory, key, Some(&other)), kind);
            assert_eq!(problem, "a row differs from the log");
            let problem = named(checked_with(&memory, key, Some(&damaged)), kind);
            assert_eq!(problem, "a row does not match its checksum");
        }
    }
    assert!(found >= 24, "the history has rows of {found} kinds");
    let (task, _) = rows[&(RowKind::Task as u8)].clone();
    let store = &memory.engine.store;
    let hash = memory
        .upkeep()
        .state_hash(Timestamp::default())
        .expect("hashes");
    store
        .write(|tx| tx.damage_projected(&task, None))
        .expect("writes");
    let other = memory.upkeep().state_hash(Timestamp::default());
    assert_ne!(
        other.expect("hashes"),
        hash,
        "the hash covers the rows of folds"
    );
    memory.rebuild(Timestamp::default()).expect("rebuilds");
    assert!(memory.check().expect("checks").ok);
    let healed = memory.upkeep().state_hash(Timestamp::default());
    assert_eq!(healed.expect("hashes"), hash);
}
