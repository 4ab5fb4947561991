//! Words that are never or seldom searched for, and words that tell a time. Part of the disk format:
//! see [`VERSION`](super::VERSION).

/// English function words, which are never searched for. A shorter list costs five points of recall
/// on LoCoMo.
const STOP: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him \
his himself she her hers herself it its itself they them their theirs themselves what which who whom \
this that these those am is are was were be been being have has had having do does did doing would \
should could ought a an the and but if or because as until while of at by for with about against \
between into through during before after above below to from up down in out on off over under again \
further then once here there when where why how all any both each few more most other some such no \
nor not only own same so than too very s t d m ll re ve don didn doesn isn wasn weren aren hasn haven \
hadn won wouldn shouldn couldn can cannot";

/// Words that only frame a question. They are indexed, but searched for only if nothing else is
/// left.
const QUESTION_STOP: &str = "did does doing one ones thing things something anything everything us \
get got getting go goes went gone let would could should may might must shall also even still just \
ever never yet already quite really actually exactly originally much many lot lots every else use \
used using make made say said tell told ask asked want wanted need know knew see saw look looked come \
came put take took give gave keep kept try tried turn turned two first last new old way kind sort \
like well please";

/// The same for scripts that are indexed as pairs of letters: interrogatives, question endings and
/// the words of a polite request in Korean, Japanese and Chinese.
const QUESTION_STOP_PAIRS: &str = "뭐 뭐였 였지 뭐지 뭐야 뭐라 뭐가 뭘로 뭔지 무엇 엇이 엇을 엇인 무슨 어떤 어떻 떻게 \
언제 제였 제지 어디 디서 디에 디야 누가 누구 구였 구야 몇 얼마 마나 마였 했지 했더 됐지 됐더 었지 았지 더라 더라도 \
인가 인지 나요 까요 였나 했나 었나 는지 왜 뭐였지 누구였지 언제였지 어디였지 얼마였지 무엇이었지 어떻게 \
알려 줘 줘요 주세 세요 줄래 래요 해줘 주라 \
です すか でし した っけ たっ ます ませ せん すか どこ こで こに いつ なぜ どう うし どの どれ どん なに なん 何で \
何が 何を 何の 何時 誰が 誰の 誰に たか のか かな \
てく くだ ださ さい 下さ もら らえ えま んか ほし 欲し お願 願い てほ \
请 請 请你 請你 帮我 幫我 麻烦 麻煩 一下 \
什么 甚么 么时 时候 怎么 么样 为什 哪里 哪儿 哪个 哪天 哪家 哪一 多少 几个 几点 几号 谁的 谁是 是谁 是什 了吗 吗 呢 \
什麼 甚麼 麼時 時候 怎麼 麼樣 為什 哪裡 哪裏 哪兒 哪個 幾個 幾點 幾號 誰是 是誰 了嗎 嗎";

/// Words that tell when something happened.
const TEMPORAL: &str = "yesterday today tonight tomorrow last next ago week weekend month year \
recently since monday tuesday wednesday thursday friday saturday sunday january february march april \
may june july august september october november december just summer winter spring fall day days \
weeks months years now soon earlier";

/// Flags of a word.
pub(super) const IS_STOP: u8 = 1;
pub(super) const IS_QUESTION_STOP: u8 = 2;
pub(super) const IS_TEMPORAL: u8 = 4;

/// All lists, each with the flag of its words.
pub(super) const LISTS: [(&str, u8); 4] = [
    (STOP, IS_STOP),
    (QUESTION_STOP, IS_QUESTION_STOP),
    (QUESTION_STOP_PAIRS, IS_QUESTION_STOP),
    (TEMPORAL, IS_TEMPORAL),
];
