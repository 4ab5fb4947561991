//! Finds what programs printed in what people paste: the help of a command, the log of a build, a
//! prompt, a banner. Also tells a command, a line of output and a bare request from what a person
//! says is so: each may name a host, a path or a number like a fact does, and tells nothing of the
//! environment.

use std::ops::Range;

use super::prose;
use crate::rules::pattern::Pattern;
use crate::text::scripts::{is_hangul, is_unspaced};

/// A paragraph with so many lines in columns is a table that a program printed.
const MANY_COLUMNS: usize = 2;

/// A command as it is typed, a line of a log, and where a run is to be seen.
static IS_PRINTED: Pattern = Pattern::lean(concat!(
    r"^[\s$>`*#-]*(?:docker(?:-compose)?|npm|npx|yarn|pnpm|git|curl|wget|kubectl|helm|ssh|scp|rsync|pip3?|cargo|go|sudo|brew|apt(?:-get)?|psql|systemctl|node|python3?|java|bundle|terraform|aws|gcloud) (?:-{1,2}[a-z]|(?:run|exec|install|apply|logs?|compose|build|start|get|describe|clone|checkout|fetch) (?:-{1,2}[a-z]|[\w@.:/-]*[/:@])|(?i:err(?:or)?!?|warn(?:ing)?|notice|info)\b)",
    r"|^[\s>]*\[[A-Za-z][\w -]{0,30}: [^\]]{1,80}\]\s*$|(?i)\b(?:workflow|job|pipeline|build|deploy(?:ment)?|request|trace|correlation|session|action)s? (?:run )?(?:id|url|uuid|link) ?[:=]|/home/runner/work/|\bat [\w./<>-]+:\d+:\d+\b",
));
/// A request that begins a sentence.
static IS_ASKED: Pattern = Pattern::lean(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|now|then|and|also|great|nice|cool|next|hey)[,.!]? )*(?:(?:please|pls) (?:\w+ly )?(?:break|check|make|fix|create|write|add|run|look|review|update|help|give|show|tell|investigate|analy[sz]e|find|search|go|read|implement|continue|test|verify|summari[sz]e|list|explain|generate|clean|remove|delete|debug|merge|commit|push|pull|open|move|rename|try)\b|let'?s (?:get|go|look|check|see|try|start|begin|pull|push|commit|clean|take|dig|review|debug|figure|make sure|work|do|move on|talk|finish|wrap)\b|i(?:'d like| would like| want| need) you to\b|(?:can|could|would|will) you\b)[^,;.]*(?:$|[,;.:] ?(?:and|then|so|or|run|check|test|fix)\b|:\s*$)",
);

/// A line that no person writes: behind a prompt, with a time or a level before it, of a trace, of code.
static LINE: Pattern = Pattern::lean(concat!(
    r"^\s*(?:(?:➜|❯|λ)\s|\$ [a-z]|\[?[\w.-]+@[\w.-]+(?::\S{0,60}| \S{1,60}) ?[$#%] |(?:PS )?[A-Z]:\\[^>]{0,80}[^>\s=-]>)",
    r"|^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\d{1,4}\.\d{3} (?:\S+ ERR!|[A-Z#>=\[+])|#\d+ (?:\d+\.\d+ )?(?:\[|DONE \d|ERROR[:\s]|CACHED)|=> (?:\[|=>|CACHED|ERROR)|Step \d+/\d+ ?:)",
    r"|^\s*\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE)(?:\]|\[\w+\]|:|  )|^\s*(?:(?:[A-Z]\w*)?Error|[A-Z]\w+Exception|Traceback \([^)]*\)):|^\s*(?:error|warning)(?:\[\w+\])?: |^\s*\w+ ERR!|^\s*(?:npm|yarn|pnpm|pip3?|cargo|go|docker) (?:error|warn|WARN) (?:code|[A-Z\d/])",
    r"|^\s+at [\w.<>$ \[\]]+ ?\(?\S*:\d+|^\s*File \x22[^\x22]*\x22, line \d+",
    r"|^\s*(?:(?:const|var|let) \w+(?: ?: ?[^=]{1,40})? ?= ?\S|(?:export|import|async|public|private|def|fn|pub|class|function|#include)\b.*(?:[;{(]|\)[^:]*:)\s*$)",
));
/// Words that are held apart, as in a table.
static COLUMNS: Pattern = Pattern::lean(r"[\w\])>'\x22](?: {2,}|\t+)\S");
/// What the banner of a program begins with.
static GLYPH: Pattern = Pattern::lean(r"^\s*[✨📦░█▲◇│├└╭╰─═▶⠋]");
/// Words of somebody who speaks for themselves.
static OWN: Pattern = Pattern::lean(
    r"(?i)(?:^|[^\w-])(?:i|i[’'](?:m|ve|d|ll)|im|ive|we(?:[’'](?:re|ve|ll))?|my|our|let[’']?s|please|pls|can you|could you|you should|thanks)(?:[^\w:-]|$)|\?\s*$",
);

