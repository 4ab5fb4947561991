//! Plain data types: ids, times, events and errors. Nothing here does I/O.

pub(crate) mod codec;
pub(crate) mod context;
pub(crate) mod disclosed;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod filter;
pub(crate) mod fixed_weights;
pub(crate) mod hex;
pub(crate) mod ids;
pub(crate) mod json;
pub(crate) mod learned;
pub(crate) mod lists;
pub(crate) mod log_record;
pub(crate) mod message;
pub(crate) mod number;
pub(crate) mod progress;
pub(crate) mod project;
#[macro_use]
pub(crate) mod read;
pub(crate) mod query;
pub(crate) mod session;
#[macro_use]
pub(crate) mod setters;
pub(crate) mod sharing;
pub(crate) mod shorten;
pub(crate) mod stats;
pub(crate) mod time;
pub(crate) mod weights;
pub(crate) mod zone;
