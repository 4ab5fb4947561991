//! Opens the storage engine's file in one of its modes, and limits how long a call may wait
//! for another process's lock.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use redb::backends::FileBackend;
use redb::{BackendError, Builder, ConcurrencyMode, StorageBackend};

use crate::index::side_file::Wiped;
use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::store::database::error::LOCK_WAIT_ENDED;
use crate::store::database::open_files::{Listed, OpenFiles, Placed};
use crate::store::database::pages::{MARKED_BYTES, Pages, WRITER_LOCK, is_blank};
use crate::store::database::panics::WAY_OUT;
use crate::store::database::watched::Database;
use crate::store::generations::folder::only_plain;
use crate::store::generations::wiping::MAX_UNSYNCED;
use crate::store::meta::unreleased;

/// How one store file is opened. Every process must choose the same way.
pub(crate) trait Backend: Send + Sync + fmt::Debug {
    /// Opens the file. An empty or missing one is an error or, with `create`, the start of
    /// a new store file.
    fn open(&self, file: &Path, create: bool) -> Result<Database>;

    /// Whether each commit must save the allocator state so that opening after a crash is
    /// fast. The shared mode always does.
    fn wants_quick_repair(&self) -> bool;

    /// The files that it has open.
    fn open_files(&self) -> &OpenFiles;

    /// Overwrites and removes a file; leaves it alone while anyone has it open.
    fn remove(&self, file: &Path) -> Result<Wiped> {
        crate::store::generations::wiping::wipe(file, self.open_files())
    }

    /// Whether a file is still empty because its creation was interrupted.
    fn is_empty(&self, file: &Path) -> Result<bool> {
        is_empty_store(file).map_err(about_file(file))
    }
}

/// Several processes read and write the file concurrently (the default).
#[derive(Debug)]
pub(crate) struct SharedBackend {
    pub(crate) cache_bytes: usize,
    pub(crate) busy_timeout: Duration,
    open_files: OpenFiles,
}

impl SharedBackend {
    pub(crate) fn new(cache_bytes: usize, busy_timeout: Duration) -> Self {
        SharedBackend {
            cache_bytes,
            busy_timeout,
            open_files: OpenFiles::default(),
        }
    }
}

impl Backend for SharedBackend {
    fn open(&self, file: &Path, create: bool) -> Result<Database> {
        let open = open_file(file, create)?;
        let placed = Placed::of(&open, file);
        let backend = StoreFile::new(file, open, self.busy_timeout, &self.open_files)?;
        let mode = ConcurrencyMode::MultiWriter;
        let opened = open_database(file, create, self.cache_bytes, mode, backend);
        opened.map(|database| database.in_file(placed))
    }

    fn open_files(&self) -> &OpenFiles {
        &self.open_files
    }

    fn wants_quick_repair(&self) -> bool {
        false
    }
}

/// A single process owns the file.
#[derive(Debug)]
pub(crate) struct ExclusiveBackend {
    pub(crate) cache_bytes: usize,
    open_files: OpenFiles,
}

impl ExclusiveBackend {
    pub(crate) fn new(cache_bytes: usize) -> Self {
        ExclusiveBackend {
            cache_bytes,
            open_files: OpenFiles::default(),
        }
    }
}

impl Backend for ExclusiveBackend {
    fn open(&self, file: &Path, create: bool) -> Result<Database> {
        let open = open_file(file, create)?;
        let placed = Placed::of(&open, file);
        let backend = StoreFile::new(file, open, SHORT_LOCK_LIMIT, &self.open_files)?;
        let mode = ConcurrencyMode::ExclusiveWriter;
        let opened = open_database(file, create, self.cache_bytes, mode, backend);
        opened.map(|database| database.in_file(placed))
    }

    fn open_files(&self) -> &OpenFiles {
        &self.open_files
    }

    fn wants_quick_repair(&self) -> bool {
        true
    }
}

/// A store on a backend supplied by a test.
#[cfg(test)]
pub(crate) struct BackendEngine<F> {
    pub(crate) make: F,
    pub(in crate::store) open_files: OpenFiles,
}

#[cfg(test)]
impl<F> fmt::Debug for BackendEngine<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BackendEngine")
    }
}

#[cfg(test)]
impl<F, B> Backend for BackendEngine<F>
where
    F: Fn(&Path) -> B + Send + Sync,
    B: StorageBackend,
{
    fn open(&self, file: &Path, create: bool) -> Result<Database> {
        let mode = ConcurrencyMode::MultiWriter;
        open_database(file, create, 4 << 20, mode, (self.make)(file))
    }

    fn open_files(&self) -> &OpenFiles {
        &self.open_files
    }

    fn wants_quick_repair(&self) -> bool {
        false
    }
}

