//! The settings file: every key has an effect or is refused by name, and the settings in force are
//! listed with their sources.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use recallite::clock::Clock;
use recallite::config::Settings;
use recallite::embed::CallbackEmbedder;
use recallite::text::tool::{ToolLimits, ToolPolicy};
use recallite::{
    CitationId, ContextOptions, ErrorCode, EventKind, Json, MaintainBudget, Memory, MemoryBuilder,
    NewEvent, Query, Seq, SettingSource, SkipReason, SmartSearchOptions, Timestamp, ToolUse,
};
use serde_json::{Value, json};

/// A manually set clock.
#[derive(Debug)]
struct Hand(AtomicI64);

impl Hand {
    fn new() -> Arc<Self> {
        Arc::new(Hand(AtomicI64::new(1_769_800_000_000)))
    }

    fn on(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

fn json_of(value: &Value) -> Json {
    Json::parse("settings", &value.to_string()).unwrap()
}

/// Settings with a single key.
fn only(path: &str, value: &Value) -> Value {
    path.rsplit('.')
        .fold(value.clone(), |inner, name| json!({ name: inner }))
}

/// A memory in a fresh folder.
struct Opened {
    memory: Memory,
    clock: Arc<Hand>,
    _folder: tempfile::TempDir,
}

fn opened(settings: &Value) -> Opened {
    opened_with(settings, |builder| builder)
}

fn opened_with(settings: &Value, more: impl FnOnce(MemoryBuilder) -> MemoryBuilder) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let clock = Hand::new();
    let builder = Memory::builder()
        .project("shop")
        .clock(clock.clone())
        .settings(json_of(settings));
    let memory = more(builder).open(folder.path()).unwrap();
    Opened {
        memory,
        clock,
        _folder: folder,
    }
}

fn say(memory: &Memory, text: &str) -> recallite::Appended {
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "s1", text))
        .unwrap()
}

fn filled(opened: &Opened) -> &Memory {
    for number in 0..30 {
        say(
            &opened.memory,
            &format!(
                "The payment service number {number} listens on port {}.",
                8_000 + number
            ),
        );
        opened.clock.on(1_000);
    }
    &opened.memory
}

const QUESTION: &str = "which port does the payment service use?";

fn stored(memory: &Memory, text: &str) -> String {
    let receipt = say(memory, text);
    memory.event(receipt.id).unwrap().unwrap().content
}

fn call(memory: &Memory, tool: ToolUse) -> recallite::Appended {
    memory.append(NewEvent::tool("s1", tool)).unwrap()
}

fn tool(name: &str, output: &str) -> ToolUse {
    ToolUse::new(name).output(output)
}

/// How the results of a question are displayed.
fn shown(memory: &Memory) -> String {
    let found = memory
        .smart_search(QUESTION, SmartSearchOptions::default())
        .unwrap();
    format!(
        "{} {} {} {}",
        found.index.len(),
        found.meta.expanded_count,
        found.timeline.len(),
        found.details.len()
    )
}

