//! Learned entries: reading them, and what may be said about them.

use napi_derive::napi;
use recallite::rules::entries::EntryId;
use recallite::{EntryFilter, Memory, NewEntry, Result};

use super::words;
use crate::convert::{give, take};
use crate::generated::{
    NativeConflict, NativeEntryHit, NativeExtractionRequest, NativeLearnedEntry, NativeNewEntry,
};
use crate::input::{self, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;

/// Which entries are wanted.
#[napi(object, object_to_js = false)]
pub struct NativeEntryFilter {
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub entry_type: Option<String>,
    pub min_stage: Option<String>,
    pub status: Option<String>,
    pub session: Option<String>,
    pub as_of: Option<Time>,
    pub text: Option<String>,
    pub limit: Option<f64>,
}

/// How a conflict ends.
#[napi(object, object_to_js = false)]
pub struct NativeConflictVerdict {
    pub in_favour_of: String,
    pub resolution: String,
    pub resolved_by: String,
}

impl NativeEntryFilter {
    fn filter(self) -> Result<EntryFilter> {
        Ok(EntryFilter {
            project: input::scope(self.project, self.all_projects)?,
            entry_type: words("entry_type", self.entry_type)?,
            min_stage: words("min_stage", self.min_stage)?,
            status: self.status,
            session: self.session,
            as_of: input::optional("as_of", self.as_of, input::time)?,
            text: self.text,
            limit: input::optional("limit", self.limit, input::size)?,
        })
    }
}

fn entries(memory: &Memory, filter: NativeEntryFilter) -> Result<Vec<NativeLearnedEntry>> {
    give(memory, memory.knowledge().entries(&filter.filter()?)?)
}

fn search_entries(
    memory: &Memory,
    query: String,
    filter: NativeEntryFilter,
) -> Result<Vec<NativeEntryHit>> {
    give(
        memory,
        memory.knowledge().search(&query, &filter.filter()?)?,
    )
}

fn entry(memory: &Memory, id: String) -> Result<Option<NativeLearnedEntry>> {
    give(memory, memory.knowledge().entry(&EntryId::new(id))?)
}

fn add_entry(memory: &Memory, entry: NativeNewEntry) -> Result<NativeLearnedEntry> {
    let entry: NewEntry = take("", entry)?;
    give(memory, memory.knowledge().add_entry(&entry)?)
}

fn extraction_request(
    memory: &Memory,
    session: String,
    budget_tokens: Option<f64>,
) -> Result<NativeExtractionRequest> {
    let budget = input::optional("budget_tokens", budget_tokens, input::size)?;
    give(
        memory,
        memory.knowledge().extraction_request(&session, budget)?,
    )
}

fn supersede(memory: &Memory, older: String, newer: String) -> Result<()> {
    memory
        .knowledge()
        .supersede(&EntryId::new(older), &EntryId::new(newer))
}

fn contradict(
    memory: &Memory,
    older: String,
    newer: String,
    reason: Option<String>,
) -> Result<NativeConflict> {
    let (older, newer) = (EntryId::new(older), EntryId::new(newer));
    let conflict = memory
        .knowledge()
        .contradict(&older, &newer, reason.as_deref())?;
    give(memory, conflict)
}

fn resolve_conflict(
    memory: &Memory,
    conflict_id: String,
    verdict: NativeConflictVerdict,
) -> Result<NativeConflict> {
    let conflict = memory.knowledge().resolve_conflict(
        &conflict_id,
        &EntryId::new(verdict.in_favour_of),
        &verdict.resolution,
        &verdict.resolved_by,
    )?;
    give(memory, conflict)
}

fn certify(memory: &Memory, id: String, certified_by: String) -> Result<()> {
    memory.knowledge().certify(&EntryId::new(id), &certified_by)
}

fn deprecate(memory: &Memory, id: String) -> Result<()> {
    memory.knowledge().deprecate(&EntryId::new(id))
}

methods! {
    entries / entries_sync(filter: [NativeEntryFilter])
        -> [Vec<NativeLearnedEntry>] as "Promise<Array<NativeLearnedEntry> | Failure>" = entries;
    search_entries / search_entries_sync(query: [String], filter: [NativeEntryFilter])
        -> [Vec<NativeEntryHit>] as "Promise<Array<NativeEntryHit> | Failure>" = search_entries;
    entry / entry_sync(id: [String])
        -> [Option<NativeLearnedEntry>] as "Promise<NativeLearnedEntry | null | Failure>" = entry;
    add_entry / add_entry_sync(entry: [NativeNewEntry])
        -> [NativeLearnedEntry] as "Promise<NativeLearnedEntry | Failure>" = add_entry;
    extraction_request / extraction_request_sync(session: [String], budget_tokens: [Option<f64>])
        -> [NativeExtractionRequest] as "Promise<NativeExtractionRequest | Failure>"
        = extraction_request;
    supersede / supersede_sync(older: [String], newer: [String])
        -> [()] as "Promise<undefined | Failure>" = supersede;
    contradict / contradict_sync(older: [String], newer: [String], reason: [Option<String>])
        -> [NativeConflict] as "Promise<NativeConflict | Failure>" = contradict;
    resolve_conflict / resolve_conflict_sync(
        conflict_id: [String], verdict: [NativeConflictVerdict])
        -> [NativeConflict] as "Promise<NativeConflict | Failure>" = resolve_conflict;
    certify / certify_sync(id: [String], certified_by: [String])
        -> [()] as "Promise<undefined | Failure>" = certify;
    deprecate / deprecate_sync(id: [String])
        -> [()] as "Promise<undefined | Failure>" = deprecate;
}
