//! Turns what a caller gives into what the store takes: checks, defaults, the privacy
//! filter and text analysis, all before a transaction begins.

use std::fmt::Write as _;
use std::ops::Range;

use parking_lot::Mutex;

use crate::engine::Engine;
use crate::index::lexical::batch_inverter::{BatchInverter, PartialIndex};
use crate::index::lexical::searchable;
use crate::model::error::{Error, Result};
use crate::model::event::{Dedupe, EventKind, MAX_DURATION_MS, NewEvent, Origin, SkipReason};
use crate::model::json::{Json, check_depth};
use crate::model::session::SessionUpdate;
use crate::model::time::Timestamp;
use crate::privacy::{CleanEvent, KeptName, NAME_SECRET, check_name};
use crate::scope::ProjectScope;
use crate::store::log::append::{DedupeLookup, Draft, Hashes, Words, draft_hash};
use crate::store::threads::{joined, spawn};
use crate::text::fence::{is_mostly_recalled, may_hold_fence, recalled_spans};
use crate::text::tool::{is_web_tool, observed_file};

/// The longest text of one event, in bytes.
pub(crate) const CONTENT_LIMIT: usize = 256 << 20;

/// Fewer events do not justify another thread.
const EVENTS_PER_THREAD: usize = 128;

/// From this many events on, a batch's words form a segment of their own.
const INVERTED_EVENTS: usize = 512;

/// Events that are ready to be stored.
pub(crate) struct PreparedBatch {
    pub(crate) drafts: Vec<Draft>,
    /// The inverted words of the drafts, if any.
    pub(crate) partials: Vec<PartialIndex>,
    /// The hashes that identify duplicates of the drafts, if already computed.
    pub(crate) hashes: Option<Hashes>,
}

/// Checks, filters and analyses events. Nothing is stored yet, so a refused event leaves
/// the store unchanged.
pub(crate) fn prepare(engine: &Engine, events: Vec<NewEvent>) -> Result<Vec<Draft>> {
    let skipped = vec![None; events.len()];
    Ok(prepare_shared(engine, events, &skipped, None)?.drafts)
}

/// Like [`prepare`], for an append: the words of a large batch are inverted into a segment
/// instead of one forward entry per event. `skipped` says of each event of the caller's batch
/// whether it is left out; `events` are the others.
pub(crate) fn prepare_batch(
    engine: &Engine,
    events: Vec<NewEvent>,
    skipped: &[Option<SkipReason>],
) -> Result<PreparedBatch> {
    let secret = (events.len() >= INVERTED_EVENTS)
        .then(|| engine.store.read().map(|read| read.meta().secret))
        .transpose()?;
    prepare_shared(engine, events, skipped, secret)
}

/// A large batch is split among threads; drafts and first error are the same as with a
/// single one. With the store's `secret`, words are inverted and hashes computed.
fn prepare_shared(
    engine: &Engine,
    events: Vec<NewEvent>,
    skipped: &[Option<SkipReason>],
    secret: Option<[u8; 32]>,
) -> Result<PreparedBatch> {
    let now = engine.store.clock().now();
    let count = events.len();
    let threads = if count < 2 * EVENTS_PER_THREAD {
        1
    } else {
        std::thread::available_parallelism().map_or(1, usize::from)
    };
    let share = count.div_ceil(threads).max(EVENTS_PER_THREAD);
    let mut parts = Vec::with_capacity(threads);
    let mut rest = events;
    while rest.len() > share {
        let next = rest.split_off(share);
        parts.push((count - rest.len() - next.len(), rest));
        rest = next;
    }
    parts.push((count - rest.len(), rest));
    let prepare =
        |(first, events)| prepare_share(engine, events, first, skipped, now, secret.as_ref());
    let own = parts.remove(0);
    // Each is taken by its helper or, if the system refuses one, by this thread.
    let parts: Vec<_> = parts.into_iter().map(Some).map(Mutex::new).collect();
    let help = |part: &Mutex<Option<_>>| {
        let part = part.lock().take().expect("only one thread takes a part");
        prepare(part)
    };
    let shares: Result<Vec<Prepared>> = std::thread::scope(|scope| {
        let help = &help;
        let helpers: Vec<_> = parts
            .iter()
            .map(|part| {
                let work = move || searchable::with_spare_analyser(|| help(part));
                (part, spawn(scope, work))
            })
            .collect();
        let mut shares = vec![prepare(own)];
        shares.extend(helpers.into_iter().map(|(part, helper)| match helper {
            Ok(helper) => joined(helper),
            Err(_) => help(part),
        }));
        // Report the first error in the order of the events.
        shares.into_iter().collect()
    });
    let mut batch = PreparedBatch {
        drafts: Vec::with_capacity(count),
        partials: Vec::new(),
        hashes: None,
    };
    let mut hashes = Vec::new();
    for share in shares? {
        batch.drafts.extend(share.drafts);
        hashes.extend(share.hashes);
        batch.partials.extend(share.words);
    }
    batch.hashes = secret.map(|secret| Hashes { secret, hashes });
    Ok(batch)
}

