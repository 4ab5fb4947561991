//! Sessions.

use recallite::{Result, SessionUpdate};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// A change of a session. Begin with RECALLITE_INIT(recallite_session_update);
/// a field that is absent or whose has_ field is false stays as it is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_session_update {
    /// sizeof(recallite_session_update).
    pub struct_size: usize,
    /// The project it belongs to.
    pub project: recallite_str,
    /// Its summary; passes the privacy filter.
    pub summary: recallite_str,
    /// Its tags, all of them; read when has_tags is set.
    pub tags: *const recallite_str,
    /// How many tags.
    pub tags_len: usize,
    /// When it began, in milliseconds since 1970 UTC; read when has_started is
    /// set.
    pub started_ms: i64,
    /// When it ended, in milliseconds since 1970 UTC; read when has_ended is
    /// set.
    pub ended_ms: i64,
    /// Whether tags are given.
    pub has_tags: c_bool,
    /// Whether started_ms is given.
    pub has_started: c_bool,
    /// Whether ended_ms is given.
    pub has_ended: c_bool,
}

// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_session_update {
    const FIRST_SIZE: usize = size_of::<recallite_session_update>();
}

/// Starts, ends, summarises or tags a session. The change itself is an event of
/// the log.
///
/// @param[in] memory the memory.
/// @param[in] id its name, as events carry it; a new name starts a session.
/// @param[in] update the change.
/// @param[out] session the session as it is now, to be freed with
///     recallite_session_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_append.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_update_session(
    memory: *mut recallite_memory,
    id: recallite_str,
    update: *const recallite_session_update,
    session: *mut *mut recallite_session,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (id, update, session) = unsafe {
            let update = input::read("update", update)?;
            (
                id.required("id")?,
                session_update(&update)?,
                optional_out("session", session)?,
            )
        };
        let changed = memory.update_session(id, update)?;
        if session.is_wanted() {
            session.set(give_one(changed));
        }
        Ok(())
    })
}

/// # Safety
/// The texts and tags of `update` are absent or readable.
unsafe fn session_update(update: &recallite_session_update) -> Result<SessionUpdate> {
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        let tags = boolean("has_tags", update.has_tags)?
            .then(|| {
                input::array("tags", update.tags, update.tags_len)?
                    .iter()
                    .enumerate()
                    .map(|(index, tag)| Ok(tag.required(&format!("tags[{index}]"))?.to_owned()))
                    .collect::<Result<Vec<String>>>()
            })
            .transpose()?;
        Ok(SessionUpdate {
            project: update.project.optional("project")?.map(str::to_owned),
            started: input::time("started", update.has_started, update.started_ms)?,
            ended: input::time("ended", update.has_ended, update.ended_ms)?,
            summary: update.summary.optional("summary")?.map(str::to_owned),
            tags,
        })
    }
}
