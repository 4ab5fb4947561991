//! Appending: one transaction writes the record and every index row that leads to it.
//!
//! Nothing is filtered here: only the privacy filter can create the input type.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::index::lexical::batch_inverter::{PartialIndex, write_partials};
use crate::index::lexical::block::BlockSink;
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, Dedupe, Origin, is_note};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::session::SessionUpdate;
use crate::model::shorten::quoted;
use crate::model::time::Timestamp;
use crate::privacy::{CleanEvent, CleanTool};
use crate::store::database::checked::ReadableTable;
pub(crate) use crate::store::index_tables::rows::Words;
use crate::store::index_tables::rows::{Names, Projection, Tables};
use crate::store::index_tables::word_files::SegmentPlace;
use crate::store::log::dedupe::dedupe_hash;
use crate::store::log::record::{self, Foreign, Record, Text, ToolFields};
use crate::store::log::session::{SessionRow, move_session};
use crate::store::log::tombstone::is_tombstone;
use crate::store::shared::record_order::ForeignName;
use crate::store::tables::{self, Facet};
use crate::store::threads::in_threads;
use crate::store::{State, WriteTx};
use crate::text::citation::{citation_id, unique_citation_id_from};

/// Below this number of records, another thread does not pay.
const RECORDS_PER_THREAD: usize = 512;

/// One event, filtered and analysed, ready to be stored.
pub(crate) struct Draft {
    pub(crate) event: CleanEvent,
    pub(crate) project: String,
    pub(crate) actor: String,
    pub(crate) origin: Origin,
    pub(crate) timestamp: Timestamp,
    /// The words of the text.
    pub(crate) words: Words,
    /// The file that a tool observation is about.
    pub(crate) file: Option<String>,
}

/// An event that another store recorded, checked and ready to be stored.
pub(crate) struct ForeignDraft {
    pub(crate) draft: Draft,
    pub(crate) id: EventId,
    pub(crate) salt: [u8; 16],
    pub(crate) name: ForeignName,
}

/// What is known about each draft before it is stored; see [`WriteTx::look_up_duplicates`].
pub(crate) struct DedupeLookup(Vec<(Option<[u8; 16]>, Known)>);

impl DedupeLookup {
    /// Whether each draft will be stored.
    pub(crate) fn is_new(&self) -> impl Iterator<Item = bool> {
        self.0
            .iter()
            .map(|(_, known)| matches!(known, Known::New | Known::Forgotten))
    }
}

#[derive(Clone, Copy)]
enum Known {
    New,
    /// It was stored before and has been forgotten.
    Forgotten,
    /// It is already stored at this position, or was forgotten and is to stay so.
    Stored(u64),
    /// It duplicates the earlier draft of the batch with this index.
    Same(usize),
}

/// [`dedupe_hash`] of each draft of a batch, computed before the transaction begins.
pub(crate) struct Hashes {
    /// The secret that the hashes were computed with.
    pub(crate) secret: [u8; 32],
    pub(crate) hashes: Vec<Option<[u8; 16]>>,
}

impl Hashes {
    /// Prepends the hashes of drafts that precede all others.
    pub(crate) fn put_before(&mut self, drafts: &[Draft]) {
        let before = drafts.iter().map(|draft| draft_hash(&self.secret, draft));
        self.hashes.splice(..0, before);
    }
}

/// What was appended.
pub(crate) struct Stored {
    /// In the order of the drafts.
    pub(crate) receipts: Vec<Appended>,
    /// The segment of the events whose words were inverted. Its blocks are stored, but its
    /// descriptor is not committed to the index yet.
    pub(crate) segment: Option<SegmentInfo>,
}

/// A draft that will be stored, with the values assigned to it.
struct PendingRecord<'d> {
    draft: &'d Draft,
    id: EventId,
    salt: [u8; 16],
    citation: CitationId,
    dedupe: Option<[u8; 16]>,
    /// Its name in the store that it came from.
    foreign: Option<&'d ForeignName>,
}

