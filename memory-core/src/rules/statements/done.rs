//! Decides whether what a sentence says is done is a whole task: "I've rotated the signing
//! keys" finishes "Rotate the signing keys" and nothing else.

use crate::index::lexical::searchable::MONTHS;
use crate::rules::tasks::keys::normalize_identity;
use crate::text::scripts::{is_hangul, is_kana, is_unspaced};

/// How surely what was done is a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Done {
    /// It is something else.
    No,
    /// It is the task without what its title adds at the end ("about the delay").
    Perhaps,
    /// It is the whole task.
    Yes,
}

/// Whether a task consists of what was done. `verb` says how, if the sentence does: "rotated".
pub(super) fn is_done(title: &str, thing: &str, verb: Option<&str>) -> Done {
    let verb = verb
        .map(str::to_lowercase)
        .filter(|verb| !GENERAL.contains(&verb.as_str()));
    let (titles, things) = (cores(title), cores(thing));
    let is_any = |titles: &[String], things: &[String]| {
        titles.iter().any(|title| {
            things
                .iter()
                .any(|thing| is_core_done(title, thing, verb.as_deref()))
        })
    };
    if is_any(&titles, &things) {
        return Done::Yes;
    }
    let is_most = titles
        .iter()
        .any(|title| things.iter().any(|thing| is_most_of(title, thing)));
    if verb.is_none() && is_fixed(title, &things) {
        return Done::Yes;
    }
    match is_most || is_any(&with_stems(titles), &with_stems(things)) {
        true => Done::Perhaps,
        false => Done::No,
    }
}

/// Whether a title of Korean, Japanese or Chinese asks to fix what was: 修复登录的bug, 登录的bug.
fn is_fixed(title: &str, things: &[String]) -> bool {
    const FIXING: [&str; 14] = [
        "修复",
        "修好",
        "修正",
        "修理",
        "解决",
        "解決",
        "直す",
        "直して",
        "対応",
        "修",
        "고치기",
        "고쳐야",
        "수정하기",
        "해결하기",
    ];
    let is_of_east = |c: char| is_unspaced(c) || is_hangul(c);
    let Some(verb) = FIXING.iter().find(|verb| title.contains(*verb)) else {
        return false;
    };
    let rest = title.replacen(verb, " ", 1);
    rest.contains(is_of_east) && cores(&rest).iter().any(|core| things.contains(core))
}

/// Whether Korean words are nearly all of a title's, and no others: words that join its parts
/// ("슬랙으로 보내는 것도") are left out in a report.
fn is_most_of(title: &str, thing: &str) -> bool {
    if !thing.contains(is_hangul) {
        return false;
    }
    let title: Vec<&str> = title.split('-').collect();
    let thing: Vec<&str> = thing.split('-').collect();
    thing.len() >= 3
        && thing.len() * 4 >= title.len() * 3
        && thing.iter().all(|word| title.contains(word))
}

/// The cores and what precedes their first preposition.
fn with_stems(mut cores: Vec<String>) -> Vec<String> {
    const PREPOSITIONS: [&str; 14] = [
        "about", "after", "at", "because", "before", "for", "from", "in", "of", "on", "once", "to",
        "when", "with",
    ];
    let stems = cores.iter().filter_map(|core| {
        let at = PREPOSITIONS
            .iter()
            .filter_map(|word| core.find(&format!("-{word}-")))
            .min()?;
        Some(core[..at].to_owned())
    });
    let stems: Vec<String> = stems.collect();
    cores.extend(stems);
    cores
}

fn is_core_done(title: &str, thing: &str, verb: Option<&str>) -> bool {
    if thing.is_empty() {
        return false;
    }
    let task = to_be_done(title).or_else(|| title.split_once('-'));
    match (verb, task) {
        (None, _) if title == thing => true,
        (None, Some((first, rest))) => rest == thing && is_finished_by_its_thing(first),
        (Some(verb), Some((first, rest))) => {
            let (verb, particle) = verb.split_once(' ').unwrap_or((verb, ""));
            let of_report = [thing, particle].join("-");
            let is_same = rest == thing
                || particle_last(rest) == particle_last(of_report.trim_end_matches('-'));
            is_same && stem(first) == stem(verb)
        }
        (_, None) => false,
    }
}

