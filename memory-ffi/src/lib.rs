//! The C interface of Recallite. Each function checks its arguments, calls the core and
//! returns the result in C's terms. There are no rules of the memory here.
//!
//! The conventions that callers rely on are at the head of `recallite.h` (`cbindgen.toml`);
//! `docs/adding-a-method.md` says how a function is added.
#![deny(unsafe_op_in_unsafe_fn)]
// These names are the C interface; cbindgen writes them unchanged.
#![allow(non_camel_case_types)]

pub mod choices;
pub mod status;
pub mod strings;
pub mod text;

pub mod error;

pub mod version;

pub mod embedder;

pub mod logging;

pub mod generated;

pub mod weights;

pub mod handle;
pub mod retention;

pub mod open;

pub mod progress;

pub mod read;

pub mod visit;

pub mod tokens;

pub mod import;

pub mod streams;

pub mod export;

pub mod extraction;

pub mod endless;

mod call;
mod input;
pub mod owned;
mod panics;
mod words;

#[cfg(feature = "test-hooks")]
pub mod test_hooks;
