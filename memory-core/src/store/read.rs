//! Reading: events by their names, in the order of time, filtered; sessions;
//! changes. Everything here skips what was forgotten or erased.

use std::ops::Bound;

use redb::{ReadOnlyTable, ReadableTable, ReadableTableMetadata};

use super::engine::sound;
use super::record::RecordView;
use super::session::SessionRow;
use super::tables::{self, Facet};
use super::{ReadTx, WriteTx};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{EventId, EventRef, Seq};
use crate::model::session::Session;
use crate::model::stats::{EmbeddingStats, LayerStats, LexicalStats, PrivacyTotals, Stats};
use crate::model::time::Timestamp;

pub(crate) fn missing_record(seq: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("record {seq} is missing from the log although an index names it; run check()"),
    )
}

/// Which events are wanted. Every field that is set must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) session: Option<String>,
    pub(crate) project: Option<String>,
    /// Empty: the four conversation kinds.
    pub(crate) kinds: Vec<EventKind>,
    /// First moment that counts.
    pub(crate) from: Option<Timestamp>,
    /// First moment that no longer counts.
    pub(crate) until: Option<Timestamp>,
    pub(crate) tool: Option<String>,
    /// Part of a file's path.
    pub(crate) file_contains: Option<String>,
    pub(crate) newest_first: bool,
}

/// Where a scan goes: an index with a fixed prefix, in the order of time.
#[derive(Clone, Debug)]
enum Index {
    Time,
    Facet(Facet, u32),
    Session(u32),
    Nothing,
}

/// A place in a scan, from which it can go on in any later transaction.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    wanted: Wanted,
    // One index, or several of equal kind (files that share a part of a path).
    indexes: Vec<Index>,
    after: Option<[u8; 16]>,
    done: bool,
}

/// How many index keys one step of a scan looks at.
const SCAN_STEP: usize = 256;

impl ReadTx {
    /// The position of an event, or `None` when there is no such event. A
    /// forgotten event still has one.
    pub(crate) fn seq_of(&self, event: &EventRef) -> Result<Option<u64>> {
        sound(|| {
            Ok(match event {
                EventRef::Seq(Seq(seq)) => self.events_table()?.get(*seq)?.map(|_| *seq),
                EventRef::Id(id) => self
                    .transaction
                    .open_table(tables::EVENT_IDS)?
                    .get(id.as_bytes().as_slice())?
                    .map(|v| v.value()),
                EventRef::Citation(citation) => self
                    .transaction
                    .open_table(tables::CITATIONS)?
                    .get(citation.as_str().as_bytes())?
                    .map(|v| v.value()),
            })
        })
    }

    /// The event, or `None` when it never was or was forgotten.
    pub(crate) fn event(&self, event: &EventRef) -> Result<Option<Event>> {
        match self.seq_of(event)? {
            Some(seq) => self.event_at(seq),
            None => Ok(None),
        }
    }

    /// The live event at a position.
    pub(crate) fn event_at(&self, seq: u64) -> Result<Option<Event>> {
        if self.dead_table()?.get(seq)?.is_some() {
            return Ok(None);
        }
        self.events_table()?
            .get(seq)?
            .map(|bytes| RecordView::new(seq, bytes.value())?.to_event())
            .transpose()
    }

