//! What JavaScript gives, as the core wants it. Types were checked by the
//! TypeScript layer; ranges are checked here and in the core.

use std::str::FromStr;
use std::time::{Duration, Instant};

use napi::Either;
use napi_derive::napi;
use recallite::scope::ProjectScope;
use recallite::transcript::ImportOptions;
use recallite::{
    Dedupe, Error, EventFilter, EventKind, EventRef, Json, NewEvent, Query, Result, Seq,
    SessionUpdate, Timestamp, ToolUse,
};

/// The largest whole number up to which every whole number is exact in a double.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A time: milliseconds since 1970, or text in RFC 3339.
pub type Time = Either<f64, String>;

/// An event's name: its position in the log, or an id or a citation.
pub type Name = Either<f64, String>;

/// A whole number that is not negative.
pub fn count(argument: &str, value: f64) -> Result<u64> {
    if value.fract() != 0.0 || !(0.0..=MAX_SAFE_INTEGER as f64).contains(&value) {
        return Err(Error::invalid(
            argument,
            format_args!("{value} is not a whole number from 0 to 2^53 - 1"),
        ));
    }
    Ok(value as u64)
}

/// A count of things in memory.
pub fn size(argument: &str, value: f64) -> Result<usize> {
    count(argument, value).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
}

/// A span of time, in milliseconds.
pub fn milliseconds(argument: &str, value: f64) -> Result<i64> {
    count(argument, value).map(|value| i64::try_from(value).unwrap_or(i64::MAX))
}

/// A whole number of 32 bits.
pub fn small(argument: &str, value: f64) -> Result<u32> {
    u32::try_from(count(argument, value)?)
        .map_err(|_| Error::invalid(argument, format_args!("{value} is more than 2^32 - 1")))
}

/// A value that may be left out.
pub fn optional<T, U>(
    argument: &str,
    value: Option<T>,
    convert: impl FnOnce(&str, T) -> Result<U>,
) -> Result<Option<U>> {
    value.map(|value| convert(argument, value)).transpose()
}

/// A time, named as the caller wrote it.
pub fn time(argument: &str, value: Time) -> Result<Timestamp> {
    let time = match value {
        Either::A(ms) if ms.fract() != 0.0 || ms.abs() > MAX_SAFE_INTEGER as f64 => {
            return Err(Error::invalid(
                argument,
                format_args!("{ms} is not a whole number of milliseconds"),
            ));
        }
        Either::A(ms) => Timestamp::from_millis(ms as i64),
        Either::B(text) => text.parse(),
    };
    time.map_err(|error: Error| error.about(argument))
}

/// An event's name.
pub fn name(argument: &str, value: Name) -> Result<EventRef> {
    match value {
        Either::A(seq) => count(argument, seq).map(|seq| EventRef::Seq(Seq(seq))),
        Either::B(text) => text.parse().map_err(|error: Error| error.about(argument)),
    }
}

/// Several events' names.
pub fn names(argument: &str, values: Vec<Name>) -> Result<Vec<EventRef>> {
    values
        .into_iter()
        .enumerate()
        .map(|(index, value)| name(&format!("{argument}[{index}]"), value))
        .collect()
}

/// An event's kind.
pub fn kind(argument: &str, text: &str) -> Result<EventKind> {
    word(argument, text)
}

/// One of a set of fixed words; the error names the argument, whatever the
/// core calls the set.
pub fn word<T: FromStr<Err = Error>>(argument: &str, text: &str) -> Result<T> {
    text.parse().map_err(|error: Error| error.about(argument))
}

/// Several kinds; none for an absent list.
pub fn kinds(values: Option<Vec<String>>) -> Result<Vec<EventKind>> {
    words("kinds", values)
}

/// Several words of one kind; none for an absent list.
fn words<T: FromStr<Err = Error>>(argument: &str, values: Option<Vec<String>>) -> Result<Vec<T>> {
    values
        .unwrap_or_default()
        .iter()
        .enumerate()
        .map(|(index, text)| word(&format!("{argument}[{index}]"), text))
        .collect()
}

