//! Recognises work that is no task to remember: what a list under its title asks for at once, what
//! must hold before other work counts, what must not be done, and sentences that only look like work.

use super::finding::{Finding, FindingKind};
use crate::rules::pattern::Pattern;

/// What the title of a list says of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    /// They are what must not be done.
    Forbidden,
    /// They are what must hold, not what is to be done.
    Criteria,
    /// The agent is asked to do them now.
    Now,
}

/// What a title says of its items; `None` if that is nothing of this.
pub(super) fn above(title: &str) -> Option<Above> {
    if FORBIDS.is_match(title) {
        Some(Above::Forbidden)
    } else if CRITERIA.is_match(title) && !OWN_WORK.is_match(title) {
        Some(Above::Criteria)
    } else if ASKS.is_match(title) && !FOR_LATER.is_match(title) {
        Some(Above::Now)
    } else {
        None
    }
}

/// Whether an item below a title says what it says without the title.
pub(super) fn holds_below(finding: &Finding, text: &str, above: Above) -> bool {
    match above {
        // "Skipping reviews" alone would be in favour of it.
        Above::Forbidden => PROHIBITS.is_match(&text[finding.span.clone()]),
        Above::Criteria => !is_work(finding.kind),
        Above::Now => !matches!(finding.kind, FindingKind::Task | FindingKind::Done),
    }
}

fn is_work(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Task | FindingKind::Blocker | FindingKind::Resolution | FindingKind::Done
    )
}

/// Whether a box is a condition: "Tests written and passing", "No new warnings".
pub(super) fn is_condition(item: &str) -> bool {
    CONDITION.is_match(item)
}

/// Whether a task is none: a maxim, the label of a kind of change, or less than a verb and an object.
pub(super) fn is_no_task(finding: &Finding, text: &str) -> bool {
    if finding.kind != FindingKind::Task {
        return false;
    }
    let sentence = &text[finding.span.clone()];
    let title = finding
        .subject
        .clone()
        .map_or(sentence, |title| &text[title]);
    MAXIM.is_match(sentence)
        || THIN.is_match(title)
        || (LABEL.is_match(sentence) && (sentence.starts_with('`') || OTHER_LABEL.is_match(text)))
}

