//! `config`: the settings that are in force, and where each comes from.

use clap::ArgMatches;
use clap::parser::ValueSource;
use recallite::rules::endless::MemoryMode;
use serde_json::{Value, json};

use crate::arguments::{DEADLINE_MS, Place};
use crate::failure::Outcome;
use crate::install::agent_folder;
use crate::output::{Line, Look, Output};

/// Where a setting comes from.
enum Source {
    /// An argument of this call.
    Call(&'static str),
    /// A variable of the environment.
    Environment(&'static str),
    /// The folder in which the command runs.
    WorkingFolder,
    /// The store itself, for every program that opens it.
    Store,
    Default,
}

impl Source {
    fn word(&self) -> &'static str {
        match self {
            Source::Call(_) => "call",
            Source::Environment(_) => "environment",
            Source::WorkingFolder => "working folder",
            Source::Store => "store",
            Source::Default => "default",
        }
    }

    /// The argument or variable.
    fn name(&self) -> Option<&'static str> {
        match self {
            Source::Call(name) | Source::Environment(name) => Some(name),
            _ => None,
        }
    }
}

struct Setting {
    name: &'static str,
    value: String,
    source: Source,
    /// What sets it.
    set_by: &'static str,
}

pub(crate) fn config(place: &Place, matches: &ArgMatches, output: &mut Output) -> Outcome {
    let settings = settings(place, matches)?;
    if output.is_json() {
        let items: Vec<Value> = settings.iter().map(as_json).collect();
        output.json(&json!({ "settings": items }));
        return Ok(());
    }
    let width = |of: fn(&Setting) -> &str| {
        let widths = settings.iter().map(|setting| of(setting).chars().count());
        widths.max().unwrap_or(0)
    };
    let (names, values) = (width(|it| it.name), width(|it| &it.value));
    for Setting {
        name,
        value,
        source,
        set_by,
    } in &settings
    {
        let from = match source.name() {
            Some(name) => format!("{}: {name}", source.word()),
            None => format!("{}; set by {set_by}", source.word()),
        };
        let line = Line::new()
            .add(Look::Faint, format_args!("{name:<names$}  "))
            .plain(format_args!("{value:<values$}  "))
            .add(Look::Faint, from);
        output.line(line);
    }
    Ok(())
}

fn as_json(setting: &Setting) -> Value {
    json!({
        "name": setting.name,
        "value": setting.value,
        "source": setting.source.word(),
        "source_name": setting.source.name(),
        "set_by": setting.set_by,
    })
}

fn settings(place: &Place, matches: &ArgMatches) -> Outcome<Vec<Setting>> {
    let store = match matches.value_source("store") {
        Some(ValueSource::CommandLine) => Source::Call("--store"),
        Some(ValueSource::EnvVariable) => Source::Environment("RECALLITE_STORE"),
        _ => Source::Default,
    };
    let (project, project_from) = match (place.all_projects, &place.project) {
        (true, _) => ("all of them".to_owned(), Source::Call("--all-projects")),
        (_, Some(_)) => (place.project()?, Source::Call("--project")),
        _ => (place.project()?, Source::WorkingFolder),
    };
    let (format, format_from) = match place.json {
        true => ("json", Source::Call("--json")),
        false => ("lines", Source::Default),
    };
    let mut settings = vec![
        Setting {
            name: "store",
            value: place.folder()?.display().to_string(),
            source: store,
            set_by: "--store or RECALLITE_STORE",
        },
        Setting {
            name: "project",
            value: project,
            source: project_from,
            set_by: "--project or --all-projects",
        },
        Setting {
            name: "format",
            value: format.to_owned(),
            source: format_from,
            set_by: "--json",
        },
        colours(place, matches),
        Setting {
            name: "hook deadline",
            value: format!("{DEADLINE_MS} ms"),
            source: Source::Default,
            set_by: "recallite hook --deadline-ms",
        },
    ];
    settings.push(endless(place));
    settings.extend(agents()?);
    Ok(settings)
}

fn colours(place: &Place, matches: &ArgMatches) -> Setting {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_asked = matches.value_source("color") == Some(ValueSource::CommandLine);
    let (value, source) = match is_asked {
        true => (place.color.to_string(), Source::Call("--color")),
        false if is_set("NO_COLOR") => ("never".to_owned(), Source::Environment("NO_COLOR")),
        false => (place.color.to_string(), Source::Default),
    };
    Setting {
        name: "colours",
        value,
        source,
        set_by: "--color or NO_COLOR",
    }
}

/// Whether the endless mode is on; a store that cannot be opened is the doctor's.
fn endless(place: &Place) -> Setting {
    let mode = place.open().and_then(|memory| Ok(memory.endless().mode()?));
    let (value, source) = match mode {
        Ok(MemoryMode::Endless) => ("on", Source::Store),
        Ok(MemoryMode::Session) => ("off", Source::Store),
        Err(_) => ("off", Source::Default),
    };
    Setting {
        name: "endless",
        value: value.to_owned(),
        source,
        set_by: "recallite endless start|stop",
    }
}

/// Where the coding agents keep what `import` reads and `install` writes.
fn agents() -> Outcome<Vec<Setting>> {
    let mut settings = Vec::new();
    for (name, variable, folder) in [
        ("claude-code", Some("CLAUDE_CONFIG_DIR"), ".claude"),
        ("codex", Some("CODEX_HOME"), ".codex"),
        ("gemini-cli", None, ".gemini"),
        ("cursor", None, ".cursor"),
    ] {
        let named = variable.filter(|it| std::env::var_os(it).is_some_and(|it| !it.is_empty()));
        settings.push(Setting {
            name,
            value: agent_folder(variable, folder)?.display().to_string(),
            source: named.map_or(Source::Default, Source::Environment),
            set_by: variable.unwrap_or("HOME"),
        });
    }
    Ok(settings)
}
