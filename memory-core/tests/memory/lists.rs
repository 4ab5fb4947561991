//! Lists: whatever is asked, they have what matches and nothing else, in their order, up to a limit;
//! after changes, forgetting and a rebuild as well.
use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::{EntryType, LearnedEntry, Stage};
use recallite::rules::graph::Relation;
use recallite::rules::tasks::{Priority, Task, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::{
    EdgeFilter, EntryFilter, EventFilter, EventKind, MaintainBudget, Memory, NewEntry, NewEvent,
    NewTask, Query, ScopeKind, Selector, TaskFilter, ToolOutcome, ToolUse,
};
use serde_json::json;

const PROJECTS: [&str; 2] = ["shop", "shop\u{1}two"];

fn say(memory: &Memory, session: &str, text: &str) -> recallite::EventId {
    let event = NewEvent::new(EventKind::UserPrompt, session, text).project(PROJECTS[0]);
    memory.append(event).unwrap().id
}

/// Entries of several types, states and projects: more than a list with a text looks at before it asks
/// the index, and than a flush of the index takes.
fn learn_entries(memory: &Memory) -> Vec<LearnedEntry> {
    let types = [EntryType::Decision, EntryType::Fact, EntryType::Constraint];
    let mut made: Vec<LearnedEntry> = Vec::new();
    for number in 0..140_usize {
        let about = ["Harbour", "결제 게이트웨이", "キャッシュの期限"][number % 3];
        let title = format!("Entry {number} about {about}");
        let content = format!("It was sa{}id in step {number}.", "y".repeat(number));
        let mut entry = NewEntry::new(types[number / 3 % 3], "notes", title, content);
        entry.project = Some(PROJECTS[usize::from(number % 5 == 0)].to_owned());
        made.push(memory.knowledge().add_entry(&entry).unwrap());
        let knowledge = memory.knowledge();
        match number % 7 {
            1 => knowledge.deprecate(&made[number].entry.id).unwrap(),
            2 if number > 7 => {
                let (older, newer) = (&made[number - 3].entry.id, &made[number].entry.id);
                // What was withdrawn is replaced by nothing.
                drop(knowledge.supersede(older, newer));
            }
            _ => {}
        }
    }
    made
}

fn entry_filters() -> Vec<EntryFilter> {
    let mut filters = Vec::new();
    let texts = [
        None,
        Some("HARBOUR"),
        Some("게이트웨이"),
        Some("シュの"),
        Some("step 7"),
        Some("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyid"),
        Some("ntry 8"),
        Some("a"),
        Some("-"),
        Some("nowhere"),
    ];
    for project in [
        ProjectScope::All,
        ProjectScope::Named(PROJECTS[0].to_owned()),
    ] {
        for entry_type in [None, Some(EntryType::Decision), Some(EntryType::Pattern)] {
            for status in [None, Some("active"), Some("superseded"), Some("deprecated")] {
                for min_stage in [None, Some(Stage::Candidate), Some(Stage::Certified)] {
                    for text in texts {
                        filters.push({
                            let mut made = EntryFilter::default().project(project.clone());
                            made.entry_type = entry_type;
                            made.status = status.map(str::to_owned);
                            made.min_stage = min_stage;
                            made.text = text.map(str::to_owned);
                            made
                        });
                    }
                }
            }
        }
    }
    filters
}

fn has(text: &Option<String>, parts: &[&str]) -> bool {
    text.as_ref().is_none_or(|text| {
        let text = text.to_lowercase();
        parts.iter().any(|part| part.to_lowercase().contains(&text))
    })
}

fn is_of(scope: &ProjectScope, project: &str) -> bool {
    !matches!(scope, ProjectScope::Named(name) if name != project)
}

/// Compares each filter with what one entry after another says.
fn check_entries(memory: &Memory) {
    let knowledge = memory.knowledge();
    let everything = EntryFilter::default().project(ProjectScope::All);
    let all = knowledge.entries(&everything).unwrap();
    for filter in entry_filters() {
        let fits = |row: &&LearnedEntry| {
            let entry = &row.entry;
            is_of(&filter.project, &row.project)
                && filter.entry_type.is_none_or(|of| entry.entry_type == of)
                && filter
                    .status
                    .as_ref()
                    .is_none_or(|of| entry.status.as_str() == of)
                && filter
                    .min_stage
                    .is_none_or(|of| entry.lifecycle.stage() >= of)
                && has(&filter.text, &[&entry.title, &row.content])
        };
        let right: Vec<LearnedEntry> = all.iter().filter(fits).cloned().collect();
        assert_eq!(knowledge.entries(&filter).unwrap(), right, "{filter:?}");
        let few = filter.limit(2);
        let first = &right[..right.len().min(2)];
        assert_eq!(knowledge.entries(&few).unwrap(), first, "{few:?}");
        let next = few.offset(2);
        let right: Vec<LearnedEntry> = right.into_iter().skip(2).take(2).collect();
        assert_eq!(knowledge.entries(&next).unwrap(), right, "{next:?}");
    }
}

#[test]
fn entries_are_listed_by_what_they_are_and_by_text() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let made = learn_entries(&memory);
    check_entries(&memory);
    // In another process, whose own state is empty.
    memory.close().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    check_entries(&memory);
    while memory.maintain(MaintainBudget::default()).unwrap().has_more {}
    check_entries(&memory);
    for number in [3, 8, 88] {
        let event = made[number].event_id;
        memory.forget(&Selector::new().id(event)).unwrap();
    }
    check_entries(&memory);
    assert!(memory.check().unwrap().ok);
    memory.rebuild("2026-01-01".parse().unwrap()).unwrap();
    check_entries(&memory);
    let report = memory.check().unwrap();
    assert!(report.ok, "{report:?}");
}

