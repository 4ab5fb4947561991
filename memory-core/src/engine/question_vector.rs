//! A question as the embedder sees it.

use crate::index::vector::Query;
use crate::model::error::Result;
use crate::store::ReadTx;
use crate::store::outbox::EmbeddingRow;

/// The vector of a question, and the embedding version that it is compared with.
pub(crate) struct QuestionVector {
    pub(super) version: u32,
    pub(super) row: EmbeddingRow,
    pub(super) query: Query,
}

impl QuestionVector {
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    /// The mean cosine of the question with the store's windows; only what is above it
    /// counts as similar. 0 while no event has a vector.
    pub(crate) fn usual(&self, read: &ReadTx) -> Result<f32> {
        let mean = read.mean_vector(self.version, &self.row)?;
        Ok(self
            .query
            .unit()
            .iter()
            .zip(&mean)
            .map(|(a, b)| a * b)
            .sum())
    }
}
