//! Tasks, and what blocks them as a graph.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::{Path, State};
use recallite::rules::tasks::{BlockerRef, EntityId, Task, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::{Entity, Memory, TaskFilter};
use serde_json::{Value, json};

use super::asked::{Asked, MAX_LISTED};
use super::refused::{Answer, Document};
use super::shapes;
use super::viewer::Viewer;
use crate::failure::{Failure, Outcome};

/// The maximum number of tasks to draw; more would be unreadable.
const MAX_DRAWN: usize = 60;

pub(super) async fn list(State(viewer): State<Arc<Viewer>>, asked: Asked) -> Answer {
    asked.only(&["status", "project", "limit"])?;
    let limit = asked.number("limit", 200, 1..=MAX_LISTED)?;
    let status = asked.word::<TaskStatus>("status")?;
    let project = asked.scope();
    viewer
        .ask(move |memory| {
            let mut filter = TaskFilter::default()
                .project(project.clone())
                .limit(usize::MAX);
            let mut tasks = memory.tasks().list(&filter)?;
            let open = tasks.iter().filter(|task| task.status().is_open()).count();
            if status.is_some() {
                filter.status = status;
                tasks = memory.tasks().list(&filter)?;
            }
            Ok(Document(json!({
                "tasks": tasks.iter().take(limit).map(shapes::task).collect::<Vec<_>>(),
                "open": open,
                "hasMore": tasks.len() > limit,
                "graph": graph(memory, &project)?,
            })))
        })
        .await
}

/// The blocked tasks with their blockers: nodes, and an edge from each task to what it waits for.
fn graph(memory: &Memory, project: &ProjectScope) -> Outcome<Value> {
    let blocked = memory.tasks().blocked(project, None)?;
    let (mut nodes, mut edges) = (BTreeMap::new(), Vec::new());
    let total = blocked.len();
    for each in blocked.iter().take(MAX_DRAWN) {
        let from = each.task.id.as_str();
        nodes.insert(from.to_owned(), task_node(&each.task));
        let confirmed = each
            .blockers
            .iter()
            .map(|by| (by.effective_id.as_str(), true));
        let suggested = each.task.suggested_blockers();
        let suggested = suggested.iter().map(|by| (by.entity_id.as_str(), false));
        let mut seen = BTreeSet::new();
        for (to, is_confirmed) in confirmed.chain(suggested) {
            if !seen.insert(to) {
                continue;
            }
            edges.push(json!({ "from": from, "to": to, "isConfirmed": is_confirmed }));
            if !nodes.contains_key(to) {
                nodes.insert(
                    to.to_owned(),
                    node(memory, to, each.task.suggested_blockers())?,
                );
            }
        }
    }
    let nodes: Vec<Value> = nodes.into_values().collect();
    Ok(json!({ "nodes": nodes, "edges": edges, "blocked": total, "drawn": total.min(MAX_DRAWN) }))
}

fn task_node(task: &Task) -> Value {
    json!({
        "id": task.id.as_str(),
        "kind": "task",
        "title": task.title,
        "status": task.status().as_str(),
    })
}

fn node(memory: &Memory, id: &str, named: &[BlockerRef]) -> Outcome<Value> {
    let (kind, title) = match memory.tasks().entity(&EntityId::new(id))? {
        Some(Entity::Task(task)) => return Ok(task_node(&task)),
        Some(Entity::Condition(condition)) => ("condition", condition.text),
        Some(Entity::Artifact(artifact)) => ("artifact", artifact.identifier),
        _ => {
            let by = named.iter().find(|by| by.entity_id.as_str() == id);
            (
                "unknown",
                by.map_or_else(|| id.to_owned(), |by| by.raw_text.clone()),
            )
        }
    };
    Ok(json!({ "id": id, "kind": kind, "title": title, "status": null }))
}

pub(super) async fn one(
    State(viewer): State<Arc<Viewer>>,
    Path(id): Path<String>,
    asked: Asked,
) -> Answer {
    asked.only(&[])?;
    viewer
        .ask(move |memory| {
            let detail = memory
                .tasks()
                .get(&EntityId::new(&id))?
                .ok_or_else(|| Failure::not_found("no such task"))?;
            let mut blockers = Vec::new();
            for by in &detail.effective_blockers {
                blockers.push(node(memory, &by.effective_id, &[])?);
            }
            let history = detail.history.iter().map(|act| {
                json!({
                    "type": act.kind.as_str(),
                    "timestamp": shapes::time(act.timestamp),
                    "actor": act.actor,
                    "metadata": act.metadata.as_ref().map(shapes::library),
                })
            });
            Ok(Document(json!({
                "task": shapes::task(&detail.task),
                "blockers": blockers,
                "history": history.collect::<Vec<_>>(),
            })))
        })
        .await
}
