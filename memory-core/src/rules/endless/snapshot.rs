//! What a text is about, determined without a model: topics, files and entities.

use regex::Regex;

use crate::lazy::RaceLazy;
use crate::model::time::Timestamp;
use crate::rules::endless::continuity::ContextSnapshot;
use crate::text::scripts::{is_hangul, is_unspaced};

/// The maximum number of topics.
pub const MAX_TOPICS: usize = 10;
/// The maximum number of files.
pub const MAX_FILES: usize = 10;
/// The maximum number of entities.
pub const MAX_ENTITIES: usize = 20;

/// Only this much of a text is read.
const MAX_BYTES: usize = 64 * 1024;

/// Development terms and the topics that they indicate, in English, Korean, Japanese and Chinese.
const TOPIC_WORDS: &[(&str, &[&str])] = &[
    ("api", &["api", "endpoint", "エンドポイント", "接口"]),
    (
        "auth",
        &[
            "auth",
            "login",
            "인증",
            "로그인",
            "認証",
            "ログイン",
            "认证",
            "登录",
        ],
    ),
    ("bug", &["bug", "bugs", "버그", "バグ", "不具合", "缺陷"]),
    (
        "build",
        &[
            "build",
            "compile",
            "빌드",
            "ビルド",
            "コンパイル",
            "构建",
            "编译",
        ],
    ),
    (
        "config",
        &["config", "configuration", "설정", "設定", "配置"],
    ),
    (
        "database",
        &[
            "database",
            "sql",
            "schema",
            "데이터베이스",
            "스키마",
            "データベース",
            "スキーマ",
            "数据库",
        ],
    ),
    (
        "deploy",
        &[
            "deploy",
            "deployment",
            "release",
            "배포",
            "デプロイ",
            "リリース",
            "部署",
            "发布",
        ],
    ),
    (
        "docs",
        &[
            "docs",
            "documentation",
            "readme",
            "문서",
            "ドキュメント",
            "文档",
        ],
    ),
    (
        "error",
        &[
            "error",
            "exception",
            "오류",
            "에러",
            "エラー",
            "例外",
            "错误",
            "报错",
            "异常",
        ],
    ),
    ("feature", &["feature", "기능", "機能", "功能"]),
    ("fix", &["fix", "fixes", "fixed", "수정", "修正", "修复"]),
    (
        "performance",
        &["performance", "latency", "성능", "性能", "パフォーマンス"],
    ),
    (
        "refactor",
        &["refactor", "refactoring", "리팩터링", "リファクタ", "重构"],
    ),
    ("search", &["search", "검색", "検索", "搜索"]),
    ("security", &["security", "보안", "セキュリティ", "安全"]),
    (
        "test",
        &["test", "tests", "testing", "테스트", "テスト", "测试"],
    ),
];

/// Names of languages; short or ambiguous ones only count by file extension.
const LANGUAGE_WORDS: &[(&str, &str)] = &[
    ("typescript", "typescript"),
    ("javascript", "javascript"),
    ("python", "python"),
    ("rust", "rust"),
    ("golang", "go"),
    ("java", "java"),
    ("kotlin", "kotlin"),
    ("swift", "swift"),
    ("ruby", "ruby"),
    ("php", "php"),
];