/// What a verb is followed by, with the particle at its end: "set up the server" and "set the server
/// up" are the same.
fn particle_last(words: &str) -> String {
    const PARTICLES: [&str; 8] = ["away", "back", "down", "in", "off", "out", "over", "up"];
    match words.split_once('-') {
        Some((first, rest)) if PARTICLES.contains(&first) => format!("{rest}-{first}"),
        _ => words.to_owned(),
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
    const IRREGULAR: [(&str, &str); 15] = [
        ("bought", "buy"),
        ("built", "build"),
        ("drawn", "draw"),
        ("made", "make"),
        ("paid", "pay"),
        ("ran", "run"),
        ("rebuilt", "rebuild"),
        ("rewritten", "rewrite"),
        ("rewrote", "rewrite"),
        ("sent", "send"),
        ("sold", "sell"),
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

/// The words of a task that both its title and a report of it contain: with, and without, the
/// clause that says when it is due ("before the launch").
fn cores(words: &str) -> Vec<String> {
    let identity = normalize_identity(words);
    let (core, undated): (fn(&str) -> String, Option<&str>) = if identity.contains(is_hangul) {
        (
            korean_core,
            after_clause(&identity, &["전에", "후에", "뒤에", "까지", "때"]),
        )
    } else if identity.contains(is_kana) {
        (
            japanese_core,
            after_clause(&identity, &["前に", "後に", "あとに", "までに", "次第"]),
        )
    } else if identity.contains(is_unspaced) {
        (
            chinese_core,
            after_clause(
                &identity,
                &["之前", "之后", "以前", "以后", "前要", "前得", "前把"],
            ),
        )
    } else {
        (
            english_core,
            before_clause(&identity, &["before", "after", "once", "until"]),
        )
    };
    let mut cores = vec![core(&identity)];
    cores.extend(undated.map(core).filter(|core| !core.is_empty()));
    cores
}

/// What follows the clause that one of these words ends.
fn after_clause<'t>(identity: &'t str, ends: &[&str]) -> Option<&'t str> {
    let after = |end: &&str| Some(identity.find(*end)? + end.len());
    let at = ends.iter().filter_map(after).max()?;
    Some(identity[at..].trim_start_matches('-'))
}

/// What precedes the clause that one of these words begins, if it is more than a verb.
fn before_clause<'t>(identity: &'t str, begins: &[&str]) -> Option<&'t str> {
    const FOLLOWS: [&str; 8] = ["the", "our", "we", "i", "it", "that", "this", "my"];
    let clause = |word: &str| {
        let at = identity.find(&format!("-{word}-"))?;
        let next = identity[at..].split('-').nth(2)?;
        FOLLOWS.contains(&next).then_some(at)
    };
    let at = begins.iter().filter_map(|word| clause(word)).min()?;
    let before = &identity[..at];
    before.contains('-').then_some(before)
}

fn english_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 22] = [
        "a", "all", "an", "and", "her", "him", "his", "its", "me", "my", "now", "our", "please",
        "some", "the", "their", "them", "too", "us", "yet", "you", "your",
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
    let is_time = |word: &&str| TIMES.contains(word) || MONTHS.contains(word);
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

/// Without particles, endings and adverbs of time, in any order.
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
    const PARTICLES: [&str; 14] = [
        "에서", "으로", "까지", "을", "를", "은", "는", "이", "가", "도", "의", "로", "에", "만",
    ];
    // Verbs that change their stem: "고치기", "고쳤".
    const VERBS: [(&str, &[&str]); 16] = [
        ("고치", &["고치", "고쳐", "고쳤", "고칠"]),
        ("만들", &["만들", "만든"]),
        ("쓰", &["쓰기", "써야", "썼", "쓸"]),
        ("지우", &["지우", "지워", "지웠", "지울"]),
        ("바꾸", &["바꾸", "바꿔", "바꿨", "바꿀"]),
        ("넣", &["넣"]),
        ("옮기", &["옮기", "옮겨", "옮겼", "옮길"]),
        ("올리", &["올리", "올려", "올렸", "올릴"]),
        ("붙이", &["붙이", "붙여", "붙였", "붙일"]),
        ("돌리", &["돌리", "돌려", "돌렸", "돌릴"]),
        ("보내", &["보내", "보냈", "보낼"]),
        ("없애", &["없애", "없앴", "없앨"]),
        ("채우", &["채우", "채워", "채웠", "채울"]),
        ("맞추", &["맞추", "맞춰", "맞췄", "맞출"]),
        ("사다", &["사야", "샀", "사기", "살게"]),
        ("내다", &["내야", "냈", "내기", "낼게"]),
    ];
    let words = identity.split('-').filter(|word| !LEFT_OUT.contains(word));
    let mut words: Vec<&str> = words
        .map(|word| {
            // A stem of one syllable, as a title has it: 표를 사(야 해).
            let is_stem = |verb: &str| verb.strip_suffix('다') == Some(word);
            let is_form = |forms: &[&str]| forms.iter().any(|form| word.starts_with(form));
            let mut verbs = VERBS.iter();
            if let Some((verb, _)) = verbs.find(|(verb, forms)| is_stem(verb) || is_form(forms)) {
                return *verb;
            }
            let ending = ENDINGS
                .iter()
                .filter_map(|ending| word.find(ending))
                .filter(|at| *at > 0)
                .min();
            let word = &word[..ending.unwrap_or(word.len())];
            let particle = PARTICLES
                .iter()
                .find_map(|particle| word.strip_suffix(particle));
            particle.filter(|bare| !bare.is_empty()).unwrap_or(word)
        })
        .filter(|word| !LEFT_OUT.contains(word))
        .collect();
    words.sort_unstable();
    words.join("-")
}

