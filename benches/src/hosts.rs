//! What a coding agent waits for: each hook of the command `recallite`, and its MCP
//! server, as new processes on a large store, beside the floor.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recallite::{EventKind, Memory, NewEvent, Seq};
use serde_json::{Value, json};

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::recall::upkeep;
use crate::text::Author;

const BATCH: usize = 10_000;
/// Words of a stored text that a prompt repeats.
const PROMPT_WORDS: usize = 8;
/// The deadline of the hooks that an agent waits for, unless it is told another.
const DEADLINE: Duration = Duration::from_millis(300);

/// The hooks of a session in their order, with their arguments as the plugin of
/// Claude Code gives them.
const HOOKS: [(&str, &[&str]); 5] = [
    ("SessionStart", &["hook"]),
    ("UserPromptSubmit", &["hook"]),
    ("PostToolUse", &["hook", "--deadline-ms", "5000"]),
    ("Stop", &["hook", "--deadline-ms", "5000"]),
    ("SessionEnd", &["hook", "--deadline-ms", "1200"]),
];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events = arguments.number("events", 100_000)?;
    let rounds = arguments.number("rounds", 200)?.max(1);
    let temporary = tempfile::tempdir()?;
    // A named folder is kept, and used again as it is.
    let kept = arguments.path("folder").ok();
    let folder = kept.as_deref().unwrap_or(temporary.path());
    let host = Host::new(arguments.path("program")?, folder)?;
    let prompts = host.prompts(events, rounds)?;
    println!("{events} events of 600 bytes; {rounds} sessions, every hook a new process");
    host.hooks(&prompts, &folder.join("floor"))?;
    host.servers(&prompts[..rounds.min(40)])
}

/// An agent that works in one project.
struct Host {
    program: PathBuf,
    store: PathBuf,
    home: PathBuf,
    work: PathBuf,
}

impl Host {
    fn new(program: PathBuf, folder: &Path) -> Result<Host> {
        let work = folder.join("work");
        let home = folder.join("home");
        std::fs::create_dir_all(work.join(".git"))?;
        std::fs::create_dir_all(&home)?;
        Ok(Host {
            program: program
                .canonicalize()
                .map_err(|error| format!("--program {}: {error}", program.display()))?,
            store: folder.join("memory"),
            home,
            work: work.canonicalize()?,
        })
    }

    /// Fills the store of the project unless it is there, and gives prompts that
    /// repeat words of its events.
    fn prompts(&self, events: usize, count: usize) -> Result<Vec<String>> {
        let is_filled = self.store.exists();
        let memory = Memory::builder()
            .project(recallite::scope::project_of(&self.work)?)
            .open(&self.store)?;
        let mut author = Author::new(1);
        if !is_filled {
            for from in (0..events).step_by(BATCH) {
                let batch = (from..events.min(from + BATCH)).map(|_| event(&mut author));
                memory.append_batch(batch.collect::<Vec<_>>())?;
            }
            upkeep(&memory)?;
        }
        (0..count)
            .map(|_| prompt(&memory, &mut author, events))
            .collect()
    }

    /// Whole sessions, one call after the other, and the floor between them.
    fn hooks(&self, prompts: &[String], floor_file: &Path) -> Result<()> {
        let this = std::env::current_exe()?;
        let floor: [&OsStr; 3] = ["floor".as_ref(), "--file".as_ref(), floor_file.as_os_str()];
        let mut floors = Vec::new();
        let mut times: [Vec<Duration>; HOOKS.len()] = Default::default();
        let (mut given, mut late) = (0, 0);
        for (round, prompt) in prompts.iter().enumerate() {
            floors.push(self.timed(&this, &floor, "")?.0);
            let session = format!("bench-{}-{round}", std::process::id());
            for ((event, words), times) in HOOKS.iter().zip(&mut times) {
                let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
                let input = self.input(event, &session, prompt).to_string();
                let (time, said) = self.timed(&self.program, &words, &input)?;
                times.push(time);
                given += usize::from(*event == "UserPromptSubmit" && !said.is_empty());
                late += usize::from(words.len() == 1 && time > DEADLINE);
            }
        }
        let floors = Percentiles::of(floors);
        println!("  spawn + 600 bytes + fdatasync {floors}");
        for ((event, _), times) in HOOKS.iter().zip(times) {
            let times = Percentiles::of(times);
            let ratio = times.p50 / floors.p50;
            println!("  {event:<29} {times}   {ratio:>5.1} times the floor");
        }
        println!(
            "  {given} of {} prompts were given context; {late} hooks took longer than {} ms",
            prompts.len(),
            DEADLINE.as_millis()
        );
        Ok(())
    }

