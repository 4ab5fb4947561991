//! The pages of a store file with a checksum for each: what the storage engine
//! reads is what was written, or an empty page that it refuses.
//!
//! ```text
//! offset   what
//!      0   page 0: the engine's header, which has checksums of its own and is
//!          replaced in place; its last 8 bytes are the mark
//!   4096   the sums of the pages 0 to 511: XXH3-64 of a page seeded with its
//!          number, 8 bytes each, little-endian; in the place of page 0 the mark
//!   8192   pages 1 to 511
//!    ...   the next group: page 512, the sums of 512 to 1023, pages 513 to 1023
//! ```
//!
//! A sum is written right after its page. Neither is read by anybody before the
//! commit that makes the page reachable, and that one syncs both first; a page
//! that can be reached is never written again. So a page and its sum disagree
//! only when one of them is damaged.

use std::io::{Error, ErrorKind, Result};
use std::ops::{Bound, Range};
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{BackendError, StorageBackend};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::net;

/// How long a page is.
const PAGE: usize = 4_096;
const PAGE_BYTES: u64 = PAGE as u64;
/// How long a sum is.
const SUM: usize = 8;
/// How many pages have their sums in one page.
const GROUP: u64 = (PAGE / SUM) as u64;

/// Tells a file with sums from one without.
const MARK: [u8; SUM] = *b"rcl-sum1";
/// Where it stands: twice, so that a damaged page does not hide it.
const MARKS: [u64; 2] = [PAGE_BYTES - SUM as u64, PAGE_BYTES];

/// A backend that keeps a sum of every page.
#[derive(Debug)]
pub(super) struct Pages<B> {
    inner: B,
    /// False for a file that was written before there were sums.
    has_sums: bool,
    is_marked: AtomicBool,
}

impl<B: StorageBackend> Pages<B> {
    pub(super) fn new(inner: B) -> Result<Self> {
        let length = inner.len()?;
        let read = |at: u64| {
            let mut bytes = [0; SUM];
            if length >= at + SUM as u64 {
                inner.read(at, &mut bytes)?;
            }
            Ok::<_, Error>(bytes)
        };
        let is_marked = read(MARKS[0])? == MARK || read(MARKS[1])? == MARK;
        // Before its header begins with something, nothing else was written.
        let is_new = read(0)? == [0; SUM];
        Ok(Pages {
            has_sums: is_marked || is_new,
            is_marked: AtomicBool::new(is_marked),
            inner,
        })
    }

