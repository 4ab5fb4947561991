//! Segments whose blocks lie in files of `index/`: who writes such a file, and how one goes that
//! no descriptor names.
//!
//! Who writes or removes files of segments holds the turn to build, from before the snapshot that
//! it reads until what names the file is committed, or the generation that names it is live. So
//! whoever has the turn knows that a file which no live descriptor names is nobody's. Where the turn
//! cannot be had, or a file cannot be written, blocks lie in the store.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checked::WriteTransaction;
use super::folder::create_private;
use super::lexical::TxSink;
use super::steps::step;
use super::{ReadTx, Store, WriteTx};
use crate::index::lexical::block::{BlockKey, BlockSink};
use crate::index::lexical::file::SegmentFileWriter;
use crate::index::lexical::segment::{Blocks, SegmentInfo, SegmentReader};
use crate::index::side_file::{self, BuildTurn, WORDS};
use crate::model::error::{Error, ErrorCode, Result};

/// Segments of at least so many events lie in files, but for those that an append makes along: a
/// hook writes and syncs no second file.
#[cfg(not(test))]
pub(crate) const FILE_EVENTS: u64 = 1_024;
#[cfg(test)]
pub(crate) const FILE_EVENTS: u64 = 512;

/// How often a file that somebody has mapped is tried again.
const POLL: Duration = Duration::from_millis(5);

/// Writes the blocks of a segment, perhaps twice.
pub(crate) type WriteBlocks<'w> = &'w mut dyn FnMut(&mut dyn BlockSink) -> Result<SegmentInfo>;

/// A segment, and its blocks where they do not lie in a file.
pub(crate) type WrittenApart = (SegmentInfo, Vec<(BlockKey, Vec<u8>)>);

/// Whether the turn to write and remove files of segments could be had.
pub(crate) enum FilesTurn {
    Mine {
        _turn: BuildTurn,
    },
    /// Another thread or process builds.
    Taken,
    /// The folder cannot be made or locked: there are no files of segments here.
    Unsupported,
}

impl FilesTurn {
    /// Whether files may be written.
    pub(crate) fn is_mine(&self) -> bool {
        matches!(self, FilesTurn::Mine { .. })
    }
}

/// Whether the blocks of a segment may as well lie elsewhere.
fn is_of_the_disk(error: &Error) -> bool {
    matches!(
        error.code(),
        ErrorCode::Io
            | ErrorCode::Full
            | ErrorCode::NotFound
            | ErrorCode::PermissionDenied
            | ErrorCode::AlreadyExists
            | ErrorCode::Unsupported
    )
}

