//! Recall in a warm process and in a new one, compared in the same run with SQLite's full-text
//! index over the same text.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use recallite::{ContextOptions, EventKind, MaintainBudget, Memory, NewEvent, Query};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::text::Author;

const QUERIES: usize = 200;
const BATCH: usize = 10_000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events: usize = arguments.number("events", 100_000)?;
    let temporary = tempfile::tempdir()?;
    // A folder given by name is kept and reused as it is.
    let kept = arguments.path("folder").ok();
    let folder = kept.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder)?;
    let store = folder.join("memory");
    let is_filled = store.exists();
    let memory = open(&store)?;
    let sqlite = Connection::open(folder.join("sqlite.db"))?;
    sqlite.execute_batch(
        "pragma journal_mode = wal; pragma synchronous = normal;
         create virtual table if not exists events using fts5(content, session unindexed);",
    )?;
    if !is_filled {
        fill(&memory, &sqlite, events)?;
        upkeep(&memory)?;
    }
    let mut author = Author::new(99);
    let queries: Vec<String> = (0..QUERIES).map(|_| question(&mut author)).collect();
    println!("{events} events of 600 bytes; {QUERIES} questions of about 7 words; best 10");
    // Other questions first: both programs are warm, and no result is cached.
    for _ in 0..QUERIES {
        let query = question(&mut author);
        memory.search(Query::new(query.as_str()))?;
        search_sqlite(&sqlite, &query)?;
    }
    Times::measure(&memory, &sqlite, &queries)?.print();
    if let Some(anonymous) = anonymous_mb() {
        println!(
            "  memory, mapped pages not counted: {anonymous:.0} MB, SQLite included   (goal: at most 60)"
        );
    }
    drop(memory);
    hooks(&store, folder, &queries)
}

/// How long each question takes, asked for the first time and again.
struct Times {
    ours: [Percentiles; 2],
    full_text: [Percentiles; 2],
    /// In one session of a hundred.
    filtered: [Percentiles; 2],
}

impl Times {
    fn measure(memory: &Memory, sqlite: &Connection, queries: &[String]) -> Result<Times> {
        let (mut ours, mut full_text, mut filtered) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..2 {
            let (mut times, mut sqlite_times) = (Vec::new(), Vec::new());
            for query in queries {
                let begun = Instant::now();
                let found = memory.search(Query::new(query.as_str()).limit(10))?;
                times.push(begun.elapsed());
                assert!(!found.items.is_empty(), "a question found nothing");
                let begun = Instant::now();
                search_sqlite(sqlite, query)?;
                sqlite_times.push(begun.elapsed());
            }
            ours.push(Percentiles::of(times));
            full_text.push(Percentiles::of(sqlite_times));
        }
        for _ in 0..2 {
            let mut times = Vec::new();
            for (index, query) in queries.iter().enumerate() {
                let begun = Instant::now();
                let session = format!("session-{}", index % 100);
                memory.search(Query::new(query.as_str()).session(session).limit(10))?;
                times.push(begun.elapsed());
            }
            filtered.push(Percentiles::of(times));
        }
        let pair = |times: Vec<Percentiles>| <[Percentiles; 2]>::try_from(times).ok();
        match (pair(ours), pair(full_text), pair(filtered)) {
            (Some(ours), Some(full_text), Some(filtered)) => Ok(Times {
                ours,
                full_text,
                filtered,
            }),
            _ => Err("two rounds were to be measured".into()),
        }
    }