/// The projects that a read looks at.
pub fn scope(project: Option<String>, all_projects: Option<bool>) -> Result<ProjectScope> {
    match (project, all_projects.unwrap_or(false)) {
        (Some(_), true) => Err(Error::invalid(
            "project",
            "give either project or allProjects",
        )),
        (Some(name), false) => Ok(ProjectScope::Named(name)),
        (None, true) => Ok(ProjectScope::All),
        (None, false) => Ok(ProjectScope::Own),
    }
}

/// As [`scope`], into an option.
pub fn replace_scope(
    project: Option<String>,
    all_projects: Option<bool>,
    to: &mut ProjectScope,
) -> Result<()> {
    *to = scope(project, all_projects)?;
    Ok(())
}

/// A tool call. `input_json` is JSON text.
#[napi(object, object_to_js = false)]
pub struct NativeToolUse {
    pub name: String,
    pub input_json: Option<String>,
    pub output: Option<String>,
    pub duration_ms: Option<f64>,
    pub success: Option<bool>,
    pub error: Option<String>,
    pub prompt_index: Option<f64>,
    pub tool_index: Option<f64>,
}

/// An event to be remembered. `metadata_json` is JSON text; `has_dedupe` is
/// false when every call shall store an event.
#[napi(object, object_to_js = false)]
pub struct NativeNewEvent {
    pub kind: String,
    pub session: String,
    pub content: Option<String>,
    pub actor: Option<String>,
    pub origin: Option<String>,
    pub project: Option<String>,
    pub timestamp: Option<Time>,
    pub metadata_json: Option<String>,
    pub has_dedupe: Option<bool>,
    pub dedupe_key: Option<String>,
    pub tool: Option<NativeToolUse>,
}

impl NativeNewEvent {
    /// The core's event.
    pub fn event(self) -> Result<NewEvent> {
        let mut event = NewEvent::new(
            kind("kind", &self.kind)?,
            self.session,
            self.content.unwrap_or_default(),
        );
        event.actor = self.actor;
        event.origin = self.origin.map(|text| text.parse()).transpose()?;
        event.project = self.project;
        event.timestamp = optional("timestamp", self.timestamp, time)?;
        event.metadata = optional("metadata", self.metadata_json.as_deref(), Json::parse)?;
        event.dedupe = match (self.has_dedupe, self.dedupe_key) {
            (Some(false), _) => Dedupe::None,
            (_, Some(key)) => Dedupe::Key(key),
            (_, None) => Dedupe::Content,
        };
        event.tool = self.tool.map(NativeToolUse::tool).transpose()?;
        Ok(event)
    }
}

impl NativeToolUse {
    fn tool(self) -> Result<ToolUse> {
        Ok(ToolUse {
            name: self.name,
            input: optional("tool.input", self.input_json.as_deref(), Json::parse)?,
            output: self.output.unwrap_or_default(),
            duration_ms: optional("tool.duration_ms", self.duration_ms, count)?,
            success: self.success,
            error: self.error,
            prompt_index: optional("tool.prompt_index", self.prompt_index, small)?,
            tool_index: optional("tool.tool_index", self.tool_index, small)?,
        })
    }
}

/// Several events; an error names the index of the event that is wrong.
pub fn events(events: Vec<NativeNewEvent>) -> Result<Vec<NewEvent>> {
    events
        .into_iter()
        .enumerate()
        .map(|(index, event)| {
            event.event().map_err(|error| {
                let place = error
                    .argument()
                    .map(|argument| format!("events[{index}].{argument}"));
                match place {
                    Some(place) => error.about(place),
                    None => error,
                }
            })
        })
        .collect()
}

/// Which events are read.
#[napi(object, object_to_js = false)]
pub struct NativeEventFilter {
    pub session: Option<String>,
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub kinds: Option<Vec<String>>,
    pub from: Option<Time>,
    pub until: Option<Time>,
    pub tools: Option<Vec<String>>,
    pub file_contains: Option<String>,
    pub tool_outcome: Option<String>,
    pub newest_first: Option<bool>,
    pub limit: Option<f64>,
}

impl NativeEventFilter {
    /// The core's filter.
    pub fn filter(self) -> Result<EventFilter> {
        let mut filter = EventFilter::new();
        filter.session = self.session;
        filter.project = scope(self.project, self.all_projects)?;
        filter.kinds = kinds(self.kinds)?;
        filter.from = optional("from", self.from, time)?;
        filter.until = optional("until", self.until, time)?;
        filter.tools = self.tools.unwrap_or_default();
        filter.file_contains = self.file_contains;
        filter.tool_outcome = optional("tool_outcome", self.tool_outcome.as_deref(), word)?;
        filter.newest_first = self.newest_first.unwrap_or(false);
        filter.limit = optional("limit", self.limit, size)?;
        Ok(filter)
    }
}

