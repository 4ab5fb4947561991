//! How a memory rises from a raw event (L0) to an active one (L4) as it is used, how it can
//! drop again, and which insights repeated use gives.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::json::Json;
pub use crate::model::learned::Level;
use crate::model::number::{positive, share};
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::text::tokens::cut_utf16;

/// What a memory needs for one step up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criteria {
    /// The minimum number of accesses.
    pub min_accesses: u64,
    /// The minimum confidence, from 0 to 1.
    pub min_confidence: f64,
    /// The minimum number of other sessions that accessed it.
    pub min_cross_session_refs: u64,
    /// The maximum number of days since the last access.
    pub max_age_days: f64,
}

/// The numbers by which memories rise and drop. The defaults are those of the
/// specification; by default, nothing drops.
#[derive(Clone, Debug, PartialEq)]
pub struct GraduationPolicy {
    /// The steps L0→L1, L1→L2, L2→L3, L3→L4.
    pub steps: [Criteria; 4],
    /// The half-life of a memory's worth, in days without an access, after which it may
    /// drop a level; `None` disables dropping.
    pub half_life_days: Option<f64>,
}

impl Default for GraduationPolicy {
    fn default() -> Self {
        let step = |min_accesses, min_confidence, min_cross_session_refs, max_age_days| Criteria {
            min_accesses,
            min_confidence,
            min_cross_session_refs,
            max_age_days,
        };
        GraduationPolicy {
            steps: [
                step(1, 0.5, 0, 30.0),
                step(3, 0.7, 1, 60.0),
                step(5, 0.85, 2, 90.0),
                step(10, 0.92, 3, 180.0),
            ],
            half_life_days: None,
        }
    }
}

impl GraduationPolicy {
    /// Returns the criteria of the step up from `level`, or `None` at the top.
    pub fn step_from(&self, level: Level) -> Option<&Criteria> {
        self.steps.get(level as usize)
    }
}

/// The number of uses from which a citation makes its event a candidate.
pub const POPULAR_CITATION_USES: u64 = 5;

/// Distinct sessions are counted up to this many; the highest step needs 3.
const MAX_SESSIONS: usize = 64;
/// What stands before the words of a preference.
pub(crate) const PREFERENCE: &str = "User preference: ";

const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// How an event was used, as derived from the accesses in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessMetrics {
    /// The session that the event belongs to; its own accesses are counted,
    /// but are no cross-session references.
    home_session: String,
    access_count: u64,
    #[serde(deserialize_with = "codec::unit")]
    confidence: f64,
    last_access: Option<Timestamp>,
    #[serde(default)]
    other_sessions: BTreeSet<String>,
}

impl AccessMetrics {
    /// Creates metrics without any access, for an event of this session.
    pub fn new(home_session: impl Into<String>) -> Self {
        AccessMetrics {
            home_session: home_session.into(),
            access_count: 0,
            confidence: 0.0,
            last_access: None,
            other_sessions: BTreeSet::new(),
        }
    }

    /// Counts an access from a session, with the confidence (0 to 1) of the recall that led
    /// to it. An empty session name means that the session is unknown, and does not count
    /// as another session. Accesses can be recorded in any order of time.
    pub fn record(&mut self, from_session: &str, confidence: f64, at: Timestamp) {
        self.access_count = self.access_count.saturating_add(1);
        if confidence > self.confidence {
            self.confidence = confidence.min(1.0);
        }
        self.last_access = self.last_access.max(Some(at));
        let is_other = !from_session.is_empty() && from_session != self.home_session;
        if is_other && self.other_sessions.len() < MAX_SESSIONS {
            self.other_sessions.insert(from_session.to_owned());
        }
    }

    /// Returns what the criteria look at, or `None` before the first access.
    pub fn usage(&self, now: Timestamp) -> Option<Usage> {
        let last = self.last_access?;
        Some(Usage {
            access_count: self.access_count,
            confidence: self.confidence,
            cross_session_refs: self.other_sessions.len() as u64,
            days_since_last_access: days_between(last, now),
        })
    }

    /// Returns the JSON form, for storing.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("access_metrics", json)
    }
}

#[expect(clippy::cast_precision_loss, reason = "days, not milliseconds, matter")]
fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    (to.millis().saturating_sub(from.millis()) as f64 / MILLIS_PER_DAY).max(0.0)
}

