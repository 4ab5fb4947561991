//! Folds learned entries: one row each, with its stage, proof and status, and the edges that
//! lead to it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::Event;
use crate::model::ids::{EventId, Seq};
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::edges::Way;
use crate::projection::rows::{self, in_project, newest_first};
use crate::projection::{edges, history};
use crate::rules::entries::LearnedEntry;
use crate::rules::entries::{
    Entry, EntryAct, EntryId, EntryStatus, EntryType, Lifecycle, Stage, Validity,
};
use crate::rules::graph::{EdgeEnds, NodeType, Relation};
use crate::rules::history::PromotionRecord;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

/// An entry by its id.
pub(crate) fn entry(rows: &dyn Rows, id: &EntryId) -> Result<Option<LearnedEntry>> {
    rows::get::<EntryRow>(rows, id.as_str().as_bytes())?
        .map(|row| {
            row.into_entry()
                .map_err(|error| rows::broken(RowKind::Entry, error.message()))
        })
        .transpose()
}

/// The only entry whose id begins like this.
pub(crate) fn beginning_with(rows: &dyn Rows, beginning: &str) -> Result<Option<LearnedEntry>> {
    let mut ids = Vec::new();
    rows.scan(RowKind::Entry, beginning.as_bytes(), None, &mut |key, _| {
        ids.push(EntryId::new(String::from_utf8_lossy(key)));
        Ok(ids.len() < 2)
    })?;
    match &ids[..] {
        [id] => entry(rows, id),
        _ => Ok(None),
    }
}

/// Which entries are visited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group<'a> {
    All,
    OfSession(&'a str),
    OfProject(&'a str),
}

impl Group<'_> {
    /// The kind of the rows that list them, and their key prefix.
    fn listed(self) -> (RowKind, Vec<u8>) {
        match self {
            Group::All => (RowKind::EntryByAge, Vec::new()),
            Group::OfSession(name) => (RowKind::EntryOfSession, rows::joined(&[name, ""])),
            Group::OfProject(name) => (RowKind::EntryOfProject, rows::joined(&[name, ""])),
        }
    }
}

/// Visits entries, newest first, until `visit` returns false: what came from other stores where it
/// belongs, so that all stores agree, whenever it arrived.
pub(crate) fn newest(
    read: &ReadTx,
    rows: &dyn Rows,
    group: Group<'_>,
    visit: &mut dyn FnMut(LearnedEntry) -> Result<bool>,
) -> Result<()> {
    if !read.may_be_reordered()? {
        return latest(rows, group, visit);
    }
    let mut ids = BTreeMap::new();
    each_place(rows, group, &mut |seq, id| {
        ids.insert(seq, EntryId::new(id));
        Ok(true)
    })?;
    let ordered = read.in_record_order(ids.keys().copied().collect())?;
    for id in ordered.iter().rev().filter_map(|seq| ids.get(seq)) {
        if let Some(found) = entry(rows, id)?
            && !visit(found)?
        {
            break;
        }
    }
    Ok(())
}

/// Sorts entries as [`newest`] visits them.
pub(crate) fn sort_newest(read: &ReadTx, entries: &mut [LearnedEntry]) -> Result<()> {
    let mut seqs: Vec<u64> = entries.iter().map(|row| row.seq.0).collect();
    seqs.sort_unstable();
    let ordered = read.in_record_order(seqs)?.into_iter().zip(0..);
    let places: BTreeMap<u64, usize> = ordered.collect();
    entries.sort_by_key(|row| Reverse(places.get(&row.seq.0).copied()));
    Ok(())
}

/// Visits entries, the last one in the log first, until `visit` returns false.
pub(crate) fn latest(
    rows: &dyn Rows,
    group: Group<'_>,
    visit: &mut dyn FnMut(LearnedEntry) -> Result<bool>,
) -> Result<()> {
    each_id(
        rows,
        group,
        &mut |id| match entry(rows, &EntryId::new(id))? {
            Some(found) => visit(found),
            None => Ok(true),
        },
    )
}

/// Like [`latest`], for ids alone.
pub(crate) fn each_id(
    rows: &dyn Rows,
    group: Group<'_>,
    visit: &mut dyn FnMut(&str) -> Result<bool>,
) -> Result<()> {
    each_place(rows, group, &mut |_, id| visit(id))
}

