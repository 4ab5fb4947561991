//! How each public operation scales with the size of the store: its median latency at several
//! sizes, how long an append by another process waits meanwhile, and how much memory it adds.

mod fill;
mod operations;
mod report;
mod resident;
mod writer;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use recallite::Timestamp;

use self::operations::{OPERATIONS, Operation, Run, Scene};

use self::report::report;
use self::resident::Resident;
use self::writer::{Appends, Writer};
use crate::Result;
use crate::arguments::Arguments;
use crate::processor::ProcessorTime;

pub(crate) use writer::run as writer;

/// The maximum number of runs of an operation.
const MAX_RUNS: usize = 25;
/// The time after which an operation is not run again.
const LONG_ENOUGH: Duration = Duration::from_millis(1_500);

/// How often an operation runs.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    most: usize,
    /// The limit for each store.
    long_enough: Duration,
}

/// The cost of one operation on one store.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// The median latency.
    median_ms: f64,
    /// The CPU time of the median run.
    processor_ms: f64,
    results: usize,
    /// The appends of the other process.
    appends: Option<Appends>,
    added_mb: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes = arguments.numbers("sizes", "2000,20000")?;
    let only = arguments.choice("only").unwrap_or_default();
    let chosen: Vec<&Operation> = OPERATIONS
        .iter()
        .filter(|operation| operation.name.contains(only) || is_needed(operation, only))
        .collect();
    let temporary = tempfile::tempdir()?;
    // A folder given by name is kept, and its stores are reused as they are.
    let kept = arguments.path("folder").ok();
    let folder = kept.as_deref().unwrap_or(temporary.path());
    fs::create_dir_all(folder)?;
    let mut stores = Vec::with_capacity(sizes.len());
    for size in &sizes {
        let template = folder.join(size.to_string());
        if !template.exists() {
            make_template(folder, &template, *size)?;
        }
        stores.push(Store::open(folder, &template, *size)?);
    }
    let rounds = Rounds {
        most: arguments.number("rounds", MAX_RUNS)?,
        // To count instructions, the number of runs must be fixed.
        long_enough: match arguments.has("rounds") {
            true => Duration::MAX,
            false => LONG_ENOUGH,
        },
    };
    let mut measured = Vec::with_capacity(chosen.len());
    for operation in &chosen {
        measured.push(measure(operation, &mut stores, rounds)?);
    }
    report(&sizes, &chosen, &measured);
    Ok(())
}

/// Only what was exported can be imported.
fn is_needed(operation: &Operation, only: &str) -> bool {
    only == "import_jsonl" && operation.name == "export_jsonl"
}

/// A store gets its name once it is complete.
fn make_template(folder: &Path, template: &Path, size: usize) -> Result<()> {
    let unfinished = tempfile::tempdir_in(folder)?;
    fill::fill(unfinished.path(), size, now())?;
    fs::rename(unfinished.keep(), template)?;
    Ok(())
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp::from_millis_clamped(since.map_or(0, |since| since.as_millis() as i64))
}

/// A copy of a filled store to measure on.
struct Store {
    size: usize,
    folder: PathBuf,
    scene: Scene,
    // Declared last, so that it is removed after everything in it is closed.
    scratch: tempfile::TempDir,
}

impl Store {
    fn open(folder: &Path, template: &Path, size: usize) -> Result<Store> {
        let scratch = tempfile::tempdir_in(folder)?;
        let folder = scratch.path().join("store");
        copy(template, &folder)?;
        let memory = fill::builder().open(&folder)?;
        Ok(Store {
            size,
            scene: Scene::new(memory, scratch.path().to_owned(), size, now())?,
            folder,
            scratch,
        })
    }
}

/// Measures an operation on every store.
fn measure(operation: &Operation, stores: &mut [Store], rounds: Rounds) -> Result<Vec<Measured>> {
    let measured = match operation.run {
        Run::Often => in_turn(operation, stores, rounds)?,
        Run::OftenWatched | Run::Once => {
            let watched = stores
                .iter_mut()
                .map(|store| watched(operation, store, rounds));
            watched.collect::<Result<_>>()?
        }
    };
    for (store, found) in stores.iter().zip(&measured) {
        eprintln!(
            "{} {}: {:.2} ms, {:.2} of a processor",
            store.size, operation.name, found.median_ms, found.processor_ms
        );
    }
    Ok(measured)
}

/// The stores alternate, so that other load on the machine affects all of them, and each gets the
/// same calls.
fn in_turn(operation: &Operation, stores: &mut [Store], rounds: Rounds) -> Result<Vec<Measured>> {
    let mut runs: Vec<Runs> = stores.iter().map(|_| Runs::default()).collect();
    for (store, runs) in stores.iter_mut().zip(&mut runs) {
        // A warm-up: the first call of a process reads what later ones find in caches.
        runs.results = work(operation, store)?;
    }
    let begun = Instant::now();
    let long_enough = rounds.long_enough.saturating_mul(stores.len() as u32);
    for round in 0..rounds.most {
        if round > 0 && begun.elapsed() >= long_enough {
            break;
        }
        for (store, runs) in stores.iter_mut().zip(&mut runs) {
            runs.add(operation, store)?;
        }
    }
    Ok(runs.into_iter().map(Runs::measured).collect())
}

/// Measures an operation on one store while another process writes to it.
fn watched(operation: &Operation, store: &mut Store, rounds: Rounds) -> Result<Measured> {
    let target = match operation.name {
        "import_jsonl" => store.scratch.path().join("imported"),
        _ => store.folder.clone(),
    };
    let mut writer = Writer::start(&target)?;
    let most = match operation.run {
        Run::Once => 1,
        _ => rounds.most,
    };
    if operation.run != Run::Once {
        work(operation, store)?;
    }
    writer.ask()?;
    let mut runs = Runs::default();
    let begun = Instant::now();
    while runs.times.len() < most && (runs.times.is_empty() || begun.elapsed() < rounds.long_enough)
    {
        runs.add(operation, store)?;
    }
    let appends = Some(writer.ask()?);
    Ok(Measured {
        appends,
        ..runs.measured()
    })
}

fn work(operation: &Operation, store: &mut Store) -> Result<usize> {
    let done = (operation.work)(&mut store.scene);
    done.map_err(|error| format!("{} at {}: {error}", operation.name, store.size).into())
}

/// The runs of an operation on a store.
#[derive(Default)]
struct Runs {
    times: Vec<Duration>,
    on_processor: Vec<Duration>,
    results: usize,
    added_mb: Option<f64>,
}

impl Runs {
    fn add(&mut self, operation: &Operation, store: &mut Store) -> Result<()> {
        let resident = Resident::before();
        let (on_processor, begun) = (ProcessorTime::now(), Instant::now());
        self.results = work(operation, store)?;
        let elapsed = begun.elapsed();
        self.times.push(elapsed);
        // If the system does not report CPU time, every wait counts.
        let spent = on_processor.and_then(ProcessorTime::elapsed);
        self.on_processor.push(spent.unwrap_or(elapsed));
        if let Some(added) = resident.added_mb() {
            self.added_mb = Some(self.added_mb.map_or(added, |most| most.max(added)));
        }
        Ok(())
    }

    fn measured(self) -> Measured {
        Measured {
            median_ms: median_ms(self.times),
            processor_ms: median_ms(self.on_processor),
            results: self.results,
            appends: None,
            added_mb: self.added_mb,
        }
    }
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, ms)
}

fn ms(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
