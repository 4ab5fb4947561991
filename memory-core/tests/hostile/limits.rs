//! Sizes, depths and values at every limit: each call returns a result or an error that names the
//! argument, and a refused call leaves the store unchanged.

use std::time::Duration;

use recallite::rules::endless::MemoryMode;
use recallite::rules::graph::{EdgeEnds, NodeType, Relation};
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, Dedupe, Error, ErrorCode, EventFilter, EventKind, EventRef, Json,
    MaintainBudget, Memory, NewEvent, Query, Selector, Seq, SessionUpdate, SmartSearchOptions,
    Timestamp, ToolUse,
};

/// A store, and its contents before each call.
struct Tried {
    memory: Memory,
    folder: tempfile::TempDir,
    calls: u32,
    refused: u32,
}

impl Tried {
    fn new() -> Tried {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        memory.append(prompt("s", "what is there before")).unwrap();
        Tried {
            memory,
            folder,
            calls: 0,
            refused: 0,
        }
    }

    fn state(&self) -> (u64, String) {
        let seq = self.memory.stats().unwrap().last_seq;
        let zero = Timestamp::from_millis(0).unwrap();
        (seq, self.memory.upkeep().state_hash(zero).unwrap())
    }

    /// Makes a call; a refusal must be clear and change nothing.
    fn call<T>(
        &mut self,
        what: &str,
        call: impl FnOnce(&Memory) -> recallite::Result<T>,
    ) -> Option<T> {
        let before = self.state();
        self.calls += 1;
        let error = match call(&self.memory) {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        self.refused += 1;
        assert_eq!(
            before,
            self.state(),
            "{what} was refused and changed the store: {error}"
        );
        check_error(what, &error);
        None
    }

    fn refuses<T>(&mut self, what: &str, call: impl FnOnce(&Memory) -> recallite::Result<T>) {
        assert!(self.call(what, call).is_none(), "{what} is accepted");
    }

    fn accepts<T>(&mut self, what: &str, call: impl FnOnce(&Memory) -> recallite::Result<T>) -> T {
        let before = self.refused;
        let mut told = String::new();
        let result = self.call(what, |memory| {
            call(memory).inspect_err(|error| told = error.to_string())
        });
        assert_eq!(before, self.refused, "{what} is refused: {told}");
        result.unwrap()
    }

    /// Asserts that whatever was accepted can be read, exported, restored and checked.
    fn end(self) {
        let report = self.memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
        let mut export = Vec::new();
        self.memory
            .upkeep()
            .export_jsonl_to(&mut export, None)
            .unwrap();
        let other = tempfile::tempdir().unwrap();
        let restored = Memory::open(other.path()).unwrap();
        restored
            .upkeep()
            .restore_jsonl_from(export.as_slice())
            .unwrap();
        let all = |memory: &Memory| memory.changes_since(Seq(0), usize::MAX).unwrap();
        assert_eq!(all(&self.memory), all(&restored));
        drop(self.memory);
        let again = Memory::open(self.folder.path()).unwrap();
        assert_eq!(all(&again), all(&restored));
        println!("{} calls, {} refused", self.calls, self.refused);
    }
}

fn check_error(what: &str, error: &Error) {
    let clear = [
        ErrorCode::InvalidArgument,
        ErrorCode::NotFound,
        ErrorCode::AlreadyExists,
        ErrorCode::Unsupported,
        ErrorCode::InvalidTransition,
        ErrorCode::InvariantViolation,
        ErrorCode::Full,
    ];
    assert!(
        clear.contains(&error.code()),
        "{what}: {} {error}",
        error.code().as_str()
    );
    if error.code() == ErrorCode::InvalidArgument {
        assert!(
            error.argument().is_some(),
            "{what} names no argument: {error}"
        );
    }
    let message = error.message();
    let is_short = !message.is_empty() && message.len() <= 1_000;
    assert!(
        is_short,
        "{what}: {} bytes: {:.200}",
        message.len(),
        message
    );
    let is_one_line = !message.chars().any(char::is_control);
    assert!(is_one_line, "{what}: {message:?}");
}

fn prompt(session: &str, text: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, text)
}

/// The size of the largest text: 32 MB in a long run.
fn large() -> usize {
    match std::env::var("RECALLITE_TEST_CASES").as_deref() {
        Ok("all") => 32 << 20,
        _ => 1 << 17,
    }
}

