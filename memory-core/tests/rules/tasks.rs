//! Runs the vectors of task transitions, task flows and blocker texts.

use recallite::Timestamp;
use recallite::rules::tasks::blockers::BlockerRef;
use recallite::rules::tasks::classify::classify;
use recallite::rules::tasks::resolver::KeyedIds;
use recallite::rules::tasks::{
    EntityId, EntityKind, Source, TaskEntry, TaskEvent, TaskPayload, TaskResolver, TaskState,
    TaskStatus, TaskView, Transition,
};
use serde_json::{Value, json};

use super::Runner;

pub const FILES: &[(&str, Runner)] = &[
    ("task_status_transitions", transitions),
    ("task_flow", flow),
    ("blocker_classification", classification),
];

fn status(value: &Value) -> Option<TaskStatus> {
    value
        .as_str()
        .map(|text| text.parse().expect("known status"))
}

/// Checks that every field of `expected` is present with the same value.
fn contains(actual: &Value, expected: &Value) -> Result<(), String> {
    let same = expected.as_object().map_or(actual == expected, |fields| {
        fields
            .iter()
            .all(|(name, value)| actual.get(name) == Some(value))
    });
    same.then_some(()).ok_or_else(|| actual.to_string())
}

fn transitions(input: &Value, expected: &Value) -> Result<(), String> {
    if let Some(from) = status(&input["from"]) {
        let moved = Transition::decide(from, status(&input["to"]).expect("to"));
        let mut actual = json!({
            "outcome": moved.outcome().as_str(),
            "effective_status": moved.effective_status().as_str(),
        });
        if let Some(reason) = moved.rejected_reason() {
            actual["rejected_reason"] = reason.into();
        }
        return contains(&actual, expected);
    }
    if let Some(count) = input["blocker_count"].as_u64() {
        let holder = status(&input["status"]).expect("status");
        let valid = holder.allows_blockers(usize::try_from(count).expect("small"), 0);
        return contains(&json!({ "valid": valid }), expected);
    }
    let initial = TaskStatus::initial(status(&input["initial"]));
    contains(&json!({ "initial_status": initial.as_str() }), expected)
}

const SETUP_BLOCKER: &str = "something from before";

/// Resolves an entry and applies its events.
fn say(
    state: &mut TaskState,
    entry_id: &str,
    entry: &TaskEntry,
    is_aligned: bool,
) -> (bool, EntityId, Vec<TaskEvent>) {
    let ids = KeyedIds::new([7; 32]);
    let source = Source::new("session", entry_id);
    let resolution = TaskResolver::new(state, &ids, Some("p"))
        .resolve(&source, entry, is_aligned)
        .expect("resolves");
    for event in &resolution.events {
        state.apply(event, Timestamp::default());
    }
    (resolution.is_new, resolution.task_id, resolution.events)
}

fn entry(title: &str, status: Option<TaskStatus>) -> TaskEntry {
    TaskEntry {
        title: title.to_owned(),
        status,
        ..TaskEntry::default()
    }
}

/// Creates a task and brings it to `status` by allowed transitions only.
fn set_up(state: &mut TaskState, title: &str, status: TaskStatus) {
    let first = match status {
        TaskStatus::Done => TaskStatus::InProgress,
        other => other,
    };
    let mut made = entry(title, Some(first));
    if status == TaskStatus::Blocked {
        made.blocked_by.push(SETUP_BLOCKER.to_owned());
    }
    say(state, &format!("{title} begins"), &made, false);
    if first != status {
        say(
            state,
            &format!("{title} goes on"),
            &entry(title, Some(status)),
            true,
        );
    }
}

