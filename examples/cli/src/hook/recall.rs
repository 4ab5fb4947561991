//! The context that a prompt gets: little, good enough, and new to the session.

use recallite::transcript::is_meta_text;
use recallite::{ContextOptions, Hit, MatchClass, Memory, Query, Recording, Timestamp};

use super::call::Call;
use super::known::Known;

/// The most tokens of the context of a prompt.
const BUDGET_TOKENS: usize = 800;
/// At most so many memories.
const MOST_MEMORIES: usize = 5;
/// What is less likely to answer the prompt is left out: below this a best hit
/// counts as none (`docs/recall.md`). An earlier session's same question ranks
/// first and answers nothing, so that the best hit alone does not decide.
const LEAST_RELEVANCE: f32 = 0.08;
/// So many are looked at, because the session may know the best ones.
const LOOKED_AT: usize = 20;

/// Whether a person's text is worth a recall and worth keeping: not what a program
/// put there, and not a command to the agent's own program.
pub(super) fn is_said(text: &str) -> bool {
    let text = text.trim();
    let is_command = text.starts_with('/') && !text.contains(char::is_whitespace);
    !text.is_empty() && !is_meta_text(text) && !is_command
}

/// What fits the prompt; empty when nothing is good enough or everything is known.
pub(super) fn context(
    memory: &Memory,
    call: &Call,
    prompt: &str,
    left_ms: u64,
) -> recallite::Result<String> {
    if !is_said(prompt) {
        return Ok(String::new());
    }
    // Half of the time is for the store: opening it and writing the prompt.
    let deadline_ms = left_ms / 2;
    let found = memory.search(query(prompt, deadline_ms).limit(LOOKED_AT))?;
    let known = Known::by(memory, &call.session)?;
    let new: Vec<&Hit> = found
        .items
        .iter()
        .filter(|hit| !known.has(hit))
        .take(MOST_MEMORIES)
        .collect();
    if new.is_empty() {
        return Ok(String::new());
    }
    let are_the_best = new.len() == found.items.len().min(MOST_MEMORIES);
    if are_the_best && found.confidence != MatchClass::None {
        let options = ContextOptions::new(query(prompt, deadline_ms))
            .min_relevance(LEAST_RELEVANCE)
            .session(&call.session)
            .budget_tokens(BUDGET_TOKENS)
            .limit(MOST_MEMORIES)
            .skip_pinned(true);
        return Ok(memory.context(options)?.text);
    }
    one_by_one(memory, call, prompt, &new)
}

fn query(prompt: &str, deadline_ms: u64) -> Query {
    Query::new(prompt)
        .min_relevance(LEAST_RELEVANCE)
        .deadline_ms(deadline_ms.max(1))
}

/// The chosen memories, each in a fence of its own: a search that can find only
/// this one event shows its passage that fits the prompt.
fn one_by_one(
    memory: &Memory,
    call: &Call,
    prompt: &str,
    hits: &[&Hit],
) -> recallite::Result<String> {
    let mut text = String::new();
    let mut left = BUDGET_TOKENS;
    for hit in hits {
        let next_ms = Timestamp::from_millis_clamped(hit.timestamp.millis() + 1);
        let only = Query::new(prompt)
            .session(&hit.session)
            .kinds([hit.kind])
            .from(hit.timestamp)
            .until(next_ms);
        let options = ContextOptions::new(only)
            .session(&call.session)
            .budget_tokens(left)
            .limit(1)
            .skip_pinned(true)
            .recording(Recording::Later);
        let part = memory.context(options)?;
        if part.items.first().is_none_or(|item| item.seq != hit.seq) {
            continue;
        }
        left = left.saturating_sub(part.tokens + 1);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part.text);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_notices_are_not_said_by_a_person() {
        for text in [
            "/compact",
            " /clear ",
            "",
            "  ",
            "<system-reminder>x</system-reminder>",
        ] {
            assert!(!is_said(text), "{text}");
        }
        for text in ["/etc/hosts is wrong, why?", "배포는 언제 하지?", "?"] {
            assert!(is_said(text), "{text}");
        }
    }
}
