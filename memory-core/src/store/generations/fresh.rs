//! What a generation was like when it was new, so that `maintain` can tell whether another copy of
//! the store would be much smaller.

use crate::model::error::Result;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::meta::{Reader, seal};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// Key in the meta table. The first generation of a store has no such row.
pub(in crate::store) const FRESH_KEY: &str = "fresh";

/// The numbers at the time when a generation was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// The forgotten events whose records it still contains.
    pub(crate) forgotten_events: u64,
    /// The size of its files, as the first `maintain` found them; 0 before.
    pub(crate) size_bytes: u64,
    /// How much of that was content at that time.
    pub(crate) content_bytes: u64,
}

impl Fresh {
    fn encode(self) -> Vec<u8> {
        let numbers = [self.forgotten_events, self.size_bytes, self.content_bytes];
        seal(numbers.map(u64::to_le_bytes).concat())
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::unseal("record of its last copy", bytes)?;
        Ok(Fresh {
            forgotten_events: from.u64()?,
            size_bytes: from.u64()?,
            content_bytes: from.u64()?,
        })
    }
}

fn fresh_in(table: &impl ReadableTable<&'static str, &'static [u8]>) -> Result<Option<Fresh>> {
    let stored = table.get(FRESH_KEY)?;
    stored
        .map(|stored| Fresh::decode(stored.value()))
        .transpose()
}

impl ReadTx {
    /// What the live generation was like when it was built as a copy of another.
    pub(crate) fn fresh(&self) -> Result<Option<Fresh>> {
        catch_panic(|| fresh_in(&self.transaction.open_table(tables::META)?))
    }
}

impl WriteTx<'_> {
    pub(crate) fn fresh(&self) -> Result<Option<Fresh>> {
        fresh_in(&self.transaction.open_table(tables::META)?)
    }

    pub(crate) fn set_fresh(&mut self, fresh: Fresh) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        table.insert(FRESH_KEY, fresh.encode().as_slice())?;
        Ok(())
    }
}
