//! Which parts of the endless memory an agent is given at its start.

use std::collections::BTreeMap;

use crate::rules::endless::working_set::WorkingItem;

/// How much is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InjectionPolicy {
    /// Events less relevant than this are left out; 0.7 by default.
    pub min_relevance: f64,
    /// At most this many events of the working set; 10 by default.
    pub max_events: usize,
    /// At most this many consolidated memories; 3 by default.
    pub max_memories: usize,
}

impl Default for InjectionPolicy {
    fn default() -> Self {
        InjectionPolicy {
            min_relevance: 0.7,
            max_events: 10,
            max_memories: 3,
        }
    }
}

/// The events to give, out of a working set in its order. What a question found, by event
/// with how likely each answers it, comes first, however long ago it was used; its relevance
/// is that one.
pub fn select_working_set(
    policy: &InjectionPolicy,
    best: Vec<WorkingItem>,
    found: &BTreeMap<String, f64>,
) -> Vec<WorkingItem> {
    let mut given = Vec::new();
    let mut rest = Vec::new();
    for mut item in best {
        match found.get(&item.event_id) {
            Some(relevance) => {
                item.relevance = *relevance;
                given.push(item);
            }
            None if item.relevance >= policy.min_relevance => rest.push(item),
            None => {}
        }
    }
    given.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    given.append(&mut rest);
    given.truncate(policy.max_events);
    given
}

/// The memories to give, out of pairs of a memory and its score (how near it is
/// to the present, or its confidence). Equal scores keep the order given.
pub fn select_consolidated<T>(policy: &InjectionPolicy, scored: Vec<(T, f64)>) -> Vec<T> {
    let mut scored = scored;
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored
        .into_iter()
        .take(policy.max_memories)
        .map(|(memory, _)| memory)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Timestamp;
    use crate::rules::endless::WorkingSetPolicy;

    #[test]
    fn only_relevant_events_and_the_three_best_memories_are_given() {
        let limits = WorkingSetPolicy::default();
        let item = |n: i32| {
            let relevance = if n == 11 { 0.69 } else { 0.7 };
            WorkingItem::new(&limits, format!("e{n}"), relevance, Timestamp::default())
        };
        let best: Vec<WorkingItem> = (0..12).rev().map(item).collect();
        let policy = InjectionPolicy::default();
        let given = select_working_set(&policy, best.clone(), &BTreeMap::new());
        assert_eq!(given.len(), 10);
        assert_eq!(given[0].event_id, "e10");
        let found = [("e11", 0.4), ("e2", 0.9)].map(|(id, of)| (id.to_owned(), of));
        let given = select_working_set(&policy, best, &BTreeMap::from(found));
        let first: Vec<&str> = given.iter().map(|item| &*item.event_id).take(3).collect();
        assert_eq!((given.len(), first), (10, vec!["e2", "e11", "e10"]));
        let memories = vec![("a", 0.1), ("b", 0.9), ("c", 0.9), ("d", 0.5)];
        assert_eq!(select_consolidated(&policy, memories), ["b", "c", "d"]);
    }
}
