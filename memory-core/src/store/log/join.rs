//! Joins indexes in time order: finds the events that several of them have in common.
//!
//! Every index ends its keys in the same sixteen bytes, time and position, so they can be
//! joined by leapfrogging: each cursor is moved to the furthest place that any has reached,
//! until all agree. The number of rows read is governed by the smallest index, whichever
//! that is.

use std::collections::BTreeSet;

use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::store::database::checked::{Range, ReadableTable};
use crate::store::tables::{self, Facet};

/// The place of an event in time order: its time and position. Both stay the same for the
/// life of the store, in every generation.
pub(in crate::store) type TimeKey = [u8; 16];

/// How many rows a cursor reads sequentially before it seeks from the root of the tree: a
/// near target is likely on the same page.
const NEAR_ROWS: usize = 8;

/// Keys of an index with a fixed prefix, in time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) enum Index {
    Time,
    Facet(Facet, u32),
    /// Conversation events of a session.
    Session(u32),
}

/// The wanted events: those that every condition has in one of its indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Plan(Vec<Vec<Index>>);

/// The input of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Conditions<'a> {
    pub(in crate::store) session: Option<&'a str>,
    /// The empty name has no index.
    pub(in crate::store) project: Option<&'a str>,
    /// Empty: any event.
    pub(in crate::store) tools: &'a [String],
    /// Empty: the four conversation kinds.
    pub(in crate::store) kinds: &'a [EventKind],
}

impl Plan {
    /// The plan of conditions; `None` if a name is unknown, so that nothing can match.
    pub(in crate::store) fn of(
        conditions: &Conditions<'_>,
        number: impl Fn(Facet, &str) -> Result<Option<u32>>,
    ) -> Result<Option<Plan>> {
        let mut all = Vec::new();
        let kinds = kinds_of(conditions.kinds);
        let mut is_kind_known = kinds.len() == EventKind::ALL.len();
        if let Some(session) = conditions.session {
            let Some(session) = number(Facet::Session, session)? else {
                return Ok(None);
            };
            let spoken = Index::Session(session);
            if kinds.iter().all(|kind| kind.is_conversation()) {
                is_kind_known |= kinds.len() == 4;
                all.push(vec![spoken]);
            } else {
                all.push(vec![spoken, Index::Facet(Facet::Session, session)]);
            }
        }
        if let Some(name) = conditions.project.filter(|name| !name.is_empty()) {
            let Some(project) = number(Facet::Project, name)? else {
                return Ok(None);
            };
            all.push(vec![Index::Facet(Facet::Project, project)]);
        }
        if !conditions.tools.is_empty() {
            let mut tools = BTreeSet::new();
            for name in conditions.tools {
                tools.extend(number(Facet::Tool, name)?);
            }
            if tools.is_empty() {
                return Ok(None);
            }
            let index = |tool| Index::Facet(Facet::Tool, tool);
            all.push(tools.into_iter().map(index).collect());
        }
        if !is_kind_known {
            let index = |kind: &EventKind| Index::Facet(Facet::Kind, u32::from(kind.number()));
            all.push(kinds.iter().map(index).collect());
        }
        Ok(Some(Plan(all)))
    }

    /// The plan of conditions for forgotten events, which have one table
    /// ([`tables::FORGOTTEN`]); `None` if a name is unknown.
    pub(in crate::store) fn of_forgotten(
        conditions: &Conditions<'_>,
        number: impl Fn(Facet, &str) -> Result<Option<u32>>,
    ) -> Result<Option<Plan>> {
        let mut all = Vec::new();
        let named = [
            (Facet::Session, conditions.session),
            (Facet::Project, conditions.project),
        ];
        for (facet, name) in named {
            let Some(name) = name else { continue };
            match number(facet, name)? {
                Some(number) => all.push(vec![Index::Facet(facet, number)]),
                None => return Ok(None),
            }
        }
        let index = |kind: EventKind| Index::Facet(Facet::Kind, u32::from(kind.number()));
        let kinds = kinds_of(conditions.kinds);
        all.push(kinds.into_iter().map(index).collect());
        Ok(Some(Plan(all)))
    }

