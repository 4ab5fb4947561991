//! Reads on which day something is, or which version of something runs, and whether that has changed:
//! two sentences that tell it of the same thing can be compared.

use super::doubt;
use crate::rules::pattern::Pattern;
use crate::rules::times::{NamedDate, named_dates, overlap};
use crate::text::keys::normalize;
use crate::text::scripts::is_unspaced;

/// What stands for a day in the sentence that is read, so that one pattern serves for all ways to write
/// one. No text of a person has it.
const DAY: &str = "\u{1}";

/// What people say before they tell something; `$more` are further words.
macro_rules! opening {
    ($($more:literal)?) => {
        concat!(
            r"(?:(?:fyi|btw|ok(?:ay)?|so|and|note|update|actually",
            $($more,)?
            r")[,:]? )*"
        )
    };
}

/// The name of a product.
macro_rules! product {
    () => {
        r"[a-z](?:[0-9a-z_.+#-]*[a-z_+#])?"
    };
}

/// Days that are no dates.
static OTHER_DAY: Pattern = Pattern::lean(concat!(
    r"\b(?:next |this |the following )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bnext (?:week|month|quarter|year|sprint)\b|\bq[1-4]\b",
    r"|(?:다음 ?주 ?|이번 ?주 ?)?[월화수목금토일]요일|다음 ?(?:주|달|분기)|내년",
    r"|(?:来週の?|今週の?)?[月火水木金土日]曜日?|来(?:週|月|年|期)",
    r"|(?:下周|下星期|本周|这周)?(?:周|星期|礼拜)[一二三四五六日天]|下(?:周[一二三四五六日天]?|个?月|个?季度)|明年",
));

/// "The release was postponed to November 20", "we moved the deadline to May 4".
static MOVED: [Pattern; 5] = [
    Pattern::lean(concat!(
        r"^",
        opening!("|also|unfortunately|heads up"),
        r"(?:(?:the|our|my) )?(?P<thing>[\w.'/-]+(?: [\w.'/-]+){0,4}?)(?: is| was| are| were| has been| have been| got| gets)? (?:now |just |already |officially )*(?:postponed|moved|pushed|delayed|rescheduled|brought forward|shifted|put off|bumped|deferred|changed|slipped|slips)(?: back| out| up| forward)?(?: from (?:\x01))? (?:to|until|till) (?:the )?\x01(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^",
        opening!("|also|unfortunately|heads up"),
        r"(?:(?:we|i|they)(?:'ve| have)? )?(?:now |just |already |had to )*(?:postponed?|moved?|push(?:ed)?|delay(?:ed)?|reschedul(?:ed)?|brought forward|shifted|put off|bumped|deferred|changed)(?: back)? (?:the |our |my )(?P<thing>[\w.'/-]+(?: [\w.'/-]+){0,4}?)(?: back| out| up| forward)?(?: from (?:\x01))? (?:to|until|till) (?:the )?\x01(?P<rest>.*)$"
    )),
    Pattern::lean(
        r"^(?:(?:그래서|참|아|그리고|공지)[,:]? )*(?:우리 )?(?P<thing>[\p{L}\p{N} ]{1,24}?)(?:이|가|은|는|을|를)? (?:(?:결국|그냥|이제|다시) )*(?:\x01에서 )?\x01(?:으?로|까지) ?(?:(?:다시|한 번) )?(?:연기|미뤄|미뤘|변경|바뀌|바꿨|바꾸기로 했|옮겼|옮겨|옮기기로 했|당겨|당겼|앞당겨|앞당겼|늦춰|늦췄|밀렸|밀려|조정|순연)(?:[가-힣]{0,8})?(?P<rest>.*)$",
    ),
    Pattern::lean(
        r"^(?:(?:ちなみに|なお|お知らせ|えっと)[、:：]?)*(?P<thing>[^、。はがを]{2,20}?)(?:は|が|を)、?(?:結局|急遽|もう)*(?:\x01から)?\x01(?:に|へ|まで)(?:延期|変更|前倒し|移動|移し|移り|ずらし|ずれ|繰り上げ|繰り下げ|変え|変わ|延ばし|なりました|なった)(?P<rest>.*)$",
    ),
    Pattern::lean(
        r"^(?:(?:对了|那个|通知|好的)[，,:：])*(?:我们的?)?(?:已经)?(?:把|将)?(?P<thing>[^，,。把将]{2,16}?)(?:已经|已|被|最终|又)*(?:从\x01)?(?:推迟|延期|延后|延迟|提前|改期|调整|推|改|挪|移)到了?\x01(?P<rest>.*)$",
    ),
];
/// "The release is on November 13".
static IS_ON: [Pattern; 4] = [
    Pattern::lean(concat!(
        r"^",
        opening!("|also"),
        r"(?:the |our |my )(?P<thing>[\w.'/-]+(?: [\w.'/-]+){0,4}?)(?:'s| is| are)(?: now| still| currently| set| scheduled| planned| due| fixed)*(?: on| for)? (?:the )?\x01(?P<rest>.*)$"
    )),
    Pattern::lean(
        r"^(?:(?:그래서|참|아|그리고)[,:]? )*(?:우리 )?(?P<thing>[\p{L}\p{N} ]{1,24}?)(?:은|는|이|가) (?:(?:이제|지금|현재) )*\x01(?:이야|이에요|예요|야|입니다|이다|임|로 (?:정해|잡혀|예정|하기로 했|정했)|에 (?:있|하기로 했|예정|잡혀)| 예정)(?:[가-힣]{0,8})?(?P<rest>.*)$",
    ),
    Pattern::lean(
        r"^(?:(?:ちなみに|なお)[、:：]?)*(?P<thing>[^、。はがを]{2,20}?)(?:は|が)、?(?:今は|今のところ)?\x01(?:です|だ|の予定(?:です|だ)?|に決まりました|に決まった|に決定しました|を予定しています|に行います|にあります)(?P<rest>.*)$",
    ),
    Pattern::lean(
        r"^(?:(?:对了)[，,:：])*(?:我们的?)?(?P<thing>[^，,。]{2,16}?)(?:现在|目前|暂)*(?:定在|是在|定于|安排在|是|在|为)了?\x01(?P<rest>.*)$",
    ),
];

