//! The rules of the graph between events, entries and entities: which edges are allowed,
//! what effectively blocks a task, and what was derived from what.
//!
//! Everything here is a pure function; the store supplies the edges through
//! [`Adjacency`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::json::Json;
use crate::model::read::words;
use crate::model::time::Timestamp;
use crate::rules::entries::EntryId;
use crate::rules::tasks::entity::EntityId;

pub use crate::rules::tasks::entity::EntityKind;

/// The maximum depth of a [`lineage`](crate::Knowledge::lineage) (specification).
pub const MAX_LINEAGE_DEPTH: usize = 10;

words! {
    /// What kind of node an end of an edge is.
    NodeType ("node_type") {
        /// Something learned that never changes, such as a fact, a decision or an insight.
        Entry = "entry",
        /// Something that changes through events: a task, a condition or an artifact.
        Entity = "entity",
        /// A record of the log.
        Event = "event",
    }
}

words! {
    /// The meaning of an edge, read from its source to its destination.
    Relation ("relation") {
        /// An entry was derived from another entry.
        DerivedFrom = "derived_from",
        /// An entry replaces another entry.
        Supersedes = "supersedes",
        /// Two entries cannot both be true.
        Contradicts = "contradicts",
        /// An entry proves something about an entity.
        EvidenceOf = "evidence_of",
        /// An entry mentions an entity.
        Mentions = "mentions",
        /// A task cannot continue until an entity is done.
        BlockedBy = "blocked_by",
        /// A task may be blocked by an entity; this is not confirmed.
        BlockedBySuggested = "blocked_by_suggested",
        /// A condition turned out to be another entity.
        ResolvesTo = "resolves_to",
        /// An entity depends on another entity.
        DependsOn = "depends_on",
        /// An event created an entry or entity.
        Produced = "produced",
        /// An entry or entity was learned from an event.
        SourceOf = "source_of",
    }
}

impl Relation {
    /// Returns true if an edge of this relation may lead from one node type to another.
    ///
    /// ```
    /// use recallite::rules::graph::{NodeType, Relation};
    ///
    /// assert!(Relation::EvidenceOf.allows(NodeType::Entry, NodeType::Entity));
    /// assert!(!Relation::EvidenceOf.allows(NodeType::Entity, NodeType::Entry));
    /// ```
    pub fn allows(self, source: NodeType, destination: NodeType) -> bool {
        use NodeType::{Entity, Entry, Event};
        match self {
            Relation::DerivedFrom | Relation::Supersedes | Relation::Contradicts => {
                (source, destination) == (Entry, Entry)
            }
            Relation::EvidenceOf | Relation::Mentions => (source, destination) == (Entry, Entity),
            Relation::BlockedBy
            | Relation::BlockedBySuggested
            | Relation::ResolvesTo
            | Relation::DependsOn => (source, destination) == (Entity, Entity),
            Relation::Produced | Relation::SourceOf => {
                source == Event && matches!(destination, Entry | Entity)
            }
        }
    }

    /// The allowed pairs of node types, for error messages.
    fn allowed_text(self) -> String {
        let mut pairs = Vec::new();
        for source in NodeType::ALL {
            for destination in NodeType::ALL {
                if self.allows(*source, *destination) {
                    pairs.push(format!("{source} -> {destination}"));
                }
            }
        }
        pairs.join(" or ")
    }
}

/// Returns true if an edge of a relation may lead from one node type to another.
///
/// ```
/// use recallite::rules::graph::{NodeType, Relation, is_edge_allowed};
///
/// assert!(is_edge_allowed(NodeType::Entry, Relation::EvidenceOf, NodeType::Entity));
/// ```
pub fn is_edge_allowed(
    source_type: NodeType,
    relation: Relation,
    destination_type: NodeType,
) -> bool {
    relation.allows(source_type, destination_type)
}

/// Checks that an edge of this relation may lead from one node type to another.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] names `relation` and says which ends the
/// relation takes.
pub fn validate_edge(source: NodeType, relation: Relation, destination: NodeType) -> Result<()> {
    if relation.allows(source, destination) {
        return Ok(());
    }
    Err(Error::invalid(
        "relation",
        format_args!(
            "{relation} connects {}, not {source} -> {destination}",
            relation.allowed_text()
        ),
    ))
}

/// Checks that a confirmed blocker may be added to a task. Only a task whose status is
/// blocked at that moment has blockers.
///
/// # Errors
/// [`ErrorCode::InvariantViolation`]; set the task to blocked first.
pub fn validate_blocked_by(task_id: &str, task_is_blocked: bool) -> Result<()> {
    if task_is_blocked {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::InvariantViolation,
        format!("Cannot create blocked_by edge: Task {task_id} is not in blocked status"),
    )
    .with_argument("task_id"))
}

