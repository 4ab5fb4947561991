//! The endless mode: what is in the working set, what was consolidated, how far the
//! present goes on from what was before.

use std::ffi::c_void;

use crate::call::{optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::Parts;
use crate::owned::{give_list, give_one};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// Puts a group of events into words, in the program's own way. Called by
/// recallite_consolidate for each group, on the thread that called that, outside
/// of any transaction. It may call the library, but not close the memory. It
/// must return: no exception and no longjmp.
///
/// topics and texts are valid during the call only. Set summary to a text that
/// stays valid until the callback is called again or recallite_consolidate
/// returns, and return 0; the library copies it, and it passes the privacy
/// filter. Leave summary absent, or return anything else, to take the summary
/// that is made by rules. A summary that is not UTF-8 is not taken either.
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

/// What is in the working set, the most relevant first, then the newest.
///
/// @param[in] memory the memory.
/// @param[out] items the list, to be freed with recallite_working_item_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_working_set(
    memory: *mut recallite_memory,
    items: *mut *mut recallite_working_item_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let items = unsafe { out("items", items) }?;
        let found = memory.endless().working_set()?;
        items.set(give_list(found));
        Ok(())
    })
}

/// The consolidated memories, the newest first.
///
/// @param[in] memory the memory.
/// @param[in] text looked for in the summaries, letter case ignored, with the
///     surest first; absent for all memories.
/// @param[out] memories the memories, to be freed with
///     recallite_consolidated_memory_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_consolidated_memories(
    memory: *mut recallite_memory,
    text: recallite_str,
    memories: *mut *mut recallite_consolidated_memory_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (text, memories) = unsafe { (text.optional("text")?, out("memories", memories)?) };
        let found = memory.endless().memories(text)?;
        memories.set(give_list(found));
        Ok(())
    })
}

/// The transitions that were scored, in the order of the log.
///
/// @param[in] memory the memory.
/// @param[out] transitions the list, to be freed with recallite_continuity_entry_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_continuity_log(
    memory: *mut recallite_memory,
    transitions: *mut *mut recallite_continuity_entry_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let transitions = unsafe { out("transitions", transitions) }?;
        let found = memory.endless().continuity_log()?;
        transitions.set(give_list(found));
        Ok(())
    })
}

/// Scores how far a text (a prompt, or the beginning of a conversation) goes on
/// from the context before it, and keeps it as the context for the next call,
/// in whatever process that is.
///
/// @param[in] memory the memory.
/// @param[in] context_id a name for the text's context.
/// @param[in] text the text.
/// @param[out] continuity the score, to be freed with
///     recallite_continuity_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a blank name or text; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_score_continuity(
    memory: *mut recallite_memory,
    context_id: recallite_str,
    text: recallite_str,
    continuity: *mut *mut recallite_continuity,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (context_id, text, continuity) = unsafe {
            (
                context_id.required("context_id")?,
                text.required("text")?,
                optional_out("continuity", continuity)?,
            )
        };
        let found = memory.endless().score_continuity(context_id, text)?;
        if continuity.is_wanted() {
            continuity.set(give_one(found));
        }
        Ok(())
    })
}

/// How the endless mode stands.
///
/// @param[in] memory the memory.
/// @param[out] status how it stands, to be freed with
///     recallite_endless_status_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_status_get(
    memory: *mut recallite_memory,
    status: *mut *mut recallite_endless_status,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let status = unsafe { out("status", status) }?;
        let found = memory.endless().status()?;
        status.set(give_one(found));
        Ok(())
    })
}

/// What to give an agent at its start: events in the working set and consolidated
/// memories. That the memories were given is noted.
///
/// @param[in] memory the memory.
/// @param[out] context what to give, to be freed with
///     recallite_endless_context_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_CORRUPT or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_context_get(
    memory: *mut recallite_memory,
    context: *mut *mut recallite_endless_context,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let context = unsafe { out("context", context) }?;
        let found = memory.endless().context()?;
        context.set(give_one(found));
        Ok(())
    })
}

/// Makes memories of what is in the working set, whether it is due or not.
///
/// @param[in] memory the memory.
/// @param[in] summarize puts each group of events into words; NULL for the
///     summaries that are made by rules.
/// @param[in] user_data given to summarize.
/// @param[out] report what was done, to be freed with
///     recallite_consolidation_report_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_BUSY, RECALLITE_FULL or RECALLITE_IO when the store cannot
///     be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_consolidate(
    memory: *mut recallite_memory,
    summarize: recallite_summarize_callback,
    user_data: *mut c_void,
    report: *mut *mut recallite_consolidation_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let report = unsafe { optional_out("report", report) }?;
        let mut in_words = |topics: &[String], texts: &[String]| -> Option<String> {
            let summarize = summarize?;
            let mut parts = Parts::default();
            let (topics, topics_len) = parts.values(topics);
            let (texts, texts_len) = parts.values(texts);
            let mut summary = recallite_str::ABSENT;
            // SAFETY: a function of the caller with this signature; the
            // arguments live during the call. The summary stays readable until
            // the next call, as the header asks.
            unsafe {
                let answer = summarize(
                    topics,
                    topics_len,
                    texts,
                    texts_len,
                    &raw mut summary,
                    user_data,
                );
                let given = (answer == 0).then(|| summary.optional("summary"));
                given?.ok()?.map(str::to_owned)
            }
        };
        let done = memory.endless().consolidate_with(&mut in_words)?;
        if report.is_wanted() {
            report.set(give_one(done));
        }
        Ok(())
    })
}
