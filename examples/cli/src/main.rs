//! `recallite`: an agent's memory on the command line.

mod agents;
mod arguments;
mod as_json;
mod commands;
mod failure;
mod fence;
mod files;
mod hook;
mod install;
mod lines;
mod mcp;
mod output;
mod place;
mod time;
mod transcript_lines;
mod view;

use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};

use arguments::{Arguments, Command};
use failure::exit;
use output::Output;

fn main() -> ExitCode {
    let begun = Instant::now();
    let parsed = Arguments::command()
        .try_get_matches()
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return not_understood(&error),
    };
    if let Command::Hook(asked) = &arguments.command {
        return hook::run(arguments.place, asked.deadline_ms, begun);
    }
    let mut output = Output::new(arguments.place.json, arguments.place.color);
    let done = commands::run(&arguments, &matches, &mut output);
    let shown = output.flush();
    let code = match done.and(shown) {
        Ok(()) => exit::DONE,
        Err(failure) => failure.report(arguments.place.json, arguments.place.color),
    };
    ExitCode::from(code)
}

/// Help and version are no errors. What was not understood never ends with 2:
/// coding agents take that as "block what the user is doing".
fn not_understood(error: &clap::Error) -> ExitCode {
    let is_asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    // A plugin that is newer than this program must not disturb the agent.
    if !is_asked_for && std::env::args().any(|argument| argument == "hook") {
        return hook::not_understood();
    }
    if !is_asked_for && std::env::args().any(|argument| argument == "--json") {
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
