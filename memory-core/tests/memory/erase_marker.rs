//! A word is planted in every input of the interface. After the events it came with are erased, no
//! byte of the folder contains it, and all other data remains.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use recallite::embed::Embedder;
use recallite::rules::endless::MemoryMode;
use recallite::rules::entries::{EntryType, MemoryAnswer, ResolutionKind, Stage};
use recallite::rules::graph::{EdgeEnds, NodeType, Relation};
use recallite::rules::history::{ConflictVerdict, Decision, DecisionEvidence};
use recallite::rules::levels::InsightKind;
use recallite::rules::tasks::TaskStatus;
use recallite::rules::tasks::events::ResolutionType;
use recallite::rules::tasks::{EntityId, EntityKind};
use recallite::scope::ProjectScope;
use recallite::{
    ContextOptions, Dedupe, EdgeFilter, Entity, EntryFilter, Error, ErrorCode, EventFilter,
    EventKind, EventRef, IngestOptions, Json, MaintainBudget, Memory, NewEntry, NewEvent, NewTask,
    Recording, ScopeKind, Selector, Seq, SessionUpdate, TaskFilter, ToolUse,
};
use serde_json::json;

/// The prefix of every planted word; the rest tells where it was planted.
const WORD: &str = "quetzal";

/// Words of languages whose index holds pairs of letters.
const KOREAN: &str = "꿿뗗쐟";
const JAPANESE: &str = "鵼鸞ゐ";

/// Every occurrence of the word in the folder, with the bytes around it.
fn places(folder: &Path) -> Vec<String> {
    places_of(folder, WORD)
}

/// Every occurrence of a text in lower case.
fn places_of(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .to_lowercase()
            .contains(word)
        {
            found.push(path.display().to_string());
        }
        if path.is_dir() {
            found.extend(places_of(&path, word));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        for (at, part) in bytes.windows(word.len()).enumerate() {
            if part == word.as_bytes() && found.len() < 20 {
                let around = &bytes[at.saturating_sub(60)..(at + 60).min(bytes.len())];
                found.push(format!("{}: {}", path.display(), around.escape_ascii()));
            }
        }
    }
    found
}

/// An embedder whose errors quote the text, like those of some services.
struct Gossip;

impl Embedder for Gossip {
    fn id(&self) -> &str {
        "gossip"
    }

    fn dimensions(&self) -> usize {
        8
    }

