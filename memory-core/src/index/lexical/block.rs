//! The blocks that a segment is stored as, and the traits through which the store reads and writes
//! them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{OptionsBuilder, Weighter};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::index::side_file::MappedFile;
use crate::model::error::{Error, ErrorCode, Result};

/// The maximum payload of a block. With its header, its key and the engine's overhead a block fills
/// a 4 KB page, which suits a search's many small reads.
pub const PAYLOAD_BYTES: usize = 4_032;
pub(super) const HEADER_BYTES: usize = 16;
const MAGIC: [u8; 3] = *b"RLX";
const VERSION: u8 = 1;
/// The parts of a cache that are locked by themselves.
const SHARDS: usize = 4;

/// The part of a segment that a block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Section {
    /// Counts and offsets: one block, written last.
    Header = 0,
    /// Everything else, a byte stream cut into blocks.
    Body = 1,
}

/// The key of a block in the store, ordered by segment, section, block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockKey {
    /// The segment's id, assigned by the store.
    pub segment: u64,
    /// The section's number.
    pub section: u8,
    /// The block's index in its section, from 0.
    pub block: u32,
}

impl BlockKey {
    /// The key of a block.
    pub fn new(segment: u64, section: Section, block: u32) -> Self {
        BlockKey {
            segment,
            section: section as u8,
            block,
        }
    }

    /// 13 bytes, big-endian, so that they sort like the key.
    pub fn to_bytes(self) -> [u8; 13] {
        let mut bytes = [0; 13];
        bytes[..8].copy_from_slice(&self.segment.to_be_bytes());
        bytes[8] = self.section;
        bytes[9..].copy_from_slice(&self.block.to_be_bytes());
        bytes
    }
}

/// Reads blocks.
pub trait BlockSource {
    /// The stored bytes of a block, or `None` if it does not exist.
    fn block(&self, key: BlockKey) -> Result<Option<Arc<[u8]>>>;

    /// The folder of segments that are stored as files.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Writes blocks.
pub trait BlockSink {
    /// Stores a block.
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()>;
}

/// Blocks in memory, for tests and for indexes that are never stored.
impl BlockSource for HashMap<BlockKey, Arc<[u8]>> {
    fn block(&self, key: BlockKey) -> Result<Option<Arc<[u8]>>> {
        Ok(self.get(&key).cloned())
    }
}

impl BlockSink for HashMap<BlockKey, Arc<[u8]>> {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        self.insert(key, bytes.into());
        Ok(())
    }
}

/// Blocks in write order, buffered until they can be stored.
impl BlockSink for Vec<(BlockKey, Vec<u8>)> {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        self.push((key, bytes.to_vec()));
        Ok(())
    }
}

/// Adds the header: magic, version, payload length, and a checksum seeded with the block's key,
/// which detects misplaced blocks.
pub(crate) fn seal(key: BlockKey, payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::with_capacity(HEADER_BYTES + payload.len());
    block.extend(MAGIC);
    block.push(VERSION);
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend(xxh3_64_with_seed(payload, seed(key)).to_le_bytes());
    block.extend(payload);
    block
}

fn seed(key: BlockKey) -> u64 {
    key.segment
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add((key.section as u64) << 32 | key.block as u64)
}

/// Verifies a block's header and checksum.
pub(super) fn check(key: BlockKey, block: &[u8]) -> Result<()> {
    let good = block.len() >= HEADER_BYTES
        && block[..3] == MAGIC
        && block[3] == VERSION
        && block[4..8] == ((block.len() - HEADER_BYTES) as u32).to_le_bytes()
        && block[8..16] == xxh3_64_with_seed(&block[HEADER_BYTES..], seed(key)).to_le_bytes();
    if good { Ok(()) } else { Err(damaged(key)) }
}

/// Cuts bytes that begin with a block to the length in its header.
pub(super) fn trimmed(bytes: &[u8]) -> Option<&[u8]> {
    let length = bytes.get(4..8)?.first_chunk()?;
    bytes.get(..HEADER_BYTES.checked_add(u32::from_le_bytes(*length) as usize)?)
}

pub(super) fn damaged(key: BlockKey) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "block {} of section {} of lexical segment {} is damaged or missing; rebuild the index",
            key.block, key.section, key.segment
        ),
    )
}

/// A verified block.
#[derive(Clone, Debug)]
pub(crate) struct IndexBlock(Stored);

#[derive(Clone, Debug)]
enum Stored {
    Owned(Arc<[u8]>),
    /// A range of a mapped file.
    Mapped(Arc<MappedFile>, Range<usize>),
}

