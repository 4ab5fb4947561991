//! Learns without a model: the rules of [`crate::rules::statements`] read sessions that ended or
//! went silent, a bounded number of messages at a time, and the findings are ingested like a
//! model's answer.
//!
//! Sessions are read in the order of what was said in them ([`unread`]). Each step records in
//! the log how far the session was read, so that no message is read twice, even after a
//! rebuild or by another process.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;

use crate::engine::Engine;
use crate::learn::late;
use crate::learn::pipeline::{self, Compared, IngestOptions, Ingested, Reader};
use crate::learn::speaker::speaker_of;
use crate::learn::task_times;
use crate::learn::unread::{self, Queue, readable};
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::EventId;
use crate::projection::history::{self, Report};
use crate::rules::statements::answer::{TaskTimes, Told, answer, asked_for};
use crate::rules::statements::elliptical::{answers, is_elliptical, last_question, only_points};
use crate::rules::statements::options;
use crate::rules::statements::{self, Finding, FindingKind, RULES_MODEL, Speaker, second_answer};
use crate::store::ReadTx;
use crate::store::log::record::RecordView;
use crate::store::tables::Facet;
use crate::text::fence::recalled_spans;
use crate::write::pauses::{PauseKeys, PausedEvents};

/// A session without messages for this long counts as silent.
const SILENCE_MS: i64 = 30 * 60 * 1_000;
/// How many records are walked per message that may be read: most are tool calls.
const WALK_PER_MESSAGE: u64 = 32;
/// How many messages one transaction ingests.
const STEP_MESSAGES: usize = 50;

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
pub(crate) fn learn_step(
    engine: &Engine,
    messages: usize,
    has_time: &dyn Fn() -> bool,
) -> Result<Learned> {
    let mut learned = Learned::default();
    if messages == 0 {
        return Ok(learned);
    }
    if !has_time() {
        learned.has_more = true;
        return Ok(learned);
    }
    let most = (messages as u64).saturating_mul(WALK_PER_MESSAGE);
    learned.has_more = unread::walk(engine, most)?;
    let budget = Budget {
        messages,
        has_time,
        compared: Rc::default(),
    };
    read_sessions(engine, &budget, &mut learned)?;
    // What is read may end a task that is made known by what is read next.
    if !learned.has_more && has_time() {
        learned.has_more = late::compare_step(engine, most)?;
    }
    Ok(learned)
}

/// Reads the sessions that are due.
fn read_sessions(engine: &Engine, budget: &Budget<'_>, learned: &mut Learned) -> Result<()> {
    let mut queue = Queue::read(engine)?;
    // Those that wait for their next turn.
    let mut begun: BTreeMap<String, Reading> = BTreeMap::new();
    while let Some(one) = queue.next() {
        let mut reading = match begun.remove(&one.session) {
            Some(reading) => reading,
            None => match due(engine, &one.session)? {
                Due::Never => {
                    unread::forget(engine, &one)?;
                    continue;
                }
                Due::Later => continue,
                Due::Now(reading) => reading,
            },
        };
        let others_ms = queue.others_begin_ms();
        match reading.take_turn(engine, &one.session, others_ms, budget, learned)? {
            TurnEnd::Over => {
                learned.has_more = true;
                return Ok(());
            }
            TurnEnd::Paused => {}
            TurnEnd::Others { next_ms } => {
                begun.insert(one.session.clone(), reading);
                queue.again(one, next_ms);
            }
            TurnEnd::Read if reading.is_whole() => unread::forget(engine, &one)?,
            TurnEnd::Read => {}
        }
    }
    Ok(())
}

/// How much one call reads.
struct Budget<'a> {
    messages: usize,
    has_time: &'a dyn Fn() -> bool,
    /// What was read of sentences that are compared.
    compared: Rc<Compared>,
}

impl Budget<'_> {
    /// How many more messages may be read.
    fn left(&self, learned: &Learned) -> usize {
        match (self.has_time)() {
            true => self.messages.saturating_sub(learned.messages),
            false => 0,
        }
    }
}

/// Whether a session is due.
enum Due {
    /// There is nothing to read.
    Never,
    /// It is still active.
    Later,
    /// It has messages to read.
    Now(Reading),
}

