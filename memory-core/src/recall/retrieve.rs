//! Search: words of the index, context of the conversation, cues of the
//! question, and how likely the answer is right.
//!
//! The recipe and every weight were chosen on chats and on coding transcripts;
//! `docs/measurements.md` tells what each part gains and how it was measured.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::engine::Engine;
use crate::engine::embedding::Scope;
use crate::engine::recall_cache::{StoreVersion, UndatedResult, search_key};
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{EventFacts, HAS_TEMPORAL, IS_QUESTION, NO_TURN, actor_hash};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::search::{
    Boosts, EventHandle, LexicalHit, LexicalHits, LexicalQuery, LexicalSearcher,
};
use crate::index::lexical::searchable::{ToolText, head, output_start, with_analyser};
use crate::index::lexical::segment::SegmentReader;
use crate::index::lexical::semantic::{self, PassageKey, StaticEmbedding, StaticEmbeddingCache};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::{Event, EventKind, Origin};
use crate::model::number::share;
use crate::model::query::{Hit, MAX_LIMIT, MAX_QUERY_BYTES, Passage, Query, SearchResult};
use crate::model::time::Timestamp;
use crate::model::weights::RecallWeights;
use crate::recall::contested::contested;
use crate::recall::cues::TimeCues;
use crate::recall::learned;
use crate::recall::relevance::{self, RelevanceModel};
use crate::rules::matching::{MatchClass, MatchParts};
use crate::store::ReadTx;
use crate::store::tables::Facet;
use crate::text::summary::summary;
use crate::write::prepare::{kept_option, kept_scope};

/// Sizes of the recipe; how much each part counts is told by [`RecallWeights`].
///
/// Source: measured on the development sets; see `docs/measurements.md`.
mod size {
    /// How many events the lexical retriever gives to the rest of the recipe. With 300
    /// chats give .003 more recall@10, transcripts the same, and a search costs a
    /// quarter more.
    pub(super) const CANDIDATES: usize = 100;
    /// The same where a model's vectors rank them too: what few words match may
    /// be the nearest. With 100 the chats lose .012 recall@10.
    pub(super) const CANDIDATES_FOR_VECTORS: usize = 300;
    /// For how many of the best candidates the embedding of the whole passage is
    /// compared with the question's. With 64 two of 73 questions about transcripts
    /// are lost.
    pub(super) const SIMILARITY_TOP: usize = 100;
    /// Turns longer than this many words need context less.
    pub(super) const LONG_TURN_WORDS: f32 = 25.0;
    /// Near-duplicates among the best ones fall behind the first of them.
    pub(super) const DUPLICATE_TOP: usize = 40;
    pub(super) const DUPLICATE_SHARE: f32 = 0.9;
    pub(super) const DUPLICATE_MIN_WORDS: usize = 7;
    /// Hits whose relevance is worked out from the gap to the hit after them.
    pub(super) const SPREAD_RANK: usize = 9;
}

/// An event on its way through the recipe.
#[derive(Clone, Copy)]
struct RecallCandidate {
    handle: EventHandle,
    facts: EventFacts,
    /// Where its best passage lies, or 0 and 0 when only its neighbours matched.
    start: u32,
    length: u32,
    words: u32,
    /// Score of its best passage, 1 for the best of all.
    own: f32,
    /// The part of the question's weight whose words it holds literally.
    exact: f32,
    /// The part of the question's weight that it and its neighbours cover.
    context: f32,
    date: f32,
    temporal: bool,
    /// Whether what was learned from it is contested, and 1, or less then.
    is_contested: bool,
    status_factor: f32,
    rank: f32,
}

/// [`Memory::search`](crate::Memory::search).
pub(crate) fn search(engine: &Engine, query: Query) -> Result<SearchResult> {
    let found = recall(engine, query)?;
    let sure = found
        .items
        .iter()
        .filter(|hit| hit.relevance >= relevance::NONE)
        .map(|hit| (hit.seq.0, f64::from(hit.relevance)));
    let now = engine.store.clock().now();
    engine.accesses.record_found(sure, now);
    Ok(found)
}

