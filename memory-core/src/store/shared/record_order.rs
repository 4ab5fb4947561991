//! The record order: the total order of records on which all stores that share them agree.
//!
//! It is that of a record's stamp, its position in the store that recorded it, and its id. The
//! stamp is a hybrid logical clock: the time in the event's id, but never less than the stamp of an
//! earlier record of the same store, and more than any stamp that this store had received before,
//! unless that was more than a century ahead. So a store's own records keep their log order, and an
//! answer comes after what it answers, even if a clock is wrong by decades. A store whose own clock
//! was more than a century ahead once does not follow that: nobody would accept its later records.
//!
//! The order depends on the log alone. Other stores' records carry their stamps; an own stamp is
//! the time in the id unless the table of stamps has another.

use crate::model::error::Result;
use crate::model::ids::EventId;
use crate::store::database::checked::{ReadOnlyTable, ReadableTable};
use crate::store::database::panics::catch_panic;
use crate::store::log::record::{Foreign, Record, RecordView, Text};
use crate::store::shared::alias::{Alias, THIS_STORE};
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::shared::store_key::StoreKey;
use crate::store::tables;
use crate::store::{ReadTx, State, WriteTx};

/// The maximum length of a log: greater claims are rejected, and sums of positions never
/// overflow.
pub(crate) const MAX_POSITION: u64 = i64::MAX as u64;

/// The name of a record in the store that recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignName {
    pub(crate) store: StoreKey,
    pub(crate) position: u64,
    pub(crate) stamp_ms: i64,
    pub(crate) citation: String,
}

impl ForeignName {
    pub(in crate::store) fn as_foreign(&self) -> Foreign<'_> {
        Foreign {
            store: self.store,
            position: self.position,
            stamp_ms: self.stamp_ms,
            citation: Text(&self.citation),
        }
    }
}

/// A record's place in the order that all stores agree on. The key of its store does not count:
/// after a restore or a renewal, some know a record under one key and some under another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordOrder {
    pub(crate) stamp_ms: i64,
    pub(crate) position: u64,
    pub(crate) id: [u8; 16],
    /// The store by which this one knows it; equal ids have decided before.
    pub(crate) store: StoreKey,
}

/// The time in an event id, a UUIDv7, in milliseconds since 1970.
fn id_ms(id: &[u8; 16]) -> i64 {
    let mut millis = [0; 8];
    millis[2..].copy_from_slice(&id[..6]);
    i64::from_be_bytes(millis)
}

/// A store with a fast clock pulls the stamps of others at most this far ahead of their own
/// clocks: a century.
const MAX_AHEAD_MS: i64 = 36_525 * 24 * 60 * 60 * 1000;

/// A store follows its own stamps a little further, whatever its clock does meanwhile.
const OWN_AHEAD_MS: i64 = MAX_AHEAD_MS / 20 * 21;

/// What is stamped further ahead is not accepted, because no later record of another store could
/// come after it. A clock that is some years late accepts what was pulled as far as possible.
pub(crate) const ACCEPTED_AHEAD_MS: i64 = MAX_AHEAD_MS / 10 * 11;

impl State {
    /// Stamps this store's next record; `Some` if the stamp differs from the time in its
    /// id.
    pub(in crate::store) fn stamp(&mut self, id: &[u8; 16]) -> Option<i64> {
        let now = id_ms(id);
        if self.own_stamp_ms > now + OWN_AHEAD_MS {
            // The clock was wrong by more than a century. The record counts as one of another store
            // that cannot be followed.
            self.saw_stamp(self.own_stamp_ms);
            self.own_stamp_ms = 0;
        }
        let after_others = self.seen_stamp_ms.min(now + MAX_AHEAD_MS);
        let stamp = now.max(self.own_stamp_ms).max(after_others);
        self.own_stamp_ms = stamp;
        (stamp != now).then_some(stamp)
    }

    /// Whether another store's record would come after what this store records now.
    pub(crate) fn is_ahead_of_own(&self) -> bool {
        self.seen_stamp_ms > self.own_stamp_ms
    }

    /// Whether the record order may be another one than that of the log: there are records of other
    /// stores, or later records of this store could not follow an earlier one.
    pub(crate) fn may_be_reordered(&self) -> bool {
        self.seen_stamp_ms > 0
    }

    /// Makes this store's next records come after a received one.
    pub(in crate::store) fn saw_stamp(&mut self, stamp_ms: i64) {
        self.seen_stamp_ms = self.seen_stamp_ms.max(stamp_ms.saturating_add(1));
    }
}

/// Computes places in the record order. `own` is the key of the store itself; all zeros while it has none.
pub(crate) struct RecordOrders<S> {
    own: StoreKey,
    /// The keys under which others know what this store recorded before it had its own.
    former: Vec<Alias>,
    stamps: S,
}

