//! Tells which findings are probably none: a cue matched, but the sentence or its message is of a form
//! in which cues mislead more often than not.
//!
//! People paste, ask for work and describe errors; agents guide, announce and think aloud. Each of these
//! uses the words of decisions, rules and facts. The forms below were counted in transcripts that had
//! not been seen when the cues were written, judged by hand: each held more wrong findings than
//! right ones. They ask about the message as a whole, or about words that the right ones have
//! and the wrong ones lack.

use super::asked_now;
use super::cues::MAX_CONFIDENCE;
use super::finding::{Finding, FindingKind, Speaker};
use crate::rules::pattern::Pattern;

/// A person's message of more lines has something pasted in it: what they say themselves stands at its
/// beginning or its end.
const MAX_TYPED_LINES: usize = 10;
/// How many characters belong to the beginning of such a message, and how many to its end.
const BEGINNING: usize = 100;
const END: usize = 250;
/// A person who says in as many columns that something has to wait, says for what.
const MAX_COLUMNS: usize = 100;

/// The numbered steps of a guide.
static STEP: Pattern = Pattern::lean(
    r"(?im)^[\s#*>-]*(?:第 ?[一二三四五六七八九十\d]+ ?步|步骤 ?[一二三四五六七八九十\d]|step \d|[1-9] ?단계|단계 ?\d|手順 ?\d|ステップ ?\d)",
);
/// How many of them make a guide.
const MIN_STEPS: usize = 2;
/// A line that a person did not type: a list's mark of an editor, columns, a prompt, a stamp.
static IS_FOREIGN: Pattern = Pattern::lean(concat!(
    r"[◦⎿⏺]|[^\s]\t+[^\t]+\t|^\s*PS [A-Z]:|^\s*\d+\.\d+ [a-z]",
    r"|^\s*\[(?:[\w/:. -]*\d[\w/:. -]*|(?i:info|warn(?:ing)?|error|debug|trace))\] ",
));
/// Words of a time from which something holds, or of a wish that is not for once, in English.
static FOR_GOOD: Pattern = Pattern::lean(
    r"(?i)\b(?:always|never|every|each|from now on|going forward|in (?:the )?future|prefer(?:s|red|ably)?|instead of|rather than|any ?more|whenever|keep|by default|usually|generally)\b",
);
/// Words that forbid something, in English at the beginning of a clause.
macro_rules! forbidding {
    () => {
        concat!(
            r"(?:^|[.,;:!] ?|\b(?:and|but|please|also|so) )(?:don['’]?t|do not|stop|avoid)\b",
            r"|지 ?(?:말|마)|금지|のみ|だけ|ない(?:で|よう|こと)|禁止|不要|只",
            r"|(?:^|[^特分区级类识个差性告])别(?:$|[^的人名墅])",
        )
    };
}

