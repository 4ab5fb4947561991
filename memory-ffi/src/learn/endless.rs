//! The endless mode: what lies on the table, what was consolidated, how far the
//! present goes on from what was before.

use std::ffi::{c_char, c_void};

use recallite::rules::endless::{Continuity, TransitionType, WorkingItem};
use recallite::{
    ConsolidatedMemory, ConsolidationReport, ContinuityEntry, EndlessContext, EndlessStatus,
};

use crate::call::{guard_free, optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::event::{self, recallite_event};
use crate::learn::endless_config::{self, recallite_endless_config};
use crate::learn::word::{self, number, words};
use crate::learn::{give_list, millis};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How the present joins what was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_transition_type {
    /// It goes on.
    RECALLITE_TRANSITION_SEAMLESS = 1,
    /// Another topic, near the last.
    RECALLITE_TRANSITION_TOPIC_SHIFT = 2,
    /// Something new.
    RECALLITE_TRANSITION_BREAK = 3,
}

words! {
    TransitionType => recallite_transition_type {
        Seamless = RECALLITE_TRANSITION_SEAMLESS c"seamless",
        TopicShift = RECALLITE_TRANSITION_TOPIC_SHIFT c"topic_shift",
        Break = RECALLITE_TRANSITION_BREAK c"break",
    }
}

/// The stable name of a transition type, for example "topic_shift";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_transition_type_name(transition: i32) -> *const c_char {
    word::name::<TransitionType>(transition)
}

/// An event on the table.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_working_item {
    /// The event's id, 36 characters.
    pub event_id: recallite_str,
    /// What it is about.
    pub topics: *const recallite_str,
    /// How many topics.
    pub topics_len: usize,
    /// When it came in, in milliseconds since 1970 UTC.
    pub added_ms: i64,
    /// When it leaves unless it is refreshed, in milliseconds since 1970 UTC.
    pub expires_ms: i64,
    /// How much it matters now, from 0 to 1.
    pub relevance: f64,
}

/// Several items. Free it with recallite_working_item_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_working_item_list {
    /// Pointers to the items.
    pub items: *const *const recallite_working_item,
    /// How many.
    pub len: usize,
}

/// A memory that was made of events, or of a session's summary.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_consolidated_memory {
    /// Its identity.
    pub memory_id: recallite_str,
    /// What happened, in words.
    pub summary: recallite_str,
    /// What it is about.
    pub topics: *const recallite_str,
    /// How many topics.
    pub topics_len: usize,
    /// The ids of the events that it was made of, in order of time.
    pub source_events: *const recallite_str,
    /// How many.
    pub source_events_len: usize,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// When it was last given to an agent, in milliseconds since 1970 UTC; 0
    /// unless has_accessed.
    pub accessed_ms: i64,
    /// How often it was given to an agent.
    pub access_count: u64,
    /// Whether it was ever given to an agent.
    pub has_accessed: bool,
    /// Whether it continues an earlier memory of the same topic.
    pub is_continuation: bool,
}

/// Several memories. Free it with recallite_consolidated_memory_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_consolidated_memory_list {
    /// Pointers to the memories.
    pub items: *const *const recallite_consolidated_memory,
    /// How many.
    pub len: usize,
}

/// A transition between two contexts.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_continuity_entry {
    /// The context before.
    pub from_context_id: recallite_str,
    /// The context after.
    pub to_context_id: recallite_str,
    /// How far the one goes on from the other, from 0 to 1.
    pub score: f64,
    /// When it was scored, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The score in a word: one of recallite_transition_type.
    pub transition: i32,
}

/// Several transitions. Free it with recallite_continuity_entry_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_continuity_entry_list {
    /// Pointers to the transitions.
    pub items: *const *const recallite_continuity_entry,
    /// How many.
    pub len: usize,
}

/// How far a text goes on from the context before it. Free it with
/// recallite_continuity_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_continuity {
    /// From 0 to 1; 0.5 when nothing was before.
    pub score: f64,
    /// The score in a word: one of recallite_transition_type.
    pub transition: i32,
    /// Whether it was put in the log: only where something was before.
    pub is_logged: bool,
}

/// How the endless mode stands. Free it with recallite_endless_status_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_endless_status {
    /// The limits in force; never NULL.
    pub config: *const recallite_endless_config,
    /// What lies on the table is about this, the most frequent first.
    pub active_topics: *const recallite_str,
    /// How many topics.
    pub active_topics_len: usize,
    /// The files that the last context named.
    pub active_files: *const recallite_str,
    /// How many files.
    pub active_files_len: usize,
    /// The things that the last context named.
    pub active_entities: *const recallite_str,
    /// How many things.
    pub active_entities_len: usize,
    /// Events on the table.
    pub working_set: usize,
    /// Consolidated memories.
    pub consolidated: u64,
    /// The average continuity of the last hour, or 0.5.
    pub continuity_score: f64,
    /// When the newest event on the table came in, in milliseconds since 1970
    /// UTC; 0 unless has_last_activity.
    pub last_activity_ms: i64,
    /// When something was last consolidated, in milliseconds since 1970 UTC; 0
    /// unless has_last_consolidation.
    pub last_consolidation_ms: i64,
    /// The mode in force: one of recallite_memory_mode.
    pub mode: i32,
    /// Whether an event lies on the table.
    pub has_last_activity: bool,
    /// Whether something was ever consolidated.
    pub has_last_consolidation: bool,
}

/// What an agent is given at its start in the endless mode. Free it with
/// recallite_endless_context_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_endless_context {
    /// Pointers to events on the table, the most relevant first.
    pub working_set: *const *const recallite_event,
    /// How many.
    pub working_set_len: usize,
    /// Pointers to consolidated memories, the surest first.
    pub consolidated: *const *const recallite_consolidated_memory,
    /// How many.
    pub consolidated_len: usize,
    /// The average continuity of the last hour, or 0.5.
    pub continuity_score: f64,
}

