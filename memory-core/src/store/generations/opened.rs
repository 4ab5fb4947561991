//! The process-wide table of open stores: handles on one folder share one store, so that
//! the process has its file open only once.
//!
//! After `fork`, the child has the parent's memory but none of its other threads. One of
//! them may have held the table's lock, which then stays locked in the child for ever. So
//! each process has a table of its own, and its first opening after a fork takes a table
//! whose lock is free. It does not contain the parent's stores: the child must never use
//! the parent's handles, whose file locks belong to the parent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::Store;

/// The state of a folder's store in this process.
enum Slot {
    /// A thread is opening it, which can take as long as another process holds it.
    Opening,
    Open(Weak<Store>),
}

/// By folder.
type Stores = BTreeMap<PathBuf, Slot>;

/// A table is lost to a process and its descendants if the parent forked while a thread was
/// opening; a long chain of such forks is very unlikely.
const TABLES: usize = 16;

/// How often a table is looked for: threads that search at the same time each occupy one
/// for a moment.
const ATTEMPTS: u32 = 1_000;

/// The tables of this process and of its ancestors.
struct Opened {
    /// The process that owns a table, in the upper half, and the table's index.
    owner: AtomicU64,
    tables: [Table; TABLES],
}

/// The lock is held only briefly, never while a store is opened: a folder held by another
/// process must not block opening other folders.
struct Table {
    stores: Mutex<Stores>,
    /// Signals the end of an opening. One per table, so that a child never meets the
    /// waiting threads of its parent.
    done: Condvar,
}

static OPENED: Opened = Opened::new();

/// The open store of a folder, or the turn to open it.
pub(in crate::store) enum FoundStore {
    Open(Arc<Store>),
    Turn(Turn),
}

/// One thread's exclusive right to open the store of a folder; the others wait until it is
/// dropped.
pub(in crate::store) struct Turn {
    folder: PathBuf,
    opened: Weak<Store>,
}

/// Waits while another thread of this process is opening the same folder.
pub(in crate::store) fn find(folder: &Path) -> Result<FoundStore> {
    let (mut stores, done) = OPENED.table_of(std::process::id())?;
    stores.retain(|_, slot| match slot {
        Slot::Opening => true,
        Slot::Open(store) => store.strong_count() > 0,
    });
    loop {
        match stores.get(folder) {
            Some(Slot::Opening) => done.wait(&mut stores),
            Some(Slot::Open(store)) => match store.upgrade() {
                Some(store) => return Ok(FoundStore::Open(store)),
                // Its last handle was dropped a moment ago.
                None => stores.remove(folder).map_or((), drop),
            },
            None => break,
        }
    }
    stores.insert(folder.to_owned(), Slot::Opening);
    Ok(FoundStore::Turn(Turn {
        folder: folder.to_owned(),
        opened: Weak::new(),
    }))
}

/// Has the next opening of a folder open the store that is in it now, instead of this one.
pub(in crate::store) fn forget(folder: &Path, store: &Arc<Store>) -> Result<()> {
    let (mut stores, _) = OPENED.table_of(std::process::id())?;
    // Another thread may have opened it anew already.
    if matches!(stores.get(folder), Some(Slot::Open(open)) if open.as_ptr() == Arc::as_ptr(store)) {
        stores.remove(folder);
    }
    Ok(())
}

impl Turn {
    /// Publishes the opened store to the other threads.
    pub(in crate::store) fn opened(mut self, store: &Arc<Store>) {
        self.opened = Arc::downgrade(store);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The entry was made when the turn was taken.
        let Ok((mut stores, done)) = OPENED.table_of(std::process::id()) else {
            return;
        };
        let folder = std::mem::take(&mut self.folder);
        match self.opened.strong_count() {
            0 => stores.remove(&folder).map_or((), drop),
            _ => {
                let opened = std::mem::take(&mut self.opened);
                stores.insert(folder, Slot::Open(opened));
            }
        }
        done.notify_all();
    }
}

impl Opened {
    const fn new() -> Self {
        Opened {
            owner: AtomicU64::new(0),
            tables: [const {
                Table {
                    stores: Mutex::new(Stores::new()),
                    done: Condvar::new(),
                }
            }; TABLES],
        }
    }

    fn table_of(&self, process: u32) -> Result<(MutexGuard<'_, Stores>, &Condvar)> {
        for _ in 0..ATTEMPTS {
            let owner = self.owner.load(Ordering::Acquire);
            let index = (owner as u32) as usize;
            if (owner >> 32) as u32 == process {
                let table = &self.tables[index];
                return Ok((table.stores.lock(), &table.done));
            }
            if let Some(table) = self.take_after(index, owner, process) {
                return Ok(table);
            }
            std::thread::yield_now();
        }
        Err(Error::new(
            ErrorCode::Unsupported,
            "too many forked ancestors of this process have stores open; \
             open it in a newly started process",
        ))
    }

