//! Learns without a model: finds decisions, preferences, constraints, facts about the
//! environment, tasks, blockers and their resolution in what people and agents say, in
//! English, Korean, Japanese and Chinese.
//!
//! Made for precision. Messages in which nobody speaks for themselves are skipped
//! ([`staged`]: templates, letters, roles), and so is what they paste ([`document`]: guides,
//! plans). The others are reduced to their prose ([`prose`]: no code, tables or logs) and split
//! into sentences ([`sentences`]), none of which begins or ends in a quotation ([`quotations`]).
//! A sentence is a finding if a cue of its language matches and no trap does ([`cues`]):
//! questions, hypotheses, negations and reported speech are traps, and neither what an agent
//! narrates of its work ([`narrated`]) nor what is asked for once ([`asked_now`], [`moment`]) is
//! learned, nor are commands and output ([`printed`]). What is left falls if its message or sentence
//! is of a form in which cues are mostly wrong ([`unlikely`]). The items of a list are also what
//! its title says they are ([`headed`]). Findings become an answer in the form that a model gives
//! ([`answer`]), so that they take the same path and need the same proof.

pub(crate) mod answer;
mod asked_now;
mod choice;
mod correction;
mod cues;
mod day_or_version;
mod document;
mod done;
mod doubt;
pub(crate) mod elliptical;
mod finding;
mod headed;
mod manner;
mod moment;
mod narrated;
pub(crate) mod older;
pub(crate) mod options;
mod parts;
mod printed;
mod prose;
mod quotations;
mod resolved;
pub(crate) mod reversal;
pub(crate) mod second_answer;
pub(crate) mod sentences;
mod setting;
mod staged;
#[cfg(test)]
mod tests;
pub(crate) mod told;
mod unlikely;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use cues::MAX_CONFIDENCE;
pub(crate) use finding::{Finding, FindingKind, Speaker};

use crate::privacy::Marker;
use crate::rules::pattern::Pattern;

/// The name of the rules in the ledger of build runs.
pub(crate) const RULES_MODEL: &str = "recallite rules 1";
/// A longer message is a pasted document, not something said.
pub(crate) const MAX_MESSAGE_BYTES: usize = 20_000;

