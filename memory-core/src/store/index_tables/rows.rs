//! Builds the index rows of an event, in the same way when it is appended and when it is
//! read back from the log, so that a rebuild gives the same tables. Rows are buffered until
//! a step ends, and written to their tables in key order.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;

use crate::index::lexical::forward::{EventFacts, ForwardBody, NO_TURN, actor_hash};
use crate::model::error::Result;
use crate::model::event::{EventKind, PrivacyReport};
use crate::store::database::checked::{ReadableTable, Table, WriteTransaction};
use crate::store::database::panics::catch_panic;
use crate::store::database::sorted::insert_sorted;
use crate::store::generations::erasing::Erasure;
use crate::store::index_tables::files::trigrams;
use crate::store::log::record::{Foreign, Record};
use crate::store::log::session::{SessionRow, move_session};
use crate::store::log::tombstone::is_tombstone;
use crate::store::tables::{self, Facet, ProjectSessionKey};
use crate::store::threads::{joined, spawn};
use crate::store::{ReadTx, State, WriteTx};

/// Fewer events do not justify another thread.
const ROWS_PER_THREAD: usize = 512;

/// Where the words of an event's text go.
pub(crate) enum Words {
    /// The event is not searchable.
    None,
    /// Into the memtable of the lexical index.
    Forward(ForwardBody),
    /// Into the partial indexes of the batch, which become a segment.
    Inverted,
}

type BytesTable<'t, V> = Table<'t, &'static [u8], V>;
/// Bytes by position.
type BytesAt<'t> = Table<'t, u64, &'static [u8]>;

/// The tables that an append writes, open for one step of a transaction, and the rows
/// buffered for [`Tables::finish`]. Those that most steps do not write are opened when they are
/// needed: opening a table costs as much as looking up several rows.
pub(in crate::store) struct Tables<'t> {
    transaction: &'t WriteTransaction,
    pub(in crate::store) events: BytesAt<'t>,
    ids: BytesTable<'t, u64>,
    pub(in crate::store) citations: BytesTable<'t, u64>,
    pub(in crate::store) dedupe: BytesTable<'t, u64>,
    stamps: Table<'t, u64, i64>,
    by_time: BytesTable<'t, ()>,
    by_facet: BytesTable<'t, ()>,
    names: BytesTable<'t, u32>,
    sessions: Table<'t, u32, &'static [u8]>,
    project_sessions: BytesTable<'t, ()>,
    session_events: BytesTable<'t, ()>,
    session_turns: BytesTable<'t, u64>,
    pub(in crate::store) tombstones: Table<'t, u64, u64>,
    memtable: BytesAt<'t>,
    numbers: HashMap<Vec<u8>, u32, foldhash::fast::FixedState>,
    rows_of_sessions: HashMap<u32, MetSession, foldhash::fast::FixedState>,
    waiting: Waiting,
}

/// A session row used in this step.
struct MetSession {
    row: SessionRow,
    /// Its previous key in the index by project.
    project_key: Option<ProjectSessionKey>,
}

#[derive(Default)]
struct Waiting {
    ids: Vec<([u8; 16], u64)>,
    /// The ids of other stores' orders.
    order_ids: Vec<([u8; 16], u64)>,
    citations: Vec<(String, u64)>,
    dedupe: Vec<([u8; 16], u64)>,
    origins: Vec<([u8; 24], u64)>,
    stamps: Vec<(u64, i64)>,
    ordered: Vec<([u8; 32], u64)>,
    by_time: Vec<[u8; 16]>,
    by_facet: Vec<[u8; 21]>,
    forgotten: Vec<[u8; 21]>,
    file_trigrams: Vec<[u8; 7]>,
    session_events: Vec<[u8; 20]>,
    session_turns: Vec<([u8; 8], u64)>,
    memtable: Vec<(u64, Vec<u8>)>,
}

/// Rows with scattered keys, which would touch pages all over their tables in each step:
/// collected over many steps, they are written page by page.
#[derive(Default)]
pub(in crate::store) struct Scattered<'a> {
    citations: Vec<(String, u64)>,
    dedupe: Vec<([u8; 16], u64)>,
    file_trigrams: Vec<[u8; 7]>,
    copied: Option<CopiedKeys<'a>>,
}

