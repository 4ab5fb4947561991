//! Appending, compared in the same run with the bare storage engine writing the same bytes in the
//! same way.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recallite::embed::CallbackEmbedder;
use recallite::testing::vectors::{STATIC_DIMENSIONS, static_embedding};
use recallite::{Dedupe, EventKind, MaintainBudget, Memory, NewEvent};
use redb::{Builder, ConcurrencyMode, Database, TableDefinition};

use crate::Result;
use crate::arguments::Arguments;
use crate::processor::ProcessorTime;
use crate::text::Author;

const EVENT_BYTES: usize = 600;
const BATCH: usize = 10_000;
pub(crate) const RAW: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("raw");

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events: usize = arguments.number("events", 100_000)?;
    let single: usize = arguments.number("single", 10_000)?;
    let event_bytes: usize = arguments.number("bytes", EVENT_BYTES)?;
    let mut author = Author::new(1);
    let texts: Vec<String> = (0..events).map(|_| author.text(event_bytes)).collect();
    let folder = tempfile::tempdir()?;
    println!("{events} events of {event_bytes} bytes, {BATCH} per commit");
    in_batches(&texts, folder.path())?;
    println!("{single} events, one durable commit each");
    one_by_one(&texts[..single.min(events)], folder.path())
}

fn in_batches(texts: &[String], folder: &Path) -> Result<()> {
    let raw_database = open_raw(&folder.join("raw.redb"))?;
    let memory = Memory::open(folder.join("batches"))?;
    let (mut raw, mut ours) = (Side::default(), Side::default());
    // Alternating, so that a slowdown of the machine affects both.
    for (number, batch) in texts.chunks(BATCH).enumerate() {
        raw.measure(|| raw_batch(&raw_database, number, batch))?;
        ours.measure(|| our_batch(&memory, number, batch))?;
    }
    println!("  engine alone   {}", raw.line(texts.len()));
    println!("  recallite      {}", ours.line(texts.len()));
    println!(
        "  ratio          {:>10.2}   (goal: at least .4)",
        raw.wall().as_secs_f64() / ours.wall().as_secs_f64()
    );
    let half = ours.batches.len() / 2;
    let time = |part: &[Duration]| part.iter().sum::<Duration>().as_secs_f64() / part.len() as f64;
    if half > 0 {
        println!(
            "  second half    {:>10.2} times the first half (flat: 1)",
            time(&ours.batches[half..]) / time(&ours.batches[..half])
        );
    }
    print_disk(&memory, "as is")?;
    memory.compact()?;
    print_disk(&memory, "compacted")
}

fn print_disk(memory: &Memory, when: &str) -> Result<()> {
    let stats = memory.stats()?;
    println!(
        "  disk {when:<9} {:>10.2} times the payload ({} segments)",
        stats.size_bytes as f64 / stats.payload_bytes as f64,
        stats.lexical.segments
    );
    Ok(())
}

/// What a host does between its appends.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    /// Nothing: whatever an append defers, a later append must do.
    Nothing,
    /// `maintain`, after every so many appends.
    Maintain,
    /// `process_outbox`, after every so many appends, with an embedder.
    ProcessOutbox,
}

impl Between {
    const ALL: [Between; 3] = [Between::Nothing, Between::Maintain, Between::ProcessOutbox];
    /// So many appends lie between two calls.
    const APPENDS: usize = 32;

    fn said(self) -> &'static str {
        match self {
            Between::Nothing => "nothing else",
            Between::Maintain => "maintain",
            Between::ProcessOutbox => "process_outbox",
        }
    }

    fn open(self, folder: &Path) -> Result<Memory> {
        let folder = folder.join(self.said());
        Ok(match self {
            Between::ProcessOutbox => {
                let embedder = CallbackEmbedder::new("static", STATIC_DIMENSIONS, |texts| {
                    let vector = |text: &&str| static_embedding(text);
                    let zero = || vec![0.0; STATIC_DIMENSIONS];
                    Ok(texts
                        .iter()
                        .map(|text| vector(text).unwrap_or_else(zero))
                        .collect())
                })?;
                Memory::builder()
                    .embedder(Arc::new(embedder))
                    .open(folder)?
            }
            Between::Nothing | Between::Maintain => Memory::open(folder)?,
        })
    }

    fn work(self, memory: &Memory) -> Result<()> {
        match self {
            Between::Nothing => {}
            Between::Maintain => {
                memory.maintain(MaintainBudget::default())?;
            }
            Between::ProcessOutbox => {
                memory.process_outbox(Self::APPENDS)?;
            }
        }
        Ok(())
    }
}