/// Returns words to drafts one by one after some turned out to be duplicates, so that no
/// duplicate reaches the index.
pub(crate) fn analyse_again(drafts: &mut [Draft], known: &DedupeLookup, secret: &[u8; 32]) {
    for (draft, is_new) in drafts.iter_mut().zip(known.is_new()) {
        if matches!(draft.words, Words::Inverted) {
            draft.words = match is_new {
                true => Words::Forward(searchable::forward_body(
                    &draft.event,
                    &draft.actor,
                    draft.timestamp,
                    &recalled_spans(secret, draft.event.content.as_str()),
                )),
                false => Words::None,
            };
        }
    }
}

/// What one thread prepared.
struct Prepared {
    drafts: Vec<Draft>,
    words: Option<PartialIndex>,
    hashes: Vec<Option<[u8; 16]>>,
}

/// What goes from one event of a batch to the next.
#[derive(Default)]
struct Carried {
    /// Takes the words of a large batch.
    inverter: Option<BatchInverter>,
    /// The last name of a session that the filter left as it is: a batch has few sessions.
    kept_session: String,
}

/// Prepares part of the events that are stored, starting with number `first` of them.
fn prepare_share(
    engine: &Engine,
    events: Vec<NewEvent>,
    first: usize,
    skipped: &[Option<SkipReason>],
    now: Timestamp,
    secret: Option<&[u8; 32]>,
) -> Result<Prepared> {
    let mut carried = Carried {
        inverter: secret.map(|_| BatchInverter::new()),
        kept_session: String::new(),
    };
    let mut prepared = Prepared {
        drafts: Vec::with_capacity(events.len()),
        words: None,
        hashes: Vec::new(),
    };
    for (index, event) in (first..).zip(events) {
        let draft = check_appendable(event.kind)
            .and_then(|()| prepare_one(engine, event, now, &mut carried))
            .map_err(|error| in_batch(skipped, index, error))?;
        if let Some(secret) = secret {
            prepared.hashes.push(draft_hash(secret, &draft));
        }
        prepared.drafts.push(draft);
    }
    prepared.words = carried
        .inverter
        .map(|inverter| searchable::with_analyser(|analyser| inverter.finish(analyser)))
        .transpose()?;
    Ok(prepared)
}

/// The error of the `stored`-th event that is not skipped, with the index that the caller gave
/// the event if the batch has several.
fn in_batch(skipped: &[Option<SkipReason>], stored: usize, error: Error) -> Error {
    let mut kept = skipped.iter().enumerate().filter(|(_, it)| it.is_none());
    let index = match kept.nth(stored) {
        Some((index, _)) if skipped.len() > 1 => index,
        _ => return error,
    };
    let argument = match error.argument() {
        Some(argument) => format!("events[{index}].{argument}"),
        None => format!("events[{index}]"),
    };
    error.about(argument)
}

