//! Decides whether a sentence takes back what an older one says: another port for the same
//! server, another choice for the same purpose. Compares frames, so that only sentences that are
//! built alike can disagree.

use super::choice::{Choice, NO_PURPOSE};
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;

/// What a newer sentence does to an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It says that it replaces it.
    Replaces,
    /// It takes back what was just said about the same thing: "scrap that, we keep CSV".
    TakesBack,
    /// It says something else.
    Disagrees,
}

/// Words by which a sentence says that something has changed.
static SAYS_SO: Pattern = Pattern::new(
    r"(?i)\b(?:scrap that|instead|actually|on second thoughts?|changed (?:my|our) minds?|no longer|forget (?:that|it)|now|switch(?:ed|ing)|mov(?:ed|ing))\b|대신|말고|아니다|생각해 ?보니|이제|지금은|바꾸|바꿨|やっぱり|やはり|やめて|代わりに|今は|もう|変更|改用|换成|改成|算了|现在",
);
/// Words by which a sentence takes back what was just said.
static TAKES_BACK: Pattern = Pattern::new(
    r"(?i)\b(?:scrap|scratch|strike|forget) that\b|\bon second thoughts?\b|\bchanged (?:my|our) minds?\b|\bafter all\b|\bnever ?mind\b|생각해 ?보니|아니다|やっぱり|やはり|算了",
);
/// A word that may name what a decision is about: of two letters in Latin script, or written in
/// katakana.
static NAMING: Pattern = Pattern::new(r"[A-Za-z][A-Za-z0-9.+#-]+|[ァ-ヶー]{3,}");
/// What is no name.
const NO_NAME: [&str; 58] = [
    "about", "after", "all", "also", "and", "are", "back", "because", "before", "but", "can", "do",
    "drop", "for", "forget", "from", "go", "going", "have", "it", "just", "keep", "keeping", "let",
    "ll", "mind", "minds", "need", "never", "new", "not", "now", "on", "one", "only", "our", "re",
    "scrap", "scratch", "second", "stay", "stick", "that", "the", "them", "then", "there", "this",
    "thought", "to", "use", "using", "we", "will", "with", "instead", "move", "switch",
];
/// What a decision is for.
static PURPOSE: Pattern = Pattern::new(
    r"(?i)\bfor (?:(?:the|our|my|all) )?([\w][\w ./-]{2,60}?)(?: now| instead)?[.!]*$",
);
/// The same in Korean, Japanese and Chinese, where it comes first.
static SUBJECT: Pattern = Pattern::new(
    r"(?:^|[,、，.。!] ?)([\p{L}\p{N} ]{2,20}?)(?:은 |는 |は、?|(?:就)?(?:改用|换成|改成|用))",
);

/// A sentence that may take back an older one.
pub(crate) enum Reversal {
    /// A decision that says that something has changed, or what it decides against.
    Decision {
        words: String,
        purpose: Option<String>,
        choice: Choice,
        /// What it is about, if it takes back what was just said.
        taken_back: Vec<String>,
    },
    /// A fact with numbers.
    Fact {
        frame: String,
        last: String,
        others: Vec<String>,
        change: Change,
    },
}

impl Reversal {
    /// A decision; `None` if it takes back nothing.
    pub(crate) fn decision(new: &str) -> Option<Self> {
        let purpose = purpose(new).filter(|_| SAYS_SO.is_match(new));
        let choice = Choice::of(new);
        let taken_back = match TAKES_BACK.is_match(new) {
            true => names(new),
            false => Vec::new(),
        };
        let may_replace = purpose.is_some() || choice.rejects_something() || !taken_back.is_empty();
        may_replace.then(|| Reversal::Decision {
            words: normalize(new, ' '),
            purpose,
            choice,
            taken_back,
        })
    }

    /// A fact; `None` if it takes back nothing.
    pub(crate) fn fact(new: &str) -> Option<Self> {
        let (frame, mut others) = frame_of(new);
        Some(Reversal::Fact {
            frame,
            last: others.pop()?,
            others,
            change: match SAYS_SO.is_match(new) {
                true => Change::Replaces,
                false => Change::Disagrees,
            },
        })
    }

    /// What it does to an older sentence of its kind: to a decision for the same purpose or for what
    /// it decides against, or to a fact that differs in its last number alone.
    pub(crate) fn does_to(&self, old: &str) -> Option<Change> {
        match self {
            Reversal::Decision {
                words,
                purpose,
                choice,
                taken_back,
            } => {
                let is_for_it = purpose.is_some() && self::purpose(old) == *purpose;
                let change = if is_for_it || choice.rejects(&Choice::of(old)) {
                    Change::Replaces
                } else if names(old).iter().any(|name| taken_back.contains(name)) {
                    Change::TakesBack
                } else {
                    return None;
                };
                (normalize(old, ' ') != *words).then_some(change)
            }
            Reversal::Fact {
                frame,
                last,
                others,
                change,
            } => {
                let (old_frame, numbers) = frame_of(old);
                let (old_last, old_others) = numbers.split_last()?;
                let is_other = old_frame == *frame && old_others == others && old_last != last;
                is_other.then_some(*change)
            }
        }
    }
}

fn purpose(text: &str) -> Option<String> {
    let text = text.trim();
    let named = [&PURPOSE, &SUBJECT].into_iter().find_map(|pattern| {
        let found = pattern.for_text(text)?.captures(text)?;
        found.get(1).map(|named| normalize(named.as_str(), ' '))
    })?;
    (!named.is_empty() && !NO_PURPOSE.contains(&named.as_str())).then_some(named)
}

