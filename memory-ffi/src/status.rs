//! Status codes, and the numbers that stand for kinds, origins and the like.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::sync::LazyLock;

use recallite::{ErrorCode, EventKind, MatchClass, Origin};

use crate::call::{guard, out};
use crate::error::recallite_error;
use crate::text::recallite_str;

/// What a call gave. Numbers never change their meaning and are never reused;
/// later versions may add some, so treat an unknown one as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_status {
    /// The call did what it was asked.
    RECALLITE_OK = 0,
    /// An argument is outside what the call accepts; the error names it.
    RECALLITE_INVALID_ARGUMENT = 1,
    /// The named event, citation, task or session does not exist here.
    RECALLITE_NOT_FOUND = 2,
    /// Something with this name or key exists already.
    RECALLITE_ALREADY_EXISTS = 3,
    /// Another process or thread held the store longer than busy_timeout_ms.
    RECALLITE_BUSY = 4,
    /// Bytes on the disk are not what was written; the error names the place.
    RECALLITE_CORRUPT = 5,
    /// The operating system reported an error while reading or writing.
    RECALLITE_IO = 6,
    /// The disk, or the hard size limit of the store, is full.
    RECALLITE_FULL = 7,
    /// The store stopped after an input/output error, or the process was
    /// forked: close the handle and open the store again.
    RECALLITE_NEEDS_REOPEN = 8,
    /// The store was written by a newer library in a way this one cannot read.
    RECALLITE_NEWER_FORMAT = 9,
    /// The operating system denies access to the store's folder or files.
    RECALLITE_PERMISSION_DENIED = 10,
    /// The handle was closed.
    RECALLITE_CLOSED = 11,
    /// The call needs a feature that was not built in, or a newer library.
    RECALLITE_UNSUPPORTED = 12,
    /// An earlier defect left this handle unusable; open the store again.
    RECALLITE_POISONED = 13,
    /// The embedder failed; lexical recall still works.
    RECALLITE_EMBEDDER = 14,
    /// A task or job cannot move between these two states.
    RECALLITE_INVALID_TRANSITION = 15,
    /// The change would break a rule that the data must always keep.
    RECALLITE_INVARIANT_VIOLATION = 16,
    /// A callback of the program failed.
    RECALLITE_CALLBACK = 17,
    /// A defect of this library; please report it with the message.
    RECALLITE_INTERNAL = 18,
}

impl recallite_status {
    /// The status of an error of the core.
    pub(crate) fn of(code: ErrorCode) -> Self {
        use recallite_status::*;
        match code {
            ErrorCode::InvalidArgument => RECALLITE_INVALID_ARGUMENT,
            ErrorCode::NotFound => RECALLITE_NOT_FOUND,
            ErrorCode::AlreadyExists => RECALLITE_ALREADY_EXISTS,
            ErrorCode::Busy => RECALLITE_BUSY,
            ErrorCode::Corrupt => RECALLITE_CORRUPT,
            ErrorCode::Io => RECALLITE_IO,
            ErrorCode::Full => RECALLITE_FULL,
            ErrorCode::NeedsReopen => RECALLITE_NEEDS_REOPEN,
            ErrorCode::NewerFormat => RECALLITE_NEWER_FORMAT,
            ErrorCode::PermissionDenied => RECALLITE_PERMISSION_DENIED,
            ErrorCode::Closed => RECALLITE_CLOSED,
            ErrorCode::Unsupported => RECALLITE_UNSUPPORTED,
            ErrorCode::Poisoned => RECALLITE_POISONED,
            ErrorCode::Embedder => RECALLITE_EMBEDDER,
            ErrorCode::InvalidTransition => RECALLITE_INVALID_TRANSITION,
            ErrorCode::InvariantViolation => RECALLITE_INVARIANT_VIOLATION,
            ErrorCode::Callback => RECALLITE_CALLBACK,
            // `ErrorCode` may grow; the test below keeps this list complete.
            _ => RECALLITE_INTERNAL,
        }
    }
}

