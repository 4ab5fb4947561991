//! Decides whether a sentence takes back what an older one says: another port for the same
//! server, another choice for the same purpose, the opposite rule. Compares frames, so that only
//! sentences that are built alike can disagree.

use std::borrow::Cow;

use regex::Captures;

use super::choice::{Choice, NO_PURPOSE, SERVES_AS, SUBJECT, singular};
use super::correction::without_correction;
use super::day_or_version::DayOrVersion;
use super::doubt;
use super::manner::{Manner, Use, is_language};
use super::setting::{self, Setting};
use super::told::{Owner, told_plainly};
use crate::rules::entries::EntryType;
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;
use crate::text::scripts::is_unspaced;

/// What a newer sentence does to an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It says that it replaces it.
    Replaces,
    /// It takes back what was just said about the same thing: "scrap that, we keep CSV".
    TakesBack,
    /// It says something else.
    Disagrees,
}

/// Words by which a sentence says that something has changed.
static SAYS_SO: Pattern = Pattern::new(
    r"(?i)\b(?:scrap that|instead|actually|change of plans?|new plan|on second thoughts?|changed (?:my|our) minds?|no longer|forget (?:that|it)|now|after all|back to|from (?:now|here) on|any ?more|rather than)\b|대신|말고|아니다|생각해 ?보니|역시|이제|지금은|やっぱり|やはり|やめて|代わりに|今は|もう|戻(?:し|そ|す)|다시|도로|变成|改为|还是|换回|改回|切回|迁回|回到|改用|换成|改成|改到|算了|现在",
);
/// Words by which a sentence says from when on something is to be so.
static FROM_NOW: Pattern =
    Pattern::new(r"(?i)\bfrom (?:now|here) on\b|앞으로|이제부터|今後|これから|以后|今后|从现在起");
/// Words by which a sentence reports or proposes a change. A change that a rule is about ("never change
/// the schema", "before changing it") has not happened.
static CHANGED: Pattern = Pattern::new(concat!(
    r"(?i)\bwe(?:'ve|'re| have| are)?(?: \w+ly| now| just| also)* (?:changed|switched|moved|migrated|changing|switching|moving|migrating)\b|\b(?:let's|we'll|we will|decided to|agreed to)(?: \w+ly| now| just)* (?:change|switch|move|migrate)\b|\b(?:has|have|is|are|was|were)(?: now| been| just)* (?:changed|switched|moved|migrated)\b",
    r"|바꿨|바꾸(?:자|죠|기로)|바꿉시다|바꿀게|(?:변경|교체|전환|이전|이관)(?:했|하자|합시다|하기로|할게|됐|되었)|옮겼|옮기(?:자|죠|기로)|옮깁시다|옮길게",
    r"|(?:変更|移行)(?:しました|した(?:。|$)|しましょう|しよう|することに|します(?:。|$)|され(?:ました|た))|(?:変え|切り替え|乗り換え)(?:ました|た(?:。|$)|ましょう|よう|ることに|ます(?:。|$))",
    r"|(?:换到|迁移到|切换到)了?[^,，。]{1,24}(?:了|吧)",
));
/// Words of a change in any form, which are no part of what a number is said of.
static CHANGE: Pattern = Pattern::new(r"(?i)\b(?:switch(?:ed|ing)|mov(?:ed|ing))\b|바꾸|바꿨|変更");
/// Words by which a sentence takes back what was just said.
static TAKES_BACK: Pattern = Pattern::new(
    r"(?i)\b(?:scrap|scratch|strike|forget) that\b|\bon second thoughts?\b|\bchanged (?:my|our) minds?\b|\bafter all\b|\bnever ?mind\b|\bback to\b|생각해 ?보니|아니다|やっぱり|やはり|算了",
);
/// A word that may name what a decision is about: of two letters in Latin script, or written in
/// katakana.
static NAMING: Pattern = Pattern::new(r"[A-Za-z][A-Za-z0-9.+#-]+|[ァ-ヶー]{3,}");
/// What is no name.
const NO_NAME: [&str; 58] = [
    "about", "after", "all", "also", "and", "are", "back", "because", "before", "but", "can", "do",
    "drop", "for", "forget", "from", "go", "going", "have", "it", "just", "keep", "keeping", "let",
    "ll", "mind", "minds", "need", "never", "new", "not", "now", "on", "one", "only", "our", "re",
    "scrap", "scratch", "second", "stay", "stick", "that", "the", "them", "then", "there", "this",
    "thought", "to", "use", "using", "we", "will", "with", "instead", "move", "switch",
];
/// What may follow a purpose.
const TAIL: &str = r"(?: (?:now|instead(?: of [\w.+#/ -]{1,30})?|after all|again|then|please|too|from now on|going forward|rather than [\w.+#/ -]{1,30}|(?:because|since|as|so) .*))*(?:[,;:] .*)?[.!]*$";
/// What a decision is for: "for the sessions".
static PURPOSE: Pattern = Pattern::written(
    r"(?i)\bfor (?:(?:the|our|my|all) )?([\w][\w ./-]{2,60}?)",
    with_tail,
);
/// What a decision puts somewhere: "store invoices in MongoDB".
static PLACED: Pattern = Pattern::written(
    r"(?i)\b(?:stor(?:e|ed|ing)|keep(?:ing)?|kept|put(?:ting)?|sav(?:e|ed|ing)|host(?:ed|ing)?|run(?:ning)?|cach(?:e|ed|ing)|log(?:ged|ging)?|send(?:ing)?|sent|writ(?:e|ing)|mov(?:e|ed|ing)|switch(?:ed|ing)?|migrat(?:e|ed|ing)|deploy(?:ed|ing)?|serv(?:e|ed|ing)|render(?:ed|ing)?|build(?:ing)?|test(?:ed|ing)?|track(?:ed|ing)?) (?:(?:the|our|my|all) )?([\w][\w-]*(?: [\w][\w-]*){0,2}?) (?:in|on|with|to|from|into|at|via|through|by|using) [\w.+#-]+(?: [\w.+#-]+){0,4}",
    with_tail,
);
/// What is changed to something else: 앱 아이콘을 빨간색으로 바꾸자.
static CHANGED_THING: Pattern = Pattern::new(
    r"^(?:(?:그럼|그러면|이제|역시|우리|저희) )*([\p{L}\p{N} ]{2,20}?)(?:을|를) [^,. 0-9]{1,16}(?:으로|로) (?:바꾸|바꾼|바꿨|바꿉|바꿀|변경|교체|전환)",
);
fn with_tail(pattern: &str) -> String {
    format!("{pattern}{TAIL}")
}

