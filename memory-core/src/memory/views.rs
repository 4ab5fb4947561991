//! Reading events in place, without copying their text.

use std::ops::ControlFlow;

use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::filter::EventFilter;
use crate::model::ids::EventRef;
use crate::recall::shown::{read, visit};
use crate::store::log::event_view::{EventGuard, EventView};

/// Events in place; see [`Memory::views`].
#[derive(Clone, Copy, Debug)]
pub struct Views<'a> {
    memory: &'a Memory,
}

impl Memory {
    /// Views of events, which borrow from the store's pages instead of copying the text.
    pub fn views(&self) -> Views<'_> {
        Views { memory: self }
    }
}

impl Views<'_> {
    /// Calls `look` with a view of an event. The view borrows from the store's page, so no
    /// text is copied, which matters for large events and for many of them. The view cannot
    /// outlive the call. Returns `None` if the event does not exist or was forgotten.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::{EventKind, NewEvent};
    ///
    /// let stored = memory.append(NewEvent::new(EventKind::UserPrompt, "s", "Port 8080."))?;
    /// let length = memory.views().event(stored.id, |event| event.content().len())?;
    /// assert_eq!(length, Some(10));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn event<T>(
        &self,
        event: impl Into<EventRef>,
        look: impl FnOnce(&EventView<'_>) -> T,
    ) -> Result<Option<T>> {
        let guard = self.guard(event)?;
        guard.map(|guard| Ok(look(&guard.view()?))).transpose()
    }

    /// Calls `visit` with a view of each event that [`Memory::events`] would return, in the
    /// same order and without copying. Returns how many were visited. The scan ends early
    /// when `visit` breaks. `visit` may call the memory; events that it forgets or erases
    /// are no longer visited. Changes by other processes may be noticed a millisecond late.
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use recallite::EventFilter;
    /// use std::ops::ControlFlow;
    ///
    /// let mut characters = 0;
    /// memory.views().scan(&EventFilter::new(), |event| {
    ///     characters += event.content().chars().count();
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// By result, as [`Memory::events`].
    ///
    /// # Errors
    /// As [`Memory::events`]; what was visited before stays visited.
    pub fn scan(
        &self,
        filter: &EventFilter,
        visit: impl FnMut(&EventView<'_>) -> ControlFlow<()>,
    ) -> Result<u64> {
        visit::scan(|| self.memory.enter(), filter, visit)
    }

    /// Holds the page of an event in memory, for a view that lives as long as a value of
    /// the program. [`Views::event`] is built on this. Like an [`Event`](crate::Event), it does not
    /// change when the event is forgotten or erased, or when the memory is closed. It
    /// blocks no other call, but space freed in the meantime is not reused until it is
    /// dropped.
    ///
    /// # Growth
    /// Constant.
    ///
    /// # Errors
    /// As [`Memory::event`].
    pub fn guard(&self, event: impl Into<EventRef>) -> Result<Option<EventGuard>> {
        read::guard(self.memory.enter()?, &event.into())
    }
}
