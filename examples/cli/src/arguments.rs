//! The arguments of every command, declared once: parsing, help and completions
//! come from here.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum};
use recallite::rules::levels::Level;
use recallite::rules::tasks::{Priority, TaskStatus};
use recallite::{EventKind, Memory, ScopeKind, Timestamp, ToolOutcome};

use crate::exit;
use crate::failure::Outcome;
use crate::time::{duration_ms, moment, moment_utc};

/// The longest that a hook lets the agent wait, in milliseconds.
pub(crate) const DEADLINE_MS: u64 = 300;

/// A local memory for coding agents: search and cite what was said and done
#[derive(Debug, Parser)]
#[command(name = "recallite", version, max_term_width = 100)]
#[command(after_help = exit::help())]
pub(crate) struct Arguments {
    #[command(flatten, next_help_heading = "Global options")]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where to look and how to show it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// Use the store in this folder [default: your personal store]
    #[arg(long, global = true, env = "RECALLITE_STORE", value_name = "DIR", value_parser = path())]
    pub(crate) store: Option<PathBuf>,
    /// Read settings from this JSON file (docs/guides/settings.md) [default: none]
    #[arg(long, global = true, env = "RECALLITE_SETTINGS", value_name = "FILE", value_parser = path())]
    pub(crate) settings: Option<PathBuf>,
    /// Use this project, given by name or folder [default: the repository of the working folder]
    #[arg(long, global = true, value_name = "NAME", value_parser = not_empty)]
    pub(crate) project: Option<String>,
    /// Include all projects
    #[arg(long, short = 'a', global = true, conflicts_with = "project")]
    pub(crate) all_projects: bool,
    /// Print a single JSON document instead of lines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Log background work to standard error; -vv logs every step
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search for memories that answer a question
    Search(Search),
    /// Show full memories by citation
    Show(Show),
    /// List recorded prompts, responses and tool calls, newest first
    History(History),
    /// List sessions, newest first
    Sessions(Limited),
    /// List all projects, newest first, or record that a folder was moved
    Projects(Projects),
    /// Show what happened before and after memories
    Timeline(Timeline),
    /// List open tasks
    Tasks(Tasks),
    /// Show, add or change a task
    #[command(subcommand)]
    Task(Task),
    /// List blocked tasks and what blocks them
    Blocked,
    /// List the conditions that tasks wait for, or resolve one to a task
    #[command(subcommand)]
    Conditions(Conditions),
    /// List or search learned entries: decisions, facts, preferences and so on
    Entries(Entries),
    /// List insights derived from how memories are used
    Insights,
    /// Manage endless mode, which treats all sessions as one conversation
    #[command(subcommand)]
    Endless(Endless),
    /// Store a note
    Remember(Remember),
    /// Pin memories, so that every session starts with them
    Pin(Pin),
    /// Unpin memories
    Unpin(Pin),
    /// List pinned memories
    Pinned,
    /// Stop recording this project, or one session, until `resume`
    Pause(ScopeArguments),
    /// Resume recording
    Resume(ScopeArguments),
    /// List projects and sessions whose recording is paused
    Paused,
    /// Forget memories: hide them everywhere
    Forget(Remove),
    /// Erase memories: remove every byte of them from the store
    Erase(Remove),
    /// Import conversations and notes of coding agents, or JSON lines
    Import(Import),
    /// Export memories as JSON lines or Markdown
    Export(Export),
    /// Restore a whole export, exactly, into a new store
    Restore(Restore),
    /// Copy the store to a new folder, even while it is in use
    Backup {
        /// Folder to create
        path: PathBuf,
    },
    /// Share this memory between machines, through a folder or a server
    #[command(subcommand)]
    Share(Share),
    /// Verify the integrity of the store
    Check,
    /// Run deferred maintenance: merge the index, learn, graduate, consolidate
    Maintain(Maintain),
    /// Show statistics about the store
    Stats,
    /// Diagnose problems and suggest the commands that fix them
    Doctor(Doctor),
    /// Show the settings in effect and where each comes from
    Config,
    /// Print a shell completion script
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command
    Man {
        /// Write the pages to this folder, for example ~/.local/share/man/man1
        #[arg(long, short = 'o', value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Add the memory to a coding agent: its hooks and its MCP server
    Install {
        /// Agent to install into
        host: Host,
    },
    /// Remove the memory from a coding agent; stored memories are kept
    Uninstall {
        /// Agent to uninstall from
        host: Host,
    },
    /// Open the memory in a browser, on this machine only
    View(View),
    /// Run the MCP server on standard input and output
    Mcp,
    /// Run as a hook of a coding agent: read JSON, print JSON or nothing
    ///
    /// Reads standard input and recognises Claude Code, Codex, Gemini CLI and VS Code by what they
    /// send. Always exits with 0 and within the deadline; `recallite doctor` reports what failed.
    /// The project is that of the folder that the agent names. Of the global options, only --store
    /// and --settings have an effect.
    Hook(Hook),
}

/// A path that may be empty: see `Place::leave_out_empty_variables`.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A value that is not empty: that of a script's variable which is not set would mean "any".
fn not_empty(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("must not be empty"),
        _ => Ok(text.to_owned()),
    }
}

