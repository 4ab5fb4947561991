//! The tools' actions. Text of memories is fenced in the output, because a model reads it among
//! instructions.

use std::fmt::Write as _;

use recallite::rules::entries::{EntryType, EvidenceReport};
use recallite::scope::ProjectScope;
use recallite::text::show::{harmless, harmless_line};
use recallite::{
    ContextOptions, Detail, Event, EventFilter, EventId, EventKind, EventRef, ExtractionRequest,
    Hit, IngestOptions, IngestReport, LearnedEntry, LearnedHit, MatchClass, Memory, NewEvent,
    Query, Recording, Selector, TaskFilter, TimelineItem, ToolOutcome,
};
use serde_json::{Map, Value, json};

use super::arguments::Given;
use super::opened::Opened;
use super::tools;
use crate::agents::MIN_RELEVANCE;
use crate::arguments::Task as Act;
use crate::as_json;
use crate::conversations::last_conversation;
use crate::evidence;
use crate::failure::{Failure, Outcome};
use crate::fence::fenced_here;
use crate::lines::counted;
use crate::notes::{append_note, notes_session};
use crate::output::harmless_json;
use crate::place::FOUND_BY_DEFAULT;
use crate::tasks::{
    change as change_task, cited as cited_task, list_blocked, list_open as list_tasks,
};
use crate::time::{local, moment};
use crate::tokens::{cut_tokens, estimate_tokens};

/// The maximum size of the memories in an answer, in tokens: clients refuse answers that are much
/// larger, or give their model nothing else.
const ANSWER_TOKENS: usize = 8_000;
/// The maximum size of a context, in tokens, unless an argument or the settings say so.
const CONTEXT_TOKENS: usize = 800;
/// The least budget of a request for an extraction.
const MIN_REQUEST_TOKENS: usize = 2_000;

/// Runs a tool; returns the text for the model.
pub(super) fn call(opened: &Opened, name: &str, arguments: Map<String, Value>) -> Outcome<String> {
    let run = || reopening(opened, run(opened, name, arguments.clone()));
    let mut done = run();
    // What only reads may be done again, with the memory that is opened anew. A model cannot.
    if tools::only_reads(name) && done.as_ref().is_err_and(Failure::needs_reopen) {
        done = run();
    }
    match done {
        // The memory begins with the first note; a model has nothing to correct.
        Err(Failure::NoStore(folder))
            if tools::only_reads(name) || lists_tasks(name, &arguments) =>
        {
            let folder = folder.display().to_string();
            Ok(format!(
                "Nothing is remembered yet: there is no memory in {}. It begins with the first \
                 `remember`.",
                harmless_line(&folder)
            ))
        }
        done => done.map_err(in_words_of_the_tools),
    }
}

/// Whether a call of the tool that also changes tasks only lists them.
fn lists_tasks(name: &str, arguments: &Map<String, Value>) -> bool {
    let action = arguments.get("action").and_then(Value::as_str);
    name == "tasks" && matches!(action, None | Some("list" | "blocked"))
}

fn run(opened: &Opened, name: &str, arguments: Map<String, Value>) -> Outcome<String> {
    match name {
        "search" => search(opened, arguments),
        "timeline" => timeline(opened, arguments),
        "details" => details(opened, arguments),
        "context" => context(opened, arguments),
        "remember" => remember(opened, arguments),
        "tasks" => tasks(opened, arguments),
        "ingest" => ingest(opened, arguments),
        "forget" => forget(opened, arguments),
        "stats" => stats(opened, arguments),
        _ => Err(Failure::usage("no such tool")),
    }
}

/// Lets go of memories that have to be opened again, so that the next request does.
fn reopening<T>(opened: &Opened, done: Outcome<T>) -> Outcome<T> {
    if done.as_ref().is_err_and(Failure::needs_reopen) {
        opened.drop_all();
    }
    done
}

/// An error for the model; what it quotes from the store is fenced.
pub(super) fn told(failure: &Failure) -> String {
    match failure {
        Failure::Ambiguous { said, names } => {
            let names: Vec<_> = names.iter().map(|name| harmless_line(name)).collect();
            format!(
                "{}:\n{}",
                harmless_line(said),
                fenced_here(&names.join("\n"))
            )
        }
        // The client of a server has no shell.
        _ => failure.message().replace(
            "run `recallite tasks --all` to list them",
            "call tasks with action \"list\" to see the open ones",
        ),
    }
}

