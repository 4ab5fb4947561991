//! Stores the rows that folds of the log write: one table for several kinds of rows, with a
//! count and a date for each kind. The folds know the meaning of rows; here they are only
//! bytes, together with which fold touched which of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::checked::{ReadOnlyTable, ReadableTable, Table};
use crate::store::database::panics::catch_panic;
use crate::store::database::sorted::insert_sorted;
use crate::store::index_tables::learned_rows::{is_embedded, is_learned};
use crate::store::meta::{Reader, seal};
use crate::store::projected_rows::touches::{
    FoldPart, Liveness, Recorder, Token, Touch, Trace, key_of, touch_in,
};
use crate::store::tables::PROJECTED;
use crate::store::{ReadTx, WriteTx};

pub(crate) use crate::store::projected_rows::row_kind::{
    Counted, RowKind, RowKindFacts, Rows, Visit, WINDOW, full_key,
};

/// Rows are sealed; a row whose key says everything has no bytes at all.
pub(super) fn open(bytes: &[u8]) -> Result<&[u8]> {
    if bytes.is_empty() {
        return Ok(bytes);
    }
    Ok(Reader::unseal("projected row", bytes)?.rest())
}

pub(super) fn sealed(row: &[u8]) -> Vec<u8> {
    match row.is_empty() {
        true => Vec::new(),
        false => seal(row.to_vec()),
    }
}

fn get(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    row_kind: RowKind,
    key: &[u8],
) -> Result<Option<Vec<u8>>> {
    get_full(table, &full_key(row_kind, key))
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    row_kind: RowKind,
    prefix: &[u8],
    after: Option<&[u8]>,
    visit: Visit<'_>,
) -> Result<()> {
    let first = full_key(row_kind, prefix);
    let after = after.map(|after| full_key(row_kind, after));
    let lower = match &after {
        Some(after) if *after >= first => Bound::Excluded(after.as_slice()),
        _ => Bound::Included(first.as_slice()),
    };
    for entry in table.range((lower, Bound::<&[u8]>::Unbounded))? {
        let (key, row) = entry?;
        let key = key.value();
        if !key.starts_with(&first) || !visit(&key[1..], open(row.value())?)? {
            break;
        }
    }
    Ok(())
}

/// The rows of a store, with what touched them.
pub(crate) trait TouchedRows {
    /// The row in the store under a full key.
    fn get_full(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Visits the parts that touched a token, until `visit` returns false: those before a
    /// part from the latest back, or those after it from the earliest on.
    fn each_touch(
        &self,
        token: Token,
        from: FoldPart,
        is_before: bool,
        visit: &mut dyn FnMut(FoldPart, Touch) -> Result<bool>,
    ) -> Result<()>;
}

fn get_full(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
) -> Result<Option<Vec<u8>>> {
    table
        .get(key)?
        .map(|row| open(row.value()).map(<[u8]>::to_vec))
        .transpose()
}

fn each_touch(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    token: Token,
    from: FoldPart,
    is_before: bool,
    visit: &mut dyn FnMut(FoldPart, Touch) -> Result<bool>,
) -> Result<()> {
    let key = |at: FoldPart, touch: u8| full_key(RowKind::Touched, &key_of(token, at, touch));
    let last = FoldPart {
        seq: u64::MAX,
        part: u32::MAX,
    };
    let first = FoldPart { seq: 0, part: 0 };
    let (low, high) = if is_before {
        (key(first, 0), key(from, 0))
    } else {
        (key(from, u8::MAX), key(last, u8::MAX))
    };
    let mut range = table.range(low.as_slice()..=high.as_slice())?;
    while let Some(entry) = if is_before {
        range.next_back()
    } else {
        range.next()
    } {
        let (key, _) = entry?;
        let Some((part, touch)) = touch_in(key.value().get(1..).unwrap_or_default()) else {
            continue;
        };
        if !visit(part, touch)? {
            break;
        }
    }
    Ok(())
}

/// The rows as a read transaction sees them.
pub(crate) struct Projected(ReadOnlyTable<&'static [u8], &'static [u8]>);

impl Projected {
    /// The last rows of a kind in key order, at most `most`.
    pub(crate) fn last(&self, row_kind: RowKind, most: usize) -> Result<Vec<Vec<u8>>> {
        self.last_of(row_kind, &[], most, |_, row| Ok(open(row)?.to_vec()))
    }

