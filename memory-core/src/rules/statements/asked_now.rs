//! Tells what is asked for once from a rule for all that comes: "commit what you changed" is done when
//! it is done, "commit messages in English" is not. Both are requests of one form; a rule names a
//! manner, a case or a time that comes again. In English, most of this is in the cues themselves; here
//! are the pieces of work that are put like a choice.

use crate::rules::pattern::Pattern;

/// A request for one piece of work: what is asked for stands right before what is to be done with it.
static ASKS: Pattern = Pattern::lean(concat!(
    // 바꾼 부분을 정리해서 커밋해줘, but not 주석은 영어로 써줘.
    r"(?:[을를]|대해서?|관해서?|까지|부터|부분|내용|거|것) (?:(?:좀|한번|다시|모두|전부|싹|빨리|같이|일단|먼저|바로|마저|더|쭉|잘|꼼꼼히|자세히|간단히|깔끔하게|[가-힣]+(?:해서|하고|해 ?보고|한 (?:후|다음|뒤)에?)) ){0,3}(?:정리|수정|추가|삭제|제거|작성|생성|검토|분석|조사|점검|적용|반영|업데이트|갱신|구현|이동|변경|교체|설치|복구|리팩토링|리팩터링|요약|번역|저장|공유|업로드|연결|설정|개선|보완|문서화|찾아|읽어|만들어|고쳐|지워|옮겨|올려|내려|돌려|살펴)(?:해)? ?(?:봐 ?)?(?:줘|주세요|주십시오|주라|줄래|부탁)[가-힣]*[.!~\s]*$",
    r"|(?:^|[^로게만\s]) ?(?:(?:좀|한번|다시|모두|전부|같이|일단|바로|마저) )*(?:커밋|푸시|푸쉬|머지|병합|배포|빌드|확인|리뷰|테스트|실행|시작|진행)(?:까지)?(?:해| 부탁) ?(?:봐 ?)?(?:줘|주세요|주십시오|주라|줄래|드려|해)?[가-힣]*[.!~\s]*$",
    // PRを作成して, ビルドを試してみて.
    r"|[をも、](?:もう一度|一度|とりあえず|まず|先に|全部|ざっと|一旦)?(?:作成し|コミットし|プッシュし|pushし|Pushし|マージし|実装し|修正し|追加し|削除し|確認し|調査し|更新し|実行し|実施し|整理し|レビューし|テストし|デプロイし|反映し|適用し|変更し|移動し|分析し|検証し|作っ|直し|見|読ん|進め|試し|続け|始め|調べ|書い|消し|出し|足し|入れ)[てで](?:ください|下さい|くれ|みて|おいて|ほしい|欲しい|もらえますか)?(?:ね|です)?[。.!\s]*$|[てで]みて(?:ください|下さい|ほしい|欲しい)?(?:ね)?[。.!\s]*$",
    // 我希望你能仔细梳理一下这段逻辑.
    r"|我们?(?:还|也|更|真的|现在)*(?:希望|想让|想请|需要|要|想)[你您](?:[^,，。用以]{0,20}?)(?:梳理|整理|清理|检查|分析|实现|修改|修复|添加|加上|删除|生成|创建|重构|重写|重做|查看|查一|看看|看一下|测试|运行|跑一|优化|更新|升级|上传|下载|提交|推送|合并|部署|设计|画|绘制|关联|解决|调研|研究|补充|完善|对比|把(?:当前|现在|这|那|它|刚才?|上面|下面|远程|本地|整个))",
    r"|^(?:现在|接下来|然后|那|好的?|请|麻烦)*[,，]?(?:你|您)?(?:先|再)?(?:请|麻烦)?(?:你|您)?(?:帮我|帮忙)(?:梳理|整理|清理|检查|分析|实现|修改|修复|添加|加|删|生成|创建|重构|重写|查|看|测|跑|优化|更新|升级|提交|推送|合并|部署|设计|画|写(?:一|个)|做(?:一|个)|把(?:当前|现在|这|那|它|刚才?|上面|下面|整个))",
));
/// A piece of work that is put like a choice: code that is moved to another file, what is to be added
/// at all places, and what is to look otherwise on a screen.
static ASKS_LIKE_A_CHOICE: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:mov(?:e|es|ed|ing)|split|extract|pull|break|factor|lift|copy|rename) [^,;]{0,80}?\b(?:to|into|in|out|out of) [`'\x22@]?(?:[\w./-]*\w\.(?:go|rs|tsx?|jsx|mjs|py|java|kt|rb|cc?|cpp|hpp?|cs|php|vue|svelte|swift|s?css|html?|sql|sh)|[\w.-]*/[\w./-]*\.js)\b",
    r"|(?i:\blet[’']?s (?:\w+ )?use the same (?:\w+ )?(?:colou?r|red|green|blue|gr[ae]y|font|icon|padding|spacing|style)\b[^,;]* (?:we|i|you|they|it) \w+)",
    r"|(?i:\blet[’']?s (?:\w+ )?(?:move|split|rename) [`'\x22]?@[\w./-]+|^\W*(?:(?:ok(?:ay)?|also|now|and|so),? )*let[’']?s (?:have|make|add|put|give|use|keep) [^;]*\b(?:newlines?|blank lines?|whitespace|same (?:width|height|size)|padding|margins?|pixels?|px)\b)",
    r"|(?i:^(?:\W|please |pls |and |also |then |now )*(?:add|give|write|create|show|list|put|generate) [^,;]*\bfor all [\w -]+,? (?:please|pls|now)\W*$)",
    r"|(?:截图|框住|(?:这|那)(?:个|块)?(?:按钮|图标|弹窗|菜单|侧栏|输入框|区域)|上面|下面|左边|右边|左侧|右侧|顶部|底部|旁边|按钮|图标|弹窗|菜单|侧栏|输入框)[^。！]*(?:去掉|删掉|拿掉|改成|换成|放到|放在|移到|挪到|隐藏|加上|加个|加一个|对齐|不要(?:有)?了)",
));
/// What makes a choice of such a request: a time from which it holds, or a rule for all.
static HOLDS_ON: Pattern = Pattern::lean(
    r"(?i)\b(?:always|never|decided|agreed|from now on|going forward|every|any|each|by default)\b|以后|今后|往后|从现在起|始终|总是|每次|一律|永远|统一|所有|都",
);
/// What makes it a rule: a time that comes again, a case, a manner that is not another one.
static FOR_GOOD: Pattern = Pattern::lean(concat!(
    r"항상|언제나|(?:^|[ ,.])늘 |앞으로|이제부터|지금부터|이후로|매번|매일|반드시|절대|꼭 |무조건|웬만하면|(?:^| )되도록|가급적|원칙|기본적으로|평소|마다|[할될쓸칠짤] ?때|[할될쓸칠짤] ?땐|경우|하기 ?전|기 전에|은 후에는|지 ?(?:말|마)|말고|대신|제외|빼고|[가-힣](?:로만|만) |이내|이하|(?:영어|한글|한국어|존댓말|반말)로",
    r"|必ず|常に|いつも|毎回|今後|これから|以後|以降|基本|普段|原則|都度|(?:ときは|時は|場合|際は|たびに|ごとに|度に|前に|前は)|のみ|だけ|ない(?:で|よう|こと)|ではなく|じゃなく|代わりに|日本語で|英語で|ずに",
    r"|以后|今后|往后|从现在起|始终|总是|每次|一律|永远|务必|不要|别|时候都|时都|之前(?:都|先)|统一|尽量|只(?:用|写|给)|(?:中文|英文|英语|日语)",
));