/// A search that leaves no trace.
pub(crate) fn recall(engine: &Engine, mut query: Query) -> Result<SearchResult> {
    // What the filter hides is not looked for, not cached and not embedded; and
    // it hides first, because a section that loses its end hides nothing.
    let asked = engine.filter.text(&query.text).text.into_string();
    query.text = cut(&asked, MAX_QUERY_BYTES).to_owned();
    query.session = kept_option(engine, query.session.as_deref())?;
    query.project = kept_scope(engine, &query.project)?;
    let deadline = query
        .deadline
        .and_then(|time| Instant::now().checked_add(time));
    let limit = check(&query)?;
    if let Some(vector) = &query.vector {
        check_vector(engine, vector.len())?;
    }
    let read = engine.store.read()?;
    let now = engine.store.clock().now();
    let caches = &engine.caches;
    let key = search_key(&query, limit);
    let known = if caches.is_enabled() {
        caches.search(&key, version(engine, &read)?, now)
    } else {
        None
    };
    Ok(match known {
        Some(found) => found.at(now),
        None => {
            let found = find(engine, &read, &query, limit, deadline)?;
            if caches.is_enabled() {
                caches.put_search(key, &found, version(engine, &read)?, now);
            }
            found.at(now)
        }
    })
}

/// The state of the store that a transaction sees.
pub(crate) fn version(engine: &Engine, read: &ReadTx) -> Result<StoreVersion> {
    let (generation, state) = read.version()?;
    Ok(StoreVersion {
        generation,
        state,
        damaged: engine.lexical.damaged_count(),
    })
}

fn find(
    engine: &Engine,
    read: &ReadTx,
    query: &Query,
    limit: usize,
    deadline: Option<Instant>,
) -> Result<UndatedResult> {
    let Some(resolved) = Resolved::new(read, query, &engine.project)? else {
        return Ok(UndatedResult::default());
    };
    let snapshot = engine.lexical.snapshot(read)?;
    let search = |segments: &[Arc<SegmentReader>]| {
        find_in(
            engine,
            read,
            query,
            &resolved,
            limit,
            deadline,
            segments,
            &snapshot.memtable,
        )
    };
    let mut found = match search(&snapshot.segments) {
        Err(error) if error.code() == ErrorCode::Corrupt => {
            // One segment after the other, to learn which one is damaged:
            // the others and the memtable still answer.
            let mut intact = Vec::with_capacity(snapshot.segments.len());
            let mut found = search(&intact)?;
            for segment in &snapshot.segments {
                intact.push(segment.clone());
                match search(&intact) {
                    Ok(more) => found = more,
                    Err(error) if error.code() == ErrorCode::Corrupt => {
                        intact.pop();
                        engine.lexical.note_damaged(segment.id());
                    }
                    Err(error) => return Err(error),
                }
            }
            found.result.degraded = true;
            found
        }
        other => other?,
    };
    found.result.degraded |= snapshot.is_damaged;
    Ok(found)
}

