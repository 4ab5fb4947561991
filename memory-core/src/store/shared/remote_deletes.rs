//! Orders: instructions to other stores that events were forgotten or erased. Locally an
//! order names positions of the log; in transit it names each event by the store that
//! recorded it and its position there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::hex::{hex, unhex};
use crate::store::index_tables::rows::Tables;
use crate::store::log::record::Record;
use crate::store::log::tombstone::{ranges, seqs_in};
use crate::store::shared::record_order::MAX_POSITION;
use crate::store::shared::store_key::StoreKey;
use crate::store::tables;

/// Maximum number of positions in one order.
const MAX_POSITIONS: u64 = 1 << 28;

/// Maximum size of an order in transit: room for some 900,000 ranges.
const MAX_ORDER_BYTES: usize = 16 << 20;

/// Maximum number of positions in one row, so that a lookup knows how far back a row that
/// contains a position can start.
pub(in crate::store) const CHUNK: u64 = 4_096;

/// The random half of a record's id, enough to tell it from any other record.
pub(crate) type IdMark = [u8; 8];

pub(crate) fn id_mark(id: &[u8; 16]) -> IdMark {
    let (_, mark) = id.split_last_chunk().expect("an id has 16 bytes");
    *mark
}

/// What an order hides: position ranges of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Targets {
    pub(crate) store: StoreKey,
    /// First and last position of each range, sorted.
    pub(crate) ranges: Vec<(u64, u64)>,
    /// If not empty, one for each position, in order: only the record with that id is meant, under
    /// whichever key it is known. Two machines may have used the same positions under one key, and
    /// one machine may have signed a record with several keys.
    pub(crate) marks: Vec<(u64, IdMark)>,
}

impl Targets {
    /// Two entries may name one store, with ids and without.
    fn key(&self) -> (StoreKey, bool) {
        (self.store, !self.marks.is_empty())
    }

    /// Whether the record with this id is meant, if it is at that position.
    pub(crate) fn means(&self, position: u64, id: &[u8; 16]) -> bool {
        if self.marks.is_empty() {
            let next = self.ranges.partition_point(|(_, to)| *to < position);
            return self
                .ranges
                .get(next)
                .is_some_and(|(from, _)| *from <= position);
        }
        let found = self.marks.binary_search_by_key(&position, |(at, _)| *at);
        found.is_ok_and(|at| self.marks[at].1 == id_mark(id))
    }

    /// Every position, in order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u64> {
        seqs_in(&self.ranges)
    }
}

#[derive(Deserialize)]
struct TargetsLine {
    #[serde(default)]
    ids: String,
    ranges: Vec<(u64, u64)>,
    store: String,
}

#[derive(Deserialize)]
struct OrderLine {
    targets: Vec<TargetsLine>,
}

/// Written with its names in order, as all JSON in the log is.
#[derive(Serialize)]
struct TargetsText<'t> {
    #[serde(skip_serializing_if = "String::is_empty")]
    ids: String,
    ranges: &'t [(u64, u64)],
    store: String,
}

fn texts(targets: &[Targets]) -> Vec<TargetsText<'_>> {
    targets
        .iter()
        .map(|targets| TargetsText {
            ids: targets.marks.iter().map(|(_, mark)| hex(mark)).collect(),
            ranges: &targets.ranges,
            store: hex(&targets.store),
        })
        .collect()
}

/// The metadata of an order in transit.
pub(crate) fn order_text(targets: &[Targets]) -> String {
    #[derive(Serialize)]
    struct Order<'t> {
        targets: Vec<TargetsText<'t>>,
    }
    let targets = texts(targets);
    serde_json::to_string(&Order { targets }).unwrap_or_default()
}

/// Groups an order's targets by store, merging ranges.
#[derive(Default)]
pub(crate) struct Collected {
    plain: BTreeMap<StoreKey, BTreeSet<u64>>,
    marked: BTreeMap<StoreKey, BTreeMap<u64, IdMark>>,
}