    /// The last keys of a kind with a prefix, at most `most`. The prefix does not end with 255.
    pub(crate) fn last_keys(
        &self,
        row_kind: RowKind,
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Vec<u8>>> {
        self.last_of(row_kind, prefix, most, |key, _| Ok(key[1..].to_vec()))
    }

    fn last_of<T>(
        &self,
        row_kind: RowKind,
        prefix: &[u8],
        most: usize,
        read: impl Fn(&[u8], &[u8]) -> Result<T>,
    ) -> Result<Vec<T>> {
        catch_panic(|| {
            let first = full_key(row_kind, prefix);
            let mut end = first.clone();
            if let Some(last) = end.last_mut() {
                *last += 1;
            }
            let mut rows = Vec::new();
            for entry in self.0.range(first.as_slice()..end.as_slice())?.rev() {
                if rows.len() == most {
                    break;
                }
                let (key, row) = entry?;
                rows.push(read(key.value(), row.value())?);
            }
            rows.reverse();
            Ok(rows)
        })
    }
}

impl TouchedRows for Projected {
    fn get_full(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        catch_panic(|| get_full(&self.0, key))
    }

    fn each_touch(
        &self,
        token: Token,
        from: FoldPart,
        is_before: bool,
        visit: &mut dyn FnMut(FoldPart, Touch) -> Result<bool>,
    ) -> Result<()> {
        catch_panic(|| each_touch(&self.0, token, from, is_before, visit))
    }
}

impl Rows for Projected {
    fn get(&self, row_kind: RowKind, key: &[u8]) -> Result<Option<Vec<u8>>> {
        catch_panic(|| get(&self.0, row_kind, key))
    }

    fn scan(
        &self,
        row_kind: RowKind,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()> {
        catch_panic(|| scan(&self.0, row_kind, prefix, after, visit))
    }
}

/// Rows outside the store, by full key: what folds of a few events make starting from
/// nothing.
#[derive(Debug, Default)]
pub(crate) struct Apart(BTreeMap<Vec<u8>, Vec<u8>>);

impl Apart {
    /// A row by its full key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.0.get(key).map(Vec::as_slice)
    }

    /// The full keys, sorted.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.0.keys().map(Vec::as_slice)
    }
}

/// How many touches of folds are buffered: 5 MB.
#[cfg(not(test))]
const MAX_TOUCHES: usize = 1 << 18;

#[cfg(test)]
const MAX_TOUCHES: usize = 64;

/// How many of them are written in one walk over their table.
const TOUCHES_AT_ONCE: usize = 4_096;

enum RowBacking<'t> {
    Table(Table<'t, &'static [u8], &'static [u8]>),
    Apart(&'t mut Apart),
}

/// The rows during a write. Counts are written by [`ProjectedMut::finish`].
pub(crate) struct ProjectedMut<'t> {
    backing: RowBacking<'t>,
    pub(super) counts: BTreeMap<Counted, RowKindFacts>,
    /// What changed since it was dated.
    undated: BTreeSet<Counted>,
    /// Touches of finished folds, not written yet.
    touches: Vec<[u8; 21]>,
    /// The number of this write in [`RowKind::LearnedChange`].
    write: u64,
    /// Whether learned items get vectors.
    embeds: bool,
    /// Present while an event is being folded.
    recorder: Option<Recorder<'t>>,
}

impl Rows for ProjectedMut<'_> {
    fn get(&self, row_kind: RowKind, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(recorder) = &self.recorder {
            recorder.read(row_kind, key);
        }
        match &self.backing {
            RowBacking::Table(table) => get(table, row_kind, key),
            RowBacking::Apart(apart) => Ok(apart.get(&full_key(row_kind, key)).map(<[u8]>::to_vec)),
        }
    }

