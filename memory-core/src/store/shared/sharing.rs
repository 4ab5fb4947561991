//! What the store knows about sharing besides the log: its identity, the other members,
//! what is withheld from them, and how far each member's records were received.
//!
//! A copy of the folder is not a member: a backup leaves the identity behind, because two
//! stores that sign with one key would use one position for different records.

use std::collections::BTreeSet;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::hex::{hex, unhex};
use crate::model::sharing::{Member, MemberRole};
use crate::model::time::Timestamp;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::log::tombstone::is_tombstone;
use crate::store::meta::{Reader, corrupt, put_text, seal};
use crate::store::shared::reach::{Act, Orders};
use crate::store::shared::store_key::{StoreKey, store_key};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

const IDENTITY: &str = "identity";
const MEMBER: &str = "member/";
const RECEIVED: &str = "received/";
const BEYOND: &str = "beyond/";
const WITHHELD: &str = "withheld/";
const TO_ERASE: &str = "to_erase/";
const ANSWERED: &str = "answered/";
const OFFERS: &str = "offers/";
const ERASURES: &str = "erasures/";
const DECLINED: &str = "declined/";
const DECLINED_BY: &str = "declined_by/";
const DECLINED_CHANGES: &str = "declined_changes/";
const RENEWED: &str = "renewed/";
const MOVES: &str = "session_moves";
const GONE: &str = "gone/";
const LATE: &str = "late";

/// How many ranges behind a gap are remembered for each store; what lies in others is read again.
const MOST_BEYOND: usize = 1_000;

/// The store's identity among the members.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The seed of its signing key.
    pub(crate) seed: [u8; 32],
    pub(crate) key: StoreKey,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}

type Table<'t> = &'t dyn Fn(&str) -> Result<Option<Vec<u8>>>;

fn identity_in(get: Table<'_>) -> Result<Option<Identity>> {
    let Some(bytes) = get(IDENTITY)? else {
        return Ok(None);
    };
    let mut from = Reader::unseal("sharing identity", &bytes)?;
    Ok(Some(Identity {
        seed: from.array()?,
        key: from.array()?,
    }))
}

fn member_in(identity: &str, bytes: &[u8]) -> Result<Member> {
    let mut from = Reader::unseal("member row", bytes)?;
    let role = match from.u8()? {
        1 => MemberRole::Owner,
        2 => MemberRole::Writer,
        _ => return Err(corrupt("member row", "has an unknown role")),
    };
    Ok(Member {
        identity: identity.to_owned(),
        role,
        since: Timestamp::from_millis_clamped(from.i64()?),
        name: from.text()?,
    })
}

/// Whether any row has a name with this prefix.
fn has_any(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    prefix: &'static str,
) -> Result<bool> {
    let first = table.range(prefix..)?.next().transpose()?;
    Ok(first.is_some_and(|(name, _)| name.value().starts_with(prefix)))
}

/// A number kept for another store, 0 if there is none.
fn number_in(get: Table<'_>, prefix: &str, store: &StoreKey) -> Result<u64> {
    match get(&format!("{prefix}{}", hex(store)))? {
        Some(bytes) => Reader::unseal("number of another store", &bytes)?.u64(),
        None => Ok(0),
    }
}

/// The positions in a row; empty if the row is missing.
fn positions_in(row: Option<Vec<u8>>) -> Result<Vec<u64>> {
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("positions of another store", &row)?;
    (0..from.u32()?).map(|_| from.u64()).collect()
}

/// The ranges in a row, each after its first position and up to its second one.
fn ranges_in(row: Option<Vec<u8>>) -> Result<Vec<(u64, u64)>> {
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("ranges of another store", &row)?;
    (0..from.u32()?)
        .map(|_| Ok((from.u64()?, from.u64()?)))
        .collect()
}

/// The row that says that what had this id is erased.
fn gone_row(secret: &[u8; 32], id: &str) -> String {
    let key = blake3::derive_key("recallite 2026 erased id", secret);
    let hash = blake3::keyed_hash(&key, id.as_bytes());
    format!("{GONE}{}", hex(&hash.as_bytes()[..16]))
}

/// Library records of others that must be looked at, because they may refer to something erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    /// The first position.
    pub(crate) from: u64,
    /// How often such records came: more of them may come while the others are dealt with.
    count: u64,
}

