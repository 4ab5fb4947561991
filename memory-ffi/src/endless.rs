//! Consolidation with the program's own summaries.

use std::ffi::c_void;

use recallite::{Error, ErrorCode, Result};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::handle::recallite_memory;
use crate::owned::{Parts, give_one};
use crate::text::recallite_str;
use crate::tokens::failed;

/// Summarises a group of events on behalf of the program. It is called by
/// recallite_endless_consolidate for each group, on the thread that called that function,
/// outside of any transaction. It may call the library, but not close the memory. It must
/// return: no exception and no longjmp.
///
/// topics and texts are valid during the call only. Set summary to a text that stays valid
/// until the callback is called again or recallite_endless_consolidate returns, and return
/// 0. The library copies it, and it passes through the privacy filter. Leave summary absent
/// and return 0 to use the summary made by rules. Anything but 0 is a failure, and so is a
/// summary that is not UTF-8: the call fails with RECALLITE_CALLBACK, nothing is stored, and
/// the events keep waiting.
pub type recallite_summarize_callback = Option<
    unsafe extern "C" fn(
        topics: *const recallite_str,
        topics_len: usize,
        texts: *const recallite_str,
        texts_len: usize,
        summary: *mut recallite_str,
        user_data: *mut c_void,
    ) -> i32,
>;

/// Consolidates the working set into memories now, whether or not it is due.
///
/// Growth: By the events of the working set and the consolidated memories.
///
/// @param[in] memory the memory. @param[in] summarize summarises each group of events; NULL for the
/// summaries made by rules. @param[in] user_data passed to summarize. @param[out] report what was
/// done, to be freed with recallite_consolidation_report_free; may be NULL. @param[out] error set
/// on failure; may be NULL. @return RECALLITE_CALLBACK when summarize failed;
/// RECALLITE_INVALID_ARGUMENT naming summarize when a summary has more than 20,000 characters;
/// RECALLITE_CLOSED when the memory was closed in the meantime; RECALLITE_BUSY, RECALLITE_FULL or
/// RECALLITE_IO when the store cannot be written. Nothing is stored then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_consolidate(
    memory: *mut recallite_memory,
    summarize: recallite_summarize_callback,
    user_data: *mut c_void,
    report: *mut *mut recallite_consolidation_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let report = unsafe { optional_out("report", report) }?;
        let mut in_words = |topics: &[String], texts: &[String]| -> Result<Option<String>> {
            let Some(summarize) = summarize else {
                return Ok(None);
            };
            let mut parts = Parts::default();
            let (topics, topics_len) = parts.values(topics);
            let (texts, texts_len) = parts.values(texts);
            let mut summary = recallite_str::ABSENT;
            // SAFETY: a function of the caller with this signature; the
            // arguments live during the call.
            let answer = unsafe {
                summarize(
                    topics,
                    topics_len,
                    texts,
                    texts_len,
                    &raw mut summary,
                    user_data,
                )
            };
            if answer != 0 {
                return Err(failed("summarize", answer));
            }
            // SAFETY: the summary stays readable until the next call, as the header asks.
            let summary = unsafe { summary.optional("summary") }.map_err(|error| {
                Error::new(ErrorCode::Callback, error.message()).about("summarize")
            })?;
            Ok(summary.map(str::to_owned))
        };
        let done = memory.endless().consolidate_with(&mut in_words)?;
        if report.is_wanted() {
            report.set(give_one(done));
        }
        Ok(())
    })
}
