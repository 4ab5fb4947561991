//! Stands in for graphs in a build without the feature `graph`: uninhabited types, so that callers
//! need no conditional compilation.

use std::sync::Arc;

use crate::index::vector::file::VectorFile;
use crate::index::vector::{Neighbour, Tombstones, VectorQuery};
use crate::model::error::{Error, ErrorCode, Result};

/// Whether this build of the library has graphs.
pub(crate) const IS_BUILT_IN: bool = false;

/// No graph is ever built.
pub(crate) fn estimated_bytes(_: &VectorFile) -> usize {
    0
}

/// Cannot be constructed.
pub(crate) enum HnswBuilder {}

impl HnswBuilder {
    /// # Errors
    /// `Unsupported`, always.
    pub(crate) fn new(_: Arc<VectorFile>) -> Result<HnswBuilder> {
        Err(Error::new(
            ErrorCode::Unsupported,
            "this build of the library has no vector graphs",
        ))
    }

    pub(crate) fn file(&self) -> &Arc<VectorFile> {
        match *self {}
    }

    pub(crate) fn step(&mut self, _: usize) -> Result<bool> {
        match *self {}
    }

    pub(crate) fn progress(&self) -> (usize, usize) {
        match *self {}
    }

    pub(crate) fn finish(self) -> Option<HnswGraph> {
        match self {}
    }
}

/// Cannot be constructed.
pub(crate) enum HnswGraph {}

impl HnswGraph {
    pub(crate) fn file(&self) -> &Arc<VectorFile> {
        match *self {}
    }

    pub(crate) fn is_broken(&self) -> bool {
        match *self {}
    }

    pub(crate) fn search(
        &self,
        _: &VectorQuery,
        _: usize,
        _: &Tombstones,
    ) -> Result<Option<Vec<Neighbour>>> {
        match *self {}
    }
}
