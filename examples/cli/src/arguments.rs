//! The arguments of every command, declared once: parsing, help and completions
//! come from here.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum};
use recallite::rules::levels::Level;
use recallite::rules::tasks::{Priority, TaskStatus};
use recallite::{EventKind, Memory, PauseScope, Timestamp, ToolOutcome};

use crate::time::{duration_ms, moment};

/// The longest that a hook lets the agent wait, in milliseconds.
pub(crate) const DEADLINE_MS: u64 = 300;

/// An agent's memory: what was said and done, found again and cited.
#[derive(Debug, Parser)]
#[command(name = "recallite", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 3 not found, 4 busy, 5 damaged, \
                        6 --confirm is missing, 64 wrong arguments."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where to look and how to show it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// The store's folder [default: the user's own memory]
    #[arg(long, global = true, env = "RECALLITE_STORE", value_name = "DIR", value_parser = path())]
    pub(crate) store: Option<PathBuf>,
    /// A settings file: JSON, see docs/guides/settings.md [default: none]
    #[arg(long, global = true, env = "RECALLITE_SETTINGS", value_name = "FILE", value_parser = path())]
    pub(crate) settings: Option<PathBuf>,
    /// The project, by name or folder [default: the working folder's repository]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Look in every project
    #[arg(long, short = 'a', global = true, conflicts_with = "project")]
    pub(crate) all_projects: bool,
    /// Print one JSON document instead of lines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Tell on standard error what the memory does by itself; twice for every step
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find memories that answer a question
    Search(Search),
    /// Show memories in full, by their citations
    Show(Show),
    /// List what was said and done, the newest first
    History(History),
    /// List the conversations, the newest first
    Sessions(Limited),
    /// Show what happened around memories
    Timeline(Timeline),
    /// List the tasks
    Tasks(Tasks),
    /// Show or change one task
    #[command(subcommand)]
    Task(Task),
    /// List the blocked tasks with what stands in their way
    Blocked,
    /// What blocked tasks wait for in words: list it, or say which task it means
    #[command(subcommand)]
    Conditions(Conditions),
    /// List or search what was learned: decisions, facts, preferences, ...
    Entries(Entries),
    /// List what the use of the memories gave away
    Insights,
    /// One conversation without end: how it stands, begin it, end it
    #[command(subcommand)]
    Endless(Endless),
    /// Remember a note
    Remember(Remember),
    /// Pin memories: every context begins with them
    Pin(Pin),
    /// Take back that memories are pinned
    Unpin(Pin),
    /// What is pinned
    Pinned,
    /// Record nothing of this project, or of one conversation, until `resume`
    Pause(Paused),
    /// Record it again
    Resume(Paused),
    /// Of what nothing is recorded for now
    Paused,
    /// Forget memories: nothing shows them any more
    Forget(Remove),
    /// Erase memories: no byte of them stays in the store
    Erase(Remove),
    /// Import conversations and notes of coding agents, or lines of JSON
    Import(Import),
    /// Write memories as lines of JSON or as Markdown
    Export(Export),
    /// Copy the store into a new folder, while it is in use
    Backup {
        /// The new folder
        path: PathBuf,
    },
    /// One memory on several machines, over a folder that all of them see or a server
    #[command(subcommand)]
    Share(Share),
    /// Prove that the store is as it was written
    Check,
    /// Do what may wait: merging, judging, consolidating
    Maintain(Maintain),
    /// Figures about the store
    Stats,
    /// Say what is wrong, and the command that mends it
    Doctor(Doctor),
    /// Show the settings that are in force, and where each comes from
    Config,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual, or write a page for each command
    Man {
        /// The folder for the pages, for example ~/.local/share/man/man1
        #[arg(long, short = 'o', value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Put the memory into a coding agent: its hooks and its MCP server
    Install {
        /// The agent
        host: Host,
    },
    /// Take the memory out of a coding agent; what is remembered stays
    Uninstall {
        /// The agent
        host: Host,
    },
    /// Show the memory in a browser, on this machine only
    View(View),
    /// Serve the Model Context Protocol on standard input and output
    Mcp,
    /// Serve a hook of a coding agent: JSON on standard input, JSON or nothing back
    ///
    /// Claude Code, Codex, Gemini CLI and VS Code are known by what they send. Always
    /// ends with 0 and within the deadline, whatever happens; `doctor` tells of it. The project
    /// is that of the folder that the agent names: of the options for every command, --store
    /// and --settings alone mean something here.
    Hook(Hook),
}

