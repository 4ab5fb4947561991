//! Whole processes, each from start to exit: the latency that a coding agent's hook adds.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::report::{OURS, Report};
use super::{batches, in_turn, percentiles};
use crate::Result;
use crate::processor::of_children;
use crate::recall::question;
use crate::share::bytes_below;
use crate::text::Author;

/// The Python programs, which the interpreter gets as files.
const SCRIPTS: [(&str, &str); 3] = [
    ("common.py", include_str!("../../peers/common.py")),
    (
        "sqlite_vec_hook.py",
        include_str!("../../peers/sqlite_vec_hook.py"),
    ),
    (
        "lancedb_hook.py",
        include_str!("../../peers/lancedb_hook.py"),
    ),
];
/// Those that are a complete memory, with the folder and the description of each.
const PEERS: [(&str, &str, &str); 2] = [
    (
        "sqlite_vec_hook.py",
        "python-sqlite",
        "Python, SQLite FTS5 and sqlite-vec",
    ),
    ("lancedb_hook.py", "python-lancedb", "Python, LanceDB"),
];
/// The steps of a hook whose times a program may report.
const STEPS: [&str; 4] = ["import_ms", "open_ms", "append_ms", "search_ms"];

/// A program that is started repeatedly.
struct Program {
    name: &'static str,
    path: PathBuf,
    words: Vec<String>,
    /// Whether it reports its steps.
    is_hook: bool,
    times: Vec<Duration>,
    on_processor: Duration,
    steps: [f64; STEPS.len()],
}

impl Program {
    fn new(name: &'static str, path: &Path, words: &[&str], is_hook: bool) -> Program {
        Program {
            name,
            path: path.to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            is_hook,
            times: Vec::new(),
            on_processor: Duration::ZERO,
            steps: [0.0; STEPS.len()],
        }
    }

    /// Runs it from start to exit.
    fn run(&mut self, event: &Value) -> Result<()> {
        let input = event.to_string();
        let question = event["content"].as_str().unwrap_or_default();
        let words = self.words.iter().map(|word| match word.as_str() {
            "QUESTION" => question,
            word => word,
        });
        let (begun, before) = (Instant::now(), of_children());
        let mut child = Command::new(&self.path)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().expect("it was asked for as a pipe");
        // Some programs read no input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        self.times.push(begun.elapsed());
        self.on_processor += of_children()
            .zip(before)
            .map_or(Duration::ZERO, |(a, b)| a - b);
        if !output.status.success() {
            return Err(format!("{} failed", self.name).into());
        }
        if self.is_hook {
            let told: Value = serde_json::from_slice(&output.stdout)?;
            if told["found"].as_u64() == Some(0) {
                return Err(format!("{} found nothing", self.name).into());
            }
            for (sum, step) in self.steps.iter_mut().zip(STEPS) {
                *sum += told[step].as_f64().unwrap_or(0.0);
            }
        }
        Ok(())
    }
}

/// The stores of one size, which the programs open in new processes.
pub(crate) struct Processes {
    folder: PathBuf,
    this: PathBuf,
    python: Option<PathBuf>,
}

impl Processes {
    pub(crate) fn new(folder: &Path, python: Option<&Path>) -> Result<Processes> {
        for (name, text) in SCRIPTS {
            std::fs::write(folder.join(name), text)?;
        }
        Ok(Processes {
            folder: folder.to_owned(),
            this: std::env::current_exe()?,
            python: python.map(Path::to_owned),
        })
    }

