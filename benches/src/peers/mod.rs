//! Compares Recallite with its alternatives over the same synthetic text, alternating, so that a
//! slowdown of the machine affects all of them.

mod processes;
mod report;
mod sides;
#[cfg(feature = "peers")]
mod tantivy;

use std::path::Path;
use std::time::{Duration, Instant};

use recallite::EventKind;

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::processor::ProcessorTime;
use crate::recall::question;
use crate::share::bytes_below;
use crate::text::Author;
use report::Report;

const BATCH: usize = 10_000;
const EVENT_BYTES: usize = 600;
const QUESTIONS: usize = 200;
/// How many questions are asked before time is measured.
const WARMING: usize = 50;

/// An event as every program gets it.
pub(crate) struct Event {
    session: String,
    kind: EventKind,
    text: String,
}

/// A program to compare; Recallite is one of them.
pub(crate) trait Peer {
    fn name(&self) -> &'static str;

    /// Stores events durably in one transaction.
    fn append(&mut self, events: &[Event]) -> Result<()>;

    /// The maintenance that a host runs when it is idle.
    fn upkeep(&mut self) -> Result<()> {
        Ok(())
    }

    /// Frees the space that it does not need.
    fn compact(&mut self) -> Result<()> {
        Ok(())
    }

    /// How many of the ten best texts it returns for a question; `None` if it is not queried.
    fn search(&mut self, _question: &str) -> Result<Option<usize>> {
        Ok(None)
    }

    /// Its disk usage by part, in bytes, if it reports that.
    fn parts(&self) -> Result<Vec<(String, u64)>> {
        Ok(Vec::new())
    }

    /// The folder that contains its files and nothing else.
    fn folder(&self) -> &Path;
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes = arguments.numbers("events", "10000,100000")?;
    let single = arguments.number("single", 300)?;
    let rounds = arguments.number("rounds", 40)?;
    let python = arguments.path("python").ok();
    let mut report = Report::default();
    for events in sizes {
        report.begin(events);
        let folder = tempfile::tempdir()?;
        let mut peers = sides::all(folder.path())?;
        let payload = fill(&mut peers, events, &mut report)?;
        sizes_on_disk("as filled", &peers, payload, &mut report)?;
        upkeep(&mut peers, &mut report)?;
        sizes_on_disk("after upkeep", &peers, payload, &mut report)?;
        recall(&mut peers, &mut report)?;
        append_single(&mut peers, single, &mut report)?;
        for peer in &mut peers {
            peer.compact()?;
        }
        sizes_on_disk("compacted", &peers, payload, &mut report)?;
        parts(&peers, payload, &mut report)?;
        // New processes must have the store to themselves, as a hook does.
        drop(peers);
        let processes = processes::Processes::new(folder.path(), python.as_deref())?;
        processes.fill(events, payload, &mut report)?;
        processes.hooks(rounds, &mut report)?;
        processes.memory()?;
    }
    match arguments.path("csv") {
        Ok(file) => report.write(&file),
        Err(_) => Ok(()),
    }
}

/// The events of a run, in batches, the same in every run.
pub(crate) fn batches(events: usize) -> impl Iterator<Item = Vec<Event>> {
    let mut author = Author::new(1);
    (0..events).step_by(BATCH).map(move |first| {
        (first..events.min(first + BATCH))
            .map(|_| event(&mut author))
            .collect()
    })
}

fn event(author: &mut Author) -> Event {
    let text = author.text(EVENT_BYTES);
    let session = format!("session-{}", author.below(100));
    let kind = match author.below(2) {
        0 => EventKind::UserPrompt,
        _ => EventKind::AgentResponse,
    };
    Event {
        session,
        kind,
        text,
    }
}

/// Gives every program the same events and returns the size of their texts in bytes.
fn fill(peers: &mut [Box<dyn Peer>], events: usize, report: &mut Report) -> Result<u64> {
    let mut times = vec![Spent::default(); peers.len()];
    let mut payload = 0;
    for (number, batch) in batches(events).enumerate() {
        payload += batch
            .iter()
            .map(|event| event.text.len() as u64)
            .sum::<u64>();
        for index in in_turn(number, peers.len()) {
            times[index].add(ProcessorTime::elapsed_of_process, || {
                peers[index].append(&batch)
            })?;
        }
    }
    let rows = peers.iter().zip(&times).map(|(peer, time)| {
        let rate = events as f64 / time.clock.as_secs_f64();
        let on_processor = time.processor.as_secs_f64() * 1e6 / events as f64;
        (peer.name().to_owned(), vec![rate, on_processor])
    });
    let title = format!("append, {BATCH} in a transaction");
    let columns = ["events/s", "µs of an event on a processor"];
    report.table(&title, &columns, rows.collect());
    Ok(payload)
}

fn upkeep(peers: &mut [Box<dyn Peer>], report: &mut Report) -> Result<()> {
    let mut rows = Vec::new();
    for peer in peers {
        let begun = Instant::now();
        peer.upkeep()?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        rows.push((peer.name().to_owned(), vec![ms]));
    }
    report.table("upkeep after filling", &["ms"], rows);
    Ok(())
}

