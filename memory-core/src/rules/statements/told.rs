//! Reads what a sentence tells of a port, an owner or what became what, however it is put: two that
//! tell of the same can then be compared.

use super::choice::singular;
use super::doubt;
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;
use crate::text::scripts::is_unspaced;

/// How one tells the port of a thing: where it listens, or that it was moved.
static PORT: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:the |our |my )?([a-z][\w./-]*(?: [\w./-]+){0,3}?) ?: (?:now )?(?:runs|running|listens|listening|serves|serving) (?:on|at) port (\d{2,5})\b",
    r"|",
    r"(?i)^(?:(?:btw|fyi|note|and|so|ok|actually|the|our|my)[,:]? )*([a-z][\w./-]*(?: [\w./-]+){0,3}?)(?: now| still)? (?:listens|runs|is|serves|uses)\b[^,;]{0,24}? port (\d{2,5})\b",
    r"|(?i)\b(?:moved|switched|changed|set) (?:the |our |my )?([\w ./-]+?)(?:'s)?(?: port)?(?: back)? (?:from (?:port )?\d+ )?(?:back )?to port (\d{2,5})\b",
    r"|(?i)^(?:(?:btw|fyi|note|and|so|ok|actually)[,:]? )*(?:we|i)(?:'re)?(?: now| still)? (?:run|running|serve|serving|host|hosting|expose) (?:the |our |my )?([\w ./-]+?) (?:now )?(?:on|at) port (\d{2,5})\b",
    r"|(?i)\b(?:moved|switched|changed|set) (?:the |our |my )?([\w ./-]+?)(?:'s)? port (?:from \d+ )?to (\d{2,5})\b",
    r"|(?i)^(?:(?:the|our|my) )?([\w ./-]+?)(?:'s)? port (?:(?:has|is|was) (?:now |just |still )?(?:been )?(?:changed |moved |switched )?|(?:changed|moved|switched) )(?:from \d+ )?(?:to )?(\d{2,5})\b",
    r"|^([\p{L}\p{N}._-]+?(?: [\p{L}\p{N}._-]+?)??)(?:은|는|이|가|의)? (?:이제 |지금은 |현재 )?(?:포트[를은는이가]? ?(?:\d{2,5}번?에서 )?)?(\d{2,5})번?(?: 포트| ?으로 (?:바|변|옮)| ?로 (?:바|변|옮)|이야|이에요|입니다)",
    r"|^([^はがをの、]+)(?:は|が|の|を)(?:今は|現在は|もう)?(?:ポート(?:番号)?(?:を|は|が|の)?)?(?:今は|現在は|もう)?(?:\d{2,5}番?から)?(\d{2,5})(?:番?ポート|番?(?:に|へ)(?:変|移|切り替|な)|番?(?:です|だ|で(?:動|稼働|起動|公開|待ち|リッスン))|番)",
    r"|^([^的现目已端，,]+?)(?:的|现在|目前|已经)*(?:端口)?(?:现在|已经)?(?:从\s?\d{2,5}\s?)?(?:跑在|运行在|监听|用的是|用|是|改成|改为|换成|改到|换到|迁到|移到|切到)了?\s?(?:端口\s?)?(\d{2,5})",
));
/// Who has something now that another had.
static TAKEN_OVER: Pattern = Pattern::lean(
    r"(?i)^([\w-]+) (?:took|takes|has taken|is taking) over (.+?)(?: from [\w-]+)?[.! ]*$",
);
/// Who has something: "Mina is responsible for the billing service".
static OWNS: Pattern = Pattern::lean(
    r"(?i)^([\w-]+) (?:is|was) (?:now )?(?:responsible for|in charge of|the (?:new )?(?:owner|maintainer) of|looking after|taking care of) (.+?)[.! ]*$|^([\w-]+) (?:owns|maintains|looks after|takes care of) (.+?)(?: now)?[.! ]*$",
);
/// The same, what is had first: "the billing service is owned by Mina", 決済の担当は田中さんです.
static OWNED: Pattern = Pattern::lean(concat!(
    r"(?i)^(.+?) (?:is|was) (?:now )?(?:owned|maintained|looked after|taken care of) by ([\w-]+)[.! ]*$|^(.+?) (?:now )?belongs to ([\w-]+)(?: now)?[.! ]*$|^(.+?) is (?:now )?([\w-]+)'s (?:responsibility|area)(?: now)?[.! ]*$",
    r"|^(.+?)(?:의|은|는)? ?(?:담당자?|책임자|오너|관리자)(?:은|는|이|가) (?:(?:이제|앞으로|지금은?) )?(?:[^ ]+에서 )?([가-힣A-Za-z]+?)(?:님|씨)?(?:이야|야|이에요|예요|이다|입니다|임|(?:으로|로) (?:바|변경|교체))",
    r"|^(.+?)(?:은|는) (?:(?:이제|앞으로|지금은?) )?([가-힣A-Za-z]{2,}?)(?:이가|이|가|님이|씨가) (?:담당|맡|책임지|관리하|넘겨받|인계받|이어받)",
    r"|^([^、。はが]*?)の?(?:担当者?|責任者|オーナー|管理者|メンテナー?)[はが]、?([^、。]+?)(?:さん|氏|くん|君)?(?:です|だ|に(?:変わ|なり|なっ|交代|代わ|替わ|変更))",
    r"|^([^、。]+?)[はを]、?([^、。はがを]+?)(?:さん|氏|くん|君)?が(?:担当|管理し|メンテ|引き継)",
    r"|^([^,，。]*?)的?(?:改|已经|都|以后)*由([^,，。]+?)(?:来)?(?:负责|維護|维护|管理|接手|接管|負責)",
    r"|^([^,，。]*?)(?:已经|都|就)?(?:交给|移交给|转交给|转给)了?([^,，。]+?)(?:来)?(?:负责|维护|管理|接手)",
    r"|^([^,，。]*?)的?(?:负责人|負責人|维护者|接口人|联系人)(?:已经)?(?:是|为|换成|改成|改为|变成|变为|換成)了?([^,，。了]+)",
));
/// The same, who has it first, in Korean, Japanese and Chinese: 田中さんが決済を引き継ぎました,
/// 小李接手了支付服务.
static OWNS_EAST: Pattern = Pattern::lean(
    r"^([가-힣A-Za-z]{2,}?)(?:이가|이|가|님이|씨가) ([^.]+?)(?:을|를) (?:넘겨받|인계받|이어받)|^([^、。はがを]+?)(?:さん|氏|くん|君)?が([^、。]+?)[をの](?:担当|引き継)|^([^,，。由的]{1,6}?)(?:已经)?(?:接手|接管|负责|維護|维护|負責)了?([^,，。的]{2,}?)(?:了)?[。.! ]*$",
);
/// What became what, in Korean.
static BECAME: Pattern = Pattern::lean(
    r"^(.+?)(?:이|가|은|는) (?:이제 )?([^ ]+?)(?:으로|로) (?:바뀌|바뀐|변경됐|변경되)",
);

