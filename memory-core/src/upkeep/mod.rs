//! Work that may wait: step functions that the host or an ordinary call runs.
//! Nothing here starts a thread.

mod embed;
pub mod outbox;