    /// Says in the file that it has sums, before anything else is said in it.
    fn mark(&self) -> Result<()> {
        if !self.is_marked.load(Ordering::Acquire) {
            for at in MARKS {
                self.inner.write(at, &MARK)?;
            }
            self.is_marked.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Reads whole pages; damaged ones make all of `out` empty.
    fn read_pages(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let mut damaged = None;
        for run in runs(first, out.len()) {
            let from = ((run.start - first) * PAGE_BYTES) as usize;
            let bytes = &mut out[from..][..run.clone().count() * PAGE];
            self.inner.read(offset_of(run.start), bytes)?;
            damaged = damaged.or(self.first_damaged(&run, bytes)?);
        }
        if let Some(page) = damaged {
            net::note_damage(page);
            out.fill(0);
        }
        Ok(())
    }

    /// The first page of a run that is not what was written.
    fn first_damaged(&self, run: &Range<u64>, bytes: &[u8]) -> Result<Option<u64>> {
        let mut few = [0; 8 * SUM];
        let mut many = Vec::new();
        let length = run.clone().count() * SUM;
        let sums = match few.get_mut(..length) {
            Some(few) => few,
            None => {
                many.resize(length, 0);
                &mut many[..]
            }
        };
        self.inner.read(sum_offset_of(run.start), sums)?;
        let pages = run.clone().zip(bytes.chunks_exact(PAGE));
        Ok(pages
            .zip(sums.chunks_exact(SUM))
            .find(|((page, bytes), stored)| *page != 0 && sum_of(*page, bytes) != **stored)
            .map(|((page, _), _)| page))
    }

    fn write_pages(&self, first: u64, data: &[u8]) -> Result<()> {
        for run in runs(first, data.len()) {
            let from = ((run.start - first) * PAGE_BYTES) as usize;
            let bytes = &data[from..][..run.clone().count() * PAGE];
            if run.start == 0 {
                return Err(unaligned());
            }
            self.inner.write(offset_of(run.start), bytes)?;
            let pages = run.clone().zip(bytes.chunks_exact(PAGE));
            let sums: Vec<u8> = pages
                .flat_map(|(page, bytes)| sum_of(page, bytes))
                .collect();
            self.inner.write(sum_offset_of(run.start), &sums)?;
        }
        Ok(())
    }
}

/// What the engine's header may take of page 0.
fn is_header(offset: u64, length: usize) -> bool {
    offset + length as u64 <= MARKS[0]
}

fn is_whole(offset: u64, length: usize) -> bool {
    offset.is_multiple_of(PAGE_BYTES) && length.is_multiple_of(PAGE)
}

fn unaligned() -> Error {
    Error::new(
        ErrorKind::InvalidInput,
        "the storage engine asked for something that is not a page",
    )
}

/// The runs of pages that lie behind each other in the file.
fn runs(first: u64, length: usize) -> impl Iterator<Item = Range<u64>> {
    let end = first + (length / PAGE) as u64;
    let mut next = first;
    std::iter::from_fn(move || {
        let start = next;
        let group = start - start % GROUP;
        // Behind the first page of a group are the sums.
        next = if start == group {
            start + 1
        } else {
            group + GROUP
        }
        .min(end);
        (start < next).then_some(start..next)
    })
}

fn sum_of(page: u64, bytes: &[u8]) -> [u8; SUM] {
    xxh3_64_with_seed(bytes, page).to_le_bytes()
}

fn offset_of(page: u64) -> u64 {
    let sums = page / GROUP + u64::from(!page.is_multiple_of(GROUP));
    (page + sums) * PAGE_BYTES
}

fn sum_offset_of(page: u64) -> u64 {
    let group = page / GROUP;
    (group * (GROUP + 1) + 1) * PAGE_BYTES + page % GROUP * SUM as u64
}

/// How long a file of so many bytes of pages is with its sums.
fn length_with_sums(length: u64) -> u64 {
    let pages = length / PAGE_BYTES;
    (pages + pages.div_ceil(GROUP)) * PAGE_BYTES + length % PAGE_BYTES
}

/// The other way round, also of a file that was cut anywhere.
fn length_without_sums(length: u64) -> u64 {
    let pages = length / PAGE_BYTES;
    let rest = pages % (GROUP + 1);
    let sums = pages / (GROUP + 1) + u64::from(rest > 1);
    (pages - sums) * PAGE_BYTES + length % PAGE_BYTES
}

impl<B: StorageBackend> StorageBackend for Pages<B> {
    fn len(&self) -> Result<u64> {
        let length = self.inner.len()?;
        Ok(if self.has_sums {
            length_without_sums(length)
        } else {
            length
        })
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        if !self.has_sums || is_header(offset, out.len()) {
            return self.inner.read(offset, out);
        }
        if !is_whole(offset, out.len()) {
            return Err(unaligned());
        }
        self.read_pages(offset / PAGE_BYTES, out)
    }

    fn set_len(&self, len: u64) -> Result<()> {
        if !self.has_sums {
            return self.inner.set_len(len);
        }
        self.inner.set_len(length_with_sums(len))
    }

    fn sync_data(&self) -> Result<()> {
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        if !self.has_sums {
            return self.inner.write(offset, data);
        }
        self.mark()?;
        if is_header(offset, data.len()) {
            return self.inner.write(offset, data);
        }
        if !is_whole(offset, data.len()) {
            return Err(unaligned());
        }
        self.write_pages(offset / PAGE_BYTES, data)
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

/// Whether bytes of a file, from its page 1 on, hold nothing but the mark.
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(&MARK).unwrap_or(bytes);
    rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::disk::Disk;

    fn filled(pages: u64) -> (Disk, Pages<Disk>) {
        let disk = Disk::default();
        let file = Pages::new(disk.clone()).unwrap();
        file.set_len(pages * PAGE_BYTES).unwrap();
        for page in 1..pages {
            file.write(page * PAGE_BYTES, &[page as u8; PAGE]).unwrap();
        }
        (disk, file)
    }

    #[test]
    fn lengths_are_the_same_both_ways() {
        for pages in (0..1_600).chain([GROUP * 1_000, GROUP * 1_000 + 1]) {
            let length = pages * PAGE_BYTES;
            assert_eq!(length_without_sums(length_with_sums(length)), length);
            assert!(pages == 0 || length_with_sums(length) >= offset_of(pages - 1) + PAGE_BYTES);
        }
    }

    #[test]
    fn no_two_pages_or_sums_share_a_place() {
        let mut places: Vec<u64> = (0..2_000).map(offset_of).collect();
        places.extend((0..2_000).step_by(GROUP as usize).map(sum_offset_of));
        let count = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), count);
        assert_eq!(places[0], 0);
    }

    #[test]
    fn pages_come_back_across_the_ends_of_groups() {
        let (_, file) = filled(GROUP * 2 + 5);
        for first in [1, 2, GROUP - 4, GROUP - 1, GROUP, GROUP + 1, GROUP * 2 - 2] {
            let mut out = vec![0; PAGE * 6];
            file.read(first * PAGE_BYTES, &mut out).unwrap();
            for (page, bytes) in (first..).zip(out.chunks_exact(PAGE)) {
                assert!(bytes.iter().all(|byte| *byte == page as u8), "page {page}");
            }
        }
        assert_eq!(net::take_damage(), None);
    }

    #[test]
    fn a_page_that_is_another_is_read_as_an_empty_one() {
        let (disk, file) = filled(40);
        let mut out = vec![0; PAGE];
        // A flipped bit, another page, a lost sum.
        disk.write(offset_of(7) + 100, &[0]).unwrap();
        let mut other = vec![0; PAGE];
        disk.read(offset_of(9), &mut other).unwrap();
        disk.write(offset_of(8), &other).unwrap();
        disk.write(sum_offset_of(11), &[0; SUM]).unwrap();
        for (page, is_good) in [(7, false), (8, false), (9, true), (10, true), (11, false)] {
            out.fill(1);
            file.read(page * PAGE_BYTES, &mut out).unwrap();
            let expected = if is_good { page as u8 } else { 0 };
            assert!(out.iter().all(|byte| *byte == expected), "page {page}");
            assert_eq!(net::take_damage(), (!is_good).then_some(page));
        }
    }

    #[test]
    fn a_lost_mark_does_not_hide_that_there_are_sums() {
        for at in MARKS {
            let (disk, _) = filled(4);
            disk.write(at, &[0; SUM]).unwrap();
            assert!(Pages::new(disk).unwrap().has_sums);
        }
    }
}