/// Words that do not tell one rule or decision from another.
const NO_CONTENT: [&str; 41] = [
    "a",
    "actually",
    "always",
    "an",
    "any",
    "anymore",
    "be",
    "decide",
    "decided",
    "don",
    "first",
    "i",
    "in",
    "is",
    "lets",
    "longer",
    "more",
    "my",
    "of",
    "please",
    "stop",
    "t",
    "they",
    "was",
    "you",
    "이제",
    "이젠",
    "지금은",
    "현재",
    "앞으로",
    "앞으로는",
    "언제나",
    "이제부터",
    "이제부터는",
    "지금부터",
    "지금부터는",
    "항상",
    "매번",
    "늘",
    "요",
    "그냥",
];
/// The name of an issue: "OPS-77", "#12".
static NUMBERED: Pattern = Pattern::new(r"(?i)\b[a-z]{2,10}-[0-9]+|#[0-9]+");
/// Words by which a note says that something is over.
static IS_OVER: Pattern = Pattern::new(
    r"(?i)\b(?:closed|resolved|fixed|done|merged|granted|approved|solved|over|gone|unblocked|finished)\b|해결|완료|닫혔|끝났|승인됐|승인되었|머지됐|解決|完了|クローズ|終わ|承認され|マージされ|关闭|解决|完成|修复|通过|合并了|批了",
);
/// Words by which a note says that something waits.
static WAITS: Pattern = Pattern::new(
    r"(?i)\b(?:blocked|blocks|waiting|waits?|stuck|on hold|until|can'?t|cannot|held up|depends)\b|막혀|막혔|기다리|대기|때까지|보류|待ち|待って|止まって|まで|卡在|卡住|等|阻塞",
);
/// Words by which a rule forbids.
static FORBIDS: Pattern = Pattern::new(
    r"(?i)\b(?:never|don'?t|do not|stop|no longer|no more|no need to|not|without|avoid)\b",
);
/// Words by which a sentence adds something.
static ADDS: Pattern = Pattern::new(r"(?i)\b(?:also|too|as well|both|in addition|besides)\b");

/// A sentence that may take back older ones.
pub(crate) struct Reversal {
    kind: EntryType,
    /// What it says as an entry of its kind.
    own: Option<Reading>,
    /// What it says as a decision if it is a fact, and as a fact if it is a decision: "we deploy on
    /// Fridays for now" and "we now deploy on Wednesdays" may be either.
    other: Option<Reading>,
    /// The day or the version that it tells of something, and whether it says that this has changed.
    day_or_version: Option<(DayOrVersion, bool)>,
    /// Whether it is about one place or case: "in YAML files".
    says_where: bool,
    /// Whether its last clause says that it is so only somewhere or at some time.
    is_narrowed: bool,
}

/// What a sentence says that may take back an older one.
enum Reading {
    /// A decision that says that something has changed, or what it decides against.
    Decision {
        words: String,
        purpose: Option<String>,
        says_so: bool,
        choice: Choice,
        /// What it is about, if it takes back what was just said.
        taken_back: Vec<String>,
        /// Its words, if it says that something has changed.
        changed: Vec<String>,
        /// What it sets to another value.
        setting: Option<Setting>,
    },
    /// A fact or a constraint with numbers.
    Number {
        frame: String,
        last: String,
        others: Vec<String>,
        change: Change,
    },
    /// What is over.
    Note { over: Vec<String> },
    /// A fact, a constraint or a preference.
    Rule {
        words: Vec<String>,
        /// Who has what now, if that has changed.
        owner: Option<Owner>,
        /// What it prefers, and to what.
        sides: Option<(String, String)>,
        /// What is to be used or not, and how something is to be done, where words do not tell.
        used: Option<Use>,
        manner: Option<Manner>,
        forbids: bool,
        says_so: bool,
        for_what: Option<String>,
        /// Whether it tells who or what took the place of another: what differs may come first.
        is_change: bool,
    },
}