/// Who is asked for that has something: "who owns the billing service?", 검색 모듈 담당은 누구야?
static ASKS_OWNER: Pattern = Pattern::lean(concat!(
    r"(?i)\bwho(?:'s| is| are)? (?:now |currently )?(?:owns?|owning|maintains?|maintaining|looks? after|looking after|takes? care of|taking care of|(?:is |are )?(?:responsible for|in charge of)|the (?:owner|maintainer) of) (?:the |our |my )?([^?]{2,40}?)(?: now| at the moment)?[?.! ]*$",
    r"|(?:^|[,.] ?)(?:(?:그럼|그러면|근데|혹시|지금) )*([^?,.]{1,30}?)(?:의|은|는|을|를)? ?(?:담당자?|책임자|오너|관리자)(?:은|는|이|가)? ?(?:누구|누가)|(?:^|[,.] ?)(?:(?:그럼|그러면|근데|혹시|지금) )*([^?,.]{1,30}?)(?:은|는|을|를) (?:지금 )?누가 (?:담당|관리|맡|책임)|누가 ([^?,.]{1,30}?)(?:을|를) (?:담당|관리|맡|책임)",
    r"|(?:^|[、。])(?:(?:では|じゃあ|今)、?)*([^、。?？はが]{1,30}?)の?(?:担当者?|責任者|オーナー|管理者|メンテナー?)(?:は|って)、?(?:誰|だれ|どなた)|(?:^|[、。])([^、。?？はが]{1,30}?)は(?:今)?、?(?:誰|だれ|どなた)が(?:担当|管理|メンテ)|(?:誰|だれ|どなた)が([^、。?？はがを]{1,30}?)[をの](?:担当|管理|メンテ)",
    r"|谁(?:在|来)?(?:负责|維護|维护|管理|負責)([^,，。?？的]{2,20}?)(?:的|呢)?[?？。! ]*$|(?:^|[,，。])([^,，。?？]{2,20}?)(?:现在|目前)*(?:是|由|归)?谁(?:在|来)?(?:负责|维护|管理|管|負責)|(?:^|[,，。])([^,，。?？]{2,20}?)的?(?:负责人|負責人|维护者|接口人|联系人)(?:现在|目前)*是谁",
));
/// Who has nothing.
static NOBODY: Pattern = Pattern::lean(
    r"(?i)\b(?:nobody|no one|noone|anyone|anybody|everybody|everyone|all|who|ai)\b|아무도|누군가|모두|다 같이|휴가|공석|미정|부재|출장|퇴사|誰|みんな|全員|状態|不在|休|未定|退職|空席|没人|无人|谁|大家|所有人|休假|出差|待定|空缺",
);
/// Words by which somebody has something only perhaps or later.
static NOT_YET: Pattern = Pattern::lean(
    r"(?i)\b(?:if|unless|once|when|until|almost|nearly)\b|으면 |하면 |되면 |라면 |たら|れば|^等|如果|要是|假如|一旦|要不要",
);

