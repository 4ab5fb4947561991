//! Which store and which project to use, decided in one place for all commands.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ArgMatches;
use clap::parser::ValueSource;
use recallite::scope::{ProjectScope, default_store_path, project_of};
use recallite::{EffectiveSetting, ErrorCode, LogLevel, Memory, MemoryBuilder, SettingSource};
use serde_json::Value;

use crate::arguments::Place;
use crate::failure::{Failure, Outcome, with_commands};

/// How many memories a search lists, unless an argument or the settings say so.
pub(crate) const FOUND_BY_DEFAULT: usize = 5;

/// The keys that a settings file sets.
#[derive(Debug, Default)]
pub(crate) struct FileSettings(Vec<EffectiveSetting>);

impl FileSettings {
    /// The value of a key, if the file sets it.
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        let row = self.0.iter().find(|row| row.key == key)?;
        serde_json::from_str(row.value.as_str()).ok()
    }

    /// Whether the file sets a key to this value.
    pub(crate) fn is(&self, key: &str, value: bool) -> bool {
        self.get(key) == Some(Value::Bool(value))
    }

    /// What this command uses instead of the library's default, unless the file sets the key, which
    /// the library obeys by itself.
    pub(crate) fn unless_set<T>(&self, key: &str, ours: T) -> Option<T> {
        self.0.iter().all(|row| row.key != key).then_some(ours)
    }
}

impl Place {
    /// An empty variable counts as unset; an empty option is an error, perhaps of a script whose
    /// variable is not set.
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

    /// The store's folder: `--store`, `RECALLITE_STORE`, that of the settings, or the user's own.
    pub(crate) fn folder(&self) -> Outcome<PathBuf> {
        match &self.store {
            Some(folder) => Ok(folder.clone()),
            None => self.folder_by(&self.file_settings()?),
        }
    }

    /// The same, with settings that were read already.
    pub(crate) fn folder_by(&self, settings: &FileSettings) -> Outcome<PathBuf> {
        if let Some(folder) = &self.store {
            return Ok(folder.clone());
        }
        match settings.get("storage.path") {
            Some(path) => self.folder_of_settings(path.as_str().unwrap_or_default()),
            None => default_store_path().map_err(|error| match error.code() {
                ErrorCode::NotFound => Failure::not_found(
                    "the system names no home folder; set HOME, or name the store's folder with \
                     --store or RECALLITE_STORE",
                ),
                _ => error.into(),
            }),
        }
    }

