//! Manages the working set by hand: adds, refreshes and removes events.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::EventRef;
use crate::model::number::share;
use crate::projection;
use crate::projection::endless::{
    self as rows_of, InWorkingSet, PutInWorkingSet, SettingPayload, topics_of,
};
use crate::rules::endless::WorkingItem;
use crate::store::WriteTx;
use crate::store::projected_rows::projected::WINDOW;
use crate::write::prepare::SystemEvent;

/// The maximum number of events per call.
pub(crate) const MAX_EVENTS: usize = 10_000;

/// [`Endless::working_set`](crate::Endless::working_set).
pub(crate) fn items(engine: &Engine) -> Result<Vec<WorkingItem>> {
    let now = engine.store.clock().now();
    let rows = engine.store.read()?.projected()?;
    Ok(rows_of::working_set(&rows, now)?.into_items())
}

/// [`Endless::add_to_working_set`](crate::Endless::add_to_working_set).
pub(crate) fn add(engine: &Engine, events: &[EventRef], relevance: f64) -> Result<usize> {
    share("relevance", relevance)?;
    let seqs = seqs_of(engine, events)?;
    engine.store.write(|tx| {
        let floor = rows_of::config(&tx.projected()?)?
            .working_set
            .min_relevance_score;
        let mut put = Vec::new();
        for (index, seq) in &seqs {
            let event = live_event(tx, *seq, *index)?;
            check_fit(tx, &event, *index)?;
            if relevance >= floor {
                put.push(PutInWorkingSet {
                    event_id: event.id.to_string(),
                    topics: topics_of(&event.content),
                    relevance,
                });
            }
        }
        let count = put.len();
        let payload = SettingPayload {
            working_set: Some(put),
            ..SettingPayload::default()
        };
        record(engine, tx, (count, "put into the working set"), &payload)
    })
}

/// [`Endless::refresh_working_set`](crate::Endless::refresh_working_set).
pub(crate) fn refresh(engine: &Engine, events: &[EventRef]) -> Result<usize> {
    let now = engine.store.clock().now();
    let seqs = seqs_of(engine, events)?;
    engine.store.write(|tx| {
        let refreshed = there(tx, &seqs, |item| item.expires_at > now)?;
        let count = refreshed.len();
        let payload = SettingPayload {
            refreshed,
            ..SettingPayload::default()
        };
        record(engine, tx, (count, "used in the working set"), &payload)
    })
}

/// [`Endless::prune_working_set`](crate::Endless::prune_working_set).
pub(crate) fn prune(engine: &Engine, events: &[EventRef]) -> Result<usize> {
    let seqs = seqs_of(engine, events)?;
    engine.store.write(|tx| {
        let pruned = there(tx, &seqs, |_| true)?;
        let count = pruned.len();
        let payload = SettingPayload {
            pruned,
            ..SettingPayload::default()
        };
        record(
            engine,
            tx,
            (count, "taken out of the working set"),
            &payload,
        )
    })
}

/// Records a change to some events; nothing if there are none.
fn record(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    (count, what): (usize, &str),
    payload: &SettingPayload,
) -> Result<usize> {
    if count > 0 {
        let content = format!("{count} events {what}");
        let payload = codec::to_value(payload);
        let event = SystemEvent::new(engine, EventKind::SettingChanged, content, payload);
        projection::append(tx, &[event.draft(engine)])?;
    }
    Ok(count)
}

/// Those of the events that are in the working set and satisfy the condition.
fn there(
    tx: &WriteTx<'_>,
    seqs: &[(usize, u64)],
    is_meant: impl Fn(&WorkingItem) -> bool,
) -> Result<Vec<InWorkingSet>> {
    let mut found = Vec::new();
    for (index, seq) in seqs {
        live_event(tx, *seq, *index)?;
        let item = rows_of::item(&tx.projected()?, *seq)?;
        if let Some(item) = item.filter(&is_meant) {
            let event_id = item.event_id;
            found.push(InWorkingSet { event_id });
        }
    }
    Ok(found)
}

/// The positions of the caller's events, each once, with its index in the list.
fn seqs_of(engine: &Engine, events: &[EventRef]) -> Result<Vec<(usize, u64)>> {
    if events.len() > MAX_EVENTS {
        return Err(Error::invalid(
            "events",
            format_args!("has {} items; the limit is {MAX_EVENTS}", events.len()),
        ));
    }
    let read = engine.store.read()?;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let seq = read.seq_of(event)?.ok_or_else(|| missing(index))?;
        if seen.insert(seq) {
            found.push((index, seq));
        }
    }
    Ok(found)
}

fn missing(index: usize) -> Error {
    Error::new(ErrorCode::NotFound, "no event with this id")
        .with_argument(format!("events[{index}]"))
}

/// The event at a position, unless it has been forgotten since.
fn live_event(tx: &WriteTx<'_>, seq: u64, index: usize) -> Result<Event> {
    tx.event_at(seq)?.ok_or_else(|| missing(index))
}

/// Refuses events that never enter the working set.
fn check_fit(tx: &WriteTx<'_>, event: &Event, index: usize) -> Result<()> {
    let argument = format!("events[{index}]");
    if !event.kind.is_conversation() {
        return Err(Error::invalid(
            argument,
            format_args!(
                "is a {} event; the working set holds only conversation events",
                event.kind
            ),
        ));
    }
    // The event that records the change takes a position too.
    let end = (tx.state.last_seq + 1).saturating_sub(WINDOW);
    if event.seq.0 <= end {
        return Err(Error::invalid(
            argument,
            format_args!("is not among the last {WINDOW} events in the log"),
        ));
    }
    Ok(())
}
