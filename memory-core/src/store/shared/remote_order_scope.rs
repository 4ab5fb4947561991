//! What the orders of other stores reach.
//!
//! Each order is judged by the store that signed it and by the targets that this store signed. An
//! owner's order reaches everything that it names. Any other order reaches what its author recorded;
//! but the same record may have arrived from several stores, and then each of them must have ordered
//! it: what one store signs takes nothing away that another one signed too. So it does not matter
//! which of them came first.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::store::WriteTx;
use crate::store::database::checked::ReadableTable;
use crate::store::log::tombstone::{Ordered, is_tombstone, ranges};
use crate::store::shared::alias::{Alias, THIS_STORE};
use crate::store::shared::record_order::MAX_POSITION;
use crate::store::shared::remote_deletes::{
    CHUNK, Targets, has_marks, positions, reached_all, targets_of,
};
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::shared::store_key::StoreKey;
use crate::store::tables;

#[cfg(test)]
thread_local! {
    static ORDERS_READ: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many orders this thread has read.
#[cfg(test)]
pub(crate) fn orders_read() -> u64 {
    ORDERS_READ.with(std::cell::Cell::get)
}

/// How many ranges and ids of orders are kept parsed, some 100 MB: each order is then read once for
/// the records of a batch.
const MAX_PARSED: usize = 4 << 20;

/// A record as a store named it when it signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) store: StoreKey,
    pub(crate) position: u64,
}

/// What an order must do to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Hide it: every order does.
    Hide,
    /// Remove its text.
    Erase,
}

/// The orders that were looked at in a transaction: each is read once, however many records it
/// names. Roles do not change meanwhile.
#[derive(Default)]
pub(crate) struct Orders {
    met: HashMap<u64, Met>,
    parsed: HashMap<u64, Vec<Targets>>,
    parsed_size: usize,
}

/// Who gave an order.
#[derive(Clone, Copy)]
struct Met {
    author: StoreKey,
    is_erasure: bool,
    reaches_all: bool,
    has_marks: bool,
}

impl Met {
    /// Whether its author has what was recorded by a store hidden, whoever else recorded it.
    fn reaches(&self, store: &StoreKey) -> bool {
        self.reaches_all || self.author == *store
    }
}

/// The first and the last key of the rows that may contain a position.
fn rows_around(store: &StoreKey, position: u64) -> ([u8; 32], [u8; 32]) {
    let first = position.saturating_sub(CHUNK - 1);
    let low = tables::ordered_key(store, first, 0);
    (low, tables::ordered_key(store, position, u64::MAX))
}

