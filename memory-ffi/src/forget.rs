//! Selecting events, forgetting them, and erasing them.

use recallite::{Result, Selector};

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// Which events are meant. Begin with RECALLITE_INIT(recallite_selector).
///
/// Every condition that is given must hold, and at least one must be given; a
/// selection of everything must say so. Without kinds, conversation events are
/// meant (prompts, responses, tool observations, summaries), and with session or
/// everything also the changes of sessions. Without a scope, only the memory's
/// own project is reached.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_selector {
    /// sizeof(recallite_selector).
    pub struct_size: usize,
    /// These events, ids or citations; NULL when not wanted. An array that is
    /// there and empty is refused.
    pub ids: *const recallite_str,
    /// How many events.
    pub ids_len: usize,
    /// Events of this session.
    pub session: recallite_str,
    /// The project for RECALLITE_SCOPE_NAMED, which is a condition by itself;
    /// absent otherwise.
    pub project: recallite_str,
    /// Events of these kinds, each one of recallite_event_kind.
    pub kinds: *const i32,
    /// How many kinds.
    pub kinds_len: usize,
    /// Events before this moment (not at it), in milliseconds since 1970 UTC;
    /// read when has_before is set.
    pub before_ms: i64,
    /// Which projects: one of recallite_scope.
    pub scope: i32,
    /// Whether before_ms is given.
    pub has_before: c_bool,
    /// No condition is needed.
    pub everything: c_bool,
}

// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_selector {
    const FIRST_SIZE: usize = size_of::<recallite_selector>();
}

/// How many live events a selector means: what recallite_forget would forget.
/// Changes nothing.
///
/// @param[in] memory the memory.
/// @param[in] selector which events.
/// @param[out] count how many.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a selector without a condition or an
///     event of another project; RECALLITE_NOT_FOUND for an event that never
///     was; RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_count_selected(
    memory: *mut recallite_memory,
    selector: *const recallite_selector,
    count: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, count) = unsafe { (self::selector(selector)?, out("count", count)?) };
        count.set(memory.upkeep().count_selected(&wanted)?);
        Ok(())
    })
}

/// Forgets events: no read, search, history or count shows them again. Their
/// words leave the search index before this returns. The records stay in the
/// log, marked, until they are erased.
///
/// @param[in] memory the memory.
/// @param[in] selector which events.
/// @param[out] forgotten what was done, to be freed with
///     recallite_forgotten_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_count_selected and recallite_append. After an error that
///     came late, while the index was rewritten, the events are forgotten; the
///     next recallite_forget, recallite_rebuild or recallite_compact completes
///     the work.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_forget(
    memory: *mut recallite_memory,
    selector: *const recallite_selector,
    forgotten: *mut *mut recallite_forgotten,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, forgotten) = unsafe {
            (
                self::selector(selector)?,
                optional_out("forgotten", forgotten)?,
            )
        };
        let done = memory.forget(&wanted)?;
        if forgotten.is_wanted() {
            forgotten.set(give_one(done));
        }
        Ok(())
    })
}

/// Erases events: their content, metadata, tool calls and names leave the log
/// and every file of the store, with every event that the library recorded about
/// them. What stays of an event is its position, id, citation, kind and time.
/// Forgotten events are erased as well when the selector means them.
///
/// The whole store is written anew. Copies are the program's: backups, exports,
/// and the same words in other events.
///
/// @param[in] memory the memory.
/// @param[in] selector which events.
/// @param[out] erased the receipt, to be freed with recallite_erased_free; may
///     be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return as recallite_count_selected and recallite_compact; the store stays as
///     it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_erase(
    memory: *mut recallite_memory,
    selector: *const recallite_selector,
    erased: *mut *mut recallite_erased,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (wanted, erased) =
            unsafe { (self::selector(selector)?, optional_out("erased", erased)?) };
        let done = memory.erase(&wanted)?;
        if erased.is_wanted() {
            erased.set(give_one(done));
        }
        Ok(())
    })
}

/// # Safety
/// `selector` is NULL or points to a selector whose texts and arrays are absent
/// or readable.
pub(crate) unsafe fn selector(selector: *const recallite_selector) -> Result<Selector> {
    let mut wanted = Selector::new();
    // SAFETY: the caller keeps the same condition, for each array below.
    let given = unsafe {
        let given = input::read("selector", selector)?;
        // A list that is there and empty is refused, not read as "not given".
        if !given.ids.is_null() || given.ids_len > 0 {
            wanted = wanted.ids(input::event_refs("ids", given.ids, given.ids_len)?);
        }
        wanted.session = given.session.optional("session")?.map(str::to_owned);
        wanted.project = input::scope("scope", given.scope, "project", given.project)?;
        if !given.kinds.is_null() || given.kinds_len > 0 {
            wanted = wanted.kinds(input::kinds("kinds", given.kinds, given.kinds_len)?);
        }
        given
    };
    wanted.before = input::time("before", given.has_before, given.before_ms)?;
    wanted.everything = boolean("everything", given.everything)?;
    Ok(wanted)
}