/// Checks that a task that is done has no confirmed blockers left.
///
/// # Errors
/// [`ErrorCode::InvariantViolation`]; remove the blockers first.
pub fn validate_done(task_id: &str, blocked_by_count: usize) -> Result<()> {
    if blocked_by_count == 0 {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::InvariantViolation,
        format!("Task {task_id} is done but still has {blocked_by_count} blocked_by edges"),
    )
    .with_argument("task_id"))
}

/// A node of the graph: an entry, an entity or an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// What kind of node it is.
    pub node_type: NodeType,
    /// The id of the entry, entity or event.
    pub id: String,
}

impl GraphNode {
    /// Creates a node with this id.
    pub fn new(node_type: NodeType, id: impl Into<String>) -> Self {
        GraphNode {
            node_type,
            id: id.into(),
        }
    }
}

/// How many edges a replacement changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplacedEdges {
    /// The number of edges that were removed.
    pub removed: usize,
    /// The number of edges that were added.
    pub added: usize,
}

/// An entry that proves something about the same entities as another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelatedEntry {
    /// The id of the entry.
    pub entry_id: EntryId,
    /// The entities that both entries prove something about.
    pub entities: Vec<EntityId>,
}

/// The ends of an edge. No two live edges have the same ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeEnds {
    /// What kind of node it starts at.
    pub source_type: NodeType,
    /// The id of the entry, entity or event that it starts at.
    pub source_id: String,
    /// The meaning of the edge.
    pub relation: Relation,
    /// What kind of node it leads to.
    pub destination_type: NodeType,
    /// The id of the entry or entity that it leads to.
    pub destination_id: String,
}

impl EdgeEnds {
    /// Returns the id of the edge with these ends: `edge_` and 32 hex digits of BLAKE3 over
    /// the length-prefixed parts.
    pub fn edge_id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [
            self.source_type.as_str(),
            &self.source_id,
            self.relation.as_str(),
            self.destination_type.as_str(),
            &self.destination_id,
        ] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        format!("edge_{}", &hasher.finalize().to_hex()[..32])
    }
}

/// An edge of the graph, and when it existed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// The id of the edge; the same ends always give the same id.
    pub id: String,
    /// The ends of the edge.
    pub ends: EdgeEnds,
    /// Additional information about it, as a JSON object.
    pub meta: Option<Json>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was removed, if it was.
    pub ended_at: Option<Timestamp>,
}

impl Edge {
    /// Returns true if the edge existed at that moment.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        self.created_at <= at && self.ended_at.is_none_or(|end| at < end)
    }
}

/// The edges of a graph, as the rules below read them.
///
/// Ids are those of entries and entities; an id names one node.
pub trait Adjacency {
    /// Returns where the edges of this relation from a node lead, newest edge first.
    fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String>;

    /// Returns where the edges of this relation to a node come from, newest edge first.
    fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String>;

    /// Returns the kind of an entity, or `None` if there is no such entity.
    fn entity_kind(&self, entity_id: &str) -> Option<EntityKind>;
}

/// An effective blocker of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveBlocker {
    /// The entity that the task's edge names.
    pub original_id: String,
    /// What blocks the task: the original entity or, if that is a condition that was
    /// resolved to another entity, that entity.
    pub effective_id: String,
    /// The kind of the effective entity; `None` if the entity is unknown.
    pub effective_kind: Option<EntityKind>,
    /// Whether a condition was replaced by what it was resolved to.
    pub resolved: bool,
}

/// Returns what effectively blocks a task, by ascending original id.
///
/// Only confirmed `blocked_by` edges count. A condition that was resolved to another entity
/// is replaced by it, one step only; if it has several resolutions, the newest counts.
/// Other entities are never replaced.
pub fn effective_blockers(graph: &impl Adjacency, task_id: &str) -> Vec<EffectiveBlocker> {
    let originals: BTreeSet<String> = graph
        .destinations(task_id, Relation::BlockedBy)
        .into_iter()
        .collect();
    originals
        .into_iter()
        .map(|original_id| {
            let original_type = graph.entity_kind(&original_id);
            let resolution = (original_type == Some(EntityKind::Condition))
                .then(|| graph.destinations(&original_id, Relation::ResolvesTo))
                .into_iter()
                .flatten()
                .find(|target| *target != original_id);
            match resolution {
                Some(effective_id) => EffectiveBlocker {
                    effective_kind: graph.entity_kind(&effective_id),
                    original_id,
                    effective_id,
                    resolved: true,
                },
                None => EffectiveBlocker {
                    effective_id: original_id.clone(),
                    original_id,
                    effective_kind: original_type,
                    resolved: false,
                },
            }
        })
        .collect()
}

