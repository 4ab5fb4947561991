//! The descriptor of a segment, as the store records it.

use crate::index::lexical::block::{BlockKey, Section};
use crate::index::side_file::{SUFFIX, WORDS};

/// The descriptor of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentInfo {
    /// The id under which its blocks are stored.
    pub id: u64,
    /// The first log position that it covers.
    pub seq_from: u64,
    /// The last log position that it covers.
    pub seq_to: u64,
    /// The number of events.
    pub events: u32,
    /// The number of passages.
    pub passages: u32,
    /// The number of distinct terms.
    pub terms: u32,
    /// The number of blocks, including the header: body blocks are 0 to `blocks` − 2.
    pub blocks: u32,
    /// The total size of its blocks.
    pub size_bytes: u64,
    /// The file that holds its blocks; `None` if the store does.
    pub file: Option<SegmentFileInfo>,
}

impl SegmentInfo {
    /// The name of the file that holds its blocks.
    pub(crate) fn file_name(&self) -> Option<String> {
        self.file.map(|file| name_of(self.id, file.unique))
    }

    /// The keys of all its blocks, for removing them from the store.
    pub fn block_keys(&self) -> impl Iterator<Item = BlockKey> + use<> {
        let (id, body) = (self.id, self.blocks.saturating_sub(1));
        std::iter::once(BlockKey::new(id, Section::Header, 0))
            .chain((0..body).map(move |block| BlockKey::new(id, Section::Body, block)))
    }
}

/// What a segment's descriptor records about its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentFileInfo {
    /// The unique part of its name, never reused.
    pub unique: u128,
    /// Its length in bytes.
    pub length: u64,
    /// XXH3 of the checksums of its blocks, in order.
    pub checks: u64,
}

/// The file name of a segment.
pub(crate) fn name_of(segment: u64, unique: u128) -> String {
    format!("{WORDS}{segment}.{unique:032x}{SUFFIX}")
}
