//! Reads what a decision chooses, what it decides against, and what for: "we decided against
//! PostgreSQL; we use CockroachDB for orders". Names only; other objects have too many forms.

use regex::Regex;

use super::doubt;
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;

/// What is no purpose: "for now", "for sure".
pub(super) const NO_PURPOSE: [&str; 22] = [
    "away",
    "back",
    "over",
    "now",
    "this",
    "that",
    "it",
    "sure",
    "today",
    "everything",
    "everyone",
    "example",
    "우리",
    "저희",
    "저",
    "나",
    "私",
    "私たち",
    "我们",
    "我",
    "决定",
    "已经",
];

/// What follows a name in English.
const END: &str = r"(?:\s*[,.;:!?()]|\s*$|\s(?:for|from|with|to|in|on|at|and|but|or|rather|because|since|as|by|now|again|back|instead|after|any\s?more)\b)";
/// A name in English: up to three words, of which the shortest that end where a name ends.
const NAME: &str = r"(?:the |our |using )?([\w][\w.+#/-]*(?: [\w][\w.+#/-]*){0,2}?)";
/// A name in text that is not separated by spaces, or carries particles: in Latin letters.
const LATIN: &str = r"([A-Za-z][A-Za-z0-9.+#-]*)";

/// To go from one thing to another.
macro_rules! switching {
    () => {
        r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|chang(?:e|ed|ing)|upgrad(?:e|ed|ing)|convert(?:ed|ing)?|port(?:ed|ing)?|transition(?:ed|ing)?|shift(?:ed|ing)?|swap(?:ped|ping)?)"
    };
}
/// That something is switched, in whatever form.
static SWITCHES: Pattern = Pattern::lean(concat!(
    r"(?i)\b",
    switching!(),
    r"\b|\breplac(?:e|ed|ing)\b|에서 ?[^,. ]{1,20}로 |から[^、。]{1,20}(?:に|へ)|(?:换|迁|切|转|改|搬|替)(?:成|到|为|至|了|用)",
));
/// What is switched, of a few words: "the session store".
macro_rules! switched {
    () => {
        r"(?:the |our |my |all )?[\w-]+(?: [\w-]+){0,2}?"
    };
}

