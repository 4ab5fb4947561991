//! Learning without a model: sessions that ended or fell silent are read by the
//! rules of [`crate::rules::extract`], a bounded number of messages at a time, and
//! what is found is taken in as a model's answer is.
//!
//! Which sessions may hold something new is work to be done, found by walking the
//! log once. How far a session was read is in the log, as an event of each step, so
//! that no message is read twice, also after a rebuild and by another process.

use crate::engine::Engine;
use crate::learn::pipeline::{self, IngestOptions, Reader};
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind, Origin};
use crate::model::json::Json;
use crate::projection::rows::{self, Cursor};
use crate::projection::{history, tasks};
use crate::rules::extract::answer::{OpenTask, Told, answer};
use crate::rules::extract::{self, Speaker};
use crate::rules::tasks::TaskStatus;
use crate::store::ReadTx;
use crate::store::projected::{RowKind, Rows as _};
use crate::store::tables::Facet;
use crate::text::fence::{may_hold_fence, recalled_spans};
use crate::write::pauses;

/// The name of the rules in the ledger of build runs.
const MODEL: &str = "recallite rules 1";
/// A session in which nothing was said for so long fell silent.
const SILENCE_MS: i64 = 30 * 60 * 1_000;
/// How far the log was walked, in [`RowKind::Cursor`].
const CURSOR: &[u8] = b"rules";
/// For each message that may be read so many records are walked: most are tools'.
const WALK_PER_MESSAGE: u64 = 32;
/// Messages that are taken in by one transaction.
const STEP_MESSAGES: usize = 50;
/// Open tasks that a resolution is compared with.
const MOST_OPEN_TASKS: usize = 500;

/// What reading by rules did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Learned {
    pub(crate) messages: usize,
    pub(crate) entries: usize,
    pub(crate) tasks: usize,
    /// Whether sessions that could be read now are not read to their end.
    pub(crate) has_more: bool,
}

/// Reads at most so many messages of sessions that ended or fell silent.
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
    for session in waiting(engine)? {
        match due(engine, &session)? {
            Due::Never => drop_waiting(engine, &session)?,
            Due::Later => {}
            Due::Now(mut after, unread) => {
                let mut rest = unread.as_slice();
                while !rest.is_empty() {
                    if learned.messages >= messages || !has_time() {
                        learned.has_more = true;
                        return Ok(learned);
                    }
                    let left = messages - learned.messages;
                    let (step, later) = rest.split_at(rest.len().min(left).min(STEP_MESSAGES));
                    read_step(engine, &session, after, step, &mut learned)?;
                    learned.messages += step.len();
                    after = step[step.len() - 1];
                    rest = later;
                }
                drop_waiting(engine, &session)?;
            }
        }
    }
    Ok(learned)
}

/// Walks on over the log and notes the sessions in which something was said. True
/// when the end was not reached.
fn walk(engine: &Engine, most: u64) -> Result<bool> {
    let read = engine.store.read()?;
    let last = read.state()?.last_seq;
    let at = cursor(&read.projected()?)?.min(last);
    let to = last.min(at.saturating_add(most));
    if to == at {
        return Ok(false);
    }
    let mut sessions = std::collections::BTreeSet::new();
    for seq in at + 1..=to {
        let kind = read.with_record(seq, |record| Ok(record.kind()))?;
        if kind.is_some_and(is_said)
            && let Some(event) = read.event_at(seq)?
        {
            sessions.insert(event.session);
        }
    }
    drop(read);
    engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        for session in &sessions {
            rows.put(RowKind::Unread, session.as_bytes(), &[])?;
        }
        // Another process may have walked further.
        let now = cursor(&rows)?;
        let cursor = Cursor(i64::try_from(now.max(to)).unwrap_or(i64::MAX));
        rows::put(&mut rows, CURSOR, &cursor)?;
        rows.finish(i64::MIN)
    })?;
    Ok(to < last)
}

fn cursor(rows: &dyn crate::store::projected::Rows) -> Result<u64> {
    let cursor: Option<Cursor> = rows::get(rows, CURSOR)?;
    Ok(cursor.map_or(0, |cursor| cursor.0.unsigned_abs()))
}

fn is_said(kind: EventKind) -> bool {
    matches!(kind, EventKind::UserPrompt | EventKind::AgentResponse)
}

fn waiting(engine: &Engine) -> Result<Vec<String>> {
    let rows = engine.store.read()?.projected()?;
    let mut sessions = Vec::new();
    rows.scan(RowKind::Unread, &[], None, &mut |key, _| {
        sessions.push(String::from_utf8_lossy(key).into_owned());
        Ok(true)
    })?;
    Ok(sessions)
}

