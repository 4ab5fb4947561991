//! What stores that share a memory exchange.

use crate::model::ids::{CitationId, Seq};
use crate::model::time::Timestamp;

words! {
    /// What the orders of a member apply to.
    MemberRole ("role") {
        /// Its orders to forget and erase apply to everything, whoever recorded it. Use
        /// this for another machine of the same person.
        Owner = "owner",
        /// Its orders apply only to what it recorded itself.
        Writer = "writer",
    }
}

/// A store whose records this one accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Its public key, 64 hexadecimal digits.
    pub identity: String,
    /// The name that people use for it.
    pub name: String,
    /// What its orders apply to.
    pub role: MemberRole,
    /// When this store added it as a member.
    pub since: Timestamp,
}

/// The origin of an event that another store recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordSource {
    /// The public key of the store that recorded it; `None` if that store is no longer a
    /// member.
    pub identity: Option<String>,
    /// The name of that store; `None` if it is no longer a member.
    pub name: Option<String>,
    /// The event's position in the log of that store.
    pub position: Seq,
    /// The event's citation in that store, which may differ from its citation here.
    pub citation: CitationId,
}

/// Signed records for other stores, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedBatch {
    /// The records as [`Sharing::receive`](crate::Sharing::receive) takes them: JSON Lines,
    /// each record signed.
    pub lines: String,
    /// The number of records in the batch.
    pub records: u64,
    /// The position of this store's log up to which records were looked at, where the next
    /// batch begins.
    pub through: u64,
    /// Whether there are more records after it.
    pub has_more: bool,
}

/// What [`Sharing::receive`](crate::Sharing::receive) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The identity of the store that the batch came from.
    pub identity: String,
    /// The number of records that were new here.
    pub records: u64,
    /// The number of records that were already here.
    pub duplicates: u64,
    /// The number of records that an order had forgotten or erased before they arrived.
    pub refused: u64,
    /// The number of events that orders in the batch hid.
    pub forgotten: u64,
    /// The number of orders to erase, from this batch and earlier ones, that
    /// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered) has yet to carry out.
    pub to_erase: u64,
    /// The position up to which that store's log was received.
    pub through: u64,
}

/// How much of another store's log was received.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Watermark {
    /// The identity of the other store.
    pub identity: String,
    /// The position in its log up to which this store has everything that it shares.
    pub position: u64,
}

/// What [`Sharing::push_folder`](crate::Sharing::push_folder) wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pushed {
    /// The number of new files.
    pub files: u64,
    /// The number of records in them.
    pub records: u64,
    /// The number of files that were rewritten without what was forgotten or erased since.
    pub rewritten: u64,
}

/// What [`Sharing::pull_folder`](crate::Sharing::pull_folder), or a pull from elsewhere,
/// took in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pulled {
    /// The number of files that were read; 0 for a pull that has no files.
    pub files: u64,
    /// The number of records that were new here.
    pub records: u64,
    /// The number of records that were already here.
    pub duplicates: u64,
    /// The number of records that an order had forgotten or erased before they arrived.
    pub refused: u64,
    /// The number of events that orders hid.
    pub forgotten: u64,
    /// The number of orders to erase that
    /// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered) has yet to carry out.
    pub to_erase: u64,
    /// The identities of stores that wrote there but are not members. Nothing of theirs was
    /// read.
    pub strangers: Vec<String>,
}

impl std::ops::AddAssign<&Received> for Pulled {
    /// Adds the counts of another batch.
    fn add_assign(&mut self, received: &Received) {
        self.records += received.records;
        self.duplicates += received.duplicates;
        self.refused += received.refused;
        self.forgotten += received.forgotten;
        self.to_erase = received.to_erase;
    }
}

/// A store that announced itself in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Announced {
    /// Its public key, 64 hexadecimal digits.
    pub identity: String,
    /// The name it gave itself.
    pub name: String,
}

/// An erasure of this store that other stores have yet to carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnansweredErasure {
    /// The position of the event that records the erasure.
    pub seq: Seq,
    /// When it was recorded.
    pub erased_at: Timestamp,
    /// The identities of the members that have not yet confirmed that they carried it out.
    pub waiting_for: Vec<String>,
    /// The identities of the members that erased only what this store itself recorded and
    /// kept the rest, because this store is not an owner to them. Each reports the newest 1,000
    /// such erasures.
    pub declined_by: Vec<String>,
}
