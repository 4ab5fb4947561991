//! Reading events, owned and in place, compared in the same run with the bare storage engine
//! reading the same number of bytes.

#![allow(clippy::disallowed_types, reason = "the engine alone is measured")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use recallite::{EventFilter, EventKind, Memory, NewEvent, Seq};
use redb::{Builder, ConcurrencyMode, Database, ReadableDatabase, ReadableTable, TableDefinition};

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::text::Author;

const RAW: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("raw");

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events: usize = arguments.number("events", 20_000)?;
    let reads: usize = arguments.number("reads", 20_000)?;
    let bytes: usize = arguments.number("bytes", 600)?;
    let folder = tempfile::tempdir()?;
    let mut author = Author::new(1);
    let texts: Vec<String> = (0..events).map(|_| author.text(bytes)).collect();
    let memory = Memory::open(folder.path().join("memory"))?;
    for (number, batch) in texts.chunks(1_000).enumerate() {
        let new = |text: &String| {
            NewEvent::new(
                EventKind::UserPrompt,
                format!("session-{number}"),
                text.as_str(),
            )
        };
        memory.append_batch(batch.iter().map(new).collect())?;
    }
    let record_bytes = memory.stats()?.log_bytes as usize / events;
    let raw = raw_store(&folder.path().join("raw.redb"), &texts, record_bytes)?;
    println!("{events} events of {bytes} bytes, {record_bytes} as stored");
    one_by_one(&memory, &raw, events, reads)?;
    all(&memory, &raw, events)
}

/// As many rows of the same size as the log has.
fn raw_store(path: &Path, texts: &[String], record_bytes: usize) -> Result<Database> {
    let mut builder = Builder::new();
    builder.set_concurrency_mode(ConcurrencyMode::MultiWriter);
    let database = builder.create(path)?;
    let transaction = database.begin_write()?;
    {
        let mut table = transaction.open_table(RAW)?;
        for (index, text) in texts.iter().enumerate() {
            let mut row = text.clone().into_bytes();
            row.resize(record_bytes, b' ');
            table.insert(index as u64 + 1, row.as_slice())?;
        }
    }
    transaction.commit()?;
    Ok(database)
}

/// One transaction and one read each, at positions that are far apart.
fn one_by_one(memory: &Memory, raw: &Database, events: usize, reads: usize) -> Result<()> {
    let (mut engine, mut owned, mut view) = (Vec::new(), Vec::new(), Vec::new());
    for read in 0..reads {
        let seq = (read * 7_919 % events) as u64 + 1;
        engine.push(timed(|| {
            let transaction = raw.begin_read()?;
            let table = transaction.open_table(RAW)?;
            let row = ReadableTable::get(&table, seq)?.ok_or("a row is missing")?;
            Ok(row.value().len())
        })?);
        owned.push(timed(|| {
            let event = memory.event(Seq(seq))?.ok_or("an event is missing")?;
            Ok(event.content.len())
        })?);
        view.push(timed(|| {
            let length = memory
                .views()
                .event(Seq(seq), |event| event.content().len())?;
            Ok(length.ok_or("an event is missing")?)
        })?);
    }
    let [engine, owned, view] = [engine, owned, view].map(Percentiles::of);
    println!("{reads} reads by position, a transaction each");
    println!("  engine alone   {engine}");
    for (what, side, goal) in [("owned", owned, 3.0), ("in place", view, 1.5)] {
        let ratio = side.p50 / engine.p50;
        println!("  {what:<14} {side}   {ratio:.2} times   (goal: {goal})");
    }
    Ok(())
}

/// Reads everything in order, five times each, alternating; the medians count.
fn all(memory: &Memory, raw: &Database, events: usize) -> Result<()> {
    let (mut engine, mut owned, mut view) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        engine.push(timed(|| {
            let table = raw.begin_read()?.open_table(RAW)?;
            let mut length = 0;
            for row in ReadableTable::iter(&table)? {
                length += row?.1.value().len();
            }
            Ok(length)
        })?);
        owned.push(timed(|| {
            let mut length = 0;
            for event in memory.events(EventFilter::new())? {
                length += event?.content.len();
            }
            Ok(length)
        })?);
        view.push(timed(|| {
            let mut length = 0;
            memory.views().scan(&EventFilter::new(), |event| {
                length += event.content().len();
                ControlFlow::Continue(())
            })?;
            Ok(length)
        })?);
    }
    let micros = |times: Vec<Duration>| Percentiles::of(times).p50 * 1e3 / events as f64;
    let [engine, owned, view] = [engine, owned, view].map(micros);
    println!("all events in order, each");
    println!("  engine alone   {engine:>8.2} us");
    println!(
        "  owned          {owned:>8.2} us   {:.2} times",
        owned / engine
    );
    println!(
        "  in place       {view:>8.2} us   {:.2} times",
        view / engine
    );
    Ok(())
}

fn timed(read: impl FnOnce() -> Result<usize>) -> Result<Duration> {
    let begun = Instant::now();
    black_box(read()?);
    Ok(begun.elapsed())
}
