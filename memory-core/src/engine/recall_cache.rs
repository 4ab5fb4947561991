//! Caches recent results per layer of disclosure, for a limited time and only until any
//! process writes.
//!
//! A cache never changes a result: an entry is valid only for the exact state of the store
//! it was read from, and anything that depends on the current time is recomputed.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use parking_lot::Mutex;

use crate::engine::tuning::{CacheTuning, LayerTuning, RecallTuning};
use crate::model::disclosed::{Detail, TimelineItem};
use crate::model::ids::EventRef;
use crate::model::json::Json;
use crate::model::learned::LearnedHit;
use crate::model::query::{Hit, Query, SearchResult};
use crate::model::time::Timestamp;
use crate::rules::matching::{self, MatchParts};
use crate::rules::relevance::Features;
use crate::rules::times::NamedTimes;

/// Larger values are not cached, so that all layers together stay at a few MB.
const VALUE_BYTES: usize = 16 << 10;

/// The state of the store that a result was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreVersion {
    pub(crate) generation: u64,
    /// Checksum of the state record, which changes with every write.
    pub(crate) state: [u8; 8],
    /// Parts of the index that are skipped because they are damaged.
    pub(crate) damaged: u64,
}

/// A result without the scores that depend on the current time.
#[derive(Clone, Default)]
pub(crate) struct UndatedResult {
    pub(crate) result: SearchResult,
    /// One per hit; its age is filled in later.
    pub(crate) parts: Vec<MatchParts>,
    /// The inputs of each hit's relevance.
    #[cfg_attr(
        not(any(test, feature = "testing")),
        allow(dead_code, reason = "what the models of relevance are fitted on")
    )]
    pub(crate) features: Vec<Features>,
    /// When something in it begins or ceases to hold.
    pub(crate) stale_at: Option<Timestamp>,
    /// Whether its class does not depend on the match scores: nothing was matched.
    pub(crate) keeps_class: bool,
}

impl UndatedResult {
    /// The result at a given time.
    pub(crate) fn at(mut self, now: Timestamp, tuning: &RecallTuning) -> UndatedResult {
        for (hit, parts) in self.result.items.iter_mut().zip(&self.parts) {
            let parts = MatchParts {
                age_days: matching::age_days(now, hit.timestamp),
                ..*parts
            };
            hit.match_score = matching::match_score_by(&parts, &tuning.match_weights) as f32;
        }
        if tuning.match_thresholds.is_some() && !self.keeps_class {
            self.result.confidence = tuning.class_of(&self.result.items);
        }
        self
    }
}

/// One layer: the most recently used values, for a limited time.
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
        // A clock that was set back makes the age meaningless.
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

    /// Drops every result, because events were erased.
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
        let found = self.searches.get(key, version, now)?;
        found.stale_at.is_none_or(|at| now < at).then_some(found)
    }

    /// Caches a complete result; a degraded one would hide a better one.
    pub(crate) fn put_search(
        &self,
        key: [u8; 32],
        found: &UndatedResult,
        version: StoreVersion,
        now: Timestamp,
    ) {
        let hits = found.result.items.iter().map(hit_bytes);
        let learned = found.result.learned.iter().map(learned_bytes);
        let bytes: usize = hits.chain(learned).sum();
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
        let bytes: usize = items.iter().map(item_bytes).sum();
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
        if detail_bytes(detail) <= VALUE_BYTES {
            self.details.put(key, detail.clone(), version, now);
        }
    }
}

/// The size of a record besides its texts.
const RECORD_BYTES: usize = 256;

fn bytes_of<'t>(texts: impl IntoIterator<Item = &'t String>) -> usize {
    RECORD_BYTES + texts.into_iter().map(String::len).sum::<usize>()
}

fn hit_bytes(hit: &Hit) -> usize {
    bytes_of([
        &hit.session,
        &hit.project,
        &hit.actor,
        &hit.summary,
        &hit.passage.text,
    ])
}

fn learned_bytes(hit: &LearnedHit) -> usize {
    let lists = hit.contested_with.iter().chain(&hit.blockers);
    let texts = [&hit.id, &hit.title, &hit.text, &hit.project, &hit.session];
    let proofs = hit.proofs.iter();
    bytes_of(texts)
        + bytes_of(lists.chain(&hit.superseded_by))
        + proofs
            .map(|proof| bytes_of([&proof.session, &proof.quote]))
            .sum::<usize>()
}

fn item_bytes(item: &TimelineItem) -> usize {
    bytes_of([&item.session, &item.actor, &item.preview])
}

fn detail_bytes(detail: &Detail) -> usize {
    let event = &detail.event;
    let texts = [
        &event.session,
        &event.project,
        &event.actor,
        &event.content,
        &event.canonical_key,
    ];
    let tool = event.tool.as_ref().map_or(0, |tool| {
        let texts = [&tool.name, &tool.output].into_iter().chain(&tool.error);
        bytes_of(texts) + json_bytes(tool.input.as_ref()) + json_bytes(Some(&tool.metadata))
    });
    bytes_of(texts)
        + tool
        + json_bytes(event.metadata.as_ref())
        + bytes_of(detail.files.iter().chain(&detail.tools))
        + size_of_val(detail.relations.children.as_slice())
}

fn json_bytes(json: Option<&Json>) -> usize {
    json.map_or(0, |json| json.as_str().len())
}

