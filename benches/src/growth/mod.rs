//! How each public operation grows with the store: its fastest run at several sizes, how
//! long an append of another process waits meanwhile, and the memory that it adds.

mod fill;
mod operations;
mod resident;
mod writer;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use recallite::Timestamp;

use self::operations::{OPERATIONS, Operation, Promise, Run, Scene};
use self::resident::Resident;
use self::writer::{Appends, Writer};
use crate::Result;
use crate::arguments::Arguments;

pub(crate) use writer::run as writer;

/// An operation runs at most so often,
const MOST_RUNS: usize = 15;
/// and no further when it has taken so long.
const LONG_ENOUGH: Duration = Duration::from_millis(1_500);

/// A shorter time tells of the machine and not of the operation.
const SHORTEST_MS: f64 = 0.1;

/// What one operation took on one store.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// The fastest run.
    fastest_ms: f64,
    results: usize,
    /// What the other process met.
    appends: Option<Appends>,
    added_mb: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes: Vec<usize> = arguments
        .choice("sizes")
        .unwrap_or("2000,20000")
        .split(',')
        .map(|size| {
            size.parse()
                .map_err(|_| format!("--sizes {size:?} is no number"))
        })
        .collect::<std::result::Result<_, _>>()?;
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
    let mut measured: Vec<Vec<Measured>> = vec![Vec::new(); chosen.len()];
    for size in &sizes {
        let template = folder.join(size.to_string());
        if !template.exists() {
            make_template(folder, &template, *size)?;
        }
        let scratch = tempfile::tempdir_in(folder)?;
        measure(&template, scratch.path(), *size, &chosen, &mut measured)?;
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

/// Measures the operations one after another on a copy of a store.
fn measure(
    template: &Path,
    scratch: &Path,
    size: usize,
    chosen: &[&Operation],
    measured: &mut [Vec<Measured>],
) -> Result<()> {
    let store = scratch.join("store");
    copy(template, &store)?;
    let memory = fill::builder().open(&store)?;
    let mut scene = Scene::new(memory, scratch.to_owned(), size, now())?;
    for (operation, measured) in chosen.iter().zip(measured) {
        let target = match operation.name {
            "import_jsonl" => scratch.join("imported"),
            _ => store.clone(),
        };
        let writer = match operation.run {
            Run::Often => None,
            _ => Some(Writer::start(&target)?),
        };
        let found = one(operation, &mut scene, writer)
            .map_err(|error| format!("{} at {size}: {error}", operation.name))?;
        eprintln!("{size} {}: {:.2} ms", operation.name, found.fastest_ms);
        measured.push(found);
    }
    Ok(())
}

fn one(operation: &Operation, scene: &mut Scene, mut writer: Option<Writer>) -> Result<Measured> {
    let most = match operation.run {
        Run::Once => 1,
        _ => MOST_RUNS,
    };
    if operation.run != Run::Once {
        // The first call of a process reads what later ones have at hand.
        (operation.work)(scene)?;
    }
    if let Some(writer) = &mut writer {
        writer.ask()?;
    }
    let (mut times, mut results) = (Vec::new(), 0);
    let resident = Resident::before();
    let all = Instant::now();
    while times.len() < most && (times.is_empty() || all.elapsed() < LONG_ENOUGH) {
        let begun = Instant::now();
        results = (operation.work)(scene)?;
        times.push(begun.elapsed());
    }
    let added_mb = resident.added_mb();
    let appends = writer.as_mut().map(Writer::ask).transpose()?;
    Ok(Measured {
        // What a busy machine adds is not growth.
        fastest_ms: times.iter().min().map_or(0.0, ms),
        results,
        appends,
        added_mb,
    })
}

fn ms(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

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

/// How often as much one store takes as another.
fn factor(from: &Measured, to: &Measured) -> f64 {
    to.fastest_ms.max(SHORTEST_MS) / from.fastest_ms.max(SHORTEST_MS)
}

/// Whether an operation grows as it promises, from one size to the next.
fn is_kept(promise: Promise, from: (usize, &Measured), to: (usize, &Measured)) -> bool {
    let size = to.0 as f64 / from.0 as f64;
    let results = to.1.results.max(1) as f64 / from.1.results.max(1) as f64;
    let allowed = match promise {
        // The last levels of a tree are read from the disk, not from the cache.
        Promise::Constant | Promise::Logarithmic => 2.0,
        Promise::ByResult => 2.0 * results.max(1.0),
        Promise::ByStore => 1.5 * size,
    };
    factor(from.1, to.1) <= allowed
}

fn report(sizes: &[usize], chosen: &[&Operation], measured: &[Vec<Measured>]) {
    let mut head = String::from("| operation |");
    for size in sizes {
        head += &format!(" {size} (ms) |");
    }
    for pair in sizes.windows(2) {
        head += &format!(" {} to {} |", pair[0], pair[1]);
    }
    println!("{head} results | longest wait (median append, ms) | memory (MB) | promise | kept |");
    println!("|{}", "---|".repeat(sizes.len() * 2 + 5));
    let mut broken = 0;
    for (operation, measured) in chosen.iter().zip(measured) {
        let mut line = format!("| {} |", operation.name);
        for found in measured {
            line += &format!(" {:.2} |", found.fastest_ms);
        }
        for pair in measured.windows(2) {
            line += &format!(" {:.1} |", factor(&pair[0], &pair[1]));
        }
        let kept = sizes
            .windows(2)
            .zip(measured.windows(2))
            .all(|(sizes, found)| {
                is_kept(
                    operation.promise,
                    (sizes[0], &found[0]),
                    (sizes[1], &found[1]),
                )
            });
        broken += usize::from(!kept);
        let Some(last) = measured.last() else {
            continue;
        };
        let wait = last.appends.map_or(String::new(), |appends| {
            let refused = match appends.failed {
                0 => String::new(),
                failed => format!(", {failed} refused"),
            };
            format!(
                "{:.0} ({:.1}){refused}",
                appends.longest_ms, appends.median_ms
            )
        });
        let memory = last
            .added_mb
            .map_or(String::new(), |added| format!("{added:.1}"));
        println!(
            "{line} {} | {wait} | {memory} | {} | {} |",
            last.results,
            operation.promise.name(),
            if kept { "yes" } else { "no" }
        );
    }
    println!(
        "\n{} operations, {broken} grow faster than they promise",
        chosen.len()
    );
}