fn late_in(row: Option<Vec<u8>>) -> Result<Option<Late>> {
    let Some(row) = row else {
        return Ok(None);
    };
    let mut read = Reader::unseal("late records", &row)?;
    let (from, count) = (read.u64()?, read.u64()?);
    Ok(Some(Late { from, count }))
}

fn moves_in(row: Option<Vec<u8>>) -> Result<u64> {
    row.map_or(Ok(0), |row| {
        Reader::unseal("moves of sessions", &row)?.u64()
    })
}

impl ReadTx {
    fn sharing_row(&self, name: &str) -> Result<Option<Vec<u8>>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            Ok(table.get(name)?.map(|row| row.value().to_vec()))
        })
    }

    /// The store's identity; `None` until it is first requested.
    pub(crate) fn identity(&self) -> Result<Option<Identity>> {
        identity_in(&|name| self.sharing_row(name))
    }

    /// The key by which others know this store; all zeros while it has none.
    pub(crate) fn store_key(&self) -> Result<StoreKey> {
        Ok(self.identity()?.map(|id| id.key).unwrap_or_default())
    }

    /// A member by its identity.
    pub(crate) fn member(&self, identity: &str) -> Result<Option<Member>> {
        self.sharing_row(&format!("{MEMBER}{identity}"))?
            .map(|row| member_in(identity, &row))
            .transpose()
    }

    /// Every member, ordered by identity.
    pub(crate) fn members(&self) -> Result<Vec<Member>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            let mut members = Vec::new();
            for entry in table.range(MEMBER..)? {
                let (name, row) = entry?;
                let Some(identity) = name.value().strip_prefix(MEMBER) else {
                    break;
                };
                members.push(member_in(identity, row.value())?);
            }
            Ok(members)
        })
    }

    /// The position up to which a store's records were received.
    pub(crate) fn received(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), RECEIVED, store)
    }

    /// The ranges of positions behind the watermark of which a store's records were received too:
    /// each is what lies after its first position, up to its second one.
    pub(crate) fn received_beyond(&self, store: &StoreKey) -> Result<Vec<(u64, u64)>> {
        ranges_in(self.sharing_row(&format!("{BEYOND}{}", hex(store)))?)
    }

    /// The position of this log up to which another store has carried out its orders.
    pub(crate) fn answered(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), ANSWERED, store)
    }

    /// How often a store offered again what it had withheld, as far as known here.
    pub(crate) fn offers(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), OFFERS, store)
    }

    /// Whether a store ordered any erasure.
    pub(crate) fn has_ordered_erasures(&self, store: &StoreKey) -> Result<bool> {
        let row = self.sharing_row(&format!("{ERASURES}{}", hex(store)))?;
        Ok(row.is_some())
    }

    /// The positions, in a store's log, of its erasures that this store carries out only
    /// for what that store recorded, because it is not an owner here.
    pub(crate) fn declined(&self, store: &StoreKey) -> Result<Vec<u64>> {
        positions_in(self.sharing_row(&format!("{DECLINED}{}", hex(store)))?)
    }

    /// Like [`ReadTx::declined`], for orders of this store, as reported by another one.
    pub(crate) fn declined_by(&self, store: &StoreKey) -> Result<Vec<u64>> {
        positions_in(self.sharing_row(&format!("{DECLINED_BY}{}", hex(store)))?)
    }

    /// How often the orders that a store declines have changed, as far as known here.
    pub(crate) fn declined_changes(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), DECLINED_CHANGES, store)
    }

    /// How often a session was moved from one project to another.
    pub(crate) fn session_moves(&self) -> Result<u64> {
        moves_in(self.sharing_row(MOVES)?)
    }

    /// The identities that this store had before it was given new ones, each with the last
    /// position of the log at that time.
    pub(crate) fn renewed(&self) -> Result<Vec<(StoreKey, u64)>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            let mut renewed = Vec::new();
            for entry in table.range(RENEWED..)? {
                let (name, row) = entry?;
                let Some(key) = name.value().strip_prefix(RENEWED) else {
                    break;
                };
                let through = Reader::unseal("number of another store", row.value())?.u64()?;
                renewed.extend(unhex(key).map(|key| (key, through)));
            }
            Ok(renewed)
        })
    }

    /// The erasures that this store has not carried out yet, by position, oldest first.
    pub(crate) fn orders_to_erase(&self) -> Result<Vec<u64>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            let mut orders = Vec::new();
            for entry in table.range(TO_ERASE..)? {
                let (name, _) = entry?;
                let Some(order) = name.value().strip_prefix(TO_ERASE) else {
                    break;
                };
                orders.extend(u64::from_str_radix(order, 16));
            }
            Ok(orders)
        })
    }

    /// Whether an entry, a task or the like with this id was erased.
    pub(crate) fn is_gone(&self, id: &str) -> Result<bool> {
        Ok(self.sharing_row(&gone_row(self.secret(), id))?.is_some())
    }

    /// What came from others and may refer to something erased.
    pub(crate) fn late(&self) -> Result<Option<Late>> {
        late_in(self.sharing_row(LATE)?)
    }

    /// Whether anything is withheld from other stores.
    pub(crate) fn withholds(&self) -> Result<bool> {
        catch_panic(|| has_any(&self.transaction.open_table(tables::SHARING)?, WITHHELD))
    }

    /// The hashes of everything that is withheld from other stores, in order.
    pub(crate) fn withheld(&self) -> Result<Vec<String>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            let mut hashes = Vec::new();
            for entry in table.range(WITHHELD..)? {
                let (name, _) = entry?;
                let Some(hash) = name.value().strip_prefix(WITHHELD) else {
                    break;
                };
                hashes.push(hash.to_owned());
            }
            Ok(hashes)
        })
    }

    /// A hash of everything that is withheld from other stores.
    pub(crate) fn withheld_hash(&self) -> Result<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        for hash in self.withheld()? {
            hasher.update(WITHHELD.as_bytes());
            hasher.update(hash.as_bytes());
        }
        Ok(*hasher.finalize().as_bytes())
    }

    /// Whether the item with this hash is withheld from other stores.
    pub(crate) fn is_withheld(&self, hash: &str) -> Result<bool> {
        Ok(self.sharing_row(&format!("{WITHHELD}{hash}"))?.is_some())
    }
}

