//! Holds nothing: what counts are the dependencies in this package's manifest.