/// Words of a rule that are also those of an order for once.
static IS_RULE: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:only|must(?:n't)?|should(?:n't)?|all|any|no|remember|want|rather|comfortable|favou?r|decided|agreed|we use|we(?: are|'re) using)\b|\bi(?:['’]m| am)? (?:(?:really|do|also|absolutely|just) )*(?:(?:don['’]?t|do not) )?(?:really )?(?:like|love|hate)\b|\bwe (?:(?:don['’]?t|do not) )?(?:like|love|hate)\b|^(?:for|when|before) |\bbefore \w+ing\b|",
    forbidding!(),
    r"|빼고|[가-힣](?:으로만|로만|만) |기로|좋아|싫|語で|好き|嫌|ことにし",
    r"|必须|所有|都|(?:中文|英文|英语|日语)|喜欢|讨厌|习惯|偏好|决定",
));
/// Words that forbid, or allow nothing else.
static FORBIDS: Pattern = Pattern::lean(concat!(
    r"(?i)\bonly\b|^\W*(?:please,? |absolutely )*no \w|\bbefore (?:you \w+|(?:each|every|any|the) \w+|\w+ing)\b|",
    forbidding!(),
    r"|[가-힣](?:으로만|로만) |하기 ?전|기 전에|前に(?:は|、)?|之前",
));
/// What makes a request one of this moment.
static NOW: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:now|right now|this time|for now|today)\b",
    r"|지금 |이번|방금|일단|이거|이것",
    r"|今回|今すぐ|これ(?:を|で|も)|ここ(?:を|に|で)|とりあえず",
    r"|现在|这次|这个(?:$|[^习节来规流])|这里|刚才|先(?:把|看|做|试|进行|跑一)",
));
/// How the work is done, rather than a piece of it: a rule about this needs no other word.
static OF_MANNER: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:commits|commit messages?|comments?|repl(?:y|ies)|answers?|responses?|explanations?|summar(?:y|ies)|docstrings?|docs|tests?|branch(?:es)?|prs?|pull requests?|tone|emojis?|tabs|spaces|indent\w*|naming|names?|style|format(?:ting)?|english|german|french|spanish|korean|japanese|chinese|logs?|types?|quotes|semicolons?|imports?|functions?|variables?|diffs?|reviews?|changelogs?|units?|dates?|concise|brief|short(?:er)?|terse|verbose|plain|simple|simply|(?:call|address) me)\b",
    r"|짧게|간결|커밋 ?메시지|주석|답을|답변|대답|요약|설명|문서|테스트|브랜치|말투|존댓말|반말|이모지|들여쓰기|변수|함수|형식|영어|한국어|한글|일본어|(?:^|[^블])로그(?:$|[^인램])|타입",
    r"|短く|簡潔|挨拶|コミットメッセージ|コメント|返事|回答|返信|要約|説明|文書|ドキュメント|テスト|ブランチ|口調|敬語|絵文字|インデント|命名|変数|関数|形式|英語|日本語|(?:^|[^ブプタ])ログ(?:$|[^イ])|(?:^|[^大小新模典])型",
    r"|简短|简洁|敬语|客套|道歉|提交(?:信息|说明|记录)|注释|回复|回答|解释|摘要|总结|说明|文档|测试|分支|语气|表情|缩进|命名|变量|函数|格式|英文|中文|英语|日志|类型",
));
/// A request for work, in the form of one.
static ASKS: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:please|pls|plz|can you|could you|would you|(?:help|show|tell) me|i(?: want| need| would like|['’]d like) you to)\b",
    r"|해 ?줘|해 ?주세요|해 ?봐|하세요|해라|줘[.!~ ]*$|주세요[.!~ ]*$",
    r"|してください|して下さい|してほしい|お願い|[てで](?:ください|下さい|ほしい)|にして[。.! ]*$",
    r"|帮我|帮忙|麻烦|请(?:你|您|把|先|帮|再)",
));
/// Words by which a piece of work is left for later, or is said to be still missing.
static LATER: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:later|eventually|soon|next|after|once|todo|to[- ]do|to be done|remaining|remains?|left|still|remind|remember|forget|hold off|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|sprint|release|before|until|by|at some point|some day|someday|backlog|chore|yet|haven['’]?t|then|afterwards|january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter|quarter|phase|when (?:the|it|they|this|that|we have)\b[^,.]* (?:is|are|comes?|has|have|arrives?|lands?)|follow[- ]?up|pending|due|deadline|plan(?:s|ned|ning)?|outstanding|missing|unfinished|open|ticket|issue)\b",
    r"|나중|그때|예정|추후|다음|이후|아직|남(?:은|아|았)|내일|모레|주에|주까지|까지|전에|뒤에|후에|잊지|할 ?일|계획|[월화수목금토일]요일|해야 ?(?:돼|됨|된다|합니다|해|함|할)|돼야|미뤄|보류",
    r"|後で|あとで|次回|次の|最後に|まだ|今後|残(?:って|り|る)|明日|明後日|来週|来月|までに|前に|予定|忘れ|やること|TODO|いずれ|そのうち|[月火水木金土日]曜",
    r"|以后|之后|下次|回头|稍后|后续|还(?:需|要|没|得|差)|晚点|待(?:办|做|定)|明天|后天|下周|下个?月|之前|以前|前要|记得|别忘|计划|[周星期][一二三四五六日天]|剩",
));
/// The opening of a wish or an order, which states no fact.
static WISHES: Pattern = Pattern::lean(concat!(
    r"(?i)^\W*(?:i want|i need|i would|i'd like|i wish|i hope|require|use|make|add|fix|reject|ask|give|take|put|show|let's|help|@[\w-]*[./][\w./-]*)\b",
    r"|^\W*(?:帮我|帮忙|我(?:们)?(?:在[^，,。]{0,16}[，,]?)?(?:希望|想要?|需要)|请)|帮我|希望(?:增加|加|能|你)",
    r"|싶(?:어|습|다|은)|만들어 ?줘|참고해서",
));
/// What is only asked to be known.
static NOTE: Pattern = Pattern::lean(
    r"(?i)\b(?:please|pls|plz) (?:note|remember|keep in mind|be aware|know)\b|참고|기억|覚えて|ご注意|注意|记住|知悉",
);
/// What a person tells of what they did or what happens, which decides nothing.
static HAS_DONE: Pattern = Pattern::lean(
    r"(?i)\b(?:i did(?:n't| not)?|i(?:'ve| have) (?:already|just)|the first time i)\b|我(?:已经|刚|自己)|했었는데|해봤|しましたが",
);
/// What a person says to go on with the work, or to go back to a part of it.
static MOVES_ON: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:(?:go|get|going|back) (?:back )?to (?:main\b|(?:the|that|this|our) (?:\w+ )?(?:task|branch|step|phase|stage)\W*$|first principles)|move (?:on )?to (?:stage|step|phase|task|the next)\b|wrap(?:ping)? up\b)",
    r"|(?:수정|업데이트|진행|확인|정리)(?:하고)? ?(?:진행)?하자|思い出して|に進めましょう|进入下一",
));
/// How a program behaves that does not do what it should.
static IS_TROUBLE: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:not working|does(?:n['’]t| not) (?:work|show|load|update)|is showing|still shows?|throws)\b",
    r"|\b(?:don['’]?t|do not) like (?:this|that|it)\b|\b(?:is|are|gets?|got|still|keeps?) (?:\w+ )?(?:broken|wrong|crashing|failing|dropped)\b|\b(?:it|that|this|which) (?:crashe[sd]|fails|failed)\b|\bthere(?:['’]s| is| are) (?:an? |some )?(?:errors?|bugs?|problems?)\b",
    r"|(?:버그|문제|에러|오류)(?:가|이) ?(?:나|있|발생|생)|잘못(?:되|됐|된)|제외되었|안 ?(?:나와|보[여이])",
    r"|(?:エラー|バグ|不具合|問題)(?:が|も)?(?:出|あ|発生)|動かない(?:$|[^と])|表示され(?:ない|ません)(?:$|[^と])|おかしい",
    r"|(?:出现|有|存在)(?:了|个|一个|些)?(?:问题|错误|bug)|报错了|还是不行|没有?效果|不显示|不生效|还是(?:不|没)",
));
/// A change of a file that a sentence names.
static CHANGES_FILE: Pattern = Pattern::lean(
    r"(?i)\b(?:chang|mov|updat|add|remov|fix|creat|renam|delet|refactor|split|put|edit|writ)\w* [^.;]*(?:(?:^|[\s(`'\x22])@[\w./-]+\.\w+|\b(?:src|app|lib|pkg|packages)/[\w./\[\]-]*(?:\.\w+|/))",
);
/// What a fact about the surroundings names: an address, a path, a port or another number, a version, a
/// file, or something that is written as in code behind a label.
static NAMES_VALUE: Pattern = Pattern::lean(concat!(
    r"(?i)https?://|(?:^|[^a-z0-9_.])\d{2,5}(?:$|[^a-z0-9_])|[\w.@~-]*/[\w.@-]+|~/|\bv?\d+\.\d+|\w\.(?:com|io|org|net|dev|app|md|json|ya?ml|toml|env|sh|py|ts|js|rs|go|db|local|internal|example)\b",
    r"|[:：] ?[`“「\x22][^`”」\x22]+[`”」\x22]|\b(?:owns?|owners?|owned by|maintain(?:s|ed by|ers?)|responsib(?:le|ility)|in charge|looks? after|takes? care of|contact)\b|\b(?:node|python|java|go|rust|ruby|php|vue|react|angular|postgres\w*|version|v) ?\d\b|담당|책임자|担当|責任者|负责|维护|所有者",
));
/// A speaker's own next step, or thoughts on the way to it.
static ON_THE_WAY: Pattern = Pattern::lean(concat!(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|now|good|great|perfect|then|given [^,]{1,80}|actually|wait|hmm|final call|decision)[,:;—–-]* )*(?:—|–|-)? ?(?:i['’]ll|i will|i['’]m (?:going|now)|i am going|let me|i can|i think|i should|i decided|i['’]ve decided|we['’]re not|now i|implement\b)|\blet me (?:look|check|see|read|find|verify|try|think)\b|\bi['’]ll go with\b",
    r"|我先|我现在|我这边|我来|我就|正在|下面我|接下来我|可以进入|^\W*结论[:：]",
    r"|진행하겠|하겠습니다|^\W*결론[:：]|이제 [^.]{0,20}(?:합니다|할게)",
    r"|以下の(?:方針|手順|順)|進めます[。:：]?|^\W*結論[:：]|全 ?pass",
));
/// What is chosen over something else, which is more than a next step.
static CHOOSES: Pattern = Pattern::lean(
    r"(?i)\b(?:instead of|rather than|against|over)\b|대신|기로|ではなく|ことにし|代替|决定",
);
/// A case, behind which a step of a guide stands.
static IN_A_CASE: Pattern = Pattern::lean(concat!(
    r"(?i)^[\W\d]*(?:if|when|once|unless|in case|should you)\b",
    r"|^[\W\d]*(?:若(?:$|[^干])|如果|要是|假如|万一|一旦)|[，,；;：:（(]若(?:$|[^干])|^[^。]{2,30}(?:하려면|하시려면|않으면|으면|하면|되면),? |^[^。]{2,30}(?:場合は?|たら|なら)、",
));
/// An opening that names nothing: what the sentence is about stands before it.
static HAS_NO_SUBJECT: Pattern = Pattern::lean(concat!(
    r"(?i)^\W*(?:they|are|is|was|like (?:in|the|this|that|move|\w+ing))\b",
    r"|^\W*(?:these|those|both|it|this|that) (?:are|is|was|isn't|aren't|runs?|uses?|have|has|had|lives?|listens?|should|must|can|can't|needs?|goes|go|stays?|works?|will|won't|points?)(?: [^ ]+){0,6}$",
    r"|^\W*(?:它|这条|这样|那样|이게|이거|이걸|그게|그거|그걸|が|は)",
));
/// What people wait for: other people and what they give, another piece of work, a day.
static WAITED_FOR: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:approv\w*|review\w*|sign[- ]?off|reply|replies|answers?|decision|decid\w+|permissions?|access|credentials?|accounts?|certificates?|cert|keys?|tokens?|licen[cs]es?|contracts?|budgets?|legal|finance|security|procurement|compliance|vendors?|suppliers?|customers?|clients?|upstream|maintainers?|partners?|design\w*|team|ops|infra\w*|dba|hardware|deliver\w*|shipment|ships?|parts?|quotes?|invoices?|payments?|apple|google|store|dns|domain|visa|permit|audit|merge[ds]?|release\w*|hotfix|migration|tickets?|pr|pull request|blocked (?:by|on|until)|back|returns?|vacation|holiday|sick|monday|tuesday|wednesday|thursday|friday|next (?:week|month|sprint)|(?-i:[A-Z]{2,10}-\d+)|#\d+|someone|somebody|him|her|them|(?-i:from [A-Z]\w+)|numbers?|figures?|data|feedback|input)\b",
    r"|승인|결재|검토|리뷰|답변|회신|답장|결정|확정|권한|계정|인증서|토큰|계약|예산|법무|재무|보안팀|업체|고객|디자인|팀|심사|배송|도착|납품|서명|휴가|복귀|출시|릴리스|머지|병합|이관|티켓|허가|발급|일정|수치|자료|데이터(?:$|[^베])",
    r"|承認|決裁|レビュー|返事|返信|回答|連絡|決定|決まら|権限|アカウント|証明書|キー|鍵|契約|予算|法務|経理|業者|顧客|お客|デザイン|チーム|審査|届|納品|署名|サイン|休み|不在|復帰|リリース|マージ|チケット|許可|発行|担当|部品|数字|資料|データ(?:$|[^ベ])",
    r"|审批|审核|批准|批复|没批|未批|评审|回复|答复|[待等][^，,。]{0,12}确认|决定|权限|账号|帐号|证书|密钥|合同|预算|法务|财务|供应商|客户|设计|团队|备案|到货|发货|快递|签字|盖章|授权|休假|出差|发版|上线|合并|工单|许可|排期|运维|素材|数据(?:$|[^库])|域名|物料",
));

