//! Opening, closing and freeing a memory.

use std::mem::offset_of;
use std::sync::Arc;

use recallite::{Error, Memory, MemoryBuilder, Result};

use crate::call::{guard, guard_free, out, with_memory};
use crate::embedder::{self, UserData, recallite_embedder, recallite_fastembed_options};
use crate::error::recallite_error;
use crate::handle::{MEMORIES, MemoryHandle};
use crate::input::{self, Input, boolean, c_bool};
use crate::privacy::{self, recallite_privacy_config, recallite_tool_limits};
use crate::status::{kind_of, recallite_status};
use crate::text::recallite_str;
use crate::weights::{self, recallite_recall_weights};

/// A memory: a log of events that can be searched, in one folder.
///
/// Every thread may use a handle at any time, also while another thread closes
/// or frees it. Several processes may have the same folder open. After fork(),
/// the child opens the memory for itself.
pub struct recallite_memory {
    _opaque: [u8; 0],
}

/// How long events of one kind are kept.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_retention {
    /// The kind: one of recallite_event_kind.
    pub kind: i32,
    /// How long, in milliseconds after the time that the event carries.
    pub ms: u64,
}

/// How a memory is opened. Begin with RECALLITE_INIT(recallite_open_options); a
/// field that is zero has its default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_open_options {
    /// sizeof(recallite_open_options).
    pub struct_size: usize,
    /// The project that events belong to and reads look at unless they name
    /// another one; see recallite_project_of. Default: none.
    pub project: recallite_str,
    /// Memory for pages of the store file, in bytes. Default: 16 MiB.
    pub cache_bytes: usize,
    /// Memory for decoded parts of the search index, in bytes. Default: 48 MiB.
    pub index_cache_bytes: usize,
    /// How long a write waits for another process or thread, in milliseconds,
    /// before it fails with RECALLITE_BUSY. Default: 5,000.
    pub busy_timeout_ms: u64,
    /// Fail with RECALLITE_NOT_FOUND instead of creating a missing store.
    pub must_exist: c_bool,
    /// This process is the only one that has the store open. All processes
    /// must choose the same.
    pub exclusive: c_bool,
    /// Accept a folder on a network file system or in a synchronised folder,
    /// where locks and writes are not reliable.
    pub allow_network_folder: c_bool,
    /// The size of the store's folder, in bytes, from which on receipts carry a
    /// warning. Nothing is refused. Default: 500,000,000.
    pub quota_bytes: u64,
    /// The size of the store's folder, in bytes, from which on appends fail with
    /// RECALLITE_FULL. Forgetting, erasing and compacting always work. Default:
    /// no limit.
    pub size_limit_bytes: u64,
    /// How long events of a kind are kept; recallite_apply_retention forgets
    /// older ones. Default: for ever.
    pub retention_ms: *const recallite_retention,
    /// How many kinds have a time.
    pub retention_ms_len: usize,
    /// What is filtered out of every text before it is stored. Default (NULL):
    /// that of RECALLITE_INIT(recallite_privacy_config).
    pub privacy: *const recallite_privacy_config,
    /// How much of a tool's output is stored. Default (NULL): that of
    /// RECALLITE_INIT(recallite_tool_limits).
    pub tool_limits: *const recallite_tool_limits,
    /// What turns texts into vectors, for recall by meaning beside recall by
    /// words. Default (NULL): words alone, with their static vectors.
    ///
    /// The store remembers the embedder's version: from now on every process
    /// that appends leaves a job for each event, and recallite_process_outbox
    /// works them off. Until an event has its vector, and whenever the embedder
    /// fails, it is found by its words.
    pub embedder: *const recallite_embedder,
    /// A model in a folder as the embedder, in place of embedder. Needs a
    /// library that was built with the feature fastembed.
    pub fastembed: *const recallite_fastembed_options,
    /// How long a search without a deadline waits for the vector of its
    /// question, in milliseconds, before it goes on without and says degraded.
    /// Default: 5,000.
    pub embedding_timeout_ms: u64,
    /// Keep no results of recall for later; they are the same either way.
    pub skip_recall_cache: c_bool,
    /// How much each part of the recipe of recall counts. Default (NULL): as
    /// recallite_recall_weights_default says. Every process may choose its own.
    pub recall_weights: *const recallite_recall_weights,
    /// From how many vectors on a file of vectors gets a graph of near ones in
    /// the memory of this process, built by recallite_maintain. Searches of many
    /// vectors with little structure can then be quicker, and nearly as good.
    /// RECALLITE_UNSUPPORTED in a library without the feature graph. Default:
    /// none does.
    pub vector_graph_from: usize,
}

// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_open_options {
    // `quota_bytes` has the largest alignment, so that the first version, which
    // ended before it, had exactly this size.
    const FIRST_SIZE: usize = offset_of!(recallite_open_options, quota_bytes);
}