    fn embed(&self, texts: &[&str]) -> recallite::Result<Vec<Vec<f32>>> {
        if let Some(bad) = texts.iter().find(|text| text.contains("unspeakable")) {
            return Err(Error::new(
                ErrorCode::Embedder,
                format!("refused to embed: {bad}"),
            ));
        }
        let vector = |text: &&str| {
            (1..9)
                .map(|n| (text.len() % (n + 1)) as f32 + 1.0)
                .collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn open(folder: &Path) -> Memory {
    Memory::builder()
        .embedder(Arc::new(Gossip))
        .open(folder)
        .unwrap()
}

fn say(memory: &Memory, session: &str, kind: EventKind, text: &str) -> recallite::EventId {
    memory
        .append(NewEvent::new(kind, session, text))
        .unwrap()
        .id
}

/// What others said and learned, all of which must remain.
fn others(memory: &Memory) -> recallite::EventId {
    let id = say(
        memory,
        "kept",
        EventKind::UserPrompt,
        "The door of the archive is green, see src/door.rs.",
    );
    say(
        memory,
        "kept",
        EventKind::AgentResponse,
        "Noted: a green door for the archive.",
    );
    let report = memory
        .ingest(
            "kept",
            &json!({
                "schema_version": 1,
                "entries": [
                    {"id": "k1", "type": "fact", "title": "The archive door is green",
                     "content": "The door of the archive is green.",
                     "quotes": [{"message_index": 0, "quote": "The door of the archive is green"}]},
                    {"id": "k2", "type": "insight", "title": "Doors have colours",
                     "content": "A door has a colour.",
                     "quotes": [{"message_index": 1, "quote": "a green door for the archive"}]}
                ],
                "tasks": [{"id": "kt", "title": "Paint the archive door", "status": "blocked",
                    "blocked_by": ["OPS-77"],
                    "quotes": [{"message_index": 0, "quote": "The door of the archive is green"}]}],
                "relations": [{"from": "k1", "relation": "evidence_of", "to": "kt"}]
            })
            .to_string(),
        )
        .unwrap();
    assert_eq!(report.entries[0].stage, Stage::Verified);
    id
}

/// Plants the word in every input, in a session with its own name.
fn plant(memory: &Memory, kept: recallite::EventId, session: &str) -> Vec<recallite::EventId> {
    plant_word(memory, kept, session, WORD)
}

fn plant_word(
    memory: &Memory,
    kept: recallite::EventId,
    session: &str,
    marker: &str,
) -> Vec<recallite::EventId> {
    let word = |place: &str| format!("{marker}{place}ing");
    // The ids that a model makes up are of Latin letters.
    let local = |place: &str| match marker.is_ascii() {
        true => word(place),
        false => place.to_owned(),
    };
    let mut ids = Vec::new();
    let mut event = NewEvent::new(
        EventKind::UserPrompt,
        session,
        format!(
            "{} met class {} in src/{}.rs, and I prefer {}",
            word("content"),
            word("entity"),
            word("file"),
            word("preference")
        ),
    )
    .actor(word("actor"))
    .project(word("project"))
    .metadata(Json::parse("m", &json!({word("key"): [word("value")]}).to_string()).unwrap());
    event.dedupe = Dedupe::Key(word("dedupe"));
    ids.push(memory.append(event).unwrap().id);
    ids.push(say(
        memory,
        session,
        EventKind::AgentResponse,
        &format!("We do {} on Monday", word("answer")),
    ));
    let tool = |name: &str, error: Option<String>| {
        let mut made = ToolUse::new(word(name)).input(Json::parse("i", &json!({"file_path": format!("/srv/{}.rs", word("path")), "command": word("command")}).to_string()).unwrap()).output(format!("{} came out", word("output"))).success(error.is_none());
        made.error = error;
        made
    };
    ids.push(
        memory
            .append(NewEvent::tool(session, tool("tool", None)))
            .unwrap()
            .id,
    );
    ids.push(
        memory
            .append(NewEvent::tool(session, tool("other", Some(word("error")))))
            .unwrap()
            .id,
    );
    ids.push(say(
        memory,
        session,
        EventKind::SessionSummary,
        &format!("All about {}", word("summary")),
    ));
    ids.push(say(
        memory,
        session,
        EventKind::UserPrompt,
        &format!("{} is unspeakable", word("embedder")),
    ));
    memory
        .update_session(
            session,
            SessionUpdate::default()
                .summary(word("sessionsummary"))
                .tags([word("tag")]),
        )
        .unwrap();
    // Repeated by the other side: a recurring topic.
    ids.push(say(
        memory,
        session,
        EventKind::UserPrompt,
        &format!("We do {} on Monday!", word("answer")),
    ));
    while memory.process_outbox(50).unwrap().succeeded > 0 {}

    // Recall: the question, the reason, the recipient, and the result.
    for recording in [Recording::Now, Recording::Later] {
        let question = format!("{} met {} archive door", word("content"), word("question"));
        let mut options = ContextOptions::new(question.as_str())
            .session(session)
            .recording(recording)
            .reason(word("reason"));
        options.query.project = ProjectScope::All;
        let context = memory
            .context(options.pinned([kept.into(), ids[0].into()]))
            .unwrap();
        assert!(!context.is_empty());
    }
    memory
        .levels()
        .record_access(&[kept.into(), ids[0].into()], session, 0.9)
        .unwrap();
    memory.levels().pin(ids[0]).unwrap();
    memory.search(word("search").as_str()).unwrap();

    // Learning: quotes that are in the messages and quotes that are not.
    let extraction = json!({
        "schema_version": 1,
        "entries": [
            {"id": local("local"), "type": "decision", "title": word("title"), "content": word("entrycontent"),
             "quotes": [{"message_index": 1, "quote": format!("We do {} on Monday", word("answer"))}]},
            {"id": "e2", "type": "fact", "title": word("failedtitle"), "content": word("failedcontent"),
             "quotes": [{"message_index": 0, "quote": word("failedquote")}]},
            {"id": "e3", "type": "fact", "title": word("bare"), "content": word("barecontent"), "quotes": []},
            {"id": "e4", "type": "decision", "title": word("newer"), "content": word("newercontent"),
             "quotes": [{"message_index": 0, "quote": word("content")}]}
        ],
        "tasks": [
            {"id": local("localtask"), "title": format!("Do {}", word("task")), "description": word("description"),
             "status": "blocked", "blocked_by": [format!("approval of {}", word("condition")), format!("https://example.com/{}", word("artifact")), "OPS-77"],
             "quotes": [{"message_index": 1, "quote": format!("We do {} on Monday", word("answer"))}]},
            {"id": "t2", "title": format!("Guess {}", word("guess")), "status": "in_progress", "priority": "high",
             "blocked_by": [], "quotes": []}
        ],
        "relations": [
            {"from": "e2", "relation": "derived_from", "to": local("local")},
            {"from": "e3", "relation": "contradicts", "to": "e2"},
            {"from": "e4", "relation": "supersedes", "to": local("local")},
            {"from": "e4", "relation": "mentions", "to": "t2"}
        ]
    });
    let options = IngestOptions::default()
        .extractor_model(word("model"))
        .extractor_prompt(word("prompt"));
    let report = memory
        .ingest_with(session, &extraction.to_string(), &options)
        .unwrap();
    assert_eq!(report.entries[0].stage, Stage::Verified);
    assert_eq!(report.entries[1].evidence.failed.len(), 1);
    let entry = |index: usize| report.entries[index].entry_id.clone();

    let again = |status: &str| {
        json!({
            "schema_version": 1,
            "entries": [],
            "tasks": [{"id": local("again"), "title": format!("Do {}", word("task")), "status": status,
                "priority": "critical", "quotes": []}],
            "relations": []
        })
        .to_string()
    };
    for status in ["cancelled", "done"] {
        memory.ingest(session, &again(status)).unwrap();
    }

    // A host's feedback on what was learned.
    let conflict = memory
        .knowledge()
        .contradict(&entry(2), &entry(3), Some(&word("conflict")))
        .unwrap();
    memory
        .knowledge()
        .resolve_conflict(
            &conflict.conflict_id,
            &ConflictVerdict::new(entry(3), word("resolution"), word("resolver")),
        )
        .unwrap();
    memory
        .knowledge()
        .certify(&entry(3), &word("certifier"))
        .unwrap();
    let now = recallite::Timestamp::from_millis(
        memory
            .knowledge()
            .entry(&entry(3))
            .unwrap()
            .unwrap()
            .created_at
            .millis()
            + 1_000,
    )
    .unwrap();
    memory
        .history()
        .record_decision(
            &Decision::new(word("decision"), now, word("decider"), word("action"))
                .outcome(Json::parse("o", &json!({"is": word("outcome")}).to_string()).unwrap())
                .build_id(word("build"))
                .evidence([
                    DecisionEvidence::entry(&entry(3), Stage::Verified, word("role"), now).unwrap(),
                ]),
        )
        .unwrap();
    let task = report.tasks[1].task_id.clone();
    memory.tasks().rename(&task, &word("renamed")).unwrap();
    memory
        .tasks()
        .change_status(&task, TaskStatus::Blocked, &[word("blocker")])
        .unwrap();
    let condition = memory
        .tasks()
        .get(&task)
        .unwrap()
        .unwrap()
        .task
        .phase
        .confirmed()[0]
        .entity_id
        .clone();
    memory
        .tasks()
        .resolve_condition(
            &condition,
            &(EntityKind::Task, report.tasks[0].task_id.clone()).into(),
            ResolutionType::UserConfirmed,
            0.9,
        )
        .unwrap();
    let mention = |from: usize| EdgeEnds {
        source_type: NodeType::Entry,
        source_id: entry(from).as_str().to_owned(),
        relation: Relation::Mentions,
        destination_type: NodeType::Entity,
        destination_id: report.tasks[0].task_id.as_str().to_owned(),
    };
    for (from, place) in [(3, "edge"), (2, "removededge")] {
        let note = Json::parse("m", &json!({"note": word(place)}).to_string()).unwrap();
        memory
            .knowledge()
            .add_edge(&mention(from), Some(&note))
            .unwrap();
    }
    assert!(memory.knowledge().remove_edge(&mention(2)).unwrap());
    memory
        .knowledge()
        .resolve_memory(
            entry(1).as_str(),
            &MemoryAnswer::new(ResolutionKind::Confirmed, 0.5).resolved_to(entry(3).as_str()),
        )
        .unwrap();
    memory.knowledge().mark_unknown_context(ids[0]).unwrap();

    // The endless mode.
    let text = format!(
        "class {} in src/{}.rs and src/door.rs",
        word("entity"),
        word("file")
    );
    memory
        .endless()
        .score_continuity(session, "Another archive in src/door.rs")
        .unwrap();
    memory.endless().score_continuity(session, &text).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    ids.push(say(
        memory,
        session,
        EventKind::UserPrompt,
        &format!("deploy {} to the database", word("endless")),
    ));
    memory.endless().context(None).unwrap();
    let by_hand = [EventRef::from(kept), ids[0].into(), ids[6].into()];
    memory.endless().add_to_working_set(&by_hand, 0.9).unwrap();
    memory.endless().refresh_working_set(&by_hand).unwrap();
    memory
        .endless()
        .consolidate_with(&mut |_, _| Ok(Some(word("summarizer"))))
        .unwrap();
    memory.endless().add_to_working_set(&by_hand, 0.9).unwrap();
    memory.endless().prune_working_set(&by_hand[..2]).unwrap();
    memory.endless().context(None).unwrap();
    let accessed: Vec<EventRef> = [kept, ids[0], ids[1], ids[6]].map(EventRef::from).into();
    for _ in 0..3 {
        for reader in ["r1", "r2", "r3", "r4", "r5", "r6"] {
            memory
                .levels()
                .record_access(&accessed, reader, 0.95)
                .unwrap();
        }
        memory.levels().graduate(500).unwrap();
    }
    let insights = memory.levels().insights(None).unwrap();
    // Rules recognise no preference in an English sentence with words of other letters.
    let kinds = [InsightKind::Pattern, InsightKind::Preference];
    for kind in kinds
        .into_iter()
        .take(if marker.is_ascii() { 2 } else { 1 })
    {
        assert!(
            insights
                .iter()
                .any(|insight| insight.kind == kind && insight.content.contains(marker)),
            "{insights:?}"
        );
    }
    memory.endless().set_mode(MemoryMode::Session).unwrap();
    let update = SessionUpdate::default().project(word("givenproject"));
    memory.update_session(session, update).unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    // Still buffered in memory when the erasure begins.
    memory
        .context(
            ContextOptions::new(word("pending").as_str())
                .session(session)
                .reason(word("waiting"))
                .pinned([kept.into()]),
        )
        .unwrap();
    ids
}

/// Every string field of the library's own records that never contains the planted word:
/// `kind/path`.
fn unplanted_fields(memory: &Memory) -> BTreeSet<String> {
    fn walk(value: &serde_json::Value, path: &str, all: &mut BTreeMap<String, bool>) {
        match value {
            serde_json::Value::String(text) => {
                *all.entry(path.to_owned()).or_default() |= text.to_lowercase().contains(WORD);
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| walk(item, path, all));
            }
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    walk(value, &format!("{path}/{name}"), all);
                }
            }
            _ => {}
        }
    }
    let mut all = BTreeMap::new();
    for event in memory.changes_since(Seq(0), usize::MAX).unwrap() {
        if let Some(metadata) = event.metadata.filter(|_| !event.kind.is_conversation()) {
            let value = serde_json::from_str(metadata.as_str()).unwrap();
            walk(&value, event.kind.as_str(), &mut all);
        }
    }
    let unplanted = all.into_iter().filter(|(_, is_planted)| !is_planted);
    unplanted.map(|(path, _)| path).collect()
}