/// Whether the rest of a clause says more than that it is so now: "on staging".
fn says_where(rest: &str) -> bool {
    const NOTHING: [&str; 7] = ["again", "by", "default", "instead", "now", "then", "today"];
    let clause = rest
        .split([',', ';', '.', '。', '，', '('])
        .next()
        .unwrap_or("");
    clause
        .split_whitespace()
        .any(|word| word.is_ascii() && word.len() > 1 && !NOTHING.contains(&word))
}

/// What has a port, without the word that only says that it is something that has one, and without a
/// particle.
fn without_server(thing: &str) -> &str {
    const SERVERS: [&str; 7] = [
        " server",
        " service",
        "서버",
        "サーバー",
        "サーバ",
        "服务器",
        "服务",
    ];
    // 게이트웨이 may itself end like a particle.
    let thing = thing
        .trim()
        .trim_end_matches(['은', '는', '이', '가', '의']);
    let bare = SERVERS.iter().find_map(|server| thing.strip_suffix(server));
    bare.map(str::trim_end)
        .filter(|bare| !bare.is_empty())
        .unwrap_or(thing)
}

/// How a sentence begins that says from when on something is so.
static SINCE: Pattern = Pattern::lean(
    r"(?i)^(?:from (?:now|here) on,? |(?:이제|앞으로|지금)(?:부터)?(?:는)?,? |(?:今後|これから)は?、?|(?:以后|今后|从现在起|现在)[，,]?)",
);
/// Words of what took the place of another.
static TOOK_PLACE: Pattern = Pattern::lean(
    r"(?i)\b(?:moved|switched|changed|took|takes|taken|taking|new (?:owner|maintainer))\b|바꿨|바뀌|바뀐|변경|옮겼|넘겨받|인계받|이어받|変え|変わ|変更|移し|になった|になりました|引き継|交代|改成|改为|换成|改到|换到|改由|交给|接手|接管|变成",
);

/// What a sentence tells, in the words in which it is told most plainly.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) words: String,
    /// Whether it tells that something has changed.
    pub(super) is_change: bool,
    /// Who has what, if it tells that.
    pub(super) owner: Option<Owner>,
}

/// Who has what, in normal form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Owner {
    who: String,
    thing: Vec<String>,
}

