//! The rows about sharing as they are read: by [`SharingRows`], which a read transaction and a write
//! transaction both are.

use std::ops::ControlFlow;

use crate::model::error::Result;
use crate::model::hex::{hex, unhex};
use crate::model::sharing::{Member, MemberRole};
use crate::model::time::Timestamp;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::meta::{Reader, corrupt};
use crate::store::shared::store_key::{StoreKey, store_key};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

pub(super) const IDENTITY: &str = "identity";
pub(super) const MEMBER: &str = "member/";
pub(super) const RECEIVED: &str = "received/";
pub(super) const BEYOND: &str = "beyond/";
pub(super) const WITHHELD: &str = "withheld/";
pub(super) const TO_ERASE: &str = "to_erase/";
pub(super) const ANSWERED: &str = "answered/";
pub(super) const OFFERS: &str = "offers/";
pub(super) const ERASURES: &str = "erasures/";
pub(super) const DECLINED: &str = "declined/";
pub(super) const DECLINED_BY: &str = "declined_by/";
pub(super) const DECLINED_CHANGES: &str = "declined_changes/";
pub(super) const RENEWED: &str = "renewed/";
pub(super) const REGROUPINGS: &str = "regroupings";
pub(super) const GONE: &str = "gone/";
pub(super) const LATE: &str = "late";

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

/// Library records of others that must be looked at, because they may refer to something erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    /// The first position.
    pub(crate) from: u64,
    /// How often such records came: more of them may come while the others are dealt with.
    pub(super) count: u64,
}