/// Checks an event as [`prepare`] does.
///
/// # Errors
/// Those with which [`prepare`] would refuse the event.
pub(crate) fn check(engine: &Engine, event: NewEvent) -> Result<()> {
    clean(engine, event, &mut String::new()).map(drop)
}

/// The filtered event and its project. `kept_session` is that of [`Carried`].
fn clean(
    engine: &Engine,
    mut event: NewEvent,
    kept_session: &mut String,
) -> Result<(CleanEvent, String)> {
    check_event(&event)?;
    // The memory's own project was masked on opening.
    let mut masked = Vec::new();
    let project = match event.project.take() {
        Some(project) => {
            check_name("project", &project)?;
            masking(engine, project, &mut masked)?
        }
        None => engine.project.clone(),
    };
    if event.session != *kept_session {
        let name = masking(engine, event.session.clone(), &mut masked)?;
        if name == event.session {
            kept_session.clone_from(&name);
        }
        event.session = name;
    }
    let mut clean = engine.filter.clean_event(event, &engine.tool_limits)?;
    for name in masked {
        clean.count_name(&name.filtered.report);
    }
    if clean.content.as_str().trim().is_empty() {
        return Err(Error::invalid(
            "content",
            "is empty after private text was removed",
        ));
    }
    Ok((clean, project))
}

fn prepare_one(
    engine: &Engine,
    event: NewEvent,
    now: Timestamp,
    carried: &mut Carried,
) -> Result<Draft> {
    let (clean, project) = clean(engine, event, &mut carried.kept_session)?;
    let origin = clean.origin.unwrap_or(match clean.kind {
        EventKind::UserPrompt => Origin::User,
        EventKind::AgentResponse => Origin::Assistant,
        EventKind::ToolObservation => match &clean.tool {
            Some(tool) if is_web_tool(tool.name.as_str()) => Origin::Web,
            _ => Origin::Tool,
        },
        _ => Origin::System,
    });
    let timestamp = clean.timestamp.unwrap_or(now);
    let actor = match (&clean.actor, clean.kind) {
        (Some(actor), _) => actor.as_str().to_owned(),
        (None, EventKind::UserPrompt) => "user".to_owned(),
        (None, EventKind::AgentResponse) => "assistant".to_owned(),
        (None, EventKind::ToolObservation) => clean
            .tool
            .as_ref()
            .map_or_else(|| "tool".to_owned(), |tool| tool.name.as_str().to_owned()),
        (None, _) => "system".to_owned(),
    };
    let file = clean
        .tool
        .as_ref()
        .and_then(|tool| observed_file(tool.metadata.as_str()));
    let recalled = recalled(engine, &clean)?;
    let origin = if is_mostly_recalled(clean.content.as_str(), &recalled) {
        Origin::Recalled
    } else {
        origin
    };
    let words = match &mut carried.inverter {
        _ if !clean.kind.is_conversation() => Words::None,
        Some(inverter) => {
            searchable::invert(inverter, &clean, &actor, timestamp, &recalled);
            Words::Inverted
        }
        None => Words::Forward(searchable::forward_body(
            &clean, &actor, timestamp, &recalled,
        )),
    };
    Ok(Draft {
        event: clean,
        project,
        actor,
        origin,
        timestamp,
        words,
        file,
    })
}

/// Where an event's content contains text recalled from this store.
fn recalled(engine: &Engine, event: &CleanEvent) -> Result<Vec<Range<usize>>> {
    let content = event.content.as_str();
    if !event.kind.is_conversation() || !may_hold_fence(content) {
        return Ok(Vec::new());
    }
    Ok(recalled_spans(engine.store.read()?.secret(), content))
}

/// Like [`kept_name`], collecting what was masked.
fn masking(engine: &Engine, name: String, masked: &mut Vec<KeptName>) -> Result<String> {
    let Some(kept) = engine.filter.kept_name(&name, || name_secret(engine))? else {
        return Ok(name);
    };
    let name = kept.name.clone();
    masked.push(kept);
    Ok(name)
}

