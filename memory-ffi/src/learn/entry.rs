//! Learned entries: what is known, how well it is proved, and from when until
//! when it holds.

use recallite::rules::entries::EntryStatus;
use recallite::{EntryFilter, Result};

use crate::input::{self, Input, c_bool};
use crate::text::recallite_str;
use crate::words::{self};

/// Which entries recallite_knowledge_entries and recallite_knowledge_search give. Begin with
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
    /// At most this many. Default: 1,000; 10 for recallite_knowledge_search.
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

impl recallite_entry_filter {
    /// As the core has it; errors call it `name`.
    ///
    /// # Safety
    /// `given` is NULL or points to a struct whose texts are absent or readable.
    pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<EntryFilter> {
        // SAFETY: the caller keeps the same condition.
        unsafe { entry_filter(&input::read_or_default(name, given)?) }
    }
}

/// # Safety
/// The texts of `filter` are absent or readable.
pub(crate) unsafe fn entry_filter(filter: &recallite_entry_filter) -> Result<EntryFilter> {
    // SAFETY: the caller keeps the same condition, for each text below.
    unsafe {
        Ok(EntryFilter {
            project: input::scope("scope", filter.scope, "project", filter.project)?,
            entry_type: words::optional("entry_type", filter.entry_type)?,
            // Raw is the lowest stage, so that it narrows nothing.
            min_stage: words::optional("min_stage", filter.min_stage)?,
            status: words::text::<EntryStatus>("status", filter.status)?.map(str::to_owned),
            session: filter.session.optional("session")?.map(str::to_owned),
            as_of: input::time("as_of", filter.has_as_of, filter.as_of_ms)?,
            text: filter.text.optional("text")?.map(str::to_owned),
            limit: (filter.limit != 0).then_some(filter.limit),
        })
    }
}