/// What an event records. Numbers and names are stable on disk and in every
/// language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_event_kind {
    /// What a person asked or said.
    RECALLITE_KIND_USER_PROMPT = 1,
    /// What the agent answered.
    RECALLITE_KIND_AGENT_RESPONSE = 2,
    /// A summary of a session.
    RECALLITE_KIND_SESSION_SUMMARY = 3,
    /// One call of a tool and what came back.
    RECALLITE_KIND_TOOL_OBSERVATION = 4,
    /// Pipeline: a session's messages were taken in for learning.
    RECALLITE_KIND_SESSION_INGESTED = 16,
    /// Pipeline: an extractor's result for a session.
    RECALLITE_KIND_MEMORY_EXTRACTED = 17,
    /// Pipeline: quotes were aligned to exact spans.
    RECALLITE_KIND_EVIDENCE_ALIGNED = 18,
    /// Pipeline: entries were type checked.
    RECALLITE_KIND_IDRIS_CHECKED = 19,
    /// An entry came into being, changed stage, or was superseded.
    RECALLITE_KIND_ENTRY_CHANGED = 20,
    /// A build run began, succeeded or failed.
    RECALLITE_KIND_BUILD_RUN = 21,
    /// A decision with its evidence.
    RECALLITE_KIND_DECISION_MADE = 22,
    /// Two entries were found to disagree, or the disagreement was resolved.
    RECALLITE_KIND_CONFLICT_CHANGED = 23,
    /// A pipeline stage reported how long it took.
    RECALLITE_KIND_PIPELINE_METRIC = 24,
    /// An edge was created or removed by a caller.
    RECALLITE_KIND_EDGE_CHANGED = 25,
    /// A task came into being.
    RECALLITE_KIND_TASK_CREATED = 32,
    /// A task moved to another status.
    RECALLITE_KIND_TASK_STATUS_CHANGED = 33,
    /// A task's priority changed.
    RECALLITE_KIND_TASK_PRIORITY_CHANGED = 34,
    /// A task's blockers were replaced or suggested.
    RECALLITE_KIND_TASK_BLOCKERS_SET = 35,
    /// A task's requested move was refused.
    RECALLITE_KIND_TASK_TRANSITION_REJECTED = 36,
    /// A condition that can block tasks was declared.
    RECALLITE_KIND_CONDITION_DECLARED = 37,
    /// An artifact that can block tasks was declared.
    RECALLITE_KIND_ARTIFACT_DECLARED = 38,
    /// A condition turned out to be another entity.
    RECALLITE_KIND_CONDITION_RESOLVED_TO = 39,
    /// A task's title changed.
    RECALLITE_KIND_TASK_TITLE_CHANGED = 40,
    /// A session began, ended, or got a summary or tags.
    RECALLITE_KIND_SESSION_CHANGED = 48,
    /// Recalled events, in batches.
    RECALLITE_KIND_ACCESSED = 49,
    /// Recalled text was given to an agent, with its citations.
    RECALLITE_KIND_INJECTED = 50,
    /// Events were forgotten (a tombstone).
    RECALLITE_KIND_FORGOTTEN = 51,
    /// Events were erased from the log.
    RECALLITE_KIND_ERASED = 52,
    /// An event moved to another memory level.
    RECALLITE_KIND_LEVEL_CHANGED = 53,
    /// Something was consolidated from the working set.
    RECALLITE_KIND_CONSOLIDATED = 54,
    /// Continuity between two contexts was scored.
    RECALLITE_KIND_CONTINUITY_SCORED = 55,
    /// A setting of the store changed (mode, endless mode).
    RECALLITE_KIND_SETTING_CHANGED = 56,
    /// An uncertain memory was confirmed, rejected or left pending.
    RECALLITE_KIND_MEMORY_RESOLVED = 57,
}

/// Where an event's text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_origin {
    /// In a new event: derived from the kind.
    RECALLITE_ORIGIN_DEFAULT = 0,
    /// A person wrote it.
    RECALLITE_ORIGIN_USER = 1,
    /// An agent wrote it.
    RECALLITE_ORIGIN_ASSISTANT = 2,
    /// A tool returned it.
    RECALLITE_ORIGIN_TOOL = 3,
    /// It was fetched from the web.
    RECALLITE_ORIGIN_WEB = 4,
    /// It is recalled text that came back.
    RECALLITE_ORIGIN_RECALLED = 5,
    /// The library itself recorded it.
    RECALLITE_ORIGIN_SYSTEM = 6,
}

