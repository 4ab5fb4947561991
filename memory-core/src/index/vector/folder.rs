//! The folder of vector files: their names, who may build them, and the removal of vectors.
//!
//! A file is named `vectors.<version>.<after>.<to>.<unique>.bin`. It holds the events whose vectors
//! of embedding version `<version>` have ordinals greater than `<after>` and at most `<to>`. Names
//! are never reused. All files are derived from the store.
//!
//! Only one thread of one process builds at a time ([`BuildTurn`]). Correctness does not depend on
//! the turn: names are unique, a file is renamed only when complete, and readers cope with files
//! that disappear. The turn saves duplicate work, and guarantees to its holder that no other
//! builder is about to publish a file.

use crate::index::side_file::{
    BuildTurn, SUFFIX, VECTORS, WORDS, entries, is_entry, is_of, is_temporary, remove, sync,
    unique, wipe,
};
use crate::index::vector::Tombstones;
use crate::index::vector::file::VectorFile;
use crate::index::vector::file_writer::write_without;
use crate::model::error::{ErrorCode, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The parsed name of a vector file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedVectorFile {
    pub(crate) version: u32,
    pub(crate) after: u64,
    pub(crate) to: u64,
    pub(crate) path: PathBuf,
}

/// The vectors that must be in no file.
pub(crate) struct Unwanted {
    /// All of these events.
    pub(crate) seqs: Tombstones,
    /// All of embedding versions other than these, which are those that the store knows. It lost
    /// the others when it was rebuilt without its vectors.
    pub(crate) versions: Vec<u32>,
}

impl Unwanted {
    /// Whether nothing of a file is wanted.
    pub(crate) fn is_all_of(&self, named: &NamedVectorFile) -> bool {
        !self.versions.contains(&named.version)
    }

    /// Whether a file may have such a vector.
    fn is_in(&self, named: &NamedVectorFile, file: &VectorFile) -> bool {
        self.is_all_of(named) || file.holds_any(&self.seqs).unwrap_or(true)
    }
}

/// The vector files in a folder.
///
/// # Errors
/// From the disk; a missing folder is not an error.
pub(crate) fn list(folder: &Path) -> Result<Vec<NamedVectorFile>> {
    Ok(entries(folder)?.into_iter().filter_map(named).collect())
}

fn named(path: PathBuf) -> Option<NamedVectorFile> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix(VECTORS)?.strip_suffix(SUFFIX)?;
    let words: Vec<&str> = name.split('.').collect();
    let [version, after, to, _unique] = words.as_slice() else {
        return None;
    };
    Some(NamedVectorFile {
        version: version.parse().ok()?,
        after: after.parse().ok()?,
        to: to.parse().ok()?,
        path,
    })
}

/// A name for a new file, never reused.
pub(crate) fn new_path(folder: &Path, version: u32, after: u64, to: u64) -> PathBuf {
    let unique = unique();
    folder.join(format!(
        "{VECTORS}{version}.{after}.{to}.{unique:032x}{SUFFIX}"
    ))
}

/// Whether a path is a vector file, finished or not, in any format version.
fn is_ours(path: &Path) -> bool {
    is_of(path, VECTORS)
}

/// Takes the turn to build, and removes files whose names have an obsolete form.
///
/// # Errors
/// As [`BuildTurn::take`].
pub(crate) fn take_turn(folder: &Path, patience: Duration) -> Result<Option<BuildTurn>> {
    let turn = BuildTurn::take(folder, patience)?;
    if turn.as_ref().is_some_and(BuildTurn::is_alone) {
        for path in entries(folder)? {
            if is_ours(&path) && named(path.clone()).is_none() {
                // If the removal fails, the next builder tries again.
                let _ = wipe(&path, None);
            }
        }
    }
    Ok(turn)
}

/// The paths in the folder, ascending, that may hold an unwanted vector: files that do, files that
/// are unreadable, unfinished or just being overwritten, and foreign files.
///
/// # Errors
/// From the disk; a missing folder is not an error.
pub(crate) fn unclean(folder: &Path, unwanted: &Unwanted) -> Result<Vec<PathBuf>> {
    let may_hold = |path: &PathBuf| match named(path.clone()) {
        // The store tracks which segment files are unclean.
        None => is_entry(path) && !is_of(path, WORDS),
        Some(named) => match VectorFile::open(path) {
            Ok(file) => unwanted.is_in(&named, &file),
            Err(error) => error.code() != ErrorCode::NotFound,
        },
    };
    let mut found = entries(folder)?;
    found.retain(may_hold);
    found.sort_unstable();
    Ok(found)
}

/// Removes unwanted vectors from every vector file: each file that has one is removed, and
/// overwritten if it is not mapped. Unreadable files are removed. Returns false if a file that may
/// have such vectors is left, because it cannot be removed now or another process is just
/// overwriting it: the caller must try again.
///
/// With the turn, the file is first rewritten without the vectors, and if the result is true, no
/// file holds them afterwards. Without the turn, searches read the rest of its vectors from the
/// store, and a builder that started earlier may still publish a file with the removed ones: the
/// caller must try again.
///
/// # Errors
/// From the disk.
pub(crate) fn take_out(
    folder: &Path,
    unwanted: &Unwanted,
    turn: Option<&BuildTurn>,
) -> Result<bool> {
    let mut is_clean = true;
    for path in entries(folder)?.into_iter().filter(|path| is_ours(path)) {
        let taken_out = if is_temporary(&path) {
            // There is an unfinished file only if we lack the turn. Its builder notices the removal
            // and gives up.
            remove(&path)
        } else {
            match VectorFile::open(&path) {
                Ok(file) => without(folder, &path, file, unwanted, turn.is_some()),
                Err(error) if error.code() == ErrorCode::NotFound => Ok(()),
                // Whoever is overwriting it may die before it is removed.
                Err(error) if error.code() == ErrorCode::Busy => Err(error),
                Err(_) => wipe(&path, None),
            }
        };
        // One file that cannot be removed, as while it is mapped on Windows, does not keep the
        // others.
        is_clean &= taken_out.is_ok();
    }
    sync(folder)?;
    Ok(is_clean)
}

fn without(
    folder: &Path,
    path: &Path,
    file: VectorFile,
    unwanted: &Unwanted,
    may_build: bool,
) -> Result<()> {
    if named(path.to_owned()).is_some_and(|named| unwanted.is_all_of(&named)) {
        drop(file);
        return wipe(path, None);
    }
    let seqs = &unwanted.seqs;
    match file.holds_any(seqs) {
        Ok(false) => return Ok(()),
        Ok(true) => {}
        Err(_) => {
            drop(file);
            return wipe(path, None);
        }
    }
    let places = file.places_of(seqs);
    if may_build && !has_copy(folder, &file, seqs)? {
        let info = file.info();
        let new = new_path(folder, info.embedding_version, info.after, info.to);
        // If the rewrite fails (full disk, damaged file), the vectors are still in the store.
        let _ = write_without(&new, &file, seqs);
    }
    drop(file);
    wipe(path, Some(&places))
}

/// Whether an earlier call wrote the file without the vectors, and then could not remove it.
fn has_copy(folder: &Path, file: &VectorFile, seqs: &Tombstones) -> Result<bool> {
    let info = file.info();
    let is_copy = |other: &NamedVectorFile| {
        let span = (other.version, other.after, other.to);
        span == (info.embedding_version, info.after, info.to)
            && VectorFile::open(&other.path).is_ok_and(|other| {
                other.info() == info && other.holds_any(seqs).is_ok_and(|holds| !holds)
            })
    };
    Ok(list(folder)?.iter().any(is_copy))
}
