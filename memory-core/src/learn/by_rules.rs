//! Learns without a model: the rules of [`crate::rules::statements`] read sessions that ended or
//! went silent, a bounded number of messages at a time, and the findings are ingested like a
//! model's answer.
//!
//! The log is walked once to find sessions that may hold something new. Each step records in
//! the log how far the session was read, so that no message is read twice, even after a
//! rebuild or by another process.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::engine::Engine;
use crate::learn::pipeline::{self, IngestOptions, Ingested, Reader};
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind, Origin};
use crate::model::ids::EventId;
use crate::model::json::Json;
use crate::model::time::Timestamp;
use crate::projection::pauses::is_any as is_any_paused;
use crate::projection::rows::{self, Cursor};
use crate::projection::{history, tasks};
use crate::recall::learned::quoted;
use crate::rules::statements::answer::{OpenTask, Told, answer};
use crate::rules::statements::{self, FindingKind, Speaker};
use crate::rules::tasks::TaskStatus;
use crate::rules::tasks::keys::or_default;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::store::tables::Facet;
use crate::text::fence::{may_hold_fence, recalled_spans};
use crate::write::pauses::PauseKeys;

/// The name of the rules in the ledger of build runs.
const MODEL: &str = "recallite rules 1";
/// A session without messages for this long counts as silent.
const SILENCE_MS: i64 = 30 * 60 * 1_000;
/// The row in [`RowKind::Cursor`] that says how far the log was walked.
const CURSOR: &[u8] = b"rules";
/// How many records are walked per message that may be read: most are tool calls.
const WALK_PER_MESSAGE: u64 = 32;
/// How many messages one transaction ingests.
const STEP_MESSAGES: usize = 50;
/// The maximum number of open tasks that a resolution is compared with.
const MOST_OPEN_TASKS: usize = 500;
/// The maximum number of tasks that a message written before they were finished is compared
/// with.
const MOST_FINISHED_TASKS: usize = 5_000;

/// The outcome of reading by rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Learned {
    pub(crate) messages: usize,
    pub(crate) entries: usize,
    pub(crate) tasks: usize,
    /// Whether sessions that are due have unread messages.
    pub(crate) has_more: bool,
}

/// Reads up to `messages` messages of sessions that ended or went silent.
pub(crate) fn learn_some(
    engine: &Engine,
    messages: usize,
    has_time: &dyn Fn() -> bool,
) -> Result<Learned> {
    let mut learned = Learned::default();
    if messages == 0 {
        return Ok(learned);
    }
    learned.has_more = walk(engine, (messages as u64).saturating_mul(WALK_PER_MESSAGE))?;
    'sessions: for one in waiting(engine)? {
        let session = &one.0;
        match due(engine, session)? {
            Due::Never => drop_waiting(engine, &one)?,
            Due::Later => {}
            Due::Now {
                project,
                mut after,
                unread,
                until_paused,
            } => {
                let last_responses = last_responses(engine, &unread)?;
                let mut rest = &unread[..until_paused];
                while !rest.is_empty() {
                    if learned.messages >= messages || !has_time() {
                        learned.has_more = true;
                        return Ok(learned);
                    }
                    let left = messages - learned.messages;
                    let step = &rest[..rest.len().min(left).min(STEP_MESSAGES)];
                    let (said_in, count) = of_one_project(engine, step)?;
                    let (step, later) = rest.split_at(count);
                    let of = Talk {
                        session: session.as_str(),
                        project: project.as_deref().unwrap_or(&said_in),
                        last_responses: &last_responses,
                    };
                    if !read_step(engine, of, after, step, &mut learned)? {
                        continue 'sessions;
                    }
                    learned.messages += step.len();
                    after = step[step.len() - 1];
                    rest = later;
                }
                if until_paused == unread.len() {
                    drop_waiting(engine, &one)?;
                }
            }
        }
    }
    Ok(learned)
}

