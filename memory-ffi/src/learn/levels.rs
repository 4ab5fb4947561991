//! How memories rise by being used, how they sink, and what repeated use gives
//! away.

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// The level of an event and how it was used.
///
/// @param[in] memory the memory.
/// @param[in] event an event id or citation.
/// @param[out] level the level, to be freed with recallite_event_level_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such event; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_level_get(
    memory: *mut recallite_memory,
    event: recallite_str,
    level: *mut *mut recallite_event_level,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (event, level) = unsafe { (input::event_ref("event", event)?, out("level", level)?) };
        let found = memory.levels().get(event)?;
        level.set(give_one(found));
        Ok(())
    })
}

/// How many conversation events lie at each level.
///
/// @param[in] memory the memory.
/// @param[out] counts the counts, to be freed with recallite_level_counts_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_level_counts_get(
    memory: *mut recallite_memory,
    counts: *mut *mut recallite_level_counts,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let counts = unsafe { out("counts", counts) }?;
        let found = memory.levels().counts()?;
        counts.set(give_one(found));
        Ok(())
    })
}

/// Takes note that events were used in a session, for programs that recall by
/// other ways than recallite_search. It is written with the next append or
/// close.
///
/// @param[in] memory the memory.
/// @param[in] events ids or citations.
/// @param[in] events_len how many.
/// @param[in] session the session that used them.
/// @param[in] confidence how sure it was that they are what was looked for,
///     from 0 to 1.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a confidence out of range or a
///     session's name that cannot be; RECALLITE_NOT_FOUND naming the event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_record_access(
    memory: *mut recallite_memory,
    events: *const recallite_str,
    events_len: usize,
    session: recallite_str,
    confidence: f64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (events, session) = unsafe {
            (
                input::event_refs("events", events, events_len)?,
                session.required("session")?,
            )
        };
        memory.levels().record_access(&events, session, confidence)
    })
}

/// Lets memories sink: after so many days without an access a memory's worth is
/// halved.
///
/// @param[in] memory the memory.
/// @param[in] half_life_days the days; 0, the default, switches sinking off.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a negative number;
///     RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot be
///     written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_set_half_life_days(
    memory: *mut recallite_memory,
    half_life_days: f64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        memory
            .levels()
            .set_half_life_days((half_life_days != 0.0).then_some(half_life_days))
    })
}

/// Judges events that were used since they were last judged: each rises at most
/// one level. Then looks what those at L1 and higher, taken together, give away.
///
/// @param[in] memory the memory.
/// @param[in] budget at most this many events.
/// @param[out] graduated what was done, to be freed with
///     recallite_graduated_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
///     be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_graduate(
    memory: *mut recallite_memory,
    budget: usize,
    graduated: *mut *mut recallite_graduated,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let graduated = unsafe { optional_out("graduated", graduated) }?;
        let done = memory.levels().graduate(budget)?;
        if graduated.is_wanted() {
            graduated.set(give_one(done));
        }
        Ok(())
    })
}

/// The insights that were found, by their keys.
///
/// @param[in] memory the memory.
/// @param[out] insights the list, to be freed with recallite_insight_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_insights(
    memory: *mut recallite_memory,
    insights: *mut *mut recallite_insight_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let insights = unsafe { out("insights", insights) }?;
        let found = memory.levels().insights()?;
        insights.set(give_list(found));
        Ok(())
    })
}