impl WriteTx<'_> {
    /// Determines which drafts are already stored. `hashes` are used if they match the drafts and
    /// the store's secret.
    pub(crate) fn look_up_duplicates(
        &self,
        drafts: &[Draft],
        hashes: Option<Hashes>,
    ) -> Result<DedupeLookup> {
        let secret = &self.meta.secret;
        let hashes = match hashes {
            Some(made) if made.secret == *secret && made.hashes.len() == drafts.len() => {
                made.hashes
            }
            _ => drafts
                .iter()
                .map(|draft| draft_hash(secret, draft))
                .collect(),
        };
        let table = self.transaction.open_table(tables::DEDUPE)?;
        // Most events are new, so that this table is not even opened.
        let mut tombstones = None;
        // Where an event is, and whether it was forgotten or erased.
        let mut found = |key: [u8; 16]| -> Result<Option<(u64, bool)>> {
            let Some(seq) = table.get(key.as_slice())?.map(|v| v.value()) else {
                return Ok(None);
            };
            let tombstones = match &mut tombstones {
                Some(open) => open,
                none => none.insert(self.transaction.open_table(tables::TOMBSTONES)?),
            };
            Ok(Some((seq, tombstones.get(seq)?.is_some())))
        };
        let mut before: HashMap<[u8; 16], usize, FixedState> = HashMap::default();
        let mut known = Vec::with_capacity(drafts.len());
        for (at, hash) in hashes.into_iter().enumerate() {
            let Some(key) = hash else {
                known.push((None, Known::New));
                continue;
            };
            let stored = match before.get(&key) {
                Some(same) => Known::Same(*same),
                None => {
                    let draft = &drafts[at];
                    match found(key)? {
                        Some((seq, is_deleted)) if draft.event.stays_forgotten || !is_deleted => {
                            Known::Stored(seq)
                        }
                        Some(_) => Known::Forgotten,
                        None => match content_hash(secret, draft)
                            .map(&mut found)
                            .transpose()?
                            .flatten()
                        {
                            Some((seq, true)) => Known::Stored(seq),
                            _ => Known::New,
                        },
                    }
                }
            };
            if drafts.len() > 1 && matches!(stored, Known::New | Known::Forgotten) {
                before.insert(key, at);
            }
            known.push((hash, stored));
        }
        Ok(DedupeLookup(known))
    }

    /// Stores the drafts in order. A draft whose dedupe key is already known writes nothing and
    /// gets the receipt of the stored event.
    pub(crate) fn append(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>> {
        let known = self.look_up_duplicates(drafts, None)?;
        Ok(self.append_looked_up(drafts, &known, &[])?.receipts)
    }

    /// Like [`WriteTx::append`], for drafts whose duplicates were looked up in this transaction.
    /// `partials` contain the words of the drafts that have [`Words::Inverted`].
    pub(crate) fn append_looked_up(
        &mut self,
        drafts: &[Draft],
        known: &DedupeLookup,
        partials: &[PartialIndex],
    ) -> Result<Stored> {
        let now = self.clock.now();
        let tables = Tables::open(&self.transaction)?;
        let (receipts, pending) = self.assign(&tables, now, drafts, known)?;
        let place = SegmentPlace {
            transaction: &self.transaction,
            files: self.uses_files.then_some(self.index),
        };
        let segment = write_pending(place, &mut self.state, tables, &pending, partials)?;
        if !pending.is_empty() {
            self.state.last_append_ms = now.millis();
        }
        let found_by_search = drafts
            .iter()
            .zip(&receipts)
            .filter(|(draft, receipt)| !matches!(draft.words, Words::None) && !receipt.duplicate)
            .map(|(draft, receipt)| (draft.event.kind, receipt.seq.0));
        self.enqueue_events(found_by_search)?;
        self.leave_window()?;
        Ok(Stored { receipts, segment })
    }

    /// Gives each new draft its id, position and citation. Returns the receipts of all drafts, and
    /// the records to write.
    fn assign<'d>(
        &self,
        tables: &Tables<'_>,
        now: Timestamp,
        drafts: &'d [Draft],
        known: &DedupeLookup,
    ) -> Result<(Vec<Appended>, Vec<PendingRecord<'d>>)> {
        let mut receipts: Vec<Appended> = Vec::with_capacity(drafts.len());
        let mut pending: Vec<PendingRecord<'d>> = Vec::with_capacity(drafts.len());
        let count = known.is_new().filter(|is_new| *is_new).count();
        let made = self.ids.for_batch(now, count);
        let plain = plain_citations(&made, self.citation_length);
        let mut named = made.into_iter().zip(plain);
        let mut taken: HashSet<CitationId, FixedState> = HashSet::default();
        for (draft, (dedupe, known)) in drafts.iter().zip(&known.0) {
            let mut warnings = draft.event.warnings.clone();
            let receipt = |id, seq, citation, duplicate, warnings| Appended {
                id,
                seq,
                citation,
                duplicate,
                skipped: None,
                privacy: draft.event.privacy,
                truncated_bytes: draft.event.truncated_bytes,
                warnings,
            };
            match *known {
                Known::Stored(seq) => {
                    let (id, citation) = names_of(tables, seq)?;
                    receipts.push(receipt(id, Seq(seq), citation, true, warnings));
                    continue;
                }
                Known::Same(at) => {
                    let same = &receipts[at];
                    let (id, seq, citation) = (same.id, same.seq, same.citation.clone());
                    receipts.push(receipt(id, seq, citation, true, warnings));
                    continue;
                }
                Known::Forgotten => warnings
                    .push("the same event was forgotten before; this is a new memory".to_owned()),
                Known::New => {}
            }
            let ((id, salt), plain) = named.next().ok_or_else(|| {
                Error::new(ErrorCode::Internal, "a new event of a batch got no id")
            })?;
            let citation = free_citation(tables, &taken, id, plain)?;
            if drafts.len() > 1 {
                taken.insert(citation.clone());
            }
            let seq = Seq(self.state.last_seq + 1 + pending.len() as u64);
            receipts.push(receipt(id, seq, citation.clone(), false, warnings));
            pending.push(PendingRecord {
                draft,
                id,
                salt,
                citation,
                dedupe: *dedupe,
                foreign: None,
            });
        }
        Ok((receipts, pending))
    }

    /// Appends records of other stores, none of which is stored yet, under their own ids. Returns
    /// their positions.
    pub(crate) fn append_foreign(&mut self, records: &[ForeignDraft]) -> Result<Vec<u64>> {
        let tables = Tables::open(&self.transaction)?;
        let mut taken: HashSet<CitationId, FixedState> = HashSet::default();
        let mut pending: Vec<PendingRecord<'_>> = Vec::with_capacity(records.len());
        for record in records {
            let plain = CitationId::from_checked(record.name.citation.clone());
            let citation = free_citation(&tables, &taken, record.id, plain)?;
            taken.insert(citation.clone());
            pending.push(PendingRecord {
                draft: &record.draft,
                id: record.id,
                salt: record.salt,
                citation,
                // Its author can have it erased, so it must never stand in for an own record.
                dedupe: None,
                foreign: Some(&record.name),
            });
        }
        let first = self.state.last_seq + 1;
        let place = SegmentPlace {
            transaction: &self.transaction,
            files: None,
        };
        write_pending(place, &mut self.state, tables, &pending, &[])?;
        let seqs: Vec<u64> = (first..=self.state.last_seq).collect();
        self.state.last_append_ms = self.clock.now().millis();
        let found_by_search = records
            .iter()
            .zip(&seqs)
            .filter(|(record, _)| !matches!(record.draft.words, Words::None))
            .map(|(record, seq)| (record.draft.event.kind, *seq));
        self.enqueue_events(found_by_search)?;
        self.leave_window()?;
        Ok(seqs)
    }
}

