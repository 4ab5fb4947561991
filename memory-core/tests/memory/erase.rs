//! Compacting and erasing, verified in every byte of the folder.

use std::path::Path;

use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::EntryType;
use recallite::rules::tasks::TaskStatus;
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, Dedupe, EntryFilter, ErrorCode, EventFilter, EventKind, EventRef,
    IngestOptions, Json, MaintainBudget, Memory, NewEntry, NewEvent, NewTask, Recording, Selector,
    Seq, SessionUpdate, TaskFilter, ToolUse,
};
use serde_json::json;

fn prompt(session: &str, content: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, content)
}

/// The files of the folder that contain these bytes, ignoring case.
fn holders(folder: &Path, needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(place) = folders.pop() {
        for entry in std::fs::read_dir(place).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap().to_ascii_lowercase();
            let needle = needle.as_bytes().to_ascii_lowercase();
            if bytes.windows(needle.len()).any(|part| part == needle) {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

const PARTS: [&str; 9] = [
    "quetzalcoatl",
    "zyzzyva",
    "밤하늘의",
    "hush-session",
    "hush-project",
    "/etc/xylophone",
    "hushtool",
    "hushspeaker",
    "wombatology",
];

fn hush(memory: &Memory) {
    memory
        .append(
            prompt("hush-session", "Quetzalcoatl met the zyzzyva 밤하늘의 별")
                .project("hush-project")
                .actor("HushSpeaker"),
        )
        .unwrap();
    memory
        .append(
            NewEvent::tool(
                "hush-session",
                ToolUse::new("HushTool")
                    .input(Json::parse("input", r#"{"file_path": "/etc/xylophone.conf"}"#).unwrap())
                    .output("quetzalcoatl is here"),
            )
            .project("hush-project"),
        )
        .unwrap();
    memory
        .update_session(
            "hush-session",
            SessionUpdate::default().summary("all about wombatology"),
        )
        .unwrap();
}

#[test]
fn after_an_erasure_no_byte_of_the_text_is_in_any_file() {
    for (before, after) in [(0, 0), (10, 600), (600, 10), (300, 300)] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let fill = |from: u32, count: u32| {
            let events = (from..from + count)
                .map(|number| prompt("open", &format!("ordinary event {number}")))
                .collect();
            memory.append_batch(events).unwrap();
        };
        fill(0, before);
        hush(&memory);
        fill(before, after);
        for part in PARTS {
            // The speaker's name is indexed in lower case, the others verbatim.
            assert_ne!(holders(folder.path(), part), [""; 0], "{part} is stored");
        }
        let report = memory
            .erase(
                &Selector::new()
                    .session("hush-session")
                    .project(ProjectScope::All),
            )
            .unwrap();
        assert_eq!(report.count, 3);
        assert!(report.was_overwritten);
        assert!(report.places.len() > 5);
        for part in PARTS {
            assert_eq!(holders(folder.path(), part), [""; 0], "{part} is left");
        }
        let checked = memory.check().unwrap();
        assert!(checked.ok, "{:?}", checked.first_divergence);
        let rebuilt = memory.rebuild(checked.as_of).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
        let stats = memory.stats().unwrap();
        assert_eq!(
            (stats.erased, stats.prompts),
            (3, u64::from(before + after))
        );
        if before > 0 {
            let found = memory.search("ordinary event 3").unwrap();
            assert!(!found.items.is_empty());
        }
        drop(memory);
        let memory = Memory::open(folder.path()).unwrap();
        assert!(memory.check().unwrap().ok);
        for part in PARTS {
            assert_eq!(holders(folder.path(), part), [""; 0], "{part} came back");
        }
        memory.append(prompt("open", "life goes on")).unwrap();
        assert!(memory.check().unwrap().ok);
    }
}

#[test]
fn what_was_forgotten_can_be_erased_and_nothing_else_goes() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let kept = memory.append(prompt("s", "kept words")).unwrap();
    let gone = memory.append(prompt("s", "zyzzyva words")).unwrap();
    memory.forget(&Selector::new().id(gone.id)).unwrap();
    assert_ne!(
        holders(folder.path(), "zyzzyva"),
        [""; 0],
        "forget keeps the record"
    );
    memory.compact().unwrap();
    assert_ne!(
        holders(folder.path(), "zyzzyva"),
        [""; 0],
        "so does compact"
    );
    let report = memory.erase(&Selector::new().id(gone.id)).unwrap();
    assert_eq!((report.count, report.dependents), (1, 0));
    assert_eq!(holders(folder.path(), "zyzzyva"), [""; 0]);
    let stats = memory.stats().unwrap();
    assert_eq!((stats.forgotten, stats.erased, stats.prompts), (0, 1, 1));
    assert_eq!(
        memory.event(kept.id).unwrap().unwrap().content,
        "kept words"
    );
    assert!(memory.event(gone.id).unwrap().is_none());
    assert!(memory.check().unwrap().ok);
    let nothing = memory.erase(&Selector::new().id(gone.id)).unwrap();
    assert_eq!((nothing.count, nothing.tombstone), (0, None));
    let refused = memory.erase(&Selector::new()).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
    let again = memory.append(prompt("s", "zyzzyva words")).unwrap();
    assert!(!again.duplicate && again.warnings.is_empty());
}

#[test]
fn compacting_gives_space_back_and_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    for part in 0..20 {
        let events = (0..200)
            .map(|number| {
                prompt(
                    "s",
                    &format!(
                        "part {part} event {number}: {}",
                        "the payment service timed out again ".repeat(40)
                    ),
                )
            })
            .collect();
        memory.append_batch(events).unwrap();
    }
    let hash = memory
        .upkeep()
        .state_hash(memory.check().unwrap().as_of)
        .unwrap();
    let done = memory.compact().unwrap();
    assert_eq!(done.generation, 2);
    assert!(done.after_bytes < done.before_bytes, "{done:?}");
    let stats = memory.stats().unwrap();
    println!(
        "{} bytes before, {} after, {} of payload",
        done.before_bytes, done.after_bytes, stats.payload_bytes
    );
    assert!(stats.size_bytes * 2 <= stats.payload_bytes * 5, "{stats:?}");
    let checked = memory.check().unwrap();
    assert!(checked.ok, "{:?}", checked.first_divergence);
    assert_eq!(checked.state_hash, hash);
    assert!(!folder.path().join("memory.1.redb").exists());
    memory.append(prompt("s", "one more")).unwrap();
    drop(memory);
    let memory = Memory::open(folder.path()).unwrap();
    assert_eq!(memory.stats().unwrap().events, 4001);
    assert_eq!(memory.compact().unwrap().generation, 3);
}

#[test]
fn a_compaction_does_not_say_that_another_pays() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let fill = |part: u32| {
        let events = (0..300).map(|number| prompt("s", &format!("part {part}, event {number}")));
        memory.append_batch(events.collect()).unwrap();
    };
    let pays = || {
        memory
            .maintain(MaintainBudget::default())
            .unwrap()
            .compaction_pays
    };
    fill(1);
    assert!(!pays());
    memory.forget(&Selector::new().session("s")).unwrap();
    assert!(pays());
    memory.compact().unwrap();
    assert!(!pays());
    fill(2);
    assert!(!pays());
    memory.forget(&Selector::new().session("s")).unwrap();
    assert!(pays());
    memory.compact().unwrap();
    assert!(!pays());
}

#[test]
fn a_session_without_messages_outlives_one_of_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let started = "2026-01-05T09:00:00Z".parse().unwrap();
    let facts = SessionUpdate::default().project("shop").started(started);
    memory.update_session("plan", facts).unwrap();
    let summary = SessionUpdate::default().summary("We met quetzalcoatl.");
    memory.update_session("plan", summary).unwrap();
    let last = Seq(memory.stats().unwrap().last_seq);
    let receipt = memory
        .erase(&Selector::new().id(last).project(ProjectScope::All))
        .unwrap();
    assert_eq!((receipt.count, receipt.dependents), (1, 0));
    let session = memory
        .session("plan")
        .unwrap()
        .expect("its first record stays");
    assert_eq!(
        (session.project.as_str(), session.started),
        ("shop", started)
    );
    assert_eq!(holders(folder.path(), "quetzalcoatl"), Vec::<String>::new());
    memory
        .erase(&Selector::new().session("plan").project(ProjectScope::All))
        .unwrap();
    assert!(memory.session("plan").unwrap().is_none());
    assert!(memory.check().unwrap().ok);
}

