//! What this store orders others to forget or erase, as it is sent to them.

use crate::model::error::Result;
use crate::store::ReadTx;
use crate::store::log::record::Record;
use crate::store::log::tombstone::{Ordered, named_ranges, seqs_in};
use crate::store::shared::alias::THIS_STORE;
use crate::store::shared::remote_deletes::{Collected, id_mark};
use crate::store::shared::sharing_rows::SharingRows;

/// An order of this store in the form sent to others; `None` if it names nothing.
pub(super) fn order_metadata(
    read: &ReadTx,
    seq: u64,
    record: &Record<'_>,
) -> Result<Option<String>> {
    let Ok(ranges) = named_ranges(seq, record) else {
        return Ok(None);
    };
    let ordered = Ordered::by(record);
    if ranges.is_empty() || ordered.stays {
        return Ok(None);
    }
    let (own, aliases, renewed) = (read.store_key()?, read.aliases()?, read.renewed()?);
    let targets: Vec<u64> = seqs_in(&ranges).collect();
    let mut collected = Collected::default();
    for (place, seq) in read.record_orders_of(&targets)?.into_iter().zip(targets) {
        let is_own = !read.is_foreign(seq)?;
        if !is_own && ordered.is_by_others(seq) {
            continue;
        }
        collected.add(place.store, place.position);
        // A store that was given a new identity, or whose folder was copied, may know it under
        // another key; the position and the id are the same.
        let mark = id_mark(&place.id);
        collected.add_marked(place.store, place.position, mark);
        let known = if is_own { THIS_STORE } else { place.store };
        for alias in aliases.iter().filter(|alias| alias.known == known) {
            if alias.key != place.store && read.is_alias_of(alias, place.position)? {
                collected.add(alias.key, place.position);
            }
        }
        if !is_own {
            continue;
        }
        if place.store != own {
            collected.add(own, place.position);
        }
        // Whoever has not read the log again knows the record under the former identity. If this
        // store is a copy, another machine may have a different record there.
        for (former, through) in &renewed {
            if seq <= *through {
                collected.add_marked(*former, seq, mark);
            }
        }
    }
    Ok((!collected.is_empty()).then(|| collected.into_text()))
}
