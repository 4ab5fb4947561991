//! Adds a checksum to every page of a store file: the storage engine reads either what was
//! written, or an empty page that it rejects.
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
//! The sums of written pages are kept in memory and written right before the next sync.
//! Nobody else reads a page before the commit that makes it reachable, and that commit
//! syncs pages and sums first; a reachable page is never overwritten, and its sum is
//! rewritten at most unchanged, when it is between others. So page and sum disagree only if
//! one of them is damaged.
//!
//! Sums that were read are cached as well. If another process has reused a freed page, the
//! cached sum does not match, and the sum is read from the file.

use std::collections::{BTreeMap, btree_map};
use std::io::{Error, ErrorKind, Result};
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use redb::{BackendError, StorageBackend};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::store::database::panics;

/// The writer lock of the engine's shared mode. The engine waits for it without limit; the
/// wrapper of its backend limits that.
pub(in crate::store) const WRITER_LOCK: u64 = 1 << 62;

/// The size of a page.
const PAGE: usize = 4_096;
const PAGE_BYTES: u64 = PAGE as u64;
/// The size of a sum.
const SUM: usize = 8;
/// How many pages have their sums in one page.
const GROUP: u64 = (PAGE / SUM) as u64;
/// How many groups have their sums cached: 256 KB for 128 MB of pages.
const KEPT_GROUPS: usize = 64;

/// Identifies a file of this library, and in its last byte the oldest version of the file that a
/// library must know to open it. A release with another one refuses what follows it here, before the
/// engine, which marks a file as open before anything in it can be read, has written anything.
const MARK: [u8; SUM] = *b"rcl-sum1";
/// The positions of the mark: two, so that one damaged page does not hide it.
const MARKS: [u64; 2] = [PAGE_BYTES - SUM as u64, PAGE_BYTES];
/// The length from which on a file has room for both marks.
pub(in crate::store) const MARKED_BYTES: u64 = MARKS[1] + SUM as u64;

/// A backend that keeps a checksum of every page.
#[derive(Debug)]
pub(in crate::store) struct Pages<B> {
    inner: B,
    is_marked: AtomicBool,
    /// Whether a newer library marked it.
    is_newer: bool,
    /// The sums of pages written since the last sync under the lock that this process
    /// holds: never more than what is in the file. Not locked while the file is read or
    /// written.
    pending: RwLock<BTreeMap<u64, Sum>>,
    /// Held while sums are written, which rewrites those between them. Taken before
    /// `pending`.
    writes_sums: Mutex<()>,
    /// Whether a write or a sync failed. What was written before it can be read, but may
    /// never reach the disk unless it is written again.
    has_failed: AtomicBool,
    /// Whether this process has unsynced writes.
    has_unsynced: AtomicBool,
    kept: KeptSums,
}

type Sum = [u8; SUM];
/// The sums of a group.
type Sums = Arc<[u8; PAGE]>;

/// A direct-mapped cache of sums, by group.
struct KeptSums([Mutex<Option<(u64, Sums)>>; KEPT_GROUPS]);

impl KeptSums {
    fn place(&self, group: u64) -> &Mutex<Option<(u64, Sums)>> {
        &self.0[(group % KEPT_GROUPS as u64) as usize]
    }

    fn get(&self, group: u64) -> Option<Sums> {
        let place = self.place(group).lock();
        let (kept, sums) = place.as_ref()?;
        (*kept == group).then(|| sums.clone())
    }

    fn put(&self, group: u64, sums: &Sums) {
        *self.place(group).lock() = Some((group, sums.clone()));
    }
}

impl std::fmt::Debug for KeptSums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeptSums")
    }
}

/// Whether a mark has a higher version than that of this library.
fn is_newer(mark: &Sum) -> bool {
    let (version, name) = (mark[SUM - 1], &mark[..SUM - 1]);
    name == &MARK[..SUM - 1] && version > MARK[SUM - 1]
}

