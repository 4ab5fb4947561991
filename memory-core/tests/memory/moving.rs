//! Export, restore, import and backup.

use std::io::Cursor;

use recallite::privacy::{Marker, PrivacyConfig};
use recallite::scope::ProjectScope;
use recallite::{
    Dedupe, ErrorCode, EventFilter, EventKind, ExportOptions, Json, Memory, NewEvent, NewTask,
    Selector, Seq, SessionUpdate, ToolUse,
};
use serde_json::json;

fn open() -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("memory")).unwrap();
    (folder, memory)
}

fn prompt(session: &str, content: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, content)
}

/// Fills a store with a bit of everything, including forgotten and erased events.
fn fill(memory: &Memory) {
    for number in 0..300u32 {
        memory
            .append(
                prompt(
                    &format!("세션-{}", number % 3),
                    &format!("event {number} 🎉 \u{202e}مرحبا\" \\ \n tab\t"),
                )
                .project(if number % 2 == 0 { "shop" } else { "" })
                .metadata(Json::parse("m", r#"{"x":[1,2.5,1e300,null],"a":"é"}"#).unwrap()),
            )
            .unwrap();
    }
    memory
        .append(NewEvent::tool(
            "세션-1",
            ToolUse::new("Read")
                .input(Json::parse("input", r#"{"file_path":"/src/a.rs"}"#).unwrap())
                .output("   1→fn main() {}\n".repeat(30))
                .duration_ms(12),
        ))
        .unwrap();
    let keyed = prompt("세션-1", "yes").dedupe(Dedupe::Key("uuid-1".into()));
    memory.append(keyed).unwrap();
    memory
        .append(prompt("세션-1", "yes").dedupe(Dedupe::None))
        .unwrap();
    memory
        .update_session(
            "세션-1",
            SessionUpdate::default().summary("요약").tags(["t"]),
        )
        .unwrap();
    memory
        .forget(&Selector::new().ids((5..9).map(Seq)))
        .unwrap();
    memory
        .erase(&Selector::new().ids((20..23).map(Seq)))
        .unwrap();
}

fn export(memory: &Memory) -> Vec<u8> {
    let mut out = Vec::new();
    let exported = memory.upkeep().export_jsonl_to(&mut out, None).unwrap();
    assert_eq!(exported.bytes, out.len() as u64);
    out
}

#[test]
fn a_restored_store_is_the_exported_one_byte_for_byte() {
    let (_one, memory) = open();
    fill(&memory);
    let lines = export(&memory);
    let (_two, copy) = open();
    let events = copy
        .upkeep()
        .restore_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!(events, memory.stats().unwrap().last_seq);
    let (mine, theirs) = (memory.check().unwrap(), copy.check().unwrap());
    assert!(theirs.ok, "{:?}", theirs.first_divergence);
    assert_eq!(mine.state_hash, theirs.state_hash);
    let all = |memory: &Memory| memory.changes_since(Seq(0), usize::MAX).unwrap();
    assert_eq!(all(&memory), all(&copy));
    let stats = copy.stats().unwrap();
    // The summary of the three events' session is erased with them.
    assert_eq!((stats.forgotten, stats.erased), (4, 4));
    // The secret was copied, so stored events are recognised as duplicates.
    assert!(
        copy.append(prompt("세션-1", "yes").dedupe(Dedupe::Key("uuid-1".into())))
            .unwrap()
            .duplicate
    );
    // Except for the date, the copy's export is the same file.
    let body = |bytes: &[u8]| {
        bytes
            .split(|b| *b == b'\n')
            .skip(1)
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let (_three, third) = open();
    third
        .upkeep()
        .restore_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!(body(&export(&third)), body(&lines));

    let occupied = copy
        .upkeep()
        .restore_jsonl_from(Cursor::new(&lines))
        .unwrap_err();
    assert_eq!(occupied.code(), ErrorCode::AlreadyExists);
}

#[test]
fn an_export_that_is_cut_or_changed_restores_and_imports_nothing() {
    let (_one, memory) = open();
    for number in 0..20 {
        memory
            .append(prompt("s", &format!("event {number}")))
            .unwrap();
    }
    let lines = export(&memory);
    let text = String::from_utf8(lines.clone()).unwrap();
    let (_two, copy) = open();
    let (_three, target) = open();
    target.append(prompt("mine", "mine")).unwrap();
    let mut broken: Vec<Vec<u8>> = (0..lines.len() - 2)
        .step_by(97)
        .map(|length| lines[..length].to_vec())
        .collect();
    let whole: Vec<&str> = text.lines().collect();
    for missing in [0, 1, 7, whole.len() - 1] {
        let mut some = whole.clone();
        some.remove(missing);
        broken.push(some.join("\n").into_bytes());
    }
    broken.push(b"not an export\n".to_vec());
    // Of two exports in one file, the second is not lost without a word.
    broken.push([&lines[..], &lines[..]].concat());
    broken.push(vec![0xff; 100]);
    for bytes in &broken {
        let error = copy
            .upkeep()
            .restore_jsonl_from(Cursor::new(bytes))
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
        assert_eq!(error.argument(), Some("reader"));
        assert!(
            !error.message().contains("event 1"),
            "no content in messages"
        );
        assert_eq!(copy.stats().unwrap().last_seq, 0);
        let error = target
            .upkeep()
            .import_jsonl_from(Cursor::new(bytes))
            .unwrap_err();
        let told = (error.code(), error.argument());
        assert_eq!(told, (ErrorCode::InvalidArgument, Some("reader")));
        assert_eq!(target.stats().unwrap().last_seq, 1);
    }
    // The hash chain detects a changed word.
    let changed = text.replace("event 7\"", "event 8\"");
    let error = copy
        .upkeep()
        .restore_jsonl_from(Cursor::new(changed))
        .unwrap_err();
    let told = (error.code(), error.argument());
    assert_eq!(told, (ErrorCode::InvalidArgument, Some("reader")));
    assert!(error.message().contains("checksum"), "{error}");
    for (version, code) in [(4, ErrorCode::NewerFormat), (2, ErrorCode::Unsupported)] {
        let other = text.replace("{\"recallite\":3", &format!("{{\"recallite\":{version}"));
        for refused in [
            copy.upkeep()
                .restore_jsonl_from(Cursor::new(&other))
                .map(drop),
            copy.upkeep()
                .import_jsonl_from(Cursor::new(&other))
                .map(drop),
        ] {
            assert_eq!(refused.unwrap_err().code(), code);
        }
    }
    // The store is still empty and usable.
    let blank = [&lines[..], b"\n \n"].concat();
    assert_eq!(
        copy.upkeep()
            .restore_jsonl_from(Cursor::new(&blank))
            .unwrap(),
        20
    );
}

#[test]
fn files_are_written_anew_for_their_owner_and_failures_leave_none() {
    let (folder, memory) = open();
    memory.append(prompt("s", "배포는 금요일")).unwrap();
    memory.append(prompt("s", "second")).unwrap();
    let whole = folder.path().join("whole.jsonl");
    assert_eq!(
        memory
            .export_jsonl(&whole, &ExportOptions::new())
            .unwrap()
            .events,
        2
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&whole).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let refused = |error: recallite::Error| (error.code(), error.argument().map(str::to_owned));
    let there = memory
        .export_jsonl(&whole, &ExportOptions::new())
        .unwrap_err();
    let about_path = |code| (code, Some("path".to_owned()));
    assert_eq!(refused(there), about_path(ErrorCode::AlreadyExists));

    let none = folder.path().join("none.jsonl");
    let nothing = memory.export_jsonl(&none, &ExportOptions::new().selector(Selector::new()));
    let about_selector = (ErrorCode::InvalidArgument, Some("selector".to_owned()));
    assert_eq!(refused(nothing.unwrap_err()), about_selector);
    assert!(!none.exists(), "a selector that is refused leaves no file");
    let missing = memory.restore_jsonl(&none).unwrap_err();
    assert_eq!(refused(missing), about_path(ErrorCode::NotFound));
    for read in [
        memory.restore_jsonl(folder.path()).map(drop),
        memory.import_jsonl(folder.path()).map(drop),
    ] {
        assert_eq!(
            refused(read.unwrap_err()),
            about_path(ErrorCode::InvalidArgument)
        );
    }

    let part = folder.path().join("part.jsonl");
    let first = Selector::new().ids([Seq(1)]);
    let exported = memory
        .export_jsonl(&part, &ExportOptions::new().selector(first))
        .unwrap();
    assert_eq!(exported.events, 1);
    let (_folder, other) = open();
    let partial = other.restore_jsonl(&part).unwrap_err();
    assert_eq!(refused(partial), about_path(ErrorCode::InvalidArgument));
    assert_eq!(other.restore_jsonl(&whole).unwrap(), 2);
    let (_folder, third) = open();
    assert_eq!(third.import_jsonl(&part).unwrap().events, 1);
}

#[test]
fn an_import_with_a_late_event_that_is_refused_stores_nothing_and_leaves_nothing() {
    let (_one, memory) = open();
    let prompts = (0..600).map(|number| prompt("s", &format!("event {number}")));
    memory.append_batch(prompts.collect()).unwrap();
    let text = String::from_utf8(export(&memory)).unwrap();
    let changed = text.replace("event 599\"", "<private>event 599</private>\"");
    assert_ne!(text, changed);
    let folder = tempfile::tempdir().unwrap();
    let privacy = PrivacyConfig::default().marker(Marker::Empty);
    let other = Memory::builder().privacy(privacy).open(folder.path());
    let other = other.unwrap();
    let files = || {
        let names = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    let error = other
        .upkeep()
        .import_jsonl_from(Cursor::new(&changed))
        .unwrap_err();
    assert_eq!(error.argument(), Some("reader"), "{error}");
    assert!(error.message().contains("line 601: "), "{error}");
    assert_eq!(other.stats().unwrap().last_seq, 0);
    assert_eq!(files(), before);
    assert_eq!(
        other
            .upkeep()
            .import_jsonl_from(Cursor::new(&text))
            .unwrap()
            .events,
        600
    );
}

#[test]
fn an_import_merges_and_importing_again_changes_nothing() {
    let (_one, memory) = open();
    fill(&memory);
    let lines = export(&memory);
    let before = memory.stats().unwrap();
    let own = memory
        .upkeep()
        .import_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!(own.events, 0, "{own:?}");
    assert_eq!(memory.stats().unwrap().last_seq, before.last_seq);

    let (_two, other) = open();
    other.append(prompt("세션-0", "mine")).unwrap();
    let imported = other
        .upkeep()
        .import_jsonl_from(Cursor::new(&lines))
        .unwrap();
    let live = before.prompts + before.tools;
    assert_eq!((imported.events, imported.duplicates), (live, 0));
    assert_eq!(other.stats().unwrap().prompts, before.prompts + 1);
    let again = other
        .upkeep()
        .import_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!((again.events, again.duplicates), (0, live));
    assert!(other.check().unwrap().ok);
    let texts = |memory: &Memory| -> Vec<String> {
        memory
            .events(
                EventFilter::new()
                    .session("세션-2")
                    .project(ProjectScope::All),
            )
            .unwrap()
            .map(|event| event.unwrap().content)
            .collect()
    };
    assert_eq!(texts(&memory), texts(&other));
    // What was forgotten stays forgotten.
    other
        .forget(&Selector::new().session("세션-2").project(ProjectScope::All))
        .unwrap();
    let again = other
        .upkeep()
        .import_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!((again.events, again.duplicates), (0, live));
    assert_eq!(texts(&other), Vec::<String>::new());
    assert!(other.check().unwrap().ok);
}

#[test]
fn what_was_forgotten_of_a_transcript_stays_forgotten() {
    let (folder, memory) = open();
    let file = folder.path().join("monday.jsonl");
    let lines = (0..3).map(|number| {
        format!(
            r#"{{"type":"user","uuid":"u{number}","sessionId":"s","timestamp":"2026-01-05T09:00:0{number}Z","message":{{"role":"user","content":"Renew zyzzyva {number} today."}}}}"#
        )
    });
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let first = memory.import_claude_code(&file).unwrap();
    assert_eq!(first.counters.imported_prompts, 3);
    let said = EventFilter::new().project(ProjectScope::All);
    let second = memory.events(said).unwrap().nth(1).unwrap().unwrap().seq;
    let second = Selector::new().id(second).project(ProjectScope::All);
    assert_eq!(memory.forget(&second).unwrap().count, 1);
    let again = memory.import_claude_code(&file).unwrap().counters;
    assert_eq!((again.imported_prompts, again.skipped_duplicates), (0, 3));
    assert_eq!(memory.stats().unwrap().prompts, 2);
    // A plain append is a new memory.
    let text = prompt("s", "I said it again.").dedupe(Dedupe::Key("once".into()));
    let seq = memory.append(text.clone()).unwrap().seq;
    memory.forget(&Selector::new().id(seq)).unwrap();
    assert!(!memory.append(text.clone()).unwrap().duplicate);
    // Unless its caller says that it is an import.
    let selected = Selector::new().session("s").project(ProjectScope::All);
    memory.forget(&selected).unwrap();
    assert!(memory.append(text.stays_forgotten(true)).unwrap().duplicate);
}

#[test]
fn json_of_every_kind_comes_back_as_it_was() {
    let texts = [
        "null",
        "true",
        "-0.0",
        "0.1",
        "1.7976931348623157e308",
        "5e-324",
        "18446744073709551615",
        "-9223372036854775808",
        r#""\u0000\ud83c\udf89\u2028""#,
        "[]",
        "{}",
        r#"{"":null}"#,
    ];
    let (_folder, memory) = open();
    for (number, text) in texts.iter().enumerate() {
        let json = Json::parse("m", text).unwrap();
        let metadata = Json::parse("m", &format!("{{\"is\":{text}}}")).unwrap();
        memory
            .append(prompt("s", &format!("prompt {number}")).metadata(metadata))
            .unwrap();
        let tool = ToolUse::new("Read")
            .input(json)
            .output(format!("output {number}"));
        memory.append(NewEvent::tool("s", tool)).unwrap();
    }
    let before = memory.changes_since(Seq(0), usize::MAX).unwrap();
    assert_eq!(before.len(), 2 * texts.len());
    let whole = export(&memory);
    let (_folder, restored) = open();
    restored
        .upkeep()
        .restore_jsonl_from(Cursor::new(&whole))
        .unwrap();
    assert_eq!(restored.changes_since(Seq(0), usize::MAX).unwrap(), before);
    let (_folder, imported) = open();
    imported
        .upkeep()
        .import_jsonl_from(Cursor::new(&whole))
        .unwrap();
    let after = imported.changes_since(Seq(0), usize::MAX).unwrap();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.metadata, after.metadata);
        let input = |event: &recallite::Event| event.tool.as_ref().map(|tool| tool.input.clone());
        assert_eq!(input(before), input(after));
    }
}

fn nested(levels: usize) -> Json {
    let text = format!("{}\"deep\"{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    Json::parse("metadata", &text).unwrap()
}

#[test]
fn json_at_the_limit_of_depth_takes_every_way_out_and_back() {
    let (_one, memory) = open();
    let deepest = nested(Json::DEPTH_LIMIT);
    let tool = ToolUse::new("Bash").input(deepest.clone()).output("done");
    memory
        .append(NewEvent::tool("s", tool).metadata(deepest.clone()))
        .unwrap();
    let is_whole = |memory: &Memory| {
        let event = memory.event(Seq(1)).unwrap().unwrap();
        assert_eq!(event.metadata, Some(deepest.clone()));
        assert_eq!(event.tool.unwrap().input, Some(deepest.clone()));
        memory.rebuild("2026-01-01".parse().unwrap()).unwrap();
        memory.compact().unwrap();
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
    };
    is_whole(&memory);
    let lines = export(&memory);
    let (_two, restored) = open();
    restored
        .upkeep()
        .restore_jsonl_from(Cursor::new(&lines))
        .unwrap();
    is_whole(&restored);
    let (_three, imported) = open();
    assert_eq!(
        imported
            .upkeep()
            .import_jsonl_from(Cursor::new(&lines))
            .unwrap()
            .events,
        1
    );
    is_whole(&imported);
}

#[test]
fn lines_that_are_nested_too_deep_are_refused_with_their_number() {
    let (_one, memory) = open();
    memory
        .append(prompt("s", "text").metadata(nested(1)))
        .unwrap();
    let text = String::from_utf8(export(&memory)).unwrap();
    assert!(text.contains(r#"{"a":"deep"}"#));
    let (_two, copy) = open();
    for levels in [Json::DEPTH_LIMIT + 1, 126, 1000, 100_000] {
        let deep = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        let text = text.replace(r#"{"a":"deep"}"#, &deep);
        let error = copy
            .upkeep()
            .import_jsonl_from(Cursor::new(&text))
            .unwrap_err();
        assert_eq!(error.argument(), Some("reader"), "{error}");
        assert!(error.message().contains("line 2"), "{error}");
        let error = copy
            .upkeep()
            .restore_jsonl_from(Cursor::new(&text))
            .unwrap_err();
        assert_eq!(error.argument(), Some("reader"), "{error}");
        assert!(error.message().contains("line 2"), "{error}");
        // The header is checked too.
        let error = copy
            .upkeep()
            .restore_jsonl_from(Cursor::new(&deep))
            .unwrap_err();
        assert_eq!(error.argument(), Some("reader"), "{error}");
    }
    assert_eq!(copy.stats().unwrap().last_seq, 0);
}

#[test]
fn a_selected_export_can_be_imported_and_not_restored() {
    let (_one, memory) = open();
    fill(&memory);
    // It is recorded in an event of its own, and may have been learned from a forgotten message.
    let task = NewTask::new("Feed the zyzzyva").project("shop");
    memory.tasks().create(&task).unwrap();
    let mut lines = Vec::new();
    let shop = Selector::new().project(ProjectScope::Named("shop".into()));
    let exported = memory
        .upkeep()
        .export_jsonl_to(&mut lines, Some(&shop))
        .unwrap();
    let text = String::from_utf8(lines.clone()).unwrap();
    assert!(!text.contains("salt") && !text.contains("secret"));
    assert!(!text.contains("zyzzyva") && exported.events > 0, "{text}");
    let (_two, other) = open();
    assert_eq!(
        other
            .upkeep()
            .restore_jsonl_from(Cursor::new(&lines))
            .unwrap_err()
            .code(),
        ErrorCode::InvalidArgument
    );
    let imported = other
        .upkeep()
        .import_jsonl_from(Cursor::new(&lines))
        .unwrap();
    assert_eq!(imported.events, exported.events);
    let refused = memory
        .upkeep()
        .export_jsonl_to(Vec::new(), Some(&Selector::new()))
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
}

#[test]
fn no_copy_is_written_into_the_store_that_an_erasure_answers_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let memory = Memory::open(&store).unwrap();
    memory.append(prompt("s", "zyzzyva")).unwrap();
    std::fs::create_dir(store.join("copies")).unwrap();
    for place in [
        "copy",
        "copies/copy",
        "../store/copy",
        "new/folder/copy",
        "../missing/../store/copy",
    ] {
        let path = store.join(place);
        for refused in [
            memory.backup(&path).map(drop),
            memory.export_jsonl(&path, &ExportOptions::new()).map(drop),
        ] {
            assert_eq!(refused.unwrap_err().argument(), Some("path"), "{place}");
        }
        assert!(!path.exists());
    }
    assert!(!folder.path().join("missing").exists());
    memory.backup(folder.path().join("copy")).unwrap();
}

#[test]
fn a_backup_of_a_store_in_use_is_whole_and_never_overwrites() {
    let (folder, memory) = open();
    fill(&memory);
    let below_a_file = folder.path().join("file/copy");
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = memory.backup(&below_a_file).unwrap_err();
    assert_eq!(error.argument(), Some("path"));
    assert!(error.message().contains("file/copy"), "{error}");
    let stop = std::sync::atomic::AtomicBool::new(false);
    /// Stops the writer if the test fails, so that the failure does not become a hang.
    struct Stop<'a>(&'a std::sync::atomic::AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            let mut number = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                memory
                    .append(prompt("busy", &format!("busy {number}")))
                    .unwrap();
                number += 1;
            }
        });
        for round in 0..3 {
            let target = folder.path().join(format!("backup-{round}"));
            let events = memory.backup(&target).unwrap();
            let copy = Memory::open(&target).unwrap();
            let report = copy.check().unwrap();
            assert!(report.ok, "{:?}", report.first_divergence);
            assert_eq!(report.events, events);
            copy.append(prompt("busy", "a copy is a store of its own"))
                .unwrap();
        }
    });
    let refused = memory.backup(folder.path().join("backup-0")).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::AlreadyExists);
    let refused = memory.backup("/").unwrap_err();
    let told = (refused.code(), refused.argument());
    assert_eq!(told, (ErrorCode::AlreadyExists, Some("path")));
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().all(|name| !name.contains("partial")),
        "{names:?}"
    );
}