impl Reversal {
    /// An entry with this title; `None` if it takes back nothing.
    pub(crate) fn of(kind: EntryType, title: &str) -> Option<Self> {
        let newer = Newer::of(title);
        let (own, other) = match kind {
            EntryType::Decision => (Reading::decision(&newer), Some(Reading::rule(&newer))),
            EntryType::Fact => (Some(Reading::rule(&newer)), Reading::decision(&newer)),
            EntryType::Constraint | EntryType::Preference => (Some(Reading::rule(&newer)), None),
            EntryType::TaskNote => (Reading::note(title), None),
            _ => (None, None),
        };
        (own.is_some() || other.is_some()).then(|| Reversal {
            kind,
            own,
            other,
            day_or_version: tells_day(kind)
                .then(|| DayOrVersion::of(&newer.said))
                .flatten()
                .map(|told| (told, newer.says_so || newer.corrects || newer.is_from_now)),
            says_where: says_where(title),
            is_narrowed: setting::is_narrowed(title),
        })
    }

    /// Whether an entry of one kind may take back one of another: a decision and a fact may say the
    /// same, and both may change what a preference or constraint sets or prefers.
    pub(crate) fn compares(new: EntryType, old: EntryType) -> bool {
        compares_words(new, old) || (tells_day(new) && tells_day(old))
    }

    /// Whether this one may take back an entry of a kind.
    pub(crate) fn may_change(&self, old: EntryType) -> bool {
        compares_words(self.kind, old) || (self.day_or_version.is_some() && tells_day(old))
    }

    /// What it does to an older sentence of this kind.
    pub(crate) fn does_to(&self, kind: EntryType, old: &str) -> Option<Change> {
        let own = self.own.as_ref();
        if self.is_narrowed && !setting::is_narrowed(old) {
            return None;
        }
        if self.moves(kind, old) {
            return Some(Change::Replaces);
        }
        match kind == self.kind {
            true => own?.does_to(old, &differ_in_one_word),
            false if !compares_words(self.kind, kind) => None,
            false if matches!(kind, EntryType::Constraint | EntryType::Preference) => {
                self.prefers_otherwise(old).then_some(Change::Replaces)
            }
            false => {
                let readings = own.into_iter().chain(&self.other);
                let mut changes =
                    readings.filter_map(|reading| reading.does_to(old, &differ_in_last_word));
                changes.find(|change| *change == Change::Replaces)
            }
        }
    }

    /// Whether it moves to another day or version what an older entry tells of one.
    fn moves(&self, kind: EntryType, old: &str) -> bool {
        let Some((told, is_new)) = self.day_or_version.as_ref().filter(|_| tells_day(kind)) else {
            return false;
        };
        let old = &*without_hedges(without_correction(old).0);
        DayOrVersion::of(old).is_some_and(|older| told.changes(*is_new, &older))
    }

    /// Whether it sets to another value what an older preference or constraint sets, or prefers the
    /// other of two.
    fn prefers_otherwise(&self, old: &str) -> bool {
        let old = &*without_hedges(without_correction(old).0);
        let mut readings = self.own.iter().chain(&self.other);
        readings.any(|reading| match reading {
            Reading::Decision { setting, .. } => {
                setting.as_ref().is_some_and(|new| new.changes(old))
            }
            Reading::Rule {
                sides, for_what, ..
            } => {
                let is_elsewhere = for_what.is_some() && *for_what != purpose(old);
                !is_elsewhere && !self.says_where && are_swapped(sides.as_ref(), old)
            }
            _ => false,
        })
    }
}

/// A newer sentence, and what it says about the older ones.
struct Newer<'t> {
    title: &'t str,
    /// What it says besides that, and without that it is so for the moment.
    said: Cow<'t, str>,
    corrects: bool,
    says_so: bool,
    is_from_now: bool,
}

impl<'t> Newer<'t> {
    fn of(title: &'t str) -> Self {
        let (said, corrects) = without_correction(title);
        Newer {
            title,
            said: without_hedges(said),
            corrects,
            says_so: says_so(title),
            is_from_now: FROM_NOW.is_match(title),
        }
    }
}

impl Reading {
    /// A decision; `None` if it takes back nothing.
    fn decision(newer: &Newer<'_>) -> Option<Self> {
        let new = &*newer.said;
        let purpose = purpose(new);
        let choice = Choice::of(new);
        let taken_back = match TAKES_BACK.is_match(newer.title) {
            true => names(new),
            false => Vec::new(),
        };
        let changed = match newer.says_so && !ADDS.is_match(new) {
            true => content(new),
            false => Vec::new(),
        };
        let setting = Setting::of(new);
        let says_so = newer.says_so || newer.corrects || newer.is_from_now;
        let may_replace = (says_so && purpose.is_some())
            || setting.is_some()
            || choice.rejects_something()
            || choice.goes_back()
            || choice.is_of_a_day()
            || !taken_back.is_empty()
            || !changed.is_empty();
        may_replace.then(|| Reading::Decision {
            words: normalize(new, ' '),
            purpose,
            says_so,
            choice,
            taken_back,
            changed,
            setting,
        })
    }

