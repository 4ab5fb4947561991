//! Keeps back what the engine writes to a file while nobody knows yet whether this library may write
//! to it: the engine marks a file as open before anything in it can be read, and as closed
//! afterwards. A store that is refused is left as it was, to the byte.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Result;
use std::ops::{Bound, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use redb::{BackendError, StorageBackend};

/// The unit in which writes are kept.
const BLOCK: usize = 4_096;

/// What was written and is not in the file.
#[derive(Debug, Default)]
struct Kept {
    /// Whole blocks, by number.
    blocks: BTreeMap<u64, Vec<u8>>,
    length: Option<u64>,
}

impl Kept {
    fn is_clean(&self) -> bool {
        self.blocks.is_empty() && self.length.is_none()
    }
}

/// Whether writes to a file are kept back, and what was written.
#[derive(Debug, Default)]
struct Held {
    is_through: AtomicBool,
    kept: RwLock<Kept>,
}

/// A file whose writes are kept in memory until they are let through.
#[derive(Debug)]
pub(in crate::store) struct Withheld<B> {
    inner: B,
    held: Arc<Held>,
}

/// Lets the writes to a file through.
#[derive(Debug)]
pub(in crate::store) struct Withholding(Arc<Held>);

impl Withholding {
    /// Lets later writes through, unless something was written. That must not reach the file any
    /// more: the locks under which it was written are released, and others may have written since.
    pub(in crate::store) fn let_through(&self) -> bool {
        let is_clean = self.0.kept.write().is_clean();
        self.0.is_through.store(is_clean, Ordering::Release);
        is_clean
    }
}

impl<B: StorageBackend> Withheld<B> {
    pub(in crate::store) fn new(inner: B) -> (Self, Withholding) {
        let held = Arc::new(Held::default());
        let withholding = Withholding(held.clone());
        (Withheld { inner, held }, withholding)
    }

    fn is_through(&self) -> bool {
        self.held.is_through.load(Ordering::Acquire)
    }

    /// Reads what is in the file; what it does not reach is empty.
    fn read_inner(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let left = self.inner.len()?.saturating_sub(offset);
        let there = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        out[there..].fill(0);
        match there {
            0 => Ok(()),
            _ => self.inner.read(offset, &mut out[..there]),
        }
    }

    fn keep(&self, kept: &mut Kept, offset: u64, data: &[u8]) -> Result<()> {
        for (number, in_block, in_data) in parts(offset, data.len()) {
            let block = match kept.blocks.entry(number) {
                Entry::Occupied(block) => block.into_mut(),
                Entry::Vacant(place) => {
                    let mut block = vec![0; BLOCK];
                    self.read_inner(number * BLOCK as u64, &mut block)?;
                    place.insert(block)
                }
            };
            block[in_block].copy_from_slice(&data[in_data]);
        }
        let end = offset + data.len() as u64;
        if end > self.length(kept)? {
            kept.length = Some(end);
        }
        Ok(())
    }

    fn length(&self, kept: &Kept) -> Result<u64> {
        kept.length.map_or_else(|| self.inner.len(), Ok)
    }
}

/// The blocks that a range touches: their numbers, the range in the block, and that in the data.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset + done as u64;
        let begin = (at % BLOCK as u64) as usize;
        let some = (BLOCK - begin).min(length - done);
        let part = (at / BLOCK as u64, begin..begin + some, done..done + some);
        done += some;
        Some(part)
    })
}

impl<B: StorageBackend> StorageBackend for Withheld<B> {
    fn len(&self) -> Result<u64> {
        match self.is_through() {
            true => self.inner.len(),
            false => self.length(&self.held.kept.read()),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        if self.is_through() {
            return self.inner.read(offset, out);
        }
        let kept = self.held.kept.read();
        if kept.is_clean() {
            return self.inner.read(offset, out);
        }
        self.read_inner(offset, out)?;
        for (number, in_block, in_data) in parts(offset, out.len()) {
            if let Some(block) = kept.blocks.get(&number) {
                out[in_data].copy_from_slice(&block[in_block]);
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        match self.is_through() {
            true => self.inner.set_len(len)?,
            false => self.held.kept.write().length = Some(len),
        }
        Ok(())
    }

    fn sync_data(&self) -> Result<()> {
        match self.is_through() {
            true => self.inner.sync_data(),
            false => Ok(()),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        match self.is_through() {
            true => self.inner.write(offset, data),
            false => self.keep(&mut self.held.kept.write(), offset, data),
        }
    }

    fn close(&self) -> Result<()> {
        self.inner.close()
    }

    fn try_lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<(), BackendError> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;

    fn file() -> InMemoryBackend {
        let file = InMemoryBackend::new();
        file.set_len(10_000).unwrap();
        file.write(0, &[1; 10_000]).unwrap();
        file
    }

    fn read(file: &impl StorageBackend, offset: u64, length: usize) -> Vec<u8> {
        let mut out = vec![0; length];
        file.read(offset, &mut out).unwrap();
        out
    }

    #[test]
    fn what_is_withheld_is_read_back_and_does_not_reach_the_file() {
        let (withheld, withholding) = Withheld::new(file());
        withheld.write(4_000, &[2; 200]).unwrap();
        withheld.set_len(20_000).unwrap();
        withheld.write(19_000, &[3; 100]).unwrap();
        withheld.sync_data().unwrap();
        assert_eq!(withheld.len().unwrap(), 20_000);
        let expected = [vec![1; 10], vec![2; 200], vec![1; 10]].concat();
        assert_eq!(read(&withheld, 3_990, 220), expected);
        assert_eq!(read(&withheld, 9_999, 2), [1, 0]);
        assert_eq!(
            read(&withheld, 18_999, 102),
            [vec![0], vec![3; 100], vec![0]].concat()
        );
        assert_eq!(withheld.inner.len().unwrap(), 10_000);
        assert_eq!(read(&withheld.inner, 0, 10_000), [1; 10_000]);
        assert!(!withholding.let_through(), "others may have written since");
        withheld.write(0, &[4; 1]).unwrap();
        assert_eq!(read(&withheld.inner, 0, 1), [1]);
    }

    #[test]
    fn what_is_written_later_reaches_the_file() {
        let (withheld, withholding) = Withheld::new(file());
        assert_eq!(read(&withheld, 0, 2), [1, 1]);
        assert!(withholding.let_through());
        withheld.write(1, &[2; 1]).unwrap();
        withheld.set_len(30_000).unwrap();
        assert_eq!(read(&withheld.inner, 0, 2), [1, 2]);
        assert_eq!(withheld.inner.len().unwrap(), 30_000);
    }
}
