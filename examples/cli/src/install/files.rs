//! Files of other programs: read as a whole, written as a whole or not at all.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// The text of a file; `None` when there is none. A pipe is not waited for.
pub(super) fn read(path: &Path) -> Outcome<Option<String>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unreadable(path, "it is no file")),
        _ => {}
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(unreadable(path, "it is not in UTF-8"))
        }
        Err(error) => Err(Failure::io(path, &error)),
    }
}

/// Puts a file in the place of another in one step, with its permissions. A link is
/// followed, so that configurations kept elsewhere stay there.
pub(super) fn write(path: &Path, text: &str) -> Outcome {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".recallite-{}", std::process::id()));
    let partial: PathBuf = folder.join(name);
    let written = (|| {
        let mut file = fs::File::create(&partial)?;
        file.write_all(text.as_bytes())?;
        if let Ok(metadata) = fs::metadata(path) {
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

/// The refusal to touch a file that another program could not read either.
pub(super) fn unreadable(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::said(format!(
        "{} cannot be read ({why}), and was left as it is; mend it and repeat",
        path.display()
    ))
}
