//! Turns a transcript into prompts, responses and tool calls, one line at a time, holding
//! only calls that wait for their result.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::BufRead;

use serde_json::{Map, Value};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Dedupe, EventKind, NewEvent, Origin, ToolUse};
use crate::model::json::Json;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::privacy::{PrivacyFilter, head_of_clean};
use crate::text::tokens::cut_utf16;
use crate::write::transcript::line::{
    ContentBlock, Line, LineKind, LineProblem, is_meta_text, parse_line,
};

/// The response limit of the specification's import, in UTF-16 code units.
const SPECIFIED_RESPONSE_UTF16: usize = 5000;
/// The marker at the end of a cut response.
const TRUNCATED: &str = "...[truncated]";
/// How many calls may wait for their result; beyond it the oldest is given up.
const MAX_PENDING: usize = 1024;
/// How many conversations of one file are counted separately.
const MAX_CONVERSATIONS: usize = 4096;
/// How many invalid lines are remembered.
const MAX_ERROR_LINES: usize = 10;
/// How much of a failed call's output becomes its error message, in UTF-16 code units.
const ERROR_MESSAGE_UTF16: usize = 500;

/// The field of an event's metadata that names the session that started its own.
pub(crate) const PARENT_SESSION: &str = "parentSessionId";

/// What to read from a transcript, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Whether to read tool calls. Default: true.
    pub has_tool_observations: bool,
    /// Whether to keep prompts and responses that contain only blank text. Default: false. A memory
    /// stores no blank text: an import then counts them as refused.
    pub keeps_blank_text: bool,
    /// The maximum length of a response, in UTF-16 code units; `None` (the default) keeps
    /// it whole. A longer one is filtered before it is cut.
    pub response_limit_utf16: Option<usize>,
    /// The number of prompts and responses of each transcript after which the reader stops;
    /// `None` (the default) reads everything.
    pub limit: Option<usize>,
    /// The maximum length of a line, in bytes. Default: 64 MiB. A longer one is counted as
    /// an error and skipped without being held in memory.
    pub max_line_bytes: usize,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            has_tool_observations: true,
            keeps_blank_text: false,
            response_limit_utf16: None,
            limit: None,
            max_line_bytes: 64 * 1024 * 1024,
        }
    }
}

impl ImportOptions {
    setters! {
        /// Sets whether to read tool calls.
        has_tool_observations: bool;
        /// Sets whether to keep prompts and responses that contain only blank text.
        keeps_blank_text: bool;
        /// Sets the maximum length of a response, in UTF-16 code units.
        response_limit_utf16: some usize;
        /// Sets the number of prompts and responses of each transcript after which the reader
        /// stops.
        limit: some usize;
        /// Sets the maximum length of a line, in bytes.
        max_line_bytes: usize;
    }

    /// Returns the import options of the specification (section 20): text only, and
    /// responses cut to 5000 UTF-16 code units.
    pub fn specified() -> Self {
        ImportOptions {
            has_tool_observations: false,
            keeps_blank_text: true,
            response_limit_utf16: Some(SPECIFIED_RESPONSE_UTF16),
            ..ImportOptions::default()
        }
    }
}

/// A line that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportProblem {
    /// The number of the line, counted from 1.
    pub line: u64,
    /// Why it could not be read.
    pub problem: LineProblem,
}

/// The counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportCounters {
    /// The number of lines that are JSON, of any kind.
    pub total_messages: u64,
    /// The number of prompts that were stored.
    pub imported_prompts: u64,
    /// The number of responses that were stored.
    pub imported_responses: u64,
    /// The number of tool calls that were stored.
    pub imported_tools: u64,
    /// The number of items that were already in the store, or were and have been forgotten.
    pub skipped_duplicates: u64,
    /// The number of items that are not to be stored: calls of excluded tools, and what belongs to
    /// a paused session or project.
    pub skipped: u64,
    /// The number of lines that could not be read.
    pub errors: u64,
    /// The first lines that a reader could not read, and why. The report of an import, which may
    /// have read several files, names them in its `warnings` instead.
    pub error_lines: Vec<ImportProblem>,
}

