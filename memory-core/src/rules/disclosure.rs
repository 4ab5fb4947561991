//! Progressive disclosure: which results are shown in more detail than one line each,
//! within a token budget. These are pure decisions, without a store.
//!
//! Layer 1 is an index of one-line summaries, layer 2 the timeline around a memory, and
//! layer 3 the whole memory (specification, section 15).

use std::fmt;
use std::str::FromStr;

use regex::Regex;

use crate::lazy::RaceLazy;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::shorten::quoted;
use crate::rules::matching::{MatchClass, descending};
use crate::text::tokens::{cut_utf16, estimate_tokens};

/// The minimum score at which a single result is expanded.
pub const SINGLE_RESULT_SCORE: f64 = 0.92;
/// The minimum score of a clear winner among several results.
pub const WINNER_SCORE: f64 = 0.85;
/// The minimum lead of a clear winner over the second result.
pub const WINNER_GAP: f64 = 0.1;
/// The minimum score of the third result for the first three to count as ambiguous.
pub const AMBIGUOUS_SCORE: f64 = 0.8;
/// The minimum score of a result whose details may be added.
pub const DETAILS_SCORE: f64 = 0.85;
/// The number of tokens that must be left before a timeline is added.
pub const TIMELINE_RESERVE_TOKENS: usize = 200;
/// The number of tokens that must be left before details are added.
pub const DETAILS_RESERVE_TOKENS: usize = 800;
/// The number of items that a timeline shows on each side of its target.
pub const TIMELINE_WINDOW: usize = 3;
/// How much of a neighbour the session context shows, in UTF-16 code units.
const NEIGHBOUR_UTF16: usize = 200;

/// Why results were expanded, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExpansionReason {
    /// There is only one result, with a high score.
    HighConfidence,
    /// The query asks to see an event that it names by its citation.
    UserRequest,
    /// The query names an event by its citation.
    ExplicitId,
    /// The first result is clearly better than the second.
    ClearWinner,
    /// Several results are good; what happened around them helps to choose.
    AmbiguousResults,
    /// Nothing is good enough, or nothing was found.
    LowConfidence,
    /// The query names a time and the results are from that time; what happened around them
    /// is shown.
    TemporalProximity,
}

impl ExpansionReason {
    /// Returns the stable name, for example `"clear_winner"`.
    pub fn as_str(self) -> &'static str {
        match self {
            ExpansionReason::HighConfidence => "high_confidence",
            ExpansionReason::UserRequest => "user_request",
            ExpansionReason::ExplicitId => "explicit_id",
            ExpansionReason::ClearWinner => "clear_winner",
            ExpansionReason::AmbiguousResults => "ambiguous_results",
            ExpansionReason::LowConfidence => "low_confidence",
            ExpansionReason::TemporalProximity => "temporal_proximity",
        }
    }
}

impl fmt::Display for ExpansionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ExpansionReason {
    type Err = Error;

    /// Accepts the stable names, and `ambiguous_multiple_high` as an older name
    /// of `ambiguous_results`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "high_confidence" => Ok(ExpansionReason::HighConfidence),
            "user_request" => Ok(ExpansionReason::UserRequest),
            "explicit_id" => Ok(ExpansionReason::ExplicitId),
            "clear_winner" => Ok(ExpansionReason::ClearWinner),
            "ambiguous_results" | "ambiguous_multiple_high" => {
                Ok(ExpansionReason::AmbiguousResults)
            }
            "low_confidence" => Ok(ExpansionReason::LowConfidence),
            "temporal_proximity" => Ok(ExpansionReason::TemporalProximity),
            _ => Err(Error::invalid(
                "reason",
                format_args!("{} is not an expansion reason", quoted(text)),
            )),
        }
    }
}

/// Which results to expand, identified by their index in the given list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpansionDecision {
    /// The results to expand, best first; empty if there are none.
    pub targets: Vec<usize>,
    /// Whether the targets' timelines are shown.
    pub expands_timeline: bool,
    /// Whether the targets' details are shown.
    pub expands_details: bool,
    /// Which rule decided.
    pub reason: ExpansionReason,
}

impl ExpansionDecision {
    /// Whether anything is expanded.
    pub fn is_expansion(&self) -> bool {
        !self.targets.is_empty()
    }
}

/// The scores above which results are expanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExpansionThresholds {
    /// For a single result.
    pub(crate) single: f64,
    /// The winner's minimum lead over the second.
    pub(crate) gap: f64,
}

impl Default for ExpansionThresholds {
    fn default() -> Self {
        ExpansionThresholds {
            single: SINGLE_RESULT_SCORE,
            gap: WINNER_GAP,
        }
    }
}

/// Decides from the scores which results to expand. The scores are looked at from best to
/// worst (equal ones keep their order), and the first rule that applies decides:
///
/// 1. there is exactly one result, and it has at least [`SINGLE_RESULT_SCORE`]: expand it;
/// 2. the first has at least [`WINNER_SCORE`] and is [`WINNER_GAP`] ahead of the second:
///    expand the first;
/// 3. the third has at least [`AMBIGUOUS_SCORE`]: show the timelines of the first three;
/// 4. otherwise expand nothing.
///
/// The lead is the plain difference: 0.95 and 0.85 are less than 0.1 apart.
pub fn expansion_decision(scores: &[f64]) -> ExpansionDecision {
    expansion_decision_by(scores, &ExpansionThresholds::default())
}

