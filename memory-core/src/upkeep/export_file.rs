//! The file that an export is written to: new or replaced, whole or gone.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::shown::place;
use crate::store::generations::folder::{partial_beside, sync_name};
use crate::store::running::Running;
use crate::upkeep::export::{self, ExportFilter, Exported, refuse_inside};

/// Buffer size for writing, in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// Where an export is written: a file that, on Unix, only its owner can read.
///
/// ```
/// # use recallite::{ExportFile, ExportFilter, Memory};
/// # let folder = tempfile::tempdir()?;
/// # let memory = Memory::open(folder.path().join("store"))?;
/// # let path = folder.path().join("export.jsonl");
/// let nightly = ExportFile::new(&path).replacing();
/// memory.export_jsonl_to(&nightly, &ExportFilter::Whole)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ExportFile<'a> {
    path: &'a Path,
    replaces: bool,
}

impl<'a> ExportFile<'a> {
    /// A file that does not exist yet.
    pub fn new(path: &'a Path) -> Self {
        ExportFile {
            path,
            replaces: false,
        }
    }

    /// Replaces an existing file once the export is complete; until then, and if it fails,
    /// that file stays as it is. A pipe is written to.
    #[must_use]
    pub fn replacing(mut self) -> Self {
        self.replaces = true;
        self
    }
}

/// [`Memory::export_jsonl_to`](crate::Memory::export_jsonl_to).
pub(crate) fn export(
    engine: &Engine,
    to: &ExportFile<'_>,
    filter: &ExportFilter,
    running: &Running,
) -> Result<Exported> {
    let mut file = match to.replaces {
        true => NewFile::replace(engine, to)?,
        false => NewFile::create(engine, to)?,
    };
    let writer = BufWriter::with_capacity(BUFFER_BYTES, &mut file);
    let (exported, missing) = export::write(engine, writer, filter, running)?;
    if missing.is_empty() {
        file.finish()?;
        return Ok(exported);
    }
    // An older export may contain what is lost now.
    let is_kept = exported.events > 0 && !file.would_replace();
    if is_kept {
        file.finish()?;
    }
    Err(export::incomplete(&missing, exported.events, is_kept))
}

/// A file that is complete once it is finished; if it is dropped before, nothing of it is left.
struct NewFile {
    path: PathBuf,
    /// Where it is written until it is complete: a process that is killed leaves no half file under
    /// its name.
    written: PathBuf,
    file: File,
    replaces: bool,
    is_finished: bool,
}

impl NewFile {
    /// A file that did not exist.
    fn create(engine: &Engine, to: &ExportFile<'_>) -> Result<Self> {
        refuse_inside(engine, to.path)?;
        if to.path.symlink_metadata().is_ok() {
            return Err(on(to.path, io::ErrorKind::AlreadyExists.into()));
        }
        NewFile::new(to, to.path.to_owned(), partial_beside(to.path))
    }

    /// A file that takes the place of another one once it is complete.
    fn replace(engine: &Engine, to: &ExportFile<'_>) -> Result<Self> {
        refuse_inside(engine, to.path)?;
        // What a link leads to is replaced, not the link.
        let path = to.path.canonicalize();
        let path = path.unwrap_or_else(|_| to.path.to_owned());
        refuse_inside(engine, &path)?;
        match fs::metadata(&path) {
            // A pipe or a terminal.
            Ok(found) if !found.is_file() && !found.is_dir() => {
                let file = File::options().write(true).open(&path);
                let file = file.map_err(|cause| on(&path, cause))?;
                Ok(NewFile::of(to, path.clone(), path, file, true))
            }
            Ok(found) if found.is_dir() => {
                let problem = format_args!("{} is a folder, not a file", path.display());
                Err(Error::invalid("path", problem))
            }
            _ => {
                let written = partial_beside(&path);
                NewFile::new(to, path, written)
            }
        }
    }

    fn new(to: &ExportFile<'_>, path: PathBuf, written: PathBuf) -> Result<Self> {
        let mut options = File::options();
        options.write(true).create_new(true);
        // An export contains what the store contains.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&written).map_err(|cause| on(&path, cause))?;
        Ok(NewFile::of(to, path, written, file, false))
    }

    fn of(
        to: &ExportFile<'_>,
        path: PathBuf,
        written: PathBuf,
        file: File,
        is_finished: bool,
    ) -> Self {
        NewFile {
            path,
            written,
            file,
            replaces: to.replaces,
            is_finished,
        }
    }

