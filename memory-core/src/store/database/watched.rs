//! Watches the engine's file: notes its first failure, so that errors say that reopening is
//! needed and the next opening heals the store.
//!
//! After a failed read or write, the engine refuses everything until its file is reopened.
//! Handles and iterators of a process share one opened file, so closing one of them reopens
//! nothing: [`crate::store::Store::open`] asks [`Database::is_sound`] and replaces an unsound
//! database.

use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use redb::{BackendError, Builder, StorageBackend};

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::error::LOCK_WAIT_ENDED;
use crate::store::database::open_files::Placed;
use crate::store::database::panics::{
    catch_panic, catch_panic_or, damaged_because, drop_quietly, take_damage,
};

/// What the backend returns to calls on an abandoned file.
const GIVEN_UP: &str = "the store file was reopened in the meantime";

/// An open store file.
#[derive(Debug)]
pub(crate) struct Database {
    /// Present until the drop.
    inner: Option<redb::Database>,
    watch: Arc<Watch>,
    was_repaired: bool,
    process: u32,
    /// The file, if it can be recognised by its name.
    file: Option<Placed>,
}

/// Below this progress, the engine's repair reports that it fell back by one commit.
const GOES_BACK: f64 = 0.5;

impl Database {
    /// Opens the file of a backend, or initialises an empty one.
    ///
    /// After a crash, the engine checks its last commit and falls back to the one before if
    /// that is incomplete, unless it was synced before it became the last. Pages of such a
    /// commit that do not match their sums are not damage.
    pub(in crate::store) fn open(
        builder: &mut Builder,
        backend: impl StorageBackend,
    ) -> Result<Self> {
        let was_repaired = Arc::new(AtomicBool::new(false));
        let repaired = was_repaired.clone();
        builder.set_repair_callback(move |repair| {
            repaired.store(true, Ordering::Relaxed);
            if repair.progress() < GOES_BACK {
                take_damage();
            }
        });
        let watch = Arc::new(Watch {
            backend: Box::new(backend),
            failure: OnceLock::new(),
            has_asserted: AtomicBool::new(false),
            has_stopped_writing: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        });
        let backend = Watched(watch.clone());
        Ok(Database {
            inner: Some(catch_panic(|| Ok(builder.create_with_backend(backend)?))?),
            watch,
            was_repaired: was_repaired.load(Ordering::Relaxed),
            process: std::process::id(),
            file: None,
        })
    }

    /// This database, whose file was opened by its name.
    pub(in crate::store) fn in_file(mut self, file: Option<Placed>) -> Self {
        self.file = file;
        self
    }

    /// Whether a path leads to its file.
    pub(in crate::store) fn is_at(&self, path: &Path) -> bool {
        self.file.is_none_or(|file| file.is_at(path))
    }

    pub(in crate::store) fn engine(&self) -> &redb::Database {
        self.inner
            .as_ref()
            .expect("only the drop takes the engine out")
    }

    /// Whether opening it read the whole file, because of a crash.
    pub(in crate::store) fn was_repaired(&self) -> bool {
        self.was_repaired
    }

    pub(in crate::store) fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// Shrinks the file as far as possible, if nothing prevents it.
    pub(in crate::store) fn compact(&mut self) {
        drop_quietly(|| drop(self.inner.as_mut().map(redb::Database::compact)));
    }

    /// Whether nothing has happened that requires reopening the file.
    pub(in crate::store) fn is_sound(&self) -> bool {
        self.watch.failure.get().is_none()
            && !self.watch.has_asserted.load(Ordering::Acquire)
            && !self.watch.is_given_up.load(Ordering::Acquire)
    }

    /// Runs a write, or a step of one. After an assertion in the middle of it, nothing is
    /// written until the file is reopened, because the engine's memory is in a half-changed
    /// state.
    pub(in crate::store) fn writing<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.watch.has_stopped_writing.load(Ordering::Acquire) {
            return Err(damaged_because(
                "an earlier write hit a damaged page, so writes are refused until the store is \
                 reopened",
            ));
        }
        let stop = || {
            self.watch.has_asserted.store(true, Ordering::Release);
            self.watch
                .has_stopped_writing
                .store(true, Ordering::Release);
        };
        catch_panic_or(work, stop).map_err(|error| self.watch.told(error))
    }

    /// False in a forked child, which has inherited it.
    pub(in crate::store) fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Abandons the file and releases its locks, so that it can be reopened while someone
    /// still holds this one: it reads and writes nothing from now on.
    pub(in crate::store) fn give_up(&self) {
        if !self.watch.is_given_up.swap(true, Ordering::AcqRel) {
            // Locks that cannot be released are released when the file is closed.
            let _ = self.watch.backend.close();
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // In a forked child, closing would overwrite what others wrote since with the
        // parent's state, so the inherited handle is leaked.
        let inner = self.inner.take();
        if self.is_of_this_process() {
            // Closing writes, and reads what may be damaged.
            drop_quietly(|| drop(inner));
        } else {
            std::mem::forget(inner);
        }
    }
}

const READING: &str = "reading";
const MEASURING: &str = "measuring";

