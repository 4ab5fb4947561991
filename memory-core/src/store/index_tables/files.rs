//! Finds the files whose paths contain a text, through the trigrams (three bytes) of paths.

use std::collections::BTreeSet;

use crate::model::error::Result;
use crate::store::ReadTx;
use crate::store::database::checked::ReadableTable;
use crate::store::database::panics::catch_panic;
use crate::store::tables::{self, Facet};

/// The distinct trigrams of a path.
pub(in crate::store) fn trigrams(path: &str) -> impl Iterator<Item = [u8; 3]> {
    let parts = path.as_bytes().windows(3);
    let parts: BTreeSet<[u8; 3]> = parts.map(|part| [part[0], part[1], part[2]]).collect();
    parts.into_iter()
}

impl ReadTx {
    /// The numbers of the files whose paths contain `part`, in order; `None` if there are
    /// more than `most`, or if `part` is shorter than three bytes and there are more files
    /// than that.
    pub(in crate::store) fn files_with(&self, part: &str, most: usize) -> Result<Option<Vec<u32>>> {
        let parts: Vec<[u8; 3]> = trigrams(part).collect();
        if parts.is_empty() {
            return self.few_files_with(part, most);
        }
        catch_panic(|| {
            let table = self.transaction.open_table(tables::FILE_TRIGRAMS)?;
            let mut found = Vec::new();
            let mut next = Some(0);
            while let Some(from) = next
                && let Some(file) = file_from(&table, &parts, from)?
            {
                // The trigrams may occur in another order.
                let path = self.name(Facet::File, file)?;
                if path.is_some_and(|path| path.contains(part)) {
                    found.push(file);
                }
                if found.len() > most {
                    return Ok(None);
                }
                next = file.checked_add(1);
            }
            Ok(Some(found))
        })
    }

    /// Like [`ReadTx::files_with`], checking all files if there are few.
    fn few_files_with(&self, part: &str, most: usize) -> Result<Option<Vec<u32>>> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::NAME_OF)?;
            let (first, last) = (
                tables::number_key(Facet::File, 0),
                tables::number_key(Facet::File, u32::MAX),
            );
            let mut found = Vec::new();
            for (place, row) in table.range(first.as_slice()..=last.as_slice())?.enumerate() {
                if place == most {
                    return Ok(None);
                }
                let (key, path) = row?;
                if String::from_utf8_lossy(path.value()).contains(part) {
                    found.extend(key.value().last_chunk().map(|n| u32::from_be_bytes(*n)));
                }
            }
            Ok(Some(found))
        })
    }
}

/// The first file from `from` on whose path has all trigrams: each index says where the
/// others continue.
fn file_from(
    table: &impl ReadableTable<&'static [u8], ()>,
    parts: &[[u8; 3]],
    from: u32,
) -> Result<Option<u32>> {
    let (mut file, mut agreed) = (from, 0);
    for part in parts.iter().cycle() {
        let first = tables::file_trigram_key(*part, file);
        let last = tables::file_trigram_key(*part, u32::MAX);
        let row = table.range(first.as_slice()..=last.as_slice())?.next();
        let Some(row) = row else { return Ok(None) };
        let (key, _) = row?;
        let found = key
            .value()
            .last_chunk()
            .map_or(0, |n| u32::from_be_bytes(*n));
        agreed = match found == file {
            true => agreed + 1,
            false => 1,
        };
        file = found;
        if agreed == parts.len() {
            break;
        }
    }
    Ok(Some(file))
}
