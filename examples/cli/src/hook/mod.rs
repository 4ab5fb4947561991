//! `recallite hook`: one command for the hooks of all coding agents.
//!
//! It recognises its caller by the input. Standard output is one JSON object or nothing. The agent
//! must never be disturbed: the exit code is always 0, standard error stays empty, and at the
//! deadline the process exits immediately; `doctor` reports failures later.

mod answer;
mod call;
mod known;
mod open_items;
mod recall;
mod remember;
mod start;
pub(crate) mod troubles;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use recallite::MemoryBuilder;
use recallite::privacy::INEXACT_TAG_WARNING;
use serde_json::Value;

use call::{Call, Moment, NotUnderstood};
use remember::Remembered;
use troubles::Trouble;

use crate::arguments::{DEADLINE_VARIABLE, Place, deadline};
use crate::failure::Failure;
use crate::place::FileSettings;

/// The maximum input, in bytes. Anything larger is neither a person's message nor a tool output
/// worth searching.
const MAX_BYTES: u64 = 16 << 20;
/// After the last answer of a turn, most of the time is for upkeep: another process that holds the
/// store is waited for in this part of it, which is as long as every other hook takes at most.
const WAITING_PERCENT: u32 = 30;
/// Small, because the thread that waits for the deadline does little else.
const WATCH_STACK_BYTES: usize = 256 << 10;

/// Held while the response is printed, and by the thread that ends the process, so that the agent
/// gets a complete response or none.
static OUTPUT: Mutex<()> = Mutex::new(());
/// Whether the store is being opened after the last answer of a turn; see [`WAITING_PERCENT`].
static IS_OPENING_AFTER_TURN: AtomicBool = AtomicBool::new(false);

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
        .spawn(move || end_at(begun, deadline_ms));
    if watch.is_err() {
        troubles::note(&Trouble::new("internal", "cannot start a thread"));
        return ExitCode::SUCCESS;
    }
    let done = catch_unwind(AssertUnwindSafe(|| work(&place, begun, until)));
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
fn end_at(begun: Instant, deadline_ms: u64) {
    let deadline = Duration::from_millis(deadline_ms);
    let mut after = waiting_part(deadline);
    sleep_until(begun + after);
    // An opening may wait for more than one lock.
    if !IS_OPENING_AFTER_TURN.load(Ordering::Acquire) {
        after = deadline;
        sleep_until(begun + after);
    }
    let _last = lock_output();
    troubles::note(&Trouble::of_deadline(after));
    std::process::exit(0);
}

/// The part of a deadline in which another process is waited for after a turn.
fn waiting_part(deadline: Duration) -> Duration {
    deadline * WAITING_PERCENT / 100
}

fn sleep_until(moment: Instant) {
    std::thread::sleep(moment.saturating_duration_since(Instant::now()));
}

fn lock_output() -> MutexGuard<'static, ()> {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The arguments are unknown, perhaps because the plugin is newer, or the value of a variable is
/// wrong.
pub(crate) fn not_understood() -> ExitCode {
    let is_wrong = |value: &OsString| deadline(&value.to_string_lossy()).is_err();
    let is_given =
        std::env::args_os().any(|argument| argument.to_string_lossy().starts_with("--deadline-ms"));
    let trouble = match std::env::var_os(DEADLINE_VARIABLE).is_some_and(|it| is_wrong(&it)) {
        true if !is_given => Trouble::new(
            "settings",
            format!("{DEADLINE_VARIABLE}: must be a whole number of milliseconds"),
        ),
        _ => Trouble::new(
            "usage",
            "the hook was called with arguments that this version does not know; update recallite",
        ),
    };
    troubles::note(&trouble);
    ExitCode::SUCCESS
}

fn print(answer: &Value) {
    let _whole = lock_output();
    // It is not our failure if the caller is gone.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(crate::output::harmless_json(answer).as_bytes());
    let _ = stdout.flush();
}

