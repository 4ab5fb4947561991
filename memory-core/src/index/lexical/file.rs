//! A segment as an immutable file: its body blocks, aligned to 4,096 bytes and with the checksums
//! they have in the store, followed by the header block.
//!
//! The file is named `words.<segment>.<unique>.bin`, and the segment's descriptor names it. It is
//! written, fsynced and renamed before the transaction that puts the descriptor. A file that no
//! descriptor names is garbage.
//!
//! # Memory map
//! The file is mmapped and its blocks are used in place, each verified against its checksum on
//! first use. As with vector files ([`crate::index::vector::file`]), its bytes never change while a
//! shared lock on it is held. If another program truncates it, or the disk fails to read a page,
//! the behaviour is the operating system's (on Unix the process gets SIGBUS). If a file cannot be
//! mapped, its blocks are read one by one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3;

use crate::index::lexical::block::{self, BlockKey, BlockSink, IndexBlock, Section};
use crate::index::lexical::segment_info::{SegmentFileInfo, SegmentInfo, name_of};
use crate::index::side_file::{
    self, LockedFile, MappedFile, SharedLock, Unmappable, lock_shared, naming,
};
use crate::model::error::{Error, ErrorCode, Result};

/// The alignment of blocks: one page each.
const STRIDE: usize = 4_096;
/// The size of the write buffer.
const WRITE_BYTES: usize = 1 << 18;

/// The checksum in the header of a stored block.
fn checksum_of(stored: &[u8]) -> &[u8] {
    stored.get(8..block::HEADER_BYTES).unwrap_or_default()
}

enum Bytes {
    Mapped(Arc<MappedFile>),
    /// Reads blocks from a file that cannot be mapped.
    Read(LockedFile),
}

/// An open file. Safe to read from several threads at once.
pub(crate) struct SegmentFile {
    path: PathBuf,
    segment: u64,
    /// The number of body blocks.
    body: u32,
    info: SegmentFileInfo,
    bytes: Bytes,
    /// One bit per block whose checksum was verified.
    verified: Box<[AtomicU64]>,
}

impl SegmentFile {
    /// Opens and maps the file of a segment.
    ///
    /// # Errors
    /// `NotFound`, `PermissionDenied` or `Io` from the system, `NotFound` also for a file that is
    /// being removed; `Corrupt` if its length is not the recorded one.
    pub(crate) fn open(folder: &Path, segment: &SegmentInfo) -> Result<Arc<SegmentFile>> {
        Self::open_with(folder, segment, MappedFile::map)
    }

    fn open_with(
        folder: &Path,
        segment: &SegmentInfo,
        map: impl FnOnce(LockedFile, u64) -> std::result::Result<MappedFile, Box<Unmappable>>,
    ) -> Result<Arc<SegmentFile>> {
        let Some(info) = segment.file else {
            return Err(Error::new(
                ErrorCode::Internal,
                "a segment whose blocks are in the store has no file",
            ));
        };
        let path = folder.join(name_of(segment.id, info.unique));
        let system = |cause: std::io::Error| naming(&path, cause.into());
        if side_file::is_irregular(&path) {
            return Err(Error::new(
                ErrorCode::NotFound,
                format!("{}: this is not a regular file", path.display()),
            ));
        }
        let file = File::open(&path).map_err(system)?;
        let SharedLock::Held(file) = lock_shared(file).map_err(system)? else {
            return Err(Error::new(
                ErrorCode::NotFound,
                format!("{}: the file is being removed", path.display()),
            ));
        };
        let length = file.length().map_err(system)?;
        let body = segment.blocks.saturating_sub(1);
        let header = info.length.checked_sub(u64::from(body) * STRIDE as u64);
        if length != info.length || header.is_none_or(|bytes| bytes < block::HEADER_BYTES as u64) {
            return Err(Error::new(
                ErrorCode::Corrupt,
                format!(
                    "{}: the file has {length} bytes instead of {}; maintain() rebuilds it",
                    path.display(),
                    info.length
                ),
            ));
        }
        let bytes = match map(file, length) {
            Ok(mapped) => Bytes::Mapped(Arc::new(mapped)),
            Err(failed) => Bytes::Read(failed.file),
        };
        let words = (segment.blocks as usize).div_ceil(64);
        Ok(Arc::new(SegmentFile {
            segment: segment.id,
            body,
            info,
            bytes,
            verified: (0..words).map(|_| AtomicU64::new(0)).collect(),
            path,
        }))
    }

    /// Whether its blocks are used in place, so that caching them is pointless.
    #[inline]
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// The key of the `place`-th block of the file.
    fn key(&self, place: u32) -> BlockKey {
        match place == self.body {
            true => BlockKey::new(self.segment, Section::Header, 0),
            false => BlockKey::new(self.segment, Section::Body, place),
        }
    }