impl WriteTx<'_> {
    /// Appends only the names of another store's record that an order hid before it arrived. The
    /// record counts as erased at once; the caller appends the tombstone and marks the record with
    /// it.
    pub(crate) fn append_bare(&mut self, record: &ForeignDraft) -> Result<u64> {
        let mut tables = Tables::open(&self.transaction)?;
        let plain = CitationId::from_checked(record.name.citation.clone());
        let citation = free_citation(&tables, &HashSet::default(), record.id, plain)?;
        let names = Record {
            salt: record.salt,
            id: *record.id.as_bytes(),
            timestamp_ms: record.draft.timestamp.millis(),
            origin: record.draft.origin as u8,
            citation: Text(citation.as_str()),
            foreign: Some(record.name.as_foreign()),
            ..Record::default()
        };
        let state = &mut self.state;
        let seq = state.last_seq + 1;
        let kind = record.draft.event.kind;
        let bytes = record::encode_bare(seq, kind, &names, &state.last_checksum)?;
        state.last_checksum = record::RecordView::new(seq, &bytes)?.checksum();
        state.last_seq = seq;
        state.erased_events += 1;
        state.log_bytes += bytes.len() as u64;
        tables.name(state, kind, &Names::of(&names), seq);
        tables.finish_with(&[(seq, &*bytes)], || Ok(()))?;
        self.mark_erased(&[seq], seq)?;
        self.leave_window()?;
        Ok(seq)
    }

    /// Applies a change to a session's row. The row exists, because the event that records the
    /// change was appended just before.
    pub(crate) fn update_session(&mut self, name: &str, update: &SessionUpdate) -> Result<()> {
        let names = self.transaction.open_table(tables::NAMES)?;
        let number = names
            .get(tables::name_key(Facet::Session, name).as_slice())?
            .map(|v| v.value())
            .ok_or_else(|| {
                Error::new(ErrorCode::NotFound, format!("no session {}", quoted(name)))
            })?;
        let project = match &update.project {
            Some(project) => {
                let key = tables::name_key(Facet::Project, project);
                names.get(key.as_slice())?.map(|v| v.value())
            }
            None => None,
        };
        let mut sessions = self.transaction.open_table(tables::SESSIONS)?;
        let mut row = match sessions.get(number)? {
            Some(row) => SessionRow::decode(row.value())?,
            None => SessionRow {
                name: name.to_owned(),
                ..SessionRow::default()
            },
        };
        let before = row.project_key(number);
        row.change(update, project);
        sessions.insert(number, row.encode().as_slice())?;
        let mut by_project = self.transaction.open_table(tables::PROJECT_SESSIONS)?;
        move_session(&mut by_project, before, row.project_key(number))
    }
}