static FORBIDS: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:avoid(?:ed|ing)?|anti-?patterns?|don'?ts|don[’']t|do not|never|not allowed|forbidden|prohibited|banned|disallowed|(?:bad|worst|wrong) (?:practices?|examples?|habits?|ideas?|ways?)|pitfalls?|common mistakes|(?:what|how|things) not to|out of scope|non-?goals?|red flags|code smells)\b",
    r"|❌|금지|피해야|피할 ?것|하지 ?(?:말|않)|안티 ?패턴|나쁜 ?예|지양|하면 ?안|避けるべき|避けること|禁止|アンチパターン|悪い例|してはいけ|しないこと|やらないこと|避免|不要|不允许|反模式|反例|错误示范|切勿|不得",
));
static CRITERIA: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:definition of done|done (?:when|means|criteria)|check-?lists?|quality (?:gates?|checks?|standards?)|criteria|before (?:you|any|each|every|a) |before \w+ing\b|(?:after|for) (?:each|every) |verification|validation|expected (?:results?|behaviou?rs?|outcomes?|outputs?)|pre-?(?:commit|merge|push|flight)|gates?\b)",
    r"|체크 ?리스트|점검 ?(?:목록|항목)|완료 ?(?:조건|기준|정의)|(?:인수|수락|성공|승인|품질) ?(?:조건|기준)|품질 ?게이트|(?:커밋|배포|머지|병합|PR) ?전|チェックリスト|完了(?:条件|の定義|基準)|受け?入れ?(?:条件|基準)|(?:成功|品質)(?:条件|基準)|(?:コミット|マージ|デプロイ|リリース)前|检查(?:清单|列表|项)|核对清单|完成(?:标准|定义|条件)|验收(?:标准|条件)|(?:成功|质量)标准|(?:提交|合并|部署|发布)前",
));
/// A checklist that is somebody's work.
static OWN_WORK: Pattern = Pattern::lean(
    r"(?i)\b(?:my|our|today|tomorrow|this week|next week|to-?dos?|remaining|left|migration|launch|release)\b",
);
static ASKS: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:please|can you|could you|would you|i (?:need|want|would like) you to|i[’']d like you to|help me|do the following|your (?:task|job|goal) is)\b",
    r"|해 ?(?:줘|주세요|주십시오)|부탁|바랍니다|하세요|してください|して下さい|お願い|してほしい|して欲しい|^\W*请|^\W*請|帮我|幫我|麻烦|麻煩",
));
static FOR_LATER: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:later|to-?dos?|to do list|backlog|tomorrow|next (?:week|time|session|sprint|month|release)|remember|remind|note down|keep track|track|open (?:items?|work|points)|remaining|left|follow-?ups?|some ?day|eventually)\b",
    r"|나중|할 ?일|백로그|다음에|내일|기억|메모|남은|後で|あとで|残り|次回|明日|覚えて|バックログ|以后|稍后|待办|下次|明天|记住|剩下",
));
static PROHIBITS: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:[\W_]|please )*(?:don[’']?t|do not|never|no|not|avoid|stop)\b|\b(?:never|must not|mustn[’']t|should not|shouldn[’']t|may not|cannot|can[’']t|forbidden|prohibited|banned)\b",
    r"|금지|지 ?마|말 ?것|않|안 ?(?:돼|됨|됩|함|한다)|ない|ません|禁止|不要|不得|不能|不许|勿|别|避免|避け",
));
static CONDITION: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:all|every|each|no|zero) \w|^(?:the |new |unit |code |type )*[\w-]+(?: [\w-]+)? (?:is |are |has been |have been )?(?:(?:written|reviewed|updated|passing|passes|pass|passed|met|followed|covered|tested|documented|approved|verified|green|clean|complete|completed|satisfied|working|works)(?: and |, )?)+[.!]*$",
    r"|(?:되어 ?있(?:다|음|는가)|통과(?:함|한다|했는가)?|완료(?:됨|되었는가)?|없음|작성됨)[.]*$|(?:されている|通っている|ないこと|であること|していること)[。]*$|(?:已通过|已更新|已完成|全部通过|均通过)[。]*$",
));
/// "Measure first, optimise later."
static MAXIM: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:[\w'-]+ ){0,3}[\w'-]+ (?:first|now|fast|early|often|today)(?:,| and| then|;|\.)+ (?:[\w'-]+ ){0,4}(?:later|next|tomorrow|second|last)[.! ]*$",
    r"|^(?:[\w'-]+ ){1,4}now or (?:[\w'-]+ ){1,4}later[.! ]*$",
));
/// Titles with a pronoun where the object should be, and those without an object.
static THIN: Pattern = Pattern::lean(concat!(
    r"(?i)^(?:[\w', ]{0,40}\b(?:needs?|have|want|got) to )?(?:(?:start|begin|continue|try|finish|stop) )?[a-z]+(?: (?:up|out|off|into|at|on|over|back|down|through|about|with|to|for))? (?:it|this|that|them|these|those|(?:a |the |an |this |that |another )?(?:new |other |next |last |first |second |same |different )?ones?|so|something|anything|stuff|everything|the rest|both|all)(?: (?:too|now|later|again|first|next|soon|today|tomorrow|then|here|there|anyway|properly|as well|at some point))*[.! ]*$",
    r"|^(?:[\w', ]{0,40}\b(?:needs?|have|want|got) to )?[a-z]+ (?:it|them|this|that|these|those|(?:this|that|these|those) (?:tasks?|ones?|issues?|items?|things?|tickets?|stor(?:y|ies)|stuff|part|work)) (?:to|into|from|now|for|out|off|back|with|fast)\b",
    r"|^(?:it|them|(?:this|that|these|those|the)(?: (?:tasks?|ones?|issues?|items?|things?|tickets?|stor(?:y|ies)|stuff|part|work))?)$",
    r"|^(?:when|while|whenever|because|since) (?:we|i|you|they|it|the)\b|^keep (?:this|that|it) in mind\b",
    r"|^get (?:ready|going|started|home|moving|some (?:rest|sleep)|back|this|it)\b",
    r"|^(?:make sure|ensure|verify|confirm)\b.* (?:successfully|correctly|properly|as expected|works?|working|fine|happy)[.! ]*$",
));
/// A label of a commit's kind, with what it stands for.
static LABEL: Pattern =
    Pattern::lean(r"(?i)^[\W_]*(?:chore|build|ci|perf|style|docs?|test|todo|task)\b[\W_]*[:：–—-]");
