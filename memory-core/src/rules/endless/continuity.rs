//! Scores how far the current context continues the previous one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::read::words;
use crate::model::time::Timestamp;

/// The score without a previous context.
const NO_PREVIOUS_SCORE: f64 = 0.5;

words! {
    /// How the current context relates to the previous one.
    TransitionType ("transition_type") {
        /// It continues the previous one.
        Seamless = "seamless",
        /// The topic has changed to a related one.
        TopicShift = "topic_shift",
        /// It is something new.
        Break = "break",
    }
}

/// What part of a conversation was about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextSnapshot {
    /// When it was taken.
    pub timestamp: Timestamp,
    /// The id of the context.
    pub id: String,
    /// The topics it was about.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The files that were mentioned.
    #[serde(default)]
    pub files: Vec<String>,
    /// The entities that were mentioned.
    #[serde(default)]
    pub entities: Vec<String>,
}

impl ContextSnapshot {
    /// Returns the JSON form, from which the next process can read it.
    pub fn to_json(&self) -> Json {
        codec::to_json(self)
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// `invalid_argument` naming the element that is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        codec::from_json("context", json)
    }
}

/// How two contexts are related.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Continuity {
    /// The score, from 0 to 1.
    pub score: f64,
    /// The score as a word.
    pub transition: TransitionType,
    /// Whether it should be logged, which is the case only if there was a previous context.
    pub is_logged: bool,
}

/// A transition between two contexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContinuityEntry {
    /// The id of the previous context.
    pub from_context_id: String,
    /// The id of the next context.
    pub to_context_id: String,
    /// How far the second continues the first, from 0 to 1.
    pub score: f64,
    /// The score as a word.
    pub transition: TransitionType,
    /// When it was scored.
    pub at: Timestamp,
}

/// How to compare two contexts. The defaults are those of the specification, section 17.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContinuityPolicy {
    /// The weight of each shared topic, from 0 to 1. Default: 0.3.
    pub topic_weight: f64,
    /// The weight of each shared file, from 0 to 1. Default: 0.2.
    pub file_weight: f64,
    /// The weight of closeness in time, from 0 to 1. Default: 0.3.
    pub time_weight: f64,
    /// The weight of each shared entity, from 0 to 1. Default: 0.2.
    pub entity_weight: f64,
    /// The time after which closeness in time has fallen to 1/e, in milliseconds. Default:
    /// 24 hours.
    pub time_decay_ms: i64,
    /// The minimum score of a seamless transition, from 0 to 1. Default: 0.7.
    pub min_score_for_seamless: f64,
    /// The minimum score of a topic shift, from 0 to 1; anything lower is a break. Default:
    /// 0.4.
    pub min_score_for_topic_shift: f64,
}

impl Default for ContinuityPolicy {
    fn default() -> Self {
        ContinuityPolicy {
            topic_weight: 0.3,
            file_weight: 0.2,
            time_weight: 0.3,
            entity_weight: 0.2,
            time_decay_ms: 24 * 3_600_000,
            min_score_for_seamless: 0.7,
            min_score_for_topic_shift: 0.4,
        }
    }
}

/// Scores how far `current` continues `previous`. By default this is 0.3 for each shared
/// topic, 0.2 for each shared file and entity, and 0.3 · e^(−Δt/24 h) for closeness in
/// time, at most 1 in total. Each list counts as a set. A weight below 0 or above 1 counts as
/// the nearer of these, and one that is not a number as 0.
pub fn continuity(
    current: &ContextSnapshot,
    previous: Option<&ContextSnapshot>,
    policy: &ContinuityPolicy,
) -> Continuity {
    let Some(previous) = previous else {
        return Continuity {
            score: NO_PREVIOUS_SCORE,
            transition: TransitionType::Break,
            is_logged: false,
        };
    };
    let (now, then) = (current.timestamp.millis(), previous.timestamp.millis());
    let decays_in = millis(policy.time_decay_ms.max(1).unsigned_abs());
    let proximity = (-millis(now.abs_diff(then)) / decays_in).exp();
    let weight = |given: f64| match given.is_nan() {
        true => 0.0,
        false => given.clamp(0.0, 1.0),
    };
    let score = (weight(policy.topic_weight) * shared(&current.topics, &previous.topics)
        + weight(policy.file_weight) * shared(&current.files, &previous.files)
        + weight(policy.time_weight) * proximity
        + weight(policy.entity_weight) * shared(&current.entities, &previous.entities))
    .min(1.0);
    let transition = if score >= policy.min_score_for_seamless {
        TransitionType::Seamless
    } else if score >= policy.min_score_for_topic_shift {
        TransitionType::TopicShift
    } else {
        TransitionType::Break
    };
    Continuity {
        score,
        transition,
        is_logged: true,
    }
}

/// How far back the log is shown. Source: specification, section 17.
pub(crate) const LOG_MS: i64 = 7 * 86_400_000;

/// The period that counts as recent.
pub(crate) const RECENT_MS: i64 = 3_600_000;

/// Returns the average of the scores logged within the last hour, or 0.5 if there were
/// none.
pub(crate) fn recent_continuity(log: &[(Timestamp, f64)], now: Timestamp) -> f64 {
    let since = now.millis().saturating_sub(RECENT_MS);
    let recent: Vec<f64> = log
        .iter()
        .filter(|(at, _)| at.millis() >= since && *at <= now)
        .map(|(_, score)| *score)
        .collect();
    if recent.is_empty() {
        return NO_PREVIOUS_SCORE;
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of one hour")]
    let count = recent.len() as f64;
    recent.iter().sum::<f64>() / count
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times below year 9999 are exact"
)]
fn millis(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "lists are short")]
fn shared(a: &[String], b: &[String]) -> f64 {
    let a: BTreeSet<&str> = a.iter().map(String::as_str).collect();
    let b: BTreeSet<&str> = b.iter().map(String::as_str).collect();
    a.intersection(&b).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_reads_back_and_goes_on_in_the_next_process() {
        let at = Timestamp::from_millis(1_769_800_000_000).expect("in range");
        let before = ContextSnapshot {
            id: "c".into(),
            timestamp: at,
            topics: vec!["스키마".into(), "스키마".into()],
            files: Vec::new(),
            entities: vec!["작업".into()],
        };
        let read = ContextSnapshot::from_json(&before.to_json()).expect("reads back");
        assert_eq!(read, before);
        // A topic that is named twice counts once.
        let joined = continuity(&before, Some(&read), &ContinuityPolicy::default());
        assert!((joined.score - 0.8).abs() < 1e-9);
        assert_eq!(joined.transition, TransitionType::Seamless);
    }

    #[test]
    fn the_recent_score_is_the_average_of_an_hour() {
        let at = |millis| Timestamp::from_millis(millis).expect("in range");
        let log = [(at(0), 0.9), (at(3_600_000), 0.2), (at(7_000_000), 0.4)];
        assert!((recent_continuity(&log, at(7_000_000)) - 0.3).abs() < 1e-9);
        assert!((recent_continuity(&[], at(0)) - 0.5).abs() < 1e-9);
    }
}
