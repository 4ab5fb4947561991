//! What stores that share a memory say of each other.

use crate::model::ids::{CitationId, Seq};
use crate::model::time::Timestamp;

words! {
    /// How far the orders of a member reach.
    MemberRole ("role") {
        /// What it forgets and erases is forgotten and erased everywhere, whoever
        /// recorded it: another machine of the same person.
        Owner = "owner",
        /// It reaches what it recorded itself.
        Writer = "writer",
    }
}

/// A store whose records this one takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Its public key: 64 hexadecimal digits.
    pub identity: String,
    /// What people call it.
    pub name: String,
    /// How far its orders reach.
    pub role: MemberRole,
    /// Since when it is a member, as this store has it.
    pub since: Timestamp,
}

/// Where an event came from that another store recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordSource {
    /// The store that recorded it, by its public key; `None` when it is no member any
    /// more.
    pub identity: Option<String>,
    /// What people call that store; `None` as above.
    pub name: Option<String>,
    /// Its position in the log of that store.
    pub position: Seq,
    /// Its citation there, which may be another one here.
    pub citation: CitationId,
}

/// Records for other stores, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedBatch {
    /// What [`Sharing::receive`](crate::Sharing::receive) takes: JSON Lines, each
    /// record signed.
    pub lines: String,
    /// How many records are in it.
    pub records: u64,
    /// Up to which position of this store's log records were looked at: where the next
    /// batch begins.
    pub through: u64,
    /// Whether there is more behind it.
    pub has_more: bool,
}

/// What [`Sharing::receive`](crate::Sharing::receive) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The identity of the store that the batch came from.
    pub identity: String,
    /// Records that are new here.
    pub records: u64,
    /// Records that were here already.
    pub duplicates: u64,
    /// Records that an order had forgotten or erased before they came.
    pub refused: u64,
    /// Events that orders in the batch hid.
    pub forgotten: u64,
    /// Orders to erase, of this batch and of earlier ones, that
    /// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered) is still to carry out.
    pub to_erase: u64,
    /// Up to which position the log of that store was received.
    pub through: u64,
}

/// How far the records of another store were received.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Watermark {
    /// The identity of the other store.
    pub identity: String,
    /// The position in its log up to which everything that it shares is here.
    pub position: u64,
}

/// What [`Sharing::push_folder`](crate::Sharing::push_folder) wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pushed {
    /// New files.
    pub files: u64,
    /// Records in them.
    pub records: u64,
    /// Files that were written again, without what was forgotten or erased since.
    pub rewritten: u64,
}

/// What [`Sharing::pull_folder`](crate::Sharing::pull_folder) took, or a pull from
/// elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pulled {
    /// Files that were read; none where there are no files.
    pub files: u64,
    /// Records that are new here.
    pub records: u64,
    /// Records that were here already.
    pub duplicates: u64,
    /// Records that an order had forgotten or erased before they came.
    pub refused: u64,
    /// Events that orders hid.
    pub forgotten: u64,
    /// Orders to erase that [`Sharing::erase_ordered`](crate::Sharing::erase_ordered) is
    /// still to carry out.
    pub to_erase: u64,
    /// Identities of stores that have something there and are no members: nothing of
    /// theirs was read.
    pub strangers: Vec<String>,
}

impl std::ops::AddAssign<&Received> for Pulled {
    /// Counts what one batch brought.
    fn add_assign(&mut self, received: &Received) {
        self.records += received.records;
        self.duplicates += received.duplicates;
        self.refused += received.refused;
        self.forgotten += received.forgotten;
        self.to_erase = received.to_erase;
    }
}

/// A store that made itself known in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Announced {
    /// Its public key: 64 hexadecimal digits.
    pub identity: String,
    /// What it calls itself.
    pub name: String,
}

/// An erasure of this store that other stores have still to carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnansweredErasure {
    /// The position of the event that records the erasure.
    pub seq: Seq,
    /// When it was.
    pub erased_at: Timestamp,
    /// The identities of the members that have not said that they have carried it out.
    pub waiting_for: Vec<String>,
    /// The identities of the members that erased of it only what this store recorded, and
    /// keep what others did: this store is no owner to them.
    pub declined_by: Vec<String>,
}
