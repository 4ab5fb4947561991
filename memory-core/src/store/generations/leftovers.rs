//! Cleans up files that are no longer needed but may still contain old bytes: retired
//! generations, copies whose builder died, and temporary files of killed processes. They
//! are overwritten and removed as soon as nobody has them open.

use std::fs;
use std::path::PathBuf;

use crate::model::error::{Result, about_file};
use crate::store::database::backend::Backend;
use crate::store::generations::folder::{Folder, generation_of};
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
            Some(Left::Generation(_) | Left::Retired | Left::Copy(_)) => engine.remove(&file),
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
    if !engine.remove(&file)? {
        fs::rename(&file, folder.temporary(RETIRED, number)).map_err(about_file(&file))?;
    }
    Ok(())
}