/// The findings in a message. `hidden` are spans to skip: recalled text that came back.
pub(crate) fn find(text: &str, speaker: Speaker, hidden: &[Range<usize>]) -> Vec<Finding> {
    if text.len() > MAX_MESSAGE_BYTES || staged::is_staged(text, speaker) {
        return Vec::new();
    }
    let quoted = quotations::spans(text);
    let mut hidden = hidden.to_vec();
    if speaker == Speaker::User {
        hidden.extend(printed::spans(text));
    }
    let mut prose = prose::read(text, &hidden);
    if speaker == Speaker::User
        && let Some(start) = document::begins(text)
    {
        prose.blocks.retain(|block| block.span.start < start);
        prose.ticked.retain(|item| item.start < start);
    }
    let titles = titles(text, speaker, &prose.blocks);
    // What a title asks for or forbids is said by the items below it.
    prose.blocks.retain(|block| {
        let title = titles.get(&block.span.start);
        !title.is_some_and(|title| title.end == block.span.end && title.above.is_some())
    });
    let mut found = Vec::new();
    for block in prose.blocks {
        let title = block.heading.and_then(|title| titles.get(&title.start));
        let above = title.and_then(|title| title.above);
        // A person's box that is not ticked is work, unless it must only hold; an agent's may be advice.
        let is_work = block.is_open
            && speaker == Speaker::User
            && above.is_none()
            && !moment::is_condition(&text[block.span.clone()]);
        let mut listed = title
            .and_then(|title| title.listed)
            .or(is_work.then_some(FindingKind::Task));
        let mut of_block = Vec::new();
        for span in sentences::split(text, block.span, &quoted) {
            of_block.extend(match listed.take() {
                Some(kind) => headed::listed(text, span, kind, speaker, &quoted),
                None => headed::in_line(text, span.clone(), speaker, &quoted)
                    .unwrap_or_else(|| said(text, span, speaker, &quoted)),
            });
        }
        if let Some(above) = above {
            of_block.retain(|finding| moment::holds_below(finding, text, above));
        }
        of_block.retain(|finding| !moment::is_no_task(finding, text));
        found.extend(of_block);
    }
    found.retain(|finding| !tells_a_secret(finding, &text[finding.span.clone()]));
    if !found.is_empty() {
        let message = unlikely::Message::new(text, speaker);
        found.retain(|finding| !message.makes_unlikely(finding));
    }
    found.extend(prose.ticked.into_iter().map(ticked));
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// What a sentence says that no title announces.
fn said(text: &str, span: Range<usize>, speaker: Speaker, quoted: &[Range<usize>]) -> Vec<Finding> {
    let mut found = cues::judge(text, span, speaker, quoted);
    found.retain(|finding| !unlikely::is_unlikely(finding, text, speaker));
    found
}

/// The title of a list.
struct Title {
    end: usize,
    /// What kind of items it announces.
    listed: Option<FindingKind>,
    /// What it says of items whose kind it does not announce.
    above: Option<moment::Above>,
}

/// The titles above blocks, by where they begin.
fn titles(text: &str, speaker: Speaker, blocks: &[prose::Block]) -> BTreeMap<usize, Title> {
    let mut titles = BTreeMap::new();
    for heading in blocks.iter().filter_map(|block| block.heading.clone()) {
        titles.entry(heading.start).or_insert_with(|| {
            let title = &text[heading.clone()];
            let listed = cues::announced(title, speaker);
            Title {
                end: heading.end,
                listed,
                above: match listed {
                    Some(_) => None,
                    None => moment::above(title),
                },
            }
        });
    }
    titles
}

/// Whether a sentence states nothing but a secret: it chooses the masked value, or hands it over, with
/// no more beside the mark than its name, and decides nothing else.
fn tells_a_secret(finding: &Finding, sentence: &str) -> bool {
    if !sentence.contains(Marker::Redacted.as_str()) {
        return false;
    }
    let hands_over = || HANDS_OVER.is_match(sentence) && !DECIDES.is_match(sentence);
    match finding.kind {
        FindingKind::Decision | FindingKind::Fact => CHOOSES.is_match(sentence) || hands_over(),
        FindingKind::Preference | FindingKind::Constraint => CHOOSES.is_match(sentence),
        _ => false,
    }
}

/// The name of a secret and its mark, with which a clause ends: "the token is [REDACTED]".
static HANDS_OVER: Pattern = Pattern::lean(concat!(
    r"(?i)(?:[=:：]|\b(?:is|are|was|token|key|secret|password|passphrase|credentials?)|토큰|비밀번호|암호|키|[은는이가]|トークン|パスワード|キー|鍵|[はが]|令牌|密码|密碼|密钥|口令|[是为]) ?[^\w\s\[]?\[REDACTED\][^\w\s@/]?",
    r" ?(?:이야|이에요|예요|입니다|임|야|です|だ|である)? ?(?:$|[.,;!)。，、；！）]|and\b|&)",
));
/// A masked value that a sentence chooses: "let's use [REDACTED]", "use this token: [REDACTED]".
static CHOOSES: Pattern = Pattern::lean(concat!(
    r"(?i)\b(?:us(?:e|ed|ing)|take|with|keep|to|be|is|was) ?[^\w\s]?\[REDACTED\](?:[^\w@/]|$)",
    r"|\b(?:this|these|the following)\b[^:]{1,60}: ?[^\w\s]?\[REDACTED\](?:[^\w@/]|$)",
    r"|\[REDACTED\][^\w\s]? ?(?:으?로|[을를]|이?라고)? ?(?:하(?:자|기로|겠)|쓰(?:자|기로|겠)|씁시다|합시다|사용|정하|정했|바꾸|바꿨|설정)",
    r"|\[REDACTED\][^\w\s]? ?[にをで](?:しま|しよう|した|する|使|決|設定|変更)",
    r"|(?:用|设为|設為|改成|改为|换成|就是|定为) ?[^\w\s]?\[REDACTED\]",
));
/// Words by which a sentence decides something beside the secret that it names.
static DECIDES: Pattern = Pattern::lean(
    r"(?i)\b(?:decided|instead|because|switch(?:ed|ing)?|moved|migrated?|let's)\b|기로|하자|ことにし|しましょう|决定|決定",
);

/// A ticked list item says that it is done.
fn ticked(item: Range<usize>) -> Finding {
    Finding {
        kind: FindingKind::Done,
        span: item.clone(),
        subject: Some(item),
        blocker: None,
        verb: None,
        confidence: 1.0,
    }
}