/// What programs printed in a person's message, without fences around it. What stands between two such
/// paragraphs is part of it, unless somebody speaks there.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for paragraph in paragraphs(text) {
        let printed = printed_in(text, &paragraph);
        let whole = paragraph[0].start..paragraph[paragraph.len() - 1].end;
        let Some(last) = printed.last() else {
            goes_on &= !paragraph.iter().any(|line| is_own(&text[line.clone()]));
            continue;
        };
        let continues = goes_on && printed[0].start == whole.start;
        goes_on = last.end == whole.end;
        let mut printed = printed.into_iter();
        if continues && let (Some(before), Some(first)) = (spans.last_mut(), printed.next()) {
            before.end = first.end;
        }
        spans.extend(printed);
    }
    spans
}

/// The lines of each paragraph, without those in code.
fn paragraphs(text: &str) -> Vec<Vec<Range<usize>>> {
    let mut all: Vec<Vec<Range<usize>>> = Vec::new();
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut is_code = false;
    for line in prose::lines(text) {
        let words = text[line.clone()].trim();
        let is_fence = prose::fence_mark(words).is_some();
        is_code ^= is_fence;
        match is_fence || is_code || words.is_empty() {
            true => all.push(std::mem::take(&mut open)),
            false => open.push(line),
        }
    }
    all.push(open);
    all.retain(|lines| !lines.is_empty());
    all
}

/// The parts of a paragraph that a program printed: from such a line to the next one in which somebody
/// speaks.
fn printed_in(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let words = |line: &Range<usize>| text[line.clone()].trim();
    // A person's list or table may be held apart, too.
    let is_column = |line: &Range<usize>| {
        let words = words(line);
        let is_listed = prose::list_mark(words) > 0 || words.starts_with('|');
        !is_listed && !is_own(words) && COLUMNS.is_match(words)
    };
    let has_columns = lines.iter().filter(|line| is_column(line)).count() >= MANY_COLUMNS;
    let is_glyph = |line: &Range<usize>| GLYPH.is_match(words(line));
    let in_banner = |line: &&Range<usize>| is_glyph(line) || words(line).starts_with('•');
    let is_banner =
        is_glyph(&lines[0]) && lines.iter().filter(in_banner).count() * 2 >= lines.len();
    let is_printed = |line: &Range<usize>| {
        LINE.is_match(&text[line.clone()])
            || (has_columns && is_column(line))
            || (is_banner && is_glyph(line))
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        let is_printed = is_printed(line);
        let continues = goes_on && (is_printed || !is_own(words(line)));
        match parts.last_mut() {
            Some(part) if continues => part.end = line.end,
            _ if is_printed => parts.push(line.clone()),
            _ => {}
        }
        goes_on = continues || is_printed;
    }
    parts
}

