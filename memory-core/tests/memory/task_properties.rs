//! Invariants of every task history: the fold may be interrupted and rebuilt anywhere, no forbidden
//! state ever appears, and a repeated session changes nothing.

use proptest::prelude::*;
use recallite::Timestamp;
use recallite::rules::tasks::projector::check;
use recallite::rules::tasks::resolver::KeyedIds;
use recallite::rules::tasks::{
    Condition, EntityKind, Priority, Source, StatusMove, Task, TaskEntry, TaskEvent, TaskPayload,
    TaskResolver, TaskState, TaskStatus, TaskTables, TaskView,
};

#[derive(Clone, Debug)]
struct Said {
    session: u8,
    entry: TaskEntry,
    is_aligned: bool,
}

/// The log's contents: events, and markers that an entry was processed.
#[derive(Clone, Debug)]
enum Logged {
    Event(TaskEvent),
    Resolved(Source),
}

fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Fix login bug",
        "벡터 검색 구현",
        "書き込みを直す",
        "تحديث الوثائق",
        "Fix login",
        "task:p:fix-login-bug",
        "https://example.com/a",
        "PROJ-7",
        "legal approval",
        "🎉 ship it",
        "🎉",
        " ",
        "Unknown blocker for Fix login bug",
    ])
    .prop_map(str::to_owned)
}

fn said() -> impl Strategy<Value = Said> {
    let titles = prop::sample::select(vec![
        "Fix login bug",
        "fix LOGIN bug!",
        "벡터 검색 구현",
        "書き込みを直す",
        "تحديث الوثائق",
    ]);
    (
        0u8..4,
        titles,
        prop::option::of(prop::sample::select(TaskStatus::ALL)),
        prop::option::of(prop::sample::select(Priority::ALL)),
        prop::collection::vec(texts(), 0..4),
        any::<bool>(),
    )
        .prop_map(
            |(session, title, status, priority, blocked_by, is_aligned)| Said {
                session,
                entry: TaskEntry {
                    title: title.to_owned(),
                    status,
                    priority,
                    blocked_by,
                    description: None,
                    project: None,
                },
                is_aligned,
            },
        )
}

fn apply(state: &mut TaskState, logged: &Logged, at: Timestamp) {
    match logged {
        Logged::Event(event) => {
            state.apply(event, at);
        }
        Logged::Resolved(source) => state.mark_resolved(source).expect("in memory"),
    }
}

/// Processes one statement; returns what it appended to the log.
fn take_in(state: &mut TaskState, index: usize, said: &Said, at: Timestamp) -> Vec<Logged> {
    let ids = KeyedIds::new([1; 32]);
    let source = Source::new(format!("s{}", said.session), format!("e{index}"));
    let resolution = TaskResolver::new(state, &ids, Some("p"))
        .resolve(&source, &said.entry, said.is_aligned)
        .expect("titles have letters");
    if resolution.already_resolved {
        assert!(resolution.events.is_empty());
        return Vec::new();
    }
    let mut log: Vec<Logged> = Vec::new();
    for event in resolution.events {
        // Declarations and moves come in an order in which each event is valid.
        check(state, &event).expect("the resolver's events fit the state");
        let kept = TaskEvent::from_json(event.kind(), &event.source.session, &event.to_json())
            .expect("reads back");
        assert_eq!(kept, event);
        let logged = Logged::Event(event);
        apply(state, &logged, at);
        hold(state);
        log.push(logged);
    }
    let mark = Logged::Resolved(source);
    apply(state, &mark, at);
    log.push(mark);
    log
}

/// The invariants after every single event.
fn hold(state: &TaskState) {
    for task in state.tasks() {
        let confirmed = task.phase.confirmed().len();
        let suggested = task.phase.suggested().len();
        assert!(
            task.status().allows_blockers(confirmed, suggested),
            "{task:?}"
        );
        assert!(
            task.phase
                .confirmed()
                .iter()
                .all(|b| b.entity_id != task.id)
        );
        assert_eq!(Task::from_json(&task.to_json()).expect("reads back"), *task);
    }
    for condition in state.conditions() {
        let read = Condition::from_json(&condition.to_json()).expect("reads back");
        assert_eq!(read, *condition);
    }
}