static CHOSEN: Pattern = Pattern::lean_written(
    concat!(
        r"(?:go(?:ing)?|went) with|us(?:e|ing)|choose|chosen?|decided? (?:on|to use)|settled? on|pick(?:ed)?|",
        switching!(),
        r" (?:over )?(?:from \S+ (?:over )?)?to|adopt(?:ed|ing)?|(?:stick|stay)(?:ing)? with|back to|in favou?r of|change of plans?:|(?:stor(?:e|ed|ing)|keep(?:ing)?|put(?:ting)?|sav(?:e|ed|ing)|host(?:ed|ing)?|run(?:ning)?|cach(?:e|ed|ing)|log(?:ged|ging)?|deploy(?:ed|ing)?|serv(?:e|ed|ing)|build(?:ing)?|writ(?:e|ing)) (?:the |our |my |all )?[\w-]+(?: [\w-]+){0,2}? (?:in|on|with|to|into|at|via|through)|",
        switching!(),
        " ",
        switched!(),
        r" (?:over )?from (?:the |our )?[\w.+#-]+(?: [\w.+#-]+)? (?:over )?to|replac(?:e|ed|ing) ",
        switched!(),
        r" (?:with|by)|swap(?:ped|ping)?(?: out)? ",
        switched!(),
        " for"
    ),
    english,
);
static REJECTED: Pattern = Pattern::lean_written(
    concat!(
        r"decid(?:e|ed|ing) against|instead of|rather than|(?:no longer|not|never|not to|stop(?:ped)?|done) us(?:e|ing)|swap(?:p?ed|p?ing)?(?: out)?|(?:no longer|not) go(?:ing)? with|(?:drop|abandon|ditch|dump|kill|scrap|axe|retire|forget|nuke)(?:p?ed|p?ing)?(?: about)?|get(?:ting)? rid of|(?:rip|throw|kick)(?:p?ing)? out|(?:moving|going|switching|getting) away from|",
        switching!(),
        "(?: ",
        switched!(),
        r")? (?:over |away )?(?:from|off)|replac(?:e|ed|ing)"
    ),
    english,
);
/// What is no longer chosen, named first: "Redis is out".
static OUT: Pattern = Pattern::lean(
    r"(?i)(?:^|[,;.:–—] ?)(?:(?:so|and|but|ok(?:ay)?|actually|the|our),? )*([\w][\w.+#/-]*(?: [\w][\w.+#/-]*){0,2}?) (?:is|are) (?:now |definitely |officially )?(?:out|dead|gone|history|off the table|dropped|cancell?ed)\b",
);
static CHOSEN_ELSEWHERE: Pattern = Pattern::lean_written(
    r"NAME(?:으?로 ?(?:다시 |도로 )?(?:돌아가|되돌아가|복귀|가|하|결정|정|쓰|바꾸|바꿔|바꿨|바꿉|갈아|옮기|옮겼|옮길|전환|교체|이전|변경|이관|대체|마이그레이션|넘어)|[을를]? ?(?:쓰|사용|채택)|에(?:다|다가)? ?(?:저장|보관|보존|캐시|캐싱|두|둡|둘|둔|넣|올리|올릴|쌓|담|적재|기록|백업|배포|호스팅|띄우|모으)|に(?:し|決|変|戻(?:し|そ|す)|乗り換え|乗り替え|移行|切り替え|置き換え|保存|格納|保管|置|入れ|記録|載せ|貯め|溜め|キャッシュ|バックアップ|デプロイ)|で(?:い[きくこ]|行[きくこ]|運用|管理|動か)|を(?:使|採用))|(?:^|[^不弃])(?:改用|采用|选用|选择|选定|使用|换回|改回|切回|迁回|回到|换成|改成|改为|换为|换到|切到|切换到|切换成|迁移到|迁到|转到|定为|(?:存|放|保存|存储|缓存|部署|托管|备份|写)(?:到|在|进|入)|用)\s?NAME",
    latin,
);
static REJECTED_ELSEWHERE: Pattern = Pattern::lean_written(
    r"NAME(?:에서 ?(?:다시 |도로 )?[^,. ]{1,20}로 ?(?:다시 |도로 |완전히 |전부 |모두 |싹 |다 )?(?:돌아가|되돌아가|복귀|바꾸|바꿔|바꿨|바꿀|바꿉|갈아|옮기|옮겨|옮겼|옮길|옮깁|이전|전환|교체|변경|이관|대체|마이그레이션|넘어)|から[^、。]{1,20}(?:に|へ)(?:完全に|全部|すべて)?(?:乗り換え|乗り替え|移行|切り替え|切替|変え|変わ|変更|移|戻(?:し|そ|す)|置き換え|差し替え|入れ替え|リプレース)|を[^、。]{1,20}に(?:置き換え|差し替え|入れ替え)|は(?:もう)?(?:やめ|不採用|却下|なしに|廃止)|を(?:廃止|捨て|外)|[은는을를]? ?(?:버리|빼고|빼기|그만 ?쓰|걷어내|접고|접기|더 ?이상)|[은는을를]? ?(?:대신|말고|안 쓰|쓰지 않|사용하지 않)|の代わり|ではなく|じゃなく|をやめ|は使わ|を使わ)|(?:不再用|不用|不使用|不再使用|放弃|弃用|代替|取代|而不是|扔掉|去掉|干掉)\s?NAME|(?:从|把|将)\s?NAME\s?(?:换|迁|切|转|改|搬|替)",
    latin,
);
/// The same for names in Hangul and Katakana.
static CHOSEN_IN_SCRIPT: Pattern = Pattern::lean(
    r"(?:^|[ ,.])([가-힣]{2,8}?)(?:으?로 ?(?:가자|갈|가기|하자|하기|할|결정|정하|정했|쓰|바꾸|바꿔|바꿨|갈아|옮기|옮겼|전환|교체|이전|변경|이관|대체|마이그레이션|넘어)|[을를] ?(?:쓰|사용|채택)|에(?:다|다가)? ?(?:저장|보관|보존|캐시|캐싱|적재|기록|백업|배포|호스팅|두자|두기|둘|넣자|넣기|올리자|올리기|쌓자|쌓기))|([ァ-ヶー]{2,})(?:に(?:し|決|変|乗り換え|乗り替え|移行|切り替え|置き換え|保存|格納|保管|記録)|を(?:使|採用))",
);
static REJECTED_IN_SCRIPT: Pattern = Pattern::lean(
    r"(?:^|[ ,.])([가-힣]{2,8}?)(?:에서 ?[^,. ]{1,20}로 ?(?:완전히 |전부 |모두 |싹 |다 )?(?:바꾸|바꿔|바꿨|바꿀|바꿉|갈아|옮기|옮겨|옮겼|옮길|옮깁|이전|전환|교체|변경|이관|대체|마이그레이션|넘어)|[은는을를]? ?(?:대신|말고|안 ?쓰|쓰지 ?않|사용하지 ?않|버리|빼고|빼기|그만 ?쓰|걷어내|접기))|([ァ-ヶー]{2,})(?:から[^、。]{1,20}(?:に|へ)(?:完全に|全部|すべて)?(?:乗り換え|乗り替え|移行|切り替え|切替|変え|変わ|変更|移|置き換え|差し替え|入れ替え|リプレース)|の代わり|ではなく|じゃなく|をやめ|は使わ|を使わ|は(?:もう)?やめ)",
);
/// What it is for, or where. Korean and Japanese name it first.
static AIM: Pattern = Pattern::lean(
    r"(?i)\b(?:(?:for|in|on) (?:(?:the|our|my|all) )?|from (?:the|our|my) )([\w][\w./-]*(?: [\w][\w./-]*){0,3}?)(?:\s*[,.;:!?()]|\s*$|\s(?:now|instead|because|since|as)\b)",
);

