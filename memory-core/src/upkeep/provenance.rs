//! Finds what the library recorded because of some events, and which of those records must
//! be erased with them.
//!
//! A record goes if it names an erased event, or something that exists only because of one:
//! an entry without a quote from a remaining message, a task, a condition, a consolidated
//! memory. Whatever those records made goes as well, transitively.
//! [`erasure_targets`](crate::upkeep::erasure_targets) says what goes for each kind of record.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use serde_json::Value;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::json::canonical_text;
use crate::rules::endless::snapshot;
use crate::store::ReadTx;
use crate::store::generations::erasing::Erasure;
use crate::store::log::record::{Record, RecordView, Remainder};
use crate::store::shared::record_order::RecordOrder;
use crate::upkeep::erasure_targets::{RemovedPart, SESSION_TEXTS, part_of};
use crate::write::injections::UNKNOWN_SESSION;

/// The fields that contain the name of a session.
const SESSION_FIELDS: [&str; 3] = ["session", "home_session", "session_id"];

/// What to erase: the selected events, and what goes with them.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    pub(crate) erasure: Erasure,
    /// Library records that are erased with the events.
    pub(crate) dependents: u64,
    gone: Gone,
}

impl Traces {
    /// Takes in the records that were appended after the search: what is about the erased events
    /// is erased too. False if one of them made something that other records may name: the search
    /// must then be repeated. That cannot go on, because nothing is learned from forgotten events.
    pub(crate) fn take_in(&mut self, read: &ReadTx, seqs: RangeInclusive<u64>) -> Result<bool> {
        let mut arrived = Vec::new();
        for seq in seqs {
            let is_library = read.with_record(seq, |view| self.gone.meet(view))?;
            // A record that is missing fails the copying.
            if is_library == Some(true) {
                arrived.push(seq);
            }
        }
        let before = self.gone.made();
        self.gone.spread_to(read, &arrived)?;
        if before != self.gone.made() {
            return Ok(false);
        }
        for seq in arrived {
            if self.gone.records.contains(&seq) {
                self.erasure.erased.push(seq);
                self.dependents += 1;
            } else if let Some(rest) = self.gone.rest_of(read, seq)? {
                self.erasure.reduced.insert(seq, rest);
            }
        }
        Ok(true)
    }

    /// The ids of the entries, tasks and so on that are erased.
    pub(crate) fn made(&self) -> impl Iterator<Item = &str> {
        let cited = &self.gone.cited;
        let ids = self.gone.ids.iter().map(String::as_str);
        ids.filter(move |id| !cited.contains(*id) && !cited.contains(&format!("mem:{id}")))
    }
}

/// Finds what goes with the events at `targets`, which are sorted, and with what was erased earlier
/// and had one of the `erased_ids`.
pub(crate) fn traces(
    read: &ReadTx,
    targets: &[u64],
    erased_ids: &BTreeSet<String>,
) -> Result<Traces> {
    let mut found = Gone::of(read, targets)?;
    for id in erased_ids {
        if id.parse::<EventId>().is_ok() {
            found.cited.insert(id.clone());
        }
        if !found.is_made_by_others(id) {
            found.ids.insert(id.clone());
        }
    }
    found.spread(read)?;
    found.spare_shared(read)?;
    found.keep_projects(read)?;
    let reduced = found.reduce(read)?;
    let erased: BTreeSet<u64> = targets.iter().chain(&found.records).copied().collect();
    Ok(Traces {
        dependents: found.records.len() as u64,
        erasure: Erasure {
            erased: erased.into_iter().collect(),
            reduced,
            without_vectors: false,
        },
        gone: found,
    })
}

/// A session that loses events.
#[derive(Clone, Debug, Default)]
struct Touched {
    /// The position of the first erased event.
    first: RecordOrder,
    /// Whether some of its messages are erased.
    loses_messages: bool,
    /// Whether some of the records of its own changes are erased.
    loses_changes: bool,
    /// Whether some of the records of what it was given are erased.
    loses_contexts: bool,
    /// Whether anything of the conversation is left, or, if no message is erased, of the session's
    /// own changes, or, if none of these is erased either, of what it was given.
    is_alive: bool,
    /// Its prompts and responses in order, each with whether it is erased.
    turns: Vec<(String, bool)>,
}

