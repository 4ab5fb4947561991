//! The kinds of rows that folds write, their keys, and how rows are read.

use crate::model::error::Result;

macro_rules! row_kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        /// The kinds of rows. The numbers are stable on disk. `docs/design.md` lists
        /// them; numbers inside keys are big-endian.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum RowKind { $($(#[$doc])* $name = $number,)* }

        impl RowKind {
            /// Every kind.
            pub(crate) const ALL: &'static [RowKind] = &[$(RowKind::$name,)*];
        }
    };
}

row_kinds! {
    /// `name -> value and time`: mode, policies, last context.
    Setting = 1;
    /// `task id -> task`.
    Task = 2;
    /// `condition id -> condition`.
    Condition = 3;
    /// `artifact id -> artifact`.
    Artifact = 4;
    /// `entity kind, canonical key -> entity, is it the present key`.
    EntityKey = 5;
    /// `entity kind, entity id -> its present key`.
    KeyOfEntity = 6;
    /// `all or project, status, time (newest first), task id -> ()`.
    TaskByStatus = 7;
    /// `project, 0, task id -> title as text search compares it`.
    TaskTitle = 8;
    /// `entity id, 0, seq -> ()`: the acts that belong to an entity's history.
    History = 9;
    /// `session, 0, source entry -> ()`: entries that went through the resolver.
    Resolved = 10;
    /// `all or project, condition id -> ()`: conditions that turned out to be another entity.
    ConditionResolved = 11;
    /// `all or project, priority (most urgent first), time (newest first), task id -> ()`:
    /// tasks that are blocked.
    TaskBlocked = 12;
    /// `project, 0, condition id -> ()`.
    ConditionOfProject = 13;
    /// `entry id -> entry`.
    Entry = 16;
    /// `seq (newest first), entry id -> ()`.
    EntryByAge = 17;
    /// `session, 0, seq (newest first), entry id -> ()`.
    EntryOfSession = 18;
    /// `project, 0, seq (newest first), entry id -> ()`.
    EntryOfProject = 19;
    /// `all or project, type, status, stage, seq (newest first), entry id -> ()`.
    EntryByState = 20;
    /// `edge number -> edge`.
    Edge = 24;
    /// `tuple -> edge number`: live edges.
    EdgeTuple = 25;
    /// `source, relation, edge number (newest first) -> edge`: live edges.
    EdgeOut = 26;
    /// `destination, relation, edge number (newest first) -> edge`: live edges.
    EdgeIn = 27;
    /// As `EdgeOut`, for edges that ended.
    EdgePastOut = 28;
    /// As `EdgeIn`, for edges that ended.
    EdgePastIn = 29;
    /// `build id -> build run`.
    BuildRun = 32;
    /// `extraction key -> what became of it`.
    Ingested = 33;
    /// `decision id -> decision`.
    Decision = 34;
    /// `conflict id -> conflict`.
    Conflict = 35;
    /// `seq -> promotion`.
    Promotion = 36;
    /// `seq -> pipeline metric`.
    Metric = 37;
    /// `seq -> ingested session`.
    SessionIngested = 38;
    /// `session -> up to which position of the log rules and a model read it`.
    SessionRead = 39;
    /// `event id -> placeholder`.
    Placeholder = 40;
    /// `memory -> its last resolution`.
    Resolution = 41;
    /// `project, 0, time it was said, event id -> ()`: messages, read by rules, that say that
    /// something is over.
    Report = 42;
    /// `event id -> access metrics`.
    Access = 48;
    /// `event id -> level`.
    Level = 49;
    /// `level, event id -> ()`.
    LevelOf = 50;
    /// `insight key -> insight`.
    Insight = 51;
    /// `event id -> since when it is pinned`.
    Pin = 52;
    /// `seq (newest first) -> working item`: of the last [`WINDOW`] positions.
    Working = 56;
    /// `memory id -> consolidated memory`.
    Consolidated = 57;
    /// `event id -> memory id`: events that are in a memory.
    ConsolidatedEvent = 58;
    /// `seq -> scored transition`: of the last [`WINDOW`] positions.
    Continuity = 59;
    /// `time (newest first), memory id -> ()`: consolidated memories.
    ConsolidatedByAge = 60;
    /// `confidence (highest first), time (newest first), memory id -> ()`: consolidated memories.
    ConsolidatedByConfidence = 61;
    /// `seq (newest first) -> ()`: the rows of [`RowKind::Working`] that wait to be consolidated.
    Unconsolidated = 62;
    /// `row kind, level (of LevelOf only, where it is there) -> how many rows and last change`.
    Count = 128;
    /// From here on: pending work and its progress, which are not a function of the log and
    /// not part of its digest. `event id -> ()`: accessed since it was last judged.
    LevelDue = 200;
    /// `name -> number`: the progress of an upkeep step.
    Cursor = 201;
    /// `session -> ()`: may contain messages that the rules have not read.
    Unread = 203;
    /// `token (8) seq (8) part (4) touch (1) -> ()`: which parts of which folds touched a
    /// row, see `touches.rs`. It may name more than a fold of the log would, never
    /// less.
    Touched = 202;
    /// `row kind, id -> number of the write (8)`: learned items whose rows were written or
    /// removed since they were indexed, see `learned.rs`.
    LearnedChange = 204;
    /// `row kind, id -> document number (8) hash of the text (16)`: the documents of the
    /// stored learned index.
    LearnedDocument = 205;
    /// `group (1) document number (8) -> row kind, id`.
    LearnedOf = 206;
    /// `segment (8) -> segment of the learned index`.
    LearnedSegment = 207;
    /// `row kind, id -> number of the write (8)`: learned items whose rows were written or
    /// removed since it was decided whether they need a vector, see
    /// `learned_vectors.rs`.
    LearnedToEmbed = 208;
    /// `number of the item (8) -> vector, or that it waits for one`.
    LearnedVector = 209;
    /// `word, 0, group (1) document number (8) -> when its item was created (8)`: words of
    /// entries and tasks, see `learned_words.rs`.
    LearnedWord = 210;
    /// `three bytes, word -> ()`: in which words they are.
    LearnedPiece = 211;
    /// `group (1) document number (8) -> its words, joined by 0`.
    LearnedWords = 212;
}

