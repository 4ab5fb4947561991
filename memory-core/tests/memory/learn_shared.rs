//! What several stores learned before they shared: in the end all know the same, as if one store had
//! read everything.

use std::sync::Arc;

use recallite::rules::tasks::TaskStatus;
use recallite::scope::ProjectScope;
use recallite::{
    EntryFilter, EventKind, MaintainBudget, MemberRole, Memory, NewEvent, NewTask, Selector,
    TaskFilter, Timestamp,
};

use crate::clock::FixedClock;

const HOUR_MS: i64 = 3_600_000;

struct Machine {
    memory: Memory,
    clock: Arc<FixedClock>,
    _folder: tempfile::TempDir,
}

/// Machines that have each other as owners.
fn machines<const N: usize>() -> [Machine; N] {
    let machines = std::array::from_fn(|_| {
        let folder = tempfile::tempdir().unwrap();
        let clock = FixedClock::at("2026-01-30T12:00:00Z");
        let memory = Memory::builder()
            .clock(clock.clone())
            .open(folder.path())
            .unwrap();
        Machine {
            memory,
            clock,
            _folder: folder,
        }
    });
    for machine in &machines {
        for other in &machines {
            let identity = other.memory.sharing().identity().unwrap();
            if identity != machine.memory.sharing().identity().unwrap() {
                let sharing = machine.memory.sharing();
                let role = MemberRole::Owner;
                sharing.add_member(&identity, "m", role).unwrap();
            }
        }
    }
    machines
}

/// Sends everything that is new from one machine to another.
fn send(from: &Machine, to: &Machine) {
    let identity = from.memory.sharing().identity().unwrap();
    let marks = to.memory.sharing().watermarks().unwrap();
    let mark = marks.iter().find(|mark| mark.identity == identity);
    let position = mark.unwrap().position;
    let batch = from.memory.sharing().batch_since(position, 10_000).unwrap();
    let received = to.memory.sharing().receive(&batch.lines).unwrap();
    if received.to_erase > 0 {
        to.memory.sharing().erase_ordered().unwrap();
    }
}

fn sync(machines: &[Machine]) {
    for from in 0..machines.len() {
        for to in 0..machines.len() {
            if from != to {
                send(&machines[from], &machines[to]);
            }
        }
    }
}

fn maintain_later(machine: &Machine) {
    machine.clock.advance_ms(HOUR_MS);
    let budget = MaintainBudget::default();
    while machine.memory.maintain(budget).unwrap().has_more {}
}

/// Lets all machines send and learn until nothing more can come of it.
fn settle(machines: &[Machine]) {
    for _ in 0..3 {
        sync(machines);
        machines.iter().for_each(maintain_later);
    }
    sync(machines);
}

/// Says something `days` after the first day, and reads it.
fn learn(machine: &Machine, session: &str, days: i64, text: &str) {
    let first: Timestamp = "2026-01-01T10:00:00Z".parse().unwrap();
    let said = Timestamp::from_millis_clamped(first.millis() + days * 24 * HOUR_MS);
    let event = NewEvent::new(EventKind::UserPrompt, session, text).timestamp(said);
    machine.memory.append(event).unwrap();
    maintain_later(machine);
}

/// The titles of what is known, each with its status.
fn known(machine: &Machine) -> Vec<String> {
    let memory = &machine.memory;
    let mut known = Vec::new();
    for task in memory.tasks().list(&TaskFilter::default()).unwrap() {
        known.push(format!("{}: {}", task.title, task.status()));
    }
    for learned in memory.knowledge().entries(&EntryFilter::default()).unwrap() {
        let status = learned.entry.status.as_str();
        if status != "deprecated" {
            known.push(format!("{}: {status}", learned.entry.title));
        }
    }
    known.sort();
    known
}

fn count(machine: &Machine) -> u64 {
    machine.memory.stats().unwrap().events
}

/// All machines must know the same, in a state that a rebuild gives, and ten more rounds change
/// nothing.
fn settled(machines: &[Machine]) -> Vec<String> {
    let end: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    let first = known(&machines[0]);
    let hash = |machine: &Machine| machine.memory.sharing().shared_hash().unwrap();
    for machine in machines {
        assert_eq!(known(machine), first);
        assert_eq!(hash(machine), hash(&machines[0]));
        let memory = &machine.memory;
        let state = memory.upkeep().state_hash(end).unwrap();
        assert!(memory.check().unwrap().ok);
        memory.rebuild(end).unwrap();
        assert_eq!(memory.upkeep().state_hash(end).unwrap(), state);
    }
    let counts: Vec<u64> = machines.iter().map(count).collect();
    for _ in 0..10 {
        sync(machines);
        machines.iter().for_each(maintain_later);
    }
    assert_eq!(machines.iter().map(count).collect::<Vec<_>>(), counts);
    assert_eq!(known(&machines[0]), first);
    first
}

