//! Appending: one transaction that writes the record and everything that is
//! found through it.
//!
//! Nothing here filters: the input type can only be made by the privacy filter.

use std::collections::HashMap;

use redb::{ReadableTable, Table};

use super::record::{self, PrivacyV1, RecordV1, ToolV1};
use super::session::SessionRow;
use super::tables::{self, Facet};
use super::{State, WriteTx};
use crate::index::forward::{EventFacts, ForwardBody, NO_TURN, actor_hash};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Appended, Dedupe, EventKind, Origin, PrivacyReport};
use crate::model::ids::{CitationId, EventId, Seq};
use crate::model::session::SessionUpdate;
use crate::model::time::Timestamp;
use crate::privacy::CleanEvent;
use crate::text::citation::unique_citation_id;
use crate::text::keys::canonical_key;

/// One event, filtered and analysed, ready to be stored.
pub(crate) struct Draft {
    pub(crate) event: CleanEvent,
    pub(crate) project: String,
    pub(crate) actor: String,
    pub(crate) origin: Origin,
    pub(crate) timestamp: Timestamp,
    /// The words of the text; `None` for events that search does not find.
    pub(crate) forward: Option<ForwardBody>,
    /// The file that a tool observation is about.
    pub(crate) file: Option<String>,
}

type BytesTable<'t, V> = Table<'t, &'static [u8], V>;

/// The tables that an append writes, open for the length of one transaction.
pub(super) struct Tables<'t> {
    pub(super) events: Table<'t, u64, &'static [u8]>,
    pub(super) ids: BytesTable<'t, u64>,
    pub(super) citations: BytesTable<'t, u64>,
    pub(super) dedupe: BytesTable<'t, u64>,
    pub(super) by_time: BytesTable<'t, ()>,
    pub(super) by_facet: BytesTable<'t, ()>,
    pub(super) names: BytesTable<'t, u32>,
    pub(super) name_of: BytesTable<'t, &'static [u8]>,
    pub(super) sessions: Table<'t, u32, &'static [u8]>,
    pub(super) session_events: BytesTable<'t, ()>,
    pub(super) session_turns: BytesTable<'t, u64>,
    pub(super) dead: Table<'t, u64, u64>,
    pub(super) tail: Table<'t, u64, &'static [u8]>,
}

impl WriteTx<'_> {
    /// Stores the drafts in order. A draft whose dedupe key is known already
    /// writes nothing and gets the receipt of the stored event.
    pub(crate) fn append(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>> {
        let now = self.clock.now();
        let mut tables = Tables::open(&self.transaction)?;
        let mut sessions = HashMap::new();
        let mut receipts = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let receipt = append_one(
                &mut tables,
                &mut sessions,
                &mut self.state,
                &self.meta.secret,
                self.ids,
                now,
                draft,
            )?;
            receipts.push(receipt);
        }
        for (number, row) in &sessions {
            // What belongs to no conversation makes none.
            if row.name.is_empty() {
                continue;
            }
            tables.sessions.insert(number, row.encode().as_slice())?;
        }
        drop(tables);
        if receipts.iter().any(|receipt| !receipt.duplicate) {
            self.state.last_append_ms = now.millis();
        }
        let found_by_search = drafts
            .iter()
            .zip(&receipts)
            .filter(|(draft, receipt)| draft.forward.is_some() && !receipt.duplicate)
            .map(|(draft, receipt)| (draft.event.kind, receipt.seq.0));
        self.enqueue_events(found_by_search)?;
        Ok(receipts)
    }
}

impl WriteTx<'_> {
    /// Applies a change to a session's row. The session exists: its change was
    /// appended just before.
    pub(crate) fn update_session(&mut self, name: &str, update: &SessionUpdate) -> Result<()> {
        let names = self.transaction.open_table(tables::NAMES)?;
        let number = names
            .get(tables::name_key(Facet::Session, name).as_slice())?
            .map(|v| v.value())
            .ok_or_else(|| Error::new(ErrorCode::NotFound, format!("no session {name:?}")))?;
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
        row.change(update, project);
        sessions.insert(number, row.encode().as_slice())?;
        Ok(())
    }
}