/// A text that depends on what the key controls.
fn seen(path: &str, opened: &Opened) -> String {
    let memory = &opened.memory;
    match path {
        "storage.maxSizeMB" => {
            say(memory, &"four hundred words of nothing ".repeat(60_000));
            memory.stats().unwrap().is_over_quota.to_string()
        }
        "retrieval.topK" => {
            let memory = filled(opened);
            let found = memory.search(QUESTION).unwrap().items.len();
            let given = memory.context(QUESTION).unwrap().items.len();
            format!("{found} {given}")
        }
        "retrieval.minScore" => {
            let memory = filled(opened);
            let found = memory.search(QUESTION).unwrap().items.len();
            let given = memory.context(QUESTION).unwrap().items.len();
            format!("{found} {given}")
        }
        "retrieval.maxTokens" => filled(opened).context(QUESTION).unwrap().tokens.to_string(),
        path if path.starts_with("matching.weights.") => {
            let memory = filled(opened);
            opened.clock.on(5 * 86_400_000);
            memory.search(QUESTION).unwrap().items[0]
                .match_score
                .to_string()
        }
        "matching.minCombinedScore" => {
            say(memory, "The payment service listens on port 8,443.");
            memory
                .search("elephants listens")
                .unwrap()
                .confidence
                .to_string()
        }
        path if path.starts_with("matching.") => {
            let memory = filled(opened);
            memory.search(QUESTION).unwrap().confidence.to_string()
        }
        "privacy.excludePatterns" => stored(memory, "the wifi_key = sunflower-9981"),
        "privacy.anonymize" => stored(memory, "write to ada@example.org"),
        path if path.starts_with("privacy.privateTags.") => stored(
            memory,
            "a <private>one\ntwo\nthree</private> b [private]four[/private] c",
        ),
        path if path.starts_with("privacy.autoDetect.") => stored(
            memory,
            "AKIAIOSFODNN7EXAMPLE and ticket SHOP-4711 of the shop",
        ),
        "toolObservation.enabled" | "toolObservation.excludedTools" => {
            format!("{:?}", call(memory, tool("Bash", "fine")).skipped)
        }
        "toolObservation.storeOnlyOnSuccess" => {
            let mut failed = tool("Bash", "no");
            failed.error = Some("it broke".to_owned());
            format!("{:?}", call(memory, failed).skipped)
        }
        "toolObservation.maxOutputLength" => call(memory, tool("Bash", &"x".repeat(5_000)))
            .truncated_bytes
            .to_string(),
        "toolObservation.maxOutputLines" => call(memory, tool("Bash", &"x\n".repeat(50)))
            .truncated_bytes
            .to_string(),
        "features.insightExtraction" => insights(opened),
        "features.crossProjectLearning" => {
            let event = NewEvent::new(EventKind::UserPrompt, "s9", "The payment port is 9.");
            memory.append(event.project("elsewhere")).unwrap();
            memory.search(QUESTION).unwrap().items.len().to_string()
        }
        "mode" | "endless.enabled" => memory.endless().mode().unwrap().to_string(),
        path if path.starts_with("endless.workingSet.") => {
            filled(opened);
            opened.clock.on(6 * 3_600_000);
            let set = memory.endless().working_set().unwrap();
            let given = memory.endless().context(None).unwrap().working_set;
            format!("{} {}", set.len(), given.len())
        }
        "endless.consolidation.useLLMSummarization" => consolidated(opened),
        path if path.starts_with("endless.consolidation.") => {
            filled(opened);
            opened.clock.on(120_000);
            memory.maintain(MaintainBudget::default()).unwrap();
            let memories = memory.endless().memories(None, None).unwrap();
            memories.is_empty().to_string()
        }
        path if path.starts_with("endless.continuity.") => {
            let endless = memory.endless();
            let mut seen = String::new();
            for (id, text) in [
                ("a", "We change the class ShopStore in src/shop.ts"),
                ("b", "src/shop.ts: the class ShopStore"),
                ("c", "tea"),
            ] {
                let joined = endless.score_continuity(id, text).unwrap();
                seen += &format!("{joined:?} ");
                opened.clock.on(12 * 3_600_000);
            }
            seen
        }
        path if path.starts_with("progressiveDisclosure.layer1.") => {
            filled(opened);
            shown(memory)
        }
        path if path.starts_with("progressiveDisclosure.") => expanded(opened),
        "citations.idLength" => {
            let said = say(memory, "a citation").citation.as_str().len();
            assert_eq!(imported(memory).as_str().len(), said);
            said.to_string()
        }
        "citations.enabled" | "citations.includeInContext" | "citations.format" => {
            let text = filled(opened).context(QUESTION).unwrap().text;
            // Every store has a different fence token.
            text.lines()
                .skip(1)
                .map(|line| line.split('-').next().unwrap())
                .take(20)
                .collect()
        }
        "citations.trackUsage" => {
            let memory = filled(opened);
            memory.context(QUESTION).unwrap();
            memory.close().unwrap();
            let again = Memory::open(memory.path()).unwrap();
            again.stats().unwrap().injections.injections.to_string()
        }
        "evidence.fuzzyThreshold" | "evidence.maxQuoteLength" => evidence(memory),
        _ => panic!("{path}: no check says what this key changes"),
    }
}

