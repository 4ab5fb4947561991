//! What all files in `index/` have in common: how they appear, are mapped and go.
//!
//! A file is written once under a temporary name that no other writer has, synced, and renamed to
//! a name that no file ever had; its bytes never change while somebody may have it mapped. Whoever
//! maps a file holds a shared lock on it, and only under an exclusive one are its bytes overwritten
//! before it is removed.
//!
//! One process and thread at a time builds ([`BuildTurn`]); the lock is the system's and goes with
//! its process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::model::error::{Error, ErrorCode, Result};

#[cfg(not(test))]
mod faults {
    //! Nothing fails on purpose, and nobody watches.
    use std::path::Path;

    #[inline]
    pub(super) fn operate(_path: &Path) -> std::io::Result<()> {
        Ok(())
    }

    #[inline]
    pub(super) fn synced(_folder: &Path) {}
}
#[cfg(test)]
#[path = "side_file_faults.rs"]
pub(crate) mod faults;

/// The ending of a file's name.
pub(crate) const SUFFIX: &str = ".bin";
/// The ending of a file's name while it is written.
const TEMPORARY: &str = "tmp";
/// What the names of files of vectors begin with.
pub(crate) const VECTORS: &str = "vectors.";
/// What the names of files of segments begin with.
pub(crate) const WORDS: &str = "words.";
/// Every kind of side file: what is of none is removed by an erasure (see `upkeep/rooms.rs`).
pub(crate) const KINDS: [&str; 2] = [VECTORS, WORDS];
/// How often a lock that another one holds is tried again.
const POLL: Duration = Duration::from_millis(2);
/// How much is overwritten at once.
const WRITE_BYTES: usize = 1 << 18;

/// A name that no other file ever had.
pub(crate) fn unique() -> u128 {
    uuid::Uuid::new_v4().as_u128()
}

/// Removes what somebody put in the folder's place: behind a link lie files that are not ours to
/// write or to remove, and a pipe would be waited for.
///
/// # Errors
/// From the disk.
pub(crate) fn make_room(folder: &Path) -> Result<()> {
    match std::fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => remove(folder),
        _ => Ok(()),
    }
}

/// Whether the folder is there and no link to another one.
pub(crate) fn is_there(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}

/// What lies in the folder; nothing when it cannot be read.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = is_there(folder).then(|| std::fs::read_dir(folder));
    let entries = entries.into_iter().flatten().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Whether a path is a file of this kind, finished or not, of any format.
pub(crate) fn is_of(path: &Path, kind: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(kind))
}

fn is_ours(path: &Path) -> bool {
    KINDS.iter().any(|kind| is_of(path, kind))
}

/// Whether a path is a file that a builder has not finished.
pub(crate) fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == TEMPORARY)
}

/// The right to build: nobody else builds until it is dropped.
pub(crate) struct BuildTurn {
    lock: Option<File>,
}

impl BuildTurn {
    /// Takes the turn, and waits for it no longer than `patience`; `None` when another builds. What
    /// builders that were killed left behind unfinished is removed.
    ///
    /// # Errors
    /// From the disk; `NotFound` when there is no folder.
    pub(crate) fn take(folder: &Path, patience: Duration) -> Result<Option<BuildTurn>> {
        let begun = Instant::now();
        if !is_there(folder) {
            return Err(std::io::Error::from(std::io::ErrorKind::NotFound).into());
        }
        let file = lock_file(folder)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                    std::thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                // What is unfinished may be another's, so it stays.
                Err(TryLockError::Error(_)) => return Ok(Some(BuildTurn { lock: None })),
            }
        }
        for path in entries(folder).filter(|path| is_ours(path) && is_temporary(path)) {
            // If it cannot be removed the next builder tries again.
            let _ = wipe(&path, None);
        }
        Ok(Some(BuildTurn { lock: Some(file) }))
    }

    /// Whether the system keeps others out. On a file system without locks all may build at once.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock.is_some()
    }
}

/// The folder itself, where the system can lock one, so that no further file lies in it.
#[cfg(unix)]
fn lock_file(folder: &Path) -> Result<File> {
    Ok(File::open(folder)?)
}

#[cfg(not(unix))]
fn lock_file(folder: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    Ok(options.open(folder.join("lock"))?)
}

/// The lock of systems that cannot lock a folder is no place for anything stored.
pub(crate) fn is_entry(path: &Path) -> bool {
    cfg!(unix) || path.file_name().is_some_and(|name| name != "lock")
}

/// Removes what lies in the folder and is no side file.
///
/// # Errors
/// From the disk.
pub(crate) fn remove_strangers(folder: &Path) -> Result<()> {
    let is_strange = |path: &PathBuf| !is_ours(path) && is_entry(path);
    for path in entries(folder).filter(is_strange) {
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path)?,
            // What a link names lies elsewhere.
            Ok(found) if !found.is_file() => remove(&path)?,
            _ => wipe(&path, None)?,
        }
    }
    Ok(())
}

/// A path beside the final name, never given before: a name that two writers share is cut short by
/// the second of them, perhaps while the first has it mapped already.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    path.with_extension(format!("{:032x}.{TEMPORARY}", unique()))
}

