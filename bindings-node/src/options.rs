//! The options of opening that are Node's own: retention by kind, a model in a folder.

use napi_derive::napi;
use recallite::{Error, EventKind, MemoryBuilder, Result};

use crate::generated::NativeOpenOptions;
#[cfg(feature = "fastembed")]
use crate::input::size;
use crate::input::{self, count};

/// How long events of one kind are kept.
#[napi(object, object_to_js = false)]
pub struct NativeRetention {
    pub kind: String,
    pub ms: f64,
}

/// A model in a folder.
#[cfg_attr(not(feature = "fastembed"), allow(dead_code))]
#[napi(object, object_to_js = false)]
pub struct NativeFastembedOptions {
    pub model_dir: String,
    pub onnxruntime_library: Option<String>,
    pub max_tokens: Option<f64>,
    pub threads: Option<f64>,
    pub id: Option<String>,
}

#[cfg(feature = "fastembed")]
fn fastembed(builder: MemoryBuilder, given: NativeFastembedOptions) -> Result<MemoryBuilder> {
    use recallite::embed::fastembed::FastembedOptions;
    let mut options = FastembedOptions::new(given.model_dir);
    if let Some(path) = given.onnxruntime_library {
        options = options.with_onnxruntime_library(path);
    }
    if let Some(tokens) = given.max_tokens {
        options = options.with_max_tokens(size("fastembed.max_tokens", tokens)?);
    }
    if let Some(threads) = given.threads {
        options = options.with_threads(size("fastembed.threads", threads)?);
    }
    if let Some(id) = given.id {
        options = options.with_id(id);
    }
    builder.fastembed(options)
}

#[cfg(not(feature = "fastembed"))]
fn fastembed(_: MemoryBuilder, _: NativeFastembedOptions) -> Result<MemoryBuilder> {
    Err(Error::new(
        recallite::ErrorCode::Unsupported,
        "this build has no fastembed; give an embedder, or build the addon with \
         `scripts/pack --features fastembed`",
    )
    .with_argument("fastembed"))
}

/// How a memory is opened.
#[napi(object, object_to_js = false)]
pub struct NativeOpening {
    pub options: Option<NativeOpenOptions>,
    pub retention: Option<Vec<NativeRetention>>,
    pub fastembed: Option<NativeFastembedOptions>,
}

impl NativeOpening {
    /// The builder with these settings.
    pub fn builder(self) -> Result<MemoryBuilder> {
        let mut builder = recallite::Memory::builder();
        if let Some(options) = self.options {
            builder = options.set(builder)?;
        }
        for one in self.retention.unwrap_or_default() {
            let kind: EventKind = input::kind("retention_ms", &one.kind)?;
            let ms = count("retention_ms", one.ms)
                .map_err(|error| Error::invalid("retention_ms", format_args!("{kind}: {error}")))?;
            builder = builder.retention_ms(kind, ms);
        }
        if let Some(options) = self.fastembed {
            builder = fastembed(builder, options)?;
        }
        Ok(builder)
    }
}
