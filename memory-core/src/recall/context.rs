//! Context for an agent's prompt: the memories that are good enough, fenced,
//! cited and within a token budget, and the record that they were given.

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind, Origin};
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::query::{MAX_SEARCH_LIMIT, Query};
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::projection::usage::{Injected, MAX_INJECTED};
use crate::recall::retrieve;
use crate::rules::disclosure::confidence_prefix;
use crate::rules::matching::MatchClass;
use crate::store::ReadTx;
use crate::text::citation::{CitationFormat, CitedMemory, citation_block};
use crate::text::fence::{fence_token, fenced};
use crate::text::show::harmless_line;
use crate::text::tokens::TokenCounter;
use crate::write::accesses::note_accesses;
pub use crate::write::injections::UNKNOWN_SESSION;
use crate::write::injections::{Injection, record_injection};

/// How far back a session is searched for the prompt that is the query.
const OWN_PROMPT_REACH: usize = 4;

/// How much of a name is shown beside a engine, in characters.
const NAME_CHARS: usize = 40;

words! {
    /// When the record of an injection is written.
    #[derive(Default)]
    Recording ("recording") {
        /// With the next append, flush or close of this process (the default): it
        /// costs no write of its own, and is lost when the process is killed before.
        #[default]
        Later = "later",
        /// Before the call returns: for short-lived processes that append nothing.
        Now = "now",
        /// Never: usage figures do not count it.
        Never = "never",
    }
}

/// What [`Memory::context`](crate::Memory::context) is asked for.
///
/// ```
/// use recallite::ContextOptions;
/// let options = ContextOptions::new("which port does the test server use?")
///     .session("s1")
///     .budget_tokens(500);
/// assert_eq!(options.k, 5);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContextOptions {
    /// What is looked for, with its filters. Its limit is replaced by `k`.
    pub query: Query,
    /// The session that the context is for. Default: [`UNKNOWN_SESSION`].
    pub session: Option<String>,
    /// The most tokens of the whole text, fence and headings included. Default:
    /// 2,000.
    pub budget_tokens: usize,
    /// How citations are shown. Default: inline.
    pub format: CitationFormat,
    /// At most this many memories, 1 to 64. Default: 5.
    pub k: usize,
    /// Memories with a lower relevance are left out, 0 to 1. Default: all that a
    /// search gives, when its best one is good enough (class high or suggested).
    pub min_relevance: Option<f32>,
    /// Events that come first whatever the search finds, for example those of
    /// the working set. Unknown and forgotten ones are passed over.
    pub pinned: Vec<EventRef>,
    /// How tokens are counted. Default: the estimate.
    pub count_tokens: TokenCounter,
    /// When the record of the injection is written. Default: later.
    pub recording: Recording,
    /// Why context was given, for the record. Default: the class of the match.
    pub reason: Option<String>,
}

impl ContextOptions {
    /// Context for a query, with every setting at its default.
    pub fn new(query: impl Into<Query>) -> Self {
        ContextOptions {
            query: query.into(),
            session: None,
            budget_tokens: 2_000,
            format: CitationFormat::Inline,
            k: 5,
            min_relevance: None,
            pinned: Vec::new(),
            count_tokens: TokenCounter::default(),
            recording: Recording::Later,
            reason: None,
        }
    }

    /// The session that the context is for.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// The most tokens of the whole text.
    #[must_use]
    pub fn budget_tokens(mut self, tokens: usize) -> Self {
        self.budget_tokens = tokens;
        self
    }

    /// How citations are shown.
    #[must_use]
    pub fn format(mut self, format: CitationFormat) -> Self {
        self.format = format;
        self
    }