/// What is asked of all findings of a message.
pub(super) struct Message<'a> {
    text: &'a str,
    speaker: Speaker,
    is_guide: bool,
    has_middle: bool,
}

impl<'a> Message<'a> {
    pub(super) fn new(text: &'a str, speaker: Speaker) -> Self {
        Message {
            text,
            speaker,
            is_guide: speaker == Speaker::Agent && has_steps(text),
            has_middle: speaker == Speaker::User && text.lines().count() > MAX_TYPED_LINES,
        }
    }

    /// Whether a finding is probably none because of the message that it stands in.
    pub(super) fn makes_unlikely(&self, finding: &Finding) -> bool {
        !finding.kind.is_report() && (self.is_guide || self.is_pasted(finding))
    }

    /// Whether a person pasted it: its line is none that people type, or it states a fact in the middle
    /// of a long message.
    fn is_pasted(&self, finding: &Finding) -> bool {
        if self.speaker == Speaker::Agent {
            return false;
        }
        let (before, rest) = self.text.split_at(finding.span.start);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let end = rest
            .find('\n')
            .map_or(self.text.len(), |end| before.len() + end);
        let is_more_than = |text: &str, most: usize| text.chars().nth(most).is_some();
        let is_in_middle = || is_more_than(before, BEGINNING) && is_more_than(rest, END);
        let line = &self.text[line..end];
        let is_item = || line.trim_start().starts_with(['-', '*', '1']);
        IS_FOREIGN.is_match(line)
            || (finding.kind == FindingKind::Fact
                && self.has_middle
                && is_in_middle()
                && !is_item())
    }
}