fn one_by_one(texts: &[String], folder: &Path) -> Result<()> {
    let raw_database = open_raw(&folder.join("raw_single.redb"))?;
    let mut hosts = Vec::new();
    for between in Between::ALL {
        hosts.push((between, between.open(folder)?, Vec::new()));
    }
    let mut raw = Vec::new();
    // Alternating here as well.
    for (index, text) in texts.iter().enumerate() {
        let begun = Instant::now();
        raw_commit(&raw_database, index as u64, text)?;
        raw.push(begun.elapsed());
        for (between, memory, times) in &mut hosts {
            // Reading the CPU time takes a while itself: it is not part of the append.
            let (processor, begun) = (ProcessorTime::now(), Instant::now());
            memory.append(event(index, text))?;
            let elapsed = begun.elapsed();
            let processor = processor.and_then(ProcessorTime::elapsed);
            times.push((elapsed, processor.unwrap_or_default()));
            if (index + 1).is_multiple_of(Between::APPENDS) {
                between.work(memory)?;
            }
        }
    }
    let raw = Percentiles::of(raw);
    println!("  engine alone                {raw}");
    for (between, _, times) in hosts {
        let (times, processor) = times.into_iter().unzip();
        let (ours, processor) = (Percentiles::of(times), Percentiles::of(processor));
        println!("  recallite, {:<16} {ours}", between.said());
        println!("    processor time            {processor}");
        println!(
            "    ratio of medians {:.2} (goal: at most 1.5); worst {:.1} times the median \
             (goal: at most 3), of the engine alone {:.1} times",
            ours.p50 / raw.p50,
            ours.worst / ours.p50,
            raw.worst / raw.p50,
        );
    }
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

/// The latencies of one side, batch by batch.
#[derive(Default)]
struct Side {
    batches: Vec<Duration>,
    processor_ms: u64,
}

impl Side {
    fn measure(&mut self, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let (begun, processor) = (Instant::now(), processor_ms());
        work()?;
        self.batches.push(begun.elapsed());
        self.processor_ms += processor_ms() - processor;
        Ok(())
    }

    fn wall(&self) -> Duration {
        self.batches.iter().sum()
    }

    fn line(&self, events: usize) -> String {
        format!(
            "{:>10.0} events/s   {:>6.1} us of processor time per event",
            events as f64 / self.wall().as_secs_f64(),
            self.processor_ms as f64 * 1e3 / events as f64
        )
    }
}

/// The CPU time of all threads of this process so far, in milliseconds; 0 if the system does not
/// report it.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    // Linux reports 100 ticks per second to every program.
    ticks.filter_map(|n| n.parse::<u64>().ok()).sum::<u64>() * 10
}

fn our_batch(memory: &Memory, number: usize, batch: &[String]) -> Result<()> {
    let events = batch
        .iter()
        .enumerate()
        .map(|(i, text)| event(number * BATCH + i, text))
        .collect();
    memory.append_batch(events)?;
    Ok(())
}

pub(crate) fn open_raw(path: &Path) -> Result<Database> {
    let mut builder = Builder::new();
    builder
        .set_concurrency_mode(ConcurrencyMode::MultiWriter)
        .set_cache_size(16 << 20);
    Ok(builder.create(path)?)
}

fn raw_batch(database: &Database, number: usize, batch: &[String]) -> Result<()> {
    let transaction = database.begin_write()?;
    {
        let mut table = transaction.open_table(RAW)?;
        for (index, text) in batch.iter().enumerate() {
            table.insert((number * BATCH + index) as u64, text.as_bytes())?;
        }
    }
    transaction.commit()?;
    Ok(())
}

fn raw_commit(database: &Database, key: u64, text: &str) -> Result<()> {
    let transaction = database.begin_write()?;
    transaction.open_table(RAW)?.insert(key, text.as_bytes())?;
    transaction.commit()?;
    Ok(())
}

/// Percentiles of the latencies of many calls, in milliseconds.
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) worst: f64,
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
            p999: at(0.999),
            worst: at(1.0),
        }
    }
}

impl std::fmt::Display for Percentiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Percentiles {
            p50,
            p99,
            p999,
            worst,
        } = self;
        write!(
            f,
            "p50 {p50:>8.3} ms   p99 {p99:>8.3} ms   p99.9 {p999:>8.3} ms   worst {worst:>8.3} ms"
        )
    }
}