/// What is switched from one thing to another: "migrated the queue from RabbitMQ", 큐를 RabbitMQ에서.
static SWITCHED: Pattern = Pattern::lean(concat!(
    r"(?i)\b",
    switching!(),
    r" (?:the |our |my |all )?([\w-]+(?: [\w-]+){0,2}?) (?:over |away )?(?:from|off)\b",
    r"|([가-힣A-Za-z0-9_-]+(?: [가-힣A-Za-z0-9_-]+){0,2})[을를] ?[가-힣A-Za-z0-9.+#_-]+에서 ",
    r"|(?:^|[、。])([^、。はを]{2,20}?)[はを]、?[^、。はを]{1,20}から",
    r"|(?:^|[,，。])(?:那|就|我们|咱们|最终|决定|已经|也|都)*(?:把|将)?([^\s,，。把将从我们]{2,12}?)(?:也|都|已经?|就)*从\s?[A-Za-z\p{Han}]",
));
/// What is put somewhere: "store sessions in Redis".
static STORED: Pattern = Pattern::lean(
    r"(?i)\b(?:stor(?:e|ed|ing)|keep(?:ing)?|kept|put(?:ting)?|sav(?:e|ed|ing)|host(?:ed|ing)?|cach(?:e|ed|ing)|log(?:ged|ging)?|serv(?:e|ed|ing)|writ(?:e|ing)) (?:the |our |my |all )?([\w-]+(?: [\w-]+){0,2}?) (?:in|on|into|with|to|at|via) ",
);
static TOPIC: Pattern =
    Pattern::lean(r"(?:^|[,、，.。!] ?)([\p{L}\p{N} ]{2,20}?)(?:[은는] |は、?)");
