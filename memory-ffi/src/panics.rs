//! Panics end here: none may cross into C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use recallite::{Error, ErrorCode};

/// A caught panic. Its payload is dropped, because it may quote stored text.
pub(crate) struct Panicked;

/// Runs `body` and catches a panic.
pub(crate) fn catch<T>(body: impl FnOnce() -> T) -> Result<T, Panicked> {
    // A panic may leave half-changed state behind the handle, which callers of this
    // function poison.
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        drop_payload(payload);
        Panicked
    })
}

fn drop_payload(payload: Box<dyn Any + Send>) {
    // Dropping an unknown payload could panic again, outside of any guard.
    if !payload.is::<&str>() && !payload.is::<String>() {
        std::mem::forget(payload);
    }
}

pub(crate) fn panic_error(next: &str) -> Error {
    Error::new(
        ErrorCode::Internal,
        format!("a defect in this library ended the call (see standard error); {next}"),
    )
}

/// Runs the body of a function that frees something.
pub(crate) fn guard_free(body: impl FnOnce()) {
    // The error cannot be reported: what could not be freed is leaked.
    let _ = catch(body);
}
