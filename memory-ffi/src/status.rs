//! Status codes, and the numbers that stand for kinds, origins and the like.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::sync::LazyLock;

use recallite::{ErrorCode, EventKind};

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
    /// forked. Opening the store again is enough: it heals every handle of it.
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
}
