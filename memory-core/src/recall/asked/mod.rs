//! What is asked: the query with its defaults, its names and its moment, and which events may
//! answer it.

pub(super) mod by_time;
pub(super) mod given;
pub(super) mod named;
pub(super) mod narrowing;
pub(crate) mod prepared;
pub(crate) mod present;
pub(super) mod resolved;