impl<B: StorageBackend> Pages<B> {
    pub(in crate::store) fn new(inner: B) -> Result<Self> {
        let length = inner.len()?;
        let read = |at: u64| {
            let mut bytes = [0; SUM];
            if length >= at + SUM as u64 {
                inner.read(at, &mut bytes)?;
            }
            Ok::<_, Error>(bytes)
        };
        let marks = [read(MARKS[0])?, read(MARKS[1])?];
        Ok(Pages {
            is_marked: AtomicBool::new(marks.contains(&MARK)),
            is_newer: !marks.contains(&MARK) && marks.iter().any(is_newer),
            pending: RwLock::default(),
            writes_sums: Mutex::default(),
            has_failed: AtomicBool::new(false),
            has_unsynced: AtomicBool::new(false),
            kept: KeptSums(std::array::from_fn(|_| Mutex::default())),
            inner,
        })
    }

    /// Whether a newer library wrote the file, in a version that this one does not know.
    pub(in crate::store) fn is_newer(&self) -> bool {
        self.is_newer
    }

    /// The first bytes of a file that has pages but no mark: it was written before sums
    /// existed, or by another program.
    pub(in crate::store) fn unmarked(&self) -> Result<Option<Sum>> {
        let mut begins = [0; SUM];
        if !self.is_marked.load(Ordering::Acquire) && self.inner.len()? >= SUM as u64 {
            self.inner.read(0, &mut begins)?;
        }
        // Nothing else is written before the header gets its first bytes.
        Ok((begins != [0; SUM]).then_some(begins))
    }

