//! What was read on a connection, so that it is not read again.

use std::collections::HashMap;

/// What was read on a connection of what other stores say, by their identities.
#[derive(Default)]
pub(crate) struct ReadOnce(pub(crate) HashMap<String, Known>);

/// What a store said, with all its records up to a position.
pub(crate) struct Known {
    pub(crate) hash: String,
    pub(crate) through: u64,
}