/// Fields of ids, keys and hashes that are erased with their text, and of fixed words.
const NO_TEXT: [&str; 138] = [
    "accessed/accesses/event_id",
    "accessed/memories/memory_id",
    "artifact_declared/artifact_id",
    "artifact_declared/artifact_type",
    "artifact_declared/canonical_key",
    "artifact_declared/source_events",
    "build_run/build_id",
    "build_run/checker_version",
    "build_run/embedder_model",
    "build_run/embedding_version",
    "build_run/extraction_key",
    "build_run/extractor_prompt_hash",
    "build_run/report/entries/global_id",
    "build_run/report/tasks/global_id",
    "build_run/schema_version",
    "build_run/status",
    "condition_declared/condition_id",
    "condition_declared/source_events",
    "condition_resolved_to/condition_id",
    "condition_resolved_to/resolution_type",
    "condition_resolved_to/resolved_to/entity_id",
    "condition_resolved_to/resolved_to/kind",
    "condition_resolved_to/source_entry_id",
    "conflict_changed/conflict_id",
    "conflict_changed/conflict_type",
    "conflict_changed/newer_id",
    "conflict_changed/older_id",
    "consolidated/memory_id",
    "consolidated/source_events",
    "consolidated/summary_event",
    "consolidated/topics",
    "continuity_scored/current/topics",
    "continuity_scored/transition_type",
    "decision_made/evidence/evidence_id",
    "decision_made/evidence/evidence_kind",
    "decision_made/evidence/evidence_stage",
    "edge_changed/added/dst_id",
    "edge_changed/added/dst_type",
    "edge_changed/added/meta/alignment_method",
    "edge_changed/added/meta/event_id",
    "edge_changed/added/meta/source_event_id",
    "edge_changed/added/rel_type",
    "edge_changed/added/src_id",
    "edge_changed/added/src_type",
    "edge_changed/build_id",
    "edge_changed/removed/dst_id",
    "edge_changed/removed/dst_type",
    "edge_changed/removed/rel_type",
    "edge_changed/removed/src_id",
    "edge_changed/removed/src_type",
    "entries_checked/build_id",
    "entries_checked/checked/entry_id",
    "entries_checked/checked/stage",
    "entries_checked/checked/type",
    "entry_changed/act",
    "entry_changed/against",
    "entry_changed/build_id",
    "entry_changed/by",
    "entry_changed/entry_id",
    "entry_changed/lifecycle/evidence/aligned/event_id",
    "entry_changed/lifecycle/evidence/aligned/match_method",
    "entry_changed/lifecycle/evidence/aligned/quote_hash",
    "entry_changed/lifecycle/evidence/failed/quote_hash",
    "entry_changed/lifecycle/evidence/failed/reason",
    "entry_changed/lifecycle/stage",
    "entry_changed/promotions/build_id",
    "entry_changed/promotions/entry_id",
    "entry_changed/promotions/from_stage",
    "entry_changed/promotions/to_stage",
    "entry_changed/sources/alignment_method",
    "entry_changed/sources/event_id",
    "entry_changed/status",
    "entry_changed/type",
    "entry_changed/with",
    "evidence_aligned/build_id",
    "evidence_aligned/entry_id",
    "evidence_aligned/evidence/event_id",
    "evidence_aligned/evidence/match_method",
    "evidence_aligned/evidence/quote_hash",
    "evidence_aligned/extraction_event_id",
    "evidence_aligned/failed_quotes/quote_hash",
    "evidence_aligned/failed_quotes/reason",
    "evidence_aligned/source_event_id",
    "injected/items/citation",
    "level_changed/insights/insight_type",
    "level_changed/insights/sources",
    "level_changed/levels/event_id",
    "level_changed/levels/from",
    "level_changed/levels/reason",
    "level_changed/levels/to",
    "memory_extracted/build_id",
    "memory_extracted/extraction_key",
    "memory_extracted/source_event_id",
    "memory_resolved/condition_id",
    "memory_resolved/id",
    "memory_resolved/placeholder_of",
    "memory_resolved/resolution_type",
    "memory_resolved/resolved_to",
    "memory_resolved/type",
    "pin_changed/pins/event_id",
    "pipeline_metric/stage",
    "session_ingested/build_id",
    "session_ingested/first_event_id",
    "session_ingested/last_event_id",
    "session_ingested/reader",
    "session_ingested/reports/event_id",
    "setting_changed/pruned/event_id",
    "setting_changed/refreshed/event_id",
    "setting_changed/settings/mode",
    "setting_changed/settings/working_set_id",
    "setting_changed/working_set/event_id",
    "setting_changed/working_set/topics",
    "task_blockers_set/blockers/confidence",
    "task_blockers_set/blockers/entity_id",
    "task_blockers_set/blockers/kind",
    "task_blockers_set/mode",
    "task_blockers_set/source_events",
    "task_blockers_set/task_id",
    "task_created/initial_status",
    "task_created/priority",
    "task_created/source_events",
    "task_created/task_id",
    "task_priority_changed/from",
    "task_priority_changed/task_id",
    "task_priority_changed/to",
    "task_status_changed/blockers/confidence",
    "task_status_changed/blockers/entity_id",
    "task_status_changed/blockers/kind",
    "task_status_changed/from_status",
    "task_status_changed/source_events",
    "task_status_changed/task_id",
    "task_status_changed/to_status",
    "task_title_changed/source_entry_id",
    "task_title_changed/task_id",
    "task_transition_rejected/from_status",
    "task_transition_rejected/reason",
    "task_transition_rejected/task_id",
    "task_transition_rejected/to_status",
];

