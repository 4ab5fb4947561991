//! Decides which events a search may find, before scoring and by the summaries of 64 events
//! wherever possible.

use std::ops::{Range, RangeInclusive};

use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::layout::{ZONE_BYTES, ZONE_EVENTS};
use crate::index::lexical::leaf::Leaf;
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::segment::{Blocks, EventRows, SegmentReader};
use crate::model::error::Result;

/// Conditions that must all hold. An unset one always holds.
#[derive(Clone, Copy, Default)]
pub struct Filter<'a> {
    /// The sessions that an event may be of, by number.
    pub sessions: Option<&'a [u32]>,
    /// The projects that an event may be of, by number.
    pub projects: Option<&'a [u32]>,
    /// A bit per kind number; kinds from 63 on share the last bit.
    pub kinds: Option<u64>,
    /// A bit per origin number.
    pub origins: Option<u32>,
    /// The earliest time, in milliseconds since 1970.
    pub from: Option<i64>,
    /// The end of the time range, exclusive.
    pub before: Option<i64>,
    /// The log positions that an event may have, ascending.
    pub seqs: Option<&'a [u64]>,
    /// The first log position.
    pub from_seq: Option<u64>,
    /// The last log position.
    pub until_seq: Option<u64>,
    /// A bit per origin number to exclude. Unlike the conditions above, it is checked only for
    /// events that would otherwise be returned, since nearly every search uses it to exclude a few
    /// rare events.
    pub without_origins: u32,
    /// Excludes a session from a time on; checked as late as `without_origins`.
    pub without_session: Option<(u32, i64)>,
    /// Whether an event was forgotten or erased but is still in the index.
    pub is_deleted: Option<&'a (dyn Fn(u64) -> bool + Sync)>,
    /// Whether excluded events must not be counted. Each match is then checked while matches are
    /// counted.
    pub counts_exactly: bool,
    /// A check that needs the event's record; made last.
    pub admits_record: Option<&'a dyn Fn(u64) -> Result<bool>>,
}

/// What a zone's summary tells about its events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    None,
    Some,
    All,
}

