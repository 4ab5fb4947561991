//! Progress of long operations, and stopping them.

use std::ffi::c_void;
use std::sync::Arc;

use recallite::{Progress, ProgressHandler};

use crate::call::with_memory;
use crate::embedder::{UserData, recallite_destructor};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::owned::{Parts, Show as _};

/// Called with the progress of a long operation, on the thread that runs it: at its beginning, at
/// most every 50 milliseconds in between, and at its end if it succeeds. It may read from the same
/// memory, but must not append, change anything or begin another long operation. It must return: no
/// exception and no longjmp.
///
/// The progress is valid during the call only. Return 0 to continue; anything else ends the
/// operation with RECALLITE_INTERRUPTED, except at its end, where it has no effect.
pub type recallite_progress_callback = Option<
    unsafe extern "C" fn(progress: *const recallite_progress, user_data: *mut c_void) -> i32,
>;

/// Sets the function that is called with the progress of long operations of this memory: those of
/// recallite_operation. Replaces the one that was set before. An operation that is already running
/// keeps the one it began with.
///
/// @param[in] memory the memory.
/// @param[in] progress the function; NULL for none.
/// @param[in] user_data passed to progress and destroy; may be NULL.
/// @param[in] destroy called with user_data when the library no longer needs it: after the
///     function was replaced and the operations that use it have ended, or after the last
///     handle and cursor of the memory has been freed. It is not called if this call fails,
///     or without progress; the program then keeps ownership of user_data. NULL for nothing.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_set_progress_handler(
    memory: *mut recallite_memory,
    progress: recallite_progress_callback,
    user_data: *mut c_void,
    destroy: recallite_destructor,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        let handler = progress.map(|progress| {
            let user_data = UserData::new(user_data, destroy);
            user_data.take_over();
            Arc::new(move |now: &Progress| {
                let mut parts = Parts::default();
                let now = (*now).show(&mut parts);
                // SAFETY: a function of the caller with this signature; the argument lives
                // during the call.
                unsafe { progress(&raw const now, user_data.pointer()) == 0 }
            }) as ProgressHandler
        });
        memory.set_progress_handler(handler);
        Ok(())
    })
}

/// Stops the long operations of this memory that are running now, on any thread. Each ends
/// with RECALLITE_INTERRUPTED at its next checkpoint, usually within milliseconds; one that
/// has begun its last step, for which writers wait, is completed. An operation that begins
/// later is not affected. Can be called from a recallite_progress_callback, but not from a
/// signal handler.
///
/// The store stays sound, and calling the operation again is always possible. It leaves what
/// its documentation says: nothing has changed, or the parts that were done stay done.
///
/// @param[in] memory the memory.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_interrupt(
    memory: *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        memory.interrupt();
        Ok(())
    })
}
