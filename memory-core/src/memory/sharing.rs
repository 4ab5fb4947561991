//! One memory shared by several stores.

use std::path::Path;

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::ids::EventRef;
use crate::model::progress::Operation;
use crate::model::sharing::{
    Announced, Member, MemberRole, Pulled, Pushed, Received, RecordSource, SharedBatch,
    UnansweredErasure, Watermark,
};
use crate::projection::pauses::ScopeKind;
use crate::share::{about, announcement, folder, hash, keys, members, receive, send, withheld};
use crate::store::shared::sharing_rows::SharingRows;
use crate::upkeep::erase::Erased;

/// What a memory shares with others; see [`Memory::sharing`].
#[derive(Clone, Copy, Debug)]
pub struct Sharing<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Sharing: one memory in several stores, on the machines of one person or of a team.
    pub fn sharing(&self) -> Sharing<'_> {
        Sharing { memory: self }
    }
}

impl Sharing<'_> {
    /// Returns the identity that other stores know this store by: its public key, 64
    /// hexadecimal digits. It is created on first use. Backups and exports do not contain
    /// it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn identity(&self) -> Result<String> {
        Ok(keys::signer(self.memory.enter()?)?.identity())
    }

    /// Gives this store a new identity. Use this after a folder was copied and both copies
    /// are written to. The other members have to add the new identity. What this store
    /// wrote into shared folders under the old identity stays there; remove that folder by
    /// hand.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::append`].
    pub fn renew_identity(&self) -> Result<String> {
        keys::renew(self.memory.enter()?)
    }

    /// Adds a member: another store whose records this one accepts from now on. If the
    /// store is already a member, it gets the new name and role.
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
    /// let batch = laptop.sharing().batch_since(0, 1_000)?;
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
    /// `invalid_argument` naming `identity` when it is not an identity, or this store's own, or
    /// `name` when it is too long; as [`Memory::append`].
    pub fn add_member(&self, identity: &str, name: &str, role: MemberRole) -> Result<()> {
        members::add(self.memory.enter()?, identity, name, role)
    }

    /// Removes a member: its records are no longer accepted. What was received stays. If it is
    /// added again, its log is requested from the beginning. Returns false if it was not a member.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Sharing::add_member`].
    pub fn remove_member(&self, identity: &str) -> Result<bool> {
        members::remove(self.memory.enter()?, identity)
    }

    /// Returns the stores whose records this one accepts, ordered by identity.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn members(&self) -> Result<Vec<Member>> {
        self.memory.enter()?.store.read()?.members()
    }

    /// Returns which store recorded an event, and the event's position and citation there;
    /// `None` for an event that this store recorded itself.
    ///
    /// # Growth
    /// By the members.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn source(&self, event: impl Into<EventRef>) -> Result<Option<RecordSource>> {
        members::source(self.memory.enter()?, &event.into())
    }

    /// Returns the citations here, without `mem:`, of the events that have the citation of this one
    /// in other stores. It was taken when they arrived, so they have another one here; see
    /// [`Sharing::source`]. Normally there are none: in two stores of a million events each, about
    /// 15 citations name two events.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn cited_elsewhere(&self, event: impl Into<EventRef>) -> Result<Vec<String>> {
        members::cited_elsewhere(self.memory.enter()?, &event.into())
    }

    /// Returns the names of all projects that an event is about, sorted: its own, and those of
    /// everything that it was learned from, which may be others. The name is empty for what belongs
    /// to no project. The list is empty for an event that hides others, and for what the library
    /// recorded about nothing in particular. If you keep batches where not everyone sees every
    /// project, show a record only to those who may see all of them.
    ///
    /// # Growth
    /// By the events that it was learned from.
    ///
    /// # Errors
    /// `not_found` when there is no such event.
    pub fn projects_of(&self, event: impl Into<EventRef>) -> Result<Vec<String>> {
        about::projects_of(self.memory.enter()?, &event.into())
    }

    /// Withholds a session or a project from other stores: nothing of it is sent from now
    /// on. What was sent before stays with those who have it. Returns false if it was
    /// already withheld.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `name`; as [`Memory::append`].
    pub fn withhold(&self, scope: ScopeKind, name: &str) -> Result<bool> {
        withheld::set_withheld(self.memory.enter()?, scope, name, true)
    }

    /// Shares a session or a project that was withheld, including what was recorded in the
    /// meantime. The next batch asks the others to start again from the beginning. Returns false if
    /// it was not withheld.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Sharing::withhold`].
    pub fn offer(&self, scope: ScopeKind, name: &str) -> Result<bool> {
        withheld::set_withheld(self.memory.enter()?, scope, name, false)
    }

    /// Returns true if a session or a project is withheld from other stores.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn is_withheld(&self, scope: ScopeKind, name: &str) -> Result<bool> {
        withheld::is_withheld(self.memory.enter()?, scope, name)
    }

    /// Returns a signed batch of what this store recorded after a position of its log and shares,
    /// in log order: at most `limit` records (0 to 10,000) and about 4 MB of text. Start the first
    /// batch at 0, and each next one at the [`SharedBatch::through`] of the previous one. With a
    /// limit of 0, the batch only reports how far this store has come. That batch, and one after
    /// which there is nothing more, also reports which erasures of others this store has carried
    /// out. A batch contains only what this store recorded itself; what the privacy filter removed
    /// was never stored.
    ///
    /// # Growth
    /// By result, and by the records looked at for it, which are 100,000 at most.
    ///
    /// # Errors
    /// `invalid_argument` naming `position` or `limit`; `corrupt` or `io`.
    pub fn batch_since(&self, position: u64, limit: usize) -> Result<SharedBatch> {
        send::batch_since(self.memory.enter()?, position, limit)
    }

    /// Takes in a batch from another store: all of it, or nothing if anything in it is
    /// wrong. Batches can arrive in any order and any number of times. If the other store
    /// offers again what it had withheld, [`Received::through`] goes back to 0.
    ///
    /// An order to forget immediately hides what it applies to, including what arrives
    /// later. An order to erase hides it immediately, and [`Sharing::erase_ordered`] erases
    /// it.
    ///
    /// # Growth
    /// By the size of the batch. If a record belongs before something that was already learned here
    /// and concerns the same rows, everything is folded again: by store. Other writers wait for the
    /// whole batch, and for that.
    ///
    /// # Errors
    /// `permission_denied` naming `batch` when the store is not a member; `invalid_argument` naming
    /// `batch` when it is cut, not as it was signed, or has invalid content;
    /// `already_exists` when two machines sign with one key, or when a record has the id of a
    /// different one from another store: then everything else in the batch is stored, and the
    /// message names both stores; `newer_format` when a newer library made the batch or a record in
    /// it; as [`Memory::append`]. Messages name the store, and the position when there is one.
    pub fn receive(&self, batch: &str) -> Result<Received> {
        receive::receive(self.memory.enter()?, batch)
    }

    /// Takes in records that somebody selected from what a store shares, for example a server that
    /// gives each member only what it may see. The batch is one of [`Sharing::batch_since`]
    /// without records, which reports how far its store has come, followed by the lines of the
    /// records, each with its own signature. They must be everything that this store may have after
    /// the position `since` up to `through`. That nothing was left out cannot be verified, so only
    /// accept selections from somebody you trust with that.
    ///
    /// # Growth
    /// By the size of the batch, or by store; see [`Sharing::receive`].
    ///
    /// # Errors
    /// As [`Sharing::receive`]; `invalid_argument` naming `through` when it lies before `since` or
    /// after what the store reports.
    pub fn receive_selected(&self, batch: &str, since: u64, through: u64) -> Result<Received> {
        receive::receive_selected(self.memory.enter()?, batch, since, through)
    }

    /// Returns a short text that changes whenever something sent earlier may have to be
    /// withdrawn because it has since been forgotten, erased or withheld, or has come to be about
    /// another project, by the move of a session or by an edge. If you keep batches elsewhere,
    /// compare it with the last one, and when it differs create the batches again from the
    /// beginning.
    ///
    /// # Growth
    /// Constant, plus what is withheld.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn retraction_mark(&self) -> Result<String> {
        send::retraction_mark(&self.memory.enter()?.store.read()?)
    }

    /// Returns a checksum of this store's log up to a position, which no erasure changes; 64
    /// hexadecimal digits. If you keep batches elsewhere, keep it with them, and compare it before
    /// you add more: in a copy of the folder that was written to, it is different.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `position` when the log does not reach it; `corrupt` or `io`.
    pub fn log_checksum(&self, position: u64) -> Result<String> {
        send::log_checksum(&self.memory.enter()?.store.read()?, position)
    }

    /// Erases what the orders of other stores require this one to erase; see
    /// [`Memory::erase`]. If the process is killed or the program stops it, call it again.
    ///
    /// # Growth
    /// By store, as [`Memory::erase`]; constant when there is nothing to erase.
    ///
    /// # Errors
    /// As [`Memory::erase`].
    pub fn erase_ordered(&self) -> Result<Erased> {
        self.memory.run(Operation::Erase, receive::erase_ordered)
    }

    /// Returns the erasures of this store that some member has not carried out yet, oldest
    /// first, each with the identities of those members. A machine that is switched off
    /// answers when it comes back. At most `limit` are returned, 1,000 by default.
    ///
    /// # Growth
    /// By the erasures in the log; only those that are not answered are read.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn unanswered_erasures(&self, limit: Option<usize>) -> Result<Vec<UnansweredErasure>> {
        members::unanswered_erasures(self.memory.enter()?, limit)
    }

    /// Writes what this store shares and has not written yet into a folder that others
    /// read: a USB stick, a synchronised folder, a mounted bucket. What was forgotten or
    /// erased since is removed from the files. Each store writes its own files, so nothing
    /// is ever merged. A push that was interrupted is completed by the next one.
    ///
    /// # Growth
    /// By what is new; after something was forgotten or erased, by what this store has shared,
    /// because its files are compared with the log.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` when it is not a folder, lies in the store's own folder,
    /// or would need a file of more than 2 GiB for one record; `io` or `full` naming it when it
    /// cannot be written; `busy` when another process pushes for longer than 5 seconds; as
    /// [`Sharing::batch_since`].
    pub fn push_folder(&self, folder: impl AsRef<Path>) -> Result<Pushed> {
        folder::push(self.memory.enter()?, folder.as_ref())
    }

    /// Takes in what other members wrote into a folder and this store does not have yet.
    /// Stores that are not members are named in the result, and nothing of theirs is read.
    ///
    /// # Growth
    /// By what is new, and by the files in the folder.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` when it holds no shared memory, or when a file in it is
    /// damaged: every other file was read; as [`Sharing::receive`], naming `folder` and the file.
    pub fn pull_folder(&self, folder: impl AsRef<Path>) -> Result<Pulled> {
        folder::pull(self.memory.enter()?, folder.as_ref())
    }

    /// Returns an announcement of this store, one line of JSON: its identity and a name,
    /// signed.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `name`; as [`Sharing::identity`].
    pub fn announcement(&self, name: &str) -> Result<String> {
        announcement::write(self.memory.enter()?, name)
    }

    /// Reads what [`Sharing::announcement`] made and returns who made it. The name is what the
    /// store calls itself: compare identities before you add a member.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `announcement` when it is not an announcement, or is not signed by
    /// the store that it names.
    pub fn read_announcement(&self, announcement: &str) -> Result<Announced> {
        self.memory.enter()?;
        announcement::read(announcement)
    }

    /// Announces this store in a folder under a name, so that others can add it.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `folder` or `name`; `io` or `full` naming `folder`; `busy` when
    /// a push takes longer than 5 seconds.
    pub fn announce(&self, folder: impl AsRef<Path>, name: &str) -> Result<()> {
        folder::announce(self.memory.enter()?, folder.as_ref(), name)
    }

    /// Returns the stores that announced themselves in a folder, including this one,
    /// ordered by identity. A name is what a store calls itself: compare identities before
    /// you add a member.
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

    /// Returns up to which position this store has the records of each member.
    ///
    /// # Growth
    /// By result.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn watermarks(&self) -> Result<Vec<Watermark>> {
        members::watermarks(self.memory.enter()?)
    }

    /// Returns a hash of what all members agree on, 64 hexadecimal digits. It is the same
    /// in two stores that have received the same records, in whatever order they arrived.
    /// It does not cover positions, citations or how memories were used.
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
