//! An in-memory disk that records every write between two syncs, can produce the image that a crash
//! would leave, and can fail at any operation.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use redb::{BackendError, StorageBackend};

use crate::index::side_file::faults;

/// A change of the file that is not synced yet.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write { offset: usize, data: Vec<u8> },
    Length(usize),
}

/// An operation on the file.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Change(Change),
    Sync,
    /// A marker of the test: this many events are acknowledged.
    Acknowledged(u64),
}

/// The error of a failing disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    InputOutput,
    NoSpace,
    /// No space either, but only writing needs some: everything else works.
    NoRoom,
}

/// Whether an operation needs room on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Room,
    Nothing,
}

/// Which operation fails; shared by the disks of a folder.
#[derive(Debug, Default)]
struct Plan {
    operations: u64,
    /// The operation at which to fail, whether all later ones fail too, and the error.
    fault: Option<(u64, bool, Fault)>,
}

impl Plan {
    /// Counts an operation, and fails if it is its turn.
    fn operate(&mut self, needs: Needs) -> std::io::Result<()> {
        if matches!(self.fault, Some((_, _, Fault::NoRoom))) && needs == Needs::Nothing {
            return Ok(());
        }
        let now = self.operations;
        self.operations += 1;
        match self.fault {
            Some((at, for_ever, fault)) if now == at || (for_ever && now > at) => {
                Err(match fault {
                    Fault::InputOutput => std::io::Error::other("injected I/O error"),
                    Fault::NoSpace | Fault::NoRoom => {
                        std::io::Error::from(std::io::ErrorKind::StorageFull)
                    }
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
    /// The disk's number, and the journal that it shares with the others.
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

/// What happened to several disks and their folder, in order.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    folder: PathBuf,
    pub(crate) entries: Vec<JournalStep>,
}

/// A step of one disk, and the folder's contents at that time.
#[derive(Clone, Debug)]
pub(crate) struct JournalStep {
    pub(crate) disk: usize,
    pub(crate) step: Step,
    /// Every file with its bytes; those of a store file are its disk's number.
    pub(crate) folder: Vec<(String, Vec<u8>)>,
    /// The side files whose names were durable, with their bytes.
    pub(crate) side_files: Vec<(String, Arc<[u8]>)>,
}

impl Journal {
    fn write(&mut self, disk: usize, step: Step) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let mut folder = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name().into_string();
            if let (Ok(name), Ok(bytes)) = (name, std::fs::read(entry.path())) {
                folder.push((name, bytes));
            }
        }
        let side_files = self.side_files();
        self.entries.push(JournalStep {
            disk,
            step,
            folder,
            side_files,
        });
    }

    /// Shares the bytes that are unchanged since the previous step.
    fn side_files(&self) -> Vec<(String, Arc<[u8]>)> {
        let index = self.folder.join("index");
        let last = self.entries.last();
        let known = last.map_or(&[][..], |step| &step.side_files);
        let mut files = Vec::new();
        for name in faults::durable(&index) {
            let Ok(bytes) = std::fs::read(index.join(&name)) else {
                continue;
            };
            let same = known
                .iter()
                .find(|(known, old)| *known == name && **old == *bytes);
            let bytes = same.map_or_else(|| bytes.into(), |(_, old)| old.clone());
            files.push((name, bytes));
        }
        files
    }
}

/// Disks in place of a folder's store files. A real file that holds the disk's number marks its
/// path: renaming the file moves the disk, and removing it removes the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disks {
    disks: Arc<Mutex<Vec<Disk>>>,
    journal: Arc<Mutex<Journal>>,
    plan: Arc<Mutex<Plan>>,
}

impl Disks {
    /// No disks yet, for a store in `folder`.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let disks = Disks::default();
        disks.journal.lock().folder = folder.to_owned();
        disks
    }

    /// Adds a disk with an image.
    pub(crate) fn put(&self, file: &Path, image: Vec<u8>) {
        self.add(file, Disk::with_image(image), false);
    }

    /// The disk of a file; a new one if the file does not exist.
    pub(crate) fn open(&self, file: &Path) -> Disk {
        let number = std::fs::read_to_string(file).ok();
        let number = number.and_then(|text| text.parse::<usize>().ok());
        if let Some(disk) = number.and_then(|number| self.disks.lock().get(number).cloned()) {
            return disk;
        }
        self.add(file, Disk::default(), true)
    }

    fn add(&self, file: &Path, disk: Disk, is_recorded: bool) -> Disk {
        let mut disks = self.disks.lock();
        {
            let mut state = disk.0.lock();
            if is_recorded {
                state.journal = Some((disks.len(), self.journal.clone()));
            }
            state.plan = self.plan.clone();
        }
        std::fs::write(file, disks.len().to_string()).expect("a temporary folder takes files");
        disks.push(disk.clone());
        disk
    }

    /// A marker of the test, in order with everything else.
    pub(crate) fn acknowledge(&self, acts: u64) {
        self.journal.lock().write(0, Step::Acknowledged(acts));
    }

    /// All steps, in order.
    pub(crate) fn journal(&self) -> Vec<JournalStep> {
        self.journal.lock().entries.clone()
    }

    /// The number of disks created.
    pub(crate) fn count(&self) -> usize {
        self.disks.lock().len()
    }
}

/// A handle to the disk; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// A disk that contains an image.
    pub(crate) fn with_image(bytes: Vec<u8>) -> Self {
        Disk(Arc::new(Mutex::new(State {
            bytes,
            ..State::default()
        })))
    }

    /// The disk's current bytes.
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

    /// Makes the disk fail at operation `at`, counted from now on.
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
        needs: Needs,
        work: impl FnOnce(&mut State) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        let mut state = self.0.lock();
        state.plan.lock().operate(needs)?;
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
        self.operate(Needs::Nothing, |state| Ok(state.bytes.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.operate(Needs::Nothing, |state| {
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
        self.operate(Needs::Room, |state| {
            let change = Change::Length(usize::try_from(len).map_err(std::io::Error::other)?);
            apply(&mut state.bytes, &change);
            state.record(Step::Change(change));
            Ok(())
        })
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.operate(Needs::Nothing, |state| {
            state.record(Step::Sync);
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.operate(Needs::Room, |state| {
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

    // A single handle in a single process: every lock is free.
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
