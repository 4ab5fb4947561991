//! How far the present context goes on from the one before.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::read::words;
use crate::model::time::Timestamp;

/// The score when nothing was before.
const NO_PREVIOUS_SCORE: f64 = 0.5;

words! {
    /// How the present joins what was before.
    TransitionType ("transition_type") {
        /// It goes on.
        Seamless = "seamless",
        /// Another topic, near the last.
        TopicShift = "topic_shift",
        /// Something new.
        Break = "break",
    }
}

/// What a stretch of conversation was about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextSnapshot {
    /// When it was taken.
    pub timestamp: Timestamp,
    /// The name of the context.
    pub id: String,
    /// What it was about.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The files that were named.
    #[serde(default)]
    pub files: Vec<String>,
    /// The things that were named.
    #[serde(default)]
    pub entities: Vec<String>,
}

impl ContextSnapshot {
    /// The JSON form, so that the next process finds what was before.
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

/// How two contexts join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Continuity {
    /// From 0 to 1.
    pub score: f64,
    /// The score in a word.
    pub transition: TransitionType,
    /// Whether it belongs in the log: only where something was before.
    pub is_logged: bool,
}

/// A transition between two contexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContinuityEntry {
    /// The context before.
    pub from_context_id: String,
    /// The context after.
    pub to_context_id: String,
    /// How far the one goes on from the other, from 0 to 1.
    pub score: f64,
    /// The score in a word.
    pub transition: TransitionType,
    /// When it was scored.
    pub at: Timestamp,
}

/// How two contexts are compared. The defaults are those of the specification, section 17.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContinuityPolicy {
    /// What each shared topic counts, from 0 to 1; 0.3 by default.
    pub topic_weight: f64,
    /// What each shared file counts, from 0 to 1; 0.2 by default.
    pub file_weight: f64,
    /// What nearness in time counts, from 0 to 1; 0.3 by default.
    pub time_weight: f64,
    /// What each shared entity counts, from 0 to 1; 0.2 by default.
    pub entity_weight: f64,
    /// After this long nearness in time has fallen to 1/e, in milliseconds; 24 hours by
    /// default.
    pub time_decay_ms: i64,
    /// From this score on the present goes on seamlessly, from 0 to 1; 0.7 by default.
    pub min_score_for_seamless: f64,
    /// From this score on the topic has only shifted, below it is a break, from 0 to 1; 0.4
    /// by default.
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

/// Scores how far `current` goes on from `previous`: by default 0.3 for each shared topic,
/// 0.2 for each shared file and entity, 0.3 · e^(−Δt/24 h) for nearness in time;
/// at most 1. Each list counts as a set.
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
    let nearness = (-millis(now.abs_diff(then)) / decays_in).exp();
    let score = (policy.topic_weight * shared(&current.topics, &previous.topics)
        + policy.file_weight * shared(&current.files, &previous.files)
        + policy.time_weight * nearness
        + policy.entity_weight * shared(&current.entities, &previous.entities))
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

/// The log tells of so much time. Source: specification, section 17.
pub(crate) const LOG_MS: i64 = 7 * 86_400_000;

/// What counts as recent.
pub(crate) const RECENT_MS: i64 = 3_600_000;

/// The average of the scores logged within the last hour; 0.5 when there was
/// none.
pub fn recent_continuity(log: &[(Timestamp, f64)], now: Timestamp) -> f64 {
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