    fn print(&self) {
        let [new, again] = &self.ours;
        let [full_text_new, full_text_again] = &self.full_text;
        let [filtered_new, filtered_again] = &self.filtered;
        println!("  recallite, hybrid recall      {again}");
        println!("  recallite, new questions      {new}");
        println!("  SQLite FTS5, new questions    {full_text_new}");
        println!("  recallite, one session of 1 % {filtered_again}");
        println!("  the same, first time          {filtered_new}");
        println!("  SQLite FTS5, lexical only     {full_text_again}");
        println!(
            "  ratio of medians {:.1}, with new questions {:.1}   (goal: at least 30)",
            full_text_again.p50 / again.p50,
            full_text_new.p50 / new.p50
        );
        println!(
            "  one session takes {:.2} of the time of all, {:.2} the first time   (goal: less than 1)",
            filtered_again.p50 / again.p50,
            filtered_new.p50 / new.p50
        );
    }
}

/// Asks new questions, in one session if it is given, and does nothing else.
pub(crate) fn questions(arguments: &Arguments) -> Result<()> {
    let memory = open(&arguments.path("store")?)?;
    let (count, skipped) = (
        arguments.number("count", QUERIES)?,
        arguments.number("skip", 0)?,
    );
    let mut author = Author::new(99);
    (0..skipped).for_each(|_| drop(question(&mut author)));
    let mut hash = DefaultHasher::new();
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let query = question(&mut author);
        let mut asked = Query::new(query.as_str()).limit(10);
        if let Ok(session) = arguments.text("session") {
            asked = asked.session(session);
        }
        let begun = Instant::now();
        let found = memory.search(asked)?;
        times.push(begun.elapsed());
        for hit in &found.items {
            (hit.seq.0, hit.passage.start, hit.passage.end).hash(&mut hash);
            (hit.rank_score.to_bits(), hit.relevance.to_bits()).hash(&mut hash);
        }
    }
    let times = Percentiles::of(times);
    println!("{count} questions {times}   found {:016x}", hash.finish());
    if let Some((peak, anonymous)) = peak_mb().zip(anonymous_mb()) {
        println!("resident memory {peak:.0} MB at most, {anonymous:.0} of it anonymous");
    }
    // The accesses are not recorded, so the store stays as it is.
    std::process::exit(0);
}

/// Without the result cache, so that every search is computed.
pub(crate) fn open(store: &Path) -> Result<Memory> {
    Ok(Memory::builder().recall_cache(false).open(store)?)
}

/// The peak resident memory of this process, if the system reports it.
pub(crate) fn peak_mb() -> Option<f64> {
    status_mb("VmHWM:")
}

/// The part of it that is in use now and not backed by a file.
fn anonymous_mb() -> Option<f64> {
    status_mb("RssAnon:")
}

fn status_mb(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}

/// What a hook does: a new process appends one event, asks for a context of ten memories, and
/// exits. The floor is a new process that writes and syncs 600 bytes.
fn hooks(store: &Path, folder: &Path, queries: &[String]) -> Result<()> {
    let floor_file = folder.join("floor");
    let (mut hooks, mut floors, mut anonymous) = (Vec::new(), Vec::new(), 0f64);
    for query in queries.iter().take(60) {
        let (took, told) = hook_process(store, query)?;
        hooks.push(took);
        anonymous = anonymous.max(told["anonymous_mb"].as_f64().unwrap_or(0.0));
        floors.push(floor_process(&floor_file)?);
    }
    let (hooks, floors) = (Percentiles::of(hooks), Percentiles::of(floors));
    println!("a hook: new process, open, append one event durably, context of 10, exit");
    println!("  recallite                     {hooks}");
    println!("  spawn + 600 bytes + fdatasync {floors}");
    println!(
        "  ratio of medians {:.1}   (goal: at most 5)",
        hooks.p50 / floors.p50
    );
    println!("  memory, mapped pages not counted: {anonymous:.0} MB at most   (goal: at most 15)");
    Ok(())
}

/// How long a hook takes as a process of its own, and what it prints.
pub(crate) fn hook_process(store: &Path, query: &str) -> Result<(Duration, Value)> {
    let (took, told) = process(
        "hook",
        &[("--query", query.as_ref()), ("--store", store.as_ref())],
    )?;
    Ok((took, serde_json::from_slice(&told)?))
}

