//! The Node addon of Recallite: converts, calls the core, converts back.
//!
//! Nothing here is public to users of the npm package: its TypeScript layer checks types,
//! calls these functions, and turns a [`outcome::Failure`] into a `MemoryError`. Three
//! rules hold for every function:
//!
//! - a failure of the core is a returned value, not an exception, so that its code,
//!   argument and hints arrive as data;
//! - a panic is caught at the boundary and becomes a failure `internal`; the handle is then
//!   poisoned, because a half-done change may be in memory;
//! - what accesses the disk has two forms, one on a libuv worker and one that blocks, and
//!   both call the same function. [`js_calls`] describes how callbacks reach JavaScript from
//!   either.

// What napi registers exists only outside of Rust tests; the tests are in JavaScript.
#![cfg_attr(test, allow(dead_code))]
// The macros of napi-derive expand to `unsafe`; this package itself uses none.
#![allow(unsafe_code)]

mod calls;
mod cancel;
mod convert;
mod cursor;
mod dedupe;
mod embedder;
mod extraction;
mod generated;
#[cfg(feature = "test-hooks")]
mod hooks;
mod input;
mod js_calls;
mod list;
mod logging;
mod memory;
mod methods;
mod options;
mod outcome;
mod output;
mod places;
mod pool;
mod progress;
mod recall;
mod summarize;

use napi_derive::napi;

/// The version of the library, for example `0.1.0`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Every error code, in numeric order.
#[napi]
pub fn error_codes() -> Vec<&'static str> {
    recallite::ErrorCode::ALL
        .iter()
        .map(|code| code.as_str())
        .collect()
}

/// Every event kind, in numeric order.
#[napi]
pub fn event_kinds() -> Vec<&'static str> {
    recallite::EventKind::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect()
}
