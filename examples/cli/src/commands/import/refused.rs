//! What is not imported, and why.

/// The maximum number of refused events to list.
const MAX_REFUSED: usize = 10;

/// Events and files that are not imported.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// Why the first of them are not.
    pub(super) first: Vec<String>,
    /// How many there are.
    pub(super) count: u64,
}

impl Refused {
    pub(super) fn add(&mut self, why: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < MAX_REFUSED {
            self.first.push(why());
        }
    }
}