/// Asks each question once, with warm caches.
fn recall(peers: &mut [Box<dyn Peer>], report: &mut Report) -> Result<()> {
    let mut author = Author::new(99);
    let mut times = vec![Vec::new(); peers.len()];
    let mut hits = vec![0; peers.len()];
    for number in 0..WARMING + QUESTIONS {
        let question = question(&mut author);
        for index in in_turn(number, peers.len()) {
            let mut found = None;
            let mut spent = Spent::default();
            spent.add(ProcessorTime::elapsed, || {
                found = peers[index].search(&question)?;
                Ok(())
            })?;
            if let Some(count) = found {
                hits[index] += count;
                if number >= WARMING {
                    times[index].push(spent);
                }
            }
        }
    }
    let silent = (0..peers.len()).find(|index| !times[*index].is_empty() && hits[*index] == 0);
    if let Some(index) = silent {
        return Err(format!("{} found nothing at all", peers[index].name()).into());
    }
    let rows = peers
        .iter()
        .zip(times)
        .filter(|(_, times)| !times.is_empty());
    let rows = rows.map(|(peer, times)| {
        let mut values = percentiles(times.iter().map(|time| time.clock).collect());
        let on_processor = times.iter().map(|time| time.processor).collect();
        values.push(Percentiles::of(on_processor).p50);
        (peer.name().to_owned(), values)
    });
    let title = "warm recall, new questions of 7 words, best 10";
    let columns = ["p50 ms", "p99 ms", "p50 ms on a processor"];
    report.table(title, &columns, rows.collect());
    Ok(())
}

/// Appends one event per transaction to the filled stores.
fn append_single(peers: &mut [Box<dyn Peer>], count: usize, report: &mut Report) -> Result<()> {
    let mut author = Author::new(7);
    let mut times = vec![Vec::new(); peers.len()];
    for number in 0..count {
        let event = [event(&mut author)];
        for index in in_turn(number, peers.len()) {
            let begun = Instant::now();
            peers[index].append(&event)?;
            times[index].push(begun.elapsed());
        }
    }
    let rows = peers.iter().zip(times);
    let rows = rows.map(|(peer, times)| (peer.name().to_owned(), percentiles(times)));
    let title = "append of one event";
    report.table(title, &["p50 ms", "p99 ms"], rows.collect());
    Ok(())
}

fn sizes_on_disk(
    when: &str,
    peers: &[Box<dyn Peer>],
    payload: u64,
    report: &mut Report,
) -> Result<()> {
    let mut rows = Vec::new();
    for peer in peers {
        let share = bytes_below(peer.folder())? as f64 / payload as f64;
        rows.push((peer.name().to_owned(), vec![share]));
    }
    let title = format!("bytes on disk, {when}");
    report.table(&title, &["times the payload"], rows);
    Ok(())
}

fn parts(peers: &[Box<dyn Peer>], payload: u64, report: &mut Report) -> Result<()> {
    let mut rows = Vec::new();
    for peer in peers {
        let shares = peer.parts()?;
        rows.extend(shares.into_iter().map(|(part, bytes)| {
            let name = format!("{}: {part}", peer.name());
            (name, vec![bytes as f64 / payload as f64])
        }));
    }
    let title = "bytes on disk by part, compacted";
    report.table(title, &["times the payload"], rows);
    Ok(())
}

/// The wall time and CPU time of some work.
#[derive(Clone, Copy, Default)]
struct Spent {
    clock: Duration,
    processor: Duration,
}

impl Spent {
    /// Adds the cost of `work`; `elapsed` determines whose CPU time counts.
    fn add(
        &mut self,
        elapsed: fn(ProcessorTime) -> Option<Duration>,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let (processor, begun) = (ProcessorTime::now(), Instant::now());
        work()?;
        self.clock += begun.elapsed();
        self.processor += processor.and_then(elapsed).unwrap_or_default();
        Ok(())
    }
}

/// The numbers below `count`, rotated to begin with another one each time.
fn in_turn(first: usize, count: usize) -> impl Iterator<Item = usize> {
    (first..first + count).map(move |index| index % count)
}

fn percentiles(times: Vec<Duration>) -> Vec<f64> {
    let times = Percentiles::of(times);
    vec![times.p50, times.p99]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_finds_what_it_was_given_before_and_after_upkeep() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = sides::all(folder.path()).unwrap();
        let mut events: Vec<Event> = batches(50).flatten().collect();
        events[17].text.push_str(" zqmarker");
        for peer in &mut peers {
            peer.append(&events).unwrap();
            peer.upkeep().unwrap();
            let found = peer.search("zqmarker").unwrap();
            assert!(found.is_none_or(|found| found >= 1), "{}", peer.name());
            peer.append(&events[17..18]).unwrap();
            peer.compact().unwrap();
            let found = peer.search("zqmarker").unwrap();
            assert!(found.is_none_or(|found| found >= 1), "{}", peer.name());
            let parts: u64 = peer.parts().unwrap().iter().map(|(_, bytes)| bytes).sum();
            assert!(
                parts <= bytes_below(peer.folder()).unwrap(),
                "{}",
                peer.name()
            );
        }
    }
}
