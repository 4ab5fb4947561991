//! Tests of which projects a record is about.

use super::*;
use crate::rules::endless::MemoryMode;
use crate::rules::entries::EntryId;
use crate::rules::tasks::events::ResolutionType;
use crate::rules::tasks::{EntityId, EntityKind, EntityRef};

#[test]
fn what_was_learned_of_a_project_is_about_it_whoever_recorded_it() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let said = laptop.append(prompt("s", "the vault opens at noon").project("bank"));
    let said = said.unwrap();
    let shop = Memory::builder()
        .project("shop")
        .open(laptop.path())
        .unwrap();
    shop.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        let text = format!("vault {number} with the roses in the garden, src/roses.rs");
        shop.append(prompt("s", &text).project("bank")).unwrap();
    }
    let fact = |session: &str, title: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, title, title);
        shop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (secret, open) = (fact("s", "the vault is green"), fact("t", "apples are red"));
    let ends = EdgeEnds {
        source_type: NodeType::Entry,
        source_id: open.as_str().to_owned(),
        relation: Relation::DerivedFrom,
        destination_type: NodeType::Entry,
        destination_id: secret.as_str().to_owned(),
    };
    shop.knowledge().add_edge(&ends, None).unwrap();
    shop.endless().consolidate().unwrap();
    let end = SessionUpdate {
        summary: Some("the vault".to_owned()),
        ..SessionUpdate::default()
    };
    shop.update_session("s", end).unwrap();
    let sharing = laptop.sharing();
    assert_eq!(sharing.projects_of(said.id).unwrap(), ["bank"]);
    let recorded = laptop.changes_since(crate::Seq(0), 1_000).unwrap();
    let mut seen = BTreeSet::new();
    for event in recorded.iter().filter(|event| is_shared(event.kind)) {
        let projects = sharing.projects_of(event.seq).unwrap();
        let is_about_shop = event.session == "t";
        assert_eq!(
            projects.contains(&"bank".to_owned()),
            !is_about_shop,
            "{} {projects:?}",
            event.kind
        );
        assert!(projects.is_sorted());
        seen.insert(event.kind.as_str());
    }
    for kind in [
        "consolidated",
        "edge_changed",
        "entry_changed",
        "session_changed",
    ] {
        assert!(seen.contains(kind), "{kind}");
    }
    // A session that is moved takes what was learned of it along.
    let moved = SessionUpdate {
        project: Some("safe".to_owned()),
        ..SessionUpdate::default()
    };
    shop.update_session("t", moved).unwrap();
    let learned = recorded.iter().find(|event| event.session == "t").unwrap();
    let projects = sharing.projects_of(learned.seq).unwrap();
    assert!(projects.contains(&"safe".to_owned()), "{projects:?}");
    // What belongs nowhere, and an order.
    let nowhere = laptop.append(prompt("u", "hello")).unwrap();
    assert_eq!(sharing.projects_of(nowhere.id).unwrap(), [""]);
    laptop.forget(&Selector::new().id(said.id)).unwrap();
    let last = laptop.stats().unwrap().last_seq;
    assert_eq!(sharing.projects_of(crate::Seq(last)).unwrap(), [""; 0]);
    let missing = sharing.projects_of(crate::Seq(last + 1)).unwrap_err();
    assert_eq!(missing.code(), ErrorCode::NotFound);
}

/// A conversation of the shop in which something was said about the bank: the entry and the tasks
/// made of that are about the bank as well.
fn talk_of_two_projects(laptop: &Memory, of_bank: &str) {
    laptop
        .append(prompt("t", "apples are red").project("shop"))
        .unwrap();
    let said = prompt("t", "the zqvault is green").project(of_bank);
    let said = laptop.append(said).unwrap();
    let entry = NewEntry {
        event: Some(said.id.into()),
        project: Some("shop".to_owned()),
        ..NewEntry::new(EntryType::Fact, "t", "zqvault", "the zqvault is green")
    };
    let entry = laptop.knowledge().add_entry(&entry).unwrap();
    laptop.knowledge().deprecate(&entry.entry.id).unwrap();
    let extraction = serde_json::json!({"schema_version": 1, "entries": [], "tasks": [{
        "id": "t1", "title": "paint the zqvault", "status": "blocked", "blocked_by": ["zqladder"],
        "quotes": [{"message_index": 1, "quote": "the zqvault is green"}],
    }]});
    laptop.ingest("t", &extraction.to_string()).unwrap();
    let tasks = laptop.tasks().list(&TaskFilter {
        project: ProjectScope::All,
        ..TaskFilter::default()
    });
    let task = tasks.unwrap().remove(0);
    laptop
        .tasks()
        .rename(&task.id, "paint the zqvault blue")
        .unwrap();
}

#[test]
fn what_was_learned_of_a_withheld_event_stays_back_though_its_session_is_of_another_project() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let bank = ScopeKind::Project;
    laptop.sharing().withhold(bank, "bank").unwrap();
    talk_of_two_projects(laptop, "bank");
    let sent = || laptop.sharing().batch_since(0, 1_000).unwrap().lines;
    for word in ["zqvault", "zqladder"] {
        assert!(!sent().contains(word), "{word}: {}", sent());
    }
    assert!(sent().contains("apples"));
    laptop.sharing().offer(bank, "bank").unwrap();
    assert!(sent().contains("zqvault") && sent().contains("zqladder"));
}

