//! Reads stored tasks, and carries out what callers do with a task or a condition.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::engine::{Engine, learned_index};
use crate::learn::entries::WALKED;
use crate::learn::task_records::{project_of, task_event};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::Event;
use crate::model::hex::hex;
use crate::model::lists::{first_rows, on_page, page};
use crate::model::setters::setters;
use crate::model::shorten::short;
use crate::model::time::Timestamp;
use crate::privacy::{check_name, check_one_line};
use crate::projection;
use crate::projection::rows;
use crate::projection::tasks::{self as rows_of, GraphRows, TaskRows, TitleCache};
use crate::recall::learned::quoted;
use crate::recall::learned::tasks::{as_of, blockers, history};
use crate::rules::graph::EffectiveBlocker;
use crate::rules::model_answer::{MAX_BLOCKERS, MAX_CONTENT_CHARS, MAX_TITLE_CHARS};
use crate::rules::tasks::blockers::BlockerRef;
use crate::rules::tasks::events::ResolutionType;
use crate::rules::tasks::resolver::{KeyedIds, TaskEntry};
use crate::rules::tasks::{
    Artifact, Condition, EntityId, EntityKind, EntityRef, Priority, Source, StatusMove, Task,
    TaskEvent, TaskPayload, TaskResolver, TaskStatus, keys,
};
use crate::scope::ProjectScope;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Rows;
use crate::write::pauses::{self, PauseKeys};
use crate::write::prepare::{clean_text, kept_option};

/// Selects tasks. A task must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TaskFilter {
    /// Keeps only tasks of these projects.
    pub project: ProjectScope,
    /// Keeps only tasks with this status.
    pub status: Option<TaskStatus>,
    /// Keeps only tasks with this text in the title or description, ignoring letter case.
    pub text: Option<String>,
    /// Skips this many tasks, to page through a list. Default: 0.
    pub offset: Option<usize>,
    /// The maximum number of tasks to return. Default: 1,000.
    pub limit: Option<usize>,
    /// Keeps only tasks whose quoted events are all there, as searches do: leaves out what was
    /// learned from events that are forgotten now. Set this for lists that you give to a model.
    /// Default: false.
    pub is_live: bool,
}

impl TaskFilter {
    setters! {
        /// Keeps only tasks of these projects.
        project: ProjectScope;
        /// Keeps only tasks with this status.
        status: some TaskStatus;
        /// Keeps only tasks with this text in the title or description.
        text: some text;
        /// Skips this many tasks.
        offset: some usize;
        /// Returns at most this many.
        limit: some usize;
        /// Sets whether to keep only tasks whose quoted events are all there.
        is_live: bool;
    }
}

/// A task that a person or a program creates.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NewTask {
    /// What has to be done, in one line of at most 500 characters.
    pub title: String,
    /// The project it belongs to. Default: that of the memory.
    pub project: Option<String>,
    /// How urgent it is. Default: medium.
    pub priority: Option<Priority>,
    /// A longer description, at most 20,000 characters.
    pub description: Option<String>,
    /// What the task waits for, in free text, at most 50 items. A task that waits for anything is
    /// created as blocked.
    pub blocked_by: Vec<String>,
}

impl NewTask {
    /// Creates a task of medium priority that waits for nothing.
    pub fn new(title: impl Into<String>) -> Self {
        NewTask {
            title: title.into(),
            ..NewTask::default()
        }
    }

    setters! {
        /// Sets the project.
        project: some text;
        /// Sets how urgent it is.
        priority: some Priority;
        /// Sets a longer description.
        description: some text;
        /// Sets what the task waits for.
        blocked_by: texts;
    }
}

/// A task and its effective blockers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockedTask {
    /// The task.
    pub task: Task,
    /// What blocks the task. Conditions are replaced by what they were resolved to.
    pub blockers: Vec<EffectiveBlocker>,
}

/// A task with everything known about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskDetail {
    /// The task, with its confirmed and suggested blockers.
    pub task: Task,
    /// What blocks the task. Conditions are replaced by what they were resolved to.
    pub effective_blockers: Vec<EffectiveBlocker>,
    /// The events that changed it, in the order in which they took effect: that of the log, except
    /// that events of other stores are placed where they belong, whenever they arrived.
    pub history: Vec<Event>,
}

