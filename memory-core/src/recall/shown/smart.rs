//! Smart search: an index of the results, plus as much timeline and detail as they merit and
//! a token budget allows.

use crate::engine::Engine;
use crate::model::disclosed::{Detail, TimelineItem};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::{CitationId, EventId, EventRef, Seq};
use crate::model::learned::LearnedHit;
use crate::model::number::share;
use crate::model::query::{Hit, Query};
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::recall::asked::named::{named_hits, named_now, put_first, record_named};
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::ranking::retrieve;
use crate::recall::shown::known;
use crate::recall::shown::layers;
use crate::recall::shown::layers::{DEFAULT_TIMELINE_WINDOW, MAX_TIMELINE_WINDOW, Shown};
use crate::rules::disclosure::{
    DETAILS_RESERVE_TOKENS, DetailFacts, ExpansionDecision, ExpansionReason,
    TIMELINE_RESERVE_TOKENS, expansion_decision_by, hint, plan_expansion,
};
use crate::rules::format::{
    DetailView, IndexLine, LearnedLine, TimelineLine, format_detail, format_index, format_learned,
    format_timeline,
};
use crate::rules::matching::MatchClass;
use crate::rules::times::NamedTimes;
use crate::text::tokens::TokenCounter;

/// Options that control how [`Memory::smart_search`](crate::Memory::smart_search) expands
/// what it finds. The defaults are those of the specification, section 15, except for
/// [`SmartSearchOptions::min_relevance`], unless the memory's settings say otherwise.
///
/// ```
/// use recallite::SmartSearchOptions;
/// let options = SmartSearchOptions::default().limit(5).budget_tokens(1_000);
/// assert_eq!(options.budget_tokens, Some(1_000));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SmartSearchOptions {
    /// The maximum number of results, from 1 to 1,000. Default: the query's limit, or 10.
    pub limit: Option<usize>,
    /// The minimum relevance of a result, from 0 to 1; others are left out. If the query
    /// has one too, the higher applies. Default: 0, which leaves out none.
    ///
    /// The specification's .7 was meant for similarities, which are high even for poor
    /// matches. Relevance is a probability: right answers in agent transcripts often have
    /// .2 to .5 (see `docs/recall.md`), so .7 would hide most of them.
    pub min_relevance: Option<f32>,
    /// Whether to add timelines. Default: true.
    pub expand_timeline: Option<bool>,
    /// Whether to add details. Default: true.
    pub expand_details: Option<bool>,
    /// The maximum number of results to expand. Default: 3.
    pub max_expanded: Option<usize>,
    /// The token budget for what was learned, the index, the timeline and the details
    /// together. Default: 2,000. What was learned and the index are never cut; the rest is
    /// added only while they leave room. The details of a result can exceed the budget by
    /// less than their own length.
    pub budget_tokens: Option<usize>,
    /// The number of events that a timeline shows before and after an event. Default: 3.
    pub window: usize,
    /// How to count tokens. Default: an estimate.
    pub count_tokens: TokenCounter,
}

impl Default for SmartSearchOptions {
    fn default() -> Self {
        SmartSearchOptions {
            limit: None,
            min_relevance: None,
            expand_timeline: None,
            expand_details: None,
            max_expanded: None,
            budget_tokens: None,
            window: DEFAULT_TIMELINE_WINDOW,
            count_tokens: TokenCounter::default(),
        }
    }
}

impl SmartSearchOptions {
    setters! {
        /// Sets the maximum number of results.
        limit: some usize;
        /// Sets the minimum relevance of a result; others are left out.
        min_relevance: some f32;
        /// Whether to add timelines.
        expand_timeline: some bool;
        /// Whether to add details.
        expand_details: some bool;
        /// Sets the maximum number of results to expand.
        max_expanded: some usize;
        /// Sets the token budget.
        budget_tokens: some usize;
        /// Sets the number of events that a timeline shows on each side.
        window: usize;
    }

    /// Counts tokens with a function instead of the estimate.
    #[must_use]
    pub fn count_tokens(mut self, count: impl Fn(&str) -> usize + Send + Sync + 'static) -> Self {
        self.count_tokens = TokenCounter::new(count);
        self
    }