fn name_secret(engine: &Engine) -> Result<[u8; 32]> {
    Ok(engine.store.read()?.derived_secret(NAME_SECRET))
}

/// The name under which a caller's item is stored and looked up: its own, or a masked one
/// if it contains private text or a secret.
pub(crate) fn kept_name(engine: &Engine, name: &str) -> Result<String> {
    masking(engine, name.to_owned(), &mut Vec::new())
}

/// The name by which a session is read: the stored one, or, while there is none, the caller's own,
/// under which it was stored before the filter masked it, or by a process whose filter does not.
pub(crate) fn read_session(engine: &Engine, name: &str) -> Result<String> {
    let kept = kept_name(engine, name)?;
    if kept == name {
        return Ok(kept);
    }
    let read = engine.store.read()?;
    let is_under_own = read.session(&kept)?.is_none() && read.session(name)?.is_some();
    Ok(match is_under_own {
        true => name.to_owned(),
        false => kept,
    })
}

/// Like [`read_session`], for an optional name.
pub(crate) fn read_session_option(engine: &Engine, name: Option<&str>) -> Result<Option<String>> {
    name.map(|name| read_session(engine, name)).transpose()
}

/// Like [`kept_name`], for an optional name.
pub(crate) fn kept_option(engine: &Engine, name: Option<&str>) -> Result<Option<String>> {
    name.map(|name| kept_name(engine, name)).transpose()
}

/// The same scope with its project's stored name.
pub(crate) fn kept_scope(engine: &Engine, scope: &ProjectScope) -> Result<ProjectScope> {
    Ok(match scope {
        ProjectScope::Named(name) => ProjectScope::Named(kept_name(engine, name)?),
        other => other.clone(),
    })
}

/// The scope in which recall looks: all projects if the settings say that the memory's own one
/// learns from the others.
pub(crate) fn recalled_scope(engine: &Engine, scope: &ProjectScope) -> Result<ProjectScope> {
    Ok(match kept_scope(engine, scope)? {
        ProjectScope::Own if engine.tuning.recall.crosses_projects => ProjectScope::All,
        scope => scope,
    })
}

/// The project to read, by its stored name.
pub(crate) fn wanted_project(engine: &Engine, scope: &ProjectScope) -> Result<Option<String>> {
    Ok(kept_scope(engine, scope)?.resolve(&engine.project))
}

/// An event that the library records about itself.
pub(crate) struct SystemEvent {
    pub(crate) kind: EventKind,
    /// Empty if it belongs to no conversation.
    pub(crate) session: String,
    pub(crate) project: String,
    /// A one-line description for people.
    pub(crate) content: String,
    /// A JSON object for the projections.
    pub(crate) payload: serde_json::Value,
    pub(crate) dedupe: Dedupe,
}

impl SystemEvent {
    /// An event that belongs to no conversation, in the memory's own project. Settings are those of
    /// the whole store: no erasure takes them, so they must not keep a project's name.
    pub(crate) fn new(
        engine: &Engine,
        kind: EventKind,
        content: impl Into<String>,
        payload: serde_json::Value,
    ) -> Self {
        SystemEvent {
            kind,
            session: String::new(),
            project: match kind {
                EventKind::SettingChanged => String::new(),
                _ => engine.project.clone(),
            },
            content: content.into(),
            payload,
            dedupe: Dedupe::None,
        }
    }

    /// Filters the texts, giving a draft to append.
    pub(crate) fn draft(self, engine: &Engine) -> Draft {
        let now = engine.store.clock().now();
        Draft {
            event: engine.filter.clean_system_event(
                self.kind,
                self.session,
                &self.content,
                self.payload,
                self.dedupe,
            ),
            project: self.project,
            actor: "system".to_owned(),
            origin: Origin::System,
            timestamp: now,
            words: Words::None,
            file: None,
        }
    }
}

