//! Rules with plain arguments and results: what other languages call where a rule of Rust
//! borrows its result, asks a function or reads a graph through a trait.

use std::collections::{HashMap, HashSet};

use crate::model::error::{Error, Result};
use crate::model::event::PrivacyReport;
use crate::privacy::{self, Marker, PrivacyConfig, PrivacyFilter, SecretRules, TagFormat};
use crate::rules::disclosure::{self, ExpansionPlan};
use crate::rules::graph::{self, Adjacency, EffectiveBlocker, Relation};
use crate::rules::tasks::{EntityKind, EntityRef};
use crate::text::citation::{self, CITATION_LENGTH, CITATION_MAX_LENGTH};
use crate::text::keys::{self, TaskEventKeyParts};

/// A text without its private sections.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivateRemoved {
    /// The text with a marker in place of each section.
    pub text: String,
    /// The number of sections that were removed, including empty ones.
    pub private_count: u32,
    /// True if an opening tag outside code had no closing tag. Such a tag hides nothing:
    /// the text after it is still there.
    pub unclosed: bool,
}

/// Removes the private sections from a text. Only exact tags count, and none in code; the
/// filter in front of the store also hides what nearly is a tag. With
/// `preserve_line_count`, the marker is followed by all line ends of the section but one.
pub fn remove_private_sections(
    text: &str,
    formats: &[TagFormat],
    marker: Marker,
    preserve_line_count: bool,
) -> PrivateRemoved {
    let removed = privacy::remove_private_sections(text, formats, marker, preserve_line_count);
    PrivateRemoved {
        text: removed.text.into_owned(),
        private_count: removed.private_count,
        unclosed: removed.unclosed,
    }
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretsMasked {
    /// The text with `[REDACTED]` in place of each secret.
    pub text: String,
    /// The number of places that were masked.
    pub secret_count: u32,
}

/// Masks the secrets in a text by the patterns of the specification. The library filters what
/// it stores with both switches on.
///
/// With `code_aware`, in source code only quoted or random-looking values are secrets. With
/// `key_formats`, keys of well-known issuers, web tokens, and passwords in addresses and
/// commands are recognised by their form.
pub fn mask_secrets(text: &str, code_aware: bool, key_formats: bool) -> SecretsMasked {
    let rules = SecretRules {
        code_aware,
        key_formats,
    };
    let masked = privacy::mask_secrets(text, rules);
    SecretsMasked {
        text: masked.text.into_owned(),
        secret_count: masked.secret_count,
    }
}

/// The result of filtering a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilteredText {
    /// The text that may be stored.
    pub text: String,
    /// What the filter did.
    pub privacy: PrivacyReport,
    /// What the writer should know, for example that a private tag is not closed.
    pub warnings: Vec<String>,
}

/// Filters a text as it is done before storing it: removes private sections, then secrets and,
/// if enabled, personal data.
///
/// The library also hides what nearly is a private tag; with `exact_tags`, only exact tags
/// count. With this, and without `auto_detect` and `code_aware`, the filter is exactly the
/// specification's.
///
/// # Errors
/// `invalid_argument` naming `exclude_patterns` or `auto_detect_patterns` when one of them is
/// not a regular expression.
pub fn filter_text(text: &str, config: &PrivacyConfig, exact_tags: bool) -> Result<FilteredText> {
    let filter = PrivacyFilter::new(config.clone())?;
    let filtered = match exact_tags {
        true => filter.text_with_exact_tags(text),
        false => filter.text(text),
    };
    Ok(FilteredText {
        text: filtered.text.into_string(),
        privacy: filtered.report,
        warnings: filtered.warnings,
    })
}

/// Returns a citation id of `length` characters (6 to 8) that is not among `taken`: the plain
/// id or one of ten salted ones. Returns `None` if all are taken.
///
/// # Errors
/// `invalid_argument` naming `length` when it is not from 6 to 8.
pub fn unique_citation_id(
    event_id: &str,
    taken: &[String],
    length: usize,
) -> Result<Option<String>> {
    if !(CITATION_LENGTH..=CITATION_MAX_LENGTH).contains(&length) {
        let range = format!("must be from {CITATION_LENGTH} to {CITATION_MAX_LENGTH}");
        return Err(Error::invalid("length", range));
    }
    let taken: HashSet<&str> = taken.iter().map(String::as_str).collect();
    let is_taken = |id: &str| taken.contains(id);
    Ok(citation::unique_citation_id_of_length(
        event_id, length, is_taken,
    ))
}

/// An edge between two nodes of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The id of the node that it starts at.
    pub source_id: String,
    /// The meaning of the edge.
    pub relation: Relation,
    /// The id of the node that it leads to.
    pub destination_id: String,
}

/// A graph that was given as lists.
struct ListedGraph<'a> {
    kinds: HashMap<&'a str, EntityKind>,
    /// The edges from and to each node, from newest to oldest.
    leaving: HashMap<&'a str, Vec<&'a GraphEdge>>,
    arriving: HashMap<&'a str, Vec<&'a GraphEdge>>,
}