/// A task, condition or artifact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entity {
    /// Something that has to be done.
    Task(Task),
    /// Something that must become true.
    Condition(Condition),
    /// Something external.
    Artifact(Artifact),
}

impl Entity {
    /// Which of them it is.
    pub fn kind(&self) -> EntityKind {
        match self {
            Entity::Task(_) => EntityKind::Task,
            Entity::Condition(_) => EntityKind::Condition,
            Entity::Artifact(_) => EntityKind::Artifact,
        }
    }

    /// The task, if it is one.
    pub fn task(&self) -> Option<&Task> {
        match self {
            Entity::Task(task) => Some(task),
            _ => None,
        }
    }

    /// The condition, if it is one.
    pub fn condition(&self) -> Option<&Condition> {
        match self {
            Entity::Condition(condition) => Some(condition),
            _ => None,
        }
    }

    /// The artifact, if it is one.
    pub fn artifact(&self) -> Option<&Artifact> {
        match self {
            Entity::Artifact(artifact) => Some(artifact),
            _ => None,
        }
    }
}

/// The project that a scope selects; tasks without one are in `default`.
fn task_project(scope: &ProjectScope, engine: &Engine) -> Result<Option<String>> {
    let wanted = crate::write::prepare::wanted_project(engine, scope)?;
    Ok(wanted.map(|project| keys::or_default(&project).to_owned()))
}

fn no_task(id: &EntityId) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("no task with id {}", short(id.as_str())),
    )
    .with_argument("task")
}

/// In the order of a list.
const STATUSES: [TaskStatus; 5] = [
    TaskStatus::Blocked,
    TaskStatus::InProgress,
    TaskStatus::Pending,
    TaskStatus::Done,
    TaskStatus::Cancelled,
];

/// [`Tasks::list`](crate::Tasks::list).
pub(crate) fn list(engine: &Engine, filter: &TaskFilter) -> Result<Vec<Task>> {
    let project = task_project(&filter.project, engine)?;
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let page = page(filter.offset, filter.limit);
    let mut listing = Listing {
        read: &read,
        rows: &rows,
        is_live: filter.is_live,
        project: project.as_deref(),
        status: filter.status,
        text: filter.text.as_ref().map(|text| text.to_lowercase()),
        limit: page.end,
        found: Vec::new(),
        keys: BTreeSet::new(),
    };
    let most = match listing.text {
        Some(_) => WALKED,
        None => usize::MAX,
    };
    if !listing.walk(most)? {
        // The rest may be anywhere: read the tasks that contain its words.
        listing.found.clear();
        listing.keys.clear();
        match learned_index::tasks_with(&rows, listing.text.as_deref().unwrap_or_default())? {
            Some(ids) => listing.choose(&ids)?,
            None => drop(listing.walk(usize::MAX)?),
        }
    }
    let mut found = on_page(listing.found, &page);
    if filter.is_live {
        for task in &mut found {
            leave_out_forgotten(&read, &rows, task)?;
        }
    }
    Ok(found)
}

/// Takes out of a task the candidates that were learned from forgotten events, which have titles.
fn leave_out_forgotten(read: &ReadTx, rows: &dyn Rows, task: &mut Task) -> Result<()> {
    for blocker in task.phase.blockers_mut() {
        let mut live = Vec::new();
        for candidate in std::mem::take(&mut blocker.candidates) {
            if quoted::is_task_live(read, rows, &candidate.entity_id)? {
                live.push(candidate);
            }
        }
        blocker.candidates = live;
    }
    Ok(())
}

/// Tasks while they are listed: of several with one title, which stores recorded before they shared,
/// the first.
struct Listing<'a> {
    read: &'a ReadTx,
    rows: &'a dyn Rows,
    /// Whether what was learned from forgotten events is left out.
    is_live: bool,
    project: Option<&'a str>,
    status: Option<TaskStatus>,
    /// In lower case.
    text: Option<String>,
    limit: usize,
    found: Vec<Task>,
    /// The keys of those that were found.
    keys: BTreeSet<String>,
}

