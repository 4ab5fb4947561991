//! The context for a prompt: short, relevant enough, and new to the session.

use recallite::transcript::is_meta_text;
use recallite::{ContextOptions, Memory, Query};

use super::answer::MAX_TOKENS;
use super::call::Call;
use super::known::context_begins;
use crate::agents::{MIN_BEST_RELEVANCE, MIN_RELEVANCE, is_own_command};
use crate::place::FileSettings;
use crate::tokens::estimate_tokens;

/// The maximum size of a prompt's context, in tokens, unless the settings set one.
const BUDGET_TOKENS: usize = 800;

/// Whether a text is a person's and worth recalling for and storing: not inserted by a program, and
/// not a command of the agent's program.
pub(super) fn is_said(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !is_meta_text(text) && !is_command(text) && !is_own_command(text)
}

/// Whether a text calls a command, whatever follows it, such as `/recallite:forget the allergy`. An
/// agent refuses a text that begins so and calls none, but sends one that begins with a path.
fn is_command(text: &str) -> bool {
    let rest = text.strip_prefix('/');
    let name = rest.and_then(|rest| rest.split(char::is_whitespace).next());
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// The memories that match the prompt and are new to the session; empty if nothing is relevant
/// enough or everything is known.
pub(super) fn context(
    memory: &Memory,
    call: &Call,
    prompt: &str,
    settings: &FileSettings,
    left_ms: u64,
) -> recallite::Result<String> {
    if !is_said(prompt) {
        return Ok(String::new());
    }
    // Half of the time is left for the store: opening it and writing the prompt.
    let query = Query::new(prompt).deadline_ms((left_ms / 2).max(1));
    let mut options = ContextOptions::new(query)
        .session(&call.session)
        .skip_known_since(context_begins(memory, &call.session)?)
        .count_tokens(estimate_tokens);
    options.min_relevance = settings.unless_set("retrieval.minScore", MIN_RELEVANCE);
    options.min_best_relevance = settings.unless_set("retrieval.minScore", MIN_BEST_RELEVANCE);
    options.budget_tokens = Some(budget_tokens(settings));
    Ok(memory.context(options)?.text)
}

/// What the settings allow, as far as an agent reads it.
fn budget_tokens(settings: &FileSettings) -> usize {
    let set = settings.get("retrieval.maxTokens");
    let set = set.and_then(|tokens| usize::try_from(tokens.as_u64()?).ok());
    set.map_or(BUDGET_TOKENS, |tokens| tokens.min(MAX_TOKENS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_notices_are_not_said_by_a_person() {
        for text in [
            "/compact",
            " /clear ",
            "/recallite:forget everything about the allergy",
            "/review the parser",
            "",
            "  ",
            "<system-reminder>x</system-reminder>",
        ] {
            assert!(!is_said(text), "{text}");
        }
        for text in [
            "/etc/hosts is wrong, why?",
            "// is a comment, no?",
            "/ is full",
            "배포는 언제 하지?",
            "?",
        ] {
            assert!(is_said(text), "{text}");
        }
    }
}
