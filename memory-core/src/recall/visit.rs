//! Visiting events in place.
//!
//! A transaction for each event would cost more than the event. So a run of events is
//! read with one, which ends before the first of them is visited; what was read and not
//! visited is read again as soon as it may be out of date.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::filter::EventFilter;
use crate::recall::read::Walk;
use crate::store::event_view::{EventGuard, EventView};

/// Other processes may have written since: what was read this long ago is read again.
const NEWS_AFTER: Duration = Duration::from_millis(1);
/// A run has so many events at most.
const LONGEST_RUN: usize = 64;
/// A run ends with the event that makes it so large.
const LARGEST_RUN_BYTES: usize = 256 << 10;

/// Events that were read with one transaction.
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
        while guards.len() < most && bytes < LARGEST_RUN_BYTES {
            match (walk.step(&read), guards.last()) {
                (Ok(Some(guard)), _) => {
                    bytes += guard.size_bytes();
                    guards.push(guard);
                }
                (Ok(None), _) => break,
                (Err(error), None) => return Err(error),
                // First those before it are visited.
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

/// [`Memory::scan_events`](crate::Memory::scan_events). `enter` gives the engine as long
/// as the memory is open.
pub(crate) fn scan_events<'e>(
    enter: impl Fn() -> Result<&'e Engine>,
    filter: EventFilter,
    mut visit: impl FnMut(&EventView<'_>) -> ControlFlow<()>,
) -> Result<u64> {
    let mut walk = Walk::new(enter()?, filter)?;
    let (mut visited, mut most) = (0, 1);
    loop {
        let run = Run::read(enter()?, &mut walk, most)?;
        if run.guards.is_empty() {
            return Ok(visited);
        }
        most = (most * 2).min(LONGEST_RUN);
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