/// Event kinds that no call of a host creates, or only an erasure.
const NOT_PLANTED: [EventKind; 2] = [EventKind::Forgotten, EventKind::Erased];

#[test]
fn a_word_planted_in_every_input_is_in_no_byte_after_the_session_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let kept = others(&memory);
    let session = format!("{WORD}session");
    plant(&memory, kept, &session);
    let kinds: BTreeSet<EventKind> = memory
        .changes_since(Seq(0), usize::MAX)
        .unwrap()
        .iter()
        .map(|event| event.kind)
        .collect();
    let missing: Vec<_> = EventKind::ALL
        .iter()
        .filter(|kind| !kinds.contains(kind) && !NOT_PLANTED.contains(kind))
        .collect();
    assert!(
        missing.is_empty(),
        "{missing:?} are not planted: plant them"
    );
    let unplanted = unplanted_fields(&memory);
    let known: BTreeSet<String> = NO_TEXT.iter().map(|&field| field.to_owned()).collect();
    let new: Vec<&String> = unplanted.difference(&known).collect();
    assert!(
        new.is_empty(),
        "{new:#?} hold no planted word: plant them, or list them"
    );
    assert_ne!(places(folder.path()), [""; 0]);
    let receipt = memory
        .erase(&Selector::new().session(&session).project(ProjectScope::All))
        .unwrap();
    assert!(receipt.is_complete && receipt.count >= 8, "{receipt:?}");
    assert_eq!(places(folder.path()), [""; 0]);
    check_others(&memory, kept);
    memory
        .append(NewEvent::new(EventKind::UserPrompt, "kept", "life goes on"))
        .unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    drop(memory);
    assert_eq!(places(folder.path()), [""; 0], "closing wrote it again");
    check_others(&open(folder.path()), kept);
}