/// Citations, which outlive their events, and dedupe keys that are copied from another
/// store file.
struct CopiedKeys<'a> {
    old: &'a ReadTx,
    /// Dedupe keys of erased events: other events may have had them before.
    erased: HashSet<[u8; 16]>,
}

/// How many rows of a table are collected: about 3 MB.
const MAX_SCATTERED: usize = 1 << 15;
/// How many trigrams are collected; a path has about twenty.
const MAX_TRIGRAMS: usize = 1 << 18;

impl<'a> Scattered<'a> {
    /// Those of a copy of another store's log in which something is erased.
    pub(in crate::store) fn beside(old: &'a ReadTx, erasure: &Erasure) -> Result<Self> {
        let mut erased = HashSet::new();
        for &seq in erasure.erased.iter().chain(erasure.reduced.keys()) {
            let key = old.with_record(seq, |view| Ok(view.archive()?.dedupe))?;
            erased.extend(key.flatten());
        }
        Ok(Scattered {
            copied: Some(CopiedKeys { old, erased }),
            ..Scattered::default()
        })
    }

    pub(in crate::store) fn is_much(&self) -> bool {
        self.citations.len().max(self.dedupe.len()) >= MAX_SCATTERED
            || self.file_trigrams.len() >= MAX_TRIGRAMS
    }

    /// Writes the collected rows.
    pub(in crate::store) fn write(&mut self, transaction: &WriteTransaction) -> Result<()> {
        let citations = std::mem::take(&mut self.citations);
        let mut table = transaction.open_table(tables::CITATIONS)?;
        numbered(&mut table, citations)?;
        let dedupe = std::mem::take(&mut self.dedupe);
        let mut table = transaction.open_table(tables::DEDUPE)?;
        numbered(&mut table, dedupe)?;
        let trigrams = std::mem::take(&mut self.file_trigrams);
        let mut table = transaction.open_table(tables::FILE_TRIGRAMS)?;
        keys(&mut table, trigrams)
    }

    /// Writes the last collected rows, and those that are copied.
    pub(in crate::store) fn finish(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        if let Some(CopiedKeys { old, erased }) = self.copied.take() {
            tx.copy_table(old, tables::CITATIONS)?;
            tx.copy_table_where(old, tables::DEDUPE, |key| !erased.contains(key))?;
        }
        self.write(&tx.transaction)
    }
}

/// The input of the index tables: an event as just appended, or as read back from the log.
pub(in crate::store) struct Projection<'a> {
    pub(in crate::store) seq: u64,
    pub(in crate::store) kind: EventKind,
    pub(in crate::store) record_bytes: u64,
    pub(in crate::store) names: Names<'a>,
    pub(in crate::store) dedupe: Option<&'a [u8; 16]>,
    pub(in crate::store) at: i64,
    pub(in crate::store) session: &'a str,
    pub(in crate::store) project: &'a str,
    pub(in crate::store) actor: &'a str,
    pub(in crate::store) origin: u8,
    pub(in crate::store) tool: Option<&'a str>,
    pub(in crate::store) file: Option<&'a str>,
    pub(in crate::store) content_bytes: u64,
    /// Of a user prompt: see [`tables::prompt_number`].
    pub(in crate::store) prompt: Option<u32>,
    /// Whether it is a call that failed.
    pub(in crate::store) is_failed: bool,
    /// Whether it is a note, which has no neighbours.
    pub(in crate::store) is_note: bool,
    pub(in crate::store) privacy: PrivacyReport,
    /// Forgotten later in the log: it keeps its names, numbers and turn, but is not in any
    /// index.
    pub(in crate::store) is_deleted: bool,
}

impl Projection<'_> {
    /// Tool events are skipped when neighbours are counted: only prompts and responses are turns.
    fn is_turn(&self) -> bool {
        self.kind.is_turn()
    }
}

/// The names of a record, kept even if it is erased.
#[derive(Clone, Copy)]
pub(in crate::store) struct Names<'a> {
    pub(in crate::store) id: &'a [u8; 16],
    pub(in crate::store) citation: &'a str,
    pub(in crate::store) foreign: Option<Foreign<'a>>,
}

impl<'a> Names<'a> {
    pub(in crate::store) fn of(record: &'a Record<'a>) -> Self {
        Names {
            id: &record.id,
            citation: record.citation.as_str(),
            foreign: record.foreign,
        }
    }
}

