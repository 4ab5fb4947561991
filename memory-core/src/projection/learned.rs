//! The searchable text of each learned item, derived from its row.

use crate::index::lexical::forward::{self, ForwardBody, TextPart};
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::{ErrorCode, Result};
use crate::model::learned::LearnedKind;
use crate::projection::levels::InsightRow;
use crate::projection::{entries, rows, tasks};
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::entries::EntryId;
use crate::rules::tasks::EntityId;
use crate::store::index_tables::learned::{LearnedGroup, LearnedRow};
use crate::store::projected_rows::projected::{RowKind, Rows};

/// The text by which a learned item is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LearnedText {
    pub(crate) text: String,
    /// When it was created, for ordering items that are indexed together: the event's
    /// position for an entry, milliseconds for others.
    pub(crate) at: i64,
}

impl LearnedText {
    /// Identifies the text.
    pub(crate) fn hash(&self) -> [u8; 16] {
        let hash = blake3::hash(self.text.as_bytes());
        hash.as_bytes()[..16].try_into().expect("a hash is longer")
    }

    /// Its words.
    pub(crate) fn words(&self) -> ForwardBody {
        let part = TextPart {
            header: "",
            embeds_header: false,
            text: &self.text,
            offset: 0,
        };
        with_analyser(|analyser| forward::analyse(analyser, &[part]))
    }
}

/// The text of a learned item; `None` if its row is gone.
///
/// # Errors
/// `corrupt` when its row cannot be read.
pub(crate) fn text(rows: &dyn Rows, of: &LearnedRow) -> Result<Option<LearnedText>> {
    match of.row_kind {
        RowKind::Entry => entry_text(rows, &of.id),
        RowKind::Task => task_text(rows, &of.id),
        RowKind::Insight => insight_text(rows, &of.id),
        _ => memory_text(rows, &of.id),
    }
}

/// A model reads only a few hundred tokens; embedding more of a text is wasted time.
const EMBEDDED_BYTES: usize = 4_096;

/// The text of a learned item that its vector is made of; `None` if its row is gone, or cannot
/// be read: a rebuild heals it, after which every item is embedded again. What blocks a task is
/// not part of the text.
pub(crate) fn embedded(rows: &dyn Rows, of: &LearnedRow) -> Result<Option<LearnedText>> {
    let found = match of.row_kind {
        RowKind::Task => tasks::task(rows, &EntityId::new(of.id.as_str())).map(|task| {
            task.map(|task| {
                let (text, at) = (task.search_text(), task.created_at.millis());
                LearnedText { text, at }
            })
        }),
        _ => text(rows, of),
    };
    let found = match found {
        Err(error) if error.code() == ErrorCode::Corrupt => None,
        found => found?,
    };
    Ok(found.map(|mut found| {
        let end = found.text.floor_char_boundary(EMBEDDED_BYTES);
        found.text.truncate(end);
        found
    }))
}

fn entry_text(rows: &dyn Rows, id: &str) -> Result<Option<LearnedText>> {
    Ok(
        entries::entry(rows, &EntryId::new(id))?.map(|row| LearnedText {
            // The title names what the content explains, so both form one text.
            text: format!("{}\n{}", row.entry.title, row.content),
            at: i64::try_from(row.seq.0).unwrap_or(i64::MAX),
        }),
    )
}

fn task_text(rows: &dyn Rows, id: &str) -> Result<Option<LearnedText>> {
    Ok(tasks::task(rows, &EntityId::new(id))?.map(|task| {
        let waits_for = task.blockers().iter().chain(task.suggested_blockers());
        let named: Vec<&str> = waits_for.map(|blocker| blocker.raw_text.as_str()).collect();
        LearnedText {
            text: format!("{}\n{}", task.search_text(), named.join("\n")),
            at: task.created_at.millis(),
        }
    }))
}

fn insight_text(rows: &dyn Rows, key: &str) -> Result<Option<LearnedText>> {
    let row: Option<InsightRow> = rows::get(rows, key.as_bytes())?;
    Ok(row.map(|row| LearnedText {
        text: row.insight.content,
        at: row.at.millis(),
    }))
}

fn memory_text(rows: &dyn Rows, id: &str) -> Result<Option<LearnedText>> {
    let row: Option<ConsolidatedMemory> = rows::get(rows, id.as_bytes())?;
    Ok(row.map(|row| LearnedText {
        text: format!("{}\n{}", row.summary, row.topics.join(" ")),
        at: row.created_at.millis(),
    }))
}

/// Visits every learned item of a group, the newest entry first.
///
/// # Errors
/// As [`Rows::scan`].
pub(crate) fn each(
    rows: &dyn Rows,
    group: LearnedGroup,
    visit: &mut dyn FnMut(LearnedRow),
) -> Result<()> {
    for &row_kind in group.row_kinds() {
        // The rows by age carry everything in their keys.
        let (listed, from) = match row_kind {
            RowKind::Entry => (RowKind::EntryByAge, 8),
            row_kind => (row_kind, 0),
        };
        rows.scan(listed, &[], None, &mut |key, _| {
            if let Some(id) = key.get(from..).and_then(|id| std::str::from_utf8(id).ok()) {
                let id = id.to_owned();
                visit(LearnedRow { row_kind, id });
            }
            Ok(true)
        })?;
    }
    Ok(())
}

/// The public name of a row kind.
pub(crate) fn kind_of(row_kind: RowKind) -> LearnedKind {
    match row_kind {
        RowKind::Entry => LearnedKind::Entry,
        RowKind::Task => LearnedKind::Task,
        RowKind::Insight => LearnedKind::Insight,
        _ => LearnedKind::Memory,
    }
}
