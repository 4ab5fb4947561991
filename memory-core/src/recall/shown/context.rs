//! Builds the context for an agent's prompt from memories that are relevant enough, and
//! records that they were given.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::engine::Engine;
use crate::model::context::{Context, ContextItem};
use crate::model::error::{Error, ErrorCode, Result, unless_damaged};
use crate::model::event::{Event, EventKind};
use crate::model::ids::EventRef;
use crate::model::learned::LearnedKind;
use crate::model::number::share;
use crate::model::query::{Hit, MAX_SEARCH_LIMIT, Passage, Query, SearchResult, Skipped};
use crate::model::read::words;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::projection::usage::{Injected, MAX_INJECTED};
use crate::recall::asked::given::{self, HARDLY_MORE};
use crate::recall::asked::named::named;
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::asked::present::Present;
use crate::recall::ranking::candidate::whole_of;
use crate::recall::ranking::{lesson_status, retrieve};
use crate::recall::shown::compose::{Candidates, Layout, compose};
use crate::recall::shown::pins::Pinned;
use crate::recall::shown::read::is_question;
use crate::recall::shown::{known, pins};
use crate::rules::matching::MatchClass;
use crate::rules::relevance;
use crate::rules::small_talk::Substance;
use crate::store::ReadTx;
use crate::store::log::event_view::EventView;
use crate::text::citation::CitationFormat;
use crate::text::fence::{fence_token, fenced};
use crate::text::tokens::TokenCounter;
use crate::write::accesses::note_accesses;
pub use crate::write::injections::UNKNOWN_SESSION;
use crate::write::injections::{Injection, record_injection};

/// How many events back a session is searched for the prompt that equals the query.
const OWN_PROMPT_REACH: usize = 4;

/// How many learned items are considered for a context: some are no longer valid, and each
/// group has its share.
const LEARNED_CANDIDATES: usize = 24;

/// Events that are less relevant are left out, unless the caller sets a minimum: measured on the
/// development sets, at most one of a hundred contexts loses its answer by this, and a small store
/// no longer fills a context with whatever it has.
const MIN_RELEVANCE: f32 = 0.02;

/// The maximum number of pinned events in a context.
const MAX_PINNED_ITEMS: usize = 16;

words! {
    /// When the record of an injection is written.
    #[derive(Default)]
    Recording ("recording") {
        /// With the next append or `maintain` of this process, or when it closes the memory (the
        /// default). The call itself writes nothing, but the record is lost if the process ends
        /// before that, or drops the memory without closing it.
        #[default]
        Later = "later",
        /// Before the call returns. Use this in short-lived processes that append nothing.
        Now = "now",
        /// Never; usage figures do not count the injection.
        Never = "never",
    }
}

/// Options for [`Memory::context`](crate::Memory::context).
///
/// ```
/// use recallite::ContextOptions;
/// let options = ContextOptions::new("which port does the test server use?")
///     .session("s1")
///     .budget_tokens(500);
/// assert_eq!(options.budget_tokens, Some(500));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContextOptions {
    /// What to search for, with its filters.
    pub query: Query,
    /// The session that the context is for. Default: [`UNKNOWN_SESSION`].
    pub session: Option<String>,
    /// The maximum number of tokens of the whole text, including the fence and headings.
    /// Default: 2,000.
    pub budget_tokens: Option<usize>,
    /// How to show citations. Default: inline.
    pub format: Option<CitationFormat>,
    /// The maximum number of events, and also of lines about what was learned, from 1 to
    /// 64. Default: the query's limit, or 5.
    pub limit: Option<usize>,
    /// The minimum relevance of a memory, from 0 to 1; others are left out. Default: events
    /// from .02 on are used if the best one is good enough (class high or suggested).
    pub min_relevance: Option<f32>,
    /// The minimum relevance, from 0 to 1, of the best memory that is new to the session: if no
    /// memory reaches it, nothing that was found is given. Set it above `min_relevance` to show
    /// weaker memories only together with a strong one. Default: 0.
    pub min_best_relevance: Option<f32>,
    /// Events that come first, whatever the search finds, for example those of the working
    /// set: whole, or, if they would take more than half of the budget beside other memories,
    /// each cut to its share. Unknown and forgotten events are ignored.
    pub pinned: Vec<EventRef>,
    /// Leaves out what the session already knows: what was said in it from this moment on, and what
    /// it was given from then on, including what is pinned in the store. The events in `pinned` are
    /// always given, and other passages of an event that was given in part may be. A task or
    /// similar item that no event proves is given again once it has changed. Default: nothing is
    /// left out.
    pub skip_known_since: Option<Timestamp>,
    /// How to count tokens. Default: an estimate.
    pub count_tokens: TokenCounter,
    /// When to write the record of the injection. Default: later.
    pub recording: Option<Recording>,
    /// Why context was given, for the record. Default: the class of the match.
    pub reason: Option<String>,
}

