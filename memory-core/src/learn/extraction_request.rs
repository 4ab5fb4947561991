//! Builds the request to the host's language model: the task, what is already known, and the
//! messages of a session that no model has read, within a budget.

use std::fmt::Write as _;

use crate::engine::Engine;
use crate::learn::known::known;
use crate::learn::speaker::speaker_of;
use crate::learn::unread::readable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, Origin};
use crate::model::ids::EventId;
use crate::projection::history;
use crate::rules::model_answer::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};
use crate::store::ReadTx;
use crate::store::log::session::SessionRow;
use crate::text::fence::{fence_token, fenced, without_fences};
use crate::text::show::{harmless, harmless_line};
use crate::text::tokens::{UNITS_PER_TOKEN, cut_utf16, estimate_tokens};
use crate::write::pauses::{PauseKeys, PausedEvents};

/// The default budget of a request, in estimated tokens.
pub const DEFAULT_EXTRACTION_BUDGET: usize = 8_000;
/// The minimum budget of a request, in estimated tokens. A smaller one could not hold the
/// task and something to read.
pub const MIN_EXTRACTION_BUDGET: usize = 2_000;

/// What is known may take one part in this many of the space left by the task.
const KNOWN_SHARE: usize = 4;
/// How the forms of what stands inside the fence are explained.
const FORM: &str = "The marks \"> \" before the lines of a message are not part of it. What is \
                    known already is for your orientation: write it down again only when a \
                    message changes it, then also with a relation to the known entry, whose id \
                    (entry_...) stands before it: supersedes when the message takes its place, \
                    contradicts when both may hold.";
const CUT: &str = "\n[the rest of this message is left out]";

/// What to give to a language model so that it extracts what a session taught, and what to
/// pass with its answer to [`Memory::ingest_with`](crate::Memory::ingest_with).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractionRequest {
    /// The session.
    pub session: String,
    /// The prompt: the task, what is already known, and the numbered messages. Empty if a
    /// model has read every message of the session. The texts are fenced: they are data.
    pub prompt: String,
    /// The JSON Schema of the answer, as text: the same as
    /// [`EXTRACTION_SCHEMA`](crate::rules::model_answer::EXTRACTION_SCHEMA), for models that accept
    /// one alongside the prompt. Empty if the prompt is.
    pub schema: String,
    /// The messages in the prompt, in the order of their numbers. Pass them as the `messages` of
    /// the options when you ingest the answer.
    pub messages: Vec<EventId>,
    /// The estimated number of tokens in the prompt.
    pub tokens: usize,
    /// Whether more messages remain for another request once this answer has been ingested: a
    /// request has a budget, and the messages of one project.
    pub has_more: bool,
}

/// [`Knowledge::extraction_request`](crate::Knowledge::extraction_request).
pub(crate) fn extraction_request(
    engine: &Engine,
    session: &str,
    budget_tokens: Option<usize>,
) -> Result<ExtractionRequest> {
    let budget = budget_tokens.unwrap_or(DEFAULT_EXTRACTION_BUDGET);
    if budget < MIN_EXTRACTION_BUDGET {
        return Err(Error::invalid(
            "budget_tokens",
            format_args!("must be at least {MIN_EXTRACTION_BUDGET}"),
        ));
    }
    let session = crate::write::prepare::kept_name(engine, session)?;
    let read = engine.store.read()?;
    let Some((number, row)) = read.session(&session)? else {
        return Err(
            Error::new(ErrorCode::NotFound, "no session with this name").with_argument("session")
        );
    };
    let Unread {
        messages,
        project,
        mut has_more,
    } = unread(&read, &session, (number, row), budget)?;
    let task = format!("{EXTRACTION_PROMPT}\n\n{FORM}\n\n");
    let token = fence_token(read.secret(), "");
    let frame = estimate_tokens(&format!("{task}{}", fenced(&token, "")));
    let tokens_left = budget.saturating_sub(frame);
    let about: Vec<&str> = messages.iter().map(|(_, text)| text.as_str()).collect();
    let known = known(
        engine,
        &read,
        (&project, &about.join("\n")),
        tokens_left / KNOWN_SHARE,
    )?;
    let mut body = Body {
        tokens_left: tokens_left - estimate_tokens(&known),
        text: known,
        messages: Vec::new(),
    };
    for (event, text) in &messages {
        if !body.add(event, text) {
            has_more = true;
            break;
        }
    }
    if body.messages.is_empty() {
        return Ok(ExtractionRequest {
            session,
            ..ExtractionRequest::default()
        });
    }
    let body_text = body.text.trim_end();
    let prompt = format!(
        "{task}{}",
        fenced(&fence_token(read.secret(), body_text), body_text)
    );
    Ok(ExtractionRequest {
        session,
        tokens: estimate_tokens(&prompt),
        prompt,
        schema: EXTRACTION_SCHEMA.to_owned(),
        messages: body.messages,
        has_more,
    })
}