/// Writes a segment into a file; `None` when it cannot be written.
fn in_file(folder: &Path, id: u64, write: WriteBlocks<'_>) -> Result<Option<SegmentInfo>> {
    let Ok(mut file) = SegmentFileWriter::begin(folder, id) else {
        return Ok(None);
    };
    let written = write(&mut file).and_then(|info| file.finish(info));
    match written {
        Ok(info) => {
            step("a file of words has its name")?;
            Ok(Some(info))
        }
        Err(error) if is_of_the_disk(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where a transaction puts the blocks of a segment.
pub(super) struct SegmentPlace<'t> {
    pub(super) transaction: &'t WriteTransaction,
    /// The folder of files, where they may be used.
    pub(super) files: Option<&'t Path>,
}

impl SegmentPlace<'_> {
    /// Writes a segment with this number and of so many events.
    pub(super) fn write(
        &self,
        (id, events): (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<SegmentInfo> {
        if let Some(folder) = self.files.filter(|_| events >= FILE_EVENTS)
            && let Some(info) = in_file(folder, id, write)?
        {
            return Ok(info);
        }
        write(&mut TxSink::open(self.transaction)?)
    }
}

/// The files of segments in a folder, finished or not.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    side_file::entries(folder).filter(|path| side_file::is_of(path, WORDS))
}

impl Store {
    /// Takes the turn to write and remove files of segments, and waits for it no longer than
    /// `patience`. It is held until what names the files is committed.
    pub(crate) fn files_turn(&self, patience: Duration) -> FilesTurn {
        let taken = side_file::make_room(&self.index)
            .and_then(|()| Ok(create_private(&self.index)?))
            .and_then(|()| BuildTurn::take(&self.index, patience));
        match taken {
            Ok(Some(turn)) if turn.is_alone() => FilesTurn::Mine { _turn: turn },
            Ok(Some(_)) | Err(_) => FilesTurn::Unsupported,
            Ok(None) => FilesTurn::Taken,
        }
    }

    /// Writes a segment apart from every transaction: into a file when it is the caller's turn and
    /// it has events for one.
    pub(crate) fn write_apart(
        &self,
        turn: &FilesTurn,
        (id, events): (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<WrittenApart> {
        if turn.is_mine()
            && events >= FILE_EVENTS
            && let Some(info) = in_file(&self.index, id, write)?
        {
            return Ok((info, Vec::new()));
        }
        let mut made = Vec::new();
        let info = write(&mut made)?;
        Ok((info, made))
    }

    /// The files of segments that no live descriptor names. With the turn they are nobody's;
    /// without it one of them may be about to be named.
    pub(crate) fn unnamed_files(&self) -> Result<Vec<PathBuf>> {
        let found: Vec<PathBuf> = files(&self.index).collect();
        if found.is_empty() {
            return Ok(found);
        }
        // After the folder was listed: what was named meanwhile stays.
        let segments = self.read()?.segments()?;
        let named: HashSet<String> = segments.iter().filter_map(SegmentInfo::file_name).collect();
        let is_unnamed = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_none_or(|name| !named.contains(name))
        };
        let mut unnamed: Vec<PathBuf> = found.into_iter().filter(is_unnamed).collect();
        unnamed.sort_unstable();
        Ok(unnamed)
    }

    /// Overwrites and removes the files of segments that no live descriptor names, for who has the
    /// turn. One that somebody has mapped is waited for up to `wait`, then left as it is. Gives
    /// the files that are gone.
    pub(crate) fn clean_files(&self, _turn: &FilesTurn, wait: Duration) -> Result<Vec<PathBuf>> {
        let begun = Instant::now();
        let mut gone = Vec::new();
        for path in self.unnamed_files()? {
            step("overwrite a file of words")?;
            while !side_file::wipe_unmapped(&path)? {
                if begun.elapsed() >= wait {
                    return Ok(gone);
                }
                std::thread::sleep(POLL);
            }
            gone.push(path);
        }
        if !gone.is_empty() {
            side_file::sync(&self.index)?;
            step("the files of words are gone")?;
        }
        Ok(gone)
    }

    /// As [`Store::clean_files`], when there are such files and nobody builds. What cannot be
    /// removed now is left to a later call.
    pub(crate) fn tidy_files(&self) -> Result<()> {
        if self.unnamed_files()?.is_empty() {
            return Ok(());
        }
        let turn = self.files_turn(Duration::ZERO);
        if turn.is_mine() {
            self.clean_files(&turn, Duration::ZERO)?;
        }
        Ok(())
    }

    /// Removes the files of segments that were merged, of which everything is in the new one, for
    /// who has the turn and has committed that. Who has one mapped keeps it.
    pub(crate) fn discard_files(&self, merged: &[SegmentInfo]) {
        for name in merged.iter().filter_map(SegmentInfo::file_name) {
            // What cannot be removed now is left to `tidy_files`.
            let _ = side_file::remove(&self.index.join(name));
        }
    }

    /// The live segments whose files are not there, or not whole by their length.
    pub(crate) fn missing_files(&self, read: &ReadTx) -> Result<Vec<SegmentInfo>> {
        let mut segments = read.segments()?;
        segments.retain(|segment| {
            let Some((name, file)) = segment.file_name().zip(segment.file) else {
                return false;
            };
            match std::fs::symlink_metadata(self.index.join(name)) {
                Ok(found) => !found.is_file() || found.len() != file.length,
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            }
        });
        Ok(segments)
    }
}

impl WriteTx<'_> {
    /// Lets segments of this transaction lie in files: the caller has the turn until what it
    /// writes is live or given up.
    pub(crate) fn use_files(&mut self, turn: &FilesTurn) {
        self.uses_files = turn.is_mine();
    }

    /// The folder of files that descriptors of this transaction may name.
    pub(super) fn files_folder(&self) -> Option<&Path> {
        self.uses_files.then_some(self.index)
    }

    /// Writes a segment of so many events into a file; `None`, and nothing is written, when it
    /// is to lie in the store.
    pub(crate) fn write_file(
        &self,
        (id, events): (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<Option<SegmentInfo>> {
        match self.files_folder().filter(|_| events >= FILE_EVENTS) {
            Some(folder) => in_file(folder, id, write),
            None => Ok(None),
        }
    }

    /// Writes a segment of so many events where it belongs.
    pub(crate) fn write_segment(
        &self,
        named: (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<SegmentInfo> {
        let place = SegmentPlace {
            transaction: &self.transaction,
            files: self.files_folder(),
        };
        place.write(named, write)
    }

    /// Takes the blocks of segments that lie in files of another store's folder into this store
    /// file, which is a copy of its tables. A segment whose file is damaged stays as it is.
    pub(super) fn take_in_files(&mut self, old: &ReadTx) -> Result<()> {
        let cache = crate::index::lexical::block::BlockCache::new(0);
        let blocks = Blocks {
            source: old,
            cache: &cache,
        };
        for segment in old.segments()? {
            if segment.file.is_none() {
                continue;
            }
            let mut sink = TxSink::open(&self.transaction)?;
            let copied = SegmentReader::open_any(&segment, blocks).and_then(|reader| {
                reader.each_block(old, &mut |key, stored| sink.put(key, stored))
            });
            drop(sink);
            match copied {
                Ok(()) => self.put_descriptor(&SegmentInfo {
                    file: None,
                    ..segment
                })?,
                Err(error) if error.code() == ErrorCode::Corrupt => {
                    self.remove_blocks(segment.id)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
