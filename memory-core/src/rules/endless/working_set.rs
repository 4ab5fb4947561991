//! The working set: events of the last day, each once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::time::Timestamp;

/// The limits of the working set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkingSetPolicy {
    /// At most this many events; 100 by default.
    pub max_events: usize,
    /// How long an event stays, in milliseconds; 24 hours by default.
    pub time_window_ms: i64,
    /// Events less relevant than this are not taken in; 0.5 by default.
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
pub struct WorkingItem {
    /// The event.
    #[serde(deserialize_with = "codec::text")]
    pub event_id: String,
    /// When it came in.
    pub added_at: Timestamp,
    /// How much it matters now, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub relevance: f64,
    /// What it is about.
    #[serde(default)]
    pub topics: Vec<String>,
    /// When it leaves, unless it is refreshed.
    pub expires_at: Timestamp,
}

/// The events in the working set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkingSet {
    items: BTreeMap<String, WorkingItem>,
}

impl WorkingSet {
    /// A set of rows that a store kept.
    pub fn from_items(items: impl IntoIterator<Item = WorkingItem>) -> Self {
        WorkingSet {
            items: items
                .into_iter()
                .map(|item| (item.event_id.clone(), item))
                .collect(),
        }
    }

    /// Every item by its event, expired ones included.
    pub fn items(&self) -> &BTreeMap<String, WorkingItem> {
        &self.items
    }

    /// Puts an event into the working set. An event that is there already keeps its
    /// place: its time is extended and its relevance may only grow. Returns the
    /// events that had to leave to keep the set within its limits; the event
    /// itself may be among them.
    ///
    /// # Errors
    /// `invalid_argument` naming `relevance` when it is outside 0 to 1.
    pub fn add(
        &mut self,
        policy: &WorkingSetPolicy,
        event_id: &str,
        relevance: f64,
        topics: &[String],
        now: Timestamp,
    ) -> Result<Vec<String>> {
        if !(0.0..=1.0).contains(&relevance) {
            return Err(Error::invalid("relevance", "must be between 0 and 1"));
        }
        if relevance < policy.min_relevance_score && !self.items.contains_key(event_id) {
            return Ok(vec![event_id.to_owned()]);
        }
        let expires_at = after(now, policy.time_window_ms);
        let item = self
            .items
            .entry(event_id.to_owned())
            .or_insert_with(|| WorkingItem {
                event_id: event_id.to_owned(),
                added_at: now,
                relevance,
                topics: Vec::new(),
                expires_at,
            });
        item.relevance = item.relevance.max(relevance);
        item.expires_at = item.expires_at.max(expires_at);
        for topic in topics {
            if !item.topics.contains(topic) {
                item.topics.push(topic.clone());
            }
        }
        Ok(self.trim(policy, now))
    }

    /// Extends the time of an event that was used again. Returns whether it lay
    /// in the working set.
    pub fn refresh(&mut self, policy: &WorkingSetPolicy, event_id: &str, now: Timestamp) -> bool {
        match self.items.get_mut(event_id) {
            Some(item) if item.expires_at > now => {
                item.expires_at = item.expires_at.max(after(now, policy.time_window_ms));
                true
            }
            _ => false,
        }
    }

    /// Takes away what has expired and what is beyond the limit, and returns it.
    pub fn trim(&mut self, policy: &WorkingSetPolicy, now: Timestamp) -> Vec<String> {
        let mut gone: Vec<String> = self
            .items
            .values()
            .filter(|item| item.expires_at <= now)
            .map(|item| item.event_id.clone())
            .collect();
        let kept = self.best(now);
        gone.extend(
            kept.iter()
                .skip(policy.max_events)
                .map(|item| item.event_id.clone()),
        );
        self.prune(&gone);
        gone
    }

    /// Takes these events away.
    pub fn prune(&mut self, event_ids: &[String]) {
        for id in event_ids {
            self.items.remove(id);
        }
    }

    /// What is in the working set, the most relevant first, then the newest.
    pub fn best(&self, now: Timestamp) -> Vec<&WorkingItem> {
        let mut items: Vec<&WorkingItem> = self
            .items
            .values()
            .filter(|item| item.expires_at > now)
            .collect();
        items.sort_by(|a, b| {
            b.relevance
                .total_cmp(&a.relevance)
                .then_with(|| b.added_at.cmp(&a.added_at))
                .then_with(|| a.event_id.cmp(&b.event_id))
        });
        items
    }

    /// How many events are in the working set.
    pub fn len(&self, now: Timestamp) -> usize {
        self.items.values().filter(|i| i.expires_at > now).count()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self, now: Timestamp) -> bool {
        self.len(now) == 0
    }

    /// When an event was last put into the working set.
    pub fn last_activity(&self) -> Option<Timestamp> {
        self.items.values().map(|item| item.added_at).max()
    }

    /// The topics in the working set, the most frequent first.
    pub fn active_topics(&self, now: Timestamp) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in self.best(now) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    #[test]
    fn an_event_lies_there_once_and_using_it_keeps_it() {
        let policy = WorkingSetPolicy::default();
        let day = policy.time_window_ms;
        let mut set = WorkingSet::default();
        for _ in 0..3 {
            set.add(&policy, "e", 0.9, &["스키마".into()], at(0))
                .expect("adds");
        }
        assert_eq!(set.len(at(1)), 1);
        assert!(set.refresh(&policy, "e", at(day - 1)));
        assert_eq!(set.len(at(day)), 1);
        assert!(!set.refresh(&policy, "e", at(3 * day)));
        assert_eq!(set.trim(&policy, at(3 * day)), ["e"]);
    }

    #[test]
    fn the_least_relevant_and_then_the_oldest_leave() {
        let policy = WorkingSetPolicy {
            max_events: 2,
            ..WorkingSetPolicy::default()
        };
        let mut set = WorkingSet::default();
        set.add(&policy, "old", 0.8, &[], at(0)).expect("adds");
        set.add(&policy, "best", 0.9, &[], at(1)).expect("adds");
        assert_eq!(
            set.add(&policy, "new", 0.8, &[], at(2)).expect("adds"),
            ["old"]
        );
        assert_eq!(
            set.add(&policy, "dull", 0.4, &[], at(3)).expect("adds"),
            ["dull"]
        );
        let left: Vec<&str> = set
            .best(at(4))
            .iter()
            .map(|i| i.event_id.as_str())
            .collect();
        assert_eq!(left, ["best", "new"]);
        assert!(set.add(&policy, "x", f64::NAN, &[], at(3)).is_err());
    }
}