/// What a decision is for in Korean, Japanese and Chinese, where it comes first.
pub(super) static SUBJECT: Pattern = Pattern::lean(
    r"(?:^|[,、，.。!] ?)(?:やっぱり、?|やはり、?|今後は?、?|これからは?、?|역시 ?|이제(?:부터)?(?:는)? ?|앞으로(?:는)? ?|아니다,? ?|생각해 ?보니 ?|算了[,，]? ?|以后|今后)?(?:(?:我们)?(?:决定)?把)?([\p{L}\p{N} ]{2,20}?)(?:은 |는 |は、?|(?:我们|咱们|我)?(?:决定|最终|还是|已经|都)*(?:就)?(?:改用|换成|改成|用)|(?:改)?(?:存|放|换|迁|搬|部署)(?:到|在|进))",
);

/// What a thing is to serve as: 用Valkey做缓存.
pub(super) static SERVES_AS: Pattern = Pattern::lean(
    r"用\s?[A-Za-z0-9.+#-]+\s?(?:来)?(?:做|当|作为|存储|存放|保存|存|管理|处理|记录|跑|写)(\p{Han}{2,8}?)(?:吧|了|[。,，!！]|$)",
);

fn english(verbs: &str) -> String {
    format!(r"(?i)\b(?:{verbs}) {NAME}{END}")
}

fn latin(around: &str) -> String {
    around.replace("NAME", LATIN)
}

/// What a decision chooses and rejects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    chosen: Vec<String>,
    rejected: Vec<String>,
    /// The words of what it is for; empty if it does not say.
    aim: Vec<String>,
    /// The day of the week from which it moves that.
    from_day: Option<String>,
    /// Whether it says that it goes back to what was before.
    is_return: bool,
}

impl Choice {
    /// What a text chooses; nothing if it may not switch what it speaks of switching.
    pub(crate) fn of(text: &str) -> Self {
        if SWITCHES.is_match(text) && doubt::is_doubtful(text) {
            return Choice::default();
        }
        let rejecting = [&REJECTED, &REJECTED_ELSEWHERE, &REJECTED_IN_SCRIPT, &OUT];
        let rejected = names(&rejecting, text);
        let mut chosen = names(&[&CHOSEN, &CHOSEN_ELSEWHERE, &CHOSEN_IN_SCRIPT], text);
        chosen.retain(|name| !rejected.contains(name));
        // "레디스는 안 쓰기로": what comes first is the name, not what it is for.
        let is_name = |told: &str| {
            let is_it = |name: &String| name == told;
            chosen.iter().any(is_it) || rejected.iter().any(is_it)
        };
        let aim = aim_of(text, &is_name);
        Choice {
            chosen,
            rejected,
            aim,
            from_day: from_day(text),
            is_return: RETURNS.is_match(text),
        }
    }

    /// Whether it moves something from one day of the week to another.
    pub(crate) fn is_of_a_day(&self) -> bool {
        self.from_day.is_some()
    }

    /// Whether it moves to another day what an older decision put on this one: "move the deploy day
    /// from Friday to Wednesday", "we deploy every Friday at noon".
    pub(crate) fn reschedules(&self, older: &str) -> bool {
        const DAYS: [&str; 9] = [
            "day", "days", "schedule", "time", "요일", "일정", "曜日", "日程", "时间",
        ];
        let Some(day) = &self.from_day else {
            return false;
        };
        let older = normalize(older, ' ');
        let older_words: Vec<&str> = older.split(' ').map(singular).collect();
        let things = self.aim.iter().flat_map(|word| word.split(['の', '的']));
        let is_told = |thing: &str| match thing.is_ascii() {
            true => older_words.contains(&singular(thing)),
            false => {
                let bare = thing.trim_end_matches('日');
                bare.chars().count() >= 2 && older.contains(bare)
            }
        };
        let mut things = things.filter(|thing| !DAYS.contains(thing) && thing.len() > 2);
        older.contains(day.as_str()) && things.any(is_told)
    }

