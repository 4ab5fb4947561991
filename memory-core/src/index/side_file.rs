//! Creates, maps and removes the files in `index/`.
//!
//! A file is written once under a unique temporary name, fsynced, and renamed to a name that is
//! never reused. Its bytes do not change while any process may have it mapped: a reader holds a
//! shared lock for as long as its mapping lives, and a file is overwritten before its removal only
//! under an exclusive lock.
//!
//! Only one thread of one process builds at a time ([`BuildTurn`]). Its lock is the operating
//! system's and is released when the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::model::error::{Error, ErrorCode, Result};

#[cfg(not(test))]
mod faults {
    //! Injects no faults and records nothing.
    use std::path::Path;

    #[inline]
    pub(super) fn operate(_path: &Path) -> std::io::Result<()> {
        Ok(())
    }

    #[inline]
    pub(super) fn reach(_path: &Path) -> std::io::Result<()> {
        Ok(())
    }

    #[inline]
    pub(super) fn synced(_folder: &Path) {}
}
#[cfg(test)]
#[path = "side_file_faults.rs"]
pub(crate) mod faults;

/// The extension of a finished file.
pub(crate) const SUFFIX: &str = ".bin";
/// The extension of a file that is still being written.
const TEMPORARY: &str = "tmp";
/// The name prefix of vector files.
pub(crate) const VECTORS: &str = "vectors.";
/// The name prefix of segment files.
pub(crate) const WORDS: &str = "words.";
/// Every kind of side file. An erasure removes all other files (see `upkeep/erasure_targets.rs`).
pub(crate) const KINDS: [&str; 2] = [VECTORS, WORDS];
/// How often to retry a lock that is held elsewhere.
const POLL: Duration = Duration::from_millis(2);
/// The buffer size for overwriting.
const WRITE_BYTES: usize = 1 << 18;

/// A name component that is never reused.
pub(crate) fn unique() -> u128 {
    uuid::Uuid::new_v4().as_u128()
}

/// Removes whatever occupies the folder's path without being a folder. Behind a symlink would be
/// files that we must not write or remove, and opening a pipe would block.
///
/// # Errors
/// From the disk.
pub(crate) fn make_room(folder: &Path) -> Result<()> {
    match std::fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => remove(folder),
        _ => Ok(()),
    }
}

/// Whether the folder exists and is not a symlink.
///
/// # Errors
/// From the disk; a missing folder is not an error.
pub(crate) fn is_there(folder: &Path) -> Result<bool> {
    match std::fs::symlink_metadata(folder) {
        Ok(found) => Ok(found.is_dir()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(naming(folder, error.into())),
    }
}

/// The entries of the folder; none if it does not exist.
///
/// # Errors
/// From the disk: a folder that cannot be listed may still hold erased text.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !is_there(folder)? {
        return Ok(Vec::new());
    }
    let listed = faults::reach(folder)
        .and_then(|()| std::fs::read_dir(folder))
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match listed {
        // It was removed meanwhile.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(|error| naming(folder, error.into())),
    }
}

/// Whether a path is a file of this kind, finished or not, in any format version.
pub(crate) fn is_of(path: &Path, kind: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(kind))
}

fn is_ours(path: &Path) -> bool {
    KINDS.iter().any(|kind| is_of(path, kind))
}

/// Whether a path is an unfinished file.
pub(crate) fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == TEMPORARY)
}

/// The exclusive right to build, until dropped.
pub(crate) struct BuildTurn {
    lock: Option<File>,
}

impl BuildTurn {
    /// Waits up to `patience` for the turn; `None` if another builder still has it. Removes
    /// unfinished files of builders that were killed.
    ///
    /// # Errors
    /// From the disk; `NotFound` if the folder does not exist.
    pub(crate) fn take(folder: &Path, patience: Duration) -> Result<Option<BuildTurn>> {
        let begun = Instant::now();
        if !is_there(folder)? {
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
                // Without locks an unfinished file may belong to a running builder, so it stays.
                Err(TryLockError::Error(_)) => return Ok(Some(BuildTurn { lock: None })),
            }
        }
        for path in entries(folder)? {
            if is_ours(&path) && is_temporary(&path) {
                // If the removal fails, the next builder tries again.
                let _ = wipe(&path, None);
            }
        }
        Ok(Some(BuildTurn { lock: Some(file) }))
    }

    /// Whether the lock excludes other builders. On a file system without locks several may build
    /// at once.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock.is_some()
    }
}

/// Locks the folder itself where the system allows that, which saves a lock file.
#[cfg(unix)]
fn lock_file(folder: &Path) -> Result<File> {
    File::open(folder).map_err(|error| naming(folder, error.into()))
}

#[cfg(not(unix))]
fn lock_file(folder: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = folder.join("lock");
    options
        .open(&lock)
        .map_err(|error| naming(&lock, error.into()))
}

/// Whether a path can hold stored data. The lock file, on systems that cannot lock a folder,
/// cannot.
pub(crate) fn is_entry(path: &Path) -> bool {
    cfg!(unix) || path.file_name().is_some_and(|name| name != "lock")
}

