//! Selects the parts of the endless memory to give to an agent.

use std::collections::BTreeMap;

use crate::rules::endless::working_set::WorkingItem;

/// How much to give to an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InjectionPolicy {
    /// The minimum relevance of an event; less relevant ones are left out. Default: 0.7.
    pub min_relevance: f64,
    /// The maximum number of events of the working set. Default: 10.
    pub max_events: usize,
    /// The maximum number of consolidated memories. Default: 3.
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

/// Returns the events to give, out of a working set in its order. Events that a question
/// found come first, however long ago they were used; their relevance is how likely each
/// answers it.
pub(crate) fn select_working_set(
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

/// Returns the memories to give, out of pairs of a memory and its score (its similarity to
/// the present, or its confidence). Equal scores keep the given order.
pub(crate) fn select_consolidated<T>(policy: &InjectionPolicy, scored: Vec<(T, f64)>) -> Vec<T> {
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