/// The first failure of an open file.
#[derive(Debug)]
struct Failure {
    /// What failed, and how.
    what: String,
    kind: FailureKind,
    cause: std::io::ErrorKind,
}

impl Failure {
    /// The failure for those that the engine only tells that there was one.
    fn error(&self) -> Error {
        Error::new(ErrorCode::of_io(self.cause), self.what.clone())
            .with_source(std::io::Error::from(self.cause))
    }
}

#[derive(Clone, Copy, Debug)]
enum FailureKind {
    Reading,
    Writing,
    /// The disk had no room left.
    Full,
}

/// The failures of an open file.
#[derive(Debug)]
pub(in crate::store) struct Watch {
    backend: Box<dyn StorageBackend>,
    failure: OnceLock<Failure>,
    /// Whether an assertion of the engine failed: its locks may be poisoned, so the next
    /// opening reopens the file.
    has_asserted: AtomicBool,
    has_stopped_writing: AtomicBool,
    is_given_up: AtomicBool,
}

impl Watch {
    /// Runs a step of reading, and converts its error.
    pub(in crate::store) fn reading<T>(&self, step: impl FnOnce() -> Result<T>) -> Result<T> {
        catch_panic_or(step, || self.has_asserted.store(true, Ordering::Release))
            .map_err(|error| self.told(error))
    }

    /// Converts an engine error for the caller: even the first one after a failure of the
    /// file says that reopening is needed.
    pub(in crate::store) fn told(&self, error: Error) -> Error {
        match error.code() {
            ErrorCode::Io | ErrorCode::Full | ErrorCode::NeedsReopen => {}
            ErrorCode::Poisoned => {
                self.has_asserted.store(true, Ordering::Release);
                return error;
            }
            _ => return error,
        }
        const ADVICE: &str = "open the store again, then repeat the call";
        const ABOUT_EVENTS: &str =
            ": an event that did reach the disk is recognised as a duplicate";
        let (what, first, then) = match self.failure.get() {
            Some(failure) => match failure.kind {
                FailureKind::Full => (&*failure.what, "make room on the disk, ", ABOUT_EVENTS),
                FailureKind::Writing => (&*failure.what, "", ABOUT_EVENTS),
                FailureKind::Reading => (&*failure.what, "", ""),
            },
            None if self.is_given_up.load(Ordering::Acquire) => (GIVEN_UP, "", ABOUT_EVENTS),
            None => return error,
        };
        let message = format!("{what}; {first}{ADVICE}{then}");
        let cause = match self.failure.get() {
            Some(failure) if error.code() == ErrorCode::NeedsReopen => failure.error(),
            _ => error,
        };
        Error::new(ErrorCode::NeedsReopen, message).with_source(cause)
    }

    /// Runs an operation on the file, noting the first failure.
    fn operate<T>(
        &self,
        name: &str,
        work: impl FnOnce(&dyn StorageBackend) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        if self.is_given_up.load(Ordering::Acquire) {
            return Err(std::io::Error::other(GIVEN_UP));
        }
        work(&*self.backend).inspect_err(|error| self.note(name, error))
    }

    fn lock<T>(
        &self,
        work: impl FnOnce(&dyn StorageBackend) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        if self.is_given_up.load(Ordering::Acquire) {
            return Err(BackendError::Io(std::io::Error::other(GIVEN_UP)));
        }
        work(&*self.backend).inspect_err(|error| {
            if let BackendError::Io(error) = error {
                self.note("locking", error);
            }
        })
    }

    fn note(&self, name: &str, error: &std::io::Error) {
        // A slow process that holds a lock is not a failure of the file.
        if error.to_string() != LOCK_WAIT_ENDED {
            let _ = self.failure.set(Failure {
                what: format!("{name} the store's file failed ({error})"),
                cause: error.kind(),
                kind: match ErrorCode::of_io(error.kind()) {
                    ErrorCode::Full => FailureKind::Full,
                    _ if matches!(name, READING | MEASURING) => FailureKind::Reading,
                    _ => FailureKind::Writing,
                },
            });
        }
    }
}

/// The backend passed to the engine.
#[derive(Debug)]
struct Watched(Arc<Watch>);

impl StorageBackend for Watched {
    fn len(&self) -> std::io::Result<u64> {
        self.0.operate(MEASURING, |file| file.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.0.operate(READING, |file| file.read(offset, out))
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.0.operate("resizing", |file| file.set_len(len))
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.0.operate("syncing", |file| file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.0.operate("writing", |file| file.write(offset, data))
    }

    fn close(&self) -> std::io::Result<()> {
        // The file is closed already once it was abandoned.
        if self.0.is_given_up.load(Ordering::Acquire) {
            return Ok(());
        }
        self.0.backend.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.lock(|file| file.try_lock_range(start, end))
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.lock(|file| file.try_lock_shared_range(start, end))
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock(|file| file.lock_range(start, end))
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock(|file| file.lock_shared_range(start, end))
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        // All locks were released when the file was abandoned.
        if self.0.is_given_up.load(Ordering::Acquire) {
            return Ok(());
        }
        self.0.lock(|file| file.unlock_range(start, end))
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.lock(|file| file.query_lock_range(start, end))
    }
}
