//! What a language model should extract from a session.

use std::ffi::{CString, c_char};

use once_cell::race::OnceBox;
use recallite::rules::model_answer::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};

/// The version of the extraction schema that this library reads.
pub const RECALLITE_EXTRACTION_SCHEMA_VERSION: u32 = 1;

/// The JSON Schema (2020-12) of an extraction, for language models that accept one.
///
/// @return zero-terminated JSON that is always valid; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_extraction_schema() -> *const c_char {
    static SCHEMA: OnceBox<CString> = OnceBox::new();
    SCHEMA
        .get_or_init(|| terminated(EXTRACTION_SCHEMA))
        .as_ptr()
}

/// A prompt that explains to any language model what to extract and in which form. Append
/// the numbered messages of recallite_knowledge_session_messages to it.
///
/// @return zero-terminated text that is always valid; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_extraction_prompt() -> *const c_char {
    static PROMPT: OnceBox<CString> = OnceBox::new();
    PROMPT
        .get_or_init(|| terminated(EXTRACTION_PROMPT))
        .as_ptr()
}

fn terminated(text: &str) -> Box<CString> {
    Box::new(CString::new(text).expect("the published texts hold no zero byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_version_of_the_schema() {
        let version = recallite::rules::model_answer::SCHEMA_VERSION;
        assert_eq!(u64::from(RECALLITE_EXTRACTION_SCHEMA_VERSION), version);
    }
}
