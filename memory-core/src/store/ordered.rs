//! Orders: instructions to other stores that events were forgotten or erased. Locally an
//! order names positions of the log; in transit it names each event by the store that
//! recorded it and its position there.

use serde::{Deserialize, Serialize};

use super::WriteTx;
use super::checked::ReadableTable;
use super::origin::{MAX_POSITION, StoreKey};
use super::record::Record;
use super::rows::Tables;
use super::tables;
use super::tombstone::is_tombstone;
use crate::model::error::Result;
use crate::model::hex::{hex, unhex};
use crate::model::json::canonical_text;

/// Maximum number of positions in one order.
const MAX_POSITIONS: u64 = 1 << 28;

/// Maximum number of positions in one row, so that a lookup knows how far back a row that
/// contains a position can start.
const CHUNK: u64 = 4_096;

/// What an order hides: position ranges of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Targets {
    pub(crate) store: StoreKey,
    /// First and last position of each range, sorted.
    pub(crate) ranges: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct TargetsLine {
    store: String,
    ranges: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct OrderLine {
    targets: Vec<TargetsLine>,
}

/// Groups an order's targets by store, merging ranges.
#[derive(Default)]
pub(crate) struct Collected(Vec<Targets>);

impl Collected {
    /// Positions are sorted within each store.
    pub(crate) fn add(&mut self, store: StoreKey, position: u64) {
        let at = match self.0.iter().position(|targets| targets.store == store) {
            Some(at) => at,
            None => {
                let ranges = Vec::new();
                self.0.push(Targets { store, ranges });
                self.0.len() - 1
            }
        };
        match self.0[at].ranges.last_mut() {
            Some((_, last)) if *last + 1 == position => *last = position,
            _ => self.0[at].ranges.push((position, position)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The metadata of an order in transit.
    pub(crate) fn metadata(&self) -> String {
        let targets = self.0.iter().map(|targets| TargetsLine {
            store: hex(&targets.store),
            ranges: targets.ranges.clone(),
        });
        let order = OrderLine {
            targets: targets.collect(),
        };
        canonical_text(&serde_json::to_value(&order).unwrap_or_default())
    }
}

/// The targets of an order in transit; `None` if it cannot be read.
pub(crate) fn targets_in(metadata: &str) -> Option<Vec<Targets>> {
    let order: OrderLine = serde_json::from_str(metadata).ok()?;
    let mut count = 0u64;
    order
        .targets
        .into_iter()
        .map(|line| {
            for (from, to) in &line.ranges {
                let is_position = 0 < *from && from <= to && *to <= MAX_POSITION;
                let is_sound = is_position && to - from < MAX_POSITIONS;
                count += if is_sound {
                    to - from + 1
                } else {
                    MAX_POSITIONS + 1
                };
                (count <= MAX_POSITIONS).then_some(())?;
            }
            Some(Targets {
                store: unhex(&line.store)?,
                ranges: line.ranges,
            })
        })
        .collect()
}

/// The positions that are named of any store, as disjoint ranges.
pub(crate) fn positions(targets: &[Targets]) -> Vec<(u64, u64)> {
    let all = targets.iter().flat_map(|targets| &targets.ranges);
    let mut all: Vec<(u64, u64)> = all.copied().collect();
    all.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (from, to) in all {
        match merged.last_mut() {
            Some((_, last)) if from <= *last + 1 => *last = to.max(*last),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Which of an order's targets its author may hide.
pub(crate) fn reached(author: StoreKey, reaches_all: bool, targets: Vec<Targets>) -> Vec<Targets> {
    let mut reached = targets;
    reached.retain(|targets| reaches_all || targets.store == author);
    reached
}

/// The metadata of a received order as stored: what it hides here, by log positions, and
/// what its author named.
pub(crate) fn kept_metadata(seqs: &[(u64, u64)], metadata: &str, reaches_all: bool) -> String {
    let named: serde_json::Value = serde_json::from_str(metadata).unwrap_or_default();
    canonical_text(&serde_json::json!({
        "seqs": seqs,
        "targets": named["targets"],
        "reach": if reaches_all { "all" } else { "own" },
    }))
}

#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    reach: String,
}

/// The targets of another store's order.
pub(crate) struct Named {
    author: StoreKey,
    /// Whether its author reached everything when the order arrived.
    pub(crate) reached_all: bool,
    pub(crate) targets: Vec<Targets>,
}

impl Named {
    pub(crate) fn by(record: &Record<'_>) -> Option<Named> {
        let (foreign, metadata) = (record.foreign.as_ref()?, record.metadata?);
        let kept: Option<Kept> = serde_json::from_str(metadata.as_str()).ok();
        Some(Named {
            author: foreign.store,
            reached_all: kept.is_some_and(|kept| kept.reach == "all"),
            targets: targets_in(metadata.as_str()).unwrap_or_default(),
        })
    }
}

impl Tables<'_> {
    /// Notes the targets of another store's order, some of which may arrive later. Whether
    /// it reaches those depends on its author's role at that time.
    pub(super) fn order(&mut self, seq: u64, record: &Record<'_>) {
        for targets in Named::by(record)
            .into_iter()
            .flat_map(|named| named.targets)
        {
            for (from, to) in targets.ranges {
                let mut first = from;
                while first <= to {
                    let last = to.min(first + (CHUNK - 1));
                    self.put_order(tables::ordered_key(&targets.store, first, seq), last);
                    first = last + 1;
                }
            }
        }
    }
}

impl WriteTx<'_> {
    /// The log positions that another store's order names and reaches.
    pub(crate) fn ordered_seqs(&self, order: u64) -> Result<Vec<u64>> {
        let named = self.with_record(order, |view| Ok(Named::by(&view.archive()?)))?;
        let mut seqs = Vec::new();
        let Some(named) = named.flatten() else {
            return Ok(seqs);
        };
        let reaches_all = named.reached_all || self.is_owner(&named.author)?;
        for targets in reached(named.author, reaches_all, named.targets) {
            seqs.extend(self.seqs_meant(reaches_all, &targets)?);
        }
        Ok(seqs)
    }

    /// The local positions of an order's targets. An author that reaches only its own
    /// records reaches nothing that is known as another store's.
    pub(crate) fn seqs_meant(&self, reaches_all: bool, targets: &Targets) -> Result<Vec<u64>> {
        let mut seqs = self.seqs_of(&targets.store, &targets.ranges)?;
        if reaches_all {
            seqs.extend(self.seqs_by_other_names(&targets.store, &targets.ranges)?);
        }
        Ok(seqs)
    }

    /// Whether an order hides another store's record that has not arrived yet.
    pub(crate) fn is_ordered(&self, store: &StoreKey, position: u64) -> Result<bool> {
        let ordered = self.transaction.open_table(tables::ORDERED)?;
        let first = position.saturating_sub(CHUNK - 1);
        let low = tables::ordered_key(store, first, 0);
        let high = tables::ordered_key(store, position, u64::MAX);
        for entry in ordered.range(low.as_slice()..=high.as_slice())? {
            let (key, last) = entry?;
            let order = tables::order_of(key.value());
            if last.value() >= position && self.reaches(order, store)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether another store's order reaches what a store recorded.
    fn reaches(&self, order: u64, store: &StoreKey) -> Result<bool> {
        let by = self.with_record(order, |view| {
            let named = Named::by(&view.archive()?);
            Ok(named.map(|named| (named.author, named.reached_all)))
        })?;
        match by.flatten() {
            Some((author, reached_all)) => {
                Ok(author == *store || reached_all || self.is_owner(&author)?)
            }
            None => Ok(false),
        }
    }

    /// The orders of another store, in the order of this log.
    pub(crate) fn orders_of(&self, author: &StoreKey) -> Result<Vec<u64>> {
        let mut orders = Vec::new();
        for seq in self.seqs_of(author, &[(0, MAX_POSITION)])? {
            if self.kind_at(seq)?.is_some_and(is_tombstone) && !self.is_erased(seq)? {
                orders.push(seq);
            }
        }
        orders.sort_unstable();
        Ok(orders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_come_back_as_ranges_of_each_store() {
        let mut collected = Collected::default();
        for (store, position) in [(1, 3), (2, 9), (1, 4), (1, 7), (2, 10)] {
            collected.add([store; 16], position);
        }
        let targets = targets_in(&collected.metadata()).unwrap();
        assert_eq!(targets, collected.0);
        assert_eq!(targets[0].ranges, [(3, 4), (7, 7)]);
        assert_eq!(targets[1].ranges, [(9, 10)]);
    }

    #[test]
    fn what_is_no_order_hides_nothing() {
        for wrong in [
            "",
            "{}",
            r#"{"targets":[{"store":"00","ranges":[[1,2]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[0,2]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[3,2]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[1,18446744073709551615]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[18446744073709551615,18446744073709551615]]}]}"#,
        ] {
            assert_eq!(targets_in(wrong), None, "{wrong}");
        }
    }
}
