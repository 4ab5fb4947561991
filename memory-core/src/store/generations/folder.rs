//! Manages the store's folder: its files and permissions, the `CURRENT` file that names the
//! live generation, and the refusal of folders without reliable locks or writes (network
//! and synced folders).

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::store::database::open_files::Placed;

const CURRENT: &str = "CURRENT";
const SWAP_LOCK: &str = "swap.lock";
const TURN_LOCK: &str = "turn.lock";
const BUILD_LOCK: &str = "build.lock";
const PUSH_LOCK: &str = "push.lock";

/// A folder that contains a store.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// The file name of a generation.
pub(in crate::store) fn generation_name(generation: u64) -> String {
    format!("memory.{generation}.redb")
}

/// Held while a generation is marked as retired and `CURRENT` is written, which makes the
/// two one step for all processes. Nobody else waits for it, so a process suspended here
/// blocks no reader or writer.
#[derive(Debug)]
#[expect(dead_code, reason = "it is held")]
pub(in crate::store) struct SwapLock(FileLock);

/// Held by the one process that builds a generation next to the live one. Readers and
/// writers never wait for it.
#[derive(Debug)]
#[expect(dead_code, reason = "it is held")]
pub(in crate::store) struct BuildLock(FileLock);

/// Held by the one process that writes files for other stores.
#[derive(Debug)]
#[expect(dead_code, reason = "it is held")]
pub(crate) struct PushLock(FileLock);

/// An inter-process lock on an empty file.
#[derive(Debug)]
struct FileLock(Option<fs::File>);

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing is not enough: a forked child has the file open as well.
        if let Some(file) = &self.0 {
            let _ = file.unlock();
        }
    }
}

/// The content of `CURRENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum CurrentFile {
    /// The file does not exist.
    Nothing,
    Generation(u64),
    /// It contains something other than a positive number.
    Unreadable,
}

/// The generations found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Seen {
    pub(in crate::store) named: CurrentFile,
    /// The numbers of the generation files, sorted.
    pub(in crate::store) files: Vec<u64>,
}

/// Parses the number of a generation file: of one that this library has written. There is always a
/// number before it and one after it.
pub(in crate::store) fn generation_of(name: &str) -> Option<u64> {
    let number = name.strip_prefix("memory.")?.strip_suffix(".redb")?;
    let number: u64 = number.parse().ok()?;
    let is_ours = (1..u64::MAX).contains(&number) && generation_name(number) == name;
    is_ours.then_some(number)
}