impl ContextOptions {
    /// Creates options for a query, with default settings.
    pub fn new(query: impl Into<Query>) -> Self {
        ContextOptions {
            query: query.into(),
            session: None,
            budget_tokens: None,
            format: None,
            limit: None,
            min_relevance: None,
            min_best_relevance: None,
            pinned: Vec::new(),
            skip_known_since: None,
            count_tokens: TokenCounter::default(),
            recording: None,
            reason: None,
        }
    }

    /// Sets what to search for.
    #[must_use]
    pub fn query(mut self, query: impl Into<Query>) -> Self {
        self.query = query.into();
        self
    }

    /// Counts tokens with a function instead of the estimate.
    #[must_use]
    pub fn count_tokens(mut self, count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        self.count_tokens = TokenCounter::new(count);
        self
    }

    setters! {
        /// Sets the session that the context is for.
        session: some text;
        /// Sets the maximum number of tokens of the whole text.
        budget_tokens: some usize;
        /// Sets how to show citations.
        format: some CitationFormat;
        /// Sets the maximum number of memories.
        limit: some usize;
        /// Sets the minimum relevance of a memory; others are left out.
        min_relevance: some f32;
        /// Sets the minimum relevance of the best memory; without such a one, none is given.
        min_best_relevance: some f32;
        /// Sets events that come first, whatever the search finds.
        pinned: list of EventRef;
        /// Leaves out what the session already knows: what was said in it and what it was given
        /// from this moment on. Use the beginning of the session, or the time its conversation
        /// was last compacted.
        skip_known_since: some Timestamp;
        /// Sets when to write the record of the injection.
        recording: some Recording;
        /// Sets why context was given, for the record.
        reason: some text;
    }
}

impl From<&str> for ContextOptions {
    fn from(query: &str) -> Self {
        ContextOptions::new(query)
    }
}

impl From<Query> for ContextOptions {
    fn from(query: Query) -> Self {
        ContextOptions::new(query)
    }
}