fn moment(index: usize) -> Timestamp {
    Timestamp::from_millis_clamped(1_769_800_000_000 + i64::try_from(index).expect("small"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_history_can_be_rebuilt_and_taken_in_twice(
        history in prop::collection::vec(said(), 1..25)
    ) {
        let mut state = TaskState::new();
        let mut log: Vec<(Logged, Timestamp)> = Vec::new();
        for (index, said) in history.iter().enumerate() {
            let at = moment(index);
            log.extend(take_in(&mut state, index, said, at).into_iter().map(|l| (l, at)));
        }
        for (logged, _) in &log {
            if let Logged::Event(TaskEvent {
                payload: TaskPayload::StatusChanged { from, to, .. }, ..
            }) = logged
            {
                prop_assert!(
                    !(*from == TaskStatus::Pending && matches!(to, StatusMove::Done))
                );
            }
        }

        let mut rebuilt = TaskState::new();
        for (logged, at) in &log {
            apply(&mut rebuilt, logged, *at);
        }
        prop_assert_eq!(&rebuilt, &state);

        // Every session again, in reverse order.
        let before = state.clone();
        for (index, said) in history.iter().enumerate().rev() {
            prop_assert!(take_in(&mut state, index, said, moment(1000)).is_empty());
        }
        prop_assert_eq!(&state, &before);

        let keys: std::collections::BTreeSet<String> = log
            .iter()
            .filter_map(|(logged, _)| match logged {
                Logged::Event(event) => Some(event.dedupe_key()),
                Logged::Resolved(_) => None,
            })
            .collect();
        let events = log.iter().filter(|(l, _)| matches!(l, Logged::Event(_))).count();
        prop_assert_eq!(keys.len(), events, "distinct acts share a dedupe key");
    }

    #[test]
    fn the_fold_keeps_its_rules_when_events_are_missing(
        history in prop::collection::vec(said(), 1..20),
        missing in prop::collection::vec(any::<bool>(), 120),
    ) {
        let mut state = TaskState::new();
        let mut log = Vec::new();
        for (index, said) in history.iter().enumerate() {
            log.extend(take_in(&mut state, index, said, moment(index)));
        }
        let mut torn = TaskState::new();
        for (logged, skip) in log.iter().zip(missing.iter().cycle()) {
            if !skip {
                apply(&mut torn, logged, moment(0));
                hold(&torn);
            }
        }
    }
}

fn entry(title: &str, status: TaskStatus, blocked_by: &[&str]) -> Said {
    Said {
        session: 0,
        entry: TaskEntry {
            title: title.to_owned(),
            status: Some(status),
            blocked_by: blocked_by.iter().map(|&t| t.to_owned()).collect(),
            ..TaskEntry::default()
        },
        is_aligned: true,
    }
}

#[test]
fn a_second_block_in_one_session_is_not_swallowed() {
    let mut state = TaskState::new();
    for (index, said) in [
        entry("Deploy", TaskStatus::Blocked, &["legal approval"]),
        entry("Deploy", TaskStatus::InProgress, &[]),
        entry("Deploy", TaskStatus::Blocked, &["legal approval"]),
    ]
    .iter()
    .enumerate()
    {
        take_in(&mut state, index, said, moment(index));
    }
    let task = state.tasks().next().expect("one task");
    assert_eq!(task.status(), TaskStatus::Blocked);
    assert_eq!(task.phase.confirmed().len(), 1);
}

#[test]
fn a_named_blocker_takes_the_place_of_the_placeholder() {
    let mut state = TaskState::new();
    take_in(
        &mut state,
        0,
        &entry("배포하기", TaskStatus::Blocked, &[]),
        moment(0),
    );
    let placeholder = state.conditions().next().expect("declared");
    assert!(placeholder.auto_placeholder);
    assert_eq!(placeholder.text, "Unknown blocker for 배포하기");
    take_in(
        &mut state,
        1,
        &entry("배포하기", TaskStatus::Blocked, &["PROJ-1"]),
        moment(1),
    );
    let task = state.tasks().next().expect("one task");
    assert_eq!(task.phase.confirmed().len(), 1);
    assert_eq!(task.phase.confirmed()[0].raw_text, "PROJ-1");
}

#[test]
fn a_task_never_blocks_itself() {
    let mut state = TaskState::new();
    take_in(
        &mut state,
        0,
        &entry("Deploy", TaskStatus::Blocked, &["deploy", "task:p:deploy"]),
        moment(0),
    );
    let task = state.tasks().next().expect("one task");
    assert!(
        task.phase
            .confirmed()
            .iter()
            .all(|b| b.entity_id != task.id)
    );
}

#[test]
fn a_renamed_task_is_found_by_its_old_title() {
    let mut state = TaskState::new();
    take_in(
        &mut state,
        0,
        &entry("Deploy", TaskStatus::InProgress, &[]),
        moment(0),
    );
    let id = state.tasks().next().expect("one task").id.clone();
    let ids = KeyedIds::new([1; 32]);
    let events = TaskResolver::new(&state, &ids, Some("p"))
        .rename(&Source::new("s0", "rename"), &id, "Deploy to production")
        .expect("renames");
    for event in &events {
        state.apply(event, moment(1));
    }
    take_in(
        &mut state,
        2,
        &entry("deploy", TaskStatus::Done, &[]),
        moment(2),
    );
    take_in(
        &mut state,
        3,
        &entry("Deploy to production", TaskStatus::Done, &[]),
        moment(3),
    );
    assert_eq!(state.tasks().count(), 1);
    assert_eq!(
        state.tasks().next().expect("one").status(),
        TaskStatus::Done
    );
}

proptest! {
    #[test]
    fn no_answer_of_a_model_makes_the_parser_panic(
        text in "\\{\"schema_version\":1,\"entries\":\\[.{0,40}\\],\"tasks\":\\[\\{\"id\":\"t\",\"title\":\".{0,12}\",\"blocked_by\":\\[\".{0,12}\"\\]\\}\\]\\}",
        messages in 0usize..3,
    ) {
        if let Err(error) = recallite::rules::model_answer::Extraction::parse(&text, messages) {
            prop_assert!(error.argument().is_some());
        }
    }

    #[test]
    fn no_title_or_blocker_makes_the_resolver_panic(
        title in "\\PC{0,20}", blocker in ".{0,20}", is_aligned: bool
    ) {
        let mut state = TaskState::new();
        let ids = KeyedIds::new([1; 32]);
        let said = TaskEntry {
            title,
            status: Some(TaskStatus::Blocked),
            blocked_by: vec![blocker],
            ..TaskEntry::default()
        };
        let resolved = TaskResolver::new(&state, &ids, None)
            .resolve(&Source::new("s", "e"), &said, is_aligned);
        match resolved {
            Ok(resolution) => {
                for event in &resolution.events {
                    prop_assert!(check(&state, event).is_ok());
                    state.apply(event, moment(0));
                    hold(&state);
                }
                let task = state.tasks().next().expect("one task");
                prop_assert_eq!(task.status(), TaskStatus::Blocked);
            }
            Err(error) => prop_assert_eq!(error.argument(), Some("title")),
        }
    }
}

fn kinds(log: &[Logged]) -> Vec<&'static str> {
    log.iter()
        .filter_map(|logged| match logged {
            Logged::Event(event) => Some(event.kind().as_str()),
            Logged::Resolved(_) => None,
        })
        .collect()
}

#[test]
fn blockers_of_a_refused_move_are_not_written() {
    let mut state = TaskState::new();
    let blocked = entry("Deploy", TaskStatus::Blocked, &["PROJ-1"]);
    take_in(&mut state, 0, &blocked, moment(0));
    let back = entry("Deploy", TaskStatus::Pending, &["PROJ-2"]);
    let log = take_in(&mut state, 1, &back, moment(1));
    assert_eq!(kinds(&log), ["task_transition_rejected"]);
}

#[test]
fn a_task_with_a_confirmed_blocker_gets_no_placeholder() {
    let mut state = TaskState::new();
    let blocked = entry("Deploy", TaskStatus::Blocked, &["PROJ-1"]);
    take_in(&mut state, 0, &blocked, moment(0));
    let again = entry("Deploy", TaskStatus::Blocked, &[]);
    assert!(kinds(&take_in(&mut state, 1, &again, moment(1))).is_empty());
    assert_eq!(state.conditions().count(), 0);
}

#[test]
fn finished_work_loses_its_blockers_and_can_be_opened_again() {
    let mut state = TaskState::new();
    for (index, said) in [
        entry("Deploy", TaskStatus::Blocked, &["PROJ-1"]),
        entry("Deploy", TaskStatus::Done, &["PROJ-2"]),
    ]
    .iter()
    .enumerate()
    {
        take_in(&mut state, index, said, moment(index));
    }
    let task = state.tasks().next().expect("one task");
    assert_eq!(task.status(), TaskStatus::Done);
    take_in(
        &mut state,
        2,
        &entry("Deploy", TaskStatus::Pending, &[]),
        moment(2),
    );
    let task = state.tasks().next().expect("one task");
    assert_eq!(task.status(), TaskStatus::Pending);
    assert!(task.phase.suggested().is_empty());
}

#[test]
fn a_title_of_another_task_cannot_be_taken() {
    let mut state = TaskState::new();
    take_in(
        &mut state,
        0,
        &entry("Deploy", TaskStatus::Pending, &[]),
        moment(0),
    );
    take_in(
        &mut state,
        1,
        &entry("문서 쓰기", TaskStatus::Pending, &[]),
        moment(1),
    );
    let deploy = state
        .tasks()
        .find(|t| t.title == "Deploy")
        .expect("known")
        .id
        .clone();
    let ids = KeyedIds::new([1; 32]);
    let source = Source::new("s0", "rename");
    let refused = TaskResolver::new(&state, &ids, Some("p"))
        .rename(&source, &deploy, "문서 쓰기!")
        .expect_err("taken");
    assert_eq!(refused.code(), recallite::ErrorCode::AlreadyExists);
    // Even an event from elsewhere does not take the key away.
    let key = "task:p:문서-쓰기";
    let owner = state.find(EntityKind::Task, key).expect("view");
    let forced = TaskEvent {
        source,
        payload: TaskPayload::TitleChanged {
            task_id: deploy,
            from: "Deploy".to_owned(),
            to: "문서 쓰기".to_owned(),
            canonical_key: key.to_owned(),
        },
    };
    state.apply(&forced, moment(2));
    assert_eq!(state.find(EntityKind::Task, key).expect("view"), owner);
}

#[test]
fn a_condition_is_resolved_once_and_only_to_what_exists() {
    use recallite::rules::tasks::events::ResolutionType;
    let mut state = TaskState::new();
    take_in(
        &mut state,
        0,
        &entry("Deploy", TaskStatus::Blocked, &["legal approval"]),
        moment(0),
    );
    let condition = state.conditions().next().expect("declared").id.clone();
    let task = state.tasks().next().expect("one").id.clone();
    let ids = KeyedIds::new([1; 32]);
    let source = Source::new("s0", "user");
    let resolve = |state: &TaskState, target| {
        TaskResolver::new(state, &ids, Some("p")).resolve_condition(
            &source,
            &condition,
            target,
            ResolutionType::UserConfirmed,
            1.0,
        )
    };
    let nothing = (
        EntityKind::Task,
        recallite::rules::tasks::EntityId::new("nothing"),
    );
    assert!(resolve(&state, nothing).is_err());
    assert!(resolve(&state, (EntityKind::Condition, condition.clone())).is_err());
    let events = resolve(&state, (EntityKind::Task, task.clone())).expect("resolves");
    for event in &events {
        state.apply(event, moment(1));
    }
    assert!(state.conditions().next().expect("declared").is_resolved());
    assert!(
        resolve(&state, (EntityKind::Task, task))
            .expect("again")
            .is_empty()
    );
}