/// A host may ask for a context in a session in which nothing was said.
#[test]
fn a_session_that_only_received_a_context_can_be_removed_by_its_name() {
    for erases in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let deploy = "The heron service is deployed on Fridays.";
        memory.append(prompt("other", deploy)).unwrap();
        let given = |session: &str| {
            let options = ContextOptions::new("When is heron deployed?")
                .session(session)
                .recording(Recording::Now)
                .reason("zyzzyva");
            let context = memory.context(options).unwrap();
            assert_eq!(context.items.len(), 1);
        };
        given("quetzals");
        given("quetzals");
        given("other");
        let selector = Selector::new().session("quetzals");
        assert_eq!(memory.upkeep().count_erasable(&selector).unwrap(), 2);
        if erases {
            assert_eq!(memory.erase(&selector).unwrap().count, 2);
            assert_eq!(holders(folder.path(), "quetzals"), Vec::<String>::new());
        } else {
            assert_eq!(memory.forget(&selector).unwrap().count, 2);
        }
        let sessions = memory.sessions(&ProjectScope::All, None).unwrap();
        let names: Vec<_> = sessions.iter().map(|session| session.id.as_str()).collect();
        assert_eq!(names, ["other"]);
        assert_eq!(memory.stats().unwrap().injections.injections, 1);
        // Where something was said, what was given to the session is not counted.
        let other = Selector::new().session("other");
        assert_eq!(memory.upkeep().count_erasable(&other).unwrap(), 1);
        assert!(memory.check().unwrap().ok);
    }
}

