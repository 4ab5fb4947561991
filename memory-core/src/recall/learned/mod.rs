//! Finds what was learned for a question: entries, tasks, insights and consolidated memories,
//! beside the events of a search.
//!
//! The relevance of an item is the share of the question's weight that its words cover: rare
//! words count most, similar words count in part, and a single shared word may be chance. With
//! an embedder, the likeness of the texts adds to it ([`alike`]). It is lowered where the item
//! is in doubt (contested, no quote found) or no longer current (superseded, done).

mod alike;
pub(crate) mod entries;
mod gathered;
pub(crate) mod memories;
mod proof;
pub(crate) mod quoted;
mod scope;
pub(crate) mod tasks;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crate::engine::learned_index::{LearnedMatch, LearnedQuery, LearnedRef};
use crate::index::lexical::expansion::QueryTerm;
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::query::Query;
use crate::model::time::Timestamp;
use crate::projection::entries as entry_rows;
use crate::projection::tasks as task_rows;
use crate::recall::learned::alike::Alike;
use crate::recall::narrowing::Narrowing;
use crate::recall::retrieve::{Lack, Search};
use crate::rules::asking::Asked;
use crate::rules::entries::{EntryId, EntryType, LearnedEntry};
use crate::rules::tasks::TaskStatus;
use crate::rules::times::TimeSpan;
use crate::store::ReadTx;
use crate::store::learned::LearnedRow;
use crate::store::projected::{Projected, RowKind, Rows};

/// Sizes and weights. Chosen by hand on the questions of the tests and of `docs/recall.md`;
/// there is no labelled set for learned items yet.
mod weight {
    /// How many entries, and how many other items, are taken from the index.
    pub(super) const CANDIDATES: usize = 200;
    /// The same where their proofs decide whether they are shown.
    pub(super) const NARROWED_CANDIDATES: usize = 2_000;
    /// How many times more are taken, and how many at most, while filters reject them.
    pub(super) const WIDER: usize = 8;
    pub(super) const MOST_CANDIDATES: usize = 12_800;
    /// How many times the limit is read, because filters may reject some.
    pub(super) const LOOK_AT: usize = 4;
    /// Items that cover less of the question are left out.
    pub(super) const LEAST: f32 = 0.2;
    /// How much a word counts that is only similar to one of the question's.
    pub(super) const LIKE: f32 = 0.7;
    /// The probability that one shared word is chance; halved by each further word.
    pub(super) const CHANCE: f32 = 0.4;
    /// The relevance of an item that the question asks for by kind alone.
    pub(super) const ASKED: f32 = 0.5;
    /// The factor on the doubt about an item that the question asks for by kind.
    pub(super) const ASKED_DOUBT: f32 = 0.75;
    /// The factor for what was superseded and for finished tasks.
    pub(super) const PAST: f32 = 0.5;
    /// The factor for an entry with no quote, or with one that was not found.
    pub(super) const UNPROVED: f32 = 0.9;
    /// How much certainty an entry loses if its extractor gave it zero confidence.
    pub(super) const CONFIDENCE: f32 = 0.25;
    /// The similarity by vectors, above the usual one, from which an item counts as alike, and
    /// that at which it certainly is. Models differ in how similar they find everything, which
    /// the usual similarity takes out.
    pub(super) const ALIKE_FROM: f32 = 0.3;
    pub(super) const ALIKE_SURELY: f32 = 0.8;
    /// What certain likeness is worth, compared with all words of the question.
    pub(super) const ALIKE: f32 = 0.9;
    /// What a level adds to the rank: enough to decide between equals.
    pub(super) const LEVEL: f32 = 0.01;
}

/// How many items are shown because a question asks for their kind.
const MOST_ASKED: usize = 10;

/// The learned items that help with a query.
#[derive(Default)]
pub(super) struct Learned {
    /// Best first.
    pub(super) hits: Vec<LearnedHit>,
    /// False if the query's deadline passed before everything was examined.
    pub(super) is_whole: bool,
    /// When the first of the examined entries begins or ceases to hold, if that is known.
    pub(super) changes_at: Option<Timestamp>,
}

impl Learned {
    fn whole(hits: Vec<LearnedHit>) -> Self {
        Learned {
            hits,
            is_whole: true,
            changes_at: None,
        }
    }
}

/// The learned items that help with a query. `words` are the question's words with their
/// weights among the events.
pub(super) fn find(
    search: &Search<'_>,
    query: &Query,
    limit: usize,
    words: &[QueryTerm],
) -> Result<Learned> {
    find_asked(search, query, limit, Asks::Words(words))
}