/// A path, which may be empty: see `Place::leave_out_empty_variables`.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// How many are wanted.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("must be a whole number from 1 on".to_owned()),
        Ok(number) => Ok(number),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Limited {
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

/// What narrows events.
#[derive(Debug, Default, Args)]
pub(crate) struct Narrowed {
    /// Only this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only these kinds: prompt, response, tool, insight
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<EventKind>,
    /// Only since then: 2026-01-30, 7d, 12h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only before then
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
    /// Only calls of this tool; may be given again
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// Only tool calls on files whose path contains this
    #[arg(long, value_name = "PART")]
    pub(crate) file: Option<String>,
    /// Only tool calls that failed
    #[arg(long, conflicts_with = "succeeded")]
    failed: bool,
    /// Only tool calls that succeeded
    #[arg(long)]
    succeeded: bool,
}

impl Narrowed {
    /// How the tool calls ended that are wanted.
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
    /// The question, or the words to look for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 5, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) narrowed: Narrowed,
    /// Only what answers with at least this likelihood, 0 to 1
    #[arg(long, value_name = "P")]
    pub(crate) min_relevance: Option<f32>,
    /// Only what has risen to this level or higher by being used: L0 to L4
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// As it was known then: 2026-01-30, 7d
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) as_of: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Citations, for example mem:a7Bc3x
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) narrowed: Narrowed,
}

