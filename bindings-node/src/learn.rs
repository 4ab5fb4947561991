//! What was learned from conversations: evidence, entries, tasks, the graph
//! between them, the history of the pipeline, levels and the endless mode.

mod align;
mod endless;
mod entries;
mod graph;
mod history;
mod ingest;
mod levels;
mod rules;
mod summarize;
mod tasks;
mod text;
mod tools;

use std::str::FromStr;

use recallite::{Error, Result};

use crate::input::word;

fn words<T: FromStr<Err = Error>>(argument: &str, text: Option<String>) -> Result<Option<T>> {
    text.map(|text| word(argument, &text)).transpose()
}

/// Converts each item of a list.
fn each<T, U>(
    items: impl IntoIterator<Item = T>,
    convert: impl FnMut(T) -> Result<U>,
) -> Result<Vec<U>> {
    items.into_iter().map(convert).collect()
}