/// "We upgraded to Node 20", "we bumped Node from 18 to 20".
static UPGRADED: [Pattern; 9] = [
    Pattern::lean(concat!(
        r"^",
        opening!(),
        r"(?:we|i)(?:'ve| have)? (?:now |just |already |finally )*(?:upgraded|updated|moved|switched|migrated|bumped|downgraded)(?: over| up)? (?:(?:the |our |my |all )(?P<thing>[\w./-]+(?: [\w./-]+){0,3}?) )?(?:from (?:[a-z][\w.+#-]* )?v?\d[\w.]* )?to (?P<name>",
        product!(),
        r") (?:version )?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^",
        opening!(),
        r"(?:we|i)(?:'ve| have)? (?:now |just |already |finally )*(?:upgraded|updated|bumped|downgraded|moved) (?P<name>",
        product!(),
        r")(?: (?:in|of) (?:the |our |my )(?P<thing>[\w./-]+(?: [\w./-]+){0,3}?))? (?:from v?\d[\w.]* )?to (?:version )?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:(?:the|our|my) )?(?P<thing>[\w./-]+(?: [\w./-]+){0,3}?) (?:was|has been|is|got) (?:now |just |already )*(?:upgraded|updated|moved|migrated|bumped|downgraded) (?:from (?:[a-z][\w.+#-]* )?v?\d[\w.]* )?to (?P<name>",
        product!(),
        r") (?:version )?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:우리(?:는)? |저희(?:는)? )?(?:(?:이제|드디어|방금) )*(?:(?P<thing>[가-힣a-z0-9 ]{1,16}?)(?:를|을|는|은|도)? )?(?:(?:[a-z][\w.+#-]* ?)?v?\d[\w.]*에서 )?(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?: ?버전)?(?:으?로) ?(?:업그레이드|올렸|올라|업데이트|다운그레이드|내렸|바꿨|옮겼|마이그레이션|전환|이전)(?:[가-힣]{0,8})?(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:우리(?:는)? |저희(?:는)? )?(?:(?:이제|드디어|방금) )*(?P<name>",
        product!(),
        r")(?:를|을) (?:v?\d[\w.]*에서 )?v?(?P<version>\d+(?:\.\d+)*)(?: ?버전)?(?:으?로) ?(?:업그레이드|올렸|올라|업데이트|다운그레이드|내렸|바꿨)(?:[가-힣]{0,8})?(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:(?:もう|ついに|先日)、?)*(?P<name>",
        product!(),
        r")を(?:v?\d[\w.]*から)?v?(?P<version>\d+(?:\.\d+)*)(?:に|へ)(?:アップグレード|バージョンアップ|アップデート|上げ|更新|ダウングレード|下げ|変え|変更)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:我们的?)?(?:已经|已|刚|刚刚|终于)*(?:把|将)(?P<name>",
        product!(),
        r")\s?(?:已经|已|也|都)*(?:从\s?v?\d[\w.]*\s?)?(?:升级|升|更新|降级|降|换)(?:到|成|为)了?\s?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:(?:もう|ついに|先日)、?)*(?:(?P<thing>[^、。はをがa-z]{2,16}?)(?:を|は|が))?(?:(?:[a-z][\w.+#-]* ?)?v?\d[\w.]*から)?(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?:に|へ)(?:アップグレード|バージョンアップ|アップデート|上げ|更新|ダウングレード|下げ|移行|切り替え|変え|変更)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:我们的?)?(?:已经|已|刚|刚刚|终于)*(?:把|将)?(?P<thing>[^，,。把将a-z]{2,12}?)?(?:已经|已|也|都)*(?:从\s?(?:[a-z][\w.+#-]* ?)?v?\d[\w.]*\s?)?(?:升级|升|更新|降级|降|换|迁移|切换)(?:到|成|为)了?\s?(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
];
/// "We run Node 18", "the backend is on Node 18".
static RUNS: [Pattern; 4] = [
    Pattern::lean(concat!(
        r"^",
        opening!(),
        r"(?:we|i|(?:(?:the|our|my) )?(?P<thing>[\w./-]+(?: [\w./-]+){0,3}?))(?:'re|'s)? (?:(?:now|still|currently|all) )*(?:runs? on|runs?|running on|running|uses?|using|is on|are on|on|is pinned to|pins?|is built on|is using|are using|are running|is running)(?: now| still| currently)? (?P<name>",
        product!(),
        r") (?:version )?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:우리(?:는|가)? |저희(?:는)? )?(?:(?P<thing>[가-힣a-z0-9 ]{1,16}?)(?:는|은|이|가) )?(?:(?:이제|지금|현재|아직) )*(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?: ?버전)?(?:을|를|에서|으로|로|이야|입니다|예요|이에요) ?(?:써|쓰고(?: 있)?|쓴다|씁니다|사용(?: 중|하고 있)?|돌아(?:가고 있)?|실행(?: 중|하고 있)?|구동|운영(?: 중|하고 있)?|기반)?(?:[가-힣]{0,8})(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:(?P<thing>[^、。はをがa-z]{2,16}?)(?:は|が|では))?、?(?:今は|現在は?|もう)?(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?:を使|で動|で稼働|です|だ|を利用|で運用)(?P<rest>.*)$"
    )),
    Pattern::lean(concat!(
        r"^(?:我们的?)?(?P<thing>[^，,。把将用a-z]{2,12}?)?(?:现在|目前|还|都|已经)*(?:用的是|用|跑在|运行在|跑的是|基于|使用|是)(?:了|的)?\s?(?P<name>",
        product!(),
        r") ?v?(?P<version>\d+(?:\.\d+)*)(?P<rest>.*)$"
    )),
];

/// Words by which it is not so, only perhaps, or not yet.
static UNSURE: Pattern = Pattern::lean(concat!(
    r"\b(?:not|never|maybe|perhaps|might|may|could|should|would|can|cannot|if|unless|whether|when|once|possibly|probably|almost|nearly|until we|plan(?:s|ned|ning)?|want(?:s|ed)?|hope[sd]?|try|tried|considered|considering|asked|who|what|why|how|will|going to) \w|n't\b|\?",
    r"|[?？]|까(?:요)?[.! ]*$|(?:안|못) (?:미뤘|옮겼|바꿨|올렸)|지 ?(?:않|못|말)|면 |수도|지도|려고|려면|[을를까] 생각|자고 했|고 싶|나요|인가요",
    r"|ない|ません|かも|たら|れば|なら|予定でした|だろう|でしょうか|ですか|つもり|たい|と言|らしい|そうです",
    r"|[吗呢]|没|不|可能|如果|要是|也许|大概|想|打算|说|听|据|要不要|计划",
));
/// What may follow without narrowing it.
static HARMLESS: Pattern = Pattern::lean(concat!(
    r"^[ ,]*(?:(?:now|instead|today|yesterday|this (?:week|month|morning)|last (?:week|month|night)|after all|for good|everywhere|finally|already|[.!]+)[ ,]*)*(?:(?:because|since|due to|so (?:that|we|the|it|they)|as (?:the|we|it)|thanks to)\b[^;–—]*)?$",
    r"|^(?:[가-힣]{0,8}[.! ]*|[よねましたす。！!でさるれっりなてにい]{0,12}|[了吧啦。！!. ]*)$",
));
/// How a reason begins, which tells nothing of the thing itself: "because the audit is not done".
static REASON: Pattern = Pattern::lean(
    r"\b(?:because|since|due to|so (?:that|we|the|it|they)|as (?:the|we|it)|thanks to)\b",
);
/// Words by which a reason goes on to tell where it is otherwise.
static EXCEPTS: Pattern = Pattern::lean(
    r"\b(?:but|except|although|though|however|while|only|unless|until|stays?|stayed|(?:rolled|rolling|roll|went|go) back|revert(?:ed|ing)?)\b",
);
/// What somebody runs themselves is not what all run.
static OWN: Pattern = Pattern::lean(concat!(r"^", opening!(), r"i\b"));

/// What a day or a version is told of, which, and whether that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DayOrVersion {
    /// The words that name it, sorted; for a version also its name.
    thing: Vec<String>,
    value: Value,
    is_change: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Date(NamedDay),
    OtherDay(String),
    Version(String),
}

/// The part of a date that tells one day from another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedDay {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

impl DayOrVersion {
    /// What a sentence tells of the day or the version of something; `None` if it tells none, or not of
    /// here and now.
    pub(super) fn of(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let told = of_day(&lower).or_else(|| of_version(&lower))?;
        let is_doubtful =
            doubt::is_doubtful(text) || text.contains(['?', '？']) || UNSURE.is_match(&told.1);
        (!is_doubtful).then_some(told.0)
    }

    /// Whether it tells of a change, or is to be one (`is_new`), to another value of the same thing.
    pub(super) fn changes(&self, is_new: bool, older: &DayOrVersion) -> bool {
        (self.is_change || is_new) && self.thing == older.thing && self.value.differs(&older.value)
    }
}

impl Value {
    fn differs(&self, older: &Value) -> bool {
        match (self, older) {
            // "Node 20" is no other version than 20.11.
            (Value::Version(new), Value::Version(old)) => {
                let is_part = |rest: &str| rest.starts_with('.');
                new != old && !old.strip_prefix(new.as_str()).is_some_and(is_part)
            }
            (Value::Version(_), _) | (_, Value::Version(_)) => false,
            (Value::Date(new), Value::Date(old)) => {
                let years_differ = new.year.is_some() && old.year.is_some() && new.year != old.year;
                let days_differ = new.day.is_some() && new.day != old.day;
                years_differ || new.month != old.month || days_differ
            }
            (new, old) => new != old,
        }
    }
}

/// What is told of a day, and the sentence without its days and a reason.
fn of_day(lower: &str) -> Option<(DayOrVersion, String)> {
    let (plain, days) = without_days(lower)?;
    let (found, is_change) = captured(&[(&MOVED[..], true), (&IS_ON[..], false)], &plain)?;
    let (thing, rest) = (found.thing?, found.rest);
    // The rest may name other days: "because the audit is on the 13th".
    let told_of = plain.strip_suffix(rest)?.matches(DAY).count();
    let value = days.get(told_of.checked_sub(1)?)?.clone();
    let thing = words_of(thing, true);
    let is_told = !thing.is_empty() && is_harmless(rest) && !is_pronoun(&thing);
    let told = DayOrVersion {
        thing,
        value,
        is_change,
    };
    is_told.then(|| (told, without_reason(&plain, rest).replace(DAY, "")))
}

/// Whether what follows a day or a version does not narrow it.
fn is_harmless(rest: &str) -> bool {
    HARMLESS.is_match(rest) && !EXCEPTS.is_match(rest)
}

/// A sentence without the reason that its rest tells.
fn without_reason<'t>(text: &'t str, rest: &str) -> &'t str {
    let reason = REASON.for_text(rest).and_then(|found| found.find(rest));
    let reason = reason.and_then(|reason| text.strip_suffix(rest.get(reason.start()..)?));
    reason.unwrap_or(text)
}