/// In languages without spaces the index holds every pair of letters.
#[test]
fn no_two_letters_of_a_word_are_in_any_byte_after_the_session_is_erased() {
    for marker in [KOREAN, JAPANESE] {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(folder.path());
        let kept = others(&memory);
        let session = format!("{marker}session");
        plant_word(&memory, kept, &session, marker);
        let letters: Vec<char> = marker.chars().collect();
        let pairs: Vec<String> = letters.windows(2).map(String::from_iter).collect();
        for pair in &pairs {
            assert_ne!(places_of(folder.path(), pair), [""; 0]);
        }
        let selector = Selector::new().session(&session).project(ProjectScope::All);
        let receipt = memory.erase(&selector).unwrap();
        assert!(receipt.is_complete && receipt.count >= 8, "{receipt:?}");
        for pair in &pairs {
            assert_eq!(places_of(folder.path(), pair), [""; 0]);
        }
        check_others(&memory, kept);
        memory.maintain(MaintainBudget::default()).unwrap();
        drop(memory);
        for pair in &pairs {
            let found = places_of(folder.path(), pair);
            assert_eq!(found, [""; 0], "closing wrote it again");
        }
    }
}

/// What a host says of a project and a session outside of conversations: tasks and entries by hand,
/// pauses, what is shared, and the project that a session is given.
#[test]
fn a_word_that_a_host_gave_by_hand_is_in_no_byte_after_its_project_is_erased() {
    for marker in [WORD, KOREAN, JAPANESE] {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(folder.path());
        let kept = others(&memory);
        let word = |place: &str| format!("{marker}{place}ing");
        let (session, project) = (word("session"), word("project"));
        let said = NewEvent::new(EventKind::UserPrompt, &*session, "The other door is red.");
        memory
            .append(said.project(&*project).actor(word("actor")))
            .unwrap();
        let given = ContextOptions::new("the door of the archive")
            .session("kept")
            .recording(Recording::Now);
        memory.context(given.pinned([kept.into()])).unwrap();
        let update = SessionUpdate::default()
            .project(word("given"))
            .summary(word("summary"));
        memory.update_session(&session, update).unwrap();

        let task = NewTask::new(format!("Do {}", word("task")))
            .project(&*project)
            .description(word("description"))
            .blocked_by([
                format!("approval of {}", word("condition")),
                format!("https://example.com/{}", word("artifact")),
            ]);
        let task = memory.tasks().create(&task).unwrap().id;
        memory.tasks().rename(&task, &word("renamed")).unwrap();
        let critical = recallite::rules::tasks::Priority::Critical;
        memory.tasks().set_priority(&task, critical).unwrap();
        let entry = NewEntry::new(EntryType::Fact, &*session, word("title"), word("entry"));
        memory
            .knowledge()
            .add_entry(&entry.project(&*project))
            .unwrap();
        while memory.process_outbox(50).unwrap().succeeded > 0 {}

        let elsewhere = tempfile::tempdir().unwrap();
        let other = Memory::open(elsewhere.path()).unwrap();
        let identity = other.sharing().identity().unwrap();
        let sharing = memory.sharing();
        let owner = recallite::MemberRole::Owner;
        sharing
            .add_member(&identity, &word("member"), owner)
            .unwrap();
        sharing.announcement(&word("announcement")).unwrap();
        let scopes = [
            (ScopeKind::Session, &session),
            (ScopeKind::Project, &project),
        ];
        for (scope, name) in scopes {
            assert!(sharing.withhold(scope, name).unwrap());
            assert!(memory.pauses().pause(scope, name).unwrap());
        }
        memory
            .pauses()
            .resume(ScopeKind::Session, &session)
            .unwrap();
        assert!(sharing.offer(ScopeKind::Session, &session).unwrap());
        assert!(sharing.remove_member(&identity).unwrap());
        memory.maintain(MaintainBudget::default()).unwrap();

        assert_ne!(places_of(folder.path(), marker), [""; 0]);
        for selector in [
            Selector::new().session(&session).project(ProjectScope::All),
            Selector::everything().project(ProjectScope::Named(project.clone())),
            Selector::everything().project(ProjectScope::Named(word("given"))),
        ] {
            let receipt = memory.erase(&selector).unwrap();
            assert!(receipt.is_complete, "{receipt:?}");
        }
        assert_eq!(places_of(folder.path(), marker), [""; 0]);
        // It is still paused and kept to itself, by what is left of the names.
        let again = NewEvent::new(EventKind::UserPrompt, "new", "hello").project(&*project);
        assert!(memory.append(again).unwrap().skipped.is_some());
        let is_withheld = memory.sharing().is_withheld(ScopeKind::Project, &project);
        assert!(is_withheld.unwrap());
        check_others(&memory, kept);
        memory.maintain(MaintainBudget::default()).unwrap();
        drop(memory);
        assert_eq!(places_of(folder.path(), marker), [""; 0]);
    }
}

