//! One search in one read transaction: what it may use, what it was told by the embedder, and
//! what its answer lacks.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::time::Instant;

use crate::engine::Engine;
use crate::engine::embedding::QuestionVector;
use crate::index::lexical::forward::EventFacts;
use crate::model::error::{ErrorCode, Result};
use crate::model::query::Query;
use crate::recall::asked::narrowing::Narrowing;
use crate::recall::asked::present::Present;
use crate::recall::asked::resolved::Resolved;
use crate::rules::asking::Asked;
use crate::store::ReadTx;

/// Why an answer is degraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::recall) enum Lack {
    Time,
    Embedder,
    Vectors,
    DamagedVectors,
    Segment,
    Record,
    Learned,
}

impl Lack {
    pub(in crate::recall) fn as_str(self) -> &'static str {
        match self {
            Lack::Time => "the deadline passed before it finished",
            Lack::Embedder => "the embedder returned no vector for the query",
            Lack::Vectors => "some stored texts have no vector yet; maintain computes them",
            Lack::DamagedVectors => {
                "damaged vectors were skipped; rebuild and maintain recreate them"
            }
            Lack::Segment => "a damaged part of the index was skipped; rebuild recreates it",
            Lack::Record => "a damaged record was skipped; check reports which",
            Lack::Learned => "learned items were searched only in part",
        }
    }
}

/// One search in one read transaction.
pub(in crate::recall) struct Search<'a> {
    pub(in crate::recall) engine: &'a Engine,
    pub(in crate::recall) read: &'a ReadTx,
    pub(in crate::recall) query: &'a Query,
    pub(in crate::recall) resolved: Resolved,
    pub(in crate::recall) narrowing: Option<Narrowing<'a>>,
    pub(in crate::recall) limit: usize,
    pub(in crate::recall) deadline: Option<Instant>,
    pub(in crate::recall) present: Present,
    /// Why the answer is degraded.
    pub(in crate::recall) lacks: RefCell<BTreeSet<Lack>>,
    /// Whether a file of the index was merged before it could be opened.
    pub(in crate::recall) is_stale: Cell<bool>,
    /// What the question asks for, once that is needed.
    pub(in crate::recall) asking: OnceCell<Asked>,
    /// What the embedder answered, once it was asked.
    pub(in crate::recall) asked: OnceCell<Answer>,
}

/// What the embedder answered to a question.
pub(in crate::recall) enum Answer {
    /// This process has no embedder, or the store no vector of it.
    None,
    /// It returned no vector.
    Failed,
    Vector(QuestionVector),
}

impl Answer {
    /// Asks for the vector of a filtered question, unless the query has one.
    pub(in crate::recall) fn of(
        engine: &Engine,
        read: &ReadTx,
        query: &Query,
        deadline: Option<Instant>,
    ) -> Result<Answer> {
        let weight = engine.recall_weights.similarity_by_vectors;
        let Some(embedding) = engine.embedding.as_ref().filter(|_| weight > 0.0) else {
            return Ok(Answer::None);
        };
        match embedding.question(read, &query.text, query.vector.as_deref(), deadline) {
            Ok(Some(vector)) => Ok(Answer::Vector(vector)),
            Ok(None) => Ok(Answer::None),
            // A failing embedder must not fail the search.
            Err(error) if error.code() != ErrorCode::Corrupt => Ok(Answer::Failed),
            Err(error) => Err(error),
        }
    }

    pub(in crate::recall) fn vector(&self) -> Option<&QuestionVector> {
        match self {
            Answer::Vector(vector) => Some(vector),
            Answer::None | Answer::Failed => None,
        }
    }
}

impl Search<'_> {
    /// Marks the answer as degraded unless `is_whole`.
    pub(in crate::recall) fn note(&self, is_whole: bool, lack: Lack) {
        if !is_whole {
            self.lacks.borrow_mut().insert(lack);
        }
    }

    /// Marks the answer as degraded unless every record could be read.
    pub(in crate::recall) fn note_unread(&self, is_whole: bool) {
        let lack = match self.has_time() {
            true => Lack::Record,
            false => Lack::Time,
        };
        self.note(is_whole, lack);
    }

    pub(in crate::recall) fn has_time(&self) -> bool {
        self.deadline.is_none_or(|end| Instant::now() < end)
    }

    /// Whether an event passes the query's filters.
    pub(in crate::recall) fn admits(&self, facts: &EventFacts) -> Result<bool> {
        let is_skipped = self.query.skipped.seqs.contains(&facts.seq);
        Ok(!is_skipped && self.resolved.admits(facts) && self.admits_record(facts.seq)?)
    }

    /// Whether an event passes the filters that the index cannot decide.
    pub(in crate::recall) fn admits_record(&self, seq: u64) -> Result<bool> {
        match (&self.resolved.seqs, &self.narrowing) {
            (Some(listed), _) => Ok(listed.binary_search(&seq).is_ok()),
            (None, Some(narrowing)) => narrowing.admits(seq),
            (None, None) => Ok(true),
        }
    }

    /// What the question asks for.
    pub(in crate::recall) fn asking(&self) -> &Asked {
        self.asking.get_or_init(|| Asked::of(&self.query.text))
    }

    /// The vector of the question, for which the embedder is asked once.
    pub(in crate::recall) fn ask_embedder(&self) -> Result<&Answer> {
        if let Some(known) = self.asked.get() {
            return Ok(known);
        }
        let answer = match Answer::of(self.engine, self.read, self.query, self.deadline) {
            // Words need no vectors.
            Err(error) if error.code() == ErrorCode::Corrupt => {
                self.note(false, Lack::DamagedVectors);
                Answer::None
            }
            answer => answer?,
        };
        Ok(self.asked.get_or_init(|| answer))
    }

    /// The vector of the question, if there is one.
    pub(in crate::recall) fn question_vector(&self) -> Result<Option<&QuestionVector>> {
        Ok(self.ask_embedder()?.vector())
    }
}
