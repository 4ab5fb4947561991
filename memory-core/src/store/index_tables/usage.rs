//! The usage tables: which event was given to an agent when, and whether it was used. All
//! of it is derived from the log: see `projection/usage.rs`.

use std::collections::HashMap;

use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::stats::InjectionStats;
use crate::model::time::Timestamp;
use crate::store::database::checked::{Held, ReadableTable};
use crate::store::database::panics::{catch_panic, damaged_because};
use crate::store::log::record::RecordView;
use crate::store::log::session::turns_before;
use crate::store::meta::{Reader, seal};
use crate::store::replaying::difference::Difference;
use crate::store::tables::{self, Facet};
use crate::store::{ReadTx, WriteTx};

/// One use of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventUse {
    /// The position of the injection.
    pub(crate) injection: u64,
    pub(crate) at_ms: i64,
    /// The number of the session that it was given to.
    pub(crate) session: u32,
}

/// How often an event was used in total, and when last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) uses: u64,
    pub(crate) last_ms: i64,
}

impl Total {
    fn encode(self) -> [u8; 16] {
        let mut out = [0; 16];
        out[..8].copy_from_slice(&self.uses.to_le_bytes());
        out[8..].copy_from_slice(&self.last_ms.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (uses, last) = bytes.split_first_chunk()?;
        Some(Total {
            uses: u64::from_le_bytes(*uses),
            last_ms: i64::from_le_bytes(last.try_into().ok()?),
        })
    }

    fn rank_key(self, seq: u64) -> [u8; 24] {
        tables::citation_rank_key(self.uses, self.last_ms, seq)
    }

    /// Adds one use.
    fn and(self, at_ms: i64) -> Self {
        self.with(Total {
            uses: 1,
            last_ms: at_ms,
        })
    }

    /// Adds other uses, at least one.
    fn with(self, others: Total) -> Self {
        Total {
            uses: self.uses + others.uses,
            last_ms: match self.uses {
                0 => others.last_ms,
                _ => self.last_ms.max(others.last_ms),
            },
        }
    }
}

const DAY_MS: i64 = 86_400_000;
/// The lengths of the spans in which uses are added up, in days.
const SPANS: [u8; 2] = [1, 32];

/// The number of the span of so many days that contains a moment.
fn span_of(days: u8, at_ms: i64) -> i32 {
    let span = at_ms.div_euclid(i64::from(days) * DAY_MS);
    i32::try_from(span).unwrap_or(if span < 0 { i32::MIN } else { i32::MAX })
}

/// The number of the first span of so many days that begins at a moment or later, and its
/// beginning.
fn span_from(days: u8, at_ms: i64) -> (i32, i64) {
    let length = i64::from(days) * DAY_MS;
    let span = span_of(days, at_ms.saturating_add(length - 1));
    (span, i64::from(span).saturating_mul(length))
}

/// The latest injection into a session, while responses are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenInjection {
    pub(crate) injection: u64,
    /// How many more responses are compared.
    pub(crate) responses_left: u8,
    /// One bit per injected text that a response has reused.
    pub(crate) reused: u64,
    /// Whether a response has arrived already.
    pub(crate) is_judged: bool,
}

impl OpenInjection {
    fn encode(self) -> [u8; 18] {
        let mut out = [0; 18];
        out[..8].copy_from_slice(&self.injection.to_le_bytes());
        out[8..16].copy_from_slice(&self.reused.to_le_bytes());
        out[16] = self.responses_left;
        out[17] = u8::from(self.is_judged);
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 18] = bytes.try_into().ok()?;
        let number = |at: usize| {
            let part: [u8; 8] = bytes[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(part)
        };
        Some(OpenInjection {
            injection: number(0),
            reused: number(8),
            responses_left: bytes[16],
            is_judged: bytes[17] != 0,
        })
    }
}

/// Key of the totals in the meta table.
const TOTALS_KEY: &str = "usage";
/// Key in the meta table for that an injection was forgotten since the last complete fold.
const STALE_KEY: &str = "usage_stale";

fn encode_totals(totals: &InjectionStats) -> Vec<u8> {
    let mut out = vec![1];
    for number in [
        totals.injections,
        totals.memories,
        totals.tokens,
        totals.judged,
        totals.reused,
        totals.judged_memories,
        totals.reused_memories,
    ] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.push(u8::from(totals.last.is_some()));
    out.extend_from_slice(&totals.last.unwrap_or_default().millis().to_le_bytes());
    seal(out)
}

