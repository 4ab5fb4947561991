//! Where a model is stored and how to run it, available also in a library that runs none.

use std::path::PathBuf;

#[cfg(feature = "fastembed")]
use crate::model::error::{Error, Result};

/// The default maximum number of tokens per text that a model reads; the same as is usual
/// for all-MiniLM-L6-v2.
pub const DEFAULT_MAX_TOKENS: usize = 256;

/// Where a model is stored and how to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FastembedOptions {
    /// The model's folder: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, `config.json`,
    /// `tokenizer_config.json`, `special_tokens_map.json`, and optionally
    /// `1_Pooling/config.json`. A model of the Hugging Face cache (`models--owner--name`) is
    /// resolved to its snapshot.
    pub model_dir: PathBuf,
    /// The shared library of ONNX Runtime 1.24 or newer. Default: the one that
    /// `ORT_DYLIB_PATH` names, or that the system finds.
    pub onnxruntime_library: Option<PathBuf>,
    /// The maximum number of tokens per text, at least 3 and including special tokens; longer
    /// texts are cut. Default: 256. The model's own limit applies too. Fewer tokens are faster:
    /// 128 halves the time for long texts.
    pub max_tokens: usize,
    /// The number of threads for one embedding. Default: one per processor.
    pub threads: Option<usize>,
    /// The embedder's id. Default: the folder's name, or `owner/name` for a model of the
    /// Hugging Face cache.
    pub id: Option<String>,
}

impl FastembedOptions {
    /// Creates default options for the model in this folder.
    pub fn new(model_dir: impl Into<PathBuf>) -> FastembedOptions {
        FastembedOptions {
            model_dir: model_dir.into(),
            onnxruntime_library: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            threads: None,
            id: None,
        }
    }

    /// Sets the path of the runtime's shared library.
    #[must_use]
    pub fn with_onnxruntime_library(mut self, path: impl Into<PathBuf>) -> FastembedOptions {
        self.onnxruntime_library = Some(path.into());
        self
    }

    /// Sets the maximum number of tokens per text.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: usize) -> FastembedOptions {
        self.max_tokens = tokens;
        self
    }

    /// Sets the number of threads for one embedding.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> FastembedOptions {
        self.threads = Some(threads);
        self
    }

    /// Sets the embedder's id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> FastembedOptions {
        self.id = Some(id.into());
        self
    }

    #[cfg(feature = "fastembed")]
    pub(super) fn check(&self) -> Result<()> {
        // Two special tokens frame every text, so fewer than three leave no room for it.
        if self.max_tokens < 3 {
            return Err(Error::invalid("max_tokens", "must be at least 3"));
        }
        if self.threads == Some(0) {
            return Err(Error::invalid("threads", "must be at least 1"));
        }
        Ok(())
    }
}
