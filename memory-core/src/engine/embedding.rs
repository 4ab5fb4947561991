//! The vector retriever: scores events by the embedder's vectors, and finds events that
//! match by vector alone.
//!
//! If the embedder fails or time runs out, recall continues without it.

use std::cell::Cell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::embed::GuardedEmbedder;
use crate::engine::hnsw_graphs::GraphLimits;
use crate::engine::learned_vectors::mark_all;
pub(crate) use crate::engine::question_vector::QuestionVector;
use crate::engine::vectors::{VectorIndex, VectorSnapshot};
use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::search::{LexicalHit, LexicalHits};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::index::vector::kernels::Kernels;
use crate::index::vector::windows::OUTPUT;
use crate::index::vector::{Neighbour, VectorFilter, VectorQuery};
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::store::index_tables::vectors::Vectors;
use crate::store::projected_rows::projected::{RowKind, Rows as _};
use crate::store::{ReadTx, Store};

/// How many windows the retriever proposes on its own.
const PROPOSED: usize = 100;
/// How many are fetched if there is a filter, before those that match it are picked.
const PROPOSED_WITH_FILTER: usize = 400;
/// How many are fetched at most while those of skipped and recalled events are left out.
const MAX_PROPOSED: usize = 6_400;
/// How many events are looked at before the deadline is checked again.
const EVENTS_BETWEEN_CHECKS: usize = 256;
/// Models read only a few hundred tokens; embedding more of a question is wasted time.
const QUESTION_BYTES: usize = 4_096;

/// The embedder of a memory and what it searches.
pub(crate) struct Embedding {
    pub(crate) guard: GuardedEmbedder,
    /// The name under which its vectors are kept.
    pub(crate) version: String,
    /// How long a recall without a deadline waits for the question's vector.
    pub(crate) patience: Duration,
    pub(crate) index: VectorIndex,
}

/// An embedded question, and the vectors of events to compare it with.
pub(crate) struct VectorRetriever<'a> {
    index: &'a VectorIndex,
    snapshot: VectorSnapshot,
    query: &'a VectorQuery,
    vectors: Vectors,
    /// As [`QuestionVector::usual`].
    usual: f32,
    /// Whether a vector could not be read.
    has_damage: Cell<bool>,
    /// Whether the deadline passed before all events were looked at.
    is_cut_short: Cell<bool>,
}

impl Embedding {
    /// Makes the embedder's version the active one of the store. The embedder
    /// itself is only asked for its name.
    pub(crate) fn activate(
        store: &Store,
        guard: GuardedEmbedder,
        patience: Duration,
        graphs: GraphLimits,
    ) -> Result<Self> {
        let embedding = Embedding {
            version: guard.version()?,
            index: VectorIndex::new(store.folder().index(), graphs),
            guard,
            patience,
        };
        match embedding.ensure_active(store) {
            // What reads the damaged rows reports it. Only an open store can be rebuilt.
            Err(error) if error.code() == ErrorCode::Corrupt => {}
            activated => activated?,
        }
        Ok(embedding)
    }

    /// Makes the version the active one; writes only when it is not.
    pub(crate) fn ensure_active(&self, store: &Store) -> Result<()> {
        let read = store.read()?;
        let known = read.embedding(&self.version)?.map(|(number, _)| number);
        if known.is_none() || known != read.active_embedding()? {
            let dimensions =
                u32::try_from(self.guard.dimensions()).expect("the guard bounds the dimensions");
            drop(read);
            store.write(|tx| {
                tx.activate_embedding(&self.version, dimensions)?;
                mark_all(tx)
            })?;
        }
        Ok(())
    }

