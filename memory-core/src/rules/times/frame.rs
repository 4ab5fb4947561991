//! Decides whether a question without its times still asks about something: "what did we do"
//! and "무슨 일이 있었지" do not.

use regex::Regex;

use crate::lazy::RaceLazy;

/// Words that only ask what happened. Each word of a question may consist of several, because
/// Japanese and Chinese are written without spaces.
static FRAME: RaceLazy<Regex> = RaceLazy::new(|| {
    let english = "what|whats|what's|which|who|did|do|does|done|doing|we|i|you|they|it|us|me|our|my|\
        the|a|an|was|were|is|are|be|been|have|has|had|that|there|then|so|and|or|all|else|\
        happen|happened|happening|happens|work|worked|working|talk|talked|talking|discuss|\
        discussed|speak|spoke|say|said|go|going|went|get|got|make|made|accomplish|accomplished|\
        on|up|about|of|in|at|for|from|since|during|over|with|to|until|between|anything|\
        everything|something|things?|stuff|activity|activities|events?|progress|tell|show|list|\
        give|remind|recap|summary|summarize|summarise|review|remember|please|can|could|any|new|\
        conversations?|sessions?|ask|asked|asking";
    let korean = "우리|우리가|우리는|내가|나는|제가|너는|무엇|무엇을|무슨|뭐|뭘|뭐를|뭐가|뭐야|어떤|\
        일|일이|일을|일들|것|거|했[가-힣]*|하[가-힣]*|한|있었[가-힣]*|있[가-힣]*|이야기[가-힣]*|\
        얘기[가-힣]*|작업[가-힣]*|논의[가-힣]*|알려[가-힣]*|말해[가-힣]*|줘|주세요|보여[가-힣]*|\
        요약[가-힣]*|정리[가-힣]*|부탁[가-힣]*|요청한|요청했[가-힣]*|시켰[가-힣]*|시킨|시키[가-힣]*|\
        물어[가-힣]*|물었[가-힣]*|내용[은이]|게|건|뭐였[가-힣]*|뭐지|에|에는|엔|에도|은|는|도|이|가|을|를|\
        의|까지|부터|동안|사이에|들";
    let japanese = "は|に|の|で|を|が|も|と|へ|何|なに|なん|どんな|どういう|し|した|して|しました|\
        したか|していた|やった|やりました|行った|行いました|話し|話した|話しました|話|作業|仕事|\
        進めた|進めました|こと|事|か|ね|よ|私たち|私|我々|僕|たち|まで|から|間|中|出来事|あった|\
        ありました|あり|起きた|起きました|起こった|起こりました|まとめて|まとめ|要約|教えて|見せて|\
        ください|くれ|って|頼んだ|頼みました|頼んで|頼んでいた|お願いした|お願いしました|お願いしていた|\
        依頼した|依頼しました|聞いた|聞きました|言った|言いました|指示した|指示しました|\
        だった|でした|です|たっけ|っけ";
    let chinese = "我们|我們|咱们|我|你们|你|都|做|干|幹|聊|谈|談|讨论|討論|说|說|进行|進行|完成|了|\
        过|過|什么|什麼|哪些|哪|啥|些|事情|事|发生|發生|的|在|有|工作|总结|總結|回顾|回顧|一下|\
        告诉|告訴|请|請|让|讓|叫|是|拜托|拜託|吩咐|吗|嗎|呢|情况|情況|内容|和";
    let text = format!(r"^(?:(?:{english})|(?:{korean})|(?:{japanese}|{chinese})+)$");
    Regex::new(&text).expect("the pattern is constant and valid")
});

/// Whether a lower-case text consists only of such words.
pub(super) fn is_frame(lower: &str) -> bool {
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .all(|word| FRAME.is_match(word))
}
