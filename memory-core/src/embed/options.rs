//! Where a model lies and how it is run, also for a library that runs none.

use std::path::PathBuf;

#[cfg(feature = "fastembed")]
use crate::model::error::{Error, Result};

/// Tokens per text that a model reads by default; all-MiniLM-L6-v2 is used with as many.
pub const DEFAULT_MAX_TOKENS: usize = 256;

/// Where a model lies and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FastembedOptions {
    /// The model's folder: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, `config.json`,
    /// `tokenizer_config.json`, `special_tokens_map.json`, and optionally
    /// `1_Pooling/config.json`. A model of the Hugging Face cache (`models--owner--name`) is
    /// resolved to its snapshot.
    pub model_dir: PathBuf,
    /// The shared library of ONNX Runtime 1.24 or newer; by default `ORT_DYLIB_PATH` names it, or
    /// the system finds it.
    pub onnxruntime_library: Option<PathBuf>,
    /// Longer texts are cut after so many tokens, special tokens included; at least 3, by default
    /// 256. The model's own limit counts too. Less is faster: 128 halves the time of long texts.
    pub max_tokens: usize,
    /// Threads that one embedding uses; by default one per processor.
    pub threads: Option<usize>,
    /// The embedder's id; by default the folder's name, or `owner/name` of the Hugging Face cache.
    pub id: Option<String>,
}

impl FastembedOptions {
    /// The defaults for the model in this folder.
    pub fn new(model_dir: impl Into<PathBuf>) -> FastembedOptions {
        FastembedOptions {
            model_dir: model_dir.into(),
            onnxruntime_library: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            threads: None,
            id: None,
        }
    }

    /// The same options with a path of the runtime's shared library.
    #[must_use]
    pub fn with_onnxruntime_library(mut self, path: impl Into<PathBuf>) -> FastembedOptions {
        self.onnxruntime_library = Some(path.into());
        self
    }

    /// The same options with another limit of tokens.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: usize) -> FastembedOptions {
        self.max_tokens = tokens;
        self
    }

    /// The same options with a number of threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> FastembedOptions {
        self.threads = Some(threads);
        self
    }

    /// The same options with an id for the embedder.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> FastembedOptions {
        self.id = Some(id.into());
        self
    }

    #[cfg(feature = "fastembed")]
    pub(super) fn check(&self) -> Result<()> {
        // Two special tokens frame every text, so fewer than three read nothing.
        if self.max_tokens < 3 {
            return Err(Error::invalid("max_tokens", "must be at least 3"));
        }
        if self.threads == Some(0) {
            return Err(Error::invalid("threads", "must be at least 1"));
        }
        Ok(())
    }
}