fn open_database(
    file: &Path,
    create: bool,
    cache_bytes: usize,
    mode: ConcurrencyMode,
    backend: impl StorageBackend,
) -> Result<Database> {
    let bytes = backend.len().map_err(about_file(file))?;
    // The engine would start a new store in an empty file.
    if !create && bytes == 0 {
        return Err(damaged(file, "it is empty"));
    }
    let mut builder = Builder::new();
    builder
        .set_cache_size(cache_bytes)
        .set_concurrency_mode(mode);
    let backend = Pages::new(backend).map_err(about_file(file))?;
    if backend.is_newer() {
        return Err(newer(file));
    }
    if let Some(begins) = backend.unmarked().map_err(about_file(file))? {
        return Err(match begins.starts_with(b"redb") {
            // The marks are at the end of the first page and the start of the second.
            true if bytes < MARKED_BYTES => damaged(file, "it is cut off"),
            true => unreleased(),
            false => damaged(file, "it is not a store of this library"),
        });
    }
    match Database::open(&mut builder, backend) {
        Ok(database) => Ok(database),
        Err(error) => {
            let foreign = matches!(error.code(), ErrorCode::Io | ErrorCode::Corrupt);
            if foreign && error.message().to_lowercase().contains("magic") {
                return Err(damaged(file, "it is not a store of this library"));
            }
            Err(match error.code() {
                ErrorCode::Corrupt => damaged(file, error.message()),
                code @ (ErrorCode::Io | ErrorCode::Full) => {
                    let message = format!("{}: {}", file.display(), error.message());
                    Error::new(code, message).with_source(error)
                }
                _ => error,
            })
        }
    }
}

/// The error for a file that only a newer library knows.
fn newer(file: &Path) -> Error {
    let text = format!(
        "{}: a newer library wrote it, in a version that this one does not know; update the library",
        file.display()
    );
    Error::new(ErrorCode::NewerFormat, text).with_argument("path")
}

/// The error for a file that cannot be opened. A store that is not open can be neither checked nor
/// rebuilt, so the remedy for an open one is left out.
fn damaged(file: &Path, what: &str) -> Error {
    let what = what.strip_suffix(WAY_OUT).unwrap_or(what);
    let what = what.trim_end_matches("; ");
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "{}: {what}; restore a backup, or move the folder away to start afresh",
            file.display()
        ),
    )
    .with_argument("path")
}

/// Puts `/dev/null` where a standard stream was closed. Otherwise the next file would become that
/// stream, and what the program prints would overwrite the store.
pub(in crate::store) fn fill_standard_streams() {
    #[cfg(unix)]
    {
        use std::os::fd::{AsRawFd, IntoRawFd};
        const LAST_STREAM: i32 = 2;
        while let Ok(nothing) = OpenOptions::new().read(true).write(true).open("/dev/null")
            && nothing.as_raw_fd() <= LAST_STREAM
        {
            let _ = nothing.into_raw_fd();
        }
    }
}

pub(in crate::store) fn open_file(path: &Path, create: bool) -> Result<File> {
    fill_standard_streams();
    only_plain(path).map_err(about_file(path))?;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create(create)
        .truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let open = options
        .open(path)
        .map_err(|error| not_writable(about_file(path)(error)))?;
    if create {
        return clear_interrupted(path, open).map_err(about_file(path));
    }
    Ok(open)
}

/// Adds to the error for a file that may not be written what its user can do: whoever only wants to
/// read does not expect it.
fn not_writable(error: Error) -> Error {
    match error.code() {
        ErrorCode::PermissionDenied => error.with_note(
            "opening a store writes to its file: make it writable, or copy the folder elsewhere and \
             open the copy",
        ),
        _ => error,
    }
}

/// The engine extends a file and writes its first page, then writes it again with its magic
/// bytes: nothing else can have been written before that.
const FIRST_PAGE: usize = 4_096;
const MAGIC_BYTES: usize = 9;
/// The engine initially extends a file to about 1 MB.
const MAX_BEGINNING_BYTES: u64 = 16 << 20;

fn is_empty_store(file: &Path) -> std::io::Result<bool> {
    only_plain(file)?;
    let length = std::fs::metadata(file)?.len();
    if length == 0 || length > MAX_BEGINNING_BYTES {
        return Ok(length == 0);
    }
    let bytes = std::fs::read(file)?;
    let (magic, rest) = (bytes.get(..MAGIC_BYTES), bytes.get(FIRST_PAGE..));
    let is_zero = |magic: &[u8]| magic.iter().all(|byte| *byte == 0);
    Ok(magic.is_some_and(is_zero) && rest.is_some_and(is_blank))
}

/// Removes what an interrupted creation wrote, unless someone is still at it.
fn clear_interrupted(path: &Path, file: File) -> std::io::Result<File> {
    if file.metadata()?.len() == 0 || !is_empty_store(path)? {
        return Ok(file);
    }
    let locks = FileBackend::new(file.try_clone()?).map_err(std::io::Error::other)?;
    let free = locks.try_lock_range(Bound::Unbounded, Bound::Unbounded);
    if matches!(free, Ok(true)) && is_empty_store(path)? {
        file.set_len(0)?;
    }
    if matches!(free, Ok(true)) {
        let _ = locks.unlock_range(Bound::Unbounded, Bound::Unbounded);
    }
    Ok(file)
}

