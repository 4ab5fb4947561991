//! Text in C: a pointer to UTF-8 and a length in bytes.

use std::ffi::{CStr, c_char};
use std::path::Path;

use recallite::{Error, ErrorCode, Result};

/// The maximum length of any text of the interface. A greater length is a mistake, reported
/// before anything is read.
const MAX_BYTES: usize = 1 << 30;

/// A path as a text. One that is not UTF-8 would name another place when it is passed back.
pub(crate) fn of_path(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        let shown = path.display();
        Error::new(
            ErrorCode::Unsupported,
            format!("{shown} is not UTF-8; give another path"),
        )
    })
}

/// A borrowed UTF-8 text: len bytes at ptr.
///
/// Passed to the library, it needs no zero byte at its end; a NULL ptr means "absent" and
/// requires len 0. Returned by the library, it is followed by a zero byte, so that ptr can
/// be printed, except in a recallite_event_callback. Text may contain zero bytes itself, so
/// rely on len. A view is valid as long as the result that holds it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_str {
    /// The bytes, or NULL for absent text.
    pub ptr: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

impl recallite_str {
    /// Absent text.
    pub const ABSENT: recallite_str = recallite_str {
        ptr: std::ptr::null(),
        len: 0,
    };

    /// The text, or `None` if absent.
    ///
    /// # Safety
    /// `ptr` is NULL or points to `len` readable bytes for the time of the call.
    pub(crate) unsafe fn optional<'a>(self, argument: &str) -> Result<Option<&'a str>> {
        if self.ptr.is_null() {
            if self.len != 0 {
                return Err(Error::invalid(
                    argument,
                    format_args!("the pointer is NULL but the length is {}", self.len),
                ));
            }
            return Ok(None);
        }
        if self.len > MAX_BYTES {
            return Err(Error::invalid(
                argument,
                format_args!("must be at most {MAX_BYTES} bytes, not {}", self.len),
            ));
        }
        // SAFETY: not NULL and not too long as just checked; readable by this
        // function's own condition. Bytes have no alignment.
        let bytes = unsafe { std::slice::from_raw_parts(self.ptr.cast::<u8>(), self.len) };
        std::str::from_utf8(bytes).map(Some).map_err(|e| {
            Error::invalid(
                argument,
                format_args!("is not valid UTF-8 at byte {}", e.valid_up_to()),
            )
        })
    }

    /// The text; an error if absent.
    ///
    /// # Safety
    /// As [`recallite_str::optional`].
    pub(crate) unsafe fn required<'a>(self, argument: &str) -> Result<&'a str> {
        // SAFETY: the caller keeps the same condition.
        unsafe { self.optional(argument) }?
            .ok_or_else(|| Error::invalid(argument, "must not be NULL"))
    }

    /// A file system path; an error if absent or invalid.
    ///
    /// # Safety
    /// As [`recallite_str::optional`].
    pub(crate) unsafe fn path<'a>(self, argument: &str) -> Result<&'a str> {
        // SAFETY: the caller keeps the same condition.
        let path = unsafe { self.required(argument) }?;
        match path {
            "" => Err(Error::invalid(argument, "must not be empty")),
            path if path.contains('\0') => {
                Err(Error::invalid(argument, "must not contain a NUL character"))
            }
            path => Ok(path),
        }
    }
}

/// Returns a view of zero-terminated text, without the zero; absent for NULL.
///
/// @param[in] text zero-terminated UTF-8, or NULL.
/// @return a view that is valid as long as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_str_from(text: *const c_char) -> recallite_str {
    if text.is_null() {
        return recallite_str::ABSENT;
    }
    // SAFETY: not NULL as just checked; zero-terminated as the header asks.
    let len = unsafe { CStr::from_ptr(text) }.count_bytes();
    recallite_str { ptr: text, len }
}