impl Filter<'_> {
    fn is_open(&self) -> bool {
        self.sessions.is_none()
            && self.projects.is_none()
            && self.kinds.is_none()
            && self.origins.is_none()
            && self.from.is_none()
            && self.before.is_none()
            && self.seqs.is_none()
            && self.from_seq.is_none()
            && self.until_seq.is_none()
    }

    /// The conditions that are checked only for events that would otherwise be returned.
    pub(crate) fn excludes(&self, facts: &EventFacts) -> Result<bool> {
        let is_excluded = self.without_origins >> facts.origin.min(31) & 1 == 1
            || self.without_session.is_some_and(|(session, since)| {
                facts.session == session && facts.timestamp >= since
            })
            || self
                .is_deleted
                .is_some_and(|is_deleted| is_deleted(facts.seq));
        Ok(match self.admits_record {
            Some(admits) => is_excluded || !admits(facts.seq)?,
            None => is_excluded,
        })
    }

    /// All conditions except those of [`Filter::excludes`].
    fn admits(&self, facts: &EventFacts) -> bool {
        self.sessions.is_none_or(|s| s.contains(&facts.session))
            && self.projects.is_none_or(|p| p.contains(&facts.project))
            && self.kinds.is_none_or(|k| k >> facts.kind.min(63) & 1 == 1)
            && self
                .origins
                .is_none_or(|o| o >> facts.origin.min(31) & 1 == 1)
            && self.from.is_none_or(|t| facts.timestamp >= t)
            && self.before.is_none_or(|t| facts.timestamp < t)
            && self.from_seq.is_none_or(|seq| facts.seq >= seq)
            && self.until_seq.is_none_or(|seq| facts.seq <= seq)
            && self
                .seqs
                .is_none_or(|s| s.binary_search(&facts.seq).is_ok())
    }

    /// One bit per passage that may be found; `None` if all may.
    pub(crate) fn passages(&self, leaf: &Leaf<'_>) -> Result<Option<Vec<u64>>> {
        if self.is_open() {
            return Ok(None);
        }
        match leaf {
            Leaf::Memtable(memtable) => Ok(Some(self.memtable(memtable))),
            Leaf::Segment(segment, blocks) => self.segment(segment, *blocks),
        }
    }

    fn memtable(&self, memtable: &Memtable) -> Vec<u64> {
        let inverted = &memtable.inverted;
        let mut bits = vec![0; inverted.passages.len().div_ceil(64)];
        for (at, event) in inverted.events.iter().enumerate() {
            if self.admits(&event.facts) {
                let next = inverted.events.get(at + 1);
                let end = next.map_or(inverted.passages.len() as u32, |e| e.first_passage);
                set_range(&mut bits, event.first_passage..end);
            }
        }
        bits
    }

    /// The range of log positions that an event may have.
    fn positions(&self) -> RangeInclusive<u64> {
        let (mut low, mut high) = (self.from_seq.unwrap_or(0), u64::MAX);
        if let Some(until) = self.until_seq {
            high = until;
        }
        if let Some(listed) = self.seqs {
            low = low.max(listed.first().copied().unwrap_or(u64::MAX));
            high = high.min(listed.last().copied().unwrap_or(0));
        }
        low..=high
    }

    /// The zones of a segment that may hold events at the allowed positions. Positions ascend from
    /// zone to zone, so a binary search finds them.
    fn zones(&self, segment: &SegmentReader, blocks: Blocks<'_>) -> Result<Range<usize>> {
        let count = segment.events().div_ceil(ZONE_EVENTS);
        let (low, high) = self.positions().into_inner();
        let seq_from = segment.layout.seq_from;
        let ends_below = |zone: &Zone| seq_from + u64::from(zone.seqs.1) < low;
        let begins_within = |zone: &Zone| seq_from + u64::from(zone.seqs.0) <= high;
        let first = match low <= *segment.seqs().start() {
            true => 0,
            false => partition_point(segment, blocks, 0..count, ends_below)?,
        };
        let end = match high >= *segment.seqs().end() {
            true => count,
            false => partition_point(segment, blocks, first..count, begins_within)?,
        };
        Ok(first..end)
    }

    fn segment(&self, segment: &SegmentReader, blocks: Blocks<'_>) -> Result<Option<Vec<u64>>> {
        let layout = &segment.layout;
        let zones = self.zones(segment, blocks)?;
        let rows = read_zones(segment, blocks, zones.clone())?;
        let verdicts: Vec<Verdict> = rows
            .iter()
            .map(|zone| self.judge(zone, layout.seq_from))
            .collect();
        let is_all = zones == (0..segment.events().div_ceil(ZONE_EVENTS));
        if is_all && verdicts.iter().all(|&v| v == Verdict::All) {
            return Ok(None);
        }
        let mut bits = vec![0; (layout.passages as usize).div_ceil(64)];
        let Some(first) = rows.first().map(|zone| zone.first_passage) else {
            return Ok(Some(bits));
        };
        // The next zone's first position bounds the last zone.
        let behind = read_zones(segment, blocks, zones.end..zones.end + 1)?;
        let last = behind
            .first()
            .map_or(layout.passages, |zone| zone.first_passage);
        if first > last || last > layout.passages {
            return Err(segment.corrupt("zone"));
        }
        // Kinds are mixed in every zone, so they have a column of their own.
        let other = Filter {
            kinds: None,
            ..*self
        };
        let others: Vec<Verdict> = rows
            .iter()
            .map(|zone| other.judge(zone, layout.seq_from))
            .collect();
        let kinds = match self.kinds {
            Some(_) => (
                layout.kinds + u64::from(first),
                layout.kinds + u64::from(last),
            ),
            None => (layout.kinds, layout.kinds),
        };
        let kinds = segment.bytes(blocks, kinds.0, kinds.1)?;
        let columns_from = first;
        for (number, &verdict) in verdicts.iter().enumerate() {
            let first = rows[number].first_passage;
            let end = rows.get(number + 1).map_or(last, |next| next.first_passage);
            if first < columns_from || first > end || end > last {
                return Err(segment.corrupt("zone"));
            }
            match verdict {
                Verdict::None => {}
                Verdict::All => set_range(&mut bits, first..end),
                Verdict::Some if self.kinds.is_some() && others[number] == Verdict::All => {
                    let wanted = self.kinds.unwrap_or(u64::MAX);
                    for passage in first..end {
                        let kind = kinds[(passage - columns_from) as usize];
                        let admitted = wanted >> kind.min(63) & 1;
                        bits[passage as usize / 64] |= admitted << (passage % 64);
                    }
                }
                Verdict::Some => {
                    let from = ((zones.start + number) * ZONE_EVENTS) as u32;
                    let to = (from + ZONE_EVENTS as u32).min(layout.events);
                    let rows = segment.event_rows(blocks, from..to)?;
                    self.set_admitted(&rows, end, &mut bits);
                }
            }
        }
        Ok(Some(bits))
    }

    /// Sets the passages of the events of one zone that match; `end` is behind its last passage.
    fn set_admitted(&self, rows: &EventRows<'_>, end: u32, bits: &mut [u64]) {
        let mut open: Option<u32> = None;
        for row in rows.iter() {
            // Most events of a zone belong to other sessions and need no decoding.
            let session = row.session();
            let may_match = self.sessions.is_none_or(|s| s.contains(&session));
            if !may_match && open.is_none() {
                continue;
            }
            let row = row.decode();
            let start = row.first_passage.min(end);
            if let Some(begin) = open.take() {
                set_range(bits, begin..start);
            }
            open = (may_match && self.admits(&row.facts)).then_some(start);
        }
        if let Some(begin) = open {
            set_range(bits, begin..end);
        }
    }

    fn judge(&self, zone: &Zone, seq_from: u64) -> Verdict {
        let mut all = true;
        let mut some = |touches: bool, covers: bool| {
            all &= covers;
            touches
        };
        let numbers = |wanted: &[u32], (low, high): (u32, u32)| {
            let touches = wanted.iter().any(|w| (low..=high).contains(w));
            (touches, low == high && touches)
        };
        let (low, high) = (seq_from + zone.seqs.0 as u64, seq_from + zone.seqs.1 as u64);
        let touches = self.sessions.is_none_or(|s| {
            let (touches, covers) = numbers(s, zone.sessions);
            some(touches, covers)
        }) && self.projects.is_none_or(|p| {
            let (touches, covers) = numbers(p, zone.projects);
            some(touches, covers)
        }) && self
            .kinds
            .is_none_or(|k| some(k & zone.kinds != 0, zone.kinds & !k == 0))
            && self
                .origins
                .is_none_or(|o| some(o & zone.origins != 0, zone.origins & !o == 0))
            && self
                .from
                .is_none_or(|t| some(zone.times.1 >= t, zone.times.0 >= t))
            && self
                .before
                .is_none_or(|t| some(zone.times.0 < t, zone.times.1 < t))
            && self
                .from_seq
                .is_none_or(|seq| some(high >= seq, low >= seq))
            && self
                .until_seq
                .is_none_or(|seq| some(low <= seq, high <= seq))
            && self.seqs.is_none_or(|s| {
                let next = s.partition_point(|&seq| seq < low);
                some(s.get(next).is_some_and(|&seq| seq <= high), false)
            });
        match (touches, all) {
            (false, _) => Verdict::None,
            (true, true) => Verdict::All,
            (true, false) => Verdict::Some,
        }
    }
}