/// Tasks of several statuses, priorities and projects.
fn make_tasks(memory: &Memory) {
    let priorities = [Priority::Low, Priority::Critical, Priority::Medium];
    let tasks = memory.tasks();
    for number in 0..120_usize {
        let about = ["harbour", "게이트웨이"][number % 2];
        let mut task = NewTask::new(format!("Mend thing {number} of the {about}"))
            .project(PROJECTS[usize::from(number % 5 == 0)].to_owned())
            .priority(priorities[number % 3])
            .blocked_by(match number % 4 {
                0 => vec![format!("the delivery {number}")],
                _ => Vec::new(),
            });
        task.description = (number % 3 == 0).then(|| format!("Lantern-{number} is DARK"));
        let made = tasks.create(&task).unwrap();
        match number % 8 {
            1 => drop(
                tasks
                    .change_status(&made.id, TaskStatus::InProgress, &[])
                    .unwrap(),
            ),
            2 => {
                tasks
                    .change_status(&made.id, TaskStatus::InProgress, &[])
                    .unwrap();
                tasks
                    .change_status(&made.id, TaskStatus::Done, &[])
                    .unwrap();
            }
            4 => drop(tasks.set_priority(&made.id, Priority::High).unwrap()),
            _ => {}
        }
    }
}

fn check_tasks(memory: &Memory) {
    let tasks = memory.tasks();
    let scopes = [
        ProjectScope::All,
        ProjectScope::Named(PROJECTS[1].to_owned()),
    ];
    let everything = TaskFilter::default().project(ProjectScope::All);
    let all = tasks.list(&everything).unwrap();
    for project in scopes {
        for status in [None, Some(TaskStatus::Blocked), Some(TaskStatus::Done)] {
            for text in [
                None,
                Some("Gate"),
                Some("게이트"),
                Some("dark"),
                Some("thing 11"),
                Some("g"),
            ] {
                let mut filter = TaskFilter::default().project(project.clone());
                filter.status = status;
                filter.text = text.map(str::to_owned);
                let fits = |task: &&Task| {
                    let more = task.description.as_deref().unwrap_or_default();
                    is_of(&filter.project, &task.project)
                        && filter.status.is_none_or(|of| task.status() == of)
                        && has(&filter.text, &[&task.title, more])
                };
                let right: Vec<Task> = all.iter().filter(fits).cloned().collect();
                assert_eq!(tasks.list(&filter).unwrap(), right, "{filter:?}");
                let few = filter.limit(3);
                let first = &right[..right.len().min(3)];
                assert_eq!(tasks.list(&few).unwrap(), first, "{few:?}");
                let next = few.offset(3);
                let right: Vec<Task> = right.into_iter().skip(3).take(3).collect();
                assert_eq!(tasks.list(&next).unwrap(), right, "{next:?}");
            }
        }
        let mut blocked: Vec<Task> = all
            .iter()
            .filter(|task| is_of(&project, &task.project) && task.status() == TaskStatus::Blocked)
            .cloned()
            .collect();
        // Equally urgent ones keep the order of the list.
        blocked.sort_by_key(|task| std::cmp::Reverse(task.priority));
        for most in [0, 3, 1_000] {
            let listed = tasks.blocked(&project, Some(most)).unwrap();
            let listed: Vec<Task> = listed.into_iter().map(|found| found.task).collect();
            assert_eq!(listed, blocked[..blocked.len().min(most)]);
        }
        let conditions = tasks.conditions(&project, None).unwrap();
        let of_all = tasks.conditions(&ProjectScope::All, None).unwrap();
        let of_all = of_all.into_iter();
        let right: Vec<_> = of_all.filter(|one| is_of(&project, &one.project)).collect();
        assert!(!right.is_empty());
        assert_eq!(conditions, right);
    }
}

