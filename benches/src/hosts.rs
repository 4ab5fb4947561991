//! The latencies that a coding agent waits for: each hook of the command `recallite`, and its MCP
//! server, as new processes on a large store, compared with the floor. Also those that a person
//! waits for: the viewer's first page and its API.

mod failing;

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use recallite::{EventKind, Memory, NewEvent, Seq, Timestamp};
use serde_json::{Value, json};

use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::recall::upkeep;
use crate::text::Author;

pub(crate) use failing::hold;

const BATCH: usize = 10_000;
/// How many words of a stored text a prompt repeats.
const PROMPT_WORDS: usize = 8;
/// The default deadline of the hooks that an agent waits for.
const DEADLINE: Duration = Duration::from_millis(300);

/// The hooks of a session, in order.
const HOOKS: [&str; 5] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];
/// The plugin of Claude Code, which defines the arguments of each hook.
const PLUGIN: &str = include_str!("../../examples/cli/plugins/claude-code/hooks/hooks.json");

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let events = arguments.number("events", 100_000)?;
    let rounds = arguments.number("rounds", 200)?.max(1);
    let temporary = tempfile::tempdir()?;
    // A folder given by name is kept and reused as it is.
    let kept = arguments.path("folder").ok();
    let folder = kept.as_deref().unwrap_or(temporary.path());
    let host = Host::new(arguments.path("program")?, folder)?;
    let prompts = host.prompts(events, rounds)?;
    println!("{events} events of 600 bytes; {rounds} sessions, every hook a new process");
    host.hooks(&prompts, &folder.join("floor"))?;
    failing::run(&host, &prompts[..rounds.min(20)])?;
    host.servers(&prompts[..rounds.min(40)])?;
    host.viewer(&prompts[..rounds.min(40)], events)
}

