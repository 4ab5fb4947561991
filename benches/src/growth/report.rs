//! Prints the measurements as a table, each operation beside the growth that it promises.

use super::Measured;
use super::operations::{Operation, Promise};

/// A shorter time depends on the machine rather than on the operation.
const MIN_MS: f64 = 0.1;

/// A search ranks a limited number of events and learned items, and expands the question with a
/// limited number of similar words. A store with fewer events than this does not reach these
/// limits, so its growth up to here is not that of the operation.
const FILLS_A_SEARCH: usize = 20_000;

/// How many times as much work one store takes as another, by CPU time, which neither the disk nor
/// other processes affect.
fn factor(from: &Measured, to: &Measured) -> f64 {
    to.processor_ms.max(MIN_MS) / from.processor_ms.max(MIN_MS)
}

/// Whether an operation scales as it promises from one size to the next.
fn is_kept(promise: Promise, from: (usize, &Measured), to: (usize, &Measured)) -> bool {
    if promise == Promise::Logarithmic && from.0 < FILLS_A_SEARCH {
        return true;
    }
    let size = to.0 as f64 / from.0 as f64;
    let results = to.1.results.max(1) as f64 / from.1.results.max(1) as f64;
    let allowed = match promise {
        // The last levels of a tree are read from disk rather than from the cache.
        Promise::Constant | Promise::Logarithmic => 2.0,
        Promise::ByResult => 2.0 * results.max(1.0),
        Promise::ByStore => 1.5 * size,
    };
    factor(from.1, to.1) <= allowed
}

pub(super) fn report(sizes: &[usize], chosen: &[&Operation], measured: &[Vec<Measured>]) {
    let mut head = String::from("| operation |");
    for size in sizes {
        head += &format!(" {size} (ms) |");
    }
    for pair in sizes.windows(2) {
        head += &format!(" {} to {} |", pair[0], pair[1]);
    }
    println!("{head} results | longest wait (median append, ms) | memory (MB) | promise | kept |");
    println!("|{}", "---|".repeat(sizes.len() * 2 + 5));
    let mut broken = 0;
    for (operation, measured) in chosen.iter().zip(measured) {
        let Some(last) = measured.last() else {
            continue;
        };
        let mut line = format!("| {} |", operation.name);
        for found in measured {
            line += &format!(" {:.2} |", found.median_ms);
        }
        for pair in measured.windows(2) {
            line += &format!(" {:.1} |", factor(&pair[0], &pair[1]));
        }
        let mut steps = sizes.windows(2).zip(measured.windows(2));
        let is_kept = steps.all(|(sizes, found)| {
            let (from, to) = ((sizes[0], &found[0]), (sizes[1], &found[1]));
            is_kept(operation.promise, from, to)
        });
        broken += usize::from(!is_kept);
        let memory = last
            .added_mb
            .map_or(String::new(), |added| format!("{added:.1}"));
        println!(
            "{line} {} | {} | {memory} | {} | {} |",
            last.results,
            wait(last),
            operation.promise.name(),
            if is_kept { "yes" } else { "no" }
        );
    }
    println!(
        "\n{} operations, {broken} grow faster than they promise",
        chosen.len()
    );
}

/// The longest append of the other process, and its median.
fn wait(measured: &Measured) -> String {
    let Some(appends) = measured.appends else {
        return String::new();
    };
    let refused = match appends.failed {
        0 => String::new(),
        failed => format!(", {failed} refused"),
    };
    format!(
        "{:.0} ({:.1}){refused}",
        appends.longest_ms, appends.median_ms
    )
}
