//! The sources of time and randomness, which tests can replace.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// The milliseconds since 1970 (48 bits) and the fraction of a millisecond (12 bits) for the next
/// id of this process: later than those of all earlier ones, also where the clock is not.
///
/// An atomic number and no lock, because a process that is forked while another thread holds a
/// lock waits for it in vain.
fn next_moment() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let millis = (since.as_millis() as u64) & ((1 << 48) - 1);
    let fraction = u64::from(since.subsec_nanos() % 1_000_000) * 4096 / 1_000_000;
    let now = millis << 12 | fraction;
    let later = |last: u64| now.max(last + 1);
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
        Some(later(last))
    });
    later(last.unwrap_or_else(|last| last))
}

impl IdSource for RandomIds {
    fn event_id(&self, now: Timestamp) -> EventId {
        // The id carries the machine's time, not the event's: an imported event
        // of last year is still a new record of the log.
        let _ = now;
        let moment = next_moment();
        // The last 62 bits are random, as in a UUIDv4, which also has the variant there.
        let mut id = uuid::Uuid::new_v4().into_bytes();
        id[..6].copy_from_slice(&(moment >> 12).to_be_bytes()[2..]);
        id[6..8].copy_from_slice(&(0x7000 | (moment & 0xfff) as u16).to_be_bytes());
        EventId::from_bytes(id)
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
    fn ids_of_threads_are_those_of_the_moment_and_ascend() {
        let before = SystemClock.now().millis();
        let now = Timestamp::from_millis_clamped(0);
        let make = || (0..5_000).map(|_| RandomIds.event_id(now)).collect();
        let made: Vec<Vec<EventId>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let mut all = HashSet::new();
        for ids in &made {
            assert!(ids.is_sorted_by(|one, next| one < next));
            for id in ids {
                assert!(all.insert(*id));
                let uuid = uuid::Uuid::from_bytes(*id.as_bytes());
                assert_eq!(
                    (uuid.get_version_num(), uuid.get_variant()),
                    (7, uuid::Variant::RFC4122)
                );
                let (seconds, nanos) = uuid.get_timestamp().unwrap().to_unix();
                let at = seconds as i64 * 1_000 + i64::from(nanos / 1_000_000);
                assert!((before..before + 600_000).contains(&at), "{at}");
            }
        }
    }

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