/// The state of the search: what is gone so far.
#[derive(Debug, Default)]
struct Gone {
    /// The selected events, sorted.
    targets: Vec<u64>,
    /// Ids of events, entries, tasks and memories, citations, and sources of acts.
    ids: HashSet<String>,
    /// The same ids and citations as they occur inside other texts.
    cited: HashSet<String>,
    /// The tasks of records that go, with the call that made the record. What else was done in
    /// the call goes only with the task: one that was created as waiting for an erased one stays.
    calls: Vec<(String, String)>,
    sessions: HashMap<String, Touched>,
    /// The projects that lose something, each with whether anything said in it is left, or a task or
    /// an entry.
    projects: HashMap<String, bool>,
    /// Names of files and other things in the erased texts.
    named: HashSet<String>,
    /// Summaries of erased sessions: a memory may have been made of one.
    summaries: HashSet<String>,
    /// Library records in log order.
    library: Vec<u64>,
    /// The records that go.
    records: BTreeSet<u64>,
    /// Where entries of the affected sessions were made.
    entries: HashMap<String, u64>,
    /// Conditions and artifacts whose declaration goes, by id. Others may have named them
    /// in the same words.
    declared: BTreeMap<String, u64>,
    /// Declarations that stay, but lose their source.
    spared: BTreeSet<u64>,
    /// The message number of each remaining turn in an affected session.
    numbers: HashMap<String, u64>,
    /// For a log with records of other stores: the order that all stores agree on.
    places: Option<Places>,
}

/// The order of all stores, and what is decided by it.
#[derive(Debug, Default)]
struct Places {
    /// The places in the record order of what is erased, of library records, and of the turns of affected
    /// sessions.
    orders: HashMap<u64, RecordOrder>,
    /// By id of an entry, task and so on: the records that claim to have made it. Otherwise
    /// a store could claim what another one made, and have it erased with its own.
    makers: HashMap<String, Vec<u64>>,
}

/// The id of what a record makes, and the field that contains it.
pub(crate) fn made_by(kind: EventKind, payload: &Value) -> Option<&str> {
    let field = match kind {
        EventKind::EntryChanged if payload["act"] == "created" => "entry_id",
        EventKind::TaskCreated => "task_id",
        EventKind::ConditionDeclared => "condition_id",
        EventKind::ArtifactDeclared => "artifact_id",
        EventKind::Consolidated => "memory_id",
        EventKind::ConflictChanged if payload["resolved"].is_null() => "conflict_id",
        _ => return None,
    };
    payload[field].as_str()
}

impl Gone {
    /// Collects the events themselves, their sessions, and what else is in the log.
    fn of(read: &ReadTx, targets: &[u64]) -> Result<Gone> {
        let mut gone = Gone {
            places: places(read, targets)?,
            targets: targets.to_vec(),
            ..Gone::default()
        };
        for &seq in targets {
            read.with_record(seq, |view| gone.take(seq, view))?;
        }
        for session in gone.sessions.values_mut() {
            // Erasing what was derived from a session leaves the session.
            session.is_alive =
                !(session.loses_messages || session.loses_changes || session.loses_contexts);
        }
        let mut turns: HashMap<String, Vec<(RecordOrder, String, bool)>> = HashMap::new();
        read.each_record(|seq, view, _| {
            let is_target = targets.binary_search(&seq).is_ok();
            if view.is_erased() {
                return Ok(());
            }
            if !view.kind().is_conversation() {
                if !is_target {
                    gone.library.push(seq);
                    gone.keep_changed(view)?;
                }
                return Ok(());
            }
            let record = view.archive()?;
            if !is_target {
                gone.keep_project(record.project.as_str());
            }
            let session = record.session.as_str();
            let Some(touched) = gone.sessions.get_mut(session) else {
                return Ok(());
            };
            touched.is_alive |= !is_target;
            if view.kind().is_turn() {
                let id = EventId::from_bytes(record.id).to_string();
                let turn = (gone.place(seq), id, is_target);
                turns.entry(session.to_owned()).or_default().push(turn);
            }
            Ok(())
        })?;
        for (session, mut turns) in turns {
            turns.sort();
            let turns = turns.into_iter().map(|(_, id, is_gone)| (id, is_gone));
            gone.sessions.entry(session).or_default().turns = turns.collect();
        }
        for session in gone.sessions.values().filter(|session| session.is_alive) {
            let staying = session.turns.iter().filter(|(_, is_gone)| !is_gone);
            gone.numbers
                .extend((0..).zip(staying).map(|(n, (id, _))| (id.clone(), n)));
        }
        Ok(gone)
    }