/// The citation of an event that was imported.
fn imported(memory: &Memory) -> CitationId {
    let folder = tempfile::tempdir().unwrap();
    let other = Memory::builder()
        .project("shop")
        .open(folder.path())
        .unwrap();
    say(&other, "from elsewhere");
    let mut lines = Vec::new();
    other.upkeep().export_jsonl_to(&mut lines, None).unwrap();
    assert_eq!(
        memory
            .upkeep()
            .import_jsonl_from(&lines[..])
            .unwrap()
            .events,
        1
    );
    let last = Seq(memory.stats().unwrap().last_seq);
    memory.event(last).unwrap().unwrap().citation
}

fn insights(opened: &Opened) -> String {
    let memory = &opened.memory;
    for number in 0..4 {
        say(
            memory,
            &format!("I prefer tabs over spaces, always, said {number} times."),
        );
    }
    for round in 0..4 {
        let session = format!("later{round}");
        let ids: Vec<_> = memory
            .events(Default::default())
            .unwrap()
            .map(|event| recallite::EventRef::Id(event.unwrap().id))
            .collect();
        memory.levels().record_access(&ids, &session, 0.95).unwrap();
        memory.maintain(MaintainBudget::default()).unwrap();
        opened.clock.on(3_600_000);
    }
    (memory.levels().insights(None).unwrap().is_empty()).to_string()
}

fn consolidated(opened: &Opened) -> String {
    let memory = &opened.memory;
    memory
        .endless()
        .set_mode(recallite::rules::endless::MemoryMode::Endless)
        .unwrap();
    filled(opened);
    opened.clock.on(2 * 3_600_000);
    memory.maintain(MaintainBudget::default()).unwrap();
    memory
        .endless()
        .memories(None, None)
        .unwrap()
        .is_empty()
        .to_string()
}

/// A search whose result would be expanded.
fn expanded(opened: &Opened) -> String {
    let memory = &opened.memory;
    say(
        memory,
        "The wombat enclosure in the zoo of Ulm opens at seven thirty.",
    );
    let text = "Numbers about bread, trains, and weather. ".repeat(200);
    for number in 0..5 {
        say(memory, &format!("{number} {text}"));
    }
    let query = "when does the wombat enclosure in the zoo of Ulm open?";
    let found = memory
        .smart_search(query, SmartSearchOptions::default())
        .unwrap();
    format!(
        "{:?} {} {} {:?}",
        found.meta.expansion_reason,
        found.timeline.len(),
        found.details.len(),
        found
            .index
            .iter()
            .map(|item| item.score)
            .collect::<Vec<_>>()
    )
}

fn evidence(memory: &Memory) -> String {
    say(
        memory,
        "We decided to keep the archive of the shop in SQLite from now on.",
    );
    let report = memory
        .ingest(
            "s1",
            r#"{"schema_version": 1, "entries": [{"id": "e1", "type": "decision",
                "title": "SQLite", "content": "The archive is kept in SQLite.",
                "quotes": [{"message_index": 0,
                    "quote": "We decidet to keep the archivee of the shop in SQLite"}]}]}"#,
        )
        .unwrap();
    format!("{:?}", report.entries[0].evidence.failed.len())
}

/// The other settings that a key needs to have an effect.
fn beside(path: &str) -> Value {
    match path {
        "matching.minGap" => only("matching.minCombinedScore", &json!(0.0)),
        path if path.starts_with("endless.") && path != "endless.enabled" => {
            only("mode", &json!("endless"))
        }
        _ => json!({}),
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into.as_object_mut(), from) {
        (Some(fields), Value::Object(more)) => {
            for (name, value) in more {
                merge(fields.entry(name).or_insert(json!({})), value);
            }
        }
        (_, from) => *into = from,
    }
}

