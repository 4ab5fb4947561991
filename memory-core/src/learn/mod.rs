//! From what was said to what is known: tasks, entries, ledgers, graduation and
//! the endless mode. Everything here decides and nothing here stores: state
//! comes in through small traits, decisions go out as values.

pub mod endless;
pub mod entries;
pub mod extraction;
pub mod graduate;
pub mod ledgers;
pub mod tasks;
