//! Divides long work into transactions, between which others write.

use std::time::Duration;

/// The target time for one transaction, which blocks other writers. Neither the wait for others
/// nor the commit counts, because they do not depend on its size.
const TARGET: Duration = Duration::from_millis(20);
/// The smallest number of events, and by how many it grows.
const MIN_EVENTS: usize = 64;

/// The number of events for the next transaction.
pub(crate) struct BatchSize {
    events: usize,
    most: usize,
}

impl BatchSize {
    /// The first, which is small; none will have more than `most` events.
    pub(crate) fn up_to(most: usize) -> BatchSize {
        BatchSize {
            events: MIN_EVENTS,
            most,
        }
    }

    pub(crate) fn events(&self) -> usize {
        self.events
    }

    /// Adapts to the time that the last one took.
    pub(crate) fn took(&mut self, time: Duration) {
        self.events = match time < TARGET {
            true => (self.events + MIN_EVENTS).min(self.most),
            false => (self.events / 2).max(MIN_EVENTS),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_follows_the_time_within_its_bounds() {
        let mut batch_size = BatchSize::up_to(100);
        let mut after = |millis| {
            batch_size.took(Duration::from_millis(millis));
            batch_size.events()
        };
        assert_eq!(
            [after(1), after(1), after(20), after(90)],
            [100, 100, 64, 64]
        );
    }
}
