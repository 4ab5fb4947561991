//! Exports a store as JSON Lines, to a file or through callbacks, and restores it.

use std::ffi::c_void;

use recallite::{ExportOptions, Exported, Imported, Result, Selector};

use crate::call::{Out, optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::input::{self, boolean, c_bool};
use crate::owned::give_one;
use crate::streams::{
    CallbackReader, CallbackWriter, recallite_read_callback, recallite_write_callback,
};
use crate::text::recallite_str;

/// Writes events to the new file path as JSON Lines, as of one moment: a header, one
/// line for each event in log order, and an end line. On Unix only the file's owner
/// can read it.
///
/// With a selector, the live events that match it are written; such a file can be
/// imported but not restored. Without one, the file contains the whole log and
/// everything that a restore needs, including forgotten events and the store's
/// secret: keep it as private as the store.
///
/// A file that is there already is refused. With replace, it is replaced once the new
/// one is complete, and stays as it is if the export fails; a pipe is written to.
///
/// Growth: By store; with a selector, by result.
///
/// @param[in] memory the memory.
/// @param[in] path a path of the file system, UTF-8.
/// @param[in] selector see recallite_selector; NULL for none.
/// @param[in] replace true or false.
/// @param[out] result to be freed with recallite_exported_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_ALREADY_EXISTS when there is something at path, without
///     replace; RECALLITE_INVALID_ARGUMENT when it lies in the store's own folder;
///     RECALLITE_INVALID_ARGUMENT or RECALLITE_NOT_FOUND from the selector;
///     RECALLITE_NOT_FOUND, RECALLITE_PERMISSION_DENIED, RECALLITE_FULL or
///     RECALLITE_IO when the file cannot be written: no file is left behind then;
///     RECALLITE_CORRUPT when a record cannot be read: the file holds the others,
///     and recallite_import_jsonl takes them. RECALLITE_INTERRUPTED when the
///     program stops it: no file is left behind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_export_jsonl(
    memory: *mut recallite_memory,
    path: recallite_str,
    selector: *const recallite_selector,
    replace: c_bool,
    result: *mut *mut recallite_exported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        let mut options = ExportOptions::new();
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, result) = unsafe {
            options.selector = taken(selector)?;
            (path.path("path")?, optional_out("result", result)?)
        };
        options.replace = boolean("replace", replace)?;
        let done = memory.export_jsonl(path, &options);
        let done = done.map_err(|error| input::named(&[("before", "before_ms")], error))?;
        give_exported(result, done);
        Ok(())
    })
}

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
pub unsafe extern "C" fn recallite_upkeep_export_jsonl_to(
    memory: *mut recallite_memory,
    write: recallite_write_callback,
    user_data: *mut c_void,
    selector: *const recallite_selector,
    exported: *mut *mut recallite_exported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (mut writer, selector, exported) = unsafe {
            (
                CallbackWriter::new(write, user_data)?,
                taken(selector)?,
                optional_out("exported", exported)?,
            )
        };
        let outcome = memory
            .upkeep()
            .export_jsonl_to(&mut writer, selector.as_ref());
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
pub unsafe extern "C" fn recallite_upkeep_restore_jsonl_from(
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
        let outcome = memory.upkeep().restore_jsonl_from(reader.buffered());
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
pub unsafe extern "C" fn recallite_upkeep_import_jsonl_from(
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
        let outcome = memory.upkeep().import_jsonl_from(reader.buffered());
        give_imported(imported, reader.outcome(outcome)?);
        Ok(())
    })
}

/// # Safety
/// `selector` is NULL or points to one whose texts and arrays are absent or readable.
unsafe fn taken(selector: *const recallite_selector) -> Result<Option<Selector>> {
    if selector.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller keeps the same condition.
    unsafe { recallite_selector::taken("selector", selector) }.map(Some)
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
