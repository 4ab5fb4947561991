//! The tables of the lexical index: memtable entries, segment descriptors and blocks.

use std::cell::RefCell;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use crate::index::lexical::block::{BlockKey, BlockSink, BlockSource};
use crate::index::lexical::forward::{EventFacts, NO_TURN, actor_hash};
use crate::index::lexical::segment_info::{SegmentFileInfo, SegmentInfo};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{EventKind, is_note};
use crate::store::database::checked::{
    Held, ReadOnlyTable, ReadableTable, Table, WriteTransaction,
};
use crate::store::database::panics::catch_panic;
use crate::store::log::record::Record;
use crate::store::log::session::turn_of;
use crate::store::meta::{Reader, seal};
use crate::store::tables::{self, Facet};
use crate::store::{ReadTx, WriteTx};

/// A descriptor without its seal.
pub(in crate::store) fn encode(info: &SegmentInfo) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    for number in [info.id, info.seq_from, info.seq_to, info.size_bytes] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    for number in [info.events, info.passages, info.terms, info.blocks] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.push(u8::from(info.file.is_some()));
    if let Some(file) = info.file {
        out.extend_from_slice(&file.unique.to_le_bytes());
        out.extend_from_slice(&file.length.to_le_bytes());
        out.extend_from_slice(&file.checks.to_le_bytes());
    }
    out
}

/// Reads what [`encode`] wrote.
pub(in crate::store) fn decode(from: &mut Reader<'_>) -> Result<SegmentInfo> {
    let (id, seq_from, seq_to, size_bytes) = (from.u64()?, from.u64()?, from.u64()?, from.u64()?);
    Ok(SegmentInfo {
        id,
        seq_from,
        seq_to,
        size_bytes,
        events: from.u32()?,
        passages: from.u32()?,
        terms: from.u32()?,
        blocks: from.u32()?,
        file: match from.u8()? {
            0 => None,
            _ => Some(SegmentFileInfo {
                unique: u128::from_le_bytes(from.array()?),
                length: from.u64()?,
                checks: from.u64()?,
            }),
        },
    })
}

fn list(table: &impl ReadableTable<u64, &'static [u8]>) -> Result<Vec<SegmentInfo>> {
    let mut segments = table
        .iter()?
        .map(|entry| {
            let bytes = entry?.1;
            decode(&mut Reader::unseal("segment descriptor", bytes.value())?)
        })
        .collect::<Result<Vec<SegmentInfo>>>()?;
    segments.sort_by_key(|segment| segment.seq_from);
    Ok(segments)
}

impl ReadTx {
    /// The live segments, in the order of the log.
    pub(crate) fn segments(&self) -> Result<Vec<SegmentInfo>> {
        catch_panic(|| list(&self.transaction.open_table(tables::LEXICAL_SEGMENTS)?))
    }

    /// Visits the entries of the memtable after a position, in log order.
    pub(crate) fn forward_entries(
        &self,
        after: u64,
        mut visit: impl FnMut(Arc<[u8]>) -> Result<()>,
    ) -> Result<()> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
            for entry in table.range((Bound::Excluded(after), Bound::Unbounded))? {
                let (seq, entry) = entry?;
                visit(entry.value().into()).map_err(|error| {
                    Error::new(error.code(), format!("event {}: {error}", seq.value()))
                })?;
            }
            Ok(())
        })
    }
}