impl Collected {
    pub(crate) fn add(&mut self, store: StoreKey, position: u64) {
        self.plain.entry(store).or_default().insert(position);
    }

    /// Adds a record that is meant only if it has this id.
    pub(crate) fn add_marked(&mut self, store: StoreKey, position: u64, mark: IdMark) {
        self.marked.entry(store).or_default().insert(position, mark);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.marked.is_empty()
    }

    /// The metadata of the order. One that would be too long to be accepted names records by fewer
    /// ids: first it leaves out those of what it names by position as well, then all others.
    pub(crate) fn into_text(mut self) -> String {
        let text = order_text(&self.targets());
        if text.len() <= MAX_ORDER_BYTES {
            return text;
        }
        for (store, positions) in &self.plain {
            if let Some(marked) = self.marked.get_mut(store) {
                marked.retain(|position, _| !positions.contains(position));
            }
        }
        self.marked.retain(|_, marked| !marked.is_empty());
        let text = order_text(&self.targets());
        if text.len() <= MAX_ORDER_BYTES {
            return text;
        }
        self.marked.clear();
        order_text(&self.targets())
    }

    /// The entries in order, with sorted ranges that are disjoint.
    fn targets(&self) -> Vec<Targets> {
        let plain = self.plain.iter().map(|(store, positions)| {
            let positions: Vec<u64> = positions.iter().copied().collect();
            Targets {
                store: *store,
                ranges: ranges(&positions),
                marks: Vec::new(),
            }
        });
        let marked = self.marked.iter().map(|(store, marked)| {
            let positions: Vec<u64> = marked.keys().copied().collect();
            Targets {
                store: *store,
                ranges: ranges(&positions),
                marks: marked.iter().map(|(at, mark)| (*at, *mark)).collect(),
            }
        });
        let mut all: Vec<Targets> = plain.chain(marked).collect();
        all.sort_by_key(Targets::key);
        all
    }
}

/// The targets of an order in transit; `None` if it cannot be read. Stores and ranges are
/// ascending and nothing is named twice, so that an order costs no more than its length and
/// what it names here.
pub(crate) fn targets_in(metadata: &str) -> Option<Vec<Targets>> {
    let order: OrderLine = serde_json::from_str(metadata).ok()?;
    let mut count = 0u64;
    let mut all: Vec<Targets> = Vec::with_capacity(order.targets.len());
    for line in order.targets {
        let before = count;
        let mut end = 0;
        for &(from, to) in &line.ranges {
            let is_sound = end < from && from <= to && to <= MAX_POSITION;
            is_sound.then_some(())?;
            end = to;
            count = count.saturating_add(to - from + 1);
            (count <= MAX_POSITIONS).then_some(())?;
        }
        let mut targets = Targets {
            store: unhex(&line.store)?,
            marks: Vec::new(),
            ranges: line.ranges,
        };
        if !line.ids.is_empty() {
            let marks = marks_in(&line.ids, count - before)?;
            targets.marks = targets.positions().zip(marks).collect();
        }
        let is_next = all.last().is_none_or(|last| last.key() < targets.key());
        is_next.then_some(())?;
        all.push(targets);
    }
    Some(all)
}

/// What an order of another store names, as it is stored.
///
/// # Errors
/// `corrupt` when that cannot be read. No order is stored without.
pub(in crate::store) fn targets_of(seq: u64, record: &Record<'_>) -> Result<Vec<Targets>> {
    let kept = record.metadata.map_or("", |metadata| metadata.as_str());
    targets_in(kept).ok_or_else(|| {
        let position = record
            .foreign
            .as_ref()
            .map_or(0, |foreign| foreign.position);
        let problem = format!(
            "record {seq}, an order of another store with position {position} there, does not say \
             what it hides"
        );
        Error::new(ErrorCode::Corrupt, problem)
    })
}

/// The marks of so many positions; `None` if it is another number of them.
fn marks_in(ids: &str, count: u64) -> Option<Vec<IdMark>> {
    let is_whole = ids.is_ascii() && ids.len() as u64 == count * 16;
    is_whole.then_some(())?;
    (0..ids.len() / 16)
        .map(|at| unhex(&ids[at * 16..(at + 1) * 16]))
        .collect()
}

