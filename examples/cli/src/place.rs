//! Which store, which project: decided once for every command.

use std::path::{Path, PathBuf};

use recallite::scope::{ProjectScope, default_store_path, project_of};
use recallite::{ErrorCode, Memory};

use crate::arguments::Place;
use crate::failure::{Failure, Outcome};

impl Place {
    /// The store's folder: `--store`, `RECALLITE_STORE`, or the user's own.
    pub(crate) fn folder(&self) -> Outcome<PathBuf> {
        match &self.store {
            Some(folder) => Ok(folder.clone()),
            None => Ok(default_store_path()?),
        }
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
        Memory::builder()
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
                format!(" in the project {project}; --all-projects looks in every project")
            }
        }
    }
}

/// Why a store could not be opened; a missing one with what makes it.
pub(crate) fn no_memory(folder: &Path, error: recallite::Error) -> Failure {
    match error.code() {
        ErrorCode::NotFound => Failure::not_found(format!(
            "there is no memory in {}; `recallite import`, `recallite remember` or a hook makes \
             one, and --store names another folder",
            folder.display()
        )),
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
