//! The working set: events of the last day, each once, and how much each of them matters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::time::Timestamp;

/// The limits of the working set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkingSetPolicy {
    /// The maximum number of events. Default: 100.
    pub max_events: usize,
    /// How long an event stays after its last use, in milliseconds. Default: 24 hours. By
    /// then it has lost half of its relevance.
    pub time_window_ms: i64,
    /// The minimum relevance of an event. Less relevant events are not added, and are
    /// removed early. Default: 0.5.
    pub min_relevance_score: f64,
}

impl Default for WorkingSetPolicy {
    fn default() -> Self {
        WorkingSetPolicy {
            max_events: 100,
            time_window_ms: 24 * 3_600_000,
            min_relevance_score: 0.5,
        }
    }
}

/// An event in the working set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkingItem {
    /// The id of the event.
    #[serde(deserialize_with = "codec::text")]
    pub event_id: String,
    /// When it was added.
    pub added_at: Timestamp,
    /// How much it matters, from 0 to 1. It falls from the last use on.
    #[serde(deserialize_with = "codec::unit")]
    pub relevance: f64,
    /// The topics it is about.
    #[serde(default)]
    pub topics: Vec<String>,
    /// When it expires, unless it is used again.
    pub expires_at: Timestamp,
    /// When it was last used: added to the working set, given to an agent, found by a
    /// search, or refreshed.
    pub used_at: Timestamp,
}

impl WorkingItem {
    /// Creates an item for an event that is added.
    pub fn new(
        policy: &WorkingSetPolicy,
        event_id: impl Into<String>,
        relevance: f64,
        at: Timestamp,
    ) -> Self {
        WorkingItem {
            event_id: event_id.into(),
            added_at: at,
            relevance,
            topics: Vec::new(),
            expires_at: after(at, policy.time_window_ms),
            used_at: at,
        }
    }

    /// Returns the relevance at a moment: that of the last use, decreasing linearly to half
    /// by the time it expires. This uses only multiplication and division, so every machine
    /// gets the same number.
    pub fn relevance_at(&self, now: Timestamp) -> f64 {
        let stays = millis(self.used_at, self.expires_at);
        if stays <= 0.0 {
            return self.relevance;
        }
        let gone = millis(self.used_at, now).clamp(0.0, stays) / stays;
        self.relevance * (1.0 - 0.5 * gone)
    }

    /// Records a use with this relevance. Unless the event is at least as relevant already,
    /// it gets this relevance from then on, and stays longer. An event is therefore not
    /// kept just because it is given again and again for being there.
    pub fn use_again(&mut self, policy: &WorkingSetPolicy, relevance: f64, at: Timestamp) {
        if at < self.used_at || relevance <= self.relevance_at(at) {
            return;
        }
        self.relevance = relevance;
        self.used_at = at;
        self.expires_at = self.expires_at.max(after(at, policy.time_window_ms));
    }

    /// Adds topics, each once.
    pub fn add_topics(&mut self, topics: Vec<String>) {
        for topic in topics {
            if !self.topics.contains(&topic) {
                self.topics.push(topic);
            }
        }
    }
}

/// The working set at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkingSet {
    items: Vec<WorkingItem>,
    last_activity: Option<Timestamp>,
}

impl WorkingSet {
    /// Returns the working set at a moment, out of everything that was added: what has not
    /// expired and is relevant enough, up to the maximum number of events. An event that claims to
    /// be of a time further ahead than events stay is not in it.
    pub fn at(
        policy: &WorkingSetPolicy,
        items: impl IntoIterator<Item = WorkingItem>,
        now: Timestamp,
    ) -> Self {
        let mut set = WorkingSet::default();
        // What a wrong clock stamped years ahead would stay first until then.
        let latest = after(now, policy.time_window_ms);
        for mut item in items {
            if item.added_at > latest {
                continue;
            }
            set.last_activity = set.last_activity.max(Some(item.added_at));
            item.relevance = item.relevance_at(now);
            if item.expires_at > now && item.relevance >= policy.min_relevance_score {
                set.items.push(item);
            }
        }
        set.items.sort_by(|a, b| {
            b.relevance
                .total_cmp(&a.relevance)
                .then_with(|| b.added_at.cmp(&a.added_at))
                .then_with(|| a.event_id.cmp(&b.event_id))
        });
        set.items.truncate(policy.max_events);
        set
    }

    /// Returns the events, most relevant first, then newest first, with their relevance at
    /// that moment.
    pub fn items(&self) -> &[WorkingItem] {
        &self.items
    }

    /// Returns the events by value.
    pub fn into_items(self) -> Vec<WorkingItem> {
        self.items
    }

    /// Returns when an event was last added to the working set, whether or not it has left
    /// since.
    pub fn last_activity(&self) -> Option<Timestamp> {
        self.last_activity
    }

    /// Returns the topics of the working set, most frequent first.
    pub fn active_topics(&self) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in &self.items {
            for topic in &item.topics {
                *counts.entry(topic).or_default() += 1;
            }
        }
        let mut topics: Vec<(&str, usize)> = counts.into_iter().collect();
        topics.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        topics
            .into_iter()
            .map(|(topic, _)| topic.to_owned())
            .collect()
    }
}

fn after(now: Timestamp, by_ms: i64) -> Timestamp {
    Timestamp::from_millis_clamped(now.millis().saturating_add(by_ms))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times below year 9999 are exact"
)]
fn millis(from: Timestamp, to: Timestamp) -> f64 {
    to.millis().saturating_sub(from.millis()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    fn ids(set: &WorkingSet) -> Vec<&str> {
        set.items().iter().map(|i| i.event_id.as_str()).collect()
    }

    #[test]
    fn relevance_falls_to_half_and_a_use_brings_it_back() {
        let policy = WorkingSetPolicy::default();
        let mut item = WorkingItem::new(&policy, "e", 0.8, at(0));
        let seen: Vec<f64> = [0, 12, 24, 90]
            .map(|hour| item.relevance_at(at(hour * HOUR)))
            .to_vec();
        assert_eq!(seen, [0.8, 0.8 * 0.75, 0.4, 0.4]);
        // A clock that is set back does not raise it.
        assert_eq!(item.relevance_at(at(-HOUR)), 0.8);

        let first = item.clone();
        item.use_again(&policy, 0.6, at(12 * HOUR));
        assert_eq!(item, first, "it is worth as much anyway");
        item.use_again(&policy, 0.7, at(12 * HOUR));
        assert_eq!((item.relevance, item.used_at), (0.7, at(12 * HOUR)));
        assert_eq!(item.expires_at, at(36 * HOUR));
        let last = item.clone();
        item.use_again(&policy, 1.0, at(11 * HOUR));
        assert_eq!(item, last, "a use before the last one");
    }

    #[test]
    fn the_expired_the_irrelevant_and_the_least_of_too_many_are_left_out() {
        let policy = WorkingSetPolicy {
            max_events: 2,
            ..WorkingSetPolicy::default()
        };
        let item =
            |id: &str, relevance, hour| WorkingItem::new(&policy, id, relevance, at(hour * HOUR));
        let items = [
            item("expired", 1.0, 0),
            item("of a wrong clock", 1.0, 49),
            item("old", 0.9, 20),
            item("dull", 0.5, 23),
            item("best", 1.0, 23),
            item("new", 0.9, 23),
        ];
        let set = WorkingSet::at(&policy, items, at(24 * HOUR));
        assert_eq!(ids(&set), ["best", "new"]);
        assert_eq!(set.last_activity(), Some(at(23 * HOUR)));
        assert_eq!(set.items()[0].relevance, 1.0 - 0.5 / 24.0);
    }
}
