//! Searches events: indexed words, conversational context, cues of the question, and the
//! probability that the answer is right.
//!
//! The ranking and its weights were chosen on chats and coding transcripts;
//! `docs/measurements.md` says what each part gains and how that was measured.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::Engine;
use crate::engine::embedding::{QuestionVector, VectorRetriever};
use crate::engine::logger::Target;
use crate::engine::recall_cache::{StoreVersion, UndatedResult, search_key};
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::search::{Boosts, LexicalHits, LexicalQuery, LexicalSearcher};
use crate::index::lexical::searchable::with_analyser;
use crate::index::lexical::segment::SegmentReader;
use crate::index::lexical::semantic::{self, StaticEmbedding};
use crate::model::error::{ErrorCode, Result};
use crate::model::query::{Query, SearchResult};
use crate::model::time::Timestamp;
use crate::recall::asked::named::{named_hits, named_now, put_first, record_named};
use crate::recall::asked::narrowing::Narrowing;
use crate::recall::asked::prepared::PreparedQuery;
use crate::recall::asked::present::Present;
use crate::recall::asked::resolved::Resolved;
use crate::recall::learned::{self, Learned};
use crate::recall::ranking::candidate::RecallCandidate;
use crate::recall::ranking::cues::Cues;
use crate::recall::ranking::defined::{DefinitionWeights, boost_defined};
use crate::recall::ranking::demote::{
    Duplicates, demote_asked_before, demote_duplicates, demote_past, drop_question,
};
use crate::recall::ranking::identifiers::{NamedIdentifiers, boost_named};
use crate::recall::ranking::levels::boost_used;
use crate::recall::ranking::newer::prefer_later;
use crate::recall::ranking::planned::boost_planned;
use crate::recall::ranking::preferred::boost_preferred;
use crate::recall::ranking::rank::{Similarity, rank};
use crate::recall::ranking::relevance::{
    Question, STRANGER, features_of, note_strangers, relevance_of,
};
use crate::recall::ranking::searching::{Answer, Lack, Search};
use crate::recall::shown::hits::{hit, is_sure};
use crate::recall::shown::known;
use crate::rules::asking::Asked;
use crate::rules::matching::MatchParts;
use crate::rules::relevance::{self, Features, RelevanceModel};
use crate::rules::times::NamedTimes;
use crate::store::ReadTx;
use crate::store::log::scan::Wanted;
use crate::text::keys::canonical_key;

/// Sizes of the candidate sets; [`RecallWeights`](crate::RecallWeights) has the weights.
///
/// Source: measured on the development sets; see `docs/measurements.md`.
mod size {
    /// How many events the lexical retriever passes on. With 300, chats gain .003 recall@10,
    /// transcripts nothing, and a search costs a quarter more.
    pub(super) const CANDIDATES: usize = 100;
    /// The same where a model's vectors rank them too: an event that matches few words may be
    /// the nearest. With 100, chats lose .012 recall@10.
    pub(super) const CANDIDATES_FOR_VECTORS: usize = 300;
    /// With how many times the candidates a search begins again whose candidates are copies of
    /// each other.
    pub(super) const MORE_FOR_COPIES: usize = 4;
    /// How many copies of a question at most are dropped without taking the place of others.
    pub(super) const COPIES: usize = 1_000;
    /// For how many of the best candidates the whole passage's embedding is compared with the
    /// question's. With 64, two of 73 questions about transcripts are lost.
    pub(super) const SIMILARITY_TOP: usize = 100;
}

/// The candidates of a search, best first.
struct Ranked<'h> {
    hits: LexicalHits<'h>,
    candidates: Vec<RecallCandidate>,
    /// The relevance model for their scores.
    model: &'static RelevanceModel,
    /// The share of the question's identifiers that no event contains.
    unknown_identifiers: f32,
    /// How many of the candidates repeat a better one.
    copies: usize,
}