impl ImportCounters {
    /// Counts the outcome of an item returned by a reader.
    pub fn count(&mut self, kind: EventKind, is_duplicate: bool) {
        if is_duplicate {
            self.skipped_duplicates += 1;
        } else {
            match kind {
                EventKind::UserPrompt => self.imported_prompts += 1,
                EventKind::AgentResponse => self.imported_responses += 1,
                _ => self.imported_tools += 1,
            }
        }
    }

    /// Adds the counts of another file. Its error lines are left out, because a line number
    /// means nothing without its file.
    pub fn add(&mut self, other: &ImportCounters) {
        self.total_messages += other.total_messages;
        self.imported_prompts += other.imported_prompts;
        self.imported_responses += other.imported_responses;
        self.imported_tools += other.imported_tools;
        self.skipped_duplicates += other.skipped_duplicates;
        self.skipped += other.skipped;
        self.errors += other.errors;
    }

    fn error(&mut self, line: u64, problem: LineProblem) {
        self.errors += 1;
        if self.error_lines.len() < MAX_ERROR_LINES {
            self.error_lines.push(ImportProblem { line, problem });
        }
    }
}

/// A prompt, a response or a tool call from a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TranscriptItem {
    /// `UserPrompt`, `AgentResponse` or `ToolObservation`.
    pub kind: EventKind,
    /// The session that was passed to the reader.
    pub session_id: String,
    /// The session that the line names, if it is a different one: a subagent's lines name
    /// the conversation that started it.
    pub parent_session_id: Option<String>,
    /// The text; empty for a tool call.
    pub content: String,
    /// The tool call.
    pub tool: Option<ToolUse>,
    /// When it was written; for a tool call, when it began.
    pub timestamp: Option<Timestamp>,
    /// The message's id; for a tool call, that of its result.
    pub message_uuid: Option<String>,
    /// The id of a tool call, which hooks are given too; `None` for a message.
    pub tool_use_id: Option<String>,
    /// For a tool call, the id of the message that made it.
    pub tool_use_uuid: Option<String>,
    /// The id of the message it follows.
    pub parent_uuid: Option<String>,
    /// The folder that the agent worked in.
    pub cwd: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The subagent that it belongs to.
    pub agent_id: Option<String>,
    /// Whether it belongs to a subagent's conversation.
    pub is_sidechain: bool,
    /// Whether the program, not a person, wrote it: command wrappers, reminders, or the
    /// summary of a compacted conversation.
    pub is_meta: bool,
    /// Whether a tool call has its result.
    pub is_finished: bool,
    /// Whether the text was cut to the response limit.
    pub is_truncated: bool,
    /// Which prompt of its conversation it is or follows, counted from 0.
    pub prompt_index: Option<u32>,
    /// The line it was completed on, counted from 1.
    pub line: u64,
    /// A key that is the same whenever the same message is read again, even from a copy in
    /// another file: the message's uuid and the block's index, or a tool call's id; `None`
    /// if the line has no uuid.
    ///
    /// A call without its result has a different key than the finished call, so that
    /// reading a running session again still adds the result.
    pub dedupe_key: Option<String>,
}