/// Like [`each_id`], with the position of the record that created each entry.
fn each_place(
    rows: &dyn Rows,
    group: Group<'_>,
    visit: &mut dyn FnMut(u64, &str) -> Result<bool>,
) -> Result<()> {
    let (row_kind, prefix) = group.listed();
    rows.scan(row_kind, &prefix, None, &mut |key, _| {
        let (seq, id) = key
            .get(prefix.len()..)
            .and_then(<[u8]>::split_first_chunk)
            .ok_or_else(|| rows::broken(row_kind, "its key is too short"))?;
        visit(!u64::from_be_bytes(*seq), &String::from_utf8_lossy(id))
    })
}

/// The parts of its state by which an entry is listed; `None` for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InState<'a> {
    pub(crate) entry_type: Option<EntryType>,
    /// The words of its statuses; none for any.
    pub(crate) statuses: &'a [&'a str],
    pub(crate) min_stage: Option<Stage>,
}

impl InState<'_> {
    /// Whether nothing is asked.
    pub(crate) fn is_any(&self) -> bool {
        *self == InState::default()
    }

    /// The parts of keys that stand for the states.
    fn parts(&self) -> Vec<[u8; 3]> {
        let types = EntryType::ALL.iter();
        let types = types.filter(|one| self.entry_type.is_none_or(|wanted| wanted == **one));
        let statuses = STATUSES.iter();
        let statuses =
            statuses.filter(|one| self.statuses.is_empty() || self.statuses.contains(one));
        let stages = Stage::ALL.iter();
        let stages = stages.filter(|one| self.min_stage.is_none_or(|least| **one >= least));
        types
            .flat_map(|entry_type| statuses.clone().map(move |status| (entry_type, status)))
            .flat_map(|(entry_type, status)| {
                let part = move |stage: &Stage| state_part(*entry_type, status, *stage);
                stages.clone().map(part)
            })
            .collect()
    }
}

/// The words of the statuses, in the order of their numbers in keys.
pub(crate) const STATUSES: [&str; 4] = ["active", "contested", "deprecated", "superseded"];

fn state_part(entry_type: EntryType, status: &str, stage: Stage) -> [u8; 3] {
    let status = STATUSES.iter().position(|known| *known == status);
    let status = status.expect("every status is in the list") as u8;
    [entry_type as u8, status, stage as u8]
}

/// The keys under which an entry is listed by its state.
fn state_keys(row: &LearnedEntry) -> [Vec<u8>; 2] {
    let entry = &row.entry;
    let part = state_part(
        entry.entry_type,
        entry.status.as_str(),
        entry.lifecycle.stage(),
    );
    [None, Some(row.project.as_str())].map(|project| {
        let mut key = in_project(project);
        key.extend_from_slice(&part);
        key.extend_from_slice(&newest_first(row.seq.0));
        key.extend_from_slice(entry.id.as_str().as_bytes());
        key
    })
}

/// The entries in one state, read some at a time.
struct Listed {
    prefix: Vec<u8>,
    /// What follows the prefix in the next keys.
    tails: VecDeque<Vec<u8>>,
    after: Option<Vec<u8>>,
    is_last: bool,
    size: usize,
}

impl Listed {
    fn new(mut prefix: Vec<u8>, part: [u8; 3]) -> Self {
        prefix.extend_from_slice(&part);
        Listed {
            prefix,
            tails: VecDeque::new(),
            after: None,
            is_last: false,
            size: 8,
        }
    }

    /// Reads the next keys if none are left. False at the end.
    fn fill(&mut self, rows: &dyn Rows) -> Result<bool> {
        if self.tails.is_empty() && !self.is_last {
            let (from, size) = (self.prefix.len(), self.size);
            let (tails, mut after) = (&mut self.tails, None);
            let state = RowKind::EntryByState;
            rows.scan(state, &self.prefix, self.after.as_deref(), &mut |key, _| {
                tails.push_back(key[from..].to_vec());
                after = Some(key.to_vec());
                Ok(tails.len() < size)
            })?;
            self.is_last = self.tails.len() < size;
            (self.after, self.size) = (after, (size * 2).min(256));
        }
        Ok(!self.tails.is_empty())
    }
}

/// Visits the entries of a project (`None`: of all) in some states, newest first, until `visit`
/// returns false.
pub(crate) fn in_states(
    rows: &dyn Rows,
    project: Option<&str>,
    states: InState<'_>,
    visit: &mut dyn FnMut(LearnedEntry) -> Result<bool>,
) -> Result<()> {
    let prefix = in_project(project);
    let parts = states.parts().into_iter();
    let mut lists: Vec<Listed> = parts
        .map(|part| Listed::new(prefix.clone(), part))
        .collect();
    loop {
        let mut left = Vec::with_capacity(lists.len());
        for mut list in lists {
            if list.fill(rows)? {
                left.push(list);
            }
        }
        lists = left;
        let newest = lists.iter_mut().min_by(|a, b| a.tails[0].cmp(&b.tails[0]));
        let Some(tail) = newest.and_then(|list| list.tails.pop_front()) else {
            return Ok(());
        };
        let id = String::from_utf8_lossy(tail.get(8..).unwrap_or_default()).into_owned();
        if let Some(found) = entry(rows, &EntryId::new(id))?
            && !visit(found)?
        {
            return Ok(());
        }
    }
}

