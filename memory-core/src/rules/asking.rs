//! Reads what a question asks for: a kind of knowledge, or events by citation. Pure; supports
//! English, Korean, Japanese and Chinese.

use crate::rules::pattern::Pattern;
use crate::text::citation::{CITATION_LENGTH, CITATION_MAX_LENGTH};

/// What a question asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// For decisions.
    pub(crate) decisions: bool,
    /// For preferences and constraints.
    pub(crate) preferences: bool,
    /// For open tasks.
    pub(crate) open_tasks: bool,
    /// For blocked tasks or what blocks them.
    pub(crate) blocked_tasks: bool,
    /// For tasks that are done.
    pub(crate) finished_tasks: bool,
    /// For a task that it describes, whatever its status.
    pub(crate) described_task: bool,
    /// The question without the words that say this: its subject.
    pub(crate) about: String,
}

impl Asked {
    /// Parses a question.
    pub(crate) fn of(question: &str) -> Self {
        let found = |cue: &Cue| cue.is_match(question);
        let is_described = found(&DESCRIBED);
        let finished_tasks = found(&FINISHED);
        // "Which tasks" alone asks for open ones.
        let open_tasks = match finished_tasks {
            true => OPEN.is_match(&FINISHED.taken_out_of(question)),
            false => found(&OPEN),
        };
        let asked = Asked {
            decisions: found(&DECISIONS),
            preferences: found(&PREFERENCES),
            open_tasks,
            blocked_tasks: found(&BLOCKED),
            finished_tasks,
            described_task: is_described || IS_DONE.is_match(question),
            about: String::new(),
        };
        let mut about = question.to_owned();
        for (is_asked, cue) in [
            (asked.decisions, &DECISIONS),
            (asked.preferences, &PREFERENCES),
            (asked.finished_tasks, &FINISHED),
            (asked.open_tasks, &OPEN),
            (asked.blocked_tasks, &BLOCKED),
            (asked.described_task, &DESCRIBED),
            (is_described, &REQUEST),
        ] {
            if is_asked {
                about = cue.taken_out_of(&about);
            }
        }
        if asked.is_of_kind() && is_frame(&about) {
            about.clear();
        }
        Asked { about, ..asked }
    }

    /// What the question is about, without the words for what it wants to know of that: "the
    /// search service" in "who owns the search service?".
    pub(crate) fn subject(&self) -> String {
        ASPECTS.taken_out_of(&self.about)
    }

    /// Whether it asks for a kind of knowledge.
    pub(crate) fn is_of_kind(&self) -> bool {
        self.decisions || self.preferences || self.tasks() || self.described_task
    }

    /// Whether it asks for tasks.
    pub(crate) fn tasks(&self) -> bool {
        self.open_tasks || self.blocked_tasks || self.finished_tasks
    }
}

/// An event that a question cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedCitation {
    /// The bare citation id. It may only look like one.
    pub(crate) id: String,
    /// Whether the question asks to see it: "show ...".
    pub(crate) is_request: bool,
}

/// How many citations of a question are looked up.
const MAX_CITATIONS: usize = 8;

/// The citations in a question, in order: `mem:a7Bc3x` anywhere, a bare id after "show", and
/// a bare id that is the whole question.
pub(crate) fn named_citations(question: &str) -> Vec<NamedCitation> {
    let mut found: Vec<NamedCitation> = Vec::new();
    let is_shown = SHOW.is_match(question);
    let mut add = |id: &str, is_request: bool| {
        let is_id = (CITATION_LENGTH..=CITATION_MAX_LENGTH).contains(&id.len());
        if is_id && found.len() < MAX_CITATIONS && found.iter().all(|known| known.id != id) {
            found.push(NamedCitation {
                id: id.to_owned(),
                is_request,
            });
        }
    };
    let marked = MARKED.for_text(question).into_iter();
    let marked = marked.flat_map(|marked| marked.captures_iter(question));
    for id in marked.filter_map(|found| found.get(1)) {
        add(id.as_str(), is_shown);
    }
    if is_shown {
        let bare = BARE.for_text(question).into_iter();
        for id in bare.flat_map(|bare| bare.find_iter(question)) {
            add(id.as_str(), true);
        }
    }
    let whole = question.trim().trim_matches(['[', ']']);
    if whole.len() <= CITATION_MAX_LENGTH && whole.bytes().all(is_of_citation) {
        add(whole, false);
    }
    found
}