impl TranscriptItem {
    /// Converts the item to an event to store. Everything that the log has no field for
    /// goes into its metadata. `imported_from` says where the transcript was, for people.
    pub fn into_event(self, imported_from: &str) -> NewEvent {
        let mut metadata = Map::new();
        let mut note = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                metadata.insert(name.to_owned(), value);
            }
        };
        let text = |value: &Option<String>| value.clone().map(Value::String);
        note(
            "importedFrom",
            Some(Value::String(imported_from.to_owned())),
        );
        note(
            "originalTimestamp",
            self.timestamp.map(|t| Value::String(t.to_string())),
        );
        note("messageUuid", text(&self.message_uuid));
        note("toolUseUuid", text(&self.tool_use_uuid));
        note("parentUuid", text(&self.parent_uuid));
        note(PARENT_SESSION, text(&self.parent_session_id));
        note("cwd", text(&self.cwd));
        note("model", text(&self.model));
        note("agentId", text(&self.agent_id));
        note("promptIndex", self.prompt_index.map(Value::from));
        let is_unfinished = self.tool.is_some() && !self.is_finished;
        for (name, is_set) in [
            ("isSidechain", self.is_sidechain),
            ("isMeta", self.is_meta),
            ("isUnfinished", is_unfinished),
            ("isTruncated", self.is_truncated),
        ] {
            note(name, is_set.then_some(Value::Bool(true)));
        }
        let origin = match self.kind {
            EventKind::UserPrompt if self.is_meta => Some(Origin::System),
            // What an agent asks the one that it starts; no person said it.
            EventKind::UserPrompt if self.is_sidechain => Some(Origin::Assistant),
            _ => None,
        };
        let mut event = NewEvent::new(self.kind, self.session_id, self.content);
        event.origin = origin;
        event.actor = (origin == Some(Origin::Assistant)).then(|| "assistant".to_owned());
        event.timestamp = self.timestamp;
        event.metadata = Some(Json::from_value(&Value::Object(metadata)));
        event.dedupe = self.dedupe_key.map_or(Dedupe::Content, Dedupe::Key);
        event.stays_forgotten = true;
        event.tool = self.tool;
        event
    }
}

/// Reads a transcript as a stream of items, in the order in which they were completed: a
/// tool call comes where its result is, and calls without a result come at the end.
///
/// Invalid lines are counted and skipped. Memory is limited by the longest line and by 1024
/// waiting calls, however long the file is.
///
/// ```
/// use recallite::transcript::{ImportOptions, TranscriptReader};
/// let file = r#"{"type":"user","message":{"content":"Why redb?"}}"#;
/// let mut reader = TranscriptReader::new(file.as_bytes(), "s1", ImportOptions::default());
/// let item = reader.next().expect("one item")?;
/// assert_eq!(item.content, "Why redb?");
/// reader.counters_mut().count(item.kind, false);
/// assert_eq!(reader.counters().imported_prompts, 1);
/// # Ok::<(), recallite::Error>(())
/// ```
#[derive(Debug)]
pub struct TranscriptReader<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
    is_done: bool,
    limit_left: Option<usize>,
    assembler: Assembler,
    counters: ImportCounters,
}

impl<R: BufRead> TranscriptReader<R> {
    /// Creates a reader of `input` whose items belong to the session `session_id`, usually
    /// the file's stem.
    pub fn new(input: R, session_id: impl Into<String>, options: ImportOptions) -> Self {
        TranscriptReader {
            input,
            buffer: Vec::new(),
            line: 0,
            is_done: false,
            limit_left: options.limit,
            assembler: Assembler::new(session_id.into(), options),
            counters: ImportCounters::default(),
        }
    }

    /// Sets the filter that is applied to a text before it is cut. Default: a filter with
    /// default settings.
    #[must_use]
    pub fn filter(mut self, filter: PrivacyFilter) -> Self {
        self.assembler.filter = filter;
        self
    }

    /// Returns what was read so far, and what [`ImportCounters::count`] was told.
    pub fn counters(&self) -> &ImportCounters {
        &self.counters
    }

    /// Returns the counters, so that the outcome of an item can be added to them.
    pub fn counters_mut(&mut self) -> &mut ImportCounters {
        &mut self.counters
    }

