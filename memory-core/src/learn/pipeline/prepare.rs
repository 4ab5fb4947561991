//! Does everything of an ingestion that needs no lock: parsing, checking, filtering and
//! aligning.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use serde_json::Value;

use crate::engine::Engine;
use crate::learn::namesakes;
use crate::learn::pipeline::compared::Compared;
use crate::learn::pipeline::messages::{SessionMessage, messages, no_session};
use crate::learn::pipeline::options::{IngestOptions, Reader};
use crate::learn::pipeline::report::IngestReport;
use crate::learn::unread::readable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind};
use crate::model::ids::{EventId, EventRef};
use crate::model::json::canonical_text;
use crate::privacy::check_name;
use crate::projection::entries;
use crate::recall::learned::quoted;
use crate::rules::align::{EvidenceQuote, align_checked};
use crate::rules::entries::{EntryId, EvidenceReport};
use crate::rules::model_answer::{ExtractedRelation, Extraction, Quote, RelationKind};
use crate::rules::tasks::keys::has_own_words;
use crate::store::projected_rows::touches::Liveness as _;
use crate::store::{ReadTx, WriteTx};
use crate::write::pauses::PauseKeys;
use crate::write::prepare::{clean_text, kept_name, kept_option};

/// A checked, filtered and aligned extraction.
pub(super) struct Prepared {
    pub(super) session: String,
    /// The project of events; empty for none.
    pub(super) project: String,
    pub(super) extraction: Extraction,
    /// Identifies the extraction within the session: the same content has the same key.
    pub(super) extraction_key: String,
    /// The secret from which ids are derived.
    pub(super) id_secret: [u8; 32],
    /// The secret that keys the hash of the extractor's prompt.
    pub(super) prompt_secret: [u8; 32],
    /// The event id of each message that still exists.
    pub(super) message_ids: Vec<Option<String>>,
    /// The first response of a session whose prompt is missing.
    pub(super) lacks_prompt: Option<String>,
    pub(super) entry_evidence: Vec<EvidenceReport>,
    pub(super) task_evidence: Vec<EvidenceReport>,
    pub(super) parse_ms: f64,
    pub(super) align_ms: f64,
    pub(super) reader: Reader,
    /// The log position up to which the session was read.
    pub(super) read_through: u64,
    /// What must not be paused.
    pub(super) pauses: PauseKeys,
    /// The messages that existed and that the extraction rests on.
    pub(super) rests_on: Vec<EventId>,
    /// The local ids of entries and tasks that may rest on a message which is gone, and the known
    /// entries that are gone.
    pub(super) left_out: Vec<String>,
    /// The known entries that relations lead to, by how the answer calls them.
    pub(super) known: BTreeMap<String, EntryId>,
    /// Known entries that may have the title of an extracted one.
    pub(super) namesakes: BTreeSet<EntryId>,
    /// What was read of sentences that are compared.
    pub(super) compared: Rc<Compared>,
}

impl Prepared {
    pub(super) fn new(
        engine: &Engine,
        session: &str,
        text: &str,
        options: &IngestOptions,
        reader: Reader,
    ) -> Result<Self> {
        Parsed::of(engine, session, text, options, reader)?.aligned(engine)
    }

