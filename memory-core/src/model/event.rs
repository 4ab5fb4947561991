//! Events as a caller gives them, as the log keeps them, and the receipt
//! between the two.

use std::fmt;
use std::str::FromStr;

use super::error::{Error, Result};
use super::ids::{CitationId, EventId, Seq};
use super::json::Json;
use super::read::words;
use super::time::Timestamp;

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// What an event records. The number and the name are stable on disk
        /// and in every language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum EventKind { $($(#[$doc])* $name = $code,)* }

        impl EventKind {
            /// Every kind, in numeric order.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$name,)*];

            /// The stable name, for example `"user_prompt"`.
            pub fn as_str(self) -> &'static str {
                match self { $(EventKind::$name => $text,)* }
            }

            /// The kind with this stable number.
            pub(crate) fn from_number(number: u16) -> Option<Self> {
                match number { $($code => Some(EventKind::$name),)* _ => None }
            }
        }
    };
}

event_kinds! {
    /// What a person asked or said.
    UserPrompt = 1, "user_prompt";
    /// What the agent answered.
    AgentResponse = 2, "agent_response";
    /// A summary of a session.
    SessionSummary = 3, "session_summary";
    /// One call of a tool and what came back.
    ToolObservation = 4, "tool_observation";
    /// Pipeline: a session's messages were taken in for learning.
    SessionIngested = 16, "session_ingested";
    /// Pipeline: an extractor's result for a session.
    MemoryExtracted = 17, "memory_extracted";
    /// Pipeline: quotes were aligned to exact spans.
    EvidenceAligned = 18, "evidence_aligned";
    /// Pipeline: entries were type checked.
    IdrisChecked = 19, "idris_checked";
    /// An entry came into being, changed stage, or was superseded.
    EntryChanged = 20, "entry_changed";
    /// A build run began, succeeded or failed.
    BuildRun = 21, "build_run";
    /// A decision with its evidence.
    DecisionMade = 22, "decision_made";
    /// Two entries were found to disagree, or the disagreement was resolved.
    ConflictChanged = 23, "conflict_changed";
    /// A pipeline stage reported how long it took.
    PipelineMetric = 24, "pipeline_metric";
    /// An edge was created or removed by a caller.
    EdgeChanged = 25, "edge_changed";
    /// A task came into being.
    TaskCreated = 32, "task_created";
    /// A task moved to another status.
    TaskStatusChanged = 33, "task_status_changed";
    /// A task's priority changed.
    TaskPriorityChanged = 34, "task_priority_changed";
    /// A task's blockers were replaced or suggested.
    TaskBlockersSet = 35, "task_blockers_set";
    /// A task's requested move was refused.
    TaskTransitionRejected = 36, "task_transition_rejected";
    /// A condition that can block tasks was declared.
    ConditionDeclared = 37, "condition_declared";
    /// An artifact that can block tasks was declared.
    ArtifactDeclared = 38, "artifact_declared";
    /// A condition turned out to be another entity.
    ConditionResolvedTo = 39, "condition_resolved_to";
    /// A task's title changed.
    TaskTitleChanged = 40, "task_title_changed";
    /// A session began, ended, or got a summary or tags.
    SessionChanged = 48, "session_changed";
    /// Recalled events, in batches.
    Accessed = 49, "accessed";
    /// Recalled text was given to an agent, with its citations.
    Injected = 50, "injected";
    /// Events were forgotten (a tombstone).
    Forgotten = 51, "forgotten";
    /// Events were erased from the log.
    Erased = 52, "erased";
    /// An event moved to another memory level.
    LevelChanged = 53, "level_changed";
    /// Something was consolidated from the working set.
    Consolidated = 54, "consolidated";
    /// Continuity between two contexts was scored.
    ContinuityScored = 55, "continuity_scored";
    /// A setting of the store changed (mode, endless mode).
    SettingChanged = 56, "setting_changed";
    /// An uncertain memory was confirmed, rejected or left pending.
    MemoryResolved = 57, "memory_resolved";
    /// An event was pinned or unpinned.
    PinChanged = 58, "pin_changed";
}

impl EventKind {
    /// Whether the event is a part of a conversation (prompt, response, tool
    /// observation or session summary) and so is found by search.
    pub fn is_conversation(self) -> bool {
        matches!(
            self,
            EventKind::UserPrompt
                | EventKind::AgentResponse
                | EventKind::SessionSummary
                | EventKind::ToolObservation
        )
    }

    /// Whether a caller may append events of this kind: the four kinds of a
    /// conversation. Every other kind says what the library itself did, and
    /// replaying the log acts on it: only the calls that do such a thing, such
    /// as [`Memory::forget`](crate::Memory::forget), record it.
    pub fn is_appendable(self) -> bool {
        self.is_conversation()
    }