    /// The builder for every memory of this command, with the settings file if there is one.
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
        // It is not an error if nobody reads the pipe any more.
        builder.log_level(level).on_log(|record| {
            let (level, target) = (record.level, &record.target);
            let _ = writeln!(
                std::io::stderr(),
                "{level} {target}: {}",
                with_commands(&record.message)
            );
        })
    }

    /// The settings file, all of which is validated; empty if none was named.
    pub(crate) fn file_settings(&self) -> Outcome<FileSettings> {
        if self.settings.is_none() {
            return Ok(FileSettings::default());
        }
        let mut rows = self.builder().preview_settings()?;
        rows.retain(|row| row.source == SettingSource::File);
        Ok(FileSettings(rows))
    }

    /// The value of a key in the settings file; the whole file is validated.
    pub(crate) fn setting(&self, key: &str) -> Outcome<Option<Value>> {
        Ok(self.file_settings()?.get(key))
    }

    /// A folder that the settings file names: a relative path begins where that file is, so that
    /// every program means the same store, wherever it runs.
    fn folder_of_settings(&self, named: &str) -> Outcome<PathBuf> {
        let path = in_home(named)?;
        let Some(file) = self.settings.as_ref().filter(|_| path.is_relative()) else {
            return Ok(path);
        };
        let file = std::path::absolute(file).map_err(|error| Failure::io(file, &error))?;
        Ok(file.parent().unwrap_or(Path::new("")).join(path))
    }

    /// The project: `--project`, or that of the working folder.
    pub(crate) fn project(&self) -> Outcome<String> {
        match &self.project {
            Some(named) => Ok(project_named(named)),
            None => {
                // A folder that was deleted is no store that does not exist.
                let folder = std::env::current_dir().map_err(|error| {
                    Failure::said(format!("the working folder: {error}; go to another folder"))
                })?;
                Ok(project_of(&folder)?)
            }
        }
    }

    /// Why `git config recallite.project` has no effect, if it is set and has none.
    pub(crate) fn ignored_name(&self) -> Option<String> {
        let git = Command::new("git")
            .args(["config", "--get", "recallite.project"])
            .stderr(Stdio::null())
            .output();
        let name = git.ok().filter(|git| git.status.success())?.stdout;
        let name = String::from_utf8_lossy(&name).trim().to_owned();
        let is_used = self.project.is_some() || project_of(Path::new(".")).ok()? == name;
        (!is_used).then(|| {
            let why = match name.contains(['/', '\\', ':']) {
                true => "it contains `/`, `\\` or `:`, as a path does",
                false => "it is not set in the repository's own configuration, or not a name",
            };
            format!("`git config recallite.project {name}` is ignored: {why}")
        })
    }

    /// The scope of reads.
    pub(crate) fn scope(&self) -> ProjectScope {
        if self.all_projects {
            ProjectScope::All
        } else {
            ProjectScope::Own
        }
    }

    /// Fails if all projects were named: what follows is written to one.
    pub(crate) fn needs_one_project(&self) -> Outcome {
        match self.all_projects {
            true => Err(Failure::usage(
                "--all-projects: this acts on one project; omit it, or use --project",
            )),
            false => Ok(()),
        }
    }

    /// Opens the store, which must exist.
    pub(crate) fn open(&self) -> Outcome<Memory> {
        self.open_for(self.project()?, false)
    }

    /// Opens the store, which must exist, for what concerns all of it: no project, and so no
    /// working folder, is needed.
    pub(crate) fn open_whole(&self) -> Outcome<Memory> {
        self.open_for(String::new(), false)
    }

    /// Opens the store, or creates it.
    pub(crate) fn open_or_create(&self) -> Outcome<Memory> {
        self.open_for(self.project()?, true)
    }

    /// Opens or creates the store, without a project unless one was named: imported conversations
    /// have their own.
    pub(crate) fn open_for_import(&self) -> Outcome<Memory> {
        let project = self.project.as_deref().map(project_named);
        self.open_for(project.unwrap_or_default(), true)
    }

    /// Opens or creates the store for what concerns all of it.
    pub(crate) fn open_or_create_whole(&self) -> Outcome<Memory> {
        self.open_for(String::new(), true)
    }

    fn open_for(&self, project: String, create: bool) -> Outcome<Memory> {
        let folder = self.folder()?;
        self.builder()
            .project(project)
            .create(create)
            .open(&folder)
            .map_err(|error| no_memory(&folder, error))
    }

    /// Where nothing was found, with advice.
    pub(crate) fn where_looked(&self, memory: &Memory) -> String {
        match (self.all_projects, memory.project()) {
            (true, _) | (_, "") => String::new(),
            (_, project) => {
                format!(" in project {project}; use --all-projects to look in every project")
            }
        }
    }
}

/// The error for a store that cannot be opened; if it is missing, with the command that creates it.
pub(crate) fn no_memory(folder: &Path, error: recallite::Error) -> Failure {
    match error.code() {
        ErrorCode::NotFound if error.argument() != Some("settings_file") => {
            Failure::NoStore(folder.to_owned())
        }
        // The library's name for the folder of the store.
        _ if error.argument() == Some("path") => error.with_argument("--store").into(),
        _ => error.into(),
    }
}

/// An existing folder stands for its project; anything else is a project's name.
pub(crate) fn project_named(named: &str) -> String {
    let folder = Path::new(named);
    let is_path = folder.is_absolute() || named.starts_with('.');
    match project_of(folder) {
        Ok(project) if is_path => project,
        _ => named.to_owned(),
    }
}

/// A path from a settings file, in which `~` is the home folder.
fn in_home(path: &str) -> Outcome<PathBuf> {
    let Some(rest) = path.strip_prefix('~') else {
        return Ok(PathBuf::from(path));
    };
    // `~name` is a name like any other.
    if !rest.is_empty() && !rest.starts_with(std::path::is_separator) {
        return Ok(PathBuf::from(path));
    }
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| Failure::said("cannot find your home folder; set HOME"))?;
    Ok(home.join(rest.trim_start_matches(std::path::is_separator)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(in_home("~/memory").unwrap(), home.join("memory"));
        assert_eq!(in_home("~").unwrap(), home);
        for other in ["~ada/memory", "memory/~", "/memory"] {
            assert_eq!(in_home(other).unwrap(), Path::new(other));
        }
    }
}
