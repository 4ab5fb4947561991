//! Layers 2 and 3 of disclosure: what happened around an event, and an event in full.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::engine::recall_cache::timeline_key;
use crate::model::disclosed::{Detail, Relations, TimelineItem};
use crate::model::error::{Error, ErrorCode, Result, unless_damaged};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{EventId, EventRef};
use crate::model::time::Timestamp;
use crate::recall::ranking::retrieve;
use crate::rules::disclosure::detail_facts;
use crate::store::ReadTx;
use crate::store::log::read::Direction;
use crate::text::summary::event_preview;

/// The number of items that a timeline shows before and after an event by default.
pub const DEFAULT_TIMELINE_WINDOW: usize = 3;

/// The maximum number of items that a timeline shows on each side of an event.
pub const MAX_TIMELINE_WINDOW: usize = 100;

/// Which neighbours a timeline shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// Only those that had happened by then.
    pub(crate) as_of: Option<Timestamp>,
    /// Only those of this project.
    pub(crate) project: Option<String>,
}

impl Shown {
    fn has(&self, event: &Event) -> bool {
        let project = self.project.as_ref();
        self.as_of.is_none_or(|at| event.timestamp <= at)
            && project.is_none_or(|project| event.project == *project)
    }
}

/// [`Memory::timeline`](crate::Memory::timeline).
pub(crate) fn timeline(
    engine: &Engine,
    events: &[EventRef],
    window: usize,
    shown: &Shown,
) -> Result<Vec<TimelineItem>> {
    if window > MAX_TIMELINE_WINDOW {
        return Err(Error::invalid(
            "window",
            format_args!("must be at most {MAX_TIMELINE_WINDOW}, not {window}"),
        ));
    }
    let read = engine.store.read()?;
    let caches = &engine.caches;
    if !caches.is_enabled() {
        return read_timeline(&read, events, window, shown);
    }
    let (key, version) = (
        timeline_key(events, window, shown),
        retrieve::version(engine, &read)?,
    );
    let now = engine.store.clock().now();
    if let Some(items) = caches.timeline(&key, version, now) {
        return Ok(items);
    }
    let items = read_timeline(&read, events, window, shown)?;
    caches.put_timeline(key, &items, version, now);
    Ok(items)
}

/// [`Memory::details`](crate::Memory::details).
pub(crate) fn details(engine: &Engine, events: &[EventRef]) -> Result<Vec<Detail>> {
    let read = engine.store.read()?;
    let caches = &engine.caches;
    let cached = if caches.is_enabled() {
        Some((
            retrieve::version(engine, &read)?,
            engine.store.clock().now(),
        ))
    } else {
        None
    };
    events
        .iter()
        .enumerate()
        .map(|(index, wanted)| {
            if let Some((version, now)) = cached
                && let Some(detail) = caches.detail(wanted, version, now)
            {
                return Ok(detail);
            }
            let event = read.event(wanted)?.ok_or_else(|| {
                Error::new(
                    ErrorCode::NotFound,
                    "no event with this id; it may have been forgotten",
                )
                .about(format!("events[{index}]"))
            })?;
            let detail = detail(&read, event)?;
            if let Some((version, now)) = cached {
                caches.put_detail(wanted.clone(), &detail, version, now);
            }
            Ok(detail)
        })
        .collect()
}

fn read_timeline(
    read: &ReadTx,
    events: &[EventRef],
    window: usize,
    shown: &Shown,
) -> Result<Vec<TimelineItem>> {
    let mut targets = BTreeSet::new();
    let mut around = BTreeSet::new();
    for event in events {
        let Some(event) = read.event(event)? else {
            continue;
        };
        targets.insert(event.seq.0);
        around.insert(event.seq.0);
        if let Some((session, _)) = read.session(&event.session)? {
            around.extend(read.neighbours(
                session,
                event.timestamp,
                event.seq.0,
                window,
                window,
            )?);
        }
    }
    let mut items = Vec::with_capacity(around.len());
    for seq in around {
        let is_target = targets.contains(&seq);
        let event = match read.event_at(seq) {
            // A damaged neighbour hides nothing else.
            Err(error) if !is_target && error.code() == ErrorCode::Corrupt => continue,
            event => event?,
        };
        let Some(event) = event else { continue };
        if !is_target && !shown.has(&event) {
            continue;
        }
        items.push(TimelineItem {
            is_target,
            preview: event_preview(read.secret(), &event),
            id: event.id,
            seq: event.seq,
            citation: event.citation,
            kind: event.kind,
            session: event.session,
            actor: event.actor,
            timestamp: event.timestamp,
        });
    }
    items.sort_by_key(|item| (item.timestamp, item.seq));
    Ok(items)
}

pub(crate) fn detail(read: &ReadTx, event: Event) -> Result<Detail> {
    let facts = detail_facts(&event.content);
    let relations = relations(read, &event)?;
    Ok(Detail {
        token_count: facts.token_count,
        has_code: facts.has_code,
        files: facts.files,
        tools: facts.tools,
        relations,
        event,
    })
}

/// The neighbours of an event in its session, and the events of its turn. A turn may be of
/// any length: it runs from one prompt to the next.
fn relations(read: &ReadTx, event: &Event) -> Result<Relations> {
    let mut found = Relations::default();
    let Some((session, _)) = read.session(&event.session)? else {
        return Ok(found);
    };
    if !event.kind.is_conversation() {
        return Ok(found);
    }
    let place = (event.timestamp, event.seq.0);
    let is_prompt = event.kind == EventKind::UserPrompt;
    let glance = |seq: u64| {
        // A damaged neighbour is left out.
        unless_damaged(read.with_record(seq, |view| {
            Ok((view.kind(), EventId::from_bytes(view.archive()?.id)))
        }))
    };
    read.walk_session(session, place, Direction::Backward, &mut |seq| {
        let Some((kind, id)) = glance(seq)? else {
            return Ok(true);
        };
        found.previous = found.previous.or(Some(id));
        if kind == EventKind::UserPrompt && !is_prompt {
            found.parent = Some(id);
        }
        Ok(!is_prompt && kind != EventKind::UserPrompt)
    })?;
    read.walk_session(session, place, Direction::Forward, &mut |seq| {
        let Some((kind, id)) = glance(seq)? else {
            return Ok(true);
        };
        found.next = found.next.or(Some(id));
        let is_child = is_prompt && kind != EventKind::UserPrompt;
        if is_child {
            found.children.push(id);
        }
        Ok(is_child)
    })?;
    Ok(found)
}
