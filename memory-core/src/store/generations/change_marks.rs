//! The marker that requests change notes, and the bytes of a note.

use crate::model::error::Result;
use crate::store::database::checked::{ReadableTable, WriteTransaction};
use crate::store::generations::changed_keys::{ChangedKeys, MAX_ROWS};
use crate::store::meta::{Reader, seal};
use crate::store::tables;

/// Key of the marker in the meta table.
pub(in crate::store) const MARK_KEY: &str = "changes";

/// `commit (8) 0 or 1 (1) table, and with 1: 0 (1) key`.
fn encode(commit: u64, table: &str, key: Option<&[u8]>) -> Vec<u8> {
    let mut out = commit.to_be_bytes().to_vec();
    out.push(u8::from(key.is_some()));
    out.extend_from_slice(table.as_bytes());
    if let Some(key) = key {
        out.push(0);
        out.extend_from_slice(key);
    }
    out
}

pub(in crate::store) fn decode(bytes: &[u8], rows: &mut ChangedKeys) -> Option<()> {
    let (kind, rest) = bytes.get(8..)?.split_first()?;
    if *kind == 0 {
        rows.add_all(std::str::from_utf8(rest).ok()?);
        return Some(());
    }
    let end = rest.iter().position(|byte| *byte == 0)?;
    rows.add(std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
    Some(())
}

/// Who requested the notes, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Mark {
    pub(in crate::store) maker: [u8; 16],
    pub(in crate::store) rows: u64,
}

impl Mark {
    pub(in crate::store) fn encode(self) -> Vec<u8> {
        let mut out = self.maker.to_vec();
        out.extend_from_slice(&self.rows.to_le_bytes());
        seal(out)
    }
}

/// The marker in the meta table, if any.
pub(in crate::store) fn mark_in(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Option<Mark>> {
    let Some(bytes) = table.get(MARK_KEY)? else {
        return Ok(None);
    };
    let mut from = Reader::unseal("change marker", bytes.value())?;
    Ok(Some(Mark {
        maker: from.array()?,
        rows: from.u64()?,
    }))
}

/// Notes the changes of a write for the owner of the marker.
pub(in crate::store) fn keep(
    transaction: &mut WriteTransaction,
    mark: Mark,
    commit: u64,
) -> Result<()> {
    let rows = transaction.changes();
    let mut table = transaction.open_table(tables::META)?;
    // The write itself may have removed the marker or set another one.
    if mark_in(&table)?.is_none_or(|now| now.maker != mark.maker) {
        return Ok(());
    }
    let mut noted = mark.rows;
    let mut changes = transaction.open_table(tables::CHANGES)?;
    for (name, rows) in &rows.0 {
        if rows.is_whole {
            changes.insert(encode(commit, name, None).as_slice(), ())?;
            noted += 1;
        }
        for key in &rows.keys {
            changes.insert(encode(commit, name, Some(key)).as_slice(), ())?;
            noted += 1;
        }
    }
    drop(changes);
    if noted > MAX_ROWS {
        table.remove(MARK_KEY)?;
        drop(table);
        transaction.delete_table(tables::CHANGES)?;
        return Ok(());
    }
    let mark = Mark {
        rows: noted,
        ..mark
    };
    table.insert(MARK_KEY, mark.encode().as_slice())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::store::generations::change_marks::*;

    #[test]
    fn notes_come_back_and_rubbish_is_no_note() {
        let mut rows = ChangedKeys::default();
        for (table, key) in [
            ("events", Some(&[0u8, 1, 0][..])),
            ("events", Some(&[][..])),
            ("projected", None),
        ] {
            decode(&encode(7, table, key), &mut rows).unwrap();
        }
        let events = rows.of("events").unwrap();
        assert_eq!((events.keys.len(), events.is_whole), (2, false));
        assert!(rows.of("projected").unwrap().is_whole);
        for rubbish in [
            &[][..],
            &[0; 8],
            &[1; 12],
            &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff],
        ] {
            assert_eq!(decode(rubbish, &mut ChangedKeys::default()), None);
        }
    }
}
