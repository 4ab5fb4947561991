//! Cleans up files that are no longer needed but may still contain old bytes: retired
//! generations, copies whose builder died, and temporary files of killed processes. They
//! are overwritten and removed as soon as nobody has them open.

use std::fs;
use std::path::PathBuf;

use crate::index::side_file::Wiped;
use crate::model::error::{ErrorCode, Result, about_file};
use crate::store::Store;
use crate::store::database::backend::Backend;
use crate::store::generations::folder::{CurrentFile, Folder, generation_of};
use crate::store::generations::wiping::RETIRED;

/// A copy being built: `building.<generation that is copied>.<unique>.tmp`.
pub(in crate::store) const BUILDING: &str = "building";
/// A file for comparisons, and one that is about to become `CURRENT`.
pub(in crate::store) const SCRATCH: &str = "scratch";
const CURRENT: &str = "CURRENT";

/// What a file in a store's folder is, judged by its name, if it is not live.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// A generation with this number, older than the live one.
    Generation(u64),
    /// A former generation file.
    Retired,
    /// An unfinished copy of a generation.
    Copy(u64),
    /// A file that never contains text for longer than one call.
    Small,
}

fn left(name: &str, live: u64) -> Option<Left> {
    if let Some(number) = generation_of(name) {
        return (number < live).then_some(Left::Generation(number));
    }
    let mut parts = name.strip_suffix(".tmp")?.splitn(3, '.');
    let kind = parts.next()?;
    let number = parts.next()?.parse().ok()?;
    parts.next()?;
    match kind {
        BUILDING => Some(Left::Copy(number)),
        RETIRED => Some(Left::Retired),
        SCRATCH | CURRENT => Some(Left::Small),
        _ => None,
    }
}

/// Whether the store no longer needs a file.
pub(in crate::store) fn is_left(name: &str, live: u64) -> bool {
    generation_of(name).is_some_and(|number| number > live) || left(name, live).is_some()
}

/// The files that contain data which the live generation must no longer contain.
pub(in crate::store) fn list(folder: &Folder, live: u64) -> Result<Vec<PathBuf>> {
    let names = folder.names()?;
    let holds_old = |name: &&String| match left(name, live) {
        Some(Left::Generation(_) | Left::Retired) => true,
        // A copy of the live generation contains nothing that the live one does not.
        Some(Left::Copy(of)) => of < live,
        Some(Left::Small) | None => false,
    };
    let files = names.iter().filter(holds_old);
    Ok(files.map(|name| folder.path().join(name)).collect())
}

/// Overwrites and removes leftovers that nobody has open. Returns whether anything changed.
pub(in crate::store) fn clean(folder: &Folder, engine: &dyn Backend, live: u64) -> Result<bool> {
    let mut changed = false;
    for name in folder.names()? {
        let file = folder.path().join(&name);
        let removed = match left(&name, live) {
            None => continue,
            Some(Left::Generation(_) | Left::Retired | Left::Copy(_)) => {
                engine.remove(&file).map(Wiped::is_gone)
            }
            // Not overwritten: it may become `CURRENT` at this moment.
            Some(Left::Small) => Ok(fs::remove_file(&file).is_ok()),
        };
        // What cannot be removed now stays in the list for another try.
        changed |= removed.unwrap_or(false);
    }
    Ok(changed)
}

/// Makes room for a generation with this number: a file that someone has open is renamed.
pub(in crate::store) fn make_way(folder: &Folder, engine: &dyn Backend, number: u64) -> Result<()> {
    let file = folder.generation_file(number);
    if !engine.remove(&file)?.is_gone() {
        fs::rename(&file, folder.temporary(RETIRED, number)).map_err(about_file(&file))?;
    }
    Ok(())
}

impl Store {
    /// The files in the folder that may contain data that the live generation no longer has:
    /// retired generations and unfinished copies.
    pub(crate) fn leftovers(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        list(&self.folder, live)
    }

    /// Overwrites and removes obsolete files that no process has open, and the mark of a builder
    /// that was killed; returns the files with old data that are left.
    pub(crate) fn clean_leftovers(&self) -> Result<Vec<PathBuf>> {
        // Files first: the write that removes the mark may need the room that they take.
        let left = self.clean_files_left()?;
        self.end_abandoned_noting()?;
        Ok(left)
    }

    fn clean_files_left(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        let names = self.folder.names()?;
        if names.iter().all(|name| !is_left(name, live)) {
            return Ok(Vec::new());
        }
        if names
            .iter()
            .filter_map(|name| generation_of(name))
            .any(|number| number > live)
        {
            // Without this lock, the leftovers of a crash cannot be told from a switch in progress.
            let _writer = self.lock_writer()?;
            let held = self.hold_live()?;
            self.discard_above(held.generation.number)?;
            held.transaction.abort()?;
        }
        self.clean_below()
    }

    /// Removes the mark of a builder that was killed.
    fn end_abandoned_noting(&self) -> Result<()> {
        if !self.read()?.notes_changes()? {
            return Ok(());
        }
        match self.lock_generation(std::time::Duration::ZERO) {
            Ok(_turn) => self.write(|tx| tx.end_noting(None)),
            Err(error) if error.code() == ErrorCode::Busy => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn clean_below(&self) -> Result<Vec<PathBuf>> {
        let live = self.read()?.generation();
        // The old file is removed only once `CURRENT` names the new one.
        if self.folder.seen()?.named == CurrentFile::Generation(live)
            && clean(&self.folder, &*self.engine, live)?
        {
            self.folder.sync()?;
        }
        list(&self.folder, live)
    }

    /// Removes files above the live generation, which a crash before step 2 of the switch left. The
    /// caller must hold the live generation's write lock.
    pub(super) fn discard_above(&self, live: u64) -> Result<()> {
        for left in self.folder.generations()? {
            if left > live {
                make_way(&self.folder, &*self.engine, left)?;
            }
        }
        Ok(())
    }
}
