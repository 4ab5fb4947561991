//! What was recalled a moment ago, per layer of disclosure: kept for a while,
//! and only as long as nothing was written, by whatever process.
//!
//! A cache never changes a result: an entry counts only for the very state of
//! the store that it was read from, and what depends on the time of the call is
//! worked out anew.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

use crate::engine::tuning::{CacheTuning, LayerTuning, RecallTuning};
use crate::model::disclosed::{Detail, TimelineItem};
use crate::model::ids::EventRef;
use crate::model::query::{Query, SearchResult};
use crate::model::time::Timestamp;
use crate::rules::matching::{self, MatchParts};
use crate::rules::relevance::Features;
use crate::rules::times::TimeSpan;

/// Larger values are not kept, so that all layers together stay at a few MB.
const VALUE_BYTES: usize = 16 << 10;

/// The state of the store that a result was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreVersion {
    pub(crate) generation: u64,
    /// Checksum of the state record, which every write changes.
    pub(crate) state: [u8; 8],
    /// Parts of the index that are left out because they are damaged.
    pub(crate) damaged: u64,
}

/// A result without the scores that depend on the present time.
#[derive(Clone, Default)]
pub(crate) struct UndatedResult {
    pub(crate) result: SearchResult,
    /// Of each hit; its age is left open.
    pub(crate) parts: Vec<MatchParts>,
    /// What the relevance of each was worked out from.
    #[cfg_attr(
        not(any(test, feature = "testing")),
        allow(dead_code, reason = "what the models of relevance are fitted on")
    )]
    pub(crate) features: Vec<Features>,
}

impl UndatedResult {
    /// The result as of a moment.
    pub(crate) fn at(mut self, now: Timestamp, tuning: &RecallTuning) -> UndatedResult {
        for (hit, parts) in self.result.items.iter_mut().zip(&self.parts) {
            let parts = MatchParts {
                age_days: matching::age_days(now, hit.timestamp),
                ..*parts
            };
            hit.match_score = matching::match_score_by(&parts, &tuning.match_weights) as f32;
        }
        if let Some(thresholds) = &tuning.match_thresholds {
            let items = &self.result.items;
            let scores: Vec<f64> = items.iter().map(|hit| f64::from(hit.match_score)).collect();
            self.result.confidence = matching::match_list_by(&scores, thresholds).match_class;
        }
        self
    }
}

/// One layer: the most recently used values, for a time.
struct Layer<K, V> {
    lifetime_ms: i64,
    capacity: usize,
    state: Mutex<LayerState<K, V>>,
}

struct LayerState<K, V> {
    version: StoreVersion,
    entries: HashMap<K, CachedValue<V>>,
    uses: u64,
}

struct CachedValue<V> {
    value: V,
    made_ms: i64,
    used: u64,
}

impl<K: Eq + Hash + Clone, V: Clone> Layer<K, V> {
    fn new(tuning: LayerTuning) -> Self {
        Layer {
            lifetime_ms: tuning.lifetime_ms,
            capacity: tuning.capacity,
            state: Mutex::new(LayerState {
                version: StoreVersion::default(),
                entries: HashMap::new(),
                uses: 0,
            }),
        }
    }

    fn clear(&self) {
        self.state.lock().entries.clear();
    }

    fn get(&self, key: &K, version: StoreVersion, now: Timestamp) -> Option<V> {
        let state = &mut *self.state.lock();
        if state.version != version {
            return None;
        }
        state.uses += 1;
        let entry = state.entries.get_mut(key)?;
        let age = now.millis().saturating_sub(entry.made_ms);
        // A clock that was set back tells nothing about the age.
        if !(0..self.lifetime_ms).contains(&age) {
            state.entries.remove(key);
            return None;
        }
        entry.used = state.uses;
        Some(entry.value.clone())
    }

    fn put(&self, key: K, value: V, version: StoreVersion, now: Timestamp) {
        let state = &mut *self.state.lock();
        if state.version != version {
            state.entries.clear();
            state.version = version;
        }
        if state.entries.len() >= self.capacity
            && !state.entries.contains_key(&key)
            && let Some(oldest) = state
                .entries
                .iter()
                .min_by_key(|(_, entry)| entry.used)
                .map(|(key, _)| key.clone())
        {
            state.entries.remove(&oldest);
        }
        state.uses += 1;
        let entry = CachedValue {
            value,
            made_ms: now.millis(),
            used: state.uses,
        };
        state.entries.insert(key, entry);
    }
}

/// The caches of one open memory.
pub(crate) struct RecallCaches {
    is_enabled: bool,
    searches: Layer<[u8; 32], UndatedResult>,
    timelines: Layer<[u8; 32], Vec<TimelineItem>>,
    details: Layer<EventRef, Detail>,
}

impl RecallCaches {
    pub(crate) fn new(is_enabled: bool, tuning: &CacheTuning) -> Self {
        RecallCaches {
            is_enabled,
            searches: Layer::new(tuning.searches),
            timelines: Layer::new(tuning.timelines),
            details: Layer::new(tuning.details),
        }
    }

