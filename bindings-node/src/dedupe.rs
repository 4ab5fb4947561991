//! How a repetition is recognised, as JavaScript says it.

use napi_derive::napi;
use recallite::{Dedupe, Result};

use crate::convert::FromNative;

/// How a repetition is recognised: by a key, or as a word says.
#[napi(object, object_to_js = false)]
pub struct NativeDedupe {
    pub key: Option<String>,
    pub word: Option<String>,
}

impl FromNative<NativeDedupe> for Dedupe {
    fn from_native(_: &str, given: NativeDedupe) -> Result<Self> {
        Ok(match (given.key, given.word.as_deref()) {
            (Some(key), _) => Dedupe::Key(key),
            (None, Some("none")) => Dedupe::None,
            (None, _) => Dedupe::Content,
        })
    }
}
