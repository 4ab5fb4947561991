//! The sizes and markers of a segment's rows, shared by its writer and its reader.

use crate::embed::static_table::DIMENSIONS;

/// Bytes of an event's row.
pub(crate) const EVENT_BYTES: usize = 36;
/// Bytes of a passage's embedding: its scale, little-endian, and its codes.
pub(crate) const EMBEDDING_BYTES: usize = 2 + DIMENSIONS;
/// Bytes of a passage's row: its facts, and its embedding.
pub(crate) const PASSAGE_BYTES: usize = PASSAGE_FACTS_BYTES + EMBEDDING_BYTES;
/// The same without the embedding.
pub(crate) const PASSAGE_FACTS_BYTES: usize = 18;
/// Bytes of a turn's row: an event row, the event's number and the end of its passages.
pub(crate) const TURN_BYTES: usize = EVENT_BYTES + 8;
pub(crate) const ZONE_EVENTS: usize = 64;
pub(crate) const ZONE_BYTES: usize = 56;
pub(crate) const CELL_ROW_BYTES: usize = 12;
/// Marks a term whose single posting is stored inline, in place of the pointer.
pub(crate) const INLINE: u32 = 1 << 31;
/// The number of postings that a row of a skip table skips.
pub(crate) const SKIP_EVERY: u32 = 128;
/// Bytes of such a row: the last passage, and the offsets in documents and positions.
pub(crate) const SKIP_BYTES: usize = 12;
/// The cell of a word that is not in the static table.
pub(crate) const NO_CELL: u16 = 256;
