//! A table of ids by the hash of what they stand for.

use hashbrown::HashTable;

/// Ids by hash; the owner of the table keeps the keys and compares them.
#[derive(Default)]
pub(crate) struct IdTable(HashTable<(u32, u32)>);

impl IdTable {
    pub(crate) fn new() -> Self {
        IdTable::default()
    }

    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let found = self
            .0
            .find(spread(hash), |&(known, id)| known == hash && is_it(id));
        found.map(|&(_, id)| id)
    }

    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        self.0
            .insert_unique(spread(hash), (hash, id), |&(hash, _)| spread(hash));
    }
}

/// The table looks at both ends of a hash.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}
