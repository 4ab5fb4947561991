//! Tests the reader on whole transcripts.

use std::io::{BufReader, Read};

use super::*;
use crate::model::event::{Dedupe, EventKind, Origin};

fn read(text: &str, options: ImportOptions) -> (Vec<TranscriptItem>, ImportCounters) {
    // A tiny buffer makes every line span several reads.
    let mut reader =
        TranscriptReader::new(BufReader::with_capacity(7, text.as_bytes()), "s1", options);
    let mut items = Vec::new();
    for item in reader.by_ref() {
        items.push(item.expect("memory does not fail"));
    }
    (items, reader.counters().clone())
}

const STORY: &str = concat!(
    r#"{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","message":{"content":"파일을 읽어줘"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u2","sessionId":"s1","timestamp":"2026-01-01T00:00:01.000Z","message":{"model":"m","content":[{"type":"text","text":"look"},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/a"}},{"type":"tool_use","id":"t2","name":"WebFetch","input":{}}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u3","sessionId":"s1","timestamp":"2026-01-01T00:00:03.500Z","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"\n404 not found\nmore"}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u4","sessionId":"s1","timestamp":"2026-01-01T00:00:04.000Z","toolUseResult":{"durationMs":7},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"}]}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u5","isMeta":true,"message":{"content":"<local-command-stdout>x</local-command-stdout>"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u6","message":{"content":[{"type":"tool_use","id":"t3","name":"Bash","input":{}}]}}"#,
    "\n",
);

#[test]
fn calls_are_joined_with_their_results() {
    let (items, counters) = read(STORY, ImportOptions::default());
    let kinds: Vec<_> = items.iter().map(|i| i.kind).collect();
    use EventKind::{AgentResponse, ToolObservation, UserPrompt};
    assert_eq!(
        kinds,
        [
            UserPrompt,
            AgentResponse,
            ToolObservation,
            ToolObservation,
            UserPrompt,
            ToolObservation
        ]
    );
    assert_eq!(counters.total_messages, 6);

    let failed = items[2].tool.as_ref().expect("a call");
    assert_eq!(failed.name, "WebFetch");
    assert_eq!(failed.error.as_deref(), Some("404 not found"));
    assert_eq!(failed.success, Some(false));
    assert_eq!(failed.duration_ms, Some(2500));
    assert_eq!((failed.prompt_index, failed.tool_index), (Some(0), Some(1)));
    assert_eq!(items[2].message_uuid.as_deref(), Some("u3"));
    assert_eq!(items[2].tool_use_uuid.as_deref(), Some("u2"));
    assert_eq!(items[2].dedupe_key.as_deref(), Some("u2#2:t2"));
    assert_eq!(items[2].tool_use_id.as_deref(), Some("t2"));
    assert_eq!(items[0].tool_use_id, None);

    let ok = items[3].tool.as_ref().expect("a call");
    assert_eq!((ok.output.as_str(), ok.duration_ms), ("one", Some(7)));
    assert_eq!(
        ok.input.as_ref().map(|i| i.as_str()),
        Some(r#"{"file_path":"/a"}"#)
    );
    assert_eq!(
        items[3].timestamp.map(|t| t.to_string()).as_deref(),
        Some("2026-01-01T00:00:01.000Z")
    );

    assert!(items[4].is_meta && !items[0].is_meta);
    let unfinished = &items[5];
    assert!(!unfinished.is_finished);
    assert_eq!(unfinished.dedupe_key.as_deref(), Some("u6#0:t3:unfinished"));
    assert_eq!(unfinished.tool.as_ref().map(|t| t.success), Some(None));
    assert_eq!(unfinished.prompt_index, Some(1));
}

#[test]
fn reading_again_gives_the_same_keys_and_all_keys_differ() {
    let keys = |items: Vec<TranscriptItem>| -> Vec<_> {
        items.into_iter().filter_map(|i| i.dedupe_key).collect()
    };
    let once = keys(read(STORY, ImportOptions::default()).0);
    let again = keys(read(STORY, ImportOptions::default()).0);
    assert_eq!(once, again);
    let distinct: std::collections::HashSet<_> = once.iter().collect();
    assert_eq!(distinct.len(), 6);
}

#[test]
fn broken_lines_are_counted_and_passed_over() {
    let text = format!(
        "not json\n\n{STORY}{}\n{{\"type\":\"user\",\"mess",
        "x".repeat(5000)
    );
    let options = ImportOptions {
        max_line_bytes: 2000,
        ..ImportOptions::default()
    };
    let (items, counters) = read(&text, options);
    assert_eq!(items.len(), 6);
    assert_eq!(counters.errors, 4);
    let lines = counters.error_lines.iter();
    let told: Vec<_> = lines.map(|one| (one.line, one.problem)).collect();
    assert_eq!(
        told,
        [
            (1, LineProblem::NotJson),
            (2, LineProblem::Blank),
            (9, LineProblem::TooLong),
            (10, LineProblem::NotJson)
        ]
    );
}

#[test]
fn results_without_a_call_and_calls_written_twice_are_kept_once() {
    let use_line = STORY.lines().nth(1).expect("a use");
    let orphan = r#"{"type":"user","uuid":"u9","message":{"content":[{"type":"tool_result","tool_use_id":"gone","content":"x"}]}}"#;
    let (items, _) = read(
        &format!("{use_line}\n{use_line}\n{orphan}\n"),
        ImportOptions::default(),
    );
    let tools: Vec<_> = items.iter().filter_map(|i| i.tool.as_ref()).collect();
    let names: Vec<_> = tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["unknown", "Read", "WebFetch"]);
    assert_eq!(tools[0].duration_ms, None);
}

