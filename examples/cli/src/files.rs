//! Small files, of other programs and our own, read and written as a whole.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// No configuration of a program is larger, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a file; `None` if it does not exist. Does not block on a pipe, nor read a device
/// that never ends.
pub(crate) fn read(path: &Path) -> Outcome<Option<String>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unreadable(path, "not a regular file")),
        Ok(metadata) if metadata.len() > MAX_BYTES => return Err(unreadable(path, "too large")),
        _ => {}
    }
    leads_somewhere(path)?;
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(unreadable(path, "not valid UTF-8"))
        }
        Err(error) => Err(Failure::io(path, &error)),
    }
}

/// Replaces a file atomically, keeping its permissions. A link is followed, so that a configuration
/// that is kept elsewhere stays there.
pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    put(path, text, false)
}

/// Like [`write`], but readable only by the owner, whatever its permissions were.
pub(crate) fn write_private(path: &Path, text: &str) -> Outcome {
    put(path, text, true)
}

/// Whether a path lies in a folder, whatever links lead there. What does not exist yet is where it
/// would be created.
pub(crate) fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let found = absolute.ancestors().find_map(|there| {
            let rest = absolute.strip_prefix(there).ok()?;
            Some(there.canonicalize().ok()?.join(rest))
        });
        found.unwrap_or(absolute)
    };
    real(path).starts_with(real(folder))
}

/// Between the name of a file and the number of the process that writes it.
const UNFINISHED: &str = ".recallite-";

/// The end of the name under which this process writes a file until it is complete.
fn unfinished() -> String {
    format!("{UNFINISHED}{}", std::process::id())
}

/// Whether a path is that of a file that a process of this program did not finish.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let process = name.rsplit_once(UNFINISHED).map(|(_, process)| process);
    process.is_some_and(|process| process.parse::<u32>().is_ok())
}

fn put(path: &Path, text: &str, is_private: bool) -> Outcome {
    leads_somewhere(path)?;
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| match link_to_nothing(folder) {
        Some(link) => Failure::said(format!(
            "{} links to a folder that does not exist; create that folder or remove the link",
            link.display()
        )),
        None => failed(error),
    })?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(unfinished());
    let partial: PathBuf = folder.join(name);
    let kept = fs::metadata(path).ok().filter(|_| !is_private);
    let kept = kept.map(|metadata| metadata.permissions());
    let written = (|| {
        // Until the permissions are those of the old text, which may be private, only the owner
        // reads it.
        let mut file = new_file(&partial, is_private || kept.is_some())?;
        file.write_all(text.as_bytes())?;
        if let Some(kept) = kept {
            file.set_permissions(kept)?;
        }
        file.sync_all()?;
        fs::rename(&partial, path)?;
        sync_folder(path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(failed)
}

/// A file, readable only by its owner, that gets its name once it is complete. If it is dropped
/// before, nothing of it is left.
pub(crate) struct NewFile {
    path: PathBuf,
    /// Where it is written until it is complete.
    written: PathBuf,
    file: fs::File,
}

impl NewFile {
    /// Begins a file with this path.
    pub(crate) fn beside(path: &Path) -> std::io::Result<NewFile> {
        let mut written = path.as_os_str().to_owned();
        written.push(unfinished());
        let written = PathBuf::from(written);
        Ok(NewFile {
            file: new_file(&written, true)?,
            path: path.to_owned(),
            written,
        })
    }

    /// Writes it down to the disk and gives it its name, unless there is such a file by now.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        self.file.sync_all()?;
        match fs::hard_link(&self.written, &self.path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            Ok(()) => {}
            // Not every file system has links. A name that is reserved is nobody else's.
            Err(_) => {
                drop(fs::File::create_new(&self.path)?);
                fs::rename(&self.written, &self.path)?;
            }
        }
        sync_folder(&self.path)
    }
}

impl std::io::Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // The caller writes to several places, and the system does not say which failed.
        let told = |error: std::io::Error| {
            let message = format!("{}: {error}", self.path.display());
            std::io::Error::new(error.kind(), message)
        };
        self.file.write(bytes).map_err(told)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // It has its name, or is useless.
        let _ = fs::remove_file(&self.written);
    }
}

/// Makes the names in a file's folder durable, on systems that can.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    let _ = path;
    Ok(())
}

/// Creates a file anew, whatever an earlier process left there.
fn new_file(path: &Path, is_private: bool) -> std::io::Result<fs::File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(path)
}

/// Fails for a dangling link: whoever made it keeps the file elsewhere.
fn leads_somewhere(path: &Path) -> Outcome {
    match link_to_nothing(path) == Some(path) {
        true => Err(Failure::said(format!(
            "{} links to a file that does not exist; create that file or remove the link",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// The folder on this path, the last one included, that is a dangling link.
fn link_to_nothing(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .find(|place| place.is_symlink() && !place.exists())
}

/// The error for a file that its own program could not read either.
pub(crate) fn unreadable(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::said(format!(
        "cannot read {} ({why}); it was left as it is, fix it and try again",
        path.display()
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_may_be_private_is_never_in_a_file_that_others_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml.recallite-1");
        // Left behind by a process that was killed.
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let file = new_file(&path, true).unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode, fs::read(&path).unwrap().len()), (0o600, 0));
    }

    #[test]
    fn a_path_lies_where_its_links_lead() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        fs::create_dir(&store).unwrap();
        std::os::unix::fs::symlink(&store, folder.path().join("link")).unwrap();
        for inside in ["store", "store/x", "store/new/x", "link/x", "link/new/x"] {
            assert!(lies_in(&folder.path().join(inside), &store), "{inside}");
            let through_link = folder.path().join("link");
            assert!(lies_in(&folder.path().join(inside), &through_link));
        }
        for outside in ["", "x", "new/x", "store-2/x", "store/../x"] {
            assert!(!lies_in(&folder.path().join(outside), &store), "{outside}");
        }
    }

    #[test]
    fn a_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for mode in [0o600, 0o644] {
            fs::write(&path, "token").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, "token, ours").unwrap();
            let kept = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(kept, mode);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