/// The key of a search: text, limit, every filter, and what its time expressions mean now and
/// which of them are over.
/// The deadline is not part of it: a complete result is valid for any deadline.
pub(crate) fn search_key(query: &Query, limit: usize, times: &NamedTimes) -> [u8; 32] {
    let key = Query {
        deadline: None,
        limit: Some(limit),
        ..query.clone()
    };
    // The debug form names every field and escapes texts, so no two queries share one.
    let NamedTimes { spans, current, .. } = times;
    *blake3::hash(format!("{key:?} {spans:?} {current:?}").as_bytes()).as_bytes()
}

/// The key of a timeline: which events, in any order, how many around them, and which of
/// those are shown.
pub(crate) fn timeline_key(events: &[EventRef], window: usize, shown: &impl Debug) -> [u8; 32] {
    let mut names: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    names.sort_unstable();
    names.dedup();
    *blake3::hash(format!("{window} {shown:?} {}", names.join(",")).as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::zone::Zone;

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

    /// Whatever makes a value large.
    #[test]
    fn large_values_are_not_kept() {
        let large = || "x".repeat(VALUE_BYTES);
        let json = || Some(Json::parse("json", &format!("{{\"a\":\"{}\"}}", large())).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let memory = crate::Memory::open(folder.path()).unwrap();
        let say = |session: &str, kind, text: &str| {
            let event = crate::NewEvent::new(kind, session, text);
            memory.append(event).unwrap().id
        };
        let id = say("s", crate::EventKind::UserPrompt, "small");
        let small = memory.details(&[id.into()]).unwrap().remove(0);
        let changes: [fn(&mut Detail, String); 8] = [
            |detail, large| detail.event.content = large,
            |detail, large| detail.event.canonical_key = large,
            |detail, large| detail.event.session = large,
            |detail, large| detail.files = vec![large],
            |detail, large| detail.tools = vec![large],
            |detail, large| detail.event.tool.as_mut().unwrap().output = large,
            |detail, large| detail.event.tool.as_mut().unwrap().error = Some(large),
            |detail, _| detail.relations.children = vec![detail.event.id; VALUE_BYTES / 16],
        ];
        let tool = crate::ToolUse {
            name: "Read".to_owned(),
            ..crate::ToolUse::default()
        };
        let observed = memory.append(crate::NewEvent::tool("s", tool)).unwrap().id;
        let observed = memory.details(&[observed.into()]).unwrap().remove(0);
        let mut larger: Vec<Detail> = changes
            .iter()
            .map(|change| {
                let mut detail = observed.clone();
                change(&mut detail, large());
                detail
            })
            .collect();
        larger.push(small.clone());
        larger[8].event.metadata = json();
        larger.push(observed.clone());
        larger[9].event.tool.as_mut().unwrap().input = json();

        let caches = RecallCaches::new(true, &CacheTuning::default());
        let (version, key) = (StoreVersion::default(), EventRef::from(id));
        for (number, detail) in larger.iter().enumerate() {
            caches.put_detail(key.clone(), detail, version, at(0));
            assert!(caches.detail(&key, version, at(0)).is_none(), "{number}");
        }
        for detail in [&small, &observed] {
            caches.put_detail(key.clone(), detail, version, at(0));
            assert!(caches.detail(&key, version, at(0)).is_some());
        }

        let mut item = memory.timeline(&[id.into()], 0).unwrap().remove(0);
        caches.put_timeline([0; 32], &[item.clone()], version, at(0));
        assert!(caches.timeline(&[0; 32], version, at(0)).is_some());
        item.session = large();
        caches.put_timeline([1; 32], &[item], version, at(0));
        assert!(caches.timeline(&[1; 32], version, at(0)).is_none());

        let mut found = UndatedResult::default();
        found.result.items = memory.search("small").unwrap().items;
        assert_eq!(found.result.items.len(), 1);
        caches.put_search([0; 32], &found, version, at(0));
        assert!(caches.search(&[0; 32], version, at(0)).is_some());
        found.result.items[0].project = large();
        caches.put_search([1; 32], &found, version, at(0));
        assert!(caches.search(&[1; 32], version, at(0)).is_none());
    }

    #[test]
    fn what_begins_or_ceases_to_hold_is_not_served_from_then_on() {
        let caches = RecallCaches::new(true, &CacheTuning::default());
        let version = StoreVersion::default();
        let found = UndatedResult {
            stale_at: Some(at(10)),
            ..UndatedResult::default()
        };
        caches.put_search([0; 32], &found, version, at(0));
        assert!(caches.search(&[0; 32], version, at(9)).is_some());
        assert!(caches.search(&[0; 32], version, at(10)).is_none());
    }

    #[test]
    fn a_time_that_is_over_has_another_key() {
        let key = |now: &str| {
            let question = "what did we do this morning?";
            let times =
                NamedTimes::of(question, now.parse().unwrap(), &Zone::named("UTC").unwrap());
            assert_eq!(times.spans.len(), 1);
            search_key(&Query::new(question), 10, &times)
        };
        let before = key("2026-03-02T11:59:30Z");
        assert_eq!(key("2026-03-02T11:59:40Z"), before);
        assert_ne!(key("2026-03-02T12:00:20Z"), before);
    }

    #[test]
    fn every_filter_is_part_of_a_key() {
        let none = NamedTimes::default();
        let plain = search_key(&Query::new("a"), 10, &none);
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
            assert_ne!(search_key(&other, 10, &none), plain, "{other:?}");
        }
        assert_ne!(search_key(&Query::new("a"), 11, &none), plain);
        assert_eq!(
            search_key(&Query::new("a").deadline_ms(5).limit(3), 10, &none),
            plain
        );
    }
}