    pub(crate) fn rejects_something(&self) -> bool {
        !self.rejected.is_empty()
    }

    /// Whether it decides against what an older decision chose, for the same or for whatever.
    pub(crate) fn rejects(&self, older: &Choice) -> bool {
        let is_same_aim = may_be_same_aim(&self.aim, &older.aim);
        is_same_aim && older.chosen.iter().any(|old| self.rejected.contains(old))
    }

    /// Whether it says that it goes back to something.
    pub(super) fn goes_back(&self) -> bool {
        self.is_return && !self.chosen.is_empty()
    }

    /// Whether it goes back to what an older decision went away from: "let's go back to Redis". For
    /// something that the older one does not name, it may have been chosen besides.
    pub(super) fn goes_back_on(&self, older: &Choice) -> bool {
        let is_for_it = self.aim.is_empty()
            || (!older.aim.is_empty() && may_be_same_aim(&self.aim, &older.aim));
        let is_back = || older.rejected.iter().any(|old| self.chosen.contains(old));
        self.goes_back() && is_for_it && is_back()
    }
}

/// Words by which a decision goes back to something.
static RETURNS: Pattern = Pattern::lean(
    r"(?i)\bback to\b|다시 [^,.]{1,20}로|로 ?(?:다시 )?(?:돌아가|되돌아가|복귀)|に戻(?:し|そ|す|り|ろ)|[换改切迁]回|回到",
);

/// A day of the week from which something is moved.
static FROM_DAY: Pattern = Pattern::lean(
    r"(?i)\bfrom (?:every |each )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b|([월화수목금토일]요일)에서|([月火水木金土日]曜)日?から|从(?:每)?((?:周|星期|礼拜)[一二三四五六日天])",
);

fn from_day(text: &str) -> Option<String> {
    let found = FROM_DAY.for_text(text)?.captures(text)?;
    let day = found.iter().skip(1).flatten().next()?;
    Some(day.as_str().to_lowercase())
}

/// The words of what a decision is for; none if it does not say. What is chosen or rejected is no aim.
fn aim_of(text: &str, is_name: &dyn Fn(&str) -> bool) -> Vec<String> {
    let places = [&SWITCHED, &AIM, &STORED, &TOPIC, &SERVES_AS, &SUBJECT];
    let named = places.into_iter().find_map(|pattern| {
        let found = pattern.for_text(text)?.captures(text)?;
        let named = normalize(found.iter().skip(1).flatten().next()?.as_str(), ' ');
        let is_aim = !NO_PURPOSE.contains(&named.as_str()) && !is_name(&named);
        is_aim.then_some(named)
    });
    named.map_or_else(Vec::new, |named| {
        named.split(' ').map(str::to_owned).collect()
    })
}

/// What something is for without the words that say which: "the session store" keeps sessions.
const KEEPERS: [&str; 20] = [
    "backend",
    "database",
    "db",
    "service",
    "storage",
    "store",
    "system",
    "데이터베이스",
    "백엔드",
    "서비스",
    "시스템",
    "저장",
    "저장소",
    "保存先",
    "ストレージ",
    "データベース",
    "存储",
    "数据库",
    "系统",
    "后端",
];

/// Whether two aims may be the same: one is not told, or told in more words ("the queue", "the job
/// queue"). What only says that something is kept is no other aim, and none that has no other word.
fn may_be_same_aim(one: &[String], other: &[String]) -> bool {
    fn telling(aim: &[String]) -> Vec<&str> {
        let words = aim.iter().flat_map(|word| word.split(['の', '的']));
        let words = words.filter(|word| !word.is_empty());
        let words = words.map(|word| singular(without_keeper(word)));
        let (keeping, telling): (Vec<_>, Vec<_>) = words.partition(|word| KEEPERS.contains(word));
        match telling.is_empty() {
            true => keeping,
            false => telling,
        }
    }
    let (one, other) = (telling(one), telling(other));
    let is_within = |few: &[&str], many: &[&str]| few.iter().all(|word| many.contains(word));
    is_within(&one, &other) || is_within(&other, &one)
}

