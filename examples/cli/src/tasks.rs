//! Tasks as the command line, the hooks and the MCP server find, change and tell them.

use std::collections::HashSet;

use recallite::rules::tasks::{BlockerRef, EntityId, Task, TaskStatus};
use recallite::scope::ProjectScope;
use recallite::text::show::harmless_line;
use recallite::{BlockedTask, Entity, Memory, NewTask, TaskFilter};

use crate::arguments;
use crate::failure::Outcome;
use crate::named::{Word, the_one};

const TASK: Word = Word {
    one: "task",
    many: "tasks",
    listed_by: "recallite tasks --all",
};

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

/// The blocked tasks that were not learned from what is forgotten now.
pub(crate) fn live_blocked(memory: &Memory, scope: &ProjectScope) -> Outcome<Vec<BlockedTask>> {
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

/// The one task with this id, of whatever project, or with this title among those that a filter
/// selects, or with an id or title that begins so. What a filter of live tasks leaves out is not
/// found by its id either.
pub(crate) fn find(memory: &Memory, among: &TaskFilter, named: &str) -> Outcome<Task> {
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
pub(crate) fn is_forgotten(memory: &Memory, id: &str) -> Outcome<bool> {
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

/// The name of a task, condition or artifact.
pub(crate) fn name_of(memory: &Memory, id: &str) -> Outcome<String> {
    Ok(match memory.tasks().entity(&EntityId::new(id))? {
        Some(Entity::Task(task)) => format!("{} ({})", task.title, task.status()),
        Some(Entity::Condition(condition)) => condition.text,
        Some(Entity::Artifact(artifact)) => artifact.identifier,
        _ => id.to_owned(),
    })
}

/// What a task waits for, and perhaps waits for.
pub(crate) fn blockers(task: &Task) -> impl Iterator<Item = &BlockerRef> {
    task.blockers().iter().chain(task.suggested_blockers())
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