/// Whether a finding is probably none because of its sentence, which is no item of a list whose title
/// says what its items are. What ends a known task only needs to name it.
pub(super) fn is_unlikely(finding: &Finding, text: &str, speaker: Speaker) -> bool {
    if finding.kind.is_report() {
        return false;
    }
    let sentence = &text[finding.span.clone()];
    let may_announce = speaker == Speaker::Agent || finding.kind == FindingKind::Preference;
    if may_announce && announces(sentence) {
        return true;
    }
    if finding.kind == FindingKind::Blocker {
        let awaited = finding
            .blocker
            .clone()
            .map_or(sentence, |blocker| &text[blocker]);
        return !WAITED_FOR.is_match(awaited) && !is_short_message(text, sentence, speaker);
    }
    let names_something = matches!(finding.kind, FindingKind::Fact | FindingKind::Decision);
    if names_something && HAS_NO_SUBJECT.is_match(sentence) {
        return true;
    }
    let is_clear = finding.confidence >= MAX_CONFIDENCE;
    match speaker {
        Speaker::User => !is_clear && is_asked(sentence, finding.kind),
        Speaker::Agent => is_of_the_work(sentence, finding.kind, is_clear),
    }
}

/// Whether a person's whole message is a short sentence.
fn is_short_message(text: &str, sentence: &str, speaker: Speaker) -> bool {
    let columns = |c: char| if c.is_ascii() { 1 } else { 2 };
    speaker == Speaker::User
        && text.trim().len() == sentence.trim().len()
        && sentence.chars().map(columns).sum::<usize>() <= MAX_COLUMNS
}