/// The search in some segments and the memtable.
#[allow(clippy::too_many_arguments)]
fn find_in(
    engine: &Engine,
    read: &ReadTx,
    query: &Query,
    resolved: &Resolved,
    limit: usize,
    deadline: Option<Instant>,
    segments: &[Arc<SegmentReader>],
    memtable: &Memtable,
) -> Result<UndatedResult> {
    let tombstones = read.tombstones()?;
    let is_deleted = |seq: u64| tombstones.contains(seq) || query.skip.contains(&seq);
    let searcher = LexicalSearcher::new(
        segments.iter().map(|segment| &**segment),
        memtable,
        engine.lexical.blocks(read),
    );
    let text = query.text.as_str();
    let candidates = match engine.embedding {
        Some(_) => size::CANDIDATES_FOR_VECTORS,
        None => size::CANDIDATES,
    };
    let recipe = &engine.recall_weights;
    let mut hits = with_analyser(|analyser| {
        searcher.search(
            analyser,
            &LexicalQuery {
                text,
                limit: candidates.max(limit),
                filter: resolved.filter(&is_deleted),
                deadline,
                boosts: Boosts {
                    query_expansion: recipe.query_expansion,
                    phrase_proximity: recipe.phrase_proximity,
                },
            },
        )
    })?;
    let cues = Cues::new(read, text)?;
    let mut degraded = hits.degraded;
    let similarity =
        match similarity_by_vectors(engine, read, &mut hits, query, resolved, deadline)? {
            VectorSimilarity::Found {
                similarity,
                is_partial,
            } => {
                degraded |= is_partial;
                similarity
            }
            other => {
                degraded |= matches!(other, VectorSimilarity::Failed);
                let known = &engine.lexical.static_embeddings;
                let (similarity, is_whole) =
                    similarity_by_words(read, known, &hits, text, recipe.similarity_by_words)?;
                degraded |= !is_whole;
                similarity
            }
        };
    let mut ranked = rank(&hits, &similarity, &cues, resolved, &is_deleted, recipe)?;
    if deadline.is_none_or(|deadline| Instant::now() < deadline) {
        degraded |= !demote_duplicates(read, &mut ranked, limit, recipe.duplicate_demotion)?;
    } else {
        degraded = true;
    }
    if demote_contested(read, &mut ranked, limit, recipe.contested_demotion)? {
        sort(&mut ranked);
    }
    let total_hits = hits.hits.len();
    let relevance = relevance_of(similarity.model, &hits, &cues, &ranked, limit);
    let mut items = Vec::with_capacity(limit.min(ranked.len()));
    let mut parts = Vec::with_capacity(items.capacity());
    for (candidate, relevance) in ranked.iter().take(limit).zip(&relevance) {
        if query.min_relevance.is_some_and(|least| *relevance < least) {
            continue;
        }
        match read.event_at(candidate.facts.seq) {
            Ok(Some(event)) => {
                parts.push(match_parts(candidate, &hits));
                items.push(hit(event, candidate, *relevance));
            }
            Ok(None) => {}
            // A damaged record costs its own hit, not the others.
            Err(error) if error.code() == ErrorCode::Corrupt => degraded = true,
            Err(error) => return Err(error),
        }
    }
    let learned = match learned::find(engine, read, query, limit, &hits.terms) {
        // Events are found without what was learned from them.
        Err(error) if error.code() == ErrorCode::Corrupt => {
            degraded = true;
            Vec::new()
        }
        learned => learned?,
    };
    let confidence = match relevance.first() {
        Some(first) if *first >= relevance::HIGH => MatchClass::High,
        Some(first) if *first >= relevance::NONE => MatchClass::Suggested,
        _ => MatchClass::None,
    };
    Ok(UndatedResult {
        result: SearchResult {
            items,
            learned,
            confidence,
            degraded,
            // Hits that only their vectors found are no lexical matches.
            total_matches: usize::try_from(hits.total_matches)
                .unwrap_or(usize::MAX)
                .max(total_hits),
        },
        parts,
    })
}

/// A vector of the caller is one of the memory's embedder.
fn check_vector(engine: &Engine, length: usize) -> Result<()> {
    let Some(embedding) = &engine.embedding else {
        return Err(Error::new(
            ErrorCode::Unsupported,
            "vector: this memory was opened without an embedder, so there are no vectors to \
             compare it with",
        )
        .with_argument("vector"));
    };
    match embedding.dimensions() {
        dimensions if dimensions == length => Ok(()),
        dimensions => Err(Error::invalid(
            "vector",
            format_args!("has {length} numbers, those of the embedder have {dimensions}"),
        )),
    }
}

/// What the vectors of the configured embedder say; hits that only they find
/// are added.
fn similarity_by_vectors(
    engine: &Engine,
    read: &ReadTx,
    hits: &mut LexicalHits<'_>,
    query: &Query,
    resolved: &Resolved,
    deadline: Option<Instant>,
) -> Result<VectorSimilarity> {
    let weight = engine.recall_weights.similarity_by_vectors;
    let Some(embedding) = engine.embedding.as_ref().filter(|_| weight > 0.0) else {
        return Ok(VectorSimilarity::None);
    };
    let retriever = match embedding.retriever(read, &query.text, query.vector.as_deref(), deadline)
    {
        Ok(Some(retriever)) => retriever,
        Ok(None) => return Ok(VectorSimilarity::None),
        // The embedder's trouble, whatever it is, is not the recall's.
        Err(error) if error.code() != ErrorCode::Corrupt => return Ok(VectorSimilarity::Failed),
        Err(error) => return Err(error),
    };
    retriever.propose(read, hits, &resolved.scope(&|facts| resolved.admits(facts)))?;
    Ok(VectorSimilarity::Found {
        similarity: Similarity {
            values: retriever.similarity(hits)?,
            weight,
            model: &relevance::WITH_VECTORS,
        },
        is_partial: retriever.is_partial(),
    })
}

/// What became of the vector retriever.
enum VectorSimilarity {
    /// There is no embedder in this process, or no vector of it.
    None,
    /// It has no vector for the question now.
    Failed,
    Found {
        similarity: Similarity,
        /// Whether vectors wait that were not searched.
        is_partial: bool,
    },
}