#[test]
fn a_word_is_gone_when_the_events_that_hold_it_are_erased_from_a_session_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let kept = others(&memory);
    say(
        &memory,
        "shared",
        EventKind::UserPrompt,
        "The lamp of the archive is blue.",
    );
    let ids = plant_in_shared(&memory, kept);
    let receipt = memory
        .erase(&Selector::new().ids(ids).project(ProjectScope::All))
        .unwrap();
    assert!(receipt.is_complete && receipt.reduced > 0, "{receipt:?}");
    assert_eq!(places(folder.path()), [""; 0]);
    check_others(&memory, kept);
    let entries = memory.knowledge().entries(&EntryFilter::default()).unwrap();
    let lamp = entries
        .iter()
        .find(|row| row.entry.title == "The lamp is blue")
        .unwrap();
    assert_eq!(lamp.entry.lifecycle.stage(), Stage::Verified);
    // The remaining evidence refers to its message by the new number.
    let late = entries
        .iter()
        .find(|row| row.entry.title == "The shelf is red")
        .unwrap();
    let json: serde_json::Value =
        serde_json::from_str(late.entry.lifecycle.to_json().as_str()).unwrap();
    assert_eq!(json["evidence"]["aligned"][0]["message_index"], 1, "{json}");
    let messages = memory
        .knowledge()
        .session_messages("shared", None, None)
        .unwrap();
    assert_eq!(messages.len(), 2);
    assert!(
        messages[1]
            .event
            .as_ref()
            .unwrap()
            .content
            .contains("shelf")
    );
}