/// Continues the walk of the log and notes sessions with messages. True if it stopped before
/// the end.
fn walk(engine: &Engine, most: u64) -> Result<bool> {
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    let at = cursor(&read.projected()?)?.min(last);
    let to = last.min(at.saturating_add(most));
    if to == at {
        return Ok(false);
    }
    let mut sessions = BTreeSet::new();
    for seq in at + 1..=to {
        let session = readable(
            || match read.with_record(seq, |record| Ok(record.kind()))? {
                Some(kind) if is_said(kind) => Ok(read.event_at(seq)?.map(|event| event.session)),
                _ => Ok(None),
            },
        );
        sessions.extend(session?);
    }
    drop(read);
    engine.store.write(|tx| {
        // The name of a session that was erased meanwhile must not come back.
        let mut live = Vec::with_capacity(sessions.len());
        for session in &sessions {
            if tx.session_number(session)?.is_some() {
                live.push(session);
            }
        }
        let mut rows = tx.projected()?;
        for session in live {
            rows.put(RowKind::Unread, session.as_bytes(), &to.to_be_bytes())?;
        }
        // Another process may have walked further.
        let now = cursor(&rows)?;
        rows::put(&mut rows, CURSOR, &Cursor::at(now.max(to)))?;
        rows.finish(i64::MIN)
    })?;
    Ok(to < last)
}

/// What is read of a record; `None` for a damaged one, from which nothing can be learned.
fn readable<T>(read: impl FnOnce() -> Result<Option<T>>) -> Result<Option<T>> {
    match read() {
        Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
        read => read,
    }
}

fn cursor(rows: &dyn crate::store::projected_rows::projected::Rows) -> Result<u64> {
    let cursor: Option<Cursor> = rows::get(rows, CURSOR)?;
    Ok(cursor.map_or(0, |cursor| cursor.0.unsigned_abs()))
}

fn is_said(kind: EventKind) -> bool {
    matches!(kind, EventKind::UserPrompt | EventKind::AgentResponse)
}

/// A session that may have messages to be read, and its row, which says how far the walk had come
/// when it last met one.
type Waiting = (String, Vec<u8>);

fn waiting(engine: &Engine) -> Result<Vec<Waiting>> {
    let rows = engine.store.read()?.projected()?;
    let mut sessions = Vec::new();
    rows.scan(RowKind::Unread, &[], None, &mut |key, walked| {
        let session = String::from_utf8_lossy(key).into_owned();
        sessions.push((session, walked.to_vec()));
        Ok(true)
    })?;
    Ok(sessions)
}

/// Notes that a session has nothing to be read, unless a message arrived since it was looked at.
fn drop_waiting(engine: &Engine, (session, walked): &Waiting) -> Result<()> {
    engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        if rows.get(RowKind::Unread, session.as_bytes())?.as_ref() != Some(walked) {
            return Ok(());
        }
        rows.remove(RowKind::Unread, session.as_bytes())?;
        rows.finish(i64::MIN)
    })
}

/// Whether a session is due.
enum Due {
    /// There is nothing to read.
    Never,
    /// It is still active.
    Later,
    /// It has messages to read.
    Now {
        /// The project that the host gave to the session; otherwise what is found belongs to the
        /// project of the message.
        project: Option<String>,
        /// The position up to which it was read.
        after: u64,
        /// The positions of its messages after that.
        unread: Vec<u64>,
        /// How many of them come before the first one of a project that is paused.
        until_paused: usize,
    },
}

fn due(engine: &Engine, session: &str) -> Result<Due> {
    let read = engine.store.read()?;
    let Some((number, row)) = read.session(session)? else {
        return Ok(Due::Never);
    };
    let now = engine.store.clock().now().millis();
    // A session that was resumed after its end has not ended.
    let has_ended = row.ended_ms.is_some_and(|ended| ended >= row.last_ms);
    // A message of a time to come, stamped by a wrong clock, says nothing about silence.
    let silent_ms = now.saturating_sub(row.last_ms);
    if !has_ended && (-SILENCE_MS..SILENCE_MS).contains(&silent_ms) {
        return Ok(Due::Later);
    }
    // Nothing is learned from what is paused; it is read when it is resumed.
    let project = read.name(Facet::Project, row.project)?.unwrap_or_default();
    let is_project_set = row.is_project_set;
    let pauses = PauseKeys::new(&read, Some(session), &project);
    if pauses.paused(&read.projected()?)?.is_some() {
        return Ok(Due::Later);
    }
    let after = history::read_to(&read.projected()?, session)?.by_anyone();
    let turns = read.turns_after(number, after)?;
    let mut unread = Vec::with_capacity(turns.len());
    for (_, seq) in turns {
        // Records of another store are read by that store.
        if !read.is_foreign(seq)? {
            unread.push(seq);
        }
    }
    let until_paused = until_paused(&read, &unread)?;
    Ok(match (unread.is_empty(), until_paused) {
        (true, _) => Due::Never,
        (false, 0) => Due::Later,
        (false, _) => Due::Now {
            project: is_project_set.then_some(project),
            after,
            unread,
            until_paused,
        },
    })
}