/// [`RowKind::Working`], [`RowKind::Unconsolidated`] and [`RowKind::Continuity`] hold rows of this
/// many positions at the end of the log.
pub(crate) const WINDOW: u64 = 16_384;

impl RowKind {
    /// Whether the rows are pending work and not part of the digest.
    pub(in crate::store) fn is_work(self) -> bool {
        is_work(self as u8)
    }

    /// Like [`RowKind::is_work`], for a full key.
    pub(crate) fn is_work_key(key: &[u8]) -> bool {
        key.first().is_some_and(|row_kind| is_work(*row_kind))
    }

    /// Whether folds never read the rows, and write each of them only in a part that also
    /// touches another row which determines it, or under a key with the position of the
    /// event. No touches are kept for them.
    pub(in crate::store) fn is_beside_another(self) -> bool {
        matches!(
            self,
            RowKind::TaskByStatus
                | RowKind::TaskBlocked
                | RowKind::ConditionResolved
                | RowKind::ConditionOfProject
                | RowKind::TaskTitle
                | RowKind::History
                | RowKind::EntryByAge
                | RowKind::EntryOfSession
                | RowKind::EntryOfProject
                | RowKind::EntryByState
                | RowKind::EdgeIn
                | RowKind::EdgePastOut
                | RowKind::EdgePastIn
                | RowKind::Promotion
                | RowKind::Metric
                | RowKind::SessionIngested
                | RowKind::LevelOf
                | RowKind::Continuity
                | RowKind::ConsolidatedByAge
                | RowKind::ConsolidatedByConfidence
                | RowKind::Unconsolidated
                | RowKind::Count
        )
    }
}

pub(in crate::store) fn is_work(number: u8) -> bool {
    number >= RowKind::LevelDue as u8
}

/// The number of rows of a kind, and when that last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowKindFacts {
    pub(crate) rows: u64,
    /// The time of the last event that changed it; 0 if none has.
    pub(crate) moved_ms: i64,
}