    /// Asks the embedder for the vector of a question.
    fn ask(&self, question: &str, deadline: Option<Instant>) -> Result<VectorQuery> {
        let limit = deadline.map_or(self.patience, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        if limit.is_zero() {
            return Err(Error::new(
                ErrorCode::Embedder,
                "the time limit was reached before the call",
            ));
        }
        let text = &question[..question.floor_char_boundary(QUESTION_BYTES)];
        let answer = self.guard.embed_within(&[text], limit)?;
        VectorQuery::new(answer.first().map_or(&[], Vec::as_slice))
    }

    /// Dimensions per vector.
    pub(crate) fn dimensions(&self) -> usize {
        self.guard.dimensions()
    }

    /// The vector of a question, or one that the caller already has; `None` if there is
    /// nothing to compare it with.
    ///
    /// # Errors
    /// `embedder` or `callback` if the question has no vector in time.
    pub(crate) fn question(
        &self,
        read: &ReadTx,
        question: &str,
        given: Option<&[f32]>,
        deadline: Option<Instant>,
    ) -> Result<Option<QuestionVector>> {
        let Some((version, row)) = read.embedding(&self.version)? else {
            return Ok(None);
        };
        if row.vectors == 0 && read.projected()?.facts(RowKind::LearnedVector)?.rows == 0 {
            return Ok(None);
        }
        let query = match given {
            Some(vector) => VectorQuery::new(vector)?,
            None => self.ask(question, deadline)?,
        };
        if query.is_zero() || query.dimensions() != row.dimensions as usize {
            return Ok(None);
        }
        Ok(Some(QuestionVector {
            version,
            row,
            query,
        }))
    }

    /// The retriever for a question; `None` while no event has a vector.
    pub(crate) fn retriever<'a>(
        &'a self,
        read: &ReadTx,
        question: &'a QuestionVector,
    ) -> Result<Option<VectorRetriever<'a>>> {
        let (version, row) = (question.version, &question.row);
        if row.vectors == 0 {
            return Ok(None);
        }
        Ok(Some(VectorRetriever {
            index: &self.index,
            snapshot: self.index.snapshot(read, version, row)?,
            vectors: read.vectors(version, row)?,
            query: &question.query,
            usual: question.usual(read)?,
            has_damage: Cell::default(),
            is_cut_short: Cell::default(),
        }))
    }
}

