//! The folder of side files: their names, who may build them, and how the vectors of events
//! leave them.
//!
//! A file is named `vectors.<version>.<after>.<to>.<unique>.bin`: it holds the events that got
//! their vectors of an embedding version after one ordinal and up to another, and no two files ever
//! had the same name. All of them are derived from the store.
//!
//! One process and thread at a time builds ([`BuildTurn`]); the lock is the system's and goes with its
//! process. Nothing depends on it for being right: names are unique, a file gets its name when it
//! is whole, and who finds a file gone goes on without it. It saves double work, and whoever holds
//! it knows that no other builder is about to give a file its name.

use crate::index::side_file::{
    BuildTurn, SUFFIX, VECTORS, WORDS, entries, is_entry, is_of, is_temporary, remove, sync,
    unique, wipe,
};
use crate::index::vector::Tombstones;
use crate::index::vector::file::{VectorFile, write_without};
use crate::model::error::{ErrorCode, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    let name = name.strip_prefix(VECTORS)?.strip_suffix(SUFFIX)?;
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
    let unique = unique();
    folder.join(format!(
        "{VECTORS}{version}.{after}.{to}.{unique:032x}{SUFFIX}"
    ))
}

/// Whether a path is what this module calls a side file, finished or not, of any format.
fn is_ours(path: &Path) -> bool {
    is_of(path, VECTORS)
}

/// Takes the right to build, and removes files of names that are given no longer.
///
/// # Errors
/// As [`BuildTurn::take`].
pub(crate) fn take_turn(folder: &Path, patience: Duration) -> Result<Option<BuildTurn>> {
    let turn = BuildTurn::take(folder, patience)?;
    if turn.as_ref().is_some_and(BuildTurn::is_alone) {
        for path in entries(folder).filter(|path| is_ours(path)) {
            if named(path.clone()).is_none() {
                // If it cannot be removed the next builder tries again.
                let _ = wipe(&path, None);
            }
        }
    }
    Ok(turn)
}

/// What in the folder may hold a vector of one of the events, ascending: files that do, files that
/// cannot be read or are not finished, and whatever else lies there.
pub(crate) fn unclean(folder: &Path, seqs: &Tombstones) -> Vec<PathBuf> {
    let may_hold = |path: &PathBuf| match named(path.clone()) {
        // Which words are unclean is known by the store.
        None => is_entry(path) && !is_of(path, WORDS),
        Some(_) => match VectorFile::open(path) {
            Ok(file) => file.holds_any(seqs).unwrap_or(true),
            Err(error) => error.code() != ErrorCode::NotFound,
        },
    };
    let mut found: Vec<PathBuf> = entries(folder).filter(may_hold).collect();
    found.sort_unstable();
    found
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
pub(crate) fn take_out(folder: &Path, seqs: &Tombstones, turn: Option<&BuildTurn>) -> Result<()> {
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
