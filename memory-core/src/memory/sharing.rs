//! One memory in several stores.

use std::path::Path;

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::model::sharing::{
    Announced, Member, MemberRole, Pulled, Pushed, Received, RecordSource, SharedBatch,
    UnansweredErasure, Watermark,
};
use crate::projection::pauses::PauseScope;
use crate::share::{announcement, folder, hash, keys, members, receive, send};
use crate::upkeep::erase::Erased;

/// What a memory shares with others; see [`Memory::sharing`].
#[derive(Clone, Copy, Debug)]
pub struct Sharing<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Sharing: one memory in several stores, on the machines of one person or of a
    /// team.
    pub fn sharing(&self) -> Sharing<'_> {
        Sharing { memory: self }
    }
}

impl Sharing<'_> {
    /// Who this store is to others: its public key, 64 hexadecimal digits. It is made
    /// when it is first asked for, and a backup or an export leaves it behind.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn identity(&self) -> Result<String> {
        Ok(keys::signer(self.memory.enter()?)?.identity())
    }

    /// Gives this store a new identity: for a folder that was copied while both copies
    /// are written to. The other members have to add it. What it wrote into shared folders
    /// under the old one stays there; remove that folder by hand.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn renew_identity(&self) -> Result<String> {
        keys::renew(self.memory.enter()?)
    }

    /// Takes the records of another store from now on. A store that is a member already
    /// gets the new name and role.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    /// use recallite::{EventKind, MemberRole, Memory, NewEvent};
    /// let laptop = Memory::open(folders[0].path())?;
    /// let desktop = Memory::open(folders[1].path())?;
    /// desktop.sharing().add_member(&laptop.sharing().identity()?, "laptop", MemberRole::Owner)?;
    ///
    /// laptop.append(NewEvent::new(EventKind::UserPrompt, "monday", "We deploy at noon."))?;
    /// let batch = laptop.sharing().changes_since(0, 1_000)?;
    /// let received = desktop.sharing().receive(&batch.lines)?;
    /// assert_eq!(received.records, 1);
    /// assert_eq!(desktop.search("when do we deploy?")?.items.len(), 1);
    /// assert_eq!(desktop.sharing().shared_hash()?, laptop.sharing().shared_hash()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `identity` when it is none, or this store's own, or
    /// `name` when it is too long; as [`Memory::append`].
    pub fn add_member(&self, identity: &str, name: &str, role: MemberRole) -> Result<()> {
        members::add(self.memory.enter()?, identity, name, role)
    }

    /// Takes no more records of another store. What was taken stays. Gives false when
    /// it was no member.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Sharing::add_member`].
    pub fn remove_member(&self, identity: &str) -> Result<bool> {
        members::remove(self.memory.enter()?, identity)
    }

    /// The stores whose records this one takes, in the order of their identities.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn members(&self) -> Result<Vec<Member>> {
        self.memory.enter()?.store.read()?.members()
    }

    /// Which store recorded an event, and what it is called there; `None` for what this
    /// store recorded itself.
    ///
    /// # Growth
    /// By the members.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn source(&self, event: impl Into<EventRef>) -> Result<Option<RecordSource>> {
        members::source(self.memory.enter()?, &event.into())
    }

    /// Keeps a session or a project from other stores: nothing of it is sent from now
    /// on. Gives false when it was kept back already. What was sent before stays with
    /// those who have it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `name`; as [`Memory::append`].
    pub fn withhold(&self, scope: PauseScope, name: &str) -> Result<bool> {
        members::set_withheld(self.memory.enter()?, scope, name, true)
    }

    /// Sends a session or a project that was kept back, also what was recorded meanwhile:
    /// the next batch tells the others to ask from the beginning. Gives false when it was
    /// not kept back.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Sharing::withhold`].
    pub fn offer(&self, scope: PauseScope, name: &str) -> Result<bool> {
        members::set_withheld(self.memory.enter()?, scope, name, false)
    }

    /// Whether a session or a project is kept from other stores.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn is_withheld(&self, scope: PauseScope, name: &str) -> Result<bool> {
        members::is_withheld(self.memory.enter()?, scope, name)
    }

    /// What this store recorded behind a position of its log and shares, signed, in the
    /// order of the log: at most `limit` records (0 to 10,000), about 4 MB of text. The
    /// first batch begins at 0, and each next one at [`SharedBatch::through`] of the one
    /// before. With a limit of 0 it only says how far this store has come. Only what this store itself recorded is sent; what the privacy filter took
    /// out was never stored.
    ///
    /// # Growth
    /// By result, and by the records looked at for it, which are 100,000 at most.
    ///
    /// # Errors
    /// `invalid_argument` naming `position` or `limit`; `corrupt` or `io`.
    pub fn changes_since(&self, position: u64, limit: usize) -> Result<SharedBatch> {
        send::changes_since(self.memory.enter()?, position, limit)
    }

    /// Takes the batch of another store: all of it, or nothing when anything in it is
    /// wrong. Batches may come in any order, and any number of times. When it offers again
    /// what it had withheld, [`Received::through`] goes back to 0.
    ///
    /// An order to forget hides at once what it reaches, also what comes later. What an
    /// order has this store erase is hidden at once, and erased by
    /// [`Sharing::erase_ordered`].
    ///
    /// # Growth
    /// By the size of the batch. A record that what was learned here before comes
    /// behind, and that touches the same, has all of that folded again: by store.
    ///
    /// # Errors
    /// `permission_denied` naming `batch` when the store is no member; `invalid_argument`
    /// naming `batch` when it is cut, not as it was signed, or holds what cannot be;
    /// `already_exists` when two machines sign with one key; `newer_format`; as
    /// [`Memory::append`].
    pub fn receive(&self, batch: &str) -> Result<Received> {
        receive::receive(self.memory.enter()?, batch)
    }

    /// Takes records that somebody chose out of what a store shares: a server that gives
    /// each member what it may see. The batch is one of [`Sharing::changes_since`] without
    /// records, which says how far its store has come, and behind it the lines of the
    /// records, each of which bears its own signature. They are all that this store may
    /// have from behind the position `since` up to `through`: that nothing was left out is
    /// believed, so ask only who is trusted with it.
    ///
    /// # Growth
    /// As [`Sharing::receive`]: by the size of the batch, or by store.
    ///
    /// # Errors
    /// As [`Sharing::receive`]; `invalid_argument` naming `through` when it lies before
    /// `since` or behind what the store says.
    pub fn receive_selected(&self, batch: &str, since: u64, through: u64) -> Result<Received> {
        receive::receive_selected(self.memory.enter()?, batch, since, through)
    }

    /// A short text that changes whenever something may have to leave what was sent
    /// before: what was forgotten, erased or withheld since. Who keeps batches elsewhere
    /// compares it with that of the last time, and then makes them again from the beginning.
    ///
    /// # Growth
    /// Constant, but for what is withheld.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn retraction_mark(&self) -> Result<String> {
        send::retraction_mark(&self.memory.enter()?.store.read()?)
    }

    /// Erases what other stores' orders have this one erase; see [`Memory::erase`].
    /// After a kill it is called again.
    ///
    /// # Growth
    /// As [`Memory::erase`]; constant when there is nothing to erase. By store.
    ///
    /// # Errors
    /// As [`Memory::erase`].
    pub fn erase_ordered(&self) -> Result<Erased> {
        receive::erase_ordered(self.memory.enter()?)
    }

    /// The erasures of this store that not every member has carried out yet, the oldest
    /// first, each with the identities of those who have not: a machine that is switched
    /// off answers when it comes back.
    ///
    /// # Growth
    /// By the erasures since the one that every member has carried out.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn unanswered_erasures(&self) -> Result<Vec<UnansweredErasure>> {
        members::unanswered_erasures(self.memory.enter()?)
    }

    /// Writes what this store shares and has not written yet into a folder that others
    /// read: a USB stick, a synchronised folder, a mounted bucket. What was forgotten or
    /// erased since leaves the files. Each store writes files of its own, so that nothing
    /// is ever merged; a push that was interrupted is made good by the next one.
    ///
    /// # Growth
    /// By what is new; after something was forgotten or erased, by what this store has
    /// shared, for its files are compared with the log.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` when it is none; `io` or `full` naming it when
    /// it cannot be written; `busy` when another process pushes for longer than 5 seconds;
    /// as [`Sharing::changes_since`].
    pub fn push_folder(&self, folder: impl AsRef<Path>) -> Result<Pushed> {
        folder::push(self.memory.enter()?, folder.as_ref())
    }

    /// Takes what other members wrote into a folder and is not here yet. A store that is
    /// no member is named in the result, and nothing of it is read.
    ///
    /// # Growth
    /// By what is new, and by the files in the folder.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` when it holds no shared memory, or a file of it
    /// is damaged: its store's files before it were taken, and those of all others; as
    /// [`Sharing::receive`].
    pub fn pull_folder(&self, folder: impl AsRef<Path>) -> Result<Pulled> {
        folder::pull(self.memory.enter()?, folder.as_ref())
    }

    /// What this store says of itself to others: its identity and a name, signed, one
    /// line of JSON.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `name`; as [`Sharing::identity`].
    pub fn announcement(&self, name: &str) -> Result<String> {
        announcement::write(self.memory.enter()?, name)
    }

    /// Who made an [`announcement`](Sharing::announcement). The name is what the store says
    /// of itself: compare identities before you add a member.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `announcement` when it is none, or is not signed by the
    /// store that it names.
    pub fn read_announcement(&self, announcement: &str) -> Result<Announced> {
        self.memory.enter()?;
        announcement::read(announcement)
    }

    /// Makes this store known in a folder under a name, so that others can add it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` or `name`; `io` or `full` naming `folder`.
    pub fn announce(&self, folder: impl AsRef<Path>, name: &str) -> Result<()> {
        folder::announce(self.memory.enter()?, folder.as_ref(), name)
    }

    /// Who made itself known in a folder, in the order of their identities, this store
    /// included. A name is what its store says of itself: compare identities before you
    /// add a member.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` when it holds no shared memory; `io`.
    pub fn announced(&self, folder: impl AsRef<Path>) -> Result<Vec<Announced>> {
        self.memory.enter()?;
        folder::announced(folder.as_ref())
    }

    /// How far the records of each member are here.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn watermarks(&self) -> Result<Vec<Watermark>> {
        members::watermarks(self.memory.enter()?)
    }

    /// A hash of what all members agree on, 64 hexadecimal digits: the same in two
    /// stores that have received the same records, whatever the order of arrival.
    /// Positions, citations and how memories were used are not in it.
    ///
    /// # Growth
    /// By store.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn shared_hash(&self) -> Result<String> {
        hash::shared_hash(self.memory.enter()?)
    }
}
