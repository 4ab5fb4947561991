//! Scans events in time order that match a filter, one by one. Every step is its own
//! transaction and sees the store at that moment.

use std::collections::VecDeque;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::filter::ToolOutcome;
use crate::model::time::Timestamp;
use crate::store::ReadTx;
use crate::store::database::checked::{ReadOnlyTable, ReadableTable};
use crate::store::database::panics::{catch_panic, damaged_because};
use crate::store::database::panics::{disagreement, missing_record};
use crate::store::index_tables::calls::WantedCall;
use crate::store::log::event_view::EventGuard;
use crate::store::log::join::{Conditions, Index, IndexTables, Join, Plan, Span, TimeKey};
use crate::store::log::record::{Record, RecordView};
use crate::store::tables::{self, Facet};
use crate::text::keys::canonical_key;

/// The filter of a scan. Every field that is set must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) session: Option<String>,
    pub(crate) project: Option<String>,
    /// Empty: the four conversation kinds.
    pub(crate) kinds: Vec<EventKind>,
    /// Start of the time range, inclusive.
    pub(crate) from: Option<Timestamp>,
    /// End of the time range, exclusive.
    pub(crate) until: Option<Timestamp>,
    pub(crate) call: WantedCall,
    /// User prompts with this canonical key.
    pub(crate) repeats: Option<String>,
    pub(crate) newest_first: bool,
}

/// The number of keys in the first page of a scan, and in the first one after the store has
/// changed. Pages double while it does not.
const FIRST_PAGE: usize = 16;

/// Maximum number of keys in a page.
const MAX_PAGE: usize = 256;

/// Maximum number of files whose indexes are joined. If more paths match, every tool
/// observation is checked instead: a good part of them matches then.
const MAX_FILES: usize = 256;

/// The position of a scan, from which it continues in any later transaction.
///
/// Between two steps it keeps its place and the next keys. The keys are valid only until
/// someone writes: events come and go, and the numbers that index rows start with belong to
/// one generation.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    wanted: Wanted,
    /// The last key examined.
    after: Option<TimeKey>,
    page: Option<Page>,
    tally: Option<Tally>,
}

/// How many keys a scan has examined since its start, for as long as the store stays
/// unchanged.
#[derive(Clone, Copy, Debug)]
struct Tally {
    version: Version,
    keys: u64,
}

/// [`ReadTx::version`].
type Version = (u64, [u8; 8]);

/// The next keys of a scan, as of one version of the store.
#[derive(Clone, Debug)]
struct Page {
    version: Version,
    /// The plan; `None` if nothing can match.
    plan: Option<Plan>,
    keys: VecDeque<TimeKey>,
    /// The requested number of keys; a page with fewer is the last.
    size: usize,
    is_last: bool,
}

impl Scan {
    /// The filter.
    pub(crate) fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// A scan at its start.
    pub(crate) fn new(wanted: Wanted) -> Scan {
        Scan {
            wanted,
            after: None,
            page: None,
            tally: None,
        }
    }

    /// Continues after an event that it returned, as if it had returned none since.
    pub(crate) fn go_back_to(&mut self, at: Timestamp, seq: u64) {
        self.after = Some(tables::time_key(at.millis(), seq));
        (self.page, self.tally) = (None, None);
    }

    /// Begins to count the keys, if this is the start.
    fn begin(&mut self, version: Version) {
        if self.after.is_none() {
            self.tally = Some(Tally { version, keys: 0 });
        }
    }

    /// Moves to a key that was examined.
    fn advance(&mut self, key: TimeKey) {
        self.after = Some(key);
        if let Some(tally) = &mut self.tally {
            tally.keys += 1;
        }
    }