    /// A verified block by its place; the header is the one after the body.
    pub(crate) fn block(&self, place: u32) -> Result<IndexBlock> {
        let key = self.key(place);
        if place > self.body {
            return Err(block::damaged(key));
        }
        let map = match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Read(file) => return self.read_block(file, place),
        };
        let start = place as usize * STRIDE;
        let end = self.end_of(place);
        let whole = map.bytes().get(start..end).unwrap_or_default();
        let stored = block::trimmed(whole).ok_or_else(|| block::damaged(key))?;
        let (word, bit) = (&self.verified[place as usize / 64], 1 << (place % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            block::check(key, stored)?;
            word.fetch_or(bit, Ordering::Relaxed);
        }
        let length = stored.len();
        Ok(IndexBlock::mapped(map.clone(), start..start + length))
    }

    /// The header block.
    pub(crate) fn header(&self) -> Result<IndexBlock> {
        self.block(self.body)
    }

    fn end_of(&self, place: u32) -> usize {
        match place == self.body {
            true => self.info.length as usize,
            false => (place as usize + 1) * STRIDE,
        }
    }

    fn read_block(&self, file: &LockedFile, place: u32) -> Result<IndexBlock> {
        let start = place as usize * STRIDE;
        let mut whole = vec![0; self.end_of(place) - start];
        file.read_at(start as u64, &mut whole)
            .map_err(|cause| naming(&self.path, cause.into()))?;
        let key = self.key(place);
        let stored = block::trimmed(&whole).ok_or_else(|| block::damaged(key))?;
        block::check(key, stored)?;
        Ok(IndexBlock::owned(stored.into()))
    }

    /// Visits every block with its key, the header first, and verifies each.
    ///
    /// # Errors
    /// `Corrupt`, naming the block or the file; what `visit` returns.
    pub(crate) fn each_block(
        &self,
        visit: &mut dyn FnMut(BlockKey, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut checks = Xxh3::new();
        visit(self.key(self.body), self.header()?.stored())?;
        for place in 0..=self.body {
            let block = self.block(place)?;
            // Verify again, even if the bit says that the block was intact before.
            block::check(self.key(place), block.stored())?;
            checks.update(checksum_of(block.stored()));
            if place < self.body {
                visit(self.key(place), block.stored())?;
            }
        }
        match checks.digest() == self.info.checks {
            true => Ok(()),
            false => Err(Error::new(
                ErrorCode::Corrupt,
                format!(
                    "{}: the file does not match the store's record of it; maintain() rebuilds it",
                    self.path.display()
                ),
            )),
        }
    }
}

impl std::fmt::Debug for SegmentFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Writes a segment's file under a temporary name. Dropping it unfinished removes the file.
pub(crate) struct SegmentFileWriter {
    folder: PathBuf,
    path: PathBuf,
    temporary: Option<PathBuf>,
    file: File,
    unique: u128,
    buffer: Vec<u8>,
    /// The bytes flushed so far.
    written: u64,
    next: u32,
    checks: Xxh3,
}

impl SegmentFileWriter {
    /// Starts a segment's file. The caller holds the turn to build.
    ///
    /// # Errors
    /// From the disk.
    pub(crate) fn begin(folder: &Path, segment: u64) -> Result<Self> {
        let unique = side_file::unique();
        let path = folder.join(name_of(segment, unique));
        let temporary = side_file::temporary(&path);
        let file = side_file::create(&temporary).map_err(|error| naming(&path, error))?;
        Ok(SegmentFileWriter {
            folder: folder.to_owned(),
            path,
            temporary: Some(temporary),
            file,
            unique,
            buffer: Vec::with_capacity(WRITE_BYTES + STRIDE),
            written: 0,
            next: 0,
            checks: Xxh3::new(),
        })
    }

    /// Fsyncs the file, renames it to its final name and makes that durable. `info` describes the
    /// segment written.
    ///
    /// # Errors
    /// From the disk; at most a file that no descriptor names is left behind.
    pub(crate) fn finish(mut self, info: SegmentInfo) -> Result<SegmentInfo> {
        let path = self.path.clone();
        self.flush()?;
        let finished = self.finish_as(&path);
        let file = finished.map_err(|error| naming(&path, error))?;
        Ok(SegmentInfo {
            file: Some(file),
            ..info
        })
    }