impl<'a> ListedGraph<'a> {
    /// The edges are given from oldest to newest.
    fn new(entities: &'a [EntityRef], edges: &'a [GraphEdge]) -> Self {
        let mut leaving: HashMap<&str, Vec<_>> = HashMap::new();
        let mut arriving: HashMap<&str, Vec<_>> = HashMap::new();
        for edge in edges.iter().rev() {
            leaving.entry(&edge.source_id).or_default().push(edge);
            arriving.entry(&edge.destination_id).or_default().push(edge);
        }
        let kinds = entities.iter().map(|one| (one.id.as_str(), one.kind));
        ListedGraph {
            kinds: kinds.collect(),
            leaving,
            arriving,
        }
    }
}

impl Adjacency for ListedGraph<'_> {
    fn destinations(&self, source_id: &str, relation: Relation) -> Vec<String> {
        let edges = self.leaving.get(source_id).into_iter().flatten();
        let edges = edges.filter(|edge| edge.relation == relation);
        edges.map(|edge| edge.destination_id.clone()).collect()
    }

    fn sources(&self, destination_id: &str, relation: Relation) -> Vec<String> {
        let edges = self.arriving.get(destination_id).into_iter().flatten();
        let edges = edges.filter(|edge| edge.relation == relation);
        edges.map(|edge| edge.source_id.clone()).collect()
    }

    fn entity_kind(&self, entity_id: &str) -> Option<EntityKind> {
        self.kinds.get(entity_id).copied()
    }
}

/// Returns what effectively blocks a task, by ascending original id, given the entities of a
/// graph and its edges from oldest to newest. A condition that was resolved to another entity
/// is replaced by it, one step only.
pub fn effective_blockers(
    task_id: &str,
    entities: &[EntityRef],
    edges: &[GraphEdge],
) -> Vec<EffectiveBlocker> {
    graph::effective_blockers(&ListedGraph::new(entities, edges), task_id)
}

/// Spends a token budget on results, from best to worst: one timeline, and the details of the
/// results whose scores merit them, while there is room. `timeline_tokens` and `detail_tokens`
/// are the costs of each result, in the order of `scores`.
///
/// # Errors
/// `invalid_argument` naming `timeline_tokens` or `detail_tokens` when it is not as long as
/// `scores`.
pub fn plan_expansion(
    scores: &[f64],
    budget_tokens: usize,
    index_tokens: usize,
    timeline_tokens: &[usize],
    detail_tokens: &[usize],
) -> Result<ExpansionPlan> {
    for (name, costs) in [
        ("timeline_tokens", timeline_tokens),
        ("detail_tokens", detail_tokens),
    ] {
        if costs.len() != scores.len() {
            return Err(Error::invalid(name, "must be as long as scores"));
        }
    }
    Ok(disclosure::plan_expansion(
        scores,
        budget_tokens,
        index_tokens,
        |place| timeline_tokens[place],
        |place| detail_tokens[place],
    ))
}

/// Returns the dedupe key of an act on a task, as 64 hexadecimal digits: BLAKE3 over the
/// arguments in order, each prefixed with its length (8 bytes, little endian).
///
/// `kind` is that of the event, for example `task_created`; `payload` is the payload of the
/// act, as text. Two equal acts of one session from different entries are two acts.
pub fn task_event_dedupe_key(
    kind: &str,
    task_id: &str,
    session_id: &str,
    source_entry_id: &str,
    payload: &str,
) -> String {
    keys::task_event_dedupe_key(&TaskEventKeyParts {
        kind,
        task_id,
        session_id,
        source_entry_id,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_as_many_as_scores() {
        let error = plan_expansion(&[0.9], 100, 10, &[1], &[]).expect_err("a list is short");
        assert_eq!(error.argument(), Some("detail_tokens"));
    }

    #[test]
    fn a_citation_id_has_6_to_8_characters() {
        for length in [0, 5, 9] {
            let error = unique_citation_id("e", &[], length).expect_err("no such length");
            assert_eq!(error.argument(), Some("length"));
        }
        let plain = unique_citation_id("e", &[], 7)
            .expect("a length")
            .expect("free");
        assert_eq!(plain.len(), 7);
        let salted = unique_citation_id("e", std::slice::from_ref(&plain), 7);
        assert_ne!(salted.expect("a length").expect("free"), plain);
    }

    #[test]
    fn what_nearly_is_a_tag_hides_only_where_tags_need_not_be_exact() {
        let plain = PrivacyConfig {
            auto_detect: false,
            code_aware: false,
            ..PrivacyConfig::default()
        };
        let text = "a <private >b</private> c";
        let exact = filter_text(text, &plain, true).expect("the default patterns");
        assert_eq!(
            (exact.text.as_str(), exact.privacy.private_count),
            (text, 0)
        );
        assert_eq!(exact.warnings, Vec::<String>::new());
        let near = filter_text(text, &plain, false).expect("the default patterns");
        assert_eq!(near.privacy.private_count, 1);
    }
}
