//! Pausing the recording of sessions and projects.

use crate::memory::Memory;
use crate::model::error::Result;
use crate::write::pauses::{self, Pause, ScopeKind};

/// The pauses of a memory; see [`Memory::pauses`].
#[derive(Clone, Copy, Debug)]
pub struct Pauses<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Pauses: sessions and projects that are not being recorded for now.
    pub fn pauses(&self) -> Pauses<'_> {
        Pauses { memory: self }
    }
}

impl Pauses<'_> {
    /// Pauses the recording of a session or a project, for every process. An append to it stores
    /// nothing, and its receipt says [`SkipReason::Paused`](crate::SkipReason::Paused). Nothing is
    /// learned from it either: an extraction of the session or project, and a new entry, task or
    /// decision, are refused. The pause lasts until [`Pauses::resume`], and survives a rebuild and
    /// an erasure. What was stored before stays. Returns false if it was already paused.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent, ScopeKind, SkipReason};
    /// memory.pauses().pause(ScopeKind::Session, "s1")?;
    /// let receipt = memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "Between us."))?;
    /// assert_eq!(receipt.skipped, Some(SkipReason::Paused));
    /// memory.pauses().resume(ScopeKind::Session, "s1")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// `invalid_argument` naming `name` when it is not a valid name of a session or project; as
    /// [`Memory::append`].
    pub fn pause(&self, scope: ScopeKind, name: &str) -> Result<bool> {
        pauses::set(self.memory.enter()?, scope, name, true)
    }

    /// Resumes the recording of a session or a project. Returns false if it was not paused.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Pauses::pause`].
    pub fn resume(&self, scope: ScopeKind, name: &str) -> Result<bool> {
        pauses::set(self.memory.enter()?, scope, name, false)
    }

    /// Returns what is paused, longest paused first. At most `limit` are returned, 1,000 by
    /// default.
    ///
    /// # Growth
    /// By what is paused.
    ///
    /// # Errors
    /// `corrupt` or `io`.
    pub fn list(&self, limit: Option<usize>) -> Result<Vec<Pause>> {
        pauses::list(self.memory.enter()?, limit)
    }
}