impl<'t> Tables<'t> {
    /// Opens the index tables of events.
    pub(in crate::store) fn open(transaction: &'t WriteTransaction) -> Result<Self> {
        Ok(Tables {
            transaction,
            events: transaction.open_table(tables::EVENTS)?,
            ids: transaction.open_table(tables::EVENT_IDS)?,
            citations: transaction.open_table(tables::CITATIONS)?,
            dedupe: transaction.open_table(tables::DEDUPE)?,
            stamps: transaction.open_table(tables::STAMPS)?,
            by_time: transaction.open_table(tables::BY_TIME)?,
            by_facet: transaction.open_table(tables::BY_FACET)?,
            names: transaction.open_table(tables::NAMES)?,
            sessions: transaction.open_table(tables::SESSIONS)?,
            project_sessions: transaction.open_table(tables::PROJECT_SESSIONS)?,
            session_events: transaction.open_table(tables::SESSION_EVENTS)?,
            session_turns: transaction.open_table(tables::SESSION_TURNS)?,
            tombstones: transaction.open_table(tables::TOMBSTONES)?,
            memtable: transaction.open_table(tables::LEXICAL_MEMTABLE)?,
            numbers: HashMap::default(),
            rows_of_sessions: HashMap::default(),
            waiting: Waiting::default(),
        })
    }

    /// The number of a name, assigned when it is first seen.
    pub(in crate::store) fn number(&mut self, facet: Facet, name: &str) -> Result<u32> {
        let key = tables::name_key(facet, name);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let (number, is_new) = number_of(self.transaction, &mut self.names, facet, name)?;
        self.numbers.insert(key, number);
        if is_new && facet == Facet::File {
            let keys = trigrams(name).map(|trigram| tables::file_trigram_key(trigram, number));
            self.waiting.file_trigrams.extend(keys);
        }
        Ok(number)
    }

    /// The row of a session that this step has used.
    pub(in crate::store) fn session_row(&mut self, session: u32) -> Option<&mut SessionRow> {
        let met = self.rows_of_sessions.get_mut(&session)?;
        Some(&mut met.row)
    }

    /// The rows of an event of which only the names are left.
    pub(in crate::store) fn name(
        &mut self,
        state: &mut State,
        kind: EventKind,
        names: &Names<'_>,
        seq: u64,
    ) {
        match names.foreign.is_some() && is_tombstone(kind) {
            true => self.waiting.order_ids.push((*names.id, seq)),
            false => self.waiting.ids.push((*names.id, seq)),
        }
        self.waiting
            .citations
            .push((names.citation.to_owned(), seq));
        match &names.foreign {
            Some(foreign) => {
                let key = tables::origin_key(&foreign.store, foreign.position);
                self.waiting.origins.push((key, seq));
                let there = foreign.citation.as_str();
                if there != names.citation {
                    let key = tables::citation_elsewhere_key(there, seq);
                    self.waiting.citations.push((key, seq));
                }
                state.saw_stamp(foreign.stamp_ms);
            }
            None => {
                if let Some(stamp) = state.stamp(names.id) {
                    self.waiting.stamps.push((seq, stamp));
                }
            }
        }
    }

    /// A row for the targets of an order.
    pub(in crate::store) fn put_order(&mut self, key: [u8; 32], last: u64) {
        self.waiting.ordered.push((key, last));
    }

    /// A row for the dedupe key of an event.
    pub(in crate::store) fn dedupe_key(&mut self, key: Option<&[u8; 16]>, seq: u64) {
        if let Some(key) = key {
            self.waiting.dedupe.push((*key, seq));
        }
    }