impl Listing<'_> {
    fn fits(&self, task: &Task) -> Result<bool> {
        let has_text = self.text.as_deref().is_none_or(|text| {
            let more = task.description.as_ref();
            holds(&task.title, text) || more.is_some_and(|more| holds(more, text))
        });
        Ok(has_text && (!self.is_live || quoted::is_task_live(self.read, self.rows, &task.id)?))
    }

    /// Looks at one task after another, at most so many. True if the list is complete.
    fn walk(&mut self, most: usize) -> Result<bool> {
        let mut left = most;
        for status in STATUSES {
            if self.status.is_some_and(|wanted| wanted != status) {
                continue;
            }
            if self.found.len() >= self.limit {
                return Ok(true);
            }
            let (rows, project) = (self.rows, self.project);
            rows_of::by_status(rows, project, status, &mut |task| {
                if self.fits(&task)? && self.keys.insert(task.canonical_key.clone()) {
                    self.found.push(task);
                }
                left -= 1;
                Ok(self.found.len() < self.limit && left > 0)
            })?;
            if left == 0 {
                return Ok(self.found.len() >= self.limit);
            }
        }
        Ok(true)
    }

    /// Lists those of these tasks that fit.
    fn choose(&mut self, ids: &[EntityId]) -> Result<()> {
        for id in ids {
            if let Some(task) = rows_of::task(self.rows, id)?
                && self.project.is_none_or(|project| task.project == project)
                && self.status.is_none_or(|status| task.status() == status)
                && self.fits(&task)?
            {
                self.found.push(task);
            }
        }
        let place = |task: &Task| STATUSES.iter().position(|status| *status == task.status());
        self.found.sort_by(|a, b| {
            let (latest_a, latest_b) = (Reverse(a.updated_at), Reverse(b.updated_at));
            (place(a), latest_a, &a.id).cmp(&(place(b), latest_b, &b.id))
        });
        let keys = &mut self.keys;
        (self.found).retain(|task| keys.insert(task.canonical_key.clone()));
        Ok(())
    }
}

/// Whether a text contains `wanted`, which is in lower case.
fn holds(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(wanted)
}

/// [`Tasks::get`](crate::Tasks::get).
pub(crate) fn get(engine: &Engine, id: &EntityId) -> Result<Option<TaskDetail>> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let Some(task) = rows_of::task(&rows, id)? else {
        return Ok(None);
    };
    Ok(Some(TaskDetail {
        effective_blockers: blockers(&rows, id)?,
        history: history(&read, &rows, id)?,
        task,
    }))
}

/// [`Tasks::get_as_of`](crate::Tasks::get_as_of).
pub(crate) fn get_as_of(engine: &Engine, id: &EntityId, at: Timestamp) -> Result<Option<Task>> {
    let read = engine.store.read()?;
    let acts = history(&read, &read.projected()?, id)?;
    Ok(as_of(&acts, at))
}

/// [`Tasks::entity`](crate::Tasks::entity).
pub(crate) fn entity(engine: &Engine, id: &EntityId) -> Result<Option<Entity>> {
    let rows = engine.store.read()?.projected()?;
    Ok(match rows_of::entity_kind(&rows, id.as_str())? {
        Some(EntityKind::Task) => rows_of::task(&rows, id)?.map(Entity::Task),
        Some(EntityKind::Condition) => rows_of::condition(&rows, id)?.map(Entity::Condition),
        Some(EntityKind::Artifact) => rows_of::artifact(&rows, id)?.map(Entity::Artifact),
        None => None,
    })
}

