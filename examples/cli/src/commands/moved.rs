//! `projects moved`: a folder that was renamed or moved keeps its project.

use std::path::{Path, PathBuf};

use recallite::scope::project_of;
use serde_json::json;

use super::projects::{Project, projects};
use crate::arguments::{Moved, Place};
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::moved::{keep, moved};
use crate::output::{Line, Look, Output};

/// A project of the store, and the folder that it is in now.
struct Step {
    project: String,
    folder: String,
    sessions: u64,
    events: u64,
    /// The sessions that were stored under the new folder's own name meanwhile.
    under_new_name: u64,
}

pub(crate) fn run(place: &Place, asked: &Moved, output: &mut Output) -> Outcome {
    let (old, new) = folders(asked)?;
    let steps = steps(projects(&place.open_whole()?)?, &old, &new)?;
    let left_behind: u64 = steps.iter().map(|step| step.under_new_name).sum();
    let acts = left_behind == 0 || asked.confirm;
    if acts {
        for step in &steps {
            set(step)?;
        }
    }
    if output.is_json() {
        let items: Vec<_> = steps.iter().map(as_json).collect();
        output.json(&json!({ "items": items, "confirmed": acts }));
    } else {
        for step in &steps {
            show(step, acts, output);
        }
    }
    match acts {
        true => Ok(()),
        false => Err(Failure::Silent(exit::UNCONFIRMED)),
    }
}

/// The paths that are meant, as projects are named. The old one exists no more.
fn folders(asked: &Moved) -> Outcome<(String, String)> {
    let old = std::path::absolute(&asked.old).map_err(|error| Failure::io(&asked.old, &error))?;
    if old.exists() {
        return Err(Failure::usage(format!(
            "OLD: {} is still there; name its project in both folders with `git config \
             recallite.project NAME` before anything is stored, or remove it first",
            old.display()
        )));
    }
    let named = asked.new.as_deref().unwrap_or(Path::new("."));
    let new = named
        .canonicalize()
        .map_err(|error| Failure::io(named, &error))?;
    Ok((name_of(&without_links(&old)), name_of(&new)))
}

/// The path of a folder that does not exist, without links as far as the folder that held it tells.
fn without_links(old: &Path) -> PathBuf {
    let place = old.parent().and_then(|parent| parent.canonicalize().ok());
    match place.zip(old.file_name()) {
        Some((place, name)) => place.join(name),
        None => old.to_owned(),
    }
}

/// A path as a project is named: with `/` between its parts.
fn name_of(path: &Path) -> String {
    let name = path.to_string_lossy();
    match cfg!(windows) {
        true => name.trim_start_matches(r"\\?\").replace('\\', "/"),
        false => name.trim_end_matches('/').to_owned(),
    }
}

/// What is to be done for each project that was in the old folder or below it.
fn steps(stored: Vec<Project>, old: &str, new: &str) -> Outcome<Vec<Step>> {
    let moved = moved();
    let mut steps = Vec::new();
    for project in &stored {
        // What was stored in a moved folder under its own name stays behind.
        if moved.iter().any(|(_, folder)| *folder == project.name) {
            continue;
        }
        // A project that moved before is named by where it was first.
        let own = moved.iter().filter(|(kept, _)| *kept == project.name);
        let kept: Vec<&str> = own.map(|(_, folder)| folder.as_str()).collect();
        let mut places = std::iter::once(project.place(&moved)).chain(kept.iter().copied());
        let Some(below) = places.find_map(|at| below(at, old)) else {
            continue;
        };
        let folder = format!("{new}{below}");
        let mut others = kept.iter().filter(|kept| **kept != folder);
        let is_elsewhere = others.any(|kept| Path::new(kept).is_dir());
        if is_elsewhere || !Path::new(&folder).is_dir() {
            continue;
        }
        let meanwhile = stored.iter().find(|other| other.name == folder);
        steps.push(Step {
            project: project.name.clone(),
            sessions: project.sessions,
            events: project.events,
            under_new_name: meanwhile.map_or(0, |other| other.sessions),
            folder,
        });
    }
    match steps.is_empty() {
        true => Err(Failure::not_found(format!(
            "nothing is stored of a project in {old} whose folder is now in {new}; `recallite \
             projects` lists the projects"
        ))),
        false => Ok(steps),
    }
}

/// What is left of a path behind a folder that it is, or lies in.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let below = path.strip_prefix(folder)?;
    (below.is_empty() || below.starts_with('/')).then_some(below)
}

fn set(step: &Step) -> Outcome {
    let is_kept = || project_of(Path::new(&step.folder)).is_ok_and(|it| it == step.project);
    if is_kept() {
        return Ok(());
    }
    keep(&step.folder, &step.project)?;
    match is_kept() {
        true => Ok(()),
        false => Err(Failure::said(format!(
            "{} belongs to another project all the same: it is in a repository that is named \
             otherwise, or git keeps its configuration in a file that is included by another",
            step.folder
        ))),
    }
}

fn as_json(step: &Step) -> serde_json::Value {
    json!({
        "project": step.project,
        "folder": step.folder,
        "sessions": step.sessions,
        "events": step.events,
        "sessions_under_new_name": step.under_new_name,
    })
}

fn show(step: &Step, acts: bool, output: &mut Output) {
    let Step {
        project, folder, ..
    } = step;
    let sessions = counted(step.sessions, "session", "sessions");
    let events = counted(step.events, "event", "events");
    let line = Line::new();
    output.line(match acts {
        true => line.add(Look::Good, folder).plain(format_args!(
            " keeps the project {project}: {sessions}, {events}"
        )),
        false => line.plain(format_args!(
            "{folder} would keep the project {project}: {sessions}, {events}"
        )),
    });
    if step.under_new_name > 0 {
        let meanwhile = counted(step.under_new_name, "session", "sessions");
        let what = match acts {
            true => "only --all-projects finds them",
            false => "only --all-projects would find them then; repeat with --confirm to do it",
        };
        output.say(format_args!(
            "{meanwhile} stored under the name {folder} meanwhile: {what}"
        ));
    }
}
