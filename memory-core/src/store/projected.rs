//! The rows that folds of the log write: one table of shelves, each a kind of
//! row, with a count and a date for each shelf. The folds know what lies on a
//! shelf; here only bytes are kept.

use std::collections::BTreeMap;
use std::ops::Bound;

use redb::{ReadOnlyTable, ReadableTable, Table};

use super::engine::sound;
use super::meta::{Reader, seal};
use super::tables::PROJECTED;
use super::{ReadTx, WriteTx};
use crate::model::error::Result;
use crate::model::stats::LayerStats;
use crate::model::time::Timestamp;

/// The kinds of rows. The numbers are stable on disk. Keys are described in
/// `docs/design.md`; numbers inside keys are big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Shelf {
    /// `name -> value and time`: mode, policies, last context.
    Setting = 1,
    /// `task id -> task`.
    Task = 2,
    /// `condition id -> condition`.
    Condition = 3,
    /// `artifact id -> artifact`.
    Artifact = 4,
    /// `entity kind, canonical key -> entity, is it the present key`.
    EntityKey = 5,
    /// `entity kind, entity id -> its present key`.
    KeyOfEntity = 6,
    /// `status, time (newest first), task id -> ()`.
    TaskByStatus = 7,
    /// `project, 0, task id -> title as text search compares it`.
    TaskTitle = 8,
    /// `entity id, 0, seq -> ()`: the acts that belong to an entity's history.
    History = 9,
    /// `session, 0, source entry -> ()`: entries that went through the resolver.
    Resolved = 10,
    /// `entry id -> entry`.
    Entry = 16,
    /// `seq (newest first), entry id -> ()`.
    EntryByAge = 17,
    /// `edge number -> edge`.
    Edge = 24,
    /// `tuple -> edge number`: live edges.
    EdgeTuple = 25,
    /// `source, relation, edge number (newest first) -> edge`: live edges.
    EdgeOut = 26,
    /// `destination, relation, edge number (newest first) -> edge`: live edges.
    EdgeIn = 27,
    /// As `EdgeOut`, for edges that ended.
    EdgePastOut = 28,
    /// As `EdgeIn`, for edges that ended.
    EdgePastIn = 29,
    /// `build id -> build run`.
    BuildRun = 32,
    /// `extraction key -> what became of it`.
    Ingested = 33,
    /// `decision id -> decision`.
    Decision = 34,
    /// `conflict id -> conflict`.
    Conflict = 35,
    /// `seq -> promotion`.
    Promotion = 36,
    /// `seq -> pipeline metric`.
    Metric = 37,
    /// `seq -> ingested session`.
    SessionIngested = 38,
    /// `event id -> placeholder`.
    Placeholder = 40,
    /// `memory -> its last resolution`.
    Resolution = 41,
    /// `event id -> access metrics`.
    Access = 48,
    /// `event id -> level`.
    Level = 49,
    /// `level, event id -> ()`.
    LevelOf = 50,
    /// `insight key -> insight`.
    Insight = 51,
    /// `event id -> working item`.
    Working = 56,
    /// `memory id -> consolidated memory`.
    Consolidated = 57,
    /// `event id -> memory id`: events that are in a memory.
    ConsolidatedEvent = 58,
    /// `seq -> scored transition`.
    Continuity = 59,
    /// Rows and last change of each shelf.
    Count = 128,
    /// From here on: work to be done, which is no function of the log and no
    /// part of its digest. `event id -> ()`: accessed since it was last judged.
    LevelDue = 200,
    /// `name -> number`: how far a step of the upkeep has come.
    Cursor = 201,
}

impl Shelf {
    /// Whether the rows are work to be done and no part of the digest.
    fn is_work(number: u8) -> bool {
        number >= Shelf::LevelDue as u8
    }
}

/// How much lies on a shelf, and when that last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShelfFacts {
    pub(crate) rows: u64,
    /// The time of the last event that changed it; 0 when none has.
    pub(crate) moved_ms: i64,
}

impl ShelfFacts {
    fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(24);
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.moved_ms.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Self {
        let number = |at: usize| {
            bytes
                .get(at..at + 8)
                .and_then(|b| b.try_into().ok())
                .unwrap_or([0; 8])
        };
        ShelfFacts {
            rows: u64::from_le_bytes(number(0)),
            moved_ms: i64::from_le_bytes(number(8)),
        }
    }
}

/// Looks at a key (without its shelf) and a row; false ends the scan.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<bool>;

