//! Notes that insights are to be searched for again, because something that feeds them changed.

use crate::model::error::Result;
use crate::projection::rows::{self, Cursor};
use crate::store::projected_rows::projected::ProjectedMut;

/// Set when what insights are found in changes (an event moves, a pause ends, an insight goes), until
/// insights are searched for: the last position of the log then.
pub(crate) const INSIGHTS_DUE: &[u8] = b"insights";

/// Notes that they are due, as of the last position of the log.
pub(crate) fn note(rows: &mut ProjectedMut<'_>, last_seq: u64) -> Result<()> {
    rows::put(rows, INSIGHTS_DUE, &Cursor::at(last_seq))
}
