//! A disk in memory that records every write between two syncs, can make the
//! image that a crash would leave, and can fail at any operation.

use std::ops::Bound;
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

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    operations: u64,
    /// From which operation on the disk fails, whether it fails once or for
    /// ever, and how.
    fault: Option<(u64, bool, Fault)>,
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

    pub(crate) fn acknowledge(&self, events: u64) {
        self.0.lock().steps.push(Step::Acknowledged(events));
    }

    pub(crate) fn steps(&self) -> Vec<Step> {
        self.0.lock().steps.clone()
    }

    pub(crate) fn operations(&self) -> u64 {
        self.0.lock().operations
    }

    /// Makes the disk fail at operation `at` (counted from now on).
    pub(crate) fn fail(&self, at: u64, for_ever: bool, fault: Fault) {
        let mut state = self.0.lock();
        state.operations = 0;
        state.fault = Some((at, for_ever, fault));
    }

    pub(crate) fn heal(&self) {
        self.0.lock().fault = None;
    }

    fn operate<T>(
        &self,
        work: impl FnOnce(&mut State) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        let mut state = self.0.lock();
        let now = state.operations;
        state.operations += 1;
        if let Some((at, for_ever, fault)) = state.fault
            && (now == at || (for_ever && now > at))
        {
            return Err(match fault {
                Fault::InputOutput => std::io::Error::other("injected I/O error"),
                Fault::NoSpace => std::io::Error::from(std::io::ErrorKind::StorageFull),
            });
        }
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
            state.steps.push(Step::Change(change));
            Ok(())
        })
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.operate(|state| {
            state.steps.push(Step::Sync);
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
            state.steps.push(Step::Change(change));
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
