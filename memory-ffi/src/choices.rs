//! The numbers of dedupe modes and scopes.

/// How a repeated event is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_dedupe {
    /// Events with the same content in the same session are one event.
    RECALLITE_DEDUPE_CONTENT = 0,
    /// Events with the same dedupe_key are one event.
    RECALLITE_DEDUPE_KEY = 1,
    /// Every append stores a new event.
    RECALLITE_DEDUPE_NONE = 2,
}

/// Which projects a read covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_scope {
    /// The project that the memory was opened for; every project if it was opened for none.
    RECALLITE_SCOPE_OWN = 0,
    /// Every project of the store.
    RECALLITE_SCOPE_ALL = 1,
    /// The project with the given name; the empty name means events without a project.
    RECALLITE_SCOPE_NAMED = 2,
}