    fn finish_as(&mut self, path: &Path) -> Result<SegmentFileInfo> {
        if let Some(temporary) = &self.temporary {
            side_file::publish(&self.file, temporary, path)?;
        }
        self.temporary = None;
        if let Err(error) = side_file::sync(&self.folder) {
            // No descriptor will name it.
            let _ = side_file::remove(path);
            return Err(error);
        }
        Ok(SegmentFileInfo {
            unique: self.unique,
            length: self.written,
            checks: self.checks.digest(),
        })
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            side_file::append(&mut self.file, &self.path, &self.buffer)
                .map_err(|error| naming(&self.path, error))?;
            self.written += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }
}

impl Drop for SegmentFileWriter {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // If the removal fails, the next builder tries again.
            let _ = side_file::wipe(temporary, None);
        }
    }
}

impl BlockSink for SegmentFileWriter {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        let is_next = key.section == Section::Body as u8 && key.block == self.next;
        let is_header = key.section == Section::Header as u8;
        if !is_header && (!is_next || bytes.len() > STRIDE) {
            return Err(Error::new(
                ErrorCode::Internal,
                "a segment's blocks were written out of order",
            ));
        }
        self.buffer.extend_from_slice(bytes);
        self.checks.update(checksum_of(bytes));
        if !is_header {
            self.next += 1;
            let padded = self.buffer.len().next_multiple_of(STRIDE);
            self.buffer.resize(padded, 0);
            if self.buffer.len() >= WRITE_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::index::lexical::forward::{EventFacts, TextPart, analyse};
    use crate::index::lexical::searchable::with_analyser;
    use crate::index::lexical::segment_writer::build_segment;

    type Store = HashMap<BlockKey, Arc<[u8]>>;

    /// A segment written to a file, and its blocks in memory.
    fn written(folder: &Path) -> (SegmentInfo, Store) {
        let entries: Vec<Vec<u8>> = (1..=200)
            .map(|seq| {
                let text = format!("ship {seq} of pier {} and lamp {}", seq % 9, seq * 7);
                let part = TextPart {
                    header: "",
                    embeds_header: false,
                    text: &text,
                    offset: 0,
                };
                let facts = EventFacts {
                    seq,
                    ..EventFacts::default()
                };
                with_analyser(|analyser| analyse(analyser, &[part])).encode(&facts)
            })
            .collect();
        let entries = || entries.iter().map(|entry| &**entry);
        let mut file = SegmentFileWriter::begin(folder, 5).unwrap();
        let info = build_segment(5, 1..=200, entries(), &mut file).unwrap();
        let info = file.finish(info).unwrap();
        let mut blocks = Store::new();
        build_segment(5, 1..=200, entries(), &mut blocks).unwrap();
        (info, blocks)
    }

    #[test]
    fn a_file_has_the_blocks_of_the_store_whether_it_can_be_mapped_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let (info, blocks) = written(folder.path());
        assert!(info.blocks > 3);
        let unmappable = |file, _| {
            let error = Error::new(ErrorCode::Unsupported, "no maps here");
            Err(Box::new(Unmappable { file, error }))
        };
        let opened = [
            SegmentFile::open(folder.path(), &info).unwrap(),
            SegmentFile::open_with(folder.path(), &info, unmappable).unwrap(),
        ];
        assert!(opened[0].is_mapped() && !opened[1].is_mapped());
        for file in opened {
            let mut found = Store::new();
            file.each_block(&mut |key, stored| found.put(key, stored))
                .unwrap();
            assert!(found == blocks);
            assert!(file.block(info.blocks).is_err());
        }
    }

    #[test]
    fn damage_of_any_block_is_found_when_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (info, _) = written(folder.path());
        let path = folder.path().join(info.file_name().unwrap());
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            let file = SegmentFile::open(folder.path(), &info).unwrap();
            let place = (at / STRIDE) as u32;
            let inside = at % STRIDE;
            // The padding after a block is never read.
            let is_in_block =
                block::trimmed(&whole[at - inside..]).is_some_and(|stored| inside < stored.len());
            assert_eq!(file.block(place).is_err(), is_in_block, "byte {at}");
            let all = file.each_block(&mut |_, _| Ok(()));
            assert_eq!(all.is_err(), is_in_block, "byte {at}");
        }
        // Intact blocks of an older file.
        std::fs::write(&path, &whole).unwrap();
        let other = SegmentInfo {
            file: info.file.map(|file| SegmentFileInfo { checks: 7, ..file }),
            ..info
        };
        let file = SegmentFile::open(folder.path(), &other).unwrap();
        assert!(file.each_block(&mut |_, _| Ok(())).is_err());
    }

    #[test]
    fn a_file_that_is_not_finished_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SegmentFileWriter::begin(folder.path(), 5).unwrap();
        let key = BlockKey::new(5, Section::Body, 0);
        file.put(key, &block::seal(key, b"words")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let late = BlockKey::new(5, Section::Body, 2);
        assert!(file.put(late, &block::seal(late, b"words")).is_err());
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