/// For each key, a value that changes the result of `seen`.
fn telling() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("storage.maxSizeMB", json!(1)),
        ("retrieval.topK", json!(3)),
        ("retrieval.minScore", json!(1.0)),
        ("retrieval.maxTokens", json!(150)),
        ("matching.minCombinedScore", json!(0.0)),
        ("matching.minGap", json!(0.0)),
        ("matching.suggestionThreshold", json!(1.0)),
        ("matching.weights.semanticSimilarity", json!(0.1)),
        ("matching.weights.ftsScore", json!(0.0)),
        ("matching.weights.recencyBonus", json!(0.0)),
        ("matching.weights.statusWeight", json!(0.0)),
        ("privacy.excludePatterns", json!(["wifi_key"])),
        ("privacy.anonymize", json!(true)),
        ("privacy.privateTags.enabled", json!(false)),
        ("privacy.privateTags.marker", json!("[REDACTED]")),
        ("privacy.privateTags.preserveLineCount", json!(true)),
        ("privacy.privateTags.supportedFormats", json!(["bracket"])),
        ("privacy.autoDetect.enabled", json!(false)),
        ("privacy.autoDetect.patterns", json!(["SHOP-\\d+"])),
        ("toolObservation.enabled", json!(false)),
        ("toolObservation.excludedTools", json!(["Bash"])),
        ("toolObservation.maxOutputLength", json!(100)),
        ("toolObservation.maxOutputLines", json!(4)),
        ("toolObservation.storeOnlyOnSuccess", json!(true)),
        ("features.insightExtraction", json!(false)),
        ("features.crossProjectLearning", json!(true)),
        ("mode", json!("endless")),
        ("endless.enabled", json!(true)),
        ("endless.workingSet.maxEvents", json!(7)),
        ("endless.workingSet.timeWindowHours", json!(2)),
        ("endless.workingSet.minRelevanceScore", json!(0.9)),
        ("endless.consolidation.triggerIntervalMs", json!(60_000)),
        ("endless.consolidation.triggerEventCount", json!(11)),
        ("endless.consolidation.triggerIdleMs", json!(90_000)),
        ("endless.consolidation.useLLMSummarization", json!(true)),
        ("endless.continuity.minScoreForSeamless", json!(0.9)),
        ("endless.continuity.topicDecayHours", json!(1.5)),
        ("endless.continuity.topicWeight", json!(0.0)),
        ("endless.continuity.fileWeight", json!(0.0)),
        ("endless.continuity.timeWeight", json!(0.0)),
        ("endless.continuity.entityWeight", json!(0.0)),
        ("endless.continuity.minScoreForTopicShift", json!(0.0)),
        ("progressiveDisclosure.enabled", json!(false)),
        ("progressiveDisclosure.layer1.topK", json!(4)),
        ("progressiveDisclosure.layer1.minScore", json!(1.0)),
        ("progressiveDisclosure.autoExpand.enabled", json!(false)),
        (
            "progressiveDisclosure.autoExpand.maxAutoExpandCount",
            json!(0),
        ),
        (
            "progressiveDisclosure.autoExpand.scoreGapThreshold",
            json!(1.0),
        ),
        (
            "progressiveDisclosure.tokenBudget.maxTotalTokens",
            json!(10),
        ),
        ("citations.enabled", json!(false)),
        ("citations.idLength", json!(8)),
        ("citations.includeInContext", json!(false)),
        ("citations.trackUsage", json!(false)),
        ("citations.format", json!("footnote")),
        ("evidence.fuzzyThreshold", json!(1.0)),
        ("evidence.maxQuoteLength", json!(5)),
    ])
}

/// Keys whose effect has its own test.
const ELSEWHERE: &[&str] = &[
    // Tests below.
    "embedding.provider",
    "embedding.model",
    "embedding.openaiModel",
    "embedding.batchSize",
    "outbox.batchSize",
    "outbox.maxRetries",
    // Unit tests of `engine::settings`: not observable from outside without waiting.
    "outbox.cleanupDays",
    "progressiveDisclosure.autoExpand.highConfidenceThreshold",
    "progressiveDisclosure.cache.layer1Ttl",
    "progressiveDisclosure.cache.layer1MaxSize",
    "progressiveDisclosure.cache.layer2Ttl",
    "progressiveDisclosure.cache.layer2MaxSize",
    "progressiveDisclosure.cache.layer3Ttl",
    "progressiveDisclosure.cache.layer3MaxSize",
    // Tests of the CLI.
    "storage.path",
    "features.autoSave",
    "features.sessionSummary",
    "viewer.port",
];

/// The error for each unsupported key.
fn refused() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("features.singleWriterMode", json!(false)),
        ("progressiveDisclosure.tokenBudget.layer1PerItem", json!(51)),
        ("progressiveDisclosure.tokenBudget.layer2PerItem", json!(41)),
        (
            "progressiveDisclosure.tokenBudget.layer3PerItem",
            json!(501),
        ),
        ("viewer.hostname", json!("0.0.0.0")),
        ("outbox.pollIntervalMs", json!(500)),
        ("outbox.embeddingVersion", json!("v2")),
    ])
}

