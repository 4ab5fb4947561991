//! Turns what an extracted entry says about a task into events.
//!
//! The order of the events matters: entities are declared before anything refers to them, a
//! rejected status change comes before its correction, and blockers are set when the task
//! is already blocked.

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::shorten::short;
use crate::rules::tasks::blockers::{
    BlockerConfidence, BlockerRef, Blockers, BlockersMode, TaskCandidate, unique,
};
use crate::rules::tasks::classify::{Classified, classify, placeholder_text};
use crate::rules::tasks::entity::{EntityId, EntityKind, Source};
use crate::rules::tasks::events::{ResolutionType, StatusMove, TaskEvent, TaskPayload};
use crate::rules::tasks::model::{Task, TaskPhase};
use crate::rules::tasks::status::{Priority, TaskStatus, Transition};
use crate::rules::tasks::view::TaskView;
use crate::rules::tasks::{keys, matcher};

/// Makes the ids of new entities.
pub trait EntityIds {
    /// Returns the id of a new entity with this key. The same key must give the same id, so
    /// that two processes that resolve the same text agree.
    fn entity_id(&self, kind: EntityKind, canonical_key: &str) -> EntityId;
}

/// Ids made from the key by keyed BLAKE3: `task_` and 32 hex digits. If the key is a secret
/// of the store, an id does not reveal the title after the title has been erased.
#[derive(Clone, Debug)]
pub struct KeyedIds {
    secret: [u8; 32],
}

impl KeyedIds {
    /// Creates ids keyed with this secret.
    pub fn new(secret: [u8; 32]) -> Self {
        KeyedIds { secret }
    }
}

impl EntityIds for KeyedIds {
    fn entity_id(&self, kind: EntityKind, canonical_key: &str) -> EntityId {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(kind.as_str().as_bytes());
        hasher.update(&[0]);
        hasher.update(canonical_key.as_bytes());
        EntityId::new(format!("{kind}_{}", &hasher.finalize().to_hex()[..32]))
    }
}

/// What an extractor found out about one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskEntry {
    /// The title of the task, which must contain a letter or a digit.
    pub title: String,
    /// The status it is said to have.
    pub status: Option<TaskStatus>,
    /// How urgent it is said to be.
    pub priority: Option<Priority>,
    /// What is said to block it, in free text.
    pub blocked_by: Vec<String>,
    /// A longer description.
    pub description: Option<String>,
    /// The project it belongs to. Default: that of the resolver.
    pub project: Option<String>,
}

/// The decision of the resolver.
///
/// An entry that changes nothing gives no events. So that it is not resolved again later,
/// when the task has moved on, the caller also records the source itself
/// ([`crate::rules::tasks::TaskTables::mark_resolved`]), from whatever event of the log
/// says that the session's extraction was taken in.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// The task that the entry is about.
    pub task_id: EntityId,
    /// Whether these events create the task.
    pub is_new: bool,
    /// True if the entry was resolved before and there is nothing to do.
    pub already_resolved: bool,
    /// The events, in the order in which they must be appended and projected.
    pub events: Vec<TaskEvent>,
}

/// Resolves extracted entries against the current state.
#[derive(Clone, Copy)]
pub struct TaskResolver<'a> {
    view: &'a dyn TaskView,
    ids: &'a dyn EntityIds,
    project: &'a str,
}

impl<'a> TaskResolver<'a> {
    /// Creates a resolver over a view. `project` applies to entries that name none (`None`
    /// means `default`).
    pub fn new(view: &'a dyn TaskView, ids: &'a dyn EntityIds, project: Option<&'a str>) -> Self {
        TaskResolver {
            view,
            ids,
            project: project.unwrap_or(keys::DEFAULT_PROJECT),
        }
    }

    /// Decides what an entry changes. A blocker that already waits for the task itself is
    /// passed over.
    ///
    /// `is_aligned` says that all of the entry's quotes were found; only then do its
    /// blockers become confirmed ones. Resolving the same source again gives no events.
    ///
    /// # Errors
    /// `invalid_argument` naming `title` when it has no letter or digit; and
    /// those of the view.
    pub fn resolve(
        &self,
        source: &Source,
        entry: &TaskEntry,
        is_aligned: bool,
    ) -> Result<Resolution> {
        let project = entry.project.as_deref().unwrap_or(self.project);
        let key = keys::task_key(project, &entry.title)
            .ok_or_else(|| Error::invalid("title", "needs at least one letter or digit"))?;
        let existing = self.find_task(project, &key, &entry.title)?;
        self.resolve_as(source, entry, is_aligned, (&key, existing))
    }

