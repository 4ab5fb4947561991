//! Adds entries that come from the caller, such as a user's own fact or a decision made
//! elsewhere. Like any other entry, each is proved by an event.

use serde_json::json;

use crate::engine::Engine;
use crate::learn::entries::{contradict, supersede};
use crate::learn::namesakes;
use crate::learn::pipeline::prepare::project_of;
use crate::learn::pipeline::{self, IngestOptions, Reader};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Dedupe, Event, EventKind, NewEvent, Origin};
use crate::model::ids::EventRef;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::privacy::{check_name, check_one_line};
use crate::projection::entries;
use crate::recall::learned::quoted;
use crate::rules::entries::{EntryId, EntryStatus, EntryType, LearnedEntry};
use crate::rules::model_answer::{
    MAX_CONTENT_CHARS, MAX_QUOTE_CHARS, MAX_TITLE_CHARS, SCHEMA_VERSION,
};
use crate::rules::tasks::keys::has_own_words;
use crate::text::keys::canonical_key;
use crate::write::append::{self, Along};
use crate::write::pauses::{self, PauseKeys};
use crate::write::prepare::{clean_text, kept_name, kept_option};

/// An entry that a person or a program adds without an extraction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewEntry {
    /// What kind of statement it makes.
    pub entry_type: EntryType,
    /// The session it belongs to.
    pub session: String,
    /// A one-line title of at most 500 characters.
    pub title: String,
    /// The full text, at most 20,000 characters.
    pub content: String,
    /// The project it belongs to. Default: that of the session, otherwise that of the memory.
    pub project: Option<String>,
    /// The moment from which it is valid.
    pub valid_from: Option<Timestamp>,
    /// The moment until which it is valid.
    pub valid_to: Option<Timestamp>,
    /// The event of the session that proves it. Default: the content is stored as an event of its
    /// own, said by the user, of the kind `session_summary`: it is not a turn of the conversation.
    /// Whatever forgets that kind, such as a retention rule, also forgets the entry.
    pub event: Option<EventRef>,
}

impl NewEntry {
    /// Creates an entry that is proved by an event of its own.
    pub fn new(
        entry_type: EntryType,
        session: impl Into<String>,
        title: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        NewEntry {
            entry_type,
            session: session.into(),
            title: title.into(),
            content: content.into(),
            project: None,
            valid_from: None,
            valid_to: None,
            event: None,
        }
    }

    setters! {
        /// Sets the project.
        project: some text;
        /// Sets the moment from which it is valid.
        valid_from: some Timestamp;
        /// Sets the moment until which it is valid.
        valid_to: some Timestamp;
        /// Sets the event of the session that proves it.
        event: some EventRef;
    }
}

/// [`Knowledge::add_entry`](crate::Knowledge::add_entry).
pub(crate) fn add_entry(engine: &Engine, new: &NewEntry, along: Along<'_>) -> Result<LearnedEntry> {
    check(engine, new)?;
    let project = &recorded_project(engine, new)?;
    let proof = match &new.event {
        Some(event) => engine.store.read()?.event(event)?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "no event with this id").with_argument("event")
        })?,
        None => said(engine, new, project, Dedupe::Content, along)?,
    };
    let (id, is_new) = add_proved(engine, new, project, &proof)?;
    let found = entries::entry(&engine.store.read()?.projected()?, &id)?;
    let is_in_force = found.as_ref().is_some_and(counts);
    if is_new || is_in_force {
        return found.ok_or_else(proof_is_gone);
    }
    // It was withdrawn, or its record was forgotten. Only a new event proves that it holds again.
    if new.event.is_some() {
        return Err(Error::new(
            ErrorCode::AlreadyExists,
            format!(
                "entry {id} was withdrawn or forgotten after this event; add it again with \
                 another event, or without one"
            ),
        )
        .with_argument("title"));
    }
    let proof = said(engine, new, project, Dedupe::None, along)?;
    let (id, _) = add_proved(engine, new, project, &proof)?;
    let found = entries::entry(&engine.store.read()?.projected()?, &id)?;
    found.ok_or_else(proof_is_gone)
}

/// Refuses what no entry can be.
fn check(engine: &Engine, new: &NewEntry) -> Result<()> {
    check_one_line("title", &new.title)?;
    for (argument, text, most) in [
        ("title", &new.title, MAX_TITLE_CHARS),
        ("content", &new.content, MAX_CONTENT_CHARS),
    ] {
        let length = text.chars().count();
        if length > most {
            return Err(Error::invalid(
                argument,
                format_args!("has {length} characters; the limit is {most}"),
            ));
        }
        if !has_own_words(&clean_text(engine, argument, text)?) {
            return Err(Error::invalid(
                argument,
                "needs at least one letter or digit that is not private",
            ));
        }
    }
    if let (Some(from), Some(to)) = (new.valid_from, new.valid_to)
        && from >= to
    {
        return Err(Error::invalid("valid_to", "must be after `valid_from`"));
    }
    Ok(())
}

/// The project of an entry and of its proof. Refuses what is paused, before anything is stored.
fn recorded_project(engine: &Engine, new: &NewEntry) -> Result<String> {
    check_name("session", &new.session)?;
    if let Some(project) = &new.project {
        check_name("project", project)?;
    }
    let session = kept_name(engine, &new.session)?;
    let project = kept_option(engine, new.project.as_deref())?;
    let read = engine.store.read()?;
    let project = match project {
        Some(project) => project,
        None => project_of(engine, &read, &session)?,
    };
    let keys = PauseKeys::new(&read, Some(&session), &project);
    match keys.paused(&read.projected()?)? {
        Some(scope) => Err(pauses::refusal(scope)),
        None => Ok(project),
    }
}