/// How similar the hits are to the question as a whole, in their order.
struct Similarity {
    values: Vec<f32>,
    /// What the most similar one gains.
    weight: f32,
    /// The relevance of scores that come about so.
    model: &'static RelevanceModel,
}

fn check(query: &Query) -> Result<usize> {
    if query.text.trim().is_empty() && query.vector.is_none() {
        return Err(Error::invalid("query", "must not be empty or blank"));
    }
    if let Some(vector) = &query.vector
        && !(vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0))
    {
        return Err(Error::invalid(
            "vector",
            "must hold finite numbers that are not all zero",
        ));
    }
    let limit = query.limit.unwrap_or(10);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Error::invalid(
            "limit",
            format_args!("{limit} is outside 1 to {MAX_LIMIT}"),
        ));
    }
    if let Some(kind) = query.kinds.iter().find(|kind| !kind.is_conversation()) {
        return Err(Error::invalid(
            "kinds",
            format_args!(
                "search finds prompts, responses, summaries and tool observations, not {kind}"
            ),
        ));
    }
    if let Some(least) = query.min_relevance {
        share("min_relevance", least.into())?;
    }
    Ok(limit)
}

/// The first moment that is too late, in milliseconds.
fn before(query: &Query) -> Option<i64> {
    let until = query.until.map(Timestamp::millis);
    let known = query.as_of.map(|at| at.millis().saturating_add(1));
    until.into_iter().chain(known).min()
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The query's names as the numbers that the index knows.
struct Resolved {
    sessions: Option<[u32; 1]>,
    projects: Option<[u32; 1]>,
    kinds: Option<u64>,
    from: Option<i64>,
    before: Option<i64>,
    /// A bit per origin that is left out.
    without_origins: u32,
}

impl Resolved {
    /// `None` when a name is not known at all, so that nothing can be found.
    fn new(read: &ReadTx, query: &Query, own_project: &str) -> Result<Option<Self>> {
        let mut resolved = Resolved {
            sessions: None,
            projects: None,
            kinds: None,
            from: query.from.map(Timestamp::millis),
            before: before(query),
            without_origins: if query.include_recalled {
                0
            } else {
                1 << Origin::Recalled as u8
            },
        };
        if let Some(session) = &query.session {
            let Some(number) = read.number(Facet::Session, session)? else {
                return Ok(None);
            };
            resolved.sessions = Some([number]);
        }
        if let Some(project) = query.project.resolve(own_project) {
            let Some(number) = read.number(Facet::Project, &project)? else {
                return Ok(None);
            };
            resolved.projects = Some([number]);
        }
        if !query.kinds.is_empty() {
            let bits = query
                .kinds
                .iter()
                .fold(0, |bits, kind| bits | 1u64 << kind.number());
            resolved.kinds = Some(bits);
        }
        Ok(Some(resolved))
    }

    fn filter<'a>(&'a self, is_deleted: &'a (dyn Fn(u64) -> bool + Sync)) -> Filter<'a> {
        Filter {
            sessions: self.sessions.as_ref().map(<[u32; 1]>::as_slice),
            projects: self.projects.as_ref().map(<[u32; 1]>::as_slice),
            kinds: self.kinds,
            from: self.from,
            before: self.before,
            without_origins: self.without_origins,
            is_deleted: Some(is_deleted),
            ..Filter::default()
        }
    }

    /// The same for the vector retriever.
    fn scope<'a>(&self, admits: &'a dyn Fn(&EventFacts) -> bool) -> Scope<'a> {
        let (session, project) = (
            self.sessions.map(|sessions| sessions[0]),
            self.projects.map(|projects| projects[0]),
        );
        let filters_more = self.kinds.is_some() || self.from.is_some() || self.before.is_some();
        Scope {
            session,
            project,
            is_filtered: filters_more || session.is_some() || project.is_some(),
            filters_facts: filters_more || (session.is_some() && project.is_some()),
            admits,
        }
    }

    /// Whether an event that was found through its neighbours fits the query.
    fn admits(&self, facts: &EventFacts) -> bool {
        self.sessions
            .is_none_or(|sessions| sessions[0] == facts.session)
            && self
                .projects
                .is_none_or(|projects| projects[0] == facts.project)
            && self
                .kinds
                .is_none_or(|kinds| kinds >> facts.kind.min(63) & 1 == 1)
            && self.from.is_none_or(|from| facts.timestamp >= from)
            && self.before.is_none_or(|before| facts.timestamp < before)
            && self.without_origins >> facts.origin.min(31) & 1 == 0
    }
}