#[test]
fn a_flood_of_unanswered_calls_stays_bounded_and_loses_none() {
    let lines = 3000;
    let text: String = (0..lines)
        .map(|n| {
            format!(
                "{{\"type\":\"assistant\",\"uuid\":\"u{n}\",\"message\":{{\"content\":\
                 [{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\"}}]}}}}\n"
            )
        })
        .collect();
    let mut reader = TranscriptReader::new(
        BufReader::new(text.as_bytes()),
        "s",
        ImportOptions::default(),
    );
    let first = reader
        .next()
        .expect("one is given up before the end")
        .expect("memory does not fail");
    assert!(reader.counters().total_messages < lines);
    assert_eq!(first.tool_use_uuid.as_deref(), Some("u0"));
    assert_eq!(reader.count() as u64, lines - 1);
}

#[test]
fn blank_text_is_left_out_unless_asked_for() {
    let text =
        r#"{"type":"assistant","uuid":"a","message":{"content":[{"type":"text","text":"\n\n"}]}}"#;
    assert_eq!(read(text, ImportOptions::default()).0.len(), 0);
    assert_eq!(read(text, ImportOptions::specified()).0.len(), 1);
}

#[test]
fn subagents_are_counted_apart_and_name_their_parent() {
    let text = concat!(
        r#"{"type":"user","uuid":"a","sessionId":"main","message":{"content":"one"}}"#,
        "\n",
        r#"{"type":"user","uuid":"b","sessionId":"main","isSidechain":true,"agentId":"x","message":{"content":"sub"}}"#,
        "\n",
        r#"{"type":"user","uuid":"c","sessionId":"main","message":{"content":"two"}}"#,
    );
    let (items, _) = read(text, ImportOptions::default());
    let indexes: Vec<_> = items.iter().map(|i| i.prompt_index).collect();
    assert_eq!(indexes, [Some(0), Some(0), Some(1)]);
    assert_eq!(items[1].parent_session_id.as_deref(), Some("main"));
    // An agent asked it, and no person.
    let said = items
        .into_iter()
        .map(|item| item.into_event("/t/main.jsonl"));
    let said: Vec<_> = said.map(|event| (event.origin, event.actor)).collect();
    let by_agent = (Some(Origin::Assistant), Some("assistant".to_owned()));
    assert_eq!(said, [(None, None), by_agent, (None, None)]);
}

#[test]
fn an_item_becomes_an_event_with_its_key_time_and_metadata() {
    let (items, _) = read(STORY, ImportOptions::default());
    let events: Vec<_> = items
        .into_iter()
        .map(|i| i.into_event("/t/s1.jsonl"))
        .collect();
    assert_eq!(events[0].dedupe, Dedupe::Key("u1#0".to_owned()));
    assert_eq!(
        events[0].metadata.as_ref().map(|m| m.to_value()),
        Some(serde_json::json!({
            "cwd": "/w",
            "importedFrom": "/t/s1.jsonl",
            "messageUuid": "u1",
            "originalTimestamp": "2026-01-01T00:00:00.000Z",
            "promptIndex": 0,
        }))
    );
    assert_eq!(events[4].origin, Some(Origin::System));
    assert!(
        events[5]
            .metadata
            .as_ref()
            .is_some_and(|m| m.as_str().contains("\"isUnfinished\":true"))
    );
}

#[test]
fn a_failing_disk_is_an_error_and_ends_the_stream() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk on fire"))
        }
    }
    let mut reader = TranscriptReader::new(
        BufReader::new(STORY.as_bytes().chain(Failing)),
        "s1",
        ImportOptions::default(),
    );
    let last = reader.by_ref().last().expect("items came first");
    assert_eq!(
        last.expect_err("the disk failed").code(),
        crate::ErrorCode::Io
    );
    assert!(reader.next().is_none());
}

#[test]
fn nested_input_is_kept_as_text_down_to_a_limit() {
    let line = |levels: usize| {
        let input = format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"Bash","input":{input}}}]}}}}"#
        )
    };
    let input = |levels: usize| match parse_line(line(levels).as_bytes()) {
        Ok(read) => match read.blocks.as_slice() {
            [ContentBlock::ToolUse { input, .. }] => Ok(input.as_str().to_owned()),
            other => panic!("{other:?}"),
        },
        Err(problem) => Err(problem),
    };
    let whole = input(64).expect("JSON");
    assert!(whole.starts_with(r#"{"a":{"a":"#), "{whole}");
    let text = input(65).expect("JSON");
    assert!(text.starts_with(r#""{\"a\":{"#), "{text}");
    let cut = input(100_000).expect("JSON");
    assert!(cut.contains("nested too deeply"), "{cut}");
}