/// [`Tasks::blocked`](crate::Tasks::blocked).
pub(crate) fn blocked(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<BlockedTask>> {
    blocked_where(engine, project, limit, &|_, _| Ok(true))
}

/// [`Tasks::with_only_suggested_blockers`](crate::Tasks::with_only_suggested_blockers).
pub(crate) fn with_only_suggested_blockers(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<Task>> {
    let found = blocked_where(engine, project, limit, &|_, task| {
        Ok(task.is_blocked_by_suggestions_only())
    })?;
    Ok(found.into_iter().map(|blocked| blocked.task).collect())
}

/// [`Tasks::with_placeholder_blockers`](crate::Tasks::with_placeholder_blockers).
pub(crate) fn with_placeholder_blockers(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<Task>> {
    let found = blocked_where(engine, project, limit, &|rows, task| {
        for blocker in task.phase.confirmed() {
            if blocker.kind == EntityKind::Condition
                && rows_of::condition(rows, &blocker.entity_id)?
                    .is_some_and(|found| found.auto_placeholder && !found.is_resolved())
            {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    Ok(found.into_iter().map(|blocked| blocked.task).collect())
}

fn blocked_where(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
    fits: &dyn Fn(&dyn Rows, &Task) -> Result<bool>,
) -> Result<Vec<BlockedTask>> {
    let rows = engine.store.read()?.projected()?;
    let project = task_project(project, engine)?;
    let found = first_rows(limit, &mut |visit| {
        let mut keys = BTreeSet::new();
        rows_of::by_urgency(
            &rows,
            project.as_deref(),
            &mut |task| match fits(&rows, &task)? && keys.insert(task.canonical_key.clone()) {
                true => visit(task),
                false => Ok(true),
            },
        )
    })?;
    let with_blockers = |task: Task| {
        Ok(BlockedTask {
            blockers: blockers(&rows, &task.id)?,
            task,
        })
    };
    found.into_iter().map(with_blockers).collect()
}

/// [`Tasks::resolved_conditions`](crate::Tasks::resolved_conditions).
pub(crate) fn resolved_conditions(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<Condition>> {
    let project = task_project(project, engine)?;
    let rows = engine.store.read()?.projected()?;
    first_rows(limit, &mut |visit| {
        rows_of::resolved_conditions(&rows, project.as_deref(), visit)
    })
}

/// [`Tasks::conditions`](crate::Tasks::conditions).
pub(crate) fn conditions(
    engine: &Engine,
    project: &ProjectScope,
    limit: Option<usize>,
) -> Result<Vec<Condition>> {
    let project = task_project(project, engine)?;
    let rows = engine.store.read()?.projected()?;
    first_rows(limit, &mut |visit| {
        rows_of::conditions(&rows, project.as_deref(), visit)
    })
}

/// [`Tasks::artifacts`](crate::Tasks::artifacts).
pub(crate) fn artifacts(engine: &Engine, limit: Option<usize>) -> Result<Vec<Artifact>> {
    let rows = engine.store.read()?.projected()?;
    first_rows(limit, &mut |visit| {
        rows::scan(&rows, &[], &mut |_, artifact| visit(artifact))
    })
}

/// [`Tasks::create`](crate::Tasks::create).
pub(crate) fn create(engine: &Engine, task: &NewTask) -> Result<Task> {
    if let Some(project) = &task.project {
        check_name("project", project)?;
    }
    let entry = TaskEntry {
        title: title(engine, &task.title)?,
        status: (!task.blocked_by.is_empty()).then_some(TaskStatus::Blocked),
        priority: task.priority,
        blocked_by: blocker_texts(engine, &task.blocked_by)?,
        description: match &task.description {
            Some(text) => {
                check_length("description", text, MAX_CONTENT_CHARS)?;
                Some(clean_text(engine, "description", text)?)
            }
            None => None,
        },
        project: kept_option(engine, task.project.as_deref())?
            .filter(|project| !project.trim().is_empty()),
    };
    let project = entry.project.as_ref().unwrap_or(&engine.project);
    let itself = keys::normalize_identity(&entry.title);
    let is_itself = |text: &String| keys::normalize_identity(text) == itself;
    if let Some(at) = entry.blocked_by.iter().position(is_itself) {
        return Err(Error::invalid(
            format!("blocked_by[{at}]"),
            "must not be the task itself",
        ));
    }
    let mut id = None;
    change_unless_paused(engine, Some(project), |resolver, source, _| {
        let made = resolver.resolve(source, &entry, true)?;
        if !made.is_new {
            return Err(Error::new(
                ErrorCode::AlreadyExists,
                format!("task {} already has this title", made.task_id),
            )
            .with_argument("title"));
        }
        id = Some(made.task_id);
        Ok(made.events)
    })?;
    let id = id.ok_or_else(|| Error::new(ErrorCode::Internal, "a created task has no id"))?;
    required_task(engine, &id)
}

/// [`Tasks::set_priority`](crate::Tasks::set_priority).
pub(crate) fn set_priority(engine: &Engine, task: &EntityId, to: Priority) -> Result<Task> {
    change_task(engine, task, |resolver, source, task| {
        resolver.set_priority(source, &task.id, to)
    })?;
    required_task(engine, task)
}

/// [`Tasks::resolve_condition`](crate::Tasks::resolve_condition).
pub(crate) fn resolve_condition(
    engine: &Engine,
    condition: &EntityId,
    target: &EntityRef,
    resolution: ResolutionType,
    confidence: f64,
) -> Result<()> {
    let target = (target.kind, target.id.clone());
    change_tasks(engine, |resolver, source| {
        resolver.resolve_condition(source, condition, target, resolution, confidence)
    })
}

/// [`Tasks::change_status`](crate::Tasks::change_status).
pub(crate) fn change_status(
    engine: &Engine,
    task: &EntityId,
    to: TaskStatus,
    blocked_by: &[String],
) -> Result<Task> {
    let blocked_by = blocker_texts(engine, blocked_by)?;
    change_task(engine, task, |resolver, source, changed| {
        let from = changed.status();
        if changed.id == *task || from.can_move_to(to) {
            return resolver.change_status(source, &changed.id, to, &blocked_by);
        }
        // The other store had not heard that it was begun.
        let is_unbegun = (from, to) == (TaskStatus::Pending, TaskStatus::Done);
        let mut acts = Vec::new();
        if is_unbegun {
            acts = resolver.change_status(source, &changed.id, TaskStatus::InProgress, &[])?;
            acts.push(TaskEvent {
                source: source.clone(),
                payload: TaskPayload::StatusChanged {
                    task_id: changed.id.clone(),
                    from: TaskStatus::InProgress,
                    to: StatusMove::Done,
                    reason: None,
                },
            });
        }
        Ok(acts)
    })?;
    required_task(engine, task)
}

/// [`Tasks::rename`](crate::Tasks::rename).
pub(crate) fn rename(engine: &Engine, task: &EntityId, title: &str) -> Result<Task> {
    let title = self::title(engine, title)?;
    change_task(engine, task, |resolver, source, task| {
        resolver.rename(source, &task.id, &title)
    })?;
    required_task(engine, task)
}

fn title(engine: &Engine, title: &str) -> Result<String> {
    check_length("title", title, MAX_TITLE_CHARS)?;
    check_one_line("title", title)?;
    let title = clean_text(engine, "title", title)?;
    match keys::has_own_words(&title) {
        true => Ok(title),
        false => Err(Error::invalid(
            "title",
            "needs at least one letter or digit that is not private",
        )),
    }
}

fn blocker_texts(engine: &Engine, texts: &[String]) -> Result<Vec<String>> {
    if texts.len() > MAX_BLOCKERS {
        return Err(Error::invalid(
            "blocked_by",
            format_args!("has {} items; the limit is {MAX_BLOCKERS}", texts.len()),
        ));
    }
    let clean = |(at, text): (usize, &String)| {
        let argument = format!("blocked_by[{at}]");
        check_length(&argument, text, MAX_TITLE_CHARS)?;
        clean_text(engine, &argument, text)
    };
    texts.iter().enumerate().map(clean).collect()
}

fn check_length(argument: &str, text: &str, most: usize) -> Result<()> {
    let length = text.chars().count();
    match length > most {
        true => Err(Error::invalid(
            argument,
            format_args!("has {length} characters; the limit is {most}"),
        )),
        false => Ok(()),
    }
}

fn required_task(engine: &Engine, id: &EntityId) -> Result<Task> {
    rows_of::task(&engine.store.read()?.projected()?, id)?.ok_or_else(|| no_task(id))
}

/// Changes a task, and with it what other stores recorded under its title: that is the same task.
fn change_task(
    engine: &Engine,
    id: &EntityId,
    change: impl Fn(&TaskResolver<'_>, &Source, &Task) -> Result<Vec<TaskEvent>>,
) -> Result<()> {
    change_unless_paused(engine, None, |resolver, source, view| {
        let task = rows_of::task(view.rows, id)?.ok_or_else(|| no_task(id))?;
        let mut acts = change(resolver, source, &task)?;
        for namesake in view.namesakes(&task)? {
            acts.extend(change(resolver, source, &namesake)?);
        }
        Ok(acts)
    })
}

fn change_tasks(
    engine: &Engine,
    decide: impl FnOnce(&TaskResolver<'_>, &Source) -> Result<Vec<TaskEvent>>,
) -> Result<()> {
    change_unless_paused(engine, None, |resolver, source, _| decide(resolver, source))
}

/// Like [`change_tasks`]; refuses if this project is paused.
fn change_unless_paused(
    engine: &Engine,
    project: Option<&str>,
    decide: impl FnOnce(&TaskResolver<'_>, &Source, &TaskRows<'_>) -> Result<Vec<TaskEvent>>,
) -> Result<()> {
    let read = engine.store.read()?;
    let keys = project.map(|project| PauseKeys::new(&read, None, project));
    drop(read);
    engine.store.write(|tx| {
        if let Some(keys) = &keys
            && let Some(scope) = keys.paused(&tx.projected()?)?
        {
            return Err(pauses::refusal(scope));
        }
        let secret = tx.derived_secret("recallite 2026 entity and entry ids");
        let ids = KeyedIds::new(secret);
        // Each call is a separate act in all stores that share it.
        let call = format!("call@{}", hex(&engine.store.new_salt()));
        let source = Source::new("", call);
        let own = &engine.project;
        let (acts, record_project) = {
            let rows = tx.projected()?;
            let titles = TitleCache::default();
            let view = TaskRows {
                rows: &rows,
                titles: &titles,
            };
            let project = (!own.is_empty()).then_some(own.as_str());
            let acts = decide(&TaskResolver::new(&view, &ids, project), &source, &view)?;
            for act in &acts {
                refuse_waiting_for_itself(&rows, act)?;
            }
            let record_project = project_of(&rows, &acts, own)?;
            (acts, record_project)
        };
        let drafts: Vec<_> = acts
            .iter()
            .map(|act| task_event(engine, &record_project, act, &[]))
            .collect();
        projection::append(tx, &drafts)?;
        engine.learned_index.flush_if_long(tx)
    })
}

/// Refuses an act by which a task or a condition would wait for itself over any number of
/// steps.
fn refuse_waiting_for_itself(rows: &dyn Rows, act: &TaskEvent) -> Result<()> {
    use crate::rules::graph::{Adjacency as _, Relation};
    use crate::rules::tasks::blockers::BlockersMode;
    let ids = |blockers: &[BlockerRef]| -> Vec<String> {
        let ids = blockers.iter().map(|blocker| blocker.entity_id.as_str());
        ids.map(str::to_owned).collect()
    };
    // What waits from now on, the argument that says for what, and for what.
    let (itself, argument, mut waiting) = match &act.payload {
        TaskPayload::StatusChanged {
            task_id,
            to: StatusMove::Blocked(blockers),
            ..
        } => (task_id, "blocked_by", ids(blockers.confirmed())),
        TaskPayload::BlockersSet {
            task_id,
            mode: BlockersMode::Replace,
            blockers,
        } => (task_id, "blocked_by", ids(blockers)),
        TaskPayload::ConditionResolvedTo {
            condition_id,
            resolved_to: (_, target),
            ..
        } => (condition_id, "target", vec![target.as_str().to_owned()]),
        _ => return Ok(()),
    };
    let graph = GraphRows::new(rows);
    let mut seen = BTreeSet::new();
    while let Some(at) = waiting.pop() {
        if at == itself.as_str() {
            return Err(Error::new(
                ErrorCode::InvariantViolation,
                format!("{itself} would wait for itself"),
            )
            .with_argument(argument));
        }
        if seen.insert(at.clone()) {
            waiting.extend(graph.destinations(&at, Relation::BlockedBy));
            waiting.extend(graph.destinations(&at, Relation::ResolvesTo));
        }
    }
    graph.check(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules::model_answer::EXTRACTION_SCHEMA;

    /// A task of a status that is missing in either would never be listed, or refused.
    #[test]
    fn every_status_has_a_place_in_the_list_and_in_the_schema() {
        let all: BTreeSet<&str> = TaskStatus::ALL.iter().map(|it| it.as_str()).collect();
        let listed: BTreeSet<&str> = STATUSES.iter().map(|it| it.as_str()).collect();
        assert_eq!(listed, all);
        let schema: serde_json::Value = serde_json::from_str(EXTRACTION_SCHEMA).unwrap();
        let accepted = &schema["$defs"]["task"]["properties"]["status"]["enum"];
        let accepted = accepted.as_array().unwrap();
        let accepted: BTreeSet<&str> = accepted.iter().filter_map(|it| it.as_str()).collect();
        assert_eq!(accepted, all);
    }
}