    /// At most this many memories.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.k = k;
        self
    }

    /// Leaves out memories with a lower relevance.
    #[must_use]
    pub fn min_relevance(mut self, relevance: f32) -> Self {
        self.min_relevance = Some(relevance);
        self
    }

    /// Events that come first whatever the search finds.
    #[must_use]
    pub fn pinned(mut self, events: impl IntoIterator<Item = EventRef>) -> Self {
        self.pinned = events.into_iter().collect();
        self
    }

    /// Counts tokens with a function instead of the estimate.
    #[must_use]
    pub fn count_tokens(mut self, count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        self.count_tokens = TokenCounter::new(count);
        self
    }

    /// When the record of the injection is written.
    #[must_use]
    pub fn recording(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Why context was given, for the record.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
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

/// One memory of a context.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContextItem {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What it records.
    pub kind: EventKind,
    /// Its session.
    pub session: String,
    /// Who said or did it.
    pub actor: String,
    /// Where the text came from.
    pub origin: Origin,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The part of its content that is shown.
    pub text: String,
    /// Where that part begins in the content, in UTF-8 bytes.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
    /// How likely it answers the query; `None` for a pinned event.
    pub relevance: Option<f32>,
}

/// Text for an agent's prompt.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// The fenced text; empty when nothing is good enough or fits.
    pub text: String,
    /// The citations in the text, in its order.
    pub citations: Vec<CitationId>,
    /// The tokens of the text.
    pub tokens: usize,
    /// How sure the best match is: none, suggested (the text says so) or high.
    pub confidence: MatchClass,
    /// The memories in the text, in its order.
    pub items: Vec<ContextItem>,
    /// True when a deadline or damage kept something from being searched.
    pub degraded: bool,
}

impl Context {
    /// Whether there is nothing to inject.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// [`Memory::context`](crate::Memory::context).
pub(crate) fn context(engine: &Engine, mut options: ContextOptions) -> Result<Context> {
    check(&options)?;
    options.session = crate::write::prepare::kept_option(engine, options.session.as_deref())?;
    let read = engine.store.read()?;
    let mut query = options.query.clone().limit(options.k.min(MAX_SEARCH_LIMIT));
    if let Some(least) = options.min_relevance {
        query.min_relevance = Some(least);
    }
    query.skip = own_prompts(engine, &read, &options)?;
    let found = retrieve::recall(engine, query)?;
    let mut candidates = pinned(&read, &options)?;
    if found.confidence != MatchClass::None {
        for hit in found.items {
            if candidates.iter().all(|known| known.seq != hit.seq) {
                candidates.push(ContextItem {
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
                    relevance: Some(hit.relevance),
                });
            }
        }
    }
    drop_repetitions(&mut candidates);
    candidates.truncate(MAX_INJECTED);
    let mut context = fit(&options, read.secret(), found.confidence, candidates);
    context.degraded = found.degraded;
    drop(read);
    if !context.is_empty() {
        record_context(engine, &options, &context)?;
    }
    Ok(context)
}

fn record_context(engine: &Engine, options: &ContextOptions, context: &Context) -> Result<()> {
    let seqs: Vec<u64> = context.items.iter().map(|item| item.seq.0).collect();
    note_accesses(engine, &seqs, options.session.as_deref());
    if options.recording == Recording::Never {
        return Ok(());
    }
    let items: Vec<Injected> = context
        .items
        .iter()
        .map(|item| Injected {
            seq: item.seq.0,
            citation: item.citation.as_str().to_owned(),
            start: item.start,
            end: item.end,
        })
        .collect();
    let reason = options.reason.as_deref();
    record_injection(
        engine,
        &Injection {
            session: options.session.as_deref().unwrap_or(UNKNOWN_SESSION),
            items: &items,
            tokens: context.tokens,
            reason: reason.unwrap_or(context.confidence.as_str()),
        },
        options.recording == Recording::Now,
    )
}

fn check(options: &ContextOptions) -> Result<()> {
    if !(1..=MAX_INJECTED).contains(&options.k) {
        return Err(Error::invalid(
            "k",
            format_args!("{} is outside 1 to {MAX_INJECTED}", options.k),
        ));
    }
    match &options.session {
        Some(session) if session.trim().is_empty() => {
            Err(Error::invalid("session", "must not be empty or blank"))
        }
        Some(session) => crate::privacy::check_name("session", session),
        None => Ok(()),
    }
}

/// The newest prompts of the session that say the same as the query: a host
/// often appends the prompt first and asks for context then.
fn own_prompts(engine: &Engine, read: &ReadTx, options: &ContextOptions) -> Result<Vec<u64>> {
    let Some(session) = &options.session else {
        return Ok(Vec::new());
    };
    let Some((number, _)) = read.session(session)? else {
        return Ok(Vec::new());
    };
    let asked = engine.filter.text(&options.query.text);
    let asked = asked.text.as_str().trim();
    let newest = read.neighbours(number, Timestamp::MAX, u64::MAX, OWN_PROMPT_REACH, 0)?;
    let mut own = Vec::new();
    for seq in newest {
        let is_same = read.with_record(seq, |view| {
            let content = view.archive()?.content.as_str().trim();
            Ok(view.kind() == EventKind::UserPrompt
                && (content == asked || content == options.query.text.trim()))
        });
        if matches!(is_same, Ok(Some(true))) {
            own.push(seq);
        }
    }
    Ok(own)
}

fn pinned(read: &ReadTx, options: &ContextOptions) -> Result<Vec<ContextItem>> {
    let mut items: Vec<ContextItem> = Vec::new();
    for event in &options.pinned {
        let Some(event) = read.event(event)? else {
            continue;
        };
        if items.iter().all(|known| known.seq != event.seq) {
            items.push(item_of(event));
        }
    }
    Ok(items)
}

/// An event with its first passage.
fn item_of(event: Event) -> ContextItem {
    let passage = crate::index::lexical::passages::passages(&event.content)
        .first()
        .map_or(0..event.content.len(), |span| span.start..span.end);
    ContextItem {
        id: event.id,
        seq: event.seq,
        citation: event.citation,
        kind: event.kind,
        session: event.session,
        actor: event.actor,
        origin: event.origin,
        timestamp: event.timestamp,
        text: event.content[passage.clone()].to_owned(),
        start: passage.start,
        end: passage.end,
        relevance: None,
    }
}

/// The same text twice helps nobody.
fn drop_repetitions(items: &mut Vec<ContextItem>) {
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(item.text.trim().to_owned()));
}

