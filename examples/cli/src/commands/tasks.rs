//! `tasks`, `task …` and `blocked`: what needs to be done and what blocks it.

use recallite::rules::tasks::{Priority, Task, TaskStatus};
use recallite::{Event, EventKind, Memory, TaskDetail, TaskFilter};
use serde_json::{Value, json};

use crate::arguments;
use crate::arguments::Place;
use crate::as_json;
use crate::failure::{Failure, Outcome};
use crate::lines::{columns, shown_of};
use crate::output::{Line, Look, Output};
use crate::tasks::{blockers, change, live_blocked, name_of, open};
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
        let alike = tasks.iter().filter(|other| other.title == task.title);
        let line = task_line(task);
        output.line(match alike.count() {
            1 => line,
            // Such as one that two machines have added.
            _ => line.add(Look::Id, format_args!("  {}", task.id)),
        });
    }
    if total > tasks.len() {
        output.say(shown_of(tasks.len(), total));
    }
    Ok(())
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

fn say(task: &Task, output: &mut Output) {
    if output.is_json() {
        output.json(&as_json::task(task));
    } else {
        output.line(task_line(task));
    }
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