/// Every erasure rebuilds the index. A concurrent search works on one snapshot of the store, and
/// finds what is live in it.
#[test]
fn searches_beside_many_erasures_miss_nothing_and_are_whole() {
    let erasures = match std::env::var("RECALLITE_TEST_CASES").as_deref() {
        Ok("all") => 150,
        _ => 20,
    };
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let kept: Vec<NewEvent> = (0..300)
        .map(|number| prompt("kept", &format!("the keepsake number {number} stays")))
        .collect();
    memory.append_batch(kept).unwrap();
    let gone: Vec<NewEvent> = (0..erasures)
        .map(|number| prompt("gone", &format!("passing thing {number}")))
        .collect();
    let gone = memory.append_batch(gone).unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        let search = |first: usize| {
            let memory = memory.clone();
            let is_done = &is_done;
            move || {
                let (mut number, mut searches) = (first, 0);
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) || searches < 10 {
                    let wanted = format!("keepsake number {number} stays");
                    let found = memory.search(wanted.as_str()).unwrap();
                    assert!(!found.degraded, "search {searches} was degraded");
                    assert!(
                        found.items.iter().any(|hit| hit.summary.contains(&wanted)),
                        "{wanted} was missed in search {searches}"
                    );
                    number = (number + 37) % 300;
                    searches += 1;
                }
            }
        };
        let readers = [threads.spawn(search(0)), threads.spawn(search(150))];
        for receipt in &gone {
            let erased = memory.erase(&Selector::new().id(receipt.id)).unwrap();
            assert_eq!(erased.count, 1);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
    });
    let after = memory.search("keepsake number 7 stays").unwrap();
    assert!(!after.degraded);
    assert!(memory.check().unwrap().ok);
}