    /// Whether a message was forgotten after it was looked up.
    pub(super) fn is_stale(&self, tx: &WriteTx<'_>) -> Result<bool> {
        for id in &self.rests_on {
            if !tx.is_live(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses to bring back the name of a session that was erased meanwhile.
    pub(super) fn refuse_erased(&self, tx: &WriteTx<'_>) -> Result<()> {
        match tx.session_number(&self.session)? {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ErrorCode::NotFound,
                "the session was erased while its extraction was ingested",
            )
            .with_argument("session")),
        }
    }

    /// The report when there is nothing to do.
    pub(super) fn empty_report(&self) -> IngestReport {
        IngestReport {
            build_id: String::new(),
            session: self.session.clone(),
            already_ingested: true,
            entries: Vec::new(),
            tasks: Vec::new(),
            left_out: self.left_out.clone(),
            events: 0,
        }
    }

    /// The id of the run after this many earlier ones.
    pub(super) fn build_id(&self, runs: u64) -> String {
        format!("build_{}_{}", &self.extraction_key[..16], runs + 1)
    }

    /// The name by which the resolver knows a task of this extraction.
    pub(super) fn source_entry(&self, local_id: &str) -> String {
        format!("{local_id}@{}", &self.extraction_key[..16])
    }
}

/// An extraction that was parsed, checked and filtered, and what its alignment needs.
struct Parsed {
    read: ReadTx,
    /// As it is stored.
    session: String,
    project: String,
    messages: Vec<SessionMessage>,
    /// Whether the caller named the messages.
    is_given: bool,
    /// The numbers of the messages that it quoted before anything was left out.
    named: BTreeSet<u32>,
    extraction: Extraction,
    extraction_key: String,
    reader: Reader,
    read_through: u64,
    left_out: Vec<String>,
    known: BTreeMap<String, EntryId>,
    namesakes: BTreeSet<EntryId>,
    parse_ms: f64,
}

impl Parsed {
    fn of(
        engine: &Engine,
        session: &str,
        text: &str,
        options: &IngestOptions,
        reader: Reader,
    ) -> Result<Self> {
        check_name("session", session)?;
        if let Some(project) = &options.project {
            check_name("project", project)?;
        }
        let session = kept_name(engine, session)?;
        let project = kept_option(engine, options.project.as_deref())?;
        let began = Instant::now();
        let read = engine.store.read()?;
        let messages = match options.messages.is_empty() {
            true => messages(&read, &session)?,
            false => given_messages(&read, &session, &options.messages)?,
        };
        let mut extraction = Extraction::parse(text, messages.len())?;
        refuse_circles(&extraction.relations, &|local_id| local_id)?;
        let named = quoted_messages(&extraction);
        let given_through = match reader {
            Reader::Rules { to, .. } => to,
            Reader::Again { known } => known,
            Reader::Caller | Reader::Model => read_through(&read, options, &messages, &named)?,
        };
        let read_through = match reader {
            Reader::Rules { .. } | Reader::Model => given_through,
            Reader::Again { .. } | Reader::Caller => 0,
        };
        let is_given = !options.messages.is_empty();
        let mut left_out = leave_out(&mut extraction, &messages, is_given);
        filter(engine, &mut extraction)?;
        left_out.extend(leave_out_paused(&mut extraction, &read)?);
        // The same answer (often an empty one) to other messages is a different extraction.
        let is_told = is_given || reader != Reader::Model;
        let told = is_told.then_some((reader, given_through));
        let extraction_key = extraction_key(&read, &session, text, told);
        let project = match project {
            Some(project) => project,
            None => match project_said_in(&read, &session, &messages)? {
                Some(project) if is_given => project,
                _ => project_of(engine, &read, &session)?,
            },
        };
        let known = known_entries(&read, &project, &mut extraction, &mut left_out)?;
        let namesakes = match reader {
            Reader::Model => namesakes_of(engine, &read, &extraction)?,
            Reader::Rules { .. } | Reader::Again { .. } | Reader::Caller => BTreeSet::new(),
        };
        Ok(Parsed {
            read,
            session,
            project,
            messages,
            is_given,
            named,
            extraction,
            extraction_key,
            reader,
            read_through,
            left_out,
            known,
            namesakes,
            parse_ms: millis(began),
        })
    }

    /// Finds its quotes in the messages.
    fn aligned(self, engine: &Engine) -> Result<Prepared> {
        let began = Instant::now();
        let Parsed { read, messages, .. } = &self;
        let aligner = QuoteAligner::new(engine, read, messages);
        let (entry_evidence, task_evidence) = aligner.evidence_of(&self.extraction);
        let message_ids = aligner.message_ids;
        let rests_on = self.rests_on();
        let pauses = pause_keys(
            read,
            &self.session,
            &self.project,
            &self.extraction,
            &rests_on,
        );
        let rests_on = rests_on.into_iter().map(|event| event.id).collect();
        Ok(Prepared {
            pauses: pauses.and_parents(
                read.secret(),
                messages.iter().filter_map(|one| one.event.as_ref()),
            ),
            id_secret: read.derived_secret("recallite 2026 entity and entry ids"),
            prompt_secret: read.derived_secret("recallite 2026 extractor prompts"),
            lacks_prompt: lacks_prompt(read, &self.session)?,
            align_ms: millis(began),
            message_ids,
            entry_evidence,
            task_evidence,
            rests_on,
            session: self.session,
            project: self.project,
            extraction: self.extraction,
            extraction_key: self.extraction_key,
            parse_ms: self.parse_ms,
            reader: self.reader,
            read_through: self.read_through,
            left_out: self.left_out,
            known: self.known,
            namesakes: self.namesakes,
            compared: Rc::default(),
        })
    }