    /// Reads one line into the assembler; false at the end of the file.
    fn read_line(&mut self) -> Result<bool> {
        let limit = self.assembler.options.max_line_bytes;
        self.buffer.clear();
        let (mut has_bytes, mut is_too_long) = (false, false);
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let message = format!("reading the transcript after line {}: {e}", self.line);
                    return Err(Error::new(ErrorCode::Io, message).with_source(e));
                }
            };
            if chunk.is_empty() {
                break;
            }
            has_bytes = true;
            let end = chunk.iter().position(|&b| b == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            is_too_long = is_too_long || self.buffer.len() + part.len() > limit;
            if is_too_long {
                self.buffer = Vec::new();
            } else {
                self.buffer.extend_from_slice(part);
            }
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !has_bytes {
            return Ok(false);
        }
        self.line += 1;
        let parsed = if is_too_long {
            Err(LineProblem::TooLong)
        } else {
            parse_line(&self.buffer)
        };
        match parsed {
            Ok(line) => {
                self.counters.total_messages += 1;
                self.assembler.push(line, self.line);
            }
            Err(problem) => self.counters.error(self.line, problem),
        }
        // One huge line must not hold its memory for the rest of the file.
        if self.buffer.capacity() > 1024 * 1024 {
            self.buffer = Vec::new();
        }
        Ok(true)
    }
}

impl<R: BufRead> Iterator for TranscriptReader<R> {
    type Item = Result<TranscriptItem>;

