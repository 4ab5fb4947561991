//! Recall in a warm process and in a new one, over stores of several sizes that take turns, each
//! compared with the first.

use std::time::{Duration, Instant};

use recallite::{Memory, Query};

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::recall::{batches, floor_process, hook_process, open, question, upkeep};
use crate::text::Author;

const QUERIES: usize = 200;
const HOOKS: usize = 60;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes = arguments.numbers("sizes", "100000,1000000")?;
    let temporary = tempfile::tempdir()?;
    // A folder given by name is kept and reused as it is.
    let kept = arguments.path("folder").ok();
    let folder = kept.as_deref().unwrap_or(temporary.path());
    let mut stores = Vec::with_capacity(sizes.len());
    for &size in &sizes {
        let path = folder.join(size.to_string());
        let memory = open(&path)?;
        match memory.stats()?.events as usize {
            0 => {
                for batch in batches(size) {
                    memory.append_batch(batch)?;
                }
                upkeep(&memory)?;
            }
            // The hooks of an earlier run have added some.
            events if events >= size => {}
            events => return Err(format!("{path:?} has {events} events; remove it").into()),
        }
        stores.push((path, memory));
    }
    let mut author = Author::new(99);
    let queries: Vec<String> = (0..QUERIES).map(|_| question(&mut author)).collect();
    println!(
        "events of 600 bytes, words of natural frequencies; {QUERIES} questions of about 7 words; best 10"
    );
    // Other questions first, so that the stores are warm and no question is asked twice.
    for _ in 0..QUERIES {
        let query = question(&mut author);
        for (_, memory) in &stores {
            memory.search(Query::new(query.as_str()).limit(10))?;
        }
    }
    let mut warm = vec![Vec::with_capacity(QUERIES); stores.len()];
    for query in &queries {
        for ((_, memory), times) in stores.iter().zip(&mut warm) {
            times.push(search(memory, query)?);
        }
    }
    let mut paths = Vec::with_capacity(stores.len());
    for (path, memory) in stores {
        memory.close()?;
        paths.push(path);
    }
    print("warm recall, new questions", &sizes, warm, 3.0);
    let mut hooks = vec![Vec::with_capacity(HOOKS); paths.len()];
    let mut floors = Vec::with_capacity(HOOKS);
    for query in queries.iter().take(HOOKS) {
        for (path, times) in paths.iter().zip(&mut hooks) {
            times.push(hook_process(path, query)?.0);
        }
        floors.push(floor_process(&folder.join("floor"))?);
    }
    let hooks = print(
        "a hook: new process, open, append one event durably, context of 10, exit",
        &sizes,
        hooks,
        1.6,
    );
    let floor = Percentiles::of(floors);
    println!("  spawn + 600 bytes + fdatasync {floor}");
    for (size, hook) in sizes.iter().zip(hooks) {
        println!("  {size}: {:.1} times the floor", hook.p50 / floor.p50);
    }
    Ok(())
}

fn search(memory: &Memory, query: &str) -> Result<Duration> {
    let begun = Instant::now();
    let found = memory.search(Query::new(query).limit(10))?;
    let took = begun.elapsed();
    if found.items.is_empty() {
        return Err("a question found nothing".into());
    }
    Ok(took)
}

/// Prints the times of each size, and how many times the first size's time each other size takes.
fn print(what: &str, sizes: &[usize], times: Vec<Vec<Duration>>, goal: f64) -> Vec<Percentiles> {
    println!("{what}");
    let times: Vec<Percentiles> = times.into_iter().map(Percentiles::of).collect();
    for (size, times) in sizes.iter().zip(&times) {
        println!("  {size:>9} events {times}");
    }
    for (size, of_size) in sizes.iter().zip(&times).skip(1) {
        println!(
            "  {size} take {:.2} times the median of {}   (goal: at most {goal})",
            of_size.p50 / times[0].p50,
            sizes[0]
        );
    }
    times
}