/// Writes records to the end of the log, together with their index rows. The words of inverted
/// drafts are in `partials`; returns their segment.
fn write_pending(
    place: SegmentPlace<'_>,
    state: &mut State,
    mut tables: Tables<'_>,
    pending: &[PendingRecord<'_>],
    partials: &[PartialIndex],
) -> Result<Option<SegmentInfo>> {
    let mut bodies = encode_all(pending)?;
    let mut inverted: Vec<EventFacts> = Vec::new();
    let mut rows: Vec<(u64, &[u8])> = Vec::with_capacity(pending.len());
    let mut left = pending.iter();
    for bodies in &mut bodies {
        let mut rest = bodies.bytes.as_mut_slice();
        for ((length, digest), record) in bodies.records.iter().zip(left.by_ref()) {
            let (bytes, after) = rest.split_at_mut(*length);
            rest = after;
            let seq = state.last_seq + 1;
            state.last_checksum = record::chain_to(bytes, seq, digest, &state.last_checksum);
            let projection = record.projection(seq, bytes.len() as u64);
            let words = &record.draft.words;
            inverted.extend(tables.project(state, &projection, words)?);
            if record.foreign.is_some() && is_tombstone(record.draft.event.kind) {
                tables.order(seq, &record.record())?;
            }
            rows.push((seq, &*bytes));
        }
    }
    let next_segment = state.next_segment + 1;
    tables.finish_with(&rows, || {
        let Some((first, last)) = inverted.first().zip(inverted.last()) else {
            return Ok(None);
        };
        let seqs = first.seq..=last.seq;
        let mut write = |sink: &mut dyn BlockSink| {
            write_partials(next_segment, seqs.clone(), partials, &inverted, sink)
        };
        let named = (next_segment, inverted.len() as u64);
        place.write(named, &mut write).map(Some)
    })
}

/// A tool call as it is stored.
pub(crate) fn tool_fields(tool: &CleanTool) -> ToolFields<'_> {
    ToolFields {
        name: Text(tool.name.as_str()),
        input: tool.input.as_ref().map(|json| Text(json.as_str())),
        output: Text(tool.output.as_str()),
        duration_ms: tool.duration_ms,
        success: tool.success,
        error: tool.error.as_ref().map(|text| Text(text.as_str())),
        prompt_index: tool.prompt_index,
        tool_index: tool.tool_index,
        metadata: Text(tool.metadata.as_str()),
    }
}

/// The id and the citation of a stored event.
fn names_of(tables: &Tables<'_>, seq: u64) -> Result<(EventId, CitationId)> {
    let stored = tables
        .events
        .get(seq)?
        .ok_or_else(|| crate::store::database::panics::missing_record(seq))?;
    let view = record::RecordView::new(seq, stored.value())?;
    let archive = view.archive()?;
    let citation = CitationId::from_checked(archive.citation.as_str().to_owned());
    Ok((EventId::from_bytes(archive.id), citation))
}

/// The citation that each id gets if it is still free.
fn plain_citations(ids: &[(EventId, [u8; 16])], length: usize) -> Vec<CitationId> {
    let plain = |ids: &[(EventId, [u8; 16])]| -> Vec<CitationId> {
        ids.iter()
            .map(|(id, _)| citation_id(&id.to_string(), length))
            .map(CitationId::from_checked)
            .collect()
    };
    in_threads(ids, RECORDS_PER_THREAD, plain)
        .into_iter()
        .flatten()
        .collect()
}

