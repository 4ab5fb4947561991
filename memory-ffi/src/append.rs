//! Remembering events.

use recallite::{Dedupe, Error, NewEvent, Result};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input;
use crate::open::recallite_memory;
use crate::owned::{give_list, give_one};
use crate::status::{recallite_dedupe, recallite_status};

/// Remembers one event. When this returns RECALLITE_OK, the event is on the
/// disk.
///
/// The text passes the privacy filter first. The same content in the same
/// session is stored once; the receipt says so.
///
/// @param[in] memory the memory.
/// @param[in] event the event; the library keeps no pointer to it.
/// @param[out] receipt the receipt, to be freed with recallite_appended_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for an empty text, a name that is too
///     long or a time out of range; RECALLITE_BUSY, RECALLITE_FULL,
///     RECALLITE_IO or RECALLITE_NEEDS_REOPEN when the store cannot be written.
///     Nothing is stored then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_append(
    memory: *mut recallite_memory,
    event: *const recallite_new_event,
    receipt: *mut *mut recallite_appended,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (event, receipt) = unsafe {
            let event = input::read("event", event)?;
            (new_event(&event)?, optional_out("receipt", receipt)?)
        };
        let appended = memory.append(event)?;
        if receipt.is_wanted() {
            receipt.set(give_one(appended));
        }
        Ok(())
    })
}

/// Remembers several events in one transaction: all of them or, when one is
/// refused, none.
///
/// @param[in] memory the memory.
/// @param[in] events an array of events, each with the same struct_size.
/// @param[in] events_len how many; 0 stores nothing.
/// @param[out] receipts the receipts in the order of the events, to be freed
///     with recallite_appended_list_free; may be NULL.
/// @param[out] error set on failure; may be NULL. It names the event, for
///     example "events[3].session".
/// @return as recallite_append.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_append_batch(
    memory: *mut recallite_memory,
    events: *const recallite_new_event,
    events_len: usize,
    receipts: *mut *mut recallite_appended_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (events, receipts) = unsafe {
            (
                new_events(events, events_len)?,
                optional_out("receipts", receipts)?,
            )
        };
        let appended = memory.append_batch(events)?;
        if receipts.is_wanted() {
            receipts.set(give_list(appended));
        }
        Ok(())
    })
}

/// The events of a batch. They lie one `struct_size` of the program's header
/// apart, which may be less than this library's.
///
/// # Safety
/// `events` is NULL or points to `len` readable events.
unsafe fn new_events(events: *const recallite_new_event, len: usize) -> Result<Vec<NewEvent>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    input::check_len("events_len", len)?;
    // SAFETY: the caller promises at least one event.
    let first = unsafe { input::read("events", events) }?;
    let stride = first.struct_size;
    // Not reserved: `len` may be a mistake that the first wrong event shows.
    let mut list = Vec::new();
    for index in 0..len {
        let at_index = |error: Error| {
            if len == 1 {
                return error;
            }
            let place = match error.argument() {
                Some("events") | None => format!("events[{index}]"),
                Some(field) => format!("events[{index}].{field}"),
            };
            error.about(place)
        };
        // SAFETY: within the `len` events that the caller promised.
        let event = unsafe { events.byte_add(index * stride) };
        // SAFETY: as above.
        let event = unsafe { input::read("events", event) }.map_err(at_index)?;
        if event.struct_size != stride {
            return Err(Error::invalid(
                format!("events[{index}].struct_size"),
                format_args!(
                    "{} differs from {stride} of the first event",
                    event.struct_size
                ),
            ));
        }
        // SAFETY: the texts of the events are absent or readable.
        list.push(unsafe { new_event(&event) }.map_err(at_index)?);
    }
    Ok(list)
}

/// # Safety
/// The texts of `event` and of its tool are absent or readable.
unsafe fn new_event(given: &recallite_new_event) -> Result<NewEvent> {
    // SAFETY: the caller keeps the same condition, for each text.
    let (mut event, content, key) = unsafe {
        (
            given.made("")?,
            given.content.optional("content")?,
            given.dedupe_key.optional("dedupe_key")?,
        )
    };
    // That of a tool observation is made from its tool.
    if content.is_none() && event.tool.is_none() {
        return Err(Error::invalid("content", "must not be NULL"));
    }
    event.dedupe = dedupe(given.dedupe, key)?;
    Ok(event)
}

fn dedupe(number: i32, key: Option<&str>) -> Result<Dedupe> {
    let is = |wanted: recallite_dedupe| number == wanted as i32;
    match key {
        Some(key) if is(recallite_dedupe::RECALLITE_DEDUPE_KEY) => Ok(Dedupe::Key(key.to_owned())),
        None if is(recallite_dedupe::RECALLITE_DEDUPE_KEY) => Err(Error::invalid(
            "dedupe_key",
            "must be given for RECALLITE_DEDUPE_KEY",
        )),
        None if is(recallite_dedupe::RECALLITE_DEDUPE_CONTENT) => Ok(Dedupe::Content),
        None if is(recallite_dedupe::RECALLITE_DEDUPE_NONE) => Ok(Dedupe::None),
        Some(_)
            if is(recallite_dedupe::RECALLITE_DEDUPE_CONTENT)
                || is(recallite_dedupe::RECALLITE_DEDUPE_NONE) =>
        {
            Err(Error::invalid(
                "dedupe_key",
                "is only for RECALLITE_DEDUPE_KEY",
            ))
        }
        _ => Err(Error::invalid(
            "dedupe",
            format_args!("{number} is no recallite_dedupe"),
        )),
    }
}