/// What the question hints at.
struct Cues {
    time: TimeCues,
    /// The one speaker that the question names.
    named: Option<u32>,
}

impl Cues {
    fn new(read: &ReadTx, text: &str) -> Result<Self> {
        Ok(Cues {
            time: TimeCues::of(text),
            named: named_actor(read, text)?,
        })
    }
}

/// The speaker whose name stands in the text, when it is exactly one.
fn named_actor(read: &ReadTx, text: &str) -> Result<Option<u32>> {
    const LONGEST_NAME_WORDS: usize = 3;
    const MOST_WORDS: usize = 64;
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .map(|word| word.trim_end_matches("'s"))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect();
    let mut named: Option<String> = None;
    for length in 1..=LONGEST_NAME_WORDS {
        for name in words.windows(length) {
            let name = name.join(" ");
            if read.number(Facet::Actor, &name)?.is_none() {
                continue;
            }
            match &named {
                Some(other) if *other != name => return Ok(None),
                _ => named = Some(name),
            }
        }
    }
    Ok(named.map(|name| actor_hash(&name)))
}

/// How similar the passages of the best candidates are to the question as a whole, and
/// whether all of them could be read.
fn similarity_by_words(
    read: &ReadTx,
    known: &StaticEmbeddingCache,
    hits: &LexicalHits<'_>,
    question: &str,
    weight: f32,
) -> Result<(Similarity, bool)> {
    if weight == 0.0 {
        let similarity = Similarity {
            values: Vec::new(),
            weight,
            model: &relevance::BY_WORDS,
        };
        return Ok((similarity, true));
    }
    let best = &hits.hits[..hits.hits.len().min(size::SIMILARITY_TOP)];
    let generation = read.generation();
    let key = |hit: &LexicalHit| -> PassageKey { (generation, hit.facts.seq, hit.start) };
    let remembered = known.get(best.iter().map(key));
    let mut static_embeddings = Vec::with_capacity(best.len());
    let (mut made, mut is_whole) = (Vec::new(), true);
    for (hit, remembered) in best.iter().zip(remembered) {
        static_embeddings.push(match remembered {
            Some(embedding) => embedding,
            None => match static_embedding_of(read, hit) {
                // The hit itself is left out if it comes to be read.
                Err(error) if error.code() == ErrorCode::Corrupt => {
                    is_whole = false;
                    StaticEmbedding::NONE
                }
                embedding => {
                    let embedding = embedding?;
                    made.push((key(hit), embedding));
                    embedding
                }
            },
        });
    }
    known.put(made.into_iter());
    let asked = with_analyser(|analyser| StaticEmbedding::of(analyser, "", question));
    let similarity = Similarity {
        values: semantic::similarity(&asked, &static_embeddings),
        weight,
        model: &relevance::BY_WORDS,
    };
    Ok((similarity, is_whole))
}

/// The embedding of a hit's passage, from its text.
fn static_embedding_of(read: &ReadTx, hit: &LexicalHit) -> Result<StaticEmbedding> {
    let embedding = read.with_record(hit.facts.seq, |view| {
        let record = view.archive()?;
        let content = record.content.as_str();
        let start = content.floor_char_boundary(hit.start as usize);
        let end = content
            .floor_char_boundary((hit.start as usize).saturating_add(hit.length as usize))
            .max(start);
        let head = match record.tool.as_ref() {
            Some(tool) if start >= output_start(content, tool.output.as_str()) => head(&ToolText {
                name: tool.name.as_str(),
                input: tool.input.as_ref().map(|json| json.as_str()),
                output: "",
            }),
            _ => String::new(),
        };
        let text = &content[start..end];
        Ok(with_analyser(|analyser| {
            StaticEmbedding::of(analyser, &head, text)
        }))
    })?;
    Ok(embedding.unwrap_or(StaticEmbedding::NONE))
}

