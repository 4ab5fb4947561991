//! How far a push or a pull has come.

use crate::server::Server;

/// How far a push or a pull has come, in positions of the logs that it goes through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many positions were passed.
    pub done: u64,
    /// How many there are, as far as that is known.
    pub total: u64,
}

/// A function that is told the progress.
pub(crate) type Handler = Box<dyn FnMut(Progress) + Send>;

impl Server {
    /// Sets the function that is told how far [`Server::push`] and [`Server::pull`] have come, after
    /// each of their transactions with records, on the thread that calls them; `None` removes it.
    pub fn set_progress_handler(&mut self, handler: Option<Box<dyn FnMut(Progress) + Send>>) {
        self.handler = handler;
    }

    pub(crate) fn tell(&mut self, progress: Progress) {
        if let Some(handler) = &mut self.handler {
            handler(progress);
        }
    }
}
