//! The acceptance figures of the reference system, each beside its goal: the latency of the layers
//! of disclosure, how many tokens they save, when they expand and how often rightly, and how much
//! of the context given to a session is used again.

mod disclosure;
mod reuse;
mod times;

use recallite::Memory;

use crate::Result;
use crate::arguments::Arguments;
use crate::corpus::format::{Corpus, Level};

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Ok(cache) = arguments.text("cache") {
        return times::ask_with_cache(&arguments.path("folder")?, cache == "on");
    }
    times::run(
        arguments.number("events", 100_000)?,
        arguments.path("folder").ok(),
    )?;
    if let Ok(transcripts) = arguments.path("transcripts") {
        let folder = tempfile::tempdir()?;
        let memory = Memory::open(folder.path())?;
        memory.import_claude_code(&transcripts)?;
        println!("\n{} events of transcripts", memory.stats()?.events);
        disclosure::run(&memory, arguments.path("questions").ok())?;
        reuse::imported(&memory)?;
    }
    match arguments.path("corpus") {
        Ok(file) => {
            let corpus = Corpus::read(&file)?;
            disclosure::corpus(&corpus)?;
            match corpus.level {
                // There is nobody to give a context to.
                Level::Document => Ok(()),
                _ => reuse::corpus(&corpus),
            }
        }
        Err(_) => Ok(()),
    }
}

/// Prints a figure, its goal, and whether it is met.
fn line(what: &str, figure: f64, unit: &str, goal: f64, at_most: bool) {
    let (word, is_reached) = match at_most {
        true => ("at most", figure <= goal),
        false => ("at least", figure >= goal),
    };
    let reached = if is_reached { "" } else { "   MISSED" };
    println!("  {what:<44} {figure:>9.3} {unit:<4} (goal: {word} {goal} {unit}){reached}");
}