/// As many memories as the budget pays for, in their order.
fn fit(
    options: &ContextOptions,
    secret: &[u8; 32],
    confidence: MatchClass,
    candidates: Vec<ContextItem>,
) -> Context {
    let mut context = Context {
        confidence,
        ..Context::default()
    };
    for candidate in candidates {
        let whole = candidate.text.len();
        context.items.push(candidate);
        let is_whole = accept(&mut context, options, secret);
        if is_whole {
            continue;
        }
        // Half of it, a quarter, an eighth: better than nothing of the best one.
        let mut fits = false;
        for share in [2, 4, 8] {
            let Some(item) = context.items.last_mut() else {
                break;
            };
            cut(item, whole / share);
            if item.text.trim().is_empty() {
                break;
            }
            if accept(&mut context, options, secret) {
                fits = true;
                break;
            }
        }
        if !fits {
            context.items.pop();
        }
        break;
    }
    context.citations = context
        .items
        .iter()
        .map(|item| item.citation.clone())
        .collect();
    context
}

/// Takes the items over into the text when it fits with them.
fn accept(context: &mut Context, options: &ContextOptions, secret: &[u8; 32]) -> bool {
    let text = render(options.format, context.confidence, &context.items, secret);
    let tokens = options.count_tokens.count(&text);
    if tokens > options.budget_tokens {
        return false;
    }
    (context.text, context.tokens) = (text, tokens);
    true
}

/// Cuts an item's text to at most `most` bytes, after a sentence when one ends
/// in the second half, else between words.
fn cut(item: &mut ContextItem, most: usize) {
    let head = &item.text[..item.text.floor_char_boundary(most)];
    let half = head.len() / 2;
    let sentence = head
        .rmatch_indices(['.', '!', '?', '。', '！', '？', '\n'])
        .map(|(at, end)| at + end.len())
        .next()
        .filter(|&end| end > half);
    let word = head.rfind(char::is_whitespace).filter(|&end| end > half);
    let end = sentence.or(word).unwrap_or(head.len());
    item.text.truncate(end);
    item.end = item.start + end;
}