impl Folder {
    /// Opens the folder, creating it (0700) if missing.
    pub(crate) fn open(path: &Path, create: bool) -> Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(Error::invalid("path", "must not be empty"));
        }
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => {
                return Err(Error::invalid(
                    "path",
                    format_args!("{} is a file, not a folder", path.display()),
                ));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound && create => {
                create_private(path).map_err(|e| not_created(path, e))?;
            }
            Err(error) => return Err(at_path(path, error)),
        }
        let path = fs::canonicalize(path).map_err(|e| at_path(path, e))?;
        Ok(Folder { path })
    }

    /// The folder that contains a store's file.
    pub(in crate::store) fn of(file: &Path) -> Option<Folder> {
        let path = file.parent()?.to_owned();
        Some(Folder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file of one generation.
    pub(crate) fn generation_file(&self, generation: u64) -> PathBuf {
        self.path.join(generation_name(generation))
    }

    /// The folder of derived side files. Deleting it costs time, never data.
    pub(crate) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// The generations in the folder at this moment.
    pub(in crate::store) fn seen(&self) -> Result<Seen> {
        let file = self.path.join(CURRENT);
        let named = match only_plain(&file).and_then(|()| fs::read(&file)) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                match text.trim().parse() {
                    Ok(number) if number > 0 => CurrentFile::Generation(number),
                    _ => CurrentFile::Unreadable,
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => CurrentFile::Nothing,
            Err(error) => return Err(at_path(&file, error)),
        };
        Ok(Seen {
            named,
            files: self.generations()?,
        })
    }

    /// The numbers of the generation files, sorted.
    pub(crate) fn generations(&self) -> Result<Vec<u64>> {
        let mut numbers: Vec<u64> = self
            .names()?
            .iter()
            .filter_map(|name| generation_of(name))
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The names of everything in the folder.
    pub(in crate::store) fn names(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(&self.path).map_err(|e| at_path(&self.path, e))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| at_path(&self.path, e))?;
            // A name that is not UTF-8 is not ours.
            names.extend(entry.file_name().into_string());
        }
        names.sort_unstable();
        Ok(names)
    }

    /// A path for a file that is not yet, or no longer, what its content says:
    /// `kind.number.unique.tmp`. No two calls of any process return the same.
    pub(in crate::store) fn temporary(&self, kind: &str, number: u64) -> PathBuf {
        let unique = uuid::Uuid::new_v4().simple();
        self.path.join(format!("{kind}.{number}.{unique}.tmp"))
    }

    /// Makes `CURRENT` name `generation`: written to a temporary file, synced, then
    /// renamed, so that a crash leaves the old name or the new one.
    ///
    /// The lock is the one held while a generation is marked as retired: if only live
    /// generations are named under it, the number never decreases.
    pub(in crate::store) fn set_current(&self, generation: u64, _lock: &SwapLock) -> Result<()> {
        let mut attempt = 0;
        loop {
            let temporary = self.temporary(CURRENT, generation);
            let mut file = private_file(&temporary).map_err(|e| at_path(&temporary, e))?;
            let written = file
                .write_all(format!("{generation}\n").as_bytes())
                .and_then(|()| file.sync_all());
            drop(file);
            let current = self.path.join(CURRENT);
            match written.and_then(|()| fs::rename(&temporary, &current)) {
                Ok(()) => break,
                // A cleanup took it for a file of a dead process.
                Err(error) if error.kind() == ErrorKind::NotFound && attempt < 10 => {
                    attempt += 1;
                }
                Err(error) => {
                    let _ = fs::remove_file(&temporary);
                    return Err(at_path(&current, error));
                }
            }
        }
        self.sync()
    }

    /// Waits for the lock for switching generations.
    pub(in crate::store) fn lock_swap(&self, busy_timeout: Duration) -> Result<SwapLock> {
        let who = "another process is putting a new generation in place";
        self.lock(SWAP_LOCK, busy_timeout, who).map(SwapLock)
    }

    /// Waits for the lock for building a generation.
    pub(in crate::store) fn lock_building(&self, busy_timeout: Duration) -> Result<BuildLock> {
        let who = "another process is compacting, erasing, rebuilding or restoring";
        self.lock(BUILD_LOCK, busy_timeout, who).map(BuildLock)
    }

    /// Waits for the lock for writing files for other stores.
    pub(crate) fn lock_pushing(&self, busy_timeout: Duration) -> Result<PushLock> {
        let who = "another process is writing files for other stores";
        self.lock(PUSH_LOCK, busy_timeout, who).map(PushLock)
    }

    fn lock(&self, name: &str, busy_timeout: Duration, who: &str) -> Result<FileLock> {
        let path = self.path.join(name);
        let file = private_file(&path).map_err(|e| at_path(&path, e))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FileLock(Some(file))),
                Err(fs::TryLockError::WouldBlock) if begun.elapsed() < busy_timeout => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(Error::new(ErrorCode::Busy, format!("{who}; try again")));
                }
                // As everywhere: without file locks, only one process may use the store.
                Err(fs::TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(FileLock(None));
                }
                Err(fs::TryLockError::Error(error)) => return Err(at_path(&path, error)),
            }
        }
    }

    /// The file locked by the next process in turn to write; `None` if it cannot be
    /// created, because turns are optional.
    pub(in crate::store) fn turn_file(&self) -> Option<fs::File> {
        private_file(&self.path.join(TURN_LOCK)).ok()
    }

    /// The same file if a process that opened the store has made it: whoever is still to find out
    /// whether there is a store makes none.
    pub(in crate::store) fn existing_turn_file(&self) -> Option<fs::File> {
        let path = self.path.join(TURN_LOCK);
        only_plain(&path).ok()?;
        fs::OpenOptions::new().write(true).open(path).ok()
    }

    /// Makes renames and new files in the folder durable.
    pub(crate) fn sync(&self) -> Result<()> {
        #[cfg(unix)]
        fs::File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(|e| at_path(&self.path, e))?;
        Ok(())
    }

    /// Whether a store with events was here: it has side files, or a generation was built.
    pub(in crate::store) fn was_used(&self) -> bool {
        self.index().exists() || self.path.join(BUILD_LOCK).exists()
    }

    /// The total size of the store's files, in bytes.
    ///
    /// # Errors
    /// `io` if the folder cannot be listed.
    pub(crate) fn size_bytes(&self) -> Result<u64> {
        bytes_below(&self.path)
    }

    /// The size of the newest generation and of the side files, in bytes. Copies that are being
    /// made and files that wait for their removal do not count.
    ///
    /// # Errors
    /// `io` if the folder cannot be listed.
    pub(crate) fn live_bytes(&self) -> Result<u64> {
        let newest = self.generations()?.last().copied();
        let file = newest.and_then(|number| fs::metadata(self.generation_file(number)).ok());
        Ok(file.map_or(0, |file| file.len()) + bytes_below(&self.index())?)
    }

    /// Refuses a network or synced folder, where file locks or concurrent writes from
    /// several machines are unreliable.
    pub(crate) fn check_place(&self) -> Result<()> {
        if let Some(kind) = network_file_system(&self.path) {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "{} is on a network file system ({kind}), where file locks are not reliable; \
                     choose a local folder, or allow it with `allow_network_folder`",
                    self.path.display()
                ),
            )
            .with_argument("path"));
        }
        const SYNCED: &[&str] = &[
            "Dropbox",
            "OneDrive",
            "Google Drive",
            "GoogleDrive",
            "iCloud Drive",
            "Mobile Documents",
            "Nextcloud",
        ];
        let synced = self.path.components().find_map(|part| {
            let part = part.as_os_str().to_string_lossy().into_owned();
            SYNCED
                .iter()
                .find(|name| part == **name || part.starts_with(&format!("{name} -")))
                .copied()
        });
        if let Some(service) = synced {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "{} is in a folder synchronised by {service}, which can corrupt a store; \
                     choose another folder, or allow it with `allow_network_folder`",
                    self.path.display()
                ),
            )
            .with_argument("path"));
        }
        Ok(())
    }
}