/// Creates a file that nobody else has.
///
/// # Errors
/// From the disk.
pub(crate) fn create(path: &Path) -> Result<File> {
    faults::operate(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(options.open(path)?)
}

/// Appends to a file that is being written.
///
/// # Errors
/// From the disk.
pub(crate) fn append(file: &mut File, path: &Path, bytes: &[u8]) -> Result<()> {
    faults::operate(path)?;
    Ok(file.write_all(bytes)?)
}

/// Gives a file that is whole its name, after its bytes are on the disk. The caller syncs the
/// folder where the name must survive a power cut.
///
/// # Errors
/// From the disk.
pub(crate) fn publish(file: &File, temporary: &Path, path: &Path) -> Result<()> {
    faults::operate(temporary)?;
    file.sync_all()?;
    faults::operate(temporary)?;
    Ok(std::fs::rename(temporary, path)?)
}

/// Makes names and removals of the folder durable.
///
/// # Errors
/// From the disk; a folder that is gone is none.
pub(crate) fn sync(folder: &Path) -> Result<()> {
    if !is_there(folder) {
        return Ok(());
    }
    faults::operate(folder)?;
    #[cfg(unix)]
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::from(error));
        }
        _ => {}
    }
    faults::synced(folder);
    Ok(())
}

/// Maps a file, on which the caller holds the lock that says so.
#[allow(unsafe_code)]
pub(crate) fn map(file: &File, bytes: u64) -> Result<memmap2::Mmap> {
    let length = usize::try_from(bytes).map_err(|_| {
        Error::new(
            ErrorCode::Full,
            "the file is larger than this system's memory addresses",
        )
    })?;
    // SAFETY: the mapping must not change while it is borrowed. The store guarantees it: it writes
    // a side file under a name of its own, renames it, and from then on only ever removes it, which
    // leaves mappings intact; `wipe` and `wipe_unmapped` write only under a lock that excludes the
    // shared one which the caller holds. Programs that truncate it from outside are excluded by the
    // documentation of `index/vector/file.rs` and `index/lexical/file.rs`. Every bit pattern is
    // valid for the bytes that are read.
    Ok(unsafe { memmap2::MmapOptions::new().len(length).map(file) }?)
}

/// Takes the lock that says a file is mapped. False when the file is being removed.
pub(crate) fn lock_shared(file: &File) -> std::io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        // A file system without locks: files there are removed without being overwritten.
        Err(TryLockError::Error(_)) => {}
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Removed between opening and locking, so perhaps overwritten.
        if file.metadata()?.nlink() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes a file, after zeros were written over some places of it (all of it for `None`) when
/// nobody has it mapped. Who has it mapped keeps what it sees.
///
/// # Errors
/// From the disk; a file that is gone already is none.
pub(crate) fn wipe(path: &Path, places: Option<&[Range<u64>]>) -> Result<()> {
    if let Ok(mut file) = OpenOptions::new().write(true).open(path)
        && file.try_lock().is_ok()
    {
        // What fails here is made good by the removal; only the disk's blocks stay as they are.
        let _ = overwrite(&mut file, places);
        return remove(path);
    }
    remove(path)
}

/// Overwrites a file with zeros and removes it. False, and it stays as it is, while somebody has
/// it mapped.
///
/// # Errors
/// From the disk; a file that is gone already is none.
pub(crate) fn wipe_unmapped(path: &Path) -> Result<bool> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            std::fs::remove_dir_all(path).map_err(|error| naming(path, error.into()))?;
            return Ok(true);
        }
        // What a link names lies elsewhere.
        Ok(found) if !found.is_file() => return remove(path).map(|()| true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        _ => {}
    }
    let file = OpenOptions::new().write(true).open(path);
    let mut file = match file {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(naming(path, error.into())),
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(false),
        // Without locks nobody can tell who has it mapped: its bytes must not change.
        Err(TryLockError::Error(_)) => return remove(path).map(|()| true),
        Ok(()) => {}
    }
    overwrite(&mut file, None).map_err(|error| naming(path, error.into()))?;
    remove(path)?;
    Ok(true)
}

fn overwrite(file: &mut File, places: Option<&[Range<u64>]>) -> std::io::Result<()> {
    let whole = 0..file.metadata()?.len();
    let zeros = vec![0; WRITE_BYTES];
    for place in places.unwrap_or(std::slice::from_ref(&whole)) {
        file.seek(SeekFrom::Start(place.start))?;
        let mut left = place.end - place.start;
        while left > 0 {
            let part = left.min(zeros.len() as u64);
            file.write_all(&zeros[..part as usize])?;
            left -= part;
        }
    }
    file.sync_data()
}

/// Removes a file. One that is gone already is no error.
///
/// # Errors
/// From the disk.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(naming(path, error.into()))
        }
        _ => Ok(()),
    }
}

/// Reads a part of a file where it cannot be mapped.
///
/// # Errors
/// From the disk; a file that is too short is one.
pub(crate) fn read_at(file: &File, at: u64, out: &mut [u8]) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, out, at)
    }
    #[cfg(windows)]
    {
        let (mut at, mut out) = (at, out);
        while !out.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(file, out, at)?;
            if read == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            (at, out) = (at + read as u64, &mut out[read..]);
        }
        Ok(())
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (file, at, out);
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

/// The system's errors do not say which file they are about. The caller's own mistakes pass as
/// they are.
pub(crate) fn naming(path: &Path, error: Error) -> Error {
    if error.argument().is_some() {
        return error;
    }
    Error::new(error.code(), format!("{}: {error}", path.display())).with_source(error)
}