/// Removes everything in the folder that is not a side file.
///
/// # Errors
/// From the disk.
pub(crate) fn remove_strangers(folder: &Path) -> Result<()> {
    let is_strange = |path: &PathBuf| !is_ours(path) && is_entry(path);
    for path in entries(folder)?.into_iter().filter(is_strange) {
        wipe(&path, None)?;
    }
    Ok(())
}

/// A unique temporary path beside the final one. If two writers shared a name, the second would
/// truncate the file while the first may have it mapped.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    path.with_extension(format!("{:032x}.{TEMPORARY}", unique()))
}

/// Creates a file, and fails if it exists.
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

/// Fsyncs a finished file and renames it to its final name. The caller fsyncs the folder if the
/// name must survive a power failure.
///
/// # Errors
/// From the disk.
pub(crate) fn publish(file: &File, temporary: &Path, path: &Path) -> Result<()> {
    finish(file, temporary)?;
    rename(temporary, path)
}

/// Fsyncs a finished file, which still has a temporary name.
///
/// # Errors
/// From the disk.
pub(crate) fn finish(file: &File, temporary: &Path) -> Result<()> {
    faults::operate(temporary)?;
    Ok(file.sync_all()?)
}

/// Renames a finished file to its final name.
///
/// # Errors
/// From the disk.
pub(crate) fn rename(temporary: &Path, path: &Path) -> Result<()> {
    faults::operate(temporary)?;
    Ok(std::fs::rename(temporary, path)?)
}

/// Fsyncs the folder, which makes renames and removals durable.
///
/// # Errors
/// From the disk; a missing folder is not an error.
pub(crate) fn sync(folder: &Path) -> Result<()> {
    if !is_there(folder)? {
        return Ok(());
    }
    faults::operate(folder)?;
    #[cfg(unix)]
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(naming(folder, error.into()));
        }
        _ => {}
    }
    faults::synced(folder);
    Ok(())
}

/// A file with the shared lock that keeps others from overwriting it.
#[derive(Debug)]
pub(crate) struct LockedFile(File);

impl LockedFile {
    pub(crate) fn length(&self) -> std::io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Reads a part of a file that cannot be mapped.
    ///
    /// # Errors
    /// From the disk, also when the file is too short.
    pub(crate) fn read_at(&self, at: u64, out: &mut [u8]) -> std::io::Result<()> {
        read_at(&self.0, at, out)
    }
}

/// A mapped file, and the shared lock on it that protects the mapping.
pub(crate) struct MappedFile {
    map: memmap2::Mmap,
    /// Holds the lock; dropped after `map`.
    _file: LockedFile,
}

/// A file that the system cannot map.
#[derive(Debug)]
pub(crate) struct Unmappable {
    pub(crate) file: LockedFile,
    pub(crate) error: Error,
}

impl MappedFile {
    /// Maps the first bytes of a file.
    ///
    /// # Errors
    /// From the system, with the file; `Full` if its addresses do not suffice.
    #[allow(unsafe_code)]
    pub(crate) fn map(file: LockedFile, bytes: u64) -> std::result::Result<Self, Box<Unmappable>> {
        let Ok(length) = usize::try_from(bytes) else {
            let problem = "the file is larger than this system's memory addresses";
            let error = Error::new(ErrorCode::Full, problem);
            return Err(Box::new(Unmappable { file, error }));
        };
        // SAFETY: the mapping must not change while it is borrowed. The store guarantees it: it
        // writes a side file under a unique name, renames it, and from then on only ever removes
        // it, which leaves mappings intact; `wipe` and `wipe_unmapped` write only under an
        // exclusive lock, which the shared lock of `file` prevents as long as the mapping exists.
        // The documentation of `index/vector/file.rs` and `index/lexical/file.rs` rules out other
        // programs truncating it. Every bit pattern is valid for the bytes that are read.
        match unsafe { memmap2::MmapOptions::new().len(length).map(&file.0) } {
            Ok(map) => Ok(MappedFile { map, _file: file }),
            Err(cause) => Err(Box::new(Unmappable {
                file,
                error: cause.into(),
            })),
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }
}

impl std::fmt::Debug for MappedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MappedFile({} bytes)", self.map.len())
    }
}

/// Whether a path names something else than a regular file: opening a link would follow it, and
/// opening a pipe would wait.
pub(crate) fn is_irregular(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file())
}

/// The outcome of taking the shared lock that protects a mapping.
#[derive(Debug)]
pub(crate) enum SharedLock {
    Held(LockedFile),
    /// A process is overwriting the file. It may die before it removes it.
    Overwritten,
    /// The file has been removed.
    Removed,
}

/// Takes the shared lock that protects a mapping.
///
/// # Errors
/// From the disk.
pub(crate) fn lock_shared(file: File) -> std::io::Result<SharedLock> {
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(SharedLock::Overwritten),
        // Without locks, files are removed but never overwritten.
        Err(TryLockError::Error(_)) => {}
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // The file was removed between opening and locking, so it may have been overwritten.
        if file.metadata()?.nlink() == 0 {
            return Ok(SharedLock::Removed);
        }
    }
    Ok(SharedLock::Held(LockedFile(file)))
}