    /// Builds the index rows of an event, and counts it. Returns the facts of an event
    /// whose words are inverted elsewhere.
    pub(in crate::store) fn project(
        &mut self,
        state: &mut State,
        event: &Projection<'_>,
        words: &Words,
    ) -> Result<Option<EventFacts>> {
        let (seq, at) = (event.seq, event.at);
        self.name(state, event.kind, &event.names, seq);
        self.dedupe_key(event.dedupe, seq);
        let time = tables::time_key(at, seq);
        let project = self.index_facets(event, &time)?;
        let (session, turn) = self.take_into_session(event, project, &time)?;
        state.last_seq = seq;
        state.log_bytes += event.record_bytes;
        self.count_privacy(state, session, &event.privacy);
        if event.is_deleted {
            return Ok(None);
        }

        if let Some(turn) = turn {
            let key = tables::session_turn_key(session, turn);
            self.waiting.session_turns.push((key, seq));
        }
        if event.kind.is_conversation() {
            let key = tables::session_event_key(session, &time);
            self.waiting.session_events.push(key);
        }
        let facts = EventFacts {
            seq,
            session,
            turn: turn.filter(|_| !event.is_note).unwrap_or(NO_TURN),
            project,
            kind: event.kind.number(),
            origin: event.origin,
            flags: 0,
            timestamp: at,
            actor: actor_hash(event.actor),
        };
        if let Words::Forward(body) = words {
            self.waiting.memtable.push((seq, body.encode(&facts)));
            state.memtable_events += 1;
        }
        state.count_live(event.kind, at, event.content_bytes);
        Ok(matches!(words, Words::Inverted).then_some(facts))
    }

    /// Numbers the names of an event, and indexes it by them if it is live. Returns the number of
    /// its project.
    fn index_facets(&mut self, event: &Projection<'_>, time: &[u8; 16]) -> Result<u32> {
        let project = self.number(Facet::Project, event.project)?;
        let tool = match event.tool {
            Some(tool) => Some(self.number(Facet::Tool, tool)?),
            None => None,
        };
        if event.is_turn() && !matches!(event.actor, "user" | "assistant") {
            // Speakers are looked up by the names that questions use.
            self.number(Facet::Actor, event.actor.trim().to_lowercase().as_str())?;
        }
        let file = match event.file {
            Some(file) => Some(self.number(Facet::File, file)?),
            None => None,
        };
        let kind = u32::from(event.kind.number());
        if event.is_deleted {
            let session = match event.session.is_empty() {
                true => None,
                false => Some(self.number(Facet::Session, event.session)?),
            };
            let keys = tables::forgotten_keys(kind, project, session, time);
            self.waiting.forgotten.extend(keys);
            return Ok(project);
        }
        self.waiting.by_time.push(*time);
        for (facet, number) in [
            (Facet::Kind, Some(kind)),
            (
                Facet::Project,
                (!event.project.is_empty()).then_some(project),
            ),
            (Facet::Tool, tool),
            (Facet::File, file),
            (Facet::Prompt, event.prompt),
            (Facet::Failed, event.is_failed.then_some(0)),
        ] {
            if let Some(number) = number {
                let key = tables::facet_key(facet, number, time);
                self.waiting.by_facet.push(key);
            }
        }
        Ok(project)
    }

    /// Takes an event into the row of its session. Returns the session and the event's turn in it,
    /// if it is one. Events about the store itself, such as tombstones, have no session.
    fn take_into_session(
        &mut self,
        event: &Projection<'_>,
        project: u32,
        time: &[u8; 16],
    ) -> Result<(u32, Option<u32>)> {
        if event.session.is_empty() {
            return Ok((0, None));
        }
        let session = self.number(Facet::Session, event.session)?;
        let row = match self.rows_of_sessions.entry(session) {
            Entry::Occupied(entry) => &mut entry.into_mut().row,
            Entry::Vacant(entry) => {
                let known = self
                    .sessions
                    .get(session)?
                    .map(|v| SessionRow::decode(v.value()));
                let row = match known {
                    Some(row) => row?,
                    None => SessionRow {
                        name: event.session.to_owned(),
                        ..SessionRow::default()
                    },
                };
                let project_key = row.project_key(session);
                &mut entry.insert(MetSession { row, project_key }).row
            }
        };
        if !event.is_deleted {
            row.take(event.kind, event.seq, event.at, project);
            if !event.kind.is_conversation() {
                let key = tables::facet_key(Facet::Session, session, time);
                self.waiting.by_facet.push(key);
            }
        }
        let turn = event.is_turn().then(|| {
            let turn = row.next_turn;
            row.next_turn += 1;
            turn
        });
        Ok((session, turn))
    }

    fn count_privacy(&mut self, state: &mut State, session: u32, report: &PrivacyReport) {
        let private = u64::from(report.private_count);
        if private > 0
            && let Some(met) = self.rows_of_sessions.get_mut(&session)
        {
            state.private_sessions += u64::from(met.row.private_sections == 0);
            met.row.private_sections += private;
        }
        state.private_sections += private;
        state.secrets_masked += u64::from(report.secret_count);
        state.bytes_filtered += report.original_bytes.saturating_sub(report.filtered_bytes);
    }