/// How far a session was read.
struct Reading {
    /// The project that the host gave to the session; otherwise what is found belongs to the
    /// project of the message.
    project: Option<String>,
    /// The position up to which it was read.
    after: u64,
    /// The positions of its messages after that, when the reading began.
    unread: Vec<u64>,
    /// How many of them come before the first one that is paused.
    until_paused: usize,
    /// How many of them were read since.
    read: usize,
}

/// How a session's turn ended.
enum TurnEnd {
    /// All that may be read was read.
    Read,
    /// Recording was paused meanwhile.
    Paused,
    /// Others began before its next message.
    Others { next_ms: i64 },
    /// The budget of the call is used up.
    Over,
}

/// The next messages of a session that are read together.
struct Step {
    messages: usize,
    /// The project in which they were said.
    project: String,
    /// When the message after them was said, if others that wait began before it.
    others_before_ms: Option<i64>,
}

impl Reading {
    /// Whether no message is left, not even one that is paused.
    fn is_whole(&self) -> bool {
        self.read == self.unread.len()
    }

    /// Reads on, up to the time at which others that wait began.
    fn take_turn(
        &mut self,
        engine: &Engine,
        session: &str,
        others_ms: Option<i64>,
        budget: &Budget<'_>,
        learned: &mut Learned,
    ) -> Result<TurnEnd> {
        while self.read < self.until_paused {
            let left = budget.left(learned);
            if left == 0 {
                return Ok(TurnEnd::Over);
            }
            let step = self.next_step(engine, left.min(STEP_MESSAGES), others_ms)?;
            let messages = &self.unread[self.read..self.read + step.messages];
            if let Some(&last) = messages.last() {
                let of = Talk {
                    compared: &budget.compared,
                    session,
                    project: self.project.as_deref().unwrap_or(&step.project),
                    unread: &self.unread,
                };
                if !read_step(engine, of, self.after, messages, learned)? {
                    return Ok(TurnEnd::Paused);
                }
                learned.messages += step.messages;
                self.read += step.messages;
                self.after = last;
            }
            if let Some(next_ms) = step.others_before_ms {
                return Ok(TurnEnd::Others { next_ms });
            }
        }
        Ok(TurnEnd::Read)
    }

    /// The next messages, at most so many, that are of one project and were said before the others
    /// began.
    fn next_step(&self, engine: &Engine, most: usize, others_ms: Option<i64>) -> Result<Step> {
        let read = engine.store.read()?;
        let messages = &self.unread[self.read..self.until_paused];
        let messages = &messages[..messages.len().min(most)];
        let mut project: Option<String> = None;
        for (place, &seq) in messages.iter().enumerate() {
            let said = readable(|| {
                read.with_record(seq, |view| {
                    let record = view.archive()?;
                    Ok((record.project.as_str().to_owned(), record.timestamp_ms))
                })
            })?;
            let Some((said_in, said_ms)) = said else {
                continue;
            };
            let others_before_ms =
                others_ms.and_then(|others| (said_ms > others).then_some(said_ms));
            let is_elsewhere = project.as_ref().is_some_and(|first| *first != said_in);
            if is_elsewhere || others_before_ms.is_some() {
                return Ok(Step {
                    messages: place,
                    project: project.unwrap_or_default(),
                    others_before_ms: others_before_ms.filter(|_| !is_elsewhere),
                });
            }
            project.get_or_insert(said_in);
        }
        Ok(Step {
            messages: messages.len(),
            project: project.unwrap_or_default(),
            others_before_ms: None,
        })
    }
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
        // Records of another store are read by that store. A damaged one is passed over when it is read.
        if readable(|| read.is_foreign(seq).map(Some))? != Some(true) {
            unread.push(seq);
        }
    }
    let until_paused = until_paused(&read, &unread)?;
    Ok(match (unread.is_empty(), until_paused) {
        (true, _) => Due::Never,
        (false, 0) => Due::Later,
        (false, _) => Due::Now(Reading {
            project: is_project_set.then_some(project),
            after,
            unread,
            until_paused,
            read: 0,
        }),
    })
}

