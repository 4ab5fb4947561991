//! Overwrites a file with zeros and removes it, once nobody has it open.
//!
//! A file that cannot be overwritten because the disk is full is removed all the same: where files
//! are never written in place, zeros need room and do not reach the old bytes, and a file that stays
//! keeps the disk full.
//!
//! A generation file is renamed before it is overwritten, so that a crash never leaves a
//! half-erased file that looks like a store.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{Bound, Range};
use std::path::Path;

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};

use crate::index::side_file::Wiped;
use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::store::database::open_files::OpenFiles;
use crate::store::generations::fail_points::fail_point;
use crate::store::generations::folder::{Folder, generation_of};

/// A former generation: `retired.<its number>.<unique>.tmp`.
pub(in crate::store) const RETIRED: &str = "retired";

/// Bytes written before they are flushed to disk: the commits of other processes wait for
/// whatever is queued for the disk.
pub(in crate::store) const MAX_UNSYNCED: u64 = 8 << 20;

fn is_gone(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

/// Overwrites a file with zeros and removes it, unless someone has it open.
pub(in crate::store) fn wipe(file: &Path, ours: &OpenFiles) -> Result<Wiped> {
    wipe_locked(file, ours, |file| {
        file.try_lock_range(Bound::Unbounded, Bound::Unbounded)
    })
}

fn wipe_locked(
    file: &Path,
    ours: &OpenFiles,
    lock: impl FnOnce(&FileBackend) -> std::result::Result<bool, BackendError>,
) -> Result<Wiped> {
    // Our files are never links, and what a link leads to is not ours.
    if fs::symlink_metadata(file).is_ok_and(|found| !found.is_file()) {
        return remove(file).map(|()| Wiped::Overwritten);
    }
    let open = fs::OpenOptions::new().read(true).write(true).open(file);
    let open = match open {
        Ok(open) => open,
        Err(error) if is_gone(&error) => return Ok(Wiped::Overwritten),
        Err(error) => return Err(about_file(file)(error)),
    };
    let mut writer = open.try_clone().map_err(about_file(file))?;
    let locks = FileBackend::new(open).map_err(Error::from)?;
    // Everyone who has the file open holds a lock on part of it.
    let _listed = match lock(&locks) {
        Ok(true) => None,
        // Without locks, this process is the only one, and knows which files it has open.
        Err(BackendError::Unsupported) => {
            match ours.begin_wiping(&writer).map_err(about_file(file))? {
                None => return Ok(Wiped::InUse),
                listed => listed,
            }
        }
        Ok(false) | Err(_) => return Ok(Wiped::InUse),
    };
    let wiped = overwrite(file, &mut writer);
    let _ = locks.unlock_range(Bound::Unbounded, Bound::Unbounded);
    wiped
}

fn overwrite(file: &Path, open: &mut fs::File) -> Result<Wiped> {
    let folder = Folder::of(file);
    let name = file.file_name().and_then(|name| name.to_str());
    let number = name.and_then(generation_of);
    let target = match (folder, number) {
        (Some(folder), Some(number)) => {
            let retired = folder.temporary(RETIRED, number);
            match fs::rename(file, &retired) {
                Ok(()) => retired,
                Err(error) if is_gone(&error) => return Ok(Wiped::Overwritten),
                // Not even another name fits on the disk.
                Err(error) if ErrorCode::of_io(error.kind()) == ErrorCode::Full => {
                    return remove(file).map(|()| Wiped::Removed);
                }
                Err(error) => return Err(about_file(file)(error)),
            }
        }
        _ => file.to_owned(),
    };
    let filled = fail_point("a file is overwritten")
        .and_then(|()| fill_with_zeros(open).map_err(about_file(&target)));
    let wiped = match filled {
        Ok(()) => Wiped::Overwritten,
        Err(error) if error.code() == ErrorCode::Full => Wiped::Removed,
        Err(error) => return Err(error),
    };
    remove(&target)?;
    Ok(wiped)
}

/// Writes zeros over a whole file, down to the disk, in parts, because the commits of other
/// processes wait for whatever is queued for the disk. Blocks that are zero already, like most of
/// a preallocated file, are skipped: writing them would need room, and the disk may be full.
pub(crate) fn fill_with_zeros(file: &mut fs::File) -> std::io::Result<()> {
    let (zeros, mut there) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let (length, mut at, mut unsynced) = (file.metadata()?.len(), 0, 0);
    while at < length {
        let part = (length - at).min(zeros.len() as u64);
        let there = &mut there[..part as usize];
        file.seek(SeekFrom::Start(at))?;
        // Unreadable parts are overwritten like the rest.
        if file.read_exact(there).is_err() {
            there.fill(1);
        }
        for run in not_zero(there) {
            file.seek(SeekFrom::Start(at + run.start as u64))?;
            file.write_all(&zeros[run.clone()])?;
            unsynced += run.len() as u64;
        }
        at += part;
        if unsynced >= MAX_UNSYNCED {
            file.sync_data()?;
            unsynced = 0;
        }
    }
    file.sync_all()?;
    Ok(())
}

/// The runs of blocks that are not zero.
fn not_zero(bytes: &[u8]) -> Vec<Range<usize>> {
    // No file system has smaller ones: in a larger part, a hole could lie beside what is not zero.
    const BLOCK: usize = 512;
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        if block.iter().all(|byte| *byte == 0) {
            continue;
        }
        let start = number * BLOCK;
        let end = start + block.len();
        match runs.last_mut().filter(|run| run.end == start) {
            Some(run) => run.end = end,
            None => runs.push(start..end),
        }
    }
    runs
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if !is_gone(&error) => Err(about_file(file)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::store::database::backend::{Backend, ExclusiveBackend};
    use crate::store::generations::wiping::*;

    #[test]
    #[cfg(unix)]
    fn a_file_that_this_process_uses_is_not_wiped_where_there_are_no_locks() {
        let folder = tempfile::tempdir().unwrap();
        let engine = ExclusiveBackend::new(1 << 20);
        let first = folder.path().join("building.1.a.tmp");
        let used = engine.open(&first, true).unwrap();
        let wipe = |file: &Path| {
            let without_locks = |_: &FileBackend| Err(BackendError::Unsupported);
            let wiped = wipe_locked(file, engine.open_files(), without_locks);
            wiped.unwrap().is_gone()
        };
        let bytes = fs::read(&first).unwrap();
        assert!(!wipe(&first));
        // A finished copy gets another name.
        let second = folder.path().join("memory.2.redb");
        fs::rename(&first, &second).unwrap();
        assert!(!wipe(&second));
        assert_eq!(fs::read(&second).unwrap(), bytes);
        drop(used);
        // Nobody begins to use a file that is being wiped.
        let file = fs::File::open(&second).unwrap();
        let listed = engine.open_files().begin_wiping(&file).unwrap();
        let refused = engine.open(&second, false).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Busy);
        assert!(!wipe(&second));
        drop(listed);
        assert!(wipe(&second));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// A block of a file system may be as small as 1,024 bytes, and one beside it a hole.
    #[test]
    fn no_zeros_are_written_beside_what_is_not_zero() {
        let mut bytes = vec![0; 8_200];
        assert!(not_zero(&bytes).is_empty());
        for at in [0, 1_024, 1_536, 4_095, 8_199] {
            bytes[at] = 1;
        }
        let runs = [0..512, 1_024..2_048, 3_584..4_096, 8_192..8_200];
        assert_eq!(not_zero(&bytes), runs);
    }

    #[test]
    #[cfg(unix)]
    fn all_of_a_file_becomes_zero_and_what_was_never_written_takes_no_room() {
        use std::os::unix::fs::MetadataExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let options = || {
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true);
            options
        };
        for can_be_read in [true, false] {
            let mut file = options().open(&path).unwrap();
            file.set_len(64 << 20).unwrap();
            for at in [0, (8 << 20) + 7, (64 << 20) - 9] {
                file.seek(SeekFrom::Start(at)).unwrap();
                file.write_all(b"remember").unwrap();
            }
            let blocks = || fs::metadata(&path).unwrap().blocks() * 512;
            let took = blocks();
            let mut file = options().read(can_be_read).open(&path).unwrap();
            fill_with_zeros(&mut file).unwrap();
            let bytes = fs::read(&path).unwrap();
            assert_eq!(bytes.len(), 64 << 20);
            assert!(bytes.iter().all(|byte| *byte == 0));
            // On a full disk, there is no room for more.
            let takes = blocks();
            assert_eq!(takes <= took, can_be_read, "{took}, then {takes} bytes");
            fs::remove_file(&path).unwrap();
        }
    }
}
