//! Real embedding models through ONNX Runtime (feature `fastembed`).
//!
//! Creating an embedder loads nothing but the model's configuration; the runtime and the
//! weights are loaded with the first text. The default build of this feature opens no
//! socket: the model is a folder on this machine. The feature `fastembed-download` adds
#![cfg_attr(
    feature = "fastembed-download",
    doc = "[`FastembedEmbedder::from_hub`]."
)]
#![cfg_attr(
    not(feature = "fastembed-download"),
    doc = "`FastembedEmbedder::from_hub`."
)]
//!
//! # The runtime's shared library
//! ONNX Runtime 1.24 or newer is looked for in this order:
//! [`FastembedOptions::onnxruntime_library`]; the environment variable `ORT_DYLIB_PATH`,
//! which is the convention of the `ort` crate and the only variable that this module reads;
//! the system's own search for `libonnxruntime.so`, `libonnxruntime.dylib` or
//! `onnxruntime.dll`. The `onnxruntime` wheel on PyPI contains it in `onnxruntime/capi/`. A
//! process has one runtime: the first that is loaded stays.

mod folder;
mod runtime;

pub use super::options::{DEFAULT_MAX_TOKENS, FastembedOptions};

use super::callback::check_description;
use super::{DEFAULT_MAX_BATCH, Embedder};
use crate::model::error::{Error, ErrorCode, Result};
use ::fastembed::TextEmbedding;
use folder::ModelFolder;
use parking_lot::Mutex;
use std::fmt;

/// A sentence-transformer model as an [`Embedder`].
///
/// One text is embedded at a time per embedder; calls from other threads wait.
///
/// ```no_run
/// use recallite::embed::Embedder;
/// use recallite::embed::fastembed::{FastembedEmbedder, FastembedOptions};
///
/// let options = FastembedOptions::new("models/all-MiniLM-L6-v2")
///     .with_onnxruntime_library("/opt/onnxruntime/lib/libonnxruntime.so")
///     .with_max_tokens(128);
/// let embedder = FastembedEmbedder::new(options)?;
/// assert_eq!(embedder.dimensions(), 384);
/// let vectors = embedder.embed(&["a cat", "a kitten"])?; // loads the model
/// # Ok::<(), recallite::Error>(())
/// ```
pub struct FastembedEmbedder {
    id: String,
    dimensions: usize,
    fingerprint: String,
    source: Source,
    options: FastembedOptions,
    model: Mutex<Option<TextEmbedding>>,
}

enum Source {
    Folder(ModelFolder),
    #[cfg(feature = "fastembed-download")]
    Hub(Box<::fastembed::TextInitOptions>),
}

impl FastembedEmbedder {
    /// Creates an embedder for the model in a folder. This reads the model's configuration,
    /// not its weights.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] when a file is missing, naming it; [`ErrorCode::InvalidArgument`]
    /// for files or options that make no sense; [`ErrorCode::Unsupported`] for a kind of pooling
    /// that is neither mean nor first token.
    pub fn new(options: FastembedOptions) -> Result<FastembedEmbedder> {
        options.check()?;
        let folder = ModelFolder::open(&options.model_dir)?;
        let id = options.id.clone().unwrap_or_else(|| folder.name().into());
        let embedder = FastembedEmbedder {
            dimensions: folder.dimensions(),
            fingerprint: folder.fingerprint(&id, options.max_tokens)?,
            id,
            source: Source::Folder(folder),
            options,
            model: Mutex::new(None),
        };
        check_description(&embedder)?;
        Ok(embedder)
    }