/// Scores of events: their own, their neighbours', and the cues.
fn rank(
    hits: &LexicalHits<'_>,
    similarity: &Similarity,
    cues: &Cues,
    resolved: &Resolved,
    is_deleted: &dyn Fn(u64) -> bool,
    recipe: &RecallWeights,
) -> Result<Vec<RecallCandidate>> {
    let plain_top = hits
        .hits
        .iter()
        .map(|hit| hit.score + hit.phrase_proximity)
        .fold(0f32, f32::max);
    if hits.hits.is_empty() {
        return Ok(Vec::new());
    }
    // Without any matching word the vectors alone decide.
    let plain_top = if plain_top > 0.0 { plain_top } else { 1.0 };
    let nearest = similarity
        .values
        .iter()
        .copied()
        .fold(f32::MIN_POSITIVE, f32::max);
    let passage_score = |index: usize| {
        let share = similarity
            .values
            .get(index)
            .map_or(0.0, |value| value / nearest);
        hits.hits[index].score
            + hits.hits[index].phrase_proximity
            + plain_top * similarity.weight * share
    };
    let top = (0..hits.hits.len())
        .map(passage_score)
        .fold(plain_top, f32::max);
    let weights: Vec<f32> = hits.weights().collect();
    let total: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let table = NeighbourTurns {
        hits,
        weights: &weights,
        shares: recipe.word_shares(),
    };

    let mut candidates: Vec<RecallCandidate> = Vec::with_capacity(hits.hits.len() * 2);
    let mut own_scores: HashMap<EventHandle, f32, foldhash::fast::FixedState> =
        HashMap::with_capacity_and_hasher(hits.hits.len() * 4, Default::default());
    for (index, hit) in hits.hits.iter().enumerate() {
        let passage_score = passage_score(index) / top;
        let union = table.covered(hit.handle) / top;
        let own = passage_score + recipe.passage_union * (union - passage_score).max(0.0);
        own_scores.insert(hit.handle, own);
        candidates.push(RecallCandidate {
            handle: hit.handle,
            facts: hit.facts,
            start: hit.start,
            length: hit.length,
            words: hits.words(hit.handle)?,
            own,
            exact: hit.exact / total,
            context: hit.score / total,
            date: 0.0,
            temporal: false,
            is_contested: false,
            status_factor: 1.0,
            rank: 0.0,
        });
    }
    // Turns that hold nothing themselves may stand between two that do.
    for index in 0..hits.hits.len() {
        if hits.hits[index].facts.turn == NO_TURN || !recipe.has_context() {
            continue;
        }
        for steps in [-1, 1, -2, 2] {
            let Some(handle) = hits.turn(hits.hits[index].handle, steps)? else {
                continue;
            };
            if own_scores.contains_key(&handle) {
                continue;
            }
            let facts = hits.facts(handle)?;
            let own = hits.score(handle) / top;
            own_scores.insert(handle, own);
            if !resolved.admits(&facts) || is_deleted(facts.seq) {
                continue;
            }
            candidates.push(RecallCandidate {
                handle,
                facts,
                start: 0,
                length: 0,
                words: 0,
                own,
                exact: 0.0,
                context: own * top / total,
                date: 0.0,
                temporal: false,
                is_contested: false,
                status_factor: 1.0,
                rank: 0.0,
            });
        }
    }
    let best_own = candidates
        .iter()
        .filter(|candidate| candidate.facts.turn != NO_TURN)
        .map(|candidate| table.covered(candidate.handle))
        .fold(f32::MIN_POSITIVE, f32::max);

    let conversation = EventKind::ToolObservation.number();
    for candidate in &mut candidates {
        candidate.rank = candidate.own;
        if candidate.facts.turn != NO_TURN {
            let around = table.around(candidate.handle)?;
            let mut pooled = 0.0;
            for (neighbour, share) in around.iter().zip(recipe.score_shares()) {
                if let Some(neighbour) = neighbour {
                    pooled += recipe.context_scores
                        * share
                        * own_scores
                            .get(neighbour)
                            .copied()
                            .unwrap_or_else(|| hits.score(*neighbour) / top);
                }
            }
            if let Some(previous) = around[0]
                && hits.facts(previous)?.flags & IS_QUESTION != 0
            {
                pooled += recipe.after_question
                    * own_scores
                        .get(&previous)
                        .copied()
                        .unwrap_or_else(|| hits.score(previous) / top);
            }
            let own = table.covered(candidate.handle);
            let context = table.context(candidate.handle, &around);
            if recipe.context_words > 0.0 {
                pooled += recipe.context_words * (context - own) / best_own;
            }
            let long = (candidate.words as f32 / size::LONG_TURN_WORDS - 1.0).max(0.0);
            candidate.rank += pooled / (1.0 + recipe.long_turn_damping * long);
            candidate.context = candidate.context.max(context / total);
            if candidate.facts.flags & IS_QUESTION != 0 {
                candidate.rank -= recipe.question_penalty;
            }
        }
        if candidate.facts.kind != conversation && cues.named == Some(candidate.facts.actor) {
            candidate.rank += recipe.named_actor;
        }
        if cues.time.names_a_date() {
            let at = Timestamp::from_millis_clamped(candidate.facts.timestamp);
            candidate.date = cues.time.date_score(at);
            candidate.rank += recipe.date * candidate.date;
        }
        if cues.time.asks_when && candidate.facts.flags & HAS_TEMPORAL != 0 {
            candidate.temporal = true;
            candidate.rank += recipe.temporal;
        }
    }
    sort(&mut candidates);
    Ok(candidates)
}