/// Renames the library's arguments to those of the tools: a model can only correct what it knows to
/// have written.
fn in_words_of_the_tools(failure: Failure) -> Failure {
    let Failure::Memory(error) = failure else {
        return failure;
    };
    let renamed = match error.argument() {
        Some("content") => Some("text".to_owned()),
        Some("title") => Some("task".to_owned()),
        Some("tools[0]") => Some("tool".to_owned()),
        Some("file_contains") => Some("file".to_owned()),
        Some(argument) => argument
            .strip_prefix("events[")
            .map(|place| format!("memories[{place}")),
        None => None,
    };
    Failure::Memory(match renamed {
        Some(argument) => error.about(argument),
        None => error,
    })
}

/// Reads a memory by its resource URI.
pub(super) fn resource(opened: &Opened, uri: &str) -> Outcome<String> {
    let read = || reopening(opened, cited(opened, uri));
    match read() {
        Err(failure) if failure.needs_reopen() => read(),
        read => read,
    }
}

fn cited(opened: &Opened, uri: &str) -> Outcome<String> {
    let memory = opened.memory(None, false)?;
    let event = memory
        .citation(uri)
        .map_err(|error| match error.argument().is_some() {
            true => error.about("uri"),
            false => error,
        })?;
    let text = from_offset(&event, 0, ANSWER_TOKENS)?;
    Ok(memory.fence(&text)?)
}

fn search(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("search", arguments)?;
    let (project, scope) = given.project()?;
    let is_everywhere = scope == ProjectScope::All;
    let memory = opened.memory(project, false)?;
    let mut query = Query::new(given.required("query")?).project(scope);
    let by_default = opened
        .settings()?
        .unless_set("retrieval.topK", FOUND_BY_DEFAULT);
    query.limit = given.number_if_given("limit")?.or(by_default);
    query.session = given.text("session")?.map(str::to_owned);
    query.kinds = kinds(&given)?;
    query.learned = query.kinds.is_empty();
    query.tools.extend(given.text("tool")?.map(str::to_owned));
    query.file_contains = given.text("file")?.map(str::to_owned);
    query.tool_outcome = given.flag("failed")?.then_some(ToolOutcome::Failed);
    query.from = given
        .text("since")?
        .map(|since| moment(since).map_err(|why| Failure::usage(format!("since: {why}"))))
        .transpose()?;
    let found = memory.search(query)?;
    if found.items.is_empty() && found.learned.is_empty() {
        return Ok(match is_everywhere {
            true => "Nothing found.".to_owned(),
            false => "Nothing found. Use project \"*\" to search every project.".to_owned(),
        });
    }
    let more = found.items.iter().filter(|hit| !hit.is_proof);
    let learned = found.learned.iter().map(|hit| learned(&memory, hit));
    let parts: Vec<String> = learned
        .chain(more.map(|hit| Ok(found_event(hit))))
        .collect::<Outcome<_>>()?;
    let text = fitting(&parts, |_| "ask for fewer at a time".to_owned());
    let text = memory.fence(text.trim_end())?;
    Ok(match found.confidence {
        MatchClass::None => format!("No confident answer; closest matches:\n{text}"),
        _ => text,
    })
}

/// The kinds of events to search, of which a model may name several.
fn kinds(given: &Given) -> Outcome<Vec<EventKind>> {
    let names = given.texts("kind")?;
    let names = names.iter().filter(|name| !name.trim().is_empty());
    names
        .map(|name| match tools::KINDS.contains(&name.as_str()) {
            true => Ok(name.parse::<EventKind>()?),
            false => Err(Failure::usage(format!(
                "kind: {name:?} is none of {}",
                tools::KINDS.join(", ")
            ))),
        })
        .collect()
}