/// One entry of the versions that [`lineage`](crate::Knowledge::lineage) returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineageStep {
    /// The id of the entry.
    pub entry_id: String,
    /// The entry that it was derived from; `None` for the starting entry.
    pub derived_from: Option<String>,
    /// The number of derivations between it and the starting entry, at most
    /// [`MAX_LINEAGE_DEPTH`].
    pub depth: usize,
}

/// Returns an entry and everything derived from it, nearest first.
///
/// Each entry appears once, at its smallest depth, even if derivations meet again or form a
/// cycle. Entries at the same depth are in the order of [`Adjacency`].
pub(crate) fn lineage(graph: &impl Adjacency, entry_id: &str, limit: usize) -> Vec<LineageStep> {
    let mut known = BTreeSet::from([entry_id.to_owned()]);
    let mut waiting = VecDeque::from([LineageStep {
        entry_id: entry_id.to_owned(),
        derived_from: None,
        depth: 0,
    }]);
    let mut steps = Vec::new();
    while steps.len() < limit
        && let Some(step) = waiting.pop_front()
    {
        // Those that wait are enough.
        let is_full = steps.len() + waiting.len() >= limit;
        if step.depth < MAX_LINEAGE_DEPTH && !is_full {
            for derived in graph.sources(&step.entry_id, Relation::DerivedFrom) {
                if known.insert(derived.clone()) {
                    waiting.push_back(LineageStep {
                        entry_id: derived,
                        derived_from: Some(step.entry_id.clone()),
                        depth: step.depth + 1,
                    });
                }
            }
        }
        steps.push(step);
    }
    steps
}