impl Owner {
    fn of(text: &str) -> Option<Self> {
        let named = |pattern: &'static Pattern| {
            let found = pattern.for_text(text)?.captures(text)?;
            let mut groups = found.iter().skip(1).flatten();
            Some((groups.next()?.as_str(), groups.next()?.as_str()))
        };
        let owned = || named(&OWNED).map(|(thing, who)| (who, thing));
        let owns = [&TAKEN_OVER, &OWNS, &OWNS_EAST];
        let (who, thing) = owns.into_iter().find_map(named).or_else(owned)?;
        const PRONOUNS: [&str; 8] = [
            "it", "that", "them", "these", "this", "those", "이거", "그거",
        ];
        let words = thing_words(thing);
        let is_pronoun = |word: &String| PRONOUNS.contains(&word.as_str());
        let is_told = words.is_empty() || !words.iter().all(is_pronoun);
        (is_told && !NOBODY.is_match(who)).then(|| Owner {
            who: normalize(who, ' '),
            thing: words,
        })
    }

    /// Whether what somebody has is something else than what is asked for.
    fn is_of_another(&self, asked: &[String]) -> bool {
        let is_within = |few: &[String], many: &[String]| {
            few.iter().all(|word| {
                let is_it = |other: &String| {
                    let is_unspaced = word.contains(is_unspaced) || other.contains(is_unspaced);
                    bare(word) == bare(other) || (is_unspaced && other.contains(word.as_str()))
                };
                many.iter().any(is_it)
            })
        };
        !self.thing.is_empty() && !is_within(&self.thing, asked) && !is_within(asked, &self.thing)
    }

    /// Whether somebody else has the same.
    pub(super) fn replaces(&self, older: &Owner) -> bool {
        self.thing == older.thing && self.who != older.who
    }
}

/// The thing of which a question asks who has it, as a later call compares it; `None` if it asks for
/// something else.
pub(crate) fn asked_owner(question: &str) -> Option<Vec<String>> {
    let found = ASKS_OWNER.for_text(question)?.captures(question)?;
    const NOTHING: [&str; 19] = [
        "it",
        "that",
        "them",
        "these",
        "this",
        "those",
        "everything",
        "what",
        "which",
        "이거",
        "그거",
        "이건",
        "그건",
        "これ",
        "それ",
        "这个",
        "那个",
        "这",
        "它",
    ];
    let thing = thing_words(found.iter().skip(1).flatten().next()?.as_str());
    let is_told = thing.iter().any(|word| !NOTHING.contains(&word.as_str()));
    is_told.then_some(thing)
}

/// Whether a sentence tells who has something else than a question asks for.
pub(crate) fn tells_another_owner(text: &str, asked: &[String]) -> bool {
    Owner::of(text).is_some_and(|owner| owner.is_of_another(asked))
}

/// The words that name what somebody has.
fn thing_words(thing: &str) -> Vec<String> {
    const ARTICLES: [&str; 4] = ["a", "all", "an", "the"];
    let normal = normalize(without_server(thing), ' ');
    let words = normal.split(' ');
    let words = words.filter(|word| !word.is_empty() && !ARTICLES.contains(word));
    words.map(str::to_owned).collect()
}

/// A word without the "s" of a plural, or a Korean particle.
fn bare(word: &str) -> &str {
    match word.is_ascii() {
        true => singular(word),
        false => word.trim_end_matches(['은', '는', '의']),
    }
}

/// A sentence that tells a change, or one in which something is told in many ways, in the words that
/// tell how it is.
pub(super) fn told_plainly(text: &str) -> Told {
    let since = SINCE.for_text(text).and_then(|found| found.find(text));
    let said = since.map_or(text, |since| &text[since.end()..]);
    let plain = || Told {
        words: text.to_owned(),
        is_change: false,
        owner: None,
    };
    if doubt::is_reported(said) || NOT_YET.is_match(said) {
        return plain();
    }
    let is_change = TOOK_PLACE.is_match(text);
    let changed = |words| Told {
        words,
        is_change,
        owner: None,
    };
    if let Some(words) = port(said) {
        return words.map_or_else(plain, changed);
    }
    let owner = Owner::of(said);
    if owner.is_some() {
        return Told {
            owner,
            ..changed(text.to_owned())
        };
    }
    let became = BECAME.for_text(said).and_then(|found| found.captures(said));
    became.map_or_else(plain, |found| {
        changed(format!("{}는 {}이야", &found[1], &found[2]))
    })
}

