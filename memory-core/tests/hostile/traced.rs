//! Kills, stops and fails the victim at every file operation it makes.
//!
//! strace counts the victim's file operations and injects a fault at the one that a case names. A
//! test runs a few cases, `RECALLITE_TEST_CASES=all` runs all.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::verdict::{Heard, Verdict, judge, meanwhile};
use crate::victim::{BEGIN, END, OPERATION, OPERATIONS, Operation, PLACE, Place, Template};

/// System calls that change files. Those that a machine lacks are skipped.
const CHANGES: [&str; 17] = [
    "pwrite64",
    "write",
    "fdatasync",
    "fsync",
    "ftruncate",
    "fallocate",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "openat",
    "mkdir",
    "mkdirat",
    "copy_file_range",
    "sendfile",
    "linkat",
];
/// System calls that read, which can also fail.
const READS: [&str; 2] = ["pread64", "read"];

/// With this many additional vectors, the store's vectors are flushed to a file.
pub const MANY_VECTORS: usize = 2_000;

/// A victim that takes longer than this is considered hung.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Kill,
    Stop,
    Fail { error: &'static str, for_ever: bool },
}

const HARMS: [Harm; 6] = [
    Harm::Kill,
    Harm::Stop,
    Harm::Fail {
        error: "EIO",
        for_ever: false,
    },
    Harm::Fail {
        error: "EIO",
        for_ever: true,
    },
    Harm::Fail {
        error: "ENOSPC",
        for_ever: false,
    },
    Harm::Fail {
        error: "ENOSPC",
        for_ever: true,
    },
];

impl Harm {
    fn calls(self) -> Vec<&'static str> {
        match self {
            Harm::Fail { error: "EIO", .. } => [CHANGES.as_slice(), &READS].concat(),
            _ => CHANGES.to_vec(),
        }
    }

    /// The arguments of strace, which counts each system call separately.
    fn injections(self, moment: &Moment) -> Vec<String> {
        let name = &moment.call;
        let at = moment.before.get(name).copied().unwrap_or(0) + 1;
        match self {
            Harm::Kill => vec![format!("{name}:signal=SIGKILL:when={at}")],
            Harm::Stop => vec![format!("{name}:signal=SIGSTOP:when={at}")],
            Harm::Fail {
                error,
                for_ever: false,
            } => vec![format!("{name}:error={error}:when={at}")],
            Harm::Fail { error, .. } => self
                .calls()
                .iter()
                .map(|call| {
                    let from = moment.before.get(*call).copied().unwrap_or(0) + 1;
                    format!("?{call}:error={error}:when={from}+")
                })
                .collect(),
        }
    }

    fn title(self) -> String {
        match self {
            Harm::Kill => "killed".into(),
            Harm::Stop => "stopped and resumed".into(),
            Harm::Fail {
                error,
                for_ever: false,
            } => format!("{error} once"),
            Harm::Fail {
                error,
                for_ever: true,
            } => format!("{error} for ever"),
        }
    }
}

/// A file operation of the victim: its number among all, its name, and the number of earlier ones
/// per name.
#[derive(Clone, Debug)]
struct Moment {
    number: usize,
    call: String,
    before: HashMap<String, usize>,
}

/// A victim running under strace.
struct Traced {
    child: Child,
    log: PathBuf,
    lines: std::thread::JoinHandle<Vec<String>>,
    complaints: std::thread::JoinHandle<String>,
    pid: std::sync::mpsc::Receiver<String>,
}

