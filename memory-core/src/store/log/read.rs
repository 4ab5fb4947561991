//! Reads events by name, in time order and filtered; sessions; and changes. Everything here
//! skips forgotten and erased events.

use std::collections::BinaryHeap;
use std::ops::Bound;

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::session::Session;
use crate::model::stats::{EmbeddingStats, LayerStats, LexicalStats, PrivacyTotals, Stats};
use crate::model::time::Timestamp;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::{catch_panic, damaged_because};
pub(crate) use crate::store::database::panics::{disagreement, missing_record};
use crate::store::log::event_view::EventGuard;
use crate::store::log::record::RecordView;
use crate::store::log::session::{SessionRow, first_turn_from, turns_before};
use crate::store::tables::{self, Facet, last_number};
use crate::store::{ReadTx, WriteTx};

/// The direction of a walk in time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Towards earlier events.
    Backward,
    /// Towards later events.
    Forward,
}

impl ReadTx {
    /// The position of an event, or `None` if it does not exist. A forgotten event still
    /// has one.
    pub(crate) fn seq_of(&self, event: &EventRef) -> Result<Option<u64>> {
        catch_panic(|| {
            Ok(match event {
                // The log has no gaps: it contains every position up to its last.
                EventRef::Seq(Seq(seq)) => match self.events_table()?.get(*seq)? {
                    Some(_) => Some(*seq),
                    None if *seq == 0 || *seq > self.state()?.last_seq => None,
                    None => return Err(missing_record(*seq)),
                },
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

    /// The positions of the records of other stores that have this citation there and another one
    /// here, in order.
    pub(crate) fn cited_elsewhere(&self, citation: &CitationId) -> Result<Vec<u64>> {
        catch_panic(|| {
            let citations = self.transaction.open_table(tables::CITATIONS)?;
            let [first, last] =
                [0, u64::MAX].map(|seq| tables::citation_elsewhere_key(citation.as_str(), seq));
            let rows = citations.range(first.as_bytes()..=last.as_bytes())?;
            rows.map(|row| Ok(row?.1.value())).collect()
        })
    }

    /// The event, or `None` if it never existed or was forgotten.
    pub(crate) fn event(&self, event: &EventRef) -> Result<Option<Event>> {
        let guard = self.guard(event)?;
        guard.map(|guard| Ok(guard.view()?.to_event())).transpose()
    }

    /// The page of an event, or `None` if it never existed or was forgotten.
    pub(crate) fn guard(&self, event: &EventRef) -> Result<Option<EventGuard>> {
        let seq = match event {
            // The log has no gaps.
            EventRef::Seq(Seq(seq)) => {
                let is_there = *seq != 0 && *seq <= self.state()?.last_seq;
                is_there.then_some(*seq)
            }
            _ => self.seq_of(event)?,
        };
        seq.map_or(Ok(None), |seq| self.guard_at(seq))
    }

    /// The live event at a position of the log.
    pub(crate) fn event_at(&self, seq: u64) -> Result<Option<Event>> {
        let guard = self.guard_at(seq)?;
        guard.map(|guard| Ok(guard.view()?.to_event())).transpose()
    }

    /// The page of the live event at a position of the log.
    pub(crate) fn guard_at(&self, seq: u64) -> Result<Option<EventGuard>> {
        if self.tombstones_table()?.get(seq)?.is_some() {
            return Ok(None);
        }
        let page = self.events_table()?.get_held(seq)?;
        let (guard, at_ms) = EventGuard::new(seq, page.ok_or_else(|| missing_record(seq))?)?;
        self.check_live(seq, at_ms)?;
        Ok(Some(guard))
    }

    /// Every live event has its row in time order, and no other event has one: a forgotten
    /// event must not come back because a page of the tombstones is damaged.
    fn check_live(&self, seq: u64, at_ms: i64) -> Result<()> {
        let key = tables::time_key(at_ms, seq);
        match self.by_time_table()?.get(key.as_slice())? {
            Some(_) => Ok(()),
            None => Err(disagreement(seq, "the tombstones and the time index")),
        }
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

    /// Whether the event at a position was forgotten or erased.
    pub(crate) fn is_hidden(&self, seq: u64) -> Result<bool> {
        Ok(self.tombstones_table()?.get(seq)?.is_some())
    }

    /// The record that says that an event is forgotten or erased, if any.
    pub(crate) fn tombstone_of(&self, seq: u64) -> Result<Option<u64>> {
        let tombstone = self.tombstones_table()?.get(seq)?;
        Ok(tombstone.map(|tombstone| tombstone.value()))
    }

    /// Those of some positions whose events are neither forgotten nor erased.
    pub(crate) fn still_live(&self, seqs: &[u64]) -> Result<Vec<u64>> {
        live_of(self.tombstones_table()?, seqs)
    }

    /// Live events after a position, in log order, at most `limit`.
    pub(crate) fn changes_since(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        let (events, tombstones) = (self.events_table()?, self.tombstones_table()?);
        let last = self.state()?.last_seq;
        let mut out = Vec::new();
        let mut next = after.saturating_add(1);
        for entry in events.range((Bound::Excluded(after), Bound::Unbounded))? {
            if out.len() == limit {
                return Ok(out);
            }
            let (seq, bytes) = entry?;
            // The log has no gaps.
            if seq.value() != next || next > last {
                return Err(missing_record(next));
            }
            next += 1;
            if tombstones.get(seq.value())?.is_none() {
                let view = RecordView::new(seq.value(), bytes.value())?;
                self.check_live(seq.value(), view.archive()?.timestamp_ms)?;
                out.push(view.to_event()?);
            }
        }
        if next <= last && out.len() < limit {
            return Err(missing_record(next));
        }
        Ok(out)
    }

    /// The number of a dictionary name.
    pub(crate) fn number(&self, facet: Facet, name: &str) -> Result<Option<u32>> {
        catch_panic(|| {
            let names = self.transaction.open_table(tables::NAMES)?;
            Ok(names
                .get(tables::name_key(facet, name).as_slice())?
                .map(|v| v.value()))
        })
    }

    pub(crate) fn name(&self, facet: Facet, number: u32) -> Result<Option<String>> {
        catch_panic(|| {
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

    /// The project of a session; `None` if there is no such session.
    pub(crate) fn session_project(&self, name: &str) -> Result<Option<String>> {
        match self.session(name)? {
            Some((_, row)) => self.name(Facet::Project, row.project),
            None => Ok(None),
        }
    }

    /// The project that a session was given to, if it was.
    pub(crate) fn given_project(&self, session: &str) -> Result<Option<String>> {
        match self.session(session)? {
            Some((_, row)) if row.is_project_set => self.name(Facet::Project, row.project),
            _ => Ok(None),
        }
    }

    pub(crate) fn session_row(&self, number: u32) -> Result<Option<SessionRow>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSIONS)?;
            table
                .get(number)?
                .map(|row| SessionRow::decode(row.value()))
                .transpose()
        })
    }

    /// The rows of every session.
    pub(crate) fn every_session(&self) -> Result<Vec<SessionRow>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSIONS)?;
            table
                .iter()?
                .map(|entry| SessionRow::decode(entry?.1.value()))
                .filter(|row| row.as_ref().map_or(true, SessionRow::is_live))
                .collect()
        })
    }

    /// The rows of the sessions with the newest events, of a project or of all: at least
    /// `limit` if there are as many, including all that share the last time. Unordered.
    pub(crate) fn newest_sessions(
        &self,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Vec<SessionRow>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let projects = match project {
            Some(project) => self.number(Facet::Project, project)?.into_iter().collect(),
            None => self.project_numbers()?,
        };
        catch_panic(|| {
            let sessions = self.transaction.open_table(tables::SESSIONS)?;
            let by_project = self.transaction.open_table(tables::PROJECT_SESSIONS)?;
            // The remaining sessions of each project; the heap's top is the one with the
            // newest.
            let mut left = Vec::with_capacity(projects.len());
            let mut newest = BinaryHeap::new();
            for project in projects {
                let first = tables::project_session_key(project, i64::MIN, 0);
                let last = tables::project_session_key(project, i64::MAX, u32::MAX);
                let mut keys = by_project.range(first.as_slice()..=last.as_slice())?;
                if let Some(row) = keys.next_back() {
                    newest.push((session_place(row?.0.value()), left.len()));
                    left.push(keys);
                }
            }
            let mut rows: Vec<SessionRow> = Vec::new();
            let mut time = 0;
            while let Some(((at, number), project)) = newest.pop() {
                if rows.len() >= limit && at != time {
                    break;
                }
                time = at;
                let row = sessions
                    .get(number)?
                    .ok_or_else(|| damaged_because("a project lists an unknown session"))?;
                let row = SessionRow::decode(row.value())?;
                if !row.is_forgotten() {
                    rows.push(row);
                }
                if let Some(row) = left[project].next_back() {
                    newest.push((session_place(row?.0.value()), project));
                }
            }
            Ok(rows)
        })
    }

    /// The numbers of all projects.
    fn project_numbers(&self) -> Result<Vec<u32>> {
        catch_panic(|| {
            let names = self.transaction.open_table(tables::NAME_OF)?;
            let first = tables::number_key(Facet::Project, 0);
            let last = tables::number_key(Facet::Project, u32::MAX);
            names
                .range(first.as_slice()..=last.as_slice())?
                .map(|row| Ok(last_number(row?.0.value())))
                .collect()
        })
    }

    /// A session in its public form.
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

    /// The store's statistics; the caller supplies the size of its folder.
    pub(crate) fn stats(&self, size_bytes: u64) -> Result<Stats> {
        catch_panic(|| {
            let state = self.state()?;
            let any = state.live_events > 0;
            let at = |ms: i64| (ms != 0).then(|| Timestamp::from_millis_clamped(ms));
            let segments = self
                .transaction
                .open_table(tables::LEXICAL_SEGMENTS)?
                .len()?;
            let conversation: u64 = state.conversation.iter().sum();
            let embedding = self.embedding_stats()?;
            Ok(Stats {
                events: state.live_events,
                prompts: state.conversation[0],
                responses: state.conversation[1],
                summaries: state.conversation[2],
                tools: state.conversation[3],
                sessions: self.count_sessions()?,
                projects: self.count_projects()?,
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
                // Pauses are counted from a projection.
                paused_sessions: 0,
                paused_projects: 0,
                privacy: PrivacyTotals {
                    private_sections: state.private_sections,
                    sessions: state.private_sessions,
                    secrets_masked: state.secrets_masked,
                    bytes_filtered: state.bytes_filtered,
                },
                injections: self.injection_stats()?,
                // Only the folder knows what an erasure is waiting for.
                open_erasures: 0,
                requested_erasures: 0,
                unclean_places: Vec::new(),
                lexical: LexicalStats {
                    segments,
                    flushed_events: conversation.saturating_sub(state.memtable_events),
                    memtable_events: state.memtable_events,
                    last_flush: at(state.last_flush_ms),
                    // Only the index itself knows what it could not read.
                    ..LexicalStats::default()
                },
                layers: self.layers(embedding.as_ref())?,
                embedding,
            })
        })
    }

    /// The learned layers, and the outbox if there is an embedder.
    fn layers(&self, embedding: Option<&EmbeddingStats>) -> Result<Vec<LayerStats>> {
        let mut layers = crate::store::projected_rows::layers::layers(&self.projected()?)?;
        layers.extend(embedding.map(|embedding| LayerStats {
            name: "outbox",
            size: embedding.pending + embedding.processing + embedding.done + embedding.failed,
            backlog: embedding.pending + embedding.failed + embedding.to_enqueue,
            last_moved: embedding.last_processed,
        }));
        Ok(layers)
    }

    fn count_sessions(&self) -> Result<u64> {
        self.transaction.open_table(tables::PROJECT_SESSIONS)?.len()
    }

    /// How many projects have a name: numbers are consecutive, and the empty name has one
    /// too if used.
    fn count_projects(&self) -> Result<u64> {
        let names = self.transaction.open_table(tables::NAME_OF)?;
        let first = tables::number_key(Facet::Project, 0);
        let last = tables::number_key(Facet::Project, u32::MAX);
        let Some(row) = names.range(first.as_slice()..=last.as_slice())?.next_back() else {
            return Ok(0);
        };
        let (key, _) = row?;
        let numbers = last_number(key.value());
        let has_empty = self.number(Facet::Project, "")?.is_some();
        Ok(u64::from(numbers).saturating_sub(u64::from(has_empty)))
    }

    /// The position of a prompt or response, by its ordinal in the session.
    pub(crate) fn turn(&self, session: u32, turn: u32) -> Result<Option<u64>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSION_TURNS)?;
            Ok(table
                .get(tables::session_turn_key(session, turn).as_slice())?
                .map(|v| v.value()))
        })
    }

    /// The prompts and responses of a session after a log position, in order, with their
    /// ordinals in the session.
    pub(crate) fn turns_after(&self, session: u32, after: u64) -> Result<Vec<(u32, u64)>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSION_TURNS)?;
            let first = first_turn_from(&table, session, after.saturating_add(1))?;
            let first = tables::session_turn_key(session, first);
            let last = tables::session_turn_key(session, u32::MAX);
            let mut turns = Vec::new();
            for entry in table.range(first.as_slice()..=last.as_slice())? {
                let (key, seq) = entry?;
                turns.push((last_number(key.value()), seq.value()));
            }
            Ok(turns)
        })
    }

    /// The last prompts and responses of a session before a log position, at most `most`, the last
    /// one first.
    pub(crate) fn turns_before(&self, session: u32, seq: u64, most: usize) -> Result<Vec<u64>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSION_TURNS)?;
            turns_before(&table, session, seq, most)
        })
    }

    /// Live conversation events around a moment of a session, in time order: at most
    /// `before` earlier ones, the one itself, and `after` later ones.
    pub(crate) fn neighbours(
        &self,
        session: u32,
        at: Timestamp,
        seq: u64,
        before: usize,
        after: usize,
    ) -> Result<Vec<u64>> {
        let mut out = Vec::with_capacity(before + after + 1);
        let take = |most: usize, direction, out: &mut Vec<u64>| {
            let mut left = most;
            self.walk_session(session, (at, seq), direction, &mut |found| {
                if left > 0 {
                    out.push(found);
                    left -= 1;
                }
                Ok(left > 0)
            })
        };
        take(before, Direction::Backward, &mut out)?;
        out.reverse();
        out.push(seq);
        take(after, Direction::Forward, &mut out)?;
        Ok(out)
    }

    /// Visits the live events of a session on one side of a place, nearest first, until a
    /// visit returns false.
    pub(crate) fn walk_session(
        &self,
        session: u32,
        (at, seq): (Timestamp, u64),
        direction: Direction,
        visit: &mut dyn FnMut(u64) -> Result<bool>,
    ) -> Result<()> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SESSION_EVENTS)?;
            let tombstones = self.tombstones_table()?;
            let place = tables::session_event_key(session, &tables::time_key(at.millis(), seq));
            let place = Bound::Excluded(place.as_slice());
            let first = tables::session_event_key(session, &[0; 16]);
            let last = tables::session_event_key(session, &[0xff; 16]);
            let mut rows = match direction {
                Direction::Backward => table.range((Bound::Included(first.as_slice()), place))?,
                Direction::Forward => table.range((place, Bound::Included(last.as_slice())))?,
            };
            while let Some(row) = match direction {
                Direction::Backward => rows.next_back(),
                Direction::Forward => rows.next(),
            } {
                let found = tables::seq_of(row?.0.value());
                if tombstones.get(found)?.is_none() && !visit(found)? {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl WriteTx<'_> {
    /// The position of an event, forgotten or not, as seen by this transaction.
    pub(crate) fn seq_of_id(&self, id: &EventId) -> Result<Option<u64>> {
        Ok(self
            .transaction
            .open_table(tables::EVENT_IDS)?
            .get(id.as_bytes().as_slice())?
            .map(|v| v.value()))
    }

    /// Like [`WriteTx::seq_of_id`].
    pub(crate) fn seq_of_citation(&self, citation: &CitationId) -> Result<Option<u64>> {
        let citations = self.transaction.open_table(tables::CITATIONS)?;
        let seq = citations.get(citation.as_str().as_bytes())?;
        Ok(seq.map(|seq| seq.value()))
    }

    /// The project that a session was given to, if it was.
    pub(crate) fn given_project(&self, session: &str) -> Result<Option<String>> {
        let Some(number) = self.session_number(session)? else {
            return Ok(None);
        };
        let row = match self.transaction.open_table(tables::SESSIONS)?.get(number)? {
            Some(row) => SessionRow::decode(row.value())?,
            None => return Ok(None),
        };
        if !row.is_project_set {
            return Ok(None);
        }
        let names = self.transaction.open_table(tables::NAME_OF)?;
        let key = tables::number_key(Facet::Project, row.project);
        let name = names.get(key.as_slice())?;
        Ok(name.map(|name| String::from_utf8_lossy(name.value()).into_owned()))
    }

    /// The live event at a position, as seen by this transaction.
    pub(crate) fn event_at(&self, seq: u64) -> Result<Option<Event>> {
        if self.is_deleted(seq)? {
            return Ok(None);
        }
        self.recorded_event(seq)
    }

    /// Like [`ReadTx::with_record`], as seen by this transaction.
    pub(crate) fn with_record<T>(
        &self,
        seq: u64,
        look: impl FnOnce(&RecordView<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.transaction.open_table(tables::EVENTS)?.get(seq)? {
            Some(bytes) => look(&RecordView::new(seq, bytes.value())?).map(Some),
            None => Ok(None),
        }
    }

    /// The event at a position, live or forgotten.
    pub(crate) fn recorded_event(&self, seq: u64) -> Result<Option<Event>> {
        self.with_record(seq, |view| view.to_event())
    }

    /// The kind of the event at a position.
    pub(crate) fn kind_at(&self, seq: u64) -> Result<Option<crate::model::event::EventKind>> {
        self.with_record(seq, |view| Ok(view.kind()))
    }

    /// The record that says that an event is forgotten or erased, if any.
    pub(crate) fn tombstone_of(&self, seq: u64) -> Result<Option<u64>> {
        let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
        Ok(tombstones.get(seq)?.map(|tombstone| tombstone.value()))
    }

    /// Those of some positions whose events are neither forgotten nor erased.
    pub(crate) fn still_live(&self, seqs: &[u64]) -> Result<Vec<u64>> {
        live_of(&self.transaction.open_table(tables::TOMBSTONES)?, seqs)
    }

    /// Whether the event at a position was forgotten or erased.
    pub(crate) fn is_deleted(&self, seq: u64) -> Result<bool> {
        Ok(self
            .transaction
            .open_table(tables::TOMBSTONES)?
            .get(seq)?
            .is_some())
    }
}

/// Those of some positions that have no tombstone.
fn live_of(tombstones: &impl ReadableTable<u64, u64>, seqs: &[u64]) -> Result<Vec<u64>> {
    let mut live = Vec::with_capacity(seqs.len());
    for &seq in seqs {
        if tombstones.get(seq)?.is_none() {
            live.push(seq);
        }
    }
    Ok(live)
}

/// The time of the last event of a session in `project_sessions`, as an order-preserving
/// number, and the session's number.
fn session_place(key: &[u8]) -> (u64, u32) {
    let at = key.get(4..12).and_then(|at| at.try_into().ok());
    (at.map_or(0, u64::from_be_bytes), last_number(key))
}
