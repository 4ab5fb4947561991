//! An embedder made from a function, for bindings and small programs.

use super::{DEFAULT_MAX_BATCH, Embedder, MAX_DIMENSIONS};
use crate::model::error::{Error, ErrorCode, Result};
use std::error::Error as StdError;
use std::fmt;

type Callback =
    dyn Fn(&[&str]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> + Send + Sync;

/// An embedder that calls a function of the host program.
///
/// ```
/// use recallite::embed::{CallbackEmbedder, Embedder};
///
/// let embedder = CallbackEmbedder::new("length-1", 1, |texts| {
///     Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
/// })?;
/// assert_eq!(embedder.embed(&["four", "seventy"])?, [[4.0], [7.0]]);
/// # Ok::<(), recallite::Error>(())
/// ```
pub struct CallbackEmbedder {
    id: String,
    dimensions: usize,
    max_batch: usize,
    callback: Box<Callback>,
}

impl CallbackEmbedder {
    /// Creates an embedder from its id (see [`Embedder::id`]), its number of dimensions and
    /// its function.
    ///
    /// The function gets at most 32 texts at once, or as many as set by
    /// [`with_max_batch`](CallbackEmbedder::with_max_batch). It can be called from any
    /// thread.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for an id that is empty, longer than 128 bytes or holds
    /// control characters, and for dimensions outside 1 to [`MAX_DIMENSIONS`].
    pub fn new(
        id: impl Into<String>,
        dimensions: usize,
        callback: impl Fn(&[&str]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>>
        + Send
        + Sync
        + 'static,
    ) -> Result<CallbackEmbedder> {
        let embedder = CallbackEmbedder {
            id: id.into(),
            dimensions,
            max_batch: DEFAULT_MAX_BATCH,
            callback: Box::new(callback),
        };
        check_description(&embedder)?;
        Ok(embedder)
    }

    /// Sets the maximum batch size; 0 counts as 1.
    #[must_use]
    pub fn with_max_batch(mut self, texts: usize) -> CallbackEmbedder {
        self.max_batch = texts.max(1);
        self
    }
}

impl Embedder for CallbackEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        (self.callback)(texts).map_err(|cause| {
            Error::new(
                ErrorCode::Callback,
                format!("embedder {}: the callback failed: {cause}", self.id),
            )
            .with_source(CallbackFailure(cause))
        })
    }

    fn max_batch(&self) -> usize {
        self.max_batch
    }
}

impl fmt::Debug for CallbackEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackEmbedder")
            .field("id", &self.id)
            .field("dimensions", &self.dimensions)
            .field("max_batch", &self.max_batch)
            .finish_non_exhaustive()
    }
}

/// The host's boxed error, wrapped so that it can be an error's source.
#[derive(Debug)]
struct CallbackFailure(Box<dyn StdError + Send + Sync>);

impl fmt::Display for CallbackFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for CallbackFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// Validates an embedder's id and dimensions.
pub(super) fn check_description(embedder: &dyn Embedder) -> Result<()> {
    let id = embedder.id();
    if id.is_empty() || id.len() > 128 || id.chars().any(char::is_control) {
        return Err(Error::invalid(
            "embedder.id",
            "must have 1 to 128 bytes and no control characters",
        ));
    }
    let dimensions = embedder.dimensions();
    if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Err(Error::invalid(
            "embedder.dimensions",
            format_args!("must be between 1 and {MAX_DIMENSIONS}, not {dimensions}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_callback_keeps_its_cause() {
        let embedder =
            CallbackEmbedder::new("x", 2, |_| Err("the service is down".into())).expect("valid");
        let error = embedder.embed(&["a"]).expect_err("it fails");
        assert_eq!(error.code(), ErrorCode::Callback);
        assert!(error.message().contains("the service is down"));
        assert!(StdError::source(&error).is_some());
    }

    #[test]
    fn impossible_descriptions_are_refused() {
        let make = |id: &str, dimensions| CallbackEmbedder::new(id, dimensions, |_| Ok(vec![]));
        assert_eq!(
            make("", 3).expect_err("empty").argument(),
            Some("embedder.id")
        );
        assert!(make("a\nb", 3).is_err());
        assert!(make(&"x".repeat(129), 3).is_err());
        let error = make("x", 0).expect_err("no dimensions");
        assert_eq!(error.argument(), Some("embedder.dimensions"));
        assert!(make("x", MAX_DIMENSIONS + 1).is_err());
        assert!(make("한국어-모델", MAX_DIMENSIONS).is_ok());
    }
}