impl Traced {
    fn start(
        operation: &Operation,
        place: &Place,
        calls: &[&str],
        injections: &[String],
    ) -> Traced {
        let log = place.0.join("strace.log");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "--seccomp-bpf", "-o"]).arg(&log);
        // A system call that a machine lacks is skipped.
        command.args(["-e", &format!("trace=?{}", calls.join(",?"))]);
        for injection in injections {
            command.args(["-e", &format!("inject={injection}")]);
        }
        let mut child = command
            .arg(std::env::current_exe().unwrap())
            .args([
                "victim::victim",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(OPERATION, operation.name)
            .env(PLACE, &place.0)
            // Cargo sets it, and the loader would try a hundred paths.
            .env_remove("LD_LIBRARY_PATH")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let (send, pid) = std::sync::mpsc::channel();
        let lines = std::thread::spawn(move || {
            let mut said = Vec::new();
            for line in stdout.lines().map_while(Result::ok) {
                let Some(line) = line.strip_prefix("| ") else {
                    continue;
                };
                match line.strip_prefix("pid ") {
                    Some(pid) => drop(send.send(pid.to_owned())),
                    None => said.push(line.to_owned()),
                }
            }
            said
        });
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Traced {
            child,
            log,
            lines,
            complaints,
            pid,
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until the victim is stopped; false if it ended before.
    fn stands_still(&mut self) -> Result<bool, String> {
        let begun = Instant::now();
        loop {
            if self.log().contains("stopped by SIGSTOP") {
                return Ok(true);
            }
            if self.child.try_wait().unwrap().is_some() {
                return Ok(false);
            }
            if begun.elapsed() > PATIENCE {
                return Err("the victim hangs before it is stopped".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn resume(&self) {
        let pid = self.pid.recv_timeout(PATIENCE).unwrap();
        let status = Command::new("kill").args(["-CONT", &pid]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end, and collects the victim's reports.
    fn end(mut self, heard: &mut Heard) -> Verdict {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if begun.elapsed() > PATIENCE {
                if let Ok(pid) = self.pid.try_recv() {
                    let _ = Command::new("kill").args(["-KILL", &pid]).status();
                }
                let _ = self.child.kill();
                return Err("the victim hangs".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        for line in self.lines.join().unwrap() {
            heard.hear(&line);
        }
        let complaints = self.complaints.join().unwrap();
        match complaints.lines().find(|line| line.contains("panicked at")) {
            None => Ok(()),
            Some(line) => {
                let why = complaints.lines().skip_while(|l| *l != line).nth(1);
                Err(format!("{line} {}", why.unwrap_or_default()))
            }
        }
    }
}

/// The file operations between the markers.
fn moments_of(
    operation: &Operation,
    template: &Template,
    scratch: &Path,
    calls: &[&str],
) -> Vec<Moment> {
    let place = copy(template, scratch);
    let mut heard = Heard::default();
    let traced = Traced::start(operation, &place, calls, &[]);
    let log = traced.log.clone();
    traced.end(&mut heard).unwrap();
    assert_eq!(
        heard.end.as_deref(),
        Some("ended well"),
        "{}",
        operation.name
    );
    let text = fs::read_to_string(log).unwrap();
    let thread = text
        .lines()
        .find(|line| line.contains(BEGIN))
        .and_then(|line| line.split_whitespace().next())
        .unwrap();
    let (mut between, mut found, mut before) = (false, Vec::new(), HashMap::new());
    let mine = text.lines().filter_map(|line| line.strip_prefix(thread));
    for line in mine
        .map(str::trim_start)
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
    {
        let call = line.split('(').next().unwrap_or_default().to_owned();
        match (line.contains(BEGIN), line.contains(END)) {
            (true, _) => between = true,
            (_, true) => between = false,
            _ if between => found.push(Moment {
                number: found.len() + 1,
                call: call.clone(),
                before: before.clone(),
            }),
            _ => {}
        }
        *before.entry(call).or_insert(0) += 1;
    }
    fs::remove_dir_all(&place.0).unwrap();
    found
}

static COPIES: AtomicUsize = AtomicUsize::new(0);

fn copy(template: &Template, scratch: &Path) -> Place {
    fn folder(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            let target = to.join(entry.file_name());
            match entry.path().is_dir() {
                true => folder(&entry.path(), &target),
                false => drop(fs::copy(entry.path(), target).unwrap()),
            }
        }
    }
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let to = scratch.join(format!("case-{number}"));
    folder(&template.place.0, &to);
    Place(to)
}

fn try_case(
    operation: &Operation,
    template: &Template,
    place: &Place,
    harm: Harm,
    moment: &Moment,
) -> Verdict {
    let mut heard = Heard::default();
    let mut traced = Traced::start(operation, place, &harm.calls(), &harm.injections(moment));
    if harm == Harm::Stop && traced.stands_still()? {
        let folder = (operation.store)(place);
        let met = meanwhile(place, &folder, &mut heard);
        traced.resume();
        met?;
    }
    traced.end(&mut heard)?;
    let end = heard.end.clone();
    match (harm, end.as_deref()) {
        (Harm::Kill, _) | (_, Some("ended well")) => {}
        (Harm::Stop, Some(end)) => {
            let was_filled =
                operation.name == "restore_jsonl" && end.starts_with("error already_exists");
            if !was_filled && !end.starts_with("error busy") {
                return Err(format!("after it was resumed: {end}"));
            }
        }
        (Harm::Fail { for_ever, .. }, Some(end)) => {
            let known = ["io", "full", "needs_reopen", "busy"];
            let code = end.split(' ').nth(1).unwrap_or_default();
            if !known.contains(&code) {
                return Err(format!("the error is not clear: {end}"));
            }
            if code == "needs_reopen" && !end.contains("open the store again") {
                return Err(format!("the error does not say what to do: {end}"));
            }
            if !for_ever && heard.healing.as_deref() != Some("healed") {
                return Err(format!("{end}; opened again: {:?}", heard.healing));
            }
        }
        (_, None) => return Err("the victim ended without a word".into()),
    }
    judge(operation, template, place, &heard)
}

/// SplitMix64, to choose the cases of a short run.
fn chosen(seed: u64, of: usize) -> usize {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) % of.max(1) as u64) as usize
}

/// A number that depends on the name.
fn name_sum(name: &str) -> usize {
    name.bytes().map(usize::from).sum()
}

struct Plan {
    seed: u64,
    /// Cases per operation and kind of fault; `None`: all.
    cases: Option<usize>,
    /// Whether no particular run was requested.
    is_short: bool,
    /// Only operations and faults whose names contain this.
    only: String,
}

impl Plan {
    fn from_environment() -> Plan {
        let text = |name: &str| std::env::var(name).ok();
        let clock = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
        Plan {
            seed: text("RECALLITE_TEST_SEED").map_or(clock, |seed| seed.parse().unwrap()),
            cases: match text("RECALLITE_TEST_CASES").as_deref() {
                None => Some(1),
                Some("all") => None,
                Some(number) => Some(number.parse().unwrap()),
            },
            is_short: text("RECALLITE_TEST_CASES")
                .or(text("RECALLITE_TEST_ONLY"))
                .is_none(),
            only: text("RECALLITE_TEST_ONLY").unwrap_or_default(),
        }
    }

    fn take(&self, name: &str, harm: Harm, all: Vec<Moment>) -> Vec<Moment> {
        let Some(cases) = self.cases else {
            return all;
        };
        let title = harm.title();
        let mix = name.bytes().chain(title.bytes());
        let seed = mix.fold(self.seed, |seed, byte| {
            seed.wrapping_mul(31) + u64::from(byte)
        });
        let mut all = all;
        let mut taken: Vec<_> = (0..cases.min(all.len()) as u64)
            .map(|number| all.swap_remove(chosen(seed.wrapping_add(number), all.len())))
            .collect();
        taken.sort_by_key(|moment: &Moment| moment.number);
        taken
    }
}

#[test]
fn at_every_file_operation_a_process_may_be_killed_stopped_or_starved() {
    let can_trace = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !can_trace {
        println!("skipped: strace is missing or may not trace here");
        return;
    }
    let plan = Plan::from_environment();
    println!("RECALLITE_TEST_SEED={}", plan.seed);
    let scratch = tempfile::tempdir().unwrap();
    let templates = [("template", 0), ("vectors", MANY_VECTORS)].map(|(name, vectors)| {
        let folder = scratch.path().join(name);
        fs::create_dir(&folder).unwrap();
        Template::make(&folder, vectors)
    });
    let mut findings = Vec::new();
    for operation in &OPERATIONS {
        let template = &templates[usize::from(operation.has_many_vectors)];
        for (at, harm) in HARMS.into_iter().enumerate() {
            // A short run uses two of the six faults, chosen by the seed.
            let mix = plan
                .seed
                .wrapping_add((name_sum(operation.name) + at) as u64);
            if plan.is_short && !mix.is_multiple_of(3) {
                continue;
            }
            // While the victim is stopped, nobody else can open a store that it owns exclusively.
            if harm == Harm::Stop && operation.is_exclusive {
                continue;
            }
            let title = format!("{} {}", operation.name, harm.title());
            if title.contains(&plan.only) {
                findings.extend(try_harm(&plan, operation, template, scratch.path(), harm));
            }
        }
    }
    assert!(
        findings.is_empty(),
        "{} findings:\n{}",
        findings.len(),
        findings.join("\n")
    );
}

/// Runs all cases of one fault and operation, on as many threads as there are cores.
fn try_harm(
    plan: &Plan,
    operation: &Operation,
    template: &Template,
    scratch: &Path,
    harm: Harm,
) -> Vec<String> {
    let all = moments_of(operation, template, scratch, &harm.calls());
    let (name, title, of) = (operation.name, harm.title(), all.len());
    assert!(of > 0, "{name} does nothing to files");
    let cases = plan.take(name, harm, all);
    let next = AtomicUsize::new(0);
    let findings = Mutex::new(Vec::new());
    let worker = || {
        while let Some(moment) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = copy(template, scratch);
            let tried =
                std::panic::catch_unwind(|| try_case(operation, template, &place, harm, moment));
            let tried = tried.unwrap_or_else(|_| Err("the verdict panicked".into()));
            if let Err(why) = tried {
                let line = format!(
                    "{name}, {title} at {} ({}): {why}",
                    moment.number, moment.call
                );
                println!("finding: {line}");
                findings.lock().unwrap().push(line);
            }
            let _ = fs::remove_dir_all(&place.0);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(cases.len()) {
            scope.spawn(worker);
        }
    });
    let findings = findings.into_inner().unwrap();
    println!(
        "{name}: {title} at {} of {of} file operations, {} findings",
        cases.len(),
        findings.len()
    );
    findings
}