/// [`Memory::context`](crate::Memory::context).
pub(crate) fn context(engine: &Engine, mut options: ContextOptions) -> Result<Context> {
    let limit = options
        .limit
        .or(options.query.limit)
        .unwrap_or(engine.tuning.recall.context_limit);
    check(&options, limit)?;
    let mut asked = PreparedQuery::of(engine, query_of(engine, &options, limit))?;
    let wanted = asked.limit;
    options.session = crate::write::prepare::kept_option(engine, options.session.as_deref())?;
    let read = engine.store.read()?;
    let erased = read.state()?.erased_events;
    let (skipped, knows_all) = match (&options.session, options.skip_known_since) {
        (Some(session), Some(since)) => given::known_to(engine, session, since)?,
        _ => (Skipped::default(), true),
    };
    let mut left_out = skipped.clone();
    left_out.known = std::mem::take(&mut left_out.seqs);
    asked.query.skipped = left_out;
    let own = own_prompts(&read, &options, &asked.stored)?;
    asked.query.skipped.seqs.extend(own);
    asked.query.skipped.question = Some(asked.stored.clone());
    // Some may only repeat what was given of their events.
    asked.limit = (wanted + skipped.parts.len().min(wanted)).min(MAX_SEARCH_LIMIT);
    let found = found_for(engine, &asked, &skipped, wanted)?;
    let named = named(engine, &read, &asked.query)?.events;
    let is_named = !named.is_empty();
    let first = first_items(engine, &read, &options, &asked.query, named, &skipped)?;
    let mut candidates = Candidates {
        pinned: first.pinned,
        kept: first.kept,
        learned: known::chosen(&found.learned, limit),
        episodes: Vec::new(),
    };
    let class = class_of(&found, asked.query.min_relevance.unwrap_or(0.0));
    let degraded = found.degraded;
    if class != MatchClass::None {
        let least = match asked.query.min_relevance {
            Some(_) => 0.0,
            None => MIN_RELEVANCE,
        };
        let relevant = found.items.into_iter().filter(|hit| hit.relevance >= least);
        let mut episodes: Vec<ContextItem> = relevant.map(episode).collect();
        episodes.retain(|item| {
            candidates.first().all(|known| known.seq != item.seq) && tells_something(item)
        });
        candidates.episodes = episodes;
    }
    if best_of(&candidates) < options.min_best_relevance.unwrap_or(0.0) {
        candidates.learned.clear();
        candidates.episodes.clear();
    }
    drop_repetitions(&mut candidates);
    // What it was in the past is not known.
    if asked.query.as_of.is_none() {
        add_states(engine, &read, &mut candidates)?;
    }
    let confidence = match is_named {
        true => MatchClass::High,
        false if candidates.episodes.is_empty() => {
            known::confidence(MatchClass::None, &candidates.learned)
        }
        false => known::confidence(class, &candidates.learned),
    };
    let tuning = &engine.tuning.recall;
    let layout = Layout {
        budget_tokens: options.budget_tokens.unwrap_or(tuning.budget_tokens),
        format: options.format.unwrap_or(tuning.citation_format),
        count_tokens: &options.count_tokens,
        secret: read.secret(),
    };
    let mut context = compose(layout, confidence, candidates)?;
    context.degraded = degraded || !first.is_whole || !knows_all;
    if !context.is_empty() {
        record_context(engine, &options, &context, read, erased)?;
    }
    Ok(context)
}

/// [`Memory::fence`](crate::Memory::fence).
pub(crate) fn fence(engine: &Engine, text: &str) -> Result<String> {
    let read = engine.store.read()?;
    Ok(fenced(&fence_token(read.secret(), text), text))
}

/// What is searched for a context.
fn query_of(engine: &Engine, options: &ContextOptions, limit: usize) -> Query {
    let mut query = options.query.clone().limit(limit);
    query.min_relevance = options
        .min_relevance
        .or(query.min_relevance)
        .or(engine.tuning.recall.min_relevance);
    query.learned_limit = Some(LEARNED_CANDIDATES);
    query
}

/// At most `wanted` events that a query finds and that are new to the session, and what was learned.
/// Small talk is nothing to search for: the events would be other such messages. Of an everyday
/// order, only what was learned about it and messages that surely fit are of use.
fn found_for(
    engine: &Engine,
    asked: &PreparedQuery,
    skipped: &Skipped,
    wanted: usize,
) -> Result<SearchResult> {
    let substance = match asked.query.vector {
        Some(_) => Substance::Subject,
        None => Substance::of(&asked.query.text),
    };
    if substance == Substance::None {
        return Ok(SearchResult::default());
    }
    let mut found = retrieve::recall(engine, asked)?;
    let is_of_use = |hit: &Hit| match substance {
        Substance::Order => hit.kind.is_turn() && hit.relevance >= relevance::HIGH,
        _ => true,
    };
    found.items.retain(is_of_use);
    if found.items.is_empty() {
        found.confidence = MatchClass::None;
    }
    leave_out_parts(engine, &mut found, skipped);
    found.items.truncate(wanted);
    found.learned.retain(|hit| !skipped.has_learned(hit));
    Ok(found)
}

/// Whether a message that was found says more than "ok, thanks" or "run the tests".
fn tells_something(item: &ContextItem) -> bool {
    !item.kind.is_turn() || Substance::of(&item.text) == Substance::Subject
}

