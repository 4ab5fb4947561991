//! The context for a prompt: short, relevant enough, and new to the session.

use recallite::transcript::is_meta_text;
use recallite::{ContextOptions, Hit, Memory, Query};

use super::call::Call;
use super::known::context_begins;
use crate::agents::{LEAST_BEST_RELEVANCE, LEAST_RELEVANCE, is_own_command};
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

/// The words of prompts that only say to continue, in English, Korean, Japanese and Chinese.
const GO_ON: [&str; 66] = [
    "a",
    "again",
    "ahead",
    "alright",
    "and",
    "commit",
    "continue",
    "do",
    "done",
    "fine",
    "go",
    "good",
    "great",
    "it",
    "keep",
    "lgtm",
    "looks",
    "next",
    "nice",
    "now",
    "ok",
    "okay",
    "on",
    "perfect",
    "please",
    "proceed",
    "push",
    "resume",
    "retry",
    "sounds",
    "step",
    "sure",
    "test",
    "tests",
    "thank",
    "thanks",
    "that",
    "the",
    "this",
    "try",
    "yep",
    "yes",
    "you",
    "run",
    "계속",
    "계속해",
    "계속해줘",
    "계속해주세요",
    "고마워",
    "그래",
    "네",
    "응",
    "좋아",
    "진행해",
    "진행해줘",
    "커밋해줘",
    "はい",
    "お願いします",
    "ありがとう",
    "続けて",
    "続けてください",
    "继续",
    "好",
    "好的",
    "是的",
    "谢谢",
];

/// Whether a prompt only says to continue. There is nothing to search for, and the hits would be
/// other such prompts.
fn says_to_go_on(prompt: &str) -> bool {
    prompt
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| GO_ON.contains(&word))
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
    if !is_said(prompt) || says_to_go_on(prompt) {
        return Ok(String::new());
    }
    // Half of the time is left for the store: opening it and writing the prompt.
    let query = Query::new(prompt).deadline_ms((left_ms / 4).max(1));
    let least = match settings.unless_set("retrieval.minScore", ()) {
        Some(()) => Some(least_relevance(memory, call, &query)?),
        None => None,
    };
    let mut options = ContextOptions::new(query)
        .session(&call.session)
        .skip_known_since(context_begins(memory, &call.session)?)
        .count_tokens(estimate_tokens);
    options.min_relevance = least;
    options.budget_tokens = settings.unless_set("retrieval.maxTokens", BUDGET_TOKENS);
    Ok(memory.context(options)?.text)
}

/// How relevant a memory must be for a prompt: less where another one answers it.
fn least_relevance(memory: &Memory, call: &Call, query: &Query) -> recallite::Result<f32> {
    let found = memory.search(query.clone())?;
    // The same question from another session answers nothing.
    let said = query.text.trim();
    let others = |hit: &&Hit| hit.session != call.session && hit.passage.text.trim() != said;
    let events = found.items.iter().filter(others).map(|hit| hit.relevance);
    let learned = found.learned.iter().map(|hit| hit.relevance);
    let best = events.chain(learned).fold(0.0, f32::max);
    Ok(match best >= LEAST_BEST_RELEVANCE {
        true => LEAST_RELEVANCE,
        false => LEAST_BEST_RELEVANCE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_says_to_go_on_asks_for_nothing() {
        for text in [
            "continue",
            "Yes, go ahead!",
            "commit and push",
            "LGTM 👍",
            "네, 계속해줘",
            "続けて。",
            "好的，继续",
            "...",
        ] {
            assert!(says_to_go_on(text), "{text}");
        }
        for text in [
            "continue with the parser",
            "run the tests of the importer",
            "배포는 언제?",
            "go",
        ] {
            assert_eq!(says_to_go_on(text), text == "go", "{text}");
        }
    }

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