/// [`expansion_decision`] with custom thresholds.
pub(crate) fn expansion_decision_by(
    scores: &[f64],
    thresholds: &ExpansionThresholds,
) -> ExpansionDecision {
    let order = descending(scores);
    let score_at = |rank: usize| order.get(rank).map(|&index| scores[index]);
    let expand = |count: usize, expands_details: bool, reason| ExpansionDecision {
        targets: order[..count].to_vec(),
        expands_timeline: true,
        expands_details,
        reason,
    };
    match (score_at(0), score_at(1)) {
        (Some(only), None) if only >= thresholds.single => {
            return expand(1, true, ExpansionReason::HighConfidence);
        }
        (Some(first), Some(second))
            if first >= WINNER_SCORE && first - second >= thresholds.gap =>
        {
            return expand(1, true, ExpansionReason::ClearWinner);
        }
        _ => {}
    }
    if score_at(2).is_some_and(|third| third >= AMBIGUOUS_SCORE) {
        return expand(3, false, ExpansionReason::AmbiguousResults);
    }
    ExpansionDecision {
        targets: Vec::new(),
        expands_timeline: false,
        expands_details: false,
        reason: ExpansionReason::LowConfidence,
    }
}

/// What fits into the token budget, identified by index in the given list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpansionPlan {
    /// The result whose timeline is shown.
    pub timeline_for: Option<usize>,
    /// The results whose details are shown, best first.
    pub details_for: Vec<usize>,
    /// The number of tokens of the index, the timeline and the details together. Details
    /// can exceed the budget by less than their own length.
    pub used_tokens: usize,
}

/// Spends a token budget on results from best to worst, until it is used up: one timeline
/// while at least [`TIMELINE_RESERVE_TOKENS`] are left, and the details of each result with
/// at least [`DETAILS_SCORE`] while at least [`DETAILS_RESERVE_TOKENS`] are left.
///
/// `timeline_tokens` and `detail_tokens` return the actual cost of one result. They are
/// called only for what is added.
pub fn plan_expansion(
    scores: &[f64],
    budget_tokens: usize,
    index_tokens: usize,
    mut timeline_tokens: impl FnMut(usize) -> usize,
    mut detail_tokens: impl FnMut(usize) -> usize,
) -> ExpansionPlan {
    let mut plan = ExpansionPlan {
        used_tokens: index_tokens,
        ..ExpansionPlan::default()
    };
    let has_room = |used: usize, reserve: usize| used.saturating_add(reserve) <= budget_tokens;
    for index in descending(scores) {
        if plan.used_tokens >= budget_tokens {
            break;
        }
        if plan.timeline_for.is_none() && has_room(plan.used_tokens, TIMELINE_RESERVE_TOKENS) {
            plan.timeline_for = Some(index);
            plan.used_tokens = plan.used_tokens.saturating_add(timeline_tokens(index));
        }
        if scores[index] >= DETAILS_SCORE && has_room(plan.used_tokens, DETAILS_RESERVE_TOKENS) {
            plan.details_for.push(index);
            plan.used_tokens = plan.used_tokens.saturating_add(detail_tokens(index));
        }
    }
    plan
}

/// Returns what to tell the reader about how to see more; empty if enough was shown.
pub(crate) fn hint(expanded_count: usize, reason: ExpansionReason) -> &'static str {
    if expanded_count == 0 {
        r#"Use "show [id]" to see details"#
    } else if reason == ExpansionReason::AmbiguousResults {
        r#"Multiple matches found. Use "show [id]" for specific details"#
    } else {
        ""
    }
}

/// Returns the range of a session's items that a timeline shows around the item at
/// `target`: `window` items on each side, clipped at both ends.
pub fn timeline_range(target: usize, item_count: usize, window: usize) -> std::ops::Range<usize> {
    let end = target
        .saturating_add(window)
        .saturating_add(1)
        .min(item_count);
    target.saturating_sub(window).min(end)..end
}

/// What layer 3 shows about a memory's text in addition to the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetailFacts {
    /// The estimated number of tokens in the text.
    pub token_count: usize,
    /// Whether the text contains a closed fenced code block.
    pub has_code: bool,
    /// The absolute paths with a file extension that the text mentions, each once, in order
    /// of first mention.
    pub files: Vec<String>,
    /// The known tools that the text mentions, each once, in order of first mention.
    pub tools: Vec<String>,
}

