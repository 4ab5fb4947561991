//! Splits work among threads, as many as the system allows.

use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Runs `work` on items, split among several threads if there are many, each of which gets
/// at least `least`. Results are in the order of the items.
pub(crate) fn in_threads<I: Sync, T: Send>(
    items: &[I],
    least: usize,
    work: impl Fn(&[I]) -> T + Sync,
) -> Vec<T> {
    let threads = match items.len() {
        few if few < 2 * least => 1,
        _ => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let share = items.len().div_ceil(threads).max(least);
    let mut shares = items.chunks(share);
    let Some(own) = shares.next() else {
        return Vec::new();
    };
    let work = &work;
    std::thread::scope(|scope| {
        let helpers: Vec<_> = shares
            .map(|share| (share, spawn(scope, move || work(share))))
            .collect();
        let mut results = vec![work(own)];
        results.extend(helpers.into_iter().map(|(share, helper)| match helper {
            Ok(helper) => joined(helper),
            Err(_) => work(share),
        }));
        results
    })
}

/// Starts a helper. An error if the system refuses another thread: then the work falls to the
/// caller.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let builder = Builder::new();
    #[cfg(test)]
    let builder = match tests::IS_REFUSED.get() {
        true => builder.stack_size(1 << 60),
        false => builder,
    };
    builder.spawn_scoped(scope, work)
}

/// What a helper gave, or its panic.
pub(crate) fn joined<T>(helper: ScopedJoinHandle<'_, T>) -> T {
    helper
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Whether the system refuses this thread a helper.
        pub(crate) static IS_REFUSED: Cell<bool> = const { Cell::new(false) };
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for (count, is_refused) in [0, 1, 9, 10, 11, 1_000]
            .into_iter()
            .flat_map(|count| [(count, false), (count, true)])
        {
            IS_REFUSED.set(is_refused);
            let items: Vec<usize> = (0..count).collect();
            let doubled = |share: &[usize]| share.iter().map(|item| item * 2).collect();
            let all: Vec<Vec<usize>> = in_threads(&items, 5, doubled);
            assert!(all.iter().all(|share| share.len() >= 5 || all.len() <= 2));
            let all: Vec<usize> = all.into_iter().flatten().collect();
            assert_eq!(all, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
