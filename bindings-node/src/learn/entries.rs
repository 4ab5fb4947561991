//! Learned entries: reading them, and what may be said about them.

use napi_derive::napi;
use recallite::rules::entries::{EntryId, EntryStatus, Lifecycle};
use recallite::{EntryFilter, LearnedEntry, Memory, Result};

use super::history::{NativeConflict, conflict};
use super::ingest::{Messages, NativeEvidenceReport};
use super::{each, words};
use crate::input::{self, Time};
use crate::memory::NativeMemory;
use crate::methods::methods;
use crate::output::{ms, number};

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

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEntry {
    pub id: String,
    pub entry_type: String,
    pub title: String,
    pub content: String,
    pub stage: String,
    pub evidence: Option<NativeEvidenceReport>,
    pub certified_by: Option<String>,
    pub status: String,
    pub contested_with: Vec<String>,
    pub superseded_by: Option<String>,
    pub valid_from: Option<f64>,
    pub valid_to: Option<f64>,
    pub canonical_key: String,
    pub project: String,
    pub session: String,
    pub local_id: Option<String>,
    pub confidence: Option<f64>,
    pub build_id: Option<String>,
    pub created_at: f64,
    pub seq: f64,
}

/// An entry that a search found.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEntryHit {
    pub entry: NativeEntry,
    pub score: f64,
    pub resolved_from: Option<String>,
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

fn native_entry(messages: &mut Messages<'_>, learned: LearnedEntry) -> Result<NativeEntry> {
    let entry = learned.entry;
    let id = |id: &EntryId| id.as_str().to_owned();
    let (contested_with, superseded_by) = match &entry.status {
        EntryStatus::Contested { with } => (with.iter().map(id).collect(), None),
        EntryStatus::Superseded { by } => (Vec::new(), Some(id(by))),
        EntryStatus::Active | EntryStatus::Deprecated => (Vec::new(), None),
    };
    let certified_by = match &entry.lifecycle {
        Lifecycle::Certified { certified_by, .. } => Some(certified_by.clone()),
        _ => None,
    };
    Ok(NativeEntry {
        id: id(&entry.id),
        entry_type: entry.entry_type.as_str().to_owned(),
        title: entry.title,
        content: learned.content,
        stage: entry.lifecycle.stage().as_str().to_owned(),
        evidence: entry
            .lifecycle
            .evidence()
            .map(|report| messages.evidence(report))
            .transpose()?,
        certified_by,
        status: entry.status.as_str().to_owned(),
        contested_with,
        superseded_by,
        valid_from: entry.validity.from.map(ms),
        valid_to: entry.validity.to.map(ms),
        canonical_key: learned.canonical_key,
        project: learned.project,
        session: learned.session,
        local_id: learned.local_id,
        confidence: learned.confidence,
        build_id: learned.build_id,
        created_at: ms(learned.created_at),
        seq: number(learned.seq.0)?,
    })
}

fn entries(memory: &Memory, filter: NativeEntryFilter) -> Result<Vec<NativeEntry>> {
    let found = memory.knowledge().entries(&filter.filter()?)?;
    let mut messages = Messages::new(memory);
    each(found, |entry| native_entry(&mut messages, entry))
}

fn search_entries(
    memory: &Memory,
    query: String,
    filter: NativeEntryFilter,
) -> Result<Vec<NativeEntryHit>> {
    let found = memory.knowledge().search(&query, &filter.filter()?)?;
    let mut messages = Messages::new(memory);
    each(found, |hit| {
        Ok(NativeEntryHit {
            entry: native_entry(&mut messages, hit.learned)?,
            score: hit.score,
            resolved_from: hit.resolved_from.map(|id| id.as_str().to_owned()),
        })
    })
}

fn entry(memory: &Memory, id: String) -> Result<Option<NativeEntry>> {
    let found = memory.knowledge().entry(&EntryId::new(id))?;
    found
        .map(|entry| native_entry(&mut Messages::new(memory), entry))
        .transpose()
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
    Ok(conflict(memory.knowledge().contradict(
        &older,
        &newer,
        reason.as_deref(),
    )?))
}

fn resolve_conflict(
    memory: &Memory,
    conflict_id: String,
    verdict: NativeConflictVerdict,
) -> Result<NativeConflict> {
    Ok(conflict(memory.knowledge().resolve_conflict(
        &conflict_id,
        &EntryId::new(verdict.in_favour_of),
        &verdict.resolution,
        &verdict.resolved_by,
    )?))
}

fn certify(memory: &Memory, id: String, certified_by: String) -> Result<()> {
    memory.knowledge().certify(&EntryId::new(id), &certified_by)
}

fn deprecate(memory: &Memory, id: String) -> Result<()> {
    memory.knowledge().deprecate(&EntryId::new(id))
}

methods! {
    entries / entries_sync(filter: [NativeEntryFilter])
        -> [Vec<NativeEntry>] as "Promise<Array<NativeEntry> | Failure>" = entries;
    search_entries / search_entries_sync(query: [String], filter: [NativeEntryFilter])
        -> [Vec<NativeEntryHit>] as "Promise<Array<NativeEntryHit> | Failure>" = search_entries;
    entry / entry_sync(id: [String])
        -> [Option<NativeEntry>] as "Promise<NativeEntry | null | Failure>" = entry;
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