fn counts(row: &LearnedEntry) -> bool {
    matches!(
        row.entry.status,
        EntryStatus::Active | EntryStatus::Contested { .. }
    )
}

fn proof_is_gone() -> Error {
    Error::new(
        ErrorCode::NotFound,
        "the supporting event was forgotten before the entry was added",
    )
    .with_argument("event")
}

/// Adds the entry with this proof. Returns its id, and whether it is new.
fn add_proved(
    engine: &Engine,
    new: &NewEntry,
    project: &str,
    proof: &Event,
) -> Result<(EntryId, bool)> {
    let words = proof.content.trim_start();
    let quote: String = words.chars().take(MAX_QUOTE_CHARS).collect();
    let mut entry = json!({
        "id": "e1",
        "type": new.entry_type.as_str(),
        "title": new.title,
        "content": new.content,
        "quotes": [{ "message_index": 0, "quote": quote }],
    });
    for (name, at) in [("valid_from", new.valid_from), ("valid_to", new.valid_to)] {
        if let Some(at) = at {
            entry[name] = json!(at.to_string());
        }
    }
    let extraction = json!({ "schema_version": SCHEMA_VERSION, "entries": [entry] });
    let options = IngestOptions {
        project: Some(project.to_owned()),
        messages: vec![proof.id],
        ..IngestOptions::default()
    };
    let report = pipeline::ingest_as(
        engine,
        &new.session,
        &extraction.to_string(),
        &options,
        Reader::Caller,
    )
    .map_err(in_words_of_the_entry)?;
    let made = report.entries.into_iter().next();
    let made = made.ok_or_else(proof_is_gone)?;
    compare_namesakes(engine, &made.entry_id)?;
    Ok((made.entry_id, made.is_new))
}

/// Contests the entries in force that say something else under the title of a new one: they
/// cannot both be right, and only the user knows which is. Those that say the same of another
/// time are superseded: the caller knows better now.
fn compare_namesakes(engine: &Engine, id: &EntryId) -> Result<()> {
    let read = engine.store.read()?;
    let rows = read.projected()?;
    let Some(new) = entries::entry(&rows, id)? else {
        return Ok(());
    };
    let mut older = Vec::new();
    for id in namesakes::candidates(engine, &read, &rows, &new.entry.title)? {
        let known = entries::entry(&rows, &id)?;
        if let Some(known) = known.filter(|known| is_namesake(known, &new))
            && quoted::is_entry_live(&read, &known)?
        {
            older.push(known);
        }
    }
    drop((rows, read));
    for known in older {
        let old = &known.entry.id;
        let says_same = canonical_key(&known.content, None) == canonical_key(&new.content, None);
        let done = match says_same {
            true if known.entry.validity == new.entry.validity => Ok(()),
            true => supersede(engine, old, id),
            false => contradict(engine, old, id, None).map(drop),
        };
        match done {
            // It was superseded, withdrawn or erased meanwhile.
            Err(error)
                if matches!(
                    error.code(),
                    ErrorCode::InvariantViolation | ErrorCode::NotFound
                ) => {}
            done => done?,
        }
    }
    Ok(())
}

/// Whether an earlier entry makes a statement of the same kind under the same title in the
/// same project.
fn is_namesake(known: &LearnedEntry, new: &LearnedEntry) -> bool {
    known.seq < new.seq
        && known.project == new.project
        && known.entry.entry_type == new.entry.entry_type
        && known.canonical_key == new.canonical_key
        && known.entry.can_contradict(&new.entry)
}

/// Records the content as said by the user. If it was said before, returns that event, unless
/// `dedupe` says otherwise.
fn said(
    engine: &Engine,
    new: &NewEntry,
    project: &str,
    dedupe: Dedupe,
    along: Along<'_>,
) -> Result<Event> {
    let event = NewEvent::new(EventKind::SessionSummary, &new.session, &new.content)
        .project(project)
        .actor("user")
        .origin(Origin::User)
        .dedupe(dedupe);
    let appended = append::append_batch(engine, vec![event], along)?;
    // It was paused meanwhile.
    if let Some(reason) = appended.first().and_then(|appended| appended.skipped) {
        return Err(Error::invalid(
            "session",
            format_args!("is not being recorded now ({reason}); resume it first"),
        ));
    }
    let id = appended.first().map(|appended| appended.id);
    let id = id.ok_or_else(|| Error::new(ErrorCode::Internal, "append returned no receipt"))?;
    engine
        .store
        .read()?
        .event(&EventRef::Id(id))?
        .ok_or_else(|| {
            Error::new(
                ErrorCode::Busy,
                "was forgotten before the entry was added; try again",
            )
            .with_argument("content")
        })
}

/// Renames the argument of an extraction error to the one that the caller gave.
fn in_words_of_the_entry(error: Error) -> Error {
    let renamed = error.argument().and_then(|argument| {
        let field = argument.strip_prefix("entries[0].");
        match (field, argument) {
            (Some("quotes[0].quote"), _) | (_, "messages[0]") => Some("event".to_owned()),
            (Some(field), _) => Some(field.to_owned()),
            _ => None,
        }
    });
    match renamed {
        Some(argument) => error.about(argument),
        None => error,
    }
}
