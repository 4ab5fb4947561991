//! Writes many rows to a table in key order: one walk instead of one search per row.

use std::ops::Bound;

use redb::{CursorError, Key, Value};

use crate::model::error::Result;
use crate::store::database::checked::{Held, Table};

/// Fewer rows are inserted one by one.
const FEW: usize = 8;
/// A shorter run of neighbours was not worth its cursor.
const SHORT_RUN: usize = 4;
/// After so many short runs in a row, the rest is inserted one by one: the keys are
/// scattered between existing ones.
const SHORT_RUNS: usize = 4;

/// Inserts rows with ascending keys, like [`Table::insert`]: an existing key gets the new
/// value.
pub(in crate::store) fn insert_sorted<'a, K, V>(
    table: &mut Table<'_, K, V>,
    rows: &[(K::SelfType<'a>, V::SelfType<'a>)],
) -> Result<()>
where
    K: Key + 'static,
    V: Value + 'static,
{
    for (key, _) in rows {
        table.note(key);
    }
    let table = table.unnoted();
    let mut at = 0;
    let mut short_runs = 0;
    while at < rows.len() {
        if rows.len() - at < FEW || short_runs == SHORT_RUNS {
            for (key, value) in &rows[at..] {
                table.insert(key, value)?;
            }
            return Ok(());
        }
        let begun = at;
        let mut cursor = Held::new(table.lower_bound_mut(Bound::Included(&rows[at].0))?);
        while let Some((key, value)) = rows.get(at) {
            match cursor.insert_before(key, value) {
                Ok(()) => at += 1,
                Err(CursorError::UnorderedKey) => break,
                Err(error) => return Err(error.into()),
            }
        }
        cursor.into_inner().close()?;
        if at == begun {
            let (key, value) = &rows[at];
            table.insert(key, value)?;
            at += 1;
        }
        short_runs = if at - begun < SHORT_RUN {
            short_runs + 1
        } else {
            0
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::store::database::watched::Database;
    use proptest::prelude::*;
    use redb::TableDefinition;

    use crate::store::database::checked::{ReadableTable, WriteTransaction};
    use crate::store::database::sorted::*;

    const TABLE: TableDefinition<'_, &'static [u8], u64> = TableDefinition::new("t");

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn sorted_rows_end_where_single_inserts_put_them(
            batches in prop::collection::vec(
                (0u16..4, prop::collection::btree_map(0u16..600, any::<u64>(), 0..200)),
                1..5,
            )
        ) {
            let memory = redb::backends::InMemoryBackend::new();
            let database = Database::open(&mut redb::Builder::new(), memory).unwrap();
            let mut model = BTreeMap::new();
            let transaction = WriteTransaction::begin(&database).unwrap();
            {
                let mut table = transaction.open_table(TABLE).unwrap();
                for (stretch, batch) in &batches {
                    let rows: Vec<([u8; 3], u64)> = batch
                        .iter()
                        .map(|(key, value)| {
                            let [a, b] = (key * (stretch + 1)).to_be_bytes();
                            ([a, b, 7], *value)
                        })
                        .collect();
                    let pairs: Vec<(&[u8], u64)> =
                        rows.iter().map(|(key, value)| (&key[..], *value)).collect();
                    insert_sorted(&mut table, &pairs).unwrap();
                    model.extend(rows);
                }
                let found: Vec<(Vec<u8>, u64)> = table
                    .iter()
                    .unwrap()
                    .map(|entry| {
                        let (key, value) = entry.unwrap();
                        (key.value().to_vec(), value.value())
                    })
                    .collect();
                let expected: Vec<(Vec<u8>, u64)> =
                    model.into_iter().map(|(k, v)| (k.to_vec(), v)).collect();
                prop_assert_eq!(found, expected);
            }
            transaction.commit().unwrap();
        }
    }
}
