//! Circles of files that import each other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The parts of a path, or a module: `["store", "rows"]`.
pub type Parts = Vec<String>;

/// What one file imports from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: Parts,
    pub to: Parts,
    /// The path as it is written.
    pub written: String,
}

impl Arrow {
    pub fn text(&self) -> String {
        let name = |module: &Parts| match module.is_empty() {
            true => "lib".to_owned(),
            false => module.join("/"),
        };
        let (from, to) = (name(&self.from), name(&self.to));
        format!("{from} imports {to} ({})", self.written)
    }
}

/// The circles of arrows: a shortest one for each module that lies on any.
pub fn circles(arrows: &BTreeSet<Arrow>) -> Vec<String> {
    let mut next: BTreeMap<&Parts, BTreeMap<&Parts, &Arrow>> = BTreeMap::new();
    for arrow in arrows {
        next.entry(&arrow.from)
            .or_default()
            .insert(&arrow.to, arrow);
    }
    // A module without arrows to others lies on no circle.
    loop {
        let left: BTreeSet<&Parts> = next.keys().copied().collect();
        for to in next.values_mut() {
            to.retain(|to, _| left.contains(to));
        }
        next.retain(|_, to| !to.is_empty());
        if next.len() == left.len() {
            break;
        }
    }
    let mut named = BTreeSet::new();
    let mut lines = Vec::new();
    for start in next.keys() {
        if named.contains(start) {
            continue;
        }
        if let Some(circle) = shortest_circle(start, &next) {
            named.extend(circle.iter().map(|arrow| &arrow.from));
            let texts: Vec<_> = circle.iter().map(|arrow| arrow.text()).collect();
            lines.push(format!("a circle: {}", texts.join("; ")));
        }
    }
    lines
}

/// The fewest arrows that lead from a module back to it.
fn shortest_circle<'a>(
    start: &'a Parts,
    next: &BTreeMap<&'a Parts, BTreeMap<&'a Parts, &'a Arrow>>,
) -> Option<Vec<&'a Arrow>> {
    let mut reached_by: BTreeMap<&Parts, &Arrow> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        for (to, arrow) in next.get(at).into_iter().flatten() {
            if !reached_by.contains_key(to) {
                reached_by.insert(to, arrow);
                waiting.push_back(to);
            }
        }
    }
    let mut circle = vec![*reached_by.get(start)?];
    while circle[0].from != *start {
        circle.insert(0, reached_by[&circle[0].from]);
    }
    Some(circle)
}
