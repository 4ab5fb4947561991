//! How much room a disk has.

use std::path::Path;

/// The bytes that may still be written where a path lies, or would lie if it existed; `None` if the
/// system does not say.
#[cfg(unix)]
pub(crate) fn free_bytes(path: &Path) -> Option<u64> {
    let there = path.ancestors().find(|it| it.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
pub(crate) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_exist_has_the_room_of_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        let there = free_bytes(folder.path()).unwrap();
        assert!(there > 0);
        assert!(free_bytes(&folder.path().join("a/b")).is_some());
    }
}