/// What recallite_consolidate did. Free it with
/// recallite_consolidation_report_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_consolidation_report {
    /// The ids of the memories that were made.
    pub memories: *const recallite_str,
    /// How many.
    pub memories_len: usize,
    /// Events that wait for more of their topic.
    pub waiting: usize,
    /// Whether consolidation was run at all.
    pub ran: bool,
}

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

/// What lies on the table, the most relevant first, then the newest.
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
        items.set(give_list!(recallite_working_item_list, found, working_item));
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
        memories.set(give_list!(
            recallite_consolidated_memory_list,
            found,
            consolidated_memory
        ));
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
        transitions.set(give_list!(
            recallite_continuity_entry_list,
            found,
            continuity_entry
        ));
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
            continuity.set(owned::give(|_| self::continuity(found)));
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
        status.set(owned::give(|parts| endless_status(parts, found)));
        Ok(())
    })
}

/// What to give an agent at its start: events on the table and consolidated
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
        context.set(owned::give(|parts| endless_context(parts, found)));
        Ok(())
    })
}

/// Makes memories of what lies on the table, whether it is due or not.
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
            let (topics, topics_len) = parts.texts(topics.iter().cloned());
            let (texts, texts_len) = parts.texts(texts.iter().cloned());
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
            report.set(owned::give(|parts| consolidation_report(parts, done)));
        }
        Ok(())
    })
}

/// Frees a list of what lies on the table. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_working_item_list_free(items: *mut recallite_working_item_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(items) });
}

/// Frees a list of consolidated memories and the memories in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_consolidated_memory_list_free(
    memories: *mut recallite_consolidated_memory_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(memories) });
}

/// Frees a list of transitions. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_continuity_entry_list_free(
    transitions: *mut recallite_continuity_entry_list,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(transitions) });
}

/// Frees a score of continuity. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_continuity_free(continuity: *mut recallite_continuity) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(continuity) });
}

/// Frees a status of the endless mode. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_status_free(status: *mut recallite_endless_status) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(status) });
}

/// Frees a context of the endless mode. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_endless_context_free(context: *mut recallite_endless_context) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(context) });
}

/// Frees a report of a consolidation. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_consolidation_report_free(
    report: *mut recallite_consolidation_report,
) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(report) });
}

fn working_item(parts: &mut Parts, item: WorkingItem) -> recallite_working_item {
    let (topics, topics_len) = parts.texts(item.topics);
    recallite_working_item {
        event_id: parts.text(item.event_id),
        topics,
        topics_len,
        added_ms: item.added_at.millis(),
        expires_ms: item.expires_at.millis(),
        relevance: item.relevance,
    }
}

fn consolidated_memory(
    parts: &mut Parts,
    memory: ConsolidatedMemory,
) -> recallite_consolidated_memory {
    let (topics, topics_len) = parts.texts(memory.topics);
    let (source_events, source_events_len) = parts.texts(memory.source_events);
    recallite_consolidated_memory {
        memory_id: parts.text(memory.memory_id),
        summary: parts.text(memory.summary),
        topics,
        topics_len,
        source_events,
        source_events_len,
        confidence: memory.confidence,
        created_ms: memory.created_at.millis(),
        accessed_ms: millis(memory.accessed_at),
        access_count: memory.access_count,
        has_accessed: memory.accessed_at.is_some(),
        is_continuation: memory.is_continuation,
    }
}

fn continuity_entry(parts: &mut Parts, entry: ContinuityEntry) -> recallite_continuity_entry {
    recallite_continuity_entry {
        from_context_id: parts.text(entry.from_context_id),
        to_context_id: parts.text(entry.to_context_id),
        score: entry.score,
        at_ms: entry.at.millis(),
        transition: number(entry.transition),
    }
}

fn continuity(found: Continuity) -> recallite_continuity {
    recallite_continuity {
        score: found.score,
        transition: number(found.transition),
        is_logged: found.is_logged,
    }
}

fn endless_status(parts: &mut Parts, status: EndlessStatus) -> recallite_endless_status {
    let (active_topics, active_topics_len) = parts.texts(status.active_topics);
    let (active_files, active_files_len) = parts.texts(status.active_files);
    let (active_entities, active_entities_len) = parts.texts(status.active_entities);
    recallite_endless_status {
        config: parts.one(endless_config::view(&status.config)),
        active_topics,
        active_topics_len,
        active_files,
        active_files_len,
        active_entities,
        active_entities_len,
        working_set: status.working_set,
        consolidated: status.consolidated,
        continuity_score: status.continuity_score,
        last_activity_ms: millis(status.last_activity),
        last_consolidation_ms: millis(status.last_consolidation),
        mode: number(status.mode),
        has_last_activity: status.last_activity.is_some(),
        has_last_consolidation: status.last_consolidation.is_some(),
    }
}

fn endless_context(parts: &mut Parts, context: EndlessContext) -> recallite_endless_context {
    let (working_set, working_set_len) = parts.list(context.working_set, event::event);
    let (consolidated, consolidated_len) = parts.list(context.consolidated, consolidated_memory);
    recallite_endless_context {
        working_set,
        working_set_len,
        consolidated,
        consolidated_len,
        continuity_score: context.continuity_score,
    }
}

fn consolidation_report(
    parts: &mut Parts,
    report: ConsolidationReport,
) -> recallite_consolidation_report {
    let (memories, memories_len) = parts.texts(report.memories);
    recallite_consolidation_report {
        memories,
        memories_len,
        waiting: report.waiting,
        ran: report.ran,
    }
}
