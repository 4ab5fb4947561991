//! What a replay reads: a log, and what the layers above the store know of its events.

use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::BatchInverter;
use crate::index::lexical::forward::ForwardBody;
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::store::WriteTx;
use crate::store::database::checked::{ReadOnlyTable, ReadableTable};
use crate::store::log::record::Record;

/// What the layers above the store contribute to a replay.
pub(crate) trait Replay {
    /// The search words of a live conversation event; `None` if the search index is not
    /// wanted.
    ///
    /// `secret` is the store's, needed to verify a fence around recalled text.
    fn forward(
        &self,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> Option<ForwardBody>;

    /// Adds the words of a live conversation event to those of others. Adds nothing and
    /// returns false if the search index is not wanted.
    fn invert(
        &self,
        into: &mut BatchInverter,
        analyser: &mut Analyser,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> bool;

    /// Called after a segment was added: merges what is due.
    fn merge(&self, tx: &mut WriteTx<'_>) -> Result<()>;
}

/// The source of the records.
pub(crate) enum Log<'a> {
    /// The log of the transaction itself.
    Own,
    /// The log of another store file, unchanged.
    Other(&'a ReadOnlyTable<u64, &'static [u8]>),
}

impl Log<'_> {
    /// The record at a position; `own` is the log of the transaction itself.
    pub(in crate::store) fn record(
        &self,
        own: &impl ReadableTable<u64, &'static [u8]>,
        seq: u64,
    ) -> Result<Option<Vec<u8>>> {
        let bytes = match self {
            Log::Own => own.get(seq)?.map(|bytes| bytes.value().to_vec()),
            Log::Other(events) => events.get(seq)?.map(|bytes| bytes.value().to_vec()),
        };
        Ok(bytes)
    }
}