    fn scan(
        &self,
        row_kind: RowKind,
        prefix: &[u8],
        after: Option<&[u8]>,
        visit: Visit<'_>,
    ) -> Result<()> {
        if let Some(recorder) = &self.recorder {
            recorder.scan(row_kind, prefix)?;
        }
        let apart = match &self.backing {
            RowBacking::Table(table) => return scan(table, row_kind, prefix, after, visit),
            RowBacking::Apart(apart) => apart,
        };
        let first = full_key(row_kind, prefix);
        let after = after.map(|after| full_key(row_kind, after));
        for (key, row) in apart.0.range(first.clone()..) {
            if !key.starts_with(&first) {
                break;
            }
            if after.as_ref().is_none_or(|after| key > after) && !visit(&key[1..], row)? {
                break;
            }
        }
        Ok(())
    }

    fn facts_of(&self, counted: Counted) -> Result<RowKindFacts> {
        if let Some(facts) = self.counts.get(&counted) {
            return Ok(*facts);
        }
        Ok(self
            .get(RowKind::Count, &counted.key())?
            .map_or_else(RowKindFacts::default, |row| RowKindFacts::decode(&row)))
    }
}

impl TouchedRows for ProjectedMut<'_> {
    fn get_full(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match &self.backing {
            RowBacking::Table(table) => get_full(table, key),
            RowBacking::Apart(apart) => Ok(apart.get(key).map(<[u8]>::to_vec)),
        }
    }

    fn each_touch(
        &self,
        token: Token,
        from: FoldPart,
        is_before: bool,
        visit: &mut dyn FnMut(FoldPart, Touch) -> Result<bool>,
    ) -> Result<()> {
        match &self.backing {
            RowBacking::Table(table) => each_touch(table, token, from, is_before, visit),
            RowBacking::Apart(_) => Ok(()),
        }
    }
}

impl<'t> ProjectedMut<'t> {
    /// Rows outside the store, for folding one event.
    pub(crate) fn apart(apart: &'t mut Apart, recorder: Recorder<'t>) -> Self {
        ProjectedMut {
            backing: RowBacking::Apart(apart),
            counts: BTreeMap::new(),
            undated: BTreeSet::new(),
            touches: Vec::new(),
            write: 0,
            embeds: false,
            recorder: Some(recorder),
        }
    }

