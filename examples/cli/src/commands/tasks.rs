//! `tasks`, `task …` and `blocked`: what needs to be done and what blocks it.

use std::collections::HashSet;

use recallite::rules::tasks::{BlockerRef, EntityId, Priority, Task, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::text::show::harmless_line;
use recallite::{BlockedTask, Entity, Event, EventKind, Memory, NewTask, TaskDetail, TaskFilter};
use serde_json::{Value, json};

use super::named::{Word, the_one};
use crate::arguments;
use crate::arguments::Place;
use crate::as_json;
use crate::failure::{Failure, Outcome};
use crate::lines::{columns, shown_of};
use crate::output::{Line, Look, Output};
use crate::time::local;

pub(crate) fn list(place: &Place, asked: &arguments::Tasks, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let mut filter = TaskFilter::default()
        .project(place.scope())
        .limit(usize::MAX)
        .is_live(!asked.forgotten);
    filter.status = asked.status;
    let mut tasks = match asked.status.is_none() && !asked.all {
        true => open(&memory, &filter)?,
        false => memory.tasks().list(&filter)?,
    };
    let total = tasks.len();
    tasks.truncate(asked.limit);
    if output.is_json() {
        let items: Vec<_> = tasks.iter().map(as_json::task).collect();
        let has_more = total > items.len();
        output.json(&json!({ "items": items, "total": total, "has_more": has_more }));
        return Ok(());
    }
    if tasks.is_empty() {
        let kind = if asked.all || asked.status.is_some() {
            ""
        } else {
            "open "
        };
        output.say(format_args!(
            "no {kind}tasks{}",
            place.where_looked(&memory)
        ));
    }
    for task in &tasks {
        output.line(task_line(task));
    }
    if total > tasks.len() {
        output.say(shown_of(tasks.len(), total));
    }
    Ok(())
}

/// The open tasks that a filter selects, in the order of a list; without a limit, all of them.
pub(crate) fn open(memory: &Memory, filter: &TaskFilter) -> recallite::Result<Vec<Task>> {
    let limit = filter.limit.unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for status in [
        TaskStatus::Blocked,
        TaskStatus::InProgress,
        TaskStatus::Pending,
    ] {
        let rest = filter.clone().limit(limit - found.len());
        found.extend(memory.tasks().list(&rest.status(status))?);
    }
    Ok(found)
}

fn task_line(task: &Task) -> Line {
    let status = task.status();
    let look = match status {
        TaskStatus::Blocked => Look::Warning,
        TaskStatus::InProgress => Look::Strong,
        TaskStatus::Done => Look::Good,
        _ => Look::Plain,
    };
    let mut line = Line::new()
        .add(look, format_args!("{:<12}", status.as_str()))
        .plain(&task.title);
    if task.priority != Priority::Medium {
        line = line.add(Look::Faint, format_args!("  {}", task.priority));
    }
    let waits: Vec<&str> = blockers(task).map(|by| by.raw_text.as_str()).collect();
    if !waits.is_empty() {
        line = line.add(
            Look::Faint,
            format_args!("  waits for: {}", waits.join("; ")),
        );
    }
    line
}

fn blockers(task: &Task) -> impl Iterator<Item = &BlockerRef> {
    task.blockers().iter().chain(task.suggested_blockers())
}

pub(crate) fn blocked(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let blocked = live_blocked(&memory, &place.scope())?;
    if output.is_json() {
        let mut items = Vec::with_capacity(blocked.len());
        for each in &blocked {
            let mut item = as_json::task(&each.task);
            item["effective_blockers"] = json!(
                each.blockers
                    .iter()
                    .map(|by| json!({
                        "original_id": by.original_id,
                        "effective_id": by.effective_id,
                        "resolved": by.resolved,
                    }))
                    .collect::<Vec<_>>()
            );
            items.push(item);
        }
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if blocked.is_empty() {
        output.say(format_args!(
            "no blocked tasks{}",
            place.where_looked(&memory)
        ));
    }
    for each in &blocked {
        output.line(Line::new().add(Look::Strong, &each.task.title));
        for by in &each.blockers {
            let name = name_of(&memory, &by.effective_id)?;
            output.line(Line::new().plain("    waits for ").plain(name));
        }
        for by in each.task.suggested_blockers() {
            let line = Line::new().plain("    may wait for ").plain(&by.raw_text);
            output.line(line);
        }
    }
    Ok(())
}

/// The blocked tasks that were not learned from what is forgotten now.
pub(super) fn live_blocked(memory: &Memory, scope: &ProjectScope) -> Outcome<Vec<BlockedTask>> {
    let tasks = memory.tasks();
    let live = tasks.list(
        &TaskFilter::default()
            .project(scope.clone())
            .status(TaskStatus::Blocked)
            .limit(usize::MAX)
            .is_live(true),
    )?;
    let live: HashSet<EntityId> = live.into_iter().map(|task| task.id).collect();
    let mut blocked = tasks.blocked(scope, Some(usize::MAX))?;
    blocked.retain(|each| live.contains(&each.task.id));
    Ok(blocked)
}

/// The name of a task, condition or artifact.
pub(super) fn name_of(memory: &Memory, id: &str) -> Outcome<String> {
    Ok(match memory.tasks().entity(&EntityId::new(id))? {
        Some(Entity::Task(task)) => format!("{} ({})", task.title, task.status()),
        Some(Entity::Condition(condition)) => condition.text,
        Some(Entity::Artifact(artifact)) => artifact.identifier,
        _ => id.to_owned(),
    })
}

pub(crate) fn one(place: &Place, act: &arguments::Task, output: &mut Output) -> Outcome {
    let memory = match act {
        arguments::Task::Add { .. } => {
            place.needs_one_project()?;
            place.open_or_create()?
        }
        _ => place.open()?,
    };
    let among = TaskFilter::default().project(place.scope());
    let task = change(&memory, &among, act)?;
    match act {
        arguments::Task::Show { .. } => show(&memory, &task, output),
        _ => {
            say(&task, output);
            Ok(())
        }
    }
}

/// Changes a task among those that a filter selects, as requested, and returns its new state.
pub(crate) fn change(memory: &Memory, among: &TaskFilter, act: &arguments::Task) -> Outcome<Task> {
    use arguments::Task as Act;
    let tasks = memory.tasks();
    let find = |named: &str| find(memory, among, named);
    Ok(match act {
        Act::Show { task } => find(task)?,
        Act::Add {
            title,
            priority,
            blocked_by,
        } => tasks.create(
            &NewTask::new(title.clone())
                .priority(*priority)
                .blocked_by(named_tasks(memory, among, blocked_by)?),
        )?,
        Act::Start { task } => tasks.change_status(&find(task)?.id, TaskStatus::InProgress, &[])?,
        Act::Cancel { task } => tasks.change_status(&find(task)?.id, TaskStatus::Cancelled, &[])?,
        Act::Rename { task, title } => tasks.rename(&find(task)?.id, title)?,
        Act::Block { task, blocked_by } => {
            let blocked_by = named_tasks(memory, among, blocked_by)?;
            tasks.change_status(&find(task)?.id, TaskStatus::Blocked, &blocked_by)?
        }
        Act::Done { task } => {
            let task = find(task)?;
            // The state machine has no transition from pending to done, so the task is started
            // first.
            if task.status() == TaskStatus::Pending {
                tasks.change_status(&task.id, TaskStatus::InProgress, &[])?;
            }
            tasks.change_status(&task.id, TaskStatus::Done, &[])?
        }
    })
}

/// What a task waits for, where the beginning of an open task's title or id stands for its title. What
/// names no task or several is a condition in a person's own words.
fn named_tasks(memory: &Memory, among: &TaskFilter, named: &[String]) -> Outcome<Vec<String>> {
    let open = open(memory, among)?;
    let title = |named: &String| {
        let found = the_one(named, &open, &TASK, |task| (&task.title, task.id.as_str()));
        found.map_or_else(|_| named.clone(), |task| task.title.clone())
    };
    Ok(named.iter().map(title).collect())
}

/// A task as one line of a document.
pub(crate) fn text(task: &Task) -> String {
    let waits: Vec<&str> = blockers(task).map(|by| by.raw_text.as_str()).collect();
    let waits = match waits.is_empty() {
        true => String::new(),
        false => format!("; waits for: {}", waits.join("; ")),
    };
    let line = format!(
        "{}: {} ({} priority{waits})",
        task.status(),
        task.title,
        task.priority
    );
    harmless_line(&line).into_owned()
}

/// A task as one line for an agent, with the id by which it can be named.
pub(crate) fn cited(task: &Task) -> String {
    format!("[{}] {}", task.id, text(task))
}

/// The open tasks, one line each.
pub(crate) fn list_open(memory: &Memory, scope: &ProjectScope) -> Outcome<Vec<String>> {
    let filter = TaskFilter::default().project(scope.clone()).is_live(true);
    Ok(open(memory, &filter)?.iter().map(cited).collect())
}

/// The blocked tasks, each with what actually blocks it.
pub(crate) fn list_blocked(memory: &Memory, scope: &ProjectScope) -> Outcome<Vec<String>> {
    let mut lines = Vec::new();
    for each in live_blocked(memory, scope)? {
        let mut names = Vec::new();
        for by in &each.blockers {
            let id = &by.effective_id;
            names.push(match is_forgotten(memory, id)? {
                true => format!("[{id}]"),
                false => format!("[{id}] {}", name_of(memory, id)?),
            });
        }
        let (id, title) = (&each.task.id, &each.task.title);
        let line = format!("[{id}] {title}: waits for {}", names.join("; "));
        lines.push(harmless_line(&line).into_owned());
    }
    Ok(lines)
}

fn say(task: &Task, output: &mut Output) {
    if output.is_json() {
        output.json(&as_json::task(task));
    } else {
        output.line(task_line(task));
    }
}

const TASK: Word = Word {
    one: "task",
    many: "tasks",
    listed_by: "recallite tasks --all",
};

/// The one task with this id, of whatever project, or with this title among those that a filter
/// selects, or with an id or title that begins so. What a filter of live tasks leaves out is not
/// found by its id either.
pub(super) fn find(memory: &Memory, among: &TaskFilter, named: &str) -> Outcome<Task> {
    let id = EntityId::new(named);
    if let Some(detail) = memory.tasks().get(&id)?
        && !(among.is_live && is_forgotten(memory, id.as_str())?)
    {
        return Ok(detail.task);
    }
    let all = memory.tasks().list(&among.clone().limit(usize::MAX))?;
    the_one(named, &all, &TASK, |task| (&task.title, task.id.as_str())).cloned()
}

/// Whether this is a task that was learned from what is forgotten now.
pub(super) fn is_forgotten(memory: &Memory, id: &str) -> Outcome<bool> {
    let Some(Entity::Task(task)) = memory.tasks().entity(&EntityId::new(id))? else {
        return Ok(false);
    };
    let alike = TaskFilter::default()
        .project(ProjectScope::All)
        .status(task.status())
        .text(task.title)
        .limit(usize::MAX)
        .is_live(true);
    let live = memory.tasks().list(&alike)?;
    Ok(live.iter().all(|other| other.id != task.id))
}

fn show(memory: &Memory, task: &Task, output: &mut Output) -> Outcome {
    let Some(detail) = memory.tasks().get(&task.id)? else {
        return Err(Failure::not_found("the task no longer exists"));
    };
    if output.is_json() {
        let mut value = as_json::task(&detail.task);
        value["history"] = json!(
            detail
                .history
                .iter()
                .map(as_json::event)
                .collect::<Vec<_>>()
        );
        output.json(&value);
        return Ok(());
    }
    show_detail(memory, &detail, output)
}

/// What a change of a task set, and why.
fn change_of(act: &Event) -> String {
    let metadata = act.metadata.as_ref().map_or("", |it| it.as_str());
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let word = |name: &str| metadata[name].as_str().map(|it| it.replace('_', " "));
    let blockers = metadata["blockers"].as_array().into_iter().flatten();
    let waits: Vec<&str> = blockers.filter_map(|by| by["raw_text"].as_str()).collect();
    let set = match act.kind {
        EventKind::TaskBlockersSet => Some(format!("waits for {}", waits.join("; "))),
        EventKind::TaskTitleChanged => metadata["to"].as_str().map(str::to_owned),
        _ => word("to_status").or(word("initial_status")).or(word("to")),
    };
    let set = set.map_or_else(String::new, |set| format!(": {set}"));
    match metadata["reason"].as_str() {
        Some(reason) => format!("{set} ({reason})"),
        None => set,
    }
}

fn show_detail(memory: &Memory, detail: &TaskDetail, output: &mut Output) -> Outcome {
    let task = &detail.task;
    output.line(Line::new().add(Look::Strong, &task.title));
    columns(
        output,
        &[
            ("id", task.id.to_string()),
            ("status", task.status().to_string()),
            ("priority", task.priority.to_string()),
            ("project", task.project.clone()),
            ("changed", local(task.updated_at)),
        ],
    );
    if let Some(description) = &task.description {
        output.block(description);
    }
    for by in &detail.effective_blockers {
        let name = name_of(memory, &by.effective_id)?;
        output.line(Line::new().add(Look::Warning, "waits for  ").plain(name));
    }
    for by in task.suggested_blockers() {
        let line = Line::new()
            .add(Look::Faint, "may wait for  ")
            .plain(&by.raw_text);
        output.line(line);
    }
    for act in &detail.history {
        let line = Line::new()
            .add(Look::Faint, local(act.timestamp))
            .plain("  ")
            .plain(act.kind.as_str().replace('_', " "));
        output.line(line.plain(change_of(act)));
    }
    Ok(())
}