#[test]
fn what_was_recorded_by_hand_is_no_hindrance_to_an_export_of_everything() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("a")).unwrap();
    memory.append(prompt("s", "zyzzyva")).unwrap();
    let task = NewTask::new("Renew the certificate");
    memory.tasks().create(&task).unwrap();
    let file = folder.path().join("all.jsonl");
    memory
        .export_jsonl(
            &file,
            &ExportOptions::new().selector(Selector::everything()),
        )
        .unwrap();
    // The task would only be passed over by an import.
    let other = Memory::open(folder.path().join("b")).unwrap();
    let imported = other.import_jsonl(&file).unwrap();
    assert_eq!((imported.events, imported.skipped), (1, 0));
    assert_eq!(other.stats().unwrap().prompts, 1);
}

#[test]
fn an_import_of_transcripts_warns_and_names_the_lines_that_it_could_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("store")).unwrap();
    let file = folder.path().join("s1.jsonl");
    let line = |text: &str| {
        let message = json!({"role": "user", "content": text});
        json!({"type": "user", "sessionId": "s1", "cwd": r"C:\shop\src", "message": message})
    };
    let open = "The plan is <private> not for you";
    let lines = format!(
        "{}\n\n{{broken\n{}\n{}\n",
        line(open),
        line("Hello."),
        line(&format!("{open}, again"))
    );
    std::fs::write(&file, lines).unwrap();
    let report = memory.import_claude_code(&file).unwrap();
    assert_eq!(report.counters.errors, 2);
    assert_eq!(report.counters.imported_prompts, 3);
    let [unclosed, broken] = &report.warnings[..] else {
        panic!("{:?}", report.warnings);
    };
    assert!(unclosed.contains("Unclosed private tag"), "{unclosed}");
    assert!(
        broken.ends_with("s1.jsonl, line 3: the line is not JSON"),
        "{broken}"
    );
    let events = memory.events(EventFilter::new().project(ProjectScope::All));
    let first = events.unwrap().next().unwrap().unwrap();
    assert_eq!(first.project, "C:/shop/src");
}

/// Turning the signs of a Windows path would undo the escapes by which a tag is recognised.
#[test]
fn the_folder_of_a_transcript_is_filtered_before_it_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("store")).unwrap();
    let file = folder.path().join("s1.jsonl");
    let cwd = r"/home/\u003cprivate\u003ewalrus\u003c/private\u003e/x";
    let message = json!({"role": "user", "content": "Hello."});
    let line = json!({"type": "user", "sessionId": "s1", "cwd": cwd, "message": message});
    std::fs::write(&file, format!("{line}\n")).unwrap();
    memory.import_claude_code(&file).unwrap();
    let events = memory.events(EventFilter::new().project(ProjectScope::All));
    let event = events.unwrap().next().unwrap().unwrap();
    assert!(!event.project.contains("walrus"), "{}", event.project);
}