/// Reads rows, in a read transaction or in the middle of a write.
pub(crate) trait Rows {
    /// The row under a key.
    fn get(&self, shelf: Shelf, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Visits the rows whose keys begin with `prefix` and come after `after`
    /// (both without the shelf), in the order of keys, until `visit` says false.
    fn scan(
        &self,
        shelf: Shelf,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()>;

    /// How much lies on a shelf.
    fn facts(&self, shelf: Shelf) -> Result<ShelfFacts> {
        Ok(self
            .get(Shelf::Count, &[shelf as u8])?
            .map_or_else(ShelfFacts::default, |row| ShelfFacts::decode(&row)))
    }
}

fn full_key(shelf: Shelf, key: &[u8]) -> Vec<u8> {
    let mut full = Vec::with_capacity(1 + key.len());
    full.push(shelf as u8);
    full.extend_from_slice(key);
    full
}

/// Rows are sealed; a row that says all in its key has no bytes at all.
fn open(bytes: &[u8]) -> Result<&[u8]> {
    if bytes.is_empty() {
        return Ok(bytes);
    }
    Ok(Reader::unseal("projected row", bytes)?.rest())
}

fn get(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    shelf: Shelf,
    key: &[u8],
) -> Result<Option<Vec<u8>>> {
    table
        .get(full_key(shelf, key).as_slice())?
        .map(|row| open(row.value()).map(<[u8]>::to_vec))
        .transpose()
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    shelf: Shelf,
    prefix: &[u8],
    after: Option<&[u8]>,
    visit: Visit<'_>,
) -> Result<()> {
    let first = full_key(shelf, prefix);
    let after = after.map(|after| full_key(shelf, after));
    let lower = match &after {
        Some(after) if *after >= first => Bound::Excluded(after.as_slice()),
        _ => Bound::Included(first.as_slice()),
    };
    for entry in table.range((lower, Bound::<&[u8]>::Unbounded))? {
        let (key, row) = entry?;
        let key = key.value();
        if !key.starts_with(&first) || !visit(&key[1..], open(row.value())?)? {
            break;
        }
    }
    Ok(())
}

/// The rows as a read transaction sees them.
pub(crate) struct Projected(ReadOnlyTable<&'static [u8], &'static [u8]>);

impl Rows for Projected {
    fn get(&self, shelf: Shelf, key: &[u8]) -> Result<Option<Vec<u8>>> {
        sound(|| get(&self.0, shelf, key))
    }

    fn scan(
        &self,
        shelf: Shelf,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()> {
        sound(|| scan(&self.0, shelf, prefix, after, visit))
    }
}

/// The rows in the middle of a write. Counts are written by [`ProjectedMut::finish`].
pub(crate) struct ProjectedMut<'t> {
    table: Table<'t, &'static [u8], &'static [u8]>,
    counts: BTreeMap<u8, ShelfFacts>,
}

impl Rows for ProjectedMut<'_> {
    fn get(&self, shelf: Shelf, key: &[u8]) -> Result<Option<Vec<u8>>> {
        get(&self.table, shelf, key)
    }

    fn scan(
        &self,
        shelf: Shelf,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()> {
        scan(&self.table, shelf, prefix, after, visit)
    }

    fn facts(&self, shelf: Shelf) -> Result<ShelfFacts> {
        if let Some(facts) = self.counts.get(&(shelf as u8)) {
            return Ok(*facts);
        }
        Ok(self
            .get(Shelf::Count, &[shelf as u8])?
            .map_or_else(ShelfFacts::default, |row| ShelfFacts::decode(&row)))
    }
}

impl ProjectedMut<'_> {
    /// Stores a row; an empty one says all in its key.
    pub(crate) fn put(&mut self, shelf: Shelf, key: &[u8], row: &[u8]) -> Result<()> {
        let sealed = if row.is_empty() {
            Vec::new()
        } else {
            seal(row.to_vec())
        };
        let is_new = self
            .table
            .insert(full_key(shelf, key).as_slice(), sealed.as_slice())?
            .is_none();
        self.count(shelf, i64::from(is_new))
    }

    /// Removes a row; false when there was none.
    pub(crate) fn remove(&mut self, shelf: Shelf, key: &[u8]) -> Result<bool> {
        let was_there = self
            .table
            .remove(full_key(shelf, key).as_slice())?
            .is_some();
        if was_there {
            self.count(shelf, -1)?;
        }
        Ok(was_there)
    }

    fn count(&mut self, shelf: Shelf, by: i64) -> Result<()> {
        if shelf == Shelf::Count {
            return Ok(());
        }
        let mut facts = self.facts(shelf)?;
        facts.rows = facts.rows.saturating_add_signed(by);
        self.counts.insert(shelf as u8, facts);
        Ok(())
    }

    /// Writes the counts of the shelves that changed, as of an event's time.
    pub(crate) fn finish(mut self, at_ms: i64) -> Result<()> {
        for (shelf, mut facts) in std::mem::take(&mut self.counts) {
            facts.moved_ms = facts.moved_ms.max(at_ms);
            self.table.insert(
                [Shelf::Count as u8, shelf].as_slice(),
                seal(facts.encode()).as_slice(),
            )?;
        }
        Ok(())
    }
}

impl ReadTx {
    /// The folded rows.
    pub(crate) fn projected(&self) -> Result<Projected> {
        sound(|| Ok(Projected(self.transaction.open_table(PROJECTED)?)))
    }

