//! The store files that this process has open. On a file system without locks, nothing else tells a
//! thread that another one still uses a file that it is about to overwrite. Processes must not
//! share a store there.
//!
//! Also tells whether a file that is open still has its name.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

/// The device and the number of a file, which a rename does not change.
type FileId = (u64, u64);

/// A file that is open, to be recognised by its name.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Placed(FileId);

#[derive(Clone, Copy, Debug)]
enum Use {
    /// How often it is open.
    Open(usize),
    /// It is being overwritten in order to be removed.
    Wiped,
}

/// The files that are open or being overwritten.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct OpenFiles(Arc<Mutex<BTreeMap<FileId, Use>>>);

/// Keeps a file in the list.
#[derive(Debug)]
pub(in crate::store) struct Listed {
    files: OpenFiles,
    id: FileId,
}

#[cfg(unix)]
fn id_of(file: &File) -> std::io::Result<Option<FileId>> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    Ok(Some((found.dev(), found.ino())))
}

/// Elsewhere, every file system has locks.
#[cfg(not(unix))]
fn id_of(_file: &File) -> std::io::Result<Option<FileId>> {
    Ok(None)
}

/// The file that a path leads to.
#[cfg(unix)]
fn id_at(path: &Path) -> std::io::Result<Option<FileId>> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path)?;
    Ok(Some((found.dev(), found.ino())))
}

/// Elsewhere, an open file keeps its folder from being moved or removed.
#[cfg(not(unix))]
fn id_at(_path: &Path) -> std::io::Result<Option<FileId>> {
    Ok(None)
}

impl Placed {
    /// A file that was opened by this path; `None` if the path does not identify it, as on a file
    /// system that numbers a file anew whenever it is looked up.
    pub(in crate::store) fn of(file: &File, path: &Path) -> Option<Placed> {
        let placed = Placed(id_of(file).ok()??);
        placed.is_at(path).then_some(placed)
    }

    /// Whether the path still leads to the file. A path that this process may no longer look up
    /// says nothing.
    pub(in crate::store) fn is_at(self, path: &Path) -> bool {
        match id_at(path) {
            Ok(found) => found.is_none_or(|found| found == self.0),
            Err(error) => !matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ),
        }
    }
}

impl OpenFiles {
    /// Lists a file that is about to be used.
    ///
    /// # Errors
    /// `ResourceBusy` if another thread is overwriting it in order to remove it.
    pub(in crate::store) fn begin_use(&self, file: &File) -> std::io::Result<Option<Listed>> {
        let Some(id) = id_of(file)? else {
            return Ok(None);
        };
        let mut files = self.0.lock();
        match files.get_mut(&id) {
            Some(Use::Open(times)) => *times += 1,
            Some(Use::Wiped) => return Err(std::io::ErrorKind::ResourceBusy.into()),
            None => drop(files.insert(id, Use::Open(1))),
        }
        Ok(Some(self.listed(id)))
    }

    /// Lists a file that is about to be overwritten; `None` if it is in use, or if that cannot be
    /// known.
    ///
    /// # Errors
    /// From the disk.
    pub(in crate::store) fn begin_wiping(&self, file: &File) -> std::io::Result<Option<Listed>> {
        let Some(id) = id_of(file)? else {
            return Ok(None);
        };
        let mut files = self.0.lock();
        if files.contains_key(&id) {
            return Ok(None);
        }
        files.insert(id, Use::Wiped);
        Ok(Some(self.listed(id)))
    }

    fn listed(&self, id: FileId) -> Listed {
        Listed {
            files: self.clone(),
            id,
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut files = self.files.0.lock();
        match files.get_mut(&self.id) {
            Some(Use::Open(times)) if *times > 1 => *times -= 1,
            _ => drop(files.remove(&self.id)),
        }
    }
}