/// The highest relevance of what was found.
fn best_of(candidates: &Candidates) -> f32 {
    let episodes = candidates.episodes.iter();
    let episodes = episodes.filter_map(|item| item.relevance);
    let learned = candidates.learned.iter().map(|hit| hit.relevance);
    episodes.chain(learned).fold(0.0, f32::max)
}

/// What precedes everything that was found.
struct First {
    /// The caller's pinned events and those that the question names.
    pinned: Vec<ContextItem>,
    /// Those pinned in the store.
    kept: Vec<ContextItem>,
    /// False if one of them could not be read.
    is_whole: bool,
}

/// What precedes everything that was found, each event once.
fn first_items(
    engine: &Engine,
    read: &ReadTx,
    options: &ContextOptions,
    query: &Query,
    named: Vec<Event>,
    skipped: &Skipped,
) -> Result<First> {
    let (mut first, has_all) = pinned(read, options)?;
    let named = named.into_iter().map(|event| ContextItem {
        relevance: Some(1.0),
        ..item_of(read, event)
    });
    for item in named {
        if first.iter().all(|known| known.seq != item.seq) {
            first.push(item);
        }
    }
    let found = kept_in_sight(engine, read, query, skipped)?;
    let kept = found.events.into_iter().map(|(event, _)| event);
    let kept = kept.filter(|event| first.iter().all(|known| known.seq != event.seq));
    Ok(First {
        kept: kept.map(|event| item_of(read, event)).collect(),
        is_whole: has_all && found.damage.is_none(),
        pinned: first,
    })
}

/// Says of each event what became of what was learned from it.
fn add_states(engine: &Engine, read: &ReadTx, candidates: &mut Candidates) -> Result<()> {
    let rows = read.projected()?;
    if !lesson_status::has_learned(&rows)? {
        return Ok(());
    }
    let present = Present::at(engine.store.clock().now());
    for item in candidates.events_mut() {
        let event = (&item.id, item.timestamp);
        let status = unless_damaged(lesson_status::lesson_status_of(
            read, &rows, event, &present,
        ))?;
        if let Some(status) = status {
            item.state = Some(status.state);
            item.changed_by = status.by.map(|(_, citation)| citation);
        }
    }
    Ok(())
}

fn episode(hit: Hit) -> ContextItem {
    let is_cut = hit.kind == EventKind::ToolObservation && hit.passage.has_more_before;
    ContextItem {
        call: is_cut.then_some(hit.summary),
        id: hit.id,
        seq: hit.seq,
        citation: hit.citation,
        kind: hit.kind,
        session: hit.session,
        actor: hit.actor,
        origin: hit.origin,
        timestamp: hit.timestamp,
        text: hit.passage.text,
        start: hit.passage.start,
        end: hit.passage.end,
        has_more_before: hit.passage.has_more_before,
        has_more_after: hit.passage.has_more_after,
        relevance: Some(hit.relevance),
        state: None,
        changed_by: None,
    }
}

/// Leaves out the passages that the session was given. Without its first hit, a result is only as
/// good as what is left.
fn leave_out_parts(engine: &Engine, found: &mut SearchResult, skipped: &Skipped) {
    let first = found.items.first().map(|hit| hit.seq);
    found.items.retain(|hit| {
        let passage = &hit.passage;
        !skipped.has_part(hit.seq, passage.start..passage.end)
    });
    if found.items.first().map(|hit| hit.seq) != first {
        let left = engine.tuning.recall.class_of(&found.items);
        // The classes go from high to none.
        found.confidence = found.confidence.max(left);
    }
}

/// The match class of the result. A search is classed by its first hit, which may not be the
/// most relevant; a caller that sets a minimum relevance gets what reaches it.
fn class_of(found: &SearchResult, least: f32) -> MatchClass {
    let is_likely = |hit: &Hit| hit.relevance >= relevance::NONE;
    match found.confidence {
        MatchClass::None if least > 0.0 && found.items.iter().any(is_likely) => {
            MatchClass::Suggested
        }
        class => class,
    }
}