/// The parts of an answer that fit in it, how many do not, and how to get those, which may depend
/// on how many fit.
fn fitting(parts: &[String], advice: impl FnOnce(usize) -> String) -> String {
    let mut text = String::new();
    let mut left = ANSWER_TOKENS;
    for (index, part) in parts.iter().enumerate() {
        match left.checked_sub(estimate_tokens(part)) {
            Some(rest) => left = rest,
            None if index == 0 => left = 0,
            None => {
                let more = parts.len() - index;
                let advice = advice(index);
                let _ = write!(text, "({more} more would be too long; {advice})");
                break;
            }
        }
        text.push_str(part);
        text.push('\n');
    }
    text
}

fn found_event(hit: &Hit) -> String {
    let percent = (hit.relevance * 100.0).round();
    let mut text = format!(
        "[{}] {}, {}, session {}, {percent}% likely to answer\n",
        hit.citation,
        local(hit.timestamp),
        harmless_line(&hit.actor),
        harmless_line(&hit.session),
    );
    quote(&mut text, &evidence::shown(&hit.passage));
    text
}

/// The maximum number of proofs that are quoted beside what they prove.
const MAX_PROOFS: usize = 3;

/// Learned entries with their status, and the words that prove them if those are others: whether an
/// entry is current matters more than how well it matches.
fn learned(memory: &Memory, learned: &LearnedHit) -> Outcome<String> {
    let what = learned
        .entry_type
        .map_or(learned.kind.as_str(), EntryType::as_str);
    let mut text = format!(
        "[{}] {}, {what}, {}: {}\n",
        learned.citation,
        local(evidence::said_at(learned)),
        learned.state.as_str().replace('_', " "),
        harmless_line(&learned.title),
    );
    for relation in evidence::relations(memory, learned)? {
        let _ = writeln!(text, "{}", harmless_line(&relation));
    }
    let mut left = ANSWER_TOKENS;
    quote(&mut text, taken(&learned.text, &mut left));
    let said = learned.text.trim();
    let others = learned
        .proofs
        .iter()
        .filter(|proof| proof.quote.trim() != said);
    for proof in others.take(MAX_PROOFS) {
        let _ = writeln!(text, "because of [{}]:", proof.citation);
        quote(&mut text, taken(&proof.quote, &mut left));
    }
    Ok(text)
}

/// As much of a text as fits in what is left of an answer.
fn taken<'t>(text: &'t str, left: &mut usize) -> &'t str {
    let taken = cut_tokens(text, *left);
    *left -= estimate_tokens(taken).min(*left);
    taken
}

/// Text as a block quotation.
fn quote(out: &mut String, text: &str) {
    for line in harmless(text).lines() {
        let _ = writeln!(out, "> {line}");
    }
}

fn events(given: &Given) -> Outcome<Vec<EventRef>> {
    let names = given.texts("memories")?;
    if names.is_empty() {
        return Err(Failure::usage("memories: must not be empty"));
    }
    let named = names.iter().enumerate().map(|(index, name)| {
        name.parse()
            .map_err(|error: recallite::Error| error.about(format!("memories[{index}]")))
    });
    Ok(named.collect::<recallite::Result<_>>()?)
}

fn timeline(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("timeline", arguments)?;
    let memory = opened.memory(None, false)?;
    let window = given.number("window", recallite::DEFAULT_TIMELINE_WINDOW)?;
    let items = memory.timeline(&events(&given)?, window)?;
    if items.is_empty() {
        return Err(Failure::not_found("no such memories"));
    }
    let lines: Vec<String> = items.iter().map(timeline_line).collect();
    let text = fitting(&lines, |_| "use a smaller window".to_owned());
    Ok(memory.fence(text.trim_end())?)
}

fn timeline_line(item: &TimelineItem) -> String {
    let mark = if item.is_target { "*" } else { " " };
    format!(
        "{mark} [{}] {}, {}: {}",
        item.citation,
        local(item.timestamp),
        harmless_line(&item.actor),
        harmless_line(&item.preview)
    )
}

