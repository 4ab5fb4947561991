//! Remembers which entries the task resolver has processed, so that none is processed twice.

use crate::model::error::Result;
use crate::projection::rows::joined;
use crate::rules::tasks::Source;
use crate::store::projected_rows::projected::{ProjectedMut, RowKind, Rows};

fn source_key(source: &Source) -> Vec<u8> {
    joined(&[&source.session, &source.entry])
}

/// Whether the resolver has processed an entry.
pub(crate) fn is_resolved(rows: &dyn Rows, source: &Source) -> Result<bool> {
    Ok(rows.get(RowKind::Resolved, &source_key(source))?.is_some())
}

/// Records that the resolver has processed an entry.
pub(crate) fn mark_resolved(rows: &mut ProjectedMut<'_>, source: &Source) -> Result<()> {
    rows.put(RowKind::Resolved, &source_key(source), &[])
}
