//! Prints the measurements as tables, and writes them as lines for a plotting program.

use std::fmt::Write as _;
use std::path::Path;

use crate::Result;

/// The side with which the others are compared.
pub(crate) const OURS: &str = "recallite";

/// The measured values of all sizes.
#[derive(Default)]
pub(crate) struct Report {
    events: usize,
    lines: String,
}

impl Report {
    /// Begins the measurements for stores with this many events.
    pub(crate) fn begin(&mut self, events: usize) {
        self.events = events;
        println!("## {events} events\n");
    }

    /// Prints a table with a row for each side, and keeps its values. Each value is followed, in
    /// brackets, by its ratio to Recallite's value in the same column.
    pub(crate) fn table(&mut self, title: &str, columns: &[&str], rows: Vec<(String, Vec<f64>)>) {
        println!("{title}\n");
        println!("| | {} |", columns.join(" | "));
        println!("|---{}|", "|---".repeat(columns.len()));
        let ours = rows.iter().find(|(side, _)| side == OURS);
        let ours = ours.map(|(_, values)| values.clone());
        for (side, values) in rows {
            let cells = values
                .iter()
                .enumerate()
                .map(|(column, value)| match &ours {
                    Some(ours) if side != OURS && ours[column] > 0.0 => {
                        format!("{} ({})", figure(*value), figure(value / ours[column]))
                    }
                    _ => figure(*value),
                });
            println!("| {side} | {} |", cells.collect::<Vec<_>>().join(" | "));
            for (column, value) in columns.iter().zip(values) {
                // Titles and sides contain commas.
                let events = self.events;
                writeln!(self.lines, "{events};{title};{side};{column};{value}")
                    .expect("a string takes everything");
            }
        }
        println!();
    }

    /// Writes one line for each value, with fields separated by semicolons.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let head = "events;title;side;column;value\n";
        std::fs::write(file, format!("{head}{}", self.lines))
            .map_err(|error| format!("--csv {}: {error}", file.display()).into())
    }
}

/// A number with about three significant digits.
fn figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}
