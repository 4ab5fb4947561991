//! The hooks on a store that another process holds in the middle of a write, on a damaged one, on one
//! whose disk is full and on one that may only be read: how long an agent waits for a memory that
//! cannot answer, or cannot store.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use recallite::{ErrorCode, EventKind, Memory, NewEvent};
use serde_json::Value;

use super::{DEADLINE, Host};
use crate::Result;
use crate::append::Percentiles;
use crate::arguments::Arguments;
use crate::growth::copy;
use crate::text::Author;

/// The hooks for which Codex waits, in the order of a session.
const HOOKS: [&str; 4] = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"];
/// The plugin of Codex, which defines the arguments of each hook: it waits for all of them.
const PLUGIN: &str = include_str!("../../../examples/cli/plugins/codex/hooks/hooks.json");
/// How many events the other process writes at once.
const BATCH: usize = 1_000;
/// How often the other process is stopped until it stands in the middle of a write.
const MAX_ATTEMPTS: u32 = 500;
/// How long a write waits for the store to see whether it is held.
const LOOK_MS: u64 = 50;
/// Has no file grow beyond its first blocks.
const FULL: [&str; 3] = ["/bin/sh", "-c", "ulimit -f 4 && exec \"$0\" \"$@\""];
/// Another user.
const NOBODY: [&str; 4] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
];
/// How much of the beginning of each file is overwritten.
const DAMAGED_BYTES: usize = 64 << 10;

pub(super) fn run(host: &Host, prompts: &[String]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let held = host.on_copy(&folder.path().join("held"))?;
    let holder = Holder::start(&held.store)?;
    held.print("a store that another process holds", prompts)?;
    drop(holder);
    let damaged = host.on_copy(&folder.path().join("damaged"))?;
    damage(&damaged.store)?;
    damaged.print("a damaged store", prompts)?;
    let mut full = host.on_copy(&folder.path().join("full"))?;
    full.before = FULL.map(Into::into).to_vec();
    full.print("a store whose disk is full", prompts)?;
    let mut fixed = host.on_copy(&folder.path().join("fixed"))?;
    // Root may write all the same.
    if is_root()? {
        fixed.before = NOBODY.map(Into::into).to_vec();
        change(folder.path(), &["a+x"])?;
    }
    change(&fixed.store, &["-R", "a+rX,a-w"])?;
    let printed = fixed.print("a store that may only be read", prompts);
    change(&fixed.store, &["-R", "u+w"])?;
    printed
}

fn is_root() -> Result<bool> {
    let id = Command::new("id").arg("-u").output()?;
    Ok(id.stdout.trim_ascii() == b"0")
}

/// Changes who may do what with a path.
fn change(path: &Path, words: &[&str]) -> Result<()> {
    match Command::new("chmod").args(words).arg(path).status()? {
        status if status.success() => Ok(()),
        status => Err(format!("chmod {}: {status}", path.display()).into()),
    }
}

impl Host {
    /// The same agent with a copy of its store.
    fn on_copy(&self, store: &Path) -> Result<Host> {
        copy(&self.store, store)?;
        Ok(Host {
            before: Vec::new(),
            program: self.program.clone(),
            store: store.to_owned(),
            home: self.home.clone(),
            work: self.work.clone(),
        })
    }

    /// Times whole sessions. No hook can give context.
    fn print(&self, said: &str, prompts: &[String]) -> Result<()> {
        println!(
            "{said}; {} sessions of the hooks of Codex, whose deadline is {} ms",
            prompts.len(),
            DEADLINE.as_millis()
        );
        let plugin: Value = serde_json::from_str(PLUGIN)?;
        for event in HOOKS {
            let command = plugin["hooks"][event][0]["hooks"][0]["command"].as_str();
            let command = command.ok_or_else(|| format!("the plugin has no hook {event}"))?;
            let words: Vec<&OsStr> = command.split(' ').skip(1).map(OsStr::new).collect();
            let mut times = Vec::new();
            for (round, prompt) in prompts.iter().enumerate() {
                let session = format!("failing-{round}");
                let input = self.input(event, &session, prompt).to_string();
                let (time, answer) = self.timed(&self.program, &words, &input)?;
                if !answer.is_empty() {
                    return Err(format!("{event} was answered").into());
                }
                times.push(time);
            }
            println!("  {event:<29} {}", Percentiles::of(times));
        }
        Ok(())
    }
}

/// A process that stands still in the middle of a write.
struct Holder(Child);

impl Holder {
    fn start(store: &Path) -> Result<Holder> {
        let child = Command::new(std::env::current_exe()?)
            .args(["hosts-holder", "--store"])
            .arg(store)
            .spawn()?;
        let mut holder = Holder(child);
        let memory = Memory::builder().busy_timeout_ms(LOOK_MS).open(store)?;
        for attempt in 0..MAX_ATTEMPTS {
            // Another moment of its write each time.
            std::thread::sleep(Duration::from_millis(u64::from(20 + attempt % 17)));
            holder.signal("-STOP")?;
            match memory.append(NewEvent::new(EventKind::UserPrompt, "look", "Is it held?")) {
                Err(error) if error.code() == ErrorCode::Busy => return Ok(holder),
                result => result?,
            };
            holder.signal("-CONT")?;
            if let Some(status) = holder.0.try_wait()? {
                return Err(format!("the process that writes ended: {status}").into());
            }
        }
        Err("the other process was never stopped in the middle of a write".into())
    }

    fn signal(&self, signal: &str) -> Result<()> {
        let process = self.0.id().to_string();
        match Command::new("kill").args([signal, &process]).status()? {
            status if status.success() => Ok(()),
            status => Err(format!("kill {signal}: {status}").into()),
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // How it ends does not matter.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The code of the other process: it writes until it is killed.
pub(crate) fn hold(arguments: &Arguments) -> Result<()> {
    let memory = Memory::open(arguments.path("store")?)?;
    let mut author = Author::new(3);
    loop {
        let batch = (0..BATCH).map(|_| super::event(&mut author));
        memory.append_batch(batch.collect())?;
    }
}

/// Overwrites the beginning of each file of a store.
fn damage(store: &Path) -> Result<()> {
    for entry in std::fs::read_dir(store)? {
        let path: PathBuf = entry?.path();
        if path.is_file() {
            let mut bytes = std::fs::read(&path)?;
            let end = bytes.len().min(DAMAGED_BYTES);
            bytes[..end].fill(0xA5);
            std::fs::write(&path, bytes)?;
        }
    }
    Ok(())
}