    /// Like [`Self::resolve`], for a known task: other stores may have recorded one of the same title.
    pub(crate) fn resolve_known(
        &self,
        source: &Source,
        entry: &TaskEntry,
        is_aligned: bool,
        task: Task,
    ) -> Result<Resolution> {
        let key = task.canonical_key.clone();
        self.resolve_as(source, entry, is_aligned, (&key, Some(task)))
    }

    fn resolve_as(
        &self,
        source: &Source,
        entry: &TaskEntry,
        is_aligned: bool,
        (key, existing): (&str, Option<Task>),
    ) -> Result<Resolution> {
        let project = entry.project.as_deref().unwrap_or(self.project);
        let task_id = match &existing {
            Some(task) => task.id.clone(),
            None => self.ids.entity_id(EntityKind::Task, key),
        };
        if self.view.is_resolved(source)? {
            return Ok(Resolution {
                task_id,
                is_new: false,
                already_resolved: true,
                events: Vec::new(),
            });
        }
        let mut act = Act {
            resolver: self,
            source,
            project,
            title: entry.title.trim(),
            task_id: task_id.clone(),
            passes_over_circles: true,
            declared: Vec::new(),
            events: Vec::new(),
        };
        let is_new = existing.is_none();
        let phase = match existing {
            Some(task) => {
                act.change_priority(&task, entry.priority);
                task.phase
            }
            None => act.create(key, entry),
        };
        // A new task reported as done or pending already gets that status after its creation:
        // one correction per entry.
        let requested = match entry.status {
            Some(TaskStatus::Done) if is_new => None,
            other => other,
        };
        // Finished work has no blockers, whatever the entry still lists.
        let blocked_by: &[String] = match entry.status {
            Some(TaskStatus::Done | TaskStatus::Cancelled) => &[],
            _ => &entry.blocked_by,
        };
        act.move_and_block(&phase, requested, blocked_by, is_aligned)?;
        Ok(Resolution {
            task_id,
            is_new,
            already_resolved: false,
            events: act.events,
        })
    }

    /// The task that an entry is about, if it is known.
    pub(crate) fn known_task(&self, entry: &TaskEntry) -> Result<Option<Task>> {
        let project = entry.project.as_deref().unwrap_or(self.project);
        match keys::task_key(project, &entry.title) {
            Some(key) => self.find_task(project, &key, &entry.title),
            None => Ok(None),
        }
    }

    /// Changes the status of a task on behalf of a caller, by the same rules as for an
    /// entry.
    ///
    /// # Errors
    /// `not_found` when there is no such task; `invalid_transition` when the
    /// move is refused (nothing is recorded then); `invariant_violation` when a blocker is the
    /// task itself; those of the view.
    pub fn change_status(
        &self,
        source: &Source,
        task_id: &EntityId,
        to: TaskStatus,
        blocked_by: &[String],
    ) -> Result<Vec<TaskEvent>> {
        let task = self.task(task_id)?;
        if let Some(reason) = Transition::decide(task.status(), to).rejected_reason() {
            let is_first = (task.status(), to) == (TaskStatus::Pending, TaskStatus::Done);
            let advice = match is_first {
                true => "; change it to in_progress first",
                false => "",
            };
            return Err(Error::new(
                ErrorCode::InvalidTransition,
                format!("task {task_id}: {reason}{advice}"),
            )
            .with_argument("to"));
        }
        let mut act = self.act(source, &task);
        act.move_and_block(&task.phase, Some(to), blocked_by, true)?;
        Ok(act.events)
    }

    /// Sets the priority of a task. Setting the current priority gives no event.
    ///
    /// # Errors
    /// `not_found`; those of the view.
    pub fn set_priority(
        &self,
        source: &Source,
        task_id: &EntityId,
        to: Priority,
    ) -> Result<Vec<TaskEvent>> {
        let task = self.task(task_id)?;
        let mut act = self.act(source, &task);
        act.change_priority(&task, Some(to));
        Ok(act.events)
    }