impl IndexBlock {
    pub(crate) fn owned(bytes: Arc<[u8]>) -> Self {
        IndexBlock(Stored::Owned(bytes))
    }

    pub(super) fn mapped(file: Arc<MappedFile>, range: Range<usize>) -> Self {
        IndexBlock(Stored::Mapped(file, range))
    }

    /// The stored bytes, header included.
    #[inline]
    pub(crate) fn stored(&self) -> &[u8] {
        match &self.0 {
            Stored::Owned(bytes) => bytes,
            Stored::Mapped(file, range) => &file.bytes()[range.clone()],
        }
    }

    #[inline]
    pub(crate) fn payload(&self) -> &[u8] {
        &self.stored()[HEADER_BYTES..]
    }
}

/// Reads a block and verifies it.
pub(crate) fn read(source: &dyn BlockSource, key: BlockKey) -> Result<IndexBlock> {
    let bytes = source.block(key)?.ok_or_else(|| damaged(key))?;
    check(key, &bytes)?;
    Ok(IndexBlock::owned(bytes))
}

/// A cache of verified blocks, shared by all segments of a store, from which a long-lived process
/// answers warm queries without reading the store.
#[derive(Debug)]
pub struct BlockCache(Cache<BlockKey, IndexBlock, StoredBytes, foldhash::fast::FixedState>);

/// Weighs a block by its stored bytes.
#[derive(Clone, Debug)]
struct StoredBytes;

impl Weighter<BlockKey, IndexBlock> for StoredBytes {
    fn weight(&self, _: &BlockKey, block: &IndexBlock) -> u64 {
        block.stored().len() as u64
    }
}

impl BlockCache {
    /// A cache of at most this many bytes, which allocates as it fills.
    pub fn new(capacity_bytes: usize) -> Self {
        let options = OptionsBuilder::new()
            // Given, because counting the machine's cores costs a short process more than it gains.
            .shards(SHARDS)
            .estimated_items_capacity(capacity_bytes / (HEADER_BYTES + PAYLOAD_BYTES))
            .weight_capacity(capacity_bytes as u64)
            .build()
            .expect("the capacities are given");
        BlockCache(Cache::with_options(
            options,
            StoredBytes,
            foldhash::fast::FixedState::default(),
            DefaultLifecycle::default(),
        ))
    }

    /// Evicts the blocks of a segment that was merged away or erased.
    pub fn forget_segment(&self, segment: u64) {
        self.0.retain(|key, _| key.segment != segment);
    }

    /// Drops all blocks.
    pub fn clear(&self) {
        self.0.clear();
    }

    /// The bytes cached.
    #[cfg(test)]
    pub fn size_bytes(&self) -> usize {
        self.0.weight() as usize
    }

    pub(crate) fn get(&self, source: &dyn BlockSource, key: BlockKey) -> Result<IndexBlock> {
        self.get_or(key, || read(source, key))
    }

    /// The block with this key. If it is not cached, `read` is called without holding a lock, since
    /// the source may be slow.
    pub(crate) fn get_or(
        &self,
        key: BlockKey,
        read: impl FnOnce() -> Result<IndexBlock>,
    ) -> Result<IndexBlock> {
        if let Some(block) = self.0.get(&key) {
            return Ok(block);
        }
        let block = read()?;
        self.0.insert(key, block.clone());
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_its_bound() {
        let mut store = HashMap::new();
        for block in 0..50 {
            let key = BlockKey::new(1, Section::Body, block);
            store.put(key, &seal(key, &[block as u8; 1000])).unwrap();
        }
        let cache = BlockCache::new(10_500);
        for round in 0..3 {
            for block in 0..50 {
                let key = BlockKey::new(1, Section::Body, block);
                let got = cache.get(&store, key).unwrap();
                assert_eq!(got.payload()[0], block as u8, "round {round}");
                assert!(cache.size_bytes() <= 10_500);
            }
        }
        cache.forget_segment(1);
        assert_eq!(cache.size_bytes(), 0);
    }

    #[test]
    fn a_damaged_or_misplaced_block_is_named() {
        let key = BlockKey::new(7, Section::Body, 3);
        let good = seal(key, b"contents");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            let error = check(key, &bad).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Corrupt);
            assert!(error.message().contains("segment 7"));
        }
        assert!(check(BlockKey::new(7, Section::Body, 4), &good).is_err());
        assert!(check(key, &good).is_ok());
    }
}