/// A caller's text after the filter.
///
/// # Errors
/// `invalid_argument` naming the argument if nothing is left.
pub(crate) fn clean_text(engine: &Engine, argument: &str, text: &str) -> Result<String> {
    let clean = engine.filter.text(text).text.into_string();
    if clean.trim().is_empty() {
        return Err(Error::invalid(
            argument,
            if text.trim().is_empty() {
                "must not be blank"
            } else {
                "is empty after private text was removed"
            },
        ));
    }
    Ok(clean)
}

fn check_event(event: &NewEvent) -> Result<()> {
    check_required("session", &event.session)?;
    if let Some(actor) = &event.actor {
        check_name("actor", actor)?;
    }
    check_length("content", &event.content)?;
    match (&event.tool, event.kind) {
        (Some(tool), EventKind::ToolObservation) => {
            check_required("tool.name", &tool.name)?;
            if let Some(input) = &tool.input {
                check_depth("tool.input", input.as_str())?;
                check_length("tool.input", input.as_str())?;
            }
            check_length("tool.output", &tool.output)?;
            if let Some(ms) = tool.duration_ms.filter(|ms| *ms > MAX_DURATION_MS) {
                return Err(Error::invalid(
                    "tool.duration_ms",
                    format_args!("is {ms}, more than {MAX_DURATION_MS}"),
                ));
            }
            check_length("tool.error", tool.error.as_deref().unwrap_or_default())?;
        }
        (Some(_), kind) => {
            return Err(Error::invalid(
                "tool",
                format_args!("belongs to a tool_observation, not to a {kind}"),
            ));
        }
        (None, _) if event.content.trim().is_empty() => {
            return Err(Error::invalid("content", "must not be empty or blank"));
        }
        (None, _) => {}
    }
    if let Some(metadata) = &event.metadata
        && !metadata.as_str().starts_with('{')
    {
        return Err(Error::invalid("metadata", "must be a JSON object"));
    }
    if let Some(metadata) = &event.metadata {
        check_depth("metadata", metadata.as_str())?;
        check_length("metadata", metadata.as_str())?;
    }
    if let Dedupe::Key(key) = &event.dedupe {
        if key.is_empty() {
            return Err(Error::invalid("dedupe", "the key must not be empty"));
        }
        check_name("dedupe", key)?;
    }
    if let Some(at) = event.timestamp {
        Timestamp::from_millis(at.millis())?;
    }
    Ok(())
}

fn check_length(argument: &str, text: &str) -> Result<()> {
    match text.len() > CONTENT_LIMIT {
        true => Err(Error::invalid(
            argument,
            format_args!("has {} bytes; the limit is {CONTENT_LIMIT}", text.len()),
        )),
        false => Ok(()),
    }
}

/// Replay trusts what the library recorded about itself, so callers must not be able to
/// write it.
fn check_appendable(kind: EventKind) -> Result<()> {
    if kind.is_appendable() {
        return Ok(());
    }
    Err(Error::invalid(
        "kind",
        format_args!(
            "{kind} is recorded by the library only; append user_prompt, agent_response, \
             session_summary or tool_observation"
        ),
    ))
}

pub(crate) fn check_required(argument: &str, name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::invalid(argument, "must not be empty or blank"));
    }
    check_name(argument, name)
}

/// The events that record a change of a session: one with its fields, one with its summary.
/// The latter is erased as a whole when what it is based on is erased, and nothing else goes
/// with it.
pub(crate) fn session_changes(
    engine: &Engine,
    id: &str,
    update: &SessionUpdate,
) -> Result<Vec<Draft>> {
    let facts = SessionUpdate {
        summary: None,
        tags: None,
        ..update.clone()
    };
    let texts = SessionUpdate {
        summary: update.summary.clone(),
        tags: update.tags.clone(),
        ..SessionUpdate::default()
    };
    // The record belongs to the session's project, whichever project the caller works in:
    // that decides who may read it.
    let own_project = engine.store.read()?.session_project(id)?;
    let project = update.project.as_deref().or(own_project.as_deref());
    let nothing = SessionUpdate::default();
    let mut drafts = Vec::with_capacity(2);
    if facts != nothing || texts == nothing {
        drafts.push(session_change(engine, id, &facts, project)?);
    }
    if texts != nothing {
        drafts.push(session_change(engine, id, &texts, project)?);
    }
    Ok(drafts)
}