impl WriteTx<'_> {
    fn met(&self, orders: &mut Orders, order: u64) -> Result<Option<Met>> {
        if let Some(met) = orders.met.get(&order) {
            return Ok(Some(*met));
        }
        let read = self.with_record(order, |view| {
            let record = view.archive()?;
            let kept = record.metadata.map_or("", |metadata| metadata.as_str());
            Ok(record.foreign.as_ref().map(|foreign| Met {
                author: foreign.store,
                is_erasure: view.kind() == EventKind::Erased,
                reaches_all: reached_all(kept),
                has_marks: has_marks(kept),
            }))
        })?;
        #[cfg(test)]
        ORDERS_READ.with(|count| count.set(count.get() + 1));
        let Some(mut met) = read.flatten() else {
            return Ok(None);
        };
        met.reaches_all = met.reaches_all || self.is_owner(&met.author)?;
        orders.met.insert(order, met);
        Ok(Some(met))
    }

    fn targets_of(&self, order: u64) -> Result<Vec<Targets>> {
        let targets = self.with_record(order, |view| match view.is_erased() {
            true => Ok(Vec::new()),
            false => targets_of(order, &view.archive()?),
        })?;
        Ok(targets.unwrap_or_default())
    }

    /// Visits the orders that name a record and are `wanted`, until one of them says to stop.
    fn each_order(
        &self,
        orders: &mut Orders,
        (name, id): (Name, &EventId),
        wanted: impl Fn(&Met) -> bool,
        mut visit: impl FnMut(u64, &Met) -> bool,
    ) -> Result<()> {
        let Name { store, position } = name;
        let ordered = self.transaction.open_table(tables::ORDERED)?;
        let (low, high) = rows_around(&store, position);
        for entry in ordered.range(low.as_slice()..=high.as_slice())? {
            let (key, last) = entry?;
            if last.value() < position {
                continue;
            }
            let order = tables::order_of(key.value());
            // Who gave it is known without reading everything that it names.
            let Some(met) = self.met(orders, order)?.filter(&wanted) else {
                continue;
            };
            if met.has_marks && !self.means(orders, order, name, id)? {
                continue;
            }
            if visit(order, &met) {
                break;
            }
        }
        Ok(())
    }

    /// Whether an order that names records by their ids means this one.
    fn means(&self, orders: &mut Orders, order: u64, name: Name, id: &EventId) -> Result<bool> {
        if !orders.parsed.contains_key(&order) {
            let targets = self.targets_of(order)?;
            let size = |one: &Targets| one.ranges.len() + one.marks.len();
            orders.parsed_size += targets.iter().map(size).sum::<usize>();
            if orders.parsed_size > MAX_PARSED {
                orders.parsed.clear();
                orders.parsed_size = 0;
            }
            orders.parsed.insert(order, targets);
        }
        let mut of_store = orders.parsed[&order]
            .iter()
            .filter(|targets| targets.store == name.store);
        Ok(of_store.any(|targets| targets.means(name.position, id.as_bytes())))
    }

    fn has_order(
        &self,
        orders: &mut Orders,
        named: (Name, &EventId),
        wanted: impl Fn(&Met) -> bool,
    ) -> Result<bool> {
        let mut is_there = false;
        self.each_order(orders, named, wanted, |_, _| {
            is_there = true;
            true
        })?;
        Ok(is_there)
    }

    /// Whether an order hides another store's record that has not arrived under any name yet.
    pub(crate) fn is_ordered(&self, orders: &mut Orders, name: Name, id: &EventId) -> Result<bool> {
        self.has_order(orders, (name, id), |met| met.reaches(&name.store))
    }

    /// Whether one of the orders of [`WriteTx::is_ordered`] is an erasure.
    pub(crate) fn is_ordered_to_be_erased(
        &self,
        orders: &mut Orders,
        name: Name,
        id: &EventId,
    ) -> Result<bool> {
        self.has_order(orders, (name, id), |met| {
            met.is_erasure && met.reaches(&name.store)
        })
    }

    /// Whether the store that recorded it under this name ordered a record to be hidden.
    pub(crate) fn is_ordered_by_its_author(
        &self,
        orders: &mut Orders,
        name: Name,
        id: &EventId,
    ) -> Result<bool> {
        self.has_order(orders, (name, id), |met| met.author == name.store)
    }

    /// The orders of owners about a record, by one of its names; of each, whether it is an erasure.
    pub(crate) fn orders_of_owners(
        &self,
        orders: &mut Orders,
        name: Name,
        id: &EventId,
    ) -> Result<Vec<(u64, bool)>> {
        let mut found = Vec::new();
        let reaches_all = |met: &Met| met.reaches_all;
        self.each_order(orders, (name, id), reaches_all, |order, met| {
            found.push((order, met.is_erasure));
            false
        })?;
        Ok(found)
    }

    /// Whether orders that reach it name all of what a store recorded in these ranges.
    pub(crate) fn is_all_ordered(&self, orders: &mut Orders, targets: &Targets) -> Result<bool> {
        let ordered = self.transaction.open_table(tables::ORDERED)?;
        for (from, to) in positions([targets]) {
            let mut next = from;
            while next <= to {
                let (low, high) = rows_around(&targets.store, next);
                let mut end = 0;
                for entry in ordered.range(low.as_slice()..=high.as_slice())? {
                    let (key, last) = entry?;
                    let order = tables::order_of(key.value());
                    let reaches = |met: Met| met.reaches(&targets.store);
                    if last.value() > end.max(next - 1)
                        && self.met(orders, order)?.is_some_and(reaches)
                    {
                        end = last.value();
                    }
                }
                if end < next {
                    return Ok(false);
                }
                next = end + 1;
            }
        }
        Ok(true)
    }

    /// The names of a record: that under which it is known here, and those under which it arrived
    /// again.
    pub(crate) fn names_of(&self, aliases: &[Alias], seq: u64) -> Result<Vec<Name>> {
        let foreign = self.with_record(seq, |view| {
            let foreign = view.archive()?.foreign;
            Ok(foreign.map(|foreign| (foreign.store, foreign.position)))
        })?;
        let (store, position) = foreign.flatten().unwrap_or((THIS_STORE, seq));
        let mut names = vec![Name { store, position }];
        for alias in aliases.iter().filter(|alias| alias.known == store) {
            if self.is_alias_of(alias, position)? {
                let store = alias.key;
                names.push(Name { store, position });
            }
        }
        Ok(names)
    }

    /// The log positions of what an author names and reaches.
    pub(crate) fn reached(
        &self,
        orders: &mut Orders,
        (author, reaches_all): (StoreKey, bool),
        act: Act,
        targets: &[Targets],
    ) -> Result<Vec<u64>> {
        let mut seqs = Vec::new();
        for targets in targets {
            if reaches_all {
                seqs.extend(self.seqs_meant(targets)?);
            } else if targets.store == author {
                // What others know under another key, each of them must have ordered.
                seqs.extend(self.seqs_named(targets)?.into_iter().map(|(_, seq)| seq));
            }
        }
        // Several names may mean one record.
        seqs.sort_unstable();
        seqs.dedup();
        if reaches_all {
            return Ok(seqs);
        }
        let aliases = self.aliases()?;
        if aliases.is_empty() {
            // Nobody else recorded any of these.
            return Ok(seqs);
        }
        let mut reached = Vec::new();
        for seq in seqs {
            let mut others = self.names_of(&aliases, seq)?;
            others.retain(|name| name.store != author);
            if self.is_ordered_by_each(orders, seq, &others, act)? {
                reached.push(seq);
            }
        }
        Ok(reached)
    }

    /// Whether each of the stores that recorded it ordered a record to be hidden or erased.
    fn is_ordered_by_each(
        &self,
        orders: &mut Orders,
        seq: u64,
        names: &[Name],
        act: Act,
    ) -> Result<bool> {
        let Some(id) = self.id_at(seq)? else {
            return Ok(false);
        };
        for name in names {
            let is_own =
                |met: &Met| met.author == name.store && (act == Act::Hide || met.is_erasure);
            if !self.has_order(orders, (*name, &id), is_own)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a record with these names is hidden by a tombstone because those who recorded it
    /// ordered that, and for no other reason. Then it does not stand for what others signed.
    pub(crate) fn is_hidden_by_its_authors(
        &self,
        orders: &mut Orders,
        (seq, tombstone): (u64, u64),
        names: &[Name],
    ) -> Result<bool> {
        let is_by_this_store = self.with_record(tombstone, |view| {
            let record = view.archive()?;
            let ordered = Ordered::by(&record);
            let is_by_others = ordered.stays || ordered.is_by_others(seq);
            Ok(record.foreign.is_none() && !is_by_others)
        })?;
        let Some(id) = self.id_at(seq)?.filter(|_| is_by_this_store != Some(true)) else {
            return Ok(false);
        };
        for name in names {
            if self.has_order(orders, (*name, &id), |met| met.reaches_all)? {
                return Ok(false);
            }
        }
        self.is_ordered_by_each(orders, seq, names, Act::Hide)
    }

    /// The log positions that another store's order names and reaches.
    pub(crate) fn ordered_seqs(
        &self,
        orders: &mut Orders,
        order: u64,
        act: Act,
    ) -> Result<Vec<u64>> {
        match self.met(orders, order)? {
            Some(met) => {
                let by = (met.author, met.reaches_all);
                self.reached(orders, by, act, &self.targets_of(order)?)
            }
            None => Ok(Vec::new()),
        }
    }

    /// The local positions of what is meant, under whichever names it is known here.
    pub(crate) fn seqs_meant(&self, targets: &Targets) -> Result<Vec<u64>> {
        let mut found = self.seqs_named(targets)?;
        found.extend(self.seqs_by_id(targets, &found)?);
        Ok(found.into_iter().map(|(_, seq)| seq).collect())
    }

    /// The local positions of what is meant and known here by the name in an order, or to be the
    /// same; each by its position in the store that recorded it.
    fn seqs_named(&self, targets: &Targets) -> Result<Vec<(u64, u64)>> {
        let mut named = self.positions_of(&targets.store, &targets.ranges)?;
        named.extend(self.positions_by_other_names(&targets.store, &targets.ranges)?);
        self.only_meant(targets, named)
    }

    /// Those of the records here that are meant.
    fn only_meant(&self, targets: &Targets, found: Vec<(u64, u64)>) -> Result<Vec<(u64, u64)>> {
        if targets.marks.is_empty() {
            return Ok(found);
        }
        let mut meant = Vec::new();
        for (position, seq) in found {
            let id = self.id_at(seq)?;
            if id.is_some_and(|id| targets.means(position, id.as_bytes())) {
                meant.push((position, seq));
            }
        }
        Ok(meant)
    }

    /// Like [`WriteTx::seqs_named`], for what is meant by its id and is not here by the name in the
    /// order. Who gave the order may know under one key what is known here under another: the
    /// position and the id are the same.
    fn seqs_by_id(&self, targets: &Targets, named: &[(u64, u64)]) -> Result<Vec<(u64, u64)>> {
        if targets.marks.is_empty() {
            return Ok(Vec::new());
        }
        let named: BTreeSet<u64> = named.iter().map(|(position, _)| *position).collect();
        let is_missing = |position: &u64| !named.contains(position);
        let missing: Vec<u64> = targets.positions().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let missing = ranges(&missing);
        let mut found = Vec::new();
        for store in self.known_stores()? {
            let here = self.positions_of(&store, &missing)?;
            found.extend(self.only_meant(targets, here)?);
        }
        Ok(found)
    }

    /// This store, and each store of which a record is here.
    fn known_stores(&self) -> Result<Vec<StoreKey>> {
        let origins = self.transaction.open_table(tables::ORIGINS)?;
        let mut stores = vec![THIS_STORE];
        let mut after = tables::origin_key(&THIS_STORE, 0);
        loop {
            let behind = Bound::Excluded(after.as_slice());
            let Some(entry) = origins.range((behind, Bound::Unbounded))?.next() else {
                break;
            };
            let store = tables::store_of(entry?.0.value());
            stores.push(store);
            after = tables::origin_key(&store, u64::MAX);
        }
        Ok(stores)
    }

    /// Whether a record that is named is here or may still arrive: not if another record is
    /// known under each of the names.
    pub(crate) fn may_mean(&self, targets: &Targets) -> Result<bool> {
        if targets.marks.is_empty() {
            return Ok(!targets.ranges.is_empty());
        }
        let named = positions([targets]);
        let count: u64 = named.iter().map(|(from, to)| to - from + 1).sum();
        let here = self.positions_of(&targets.store, &targets.ranges)?.len() as u64;
        Ok(here < count || !self.seqs_meant(targets)?.is_empty())
    }

    /// Takes back that this store declines orders of which nothing is left here: everything that
    /// they name has come and has been erased since.
    pub(in crate::store) fn settle_declined(&mut self) -> Result<()> {
        for author in self.declined_authors()? {
            let mut left = Vec::new();
            for position in self.declined(&author)? {
                if !self.is_settled(&author, position)? {
                    left.push(position);
                }
            }
            self.set_declined(&author, &left)?;
        }
        Ok(())
    }

    fn is_settled(&self, author: &StoreKey, position: u64) -> Result<bool> {
        let Some(order) = self.seq_of_foreign(author, position)? else {
            return Ok(false);
        };
        let targets = self.targets_of(order)?;
        for of_store in targets.chunk_by(|one, next| one.store == next.store) {
            // What the author recorded is refused when it comes.
            if of_store[0].store != *author && !self.is_all_here(of_store)? {
                return Ok(false);
            }
            for targets in of_store {
                if self.any_has_text(&self.seqs_meant(targets)?)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether nothing of what is named of a store can still arrive, by its entries in an order.
    fn is_all_here(&self, of_store: &[Targets]) -> Result<bool> {
        let mut here = BTreeSet::new();
        for targets in of_store {
            let mut found = self.positions_of(&targets.store, &targets.ranges)?;
            found.extend(self.positions_by_other_names(&targets.store, &targets.ranges)?);
            found.extend(self.seqs_by_id(targets, &found)?);
            here.extend(found.into_iter().map(|(position, _)| position));
        }
        let named = positions(of_store);
        let count: u64 = named.iter().map(|(from, to)| to - from + 1).sum();
        Ok(here.len() as u64 == count)
    }

    /// Whether any of these records still has its text; orders have none.
    pub(crate) fn any_has_text(&self, seqs: &[u64]) -> Result<bool> {
        for &seq in seqs {
            if !self.is_erased(seq)? && !self.kind_at(seq)?.is_some_and(is_tombstone) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The orders of another store, in the order of this log.
    pub(crate) fn orders_of(&self, author: &StoreKey) -> Result<Vec<u64>> {
        let mut orders = Vec::new();
        for (_, seq) in self.positions_of(author, &[(0, MAX_POSITION)])? {
            if self.kind_at(seq)?.is_some_and(is_tombstone) && !self.is_erased(seq)? {
                orders.push(seq);
            }
        }
        orders.sort_unstable();
        Ok(orders)
    }
}
