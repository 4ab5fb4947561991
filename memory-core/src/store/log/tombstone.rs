//! Deletion: which events a selection matches, and how an event is removed from every index.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::lexical::segment_info::SegmentInfo;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, Origin};
use crate::model::ids::{EventRef, Seq};
use crate::model::session::SessionUpdate;
use crate::model::time::Timestamp;
use crate::store::database::checked::{ReadOnlyTable, ReadableTable, Table};
use crate::store::database::panics::{catch_panic, damaged_because};
use crate::store::log::join::{Conditions, IndexTables, Join, Plan, Span};
use crate::store::log::record::{Record, RecordView};
use crate::store::log::session::{SessionRow, move_session, turn_of};
use crate::store::tables::{self, Facet};
use crate::store::{ReadTx, State, WriteTx};
use crate::text::tool::observed_file;

/// The key in the meta table for the list of segments that still contain words of forgotten events.
const UNCLEAN_KEY: &str = "unclean_segments";

/// The criteria for selecting events; all fields that are set must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) ids: Vec<EventRef>,
    /// The names of one session: of which the events have one. Empty if it does not matter.
    pub(crate) session: Vec<String>,
    pub(crate) before: Option<Timestamp>,
    /// The names of one project, as those of the session.
    pub(crate) project: Vec<String>,
    /// The sessions that were given to that project: their events are selected whatever their own
    /// project is.
    pub(crate) given_sessions: BTreeSet<String>,
    /// The positions of records of other kinds that are selected besides.
    pub(crate) learned: BTreeSet<u64>,
    /// The kinds to select; not empty.
    pub(crate) kinds: Vec<EventKind>,
    /// Whether events that are already forgotten are selected too.
    pub(crate) with_deleted: bool,
}

impl Selection {
    /// Whether a record is in the project, or in a session that was given to it, if that matters.
    pub(crate) fn has_project_of(&self, record: &Record<'_>) -> bool {
        let session = record.session.as_str();
        is_one_of(&self.project, record.project.as_str()) || self.given_sessions.contains(session)
    }

    /// Whether a record meets the conditions besides its project.
    pub(in crate::store) fn fits(&self, kind: EventKind, record: &Record<'_>) -> bool {
        let at = record.timestamp_ms;
        self.kinds.contains(&kind)
            && is_one_of(&self.session, record.session.as_str())
            && self.before.is_none_or(|before| at < before.millis())
    }
}

/// Each of the names; one `None` if there are none, because it does not matter.
fn any_of(names: &[String]) -> Vec<Option<&str>> {
    match names.is_empty() {
        true => vec![None],
        false => names.iter().map(|name| Some(name.as_str())).collect(),
    }
}

fn is_one_of(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|one| one == name)
}

/// Whether records of this kind hide others.
pub(crate) fn is_tombstone(kind: EventKind) -> bool {
    matches!(kind, EventKind::Forgotten | EventKind::Erased)
}

/// What a deletion did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deleted {
    pub(crate) events: u64,
    pub(crate) content_bytes: u64,
    /// The names of the sessions that the events belonged to.
    pub(crate) sessions: BTreeSet<String>,
    pub(crate) jobs: u64,
}

/// The events that are removed from one session.
#[derive(Default)]
struct Leaving {
    /// Kind, position and time of each.
    events: Vec<(EventKind, u64, i64)>,
    /// The positions of those that are turns.
    turns: Vec<u64>,
}

impl Leaving {
    fn add(&mut self, seq: u64, kind: EventKind, at: i64) {
        self.events.push((kind, seq, at));
        if kind.is_turn() {
            self.turns.push(seq);
        }
    }

    /// The session's row without them; `None` if it must be computed from the remaining events.
    ///
    /// The first event determined the row's project and start, the last one its end, and a session
    /// change could determine anything. An event in between, with a time within the row's range,
    /// only affects the counters.
    fn taken_from(&self, row: &SessionRow) -> Option<SessionRow> {
        let mut row = row.clone();
        for &(kind, seq, at) in &self.events {
            let is_at_an_end = seq <= row.first_seq || seq >= row.last_seq || row.events <= 1;
            let is_extreme = kind.is_conversation() && (at <= row.started_ms || at >= row.last_ms);
            if is_at_an_end || is_extreme || kind == EventKind::SessionChanged {
                return None;
            }
            let count = match kind {
                EventKind::UserPrompt => Some(&mut row.prompts),
                EventKind::AgentResponse => Some(&mut row.responses),
                EventKind::ToolObservation => Some(&mut row.tools),
                _ => None,
            };
            if let Some(count) = count {
                *count = count.checked_sub(1)?;
            }
            if kind.is_conversation() {
                row.events = row.events.checked_sub(1)?;
            }
        }
        Some(row)
    }
}