/// The messages of a session that no model has read, each with what a model is to read of it.
struct Unread {
    messages: Vec<(Event, String)>,
    /// Their project: an answer has one.
    project: String,
    has_more: bool,
}

/// The first messages that no model has read, until they exceed the budget.
fn unread(
    read: &ReadTx,
    session: &str,
    (number, row): (u32, SessionRow),
    budget: usize,
) -> Result<Unread> {
    let is_project_set = row.is_project_set;
    let mut found = Unread {
        messages: Vec::new(),
        project: read.public_session(row)?.project,
        has_more: false,
    };
    let rows = read.projected()?;
    let after = history::read_to(&rows, session)?.model;
    // Nothing is learned of what is paused, so no model reads it.
    let keys = PauseKeys::new(read, Some(session), &found.project);
    if is_project_set && keys.paused(&rows)?.is_some() {
        return Ok(found);
    }
    let mut paused = PausedEvents::new(&rows, read)?;
    let mut tokens = 0;
    for (_, seq) in read.turns_after(number, after)? {
        // Records of another store are read by that store.
        if readable(|| read.is_foreign(seq).map(Some))? != Some(false) {
            continue;
        }
        let Some(event) = readable(|| read.event_at(seq))? else {
            continue;
        };
        if paused.has(&event)? {
            break;
        }
        let Some(text) = text_to_read(&event, read.secret()) else {
            continue;
        };
        // What is found belongs to the project of its message, and an answer has one project.
        let is_elsewhere = !is_project_set && event.project != found.project;
        if tokens > budget || is_elsewhere && !found.messages.is_empty() {
            found.has_more = true;
            break;
        }
        if is_elsewhere {
            found.project.clone_from(&event.project);
        }
        tokens += estimate_tokens(&text);
        found.messages.push((event, text));
    }
    Ok(found)
}

/// What a model is to read of a message, if anything.
fn text_to_read(event: &Event, secret: &[u8; 32]) -> Option<String> {
    // What was recalled was said elsewhere and is learned from there.
    let text = without_fences(secret, &event.content);
    // What a page, a tool or the host wrote was said by nobody here, as for the rules; what
    // stands around a fence was.
    let is_around_fence = event.origin == Origin::Recalled && text.len() < event.content.len();
    let is_said = speaker_of(event).is_some() || is_around_fence;
    (is_said && !text.trim().is_empty()).then(|| text.into_owned())
}

/// The text inside the fence, as far as it fits.
struct Body {
    text: String,
    /// How many tokens are left.
    tokens_left: usize,
    messages: Vec<EventId>,
}

impl Body {
    /// False if the message does not fit. The first one is cut instead, so that every request
    /// makes progress.
    fn add(&mut self, event: &Event, text: &str) -> bool {
        let mut heading = String::new();
        if self.messages.is_empty() {
            heading.push_str("Messages\n\n");
        }
        let _ = writeln!(
            heading,
            "{} ({})",
            self.messages.len(),
            harmless_line(&event.actor)
        );
        let mut message = format!("{heading}{}\n", quoted(text));
        if estimate_tokens(&message) > self.tokens_left {
            if !self.messages.is_empty() {
                return false;
            }
            message = self.cut(&heading, text);
        }
        self.tokens_left = self.tokens_left.saturating_sub(estimate_tokens(&message));
        self.text.push_str(&message);
        self.messages.push(event.id);
        true
    }

    /// The longest prefix that fits.
    fn cut(&self, heading: &str, text: &str) -> String {
        let cut_at = |units: usize| {
            let beginning = cut_utf16(text, units);
            format!("{heading}{}\n", quoted(&format!("{beginning}{CUT}")))
        };
        let (mut fits, mut too_long) = (0, self.tokens_left * UNITS_PER_TOKEN);
        while fits + 1 < too_long {
            let middle = usize::midpoint(fits, too_long);
            match estimate_tokens(&cut_at(middle)) <= self.tokens_left {
                true => fits = middle,
                false => too_long = middle,
            }
        }
        cut_at(fits)
    }
}

/// Text as a quotation, each line marked.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in harmless(text).lines() {
        let _ = writeln!(out, "> {line}");
    }
    out
}
