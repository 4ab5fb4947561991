//! Importing Claude Code transcripts.

use std::ffi::c_void;

use recallite::ImportProgress;
use recallite::Result;
use recallite::transcript::ImportOptions;

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::input::{self, Input, boolean, c_bool};
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// What an import takes. Begin with RECALLITE_INIT(recallite_import_options); a
/// field that is zero has its default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_import_options {
    /// sizeof(recallite_import_options).
    pub struct_size: usize,
    /// How much of a response is kept, in UTF-16 code units. Default: all.
    pub response_limit_utf16: usize,
    /// After how many prompts and responses of a file reading stops. Default:
    /// never.
    pub limit: usize,
    /// The longest line that is read, in bytes; a longer one is counted as an
    /// error and passed over. Default: 64 MiB.
    pub max_line_bytes: usize,
    /// Leave tool calls out.
    pub skip_tool_observations: c_bool,
    /// Keep prompts and responses of blank text only.
    pub keeps_blank_text: c_bool,
}

// SAFETY: repr(C), the size comes first, and integers and bytes take every bit
// pattern.
unsafe impl Input for recallite_import_options {
    const FIRST_SIZE: usize = size_of::<recallite_import_options>();
}

/// Called after each transaction of an import, on the thread that imports. It
/// may call the library. It must return: no exception and no longjmp.
///
/// The progress is valid during the call only. Return 0 to go on, anything else
/// to end the import; what was stored stays.
pub type recallite_import_callback = Option<
    unsafe extern "C" fn(progress: *const recallite_import_progress, user_data: *mut c_void) -> i32,
>;

/// Imports Claude Code transcripts: a .jsonl file, a project's folder with its
/// subagents' files, or the root of such folders. Importing again changes
/// nothing, and a session that goes on is completed by the next import.
///
/// @param[in] memory the memory.
/// @param[in] path the file or folder, UTF-8.
/// @param[in] options what is taken; NULL for the defaults.
/// @param[in] progress called after each transaction; NULL for none.
/// @param[in] user_data given to progress.
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
                input::read_or_default("options", options)?,
                optional_out("report", report)?,
            )
        };
        let mut goes_on = |now: ImportProgress| {
            let Some(progress) = progress else {
                return true;
            };
            let now = recallite_import_progress {
                files_done: now.files_done,
                files_total: now.files_total,
                bytes_done: now.bytes_done,
                bytes_total: now.bytes_total,
                events_stored: now.events_stored,
            };
            // SAFETY: a function of the caller with this signature; the
            // argument lives during the call.
            unsafe { progress(&raw const now, user_data) == 0 }
        };
        let done =
            memory.import_claude_code_with(path, &import_options(&options)?, &mut goes_on)?;
        if report.is_wanted() {
            report.set(give_one(done));
        }
        Ok(())
    })
}

fn import_options(options: &recallite_import_options) -> Result<ImportOptions> {
    let given = |number: usize| (number != 0).then_some(number);
    let default = ImportOptions::default();
    Ok(ImportOptions {
        has_tool_observations: !boolean("skip_tool_observations", options.skip_tool_observations)?,
        keeps_blank_text: boolean("keeps_blank_text", options.keeps_blank_text)?,
        response_limit_utf16: given(options.response_limit_utf16),
        limit: given(options.limit),
        max_line_bytes: given(options.max_line_bytes).unwrap_or(default.max_line_bytes),
    })
}