impl Ranked<'_> {
    /// Whether copies took the places of events that were not found for this reason. `most` is
    /// how many the index was asked for.
    fn crowded_out(&self, limit: usize, most: usize) -> bool {
        let others = self.candidates.len().saturating_sub(self.copies);
        self.hits.hits.len() >= most && others < limit
    }
}

/// [`Memory::search`](crate::Memory::search).
pub(crate) fn search(engine: &Engine, mut query: Query) -> Result<SearchResult> {
    query.min_relevance = query.min_relevance.or(engine.tuning.recall.min_relevance);
    let asked = PreparedQuery::of(engine, query)?;
    let named = named_now(engine, &asked)?;
    let mut found = search_noted(engine, &asked)?;
    found.confidence = known::confidence(found.confidence, &found.learned);
    record_named(engine, &named, &found.items);
    put_first(named_hits(engine, named)?, &mut found, asked.limit);
    known::mark_proofs(&mut found);
    Ok(found)
}

/// A search whose confident hits are recorded as accesses.
pub(crate) fn search_noted(engine: &Engine, asked: &PreparedQuery) -> Result<SearchResult> {
    let found = recall(engine, asked)?;
    let sure = found
        .items
        .iter()
        .filter(|hit| is_sure(hit))
        .map(|hit| (hit.seq.0, f64::from(hit.relevance)));
    let now = engine.store.clock().now();
    engine.accesses.record_found(sure, now);
    Ok(found)
}

/// A search that records nothing.
pub(crate) fn recall(engine: &Engine, asked: &PreparedQuery) -> Result<SearchResult> {
    Ok(recall_with_features(engine, asked)?.result)
}

/// The same, with the features behind its scores.
pub(crate) fn recall_with_features(
    engine: &Engine,
    asked: &PreparedQuery,
) -> Result<UndatedResult> {
    if asked.is_vain() {
        return Ok(UndatedResult::default());
    }
    for _ in 0..MAX_STALE {
        if let Some(found) = look_up(engine, asked, false)? {
            return Ok(found);
        }
    }
    Ok(look_up(engine, asked, true)?.unwrap_or_default())
}

/// The highest relevance of an event beside what was learned, if only that is asked for. It is not
/// fitted: a context is to hold no such event.
const BESIDE_KINDS: f32 = relevance::NONE / 2.0;

/// So often a search begins again because a file that its transaction names was merged meanwhile;
/// then it answers without it.
const MAX_STALE: usize = 8;

/// What a query finds as of now; `None` when files of the index were merged before they could be
/// opened, unless the answer may lack them.
fn look_up(
    engine: &Engine,
    asked: &PreparedQuery,
    may_be_stale: bool,
) -> Result<Option<UndatedResult>> {
    let query = &asked.query;
    let read = engine.store.read()?;
    let now = engine.store.clock().now();
    let caches = &engine.caches;
    let key = search_key(query, asked.limit, &asked.times);
    let known = if caches.is_enabled() {
        caches.search(&key, version(engine, &read)?, now)
    } else {
        None
    };
    let mut lacks = BTreeSet::new();
    let found = match known {
        Some(found) => found,
        None => {
            let Some(found) = search_store(engine, &read, asked, now, may_be_stale, &mut lacks)?
            else {
                return Ok(None);
            };
            if caches.is_enabled() {
                caches.put_search(key, &found, version(engine, &read)?, now);
            }
            found
        }
    };
    let found = found.at(now, &engine.tuning.recall);
    drop(read);
    if !lacks.is_empty() {
        engine.logger.warn(Target::Recall, || {
            let lacks: Vec<&str> = lacks.into_iter().map(Lack::as_str).collect();
            format!("a search is degraded: {}", lacks.join("; "))
        });
    }
    Ok(Some(found))
}