/// Whoever comes second finds its order carried out by the first, and is told that.
#[test]
fn erasures_at_the_same_time_are_each_told_what_they_erased() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let sessions = ["first", "second", "third", "fourth"];
    for session in sessions {
        let said = (0..200).map(|number| prompt(session, &format!("{session} {number}")));
        memory.append_batch(said.collect()).unwrap();
    }
    memory.append(prompt("kept", "stays")).unwrap();
    let all = std::sync::Barrier::new(sessions.len());
    std::thread::scope(|threads| {
        for session in sessions {
            let (all, path) = (&all, folder.path());
            threads.spawn(move || {
                let memory = Memory::open(path).unwrap();
                all.wait();
                let receipt = memory.erase(&Selector::new().session(session)).unwrap();
                assert_eq!(receipt.count, 200, "{receipt:?}");
                assert!(receipt.tombstone.is_some() && receipt.generation > 1);
            });
        }
    });
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(memory.stats().unwrap().erased, 800);
    assert!(memory.check().unwrap().ok);
}

/// Other handles keep parts of the index in memory. Each erasure makes new ones, and no name of a part
/// may come round: a handle would take a part that it holds for the new one, and miss what is live.
#[test]
fn other_handles_miss_nothing_however_often_is_erased() {
    const ERASURES: usize = 120;
    let folder = tempfile::tempdir().unwrap();
    let open = || Memory::open(folder.path()).unwrap();
    let eraser = open();
    let kept: Vec<NewEvent> = (0..24)
        .map(|number| prompt("kept", &format!("the keepsake number {number} stays")))
        .collect();
    eraser.append_batch(kept).unwrap();
    let gone: Vec<NewEvent> = (0..ERASURES)
        .map(|number| prompt("gone", &format!("passing thing {number}")))
        .collect();
    let gone = eraser.append_batch(gone).unwrap();
    // How many erasures pass between two searches of a handle.
    let others = [(1, open()), (7, open()), (40, open()), (100, open())];
    let finds = |memory: &Memory, wanted: &str| {
        let found = memory.search(wanted).unwrap();
        assert!(!found.degraded, "{wanted}");
        found.items.iter().any(|hit| hit.summary.contains(wanted))
    };
    for (number, receipt) in gone.iter().enumerate() {
        for (every, other) in &others {
            if number % every == 0 {
                let wanted = format!("keepsake number {} stays", number % 24);
                assert!(
                    finds(other, &wanted),
                    "{wanted} was missed, {number} erasures"
                );
                // What was said between the erasures, by whichever handle.
                if number > 0 {
                    let wanted = format!("remark {} of the day", number - 1);
                    assert!(finds(other, &wanted), "{wanted} was missed");
                }
                let passed = format!("passing thing {number}");
                assert!(finds(other, &passed), "{passed} was missed");
            }
        }
        let eraser = if number % 2 == 0 {
            &eraser
        } else {
            &others[1].1
        };
        let erased = eraser.erase(&Selector::new().id(receipt.id)).unwrap();
        assert_eq!(erased.count, 1);
        let speaker = &others[number % 4].1;
        let remark = format!("remark {number} of the day");
        speaker.append(prompt("kept", &remark)).unwrap();
    }
    for (_, other) in &others {
        for number in 0..24 {
            assert!(finds(other, &format!("keepsake number {number} stays")));
        }
        for number in 0..ERASURES {
            assert!(finds(other, &format!("remark {number} of the day")));
        }
        let wanted = "passing thing 7";
        let found = other.search(wanted).unwrap();
        assert!(
            found
                .items
                .iter()
                .all(|hit| !hit.summary.contains("passing thing"))
        );
    }
    assert!(eraser.check().unwrap().ok);
}

