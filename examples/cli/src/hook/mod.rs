//! `recallite hook`: one command for the hooks of every coding agent.
//!
//! It knows its caller by what it is given on standard input. Standard output is
//! one JSON object or nothing. Whatever goes wrong, the agent goes on: the exit
//! code is 0, standard error stays empty, and when the deadline is over the
//! process ends as it is; `doctor` tells of it afterwards.

mod answer;
mod call;
mod known;
mod recall;
mod remember;
mod start;
pub(crate) mod troubles;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use recallite::MemoryBuilder;
use serde_json::Value;

use call::{Call, Moment, NotUnderstood};
use troubles::Trouble;

use crate::arguments::Place;
use crate::failure::Failure;

/// How much is read from standard input, in bytes. What is larger is no message
/// of a person, and no answer of a tool that anybody would look for.
const MOST_BYTES: u64 = 16 << 20;
/// The thread that waits for the deadline does little more.
const WATCH_STACK_BYTES: usize = 256 << 10;

/// Held while the answer is printed, and by who ends the process: the agent gets a whole
/// answer or none.
static OUTPUT: Mutex<()> = Mutex::new(());

/// Runs the hook; never fails, and ends at the deadline.
pub(crate) fn run(place: Place, deadline_ms: u64, begun: Instant) -> ExitCode {
    if std::io::stdin().is_terminal() {
        let said = "`recallite hook` is run by coding agents, with JSON on standard input; set it \
                    up with `recallite install`\n";
        // Nobody reads it: then nobody needs it.
        let _ = std::io::stderr().write_all(said.as_bytes());
        return ExitCode::SUCCESS;
    }
    // A panic would be seen by the user; it is told by `doctor` instead.
    std::panic::set_hook(Box::new(|_| {}));
    let until = begun + Duration::from_millis(deadline_ms);
    // The work is done here, not in the other thread: the system's allocator takes memory
    // for a second thread page by page.
    let watch = std::thread::Builder::new()
        .name("deadline".to_owned())
        .stack_size(WATCH_STACK_BYTES)
        .spawn(move || end_at(until, deadline_ms));
    if watch.is_err() {
        troubles::note(&Trouble::new("internal", "cannot start a thread"));
        return ExitCode::SUCCESS;
    }
    let done = catch_unwind(AssertUnwindSafe(|| work(&place, until)));
    // Never given back: from here on the deadline ends nothing.
    std::mem::forget(lock_output());
    match done {
        Ok(Ok(())) => {}
        Ok(Err(trouble)) => troubles::note(&trouble),
        Err(_) => troubles::note(&Trouble::new(
            "internal",
            "the hook panicked; please report it",
        )),
    }
    ExitCode::SUCCESS
}

/// Ends the process at the deadline, whatever it is doing: every commit is whole or was
/// not made.
fn end_at(until: Instant, deadline_ms: u64) {
    std::thread::sleep(until.saturating_duration_since(Instant::now()));
    let _last = lock_output();
    let message = format!("did not finish within {deadline_ms} ms");
    troubles::note(&Trouble::new("deadline", message));
    std::process::exit(0);
}

fn lock_output() -> MutexGuard<'static, ()> {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The arguments were not understood, perhaps because the plugin is newer.
pub(crate) fn not_understood() -> ExitCode {
    troubles::note(&Trouble::new(
        "usage",
        "the hook was called with arguments that this version does not know; update recallite",
    ));
    ExitCode::SUCCESS
}

fn print(answer: &Value) {
    let _whole = lock_output();
    // A caller that went away is no trouble of ours.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(crate::output::harmless_json(answer).as_bytes());
    let _ = stdout.flush();
}

fn work(place: &Place, until: Instant) -> Result<(), Trouble> {
    let mut input = Vec::new();
    std::io::stdin()
        .take(MOST_BYTES + 1)
        .read_to_end(&mut input)
        .map_err(|error| Trouble::new("input", error.to_string()))?;
    if input.len() as u64 > MOST_BYTES {
        return Err(Trouble::new(
            "input",
            format!("standard input is larger than {MOST_BYTES} bytes"),
        ));
    }
    let call = match Call::read(&input) {
        Ok(call) => call,
        // An event that we were not made for, or a person at a terminal.
        Err(NotUnderstood::OfNoInterest) => return Ok(()),
        Err(NotUnderstood::Broken(why)) => return Err(Trouble::new("input", why)),
    };
    let settings = |failure: Failure| Trouble::new("settings", failure.message());
    let folder = place.folder().map_err(settings)?;
    let saves = place.setting("features.autoSave").map_err(settings)?;
    // Nobody waits at the end of a session, and nobody else needs it.
    let summarises = match call.moment {
        Moment::End => place.setting("features.sessionSummary").map_err(settings)?,
        _ => None,
    };
    let opening = Opening {
        builder: place.builder(),
        folder,
        saves: saves != Some(Value::Bool(false)),
        summarises: summarises == Some(Value::Bool(true)),
    };
    serve(opening, &call, until).map_err(|error| Trouble::of_call(&call, &error))
}

/// How the call's memory is opened.
struct Opening {
    builder: MemoryBuilder,
    folder: PathBuf,
    /// Whether what the call tells is stored.
    saves: bool,
    /// Whether the call ends a session that gets a summary.
    summarises: bool,
}

/// Asks first, stores then: what is stored must not be found by itself. The answer is printed
/// when it is recorded as given, so that it is never given again.
fn serve(opening: Opening, call: &Call, until: Instant) -> recallite::Result<()> {
    let opened = opening
        .builder
        .project(call.project())
        .busy_timeout_ms(left_ms(until))
        .open(opening.folder)?;
    // It is left open: whatever was committed is durable, and closing would write and sync
    // several times more.
    let memory = ManuallyDrop::new(opened);
    let answer = match &call.moment {
        Moment::Start { source } => start::context(&memory, call, *source)?,
        Moment::Prompt { text } if call.host.takes_context_with_a_prompt() => {
            recall::context(&memory, call, text, left_ms(until))?
        }
        _ => String::new(),
    };
    let stored = match opening.saves {
        true => remember::event(&memory, call),
        false => Ok(false),
    };
    // A start records by itself what it gives; a prompt leaves that to what is stored next.
    let waits = matches!(call.moment, Moment::Prompt { .. }) && !answer.is_empty();
    let recorded = match &stored {
        Ok(true) => Ok(()),
        _ if waits => memory.close(),
        _ => Ok(()),
    };
    if recorded.is_ok()
        && let Some(answer) = answer::of(call, &answer)
    {
        print(&answer);
    }
    stored?;
    recorded?;
    if opening.saves && opening.summarises {
        remember::summary(&memory, call)?;
    }
    remember::upkeep(&memory, call, until)
}

fn left_ms(until: Instant) -> u64 {
    let left = until.saturating_duration_since(Instant::now());
    u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
}