/// What had been deleted at a moment. Work that was prepared from a snapshot may be committed only
/// if nothing was deleted since; otherwise it could bring deleted text back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deletions {
    generation: u64,
    events: u64,
}

impl Deletions {
    fn of(generation: u64, state: &State) -> Self {
        Deletions {
            generation,
            events: state.forgotten_events + state.erased_events,
        }
    }
}

impl ReadTx {
    pub(crate) fn deletions(&self) -> Result<Deletions> {
        Ok(Deletions::of(self.generation(), &self.state()?))
    }
}

impl WriteTx<'_> {
    pub(crate) fn deletions(&self) -> Deletions {
        Deletions::of(self.generation(), &self.state)
    }
}

/// Converts positions to inclusive ranges, in order, as a tombstone stores them.
pub(crate) fn ranges(seqs: &[u64]) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for &seq in seqs {
        match out.last_mut() {
            Some((_, end)) if *end + 1 == seq => *end = seq,
            _ => out.push((seq, seq)),
        }
    }
    out
}

/// The positions in inclusive ranges, in their order.
pub(crate) fn seqs_in(ranges: &[(u64, u64)]) -> impl Iterator<Item = u64> {
    ranges.iter().flat_map(|(from, to)| *from..=*to)
}

/// The positions that a tombstone hides, as inclusive ranges, or the reason why this library cannot
/// have written it. Such a record must be forged, and hides nothing.
pub(crate) fn named_ranges(
    seq: u64,
    record: &Record<'_>,
) -> std::result::Result<Vec<(u64, u64)>, &'static str> {
    #[derive(serde::Deserialize)]
    struct Targets {
        seqs: Vec<(u64, u64)>,
    }
    // The library's own tombstones have no session, and callers can only append events that have
    // one.
    if !record.session.is_empty() || record.origin != Origin::System as u8 {
        return Err("was not written by this library");
    }
    let Some(targets) = record
        .metadata
        .and_then(|json| serde_json::from_str::<Targets>(json.as_str()).ok())
    else {
        return Err("does not say which events it hides");
    };
    // A tombstone only refers to earlier positions.
    let is_past = |(from, to): &(u64, u64)| *from > 0 && from <= to && *to < seq;
    match targets.seqs.iter().all(is_past) {
        true => Ok(targets.seqs),
        false => Err("refers to positions that it cannot hide"),
    }
}

/// The orders that a tombstone of this store gives to other stores.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Ordered {
    /// Whether it gives no orders.
    #[serde(default)]
    pub(crate) stays: bool,
    /// Positions for which it gives no order, unless this store recorded them: another store gave
    /// that order.
    #[serde(default)]
    pub(crate) obeys: Vec<(u64, u64)>,
}

impl Ordered {
    /// What cannot be read gives no orders: nothing goes in other stores by mistake.
    pub(crate) fn by(record: &Record<'_>) -> Self {
        let read = record
            .metadata
            .and_then(|json| serde_json::from_str(json.as_str()).ok());
        read.unwrap_or(Ordered {
            stays: true,
            obeys: Vec::new(),
        })
    }

    pub(crate) fn is_by_others(&self, seq: u64) -> bool {
        self.obeys
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&seq))
    }
}

/// Which events a walk through the indexes visits. Erased ones are in none.
#[derive(Clone, Copy)]
enum Life {
    Live,
    Forgotten,
}

/// What becomes of a record that cannot be read, but that the indexes have for a selection.
#[derive(Clone, Copy)]
enum Damaged {
    /// It fails the selection.
    Fails,
    /// It is selected.
    Counts,
}

/// The tables that a selection reads.
struct Sources<E, D, T, I, N> {
    events: E,
    tombstones: D,
    indexes: IndexTables<T>,
    forgotten: IndexTables<T>,
    ids: I,
    citations: I,
    names: N,
}

