//! How far the present context goes on from the one before.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::read::words;
use crate::model::time::Timestamp;

/// Weight of each shared topic.
const TOPIC_WEIGHT: f64 = 0.3;
/// Weight of each shared file.
const FILE_WEIGHT: f64 = 0.2;
/// Weight of nearness in time.
const TIME_WEIGHT: f64 = 0.3;
/// Weight of each shared entity.
const ENTITY_WEIGHT: f64 = 0.2;
/// Nearness in time falls to 1/e after this long.
const TIME_DECAY_MS: f64 = 24.0 * 3_600_000.0;
/// From this score on the topic has shifted; below it is a break.
const TOPIC_SHIFT_SCORE: f64 = 0.4;
/// The score when nothing was before.
const NO_PREVIOUS_SCORE: f64 = 0.5;
/// From this score on the present goes on seamlessly, by default.
pub const MIN_SEAMLESS_SCORE: f64 = 0.7;

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

/// What the host may choose of how contexts are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContinuityPolicy {
    /// From this score on the present goes on seamlessly, 0 to 1.
    pub(crate) min_score_for_seamless: f64,
    /// After this long nearness in time has fallen to 1/e, in milliseconds.
    pub(crate) time_decay_ms: f64,
}

impl Default for ContinuityPolicy {
    fn default() -> Self {
        ContinuityPolicy {
            min_score_for_seamless: MIN_SEAMLESS_SCORE,
            time_decay_ms: TIME_DECAY_MS,
        }
    }
}

/// Scores how far `current` goes on from `previous`: 0.3 for each shared topic,
/// 0.2 for each shared file and entity, 0.3 · e^(−Δt/24 h) for nearness in time;
/// at most 1. Each list counts as a set. From `min_score_for_seamless` on the present goes
/// on seamlessly.
pub fn continuity(
    current: &ContextSnapshot,
    previous: Option<&ContextSnapshot>,
    min_score_for_seamless: f64,
) -> Continuity {
    let policy = ContinuityPolicy {
        min_score_for_seamless,
        ..ContinuityPolicy::default()
    };
    continuity_by(current, previous, &policy)
}

/// [`continuity`] with what the opener chose.
pub(crate) fn continuity_by(
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
    let apart = millis(
        current
            .timestamp
            .millis()
            .abs_diff(previous.timestamp.millis()),
    );
    let score = (TOPIC_WEIGHT * shared(&current.topics, &previous.topics)
        + FILE_WEIGHT * shared(&current.files, &previous.files)
        + TIME_WEIGHT * (-apart / policy.time_decay_ms).exp()
        + ENTITY_WEIGHT * shared(&current.entities, &previous.entities))
    .min(1.0);
    let transition = if score >= policy.min_score_for_seamless {
        TransitionType::Seamless
    } else if score >= TOPIC_SHIFT_SCORE {
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
        let joined = continuity(&before, Some(&read), MIN_SEAMLESS_SCORE);
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