/// How a repeated event is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_dedupe {
    /// The same content in the same session is one event.
    RECALLITE_DEDUPE_CONTENT = 0,
    /// The same dedupe_key is one event.
    RECALLITE_DEDUPE_KEY = 1,
    /// Every call stores an event.
    RECALLITE_DEDUPE_NONE = 2,
}

/// Which projects a read looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_scope {
    /// The project that the memory was opened for; every project when it was
    /// opened for none.
    RECALLITE_SCOPE_OWN = 0,
    /// Every project of the store.
    RECALLITE_SCOPE_ALL = 1,
    /// The project with the given name; the empty name is "events without a
    /// project".
    RECALLITE_SCOPE_NAMED = 2,
}

/// What may be done with the best hit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_confidence {
    /// There is no match. This is an answer.
    RECALLITE_CONFIDENCE_NONE = 0,
    /// Offer it and ask.
    RECALLITE_CONFIDENCE_SUGGESTED = 1,
    /// Use it without asking.
    RECALLITE_CONFIDENCE_HIGH = 2,
}

pub(crate) fn confidence(class: MatchClass) -> i32 {
    let confidence = match class {
        MatchClass::None => recallite_confidence::RECALLITE_CONFIDENCE_NONE,
        MatchClass::Suggested => recallite_confidence::RECALLITE_CONFIDENCE_SUGGESTED,
        MatchClass::High => recallite_confidence::RECALLITE_CONFIDENCE_HIGH,
    };
    confidence as i32
}

pub(crate) fn kind_of(argument: &str, number: i32) -> recallite::Result<EventKind> {
    EventKind::ALL
        .iter()
        .copied()
        .find(|kind| i32::from(kind.number()) == number)
        .ok_or_else(|| {
            recallite::Error::invalid(
                argument,
                format_args!("{number} is no recallite_event_kind"),
            )
        })
}

pub(crate) fn origin_of(argument: &str, number: i32) -> recallite::Result<Option<Origin>> {
    if number == 0 {
        return Ok(None);
    }
    Origin::ALL
        .iter()
        .copied()
        .find(|origin| *origin as i32 == number)
        .map(Some)
        .ok_or_else(|| {
            recallite::Error::invalid(argument, format_args!("{number} is no recallite_origin"))
        })
}

type Names = LazyLock<BTreeMap<i32, CString>>;

fn names<const N: usize>(
    pairs: impl IntoIterator<Item = (i32, &'static str)>,
    more: [(i32, &'static str); N],
) -> BTreeMap<i32, CString> {
    pairs
        .into_iter()
        .chain(more)
        .map(|(number, name)| {
            let name = CString::new(name).expect("stable names hold no zero byte");
            (number, name)
        })
        .collect()
}

static STATUS_NAMES: Names = LazyLock::new(|| {
    names(
        ErrorCode::ALL
            .iter()
            .map(|code| (i32::from(code.number()), code.as_str())),
        [(0, "ok")],
    )
});
static KIND_NAMES: Names = LazyLock::new(|| {
    names(
        EventKind::ALL
            .iter()
            .map(|kind| (i32::from(kind.number()), kind.as_str())),
        [],
    )
});
static ORIGIN_NAMES: Names = LazyLock::new(|| {
    names(
        Origin::ALL
            .iter()
            .map(|origin| (*origin as i32, origin.as_str())),
        [(0, "default")],
    )
});
static CONFIDENCE_NAMES: Names = LazyLock::new(|| {
    names(
        [MatchClass::None, MatchClass::Suggested, MatchClass::High]
            .map(|class| (confidence(class), class.as_str())),
        [],
    )
});

fn name_in(names: &'static Names, number: i32) -> *const c_char {
    const UNKNOWN: &CStr = c"unknown";
    std::panic::catch_unwind(|| names.get(&number).map_or(UNKNOWN, |name| name.as_c_str()))
        .unwrap_or(UNKNOWN)
        .as_ptr()
}

/// The stable name of a status, for example "invalid_argument"; "ok" for 0,
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_status_name(status: i32) -> *const c_char {
    name_in(&STATUS_NAMES, status)
}

/// The stable name of an event kind, for example "user_prompt"; "unknown" for
/// a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_event_kind_name(kind: i32) -> *const c_char {
    name_in(&KIND_NAMES, kind)
}

/// The stable name of an origin, for example "assistant"; "unknown" for a
/// number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_origin_name(origin: i32) -> *const c_char {
    name_in(&ORIGIN_NAMES, origin)
}

/// The stable name of a confidence: "none", "suggested" or "high"; "unknown"
/// for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_confidence_name(confidence: i32) -> *const c_char {
    name_in(&CONFIDENCE_NAMES, confidence)
}

