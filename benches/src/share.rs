//! Sharing between two stores, compared in the same run with writing the same bytes to a file and
//! appending the same events to another store.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use recallite::{EventKind, MemberRole, Memory, NewEvent};

use crate::Result;
use crate::arguments::Arguments;
use crate::text::Author;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events: usize = arguments.number("events", 20_000)?;
    let bytes: usize = arguments.number("bytes", 600)?;
    let folder = tempfile::tempdir()?;
    let mut author = Author::new(1);
    let texts: Vec<String> = (0..events).map(|_| author.text(bytes)).collect();
    let from = Memory::open(folder.path().join("from"))?;
    let appended = timed(|| append(&from, &texts))?;

    let to = Memory::open(folder.path().join("to"))?;
    let identity = from.sharing().identity()?;
    to.sharing()
        .add_member(&identity, "from", MemberRole::Writer)?;
    let exchange = folder.path().join("exchange");
    fs::create_dir(&exchange)?;
    let pushed = timed(|| from.sharing().push_folder(&exchange).map(drop))?;
    let pulled = timed(|| to.sharing().pull_folder(&exchange).map(drop))?;
    let again = timed(|| from.sharing().push_folder(&exchange).map(drop))?;
    let nothing = timed(|| to.sharing().pull_folder(&exchange).map(drop))?;
    let shared = bytes_below(&exchange)?;
    let copied = timed(|| copy(&folder.path().join("copy"), shared))?;
    if from.sharing().shared_hash()? != to.sharing().shared_hash()? {
        return Err("the stores differ".into());
    }

    println!("{events} events of {bytes} bytes, {shared} bytes in the folder");
    let rate = |time: Duration| events as f64 / time.as_secs_f64();
    println!("| what | ms | events/s | beside the copy |");
    println!("|---|---|---|---|");
    for (what, time) in [
        ("the same bytes written to a file", copied),
        ("append_batch of the same events", appended),
        ("push", pushed),
        ("pull", pulled),
    ] {
        println!(
            "| {what} | {:.0} | {:.0} | {:.1} |",
            time.as_secs_f64() * 1e3,
            rate(time),
            time.as_secs_f64() / copied.as_secs_f64(),
        );
    }
    println!(
        "a push with nothing new: {:.1} ms; a pull: {:.1} ms",
        again.as_secs_f64() * 1e3,
        nothing.as_secs_f64() * 1e3,
    );
    late(&from, &to, &exchange, arguments.number("late", 50)?)
}

/// How long a single note takes from its append until the other store finds it.
fn late(from: &Memory, to: &Memory, exchange: &Path, notes: usize) -> Result<()> {
    let mut times = Vec::new();
    for note in 0..notes {
        let word = format!("lateword{note}");
        times.push(timed(|| -> Result<()> {
            let text = format!("A late note about {word}.");
            from.append(NewEvent::new(EventKind::UserPrompt, "late", text))?;
            from.sharing().push_folder(exchange)?;
            to.sharing().pull_folder(exchange)?;
            let found = to.search(word.as_str())?;
            match found.items.iter().any(|hit| hit.summary.contains(&word)) {
                true => Ok(()),
                false => Err("a late note was not found".into()),
            }
        })?);
    }
    times.sort();
    println!(
        "append, push, pull and search of one note: p50 {:.1} ms, p99 {:.1} ms",
        times[times.len() / 2].as_secs_f64() * 1e3,
        times[times.len() * 99 / 100].as_secs_f64() * 1e3,
    );
    Ok(())
}

fn append(memory: &Memory, texts: &[String]) -> Result<()> {
    for (number, batch) in texts.chunks(1_000).enumerate() {
        let new = |text: &String| {
            let session = format!("session-{number}");
            NewEvent::new(EventKind::UserPrompt, session, text.as_str())
        };
        memory.append_batch(batch.iter().map(new).collect())?;
    }
    Ok(())
}

fn timed<E: Into<Box<dyn std::error::Error>>>(
    work: impl FnOnce() -> std::result::Result<(), E>,
) -> Result<Duration> {
    let begun = Instant::now();
    work().map_err(Into::into)?;
    Ok(begun.elapsed())
}

/// The total size of all files in a folder and below it.
pub(crate) fn bytes_below(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        bytes += match facts.is_dir() {
            true => bytes_below(&entry.path())?,
            false => facts.len(),
        };
    }
    Ok(bytes)
}

fn copy(path: &Path, bytes: u64) -> Result<()> {
    let mut file = fs::File::create(path)?;
    let block = vec![b'x'; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let part = left.min(block.len() as u64) as usize;
        file.write_all(&block[..part])?;
        left -= part as u64;
    }
    file.sync_all()?;
    Ok(())
}
