//! What was learned, found for a question: entries, tasks, insights and
//! consolidated memories, beside the events that a search gives.
//!
//! How likely one helps is the part of the question's weight whose words it holds:
//! rare words count most, words that are only like one of the question's count in
//! part, and a single shared word may be chance. That is lowered where it is doubtful (contested, no quote was found) and
//! where it no longer counts (superseded, done).

pub(crate) mod entries;
mod gathered;
pub(crate) mod memories;
mod proof;
mod scope;
pub(crate) mod tasks;

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
use crate::recall::narrowing::Narrowing;
use crate::recall::retrieve::Search;
use crate::rules::asking::Asked;
use crate::rules::entries::{EntryId, EntryType};
use crate::rules::tasks::TaskStatus;
use crate::store::ReadTx;
use crate::store::projected::{Projected, RowKind, Rows};

/// Sizes and weights. Chosen by hand on the questions of the tests and on those of
/// `docs/recall.md`; no labelled set tells of learned things yet.
mod weight {
    /// How many entries, and how many others, are taken from the index.
    pub(super) const CANDIDATES: usize = 200;
    /// So many where their proofs decide whether they are given.
    pub(super) const NARROWED_CANDIDATES: usize = 2_000;
    /// So many times the limit are read: filters may refuse some.
    pub(super) const LOOK_AT: usize = 4;
    /// What covers less of the question is not given.
    pub(super) const LEAST: f32 = 0.2;
    /// How far a word counts that is only like one of the question's.
    pub(super) const LIKE: f32 = 0.7;
    /// How likely it is by chance that one word of a question is shared; with each
    /// further word it is half as likely.
    pub(super) const CHANCE: f32 = 0.4;
    /// The relevance of what a question asks for by its kind alone.
    pub(super) const ASKED: f32 = 0.5;
    /// What a question asks for by its kind is this much less doubtful.
    pub(super) const ASKED_DOUBT: f32 = 0.75;
    /// What was superseded, or a task that is over.
    pub(super) const PAST: f32 = 0.5;
    /// An entry with no quote, or with one that was not found.
    pub(super) const UNPROVED: f32 = 0.9;
    /// How much less sure an entry is that its extractor gave no confidence at all.
    pub(super) const CONFIDENCE: f32 = 0.25;
    /// What a level adds to the rank: it decides between equals.
    pub(super) const LEVEL: f32 = 0.01;
}

/// How many things are given because a question asks for their kind.
const MOST_ASKED: usize = 10;

/// What was learned and helps with a query.
#[derive(Default)]
pub(super) struct Learned {
    /// Best first.
    pub(super) hits: Vec<LearnedHit>,
    /// False when the query's deadline left no time to look at everything.
    pub(super) is_whole: bool,
}

impl Learned {
    fn whole(hits: Vec<LearnedHit>) -> Self {
        let is_whole = true;
        Learned { hits, is_whole }
    }
}

/// What was learned and helps with a query; `words` are those of the question with their weights among the events, `None` when it is about nothing but the
/// kind that it asks for.
pub(super) fn find(
    search: &Search<'_>,
    query: &Query,
    limit: usize,
    words: Option<&[QueryTerm]>,
) -> Result<Learned> {
    let (engine, read) = (search.engine, search.read);
    if !query.learned || query.text.trim().is_empty() {
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
    };
    let mut scored = Vec::new();
    let mut is_whole = true;
    if let Some(words) = words.filter(|_| is_about_something(&asked.about)) {
        let listed = finder.listed(kinds)?;
        let found = engine.learned_index.search(
            &engine.lexical,
            read,
            &rows,
            LearnedQuery {
                text: &asked.about,
                kinds,
                listed: listed.as_deref(),
                most: finder.candidates(),
                given: finder.candidates(),
                deadline: search.deadline,
            },
        )?;
        is_whole = found.is_whole;
        let weights: HashMap<&[u8], f32> = words
            .iter()
            .map(|term| (term.stem.as_slice(), term.weight))
            .collect();
        scored.extend(found.matches.into_iter().map(|found| {
            let coverage = coverage(&found, &weights);
            (found.learned, coverage)
        }));
        finder.ask_for_tasks(kinds, &mut scored)?;
    } else {
        finder.ask_for_tasks(kinds, &mut scored)?;
        finder.ask_for_entries(kinds, &mut scored)?;
    }
    let hits = finder.hits(scored, limit)?;
    Ok(Learned { hits, is_whole })
}

/// The kinds that are wanted and of which there are any, a bit each.
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