    /// Claims a free table for a process that has none; only one thread succeeds.
    fn take_after(
        &self,
        index: usize,
        owner: u64,
        process: u32,
    ) -> Option<(MutexGuard<'_, Stores>, &Condvar)> {
        let others = (1..=TABLES).map(|step| (index + step) % TABLES);
        let (index, mut stores) = others
            .filter_map(|index| Some((index, self.tables[index].stores.try_lock()?)))
            .next()?;
        let mine = (u64::from(process) << 32) | index as u64;
        self.owner
            .compare_exchange(owner, mine, Ordering::AcqRel, Ordering::Acquire)
            .ok()?;
        // Not earlier: before this, another thread could have taken it.
        stores.clear();
        Some((stores, &self.tables[index].done))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::clock::{RandomIds, SystemClock};
    use crate::store::StoreOptions;
    use crate::store::generations::opened::*;

    fn options() -> StoreOptions {
        StoreOptions {
            create: true,
            exclusive: false,
            cache_bytes: 1 << 20,
            busy_timeout: Duration::from_secs(60),
            allow_network_folder: true,
        }
    }

    fn open(folder: &Path) -> Result<Arc<Store>> {
        Store::open(
            folder,
            &options(),
            Arc::new(SystemClock),
            Arc::new(RandomIds),
        )
    }

    fn is_opening(folder: &Path) -> bool {
        let (stores, _) = OPENED.table_of(std::process::id()).unwrap();
        matches!(stores.get(folder), Some(Slot::Opening))
    }

    #[test]
    fn a_folder_that_another_process_holds_keeps_nobody_from_opening_others() {
        let (held, free) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = held.path().canonicalize().unwrap();
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
        let other = Store::open_unshared(&path, &options(), clock, ids).unwrap();
        std::thread::scope(|scope| {
            let waiting = other
                .write(|_| {
                    let waiting = [(); 3].map(|()| scope.spawn(|| open(&path).unwrap()));
                    while !is_opening(&path) {
                        std::thread::yield_now();
                    }
                    open(free.path())?;
                    assert!(is_opening(&path), "the other folder waited for this one");
                    Ok(waiting)
                })
                .unwrap();
            let opened = waiting.map(|thread| thread.join().unwrap());
            assert!(opened.iter().all(|store| Arc::ptr_eq(store, &opened[0])));
        });
        let error = open(&path.join("CURRENT")).expect_err("no folder");
        assert!(!is_opening(&path.join("CURRENT")), "{error}");
    }

    #[test]
    fn opening_beside_a_writer_that_stands_still_ends_with_busy() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let options = StoreOptions {
                busy_timeout: Duration::from_millis(1),
                ..options()
            };
            let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
            Store::open_unshared(folder.path(), &options, clock, ids)
        };
        let other = open().unwrap();
        let error = other.write(|_| Ok(open().expect_err("the writer has its turn")));
        let error = error.unwrap();
        assert_eq!(error.code(), ErrorCode::Busy);
        assert!(error.is_retryable() && !error.needs_reopen());
        open().unwrap();
    }

    #[test]
    fn a_table_that_the_parent_held_at_the_fork_does_not_stop_the_child() {
        let opened = Opened::new();
        let mut held = Vec::new();
        // Each child is forked while its parent is opening.
        for process in 1..=TABLES as u32 {
            let (mut table, _) = opened.table_of(process).expect("a free table");
            assert!(
                table.is_empty(),
                "what the parent has open is not the child's"
            );
            table.insert("a".into(), Slot::Open(Weak::new()));
            held.push(table);
        }
        let error = opened.table_of(100).map(drop).expect_err("all are held");
        assert_eq!(error.code(), ErrorCode::Unsupported);
        drop(held.remove(3));
        let (table, _) = opened.table_of(100).expect("a free table");
        assert!(table.is_empty());
    }

    #[test]
    fn threads_of_a_process_share_its_table() {
        let opened = Opened::new();
        drop(opened.table_of(1));
        std::thread::scope(|scope| {
            for number in 0..40 {
                let opened = &opened;
                scope.spawn(move || {
                    let (mut table, _) = opened.table_of(2).expect("a table");
                    table.insert(format!("{number}").into(), Slot::Open(Weak::new()));
                });
            }
        });
        assert_eq!(opened.table_of(2).expect("a table").0.len(), 40);
    }
}