    /// The remaining range; `None` if nothing is left.
    fn span(&self) -> Option<Span> {
        let key = |at: Timestamp| u128::from_be_bytes(tables::time_key(at.millis(), 0));
        let (mut first, mut last) = (self.wanted.from.map_or(0, key), u128::MAX);
        if let Some(until) = self.wanted.until {
            last = key(until).checked_sub(1)?;
        }
        if let Some(after) = self.after.map(u128::from_be_bytes) {
            match self.wanted.newest_first {
                true => last = last.min(after.checked_sub(1)?),
                false => first = first.max(after.checked_add(1)?),
            }
        }
        (first <= last).then_some(Span {
            first,
            last,
            newest_first: self.wanted.newest_first,
        })
    }
}

type IndexTable = ReadOnlyTable<&'static [u8], ()>;

impl ReadTx {
    /// The next event of a scan; `None` at its end.
    pub(crate) fn scan_next(&self, scan: &mut Scan) -> Result<Option<EventGuard>> {
        catch_panic(|| {
            let version = self.version()?;
            let (events, tombstones) = (self.events_table()?, self.tombstones_table()?);
            scan.begin(version);
            while let Some(key) = self.next_key(scan, version)? {
                scan.advance(key);
                let seq = tables::seq_of(&key);
                // Indexes contain only live events.
                if tombstones.get(seq)?.is_some() {
                    return Err(disagreement(seq, "the tombstones and an index"));
                }
                let page = events.get_held(seq)?.ok_or_else(|| missing_record(seq))?;
                let (guard, at_ms) = EventGuard::new(seq, page)?;
                if tables::time_key(at_ms, seq) != key {
                    return Err(disagreement(seq, "an index and the log"));
                }
                let view = guard.record()?;
                let archive = || view.archive_of_known_digest();
                if scan.wanted.fits(view.kind(), archive)? {
                    return Ok(Some(guard));
                }
            }
            self.check_tally(scan, version)?;
            Ok(None)
        })
    }

    /// Skips at most `count` events of a scan. Returns how many there were. Only the indexes are
    /// read where they decide which events match.
    pub(crate) fn scan_skip(&self, scan: &mut Scan, count: usize) -> Result<usize> {
        let mut skipped = 0;
        if !scan.wanted.is_indexed() {
            while skipped < count && self.scan_next(scan)?.is_some() {
                skipped += 1;
            }
            return Ok(skipped);
        }
        catch_panic(|| {
            let version = self.version()?;
            scan.begin(version);
            while skipped < count
                && let Some(key) = self.next_key(scan, version)?
            {
                scan.advance(key);
                skipped += 1;
            }
            if skipped < count {
                self.check_tally(scan, version)?;
            }
            Ok(skipped)
        })
    }

    /// A scan that reached the end of an index while nobody wrote must have seen as many
    /// keys as were counted when the events were stored.
    fn check_tally(&self, scan: &Scan, version: Version) -> Result<()> {
        let wanted = &scan.wanted;
        let keys = match scan.tally {
            Some(tally) if tally.version == version => tally.keys,
            _ => return Ok(()),
        };
        if wanted.from.is_some() || wanted.until.is_some() {
            return Ok(());
        }
        let plan = scan.page.as_ref().and_then(|page| page.plan.as_ref());
        let Some(expected) = plan.map(|plan| self.counted(plan)).transpose()?.flatten() else {
            return Ok(());
        };
        if keys == expected {
            return Ok(());
        }
        Err(damaged_because(&format!(
            "an index has {keys} events but {expected} were counted"
        )))
    }

    /// How many events match, if that was counted when they were stored.
    pub(crate) fn counted_events(&self, wanted: &Wanted) -> Result<Option<u64>> {
        let is_bounded = wanted.from.is_some() || wanted.until.is_some();
        if is_bounded || !wanted.is_indexed() {
            return Ok(None);
        }
        catch_panic(|| match self.plan(wanted)? {
            Some(plan) => self.counted(&plan),
            None => Ok(Some(0)),
        })
    }