    fn check(&self) -> Result<()> {
        share(
            "min_relevance",
            self.min_relevance.unwrap_or_default().into(),
        )?;
        if self.window > MAX_TIMELINE_WINDOW {
            return Err(Error::invalid(
                "window",
                format_args!("must be at most {MAX_TIMELINE_WINDOW}, not {}", self.window),
            ));
        }
        Ok(())
    }
}

/// One line of the index.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IndexItem {
    /// The event's id.
    pub id: EventId,
    /// Its position in the log.
    pub seq: Seq,
    /// Its citation.
    pub citation: CitationId,
    /// What kind of event it is.
    pub kind: EventKind,
    /// The session it belongs to.
    pub session: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// A one-line summary of at most 100 characters: what a call of a known tool did,
    /// otherwise the first sentence.
    pub summary: String,
    /// How likely it is to answer the query, from 0 to 1: the relevance of the hit.
    pub score: f32,
}

impl From<Hit> for IndexItem {
    fn from(hit: Hit) -> Self {
        IndexItem {
            id: hit.id,
            seq: hit.seq,
            citation: hit.citation,
            kind: hit.kind,
            session: hit.session,
            timestamp: hit.timestamp,
            summary: hit.summary,
            score: hit.relevance,
        }
    }
}

/// Figures about a smart search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SmartSearchMeta {
    /// The number of events that matched: exact up to 1,000; a larger number is a lower
    /// bound.
    pub total_matches: usize,
    /// The number of results that are shown with a timeline or details.
    pub expanded_count: usize,
    /// The number of tokens of what was learned, the index, the timeline and the details,
    /// in their Markdown form.
    pub estimated_tokens: usize,
    /// Why results were expanded, or why not.
    pub expansion_reason: ExpansionReason,
}

/// The result of [`Memory::smart_search`](crate::Memory::smart_search): three layers, each
/// only as far as it helps.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SmartSearchResult {
    /// Layer 1: the results, best first. Events that only serve as evidence of the learned items
    /// are left out.
    pub index: Vec<IndexItem>,
    /// Learned items that help, as in a search.
    pub learned: Vec<LearnedHit>,
    /// Layer 2: what happened around some of the results; empty if none was added.
    pub timeline: Vec<TimelineItem>,
    /// Layer 3: some of the results in full; empty if none was added.
    pub details: Vec<Detail>,
    /// Figures about the search.
    pub meta: SmartSearchMeta,
    /// A hint for the reader on how to see more; empty if enough was shown or nothing was found.
    pub hint: &'static str,
    /// How certain the best result or learned item is.
    pub confidence: MatchClass,
    /// True if a deadline or damage kept part of the memory from being searched.
    pub degraded: bool,
}

impl SmartSearchResult {
    /// The learned items that currently count as Markdown, at most 5 lines. Each shows its
    /// proof, its kind and its state. Empty if nothing helps.
    pub fn learned_markdown(&self) -> String {
        let shown = known::above_index(&self.learned);
        let lines: Vec<LearnedLine<'_>> = shown
            .iter()
            .map(|hit| LearnedLine {
                id: hit.citation.as_str(),
                text: known::line(hit, true),
            })
            .collect();
        format_learned(&lines)
    }

    /// Layer 1 as Markdown.
    pub fn index_markdown(&self) -> String {
        index_markdown(&self.index, self.meta.total_matches)
    }

    /// Layer 2 as Markdown; empty if there is no timeline.
    pub fn timeline_markdown(&self) -> String {
        timeline_markdown(&self.timeline)
    }

    /// Layer 3 as Markdown; empty if there are no details.
    pub fn details_markdown(&self) -> String {
        let details: Vec<String> = self.details.iter().map(detail_markdown).collect();
        details.join("\n")
    }