fn keys() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let rows = memory.upkeep().settings().unwrap();
    rows.into_iter().map(|row| row.key).collect()
}

#[test]
fn every_key_acts_or_is_refused_by_its_name() {
    let (telling, refused) = (telling(), refused());
    for key in keys() {
        if ELSEWHERE.contains(&&*key) {
            continue;
        }
        if let Some(value) = refused.get(&*key) {
            let folder = tempfile::tempdir().unwrap();
            let error = Memory::builder()
                .settings(json_of(&only(&key, value)))
                .open(folder.path())
                .unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgument, "{key}");
            assert_eq!(error.argument(), Some(&*key));
            assert!(error.message().contains(" is not supported; "), "{error}");
            continue;
        }
        let value = telling
            .get(&*key)
            .unwrap_or_else(|| panic!("{key}: neither acts nor is refused"));
        let mut settings = beside(&key);
        let without = seen(&key, &opened(&settings));
        merge(&mut settings, only(&key, value));
        let with = seen(&key, &opened(&settings));
        assert_ne!(with, without, "{key}: {value} changes nothing");
    }
}

#[test]
fn a_pattern_that_is_none_is_refused_by_its_key() {
    for (key, value) in [
        ("privacy.excludePatterns", json!(["["])),
        ("privacy.autoDetect.patterns", json!(["a", "("])),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let error = Memory::builder()
            .settings(json_of(&only(key, &value)))
            .open(folder.path().join("store"))
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{key}");
        assert_eq!(error.argument(), Some(key));
        assert!(error.message().starts_with(key), "{error}");
    }
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let settings = json!({
        "retrieval": {"topK": 5.0},
        "endless": {"workingSet": {"timeWindowHours": 24.0}},
    });
    let opened = opened(&settings);
    let config = opened.memory.endless().config().unwrap();
    assert_eq!(config.working_set.time_window_ms, 24 * 3_600_000);
    for (path, value) in [
        ("retrieval.topK", json!(5.5)),
        ("evidence.maxQuoteLength", json!(501)),
    ] {
        let settings = json_of(&only(path, &value));
        let folder = tempfile::tempdir().unwrap();
        let error = Memory::builder().settings(settings).open(folder.path());
        assert_eq!(error.unwrap_err().argument(), Some(path));
    }
}

#[test]
fn the_defaults_of_the_reference_open_a_memory() {
    let all: Value = serde_json::from_str(Settings::default().to_json().as_str()).unwrap();
    assert_eq!(all["features"]["sessionSummary"], json!(true));
    assert_eq!(all["embedding"]["model"], json!("all-MiniLM-L6-v2"));
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder().settings(json_of(&all));
    let memory = memory.open(folder.path()).unwrap();
    // The built-in word vectors are used.
    assert!(memory.stats().unwrap().embedding.is_none());
    let event = NewEvent::new(
        EventKind::UserPrompt,
        "s",
        "The boiler is reset by the red knob.",
    );
    memory.append(event).unwrap();
    assert_eq!(
        memory
            .search("how is the boiler reset?")
            .unwrap()
            .items
            .len(),
        1
    );
}

#[test]
fn an_embedder_of_the_call_stands_in_for_the_provider() {
    let asked = |settings: &Value| {
        let folder = tempfile::tempdir().unwrap();
        let builder = Memory::builder().settings(json_of(settings));
        builder.open(folder.path()).map(drop).unwrap_err()
    };
    let error = asked(&json!({"embedding": {"provider": "openai"}}));
    assert_eq!(
        error.to_string(),
        "embedding.provider: \"openai\" is not supported; give an embedder function instead"
    );
    let error = asked(&json!({"embedding": {"openaiModel": "text-embedding-3-large"}}));
    assert_eq!(error.argument(), Some("embedding.openaiModel"));
    let error = asked(&json!({"embedding": {"model": "all-mpnet-base-v2"}}));
    assert_eq!(error.argument(), Some("embedding.model"));
    let settings =
        json!({"embedding": {"provider": "openai", "model": "large", "openaiModel": "x"}});
    let embedder = CallbackEmbedder::new("ours", 1, |texts| Ok(vec![vec![1.0]; texts.len()]));
    let opened = opened_with(&settings, |builder| {
        builder.embedder(Arc::new(embedder.unwrap()))
    });
    let rows = opened.memory.upkeep().settings().unwrap();
    let row = rows
        .iter()
        .find(|row| row.key == "embedding.model")
        .unwrap();
    assert_eq!(
        (row.value.as_str(), row.source),
        ("\"ours\"", SettingSource::Call)
    );
}