    /// Renames a task. The old key stays as an alias, so that the old title still refers to
    /// the same task.
    ///
    /// # Errors
    /// `not_found`; `invalid_argument` naming `title` when it is blank;
    /// `already_exists` when another task has that title; those of the view.
    pub fn rename(
        &self,
        source: &Source,
        task_id: &EntityId,
        title: &str,
    ) -> Result<Vec<TaskEvent>> {
        let task = self.task(task_id)?;
        let title = title.trim();
        let canonical_key = keys::task_key(&task.project, title)
            .ok_or_else(|| Error::invalid("title", "needs at least one letter or digit"))?;
        if title == task.title {
            return Ok(Vec::new());
        }
        // What another store recorded under the same key is the same task.
        if canonical_key != task.canonical_key
            && let Some(hit) = self.view.find(EntityKind::Task, &canonical_key)?
            && hit.id != *task_id
        {
            return Err(Error::new(
                ErrorCode::AlreadyExists,
                format!("task {} already has this title", hit.id),
            )
            .with_argument("title"));
        }
        let mut act = self.act(source, &task);
        act.push(TaskPayload::TitleChanged {
            task_id: task_id.clone(),
            from: task.title.clone(),
            to: title.to_owned(),
            canonical_key,
        });
        Ok(act.events)
    }

    /// Resolves a condition to another entity. Repeating this gives no event.
    ///
    /// # Errors
    /// `not_found` when the condition or the target does not exist;
    /// `invalid_argument` when they are the same or the confidence is outside
    /// 0 to 1; those of the view.
    pub fn resolve_condition(
        &self,
        source: &Source,
        condition_id: &EntityId,
        target: (EntityKind, EntityId),
        resolution: ResolutionType,
        confidence: f64,
    ) -> Result<Vec<TaskEvent>> {
        if target == (EntityKind::Condition, condition_id.clone()) {
            return Err(Error::invalid("target", "must not be the condition itself"));
        }
        if !(0.0..=1.0).contains(&confidence) {
            return Err(Error::invalid("confidence", "must be between 0 and 1"));
        }
        for (argument, kind, id) in [
            ("condition", EntityKind::Condition, condition_id),
            ("target", target.0, &target.1),
        ] {
            if !self.view.exists(kind, id)? {
                return Err(Error::new(
                    ErrorCode::NotFound,
                    format!("no {kind} with id {}", short(id.as_str())),
                )
                .with_argument(argument));
            }
        }
        if self.view.resolved_to(condition_id)?.as_ref() == Some(&target) {
            return Ok(Vec::new());
        }
        Ok(vec![TaskEvent {
            source: source.clone(),
            payload: TaskPayload::ConditionResolvedTo {
                condition_id: condition_id.clone(),
                resolved_to: target,
                resolution,
                confidence,
            },
        }])
    }

    fn task(&self, id: &EntityId) -> Result<Task> {
        self.view.task(id)?.ok_or_else(|| {
            Error::new(
                ErrorCode::NotFound,
                format!("no task with id {}", short(id.as_str())),
            )
            .with_argument("task")
        })
    }

    fn act<'b>(&'b self, source: &'b Source, task: &'b Task) -> Act<'b> {
        Act {
            resolver: self,
            source,
            project: &task.project,
            title: &task.title,
            task_id: task.id.clone(),
            passes_over_circles: false,
            declared: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Finds a task by key or alias in any status, otherwise by a strict match.
    fn find_task(&self, project: &str, key: &str, title: &str) -> Result<Option<Task>> {
        if let Some(hit) = self.view.find(EntityKind::Task, key)? {
            return self.view.task(&hit.id);
        }
        let candidates = matcher::find_candidates(self.view, project, title, None)?;
        Ok(matcher::strict_match(&candidates).map(|found| found.task.clone()))
    }
}