/// A sentence in which each day is the mark of one, and the days.
fn without_days(lower: &str) -> Option<(String, Vec<Value>)> {
    let is_of_a_day = |date: &NamedDate| date.month.is_some();
    let mut days: Vec<(std::ops::Range<usize>, Value)> = named_dates(lower)
        .into_iter()
        .filter(is_of_a_day)
        .map(|date| {
            let day = NamedDay {
                year: date.year,
                month: date.month,
                day: date.day,
            };
            (date.place, Value::Date(day))
        })
        .collect();
    if let Some(pattern) = OTHER_DAY.for_text(lower) {
        for found in pattern.find_iter(lower) {
            let is_free = days
                .iter()
                .all(|(place, _)| !overlap(place, &found.range()));
            if is_free {
                let name = found.as_str().replace(' ', "");
                days.push((found.range(), Value::OtherDay(name)));
            }
        }
    }
    days.sort_by_key(|(place, _)| place.start);
    if days.is_empty() {
        return None;
    }
    let mut plain = String::with_capacity(lower.len());
    let mut values = Vec::with_capacity(days.len());
    let mut from = 0;
    for (place, value) in days {
        plain.push_str(lower.get(from..place.start)?);
        plain.push_str(DAY);
        from = place.end;
        values.push(value);
    }
    plain.push_str(lower.get(from..)?);
    Some((plain, values))
}