fn names() -> Vec<String> {
    let long = |length: usize| "n".repeat(length);
    let mut names: Vec<String> = [
        "",
        " ",
        "\0",
        "a\0b",
        "\n",
        "..",
        "../../etc",
        "/",
        "\u{1b}[2J",
        "\u{202e}x",
        "🎉",
        "세션",
        "mem:aaaaaa",
        "'; drop",
    ]
    .map(str::to_owned)
    .to_vec();
    names.extend([1, 1_023, 1_024, 1_025, 65_536, 1 << 20].map(long));
    names.push("é".repeat(512));
    names.push("é".repeat(513));
    names
}

#[test]
fn names_of_every_length_are_taken_or_refused() {
    let mut tried = Tried::new();
    for name in names() {
        let what = format!("a name of {} bytes, {:?}", name.len(), name.chars().next());
        let own = |text: &str| format!("{text} {what}");
        tried.call(&own("session"), |m| {
            m.append(prompt(&name, &own("session")))
        });
        tried.call(&own("project"), |m| {
            m.append(prompt("s", &own("project")).project(&name))
        });
        tried.call(&own("actor"), |m| {
            m.append(prompt("s", &own("actor")).actor(&name))
        });
        tried.call(&own("key"), |m| {
            let mut event = prompt("s", &own("key"));
            event.dedupe = Dedupe::Key(name.clone());
            m.append(event)
        });
        tried.call(&own("tool"), |m| {
            let call = ToolUse::new(name.clone()).output(own("tool"));
            m.append(NewEvent::tool("s", call))
        });
        tried.call(&own("update_session"), |m| {
            let update = SessionUpdate::default()
                .summary(name.clone())
                .tags(vec![name.clone(); 3]);
            m.update_session(&name, update)
        });
        tried.call(&own("session of a query"), |m| {
            m.search(Query::new("there").session(&name))
        });
        tried.call(&own("session of a context"), |m| {
            m.context(ContextOptions::new("there").session(&name))
        });
        tried.call(&own("session of a selector"), |m| {
            m.upkeep().count_selected(&Selector::new().session(&name))
        });
        tried.call(&own("project of a selector"), |m| {
            m.upkeep().count_selected(
                &Selector::new()
                    .session("s")
                    .project(ProjectScope::Named(name.clone())),
            )
        });
        tried.call(&own("session of an iterator"), |m| {
            m.events(
                EventFilter::new()
                    .session(&name)
                    .tools([&name])
                    .file_contains(&name),
            )?
            .collect::<recallite::Result<Vec<_>>>()
        });
        tried.call(&own("citation"), |m| m.citation(&name));
        tried.call(&own("continuity"), |m| {
            m.endless().score_continuity(&name, "text")
        });
        tried.call(&own("decision"), |m| m.knowledge().effective_memory(&name));
        tried.call(&own("edge"), |m| {
            m.knowledge().add_edge(
                &EdgeEnds {
                    source_type: NodeType::Entry,
                    source_id: name.clone(),
                    relation: Relation::DerivedFrom,
                    destination_type: NodeType::Entry,
                    destination_id: format!("{name}x"),
                },
                None,
            )
        });
        let opened = Memory::builder().project(&name).open(tried.folder.path());
        if let Err(error) = opened {
            check_error(&own("project of open"), &error);
        }
    }
    tried.refuses("an empty session", |m| m.append(prompt("", "x")));
    tried.refuses("a session of 1,025 bytes", |m| {
        m.append(prompt(&"n".repeat(1_025), "x"))
    });
    tried.accepts("a session of 1,024 bytes", |m| {
        m.append(prompt(&"n".repeat(1_024), "y"))
    });
    tried.end();
}

