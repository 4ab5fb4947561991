//! Copies tables, or only their changed rows, from one store file to another.

use std::ops::Bound;

use redb::{Key, TableDefinition, Value};

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::checked::{Held, ReadOnlyTable, ReadableTable};
use crate::store::generations::change_marks::MARK_KEY;
use crate::store::generations::changed_keys::{ChangedKeys, TableKeys};
use crate::store::generations::fresh::FRESH_KEY;
use crate::store::meta::{META_KEY, STATE_KEY};
use crate::store::tables;
use crate::store::{ReadTx, WriteTx};

/// Meta records that belong to a file rather than to the store.
const OF_THE_FILE: [&str; 4] = [META_KEY, STATE_KEY, MARK_KEY, FRESH_KEY];

impl ReadTx {
    /// The rows of every table that [`WriteTx::copy_tables`] copies.
    pub(crate) fn all_rows(&self) -> Result<u64> {
        let mut rows = 0;
        macro_rules! count {
            (META, $role:ident, $erasure:ident) => {};
            ($name:ident, $role:ident, $erasure:ident) => {
                rows += self.transaction.open_table(tables::$name)?.len()?;
            };
        }
        tables::every_table!(count);
        Ok(rows)
    }

    /// Refuses a store with more tables than this library copies.
    pub(in crate::store) fn knows_all_tables(&self) -> Result<()> {
        let known = tables::COUNT;
        let beside = self
            .transaction
            .has_table(redb::TableHandle::name(&tables::CHANGES))?;
        let found = self.transaction.count_tables()? - usize::from(beside);
        if found == known {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Unsupported,
            format!(
                "the store has {found} tables but this library knows {known}; \
                 use a newer library"
            ),
        ))
    }
}

impl WriteTx<'_> {
    /// Copies the tables of another store file unchanged.
    pub(crate) fn copy_tables(&mut self, old: &ReadTx) -> Result<()> {
        macro_rules! copy {
            (META, $role:ident, $erasure:ident) => {};
            ($name:ident, $role:ident, $erasure:ident) => {
                self.copy_table(old, tables::$name)?;
            };
        }
        tables::every_table!(copy);
        old.knows_all_tables()?;
        let from = old.transaction.open_table(tables::META)?;
        let mut to = self.transaction.open_table(tables::META)?;
        for entry in from.iter()? {
            let (key, value) = entry?;
            if !OF_THE_FILE.contains(&key.value()) {
                to.insert(key.value(), value.value())?;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn copy_table<K: Key + 'static, V: Value + 'static>(
        &self,
        old: &ReadTx,
        table: TableDefinition<'_, K, V>,
    ) -> Result<()> {
        let copied = self.copy_table_where(old, table, |_| true)?;
        let from: ReadOnlyTable<K, V> = old.transaction.open_table(table)?;
        if from.len()? != copied {
            return Err(Error::new(
                ErrorCode::Internal,
                "a copied table has a different length",
            ));
        }
        Ok(())
    }

    /// Copies the rows whose keys (as bytes) are wanted into an empty table. Returns how
    /// many there are.
    pub(in crate::store) fn copy_table_where<K: Key + 'static, V: Value + 'static>(
        &self,
        old: &ReadTx,
        table: TableDefinition<'_, K, V>,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<u64> {
        let from: ReadOnlyTable<K, V> = old.transaction.open_table(table)?;
        let mut to = self.transaction.open_table(table)?;
        // Key order through one cursor is fast, and fills the pages.
        let cursor = to
            .unnoted()
            .upper_bound_mut(Bound::<K::SelfType<'_>>::Unbounded)?;
        let mut cursor = Held::new(cursor);
        for entry in from.iter()? {
            let (key, value) = entry?;
            if is_wanted(K::as_bytes(&key.value()).as_ref()) {
                cursor.insert_before(key.value(), value.value())?;
            }
            self.running.count_row()?;
        }
        cursor.into_inner().close()?;
        Ok(redb::ReadableTableMetadata::len(&*to)?)
    }

    /// Copies what the store knows about the stores that it shares with, and its identity.
    pub(crate) fn copy_sharing(&self, old: &ReadTx) -> Result<()> {
        self.copy_table(old, tables::SHARING)
    }

    /// Brings the changed rows of that in line with another store file.
    pub(crate) fn copy_changed_sharing(&self, old: &ReadTx, changed: &ChangedKeys) -> Result<()> {
        match changed.of(redb::TableHandle::name(&tables::SHARING)) {
            Some(rows) => self.copy_rows(old, tables::SHARING, rows),
            None => Ok(()),
        }
    }

    /// Brings the changed rows of every table in line with another store file, after an
    /// earlier snapshot of it was copied.
    pub(crate) fn copy_changed(&mut self, old: &ReadTx, changed: &ChangedKeys) -> Result<()> {
        let mut known = Vec::new();
        macro_rules! copy {
            ($name:ident, $role:ident, $erasure:ident) => {
                let name = redb::TableHandle::name(&tables::$name);
                known.push(name);
                if let Some(rows) = changed.of(name) {
                    self.copy_rows(old, tables::$name, rows)?;
                }
            };
        }
        tables::every_table!(copy);
        if let Some(strange) = changed.tables().find(|name| !known.contains(name)) {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!("unknown table {strange:?} was changed; use a newer library"),
            ));
        }
        Ok(())
    }

    /// Brings rows of one table in line with another store file.
    pub(in crate::store) fn copy_rows<K: Key + 'static, V: Value + 'static>(
        &self,
        old: &ReadTx,
        table: TableDefinition<'_, K, V>,
        rows: &TableKeys,
    ) -> Result<()> {
        if rows.is_whole {
            self.transaction.delete_table(table)?;
            return self.copy_table(old, table);
        }
        let from: ReadOnlyTable<K, V> = old.transaction.open_table(table)?;
        let mut to = self.transaction.open_table(table)?;
        let of_the_file = OF_THE_FILE.map(str::as_bytes);
        for bytes in &rows.keys {
            let is_meta = redb::TableHandle::name(&table) == redb::TableHandle::name(&tables::META);
            if is_meta && of_the_file.contains(&bytes.as_slice()) {
                continue;
            }
            self.running.tick()?;
            let key = || K::from_bytes(bytes);
            match from.get(key())? {
                Some(value) => drop(to.insert(key(), value.value())?),
                None => drop(to.remove(key())?),
            }
        }
        Ok(())
    }
}