fn append_one(
    tables: &mut Tables<'_>,
    sessions: &mut HashMap<u32, SessionRow>,
    state: &mut State,
    secret: &[u8; 32],
    ids: &dyn crate::clock::IdSource,
    now: Timestamp,
    draft: &Draft,
) -> Result<Appended> {
    let event = &draft.event;
    let mut warnings = event.warnings.clone();
    let dedupe = dedupe_hash(
        secret,
        &event.session,
        &event.dedupe,
        event.content.as_str(),
    );
    if let Some(key) = &dedupe
        && let Some(seq) = tables.dedupe.get(key.as_slice())?.map(|v| v.value())
    {
        if tables.dead.get(seq)?.is_none() {
            return duplicate_receipt(tables, seq, draft, warnings);
        }
        warnings.push("the same event was forgotten before; this is a new memory".to_owned());
    }

    let seq = state.last_seq + 1;
    let id = ids.event_id(now);
    let citation = {
        let citations = &tables.citations;
        let mut failed = None;
        let citation = unique_citation_id(&id.to_string(), |candidate| {
            match citations.get(candidate.as_bytes()) {
                Ok(found) => found.is_some(),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        citation
    };

    let record = build_record(draft, id, citation.as_str(), ids.salt(), dedupe);
    let encoded = record::encode(seq, event.kind, &record, &state.last_checksum)?;
    tables.events.insert(seq, encoded.bytes.as_slice())?;
    let projection = Projection {
        seq,
        kind: event.kind,
        record_bytes: encoded.bytes.len() as u64,
        id: &record.id,
        citation: &record.citation,
        dedupe: dedupe.as_ref(),
        at: record.timestamp_ms,
        session: &record.session,
        project: &record.project,
        actor: &record.actor,
        origin: record.origin,
        tool: record.tool.as_ref().map(|tool| tool.name.as_str()),
        file: draft.file.as_deref(),
        content_bytes: record.content.len() as u64,
        privacy: event.privacy,
        is_dead: false,
    };
    project(tables, sessions, state, &projection, draft.forward.as_ref())?;
    state.last_checksum = encoded.checksum;
    Ok(Appended {
        id,
        seq: Seq(seq),
        citation,
        duplicate: false,
        privacy: event.privacy,
        truncated_bytes: event.truncated_bytes,
        warnings,
    })
}

/// What the tables beside the log are made from: an event as it was just
/// appended, or as it is read back from the log. Both go the same way, so that
/// a rebuild gives the same tables.
pub(super) struct Projection<'a> {
    pub(super) seq: u64,
    pub(super) kind: EventKind,
    pub(super) record_bytes: u64,
    pub(super) id: &'a [u8; 16],
    pub(super) citation: &'a str,
    pub(super) dedupe: Option<&'a [u8; 16]>,
    pub(super) at: i64,
    pub(super) session: &'a str,
    pub(super) project: &'a str,
    pub(super) actor: &'a str,
    pub(super) origin: u8,
    pub(super) tool: Option<&'a str>,
    pub(super) file: Option<&'a str>,
    pub(super) content_bytes: u64,
    pub(super) privacy: PrivacyReport,
    /// Forgotten later in the log: it keeps its names, its numbers and its turn
    /// but is found through no index.
    pub(super) is_dead: bool,
}

/// Writes what an event is found through, and counts it.
pub(super) fn project(
    tables: &mut Tables<'_>,
    sessions: &mut HashMap<u32, SessionRow>,
    state: &mut State,
    event: &Projection<'_>,
    forward: Option<&ForwardBody>,
) -> Result<()> {
    let (seq, at, live) = (event.seq, event.at, !event.is_dead);
    tables.ids.insert(event.id.as_slice(), seq)?;
    tables.citations.insert(event.citation.as_bytes(), seq)?;
    if let Some(key) = event.dedupe {
        tables.dedupe.insert(key.as_slice(), seq)?;
    }
    let time = tables::time_key(at, seq);
    if live {
        tables.by_time.insert(time.as_slice(), ())?;
    }

    // Tool events are skipped when neighbours are counted: only prompts and
    // responses are turns.
    let is_turn = matches!(event.kind, EventKind::UserPrompt | EventKind::AgentResponse);
    let project = tables.number(Facet::Project, event.project)?;
    let mut facets = vec![(Facet::Kind, u32::from(event.kind.number()))];
    if !event.project.is_empty() {
        facets.push((Facet::Project, project));
    }
    if let Some(tool) = event.tool {
        facets.push((Facet::Tool, tables.number(Facet::Tool, tool)?));
    }
    if is_turn && !matches!(event.actor, "user" | "assistant") {
        // Speakers are looked up by the names that questions use.
        tables.number(Facet::Actor, event.actor.trim().to_lowercase().as_str())?;
    }
    if let Some(file) = event.file {
        facets.push((Facet::File, tables.number(Facet::File, file)?));
    }
    if live {
        for (facet, number) in facets {
            tables.facet(facet, number, &time)?;
        }
    }

    // Events about the store itself, such as tombstones, belong to no session.
    let mut turn = None;
    let mut session = 0;
    if !event.session.is_empty() {
        session = tables.number(Facet::Session, event.session)?;
        let row = match sessions.entry(session) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let known = tables
                    .sessions
                    .get(session)?
                    .map(|v| SessionRow::decode(v.value()));
                entry.insert(match known {
                    Some(row) => row?,
                    None => SessionRow {
                        name: event.session.to_owned(),
                        ..SessionRow::default()
                    },
                })
            }
        };
        if live {
            row.take(event.kind, seq, at, project);
        }
        turn = is_turn.then(|| {
            let turn = row.next_turn;
            row.next_turn += 1;
            turn
        });
    }
    state.last_seq = seq;
    state.log_bytes += event.record_bytes;
    let report = &event.privacy;
    state.private_sections += u64::from(report.private_count);
    state.secrets_masked += u64::from(report.secret_count);
    state.bytes_filtered += report.original_bytes.saturating_sub(report.filtered_bytes);
    if event.is_dead {
        return Ok(());
    }

    if let Some(turn) = turn {
        tables
            .session_turns
            .insert(tables::session_turn_key(session, turn).as_slice(), seq)?;
    }
    if event.kind.is_conversation() {
        tables
            .session_events
            .insert(tables::session_event_key(session, &time).as_slice(), ())?;
    }
    if let Some(body) = forward {
        let facts = EventFacts {
            seq,
            session,
            turn: turn.unwrap_or(NO_TURN),
            project,
            kind: event.kind.number(),
            origin: event.origin,
            flags: 0,
            timestamp: at,
            actor: actor_hash(event.actor),
        };
        tables.tail.insert(seq, body.encode(&facts).as_slice())?;
        state.tail_events += 1;
    }
    if state.live_events == 0 {
        (state.first_ms, state.last_ms) = (at, at);
    }
    state.live_events += 1;
    state.first_ms = state.first_ms.min(at);
    state.last_ms = state.last_ms.max(at);
    if event.kind.is_conversation() {
        state.conversation[usize::from(event.kind.number()) - 1] += 1;
    }
    state.payload_bytes += event.content_bytes;
    Ok(())
}

