//! Scans: events in the order of time that fit a filter, one by one. Every step
//! is a transaction of its own and gives what is stored at that moment.

use std::collections::VecDeque;
use std::ops::Bound;

use super::ReadTx;
use super::checked::{ReadOnlyTable, ReadableTable};
use super::net::{damaged_because, sound};
use super::read::{disagreement, missing_record};
use super::record::RecordView;
use super::tables::{self, Facet};
use crate::model::error::Result;
use crate::model::event::{Event, EventKind};
use crate::model::time::Timestamp;

/// Which events are wanted. Every field that is set must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) session: Option<String>,
    pub(crate) project: Option<String>,
    /// Empty: the four conversation kinds.
    pub(crate) kinds: Vec<EventKind>,
    /// First moment that counts.
    pub(crate) from: Option<Timestamp>,
    /// First moment that no longer counts.
    pub(crate) until: Option<Timestamp>,
    pub(crate) tool: Option<String>,
    /// Part of a file's path.
    pub(crate) file_contains: Option<String>,
    pub(crate) newest_first: bool,
}

/// How many keys the first page of a scan holds, and the first one after the
/// store has changed. Pages double while it does not.
const FIRST_PAGE: usize = 16;

/// How many keys a page holds at most.
const LARGEST_PAGE: usize = 256;

/// Where an event stands in the order of time: its time and its position. Both
/// stay what they are for as long as the store lives, in every generation.
type TimeKey = [u8; 16];

/// A place in a scan, from which it goes on in any later transaction.
///
/// Between two steps it keeps the place and the keys that came next. The keys
/// count only while nobody writes: events come and go, and the numbers that rows
/// of an index begin with are those of one generation.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    wanted: Wanted,
    /// The last key that was looked at.
    after: Option<TimeKey>,
    page: Option<Page>,
    tally: Option<Tally>,
}

/// How many keys a scan has looked at since its beginning, for as long as the
/// store stays as it was then.
#[derive(Clone, Copy, Debug)]
struct Tally {
    version: Version,
    keys: u64,
}

/// [`ReadTx::version`].
type Version = (u64, [u8; 8]);

/// The next keys of a scan as one version of the store has them.
#[derive(Clone, Debug)]
struct Page {
    version: Version,
    keys: VecDeque<TimeKey>,
    /// How many keys were asked for; with fewer, none come after them.
    size: usize,
    is_last: bool,
}

/// What a scan reads: an index with a fixed prefix, in the order of time.
enum Index {
    Time,
    Facet(Facet, u32),
    Session(u32),
}

impl Scan {
    /// A scan at its beginning.
    pub(crate) fn new(wanted: Wanted) -> Scan {
        Scan {
            wanted,
            after: None,
            page: None,
            tally: None,
        }
    }
}

impl ReadTx {
    /// The next event of a scan; `None` when no further one is stored.
    pub(crate) fn scan_next(&self, scan: &mut Scan) -> Result<Option<Event>> {
        sound(|| {
            let version = self.version()?;
            let (events, tombstones) = (self.events_table()?, self.tombstones_table()?);
            if scan.after.is_none() {
                scan.tally = Some(Tally { version, keys: 0 });
            }
            while let Some(key) = self.next_key(scan, version)? {
                scan.after = Some(key);
                if let Some(tally) = &mut scan.tally {
                    tally.keys += 1;
                }
                let seq = tables::seq_of(&key);
                // Only live events stand in the indexes.
                if tombstones.get(seq)?.is_some() {
                    return Err(disagreement(seq, "the tombstones and an index"));
                }
                let bytes = events.get(seq)?.ok_or_else(|| missing_record(seq))?;
                let view = RecordView::new(seq, bytes.value())?;
                if tables::time_key(view.archive()?.timestamp_ms, seq) != key {
                    return Err(disagreement(seq, "an index and the log"));
                }
                if scan.wanted.kind_fits(view.kind()) && scan.wanted.record_fits(&view)? {
                    return view.to_event().map(Some);
                }
            }
            self.check_tally(scan, version)?;
            Ok(None)
        })
    }