const LANGUAGE_EXTENSIONS: &[(&str, &str)] = &[
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("py", "python"),
    ("rs", "rust"),
    ("go", "go"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("swift", "swift"),
    ("rb", "ruby"),
    ("php", "php"),
];

static FILE: RaceLazy<Regex> = RaceLazy::new(|| {
    Regex::new(r"[\p{L}\p{N}_./\\~@-]*[\p{L}\p{N}_-]\.[A-Za-z][A-Za-z0-9]{0,7}\b")
        .expect("a constant pattern")
});
static URL: RaceLazy<Regex> =
    RaceLazy::new(|| Regex::new(r"[A-Za-z][A-Za-z0-9+.-]*://\S+").expect("a constant pattern"));
static DECLARED: RaceLazy<Regex> = RaceLazy::new(|| {
    Regex::new(
        r"\b(?:class|interface|struct|enum|trait|type|function|fn|def|const|let|var|mod)\s+([\p{L}_][\p{L}\p{N}_]*)",
    )
    .expect("a constant pattern")
});
static NAMED: RaceLazy<Regex> = RaceLazy::new(|| {
    Regex::new(
        r"\b(?:[A-Z][A-Za-z0-9]*(?:Service|Store|Manager|Controller|Repository|Handler|Provider|Factory|Client|Worker)|use[A-Z][A-Za-z0-9]*)\b",
    )
    .expect("a constant pattern")
});

/// Keywords of prose and code that follow a declaring word but are not names.
const NO_NAMES: &[&str] = &[
    "of", "is", "the", "a", "an", "and", "or", "in", "for", "to", "me", "us", "it", "mut", "that",
    "this", "with", "from", "as", "name", "names",
];

/// Returns what a text is about. The same text always gives the same snapshot.
pub fn snapshot(id: &str, text: &str, at: Timestamp) -> ContextSnapshot {
    let text = begin(text);
    let files = files(text);
    ContextSnapshot {
        id: id.to_owned(),
        timestamp: at,
        topics: topics(text, &files),
        files,
        entities: entities(text),
    }
}

fn begin(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the topics of a text: programming languages and development terms, at most 10.
pub(crate) fn topics(text: &str, files: &[String]) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: std::collections::BTreeSet<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // Korean words carry their particles (스키마를), so a sign in Hangul also matches the
    // beginning of a word. Japanese and Chinese have no borders between words.
    let is_there = |sign: &str| {
        words.contains(sign)
            || match sign.chars().next() {
                Some(c) if is_hangul(c) => words.iter().any(|word| word.starts_with(sign)),
                Some(c) if is_unspaced(c) => lower.contains(sign),
                _ => false,
            }
    };
    let mut found: Vec<String> = Vec::new();
    let mut add = |topic: &str| {
        if found.len() < MAX_TOPICS && !found.iter().any(|known| known == topic) {
            found.push(topic.to_owned());
        }
    };
    for file in files {
        let extension = file.rsplit('.').next().unwrap_or_default().to_lowercase();
        if let Some((_, language)) = LANGUAGE_EXTENSIONS.iter().find(|(e, _)| *e == extension) {
            add(language);
        }
    }
    for (word, language) in LANGUAGE_WORDS {
        if words.contains(word) {
            add(language);
        }
    }
    for (topic, signs) in TOPIC_WORDS {
        if signs.iter().any(|sign| is_there(sign)) {
            add(topic);
        }
    }
    found
}

/// Returns the files that a text mentions, at most 10, each of 4 to 99 characters. Web
/// addresses do not count as files.
pub(crate) fn files(text: &str) -> Vec<String> {
    let text = URL.replace_all(text, " ");
    let mut found: Vec<String> = Vec::new();
    for hit in FILE.find_iter(&text) {
        let file = hit.as_str();
        let length = file.chars().count();
        // A version or an abbreviation ("v1.2", "e.g") has no such stem.
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let is_named =
            stem.chars().filter(|c| c.is_alphabetic()).count() >= 2 || stem.contains(['/', '\\']);
        if (4..=99).contains(&length)
            && is_named
            && found.len() < MAX_FILES
            && !found.iter().any(|known| known == file)
        {
            found.push(file.to_owned());
        }
    }
    found
}

/// Returns the entities that a text mentions: declarations, services and stores, hooks; at
/// most 20.
pub(crate) fn entities(text: &str) -> Vec<String> {
    let declared = DECLARED
        .captures_iter(text)
        .filter_map(|hit| hit.get(1).map(|name| (name.start(), name.as_str())));
    let named = NAMED.find_iter(text).map(|hit| (hit.start(), hit.as_str()));
    let mut all: Vec<(usize, &str)> = declared.chain(named).collect();
    all.sort_unstable();
    let mut found: Vec<String> = Vec::new();
    for (_, name) in all {
        if found.len() < MAX_ENTITIES
            && name.chars().count() > 1
            && !NO_NAMES.contains(&name)
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Everything in a text that a snapshot could name as a file or an entity.
pub(crate) fn named_in(text: &str) -> impl Iterator<Item = String> {
    let files: Vec<String> = FILE
        .find_iter(&URL.replace_all(text, " "))
        .map(|hit| hit.as_str().to_owned())
        .collect();
    let things = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|name| name.chars().count() > 1)
        .map(str::to_owned);
    files.into_iter().chain(things)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_files_and_names_are_found_in_english_and_korean() {
        let taken = snapshot(
            "c",
            "src/core/event-store.ts 의 스키마를 고치고 테스트했다. class EventStore uses \
             UserService, see https://example.com/a.html (v1.2, e.g. this).",
            Timestamp::default(),
        );
        assert_eq!(taken.files, ["src/core/event-store.ts"]);
        assert_eq!(taken.topics, ["typescript", "database", "test"]);
        assert_eq!(taken.entities, ["EventStore", "UserService"]);
    }

    #[test]
    fn topics_are_found_in_scripts_without_spaces() {
        let topics = |text: &str| topics(text, &[]);
        assert_eq!(topics("ログインのテストが遅い"), ["auth", "test"]);
        assert_eq!(topics("修复了数据库的错误"), ["database", "error", "fix"]);
        assert!(topics("明日は雨です。今天天气很好。").is_empty());
    }

    #[test]
    fn lists_are_bounded_whatever_the_text() {
        let text: String = (0..200)
            .map(|n| format!("class Thing{n} 파일{n}이름.py \u{202e}مرحبا\u{1f389} "))
            .collect();
        let taken = snapshot("c", &text, Timestamp::default());
        assert_eq!(taken.files.len(), MAX_FILES);
        assert_eq!(taken.entities.len(), MAX_ENTITIES);
        assert!(
            snapshot("c", &"가".repeat(100_000), Timestamp::default())
                .topics
                .is_empty()
        );
    }
}