    /// How many events a plan finds, if that was counted when they were stored.
    fn counted(&self, plan: &Plan) -> Result<Option<u64>> {
        let state = self.state()?;
        match plan.only() {
            Some([Index::Time]) => Ok(Some(state.live_events)),
            Some([Index::Session(number)]) => {
                Ok(Some(self.session_row(*number)?.map_or(0, |row| row.events)))
            }
            Some(indexes) => Ok(indexes
                .iter()
                .map(|index| match index {
                    Index::Facet(Facet::Kind, kind) => {
                        let place = (*kind as usize).wrapping_sub(1);
                        state.conversation.get(place).copied()
                    }
                    _ => None,
                })
                .sum()),
            None => Ok(None),
        }
    }

    fn next_key(&self, scan: &mut Scan, version: Version) -> Result<Option<TimeKey>> {
        let (plan, size) = match &mut scan.page {
            Some(page) if page.version == version => {
                let key = page.keys.pop_front();
                if key.is_some() || page.is_last {
                    return Ok(key);
                }
                (page.plan.take(), (page.size * 2).min(MAX_PAGE))
            }
            _ => (self.plan(&scan.wanted)?, FIRST_PAGE),
        };
        let mut keys = match &plan {
            Some(plan) => self.scan_keys(plan, scan, size)?,
            None => VecDeque::new(),
        };
        let is_last = keys.len() < size;
        let key = keys.pop_front();
        scan.page = Some(Page {
            version,
            plan,
            keys,
            size,
            is_last,
        });
        Ok(key)
    }

    /// The indexes that a scan joins; `None` if nothing can match.
    fn plan(&self, wanted: &Wanted) -> Result<Option<Plan>> {
        let conditions = Conditions {
            session: wanted.session.as_deref(),
            project: wanted.project.as_deref(),
            tools: &wanted.call.tools,
            kinds: &wanted.kinds,
        };
        let number = |facet, name: &str| self.number(facet, name);
        let Some(mut plan) = Plan::of(&conditions, number)? else {
            return Ok(None);
        };
        let observed = u32::from(EventKind::ToolObservation.number());
        let every_call = vec![Index::Facet(Facet::Kind, observed)];
        if let Some(part) = &wanted.call.file_contains {
            let files = self.files_with(part, MAX_FILES)?;
            let index = |file: &u32| Index::Facet(Facet::File, *file);
            plan.also(match files {
                Some(files) if files.is_empty() => return Ok(None),
                Some(files) => files.iter().map(index).collect(),
                None => every_call,
            });
        } else if wanted.call.outcome == Some(ToolOutcome::Succeeded)
            && wanted.call.tools.is_empty()
        {
            plan.also(every_call);
        }
        if wanted.call.outcome == Some(ToolOutcome::Failed) {
            plan.also(vec![Index::Facet(Facet::Failed, 0)]);
        }
        if let Some(key) = &wanted.repeats {
            let Some(prompt) = tables::prompt_number_of_key(key) else {
                return Ok(None);
            };
            plan.also(vec![Index::Facet(Facet::Prompt, prompt)]);
        }
        Ok(Some(plan))
    }

    /// The next keys of a scan, at most `size`.
    fn scan_keys(&self, plan: &Plan, scan: &Scan, size: usize) -> Result<VecDeque<TimeKey>> {
        let Some(span) = scan.span() else {
            return Ok(VecDeque::new());
        };
        let tables = self.index_tables()?;
        let mut join = Join::new(&tables, plan, span);
        let mut keys = VecDeque::with_capacity(size.min(MAX_PAGE));
        while keys.len() < size
            && let Some(key) = join.next_key()?
        {
            keys.push_back(key);
        }
        Ok(keys)
    }

    /// The positions of the live events that may match according to the indexes, ascending;
    /// `None` if there are more than `most`.
    pub(crate) fn few_candidates(&self, wanted: &Wanted, most: usize) -> Result<Option<Vec<u64>>> {
        let scan = Scan::new(wanted.clone());
        let keys = catch_panic(|| match self.plan(wanted)? {
            Some(plan) => self.scan_keys(&plan, &scan, most.saturating_add(1)),
            None => Ok(VecDeque::new()),
        })?;
        if keys.len() > most {
            return Ok(None);
        }
        let mut seqs: Vec<u64> = keys.iter().map(|key| tables::seq_of(key)).collect();
        seqs.sort_unstable();
        Ok(Some(seqs))
    }