    /// A scan that has come to the end of an index, while nobody wrote, has looked
    /// at as many keys as were counted when the events were stored.
    fn check_tally(&self, scan: &Scan, version: Version) -> Result<()> {
        let wanted = &scan.wanted;
        let keys = match scan.tally {
            Some(tally) if tally.version == version => tally.keys,
            _ => return Ok(()),
        };
        if wanted.from.is_some() || wanted.until.is_some() {
            return Ok(());
        }
        let state = self.state()?;
        let expected = match self.indexes(wanted)?[..] {
            [Index::Time] => state.live_events,
            [Index::Session(number)] => self.session_row(number)?.map_or(0, |row| row.events),
            [Index::Facet(Facet::Kind, kind)] => {
                let place = (kind as usize).wrapping_sub(1);
                match state.conversation.get(place) {
                    Some(events) => *events,
                    None => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        if keys == expected {
            return Ok(());
        }
        Err(damaged_because(&format!(
            "an index has {keys} events of the {expected} that were counted"
        )))
    }

    fn next_key(&self, scan: &mut Scan, version: Version) -> Result<Option<TimeKey>> {
        let size = match &mut scan.page {
            Some(page) if page.version == version => {
                let key = page.keys.pop_front();
                if key.is_some() || page.is_last {
                    return Ok(key);
                }
                (page.size * 2).min(LARGEST_PAGE)
            }
            _ => FIRST_PAGE,
        };
        let mut keys = self.scan_keys(scan, size)?;
        let is_last = keys.len() < size;
        let key = keys.pop_front();
        scan.page = Some(Page {
            version,
            keys,
            size,
            is_last,
        });
        Ok(key)
    }

    /// The indexes that leave least to look at: several of equal kind for files
    /// that share a part of a path, none when nothing can fit.
    fn indexes(&self, wanted: &Wanted) -> Result<Vec<Index>> {
        if let Some(part) = &wanted.file_contains {
            let files = self.names(Facet::File)?.into_iter();
            return Ok(files
                .filter(|(_, path)| path.contains(part.as_str()))
                .map(|(number, _)| Index::Facet(Facet::File, number))
                .collect());
        }
        let of_name = |facet, name: &str| -> Result<Option<Index>> {
            let number = self.number(facet, name)?;
            Ok(number.map(|number| Index::Facet(facet, number)))
        };
        let index = if let Some(session) = &wanted.session
            && wanted.conversation_only()
        {
            self.number(Facet::Session, session)?.map(Index::Session)
        } else if let Some(tool) = &wanted.tool {
            of_name(Facet::Tool, tool)?
        } else if let [kind] = wanted.kinds[..] {
            Some(Index::Facet(Facet::Kind, u32::from(kind.number())))
        } else if let Some(project) = &wanted.project
            && !project.is_empty()
        {
            of_name(Facet::Project, project)?
        } else {
            Some(Index::Time)
        };
        Ok(index.into_iter().collect())
    }

    /// The next keys of a scan, at most `size`, merged over its indexes.
    fn scan_keys(&self, scan: &Scan, size: usize) -> Result<VecDeque<TimeKey>> {
        let indexes = self.indexes(&scan.wanted)?;
        let mut keys: Vec<TimeKey> = Vec::new();
        for index in &indexes {
            let (table, prefix) = match index {
                Index::Time => (tables::BY_TIME, Vec::new()),
                Index::Facet(facet, number) => {
                    let prefix = tables::number_key(*facet, *number);
                    (tables::BY_FACET, prefix.to_vec())
                }
                Index::Session(number) => (tables::SESSION_EVENTS, number.to_be_bytes().to_vec()),
            };
            let table = self.transaction.open_table(table)?;
            collect_keys(&table, &prefix, scan, size, &mut keys)?;
        }
        if indexes.len() > 1 {
            keys.sort_unstable();
            keys.dedup();
            if scan.wanted.newest_first {
                keys.reverse();
            }
            keys.truncate(size);
        }
        Ok(keys.into())
    }
}

fn collect_keys(
    table: &ReadOnlyTable<&'static [u8], ()>,
    prefix: &[u8],
    scan: &Scan,
    size: usize,
    keys: &mut Vec<TimeKey>,
) -> Result<()> {
    let join = |time: &[u8]| [prefix, time].concat();
    let wanted = &scan.wanted;
    let lowest = wanted
        .from
        .map_or([0; 16], |at| tables::time_key(at.millis(), 0));
    let mut lower = Bound::Included(join(&lowest));
    let mut upper = match wanted.until {
        Some(at) => Bound::Excluded(join(&tables::time_key(at.millis(), 0))),
        None => Bound::Included(join(&[0xff; 16])),
    };
    if let Some(after) = &scan.after {
        let bound = Bound::Excluded(join(after));
        if wanted.newest_first {
            upper = bound
        } else {
            lower = bound
        }
    }
    let empty = match (&lower, &upper) {
        (Bound::Included(from), Bound::Included(to)) => from > to,
        (
            Bound::Included(from) | Bound::Excluded(from),
            Bound::Excluded(to) | Bound::Included(to),
        ) => from >= to,
        _ => false,
    };
    if empty {
        return Ok(());
    }
    let mut range = table.range((
        lower.as_ref().map(Vec::as_slice),
        upper.as_ref().map(Vec::as_slice),
    ))?;
    for _ in 0..size {
        let entry = if wanted.newest_first {
            range.next_back()
        } else {
            range.next()
        };
        let Some(entry) = entry else { break };
        let (key, _) = entry?;
        keys.push(key.value()[prefix.len()..].try_into().unwrap_or([0; 16]));
    }
    Ok(())
}

impl Wanted {
    fn conversation_only(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_conversation())
    }

    fn kind_fits(&self, kind: EventKind) -> bool {
        if self.kinds.is_empty() {
            kind.is_conversation()
        } else {
            self.kinds.contains(&kind)
        }
    }

    fn record_fits(&self, view: &RecordView<'_>) -> Result<bool> {
        if self.session.is_none()
            && self.project.is_none()
            && self.tool.is_none()
            && self.from.is_none()
            && self.until.is_none()
        {
            return Ok(true);
        }
        let record = view.archive()?;
        let at = Timestamp::from_millis_clamped(record.timestamp_ms);
        Ok(self
            .session
            .as_ref()
            .is_none_or(|session| record.session.as_str() == session)
            && self
                .project
                .as_ref()
                .is_none_or(|project| record.project.as_str() == project)
            && self.tool.as_ref().is_none_or(|tool| {
                record
                    .tool
                    .as_ref()
                    .is_some_and(|found| found.name.as_str() == tool)
            })
            && self.from.is_none_or(|from| at >= from)
            && self.until.is_none_or(|until| at < until))
    }
}