#[test]
fn texts_of_every_size_are_taken_or_refused() {
    let mut tried = Tried::new();
    let words = |size: usize| "harbour ".repeat(size / 8);
    let texts = [
        ("nothing", String::new()),
        ("a space", " ".into()),
        ("NUL", "\0".into()),
        ("NULs in words", "a\0b\0c".into()),
        ("control characters", (1u8..32).map(char::from).collect()),
        ("the last character", "\u{10ffff}".into()),
        ("marks without a letter", "\u{301}".repeat(10_000)),
        (
            "a letter with many marks",
            format!("e{}", "\u{301}".repeat(100_000)),
        ),
        ("many line breaks", "\n".repeat(100_000)),
        ("many words", words(large())),
        ("one word", "a".repeat(large() / 4)),
        ("many characters of one script", "漢".repeat(large() / 16)),
        (
            "many different words",
            (0..50_000).map(|n| format!("w{n} ")).collect(),
        ),
        ("many quotes", "\"".repeat(100_000)),
        ("many backticks", "`".repeat(100_000)),
        ("many open tags", "<private>".repeat(10_000)),
        ("many brackets", "[".repeat(100_000)),
    ];
    for (what, text) in &texts {
        let stored = tried.call(what, |m| m.append(prompt(what, text)));
        if let Some(stored) = stored {
            let read = tried.memory.event(stored.id).unwrap().unwrap();
            assert!(
                read.content == *text || text.contains("private"),
                "{what} is read back as another text"
            );
        }
        tried.call(&format!("search: {what}"), |m| m.search(text.as_str()));
        tried.call(&format!("context: {what}"), |m| m.context(text.as_str()));
        tried.call(&format!("smart search: {what}"), |m| {
            m.smart_search(text.as_str(), SmartSearchOptions::default())
        });
        tried.call(&format!("entries: {what}"), |m| {
            m.knowledge().search(text, &Default::default())
        });
        tried.call(&format!("tool output: {what}"), |m| {
            let call = ToolUse::new("Read")
                .output(text.clone())
                .error(text.clone());
            m.append(NewEvent::tool("tools", call))
        });
    }
    tried.refuses("an empty text", |m| m.append(prompt("s", "")));
    tried.end();
}

#[test]
fn a_duration_that_not_every_language_can_represent_is_refused() {
    let mut tried = Tried::new();
    let call = |ms: u64| {
        let call = ToolUse::new("Read")
            .output(format!("after {ms}"))
            .duration_ms(ms);
        NewEvent::tool("slow", call)
    };
    for ms in [1 << 53, u64::MAX] {
        tried.refuses(&format!("a duration of {ms}"), |m| m.append(call(ms)));
    }
    tried.call("the longest duration", |m| m.append(call((1 << 53) - 1)));
    tried.end();
}

#[test]
fn metadata_of_every_depth_is_taken_or_refused() {
    let mut tried = Tried::new();
    let nested = |depth: usize| {
        format!(
            "{{\"a\":{}{}}}",
            "[".repeat(depth - 1),
            "]".repeat(depth - 1)
        )
    };
    let objects = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    for depth in [1, 2, 63, 64, 65, 126, 127, 128, 129, 1_000, 100_000] {
        for text in [nested(depth), objects(depth)] {
            let what = format!("metadata {depth} deep");
            tried.call(&what, |m| {
                let metadata = Json::parse("metadata", &text)?;
                let mut event = prompt("deep", &format!("{what} {}", text.len()));
                event.metadata = Some(metadata);
                m.append(event)
            });
            tried.call(&format!("tool input {depth} deep"), |m| {
                let call = ToolUse::new("Read")
                    .input(Json::parse("input", &text)?)
                    .output(what.clone());
                m.append(NewEvent::tool("deep", call))
            });
            tried.call(&format!("an extraction {depth} deep"), |m| {
                m.ingest("s", &text)
            });
        }
    }
    for text in [
        "",
        "[",
        "1",
        "null",
        "\"a\"",
        "[]",
        "{\"a\":1e999}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":1}x",
        "\u{feff}{}",
    ] {
        tried.call(&format!("metadata {text}"), |m| {
            let mut event = prompt("deep", &format!("with {text}"));
            event.metadata = Some(Json::parse("metadata", text)?);
            m.append(event)
        });
        tried.call(&format!("extraction {text}"), |m| m.ingest("s", text));
    }
    let wide = format!("{{\"a\":\"{}\"}}", "x".repeat(large() / 2));
    tried.call("wide metadata", |m| {
        let mut event = prompt("deep", "wide");
        event.metadata = Some(Json::parse("metadata", &wide)?);
        m.append(event)
    });
    tried.end();
}