/// How many are wanted.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("must be a whole number, at least 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Limited {
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Projects {
    #[command(subcommand)]
    pub(crate) act: Option<ProjectAct>,
    #[command(flatten)]
    pub(crate) listed: Limited,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectAct {
    /// Keep the projects of a folder that was renamed or moved, and of the folders in it
    Moved(Moved),
}

#[derive(Debug, Args)]
pub(crate) struct Moved {
    /// Where the folder was
    pub(crate) old: PathBuf,
    /// Where it is now [default: the working folder]
    pub(crate) new: Option<PathBuf>,
    /// Proceed even though sessions have been stored under the new folder's own name
    #[arg(long)]
    pub(crate) confirm: bool,
}

/// What narrows events.
#[derive(Debug, Default, Args)]
pub(crate) struct Narrowed {
    /// Only this session
    #[arg(long, value_name = "ID", value_parser = not_empty)]
    pub(crate) session: Option<String>,
    /// Only this kind: prompt, response, tool or insight; repeatable
    #[arg(long = "kind", alias = "type", value_name = "KIND")]
    pub(crate) kinds: Vec<EventKind>,
    /// Only at or after this time: 2026-01-30, 7d (7 days ago), 12h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only before this time (exclusive); same formats as --since
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
    /// Only calls of this tool; repeatable
    #[arg(long = "tool", value_name = "NAME", value_parser = not_empty)]
    pub(crate) tools: Vec<String>,
    /// Only tool calls on files whose path contains this text
    #[arg(long, value_name = "PART", value_parser = not_empty)]
    pub(crate) file: Option<String>,
    /// Only tool calls that failed
    #[arg(long, conflicts_with = "succeeded")]
    failed: bool,
    /// Only tool calls that succeeded
    #[arg(long)]
    succeeded: bool,
}

/// Sets the conditions that an `EventFilter` and a `Query` share.
macro_rules! narrow {
    ($wanted:expr, $by:expr) => {{
        $wanted.session.clone_from(&$by.session);
        $wanted.from = $by.since;
        $wanted.until = $by.until;
        $wanted.tools.clone_from(&$by.tools);
        $wanted.file_contains.clone_from(&$by.file);
        $wanted.tool_outcome = $by.tool_outcome();
    }};
}
pub(crate) use narrow;

impl Narrowed {
    /// The outcome of the tool calls to show.
    pub(crate) fn tool_outcome(&self) -> Option<ToolOutcome> {
        match (self.failed, self.succeeded) {
            (true, _) => Some(ToolOutcome::Failed),
            (_, true) => Some(ToolOutcome::Succeeded),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Question or words to search for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Maximum number of results [default: the one in the settings, or 5]
    #[arg(long, short = 'n', short_alias = 'k', value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) narrowed: Narrowed,
    /// Only results at least this likely to answer the question, from 0 to 1
    #[arg(long, alias = "threshold", value_name = "P")]
    pub(crate) min_relevance: Option<f32>,
    /// Only memories promoted by use to at least this level, from L0 to L4
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Search what was known at this time: 2026-01-30, 7d (7 days ago)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) as_of: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Citations of the memories, for example mem:a7Bc3x
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) narrowed: Narrowed,
}

#[derive(Debug, Args)]
pub(crate) struct Timeline {
    /// Citations of the memories, for example mem:a7Bc3x
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
    /// Number of events to show before and after each memory
    #[arg(long, short = 'w', default_value_t = recallite::DEFAULT_TIMELINE_WINDOW, value_name = "N")]
    pub(crate) window: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Tasks {
    /// Only tasks with this status: pending, in_progress, blocked, done or cancelled
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<TaskStatus>,
    /// Include done and cancelled tasks
    #[arg(long, conflicts_with = "status")]
    pub(crate) all: bool,
    /// Include what was learned from forgotten memories, which no search returns
    #[arg(long)]
    pub(crate) forgotten: bool,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 50, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Show a task, what blocks it, and its history
    Show {
        /// Title or id of the task, or a prefix of either
        task: String,
    },
    /// Add a task
    Add {
        /// What needs to be done
        title: String,
        /// Priority: low, medium, high or critical
        #[arg(long, default_value = "medium")]
        priority: Priority,
        /// What it waits for: a task title, a ticket, a URL or a condition; repeatable
        #[arg(long = "blocked-by", value_name = "WHAT", value_parser = not_empty)]
        blocked_by: Vec<String>,
    },
    /// Mark a task as in progress
    Start {
        /// Title or id of the task, or a prefix of either
        task: String,
    },
    /// Mark a task as done
    Done {
        /// Title or id of the task, or a prefix of either
        task: String,
    },
    /// Mark a task as blocked
    Block {
        /// Title or id of the task, or a prefix of either
        task: String,
        /// What it waits for; repeatable
        #[arg(long = "by", value_name = "WHAT", value_parser = not_empty)]
        blocked_by: Vec<String>,
    },
    /// Cancel a task
    Cancel {
        /// Title or id of the task, or a prefix of either
        task: String,
    },
    /// Rename a task
    Rename {
        /// Title or id of the task, or a prefix of either
        task: String,
        /// New title
        title: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Share {
    /// Start sharing this memory through a folder or a PostgreSQL server
    Init(SharePlace),
    /// Join a shared memory, and accept everyone announced there as a member
    Join(SharedPlace),
    /// Send new records to the other members
    Push,
    /// Receive new records from the other members
    Pull,
    /// Push and pull several times a second until interrupted; --json prints JSON Lines
    Watch,
    /// Show where the memory is shared, with whom, and what was received
    Status,
    /// Give this memory an identity of its own, after its folder was copied
    Renew,
    /// List, add or remove members
    Members(Members),
    /// Stop sharing this project, or one session
    Withhold(ScopeArguments),
    /// Share a withheld project or session again
    Offer(ScopeArguments),
    /// Give a server account access to this project (with -a, to every project)
    Grant(Account),
    /// Revoke a server account's access to this project (with -a, to everything)
    Revoke(Account),
    /// List which server accounts can see which projects
    Access,
}

#[derive(Debug, Args)]
pub(crate) struct Account {
    /// Name of the account, as the server's administrator created it
    pub(crate) account: String,
}

#[derive(Debug, Args)]
pub(crate) struct SharePlace {
    /// A folder that all machines can access, or postgres://user@host/database
    #[arg(value_parser = not_empty)]
    pub(crate) place: String,
    /// Name of this machine, as the others see it [default: the one it has there, or
    /// its host name]
    #[arg(long, value_name = "NAME", value_parser = not_empty)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SharedPlace {
    #[command(flatten)]
    pub(crate) at: SharePlace,
    /// Make the new members owners, because they are your own machines: whatever one of them
    /// forgets or erases is removed everywhere, no matter who recorded it
    #[arg(long)]
    pub(crate) owner: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Members {
    /// Accept records from this store, given by its identity (shown by `share status` there), by
    /// the first 16 or more digits of it, or by name; a name or role that you leave out stays as it
    /// is
    #[arg(long, value_name = "IDENTITY", value_parser = not_empty, conflicts_with = "remove")]
    pub(crate) add: Option<String>,
    /// Stop accepting records from this member, given by its identity, by the first 16 or more
    /// digits of it, or by name
    #[arg(long, value_name = "IDENTITY", value_parser = not_empty)]
    pub(crate) remove: Option<String>,
    /// Name of the member
    #[arg(long, value_name = "NAME", value_parser = not_empty, requires = "add")]
    pub(crate) name: Option<String>,
    /// Make the member an owner: whatever it forgets or erases is removed everywhere, no matter who
    /// recorded it
    #[arg(long, requires = "add")]
    pub(crate) owner: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Conditions {
    /// List unresolved conditions, and the tasks they may refer to
    Open,
    /// List resolved conditions, and what they refer to
    Resolved,
    /// Resolve a condition to the task it refers to
    Resolve {
        /// Text or id of the condition, or a prefix of either
        condition: String,
        /// Title or id of the task, or a prefix of either
        task: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Endless {
    /// Show whether endless mode is on, and what it holds
    Status,
    /// Turn endless mode on, starting with the events of the last 7 days
    #[command(alias = "enable")]
    Start,
    /// Turn endless mode off; sessions are separate again and nothing is lost
    #[command(alias = "disable")]
    Stop,
    /// Show the working set, or the part of it that matches a question (hooks never use it)
    Context {
        /// Question or words to find context for
        words: Vec<String>,
    },
    /// List consolidated memories
    Memories {
        /// Only memories that match these words
        words: Vec<String>,
    },
    /// Consolidate the working set now, even if it is not due yet
    Consolidate,
}

#[derive(Debug, Args)]
pub(crate) struct Entries {
    /// Question or words to search for
    pub(crate) words: Vec<String>,
    /// Only this type: fact, decision, insight, task_note, reference, preference,
    /// pattern or constraint
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) entry_type: Option<recallite::rules::entries::EntryType>,
    /// Only this status: active, contested, superseded or deprecated
    #[arg(long, value_parser = not_empty)]
    pub(crate) status: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID", value_parser = not_empty)]
    pub(crate) session: Option<String>,
    /// Include what was learned from forgotten memories, which no search returns
    #[arg(long, conflicts_with = "words")]
    pub(crate) forgotten: bool,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// The note, or - to read it from standard input
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Session that the note belongs to [default: the project's notes]
    #[arg(long, value_name = "ID", value_parser = not_empty)]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Pin {
    /// Citations of the memories, for example mem:a7Bc3x
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ScopeArguments {
    /// Only this session [default: the whole project]
    #[arg(long, value_name = "ID", value_parser = not_empty)]
    pub(crate) session: Option<String>,
}

impl ScopeArguments {
    /// The scope: a session, or the whole project of a memory.
    pub(crate) fn scope(&self, place: &Place, memory: &Memory) -> Outcome<(ScopeKind, String)> {
        if let Some(session) = &self.session {
            return Ok((ScopeKind::Session, session.clone()));
        }
        place.needs_one_project()?;
        Ok((ScopeKind::Project, memory.project().to_owned()))
    }
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Citations of the memories, for example mem:a7Bc3x
    pub(crate) memories: Vec<String>,
    /// Only this session
    #[arg(long, value_name = "ID", value_parser = not_empty)]
    pub(crate) session: Option<String>,
    /// Only this kind: prompt, response, tool or insight; repeatable
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<EventKind>,
    /// Only memories older than this: 2026-01-30 (in UTC), 30d (30 days ago)
    #[arg(long, value_name = "TIME", value_parser = moment_utc)]
    pub(crate) before: Option<Timestamp>,
    /// Everything in the project (in every project with --all-projects)
    #[arg(long)]
    pub(crate) everything: bool,
    /// Actually remove the memories; without this, they are only counted
    #[arg(long)]
    pub(crate) confirm: bool,
}

/// Who wrote what is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// Claude Code transcripts
    ClaudeCode,
    /// Codex rollouts
    Codex,
    /// Gemini CLI chats
    GeminiCli,
    /// A recallite export, or lines such as {"session": …, "role": …, "content": …}
    Jsonl,
    /// Notes for coding agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules, memory folders
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files or folders to import [default: the transcripts and notes of Claude Code, Codex and
    /// Gemini CLI]
    pub(crate) paths: Vec<PathBuf>,
    /// Format of the files [default: detected for each file]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<Source>,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// JSON lines, for programs and for `import`
    Jsonl,
    /// A readable document
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Output format
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: Form,
    /// Write to this new file [default: standard output]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only this session
    #[arg(long, value_name = "ID", value_parser = not_empty, conflicts_with = "whole")]
    pub(crate) session: Option<String>,
    /// Export the whole log, including the store's secret, for `restore`; keep it private
    #[arg(long)]
    pub(crate) whole: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// File that `export --whole` wrote
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Maintain {
    /// Start no new work after this time: 500ms, 30s, 5m
    #[arg(long = "for", value_name = "TIME", value_parser = duration_ms)]
    pub(crate) time_ms: Option<u64>,
    /// Rewrite the store without removed data, to free disk space
    #[arg(long)]
    pub(crate) compact: bool,
    /// Rebuild all derived data from the log
    #[arg(long)]
    pub(crate) rebuild: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also verify the whole store, as `check` does
    #[arg(long)]
    pub(crate) deep: bool,
}

/// A coding agent that can be given the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    ClaudeCode,
    Codex,
    GeminiCli,
    Cursor,
    Vscode,
}

#[derive(Debug, Args)]
pub(crate) struct View {
    /// Port to listen on at 127.0.0.1 [default: the one in the settings, or a free one]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Don't open a browser; print the address with its token on the first line
    #[arg(long)]
    pub(crate) no_browser: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// Maximum time that the agent waits, in milliseconds
    #[arg(
        long,
        env = DEADLINE_VARIABLE,
        default_value_t = DEADLINE_MS,
        value_name = "MS",
        value_parser = deadline
    )]
    pub(crate) deadline_ms: u64,
}

/// The environment variable of the deadline of every hook.
pub(crate) const DEADLINE_VARIABLE: &str = "RECALLITE_HOOK_DEADLINE_MS";

/// Milliseconds; an empty variable is none.
pub(crate) fn deadline(text: &str) -> Result<u64, std::num::ParseIntError> {
    match text.trim() {
        "" => Ok(DEADLINE_MS),
        number => number.parse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One list for the help, the manual and the README, and what a signal gives is in it.
    #[test]
    fn every_exit_code_is_documented_everywhere() {
        let readme = include_str!("../README.md");
        let section = readme.split("### Exit codes\n").nth(1).unwrap();
        let section = section.split("###").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
        let rows: Vec<(u8, &str)> = rows
            .filter_map(|row| {
                let (code, meaning) = row.split_once(" | ")?;
                Some((code.parse().ok()?, meaning))
            })
            .collect();
        let codes: Vec<u8> = rows.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, exit::ALL.map(|(code, _)| code));
        let help = <Arguments as clap::CommandFactory>::command()
            .render_help()
            .to_string();
        for ((code, meaning), (_, told)) in exit::ALL.iter().zip(rows) {
            let told = told.replace('`', "");
            assert!(told.starts_with(meaning), "{code}: {told}");
            let line = format!("{code:<4}{meaning}");
            assert!(help.contains(&line), "{line}: {help}");
        }
        for signal in [2, 15] {
            assert!(exit::ALL.iter().any(|(code, _)| *code == 128 + signal));
        }
    }

    #[test]
    fn the_declaration_is_sound() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
