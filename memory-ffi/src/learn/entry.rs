//! Learned entries: what is known, how well it is proved, and from when until
//! when it holds.

use std::ffi::c_char;

use recallite::rules::entries::{EntryId, EntryStatus, EntryType, Lifecycle, Stage};
use recallite::{EntryFilter, Error, LearnedEntry, Result};

use crate::call::{guard_free, out, with_memory};
use crate::error::recallite_error;
use crate::input::{self, Input, c_bool};
use crate::learn::evidence::{evidence, recallite_evidence_report};
use crate::learn::task_lists::existing;
use crate::learn::word::{self, number, words};
use crate::learn::{give_list, millis};
use crate::open::recallite_memory;
use crate::owned::{self, Parts};
use crate::status::recallite_status;
use crate::text::recallite_str;

/// What an entry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_entry_type {
    /// In a filter: any.
    RECALLITE_ENTRY_TYPE_ANY = 0,
    /// Something that is so.
    RECALLITE_ENTRY_TYPE_FACT = 1,
    /// Something that was decided.
    RECALLITE_ENTRY_TYPE_DECISION = 2,
    /// Something that was understood.
    RECALLITE_ENTRY_TYPE_INSIGHT = 3,
    /// Something about a task.
    RECALLITE_ENTRY_TYPE_TASK_NOTE = 4,
    /// Where something is to be found.
    RECALLITE_ENTRY_TYPE_REFERENCE = 5,
    /// What somebody likes or wants.
    RECALLITE_ENTRY_TYPE_PREFERENCE = 6,
    /// What comes up again and again.
    RECALLITE_ENTRY_TYPE_PATTERN = 7,
}

/// How well an entry is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_stage {
    /// As it was extracted.
    RECALLITE_STAGE_RAW = 0,
    /// Well-formed.
    RECALLITE_STAGE_WORKING = 1,
    /// Typed, with its quotes looked up.
    RECALLITE_STAGE_CANDIDATE = 2,
    /// Every quote was found in the source.
    RECALLITE_STAGE_VERIFIED = 3,
    /// Somebody vouched for it.
    RECALLITE_STAGE_CERTIFIED = 4,
}

/// Whether an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_entry_status {
    /// In a filter: any.
    RECALLITE_ENTRY_STATUS_ANY = 0,
    /// It counts.
    RECALLITE_ENTRY_STATUS_ACTIVE = 1,
    /// Another entry says otherwise; it counts less.
    RECALLITE_ENTRY_STATUS_CONTESTED = 2,
    /// It was taken back.
    RECALLITE_ENTRY_STATUS_DEPRECATED = 3,
    /// Another entry took its place.
    RECALLITE_ENTRY_STATUS_SUPERSEDED = 4,
}

words! {
    EntryType => recallite_entry_type {
        Fact = RECALLITE_ENTRY_TYPE_FACT c"fact",
        Decision = RECALLITE_ENTRY_TYPE_DECISION c"decision",
        Insight = RECALLITE_ENTRY_TYPE_INSIGHT c"insight",
        TaskNote = RECALLITE_ENTRY_TYPE_TASK_NOTE c"task_note",
        Reference = RECALLITE_ENTRY_TYPE_REFERENCE c"reference",
        Preference = RECALLITE_ENTRY_TYPE_PREFERENCE c"preference",
        Pattern = RECALLITE_ENTRY_TYPE_PATTERN c"pattern",
    }
    Stage => recallite_stage {
        Raw = RECALLITE_STAGE_RAW c"raw",
        Working = RECALLITE_STAGE_WORKING c"working",
        Candidate = RECALLITE_STAGE_CANDIDATE c"candidate",
        Verified = RECALLITE_STAGE_VERIFIED c"verified",
        Certified = RECALLITE_STAGE_CERTIFIED c"certified",
    }
}

/// The stable name of an entry type, for example "decision";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_entry_type_name(entry_type: i32) -> *const c_char {
    word::name::<EntryType>(entry_type)
}

/// The stable name of a stage, for example "verified";
/// "unknown" for a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_stage_name(stage: i32) -> *const c_char {
    word::name::<Stage>(stage)
}

/// The stable name of an entry status, for example "superseded"; "unknown" for
/// a number without meaning.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_entry_status_name(status: i32) -> *const c_char {
    STATUSES
        .iter()
        .find(|(known, _)| *known as i32 == status)
        .map_or(c"unknown", |(_, name)| name)
        .as_ptr()
}