fn decode_totals(bytes: &[u8]) -> Result<InjectionStats> {
    let mut from = Reader::unseal("usage record", bytes)?;
    from.version(1)?;
    let mut totals = InjectionStats {
        injections: from.u64()?,
        memories: from.u64()?,
        tokens: from.u64()?,
        judged: from.u64()?,
        reused: from.u64()?,
        judged_memories: from.u64()?,
        reused_memories: from.u64()?,
        last: None,
    };
    let (has_last, last) = (from.u8()? != 0, from.i64()?);
    totals.last = has_last.then(|| Timestamp::from_millis_clamped(last));
    Ok(totals)
}

fn usage_value(usage: &EventUse) -> [u8; 12] {
    let mut value = [0; 12];
    value[..8].copy_from_slice(&usage.at_ms.to_le_bytes());
    value[8..].copy_from_slice(&usage.session.to_le_bytes());
    value
}

/// The event's position and the use in one row.
fn usage_row(key: &[u8], value: &[u8]) -> Option<(u64, EventUse)> {
    let key: &[u8; 16] = key.try_into().ok()?;
    let value: &[u8; 12] = value.try_into().ok()?;
    let (seq, injection) = key.split_at(8);
    let (at, session) = value.split_at(8);
    Some((
        u64::from_be_bytes(seq.try_into().ok()?),
        EventUse {
            injection: u64::from_be_bytes(injection.try_into().ok()?),
            at_ms: i64::from_le_bytes(at.try_into().ok()?),
            session: u32::from_le_bytes(session.try_into().ok()?),
        },
    ))
}

