//! `recallite`: an agent's memory on the command line.

mod agent_folders;
mod agent_names;
mod agents;
mod arguments;
mod as_json;
mod busy;
mod color;
mod command_line;
mod commands;
mod conversations;
mod disk;
mod dispatch;
mod evidence;
mod exit;
mod failure;
mod fence;
mod files;
mod hook;
mod insights;
mod install;
mod interrupt;
mod lines;
mod mcp;
mod moved;
mod named;
mod notes;
mod output;
mod place;
mod removal;
mod tasks;
mod time;
mod tokens;
mod transcript_lines;
mod typed;
mod view;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};

use arguments::{Arguments, Command};
use output::Output;

fn main() -> ExitCode {
    let begun = Instant::now();
    report_files_that_may_not_grow();
    let parsed = Arguments::command()
        .try_get_matches_from(asked())
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    let (mut arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return not_understood(&error),
    };
    let emptied = arguments.place.leave_out_empty_variables(&matches);
    if let Command::Hook(asked) = &arguments.command {
        if emptied.is_err() {
            return hook::not_understood();
        }
        return hook::run(arguments.place, asked.deadline_ms, begun);
    }
    let mut output = Output::new(arguments.place.json, arguments.place.color);
    let done = emptied
        .and_then(|()| dispatch::run(&arguments, &matches, &mut output))
        .map_err(|failure| typed::in_words_of(failure, &matches));
    let shown = output.flush();
    let code = match done.and(shown) {
        Ok(()) => exit::DONE,
        Err(failure) => failure.report(arguments.place.json, arguments.place.color),
    };
    ExitCode::from(code)
}

/// The arguments. `help --help` asks for help and not about a command of that name.
fn asked() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if let [_, help, flag] = &arguments[..]
        && help == "help"
        && (flag == "--help" || flag == "-h")
    {
        arguments.pop();
    }
    arguments
}

/// Makes a write fail, and be reported, where the system limits file sizes, instead of a signal
/// ending the process.
fn report_files_that_may_not_grow() {
    #[cfg(unix)]
    {
        let seen = std::sync::Arc::default();
        // If it cannot be set, the default action stays.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    }
}

/// Whether invalid arguments were meant for the hook. A mistyped command that only mentions a hook
/// is reported like any other.
fn is_hook() -> bool {
    Arguments::command()
        .ignore_errors(true)
        .try_get_matches()
        .is_ok_and(|matches| matches.subcommand_name() == Some("hook"))
}

/// Help and version are not errors. Invalid arguments never lead to exit code 2, which coding
/// agents take as "block what the user is doing".
fn not_understood(error: &clap::Error) -> ExitCode {
    let is_asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    // A plugin that is newer than this program must not disturb the agent.
    if !is_asked_for && is_hook() {
        return hook::not_understood();
    }
    if !is_asked_for && std::env::args_os().any(|argument| argument == "--json") {
        let message = error.to_string();
        let message = message.trim_start_matches("error: ").trim_end();
        let failure = failure::Failure::usage(message);
        return ExitCode::from(failure.report(true, clap::ColorChoice::Never));
    }
    let _ = error.print();
    ExitCode::from(if is_asked_for {
        exit::DONE
    } else {
        exit::USAGE
    })
}