/// How many messages of a session come before the first one of a project that is paused: a session
/// may be continued in another project than its own.
fn until_paused(read: &ReadTx, messages: &[u64]) -> Result<usize> {
    let rows = read.projected()?;
    if !is_any_paused(&rows)? {
        return Ok(messages.len());
    }
    let mut known = BTreeMap::new();
    for (place, &seq) in messages.iter().enumerate() {
        let Some(event) = readable(|| read.event_at(seq))? else {
            continue;
        };
        let is_paused = match known.get(&event.project) {
            Some(is_paused) => *is_paused,
            None => {
                let keys = PauseKeys::new(read, None, &event.project);
                let is_paused = keys.paused(&rows)?.is_some();
                known.insert(event.project, is_paused);
                is_paused
            }
        };
        if is_paused {
            return Ok(place);
        }
    }
    Ok(messages.len())
}

/// The messages of a session that are read together.
#[derive(Clone, Copy)]
struct Talk<'a> {
    session: &'a str,
    /// The project of what is found in them.
    project: &'a str,
    /// The positions of the agent's last message in each project.
    last_responses: &'a BTreeSet<u64>,
}

/// The positions of the last response in each project among messages. Agents of several projects
/// may share a session: all do in endless mode.
fn last_responses(engine: &Engine, messages: &[u64]) -> Result<BTreeSet<u64>> {
    let read = engine.store.read()?;
    let mut last = BTreeMap::new();
    for &seq in messages {
        let kind = readable(|| read.with_record(seq, |record| Ok(record.kind())))?;
        if kind == Some(EventKind::AgentResponse)
            && let Some(event) = readable(|| read.event_at(seq))?
        {
            last.insert(event.project, seq);
        }
    }
    Ok(last.into_values().collect())
}

/// The project of the first of some messages, and how many messages come before the first one of
/// another project.
fn of_one_project(engine: &Engine, messages: &[u64]) -> Result<(String, usize)> {
    let read = engine.store.read()?;
    let mut first: Option<String> = None;
    for (place, &seq) in messages.iter().enumerate() {
        let Some(event) = readable(|| read.event_at(seq))? else {
            continue;
        };
        match &first {
            Some(project) if *project != event.project => {
                return Ok((first.unwrap_or_default(), place));
            }
            Some(_) => {}
            None => first = Some(event.project),
        }
    }
    Ok((first.unwrap_or_default(), messages.len()))
}

/// Reads some messages of a session and ingests the findings. False if recording was paused
/// meanwhile.
fn read_step(
    engine: &Engine,
    of: Talk<'_>,
    after: u64,
    step: &[u64],
    learned: &mut Learned,
) -> Result<bool> {
    let names = (of.session, of.project);
    let read = find(engine, of, step)?;
    let to = step.last().copied().unwrap_or(after);
    let Some(found) = read.found else {
        return pipeline::mark_read(engine, names, &read.projects, (after, to));
    };
    let options = IngestOptions {
        extractor_model: MODEL.to_owned(),
        messages: read.ids,
        // Not that of whoever maintains the store.
        project: Some(names.1.to_owned()),
        ..IngestOptions::default()
    };
    let found = found.to_string();
    let reader = Reader::Rules { after, to };
    match pipeline::ingest_unless_paused(engine, names.0, &found, &options, reader) {
        Ok(Ingested::Paused(_)) => Ok(false),
        Ok(Ingested::Report(report)) => {
            learned.entries += report.entries.iter().filter(|entry| entry.is_new).count();
            learned.tasks += report.tasks.iter().filter(|task| task.is_new).count();
            Ok(true)
        }
        // One message whose answer is rejected (the privacy filter left nothing of a title)
        // must not take the others' with it.
        Err(error) if error.code() == ErrorCode::InvalidArgument && step.len() > 1 => {
            let mut after = after;
            for &seq in step {
                if !read_step(engine, of, after, &[seq], learned)? {
                    return Ok(false);
                }
                after = seq;
            }
            Ok(true)
        }
        // It would be rejected again, so it counts as read.
        Err(error) if error.code() == ErrorCode::InvalidArgument => {
            pipeline::mark_read(engine, names, &read.projects, (after, to))
        }
        Err(error) => Err(error),
    }
}