impl WriteTx<'_> {
    /// The live event at a position, as seen by the transaction.
    pub(crate) fn stored_event(&self, seq: u64) -> Result<Option<Event>> {
        let tombstones = self.transaction.open_table(tables::TOMBSTONES)?;
        if tombstones.get(seq)?.is_some() {
            return Ok(None);
        }
        let events = self.transaction.open_table(tables::EVENTS)?;
        let event = events
            .get(seq)?
            .map(|bytes| RecordView::new(seq, bytes.value())?.to_event())
            .transpose()?;
        Ok(event)
    }

    /// Whether there is an event at a position that is neither forgotten nor erased.
    pub(crate) fn is_live_at(&self, seq: u64) -> Result<bool> {
        Ok(!self.is_deleted(seq)? && self.kind_at(seq)?.is_some())
    }

    /// The positions of live events of some kinds, in order.
    pub(crate) fn live_of_kinds(&self, kinds: &[EventKind]) -> Result<Vec<u64>> {
        let by_facet = self.transaction.open_table(tables::BY_FACET)?;
        let mut seqs = Vec::new();
        for kind in kinds {
            let number = u32::from(kind.number());
            let first = tables::facet_key(Facet::Kind, number, &[0; 16]);
            let last = tables::facet_key(Facet::Kind, number, &[0xff; 16]);
            for entry in by_facet.range(first.as_slice()..=last.as_slice())? {
                seqs.push(tables::seq_of(entry?.0.value()));
            }
        }
        seqs.sort_unstable();
        Ok(seqs)
    }

    /// The number of a session's name.
    pub(crate) fn session_number(&self, name: &str) -> Result<Option<u32>> {
        let names = self.transaction.open_table(tables::NAMES)?;
        let number = names
            .get(tables::name_key(Facet::Session, name).as_slice())?
            .map(|number| number.value());
        Ok(number)
    }

    /// The prompts among the last turns of a session before a position, newest first,
    /// examining at most `most` prompts and their responses.
    pub(crate) fn prompts_before(&self, session: u32, seq: u64, most: usize) -> Result<Vec<u64>> {
        let turns = self.transaction.open_table(tables::SESSION_TURNS)?;
        let events = self.transaction.open_table(tables::EVENTS)?;
        let mut prompts = Vec::new();
        for at in turns_before(&turns, session, seq, 2 * most)? {
            let is_prompt = match events.get(at)? {
                Some(bytes) => RecordView::new(at, bytes.value())?.kind() == EventKind::UserPrompt,
                None => false,
            };
            if is_prompt && prompts.len() < most {
                prompts.push(at);
            }
        }
        Ok(prompts)
    }

    /// Counts a use of an event. Returns how often it was used now; `None` if this use was
    /// already counted.
    pub(crate) fn put_usage(&mut self, seq: u64, usage: &EventUse) -> Result<Option<u64>> {
        let key = tables::usage_key(seq, usage.injection);
        let mut table = self.transaction.open_table(tables::CITATION_USAGE)?;
        let is_known = table
            .insert(key.as_slice(), usage_value(usage).as_slice())?
            .is_some();
        let key = tables::usage_time_key(usage.at_ms, seq, usage.injection);
        let mut table = self.transaction.open_table(tables::USAGE_BY_TIME)?;
        table.insert(key.as_slice(), ())?;
        if is_known {
            return Ok(None);
        }
        let mut table = self.transaction.open_table(tables::USAGE_BY_SPAN)?;
        for days in SPANS {
            let key = tables::usage_span_key(days, span_of(days, usage.at_ms), seq);
            let known = table.get(key.as_slice())?;
            let known = known.and_then(|row| Total::decode(row.value()));
            let now = known.unwrap_or_default().and(usage.at_ms);
            table.insert(key.as_slice(), now.encode().as_slice())?;
        }
        drop(table);
        let now = self.take_total(seq)?.unwrap_or_default().and(usage.at_ms);
        let mut totals = self.transaction.open_table(tables::CITATION_TOTALS)?;
        totals.insert(seq, now.encode().as_slice())?;
        let mut ranks = self.transaction.open_table(tables::CITATION_RANKS)?;
        ranks.insert(now.rank_key(seq).as_slice(), ())?;
        Ok(Some(now.uses))
    }

    /// Removes the total of an event.
    fn take_total(&self, seq: u64) -> Result<Option<Total>> {
        let mut totals = self.transaction.open_table(tables::CITATION_TOTALS)?;
        let total = totals
            .remove(seq)?
            .and_then(|row| Total::decode(row.value()));
        if let Some(total) = total {
            let mut ranks = self.transaction.open_table(tables::CITATION_RANKS)?;
            ranks.remove(total.rank_key(seq).as_slice())?;
        }
        Ok(total)
    }

    /// Removes a forgotten or erased event from the usage tables.
    pub(crate) fn remove_usage(&mut self, seq: u64) -> Result<()> {
        let mut table = self.transaction.open_table(tables::CITATION_USAGE)?;
        let mut by_time = self.transaction.open_table(tables::USAGE_BY_TIME)?;
        let mut by_span = self.transaction.open_table(tables::USAGE_BY_SPAN)?;
        let (first, last) = (tables::usage_key(seq, 0), tables::usage_key(seq, u64::MAX));
        for row in Held::new(table.extract_in(first.as_slice()..=last.as_slice())?) {
            let (key, value) = row?;
            if let Some((seq, usage)) = usage_row(key.value(), value.value()) {
                let key = tables::usage_time_key(usage.at_ms, seq, usage.injection);
                by_time.remove(key.as_slice())?;
                // All uses of the event go.
                for days in SPANS {
                    let key = tables::usage_span_key(days, span_of(days, usage.at_ms), seq);
                    by_span.remove(key.as_slice())?;
                }
            }
        }
        self.take_total(seq)?;
        Ok(())
    }

    /// Empties everything that [`crate::projection::usage::fold_usage`] fills.
    pub(crate) fn clear_usage(&mut self) -> Result<()> {
        self.transaction
            .open_table(tables::CITATION_USAGE)?
            .retain(|_, _| false)?;
        self.transaction
            .open_table(tables::USAGE_BY_TIME)?
            .retain(|_, _| false)?;
        self.transaction
            .open_table(tables::USAGE_BY_SPAN)?
            .retain(|_, _| false)?;
        self.transaction
            .open_table(tables::CITATION_TOTALS)?
            .retain(|_, _| false)?;
        self.transaction
            .open_table(tables::CITATION_RANKS)?
            .retain(|_, _| false)?;
        self.transaction
            .open_table(tables::SESSION_INJECTIONS)?
            .retain(|_, _| false)?;
        let mut table = self.transaction.open_table(tables::META)?;
        table.remove(TOTALS_KEY)?;
        table.remove(STALE_KEY)?;
        Ok(())
    }

    /// Records that an injection was forgotten, so that all of it must be folded again.
    pub(crate) fn set_usage_stale(&mut self) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        table.insert(STALE_KEY, [].as_slice())?;
        Ok(())
    }

    /// Whether it must be folded again.
    pub(crate) fn is_usage_stale(&self) -> Result<bool> {
        let table = self.transaction.open_table(tables::META)?;
        Ok(table.get(STALE_KEY)?.is_some())
    }

    /// Whether any session has an injection that is waiting for responses.
    pub(crate) fn has_open_injections(&self) -> Result<bool> {
        let table = self.transaction.open_table(tables::SESSION_INJECTIONS)?;
        Ok(table.first()?.is_some())
    }

    pub(crate) fn open_injection(&self, session: u32) -> Result<Option<OpenInjection>> {
        let table = self.transaction.open_table(tables::SESSION_INJECTIONS)?;
        let row = table
            .get(session)?
            .and_then(|row| OpenInjection::decode(row.value()));
        Ok(row)
    }

    /// `None` ends the comparison of responses with it.
    pub(crate) fn set_open_injection(
        &mut self,
        session: u32,
        row: Option<OpenInjection>,
    ) -> Result<()> {
        let mut table = self.transaction.open_table(tables::SESSION_INJECTIONS)?;
        match row {
            Some(row) => table.insert(session, row.encode().as_slice())?,
            None => table.remove(session)?,
        };
        Ok(())
    }

    pub(crate) fn change_injection_stats(
        &mut self,
        change: impl FnOnce(&mut InjectionStats),
    ) -> Result<()> {
        let mut table = self.transaction.open_table(tables::META)?;
        let known = table
            .get(TOTALS_KEY)?
            .map(|record| decode_totals(record.value()))
            .transpose()?;
        let mut totals = known.unwrap_or_default();
        change(&mut totals);
        table.insert(TOTALS_KEY, encode_totals(&totals).as_slice())?;
        Ok(())
    }
}