    /// A hash over every row that is a function of the log: two stores with
    /// the same log have the same.
    #[allow(dead_code, reason = "for checking and rebuilding")]
    pub(crate) fn projected_digest(&self) -> Result<[u8; 32]> {
        sound(|| digest(&self.transaction.open_table(PROJECTED)?))
    }
}

impl WriteTx<'_> {
    /// The folded rows, for changing them. Only one may be open at a time.
    pub(crate) fn projected(&self) -> Result<ProjectedMut<'_>> {
        Ok(ProjectedMut {
            table: self.transaction.open_table(PROJECTED)?,
            counts: BTreeMap::new(),
        })
    }

    /// As [`ReadTx::projected_digest`], in the middle of a write.
    #[allow(dead_code, reason = "for checking and rebuilding")]
    pub(crate) fn projected_digest(&self) -> Result<[u8; 32]> {
        digest(&self.transaction.open_table(PROJECTED)?)
    }

    /// Whether anything was folded at all.
    pub(crate) fn has_projected(&self) -> Result<bool> {
        use redb::ReadableTableMetadata;
        Ok(!self.transaction.open_table(PROJECTED)?.is_empty()?)
    }

    /// Takes every row away, so that the log can be folded afresh.
    pub(crate) fn clear_projected(&self) -> Result<()> {
        self.transaction.delete_table(PROJECTED)?;
        self.transaction.open_table(PROJECTED)?;
        Ok(())
    }
}

/// The layers that callers see, with the shelf that holds them and the one on
/// which their work waits.
const LAYERS: [(&str, Shelf, Option<Shelf>); 17] = [
    ("tasks", Shelf::Task, None),
    ("conditions", Shelf::Condition, None),
    ("artifacts", Shelf::Artifact, None),
    ("entries", Shelf::Entry, None),
    ("edges", Shelf::EdgeTuple, None),
    ("build_runs", Shelf::BuildRun, None),
    ("decisions", Shelf::Decision, None),
    ("conflicts", Shelf::Conflict, None),
    ("promotions", Shelf::Promotion, None),
    ("pipeline_metrics", Shelf::Metric, None),
    ("memory_resolutions", Shelf::Resolution, None),
    ("accesses", Shelf::Access, None),
    ("levels", Shelf::Level, Some(Shelf::LevelDue)),
    ("insights", Shelf::Insight, None),
    ("working_set", Shelf::Working, None),
    ("consolidated", Shelf::Consolidated, Some(Shelf::Working)),
    ("continuity", Shelf::Continuity, None),
];

/// How each layer stands.
pub(crate) fn layers(rows: &dyn Rows) -> Result<Vec<LayerStats>> {
    LAYERS
        .iter()
        .map(|(name, shelf, work)| {
            let facts = rows.facts(*shelf)?;
            let backlog = match work {
                Some(work) => rows.facts(*work)?.rows,
                None => 0,
            };
            Ok(LayerStats {
                name,
                size: facts.rows,
                backlog,
                last_moved: (facts.moved_ms != 0)
                    .then(|| Timestamp::from_millis_clamped(facts.moved_ms)),
            })
        })
        .collect()
}

fn digest(table: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    for entry in table.iter()? {
        let (key, row) = entry?;
        let (key, row) = (key.value(), open(row.value())?);
        let counts_work = key.first() == Some(&(Shelf::Count as u8))
            && key.get(1).is_some_and(|n| Shelf::is_work(*n));
        if key.first().is_some_and(|n| Shelf::is_work(*n)) || counts_work {
            continue;
        }
        for part in [key, row] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(*hasher.finalize().as_bytes())
}
