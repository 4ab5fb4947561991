//! Blocks that a check merges and does not keep.

use crate::index::lexical::block::{BlockKey, BlockSink};
use crate::model::error::Result;
use crate::store::running::Running;

/// Discards all blocks.
pub(super) struct Discarded<'a>(pub(super) &'a Running);

impl BlockSink for Discarded<'_> {
    fn put(&mut self, _: BlockKey, _: &[u8]) -> Result<()> {
        self.0.tick()
    }
}
