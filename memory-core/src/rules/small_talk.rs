//! Whether a message has a subject of its own: "ok, thanks", "the second one" and "commit this" have
//! none. Such a message is nothing to search for, and as a memory it tells nothing. Pure; supports
//! English, Korean, Japanese and Chinese.

use std::ops::RangeInclusive;

use crate::rules::asking::Asked;
use crate::text::scripts::{is_hangul, is_kana, is_unspaced};

/// Returns true if a message is only agreement, thanks, a greeting, a choice or a nudge to
/// continue, such as "ok, thanks" or "the second one": words in English, Korean, Japanese or
/// Chinese that mean nothing to somebody who does not know what they answer. There is nothing in it
/// to search for, and nothing that a later session should get.
///
/// ```
/// use recallite::rules::small_talk::is_small_talk;
/// assert!(is_small_talk("good morning! how are you?"));
/// assert!(!is_small_talk("which port did we take?"));
/// ```
pub fn is_small_talk(message: &str) -> bool {
    Substance::of(message) == Substance::None
}

/// What a message says that does not depend on what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Substance {
    /// Nothing: agreement, thanks, a greeting, a choice, a nudge to continue.
    None,
    /// An everyday order, such as "run the tests". Only how the person wants it done matters.
    Order,
    /// Anything else.
    Subject,
}

impl Substance {
    /// Of a message; one in another language has a subject.
    pub(crate) fn of(message: &str) -> Self {
        let mut said = Said::default();
        let plain = without_phrases(message);
        for word in plain.split(|c: char| !c.is_alphanumeric()) {
            if !(word.is_empty() || said.is_known(word)) {
                return Substance::Subject;
            }
        }
        // "How do we deploy?", "what did we do today?", "what is next?"
        let can_be_asked = || said.orders || said.can_be_asked || Asked::of(message).is_of_kind();
        if said.asks && can_be_asked() {
            Substance::Subject
        } else if said.orders {
            Substance::Order
        } else {
            Substance::None
        }
    }
}

/// A message in lower case, without the phrases of which other words make a question.
fn without_phrases(message: &str) -> String {
    let mut rest = message.to_lowercase().replace(['\'', '’'], " ");
    for phrase in PHRASES {
        if rest.contains(phrase) {
            rest = rest.replace(phrase, " ");
        }
    }
    rest
}

/// What the words of a message did so far.
#[derive(Clone, Copy, Default)]
struct Said {
    asks: bool,
    can_be_asked: bool,
    orders: bool,
}

impl Said {
    /// Whether a word is no subject, which is noted.
    fn is_known(&mut self, word: &str) -> bool {
        if is_number(word) || is_commit(word) {
            return true;
        }
        if word.chars().any(is_asian) {
            return self.is_compound(word);
        }
        let Some(list) = LISTS.iter().find(|list| list.has_word(word)) else {
            return false;
        };
        self.note(list);
        true
    }

    fn note(&mut self, list: &List) {
        match list.kind {
            Kind::Talk => {}
            Kind::Question => self.asks = true,
            Kind::Askable => self.can_be_asked = true,
            Kind::Order => self.orders = true,
        }
    }

    /// Whether a word consists of listed ones: these scripts write words together, or add endings.
    fn is_compound(&mut self, word: &str) -> bool {
        if word.len() > MAX_BYTES {
            return false;
        }
        // For each place in the word that listed words lead to, the last of them.
        let mut before: Vec<Option<(usize, Option<&List>)>> = vec![None; word.len() + 1];
        before[0] = Some((0, None));
        for start in 0..word.len() {
            if before[start].is_none() {
                continue;
            }
            let rest = &word[start..];
            for (piece, list) in pieces(rest) {
                let end = start + piece.len();
                if may_stand(piece, start == 0, end == word.len()) {
                    // A longer word is the likelier one.
                    before[end].get_or_insert((start, list));
                }
            }
        }
        if before[word.len()].is_none() {
            return false;
        }
        let mut end = word.len();
        while let Some((start, list)) = before[end].filter(|_| end > 0) {
            list.inspect(|list| self.note(list));
            end = start;
        }
        true
    }
}

/// The listed words that a text begins with, and a number.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<&'static List>)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = Some((&text[..digits], None)).filter(|(number, _)| is_number(number));
    let listed = LISTS.iter().flat_map(move |list| {
        let words = list.asian.split_whitespace();
        let found = words.filter(move |word| text.starts_with(word));
        found.map(move |word| (&text[..word.len()], Some(list)))
    });
    number.into_iter().chain(listed)
}

