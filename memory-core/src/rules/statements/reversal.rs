//! Decides whether a sentence takes back what an older one says: another port for the same
//! server, another choice for the same purpose, the opposite rule. Compares frames, so that only
//! sentences that are built alike can disagree.

use std::borrow::Cow;

use super::choice::{Choice, singular};
use super::correction::without_correction;
use super::day_or_version::DayOrVersion;
use super::doubt;
use super::elliptical::is_elliptical;
use super::manner::{Manner, Use, is_language};
use super::older::Older;
use super::parts::{SAYS_SO, content, frame_of, names, numbered, purpose, sides, without_hedges};
use super::setting::{self, Setting};
use super::told::{Owner, told_plainly};
use crate::rules::entries::EntryType;
use crate::rules::pattern::Pattern;
use crate::text::keys::normalize;

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

/// Words by which a sentence says from when on something is to be so.
static FROM_NOW: Pattern =
    Pattern::lean(r"(?i)\bfrom (?:now|here) on\b|앞으로|이제부터|今後|これから|以后|今后|从现在起");
/// Words by which a sentence reports or proposes a change. A change that a rule is about ("never change
/// the schema", "before changing it") has not happened.
static CHANGED: Pattern = Pattern::lean(concat!(
    r"(?i)\bwe(?:'ve|'re| have| are)?(?: \w+ly| now| just| also)* (?:changed|switched|moved|migrated|changing|switching|moving|migrating)\b|\b(?:let's|we'll|we will|decided to|agreed to)(?: \w+ly| now| just)* (?:change|switch|move|migrate)\b|\b(?:has|have|is|are|was|were)(?: now| been| just)* (?:changed|switched|moved|migrated)\b",
    r"|바꿨|바꾸(?:자|죠|기로)|바꿉시다|바꿀게|(?:변경|교체|전환|이전|이관)(?:했|하자|합시다|하기로|할게|됐|되었)|옮겼|옮기(?:자|죠|기로)|옮깁시다|옮길게",
    r"|(?:変更|移行)(?:しました|した(?:。|$)|しましょう|しよう|することに|します(?:。|$)|され(?:ました|た))|(?:変え|切り替え|乗り換え)(?:ました|た(?:。|$)|ましょう|よう|ることに|ます(?:。|$))",
    r"|(?:换到|迁移到|切换到)了?[^,，。]{1,24}(?:了|吧)",
));
/// To go on with the work or the talk, which changes nothing that was decided.
static MOVES_ON: Pattern = Pattern::lean(
    r"(?i)\b(?:let'?s|let us|we'll|we will|time to)(?: \w+ly| now| just| all| then| please| also)* (?:move (?:(?:this|that|it|things|everything) )?(?:on|along|ahead|forward)\b|(?:move|go|switch|change|get) (?:back |over )?(?:to|into) (?:(?:the |our )?(?:next|following|last|previous|other|remaining) |(?:the )?(?:step|phase|task|number|part|point|section|chapter|question|item|issue|ticket|stage|topic|milestone)\b|#[0-9])|(?:switch|change|shift) (?:gears?|(?:the )?(?:topics?|subjects?)|back\b))",
);
/// Words by which a sentence takes back what was just said.
static TAKES_BACK: Pattern = Pattern::lean(
    r"(?i)\b(?:scrap|scratch|strike|forget) that\b|\bon second thoughts?\b|\bchanged (?:my|our) minds?\b|\bafter all\b|\bnever ?mind\b|\bback to\b|생각해 ?보니|아니다|やっぱり|やはり|算了",
);
/// Words by which a note says that something is over.
static IS_OVER: Pattern = Pattern::lean(
    r"(?i)\b(?:closed|resolved|fixed|done|merged|granted|approved|solved|over|gone|unblocked|finished)\b|해결|완료|닫혔|끝났|승인됐|승인되었|머지됐|解決|完了|クローズ|終わ|承認され|マージされ|关闭|解决|完成|修复|通过|合并了|批了",
);
/// Words by which a note says that something waits.
static WAITS: Pattern = Pattern::lean(
    r"(?i)\b(?:blocked|blocks|waiting|waits?|stuck|on hold|until|can'?t|cannot|held up|depends)\b|막혀|막혔|기다리|대기|때까지|보류|待ち|待って|止まって|まで|卡在|卡住|等|阻塞",
);
/// Words by which a rule forbids.
static FORBIDS: Pattern = Pattern::lean(
    r"(?i)\b(?:never|don'?t|do not|stop|no longer|no more|no need to|not|without|avoid)\b",
);
/// Words by which a sentence adds something.
static ADDS: Pattern = Pattern::lean(r"(?i)\b(?:also|too|as well|both|in addition|besides)\b");

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
    Decision(DecisionReading),
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
    Rule(RuleReading),
}

