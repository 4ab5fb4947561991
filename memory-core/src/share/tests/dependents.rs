//! Tests of what becomes of the records that a third store made of what another one learned, when
//! the message behind them is erased.

use super::trust::{is_in_files, open_erasures};
use super::*;
use crate::rules::entries::EntryId;
use crate::rules::tasks::EntityId;

/// What the second store learned of the message of the first.
struct Learned {
    message: EventId,
    entries: [EntryId; 2],
    task: EntityId,
}

fn learn(author: &Store, learner: &Store) -> Learned {
    let said = "mend the zqlantern soon, it is green";
    let message = author.append(prompt("s", said)).unwrap().id;
    send(author, learner).unwrap();
    let quotes = serde_json::json!([{"message_index": 0, "quote": said}]);
    let entry = |id: &str, title: &str| serde_json::json!({"id": id, "type": "fact", "title": title, "content": title, "quotes": quotes});
    let answer = serde_json::json!({
        "schema_version": 1,
        "entries": [entry("e1", "The zqlantern is green"), entry("e2", "The zqlantern is broken")],
        "tasks": [{"id": "t1", "title": "Mend the zqlantern", "quotes": quotes}],
    });
    let report = learner.ingest("s", &answer.to_string()).unwrap();
    Learned {
        message,
        entries: [0, 1].map(|at| report.entries[at].entry_id.clone()),
        task: report.tasks[0].task_id.clone(),
    }
}

