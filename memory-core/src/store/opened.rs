//! The stores that a process has open, by folder: handles on one folder share one
//! store, so that the process has its file open once.
//!
//! A child after `fork` has the parent's memory but none of its other threads. One
//! of them may have been opening a store at that moment: its lock is held for ever
//! in the child. So each process has a table of its own, and the first opening after
//! a fork takes one whose lock is free. What the parent had open is not in it: the
//! child must never use the parent's handle, whose file locks belong to the parent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Weak;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::Store;
use crate::model::error::{Error, ErrorCode, Result};

/// By folder.
pub(super) type Stores = BTreeMap<PathBuf, Weak<Store>>;

/// A table is lost for a process and all that it forks when its parent forked
/// while a thread was opening; a chain of so many such forks is unheard of.
const TABLES: usize = 16;

/// How often a table is looked for: threads that look at the same time take one
/// each for a moment.
const ATTEMPTS: u32 = 1_000;

/// The tables of a process and those of the processes that it was forked from.
struct Opened {
    /// The process that has a table, in the upper half, and which one.
    owner: AtomicU64,
    tables: [Mutex<Stores>; TABLES],
}

static OPENED: Opened = Opened::new();

/// The table of this process.
pub(super) fn stores() -> Result<MutexGuard<'static, Stores>> {
    OPENED.table_of(std::process::id())
}

impl Opened {
    const fn new() -> Self {
        Opened {
            owner: AtomicU64::new(0),
            tables: [const { Mutex::new(Stores::new()) }; TABLES],
        }
    }

    fn table_of(&self, process: u32) -> Result<MutexGuard<'_, Stores>> {
        for _ in 0..ATTEMPTS {
            let owner = self.owner.load(Ordering::Acquire);
            let index = (owner as u32) as usize;
            if (owner >> 32) as u32 == process {
                return Ok(self.tables[index].lock());
            }
            if let Some(table) = self.take_after(index, owner, process) {
                return Ok(table);
            }
            std::thread::yield_now();
        }
        Err(Error::new(
            ErrorCode::Unsupported,
            "this process was forked again and again while its parents opened stores; \
             open it in a process that is started anew",
        ))
    }

    /// Takes a free table for a process that has none. One thread of it succeeds.
    fn take_after(&self, index: usize, owner: u64, process: u32) -> Option<MutexGuard<'_, Stores>> {
        let others = (1..=TABLES).map(|step| (index + step) % TABLES);
        let (index, mut table) = others
            .filter_map(|index| Some((index, self.tables[index].try_lock()?)))
            .next()?;
        let mine = (u64::from(process) << 32) | index as u64;
        self.owner
            .compare_exchange(owner, mine, Ordering::AcqRel, Ordering::Acquire)
            .ok()?;
        // Only now: before, it could be one that another thread has taken.
        table.clear();
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_the_parent_held_at_the_fork_does_not_stop_the_child() {
        let opened = Opened::new();
        let mut held = Vec::new();
        // Each child is forked while its parent opens.
        for process in 1..=TABLES as u32 {
            let mut table = opened.table_of(process).expect("a free table");
            assert!(
                table.is_empty(),
                "what the parent has open is not the child's"
            );
            table.insert("a".into(), Weak::new());
            held.push(table);
        }
        let error = opened.table_of(100).map(drop).expect_err("all are held");
        assert_eq!(error.code(), ErrorCode::Unsupported);
        drop(held.remove(3));
        let table = opened.table_of(100).expect("a free table");
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
                    let mut table = opened.table_of(2).expect("a table");
                    table.insert(format!("{number}").into(), Weak::new());
                });
            }
        });
        assert_eq!(opened.table_of(2).expect("a table").len(), 40);
    }
}
