//! Which parts of the endless memory an agent is given at its start.

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

/// The events to give, out of a working set in its order.
pub fn select_working_set<'a>(
    policy: &InjectionPolicy,
    best: &[&'a WorkingItem],
) -> Vec<&'a WorkingItem> {
    best.iter()
        .copied()
        .filter(|item| item.relevance >= policy.min_relevance)
        .take(policy.max_events)
        .collect()
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

    #[test]
    fn only_relevant_events_and_the_three_best_memories_are_given() {
        let items: Vec<WorkingItem> = (0..12)
            .map(|n| WorkingItem {
                event_id: format!("e{n}"),
                added_at: Timestamp::default(),
                relevance: if n == 11 { 0.69 } else { 0.7 },
                topics: Vec::new(),
                expires_at: Timestamp::MAX,
            })
            .collect();
        let refs: Vec<&WorkingItem> = items.iter().rev().collect();
        let policy = InjectionPolicy::default();
        let given = select_working_set(&policy, &refs);
        assert_eq!(given.len(), 10);
        assert_eq!(given[0].event_id, "e10");
        let memories = vec![("a", 0.1), ("b", 0.9), ("c", 0.9), ("d", 0.5)];
        assert_eq!(select_consolidated(&policy, memories), ["b", "c", "d"]);
    }
}
