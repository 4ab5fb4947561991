//! How far a push or a pull has come.

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