    /// Stores a row; an empty one means that the key says everything.
    pub(crate) fn put(&mut self, row_kind: RowKind, key: &[u8], row: &[u8]) -> Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(row_kind, key);
        }
        self.put_full(&full_key(row_kind, key), row)
    }

    /// Like [`ProjectedMut::put`], by full key.
    pub(crate) fn put_full(&mut self, key: &[u8], row: &[u8]) -> Result<()> {
        let table = match &mut self.backing {
            RowBacking::Apart(apart) => {
                apart.0.insert(key.to_vec(), row.to_vec());
                return Ok(());
            }
            RowBacking::Table(table) => table,
        };
        let is_new = table.insert(key, sealed(row).as_slice())?.is_none();
        self.count(key, i64::from(is_new))?;
        self.note_learned(key)
    }

    /// Marks a learned item as to be indexed and embedded again, if the key is one's.
    fn note_learned(&mut self, key: &[u8]) -> Result<()> {
        if !is_learned(key) {
            return Ok(());
        }
        let write = self.write.to_le_bytes();
        if self.embeds && is_embedded(key) {
            self.put_full(&full_key(RowKind::LearnedToEmbed, key), &write)?;
        }
        self.put_full(&full_key(RowKind::LearnedChange, key), &write)
    }

    /// Removes a row, if there is one.
    pub(crate) fn remove(&mut self, row_kind: RowKind, key: &[u8]) -> Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(row_kind, key);
        }
        self.remove_full(&full_key(row_kind, key))
    }

    /// Like [`ProjectedMut::remove`], by full key.
    pub(crate) fn remove_full(&mut self, key: &[u8]) -> Result<()> {
        let was_there = match &mut self.backing {
            RowBacking::Apart(apart) => {
                apart.0.remove(key);
                return Ok(());
            }
            RowBacking::Table(table) => table.remove(key)?.is_some(),
        };
        if was_there {
            self.count(key, -1)?;
            self.note_learned(key)?;
        }
        Ok(())
    }

    /// Removes every row of a kind, without reading their contents; returns their keys.
    pub(in crate::store) fn remove_all(&mut self, row_kind: RowKind) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        if let RowBacking::Table(table) = &self.backing {
            let first = [row_kind as u8];
            let end = [row_kind as u8 + 1];
            for entry in table.range(first.as_slice()..end.as_slice())? {
                keys.push(entry?.0.value().to_vec());
            }
        }
        for key in &mut keys {
            self.remove_full(key)?;
            key.remove(0);
        }
        Ok(keys)
    }

    /// The number of this write in [`RowKind::LearnedChange`].
    pub(crate) fn write(&self) -> u64 {
        self.write
    }

    fn count(&mut self, key: &[u8], by: i64) -> Result<()> {
        for counted in Counted::of_key(key) {
            let mut facts = match self.counts.get(&counted) {
                Some(facts) => *facts,
                None => self
                    .get_full(&full_key(RowKind::Count, &counted.key()))?
                    .map_or_else(RowKindFacts::default, |row| RowKindFacts::decode(&row)),
            };
            facts.rows = facts.rows.saturating_add_signed(by);
            self.counts.insert(counted, facts);
            self.undated.insert(counted);
        }
        Ok(())
    }

    /// Begins the next independent part of a fold. False if it must not run.
    pub(crate) fn next_part(&mut self) -> bool {
        self.recorder.as_mut().is_none_or(Recorder::next_part)
    }

    /// A number for a new row, in log order: the same whenever the event is folded.
    pub(crate) fn next_number(&mut self) -> Result<u64> {
        self.recorder
            .as_mut()
            .map(Recorder::next_number)
            .ok_or_else(no_fold)
    }

    /// The position of a live event by its id.
    pub(crate) fn live_seq(&self, id: &str) -> Result<Option<u64>> {
        self.recorder.as_ref().ok_or_else(no_fold)?.live_seq(id)
    }

    /// Whether rows for this position are still kept of the kinds that have a window.
    pub(crate) fn is_in_window(&self, seq: u64) -> bool {
        self.recorder
            .as_ref()
            .is_none_or(|recorder| recorder.is_in_window(seq))
    }

    /// Writes the counts of the kinds that changed, as of an event's time, and what the
    /// fold touched.
    pub(crate) fn finish(mut self, at_ms: i64) -> Result<()> {
        self.end_fold(at_ms);
        self.write_touches()?;
        let RowBacking::Table(table) = &mut self.backing else {
            return Ok(());
        };
        for (counted, facts) in &self.counts {
            table.insert(
                full_key(RowKind::Count, &counted.key()).as_slice(),
                seal(facts.encode()).as_slice(),
            )?;
        }
        Ok(())
    }

    /// Ends the fold of an event, or another change, as of the event's time.
    fn end_fold(&mut self, at_ms: i64) {
        for counted in std::mem::take(&mut self.undated) {
            if let Some(facts) = self.counts.get_mut(&counted) {
                facts.moved_ms = facts.moved_ms.max(at_ms);
            }
        }
        if let Some(recorder) = self.recorder.take() {
            self.touches.extend(recorder.finish().keys());
        }
    }

    /// Writes the collected touches in key order.
    fn write_touches(&mut self) -> Result<()> {
        let RowBacking::Table(table) = &mut self.backing else {
            return Ok(());
        };
        let mut touches = std::mem::take(&mut self.touches);
        touches.sort_unstable();
        touches.dedup();
        for some in touches.chunks(TOUCHES_AT_ONCE) {
            let keys: Vec<Vec<u8>> = some
                .iter()
                .map(|key| full_key(RowKind::Touched, key))
                .collect();
            let rows: Vec<(&[u8], &[u8])> = keys.iter().map(|key| (&**key, &[][..])).collect();
            insert_sorted(table, &rows)?;
        }
        Ok(())
    }

    /// Folds one of many events; [`ProjectedMut::finish`] comes after the last. Touches are
    /// written together, because their keys come in no order.
    pub(crate) fn fold_one(
        &mut self,
        tx: &'t WriteTx<'_>,
        seq: u64,
        at_ms: i64,
        fold: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let end = tx.window_end();
        self.recorder = Some(Recorder::new(tx.tokens(), seq, None, tx, end));
        fold(self)?;
        self.end_fold(at_ms);
        match self.touches.len() < MAX_TOUCHES {
            true => Ok(()),
            false => self.write_touches(),
        }
    }

    /// What the fold touched so far.
    pub(crate) fn touched(&self) -> Vec<(Token, Touch)> {
        self.recorder
            .as_ref()
            .map(Recorder::touched)
            .unwrap_or_default()
    }

    /// What a fold outside the store did.
    pub(crate) fn into_trace(self) -> Trace {
        self.recorder.map(Recorder::finish).unwrap_or_default()
    }

    /// Removes rows of the kinds that have a window, see [`WINDOW`], whose positions are at most
    /// `seq`.
    fn remove_old(&mut self, seq: u64) -> Result<()> {
        let RowBacking::Table(table) = &self.backing else {
            return Ok(());
        };
        let of_newest_first = |kind| (full_key(kind, &(!seq).to_be_bytes()), vec![kind as u8 + 1]);
        let scored = full_key(RowKind::Continuity, &(seq + 1).to_be_bytes());
        let mut old = Vec::new();
        for (first, end) in [
            of_newest_first(RowKind::Working),
            of_newest_first(RowKind::Unconsolidated),
            (vec![RowKind::Continuity as u8], scored),
        ] {
            for entry in table.range(first.as_slice()..end.as_slice())? {
                old.push(entry?.0.value().to_vec());
            }
        }
        for key in old {
            self.remove_full(&key)?;
        }
        Ok(())
    }
}

