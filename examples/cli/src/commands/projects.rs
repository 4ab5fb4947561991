//! `projects`: what is stored of which project.

use std::collections::BTreeMap;
use std::path::Path;

use recallite::scope::ProjectScope;
use recallite::{Memory, Timestamp};
use serde_json::{Value, json};

use crate::arguments::{Limited, Place};
use crate::failure::Outcome;
use crate::lines::{counted, shown_of};
use crate::moved::moved;
use crate::output::{Line, Look, Output};
use crate::time::local;

/// A project of the store.
#[derive(Debug)]
pub(super) struct Project {
    /// Empty for what belongs to no project.
    pub(super) name: String,
    pub(super) sessions: u64,
    /// The events of its sessions.
    pub(super) events: u64,
    last_event: Timestamp,
}

/// Where the folder is that names a project.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Folder {
    There,
    /// It is in another place, and keeps its project.
    Moved(String),
    Gone,
}

impl Project {
    /// Where its folder is; `moved` are the folders that keep a project. One that was named
    /// otherwise than by a folder is there.
    pub(super) fn folder(&self, moved: &[(String, String)]) -> Folder {
        let now = moved
            .iter()
            .find(|(kept, now)| *kept == self.name && now != kept && Path::new(now).exists());
        if let Some((_, now)) = now {
            return Folder::Moved(now.clone());
        }
        let folder = Path::new(self.place(moved));
        match !folder.is_absolute() || folder.exists() {
            true => Folder::There,
            false => Folder::Gone,
        }
    }

    /// The path that it is named by. The library adds a number if that is the name of a project
    /// that was moved from there.
    pub(super) fn place(&self, moved: &[(String, String)]) -> &str {
        let number = |end: &str| end.strip_suffix(')').is_some_and(is_number);
        let is_kept = |place: &str| moved.iter().any(|(kept, _)| kept == place);
        match self.name.rsplit_once(" (") {
            Some((place, end)) if number(end) && is_kept(place) => place,
            _ => &self.name,
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The projects of a store, the latest first. A session counts for the project in which it began.
pub(super) fn projects(memory: &Memory) -> recallite::Result<Vec<Project>> {
    let mut projects: BTreeMap<String, Project> = BTreeMap::new();
    for session in memory.sessions(&ProjectScope::All, Some(usize::MAX))? {
        // A session that only received context has no events of its own yet.
        if session.events == 0 {
            continue;
        }
        let project = projects.entry(session.project.clone()).or_insert(Project {
            name: session.project,
            sessions: 0,
            events: 0,
            last_event: session.last_event,
        });
        project.sessions += 1;
        project.events += session.events;
        project.last_event = project.last_event.max(session.last_event);
    }
    let mut projects: Vec<Project> = projects.into_values().collect();
    projects.sort_by_key(|project| std::cmp::Reverse(project.last_event));
    Ok(projects)
}

pub(crate) fn list(place: &Place, asked: &Limited, output: &mut Output) -> Outcome {
    let mut projects = projects(&place.open_whole()?)?;
    let total = projects.len();
    projects.truncate(asked.limit);
    let moved = moved();
    if output.is_json() {
        let items: Vec<Value> = projects
            .iter()
            .map(|it| as_json(it, &it.folder(&moved)))
            .collect();
        let has_more = total > items.len();
        output.json(&json!({ "items": items, "total": total, "has_more": has_more }));
        return Ok(());
    }
    if projects.is_empty() {
        output.say("no projects found");
    }
    for project in &projects {
        show(project, &project.folder(&moved), output);
    }
    if total > projects.len() {
        output.say(shown_of(projects.len(), total));
    }
    Ok(())
}

fn as_json(project: &Project, folder: &Folder) -> Value {
    json!({
        "name": project.name,
        "sessions": project.sessions,
        "events": project.events,
        "last_event": project.last_event.to_string(),
        "folder_is_gone": *folder == Folder::Gone,
        "moved_to": match folder {
            Folder::Moved(now) => Some(now),
            _ => None,
        },
    })
}

fn show(project: &Project, folder: &Folder, output: &mut Output) {
    let name = match project.name.as_str() {
        "" => "(no project)",
        name => name,
    };
    let sessions = counted(project.sessions, "session", "sessions");
    let events = counted(project.events, "event", "events");
    let line = Line::new()
        .add(Look::Faint, local(project.last_event))
        .plain(format_args!("  {name}  "))
        .add(Look::Faint, format_args!("{sessions}, {events}"));
    output.line(match folder {
        Folder::There => line,
        Folder::Moved(now) => line.plain(format_args!("  its folder is now {now}")),
        Folder::Gone => line.add(Look::Warning, "  its folder is gone"),
    });
}
