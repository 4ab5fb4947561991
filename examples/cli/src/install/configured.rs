//! What the agents' configurations say about the memory, for `doctor`: no agent tells its user that
//! a hook is missing or that its program is gone.

use std::path::PathBuf;

use jsonc_parser::cst::CstObject;

use super::handlers::{EVENTS, programs_of};
use super::json::{JsonFile, Syntax};
use super::marketplace::is_of_marketplace;
use super::{codex, cursor, folders, servers, vscode};
use crate::agent_names;
use crate::arguments::Host;
use crate::failure::Outcome;

/// The memory as it is configured in an agent.
#[derive(Debug, Default)]
pub(crate) struct Configured {
    pub(crate) host: &'static str,
    /// The programs that its hooks and its MCP server call, each once.
    pub(crate) programs: Vec<String>,
    /// What `install` would add.
    pub(crate) missing: Vec<String>,
    /// Why a file of the agent cannot be read.
    pub(crate) unreadable: Option<String>,
    /// Files that `install` wrote and that cannot be read; it writes them anew.
    pub(crate) damaged: Vec<PathBuf>,
    /// The version that wrote the configuration, where it says so.
    pub(crate) version: Option<String>,
    /// The store that it is given, if not the user's own.
    pub(crate) store: Option<PathBuf>,
    /// What prevents it from working, in words.
    pub(crate) hindered: Option<&'static str>,
    /// Whether the agent loads the plugin, which it installed itself.
    pub(crate) has_plugin: bool,
    /// Whether `install` gave the agent commands and skills.
    has_commands: bool,
}

impl Configured {
    /// Whether something calls the program by its name: commands and skills do, and whatever is in
    /// the plugin.
    pub(crate) fn is_called_by_name(&self) -> bool {
        self.has_commands || self.has_plugin
    }

    /// Every agent in which there is something to tell.
    pub(crate) fn everywhere() -> Vec<Configured> {
        let all = [
            Self::in_folder(Host::ClaudeCode, &folders::CLAUDE_CODE),
            Self::in_codex(),
            Self::in_folder(Host::GeminiCli, &folders::GEMINI_CLI),
            Self::in_file(Host::Cursor, cursor::file(), cursor::SERVERS, None),
            Self::in_file(
                Host::Vscode,
                vscode::servers_file(),
                vscode::SERVERS,
                Some(vscode::hooks_file()),
            ),
        ];
        let is_there = |it: &Configured| {
            !it.programs.is_empty()
                || it.unreadable.is_some()
                || !it.damaged.is_empty()
                || it.has_plugin
        };
        all.into_iter().filter(is_there).collect()
    }

    fn of(host: Host) -> Self {
        Configured {
            host: agent_names::of(host),
            ..Configured::default()
        }
    }

    fn in_folder(host: Host, plugin: &folders::Plugin) -> Self {
        let mut found = Self::of(host);
        if plugin.is_installed() {
            found.written_folder(plugin);
        }
        if host == Host::ClaudeCode {
            found.has_plugin = found
                .read(
                    plugin.agent_folder().map(|it| it.join("settings.json")),
                    Syntax::WithComments,
                )
                .is_some_and(|settings| enables_plugin(&settings));
        }
        found
    }

    /// The folder of a plugin, every file of which `install` wrote.
    fn written_folder(&mut self, plugin: &folders::Plugin) {
        let missing = plugin.missing_files();
        for (file, is_server) in [(plugin.servers_file(), true), (plugin.hooks_file(), false)] {
            let Ok(path) = file else {
                continue;
            };
            let Ok(file) = JsonFile::read(path.clone(), Syntax::Strict) else {
                self.damaged.push(path);
                continue;
            };
            match is_server {
                true => self.server_in(&file, folders::SERVERS),
                false => self.hooks_in(&file, &plugin.events()),
            }
        }
        for name in missing {
            self.lacks(&format!("the file {name}"));
        }
        self.version = plugin.version();
        if self.version.is_none()
            && let Ok(manifest) = plugin.manifest_file()
            && manifest.is_file()
            && !self.damaged.contains(&manifest)
        {
            self.damaged.push(manifest);
        }
        self.has_commands = true;
    }

    fn in_codex() -> Self {
        let mut found = Self::of(Host::Codex);
        match codex::configured() {
            Ok(config) => {
                match config.program {
                    Some(program) => found.calls(program),
                    None => found.lacks(SERVER),
                }
                found.store = config.store;
                found.hindered = config.hindered;
                found.has_plugin = config.has_plugin;
            }
            Err(failure) => found.unreadable = Some(failure.message()),
        }
        match codex::read_hooks() {
            Ok(file) => found.hooks_in(&file, &codex::events()),
            Err(failure) => found.unreadable = Some(failure.message()),
        }
        found
    }

    fn in_file(
        host: Host,
        file: Outcome<PathBuf>,
        servers: &str,
        hooks: Option<Outcome<PathBuf>>,
    ) -> Self {
        let mut found = Self::of(host);
        if let Some(file) = found.read(file, Syntax::WithComments) {
            found.server_in(&file, servers);
        }
        if let Some(file) = hooks.and_then(|hooks| found.read(hooks, Syntax::WithComments)) {
            found.hooks_in(&file, &EVENTS.map(|(event, _)| event.to_owned()));
        }
        found
    }

    fn server_in(&mut self, file: &JsonFile, servers: &str) {
        self.store = servers::store(file, servers);
        match servers::program(file, servers) {
            Some(program) => self.calls(program),
            None => self.lacks(SERVER),
        }
    }

    fn hooks_in(&mut self, file: &JsonFile, events: &[String]) {
        let there = file.object_if_there("hooks");
        for event in events {
            let mut programs = Vec::new();
            let of_event = there.as_ref().and_then(|hooks| hooks.get(event));
            if let Some(handlers) = of_event.and_then(|event| event.value()) {
                programs_of(&handlers, &mut programs);
            }
            if programs.is_empty() {
                self.lacks(&format!("the hook of {event}"));
            }
            programs.into_iter().for_each(|program| self.calls(program));
        }
    }

    /// A file of the agent; without one, it is empty.
    fn read(&mut self, file: Outcome<PathBuf>, syntax: Syntax) -> Option<JsonFile> {
        match file.and_then(|path| JsonFile::read(path, syntax)) {
            Ok(file) => Some(file),
            Err(failure) => {
                self.unreadable = Some(failure.message());
                None
            }
        }
    }

    fn calls(&mut self, program: String) {
        if !self.programs.contains(&program) {
            self.programs.push(program);
        }
    }

    fn lacks(&mut self, what: &str) {
        self.missing.push(what.to_owned());
    }
}

const SERVER: &str = "the MCP server";

/// Whether Claude Code's settings turn our plugin on, from whatever marketplace.
fn enables_plugin(settings: &JsonFile) -> bool {
    let plugins = settings.object_if_there("enabledPlugins");
    let names = plugins.iter().flat_map(CstObject::properties);
    names.into_iter().any(|plugin| {
        let name = plugin.name().and_then(|name| name.decoded_value().ok());
        let is_on = plugin
            .value()
            .is_some_and(|value| value.as_boolean_lit().is_some_and(|it| it.value()));
        is_on && name.is_some_and(|name| is_of_marketplace(&name))
    })
}