fn no_fold() -> Error {
    Error::new(
        ErrorCode::Internal,
        "projected rows may change only while an event is folded",
    )
}

impl ReadTx {
    /// The folded rows.
    pub(crate) fn projected(&self) -> Result<Projected> {
        catch_panic(|| Ok(Projected(self.transaction.open_table(PROJECTED)?)))
    }
}

impl WriteTx<'_> {
    /// The folded rows, for changing them. Only one may be open at a time.
    pub(crate) fn projected(&self) -> Result<ProjectedMut<'_>> {
        Ok(ProjectedMut {
            backing: RowBacking::Table(self.transaction.open_table(PROJECTED)?),
            counts: BTreeMap::new(),
            undated: BTreeSet::new(),
            touches: Vec::new(),
            write: self.state.commits,
            embeds: self.embeds()?,
            recorder: None,
        })
    }

    /// The folded rows, for the fold of the event at a position.
    pub(crate) fn folding<'t>(
        &'t self,
        seq: u64,
        liveness: &'t dyn Liveness,
    ) -> Result<ProjectedMut<'t>> {
        let mut rows = self.projected()?;
        let end = self.window_end();
        rows.recorder = Some(Recorder::new(self.tokens(), seq, None, liveness, end));
        Ok(rows)
    }

    /// The last position that has left the window, see [`WINDOW`].
    pub(crate) fn window_end(&self) -> u64 {
        self.state.last_seq.saturating_sub(WINDOW)
    }

    /// Removes the rows of positions that have left the window. Called after every append,
    /// so that the rows depend on the log alone.
    pub(in crate::store) fn leave_window(&self) -> Result<()> {
        match self.window_end() {
            0 => Ok(()),
            end => {
                let mut rows = self.projected()?;
                rows.remove_old(end)?;
                // This does not count as a change of the layer.
                rows.finish(i64::MIN)
            }
        }
    }

    /// Replaces a row by these bytes, or removes it; returns the old bytes.
    #[cfg(test)]
    pub(crate) fn damage_projected(
        &self,
        key: &[u8],
        bytes: Option<&[u8]>,
    ) -> Result<Option<Vec<u8>>> {
        let mut table = self.transaction.open_table(PROJECTED)?;
        let before = match bytes {
            Some(bytes) => table.insert(key, bytes)?,
            None => table.remove(key)?,
        };
        Ok(before.map(|row| row.value().to_vec()))
    }

    /// Whether anything was folded at all.
    pub(crate) fn has_projected(&self) -> Result<bool> {
        use redb::ReadableTableMetadata;
        Ok(!self.transaction.open_table(PROJECTED)?.is_empty()?)
    }
}
