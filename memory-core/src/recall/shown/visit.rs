//! Visits events in place.
//!
//! One transaction per event would cost more than the event, so a transaction reads a run of
//! events and ends before the first is visited. Events that are still unvisited when the run
//! may be out of date are read again.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::filter::EventFilter;
use crate::recall::shown::read::Walk;
use crate::store::log::event_view::{EventGuard, EventView};

/// Other processes may have written meanwhile, so a run older than this is read again.
const NEWS_AFTER: Duration = Duration::from_millis(1);
/// The maximum number of events in a run.
const MAX_RUN_EVENTS: usize = 64;
/// A run ends with the event that brings it to this size.
const MAX_RUN_BYTES: usize = 256 << 10;

/// Events read in one transaction.
struct Run {
    guards: Vec<EventGuard>,
    begun: Instant,
    known: (u64, u64),
}

impl Run {
    fn read(engine: &Engine, walk: &mut Walk, most: usize) -> Result<Run> {
        let (begun, known) = (Instant::now(), engine.store.newest_known());
        let read = engine.store.read()?;
        let (mut guards, mut bytes): (Vec<EventGuard>, usize) = (Vec::new(), 0);
        while guards.len() < most && bytes < MAX_RUN_BYTES {
            match (walk.step(&read), guards.last()) {
                (Ok(Some(guard)), _) => {
                    bytes += guard.size_bytes();
                    guards.push(guard);
                }
                (Ok(None), _) => break,
                (Err(error), None) => return Err(error),
                // Visit the events read before the error first.
                (Err(_), Some(last)) => {
                    walk.go_back_to(&last.view()?, 0);
                    break;
                }
            }
        }
        Ok(Run {
            guards,
            begun,
            known,
        })
    }

    fn is_fresh(&self, engine: &Engine) -> bool {
        self.known == engine.store.newest_known() && self.begun.elapsed() < NEWS_AFTER
    }
}

/// [`Views::scan`](crate::Views::scan). `enter` returns the engine while the
/// memory is open.
pub(crate) fn scan<'e>(
    enter: impl Fn() -> Result<&'e Engine>,
    filter: &EventFilter,
    mut visit: impl FnMut(&EventView<'_>) -> ControlFlow<()>,
) -> Result<u64> {
    let mut walk = Walk::new(enter()?, filter.clone())?;
    let (mut visited, mut most) = (0, 1);
    loop {
        let run = Run::read(enter()?, &mut walk, most)?;
        if run.guards.is_empty() {
            return Ok(visited);
        }
        most = (most * 2).min(MAX_RUN_EVENTS);
        for (index, guard) in run.guards.iter().enumerate() {
            let event = guard.view()?;
            visited += 1;
            if visit(&event).is_break() {
                return Ok(visited);
            }
            let left = run.guards.len() - index - 1;
            if left > 0 && !run.is_fresh(enter()?) {
                walk.go_back_to(&event, left);
                most = index + 1;
                break;
            }
        }
    }
}
