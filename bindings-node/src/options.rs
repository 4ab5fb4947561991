//! The opening options specific to Node: retention by kind.

use napi_derive::napi;
use recallite::{EventKind, MemoryBuilder, Result};

use crate::convert::take;
use crate::generated::{NativeFastembedOptions, NativeOpenOptions};
use crate::input::count;

/// How long events of one kind are kept.
#[napi(object, object_to_js = false)]
pub struct NativeRetention {
    pub kind: String,
    pub ms: f64,
}

/// How a memory is opened.
#[napi(object, object_to_js = false)]
pub struct NativeOpening {
    pub options: Option<NativeOpenOptions>,
    pub retention: Option<Vec<NativeRetention>>,
    pub fastembed: Option<NativeFastembedOptions>,
}

impl NativeOpening {
    /// Creates the builder with these settings.
    pub fn builder(self) -> Result<MemoryBuilder> {
        let mut builder = recallite::Memory::builder();
        if let Some(options) = self.options {
            builder = options.set(builder)?;
        }
        for one in self.retention.unwrap_or_default() {
            let kind: EventKind = take("retention_ms", one.kind)?;
            let ms = count(&format!("retention_ms[{kind}]"), one.ms)?;
            builder = builder.retention_ms(kind, ms);
        }
        if let Some(options) = self.fastembed {
            builder = builder.fastembed(take("fastembed", options)?)?;
        }
        Ok(builder)
    }
}
