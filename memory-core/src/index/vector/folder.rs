//! The folder of side files: their names, who may build them, and how the vectors of events
//! leave them.
//!
//! A file is named `vectors.<version>.<after>.<to>.<unique>.bin`: it holds the events that got
//! their vectors of an embedding version after one ordinal and up to another, and no two files ever
//! had the same name. All of them are derived from the store.
//!
//! One process and thread at a time builds ([`VectorBuildTurn`]); the lock is the system's and goes with its
//! process. Nothing depends on it for being right: names are unique, a file gets its name when it
//! is whole, and who finds a file gone goes on without it. It saves double work, and whoever holds
//! it knows that no other builder is about to give a file its name.

use crate::index::vector::Tombstones;
use crate::index::vector::file::{TEMPORARY, VectorFile, remove, wipe, write_without};
use crate::model::error::{Error, ErrorCode, Result};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PREFIX: &str = "vectors.";
const SUFFIX: &str = ".bin";
/// How often a lock that another one holds is tried again.
const POLL: Duration = Duration::from_millis(2);

/// What the name of a side file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) version: u32,
    pub(crate) after: u64,
    pub(crate) to: u64,
    pub(crate) path: PathBuf,
}

/// The side files in a folder; none when it cannot be read.
pub(crate) fn list(folder: &Path) -> impl Iterator<Item = Named> {
    entries(folder).filter_map(named)
}

fn named(path: PathBuf) -> Option<Named> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let words: Vec<&str> = name.split('.').collect();
    let [version, after, to, _unique] = words.as_slice() else {
        return None;
    };
    Some(Named {
        version: version.parse().ok()?,
        after: after.parse().ok()?,
        to: to.parse().ok()?,
        path,
    })
}

/// A name for a new file, which no other file ever had.
pub(crate) fn new_path(folder: &Path, version: u32, after: u64, to: u64) -> PathBuf {
    let unique = uuid::Uuid::new_v4().simple();
    folder.join(format!("{PREFIX}{version}.{after}.{to}.{unique}{SUFFIX}"))
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
fn is_there(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = is_there(folder).then(|| std::fs::read_dir(folder));
    let entries = entries.into_iter().flatten().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Whether a path is a file that a builder has not finished.
fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == TEMPORARY)
}

/// Whether a path is what this module calls a side file, finished or not, of any format.
fn is_ours(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(PREFIX))
}

/// The right to build: nobody else builds until it is dropped.
pub(crate) struct VectorBuildTurn {
    _lock: Option<File>,
}

impl VectorBuildTurn {
    /// Takes the turn, and waits for it no longer than `patience`; `None` when another builds. What
    /// builders that were killed left behind is removed.
    ///
    /// # Errors
    /// From the disk; `NotFound` when there is no folder.
    pub(crate) fn take(folder: &Path, patience: Duration) -> Result<Option<VectorBuildTurn>> {
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
                // Without locks all may build at once, which costs time only. What is unfinished
                // may be another's, so it stays.
                Err(TryLockError::Error(_)) => return Ok(Some(VectorBuildTurn { _lock: None })),
            }
        }
        // Unfinished files, and those of names that are given no longer.
        for path in entries(folder).filter(|path| is_ours(path)) {
            if named(path.clone()).is_none() {
                // If it cannot be removed the next builder tries again.
                let _ = wipe(&path, None);
            }
        }
        Ok(Some(VectorBuildTurn { _lock: Some(file) }))
    }
}

/// The folder itself, where the system can lock one, so that no further file lies in it.
#[cfg(unix)]
fn lock_file(folder: &Path) -> Result<File> {
    Ok(File::open(folder)?)
}

#[cfg(not(unix))]
fn lock_file(folder: &Path) -> Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    Ok(options.open(folder.join("lock"))?)
}

/// What in the folder may hold a vector of one of the events, ascending: files that do, files that
/// cannot be read or are not finished, and whatever else lies there.
pub(crate) fn unclean(folder: &Path, seqs: &Tombstones) -> Vec<PathBuf> {
    let may_hold = |path: &PathBuf| match named(path.clone()) {
        None => is_entry(path),
        Some(_) => match VectorFile::open(path) {
            Ok(file) => file.holds_any(seqs).unwrap_or(true),
            Err(error) => error.code() != ErrorCode::NotFound,
        },
    };
    let mut found: Vec<PathBuf> = entries(folder).filter(may_hold).collect();
    found.sort_unstable();
    found
}

/// The lock of systems that cannot lock a folder is no place for vectors.
fn is_entry(path: &Path) -> bool {
    cfg!(unix) || path.file_name().is_some_and(|name| name != "lock")
}

/// Removes what lies in the folder and is no side file.
///
/// # Errors
/// From the disk.
pub(crate) fn remove_strangers(folder: &Path) -> Result<()> {
    for path in entries(folder).filter(|path| !is_ours(path) && is_entry(path)) {
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path)?,
            // What a link names lies elsewhere.
            Ok(found) if !found.is_file() => remove(&path)?,
            _ => wipe(&path, None)?,
        }
    }
    Ok(())
}

/// Takes the vectors of events out of every side file: each that has one is removed, and
/// overwritten where nobody has it mapped. What cannot be read is removed.
///
/// With the turn the file is written again without them before, and none holds them from then on.
/// Without it searches read from the store what it held, and a builder that began earlier may still
/// give a file with them its name: the caller comes back.
///
/// # Errors
/// From the disk.
pub(crate) fn take_out(
    folder: &Path,
    seqs: &Tombstones,
    turn: Option<&VectorBuildTurn>,
) -> Result<()> {
    for path in entries(folder).filter(|path| is_ours(path)) {
        if is_temporary(&path) {
            // Another's, so there is no turn: its builder finds that it is gone and gives up.
            remove(&path)?;
            continue;
        }
        match VectorFile::open(&path) {
            Ok(file) => without(folder, &path, file, seqs, turn.is_some())?,
            Err(error) if error.code() == ErrorCode::NotFound => {}
            Err(_) => wipe(&path, None)?,
        }
    }
    sync(folder)
}

fn without(
    folder: &Path,
    path: &Path,
    file: VectorFile,
    seqs: &Tombstones,
    may_build: bool,
) -> Result<()> {
    match file.holds_any(seqs) {
        Ok(false) => return Ok(()),
        Ok(true) => {}
        Err(_) => {
            drop(file);
            return wipe(path, None);
        }
    }
    let places = file.places_of(seqs);
    if may_build {
        let info = file.info();
        let new = new_path(folder, info.embedding_version, info.after, info.to);
        // Where it cannot be written, for want of space or for damage, the store has what it held.
        let _ = write_without(&new, &file, seqs);
    }
    drop(file);
    wipe(path, Some(&places))
}

/// Makes names and removals of the folder durable.
fn sync(folder: &Path) -> Result<()> {
    if !is_there(folder) {
        return Ok(());
    }
    #[cfg(unix)]
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::from(error));
        }
        _ => {}
    }
    Ok(())
}