/// How many messages of a session come before the first one that is paused though the session is not:
/// a session may be continued in another project than its own, or belong to another session.
fn until_paused(read: &ReadTx, messages: &[u64]) -> Result<usize> {
    let rows = read.projected()?;
    let mut paused = PausedEvents::new(&rows, read)?;
    if paused.is_empty() {
        return Ok(messages.len());
    }
    for (place, &seq) in messages.iter().enumerate() {
        let is_paused = match read.is_hidden(seq)? {
            true => None,
            false => readable(|| read.with_record(seq, |record| paused.has_record(record)))?,
        };
        if is_paused == Some(true) {
            return Ok(place);
        }
    }
    Ok(messages.len())
}

/// The messages of a session that are read together.
#[derive(Clone, Copy)]
struct Talk<'a> {
    compared: &'a Rc<Compared>,
    session: &'a str,
    /// The project of what is found in them.
    project: &'a str,
    /// The positions of the session's unread messages.
    unread: &'a [u64],
}

/// Whether a response is followed by another one in its project. Agents of several projects may share
/// a session: all do in endless mode.
fn is_followed_by_another(read: &ReadTx, unread: &[u64], response: &Event) -> Result<bool> {
    let later = unread.partition_point(|seq| *seq <= response.seq.0);
    for &seq in &unread[later..] {
        let kind = readable(|| read.with_record(seq, |record| Ok(record.kind())))?;
        if kind == Some(EventKind::AgentResponse)
            && let Some(event) = readable(|| read.event_at(seq))?
            && event.project == response.project
        {
            return Ok(true);
        }
    }
    Ok(false)
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
        return pipeline::mark_read(engine, names, &read.pauses, (after, to), &read.reports);
    };
    let options = IngestOptions {
        extractor_model: RULES_MODEL.to_owned(),
        messages: read.ids,
        reports: read.reports,
        // Not that of whoever maintains the store.
        project: Some(names.1.to_owned()),
        ..IngestOptions::default()
    };
    let found = found.to_string();
    let reader = Reader::Rules { after, to };
    match pipeline::ingest_unless_paused(engine, names.0, &found, &options, reader, of.compared) {
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
            pipeline::mark_read(engine, names, &read.pauses, (after, to), &options.reports)
        }
        Err(error) => Err(error),
    }
}

/// What the rules found in some messages.
struct StepRead {
    ids: Vec<EventId>,
    /// What must not be paused.
    pauses: PauseKeys,
    /// The findings as an answer of a model; `None` if there are none.
    found: Option<Value>,
    /// The messages that say that something is over.
    reports: Vec<Report>,
}

/// Reads some messages of a session.
fn find(engine: &Engine, of: Talk<'_>, step: &[u64]) -> Result<StepRead> {
    let read = engine.store.read()?;
    let mut events = before(&read, of, step)?;
    let first = events.len();
    for &seq in step {
        events.extend(readable(|| read.event_at(seq))?);
    }
    let mut told = told(&read, of, &events, first)?;
    let reports = reports(&told, &events);
    // Of what came before, the answer rests on the questions alone.
    let asked = told.iter().filter_map(|told| told.question);
    let unused = asked.map(|(index, _)| index as usize).min();
    let unused = unused.unwrap_or(first).min(first);
    for told in &mut told {
        let question = told.question.as_mut().map(|(index, _)| index);
        for index in std::iter::once(&mut told.message_index).chain(question) {
            *index -= unused as u32;
        }
    }
    let found = match told.is_empty() {
        true => None,
        false => {
            let times = task_times(&read, of.project, &told)?;
            let found = answer(&told, &task_times::open_tasks(&read, of.project)?, times);
            let is_empty = |name: &str| found[name].as_array().is_none_or(Vec::is_empty);
            (!is_empty("entries") || !is_empty("tasks")).then_some(found)
        }
    };
    let events = &events[unused..];
    Ok(StepRead {
        ids: events.iter().map(|event| event.id).collect(),
        pauses: PauseKeys::new(&read, Some(of.session), of.project)
            .and_events(read.secret(), events),
        found,
        reports,
    })
}

