//! Erase orders: what an erasure still has to remove outside of the live generation, recorded in
//! the transaction that fills that generation.
//!
//! An order contains the number of the generation that the erasure made. Older generation files may
//! contain the erased text, and side files may contain vectors of erased events; the store lists
//! these events until no side file has their vectors. The order stays open until all such files are
//! gone, and every process that opens or maintains the store continues with it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::checked::ReadableTable;
use super::fail_points::fail_point;
use super::leftovers;
use super::meta::{Reader, seal};
use super::panics::catch_panic;
use super::tables;
use super::word_files::{FilesLock, remove_unused};
use super::{ReadTx, Store, WriteTx};
use crate::index::side_file;
use crate::model::error::Result;

/// Key of the open orders in the meta table.
const ORDERS_KEY: &str = "erase_orders";

/// How long an erasure waits for other processes to close an old file. Later passes do not wait.
pub(crate) const CLEAN_WAIT: Duration = Duration::from_secs(2);

/// An erasure that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingErasure {
    /// The position of the event that records the erasure.
    pub(crate) tombstone: u64,
    /// The generation that the erasure made; older files may contain the text.
    pub(crate) generation: u64,
}

/// What a pass over the open orders did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// Orders that were completed.
    pub(crate) completed: u64,
    /// Files that were overwritten and removed, described for the user.
    pub(crate) places: Vec<String>,
    /// Files that may still contain erased text, described for the user.
    pub(crate) open: Vec<String>,
}

fn decode(bytes: &[u8]) -> Result<Vec<PendingErasure>> {
    let mut from = Reader::unseal("list of erase orders", bytes)?;
    (0..from.u32()?)
        .map(|_| {
            Ok(PendingErasure {
                tombstone: from.u64()?,
                generation: from.u64()?,
            })
        })
        .collect()
}

fn encode(orders: &[PendingErasure]) -> Vec<u8> {
    let mut out = (orders.len() as u32).to_le_bytes().to_vec();
    for order in orders {
        out.extend_from_slice(&order.tombstone.to_le_bytes());
        out.extend_from_slice(&order.generation.to_le_bytes());
    }
    seal(out)
}

fn orders_in(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Vec<PendingErasure>> {
    match table.get(ORDERS_KEY)? {
        Some(bytes) => decode(bytes.value()),
        None => Ok(Vec::new()),
    }
}

impl ReadTx {
    /// The open erase orders, oldest first.
    pub(crate) fn erase_orders(&self) -> Result<Vec<PendingErasure>> {
        catch_panic(|| orders_in(&self.transaction.open_table(tables::META)?))
    }
}

impl WriteTx<'_> {
    pub(crate) fn erase_orders(&self) -> Result<Vec<PendingErasure>> {
        orders_in(&self.transaction.open_table(tables::META)?)
    }

    pub(crate) fn set_erase_orders(&mut self, orders: &[PendingErasure]) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        if orders.is_empty() {
            table.remove(ORDERS_KEY)?;
        } else {
            table.insert(ORDERS_KEY, encode(orders).as_slice())?;
        }
        Ok(())
    }

    /// The generation to which the transaction writes.
    pub(crate) fn generation(&self) -> u64 {
        self.meta.generation
    }
}

/// A file that may contain erased text.
struct Unclean {
    path: PathBuf,
    is_generation: bool,
}

impl Unclean {
    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.is_generation {
            true => format!("old generation {name}"),
            false => format!("side file {name}"),
        }
    }
}

impl Store {
    /// Continues with the open erase orders: overwrites and removes the files older than their
    /// generations, and closes the orders for which none is left. Waits up to `wait` for a file
    /// that another process has open, then leaves it to the next pass.
    pub(crate) fn go_on_erasing(&self, wait: Duration) -> Result<Cleaned> {
        let mut cleaned = Cleaned::default();
        let orders = self.read()?.erase_orders()?;
        let Some(newest) = orders.iter().map(|order| order.generation).max() else {
            return Ok(cleaned);
        };
        // The old files may be removed only once `CURRENT` no longer names one of them.
        self.name_live()?;
        let live = self.read()?.generation();
        let newest = newest.min(live);
        self.clean_before(newest, wait, &mut cleaned)?;
        // Held until the orders are closed. Whoever writes segment files holds this lock from
        // before its snapshot, so no words of an older generation can be written meanwhile.
        // Without a folder, nobody writes any.
        let turn = self.lock_files_for(0, wait);
        self.clean_words(&turn, wait, &mut cleaned)?;
        self.folder.sync()?;
        cleaned.completed = self.write(|tx| {
            let mut orders = tx.erase_orders()?;
            let before = orders.len();
            let mut open = Vec::new();
            for order in orders.drain(..) {
                let is_clean = turn.is_sure() && self.unclean_before(order.generation)?.is_empty();
                if !is_clean {
                    open.push(order);
                }
            }
            if open.len() != before {
                tx.set_erase_orders(&open)?;
                tx.settle_declined()?;
            }
            Ok((before - open.len()) as u64)
        })?;
        cleaned.open = self.unclean_names(newest)?;
        if cleaned.open.is_empty() && !self.read()?.erase_orders()?.is_empty() {
            // Another process holds the lock and may still write a file from an older snapshot, or
            // the folder cannot be read.
            cleaned.open.push(self.index_place().name());
        }
        Ok(cleaned)
    }