/// What a search asks for.
#[napi(object, object_to_js = false)]
pub struct NativeQuery {
    pub text: String,
    pub limit: Option<f64>,
    pub session: Option<String>,
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub kinds: Option<Vec<String>>,
    pub from: Option<Time>,
    pub until: Option<Time>,
    pub min_relevance: Option<f64>,
    pub deadline_ms: Option<f64>,
    pub include_recalled: Option<bool>,
    pub vector: Option<Vec<f64>>,
    pub learned: Option<bool>,
    pub learned_kinds: Option<Vec<String>>,
    pub entry_types: Option<Vec<String>>,
    pub as_of: Option<Time>,
    pub tools: Option<Vec<String>>,
    pub file_contains: Option<String>,
    pub tool_outcome: Option<String>,
    pub min_level: Option<String>,
}

impl NativeQuery {
    /// The core's query. The time that the call waited for a worker since
    /// `asked` counts towards its deadline.
    pub fn query(self, asked: Instant) -> Result<Query> {
        let mut query = Query::new(self.text);
        query.limit = optional("limit", self.limit, size)?;
        query.session = self.session;
        query.project = scope(self.project, self.all_projects)?;
        query.kinds = kinds(self.kinds)?;
        query.from = optional("from", self.from, time)?;
        query.until = optional("until", self.until, time)?;
        query.min_relevance = self.min_relevance.map(|relevance| relevance as f32);
        query.deadline = optional("deadline_ms", self.deadline_ms, count)?
            .map(|ms| Duration::from_millis(ms).saturating_sub(asked.elapsed()));
        query.include_recalled = self.include_recalled.unwrap_or(false);
        query.vector = self
            .vector
            .map(|numbers| numbers.into_iter().map(|x| x as f32).collect());
        query.learned = self.learned.unwrap_or(true);
        query.learned_kinds = words("learned_kinds", self.learned_kinds)?;
        query.entry_types = words("entry_types", self.entry_types)?;
        query.as_of = optional("as_of", self.as_of, time)?;
        query.tools = self.tools.unwrap_or_default();
        query.file_contains = self.file_contains;
        query.tool_outcome = optional("tool_outcome", self.tool_outcome.as_deref(), word)?;
        query.min_level = optional("min_level", self.min_level.as_deref(), word)?;
        Ok(query)
    }
}

/// A change of a session.
#[napi(object, object_to_js = false)]
pub struct NativeSessionUpdate {
    pub project: Option<String>,
    pub started: Option<Time>,
    pub ended: Option<Time>,
    pub summary: Option<String>,
    pub tags: Option<Vec<String>>,
}

impl NativeSessionUpdate {
    /// The core's change.
    pub fn update(self) -> Result<SessionUpdate> {
        Ok(SessionUpdate {
            project: self.project,
            started: optional("started", self.started, time)?,
            ended: optional("ended", self.ended, time)?,
            summary: self.summary,
            tags: self.tags,
        })
    }
}

/// How transcripts are imported.
#[napi(object, object_to_js = false)]
pub struct NativeImportOptions {
    pub has_tool_observations: Option<bool>,
    pub keeps_blank_text: Option<bool>,
    pub response_limit_utf16: Option<f64>,
    pub limit: Option<f64>,
    pub max_line_bytes: Option<f64>,
}

impl NativeImportOptions {
    /// The core's options.
    pub fn options(self) -> Result<ImportOptions> {
        let mut options = ImportOptions::default();
        if let Some(has) = self.has_tool_observations {
            options.has_tool_observations = has;
        }
        if let Some(keeps) = self.keeps_blank_text {
            options.keeps_blank_text = keeps;
        }
        options.response_limit_utf16 =
            optional("response_limit_utf16", self.response_limit_utf16, size)?;
        options.limit = optional("limit", self.limit, size)?;
        if let Some(bytes) = self.max_line_bytes {
            options.max_line_bytes = size("max_line_bytes", bytes)?;
        }
        Ok(options)
    }
}
