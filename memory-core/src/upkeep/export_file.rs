//! Files that exports are written to.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::upkeep::export::refuse_inside;

/// Buffer size for writing, in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// A file for an export, which on Unix only its owner can read.
///
/// [`Memory::create_export`](crate::Memory::create_export) and
/// [`Memory::replace_export`](crate::Memory::replace_export) make one. It is complete once
/// [`finish`](ExportFile::finish) has returned; if it is dropped before, nothing of it is left.
#[derive(Debug)]
pub struct ExportFile {
    path: PathBuf,
    /// Where it is written until it is complete.
    written: PathBuf,
    writer: BufWriter<File>,
    is_finished: bool,
}

impl ExportFile {
    /// A file that did not exist.
    pub(crate) fn create(engine: &Engine, path: &Path) -> Result<ExportFile> {
        refuse_inside(engine, path)?;
        ExportFile::new(path.to_owned(), path.to_owned())
    }

    /// A file that takes the place of another one once it is complete.
    pub(crate) fn replace(engine: &Engine, path: &Path) -> Result<ExportFile> {
        refuse_inside(engine, path)?;
        // What a link leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        refuse_inside(engine, &path)?;
        match fs::metadata(&path) {
            // A pipe or a terminal.
            Ok(found) if !found.is_file() && !found.is_dir() => {
                let file = File::options().write(true).open(&path);
                let file = file.map_err(|cause| on(&path, cause))?;
                Ok(ExportFile::of(path.clone(), path, file, true))
            }
            Ok(found) if found.is_dir() => {
                let problem = format_args!("{} is a folder, not a file", path.display());
                Err(Error::invalid("path", problem))
            }
            _ => {
                static TURN: AtomicU64 = AtomicU64::new(0);
                let turn = TURN.fetch_add(1, Ordering::Relaxed);
                let mut name = path.file_name().unwrap_or_default().to_owned();
                name.push(format!(".partial-{}-{turn}", std::process::id()));
                let written = path.with_file_name(name);
                ExportFile::new(path, written)
            }
        }
    }

    fn new(path: PathBuf, written: PathBuf) -> Result<ExportFile> {
        let mut options = File::options();
        options.write(true).create_new(true);
        // An export contains what the store contains.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&written).map_err(|cause| on(&path, cause))?;
        Ok(ExportFile::of(path, written, file, false))
    }

    fn of(path: PathBuf, written: PathBuf, file: File, is_finished: bool) -> ExportFile {
        ExportFile {
            path,
            written,
            writer: BufWriter::with_capacity(BUFFER_BYTES, file),
            is_finished,
        }
    }

    /// Writes what is buffered, down to the disk, and gives the file its name.
    ///
    /// # Errors
    /// `full`, `io` or `permission_denied`; nothing of the file is left then, and a file that
    /// it would have replaced is unchanged.
    pub fn finish(mut self) -> Result<()> {
        let finished = (|| {
            self.writer.flush()?;
            let file = self.writer.get_ref();
            if file.metadata()?.is_file() {
                file.sync_all()?;
            }
            match self.written == self.path {
                true => Ok(()),
                false => fs::rename(&self.written, &self.path),
            }
        })();
        self.is_finished |= finished.is_ok();
        finished.map_err(|cause| on(&self.path, cause))
    }

    /// Adds the path to a failed write.
    fn at(&self, cause: io::Error) -> io::Error {
        let problem = format!("{}: {cause}", self.path.display());
        io::Error::new(cause.kind(), problem)
    }
}

impl Write for ExportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        written.map_err(|cause| self.at(cause))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        flushed.map_err(|cause| self.at(cause))
    }
}

impl Drop for ExportFile {
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
    let code = match cause.kind() {
        io::ErrorKind::AlreadyExists => ErrorCode::AlreadyExists,
        kind => ErrorCode::of_io(kind),
    };
    Error::new(code, format!("path: {}: {cause}", path.display()))
        .with_argument("path")
        .with_source(cause)
}