    /// Hands over buffered rows with scattered keys, for [`Scattered::write`].
    pub(in crate::store) fn take_scattered(&mut self, into: &mut Scattered<'_>) {
        if let Some(copied) = &into.copied {
            self.waiting.citations.clear();
            let is_own = |(key, _): &([u8; 16], u64)| copied.erased.contains(key);
            self.waiting.dedupe.retain(is_own);
        }
        into.citations.append(&mut self.waiting.citations);
        into.dedupe.append(&mut self.waiting.dedupe);
        into.file_trigrams.append(&mut self.waiting.file_trigrams);
    }

    /// Writes the buffered rows.
    pub(in crate::store) fn finish(self) -> Result<()> {
        self.finish_with(&[], || Ok(()))
    }

    /// Writes the buffered rows and the `records` of the log, and does other work; all in
    /// two threads if there is much.
    pub(in crate::store) fn finish_with<T: Send>(
        self,
        records: &[(u64, &[u8])],
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        let is_much = self.waiting.ids.len() >= ROWS_PER_THREAD;
        let (found_by, rest) = self.halves(records);
        if !is_much {
            found_by.write()?;
            rest.write()?;
            return work();
        }
        // Taken by the helper or, if the system refuses one, by this thread.
        let helping = Mutex::new(Some(move || {
            // Each thread catches its own panics.
            catch_panic(|| {
                found_by.write()?;
                work()
            })
        }));
        let help = || {
            let work = helping.lock().take();
            work.expect("only one thread helps")()
        };
        std::thread::scope(|scope| {
            let helper = spawn(scope, help);
            let own = rest.write();
            own.and(helper.map_or_else(|_| help(), joined))
        })
    }

