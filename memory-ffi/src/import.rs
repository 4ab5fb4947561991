//! Importing Claude Code transcripts.

use std::ffi::c_void;

use recallite::ImportProgress;

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::owned::{Parts, Show as _, give_one};
use crate::text::recallite_str;

/// Called after each transaction of an import, on the thread that imports. It
/// may call the library. It must return: no exception and no longjmp.
///
/// The progress is valid during the call only. Return 0 to continue, anything else to end
/// the import; what was stored stays.
pub type recallite_import_callback = Option<
    unsafe extern "C" fn(progress: *const recallite_import_progress, user_data: *mut c_void) -> i32,
>;

/// Imports Claude Code transcripts from a .jsonl file, a project's folder with the files of
/// its subagents, or the root of such folders. Importing the same transcript again changes
/// nothing, and importing a session that has continued adds the rest.
///
/// Growth: By the transcripts.
///
/// @param[in] memory the memory.
/// @param[in] path the file or folder, UTF-8.
/// @param[in] options what to import; NULL for the defaults.
/// @param[in] progress called after each transaction; NULL for none.
/// @param[in] user_data passed to progress.
/// @param[out] report what was done, to be freed with
///     recallite_import_report_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no transcript at path;
///     RECALLITE_IO, RECALLITE_BUSY or RECALLITE_FULL when the store cannot be
///     written (what was stored before stays).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_import_claude_code(
    memory: *mut recallite_memory,
    path: recallite_str,
    options: *const recallite_import_options,
    progress: recallite_import_callback,
    user_data: *mut c_void,
    report: *mut *mut recallite_import_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (path, options, report) = unsafe {
            (
                path.path("path")?,
                recallite_import_options::taken("options", options)?,
                optional_out("report", report)?,
            )
        };
        let mut goes_on = |now: ImportProgress| {
            let Some(progress) = progress else {
                return true;
            };
            let mut parts = Parts::default();
            let now = now.show(&mut parts);
            // SAFETY: a function of the caller with this signature; the
            // argument lives during the call.
            unsafe { progress(&raw const now, user_data) == 0 }
        };
        let done = memory.import_claude_code_with(path, &options, &mut goes_on)?;
        if report.is_wanted() {
            report.set(give_one(done));
        }
        Ok(())
    })
}
