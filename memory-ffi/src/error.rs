//! The error object: details that a status cannot carry.

use recallite::Error;

use crate::owned;
use crate::panics::guard_free;
use crate::text::recallite_str;

/// What went wrong. Free it with recallite_error_free.
///
/// Functions write it only if they fail, and only if they are given a place for it. A
/// message never contains stored text or secrets.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_error {
    /// The status that the call returned: one of recallite_status.
    pub code: i32,
    /// Whether the same call may succeed later without any other change.
    pub retryable: bool,
    /// Whether the store must be opened again before anything else. After
    /// RECALLITE_NEEDS_REOPEN, that repairs every handle of it. After RECALLITE_CLOSED,
    /// RECALLITE_INTERNAL or RECALLITE_POISONED, it does not repair the handle, which must
    /// be freed; use the new one.
    pub needs_reopen: bool,
    /// What happened and what to do next, in English.
    pub message: recallite_str,
    /// The argument or field that was wrong, for example "session"; absent if the error is
    /// not about one.
    pub argument: recallite_str,
}

/// Frees an error. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_error_free(error: *mut recallite_error) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(error) });
}

/// A message of the core whose functions, as in `call compact()`, are named as in C.
pub(crate) fn spelled(message: &str) -> String {
    let in_c = |name: &str| match name.starts_with("recallite_") {
        true => format!("{name}()"),
        false => format!("recallite_{}()", name.replace('.', "_")),
    };
    recallite::respelled(message, in_c, str::to_owned)
}

/// A core error to be returned to C.
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// Whether the call poisoned its handle.
    pub(crate) is_poisoning: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            error,
            is_poisoning: false,
        }
    }
}

impl Failure {
    pub(crate) fn into_object(self) -> *mut recallite_error {
        let Failure {
            error,
            is_poisoning,
        } = self;
        owned::give(|parts| recallite_error {
            code: error.code().number().into(),
            retryable: error.is_retryable(),
            needs_reopen: error.needs_reopen() || is_poisoning,
            message: parts.text(spelled(error.message())),
            argument: parts.optional(error.argument()),
        })
    }
}