impl ReadTx {
    pub(crate) fn injection_stats(&self) -> Result<InjectionStats> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::META)?;
            let totals = table
                .get(TOTALS_KEY)?
                .map(|record| decode_totals(record.value()))
                .transpose()?;
            Ok(totals.unwrap_or_default())
        })
    }

    /// Visits the uses of an event, last recorded first, until `visit` returns false.
    pub(crate) fn each_usage_back(
        &self,
        seq: u64,
        mut visit: impl FnMut(EventUse) -> Result<bool>,
    ) -> Result<()> {
        catch_panic(|| {
            let table = self.transaction.open_table(tables::CITATION_USAGE)?;
            let (first, last) = (tables::usage_key(seq, 0), tables::usage_key(seq, u64::MAX));
            for row in table.range(first.as_slice()..=last.as_slice())?.rev() {
                let (key, value) = row?;
                let usage = usage_row(key.value(), value.value());
                if let Some((_, usage)) = usage
                    && !visit(usage)?
                {
                    break;
                }
            }
            Ok(())
        })
    }

    /// How often an event was used in total, and when last.
    pub(crate) fn total_usage(&self, seq: u64) -> Result<Option<Total>> {
        catch_panic(|| {
            let totals = self.transaction.open_table(tables::CITATION_TOTALS)?;
            Ok(totals.get(seq)?.and_then(|row| Total::decode(row.value())))
        })
    }

    /// Visits the used events with their totals, most used first and then most recently
    /// used first, until `visit` returns false.
    pub(crate) fn each_most_used(
        &self,
        mut visit: impl FnMut(u64, Total) -> Result<bool>,
    ) -> Result<()> {
        catch_panic(|| {
            let ranks = self.transaction.open_table(tables::CITATION_RANKS)?;
            for row in ranks.iter()? {
                let seq = tables::seq_of(row?.0.value());
                let total = self
                    .total_usage(seq)?
                    .ok_or_else(|| damaged_because("a ranked citation has no total"))?;
                if !visit(seq, total)? {
                    break;
                }
            }
            Ok(())
        })
    }

    /// How often each event was used since a moment, and when last: the single uses of the first
    /// day, then the sums of days up to the next span of 32 days, then those of such spans.
    pub(crate) fn usage_since(&self, since_ms: i64) -> Result<HashMap<u64, Total>> {
        catch_panic(|| {
            let [day, month] = SPANS;
            let (first_day, day_ms) = span_from(day, since_ms);
            let (first_month, month_ms) = span_from(month, day_ms);
            let (last_day, _) = span_from(day, month_ms);
            let mut totals: HashMap<u64, Total> = HashMap::new();
            let mut add = |seq, uses: Total| {
                let total = totals.entry(seq).or_default();
                *total = total.with(uses);
            };
            let table = self.transaction.open_table(tables::USAGE_BY_TIME)?;
            let first = tables::usage_time_key(since_ms, 0, 0);
            let end = tables::usage_time_key(day_ms, 0, 0);
            for row in table.range(first.as_slice()..end.as_slice())? {
                let (last_ms, seq) = tables::usage_time_of(row?.0.value());
                add(seq, Total { uses: 1, last_ms });
            }
            let table = self.transaction.open_table(tables::USAGE_BY_SPAN)?;
            for (first, end) in [
                (
                    tables::usage_span_key(day, first_day, 0),
                    tables::usage_span_key(day, last_day, 0),
                ),
                (
                    tables::usage_span_key(month, first_month, 0),
                    tables::usage_span_key(month, i32::MAX, u64::MAX),
                ),
            ] {
                for row in table.range(first.as_slice()..end.as_slice())? {
                    let (key, uses) = row?;
                    let uses = Total::decode(uses.value())
                        .ok_or_else(|| damaged_because("a row of usage_by_span is malformed"))?;
                    add(tables::seq_of(key.value()), uses);
                }
            }
            Ok(totals)
        })
    }

    /// The first cited event whose total or rank does not match its recorded uses.
    pub(crate) fn check_usage(&self) -> Result<Option<Difference>> {
        catch_panic(|| {
            let open = &self.transaction;
            let uses = open.open_table(tables::CITATION_USAGE)?;
            let totals = open.open_table(tables::CITATION_TOTALS)?;
            let ranks = open.open_table(tables::CITATION_RANKS)?;
            let mut cited = 0;
            let mut check = |seq: u64, added_up: Total| -> Result<Option<Difference>> {
                cited += 1;
                let kept = totals.get(seq)?.and_then(|row| Total::decode(row.value()));
                let is_right = kept == Some(added_up)
                    && ranks.get(added_up.rank_key(seq).as_slice())?.is_some();
                let problem = "the total or rank does not match the recorded uses";
                Ok((!is_right).then(|| Difference::new("citation_totals", Some(seq), problem)))
            };
            let mut current: Option<(u64, Total)> = None;
            for row in uses.iter()? {
                let (key, value) = row?;
                self.running.tick()?;
                let (seq, usage) = usage_row(key.value(), value.value())
                    .ok_or_else(|| damaged_because("a row of citation_usage is malformed"))?;
                let before = current.filter(|(of, _)| *of == seq);
                if let (None, Some((seq, total))) = (before, current)
                    && let Some(found) = check(seq, total)?
                {
                    return Ok(Some(found));
                }
                let total = before.map(|(_, total)| total).unwrap_or_default();
                current = Some((seq, total.and(usage.at_ms)));
            }
            if let Some((seq, total)) = current
                && let Some(found) = check(seq, total)?
            {
                return Ok(Some(found));
            }
            let problem = "a total or rank belongs to an event that was never used";
            if totals.len()? != cited || ranks.len()? != cited {
                return Ok(Some(Difference::new("citation_totals", None, problem)));
            }
            let mut counted = 0;
            for row in open.open_table(tables::USAGE_BY_SPAN)?.iter()? {
                self.running.tick()?;
                counted += Total::decode(row?.1.value()).unwrap_or_default().uses;
            }
            let problem = "the uses in all days and months are not as many as the recorded ones";
            Ok((counted != uses.len()? * SPANS.len() as u64)
                .then(|| Difference::new("usage_by_span", None, problem)))
        })
    }

    /// The secret of the store, for values that outsiders must not be able to guess.
    pub(crate) fn secret(&self) -> &[u8; 32] {
        &self.meta.secret
    }
}