    /// The events of one kind.
    pub(in crate::store) fn of_kind(kind: EventKind) -> Plan {
        Plan(vec![vec![Index::Facet(
            Facet::Kind,
            u32::from(kind.number()),
        )]])
    }

    /// Adds a condition.
    pub(in crate::store) fn also(&mut self, any_of: Vec<Index>) {
        self.0.push(any_of);
    }

    /// The indexes of the only condition, if there is just one.
    pub(in crate::store) fn only(&self) -> Option<&[Index]> {
        match &self.0[..] {
            [] => Some(&[Index::Time]),
            [only] => Some(only),
            _ => None,
        }
    }
}

/// The distinct wanted kinds.
fn kinds_of(kinds: &[EventKind]) -> Vec<EventKind> {
    let all = EventKind::ALL.iter().copied();
    match kinds {
        [] => all.filter(|kind| kind.is_conversation()).collect(),
        kinds => all.filter(|kind| kinds.contains(kind)).collect(),
    }
}

/// The range of time order that a join covers, inclusive.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Span {
    pub(in crate::store) first: u128,
    pub(in crate::store) last: u128,
    pub(in crate::store) newest_first: bool,
}

impl Span {
    pub(in crate::store) const ALL: Span = Span {
        first: 0,
        last: u128::MAX,
        newest_first: false,
    };

    /// The place after a key in this direction; `None` if there is none.
    fn beyond(&self, key: u128) -> Option<u128> {
        match self.newest_first {
            true => key.checked_sub(1),
            false => key.checked_add(1),
        }
    }

    /// Whether a join at `key` has reached `target`.
    fn has_reached(&self, key: u128, target: u128) -> bool {
        match self.newest_first {
            true => key <= target,
            false => key >= target,
        }
    }

    fn nearest(&self, a: u128, b: u128) -> u128 {
        match self.newest_first {
            true => a.max(b),
            false => a.min(b),
        }
    }
}

/// The tables that contain the indexes.
pub(in crate::store) struct IndexTables<T> {
    pub(in crate::store) by_time: T,
    pub(in crate::store) by_facet: T,
    pub(in crate::store) session_events: T,
}

/// A running join; see the module.
pub(in crate::store) struct Join<'t, T> {
    span: Span,
    conditions: Vec<Vec<Cursor<'t, T>>>,
    /// Where it continues; `None` at its end.
    target: Option<u128>,
}

impl<'t, T: ReadableTable<&'static [u8], ()>> Join<'t, T> {
    pub(in crate::store) fn new(tables: &'t IndexTables<T>, plan: &Plan, span: Span) -> Self {
        let cursors = |any_of: &Vec<Index>| any_of.iter().map(|i| Cursor::new(tables, i)).collect();
        let conditions = match &plan.0[..] {
            [] => vec![vec![Cursor::new(tables, &Index::Time)]],
            all => all.iter().map(cursors).collect(),
        };
        let start = match span.newest_first {
            true => span.last,
            false => span.first,
        };
        Join {
            span,
            conditions,
            target: (span.first <= span.last).then_some(start),
        }
    }

    /// The next key that every condition has.
    pub(in crate::store) fn next_key(&mut self) -> Result<Option<TimeKey>> {
        let Some(mut target) = self.target.take() else {
            return Ok(None);
        };
        let mut agreed = 0;
        for place in (0..self.conditions.len()).cycle() {
            if agreed == self.conditions.len() {
                break;
            }
            let mut nearest: Option<u128> = None;
            for cursor in &mut self.conditions[place] {
                if let Some(found) = cursor.seek(&self.span, target)? {
                    nearest = Some(nearest.map_or(found, |key| self.span.nearest(key, found)));
                }
            }
            match nearest {
                None => return Ok(None),
                Some(found) if found == target => agreed += 1,
                Some(found) => (target, agreed) = (found, 1),
            }
        }
        self.target = self.span.beyond(target);
        Ok(Some(target.to_be_bytes()))
    }

    /// How many index rows were read.
    #[cfg(test)]
    pub(in crate::store) fn rows_read(&self) -> usize {
        let cursors = self.conditions.iter().flatten();
        cursors.map(|cursor| cursor.rows_read).sum()
    }
}