fn sort(candidates: &mut [RecallCandidate]) {
    candidates.sort_by(|a, b| {
        b.rank
            .total_cmp(&a.rank)
            .then(a.facts.seq.cmp(&b.facts.seq))
    });
}

/// The neighbours of turns and what they match.
struct NeighbourTurns<'a, 'h> {
    hits: &'a LexicalHits<'h>,
    weights: &'a [f32],
    /// How far a word of each neighbour counts.
    shares: [f32; 4],
}

impl NeighbourTurns<'_, '_> {
    /// The question's weight that an event's passages cover together.
    fn covered(&self, handle: EventHandle) -> f32 {
        self.hits
            .matches(handle)
            .zip(self.weights)
            .map(|((value, _), weight)| value * weight)
            .sum()
    }

    /// The previous, next, second previous and second next turn.
    fn around(&self, handle: EventHandle) -> Result<[Option<EventHandle>; 4]> {
        let hits = self.hits;
        let (previous, next) = (hits.turn(handle, -1)?, hits.turn(handle, 1)?);
        let step = |from: Option<EventHandle>, steps| match from {
            Some(from) => hits.turn(from, steps),
            None => Ok(None),
        };
        Ok([previous, next, step(previous, -1)?, step(next, 1)?])
    }

    /// The question's weight that a turn and its neighbours cover together,
    /// neighbours in part.
    fn context(&self, handle: EventHandle, around: &[Option<EventHandle>; 4]) -> f32 {
        let mut best: Vec<f32> = self.hits.matches(handle).map(|(value, _)| value).collect();
        for (neighbour, share) in around.iter().zip(self.shares) {
            let Some(neighbour) = neighbour else { continue };
            for (best, (value, _)) in best.iter_mut().zip(self.hits.matches(*neighbour)) {
                *best = best.max(share * value);
            }
        }
        best.iter()
            .zip(self.weights)
            .map(|(value, weight)| value * weight)
            .sum()
    }
}

/// Of several passages that say the same, the first is enough: the others fall
/// back, so that ten hits are not ten copies of one tool output.
///
/// Only as many are looked at as decide the first `limit` and those whose ranks
/// the relevance is made of: what comes later cannot rise. False when one of them
/// cannot be read.
fn demote_duplicates(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    limit: usize,
    demotion: f32,
) -> Result<bool> {
    if demotion == 0.0 {
        return Ok(true);
    }
    let wanted = limit.max(size::SPREAD_RANK + 1) + 1;
    let mut kept: Vec<Vec<u32>> = Vec::new();
    let (mut settled, mut changed, mut is_complete) = (0, false, true);
    for candidate in candidates.iter_mut().take(size::DUPLICATE_TOP) {
        if settled == wanted {
            break;
        }
        settled += 1;
        let words = read.with_record(candidate.facts.seq, |view| {
            let content = view.archive()?.content.as_str();
            Ok(word_set(span(content, candidate)))
        });
        let words = match words {
            // The hit itself is left out if it comes to be read.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                is_complete = false;
                continue;
            }
            words => words?.unwrap_or_default(),
        };
        if words.len() <= size::DUPLICATE_MIN_WORDS {
            continue;
        }
        let is_copy = kept.iter().any(|other| {
            let least = words.len().min(other.len());
            shared(&words, other) as f32 >= size::DUPLICATE_SHARE * least as f32
        });
        if is_copy {
            candidate.rank *= 1.0 - demotion;
            settled -= 1;
            changed = true;
        } else {
            kept.push(words);
        }
    }
    if changed {
        sort(candidates);
    }
    Ok(is_complete)
}