/// A single syllable of Korean is a word or an ending, and one of Japanese a word or not the first:
/// together, they may be any word.
fn may_stand(piece: &str, is_first: bool, is_last: bool) -> bool {
    let mut chars = piece.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) if is_hangul(only) => is_last,
        (Some(only), None) if is_kana(only) => !is_first || is_last,
        _ => true,
    }
}

fn is_asian(c: char) -> bool {
    is_hangul(c) || is_unspaced(c)
}

/// Whether a word is the number of a choice. A longer one may be a port or a ticket.
fn is_number(word: &str) -> bool {
    (1..=MAX_DIGITS).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word looks like the hash of a commit.
fn is_commit(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    COMMIT_DIGITS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

const COMMIT_DIGITS: RangeInclusive<usize> = 7..=40;
const MAX_DIGITS: usize = 2;
/// Longer words are no small talk.
const MAX_BYTES: usize = 90;

enum Kind {
    /// Makes a message neither a question nor an order.
    Talk,
    Question,
    /// Alone it says nothing, but a question can be about it, such as "what went wrong?".
    Askable,
    /// What agents are told to do every day.
    Order,
}

struct List {
    kind: Kind,
    english: &'static str,
    asian: &'static str,
}

impl List {
    fn has_word(&self, word: &str) -> bool {
        self.english.split_whitespace().any(|listed| listed == word)
    }
}

const PHRASES: [&str; 11] = [
    "how can i help you",
    "how can i assist you",
    "what can i do for you",
    "how are you",
    "how is it going",
    "how s it going",
    "good morning",
    "good afternoon",
    "good evening",
    "good night",
    "what s up",
];

static LISTS: [List; 4] = [
    List {
        kind: Kind::Talk,
        english: "a an the this that these those it its he him his she her they them their we us our \
            ours you your yours i me my mine one ones other others another both either neither all \
            any some each every none nothing something anything everything thing things stuff bit lot \
            here there b c d e f g \
            is isn are aren was wasn were weren be been being am do don does doesn doing done can \
            cannot could couldn will won would wouldn should shouldn shall may might must have haven \
            has hasn had let lets s t m re ll ve \
            and or but so then if as at by for from in into of off on onto out over to up with without \
            about also too just only really very much more less most enough still yet already again \
            back instead rather than not never always now actually maybe perhaps both because since \
            no nope nah yes yeah yep yup ya y n ok okay okey k kk sure fine alright right correct \
            exactly true agreed agree absolutely definitely certainly indeed perfect perfectly great \
            good well nice nicely cool awesome excellent amazing wonderful fantastic brilliant neat \
            super lovely sweet beautiful wow yay haha lol lgtm sgtm ty thx tx thanks thank please pls \
            plz sorry hmm hm mhm uh um ah oh hey hi hello yo howdy dear welcome cheers bye goodbye \
            job catch point idea question questions claude codex gemini copilot \
            works worked looks look looking sounds sound seems seem feels feel like liked love want \
            wanted wanna prefer think thought guess mean meant believe understand understood see got \
            get gets getting happy glad ready \
            go goes going gone went come keep continue proceed resume ahead next step steps move \
            wait hold skip try tries tried trying repeat make makes made take takes took use used \
            using put give gave show tell say said ask asked answer explain describe choose chose \
            pick picked select option options choice choices alternative alternatives way ways first \
            second third fourth fifth former latter left top bottom above below best better worse \
            shorter longer simpler moment minute sec",
        asian: "네 넵 넹 예 응 어 엉 그래 그래요 좋아 좋아요 좋네 좋네요 좋습니다 좋은 좋겠어 좋겠다 \
            오케이 ㅇㅋ ㅇㅇ ㅋㅋ ㅋㅋㅋ ㅎㅎ ㄱㄱ 고마워 고마워요 고맙습니다 고맙다 감사 감사합니다 감사해요 \
            땡큐 수고 수고했어 수고했어요 수고하셨습니다 수고하세요 안녕 안녕하세요 반가워 반갑습니다 미안 \
            미안해 미안해요 죄송합니다 괜찮아 괜찮아요 괜찮네 괜찮습니다 맞아 맞아요 맞습니다 알겠어 알겠어요 \
            알겠습니다 알았어 알았어요 완벽해 완벽해요 완벽하네 완벽합니다 훌륭해 훌륭하네 최고 최고야 멋져 \
            멋지다 잘했어 잘했어요 잘했네 아니 아니야 아니요 아뇨 됐어 됐어요 됐다 됐습니다 되네 되네요 \
            계속 계속해 계속하자 진행 진행하자 이어서 다시 다음 다음으로 더 또 한번 번 번째 번째로 번째거 \
            번으로 개 해 해줘 해줘요 해주세요 해봐 해보자 해라 하자 합시다 할게 할게요 해주면 해줄래 하세요 \
            해요 하고 했어 했어요 했습니다 부탁 부탁해 부탁해요 부탁합니다 부탁드립니다 드립니다 제발 그냥 그럼 \
            그러면 그리고 그런데 근데 그대로 그렇게 이렇게 저렇게 그거 그것 이거 이것 저거 저것 거 것 걸 걸로 \
            거로 그걸 그걸로 이걸 이걸로 저걸 저걸로 그건 이건 저건 그게 이게 저게 그 이 저 다른 다른거 \
            다른걸로 나머지 전부 모두 다 둘 하나 하나로 둘다 첫 첫번째 두 두번째 세 세번째 네번째 첫째 둘째 셋째 \
            옵션 선택 방법 방식 쪽 쪽으로 앞에 뒤에 위에 아래 왼쪽 오른쪽 은 는 을 를 도 만 요 야 이야 로 으로 \
            에 의 가 줘 좀 잘 너무 아주 정말 진짜 와 오 음 흠 아 저기 혹시 여기 거기 까지 지금 이제 봐 봐요 \
            보자 보여줘 알려줘 말해줘 설명해줘 설명 해볼래 같아 같아요 좋을 듯 듯해 생각 \
            はい いいえ うん ええ ううん そう そうです そうして いい いいね いいです よい 良い 良さそう \
            よさそう 大丈夫 完璧 素晴らしい すばらしい すごい 最高 ありがとう ございます ございました どうも \
            助かります 助かりました 感謝 お疲れ様 お疲れさま お疲れ おつかれ 了解 承知 わかりました \
            分かりました わかった 分かった こんにちは こんばんは おはよう おやすみ よろしく お願い いたします \
            します しました して しよう ください 下さい やって やろう 続けて 続き 続けよう 進めて 進めよう \
            進んで 次 もう 一度 再度 また それ これ あれ その この あの そっち こっち そちら こちら 別 他 \
            ほか 一つ 二つ 三つ ひとつ ふたつ 目 最初 番 番目 つ 方 ほう 案 選択肢 選んで 選択 全部 両方 です \
            でした ます だ ね よ か な は の を が で に も と へ では じゃあ じゃ まず ちょっと 待って \
            すみません ごめん ごめんなさい いや 違う 違います 今 ここ まで だけ 見せて 教えて 説明 思います \
            思う \
            继续 繼續 接着 好 好的 好了 好吧 是 是的 不 不是 不要 不用 不行 对 對 没错 沒錯 行 可以 没问题 \
            沒問題 谢谢 謝謝 多谢 感谢 感謝 你 您 我 我们 我們 咱们 他 它 的 了 吧 啊 呀 哦 嗯 呢 吗 嗎 请 \
            請 你好 您好 大家好 早上好 下午好 晚上好 早 再见 再見 拜拜 另 另一个 另一個 另外 一个 一個 那个 \
            那個 这个 這個 这 這 那 第 个 個 一 二 三 两 兩 种 種 选项 選項 选 選 选择 選擇 方案 方法 就 这样 \
            這樣 那样 那樣 做 来 去 再 试 試 一下 一次 次 完美 不错 不錯 很 非常 太 棒 赞 真 都 也 还 要 想 用 \
            吧 辛苦 明白 知道 懂 收到 到 这里 這裡 此 为止 為止 为 先 然后 下 一步 步 现在 現在 等 等等 \
            抱歉 并 和 对不起 對不起 觉得 看看 看 说 说明 解释 告诉",
    },
    List {
        kind: Kind::Question,
        english: "what which who whom whose where when why how did",
        asian: "왜 왜요 뭐 뭘 뭐야 뭐지 무엇 무엇을 무슨 어디 어디에 어디서 언제 누구 누가 어떻게 어느 몇 어떤 어때 \
            어때요 どれ どちら どっち 何 なに なぜ どうして どう いつ どこ 誰 どの 什么 什麼 哪 哪个 哪個 哪里 \
            为什么 為什麼 怎么 怎麼 谁 誰 几 啥",
    },
    List {
        kind: Kind::Askable,
        english: "today tonight tomorrow morning afternoon evening night day week weekend month last \
            later soon time times wrong",
        asian: "오늘 내일 이번 주말 나중에 마지막 今日 明日 明後日 今週 来週 最後 さっき 今天 明天 后天 今晚 \
            最后 最後 刚才 回头",
    },
    List {
        kind: Kind::Order,
        english: "commit commits push pull fetch merge rebase git status diff stash amend squash add \
            remove delete change update edit run rerun test tests build rebuild compile lint format \
            fmt check deploy release publish ship start restart stop cancel undo redo revert retry \
            install clean cleanup fix review refactor implement write finish complete close open save \
            code cargo npm pnpm yarn pass passes passed committed pushed pulled merged added removed \
            deleted changed updated edited ran tested built compiled formatted checked deployed \
            released published started restarted stopped cancelled undid reverted installed cleaned \
            fixed fixes reviewed refactored implemented written wrote finished completed closed \
            opened saved",
        asian: "커밋 커밋해 푸시 푸쉬 테스트 테스트해 돌려 돌려줘 실행 실행해 빌드 배포 머지 병합 고쳐 고쳐줘 수정 \
            추가 삭제 지워 지워줘 되돌려 되돌려줘 리뷰 린트 정리 작성 마무리 시작 중지 멈춰 취소 \
            コミット プッシュ テスト 実行 ビルド デプロイ マージ 修正 直して 追加 削除 消して 戻して リリース \
            レビュー 走らせて 回して 流して 開始 中止 止めて 書いて 整理 \
            提交 推送 运行 運行 测试 測試 跑 构建 部署 发布 合并 修复 修改 改 添加 删除 刪除 撤销 重试 检查 开始 \
            停止 取消 写 完成",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_without_a_subject_says_nothing() {
        for message in [
            "continue",
            "Yes, go ahead!",
            "LGTM 👍",
            "...",
            "go",
            "hi",
            "good morning! how are you?",
            "thanks, that's it for today",
            "thanks, looks great",
            "no, the other one",
            "option 2",
            "the second one please",
            "2",
            "b) sounds good",
            "which one?",
            "why?",
            "are you sure?",
            "good catch",
            "Hello! How can I help you today?",
            "I can't see that from here.",
            "네, 계속해줘",
            "고마워, 오늘은 여기까지",
            "아니, 다른 걸로 해줘",
            "2번으로 해줘",
            "두번째 걸로 할게요",
            "안녕하세요!",
            "続けて。",
            "はい、お願いします",
            "ありがとうございました",
            "いいえ、別の方でお願いします",
            "二つ目でお願いします",
            "おはようございます",
            "好的，继续",
            "不，另一个",
            "选第二个吧",
            "谢谢，今天就到这里",
            "没问题，就这样做",
        ] {
            assert_eq!(Substance::of(message), Substance::None, "{message}");
        }
    }

    #[test]
    fn an_everyday_order_is_told_from_small_talk() {
        for message in [
            "commit this",
            "ok, commit and push",
            "run the tests again",
            "git status",
            "undo that",
            "fix it please",
            "커밋하고 푸시해줘",
            "테스트 돌려줘",
            "コミットしてください",
            "テストを実行して",
            "Committed as 4be1c02.",
            "All tests passed.",
            "提交并推送",
            "运行测试",
        ] {
            let is_order = Substance::of(message) == Substance::Order;
            assert!(is_order, "{message}: {:?}", Substance::of(message));
        }
    }

    #[test]
    fn a_question_is_no_small_talk() {
        for message in [
            "continue with the parser",
            "run the tests of the importer",
            "how do we deploy?",
            "did we deploy it?",
            "what did we do today?",
            "what did we do last?",
            "what went wrong?",
            "what is next?",
            "what do we prefer?",
            "what did we do yesterday?",
            "8443",
            "redb it is then",
            "use Typst instead",
            "배포는 언제?",
            "배포는 어떻게 해?",
            "오늘 뭐 했어?",
            "위도는?",
            "도로",
            "デプロイはいつ?",
            "今日は何をした?",
            "次は何をする",
            "怎么部署？",
            "今天做了什么？",
            "接下来做什么",
            "端口是多少",
            "déploie-le",
        ] {
            assert_eq!(Substance::of(message), Substance::Subject, "{message}");
        }
    }
}