    /// Creates an embedder for a model of the Hugging Face hub, for example
    /// `"Qdrant/all-MiniLM-L6-v2-onnx"`. It is downloaded into a folder when the first text
    /// is embedded.
    ///
    /// In this case the hub's client also reads `HF_HOME`, `HF_ENDPOINT` and `HF_TOKEN`,
    /// and `HF_HOME` takes precedence over `cache_dir`. Among the options, `model_dir` is
    /// the folder for downloads. The fingerprint covers the model's name and the options,
    /// not the weights, which are not there yet.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] for a model that this version does not know;
    /// [`ErrorCode::InvalidArgument`] for options that make no sense.
    #[cfg(feature = "fastembed-download")]
    pub fn from_hub(model: &str, options: FastembedOptions) -> Result<FastembedEmbedder> {
        use ::fastembed::TextInitOptions;

        options.check()?;
        let known = TextEmbedding::list_supported_models()
            .into_iter()
            .find(|known| known.model_code == model)
            .ok_or_else(|| {
                Error::new(
                    ErrorCode::NotFound,
                    format!("embedding model {model} is not one that fastembed can download"),
                )
                .with_argument("model")
            })?;
        let id = options.id.clone().unwrap_or_else(|| model.to_owned());
        let tokens = (options.max_tokens as u64).to_le_bytes();
        let parts = [model.as_bytes(), known.model_file.as_bytes(), &tokens];
        let mut init = TextInitOptions::new(known.model)
            .with_cache_dir(options.model_dir.clone())
            .with_max_length(options.max_tokens)
            .with_show_download_progress(false);
        if let Some(threads) = options.threads {
            init = init.with_intra_threads(threads);
        }
        let embedder = FastembedEmbedder {
            dimensions: known.dim,
            fingerprint: super::fingerprint_of(&id, known.dim, &parts),
            id,
            source: Source::Hub(Box::new(init)),
            options,
            model: Mutex::new(None),
        };
        check_description(&embedder)?;
        Ok(embedder)
    }

    /// Returns true if the runtime and the weights are in memory.
    pub fn is_loaded(&self) -> bool {
        self.model.lock().is_some()
    }

    /// Loads the runtime and the model now, instead of with the first text.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    pub fn load(&self) -> Result<()> {
        let mut model = self.model.lock();
        if model.is_none() {
            *model = Some(self.load_model()?);
        }
        Ok(())
    }

    /// Frees the weights. The next text loads them again. The runtime itself stays loaded.
    pub fn unload(&self) {
        *self.model.lock() = None;
    }

    fn load_model(&self) -> Result<TextEmbedding> {
        let environment = runtime::environment(self.options.onnxruntime_library.as_deref())?;
        let loaded = match &self.source {
            Source::Folder(folder) => {
                let (files, mut init) = folder.read()?;
                init = init
                    .with_environment(environment)
                    .with_max_length(self.options.max_tokens);
                if let Some(threads) = self.options.threads {
                    init = init.with_intra_threads(threads);
                }
                TextEmbedding::try_new_from_user_defined(files, init)
            }
            #[cfg(feature = "fastembed-download")]
            Source::Hub(init) => {
                TextEmbedding::try_new((**init).clone().with_environment(environment))
            }
        };
        loaded.map_err(|cause| self.failed("the model could not be loaded", cause))
    }

    fn failed(&self, what: &str, cause: ::fastembed::Error) -> Error {
        Error::new(
            ErrorCode::Embedder,
            format!("embedder {}: {what}: {cause}", self.id),
        )
        .with_source(cause)
    }
}

impl Embedder for FastembedEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// # Errors
    /// [`ErrorCode::Unsupported`] when ONNX Runtime cannot be loaded, with what to do about it;
    /// [`ErrorCode::Embedder`] when the model cannot be loaded or run.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut slot = self.model.lock();
        // Taken out while it runs: after a panic, the next call reloads it.
        let mut model = match slot.take() {
            Some(model) => model,
            None => self.load_model()?,
        };
        let vectors = model.embed(texts, Some(texts.len()));
        *slot = Some(model);
        vectors.map_err(|cause| self.failed("the texts could not be embedded", cause))
    }

    fn max_batch(&self) -> usize {
        DEFAULT_MAX_BATCH
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }
}

impl fmt::Debug for FastembedEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastembedEmbedder")
            .field("id", &self.id)
            .field("dimensions", &self.dimensions)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