#[derive(Debug, Args)]
pub(crate) struct Timeline {
    /// Citations, for example mem:a7Bc3x
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
    /// So many before and after each
    #[arg(long, short = 'w', default_value_t = recallite::DEFAULT_TIMELINE_WINDOW, value_name = "N")]
    pub(crate) window: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Tasks {
    /// Only in this status: pending, in_progress, blocked, done, cancelled
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<TaskStatus>,
    /// Finished and given up ones too
    #[arg(long, conflicts_with = "status")]
    pub(crate) all: bool,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 50, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Show a task with what blocks it and its history
    Show {
        /// Its title, its id, or the beginning of either
        task: String,
    },
    /// Make a task
    Add {
        /// What is to be done
        title: String,
        /// low, medium, high or critical
        #[arg(long, default_value = "medium")]
        priority: Priority,
        /// What it waits for: a task's title, a ticket, an address, a condition
        #[arg(long = "blocked-by", value_name = "WHAT")]
        blocked_by: Vec<String>,
    },
    /// Say that a task was begun
    Start {
        /// Its title, its id, or the beginning of either
        task: String,
    },
    /// Say that a task is finished
    Done {
        /// Its title, its id, or the beginning of either
        task: String,
    },
    /// Say that a task cannot go on
    Block {
        /// Its title, its id, or the beginning of either
        task: String,
        /// What it waits for
        #[arg(long = "by", value_name = "WHAT")]
        blocked_by: Vec<String>,
    },
    /// Give a task up
    Cancel {
        /// Its title, its id, or the beginning of either
        task: String,
    },
    /// Give a task another title
    Rename {
        /// Its title, its id, or the beginning of either
        task: String,
        /// The new title
        title: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Share {
    /// Begin to share this memory in a folder (a USB stick, a synchronised folder) or on a
    /// PostgreSQL
    Init(SharePlace),
    /// Take part: take everybody who made themselves known there as a member
    Join(SharePlace),
    /// Write there what is new here, for the others
    Push,
    /// Take what the others wrote
    Pull,
    /// Push and pull until interrupted, about every second
    Watch,
    /// Where it is shared, with whom, and how far each has come
    Status,
    /// Who takes part; add or remove one
    Members(Members),
    /// Keep this project, or one conversation, from the others
    Withhold(Paused),
    /// Share it again
    Offer(Paused),
    /// Let an account of the server take part, and see this project (-a: every project)
    Grant(Account),
    /// Let it see this project no more (-a: nothing at all)
    Revoke(Account),
    /// Which account of the server sees which projects
    Access,
}

#[derive(Debug, Args)]
pub(crate) struct Account {
    /// The account of the server, as its administrator made it
    pub(crate) account: String,
}

#[derive(Debug, Args)]
pub(crate) struct SharePlace {
    /// The folder that all machines see, or postgres://user@host/database
    pub(crate) place: String,
    /// What the others call this machine [default: its host name]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The other machines are yours too: what is forgotten or erased on one of them goes
    /// everywhere, whoever recorded it
    #[arg(long)]
    pub(crate) owner: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Members {
    /// Take records of this store from now on: its identity, as its `share status` says
    #[arg(long, value_name = "IDENTITY", conflicts_with = "remove")]
    pub(crate) add: Option<String>,
    /// Take no more records of this store
    #[arg(long, value_name = "IDENTITY")]
    pub(crate) remove: Option<String>,
    /// What to call the new member
    #[arg(long, value_name = "NAME", requires = "add")]
    pub(crate) name: Option<String>,
    /// What the new member forgets and erases goes everywhere, whoever recorded it
    #[arg(long, requires = "add")]
    pub(crate) owner: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Conditions {
    /// List the conditions that blocked tasks wait for, with the tasks they may mean
    Open,
    /// List the conditions that turned out to be a task or something else
    Resolved,
    /// Say which task a condition means
    Resolve {
        /// Its words, its id, or the beginning of either
        condition: String,
        /// The task: its title, its id, or the beginning of either
        task: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Endless {
    /// Show whether it is on, and what it holds
    Status,
    /// Begin it: the events of the last 7 days are its present
    Start,
    /// End it: each conversation is one of its own again, and nothing is lost
    Stop,
    /// Show what an agent is given at its start, or for a question
    Context {
        /// A question, or words that matter now
        words: Vec<String>,
    },
    /// List the memories that were made of events
    Memories {
        /// Only those that these words find
        words: Vec<String>,
    },
    /// Make memories of the present now, whether it is due or not
    Consolidate,
}

#[derive(Debug, Args)]
pub(crate) struct Entries {
    /// A question, or words to look for
    pub(crate) words: Vec<String>,
    /// fact, decision, insight, task_note, reference, preference or pattern
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) entry_type: Option<recallite::rules::entries::EntryType>,
    /// active, contested, superseded or deprecated
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Only this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// The note; - reads it from standard input
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// The conversation it belongs to [default: the project's notes]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Pin {
    /// These memories, by their citations
    #[arg(required = true)]
    pub(crate) memories: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Paused {
    /// This conversation [default: the whole project]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

impl Paused {
    /// What is meant: the conversation, or the whole project of a memory.
    pub(crate) fn scope(&self, memory: &Memory) -> (PauseScope, String) {
        match &self.session {
            Some(session) => (PauseScope::Session, session.clone()),
            None => (PauseScope::Project, memory.project().to_owned()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// These memories, by their citations
    pub(crate) memories: Vec<String>,
    /// Only this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only these kinds: prompt, response, tool, insight
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<EventKind>,
    /// Only before then: 2026-01-30, 30d
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) before: Option<Timestamp>,
    /// Everything of the project (of every project with --all-projects)
    #[arg(long)]
    pub(crate) everything: bool,
    /// Do it; without this, only count
    #[arg(long)]
    pub(crate) confirm: bool,
}

/// Who wrote what is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// Claude Code's transcripts
    ClaudeCode,
    /// Codex's rollouts
    Codex,
    /// Gemini CLI's chats
    GeminiCli,
    /// An export of recallite, or lines such as {"session": …, "role": …, "content": …}
    Jsonl,
    /// Notes for coding agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules, memory folders
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files or folders [default: what the coding agents of this user left]
    pub(crate) paths: Vec<PathBuf>,
    /// Who wrote them [default: seen from each file]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<Source>,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Lines of JSON, for programs and for `import`
    Jsonl,
    /// A document for people
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The form
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: Form,
    /// A new file [default: standard output]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only this conversation
    #[arg(long, value_name = "ID", conflicts_with = "whole")]
    pub(crate) session: Option<String>,
    /// The whole log with its secrets, for a verbatim restore; keep it private
    #[arg(long)]
    pub(crate) whole: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Maintain {
    /// Begin nothing new after this time: 500ms, 30s, 5m
    #[arg(long = "for", value_name = "TIME", value_parser = duration_ms)]
    pub(crate) time_ms: Option<u64>,
    /// Write the store anew without what is gone
    #[arg(long)]
    pub(crate) compact: bool,
    /// Make everything derived anew from the log
    #[arg(long)]
    pub(crate) rebuild: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Prove the whole store too, as `check` does
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
    /// The port on 127.0.0.1 [default: that of the settings, or a free one]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Open no browser; the first line printed is the address with its token
    #[arg(long)]
    pub(crate) no_browser: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The longest that the agent may wait, in milliseconds
    #[arg(long, default_value_t = DEADLINE_MS, value_name = "MS")]
    pub(crate) deadline_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
