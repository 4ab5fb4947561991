//! Names rows of tables: those that a write has changed.

use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of noted rows.
#[cfg(not(test))]
pub(in crate::store) const MAX_ROWS: u64 = 4_000_000;
#[cfg(test)]
pub(in crate::store) const MAX_ROWS: u64 = 20_000;

/// Rows of one table: specific keys, or all of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct TableKeys {
    pub(in crate::store) is_whole: bool,
    pub(in crate::store) keys: BTreeSet<Vec<u8>>,
}

impl TableKeys {
    /// These rows except some.
    ///
    /// Only a complete fold changes a table as a whole, and its results are not copied
    /// where rows are left out.
    pub(in crate::store) fn without(&self, is_out: impl Fn(&[u8]) -> bool) -> TableKeys {
        TableKeys {
            is_whole: false,
            keys: self
                .keys
                .iter()
                .filter(|key| !is_out(key))
                .cloned()
                .collect(),
        }
    }
}

/// Rows of any tables, by table name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedKeys(pub(in crate::store) BTreeMap<String, TableKeys>);

impl ChangedKeys {
    pub(in crate::store) fn add(&mut self, table: &str, key: &[u8]) {
        self.table(table).keys.insert(key.to_vec());
    }

    /// Every row of a table.
    pub(in crate::store) fn add_all(&mut self, table: &str) {
        self.table(table).is_whole = true;
    }

    pub(in crate::store) fn table(&mut self, name: &str) -> &mut TableKeys {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), TableKeys::default());
        }
        self.0.get_mut(name).expect("it was just put there")
    }

    pub(in crate::store) fn of(&self, table: &str) -> Option<&TableKeys> {
        self.0.get(table)
    }

    /// Without some tables.
    pub(in crate::store) fn except(mut self, tables: &BTreeSet<String>) -> ChangedKeys {
        self.0.retain(|name, _| !tables.contains(name));
        self
    }

    /// The tables of which every row is meant.
    pub(in crate::store) fn whole_tables(&self) -> impl Iterator<Item = &String> {
        let whole = self.0.iter().filter(|(_, rows)| rows.is_whole);
        whole.map(|(name, _)| name)
    }

    pub(in crate::store) fn tables(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