/// Searches the store; `lacks` says what the answer is without. `None` as in [`look_up`].
fn search_store(
    engine: &Engine,
    read: &ReadTx,
    asked: &PreparedQuery,
    now: Timestamp,
    may_be_stale: bool,
    lacks: &mut BTreeSet<Lack>,
) -> Result<Option<UndatedResult>> {
    let query = &asked.query;
    let narrowing = Narrowing::of(engine, read, query)?;
    let resolved = Resolved::new(read, query, &engine.project, narrowing.as_ref())?;
    let Some(resolved) = resolved else {
        return Ok(Some(UndatedResult::default()));
    };
    let search = Search {
        engine,
        read,
        query,
        resolved,
        narrowing,
        limit: asked.limit,
        deadline: asked.deadline,
        present: Present::at(now),
        lacks: RefCell::default(),
        is_stale: Cell::default(),
        asking: OnceCell::new(),
        asked: OnceCell::new(),
    };
    let mut found = search.find(&asked.times)?;
    if search.is_stale.get() && !may_be_stale {
        return Ok(None);
    }
    found.stale_at = search.present.changes_at();
    *lacks = search.lacks.into_inner();
    found.result.degraded = !lacks.is_empty();
    Ok(Some(found))
}

/// Whether a question asks only for what happened at the times that it names.
pub(in crate::recall) fn asks_for_times(times: &NamedTimes) -> bool {
    !times.spans.is_empty() && times.are_all_that_is_asked(&Asked::of(&times.rest).about)
}

/// The version of the store that a transaction sees.
pub(crate) fn version(engine: &Engine, read: &ReadTx) -> Result<StoreVersion> {
    let (generation, state) = read.version()?;
    Ok(StoreVersion {
        generation,
        state,
        damaged: engine.lexical.damaged_count(),
    })
}