/// The event kind with a stable name or with the word that people see
/// ("prompt", "response", "insight", "tool").
///
/// @param[in] name the name.
/// @param[out] kind one of recallite_event_kind.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when no kind has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_kind_from_name(
    name: recallite_str,
    kind: *mut i32,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (name, kind) = unsafe { (name.required("name")?, out("kind", kind)?) };
        kind.set(i32::from(name.parse::<EventKind>()?.number()));
        Ok(())
    })
}

static KINDS: LazyLock<Vec<i32>> = LazyLock::new(|| {
    EventKind::ALL
        .iter()
        .map(|kind| kind.number().into())
        .collect()
});

/// Every event kind that this library knows, for reads that leave none out:
/// without kinds, a filter means the four conversation kinds.
///
/// @param[out] len how many kinds.
/// @return an array that is valid for ever, each one of recallite_event_kind;
///     NULL when len is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_kinds(len: *mut usize) -> *const i32 {
    // SAFETY: the caller's pointer is valid or NULL, as the header asks.
    let Ok(place) = (unsafe { out("len", len) }) else {
        return std::ptr::null();
    };
    match std::panic::catch_unwind(|| KINDS.as_slice()) {
        Ok(kinds) => {
            place.set(kinds.len());
            kinds.as_ptr()
        }
        Err(_) => std::ptr::null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: *const c_char) -> &'static str {
        // SAFETY: the functions above give static, zero-terminated text.
        unsafe { CStr::from_ptr(name) }.to_str().unwrap()
    }

    #[test]
    fn every_error_code_of_the_core_is_a_status_of_its_own() {
        for code in ErrorCode::ALL {
            assert_eq!(recallite_status::of(*code) as i32, i32::from(code.number()));
            assert_eq!(
                text(recallite_status_name(code.number().into())),
                code.as_str()
            );
        }
        assert_eq!(text(recallite_status_name(0)), "ok");
        assert_eq!(text(recallite_status_name(-7)), "unknown");
    }

    /// The enums of this file are written out for the header; their variants
    /// must say what the core says.
    #[test]
    fn kinds_and_origins_have_the_numbers_of_the_core() {
        let source = include_str!("status.rs");
        let listed = |prefix: &str| -> Vec<(String, i32)> {
            source
                .lines()
                .filter_map(|line| line.trim().strip_prefix(prefix)?.strip_suffix(','))
                .filter_map(|line| line.split_once(" = "))
                .map(|(name, number)| (name.to_lowercase(), number.parse().unwrap()))
                .collect()
        };
        let kinds: Vec<_> = EventKind::ALL
            .iter()
            .map(|kind| (kind.as_str().to_owned(), i32::from(kind.number())))
            .collect();
        assert_eq!(listed("RECALLITE_KIND_"), kinds);
        let origins: Vec<_> = Origin::ALL
            .iter()
            .map(|origin| (origin.as_str().to_owned(), *origin as i32))
            .collect();
        assert_eq!(listed("RECALLITE_ORIGIN_")[1..], origins);
        for (name, number) in kinds {
            assert_eq!(text(recallite_event_kind_name(number)), name);
        }
        assert_eq!(text(recallite_confidence_name(2)), "high");
    }
}