/// Something that was learned. Free it with recallite_entry_free, unless it
/// came in a list.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_entry {
    /// Its identity.
    pub id: recallite_str,
    /// In one line.
    pub title: recallite_str,
    /// In full.
    pub content: recallite_str,
    /// The canonical key of its title.
    pub canonical_key: recallite_str,
    /// The project it belongs to; empty for none.
    pub project: recallite_str,
    /// The session it was learned from.
    pub session: recallite_str,
    /// Its name within the extraction; absent when it had none.
    pub local_id: recallite_str,
    /// The run that made it; absent when no run did.
    pub build_id: recallite_str,
    /// Who vouched for it; absent unless it is certified.
    pub certified_by: recallite_str,
    /// The entry that took its place; absent unless it is superseded.
    pub superseded_by: recallite_str,
    /// The entries that it disagrees with; none unless it is contested.
    pub contested_with: *const recallite_str,
    /// How many.
    pub contested_with_len: usize,
    /// Where its quotes stand; NULL before they were looked up.
    pub evidence: *const recallite_evidence_report,
    /// The first moment at which it holds, in milliseconds since 1970 UTC; 0
    /// unless has_valid_from.
    pub valid_from_ms: i64,
    /// The moment from which it no longer holds, in milliseconds since 1970
    /// UTC; 0 unless has_valid_to.
    pub valid_to_ms: i64,
    /// When it was learned, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// The position of the event that made it.
    pub seq: u64,
    /// How clearly it was said, from 0 to 1, as the extractor judged; 0 unless
    /// has_confidence.
    pub confidence: f64,
    /// What it tells: one of recallite_entry_type.
    pub entry_type: i32,
    /// How well it is proved: one of recallite_stage.
    pub stage: i32,
    /// Whether it counts: one of recallite_entry_status.
    pub status: i32,
    /// Whether it holds from a moment on, not always before.
    pub has_valid_from: bool,
    /// Whether its end is known.
    pub has_valid_to: bool,
    /// Whether confidence is known.
    pub has_confidence: bool,
}

/// Several entries. Free it with recallite_entry_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_entry_list {
    /// Pointers to the entries.
    pub items: *const *const recallite_entry,
    /// How many.
    pub len: usize,
}

/// Which entries recallite_entries and recallite_search_entries give. Begin with
/// RECALLITE_INIT(recallite_entry_filter); a field that is zero narrows nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_entry_filter {
    /// sizeof(recallite_entry_filter).
    pub struct_size: usize,
    /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.
    pub project: recallite_str,
    /// Learned from this session.
    pub session: recallite_str,
    /// With this text in the title or content, letter case ignored.
    pub text: recallite_str,
    /// Holding at this moment, whatever became of it later, in milliseconds
    /// since 1970 UTC; read when has_as_of is set.
    pub as_of_ms: i64,
    /// At most this many. Default: 1,000; 10 for recallite_search_entries.
    pub limit: usize,
    /// Which projects: one of recallite_scope.
    pub scope: i32,
    /// Of this type: one of recallite_entry_type.
    pub entry_type: i32,
    /// At least of this stage: one of recallite_stage.
    pub min_stage: i32,
    /// In this status: one of recallite_entry_status.
    pub status: i32,
    /// Whether as_of_ms is given.
    pub has_as_of: c_bool,
}

// SAFETY: repr(C), the size comes first, and numbers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_entry_filter {
    const FIRST_SIZE: usize = size_of::<recallite_entry_filter>();
}

/// Learned entries, the one learned last in front.
///
/// @param[in] memory the memory.
/// @param[in] filter which; NULL for the entries of the memory's project.
/// @param[out] entries the entries, to be freed with recallite_entry_list_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for a wrong filter; RECALLITE_CORRUPT or
///     RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entries(
    memory: *mut recallite_memory,
    filter: *const recallite_entry_filter,
    entries: *mut *mut recallite_entry_list,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (filter, entries) = unsafe {
            let filter = input::read_or_default("filter", filter)?;
            (entry_filter(&filter)?, out("entries", entries)?)
        };
        let found = memory.knowledge().entries(&filter)?;
        entries.set(give_list!(recallite_entry_list, found, view));
        Ok(())
    })
}

/// One learned entry.
///
/// @param[in] memory the memory.
/// @param[in] id the entry.
/// @param[out] entry the entry, to be freed with recallite_entry_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when there is no such entry; RECALLITE_CORRUPT
///     or RECALLITE_IO when the store cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entry_get(
    memory: *mut recallite_memory,
    id: recallite_str,
    entry: *mut *mut recallite_entry,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (id, entry) = unsafe { (id.required("id")?, out("entry", entry)?) };
        let found = existing("id", "entry", memory.knowledge().entry(&EntryId::new(id))?)?;
        entry.set(owned::give(|parts| view(parts, found)));
        Ok(())
    })
}

/// Frees an entry that the caller owns. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entry_free(entry: *mut recallite_entry) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(entry) });
}

/// Frees a list of entries and the entries in it. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entry_list_free(entries: *mut recallite_entry_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(entries) });
}

