//! Vectors of learned items: marks what may need one, removes those of forgotten texts, and
//! compares all of them with a question.

use std::collections::HashSet;

use crate::engine::learned_index::LearnedRef;
use crate::engine::question_vector::QuestionVector;
use crate::index::vector::kernels::Kernels;
use crate::model::error::Result;
use crate::projection::learned::{self as texts, kind_of};
use crate::store::index_tables::learned::{LearnedGroup, LearnedRow};
use crate::store::index_tables::learned_vectors::{each, number_of, to_embed, vector};
use crate::store::projected_rows::projected::{Projected, Rows};
use crate::store::{ReadTx, WriteTx};

/// Marks every learned item as one that may need a vector: another embedder became the
/// active one, or the vectors were not copied to this file.
pub(crate) fn mark_all(tx: &WriteTx<'_>) -> Result<()> {
    let mut rows = tx.projected()?;
    for group in LearnedGroup::ALL {
        let mut all = Vec::new();
        texts::each(&rows, group, &mut |row| all.push(row))?;
        for row in all {
            rows.put_to_embed(&row)?;
        }
    }
    // Marking does not change a layer.
    rows.finish(i64::MIN)
}

/// Removes the vectors of texts that this transaction took back. Those of texts that merely
/// changed are replaced later.
pub(crate) fn take_out(tx: &WriteTx<'_>) -> Result<()> {
    let mut rows = tx.projected()?;
    for marked in to_embed(&rows, usize::MAX)? {
        if marked.write != rows.write() {
            continue;
        }
        if !is_current(&rows, &marked.row)? {
            rows.remove_learned_vector(&marked.row)?;
        }
    }
    rows.finish(i64::MIN)
}

/// Whether the vector of an item, if it has one, is that of its present text.
fn is_current(rows: &dyn Rows, row: &LearnedRow) -> Result<bool> {
    let Some(known) = vector(rows, number_of(row))? else {
        return Ok(true);
    };
    let text = texts::embedded(rows, row)?;
    Ok(text.is_some_and(|text| text.hash() == known.hash))
}

/// How similar learned items of some kinds are to a question, from 0 (as similar as usual) to
/// 1, in no order; without those that are not more similar than usual. `listed` restricts
/// the items.
pub(crate) fn similar(
    read: &ReadTx,
    rows: &Projected,
    question: &QuestionVector,
    kinds: u64,
    listed: Option<&[LearnedRow]>,
) -> Result<Vec<(LearnedRef, f32)>> {
    let listed: Option<HashSet<&LearnedRow>> = listed.map(|listed| listed.iter().collect());
    let kernels = Kernels::best();
    let (query, usual) = (question.query().int8(), question.usual(read)?);
    let mut found = Vec::new();
    each(rows, question.version(), &mut |one| {
        let kind = kind_of(one.row.row_kind);
        let is_wanted = kinds & kind.bit() != 0
            && listed
                .as_ref()
                .is_none_or(|listed| listed.contains(&one.row))
            && one.values.len() == query.values.len();
        if !is_wanted {
            return;
        }
        let steps = kernels.dot_i8(&query.values, &one.values);
        let cosine = steps as f32 * one.scale * query.scale;
        let above = (cosine - usual) / (1.0 - usual).max(f32::EPSILON);
        if above > 0.0 {
            let id = one.row.id;
            found.push((LearnedRef { kind, id }, above.min(1.0)));
        }
    })?;
    Ok(found)
}