/// Whether a text is made of numbered steps.
fn has_steps(text: &str) -> bool {
    let steps = STEP.for_text(text);
    steps.is_some_and(|steps| steps.find_iter(text).nth(MIN_STEPS - 1).is_some())
}

/// Whether a sentence only says that something follows.
fn announces(sentence: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '）' | ')');
    sentence.trim_end_matches(is_mark).ends_with([':', '：'])
}

/// Whether a person asks for a piece of work, rather than for what holds later.
fn is_asked(sentence: &str, kind: FindingKind) -> bool {
    if kind == FindingKind::Task {
        return !LATER.is_match(sentence);
    }
    if FOR_GOOD.is_match(sentence) || asked_now::is_for_good(sentence) {
        return false;
    }
    let asks = ASKS.is_match(sentence);
    let is_rule = || IS_RULE.is_match(sentence);
    let forbids = || FORBIDS.is_match(sentence);
    let is_about_work = || {
        let is_told = IS_TROUBLE.is_match(sentence) || CHANGES_FILE.is_match(sentence);
        is_told && !forbids()
    };
    match kind {
        FindingKind::Preference => {
            let holds_on = forbids() || (!asks && is_rule());
            let is_of_manner = OF_MANNER.is_match(sentence);
            match is_of_manner {
                true => !holds_on && NOW.is_match(sentence),
                false => !holds_on || is_about_work(),
            }
        }
        FindingKind::Decision => {
            is_about_work()
                || (asks && !is_rule())
                || HAS_DONE.is_match(sentence)
                || MOVES_ON.is_match(sentence)
        }
        FindingKind::Constraint => asks && !is_rule(),
        FindingKind::Fact => WISHES.is_match(sentence) || (asks && !NOTE.is_match(sentence)),
        _ => false,
    }
}