/// What has which port; `Some(None)` if that is so only somewhere.
fn port(said: &str) -> Option<Option<String>> {
    let lower = said.to_lowercase();
    let words = ["port", "포트", "ポート", "端口"];
    if !words.iter().any(|word| lower.contains(word)) {
        return None;
    }
    // A name may be written as code: "the `relay.ts` service".
    let said = said.replace(['`', '*'], "");
    let found = PORT.for_text(&said)?.captures(&said)?;
    let mut groups = found.iter().skip(1).flatten();
    let (thing, port) = (groups.next()?, groups.next()?);
    let is_all = !says_where(&said[port.end()..]);
    let thing = thing.as_str().to_lowercase();
    let thing = without_server(&thing);
    Some(is_all.then(|| format!("{thing} port {}", port.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &ASKS_OWNER,
            &PORT,
            &TAKEN_OVER,
            &OWNS,
            &OWNED,
            &OWNS_EAST,
            &BECAME,
            &NOBODY,
            &NOT_YET,
            &SINCE,
            &TOOK_PLACE,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn who_has_something_else_than_is_asked_for() {
        for (question, same, other) in [
            (
                "Who owns the billing service?",
                "Mina owns billing.",
                "Jonas owns the search service.",
            ),
            (
                "who is responsible for the mobile app?",
                "The mobile app is owned by Mina.",
                "Jonas is responsible for the website.",
            ),
            (
                "검색 모듈 담당자는 누구야?",
                "검색 모듈 담당은 지은이야.",
                "결제 모듈 담당은 민수야.",
            ),
            (
                "결제는 누가 담당해?",
                "결제 담당자는 민지야.",
                "검색 담당자는 지훈이야.",
            ),
            (
                "決済の担当は誰ですか？",
                "決済の担当は田中さんです。",
                "検索の担当は鈴木さんです。",
            ),
            (
                "誰が決済サービスを担当していますか？",
                "決済の担当は田中さんです。",
                "検索サービスの担当は鈴木さんです。",
            ),
            (
                "支付服务由谁负责？",
                "支付服务由小王负责。",
                "搜索服务由小李负责。",
            ),
            (
                "谁负责支付服务？",
                "支付服务的负责人是小王。",
                "搜索服务的负责人是小李。",
            ),
        ] {
            let asked = asked_owner(question).unwrap_or_else(|| panic!("{question}"));
            assert!(
                !tells_another_owner(same, &asked),
                "{question} {same} {asked:?}"
            );
            assert!(
                tells_another_owner(other, &asked),
                "{question} {other} {asked:?}"
            );
        }
        for (owner, thing) in [
            ("Allègre owns the billing service.", "billing"),
            ("Zoë took over the parser.", "parser"),
            ("결제 담당자는 민지야.", "결제"),
        ] {
            let found = Owner::of(owner);
            let things = found.map(|owner| owner.thing.join(" "));
            assert_eq!(things.as_deref(), Some(thing), "{owner}");
        }
        for text in [
            "Who broke the build?",
            "Who owns it?",
            "Who maintains this?",
            "who is in charge of everything?",
            "그거 담당자는 누구야?",
            "それの担当は誰ですか？",
            "谁负责这个？",
            "Mina owns the billing service.",
            "Who said that the billing service is slow?",
            "검색 모듈은 누가 만들었어?",
            "誰が書きましたか？",
            "谁写的？",
        ] {
            assert_eq!(asked_owner(text), None, "{text}");
        }
        // What tells no owner is none of another.
        let asked = asked_owner("Who owns the billing service?").expect("asks for one");
        assert!(!tells_another_owner(
            "The search service runs on port 7070.",
            &asked
        ));
    }

    #[test]
    fn a_port_is_told_of_its_owner_whatever_words_stand_around() {
        for (one, other) in [
            (
                "The `relay.ts` service listens on port 2525.",
                "relay.ts runs on port 2525",
            ),
            (
                "The relay runs on port 2525 by default.",
                "The relay service uses port 2525.",
            ),
            (
                "Relay: Running on port 2525",
                "The relay listens on port 2525.",
            ),
            (
                "**Relay service**: running on port 2525 (as intended)",
                "The relay runs on port 2525.",
            ),
            (
                "`relay` is served on port 2525",
                "The relay serves its pages on port 2525",
            ),
            (
                "The relay uses port 2525, not 2526.",
                "The relay runs on port 2525",
            ),
        ] {
            let words = |text| told_plainly(text).words.to_lowercase();
            assert_eq!(words(one), words(other), "{one} {other}");
        }
        for (one, other) in [
            (
                "The relay runs on port 2525.",
                "The worker runs on port 2525.",
            ),
            (
                "The relay runs on port 2525 on staging.",
                "The relay runs on port 2525.",
            ),
        ] {
            assert_ne!(told_plainly(one).words, told_plainly(other).words);
        }
    }
}
