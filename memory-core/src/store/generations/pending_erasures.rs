//! Erase requests and erase orders: what an erasure still has to remove, first from the live
//! generation and then outside of it.
//!
//! A request names the events that are to be erased and still are in the live generation. It is
//! written before anything else, so that an erasure whose process is killed is carried out by the
//! next one. The generation without these events has an order in place of the request, written in
//! the transaction that fills that generation.
//!
//! An order contains the number of the generation that the erasure made. Older generation files may
//! contain the erased text, and side files may contain vectors of erased events; the store lists
//! these events until no side file has their vectors. The order stays open until all such files are
//! gone, and every process that opens or maintains the store continues with it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::index::side_file::{self, Wiped};
use crate::model::error::Result;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::generations::fail_points::fail_point;
use crate::store::generations::leftovers;
use crate::store::index_tables::word_files::{FilesLock, remove_unused};
use crate::store::log::tombstone::{ranges, seqs_in};
use crate::store::meta::{Reader, seal};
use crate::store::tables;
use crate::store::{ReadTx, Store, WriteTx};

/// Key of the open orders in the meta table.
const ORDERS_KEY: &str = "erase_orders";

/// Key of the open requests in the meta table.
const REQUESTS_KEY: &str = "erase_requests";

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

/// Events that are to be erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EraseRequest {
    /// Their positions, as inclusive ranges in order.
    ranges: Vec<(u64, u64)>,
}

impl EraseRequest {
    fn seqs(&self) -> impl Iterator<Item = u64> {
        seqs_in(&self.ranges)
    }
}

/// What a pass over the open orders did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// How many requests are open.
    pub(crate) requests: usize,
    /// Orders that were completed.
    pub(crate) completed: u64,
    /// Files that were removed, described for the user.
    pub(crate) places: Vec<String>,
    /// Whether one of them could not be overwritten.
    pub(crate) has_not_overwritten: bool,
    /// Files that may still contain erased text, described for the user.
    pub(crate) open: Vec<String>,
}

impl Cleaned {
    /// Adds a file that is gone.
    fn add(&mut self, gone: &Unclean, wiped: Wiped) {
        let how = match wiped {
            Wiped::Removed => "removed; it could not be overwritten",
            _ => "overwritten and removed",
        };
        self.has_not_overwritten |= wiped == Wiped::Removed;
        self.places.push(format!("{}: {how}", gone.name()));
    }
}

/// The erasures that are not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenErasures {
    /// How many are to be carried out.
    pub(crate) requested: u64,
    /// How many were carried out and wait for files that are in use.
    pub(crate) ordered: u64,
    /// The files that may contain the text, described for the user.
    pub(crate) places: Vec<String>,
}

impl OpenErasures {
    pub(crate) fn count(&self) -> u64 {
        self.requested + self.ordered
    }
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

fn requests_in(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Vec<EraseRequest>> {
    let Some(bytes) = table.get(REQUESTS_KEY)? else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("list of erase requests", bytes.value())?;
    (0..from.u32()?)
        .map(|_| {
            let ranges = (0..from.u32()?).map(|_| Ok((from.u64()?, from.u64()?)));
            Ok(EraseRequest {
                ranges: ranges.collect::<Result<_>>()?,
            })
        })
        .collect()
}

fn encode_requests(requests: &[EraseRequest]) -> Vec<u8> {
    let mut out = (requests.len() as u32).to_le_bytes().to_vec();
    for request in requests {
        out.extend_from_slice(&(request.ranges.len() as u32).to_le_bytes());
        for (from, to) in &request.ranges {
            out.extend_from_slice(&from.to_le_bytes());
            out.extend_from_slice(&to.to_le_bytes());
        }
    }
    seal(out)
}

impl ReadTx {
    /// The open erase orders, oldest first.
    pub(crate) fn erase_orders(&self) -> Result<Vec<PendingErasure>> {
        catch_panic(|| orders_in(&self.transaction.open_table(tables::META)?))
    }

    /// The open erase requests, oldest first.
    pub(crate) fn erase_requests(&self) -> Result<Vec<EraseRequest>> {
        catch_panic(|| requests_in(&self.transaction.open_table(tables::META)?))
    }

    /// The events of these requests and at these positions that are not erased yet, in order.
    pub(crate) fn not_erased(&self, requests: &[EraseRequest], more: &[u64]) -> Result<Vec<u64>> {
        let mut seqs: BTreeSet<u64> = requests.iter().flat_map(EraseRequest::seqs).collect();
        seqs.extend(more);
        let mut left = Vec::with_capacity(seqs.len());
        for seq in seqs {
            if self.with_record(seq, |view| Ok(view.is_erased()))? == Some(false) {
                left.push(seq);
            }
        }
        Ok(left)
    }
}

impl WriteTx<'_> {
    /// Adds a request to erase those of these events, given in order, that are not erased. Returns
    /// them, and whether there was no such request.
    pub(crate) fn request_erasure(&mut self, seqs: &[u64]) -> Result<(Vec<u64>, bool)> {
        let mut left = Vec::with_capacity(seqs.len());
        for &seq in seqs {
            if !self.is_erased(seq)? {
                left.push(seq);
            }
        }
        let request = EraseRequest {
            ranges: ranges(&left),
        };
        let mut requests = self.erase_requests()?;
        let is_new = !left.is_empty() && !requests.contains(&request);
        if is_new {
            requests.push(request);
            self.set_erase_requests(&requests)?;
        }
        Ok((left, is_new))
    }

    /// Removes the requests of which nothing is left.
    pub(crate) fn close_erase_requests(&mut self) -> Result<()> {
        let mut open = Vec::new();
        for request in self.erase_requests()? {
            let mut is_open = false;
            for seq in request.seqs() {
                is_open = is_open || !self.is_erased(seq)?;
            }
            if is_open {
                open.push(request);
            }
        }
        self.set_erase_requests(&open)
    }

    fn erase_requests(&self) -> Result<Vec<EraseRequest>> {
        requests_in(&self.transaction.open_table(tables::META)?)
    }

    pub(crate) fn set_erase_requests(&mut self, requests: &[EraseRequest]) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        if requests.is_empty() {
            table.remove(REQUESTS_KEY)?;
        } else {
            table.insert(REQUESTS_KEY, encode_requests(requests).as_slice())?;
        }
        Ok(())
    }

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
    pub(crate) fn resume_erasures(&self, wait: Duration) -> Result<Cleaned> {
        let read = self.read()?;
        let orders = read.erase_orders()?;
        let mut cleaned = Cleaned {
            requests: read.erase_requests()?.len(),
            ..Cleaned::default()
        };
        drop(read);
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
        for (path, wiped) in self.clean_files(turn, wait)? {
            let unclean = Unclean {
                path,
                is_generation: false,
            };
            done.add(&unclean, wiped);
        }
        Ok(())
    }