fn session_change(
    engine: &Engine,
    id: &str,
    update: &SessionUpdate,
    project: Option<&str>,
) -> Result<Draft> {
    let mut content = String::from("session");
    let mut fields = serde_json::Map::new();
    if let Some(project) = &update.project {
        check_name("project", project)?;
        fields.insert("project".into(), project.as_str().into());
    }
    if let Some(started) = update.started {
        fields.insert("started".into(), started.millis().into());
        let _ = write!(content, ", started {started}");
    }
    if let Some(ended) = update.ended {
        fields.insert("ended".into(), ended.millis().into());
        let _ = write!(content, ", ended {ended}");
    }
    if let Some(summary) = &update.summary {
        fields.insert("summary".into(), summary.as_str().into());
    }
    if let Some(tags) = &update.tags {
        for (index, tag) in tags.iter().enumerate() {
            check_required(&format!("tags[{index}]"), tag)?;
        }
        fields.insert("tags".into(), tags.clone().into());
    }
    let mut event = NewEvent::new(EventKind::SessionChanged, id, content)
        .dedupe(Dedupe::None)
        .metadata(Json::from_value(&serde_json::Value::Object(fields)));
    event.project = project.map(str::to_owned);
    let now = engine.store.clock().now();
    prepare_one(engine, event, now, &mut Carried::default())
}

/// The event recording that recalled text was given to an agent. Its own dedupe key makes a
/// retried write store it once.
pub(crate) fn injected(
    engine: &Engine,
    session: &str,
    content: String,
    metadata: Json,
) -> Result<Draft> {
    let mut key = String::from("injected:");
    for byte in engine.store.new_salt() {
        let _ = write!(key, "{byte:02x}");
    }
    let event = NewEvent::new(EventKind::Injected, session, content)
        .dedupe(Dedupe::Key(key))
        .metadata(metadata);
    let now = engine.store.clock().now();
    prepare_one(engine, event, now, &mut Carried::default())
}

/// The filtered texts of a session change, as the session's row may store them.
pub(crate) fn filtered_update(drafts: &[Draft], update: &SessionUpdate) -> SessionUpdate {
    // The summary comes last.
    let metadata: serde_json::Value = drafts
        .last()
        .and_then(|draft| draft.event.metadata.as_ref())
        .and_then(|json| serde_json::from_str(json.as_str()).ok())
        .unwrap_or_default();
    SessionUpdate {
        summary: metadata["summary"].as_str().map(str::to_owned),
        tags: metadata["tags"].as_array().map(|tags| {
            tags.iter()
                .filter_map(|tag| tag.as_str().map(str::to_owned))
                .collect()
        }),
        ..update.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    fn batch(count: usize) -> Vec<NewEvent> {
        (0..count)
            .map(|n| NewEvent::new(EventKind::UserPrompt, "s", format!("the {n}th thing")))
            .collect()
    }

    #[test]
    fn a_shared_batch_keeps_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        for count in [1, 2 * EVENTS_PER_THREAD - 1, 2 * EVENTS_PER_THREAD, 1001] {
            let drafts = prepare(&memory.engine, batch(count)).unwrap();
            assert_eq!(drafts.len(), count);
            for (n, draft) in drafts.iter().enumerate() {
                assert_eq!(draft.event.content.as_str(), format!("the {n}th thing"));
            }
        }
    }

    #[test]
    fn the_first_bad_event_of_a_shared_batch_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let mut events = batch(1000);
        for bad in [999, 301, 700] {
            events[bad].content.clear();
            let error = prepare(&memory.engine, events.clone()).err().unwrap();
            let first = events.iter().position(|e| e.content.is_empty()).unwrap();
            assert_eq!(
                error.argument(),
                Some(format!("events[{first}].content").as_str())
            );
        }
    }
}