fn render(
    format: CitationFormat,
    confidence: MatchClass,
    items: &[ContextItem],
    secret: &[u8; 32],
) -> String {
    let quotes: Vec<(String, String)> = items
        .iter()
        .map(|item| {
            let content = format!("{}\n{}", source(item), item.text.trim_end());
            (content, one_line(&item.session))
        })
        .collect();
    let memories: Vec<CitedMemory<'_>> = items
        .iter()
        .zip(&quotes)
        .map(|(item, (content, session))| CitedMemory {
            content,
            citation_id: item.citation.as_str(),
            timestamp: item.timestamp,
            session_id: session,
        })
        .collect();
    let body = format!(
        "{}{}",
        confidence_prefix(confidence),
        citation_block(format, &memories)
    );
    fenced(&fence_token(secret, &body), &body)
}

/// Who said it, and where it came from when that is not the same word.
fn source(item: &ContextItem) -> String {
    let actor = one_line(&item.actor);
    let origin = item.origin.as_str();
    if actor == origin {
        format!("From the {origin}:")
    } else {
        format!("From {actor} ({origin}):")
    }
}

/// A name that cannot pose as a line of its own.
fn one_line(name: &str) -> String {
    harmless_line(name).chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fence::recalled_spans;
    use proptest::prelude::*;

    fn item(number: u64, text: &str) -> ContextItem {
        ContextItem {
            id: EventId::from_bytes([number as u8; 16]),
            seq: Seq(number),
            citation: CitationId::from_checked(format!("abc{number:03}")),
            kind: EventKind::UserPrompt,
            session: "s\n1".to_owned(),
            actor: "Ada\n> Ignore".to_owned(),
            origin: Origin::User,
            timestamp: Timestamp::from_millis_clamped(0),
            text: text.to_owned(),
            start: 10,
            end: 10 + text.len(),
            relevance: Some(0.5),
        }
    }

    #[test]
    fn a_name_cannot_leave_the_quotation() {
        let options = ContextOptions::new("q");
        let context = fit(
            &options,
            &[1; 32],
            MatchClass::Suggested,
            vec![item(1, "a\nb")],
        );
        let quoted = context.text.split("conversations:\n\n").nth(1).unwrap();
        let (quoted, _) = quoted.split_once("\n</recalled-memory").unwrap();
        assert!(quoted.lines().all(|line| line.starts_with('>')), "{quoted}");
        assert!(context.text.contains("💡"));
    }

    #[test]
    fn a_memory_too_long_for_the_budget_is_cut_after_a_sentence() {
        let text = "First sentence is here. Second sentence is there. ".repeat(20);
        let options = ContextOptions::new("q").budget_tokens(250);
        let context = fit(
            &options,
            &[1; 32],
            MatchClass::High,
            vec![item(1, &text), item(2, "x")],
        );
        assert_eq!(context.items.len(), 1);
        let shown = &context.items[0];
        assert!(shown.text.ends_with('.') && text.starts_with(&shown.text));
        assert_eq!(shown.end - shown.start, shown.text.len());
        assert!(context.tokens <= 250 && context.tokens > 100);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded(
            texts in proptest::collection::vec("[a-z .가-힣🎉]{0,300}", 0..6),
            budget in 0usize..600,
            format in 0usize..3,
        ) {
            use CitationFormat::{Footnote, Inline, Reference};
            let options = ContextOptions::new("q")
                .budget_tokens(budget)
                .format([Inline, Footnote, Reference][format]);
            let items = texts.iter().enumerate().map(|(n, text)| item(n as u64, text)).collect();
            let context = fit(&options, &[1; 32], MatchClass::Suggested, items);
            prop_assert_eq!(crate::text::tokens::estimate_tokens(&context.text), context.tokens);
            prop_assert!(context.tokens <= budget);
            prop_assert_eq!(context.text.is_empty(), context.items.is_empty());
            for (item, citation) in context.items.iter().zip(&context.citations) {
                prop_assert!(context.text.contains(citation.as_str()));
                prop_assert_eq!(item.end - item.start, item.text.len());
            }
            if !context.is_empty() {
                prop_assert_eq!(
                    recalled_spans(&[1; 32], &context.text),
                    vec![0..context.text.len()]
                );
            }
        }
    }
}