    /// What Claude Code says at one of its hooks.
    fn input(&self, event: &str, session: &str, prompt: &str) -> Value {
        json!({
            "session_id": session,
            "transcript_path": self.home.join(".claude/projects/x").join(session),
            "cwd": self.work,
            "hook_event_name": event,
            "source": "startup",
            "prompt": prompt,
            "tool_name": "Bash",
            "tool_use_id": format!("{session}-1"),
            "tool_input": { "command": format!("grep -rn '{prompt}' .") },
            "tool_response": { "stdout": prompt.repeat(10), "stderr": "" },
            "last_assistant_message": prompt.repeat(10),
            "reason": "other",
        })
    }

    /// How long a process takes from its start to its end, and what it printed.
    fn timed(&self, program: &Path, words: &[&OsStr], input: &str) -> Result<(Duration, Vec<u8>)> {
        let begun = Instant::now();
        let mut child = self.start(program, words)?;
        let mut stdin = child.stdin.take().expect("it was asked for as a pipe");
        // The floor reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        let time = begun.elapsed();
        match output.status.success() && output.stderr.is_empty() {
            true => Ok((time, output.stdout)),
            false => Err(format!("{} failed: {output:?}", program.display()).into()),
        }
    }

    fn start(&self, program: &Path, words: &[&OsStr]) -> Result<Child> {
        Ok(Command::new(program)
            .args(words)
            .current_dir(&self.work)
            .env("HOME", &self.home)
            .env_remove("XDG_STATE_HOME")
            .env("RECALLITE_STORE", &self.store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?)
    }

    /// MCP servers, each from its start to its second search.
    fn servers(&self, prompts: &[String]) -> Result<()> {
        let mut times: [Vec<Duration>; 3] = Default::default();
        for prompt in prompts {
            let begun = Instant::now();
            let mut child = self.start(&self.program, &["mcp".as_ref()])?;
            let mut server = Server {
                input: child.stdin.take().expect("it was asked for as a pipe"),
                output: BufReader::new(child.stdout.take().expect("it was asked for as a pipe")),
            };
            server.ask(
                "initialize",
                json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": { "name": "bench", "version": "1" } }),
            )?;
            times[0].push(begun.elapsed());
            server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
            for (times, query) in times[1..].iter_mut().zip([prompt.as_str(), &prompts[0]]) {
                let begun = Instant::now();
                let search = json!({ "name": "search", "arguments": { "query": query } });
                server.ask("tools/call", search)?;
                times.push(begun.elapsed());
            }
            drop(server);
            child.wait()?;
        }
        println!("{} MCP servers on the same store", prompts.len());
        let said = [
            "spawn, handshake answered",
            "the first search",
            "the second",
        ];
        for (said, times) in said.iter().zip(times) {
            println!("  {said:<29} {}", Percentiles::of(times));
        }
        Ok(())
    }
}

/// The pipes of a server that was started.
struct Server {
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(writeln!(self.input, "{message}")?)
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        match answer["result"].is_object() && answer["result"]["isError"] != true {
            true => Ok(()),
            false => Err(format!("{method} was answered with {line}").into()),
        }
    }
}

/// Some words in a row of a stored event.
fn prompt(memory: &Memory, author: &mut Author, events: usize) -> Result<String> {
    let before = Seq(author.below(events) as u64);
    let found = memory.changes_since(before, 1)?;
    let found = found.first().ok_or("--events is more than the store has")?;
    let words: Vec<&str> = found.content.split(' ').collect();
    let from = author.below(words.len().saturating_sub(PROMPT_WORDS).max(1));
    let until = words.len().min(from + PROMPT_WORDS);
    Ok(words[from..until].join(" "))
}

fn event(author: &mut Author) -> NewEvent {
    let text = author.text(600);
    let session = format!("session-{}", author.below(100));
    let kind = match author.below(2) {
        0 => EventKind::UserPrompt,
        _ => EventKind::AgentResponse,
    };
    NewEvent::new(kind, session, text)
}