/// The messages that say that something is over.
fn reports(told: &[Told<'_>], events: &[Event]) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    for told in told.iter().filter(|told| told.finding.kind.is_report()) {
        let event = &events[told.message_index as usize];
        let event_id = event.id.to_string();
        if reports.last().is_none_or(|last| last.event_id != event_id) {
            let said = event.timestamp;
            reports.push(Report { event_id, said });
        }
    }
    reports
}

/// The messages right before those of a step, in the same project: they may ask what it answers, or
/// answer what it answers otherwise, wherever the step before ended.
fn before(read: &ReadTx, of: Talk<'_>, step: &[u64]) -> Result<Vec<Event>> {
    let mut before = Vec::new();
    let (Some((session, _)), Some(&first)) = (read.session(of.session)?, step.first()) else {
        return Ok(before);
    };
    let project = |seq| {
        let said_in = |view: &RecordView<'_>| Ok(view.archive()?.project.as_str().to_owned());
        readable(|| read.with_record(seq, said_in))
    };
    let step_project = project(first)?;
    let rows = read.projected()?;
    let mut paused = PausedEvents::new(&rows, read)?;
    for seq in read.turns_before(session, first, 2 * FAR as usize)? {
        let Some(event) = readable(|| read.event_at(seq))? else {
            continue;
        };
        if Some(&event.project) != step_project.as_ref() || paused.has(&event)? {
            break;
        }
        before.push(event);
    }
    before.reverse();
    Ok(before)
}

/// The findings in what a person or the agent said themselves, from the `first` of the messages on.
fn told<'e>(
    read: &ReadTx,
    of: Talk<'_>,
    events: &'e [Event],
    first: usize,
) -> Result<Vec<Told<'e>>> {
    let mut told = Vec::new();
    let mut questions = Questions::default();
    for (index, event) in (0u32..).zip(events) {
        let Some(speaker) = speaker_of(event) else {
            continue;
        };
        let text = event.content.as_str();
        let hidden = recalled_spans(read.secret(), text);
        let mut found = statements::find(text, speaker, &hidden);
        let is_task = |finding: &Finding| finding.kind == FindingKind::Task;
        let is_read = index as usize >= first;
        // What an agent still had to do in the middle of a session was done in the rest of it.
        if is_read
            && speaker == Speaker::Agent
            && found.iter().any(is_task)
            && is_followed_by_another(read, of.unread, event)?
        {
            found.retain(|finding| !is_task(finding));
        }
        let message = Message {
            index,
            speaker,
            text,
        };
        let found = questions.answered_by(message, found, &hidden);
        let found = found.into_iter().filter(|_| is_read);
        told.extend(found.map(|(finding, question)| Told {
            message_index: index,
            said: event.timestamp,
            text,
            question,
            finding,
        }));
    }
    Ok(told)
}

/// How many messages before a decision its question may lie, and before another answer the first one.
const FAR: u32 = 3;

/// What a person or the agent said themselves.
#[derive(Clone, Copy)]
struct Message<'e> {
    index: u32,
    speaker: Speaker,
    text: &'e str,
}

/// A question, with the number of its message.
type Asked<'e> = (u32, &'e str);

/// What was asked before a message.
#[derive(Default)]
struct Questions<'e> {
    /// The last question that is not answered.
    open: Option<Asked<'e>>,
    /// The last question that was answered by a decision that says nothing without it.
    answered: Option<Answered<'e>>,
    /// The last message of each speaker, whose options may be chosen by their labels.
    last: Vec<Offer<'e>>,
}

/// A message that may offer options, and what of it is recalled text.
struct Offer<'e> {
    message: Message<'e>,
    hidden: Vec<Range<usize>>,
}

/// A question that was answered, and the answer.
#[derive(Clone, Copy)]
struct Answered<'e> {
    question: Asked<'e>,
    answer: &'e str,
    /// The message that answers it.
    index: u32,
    speaker: Speaker,
}

