//! Tells what an agent narrates of its work from what it says is so: "the server is already running
//! on port 3000", "update the script to use port 3000" and a row of a listing hold for the moment or
//! not at all, and what it found is told again in plain words when it is done.

use crate::rules::pattern::Pattern;

/// How an agent tells what it, or what it started, is doing, did, or will do.
static IN_ENGLISH: Pattern = Pattern::lean(concat!(
    // What goes on: "is trying to use", "is running", "auto-switched".
    r"(?i)\b(?:try|tries|tried|trying|attempt(?:s|ed|ing)?) to\b|\bauto(?:matically)?[ -](?:switched|moved|picked|selected|chose|restarted)\b|\balready\b|\bno longer\b",
    r"|\b(?:is|are|was|were|be) (?:\w+ )?(?:running|listening|starting|connecting|up and running)\b|\b(?:server|service|app|instance|process|container|backend|frontend)s? (?:\w+ )?running (?:on|at)\b",
    r"|\b(?:is|are) (?:both |all )?(?:running|up|started|connected|live)\b[^,;]{0,30}!",
    // What will be or should be: "will bind to", but not "will always".
    r"|\b(?:i'll|we'll|it'll|i will|we will|i am|i'm|i can (?:now )?see|i've|i have|let me|let's|we can)\b|\b(?:will|would|should|could|might|may) (?:now |then |be |also |instead |only |just )*(?:be|bind|run|start|stop|use|listen|connect|update|force|modify|show|return|running|served|available)\b",
    r"|\b(?:is|was|has been|have been|are|were) (?:now |just |also )*(?:updated|changed|modified|set|switched|fixed|added|restarted|moved) (?:up )?to\b|\bthis is because\b|\bhard-?coded\b",
    // What nobody has named.
    r"|^[\W_]*(?:it|they|both|this|these|those|there(?:'s| is| are)?|all (?:services|servers|of (?:them|it)))\b",
    // What is to be done: "start the server on port 3000", "Proper fix: start the server".
    r"|^[\W_\d]*(?:[\w '`./-]{1,40}:[\W_]*)?(?:now |then |next,? |first,? |finally,? |automatically |also )*(?:starts?|stops?|connects?|modif(?:y|ies)|updates?|changes?|sets?|adds?|runs?|opens?|visits?|navigates?|go|goes|checks?|verify|verifies|confirms?|ensures?|make sure|restarts?|kills?|launch(?:es)?|configures?|installs?|creates?|forces?|switch(?:es)?|need|call|calls|tests?|tests that|adjusts?|moves?|renames?|removes?|replaces?|fix|fixes|found|binds?|exposes?|points?|uses?|copy|copies|downloads?|wait|waits) (?:[^:(]*?[^\w:(])?(?:port|version|\d)",
    // What was changed to what, and a row of a listing: "guide.md (120 lines) - ...".
    r"|[\d`'\x22)] ?(?:→|->|=>|➜) ?[`'\x22(\d]|\((?:lines? \d+|\d+ lines?|\d+ ?(?:줄|行))\)",
    // A mark of what is done or failed, with which no fact begins.
    r"|^[\s>*_#-]*(?:\d+[.)] )?[\s*_]*[✅✓✔☑✗✘❌⚠🔧🎉🚀🔍📝🔄⏳]",
    // An error that goes by: "the server on port 3000 returns 500".
    r"|\b(?:in use|taken|conflicts?|refused|timed? ?out|crash(?:es|ed)|failed|failing|error|unreachable)\b",
));
/// The same in Korean, Japanese and Chinese. What is only called work (경로 조정, 版の更新) is a row of a
/// report.
static IN_OTHERS: Pattern = Pattern::lean(concat!(
    r"겠습니다|겠어요|(?:하|되|시작하|실행하|확인하|수정하|띄우|기다리)는 중|(?:확인|수정|시작|실행|설치|테스트|빌드|업데이트|대기|분석|진행|검토|생성|이동|작업)(?:하고 있|중)|(?:조정|유지|추가|수정|증가|변경|삭제|제거|생성|이동|업데이트|반영|적용|정리|작성|갱신|완료|통합|분리|개선|보강|검토|확인|경고|안내|가이드|설명|참조|링크)(?:함|됨|했습니다|했어요|됐습니다|되었습니다| 완료)?[\s.*_`)]*$|^[\s*_-]*[✅✓✔]",
    r"|(?:起動|確認|検証|実行|更新|修正|変更|接続|待機|準備|インストール|ビルド|テスト|作成|追加|削除|調査|分析|設定)(?:し(?:てい|てお|ます|ました|ましょう|てみ|て、)|中(?:です|。|$))|(?:起動|確認|検証|実行|更新|修正|変更|作成|追加|削除|調整|追記|反映|維持|整理)[\s。*_`)]*$|ようとしてい|てみます|ましょう[。\s]*$",
    r"|正在(?:使用|用|启动|运行|尝试|连接|安装|下载|检查|测试|执行|等待|准备|编译|构建|监听)|^[\W_]*(?:正在|接下来|现在我|然后我|下一步|让我|我(?:现在)?(?:来|将|会|先|再|要|做|正在|已经?(?:把|将)?))|时 ?→|不一致|(?:点击?|按|输入|打开|终端)[^，,。]{0,20}(?:按钮|(?i:ctrl)|回车)|贴给我|^[\W_\d]*(?:添加|启动|修改|更新|删除|创建|设置|安装|执行|检查|连接|切换|克隆|推送|拉取|配置(?:好|远程|一下|为)|确认(?:一下)?[^了过]|新增|调整|重启|停止|打开|访问|替换|移除|验证|测试)[^,，。是]*[:：]?",
));