/// An entry as stored in rows and in the events that create it.
#[derive(Serialize, Deserialize)]
pub(crate) struct EntryRow {
    entry_id: EntryId,
    r#type: EntryType,
    title: String,
    lifecycle: Lifecycle,
    status: StatusWord,
    #[serde(skip_serializing_if = "Option::is_none")]
    contested_with: Option<Vec<EntryId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<EntryId>,
    valid_from: Option<Timestamp>,
    valid_to: Option<Timestamp>,
    content: String,
    canonical_key: String,
    project: String,
    session: String,
    local_id: Option<String>,
    confidence: Option<f64>,
    build_id: Option<String>,
    #[serde(default)]
    created_at: Timestamp,
    #[serde(default)]
    seq: u64,
    /// Unknown until the event is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event_id: Option<String>,
}

/// An entry's status without the ids of other entries.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusWord {
    Active,
    Contested,
    Deprecated,
    Superseded,
}

impl From<&LearnedEntry> for EntryRow {
    fn from(row: &LearnedEntry) -> Self {
        let entry = &row.entry;
        let (status, contested_with, superseded_by) = match &entry.status {
            EntryStatus::Active => (StatusWord::Active, None, None),
            EntryStatus::Contested { with } => (StatusWord::Contested, Some(with.clone()), None),
            EntryStatus::Deprecated => (StatusWord::Deprecated, None, None),
            EntryStatus::Superseded { by } => (StatusWord::Superseded, None, Some(by.clone())),
        };
        EntryRow {
            entry_id: entry.id.clone(),
            r#type: entry.entry_type,
            title: entry.title.clone(),
            lifecycle: entry.lifecycle.clone(),
            status,
            contested_with,
            superseded_by,
            valid_from: entry.validity.from,
            valid_to: entry.validity.to,
            content: row.content.clone(),
            canonical_key: row.canonical_key.clone(),
            project: row.project.clone(),
            session: row.session.clone(),
            local_id: row.local_id.clone(),
            confidence: row.confidence,
            build_id: row.build_id.clone(),
            created_at: row.created_at,
            seq: row.seq.0,
            event_id: (row.seq.0 > 0).then(|| row.event_id.to_string()),
        }
    }
}

impl EntryRow {
    fn into_entry(self) -> Result<LearnedEntry> {
        let status = match (self.status, self.superseded_by) {
            (StatusWord::Active, _) => EntryStatus::Active,
            (StatusWord::Contested, _) => EntryStatus::Contested {
                with: self.contested_with.unwrap_or_default(),
            },
            (StatusWord::Deprecated, _) => EntryStatus::Deprecated,
            (StatusWord::Superseded, Some(by)) => EntryStatus::Superseded { by },
            (StatusWord::Superseded, None) => {
                return Err(Error::invalid("superseded_by", "is missing"));
            }
        };
        Ok(LearnedEntry {
            entry: Entry {
                id: self.entry_id,
                entry_type: self.r#type,
                title: self.title,
                lifecycle: self.lifecycle,
                status,
                validity: Validity {
                    from: self.valid_from,
                    to: self.valid_to,
                },
            },
            content: self.content,
            canonical_key: self.canonical_key,
            project: self.project,
            session: self.session,
            local_id: self.local_id,
            confidence: self.confidence,
            build_id: self.build_id,
            created_at: self.created_at,
            seq: Seq(self.seq),
            event_id: match self.event_id {
                Some(id) => id
                    .parse()
                    .map_err(|e: Error| Error::invalid("event_id", e.problem()))?,
                None => EventId::from_bytes([0; 16]),
            },
        })
    }
}

/// The payload of an event about an entry.
pub(crate) enum EntryPayload {
    Created {
        entry: Box<LearnedEntry>,
        sources: Vec<EntrySource>,
    },
    Changed {
        id: EntryId,
        act: EntryAct,
        promotions: Vec<PromotionRecord>,
    },
}

/// An event that an entry was learned from, and the place in it.
pub(crate) struct EntrySource {
    event_id: String,
    all: Json,
}

