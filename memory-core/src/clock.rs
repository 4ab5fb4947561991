//! Where time and randomness come from, so that tests can choose both.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::ids::EventId;
use crate::model::time::Timestamp;

/// Tells the time of new events.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// Makes event ids and the secret bytes of salts.
pub trait IdSource: Send + Sync + fmt::Debug {
    /// A new event id: unique, and not smaller than those made before it.
    fn event_id(&self, now: Timestamp) -> EventId;

    /// 16 bytes that nobody can guess.
    fn salt(&self) -> [u8; 16];
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
        };
        Timestamp::from_millis_clamped(millis)
    }
}

/// UUIDv7 ids and salts from the operating system's random source. Ids made by
/// one process grow, also within a millisecond.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn event_id(&self, now: Timestamp) -> EventId {
        // The id carries the machine's time, not the event's: an imported event
        // of last year is still a new record of the log.
        let _ = now;
        EventId::from_bytes(uuid::Uuid::now_v7().into_bytes())
    }

    fn salt(&self) -> [u8; 16] {
        uuid::Uuid::new_v4().into_bytes()
    }
}