/// Whether a byte can be part of a citation.
fn is_of_citation(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Words that say what is asked for: whole English words in any case, or substrings in
/// Korean, Japanese and Chinese. Matches never overlap.
struct Cue {
    english: Pattern,
    others: Pattern,
}

impl Cue {
    fn is_match(&self, text: &str) -> bool {
        self.for_text(text).any(|pattern| pattern.is_match(text))
    }

    /// The patterns that may match a text. An ASCII text has no word of the others.
    fn for_text(&self, text: &str) -> impl Iterator<Item = &Pattern> {
        let others = (!text.is_ascii()).then_some(&self.others);
        std::iter::once(&self.english).chain(others)
    }

    /// The text without the matches.
    fn taken_out_of(&self, text: &str) -> String {
        let mut rest = text.to_owned();
        for pattern in self.for_text(text) {
            if let Some(regex) = pattern.for_text(&rest) {
                rest = regex.replace_all(&rest, " ").into_owned();
            }
        }
        rest
    }
}

/// Whether a text holds nothing but words of questions.
fn is_frame(text: &str) -> bool {
    !FRAME
        .taken_out_of(&REQUEST.taken_out_of(text))
        .contains(char::is_alphanumeric)
}

/// Whole words in any letter case. Only ASCII ones: a question compiles these, and Unicode classes
/// would take a short-lived process longer than its search.
fn words(english: &str) -> String {
    format!(r"(?i-u:\b(?:{english})\b)")
}

fn ascii(english: &str) -> String {
    format!("(?i-u:{english})")
}

static DECISIONS: Cue = Cue {
    english: Pattern::written(
        r"decide|decides|decided|deciding|decisions?|agreed?|agreements?|(?:settled?|settle) on|(?:did|do) we (?:choose|pick|go with|end up with)|chosen|chose",
        words,
    ),
    others: Pattern::new(
        r"결정(?:했|한|하|된|사항)?[가-힣]*|정했[가-힣]*|정한|합의[가-힣]*|[가-힣]기로 ?했[가-힣]*|決め(?:た|ました|て)?|決定(?:した|しました|事項)?|合意(?:した)?|(?:何|どれ|どちら|どっち)に(?:した|しました|なった|なりました|すること(?:に(?:した|しました|なった|なりました))?)(?:っけ)?|选(?:了|定了?|的是)(?:什么|哪个|啥)|决定(?:了)?|決定(?:了)?|定下(?:来|了)?|敲定(?:了)?|商定(?:了)?",
    ),
};
static PREFERENCES: Cue = Cue {
    english: Pattern::written(
        r"prefer|prefers|preferred|preferences?|constraints?|conventions?|(?:user|they|she|he|we|i) (?:likes?|wants?)",
        words,
    ),
    others: Pattern::new(r"선호[가-힣]*|취향[가-힣]*|제약[가-힣]*|好み|制約|偏好|约束"),
};
/// Deliberately narrow: "which port is open" and "how do tasks work in tokio" ask for
/// something else, and this cue returns tasks that share no word with the question.
static OPEN: Cue = Cue {
    english: Pattern::written(
        r"\b(?:what(?:'s| is| are| was| were)?(?: else)?(?: still)? left to do|what (?:remains|stays) (?:open|to be done|to do)|what do (?:i|we) (?:still )?(?:have|need) to do(?: next)?|anything(?: else)?(?: still)? left(?: to do)?|what (?:should|can|do|must) (?:i|we) (?:do|work on) next|(?:open|pending|unfinished|remaining|outstanding|my|our|which|what) (?:tasks?|action items?|work items?)(?: (?:is|are|were|remains?)(?: still)?(?: left| open| remaining| pending| unfinished| outstanding)?)?|still (?:open|unfinished|pending|outstanding|left|to do|undone)|open (?:issues?|items?|questions?|points?|work|ends)|remaining work|to-?dos?|task list|action items?|next steps?)\b|\b(?:what(?:'s| is| are| was| were)?(?: else)?(?: still)? (?:open|unfinished|pending|outstanding|left(?: open)?|to do|undone|remaining|next)|what (?:remains|stays)|(?:is|are) (?:anything|there anything|something)(?: still)? (?:open|left|pending|unfinished|outstanding))(?:\s*$|\s*[?.!,;:](?:\s|$)|\s+(?:and|or|now|today|here|right now)\b|\s+(?:for|on|in|from|before) (?:the |this |our |my |that |next )?(?:[\w-]+ )?(?:project|repo|repository|release|launch|sprint|backlog|branch|milestone|list|plan|team|today|tomorrow|week|monday|friday|us|me)\b)",
        ascii,
    ),
    others: Pattern::new(
        r"(?:남은 )?할\s?일[가-힣]*(?: (?:뭐|뭔|무엇)[가-힣]*(?: 있[가-힣]*)?)?|남은 (?:일|작업|과제)[가-힣]*|(?:뭐가|무엇이|일이|작업이|과제가) 남[가-힣]*|(?:진행\s?중인|열려\s?있는) (?:일|작업|과제|이슈)[가-힣]*|미해결[가-힣]*|미완료[가-힣]*|작업 목록|残(?:っている|った|り)(?:の)?(?:作業|タスク|こと|もの|課題)|(?:何|なに)が(?:残|未)[ぁ-ん一-龥]*|残タスク|未完了|未解決|やること|やるべきこと|タスク一覧|待办(?:事项)?|待辦(?:事項)?|未完成|还没(?:有)?(?:做|完成|解决)(?:完|的)?|還沒(?:做|完成)|剩下(?:的)?(?:任务|工作|事)|未解决|(?:哪些|什么)任务|任务列表|(?:뭐|뭘|무엇을) ?해야[가-힣]*|다음(?:에|은) ?(?:뭐|뭘|무엇)[가-힣]*|次(?:は|に)何を[ぁ-ん]*|残りは何[ぁ-ん]*|何をすれば[ぁ-ん]*|还剩(?:下)?(?:什么|哪些|啥)|接下来(?:该|要)?做(?:什么|啥)|还有(?:什么|哪些|啥)(?:没|要)(?:做|完成|解决|处理)",
    ),
};
static BLOCKED: Cue = Cue {
    english: Pattern::written(
        r"what(?:'s| is| are)?(?: still)? (?:blocked|blocking|stuck|held up)|what (?:blocks|holds us up)|blockers?|blocked (?:tasks?|work|items?)|(?:is|are) (?:anything|we|you|i)(?: still)? (?:blocked|stuck)|(?:are|am|is) \w+ stuck on|what (?:is|are) \w+ (?:waiting|stuck|blocked) (?:for|on|by)|(?:is|are) (?:anything|something|there anything) (?:still )?blocking|what(?:'s| is) holding (?:us |it |things |everything |the [\w-]+ )?up|why (?:is|are) (?:the |our |my )?(?:[\w-]+ )?(?:release|deploy|deployment|launch|task|project|migration|rollout|ticket|feature) (?:still )?(?:blocked|stuck|held up|on hold)",
        words,
    ),
    others: Pattern::new(
        r"막혀[가-힣]*|막혔[가-힣]*|막힌|막고[가-힣]*|막는|블로커[가-힣]*|ブロック(?:され|中|して)[ぁ-ん]*|止まって[ぁ-ん]*|ブロッカー|被?(?:卡|挡)住(?:了)?|被阻塞|受阻|阻塞(?:了|的任务)",
    ),
};
/// "the task about the cache": the words around it describe the task.
static DESCRIBED: Cue = Cue {
    english: Pattern::written(
        r"(?:the|that|this|a|an|any|my|our|your) (?:tasks?|action items?|work items?|to-?dos?) (?:about|on|for|of|to|called|named|titled|regarding|concerning|that|where|which|with)|(?:happened to|became of|become of) (?:the|that|our|my)|tasks? (?:about|called|named|titled|regarding|concerning)",
        words,
    ),
    others: Pattern::new(
        r"(?:에 ?대한|에 ?관한|관련(?:된)?|하는|하라는|하기로 한) ?(?:작업|태스크|과제|할 ?일)[가-힣]*|(?:について|に関する|関連)の?(?:タスク|作業|課題)|(?:する|した|という)(?:タスク|課題)|的(?:任务|任務|待办|待辦)(?:事项)?|작업(?:은|이|도)? ?(?:어떻게|다) ?(?:됐|되었|했|끝났)[가-힣]*|(?:タスク|作業)は(?:どう|もう終わ)[ぁ-ん]*|(?:任务|工作)(?:怎么样|怎样|完成|做完)了",
    ),
};

/// Deliberately narrow, too: "a column for completed tasks" asks for none.
static FINISHED: Cue = Cue {
    english: Pattern::written(
        r"\b(?:which|what) (?:of (?:the|our|my) )?(?:tasks?|action items?|work items?|to-?dos?)(?: (?:is|are|were|was|has been|have been|have|has|did))?(?: (?:we|i|you))?(?: already)? (?:done|finish(?:ed)?|completed?|closed?)\b|(?:^|\b(?:list|show|show me|what are|which are)(?: all)?(?: of)?(?: the| our| my)? )(?:done|finished|completed|closed) (?:tasks?|action items?|work items?|to-?dos?)\s*(?:[?.!]|$)|\bwhat (?:have|did|has) (?:we|i|you)(?: already)? (?:finish(?:ed)?|completed?|closed?|got(?:ten)? done|get done)\b|\bwhat(?:'s| is| has been| have been)(?: already)? (?:done|finished|completed)(?: so far| already| yet)?\s*(?:[?.!]|$)",
        ascii,
    ),
    others: Pattern::new(
        r"(?:완료(?:된|한|했던)|끝난|끝낸|끝냈던|마친|처리(?:된|한)) ?(?:작업|일|과제|태스크|할 ?일)들?(?:은|는|이|가|을|를|도)?\s*(?:[?？]|$|뭐|무엇|알려|보여|목록|있)[가-힣]*|(?:무엇을|뭘|뭐를|어떤 (?:작업|일|과제)[을를]?) ?(?:끝냈|완료했|마쳤)[가-힣]*|(?:어떤|무슨) (?:작업|일|과제)[이가은는]? ?(?:끝났|완료됐|완료되었)[가-힣]*|(?:完了した|完了している|終わった|終わっている|終えた|済んだ)(?:タスク|作業|課題)(?:は|を|って)?\s*(?:[?？]|$|何|なに|どれ|教え|見せ|一覧|ある|あり)[ぁ-ん]*|(?:どの|どんな)(?:タスク|作業|課題)[がはを](?:もう)?(?:完了し|終わっ|終わり|終え|済ん|済み)[ぁ-ん]*|何[がを](?:もう)?(?:完了し|終わり|終わっ|終え)[ぁ-ん]*|(?:已经?|已經)(?:完成|做完)(?:了)?的?(?:任务|任務|工作|待办|待辦|事项)(?:都)?\s*(?:[?？]|$|[有是](?:哪些|什么|什麼))|(?:完成|做完)了(?:哪些|什么|什麼|啥)(?:任务|任務|工作|待办|待辦)?|(?:哪些|什么|什麼)(?:任务|任務|工作|待办|待辦)(?:都)?(?:已经?|已經)?(?:完成|做完)了?",
    ),
};
/// "is the key rotation done?": what lies between describes the task.
static IS_DONE: Pattern = Pattern::new(
    r"(?i)^(?:(?:so|and|ok|hey),? )?(?:(?:is|are) (?:the|our|my) [^\n,;:!?]{3,60}? (?:done|finished|completed?)|(?:did|have) we (?:finish|finished) (?:the|our|my) [^\n,;:!?]{3,60}?)(?: yet| now| already)?\s*\??\s*$",
);

/// The words of questions that say nothing of their subject. Most English ones are stop words too.
static FRAME: Cue = Cue {
    english: Pattern::written(
        r"what|which|have|has|had|did|do|does|we|i|you|us|me|the|a|all|any|our|my|of|so far|until now|up to now|yet|already|is|are|was|were|there|here|still|now",
        words,
    ),
    others: Pattern::new(
        r"우리(?:가|는|의|들이?)?|무엇(?:을|이|인지|이야|이지)?|뭐(?:야|지|가|를|였지|예요|에요)?|뭘|뭔(?:지|가)?|어떤|어떻게|사항(?:이|은|들이?|들은?)?|것(?:이|은|을|들이?)?|거(?:야|지)?|지금(?:까지)?|이제까지|모두|전부|[다은는이가을를도]|있(?:어|나|지|었)[가-힣]*|했(?:지|어|나|더라)[가-힣]*|(?:이|예|에)요|何(?:を|が|に|か)?|どんな|どう|こと|もの|(?:し)?ましたか|ですか|でしたか|私たち|我々|これまで|今まで|全部|っけ|[のはをがにかとも]|我们|我們|咱们|都|什么|什麼|哪些|哪个|啥|有|的|吗|嗎|呢|了|是|过|目前|到底|一共|至今",
    ),
};

/// What facts, habits and names are asked for by, beside the thing that they are of, and who asks.
/// Words in katakana are whole words: a report (レポート) has no port.
static ASPECTS: Cue = Cue {
    english: Pattern::written(
        r"who (?:owns?|owned|maintains?|maintained|runs?|leads?|handles?|made|makes?|wrote|writes?|built|builds?|drew|is (?:responsible|in charge))|owners?|ports?|versions?|paths?|hosts?(?: ?names?)?|names?|passwords?|address(?:es)?|urls?|(?:which|what) (?:kind|type|sort|model|colou?r|size)|called|stored?|kept|located|listens?|runs?",
        words,
    ),
    others: Pattern::new(
        r"담당자?(?:가|는|은|이)?|포트|버전|경로|주소|비밀번호|이름|(?:쓰|써|썼|쓸)[가-힣]*|担当者?|(?:^|[^ァ-ヶー])(?:ポート|バージョン|パスワード|ホスト名?|アドレス)(?:[^ァ-ヶー]|$)|名前|使(?:い|う|っ|わ)[ぁ-ん]*|用什么|用哪[个些种]?|使用|负责人?|端口|版本|路径|地址|密码|名字|名称|우리(?:는|가|의)? |(?:에 )?대해서?|について|に関して|私たち|关于|關於|[我你他咱][们們]",
    ),
};

/// "show me the task about the cache": says nothing about the task.
static REQUEST: Cue = Cue {
    english: Pattern::written(
        r"^[ \t\x22'(>-]*(?:(?:please|can you|could you|would you|now) )*(?:show|display|open|give|tell|find|get|list|pull up|look up)(?: me| us)?(?: about)?\b",
        ascii,
    ),
    others: Pattern::new(
        r"보여[가-힣]*|찾아[가-힣]*|알려[가-힣]*|表示して[ぁ-ん]*|見せて[ぁ-ん]*|教えて[ぁ-ん]*|显示|顯示|查看|给我看|看看",
    ),
};

static SHOW: Cue = Cue {
    english: Pattern::written(
        r"show|open|display|details? (?:of|on|for|about)|expand|read|quote|give me|pull up|look up|what (?:is|does|was|says?)",
        words,
    ),
    others: Pattern::new(
        r"보여[가-힣]*|열어[가-힣]*|자세히|表示|見せて|開いて|詳し[くい]|显示|顯示|展开|打开|查看|详细|看看",
    ),
};
static MARKED: Pattern = Pattern::new(r"mem:([A-Za-z0-9_-]+)");
static BARE: Pattern = Pattern::new(r"[A-Za-z0-9_-]{6,8}");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::Needed;
    use crate::rules::pattern::tests::holds_for_matches;

    #[test]
    fn what_may_match_is_compiled() {
        for cue in [
            &DECISIONS,
            &PREFERENCES,
            &OPEN,
            &BLOCKED,
            &FINISHED,
            &DESCRIBED,
            &REQUEST,
            &ASPECTS,
            &FRAME,
            &SHOW,
        ] {
            holds_for_matches(&cue.english.source());
            holds_for_matches(&cue.others.source());
            let others = Needed::by(&cue.others.source());
            assert!(others.is_beyond_ascii(), "{}", cue.others.source());
        }
        holds_for_matches(&MARKED.source());
        holds_for_matches(&IS_DONE.source());
    }

    #[test]
    fn a_question_for_nothing_but_decisions_has_no_subject() {
        for question in [
            "우리가 무엇을 결정했지?",
            "무엇을 결정했어?",
            "뭘 결정했지?",
            "결정 사항이 뭐야?",
            "우리 뭐 결정했어?",
            "何を決めましたか？",
            "決定事項は？",
            "何を決めた？",
            "都决定了什么",
            "决定有哪些？",
            "我们决定了什么？",
            "what have we decided so far?",
            "list all decisions",
            "what did we decide?",
        ] {
            let asked = Asked::of(question);
            assert!(asked.decisions, "{question}");
            assert!(asked.about.is_empty(), "{question}: {:?}", asked.about);
        }
        for question in [
            "캐시에 대해 뭘 결정했지?",
            "订单的数据库决定了什么？",
            "キャッシュは何に決めた？",
        ] {
            assert!(!Asked::of(question).about.trim().is_empty(), "{question}");
        }
    }

    #[test]
    fn what_is_done_is_not_what_is_left() {
        for question in [
            "which tasks are done?",
            "what have we finished?",
            "what did we complete?",
            "what tasks have we already completed?",
            "done tasks",
            "완료된 작업은?",
            "뭘 끝냈어?",
            "어떤 작업이 끝났어?",
            "完了したタスクは？",
            "どのタスクが終わりましたか？",
            "何を終えましたか？",
            "完成了哪些任务？",
            "哪些任务已经完成了？",
            "我们做完了什么？",
        ] {
            let asked = Asked::of(question);
            assert!(
                asked.finished_tasks && !asked.open_tasks && asked.about.trim().is_empty(),
                "{question}: {asked:?}"
            );
        }
        for question in [
            "which tasks are open?",
            "what is not finished yet?",
            "아직 안 끝난 건 뭐야?",
            "未完了のタスクは？",
            "未完成的任务有哪些？",
            "how is a finished build signed?",
            "move the completed tasks into an archive table",
            "closed tasks are still counted in the badge, fix it",
            "the test for completed tasks is flaky",
            "add a 'done tasks' filter to the kanban view",
            "what are finished goods in this schema?",
            "what is finished product inventory?",
            "완료된 일시를 저장하는 컬럼을 추가해줘",
            "처리된 일부 데이터만 보여주는 API",
            "마친 일정은 회색으로",
            "끝낸 일본어 번역을 합쳐줘",
            "완료된 작업을 삭제하는 버튼을 추가해줘",
            "完了したタスクを削除するボタンを追加して",
            "終わった作業の色を変えて",
            "已完成工作流的图标换一下",
            "任务完成了任务状态没变",
            "完成了工作之后跳转到首页",
            "已完成任务列表加个分页",
            "when did the migration finish?",
        ] {
            assert!(!Asked::of(question).finished_tasks, "{question}");
        }
        let both = Asked::of("which tasks are done, and what is still open?");
        assert!(both.finished_tasks && both.open_tasks, "{both:?}");
    }

    #[test]
    fn what_is_left_is_asked_for_in_many_ways() {
        for question in [
            "what do we still have to do?",
            "what do I still have to do?",
            "anything left to do?",
            "what is left to do?",
            "what is still open here?",
            "할 일이 뭐야?",
        ] {
            let asked = Asked::of(question);
            assert!(
                asked.open_tasks && asked.about.is_empty(),
                "{question}: {asked:?}"
            );
        }
    }

    #[test]
    fn a_question_says_which_kind_of_knowledge_it_asks_for() {
        for question in [
            "what did we decide about the cache, and what is open?",
            "캐시에 대해 무엇을 결정했지? 그리고 남은 일은?",
            "キャッシュについて何を決めましたか。残っている作業は?",
            "关于缓存我们决定了什么？还有哪些未完成？",
        ] {
            let asked = Asked::of(question);
            assert!(asked.decisions && asked.open_tasks, "{question}");
            assert!(!asked.blocked_tasks, "{question}");
        }
        for question in [
            "what is blocked?",
            "what are we stuck on",
            "지금 뭐가 막혀 있지?",
            "何がブロックされていますか",
            "哪些任务被卡住了？",
        ] {
            assert!(Asked::of(question).blocked_tasks, "{question}");
        }
        for question in [
            "what did we settle on?",
            "did we go with redis or postgres?",
            "캐시는 뭐 쓰기로 했지",
            "データベースは何にしましたか",
            "数据库选了什么",
        ] {
            let asked = Asked::of(question);
            assert!(asked.decisions && !asked.tasks(), "{question}");
        }
        for question in [
            "what should I do next?",
            "what is left for this release?",
            "what's pending in the project",
            "다음에 뭐 해야 해?",
            "次は何をする",
            "接下来做什么",
            "还剩什么",
        ] {
            assert!(Asked::of(question).open_tasks, "{question}");
        }
        for question in [
            "is anything blocking the release?",
            "why is the release blocked?",
            "what's holding up the launch?",
        ] {
            assert!(Asked::of(question).blocked_tasks, "{question}");
        }
        for question in ["any todos?", "할 일이 뭐야?", "やることは?", "待办有哪些"]
        {
            assert!(Asked::of(question).open_tasks, "{question}");
        }
    }

    #[test]
    fn other_questions_ask_for_no_kind() {
        for question in [
            "which port is open on the server?",
            "how do tasks work in tokio?",
            "which requests are blocked by the firewall?",
            "which port does the test server listen on?",
            "how do I open a file in Rust?",
            "what is next.js used for?",
            "what is pending in the queue?",
            "what is left of the string after trim",
            "what is to do with the old files",
            "why is the request blocked by CORS?",
            "is the server fast?",
            "is the request done before the response is sent?",
            "결제 시간 초과가 몇 초였지?",
            "本番環境のデプロイはいつですか",
            "服务器的端口是多少",
        ] {
            let asked = Asked::of(question);
            assert_eq!(
                asked,
                Asked {
                    about: question.to_owned(),
                    ..Asked::default()
                }
            );
        }
    }

    #[test]
    fn a_question_may_describe_a_task() {
        for (question, about) in [
            (
                "what became of the task about the price cache?",
                "price cache",
            ),
            ("that task of renewing the certificate", "certificate"),
            ("가격 캐시에 대한 작업은 어떻게 됐지?", "캐시"),
            ("キャッシュについてのタスクはどうなった?", "キャッシュ"),
            ("关于缓存的任务怎么样了？", "缓存"),
            ("what happened to the key rotation task?", "key rotation"),
            ("is the key rotation done?", "key rotation"),
            ("키 교체 작업은 어떻게 됐어?", "키 교체"),
        ] {
            let asked = Asked::of(question);
            assert!(asked.described_task && !asked.tasks(), "{question}");
            assert!(asked.about.contains(about), "{question}: {}", asked.about);
        }
        for (question, about) in [
            ("show me the task about rollback", "rollback"),
            ("show task about open ports", "open ports"),
            ("rollback에 대한 작업을 보여줘", "rollback"),
            ("rollbackについてのタスクを見せて", "rollback"),
            ("显示关于rollback的任务", "rollback"),
        ] {
            let asked = Asked::of(question);
            assert!(asked.described_task, "{question}");
            let left = asked.about.trim_matches(|c: char| !c.is_ascii_alphabetic());
            assert_eq!(left, about, "{question}");
        }
    }

    #[test]
    fn what_a_question_is_about_remains() {
        let about = Asked::of("What did we decide about the price cache, and what is open?").about;
        assert!(
            about.contains("price cache") && !about.contains("decide"),
            "{about}"
        );
        assert!(!about.contains("open"), "{about}");
        assert!(
            Asked::of("가격 캐시는 어떻게 결정했지?")
                .about
                .contains("캐시")
        );
    }

    #[test]
    fn the_subject_is_without_what_is_asked_of_it() {
        for (question, subject) in [
            ("Who owns the search service?", "the search service"),
            (
                "What did we decide about Kubernetes?",
                "What did we about Kubernetes",
            ),
            (
                "which port does the mail server use",
                "which does the mail server use",
            ),
            ("로열티 담당자가 누구야", "로열티 누구야"),
            ("監視は何を使いますか", "監視は何を"),
            ("レポートはどこ", "レポートはどこ"),
            ("Wi-Fiのパスワードは", "Wi-Fi"),
            ("积分计划的负责人是谁", "积分计划的 是谁"),
            ("关于 Terraform 我们决定了什么", "Terraform 什么"),
        ] {
            let left = Asked::of(question).subject();
            let left: Vec<&str> = left.split_whitespace().collect();
            let left = left.join(" ");
            assert_eq!(left.trim_matches('?').trim(), subject, "{question}");
        }
    }

    #[test]
    fn citations_are_found_where_they_are_named() {
        let named = |question: &str| -> Vec<(String, bool)> {
            named_citations(question)
                .into_iter()
                .map(|named| (named.id, named.is_request))
                .collect()
        };
        let one = |is_request| vec![("a7Bc3x".to_owned(), is_request)];
        assert_eq!(named("show mem:a7Bc3x"), one(true));
        assert_eq!(named("mem:a7Bc3x를 보여줘"), one(true));
        assert_eq!(named("[mem:a7Bc3x]"), one(false));
        assert_eq!(named("a7Bc3x"), one(false));
        assert_eq!(named("why does [mem:a7Bc3x] disagree?"), one(false));
        assert_eq!(named("we deploy on Friday"), []);
        assert_eq!(named("mem:tiny or mem:muchtoolong"), []);
        assert!(named("show a7Bc3x").contains(&("a7Bc3x".to_owned(), true)));
        assert_eq!(
            named_citations(&"mem:a7Bc3x mem:b7Bc3x ".repeat(9)).len(),
            2
        );
    }
}