    /// The messages on which it rests: what quotes nothing may rest on any that the model was
    /// given.
    fn rests_on(&self) -> Vec<&Event> {
        self.messages
            .iter()
            .filter(|message| {
                let is_named = |at: u32| self.named.contains(&at);
                self.is_given || u32::try_from(message.index).is_ok_and(is_named)
            })
            .filter_map(|message| message.event.as_ref())
            .collect()
    }
}

/// The key of a session's extraction: the same content has the same key. `told` says who read
/// the session, and what message came last, when the quotes do not.
fn extraction_key(read: &ReadTx, session: &str, text: &str, told: Option<(Reader, u64)>) -> String {
    let secret = read.derived_secret("recallite 2026 extraction keys");
    let canonical = serde_json::from_str::<Value>(text)
        .map_or_else(|_| text.to_owned(), |value| canonical_text(&value));
    let mut hasher = blake3::Hasher::new_keyed(&secret);
    hasher.update(&(session.len() as u64).to_le_bytes());
    hasher.update(session.as_bytes());
    hasher.update(canonical.as_bytes());
    if let Some((reader, read_through)) = told {
        hasher.update(reader.as_str().as_bytes());
        hasher.update(&read_through.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The session's project, or the one that was opened.
pub(in crate::learn) fn project_of(
    engine: &Engine,
    read: &ReadTx,
    session: &str,
) -> Result<String> {
    Ok(read
        .session_project(session)?
        .filter(|project| !project.is_empty())
        .unwrap_or_else(|| engine.project.clone()))
}

/// The project in which all of some messages were said: a session may be continued in another
/// project. `None` if there are several, or if the host gave the session one.
fn project_said_in(
    read: &ReadTx,
    session: &str,
    messages: &[SessionMessage],
) -> Result<Option<String>> {
    if read
        .session(session)?
        .is_some_and(|(_, row)| row.is_project_set)
    {
        return Ok(None);
    }
    let mut projects = messages
        .iter()
        .filter_map(|message| Some(&message.event.as_ref()?.project));
    let first = projects.next().filter(|project| !project.is_empty());
    let is_only = |first: &&String| projects.all(|project| project == *first);
    Ok(first.filter(is_only).cloned())
}

/// What must not be paused while an extraction is stored.
fn pause_keys(
    read: &ReadTx,
    session: &str,
    project: &str,
    extraction: &Extraction,
    rests_on: &[&Event],
) -> PauseKeys {
    let tasks = extraction.tasks.iter();
    let other_projects = tasks.filter_map(|task| task.entry.project.as_deref());
    PauseKeys::new(read, Some(session), project)
        .and_projects(read, other_projects)
        // A session may be continued in another project, or belong to another session.
        .and_events(read.secret(), rests_on.iter().copied())
}

/// The first response of a session whose prompt is missing.
fn lacks_prompt(read: &ReadTx, session: &str) -> Result<Option<String>> {
    let first = first_turn(read, session)?;
    let response = first.filter(|event| event.kind == EventKind::AgentResponse);
    Ok(response.map(|event| event.id.to_string()))
}

/// The message with which a session begins, whichever of its messages are read now.
fn first_turn(read: &ReadTx, session: &str) -> Result<Option<Event>> {
    let first = match read.session(session)? {
        Some((number, _)) => read.turn(number, 0)?,
        None => None,
    };
    first.map_or(Ok(None), |seq| readable(|| read.event_at(seq)))
}

/// Finds quotes in the messages of a session.
struct QuoteAligner<'m> {
    engine: &'m Engine,
    texts: Vec<&'m str>,
    message_ids: Vec<Option<String>>,
    secret: [u8; 32],
}

impl<'m> QuoteAligner<'m> {
    fn new(engine: &'m Engine, read: &ReadTx, messages: &'m [SessionMessage]) -> Self {
        let events = || messages.iter().map(|message| message.event.as_ref());
        QuoteAligner {
            engine,
            texts: events()
                .map(|event| event.map_or("", |event| &event.content))
                .collect(),
            message_ids: events()
                .map(|event| event.map(|event| event.id.to_string()))
                .collect(),
            secret: read.derived_secret("recallite 2026 quotes"),
        }
    }

    /// The evidence of each entry and of each task.
    fn evidence_of(&self, extraction: &Extraction) -> (Vec<EvidenceReport>, Vec<EvidenceReport>) {
        let entries = extraction.entries.iter();
        let tasks = extraction.tasks.iter();
        (
            entries.map(|entry| self.evidence(&entry.quotes)).collect(),
            tasks.map(|task| self.evidence(&task.quotes)).collect(),
        )
    }

    fn evidence(&self, quotes: &[Quote]) -> EvidenceReport {
        let quotes: Vec<EvidenceQuote> = quotes
            .iter()
            .map(|quote| EvidenceQuote::new(quote.message_index.into(), quote.quote.as_str()))
            .collect();
        let report = align_checked(&self.texts, &quotes, &self.engine.tuning.align);
        EvidenceReport::of(&report, &self.secret, |index| {
            self.message_ids.get(index).cloned().flatten()
        })
    }
}

/// The messages that the model was given; those that are gone have no event.
fn given_messages(read: &ReadTx, session: &str, ids: &[EventId]) -> Result<Vec<SessionMessage>> {
    let mut messages = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let event = read.event(&EventRef::Id(*id))?;
        if event.as_ref().is_some_and(|event| event.session != session) {
            return Err(Error::invalid(
                format!("messages[{index}]"),
                "belongs to another session",
            ));
        }
        messages.push(SessionMessage { index, event });
    }
    match read.session(session)? {
        Some(_) => Ok(messages),
        None => Err(no_session()),
    }
}

/// How far a model has read: the messages that it was given, else those that it quotes.
fn read_through(
    read: &ReadTx,
    options: &IngestOptions,
    messages: &[SessionMessage],
    quoted: &BTreeSet<u32>,
) -> Result<u64> {
    let mut through = 0;
    for id in &options.messages {
        through = through.max(read.seq_of(&EventRef::Id(*id))?.unwrap_or(0));
    }
    if options.messages.is_empty() {
        let events = quoted
            .iter()
            .filter_map(|index| messages.get(*index as usize)?.event.as_ref());
        through = events.map(|event| event.seq.0).max().unwrap_or(0);
    }
    Ok(through)
}

fn quoted_messages(extraction: &Extraction) -> BTreeSet<u32> {
    let of_entries = extraction.entries.iter().flat_map(|entry| &entry.quotes);
    let of_tasks = extraction.tasks.iter().flat_map(|task| &task.quotes);
    of_entries
        .chain(of_tasks)
        .map(|quote| quote.message_index)
        .collect()
}

/// Removes what quotes a forgotten or erased message, because it was made of words that must
/// not be kept. If the model was given the messages by name and one of them is gone, what
/// quotes nothing goes as well: it may be made of that message. Returns the local ids.
fn leave_out(
    extraction: &mut Extraction,
    messages: &[SessionMessage],
    is_given: bool,
) -> Vec<String> {
    let is_gone = |index: u32| {
        let message = messages.get(index as usize);
        message.is_none_or(|message| message.event.is_none())
    };
    let may_rest_on_any = is_given && messages.iter().any(|message| message.event.is_none());
    let mut names = Vec::new();
    let mut stays = |id: &str, quotes: &[Quote]| {
        let stays = match quotes.is_empty() {
            true => !may_rest_on_any,
            false => !quotes.iter().any(|quote| is_gone(quote.message_index)),
        };
        if !stays {
            names.push(id.to_owned());
        }
        stays
    };
    extraction
        .entries
        .retain(|entry| stays(&entry.id, &entry.quotes));
    extraction
        .tasks
        .retain(|task| stays(&task.id, &task.quotes));
    drop_relations(extraction, &names);
    names
}

/// Removes the tasks of another project of which nothing is recorded now. Returns the local ids.
fn leave_out_paused(extraction: &mut Extraction, read: &ReadTx) -> Result<Vec<String>> {
    let rows = read.projected()?;
    let mut names = Vec::new();
    for task in &extraction.tasks {
        if let Some(project) = &task.entry.project
            && PauseKeys::new(read, None, project).paused(&rows)?.is_some()
        {
            names.push(task.id.clone());
        }
    }
    extraction.tasks.retain(|task| !names.contains(&task.id));
    drop_relations(extraction, &names);
    Ok(names)
}

/// The known entries of the project that relations lead to, by how the answer calls them. Relations
/// to others are removed: they are gone, or the model made them up.
fn known_entries(
    read: &ReadTx,
    project: &str,
    extraction: &mut Extraction,
    left_out: &mut Vec<String>,
) -> Result<BTreeMap<String, EntryId>> {
    let rows = read.projected()?;
    let mut found = BTreeMap::new();
    for name in extraction.known_entries() {
        let known = entries::beginning_with(&rows, &name)?;
        if let Some(known) = known.filter(|known| known.project == project)
            && quoted::is_entry_live(read, &known)?
        {
            found.insert(name, known.entry.id);
        } else {
            left_out.push(name);
        }
    }
    drop_relations(extraction, left_out);
    Ok(found)
}

/// The known entries that may have the title of an extracted one.
fn namesakes_of(
    engine: &Engine,
    read: &ReadTx,
    extraction: &Extraction,
) -> Result<BTreeSet<EntryId>> {
    let rows = read.projected()?;
    let mut found = BTreeSet::new();
    for entry in &extraction.entries {
        found.extend(namesakes::candidates(engine, read, &rows, &entry.title)?);
    }
    Ok(found)
}

/// Removes the relations of entries and tasks that were removed.
fn drop_relations(extraction: &mut Extraction, removed: &[String]) {
    extraction
        .relations
        .retain(|relation| !removed.contains(&relation.from) && !removed.contains(&relation.to));
}

pub(super) fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

/// Passes every text through the privacy filter, as the messages were: a quote of a masked
/// secret is masked too and is still found.
fn filter(engine: &Engine, extraction: &mut Extraction) -> Result<()> {
    let clean_quotes = |path: String, quotes: &mut [Quote]| -> Result<()> {
        for (index, quote) in quotes.iter_mut().enumerate() {
            quote.quote = clean_text(
                engine,
                &format!("{path}.quotes[{index}].quote"),
                &quote.quote,
            )?;
        }
        Ok(())
    };
    filter_ids(engine, extraction)?;
    for (index, entry) in extraction.entries.iter_mut().enumerate() {
        let path = format!("entries[{index}]");
        entry.title = clean_text(engine, &format!("{path}.title"), &entry.title)?;
        entry.content = clean_text(engine, &format!("{path}.content"), &entry.content)?;
        clean_quotes(path, &mut entry.quotes)?;
    }
    for (index, task) in extraction.tasks.iter_mut().enumerate() {
        let path = format!("tasks[{index}]");
        let entry = &mut task.entry;
        entry.title = clean_text(engine, &format!("{path}.title"), &entry.title)?;
        if !has_own_words(&entry.title) {
            return Err(Error::invalid(
                format!("{path}.title"),
                "has no letters or digits left after private text was removed",
            ));
        }
        if let Some(description) = &mut entry.description {
            *description = clean_text(engine, &format!("{path}.description"), description)?;
        }
        if let Some(project) = &mut entry.project {
            check_name(&format!("{path}.project"), project)?;
            *project = kept_name(engine, project)?;
        }
        for (at, blocker) in entry.blocked_by.iter_mut().enumerate() {
            *blocker = clean_text(engine, &format!("{path}.blocked_by[{at}]"), blocker)?;
        }
        clean_quotes(path, &mut task.quotes)?;
    }
    Ok(())
}

/// Masks ids that look like a secret, in the items and in the relations between them. Different ids
/// stay different, as all names do.
fn filter_ids(engine: &Engine, extraction: &mut Extraction) -> Result<()> {
    let entries = extraction.entries.iter_mut().map(|entry| &mut entry.id);
    let tasks = extraction.tasks.iter_mut().map(|task| &mut task.id);
    let mut masked: BTreeMap<String, String> = BTreeMap::new();
    for id in entries.chain(tasks) {
        let clean = kept_name(engine, id)?;
        if clean != *id {
            masked.insert(std::mem::replace(id, clean.clone()), clean);
        }
    }
    for relation in &mut extraction.relations {
        for end in [&mut relation.from, &mut relation.to] {
            if let Some(clean) = masked.get(end) {
                end.clone_from(clean);
            }
        }
    }
    Ok(())
}

/// Refuses relations by which an entry derives from or replaces itself over any number of
/// steps, or is related to itself: that is a mistake of the model. `id_of` gives the id by which an
/// entry is known, from its local id.
pub(super) fn refuse_circles<'r>(
    relations: &'r [ExtractedRelation],
    id_of: &dyn Fn(&'r str) -> &'r str,
) -> Result<()> {
    let mut edges: BTreeMap<RelationKind, Vec<(&str, &str)>> = BTreeMap::new();
    for relation in relations.iter().filter(|it| !it.kind.leads_to_task()) {
        let (kind, index) = (relation.kind, relation.index);
        let (from, to) = (id_of(&relation.from), id_of(&relation.to));
        if from == to {
            return Err(Error::invalid(
                format!("relations[{index}].to"),
                "is the same entry as `from`: their type, title and content are equal once private \
                 text is removed; leave out the relation and one of the entries",
            ));
        }
        if kind == RelationKind::Contradicts {
            continue;
        }
        let edges = edges.entry(kind).or_default();
        if reaches(edges, to, from) {
            return Err(Error::invalid(
                format!("relations[{index}]"),
                format_args!("would create a cycle of {kind} relations"),
            ));
        }
        edges.push((from, to));
    }
    Ok(())
}

fn reaches(edges: &[(&str, &str)], from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if at == to {
            return true;
        }
        for (_, next) in edges.iter().filter(|(source, _)| *source == at) {
            if seen.insert(next) {
                waiting.push(next);
            }
        }
    }
    false
}