/// A citation that is used neither in the store nor in this batch: the `plain` one if possible.
fn free_citation(
    tables: &Tables<'_>,
    taken: &HashSet<CitationId, FixedState>,
    id: EventId,
    plain: CitationId,
) -> Result<CitationId> {
    let is_stored = |citation: &CitationId| -> Result<bool> {
        Ok(tables
            .citations
            .get(citation.as_str().as_bytes())?
            .is_some())
    };
    if !taken.contains(&plain) && !is_stored(&plain)? {
        return Ok(plain);
    }
    let mut failed = None;
    let citation = unique_citation_id_from(plain.as_str().len(), &id.to_string(), |candidate| {
        let candidate = CitationId::from_checked(candidate.to_owned());
        taken.contains(&candidate)
            || match is_stored(&candidate) {
                Ok(is_stored) => is_stored,
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(citation),
    }
}

/// Concatenated records without their chain checksums; of each, its length and digest.
#[derive(Default)]
struct Bodies {
    bytes: Vec<u8>,
    records: Vec<(usize, [u8; 32])>,
}

impl Bodies {
    fn encode(pending: &[PendingRecord<'_>]) -> Result<Bodies> {
        let texts: usize = pending
            .iter()
            .map(|n| n.draft.event.content.as_str().len())
            .sum();
        let mut bodies = Bodies {
            bytes: Vec::with_capacity(texts + pending.len() * 256),
            records: Vec::with_capacity(pending.len()),
        };
        for record in pending {
            let start = bodies.bytes.len();
            let kind = record.draft.event.kind;
            let digest = record::encode_body(&mut bodies.bytes, kind, &record.record())?;
            bodies.records.push((bodies.bytes.len() - start, digest));
        }
        Ok(bodies)
    }
}

/// Encodes records, using several threads if there are many.
fn encode_all(pending: &[PendingRecord<'_>]) -> Result<Vec<Bodies>> {
    in_threads(pending, RECORDS_PER_THREAD, Bodies::encode)
        .into_iter()
        .collect()
}

impl PendingRecord<'_> {
    fn record(&self) -> Record<'_> {
        let (draft, event) = (self.draft, &self.draft.event);
        Record {
            salt: self.salt,
            id: *self.id.as_bytes(),
            timestamp_ms: draft.timestamp.millis(),
            origin: draft.origin as u8,
            session: Text(&event.session),
            project: Text(&draft.project),
            actor: Text(&draft.actor),
            citation: Text(self.citation.as_str()),
            content: Text(event.content.as_str()),
            metadata: event.metadata.as_ref().map(|json| Text(json.as_str())),
            tool: event.tool.as_ref().map(tool_fields),
            privacy: event.privacy,
            dedupe: self.dedupe,
            foreign: self.foreign(),
        }
    }

    fn foreign(&self) -> Option<Foreign<'_>> {
        self.foreign.map(ForeignName::as_foreign)
    }

    fn projection(&self, seq: u64, record_bytes: u64) -> Projection<'_> {
        let (draft, event) = (self.draft, &self.draft.event);
        Projection {
            seq,
            kind: event.kind,
            record_bytes,
            names: Names {
                id: self.id.as_bytes(),
                citation: self.citation.as_str(),
                foreign: self.foreign(),
            },
            dedupe: self.dedupe.as_ref(),
            at: draft.timestamp.millis(),
            session: &event.session,
            project: &draft.project,
            actor: &draft.actor,
            origin: draft.origin as u8,
            tool: event.tool.as_ref().map(|tool| tool.name.as_str()),
            file: draft.file.as_deref(),
            content_bytes: event.content.as_str().len() as u64,
            prompt: tables::prompt_number(event.kind, event.content.as_str()),
            is_failed: event.tool.as_ref().is_some_and(|tool| !tool.success),
            is_note: is_note(event.metadata.as_ref().map(|json| json.as_str())),
            privacy: event.privacy,
            is_deleted: false,
        }
    }
}

/// [`dedupe_hash`] of a draft.
pub(crate) fn draft_hash(secret: &[u8; 32], draft: &Draft) -> Option<[u8; 16]> {
    let event = &draft.event;
    let content = event.content.as_str();
    dedupe_hash(secret, &event.session, &event.dedupe, content)
}

/// For a draft that is identified by a key and is to stay forgotten, the hash of its content: hooks are
/// not told the keys, so they may have stored it under that.
fn content_hash(secret: &[u8; 32], draft: &Draft) -> Option<[u8; 16]> {
    let event = &draft.event;
    let has_key = matches!(event.dedupe, Dedupe::Key(_));
    if !(has_key && event.stays_forgotten) {
        return None;
    }
    let content = event.content.as_str();
    dedupe_hash(secret, &event.session, &Dedupe::Content, content)
}