/// Whether a Korean, Japanese or Chinese sentence names a time, a case or a manner for which it holds
/// again.
pub(super) fn is_for_good(sentence: &str) -> bool {
    FOR_GOOD.is_match(sentence)
}

/// Whether a sentence asks for something to be done now, and for nothing that holds later.
pub(super) fn is_asked_now(sentence: &str) -> bool {
    (ASKS.is_match(sentence) && !FOR_GOOD.is_match(sentence))
        || (ASKS_LIKE_A_CHOICE.is_match(sentence) && !HOLDS_ON.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;
    use crate::rules::statements::{Speaker, find};

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&ASKS, &FOR_GOOD, &ASKS_LIKE_A_CHOICE, &HOLDS_ON] {
            holds_for_matches(&pattern.source());
        }
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        let found = find(text, Speaker::User, &[]);
        found.iter().map(|finding| finding.kind.as_str()).collect()
    }

    #[test]
    fn a_request_of_the_moment_is_no_rule() {
        for text in [
            "테스트에 대해서 바꾼 부분들을 커밋해줘.",
            "방금까지 고친 코드에 대해서 정리해서 푸시해줘.",
            "코드에서 안 쓰는 함수들을 삭제해 주세요.",
            "문서에 빠진 내용을 추가해줘",
            "로그를 자세히 분석해줘.",
            "리뷰에 나온 코드를 수정해서 머지해줘.",
            "テスト、READMEを更新して",
            "コミット、ブランチを作成して",
            "一度このやり方で試してみて",
            "この方針でもう少し進めてみてください。",
            "コメントを整理してください。",
            "ログを確認して",
            "我希望你能认真检查一下这个脚本：https://git.example.org/a/b 里面的下载逻辑。",
            "我希望你站在测试人员的角度梳理整个模块的代码",
            "这个库是我自己建的，我希望你把当前分支和远程仓库关联起来",
            "我希望你帮忙优化一下查询速度",
            "整个流程是这样的，就是先算一遍误差，然后出图，我希望绘制，那么这个图其实就是误差曲线。",
            "我想让你重写登录页面的代码",
        ] {
            let found = kinds(text);
            let learned = ["preference", "decision", "constraint"];
            assert!(
                !learned.iter().any(|kind| found.contains(kind)),
                "{text} {found:?}"
            );
        }
    }

    #[test]
    fn a_piece_of_work_that_is_put_like_a_choice_is_none() {
        for text in [
            "Let's move the retry helper out into net/retry.go now.",
            "The poller should move to net/poll.go.",
            "let's split the parser into `parse/lexer.rs`",
            "let's take a minute to tidy up our import order",
            "let's take advantage of this to begin with the list view",
            "add hints for all commands please",
            "let's use the same red we use for the warning",
            "let's not mess this up again",
            "下面的订单管理直接改成订单，放在账单的上面",
            "左边那个图标就去掉吧",
            "let's move @pkg/stats/rows.go to the session package",
            "let's have a blank line before and after the table",
        ] {
            let found = kinds(text);
            let learned = ["preference", "decision"];
            assert!(
                !learned.iter().any(|kind| found.contains(kind)),
                "{text} {found:?}"
            );
        }
        for text in [
            "Let's move the job queue from Redis to NATS.",
            "Let's keep the retry limit at 5.",
            "Let's use the blue theme for the website.",
            "let's not use an ORM",
            "以后侧栏统一不放搜索框。",
            "数据库改用 Postgres，不用 MySQL。",
            "Let's move to Node.js",
            "We decided to move the helpers into net/retry.go",
            "let's use the same Postgres version we run in production",
        ] {
            let found = kinds(text);
            let learned = ["preference", "decision"];
            assert!(
                learned.iter().any(|kind| found.contains(kind)),
                "{text} {found:?}"
            );
        }
    }

    #[test]
    fn a_rule_in_the_form_of_a_request_is_a_preference() {
        for text in [
            "참고 문서 링크는 항상 맨 아래에 추가해줘.",
            "커밋 메시지는 한글로 써줘.",
            "파일을 지우기 전에 항상 목록을 보여줘.",
            "요약은 세 줄 이내로 부탁해요",
            "앞으로 테스트를 먼저 작성해줘.",
            "コメントは必ず英語で書いてください。",
            "コミットメッセージはいつも一行で書いて。",
            "ファイルを消す前に必ず確認してください。",
            "変数名は略さずに書いてください。",
            "我希望回答简短一些。",
            "我希望你以后都先写测试。",
            "我希望你每次提交前都跑一遍测试。",
            "请不要用表情符号。",
        ] {
            assert!(
                kinds(text).contains(&"preference"),
                "{text} {:?}",
                kinds(text)
            );
        }
    }
}
