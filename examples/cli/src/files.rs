//! Small files, of other programs and our own, read and written as a whole.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// No configuration of a program is larger, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a file; `None` if it does not exist. Does not block on a pipe, nor read a device
/// that never ends.
pub(crate) fn read(path: &Path) -> Outcome<Option<String>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unreadable(path, "not a regular file")),
        Ok(metadata) if metadata.len() > MOST_BYTES => return Err(unreadable(path, "too large")),
        _ => {}
    }
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

fn put(path: &Path, text: &str, is_private: bool) -> Outcome {
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
    name.push(format!(".recallite-{}", std::process::id()));
    let partial: PathBuf = folder.join(name);
    let written = (|| {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if is_private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(&partial)?;
        file.write_all(text.as_bytes())?;
        if !is_private && let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&partial, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(failed)
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