fn details(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("details", arguments)?;
    let memory = opened.memory(None, false)?;
    let found: Vec<Detail> = memory.details(&events(&given)?)?;
    let offset = given.number("offset", 0)?;
    if offset > 0 && found.len() != 1 {
        return Err(Failure::usage("offset: needs exactly one memory"));
    }
    let mut left = ANSWER_TOKENS;
    let mut texts = Vec::new();
    for (index, detail) in found.iter().enumerate() {
        let mut text = from_offset(&detail.event, offset, left)?;
        let learned = evidence::entry_of(&memory, &detail.event)?;
        if let Some(learned) = &learned {
            text.push_str(&of_entry(&memory, learned)?);
        }
        let tokens = estimate_tokens(&text);
        // A message that does not fit is cut, and the next call continues it; an entry is not.
        if left == 0 || (index > 0 && learned.is_some() && tokens > left) {
            let more = found.len() - index;
            texts.push(format!(
                "({more} more would be too long; ask for them in another call)"
            ));
            break;
        }
        left = left.saturating_sub(tokens);
        texts.push(text);
    }
    Ok(memory.fence(&texts.join("\n\n"))?)
}

/// What an entry says, behind the line of its record, and the words that prove it.
fn of_entry(memory: &Memory, learned: &LearnedEntry) -> Outcome<String> {
    let entry = &learned.entry;
    let mut text = format!(
        "\n{}, {}, {}:\n",
        entry.entry_type,
        entry.stage(),
        entry.status.as_str()
    );
    let mut left = ANSWER_TOKENS;
    quote(&mut text, taken(&learned.content, &mut left));
    for proof in evidence::quotes(memory, learned)?.iter().take(MAX_PROOFS) {
        if let (Some(event), Some(words)) = (&proof.event, proof.words()) {
            let _ = writeln!(text, "because of [{}]:", event.citation);
            quote(&mut text, taken(words, &mut left));
        }
    }
    Ok(text.trim_end().to_owned())
}

/// The text of an event from a character on, as far as it fits in so many tokens.
fn from_offset(event: &Event, offset: usize, tokens: usize) -> Outcome<String> {
    let content = &event.content;
    let length = || content.chars().count();
    let begin = match offset {
        0 => 0,
        _ => content.char_indices().nth(offset).map_or_else(
            || {
                let says = format!("offset: the memory has {} characters", length());
                Err(Failure::usage(says))
            },
            |(at, _)| Ok(at),
        )?,
    };
    let rest = &content[begin..];
    let shown = cut_tokens(rest, tokens);
    let mut text = format!(
        "[{}] {}, {}, session {}",
        event.citation,
        local(event.timestamp),
        harmless_line(&event.actor),
        harmless_line(&event.session)
    );
    let is_cut = shown.len() < rest.len();
    if is_cut || offset > 0 {
        let end = offset + shown.chars().count();
        let _ = write!(text, ", characters {offset} to {end} of {}", length());
        if is_cut {
            let _ = write!(text, " (details with offset {end} continues)");
        }
    }
    text.push('\n');
    quote(&mut text, shown);
    Ok(text.trim_end().to_owned())
}

fn context(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("context", arguments)?;
    let (project, scope) = given.project()?;
    let memory = opened.memory(project, false)?;
    let mut options = ContextOptions::new(Query::new(given.required("query")?).project(scope))
        .count_tokens(estimate_tokens)
        .recording(Recording::Now);
    let settings = opened.settings()?;
    options.min_relevance = settings.unless_set("retrieval.minScore", MIN_RELEVANCE);
    options.budget_tokens = given
        .number_if_given("budget_tokens")?
        .or(settings.unless_set("retrieval.maxTokens", CONTEXT_TOKENS));
    let context = memory.context(options)?;
    let is_limited = given.number_if_given("budget_tokens")?.is_some();
    Ok(match context.is_empty() {
        true if is_limited => "Nothing relevant enough that fits in the budget.".to_owned(),
        true => "Nothing relevant enough.".to_owned(),
        false => context.text,
    })
}

fn remember(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("remember", arguments)?;
    let memory = opened.memory(given.one_project()?, true)?;
    // The words are the agent's, even if a person asked for them.
    let note = NewEvent::new(
        EventKind::SessionSummary,
        notes_session(&memory),
        given.required("text")?,
    )
    .actor("assistant");
    let receipt = append_note(&memory, note)?;
    let mut said = match receipt.duplicate {
        true => format!("Already remembered as {}.", receipt.citation),
        false => format!("Remembered as {}.", receipt.citation),
    };
    if receipt.privacy.changed() {
        said.push_str(" Private sections or secrets were removed from it.");
    }
    for warning in &receipt.warnings {
        let _ = write!(said, " Warning: {}.", warning.trim_end_matches('.'));
    }
    Ok(said)
}