impl Search<'_> {
    /// The events of a time if the query asks for nothing else; otherwise what its words
    /// find.
    fn find(&self, times: &NamedTimes) -> Result<UndatedResult> {
        if self.query.vector.is_none()
            && asks_for_times(times)
            && let Some(found) = self.by_time(times)?
        {
            return Ok(found);
        }
        self.by_words(times)
    }

    /// Searches the memtable and all intact segments.
    fn by_words(&self, times: &NamedTimes) -> Result<UndatedResult> {
        let lexical = &self.engine.lexical;
        let snapshot = lexical.snapshot(self.read)?;
        let missing = &snapshot.missing;
        if !missing.is_empty() && !self.engine.store.are_live(missing)? {
            // They are not damaged: the next snapshot opens what replaced them.
            let ids: Vec<u64> = missing.iter().map(|segment| segment.id).collect();
            lexical.release(&ids);
            self.is_stale.set(true);
        }
        self.note(!snapshot.is_damaged, Lack::Segment);
        match self.find_in(&snapshot.segments, &snapshot.memtable, times) {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.note(false, Lack::Segment);
                // Search the segments one by one to find the damaged one; the others and the
                // memtable still answer.
                let mut intact = Vec::with_capacity(snapshot.segments.len());
                let mut found = self.find_in(&intact, &snapshot.memtable, times)?;
                for segment in &snapshot.segments {
                    intact.push(segment.clone());
                    match self.find_in(&intact, &snapshot.memtable, times) {
                        Ok(more) => found = more,
                        Err(error) if error.code() == ErrorCode::Corrupt => {
                            intact.pop();
                            lexical.note_damaged(segment.id());
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(found)
            }
            found => found,
        }
    }

    /// Searches the memtable and the given segments.
    fn find_in(
        &self,
        segments: &[Arc<SegmentReader>],
        memtable: &Memtable,
        times: &NamedTimes,
    ) -> Result<UndatedResult> {
        let tombstones = self.read.tombstones()?;
        let has_damage = AtomicBool::new(false);
        // What may be deleted is left out.
        let is_tombstone = |seq: u64| {
            tombstones.contains(seq).unwrap_or_else(|_| {
                has_damage.store(true, Ordering::Relaxed);
                true
            })
        };
        let is_deleted = |seq: u64| is_tombstone(seq) || self.query.skipped.seqs.contains(&seq);
        let searcher = LexicalSearcher::new(
            segments.iter().map(|segment| &**segment),
            memtable,
            self.engine.lexical.blocks(self.read),
        );
        let admits_record = |seq: u64| self.admits_record(seq);
        let mut query = self.lexical_query(&is_deleted, self.copies_of_question()?);
        if self.narrowing.is_some() && self.resolved.seqs.is_none() {
            query.filter.admits_record = Some(&admits_record);
        }
        let cues = Cues::new(self.read, &self.query.text, times.clone())?;
        let mut ranked = self.ranked(&searcher, &query, &cues)?;
        if ranked.crowded_out(self.reach(&ranked.candidates), query.limit) && self.has_time() {
            query.limit *= size::MORE_FOR_COPIES;
            query.filter.without_session = self.resolved.known_session;
            ranked = self.ranked(&searcher, &query, &cues)?;
        }
        self.note(!has_damage.load(Ordering::Relaxed), Lack::Record);
        let Ranked {
            hits,
            mut candidates,
            model,
            unknown_identifiers,
            ..
        } = ranked;
        let question = Question {
            text: &self.query.text,
            unknown_identifiers,
        };
        let reach = self.reach(&candidates);
        let features = features_of(&question, &hits, &candidates, reach);
        let mut relevance = relevance_of(model, &features, &candidates);
        if model.goes_by_words && relevance.first().is_some_and(|first| *first > STRANGER) {
            let subject = self.asking().subject();
            note_strangers(&subject, &hits, &mut candidates, reach)?;
            relevance = relevance_of(model, &features, &candidates);
        }
        let most = self.query.learned_limit.unwrap_or(self.limit);
        let learned = match learned::find(self, most, &hits.terms, times) {
            // Events can be found without what was learned from them.
            Err(error) if error.code() == ErrorCode::Corrupt => Learned::default(),
            learned => learned?,
        };
        self.note(learned.is_whole, Lack::Learned);
        if learned::asks_only_for_kinds(self.asking()) {
            // What shares the words that name the kind does not answer.
            let most = match learned.hits.is_empty() {
                true => STRANGER,
                false => BESIDE_KINDS,
            };
            relevance.iter_mut().for_each(|one| *one = one.min(most));
        }
        let mut found = self.result(&hits, &candidates, &features, &relevance)?;
        found.result.learned = learned.hits;
        let has_damage = self.narrowing.as_ref().is_some_and(Narrowing::has_damage);
        self.note(!has_damage, Lack::Record);
        Ok(found)
    }

    /// What a query of the index finds, ranked.
    fn ranked<'h>(
        &self,
        searcher: &LexicalSearcher<'h>,
        query: &LexicalQuery<'_>,
        cues: &Cues,
    ) -> Result<Ranked<'h>> {
        let mut hits = with_analyser(|analyser| searcher.search(analyser, query))?;
        hits.note_known()?;
        self.note(!hits.degraded, Lack::Time);
        let similarity = self.similarity(&mut hits)?;
        let weights = &self.engine.recall_weights;
        let mut candidates =
            rank(&hits, &similarity, cues, weights, &|facts| {
                let is_deleted = query.filter.is_deleted;
                Ok(!is_deleted.is_some_and(|is_deleted| is_deleted(facts.seq))
                    && self.admits(facts)?)
            })?;
        // Whatever else tells them apart counts for more.
        prefer_later(&hits, &mut candidates);
        let named = self.boost_named(&hits, &mut candidates, cues)?;
        self.note_unread(named.is_whole);
        self.note_unread(self.boost_planned(&mut candidates, cues)?);
        self.note_unread(self.boost_defined(&hits, &mut candidates)?);
        self.note_unread(self.boost_preferred(&mut candidates, cues)?);
        self.note_unread(self.boost_used(&mut candidates)?);
        let copies = self.demote(&hits, &mut candidates)?;
        self.note_unread(copies.is_whole);
        Ok(Ranked {
            hits,
            candidates,
            model: similarity.model,
            unknown_identifiers: named.unknown,
            copies: copies.count,
        })
    }

    /// How many of the candidates, best first, contain as many as are wanted.
    fn reach(&self, ranked: &[RecallCandidate]) -> usize {
        let is_known = |one: &&RecallCandidate| self.is_known(&one.facts);
        self.limit + ranked.iter().filter(is_known).count()
    }

    /// Whether an event is ranked, but not to be returned.
    fn is_known(&self, facts: &EventFacts) -> bool {
        self.query.skipped.known.contains(&facts.seq) || self.resolved.is_known(facts)
    }

    /// How many of the candidates may be the question itself, which is dropped.
    fn copies_of_question(&self) -> Result<usize> {
        let Some(question) = &self.query.skipped.question else {
            return Ok(0);
        };
        let wanted = Wanted {
            repeats: Some(canonical_key(question, None)),
            ..Wanted::default()
        };
        match self.read.newest_candidates(&wanted, size::COPIES) {
            // They only take the place of others.
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(0),
            copies => Ok(copies?.len()),
        }
    }

    /// `copies` of the events that it finds are dropped later, and those that are known.
    fn lexical_query<'q>(
        &'q self,
        is_deleted: &'q (dyn Fn(u64) -> bool + Sync),
        copies: usize,
    ) -> LexicalQuery<'q> {
        let candidates = match self.engine.embedding {
            Some(_) => size::CANDIDATES_FOR_VECTORS,
            None => size::CANDIDATES,
        };
        let weights = &self.engine.recall_weights;
        LexicalQuery {
            text: &self.query.text,
            limit: candidates.max(self.limit) + copies + self.query.skipped.known.len(),
            filter: self.resolved.filter(is_deleted),
            deadline: self.deadline,
            boosts: Boosts {
                query_expansion: weights.query_expansion,
                phrase_proximity: weights.fixed.phrase_proximity,
            },
        }
    }

    /// The hits' similarity to the question. Adds hits that only their vectors find.
    fn similarity(&self, hits: &mut LexicalHits<'_>) -> Result<Similarity> {
        match self.similarity_by_vectors(hits)? {
            VectorSimilarity::Found {
                similarity,
                is_partial,
            } => {
                self.note(!is_partial, Lack::Vectors);
                Ok(similarity)
            }
            other => {
                let weight = self.engine.recall_weights.similarity_by_words;
                let weight = weight * hits.share_with_vectors();
                let has_failed = matches!(other, VectorSimilarity::Failed);
                self.note(!has_failed, Lack::Embedder);
                Ok(similarity_by_words(hits, &self.query.text, weight))
            }
        }
    }

    /// Boosts events that contain identifiers of the question.
    fn boost_named(
        &self,
        hits: &LexicalHits<'_>,
        ranked: &mut [RecallCandidate],
        cues: &Cues,
    ) -> Result<NamedIdentifiers> {
        if !self.has_time() {
            return Ok(NamedIdentifiers {
                is_whole: cues.identifiers.is_empty(),
                ..NamedIdentifiers::NONE
            });
        }
        let phrase_proximity = self.engine.recall_weights.fixed.phrase_proximity;
        boost_named(self.read, hits, ranked, &cues.identifiers, phrase_proximity)
    }

    /// Boosts events by use; false if levels were not looked up.
    fn boost_used(&self, ranked: &mut [RecallCandidate]) -> Result<bool> {
        match self.has_time() {
            true => boost_used(self.read, ranked, self.engine.recall_weights.fixed.level),
            false => Ok(true),
        }
    }

    /// Boosts events that mention a day of the question; false if texts were not examined.
    fn boost_planned(&self, ranked: &mut [RecallCandidate], cues: &Cues) -> Result<bool> {
        if !self.has_time() {
            return Ok(cues.time.days().next().is_none());
        }
        let weight = self.engine.recall_weights.date;
        boost_planned(self.read, ranked, &cues.time, weight)
    }

    /// Boosts events that define what is asked for; false if texts were not examined.
    fn boost_defined(
        &self,
        hits: &LexicalHits<'_>,
        ranked: &mut [RecallCandidate],
    ) -> Result<bool> {
        let weights = &self.engine.recall_weights.fixed;
        let weights = DefinitionWeights {
            name: weights.definitions,
            summary: weights.doc_comments,
        };
        match self.has_time() {
            true => boost_defined(self.read, hits, ranked, weights),
            false => Ok(false),
        }
    }

    /// Boosts preferences if advice is asked for; false if texts were not examined.
    fn boost_preferred(&self, ranked: &mut [RecallCandidate], cues: &Cues) -> Result<bool> {
        if !self.has_time() {
            return Ok(!cues.asks_advice);
        }
        let weight = self.engine.recall_weights.fixed.preferences;
        boost_preferred(self.read, ranked, cues, weight)
    }

    /// Demotes copies and what no longer holds, and drops the question itself if the query wants
    /// that; false if not everything was examined.
    fn demote(
        &self,
        hits: &LexicalHits<'_>,
        ranked: &mut Vec<RecallCandidate>,
    ) -> Result<Duplicates> {
        let (read, weights) = (self.read, &self.engine.recall_weights);
        let has_time = self.has_time();
        let reach = self.reach(ranked);
        let (mut is_whole, mut count) = (has_time, 0);
        if has_time {
            if let Some(question) = &self.query.skipped.question {
                is_whole &= drop_question(read, ranked, question)?;
            }
            if weights.fixed.after_question > 0.0 {
                is_whole &= demote_asked_before(read, hits, ranked, &self.query.text)?;
            }
            let duplicates = demote_duplicates(read, ranked, reach, weights.duplicate_demotion)?;
            is_whole &= duplicates.is_whole;
            count = duplicates.count;
        }
        // What is contested or over today was not always.
        if self.query.as_of.is_none() {
            let demotion = weights.contested_demotion;
            demote_past((read, &self.present), ranked, reach, demotion)?;
        }
        Ok(Duplicates { count, is_whole })
    }

    /// The best candidates with their events.
    fn result(
        &self,
        hits: &LexicalHits<'_>,
        ranked: &[RecallCandidate],
        features: &[Features],
        relevance: &[f32],
    ) -> Result<UndatedResult> {
        let mut items = Vec::with_capacity(self.limit.min(ranked.len()));
        let mut parts = Vec::with_capacity(items.capacity());
        let mut kept = Vec::with_capacity(items.capacity());
        for ((candidate, relevance), features) in ranked.iter().zip(relevance).zip(features) {
            let least = self.query.min_relevance;
            if least.is_some_and(|least| *relevance < least) || self.is_known(&candidate.facts) {
                continue;
            }
            match self.read.event_at(candidate.facts.seq) {
                Ok(Some(event)) => {
                    parts.push(match_parts(candidate, hits));
                    let secret = self.read.secret();
                    let shown = candidate.span(secret, &event.content);
                    items.push(hit(secret, event, shown, candidate.rank, *relevance));
                    kept.push(*features);
                }
                Ok(None) => {}
                // A damaged record costs only its own hit.
                Err(error) if error.code() == ErrorCode::Corrupt => self.note(false, Lack::Record),
                Err(error) => return Err(error),
            }
        }
        let confidence = relevance::class_of(items.first().map(|hit| hit.relevance));
        Ok(UndatedResult {
            result: SearchResult {
                items,
                learned: Vec::new(),
                confidence,
                degraded: false,
                // Hits that only their vectors found are not lexical matches.
                total_matches: usize::try_from(hits.total_matches)
                    .unwrap_or(usize::MAX)
                    .max(hits.hits.len()),
            },
            parts,
            features: kept,
            stale_at: None,
            keeps_class: false,
        })
    }

    /// Similarity by the configured embedder's vectors; adds hits that only they find.
    fn similarity_by_vectors(&self, hits: &mut LexicalHits<'_>) -> Result<VectorSimilarity> {
        let question = match self.ask_embedder()? {
            Answer::Vector(question) => question,
            Answer::None => return Ok(VectorSimilarity::None),
            Answer::Failed => return Ok(VectorSimilarity::Failed),
        };
        let Some(retriever) = self.retriever(question)? else {
            return Ok(VectorSimilarity::None);
        };
        // What is known would take the place of what only a vector finds.
        let admits = |facts: &EventFacts| Ok(self.admits(facts)? && !self.is_known(facts));
        let has_time = || self.has_time();
        let mut scope = self.resolved.scope(&admits, &has_time);
        if self.narrowing.is_some() {
            (scope.is_filtered, scope.filters_facts) = (true, true);
        }
        retriever.propose(self.read, hits, &scope)?;
        let values = retriever.similarity(hits)?;
        self.note(!retriever.has_damage(), Lack::DamagedVectors);
        self.note(!retriever.is_cut_short(), Lack::Time);
        Ok(VectorSimilarity::Found {
            similarity: Similarity {
                values,
                weight: self.engine.recall_weights.similarity_by_vectors,
                model: match self.query.text.trim().is_empty() {
                    true => &relevance::BY_VECTOR_ALONE,
                    false => &relevance::WITH_VECTORS,
                },
            },
            is_partial: retriever.is_partial(),
        })
    }

    /// The vectors to compare with a question; `None` if there are none, if there is no time for
    /// them, or if they cannot be read.
    fn retriever<'q>(
        &'q self,
        question: &'q QuestionVector,
    ) -> Result<Option<VectorRetriever<'q>>> {
        let Some(embedding) = &self.engine.embedding else {
            return Ok(None);
        };
        if !self.has_time() {
            self.note(false, Lack::Time);
            return Ok(None);
        }
        match embedding.retriever(self.read, question) {
            // Words need no vectors.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.note(false, Lack::DamagedVectors);
                Ok(None)
            }
            retriever => retriever,
        }
    }
}

