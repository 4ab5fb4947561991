//! Which function runs which command.

use clap::ArgMatches;

use crate::arguments::{Arguments, Command, ProjectAct};
use crate::commands::{
    conditions, config, doctor, endless, export, history, import, knowledge, manual, moved, pauses,
    pins, projects, remember, remove, search, share, show, stats, tasks, upkeep,
};
use crate::failure::Outcome;
use crate::output::Output;
use crate::{install, mcp, view};

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
        Command::Install { host } => install::install(place, *host, output),
        Command::Uninstall { host } => install::uninstall(*host, output),
        Command::View(asked) => {
            let settings = config::in_force(place, matches)?;
            view::serve(place, asked, settings, output)
        }
        Command::Mcp => mcp::serve(place),
        // A hook has its own deadline and exit: see `main`.
        Command::Hook(_) => Ok(()),
    }
}