/// What the rules found in some messages.
struct StepRead {
    ids: Vec<EventId>,
    projects: BTreeSet<String>,
    /// The findings as an answer of a model; `None` if there are none.
    found: Option<Value>,
}

/// Reads some messages of a session.
fn find(engine: &Engine, of: Talk<'_>, step: &[u64]) -> Result<StepRead> {
    let read = engine.store.read()?;
    let mut events = Vec::with_capacity(step.len());
    for &seq in step {
        events.extend(readable(|| read.event_at(seq))?);
    }
    let told = told(read.secret(), of, &events);
    let found = match told.is_empty() {
        true => None,
        false => {
            let first = events.iter().map(|event| event.timestamp).min();
            let finished = finished_since(&read, of.project, first.unwrap_or_default())?;
            let found = answer(&told, &open_tasks(&read, of.project)?, &finished);
            let is_empty = |name: &str| found[name].as_array().is_none_or(Vec::is_empty);
            (!is_empty("entries") || !is_empty("tasks")).then_some(found)
        }
    };
    Ok(StepRead {
        ids: events.iter().map(|event| event.id).collect(),
        projects: events.into_iter().map(|event| event.project).collect(),
        found,
    })
}

/// The findings in what a person or the agent said themselves.
fn told<'e>(secret: &[u8; 32], of: Talk<'_>, events: &'e [Event]) -> Vec<Told<'e>> {
    let mut told = Vec::new();
    for (index, event) in (0u32..).zip(events) {
        let Some(speaker) = speaker_of(event) else {
            continue;
        };
        let text = event.content.as_str();
        let hidden = match may_hold_fence(text) {
            true => recalled_spans(secret, text),
            false => Vec::new(),
        };
        // What an agent still had to do in the middle of a session was done in the rest of it.
        let is_over = speaker == Speaker::Agent && !of.last_responses.contains(&event.seq.0);
        told.extend(
            statements::find(text, speaker, &hidden)
                .into_iter()
                .filter(|finding| !(is_over && finding.kind == FindingKind::Task))
                .map(|finding| Told {
                    message_index: index,
                    text,
                    finding,
                }),
        );
    }
    told
}

/// The speaker of a message; `None` unless a person or the agent said it themselves, which
/// excludes text of tools, web pages and the host, and recalled text.
pub(super) fn speaker_of(event: &Event) -> Option<Speaker> {
    let metadata = event.metadata.as_ref().map(Json::to_value);
    let is_sidechain = metadata.is_some_and(|metadata| metadata["isSidechain"] == true);
    match (event.kind, event.origin) {
        // An agent's prompt to another agent.
        (EventKind::UserPrompt, Origin::User) if is_sidechain => None,
        (EventKind::UserPrompt, Origin::User) => Some(Speaker::User),
        (EventKind::AgentResponse, Origin::Assistant) => Some(Speaker::Agent),
        _ => None,
    }
}

fn open_tasks(read: &ReadTx, project: &str) -> Result<Vec<OpenTask>> {
    let mut open = Vec::new();
    quoted::open_tasks(read, project, &mut |task| {
        open.push(OpenTask {
            blockers: task.blockers().iter().map(|b| b.raw_text.clone()).collect(),
            title: task.title,
        });
        open.len() < MOST_OPEN_TASKS
    })?;
    Ok(open)
}

/// The titles of the tasks that were finished at a moment or later.
fn finished_since(read: &ReadTx, project: &str, since: Timestamp) -> Result<Vec<String>> {
    let rows = read.projected()?;
    let mut titles = Vec::new();
    for status in [TaskStatus::Done, TaskStatus::Cancelled] {
        let project = Some(or_default(project));
        tasks::by_status(&rows, project, status, &mut |task| {
            let is_since = task.updated_at >= since;
            if is_since {
                titles.push(task.title);
            }
            Ok(is_since && titles.len() < MOST_FINISHED_TASKS)
        })?;
    }
    Ok(titles)
}