/// The outcome of the vector search.
enum VectorSimilarity {
    /// This process has no embedder, or the store no vector of an event.
    None,
    /// The embedder returned no vector for the question.
    Failed,
    Found {
        similarity: Similarity,
        /// Whether some pending vectors were not searched.
        is_partial: bool,
    },
}

/// The similarity of the best candidates' passages to the whole question.
fn similarity_by_words(hits: &LexicalHits<'_>, question: &str, weight: f32) -> Similarity {
    let mut values = Vec::new();
    if weight != 0.0 {
        let best = &hits.hits[..hits.hits.len().min(size::SIMILARITY_TOP)];
        let embeddings: Vec<StaticEmbedding> = best.iter().map(|hit| hit.embedding).collect();
        values = with_analyser(|analyser| semantic::similarity(analyser, question, &embeddings));
    }
    Similarity {
        values,
        weight,
        model: &relevance::BY_WORDS,
    }
}

/// The specified score is built from absolute values: meaning, literal words, age, status.
fn match_parts(candidate: &RecallCandidate, hits: &LexicalHits<'_>) -> MatchParts {
    let attainable = hits.attainable.max(f32::MIN_POSITIVE);
    let covered: f32 = hits
        .matches(candidate.handle)
        .zip(hits.weights())
        .map(|((value, _), weight)| value * weight)
        .sum();
    MatchParts {
        semantic: f64::from((covered / attainable).clamp(0.0, 1.0)),
        lexical: f64::from(candidate.exact.clamp(0.0, 1.0)),
        age_days: 0.0,
        is_active: !candidate.is_past,
    }
}
