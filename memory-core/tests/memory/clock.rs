//! A clock that the tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recallite::Timestamp;
use recallite::clock::Clock;

#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    pub fn at(text: &str) -> Arc<Self> {
        FixedClock::at_ms(text.parse::<Timestamp>().unwrap().millis())
    }

    pub fn at_ms(ms: i64) -> Arc<Self> {
        Arc::new(FixedClock(AtomicI64::new(ms)))
    }

    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }

    pub fn advance_minutes(&self, minutes: i64) {
        self.advance_ms(minutes * 60_000);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis_clamped(self.0.load(Ordering::Relaxed))
    }
}