    /// What was learned, the layers that are present, and the hint, as one Markdown text.
    pub fn markdown(&self) -> String {
        let mut out = self.learned_markdown();
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&self.index_markdown());
        for part in [self.timeline_markdown(), self.details_markdown()] {
            if !part.is_empty() {
                out.push('\n');
                out.push_str(&part);
            }
        }
        if !self.hint.is_empty() {
            out.push('\n');
            out.push_str(self.hint);
            out.push('\n');
        }
        out
    }
}

/// The index as Markdown.
fn index_markdown(items: &[IndexItem], total_matches: usize) -> String {
    let lines: Vec<IndexLine<'_>> = items
        .iter()
        .map(|item| IndexLine {
            id: item.citation.as_str(),
            summary: &item.summary,
            score: f64::from(item.score),
        })
        .collect();
    format_index(&lines, total_matches.max(items.len()))
}

/// A timeline as Markdown, one section per session in order of first appearance; empty
/// without items.
pub(crate) fn timeline_markdown(items: &[TimelineItem]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut sessions: Vec<(&str, Vec<TimelineLine<'_>>)> = Vec::new();
    for item in items {
        let line = TimelineLine {
            id: item.citation.as_str(),
            kind: item.kind,
            timestamp: item.timestamp,
            preview: &item.preview,
            is_target: item.is_target,
        };
        match sessions.iter_mut().find(|(name, _)| *name == item.session) {
            Some((_, lines)) => lines.push(line),
            None => sessions.push((&item.session, vec![line])),
        }
    }
    let groups: Vec<&[TimelineLine<'_>]> = sessions.iter().map(|(_, lines)| &lines[..]).collect();
    format_timeline(&groups)
}

/// One event in full as Markdown.
pub(crate) fn detail_markdown(detail: &Detail) -> String {
    format_detail(&DetailView {
        id: detail.event.citation.as_str(),
        session: &detail.event.session,
        timestamp: detail.event.timestamp,
        kind: detail.event.kind,
        content: &detail.event.content,
        facts: &DetailFacts {
            token_count: detail.token_count,
            has_code: detail.has_code,
            files: detail.files.clone(),
            tools: detail.tools.clone(),
        },
    })
}

/// [`Memory::smart_search`](crate::Memory::smart_search).
pub(crate) fn smart_search(
    engine: &Engine,
    query: Query,
    options: SmartSearchOptions,
) -> Result<SmartSearchResult> {
    options.check()?;
    let tuning = &engine.tuning.disclosure;
    let limit = options.limit.or(query.limit).unwrap_or(tuning.limit);
    let mut query = query.limit(limit);
    let min_relevance = options.min_relevance.unwrap_or(tuning.min_relevance);
    if min_relevance > 0.0 {
        let least = query.min_relevance.unwrap_or(0.0);
        // Checked before `max`, which would hide NaN.
        share("min_relevance", least.into())?;
        query.min_relevance = Some(least.max(min_relevance));
    }
    let asked = PreparedQuery::of(engine, query)?;
    let shown_around = Shown {
        as_of: asked.query.as_of,
        project: asked.query.project.resolve(&engine.project),
    };
    let named = named_now(engine, &asked)?;
    let mut found = retrieve::search_noted(engine, &asked)?;
    record_named(engine, &named, &found.items);
    let shown = known::above_index(&found.learned);
    found.items.retain(|hit| !known::is_proof(hit, &shown));
    let (named_count, is_request) = (named.events.len(), named.is_request);
    put_first(named_hits(engine, named)?, &mut found, asked.limit);
    let result = SmartSearchResult {
        index: found.items.into_iter().map(IndexItem::from).collect(),
        learned: found.learned,
        timeline: Vec::new(),
        details: Vec::new(),
        meta: SmartSearchMeta {
            total_matches: found.total_matches,
            expanded_count: 0,
            estimated_tokens: 0,
            expansion_reason: ExpansionReason::LowConfidence,
        },
        hint: "",
        confidence: found.confidence,
        degraded: found.degraded,
    };
    let by_time = || near_in_time(engine, &asked.times, &result);
    let wanted = (named_count > 0).then(|| ExpansionDecision {
        targets: (0..named_count).collect(),
        expands_timeline: true,
        expands_details: true,
        reason: match is_request {
            true => ExpansionReason::UserRequest,
            false => ExpansionReason::ExplicitId,
        },
    });
    let wanted = wanted.or_else(by_time);
    let mut result = expand(engine, result, wanted, &options, &shown_around)?;
    result.confidence = known::confidence(result.confidence, &result.learned);
    Ok(result)
}

/// How many results of a named time are shown with the events around them.
const MAX_IN_TIME: usize = 3;

/// Adds the first results' timelines if the query names their time and their scores alone
/// expand nothing.
fn near_in_time(
    engine: &Engine,
    times: &NamedTimes,
    result: &SmartSearchResult,
) -> Option<ExpansionDecision> {
    let scores: Vec<f64> = result
        .index
        .iter()
        .map(|item| f64::from(item.score))
        .collect();
    let by_scores = expansion_decision_by(&scores, &engine.tuning.disclosure.thresholds);
    let is_wanted =
        result.confidence != MatchClass::None && by_scores.reason == ExpansionReason::LowConfidence;
    let is_of_time =
        |item: &IndexItem| times.spans.iter().any(|span| span.contains(item.timestamp));
    let targets: Vec<usize> = (0..result.index.len().min(MAX_IN_TIME))
        .filter(|place| is_of_time(&result.index[*place]))
        .collect();
    (is_wanted && !targets.is_empty()).then_some(ExpansionDecision {
        targets,
        expands_timeline: true,
        expands_details: false,
        reason: ExpansionReason::TemporalProximity,
    })
}

/// Adds what the query requests, or else what the scores of the index justify.
fn expand(
    engine: &Engine,
    mut result: SmartSearchResult,
    asked: Option<ExpansionDecision>,
    options: &SmartSearchOptions,
    shown_around: &Shown,
) -> Result<SmartSearchResult> {
    let count = |text: &str| options.count_tokens.count(text);
    let index_tokens = count(&result.index_markdown())?;
    let learned = result.learned_markdown();
    let learned_tokens = match learned.is_empty() {
        true => 0,
        false => count(&learned)?,
    };
    let scores: Vec<f64> = result
        .index
        .iter()
        .map(|item| f64::from(item.score))
        .collect();
    let tuning = &engine.tuning.disclosure;
    let by_itself = tuning.is_enabled && (asked.is_some() || tuning.auto_expands);
    let decision = asked.unwrap_or_else(|| expansion_decision_by(&scores, &tuning.thresholds));
    let most = options.max_expanded;
    let mut targets = decision.targets;
    targets.truncate(most.unwrap_or(tuning.max_expanded));
    let wants_timeline = decision.expands_timeline && options.expand_timeline.unwrap_or(by_itself);
    let mut expansion = Expansion {
        engine,
        index: &result.index,
        options,
        shown_around,
        wants_details: options.expand_details.unwrap_or(by_itself),
        budget: options.budget_tokens.unwrap_or(tuning.budget_tokens),
        used_tokens: index_tokens.saturating_add(learned_tokens),
        is_requested: decision.reason == ExpansionReason::UserRequest,
        timeline: Vec::new(),
        details: Vec::new(),
    };
    let expanded_count = if decision.expands_details {
        expansion.winners(&targets, &scores, wants_timeline)?
    } else if wants_timeline {
        expansion.candidates(&targets)?
    } else {
        0
    };
    let (timeline, details) = (expansion.timeline, expansion.details);
    result.meta.estimated_tokens = expansion.used_tokens;
    result.meta.expanded_count = expanded_count;
    result.meta.expansion_reason = decision.reason;
    (result.timeline, result.details) = (timeline, details);
    if !result.index.is_empty() {
        result.hint = hint(expanded_count, decision.reason);
    }
    Ok(result)
}

/// A timeline that fits.
struct Fitting {
    items: Vec<TimelineItem>,
    tokens: usize,
    /// How many neighbours it has on each side.
    window: usize,
}

/// The value, or its default in place of an error, which is noted.
fn kept<T: Default>(result: Result<T>, failed: &mut Option<Error>) -> T {
    result.unwrap_or_else(|error| {
        *failed = Some(error);
        T::default()
    })
}

/// An expansion under construction.
struct Expansion<'a> {
    engine: &'a Engine,
    index: &'a [IndexItem],
    options: &'a SmartSearchOptions,
    /// Which neighbours a timeline shows.
    shown_around: &'a Shown,
    wants_details: bool,
    /// The token budget of all layers together.
    budget: usize,
    used_tokens: usize,
    /// Whether somebody asked to see the events by their names.
    is_requested: bool,
    timeline: Vec<TimelineItem>,
    details: Vec<Detail>,
}

impl Expansion<'_> {
    fn event(&self, place: usize) -> EventRef {
        EventRef::Seq(self.index[place].seq)
    }

    /// Adds timeline and details of clear winners; returns how many are shown.
    fn winners(
        &mut self,
        targets: &[usize],
        scores: &[f64],
        wants_timeline: bool,
    ) -> Result<usize> {
        let reserve = self.used_tokens.saturating_add(DETAILS_RESERVE_TOKENS);
        if self.is_requested && self.wants_details && reserve > self.budget {
            return self.requested(targets);
        }
        let scores: Vec<f64> = targets.iter().map(|&place| scores[place]).collect();
        let events: Vec<EventRef> = targets.iter().map(|&place| self.event(place)).collect();
        // A timeline is added before any details.
        let left = self.budget.saturating_sub(self.used_tokens);
        let wants_details = self.wants_details;
        let (mut timeline, mut details) = (Vec::new(), Vec::new());
        let (mut failed, mut details_failed) = (None, None);
        let plan = plan_expansion(
            &scores,
            self.budget,
            self.used_tokens,
            |place| {
                let found = match wants_timeline {
                    true => self.timeline_within(&events[place..=place], left),
                    false => Ok(None),
                };
                kept(found, &mut failed).map_or(0, |found| {
                    timeline = found.items;
                    found.tokens
                })
            },
            |place| {
                let found = match wants_details {
                    true => self.details_of(&events[place..=place]),
                    false => Ok(Default::default()),
                };
                let (found, tokens) = kept(found, &mut details_failed);
                details.extend(found);
                tokens
            },
        );
        if let Some(error) = failed.or(details_failed) {
            return Err(error);
        }
        self.used_tokens = plan.used_tokens;
        let shows_timeline = !timeline.is_empty();
        let expanded = targets
            .iter()
            .enumerate()
            .filter(|(place, _)| {
                (shows_timeline && plan.timeline_for == Some(*place))
                    || (wants_details && plan.details_for.contains(place))
            })
            .count();
        (self.timeline, self.details) = (timeline, details);
        Ok(expanded)
    }

    /// Adds the details of events that somebody asked to see, as many as a small budget allows:
    /// nothing is reserved for what may be longer.
    fn requested(&mut self, targets: &[usize]) -> Result<usize> {
        for &place in targets {
            let (found, tokens) = self.details_of(&[self.event(place)])?;
            let used_tokens = self.used_tokens.saturating_add(tokens);
            if used_tokens <= self.budget {
                self.details.extend(found);
                self.used_tokens = used_tokens;
            }
        }
        Ok(self.details.len())
    }

    /// The details of an event and their tokens; none if it was forgotten after the search.
    fn details_of(&self, event: &[EventRef]) -> Result<(Vec<Detail>, usize)> {
        let found = match layers::details(self.engine, event) {
            Err(error) if error.code() == ErrorCode::NotFound => Vec::new(),
            found => found?,
        };
        let counter = &self.options.count_tokens;
        let tokens = found
            .iter()
            .map(|detail| counter.count(&detail_markdown(detail)))
            .sum::<Result<usize>>()?;
        Ok((found, tokens))
    }

    /// A timeline of at most `left` tokens: with fewer neighbours where all of them would not
    /// fit, and `None` where not even the events themselves fit.
    fn timeline_within(&self, events: &[EventRef], left: usize) -> Result<Option<Fitting>> {
        let mut window = self.options.window;
        loop {
            let items = layers::timeline(self.engine, events, window, self.shown_around)?;
            let tokens = self.tokens(&items)?;
            if tokens <= left {
                return Ok(Some(Fitting {
                    items,
                    tokens,
                    window,
                }));
            }
            if window == 0 {
                return Ok(None);
            }
            window /= 2;
        }
    }

    fn tokens(&self, timeline: &[TimelineItem]) -> Result<usize> {
        self.options
            .count_tokens
            .count(&timeline_markdown(timeline))
    }

    /// Adds one timeline around several candidates, as many as the budget allows.
    fn candidates(&mut self, targets: &[usize]) -> Result<usize> {
        let index_tokens = self.used_tokens;
        let left = self.budget.saturating_sub(index_tokens);
        let mut window = None;
        let mut events = Vec::new();
        for &place in targets {
            if self.used_tokens.saturating_add(TIMELINE_RESERVE_TOKENS) > self.budget {
                break;
            }
            events.push(self.event(place));
            // The first one decides how many neighbours are shown.
            let found = match window {
                None => self.timeline_within(&events, left)?,
                Some(window) => {
                    let items = layers::timeline(self.engine, &events, window, self.shown_around)?;
                    let tokens = self.tokens(&items)?;
                    (tokens <= left).then_some(Fitting {
                        items,
                        tokens,
                        window,
                    })
                }
            };
            let Some(found) = found else {
                events.pop();
                break;
            };
            window = Some(found.window);
            self.used_tokens = index_tokens.saturating_add(found.tokens);
            self.timeline = found.items;
        }
        Ok(events.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::Memory;
    use crate::model::event::NewEvent;
    use crate::recall::shown::smart::*;

    fn memory(folder: &tempfile::TempDir) -> Memory {
        let memory = Memory::open(folder.path()).unwrap();
        for number in 0..12 {
            let session = ["s1", "s2"][number % 2];
            let text =
                format!("Decision {number}: the gateway waits {number} seconds. 결정 {number}.");
            memory
                .append(NewEvent::new(EventKind::UserPrompt, session, text))
                .unwrap();
        }
        memory
    }

    #[test]
    fn what_is_asked_for_by_its_name_is_shown_within_a_small_budget() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let event = memory
            .event(EventRef::Seq(Seq(3)))
            .unwrap()
            .expect("is there");
        let question = format!("show {}", event.citation);
        let shown = |budget| {
            let options = SmartSearchOptions::default().budget_tokens(budget);
            memory.smart_search(question.as_str(), options).unwrap()
        };
        let found = shown(600);
        let seen: Vec<u64> = found
            .details
            .iter()
            .map(|detail| detail.event.seq.0)
            .collect();
        assert_eq!(seen, [event.seq.0]);
        assert!(found.meta.estimated_tokens <= 600);
        assert!(shown(20).details.is_empty());
    }

    /// A result with these scores, before expansion.
    fn found(memory: &Memory, scores: &[f32]) -> SmartSearchResult {
        let hits = memory.search("how long does the gateway wait?").unwrap();
        let mut index: Vec<IndexItem> = hits.items.into_iter().map(IndexItem::from).collect();
        index.truncate(scores.len());
        for (item, score) in index.iter_mut().zip(scores) {
            item.score = *score;
        }
        SmartSearchResult {
            meta: SmartSearchMeta {
                total_matches: index.len(),
                expanded_count: 0,
                estimated_tokens: 0,
                expansion_reason: ExpansionReason::LowConfidence,
            },
            index,
            learned: Vec::new(),
            timeline: Vec::new(),
            details: Vec::new(),
            hint: "",
            confidence: MatchClass::Suggested,
            degraded: false,
        }
    }

    fn expanded(
        memory: &Memory,
        scores: &[f32],
        options: &SmartSearchOptions,
    ) -> SmartSearchResult {
        let found = found(memory, scores);
        expand(&memory.engine, found, None, options, &Shown::default()).unwrap()
    }

    #[test]
    fn a_clear_winner_is_shown_with_timeline_and_details() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let options = SmartSearchOptions::default();
        let result = expanded(&memory, &[0.9, 0.7], &options);
        assert_eq!(result.meta.expansion_reason, ExpansionReason::ClearWinner);
        assert_eq!(result.meta.expanded_count, 1);
        assert_eq!(result.details.len(), 1);
        assert_eq!(result.details[0].event.seq, result.index[0].seq);
        let target = result.timeline.iter().find(|item| item.is_target).unwrap();
        assert_eq!(target.seq, result.index[0].seq);
        assert!(
            result
                .timeline
                .iter()
                .all(|item| item.session == target.session)
        );
        assert_eq!(result.hint, "");
        let parts = [
            result.index_markdown(),
            result.timeline_markdown(),
            result.details_markdown(),
        ];
        let tokens: usize = parts
            .iter()
            .map(|part| crate::text::tokens::estimate_tokens(part))
            .sum();
        assert_eq!(result.meta.estimated_tokens, tokens);
        assert!(
            parts
                .iter()
                .all(|part| result.markdown().contains(part.as_str()))
        );
    }

    #[test]
    fn the_flags_and_the_count_hold_for_one_call_only() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let index_only = SmartSearchOptions::default()
            .expand_timeline(false)
            .expand_details(false);
        let result = expanded(&memory, &[0.9, 0.7], &index_only);
        assert!(result.timeline.is_empty() && result.details.is_empty());
        assert_eq!(result.meta.expanded_count, 0);
        assert_eq!(result.hint, r#"Use "show [id]" to see details"#);

        let no_details = SmartSearchOptions::default().expand_details(false);
        let result = expanded(&memory, &[0.9, 0.7], &no_details);
        assert!(!result.timeline.is_empty() && result.details.is_empty());

        let none = SmartSearchOptions::default().max_expanded(0);
        let result = expanded(&memory, &[0.9, 0.7], &none);
        assert_eq!(result.meta.expanded_count, 0);
        let again = SmartSearchOptions::default();
        let result = expanded(&memory, &[0.9, 0.7], &again);
        assert_eq!(result.details.len(), 1);
    }

    #[test]
    fn what_is_not_shown_is_hinted_at_however_little_is_certain() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let options = SmartSearchOptions::default();
        let mut found = found(&memory, &[0.2]);
        found.confidence = MatchClass::None;
        let result = expand(&memory.engine, found, None, &options, &Shown::default()).unwrap();
        assert_eq!(result.meta.expanded_count, 0);
        assert_eq!(result.hint, r#"Use "show [id]" to see details"#);
    }

    #[test]
    fn ambiguous_results_get_timelines_while_the_budget_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let options = SmartSearchOptions::default();
        let result = expanded(&memory, &[0.84, 0.83, 0.82, 0.3], &options);
        assert_eq!(
            result.meta.expansion_reason,
            ExpansionReason::AmbiguousResults
        );
        assert_eq!(result.meta.expanded_count, 3);
        assert!(result.details.is_empty() && !result.timeline.is_empty());
        assert!(result.hint.starts_with("Multiple matches"));
        let mut seen = std::collections::HashSet::new();
        assert!(result.timeline.iter().all(|item| seen.insert(item.seq)));

        let tight = SmartSearchOptions::default().budget_tokens(420);
        let result = expanded(&memory, &[0.84, 0.83, 0.82, 0.3], &tight);
        assert!(result.meta.expanded_count < 3);
        assert!(result.meta.estimated_tokens <= 420);
    }

    #[test]
    fn a_budget_counts_the_tokens_of_the_callers_function() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(&folder);
        let dear = SmartSearchOptions::default().count_tokens(|_| usize::MAX);
        let result = expanded(&memory, &[0.9, 0.7], &dear);
        assert_eq!(result.meta.expanded_count, 0);
        assert!(result.meta.estimated_tokens > 200_000_000);
        let low = expanded(&memory, &[0.4, 0.3], &dear);
        assert_eq!(low.meta.expansion_reason, ExpansionReason::LowConfidence);
    }
}
