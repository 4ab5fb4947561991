//! Finds what speaks against taking a sentence for a change: it denies it, takes it back, or tells
//! of another time, of others or what somebody said. Such a sentence replaces nothing.

use crate::rules::pattern::Pattern;

/// Verbs that switch something or set it.
macro_rules! changing {
    () => {
        r"(?:set|chang|rais|lower|increas|decreas|reduc|bump|extend|shorten|cut|drop|adjust|updat|mov|limit|cap|switch|migrat|upgrad|convert|transition|shift|swap|replac)(?:e|ed|es|ing|p?ed|p?ing|t?ing|s)?"
    };
}

/// Words by which a sentence says that something is not, or only may be, switched or set.
static DENIES: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:not|never|cannot|\w+n't|without|nobody|almost|nearly|wrong|refused|considered|considering|wanted|planned|if|whether|before|when|once)\b(?: [\w']+){0,3}? ",
    changing!(),
    r"\b|\babout ",
    changing!(),
    r"\b",
    r"|(?:바꾸|옮기|전환하|변경하|교체하|이전하|대체하|마이그레이션하|늘리|줄이|올리|내리|낮추|높이|맞추|설정하|조정하|제한하)지 ?(?:는 ?)?(?:말|마|않|못)|(?:안|못) (?:바꾸|바꿨|옮기|옮겼|늘리|늘렸|줄이|줄였|올리|올렸|내리|내렸)",
    r"|(?:変え|変更し|移行し|移さ|切り替え|乗り換え|置き換え|設定し|延ば[さし]|増や[さし]|減ら[さし]|上げ|下げ)(?:ない|ません|なかった|ず)|(?:変更|移行|切り替え|切替|乗り換え|置き換え|える|する|やす|ばす|げる)(?:の|こと)?(?:は|を)?(?:やめ|見送|中止)",
    r"|(?:^|[,，。 我们咱你您先就都也请])(?:别|勿|莫)(?:再|把|将|从|改|换|迁|切|调|设|用|让)|不(?:打算|想|要|该|准备|必|应该|应|会|能)?(?:再)?(?:把|将|从|改|换|迁|切|调|设|提|降|加|减|延|缩)|不要|不打算|没有?(?:把|将|从|改|换|迁|切|调|设|再|提|降)|还没|并未|差点",
));
/// Words by which a sentence says that something was undone or called off.
static UNDOES: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:and|but|then)\b[^.;]{0,24}\b(?:reverted|rolled (?:it |that |this )?back|(?:switched|moved|changed|went|put) (?:it |that |this )?back|undid|undone|cancell?ed|called (?:it|that) off|back)[.! ]*$|\b(?:reverted|undid|rolled back) (?:it|that|this|the change)\b",
    r"|[했꿨겼렸췄였됐았었]다가|되돌(?:렸|리|려)|원복|롤백|취소(?:했|하|됐|되)|철회|무산|자고 했(?:는데|지만)|반대(?:했|해|하)",
    r"|元に戻|差し戻|取り消|キャンセル(?:し|され)|ロールバックし|撤回|白紙",
    r"|(?:改|换|切|迁|调|退|搬|转)回(?:去|来|了|原|[。,，!！]|$)|回滚|撤回|取消|作废",
));
/// Words of another time than now.
static FORMER: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:(?:last|previous) (?:year|month|quarter|spring|summer|autumn|fall|winter)|(?:years?|months?) ago|years back|back then|back in|in (?:19|20)\d\d|at the time|previously|formerly|used to|in the past|in the old|(?:old|previous|former|last|first|other) (?:job|company|employer|workplace|system|version|setup)|at my|until last|once upon)\b",
    r"|작년|재작년|지난 ?(?:해|달|분기)|예전|옛날|이전 회사|전 직장|전 회사|당시|[0-9]+(?:년|개월) ?전",
    r"|去年|昨年|一昨年|先月|以前|前職|前の会社|当時|かつて|昔|[0-9]+(?:年|か月|ヶ月)前",
    r"|前年|上个?月|曾|过去|从前|前公司|上家公司|老系统|旧系统",
));
/// Words by which a sentence tells what others do, or what somebody said.
static TOLD: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:said|says|suggest(?:s|ed)|proposed|proposes|wrote|writes|asked|thinks|wants)\b",
    r"|라고 ?(?:했|말|하|들)|자고 ?(?:했|말|하)|다고 ?(?:했|말|하|들|해|한)|경쟁사|고객사|다른 (?:회사|팀)",
    r"|と(?:言っ|言い|聞い|のこと)|という(?:話|噂|案|意見|提案|声)|らしい|だそうで|たそうで|他社|競合|顧客が",
    r"|听说|据说|[说称道][:：]|(?:[他她]们?|老板|客户|同事)[说称]|竞争对手|客户(?:把|将|从)",
));

/// Whether a sentence denies or takes back that something is switched or set.
pub(super) fn is_denied(text: &str) -> bool {
    DENIES.is_match(text) || UNDOES.is_match(text)
}

/// Whether a sentence tells of another time, of others or what somebody said.
pub(super) fn is_reported(text: &str) -> bool {
    FORMER.is_match(text) || TOLD.is_match(text)
}

/// Whether a sentence changes nothing here and now.
pub(super) fn is_doubtful(text: &str) -> bool {
    is_denied(text) || is_reported(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&DENIES, &UNDOES, &FORMER, &TOLD] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn what_is_denied_undone_or_told_of_others_is_in_doubt() {
        for text in [
            "Let's not set the payment timeout to 60 seconds.",
            "We decided not to switch from Redis to Valkey.",
            "We have not yet moved to Valkey.",
            "We changed it to 60 seconds and then reverted it.",
            "In the old system we set the timeout to 60 seconds.",
            "Bob said: let's set the timeout to 60 seconds.",
            "결제 타임아웃을 30초로 바꾸지 말자.",
            "Redis에서 Valkey로 전환했다가 되돌렸어.",
            "RedisからValkeyに移行しましたが、元に戻しました。",
            "我们别把会话从Redis换成Valkey吧。",
            "去年我们把支付超时改成60秒了。",
        ] {
            assert!(is_doubtful(text), "{text}");
        }
        for text in [
            "Let's raise the payment timeout to 30 seconds.",
            "Redis is not good enough, so we switched to Valkey.",
            "Redis locks up too often, that's why we switched to Valkey.",
            "ということで、RedisからValkeyに移行しました。",
            "Redis 대신 Valkey로 바꾸자.",
            "Redisをやめて、Valkeyに移行しました。",
            "我们决定不用 Redis，改用 Valkey",
        ] {
            assert!(!is_doubtful(text), "{text}");
        }
    }
}
