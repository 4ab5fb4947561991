//! The folders in which coding agents keep the files of their user.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent_names;
use crate::failure::{Failure, Outcome};

/// The folder of an agent.
#[derive(Debug)]
pub(crate) struct AgentFolder {
    /// Its name in the user's home.
    name: &'static str,
    /// The variable that names another place.
    pub(crate) variable: Option<&'static str>,
    /// Whether the variable names what takes the place of the home rather than of the folder.
    is_of_home: bool,
}

const fn folder(name: &'static str, variable: Option<&'static str>) -> AgentFolder {
    AgentFolder {
        name,
        variable,
        is_of_home: false,
    }
}

pub(crate) const CLAUDE_CODE: AgentFolder = folder(".claude", Some("CLAUDE_CONFIG_DIR"));
pub(crate) const CODEX: AgentFolder = folder(".codex", Some("CODEX_HOME"));
pub(crate) const GEMINI_CLI: AgentFolder = AgentFolder {
    is_of_home: true,
    ..folder(".gemini", Some("GEMINI_CLI_HOME"))
};
pub(crate) const CURSOR: AgentFolder = folder(".cursor", None);
/// Of VS Code's own agent.
pub(crate) const COPILOT: AgentFolder = folder(".copilot", Some("COPILOT_HOME"));

/// All of them, by the name that `install` and `config` give the agent.
pub(crate) const ALL: [(&str, AgentFolder); 5] = [
    (agent_names::CLAUDE_CODE, CLAUDE_CODE),
    (agent_names::CODEX, CODEX),
    (agent_names::GEMINI_CLI, GEMINI_CLI),
    (agent_names::CURSOR, CURSOR),
    (agent_names::VSCODE, COPILOT),
];

impl AgentFolder {
    /// Where the folder is, whether or not it exists.
    pub(crate) fn path(&self) -> Outcome<PathBuf> {
        match self.named() {
            Some(named) if self.is_of_home => Ok(PathBuf::from(named).join(self.name)),
            Some(named) => Ok(named.into()),
            None => std::env::home_dir()
                .map(|home| home.join(self.name))
                .ok_or_else(|| Failure::said("cannot find your home folder; set HOME")),
        }
    }

    /// The value of the variable, if it is set.
    pub(crate) fn named(&self) -> Option<OsString> {
        self.variable
            .and_then(std::env::var_os)
            .filter(|value| !value.is_empty())
    }
}

/// Whether a folder is one in which an agent keeps files of the user rather than of a project.
pub(crate) fn is_agent_folder(folder: &Path) -> bool {
    ALL.into_iter().any(|(_, known)| {
        let place = known.path().ok();
        place.is_some_and(|place| place.canonicalize().unwrap_or(place) == folder)
    })
}