const STATUSES: [(recallite_entry_status, &std::ffi::CStr); 4] = [
    (
        recallite_entry_status::RECALLITE_ENTRY_STATUS_ACTIVE,
        c"active",
    ),
    (
        recallite_entry_status::RECALLITE_ENTRY_STATUS_CONTESTED,
        c"contested",
    ),
    (
        recallite_entry_status::RECALLITE_ENTRY_STATUS_DEPRECATED,
        c"deprecated",
    ),
    (
        recallite_entry_status::RECALLITE_ENTRY_STATUS_SUPERSEDED,
        c"superseded",
    ),
];

fn status(status: &EntryStatus) -> recallite_entry_status {
    match status {
        EntryStatus::Active => recallite_entry_status::RECALLITE_ENTRY_STATUS_ACTIVE,
        EntryStatus::Contested { .. } => recallite_entry_status::RECALLITE_ENTRY_STATUS_CONTESTED,
        EntryStatus::Deprecated => recallite_entry_status::RECALLITE_ENTRY_STATUS_DEPRECATED,
        EntryStatus::Superseded { .. } => recallite_entry_status::RECALLITE_ENTRY_STATUS_SUPERSEDED,
    }
}

fn status_name(argument: &str, number: i32) -> Result<Option<String>> {
    if number == 0 {
        return Ok(None);
    }
    STATUSES
        .iter()
        .find(|(known, _)| *known as i32 == number)
        .map(|(_, name)| Some(name.to_string_lossy().into_owned()))
        .ok_or_else(|| {
            Error::invalid(
                argument,
                format_args!("{number} is no recallite_entry_status"),
            )
        })
}

/// # Safety
/// The texts of `filter` are absent or readable.
pub(crate) unsafe fn entry_filter(filter: &recallite_entry_filter) -> Result<EntryFilter> {
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        Ok(EntryFilter {
            project: input::scope("scope", filter.scope, "project", filter.project)?,
            entry_type: word::optional("entry_type", filter.entry_type)?,
            // Raw is the lowest stage, so that it narrows nothing.
            min_stage: Some(word::word("min_stage", filter.min_stage)?),
            status: status_name("status", filter.status)?,
            session: filter.session.optional("session")?.map(str::to_owned),
            as_of: input::time("as_of", filter.has_as_of, filter.as_of_ms)?,
            text: filter.text.optional("text")?.map(str::to_owned),
            limit: (filter.limit != 0).then_some(filter.limit),
        })
    }
}

pub(crate) fn view(parts: &mut Parts, learned: LearnedEntry) -> recallite_entry {
    let entry = learned.entry;
    let (contested, superseded_by) = match &entry.status {
        EntryStatus::Contested { with } => (with.as_slice(), None),
        EntryStatus::Superseded { by } => (&[][..], Some(by.as_str())),
        EntryStatus::Active | EntryStatus::Deprecated => (&[][..], None),
    };
    let (contested_with, contested_with_len) =
        parts.texts(contested.iter().map(|id| id.as_str().to_owned()));
    let certified_by = match &entry.lifecycle {
        Lifecycle::Certified { certified_by, .. } => Some(certified_by.as_str()),
        _ => None,
    };
    recallite_entry {
        id: parts.text(entry.id.as_str()),
        title: parts.text(entry.title),
        content: parts.text(learned.content),
        canonical_key: parts.text(learned.canonical_key),
        project: parts.text(learned.project),
        session: parts.text(learned.session),
        local_id: parts.optional(learned.local_id),
        build_id: parts.optional(learned.build_id),
        certified_by: parts.optional(certified_by),
        superseded_by: parts.optional(superseded_by),
        contested_with,
        contested_with_len,
        evidence: match entry.lifecycle.evidence() {
            Some(report) => evidence(parts, report),
            None => std::ptr::null(),
        },
        valid_from_ms: millis(entry.validity.from),
        valid_to_ms: millis(entry.validity.to),
        created_ms: learned.created_at.millis(),
        seq: learned.seq.0,
        confidence: learned.confidence.unwrap_or(0.0),
        entry_type: number(entry.entry_type),
        stage: number(entry.lifecycle.stage()),
        status: status(&entry.status) as i32,
        has_valid_from: entry.validity.from.is_some(),
        has_valid_to: entry.validity.to.is_some(),
        has_confidence: learned.confidence.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_the_names_of_the_core() {
        let id = || EntryId::new("e1");
        for known in [
            EntryStatus::Active,
            EntryStatus::Contested { with: vec![id()] },
            EntryStatus::Deprecated,
            EntryStatus::Superseded { by: id() },
        ] {
            let name = status_name("status", status(&known) as i32).unwrap();
            assert_eq!(name.as_deref(), Some(known.as_str()));
        }
        assert!(status_name("status", 5).is_err());
    }
}
