//! The jobs of learned items: which of the marked ones need a vector, and their texts.

use crate::index::vector::windows::Window;
use crate::model::error::Result;
use crate::projection::learned as texts;
use crate::rules::outbox::{ItemKind, Job};
use crate::store::index_tables::learned::LearnedRow;
use crate::store::index_tables::learned_vectors::{LearnedVector, number_of, to_embed, vector};
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows as _};
use crate::store::{ReadTx, WriteTx};

/// Whether a job is for a learned item.
pub(super) fn is_learned(job: &Job) -> bool {
    matches!(
        job.key.item_kind,
        ItemKind::Entry | ItemKind::TaskTitle | ItemKind::Memory
    )
}

fn item_kind(row_kind: RowKind) -> ItemKind {
    match row_kind {
        RowKind::Entry => ItemKind::Entry,
        RowKind::Task => ItemKind::TaskTitle,
        _ => ItemKind::Memory,
    }
}

/// Whether learned items were written or changed since that was last looked through.
pub(super) fn is_marked(read: &ReadTx) -> Result<bool> {
    Ok(read.projected()?.facts(RowKind::LearnedToEmbed)?.rows > 0)
}

/// Enqueues those of the marked items that have no vector of their present text, examining
/// at most so many.
pub(super) fn enqueue(tx: &mut WriteTx<'_>, version: u32, most: usize) -> Result<()> {
    let mut rows = tx.projected()?;
    let mut jobs = Vec::new();
    for marked in to_embed(&rows, most)? {
        if needs_vector(&mut rows, &marked.row, version)? {
            jobs.push((item_kind(marked.row.row_kind), number_of(&marked.row)));
        }
        rows.remove_to_embed(&marked.row)?;
    }
    // Enqueuing does not change a layer.
    rows.finish(i64::MIN)?;
    tx.enqueue_learned(version, &jobs)
}

/// Whether an item needs a vector, which is noted. The vector of an earlier text or of an
/// item that is gone is removed.
fn needs_vector(rows: &mut ProjectedMut<'_>, row: &LearnedRow, version: u32) -> Result<bool> {
    let Some(text) = texts::embedded(rows, row)? else {
        rows.remove_learned_vector(row)?;
        return Ok(false);
    };
    let hash = text.hash();
    let is_known = vector(rows, number_of(row))?
        .is_some_and(|known| known.row == *row && known.version == version && known.hash == hash);
    if !is_known {
        rows.put_learned_vector(&LearnedVector::waiting(row.clone(), version, hash))?;
    }
    Ok(!is_known)
}

/// The text of the learned item with a number; `None` if it is gone, or if its text changed
/// since it was enqueued: then it is enqueued again.
pub(super) fn text_of(read: &ReadTx, number: u64) -> Result<Option<Window>> {
    let rows = read.projected()?;
    let Some(waiting) = vector(&rows, number)? else {
        return Ok(None);
    };
    Ok(texts::embedded(&rows, &waiting.row)?
        .filter(|text| text.hash() == waiting.hash && !text.text.trim().is_empty())
        .map(|text| Window {
            number: 0,
            start: 0,
            length: 0,
            text: text.text,
        }))
}