fn drop_waiting(engine: &Engine, session: &str) -> Result<()> {
    engine.store.write(|tx| {
        let mut rows = tx.projected()?;
        rows.remove(RowKind::Unread, session.as_bytes())?;
        rows.finish(i64::MIN)
    })
}

/// Whether a session can be read now.
enum Due {
    /// There is nothing to be read.
    Never,
    /// It goes on.
    Later,
    /// The positions of its messages after the one up to which it was read.
    Now(u64, Vec<u64>),
}

fn due(engine: &Engine, session: &str) -> Result<Due> {
    let read = engine.store.read()?;
    let Some((number, row)) = read.session(session)? else {
        return Ok(Due::Never);
    };
    let now = engine.store.clock().now().millis();
    if row.ended_ms.is_none() && now.saturating_sub(row.last_ms) < SILENCE_MS {
        return Ok(Due::Later);
    }
    // Nothing is learned of what is paused; it is read when it is resumed.
    let project = read.name(Facet::Project, row.project)?.unwrap_or_default();
    if pauses::paused_scope(&read, Some(session), &project)?.is_some() {
        return Ok(Due::Later);
    }
    let after = history::read_to(&read.projected()?, session)?.by_anyone();
    let turns = read.turns_after(number, after)?;
    let mut unread = Vec::with_capacity(turns.len());
    for (_, seq) in turns {
        // What another store recorded, that one reads.
        if !read.is_foreign(seq)? {
            unread.push(seq);
        }
    }
    Ok(match unread.is_empty() {
        true => Due::Never,
        false => Due::Now(after, unread),
    })
}

/// Reads some messages and takes in what is found.
fn read_step(
    engine: &Engine,
    session: &str,
    after: u64,
    step: &[u64],
    learned: &mut Learned,
) -> Result<()> {
    let mut ids = Vec::new();
    let found = {
        let read = engine.store.read()?;
        let mut events = Vec::with_capacity(step.len());
        for &seq in step {
            events.extend(read.event_at(seq)?);
        }
        ids.extend(events.iter().map(|event| event.id));
        let secret = *read.secret();
        let mut told = Vec::new();
        for (index, event) in (0u32..).zip(&events) {
            let Some(speaker) = speaker_of(event) else {
                continue;
            };
            let text = event.content.as_str();
            let hidden = match may_hold_fence(text) {
                true => recalled_spans(&secret, text),
                false => Vec::new(),
            };
            told.extend(
                extract::find(text, speaker, &hidden)
                    .into_iter()
                    .map(|finding| Told {
                        message_index: index,
                        text,
                        finding,
                    }),
            );
        }
        match told.is_empty() {
            true => None,
            false => Some(answer(&told, &open_tasks(&read)?)),
        }
    };
    let to = step.last().copied().unwrap_or(after);
    let reader = Reader::Rules { after, to };
    let Some(found) = found else {
        return pipeline::mark_read(engine, session, after, to);
    };
    let options = IngestOptions {
        extractor_model: MODEL.to_owned(),
        messages: ids,
        ..IngestOptions::default()
    };
    match pipeline::ingest_as(engine, session, &found.to_string(), &options, reader) {
        Ok(report) => {
            learned.entries += report.entries.iter().filter(|entry| entry.is_new).count();
            learned.tasks += report.tasks.iter().filter(|task| task.is_new).count();
            Ok(())
        }
        // An answer that is refused (a title of which the privacy filter leaves
        // nothing) would be refused again: these messages count as read.
        Err(error) if error.code() == ErrorCode::InvalidArgument => {
            pipeline::mark_read(engine, session, after, to)
        }
        Err(error) => Err(error),
    }
}

/// Who said a message; nobody when it is not what a person or the agent said
/// themselves: text of tools, of web pages and of the host, and recalled text.
fn speaker_of(event: &Event) -> Option<Speaker> {
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

fn open_tasks(read: &ReadTx) -> Result<Vec<OpenTask>> {
    let rows = read.projected()?;
    let mut open = Vec::new();
    for status in [
        TaskStatus::Blocked,
        TaskStatus::InProgress,
        TaskStatus::Pending,
    ] {
        tasks::by_status(&rows, status, &mut |id| {
            if let Some(task) = tasks::task(&rows, &id)? {
                open.push(OpenTask {
                    blockers: task.blockers().iter().map(|b| b.raw_text.clone()).collect(),
                    title: task.title,
                });
            }
            Ok(open.len() < MOST_OPEN_TASKS)
        })?;
    }
    Ok(open)
}