/// An agent that works in one project.
struct Host {
    /// What a program is started through, such as a shell that sets a limit.
    before: Vec<OsString>,
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
            before: Vec::new(),
            program: program
                .canonicalize()
                .map_err(|error| format!("--program {}: {error}", program.display()))?,
            store: folder.join("memory"),
            home,
            work: work.canonicalize()?,
        })
    }

    /// Fills the project's store unless it exists, and returns prompts that repeat words of its
    /// events.
    fn prompts(&self, events: usize, count: usize) -> Result<Vec<String>> {
        let is_filled = self.store.exists();
        let memory = Memory::builder()
            .project(recallite::scope::project_of(&self.work)?)
            .open(&self.store)?;
        let mut author = Author::new(1);
        if !is_filled {
            // A second apart, the last one now, as a person's work would leave them.
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
            let mut spoken = |n: usize| {
                let at = now - (events - n) as i64 * 1_000;
                event(&mut author).timestamp(Timestamp::from_millis_clamped(at))
            };
            for from in (0..events).step_by(BATCH) {
                let batch = (from..events.min(from + BATCH)).map(&mut spoken);
                memory.append_batch(batch.collect::<Vec<_>>())?;
            }
            upkeep(&memory)?;
        }
        (0..count)
            .map(|_| prompt(&memory, &mut author, events))
            .collect()
    }

    /// Whole sessions, one call after another, alternating with the floor.
    fn hooks(&self, prompts: &[String], floor_file: &Path) -> Result<()> {
        let this = std::env::current_exe()?;
        let floor: [&OsStr; 3] = ["floor".as_ref(), "--file".as_ref(), floor_file.as_os_str()];
        let mut floors = Vec::new();
        let mut times: [Vec<Duration>; HOOKS.len()] = Default::default();
        let (mut given, mut late) = (0, 0);
        let plugin: Value = serde_json::from_str(PLUGIN)?;
        for (round, prompt) in prompts.iter().enumerate() {
            floors.push(self.timed(&this, &floor, "")?.0);
            let session = format!("bench-{}-{round}", std::process::id());
            for (event, times) in HOOKS.iter().zip(&mut times) {
                let words = plugin["hooks"][event][0]["hooks"][0]["args"].as_array();
                let words = words.ok_or_else(|| format!("the plugin has no hook {event}"))?;
                let words: Vec<&OsStr> = words
                    .iter()
                    .filter_map(|word| word.as_str().map(OsStr::new))
                    .collect();
                let input = self.input(event, &session, prompt).to_string();
                let (time, said) = self.timed(&self.program, &words, &input)?;
                times.push(time);
                given += usize::from(*event == "UserPromptSubmit" && !said.is_empty());
                late += usize::from(words.len() == 1 && time > DEADLINE);
            }
        }
        let floors = Percentiles::of(floors);
        println!("  spawn + 600 bytes + fdatasync {floors}");
        for (event, times) in HOOKS.iter().zip(times) {
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

    /// The input that Claude Code sends to one of its hooks.
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

    /// How long a process runs from start to exit, and what it prints.
    fn timed(&self, program: &Path, words: &[&OsStr], input: &str) -> Result<(Duration, Vec<u8>)> {
        let begun = Instant::now();
        let mut child = self.start(program, words)?;
        let mut stdin = child.stdin.take().expect("it was asked for as a pipe");
        // The floor reads no input.
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
        let before = self.before.iter().map(OsString::as_os_str);
        let mut all = before.chain([program.as_os_str()]);
        let first = all.next().unwrap_or(program.as_os_str());
        Ok(Command::new(first)
            .args(all)
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

    /// The viewer of this store: the requests that a browser makes for the first page, and each
    /// address of its API, beside their goals.
    fn viewer(&self, prompts: &[String], events: usize) -> Result<()> {
        let mut child = self.start(&self.program, &["view".as_ref(), "--no-browser".as_ref()])?;
        let mut output = BufReader::new(child.stdout.take().expect("it was asked for as a pipe"));
        let mut address = String::new();
        output.read_line(&mut address)?;
        let asked = Viewer::at(address.trim()).and_then(|viewer| viewer.times(prompts, events));
        child.kill()?;
        child.wait()?;
        let times = asked?;
        println!("the viewer; goals: the first page within 1 s, the API within 200 ms");
        for (said, times) in times {
            println!("  {said:<42} {}", Percentiles::of(times));
        }
        Ok(())
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

/// The pipes of a running server.
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

/// A running viewer.
struct Viewer {
    port: u16,
    token: String,
}

impl Viewer {
    /// Connects to the address that it printed.
    fn at(address: &str) -> Result<Viewer> {
        let (port, token) = address
            .strip_prefix("http://127.0.0.1:")
            .and_then(|rest| rest.split_once("/?token="))
            .ok_or_else(|| format!("the viewer printed {address}"))?;
        Ok(Viewer {
            port: port.parse()?,
            token: token.to_owned(),
        })
    }

    fn times(&self, prompts: &[String], events: usize) -> Result<Vec<(String, Vec<Duration>)>> {
        let mut pages = Vec::new();
        let far = format!(
            "/api/events?limit=100&offset={}",
            events.saturating_sub(200)
        );
        let mut addresses = vec![
            "/api/stats".to_owned(),
            "/api/stats/timeline?days=14".to_owned(),
            "/api/sessions?pageSize=6".to_owned(),
            "/api/tasks".to_owned(),
            "/api/events?limit=6".to_owned(),
        ];
        let dashboard = addresses.clone();
        let oldest: Value = serde_json::from_str(&self.body("GET", &far, "")?)?;
        if let Some(citation) = oldest["events"][0]["citation"].as_str() {
            addresses.push(format!("/api/events?limit=100&before={citation}"));
            addresses.push(format!("/api/events/{citation}"));
        }
        addresses.extend([far, "/api/entries".to_owned(), "/api/endless".to_owned()]);
        let mut times: Vec<(String, Vec<Duration>)> = addresses
            .into_iter()
            .map(|address| (address, Vec::new()))
            .collect();
        let mut searches = Vec::new();
        for prompt in prompts {
            let begun = Instant::now();
            let page = self.body("GET", "/", "")?;
            for asset in page.split('"').filter(|part| part.starts_with("/assets/")) {
                self.body("GET", asset, "")?;
            }
            for address in &dashboard {
                self.body("GET", address, "")?;
            }
            pages.push(begun.elapsed());
            for (address, times) in &mut times {
                let begun = Instant::now();
                self.body("GET", address, "")?;
                times.push(begun.elapsed());
            }
            let begun = Instant::now();
            let question = json!({ "query": prompt }).to_string();
            self.body("POST", "/api/search", &question)?;
            searches.push(begun.elapsed());
        }
        times.insert(
            0,
            (
                "the first page, one request after another".to_owned(),
                pages,
            ),
        );
        times.push(("/api/search".to_owned(), searches));
        Ok(times)
    }

    /// The body of a successful response.
    fn body(&self, method: &str, address: &str, body: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let (port, token, length) = (self.port, &self.token, body.len());
        write!(
            stream,
            "{method} {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 200") => Ok(body.to_owned()),
            _ => Err(format!("{address} was answered with {answer}").into()),
        }
    }
}

/// Consecutive words of a stored event.
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
