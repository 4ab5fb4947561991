//! The commands, one file for each concern. A command opens the store, calls the library and prints
//! the result; it makes no decision that belongs to the library.

mod conditions;
mod config;
mod doctor;
mod endless;
mod export;
mod history;
mod import;
mod knowledge;
mod manual;
mod moved;
mod named;
mod pauses;
mod pins;
mod projects;
mod remember;
mod remove;
mod search;
mod share;
mod show;
mod stats;
mod tasks;
mod upkeep;

pub(crate) use remember::{append_note, notes_session};
pub(crate) use tasks::{
    change as change_task, cited as cited_task, list_blocked, list_open as list_tasks,
    open as open_tasks, text as task_text,
};

use clap::ArgMatches;

use crate::arguments::{Arguments, Command, ProjectAct};
use crate::failure::Outcome;
use crate::output::Output;

/// Runs the command of the arguments; `matches` records where each argument came from.
pub(crate) fn run(arguments: &Arguments, matches: &ArgMatches, output: &mut Output) -> Outcome {
    let place = &arguments.place;
    match &arguments.command {
        Command::Search(asked) => search::search(place, asked, output),
        Command::Show(asked) => show::show(place, asked, output),
        Command::Projects(asked) => match &asked.act {
            Some(ProjectAct::Moved(asked)) => moved::run(place, asked, output),
            None => projects::list(place, &asked.listed, output),
        },
        Command::Timeline(asked) => show::timeline(place, asked, output),
        Command::History(asked) => history::history(place, asked, output),
        Command::Sessions(asked) => history::sessions(place, asked, output),
        Command::Tasks(asked) => tasks::list(place, asked, output),
        Command::Task(act) => tasks::one(place, act, output),
        Command::Blocked => tasks::blocked(place, output),
        Command::Conditions(act) => conditions::run(place, act, output),
        Command::Endless(act) => endless::run(place, act, output),
        Command::Entries(asked) => knowledge::entries(place, asked, output),
        Command::Insights => knowledge::insights(place, output),
        Command::Remember(note) => remember::remember(place, note, output),
        Command::Pin(asked) => pins::pin(place, asked, output),
        Command::Unpin(asked) => pins::unpin(place, asked, output),
        Command::Pinned => pins::pinned(place, output),
        Command::Pause(asked) => pauses::pause(place, asked, output),
        Command::Resume(asked) => pauses::resume(place, asked, output),
        Command::Paused => pauses::paused(place, output),
        Command::Forget(asked) => remove::forget(place, asked, output),
        Command::Erase(asked) => remove::erase(place, asked, output),
        Command::Import(asked) => import::import(place, asked, output),
        Command::Export(asked) => export::export(place, asked, output),
        Command::Restore(asked) => upkeep::restore(place, asked, output),
        Command::Backup { path } => upkeep::backup(place, path, output),
        Command::Share(act) => share::run(place, act, output),
        Command::Check => upkeep::check(place, output),
        Command::Maintain(asked) => upkeep::maintain(place, asked, output),
        Command::Stats => stats::stats(place, output),
        Command::Doctor(asked) => doctor::doctor(place, asked, output),
        Command::Config => config::config(place, matches, output),
        Command::Completions { shell } => manual::completions(*shell, output),
        Command::Man { output: folder } => manual::man(folder.as_deref(), output),
        Command::Install { host } => crate::install::install(place, *host, output),
        Command::Uninstall { host } => crate::install::uninstall(*host, output),
        Command::View(asked) => {
            let settings = config::in_force(place, matches)?;
            crate::view::serve(place, asked, settings, output)
        }
        Command::Mcp => crate::mcp::serve(place),
        // A hook has its own deadline and exit: see `main`.
        Command::Hook(_) => Ok(()),
    }
}