    /// The word that people see: `prompt`, `response`, `insight`, `tool`, or
    /// the stable name for everything else.
    pub fn display_name(self) -> &'static str {
        match self {
            EventKind::UserPrompt => "prompt",
            EventKind::AgentResponse => "response",
            EventKind::SessionSummary => "insight",
            EventKind::ToolObservation => "tool",
            other => other.as_str(),
        }
    }

    /// The stable number of the kind.
    pub fn number(self) -> u16 {
        self as u16
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EventKind {
    type Err = Error;

    /// Accepts the stable name, the display word of a conversation kind, and
    /// `assistant_response`.
    fn from_str(text: &str) -> Result<Self> {
        EventKind::ALL
            .iter()
            .copied()
            .find(|kind| {
                kind.as_str() == text || (kind.is_conversation() && kind.display_name() == text)
            })
            .or((text == "assistant_response").then_some(EventKind::AgentResponse))
            .ok_or_else(|| Error::invalid("kind", format_args!("{text:?} is not an event kind")))
    }
}

/// Where an event's text came from, so that recalled text which comes back is
/// recognised and not learned again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Origin {
    /// A person wrote it.
    User = 1,
    /// An agent wrote it.
    Assistant = 2,
    /// A tool returned it.
    Tool = 3,
    /// It was fetched from the web.
    Web = 4,
    /// It is recalled text that came back.
    Recalled = 5,
    /// The library itself recorded it.
    System = 6,
}

impl Origin {
    /// Every origin, in numeric order.
    pub const ALL: &'static [Origin] = &[
        Origin::User,
        Origin::Assistant,
        Origin::Tool,
        Origin::Web,
        Origin::Recalled,
        Origin::System,
    ];

    /// The stable name, for example `"assistant"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Assistant => "assistant",
            Origin::Tool => "tool",
            Origin::Web => "web",
            Origin::Recalled => "recalled",
            Origin::System => "system",
        }
    }

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Origin::ALL
            .iter()
            .copied()
            .find(|origin| *origin as u8 == number)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Origin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Origin::ALL
            .iter()
            .copied()
            .find(|origin| origin.as_str() == text)
            .ok_or_else(|| Error::invalid("origin", format_args!("{text:?} is not an origin")))
    }
}

/// One call of a tool, as the host saw it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolUse {
    /// The tool's name, for example `"Read"`.
    pub name: String,
    /// The arguments, as JSON.
    pub input: Option<Json>,
    /// What the tool returned, as text.
    pub output: String,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether it succeeded; by default true when `error` is absent.
    pub success: Option<bool>,
    /// The error message, when it failed.
    pub error: Option<String>,
    /// Which prompt of the session caused the call, counted from 0.
    pub prompt_index: Option<u32>,
    /// Which call within that prompt this is, counted from 0.
    pub tool_index: Option<u32>,
}

/// How a repeated event is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dedupe {
    /// The same content in the same session is one event (the default).
    #[default]
    Content,
    /// The same key is one event, for example a transcript's message uuid.
    Key(String),
    /// Every call stores an event.
    None,
}

/// An event to be remembered.
///
/// ```
/// use recallite::{EventKind, NewEvent};
/// let event = NewEvent::new(EventKind::UserPrompt, "session-1", "What did we decide about the cache?")
///     .actor("Ada")
///     .project("shop");
/// assert_eq!(event.session, "session-1");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// What it records: one of the four kinds of a conversation, `user_prompt`,
    /// `agent_response`, `session_summary` or `tool_observation`.
    pub kind: EventKind,
    /// The conversation it belongs to; 1 to 1,024 bytes.
    pub session: String,
    /// The text. For a tool observation it may stay empty: it is then made
    /// from `tool`.
    pub content: String,
    /// Who: `user`, `assistant`, a tool's name or a speaker's name. By default
    /// derived from the kind.
    pub actor: Option<String>,
    /// Where the text came from. By default derived from the kind.
    pub origin: Option<Origin>,
    /// The project scope. By default the project that the memory was opened for.
    pub project: Option<String>,
    /// When it happened. By default now.
    pub timestamp: Option<Timestamp>,
    /// Anything else, as a JSON object.
    pub metadata: Option<Json>,
    /// How a repetition is recognised: the same content in the same session is one event
    /// (the default), the same key is one event, or every call stores an event.
    pub dedupe: Dedupe,
    /// The tool call, for a `tool_observation`.
    pub tool: Option<ToolUse>,
}