    /// A fact, a constraint or a preference.
    fn rule(newer: &Newer<'_>) -> Self {
        let new = &*newer.said;
        let told = told_plainly(new);
        let says_so = told.is_change || newer.says_so;
        let is_new = says_so || newer.is_from_now;
        let (frame, mut others) = frame_of(&told.words);
        match others.pop() {
            Some(last) => Reading::Number {
                frame,
                last,
                others,
                change: match says_so || newer.corrects {
                    true => Change::Replaces,
                    false => Change::Disagrees,
                },
            },
            None => Reading::Rule {
                words: content(&told.words),
                owner: told.owner.filter(|_| is_new || newer.corrects),
                sides: sides(new),
                used: Use::of(new),
                manner: Manner::of(new).filter(|_| is_new),
                forbids: FORBIDS.is_match(new),
                for_what: purpose(new),
                is_change: told.is_change,
                says_so: says_so && !ADDS.is_match(new),
            },
        }
    }

    /// A note that something with a number is over, such as an issue; `None` for another one.
    fn note(new: &str) -> Option<Self> {
        let over = numbered(new);
        (IS_OVER.is_match(new) && !over.is_empty()).then_some(Reading::Note { over })
    }

    /// What it does to an older sentence of its kind: to a decision for the same purpose, for what
    /// it decides against or with one other word; to a fact or constraint that differs in its last
    /// number alone; or to a rule that it turns into its opposite. `is_one_word` tells whether the old
    /// and the new words differ in one that may have changed.
    fn does_to(
        &self,
        old: &str,
        is_one_word: &dyn Fn(&[String], &[String]) -> bool,
    ) -> Option<Change> {
        let old = &*without_hedges(without_correction(old).0);
        match self {
            Reading::Decision {
                words,
                purpose,
                says_so,
                choice,
                taken_back,
                changed,
                setting,
            } => {
                let old_purpose = self::purpose(old);
                let is_for_it = *says_so && purpose.is_some() && old_purpose == *purpose;
                let is_changed = || old_purpose == *purpose && is_one_word(&content(old), changed);
                let is_set = || setting.as_ref().is_some_and(|new| new.changes(old));
                let is_rejected = || {
                    let older = Choice::of(old);
                    choice.rejects(&older) || choice.reschedules(old) || choice.goes_back_on(&older)
                };
                let change = if is_for_it || is_rejected() || is_changed() || is_set() {
                    Change::Replaces
                } else if names(old).iter().any(|name| taken_back.contains(name))
                    && (may_be_the_same(old_purpose.as_deref(), purpose.as_deref())
                        // What comes first in Korean and Japanese may be what was chosen.
                        || purpose.as_ref().is_some_and(|topic| names(old).contains(topic)))
                {
                    Change::TakesBack
                } else {
                    return None;
                };
                (normalize(old, ' ') != *words).then_some(change)
            }
            Reading::Number {
                frame,
                last,
                others,
                change,
            } => {
                let (old_frame, numbers) = frame_of(&told_plainly(old).words);
                let (old_last, old_others) = numbers.split_last()?;
                let is_other = old_frame == *frame && old_others == others && old_last != last;
                is_other.then_some(*change)
            }
            Reading::Note { over } => {
                let waits = WAITS.is_match(old) && !IS_OVER.is_match(old);
                let is_over = waits && numbered(old).iter().any(|old| over.contains(old));
                is_over.then_some(Change::Replaces)
            }
            Reading::Rule {
                words,
                owner,
                sides,
                used,
                manner,
                forbids,
                says_so,
                for_what,
                is_change,
            } => {
                let told = told_plainly(old);
                if let (Some(new), Some(old)) = (owner, &told.owner) {
                    return new.replaces(old).then_some(Change::Replaces);
                }
                let old_words = content(&told.words);
                let is_opposite = old_words == *words && FORBIDS.is_match(old) != *forbids;
                let is_used_otherwise = || {
                    let (new, old) = (used.as_ref()?, Use::of(old)?);
                    Some(new.is_opposite_of(&old))
                };
                let is_done_otherwise = || {
                    let (new, old) = (manner.as_ref()?, Manner::of(old)?);
                    Some(new.differs_from(&old))
                };
                let is_replaced = is_opposite
                    || are_swapped(sides.as_ref(), old)
                    || is_used_otherwise() == Some(true)
                    || is_done_otherwise() == Some(true)
                    || (*says_so
                        && told.owner.is_none()
                        && !is_for_another(purpose(old), for_what)
                        && (is_one_word(&old_words, words)
                            || (*is_change && differ_in_one_word(&old_words, words))));
                (is_replaced && !words.is_empty()).then_some(Change::Replaces)
            }
        }
    }
}

/// Whether an entry of a kind may tell the day or the version of something: a deadline is a
/// constraint.
fn tells_day(kind: EntryType) -> bool {
    matches!(
        kind,
        EntryType::Constraint | EntryType::Decision | EntryType::Fact
    )
}

/// Whether the words of an entry of one kind are compared with those of another.
pub(crate) fn compares_words(new: EntryType, old: EntryType) -> bool {
    let is_either = |kind| matches!(kind, EntryType::Decision | EntryType::Fact);
    let says_how = |kind| matches!(kind, EntryType::Constraint | EntryType::Preference);
    new == old || (is_either(new) && (is_either(old) || says_how(old)))
}

/// Whether two purposes may be the same: one is not told, or told in more words ("the export", "the
/// finance export").
fn may_be_the_same(old: Option<&str>, new: Option<&str>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        return true;
    };
    let is_within = |few: &str, many: &str| {
        let many: Vec<&str> = many.split(' ').map(singular).collect();
        few.split(' ').all(|word| many.contains(&singular(word)))
    };
    is_within(old, new) || is_within(new, old)
}