/// What is known of sharing besides the log.
pub(crate) trait SharingRows {
    /// The row with this name.
    fn sharing_row(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// Visits the rows whose names begin with `prefix`, in order, each with the rest of its name,
    /// until the visitor breaks.
    fn each_sharing_row(&self, prefix: &'static str, visit: Visitor<'_>) -> Result<()>;

    /// The store's secret, which keys the hashes of erased ids.
    fn store_secret(&self) -> &[u8; 32];

    /// The store's identity; `None` until it is first requested.
    fn identity(&self) -> Result<Option<Identity>> {
        let Some(bytes) = self.sharing_row(IDENTITY)? else {
            return Ok(None);
        };
        let mut from = Reader::unseal("sharing identity", &bytes)?;
        Ok(Some(Identity {
            seed: from.array()?,
            key: from.array()?,
        }))
    }

    /// The key by which others know this store; all zeros while it has none.
    fn store_key(&self) -> Result<StoreKey> {
        Ok(self.identity()?.map(|id| id.key).unwrap_or_default())
    }

    /// A member by its identity.
    fn member(&self, identity: &str) -> Result<Option<Member>> {
        self.sharing_row(&format!("{MEMBER}{identity}"))?
            .map(|row| member_in(identity, &row))
            .transpose()
    }

    /// Every member, ordered by identity.
    fn members(&self) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        self.each_sharing_row(MEMBER, &mut |identity, row| {
            members.push(member_in(identity, row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(members)
    }

    /// The member that others know by this key.
    fn member_with_key(&self, store: &StoreKey) -> Result<Option<Member>> {
        let mut found = None;
        self.each_sharing_row(MEMBER, &mut |identity, row| {
            if unhex(identity).is_some_and(|public| store_key(&public) == *store) {
                found = Some(member_in(identity, row)?);
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// How a message names a store: by its identity if it is a member.
    fn identity_of(&self, store: &StoreKey) -> Result<String> {
        Ok(match self.member_with_key(store)? {
            Some(member) => format!("store {}", member.identity),
            None => "a store that is no member any more".to_owned(),
        })
    }

    /// Whether a store is a member that reaches what others recorded.
    fn is_owner(&self, store: &StoreKey) -> Result<bool> {
        let member = self.member_with_key(store)?;
        Ok(member.is_some_and(|member| member.role == MemberRole::Owner))
    }

    /// A number kept for another store, 0 if there is none.
    fn number_of(&self, prefix: &str, store: &StoreKey) -> Result<u64> {
        match self.sharing_row(&format!("{prefix}{}", hex(store)))? {
            Some(bytes) => number_in(&bytes),
            None => Ok(0),
        }
    }

    /// The position up to which a store's records were received.
    fn received(&self, store: &StoreKey) -> Result<u64> {
        self.number_of(RECEIVED, store)
    }

    /// The ranges of positions behind the watermark of which a store's records were received too:
    /// each is what lies after its first position, up to its second one.
    fn received_beyond(&self, store: &StoreKey) -> Result<Vec<(u64, u64)>> {
        ranges_in(self.sharing_row(&format!("{BEYOND}{}", hex(store)))?)
    }

    /// The position of this log up to which another store has carried out its orders.
    fn answered(&self, store: &StoreKey) -> Result<u64> {
        self.number_of(ANSWERED, store)
    }

    /// How often a store offered again what it had withheld, as far as known here.
    fn offers(&self, store: &StoreKey) -> Result<u64> {
        self.number_of(OFFERS, store)
    }

    /// The position, in a store's log, of the last erasure that it ordered; `None` if it ordered
    /// none.
    fn last_ordered_erasure(&self, store: &StoreKey) -> Result<Option<u64>> {
        let Some(row) = self.sharing_row(&format!("{ERASURES}{}", hex(store)))? else {
            return Ok(None);
        };
        let position = Reader::unseal("last erasure of another store", &row)?.u64()?;
        Ok(Some(position))
    }

    /// The positions, in a store's log, of its erasures that this store carries out only
    /// for what that store recorded, because it is not an owner here.
    fn declined(&self, store: &StoreKey) -> Result<Vec<u64>> {
        positions_in(self.sharing_row(&format!("{DECLINED}{}", hex(store)))?)
    }

    /// Like [`SharingRows::declined`], for orders of this store, as reported by another one.
    fn declined_by(&self, store: &StoreKey) -> Result<Vec<u64>> {
        positions_in(self.sharing_row(&format!("{DECLINED_BY}{}", hex(store)))?)
    }

    /// The stores of which this one declines orders.
    fn declined_authors(&self) -> Result<Vec<StoreKey>> {
        let mut authors = Vec::new();
        self.each_sharing_row(DECLINED, &mut |key, _| {
            authors.extend(unhex::<16>(key));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(authors)
    }

    /// How often the orders that a store declines have changed, as far as known here.
    fn declined_changes(&self, store: &StoreKey) -> Result<u64> {
        self.number_of(DECLINED_CHANGES, store)
    }

    /// How often records came to be about other projects: a session was moved, or an edge was added.
    fn regroupings(&self) -> Result<u64> {
        self.sharing_row(REGROUPINGS)?.map_or(Ok(0), |row| {
            Reader::unseal("regroupings of records", &row)?.u64()
        })
    }

    /// The identities that this store had before it was given new ones, each with the last
    /// position of the log at that time.
    fn renewed(&self) -> Result<Vec<(StoreKey, u64)>> {
        let mut renewed = Vec::new();
        self.each_sharing_row(RENEWED, &mut |key, row| {
            let through = number_in(row)?;
            renewed.extend(unhex(key).map(|key| (key, through)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(renewed)
    }

    /// The erasures that this store has not carried out yet, by position, oldest first.
    fn orders_to_erase(&self) -> Result<Vec<u64>> {
        let mut orders = Vec::new();
        self.each_sharing_row(TO_ERASE, &mut |order, _| {
            orders.extend(u64::from_str_radix(order, 16));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(orders)
    }

    /// Whether an entry, a task or the like with this id was erased.
    fn is_gone(&self, id: &str) -> Result<bool> {
        Ok(self
            .sharing_row(&gone_row(self.store_secret(), id))?
            .is_some())
    }

    /// What came from others and may refer to something erased.
    fn late(&self) -> Result<Option<Late>> {
        late_in(self.sharing_row(LATE)?)
    }

    /// Whether any row has a name with this prefix.
    fn has_sharing_rows(&self, prefix: &'static str) -> Result<bool> {
        let mut has_any = false;
        self.each_sharing_row(prefix, &mut |_, _| {
            has_any = true;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(has_any)
    }

    /// Whether any erasure is not carried out yet.
    fn has_to_erase(&self) -> Result<bool> {
        self.has_sharing_rows(TO_ERASE)
    }

    /// Whether anything is withheld from other stores.
    fn withholds(&self) -> Result<bool> {
        self.has_sharing_rows(WITHHELD)
    }

    /// The hashes of everything that is withheld from other stores, in order.
    fn withheld(&self) -> Result<Vec<String>> {
        let mut hashes = Vec::new();
        self.each_sharing_row(WITHHELD, &mut |hash, _| {
            hashes.push(hash.to_owned());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(hashes)
    }

    /// A hash of everything that is withheld from other stores.
    fn withheld_hash(&self) -> Result<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        for hash in self.withheld()? {
            hasher.update(WITHHELD.as_bytes());
            hasher.update(hash.as_bytes());
        }
        Ok(*hasher.finalize().as_bytes())
    }

    /// Whether the item with this hash is withheld from other stores.
    fn is_withheld(&self, hash: &str) -> Result<bool> {
        Ok(self.sharing_row(&format!("{WITHHELD}{hash}"))?.is_some())
    }
}

/// What is done with each row: it is given the rest of the name, and the row.
pub(crate) type Visitor<'v> = &'v mut dyn FnMut(&str, &[u8]) -> Result<ControlFlow<()>>;

impl SharingRows for ReadTx {
    fn sharing_row(&self, name: &str) -> Result<Option<Vec<u8>>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            row_in(&table, name)
        })
    }

    fn each_sharing_row(&self, prefix: &'static str, visit: Visitor<'_>) -> Result<()> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::SHARING)?;
            visit_rows(&table, prefix, visit)
        })
    }

    fn store_secret(&self) -> &[u8; 32] {
        self.secret()
    }
}

impl SharingRows for WriteTx<'_> {
    fn sharing_row(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let table = self.transaction.open_table(tables::SHARING)?;
        row_in(&table, name)
    }

    fn each_sharing_row(&self, prefix: &'static str, visit: Visitor<'_>) -> Result<()> {
        let table = self.transaction.open_table(tables::SHARING)?;
        visit_rows(&table, prefix, visit)
    }

    fn store_secret(&self) -> &[u8; 32] {
        &self.meta.secret
    }
}

fn row_in(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    Ok(table.get(name)?.map(|row| row.value().to_vec()))
}

fn visit_rows(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    prefix: &'static str,
    visit: Visitor<'_>,
) -> Result<()> {
    for entry in table.range(prefix..)? {
        let (name, row) = entry?;
        let Some(rest) = name.value().strip_prefix(prefix) else {
            break;
        };
        if visit(rest, row.value())?.is_break() {
            break;
        }
    }
    Ok(())
}

fn number_in(bytes: &[u8]) -> Result<u64> {
    Reader::unseal("number of another store", bytes)?.u64()
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

/// The positions in a row; empty if the row is missing.
fn positions_in(row: Option<Vec<u8>>) -> Result<Vec<u64>> {
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("positions of another store", &row)?;
    (0..from.u32()?).map(|_| from.u64()).collect()
}

/// The ranges in a row, each after its first position and up to its second one.
pub(super) fn ranges_in(row: Option<Vec<u8>>) -> Result<Vec<(u64, u64)>> {
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let mut from = Reader::unseal("ranges of another store", &row)?;
    (0..from.u32()?)
        .map(|_| Ok((from.u64()?, from.u64()?)))
        .collect()
}

/// The row that says that what had this id is erased.
pub(super) fn gone_row(secret: &[u8; 32], id: &str) -> String {
    let key = blake3::derive_key("recallite 2026 erased id", secret);
    let hash = blake3::keyed_hash(&key, id.as_bytes());
    format!("{GONE}{}", hex(&hash.as_bytes()[..16]))
}

pub(super) fn late_in(row: Option<Vec<u8>>) -> Result<Option<Late>> {
    let Some(row) = row else {
        return Ok(None);
    };
    let mut read = Reader::unseal("late records", &row)?;
    let (from, count) = (read.u64()?, read.u64()?);
    Ok(Some(Late { from, count }))
}