impl ReadTx {
    /// The facts that the index stores about a live event besides its words.
    ///
    /// # Errors
    /// `corrupt` if its session or its project has no number.
    pub(crate) fn facts_of(
        &self,
        seq: u64,
        kind: EventKind,
        record: &Record<'_>,
    ) -> Result<EventFacts> {
        let number = |facet, name: &str| {
            self.number(facet, name)?.ok_or_else(|| {
                Error::new(
                    ErrorCode::Corrupt,
                    format!("a name of event {seq} has no number; rebuild the store"),
                )
            })
        };
        let session = match record.session.as_str() {
            "" => 0,
            name => number(Facet::Session, name)?,
        };
        let is_note = is_note(record.metadata.as_ref().map(|json| json.as_str()));
        let turn = match kind {
            _ if is_note => None,
            EventKind::UserPrompt | EventKind::AgentResponse => catch_panic(|| {
                let turns = self.transaction.open_table(tables::SESSION_TURNS)?;
                turn_of(&turns, session, seq)
            })?,
            _ => None,
        };
        Ok(EventFacts {
            seq,
            session,
            turn: turn.unwrap_or(NO_TURN),
            project: number(Facet::Project, record.project.as_str())?,
            kind: kind.number(),
            origin: record.origin,
            flags: 0,
            timestamp: record.timestamp_ms,
            actor: actor_hash(record.actor.as_str()),
        })
    }
}

impl BlockSource for ReadTx {
    fn block(&self, key: BlockKey) -> Result<Option<Arc<[u8]>>> {
        let blocks = self.opened(&self.tables.blocks, tables::LEXICAL_BLOCKS)?;
        Ok(blocks
            .get(key.to_bytes().as_slice())?
            .map(|bytes| bytes.value().into()))
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.index)
    }
}

/// Blocks as a write transaction sees them; some may be written while others are read.
pub(crate) struct TxSource<'t> {
    blocks: RefCell<Table<'t, &'static [u8], &'static [u8]>>,
    tombstones: Table<'t, u64, u64>,
    index: &'t Path,
}

impl TxSource<'_> {
    pub(crate) fn is_deleted(&self, seq: u64) -> Result<bool> {
        Ok(self.tombstones.get(seq)?.is_some())
    }
}

impl BlockSource for TxSource<'_> {
    fn block(&self, key: BlockKey) -> Result<Option<Arc<[u8]>>> {
        let blocks = self.blocks.borrow();
        let block = blocks.get(key.to_bytes().as_slice())?;
        Ok(block.map(|bytes| bytes.value().into()))
    }

    fn folder(&self) -> Option<&Path> {
        Some(self.index)
    }
}

impl BlockSink for &TxSource<'_> {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        let mut blocks = self.blocks.borrow_mut();
        blocks.insert(key.to_bytes().as_slice(), bytes)?;
        Ok(())
    }
}

/// Writes new blocks into the store.
pub(crate) struct TxSink<'t>(Table<'t, &'static [u8], &'static [u8]>);

impl<'t> TxSink<'t> {
    pub(in crate::store) fn open(transaction: &'t WriteTransaction) -> Result<Self> {
        Ok(TxSink(transaction.open_table(tables::LEXICAL_BLOCKS)?))
    }
}

impl BlockSink for TxSink<'_> {
    fn put(&mut self, key: BlockKey, bytes: &[u8]) -> Result<()> {
        self.0.insert(key.to_bytes().as_slice(), bytes)?;
        Ok(())
    }
}

