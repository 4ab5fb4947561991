//! Hostile programs and inputs: what may happen to a store from outside.
//!
//! `traced` stops, kills and fails a process at every file operation of every operation that
//! writes; `limits` makes calls with sizes and values at every limit. Few cases run as a test;
//! `cargo xtask reliability` runs all of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[cfg(target_os = "linux")]
mod folder;
mod limits;
#[cfg(target_os = "linux")]
mod traced;
#[cfg(target_os = "linux")]
mod verdict;
#[cfg(target_os = "linux")]
mod victim;