/// Whether two sentences say what for, and it is not the same.
fn is_for_another(old: Option<String>, new: &Option<String>) -> bool {
    old.is_some() && new.is_some() && old != *new
}

/// Whether a sentence says that something has changed.
fn says_so(text: &str) -> bool {
    SAYS_SO.is_match(text) || (CHANGED.is_match(text) && !doubt::is_doubtful(text))
}

/// The issues and the like that a text names by a number.
fn numbered(text: &str) -> Vec<String> {
    let Some(pattern) = NUMBERED.for_text(text) else {
        return Vec::new();
    };
    let found = pattern.find_iter(text);
    found.map(|found| found.as_str().to_lowercase()).collect()
}

/// The words that tell a sentence from others, in their order.
fn content(text: &str) -> Vec<String> {
    let plain = normalize(text, ' ');
    let words = plain
        .split(' ')
        .filter(|word| !word.is_empty() && !NO_NAME.contains(word) && !NO_CONTENT.contains(word));
    words
        .filter(|word| !matches!(*word, "never" | "without" | "avoid"))
        .map(str::to_owned)
        .collect()
}

/// Whether two sentences differ in one word, and share one that says something. A language and
/// something else, such as a form, may both be asked for. Where something is
/// (캐시에), or what they are about (커밋은, 주석은), is another thing, not a change.
fn differ_in_one_word(old: &[String], new: &[String]) -> bool {
    let pairs = || old.iter().zip(new);
    let mut others = pairs().enumerate().filter(|(_, (old, new))| old != new);
    // The last word may be a name: 하은.
    let is_topic = |at: usize, word: &String| {
        word.ends_with('에') || (word.ends_with(['은', '는']) && at + 1 < old.len())
    };
    let is_value = |(at, (old, new)): (usize, (&String, &String))| {
        !(is_topic(at, old) && is_topic(at, new)) && is_language(old) == is_language(new)
    };
    let is_one = others.next().is_some_and(is_value) && others.next().is_none();
    let is_shared = |(old, new): (&String, &String)| old == new && old.len() > 2;
    old.len() == new.len() && is_one && pairs().any(is_shared)
}

/// The same, if that word is the last: "ship on Friday" and "ship on Monday" tell of the same thing,
/// "ship the app" and "ship the docs" do not.
fn differ_in_last_word(old: &[String], new: &[String]) -> bool {
    differ_in_one_word(old, new) && old.last() != new.last()
}

/// One word that is preferred to another: "tabs over spaces", "tabs, not spaces".
static SIDES: Pattern =
    Pattern::new(r"(?i)([\w-]+),? (?:over|instead of|rather than|(?:and )?not) (?:the )?([\w-]+)");

/// What a rule prefers, and to what.
fn sides(text: &str) -> Option<(String, String)> {
    let found = SIDES.for_text(text)?.captures(text)?;
    Some((found[1].to_lowercase(), found[2].to_lowercase()))
}

/// Words that say where or for what something is so.
static PLACE: Pattern = Pattern::new(
    r"(?i)\b(?:in|for|on|inside|within|during|when|if) [\w-]|에서|에는|のとき|では|の場合|在[^,，。]{1,12}(?:里|中|上|时)",
);

/// Whether a sentence is about one place or case.
fn says_where(text: &str) -> bool {
    // "On" of "from now on" is no place, nor is "for now".
    let text = match FROM_NOW.for_text(text) {
        Some(from_now) => from_now.replace_all(text, ""),
        None => text.into(),
    };
    PLACE.is_match(&without_hedges(&text))
}

/// Whether an older rule prefers the other of two.
fn are_swapped(new: Option<&(String, String)>, old: &str) -> bool {
    let old = new.and_then(|_| sides(old));
    match (new, &old) {
        (Some(new), Some(old)) => new.0 == old.1 && new.1 == old.0,
        _ => false,
    }
}

fn purpose(text: &str) -> Option<String> {
    let text = text.trim();
    let named = [&PURPOSE, &PLACED, &SERVES_AS, &CHANGED_THING, &SUBJECT]
        .into_iter()
        .find_map(|pattern| {
            let found = pattern.for_text(text)?.captures(text)?;
            let named = found.iter().skip(1).flatten().next();
            named.map(|named| normalize(named.as_str(), ' '))
        })?;
    (!named.is_empty() && !NO_PURPOSE.contains(&named.as_str())).then_some(named)
}

/// The words that may name what a sentence is about.
fn names(text: &str) -> Vec<String> {
    let Some(pattern) = NAMING.for_text(text) else {
        return Vec::new();
    };
    let words = pattern.find_iter(text).map(|found| {
        let word = found.as_str().to_lowercase();
        word.trim_end_matches(['.', '-']).to_owned()
    });
    words
        .filter(|word| !NO_NAME.contains(&word.as_str()))
        .collect()
}