fn tasks(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("tasks", arguments)?;
    let (project, scope) = given.project()?;
    let action = given.text("action")?.unwrap_or("list");
    let act = match action {
        "list" | "blocked" => {
            if given.text("task")?.is_some() {
                let said = format!("task: {action} shows all tasks; use the action show for one");
                return Err(Failure::usage(said));
            }
            None
        }
        _ => Some(act(action, &given)?),
    };
    if action == "add" {
        given.one_project()?;
    }
    let memory = opened.memory(project, action == "add")?;
    if let Some(act) = act {
        let among = TaskFilter::default().project(scope).is_live(true);
        let task = change_task(&memory, &among, &act)?;
        return Ok(memory.fence(&cited_task(&task))?);
    }
    let lines = match action {
        "blocked" => list_blocked(&memory, &scope)?,
        _ => list_tasks(&memory, &scope)?,
    };
    let offset = given.number("offset", 0)?.min(lines.len());
    let rest = &lines[offset..];
    if rest.is_empty() {
        return Ok("No such tasks.".to_owned());
    }
    let text = fitting(rest, |shown| {
        format!("{action} with offset {} continues", offset + shown)
    });
    Ok(memory.fence(text.trim_end())?)
}

fn act(action: &str, given: &Given) -> Outcome<Act> {
    let blocked_by = given.texts("blocked_by")?;
    let task = || given.required("task").map(str::to_owned);
    Ok(match action {
        "show" => Act::Show { task: task()? },
        "add" => Act::Add {
            title: task()?,
            priority: Default::default(),
            blocked_by,
        },
        "start" => Act::Start { task: task()? },
        "done" => Act::Done { task: task()? },
        "block" => Act::Block {
            task: task()?,
            blocked_by,
        },
        "cancel" => Act::Cancel { task: task()? },
        _ => {
            let shown: String = action.chars().take(100).collect();
            return Err(Failure::usage(format!(
                "action: {shown:?} is none of {}",
                tools::TASK_ACTIONS.join(", ")
            )));
        }
    })
}

fn ingest(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("ingest", arguments)?;
    let memory = opened.memory(given.one_project()?, false)?;
    let Some(extraction) = given.json("extraction")? else {
        return match given.text("session")? {
            Some(session) => extraction_task(opened, &memory, session),
            None => newest_task(opened, &memory),
        };
    };
    let session = given.required("session")?;
    let request = match opened.request(session) {
        Some(request) => request,
        // Another server made the request, and nothing has been learned since.
        None => request(&memory, session)?,
    };
    let options = IngestOptions::default().messages(request.messages);
    let report = memory.ingest_with(session, &extraction, &options)?;
    if report.already_ingested {
        return Ok("Already learned.".to_owned());
    }
    let mut said = learned_from(&memory, &report)?;
    if request.has_more {
        said.push_str("\nMore messages are left: call again with only the session.");
    }
    Ok(said)
}

/// What was learned, with the ids and the messages that prove it.
fn learned_from(memory: &Memory, report: &IngestReport) -> Outcome<String> {
    let mut said = format!(
        "Learned {} and {}.",
        counted(report.entries.len() as u64, "entry", "entries"),
        counted(report.tasks.len() as u64, "task", "tasks")
    );
    for entry in &report.entries {
        let (own, stage, id) = (harmless_line(&entry.local_id), entry.stage, &entry.entry_id);
        let _ = write!(said, "\n{own}: {stage}, {id}");
        cite(&mut said, memory, &entry.evidence)?;
    }
    for task in &report.tasks {
        let _ = write!(
            said,
            "\n{}: {}",
            harmless_line(&task.local_id),
            task.task_id
        );
        cite(&mut said, memory, &task.evidence)?;
    }
    let unproved = report
        .entries
        .iter()
        .filter(|entry| entry.stage.as_str() == "candidate")
        .count();
    if unproved > 0 {
        said.push_str("\ncandidate: not all quotes were found word for word.");
    }
    if !report.left_out.is_empty() {
        let _ = write!(
            said,
            "\nSkipped, because they quote a forgotten message: {}.",
            harmless_line(&report.left_out.join(", "))
        );
    }
    Ok(said)
}