/// Whether a text holds a word that is not only the frame of a question.
fn is_about_something(text: &str) -> bool {
    with_analyser(|analyser| {
        analyser.analyse("", text);
        analyser.terms().any(|term| !term.is_question_stop)
    })
}

/// The part of the question's weight that a learned thing covers; less when few
/// words match, because one word is soon shared.
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

/// What all parts of one search need.
struct Finder<'a> {
    read: &'a ReadTx,
    rows: &'a Projected,
    query: &'a Query,
    narrowing: Option<&'a Narrowing<'a>>,
    /// The project that must hold.
    project: Option<String>,
    now: Timestamp,
    asked: &'a Asked,
}

/// A learned thing that fits the query, before its proofs are looked up.
struct Found {
    hit: LearnedHit,
    evidence: proof::Evidence,
    rank: f32,
}

impl Finder<'_> {
    /// The newest tasks that are not over, when the question asks for them.
    fn ask_for_tasks(&self, kinds: u64, scored: &mut Vec<(LearnedRef, f32)>) -> Result<()> {
        if kinds & LearnedKind::Task.bit() == 0 || !self.asked.tasks() {
            return Ok(());
        }
        let statuses: &[TaskStatus] = if self.asked.open_tasks {
            &[
                TaskStatus::InProgress,
                TaskStatus::Blocked,
                TaskStatus::Pending,
            ]
        } else {
            &[TaskStatus::Blocked]
        };
        let mut newest = Vec::new();
        for status in statuses {
            let mut count = 0;
            task_rows::by_status(self.rows, *status, &mut |id| {
                if let Some(task) = task_rows::task(self.rows, &id)?
                    && self.is_of_project(tasks::project_of(&task))
                {
                    newest.push((task.updated_at, id.as_str().to_owned()));
                    count += 1;
                }
                Ok(count < self.most_asked())
            })?;
        }
        newest.sort_by(|a, b| b.cmp(a));
        newest.truncate(self.most_asked());
        let ids = newest.into_iter().map(|(_, id)| id);
        add_asked(scored, LearnedKind::Task, ids);
        Ok(())
    }

    /// The newest decisions or preferences, when the question asks for nothing else.
    fn ask_for_entries(&self, kinds: u64, scored: &mut Vec<(LearnedRef, f32)>) -> Result<()> {
        if kinds & LearnedKind::Entry.bit() == 0 {
            return Ok(());
        }
        let mut newest = Vec::new();
        let mut looked_at = 0;
        entry_rows::newest(self.rows, entry_rows::Group::All, &mut |row| {
            looked_at += 1;
            if self.is_asked(row.entry.entry_type)
                && self.is_of_project(&row.project)
                && self.state(&row)?.is_some_and(LearnedState::is_current)
            {
                newest.push(row.entry.id.as_str().to_owned());
            }
            Ok(newest.len() < self.most_asked() && looked_at < self.candidates())
        })?;
        add_asked(scored, LearnedKind::Entry, newest.into_iter());
        Ok(())
    }

    /// How many are taken from the index.
    fn candidates(&self) -> usize {
        match self.narrowing {
            Some(_) => weight::NARROWED_CANDIDATES,
            None => weight::CANDIDATES,
        }
    }

    /// How many are given because the question asks for their kind, before their proofs
    /// are looked at.
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

    /// The hits with their proofs, best first.
    fn hits(&self, mut scored: Vec<(LearnedRef, f32)>, limit: usize) -> Result<Vec<LearnedHit>> {
        scored.retain(|(_, coverage)| *coverage >= weight::LEAST);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        // Of what a filter of proofs refuses nobody knows how much there is.
        let most = match self.narrowing {
            Some(_) => usize::MAX,
            None => limit.saturating_mul(weight::LOOK_AT),
        };
        let mut seen: HashSet<LearnedRef> = HashSet::new();
        let mut found: Vec<Found> = Vec::new();
        for (learned, coverage) in scored {
            if found.len() >= most {
                break;
            }
            for one in self.load(&learned, coverage)? {
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
        let mut hits = Vec::new();
        for one in found {
            if hits.len() == limit {
                break;
            }
            hits.extend(self.proved(one)?);
        }
        Ok(hits)
    }

    /// What the index found under a name, with what took its place.
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
        let least = self.query.min_relevance.unwrap_or(0.0);
        found.retain(|one| one.hit.relevance >= least);
        for one in &mut found {
            self.lifted(one)?;
        }
        Ok(found)
    }
}

/// Adds what is asked for by its kind; what holds words of the question as well
/// keeps its coverage when that is higher.
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