static OTHER_LABEL: Pattern = Pattern::lean(
    r"(?im)^[\W_]*(?:feat|fix|refactor|docs)\b[`*_]*(?:\([^)\n]*\))?[`*_]* ?[:：–—-]",
);

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::finding::Speaker;
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    fn found(text: &str) -> Vec<(FindingKind, &str)> {
        let found = find(text, Speaker::User, &[]).into_iter();
        found.map(|one| (one.kind, &text[one.span])).collect()
    }

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &FORBIDS,
            &CRITERIA,
            &OWN_WORK,
            &ASKS,
            &FOR_LATER,
            &PROHIBITS,
            &CONDITION,
            &MAXIM,
            &THIN,
            &LABEL,
            &OTHER_LABEL,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn what_a_title_forbids_is_not_learned_as_wanted() {
        for text in [
            "Things to avoid:\n- Keeping the legacy cache",
            "## Anti-patterns\n- Merging branches without a review from the team",
            "Never do:\n- Skipping the migration tests for speed",
            "Not allowed:\n- Use global variables everywhere",
            "피해야 할 것:\n- 전역 변수를 쓰기로 하자",
            "避けること：\n- グローバル変数を使うことにする",
            "不要做的事：\n- 我们决定用全局变量",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        for text in [
            "Things to avoid:\n- Never force-push to main",
            "Don't:\n- Never share a connection between tests",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn criteria_are_no_work() {
        for text in [
            "Definition of done:\n- [ ] Tests written\n- [ ] Docs updated",
            "Before committing:\n- [ ] Run the linter",
            "Quality gates:\n- [ ] All tests pass\n- [ ] Imports sorted",
            "- [ ] Unit tests written and passing",
            "완료 조건:\n- [ ] 테스트 통과",
            "完了条件：\n- [ ] テストを追加",
            "验收标准：\n- [ ] 编写测试",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        for text in [
            "- [ ] write the unit tests for the parser",
            "Backlog:\n- [ ] rotate the signing keys",
            "My checklist for tomorrow:\n- [ ] call the registrar",
            "Release checklist:\n- [ ] bump the version of the SDK",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_a_list_asks_for_now_is_no_task_to_remember() {
        for text in [
            "Can you do these:\n- [ ] rename the module\n- [ ] update the imports",
            "Please:\n- we still need to add the index to the orders table",
            "### Please create:\n- Identify what needs to be tested in the billing flow",
            "I'd like you to do the following:\n- [ ] split the service",
            "다음을 해 주세요:\n- [ ] 모듈 이름 변경",
            "以下をお願いします：\n- [ ] モジュール名の変更",
            "请完成：\n- [ ] 重命名模块",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        for text in [
            "Please add to the backlog:\n- [ ] rename the billing module",
            "Can you remember these for later:\n- [ ] rotate the signing keys",
            "나중에 해 주세요:\n- [ ] 문서 정리",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn maxims_labels_and_titles_without_an_object_are_no_tasks() {
        for text in [
            "Measure first, optimise later.",
            "Ship now, polish later.",
            "- `feat`: a new feature\n- `chore`: changes of the build",
            "TODO: fix it later",
            "So yeah, we need to create a new one.",
            "we need to move this task to the backlog",
            "We still need to make sure that the parser is called successfully.",
            "We need to figure this out fast.",
            "I need to get ready for work tomorrow",
        ] {
            let tasks = found(text).into_iter();
            let tasks: Vec<_> = tasks.filter(|one| one.0 == FindingKind::Task).collect();
            assert_eq!(tasks, [], "{text}");
        }
        for text in [
            "TODO: fix the race in the pool later",
            "We still need to create a new staging database.",
            "chore: rotate the signing keys",
            "We still need to move the parser to its own crate.",
            "TODO: polish the onboarding screens",
            "have yet to test this on safari",
        ] {
            let tasks = found(text).into_iter();
            let tasks: Vec<_> = tasks.filter(|one| one.0 == FindingKind::Task).collect();
            assert_eq!(tasks.len(), 1, "{text}");
        }
    }
}