/// Extracts the facts of layer 3 from a memory's text.
pub(crate) fn detail_facts(content: &str) -> DetailFacts {
    // A path begins at the start or after a character that cannot be part of one, so that the
    // tail of a URL does not count as a path.
    static PATH: RaceLazy<Regex> = RaceLazy::new(|| {
        Regex::new(r#"(?:^|[\s"'`(\[{<=,;:|])((?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+)+\.\w{1,10})\b"#)
            .expect("the pattern is constant and valid")
    });
    static TOOL: RaceLazy<Regex> = RaceLazy::new(|| {
        Regex::new(r"\b(Read|Write|Edit|Bash|Grep|Glob|WebFetch|WebSearch)\b")
            .expect("the pattern is constant and valid")
    });
    let first_mentions = |pattern: &Regex| {
        let mut seen = std::collections::HashSet::new();
        pattern
            .captures_iter(content)
            .filter_map(|found| found.get(1))
            .map(|found| found.as_str())
            .filter(|name| seen.insert(*name))
            .map(str::to_owned)
            .collect()
    };
    DetailFacts {
        token_count: estimate_tokens(content),
        has_code: content
            .split_once("```")
            .is_some_and(|(_, rest)| rest.contains("```")),
        files: first_mentions(&PATH),
        tools: first_mentions(&TOOL),
    }
}

/// Returns the sentence to put before injected memories; empty if nothing matched.
pub(crate) fn confidence_prefix(class: MatchClass) -> &'static str {
    match class {
        MatchClass::High => "🎯 **High-confidence memory match found:**\n\n",
        MatchClass::Suggested => "💡 **Suggested memories (may be relevant):**\n\n",
        MatchClass::None => "",
    }
}

/// Describes the neighbours of a memory in its session, one line each: the kind and the
/// beginning of the text. Returns `None` if the memory has no neighbours.
pub fn session_context(
    before: Option<(EventKind, &str)>,
    after: Option<(EventKind, &str)>,
) -> Option<String> {
    let lines: Vec<String> = [before, after]
        .into_iter()
        .flatten()
        .map(|(kind, content)| format!("[{kind}]: {}...", cut_utf16(content, NEIGHBOUR_UTF16)))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn results_are_judged_from_best_to_worst() {
        let decision = expansion_decision(&[0.5, 0.95, 0.6]);
        assert_eq!(decision.targets, [1]);
        assert_eq!(decision.reason, ExpansionReason::ClearWinner);
    }

    #[test]
    fn the_older_reason_name_is_understood() {
        let reason: ExpansionReason = "ambiguous_multiple_high".parse().expect("an alias");
        assert_eq!(reason, ExpansionReason::AmbiguousResults);
        assert!(hint(1, reason).starts_with("Multiple"));
        assert!(hint(0, reason).starts_with("Use"));
        assert_eq!(hint(1, ExpansionReason::ClearWinner), "");
    }

    #[test]
    fn costs_are_asked_only_for_what_is_bought() {
        let mut asked = Vec::new();
        let plan = plan_expansion(
            &[0.9, 0.5],
            10_000,
            100,
            |_| 40,
            |i| {
                asked.push(i);
                usize::MAX
            },
        );
        assert_eq!(plan.details_for, [0]);
        assert_eq!(plan.used_tokens, usize::MAX);
        assert_eq!(asked, [0]);
    }

    #[test]
    fn timelines_are_clipped_at_the_ends() {
        assert_eq!(timeline_range(0, 10, 3), 0..4);
        assert_eq!(timeline_range(5, 10, 3), 2..9);
        assert_eq!(timeline_range(9, 10, 3), 6..10);
        assert_eq!(timeline_range(20, 10, 3), 10..10);
        assert_eq!(timeline_range(1, 10, usize::MAX), 0..10);
    }

    #[test]
    fn paths_and_tools_are_found_once_and_urls_are_no_paths() {
        let facts = detail_facts(
            "Read /src/main.rs. Edit `/src/main.rs`, ~/문서/설계.md and C:\\a\\b.txt; \
             see https://example.com/x/y.html or Reading.\n```rs\nlet a;\n```",
        );
        assert_eq!(
            facts.files,
            ["/src/main.rs", "~/문서/설계.md", "C:\\a\\b.txt"]
        );
        assert_eq!(facts.tools, ["Read", "Edit"]);
        assert!(facts.has_code);
        assert!(!detail_facts("an open ``` fence").has_code);
    }

    #[test]
    fn a_memory_alone_in_its_session_has_no_context() {
        assert_eq!(session_context(None, None), None);
        assert_eq!(
            session_context(
                Some((EventKind::UserPrompt, "질문")),
                Some((EventKind::AgentResponse, &"x".repeat(300)))
            ),
            Some(format!(
                "[user_prompt]: 질문...\n[agent_response]: {}...",
                "x".repeat(200)
            ))
        );
    }

    proptest! {
        #[test]
        fn a_plan_passes_its_budget_at_most_by_the_last_purchase(
            scores in proptest::collection::vec(0.0f64..1.0, 0..12),
            budget in 0usize..5000,
            cost in 0usize..2000,
        ) {
            let plan = plan_expansion(&scores, budget, 100, |_| cost, |_| cost);
            if plan.details_for.is_empty() && plan.timeline_for.is_none() {
                prop_assert_eq!(plan.used_tokens, 100);
            } else {
                prop_assert!(plan.used_tokens <= budget + 2 * cost);
            }
            prop_assert!(plan.details_for.iter().all(|&i| scores[i] >= DETAILS_SCORE));
        }
    }
}
