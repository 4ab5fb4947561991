//! What ends the reading of a file.

use crate::failure::Failure;

/// Whether the file or the store is at fault.
pub(super) enum Broken {
    Reading(String),
    Storing(Failure),
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Broken::Storing(failure)
    }
}

impl From<std::io::Error> for Broken {
    fn from(error: std::io::Error) -> Self {
        Broken::Reading(error.to_string())
    }
}