#[test]
fn tasks_are_listed_by_project_status_and_text() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    make_tasks(&memory);
    check_tasks(&memory);
    let first = EventFilter::new()
        .project(ProjectScope::All)
        .kinds([EventKind::TaskCreated])
        .limit(4);
    let records: Vec<_> = memory.events(first).unwrap().collect();
    assert_eq!(records.len(), 4);
    for record in records {
        memory
            .forget(&Selector::new().id(record.unwrap().id))
            .unwrap();
    }
    check_tasks(&memory);
    memory.close().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    check_tasks(&memory);
    memory.rebuild("2026-01-01".parse().unwrap()).unwrap();
    check_tasks(&memory);
    let report = memory.check().unwrap();
    assert!(report.ok, "{report:?}");
}

#[test]
fn no_list_is_longer_than_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let mut said = Vec::new();
    for number in 0..6 {
        said.push(say(&memory, "talk", &format!("Message {number}")));
    }
    let page = |offset, limit| {
        let page = memory
            .knowledge()
            .session_messages("talk", offset, limit)
            .unwrap();
        let index = |message: &recallite::SessionMessage| message.index;
        page.iter().map(index).collect::<Vec<usize>>()
    };
    assert_eq!(page(None, None), [0, 1, 2, 3, 4, 5]);
    assert_eq!(page(Some(2), Some(3)), [2, 3, 4]);
    assert_eq!(page(Some(5), Some(usize::MAX)), [5]);
    assert_eq!(page(Some(6), None), [0; 0]);
    let knowledge = memory.knowledge();
    for id in &said {
        knowledge.mark_unknown_context(*id).unwrap();
    }
    assert_eq!(knowledge.placeholders(None).unwrap().len(), 6);
    assert_eq!(knowledge.placeholders(Some(4)).unwrap().len(), 4);
    assert_eq!(knowledge.placeholders(Some(0)).unwrap(), []);
    for name in ["one", "two", "three"] {
        memory.pauses().pause(ScopeKind::Session, name).unwrap();
    }
    assert_eq!(memory.pauses().list(None).unwrap().len(), 3);
    assert_eq!(memory.pauses().list(Some(2)).unwrap().len(), 2);
}

/// How long a list with this limit is.
type Counted<'a> = &'a dyn Fn(Option<usize>) -> usize;

