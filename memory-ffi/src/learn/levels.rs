//! How memories rise by being used, how they sink, and what repeated use gives
//! away.

use std::ffi::c_char;

use recallite::rules::graduation::{Insight, InsightKind, Level};
use recallite::{EventLevel, Graduated, LevelChange, LevelCounts};

use crate::call::{guard_free, optional_out, out, with_memory};
use crate::error::recallite_error;
use crate::input;
use crate::learn::give_list;
use crate::learn::word::{self, number, words};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// How far a memory has risen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_level {
    /// A raw event.
    RECALLITE_LEVEL_L0 = 0,
    /// Structured: extracted, with aligned evidence.
    RECALLITE_LEVEL_L1 = 1,
    /// A candidate: typed and validated.
    RECALLITE_LEVEL_L2 = 2,
    /// Verified: checked, without contradiction.
    RECALLITE_LEVEL_L3 = 3,
    /// Active: first choice for an agent's context.
    RECALLITE_LEVEL_L4 = 4,
}

/// What an insight tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_insight_kind {
    /// Something that comes up again and again.
    RECALLITE_INSIGHT_PATTERN = 1,
    /// Something that the user likes or wants.
    RECALLITE_INSIGHT_PREFERENCE = 2,
}

words! {
    Level => recallite_level {
        L0 = RECALLITE_LEVEL_L0 c"L0",
        L1 = RECALLITE_LEVEL_L1 c"L1",
        L2 = RECALLITE_LEVEL_L2 c"L2",
        L3 = RECALLITE_LEVEL_L3 c"L3",
        L4 = RECALLITE_LEVEL_L4 c"L4",
    }
    InsightKind => recallite_insight_kind {
        Pattern = RECALLITE_INSIGHT_PATTERN c"pattern",
        Preference = RECALLITE_INSIGHT_PREFERENCE c"preference",
    }
}

/// The stable name of a level, for example "L2";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_level_name(level: i32) -> *const c_char {
    word::name::<Level>(level)
}

/// The stable name of an insight kind, for example "preference";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_insight_kind_name(kind: i32) -> *const c_char {
    word::name::<InsightKind>(kind)
}

/// How an event stands in the levels of memory. Free it with
/// recallite_event_level_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_event_level {
    /// How far it rose: one of recallite_level.
    pub level: i32,
    /// Whether it was ever used; the fields below are 0 otherwise.
    pub has_usage: bool,
    /// How often it was accessed.
    pub access_count: u64,
    /// From how many distinct other sessions.
    pub cross_session_refs: u64,
    /// The highest confidence seen, from 0 to 1.
    pub confidence: f64,
    /// Days since the last access.
    pub days_since_last_access: f64,
}

/// How many conversation events lie at each level. Free it with
/// recallite_level_counts_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_level_counts {
    /// At L0, L1, L2, L3 and L4: the index is the recallite_level.
    pub events: [u64; 5],
}

/// An event that moved to another level.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_level_change {
    /// The event's id, 36 characters.
    pub event: recallite_str,
    /// Its new level: one of recallite_level.
    pub level: i32,
}

/// Something that events, taken together, give away.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_insight {
    /// The same insight has the same key.
    pub key: recallite_str,
    /// In words.
    pub content: recallite_str,
    /// The ids of the events that it comes from.
    pub sources: *const recallite_str,
    /// How many.
    pub sources_len: usize,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// What it tells: one of recallite_insight_kind.
    pub kind: i32,
}

/// Several insights. Free it with recallite_insight_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_insight_list {
    /// Pointers to the insights.
    pub items: *const *const recallite_insight,
    /// How many.
    pub len: usize,
}

/// What recallite_graduate did. Free it with recallite_graduated_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_graduated {
    /// Events that were judged.
    pub judged: usize,
    /// Pointers to the events that rose.
    pub promoted: *const *const recallite_level_change,
    /// How many.
    pub promoted_len: usize,
    /// Pointers to the events that sank.
    pub demoted: *const *const recallite_level_change,
    /// How many.
    pub demoted_len: usize,
    /// Pointers to the insights that are new or better founded than before.
    pub insights: *const *const recallite_insight,
    /// How many.
    pub insights_len: usize,
    /// Events that still wait to be judged.
    pub waiting: u64,
}

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
        level.set(owned::give(|_| event_level(&found)));
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
        let LevelCounts { events, .. } = memory.levels().counts()?;
        counts.set(owned::give(|_| recallite_level_counts { events }));
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
            graduated.set(owned::give(|parts| view(parts, done)));
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
        insights.set(give_list!(recallite_insight_list, found, insight));
        Ok(())
    })
}

/// Frees the level of an event. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_event_level_free(level: *mut recallite_event_level) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(level) });
}

/// Frees counts of levels. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_level_counts_free(counts: *mut recallite_level_counts) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(counts) });
}

/// Frees what a graduation did. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_graduated_free(graduated: *mut recallite_graduated) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(graduated) });
}

/// Frees a list of insights and the insights in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_insight_list_free(insights: *mut recallite_insight_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(insights) });
}

fn event_level(level: &EventLevel) -> recallite_event_level {
    let usage = level.usage.as_ref();
    recallite_event_level {
        level: number(level.level),
        has_usage: usage.is_some(),
        access_count: usage.map_or(0, |usage| usage.access_count),
        cross_session_refs: usage.map_or(0, |usage| usage.cross_session_refs),
        confidence: usage.map_or(0.0, |usage| usage.confidence),
        days_since_last_access: usage.map_or(0.0, |usage| usage.days_since_last_access),
    }
}

fn level_change(parts: &mut Parts, change: LevelChange) -> recallite_level_change {
    recallite_level_change {
        event: parts.text(change.event_id.to_string()),
        level: number(change.level),
    }
}

fn insight(parts: &mut Parts, insight: Insight) -> recallite_insight {
    let (sources, sources_len) = parts.texts(insight.sources);
    recallite_insight {
        key: parts.text(insight.key),
        content: parts.text(insight.content),
        sources,
        sources_len,
        confidence: insight.confidence,
        kind: number(insight.kind),
    }
}

fn view(parts: &mut Parts, done: Graduated) -> recallite_graduated {
    let (promoted, promoted_len) = parts.list(done.promoted, level_change);
    let (demoted, demoted_len) = parts.list(done.demoted, level_change);
    let (insights, insights_len) = parts.list(done.insights, insight);
    recallite_graduated {
        judged: done.judged,
        promoted,
        promoted_len,
        demoted,
        demoted_len,
        insights,
        insights_len,
        waiting: done.waiting,
    }
}