/// How an event was used, as of one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The number of accesses.
    pub access_count: u64,
    /// The highest confidence seen, from 0 to 1.
    pub confidence: f64,
    /// The number of distinct other sessions that accessed it, at most 64.
    pub cross_session_refs: u64,
    /// The number of days since the last access.
    pub days_since_last_access: f64,
}

words! {
    /// A criterion that a memory did not meet.
    Criterion ("criterion") {
        /// Too few accesses.
        AccessCount = "access_count",
        /// Too little confidence.
        Confidence = "confidence",
        /// Too few other sessions.
        CrossSessionRefs = "cross_session_refs",
        /// It has not been used for too long.
        Age = "age",
        /// Its evidence was not found in the source.
        Evidence = "evidence",
    }
}

words! {
    /// What is known about a memory's evidence, for the step to verified.
    #[derive(Default)]
    EvidenceGate ("evidence") {
        /// It claims nothing beyond itself: a raw event (the default).
        #[default]
        NotNeeded = "not_needed",
        /// Every quote was found.
        Aligned = "aligned",
        /// At least one quote was not found.
        Failed = "failed",
    }
}

/// The result of evaluating one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The next level; `None` at the top.
    pub next: Option<Level>,
    /// Whether it rises to the next level.
    pub passed: bool,
    /// The first criterion that failed.
    pub failed_on: Option<Criterion>,
    /// Why it does not rise, in words; empty if it does.
    pub reason: String,
}

/// Returns whether a memory rises one level by the specification's policy. It must have
/// been used often enough, with enough confidence, from enough other sessions and recently
/// enough; for the step to L3, its evidence must not have failed. A memory that was never
/// used does not rise.
pub fn evaluate_graduation(
    level: Level,
    usage: Option<&Usage>,
    evidence: EvidenceGate,
) -> Evaluation {
    evaluate(&GraduationPolicy::default(), level, usage, evidence)
}

/// Evaluates whether a memory rises one level. The criteria are checked in the order
/// accesses, confidence, other sessions, age, evidence (only for L2→L3), and the first one
/// that fails is the reason. Age fails only if it is strictly greater.
pub fn evaluate(
    policy: &GraduationPolicy,
    level: Level,
    usage: Option<&Usage>,
    evidence: EvidenceGate,
) -> Evaluation {
    let no = |failed_on, reason: String| Evaluation {
        next: level.next(),
        passed: false,
        failed_on,
        reason,
    };
    let Some(usage) = usage else {
        return no(None, "No metrics available for event".to_owned());
    };
    let Some(step) = policy.step_from(level) else {
        return no(None, "Already at maximum level".to_owned());
    };
    if usage.access_count < step.min_accesses {
        return no(
            Some(Criterion::AccessCount),
            format!(
                "Access count {} < {}",
                usage.access_count, step.min_accesses
            ),
        );
    }
    // Written so that NaN fails.
    let is_confident = usage.confidence >= step.min_confidence;
    if !is_confident {
        return no(
            Some(Criterion::Confidence),
            format!("Confidence {} < {}", usage.confidence, step.min_confidence),
        );
    }
    if usage.cross_session_refs < step.min_cross_session_refs {
        return no(
            Some(Criterion::CrossSessionRefs),
            format!(
                "Cross-session references {} < {}",
                usage.cross_session_refs, step.min_cross_session_refs
            ),
        );
    }
    if usage.days_since_last_access > step.max_age_days {
        return no(
            Some(Criterion::Age),
            format!(
                "Days since last access {} > {}",
                usage.days_since_last_access, step.max_age_days
            ),
        );
    }
    if level.next() == Some(Level::L3) && evidence == EvidenceGate::Failed {
        return no(
            Some(Criterion::Evidence),
            crate::rules::entries::EVIDENCE_FAILED_REASON.to_owned(),
        );
    }
    Evaluation {
        next: level.next(),
        passed: true,
        failed_on: None,
        reason: String::new(),
    }
}