#[test]
fn a_list_without_a_limit_has_a_thousand() {
    const PARTS: usize = 7;
    const OF_PART: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let said = say(&memory, "talk", "The lantern of the harbour is dark.");
    let quotes = json!([{"message_index": 0, "quote": "lantern of the harbour"}]);
    for part in 0..PARTS {
        let id = |number: usize| format!("e{number}");
        let entries = (0..OF_PART).map(|number| {
            let title = format!("Lantern {part} {number}");
            json!({"id": id(number), "type": "fact", "title": title, "content": title,
                   "quotes": quotes})
        });
        let tasks = (0..OF_PART).map(|number| {
            json!({"id": format!("t{number}"), "title": format!("Mend {part} {number}"),
                   "quotes": quotes})
        });
        let relations = (1..OF_PART)
            .map(|number| json!({"from": id(0), "relation": "contradicts", "to": id(number)}));
        let answer = json!({
            "schema_version": 1,
            "entries": entries.collect::<Vec<_>>(),
            "tasks": tasks.collect::<Vec<_>>(),
            "relations": relations.collect::<Vec<_>>(),
        });
        memory.ingest("talk", &answer.to_string()).unwrap();
    }
    let begun = (0..PARTS * OF_PART).map(|number| {
        let session = format!("s{number}");
        NewEvent::new(EventKind::UserPrompt, session, "Good morning.")
    });
    memory.append_batch(begun.collect()).unwrap();

    let all = PARTS * OF_PART;
    let (knowledge, tasks) = (memory.knowledge(), memory.tasks());
    let lists: [(&str, usize, Counted<'_>); 5] = [
        ("entries", all, &|limit| {
            let mut filter = EntryFilter::default();
            filter.limit = limit;
            knowledge.entries(&filter).unwrap().len()
        }),
        ("tasks", all, &|limit| {
            let mut filter = TaskFilter::default();
            filter.limit = limit;
            tasks.list(&filter).unwrap().len()
        }),
        // To each entry and task.
        ("edges", 2 * all, &|limit| {
            let mut filter = EdgeFilter::default().from(said.to_string());
            filter.relation = Some(Relation::SourceOf);
            filter.limit = limit;
            knowledge.edges(&filter).unwrap().len()
        }),
        ("conflicts", all - PARTS, &|limit| {
            knowledge.conflicts(limit).unwrap().len()
        }),
        ("sessions", all + 1, &|limit| {
            memory.sessions(&ProjectScope::All, limit).unwrap().len()
        }),
    ];
    for (name, count, list) in lists {
        assert_eq!(list(Some(usize::MAX)), count, "{name}");
        assert_eq!(list(None), 1_000, "{name}");
    }
}

#[test]
fn consolidated_memories_and_levels_are_what_one_after_another_says() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let endless = memory.endless();
    // Giving an event is using it, which raises its level.
    let mut config = endless.config().unwrap();
    config.injection.max_events = 0;
    endless.set_config(&config).unwrap();
    endless.set_mode(MemoryMode::Endless).unwrap();
    for round in 0..4 {
        for number in 0..12 {
            let topic = ["harbour", "lantern", "gateway", "compass"][round];
            say(
                &memory,
                &format!("{topic} {number}"),
                &format!("The {topic} needs paint {number}"),
            );
        }
        endless.consolidate().unwrap();
    }
    let all = endless.memories(None, None).unwrap();
    assert!(all.len() > 3, "{}", all.len());
    assert!(all.is_sorted_by_key(|made| std::cmp::Reverse(made.created_at)));
    assert_eq!(endless.memories(None, Some(2)).unwrap(), all[..2]);
    let mut surest = all.clone();
    surest.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let given = endless.context(None).unwrap().consolidated;
    let ids = |of: &[recallite::rules::endless::ConsolidatedMemory]| {
        of.iter()
            .map(|made| made.memory_id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&given), ids(&surest[..given.len()]));
    assert_eq!(given.len(), 3);
    let rise = |memory: &Memory| {
        let counts = memory.levels().counts().unwrap();
        counts.l1 + counts.l2 + counts.l3 + counts.l4
    };
    assert_eq!(rise(&memory), 0);
    let first = memory
        .events(EventFilter::new().project(ProjectScope::All).limit(5))
        .unwrap();
    let raised: Vec<_> = first.map(|event| event.unwrap().id).collect();
    for id in &raised {
        for session in ["a", "b", "c"] {
            let levels = memory.levels();
            levels.record_access(&[(*id).into()], session, 0.9).unwrap();
        }
    }
    memory.levels().graduate(100).unwrap();
    assert_eq!(rise(&memory), 5);
    memory.forget(&Selector::new().id(raised[0])).unwrap();
    assert_eq!(rise(&memory), 4);
    memory.erase(&Selector::new().id(raised[1])).unwrap();
    assert_eq!(rise(&memory), 3);
    memory.rebuild("2026-01-01".parse().unwrap()).unwrap();
    assert_eq!(rise(&memory), 3);
    let report = memory.check().unwrap();
    assert!(report.ok, "{report:?}");
}

#[test]
fn failed_calls_are_found_until_they_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let mut ids = Vec::new();
    for number in 0..9 {
        let tool = ToolUse::new(["Bash", "Read"][number % 2].to_owned())
            .output(format!("harbour output {number}"))
            .success(number % 4 != 0);
        ids.push(memory.append(NewEvent::tool("s", tool)).unwrap().id);
    }
    let failed = || EventFilter::new().tool_outcome(ToolOutcome::Failed);
    let listed = |filter: EventFilter| -> Vec<recallite::EventId> {
        memory
            .events(filter)
            .unwrap()
            .map(|event| event.unwrap().id)
            .collect()
    };
    assert_eq!(listed(failed()), [ids[0], ids[4], ids[8]]);
    assert_eq!(listed(failed().offset(1).limit(1)), [ids[4]]);
    assert_eq!(listed(failed().tools(["Read"])), []);
    assert_eq!(memory.count_events(&failed()).unwrap(), 3);
    let worked = EventFilter::new().tool_outcome(ToolOutcome::Succeeded);
    assert_eq!(memory.count_events(&worked).unwrap(), 6);
    let query = Query::new("harbour output").tool_outcome(ToolOutcome::Failed);
    assert_eq!(memory.search(query).unwrap().items.len(), 3);
    memory.forget(&Selector::new().id(ids[4])).unwrap();
    assert_eq!(listed(failed()), [ids[0], ids[8]]);
    memory.rebuild("2026-01-01".parse().unwrap()).unwrap();
    assert_eq!(listed(failed()), [ids[0], ids[8]]);
    assert!(memory.check().unwrap().ok);
}