#[cfg(test)]
mod tests {
    use crate::store::index_tables::usage::*;

    #[test]
    fn rows_come_back() {
        let row = OpenInjection {
            injection: 77,
            responses_left: 3,
            reused: 0b101,
            is_judged: true,
        };
        assert_eq!(OpenInjection::decode(&row.encode()), Some(row));
        assert_eq!(OpenInjection::decode(&row.encode()[1..]), None);
        assert_eq!(span_of(1, -1), -1);
        assert_eq!(span_from(1, -1), (0, 0));
        assert_eq!(span_from(1, DAY_MS), (1, DAY_MS));
        assert_eq!(span_from(32, DAY_MS), (1, 32 * DAY_MS));
        assert!(tables::usage_span_key(1, -1, 9) < tables::usage_span_key(1, 0, 0));
        let usage = EventUse {
            injection: 5,
            at_ms: -3,
            session: 9,
        };
        let key = tables::usage_key(42, 5);
        assert_eq!(usage_row(&key, &usage_value(&usage)), Some((42, usage)));
        let totals = InjectionStats {
            injections: 1,
            reused_memories: 7,
            last: Some(Timestamp::from_millis_clamped(-5)),
            ..InjectionStats::default()
        };
        assert_eq!(decode_totals(&encode_totals(&totals)).unwrap(), totals);
        assert_eq!(
            tables::usage_time_of(&tables::usage_time_key(-8, 42, 5)),
            (-8, 42)
        );
    }
}
