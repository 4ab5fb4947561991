//! Exports and restores a store through callbacks, as JSON Lines.

use std::ffi::c_void;

use recallite::{ExportFilter, Exported, Imported, Result};

use crate::call::{Out, optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::owned::give_one;
use crate::streams::{
    CallbackReader, CallbackWriter, recallite_read_callback, recallite_write_callback,
};

/// Like recallite_export_jsonl, through a callback.
///
/// Growth: By store.
///
/// @param[in] memory the memory.
/// @param[in] write receives the bytes.
/// @param[in] user_data passed to write.
/// @param[in] selector which events; NULL for the whole log.
/// @param[out] exported what was written, to be freed with
///     recallite_exported_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CALLBACK when write failed; as recallite_export_jsonl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_export_jsonl_to(
    memory: *mut recallite_memory,
    write: recallite_write_callback,
    user_data: *mut c_void,
    selector: *const recallite_selector,
    exported: *mut *mut recallite_exported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (mut writer, filter, exported) = unsafe {
            (
                CallbackWriter::new(write, user_data)?,
                filter(selector)?,
                optional_out("exported", exported)?,
            )
        };
        let outcome = memory.export_jsonl(&mut writer, &filter);
        give_exported(exported, writer.outcome(outcome)?);
        Ok(())
    })
}

/// Like recallite_restore_jsonl, through a callback.
///
/// Growth: By what is restored.
///
/// @param[in] memory the memory.
/// @param[in] read provides the bytes.
/// @param[in] user_data passed to read.
/// @param[out] events the number of events there are now; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CALLBACK when read failed; as recallite_restore_jsonl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_restore_jsonl_from(
    memory: *mut recallite_memory,
    read: recallite_read_callback,
    user_data: *mut c_void,
    events: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (mut reader, events) = unsafe {
            (
                CallbackReader::new(read, user_data)?,
                optional_out("events", events)?,
            )
        };
        let outcome = memory.restore_jsonl(reader.buffered());
        events.set(reader.outcome(outcome)?);
        Ok(())
    })
}

/// Like recallite_import_jsonl, through a callback.
///
/// Growth: By what is imported.
///
/// @param[in] memory the memory.
/// @param[in] read provides the bytes; the store is not changed before the end is reached.
/// @param[in] user_data passed to read.
/// @param[out] imported what was done, to be freed with recallite_imported_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CALLBACK when read failed; as recallite_import_jsonl.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_import_jsonl_from(
    memory: *mut recallite_memory,
    read: recallite_read_callback,
    user_data: *mut c_void,
    imported: *mut *mut recallite_imported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (mut reader, imported) = unsafe {
            (
                CallbackReader::new(read, user_data)?,
                optional_out("imported", imported)?,
            )
        };
        let outcome = memory.import_jsonl(reader.buffered());
        give_imported(imported, reader.outcome(outcome)?);
        Ok(())
    })
}

/// # Safety
/// `selector` is NULL or points to one whose texts and arrays are absent or readable.
unsafe fn filter(selector: *const recallite_selector) -> Result<ExportFilter> {
    if selector.is_null() {
        return Ok(ExportFilter::Whole);
    }
    // SAFETY: the caller keeps the same condition.
    let selector = unsafe { recallite_selector::taken("selector", selector) }?;
    Ok(ExportFilter::Selected(selector))
}

fn give_exported(place: Out<*mut recallite_exported>, done: Exported) {
    if place.is_wanted() {
        place.set(give_one(done));
    }
}

fn give_imported(place: Out<*mut recallite_imported>, done: Imported) {
    if place.is_wanted() {
        place.set(give_one(done));
    }
}