#[test]
fn numbers_at_their_limits_are_taken_or_refused() {
    let mut tried = Tried::new();
    let events: Vec<EventRef> = vec![Seq(1).into(), Seq(0).into(), Seq(u64::MAX).into()];
    for number in [0, 1, 1 << 40, usize::MAX] {
        let what = format!("{number}");
        tried.call(&what, |m| m.search(Query::new("there").limit(number)));
        tried.call(&what, |m| {
            m.context(ContextOptions::new("there").budget_tokens(number))
        });
        tried.call(&what, |m| {
            m.context(ContextOptions::new("there").limit(number))
        });
        tried.call(&what, |m| {
            m.context(ContextOptions::new("there").count_tokens(move |_| number))
        });
        tried.call(&what, |m| m.timeline(&events, number));
        tried.call(&what, |m| m.changes_since(Seq(0), number));
        tried.call(&what, |m| m.changes_since(Seq(number as u64), number));
        tried.call(&what, |m| m.citations().popular(number, Some(u32::MAX)));
        tried.call(&what, |m| {
            let events = m.events(EventFilter::new().limit(number))?;
            events.collect::<recallite::Result<Vec<_>>>()
        });
        tried.call(&what, |m| {
            m.maintain(
                MaintainBudget::default()
                    .graduate_events(number)
                    .merges(number)
                    .merge_events(number as u64)
                    .jobs(number)
                    .graph_vectors(number)
                    .learn_messages(number)
                    .time_ms(number as u64),
            )
        });
        tried.call(&what, |m| m.process_outbox(number));
        tried.call(&what, |m| {
            m.wait_for_change(Seq(0), Duration::from_millis(number as u64))
        });
        tried.call(&what, |m| {
            m.search(Query::new("there").deadline_ms(number as u64))
        });
    }
    tried.accepts("a thousand", |m| m.search(Query::new("there").limit(1_000)));
    tried.refuses("more", |m| m.search(Query::new("there").limit(1_001)));
    for number in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -1.0,
        2.0,
        f32::MIN_POSITIVE,
    ] {
        let what = format!("{number}");
        tried.call(&what, |m| {
            m.search(Query::new("there").min_relevance(number))
        });
        tried.call(&what, |m| {
            m.context(ContextOptions::new("there").min_relevance(number))
        });
        tried.call(&what, |m| {
            m.search(Query::new("there").vector(vec![number; 4]))
        });
        tried.call(&what, |m| {
            m.levels()
                .record_access(&events[..1], "s", f64::from(number))
        });
        tried.call(&what, |m| {
            m.levels().set_half_life_days(Some(f64::from(number)))
        });
    }
    tried.call("an empty vector", |m| {
        m.search(Query::new("there").vector(Vec::new()))
    });
    tried.call("a long vector", |m| {
        m.search(Query::new("there").vector(vec![1.0; 100_000]))
    });
    tried.call("many events", |m| m.details(&vec![Seq(1).into(); 10_000]));
    tried.call("many pins", |m| {
        m.context(ContextOptions::new("there").pinned(vec![EventRef::from(Seq(1)); 10_000]))
    });
    tried.call("an empty selector", |m| m.forget(&Selector::new()));
    tried.call("an empty selector", |m| m.erase(&Selector::new()));
    tried.call("an unknown id", |m| {
        m.erase(&Selector::new().id(Seq(u64::MAX)))
    });
    tried.call("the mode", |m| m.endless().set_mode(MemoryMode::Endless));
    tried.end();
}

#[test]
fn times_at_their_limits_are_taken_or_refused() {
    let mut tried = Tried::new();
    for millis in [
        i64::MIN,
        i64::MAX,
        Timestamp::MIN.millis() - 1,
        Timestamp::MAX.millis() + 1,
    ] {
        let error = Timestamp::from_millis(millis).unwrap_err();
        check_error("a time", &error);
    }
    for moment in [
        Timestamp::MIN,
        Timestamp::MAX,
        Timestamp::from_millis(0).unwrap(),
    ] {
        let what = format!("at {}", moment.millis());
        tried.accepts(&what, |m| {
            m.append(prompt("times", &what).timestamp(moment))
        });
        tried.call(&what, |m| {
            m.search(Query::new("at").from(moment).until(moment))
        });
        tried.call(&what, |m| {
            m.upkeep().count_selected(&Selector::new().before(moment))
        });
        tried.call(&what, |m| m.rebuild(moment));
        tried.call(&what, |m| {
            let events = m.events(EventFilter::new().from(moment).until(moment))?;
            events.collect::<recallite::Result<Vec<_>>>()
        });
        tried.call(&what, |m| m.context("at"));
        tried.call(&what, |m| m.levels().graduate(100));
        tried.call(&what, |m| m.maintain(MaintainBudget::default()));
    }
    tried.end();
}