/// Whoever empties one project takes its tasks along, and no others, wherever they were made.
#[test]
fn a_task_made_by_hand_goes_with_its_own_project() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    let make = |title: &str, project: &str| {
        let task = NewTask::new(title).project(project);
        memory.tasks().create(&task).unwrap().id
    };
    let (kept, gone) = (make("Quetzalcoatl", "blog"), make("Renew zyzzyva", "shop"));
    let begun = TaskStatus::InProgress;
    memory.tasks().change_status(&kept, begun, &[]).unwrap();
    memory.tasks().change_status(&gone, begun, &[]).unwrap();
    memory.erase(&Selector::everything()).unwrap();
    assert_eq!(memory.tasks().get(&gone).unwrap(), None);
    let task = memory
        .tasks()
        .get(&kept)
        .unwrap()
        .expect("another project's");
    assert_eq!(task.task.status(), begun);
    assert_eq!(holders(folder.path(), "zyzzyva"), Vec::<String>::new());
    let blog = Selector::everything().project(ProjectScope::Named("blog".into()));
    memory.erase(&blog).unwrap();
    assert_eq!(memory.tasks().get(&kept).unwrap(), None);
    assert_eq!(holders(folder.path(), "quetzalcoatl"), Vec::<String>::new());
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_task_made_by_hand_outlives_the_erased_task_that_it_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let said = "Renew zyzzyva before the release.";
    let proof = memory.append(prompt("monday", said)).unwrap().id;
    let learned = serde_json::json!({
        "schema_version": 1, "entries": [],
        "tasks": [{"id": "t", "title": "Renew zyzzyva", "status": "in_progress",
            "quotes": [{"message_index": 0, "quote": "Renew zyzzyva before the release"}]}],
    });
    memory.ingest("monday", &learned.to_string()).unwrap();
    let make = |title: &str, blockers: &[&str]| {
        let task = NewTask::new(title).blocked_by(blockers.iter().copied());
        memory.tasks().create(&task).unwrap().id
    };
    let waiting = make("Publish the notes", &["Renew zyzzyva"]);
    let of_both = make("Tell everyone", &["Renew zyzzyva", "the printer works"]);
    memory.erase(&Selector::new().ids([proof])).unwrap();
    assert_eq!(holders(folder.path(), "zyzzyva"), Vec::<String>::new());
    let task = |id| memory.tasks().get(id).unwrap().expect("made by hand").task;
    assert_eq!(task(&waiting).status(), TaskStatus::Pending);
    assert_eq!(task(&of_both).status(), TaskStatus::Blocked);
    assert_eq!(task(&of_both).phase.confirmed().len(), 1);
    assert!(memory.check().unwrap().ok);
    // What was said about the erased task itself goes with it, whoever said it.
    let proof = memory.append(prompt("tuesday", said)).unwrap().id;
    let report = memory.ingest("tuesday", &learned.to_string()).unwrap();
    let to = (&report.tasks[0].task_id, TaskStatus::Blocked);
    let blocker = ["quetzalcoatl agrees".to_owned()];
    memory.tasks().change_status(to.0, to.1, &blocker).unwrap();
    memory.erase(&Selector::new().ids([proof])).unwrap();
    assert_eq!(holders(folder.path(), "quetzalcoatl"), Vec::<String>::new());
}

#[test]
fn everything_takes_what_rests_on_no_conversation() {
    for forgets in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder()
            .project("shop")
            .open(folder.path())
            .unwrap();
        let task = |title: &str| NewTask::new(title);
        memory.append(prompt("s1", "Good morning.")).unwrap();
        let made = memory.tasks().create(&task("Renew zyzzyva")).unwrap();
        let next = memory.tasks().create(&task("Quetzalcoatl")).unwrap();
        let begun = TaskStatus::InProgress;
        memory.tasks().change_status(&made.id, begun, &[]).unwrap();
        for _ in 0..2 {
            let text = "The class AxolotlTank in src/axolotl.rs leaks.";
            memory.endless().score_continuity("axolotl", text).unwrap();
        }
        assert!(
            memory
                .upkeep()
                .count_selected(&Selector::everything())
                .unwrap()
                >= 4
        );
        if forgets {
            memory.forget(&Selector::everything()).unwrap();
            assert_eq!(memory.tasks().get(&next.id).unwrap(), None);
        }
        let receipt = memory.erase(&Selector::everything()).unwrap();
        assert!(receipt.is_complete, "{receipt:?}");
        assert_eq!(memory.tasks().get(&made.id).unwrap(), None);
        for word in ["zyzzyva", "quetzalcoatl", "axolotl"] {
            assert_eq!(holders(folder.path(), word), Vec::<String>::new());
        }
        assert!(memory.endless().continuity_log(None).unwrap().is_empty());
        assert!(memory.check().unwrap().ok);
    }
}