/// Words that say that it is so for the moment: what they tell is told without them too.
static FOR_NOW: Pattern = Pattern::new(concat!(
    r"(?i)[,(]? ?\b(?:(?:right|just|as of|until|up to|for) now|(?:at|for) (?:the moment|present)|for the time being|at this (?:point|moment|stage)|as of today|these days|so far|as it stands|until further notice|currently|presently|temporarily|nowadays|still|now)\b[,)]?",
    r"|\b(?:지금(?:은|으로서는|으로선|으로썬| 당장은?)?|현재(?:는|로서는|로선|로썬)?|당분간(?:은|만)?|일단(?:은)?|우선(?:은)?|임시로|임시적으로|요즘(?:은|에는|엔)?|아직(?:은|까지는|까진)?|당장(?:은)?|한동안(?:은)?|잠시(?:만|동안)?)\b,?",
    r"|(?:今のところは?|今は|いまは|現在[はの]?|現時点で?は?|とりあえずは?|取りあえずは?|当面(?:の間)?は?|当分(?:の間)?は?|ひとまずは?|一旦は?|いったんは?|暫定的に|暫定で|しばらく(?:の間)?は?|さしあたりは?|差し当たりは?|まだ)、?",
    r"|(?:目前|暂时|暫時|暂且|暫且|现在|现阶段|現階段|眼下|当前|當前|当下|當下|这段时间|這段時間)(?:还|還|先)?[，,]?",
));

/// A text without the words that say that it is so for the moment ("for now", 当面).
fn without_hedges(text: &str) -> Cow<'_, str> {
    let Some(hedges) = FOR_NOW.for_text(text).filter(|found| found.is_match(text)) else {
        return Cow::Borrowed(text);
    };
    let plain = hedges.replace_all(text, |found: &Captures<'_>| {
        // Where no space separates the words, none does without them.
        match found[0].contains(is_unspaced) {
            true => "",
            false => " ",
        }
    });
    let words: Vec<&str> = plain.split_whitespace().collect();
    Cow::Owned(words.join(" "))
}

/// How one says where something is: "listens", "is".
static SERVES: Pattern = Pattern::new(
    r"\b(?:listens|listening|runs|running|is|are|lives|sits|serves?|served|available|reachable|hosted|bound)\b",
);

/// What a time of day need not say.
static EVERY_DAY: Pattern = Pattern::new(r"\bevery ?day\b|\bdaily\b|매일|毎日|每天|每日");