#[test]
fn batches_and_retries_of_the_worker_are_as_the_settings_say() {
    let batches = |settings: &Value| {
        let most = Arc::new(Mutex::new(0));
        let seen = most.clone();
        let embedder = CallbackEmbedder::new("counts", 1, move |texts| {
            let mut most = seen.lock().unwrap();
            *most = texts.len().max(*most);
            Ok(vec![vec![1.0]; texts.len()])
        });
        let opened = opened_with(settings, |builder| {
            builder.embedder(Arc::new(embedder.unwrap()))
        });
        filled(&opened);
        opened.memory.process_outbox(100).unwrap();
        *most.lock().unwrap()
    };
    let alone = batches(&json!({}));
    assert!(alone > 20, "{alone}");
    assert_eq!(batches(&json!({"embedding": {"batchSize": 4}})), 4);
    assert_eq!(batches(&json!({"outbox": {"batchSize": 3}})), 3);

    let tries = |settings: &Value| {
        let tries = Arc::new(Mutex::new(0));
        let counted = tries.clone();
        let embedder = CallbackEmbedder::new("fails", 1, move |_| {
            *counted.lock().unwrap() += 1;
            Err("no".into())
        });
        let opened = opened_with(settings, |builder| {
            builder.embedder(Arc::new(embedder.unwrap()))
        });
        say(&opened.memory, "one text");
        for _ in 0..8 {
            let _ = opened.memory.process_outbox(10);
            opened.clock.on(86_400_000);
        }
        *tries.lock().unwrap()
    };
    assert_eq!(tries(&json!({"outbox": {"maxRetries": 0}})), 1);
    assert!(tries(&json!({})) > 1);
}