/// Removes a link, a pipe or a folder in the place of a side file; false if there is none. Nothing
/// is written through a link, and opening a pipe would block.
fn remove_irregular(path: &Path) -> Result<bool> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            std::fs::remove_dir_all(path).map_err(|error| naming(path, error.into()))?;
        }
        Ok(found) if !found.is_file() => remove(path)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Removes a file. If it is not mapped anywhere, first overwrites `places` (`None`: all of it) with
/// zeros. Existing mappings stay intact.
///
/// # Errors
/// From the disk; a file that does not exist is not an error.
pub(crate) fn wipe(path: &Path, places: Option<&[Range<u64>]>) -> Result<()> {
    if remove_irregular(path)? {
        return Ok(());
    }
    if let Ok(mut file) = OpenOptions::new().write(true).open(path)
        && file.try_lock().is_ok()
    {
        // If overwriting fails, the file is still removed; only its old disk blocks keep their
        // contents.
        let _ = overwrite(&mut file, places);
        return remove(path);
    }
    remove(path)
}

/// What became of a file that is to be overwritten and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wiped {
    /// It is unchanged, because someone has it open.
    InUse,
    /// Nothing of it is left.
    Overwritten,
    /// It is gone, but its bytes may be left in blocks that the disk calls free: overwriting it
    /// would have needed room, and there is none.
    Removed,
}

impl Wiped {
    pub(crate) fn is_gone(self) -> bool {
        self != Wiped::InUse
    }
}

/// Overwrites a file with zeros and removes it, unless it is mapped. A file that cannot be
/// overwritten because the disk is full is removed all the same: where files are never written in
/// place, zeros need room and do not reach the old bytes, and a file that stays keeps the disk full.
///
/// # Errors
/// From the disk; a file that does not exist is not an error.
pub(crate) fn wipe_unmapped(path: &Path) -> Result<Wiped> {
    if remove_irregular(path)? {
        return Ok(Wiped::Overwritten);
    }
    let file = OpenOptions::new().write(true).open(path);
    let mut file = match file {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Wiped::Overwritten);
        }
        Err(error) => return Err(naming(path, error.into())),
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(Wiped::InUse),
        // Without locks there is no telling whether it is mapped, so its bytes must not change.
        Err(TryLockError::Error(_)) => return remove(path).map(|()| Wiped::Removed),
        Ok(()) => {}
    }
    let wiped = match faults::operate(path).and_then(|()| overwrite(&mut file, None)) {
        Ok(()) => Wiped::Overwritten,
        Err(error) if ErrorCode::of_io(error.kind()) == ErrorCode::Full => Wiped::Removed,
        Err(error) => return Err(naming(path, error.into())),
    };
    remove(path)?;
    Ok(wiped)
}

/// Whether no hard link leads to the file from elsewhere.
#[cfg(unix)]
pub(crate) fn has_one_name(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.nlink() <= 1
}

/// Whoever may make a hard link may also write the file that it leads to.
#[cfg(not(unix))]
pub(crate) fn has_one_name(_: &std::fs::Metadata) -> bool {
    true
}

fn overwrite(file: &mut File, places: Option<&[Range<u64>]>) -> std::io::Result<()> {
    let found = file.metadata()?;
    // Under another name, it is a file of somebody else.
    if !has_one_name(&found) {
        return Ok(());
    }
    let whole = 0..found.len();
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

/// Removes a file. A file that does not exist is not an error.
///
/// # Errors
/// From the disk.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match faults::reach(path).and_then(|()| std::fs::remove_file(path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(naming(path, error.into()))
        }
        _ => Ok(()),
    }
}

fn read_at(file: &File, at: u64, out: &mut [u8]) -> std::io::Result<()> {
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

/// Adds the path to an error of the system, which does not contain it. Errors about an argument are
/// returned unchanged.
pub(crate) fn naming(path: &Path, error: Error) -> Error {
    if error.argument().is_some() {
        return error;
    }
    Error::new(error.code(), format!("{}: {error}", path.display())).with_source(error)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_file_for_whose_zeros_there_is_no_room_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        std::fs::create_dir(&index).unwrap();
        let path = index.join("words.1.bin");
        for (kind, is_removed) in [
            (ErrorKind::StorageFull, true),
            (ErrorKind::QuotaExceeded, true),
            (ErrorKind::Other, false),
        ] {
            std::fs::write(&path, "words").unwrap();
            faults::fail(&index, 0, true, kind);
            let wiped = wipe_unmapped(&path);
            faults::heal(&index);
            assert_eq!(wiped.ok(), is_removed.then_some(Wiped::Removed), "{kind}");
            assert_eq!(path.exists(), !is_removed, "{kind}");
        }
        assert_eq!(wipe_unmapped(&path).unwrap(), Wiped::Overwritten);
        assert!(!path.exists());
    }
}