struct DecisionReading {
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
    /// Whether it says too little to be understood by itself.
    is_elliptical: bool,
}

struct RuleReading {
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
    pub(crate) fn does_to(&self, kind: EntryType, old: &Older) -> Option<Change> {
        let own = self.own.as_ref();
        if self.is_narrowed && !old.is_narrowed() {
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
    fn moves(&self, kind: EntryType, old: &Older) -> bool {
        let Some((told, is_new)) = self.day_or_version.as_ref().filter(|_| tells_day(kind)) else {
            return false;
        };
        old.day_or_version()
            .is_some_and(|older| told.changes(*is_new, older))
    }

    /// Whether it sets to another value what an older preference or constraint sets, or prefers the
    /// other of two.
    fn prefers_otherwise(&self, old: &Older) -> bool {
        let mut readings = self.own.iter().chain(&self.other);
        readings.any(|reading| match reading {
            Reading::Decision(new) => is_set_otherwise(new.setting.as_ref(), old),
            Reading::Rule(new) => {
                let is_elsewhere =
                    new.for_what.is_some() && new.for_what.as_deref() != old.purpose();
                !is_elsewhere && !self.says_where && are_swapped(new.sides.as_ref(), old)
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
        if MOVES_ON.is_match(newer.title) {
            return None;
        }
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
        may_replace.then(|| {
            Reading::Decision(DecisionReading {
                words: normalize(new, ' '),
                purpose,
                says_so,
                choice,
                taken_back,
                changed,
                setting,
                is_elliptical: is_elliptical(new),
            })
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
            None => Reading::Rule(RuleReading {
                words: content(&told.words),
                owner: told.owner.filter(|_| is_new || newer.corrects),
                sides: sides(new),
                used: Use::of(new),
                manner: Manner::of(new).filter(|_| is_new),
                forbids: FORBIDS.is_match(new),
                for_what: purpose(new),
                is_change: told.is_change,
                says_so: says_so && !ADDS.is_match(new),
            }),
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
        old: &Older,
        is_one_word: &dyn Fn(&[String], &[String]) -> bool,
    ) -> Option<Change> {
        match self {
            Reading::Decision(new) => new.does_to(old, is_one_word),
            Reading::Number {
                frame,
                last,
                others,
                change,
            } => {
                let (old_frame, numbers) = old.frame();
                let (old_last, old_others) = numbers.split_last()?;
                let is_other = old_frame == frame && old_others == others && old_last != last;
                is_other.then_some(*change)
            }
            Reading::Note { over } => {
                let old = old.said();
                let waits = WAITS.is_match(old) && !IS_OVER.is_match(old);
                let is_over = waits && numbered(old).iter().any(|old| over.contains(old));
                is_over.then_some(Change::Replaces)
            }
            Reading::Rule(new) => new.does_to(old, is_one_word),
        }
    }
}

impl DecisionReading {
    fn does_to(
        &self,
        old: &Older,
        is_one_word: &dyn Fn(&[String], &[String]) -> bool,
    ) -> Option<Change> {
        let purpose = self.purpose.as_ref();
        let old_purpose = old.purpose();
        let is_same = old_purpose == self.purpose.as_deref();
        // What is understood only with its question may be about anything else.
        let may_be_it = !self.is_elliptical || is_elliptical(old.said());
        let is_for_it = may_be_it && self.says_so && purpose.is_some() && is_same;
        let is_changed = || may_be_it && is_same && is_one_word(old.content(), &self.changed);
        let is_rejected = || {
            let older = old.choice();
            self.choice.rejects(older)
                || self.choice.reschedules(old.said())
                || self.choice.goes_back_on(older)
        };
        let is_named = |name: &String| old.names().contains(name);
        let change = if is_for_it
            || is_rejected()
            || is_changed()
            || is_set_otherwise(self.setting.as_ref(), old)
        {
            Change::Replaces
        } else if self.taken_back.iter().any(is_named)
            && (may_be_the_same(old_purpose, self.purpose.as_deref())
                // What comes first in Korean and Japanese may be what was chosen.
                || purpose.is_some_and(is_named))
        {
            Change::TakesBack
        } else {
            return None;
        };
        (normalize(old.said(), ' ') != self.words).then_some(change)
    }
}

impl RuleReading {
    fn does_to(
        &self,
        old: &Older,
        is_one_word: &dyn Fn(&[String], &[String]) -> bool,
    ) -> Option<Change> {
        let told = old.told();
        if let (Some(new), Some(old)) = (&self.owner, &told.owner) {
            return new.replaces(old).then_some(Change::Replaces);
        }
        let words = &self.words;
        let old_words = old.told_content();
        let is_opposite = old_words == words && FORBIDS.is_match(old.said()) != self.forbids;
        let is_used_otherwise = || Some(self.used.as_ref()?.is_opposite_of(&Use::of(old.said())?));
        let is_done_otherwise =
            || Some(self.manner.as_ref()?.differs_from(&Manner::of(old.said())?));
        let is_replaced = is_opposite
            || are_swapped(self.sides.as_ref(), old)
            || is_used_otherwise() == Some(true)
            || is_done_otherwise() == Some(true)
            || (self.says_so
                && told.owner.is_none()
                && !is_for_another(old.purpose(), self.for_what.as_deref())
                && (is_one_word(old_words, words)
                    || (self.is_change && differ_in_one_word(old_words, words))));
        (is_replaced && !words.is_empty()).then_some(Change::Replaces)
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
fn is_for_another(old: Option<&str>, new: Option<&str>) -> bool {
    old.is_some() && new.is_some() && old != new
}

/// Whether a sentence sets to another value what an older one sets.
fn is_set_otherwise(new: Option<&Setting>, old: &Older) -> bool {
    new.is_some_and(|new| old.setting().is_some_and(|old| new.changes(old)))
}

/// Whether a sentence says that something has changed.
fn says_so(text: &str) -> bool {
    SAYS_SO.is_match(text) || (CHANGED.is_match(text) && !doubt::is_doubtful(text))
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

/// Words that say where or for what something is so.
static PLACE: Pattern = Pattern::lean(
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
fn are_swapped(new: Option<&(String, String)>, old: &Older) -> bool {
    let old = new.and_then(|_| sides(old.said()));
    match (new, &old) {
        (Some(new), Some(old)) => new.0 == old.1 && new.1 == old.0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::tests::holds_for_matches;

    fn decision(old: &str, new: &str) -> Option<Change> {
        Reading::decision(&Newer::of(new))?.does_to(&Older::new(old), &differ_in_one_word)
    }

    fn fact(old: &str, new: &str) -> Option<Change> {
        Reading::rule(&Newer::of(new)).does_to(&Older::new(old), &differ_in_one_word)
    }

    #[test]
    fn what_may_match_is_compiled() {
        for pattern in [
            &CHANGED,
            &MOVES_ON,
            &FROM_NOW,
            &PLACE,
            &TAKES_BACK,
            &FORBIDS,
            &ADDS,
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
            assert_eq!(
                newer.does_to(kind, &Older::new(old)),
                Some(Change::Replaces),
                "{new}"
            );
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
    fn to_move_on_to_something_else_replaces_nothing() {
        for (old, new) in [
            ("Let's move on to 2.1.", "Let's move on to 2.2."),
            (
                "ok let's move on to the upload form",
                "Now let's move on to the export form instead",
            ),
            (
                "Let's use the harbour office for the meetings.",
                "Let's move this forward now, quick quick.",
            ),
            ("Let's switch to step 4.", "Let's switch to step 5."),
            ("We go with Hetzner.", "Let's switch gears now."),
            ("Let's change to task 3.", "Let's change to task 4."),
            // It may be about anything.
            (
                "Let's rent the flat at the river until May.",
                "Let's go with the second one now.",
            ),
        ] {
            assert_eq!(decision(old, new), None, "{new}");
        }
        for (old, new) in [
            (
                "Let's use MongoDB for the invoices.",
                "Let's move the invoices from MongoDB to Postgres.",
            ),
            (
                "We'll store the sessions in Redis.",
                "Let's switch the sessions to Valkey instead of Redis.",
            ),
            (
                "Let's use Redis for the cache.",
                "Actually let's use Valkey for the cache.",
            ),
            (
                "Let's go with Hetzner for hosting.",
                "We're moving off Hetzner for hosting, back to OVH.",
            ),
            ("Let's use pnpm.", "Let's use yarn instead of pnpm."),
        ] {
            assert_eq!(decision(old, new), Some(Change::Replaces), "{new}");
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
            Reversal::of(EntryType::TaskNote, new)?.does_to(EntryType::TaskNote, &Older::new(old))
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
