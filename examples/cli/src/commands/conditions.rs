//! `conditions`: what blocked tasks wait for, in words, and which task each condition refers to.

use recallite::rules::tasks::events::ResolutionType;
use recallite::rules::tasks::{Condition, EntityId, EntityKind, EntityRef, Task};
use recallite::scope::ProjectScope;
use recallite::{Entity, Memory, TaskFilter};
use serde_json::json;

use crate::arguments::{Conditions, Place};
use crate::as_json;
use crate::failure::Outcome;
use crate::named::{Word, the_one};
use crate::output::{Line, Look, Output};
use crate::tasks::{find as find_task, is_forgotten, live_blocked, name_of, open as open_tasks};

pub(crate) fn run(place: &Place, act: &Conditions, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    match act {
        Conditions::Open => list_open(place, &memory, output),
        Conditions::Resolved => list_resolved(place, &memory, output),
        Conditions::Resolve { condition, task } => resolve(place, &memory, condition, task, output),
    }
}

/// An unresolved condition, with the tasks that wait for it.
struct Open {
    condition: Condition,
    waiting: Vec<Task>,
}

/// A task that a condition may refer to.
struct Candidate {
    id: EntityId,
    title: String,
    /// How well it matches, from 0 to 1.
    score: f64,
}

impl Open {
    /// The tasks that the condition may refer to, best first: those that were alike when it was
    /// declared, and any that has its words as a title by now.
    fn candidates(&self, memory: &Memory) -> Outcome<Vec<Candidate>> {
        let mut found = self.tasks_of_this_name(memory)?;
        for known in &self.condition.candidates {
            let is_found = found.iter().any(|it| it.id == known.entity_id);
            if !is_found && !is_forgotten(memory, known.entity_id.as_str())? {
                found.push(Candidate {
                    id: known.entity_id.clone(),
                    title: known.title.clone(),
                    score: known.score,
                });
            }
        }
        Ok(found)
    }

    fn tasks_of_this_name(&self, memory: &Memory) -> Outcome<Vec<Candidate>> {
        let name = self.condition.text.trim().to_lowercase();
        let alike = TaskFilter::default()
            .project(ProjectScope::Named(self.condition.project.clone()))
            .text(name.clone())
            .is_live(true);
        let mut tasks = open_tasks(memory, &alike)?;
        tasks.retain(|task| {
            let waits = self.waiting.iter().any(|waiting| waiting.id == task.id);
            task.title.trim().to_lowercase() == name && !waits
        });
        let candidate = |task: Task| Candidate {
            id: task.id,
            title: task.title,
            score: 1.0,
        };
        Ok(tasks.into_iter().map(candidate).collect())
    }
}

fn open(place: &Place, memory: &Memory) -> Outcome<Vec<Open>> {
    let tasks = memory.tasks();
    let mut found: Vec<Open> = Vec::new();
    for blocked in live_blocked(memory, &place.scope())? {
        let task = blocked.task;
        for by in task.blockers().iter().chain(task.suggested_blockers()) {
            if by.kind != EntityKind::Condition {
                continue;
            }
            match found
                .iter_mut()
                .find(|open| open.condition.id == by.entity_id)
            {
                Some(known) => known.waiting.push(task.clone()),
                None => {
                    if let Some(Entity::Condition(condition)) = tasks.entity(&by.entity_id)?
                        && !condition.is_resolved()
                    {
                        let waiting = vec![task.clone()];
                        found.push(Open { condition, waiting });
                    }
                }
            }
        }
    }
    Ok(found)
}

fn list_open(place: &Place, memory: &Memory, output: &mut Output) -> Outcome {
    let found = open(place, memory)?;
    if output.is_json() {
        let mut items = Vec::with_capacity(found.len());
        for open in &found {
            let mut item = as_json::condition(&open.condition);
            let titles = open.waiting.iter().map(|task| task.title.as_str());
            item["waiting"] = json!(titles.collect::<Vec<_>>());
            let candidates = open.candidates(memory)?;
            let candidate = |it: &Candidate| json!({ "entity_id": it.id.as_str(), "title": it.title, "score": it.score });
            item["candidates"] = candidates.iter().map(candidate).collect();
            items.push(item);
        }
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if found.is_empty() {
        let place = place.where_looked(memory);
        output.say(format_args!("no open conditions{place}"));
    }
    for open in &found {
        output.line(Line::new().add(Look::Strong, &open.condition.text));
        for task in &open.waiting {
            output.line(Line::new().plain("    blocks ").plain(&task.title));
        }
        for candidate in open.candidates(memory)? {
            let percent = (candidate.score * 100.0).round();
            let line = Line::new()
                .plain("    may mean ")
                .plain(name_of(memory, candidate.id.as_str())?)
                .add(Look::Faint, format_args!("  {percent}%"));
            output.line(line);
        }
    }
    Ok(())
}

fn list_resolved(place: &Place, memory: &Memory, output: &mut Output) -> Outcome {
    let resolved = memory.tasks().resolved_conditions(&place.scope(), None)?;
    if output.is_json() {
        let items: Vec<_> = resolved.iter().map(as_json::condition).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if resolved.is_empty() {
        let place = place.where_looked(memory);
        output.say(format_args!("no resolved conditions{place}"));
    }
    for condition in &resolved {
        output.line(resolved_line(memory, condition)?);
    }
    Ok(())
}

/// `the build is green  is  Fix the build (done)`.
fn resolved_line(memory: &Memory, condition: &Condition) -> Outcome<Line> {
    let what = match &condition.resolved_to {
        Some(target) => name_of(memory, target.id.as_str())?,
        None => "unknown".to_owned(),
    };
    Ok(Line::new()
        .add(Look::Strong, &condition.text)
        .add(Look::Faint, "  is  ")
        .plain(what))
}

fn resolve(
    place: &Place,
    memory: &Memory,
    condition: &str,
    task: &str,
    output: &mut Output,
) -> Outcome {
    let open: Vec<Condition> = open(place, memory)?
        .into_iter()
        .map(|open| open.condition)
        .collect();
    let word = Word {
        one: "open condition",
        many: "open conditions",
        listed_by: "recallite conditions open",
    };
    let condition = the_one(condition, &open, &word, |it| (&it.text, it.id.as_str()))?;
    let among = TaskFilter::default().project(place.scope());
    let task = find_task(memory, &among, task)?;
    let tasks = memory.tasks();
    let target = EntityRef {
        kind: EntityKind::Task,
        id: task.id,
    };
    tasks.resolve_condition(&condition.id, &target, ResolutionType::UserConfirmed, 1.0)?;
    let Some(Entity::Condition(now)) = tasks.entity(&condition.id)? else {
        return Ok(());
    };
    match output.is_json() {
        true => output.json(&as_json::condition(&now)),
        false => output.line(resolved_line(memory, &now)?),
    }
    Ok(())
}