/// Other locks are held for microseconds, but a process stopped while holding one must not
/// hang the others for ever.
const SHORT_LOCK_LIMIT: Duration = Duration::from_secs(30);

/// Reads a page; beyond the end of the file it is zero, like one that was never written.
/// Only a damaged pointer leads there, and the engine's checks reject the zeros, whereas it
/// takes a read error for a failing disk and stops all reading.
fn read_or_zeros(file: &FileBackend, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
    match file.read(offset, out) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            out.fill(0);
            let left = file.len()?.saturating_sub(offset);
            let there = usize::try_from(left).map_or(0, |left| left.min(out.len()));
            file.read(offset, &mut out[..there])
        }
        result => result,
    }
}

/// A file backend whose blocking lock calls time out, and which flushes a large transaction
/// in parts.
#[derive(Debug)]
struct StoreFile {
    inner: FileBackend,
    busy_timeout: Duration,
    unsynced: AtomicU64,
    /// Dropped after the file is closed.
    _listed: Option<Listed>,
}

impl StoreFile {
    fn new(path: &Path, file: File, busy_timeout: Duration, files: &OpenFiles) -> Result<Self> {
        let listed = files.begin_use(&file).map_err(|error| match error.kind() {
            std::io::ErrorKind::ResourceBusy => {
                Error::new(ErrorCode::Busy, "another thread is removing this file")
            }
            _ => about_file(path)(error),
        })?;
        Ok(StoreFile {
            inner: FileBackend::new(file)?,
            busy_timeout,
            unsynced: AtomicU64::new(0),
            _listed: listed,
        })
    }

    fn wait(
        &self,
        start: Bound<u64>,
        try_lock: impl Fn() -> Result<bool, BackendError>,
    ) -> Result<(), BackendError> {
        let limit = if start == Bound::Included(WRITER_LOCK) {
            self.busy_timeout
        } else {
            self.busy_timeout.max(SHORT_LOCK_LIMIT)
        };
        let begun = Instant::now();
        let mut pause = Duration::from_micros(20);
        while !try_lock()? {
            if begun.elapsed() >= limit {
                return Err(BackendError::Io(std::io::Error::new(
                    std::io::ErrorKind::TimedOut,
                    LOCK_WAIT_ENDED,
                )));
            }
            std::thread::sleep(pause);
            // Short pauses first: a commit takes about a millisecond.
            pause = (pause * 2).min(Duration::from_millis(2));
        }
        Ok(())
    }
}

impl StorageBackend for StoreFile {
    fn len(&self) -> std::io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        read_or_zeros(&self.inner, offset, out)
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.unsynced.store(0, Ordering::Relaxed);
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.inner.write(offset, data)?;
        let length = data.len() as u64;
        let unsynced = self.unsynced.fetch_add(length, Ordering::Relaxed) + length;
        match unsynced < MAX_UNSYNCED {
            true => Ok(()),
            false => self.sync_data(),
        }
    }

    fn close(&self) -> std::io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.wait(start, || self.inner.try_lock_range(start, end))
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.wait(start, || self.inner.try_lock_shared_range(start, end))
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::database::backend::*;

    /// Who only wants to read does not expect that opening writes.
    #[test]
    fn who_may_not_write_is_told_what_to_do() {
        for (kind, is_told) in [
            (std::io::ErrorKind::ReadOnlyFilesystem, true),
            (std::io::ErrorKind::PermissionDenied, true),
            (std::io::ErrorKind::NotFound, false),
        ] {
            let error = not_writable(std::io::Error::from(kind).into());
            let told = error.message().contains("open the copy");
            assert_eq!(told, is_told, "{error}");
        }
    }

    /// The wrapper recognises the writer lock by its position in the file.
    #[test]
    fn the_engine_locks_the_byte_of_its_writers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store");
        let engine = SharedBackend::new(1 << 20, Duration::from_millis(20));
        let database = engine.open(&file, true).unwrap();
        let other = FileBackend::new(open_file(&file, false).unwrap()).unwrap();
        let byte = (Bound::Included(WRITER_LOCK), Bound::Included(WRITER_LOCK));
        let is_free = || {
            let got = other.try_lock_range(byte.0, byte.1).unwrap();
            if got {
                other.unlock_range(byte.0, byte.1).unwrap();
            }
            got
        };
        assert!(is_free());
        let transaction = database.engine().begin_write().unwrap();
        assert!(!is_free(), "a writer of the engine locks another byte");
        transaction.abort().unwrap();
        assert!(is_free());
    }
}