/// Adds the citations of the messages that prove something, each once.
fn cite(out: &mut String, memory: &Memory, evidence: &EvidenceReport) -> Outcome {
    let mut known = Vec::new();
    for id in evidence
        .aligned
        .iter()
        .filter_map(|span| span.event_id.as_deref())
    {
        if known.contains(&id) {
            continue;
        }
        known.push(id);
        if let Some(event) = memory.event(id.parse::<EventId>()?)? {
            let _ = write!(out, " [{}]", event.citation);
        }
    }
    Ok(())
}

/// The same for the newest conversation, whose id no agent but Claude Code is told.
fn newest_task(opened: &Opened, memory: &Memory) -> Outcome<String> {
    let Some(session) = last_conversation(memory, None)? else {
        return Err(Failure::not_found(
            "no conversation of this project is stored",
        ));
    };
    let task = extraction_task(opened, memory, &session)?;
    let named = memory.fence(&format!("session: {}", harmless_line(&session)))?;
    Ok(format!("{named}\n{task}"))
}

/// A request that fits in an answer. The library counts the characters of East Asia four times less.
fn request(memory: &Memory, session: &str) -> Outcome<ExtractionRequest> {
    let request = memory.knowledge().extraction_request(session, None)?;
    let tokens = estimate_tokens(&request.prompt);
    if tokens <= ANSWER_TOKENS {
        return Ok(request);
    }
    let budget = (ANSWER_TOKENS * ANSWER_TOKENS / tokens).max(MIN_REQUEST_TOKENS);
    Ok(memory
        .knowledge()
        .extraction_request(session, Some(budget))?)
}

/// What to learn from, and how to send the response.
fn extraction_task(opened: &Opened, memory: &Memory, session: &str) -> Outcome<String> {
    let request = request(memory, session)?;
    if request.messages.is_empty() {
        return Ok("Nothing left to learn in this session.".to_owned());
    }
    let asked = format!(
        "Do the task below. Then call this tool again with the same session and your JSON object \
         as `extraction`.\n\n{}",
        request.prompt
    );
    opened.keep_request(session, request);
    Ok(asked)
}

fn forget(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("forget", arguments)?;
    let memory = opened.memory(None, false)?;
    let events = events(&given)?;
    let mut named = String::new();
    for event in &events {
        // One that is forgotten already is not counted either.
        if let Some(event) = memory.event(event.clone())? {
            let _ = write!(named, " [{}]", event.citation);
        }
    }
    // `search` finds memories of every project, and a citation names only one.
    let selector = Selector::new().ids(events).project(ProjectScope::All);
    if !given.flag("confirm")? {
        let count = memory.upkeep().count_selected(&selector)?;
        return Ok(format!(
            "This would forget {count}:{named}. Ask the user, then repeat with confirm: true."
        ));
    }
    let receipt = memory.forget(&selector)?;
    Ok(format!(
        "Forgot {}:{named}. The command `recallite erase` also removes them from disk.",
        receipt.count
    ))
}

fn stats(opened: &Opened, arguments: Map<String, Value>) -> Outcome<String> {
    let given = Given::of("stats", arguments)?;
    let (Some(project), _) = given.project()? else {
        let stats = opened.memory(None, false)?.stats()?;
        return Ok(harmless_json(&as_json::stats(&stats)));
    };
    let memory = opened.memory(Some(project), false)?;
    let count =
        |kinds: &[EventKind]| memory.count_events(&EventFilter::new().kinds(kinds.iter().copied()));
    Ok(harmless_json(&json!({
        "project": memory.project(),
        "events": count(EventKind::ALL)?,
        "prompts": count(&[EventKind::UserPrompt])?,
        "responses": count(&[EventKind::AgentResponse])?,
        "summaries": count(&[EventKind::SessionSummary])?,
        "tools": count(&[EventKind::ToolObservation])?,
        "sessions": memory.sessions(&ProjectScope::Own, Some(usize::MAX))?.len(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_is_listed_can_be_read() {
        for name in tools::KINDS {
            assert!(name.parse::<EventKind>().is_ok(), "{name}");
        }
    }
}