/// An import brings the same events again, with the keys that its agent gave them.
#[test]
fn what_was_erased_stays_erased_when_it_is_imported_again() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let keyed = || {
        prompt("s", "Quetzalcoatl met the zyzzyva")
            .dedupe(Dedupe::Key("u1#0".into()))
            .stays_forgotten(true)
    };
    let by_content = || prompt("s", "yes").stays_forgotten(true);
    let first = memory.append(keyed()).unwrap();
    let short = memory.append(by_content()).unwrap();
    memory.append(prompt("s", "It goes on")).unwrap();
    memory.erase(&Selector::new().id(first.seq)).unwrap();
    memory.erase(&Selector::new().id(short.seq)).unwrap();
    let is_known = |memory: &Memory| {
        let again = memory.append(keyed()).unwrap();
        assert!(memory.check().unwrap().ok);
        assert_eq!(memory.count_events(&EventFilter::new()).unwrap(), 1);
        again.duplicate && again.seq == first.seq
    };
    assert!(is_known(&memory));
    memory.rebuild(memory.check().unwrap().as_of).unwrap();
    assert!(is_known(&memory));
    memory.compact().unwrap();
    assert!(is_known(&memory));
    // Of a later erasure, the record is copied as it is.
    let later = memory.append(prompt("s", "Not this either")).unwrap();
    memory.erase(&Selector::new().id(later.seq)).unwrap();
    assert!(is_known(&memory));
    let mut export = Vec::new();
    memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    assert_eq!(holders(folder.path(), "zyzzyva"), [""; 0]);
    let other = tempfile::tempdir().unwrap();
    let copy = Memory::open(other.path()).unwrap();
    copy.upkeep().restore_jsonl_from(export.as_slice()).unwrap();
    assert!(is_known(&copy));

    // The hash of a content is gone: by it, a short text could be guessed.
    assert!(!memory.append(by_content()).unwrap().duplicate);
    // Whoever says it anew is heard.
    let anew = memory.append(keyed().stays_forgotten(false)).unwrap();
    assert!(!anew.duplicate && !anew.warnings.is_empty(), "{anew:?}");
}

/// Hooks are not told the keys, so what they store is identified by its content.
#[test]
fn what_was_forgotten_without_its_key_stays_forgotten_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let said = memory.append(prompt("s", "yes")).unwrap();
    let imported = |key: &str, session: &str| {
        let event = prompt(session, "yes")
            .dedupe(Dedupe::Key(key.into()))
            .stays_forgotten(true);
        memory.append(event).unwrap().duplicate
    };
    assert!(!imported("u1#0", "s"), "nothing is forgotten");
    memory.forget(&Selector::new().session("s")).unwrap();
    for key in ["u1#0", "u2#0", "u3#0"] {
        assert!(imported(key, "s"), "{key}");
    }
    assert!(!imported("u4#0", "t"), "another session");
    // Said again, it is a new memory, and the next import brings what else was said.
    let again = memory.append(prompt("s", "yes")).unwrap();
    assert!(!again.duplicate && again.seq != said.seq);
}

#[test]
fn everything_takes_the_names_of_projects_that_changed_settings() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .project("zqproject")
        .open(folder.path())
        .unwrap();
    memory
        .append(prompt("s", "Let's use Redis for the cache."))
        .unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let session = memory.endless().session_now("talk").unwrap();
    memory
        .append(prompt(&session, "Let's use Valkey."))
        .unwrap();
    memory.endless().set_mode(MemoryMode::Session).unwrap();
    memory.levels().set_half_life_days(Some(3.0)).unwrap();
    memory
        .tasks()
        .create(&NewTask::new("Water the plants"))
        .unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    memory.erase(&Selector::everything()).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    memory.close().unwrap();
    assert_eq!(holders(folder.path(), "zqproject"), [""; 0]);
}

