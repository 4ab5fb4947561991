//! Tasks, conditions and artifacts as C sees them.

use std::ffi::c_char;

use recallite::rules::tasks::{
    Artifact, ArtifactKind, BlockerConfidence, BlockerRef, Candidate, Condition, EntityKind,
    Priority, Task, TaskStatus,
};

use crate::call::guard_free;
use crate::learn::word::{self, number, words};
use crate::owned::{self, Parts};
use crate::status::recallite_confidence;
use crate::text::recallite_str;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_task_status {
    /// In a filter: any.
    RECALLITE_TASK_STATUS_ANY = 0,
    /// Known, not begun.
    RECALLITE_TASK_STATUS_PENDING = 1,
    /// Being worked on.
    RECALLITE_TASK_STATUS_IN_PROGRESS = 2,
    /// Held up by at least one blocker.
    RECALLITE_TASK_STATUS_BLOCKED = 3,
    /// Finished. It may be opened again.
    RECALLITE_TASK_STATUS_DONE = 4,
    /// Given up, for ever.
    RECALLITE_TASK_STATUS_CANCELLED = 5,
}

/// How urgent a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_priority {
    /// Can wait.
    RECALLITE_PRIORITY_LOW = 1,
    /// The default.
    RECALLITE_PRIORITY_MEDIUM = 2,
    /// Soon.
    RECALLITE_PRIORITY_HIGH = 3,
    /// Before everything else.
    RECALLITE_PRIORITY_CRITICAL = 4,
}

/// What changes by events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_entity_kind {
    /// The entity is not known here.
    RECALLITE_ENTITY_UNKNOWN = 0,
    /// Something to do.
    RECALLITE_ENTITY_TASK = 1,
    /// Something that must become true.
    RECALLITE_ENTITY_CONDITION = 2,
    /// Something elsewhere: a page, a ticket, an issue.
    RECALLITE_ENTITY_ARTIFACT = 3,
}

/// What an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_artifact_kind {
    /// A web address.
    RECALLITE_ARTIFACT_URL = 1,
    /// A Jira ticket such as SHOP-12.
    RECALLITE_ARTIFACT_JIRA = 2,
    /// A GitHub issue such as owner/repo#12.
    RECALLITE_ARTIFACT_GITHUB_ISSUE = 3,
    /// Anything else.
    RECALLITE_ARTIFACT_GENERIC = 4,
}

words! {
    TaskStatus => recallite_task_status {
        Pending = RECALLITE_TASK_STATUS_PENDING c"pending",
        InProgress = RECALLITE_TASK_STATUS_IN_PROGRESS c"in_progress",
        Blocked = RECALLITE_TASK_STATUS_BLOCKED c"blocked",
        Done = RECALLITE_TASK_STATUS_DONE c"done",
        Cancelled = RECALLITE_TASK_STATUS_CANCELLED c"cancelled",
    }
    Priority => recallite_priority {
        Low = RECALLITE_PRIORITY_LOW c"low",
        Medium = RECALLITE_PRIORITY_MEDIUM c"medium",
        High = RECALLITE_PRIORITY_HIGH c"high",
        Critical = RECALLITE_PRIORITY_CRITICAL c"critical",
    }
    EntityKind => recallite_entity_kind {
        Task = RECALLITE_ENTITY_TASK c"task",
        Condition = RECALLITE_ENTITY_CONDITION c"condition",
        Artifact = RECALLITE_ENTITY_ARTIFACT c"artifact",
    }
    ArtifactKind => recallite_artifact_kind {
        Url = RECALLITE_ARTIFACT_URL c"url",
        Jira = RECALLITE_ARTIFACT_JIRA c"jira",
        GithubIssue = RECALLITE_ARTIFACT_GITHUB_ISSUE c"github_issue",
        Generic = RECALLITE_ARTIFACT_GENERIC c"generic",
    }
}

/// The stable name of a task status, for example "in_progress";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_task_status_name(status: i32) -> *const c_char {
    word::name::<TaskStatus>(status)
}

/// The stable name of a priority, for example "medium";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_priority_name(priority: i32) -> *const c_char {
    word::name::<Priority>(priority)
}

/// The stable name of an entity kind, for example "condition";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_entity_kind_name(kind: i32) -> *const c_char {
    word::name::<EntityKind>(kind)
}

/// The stable name of an artifact kind, for example "github_issue";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_artifact_kind_name(kind: i32) -> *const c_char {
    word::name::<ArtifactKind>(kind)
}

/// A task that a condition may mean.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_task_candidate {
    /// The task.
    pub task_id: recallite_str,
    /// Its title when it was proposed.
    pub title: recallite_str,
    /// How near it is, from 0 to 1.
    pub score: f64,
}

/// What holds a task up, as it was named.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_blocker {
    /// The entity.
    pub entity_id: recallite_str,
    /// The words that named it.
    pub raw_text: recallite_str,
    /// Pointers to tasks that the words may mean, best first.
    pub candidates: *const *const recallite_task_candidate,
    /// How many.
    pub candidates_len: usize,
    /// What kind of entity it is: one of recallite_entity_kind.
    pub kind: i32,
    /// How sure it is that the words mean the entity: one of
    /// recallite_confidence.
    pub confidence: i32,
}

/// A task as its events made it. Free it with recallite_task_free, unless it
/// came in another result.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_task {
    /// Its identity, which outlives its title.
    pub id: recallite_str,
    /// The project it belongs to.
    pub project: recallite_str,
    /// "task:{project}:{title}", of the present title.
    pub canonical_key: recallite_str,
    /// What it is called.
    pub title: recallite_str,
    /// More about it; absent for nothing.
    pub description: recallite_str,
    /// Pointers to the confirmed blockers; none unless it is blocked.
    pub blockers: *const *const recallite_blocker,
    /// How many.
    pub blockers_len: usize,
    /// Pointers to the blockers that were suggested without evidence.
    pub suggested_blockers: *const *const recallite_blocker,
    /// How many.
    pub suggested_blockers_len: usize,
    /// When it was first heard of, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When it last changed, in milliseconds since 1970 UTC.
    pub updated_ms: i64,
    /// Where it stands: one of recallite_task_status.
    pub status: i32,
    /// How urgent it is: one of recallite_priority.
    pub priority: i32,
}