/// Everything that a store can record about what another one learned, in words of the message, and
/// things of its own that stay: an entry, a task that was made and then blocked, and one that was
/// made as blocked.
fn build_on(store: &Store, learned: &Learned) -> (EntryId, [EntityId; 2]) {
    let [green, broken] = &learned.entries;
    let own = |title: &str| {
        let entry = NewEntry::new(EntryType::Fact, "own", title, title);
        store.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (lamp, bulb) = (own("The lamp is red"), own("The bulb works"));
    let knowledge = store.knowledge();
    let ends = EdgeEnds {
        source_type: NodeType::Entry,
        source_id: lamp.as_str().to_owned(),
        relation: Relation::DerivedFrom,
        destination_type: NodeType::Entry,
        destination_id: green.as_str().to_owned(),
    };
    let meta = crate::Json::parse("meta", r#"{"title": "of the zqlantern"}"#).unwrap();
    knowledge.add_edge(&ends, Some(&meta)).unwrap();
    let answer = MemoryAnswer {
        kind: ResolutionKind::Confirmed,
        resolved_to: Some(lamp.as_str().to_owned()),
        confidence: 0.9,
    };
    knowledge.resolve_memory(green.as_str(), &answer).unwrap();
    knowledge.supersede(green, &lamp).unwrap();
    let conflict = knowledge
        .contradict(broken, &bulb, Some("the zqlantern works"))
        .unwrap();
    let verdict = ConflictVerdict::new(bulb, "the zqlantern was tried", "ada");
    knowledge
        .resolve_conflict(&conflict.conflict_id, &verdict)
        .unwrap();
    let tasks = store.tasks();
    let parts = ["parts for the zqlantern".to_owned()];
    tasks
        .change_status(&learned.task, TaskStatus::Blocked, &parts)
        .unwrap();
    tasks
        .rename(&learned.task, "Mend the zqlantern today")
        .unwrap();
    let fence = NewTask::new("Paint the fence");
    let fence = tasks.create(&fence).unwrap().id;
    let mending = ["Mend the zqlantern today".to_owned()];
    tasks
        .change_status(&fence, TaskStatus::Blocked, &mending)
        .unwrap();
    let gate = NewTask::new("Oil the gate").blocked_by(mending);
    let gate = tasks.create(&gate).unwrap().id;
    (lamp, [fence, gate])
}

/// Exchanges everything along these ways, from and to, until nothing is new.
fn settle_along(stores: &[Store], ways: &[(usize, usize)]) {
    let mut quiet = 0;
    for round in 0.. {
        let mut new = 0;
        for (from, to) in ways {
            let received = send(&stores[*from], &stores[*to]).unwrap();
            new += received.records + received.refused;
        }
        for store in stores {
            new += store.sharing().erase_ordered().unwrap().count;
        }
        quiet = if new == 0 { quiet + 1 } else { 0 };
        if quiet == 2 {
            return;
        }
        assert!(round < 12, "stores go on answering each other");
    }
}

/// Stores of which each one reads those from which a way leads to it.
fn stores_along(count: usize, ways: &[(usize, usize)], role: MemberRole) -> Vec<Store> {
    let made: Vec<Store> = (0..count)
        .map(|_| stores(1, MemberRole::Writer).remove(0))
        .collect();
    for (from, to) in ways {
        trust(&made[*to], &made[*from], role);
    }
    made
}

const TO_ALL: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
/// The first and the last have nothing of each other.
const IN_A_ROW: [(usize, usize); 4] = [(0, 1), (1, 0), (1, 2), (2, 1)];

#[test]
fn what_a_third_store_made_of_what_another_learned_goes_with_the_message() {
    for role in [MemberRole::Writer, MemberRole::Owner] {
        for ways in [&TO_ALL[..], &IN_A_ROW[..]] {
            for is_late in [false, true] {
                let what = format!("{role:?}, {} ways, late: {is_late}", ways.len());
                let stores = stores_along(3, ways, role);
                let [author, learner, third] = &stores[..] else {
                    unreachable!()
                };
                let learned = learn(author, learner);
                for (from, _) in ways.iter().filter(|(_, to)| *to == 2) {
                    send(&stores[*from], third).unwrap();
                }
                let (lamp, tasks) = build_on(third, &learned);
                if !is_late {
                    settle_along(&stores, ways);
                }
                assert!(is_in_files(third, "zqlantern"), "{what}");
                author.erase(&Selector::new().id(learned.message)).unwrap();
                settle_along(&stores, ways);
                for store in &stores {
                    assert!(!is_in_files(store, "zqlantern"), "{what}");
                    assert!(store.check().unwrap().ok, "{what}");
                }
                // What the third store said for itself stays, and waits for nothing any more.
                for store in [learner, third] {
                    let entry = store.knowledge().entry(&lamp).unwrap();
                    assert_eq!(entry.unwrap().entry.status.as_str(), "active", "{what}");
                    for task in &tasks {
                        let task = store.tasks().get(task).unwrap().unwrap();
                        assert!(task.effective_blockers.is_empty(), "{what}: {task:?}");
                        assert_eq!(task.task.status(), TaskStatus::Pending, "{what}");
                    }
                    let entries = store.knowledge().entries(&Default::default()).unwrap();
                    assert_eq!(entries.len(), 2, "{what}");
                }
                if ways.len() == TO_ALL.len() {
                    assert_alike(&stores, &what);
                }
                let (waiting, _) = open_erasures(author);
                assert!(waiting.is_empty(), "{what}");
            }
        }
    }
}

/// An owner, the author of a message, a third store that learned of it and takes orders about it
/// from nobody but the author, and a reader of the owner and of the third store only. The owner,
/// which has nothing of the third store, erases the message.
fn declined_by_the_third() -> Vec<Store> {
    let ways = [(0, 2), (0, 3), (1, 0), (1, 2), (2, 3)];
    let stores = stores_along(4, &ways, MemberRole::Writer);
    let [owner, author, third, reader] = &stores[..] else {
        unreachable!()
    };
    trust(reader, owner, MemberRole::Owner);
    let said = author
        .append(prompt("s", "the zqlantern is green"))
        .unwrap()
        .id;
    send(author, owner).unwrap();
    send(author, third).unwrap();
    let entry = NewEntry {
        event: Some(said.into()),
        ..NewEntry::new(EntryType::Fact, "s", "zqlantern", "the zqlantern is green")
    };
    third.knowledge().add_entry(&entry).unwrap();
    owner.erase(&Selector::new().id(said)).unwrap();
    settle_along(&stores, &ways);
    stores
}

/// The one place where an owner's erasure leaves text in a store that obeys the owner: such a store
/// has what was recorded about the erased, but neither that itself nor an order of its author.
#[test]
fn what_a_store_that_declines_an_owner_learned_stays_until_the_reader_or_the_owner_knows_more() {
    type Remedy = fn(&[Store]) -> (usize, usize);
    let remedies: [Remedy; 3] = [
        // The reader reads the author too.
        |stores| {
            trust(&stores[3], &stores[1], MemberRole::Writer);
            (1, 3)
        },
        // The owner reads the third store, and orders what that learned.
        |stores| {
            trust(&stores[0], &stores[2], MemberRole::Writer);
            (2, 0)
        },
        // The third store takes orders of the owner.
        |stores| {
            trust(&stores[2], &stores[0], MemberRole::Owner);
            (0, 2)
        },
    ];
    for (number, remedy) in remedies.iter().enumerate() {
        let stores = declined_by_the_third();
        let [owner, _, third, reader] = &stores[..] else {
            unreachable!()
        };
        assert!(!is_in_files(owner, "zqlantern"));
        assert!(is_in_files(third, "zqlantern") && is_in_files(reader, "zqlantern"));
        trust(owner, third, MemberRole::Writer);
        let told = third.sharing().batch_since(0, 0).unwrap();
        owner.sharing().receive(&told.lines).unwrap();
        let (_, declined_by) = open_erasures(owner);
        assert_eq!(declined_by, [third.sharing().identity().unwrap()]);
        let way = remedy(&stores);
        settle_along(&stores, &[(0, 2), (0, 3), (1, 0), (1, 2), (2, 3), way]);
        assert!(!is_in_files(reader, "zqlantern"), "remedy {number}");
        for store in &stores {
            assert!(store.check().unwrap().ok, "remedy {number}");
        }
    }
}