impl VectorRetriever<'_> {
    /// Whether some vectors are not searchable yet because upkeep is behind.
    pub(crate) fn is_partial(&self) -> bool {
        self.snapshot.is_partial()
    }

    /// Whether some vectors could not be read.
    pub(crate) fn has_damage(&self) -> bool {
        self.has_damage.get()
    }

    /// Whether the deadline kept some events from being found.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.is_cut_short.get()
    }

    /// A damaged vector counts as one that does not exist yet.
    fn unless_damaged<T>(&self, found: Result<Option<T>>) -> Result<Option<T>> {
        match found {
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.has_damage.set(true);
                Ok(None)
            }
            found => found,
        }
    }

    /// Adds the events that only their vectors find to the hits.
    pub(crate) fn propose(
        &self,
        read: &ReadTx,
        hits: &mut LexicalHits<'_>,
        scope: &Scope<'_>,
    ) -> Result<()> {
        let mut known: HashSet<u64> = hits.hits.iter().map(|hit| hit.facts.seq).collect();
        for neighbour in self.nearest(read, hits, scope)? {
            if neighbour.cosine <= self.usual || !known.insert(neighbour.id.seq) {
                continue;
            }
            let Some(handle) = hits.find(neighbour.id.seq)? else {
                continue;
            };
            let facts = hits.facts(handle)?;
            if !(scope.admits)(&facts)? {
                continue;
            }
            let place = self
                .vectors
                .with(neighbour.id, |vector| (vector.start, vector.length));
            let Some((start, length)) = self.unless_damaged(place)? else {
                continue;
            };
            hits.hits.push(LexicalHit {
                handle,
                facts,
                start,
                length,
                score: 0.0,
                exact: 0.0,
                phrase_proximity: 0.0,
                // The vectors say more.
                embedding: StaticEmbedding::NONE,
            });
        }
        Ok(())
    }

    /// The nearest windows of events that fit the query.
    fn nearest(
        &self,
        read: &ReadTx,
        hits: &LexicalHits<'_>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Neighbour>> {
        if !scope.is_filtered {
            return self.nearest_admitted(VectorFilter::All, hits, scope);
        }
        if let Some(seqs) = scope.seqs {
            return self.nearest_admitted(VectorFilter::Seqs(seqs), hits, scope);
        }
        // Most filters keep most of a store; only if they do not are the matching events
        // listed and scanned.
        let found = self.search(PROPOSED_WITH_FILTER, VectorFilter::All)?;
        let had = found.len();
        let mut admitted = admitted(found, hits, scope)?;
        if admitted.len() >= PROPOSED || had < PROPOSED_WITH_FILTER {
            admitted.truncate(PROPOSED);
            return Ok(admitted);
        }
        let mut seqs = read.seqs_of(scope.session, scope.project)?;
        if scope.filters_facts {
            let mut kept = Vec::with_capacity(seqs.len());
            for (number, seq) in seqs.into_iter().enumerate() {
                if number % EVENTS_BETWEEN_CHECKS == 0 && !(scope.has_time)() {
                    self.is_cut_short.set(true);
                    return Ok(admitted);
                }
                if is_admitted(seq, hits, scope)? {
                    kept.push(seq);
                }
            }
            seqs = kept;
        }
        self.nearest_admitted(VectorFilter::Seqs(&seqs), hits, scope)
    }

    /// The nearest windows, looked for behind those of events that are left out whatever the
    /// filters: what was recalled, and what the session knows.
    fn nearest_admitted(
        &self,
        filter: VectorFilter<'_>,
        hits: &LexicalHits<'_>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Neighbour>> {
        let mut most = PROPOSED;
        loop {
            let found = self.search(most, filter)?;
            let is_all = found.len() < most;
            let mut admitted = admitted(found, hits, scope)?;
            let is_enough = admitted.len() >= PROPOSED || is_all || most >= MAX_PROPOSED;
            if is_enough || !(scope.has_time)() {
                self.is_cut_short.set(!is_enough);
                admitted.truncate(PROPOSED);
                return Ok(admitted);
            }
            most *= 4;
        }
    }

    fn search(&self, k: usize, filter: VectorFilter<'_>) -> Result<Vec<Neighbour>> {
        let found = self.snapshot.search(self.query, k, filter);
        if found
            .as_ref()
            .is_err_and(|error| error.code() == ErrorCode::Corrupt)
        {
            // The next recall reads from the store what was in the file.
            self.index.drop_damaged(&self.snapshot);
            return Ok(Vec::new());
        }
        found
    }

    /// How similar each hit is: the best window of the part of the event that the hit is
    /// in, relative to the mean; never below 0. A hit without a vector, because its job is
    /// still queued, gets the average of the others.
    pub(crate) fn similarity(&self, hits: &LexicalHits<'_>) -> Result<Vec<f32>> {
        let kernels = Kernels::best();
        let mut cosines: Vec<Option<f32>> = Vec::with_capacity(hits.hits.len());
        for hit in &hits.hits {
            let is_tool = hit.facts.kind == EventKind::ToolObservation.number();
            // The best cosine of each part, and where the output starts.
            let mut best = [None::<f32>; 2];
            let mut output_start = u32::MAX;
            let compared = self.vectors.each_of(hit.facts.seq, |vector| {
                let part = usize::from(vector.window >= OUTPUT);
                if part == 1 {
                    output_start = output_start.min(vector.start);
                }
                let cosine = kernels.dot_f32_le(self.query.unit(), vector.floats);
                best[part] = Some(best[part].map_or(cosine, |other| other.max(cosine)));
                Ok(())
            });
            self.unless_damaged(compared.map(Some))?;
            let part = usize::from(is_tool && hit.start >= output_start);
            cosines.push(best[part].map(|cosine| (cosine - self.usual).max(0.0)));
        }
        let known: Vec<f32> = cosines.iter().flatten().copied().collect();
        let average = known.iter().sum::<f32>() / known.len().max(1) as f32;
        Ok(cosines
            .into_iter()
            .map(|cosine| cosine.unwrap_or(average))
            .collect())
    }
}

fn admitted(
    found: Vec<Neighbour>,
    hits: &LexicalHits<'_>,
    scope: &Scope<'_>,
) -> Result<Vec<Neighbour>> {
    let mut admitted = Vec::with_capacity(found.len());
    for neighbour in found {
        if is_admitted(neighbour.id.seq, hits, scope)? {
            admitted.push(neighbour);
        }
    }
    Ok(admitted)
}

fn is_admitted(seq: u64, hits: &LexicalHits<'_>, scope: &Scope<'_>) -> Result<bool> {
    match hits.find(seq)? {
        Some(handle) => (scope.admits)(&hits.facts(handle)?),
        None => Ok(false),
    }
}

/// The restrictions of a query.
pub(crate) struct Scope<'a> {
    pub(crate) session: Option<u32>,
    pub(crate) project: Option<u32>,
    /// Whether anything is excluded at all.
    pub(crate) is_filtered: bool,
    /// Whether more is excluded than session and project alone would exclude.
    pub(crate) filters_facts: bool,
    pub(crate) admits: &'a dyn Fn(&EventFacts) -> Result<bool>,
    pub(crate) has_time: &'a dyn Fn() -> bool,
    /// The allowed events in ascending order, if they were listed.
    pub(crate) seqs: Option<&'a [u64]>,
}