impl RowKindFacts {
    pub(in crate::store) fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(24);
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.moved_ms.to_le_bytes());
        out
    }

    pub(in crate::store) fn decode(bytes: &[u8]) -> Self {
        let number = |at: usize| {
            bytes
                .get(at..at + 8)
                .and_then(|b| b.try_into().ok())
                .unwrap_or([0; 8])
        };
        RowKindFacts {
            rows: u64::from_le_bytes(number(0)),
            moved_ms: i64::from_le_bytes(number(8)),
        }
    }
}

/// A visitor of keys (without kind) and rows; false ends the scan.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<bool>;

/// Reads rows, in a read transaction or during a write.
pub(crate) trait Rows {
    /// The row under a key.
    fn get(&self, row_kind: RowKind, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Visits the rows whose keys start with `prefix` and come after `after` (both without
    /// the kind), in key order, until `visit` returns false.
    fn scan(
        &self,
        row_kind: RowKind,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()>;

    /// How many rows there are of what is counted.
    fn facts_of(&self, counted: Counted) -> Result<RowKindFacts> {
        Ok(self
            .get(RowKind::Count, &counted.key())?
            .map_or_else(RowKindFacts::default, |row| RowKindFacts::decode(&row)))
    }

    /// How many rows of a kind there are.
    fn facts(&self, row_kind: RowKind) -> Result<RowKindFacts> {
        self.facts_of(Counted::all(row_kind as u8))
    }
}

/// What is counted: the rows of a kind, or those of a kind that belong to one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Counted {
    row_kind: u8,
    level: Option<u8>,
}

impl Counted {
    pub(in crate::store) fn all(row_kind: u8) -> Self {
        let level = None;
        Counted { row_kind, level }
    }

    /// The events of a level.
    pub(crate) fn of_level(level: u8) -> Self {
        Counted {
            row_kind: RowKind::LevelOf as u8,
            level: Some(level),
        }
    }

    /// What the row under a full key counts for.
    pub(in crate::store) fn of_key(key: &[u8]) -> impl Iterator<Item = Counted> + use<> {
        let row_kind = key.first().copied().unwrap_or(RowKind::Count as u8);
        let is_counted = row_kind != RowKind::Count as u8 && row_kind != RowKind::Touched as u8;
        let all = is_counted.then(|| Counted::all(row_kind));
        let level = key.get(1).filter(|_| row_kind == RowKind::LevelOf as u8);
        let level = level.map(|level| Counted::of_level(*level));
        all.into_iter().chain(level)
    }

    /// What a row of [`RowKind::Count`] counts, by its full key.
    pub(in crate::store) fn of_count(key: &[u8]) -> Self {
        Counted {
            row_kind: key.get(1).copied().unwrap_or_default(),
            level: key.get(2).copied(),
        }
    }

    /// Its key among the counts.
    pub(in crate::store) fn key(self) -> Vec<u8> {
        std::iter::once(self.row_kind).chain(self.level).collect()
    }
}

pub(crate) fn full_key(row_kind: RowKind, key: &[u8]) -> Vec<u8> {
    let mut full = Vec::with_capacity(1 + key.len());
    full.push(row_kind as u8);
    full.extend_from_slice(key);
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers in words like "2 to 13" and "204 to 207, 210 to 212".
    fn numbers(cell: &str) -> Vec<u8> {
        let mut all: Vec<u8> = Vec::new();
        let mut is_range = false;
        for word in cell.split([' ', ',']) {
            match word.parse::<u8>() {
                Ok(last) if is_range => all.extend(all.last().map_or(0, |first| first + 1)..=last),
                Ok(number) => all.push(number),
                Err(_) => {}
            }
            is_range = word == "to";
        }
        all
    }

    #[test]
    fn the_design_page_lists_every_kind() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/design.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, section) = page.split_once("### Kinds of rows").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| "));
        let mut listed: Vec<u8> = rows
            .flat_map(|row| numbers(row.split('|').nth(1).unwrap()))
            .collect();
        listed.sort_unstable();
        let mut all: Vec<u8> = RowKind::ALL.iter().map(|kind| *kind as u8).collect();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