    /// Overwrites and removes segment files to which no live descriptor refers.
    fn clean_words(&self, turn: &FilesLock, wait: Duration, done: &mut Cleaned) -> Result<()> {
        if !turn.is_sure() {
            return Ok(());
        }
        for path in self.clean_files(turn, wait)? {
            let unclean = Unclean {
                path,
                is_generation: false,
            };
            done.places
                .push(format!("{}: overwritten and removed", unclean.name()));
        }
        Ok(())
    }

    fn index_place(&self) -> Unclean {
        Unclean {
            path: self.folder.index(),
            is_generation: false,
        }
    }

    /// The number of open orders, and the files that they wait for.
    pub(crate) fn open_erasures(&self) -> Result<(u64, Vec<String>)> {
        let orders = self.read()?.erase_orders()?;
        let places = match orders.iter().map(|order| order.generation).max() {
            Some(newest) => self.unclean_names(newest)?,
            None => Vec::new(),
        };
        Ok((orders.len() as u64, places))
    }

    /// The files that an order of this generation still waits for, described for the user.
    fn unclean_names(&self, generation: u64) -> Result<Vec<String>> {
        let unclean = self.unclean_before(generation)?;
        Ok(unclean.iter().map(Unclean::name).collect())
    }

    /// Overwrites and removes what may contain erased text, waiting up to `wait` for what is in
    /// use. What stays in use keeps nothing else from being removed.
    fn clean_before(&self, generation: u64, wait: Duration, done: &mut Cleaned) -> Result<()> {
        let begun = Instant::now();
        for unclean in self.unclean_before(generation)? {
            if !unclean.is_generation {
                continue;
            }
            fail_point("overwrite an old generation")?;
            if remove_unused((begun, wait), || self.engine.remove(&unclean.path))? {
                fail_point("an old generation is gone")?;
                done.places
                    .push(format!("{}: overwritten and removed", unclean.name()));
            }
        }
        let side_files = self.unclean_side_files()?;
        fail_point("overwrite the side files")?;
        if self.clean_side_files(wait.saturating_sub(begun.elapsed()))? {
            fail_point("the vectors are gone")?;
            side_file::remove_strangers(&self.folder.index())?;
            fail_point("the side files are gone")?;
            done.places.extend(side_files.into_iter().map(|path| {
                let unclean = Unclean {
                    path,
                    is_generation: false,
                };
                format!("{}: overwritten and removed", unclean.name())
            }));
        }
        Ok(())
    }

    /// The files that may contain erased text of generations before this one; generation files
    /// first.
    fn unclean_before(&self, generation: u64) -> Result<Vec<Unclean>> {
        let mut found: Vec<Unclean> = leftovers::list(&self.folder, generation)?
            .into_iter()
            .map(|path| Unclean {
                path,
                is_generation: true,
            })
            .collect();
        let mut side = self.unclean_side_files()?;
        side.extend(self.unnamed_files()?);
        if side.is_empty() && !self.read()?.unclean_vectors()?.is_empty() {
            // Another builder is running and may still write such a file.
            side.push(self.folder.index());
        }
        found.extend(side.into_iter().map(|path| Unclean {
            path,
            is_generation: false,
        }));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_back_and_notice_damage() {
        let orders = [
            PendingErasure {
                tombstone: 9,
                generation: 2,
            },
            PendingErasure {
                tombstone: 12,
                generation: 4,
            },
        ];
        let bytes = encode(&orders);
        assert_eq!(decode(&bytes).unwrap(), orders);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 4;
            assert!(decode(&broken).is_err(), "byte {at}");
        }
    }
}