/// How long the floor takes as a process of its own.
pub(crate) fn floor_process(file: &Path) -> Result<Duration> {
    Ok(process("floor", &[("--file", file.as_ref())])?.0)
}

/// How long a part of a bench takes as a process of its own, and what it prints.
fn process(part: &str, options: &[(&str, &OsStr)]) -> Result<(Duration, Vec<u8>)> {
    let mut process = Command::new(std::env::current_exe()?);
    process.arg(part);
    for (name, value) in options {
        process.arg(name).arg(value);
    }
    let begun = Instant::now();
    let ended = process.output()?;
    let took = begun.elapsed();
    if !ended.status.success() {
        return Err(format!("a {part} process failed").into());
    }
    Ok((took, ended.stdout))
}

/// A hook process; it prints how long its steps took and its peak memory.
pub(crate) fn hook(arguments: &Arguments) -> Result<()> {
    let mut last = Instant::now();
    let mut step = || {
        let ms = last.elapsed().as_secs_f64() * 1e3;
        last = Instant::now();
        ms
    };
    let memory = Memory::open(arguments.path("store")?)?;
    let open_ms = step();
    let query = arguments.text("query")?;
    memory.append(NewEvent::new(EventKind::UserPrompt, "hook", query))?;
    let append_ms = step();
    let context = memory.context(ContextOptions::new(query).session("hook").limit(10))?;
    let search_ms = step();
    std::hint::black_box(context);
    let told = json!({ "open_ms": open_ms, "append_ms": append_ms, "search_ms": search_ms,
        "peak_mb": peak_mb(), "anonymous_mb": anonymous_mb() });
    println!("{told}");
    // A hook may exit without closing the store: the commit is durable.
    std::process::exit(0);
}

/// The floor: a process that makes 600 bytes durable.
pub(crate) fn floor(arguments: &Arguments) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(arguments.path("file")?)?;
    file.write_all(&[b'x'; 600])?;
    file.sync_data()?;
    Ok(())
}

fn fill(memory: &Memory, sqlite: &Connection, events: usize) -> Result<()> {
    for batch in batches(events) {
        sqlite.execute_batch("begin")?;
        for event in &batch {
            sqlite.execute(
                "insert into events values (?1, ?2)",
                (&event.content, &event.session),
            )?;
        }
        sqlite.execute_batch("commit")?;
        memory.append_batch(batch)?;
    }
    Ok(())
}

/// The events that a store of this size is filled with.
pub(crate) fn batches(events: usize) -> impl Iterator<Item = Vec<NewEvent>> {
    let mut author = Author::new(1);
    (0..events).step_by(BATCH).map(move |begun| {
        let batch = (begun..events.min(begun + BATCH)).map(|_| {
            let text = author.text(600);
            let session = format!("session-{}", author.below(100));
            let kind = if author.below(2) == 0 {
                EventKind::UserPrompt
            } else {
                EventKind::AgentResponse
            };
            NewEvent::new(kind, session, text)
        });
        batch.collect()
    })
}

/// The maintenance that a host runs when it is idle. SQLite merges its index while it is filled.
pub(crate) fn upkeep(memory: &Memory) -> Result<()> {
    let begun = Instant::now();
    while memory.maintain(MaintainBudget::default())?.has_more {}
    println!(
        "upkeep after filling: {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

pub(crate) fn question(author: &mut Author) -> String {
    (0..7)
        .map(|_| author.word().to_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn search_sqlite(sqlite: &Connection, query: &str) -> Result<usize> {
    let wanted = query
        .split(' ')
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>()
        .join(" OR ");
    let mut statement = sqlite.prepare_cached(
        "select rowid, content from events where events match ?1 order by rank limit 10",
    )?;
    let rows = statement.query_map([wanted], |row| row.get::<_, i64>(0))?;
    Ok(rows.count())
}
