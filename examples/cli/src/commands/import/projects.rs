//! The projects in which conversations took place.

use std::collections::HashMap;
use std::path::Path;

use recallite::scope::project_of;

/// The project of a working folder; the folder's name if it is not on this machine.
pub(super) fn project_at(folder: &str) -> String {
    project_of(Path::new(folder)).unwrap_or_else(|_| folder.replace('\\', "/"))
}

/// The projects of the working folders found so far.
#[derive(Default)]
pub(super) struct Projects(HashMap<String, String>);

impl Projects {
    /// See [`project_at`].
    pub(super) fn of(&mut self, folder: &str) -> String {
        let known = self.0.entry(folder.to_owned());
        known.or_insert_with(|| project_at(folder)).clone()
    }
}