fn duplicate_receipt(
    tables: &Tables<'_>,
    seq: u64,
    draft: &Draft,
    warnings: Vec<String>,
) -> Result<Appended> {
    let stored = tables
        .events
        .get(seq)?
        .ok_or_else(|| super::read::missing_record(seq))?;
    let view = record::RecordView::new(seq, stored.value())?;
    let archive = view.archive()?;
    Ok(Appended {
        id: EventId::from_bytes(archive.id),
        seq: Seq(seq),
        citation: CitationId::from_checked(archive.citation.as_str().to_owned()),
        duplicate: true,
        privacy: draft.event.privacy,
        truncated_bytes: draft.event.truncated_bytes,
        warnings,
    })
}

fn build_record(
    draft: &Draft,
    id: EventId,
    citation: &str,
    salt: [u8; 16],
    dedupe: Option<[u8; 16]>,
) -> RecordV1 {
    let event = &draft.event;
    RecordV1 {
        salt,
        id: *id.as_bytes(),
        timestamp_ms: draft.timestamp.millis(),
        origin: draft.origin as u8,
        session: event.session.clone(),
        project: draft.project.clone(),
        actor: draft.actor.clone(),
        citation: citation.to_owned(),
        canonical_key: canonical_key(event.content.as_str(), None),
        content: event.content.as_str().to_owned(),
        metadata: event.metadata.as_ref().map(|json| json.as_str().to_owned()),
        tool: event.tool.as_ref().map(|tool| ToolV1 {
            name: tool.name.as_str().to_owned(),
            input: tool.input.as_ref().map(|json| json.as_str().to_owned()),
            output: tool.output.as_str().to_owned(),
            duration_ms: tool.duration_ms,
            success: tool.success,
            error: tool.error.as_ref().map(|text| text.as_str().to_owned()),
            prompt_index: tool.prompt_index,
            tool_index: tool.tool_index,
            metadata: tool.metadata.as_str().to_owned(),
        }),
        privacy: PrivacyV1 {
            private_count: event.privacy.private_count,
            secret_count: event.privacy.secret_count,
            anonymized_count: event.privacy.anonymized_count,
            original_bytes: event.privacy.original_bytes,
            filtered_bytes: event.privacy.filtered_bytes,
        },
        dedupe,
    }
}

