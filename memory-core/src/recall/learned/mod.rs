//! Finds what was learned for a question: entries, tasks, insights and consolidated memories,
//! beside the events of a search.
//!
//! The relevance of an item is the share of the question's weight that its words cover: rare
//! words count most, similar words count in part, and a single shared word may be chance. With
//! an embedder, the similarity of the texts adds to it ([`by_similarity`]). It is lowered where
//! the item is in doubt (contested, no quote found) or no longer current (superseded, done).

mod by_kind;
mod by_similarity;
mod distinct;
pub(crate) mod entries;
mod finder;
mod found;
pub(crate) mod memories;
mod proof;
pub(crate) mod quoted;
mod scope;
mod sources;
pub(crate) mod tasks;
mod weight;

use std::collections::{HashMap, HashSet};

use crate::engine::learned_index::{LearnedMatch, LearnedQuery, LearnedRef};
use crate::index::lexical::expansion::QueryTerm;
use crate::index::lexical::searchable::with_analyser;
use crate::model::error::Result;
use crate::model::learned::{LearnedHit, LearnedKind};
use crate::model::query::Query;
use crate::recall::learned::by_similarity::SimilarItems;
use crate::recall::learned::distinct::DistinctHits;
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::Found;
use crate::recall::ranking::searching::{Lack, Search};
use crate::rules::asking::Asked;
use crate::rules::entries::EntryId;
use crate::rules::statements::told::asked_owner;
use crate::rules::times::{NamedTimes, TimeSpan};
use crate::store::index_tables::learned::LearnedRow;
use crate::store::projected_rows::projected::{Projected, RowKind, Rows};
use crate::text::scripts::{is_hangul, is_unspaced};

/// The learned items that help with a query.
#[derive(Default)]
pub(super) struct Learned {
    /// Best first.
    pub(super) hits: Vec<LearnedHit>,
    /// False if the query's deadline passed before everything was examined.
    pub(super) is_whole: bool,
}

impl Learned {
    fn whole(hits: Vec<LearnedHit>) -> Self {
        Learned {
            hits,
            is_whole: true,
        }
    }
}

