//! The files of batches in a shared folder: their names, and how they are read, put in place and
//! removed. Others may write into the folder: links are never followed.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::index::side_file::has_one_name;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::hex::hex;
use crate::store::generations::folder::{partial_beside, sync_name};
use crate::store::generations::wiping::fill_with_zeros;

/// A batch file, described by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BatchFile {
    pub(super) from: u64,
    pub(super) through: u64,
    pub(super) hash: String,
    pub(super) path: PathBuf,
}

pub(super) fn hash_of(lines: &str) -> String {
    hex(&blake3::hash(lines.as_bytes()).as_bytes()[..16])
}

impl BatchFile {
    pub(super) fn new(store_folder: &Path, from: u64, through: u64, lines: &str) -> Self {
        let hash = hash_of(lines);
        BatchFile {
            path: store_folder.join(format!("{from:016x}-{through:016x}-{hash}.jsonl")),
            from,
            through,
            hash,
        }
    }

    /// Whether it was written to replace another file, of its range or of a part of it.
    pub(super) fn replaces(&self, other: &BatchFile) -> bool {
        self.from <= other.from && other.through <= self.through && self != other
    }

    pub(super) fn of(path: PathBuf) -> Option<BatchFile> {
        let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
        let mut parts = name.split('-');
        let (from, through, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |text: &str, length| {
            let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            text.len() == length && text.bytes().all(is_digit)
        };
        let is_whole = is_hex(from, 16) && is_hex(through, 16) && is_hex(hash, 32);
        (is_whole && parts.next().is_none() && from <= through).then_some(())?;
        Some(BatchFile {
            from: u64::from_str_radix(from, 16).ok()?,
            through: u64::from_str_radix(through, 16).ok()?,
            hash: hash.to_owned(),
            path,
        })
    }
}

/// Turns an I/O error into one that names the path in the shared folder.
pub(super) fn at(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |error| {
        let problem = format!("{}: {error}", path.display());
        Error::from(std::io::Error::new(error.kind(), problem)).about("folder")
    }
}

/// The batches in a store's folder, in order. Files with other names are ignored.
pub(super) fn files_in(store_folder: &Path) -> Result<Vec<BatchFile>> {
    let mut files = Vec::new();
    let entries = match fs::read_dir(store_folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(files),
        entries => entries.map_err(at(store_folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(at(store_folder))?;
        // A link could lead anywhere.
        if entry.file_type().map_err(at(store_folder))?.is_file() {
            files.extend(BatchFile::of(entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file; `None` if there is no text of at most `limit` bytes, or if someone has put
/// a link or a pipe in its place.
pub(super) fn read_plain(path: &Path, limit: u64) -> std::io::Result<Option<String>> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    if !found.is_file() || found.len() > limit {
        return Ok(None);
    }
    let file = fs::File::open(path)?;
    // It may have become a link since.
    if !is_same(&found, &file.metadata()?) {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    // It may have grown.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let is_short = bytes.len() as u64 <= limit;
    Ok(String::from_utf8(bytes).ok().filter(|_| is_short))
}

/// Puts a file in place atomically, and its name durably: what it replaces may be overwritten next.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let partial = partial_beside(path);
    let written = (|| {
        let mut file = fs::File::create_new(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        match sync_name(path) {
            // Not every network drive can make a name durable.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::InvalidInput | ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            synced => synced,
        }
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(at(path))
}

/// Overwrites and removes a file; succeeds if it is already gone. Of a link, only the link is
/// removed, and of a file that has other names, which may be outside the folder, only this name.
pub(super) fn wipe(path: &Path) -> Result<()> {
    let wiped = (|| {
        let found = fs::symlink_metadata(path)?;
        if found.is_dir() {
            return Ok(());
        }
        if found.is_file() && has_one_name(&found) {
            let mut file = fs::OpenOptions::new().write(true).open(path)?;
            // It may have become a link since.
            let opened = file.metadata()?;
            if is_same(&found, &opened) && has_one_name(&opened) {
                match fill_with_zeros(&mut file) {
                    // Zeros need room where files are never written in place.
                    Err(error) if ErrorCode::of_io(error.kind()) == ErrorCode::Full => {}
                    filled => filled?,
                }
            }
        }
        fs::remove_file(path)
    })();
    match wiped {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        wiped => wiped.map_err(at(path)),
    }
}

#[cfg(unix)]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    (a.created().ok(), a.len()) == (b.created().ok(), b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_a_store_gives_is_that_of_a_batch() {
        let hash = "0123456789abcdef0123456789abcdef";
        let name =
            |from: &str, through: &str| PathBuf::from(format!("{from}-{through}-{hash}.jsonl"));
        let given = BatchFile::new(Path::new(""), 1, 31, "");
        assert_eq!(BatchFile::of(given.path.clone()), Some(given));
        let one = "0000000000000001";
        assert!(BatchFile::of(name(one, "000000000000001f")).is_some());
        for (from, through) in [
            (one, "+00000000000001f"),
            (one, "000000000000001F"),
            (one, "1f"),
            ("000000000000001f", one),
        ] {
            assert_eq!(BatchFile::of(name(from, through)), None, "{from} {through}");
        }
    }
}
