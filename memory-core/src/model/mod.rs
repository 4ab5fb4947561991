//! Plain data types: ids, times, events and errors. Nothing here does I/O.

pub(crate) mod codec;
pub mod context;
pub mod disclosed;
pub mod error;
pub mod event;
pub mod filter;
pub mod fixed_weights;
pub(crate) mod hex;
pub mod ids;
pub mod json;
pub mod learned;
pub(crate) mod lists;
pub mod log_record;
pub mod message;
pub(crate) mod number;
pub mod progress;
pub mod project;
#[macro_use]
pub(crate) mod read;
pub mod query;
pub mod session;
#[macro_use]
pub(crate) mod setters;
pub mod sharing;
pub(crate) mod shorten;
pub mod stats;
pub mod time;
pub mod weights;
pub(crate) mod zone;
