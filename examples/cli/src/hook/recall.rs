//! The context that a prompt gets: little, good enough, and new to the session.

use recallite::transcript::is_meta_text;
use recallite::{ContextOptions, Memory, Query};

use super::call::Call;
use super::known::context_begins;

/// The most tokens of the context of a prompt.
const BUDGET_TOKENS: usize = 800;
/// At most so many memories.
const MOST_MEMORIES: usize = 5;
/// What is less likely to answer the prompt is left out: below this a best hit
/// counts as none (`docs/recall.md`). An earlier session's same question ranks
/// first and answers nothing, so that the best hit alone does not decide.
const LEAST_RELEVANCE: f32 = 0.08;

/// Whether a person's text is worth a recall and worth keeping: not what a program
/// put there, and not a command to the agent's own program.
pub(super) fn is_said(text: &str) -> bool {
    let text = text.trim();
    let is_command = text.starts_with('/') && !text.contains(char::is_whitespace);
    !text.is_empty() && !is_meta_text(text) && !is_command
}

/// What fits the prompt and is new to the session; empty when nothing is good enough or
/// everything is known.
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
    let query = Query::new(prompt).deadline_ms((left_ms / 2).max(1));
    let options = ContextOptions::new(query)
        .min_relevance(LEAST_RELEVANCE)
        .session(&call.session)
        .skip_known_since(context_begins(memory, &call.session)?)
        .budget_tokens(BUDGET_TOKENS)
        .limit(MOST_MEMORIES);
    Ok(memory.context(options)?.text)
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
