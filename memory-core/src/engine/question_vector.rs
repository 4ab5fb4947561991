//! A question as the embedder sees it.

use crate::index::vector::VectorQuery;
use crate::model::error::Result;
use crate::store::ReadTx;
use crate::store::index_tables::embedding_versions::EmbeddingRow;

/// The vector of a question, and the embedding version that it is compared with.
pub(crate) struct QuestionVector {
    pub(super) version: u32,
    pub(super) row: EmbeddingRow,
    pub(super) query: VectorQuery,
}

impl QuestionVector {
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    pub(crate) fn query(&self) -> &VectorQuery {
        &self.query
    }

    /// The mean cosine of the question with the store's windows; only what is above it
    /// counts as similar. 0 while no event has a vector.
    ///
    /// The mean includes a vector of the cosine 0: a text that is the only one, or has only
    /// copies beside it, would otherwise never be above the mean.
    pub(crate) fn usual(&self, read: &ReadTx) -> Result<f32> {
        let mean = read.mean_vector(self.version, &self.row)?;
        let unit = self.query.unit().iter();
        let cosine: f32 = unit.zip(&mean).map(|(a, b)| a * b).sum();
        let count = self.row.vectors as f32;
        Ok(cosine * count / (count + 1.0))
    }
}