#[test]
fn what_was_learned_of_an_event_without_a_project_is_about_no_project_as_well() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    talk_of_two_projects(laptop, "");
    let mut seen = 0;
    for event in laptop.changes_since(crate::Seq(0), 1_000).unwrap() {
        let projects = laptop.sharing().projects_of(event.seq).unwrap();
        if is_shared(event.kind) && event.content.contains("zqvault") {
            seen += 1;
            assert!(projects.contains(&String::new()), "{event:?} {projects:?}");
        }
    }
    assert!(seen > 3, "{seen}");
    // The default of whoever recorded something says nothing about what it is about.
    let ended = SessionUpdate {
        summary: Some("of apples".to_owned()),
        ..SessionUpdate::default()
    };
    laptop.append(prompt("u", "plums").project("shop")).unwrap();
    laptop.update_session("u", ended).unwrap();
    let last = laptop.stats().unwrap().last_seq;
    assert_eq!(
        laptop.sharing().projects_of(crate::Seq(last)).unwrap(),
        ["shop"]
    );
}

#[test]
fn what_was_declared_is_about_its_projects_although_an_act_on_it_arrived_first() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    talk_of_two_projects(laptop, "bank");
    send(laptop, desktop).unwrap();
    let tasks = desktop.tasks();
    let blocked = tasks.blocked(&ProjectScope::All, None).unwrap();
    let ladder = EntityId::new(blocked[0].blockers[0].effective_id.as_str());
    let buy = NewTask {
        title: "buy a ladder".to_owned(),
        ..NewTask::default()
    };
    let buy = EntityRef::from((EntityKind::Task, tasks.create(&buy).unwrap().id));
    tasks
        .resolve_condition(&ladder, &buy, ResolutionType::UserConfirmed, 1.0)
        .unwrap();
    let last = desktop.stats().unwrap().last_seq;
    let resolved = desktop.event(crate::Seq(last)).unwrap().unwrap();
    assert_eq!(resolved.kind, EventKind::ConditionResolvedTo);
    let projects = |store: &Store| store.sharing().projects_of(resolved.id).unwrap();
    send(desktop, phone).unwrap();
    send(laptop, phone).unwrap();
    assert!(projects(desktop).contains(&"bank".to_owned()));
    assert_eq!(projects(phone), projects(desktop));
}

#[test]
fn a_first_message_that_moves_a_session_to_its_project_changes_the_retraction_mark() {
    let stores = stores(1, MemberRole::Owner);
    let shop = Memory::builder()
        .project("shop")
        .open(stores[0].path())
        .unwrap();
    let ended = SessionUpdate {
        summary: Some("of the vault".to_owned()),
        ..SessionUpdate::default()
    };
    shop.update_session("s", ended).unwrap();
    let recorded = crate::Seq(shop.stats().unwrap().last_seq);
    let mark = || shop.sharing().retraction_mark().unwrap();
    let before = mark();
    shop.append(prompt("s", "the vault opens at noon").project("bank"))
        .unwrap();
    let projects = shop.sharing().projects_of(recorded).unwrap();
    assert_eq!(projects, ["bank", "shop"]);
    let after = mark();
    assert_ne!(after, before);
    shop.append(prompt("s", "and closes at one").project("bank"))
        .unwrap();
    shop.append(prompt("u", "hello").project("bank")).unwrap();
    assert_eq!(mark(), after);
}

#[test]
fn a_task_of_no_project_is_about_no_project_and_not_about_one_named_default() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let named = Memory::builder().project("default").open(laptop.path());
    let named = named.unwrap();
    let create = |memory: &Memory, title: &str| {
        let task = NewTask {
            title: title.to_owned(),
            ..NewTask::default()
        };
        memory.tasks().create(&task).unwrap().id
    };
    for (memory, title, project) in [
        (&laptop.memory, "water the plants", ""),
        (&named, "paint the door", "default"),
    ] {
        let task = create(memory, title);
        laptop
            .tasks()
            .change_status(&task, TaskStatus::InProgress, &[])
            .unwrap();
        let acts = laptop.tasks().get(&task).unwrap().unwrap().history;
        assert_eq!(acts.len(), 2);
        for act in acts {
            let projects = laptop.sharing().projects_of(act.id).unwrap();
            assert_eq!(projects, [project], "{title}: {}", act.kind);
        }
    }
    // Who withholds what belongs to no project withholds the task, and nothing of `default`.
    laptop.sharing().withhold(ScopeKind::Project, "").unwrap();
    let batch = laptop.sharing().batch_since(0, 100).unwrap();
    assert!(!batch.lines.contains("water the plants"), "{}", batch.lines);
    assert!(batch.lines.contains("paint the door"), "{}", batch.lines);
}