/// Whether somebody speaks in a line.
fn is_own(line: &str) -> bool {
    line.chars().any(|c| is_hangul(c) || is_unspaced(c)) || OWN.is_match(line)
}

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
        for pattern in [&IS_PRINTED, &IS_ASKED, &LINE, &COLUMNS, &GLYPH, &OWN] {
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
    fn what_programs_print_says_nothing_of_any_kind() {
        for text in [
            "➜  shop git:(main) ✗ rk help\n\nUsage:\n  rk [command]\n\n  tokens           Manage access tokens\n  hosts            Manage hosts for a project\n  console          Runs a console on the build machine",
            "it fails:\n0.412 pip ERR! The `pip sync` command can only run with an existing lock file or\n0.412 pip ERR! with a list.",
            "WARN[0003] no default runtime\nUse the `io.shop.runner.v2` runtime instead.\nWARN[0004] stopped",
            "✨ Linter is installed and ready!\n   • toolbox run linter\n   • toolbox run formatter",
            "Error: Must use import to load the module: /srv/shop/app/src/index.ts",
            "const store = new Store(..) // always use one",
            "deploy@build-3:~/shop$ rk deploy\nThe node needs to be drained by Friday.",
            "2026-04-01 10:22:31 the worker must never be stopped here",
            "tokens\tManage access tokens\nhosts\tManage the hosts",
            "0.412 pip ERR! no route\n\nThe node must be drained by Friday.\n\n0.500 pip ERR! again",
        ] {
            assert_eq!(kinds(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_a_person_says_beside_output_is_read() {
        for (text, kind) in [
            (
                "we can only deploy from the build box.\n\n0.412 pip ERR! no route",
                "constraint",
            ),
            (
                "0.412 pip ERR! no route\nlet's use uv instead of pip",
                "decision",
            ),
            (
                "0.412 pip ERR! no route\n\nLet's use uv instead of pip.",
                "decision",
            ),
            (
                "fyi the staging registry is at registry.eu.example.com, that's why this failed:\n\n0.412 pip ERR! no route",
                "fact",
            ),
            (
                "Some rules:\n• I prefer small commits\n• tests first",
                "preference",
            ),
            (
                "tokens  Manage tokens\nhosts  Manage hosts\n\nLet's drop the hosts command.",
                "decision",
            ),
            (
                "We decided to use Postgres.  Now look at this.\nI like it.  Really.",
                "decision",
            ),
            (
                "we can only deploy from the build box because the firewall blocks it\n0.412 pip ERR! no route.",
                "constraint",
            ),
            (
                "0.412 pip ERR! no route\nlet's use uv instead of pip\n\n0.500 pip ERR! again",
                "decision",
            ),
            (
                "```\n0.412 pip ERR! no route\n```\nAlways answer in English.\nThe registry is at registry.eu.example.com.",
                "preference",
            ),
            ("I prefer  tabs to spaces\nmy editor is  vim", "preference"),
            ("Decisions:\n- cache  redis\n- host  fly.io", "decision"),
            (
                "| a  | b  |\n| c  | d  |\nLet's use Postgres for the queue.",
                "decision",
            ),
            (
                "import rules:\nAlways sort the imports by name.",
                "preference",
            ),
            (
                "1.500 requests per minute is the limit\nAlways answer in English.",
                "preference",
            ),
            (
                "WARN[0003] no runtime\n스테이징 DB는 5544 포트를 사용합니다.",
                "fact",
            ),
        ] {
            assert!(kinds(text).contains(&kind), "{text} {:?}", kinds(text));
        }
    }

    #[test]
    fn a_program_that_is_told_to_run_owns_nothing() {
        for text in [
            "rk run linter",
            "volumes Manage the volumes",
            "checks manage health checks",
        ] {
            assert!(!kinds(text).contains(&"fact"), "{text}");
        }
        for text in [
            "Priya manages the access tokens",
            "the platform team runs the build box",
            "the infra folks run the build box",
            "Ana does the invoices",
            "tom and ben own the billing service",
        ] {
            assert!(kinds(text).contains(&"fact"), "{text}");
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