/// Returns the entries that prove something about an entity that this entry also proves
/// something about, by ascending id, each with those entities.
pub(crate) fn related_entries(
    graph: &impl Adjacency,
    entry_id: &str,
) -> BTreeMap<String, Vec<String>> {
    let mut related: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let entities: BTreeSet<String> = graph
        .destinations(entry_id, Relation::EvidenceOf)
        .into_iter()
        .collect();
    for entity in entities {
        let entries: BTreeSet<String> = graph
            .sources(&entity, Relation::EvidenceOf)
            .into_iter()
            .filter(|other| other != entry_id)
            .collect();
        for entry in entries {
            related.entry(entry).or_default().push(entity.clone());
        }
    }
    related
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges in the order of creation.
    #[derive(Default)]
    struct Edges(Vec<(String, Relation, String)>);

    impl Edges {
        fn with(mut self, source: &str, relation: Relation, destination: &str) -> Self {
            self.0
                .push((source.to_owned(), relation, destination.to_owned()));
            self
        }
    }

    impl Adjacency for Edges {
        fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String> {
            let edges = self.0.iter().rev();
            edges
                .filter(|edge| edge.0 == source_id && edge.1 == relation)
                .map(|edge| edge.2.clone())
                .collect()
        }

        fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String> {
            let edges = self.0.iter().rev();
            edges
                .filter(|edge| edge.2 == destination_id && edge.1 == relation)
                .map(|edge| edge.0.clone())
                .collect()
        }

        fn entity_kind(&self, entity_id: &str) -> Option<EntityKind> {
            match entity_id.chars().next() {
                Some('t') => Some(EntityKind::Task),
                Some('c') => Some(EntityKind::Condition),
                Some('a') => Some(EntityKind::Artifact),
                _ => None,
            }
        }
    }

    fn blockers(edges: &Edges) -> Vec<(String, String, bool)> {
        effective_blockers(edges, "t")
            .into_iter()
            .map(|blocker| (blocker.original_id, blocker.effective_id, blocker.resolved))
            .collect()
    }

    fn blocker(original: &str, effective: &str, resolved: bool) -> (String, String, bool) {
        (original.to_owned(), effective.to_owned(), resolved)
    }

    #[test]
    fn each_relation_allows_just_its_ends() {
        let mut allowed = 0;
        for relation in Relation::ALL {
            for source in NodeType::ALL {
                for destination in NodeType::ALL {
                    allowed += usize::from(relation.allows(*source, *destination));
                }
            }
        }
        assert_eq!((Relation::ALL.len(), allowed), (11, 13));
    }

    #[test]
    fn a_refused_edge_names_the_ends_it_would_need() {
        let error = validate_edge(NodeType::Entry, Relation::SourceOf, NodeType::Event)
            .expect_err("events are sources");
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("relation"));
        assert_eq!(
            error.message(),
            "relation: source_of connects event -> entry or event -> entity, not entry -> event"
        );
        assert!(validate_edge(NodeType::Event, Relation::Produced, NodeType::Entity).is_ok());
    }

    #[test]
    fn names_are_read_back_and_unknown_ones_refused() {
        for relation in Relation::ALL {
            assert_eq!(relation.as_str().parse::<Relation>().ok(), Some(*relation));
        }
        let error = "likes".parse::<Relation>().expect_err("no relation");
        assert_eq!(error.argument(), Some("relation"));
        assert!("session".parse::<NodeType>().is_err());
        assert!("Task".parse::<EntityKind>().is_err());
    }

    #[test]
    fn blockers_need_a_blocked_task_and_done_tasks_have_none() {
        assert!(validate_blocked_by("T1", true).is_ok());
        let error = validate_blocked_by("T1", false).expect_err("not blocked");
        assert_eq!(error.code(), ErrorCode::InvariantViolation);
        assert_eq!(
            error.message(),
            "Cannot create blocked_by edge: Task T1 is not in blocked status"
        );
        assert!(validate_done("T1", 0).is_ok());
        let error = validate_done("T1", 2).expect_err("two blockers");
        assert_eq!(error.code(), ErrorCode::InvariantViolation);
    }

    #[test]
    fn only_conditions_are_replaced_and_only_once() {
        let edges = Edges::default()
            .with("t", Relation::BlockedBy, "c1")
            .with("c1", Relation::ResolvesTo, "c2")
            .with("c2", Relation::ResolvesTo, "a")
            .with("t", Relation::BlockedBy, "t2")
            .with("t2", Relation::ResolvesTo, "a")
            .with("t", Relation::BlockedBySuggested, "a");
        assert_eq!(
            blockers(&edges),
            [blocker("c1", "c2", true), blocker("t2", "t2", false)]
        );
    }

    #[test]
    fn the_newest_resolution_counts_and_a_condition_never_resolves_to_itself() {
        let edges = Edges::default()
            .with("t", Relation::BlockedBy, "c1")
            .with("c1", Relation::ResolvesTo, "a1")
            .with("c1", Relation::ResolvesTo, "a2")
            .with("t", Relation::BlockedBy, "c2")
            .with("c2", Relation::ResolvesTo, "c2")
            .with("t", Relation::BlockedBy, "x");
        assert_eq!(
            blockers(&edges),
            [
                blocker("c1", "a2", true),
                blocker("c2", "c2", false),
                blocker("x", "x", false),
            ]
        );
        assert_eq!(effective_blockers(&edges, "t")[2].effective_kind, None);
    }

    #[test]
    fn lineage_survives_circles_and_lists_meeting_paths_once() {
        let edges = Edges::default()
            .with("b", Relation::DerivedFrom, "a")
            .with("c", Relation::DerivedFrom, "a")
            .with("d", Relation::DerivedFrom, "b")
            .with("d", Relation::DerivedFrom, "c")
            .with("a", Relation::DerivedFrom, "d");
        let steps: Vec<(String, usize)> = lineage(&edges, "a", 100)
            .into_iter()
            .map(|step| (step.entry_id, step.depth))
            .collect();
        let expected = [("a", 0), ("c", 1), ("b", 1), ("d", 2)];
        assert_eq!(steps, expected.map(|(id, depth)| (id.to_owned(), depth)));
    }

    #[test]
    fn lineage_stops_at_depth_ten() {
        let edges = (0..20).fold(Edges::default(), |edges, at| {
            edges.with(
                &format!("e{}", at + 1),
                Relation::DerivedFrom,
                &format!("e{at}"),
            )
        });
        let steps = lineage(&edges, "e0", 100);
        assert_eq!(steps.len(), 11);
        assert_eq!(steps[10].entry_id, "e10");
        assert_eq!(steps[10].derived_from.as_deref(), Some("e9"));
        assert_eq!(steps[10].depth, 10);
    }

    #[test]
    fn related_entries_share_an_entity() {
        let edges = Edges::default()
            .with("e1", Relation::EvidenceOf, "t")
            .with("e2", Relation::EvidenceOf, "t")
            .with("e2", Relation::EvidenceOf, "a")
            .with("e1", Relation::EvidenceOf, "a")
            .with("e3", Relation::Mentions, "t");
        let related = related_entries(&edges, "e1");
        assert_eq!(
            related,
            BTreeMap::from([("e2".to_owned(), vec!["a".to_owned(), "t".to_owned()])])
        );
    }
}