/// What was given, each event once: events, and the proofs of learned items or, if they have
/// none, the records that created them; and the proofs that are too many for a record's items.
fn injected(read: &ReadTx, context: &Context) -> Result<(Vec<Injected>, Vec<u64>)> {
    let proofs = context.learned.iter().flat_map(|hit| {
        let proofs = hit.proofs.iter();
        proofs.map(|proof| Injected {
            seq: proof.seq.0,
            citation: proof.citation.as_str().to_owned(),
            parts: std::iter::once(proof.start..proof.end).collect(),
            confidence: f64::from(hit.relevance),
        })
    });
    let events = context.items.iter().map(|item| Injected {
        seq: item.seq.0,
        citation: item.citation.as_str().to_owned(),
        parts: std::iter::once(item.start..item.end).collect(),
        confidence: item.relevance.map_or(1.0, f64::from),
    });
    let mut given: Vec<Injected> = Vec::new();
    for item in events.chain(proofs) {
        match given.iter_mut().find(|known| known.seq == item.seq) {
            Some(known) => {
                known.confidence = known.confidence.max(item.confidence);
                known.parts.extend(item.parts);
            }
            None => given.push(item),
        }
    }
    for item in &mut given {
        join_parts(&mut item.parts);
    }
    let unproved = context.learned.iter().filter(|hit| hit.proofs.is_empty());
    let most = MAX_INJECTED.saturating_sub(unproved.clone().count());
    let further = given.split_off(most.min(given.len()));
    for hit in unproved {
        // It was shown without being read, so it may be damaged.
        if let Some(record) = unless_damaged(read.event(&hit.citation.clone().into()))? {
            given.push(Injected {
                seq: record.seq.0,
                citation: record.citation.as_str().to_owned(),
                // None of its words were given.
                parts: Vec::new(),
                confidence: f64::from(hit.relevance),
            });
        }
    }
    let further = further.into_iter().map(|item| item.seq).collect();
    Ok((given, further))
}

/// Sorts the parts of an event and joins those between which hardly anything was left out.
fn join_parts(parts: &mut Vec<Range<usize>>) {
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|next, part| {
        let is_joined = next.start <= part.end.saturating_add(HARDLY_MORE);
        if is_joined {
            part.end = part.end.max(next.end);
        }
        is_joined
    });
}

/// The events that the query found, with their relevance: what is pinned or merely listed was
/// not of use to anybody, and the record of a learned item is no memory that rises through use.
fn used(context: &Context) -> BTreeMap<u64, f64> {
    let events = context.items.iter();
    let events = events.filter_map(|item| Some((item.seq.0, item.relevance?)));
    let proofs = context.learned.iter().flat_map(|hit| {
        let proofs = hit.proofs.iter();
        proofs.map(|proof| (proof.seq.0, hit.relevance))
    });
    let mut used: BTreeMap<u64, f64> = BTreeMap::new();
    for (seq, relevance) in events.chain(proofs) {
        let best = used.entry(seq).or_default();
        *best = best.max(f64::from(relevance));
    }
    used
}

fn record_context(
    engine: &Engine,
    options: &ContextOptions,
    context: &Context,
    read: ReadTx,
    erased: u64,
) -> Result<()> {
    let (items, further_proofs) = injected(&read, context)?;
    drop(read);
    let used = used(context).into_iter();
    note_accesses(engine, used, options.session.as_deref(), erased);
    let now = engine.store.clock().now();
    for hit in &context.learned {
        if hit.kind == LearnedKind::Memory {
            engine.accesses.record_memory(&hit.id, now);
        }
    }
    let recording = match options.recording {
        Some(recording) => recording,
        None if engine.tuning.recall.tracks_usage => Recording::Later,
        None => Recording::Never,
    };
    if recording == Recording::Never {
        return Ok(());
    }
    let reason = options.reason.as_deref();
    record_injection(
        engine,
        &Injection {
            session: options.session.as_deref().unwrap_or(UNKNOWN_SESSION),
            items: &items,
            further_proofs: &further_proofs,
            tokens: context.tokens,
            reason: reason.unwrap_or(context.confidence.as_str()),
        },
        erased,
        recording == Recording::Now,
    )
}