    /// Marks the file as one with sums, before anything else is written to it.
    fn mark(&self) -> Result<()> {
        if !self.is_marked.load(Ordering::Acquire) {
            self.has_unsynced.store(true, Ordering::Release);
            for at in MARKS {
                self.inner.write(at, &MARK)?;
            }
            self.is_marked.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Reads whole pages; if any is damaged, all of `out` becomes empty.
    fn read_pages(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let mut damaged = None;
        for run in runs(first, out.len()) {
            let from = ((run.start - first) * PAGE_BYTES) as usize;
            let bytes = &mut out[from..][..run.clone().count() * PAGE];
            self.inner.read(offset_of(run.start), bytes)?;
            damaged = damaged.or(self.first_damaged(&run, bytes)?);
        }
        if let Some(page) = damaged {
            panics::note_damage(page);
            out.fill(0);
        }
        Ok(())
    }

    /// The first page of a run that does not match its sum.
    fn first_damaged(&self, run: &Range<u64>, bytes: &[u8]) -> Result<Option<u64>> {
        let group = run.start / GROUP;
        let mut sums = self.kept.get(group);
        let mut is_fresh = sums.is_none();
        for (page, bytes) in run.clone().zip(bytes.chunks_exact(PAGE)) {
            if page == 0 {
                continue;
            }
            let sum = sum_of(page, bytes);
            // What this process has just written takes precedence over the file.
            let pending = self.pending.read().get(&page).copied();
            if let Some(pending) = pending {
                if pending != sum {
                    return Ok(Some(page));
                }
                continue;
            }
            loop {
                let known = match &sums {
                    Some(sums) => sums,
                    None => sums.insert(self.read_sums(group)?),
                };
                if known[sum_place_of(page)] == sum {
                    break;
                }
                if is_fresh {
                    return Ok(Some(page));
                }
                (sums, is_fresh) = (None, true);
            }
        }
        Ok(None)
    }

    /// Reads the sums of a group from the file.
    fn read_sums(&self, group: u64) -> Result<Sums> {
        let mut sums = [0; PAGE];
        self.inner.read(sum_offset_of(group * GROUP), &mut sums)?;
        let sums = Arc::new(sums);
        self.kept.put(group, &sums);
        Ok(sums)
    }

    fn write_pages(&self, first: u64, data: &[u8]) -> Result<()> {
        for run in runs(first, data.len()) {
            let from = ((run.start - first) * PAGE_BYTES) as usize;
            let bytes = &data[from..][..run.clone().count() * PAGE];
            if run.start == 0 {
                return Err(unaligned());
            }
            let pages = run.clone().zip(bytes.chunks_exact(PAGE));
            let sums: Vec<_> = pages
                .map(|(page, bytes)| (page, sum_of(page, bytes)))
                .collect();
            if !self.has_written(&run, bytes, &sums) {
                self.noting(self.inner.write(offset_of(run.start), bytes))?;
                self.pending.write().extend(sums);
            }
        }
        Ok(())
    }

    /// Notes a failed write or sync.
    fn noting(&self, done: Result<()>) -> Result<()> {
        done.inspect_err(|_| self.has_failed.store(true, Ordering::Release))
    }

    /// Whether these pages were already written since the last sync with this content. To
    /// checksum a large transaction, the engine reloads every page that did not fit into
    /// its memory, and writes it back unchanged.
    fn has_written(&self, run: &Range<u64>, bytes: &[u8], sums: &[(u64, Sum)]) -> bool {
        let is_pending = !self.has_failed.load(Ordering::Acquire) && {
            let pending = self.pending.read();
            sums.iter()
                .all(|(page, sum)| pending.get(page) == Some(sum))
        };
        // Different contents may have the same sum.
        let mut there = vec![0; if is_pending { bytes.len() } else { 0 }];
        is_pending && self.inner.read(offset_of(run.start), &mut there).is_ok() && there == bytes
    }

    /// Writes the sums of written pages, one group at a time. They stay pending until they
    /// are in the file, for concurrent readers.
    fn write_sums(&self) -> Result<()> {
        let _one_at_a_time = self.writes_sums.lock();
        let written = self.pending.read().clone();
        let mut next = 0;
        while let Some((&first, _)) = written.range(next..).next() {
            next = first - first % GROUP + GROUP;
            self.write_sums_of(first, written.range(first..next))?;
        }
        let mut pending = self.pending.write();
        pending.retain(|page, sum| written.get(page) != Some(sum));
        Ok(())
    }

    /// Writes sums of one group, along with those between them as they are in the file:
    /// nobody else changes them while this process may write.
    fn write_sums_of(&self, first: u64, sums: btree_map::Range<'_, u64, Sum>) -> Result<()> {
        let (count, last) = (sums.clone().count(), sums.clone().next_back());
        let last = last.map_or(first, |(last, _)| *last);
        let mut bytes = vec![0; (first..=last).count() * SUM];
        if count * SUM < bytes.len() {
            self.inner.read(sum_offset_of(first), &mut bytes)?;
        }
        for (page, sum) in sums {
            bytes[(page - first) as usize * SUM..][..SUM].copy_from_slice(sum);
        }
        self.inner.write(sum_offset_of(first), &bytes)
    }

    /// Writes all or part of the engine's header, unless the file already has it. The
    /// engine marks a file as open again although every process that ended without closing
    /// it has left it marked. If that process did not sync the mark, the first sync of the
    /// next commit does, before anything reachable is written.
    fn write_header(&self, offset: u64, data: &[u8]) -> Result<()> {
        if !self.has_unsynced.load(Ordering::Acquire) {
            let mut there = vec![0; data.len()];
            if self.inner.read(offset, &mut there).is_ok() && there == data {
                return Ok(());
            }
        }
        self.has_unsynced.store(true, Ordering::Release);
        self.inner.write(offset, data)
    }

    /// Unsynced writes belong to an abandoned write: their pages are unreachable, and any
    /// process may reuse them.
    fn forget_pending(&self) {
        self.pending.write().clear();
    }
}

/// The part of page 0 that the engine's header may use.
fn is_header(offset: u64, length: usize) -> bool {
    offset + length as u64 <= MARKS[0]
}

fn is_whole(offset: u64, length: usize) -> bool {
    offset.is_multiple_of(PAGE_BYTES) && length.is_multiple_of(PAGE)
}

fn unaligned() -> Error {
    Error::new(
        ErrorKind::InvalidInput,
        "the storage engine requested a range that is not page-aligned",
    )
}

/// Splits pages into runs that are contiguous in the file.
fn runs(first: u64, length: usize) -> impl Iterator<Item = Range<u64>> {
    let end = first + (length / PAGE) as u64;
    let mut next = first;
    std::iter::from_fn(move || {
        let start = next;
        let group = start - start % GROUP;
        // The sums come after the first page of a group.
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
    (group * (GROUP + 1) + 1) * PAGE_BYTES + sum_place_of(page).start as u64
}

/// The offset of a page's sum within its group.
fn sum_place_of(page: u64) -> Range<usize> {
    let start = (page % GROUP) as usize * SUM;
    start..start + SUM
}

/// Whether a lock on a range is a write lock.
fn locks_writers(start: Bound<u64>, end: Bound<u64>) -> bool {
    (start, end).contains(&WRITER_LOCK)
}

/// The length of a file with so many bytes of pages, including sums.
fn length_with_sums(length: u64) -> u64 {
    let pages = length / PAGE_BYTES;
    (pages + pages.div_ceil(GROUP)) * PAGE_BYTES + length % PAGE_BYTES
}

/// The inverse, also for a file truncated anywhere.
fn length_without_sums(length: u64) -> u64 {
    let pages = length / PAGE_BYTES;
    let rest = pages % (GROUP + 1);
    let sums = pages / (GROUP + 1) + u64::from(rest > 1);
    (pages - sums) * PAGE_BYTES + length % PAGE_BYTES
}

impl<B: StorageBackend> StorageBackend for Pages<B> {
    fn len(&self) -> Result<u64> {
        let length = self.inner.len()?;
        Ok(length_without_sums(length))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        if is_header(offset, out.len()) {
            return self.inner.read(offset, out);
        }
        if !is_whole(offset, out.len()) {
            return Err(unaligned());
        }
        self.read_pages(offset / PAGE_BYTES, out)
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.has_unsynced.store(true, Ordering::Release);
        // A sum beyond the end would extend the file again.
        self.pending
            .write()
            .retain(|page, _| *page < len / PAGE_BYTES);
        self.inner.set_len(length_with_sums(len))
    }

    fn sync_data(&self) -> Result<()> {
        if !self.has_unsynced.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let synced = self.write_sums().and_then(|()| self.inner.sync_data());
        if synced.is_err() {
            self.has_unsynced.store(true, Ordering::Release);
        }
        self.noting(synced)
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.mark()?;
        if is_header(offset, data.len()) {
            return self.write_header(offset, data);
        }
        if !is_whole(offset, data.len()) {
            return Err(unaligned());
        }
        self.has_unsynced.store(true, Ordering::Release);
        self.write_pages(offset / PAGE_BYTES, data)
    }

    fn close(&self) -> Result<()> {
        self.forget_pending();
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
        // Before anyone else can write these pages.
        if locks_writers(start, end) {
            self.forget_pending();
        }
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

/// Whether the bytes of a file from page 1 on contain nothing but the mark.
pub(in crate::store) fn is_blank(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(&MARK).unwrap_or(bytes);
    rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use crate::store::database::pages::*;
    use crate::testing::disk::{Change, Disk, Fault, Step};

    fn filled(pages: u64) -> (Disk, Pages<Disk>) {
        let disk = Disk::default();
        let file = Pages::new(disk.clone()).unwrap();
        file.set_len(pages * PAGE_BYTES).unwrap();
        for page in 1..pages {
            file.write(page * PAGE_BYTES, &[page as u8; PAGE]).unwrap();
        }
        file.sync_data().unwrap();
        (disk, file)
    }

    fn put(file: &Pages<Disk>, page: u64, byte: u8) {
        file.write(page * PAGE_BYTES, &[byte; PAGE]).unwrap();
    }

    /// The byte that fills a page, or the damage that was noted.
    fn look(file: &Pages<Disk>, page: u64) -> std::result::Result<u8, u64> {
        let mut out = vec![0; PAGE];
        file.read(page * PAGE_BYTES, &mut out).unwrap();
        assert!(out.iter().all(|byte| *byte == out[0]));
        panics::take_damage().map_or(Ok(out[0]), Err)
    }

    fn give_lock_back(file: &Pages<Disk>) {
        let byte = Bound::Included(WRITER_LOCK);
        file.unlock_range(byte, byte).unwrap();
    }

    /// Where the file was written after its first `from` steps, and how much.
    fn writes(disk: &Disk, from: usize) -> Vec<(u64, usize)> {
        let steps = disk.steps();
        let changes = steps[from..].iter().filter_map(|step| match step {
            Step::Change(Change::Write { offset, data }) => Some((*offset as u64, data.len())),
            _ => None,
        });
        changes.collect()
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
        assert_eq!(panics::take_damage(), None);
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
            assert_eq!(panics::take_damage(), (!is_good).then_some(page));
        }
    }

    #[test]
    fn the_sums_of_a_group_are_written_once_and_right_before_the_sync() {
        let (disk, file) = filled(GROUP + 40);
        let from = disk.steps().len();
        let pages = [20, 7, 8, GROUP - 1, 6, GROUP, GROUP + 1, 7];
        for (turn, page) in pages.into_iter().enumerate() {
            put(&file, page, turn as u8);
            assert_eq!(look(&file, page), Ok(turn as u8), "before the sync");
        }
        let places = pages.map(|page| (offset_of(page), PAGE));
        assert_eq!(writes(&disk, from), places);
        file.sync_data().unwrap();
        let spans = [(6, GROUP as usize - 6), (GROUP, 2)];
        let spans = spans.map(|(page, count)| (sum_offset_of(page), count * SUM));
        assert_eq!(writes(&disk, from)[places.len()..], spans);
        assert!(matches!(disk.steps().last(), Some(Step::Sync)));
        let from = disk.steps().len();
        file.sync_data().unwrap();
        assert_eq!(writes(&disk, from), []);
        let other = Pages::new(disk).unwrap();
        for (page, byte) in [
            (6, 4),
            (7, 7),
            (8, 2),
            (9, 9),
            (20, 0),
            (300, 44),
            (GROUP, 5),
        ] {
            assert_eq!(look(&file, page), Ok(byte));
            assert_eq!(look(&other, page), Ok(byte));
        }
    }

    #[test]
    fn a_page_that_did_not_change_since_it_was_written_is_not_written_again() {
        let (disk, file) = filled(40);
        put(&file, 7, 100);
        let from = disk.steps().len();
        put(&file, 7, 100);
        assert_eq!(writes(&disk, from), []);
        // It no longer matches its sum.
        disk.write(offset_of(7), &[1; 100]).unwrap();
        let from = disk.steps().len();
        put(&file, 7, 100);
        put(&file, 8, 100);
        put(&file, 7, 101);
        let places = [7, 8, 7].map(|page| (offset_of(page), PAGE));
        assert_eq!(writes(&disk, from), places);
        file.sync_data().unwrap();
        // Another process may have rewritten a page that was synced.
        let from = disk.steps().len();
        put(&file, 7, 101);
        assert_eq!(writes(&disk, from), [(offset_of(7), PAGE)]);
        let other = Pages::new(disk).unwrap();
        file.sync_data().unwrap();
        assert_eq!((look(&other, 7), look(&other, 8)), (Ok(101), Ok(100)));
    }

    #[test]
    fn a_header_that_the_file_has_costs_neither_a_write_nor_a_sync() {
        let (disk, file) = filled(4);
        let syncs = |from: usize| {
            let steps = disk.steps();
            let syncs = steps[from..]
                .iter()
                .filter(|step| matches!(step, Step::Sync));
            syncs.count()
        };
        for (header, is_new) in [([1; 320], true), ([1; 320], false), ([2; 320], true)] {
            let from = disk.steps().len();
            file.write(0, &header).unwrap();
            file.sync_data().unwrap();
            let expected = if is_new { vec![(0, 320)] } else { vec![] };
            assert_eq!(writes(&disk, from), expected);
            assert_eq!(syncs(from), usize::from(is_new));
        }
        // An unsynced page is written again, whoever wrote it.
        put(&file, 2, 100);
        let from = disk.steps().len();
        file.write(0, &[2; 320]).unwrap();
        assert_eq!(writes(&disk, from), [(0, 320)]);
        disk.fail(0, false, Fault::InputOutput);
        file.sync_data().unwrap_err();
        disk.heal();
        let from = disk.steps().len();
        file.sync_data().unwrap();
        assert_eq!(syncs(from), 1);
    }

    #[test]
    fn after_a_failure_pages_are_written_again_though_they_can_be_read() {
        for fails_at_write in [true, false] {
            let (disk, file) = filled(40);
            put(&file, 7, 100);
            disk.fail(0, false, Fault::InputOutput);
            match fails_at_write {
                true => file.write(8 * PAGE_BYTES, &[100; PAGE]).unwrap_err(),
                false => file.sync_data().unwrap_err(),
            };
            disk.heal();
            let from = disk.steps().len();
            put(&file, 7, 100);
            assert_eq!(writes(&disk, from), [(offset_of(7), PAGE)]);
        }
    }

    #[test]
    fn the_sums_of_a_write_that_was_given_up_are_never_written() {
        let (disk, file) = filled(40);
        put(&file, 7, 100);
        put(&file, 8, 100);
        give_lock_back(&file);
        // Now another process writes there.
        let other = Pages::new(disk.clone()).unwrap();
        put(&other, 7, 200);
        other.sync_data().unwrap();
        assert_eq!(look(&file, 7), Ok(200));
        put(&file, 9, 101);
        file.sync_data().unwrap();
        for file in [&file, &other, &Pages::new(disk).unwrap()] {
            assert_eq!(look(file, 7), Ok(200));
            assert_eq!(look(file, 8), Err(8), "nobody said that this was a page");
            assert_eq!(look(file, 9), Ok(101));
        }
        // A lock of another kind does not affect writing.
        put(&file, 9, 102);
        let byte = Bound::Included(WRITER_LOCK + 1);
        file.unlock_range(byte, byte).unwrap();
        file.sync_data().unwrap();
        assert_eq!(look(&other, 9), Ok(102));
    }

    #[test]
    fn sums_that_another_process_replaced_are_read_again() {
        let (disk, file) = filled(40);
        let other = Pages::new(disk.clone()).unwrap();
        for byte in 100..103 {
            // Both have cached the sums of the group.
            assert_eq!((look(&file, 6), look(&other, 6)), (Ok(6), Ok(6)));
            put(&file, 7, byte);
            file.sync_data().unwrap();
            give_lock_back(&file);
            assert_eq!((look(&file, 7), look(&other, 7)), (Ok(byte), Ok(byte)));
        }
        disk.write(offset_of(7), &[0; 100]).unwrap();
        assert_eq!((look(&file, 7), look(&other, 7)), (Err(7), Err(7)));
    }

    #[test]
    fn a_page_costs_one_read_once_the_sums_of_its_group_are_known() {
        let (disk, _) = filled(GROUP);
        let file = Pages::new(disk.clone()).unwrap();
        let before = disk.operations();
        for page in 1..GROUP {
            assert_eq!(look(&file, page), Ok(page as u8));
        }
        assert_eq!(disk.operations() - before, GROUP);
    }

    #[test]
    fn a_damaged_page_is_seen_before_its_sum_is_written() {
        let (disk, file) = filled(40);
        put(&file, 7, 100);
        // As if the write had not happened: page and sum in the file agree.
        disk.write(offset_of(7), &[7; PAGE]).unwrap();
        assert_eq!(look(&file, 7), Err(7));
    }

    #[test]
    fn sums_of_pages_that_were_cut_off_do_not_make_the_file_longer() {
        let (disk, file) = filled(GROUP + 40);
        put(&file, GROUP + 30, 100);
        put(&file, 7, 100);
        file.set_len(40 * PAGE_BYTES).unwrap();
        file.sync_data().unwrap();
        assert_eq!(disk.len().unwrap(), length_with_sums(40 * PAGE_BYTES));
        assert_eq!(file.len().unwrap(), 40 * PAGE_BYTES);
        assert_eq!(look(&file, 7), Ok(100));
    }

    #[test]
    fn sums_that_could_not_be_written_are_written_by_the_next_sync() {
        let (disk, file) = filled(40);
        put(&file, 7, 100);
        put(&file, 9, 100);
        for at in 0..3 {
            disk.fail(at, false, Fault::InputOutput);
            file.sync_data().unwrap_err();
            assert_eq!(look(&file, 9), Ok(100));
            put(&file, 7, 101);
            put(&file, 9, 100);
        }
        disk.heal();
        file.sync_data().unwrap();
        let other = Pages::new(disk).unwrap();
        assert_eq!((look(&other, 7), look(&other, 9)), (Ok(101), Ok(100)));
    }

    #[test]
    fn a_lost_mark_does_not_hide_that_there_are_sums() {
        for at in MARKS {
            let (disk, _) = filled(4);
            disk.write(0, b"redb").unwrap();
            disk.write(at, &[0; SUM]).unwrap();
            assert_eq!(Pages::new(disk).unwrap().unmarked().unwrap(), None);
        }
    }
}