/// What was learned from an event may be contested: such events fall back.
/// Returns whether any did.
fn demote_contested(
    read: &ReadTx,
    candidates: &mut [RecallCandidate],
    limit: usize,
    demotion: f32,
) -> Result<bool> {
    let count = limit.saturating_mul(2).min(candidates.len());
    let top = &mut candidates[..count];
    let Some(contested) = contested(read, top.iter().map(|candidate| candidate.facts.seq))? else {
        return Ok(false);
    };
    for (candidate, is_contested) in top.iter_mut().zip(contested) {
        if is_contested {
            candidate.is_contested = true;
            candidate.status_factor = 1.0 - demotion;
            candidate.rank *= candidate.status_factor;
        }
    }
    Ok(true)
}

/// The hashes of the distinct words of a text, in ascending order.
fn word_set(text: &str) -> Vec<u32> {
    let mut words: Vec<u32> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(actor_hash)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// How many words two ascending lists have in common.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b, mut count) = (a, b, 0);
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a = rest_a,
            std::cmp::Ordering::Greater => b = rest_b,
            std::cmp::Ordering::Equal => (a, b, count) = (rest_a, rest_b, count + 1),
        }
    }
    count
}

/// The candidate's passage in its event's content.
fn span<'c>(content: &'c str, candidate: &RecallCandidate) -> &'c str {
    let (start, end) = span_bounds(content, candidate);
    &content[start..end]
}

fn span_bounds(content: &str, candidate: &RecallCandidate) -> (usize, usize) {
    let start = content.floor_char_boundary(candidate.start as usize);
    let end = content
        .floor_char_boundary((candidate.start as usize).saturating_add(candidate.length as usize));
    if candidate.length == 0 {
        (0, first_passage_end(content))
    } else {
        (start, end.max(start))
    }
}

/// An event that was found through its neighbours is quoted from its beginning.
fn first_passage_end(content: &str) -> usize {
    crate::index::lexical::passages::passages(content)
        .first()
        .map_or(content.len(), |span| span.end)
}

fn relevance_of(
    model: &RelevanceModel,
    hits: &LexicalHits<'_>,
    cues: &Cues,
    ranked: &[RecallCandidate],
    limit: usize,
) -> Vec<f32> {
    let Some(best) = ranked.first().map(|candidate| candidate.rank) else {
        return Vec::new();
    };
    let scale = best.max(1e-9);
    let weights: Vec<f32> = hits.weights().collect();
    let count = weights.len().max(1) as f32;
    let total: f32 = weights.iter().sum();
    let rarest = crate::index::lexical::expansion::idf(hits.passages, 0).max(f32::MIN_POSITIVE);
    let log_idf = (total / count / rarest).max(1e-6).ln();
    let tenth = ranked
        .get(size::SPREAD_RANK)
        .or(ranked.last())
        .map_or(best, |c| c.rank);
    ranked
        .iter()
        .take(limit)
        .enumerate()
        .map(|(index, candidate)| {
            let next = ranked.get(index + 1).map_or(0.0, |next| next.rank);
            let flag = |is: bool| if is { 1.0 } else { 0.0 };
            let sum = model.constant
                + model.exact * candidate.exact
                + model.context * candidate.context.min(1.0)
                + model.gap * ((candidate.rank - next) / scale).max(0.0)
                + model.drop * ((best - candidate.rank) / scale)
                + model.date * candidate.date
                + model.temporal * flag(candidate.temporal)
                + model.first * flag(index == 0)
                + model.log_idf * log_idf
                + model.log_words * count.ln()
                + model.named * flag(cues.named.is_some())
                + model.spread * ((best - tenth) / scale);
            candidate.status_factor / (1.0 + (-sum).exp())
        })
        .collect()
}

/// The specified score is made of real values: meaning, literal words, age,
/// status.
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
        is_active: !candidate.is_contested,
    }
}

fn hit(event: Event, candidate: &RecallCandidate, relevance: f32) -> Hit {
    let (start, end) = span_bounds(&event.content, candidate);
    let passage = Passage {
        text: event.content[start..end].to_owned(),
        start,
        end,
    };
    Hit {
        id: event.id,
        seq: event.seq,
        citation: event.citation,
        kind: event.kind,
        session: event.session,
        project: event.project,
        actor: event.actor,
        origin: event.origin,
        timestamp: event.timestamp,
        summary: summary(&event.content),
        passage,
        rank_score: candidate.rank,
        match_score: 0.0,
        relevance,
    }
}