impl<'e> Questions<'e> {
    /// The findings of a message with the questions that they answer, and what the message asks and
    /// answers itself.
    fn answered_by(
        &mut self,
        message: Message<'e>,
        found: Vec<Finding>,
        hidden: &[Range<usize>],
    ) -> Vec<(Finding, Option<Asked<'e>>)> {
        let Message {
            index,
            speaker,
            text,
        } = message;
        let asked = self.open.filter(|(asked, _)| index - asked <= FAR);
        let again = self.answered_again(message, hidden);
        // Whoever decides, or says how it is, has answered what was asked before.
        if again.is_some() || found.iter().any(|finding| settles(finding, speaker)) {
            self.open = None;
        }
        let found = found.into_iter().filter_map(|finding| {
            let said = &text[finding.span.clone()];
            if finding.kind != FindingKind::Decision {
                return Some((finding, None));
            }
            if let Some(chosen) = options::chosen(said) {
                if let Some(option) = self.offered(message, &chosen) {
                    return Some((finding, Some(option)));
                }
                if chosen.is_bare {
                    return None;
                }
            }
            let asked = asked.filter(|(_, question)| needs_question(&finding, text, question));
            (asked.is_some() || !only_points(said)).then_some((finding, asked))
        });
        let mut found: Vec<_> = found.collect();
        if let Some((other, question)) = again {
            found.retain(|(finding, _)| finding.span != other.span);
            found.push((other, Some(question)));
            found.sort_by_key(|(finding, _)| finding.span.start);
        }
        let answer = found.iter().rev().find_map(|(finding, question)| {
            Some(Answered {
                question: (*question)?,
                answer: &text[finding.span.clone()],
                index,
                speaker,
            })
        });
        // Only the next message of whoever answered says it otherwise, and only if nothing but an
        // acknowledgement stands between: it may be about whatever else was said.
        let others = self
            .answered
            .filter(|before| before.speaker != speaker && second_answer::only_takes_note(text));
        self.answered = answer.or(others);
        let question = last_question(text, hidden).map(|span| (index, &text[span]));
        self.open = question.or(self.open);
        self.last.retain(|last| last.message.speaker != speaker);
        self.last.push(Offer {
            message,
            hidden: hidden.to_vec(),
        });
        found
    }

    /// The option that the other speaker offered and a message chooses.
    fn offered(&self, by: Message<'e>, chosen: &options::Chosen) -> Option<Asked<'e>> {
        let mut offers = self.last.iter().filter(|last| {
            last.message.speaker != by.speaker && by.index - last.message.index <= FAR
        });
        offers.find_map(|Offer { message, hidden }| {
            let span = options::offered(message.text, hidden, chosen)?;
            Some((message.index, &message.text[span]))
        })
    }

    /// Another answer to the question that the speaker has just answered.
    fn answered_again(
        &self,
        message: Message<'e>,
        hidden: &[Range<usize>],
    ) -> Option<(Finding, Asked<'e>)> {
        let before = self.answered?;
        if before.speaker != message.speaker || message.index - before.index > FAR {
            return None;
        }
        let text = message.text;
        let other = second_answer::find(text, message.speaker, hidden, before.answer)?;
        // It may answer what was asked since.
        let asked_since = self.open.map(|(_, question)| question);
        let is_meant = !asked_since.is_some_and(|asked| answers(&text[other.span.clone()], asked));
        is_meant.then_some((other, before.question))
    }
}

/// Whether a finding is a decision that says nothing without the question, which it answers.
fn needs_question(finding: &Finding, text: &str, question: &str) -> bool {
    let said = &text[finding.span.clone()];
    finding.kind == FindingKind::Decision && is_elliptical(said) && answers(said, question)
}

/// Whether a finding leaves the question before it answered.
fn settles(finding: &Finding, speaker: Speaker) -> bool {
    match finding.kind {
        FindingKind::Decision => true,
        FindingKind::Fact | FindingKind::Constraint => speaker == Speaker::User,
        _ => false,
    }
}

/// When the tasks that findings may be about were asked for or finished.
fn task_times(read: &ReadTx, project: &str, told: &[Told<'_>]) -> Result<TaskTimes> {
    let mut times = TaskTimes::default();
    if told.iter().any(|told| told.finding.kind.is_report()) {
        task_times::asked(read, project, &mut times)?;
    }
    let asked = asked_for(told);
    if !asked.is_empty() {
        let began = told.iter().map(|told| told.said).min();
        task_times::finished(read, project, began.unwrap_or_default(), &asked, &mut times)?;
    }
    Ok(times)
}