fn plant_in_shared(memory: &Memory, kept: recallite::EventId) -> Vec<recallite::EventId> {
    let word = |place: &str| format!("{WORD}{place}ing");
    let ids = vec![
        say(
            memory,
            "shared",
            EventKind::UserPrompt,
            &format!("The code of src/{}.rs is {}", word("file"), word("code")),
        ),
        say(
            memory,
            "shared",
            EventKind::AgentResponse,
            &format!("class {} it is", word("entity")),
        ),
    ];
    say(
        memory,
        "shared",
        EventKind::AgentResponse,
        "The shelf of the archive is red.",
    );
    memory
        .update_session(
            "shared",
            SessionUpdate::default()
                .summary(format!("a lamp and {}", word("summary")))
                .tags([word("tag")]),
        )
        .unwrap();
    let question = format!("what is the code {}?", word("code"));
    memory
        .context(
            ContextOptions::new(question.as_str())
                .session("shared")
                .pinned([kept.into(), ids[0].into()])
                .recording(Recording::Now),
        )
        .unwrap();
    memory
        .endless()
        .score_continuity("shared", "src/door.rs")
        .unwrap();
    memory
        .endless()
        .score_continuity(
            "shared",
            &format!(
                "src/{}.rs, src/door.rs, class {}",
                word("file"),
                word("entity")
            ),
        )
        .unwrap();
    let extraction = json!({
        "schema_version": 1,
        "entries": [
            {"id": "lamp", "type": "fact", "title": "The lamp is blue", "content": "The lamp of the archive is blue.",
             "quotes": [{"message_index": 0, "quote": "The lamp of the archive is blue"}]},
            {"id": "shelf", "type": "fact", "title": "The shelf is red", "content": "The shelf of the archive is red.",
             "quotes": [{"message_index": 3, "quote": "The shelf of the archive is red"}]},
            {"id": "code", "type": "fact", "title": word("title"), "content": word("content"),
             "quotes": [{"message_index": 0, "quote": word("misquoted")}]},
            {"id": "both", "type": "decision", "title": word("both"), "content": word("bothcontent"),
             "quotes": [{"message_index": 0, "quote": "The lamp of the archive is blue"}, {"message_index": 1, "quote": word("code")}]}
        ],
        "tasks": [{"id": "t1", "title": format!("Change {}", word("task")), "status": "blocked",
            "blocked_by": [word("condition"), "OPS-77"], "quotes": []}],
        "relations": [{"from": "both", "relation": "supersedes", "to": "code"}]
    });
    memory.ingest("shared", &extraction.to_string()).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    memory
        .endless()
        .consolidate_with(&mut |_, _| Ok(Some(word("summarizer"))))
        .unwrap();
    memory.endless().set_mode(MemoryMode::Session).unwrap();
    memory
        .levels()
        .record_access(&[kept.into(), ids[0].into()], "reader", 0.9)
        .unwrap();
    memory.maintain(MaintainBudget::default()).unwrap();
    ids
}

/// Asserts that everything others said, learned, did and were given remains.
fn check_others(memory: &Memory, kept: recallite::EventId) {
    let checked = memory.check().unwrap();
    assert!(checked.ok, "{:?}", checked.first_divergence);
    let rebuilt = memory.rebuild(checked.as_of).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
    let events = memory
        .events(EventFilter::new().session("kept"))
        .unwrap()
        .count();
    assert!(events >= 2);
    let entries = memory.knowledge().entries(&EntryFilter::default()).unwrap();
    let titles: Vec<&str> = entries.iter().map(|row| row.entry.title.as_str()).collect();
    assert!(
        titles.contains(&"The archive door is green") && titles.contains(&"Doors have colours"),
        "{titles:?}"
    );
    let tasks = memory.tasks().list(&TaskFilter::default()).unwrap();
    assert_eq!(tasks.len(), 1);
    let task = &tasks[0];
    assert_eq!(
        (task.title.as_str(), task.status()),
        ("Paint the archive door", TaskStatus::Blocked)
    );
    let blocker = EntityId::new(task.phase.confirmed()[0].entity_id.as_str());
    assert!(matches!(
        memory.tasks().entity(&blocker).unwrap(),
        Some(Entity::Artifact(_))
    ));
    let edges = memory
        .knowledge()
        .edges(&EdgeFilter::default().to(task.id.as_str()))
        .unwrap();
    assert!(
        edges
            .iter()
            .any(|edge| edge.ends.relation == Relation::EvidenceOf),
        "{edges:?}"
    );
    // Others were given the kept event, and that is still recorded.
    let citation = memory.event(kept).unwrap().unwrap().citation;
    assert!(memory.citations().detail(citation).unwrap().usage_count > 0);
    // A log with reduced records survives export and restore.
    let mut out = Vec::new();
    memory.upkeep().export_jsonl_to(&mut out, None).unwrap();
    let place = tempfile::tempdir().unwrap();
    let copy = Memory::open(place.path()).unwrap();
    copy.upkeep().restore_jsonl_from(out.as_slice()).unwrap();
    assert!(copy.check().unwrap().ok);
    assert_eq!(
        copy.knowledge()
            .entries(&EntryFilter::default())
            .unwrap()
            .len(),
        entries.len()
    );
}

#[test]
fn what_waits_in_another_handle_does_not_bring_an_erased_name_back() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (open(folder.path()), open(folder.path()));
    let kept = others(&one);
    let session = format!("{WORD}session");
    say(
        &one,
        &session,
        EventKind::UserPrompt,
        &format!("{WORD} knows the green door"),
    );
    let options = ContextOptions::new("the green door of the archive")
        .session(&session)
        .reason(format!("{WORD}reason"))
        .pinned([kept.into()]);
    assert!(!other.context(options).unwrap().is_empty());
    assert!(
        one.erase(&Selector::new().session(&session))
            .unwrap()
            .is_complete
    );
    assert_eq!(places(folder.path()), [""; 0]);
    // A later record may name a session that does not exist yet.
    let options = ContextOptions::new("green door")
        .session("new")
        .pinned([kept.into()]);
    assert!(!other.context(options).unwrap().is_empty());
    other.close().unwrap();
    one.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(places(folder.path()), [""; 0]);
    let given = one
        .events(EventFilter::new().kinds([EventKind::Injected]))
        .unwrap()
        .map(|event| event.unwrap().session)
        .collect::<Vec<_>>();
    assert_eq!(given, ["unknown", "new"]);
}

