//! Folding the log afresh gives what folding each event as it came gave.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::refold;
use crate::clock::{Clock as _, RandomIds};
use crate::learn::endless::MemoryMode;
use crate::learn::entries::ResolutionKind;
use crate::learn::graph::{EdgeEnds, NodeType, Relation};
use crate::learn::tasks::TaskStatus;
use crate::model::time::Timestamp;
use crate::testing::FixedClock;
use crate::{EntryFilter, EventKind, MaintainBudget, Memory, NewEvent, TaskFilter};

/// One thing that a host does.
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
    Resolve(u8),
    Maintain,
    Wait(u16),
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
        1 => n().prop_map(Act::Resolve),
        1 => Just(Act::Maintain),
        1 => any::<u16>().prop_map(Act::Wait),
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
    let tasks = || memory.tasks(&TaskFilter::default()).expect("lists");
    let entries = || -> Vec<_> {
        let all = memory.entries(&EntryFilter::default()).expect("lists");
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
            // The session may not be there yet.
            let _ = memory.ingest(&format!("s{}", session % 4), &extraction.to_string());
        }
        Act::Move(task, to) => {
            if let Some(task) = pick(&tasks(), *task) {
                let to = TaskStatus::ALL[usize::from(*to) % TaskStatus::ALL.len()];
                let _ = memory.change_task_status(&task.id, to, &["the weather".to_owned()]);
            }
        }
        Act::Rename(task, name) => {
            if let Some(task) = pick(&tasks(), *task) {
                let _ = memory.rename_task(&task.id, &format!("task {}", name % 20));
            }
        }
        Act::Access(event, session) => {
            if let Some(event) = pick(&events(), *event) {
                memory
                    .record_access(&[(&event).into()], &format!("s{}", session % 9), 0.95)
                    .expect("records");
            }
        }
        Act::Supersede(a, b) => {
            if let Some((a, b)) = pick(&entries(), *a).zip(pick(&entries(), *b)) {
                let _ = memory.supersede(&a, &b);
            }
        }
        Act::Contradict(a, b) => {
            if let Some((a, b)) = pick(&entries(), *a).zip(pick(&entries(), *b)) {
                let _ = memory.contradict(&a, &b, Some("둘 다는 아니다"));
            }
        }
        Act::Settle => {
            if let Some(conflict) = memory.conflicts().expect("lists").pop() {
                let _ = memory.resolve_conflict(
                    &conflict.conflict_id,
                    &conflict.newer_id,
                    "the newer one",
                    "Ada",
                );
            }
        }
        Act::Edge(entry, task) => {
            if let Some((entry, task)) = pick(&entries(), *entry).zip(pick(&tasks(), *task)) {
                memory
                    .add_edge(&mentions(entry.as_str(), task.id.as_str()), None)
                    .expect("adds");
            }
        }
        Act::Unedge => {
            for entry in entries() {
                for task in tasks() {
                    memory
                        .remove_edge(&mentions(entry.as_str(), task.id.as_str()))
                        .expect("removes");
                }
            }
        }
        Act::Mode(endless) => memory
            .set_mode(if *endless {
                MemoryMode::Endless
            } else {
                MemoryMode::Session
            })
            .expect("changes"),
        Act::Context(text) => {
            let text = TEXTS[usize::from(*text) % TEXTS.len()];
            memory.score_continuity("c", text).expect("scores");
        }
        Act::Resolve(event) => {
            if let Some(event) = pick(&events(), *event) {
                memory.mark_unknown_context(&event).expect("marks");
                let id = event.id.to_string();
                memory
                    .resolve_memory(&id, ResolutionKind::Confirmed, Some("other"), 0.9)
                    .expect("resolves");
            }
        }
        Act::Maintain => {
            memory
                .maintain(MaintainBudget::default())
                .expect("maintains");
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

fn digests(memory: &Memory) -> ([u8; 32], [u8; 32]) {
    let before = memory
        .inner
        .store
        .read()
        .and_then(|read| read.projected_digest())
        .expect("reads");
    let after = memory
        .inner
        .store
        .write(|tx| {
            refold(tx)?;
            tx.projected_digest()
        })
        .expect("folds");
    (before, after)
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
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn folding_again_gives_the_same_rows(acts in proptest::collection::vec(act(), 1..40)) {
        let folder = tempfile::tempdir().expect("a folder");
        let (memory, clock) = open(&folder);
        for act in &acts {
            perform(&memory, &clock, act);
        }
        let (before, after) = digests(&memory);
        prop_assert_eq!(before, after);
    }
}

#[test]
fn the_digest_notices_a_row_that_the_log_does_not_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let (memory, clock) = open(&folder);
    perform(&memory, &clock, &Act::Say(0, 1));
    perform(&memory, &clock, &Act::Ingest(0, 0, 0));
    memory
        .inner
        .store
        .write(|tx| {
            let mut rows = tx.projected()?;
            rows.put(crate::store::projected::Shelf::Task, b"ghost", b"{}")?;
            rows.finish(clock.now().millis())
        })
        .expect("writes");
    let (before, after) = digests(&memory);
    assert_ne!(before, after);
}