fn work(place: &Place, begun: Instant, until: Instant) -> Result<(), Trouble> {
    let mut input = Vec::new();
    std::io::stdin()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut input)
        .map_err(|error| Trouble::new("input", error.to_string()))?;
    if input.len() as u64 > MAX_BYTES {
        return Err(Trouble::new(
            "too_long",
            format!("standard input is larger than {MAX_BYTES} bytes"),
        ));
    }
    let mut call = match Call::read(&input) {
        Ok(call) => call,
        // An event that we do not handle, or a prompt that the agent's program wrote.
        Err(NotUnderstood::OfNoInterest) => return Ok(()),
        Err(NotUnderstood::Broken(why)) => return Err(Trouble::new("input", why)),
    };
    troubles::set_caller(&call);
    let wrong = |failure: Failure| Trouble::new("settings", failure.message());
    let settings = place.file_settings().map_err(wrong)?;
    let folder = place.folder_by(&settings).map_err(wrong)?;
    troubles::set_store(&folder);
    // At the end of a session, nobody waits, so there is time for a summary.
    let summarises = call.moment == Moment::End && settings.is("features.sessionSummary", true);
    let opening = Opening {
        builder: place.builder(),
        folder,
        waits_until: match call.ends_turn() {
            true => begun + waiting_part(until - begun),
            false => until,
        },
        saves: !settings.is("features.autoSave", false),
        summarises,
        settings,
    };
    serve(opening, &mut call, until).map_err(|error| Trouble::of(&error))
}

/// How to open the memory for a call.
struct Opening {
    builder: MemoryBuilder,
    folder: PathBuf,
    /// Until when another process that holds the store is waited for.
    waits_until: Instant,
    /// Whether the event of the call is stored.
    saves: bool,
    /// Whether the call ends a session that gets a summary.
    summarises: bool,
    settings: FileSettings,
}

/// Recalls first and stores afterwards, so that a prompt does not find itself. The response is
/// printed once the injection is recorded, so that nothing is injected twice.
fn serve(opening: Opening, call: &mut Call, until: Instant) -> recallite::Result<()> {
    IS_OPENING_AFTER_TURN.store(call.ends_turn(), Ordering::Release);
    let opened = opening
        .builder
        .project(call.project())
        .busy_timeout_ms(left_ms(opening.waits_until))
        .open(opening.folder)
        // The library's name for the folder of the store.
        .map_err(|error| match error.argument() {
            Some("path") => error.with_argument("--store"),
            _ => error,
        })?;
    IS_OPENING_AFTER_TURN.store(false, Ordering::Release);
    // Not closed: every commit is durable already, and closing would write and sync several times
    // more.
    let memory = ManuallyDrop::new(opened);
    call.keep_what_was_said(memory.privacy_filter());
    let call = &*call;
    let mut answer = match &call.moment {
        Moment::Start { source } => start::context(&memory, call, *source)?,
        Moment::Prompt { text } if call.takes_context_with_a_prompt => {
            recall::context(&memory, call, text, &opening.settings, left_ms(until))?
        }
        Moment::Compacting => {
            start::mark_compaction(&memory, call)?;
            String::new()
        }
        _ => String::new(),
    };
    let stored = match opening.saves {
        true => remember::event(&memory, call),
        false => Ok(Remembered::default()),
    };
    // A start records its injection itself; that of a prompt is recorded together with the next
    // event.
    let waits = matches!(call.moment, Moment::Prompt { .. }) && !answer.is_empty();
    let recorded = match &stored {
        Ok(remembered) if remembered.is_stored => Ok(()),
        _ if waits => memory.close(),
        _ => Ok(()),
    };
    if let Ok(remembered) = &stored {
        warn_about(&remembered.warnings, &mut answer);
    }
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

/// Has the agent tell the person what the privacy filter says about a prompt, and `doctor` for the
/// hosts that take no context with it. The text is stored already.
fn warn_about(warnings: &[String], answer: &mut String) {
    for warning in warnings {
        troubles::note(&Trouble::warning(warning));
        if !answer.is_empty() {
            answer.push_str("\n\n");
        }
        let says = match warning == INEXACT_TAG_WARNING {
            true => format!("{warning} The text between such tags was hidden, and is not stored."),
            false => format!("It is stored. {warning} `recallite erase` removes it."),
        };
        answer.push_str(&format!(
            "Tell the user what Recallite says about this prompt: {says}"
        ));
    }
}

fn left_ms(until: Instant) -> u64 {
    let left = until.saturating_duration_since(Instant::now());
    u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
}
