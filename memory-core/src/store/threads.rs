//! Splits work among threads.

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
            .map(|share| scope.spawn(move || work(share)))
            .collect();
        let mut results = vec![work(own)];
        results.extend(helpers.into_iter().map(|helper| {
            helper
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }));
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 9, 10, 11, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled = |share: &[usize]| share.iter().map(|item| item * 2).collect();
            let all: Vec<Vec<usize>> = in_threads(&items, 5, doubled);
            assert!(all.iter().all(|share| share.len() >= 5 || all.len() <= 2));
            let all: Vec<usize> = all.into_iter().flatten().collect();
            assert_eq!(all, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
