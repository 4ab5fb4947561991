//! The frame of every C function that can fail: catches panics, turns errors into a status and an
//! error object, and writes outputs only on success.

use recallite::{Error, Memory, Result};

use crate::error::{Failure, recallite_error};
use crate::generated::recallite_status;
use crate::handle::{MEMORIES, MemoryHandle, recallite_memory};
use crate::panics::{Panicked, catch, panic_error};

/// An output location; checked, and written at most once.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the output.
    pub(crate) fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: `out` and `optional_out` checked NULL and alignment, and
            // their caller promised that the place is writable.
            unsafe { self.0.write(value) }
        }
    }

    /// Whether the caller wants the output.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.0.is_null()
    }
}

/// Checks a required output.
///
/// # Safety
/// `place` is NULL or writable during the call.
pub(crate) unsafe fn out<T>(argument: &str, place: *mut T) -> Result<Out<T>> {
    if place.is_null() {
        return Err(Error::invalid(argument, "must not be NULL"));
    }
    // SAFETY: the caller keeps the same condition.
    unsafe { optional_out(argument, place) }
}

/// Checks an optional output, which may be NULL.
///
/// # Safety
/// As [`out`].
pub(crate) unsafe fn optional_out<T>(argument: &str, place: *mut T) -> Result<Out<T>> {
    if place.is_aligned() {
        Ok(Out(place))
    } else {
        Err(Error::invalid(argument, "the pointer is not aligned"))
    }
}

/// Runs a function that needs no handle.
pub(crate) fn guard(
    error: *mut *mut recallite_error,
    body: impl FnOnce() -> Result<()>,
) -> recallite_status {
    let outcome = catch(body).map(|result| result.map_err(Failure::from));
    status_of(error, outcome)
}

fn status_of(
    error: *mut *mut recallite_error,
    outcome: Result<Result<(), Failure>, Panicked>,
) -> recallite_status {
    match outcome {
        Ok(Ok(())) => recallite_status::RECALLITE_OK,
        Ok(Err(failure)) => report(error, failure),
        Err(Panicked) => report(error, panic_error("it can be called again").into()),
    }
}

/// Runs a function on a memory. A panic poisons the handle.
pub(crate) fn with_memory(
    memory: *const recallite_memory,
    error: *mut *mut recallite_error,
    body: impl FnOnce(&Memory) -> Result<()>,
) -> recallite_status {
    with_handle(memory, error, |handle| body(&handle.memory))
}

/// Like [`with_memory`], for a function that needs the handle itself.
pub(crate) fn with_handle(
    memory: *const recallite_memory,
    error: *mut *mut recallite_error,
    body: impl FnOnce(&MemoryHandle) -> Result<()>,
) -> recallite_status {
    let mut body = Some(body);
    let mut body = |handle: &MemoryHandle| body.take().map_or(Ok(()), |body| body(handle));
    status_of(error, on_handle(memory, &mut body))
}

/// The part of [`with_handle`] that is the same for all functions, compiled once. The handle,
/// which may be the last of its memory by the end, is dropped inside the guard.
fn on_handle(
    memory: *const recallite_memory,
    body: &mut dyn FnMut(&MemoryHandle) -> Result<()>,
) -> Result<Result<(), Failure>, Panicked> {
    catch(|| {
        let handle = MEMORIES.get("memory", memory.cast())?;
        handle.run(|| body(&handle))
    })
}

/// Writes the error object if the caller wants it.
pub(crate) fn report(error: *mut *mut recallite_error, failure: Failure) -> recallite_status {
    let status = recallite_status::of(failure.error.code());
    if !error.is_null() && error.is_aligned() {
        let object = catch(|| failure.into_object()).unwrap_or(std::ptr::null_mut());
        // SAFETY: not NULL and aligned as just checked; writable as the header
        // asks.
        unsafe { error.write(object) }
    }
    status
}