impl WriteTx<'_> {
    fn sharing_row(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let table = self.transaction.open_table(tables::SHARING)?;
        Ok(table.get(name)?.map(|row| row.value().to_vec()))
    }

    /// Like [`ReadTx::identity`].
    pub(crate) fn identity(&self) -> Result<Option<Identity>> {
        identity_in(&|name| self.sharing_row(name))
    }

    /// Like [`ReadTx::store_key`].
    pub(crate) fn store_key(&self) -> Result<StoreKey> {
        Ok(self.identity()?.map(|id| id.key).unwrap_or_default())
    }

    /// Like [`ReadTx::received`].
    pub(crate) fn received(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), RECEIVED, store)
    }

    /// Like [`ReadTx::answered`].
    pub(crate) fn answered(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), ANSWERED, store)
    }

    /// Like [`ReadTx::offers`].
    pub(crate) fn offers(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), OFFERS, store)
    }

    /// Like [`ReadTx::member`].
    pub(crate) fn member(&self, identity: &str) -> Result<Option<Member>> {
        self.sharing_row(&format!("{MEMBER}{identity}"))?
            .map(|row| member_in(identity, &row))
            .transpose()
    }

    /// How a message names a store: by its identity if it is a member.
    pub(crate) fn identity_of(&self, store: &StoreKey) -> Result<String> {
        let table = self.transaction.open_table(tables::SHARING)?;
        for entry in table.range(MEMBER..)? {
            let (name, _) = entry?;
            let Some(identity) = name.value().strip_prefix(MEMBER) else {
                break;
            };
            if unhex(identity).is_some_and(|public| store_key(&public) == *store) {
                return Ok(format!("store {identity}"));
            }
        }
        Ok("a store that is no member any more".to_owned())
    }

    /// Whether a store is a member that reaches what others recorded.
    pub(crate) fn is_owner(&self, store: &StoreKey) -> Result<bool> {
        let table = self.transaction.open_table(tables::SHARING)?;
        for entry in table.range(MEMBER..)? {
            let (name, row) = entry?;
            let Some(identity) = name.value().strip_prefix(MEMBER) else {
                break;
            };
            if unhex(identity).is_some_and(|public| store_key(&public) == *store) {
                return Ok(member_in(identity, row.value())?.role == MemberRole::Owner);
            }
        }
        Ok(false)
    }

    /// Like [`ReadTx::declined`].
    pub(crate) fn declined(&self, store: &StoreKey) -> Result<Vec<u64>> {
        positions_in(self.sharing_row(&format!("{DECLINED}{}", hex(store)))?)
    }

    /// The stores of which this one declines orders.
    pub(in crate::store) fn declined_authors(&self) -> Result<Vec<StoreKey>> {
        let table = self.transaction.open_table(tables::SHARING)?;
        let mut authors = Vec::new();
        for entry in table.range(DECLINED..)? {
            let (name, _) = entry?;
            let Some(key) = name.value().strip_prefix(DECLINED) else {
                break;
            };
            authors.extend(unhex::<16>(key));
        }
        Ok(authors)
    }

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

    /// Like [`ReadTx::declined_changes`].
    pub(crate) fn declined_changes(&self, store: &StoreKey) -> Result<u64> {
        number_in(&|name| self.sharing_row(name), DECLINED_CHANGES, store)
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
        let known = ranges_in(self.sharing_row(&name)?)?;
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
        beyond.truncate(MOST_BEYOND);
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

    /// Notes that a store ordered an erasure.
    pub(crate) fn set_ordered_erasures(&mut self, store: &StoreKey) -> Result<()> {
        let name = format!("{ERASURES}{}", hex(store));
        self.put_sharing(&name, Some(vec![1])).map(drop)
    }

    /// Like [`ReadTx::is_gone`].
    pub(crate) fn is_gone(&self, id: &str) -> Result<bool> {
        Ok(self
            .sharing_row(&gone_row(&self.meta.secret, id))?
            .is_some())
    }

    /// Notes that an entry, a task or the like with this id is erased. Nothing that can be read is
    /// kept of the id.
    pub(crate) fn note_gone(&mut self, id: &str) -> Result<()> {
        let name = gone_row(&self.meta.secret, id);
        self.put_sharing(&name, Some(vec![1])).map(drop)
    }

    /// Notes that library records from this position on may refer to something erased.
    pub(crate) fn set_late(&mut self, from: u64) -> Result<()> {
        let (from, count) = match late_in(self.sharing_row(LATE)?)? {
            Some(late) => (from.min(late.from), late.count + 1),
            None => (from, 1),
        };
        let row = [from.to_le_bytes(), count.to_le_bytes()].concat();
        self.put_sharing(LATE, Some(row)).map(drop)
    }

    /// Notes that these records were dealt with, unless more of them have come.
    pub(crate) fn end_late(&mut self, late: Late) -> Result<()> {
        if late_in(self.sharing_row(LATE)?)? == Some(late) {
            self.put_sharing(LATE, None)?;
        }
        Ok(())
    }

    /// Whether any erasure is not carried out yet.
    pub(crate) fn has_to_erase(&self) -> Result<bool> {
        has_any(&self.transaction.open_table(tables::SHARING)?, TO_ERASE)
    }

    /// How many erasures are not carried out yet.
    pub(crate) fn count_to_erase(&self) -> Result<u64> {
        let table = self.transaction.open_table(tables::SHARING)?;
        let mut count = 0;
        for entry in table.range(TO_ERASE..)? {
            if !entry?.0.value().starts_with(TO_ERASE) {
                break;
            }
            count += 1;
        }
        Ok(count)
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
            let author = self.with_record(order, |view| {
                let foreign = view.archive()?.foreign;
                Ok(foreign.map(|foreign| foreign.store))
            })?;
            let Some(author) = author.flatten() else {
                continue;
            };
            self.set_ordered_erasures(&author)?;
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
            let moves = moves_in(self.sharing_row(MOVES)?)? + 1;
            self.put_sharing(MOVES, Some(moves.to_le_bytes().to_vec()))?;
            if self.withholds()? {
                // What belonged to a withheld project may be sent now.
                self.count_offer()?;
            }
        }
        Ok(done)
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

    fn withholds(&self) -> Result<bool> {
        has_any(&self.transaction.open_table(tables::SHARING)?, WITHHELD)
    }
}
