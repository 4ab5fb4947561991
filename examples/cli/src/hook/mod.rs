//! `recallite hook`: one command for the hooks of all coding agents.
//!
//! It recognises its caller by the input. Standard output is one JSON object or nothing. The agent
//! must never be disturbed: the exit code is always 0, standard error stays empty, and at the
//! deadline the process exits immediately; `doctor` reports failures later.

mod answer;
mod call;
mod known;
mod recall;
mod remember;
mod standing;
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

/// The maximum input, in bytes. Anything larger is neither a person's message nor a tool output
/// worth searching.
const MOST_BYTES: u64 = 16 << 20;
/// Small, because the thread that waits for the deadline does little else.
const WATCH_STACK_BYTES: usize = 256 << 10;

/// Held while the response is printed, and by the thread that ends the process, so that the agent
/// gets a complete response or none.
static OUTPUT: Mutex<()> = Mutex::new(());

/// Runs the hook; never fails, and ends at the deadline.
pub(crate) fn run(place: Place, deadline_ms: u64, begun: Instant) -> ExitCode {
    if std::io::stdin().is_terminal() {
        let said = "`recallite hook` is run by coding agents, with JSON on standard input; set it \
                    up with `recallite install`\n";
        // If nobody reads it, nobody needs it.
        let _ = std::io::stderr().write_all(said.as_bytes());
        return ExitCode::SUCCESS;
    }
    // The user would see a panic message; `doctor` reports it instead.
    std::panic::set_hook(Box::new(|_| {}));
    let until = begun + Duration::from_millis(deadline_ms);
    // The work runs on the main thread: the system allocator grows memory for a second thread page
    // by page.
    let watch = std::thread::Builder::new()
        .name("deadline".to_owned())
        .stack_size(WATCH_STACK_BYTES)
        .spawn(move || end_at(until, deadline_ms));
    if watch.is_err() {
        troubles::note(&Trouble::new("internal", "cannot start a thread"));
        return ExitCode::SUCCESS;
    }
    let done = catch_unwind(AssertUnwindSafe(|| work(&place, until)));
    // Never released: from here on, the deadline must not end the process.
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

/// Ends the process at the deadline, whatever it is doing: a commit is complete or did not happen.
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

/// The arguments are unknown, perhaps because the plugin is newer.
pub(crate) fn not_understood() -> ExitCode {
    troubles::note(&Trouble::new(
        "usage",
        "the hook was called with arguments that this version does not know; update recallite",
    ));
    ExitCode::SUCCESS
}

fn print(answer: &Value) {
    let _whole = lock_output();
    // It is not our failure if the caller is gone.
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
        // An event that we do not handle, or a person at a terminal.
        Err(NotUnderstood::OfNoInterest) => return Ok(()),
        Err(NotUnderstood::Broken(why)) => return Err(Trouble::new("input", why)),
    };
    let settings = |failure: Failure| Trouble::new("settings", failure.message());
    let folder = place.folder().map_err(settings)?;
    let saves = place.setting("features.autoSave").map_err(settings)?;
    // At the end of a session, nobody waits, so there is time for a summary.
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

/// How to open the memory for a call.
struct Opening {
    builder: MemoryBuilder,
    folder: PathBuf,
    /// Whether the event of the call is stored.
    saves: bool,
    /// Whether the call ends a session that gets a summary.
    summarises: bool,
}

/// Recalls first and stores afterwards, so that a prompt does not find itself. The response is
/// printed once the injection is recorded, so that nothing is injected twice.
fn serve(opening: Opening, call: &Call, until: Instant) -> recallite::Result<()> {
    let opened = opening
        .builder
        .project(call.project())
        .busy_timeout_ms(left_ms(until))
        .open(opening.folder)?;
    // Not closed: every commit is durable already, and closing would write and sync several times
    // more.
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
    // A start records its injection itself; that of a prompt is recorded together with the next
    // event.
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