/// A cursor into one index.
struct Cursor<'t, T> {
    table: &'t T,
    prefix: Vec<u8>,
    rows: Option<Range<'t, &'static [u8], ()>>,
    /// The last key read.
    at: Option<u128>,
    is_at_end: bool,
    rows_read: usize,
}

impl<'t, T: ReadableTable<&'static [u8], ()>> Cursor<'t, T> {
    fn new(tables: &'t IndexTables<T>, index: &Index) -> Self {
        let (table, prefix) = match index {
            Index::Time => (&tables.by_time, Vec::new()),
            Index::Facet(facet, number) => {
                let prefix = tables::number_key(*facet, *number);
                (&tables.by_facet, prefix.to_vec())
            }
            Index::Session(number) => (&tables.session_events, number.to_be_bytes().to_vec()),
        };
        Cursor {
            table,
            prefix,
            rows: None,
            at: None,
            is_at_end: false,
            rows_read: 0,
        }
    }

    /// The first key at or after `target` in this direction. Targets only move forward.
    fn seek(&mut self, span: &Span, target: u128) -> Result<Option<u128>> {
        for _ in 0..NEAR_ROWS {
            match self.at {
                _ if self.is_at_end => return Ok(None),
                Some(at) if span.has_reached(at, target) => return Ok(Some(at)),
                _ if self.rows.is_none() => break,
                _ => self.step(span)?,
            }
        }
        if let (false, Some(at)) = (self.is_at_end, self.at)
            && span.has_reached(at, target)
        {
            return Ok(Some(at));
        }
        let (first, last) = match span.newest_first {
            true => (span.first, target),
            false => (target, span.last),
        };
        let key = |time: u128| [self.prefix.as_slice(), &time.to_be_bytes()].concat();
        let (first, last) = (key(first), key(last));
        self.rows = Some(self.table.range(first.as_slice()..=last.as_slice())?);
        self.step(span)?;
        Ok(self.at.filter(|_| !self.is_at_end))
    }

    fn step(&mut self, span: &Span) -> Result<()> {
        let row = self.rows.as_mut().and_then(|rows| match span.newest_first {
            true => rows.next_back(),
            false => rows.next(),
        });
        let Some(row) = row else {
            self.is_at_end = true;
            return Ok(());
        };
        let (key, _) = row?;
        self.rows_read += 1;
        let time = key
            .value()
            .get(self.prefix.len()..)
            .and_then(|time| time.try_into().ok());
        self.at = Some(time.map_or(0, u128::from_be_bytes));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Memory;
    use crate::model::event::{Event, NewEvent, ToolUse};
    use crate::model::filter::{EventFilter, ToolOutcome};
    use crate::model::ids::Seq;
    use crate::model::json::Json;
    use crate::model::session::SessionUpdate;
    use crate::model::time::Timestamp;
    use crate::scope::ProjectScope;
    use crate::store::log::join::*;
    use crate::upkeep::select::Selector;

    const SESSIONS: [&str; 4] = ["s0", "s1", "s2", "unknown"];
    const PROJECTS: [&str; 4] = ["", "shop", "bank", "unknown"];
    const TOOLS: [&str; 4] = ["Read", "Edit", "Write", "unknown"];
    const FOLDERS: [&str; 3] = ["src/가게", "src/bank", "lib/shop"];
    const PARTS: [&str; 6] = ["src/", "게/", "shop", "s", "k/f7", "no such path"];

    /// Pseudo-random numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) as usize % sides
        }

        fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
            words[self.roll(words.len())]
        }
    }

    fn event(dice: &mut Dice, number: usize) -> NewEvent {
        let session = SESSIONS[dice.roll(3)];
        let kind = EventKind::ALL[dice.roll(4)];
        let event = match kind {
            EventKind::ToolObservation => {
                let path = format!("{}/f{}.rs", dice.one_of(&FOLDERS), dice.roll(40));
                let input = serde_json::json!({ "file_path": path });
                let tool = ToolUse {
                    name: TOOLS[dice.roll(3)].to_owned(),
                    input: Some(Json::from_value(&input)),
                    output: format!("output {number}"),
                    success: Some(dice.roll(3) > 0),
                    ..ToolUse::default()
                };
                NewEvent::tool(session, tool)
            }
            kind => NewEvent::new(kind, session, format!("text {number}")),
        };
        // Many events share a time, and time does not follow the log.
        let at = Timestamp::from_millis_clamped(dice.roll(300) as i64 - 20);
        event.project(PROJECTS[dice.roll(3)]).timestamp(at)
    }

    /// A store with events of all sorts: the live ones, and the forgotten ones.
    fn filled(folder: &std::path::Path, dice: &mut Dice) -> (Memory, Vec<Event>, Vec<Event>) {
        let memory = Memory::open(folder).unwrap();
        for part in 0..4 {
            let events = (0..150)
                .map(|number| event(dice, part * 150 + number))
                .collect();
            memory.append_batch(events).unwrap();
            let tags = Some(vec![format!("tag {part}")]);
            let update = SessionUpdate {
                tags,
                ..SessionUpdate::default()
            };
            memory.update_session(SESSIONS[part % 3], update).unwrap();
        }
        let mut live = memory.changes_since(Seq(0), usize::MAX).unwrap();
        let gone: Vec<Event> = live.extract_if(.., |event| event.seq.0 % 7 == 0).collect();
        let ids = gone.iter().map(|event| event.seq);
        let selector = Selector::new().ids(ids).project(ProjectScope::All);
        memory.forget(&selector).unwrap();
        live.extend(memory.changes_since(Seq(604), usize::MAX).unwrap());
        live.sort_by_key(|event| (event.timestamp, event.seq));
        (memory, live, gone)
    }

    fn path_of(event: &Event) -> Option<String> {
        let metadata = event.tool.as_ref()?.metadata.to_value();
        Some(metadata.get("filePath")?.as_str()?.to_owned())
    }

    fn random_filter(dice: &mut Dice) -> EventFilter {
        let mut filter = EventFilter::new().project(ProjectScope::All);
        if dice.roll(3) == 0 {
            filter = filter.session(dice.one_of(&SESSIONS));
        }
        if dice.roll(3) == 0 {
            filter = filter.project(ProjectScope::Named(dice.one_of(&PROJECTS).to_owned()));
        }
        if dice.roll(2) == 0 {
            let kinds = EventKind::ALL.iter().copied();
            let rarity = [1, 2, 6][dice.roll(3)];
            filter = filter.kinds(kinds.filter(|_| dice.roll(rarity) == 0));
        }
        if dice.roll(4) == 0 {
            let count = 1 + dice.roll(2);
            let tools = (0..count).map(|_| dice.one_of(&TOOLS));
            filter = filter.tools(tools.collect::<Vec<_>>());
        }
        if dice.roll(3) == 0 {
            filter = filter.file_contains(dice.one_of(&PARTS));
        }
        if dice.roll(4) == 0 {
            filter = filter.tool_outcome(ToolOutcome::ALL[dice.roll(2)]);
        }
        if dice.roll(3) == 0 {
            filter = filter.from(Timestamp::from_millis_clamped(dice.roll(200) as i64 - 20));
        }
        if dice.roll(3) == 0 {
            filter = filter.until(Timestamp::from_millis_clamped(dice.roll(300) as i64 - 20));
        }
        filter.newest_first = dice.roll(2) == 0;
        filter
    }

    fn fits(filter: &EventFilter, event: &Event) -> bool {
        let project = match &filter.project {
            ProjectScope::Named(name) => event.project == *name,
            _ => true,
        };
        let kind = match &filter.kinds[..] {
            [] => event.kind.is_conversation(),
            kinds => kinds.contains(&event.kind),
        };
        project
            && kind
            && filter
                .session
                .as_ref()
                .is_none_or(|name| event.session == *name)
            && filter.from.is_none_or(|from| event.timestamp >= from)
            && filter.until.is_none_or(|until| event.timestamp < until)
            && (filter.tools.is_empty()
                || event
                    .tool
                    .as_ref()
                    .is_some_and(|tool| filter.tools.contains(&tool.name)))
            && filter.tool_outcome.is_none_or(|outcome| {
                let call = event.tool.as_ref();
                call.is_some_and(|tool| tool.success == (outcome == ToolOutcome::Succeeded))
            })
            && filter
                .file_contains
                .as_ref()
                .is_none_or(|part| path_of(event).is_some_and(|path| path.contains(part.as_str())))
    }

    #[test]
    fn any_filters_together_give_what_a_look_at_every_event_gives() {
        let folder = tempfile::tempdir().unwrap();
        let mut dice = Dice(15);
        let (memory, live, _) = filled(folder.path(), &mut dice);
        for _ in 0..600 / crate::testing::every(3) {
            let filter = random_filter(&mut dice);
            let mut expected: Vec<Seq> = live
                .iter()
                .filter(|event| fits(&filter, event))
                .map(|event| event.seq)
                .collect();
            if filter.newest_first {
                expected.reverse();
            }
            let found = memory.events(filter.clone()).unwrap();
            let found: Vec<Seq> = found.map(|event| event.unwrap().seq).collect();
            assert_eq!(found, expected, "{filter:?}");
            let count = memory.count_events(&filter).unwrap();
            assert_eq!(count, expected.len() as u64, "{filter:?}");

            let (offset, limit) = (dice.roll(40), dice.roll(40));
            let page = filter.offset(offset).limit(limit);
            let expected: Vec<Seq> = expected.into_iter().skip(offset).take(limit).collect();
            let found = memory.events(page.clone()).unwrap();
            let found: Vec<Seq> = found.map(|event| event.unwrap().seq).collect();
            assert_eq!(found, expected, "{page:?}");
            let mut visited = Vec::new();
            let see = |event: &crate::EventView<'_>| {
                visited.push(event.seq());
                std::ops::ControlFlow::Continue(())
            };
            memory.views().scan(&page, see).unwrap();
            assert_eq!(visited, expected, "{page:?}");
            let count = memory.count_events(&page).unwrap();
            assert_eq!(count, expected.len() as u64, "{page:?}");
        }
    }

    #[test]
    fn a_selection_is_what_a_look_at_every_event_gives() {
        let folder = tempfile::tempdir().unwrap();
        let mut dice = Dice(16);
        let (memory, live, gone) = filled(folder.path(), &mut dice);
        for _ in 0..300 {
            let filter = EventFilter {
                from: None,
                tools: Vec::new(),
                file_contains: None,
                tool_outcome: None,
                ..random_filter(&mut dice)
            };
            let mut selector = Selector::everything().project(filter.project.clone());
            let kinds: Vec<EventKind> = match &filter.kinds[..] {
                [] => EventKind::ALL[..4].to_vec(),
                kinds => kinds.to_vec(),
            };
            let is_tombstone =
                |kind: &EventKind| matches!(kind, EventKind::Forgotten | EventKind::Erased);
            let kinds: Vec<EventKind> = kinds.into_iter().filter(|k| !is_tombstone(k)).collect();
            if kinds.is_empty() {
                continue;
            }
            selector = selector.kinds(kinds.iter().copied());
            selector.session.clone_from(&filter.session);
            selector.before = filter.until;
            let filter = EventFilter { kinds, ..filter };
            let mut expected: Vec<u64> = live
                .iter()
                .filter(|event| fits(&filter, event))
                .map(|event| event.seq.0)
                .collect();
            expected.sort_unstable();
            let mut selection = selector.selection("").unwrap();
            let read = memory.engine.store.read().unwrap();
            assert_eq!(read.select(&selection).unwrap(), expected, "{selector:?}");
            assert_eq!(
                memory.upkeep().count_selected(&selector).unwrap(),
                expected.len() as u64,
                "{selector:?}"
            );
            // Including forgotten ones: every seventh event of the log.
            expected.extend(gone.iter().filter(|e| fits(&filter, e)).map(|e| e.seq.0));
            expected.sort_unstable();
            selection.with_deleted = true;
            assert_eq!(read.select(&selection).unwrap(), expected, "{selector:?}");
        }
    }

    #[test]
    fn what_is_read_follows_the_rarest_condition() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let events = (0..6_000).map(|number| {
            let project = ["common", "rare"][usize::from(number % 1_500 == 700)];
            let kind = EventKind::ALL[number % 2];
            NewEvent::new(kind, format!("s{}", number % 2), format!("text {number}"))
                .project(project)
                .timestamp(Timestamp::from_millis_clamped(number as i64))
        });
        memory.append_batch(events.collect()).unwrap();
        let read = memory.engine.store.read().unwrap();
        let tables = read.index_tables().unwrap();
        let rows_read = |conditions: &Conditions<'_>, newest_first: bool| {
            let number = |facet, name: &str| read.number(facet, name);
            let plan = Plan::of(conditions, number).unwrap().unwrap();
            let span = Span {
                newest_first,
                ..Span::ALL
            };
            let mut join = Join::new(&tables, &plan, span);
            let mut found = 0;
            while join.next_key().unwrap().is_some() {
                found += 1;
            }
            (found, join.rows_read())
        };
        for newest_first in [false, true] {
            let kinds = &EventKind::ALL[..1];
            let rare = Conditions {
                project: Some("rare"),
                kinds,
                ..Conditions::default()
            };
            let (found, rows) = rows_read(&rare, newest_first);
            assert!(found == 4 && rows < 100, "{rows} rows for {found}");
            // They have nothing in common: neither may be scanned completely.
            let both = Conditions {
                session: Some("s1"),
                ..rare
            };
            let (found, rows) = rows_read(&both, newest_first);
            assert!(found == 0 && rows < 100, "{rows} rows for {found}");
            let every = Conditions {
                project: Some("rare"),
                kinds: EventKind::ALL,
                ..Conditions::default()
            };
            assert_eq!(rows_read(&every, newest_first), (4, 4));
        }
    }

    #[test]
    fn paths_are_found_by_their_parts_and_few_rows_are_read_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let observed = |path: String| {
            let tool = ToolUse {
                name: "Read".to_owned(),
                input: Some(Json::from_value(&serde_json::json!({ "file_path": path }))),
                output: "text".to_owned(),
                ..ToolUse::default()
            };
            NewEvent::tool("s", tool)
        };
        let mut events: Vec<NewEvent> =
            (0..400).map(|n| observed(format!("src/f{n}.rs"))).collect();
        events.push(observed("abcabd/xabd".to_owned()));
        memory.append_batch(events).unwrap();
        let read = memory.engine.store.read().unwrap();
        let files = |part: &str, most| read.files_with(part, most).unwrap();
        assert_eq!(files("bcab", 9), Some(vec![401]));
        // All its trigrams occur, but not one after another.
        assert_eq!(files("abdx", 9), Some(vec![]));
        assert_eq!(files("cabc", 9), Some(vec![]));
        assert_eq!(files("src", 9), None);
        assert_eq!(files("f39", 11).map(|found| found.len()), Some(11));
        assert_eq!(files("f39", 10), None);
        assert_eq!(files("f3", 500).map(|found| found.len()), Some(111));
        assert_eq!((files("s", 9), files("", 9)), (None, None));
        let found = |part: &str| {
            let filter = EventFilter::new().file_contains(part);
            let events = memory.events(filter).unwrap();
            events.inspect(|event| assert!(event.is_ok())).count()
        };
        assert_eq!(
            [found(".rs"), found("r"), found("f3"), found("bcab")],
            [400, 400, 111, 1]
        );
    }
}
