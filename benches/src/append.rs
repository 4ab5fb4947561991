//! Appending, beside the storage engine alone writing the same bytes in the same
//! way, in the same run.

use std::path::Path;
use std::time::{Duration, Instant};

use recallite::{Dedupe, EventKind, Memory, NewEvent};
use redb::{Builder, ConcurrencyMode, Database, TableDefinition};

use crate::Result;
use crate::arguments::Arguments;
use crate::text::Author;

const EVENT_BYTES: usize = 600;
const BATCH: usize = 10_000;
const RAW: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("raw");

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events: usize = arguments.number("events", 100_000)?;
    let single: usize = arguments.number("single", 2_000)?;
    let mut author = Author::new(1);
    let texts: Vec<String> = (0..events).map(|_| author.text(EVENT_BYTES)).collect();
    let folder = tempfile::tempdir()?;

    println!("{events} events of {EVENT_BYTES} bytes, {BATCH} per commit");
    let raw = raw_batches(&folder.path().join("raw.redb"), &texts)?;
    let memory = Memory::open(folder.path().join("batches"))?;
    let ours = batches(&memory, &texts)?;
    let rate = |time: Duration| events as f64 / time.as_secs_f64();
    println!("  engine alone   {:>10.0} events/s", rate(raw));
    println!("  recallite      {:>10.0} events/s", rate(ours));
    println!(
        "  ratio          {:>10.2}   (goal: at least .4)",
        rate(ours) / rate(raw)
    );
    let stats = memory.stats()?;
    println!(
        "  disk           {:>10.2} times the payload ({} segments)",
        stats.size_bytes as f64 / stats.payload_bytes as f64,
        stats.lexical.segments
    );

    println!("{single} events, one durable commit each");
    // In turn, so that a machine that slows down slows both.
    let raw_database = open_raw(&folder.path().join("raw_single.redb"))?;
    let memory = Memory::open(folder.path().join("single"))?;
    let (mut raw, mut ours) = (Vec::new(), Vec::new());
    for (index, text) in texts.iter().take(single).enumerate() {
        let begun = Instant::now();
        raw_commit(&raw_database, index as u64, text)?;
        raw.push(begun.elapsed());
        let begun = Instant::now();
        memory.append(event(index, text))?;
        ours.push(begun.elapsed());
    }
    let (raw, ours) = (Percentiles::of(raw), Percentiles::of(ours));
    println!("  engine alone   {raw}");
    println!("  recallite      {ours}");
    println!(
        "  ratio of medians {:.2}   (goal: at most 1.3)",
        ours.p50 / raw.p50
    );
    Ok(())
}

fn event(index: usize, text: &str) -> NewEvent {
    let kind = if index.is_multiple_of(2) {
        EventKind::UserPrompt
    } else {
        EventKind::AgentResponse
    };
    NewEvent::new(kind, format!("session-{}", index / 40), text).dedupe(Dedupe::Content)
}

fn batches(memory: &Memory, texts: &[String]) -> Result<Duration> {
    let begun = Instant::now();
    for (number, batch) in texts.chunks(BATCH).enumerate() {
        let events = batch
            .iter()
            .enumerate()
            .map(|(i, text)| event(number * BATCH + i, text))
            .collect();
        memory.append_batch(events)?;
    }
    Ok(begun.elapsed())
}

fn open_raw(path: &Path) -> Result<Database> {
    let mut builder = Builder::new();
    builder
        .set_concurrency_mode(ConcurrencyMode::MultiWriter)
        .set_cache_size(16 << 20);
    Ok(builder.create(path)?)
}

fn raw_batches(path: &Path, texts: &[String]) -> Result<Duration> {
    let database = open_raw(path)?;
    let begun = Instant::now();
    for (number, batch) in texts.chunks(BATCH).enumerate() {
        let transaction = database.begin_write()?;
        {
            let mut table = transaction.open_table(RAW)?;
            for (index, text) in batch.iter().enumerate() {
                table.insert((number * BATCH + index) as u64, text.as_bytes())?;
            }
        }
        transaction.commit()?;
    }
    Ok(begun.elapsed())
}

fn raw_commit(database: &Database, key: u64, text: &str) -> Result<()> {
    let transaction = database.begin_write()?;
    transaction.open_table(RAW)?.insert(key, text.as_bytes())?;
    transaction.commit()?;
    Ok(())
}

/// Times of many calls, in milliseconds.
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    p99: f64,
}

impl Percentiles {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
            times
                .get(index)
                .map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Percentiles {
            p50: at(0.5),
            p99: at(0.99),
        }
    }
}

impl std::fmt::Display for Percentiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p50 {:>8.3} ms   p99 {:>8.3} ms", self.p50, self.p99)
    }
}
