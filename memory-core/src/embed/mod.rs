//! Turning text into vectors.

pub mod static_table;
