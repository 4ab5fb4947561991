//! Which store, which project: decided once for every command.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;
use recallite::scope::{ProjectScope, default_store_path, project_of};
use recallite::{ErrorCode, LogLevel, Memory, MemoryBuilder, SettingSource};
use serde_json::Value;

use crate::arguments::Place;
use crate::failure::{Failure, Outcome};

impl Place {
    /// A variable that is set to nothing names nothing; an option that is given nothing is a
    /// mistake, perhaps of a script whose variable is not set.
    pub(crate) fn leave_out_empty_variables(&mut self, matches: &ArgMatches) -> Outcome {
        for (name, path) in [("store", &mut self.store), ("settings", &mut self.settings)] {
            if path
                .as_ref()
                .is_some_and(|path| path.as_os_str().is_empty())
            {
                if matches.value_source(name) != Some(ValueSource::EnvVariable) {
                    return Err(Failure::usage(format!("--{name}: must not be empty")));
                }
                *path = None;
            }
        }
        Ok(())
    }

    /// The store's folder: `--store`, `RECALLITE_STORE`, that of the settings, or the
    /// user's own.
    pub(crate) fn folder(&self) -> Outcome<PathBuf> {
        if let Some(folder) = &self.store {
            return Ok(folder.clone());
        }
        match self.setting("storage.path")? {
            Some(path) => Ok(in_home(path.as_str().unwrap_or_default())),
            None => Ok(default_store_path()?),
        }
    }

    /// How every memory of this command is opened: by the settings file, if there is one.
    pub(crate) fn builder(&self) -> MemoryBuilder {
        let mut builder = Memory::builder();
        if let Some(file) = &self.settings {
            builder = builder.settings_file(file.clone());
        }
        let level = match self.verbose {
            0 => return builder,
            1 => LogLevel::Info,
            _ => LogLevel::Debug,
        };
        // A pipe that nobody reads any more is no reason to fail.
        builder.log_level(level).on_log(|record| {
            let (level, target) = (record.level, &record.target);
            let _ = writeln!(std::io::stderr(), "{level} {target}: {}", record.message);
        })
    }

    /// The value of a key that the settings file gives; the whole file is checked.
    pub(crate) fn setting(&self, key: &str) -> Outcome<Option<Value>> {
        if self.settings.is_none() {
            return Ok(None);
        }
        let rows = self.builder().preview_settings()?;
        let given = rows
            .iter()
            .find(|row| row.key == key && row.source == SettingSource::File);
        Ok(given.and_then(|row| serde_json::from_str(row.value.as_str()).ok()))
    }

    /// The project: `--project`, or that of the working folder.
    pub(crate) fn project(&self) -> Outcome<String> {
        match &self.project {
            Some(named) => Ok(project_named(named)),
            None => {
                let folder = std::env::current_dir()
                    .map_err(|error| Failure::io(Path::new("the working folder"), &error))?;
                Ok(project_of(&folder)?)
            }
        }
    }

    /// What reads look at.
    pub(crate) fn scope(&self) -> ProjectScope {
        if self.all_projects {
            ProjectScope::All
        } else {
            ProjectScope::Own
        }
    }

    /// Opens the store, which must exist.
    pub(crate) fn open(&self) -> Outcome<Memory> {
        self.open_for(self.project()?, false)
    }

    /// Opens the store, or makes it.
    pub(crate) fn open_or_create(&self) -> Outcome<Memory> {
        self.open_for(self.project()?, true)
    }

    /// Opens the store, or makes it, without a project unless one was named:
    /// what is imported says itself where it belongs.
    pub(crate) fn open_for_import(&self) -> Outcome<Memory> {
        let project = self.project.as_deref().map(project_named);
        self.open_for(project.unwrap_or_default(), true)
    }

    fn open_for(&self, project: String, create: bool) -> Outcome<Memory> {
        let folder = self.folder()?;
        self.builder()
            .project(project)
            .create(create)
            .open(&folder)
            .map_err(|error| no_memory(&folder, error))
    }

    /// Where nothing was found, in words that help.
    pub(crate) fn where_looked(&self, memory: &Memory) -> String {
        match (self.all_projects, memory.project()) {
            (true, _) | (_, "") => String::new(),
            (_, project) => {
                format!(" in project {project}; use --all-projects to look in every project")
            }
        }
    }
}

/// Why a store could not be opened; a missing one with what makes it.
pub(crate) fn no_memory(folder: &Path, error: recallite::Error) -> Failure {
    match error.code() {
        ErrorCode::NotFound if error.argument() != Some("settings_file") => {
            Failure::not_found(format!(
                "no store found in {}; create one with `recallite import` or `recallite remember`, \
                 or name another folder with --store",
                folder.display()
            ))
        }
        _ => error.into(),
    }
}

/// A folder that exists stands for the project that it belongs to; anything else
/// is a name.
pub(crate) fn project_named(named: &str) -> String {
    let folder = Path::new(named);
    let is_path = folder.is_absolute() || named.starts_with('.');
    match project_of(folder) {
        Ok(project) if is_path => project,
        _ => named.to_owned(),
    }
}

/// A path of a settings file, in which `~` is the home folder.
fn in_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(path),
    }
}
