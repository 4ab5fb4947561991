//! What all parts of one search for learned items share, and the filters that need no proof.

use crate::model::learned::{EntryType, LearnedHit, LearnedKind};
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::recall::asked::narrowing::Narrowing;
use crate::recall::asked::present::Present;
use crate::recall::learned::weight;
use crate::rules::asking::Asked;
use crate::rules::statements::told::tells_another_owner;
use crate::rules::times::TimeSpan;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Projected;

/// What all parts of one search share.
pub(super) struct Finder<'a> {
    pub(super) read: &'a ReadTx,
    pub(super) rows: &'a Projected,
    pub(super) query: &'a Query,
    pub(super) narrowing: Option<&'a Narrowing<'a>>,
    /// The project that an item must belong to.
    pub(super) project: Option<String>,
    pub(super) present: &'a Present,
    pub(super) asked: &'a Asked,
    /// Whether the question asks for kinds of items, whatever they are about.
    pub(super) asks_only_for_kinds: bool,
    /// What the question asks the owner of.
    pub(super) owner_of: Option<Vec<String>>,
    /// The times that the question names, if it asks for nothing but a kind.
    pub(super) times: Option<&'a [TimeSpan]>,
    /// The times that the question names.
    pub(super) named_times: &'a [TimeSpan],
}

impl Finder<'_> {
    /// Whether the question asks for entries of a type.
    pub(super) fn is_asked(&self, entry_type: EntryType) -> bool {
        (self.asked.decisions && entry_type == EntryType::Decision)
            || (self.asked.preferences
                && matches!(entry_type, EntryType::Preference | EntryType::Constraint))
    }

    /// The factor for an item of a type, if the question asks for other kinds.
    pub(super) fn share_of(&self, kind: LearnedKind, entry_type: Option<EntryType>) -> f32 {
        let asked = self.asked;
        let asks_for_entries = asked.decisions || asked.preferences;
        let asks_for_tasks = asked.tasks() || asked.described_task;
        let is_asked = match kind {
            LearnedKind::Task => asks_for_tasks,
            _ => entry_type.is_some_and(|entry_type| self.is_asked(entry_type)),
        };
        match (asks_for_entries || asks_for_tasks) && !is_asked {
            true => weight::NOT_ASKED,
            false => 1.0,
        }
    }

    /// Whether a hit, or an event that proves it, is of a time that the question names.
    pub(super) fn is_of_named_time(&self, hit: &LearnedHit) -> bool {
        let is_named = |at| self.named_times.iter().any(|span| span.contains(at));
        match hit.proofs.is_empty() {
            true => is_named(hit.timestamp),
            false => hit.proofs.iter().any(|proof| is_named(proof.timestamp)),
        }
    }

    /// Whether an entry tells who has something else than the question asks for: the words that they
    /// share say only that somebody has something.
    pub(super) fn is_of_another_owner(&self, hit: &LearnedHit) -> bool {
        let asked = self.owner_of.as_deref();
        hit.kind == LearnedKind::Entry
            && asked.is_some_and(|asked| tells_another_owner(&hit.title, asked))
    }

    pub(super) fn is_of_project(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }

    /// Whether the query asks for what was said in a period.
    pub(super) fn is_dated(&self) -> bool {
        self.query.from.is_some() || self.query.until.is_some()
    }

    pub(super) fn is_in_time(&self, at: Timestamp) -> bool {
        self.query.from.is_none_or(|from| at >= from)
            && self.query.until.is_none_or(|until| at < until)
    }

    /// How many items to take from the index.
    pub(super) fn candidates(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => weight::CANDIDATES,
        }
    }

    /// How many to take at most while filters reject them.
    pub(super) fn most_candidates(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => weight::MAX_CANDIDATES,
        }
    }
}