    fn index_place(&self) -> Unclean {
        Unclean {
            path: self.folder.index(),
            is_generation: false,
        }
    }

    /// The open requests and orders, and the files that may contain the text.
    pub(crate) fn open_erasures(&self) -> Result<OpenErasures> {
        let read = self.read()?;
        let (requests, orders) = (read.erase_requests()?, read.erase_orders()?);
        let live = read.generation();
        drop(read);
        let mut places = match orders.iter().map(|order| order.generation).max() {
            Some(newest) => self.unclean_names(newest)?,
            None => Vec::new(),
        };
        if !requests.is_empty() {
            places.push(self.live_name(live));
        }
        Ok(OpenErasures {
            requested: requests.len() as u64,
            ordered: orders.len() as u64,
            places,
        })
    }

    /// The live generation, which requests wait for, described for the user.
    pub(crate) fn live_name(&self, generation: u64) -> String {
        let path = self.folder.generation_file(generation);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!("the store file {name}, until an erasure is carried out")
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
            let wiped = remove_unused((begun, wait), || self.engine.remove(&unclean.path))?;
            if wiped.is_gone() {
                fail_point("an old generation is gone")?;
                done.add(&unclean, wiped);
            }
        }
        let side_files = self.unclean_side_files()?;
        fail_point("overwrite the side files")?;
        if self.clean_side_files(wait.saturating_sub(begun.elapsed()))? {
            fail_point("the vectors are gone")?;
            side_file::remove_strangers(&self.folder.index())?;
            fail_point("the side files are gone")?;
            for path in side_files {
                let unclean = Unclean {
                    path,
                    is_generation: false,
                };
                done.add(&unclean, Wiped::Overwritten);
            }
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
    use crate::store::generations::pending_erasures::*;

    #[test]
    fn requests_come_back_and_notice_damage() {
        let folder = tempfile::tempdir().unwrap();
        let memory = crate::Memory::open(folder.path()).unwrap();
        for number in 0..9 {
            let text = format!("text {number}");
            let event = crate::NewEvent::new(crate::EventKind::UserPrompt, "s", text);
            memory.append(event).unwrap();
        }
        let ask = |seqs: &'static [u64]| {
            let asked = memory.engine.store.write(|tx| tx.request_erasure(seqs));
            asked.unwrap()
        };
        assert_eq!(ask(&[2, 3, 7]), (vec![2, 3, 7], true));
        assert_eq!(ask(&[3]), (vec![3], true));
        assert_eq!(ask(&[2, 3, 7]), (vec![2, 3, 7], false));
        let read = memory.engine.store.read().unwrap();
        let requests = read.erase_requests().unwrap();
        assert_eq!(requests.len(), 2);
        assert_eq!(
            read.not_erased(&requests, &[9, 1]).unwrap(),
            [1, 2, 3, 7, 9]
        );
        let mut bytes = encode_requests(&requests);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let harm = |tx: &mut WriteTx<'_>| {
            let mut table = tx.transaction.open_table(tables::META)?;
            table.insert(REQUESTS_KEY, bytes.as_slice())?;
            Ok(())
        };
        memory.engine.store.write(harm).unwrap();
        let read = memory.engine.store.read().unwrap();
        assert_eq!(
            read.erase_requests().unwrap_err().code(),
            crate::ErrorCode::Corrupt
        );
    }

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