/// The summaries of these zones, fewer if the segment ends.
fn read_zones(
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    zones: Range<usize>,
) -> Result<Vec<Zone>> {
    let layout = &segment.layout;
    let place = |zone: usize| (layout.zones + (zone * ZONE_BYTES) as u64).min(layout.postings);
    let bytes = segment.bytes(blocks, place(zones.start), place(zones.end))?;
    Ok(bytes.chunks_exact(ZONE_BYTES).map(Zone::decode).collect())
}

/// The first of these zones for which the predicate is false, by binary search.
fn partition_point(
    segment: &SegmentReader,
    blocks: Blocks<'_>,
    zones: Range<usize>,
    holds: impl Fn(&Zone) -> bool,
) -> Result<usize> {
    let (mut low, mut high) = (zones.start, zones.end);
    while low < high {
        let middle = low + (high - low) / 2;
        let zone = read_zones(segment, blocks, middle..middle + 1)?;
        match zone.first().is_some_and(&holds) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(low)
}

/// The summary of 64 events.
struct Zone {
    times: (i64, i64),
    kinds: u64,
    origins: u32,
    sessions: (u32, u32),
    projects: (u32, u32),
    seqs: (u32, u32),
    first_passage: u32,
}

impl Zone {
    fn decode(row: &[u8]) -> Self {
        let u32_at =
            |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let u64_at = |at: usize| u32_at(at) as u64 | (u32_at(at + 4) as u64) << 32;
        Zone {
            times: (u64_at(0) as i64, u64_at(8) as i64),
            kinds: u64_at(16),
            sessions: (u32_at(24), u32_at(28)),
            projects: (u32_at(32), u32_at(36)),
            seqs: (u32_at(40), u32_at(44)),
            first_passage: u32_at(48),
            origins: u32_at(52),
        }
    }
}

fn set_range(bits: &mut [u64], range: Range<u32>) {
    let mut at = range.start;
    while at < range.end {
        let end = (at / 64 * 64 + 64).min(range.end);
        let ones = end - at;
        let mask = if ones == 64 {
            u64::MAX
        } else {
            ((1 << ones) - 1) << (at % 64)
        };
        bits[at as usize / 64] |= mask;
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_set_exactly_their_bits() {
        for (start, end) in [
            (0, 0),
            (0, 64),
            (3, 7),
            (60, 70),
            (1, 200),
            (63, 64),
            (64, 65),
        ] {
            let mut bits = vec![0u64; 4];
            set_range(&mut bits, start..end);
            for at in 0..256u32 {
                let is_set = bits[at as usize / 64] >> (at % 64) & 1 == 1;
                assert_eq!(is_set, (start..end).contains(&at), "{start}..{end} {at}");
            }
        }
    }
}
