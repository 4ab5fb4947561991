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

/// Two of what only letters and mails have: a subject or the announcement of a draft, a salutation, a
/// closing. A draft or a subject with neither is a plan, and "Hi" alone is said to the agent.
fn is_letter(text: &str) -> bool {
    let (mut is_announced, mut is_addressed, mut is_closed) = (false, false, false);
    for line in text.lines() {
        let line = line.trim_start_matches(['"', '*', '>', ' ', '\u{3000}']);
        let line = line.trim_end_matches(['*', ' ', '\r', '"']).to_lowercase();
        is_announced |= announces_letter(&line);
        is_addressed |= addresses(&line);
        is_closed |= closes(&line);
    }
    [is_announced, is_addressed, is_closed]
        .iter()
        .filter(|is| **is)
        .count()
        >= 2
}

fn begins_with_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|words| line.starts_with(words))
}

/// "Subject: …", "Here's a draft:".
fn announces_letter(line: &str) -> bool {
    const SUBJECTS: [&str; 13] = [
        "subject:",
        "subject line:",
        "re:",
        "제목:",
        "제목 :",
        "件名:",
        "件名：",
        "主题:",
        "主题：",
        "標題：",
        "标题：",
        "主旨：",
        "主題：",
    ];
    const DRAFTS: [&str; 20] = [
        "draft",
        "mail",
        "letter",
        "message to",
        "reply to",
        "초안",
        "메일",
        "편지",
        "답장",
        "공지",
        "下書き",
        "メール",
        "文面",
        "手紙",
        "邮件",
        "郵件",
        "草稿",
        "信件",
        "回信",
        "公告",
    ];
    const MAX: usize = 80;
    let is_title = line.ends_with([':', '：']) && line.chars().count() <= MAX;
    begins_with_any(line, &SUBJECTS) || (is_title && DRAFTS.iter().any(|word| line.contains(word)))
}

/// "Dear Ms Ito,", "Hi team,", "田中様".
fn addresses(line: &str) -> bool {
    const OPENINGS: [&str; 12] = [
        "dear ",
        "to whom it may concern",
        "拝啓",
        "いつもお世話になって",
        "お世話になっております",
        "平素より",
        "平素は",
        "尊敬的",
        "亲爱的",
        "敬爱的",
        "尊敬",
        "各位同事",
    ];
    const HONOURS: [&str; 8] = ["様", "様、", "御中", "各位", "귀하", "님께", "님께,", "께,"];
    const MAX: usize = 20;
    let is_short = line.chars().count() <= MAX;
    let to_korean =
        line.starts_with("안녕하세요") && ["님", "여러분", "팀"].iter().any(|to| line.contains(to));
    let is_greeted = ["hi ", "hello ", "hey "]
        .iter()
        .filter_map(|greeting| line.strip_prefix(greeting))
        .any(is_somebody);
    begins_with_any(line, &OPENINGS)
        || is_greeted
        || (is_short && (to_korean || HONOURS.iter().any(|honour| line.ends_with(honour))))
}

/// Whether a greeting goes to people, alone on its line; the agent is greeted too.
fn is_somebody(greeted: &str) -> bool {
    const AGENT: [&str; 12] = [
        "again",
        "ai",
        "assistant",
        "bot",
        "chatgpt",
        "claude",
        "codex",
        "copilot",
        "cursor",
        "gemini",
        "gpt",
        "there",
    ];
    const MAX_WORDS: usize = 3;
    let Some(names) = greeted.strip_suffix([',', '!', ':', '，']) else {
        return false;
    };
    let words: Vec<&str> = names.split_whitespace().collect();
    let is_word = |word: &&str| {
        word.chars()
            .all(|c| c.is_alphabetic() || matches!(c, '.' | '-' | '\''))
    };
    (1..=MAX_WORDS).contains(&words.len())
        && words.iter().all(is_word)
        && !words.iter().any(|word| AGENT.contains(word))
}

/// "Kind regards,", "Cheers, Tom", "감사합니다,", "此致".
fn closes(line: &str) -> bool {
    const CLOSINGS: [&str; 35] = [
        "sincerely",
        "best regards",
        "kind regards",
        "warm regards",
        "warmest regards",
        "best wishes",
        "regards",
        "yours ",
        "respectfully",
        "thanks,",
        "thank you,",
        "many thanks",
        "cheers",
        "best,",
        "all the best",
        "with regards",
        "감사합니다",
        "고맙습니다",
        "드림",
        "올림",
        "よろしくお願い",
        "宜しくお願い",
        "何卒よろしく",
        "敬具",
        "以上、",
        "此致",
        "敬礼",
        "敬禮",
        "祝好",
        "顺颂",
        "顺祝",
        "祝商祺",
        "谨启",
        "敬上",
        "敬启",
    ];
    const SIGNED: [&str; 5] = [" 드림", " 올림", " 배상", "敬上", "谨启"];
    const MAX: usize = 30;
    line.chars().count() <= MAX
        && (begins_with_any(line, &CLOSINGS) || SIGNED.iter().any(|signed| line.ends_with(signed)))
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
            "Dear Sir,\nwe decided to use Redis.\nRegards",
            "Here's a draft:\n\nHi team,\n\nWe decided to use Redis.\n\nThanks,\nAnna",
            "Subject: Database\n\nHi all,\nwe decided to use Redis.\n\nCheers, Tom",
            "초안입니다:\n\n안녕하세요 팀장님,\n\n계약을 종료하기로 결정했습니다.\n\n감사합니다,\n민수",
            "件名: 契約について\n\n田中様\n\n契約を終了することに決定しました。\n\nよろしくお願いいたします。",
            "尊敬的王先生：\n\n我们决定终止合同。\n\n此致\n敬礼",
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
            "Hi there,\n\nwe decided to use Redis.\n\nThanks,\nAnna",
            "Hi Claude,\nlet's go with Redis.\nCheers",
            "hi, we decided to use Redis for the mail queue:\nit is fast",
            "안녕하세요, Redis를 쓰기로 했습니다.\n감사합니다.",
            "お疲れ様です。Redisに決めました。\nよろしくお願いします。",
            "About the mail queue:\nlet's go with Redis.",
            "You are right, let's use sqlx.",
            "Translations: we decided to use Fluent.",
            "翻译模块：我们决定用 Fluent。",
            "We decided to summarize: less is more.",
        ] {
            assert!(!is_staged(text, Speaker::User), "{text}");
        }
    }
}