    /// How many things are known to be gone that records of other transactions may name. The acts
    /// of one call, which name the call, are of one transaction.
    fn made(&self) -> usize {
        let ids = self.ids.iter().filter(|id| !id.starts_with("call@"));
        ids.count() + self.declared.len()
    }

    /// Registers a record that arrived after the search. Whether the library recorded it.
    fn meet(&mut self, view: &RecordView<'_>) -> Result<bool> {
        if view.is_erased() {
            return Ok(false);
        }
        if !view.kind().is_conversation() {
            self.keep_made(view)?;
            self.keep_changed(view)?;
            return Ok(true);
        }
        let record = view.archive()?;
        self.keep_project(record.project.as_str());
        if let Some(session) = self.sessions.get_mut(record.session.as_str()) {
            session.is_alive = true;
        }
        Ok(false)
    }

    /// Registers that a library record is not selected: a session that loses no message lives as
    /// long as something says what it is, and one that loses only contexts while it has others.
    fn keep_changed(&mut self, view: &RecordView<'_>) -> Result<()> {
        let kind = view.kind();
        if !matches!(kind, EventKind::SessionChanged | EventKind::Injected) {
            return Ok(());
        }
        let record = view.archive()?;
        if let Some(session) = self.sessions.get_mut(record.session.as_str()) {
            let is_more_than_a_context =
                session.loses_messages || kind == EventKind::Injected && session.loses_changes;
            session.is_alive |= !is_more_than_a_context;
        }
        Ok(())
    }

    /// Registers that something said or made in a project stays: the project lives on.
    fn keep_project(&mut self, project: &str) {
        if let Some(is_alive) = self.projects.get_mut(project) {
            *is_alive = true;
        }
    }

    /// Registers that a library record stays: a task or an entry keeps its project.
    fn keep_made(&mut self, view: &RecordView<'_>) -> Result<()> {
        let is_made = matches!(
            view.kind(),
            EventKind::TaskCreated | EventKind::EntryChanged
        );
        if is_made && !self.projects.is_empty() {
            self.keep_project(view.archive()?.project.as_str());
        }
        Ok(())
    }

    /// The projects that live on in what was made in them, once it is known what of it goes.
    fn keep_projects(&mut self, read: &ReadTx) -> Result<()> {
        if self.projects.values().all(|is_alive| *is_alive) {
            return Ok(());
        }
        let library = std::mem::take(&mut self.library);
        for &seq in &library {
            read.tick()?;
            if !self.records.contains(&seq) {
                read.with_record(seq, |view| self.keep_made(view))?;
            }
        }
        self.library = library;
        Ok(())
    }

    /// Registers a selected event.
    fn take(&mut self, seq: u64, view: &RecordView<'_>) -> Result<()> {
        let record = view.archive()?;
        let id = EventId::from_bytes(record.id).to_string();
        let citation = record.citation.as_str();
        self.cited.extend([id.clone(), format!("mem:{citation}")]);
        self.ids.extend([id, citation.to_owned()]);
        let kind = view.kind();
        let is_of_session = kind.is_conversation()
            || matches!(kind, EventKind::SessionChanged | EventKind::Injected);
        if is_of_session && !record.session.is_empty() {
            let place = self.place(seq);
            let touched = self
                .sessions
                .entry(record.session.as_str().to_owned())
                .or_insert_with(|| Touched {
                    first: place,
                    ..Touched::default()
                });
            touched.first = touched.first.min(place);
            touched.loses_messages |= kind.is_conversation();
            touched.loses_changes |= kind == EventKind::SessionChanged;
            touched.loses_contexts |= kind == EventKind::Injected;
        }
        if !record.project.is_empty() {
            let name = record.project.as_str().to_owned();
            self.projects.entry(name).or_default();
        }
        for text in texts(&record) {
            self.named.extend(snapshot::named_in(text));
        }
        if !kind.is_conversation() {
            self.note(kind, &record, &payload(&record), seq);
        }
        Ok(())
    }