    fn would_replace(&self) -> bool {
        self.replaces && self.written != self.path && self.path.exists()
    }

    /// Writes it down to the disk and gives it its name.
    fn finish(mut self) -> Result<()> {
        let finished = (|| {
            if !self.file.metadata()?.is_file() {
                return Ok(());
            }
            self.file.sync_all()?;
            match self.replaces {
                true if self.written == self.path => sync_name(&self.path),
                true => {
                    fs::rename(&self.written, &self.path)?;
                    sync_name(&self.path)
                }
                false => name_new(&self.written, &self.path),
            }
        })();
        self.is_finished |= finished.is_ok();
        finished.map_err(|cause| on(&self.path, cause))
    }

    /// Adds the path to a failed write.
    fn at(&self, cause: io::Error) -> io::Error {
        let problem = format!("{}: {cause}", place(&self.path));
        io::Error::new(cause.kind(), problem)
    }
}

/// Gives a file its name, unless there is another one by now. If it fails, nothing has the name, so
/// that the same call can be made again.
fn name_new(written: &Path, path: &Path) -> io::Result<()> {
    let named = match fs::hard_link(written, path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Err(cause),
        // Not every file system has links. A name that is reserved is nobody else's.
        Err(_) => {
            drop(File::create_new(path)?);
            fs::rename(written, path)
        }
        Ok(()) => fs::remove_file(written),
    };
    named
        .and_then(|()| sync_name(path))
        .inspect_err(|_| drop(fs::remove_file(path)))
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|cause| self.at(cause))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        flushed.map_err(|cause| self.at(cause))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // Half an export is useless. If it cannot be removed, its missing end shows that
            // it is truncated.
            let _ = fs::remove_file(&self.written);
        }
    }
}

/// An I/O error that names the file.
pub(super) fn on(path: &Path, cause: io::Error) -> Error {
    let (code, problem) = match cause.kind() {
        io::ErrorKind::AlreadyExists => (
            ErrorCode::AlreadyExists,
            "there is a file already; choose another name, or set `replace`".to_owned(),
        ),
        kind => (ErrorCode::of_io(kind), cause.to_string()),
    };
    Error::new(code, format!("{}: {problem}", place(path)))
        .about("path")
        .with_source(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use crate::model::event::{EventKind, NewEvent};
    use crate::upkeep::select::Selector;

    #[test]
    fn what_can_be_read_of_a_damaged_log_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path().join("store")).unwrap();
        for text in ["one", "two", "three"] {
            let event = NewEvent::new(EventKind::UserPrompt, "s", text);
            memory.append(event).unwrap();
        }
        let older = folder.path().join("older.jsonl");
        memory.export_jsonl_file(&older, None, false).unwrap();
        let before = fs::read(&older).unwrap();
        let engine = &memory.engine;
        let damaged = engine.store.write(|tx| tx.damage_record_for_test(2));
        damaged.unwrap();

        let new = folder.path().join("new.jsonl");
        let error = memory.export_jsonl_file(&new, None, false).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Corrupt);
        assert!(
            error.message().contains("the other 2 were written"),
            "{error}"
        );
        let other = Memory::open(folder.path().join("other")).unwrap();
        assert_eq!(other.import_jsonl_file(&new).unwrap().events, 2);

        // So it is if a selection has the lost record.
        let session = folder.path().join("session.jsonl");
        let selector = Selector::new().session("s");
        let error = memory
            .export_jsonl_file(&session, Some(&selector), false)
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::Corrupt);
        let saved = Memory::open(folder.path().join("saved")).unwrap();
        assert_eq!(saved.import_jsonl_file(&session).unwrap().events, 2);

        // The lost record is not among the selected ones, and no other is read.
        let part = folder.path().join("part.jsonl");
        let some = Selector::new().ids([1, 3].map(crate::model::ids::Seq));
        let exported = memory.export_jsonl_file(&part, Some(&some), false).unwrap();
        assert_eq!(exported.events, 2);
        let other = Memory::open(folder.path().join("third")).unwrap();
        assert_eq!(other.import_jsonl_file(&part).unwrap().events, 2);

        // An older export may hold what is lost now.
        let error = memory.export_jsonl_file(&older, None, true).unwrap_err();
        assert!(error.message().contains("was not replaced"), "{error}");
        assert_eq!(fs::read(&older).unwrap(), before);
        let names = fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 8, "a partial file is left");
    }
}