/// Returns the level that a memory drops to, if it drops one level. It does so if the
/// policy has a half-life, the memory has gone unused for longer than the step that raised
/// it allows, and its confidence, halved once per half-life since the last access, is below
/// what that step requires.
pub(crate) fn demotion(policy: &GraduationPolicy, level: Level, usage: &Usage) -> Option<Level> {
    let half_life = policy.half_life_days.filter(|days| *days > 0.0)?;
    let lower = level.previous()?;
    let step = policy.step_from(lower)?;
    let worth = usage.confidence * 0.5_f64.powf(usage.days_since_last_access / half_life);
    (usage.days_since_last_access > step.max_age_days && worth < step.min_confidence)
        .then_some(lower)
}

/// An event as seen by the search for insights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsightEvent {
    /// The event's id.
    pub id: String,
    /// Whether it is a user's prompt; only prompts reveal preferences.
    pub is_user_prompt: bool,
    /// The text.
    pub content: String,
    /// The canonical key of the text.
    pub canonical_key: String,
}

words! {
    /// The kind of an insight.
    InsightKind ("insight_type") {
        /// Something that occurs again and again.
        Pattern = "pattern",
        /// Something that the user likes or wants.
        Preference = "preference",
    }
}

/// Something that several events reveal together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Insight {
    /// The kind of insight.
    #[serde(rename = "insight_type")]
    pub kind: InsightKind,
    /// Its key; the same insight always has the same key.
    pub key: String,
    /// The insight, in words.
    pub content: String,
    /// How certain it is, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// The events it comes from, in the given order.
    #[serde(default)]
    pub sources: Vec<String>,
}

words! {
    /// Which cue words reveal a preference.
    #[derive(Default)]
    CueLanguages ("cues") {
        /// The six English words of the specification (the default).
        #[default]
        English = "english",
        /// English first, then Korean. Graduation uses both.
        EnglishAndKorean = "english_and_korean",
    }
}

const ENGLISH_CUES: [&str; 6] = ["prefer", "like", "want", "always", "never", "favorite"];
const KOREAN_CUES: [&str; 8] = [
    "선호",
    "좋아",
    "원해",
    "원합니다",
    "항상",
    "언제나",
    "절대",
    "싫어",
];

/// Finds patterns (two or more events with the same key, unless it is empty) and preferences
/// (prompts that contain a cue word anywhere; the first cue of the list counts). Patterns come
/// first, in the order in which they first appeared. Texts are cut after 50 and 100 UTF-16 units.
///
/// Pass events of level L1 or higher. This is a heuristic: "unlike" contains the cue
/// "like", which is why a preference has confidence 0.7.
pub fn extract_insights(events: &[InsightEvent], cues: CueLanguages) -> Vec<Insight> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for event in events.iter().filter(|e| !e.canonical_key.is_empty()) {
        let place = *places
            .entry(event.canonical_key.as_str())
            .or_insert_with(|| {
                groups.push((event.canonical_key.as_str(), Vec::new()));
                groups.len() - 1
            });
        groups[place].1.push(event.id.to_owned());
    }
    let mut insights: Vec<Insight> = groups
        .into_iter()
        .filter(|(_, sources)| sources.len() >= 2)
        .map(|(key, sources)| Insight {
            kind: InsightKind::Pattern,
            key: key.to_owned(),
            content: format!("Repeated topic: {}", cut_utf16(key, 50)),
            confidence: (count(sources.len()) / 5.0).min(1.0),
            sources,
        })
        .collect();
    for event in events.iter().filter(|e| e.is_user_prompt) {
        if let Some(cue) = preference_cue(&event.content, cues) {
            insights.push(Insight {
                kind: InsightKind::Preference,
                key: format!("preference_{cue}_{}", cut_utf16(&event.id, 8)),
                content: format!("{PREFERENCE}{}", cut_utf16(&event.content, 100)),
                confidence: 0.7,
                sources: vec![event.id.to_owned()],
            });
        }
    }
    insights
}

/// The first cue word in a text by which it may reveal a preference.
pub(crate) fn preference_cue(text: &str, cues: CueLanguages) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let korean: &[&str] = match cues {
        CueLanguages::English => &[],
        CueLanguages::EnglishAndKorean => &KOREAN_CUES,
    };
    let mut words = ENGLISH_CUES.iter().chain(korean);
    words.find(|cue| lower.contains(**cue)).copied()
}

