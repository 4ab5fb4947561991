//! The sizes and marks of a segment's rows, which its writer and its reader agree on.

use crate::index::lexical::semantic::EMBEDDING_BYTES;

/// Bytes of an event's row.
pub(crate) const EVENT_BYTES: usize = 36;
/// What is known of a passage, and its embedding.
pub(crate) const PASSAGE_BYTES: usize = PASSAGE_FACTS_BYTES + EMBEDDING_BYTES;
/// Without the embedding.
pub(crate) const PASSAGE_FACTS_BYTES: usize = 18;
/// An event row with the event's number and the end of its passages.
pub(crate) const TURN_BYTES: usize = EVENT_BYTES + 8;
pub(crate) const ZONE_EVENTS: usize = 64;
pub(crate) const ZONE_BYTES: usize = 56;
pub(crate) const CELL_ROW_BYTES: usize = 12;
/// Marks a term whose single posting stands in place of the pointer.
pub(crate) const INLINE: u32 = 1 << 31;
/// How many postings a row of a skip table leads over.
pub(crate) const SKIP_EVERY: u32 = 128;
/// Of a row: the last passage, and the bytes of documents and of positions so far.
pub(crate) const SKIP_BYTES: usize = 12;
/// The cell of a word that the static table does not know.
pub(crate) const NO_CELL: u16 = 256;