    /// The buffered rows in two halves that two threads can write.
    fn halves<'r>(self, records: &'r [(u64, &'r [u8])]) -> (FoundBy<'t>, Rest<'t, 'r>) {
        let waiting = self.waiting;
        let found_by = FoundBy {
            transaction: self.transaction,
            by_facet: (self.by_facet, waiting.by_facet),
            forgotten: waiting.forgotten,
            file_trigrams: waiting.file_trigrams,
            session_events: (self.session_events, waiting.session_events),
            session_turns: (self.session_turns, waiting.session_turns),
        };
        let rest = Rest {
            transaction: self.transaction,
            events: (self.events, records),
            ids: (self.ids, waiting.ids),
            order_ids: waiting.order_ids,
            dedupe: (self.dedupe, waiting.dedupe),
            origins: waiting.origins,
            stamps: (self.stamps, waiting.stamps),
            ordered: waiting.ordered,
            by_time: (self.by_time, waiting.by_time),
            citations: (self.citations, waiting.citations),
            memtable: (self.memtable, waiting.memtable),
            sessions: self.sessions,
            project_sessions: self.project_sessions,
            rows_of_sessions: self.rows_of_sessions,
        };
        (found_by, rest)
    }
}

/// The rows by which events are found, each table with those that are added to it.
struct FoundBy<'t> {
    transaction: &'t WriteTransaction,
    by_facet: (BytesTable<'t, ()>, Vec<[u8; 21]>),
    forgotten: Vec<[u8; 21]>,
    file_trigrams: Vec<[u8; 7]>,
    session_events: (BytesTable<'t, ()>, Vec<[u8; 20]>),
    session_turns: (BytesTable<'t, u64>, Vec<([u8; 8], u64)>),
}

impl FoundBy<'_> {
    fn write(self) -> Result<()> {
        let transaction = self.transaction;
        let (mut by_facet, rows) = self.by_facet;
        keys(&mut by_facet, rows)?;
        if !self.forgotten.is_empty() {
            let mut table = transaction.open_table(tables::FORGOTTEN)?;
            keys(&mut table, self.forgotten)?;
        }
        if !self.file_trigrams.is_empty() {
            let mut table = transaction.open_table(tables::FILE_TRIGRAMS)?;
            keys(&mut table, self.file_trigrams)?;
        }
        let (mut session_events, rows) = self.session_events;
        keys(&mut session_events, rows)?;
        let (mut session_turns, rows) = self.session_turns;
        numbered(&mut session_turns, rows)
    }
}

/// The records and all other rows, each table with those that are added to it.
struct Rest<'t, 'r> {
    transaction: &'t WriteTransaction,
    events: (BytesAt<'t>, &'r [(u64, &'r [u8])]),
    ids: (BytesTable<'t, u64>, Vec<([u8; 16], u64)>),
    order_ids: Vec<([u8; 16], u64)>,
    dedupe: (BytesTable<'t, u64>, Vec<([u8; 16], u64)>),
    origins: Vec<([u8; 24], u64)>,
    stamps: (Table<'t, u64, i64>, Vec<(u64, i64)>),
    ordered: Vec<([u8; 32], u64)>,
    by_time: (BytesTable<'t, ()>, Vec<[u8; 16]>),
    citations: (BytesTable<'t, u64>, Vec<(String, u64)>),
    memtable: (BytesAt<'t>, Vec<(u64, Vec<u8>)>),
    sessions: Table<'t, u32, &'static [u8]>,
    project_sessions: BytesTable<'t, ()>,
    rows_of_sessions: HashMap<u32, MetSession, foldhash::fast::FixedState>,
}

impl Rest<'_, '_> {
    fn write(mut self) -> Result<()> {
        let transaction = self.transaction;
        let (mut events, records) = self.events;
        insert_sorted(&mut events, records)?;
        let (mut ids, rows) = self.ids;
        numbered(&mut ids, rows)?;
        for (id, seq) in self.order_ids {
            // Several stores may sign an order with one id, and an order keeps the id from no
            // other record.
            if ids.get(id.as_slice())?.is_none() {
                ids.insert(id.as_slice(), seq)?;
            }
        }
        let (mut dedupe, rows) = self.dedupe;
        numbered(&mut dedupe, rows)?;
        if !self.origins.is_empty() {
            numbered(&mut transaction.open_table(tables::ORIGINS)?, self.origins)?;
        }
        let (mut stamps, rows) = self.stamps;
        insert_sorted(&mut stamps, &rows)?;
        if !self.ordered.is_empty() {
            numbered(&mut transaction.open_table(tables::ORDERED)?, self.ordered)?;
        }
        let (mut by_time, rows) = self.by_time;
        keys(&mut by_time, rows)?;
        let (mut citations, rows) = self.citations;
        numbered(&mut citations, rows)?;
        let (mut memtable, entries) = self.memtable;
        let entries: Vec<(u64, &[u8])> = entries
            .iter()
            .map(|(seq, entry)| (*seq, &**entry))
            .collect();
        insert_sorted(&mut memtable, &entries)?;
        for (number, MetSession { row, project_key }) in &self.rows_of_sessions {
            // Events outside of conversations have none.
            if !row.name.is_empty() {
                self.sessions.insert(number, row.encode().as_slice())?;
                let now = row.project_key(*number);
                move_session(&mut self.project_sessions, *project_key, now)?;
            }
        }
        Ok(())
    }
}

fn numbered<K>(table: &mut BytesTable<'_, u64>, mut rows: Vec<(K, u64)>) -> Result<()>
where
    K: AsRef<[u8]> + Ord,
{
    rows.sort_unstable();
    let mut pairs: Vec<(&[u8], u64)> = Vec::with_capacity(rows.len());
    for (key, value) in &rows {
        let key = key.as_ref();
        match pairs.last_mut() {
            // Rows are sorted by value too, so the last one wins.
            Some(last) if last.0 == key => last.1 = *value,
            _ => pairs.push((key, *value)),
        }
    }
    insert_sorted(table, &pairs)
}

fn keys<K: AsRef<[u8]> + Ord>(table: &mut BytesTable<'_, ()>, mut rows: Vec<K>) -> Result<()> {
    rows.sort_unstable();
    let pairs: Vec<(&[u8], ())> = rows.iter().map(|key| (key.as_ref(), ())).collect();
    insert_sorted(table, &pairs)
}

/// The number of a name, assigned when first seen, and whether it is new.
fn number_of(
    transaction: &WriteTransaction,
    names: &mut BytesTable<'_, u32>,
    facet: Facet,
    name: &str,
) -> Result<(u32, bool)> {
    let key = tables::name_key(facet, name);
    if let Some(number) = names.get(key.as_slice())?.map(|v| v.value()) {
        return Ok((number, false));
    }
    let mut name_of = transaction.open_table(tables::NAME_OF)?;
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
    Ok((next, true))
}