fn check(options: &ContextOptions, limit: usize) -> Result<()> {
    if !(1..=MAX_INJECTED).contains(&limit) {
        return Err(Error::invalid(
            "limit",
            format_args!("must be between 1 and {MAX_INJECTED}, not {limit}"),
        ));
    }
    if options.skip_known_since.is_some() && options.session.is_none() {
        return Err(Error::invalid(
            "skip_known_since",
            "needs a session; set the session that the context is for",
        ));
    }
    if let Some(least) = options.min_best_relevance {
        share("min_best_relevance", least.into())?;
    }
    match &options.session {
        Some(session) if session.trim().is_empty() => {
            Err(Error::invalid("session", "must not be empty or blank"))
        }
        Some(session) => crate::privacy::check_name("session", session),
        None => Ok(()),
    }
}

/// The newest prompts of the session with the same text as the query: hosts often append the
/// prompt first and then ask for context.
fn own_prompts(read: &ReadTx, options: &ContextOptions, question: &str) -> Result<Vec<u64>> {
    let Some(session) = &options.session else {
        return Ok(Vec::new());
    };
    let Some((number, _)) = read.session(session)? else {
        return Ok(Vec::new());
    };
    let newest = read.neighbours(number, Timestamp::MAX, u64::MAX, OWN_PROMPT_REACH, 0)?;
    let mut own = Vec::new();
    for seq in newest {
        let is_same = read.with_record(seq, |view| {
            Ok(view.kind() == EventKind::UserPrompt
                && is_question(view.archive()?.content.as_str(), question))
        });
        if unless_damaged(is_same)? == Some(true) {
            own.push(seq);
        }
    }
    Ok(own)
}

/// The caller's pinned events, and whether all of them could be read.
fn pinned(read: &ReadTx, options: &ContextOptions) -> Result<(Vec<ContextItem>, bool)> {
    let (mut items, mut is_whole): (Vec<ContextItem>, bool) = (Vec::new(), true);
    for event in &options.pinned {
        let event = match read.event(event) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                is_whole = false;
                continue;
            }
            event => event?,
        };
        let Some(event) = event else { continue };
        if items.iter().all(|known| known.seq != event.seq) {
            items.push(item_of(read, event));
        }
    }
    Ok((items, is_whole))
}

/// What is pinned in the projects that a prepared query covers.
fn kept_in_sight(
    engine: &Engine,
    read: &ReadTx,
    query: &Query,
    skipped: &Skipped,
) -> Result<Pinned> {
    let project = query.project.resolve(&engine.project);
    let is_wanted = |event: &EventView<'_>| {
        let is_later = query.as_of.is_some_and(|at| event.timestamp() > at);
        project.as_ref().is_none_or(|own| event.project() == own)
            && !skipped.has_some_of(event)
            && !is_later
    };
    pins::pinned_events(read, &is_wanted, MAX_PINNED_ITEMS)
}

/// An event as a whole, which is cut if there is no room for it.
fn item_of(read: &ReadTx, event: Event) -> ContextItem {
    let passage = Passage::of(&event.content, whole_of(read.secret(), &event));
    ContextItem {
        id: event.id,
        seq: event.seq,
        citation: event.citation,
        kind: event.kind,
        session: event.session,
        actor: event.actor,
        origin: event.origin,
        timestamp: event.timestamp,
        text: passage.text,
        start: passage.start,
        end: passage.end,
        has_more_before: passage.has_more_before,
        has_more_after: passage.has_more_after,
        relevance: None,
        state: None,
        changed_by: None,
        call: None,
    }
}

/// Drops events whose text repeats another one.
fn drop_repetitions(candidates: &mut Candidates) {
    let mut seen = std::collections::HashSet::new();
    let Candidates {
        pinned,
        kept,
        episodes,
        ..
    } = candidates;
    for items in [pinned, kept, episodes] {
        items.retain(|item| seen.insert(item.text.trim().to_owned()));
        items.truncate(MAX_INJECTED);
    }
}