    fn below(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// Fills the stores of the Python programs with the same events, embedded with Recallite's own
    /// table.
    pub(crate) fn fill(&self, events: usize, payload: u64, report: &mut Report) -> Result<()> {
        let Some(python) = &self.python else {
            println!("--python names no interpreter: recallite's hook alone\n");
            return Ok(());
        };
        let (texts, vectors) = (self.below("events.jsonl"), self.below("vectors.f32"));
        write_events(events, &texts, &vectors)?;
        let mut rows = Vec::new();
        for (script, folder, name) in PEERS {
            let output = Command::new(python)
                .args([self.below(script).as_str(), "fill"])
                .args([self.below(folder), texts.clone(), vectors.clone()])
                .stderr(Stdio::inherit())
                .output()?;
            if !output.status.success() {
                return Err(format!("{name} was not filled").into());
            }
            let told: Value = serde_json::from_slice(&output.stdout)?;
            let seconds = told["seconds"].as_f64().unwrap_or(f64::NAN);
            let bytes = bytes_below(Path::new(&self.below(folder)))?;
            let values = vec![events as f64 / seconds, bytes as f64 / payload as f64];
            rows.push((name.to_owned(), values));
        }
        std::fs::remove_file(texts)?;
        std::fs::remove_file(vectors)?;
        let title = "programs in Python, filled and after upkeep, vectors of 128 floats included";
        report.table(title, &["events/s", "times the payload"], rows);
        Ok(())
    }

    /// A hook: opens the store, appends one event durably, asks for the ten best, exits.
    pub(crate) fn hooks(&self, rounds: usize, report: &mut Report) -> Result<()> {
        let (store, floor) = (self.below("memory"), self.below("floor"));
        let words = ["hook", "--store", &store, "--query", "QUESTION"];
        let mut programs = vec![
            Program::new(OURS, &self.this, &words, true),
            Program::new(
                "a process that writes 600 bytes and syncs them",
                &self.this,
                &["floor", "--file", &floor],
                false,
            ),
        ];
        if let Some(python) = &self.python {
            programs.push(Program::new("python -c 0", python, &["-c", "0"], false));
            for (script, folder, name) in PEERS {
                let words = [&self.below(script), "hook", &self.below(folder)];
                programs.push(Program::new(name, python, &words, true));
            }
        }
        let mut author = Author::new(99);
        for round in 0..rounds {
            let question = question(&mut author);
            let vector = recallite::testing::vectors::static_embedding(&question);
            let event = json!({ "session": "hook", "kind": "user_prompt",
                "content": question, "vector": vector });
            for index in in_turn(round, programs.len()) {
                programs[index].run(&event)?;
            }
        }
        tell(&programs, rounds, report);
        Ok(())
    }

    /// The memory of processes that ask once, and that ask many questions.
    pub(crate) fn memory(&self) -> Result<()> {
        let store = self.below("memory");
        let hook = ["hook", "--store", &store, "--query", "what was decided"];
        let questions = ["questions", "--store", &store, "--count", "200"];
        for words in [&hook[..], &questions[..]] {
            let output = Command::new(&self.this).args(words).output()?;
            if !output.status.success() {
                return Err(format!("recallite-benches {} failed", words[0]).into());
            }
            println!("{}: {}", words[0], String::from_utf8_lossy(&output.stdout));
        }
        Ok(())
    }
}

fn tell(programs: &[Program], rounds: usize, report: &mut Report) {
    let mean = |sum: f64| sum / rounds as f64;
    let rows = programs.iter().map(|program| {
        let mut values = percentiles(program.times.clone());
        values.push(mean(program.on_processor.as_secs_f64() * 1e3));
        (program.name.to_owned(), values)
    });
    let title = "a hook as a whole process: open, append one event, best 10, exit";
    let columns = ["p50 ms", "p99 ms", "mean ms on a processor"];
    report.table(title, &columns, rows.collect());
    let rows = programs.iter().filter(|program| program.is_hook);
    let rows = rows.map(|program| {
        let all: Duration = program.times.iter().sum();
        let told = program.steps.map(mean);
        let rest = mean(all.as_secs_f64() * 1e3) - told.iter().sum::<f64>();
        let mut values = vec![rest];
        values.extend(told);
        (program.name.to_owned(), values)
    });
    let columns = ["start and exit", "import", "open", "append", "search"];
    report.table("the steps of a hook, means in ms", &columns, rows.collect());
}

/// Writes the events as JSON Lines, and their embeddings as one array.
fn write_events(events: usize, texts: &str, vectors: &str) -> Result<()> {
    let mut texts = BufWriter::new(File::create(texts)?);
    let mut vectors = BufWriter::new(File::create(vectors)?);
    for event in batches(events).flatten() {
        let line = json!({ "session": event.session, "kind": event.kind.as_str(),
            "content": event.text });
        writeln!(texts, "{line}")?;
        let vector = recallite::testing::vectors::static_embedding(&event.text)
            .ok_or("a synthetic text has no word of the table")?;
        for number in vector {
            vectors.write_all(&number.to_le_bytes())?;
        }
    }
    texts.flush()?;
    vectors.flush()?;
    Ok(())
}