    /// A record's place in the deciding order: the log's, or the order of all stores if
    /// other stores recorded too. Later records come last.
    fn place(&self, seq: u64) -> RecordOrder {
        let last = RecordOrder {
            stamp_ms: i64::MAX,
            position: seq,
            ..RecordOrder::default()
        };
        match &self.places {
            Some(places) => places.orders.get(&seq).copied().unwrap_or(last),
            None => RecordOrder {
                position: seq,
                ..RecordOrder::default()
            },
        }
    }

    /// Whether a remaining record made this as well, so that it is not gone.
    fn is_made_by_others(&self, id: &str) -> bool {
        let makers = self
            .places
            .as_ref()
            .and_then(|places| places.makers.get(id));
        let goes =
            |seq: &u64| self.records.contains(seq) || self.targets.binary_search(seq).is_ok();
        makers.is_some_and(|makers| !makers.iter().all(goes))
    }

    /// Registers the calls in which something was done to a task that is gone: a condition was
    /// declared for the task that it blocks.
    fn note_calls(&mut self) {
        let ids = &mut self.ids;
        self.calls.retain(|(task, call)| {
            let is_gone = ids.contains(task);
            if is_gone {
                ids.insert(call.clone());
            }
            !is_gone
        });
    }

    /// Registers what a removed record made.
    fn note(&mut self, kind: EventKind, record: &Record<'_>, payload: &Value, seq: u64) {
        let made = |name: &str| payload[name].as_str().map(str::to_owned);
        if let (Some(task), Some(source)) = (made("task_id"), made("source_entry_id"))
            && source.starts_with("call@")
        {
            self.calls.push((task, source));
        }
        if let Some(id) = made_by(kind, payload)
            && !self.is_made_by_others(id)
        {
            let id = id.to_owned();
            match kind {
                EventKind::ConditionDeclared | EventKind::ArtifactDeclared => {
                    self.declared.insert(id, seq);
                }
                _ => {
                    self.ids.insert(id);
                }
            }
        }
        match kind {
            EventKind::SessionChanged => self.summaries.extend(made("summary")),
            EventKind::EvidenceAligned => self.note_evidence(payload, record),
            _ => {}
        }
    }

    /// What an extraction made of these quotes: an entry, or a task under the name that its
    /// acts carry. An entry made by an earlier extraction stays.
    fn note_evidence(&mut self, payload: &Value, record: &Record<'_>) {
        let first = self
            .sessions
            .get(record.session.as_str())
            .map_or_else(RecordOrder::default, |session| session.first);
        if let Some(entry) = payload["entry_id"].as_str() {
            let made = self.entries.get(entry).map(|made| self.place(*made));
            if made.is_none_or(|made| made > first) {
                self.ids.insert(entry.to_owned());
            }
        } else if let (Some(local), Some(key)) = (
            payload["local_id"].as_str(),
            payload["build_id"].as_str().and_then(extraction_of),
        ) {
            self.ids.insert(format!("{local}@{key}"));
        }
    }

    /// Repeats the search until no more records go.
    fn spread(&mut self, read: &ReadTx) -> Result<()> {
        let library = std::mem::take(&mut self.library);
        let spread = self.spread_to(read, &library);
        self.library = library;
        spread
    }

    /// Finds those of some library records that go, until no more are found.
    fn spread_to(&mut self, read: &ReadTx, library: &[u64]) -> Result<()> {
        loop {
            let before = self.records.len();
            self.note_calls();
            for seq in library {
                read.tick()?;
                if !self.records.contains(seq) && !self.spared.contains(seq) {
                    self.look_at(read, *seq)?;
                }
            }
            if self.records.len() == before {
                return Ok(());
            }
        }
    }