/// Without particles, endings and words of time, in any order: ドキュメントの更新 and
/// ドキュメントを更新する必要があります. All of those are written in hiragana, or left out here.
fn japanese_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 14] = [
        "必要",
        "予定",
        "来週",
        "来月",
        "今週",
        "今月",
        "今度",
        "今日",
        "昨日",
        "明日",
        "次回",
        "作業",
        "タスク",
        "後で",
    ];
    let is_hiragana = |c: char| matches!(u32::from(c), 0x3041..=0x309f);
    sorted(&without(identity, &LEFT_OUT), |c| !is_hiragana(c))
}

/// Without particles and auxiliaries, and in any order: 更新文档 and 文档更新.
fn chinese_core(identity: &str) -> String {
    const LEFT_OUT: [&str; 47] = [
        // What is only to be made is done when it is there.
        "一个",
        "增加",
        "添加",
        "实现",
        "加",
        "做",
        "写",
        "还没有",
        "还需要",
        "仍需要",
        "仍需",
        "还要",
        "还得",
        "需要",
        "应该",
        "已经",
        "下周",
        "下个月",
        "下月",
        "明天",
        "昨天",
        "今天",
        "回头",
        "稍后",
        "改天",
        "有空",
        "抽空",
        "一下",
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
        "得",
        "刚",
        "任务",
        "再",
        "先",
        "给",
    ];
    let core = without(identity, &LEFT_OUT).replace("修复", "修");
    sorted(&core, |_| true)
}

fn without(identity: &str, left_out: &[&str]) -> String {
    let joined = identity.replace('-', "");
    left_out
        .iter()
        .fold(joined, |rest, word| rest.replace(word, ""))
}

fn sorted(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut chars: Vec<char> = text.chars().filter(|c| is_kept(*c)).collect();
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
            (
                "call Baltrans and Movix about that",
                "Baltrans and Movix",
                "called",
            ),
            (
                "send them her records by the end of the month",
                "the records",
                "sent",
            ),
            (
                "the retry when the replica is gone",
                "The retry for dropped connections",
                "implemented",
            ),
            (
                "나중에 실패 알림을 슬랙으로 보내는 것도 추가해야 해",
                "슬랙 실패 알림 추가",
                "",
            ),
        ] {
            assert_ne!(done(title, thing, verb), Done::No, "{title}: {thing}");
        }
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
            (
                "リリース前に、ドキュメントを更新する必要があります",
                "ドキュメントを更新",
                "",
            ),
            ("来週までにログを整理しなければなりません", "ログを整理", ""),
            (
                "배포 전에 문서를 업데이트해야 합니다",
                "문서를 업데이트",
                "",
            ),
            ("更新文档", "文档已经更新", ""),
            ("回头还要给库存加一个对账任务", "库存对账任务", ""),
            ("上线前要更新文档", "文档更新", ""),
            ("swap the logo before the demo", "the logo", "swapped"),
        ] {
            assert_eq!(
                done(title, thing, verb),
                Done::Yes,
                "{title}: {thing} {verb}"
            );
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
            ("リリース前にログを整理する", "リリース前にログを削除", ""),
            ("上线前要更新文档", "上线", ""),
            ("前端要更新", "更新", ""),
            ("clean up after the demo", "the demo", "cleaned"),
            ("add", "the", "added"),
        ] {
            assert_eq!(
                done(title, thing, verb),
                Done::No,
                "{title}: {thing} {verb}"
            );
        }
    }
}
