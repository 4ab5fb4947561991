//! The latency of each layer, an append, a session start and endless mode in a large store.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use recallite::rules::endless::MemoryMode;
use recallite::text::citation::citation_id;
use recallite::{
    ContextOptions, EventId, EventKind, EventRef, Memory, NewEvent, SmartSearchOptions,
};

use super::line;
use crate::Result;
use crate::append::Percentiles;
use crate::recall::{peak_mb, question, upkeep};
use crate::text::Author;
use crate::vectors::resident_bytes;

/// The folder of the store.
const STORE: &str = "acceptance";
const QUESTIONS: usize = 100;
const BATCH: usize = 10_000;
/// How many events the reference system shows on each side of an event in a timeline.
const WINDOW: usize = 3;

pub(super) fn run(events: usize, kept: Option<PathBuf>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = kept.unwrap_or_else(|| temporary.path().to_owned());
    let store = folder.join(STORE);
    if !store.exists() {
        fill(&Memory::open(&store)?, events)?;
    }
    println!("{events} events of 600 bytes; medians of {QUESTIONS} new questions");
    let begun = Instant::now();
    let memory = Memory::builder().recall_cache(false).open(&store)?;
    memory.context(ContextOptions::new("what did we do last").session("new"))?;
    let start = begun.elapsed();
    layers(&memory)?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    line(
        "start: open and first context",
        milliseconds(start),
        "ms",
        2_000.0,
        true,
    );
    let mut author = Author::new(7);
    let append = median(|| {
        let event = NewEvent::new(EventKind::UserPrompt, "new", author.text(600));
        memory.append(event).map(drop)
    })?;
    line("append one event durably", append, "ms", 100.0, true);
    citations(&memory)?;
    endless(&memory)?;
    if let Some(peak) = peak_mb() {
        line("resident memory at most", peak, "MB", 200.0, true);
    }
    let megabytes = memory.stats()?.size_bytes as f64 / 1e6;
    line("disk", megabytes, "MB", 500.0, true);
    drop(memory);
    caches(&folder)?;
    Ok(())
}

fn fill(memory: &Memory, events: usize) -> Result<()> {
    let mut author = Author::new(1);
    let mut number = 0;
    while number < events {
        let batch: Vec<NewEvent> = (number..events.min(number + BATCH))
            .map(|number| {
                let kind = match number % 2 {
                    0 => EventKind::UserPrompt,
                    _ => EventKind::AgentResponse,
                };
                NewEvent::new(kind, format!("session-{}", number / 40), author.text(600))
            })
            .collect();
        number += batch.len();
        memory.append_batch(batch)?;
    }
    upkeep(memory)
}

/// The median latency of many calls, in milliseconds.
fn median(mut call: impl FnMut() -> recallite::Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..QUESTIONS {
        let begun = Instant::now();
        call()?;
        times.push(begun.elapsed());
    }
    Ok(Percentiles::of(times).p50)
}

fn layers(memory: &Memory) -> Result<()> {
    let mut author = Author::new(5);
    let index_alone = SmartSearchOptions::default()
        .expand_timeline(false)
        .expand_details(false);
    let mut found: Vec<Vec<EventRef>> = Vec::new();
    let index = median(|| {
        let result = memory.smart_search(question(&mut author), index_alone.clone())?;
        found.push(result.index.iter().map(|item| item.id.into()).collect());
        Ok(())
    })?;
    line("layer 1: index of 10", index, "ms", 100.0, true);
    let mut next = found.iter().cycle();
    let mut of_next = |layer: &dyn Fn(&[EventRef]) -> recallite::Result<()>| {
        median(|| next.next().map_or(Ok(()), |events| layer(events)))
    };
    let timeline = of_next(&|events| memory.timeline(events, WINDOW).map(drop))?;
    line("layer 2: timeline of 10", timeline, "ms", 200.0, true);
    let details = of_next(&|events| memory.details(events).map(drop))?;
    line("layer 3: details of 10", details, "ms", 500.0, true);
    Ok(())
}

fn citations(memory: &Memory) -> Result<()> {
    let id = EventId::from_bytes([7; 16]).to_string();
    let begun = Instant::now();
    for _ in 0..1_000 {
        std::hint::black_box(citation_id(&id, 6));
    }
    let micros = begun.elapsed().as_secs_f64() * 1e3;
    line("citation id of an event", micros, "us", 1.0, true);
    let events = memory.changes_since(recallite::Seq(0), QUESTIONS)?;
    let mut known = events.iter().cycle();
    let lookup = median(|| match known.next() {
        Some(event) => memory.citation(event.citation.as_str()).map(drop),
        None => Ok(()),
    })?;
    line("event of a citation", lookup, "ms", 1.0, true);
    Ok(())
}

/// The working set of a day's work, and its consolidation into one memory: as in the reference
/// system, of 100 events of 2,000 bytes.
fn endless(memory: &Memory) -> Result<()> {
    let endless = memory.endless();
    endless.set_mode(MemoryMode::Endless)?;
    let mut author = Author::new(11);
    // The first consolidation of a process compiles the rules that choose its sentences.
    for which in ["first consolidation", "next consolidation"] {
        for _ in 0..100 {
            let text = author.text(2_000);
            memory.append(NewEvent::new(EventKind::UserPrompt, "endless", text))?;
        }
        let working = median(|| endless.working_set().map(drop))?;
        line("endless: working set", working, "ms", 1.0, true);
        let context = median(|| endless.context(None).map(drop))?;
        line("endless: context", context, "ms", 100.0, true);
        let begun = Instant::now();
        endless.consolidate()?;
        let consolidation = begun.elapsed().as_secs_f64() * 1e3;
        line(
            &format!("endless: {which}"),
            consolidation,
            "ms",
            100.0,
            true,
        );
    }
    endless.set_mode(MemoryMode::Session)?;
    Ok(())
}

/// What the caches of recall hold when they are full: the memory of two processes that ask the same
/// questions, with the caches and without them.
fn caches(folder: &Path) -> Result<()> {
    let resident = |cache: &str| -> Result<f64> {
        let asked = Command::new(std::env::current_exe()?)
            .args(["acceptance", "--cache", cache, "--folder"])
            .arg(folder)
            .output()?;
        let bytes: f64 = String::from_utf8(asked.stdout)?.trim().parse()?;
        Ok(bytes / 1e6)
    };
    let megabytes = (resident("on")? - resident("off")?).max(0.0);
    line("caches of recall, full", megabytes, "MB", 4.0, true);
    Ok(())
}

/// Asks so many questions that the caches are full, if they are on, and prints the memory in bytes.
pub(super) fn ask_with_cache(folder: &Path, is_on: bool) -> Result<()> {
    const FILLING: usize = 600;
    let memory = Memory::builder()
        .recall_cache(is_on)
        .open(folder.join(STORE))?;
    let mut author = Author::new(13);
    for _ in 0..FILLING {
        let found = memory.smart_search(question(&mut author), SmartSearchOptions::default())?;
        let events: Vec<EventRef> = found.index.iter().map(|item| item.id.into()).collect();
        memory.timeline(&events, WINDOW)?;
        memory.details(&events)?;
    }
    println!("{}", resident_bytes());
    Ok(())
}