/// The words that may name what a sentence is about.
fn names(text: &str) -> Vec<String> {
    let Some(pattern) = NAMING.for_text(text) else {
        return Vec::new();
    };
    let words = pattern.find_iter(text).map(|found| {
        let word = found.as_str().to_lowercase();
        word.trim_end_matches(['.', '-']).to_owned()
    });
    words
        .filter(|word| !NO_NAME.contains(&word.as_str()))
        .collect()
}

/// A sentence without its numbers and the words that say that something has changed, and the
/// numbers.
fn frame_of(text: &str) -> (String, Vec<String>) {
    let mut plain = text.to_lowercase();
    if let Some(says_so) = SAYS_SO.for_text(&plain) {
        plain = says_so.replace_all(&plain, " ").into_owned();
    }
    let (mut frame, mut numbers) = (String::new(), Vec::new());
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let end = at + end.unwrap_or(rest.len() - at);
        frame.push_str(&rest[..at]);
        frame.push('n');
        numbers.push(rest[at..end].trim_end_matches('.').to_owned());
        rest = &rest[end..];
    }
    frame.push_str(rest);
    (normalize(&frame, ' '), numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    fn decision(old: &str, new: &str) -> Option<Change> {
        Reversal::decision(new)?.does_to(old)
    }

    fn fact(old: &str, new: &str) -> Option<Change> {
        Reversal::fact(new)?.does_to(old)
    }

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&SAYS_SO, &TAKES_BACK, &NAMING, &PURPOSE, &SUBJECT] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn another_choice_for_the_same_purpose_replaces_the_first() {
        for (old, new) in [
            (
                "Let's go with Redis for the sessions.",
                "Scrap that, we're going with Postgres for the sessions.",
            ),
            (
                "세션은 Redis로 가자",
                "생각해 보니 별로야, 세션은 Postgres로 가자",
            ),
            (
                "セッションはRedisにします",
                "やっぱり、セッションはPostgresにします",
            ),
            ("会话用 Redis", "算了，会话改用 Postgres"),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            // Another purpose, no sign of a change, the same words.
            (
                "Let's go with Redis for the sessions.",
                "Actually, let's go with Redis for the job queue.",
            ),
            (
                "Let's go with Redis for the sessions.",
                "Let's keep cookies for the sessions.",
            ),
            (
                "Let's use Redis for now.",
                "Actually let's use Mongo for now.",
            ),
            (
                "Let's go with Redis.",
                "Scrap that, let's go with Postgres.",
            ),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn a_decision_against_what_was_chosen_replaces_the_choice() {
        let postgres =
            "Let's go with PostgreSQL for the orders service, SQLite locks too much under load.";
        for (old, new) in [
            (
                postgres,
                "Scratch that, we decided against PostgreSQL; we use CockroachDB for orders instead.",
            ),
            (postgres, "We decided against PostgreSQL."),
            (
                "We'll use Redis for caching.",
                "Let's switch from Redis to Valkey.",
            ),
            (
                "We chose Jest.",
                "We decided to use Vitest instead of Jest.",
            ),
            ("캐시는 Redis로 가자", "Redis 대신 Valkey를 쓰기로 했다"),
            (
                "キャッシュはRedisにしましょう",
                "Redisの代わりにValkeyを使うことにしました",
            ),
            ("我们决定用 Redis", "我们决定不用 Redis，改用 Valkey"),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            // For something else.
            (
                "Let's go with Redis for the sessions.",
                "We decided against Redis for the job queue.",
            ),
            ("캐시는 Redis로 가자", "세션은 Redis 대신 Valkey를 쓰자"),
            (
                "We decided to use MySQL in the tests.",
                "Let's use Postgres rather than MySQL in production.",
            ),
            // Something else was chosen.
            (
                "Let's write the Redis docs in Markdown.",
                "We decided against Redis.",
            ),
            (
                "Let's go with Postgres for Redis users.",
                "We decided against Redis.",
            ),
            // It was decided against before.
            ("We decided against Redis.", "We decided not to use Redis."),
            // It is kept.
            ("Let's use Redis.", "Let's use Redis instead of Memcached."),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn what_was_just_said_about_the_same_is_taken_back() {
        for (old, new) in [
            (
                "Let's move the export from CSV to Parquet.",
                "Scrap that, we keep CSV for the finance export.",
            ),
            (
                "We'll sell the car before we leave.",
                "We're keeping the car after all.",
            ),
            ("캐시는 Redis로 가자", "생각해 보니 Redis는 안 쓸게"),
            (
                "キャッシュにします",
                "やっぱりキャッシュは使わない方針でいく",
            ),
        ] {
            assert_eq!(decision(old, new), Some(Change::TakesBack), "{new}");
        }
        for (old, new) in [
            ("We'll sell the car.", "Scrap that, we rent the flat."),
            ("We'll sell the car.", "We'll wash the car."),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn another_number_in_the_same_frame_disagrees() {
        let old = "Postgres runs on port 5433.";
        assert_eq!(
            fact(old, "Postgres runs on port 5434."),
            Some(Change::Disagrees)
        );
        assert_eq!(
            fact(old, "Postgres now runs on port 5434"),
            Some(Change::Replaces)
        );
        let korean = "이제 Redis는 6381 포트에서 실행됩니다.";
        assert_eq!(
            fact("Redis는 6380 포트에서 실행됩니다.", korean),
            Some(Change::Replaces)
        );
        for new in [
            "Postgres runs on port 5433.",
            "Redis runs on port 6380.",
            "Postgres runs on port 5434 on staging.",
        ] {
            assert_eq!(fact(old, new), None, "{new}");
        }
        assert_eq!(
            fact("Worker 1 uses Node 20.", "Worker 2 uses Node 20."),
            None
        );
        assert_eq!(
            fact("Worker 1 uses Node 20.", "Worker 2 uses Node 22."),
            None
        );
    }
}