impl<S: ReadableTable<u64, i64>> RecordOrders<S> {
    pub(in crate::store) fn new(own: StoreKey, mut former: Vec<Alias>, stamps: S) -> Self {
        // Names that others claim for these records are none of this store.
        former.retain(|alias| alias.former_through > 0);
        former.sort_unstable_by_key(|alias| alias.former_through);
        RecordOrders {
            own,
            former,
            stamps,
        }
    }

    /// The key under which others know a record of this store.
    fn own_key(&self, seq: u64) -> StoreKey {
        let former = self.former.iter().find(|alias| seq <= alias.former_through);
        former.map_or(self.own, |alias| alias.key)
    }

    /// The place of the record at a position.
    pub(crate) fn of(&self, seq: u64, record: &Record<'_>) -> Result<RecordOrder> {
        let id = record.id;
        if let Some(foreign) = &record.foreign {
            return Ok(RecordOrder {
                stamp_ms: foreign.stamp_ms,
                position: foreign.position,
                id,
                store: foreign.store,
            });
        }
        Ok(RecordOrder {
            stamp_ms: match self.stamps.get(seq)? {
                Some(stamp) => stamp.value(),
                None => id_ms(&record.id),
            },
            position: seq,
            id,
            store: self.own_key(seq),
        })
    }

    /// The place of the record at each position.
    pub(in crate::store) fn all(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        seqs: &[u64],
    ) -> Result<Vec<RecordOrder>> {
        seqs.iter()
            .map(|&seq| {
                let bytes = events
                    .get(seq)?
                    .ok_or_else(|| crate::store::database::panics::missing_record(seq))?;
                self.of(seq, &RecordView::new(seq, bytes.value())?.archive()?)
            })
            .collect()
    }
}

impl ReadTx {
    /// Like [`State::may_be_reordered`].
    pub(crate) fn may_be_reordered(&self) -> Result<bool> {
        Ok(self.state()?.may_be_reordered())
    }

    /// Whether the record at a position came from another store.
    pub(crate) fn is_foreign(&self, seq: u64) -> Result<bool> {
        let is_foreign = self.with_record(seq, |view| Ok(view.archive()?.foreign.is_some()))?;
        Ok(is_foreign == Some(true))
    }

    /// The name of the record at a position in its original store; `None` if this store
    /// recorded it.
    pub(crate) fn foreign_name(&self, seq: u64) -> Result<Option<ForeignName>> {
        let name = self.with_record(seq, |view| {
            let foreign = view.archive()?.foreign;
            Ok(foreign.map(|foreign| ForeignName {
                store: foreign.store,
                position: foreign.position,
                stamp_ms: foreign.stamp_ms,
                citation: foreign.citation.as_str().to_owned(),
            }))
        })?;
        Ok(name.flatten())
    }

    /// Computes the places of records in the record order.
    pub(crate) fn record_orders(&self) -> Result<RecordOrders<ReadOnlyTable<u64, i64>>> {
        Ok(RecordOrders::new(
            self.store_key()?,
            self.aliases()?,
            catch_panic(|| self.transaction.open_table(tables::STAMPS))?,
        ))
    }

    /// The place of the record at each position.
    pub(crate) fn record_orders_of(&self, seqs: &[u64]) -> Result<Vec<RecordOrder>> {
        let orders = self.record_orders()?;
        catch_panic(|| orders.all(self.events_table()?, seqs))
    }

    /// Ascending positions, in record order: that of the log, unless records came from
    /// other stores.
    pub(crate) fn in_record_order(&self, seqs: Vec<u64>) -> Result<Vec<u64>> {
        if seqs.len() < 2 || !self.may_be_reordered()? {
            return Ok(seqs);
        }
        let orders = self.record_orders_of(&seqs)?;
        Ok(by_record_order(seqs, &orders))
    }
}

/// Positions, sorted by the places of their records.
pub(crate) fn by_record_order(seqs: Vec<u64>, orders: &[RecordOrder]) -> Vec<u64> {
    let mut ordered: Vec<(&RecordOrder, u64)> = orders.iter().zip(seqs).collect();
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, seq)| seq).collect()
}

