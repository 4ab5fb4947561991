//! Segment files: segments whose blocks are in files in `index/`. How they are written, and how
//! those without a descriptor are removed.
//!
//! Whoever writes or removes segment files holds the folder lock of `index/` (the build turn) from
//! before the snapshot that it reads until the descriptor is committed, or the generation that
//! contains it is live. The holder of the lock therefore knows that a file without a live
//! descriptor is garbage. If the lock is not available or a file cannot be written, the blocks go
//! to the store.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::index::lexical::block::{BlockKey, BlockSink};
use crate::index::lexical::file::SegmentFileWriter;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::side_file::{self, BuildTurn, WORDS, Wiped};
use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::checked::WriteTransaction;
use crate::store::generations::fail_points::fail_point;
use crate::store::generations::folder::create_private;
use crate::store::index_tables::lexical::TxSink;
use crate::store::{ReadTx, Store, WriteTx};

/// Segments of this many events or more are written to files, except by appends: a hook must not
/// write and sync a second file.
#[cfg(not(test))]
pub(crate) const FILE_EVENTS: u64 = 1_024;
#[cfg(test)]
pub(crate) const FILE_EVENTS: u64 = 512;

/// The interval between attempts to remove a file that a process has mapped.
const POLL: Duration = Duration::from_millis(5);

/// Removes a file as soon as nobody uses it; false if it is still in use `wait` after `begun`.
pub(in crate::store) fn remove_unused(
    (begun, wait): (Instant, Duration),
    mut remove: impl FnMut() -> Result<Wiped>,
) -> Result<Wiped> {
    loop {
        let wiped = remove()?;
        if wiped.is_gone() || begun.elapsed() >= wait {
            return Ok(wiped);
        }
        std::thread::sleep(POLL);
    }
}

/// Writes the blocks of a segment; may be called twice.
pub(crate) type WriteBlocks<'w> = &'w mut dyn FnMut(&mut dyn BlockSink) -> Result<SegmentInfo>;

/// A segment, and its blocks if they are not in a file.
pub(crate) type WrittenApart = (SegmentInfo, Vec<(BlockKey, Vec<u8>)>);

/// The outcome of taking the lock for writing and removing segment files.
pub(crate) enum FilesLock {
    Held {
        _turn: BuildTurn,
    },
    /// Another thread or process holds it.
    Busy,
    /// Segment files cannot be used, because the folder cannot be created or locked, or are not
    /// needed.
    Unsupported,
    /// The folder cannot be read at the moment. No files are written, and what it contains is not
    /// known.
    Unreadable,
}

impl FilesLock {
    /// Whether files may be written.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self, FilesLock::Held { .. })
    }

    /// Whether the files in the folder are known, and nobody else is about to write one.
    pub(crate) fn is_sure(&self) -> bool {
        matches!(self, FilesLock::Held { .. } | FilesLock::Unsupported)
    }
}

/// Whether an error only means that the file cannot be written, so that the blocks can go to the
/// store instead.
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