/// Several tasks. Free it with recallite_task_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_task_list {
    /// Pointers to the tasks.
    pub items: *const *const recallite_task,
    /// How many.
    pub len: usize,
}

/// Something that must become true before a task can go on.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_condition {
    /// Its identity.
    pub id: recallite_str,
    /// The project it belongs to.
    pub project: recallite_str,
    /// "cond:{project}:{text}".
    pub canonical_key: recallite_str,
    /// What was said.
    pub text: recallite_str,
    /// What it turned out to be; absent while that is not known.
    pub resolved_to: recallite_str,
    /// Pointers to tasks that it may mean, best first.
    pub candidates: *const *const recallite_task_candidate,
    /// How many.
    pub candidates_len: usize,
    /// When it was declared, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When it last changed, in milliseconds since 1970 UTC.
    pub updated_ms: i64,
    /// The kind of resolved_to: one of recallite_entity_kind;
    /// RECALLITE_ENTITY_UNKNOWN when that is absent.
    pub resolved_kind: i32,
    /// True when the library made it up because a blocker was not named.
    pub auto_placeholder: bool,
}

/// Several conditions. Free it with recallite_condition_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_condition_list {
    /// Pointers to the conditions.
    pub items: *const *const recallite_condition,
    /// How many.
    pub len: usize,
}

/// Something elsewhere that a task waits for.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_artifact {
    /// Its identity.
    pub id: recallite_str,
    /// "art:{type}:{identifier}".
    pub canonical_key: recallite_str,
    /// The address, ticket or issue as it was written.
    pub identifier: recallite_str,
    /// When it was declared, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// What it is: one of recallite_artifact_kind.
    pub kind: i32,
}

/// Frees a task that the caller owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_task_free(task: *mut recallite_task) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(task) });
}

/// Frees a list of tasks and the tasks in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_task_list_free(tasks: *mut recallite_task_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(tasks) });
}

/// Frees a list of conditions and the conditions in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_condition_list_free(conditions: *mut recallite_condition_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(conditions) });
}

fn confidence(confidence: BlockerConfidence) -> i32 {
    let confidence = match confidence {
        BlockerConfidence::None => recallite_confidence::RECALLITE_CONFIDENCE_NONE,
        BlockerConfidence::Suggested => recallite_confidence::RECALLITE_CONFIDENCE_SUGGESTED,
        BlockerConfidence::High => recallite_confidence::RECALLITE_CONFIDENCE_HIGH,
    };
    confidence as i32
}

fn candidate(parts: &mut Parts, candidate: Candidate) -> recallite_task_candidate {
    recallite_task_candidate {
        task_id: parts.text(candidate.entity_id.as_str()),
        title: parts.text(candidate.title),
        score: candidate.score,
    }
}

fn blocker(parts: &mut Parts, blocker: BlockerRef) -> recallite_blocker {
    let (candidates, candidates_len) = parts.list(blocker.candidates, candidate);
    recallite_blocker {
        entity_id: parts.text(blocker.entity_id.as_str()),
        raw_text: parts.text(blocker.raw_text),
        candidates,
        candidates_len,
        kind: number(blocker.kind),
        confidence: confidence(blocker.confidence),
    }
}

pub(crate) fn task(parts: &mut Parts, task: Task) -> recallite_task {
    let (blockers, blockers_len) = parts.list(task.phase.confirmed().to_vec(), blocker);
    let (suggested_blockers, suggested_blockers_len) =
        parts.list(task.phase.suggested().to_vec(), blocker);
    recallite_task {
        id: parts.text(task.id.as_str()),
        project: parts.text(task.project),
        canonical_key: parts.text(task.canonical_key),
        title: parts.text(task.title),
        description: parts.optional(task.description),
        blockers,
        blockers_len,
        suggested_blockers,
        suggested_blockers_len,
        created_ms: task.created_at.millis(),
        updated_ms: task.updated_at.millis(),
        status: number(task.phase.status()),
        priority: number(task.priority),
    }
}

pub(crate) fn condition(parts: &mut Parts, condition: Condition) -> recallite_condition {
    let (candidates, candidates_len) = parts.list(condition.candidates, candidate);
    let (resolved_kind, resolved_to) = match condition.resolved_to {
        Some(entity) => (number(entity.kind), parts.text(entity.id.as_str())),
        None => (
            recallite_entity_kind::RECALLITE_ENTITY_UNKNOWN as i32,
            recallite_str::ABSENT,
        ),
    };
    recallite_condition {
        id: parts.text(condition.id.as_str()),
        project: parts.text(condition.project),
        canonical_key: parts.text(condition.canonical_key),
        text: parts.text(condition.text),
        resolved_to,
        candidates,
        candidates_len,
        created_ms: condition.created_at.millis(),
        updated_ms: condition.updated_at.millis(),
        resolved_kind,
        auto_placeholder: condition.auto_placeholder,
    }
}

pub(crate) fn artifact(parts: &mut Parts, artifact: Artifact) -> recallite_artifact {
    recallite_artifact {
        id: parts.text(artifact.id.as_str()),
        canonical_key: parts.text(artifact.canonical_key),
        identifier: parts.text(artifact.identifier),
        created_ms: artifact.created_at.millis(),
        kind: number(artifact.kind),
    }
}
