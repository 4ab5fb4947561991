//! The sources of time and randomness, which tests can replace.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::ids::EventId;
use crate::model::time::Timestamp;

/// Provides the time of new events.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// Creates event ids and the secret bytes of salts.
pub trait IdSource: Send + Sync + fmt::Debug {
    /// Returns a new event id, which is unique and not smaller than those created before
    /// it.
    fn event_id(&self, now: Timestamp) -> EventId;

    /// Returns 16 bytes that nobody can guess.
    fn salt(&self) -> [u8; 16];

    /// Returns an id and a salt for each of `count` events of one batch: what
    /// [`IdSource::event_id`] and [`IdSource::salt`] return in turn, unless a source can
    /// create many at once faster.
    fn for_batch(&self, now: Timestamp, count: usize) -> Vec<(EventId, [u8; 16])> {
        (0..count)
            .map(|_| (self.event_id(now), self.salt()))
            .collect()
    }
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

/// UUIDv7 ids and salts from the operating system's random source. The ids made by one
/// process are ascending, even within a millisecond.
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

    /// The system is asked for a key once; a stream of BLAKE3 with that key gives
    /// the rest. Nothing of it outlives the call, so that a forked process never
    /// goes on with the same stream.
    fn for_batch(&self, now: Timestamp, count: usize) -> Vec<(EventId, [u8; 16])> {
        if count < 2 {
            return (0..count)
                .map(|_| (self.event_id(now), self.salt()))
                .collect();
        }
        let mut key = [0; 32];
        key[..16].copy_from_slice(&self.salt());
        key[16..].copy_from_slice(&self.salt());
        let mut stream = blake3::Hasher::new_keyed(&key).finalize_xof();
        let mut made = Vec::with_capacity(count);
        while made.len() < count {
            // Of a UUIDv7 the last 32 bits are random and what stands before them
            // grows with every id of the process: ids that begin alike and end in
            // growing numbers are in order among themselves and with all others.
            let first = self.event_id(now);
            let mut end = 0u32;
            for _ in 0..(count - made.len()).min(IDS_AT_ONCE) {
                let mut random = [0; 20];
                stream.fill(&mut random);
                let (step, salt) = random.split_at(4);
                let step = step.iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
                end += 1 + step % (u32::MAX / IDS_AT_ONCE as u32 - 1);
                let mut id = *first.as_bytes();
                id[12..].copy_from_slice(&end.to_be_bytes());
                let salt = salt.try_into().expect("20 bytes less 4 are 16");
                made.push((EventId::from_bytes(id), salt));
            }
        }
        made
    }
}

/// How many ids have the same beginning at most.
const IDS_AT_ONCE: usize = 4096;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_of_batches_grow_and_salts_differ() {
        let now = SystemClock.now();
        let mut before = RandomIds.event_id(now);
        let mut salts = HashSet::new();
        for count in [0, 1, 2, 300, 10_000, 5, 1] {
            let made = RandomIds.for_batch(now, count);
            assert_eq!(made.len(), count);
            for (id, salt) in made {
                assert!(id > before, "{id} after {before}");
                let uuid = uuid::Uuid::from_bytes(*id.as_bytes());
                assert_eq!(uuid.get_version_num(), 7);
                assert!(salts.insert(salt));
                before = id;
            }
            let single = RandomIds.event_id(now);
            assert!(single > before, "{single} after {before}");
            before = single;
        }
    }
}
