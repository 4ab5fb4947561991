//! What was learned from conversations: evidence, entries, tasks, the graph
//! between them, the history of the pipeline, levels and the endless mode.

mod align;
mod ingest;
mod levels;
mod summarize;
mod tasks;

use recallite::Result;

/// Converts each item of a list.
fn each<T, U>(
    items: impl IntoIterator<Item = T>,
    convert: impl FnMut(T) -> Result<U>,
) -> Result<Vec<U>> {
    items.into_iter().map(convert).collect()
}
