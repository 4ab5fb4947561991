//! Every released format can be opened forever: a committed store of each format version is copied,
//! opened, read, searched, checked and written to. Stores of builds from before the first release
//! are refused by name.
//!
//! Until the first release the fixture follows the format: regenerate it with
//! `RECALLITE_MAKE_FIXTURE=DIR cargo test -p recallite --test fixture`. From then on there is one
//! per format, and existing ones never change.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use recallite::{ErrorCode, EventKind, Memory, NewEvent, Seq, ToolUse};

const SENTENCES: [&str; 3] = [
    "We never deploy on Friday, because nobody is on call.",
    "결제 게이트웨이 타임아웃은 15초로 정했습니다.",
    "キャッシュの有効期限は三十秒です。",
];

fn fill(memory: &Memory) {
    for (index, sentence) in SENTENCES.iter().enumerate() {
        let kind = if index % 2 == 0 {
            EventKind::UserPrompt
        } else {
            EventKind::AgentResponse
        };
        memory
            .append(
                NewEvent::new(kind, "s1", *sentence)
                    .project("shop")
                    .timestamp(format!("2026-03-0{}T09:00:00Z", index + 1).parse().unwrap()),
            )
            .unwrap();
    }
    let tool = ToolUse::new("Bash").output("12 passed");
    memory.append(NewEvent::tool("s1", tool)).unwrap();
}

#[test]
fn stores_of_every_format_open_and_go_on() {
    if let Some(folder) = std::env::var_os("RECALLITE_MAKE_FIXTURE") {
        let memory = Memory::open(Path::new(&folder)).unwrap();
        fill(&memory);
        memory.compact().unwrap();
        return;
    }
    opens_and_goes_on(1);
}

fn copy_of(format: u32) -> tempfile::TempDir {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/format-{format}"));
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&fixture).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

#[test]
fn a_store_from_before_the_first_release_is_refused_by_name_and_left_alone() {
    let copy = copy_of(1);
    let file = std::fs::read_dir(copy.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "redb"))
        .unwrap();
    // The first builds wrote files of the same engine, but without page checksums.
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4_096 - 8..4_096 + 8].fill(0);
    std::fs::write(&file, &bytes).unwrap();
    for create in [false, true] {
        let refused = Memory::builder().create(create).open(copy.path());
        let error = refused.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Unsupported, "{error}");
        assert_eq!(error.argument(), Some("path"));
        assert!(
            error.message().contains("before the first release"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

fn opens_and_goes_on(format: u32) {
    let copy = copy_of(format);
    let memory = Memory::builder().create(false).open(copy.path()).unwrap();
    let report = memory.check().unwrap();
    assert!(report.ok, "{:?}", report.first_divergence);
    let events = memory.changes_since(Seq(0), 10).unwrap();
    let texts: Vec<&str> = events
        .iter()
        .take(3)
        .map(|event| event.content.as_str())
        .collect();
    assert_eq!(texts, SENTENCES);
    assert_eq!(events[3].tool.as_ref().unwrap().output, "12 passed");
    assert_eq!(
        memory.search("결제 타임아웃이 몇 초였지?").unwrap().items[0].seq,
        events[1].seq
    );
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "s2", "and it goes on"))
        .unwrap();
    assert!(memory.check().unwrap().ok);
    let upgraded = memory.upkeep().upgrade().unwrap();
    assert_eq!((upgraded.from_format, upgraded.to_format), (format, 1));
    assert!(!upgraded.changed);
    memory
        .append(NewEvent::new(
            EventKind::UserPrompt,
            "s2",
            "old and new records, 서로 이웃",
        ))
        .unwrap();
    assert!(memory.check().unwrap().ok);
    // A complete export of such a log is restored byte for byte.
    let mut lines = Vec::new();
    memory.upkeep().export_jsonl_to(&mut lines, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = Memory::open(folder.path()).unwrap();
    restored
        .upkeep()
        .restore_jsonl_from(lines.as_slice())
        .unwrap();
    let as_of = recallite::Timestamp::from_millis(0).unwrap();
    assert_eq!(
        restored.upkeep().state_hash(as_of).unwrap(),
        memory.upkeep().state_hash(as_of).unwrap()
    );
    let everything = recallite::Selector::new()
        .project(recallite::scope::ProjectScope::All)
        .ids(events[..2].iter().map(|event| event.seq));
    memory.erase(&everything).unwrap();
    memory.compact().unwrap();
    assert!(memory.check().unwrap().ok);
}