#[expect(clippy::cast_precision_loss, reason = "counts of events are small")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Validates a policy made by a caller.
///
/// # Errors
/// `invalid_argument` naming the number that is out of range.
pub(crate) fn check_policy(policy: &GraduationPolicy) -> Result<()> {
    for (index, step) in policy.steps.iter().enumerate() {
        share(
            &format!("steps[{index}].min_confidence"),
            step.min_confidence,
        )?;
        if step.max_age_days.is_nan() || step.max_age_days < 0.0 {
            return Err(Error::invalid(
                format!("steps[{index}].max_age_days"),
                "must not be negative",
            ));
        }
    }
    match policy.half_life_days {
        Some(days) => positive("half_life_days", days),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(days: i64) -> Timestamp {
        Timestamp::from_millis(days * 86_400_000).expect("in range")
    }

    #[test]
    fn only_distinct_other_sessions_count_as_references() {
        let mut metrics = AccessMetrics::new("home");
        for session in ["home", "a", "a", "b", "home"] {
            metrics.record(session, 0.9, day(1));
        }
        metrics.record("a", f64::NAN, day(0));
        let usage = metrics.usage(day(3)).expect("accessed");
        assert_eq!((usage.access_count, usage.cross_session_refs), (6, 2));
        assert!((usage.days_since_last_access - 2.0).abs() < 1e-9);
        assert_eq!(
            AccessMetrics::from_json(&metrics.to_json()).ok(),
            Some(metrics)
        );
    }

    #[test]
    fn a_failed_quote_stops_the_step_to_verified_only() {
        let usage = Usage {
            access_count: 99,
            confidence: 1.0,
            cross_session_refs: 9,
            days_since_last_access: 0.0,
        };
        let policy = GraduationPolicy::default();
        let look = |level| evaluate(&policy, level, Some(&usage), EvidenceGate::Failed);
        assert!(look(Level::L1).passed);
        let stopped = look(Level::L2);
        assert_eq!(stopped.failed_on, Some(Criterion::Evidence));
        assert!(stopped.reason.contains("Evidence alignment failed"));
        assert_eq!(look(Level::L4).reason, "Already at maximum level");
        for level in [Level::L0, Level::L4] {
            let unused = evaluate(&policy, level, None, EvidenceGate::NotNeeded);
            assert_eq!(unused.reason, "No metrics available for event");
        }
    }

    #[test]
    fn a_memory_sinks_only_where_a_half_life_is_set() {
        let usage = Usage {
            access_count: 12,
            confidence: 0.95,
            cross_session_refs: 3,
            days_since_last_access: 200.0,
        };
        let mut policy = GraduationPolicy::default();
        assert_eq!(demotion(&policy, Level::L4, &usage), None);
        policy.half_life_days = Some(90.0);
        assert_eq!(demotion(&policy, Level::L4, &usage), Some(Level::L3));
        assert_eq!(demotion(&policy, Level::L0, &usage), None);
        let fresh = Usage {
            days_since_last_access: 10.0,
            ..usage
        };
        assert_eq!(demotion(&policy, Level::L4, &fresh), None);
    }

    #[test]
    fn a_preference_is_cut_in_utf16_units() {
        let events = [InsightEvent {
            id: "e".to_owned(),
            is_user_prompt: true,
            content: format!("I want{}", "🎉".repeat(48)),
            canonical_key: String::new(),
        }];
        let found = extract_insights(&events, CueLanguages::English);
        let kept = format!("User preference: I want{}", "🎉".repeat(47));
        assert_eq!(found[0].content, kept);
    }

    #[test]
    fn korean_preferences_are_found_when_asked_for() {
        let events = [InsightEvent {
            id: "이벤트-번호-일곱".to_owned(),
            is_user_prompt: true,
            content: "나는 탭을 선호해요".to_owned(),
            canonical_key: "k".to_owned(),
        }];
        assert!(extract_insights(&events, CueLanguages::English).is_empty());
        let found = extract_insights(&events, CueLanguages::EnglishAndKorean);
        assert_eq!(found[0].key, "preference_선호_이벤트-번호-일");
    }

    #[test]
    fn a_text_without_a_cue_word_reveals_no_preference() {
        let both = CueLanguages::EnglishAndKorean;
        assert_eq!(preference_cue("I PREFER tabs", both), Some("prefer"));
        assert_eq!(preference_cue("탭을 선호해요", both), Some("선호"));
        assert_eq!(preference_cue("탭을 선호해요", CueLanguages::English), None);
        assert_eq!(preference_cue("The build is green.", both), None);
    }
}