/// The learned items of the kind that a question asks for, of which one of the times was spoken
/// of: that is when an event that proves them happened, whenever it was learned from.
pub(super) fn find_of_times(
    search: &Search<'_>,
    query: &Query,
    limit: usize,
    times: &[TimeSpan],
) -> Result<Learned> {
    find_asked(search, query, limit, Asks::Times(times))
}

/// What a question asks for.
#[derive(Clone, Copy)]
enum Asks<'a> {
    /// Its words, with their weights among the events.
    Words(&'a [QueryTerm]),
    /// A kind alone, of these times.
    Times(&'a [TimeSpan]),
}

fn find_asked(search: &Search<'_>, query: &Query, limit: usize, asks: Asks<'_>) -> Result<Learned> {
    let (engine, read) = (search.engine, search.read);
    let is_blank = query.text.trim().is_empty() && query.vector.is_none();
    if !query.learned || is_blank {
        return Ok(Learned::whole(Vec::new()));
    }
    let rows = read.projected()?;
    let kinds = kinds_of(&rows, query)?;
    if kinds == 0 {
        return Ok(Learned::whole(Vec::new()));
    }
    let asked = Asked::of(&query.text);
    let finder = Finder {
        read,
        rows: &rows,
        query,
        narrowing: search.narrowing.as_ref(),
        project: query.project.resolve(&engine.project),
        now: engine.store.clock().now(),
        asked: &asked,
        times: match asks {
            Asks::Times(times) => Some(times),
            Asks::Words(_) => None,
        },
        changes_at: Cell::default(),
    };
    let is_about_something = is_about_something(&asked.about);
    let words = match asks {
        Asks::Words(words) if is_about_something || query.vector.is_some() => Some(words),
        Asks::Words(_) | Asks::Times(_) => None,
    };
    let listed = finder.listed(kinds)?;
    let Some(words) = words else {
        let mut scored = Vec::new();
        finder.ask_for_tasks(kinds, listed.as_deref(), &mut scored)?;
        finder.ask_for_entries(kinds, listed.as_deref(), &mut scored)?;
        let hits = finder.hits(scored, limit)?.best;
        return Ok(finder.learned(hits, true));
    };
    let alike = match search.question_vector()? {
        Some(vector) if search.has_time() => {
            Alike::find(read, &rows, vector, kinds, listed.as_deref())?
        }
        Some(_) => {
            search.note(false, Lack::Time);
            Alike::default()
        }
        None => Alike::default(),
    };
    let wanted = Wanted {
        kinds,
        listed,
        alike,
        words: words
            .iter()
            .map(|term| (term.stem.as_slice(), term.weight))
            .collect(),
        is_about_something,
    };
    finder.find(search, &wanted, limit)
}

/// What is searched among learned items, beyond the query's filters.
struct Wanted<'a> {
    /// A bit for each kind.
    kinds: u64,
    /// The items that may match, if the query's filters list them.
    listed: Option<Vec<LearnedRow>>,
    alike: Alike,
    /// The question's words with their weights among the events.
    words: HashMap<&'a [u8], f32>,
    /// False if the question asks for nothing but a kind.
    is_about_something: bool,
}

/// The kinds that are wanted and exist, one bit each.
fn kinds_of(rows: &Projected, query: &Query) -> Result<u64> {
    let mut kinds = 0;
    for (kind, rows_of) in [
        (LearnedKind::Entry, RowKind::Entry),
        (LearnedKind::Task, RowKind::Task),
        (LearnedKind::Insight, RowKind::Insight),
        (LearnedKind::Memory, RowKind::Consolidated),
    ] {
        let is_wanted = query.learned_kinds.is_empty() || query.learned_kinds.contains(&kind);
        if is_wanted && rows.facts(rows_of)?.rows > 0 {
            kinds |= kind.bit();
        }
    }
    Ok(kinds)
}

/// Whether a text contains a word beyond the frame of a question.
fn is_about_something(text: &str) -> bool {
    with_analyser(|analyser| {
        analyser.analyse("", text);
        analyser.terms().any(|term| !term.is_question_stop)
    })
}

/// The share of the question's weight that an item covers; lowered when few words match,
/// because one shared word is likely to be chance.
fn coverage(found: &LearnedMatch, weights: &HashMap<&[u8], f32>) -> f32 {
    let (mut covered, mut total, mut count) = (0.0, 0.0, 0.0f32);
    for word in &found.words {
        let weight = weights
            .get(&*word.stem)
            .copied()
            .filter(|weight| *weight > 0.0)
            .unwrap_or(word.weight);
        let share = if word.is_exact { 1.0 } else { weight::LIKE };
        covered += weight * word.value * share;
        count += word.value * share;
        total += weight;
    }
    if total <= 0.0 {
        return 0.0;
    }
    let chance = weight::CHANCE * 0.5f32.powf((count - 1.0).max(0.0));
    (covered / total).clamp(0.0, 1.0) * (1.0 - chance)
}

