//! Decides whether what a sentence says is done is a whole task: "I've rotated the signing
//! keys" finishes "Rotate the signing keys" and nothing else.

use crate::rules::tasks::keys::normalize_identity;
use crate::text::scripts::{is_hangul, is_unspaced};

/// Whether a task consists of what was done. `verb` says how, if the sentence does: "rotated".
pub(super) fn is_done(title: &str, thing: &str, verb: Option<&str>) -> bool {
    let (title, thing) = (core(title), core(thing));
    if thing.is_empty() {
        return false;
    }
    let verb = verb
        .map(str::to_lowercase)
        .filter(|verb| !GENERAL.contains(&verb.as_str()));
    let task = to_be_done(&title).or_else(|| title.split_once('-'));
    match (verb, task) {
        (None, _) if title == thing => true,
        (None, Some((first, rest))) => rest == thing && is_finished_by_its_thing(first),
        (Some(verb), Some((first, rest))) => rest == thing && stem(first) == stem(&verb),
        (_, None) => false,
    }
}

/// The verb and the thing of "The docs still need to be translated".
fn to_be_done(title: &str) -> Option<(&str, &str)> {
    let need = [
        "-still-need-to-be-",
        "-still-needs-to-be-",
        "-still-has-to-be-",
    ];
    let (thing, verb) = need.iter().find_map(|need| title.split_once(need))?;
    (!verb.contains('-')).then_some((verb, thing))
}

/// Say that something is done and not how.
const GENERAL: [&str; 23] = [
    "addressed",
    "closed",
    "closing",
    "complete",
    "completed",
    "completing",
    "done",
    "done with",
    "finished",
    "finishing",
    "fixed",
    "gone",
    "implemented",
    "landed",
    "merged",
    "over",
    "released",
    "resolved",
    "shipped",
    "solved",
    "sorted",
    "sorted out",
    "merging",
];
/// The task is done when its thing is: "Write the guide", not "Announce the guide".
const FINISHED_BY_ITS_THING: [&str; 22] = [
    "add",
    "address",
    "build",
    "close",
    "complete",
    "create",
    "deploy",
    "do",
    "finish",
    "fix",
    "implement",
    "land",
    "merge",
    "migrate",
    "refactor",
    "release",
    "resolve",
    "rewrite",
    "run",
    "ship",
    "update",
    "write",
];

fn is_finished_by_its_thing(verb: &str) -> bool {
    let verb = stem(verb);
    FINISHED_BY_ITS_THING
        .iter()
        .any(|other| stem(other) == verb)
}

/// A verb without its ending.
fn stem(word: &str) -> String {
    const IRREGULAR: [(&str, &str); 11] = [
        ("built", "build"),
        ("made", "make"),
        ("ran", "run"),
        ("rebuilt", "rebuild"),
        ("rewritten", "rewrite"),
        ("rewrote", "rewrite"),
        ("sent", "send"),
        ("taken", "take"),
        ("took", "take"),
        ("written", "write"),
        ("wrote", "write"),
    ];
    let regular = IRREGULAR.iter().find(|(past, _)| *past == word);
    let word = regular.map_or(word, |(_, verb)| *verb);
    if let Some(stem) = word.strip_suffix("ied") {
        return format!("{stem}y");
    }
    let is_long = |stem: &&str| stem.len() >= 2;
    let bare = ["ed", "ing"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(is_long));
    let mut stem = bare.unwrap_or(word).trim_end_matches('e').to_owned();
    // "dropped" and "drop", "add" and "added".
    let mut last = stem.chars().rev();
    if last.next().is_some_and(|c| last.next() == Some(c)) {
        stem.pop();
    }
    stem
}

/// The words of a task that both its title and a report of it contain.
fn core(words: &str) -> String {
    let identity = normalize_identity(words);
    if identity.contains(is_hangul) {
        korean_core(&identity)
    } else if identity.contains(is_unspaced) {
        spaceless_core(&identity)
    } else {
        english_core(&identity)
    }
}

fn english_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 12] = [
        "a", "all", "an", "my", "now", "our", "please", "some", "the", "too", "yet", "your",
    ];
    let words = without_time(identity.split('-').collect());
    let words = words.into_iter().filter(|word| !LEFT_OUT.contains(word));
    words.collect::<Vec<_>>().join("-")
}

/// The words without those at the end that say when: "before Friday", "by the end of the week".
fn without_time(mut words: Vec<&str>) -> Vec<&str> {
    const TIMES: [&str; 33] = [
        "afternoon",
        "asap",
        "day",
        "days",
        "eod",
        "eow",
        "evening",
        "friday",
        "hour",
        "hours",
        "later",
        "midnight",
        "minutes",
        "monday",
        "month",
        "months",
        "morning",
        "night",
        "noon",
        "quarter",
        "saturday",
        "soon",
        "sprint",
        "sunday",
        "thursday",
        "today",
        "tomorrow",
        "tonight",
        "tuesday",
        "wednesday",
        "week",
        "weekend",
        "weeks",
    ];
    const BEFORE_TIMES: [&str; 25] = [
        "a", "after", "an", "at", "before", "by", "coming", "couple", "during", "end", "few",
        "first", "in", "later", "latest", "next", "of", "on", "over", "that", "the", "this",
        "until", "within", "two",
    ];
    let is_time = |word: &&str| TIMES.contains(word);
    let is_of_time =
        |word: &&str| is_time(word) || BEFORE_TIMES.contains(word) || word.parse::<u32>().is_ok();
    if words.last().is_some_and(is_time) {
        let tail = words.iter().rev().take_while(|word| is_of_time(word));
        let kept = words.len() - tail.count();
        // A verb is left.
        words.truncate(kept.max(1));
    }
    words
}