/// Whichever machine says what, and whoever sends first, what was said last holds.
#[test]
fn what_was_learned_apart_is_compared_once_it_is_shared() {
    for (said, expected) in [
        (
            &[
                "Let's go with Redis for the sessions.",
                "Let's switch from Redis to Valkey for the sessions.",
            ][..],
            &["superseded", "active"][..],
        ),
        (
            &[
                "Let's go with Redis for the sessions.",
                "Let's switch from Redis to Valkey for the sessions.",
                "Let's switch from Valkey to KeyDB for the sessions.",
            ],
            &["superseded", "superseded", "active"],
        ),
        (
            &[
                "The API server listens on port 8080.",
                "We moved the API server to port 9090.",
            ],
            &["superseded", "active"],
        ),
        (
            &[
                "Dana owns the billing service.",
                "Jonas took over the billing service.",
            ],
            &["superseded", "active"],
        ),
        (
            &[
                "Let's set the payment timeout to 15 seconds.",
                "Let's change the payment timeout to 30 seconds.",
            ],
            &["superseded", "active"],
        ),
        (
            &["Always use tabs.", "Never use tabs."],
            &["superseded", "active"],
        ),
        (
            &["CI uses Node 20.", "CI uses Node 22."],
            &["contested", "contested"],
        ),
    ] {
        let mut expected: Vec<String> = (said.iter().zip(expected))
            .map(|(said, status)| format!("{said}: {status}"))
            .collect();
        expected.sort();
        for first_speaker in [0, 1] {
            let machines = machines::<2>();
            let reader_of = |at: usize| &machines[(at + first_speaker) % 2];
            for (at, text) in said.iter().enumerate() {
                learn(reader_of(at), &format!("s{at}"), at as i64, text);
            }
            settle(&machines);
            assert_eq!(settled(&machines), expected, "{said:?} {first_speaker}");
        }
    }
}

#[test]
fn three_machines_agree_in_whatever_order_they_send() {
    let said = [
        "Let's go with Redis for the sessions.",
        "Let's switch from Redis to Valkey for the sessions.",
        "Let's switch from Valkey to KeyDB for the sessions.",
    ];
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
        let machines = machines::<3>();
        learn(&machines[0], "todo", 0, "TODO: rotate the signing keys");
        learn(&machines[1], "done", 5, "I've rotated the signing keys.");
        for (at, text) in said.iter().enumerate() {
            learn(&machines[at], &format!("s{at}"), at as i64, text);
        }
        for from in order {
            for to in [0, 1, 2].into_iter().filter(|to| *to != from) {
                send(&machines[from], &machines[to]);
                maintain_later(&machines[to]);
            }
        }
        settle(&machines);
        let expected = [
            format!("{}: superseded", said[0]),
            format!("{}: superseded", said[1]),
            format!("{}: active", said[2]),
            "rotate the signing keys: done".to_owned(),
        ];
        assert_eq!(settled(&machines), expected, "{order:?}");
    }
}

#[test]
fn a_report_ends_what_another_machine_was_asked_for() {
    for (request, report, status) in [
        (
            "TODO: rotate the signing keys",
            "I've rotated the signing keys.",
            "rotate the signing keys: done",
        ),
        (
            "TODO: migrate the customer table",
            "You can forget about migrating the customer table.",
            "migrate the customer table: cancelled",
        ),
        (
            "The release is waiting for OPS-77.",
            "OPS-77 is closed.",
            "The release: in_progress",
        ),
    ] {
        let machines = machines::<2>();
        learn(&machines[0], "request", 0, request);
        learn(&machines[1], "report", 1, report);
        settle(&machines);
        assert_eq!(settled(&machines), [status]);
        // A request that is newer than the report stays.
        let machines = self::machines::<2>();
        learn(&machines[1], "report", 0, report);
        learn(&machines[0], "request", 1, request);
        settle(&machines);
        assert_ne!(settled(&machines), [status]);
    }
}

#[test]
fn one_task_that_two_machines_recorded_is_one_task() {
    let machines = machines::<2>();
    for (at, machine) in machines.iter().enumerate() {
        let session = |name: &str| format!("{name}{at}");
        learn(machine, &session("a"), 0, "TODO: rotate the signing keys");
        learn(
            machine,
            &session("b"),
            0,
            "The release is waiting for OPS-9.",
        );
        let made = NewTask::new("water the plants");
        machine.memory.tasks().create(&made).unwrap();
    }
    settle(&machines);
    let expected = [
        "The release: blocked",
        "rotate the signing keys: pending",
        "water the plants: pending",
    ];
    assert_eq!(settled(&machines), expected);
    for machine in &machines {
        let memory = &machine.memory;
        let found = memory.search("what is still to do?").unwrap();
        let mut titles: Vec<_> = found.learned.iter().map(|hit| &hit.title).collect();
        titles.sort();
        let expected = ["The release", "rotate the signing keys", "water the plants"];
        assert_eq!(titles, expected);
        assert_eq!(
            memory
                .tasks()
                .blocked(&ProjectScope::All, None)
                .unwrap()
                .len(),
            1
        );
    }
    // One report ends both, and so does a person, on either machine.
    learn(&machines[1], "report", 3, "I've rotated the signing keys.");
    learn(&machines[1], "closed", 3, "OPS-9 is closed.");
    let tasks = machines[0].memory.tasks();
    let plants = tasks.list(&TaskFilter::default().text("plants")).unwrap();
    tasks.rename(&plants[0].id, "water the ferns").unwrap();
    for status in [TaskStatus::InProgress, TaskStatus::Done] {
        tasks.change_status(&plants[0].id, status, &[]).unwrap();
    }
    settle(&machines);
    let expected = [
        "The release: in_progress",
        "rotate the signing keys: done",
        "water the ferns: done",
    ];
    assert_eq!(settled(&machines), expected);
    for status in [TaskStatus::Pending, TaskStatus::Blocked] {
        let left = TaskFilter::default().status(status);
        assert_eq!(machines[0].memory.tasks().list(&left).unwrap(), []);
    }
}