impl WriteTx<'_> {
    pub(crate) fn segments(&self) -> Result<Vec<SegmentInfo>> {
        list(&self.transaction.open_table(tables::LEXICAL_SEGMENTS)?)
    }

    pub(crate) fn block_source(&self) -> Result<TxSource<'_>> {
        Ok(TxSource {
            blocks: RefCell::new(self.transaction.open_table(tables::LEXICAL_BLOCKS)?),
            tombstones: self.transaction.open_table(tables::TOMBSTONES)?,
            index: self.index,
        })
    }

    pub(crate) fn block_sink(&self) -> Result<TxSink<'_>> {
        TxSink::open(&self.transaction)
    }

    /// Stores blocks that were built outside of the transaction.
    pub(crate) fn put_blocks(&self, blocks: Vec<(BlockKey, Vec<u8>)>) -> Result<()> {
        let mut sink = self.block_sink()?;
        for (key, bytes) in blocks {
            sink.put(key, &bytes)?;
        }
        Ok(())
    }

    pub(crate) fn put_segment(&mut self, info: &SegmentInfo) -> Result<()> {
        self.put_descriptor(info)?;
        self.state.last_flush_ms = self.clock.now().millis();
        Ok(())
    }

    pub(in crate::store) fn put_descriptor(&mut self, info: &SegmentInfo) -> Result<()> {
        let mut table = self.transaction.open_table(tables::LEXICAL_SEGMENTS)?;
        table.insert(info.id, seal(encode(info)).as_slice())?;
        Ok(())
    }

    /// Removes a segment. Once that is committed, no descriptor refers to its file, if it has one,
    /// and [`Store::clean_files`](crate::store::Store::clean_files) removes it.
    pub(crate) fn remove_segment(&mut self, info: &SegmentInfo) -> Result<()> {
        let mut table = self.transaction.open_table(tables::LEXICAL_SEGMENTS)?;
        table.remove(info.id)?;
        if info.file.is_some() {
            return Ok(());
        }
        let mut blocks = self.transaction.open_table(tables::LEXICAL_BLOCKS)?;
        for key in info.block_keys() {
            blocks.remove(key.to_bytes().as_slice())?;
        }
        Ok(())
    }

    /// Removes the blocks of a segment of which only the number is known.
    pub(crate) fn remove_blocks(&self, segment: u64) -> Result<()> {
        let mut blocks = self.transaction.open_table(tables::LEXICAL_BLOCKS)?;
        let (first, end) = (
            segment.to_be_bytes(),
            segment.saturating_add(1).to_be_bytes(),
        );
        let mut keys = Vec::new();
        for entry in blocks.range(first.as_slice()..end.as_slice())? {
            keys.push(entry?.0.value().to_vec());
        }
        for key in keys {
            blocks.remove(key.as_slice())?;
        }
        Ok(())
    }

    /// The size of the memtable's newest entry, in bytes.
    pub(crate) fn newest_entry_bytes(&self) -> Result<u64> {
        let table = self.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
        let newest = table.last()?;
        Ok(newest.map_or(0, |(_, entry)| entry.value().len() as u64))
    }

    /// The size of all entries of the memtable, in bytes.
    pub(crate) fn memtable_bytes(&self) -> Result<u64> {
        let table = self.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
        let mut bytes = 0;
        for entry in table.iter()? {
            bytes += entry?.1.value().len() as u64;
        }
        Ok(bytes)
    }

    /// Removes all entries from the memtable and returns them in log order, except those of deleted
    /// events.
    pub(crate) fn take_memtable(&mut self) -> Result<Vec<(u64, Vec<u8>)>> {
        let mut table = self.transaction.open_table(tables::LEXICAL_MEMTABLE)?;
        let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
        let mut taken = Vec::new();
        for entry in Held::new(table.extract_all()?) {
            let (seq, entry) = entry?;
            if tombstones.get(seq.value())?.is_none() {
                taken.push((seq.value(), entry.value().to_vec()));
            }
        }
        self.state.memtable_events = 0;
        if taken.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(Error::new(
                ErrorCode::Corrupt,
                "the lexical memtable is out of order; rebuild it",
            ));
        }
        Ok(taken)
    }
}

/// The deleted events, for filters that test many positions; `None` while there are none.
pub(crate) struct DeletedEvents(Option<ReadOnlyTable<u64, u64>>);

impl DeletedEvents {
    pub(crate) fn contains(&self, seq: u64) -> Result<bool> {
        match &self.0 {
            Some(tombstones) => Ok(tombstones.get(seq)?.is_some()),
            None => Ok(false),
        }
    }
}

impl ReadTx {
    pub(crate) fn tombstones(&self) -> Result<DeletedEvents> {
        catch_panic(|| {
            let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
            let is_empty = tombstones.is_empty()?;
            Ok(DeletedEvents((!is_empty).then_some(tombstones)))
        })
    }

    pub(crate) fn generation(&self) -> u64 {
        self.meta.generation
    }
}
