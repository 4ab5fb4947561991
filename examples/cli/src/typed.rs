//! Errors about an argument of the library, in the words of the command that was typed: nobody can
//! correct an argument that the command does not have.

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// Renames an argument of the library to the one that was typed.
pub(crate) fn in_words_of(failure: Failure, matches: &ArgMatches) -> Failure {
    match failure {
        Failure::Memory(error) => match error.argument().and_then(|name| typed(name, matches)) {
            Some(name) => Failure::Memory(error.with_argument(name)),
            None => Failure::Memory(error),
        },
        failure => failure,
    }
}

/// The option or argument, as the help shows it, that was typed for an argument of the library.
fn typed(name: &str, matches: &ArgMatches) -> Option<String> {
    let known_as: &[&str] = match name {
        "content" | "query" => &["words"],
        "id" | "text" => &["memories", "memory"],
        "name" => &["session"],
        "path" => &["path", "output"],
        "limit" | "min_relevance" | "project" | "session" | "title" => &[name],
        _ => return None,
    };
    let mut command = Arguments::command();
    command.build();
    let (mut command, mut matches) = (&command, matches);
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, below);
    }
    let argument = command.get_arguments().find(|argument| {
        let id = argument.get_id().as_str();
        known_as.contains(&id)
            && matches
                .value_source(id)
                .is_some_and(|source| source != ValueSource::DefaultValue)
    })?;
    Some(match argument.get_long() {
        Some(long) => format!("--{long}"),
        None => argument.to_string(),
    })
}