/// Writes the segment with this number, of this many events, to a file; `None` if it is too small
/// for one, if there is no folder for it, or if the file cannot be written.
fn in_file(
    folder: Option<&Path>,
    (id, events): (u64, u64),
    write: WriteBlocks<'_>,
) -> Result<Option<SegmentInfo>> {
    let folder = folder.filter(|_| events >= FILE_EVENTS);
    let Some(Ok(mut file)) = folder.map(|folder| SegmentFileWriter::begin(folder, id)) else {
        return Ok(None);
    };
    let written = write(&mut file).and_then(|info| file.finish(info));
    match written {
        Ok(info) => {
            fail_point("a file of words has its name")?;
            Ok(Some(info))
        }
        Err(error) if is_of_the_disk(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where a transaction writes the blocks of a segment.
pub(in crate::store) struct SegmentPlace<'t> {
    pub(in crate::store) transaction: &'t WriteTransaction,
    /// The folder for segment files, if they may be used.
    pub(in crate::store) files: Option<&'t Path>,
}

impl SegmentPlace<'_> {
    /// Writes the segment with this number, of this many events.
    pub(in crate::store) fn write(
        &self,
        named: (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<SegmentInfo> {
        match in_file(self.files, named, write)? {
            Some(info) => Ok(info),
            None => write(&mut TxSink::open(self.transaction)?),
        }
    }
}

/// The segment files in a folder, finished or not.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = side_file::entries(folder)?;
    files.retain(|path| side_file::is_of(path, WORDS));
    Ok(files)
}

impl Store {
    /// Takes the lock for writing and removing segment files, waiting up to `patience`. It must be
    /// held until the descriptors of the files are committed.
    pub(crate) fn lock_files(&self, patience: Duration) -> FilesLock {
        let taken = side_file::make_room(&self.index)
            .and_then(|()| Ok(create_private(&self.index)?))
            .and_then(|()| BuildTurn::take(&self.index, patience));
        match taken {
            Ok(Some(turn)) if turn.is_alone() => FilesLock::Held { _turn: turn },
            Ok(Some(_)) => FilesLock::Unsupported,
            Ok(None) => FilesLock::Busy,
            // Without a folder there are no files.
            Err(_) => match side_file::is_there(&self.index) {
                Ok(false) => FilesLock::Unsupported,
                Ok(true) | Err(_) => FilesLock::Unreadable,
            },
        }
    }

    /// Like [`Store::lock_files`], for a store of at most this many events. A store that is too
    /// small for segment files gets no folder for them.
    pub(crate) fn lock_files_for(&self, events: u64, patience: Duration) -> FilesLock {
        match side_file::is_there(&self.index) {
            Ok(false) if events < FILE_EVENTS => FilesLock::Unsupported,
            Ok(_) => self.lock_files(patience),
            Err(_) => FilesLock::Unreadable,
        }
    }

    /// Writes a segment outside of any transaction: to a file if the caller holds the lock and the
    /// segment is large enough.
    pub(crate) fn write_apart(
        &self,
        turn: &FilesLock,
        named: (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<WrittenApart> {
        let folder = turn.is_held().then_some(&*self.index);
        if let Some(info) = in_file(folder, named, write)? {
            return Ok((info, Vec::new()));
        }
        let mut made = Vec::new();
        let info = write(&mut made)?;
        Ok((info, made))
    }

    /// The segment files to which no live descriptor refers. With the lock held they are garbage;
    /// without it, another process may be about to commit a descriptor for one.
    pub(crate) fn unnamed_files(&self) -> Result<Vec<PathBuf>> {
        let found = files(&self.index)?;
        if found.is_empty() {
            return Ok(found);
        }
        // Read after listing the folder, so that a file whose descriptor was committed meanwhile is
        // kept.
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

    /// Overwrites and removes the segment files to which no live descriptor refers; the caller must
    /// hold the lock. Waits up to `wait` in all for files that a process has mapped, then leaves
    /// these and only these. Returns the files that were removed.
    pub(crate) fn clean_files(
        &self,
        _turn: &FilesLock,
        wait: Duration,
    ) -> Result<Vec<(PathBuf, Wiped)>> {
        let begun = Instant::now();
        let mut gone = Vec::new();
        for path in self.unnamed_files()? {
            fail_point("overwrite a file of words")?;
            let wiped = remove_unused((begun, wait), || side_file::wipe_unmapped(&path))?;
            if wiped.is_gone() {
                gone.push((path, wiped));
            }
        }
        if !gone.is_empty() {
            side_file::sync(&self.index)?;
            fail_point("the files of words are gone")?;
        }
        Ok(gone)
    }

    /// Like [`Store::clean_files`], if there are such files and the lock is free. What cannot be
    /// removed now is left to a later call.
    pub(crate) fn tidy_files(&self) -> Result<()> {
        if self.unnamed_files()?.is_empty() {
            return Ok(());
        }
        let turn = self.lock_files(Duration::ZERO);
        if turn.is_held() {
            self.clean_files(&turn, Duration::ZERO)?;
        }
        Ok(())
    }

    /// Removes, without overwriting, the files of segments whose whole content was merged into a
    /// new one. The caller must hold the lock and have committed the merge. A process that has one
    /// mapped keeps it.
    pub(crate) fn discard_files(&self, merged: &[SegmentInfo]) {
        for name in merged.iter().filter_map(SegmentInfo::file_name) {
            // What cannot be removed now is left to `tidy_files`.
            let _ = side_file::remove(&self.index.join(name));
        }
    }

    /// Whether all of these segments are live as they are described. If not, another process has
    /// replaced one, and may have removed its file.
    pub(crate) fn are_live(&self, segments: &[SegmentInfo]) -> Result<bool> {
        let newest = self.read()?.segments()?;
        Ok(segments.iter().all(|segment| newest.contains(segment)))
    }

    /// The live segments whose files are missing or have the wrong length.
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
    /// Allows the transaction to write segments to files: the caller holds the lock until the
    /// transaction is live or abandoned.
    pub(crate) fn use_files(&mut self, turn: &FilesLock) {
        self.uses_files = turn.is_held();
    }

    /// The folder of the files to which descriptors of this transaction may refer.
    pub(in crate::store) fn files_folder(&self) -> Option<&Path> {
        self.uses_files.then_some(self.index)
    }

    /// Writes a segment of this many events to a file; `None`, and nothing is written, if it
    /// belongs in the store.
    pub(crate) fn write_file(
        &self,
        named: (u64, u64),
        write: WriteBlocks<'_>,
    ) -> Result<Option<SegmentInfo>> {
        in_file(self.files_folder(), named, write)
    }

    /// Writes a segment of this many events to a file or to the store.
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

    /// Copies the blocks of another store folder's segment files into this store file, whose tables
    /// were copied from that store. A segment whose file is damaged is left as it is.
    pub(in crate::store) fn take_in_files(&mut self, old: &ReadTx) -> Result<()> {
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