    /// Runs `look` on the record at a position, without copying it.
    pub(crate) fn with_record<T>(
        &self,
        seq: u64,
        look: impl FnOnce(&RecordView<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.events_table()?.get(seq)? {
            Some(bytes) => look(&RecordView::new(seq, bytes.value())?).map(Some),
            None => Ok(None),
        }
    }

    /// Live events after a position, in log order, at most `limit`.
    pub(crate) fn changes_since(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        let (events, dead) = (self.events_table()?, self.dead_table()?);
        let mut out = Vec::new();
        for entry in events.range((Bound::Excluded(after), Bound::Unbounded))? {
            if out.len() == limit {
                break;
            }
            let (seq, bytes) = entry?;
            if dead.get(seq.value())?.is_none() {
                out.push(RecordView::new(seq.value(), bytes.value())?.to_event()?);
            }
        }
        Ok(out)
    }

    /// The number of a dictionary name.
    pub(crate) fn number(&self, facet: Facet, name: &str) -> Result<Option<u32>> {
        sound(|| {
            let names = self.transaction.open_table(tables::NAMES)?;
            Ok(names
                .get(tables::name_key(facet, name).as_slice())?
                .map(|v| v.value()))
        })
    }

    /// Every name of a dictionary with its number, in the order of numbers.
    pub(crate) fn names(&self, facet: Facet) -> Result<Vec<(u32, String)>> {
        sound(|| {
            let table = self.transaction.open_table(tables::NAME_OF)?;
            let (from, to) = (
                tables::number_key(facet, 0),
                tables::number_key(facet, u32::MAX),
            );
            table
                .range(from.as_slice()..=to.as_slice())?
                .map(|entry| {
                    let (key, name) = entry?;
                    let number = key.value()[1..].try_into().map_or(0, u32::from_be_bytes);
                    Ok((number, String::from_utf8_lossy(name.value()).into_owned()))
                })
                .collect()
        })
    }

    pub(crate) fn name(&self, facet: Facet, number: u32) -> Result<Option<String>> {
        sound(|| {
            let table = self.transaction.open_table(tables::NAME_OF)?;
            Ok(table
                .get(tables::number_key(facet, number).as_slice())?
                .map(|name| String::from_utf8_lossy(name.value()).into_owned()))
        })
    }

    /// One session's row.
    pub(crate) fn session(&self, name: &str) -> Result<Option<(u32, SessionRow)>> {
        let Some(number) = self.number(Facet::Session, name)? else {
            return Ok(None);
        };
        let row = self.session_row(number)?.filter(SessionRow::is_live);
        Ok(row.map(|row| (number, row)))
    }

    pub(crate) fn session_row(&self, number: u32) -> Result<Option<SessionRow>> {
        sound(|| {
            let table = self.transaction.open_table(tables::SESSIONS)?;
            table
                .get(number)?
                .map(|row| SessionRow::decode(row.value()))
                .transpose()
        })
    }

    /// Every session's row.
    pub(crate) fn sessions(&self) -> Result<Vec<SessionRow>> {
        sound(|| {
            let table = self.transaction.open_table(tables::SESSIONS)?;
            table
                .iter()?
                .map(|entry| SessionRow::decode(entry?.1.value()))
                .filter(|row| row.as_ref().map_or(true, SessionRow::is_live))
                .collect()
        })
    }

    /// A session as callers see it.
    pub(crate) fn public_session(&self, row: SessionRow) -> Result<Session> {
        Ok(Session {
            project: self.name(Facet::Project, row.project)?.unwrap_or_default(),
            id: row.name,
            started: Timestamp::from_millis_clamped(row.started_ms),
            ended: row.ended_ms.map(Timestamp::from_millis_clamped),
            last_event: Timestamp::from_millis_clamped(row.last_ms),
            summary: row.summary,
            tags: row.tags,
            events: row.events,
            prompts: row.prompts,
            responses: row.responses,
            tools: row.tools,
        })
    }

    /// The store's figures; the caller supplies the size of its folder.
    pub(crate) fn stats(&self, size_bytes: u64) -> Result<Stats> {
        sound(|| {
            let state = self.state()?;
            let any = state.live_events > 0;
            let at = |ms: i64| (ms != 0).then(|| Timestamp::from_millis_clamped(ms));
            let segments = self
                .transaction
                .open_table(tables::LEXICAL_SEGMENTS)?
                .len()?;
            let projects = self.names(Facet::Project)?;
            let conversation: u64 = state.conversation.iter().sum();
            let embedding = self.embedding_stats()?;
            Ok(Stats {
                events: state.live_events,
                prompts: state.conversation[0],
                responses: state.conversation[1],
                summaries: state.conversation[2],
                tools: state.conversation[3],
                sessions: self.count_sessions()?,
                projects: projects.iter().filter(|(_, name)| !name.is_empty()).count() as u64,
                forgotten: state.forgotten_events,
                erased: state.erased_events,
                last_seq: state.last_seq,
                oldest: any.then(|| Timestamp::from_millis_clamped(state.first_ms)),
                newest: any.then(|| Timestamp::from_millis_clamped(state.last_ms)),
                payload_bytes: state.payload_bytes,
                log_bytes: state.log_bytes,
                size_bytes,
                quota_bytes: 0,
                is_over_quota: false,
                last_append: at(state.last_append_ms),
                privacy: PrivacyTotals {
                    private_sections: state.private_sections,
                    secrets_masked: state.secrets_masked,
                    bytes_filtered: state.bytes_filtered,
                },
                injections: self.injection_stats()?,
                lexical: LexicalStats {
                    segments,
                    folded_events: conversation.saturating_sub(state.tail_events),
                    tail_events: state.tail_events,
                    last_fold: at(state.last_fold_ms),
                    // Only the index itself knows what it could not read.
                    ..LexicalStats::default()
                },
                layers: self.layers(embedding.as_ref())?,
                embedding,
            })
        })
    }

    /// What was learned, and the outbox when there is an embedder.
    fn layers(&self, embedding: Option<&EmbeddingStats>) -> Result<Vec<LayerStats>> {
        let mut layers = super::projected::layers(&self.projected()?)?;
        layers.extend(embedding.map(|embedding| LayerStats {
            name: "outbox",
            size: embedding.pending + embedding.processing + embedding.done + embedding.failed,
            backlog: embedding.pending + embedding.failed + embedding.to_enqueue,
            last_moved: embedding.last_processed,
        }));
        Ok(layers)
    }

    pub(crate) fn count_sessions(&self) -> Result<u64> {
        Ok(self.sessions()?.len() as u64)
    }

    /// The position of a prompt or response by its place in the session.
    pub(crate) fn turn(&self, session: u32, turn: u32) -> Result<Option<u64>> {
        sound(|| {
            let table = self.transaction.open_table(tables::SESSION_TURNS)?;
            Ok(table
                .get(tables::session_turn_key(session, turn).as_slice())?
                .map(|v| v.value()))
        })
    }

    /// Live conversation events around a moment of a session, in the order of
    /// time: at most `before` earlier ones, the one itself, `after` later ones.
    pub(crate) fn neighbours(
        &self,
        session: u32,
        at: Timestamp,
        seq: u64,
        before: usize,
        after: usize,
    ) -> Result<Vec<u64>> {
        sound(|| {
            let table = self.transaction.open_table(tables::SESSION_EVENTS)?;
            let dead = self.dead_table()?;
            let target = tables::session_event_key(session, &tables::time_key(at.millis(), seq));
            let first = tables::session_event_key(session, &[0; 16]);
            let last = tables::session_event_key(session, &[0xff; 16]);
            let mut out = Vec::with_capacity(before + after + 1);
            for entry in table.range(first.as_slice()..target.as_slice())?.rev() {
                if out.len() == before {
                    break;
                }
                let found = tables::seq_of(entry?.0.value());
                if dead.get(found)?.is_none() {
                    out.push(found);
                }
            }
            out.reverse();
            out.push(seq);
            let wanted = out.len() + after;
            for entry in table.range((
                Bound::Excluded(target.as_slice()),
                Bound::Included(last.as_slice()),
            ))? {
                if out.len() == wanted {
                    break;
                }
                let found = tables::seq_of(entry?.0.value());
                if dead.get(found)?.is_none() {
                    out.push(found);
                }
            }
            Ok(out)
        })
    }

    /// Prepares a scan: chooses the index that leaves least to look at.
    pub(crate) fn scan(&self, wanted: Wanted) -> Result<Scan> {
        let mut indexes = None;
        if let Some(part) = &wanted.file_contains {
            let files = self.names(Facet::File)?;
            indexes = Some(
                files
                    .into_iter()
                    .filter(|(_, path)| path.contains(part.as_str()))
                    .map(|(number, _)| Index::Facet(Facet::File, number))
                    .collect(),
            );
        } else if let Some(session) = &wanted.session
            && wanted.conversation_only()
        {
            indexes = Some(vec![match self.number(Facet::Session, session)? {
                Some(number) => Index::Session(number),
                None => Index::Nothing,
            }]);
        } else if let Some(tool) = &wanted.tool {
            indexes = Some(vec![self.facet_index(Facet::Tool, tool)?]);
        } else if wanted.kinds.len() == 1 {
            indexes = Some(vec![Index::Facet(
                Facet::Kind,
                u32::from(wanted.kinds[0].number()),
            )]);
        } else if let Some(project) = &wanted.project
            && !project.is_empty()
        {
            indexes = Some(vec![self.facet_index(Facet::Project, project)?]);
        }
        let indexes = indexes.unwrap_or_else(|| vec![Index::Time]);
        Ok(Scan {
            done: indexes.is_empty(),
            wanted,
            indexes,
            after: None,
        })
    }

    fn facet_index(&self, facet: Facet, name: &str) -> Result<Index> {
        Ok(self
            .number(facet, name)?
            .map_or(Index::Nothing, |number| Index::Facet(facet, number)))
    }

    /// The next events of a scan; empty when it has come to its end.
    pub(crate) fn scan_step(&self, scan: &mut Scan) -> Result<Vec<Event>> {
        let (events, dead) = (self.events_table()?, self.dead_table()?);
        let mut out = Vec::new();
        while out.is_empty() && !scan.done {
            let keys = self.scan_keys(scan)?;
            match keys.last() {
                Some(last) if keys.len() == SCAN_STEP => scan.after = Some(*last),
                _ => scan.done = true,
            }
            for key in keys {
                let seq = tables::seq_of(&key);
                if dead.get(seq)?.is_some() {
                    continue;
                }
                let bytes = events.get(seq)?.ok_or_else(|| missing_record(seq))?;
                let view = RecordView::new(seq, bytes.value())?;
                if scan.wanted.kind_fits(view.kind()) && scan.wanted.record_fits(&view)? {
                    out.push(view.to_event()?);
                }
            }
        }
        Ok(out)
    }

    /// The next time keys of a scan, merged over its indexes, in its order.
    fn scan_keys(&self, scan: &Scan) -> Result<Vec<[u8; 16]>> {
        sound(|| {
            let mut keys: Vec<[u8; 16]> = Vec::new();
            for index in &scan.indexes {
                match index {
                    Index::Nothing => {}
                    Index::Time => {
                        let table = self.transaction.open_table(tables::BY_TIME)?;
                        collect_keys(&table, &[], scan, &mut keys)?;
                    }
                    Index::Facet(facet, number) => {
                        let table = self.transaction.open_table(tables::BY_FACET)?;
                        collect_keys(
                            &table,
                            &tables::number_key(*facet, *number),
                            scan,
                            &mut keys,
                        )?;
                    }
                    Index::Session(number) => {
                        let table = self.transaction.open_table(tables::SESSION_EVENTS)?;
                        collect_keys(&table, &number.to_be_bytes(), scan, &mut keys)?;
                    }
                }
            }
            if scan.indexes.len() > 1 {
                keys.sort_unstable();
                keys.dedup();
                if scan.wanted.newest_first {
                    keys.reverse();
                }
                keys.truncate(SCAN_STEP);
            }
            Ok(keys)
        })
    }
}

impl WriteTx<'_> {
    /// The position of an event, forgotten or not, as this transaction sees it.
    pub(crate) fn seq_of_id(&self, id: &EventId) -> Result<Option<u64>> {
        Ok(self
            .transaction
            .open_table(tables::EVENT_IDS)?
            .get(id.as_bytes().as_slice())?
            .map(|v| v.value()))
    }