/// What an agent is about to do, has just done, or asks, with words that decide.
static PLANS: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:i|let me)(?:[’'](?:ll|ve))? (?:now |also |first |then |just |have |will )*decide (?:to|on|not)\b|\bi(?:[’']ve| have)? decided to (?:set|leave|put|start|focus|skip|first|try|check|look|run|read|pause)\b[^.;]*\b(?:aside|for now|first|next|for the moment|at this point)\b",
    r"|^(?:\W|好的?|那么?|所以|现在|接下来|下一步|然后)*我(?:先|就|现在|会|将|来|马上|这就|打算|准备|再)|^(?:\W|好的?|那么?)*为了?[^,，。]{2,40}(?:定下来|确定|敲定|定好)[,，]|(?:定稿|确认|定|改完)(?:之?后|了|好)[,，]?我(?:就|会|再|来)",
    r"|^(?:\W|好的?)*(?:已经?|都|全部)+(?:全部|全都|都)?(?:拆|删|改|换|去|移|加|修|调|清理|替换|更新)[掉了好完成为]",
    r"|(?:[？?：:]|问题|确认)[^,，。]{0,6}[：:]\s*$|[✅✓✔][^✅✓✔]*[✅✓✔]",
));

/// Whether a sentence of an agent is about its work at the moment, and tells nothing that stays so.
pub(super) fn is_narrated(sentence: &str) -> bool {
    IN_ENGLISH.is_match(sentence) || IN_OTHERS.is_match(sentence)
}

/// A row of an agent's list that waits for another one, by their ids.
static OF_LIST: Pattern = Pattern::lean(
    r"(?i)(?:#\d+|\b[a-z]{2,6}-\d+\b).*\b(?:blocked|waiting|stuck|waits?)\b.*(?:#\d+|\b[a-z]{2,6}-\d+\b)",
);

/// Whether an agent says only which row of its list waits for which: in minutes that is over.
pub(super) fn is_of_its_list(sentence: &str) -> bool {
    OF_LIST.is_match(sentence)
}

/// Whether an agent decides only what it does next.
pub(super) fn is_plan(sentence: &str) -> bool {
    PLANS.is_match(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;
    use crate::rules::statements::{Speaker, find};

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [&IN_ENGLISH, &IN_OTHERS, &PLANS, &OF_LIST] {
            holds_for_matches(&pattern.source());
        }
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        let found = find(text, Speaker::Agent, &[]);
        found.iter().map(|finding| finding.kind.as_str()).collect()
    }

    #[test]
    fn what_an_agent_does_at_the_moment_is_no_fact() {
        for text in [
            "The preview server is already running on port 4000.",
            "Vite auto-switched to port 5174 because the other one is busy.",
            "Both workers are running on port 6100!",
            "The gateway is also trying to use port 6100.",
            "Connect to the queue running on port 6100.",
            "✅ Mail relay: runs on port 2525",
            "- Update `dev.sh` to use port 4100.",
            "Quick fix: Start the worker on port 4100",
            "The relay will listen on port 2525 after that.",
            "I can see from the log that the relay uses port 2525.",
            "It runs on port 2525.",
            "The `up` script is updated to use port 4100.",
            "The compose file should now use Postgres 15.",
            "`deploy.md` (88 lines) - requires Node 20",
            "Version: `1.4.0` → `1.4.1`",
            "제목: 배포 안내서 (line 12) - Gemini 2.5 병렬 실행 안내",
            "`guides/setup/` 위치에 맞게 링크 조정",
            "Gemini 2.5의 지나친 추상화에 대한 경고",
            "4100번 포트로 실행 중인지 확인하고 있습니다.",
            "ポート4100で起動しています。",
            "正在使用 ResNet50 配置启动训练：",
            "添加远程仓库：`https://git.example.org/a/b.git`",
        ] {
            assert!(!kinds(text).contains(&"fact"), "{text}");
        }
    }

    #[test]
    fn what_an_agent_does_next_is_no_decision() {
        for text in [
            "我先把日志整理给你，然后和你一起把方案定下来，最后再改代码。",
            "为了把后面的表结构定下来，我有 2 个问题需要你回答：",
            "I decide to leave the lint warning for now and focus on adding the parser checks.",
            "I've decided to set the flaky test aside for now.",
            "定稿后我就按文档开始实现，先打通接口。",
            "已全部拆掉 → 顶部只剩标题",
            "build ✅ · tests ✅ (per your call, no new cases)",
        ] {
            assert!(!kinds(text).contains(&"decision"), "{text}");
        }
        for text in [
            "We decided to leave the lint warning as it is, per your call.",
            "We decided to use Postgres for the queue.",
            "我们决定用 Postgres 存队列。",
        ] {
            assert!(
                kinds(text).contains(&"decision"),
                "{text} {:?}",
                kinds(text)
            );
        }
    }

    #[test]
    fn what_an_agent_says_is_so_is_a_fact() {
        for text in [
            "The `relay.ts` service listens on port 2525.",
            "The worker runs on port 4100.",
            "The mail relay uses port 2525 by default.",
            "The `dev` script will always start the worker on port 4100.",
            "Start the preview: `make up` (runs the preview server on port 4000).",
            "The lock file pins numpy 1.26.4.",
            "Session files are stored in `~/.cache/relay/sessions`.",
            "스테이징 DB는 5544 포트를 사용합니다.",
            "이 저장소는 Node 22.4 버전을 씁니다.",
            "検証用のDBはポート5544で待ち受けています。",
            "这个仓库使用 Node 22.4。",
            "备份脚本位于 /srv/backup/run.sh。",
        ] {
            assert_eq!(kinds(text), ["fact"], "{text}");
        }
    }
}