/// Where an entry or an event may come from: an edge from it to an entry.
fn source_of(source: (NodeType, String), entry: &EntryId) -> EdgeEnds {
    EdgeEnds {
        source_type: source.0,
        source_id: source.1,
        relation: Relation::SourceOf,
        destination_type: NodeType::Entry,
        destination_id: entry.as_str().to_owned(),
    }
}

/// An entry of the shop, and an event of each of these projects.
fn entry_and_events<const N: usize>(
    memory: &Memory,
    projects: [&str; N],
) -> (EntryId, [String; N]) {
    let text = format!("the gate {} is green", projects.join(" "));
    let entry = NewEntry {
        project: Some("shop".to_owned()),
        ..NewEntry::new(EntryType::Fact, "s", &text, &text)
    };
    let entry = memory.knowledge().add_entry(&entry).unwrap().entry.id;
    let events = projects.map(|project| {
        let said = prompt(project, "of the gate").project(project);
        memory.append(said).unwrap().id.to_string()
    });
    (entry, events)
}

#[test]
fn an_edge_from_another_project_changes_the_retraction_mark_and_one_from_the_same_does_not() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let (entry, [of_shop, of_bank, too]) = entry_and_events(laptop, ["shop", "bank", "bank"]);
    let mark = || laptop.sharing().retraction_mark().unwrap();
    let gains = |event: &String| {
        let ends = source_of((NodeType::Event, event.clone()), &entry);
        let before = mark();
        laptop.knowledge().add_edge(&ends, None).unwrap();
        mark() != before
    };
    assert!(!gains(&of_shop));
    assert!(gains(&of_bank));
    assert!(!gains(&too), "it is of the bank already");
}

#[test]
fn what_comes_to_be_about_a_withheld_project_or_session_leaves_the_files() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let sharing = laptop.sharing();
    sharing.withhold(ScopeKind::Project, "bank").unwrap();
    sharing.withhold(ScopeKind::Session, "shop").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = || {
        let all = folder.path().join("recallite-share");
        let of_store = std::fs::read_dir(all).unwrap().next().unwrap().unwrap();
        let mut text = String::new();
        for file in std::fs::read_dir(of_store.path()).unwrap() {
            text += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        }
        text
    };
    for project in ["bank", "shop"] {
        let (entry, [event]) = entry_and_events(laptop, [project]);
        sharing.push_folder(folder.path()).unwrap();
        assert!(files().contains("entry_changed"));
        let ends = source_of((NodeType::Event, event), &entry);
        laptop.knowledge().add_edge(&ends, None).unwrap();
        sharing.push_folder(folder.path()).unwrap();
        assert!(!files().contains("entry_changed"), "{project}");
    }
}

#[test]
fn what_others_say_a_record_was_made_of_changes_the_retraction_mark_in_any_order() {
    let stores = stores(3, MemberRole::Owner);
    let [laptop, desktop, phone] = &stores[..] else {
        unreachable!()
    };
    let (entry, []) = entry_and_events(laptop, []);
    send(laptop, desktop).unwrap();
    let (_, [event]) = entry_and_events(phone, ["bank"]);
    send(phone, desktop).unwrap();
    let ends = source_of((NodeType::Event, event), &entry);
    desktop.knowledge().add_edge(&ends, None).unwrap();
    let mark = || laptop.sharing().retraction_mark().unwrap();
    let before = mark();
    // The edge comes before the event from which it leads.
    send(desktop, laptop).unwrap();
    assert_eq!(mark(), before, "nobody here knows of the bank");
    send(phone, laptop).unwrap();
    let recorded = laptop.changes_since(crate::Seq(0), 10).unwrap();
    let mut learned = recorded.iter();
    let learned = learned.find(|event| event.kind == EventKind::EntryChanged);
    let learned = learned.unwrap();
    let projects = laptop.sharing().projects_of(learned.seq).unwrap();
    assert_eq!(projects, ["bank", "shop"]);
    assert_ne!(mark(), before);
}

#[test]
fn a_task_that_comes_from_another_project_as_well_changes_the_retraction_mark() {
    let stores = stores(2, MemberRole::Owner);
    let [laptop, desktop] = &stores[..] else {
        unreachable!()
    };
    talk_of_two_projects(laptop, "bank");
    send(laptop, desktop).unwrap();
    let tasks = desktop.tasks();
    let blocked = tasks.blocked(&ProjectScope::All, None).unwrap();
    let task = blocked[0].task.id.clone();
    let mark = || laptop.sharing().retraction_mark().unwrap();
    let before = mark();
    // Of the same projects.
    tasks.rename(&task, "paint the zqvault red").unwrap();
    send(desktop, laptop).unwrap();
    assert_eq!(mark(), before);
    let (_, [event]) = entry_and_events(desktop, ["safe"]);
    let ends = EdgeEnds {
        destination_type: NodeType::Entity,
        ..source_of((NodeType::Event, event), &EntryId::new(task.as_str()))
    };
    desktop.knowledge().add_edge(&ends, None).unwrap();
    send(desktop, laptop).unwrap();
    assert_ne!(mark(), before);
}
