//! `config`: the settings in effect, and where each comes from.

use clap::ArgMatches;
use clap::parser::ValueSource;
use recallite::rules::endless::MemoryMode;
use recallite::{EffectiveSetting, SettingSource};
use serde_json::{Value, json};

use crate::agent_folders;
use crate::arguments::{DEADLINE_MS, DEADLINE_VARIABLE, Place, deadline};
use crate::failure::{Failure, Outcome};
use crate::output::{Line, Look, Output};

/// Where a setting comes from.
enum Source {
    /// An argument of the command.
    Call(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The folder in which the command runs.
    WorkingFolder,
    /// The settings file.
    File,
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
            Source::File => "file",
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

/// Longer values do not widen the column.
const WIDEST: usize = 40;

/// How the keys of a settings file are set.
const SET_BY_FILE: &str = "--settings or RECALLITE_SETTINGS";

struct Setting {
    name: String,
    value: Value,
    source: Source,
    /// How it is set.
    set_by: &'static str,
}

pub(crate) fn config(place: &Place, matches: &ArgMatches, output: &mut Output) -> Outcome {
    if output.is_json() {
        output.json(&json!({ "settings": in_force(place, matches)? }));
        return Ok(());
    }
    let settings = settings(place, matches)?;
    let width = |of: fn(&Setting) -> usize| settings.iter().map(of).max().unwrap_or(0);
    let names = width(|it| it.name.chars().count());
    let values = width(|it| shown(&it.value).chars().count()).min(WIDEST);
    for setting in &settings {
        let Setting {
            name,
            source,
            set_by,
            ..
        } = setting;
        let value = shown(&setting.value);
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
    if let Some(ignored) = place.ignored_name() {
        output.line(Line::new().add(Look::Warning, ignored));
    }
    Ok(())
}

/// The settings in effect, as JSON.
pub(crate) fn in_force(place: &Place, matches: &ArgMatches) -> Outcome<Vec<Value>> {
    Ok(settings(place, matches)?.iter().map(as_json).collect())
}

/// A string as it is, anything else as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
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
        _ if place.setting("storage.path")?.is_some() => Source::File,
        _ => Source::Default,
    };
    let file = match matches.value_source("settings") {
        Some(ValueSource::CommandLine) => Source::Call("--settings"),
        Some(ValueSource::EnvVariable) => Source::Environment("RECALLITE_SETTINGS"),
        _ => Source::Default,
    };
    let (project, project_from) = match (place.all_projects, &place.project) {
        (true, _) => ("all projects".to_owned(), Source::Call("--all-projects")),
        (_, Some(_)) => (place.project()?, Source::Call("--project")),
        _ => (place.project()?, Source::WorkingFolder),
    };
    let (format, format_from) = match place.json {
        true => ("json", Source::Call("--json")),
        false => ("lines", Source::Default),
    };
    let mut settings = vec![
        Setting {
            name: "store".to_owned(),
            value: place.folder()?.display().to_string().into(),
            source: store,
            set_by: "--store or RECALLITE_STORE",
        },
        Setting {
            name: "settings".to_owned(),
            value: match &place.settings {
                Some(file) => file.display().to_string().into(),
                None => "none".into(),
            },
            source: file,
            set_by: SET_BY_FILE,
        },
        Setting {
            name: "project".to_owned(),
            value: project.into(),
            source: project_from,
            set_by: "--project or --all-projects",
        },
        Setting {
            name: "format".to_owned(),
            value: format.into(),
            source: format_from,
            set_by: "--json",
        },
        colours(place, matches),
        hook_deadline()?,
    ];
    settings.push(endless(place));
    settings.extend(agents()?);
    settings.extend(keys(place)?);
    Ok(settings)
}

/// The keys of a settings file, with the values that are stored in the store, if there is one.
fn keys(place: &Place) -> Outcome<Vec<Setting>> {
    let rows = match place.open() {
        Ok(memory) => memory.upkeep().settings()?,
        Err(_) => place.builder().preview_settings()?,
    };
    let key = |row: EffectiveSetting| Setting {
        source: match row.source {
            SettingSource::File => Source::File,
            SettingSource::Store => Source::Store,
            _ => Source::Default,
        },
        value: serde_json::from_str(row.value.as_str()).unwrap_or_default(),
        name: row.key,
        set_by: SET_BY_FILE,
    };
    // The store's folder is already listed above, where options that override the file are known.
    let rows = rows.into_iter().filter(|row| row.key != "storage.path");
    Ok(rows.map(key).collect())
}

/// How long a hook may take. A value that hooks do not understand is an error here too.
fn hook_deadline() -> Outcome<Setting> {
    let given = std::env::var_os(DEADLINE_VARIABLE).filter(|value| !value.is_empty());
    let (deadline_ms, source) = match given {
        None => (DEADLINE_MS, Source::Default),
        Some(given) => {
            let given = given.to_string_lossy();
            let number = deadline(&given)
                .map_err(|why| Failure::usage(format!("{DEADLINE_VARIABLE}: {why}")))?;
            (number, Source::Environment(DEADLINE_VARIABLE))
        }
    };
    Ok(Setting {
        name: "hook deadline".to_owned(),
        value: format!("{deadline_ms} ms").into(),
        source,
        set_by: "recallite hook --deadline-ms or RECALLITE_HOOK_DEADLINE_MS",
    })
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
        name: "colours".to_owned(),
        value: value.into(),
        source,
        set_by: "--color or NO_COLOR",
    }
}

/// Whether endless mode is on. A store that cannot be opened is reported by `doctor`.
fn endless(place: &Place) -> Setting {
    let mode = place.open().and_then(|memory| Ok(memory.endless().mode()?));
    let (value, source) = match mode {
        Ok(MemoryMode::Endless) => ("on", Source::Store),
        Ok(_) => ("off", Source::Store),
        Err(_) => ("off", Source::Default),
    };
    Setting {
        name: "endless".to_owned(),
        value: value.into(),
        source,
        set_by: "recallite endless start|stop",
    }
}

/// The folders of the coding agents, which `import` reads and `install` writes.
fn agents() -> Outcome<Vec<Setting>> {
    let mut settings = Vec::new();
    for (name, folder) in agent_folders::ALL {
        let named = folder.variable.filter(|_| folder.named().is_some());
        settings.push(Setting {
            name: name.to_owned(),
            value: folder.path()?.display().to_string().into(),
            source: named.map_or(Source::Default, Source::Environment),
            set_by: folder.variable.unwrap_or("HOME"),
        });
    }
    Ok(settings)
}