/// What is stored of a dedupe key: 16 bytes of a hash keyed with the store's
/// secret. The parts are length-prefixed, so that no two keys run together.
pub(crate) fn dedupe_hash(
    secret: &[u8; 32],
    session: &str,
    dedupe: &Dedupe,
    content: &str,
) -> Option<[u8; 16]> {
    let (tag, text) = match dedupe {
        Dedupe::Content => (0u8, content),
        Dedupe::Key(key) => (1, key.as_str()),
        Dedupe::None => return None,
    };
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&[tag]);
    // A key of the caller's own is good for the whole store: an importer's
    // message uuid means the same message in whatever session it turns up.
    if tag == 0 {
        hasher.update(&(session.len() as u64).to_le_bytes());
        hasher.update(session.as_bytes());
    }
    hasher.update(text.as_bytes());
    Some(
        hasher.finalize().as_bytes()[..16]
            .try_into()
            .expect("a BLAKE3 hash has 32 bytes"),
    )
}

impl<'t> Tables<'t> {
    /// Opens every table that an event is found through.
    pub(super) fn open(transaction: &'t redb::WriteTransaction) -> Result<Self> {
        Ok(Tables {
            events: transaction.open_table(tables::EVENTS)?,
            ids: transaction.open_table(tables::EVENT_IDS)?,
            citations: transaction.open_table(tables::CITATIONS)?,
            dedupe: transaction.open_table(tables::DEDUPE)?,
            by_time: transaction.open_table(tables::BY_TIME)?,
            by_facet: transaction.open_table(tables::BY_FACET)?,
            names: transaction.open_table(tables::NAMES)?,
            name_of: transaction.open_table(tables::NAME_OF)?,
            sessions: transaction.open_table(tables::SESSIONS)?,
            session_events: transaction.open_table(tables::SESSION_EVENTS)?,
            session_turns: transaction.open_table(tables::SESSION_TURNS)?,
            dead: transaction.open_table(tables::DEAD)?,
            tail: transaction.open_table(tables::LEXICAL_TAIL)?,
        })
    }

    /// The number of a name, given when it is first seen.
    pub(super) fn number(&mut self, facet: Facet, name: &str) -> Result<u32> {
        number_of(&mut self.names, &mut self.name_of, facet, name)
    }

    fn facet(&mut self, facet: Facet, number: u32, time: &[u8; 16]) -> Result<()> {
        self.by_facet
            .insert(tables::facet_key(facet, number, time).as_slice(), ())?;
        Ok(())
    }
}

/// The number of a name, given when it is first seen.
pub(super) fn number_of(
    names: &mut BytesTable<'_, u32>,
    name_of: &mut BytesTable<'_, &'static [u8]>,
    facet: Facet,
    name: &str,
) -> Result<u32> {
    let key = tables::name_key(facet, name);
    if let Some(number) = names.get(key.as_slice())?.map(|v| v.value()) {
        return Ok(number);
    }
    let next = name_of
        .range(
            tables::number_key(facet, 0).as_slice()
                ..=tables::number_key(facet, u32::MAX).as_slice(),
        )?
        .next_back()
        .transpose()?
        .map_or(1, |(key, _)| {
            let key = key.value();
            key[1..]
                .try_into()
                .map_or(1, |bytes| u32::from_be_bytes(bytes) + 1)
        });
    names.insert(key.as_slice(), next)?;
    name_of.insert(tables::number_key(facet, next).as_slice(), name.as_bytes())?;
    Ok(next)
}
