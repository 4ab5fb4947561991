//! How each public operation grows with the store: its median run at several sizes, how
//! long an append of another process waits meanwhile, and the memory that it adds.

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

/// An operation runs at most so often,
const MOST_RUNS: usize = 25;
/// and no further when it has taken so long.
const LONG_ENOUGH: Duration = Duration::from_millis(1_500);

/// How often an operation runs.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    most: usize,
    /// For each store.
    long_enough: Duration,
}

/// What one operation took on one store.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// The median run, with what it waited for.
    median_ms: f64,
    /// The median run's time on the processors.
    processor_ms: f64,
    results: usize,
    /// What the other process met.
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
    // A named folder is kept, and its stores are used again as they are.
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
        most: arguments.number("rounds", MOST_RUNS)?,
        // Who counts instructions wants to know of how many runs.
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

/// What is exported is what is imported.
fn is_needed(operation: &Operation, only: &str) -> bool {
    only == "import_jsonl" && operation.name == "export_jsonl"
}

/// A store appears under its name when it is whole.
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

/// A copy of a filled store, to be measured on.
struct Store {
    size: usize,
    folder: PathBuf,
    scene: Scene,
    // It is removed when nothing has it open any more.
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

/// The stores take turns, so that what else the machine does meets all of them, and each
/// is asked the same.
fn in_turn(operation: &Operation, stores: &mut [Store], rounds: Rounds) -> Result<Vec<Measured>> {
    let mut runs: Vec<Runs> = stores.iter().map(|_| Runs::default()).collect();
    for (store, runs) in stores.iter_mut().zip(&mut runs) {
        // The first call of a process reads what later ones have at hand.
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

/// Measures an operation on one store, which another process writes to meanwhile.
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
        let (begun, on_processor) = (Instant::now(), ProcessorTime::now());
        self.results = work(operation, store)?;
        self.times.push(begun.elapsed());
        // Where the system does not tell, every wait counts.
        let spent = on_processor.and_then(ProcessorTime::elapsed);
        self.on_processor.push(spent.unwrap_or(begun.elapsed()));
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

/// Copies a folder with what is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
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