#[test]
fn what_two_machines_recorded_keeps_one_title_when_it_is_finished() {
    let machines = machines::<2>();
    for machine in &machines {
        let made = NewTask::new("water the plants");
        machine.memory.tasks().create(&made).unwrap();
    }
    settle(&machines);
    let tasks = machines[0].memory.tasks();
    let all = TaskFilter::default().project(ProjectScope::All);
    let plants = tasks.list(&all).unwrap().remove(0).id;
    let titles = ["Water the plants", "water the ferns"];
    tasks.rename(&plants, titles[0]).unwrap();
    for status in [TaskStatus::InProgress, TaskStatus::Done] {
        tasks.change_status(&plants, status, &[]).unwrap();
    }
    settle(&machines);
    assert_eq!(settled(&machines), ["Water the plants: done"]);
    tasks.rename(&plants, titles[1]).unwrap();
    settle(&machines);
    assert_eq!(settled(&machines), ["water the ferns: done"]);
    // Opened again, it is open on both, and the old title still names it.
    tasks
        .change_status(&plants, TaskStatus::Pending, &[])
        .unwrap();
    settle(&machines);
    assert_eq!(settled(&machines), ["water the ferns: pending"]);
    for machine in &machines {
        let done = all.clone().status(TaskStatus::Done);
        assert_eq!(machine.memory.tasks().list(&done).unwrap(), []);
        assert!(machine.memory.check().unwrap().ok);
    }
}

#[test]
fn what_one_machine_finished_is_finished_for_the_other_unless_it_was_asked_for_again() {
    for (asked, status) in [(1, "done"), (3, "pending")] {
        let machines = machines::<2>();
        learn(&machines[0], "asked", 0, "TODO: rotate the signing keys");
        learn(&machines[0], "done", 2, "I've rotated the signing keys.");
        learn(
            &machines[1],
            "asked too",
            asked,
            "TODO: rotate the signing keys",
        );
        settle(&machines);
        let expected = format!("rotate the signing keys: {status}");
        assert_eq!(settled(&machines), [expected]);
    }
}

#[test]
fn a_task_that_one_machine_had_begun_is_finished_on_both() {
    let machines = machines::<2>();
    let create = |machine: &Machine| {
        let made = NewTask::new("water the plants");
        machine.memory.tasks().create(&made).unwrap().id
    };
    let begun = create(&machines[0]);
    create(&machines[1]);
    let tasks = machines[0].memory.tasks();
    let begin = |to| tasks.change_status(&begun, to, &[]).unwrap();
    begin(TaskStatus::InProgress);
    settle(&machines);
    assert_eq!(settled(&machines), ["water the plants: in_progress"]);
    begin(TaskStatus::Done);
    settle(&machines);
    assert_eq!(settled(&machines), ["water the plants: done"]);
    let pending = TaskFilter::default().status(TaskStatus::Pending);
    assert_eq!(tasks.list(&pending).unwrap(), []);
}

#[test]
fn what_is_erased_on_one_machine_takes_back_what_another_concluded() {
    let machines = machines::<2>();
    let old = "Let's go with Redis for the sessions.";
    let new = "Let's switch from Redis to Valkey for the sessions.";
    learn(&machines[0], "old", 0, old);
    learn(&machines[0], "todo", 0, "TODO: rotate the signing keys");
    learn(&machines[1], "new", 1, new);
    learn(&machines[1], "done", 1, "I've rotated the signing keys.");
    settle(&machines);
    let expected = [
        format!("{old}: superseded"),
        format!("{new}: active"),
        "rotate the signing keys: done".to_owned(),
    ];
    assert_eq!(settled(&machines), expected);
    for session in ["new", "done"] {
        let said = Selector::new().session(session);
        machines[1].memory.erase(&said).unwrap();
    }
    settle(&machines);
    let expected = [
        format!("{old}: active"),
        "rotate the signing keys: pending".to_owned(),
    ];
    assert_eq!(settled(&machines), expected);
}