    fn next(&mut self) -> Option<Result<TranscriptItem>> {
        loop {
            if self.limit_left == Some(0) {
                return None;
            }
            if let Some(item) = self.assembler.ready.pop_front() {
                if item.kind != EventKind::ToolObservation
                    && let Some(left) = &mut self.limit_left
                {
                    *left -= 1;
                }
                return Some(Ok(item));
            }
            if self.is_done {
                return None;
            }
            match self.read_line() {
                Ok(true) => {}
                Ok(false) => {
                    self.is_done = true;
                    self.assembler.finish(self.line);
                }
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// A call that waits for its result.
#[derive(Debug)]
struct PendingUse {
    id: String,
    item: TranscriptItem,
}

/// The state of one conversation; a file may contain several (subagents).
#[derive(Debug, Default)]
struct Conversation {
    prompts: u32,
    tools: u32,
}

#[derive(Debug)]
struct Assembler {
    session_id: String,
    options: ImportOptions,
    /// The filter applied to a text before it is cut.
    filter: PrivacyFilter,
    ready: VecDeque<TranscriptItem>,
    /// Calls without a result, in the order in which they were made.
    pending: BTreeMap<u64, PendingUse>,
    /// The index in `pending` of each call's id.
    pending_ids: HashMap<String, u64>,
    next_pending: u64,
    conversations: HashMap<String, Conversation>,
}

impl Assembler {
    fn new(session_id: String, options: ImportOptions) -> Self {
        Assembler {
            session_id,
            options,
            filter: PrivacyFilter::default(),
            ready: VecDeque::new(),
            pending: BTreeMap::new(),
            pending_ids: HashMap::new(),
            next_pending: 0,
            conversations: HashMap::new(),
        }
    }

    fn push(&mut self, mut line: Line, number: u64) {
        let kind = match line.kind {
            LineKind::User => EventKind::UserPrompt,
            LineKind::Assistant => EventKind::AgentResponse,
            LineKind::Summary | LineKind::Other => return,
        };
        let blocks = std::mem::take(&mut line.blocks);
        self.push_text(kind, &line, &blocks, number);
        if !self.options.has_tool_observations {
            return;
        }
        let results = blocks
            .iter()
            .filter(|b| matches!(b, ContentBlock::ToolResult { .. }))
            .count();
        // The reported duration belongs to one result, but a line may contain several.
        let duration_ms = line.tool_duration_ms.filter(|_| results == 1);
        for (index, block) in blocks.into_iter().enumerate() {
            match block {
                ContentBlock::ToolUse { id, name, input } => {
                    let call = ToolCall {
                        index,
                        id,
                        name,
                        input,
                    };
                    self.push_use(&line, call, number);
                }
                ContentBlock::ToolResult {
                    tool_use_id,
                    output,
                    is_error,
                } => {
                    let result = ToolResult {
                        index,
                        tool_use_id,
                        output,
                        is_error,
                        duration_ms,
                    };
                    self.push_result(&line, result, number);
                }
                ContentBlock::Text(_) | ContentBlock::Thinking(_) | ContentBlock::Other => {}
            }
        }
    }

    /// All texts of a message form one item.
    fn push_text(&mut self, kind: EventKind, line: &Line, blocks: &[ContentBlock], number: u64) {
        let texts: Vec<(usize, &str)> = blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| match block {
                ContentBlock::Text(text) if !text.is_empty() => Some((index, text.as_str())),
                _ => None,
            })
            .collect();
        let Some(&(first, _)) = texts.first() else {
            return;
        };
        let mut content = texts
            .into_iter()
            .map(|(_, text)| text)
            .collect::<Vec<_>>()
            .join("\n");
        if !self.options.keeps_blank_text && content.trim().is_empty() {
            return;
        }
        let mut item = self.item(kind, line, number);
        if kind == EventKind::UserPrompt {
            item.is_meta = item.is_meta || is_meta_text(&content);
            let conversation = self.conversation(line);
            item.prompt_index = Some(conversation.prompts);
            conversation.prompts = conversation.prompts.saturating_add(1);
            conversation.tools = 0;
        } else if let Some(limit) = self.options.response_limit_utf16
            && cut_utf16(&content, limit).len() < content.len()
        {
            (content, item.is_truncated) = cut_response(&self.filter, &content, limit);
        }
        item.content = content;
        item.dedupe_key = line.uuid.as_ref().map(|uuid| format!("{uuid}#{first}"));
        self.ready.push_back(item);
    }

    fn push_use(&mut self, line: &Line, call: ToolCall, number: u64) {
        let id = call.id;
        // A call that occurs twice is one call, unless it has no id.
        if !id.is_empty() && self.pending_ids.contains_key(&id) {
            return;
        }
        let mut item = self.item(EventKind::ToolObservation, line, number);
        let conversation = self.conversation(line);
        let tool_index = conversation.tools;
        conversation.tools = conversation.tools.saturating_add(1);
        item.tool_use_uuid = item.message_uuid.take();
        item.is_finished = false;
        item.dedupe_key = tool_key(line.uuid.as_deref(), call.index, &id);
        item.tool_use_id = Some(id.clone()).filter(|id| !id.is_empty());
        item.tool = Some(ToolUse {
            name: tool_name(call.name),
            input: Some(call.input),
            prompt_index: item.prompt_index,
            tool_index: Some(tool_index),
            ..ToolUse::default()
        });
        let place = self.next_pending;
        self.next_pending += 1;
        self.pending_ids.insert(id.clone(), place);
        self.pending.insert(place, PendingUse { id, item });
        if self.pending.len() > MAX_PENDING {
            self.give_up_oldest(number);
        }
    }

    fn push_result(&mut self, line: &Line, result: ToolResult, number: u64) {
        let pending = self
            .pending_ids
            .remove(&result.tool_use_id)
            .and_then(|place| self.pending.remove(&place));
        let mut item = match pending {
            Some(pending) => pending.item,
            None => {
                // The call is in another file or was given up; the result is still worth
                // storing.
                let mut item = self.item(EventKind::ToolObservation, line, number);
                item.dedupe_key = tool_key(line.uuid.as_deref(), result.index, &result.tool_use_id);
                item.tool_use_id = Some(result.tool_use_id).filter(|id| !id.is_empty());
                item.tool = Some(ToolUse {
                    name: tool_name(String::new()),
                    prompt_index: item.prompt_index,
                    ..ToolUse::default()
                });
                item
            }
        };
        let began = item.timestamp.filter(|_| item.tool_use_uuid.is_some());
        item.message_uuid.clone_from(&line.uuid);
        item.timestamp = item.timestamp.or(line.timestamp);
        item.is_finished = true;
        item.line = number;
        if let Some(tool) = &mut item.tool {
            tool.duration_ms = result.duration_ms.or_else(|| {
                let millis = line.timestamp?.millis().checked_sub(began?.millis())?;
                u64::try_from(millis).ok()
            });
            tool.success = Some(!result.is_error);
            tool.error = result
                .is_error
                .then(|| error_message(&self.filter, &result.output));
            tool.output = result.output;
        }
        self.ready.push_back(item);
    }

    fn give_up_oldest(&mut self, number: u64) {
        if let Some((place, pending)) = self.pending.pop_first() {
            if self.pending_ids.get(&pending.id) == Some(&place) {
                self.pending_ids.remove(&pending.id);
            }
            let mut item = pending.item;
            item.line = number;
            if let Some(key) = &mut item.dedupe_key {
                key.push_str(":unfinished");
            }
            self.ready.push_back(item);
        }
    }

    /// Gives up every call that is still waiting.
    fn finish(&mut self, number: u64) {
        while !self.pending.is_empty() {
            self.give_up_oldest(number);
        }
    }

    fn conversation(&mut self, line: &Line) -> &mut Conversation {
        let name = match (&line.agent_id, line.is_sidechain) {
            (Some(agent), _) => agent.clone(),
            (None, true) => "sidechain".to_owned(),
            (None, false) => String::new(),
        };
        if self.conversations.len() >= MAX_CONVERSATIONS && !self.conversations.contains_key(&name)
        {
            self.conversations.clear();
        }
        self.conversations.entry(name).or_default()
    }

    fn item(&mut self, kind: EventKind, line: &Line, number: u64) -> TranscriptItem {
        let prompt_index = self.conversation(line).prompts.checked_sub(1);
        TranscriptItem {
            kind,
            session_id: self.session_id.clone(),
            parent_session_id: line
                .session_id
                .clone()
                .filter(|session| *session != self.session_id),
            content: String::new(),
            tool: None,
            timestamp: line.timestamp,
            message_uuid: line.uuid.clone(),
            tool_use_id: None,
            tool_use_uuid: None,
            parent_uuid: line.parent_uuid.clone(),
            cwd: line.cwd.clone(),
            model: line.model.clone(),
            agent_id: line.agent_id.clone(),
            is_sidechain: line.is_sidechain,
            is_meta: line.is_meta,
            is_finished: true,
            is_truncated: false,
            prompt_index,
            line: number,
            dedupe_key: None,
        }
    }
}

/// A tool call in a line.
struct ToolCall {
    /// The place of its block in the line.
    index: usize,
    /// Empty if it has none.
    id: String,
    name: String,
    input: Json,
}

struct ToolResult {
    index: usize,
    tool_use_id: String,
    output: String,
    is_error: bool,
    duration_ms: Option<u64>,
}

/// The store requires a tool name.
fn tool_name(name: String) -> String {
    if name.trim().is_empty() {
        "unknown".to_owned()
    } else {
        name
    }
}

fn tool_key(uuid: Option<&str>, index: usize, id: &str) -> Option<String> {
    uuid.map(|uuid| format!("{uuid}#{index}:{id}"))
}

/// A response filtered and then cut to its limit, and whether it was cut. Cutting first
/// could remove the end of a private section, which would then hide nothing.
fn cut_response(filter: &PrivacyFilter, content: &str, limit: usize) -> (String, bool) {
    let mut clean = filter.text(content).text.into_string();
    let kept = head_of_clean(&clean, cut_utf16(&clean, limit).len()).len();
    let is_cut = kept < clean.len();
    if is_cut {
        clean.truncate(kept);
        clean.push_str(TRUNCATED);
    }
    (clean, is_cut)
}

/// The first non-blank line, filtered before it is cut; the whole output is kept beside it.
fn error_message(filter: &PrivacyFilter, output: &str) -> String {
    let clean = filter.text(output).text.into_string();
    let line = clean
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("the tool reported an error without text");
    head_of_clean(line, cut_utf16(line, ERROR_MESSAGE_UTF16).len()).to_owned()
}
