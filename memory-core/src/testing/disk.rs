//! A disk in memory that records every write between two syncs, can make the
//! image that a crash would leave, and can fail at any operation.

use std::collections::HashMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use redb::{BackendError, StorageBackend};

/// One change of the file that a sync has not made durable yet.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write { offset: usize, data: Vec<u8> },
    Length(usize),
}

/// What happened to the file, in order.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Change(Change),
    Sync,
    /// A mark of the test: that many events are acknowledged now.
    Acknowledged(u64),
}

/// The error that a failing disk gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    InputOutput,
    NoSpace,
}

/// Which operation fails; disks of one folder share it.
#[derive(Debug, Default)]
struct Plan {
    operations: u64,
    /// From which operation on it fails, whether once or for ever, and how.
    fault: Option<(u64, bool, Fault)>,
}

impl Plan {
    /// Counts an operation, which may be the one that fails.
    fn operate(&mut self) -> std::io::Result<()> {
        let now = self.operations;
        self.operations += 1;
        match self.fault {
            Some((at, for_ever, fault)) if now == at || (for_ever && now > at) => {
                Err(match fault {
                    Fault::InputOutput => std::io::Error::other("injected I/O error"),
                    Fault::NoSpace => std::io::Error::from(std::io::ErrorKind::StorageFull),
                })
            }
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    plan: Arc<Mutex<Plan>>,
    /// Where a disk of several writes down what happened to it.
    journal: Option<(usize, Arc<Mutex<Journal>>)>,
}

impl State {
    fn record(&mut self, step: Step) {
        if let Some((disk, journal)) = &self.journal {
            journal.lock().write(*disk, step);
        } else {
            self.steps.push(step);
        }
    }
}

/// What happened to several disks and the `CURRENT` file beside them, in order.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    folder: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) entries: Vec<Entry>,
}

/// One step of one disk, and which generation `CURRENT` named then.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) disk: usize,
    pub(crate) step: Step,
    pub(crate) current: Option<u64>,
}

impl Journal {
    fn write(&mut self, disk: usize, step: Step) {
        let current = std::fs::read_to_string(self.folder.join("CURRENT"));
        let current = current.ok().and_then(|text| text.trim().parse().ok());
        self.entries.push(Entry {
            disk,
            step,
            current,
        });
    }
}

/// Disks by the path of the file that each stands for. An empty real file with
/// that name shows that the disk is there: removing it removes the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disks {
    disks: Arc<Mutex<HashMap<PathBuf, Disk>>>,
    journal: Arc<Mutex<Journal>>,
    plan: Arc<Mutex<Plan>>,
}

impl Disks {
    /// No disk yet, for a store in `folder`.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let disks = Disks::default();
        disks.journal.lock().folder = folder.to_owned();
        disks
    }

    /// Puts a disk with an image in place.
    pub(crate) fn put(&self, file: &Path, image: Vec<u8>) {
        std::fs::write(file, b"").expect("a temporary folder takes files");
        let disk = Disk::with_image(image);
        disk.0.lock().plan = self.plan.clone();
        self.disks.lock().insert(file.to_owned(), disk);
    }

    /// The disk of a file; a new one when the file is not there.
    pub(crate) fn open(&self, file: &Path) -> Disk {
        let mut disks = self.disks.lock();
        if let Some(disk) = disks.get(file)
            && file.exists()
        {
            return disk.clone();
        }
        std::fs::write(file, b"").expect("a temporary folder takes files");
        let disk = Disk::default();
        let mut journal = self.journal.lock();
        {
            let mut state = disk.0.lock();
            state.journal = Some((journal.files.len(), self.journal.clone()));
            state.plan = self.plan.clone();
        }
        journal.files.push(file.to_owned());
        disks.insert(file.to_owned(), disk.clone());
        disk
    }

    /// A mark of the test, in the order of everything else.
    pub(crate) fn acknowledge(&self, acts: u64) {
        self.journal.lock().write(0, Step::Acknowledged(acts));
    }

    /// The files in the order of their making, and what happened to them.
    pub(crate) fn journal(&self) -> (Vec<PathBuf>, Vec<Entry>) {
        let journal = self.journal.lock();
        (journal.files.clone(), journal.entries.clone())
    }
}

/// A handle on the disk; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// A disk that holds an image.
    pub(crate) fn with_image(bytes: Vec<u8>) -> Self {
        Disk(Arc::new(Mutex::new(State {
            bytes,
            ..State::default()
        })))
    }

    /// What the disk holds.
    pub(crate) fn image(&self) -> Vec<u8> {
        self.0.lock().bytes.clone()
    }

    pub(crate) fn acknowledge(&self, events: u64) {
        self.0.lock().steps.push(Step::Acknowledged(events));
    }

    pub(crate) fn steps(&self) -> Vec<Step> {
        self.0.lock().steps.clone()
    }

    pub(crate) fn operations(&self) -> u64 {
        self.0.lock().plan.lock().operations
    }

    /// Makes the disk fail at operation `at` (counted from now on).
    pub(crate) fn fail(&self, at: u64, for_ever: bool, fault: Fault) {
        *self.0.lock().plan.lock() = Plan {
            operations: 0,
            fault: Some((at, for_ever, fault)),
        };
    }

    pub(crate) fn heal(&self) {
        self.0.lock().plan.lock().fault = None;
    }

    fn operate<T>(
        &self,
        work: impl FnOnce(&mut State) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        let mut state = self.0.lock();
        state.plan.lock().operate()?;
        work(&mut state)
    }
}

/// Applies a change to an image.
pub(crate) fn apply(image: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Length(length) => image.resize(*length, 0),
        Change::Write { offset, data } => {
            let end = offset + data.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*offset..end].copy_from_slice(data);
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> std::io::Result<u64> {
        self.operate(|state| Ok(state.bytes.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.operate(|state| {
            let offset = usize::try_from(offset).map_err(std::io::Error::other)?;
            let bytes = state
                .bytes
                .get(offset..offset.saturating_add(out.len()))
                .ok_or(std::io::ErrorKind::UnexpectedEof)?;
            out.copy_from_slice(bytes);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.operate(|state| {
            let change = Change::Length(usize::try_from(len).map_err(std::io::Error::other)?);
            apply(&mut state.bytes, &change);
            state.record(Step::Change(change));
            Ok(())
        })
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.operate(|state| {
            state.record(Step::Sync);
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.operate(|state| {
            let offset = usize::try_from(offset).map_err(std::io::Error::other)?;
            let change = Change::Write {
                offset,
                data: data.to_vec(),
            };
            apply(&mut state.bytes, &change);
            state.record(Step::Change(change));
            Ok(())
        })
    }

    // One process, one handle: every lock is free.
    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}