/// Without particles, endings and adverbs of time.
fn korean_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 20] = [
        "아직",
        "나중에",
        "다음에",
        "내일",
        "이따가",
        "모두",
        "다",
        "이제",
        "방금",
        "합",
        "한다",
        "합니다",
        "해요",
        "함",
        "할",
        "해",
        "예정",
        "것",
        "거",
        "작업",
    ];
    const ENDINGS: [&str; 10] = [
        "해야", "하기", "하는", "하다", "할게", "했", "됐", "되었", "하겠", "하고",
    ];
    const PARTICLES: [char; 8] = ['을', '를', '은', '는', '이', '가', '도', '의'];
    let words = identity.split('-').filter(|word| !LEFT_OUT.contains(word));
    words
        .map(|word| {
            let ending = ENDINGS
                .iter()
                .filter_map(|ending| word.find(ending))
                .filter(|at| *at > 0)
                .min();
            let word = &word[..ending.unwrap_or(word.len())];
            match word.chars().count() > 1 {
                true => word.strip_suffix(PARTICLES).unwrap_or(word),
                false => word,
            }
        })
        .collect()
}

/// Without particles and auxiliaries, and in any order: 更新文档 and 文档更新.
fn spaceless_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 46] = [
        "しなければならない",
        "しなければなりません",
        "する必要があります",
        "する必要がある",
        "しないといけない",
        "しました",
        "します",
        "した",
        "する",
        "まだ",
        "あとで",
        "後で",
        "来週",
        "明日",
        "次回",
        "作業",
        "タスク",
        "を",
        "の",
        "は",
        "が",
        "も",
        "に",
        "还没有",
        "还需要",
        "仍需要",
        "仍需",
        "还要",
        "还得",
        "需要",
        "已经",
        "已",
        "我们",
        "我",
        "把",
        "被",
        "的",
        "都",
        "了",
        "好",
        "完",
        "终于",
        "刚刚",
        "要",
        "刚",
        "任务",
    ];
    let mut rest = identity.replace('-', "");
    for left_out in LEFT_OUT {
        rest = rest.replace(left_out, "");
    }
    let mut chars: Vec<char> = rest.chars().collect();
    chars.sort_unstable();
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_finishes_the_task_that_it_names_and_no_other() {
        let done = |title: &str, thing: &str, verb: &str| {
            is_done(title, thing, Some(verb).filter(|verb| !verb.is_empty()))
        };
        for (title, thing, verb) in [
            ("Rotate the signing keys", "the signing keys", "rotated"),
            ("Rebuild the index", "the index", "rebuilt"),
            ("Write the guide", "the guide", "done with"),
            ("rotate the keys", "rotate the keys", ""),
            ("add rate limiting", "the rate limiting", "added"),
            ("drop the old table", "the old table", "dropped"),
            ("write the migration guide", "the migration guide", "wrote"),
            ("verify the backup", "the backup", "verified"),
            ("update the docs", "The docs", ""),
            ("fix the login bug", "the login bug", "fixed"),
            ("set up the CI", "up the CI", "set"),
            ("write the script before Friday", "the script", ""),
            (
                "call the bank by the end of this week",
                "the bank",
                "called",
            ),
            ("rotate the keys in two days", "the keys", "rotated"),
            (
                "The docs still need to be translated",
                "the docs",
                "translated",
            ),
            ("나중에 문서를 업데이트해야 합", "문서 업데이트", ""),
            ("캐시 작업", "캐시", ""),
            ("ドキュメントを更新する", "ドキュメントの更新", ""),
            ("更新文档", "文档已经更新", ""),
        ] {
            assert!(done(title, thing, verb), "{title}: {thing} {verb}");
        }
        for (title, thing, verb) in [
            ("announce the guide", "the guide", ""),
            ("announce the guide on Friday", "the guide", ""),
            (
                "review the end of the week report",
                "the report",
                "reviewed",
            ),
            ("document the login bug", "the login bug", "fixed"),
            ("rotate the signing keys", "the keys", "rotated"),
            ("delete the signing keys", "the signing keys", "rotated"),
            ("the docs", "the docs", "read"),
            (
                "The docs still need to be translated",
                "the docs",
                "updated",
            ),
            ("문서 업데이트", "문서 삭제", ""),
            ("ドキュメントを更新する", "ドキュメントの削除", ""),
            ("更新文档", "删除文档", ""),
            ("add", "the", "added"),
        ] {
            assert!(!done(title, thing, verb), "{title}: {thing} {verb}");
        }
    }
}