    /// Lets go of every result: events were erased.
    pub(crate) fn clear(&self) {
        self.searches.clear();
        self.timelines.clear();
        self.details.clear();
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    pub(crate) fn search(
        &self,
        key: &[u8; 32],
        version: StoreVersion,
        now: Timestamp,
    ) -> Option<UndatedResult> {
        self.searches.get(key, version, now)
    }

    /// Keeps a complete result; one that is degraded would hide a better one.
    pub(crate) fn put_search(
        &self,
        key: [u8; 32],
        found: &UndatedResult,
        version: StoreVersion,
        now: Timestamp,
    ) {
        let bytes: usize = found
            .result
            .items
            .iter()
            .map(|hit| 256 + hit.passage.text.len() + hit.summary.len())
            .chain(found.result.learned.iter().map(|hit| {
                let quotes: usize = hit.proofs.iter().map(|p| 128 + p.quote.len()).sum();
                256 + hit.title.len() + hit.text.len() + quotes
            }))
            .sum();
        if !found.result.degraded && bytes <= VALUE_BYTES {
            self.searches.put(key, found.clone(), version, now);
        }
    }

    pub(crate) fn timeline(
        &self,
        key: &[u8; 32],
        version: StoreVersion,
        now: Timestamp,
    ) -> Option<Vec<TimelineItem>> {
        self.timelines.get(key, version, now)
    }

    pub(crate) fn put_timeline(
        &self,
        key: [u8; 32],
        items: &[TimelineItem],
        version: StoreVersion,
        now: Timestamp,
    ) {
        let bytes: usize = items.iter().map(|item| 256 + item.preview.len()).sum();
        if bytes <= VALUE_BYTES {
            self.timelines.put(key, items.to_vec(), version, now);
        }
    }

    pub(crate) fn detail(
        &self,
        key: &EventRef,
        version: StoreVersion,
        now: Timestamp,
    ) -> Option<Detail> {
        self.details.get(key, version, now)
    }

    pub(crate) fn put_detail(
        &self,
        key: EventRef,
        detail: &Detail,
        version: StoreVersion,
        now: Timestamp,
    ) {
        if detail.event.content.len() <= VALUE_BYTES / 2 {
            self.details.put(key, detail.clone(), version, now);
        }
    }
}

/// What tells one search from another: text, limit, every filter, and what the words of
/// time mean now. How long it may take does not: a complete result is right for any
/// deadline.
pub(crate) fn search_key(query: &Query, limit: usize, times: &[TimeSpan]) -> [u8; 32] {
    let key = Query {
        deadline: None,
        limit: Some(limit),
        ..query.clone()
    };
    // The debug form names every field and escapes texts, so no two queries
    // share one.
    *blake3::hash(format!("{key:?} {times:?}").as_bytes()).as_bytes()
}

/// What tells one timeline from another: which events, in any order, and how
/// far around them.
pub(crate) fn timeline_key(events: &[EventRef], window: usize) -> [u8; 32] {
    let mut names: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    names.sort_unstable();
    names.dedup();
    *blake3::hash(format!("{window} {}", names.join(",")).as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis_clamped(ms)
    }

    #[test]
    fn entries_end_with_their_time_and_with_the_state_of_the_store() {
        let layer = Layer::new(LayerTuning {
            lifetime_ms: 1_000,
            capacity: 10,
        });
        let version = StoreVersion::default();
        layer.put("a", 1, version, at(0));
        assert_eq!(layer.get(&"a", version, at(999)), Some(1));
        assert_eq!(layer.get(&"a", version, at(1_000)), None);
        layer.put("a", 1, version, at(0));
        assert_eq!(layer.get(&"a", version, at(-1)), None);
        layer.put("a", 1, version, at(0));
        let newer = StoreVersion {
            state: [1; 8],
            ..version
        };
        assert_eq!(layer.get(&"a", newer, at(1)), None);
        layer.put("b", 2, newer, at(1));
        assert_eq!(layer.get(&"a", newer, at(1)), None);
        assert_eq!(layer.get(&"b", newer, at(1)), Some(2));
    }

    #[test]
    fn the_entry_that_was_not_used_longest_makes_room() {
        let layer = Layer::new(LayerTuning {
            lifetime_ms: 1_000,
            capacity: 2,
        });
        let version = StoreVersion::default();
        layer.put("a", 1, version, at(0));
        layer.put("b", 2, version, at(0));
        assert_eq!(layer.get(&"a", version, at(1)), Some(1));
        layer.put("c", 3, version, at(1));
        assert_eq!(layer.get(&"b", version, at(1)), None);
        assert_eq!(layer.get(&"a", version, at(1)), Some(1));
        assert_eq!(layer.get(&"c", version, at(1)), Some(3));
    }

    #[test]
    fn every_filter_is_part_of_a_key() {
        let plain = search_key(&Query::new("a"), 10, &[]);
        let others = [
            Query::new("b"),
            Query::new("a").session("s"),
            Query::new("a").project(crate::scope::ProjectScope::All),
            Query::new("a").kinds([crate::EventKind::UserPrompt]),
            Query::new("a").from(at(1)),
            Query::new("a").until(at(1)),
            Query::new("a").tools(["Read"]),
            Query::new("a").tools(["Read", "Edit"]),
            Query::new("a").file_contains("src"),
            Query::new("a").tool_outcome(crate::ToolOutcome::Failed),
            Query::new("a").tool_outcome(crate::ToolOutcome::Succeeded),
            Query::new("a").min_level(crate::rules::levels::Level::L1),
            Query::new("a").min_relevance(0.5),
            Query::new("a").include_recalled(),
            Query::new("a").learned(false),
            Query::new("a").learned_kinds([crate::LearnedKind::Task]),
            Query::new("a").entry_types([crate::rules::entries::EntryType::Fact]),
            Query::new("a").as_of(at(1)),
        ];
        for other in others {
            assert_ne!(search_key(&other, 10, &[]), plain, "{other:?}");
        }
        assert_ne!(search_key(&Query::new("a"), 11, &[]), plain);
        assert_eq!(
            search_key(&Query::new("a").deadline_ms(5).limit(3), 10, &[]),
            plain
        );
    }
}