/// A caller may say to which project what was learned belongs, whatever that of the message is.
#[test]
fn what_was_given_to_a_project_goes_with_it_and_the_message_stays() {
    let bank = || Selector::new().project(ProjectScope::Named("zqbank".to_owned()));
    for forgets in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::builder()
            .project("shop")
            .open(folder.path())
            .unwrap();
        let said = memory
            .append(prompt("s", "The vault opens with marmalade."))
            .unwrap();
        let new = NewEntry::new(EntryType::Fact, "s", "Zyzzyva", "The zyzzyva is quick.");
        let new = new.project("zqbank").event(EventRef::Id(said.id));
        memory.knowledge().add_entry(&new).unwrap();
        let quote = json!([{"message_index": 0, "quote": "The vault opens"}]);
        let learned = json!({
            "schema_version": 1,
            "entries": [
                {"id": "e", "type": "fact", "title": "Quetzal", "content": "A quetzal.", "quotes": quote},
                {"id": "u", "type": "fact", "title": "Quail", "content": "No quail said so.", "quotes": []},
            ],
            "tasks": [{"id": "t", "title": "Feed the quoll", "quotes": quote}],
        });
        let options = IngestOptions::default().project("zqbank");
        memory
            .ingest_with("s", &learned.to_string(), &options)
            .unwrap();
        let by_hand = NewTask::new("Wash the wombat").project("zqbank");
        memory.tasks().create(&by_hand).unwrap();
        let update = SessionUpdate::default().summary("All about marmalade.");
        memory.update_session("s", update).unwrap();
        let entries = || {
            let filter = EntryFilter::default().project(ProjectScope::All);
            memory.knowledge().entries(&filter).unwrap().len()
        };
        let tasks = || {
            let filter = TaskFilter::default().project(ProjectScope::All);
            memory.tasks().list(&filter).unwrap().len()
        };
        let count = |selector: &Selector| memory.upkeep().count_selected(selector).unwrap();
        assert_eq!((entries(), tasks()), (3, 2));
        assert_eq!(
            count(&bank().session("s")),
            4,
            "what is learned by hand is of no session"
        );
        assert_eq!(count(&bank().session("other")), 0);
        let begun = memory.event(said.id).unwrap().unwrap().timestamp;
        assert_eq!(count(&bank().before(begun)), 0);
        assert_eq!(count(&bank().kinds([EventKind::UserPrompt])), 0);
        let found = || {
            let filter = EntryFilter::default().project(ProjectScope::All);
            memory.knowledge().search("zyzzyva", &filter).unwrap().len()
        };
        assert!(found() > 0);
        if forgets {
            let forgotten = memory.forget(&bank()).unwrap();
            assert!(forgotten.count >= 5, "{forgotten:?}");
            assert_eq!((entries(), tasks()), (0, 0));
            assert_eq!(found(), 0);
            assert!(memory.check().unwrap().ok);
            assert_eq!(count(&bank()), 0);
        }
        let receipt = memory.erase(&bank()).unwrap();
        assert!(receipt.is_complete, "{receipt:?}");
        assert_eq!((entries(), tasks()), (0, 0));
        for word in ["zyzzyva", "quetzal", "quail", "quoll", "wombat"] {
            assert_eq!(holders(folder.path(), word), Vec::<String>::new(), "{word}");
        }
        let session = memory.session("s").unwrap().expect("it is of the shop");
        assert_eq!(session.summary.as_deref(), Some("All about marmalade."));
        assert!(memory.event(said.id).unwrap().is_some());
        assert!(memory.check().unwrap().ok);
        let (before, upkeep) = (memory.check().unwrap(), memory.upkeep());
        memory.rebuild(before.as_of).unwrap();
        assert_eq!(upkeep.state_hash(before.as_of).unwrap(), before.state_hash);
    }
}
