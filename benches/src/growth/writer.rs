//! The other process: it appends events one after another, and reports the longest append since the
//! last report.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, TryRecvError};
use std::time::{Duration, Instant};

use recallite::{EventKind, NewEvent};

use super::fill;
use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::text::Author;

/// The pause between two appends, so that most CPU time is left to what is measured.
const PAUSE: Duration = Duration::from_millis(5);

/// The appends of the other process since the last report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Appends {
    pub(super) longest_ms: f64,
    pub(super) median_ms: f64,
    pub(super) failed: u64,
}

/// A handle of the other process, which ends when this is dropped.
pub(super) struct Writer {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Writer {
    pub(super) fn start(store: &Path) -> Result<Writer> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["growth-writer", "--store"])
            .arg(store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ask = child.stdin.take().ok_or("the writer has no input")?;
        let answers = child.stdout.take().ok_or("the writer has no output")?;
        let mut writer = Writer {
            child,
            ask,
            answers: BufReader::new(answers),
        };
        // Opening and the first append are not measured.
        writer.ask()?;
        Ok(writer)
    }

    /// The appends since the last call.
    pub(super) fn ask(&mut self) -> Result<Appends> {
        writeln!(self.ask)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut numbers = line.split_whitespace().map(str::parse::<f64>);
        let mut next = || -> Result<f64> { Ok(numbers.next().ok_or("the writer ended")??) };
        Ok(Appends {
            longest_ms: next()?,
            median_ms: next()?,
            failed: next()? as u64,
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // How it ends does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The code of the other process: each line of its input requests a report, and the end of the
/// input ends the process.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let memory = fill::builder().open(arguments.path("store")?)?;
    let (questions, asked) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() || questions.send(()).is_err() {
                break;
            }
        }
    });
    let mut author = Author::new(7);
    let (mut times, mut failed): (Vec<Duration>, u64) = (Vec::new(), 0);
    loop {
        let event = NewEvent::new(EventKind::UserPrompt, "the-other-process", author.text(200))
            .project("other");
        let begun = Instant::now();
        failed += u64::from(memory.append(event).is_err());
        times.push(begun.elapsed());
        std::thread::sleep(PAUSE);
        match asked.try_recv() {
            Ok(()) => {
                let longest = times.iter().max().copied().unwrap_or_default();
                let median = Percentiles::of(std::mem::take(&mut times)).p50;
                println!("{} {median} {failed}", longest.as_secs_f64() * 1e3);
                failed = 0;
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
    }
}
