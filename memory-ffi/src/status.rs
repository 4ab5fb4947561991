//! The names of statuses, and the numbers of kinds.

use std::ffi::c_char;

use once_cell::race::OnceBox;
use recallite::{ErrorCode, EventKind};

use crate::call::{guard, out};
use crate::error::recallite_error;
use crate::generated::recallite_status;
use crate::text::recallite_str;
use crate::words;

/// Returns the stable name of a status, for example "invalid_argument"; "ok" for 0, and
/// "unknown" for a number without a meaning.
///
/// @return zero-terminated text that is always valid; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_status_name(status: i32) -> *const c_char {
    match status {
        0 => c"ok".as_ptr(),
        code => words::name::<ErrorCode>(code),
    }
}

/// Returns the event kind with a stable name, or with the word that people see ("prompt",
/// "response", "insight", "tool").
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

fn kinds() -> &'static [i32] {
    static KINDS: OnceBox<Vec<i32>> = OnceBox::new();
    let numbers = || EventKind::ALL.iter().map(|kind| kind.number().into());
    KINDS.get_or_init(|| Box::new(numbers().collect()))
}

/// Returns every event kind that this library knows, for reads that should leave none out:
/// without kinds, a filter means the four conversation kinds.
///
/// @param[out] len the number of kinds.
/// @return an array that is always valid, each item one of recallite_event_kind; NULL if
///     len is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_kinds(len: *mut usize) -> *const i32 {
    // SAFETY: the caller's pointer is valid or NULL, as the header asks.
    let Ok(place) = (unsafe { out("len", len) }) else {
        return std::ptr::null();
    };
    match std::panic::catch_unwind(kinds) {
        Ok(kinds) => {
            place.set(kinds.len());
            kinds.as_ptr()
        }
        Err(_) => std::ptr::null(),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

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
