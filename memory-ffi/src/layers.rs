//! The default size of a timeline.

/// The number of items that a timeline shows before and after an event by default in the
/// other languages.
pub const RECALLITE_DEFAULT_WINDOW: usize = 3;
