//! The commands, one file for each concern. A command opens the store, calls the library and prints
//! the result; it makes no decision that belongs to the library.

pub(crate) mod conditions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod endless;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod knowledge;
pub(crate) mod manual;
pub(crate) mod moved;
pub(crate) mod pauses;
pub(crate) mod pins;
pub(crate) mod projects;
pub(crate) mod remember;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod share;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tasks;
pub(crate) mod upkeep;