/// What all parts of one search share.
struct Finder<'a> {
    read: &'a ReadTx,
    rows: &'a Projected,
    query: &'a Query,
    narrowing: Option<&'a Narrowing<'a>>,
    /// The project that an item must belong to.
    project: Option<String>,
    now: Timestamp,
    asked: &'a Asked,
    /// The times that the question names, if it asks for nothing but a kind.
    times: Option<&'a [TimeSpan]>,
    /// See [`Learned::changes_at`].
    changes_at: Cell<Option<Timestamp>>,
}

/// An item that matches the query, before its proofs are looked up.
struct Found {
    hit: LearnedHit,
    evidence: proof::Evidence,
    rank: f32,
}

/// The hits among the items that were taken from the index.
struct Hits {
    best: Vec<LearnedHit>,
    /// Whether some of them did not pass the filters.
    has_rejected: bool,
}

impl Finder<'_> {
    fn learned(&self, hits: Vec<LearnedHit>, is_whole: bool) -> Learned {
        Learned {
            hits,
            is_whole,
            changes_at: self.changes_at.get(),
        }
    }

    /// The items that words and vectors find and that pass the query's filters.
    fn find(&self, search: &Search<'_>, wanted: &Wanted<'_>, limit: usize) -> Result<Learned> {
        let mut most = self.candidates();
        loop {
            let found = search.engine.learned_index.search(
                &search.engine.lexical,
                self.read,
                self.rows,
                LearnedQuery {
                    text: &self.asked.about,
                    kinds: wanted.kinds,
                    listed: wanted.listed.as_deref(),
                    most,
                    given: most,
                    deadline: search.deadline,
                },
            )?;
            let is_whole = found.is_whole;
            let is_full = found.matches.len() >= most || wanted.alike.len() > most;
            let has_more = is_full && most < self.most_candidates();
            let mut scored: Vec<(LearnedRef, f32)> = found
                .matches
                .into_iter()
                .map(|found| {
                    let coverage = coverage(&found, &wanted.words);
                    (found.learned, coverage)
                })
                .collect();
            wanted.alike.join(&mut scored, most);
            let listed = wanted.listed.as_deref();
            self.ask_for_tasks(wanted.kinds, listed, &mut scored)?;
            if !wanted.is_about_something {
                self.ask_for_entries(wanted.kinds, listed, &mut scored)?;
            }
            let hits = self.hits(scored, limit)?;
            // What a filter leaves may lie behind better matches that it rejects.
            if hits.best.len() >= limit || !hits.has_rejected || !has_more || !search.has_time() {
                return Ok(self.learned(hits.best, is_whole));
            }
            most *= weight::WIDER;
        }
    }

    /// Adds the newest open tasks that pass the filters, if the question asks for them.
    fn ask_for_tasks(
        &self,
        kinds: u64,
        listed: Option<&[LearnedRow]>,
        scored: &mut Vec<(LearnedRef, f32)>,
    ) -> Result<()> {
        if kinds & LearnedKind::Task.bit() == 0 || !self.asked.tasks() {
            return Ok(());
        }
        let mut newest = Vec::new();
        match listed {
            Some(listed) => {
                for row in listed.iter().filter(|row| row.row_kind == RowKind::Task) {
                    newest.extend(self.asked_task(&row.id)?);
                }
            }
            None => {
                for status in TaskStatus::ALL {
                    self.ask_for_tasks_of(*status, &mut newest)?;
                }
            }
        }
        newest.sort_by(|a, b| b.cmp(a));
        newest.truncate(self.most_asked());
        let ids = newest.into_iter().map(|(_, id)| id);
        add_asked(scored, LearnedKind::Task, ids);
        Ok(())
    }

    /// Adds the newest tasks that now have a status and are asked for.
    fn ask_for_tasks_of(
        &self,
        status: TaskStatus,
        newest: &mut Vec<(Timestamp, String)>,
    ) -> Result<()> {
        let as_of = self.query.as_of;
        let is_asked = self.is_asked_state(tasks::state_of(status));
        if as_of.is_none() && !is_asked {
            return Ok(());
        }
        let mut count = 0;
        task_rows::by_status(self.rows, status, &mut |id| {
            let Some(task) = task_rows::task(self.rows, &id)? else {
                return Ok(true);
            };
            // What changed since may have had any status then.
            let has_changed = as_of.is_some_and(|at| task.updated_at > at);
            if !has_changed && !is_asked {
                return Ok(false);
            }
            let is_known = as_of.is_none_or(|at| task.created_at <= at);
            if is_known && let Some(found) = self.asked_task(id.as_str())? {
                newest.push(found);
                count += 1;
            }
            Ok(has_changed || count < self.most_asked())
        })
    }

    /// A task that has an asked status, now or as of the query's moment, and passes the
    /// filters, with the time of its latest change.
    fn asked_task(&self, id: &str) -> Result<Option<(Timestamp, String)>> {
        let Some(found) = self.task(id, weight::ASKED)? else {
            return Ok(None);
        };
        let at = found.hit.timestamp;
        let counts = self.is_asked_state(found.hit.state) && self.counts(&found.evidence, at)?;
        Ok(counts.then_some((at, found.hit.id)))
    }

    fn is_asked_state(&self, state: LearnedState) -> bool {
        match self.asked.open_tasks {
            true => state.is_current(),
            false => state == LearnedState::Blocked,
        }
    }

    /// Adds the newest decisions or preferences that pass the filters, if the question asks for
    /// nothing else.
    fn ask_for_entries(
        &self,
        kinds: u64,
        listed: Option<&[LearnedRow]>,
        scored: &mut Vec<(LearnedRef, f32)>,
    ) -> Result<()> {
        if kinds & LearnedKind::Entry.bit() == 0 {
            return Ok(());
        }
        let mut newest = Vec::new();
        if let Some(listed) = listed {
            let mut rows = Vec::new();
            for row in listed.iter().filter(|row| row.row_kind == RowKind::Entry) {
                rows.extend(entry_rows::entry(
                    self.rows,
                    &EntryId::new(row.id.as_str()),
                )?);
            }
            rows.sort_by_key(|row| std::cmp::Reverse(row.seq));
            for row in rows {
                newest.extend(self.asked_entry(&row)?);
            }
            newest.truncate(self.most_asked());
        } else {
            let mut looked_at = 0;
            let group = match &self.project {
                Some(project) => entry_rows::Group::OfProject(project),
                None => entry_rows::Group::All,
            };
            entry_rows::newest(self.rows, group, &mut |row| {
                looked_at += 1;
                newest.extend(self.asked_entry(&row)?);
                Ok(newest.len() < self.most_asked() && looked_at < self.most_looked_at())
            })?;
        }
        add_asked(scored, LearnedKind::Entry, newest.into_iter());
        Ok(())
    }

    /// The id of an entry if it is of an asked type and it, or what it was resolved to, holds
    /// and passes the filters.
    fn asked_entry(&self, row: &LearnedEntry) -> Result<Option<String>> {
        if !self.is_asked(row.entry.entry_type) || !self.is_of_project(&row.project) {
            return Ok(None);
        }
        let Some(found) = self.entry(&row.entry.id, weight::ASKED)? else {
            return Ok(None);
        };
        let counts =
            found.hit.state.is_current() && self.counts(&found.evidence, found.hit.timestamp)?;
        Ok(counts.then(|| row.entry.id.as_str().to_owned()))
    }

    /// How many items to take from the index.
    fn candidates(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => weight::CANDIDATES,
        }
    }

    /// How many entries are looked at for those that are asked for by kind.
    fn most_looked_at(&self) -> usize {
        let query = self.query;
        let is_filtered = query.session.is_some()
            || query.from.is_some()
            || query.until.is_some()
            || query.as_of.is_some()
            || !query.entry_types.is_empty();
        match self.times {
            _ if is_filtered => weight::MOST_CANDIDATES,
            Some(_) => weight::NARROWED_CANDIDATES,
            None => self.candidates(),
        }
    }

    /// Whether all events that prove an item are there, and one is of the times that are asked
    /// for; without a proof, the time of the item itself counts.
    fn counts(&self, evidence: &proof::Evidence, at: Timestamp) -> Result<bool> {
        let is_asked_time = |at| {
            let times = self.times.unwrap_or_default();
            self.times.is_none() || times.iter().any(|span| span.contains(at))
        };
        let mut is_of_time = evidence.quotes.is_empty() && is_asked_time(at);
        for (id, _) in &evidence.quotes {
            match self.live(id)? {
                Some(event) => is_of_time |= is_asked_time(event.timestamp),
                None => return Ok(false),
            }
        }
        Ok(is_of_time)
    }

    /// How many to take at most while filters reject them.
    fn most_candidates(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => weight::MOST_CANDIDATES,
        }
    }

    /// How many items to add because the question asks for their kind, before their proofs
    /// are checked.
    fn most_asked(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => MOST_ASKED,
        }
    }

    fn is_asked(&self, entry_type: EntryType) -> bool {
        (self.asked.decisions && entry_type == EntryType::Decision)
            || (self.asked.preferences
                && matches!(entry_type, EntryType::Preference | EntryType::Constraint))
    }

    fn is_of_project(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }

    fn is_in_time(&self, at: Timestamp) -> bool {
        self.query.from.is_none_or(|from| at >= from)
            && self.query.until.is_none_or(|until| at < until)
    }

    /// The hits with their proofs, best first. How many the filters on proofs reject is not
    /// known in advance, so more items are loaded until there are enough.
    fn hits(&self, mut scored: Vec<(LearnedRef, f32)>, limit: usize) -> Result<Hits> {
        scored.retain(|(_, coverage)| *coverage >= weight::LEAST);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let most = match self.narrowing {
            Some(_) => usize::MAX,
            None => limit.saturating_mul(weight::LOOK_AT),
        };
        let mut scored = scored.into_iter();
        let mut seen: HashSet<LearnedRef> = HashSet::new();
        let mut best: Vec<(f32, LearnedHit)> = Vec::new();
        let mut has_rejected = false;
        while best.len() < limit && scored.len() > 0 {
            let (found, rejected) = self.loaded(&mut scored, most, &mut seen)?;
            has_rejected |= rejected;
            for one in found {
                if best.len() == limit {
                    break;
                }
                let rank = one.rank;
                let proved = self.proved(one)?;
                has_rejected |= proved.is_none();
                best.extend(proved.map(|hit| (rank, hit)));
            }
        }
        // Later rounds cover less of the question, but may rank higher.
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = best.into_iter().map(|(_, hit)| hit).collect();
        Ok(Hits { best, has_rejected })
    }

    /// The next items that pass the filters, until there are `most`, the best ranked first;
    /// and whether some did not pass.
    fn loaded(
        &self,
        scored: &mut impl Iterator<Item = (LearnedRef, f32)>,
        most: usize,
        seen: &mut HashSet<LearnedRef>,
    ) -> Result<(Vec<Found>, bool)> {
        let mut found: Vec<Found> = Vec::new();
        let mut has_rejected = false;
        let least = self.query.min_relevance.unwrap_or(0.0);
        while found.len() < most
            && let Some((learned, coverage)) = scored.next()
        {
            let loaded = self.load(&learned, coverage)?;
            has_rejected |= loaded.is_empty();
            for mut one in loaded {
                if one.hit.relevance < least {
                    continue;
                }
                self.lifted(&mut one)?;
                let named = LearnedRef {
                    kind: one.hit.kind,
                    id: one.hit.id.clone(),
                };
                if seen.insert(named) {
                    found.push(one);
                }
            }
        }
        found.sort_by(|a, b| {
            b.rank
                .total_cmp(&a.rank)
                .then(b.hit.timestamp.cmp(&a.hit.timestamp))
                .then(b.evidence.record.cmp(&a.evidence.record))
                .then_with(|| (a.hit.kind, &a.hit.id).cmp(&(b.hit.kind, &b.hit.id)))
        });
        Ok((found, has_rejected))
    }

    /// The items that an index name stands for, with what replaced them.
    fn load(&self, learned: &LearnedRef, coverage: f32) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        match learned.kind {
            LearnedKind::Entry => {
                let id = EntryId::new(learned.id.as_str());
                found.extend(self.entry(&id, coverage)?);
                let successor = found
                    .first()
                    .and_then(|old: &Found| old.hit.superseded_by.clone());
                if let Some(successor) = successor {
                    found.extend(self.successor(&EntryId::new(successor), coverage)?);
                }
            }
            LearnedKind::Task => found.extend(self.task(&learned.id, coverage)?),
            LearnedKind::Insight => found.extend(self.insight(&learned.id, coverage)?),
            LearnedKind::Memory => found.extend(self.memory(&learned.id, coverage)?),
        }
        Ok(found)
    }
}

/// Adds items asked for by kind; one that also matches by words keeps the higher coverage.
fn add_asked(
    scored: &mut Vec<(LearnedRef, f32)>,
    kind: LearnedKind,
    ids: impl Iterator<Item = String>,
) {
    for id in ids {
        let learned = LearnedRef { kind, id };
        match scored.iter_mut().find(|(known, _)| *known == learned) {
            Some((_, coverage)) => *coverage = coverage.max(weight::ASKED),
            None => scored.push((learned, weight::ASKED)),
        }
    }
}