/// A resolution in progress.
struct Act<'a> {
    resolver: &'a TaskResolver<'a>,
    source: &'a Source,
    project: &'a str,
    title: &'a str,
    task_id: EntityId,
    /// Whether a blocker that already waits for the task is passed over. What a caller asks for
    /// is refused instead.
    passes_over_circles: bool,
    /// Conditions and artifacts declared by this resolution.
    declared: Vec<EntityId>,
    events: Vec<TaskEvent>,
}

impl Act<'_> {
    fn push(&mut self, payload: TaskPayload) {
        self.events.push(TaskEvent {
            source: self.source.clone(),
            payload,
        });
    }

    fn create(&mut self, key: &str, entry: &TaskEntry) -> TaskPhase {
        let initial_status = TaskStatus::initial(entry.status);
        self.push(TaskPayload::Created {
            task_id: self.task_id.clone(),
            canonical_key: key.to_owned(),
            project: self.project.to_owned(),
            title: self.title.to_owned(),
            description: entry.description.clone(),
            initial_status,
            priority: entry.priority.unwrap_or_default(),
        });
        TaskPhase::initial(initial_status)
    }

    fn change_priority(&mut self, task: &Task, wanted: Option<Priority>) {
        if let Some(to) = wanted
            && to != task.priority
        {
            self.push(TaskPayload::PriorityChanged {
                task_id: task.id.clone(),
                from: task.priority,
                to,
            });
        }
    }

    fn move_and_block(
        &mut self,
        phase: &TaskPhase,
        requested: Option<TaskStatus>,
        blocked_by: &[String],
        is_aligned: bool,
    ) -> Result<()> {
        let from = phase.status();
        let transition = requested.map_or(Transition::NoChange { status: from }, |to| {
            Transition::decide(from, to)
        });
        if let (Some(to), Some(reason)) = (requested, transition.rejected_reason()) {
            self.push(TaskPayload::TransitionRejected {
                task_id: self.task_id.clone(),
                from,
                to,
                reason: reason.to_owned(),
            });
        }
        let status = transition.effective_status();
        // Blockers belong to the requested move: if that is rejected, they are not written
        // either.
        let was_refused = matches!(transition, Transition::Rejected { .. });
        if was_refused || !status.is_open() {
            return self.move_to(from, status, None);
        }
        let mut refs = Vec::new();
        for (at, text) in blocked_by.iter().enumerate() {
            if !self.passes_over_circles && self.names_itself(text)? {
                return Err(Error::new(
                    ErrorCode::InvariantViolation,
                    format!("{} would wait for itself", self.task_id),
                )
                .with_argument(format!("blocked_by[{at}]")));
            }
            refs.extend(self.blocker(text)?);
        }
        let mut refs = unique(refs);
        let mut mode = match (status, is_aligned) {
            (TaskStatus::Blocked, true) => BlockersMode::Replace,
            _ => BlockersMode::Suggest,
        };
        if status == TaskStatus::Blocked
            && refs.is_empty()
            && requested == Some(TaskStatus::Blocked)
            && phase.confirmed().is_empty()
        {
            refs.push(self.placeholder()?);
            mode = BlockersMode::Replace;
        }
        let has_changed = match mode {
            BlockersMode::Replace => refs != phase.confirmed(),
            BlockersMode::Suggest => refs != phase.suggested(),
        };
        let blockers = match status {
            TaskStatus::Blocked if from != TaskStatus::Blocked => {
                let kept = phase.suggested().to_vec();
                Some(match mode {
                    BlockersMode::Replace => Blockers::new(refs.clone(), kept)?,
                    BlockersMode::Suggest => Blockers::new(Vec::new(), refs.clone())?,
                })
            }
            _ => None,
        };
        self.move_to(from, status, blockers)?;
        if !refs.is_empty() && has_changed {
            self.push(TaskPayload::BlockersSet {
                task_id: self.task_id.clone(),
                mode,
                blockers: refs,
            });
        }
        Ok(())
    }

    fn move_to(
        &mut self,
        from: TaskStatus,
        to: TaskStatus,
        blockers: Option<Blockers>,
    ) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let to = match (to, blockers) {
            (TaskStatus::Pending, _) => StatusMove::Pending,
            (TaskStatus::InProgress, _) => StatusMove::InProgress,
            (TaskStatus::Done, _) => StatusMove::Done,
            (TaskStatus::Cancelled, _) => StatusMove::Cancelled,
            (TaskStatus::Blocked, Some(blockers)) => StatusMove::Blocked(blockers),
            (TaskStatus::Blocked, None) => {
                return Err(Error::new(
                    ErrorCode::InvariantViolation,
                    format!(
                        "task {} needs at least one blocker to be blocked",
                        self.task_id
                    ),
                ));
            }
        };
        self.push(TaskPayload::StatusChanged {
            task_id: self.task_id.clone(),
            from,
            to,
            reason: None,
        });
        Ok(())
    }

    /// Whether a blocker's text is a title or key of the task itself, now or before a renaming.
    fn names_itself(&self, text: &str) -> Result<bool> {
        let text = text.trim();
        let named = match keys::is_task_key(text) {
            true => keys::normalized_task_keys(text),
            false => keys::task_key(self.project, text).into_iter().collect(),
        };
        for key in named {
            let found = self.resolver.view.find(EntityKind::Task, &key)?;
            if found.is_some_and(|found| found.id == self.task_id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The entity that a blocker's text refers to, declared if it is new. `None` for blank
    /// text, and for what already waits for this task.
    fn blocker(&mut self, text: &str) -> Result<Option<BlockerRef>> {
        let text = text.trim();
        let found = classify(self.resolver.view, self.project, text, Some(&self.task_id))?;
        let confidence = found.confidence();
        let kind = found.kind();
        let (entity_id, candidates) = match found {
            Classified::Task { id } => (id, Vec::new()),
            Classified::Artifact {
                kind,
                canonical_key,
            } => {
                let known = self.known(EntityKind::Artifact, &canonical_key)?;
                if let Some(artifact_id) = known.1 {
                    self.push(TaskPayload::ArtifactDeclared {
                        artifact_id,
                        canonical_key,
                        kind,
                        identifier: text.to_owned(),
                    });
                }
                (known.0, Vec::new())
            }
            Classified::Condition { candidates } => {
                let Some(key) = keys::condition_key(self.project, text) else {
                    return Ok(None);
                };
                (self.condition(key, text, &candidates, false)?, candidates)
            }
        };
        if self.passes_over_circles {
            let entity = (kind, entity_id.clone());
            if self.resolver.view.waits_for(entity, &self.task_id)? {
                return Ok(None);
            }
        }
        Ok(Some(BlockerRef {
            kind,
            entity_id,
            raw_text: text.to_owned(),
            confidence,
            candidates,
        }))
    }

    /// The condition that stands for an unnamed blocker.
    fn placeholder(&mut self) -> Result<BlockerRef> {
        let text = placeholder_text(self.title);
        let key = keys::condition_key(self.project, &text)
            .expect("the text begins with letters, so it has an identity");
        Ok(BlockerRef {
            kind: EntityKind::Condition,
            entity_id: self.condition(key, &text, &[], true)?,
            raw_text: text,
            confidence: BlockerConfidence::None,
            candidates: Vec::new(),
        })
    }

    fn condition(
        &mut self,
        canonical_key: String,
        text: &str,
        candidates: &[TaskCandidate],
        auto_placeholder: bool,
    ) -> Result<EntityId> {
        let (id, new) = self.known(EntityKind::Condition, &canonical_key)?;
        if let Some(condition_id) = new {
            self.push(TaskPayload::ConditionDeclared {
                condition_id,
                canonical_key,
                project: self.project.to_owned(),
                text: text.to_owned(),
                candidates: candidates.to_vec(),
                auto_placeholder,
            });
        }
        Ok(id)
    }

    /// The id for the key, twice if the entity must be declared.
    fn known(
        &mut self,
        kind: EntityKind,
        canonical_key: &str,
    ) -> Result<(EntityId, Option<EntityId>)> {
        if let Some(hit) = self.resolver.view.find(kind, canonical_key)? {
            return Ok((hit.id, None));
        }
        let id = self.resolver.ids.entity_id(kind, canonical_key);
        if self.declared.contains(&id) {
            return Ok((id, None));
        }
        self.declared.push(id.clone());
        Ok((id.clone(), Some(id)))
    }
}
