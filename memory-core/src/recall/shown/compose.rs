//! Composes a context: as many lines as the budget allows, by importance, fenced and cited.

use crate::model::context::{Context, ContextItem};
use crate::model::error::Result;
use crate::model::ids::CitationId;
use crate::model::learned::{LearnedHit, LearnedState};
use crate::model::time::Timestamp;
use crate::recall::shown::known;
use crate::recall::shown::known::end_of_part;
use crate::rules::disclosure::confidence_prefix;
use crate::rules::matching::MatchClass;
use crate::text::citation::{CitationFormat, CitedMemory, citation_block};
use crate::text::fence::{fence_token, fenced};
use crate::text::show::{Shown, harmless_line};
use crate::text::tokens::TokenCounter;

/// How much of a name is shown beside a text, in characters.
const NAME_CHARS: usize = 40;

/// What is pinned in the store gets at most one part in this many of the budget.
const PINNED_SHARE: usize = 2;

/// Learned lines get one part in this many of the budget while there are episodes too.
const LEARNED_SHARE: usize = 3;

/// An event that is cut to less than this, in bytes, tells nothing.
const MIN_CUT_BYTES: usize = 40;
/// The smallest part of an event, beside others, that is given of it.
const MIN_SHARE: usize = 8;

/// What may go into a context.
#[derive(Default)]
pub(in crate::recall) struct Candidates {
    /// What always comes first.
    pub(in crate::recall) pinned: Vec<ContextItem>,
    /// What is pinned in the store.
    pub(in crate::recall) kept: Vec<ContextItem>,
    pub(in crate::recall) learned: Vec<LearnedHit>,
    pub(in crate::recall) episodes: Vec<ContextItem>,
}

impl Candidates {
    /// The events that come before what was learned.
    pub(in crate::recall) fn first(&self) -> impl Iterator<Item = &ContextItem> {
        self.pinned.iter().chain(&self.kept)
    }

    pub(in crate::recall) fn events_mut(&mut self) -> impl Iterator<Item = &mut ContextItem> {
        let first = self.pinned.iter_mut().chain(&mut self.kept);
        first.chain(&mut self.episodes)
    }
}

/// The layout of a context.
pub(in crate::recall) struct Layout<'a> {
    /// The token limit for the whole text.
    pub(in crate::recall) budget_tokens: usize,
    pub(in crate::recall) format: CitationFormat,
    pub(in crate::recall) count_tokens: &'a TokenCounter,
    /// The store's secret, which identifies its own fences.
    pub(in crate::recall) secret: &'a [u8; 32],
}

/// Fills the budget with what is pinned, what was learned, and episodes that say more than
/// that.
pub(in crate::recall) fn compose(
    layout: Layout<'_>,
    confidence: MatchClass,
    candidates: Candidates,
) -> Result<Context> {
    let mut draft = Draft {
        layout,
        context: Context {
            confidence,
            ..Context::default()
        },
        pinned: 0,
    };
    let has_others = !(candidates.kept.is_empty()
        && candidates.learned.is_empty()
        && candidates.episodes.is_empty());
    let is_full = draft.add_pinned(candidates.pinned, has_others)?;
    if !is_full {
        draft.add_kept(candidates.kept)?;
    }
    draft.pinned = draft.context.items.len();
    if !is_full {
        let mut learned = candidates.learned;
        learned.retain(|hit| !known::is_shown_by(hit, &draft.context.items));
        draft.add_learned(learned, !candidates.episodes.is_empty())?;
        let given = &draft.context.learned;
        let mut episodes = candidates.episodes;
        episodes.retain(|item| !known::is_said(item.seq, item.start..item.end, &item.text, given));
        draft.add_events(episodes)?;
    }
    Ok(draft.finish())
}

/// A context under construction.
struct Draft<'a> {
    layout: Layout<'a>,
    context: Context,
    /// How many of the items precede what was learned.
    pinned: usize,
}