#[test]
fn batches_of_every_size_are_taken_or_refused_as_a_whole() {
    let mut tried = Tried::new();
    for size in [0, 1, 2, 511, 512, 513, 1_500] {
        let batch = |name: &str| -> Vec<NewEvent> {
            let text = |n| format!("{name} {size} {n}");
            (0..size).map(|n| prompt("batch", &text(n))).collect()
        };
        let stored = tried.accepts("a batch", |m| m.append_batch(batch("good")));
        assert_eq!(stored.len(), size);
        // One bad event anywhere rejects all of them, and the message tells which.
        for bad in [0, size / 2, size.saturating_sub(1)] {
            if size > 1 {
                let mut events = batch("bad");
                events[bad].session = String::new();
                let error = tried.memory.append_batch(events.clone()).unwrap_err();
                assert!(error.message().contains(&bad.to_string()), "{error}");
                tried.refuses("a batch with a bad event", |m| m.append_batch(events));
            }
        }
    }
    tried.end();
}

#[test]
fn lines_that_are_no_json_are_refused_by_their_number() {
    let mut tried = Tried::new();
    let mut export = Vec::new();
    tried
        .memory
        .upkeep()
        .export_jsonl_to(&mut export, None)
        .unwrap();
    let export = String::from_utf8(export).unwrap();
    let lines: Vec<&str> = export.lines().collect();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let surrogate = lines[1].replace("what is", "\\ud800");
    let bad = [
        "",
        "\0",
        "{",
        "null",
        "[]",
        "{}",
        "\u{feff}",
        &deep,
        &surrogate,
        "{\"a\":1e999}",
    ];
    for bad in bad {
        for at in 0..lines.len() {
            let mut changed = lines.clone();
            changed[at] = bad;
            let text = changed.join("\n");
            let what = format!(
                "line {} is {:?}",
                at + 1,
                bad.chars().take(20).collect::<String>()
            );
            tried.call(&what, |m| m.upkeep().import_jsonl_from(text.as_bytes()));
            let empty = tempfile::tempdir().unwrap();
            let memory = Memory::open(empty.path()).unwrap();
            if let Err(error) = memory.upkeep().restore_jsonl_from(text.as_bytes()) {
                check_error(&what, &error);
                assert_eq!(memory.stats().unwrap().last_seq, 0, "{what}");
            }
        }
    }
    for cut in 0..export.len() {
        if export.is_char_boundary(cut) && cut % 7 == 0 {
            let text = &export[..cut];
            tried.refuses("a cut export", |m| {
                m.upkeep().import_jsonl_from(text.as_bytes())
            });
        }
    }
    tried.refuses("bytes that are no text", |m| {
        m.upkeep().import_jsonl_from([0xff, 0xfe, 0x00].as_slice())
    });
    tried.end();
}

#[test]
fn settings_at_their_limits_open_or_are_refused() {
    for number in [0, 1, 4_096, usize::MAX] {
        let folder = tempfile::tempdir().unwrap();
        let settings = [
            Memory::builder().cache_bytes(number),
            Memory::builder().index_cache_bytes(number),
            Memory::builder().busy_timeout_ms(number as u64),
            Memory::builder().embedding_timeout_ms(number as u64),
            Memory::builder().quota_bytes(number as u64),
            Memory::builder().size_limit_bytes(number as u64),
            Memory::builder().retention_ms(EventKind::UserPrompt, number as u64),
        ];
        for (at, builder) in settings.into_iter().enumerate() {
            let what = format!("setting {at} is {number}");
            let memory = match builder.open(folder.path()) {
                Ok(memory) => memory,
                Err(error) => {
                    check_error(&what, &error);
                    continue;
                }
            };
            let stored = memory.append(prompt("s", &what));
            if let Err(error) = &stored {
                check_error(&what, error);
            }
            memory.search("setting").unwrap();
            memory.upkeep().apply_retention().unwrap();
            memory.close().unwrap();
        }
        let memory = Memory::open(folder.path()).unwrap();
        let report = memory.check().unwrap();
        assert!(report.ok, "{:?}", report.first_divergence);
    }
}