/// The fields common to all acts on an entry.
#[derive(Deserialize)]
struct Changed {
    entry_id: EntryId,
    /// For the ledger of promotions.
    #[serde(default)]
    promotions: Vec<PromotionRecord>,
}

impl EntryPayload {
    /// Reads the creation of an entry, or an act on one.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub(super) fn of(name: &str, payload: &Json) -> Result<Self> {
        let value = payload.to_value();
        let below = |error: Error| {
            let element = error.argument().unwrap_or_default();
            Error::invalid(format!("{name}.{element}"), error.problem())
        };
        if value["act"] == "created" {
            let row: EntryRow = codec::from_value(name, &value)?;
            return Ok(EntryPayload::Created {
                entry: Box::new(row.into_entry().map_err(below)?),
                sources: sources_in(name, &value)?,
            });
        }
        let changed: Changed = codec::from_value(name, &value)?;
        for (index, record) in changed.promotions.iter().enumerate() {
            record.check().map_err(|error| {
                let element = error.argument().unwrap_or_default();
                let path = format!("{name}.promotions[{index}].{element}");
                Error::invalid(path, error.problem())
            })?;
        }
        Ok(EntryPayload::Changed {
            id: changed.entry_id,
            act: codec::from_tagged(name, "act", &value)?,
            promotions: changed.promotions,
        })
    }
}

fn sources_in(name: &str, payload: &Value) -> Result<Vec<EntrySource>> {
    #[derive(Deserialize)]
    struct Source {
        #[serde(deserialize_with = "codec::text")]
        event_id: String,
    }

    #[derive(Deserialize)]
    struct Sources {
        #[serde(default)]
        sources: Vec<Source>,
    }

    let read: Sources = codec::from_value(name, payload)?;
    let all = payload["sources"].as_array().into_iter().flatten();
    let sources = read.sources.into_iter().zip(all);
    Ok(sources
        .map(|(source, all)| EntrySource {
            event_id: source.event_id,
            all: Json::from_value(all),
        })
        .collect())
}

/// The payload of an entry's creation.
pub(crate) fn created_payload(row: &LearnedEntry, sources: &[Value]) -> Value {
    let mut value = codec::to_value(&EntryRow::from(row));
    value["act"] = "created".into();
    value["sources"] = sources.into();
    value
}

/// The id of the entry that an event creates; `None` if it does something else.
pub(crate) fn created_id(event: &Event) -> Option<EntryId> {
    match EntryPayload::of("payload", &rows::payload(event)) {
        Ok(EntryPayload::Created { entry, .. }) => Some(entry.entry.id),
        _ => None,
    }
}

/// The payload of an act on an entry.
pub(crate) fn act_payload(id: &EntryId, act: &EntryAct) -> Value {
    let (name, mut payload) = codec::variant(act);
    payload["act"] = name.into();
    payload["entry_id"] = id.as_str().into();
    payload
}

fn put_row(rows: &mut ProjectedMut<'_>, row: &LearnedEntry) -> Result<()> {
    let key = row.entry.id.as_str().as_bytes();
    let old = entry(rows, &row.entry.id)?;
    rows::put(rows, key, &EntryRow::from(row))?;
    let (old, new) = (old.as_ref().map(state_keys), state_keys(row));
    if old.as_ref() == Some(&new) {
        return Ok(());
    }
    for key in old.iter().flatten() {
        rows.remove(RowKind::EntryByState, key)?;
    }
    for key in &new {
        rows.put(RowKind::EntryByState, key, &[])?;
    }
    Ok(())
}

fn edge(source: (NodeType, &str), relation: Relation, entry: &EntryId) -> EdgeEnds {
    EdgeEnds {
        source_type: source.0,
        source_id: source.1.to_owned(),
        relation,
        destination_type: NodeType::Entry,
        destination_id: entry.as_str().to_owned(),
    }
}

