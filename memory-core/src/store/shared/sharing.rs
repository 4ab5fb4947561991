//! What the store knows about sharing besides the log: its identity, the other members,
//! what is withheld from them, and how far each member's records were received. It is read by
//! [`SharingRows`] and noted here.
//!
//! A copy of the folder is not a member: a backup leaves the identity behind, because two
//! stores that sign with one key would use one position for different records.

use std::collections::BTreeSet;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::hex::hex;
use crate::model::sharing::{Member, MemberRole};
use crate::store::WriteTx;
use crate::store::log::tombstone::is_tombstone;
use crate::store::meta::{put_text, seal};
use crate::store::shared::remote_order_scope::{Act, Orders};
use crate::store::shared::sharing_rows::{
    ANSWERED, BEYOND, DECLINED, DECLINED_BY, DECLINED_CHANGES, ERASURES, IDENTITY, Identity, LATE,
    Late, MEMBER, OFFERS, RECEIVED, REGROUPINGS, RENEWED, SharingRows, TO_ERASE, WITHHELD,
    gone_row,
};
use crate::store::shared::store_key::StoreKey;
use crate::store::tables;

/// How many ranges behind a gap are remembered for each store; what lies in others is read again.
const MAX_BEYOND: usize = 1_000;

impl WriteTx<'_> {
    /// Notes which orders of a store are carried out only in part.
    /// Changes are counted, so that others recognise an older answer.
    pub(crate) fn set_declined(&mut self, store: &StoreKey, orders: &[u64]) -> Result<()> {
        if self.declined(store)? == orders {
            return Ok(());
        }
        let own = self.store_key()?;
        let changes = self.declined_changes(&own)? + 1;
        self.set_declined_changes(&own, changes)?;
        self.put_positions(DECLINED, store, orders)
    }

    /// Notes how often the orders that a store declines have changed.
    pub(crate) fn set_declined_changes(&mut self, store: &StoreKey, count: u64) -> Result<()> {
        self.put_number(DECLINED_CHANGES, store, count)
    }

    /// Notes which orders of this store another one carries out only in part.
    pub(crate) fn set_declined_by(&mut self, store: &StoreKey, orders: &[u64]) -> Result<()> {
        self.put_positions(DECLINED_BY, store, orders)
    }

    fn put_positions(&mut self, prefix: &str, store: &StoreKey, orders: &[u64]) -> Result<()> {
        let row = (!orders.is_empty()).then(|| {
            let mut row = (orders.len() as u32).to_le_bytes().to_vec();
            for order in orders {
                row.extend_from_slice(&order.to_le_bytes());
            }
            row
        });
        self.put_sharing(&format!("{prefix}{}", hex(store)), row)
            .map(drop)
    }

    /// Puts or removes a row; true if that changed anything.
    fn put_sharing(&mut self, name: &str, row: Option<Vec<u8>>) -> Result<bool> {
        let mut table = self.transaction.open_table(tables::SHARING)?;
        let before = match row {
            Some(row) => table.insert(name, seal(row).as_slice())?.is_some(),
            None => return Ok(table.remove(name)?.is_some()),
        };
        Ok(!before)
    }

    /// Gives the store an identity, or removes it: a copy needs its own.
    pub(crate) fn set_identity(&mut self, identity: Option<&Identity>) -> Result<()> {
        let row = identity.map(|identity| [&identity.seed[..], &identity.key].concat());
        self.put_sharing(IDENTITY, row).map(drop)
    }

    /// Removes the identity of the store that this one was copied from. Records in the log
    /// remain known under it.
    pub(crate) fn leave_identity(&mut self) -> Result<()> {
        if let Some(identity) = self.identity()? {
            self.note_former(identity.key)?;
        }
        self.set_identity(None)
    }

    /// Gives the store another identity. Others may know what it recorded so far under the
    /// former one. If the folder is a copy, they may know other records under those names.
    pub(crate) fn renew_identity(&mut self, identity: &Identity) -> Result<()> {
        if let Some(former) = self.identity()? {
            self.put_number(RENEWED, &former.key, self.state.last_seq)?;
        }
        self.set_identity(Some(identity))
    }

    /// Adds a member, or changes it.
    pub(crate) fn put_member(&mut self, member: &Member) -> Result<()> {
        let mut row = vec![match member.role {
            MemberRole::Owner => 1,
            MemberRole::Writer => 2,
        }];
        row.extend_from_slice(&member.since.millis().to_le_bytes());
        put_text(&mut row, &member.name);
        let name = format!("{MEMBER}{}", member.identity);
        self.put_sharing(&name, Some(row)).map(drop)
    }

    /// Removes a member; false if it does not exist.
    pub(crate) fn remove_member(&mut self, identity: &str) -> Result<bool> {
        self.put_sharing(&format!("{MEMBER}{identity}"), None)
    }

    /// Notes that a store's records after `from` and up to `through` were received. Returns the
    /// position up to which all were.
    pub(crate) fn note_received(
        &mut self,
        store: &StoreKey,
        from: u64,
        through: u64,
    ) -> Result<u64> {
        let name = format!("{BEYOND}{}", hex(store));
        let known = self.received_beyond(store)?;
        let before = self.received(store)?;
        let mut ranges = known.clone();
        ranges.push((from, through));
        ranges.sort_unstable();
        let mut received = before;
        let mut beyond: Vec<(u64, u64)> = Vec::new();
        for (from, through) in ranges {
            if from <= received {
                received = received.max(through);
                continue;
            }
            match beyond.last_mut() {
                Some((_, last)) if from <= *last => *last = through.max(*last),
                _ if through > from => beyond.push((from, through)),
                _ => {}
            }
        }
        beyond.truncate(MAX_BEYOND);
        if beyond != known {
            let row = (!beyond.is_empty()).then(|| {
                let numbers = beyond.iter().flat_map(|(from, through)| [from, through]);
                let numbers = numbers.flat_map(|number| number.to_le_bytes());
                let count = (beyond.len() as u32).to_le_bytes();
                count.into_iter().chain(numbers).collect()
            });
            self.put_sharing(&name, row)?;
        }
        if received > before {
            self.put_number(RECEIVED, store, received)?;
        }
        Ok(received)
    }

    /// Has a store's records be read again from the beginning.
    pub(crate) fn forget_received(&mut self, store: &StoreKey) -> Result<()> {
        self.put_sharing(&format!("{BEYOND}{}", hex(store)), None)?;
        match self.received(store)? {
            0 => Ok(()),
            _ => self.put_number(RECEIVED, store, 0),
        }
    }

    /// Notes the position of this log up to which another store has carried out its orders.
    pub(crate) fn set_answered(&mut self, store: &StoreKey, position: u64) -> Result<()> {
        self.put_number(ANSWERED, store, position)
    }

    fn put_number(&mut self, prefix: &str, store: &StoreKey, number: u64) -> Result<()> {
        let name = format!("{prefix}{}", hex(store));
        let row = number.to_le_bytes().to_vec();
        self.put_sharing(&name, Some(row)).map(drop)
    }

    /// Notes how often a store has offered again what it had withheld.
    pub(crate) fn set_offers(&mut self, store: &StoreKey, count: u64) -> Result<()> {
        self.put_number(OFFERS, store, count)
    }

    /// Notes that a store ordered an erasure at a position of its log.
    pub(crate) fn note_ordered_erasure(&mut self, store: &StoreKey, position: u64) -> Result<()> {
        let last = self.last_ordered_erasure(store)?;
        self.put_number(ERASURES, store, position.max(last.unwrap_or(0)))
    }

    /// Notes that an entry, a task or the like with this id is erased. Nothing that can be read is
    /// kept of the id.
    pub(crate) fn note_gone(&mut self, id: &str) -> Result<()> {
        let name = gone_row(&self.meta.secret, id);
        self.put_sharing(&name, Some(vec![1])).map(drop)
    }

    /// Notes that library records from this position on may refer to something erased.
    pub(crate) fn set_late(&mut self, from: u64) -> Result<()> {
        let (from, count) = match self.late()? {
            Some(late) => (from.min(late.from), late.count + 1),
            None => (from, 1),
        };
        let row = [from.to_le_bytes(), count.to_le_bytes()].concat();
        self.put_sharing(LATE, Some(row)).map(drop)
    }

    /// Notes that these records were dealt with, unless more of them have come.
    pub(crate) fn end_late(&mut self, late: Late) -> Result<()> {
        if self.late()? == Some(late) {
            self.put_sharing(LATE, None)?;
        }
        Ok(())
    }

    /// Notes that an erasure is pending, or that it was carried out.
    pub(crate) fn set_to_erase(&mut self, order: u64, is_open: bool) -> Result<()> {
        let row = is_open.then(|| vec![1]);
        self.put_sharing(&format!("{TO_ERASE}{order:016x}"), row)
            .map(drop)
    }

    /// After the log alone was restored: notes which stores ordered erasures, and which of these are
    /// not carried out yet.
    pub(crate) fn reopen_orders(&mut self) -> Result<()> {
        if !self.has_foreign()? {
            return Ok(());
        }
        let mut orders = Orders::default();
        for order in 1..=self.state.last_seq {
            if self.kind_at(order)? != Some(EventKind::Erased) || self.is_erased(order)? {
                continue;
            }
            let name = self.with_record(order, |view| {
                let foreign = view.archive()?.foreign;
                Ok(foreign.map(|foreign| (foreign.store, foreign.position)))
            })?;
            let Some((author, position)) = name.flatten() else {
                continue;
            };
            self.note_ordered_erasure(&author, position)?;
            for seq in self.ordered_seqs(&mut orders, order, Act::Erase)? {
                if !self.is_erased(seq)? && !self.kind_at(seq)?.is_some_and(is_tombstone) {
                    self.set_to_erase(order, true)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Does something that may move sessions to other projects, and counts whether it did. They are
    /// asked for only if it matters.
    pub(crate) fn counting_moves<T>(
        &mut self,
        sessions: impl IntoIterator<Item = String>,
        act: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        // A store without an identity has sent nothing yet.
        if self.identity()?.is_none() {
            return act(self);
        }
        let sessions: BTreeSet<String> = sessions.into_iter().collect();
        let projects = |tx: &Self| -> Result<Vec<Option<u32>>> {
            sessions
                .iter()
                .map(|name| tx.session_project(name))
                .collect()
        };
        let before = projects(self)?;
        let done = act(self)?;
        let after = projects(self)?;
        let is_moved = |(before, after): (&Option<u32>, &Option<u32>)| {
            before.is_some() && after.is_some() && before != after
        };
        if before.iter().zip(&after).any(is_moved) {
            self.count_regrouping()?;
            if self.withholds()? {
                // What belonged to a withheld project may be sent now.
                self.count_offer()?;
            }
        }
        Ok(done)
    }

    /// Has the next push compare what was sent with what may be sent now.
    pub(crate) fn count_regrouping(&mut self) -> Result<()> {
        let times = self.regroupings()? + 1;
        self.put_sharing(REGROUPINGS, Some(times.to_le_bytes().to_vec()))?;
        Ok(())
    }

    /// Starts or stops withholding the item with this hash; true if that changed anything.
    /// Offers are counted, so that others request the item.
    pub(crate) fn set_withheld(&mut self, hash: &str, is_withheld: bool) -> Result<bool> {
        let row = is_withheld.then(|| vec![1]);
        let is_changed = self.put_sharing(&format!("{WITHHELD}{hash}"), row)?;
        if is_changed && !is_withheld {
            self.count_offer()?;
        }
        Ok(is_changed)
    }

    /// Has others request what was withheld from them before.
    fn count_offer(&mut self) -> Result<()> {
        let own = self.store_key()?;
        let offers = self.offers(&own)? + 1;
        self.set_offers(&own, offers)
    }
}