/// A sentence without its numbers, the words that say that something has changed and those that only
/// say that it is there, and the numbers. Without spaces where the script has none.
fn frame_of(text: &str) -> (String, Vec<String>) {
    let mut plain = text.to_lowercase();
    for pattern in [&SAYS_SO, &CHANGE, &SERVES, &EVERY_DAY] {
        if let Some(said) = pattern.for_text(&plain) {
            plain = said.replace_all(&plain, " ").into_owned();
        }
    }
    let (mut frame, mut numbers) = (String::new(), Vec::new());
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let end = at + end.unwrap_or(rest.len() - at);
        frame.push_str(&rest[..at]);
        frame.push('n');
        numbers.push(rest[at..end].trim_end_matches('.').to_owned());
        rest = &rest[end..];
    }
    frame.push_str(rest);
    let frame = normalize(&frame, ' ');
    match frame.chars().any(is_unspaced) {
        true => (frame.replace(' ', ""), numbers),
        false => (frame, numbers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    fn decision(old: &str, new: &str) -> Option<Change> {
        Reading::decision(&Newer::of(new))?.does_to(old, &differ_in_one_word)
    }

    fn fact(old: &str, new: &str) -> Option<Change> {
        Reading::rule(&Newer::of(new)).does_to(old, &differ_in_one_word)
    }

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &SAYS_SO,
            &CHANGED,
            &CHANGE,
            &FROM_NOW,
            &PLACE,
            &EVERY_DAY,
            &CHANGED_THING,
            &TAKES_BACK,
            &NAMING,
            &PURPOSE,
            &PLACED,
            &FOR_NOW,
            &SIDES,
            &FORBIDS,
            &ADDS,
            &SERVES,
            &NUMBERED,
            &IS_OVER,
            &WAITS,
        ] {
            holds_for_matches(&pattern.source());
        }
    }

    #[test]
    fn a_change_replaces_what_was_so_before() {
        let redis = "Let's go with Redis for the tariff cache.";
        for (old, new) in [
            (
                redis,
                "Let's switch from Redis to Valkey for the tariff cache.",
            ),
            (redis, "We moved the tariff cache from Redis to Valkey."),
            (redis, "Change of plan: Valkey for the tariff cache."),
            (
                redis,
                "Forget Redis, we'll use Valkey for the tariff cache.",
            ),
            (redis, "We're no longer using Redis for the tariff cache."),
            (redis, "let's drop Redis from the tariff cache"),
            (
                "We decided to ship on Friday.",
                "Actually we ship on Monday.",
            ),
            (
                "캐시는 레디스로 하기로 했어.",
                "레디스에서 발키로 바꾸기로 했어.",
            ),
            ("캐시는 레디스로 하기로 했어.", "레디스는 안 쓰기로 했어."),
            ("캐시는 레디스로 하기로 했어.", "역시 캐시는 발키로 하자."),
            (
                "キャッシュはRedisを使うことにした。",
                "RedisからValkeyに乗り換えることにした。",
            ),
            (
                "キャッシュはRedisを使うことにした。",
                "Redisは使わないことにした。",
            ),
            ("缓存我们决定用Redis。", "我们决定把缓存从Redis换成Valkey。"),
            ("缓存我们决定用Redis。", "还是用Valkey做缓存吧。"),
            (
                "キャッシュにします",
                "やっぱりキャッシュは使わない方針でいく",
            ),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            (
                "I prefer tabs over spaces.",
                "From now on use spaces, not tabs.",
            ),
            (
                "I prefer tabs over spaces.",
                "I now prefer spaces over tabs.",
            ),
            (
                "The API runs on port 8080.",
                "We moved the API to port 9090.",
            ),
            (
                "The API runs on port 8080.",
                "The API port changed from 8080 to 9090.",
            ),
            (
                "The API listens on port 8080.",
                "The API now runs on port 9090.",
            ),
            (
                "Marta owns the billing service.",
                "Jonas took over the billing service from Marta.",
            ),
            ("API는 8080 포트에서 돌아가.", "API 포트를 9090으로 바꿨어."),
            ("결제 담당자는 민지야.", "결제 담당자는 이제 지훈이야."),
            ("결제 담당자는 민지야.", "결제 담당자가 지훈으로 바뀌었어."),
            (
                "APIは8080番ポートで動いている。",
                "APIのポートを9090に変えた。",
            ),
            ("API跑在8080端口。", "API端口改成9090了。"),
        ] {
            assert_eq!(fact(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            (
                "The API runs on port 8080.",
                "We moved the admin panel to port 9090.",
            ),
            (
                "The API runs on port 8080.",
                "The API runs on port 8080 now.",
            ),
            (
                "Marta owns the billing service.",
                "Jonas took over the search service.",
            ),
            ("I prefer tabs over spaces.", "Use tabs, not spaces."),
            ("결제 담당자는 민지야.", "배포 담당자가 지훈으로 바뀌었어."),
        ] {
            assert_eq!(fact(old, new), None, "{new}");
        }
        assert_eq!(decision(redis, "let's drop Redis from the sessions"), None);
    }

    #[test]
    fn what_runs_on_a_port_and_what_stores_something_may_move() {
        for (kind, old, new) in [
            (
                EntryType::Fact,
                "We run the importer on port 7100.",
                "We moved the importer to port 7200",
            ),
            (
                EntryType::Decision,
                "我们决定用MySQL存发票。",
                "算了，我们改用MariaDB存发票。",
            ),
        ] {
            let newer = Reversal::of(kind, new).expect("takes something back");
            assert_eq!(newer.does_to(kind, old), Some(Change::Replaces), "{new}");
        }
    }

    #[test]
    fn another_choice_for_the_same_purpose_replaces_the_first() {
        for (old, new) in [
            (
                "Let's go with Redis for the sessions.",
                "Scrap that, we're going with Postgres for the sessions.",
            ),
            (
                "세션은 Redis로 가자",
                "생각해 보니 별로야, 세션은 Postgres로 가자",
            ),
            (
                "セッションはRedisにします",
                "やっぱり、セッションはPostgresにします",
            ),
            ("会话用 Redis", "算了，会话改用 Postgres"),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            // Another purpose, no sign of a change, the same words.
            (
                "Let's go with Redis for the sessions.",
                "Actually, let's go with Redis for the job queue.",
            ),
            (
                "Let's go with Redis for the sessions.",
                "Let's keep cookies for the sessions.",
            ),
            (
                "Let's use Redis for now.",
                "Actually let's use Mongo for now.",
            ),
            (
                "Let's go with Redis.",
                "Scrap that, let's go with Postgres.",
            ),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn a_decision_against_what_was_chosen_replaces_the_choice() {
        let postgres =
            "Let's go with PostgreSQL for the orders service, SQLite locks too much under load.";
        for (old, new) in [
            (
                postgres,
                "Scratch that, we decided against PostgreSQL; we use CockroachDB for orders instead.",
            ),
            (postgres, "We decided against PostgreSQL."),
            (
                "We'll use Redis for caching.",
                "Let's switch from Redis to Valkey.",
            ),
            (
                "We chose Jest.",
                "We decided to use Vitest instead of Jest.",
            ),
            ("캐시는 Redis로 가자", "Redis 대신 Valkey를 쓰기로 했다"),
            (
                "キャッシュはRedisにしましょう",
                "Redisの代わりにValkeyを使うことにしました",
            ),
            ("我们决定用 Redis", "我们决定不用 Redis，改用 Valkey"),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            // For something else.
            (
                "Let's go with Redis for the sessions.",
                "We decided against Redis for the job queue.",
            ),
            ("캐시는 Redis로 가자", "세션은 Redis 대신 Valkey를 쓰자"),
            (
                "We decided to use MySQL in the tests.",
                "Let's use Postgres rather than MySQL in production.",
            ),
            // Something else was chosen.
            (
                "Let's write the Redis docs in Markdown.",
                "We decided against Redis.",
            ),
            (
                "Let's go with Postgres for Redis users.",
                "We decided against Redis.",
            ),
            // It was decided against before.
            ("We decided against Redis.", "We decided not to use Redis."),
            // It is kept.
            ("Let's use Redis.", "Let's use Redis instead of Memcached."),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn what_was_just_said_about_the_same_is_taken_back() {
        for (old, new) in [
            (
                "Let's move the export from CSV to Parquet.",
                "Scrap that, we keep CSV for the finance export.",
            ),
            (
                "We'll sell the car before we leave.",
                "We're keeping the car after all.",
            ),
            ("캐시는 Redis로 가자", "생각해 보니 Redis는 안 쓸게"),
        ] {
            assert_eq!(decision(old, new), Some(Change::TakesBack), "{new}");
        }
        for (old, new) in [
            // For something else.
            (
                "Scrap that, we're going with Valkey for the sessions.",
                "Scrap that, we're going with Valkey for the job queue.",
            ),
            ("We'll sell the car.", "Scrap that, we rent the flat."),
            ("We'll sell the car.", "We'll wash the car."),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn what_is_reversed_in_other_words_is_replaced() {
        for (old, new) in [
            (
                "And we'll store invoices in MongoDB.",
                "About the invoices: scrap that, we're going with Postgres for the invoices.",
            ),
            (
                "We decided to use Postgres advisory locks for the job queue instead of Redis.",
                "Scrap that, we're going with Redis streams for the job queue after all.",
            ),
            (
                "Let's use MongoDB for the invoices.",
                "We're switching the invoices from MongoDB to Postgres.",
            ),
            (
                "We'll store invoices in MongoDB.",
                "Let's store the invoices in Postgres instead of MongoDB.",
            ),
            (
                "Let's use Redis for caching.",
                "Redis is out, we use an in-process cache now.",
            ),
            (
                "We decided to ship on Friday.",
                "Actually we ship on Monday instead.",
            ),
            (
                "Scrap that, we're going with Postgres for the sessions.",
                "No wait, back to Redis for the sessions.",
            ),
            (
                "請求書はMongoDBに保存することにしました。",
                "やっぱり請求書はPostgresに保存することにしました。",
            ),
            (
                "我们决定把发票存到 MongoDB。",
                "算了,我们决定把发票存到 Postgres。",
            ),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            // For something else, and something more.
            (
                "Let's use Redis for the cache.",
                "Actually, let's use Redis for the queue.",
            ),
            (
                "We'll support Firefox first.",
                "Actually we also support Safari first.",
            ),
            ("We ship on Friday.", "We ship on Monday."),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
    }

    #[test]
    fn the_opposite_rule_replaces_the_older_one() {
        for (old, new) in [
            ("I prefer tabs over spaces.", "I prefer spaces over tabs."),
            ("Please always use tabs.", "Please never use tabs."),
            (
                "Please answer in French.",
                "Please answer in English from now on.",
            ),
            (
                "Dana owns the payments dashboard.",
                "Leo owns the payments dashboard now.",
            ),
            (
                "Responses have to come back within 300 ms.",
                "Responses now have to come back within 200 ms.",
            ),
            (
                "The billing API listens on port 8080.",
                "The billing API is now on port 9090.",
            ),
            ("決済APIはポート8080です。", "決済APIは今はポート9090です。"),
        ] {
            assert_eq!(fact(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            ("Please answer in French.", "Please answer in English."),
            ("Please always use tabs.", "Please always use tabs."),
            (
                "Dana owns the payments dashboard.",
                "Leo also owns the payments dashboard now.",
            ),
            ("Never use var.", "Never use eval."),
        ] {
            assert_eq!(fact(old, new), None, "{new}");
        }
    }

    #[test]
    fn a_note_that_something_waits_is_over_when_what_it_waits_for_is() {
        let note = |old: &str, new: &str| {
            Reversal::of(EntryType::TaskNote, new)?.does_to(EntryType::TaskNote, old)
        };
        for (old, new) in [
            (
                "We're blocked on OPS-77 for the invoice export.",
                "OPS-77 is closed.",
            ),
            ("OPS-77 때문에 막혀 있어요.", "OPS-77 해결됐어요."),
            ("OPS-77待ちです。", "OPS-77は完了しました。"),
            ("现在卡在 OPS-77 上。", "OPS-77 解决了。"),
        ] {
            assert_eq!(note(old, new), Some(Change::Replaces), "{new}");
        }
        for (old, new) in [
            ("We're blocked on OPS-77.", "OPS-78 is closed."),
            ("We're blocked on OPS-77.", "OPS-77 is next."),
            ("OPS-77 is about the export.", "OPS-77 is closed."),
        ] {
            assert_eq!(note(old, new), None, "{new}");
        }
    }

    #[test]
    fn another_number_in_the_same_frame_disagrees() {
        let old = "Postgres runs on port 5433.";
        assert_eq!(
            fact(old, "Postgres runs on port 5434."),
            Some(Change::Disagrees)
        );
        assert_eq!(
            fact(old, "Postgres now runs on port 5434"),
            Some(Change::Replaces)
        );
        let korean = "이제 Redis는 6381 포트에서 실행됩니다.";
        assert_eq!(
            fact("Redis는 6380 포트에서 실행됩니다.", korean),
            Some(Change::Replaces)
        );
        for new in [
            "Postgres runs on port 5433.",
            "Redis runs on port 6380.",
            "Postgres runs on port 5434 on staging.",
        ] {
            assert_eq!(fact(old, new), None, "{new}");
        }
        assert_eq!(
            fact("Worker 1 uses Node 20.", "Worker 2 uses Node 20."),
            None
        );
        assert_eq!(
            fact("Worker 1 uses Node 20.", "Worker 2 uses Node 22."),
            None
        );
    }
}
