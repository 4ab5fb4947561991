//! Moving a store: out of it as lines of JSON, back, and as a backup.

use std::ffi::c_void;

use recallite::{ExportFilter, Exported, Imported, Result};

use crate::call::{Out, optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::streams::{
    self, CallbackReader, CallbackWriter, recallite_read_callback, recallite_write_callback,
};
use crate::text::recallite_str;

/// Writes events into a new file as lines of JSON, as of one moment: a header,
/// one line for each event in the order of the log, and an end.
///
/// @param[in] memory the memory.
/// @param[in] path the file, UTF-8; on Unix only its owner may read it.
/// @param[in] selector the live events that are written; such a file can be
///     imported, not restored. NULL for the whole log with what a restore needs:
///     forgotten events and the store's secret. Keep that as private as the
///     store.
/// @param[out] exported what was written, to be freed with
///     recallite_exported_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_ALREADY_EXISTS when there is something at path;
///     RECALLITE_INVALID_ARGUMENT or RECALLITE_NOT_FOUND from the selector;
///     RECALLITE_IO, RECALLITE_FULL or RECALLITE_PERMISSION_DENIED when the file
///     cannot be written; RECALLITE_CORRUPT when a record cannot be read. No
///     file is left behind then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_export_jsonl(
    memory: *mut recallite_memory,
    path: recallite_str,
    selector: *const recallite_selector,
    exported: *mut *mut recallite_exported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, filter, exported) = unsafe {
            (
                path.path("path")?,
                filter(selector)?,
                optional_out("exported", exported)?,
            )
        };
        let done = streams::write_new_file(path, |file| memory.export_jsonl(file, &filter))?;
        give_exported(exported, done);
        Ok(())
    })
}

/// As recallite_export_jsonl, through a callback.
///
/// @param[in] memory the memory.
/// @param[in] write takes the bytes.
/// @param[in] user_data given to write.
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

/// Makes this empty store the one that a whole export was made of: every record
/// byte for byte, with its position, id, citation and checksum, and forgotten
/// events forgotten. An export that is cut or changed leaves the store empty.
///
/// @param[in] memory the memory.
/// @param[in] path the file, UTF-8.
/// @param[out] events how many events there are now; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_ALREADY_EXISTS when the store holds events;
///     RECALLITE_INVALID_ARGUMENT naming path and the line when the export is
///     cut, changed or not whole; RECALLITE_NOT_FOUND,
///     RECALLITE_PERMISSION_DENIED or RECALLITE_IO when the file cannot be read;
///     RECALLITE_NEWER_FORMAT; as recallite_append.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_restore_jsonl(
    memory: *mut recallite_memory,
    path: recallite_str,
    events: *mut u64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, events) = unsafe { (path.path("path")?, optional_out("events", events)?) };
        let file = streams::open_file(path)?;
        let restored = memory.restore_jsonl(file);
        events.set(restored.map_err(|error| streams::about("path", error))?);
        Ok(())
    })
}

/// As recallite_restore_jsonl, through a callback.
///
/// @param[in] memory the memory.
/// @param[in] read gives the bytes.
/// @param[in] user_data given to read.
/// @param[out] events how many events there are now; may be NULL.
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

/// Adds the conversation events of an export to this store, in slices between
/// which others write. They pass this memory's privacy filter, get new positions
/// and ids, and keep their time, session, project and speaker. What is here
/// already is recognised, also when it is imported again.
///
/// The export is read to its end first. When the disk fills or the process ends
/// after that, whole events are stored; importing again adds the others.
///
/// @param[in] memory the memory.
/// @param[in] path the file, UTF-8.
/// @param[out] imported what was done, to be freed with recallite_imported_free;
///     may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT naming path and the line when the export
///     is cut or holds an event that would be refused; RECALLITE_NOT_FOUND,
///     RECALLITE_PERMISSION_DENIED or RECALLITE_IO when the file cannot be read;
///     nothing is stored then; as recallite_append.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_import_jsonl(
    memory: *mut recallite_memory,
    path: recallite_str,
    imported: *mut *mut recallite_imported,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, imported) = unsafe { (path.path("path")?, optional_out("imported", imported)?) };
        let file = streams::open_file(path)?;
        let done = memory.import_jsonl(file);
        give_imported(
            imported,
            done.map_err(|error| streams::about("path", error))?,
        );
        Ok(())
    })
}

/// As recallite_import_jsonl, through a callback.
///
/// @param[in] memory the memory.
/// @param[in] read gives the bytes; the store is not touched before the end.
/// @param[in] user_data given to read.
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