/// A word of a script without spaces without what only says that something is kept: 会话存储.
fn without_keeper(word: &str) -> &str {
    let bare = KEEPERS.iter().find_map(|keeper| word.strip_suffix(keeper));
    bare.filter(|bare| !word.is_ascii() && bare.chars().count() >= 2)
        .unwrap_or(word)
}

/// An English word without the "s" of its plural: "session" for "sessions".
pub(super) fn singular(word: &str) -> &str {
    match word.is_ascii() && word.len() > 3 && !word.ends_with("ss") {
        true => word.trim_end_matches('s'),
        false => word,
    }
}

/// The names that patterns find, as their first groups that match. A name may begin where the end
/// of the one before was found.
fn names(patterns: &[&Pattern], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for regex in patterns.iter().filter_map(|one| one.for_text(text)) {
        let mut from = 0;
        while let Some((name, next)) = name_from(regex, text, from) {
            if !name.is_empty() && !found.contains(&name) {
                found.push(name);
            }
            from = next;
        }
    }
    found
}

/// The first name from a place on, and the place after it.
fn name_from(regex: &Regex, text: &str, from: usize) -> Option<(String, usize)> {
    let captures = regex.captures_at(text, from)?;
    let name = captures.iter().skip(1).flatten().next()?;
    Some((normalize(name.as_str(), ' '), name.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &CHOSEN,
            &REJECTED,
            &CHOSEN_ELSEWHERE,
            &REJECTED_ELSEWHERE,
            &CHOSEN_IN_SCRIPT,
            &REJECTED_IN_SCRIPT,
            &OUT,
            &AIM,
            &SWITCHES,
            &SWITCHED,
            &STORED,
            &FROM_DAY,
            &TOPIC,
            &SERVES_AS,
            &SUBJECT,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn a_decision_says_what_it_chooses_and_what_not() {
        for (text, chosen, rejected, aim) in [
            (
                "We decided against PostgreSQL; we use CockroachDB for orders instead.",
                "cockroachdb",
                "postgresql",
                "orders",
            ),
            (
                "Let's switch from Redis to Valkey now.",
                "valkey",
                "redis",
                "",
            ),
            (
                "We're using GitHub Actions rather than Jenkins for the nightly builds.",
                "github actions",
                "jenkins",
                "nightly builds",
            ),
            ("We no longer use Redis.", "", "redis", ""),
            (
                "Forget Redis, we'll use Valkey for the cache.",
                "valkey",
                "redis",
                "cache",
            ),
            (
                "let's drop Redis from the tariff cache",
                "",
                "redis",
                "tariff cache",
            ),
            ("레디스에서 발키로 바꾸기로 했어.", "발키", "레디스", ""),
            ("레디스는 안 쓰기로 했어.", "", "레디스", ""),
            (
                "RedisからValkeyに乗り換えることにした。",
                "valkey",
                "redis",
                "",
            ),
            ("Redisは使わないことにした。", "", "redis", ""),
            ("我们决定把缓存从Redis换成Valkey", "valkey", "redis", "缓存"),
            ("Redis 대신 Valkey로 가자", "valkey", "redis", ""),
            ("Redisをやめて、Valkeyを使います", "valkey", "redis", ""),
            ("不用 Redis，改用 Valkey", "valkey", "redis", ""),
            ("Keep the tests small.", "", "", ""),
        ] {
            let choice = Choice::of(text);
            let told = [choice.chosen, choice.rejected].map(|names| names.join(", "));
            assert_eq!(told, [chosen, rejected], "{text}");
            assert_eq!(choice.aim.join(" "), aim, "{text}");
        }
    }
}