/// The size of the files in a folder and in those below; 0 if there is no such folder.
fn bytes_below(path: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in unless_gone(path, fs::read_dir(path))?.into_iter().flatten() {
        let entry = entry.map_err(|error| at_path(path, error))?;
        // Other processes remove files meanwhile.
        match unless_gone(&entry.path(), entry.metadata())? {
            Some(found) if found.is_dir() => bytes += bytes_below(&entry.path())?,
            Some(found) => bytes += found.len(),
            None => {}
        }
    }
    Ok(bytes)
}

fn unless_gone<T>(path: &Path, found: std::io::Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(at_path(path, error)),
    }
}

fn at_path(path: &Path, error: std::io::Error) -> Error {
    about_file(path)(error).with_argument("path")
}

fn not_created(path: &Path, error: std::io::Error) -> Error {
    if error.kind() == ErrorKind::AlreadyExists {
        let path = path.display();
        return Error::invalid("path", format_args!("{path} is a link that leads nowhere"));
    }
    at_path(path, error)
}

/// A path beside another one, for what gets that name once it is complete. No two calls of any
/// process return the same, and nobody can guess it.
pub(crate) fn partial_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!("{PARTIAL}{}", uuid::Uuid::new_v4().simple()));
    path.with_file_name(name)
}

/// Part of the names that [`partial_beside`] gives.
pub(crate) const PARTIAL: &str = ".partial-";