    fn look_at(&mut self, read: &ReadTx, seq: u64) -> Result<()> {
        read.with_record(seq, |view| {
            let record = view.archive()?;
            let kind = view.kind();
            if !self.concerns(kind, &record) {
                return Ok(());
            }
            let payload = payload(&record);
            if kind == EventKind::EntryChanged
                && payload["act"] == "created"
                && let Some(id) = payload["entry_id"].as_str()
            {
                self.entries.insert(id.to_owned(), seq);
            }
            if matches!(self.fate(seq, kind, &record, &payload), Fate::Goes) {
                self.records.insert(seq);
                self.note(kind, &record, &payload, seq);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Conditions and artifacts that a remaining act names in its own words stay, without
    /// their source; the others go with all that names them.
    fn spare_shared(&mut self, read: &ReadTx) -> Result<()> {
        if self.declared.is_empty() {
            return Ok(());
        }
        let mut shared = BTreeSet::new();
        for &seq in &self.library {
            if self.records.contains(&seq) {
                continue;
            }
            read.with_record(seq, |view| {
                if !matches!(
                    view.kind(),
                    EventKind::TaskStatusChanged | EventKind::TaskBlockersSet
                ) {
                    return Ok(());
                }
                let payload = payload(&view.archive()?);
                for list in ["blockers", "blocker_suggestions"] {
                    for blocker in payload[list].as_array().into_iter().flatten() {
                        if let Some(id) = blocker["entity_id"].as_str()
                            && let Some(declared) = self.declared.get(id)
                        {
                            shared.insert((id.to_owned(), *declared));
                        }
                    }
                }
                Ok(())
            })?;
        }
        for (id, seq) in shared {
            self.declared.remove(&id);
            self.records.remove(&seq);
            self.spared.insert(seq);
        }
        self.ids
            .extend(std::mem::take(&mut self.declared).into_keys());
        self.spread(read)
    }

    /// Whether a record needs a closer look: most of a log is unrelated to what is erased.
    fn concerns(&self, kind: EventKind, record: &Record<'_>) -> bool {
        self.sessions.contains_key(record.session.as_str())
            || (kind == EventKind::ContinuityScored && !self.named.is_empty())
            || texts(record).any(|text| {
                json_strings(text).any(|part| {
                    self.ids.contains(part)
                        || self.sessions.contains_key(part)
                        || self.summaries.contains(part)
                        || (kind == EventKind::SettingChanged && self.projects.contains_key(part))
                }) || self.is_cited_in(text)
                    // A name may be escaped in JSON, so look closely.
                    || text.contains('\\')
            })
    }

    fn is_cited_in(&self, text: &str) -> bool {
        names_one_of(text, &self.cited)
    }

    fn is_gone_session(&self, name: &str) -> bool {
        self.sessions
            .get(name)
            .is_some_and(|session| !session.is_alive)
    }

    fn is_gone_project(&self, name: &str) -> bool {
        self.projects.get(name).is_some_and(|is_alive| !is_alive)
    }

    /// Whether a value under this key names something that is gone.
    fn names_gone(&self, value: &Value, key: &str) -> bool {
        match value {
            Value::String(text) => {
                self.ids.contains(text.as_str())
                    || self.is_cited_in(text)
                    || (SESSION_FIELDS.contains(&key) && self.is_gone_session(text))
            }
            Value::Array(items) => items.iter().any(|item| self.names_gone(item, key)),
            Value::Object(fields) => fields
                .iter()
                .any(|(key, value)| self.names_gone(value, key)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Decides what happens to a library record.
    fn fate(&self, seq: u64, kind: EventKind, record: &Record<'_>, payload: &Value) -> Fate {
        let session = record.session.as_str();
        let touched = self.sessions.get(session);
        let is_later = touched.is_some_and(|session| self.place(seq) > session.first);
        if self.is_gone_session(session) && kind != EventKind::Injected {
            return Fate::Goes;
        }
        match part_of(kind) {
            RemovedPart::Spoken | RemovedPart::Numbers => Fate::Stays,
            RemovedPart::Session if is_later => rest_of_session(payload),
            RemovedPart::Session => Fate::Stays,
            RemovedPart::Whole => {
                let is_unproven = kind == EventKind::EvidenceAligned
                    && is_later
                    && !(payload["evidence_aligned"] == true
                        && payload["aligned_count"].as_u64().unwrap_or(0) > 0);
                let is_of_summary = kind == EventKind::Consolidated
                    && payload["source_events"]
                        .as_array()
                        .is_none_or(Vec::is_empty)
                    && payload["summary"]
                        .as_str()
                        .is_some_and(|summary| self.summaries.contains(summary));
                if is_unproven
                    || is_of_summary
                    || self.names_gone(payload, "")
                    || self.is_cited_in(record.content.as_str())
                {
                    return Fate::Goes;
                }
                let mut rest = payload.clone();
                self.renumber(&mut rest);
                Fate::after(payload, rest)
            }
            RemovedPart::Lists {
                lists,
                blanks,
                stands_alone,
            } => {
                let mut rest = payload.clone();
                for path in blanks {
                    let goes_with_session = kind == EventKind::Injected
                        && touched.is_some_and(|session| *path == "query" || !session.is_alive);
                    self.blank(&mut rest, path, goes_with_session);
                }
                for path in lists {
                    each_list(&mut rest, path, &mut |items| {
                        items.retain(|item| {
                            !self.names_gone(item, "") && !self.is_named(kind, item)
                        });
                    });
                }
                let was_blocked = payload["to_status"] == "blocked";
                let is_empty = !stands_alone || was_blocked;
                if self.names_gone(&rest, "") || (is_empty && !has_items(&mut rest, lists)) {
                    return Fate::Goes;
                }
                if self.is_gone_session(session) {
                    return Fate::Shrinks(rest);
                }
                Fate::after(payload, rest)
            }
        }
    }

    /// Whether an item of a context is a name that occurs in an erased text.
    fn is_named(&self, kind: EventKind, item: &Value) -> bool {
        kind == EventKind::ContinuityScored
            && item.as_str().is_some_and(|name| self.named.contains(name))
    }

    /// Empties a text that names something gone or must go anyway.
    fn blank(&self, payload: &mut Value, path: &str, in_any_case: bool) {
        let (place, field) = path.rsplit_once('/').unwrap_or(("", path));
        each_value(payload, place, &mut |value| {
            let Some(text) = value.get(field).and_then(Value::as_str) else {
                return;
            };
            let is_gone = in_any_case
                || self.ids.contains(text)
                || self.is_cited_in(text)
                || self.is_gone_session(text)
                // A pause of the project.
                || (value["scope"] == "project" && self.is_gone_project(text));
            if is_gone && !text.is_empty() {
                value[field] = "".into();
            }
        });
    }

    /// Renumbers the messages of remaining evidence.
    fn renumber(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.renumber(item)),
            Value::Object(fields) => {
                let number = fields
                    .get("event_id")
                    .and_then(Value::as_str)
                    .and_then(|id| self.numbers.get(id));
                if let (Some(number), true) = (number, fields.contains_key("message_index")) {
                    fields.insert("message_index".to_owned(), (*number).into());
                }
                fields.values_mut().for_each(|value| self.renumber(value));
            }
            _ => {}
        }
    }

    /// The remaining content of records that lose a part.
    fn reduce(&self, read: &ReadTx) -> Result<BTreeMap<u64, Remainder>> {
        let mut reduced = BTreeMap::new();
        for &seq in &self.library {
            read.tick()?;
            if let Some(rest) = self.rest_of(read, seq)? {
                reduced.insert(seq, rest);
            }
        }
        Ok(reduced)
    }

    /// What is left of a library record; `None` if it goes or stays as a whole.
    fn rest_of(&self, read: &ReadTx, seq: u64) -> Result<Option<Remainder>> {
        if self.records.contains(&seq) {
            return Ok(None);
        }
        let rest = read.with_record(seq, |view| {
            let (record, kind) = (view.archive()?, view.kind());
            if self.spared.contains(&seq) {
                return Ok(Some(self.without_source(kind, payload(&record))));
            }
            if !self.concerns(kind, &record) {
                return Ok(None);
            }
            let Fate::Shrinks(rest) = self.fate(seq, kind, &record, &payload(&record)) else {
                return Ok(None);
            };
            let session = match self.is_gone_session(record.session.as_str()) {
                true => UNKNOWN_SESSION,
                false => record.session.as_str(),
            };
            let mut rest = remainder(kind, session, &rest);
            if part_of(kind) == RemovedPart::Whole {
                // Nothing of it is erased: only quoted messages are counted anew. In a store where it
                // arrives after the erasure they are not, and its description stays there too.
                rest.content = record.content.as_str().to_owned();
            }
            Ok(Some(rest))
        })?;
        Ok(rest.flatten())
    }

    /// Keeps a shared declaration, without its author.
    fn without_source(&self, kind: EventKind, mut payload: Value) -> Remainder {
        payload["source_entry_id"] = "erased".into();
        if let Some(fields) = payload.as_object_mut() {
            fields.remove("source_events");
        }
        each_list(&mut payload, "candidates", &mut |items| {
            items.retain(|item| !self.names_gone(item, ""));
        });
        remainder(kind, "", &payload)
    }
}

/// The order of all stores; `None` while this store has no records of others.
fn places(read: &ReadTx, targets: &[u64]) -> Result<Option<Places>> {
    if !read.may_be_reordered()? {
        return Ok(None);
    }
    let mut touched = HashSet::new();
    for &seq in targets {
        touched.extend(read.with_record(seq, |view| Ok(view.archive()?.session.to_string()))?);
    }
    let (orders, mut places) = (read.record_orders()?, Places::default());
    read.each_record(|seq, view, _| {
        let record = view.archive()?;
        let is_spoken = view.kind().is_conversation();
        if view.is_erased() || (is_spoken && !touched.contains(record.session.as_str())) {
            return Ok(());
        }
        places.orders.insert(seq, orders.of(seq, &record)?);
        if !is_spoken && let Some(id) = made_by(view.kind(), &payload(&record)) {
            places.makers.entry(id.to_owned()).or_default().push(seq);
        }
        Ok(())
    })?;
    Ok(Some(places))
}

/// The fate of a record.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Stays,
    Goes,
    /// The remaining content.
    Shrinks(Value),
}

impl Fate {
    fn after(before: &Value, rest: Value) -> Fate {
        match rest == *before {
            true => Fate::Stays,
            false => Fate::Shrinks(rest),
        }
    }
}

fn remainder(kind: EventKind, session: &str, rest: &Value) -> Remainder {
    Remainder {
        session: session.to_owned(),
        // The one-line description was made from the whole.
        content: format!("{kind}, a part of it erased"),
        metadata: canonical_text(rest),
    }
}

/// A session change without what was said in it.
fn rest_of_session(payload: &Value) -> Fate {
    let mut rest = payload.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.retain(|name, _| !SESSION_TEXTS.contains(&name.as_str()));
        if fields.is_empty() && rest != *payload {
            return Fate::Goes;
        }
    }
    Fate::after(payload, rest)
}

/// The key of the extraction of a build run: `build_<key>_<run>`.
fn extraction_of(build_id: &str) -> Option<&str> {
    build_id.strip_prefix("build_")?.split('_').next()
}

/// The human-readable texts of a record.
fn texts<'a>(record: &Record<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let tool = record.tool;
    [
        Some(record.content.as_str()),
        record.metadata.map(|json| json.as_str()),
        tool.and_then(|tool| tool.input).map(|json| json.as_str()),
        tool.map(|tool| tool.output.as_str()),
        tool.and_then(|tool| tool.error).map(|error| error.as_str()),
    ]
    .into_iter()
    .flatten()
}

fn payload(record: &Record<'_>) -> Value {
    record
        .metadata
        .and_then(|json| serde_json::from_str(json.as_str()).ok())
        .unwrap_or_default()
}

/// Visits the values at a path: names separated by `/`, `*` for each item.
fn each_value(value: &mut Value, path: &str, visit: &mut dyn FnMut(&mut Value)) {
    if path.is_empty() {
        return visit(value);
    }
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    if name == "*" {
        for item in value.as_array_mut().into_iter().flatten() {
            each_value(item, rest, visit);
        }
    } else if let Some(next) = value.get_mut(name) {
        each_value(next, rest, visit);
    }
}

fn each_list(value: &mut Value, path: &str, visit: &mut dyn FnMut(&mut Vec<Value>)) {
    each_value(value, path, &mut |found| {
        if let Value::Array(items) = found {
            visit(items);
        }
    });
}

fn has_items(value: &mut Value, lists: &[&str]) -> bool {
    let mut any = false;
    for path in lists {
        each_list(value, path, &mut |items| any |= !items.is_empty());
    }
    any
}

/// The raw strings of a JSON text, and everything else between two quotation marks.
fn json_strings(text: &str) -> impl Iterator<Item = &str> {
    text.split('"')
}

/// Whether a text contains one of the names, which are event ids (36 characters) and
/// citations (`mem:` and 6 to 8 more).
fn names_one_of(text: &str, names: &HashSet<String>) -> bool {
    let is_name = |from: usize, length: usize| {
        text.get(from..from + length)
            .is_some_and(|part| names.contains(part))
    };
    text.match_indices("mem:")
        .any(|(at, _)| (10..=12).any(|length| is_name(at, length)))
        || text
            .match_indices('-')
            .any(|(at, _)| at >= 8 && is_name(at - 8, 36))
}