/// The learned items that help with the query of a search. `words` are the question's words with
/// their weights among the events, `times` what it says of times: no item needs to contain that.
pub(super) fn find(
    search: &Search<'_>,
    limit: usize,
    words: &[QueryTerm],
    times: &NamedTimes,
) -> Result<Learned> {
    find_asked(search, search.query, limit, Asks::Words(words, times))
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
    /// Its words, with their weights among the events, and the times that it names.
    Words(&'a [QueryTerm], &'a NamedTimes),
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
    let undated;
    let asked = match asks {
        Asks::Words(_, times) => match without_times(times) {
            Some(asked) => {
                undated = asked;
                &undated
            }
            None => search.asking(),
        },
        Asks::Times(_) => {
            undated = Asked::of(&query.text);
            &undated
        }
    };
    let finder = Finder {
        read,
        rows: &rows,
        query,
        narrowing: search.narrowing.as_ref(),
        project: query.project.resolve(&engine.project),
        present: &search.present,
        asked,
        asks_only_for_kinds: asks_only_for_kinds(asked),
        owner_of: asked_owner(&query.text),
        times: match asks {
            Asks::Times(times) => Some(times),
            Asks::Words(..) => None,
        },
        named_times: match asks {
            Asks::Times(times) => times,
            Asks::Words(_, times) => &times.spans,
        },
    };
    let is_about_something = is_about_something(&asked.about);
    let words = match asks {
        Asks::Words(words, _) if is_about_something || query.vector.is_some() => Some(words),
        Asks::Words(..) | Asks::Times(_) => None,
    };
    let listed = finder.listed(kinds)?;
    let Some(words) = words else {
        let mut scored = Vec::new();
        finder.ask_for_tasks(kinds, listed.as_deref(), &mut scored)?;
        finder.ask_for_entries(kinds, listed.as_deref(), &mut scored)?;
        let hits = finder.hits_of_kinds(scored, limit)?.best;
        return Ok(Learned::whole(hits));
    };
    let similar = match search.question_vector()? {
        Some(vector) if search.has_time() => {
            SimilarItems::find(read, &rows, vector, kinds, listed.as_deref())?
        }
        Some(_) => {
            search.note(false, Lack::Time);
            SimilarItems::default()
        }
        None => SimilarItems::default(),
    };
    let wanted = Wanted {
        kinds,
        listed,
        similar,
        words: QuestionWords::of(words),
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
    similar: SimilarItems,
    words: QuestionWords<'a>,
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

/// What a question asks for beside the times that it names; `None` if it names none, or if they are
/// what it is about.
fn without_times(times: &NamedTimes) -> Option<Asked> {
    let asked = (!times.spans.is_empty()).then(|| Asked::of(&times.rest))?;
    is_about_something(&asked.about).then_some(asked)
}

/// Whether a question asks for decisions, preferences or tasks, whatever they are about.
pub(in crate::recall) fn asks_only_for_kinds(asked: &Asked) -> bool {
    asked.is_of_kind() && !is_about_something(&asked.about)
}

/// Whether a text contains a word beyond the frame of a question.
fn is_about_something(text: &str) -> bool {
    with_analyser(|analyser| {
        analyser.analyse("", text);
        analyser.terms().any(|term| !term.is_question_stop)
    })
}

/// The words of a question with their weights among the events.
#[derive(Default)]
struct QuestionWords<'a> {
    weights: HashMap<&'a [u8], f32>,
    /// Those that only frame it.
    frame: Vec<&'a str>,
}

impl<'a> QuestionWords<'a> {
    fn of(words: &'a [QueryTerm]) -> Self {
        let frame = words
            .iter()
            .filter(|term| !term.is_searched && !term.is_cut);
        let weights = words.iter();
        QuestionWords {
            weights: weights
                .map(|term| (term.stem.as_slice(), term.weight))
                .collect(),
            frame: frame
                .filter_map(|term| std::str::from_utf8(&term.stem).ok())
                .collect(),
        }
    }

    /// Whether a pair of letters shares one with the frame beside it, so that it is no word.
    fn overlaps_frame(&self, (first, second): (char, char)) -> bool {
        let mut frame = self.frame.iter().filter_map(|word| letters_of(word));
        frame.any(|(from, to)| to == first || from == second)
    }
}

/// The letters of a pair of Korean, Japanese or Chinese ones.
fn letters_of(stem: &str) -> Option<(char, char)> {
    let mut letters = stem.chars();
    let pair = (letters.next()?, letters.next()?);
    let is_letter = |c| is_unspaced(c) || is_hangul(c);
    let is_pair = letters.next().is_none() && is_letter(pair.0) && is_letter(pair.1);
    is_pair.then_some(pair)
}

/// The share of the question's weight that an item covers; lowered when few words match,
/// because one shared word is likely to be `chance`.
///
/// Where words are found as pairs of letters, many pairs are no words but lie between two. The
/// weight of each is therefore that of its letters, and a pair that matches covers them.
fn coverage(found: &LearnedMatch, question: &QuestionWords<'_>, chance: f32) -> f32 {
    let (mut covered, mut total, mut count) = (0.0, 0.0, 0.0f32);
    // The letter that the next pair may begin with: its weight so far, and how far it is covered.
    let mut open: Option<(char, f32, f32)> = None;
    for word in &found.words {
        let known = question.weights.get(&*word.stem).copied();
        let weight = known.filter(|weight| *weight > 0.0).unwrap_or(word.weight);
        let share = match word.is_exact {
            true => word.value,
            false => word.value * weight::EXPANSION_SHARE,
        };
        count += share;
        let stem = std::str::from_utf8(&word.stem).unwrap_or_default();
        let Some((first, second)) = letters_of(stem) else {
            // The pairs of a Korean word, which may have other endings, stand for it.
            if share > 0.0 || !stem.chars().all(is_hangul) {
                covered += weight * share;
                total += weight;
            }
            continue;
        };
        if share <= 0.0 && question.overlaps_frame((first, second)) {
            continue;
        }
        let half = weight / 2.0;
        let (before, covers) = match open.take() {
            Some((letter, before, covers)) if letter == first => (before, covers),
            Some((_, before, covers)) => {
                covered += before * covers;
                total += before;
                (0.0, 0.0)
            }
            None => (0.0, 0.0),
        };
        covered += (before + half) * share.max(covers);
        total += before + half;
        open = Some((second, half, share));
    }
    if let Some((_, before, covers)) = open {
        covered += before * covers;
        total += before;
    }
    if total <= 0.0 {
        return 0.0;
    }
    let chance = chance * 0.5f32.powf((count - 1.0).max(0.0));
    (covered / total).clamp(0.0, 1.0) * (1.0 - chance)
}

/// The relevance of an item that is of a kind or time that the question asks for.
fn less_doubted(relevance: f32) -> f32 {
    1.0 - (1.0 - relevance) * weight::ASKED_DOUBT
}

/// The hits among the items that were taken from the index.
struct Hits {
    best: Vec<LearnedHit>,
    /// Whether some of them did not pass the filters.
    has_rejected: bool,
}

impl Finder<'_> {
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
            let is_full = found.matches.len() >= most || wanted.similar.len() > most;
            let has_more = is_full && most < self.most_candidates();
            let mut scored: Vec<(LearnedRef, f32)> = found
                .matches
                .into_iter()
                .map(|found| {
                    let chance = self.chance(found.learned.kind);
                    let coverage = coverage(&found, &wanted.words, chance);
                    (found.learned, coverage)
                })
                .collect();
            wanted.similar.join(&mut scored, most);
            let listed = wanted.listed.as_deref();
            self.ask_for_tasks(wanted.kinds, listed, &mut scored)?;
            if !wanted.is_about_something {
                self.ask_for_entries(wanted.kinds, listed, &mut scored)?;
            }
            let hits = self.hits_of_kinds(scored, limit)?;
            // What a filter leaves may lie behind better matches that it rejects.
            if hits.best.len() >= limit || !hits.has_rejected || !has_more || !search.has_time() {
                return Ok(Learned {
                    hits: hits.best,
                    is_whole,
                });
            }
            most *= weight::WIDER;
        }
    }

    /// The probability that an item shares a word with the question by chance: less if the
    /// question describes an item of this kind.
    fn chance(&self, kind: LearnedKind) -> f32 {
        match self.asked.described_task && kind == LearnedKind::Task {
            true => weight::CHANCE_IF_DESCRIBED,
            false => weight::CHANCE,
        }
    }

    /// The hits, best first. A question for entries and for tasks ("what did we decide about the
    /// invoices, and what is open?") is given the best of both: neither takes more than half of the
    /// places that the other needs.
    fn hits_of_kinds(&self, scored: Vec<(LearnedRef, f32)>, limit: usize) -> Result<Hits> {
        let asked = self.asked;
        if !(asked.tasks() && (asked.decisions || asked.preferences)) {
            return self.hits(scored, limit);
        }
        let (tasks, others): (Vec<_>, Vec<_>) = scored
            .clone()
            .into_iter()
            .partition(|(learned, _)| learned.kind == LearnedKind::Task);
        let mut hits = self.hits(scored, limit)?;
        let half = limit / 2;
        for (scored, is_of_tasks) in [(tasks, true), (others, false)] {
            let is_asked = |hit: &LearnedHit| match is_of_tasks {
                true => hit.kind == LearnedKind::Task,
                false => {
                    hit.relevance >= weight::RELATED
                        && hit.entry_type.is_some_and(|of| self.is_asked(of))
                }
            };
            if hits.best.iter().filter(|hit| is_asked(hit)).count() >= half {
                continue;
            }
            let mut best = self.hits(scored, half)?.best;
            best.retain(is_asked);
            let rest = std::mem::take(&mut hits.best);
            let is_new = |hit: &LearnedHit| best.iter().all(|one| one.id != hit.id);
            let mut rest: Vec<LearnedHit> = rest.into_iter().filter(is_new).collect();
            rest.truncate(limit.saturating_sub(best.len()));
            hits.best = best;
            hits.best.extend(rest);
        }
        hits.best
            .sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
        Ok(hits)
    }

    /// The hits with their proofs, best first. How many the filters on proofs reject is not
    /// known in advance, so more items are loaded until there are enough.
    fn hits(&self, mut scored: Vec<(LearnedRef, f32)>, limit: usize) -> Result<Hits> {
        scored.retain(|(_, coverage)| *coverage >= weight::MIN_COVERAGE);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let most = match self.narrowing {
            Some(_) => usize::MAX,
            None => limit.saturating_mul(weight::LOOK_AT),
        };
        let mut scored = scored.into_iter();
        let mut seen: HashSet<LearnedRef> = HashSet::new();
        let mut best = DistinctHits::default();
        let mut has_rejected = false;
        while best.len() < limit && scored.len() > 0 {
            let (found, rejected) = self.loaded(&mut scored, most, &mut seen)?;
            has_rejected |= rejected;
            for one in found {
                if best.len() == limit {
                    break;
                }
                let mut rank = one.rank;
                let Some(mut hit) = self.proved(one)? else {
                    has_rejected = true;
                    continue;
                };
                if self.is_of_named_time(&hit) {
                    rank = less_doubted(rank);
                    hit.relevance = less_doubted(hit.relevance);
                }
                // Said in several sessions: one hit with the proofs of all.
                has_rejected |= !best.add(rank, hit);
            }
        }
        // Later rounds cover less of the question, but may rank higher.
        Ok(Hits {
            best: best.into_best(),
            has_rejected,
        })
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
                if self.is_of_another_owner(&one.hit) {
                    one.rank *= weight::OF_ANOTHER;
                    one.hit.relevance *= weight::OF_ANOTHER;
                }
                if one.hit.relevance < least {
                    continue;
                }
                self.boost_by_level(&mut one)?;
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
