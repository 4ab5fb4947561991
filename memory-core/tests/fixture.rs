//! Every released format opens for ever: a committed store of each format
//! version is copied, opened, read, searched, checked and written to.
//!
//! A new fixture is made by `RECALLITE_MAKE_FIXTURE=DIR cargo test -p recallite
//! --test fixture`, once per format version; an existing one never changes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use recallite::{EventKind, Memory, NewEvent, Seq, ToolUse};

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
    let tool = ToolUse {
        name: "Bash".into(),
        output: "12 passed".into(),
        ..ToolUse::default()
    };
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
    for format in [1, 2] {
        opens_and_goes_on(format);
    }
}

fn opens_and_goes_on(format: u32) {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/format-{format}"));
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&fixture).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
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
    // The store keeps its format until it is asked to change it.
    let upgraded = memory.upkeep().upgrade().unwrap();
    let newest = upgraded.to_format;
    assert_eq!((upgraded.from_format, newest), (format, 2));
    assert_eq!(upgraded.changed, format < newest);
    assert!(!memory.upkeep().upgrade().unwrap().changed);
    memory
        .append(NewEvent::new(
            EventKind::UserPrompt,
            "s2",
            "records of both formats, 서로 이웃",
        ))
        .unwrap();
    assert!(memory.check().unwrap().ok);
    // A whole export of such a log is restored byte for byte.
    let mut lines = Vec::new();
    memory
        .export_jsonl(&mut lines, &recallite::ExportFilter::Whole)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = Memory::open(folder.path()).unwrap();
    restored.restore_jsonl(lines.as_slice()).unwrap();
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
