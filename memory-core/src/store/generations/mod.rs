//! The folder of a store and its generations: opening the live one, building the next one beside
//! it, switching, and removing the old one.

pub(super) mod change_marks;
pub(crate) mod changed_keys;
pub(super) mod changes;
pub(super) mod copying;
pub(super) mod create_tables;
pub(crate) mod erasing;
pub(crate) mod fail_points;
pub(crate) mod folder;
pub(crate) mod fresh;
pub(crate) mod generation;
pub(crate) mod leftovers;
pub(super) mod live;
pub(crate) mod notes;
pub(super) mod opened;
pub(super) mod opening;
pub(super) mod options;
pub(crate) mod pending_erasures;
pub(super) mod scratch;
pub(crate) mod wiping;
