//! The size of a timeline.

/// How many items before and after its target a timeline shows by default in
/// the other languages.
pub const RECALLITE_DEFAULT_WINDOW: usize = 3;