impl NewEvent {
    /// An event with everything optional left at its default.
    pub fn new(kind: EventKind, session: impl Into<String>, content: impl Into<String>) -> Self {
        NewEvent {
            kind,
            session: session.into(),
            content: content.into(),
            actor: None,
            origin: None,
            project: None,
            timestamp: None,
            metadata: None,
            dedupe: Dedupe::Content,
            tool: None,
        }
    }

    /// A tool observation; its content is made from the call.
    pub fn tool(session: impl Into<String>, tool: ToolUse) -> Self {
        let mut event = NewEvent::new(EventKind::ToolObservation, session, "");
        event.tool = Some(tool);
        event
    }

    /// Names who said or did it.
    #[must_use]
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Says where the text came from.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Puts the event into a project.
    #[must_use]
    pub fn project(mut self, project: impl Into<String>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Says when it happened.
    #[must_use]
    pub fn timestamp(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// Attaches a JSON object.
    #[must_use]
    pub fn metadata(mut self, metadata: Json) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Chooses how a repetition is recognised.
    #[must_use]
    pub fn dedupe(mut self, dedupe: Dedupe) -> Self {
        self.dedupe = dedupe;
        self
    }
}

/// What the privacy filter did to one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrivacyReport {
    /// Private sections that were taken out.
    pub private_count: u32,
    /// Secrets that were masked.
    pub secret_count: u32,
    /// Personal data that was anonymised (only with `anonymize`).
    pub anonymized_count: u32,
    /// Length of the text before filtering, in UTF-8 bytes.
    pub original_bytes: u64,
    /// Length of the text after filtering, in UTF-8 bytes.
    pub filtered_bytes: u64,
}

impl Appended {
    /// The receipt of an event that is not to be stored.
    pub(crate) fn skipped(reason: SkipReason) -> Self {
        Appended {
            id: EventId::from_bytes([0; 16]),
            seq: Seq(0),
            citation: CitationId::from_checked(String::new()),
            duplicate: false,
            skipped: Some(reason),
            privacy: PrivacyReport::default(),
            truncated_bytes: 0,
            warnings: Vec::new(),
        }
    }
}

impl PrivacyReport {
    /// Whether anything was taken out or masked.
    pub fn changed(&self) -> bool {
        self.private_count + self.secret_count + self.anonymized_count > 0
    }
}

words! {
    /// Why an append stored nothing, though nothing is wrong.
    SkipReason ("skipped") {
        /// Calls of this tool, or of all tools, are not to be stored.
        ToolExcluded = "tool_excluded",
        /// The call failed, and only those that succeed are to be stored.
        ToolFailed = "tool_failed",
        /// Recording is paused for its session or its project.
        Paused = "paused",
    }
}

/// The receipt of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// The event's id: the stored one's when this was a duplicate. All zeros when it
    /// was skipped.
    pub id: EventId,
    /// The event's position in the log; 0 when it was skipped.
    pub seq: Seq,
    /// The event's citation; empty when it was skipped.
    pub citation: CitationId,
    /// True when the same event was there already and nothing was written.
    pub duplicate: bool,
    /// Why nothing was stored, although nothing is wrong; `None` when the event is on the
    /// disk.
    pub skipped: Option<SkipReason>,
    /// What the privacy filter did.
    pub privacy: PrivacyReport,
    /// How many bytes of tool output were cut away; 0 when nothing was.
    pub truncated_bytes: u64,
    /// Things the caller should know, for example an unclosed private tag.
    pub warnings: Vec<String>,
}

/// The stored form of a tool call: masked, cut, with its metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolRecord {
    /// The tool's name.
    pub name: String,
    /// The masked arguments, as JSON.
    pub input: Option<Json>,
    /// The masked output, cut to the limits in force when it was stored.
    pub output: String,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether it succeeded.
    pub success: bool,
    /// The masked error message.
    pub error: Option<String>,
    /// Which prompt of the session caused the call, counted from 0.
    pub prompt_index: Option<u32>,
    /// Which call within that prompt this is, counted from 0.
    pub tool_index: Option<u32>,
    /// What was derived from the call (file path, exit code, …), as a JSON object.
    pub metadata: Json,
}

/// A remembered event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Its identity.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What it records.
    pub kind: EventKind,
    /// The conversation it belongs to.
    pub session: String,
    /// The project it belongs to; empty when it has none.
    pub project: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The filtered text, whole.
    pub content: String,
    /// The canonical key of the text.
    pub canonical_key: String,
    /// What the caller attached, as a JSON object.
    pub metadata: Option<Json>,
    /// The tool call, for a tool observation.
    pub tool: Option<ToolRecord>,
    /// What the privacy filter did when it was stored.
    pub privacy: PrivacyReport,
}