/// The lines of a transcript with the word in every field that an import may read.
fn transcript(session: &str) -> String {
    let word = |place: &str| format!("{WORD}{place}ing");
    let line = |kind: &str, second: u32, message: serde_json::Value| {
        json!({
            "type": kind, "sessionId": session, "uuid": format!("{}-{second}", word("uuid")),
            "parentUuid": word("parent"), "cwd": format!("/home/{}/{}", word("user"), word("folder")),
            "gitBranch": word("branch"), "version": word("version"), "slug": word("slug"),
            "timestamp": format!("2026-03-10T04:06:{second:02}.000Z"),
            "message": message,
        })
        .to_string()
    };
    let lines = [
        json!({"type": "summary", "summary": word("summary"), "leafUuid": word("leaf")})
            .to_string(),
        line(
            "user",
            1,
            json!({"role": "user", "content": format!("Look at {} please", word("prompt"))}),
        ),
        line(
            "assistant",
            2,
            json!({"role": "assistant", "model": word("model"), "id": word("message"), "content": [
                {"type": "thinking", "thinking": word("thought"), "signature": word("signature")},
                {"type": "text", "text": format!("I look at {}", word("answer"))},
                {"type": "tool_use", "id": word("call"), "name": "Bash",
                 "input": {"command": format!("cat {}", word("command")), "description": word("description")}},
            ]}),
        ),
        line(
            "user",
            3,
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": word("call"), "content": word("output"), "is_error": true},
            ]}),
        ),
        line("system", 4, json!(word("system"))),
    ];
    lines.join("\n") + "\n"
}

#[test]
fn a_word_of_an_imported_transcript_is_in_no_byte_after_its_session_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let kept = others(&memory);
    let session = format!("{WORD}session");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join(format!("{session}.jsonl"));
    std::fs::write(&file, transcript(&session)).unwrap();
    let report = memory.import_claude_code(&file).unwrap();
    assert!(
        report.counters.imported_prompts >= 1 && report.counters.imported_tools >= 1,
        "{report:?}"
    );
    while memory.process_outbox(50).unwrap().succeeded > 0 {}
    let options = ContextOptions::new("archive")
        .session(&session)
        .pinned([kept.into()]);
    assert!(!memory.context(options).unwrap().is_empty());
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_ne!(places(folder.path()), [""; 0]);
    let receipt = memory
        .erase(&Selector::new().session(&session).project(ProjectScope::All))
        .unwrap();
    assert!(receipt.is_complete, "{receipt:?}");
    assert_eq!(places(folder.path()), [""; 0]);
    check_others(&memory, kept);
}

#[test]
fn a_word_of_an_imported_or_restored_export_is_in_no_byte_after_its_session_is_erased() {
    let source = tempfile::tempdir().unwrap();
    let session = format!("{WORD}session");
    let mut export = Vec::new();
    {
        let memory = open(source.path());
        let kept = others(&memory);
        plant(&memory, kept, &session);
        memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
    }
    for restores in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(folder.path());
        if restores {
            memory
                .upkeep()
                .restore_jsonl_from(export.as_slice())
                .unwrap();
        } else {
            let imported = memory
                .upkeep()
                .import_jsonl_from(export.as_slice())
                .unwrap();
            assert!(imported.events >= 6, "{imported:?}");
        }
        while memory.process_outbox(50).unwrap().succeeded > 0 {}
        memory.maintain(MaintainBudget::default()).unwrap();
        assert_ne!(places(folder.path()), [""; 0]);
        let receipt = memory
            .erase(&Selector::new().session(&session).project(ProjectScope::All))
            .unwrap();
        assert!(receipt.is_complete, "restores {restores}: {receipt:?}");
        assert_eq!(places(folder.path()), [""; 0], "restores {restores}");
        assert!(memory.check().unwrap().ok);
    }
}

#[test]
fn a_word_in_the_stored_index_of_what_was_learned_is_in_no_byte_after_its_session_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path());
    let learn = |session: &str, title: String, content: String| {
        let entry = NewEntry::new(EntryType::Fact, session, title, content);
        memory.knowledge().add_entry(&entry).unwrap();
    };
    for number in 0..40 {
        let word = format!("{WORD}number{number}");
        learn("gone", format!("Of {word}"), format!("The {word} is blue."));
        learn(
            "kept",
            format!("Door {number}"),
            "The door is green.".into(),
        );
    }
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_ne!(places(folder.path()), [""; 0]);
    let receipt = memory.erase(&Selector::new().session("gone")).unwrap();
    assert!(receipt.is_complete, "{:?}", receipt.unclean_places);
    assert_eq!(places(folder.path()), [""; 0]);
    let found = memory
        .knowledge()
        .search("green door", &EntryFilter::default());
    assert_eq!(found.unwrap().len(), 10);
    let question = format!("{WORD}number7");
    let found = memory
        .knowledge()
        .search(&question, &EntryFilter::default());
    assert!(
        found
            .unwrap()
            .iter()
            .all(|hit| hit.learned.session == "kept")
    );
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(places(folder.path()), [""; 0]);
    assert!(memory.check().unwrap().ok);
}
