//! Progress of long operations, and stopping them.

use crate::memory::Memory;
use crate::model::progress::ProgressHandler;

impl Memory {
    /// Sets the function that is called with the progress of long operations, or removes it.
    /// Handles that were cloned from each other share it. An operation that is already running
    /// keeps the one it began with.
    ///
    /// The handler is called on the thread that runs the operation: at the beginning, at most
    /// every 50 milliseconds in between, and at the end of an operation that succeeds. If it
    /// returns false, the operation ends with `interrupted`, as by [`Memory::interrupt`]; at
    /// the end, what it returns has no effect. If it panics, the operation ends with
    /// `callback`.
    ///
    /// The handler may read from the same memory. It must not append, change anything or
    /// begin another long operation: other writers may be waiting, and it would be called
    /// again. The operations are listed in [`Operation`](crate::Operation).
    ///
    /// ```
    /// # fn main() -> recallite::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let memory = recallite::Memory::open(folder.path())?;
    /// use std::sync::Arc;
    ///
    /// memory.set_progress_handler(Some(Arc::new(|progress| {
    ///     match progress.total {
    ///         Some(total) => eprintln!("{}: {} of {total}", progress.operation, progress.done),
    ///         None => eprintln!("{}: {}", progress.operation, progress.done),
    ///     }
    ///     true
    /// })));
    /// memory.compact()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Growth
    /// Constant.
    pub fn set_progress_handler(&self, handler: Option<ProgressHandler>) {
        self.engine.operations.set_handler(handler);
    }

    /// Stops the long operations of this handle and its clones that are running now, on any
    /// thread. Each ends with `interrupted` at its next checkpoint, usually within
    /// milliseconds; one that has begun its last step, for which writers wait, is completed.
    /// An operation that begins later is not affected. Can be called from a progress handler.
    ///
    /// The store stays sound, and calling the operation again is always possible. An
    /// interrupted operation leaves what its documentation says: nothing has changed, or the
    /// parts that were done stay done.
    ///
    /// # Growth
    /// Constant.
    pub fn interrupt(&self) {
        self.engine.operations.interrupt();
    }
}

#[cfg(test)]
mod tests;