/// Opens the memory in a folder with default settings, creating it when it is
/// missing.
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
/// @param[in] path the folder, UTF-8.
/// @param[in] options how; NULL for the defaults.
/// @param[out] memory the handle; close it with recallite_close and free it
///     with recallite_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when path is a file or an option is out
///     of range, RECALLITE_NOT_FOUND when there is no store and must_exist is
///     set, RECALLITE_PERMISSION_DENIED, RECALLITE_BUSY, RECALLITE_CORRUPT,
///     RECALLITE_NEWER_FORMAT or RECALLITE_IO, each naming the path;
///     RECALLITE_UNSUPPORTED for fastembed or vector_graph_from in a library
///     without it.
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
        // From here on the call cannot fail.
        if let Some(user_data) = user_data {
            user_data.take_over();
        }
        memory.set(handle.cast());
        Ok(())
    })
}

/// The settings, and what the library takes over once the memory is open.
///
/// # Safety
/// What `options` points to is absent or readable, and its embedder's functions
/// can be called from every thread.
unsafe fn builder(
    options: &recallite_open_options,
) -> Result<(MemoryBuilder, Option<Arc<UserData>>)> {
    let mut builder = Memory::builder()
        .create(!boolean("must_exist", options.must_exist)?)
        .exclusive(boolean("exclusive", options.exclusive)?)
        .allow_network_folder(boolean(
            "allow_network_folder",
            options.allow_network_folder,
        )?)
        .recall_cache(!boolean("skip_recall_cache", options.skip_recall_cache)?);
    if options.cache_bytes != 0 {
        builder = builder.cache_bytes(options.cache_bytes);
    }
    if options.index_cache_bytes != 0 {
        builder = builder.index_cache_bytes(options.index_cache_bytes);
    }
    if options.busy_timeout_ms != 0 {
        builder = builder.busy_timeout_ms(options.busy_timeout_ms);
    }
    if options.quota_bytes != 0 {
        builder = builder.quota_bytes(options.quota_bytes);
    }
    if options.size_limit_bytes != 0 {
        builder = builder.size_limit_bytes(options.size_limit_bytes);
    }
    builder = builder.vector_graph_from(options.vector_graph_from);
    if options.embedding_timeout_ms != 0 {
        builder = builder.embedding_timeout_ms(options.embedding_timeout_ms);
    }
    let mut user_data = None;
    // SAFETY: the caller keeps the same condition, for each pointer below.
    unsafe {
        if let Some(project) = options.project.optional("project")? {
            builder = builder.project(project);
        }
        let retention = input::array(
            "retention_ms",
            options.retention_ms,
            options.retention_ms_len,
        )?;
        for (index, of_kind) in retention.iter().enumerate() {
            let kind = kind_of(&format!("retention_ms[{index}].kind"), of_kind.kind)?;
            builder = builder.retention_ms(kind, of_kind.ms);
        }
        if !options.privacy.is_null() {
            builder = builder.privacy(privacy::privacy(options.privacy)?);
        }
        if !options.tool_limits.is_null() {
            builder = builder.tool_limits(privacy::tool_limits(options.tool_limits)?);
        }
        if !options.recall_weights.is_null() {
            let given = weights::recall_weights("recall_weights", options.recall_weights)?;
            builder = builder.recall_weights(given);
        }
        if !options.embedder.is_null() {
            if !options.fastembed.is_null() {
                return Err(Error::invalid(
                    "fastembed",
                    "a memory has one embedder; leave this or embedder NULL",
                ));
            }
            let given = embedder::embedder(&input::read("embedder", options.embedder)?)?;
            builder = builder.embedder(given.embedder);
            user_data = Some(given.user_data);
        } else if !options.fastembed.is_null() {
            builder = builder.embedder(embedder::fastembed(options.fastembed)?);
        }
    }
    Ok((builder, user_data))
}

/// Closes a memory: later calls on it fail with RECALLITE_CLOSED. The handle
/// stays valid until recallite_free. Closing twice is fine.
///
/// @param[in] memory the memory.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_close(
    memory: *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, Memory::close)
}

/// Closes a memory if it is open and frees its handle. NULL and a handle that
/// was freed before are fine. The store's file is released when the last
/// handle and the last cursor of the process are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_free(memory: *mut recallite_memory) {
    guard_free(|| {
        if let Some(handle) = MEMORIES.remove(memory.cast()) {
            let _ = handle.memory.close();
        }
    });
}

/// Whether a handle can be used: live, not closed, and not poisoned.
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

/// The folder of a memory.
///
/// @param[in] memory the memory, open or closed.
/// @param[out] path a view that lives until recallite_free(memory).
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_path(
    memory: *const recallite_memory,
    path: *mut recallite_str,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        let handle = MEMORIES.get("memory", memory.cast())?;
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        unsafe { out("path", path) }?.set(terminated(&handle.path));
        Ok(())
    })
}

/// The project that a memory was opened for; empty for none.
///
/// @param[in] memory the memory, open or closed.
/// @param[out] project a view that lives until recallite_free(memory).
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT when memory is no live handle.
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

/// A view of text that carries its zero byte.
fn terminated(text: &str) -> recallite_str {
    recallite_str {
        ptr: text.as_ptr().cast(),
        len: text.len() - 1,
    }
}