/// A new folder that only its owner can read, under the name of [`partial_beside`]. Whatever somebody
/// puts in its place is neither removed nor renamed.
#[derive(Debug)]
pub(crate) struct PartialFolder {
    path: PathBuf,
    /// Open, so that no other folder gets its number, and what tells it; `None` where a path does
    /// not identify a folder.
    made: Option<(fs::File, Placed)>,
}

impl PartialFolder {
    pub(crate) fn beside(path: &Path) -> std::io::Result<PartialFolder> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let path = partial_beside(path);
        builder.create(&path)?;
        let made = fs::File::open(&path).ok().and_then(|open| {
            let placed = Placed::of(&open, &path)?;
            Some((open, placed))
        });
        Ok(PartialFolder { path, made })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn is_in_place(&self) -> bool {
        !self.path.is_symlink()
            && self
                .made
                .as_ref()
                .is_none_or(|(_, placed)| placed.is_at(&self.path))
    }

    /// Fails if the path no longer leads to the folder.
    pub(crate) fn check_place(&self) -> Result<()> {
        match self.is_in_place() {
            true => Ok(()),
            false => Err(Error::new(
                ErrorCode::Io,
                format!(
                    "{} was moved, removed or replaced while it was written; try again",
                    self.path.display()
                ),
            )),
        }
    }

    /// Gives it the name of what is complete. If that fails, nothing has the name.
    pub(crate) fn rename(&self, path: &Path) -> Result<()> {
        self.check_place()?;
        let named = fs::rename(&self.path, path).and_then(|()| {
            sync_name(path).inspect_err(|_| {
                let _ = fs::rename(path, &self.path);
            })
        });
        named.map_err(|e| at_path(path, e))
    }

    pub(crate) fn remove(&self) {
        if self.is_in_place() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Makes the name of a finished file or folder durable.
pub(crate) fn sync_name(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        match fs::File::open(parent.unwrap_or(Path::new("."))) {
            // Where one may write without reading, the system decides when.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
            folder => folder?.sync_all()?,
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Refuses anything but a regular file in the place of one of ours: a link would redirect
/// writes, and a pipe would block for ever. A missing file is fine.
pub(in crate::store) fn only_plain(path: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(std::io::Error::new(
            ErrorKind::InvalidData,
            "a link, pipe or folder is where the store keeps a file; remove it",
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a file that only its owner can read.
pub(crate) fn private_file(path: &Path) -> std::io::Result<fs::File> {
    only_plain(path)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// The type of the network file system that contains the path, if the system reports it
/// (Linux: the mount table; Windows: the path).
fn network_file_system(path: &Path) -> Option<String> {
    const NETWORK: &[&str] = &[
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "fuse.rclone",
    ];
    // A path in its canonical form begins with the share that a drive stands for.
    if let Some(std::path::Component::Prefix(prefix)) = path.components().next()
        && matches!(
            prefix.kind(),
            std::path::Prefix::UNC(..) | std::path::Prefix::VerbatimUNC(..)
        )
    {
        return Some(prefix.as_os_str().to_string_lossy().into_owned());
    }
    if !cfg!(target_os = "linux") {
        return None;
    }
    let table = fs::read_to_string("/proc/self/mounts").ok()?;
    // The longest mount point that is a prefix of the path is the one that contains it.
    table
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let (_, point, kind) = (fields.next()?, fields.next()?, fields.next()?);
            path.starts_with(point.replace("\\040", " "))
                .then_some((point.len(), kind))
        })
        .max_by_key(|(length, _)| *length)
        .filter(|(_, kind)| NETWORK.contains(kind))
        .map(|(_, kind)| kind.to_owned())
}