    /// The positions of the newest live events that may match according to the indexes, at
    /// most `most`, newest first.
    pub(crate) fn newest_candidates(&self, wanted: &Wanted, most: usize) -> Result<Vec<u64>> {
        let scan = Scan::new(Wanted {
            newest_first: true,
            ..wanted.clone()
        });
        let keys = catch_panic(|| match self.plan(wanted)? {
            Some(plan) => self.scan_keys(&plan, &scan, most),
            None => Ok(VecDeque::new()),
        })?;
        Ok(keys.iter().map(|key| tables::seq_of(key)).collect())
    }

    /// The positions of the live events of a kind between two moments, inclusive, in time
    /// order.
    pub(crate) fn kind_between(
        &self,
        kind: EventKind,
        first: Timestamp,
        last: Timestamp,
    ) -> Result<Vec<u64>> {
        catch_panic(|| {
            let key = |at: Timestamp, seq| u128::from_be_bytes(tables::time_key(at.millis(), seq));
            let span = Span {
                first: key(first, 0),
                last: key(last, u64::MAX),
                newest_first: false,
            };
            let plan = Plan::of_kind(kind);
            let tables = self.index_tables()?;
            let mut join = Join::new(&tables, &plan, span);
            let mut seqs = Vec::new();
            while let Some(key) = join.next_key()? {
                seqs.push(tables::seq_of(&key));
            }
            Ok(seqs)
        })
    }

    /// The tables of the indexes in time order.
    pub(in crate::store) fn index_tables(&self) -> Result<IndexTables<IndexTable>> {
        let open = &self.transaction;
        Ok(IndexTables {
            by_time: open.open_table(tables::BY_TIME)?,
            by_facet: open.open_table(tables::BY_FACET)?,
            session_events: open.open_table(tables::SESSION_EVENTS)?,
        })
    }
}

impl RecordView<'_> {
    /// Whether the event matches.
    pub(crate) fn fits(&self, wanted: &Wanted) -> Result<bool> {
        wanted.fits(self.kind(), || self.archive())
    }
}

impl Wanted {
    /// Whether a record of a kind matches; it is read only if more than the kind matters.
    fn fits<'r>(
        &self,
        kind: EventKind,
        archive: impl FnOnce() -> Result<Record<'r>>,
    ) -> Result<bool> {
        let is_anything = self.session.is_none()
            && self.project.is_none()
            && self.call.is_anything()
            && self.repeats.is_none()
            && self.from.is_none()
            && self.until.is_none();
        Ok(self.kind_fits(kind) && (is_anything || self.record_fits(kind, &archive()?)))
    }

    /// Whether the indexes of a plan contain the matching events and no others.
    fn is_indexed(&self) -> bool {
        let is_named = self.project.as_deref() != Some("");
        is_named && self.call.is_indexed() && self.repeats.is_none()
    }

    fn kind_fits(&self, kind: EventKind) -> bool {
        if self.kinds.is_empty() {
            kind.is_conversation()
        } else {
            self.kinds.contains(&kind)
        }
    }

    fn record_fits(&self, kind: EventKind, record: &Record<'_>) -> bool {
        let at = Timestamp::from_millis_clamped(record.timestamp_ms);
        self.session
            .as_ref()
            .is_none_or(|session| record.session.as_str() == session)
            && self
                .project
                .as_ref()
                .is_none_or(|project| record.project.as_str() == project)
            && self.call.fits(record.tool.as_ref())
            && self.repeats.as_ref().is_none_or(|key| {
                kind == EventKind::UserPrompt && canonical_key(&record.content, None) == *key
            })
            && self.from.is_none_or(|from| at >= from)
            && self.until.is_none_or(|until| at < until)
    }
}