    /// The live event at a position, as this transaction sees it.
    pub(crate) fn event_at(&self, seq: u64) -> Result<Option<Event>> {
        if self.is_dead(seq)? {
            return Ok(None);
        }
        self.transaction
            .open_table(tables::EVENTS)?
            .get(seq)?
            .map(|bytes| RecordView::new(seq, bytes.value())?.to_event())
            .transpose()
    }

    /// Whether the event at a position was forgotten or erased.
    pub(crate) fn is_dead(&self, seq: u64) -> Result<bool> {
        Ok(self
            .transaction
            .open_table(tables::DEAD)?
            .get(seq)?
            .is_some())
    }
}

fn collect_keys(
    table: &ReadOnlyTable<&'static [u8], ()>,
    prefix: &[u8],
    scan: &Scan,
    keys: &mut Vec<[u8; 16]>,
) -> Result<()> {
    let join = |time: &[u8]| [prefix, time].concat();
    let wanted = &scan.wanted;
    let lowest = wanted
        .from
        .map_or([0; 16], |at| tables::time_key(at.millis(), 0));
    let mut lower = Bound::Included(join(&lowest));
    let mut upper = match wanted.until {
        Some(at) => Bound::Excluded(join(&tables::time_key(at.millis(), 0))),
        None => Bound::Included(join(&[0xff; 16])),
    };
    if let Some(after) = &scan.after {
        let bound = Bound::Excluded(join(after));
        if wanted.newest_first {
            upper = bound
        } else {
            lower = bound
        }
    }
    let empty = match (&lower, &upper) {
        (Bound::Included(from), Bound::Included(to)) => from > to,
        (
            Bound::Included(from) | Bound::Excluded(from),
            Bound::Excluded(to) | Bound::Included(to),
        ) => from >= to,
        _ => false,
    };
    if empty {
        return Ok(());
    }
    let mut range = table.range((
        lower.as_ref().map(Vec::as_slice),
        upper.as_ref().map(Vec::as_slice),
    ))?;
    for _ in 0..SCAN_STEP {
        let entry = if wanted.newest_first {
            range.next_back()
        } else {
            range.next()
        };
        let Some(entry) = entry else { break };
        let (key, _) = entry?;
        keys.push(key.value()[prefix.len()..].try_into().unwrap_or([0; 16]));
    }
    Ok(())
}

impl Wanted {
    fn conversation_only(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_conversation())
    }

    fn kind_fits(&self, kind: EventKind) -> bool {
        if self.kinds.is_empty() {
            kind.is_conversation()
        } else {
            self.kinds.contains(&kind)
        }
    }

    fn record_fits(&self, view: &RecordView<'_>) -> Result<bool> {
        if self.session.is_none()
            && self.project.is_none()
            && self.tool.is_none()
            && self.from.is_none()
            && self.until.is_none()
        {
            return Ok(true);
        }
        let record = view.archive()?;
        let at = Timestamp::from_millis_clamped(record.timestamp_ms);
        Ok(self
            .session
            .as_ref()
            .is_none_or(|session| record.session.as_str() == session)
            && self
                .project
                .as_ref()
                .is_none_or(|project| record.project.as_str() == project)
            && self.tool.as_ref().is_none_or(|tool| {
                record
                    .tool
                    .as_ref()
                    .is_some_and(|found| found.name.as_str() == tool)
            })
            && self.from.is_none_or(|from| at >= from)
            && self.until.is_none_or(|until| at < until))
    }
}