impl WriteTx<'_> {
    /// Like [`ReadTx::has_foreign`].
    pub(crate) fn has_foreign(&self) -> Result<bool> {
        let origins = self.transaction.open_table(tables::ORIGINS)?;
        Ok(origins.iter()?.next().transpose()?.is_some())
    }

    /// The position in this log of another store's record.
    pub(crate) fn seq_of_foreign(&self, store: &StoreKey, position: u64) -> Result<Option<u64>> {
        let origins = self.transaction.open_table(tables::ORIGINS)?;
        let key = tables::origin_key(store, position);
        Ok(origins.get(key.as_slice())?.map(|seq| seq.value()))
    }

    /// The id of the record at a position.
    pub(crate) fn id_at(&self, seq: u64) -> Result<Option<EventId>> {
        self.with_record(seq, |view| Ok(EventId::from_bytes(view.archive()?.id)))
    }

    /// Whether the record at a position is erased.
    pub(crate) fn is_erased(&self, seq: u64) -> Result<bool> {
        Ok(self.with_record(seq, |view| Ok(view.is_erased()))? == Some(true))
    }

    /// Like [`WriteTx::positions_of`], as far as it is known here under another key.
    pub(crate) fn positions_by_other_names(
        &self,
        store: &StoreKey,
        ranges: &[(u64, u64)],
    ) -> Result<Vec<(u64, u64)>> {
        let mut found = Vec::new();
        for alias in self.aliases()? {
            if alias.key != *store {
                continue;
            }
            for (position, seq) in self.positions_of(&alias.known, ranges)? {
                if self.is_alias_of(&alias, position)? {
                    found.push((position, seq));
                }
            }
        }
        Ok(found)
    }

    /// What a store recorded in ranges of positions; it may be this one. Each by its position
    /// there and in this log.
    pub(crate) fn positions_of(
        &self,
        store: &StoreKey,
        ranges: &[(u64, u64)],
    ) -> Result<Vec<(u64, u64)>> {
        let mut found = Vec::new();
        if *store == self.store_key()? || *store == THIS_STORE {
            for &(from, to) in ranges {
                for seq in from..=to.min(self.state.last_seq) {
                    let is_own =
                        self.with_record(seq, |view| Ok(view.archive()?.foreign.is_none()))?;
                    if is_own == Some(true) {
                        found.push((seq, seq));
                    }
                }
            }
            return Ok(found);
        }
        let origins = self.transaction.open_table(tables::ORIGINS)?;
        for &(from, to) in ranges {
            let (low, high) = (
                tables::origin_key(store, from),
                tables::origin_key(store, to),
            );
            for entry in origins.range(low.as_slice()..=high.as_slice())? {
                let (key, seq) = entry?;
                found.push((tables::position_of(key.value()), seq.value()));
            }
        }
        Ok(found)
    }

    /// Like [`ReadTx::record_orders_of`].
    pub(crate) fn record_orders_of(&self, seqs: &[u64]) -> Result<Vec<RecordOrder>> {
        self.all_record_orders(&self.transaction.open_table(tables::EVENTS)?, seqs)
    }

    /// Like [`WriteTx::record_orders_of`], for records in `events`.
    pub(in crate::store) fn all_record_orders(
        &self,
        events: &impl ReadableTable<u64, &'static [u8]>,
        seqs: &[u64],
    ) -> Result<Vec<RecordOrder>> {
        let stamps = self.transaction.open_table(tables::STAMPS)?;
        RecordOrders::new(self.store_key()?, self.aliases()?, stamps).all(events, seqs)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::shared::record_order::*;

    fn id(millis: i64) -> [u8; 16] {
        let mut id = [7; 16];
        id[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        id
    }

    #[test]
    fn stamps_never_fall_and_come_after_what_was_received() {
        let mut state = State::default();
        assert_eq!(state.stamp(&id(50)), None);
        assert_eq!(state.stamp(&id(50)), None);
        // The clock was set back.
        assert_eq!(state.stamp(&id(40)), Some(50));
        state.saw_stamp(90);
        assert_eq!(state.stamp(&id(60)), Some(91));
        assert_eq!(state.stamp(&id(91)), None);
        state.saw_stamp(10);
        assert_eq!(state.stamp(&id(100)), None);
        // Others are pulled along, but not without limit.
        state.saw_stamp(i64::MAX);
        assert_eq!(state.stamp(&id(101)), Some(101 + MAX_AHEAD_MS));
        assert_eq!(state.stamp(&id(90)), Some(101 + MAX_AHEAD_MS));
    }

    #[test]
    fn nobody_follows_a_clock_that_is_more_than_a_century_ahead() {
        let mut state = State::default();
        let far = 50 + OWN_AHEAD_MS;
        assert_eq!(state.stamp(&id(far)), None);
        assert!(!state.may_be_reordered());
        // The clock is set right.
        assert_eq!(state.stamp(&id(60)), Some(far));
        assert_eq!(state.stamp(&id(40)), Some(40 + MAX_AHEAD_MS));
        assert!(state.may_be_reordered() && state.is_ahead_of_own());
        assert_eq!(state.stamp(&id(45)), Some(45 + MAX_AHEAD_MS));
        let later = 60 + OWN_AHEAD_MS - MAX_AHEAD_MS;
        assert_eq!(state.stamp(&id(later)), Some(far + 1));
    }

    #[test]
    fn records_are_ordered_by_stamp_then_position_then_id() {
        let order = |stamp_ms, position, id, store| RecordOrder {
            stamp_ms,
            position,
            id: [id; 16],
            store: [store; 16],
        };
        let mut orders = [
            order(2, 0, 0, 0),
            order(1, 2, 1, 1),
            order(1, 1, 9, 2),
            order(1, 2, 0, 2),
        ];
        orders.sort();
        assert_eq!(
            orders,
            [
                order(1, 1, 9, 2),
                order(1, 2, 0, 2),
                order(1, 2, 1, 1),
                order(2, 0, 0, 0)
            ]
        );
    }
}
