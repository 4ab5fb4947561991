//! Work that may wait: step functions that the host or an ordinary call runs.
//! Nothing here starts a thread.

pub mod maintain;
pub mod outbox;
