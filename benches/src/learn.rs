//! How long the rules take to learn from a corpus, beside appending it: all conversations in one
//! store and one project, so that what is new is compared with all that was learned before.

use std::time::Instant;

use recallite::{MaintainBudget, Memory, Timestamp};

use crate::Result;
use crate::arguments::Arguments;
use crate::corpus::format::Corpus;
use crate::corpus::new_event;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let corpus = Corpus::read(&arguments.path("corpus")?)?;
    let most: usize = arguments.number("events", usize::MAX)?;
    let folder = tempfile::tempdir()?;
    let memory = Memory::open(folder.path())?;
    let mut events = Vec::new();
    for conversation in &corpus.conversations {
        for event in &conversation.events {
            let mut new = new_event(event)?.project("corpus");
            new.session = format!("{} {}", conversation.id.0, event.session.0);
            // Rules read what nobody has added to for a while.
            if event.time.is_none() {
                new = new.timestamp("2026-01-01T00:00:00Z".parse::<Timestamp>()?);
            }
            events.push(new);
        }
    }
    events.truncate(most);
    let bytes: usize = events.iter().map(|event| event.content.len()).sum();
    let count = events.len();
    let begun = Instant::now();
    memory.append_batch(events)?;
    let appending = begun.elapsed().as_secs_f64();
    let (mut read, mut entries, mut tasks, mut longest) = (0, 0, 0, 0.0_f64);
    let begun = Instant::now();
    loop {
        let step = Instant::now();
        let done = memory.maintain(MaintainBudget::default())?;
        longest = longest.max(step.elapsed().as_secs_f64());
        read += done.messages_read;
        entries += done.entries_learned;
        tasks += done.tasks_learned;
        if !done.has_more {
            break;
        }
    }
    let learning = begun.elapsed().as_secs_f64();
    println!("{}: {count} events, {bytes} bytes of text", corpus.name);
    println!("  appended in {:>9.1} ms", appending * 1e3);
    println!(
        "  learned in  {:>9.1} ms, {:.0} times as long: {read} messages read, {entries} entries and {tasks} tasks; the longest call of maintain {:.1} ms",
        learning * 1e3,
        learning / appending,
        longest * 1e3,
    );
    println!(
        "  {:.3} ms per message, {:.2} µs per byte",
        learning * 1e3 / read.max(1) as f64,
        learning * 1e6 / bytes.max(1) as f64,
    );
    Ok(())
}