fn flow(input: &Value, expected: &Value) -> Result<(), String> {
    let mut state = TaskState::new();
    let title = input["entry"]["title"].as_str().expect("title");
    if let Some(existing) = status(&input["existing_status"]) {
        set_up(&mut state, title, existing);
    }
    let said = TaskEntry {
        title: title.to_owned(),
        status: status(&input["entry"]["status"]),
        blocked_by: input["entry"]["blocked_by"]
            .as_array()
            .map(|list| {
                list.iter()
                    .map(|t| t.as_str().expect("text").to_owned())
                    .collect()
            })
            .unwrap_or_default(),
        ..TaskEntry::default()
    };
    let aligned = input["evidence_aligned"].as_bool().unwrap_or(false);
    let (is_new, task_id, events) = say(&mut state, "the entry", &said, aligned);
    let task = state.task(&task_id).expect("view").expect("task");

    // The vectors do not list the declarations of conditions and artifacts.
    let events: Vec<Value> = events.iter().filter_map(shown).collect();
    let edges = |rel: &str, refs: &[BlockerRef]| -> Vec<Value> {
        refs.iter()
            .filter(|r| r.raw_text != SETUP_BLOCKER)
            .map(|r| json!({"rel_type": rel, "target_type": r.kind.as_str()}))
            .collect()
    };
    let mut all_edges = edges("blocked_by", task.phase.confirmed());
    all_edges.extend(edges("blocked_by_suggested", task.phase.suggested()));
    let actual = json!({
        "is_new": is_new,
        "events": events,
        "final_status": task.status().as_str(),
        "blocker_edges": all_edges,
    });
    for name in ["is_new", "final_status", "blocker_edges"] {
        if actual[name] != expected[name] {
            return Err(actual.to_string());
        }
    }
    let wanted = expected["events"].as_array().expect("events");
    if wanted.len() != events.len() {
        return Err(actual.to_string());
    }
    for (one, wanted) in events.iter().zip(wanted) {
        contains(one, wanted)?;
    }
    Ok(())
}

fn shown(event: &TaskEvent) -> Option<Value> {
    let kind = event.kind().as_str();
    Some(match &event.payload {
        TaskPayload::Created { initial_status, .. } => {
            json!({"type": kind, "initial_status": initial_status.as_str()})
        }
        TaskPayload::StatusChanged { from, to, .. } => {
            json!({"type": kind, "from": from.as_str(), "to": to.status().as_str()})
        }
        TaskPayload::TransitionRejected {
            from, to, reason, ..
        } => json!({
            "type": kind, "from": from.as_str(), "to": to.as_str(), "reason": reason,
            "rejected_reason": reason,
        }),
        TaskPayload::BlockersSet { mode, blockers, .. } => json!({
            "type": kind,
            "mode": mode.as_str(),
            "blockers": blockers.iter().map(|b| b.kind.as_str()).collect::<Vec<_>>(),
        }),
        TaskPayload::PriorityChanged { from, to, .. } => {
            json!({"type": kind, "from": from.as_str(), "to": to.as_str()})
        }
        _ => return None,
    })
}

fn classification(input: &Value, expected: &Value) -> Result<(), String> {
    let mut state = TaskState::new();
    for task in input["existing_tasks"].as_array().expect("tasks") {
        let title = task["title"].as_str().expect("title");
        set_up(&mut state, title, status(&task["status"]).expect("status"));
    }
    let text = input["text"].as_str().expect("text");
    let project = input["project"].as_str().expect("project");
    let found = classify(&state, project, text, None).map_err(|e| e.to_string())?;
    // Whether a task is created becomes visible when it blocks another.
    let blocked = TaskEntry {
        blocked_by: vec![text.to_owned()],
        ..entry("A task that waits", Some(TaskStatus::Blocked))
    };
    let (_, task_id, events) = say(&mut state, "blocked", &blocked, true);
    let creates_task = events
        .iter()
        .any(|e| matches!(&e.payload, TaskPayload::Created { task_id: id, .. } if *id != task_id));
    let actual = json!({
        "kind": found.kind().as_str(),
        "confidence": found.confidence().as_str(),
        "creates_task": creates_task,
    });
    if found.kind() == EntityKind::Task && creates_task {
        return Err(actual.to_string());
    }
    contains(&actual, expected)
}
