//! Recognises messages in which nobody speaks for themselves: templates with blanks, drafted
//! letters, assigned roles, texts to translate or rewrite. Decisions and wishes in them are
//! part of the letter, role or text, not of the work.

use super::finding::Speaker;

/// Whether a message is one of these.
pub(super) fn is_staged(text: &str, speaker: Speaker) -> bool {
    is_template(text)
        || is_letter(text)
        || (speaker == Speaker::User && (gives_role(text) || gives_text(text)))
}

/// Two different blanks, such as `[Company]` and `[Your Name]`: a single one may be a
/// reference.
fn is_template(text: &str) -> bool {
    let mut first: Option<&str> = None;
    for part in text.split('[').skip(1) {
        let Some((inside, after)) = part.split_once(']') else {
            continue;
        };
        if !is_blank(inside) || after.starts_with(['(', '[', ':']) {
            continue;
        }
        match first {
            None => first = Some(inside),
            Some(other) if other != inside => return true,
            Some(_) => {}
        }
    }
    false
}

/// One to four words without digits or symbols; a single word must be capitalised:
/// `[Recruiter]`, `[your name]`, not `[ERROR]`, `[x]`, `[1]` or `[mem:a7Bc3x]`.
fn is_blank(inside: &str) -> bool {
    let words = inside.split(' ').count();
    let mut chars = inside.chars();
    let begins_large = chars.next().is_some_and(char::is_uppercase);
    (begins_large || words > 1)
        && chars.next().is_some_and(char::is_lowercase)
        && words <= 4
        && inside
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, ' ' | '\'' | '’' | '-' | '/'))
}

/// A salutation and a closing.
fn is_letter(text: &str) -> bool {
    const CLOSES: [&str; 9] = [
        "sincerely",
        "best regards",
        "kind regards",
        "warm regards",
        "warmest regards",
        "best wishes",
        "regards,",
        "yours ",
        "respectfully",
    ];
    let lines = || {
        text.lines()
            .map(|line| line.trim_start_matches(['"', '*', '>', ' ']))
    };
    let begins = |line: &str, words: &str| {
        line.get(..words.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(words))
    };
    let is_addressed =
        lines().any(|line| begins(line, "dear ") || begins(line, "to whom it may concern"));
    is_addressed && lines().any(|line| CLOSES.iter().any(|close| begins(line, close)))
}

/// Tells the agent who it is in this conversation.
fn gives_role(text: &str) -> bool {
    const ROLES: [&str; 9] = [
        "i want you to act as",
        "i want you to be a",
        "act as a",
        "you are a ",
        "you are an ",
        "you're a ",
        "you're an ",
        "pretend to be",
        "pretend you are",
    ];
    let head: String = text.chars().take(60).collect::<String>().to_lowercase();
    let head = head.trim_start_matches("please ");
    ROLES.iter().any(|role| head.starts_with(role))
}

/// Gives the agent a text to work on: "Translate this: …".
fn gives_text(text: &str) -> bool {
    const BEGINS: [&str; 11] = [
        "translate ",
        "translate:",
        "proofread",
        "rephrase",
        "paraphrase",
        "reword ",
        "summarize",
        "summarise",
        "rewrite ",
        "polish ",
        "shorten ",
    ];
    const HOLDS: [&str; 24] = [
        "번역해",
        "번역 좀",
        "요약해",
        "교정해",
        "첨삭해",
        "다듬어",
        "訳して",
        "翻訳して",
        "要約して",
        "書き換えて",
        "言い換えて",
        "添削して",
        "校正して",
        "翻译成",
        "翻译这",
        "翻译下",
        "翻译以下",
        "翻译一下",
        "改写这",
        "改写以下",
        "润色",
        "总结以下",
        "总结下面",
        "校对",
    ];
    let line = text.trim_start().lines().next().unwrap_or("");
    let Some((head, _)) = line.split_once([':', '：']) else {
        return false;
    };
    if head.chars().count() > 80 {
        return false;
    }
    let head = head.to_lowercase();
    let mut rest = format!("{head}:");
    for polite in ["hi, ", "please ", "can you ", "could you ", "please "] {
        if let Some(after) = rest.strip_prefix(polite) {
            rest = after.to_owned();
        }
    }
    BEGINS.iter().any(|verb| rest.starts_with(verb)) || HOLDS.iter().any(|verb| head.contains(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_letters_and_roles_are_staged() {
        for text in [
            "Hi [First Name],\nWe have decided to go with [Other Vendor].",
            "Dear Ms Ito,\n\nWe have decided to renew.\n\nKind regards,\nAda",
            "Here it is:\n\"Dear team,\nI have decided to leave.\nSincerely, Ada\"",
        ] {
            assert!(is_staged(text, Speaker::Agent), "{text}");
        }
        assert!(is_staged(
            "Act as a travel guide. Never say sorry.",
            Speaker::User
        ));
        assert!(is_staged(
            "You are a Linux terminal. Always answer.",
            Speaker::User
        ));
        for text in [
            "Translate this into French: Hello. We decided to use Rust.",
            "Could you please proofread:\nWe decided to drop the beta.\nBye.",
            "다음 문장을 번역해 줘: 안녕. Redis를 쓰기로 결정했다.",
            "次の文を英語に訳してください：こんにちは。Redisに決めました。",
            "把这句话翻译成英文：你好。我们决定使用 Redis。",
        ] {
            assert!(is_staged(text, Speaker::User), "{text}");
            assert!(!is_staged(text, Speaker::Agent), "{text}");
        }
    }

    #[test]
    fn what_is_said_is_not() {
        for text in [
            "Let's go with Redis [1], see [the docs](docs/redis.md) and [mem:a7Bc3x].",
            "- [x] Done\n- [ ] Open\n[ERROR] it failed [WARN] again",
            "See [Guide](guide.md) and [Reference](reference.md): we decided to keep both.",
            "Dear me, we decided to drop the cache.",
            "You are right, let's use sqlx.",
            "Translations: we decided to use Fluent.",
            "翻译模块：我们决定用 Fluent。",
            "We decided to summarize: less is more.",
        ] {
            assert!(!is_staged(text, Speaker::User), "{text}");
        }
    }
}