/// The tables of a read transaction.
type ReadSources = Sources<
    ReadOnlyTable<u64, &'static [u8]>,
    ReadOnlyTable<u64, u64>,
    ReadOnlyTable<&'static [u8], ()>,
    ReadOnlyTable<&'static [u8], u64>,
    ReadOnlyTable<&'static [u8], u32>,
>;

/// The same error about the event at this place of the list.
fn at_place(at: usize, error: Error) -> Error {
    match error.argument() {
        Some("ids") => error.with_argument(format!("ids[{at}]")),
        _ => error,
    }
}

impl<E, D, T, I, N> Sources<E, D, T, I, N>
where
    E: ReadableTable<u64, &'static [u8]>,
    D: ReadableTable<u64, u64>,
    T: ReadableTable<&'static [u8], ()>,
    I: ReadableTable<&'static [u8], u64>,
    N: ReadableTable<&'static [u8], u32>,
{
    fn select(&self, wanted: &Selection, damaged: Damaged) -> Result<Vec<u64>> {
        let mut found = BTreeSet::new();
        if !wanted.ids.is_empty() {
            for (at, id) in wanted.ids.iter().enumerate() {
                let seq = self.named(id).map_err(|error| at_place(at, error))?;
                let fits = self.fits(seq, wanted, Some(id));
                if fits.map_err(|error| at_place(at, error))? {
                    found.insert(seq);
                }
            }
            return Ok(found.into_iter().collect());
        }
        let mut consider = |seq: u64| -> Result<()> {
            if let Damaged::Counts = damaged {
                // Only what the log has lost counts as selected, not what may be deleted.
                self.tombstones.get(seq)?;
            }
            let fits = match (damaged, catch_panic(|| self.fits(seq, wanted, None))) {
                (Damaged::Counts, Err(error)) if error.code() == ErrorCode::Corrupt => Ok(true),
                (_, fits) => fits,
            };
            if fits? {
                found.insert(seq);
            }
            Ok(())
        };
        self.each_indexed(wanted, Life::Live, &mut consider)?;
        if wanted.with_deleted {
            self.each_indexed(wanted, Life::Forgotten, &mut consider)?;
        }
        // They were selected in an earlier snapshot.
        for &seq in &wanted.learned {
            if self.is_left(seq, wanted)? {
                found.insert(seq);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Visits the events that the indexes have for a selection without ids.
    fn each_indexed(
        &self,
        wanted: &Selection,
        life: Life,
        mut visit: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        for session in any_of(&wanted.session) {
            for project in any_of(&wanted.project) {
                self.each_named(wanted, (session, project), life, &mut visit)?;
            }
        }
        let given = wanted.given_sessions.iter();
        for session in given.filter(|session| is_one_of(&wanted.session, session)) {
            self.each_named(wanted, (Some(session), None), life, &mut visit)?;
        }
        Ok(())
    }

    /// The part of [`Sources::each_indexed`] with one name of the session and of the project.
    fn each_named(
        &self,
        wanted: &Selection,
        (session, project): (Option<&str>, Option<&str>),
        life: Life,
        visit: &mut impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let conditions = Conditions {
            session,
            project,
            tools: &[],
            kinds: &wanted.kinds,
        };
        let number = |facet, name: &str| -> Result<Option<u32>> {
            let key = tables::name_key(facet, name);
            Ok(self.names.get(key.as_slice())?.map(|v| v.value()))
        };
        let (plan, indexes) = match life {
            Life::Live => (Plan::of(&conditions, number)?, &self.indexes),
            Life::Forgotten => (Plan::of_forgotten(&conditions, number)?, &self.forgotten),
        };
        let Some(plan) = plan else {
            return Ok(());
        };
        let mut span = Span::ALL;
        if let Some(before) = wanted.before {
            let end = u128::from_be_bytes(tables::time_key(before.millis(), 0));
            match end.checked_sub(1) {
                Some(last) => span.last = last,
                None => return Ok(()),
            }
        }
        let mut join = Join::new(indexes, &plan, span);
        while let Some(key) = join.next_key()? {
            visit(tables::seq_of(&key))?;
        }
        Ok(())
    }

    /// How many events are selected.
    fn count(&self, wanted: &Selection) -> Result<u64> {
        // Records must be read for conditions that no index covers.
        let is_indexed = wanted.ids.is_empty()
            && wanted.given_sessions.is_empty()
            && !wanted.with_deleted
            && wanted.project.iter().all(|name| !name.is_empty());
        if !is_indexed {
            return Ok(self.select(wanted, Damaged::Fails)?.len() as u64);
        }
        let mut count = 0;
        self.each_indexed(wanted, Life::Live, |_| {
            count += 1;
            Ok(())
        })?;
        for &seq in &wanted.learned {
            count += u64::from(self.is_left(seq, wanted)?);
        }
        Ok(count)
    }

    /// Whether a record is neither erased nor, unless such ones are wanted too, forgotten.
    fn is_left(&self, seq: u64, wanted: &Selection) -> Result<bool> {
        let Some(bytes) = self.events.get(seq)? else {
            return Ok(false);
        };
        let is_forgotten = !wanted.with_deleted && self.tombstones.get(seq)?.is_some();
        Ok(!is_forgotten && !RecordView::new(seq, bytes.value())?.is_erased())
    }

    fn named(&self, event: &EventRef) -> Result<u64> {
        let found = match event {
            EventRef::Seq(Seq(seq)) => self.events.get(*seq)?.map(|_| *seq),
            EventRef::Id(id) => self.ids.get(id.as_bytes().as_slice())?.map(|v| v.value()),
            EventRef::Citation(citation) => self
                .citations
                .get(citation.as_str().as_bytes())?
                .map(|v| v.value()),
        };
        found.ok_or_else(|| {
            let named = match event {
                EventRef::Seq(Seq(seq)) => format!("the position {seq}"),
                EventRef::Id(id) => format!("the id {id}"),
                EventRef::Citation(citation) => format!("the citation mem:{}", citation.as_str()),
            };
            Error::new(ErrorCode::NotFound, format!("no event has {named}")).with_argument("ids")
        })
    }

    /// Whether an event is selected. An event that is listed by id but does not fit the rest of the
    /// selection is an error of the caller.
    fn fits(&self, seq: u64, wanted: &Selection, named: Option<&EventRef>) -> Result<bool> {
        let bytes = self
            .events
            .get(seq)?
            .ok_or_else(|| crate::store::database::panics::missing_record(seq))?;
        let view = RecordView::new(seq, bytes.value())?;
        if matches!(view.kind(), EventKind::Forgotten | EventKind::Erased) {
            return match named {
                Some(_) => Err(Error::invalid(
                    "ids",
                    format_args!("event {seq} is a tombstone; it cannot be forgotten"),
                )),
                None => Ok(false),
            };
        }
        if view.is_erased() || (!wanted.with_deleted && self.tombstones.get(seq)?.is_some()) {
            return Ok(false);
        }
        let record = view.archive()?;
        if !wanted.has_project_of(&record) {
            return match named {
                Some(_) => Err(Error::invalid(
                    "ids",
                    format_args!(
                        "event {seq} belongs to another project; widen the selector's project to reach it"
                    ),
                )),
                None => Ok(false),
            };
        }
        Ok(wanted.fits(view.kind(), &record))
    }
}

impl ReadTx {
    /// The positions of the selected events, in order. The cost depends on the most selective
    /// condition.
    pub(crate) fn select(&self, wanted: &Selection) -> Result<Vec<u64>> {
        self.selecting(|sources| sources.select(wanted, Damaged::Fails))
    }

    /// The same with the positions of records that cannot be read but that the indexes have for the
    /// selection.
    pub(crate) fn select_with_damaged(&self, wanted: &Selection) -> Result<Vec<u64>> {
        self.selecting(|sources| sources.select(wanted, Damaged::Counts))
    }

    /// How many events are selected; like [`ReadTx::select`], but without reading records.
    pub(crate) fn count_selected(&self, wanted: &Selection) -> Result<u64> {
        self.selecting(|sources| sources.count(wanted))
    }

    fn selecting<T>(&self, work: impl FnOnce(&ReadSources) -> Result<T>) -> Result<T> {
        catch_panic(|| {
            let open = &self.transaction;
            let forgotten = || open.open_table(tables::FORGOTTEN);
            work(&Sources {
                events: open.open_table(tables::EVENTS)?,
                tombstones: open.open_table(tables::TOMBSTONES)?,
                indexes: self.index_tables()?,
                forgotten: IndexTables {
                    by_time: forgotten()?,
                    by_facet: forgotten()?,
                    session_events: forgotten()?,
                },
                ids: open.open_table(tables::EVENT_IDS)?,
                citations: open.open_table(tables::CITATIONS)?,
                names: open.open_table(tables::NAMES)?,
            })
        })
    }

    /// The segments that still contain words of forgotten events.
    pub(crate) fn unclean_segments(&self) -> Result<Vec<u64>> {
        catch_panic(|| {
            let table: ReadOnlyTable<&str, &[u8]> = self.transaction.open_table(tables::META)?;
            unclean(&table)
        })
    }
}

fn unclean(table: &impl ReadableTable<&'static str, &'static [u8]>) -> Result<Vec<u64>> {
    let Some(bytes) = table.get(UNCLEAN_KEY)? else {
        return Ok(Vec::new());
    };
    let mut from = crate::store::meta::Reader::unseal("list of unclean segments", bytes.value())?;
    (0..from.u32()?).map(|_| from.u64()).collect()
}

/// The indexes of live events, open for removals.
struct LiveIndexes<'t> {
    names: Table<'t, &'static [u8], u32>,
    by_time: Table<'t, &'static [u8], ()>,
    by_facet: Table<'t, &'static [u8], ()>,
    session_events: Table<'t, &'static [u8], ()>,
    /// Those of forgotten events.
    forgotten: Table<'t, &'static [u8], ()>,
}

impl LiveIndexes<'_> {
    /// Moves an event to the index of forgotten ones.
    fn move_out(&mut self, seq: u64, kind: EventKind, record: &Record<'_>) -> Result<()> {
        self.remove(seq, kind, record)?;
        let time = tables::time_key(record.timestamp_ms, seq);
        let named = |facet, name: &str| self.number(facet, name);
        let session = named(Facet::Session, record.session.as_str())?;
        let project = named(Facet::Project, record.project.as_str())?
            .ok_or_else(|| damaged_because("the project of an event has no number"))?;
        let kind = u32::from(kind.number());
        for key in tables::forgotten_keys(kind, project, session, &time) {
            self.forgotten.insert(key.as_slice(), ())?;
        }
        Ok(())
    }

    /// Removes the rows of a live event.
    fn remove(&mut self, seq: u64, kind: EventKind, record: &Record<'_>) -> Result<()> {
        let time = tables::time_key(record.timestamp_ms, seq);
        self.by_time.remove(time.as_slice())?;
        let tool = record.tool.as_ref();
        let file = tool.and_then(|tool| observed_file(tool.metadata.as_str()));
        let mut numbers = vec![(Facet::Kind, u32::from(kind.number()))];
        if let Some(prompt) = tables::prompt_number(kind, &record.content) {
            numbers.push((Facet::Prompt, prompt));
        }
        if tool.is_some_and(|tool| !tool.success) {
            numbers.push((Facet::Failed, 0));
        }
        for (facet, name) in [
            (Facet::Project, Some(record.project.as_str())),
            (Facet::Tool, tool.map(|tool| tool.name.as_str())),
            (Facet::File, file.as_deref()),
            (Facet::Session, Some(record.session.as_str())),
        ] {
            let number = name.map(|name| self.number(facet, name)).transpose()?;
            numbers.extend(number.flatten().map(|number| (facet, number)));
        }
        for (facet, number) in numbers {
            if facet == Facet::Session {
                let key = tables::session_event_key(number, &time);
                self.session_events.remove(key.as_slice())?;
            }
            self.by_facet
                .remove(tables::facet_key(facet, number, &time).as_slice())?;
        }
        Ok(())
    }

    fn number(&self, facet: Facet, name: &str) -> Result<Option<u32>> {
        if facet == Facet::Session && name.is_empty() {
            return Ok(None);
        }
        let key = tables::name_key(facet, name);
        Ok(self.names.get(key.as_slice())?.map(|number| number.value()))
    }

    /// The times of the first and the last event that are left; 0 if there is none.
    fn bounds(&self) -> Result<(i64, i64)> {
        let time_of = |key: &[u8]| {
            let bytes = key[..8].try_into().unwrap_or([0; 8]);
            (u64::from_be_bytes(bytes) ^ (1 << 63)) as i64
        };
        let first = self.by_time.first()?;
        let last = self.by_time.last()?;
        Ok((
            first.map_or(0, |(key, _)| time_of(key.value())),
            last.map_or(0, |(key, _)| time_of(key.value())),
        ))
    }
}

impl WriteTx<'_> {
    /// Removes live events, given in order, from every index and counter. Their records stay in the
    /// log; `tombstone` is the position of the event that hides them. Rewriting segments is left to
    /// the caller.
    pub(crate) fn delete(&mut self, targets: &[u64], tombstone: u64) -> Result<Deleted> {
        let mut deleted = self.delete_events(targets, tombstone)?;
        deleted.jobs = self.drop_embeddings(targets)?;
        Ok(deleted)
    }

    fn delete_events(&mut self, targets: &[u64], tombstone: u64) -> Result<Deleted> {
        let mut deleted = Deleted::default();
        // Keyed by the name of the session.
        let mut sessions: BTreeMap<String, Leaving> = BTreeMap::new();
        let open = &self.transaction;
        let events = open.open_table(tables::EVENTS)?;
        let mut indexes = LiveIndexes {
            names: open.open_table(tables::NAMES)?,
            by_time: open.open_table(tables::BY_TIME)?,
            by_facet: open.open_table(tables::BY_FACET)?,
            session_events: open.open_table(tables::SESSION_EVENTS)?,
            forgotten: open.open_table(tables::FORGOTTEN)?,
        };
        let mut tombstones = open.open_table(tables::TOMBSTONES)?;
        let mut memtable = open.open_table(tables::LEXICAL_MEMTABLE)?;
        for &seq in targets {
            if tombstones.insert(seq, tombstone)?.is_some() {
                return Err(Error::new(
                    ErrorCode::Internal,
                    format!("event {seq} was to be forgotten twice"),
                ));
            }
            let bytes = events
                .get(seq)?
                .ok_or_else(|| crate::store::database::panics::missing_record(seq))?;
            let view = RecordView::new(seq, bytes.value())?;
            let record = view.archive()?;
            indexes.move_out(seq, view.kind(), &record)?;
            if !record.session.is_empty() {
                sessions
                    .entry(record.session.as_str().to_owned())
                    .or_default()
                    .add(seq, view.kind(), record.timestamp_ms);
            }
            if memtable.remove(seq)?.is_some() {
                self.state.memtable_events -= 1;
            }
            let bytes = record.content.len() as u64;
            deleted.events += 1;
            deleted.content_bytes += bytes;
            self.state.count_forgotten(view.kind(), bytes);
        }
        (self.state.first_ms, self.state.last_ms) = indexes.bounds()?;
        drop((memtable, tombstones, indexes, events));
        self.take_from_sessions(&sessions)?;
        deleted.sessions = sessions.into_keys().collect();
        Ok(deleted)
    }

    /// Takes what leaves sessions out of their turns and rows.
    fn take_from_sessions(&self, sessions: &BTreeMap<String, Leaving>) -> Result<()> {
        let open = &self.transaction;
        let names = open.open_table(tables::NAMES)?;
        let mut turns = open.open_table(tables::SESSION_TURNS)?;
        let mut rows = open.open_table(tables::SESSIONS)?;
        let mut by_project = open.open_table(tables::PROJECT_SESSIONS)?;
        for (name, leaving) in sessions {
            let key = tables::name_key(Facet::Session, name);
            let Some(session) = names.get(key.as_slice())?.map(|number| number.value()) else {
                continue;
            };
            for seq in &leaving.turns {
                if let Some(turn) = turn_of(&turns, session, *seq)? {
                    turns.remove(tables::session_turn_key(session, turn).as_slice())?;
                }
            }
            let row = match rows.get(session)? {
                Some(row) => SessionRow::decode(row.value())?,
                None => SessionRow::default(),
            };
            let before = row.project_key(session);
            let row = match leaving.taken_from(&row) {
                Some(row) => row,
                None => self.session_row_again(
                    &open.open_table(tables::EVENTS)?,
                    &names,
                    session,
                    row.emptied(name),
                )?,
            };
            rows.insert(session, row.encode().as_slice())?;
            move_session(&mut by_project, before, row.project_key(session))?;
        }
        Ok(())
    }

    /// The segments that contain an event of `targets`, which must be sorted.
    pub(crate) fn segments_with(&self, targets: &[u64]) -> Result<Vec<SegmentInfo>> {
        let mut segments = self.segments()?;
        segments.retain(|segment| {
            let next = targets.partition_point(|seq| *seq < segment.seq_from);
            targets.get(next).is_some_and(|seq| *seq <= segment.seq_to)
        });
        Ok(segments)
    }

    pub(crate) fn unclean_segments(&self) -> Result<Vec<u64>> {
        unclean(&self.transaction.open_table(tables::META)?)
    }

    /// Records which segments are still to be rewritten.
    pub(crate) fn set_unclean_segments(&mut self, segments: &[u64]) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        if segments.is_empty() {
            table.remove(UNCLEAN_KEY)?;
            return Ok(());
        }
        let mut out = (segments.len() as u32).to_le_bytes().to_vec();
        for segment in segments {
            out.extend_from_slice(&segment.to_le_bytes());
        }
        table.insert(UNCLEAN_KEY, crate::store::meta::seal(out).as_slice())?;
        Ok(())
    }
}

