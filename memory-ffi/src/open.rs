//! Opening, closing and freeing a memory.

use std::sync::Arc;

use recallite::{Error, Memory, MemoryBuilder, Result};

use crate::call::{guard, out, with_memory};
use crate::embedder::{self, UserData};
use crate::error::recallite_error;
use crate::generated::recallite_status;
use crate::generated::{recallite_fastembed_options, recallite_open_options};
use crate::handle::{MEMORIES, MemoryHandle, recallite_memory};
use crate::input;
use crate::logging;
use crate::panics::guard_free;
use crate::retention;
use crate::text::recallite_str;

/// Opens the memory in a folder with default settings. Creates it if it does not exist.
///
/// Growth: Constant; after a crash, by what the last transactions wrote.
///
/// @param[in] path the folder, UTF-8.
/// @param[out] memory the handle; close it with recallite_close and free it
///     with recallite_free.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_open_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_open(
    path: recallite_str,
    memory: *mut *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    // SAFETY: the same conditions; NULL options are allowed.
    unsafe { recallite_open_with(path, std::ptr::null(), memory, error) }
}

/// Opens the memory in a folder.
///
/// Growth: Constant; after a crash, by what the last transactions wrote.
///
/// @param[in] path the folder, UTF-8.
/// @param[in] options how to open it; NULL for the defaults.
/// @param[out] memory the handle; close it with recallite_close and free it
///     with recallite_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when path is a file or an option is out
///     of range, RECALLITE_NOT_FOUND when there is no store and must_exist is
///     set, RECALLITE_PERMISSION_DENIED, RECALLITE_BUSY, RECALLITE_CORRUPT,
///     RECALLITE_NEWER_FORMAT or RECALLITE_IO, each naming the path;
///     RECALLITE_UNSUPPORTED for fastembed in a library without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_open_with(
    path: recallite_str,
    options: *const recallite_open_options,
    memory: *mut *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, options, memory) = unsafe {
            (
                path.path("path")?,
                input::read_or_default("options", options)?,
                out("memory", memory)?,
            )
        };
        // SAFETY: as above, for what the options point to.
        let (builder, user_data) = unsafe { builder(&options) }?;
        let handle = MEMORIES.add(MemoryHandle::new(builder.open(path)?))?;
        // The call cannot fail from here on.
        for user_data in user_data {
            user_data.take_over();
        }
        memory.set(handle.cast());
        Ok(())
    })
}

/// The settings, and what the library takes over once the memory is open.
///
/// # Safety
/// What `options` points to is absent or readable, and the functions of its embedder
/// and its logger can be called from every thread.
unsafe fn builder(options: &recallite_open_options) -> Result<(MemoryBuilder, Vec<Arc<UserData>>)> {
    // SAFETY: the caller keeps the same condition.
    let mut builder = unsafe { options.set("", Memory::builder()) }?;
    let mut user_data = Vec::new();
    // SAFETY: the caller keeps the same condition, for each pointer below.
    unsafe {
        let (retention, len) = (options.retention_ms, options.retention_ms_len);
        builder = retention::set("retention_ms", retention, len, builder)?;
        if !options.embedder.is_null() {
            if !options.fastembed.is_null() {
                return Err(Error::invalid(
                    "fastembed",
                    "a memory has one embedder; leave this or embedder NULL",
                ));
            }
            let given = embedder::embedder(&input::read("embedder", options.embedder)?)?;
            builder = builder.embedder(given.embedder);
            user_data.push(given.user_data);
        } else if !options.fastembed.is_null() {
            let model = recallite_fastembed_options::taken("fastembed", options.fastembed)?;
            builder = builder.fastembed(model)?;
        }
        if !options.on_log.is_null() {
            let (tell, told) = logging::logger(&input::read("on_log", options.on_log)?)?;
            builder = builder.on_log(tell);
            user_data.push(told);
        }
    }
    Ok((builder, user_data))
}

/// Closes a memory. Later calls on it fail with RECALLITE_CLOSED. The handle stays valid
/// until recallite_free. Closing a memory twice is harmless. What recall has buffered is
/// written first.
///
/// Growth: Constant: by what recall has buffered.
///
/// @param[in] memory the memory.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle;
///     RECALLITE_BUSY, RECALLITE_FULL, RECALLITE_IO or RECALLITE_NEEDS_REOPEN as
///     recallite_append when that last write fails: the memory is closed all the
///     same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_close(
    memory: *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, Memory::close)
}

/// Closes a memory if it is open, and frees its handle. NULL and a handle that was already
/// freed are allowed. The store's file is released when the last handle and the last cursor
/// of the process are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_free(memory: *mut recallite_memory) {
    guard_free(|| {
        if let Some(handle) = MEMORIES.remove(memory.cast()) {
            let _ = handle.memory.close();
        }
    });
}

/// Returns true if a handle can be used: it is live, not closed, not poisoned, and of this
/// process.
///
/// @param[in] memory the memory; false for NULL and for a freed handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_is_open(memory: *const recallite_memory) -> bool {
    std::panic::catch_unwind(|| {
        MEMORIES
            .get("memory", memory.cast())
            .is_ok_and(|handle| handle.memory.is_open() && !handle.is_poisoned())
    })
    .unwrap_or(false)
}

/// Returns the folder of a memory.
///
/// @param[in] memory the memory, open or closed.
/// @param[out] path a view that is valid until recallite_free(memory).
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle,
///     RECALLITE_NEEDS_REOPEN when the process was forked since,
///     RECALLITE_UNSUPPORTED when the path is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_path(
    memory: *const recallite_memory,
    path: *mut recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        let handle = MEMORIES.get("memory", memory.cast())?;
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let place = unsafe { out("path", path) }?;
        place.set(terminated(handle.path.as_ref().map_err(Error::clone)?));
        Ok(())
    })
}

/// Returns the project that a memory was opened for; empty if there is none.
///
/// @param[in] memory the memory, open or closed.
/// @param[out] project a view that is valid until recallite_free(memory).
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is not a live handle,
///     RECALLITE_NEEDS_REOPEN when the process was forked since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_project(
    memory: *const recallite_memory,
    project: *mut recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        let handle = MEMORIES.get("memory", memory.cast())?;
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        unsafe { out("project", project) }?.set(terminated(&handle.project));
        Ok(())
    })
}

/// A view of a text that includes its zero byte.
fn terminated(text: &str) -> recallite_str {
    recallite_str {
        ptr: text.as_ptr().cast(),
        len: text.len() - 1,
    }
}