/// Folds an event about an entry.
pub(crate) fn fold(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    payload: EntryPayload,
) -> Result<()> {
    let (id, act, promotions) = match payload {
        EntryPayload::Created { entry, sources } => return create(rows, event, *entry, &sources),
        EntryPayload::Changed {
            id,
            act,
            promotions,
        } => (id, act, promotions),
    };
    history::fold_promotions(rows, event, &promotions)?;
    let at = event.timestamp;
    if let EntryAct::Superseded { by, at: until } = act {
        return supersede(rows, (&id, at), &by, until);
    }
    let Some(mut row) = entry(rows, &id)? else {
        return Ok(());
    };
    row.entry = row.entry.after(&act);
    put_row(rows, &row)?;
    match act {
        EntryAct::Contested { with } => {
            // One edge per pair, from the later entry to the earlier one.
            let other = entry(rows, &with)?;
            let (newer, older) = match other {
                // Ids ascend, and all stores agree on them.
                Some(other) if other.event_id < row.event_id => (&id, &with),
                _ => (&with, &id),
            };
            let ends = edge(
                (NodeType::Entry, newer.as_str()),
                Relation::Contradicts,
                older,
            );
            edges::put(rows, &ends, None, at)
        }
        EntryAct::Upheld { against } => {
            for (source, target) in [(&against, &id), (&id, &against)] {
                let ends = edge(
                    (NodeType::Entry, source.as_str()),
                    Relation::Contradicts,
                    target,
                );
                edges::end(rows, &ends, at)?;
            }
            Ok(())
        }
        EntryAct::Promoted(_) | EntryAct::Deprecated { .. } | EntryAct::Superseded { .. } => Ok(()),
    }
}

/// Folds that an entry was replaced at a moment, and holds until another. What is gone replaces
/// nothing; what it had replaced has its own successor instead, once there is one.
fn supersede(
    rows: &mut ProjectedMut<'_>,
    (old, at): (&EntryId, Timestamp),
    by: &EntryId,
    until: Timestamp,
) -> Result<()> {
    if entry(rows, old)?.is_some() {
        let ends = edge((NodeType::Entry, by.as_str()), Relation::Supersedes, old);
        edges::put(rows, &ends, None, at)?;
    }
    let Some(by) = &first_there(rows, by)?.filter(|by| by != old) else {
        return Ok(());
    };
    let act = &EntryAct::Superseded {
        by: by.clone(),
        at: until,
    };
    let mut replaced = vec![old.clone()];
    while let Some(id) = replaced.pop() {
        if let Some(mut row) = entry(rows, &id)? {
            row.entry = row.entry.after(act);
            put_row(rows, &row)?;
        }
        if !is_gone(rows, &id)? {
            continue;
        }
        let relation = Some(Relation::Supersedes);
        for edge in edges::at_node(rows, Way::Out, id.as_str(), relation, None, usize::MAX)? {
            let earlier = entry(rows, &EntryId::new(edge.ends.destination_id))?;
            let is_free = |earlier: &LearnedEntry| {
                earlier.entry.superseded_by().is_none() && earlier.entry.id != *by
            };
            replaced.extend(earlier.filter(is_free).map(|earlier| earlier.entry.id));
        }
    }
    Ok(())
}

/// An entry, or the first of those that replaced it which is not gone.
fn first_there(rows: &ProjectedMut<'_>, id: &EntryId) -> Result<Option<EntryId>> {
    let (mut at, mut seen) = (id.clone(), BTreeSet::new());
    while is_gone(rows, &at)? {
        let successor = entry(rows, &at)?.and_then(|row| row.entry.superseded_by().cloned());
        match successor {
            Some(next) if seen.insert(at.clone()) => at = next,
            _ => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// Whether an entry is not there, or rests on a forgotten event.
fn is_gone(rows: &ProjectedMut<'_>, id: &EntryId) -> Result<bool> {
    match entry(rows, id)? {
        Some(row) => is_forgotten(rows, &row),
        None => Ok(true),
    }
}

/// Whether an event that the entry quotes was forgotten.
fn is_forgotten(rows: &ProjectedMut<'_>, row: &LearnedEntry) -> Result<bool> {
    for id in row.quoted_events() {
        if rows.live_seq(id)?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn create(
    rows: &mut ProjectedMut<'_>,
    event: &Event,
    mut row: LearnedEntry,
    sources: &[EntrySource],
) -> Result<()> {
    row.seq = event.seq;
    row.event_id = event.id;
    row.created_at = event.timestamp;
    let id = &row.entry.id;
    if entry(rows, id)?.is_some() {
        return Ok(());
    }
    put_row(rows, &row)?;
    for group in [
        Group::All,
        Group::OfSession(&row.session),
        Group::OfProject(&row.project),
    ] {
        let (row_kind, mut key) = group.listed();
        key.extend_from_slice(&newest_first(event.seq.0));
        key.extend_from_slice(id.as_str().as_bytes());
        rows.put(row_kind, &key, &[])?;
    }
    let at = event.timestamp;
    let own_id = event.id.to_string();
    edges::put(
        rows,
        &edge((NodeType::Event, &own_id), Relation::Produced, id),
        None,
        at,
    )?;
    for source in sources {
        edges::put(
            rows,
            &edge((NodeType::Event, &source.event_id), Relation::SourceOf, id),
            Some(source.all.clone()),
            at,
        )?;
    }
    Ok(())
}