impl Draft<'_> {
    /// Adds the caller's pinned events. True when the budget is used up.
    fn add_pinned(&mut self, candidates: Vec<ContextItem>, has_others: bool) -> Result<bool> {
        let budget = self.layout.budget_tokens;
        // Something is left for what was learned and found.
        let most = budget / (1 + usize::from(has_others));
        self.add_shared(candidates, most)?;
        Ok(self.context.tokens >= budget)
    }

    /// Adds events that are given in any case, until the context has at most so many tokens. If
    /// there are too many, each is cut to its share of what is left.
    fn add_shared(&mut self, mut candidates: Vec<ContextItem>, most: usize) -> Result<()> {
        let known = self.context.items.len();
        self.context.items.append(&mut candidates);
        if self.context.items.len() == known || self.is_accepted(most)? {
            return Ok(());
        }
        candidates = self.context.items.split_off(known);
        let mut waiting = candidates.len();
        for candidate in candidates {
            let used = self.context.tokens;
            let share = used + most.saturating_sub(used) / waiting;
            waiting -= 1;
            self.context.items.push(candidate);
            if !self.is_accepted(share)? && !self.fits_cut(share, MIN_CUT_BYTES)? {
                self.context.items.pop();
            }
        }
        Ok(())
    }

    /// Adds events until one does not fit; that one is cut. True when the budget is used up.
    fn add_events(&mut self, mut candidates: Vec<ContextItem>) -> Result<bool> {
        // Usually all of them fit, and the text is built once. With the estimate, fewer lines
        // never have more tokens; any other counter is asked line by line.
        if candidates.len() > 1 && self.layout.count_tokens.is_estimate() {
            let known = self.context.items.len();
            self.context.items.append(&mut candidates);
            if self.is_accepted(self.layout.budget_tokens)? {
                return Ok(false);
            }
            candidates = self.context.items.split_off(known);
        }
        for candidate in candidates {
            self.context.items.push(candidate);
            if self.is_accepted(self.layout.budget_tokens)? {
                continue;
            }
            let whole = self.context.items.last().map_or(0, |item| item.text.len());
            let least = match self.context.text.is_empty() {
                true => MIN_CUT_BYTES,
                false => MIN_CUT_BYTES.max(whole / MIN_SHARE),
            };
            if !self.fits_cut(self.layout.budget_tokens, least)? {
                self.context.items.pop();
                // Alone it is too long, but a shorter one may fit.
                if self.context.text.is_empty() {
                    continue;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Cuts the last event until the context has at most so many tokens: to half of it, a quarter, and
    /// so on, as long as `least` bytes of it are left. False if that is too long.
    fn fits_cut(&mut self, most: usize, least: usize) -> Result<bool> {
        let whole = self.context.items.last().map_or(0, |item| item.text.len());
        let mut share = 2;
        while whole / share >= least {
            let Some(item) = self.context.items.last_mut() else {
                break;
            };
            cut(item, whole / share);
            if item.text.trim().is_empty() {
                break;
            }
            if self.is_accepted(most)? {
                return Ok(true);
            }
            share *= 2;
        }
        Ok(false)
    }

    /// Adds what is pinned in the store, as far as its share allows.
    fn add_kept(&mut self, candidates: Vec<ContextItem>) -> Result<()> {
        let budget = self.layout.budget_tokens;
        let most = budget.min(self.context.tokens.saturating_add(budget / PINNED_SHARE));
        self.add_shared(candidates, most)
    }

    /// Adds the learned lines that fit into their share.
    fn add_learned(&mut self, candidates: Vec<LearnedHit>, has_episodes: bool) -> Result<()> {
        let share = if has_episodes { LEARNED_SHARE } else { 1 };
        let budget = self.layout.budget_tokens;
        let most = budget.min(self.context.tokens.saturating_add(budget / share));
        for candidate in candidates {
            self.context.learned.push(candidate);
            if !self.is_accepted(most)? {
                self.context.learned.pop();
            }
        }
        Ok(())
    }

    /// Moves the lines into the text if it then has at most `most` tokens.
    fn is_accepted(&mut self, most: usize) -> Result<bool> {
        let text = self.render();
        let tokens = self.layout.count_tokens.count(&text)?;
        if tokens > most {
            return Ok(false);
        }
        (self.context.text, self.context.tokens) = (text, tokens);
        Ok(true)
    }

    fn finish(mut self) -> Context {
        if self.layout.format == CitationFormat::None {
            return self.context;
        }
        let mut citations: Vec<CitationId> = Vec::new();
        for line in self.lines() {
            for citation in std::iter::once(line.citation).chain(line.more_citations) {
                if !citations.contains(citation) {
                    citations.push(citation.clone());
                }
            }
        }
        self.context.citations = citations;
        self.context
    }

    /// The lines in output order.
    fn lines(&self) -> Vec<Line<'_>> {
        // Nothing learned is added before the pinned items are complete.
        let pinned = self.pinned.min(self.context.items.len());
        let (pinned, episodes) = self.context.items.split_at(pinned);
        let cites = self.layout.format != CitationFormat::None;
        let event = |item| Line::of_event(item, cites);
        let pinned = pinned.iter().map(event);
        let learned = self.context.learned.iter();
        let learned = learned.map(|hit| Line::of_learned(hit, cites));
        let episodes = episodes.iter().map(event);
        pinned.chain(learned).chain(episodes).collect()
    }

    fn render(&self) -> String {
        let memories: Vec<CitedMemory> = self
            .lines()
            .into_iter()
            .map(|line| CitedMemory {
                content: line.content,
                citation: line.citation.as_str().to_owned(),
                timestamp: line.timestamp,
                session: line.session,
            })
            .collect();
        let body = format!(
            "{}{}",
            confidence_prefix(self.context.confidence),
            citation_block(&memories, self.layout.format, Shown::Harmless)
        );
        fenced(&fence_token(self.layout.secret, &body), &body)
    }
}

/// A memory as the text shows it.
struct Line<'a> {
    content: String,
    citation: &'a CitationId,
    /// Those within the content.
    more_citations: Vec<&'a CitationId>,
    timestamp: Timestamp,
    session: String,
}

impl<'a> Line<'a> {
    fn of_event(item: &'a ContextItem, cites: bool) -> Self {
        Line {
            content: format!("{}\n{}{}", source(item, cites), called(item), shown(item)),
            citation: &item.citation,
            more_citations: item.changed_by.as_ref().into_iter().collect(),
            timestamp: item.timestamp,
            session: one_line(&item.session),
        }
    }

    fn of_learned(hit: &'a LearnedHit, cites: bool) -> Self {
        Line {
            content: known::line(hit, cites),
            citation: &hit.citation,
            more_citations: known::more_citations(hit),
            // That of the citation beside it: a conversation may be imported long after it was.
            timestamp: hit
                .proofs
                .first()
                .map_or(hit.timestamp, |proof| proof.timestamp),
            session: one_line(match hit.proofs.first() {
                Some(proof) if hit.session.is_empty() => &proof.session,
                _ => &hit.session,
            }),
        }
    }
}

/// Cuts an item's text to at most `most` bytes.
fn cut(item: &mut ContextItem, most: usize) {
    let head = &item.text[..item.text.floor_char_boundary(most)];
    let end = end_of_part(head);
    item.has_more_after |= !item.text[end..].trim().is_empty();
    item.text.truncate(end);
    item.end = item.start + end;
}

/// An item's text, with a mark where there is more of it.
fn shown(item: &ContextItem) -> String {
    let before = if item.has_more_before { "… " } else { "" };
    let after = if item.has_more_after { " …" } else { "" };
    format!("{before}{}{after}", item.text.trim_end())
}

/// What was called, in a line of its own: part of an output tells nothing without it.
fn called(item: &ContextItem) -> String {
    let call = item.call.as_deref().filter(|call| !call.is_empty());
    call.map_or_else(String::new, |call| format!("{}\n", harmless_line(call)))
}

/// Who said it, its origin when that is a different word, and what became of what it says.
fn source(item: &ContextItem, cites: bool) -> String {
    let actor = one_line(&item.actor);
    let origin = item.origin.as_str();
    let status = status_of(item, cites);
    if actor == origin {
        format!("From the {origin}{status}:")
    } else {
        format!("From {actor} ({origin}){status}:")
    }
}

/// What became of what an event says, and with `cites` where that is said.
fn status_of(item: &ContextItem, cites: bool) -> String {
    let by = item.changed_by.as_ref().filter(|_| cites);
    let words = match (item.state, by) {
        (None, _) => return String::new(),
        (Some(LearnedState::Contested), _) => "contested",
        (Some(LearnedState::Superseded), Some(_)) => "superseded by",
        (Some(LearnedState::Superseded), None) => "superseded since",
        (Some(LearnedState::Done), _) => "done since",
        (Some(LearnedState::Cancelled), _) => "cancelled since",
        (Some(_), Some(_)) => "no longer blocked since",
        (Some(_), None) => "no longer blocked",
    };
    match by {
        Some(by) => format!(", {words} [{by}]"),
        None => format!(", {words}"),
    }
}

/// Keeps a name from posing as a line of its own.
fn one_line(name: &str) -> String {
    harmless_line(name).chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use crate::model::event::{EventKind, Origin};
    use crate::model::ids::{EventId, Seq};
    use crate::recall::shown::compose::*;
    use crate::recall::shown::context::ContextOptions;
    use crate::text::fence::recalled_spans;
    use proptest::prelude::*;

    fn fit(
        options: &ContextOptions,
        secret: &[u8; 32],
        confidence: MatchClass,
        episodes: Vec<ContextItem>,
    ) -> Context {
        let candidates = Candidates {
            episodes,
            ..Candidates::default()
        };
        let layout = Layout {
            budget_tokens: options.budget_tokens.unwrap_or(2_000),
            format: options.format.unwrap_or_default(),
            count_tokens: &options.count_tokens,
            secret,
        };
        compose(layout, confidence, candidates).unwrap()
    }

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
            has_more_before: false,
            has_more_after: false,
            relevance: Some(0.5),
            state: None,
            changed_by: None,
            call: None,
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

    #[test]
    fn a_memory_that_is_far_too_long_leaves_room_for_shorter_ones() {
        let dense = "{\"k\":[1,2,3],\"v\":{}},".repeat(400);
        let options = ContextOptions::new("q").budget_tokens(200);
        let items = || vec![item(1, &dense), item(2, "Port 5433.")];
        let context = fit(&options, &[1; 32], MatchClass::High, items());
        assert_eq!(context.items.len(), 1);
        assert!(dense.starts_with(&context.items[0].text) && context.tokens <= 200);
        // Not even its beginning fits into what the shorter one takes.
        let large = ContextOptions::new("q");
        let short = fit(
            &large,
            &[1; 32],
            MatchClass::High,
            vec![item(2, "Port 5433.")],
        );
        let options = ContextOptions::new("q").budget_tokens(short.tokens);
        let context = fit(&options, &[1; 32], MatchClass::High, items());
        let texts: Vec<&str> = context.items.iter().map(|item| &*item.text).collect();
        assert_eq!(texts, ["Port 5433."], "{}", context.tokens);
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