/// What is told of a version, and the sentence without a reason.
fn of_version(lower: &str) -> Option<(DayOrVersion, String)> {
    if !lower.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (found, is_change) = captured(&[(&UPGRADED[..], true), (&RUNS[..], false)], lower)?;
    let name = product(found.name?)?;
    let mut thing = found
        .thing
        .map_or_else(Vec::new, |thing| words_of(thing, false));
    thing.retain(|word| *word != name);
    if !is_harmless(found.rest) || is_pronoun(&thing) {
        return None;
    }
    if found.thing.is_none() && OWN.is_match(lower) {
        thing.push("i".to_owned());
    }
    thing.push(name);
    let told = DayOrVersion {
        thing,
        value: Value::Version(found.version?.to_owned()),
        is_change,
    };
    Some((told, without_reason(lower, found.rest).to_owned()))
}

/// The groups of a pattern.
struct Found<'t> {
    thing: Option<&'t str>,
    rest: &'t str,
    name: Option<&'t str>,
    version: Option<&'t str>,
}

/// What the first of some patterns finds, and whether it is one of change.
fn captured<'t>(
    patterns: &[(&'static [Pattern], bool)],
    text: &'t str,
) -> Option<(Found<'t>, bool)> {
    patterns.iter().find_map(|(patterns, is_change)| {
        let mut patterns = patterns.iter();
        let found = patterns.find_map(|pattern| pattern.for_text(text)?.captures(text))?;
        let group = |name: &str| found.name(name).map(|group| group.as_str());
        let found = Found {
            thing: group("thing"),
            rest: group("rest")?,
            name: group("name"),
            version: group("version"),
        };
        Some((found, *is_change))
    })
}

/// The name of a product in its plainest form; `None` for what is counted ("phase 2").
fn product(name: &str) -> Option<String> {
    const COUNTED: [&str; 42] = [
        "about", "at", "build", "building", "chapter", "day", "exactly", "floor", "for", "group",
        "in", "issue", "item", "level", "line", "no", "number", "on", "only", "option", "over",
        "page", "part", "phase", "plan", "port", "pr", "room", "section", "slot", "sprint",
        "stage", "step", "task", "team", "the", "ticket", "tier", "version", "week", "with",
        "year",
    ];
    let bare = name.trim_end_matches('.');
    let bare = bare.strip_suffix(".js").unwrap_or(bare);
    let bare = match bare {
        "nodejs" => "node",
        "postgresql" => "postgres",
        "golang" => "go",
        other => other,
    };
    (!COUNTED.contains(&bare) && bare.len() > 1).then(|| bare.to_owned())
}

/// The words that name a thing. What is said of its day need not say "day".
fn words_of(thing: &str, is_of_day: bool) -> Vec<String> {
    const LEFT_OUT: [&str; 10] = ["a", "all", "an", "its", "my", "of", "our", "s", "the", "we"];
    const DAYS: [&str; 5] = ["date", "day", "날짜", "일자", "일정"];
    let plain = normalize(thing, ' ');
    let words = plain.split(' ').filter(|word| {
        let is_day = is_of_day && DAYS.contains(word);
        !word.is_empty() && !LEFT_OUT.contains(word) && !is_day
    });
    let mut words: Vec<String> = words.map(|word| bare(word, is_of_day).to_owned()).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A word without a particle, and without what says that it is a day.
fn bare(word: &str, is_of_day: bool) -> &str {
    const PARTICLES: [&str; 5] = ["의", "은", "는", "の", "的"];
    const DAYS: [&str; 9] = [
        "日期",
        "时间",
        "日時",
        "日程",
        "予定日",
        "일정",
        "日",
        "날",
        "일",
    ];
    let strip = |word: &'_ str, endings: &[&str]| -> Option<usize> {
        let rest = endings
            .iter()
            .find_map(|ending| word.strip_suffix(ending))?;
        (rest.chars().count() >= 2).then_some(rest.len())
    };
    if word.is_ascii() {
        return word;
    }
    let word = strip(word, &PARTICLES).map_or(word, |end| &word[..end]);
    let is_dated = is_of_day && (word.contains(is_unspaced) || word.chars().count() > 2);
    match strip(word, &DAYS) {
        Some(end) if is_dated => word[..end].trim_end_matches(['の', '的']),
        _ => word,
    }
}

fn is_pronoun(words: &[String]) -> bool {
    const PRONOUNS: [&str; 14] = [
        "it", "that", "this", "they", "these", "those", "he", "she", "you", "이거", "그거", "これ",
        "それ", "它",
    ];
    !words.is_empty() && words.iter().all(|word| PRONOUNS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        let told = MOVED.iter().chain(&IS_ON).chain(&UPGRADED).chain(&RUNS);
        let others = [&OTHER_DAY, &UNSURE, &HARMLESS, &REASON, &EXCEPTS, &OWN];
        for pattern in told.chain(others) {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn of_what_a_day_or_a_version_is_told() {
        for (text, thing, is_change) in [
            ("The release is on November 13.", "release", false),
            ("The release date is 13 November.", "release", false),
            ("The release was postponed to November 20.", "release", true),
            ("We moved the deadline to May 4", "deadline", true),
            (
                "The demo was pushed back from Friday to Monday.",
                "demo",
                true,
            ),
            ("We run Node 18.", "node", false),
            ("We're on Node.js v18.", "node", false),
            ("The backend runs on Python 3.11.", "backend python", false),
            ("We upgraded to Node 20.", "node", true),
            (
                "We upgraded the backend to Python 3.12",
                "backend python",
                true,
            ),
            ("We bumped Node from 18 to 20.", "node", true),
            ("출시는 11월 13일이야.", "출시", false),
            ("출시일이 11월 20일로 연기됐어.", "출시", true),
            ("마감을 5월 4일로 옮겼어", "마감", true),
            ("우리는 Node 18을 써.", "node", false),
            ("Node 20으로 업그레이드했어.", "node", true),
            ("リリースは11月13日です。", "リリース", false),
            ("リリース日が11月20日に延期になりました。", "リリース", true),
            ("締め切りを5月4日に変更しました。", "締め切り", true),
            ("Node 18を使っています。", "node", false),
            ("Node 20にアップグレードしました。", "node", true),
            ("发布定在11月13日。", "发布", false),
            ("发布日期推迟到11月20日了。", "发布", true),
            ("我们把截止日期改到5月4日了。", "截止", true),
            ("我们用的是Node 18。", "node", false),
            ("我们升级到Node 20了。", "node", true),
            // Without a space.
            ("우리는 Node18을 써.", "node", false),
            ("Node20으로 업그레이드했어.", "node", true),
            ("Node18を使っています。", "node", false),
            ("Node20にアップグレードしました。", "node", true),
            ("我们用的是Node18。", "node", false),
            ("我们升级到Node20了。", "node", true),
            ("我们把Node从18升级到20了。", "node", true),
            ("We upgraded to Log4j 2.", "log4j", true),
            ("우리는 Node 18을 쓰고 있어.", "node", false),
            ("我们的发布定在11月13日。", "发布", false),
            ("我们的发布推迟到11月20日了。", "发布", true),
            // Who runs it.
            ("I use Node 18.", "i node", false),
            ("I upgraded to Node 20 today.", "i node", true),
        ] {
            let told = DayOrVersion::of(text);
            let told = told.map(|told| (told.thing.join(" "), told.is_change));
            assert_eq!(told, Some((thing.to_owned(), is_change)), "{text}");
        }
    }

    #[test]
    fn the_day_is_none_that_a_reason_names() {
        for (text, day) in [
            (
                "The release was postponed to November 20 because the audit is on November 13.",
                20,
            ),
            (
                "We moved the meeting from November 13 to November 20 because November 13 is a holiday.",
                20,
            ),
            (
                "We moved the deadline to May 4 so the release is on May 6.",
                4,
            ),
            (
                "The release was postponed to November 20 because the audit is not done.",
                20,
            ),
        ] {
            match DayOrVersion::of(text).map(|told| told.value) {
                Some(Value::Date(date)) => assert_eq!(date.day, Some(day), "{text}"),
                other => panic!("{text} {other:?}"),
            }
        }
        let text = "The demo was moved from Friday to Monday because Friday is a holiday.";
        let told = DayOrVersion::of(text).map(|told| told.value);
        assert_eq!(told, Some(Value::OtherDay("monday".to_owned())));
    }

    #[test]
    fn what_is_unsure_narrowed_or_of_nothing_tells_none() {
        for text in [
            "Was the release postponed to November 20?",
            "If the release is moved to November 20 we are fine.",
            "The release might be moved to November 20.",
            "The release was not moved to November 20.",
            "Bob said the release was moved to November 20.",
            "We should move the release to November 20.",
            "The release was postponed to November 20, but only on staging.",
            "We upgraded to Node 20 on staging.",
            "We run Node 18 in CI.",
            "We never upgraded to Node 20.",
            "We upgraded to phase 2.",
            "We require Node 18.",
            "We upgraded to Node 20; the legacy worker stays on Node 18.",
            "We upgraded to Node 20 yesterday; rolled back today.",
            "We upgraded to Node 20 — but only for the legacy worker.",
            "We upgraded to Node 20 because 18 is too old, but the worker stays.",
            "We now use Node 20 as well.",
            "Also, we now use Node 20.",
            "We upgraded to Python 3.12 too.",
            "우리는 Node 18을 스테이징에서 써.",
            "It was moved to May 4.",
            "We moved the file to step 4.",
            "출시가 11월 20일로 연기됐나요?",
            "출시가 11월 20일로 연기되면 알려 줘.",
            "스테이징에서만 Node 20으로 올렸어, 테스트용으로.",
            "リリースは11月20日に延期しますか？",
            "リリースは11月20日に延期になるかもしれません。",
            "发布可能推迟到11月20日。",
            "发布推迟到11月20日了吗？",
            "我们没有升级到Node 20。",
        ] {
            assert_eq!(DayOrVersion::of(text), None, "{text}");
        }
    }
}