/// Like [`targets_in`], for an order that has just arrived: it must also be no longer than
/// any store needs, and written as this library writes it.
pub(crate) fn arrived_targets(metadata: &str) -> Option<Vec<Targets>> {
    (metadata.len() <= MAX_ORDER_BYTES).then_some(())?;
    targets_in(metadata).filter(|targets| order_text(targets) == metadata)
}

/// The positions that are named of any store, as disjoint ranges.
pub(crate) fn positions<'t>(targets: impl IntoIterator<Item = &'t Targets>) -> Vec<(u64, u64)> {
    let all = targets.into_iter().flat_map(|targets| &targets.ranges);
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

/// The metadata of a received order as stored: what it hides here, by log positions, and
/// what its author named.
pub(crate) fn kept_metadata(seqs: &[(u64, u64)], targets: &[Targets], reaches_all: bool) -> String {
    #[derive(Serialize)]
    struct KeptText<'t> {
        reach: &'static str,
        seqs: &'t [(u64, u64)],
        targets: Vec<TargetsText<'t>>,
    }
    let kept = KeptText {
        reach: if reaches_all { "all" } else { "own" },
        seqs,
        targets: texts(targets),
    };
    serde_json::to_string(&kept).unwrap_or_default()
}

/// Whether the author of an order reached everything when it arrived, by its stored metadata.
pub(in crate::store) fn reached_all(kept: &str) -> bool {
    kept.starts_with(r#"{"reach":"all""#)
}

/// Whether an order names any record by its id too, by its stored metadata.
pub(in crate::store) fn has_marks(kept: &str) -> bool {
    kept.contains(r#""ids":"#)
}

impl Tables<'_> {
    /// Notes the targets of another store's order, some of which may arrive later. Whether
    /// it reaches those depends on its author's role at that time.
    ///
    /// # Errors
    /// `corrupt` when it cannot be read: what it hides would be shown.
    pub(in crate::store) fn order(&mut self, seq: u64, record: &Record<'_>) -> Result<()> {
        let named = targets_of(seq, record)?;
        // Both entries of a store share its rows.
        for of_store in named.chunk_by(|one, next| one.store == next.store) {
            for (from, to) in positions(of_store) {
                let mut first = from;
                while first <= to {
                    let last = to.min(first + (CHUNK - 1));
                    self.put_order(tables::ordered_key(&of_store[0].store, first, seq), last);
                    first = last + 1;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::store::shared::remote_deletes::*;

    #[test]
    fn targets_come_back_as_ranges_of_each_store() {
        let mut collected = Collected::default();
        for (store, position) in [(1, 7), (2, 9), (1, 4), (1, 3), (2, 10), (1, 4)] {
            collected.add([store; 16], position);
        }
        let collected = collected.targets();
        let targets = arrived_targets(&order_text(&collected)).unwrap();
        assert_eq!(targets, collected);
        assert_eq!(targets[0].ranges, [(3, 4), (7, 7)]);
        assert_eq!(targets[1].ranges, [(9, 10)]);
    }

    #[test]
    fn a_target_with_an_id_means_that_record_alone() {
        let mut collected = Collected::default();
        collected.add([1; 16], 4);
        for (position, byte) in [(9, 9), (3, 3), (4, 4)] {
            collected.add_marked([1; 16], position, id_mark(&[byte; 16]));
        }
        let collected = collected.targets();
        let targets = arrived_targets(&order_text(&collected)).unwrap();
        assert_eq!(targets, collected);
        let [plain, marked] = &targets[..] else {
            unreachable!()
        };
        assert_eq!(marked.ranges, [(3, 4), (9, 9)]);
        for (position, id, is_meant) in [(3, 3, true), (9, 9, true), (9, 4, false), (5, 5, false)] {
            assert_eq!(marked.means(position, &[id; 16]), is_meant, "{position}");
        }
        assert!(plain.means(4, &[7; 16]) && !plain.means(3, &[3; 16]));
        assert_eq!(positions(&targets), [(3, 4), (9, 9)]);
        // Too few ids, and the same entry twice.
        let text = order_text(&targets);
        let digits = hex(&[4; 8]);
        assert_eq!(arrived_targets(&text.replace(&digits, "")), None);
        let twice = [marked.clone(), marked.clone()];
        assert_eq!(arrived_targets(&order_text(&twice)), None);
    }

    #[test]
    fn an_order_that_would_be_too_long_names_fewer_records_by_their_ids() {
        // Some of them are known by two names.
        let collected = |by_both: u64, by_id: u64| {
            let mut collected = Collected::default();
            for position in 1..=by_both {
                collected.add([1; 16], position);
                collected.add_marked([1; 16], position, [7; 8]);
            }
            for position in 1..=by_id {
                collected.add_marked([2; 16], position, [7; 8]);
            }
            collected.into_text()
        };
        let counts = |text: &str| -> Vec<(u8, usize, usize)> {
            let targets = arrived_targets(text).expect("every store accepts it");
            let count = |one: &Targets| (one.store[0], one.ranges.len(), one.marks.len());
            targets.iter().map(count).collect()
        };
        assert_eq!(counts(&collected(9, 8)), [(1, 1, 0), (1, 1, 9), (2, 1, 8)]);
        let most = (MAX_ORDER_BYTES / 16) as u64;
        assert_eq!(counts(&collected(most, 8)), [(1, 1, 0), (2, 1, 8)]);
        assert_eq!(counts(&collected(9, most)), [(1, 1, 0)]);
    }

    #[test]
    fn what_is_no_order_hides_nothing() {
        for wrong in [
            "",
            "{}",
            r#"{"targets":[{"store":"00","ranges":[[1,2]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[0,2]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[3,2]]}]}"#,
            r#"{"targets":[{"ids":"00","store":"00000000000000000000000000000000","ranges":[[1,1]]}]}"#,
            r#"{"targets":[{"ids":"000000000000000g","store":"00000000000000000000000000000000","ranges":[[1,1]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[1,18446744073709551615]]}]}"#,
            r#"{"targets":[{"store":"00000000000000000000000000000000","ranges":[[18446744073709551615,18446744073709551615]]}]}"#,
        ] {
            assert_eq!(targets_in(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_order_names_nothing_twice() {
        let order = |targets: &[(u8, &[(u64, u64)])]| {
            let targets: Vec<Targets> = targets
                .iter()
                .map(|(store, ranges)| Targets {
                    store: [*store; 16],
                    ranges: ranges.to_vec(),
                    marks: Vec::new(),
                })
                .collect();
            arrived_targets(&order_text(&targets))
        };
        assert!(order(&[(1, &[(1, 3), (4, 5), (9, 9)]), (2, &[(1, 1)])]).is_some());
        for wrong in [
            order(&[(1, &[(1, 3), (1, 3)])]),
            order(&[(1, &[(1, 3), (3, 4)])]),
            order(&[(1, &[(5, 6), (1, 2)])]),
            order(&[(1, &[(1, 1)]), (1, &[(2, 2)])]),
            order(&[(2, &[(1, 1)]), (1, &[(1, 1)])]),
            order(&[(1, &[(1, 1 << 28)]), (2, &[(1, 1)])]),
        ] {
            assert_eq!(wrong, None);
        }
        let store = "01".repeat(16);
        let padded = format!("{{\"targets\": [{{\"ranges\":[[1,1]],\"store\":\"{store}\"}}]}}");
        assert_eq!(arrived_targets(&padded), None);
        let many: Vec<(u64, u64)> = (0..1_000_000)
            .map(|at| (2 * at + 1_000_000, 2 * at + 1_000_000))
            .collect();
        assert_eq!(order(&[(1, &many)]), None);
        assert!(order(&[(1, &many[..800_000])]).is_some());
    }
}