/// The change that a `session_changed` event records, and whether it moves the session to the
/// event's project.
pub(crate) fn session_update(view: &RecordView<'_>) -> Result<Option<(SessionUpdate, bool)>> {
    if view.kind() != EventKind::SessionChanged {
        return Ok(None);
    }
    let record = view.archive()?;
    let fields: serde_json::Value = record
        .metadata
        .as_ref()
        .and_then(|json| serde_json::from_str(json.as_str()).ok())
        .unwrap_or_default();
    let time = |name: &str| fields[name].as_i64().map(Timestamp::from_millis_clamped);
    let update = SessionUpdate {
        project: None,
        started: time("started"),
        ended: time("ended"),
        summary: fields["summary"].as_str().map(str::to_owned),
        tags: fields["tags"].as_array().map(|tags| {
            tags.iter()
                .filter_map(|tag| tag.as_str().map(str::to_owned))
                .collect()
        }),
    };
    Ok(Some((update, fields.get("project").is_some())))
}

#[cfg(test)]
mod tests {
    use crate::store::log::record::Text;
    use crate::store::log::tombstone::*;

    #[test]
    fn nothing_that_was_deleted_is_read_to_select_nothing() {
        use crate::memory::Memory;
        use crate::model::event::NewEvent;
        use crate::upkeep::select::Selector;
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for session in ["erased", "forgotten", "live"] {
            let say = |number| {
                NewEvent::new(
                    EventKind::UserPrompt,
                    session,
                    format!("{session} {number}"),
                )
                .timestamp(Timestamp::from_millis_clamped(1_000))
            };
            memory.append_batch((0..5).map(say).collect()).unwrap();
        }
        let session = |name: &str| Selector::new().session(name);
        memory.erase(&session("erased")).unwrap();
        memory.forget(&session("forgotten")).unwrap();
        let lose = |tx: &mut WriteTx<'_>| {
            let mut table = tx.transaction.open_table(tables::EVENTS)?;
            Ok(table.retain(|seq, _| seq > 10)?)
        };
        memory.engine.store.write(lose).unwrap();
        for nothing in [
            session("erased"),
            session("forgotten").kinds([EventKind::AgentResponse]),
            session("unknown"),
            Selector::everything().before(Timestamp::from_millis_clamped(1_000)),
            Selector::everything().project(crate::scope::ProjectScope::Named("shop".to_owned())),
            Selector::new().kinds([EventKind::ToolObservation]),
        ] {
            assert_eq!(memory.erase(&nothing).unwrap().count, 0, "{nothing:?}");
        }
        // The test would see it.
        let error = memory.erase(&session("forgotten")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Corrupt, "{error}");
    }

    #[test]
    fn positions_become_ranges_and_come_back() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), [(1, 3), (7, 7), (9, 10)]);
        let named = |metadata: Option<&'static str>| {
            let record = Record {
                origin: Origin::System as u8,
                metadata: metadata.map(Text),
                ..Record::default()
            };
            named_ranges(11, &record)
        };
        assert_eq!(
            named(Some(r#"{"seqs":[[1,3],[7,7]]}"#)),
            Ok(vec![(1, 3), (7, 7)])
        );
        for broken in [
            None,
            Some("{}"),
            Some(r#"{"seqs":[[3,1]]}"#),
            Some(r#"{"seqs":[[0,1]]}"#),
            Some(r#"{"seqs":[[1,11]]}"#),
            Some("no json"),
        ] {
            assert!(named(broken).is_err(), "{broken:?}");
        }
    }
}
