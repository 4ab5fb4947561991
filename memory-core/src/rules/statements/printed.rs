//! Tells a command, a line that a program printed and a bare request from what a person says is so:
//! each may name a host, a path or a number like a fact does, and tells nothing of the environment.

use crate::rules::pattern::Pattern;

/// A command as it is typed, a line of a log, and where a run is to be seen.
static IS_PRINTED: Pattern = Pattern::lean(concat!(
    r"^[\s$>`*#-]*(?:docker(?:-compose)?|npm|npx|yarn|pnpm|git|curl|wget|kubectl|helm|ssh|scp|rsync|pip3?|cargo|go|sudo|brew|apt(?:-get)?|psql|systemctl|node|python3?|java|bundle|terraform|aws|gcloud) (?:-{1,2}[a-z]|(?:run|exec|install|apply|logs?|compose|build|start|get|describe|clone|checkout|fetch) (?:-{1,2}[a-z]|[\w@.:/-]*[/:@])|(?i:err(?:or)?!?|warn(?:ing)?|notice|info)\b)",
    r"|^[\s>]*\[[A-Za-z][\w -]{0,30}: [^\]]{1,80}\]\s*$|(?i)\b(?:workflow|job|pipeline|build|deploy(?:ment)?|request|trace|correlation|session|action)s? (?:run )?(?:id|url|uuid|link) ?[:=]|/home/runner/work/|\bat [\w./<>-]+:\d+:\d+\b",
));
/// A request that begins a sentence.
static IS_ASKED: Pattern = Pattern::lean(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|now|then|and|also|great|nice|cool|next|hey)[,.!]? )*(?:(?:please|pls) (?:\w+ly )?(?:break|check|make|fix|create|write|add|run|look|review|update|help|give|show|tell|investigate|analy[sz]e|find|search|go|read|implement|continue|test|verify|summari[sz]e|list|explain|generate|clean|remove|delete|debug|merge|commit|push|pull|open|move|rename|try)\b|let'?s (?:get|go|look|check|see|try|start|begin|pull|push|commit|clean|take|dig|review|debug|figure|make sure|work|do|move on|talk|finish|wrap)\b|i(?:'d like| would like| want| need) you to\b|(?:can|could|would|will) you\b)[^,;.]*(?:$|[,;.:] ?(?:and|then|so|or|run|check|test|fix)\b|:\s*$)",
);

/// Whether a person's sentence is a command, a line of output or a bare request.
pub(super) fn tells_nothing(sentence: &str) -> bool {
    IS_PRINTED.is_match(sentence) || IS_ASKED.is_match(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;
    use crate::rules::statements::{Speaker, find};

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&IS_PRINTED, &IS_ASKED] {
            holds_for_matches(&pattern.source());
        }
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        let found = find(text, Speaker::User, &[]);
        found.iter().map(|finding| finding.kind.as_str()).collect()
    }

    #[test]
    fn what_is_typed_printed_or_asked_for_is_no_fact() {
        for text in [
            "docker run -it staging-eu.registry.example.com/shop:latest",
            "npm error gyp info using node@21.4.0 | linux | x64",
            "[Region: eu-north1]",
            "Workflow Run ID: 99887766",
            "Pipeline Run URL: https://ci.example.org/runs/99887766",
            "The closest shared folder is /home/runner/work/shop/shop/web.",
            "Let's get all of it sorted and pull from origin/main:",
            "i want you to check the patch against the notes, run the tests, and run the tool yourself",
            "Please break the plan into chapters with steps and numbers, so that we can do them in order.",
        ] {
            assert!(!kinds(text).contains(&"fact"), "{text} {:?}", kinds(text));
        }
    }

    #[test]
    fn what_a_person_says_is_so_is_a_fact() {
        for text in [
            "The staging database listens on port 5433.",
            "please note: our staging database listens on port 5433",
            "fyi, the registry is at registry.eu.example.com",
            "the job queue is in eu-north-1",
            "Docker runs on the build box at 10.0.0.7.",
            "We run Node 20.11 in CI.",
        ] {
            assert!(kinds(text).contains(&"fact"), "{text} {:?}", kinds(text));
        }
    }
}