/// Whether an agent tells of its work or guides somebody, rather than what it knows now.
fn is_of_the_work(sentence: &str, kind: FindingKind, is_clear: bool) -> bool {
    match kind {
        // What is to be done in a case is left to be done.
        FindingKind::Task => false,
        _ if !is_clear && IN_A_CASE.is_match(sentence) => true,
        FindingKind::Decision => ON_THE_WAY.is_match(sentence) && !CHOOSES.is_match(sentence),
        FindingKind::Fact => !NAMES_VALUE.is_match(sentence),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;
    use crate::rules::statements::find;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &STEP,
            &IS_FOREIGN,
            &FOR_GOOD,
            &FORBIDS,
            &IS_RULE,
            &NOW,
            &OF_MANNER,
            &ASKS,
            &LATER,
            &WISHES,
            &NOTE,
            &MOVES_ON,
            &IS_TROUBLE,
            &CHANGES_FILE,
            &HAS_DONE,
            &NAMES_VALUE,
            &ON_THE_WAY,
            &CHOOSES,
            &IN_A_CASE,
            &HAS_NO_SUBJECT,
            &WAITED_FOR,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    fn kinds(text: &str, speaker: Speaker) -> Vec<&'static str> {
        let found = find(text, speaker, &[]);
        let told = found.iter().filter(|finding| !finding.kind.is_report());
        told.map(|finding| finding.kind.as_str()).collect()
    }

    #[track_caller]
    fn nothing(speaker: Speaker, texts: &[&str]) {
        for text in texts {
            assert_eq!(kinds(text, speaker), [""; 0], "{text}");
        }
    }

    #[track_caller]
    fn one(speaker: Speaker, texts: &[(&str, &str)]) {
        for (text, kind) in texts {
            assert_eq!(kinds(text, speaker), [*kind], "{text}");
        }
    }

    #[test]
    fn a_guide_says_nothing_of_the_project() {
        let said = "The API runs on port 8443.";
        let guide = format!("### Step 1\nOpen the router.\n{said}\n\n### Step 2\nLook at it.\n");
        nothing(Speaker::Agent, &[&guide]);
        one(Speaker::Agent, &[(said, "fact")]);
    }

    #[test]
    fn a_fact_in_the_middle_of_a_long_message_was_pasted() {
        let line = "the quick brown fox jumps over the lazy dog again and again\n";
        let fact = "The staging API runs on port 8443.\n";
        let (few, many) = (line.repeat(2), line.repeat(9));
        nothing(Speaker::User, &[&format!("{few}{fact}{many}")]);
        nothing(Speaker::User, &["◦ The staging API runs on port 8443."]);
        for told in [
            format!("{fact}{many}{few}"),
            format!("{many}{few}{fact}"),
            format!("{few}{fact}{few}"),
        ] {
            one(Speaker::User, &[(&told, "fact")]);
        }
    }

    #[test]
    fn what_only_announces_or_has_no_subject_says_nothing() {
        nothing(
            Speaker::Agent,
            &[
                "We decided to go with the plan below:",
                "**The gateway runs on port 8443:**",
            ],
        );
        nothing(
            Speaker::User,
            &["It runs on port 8443 over there.", "Both run on port 8443."],
        );
        one(
            Speaker::User,
            &[
                ("The gateway runs on port 8443.", "fact"),
                ("This service runs on port 8443.", "fact"),
                ("网关的端口是8443。", "fact"),
            ],
        );
    }

    #[test]
    fn a_request_is_no_preference_unless_it_holds_on() {
        nothing(
            Speaker::User,
            &[
                "add a hint to all the fields please",
                "화면 위치 그대로 두고 선택 창이 뜨도록 수정해줘",
            ],
        );
        one(
            Speaker::User,
            &[
                ("Please always add a test for a bug fix.", "preference"),
                ("Commit messages in English, please.", "preference"),
                ("Never push to main without a review, please.", "preference"),
            ],
        );
    }

    #[test]
    fn what_names_its_subject_or_forbids_is_said() {
        one(
            Speaker::User,
            &[
                ("This project uses Node 20.", "fact"),
                ("Both the API and the worker run on Node 20.", "fact"),
                ("@ada owns the billing service.", "fact"),
                (
                    "A failed job must be retried at most 3 times.",
                    "constraint",
                ),
                ("Error messages in English please", "preference"),
                ("I don't like mocks.", "preference"),
                ("No mocks, please.", "preference"),
                ("가급적 탭을 써줘", "preference"),
            ],
        );
        nothing(
            Speaker::User,
            &[
                "Let's change src/rows.ts to a list",
                "let's go back to the other task",
            ],
        );
    }

    #[test]
    fn a_list_that_a_title_announces_may_have_tabs() {
        let list = "My conventions:\n\t- small commits\n\t- tests first";
        assert_eq!(kinds(list, Speaker::User).len(), 2);
    }

    #[test]
    fn a_task_is_left_for_later() {
        nothing(
            Speaker::User,
            &["We need to fix the header of the invoice page."],
        );
        one(
            Speaker::User,
            &[
                (
                    "We still need to fix the header of the invoice page.",
                    "task",
                ),
                (
                    "Remind me to rotate the signing key before the release.",
                    "task",
                ),
            ],
        );
    }

    #[test]
    fn only_what_others_give_or_do_blocks() {
        nothing(
            Speaker::Agent,
            &[
                "The list stays stuck on \"Loading\"",
                "没有这层封装，前端没法直接调用解析器。",
            ],
        );
        for (text, kind) in [
            ("The release is blocked by the legal review.", "blocker"),
            ("上线卡在域名备案上", "blocker"),
            ("배포는 보안팀 승인을 기다리고 있어서 막혀 있어", "blocker"),
        ] {
            one(Speaker::User, &[(text, kind)]);
        }
    }

    #[test]
    fn an_agent_on_its_way_decides_nothing() {
        nothing(
            Speaker::Agent,
            &[
                "Final call — I'll go with the conservative route that can't break the build",
                "If you insist on the shared cache, we use Redis on port 6379.",
                "若坚持用旧网关，端口是8443。",
            ],
        );
        one(
            Speaker::Agent,
            &[
                ("We decided to keep Postgres instead of SQLite.", "decision"),
                ("The gateway runs on port 8443.", "fact"),
            ],
        );
    }
}