#[test]
fn what_wins_is_the_option_then_the_settings_then_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let in_file = json!({
        "retrieval": {"topK": 3, "maxTokens": 400},
        "privacy": {"anonymize": true},
        "toolObservation": {"maxOutputLines": 7, "enabled": false},
        "endless": {"workingSet": {"maxEvents": 9}},
    });
    std::fs::write(&file, format!("\u{feff}{in_file}")).unwrap();
    let store = folder.path().join("store");
    let limits = ToolLimits::default().max_output_lines(55);
    let memory = Memory::builder()
        .settings(json_of(&json!({"retrieval": {"topK": 2}})))
        .settings_file(file)
        .tool_limits(limits)
        .tool_policy(ToolPolicy::default())
        .open(&store)
        .unwrap();
    let row = |memory: &Memory, key: &str| {
        let rows = memory.upkeep().settings().unwrap();
        let row = rows.into_iter().find(|row| row.key == key).unwrap();
        format!("{} {}", row.value.as_str(), row.source)
    };
    for (key, expected) in [
        ("retrieval.topK", "2 call"),
        ("retrieval.maxTokens", "400 file"),
        ("retrieval.minScore", "null default"),
        ("privacy.anonymize", "true file"),
        ("toolObservation.maxOutputLines", "55 call"),
        ("toolObservation.enabled", "true call"),
        (
            "toolObservation.excludedTools",
            r#"["TodoWrite","TodoRead"] call"#,
        ),
        ("endless.workingSet.maxEvents", "9 file"),
        ("mode", "\"session\" default"),
        ("viewer.port", "null default"),
    ] {
        assert_eq!(row(&memory, key), expected, "{key}");
    }
    let before = memory.stats().unwrap().events;
    let skipped = call(&memory, tool("TodoWrite", "done"));
    assert_eq!(skipped.skipped, Some(SkipReason::ToolExcluded));
    assert_eq!(skipped.seq.0, 0);
    assert_eq!(memory.stats().unwrap().events, before);
    // The arguments of a call override everything.
    for number in 0..8 {
        say(&memory, &format!("The payment port is {number}."));
    }
    let found = memory.search(Query::new("payment port").limit(6)).unwrap();
    assert_eq!(found.items.len(), 6);
    assert_eq!(memory.search("payment port").unwrap().items.len(), 2);
    let given = memory.context(ContextOptions::new("payment port").limit(4));
    assert!(given.unwrap().items.len() > 2);
    drop(memory);
    // The store keeps its own settings; the others end with the handle.
    let again = Memory::open(&store).unwrap();
    assert_eq!(row(&again, "endless.workingSet.maxEvents"), "9 store");
    assert_eq!(row(&again, "retrieval.topK"), "null default");
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let open = |name: &str, content: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let builder = Memory::builder().settings_file(path);
        let error = builder.open(&store).map(drop).unwrap_err();
        assert!(error.message().contains(name), "{error}");
        (error.code(), error.argument().map(str::to_owned))
    };
    let of_file = |code| (code, Some("settings_file".to_owned()));
    assert_eq!(open("missing", None), of_file(ErrorCode::NotFound));
    assert_eq!(
        open("bytes", Some(&[0xff, 0xfe])),
        of_file(ErrorCode::InvalidArgument)
    );
    let long = vec![b' '; (1 << 20) + 1];
    assert_eq!(
        open("long", Some(&long)),
        of_file(ErrorCode::InvalidArgument)
    );
    let invalid = || of_file(ErrorCode::InvalidArgument);
    assert_eq!(open("empty", Some(b"")), invalid());
    assert_eq!(open("broken", Some(b"{\"mode\":")), invalid());
    assert_eq!(open("deep", Some("[".repeat(9_999).as_bytes())), invalid());
    let key = (ErrorCode::InvalidArgument, Some("mode".to_owned()));
    assert_eq!(open("mode", Some(br#"{"mode":"fast"}"#)), key);
    for twice in [
        r#"{"retrieval":{"topK":2,"topK":3}}"#,
        r#"{"mode":"session","\u006dode":"endless"}"#,
    ] {
        assert_eq!(open("twice", Some(twice.as_bytes())), invalid());
    }
    assert!(!store.exists(), "a refused opening made a store");
}

#[test]
fn contradictions_about_the_mode_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for settings in [
        json!({"mode": "session", "endless": {"enabled": true}}),
        json!({"mode": "endless", "endless": {"enabled": false}}),
    ] {
        let builder = Memory::builder().settings(json_of(&settings));
        let error = builder.open(folder.path()).map(drop).unwrap_err();
        assert_eq!(error.argument(), Some("endless.enabled"));
    }
    let both = json!({"mode": "endless", "endless": {"enabled": true}});
    let opened = opened(&both);
    let mode = opened.memory.endless().mode().unwrap();
    assert_eq!(mode.as_str(), "endless");
}

#[test]
fn the_guide_has_every_key_with_both_defaults() {
    let guide = include_str!("../../../docs/guides/settings.md");
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    for row in memory.upkeep().settings().unwrap() {
        let key = &row.key;
        let line = guide
            .lines()
            .find(|line| line.starts_with(&format!("| `{key}` |")))
            .unwrap_or_else(|| panic!("{key} is not in the guide"));
        let cells: Vec<&str> = line.split(" | ").collect();
        let reference = Settings::default_value(key).unwrap();
        let same = |shown: &str, value: &str| {
            let shown = shown.split('`').nth(1).unwrap_or_default();
            let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            match (of(shown).as_f64(), of(value).as_f64()) {
                (Some(shown), Some(value)) => shown == value,
                _ => of(shown) == of(value),
            }
        };
        assert!(same(cells[2], reference.as_str()), "{line}");
        // The folder is an argument of the call; the mode is the store's.
        if ["storage.path", "mode", "endless.enabled"].contains(&key.as_str()) {
            continue;
        }
        match row.value.as_str() {
            "null" => assert!(
                !cells[3].contains("same") && !cells[3].contains('`'),
                "{line}"
            ),
            value if cells[3] == "same" => assert_eq!(value, reference.as_str(), "{key}"),
            value => assert!(same(cells[3], value), "{line}"),
        }
    }
}
