//! Taking in what a language model extracted from a session.

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

use recallite::rules::extraction::{EXTRACTION_PROMPT, EXTRACTION_SCHEMA};

use crate::call::{optional_out, with_memory};
use crate::error::recallite_error;
use crate::generated::*;
use crate::open::recallite_memory;
use crate::owned::give_one;
use crate::status::recallite_status;
use crate::text::recallite_str;

/// The version of the extraction schema that this library reads.
pub const RECALLITE_EXTRACTION_SCHEMA_VERSION: u32 = 1;

/// The JSON Schema (2020-12) of an extraction, for a language model that takes
/// one.
///
/// @return zero-terminated JSON that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_extraction_schema() -> *const c_char {
    static SCHEMA: LazyLock<CString> = LazyLock::new(|| terminated(EXTRACTION_SCHEMA));
    SCHEMA.as_ptr()
}

/// A prompt that explains to any language model what to extract and in which
/// form. Put the numbered messages of recallite_session_messages after it.
///
/// @return zero-terminated text that is valid for ever; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_extraction_prompt() -> *const c_char {
    static PROMPT: LazyLock<CString> = LazyLock::new(|| terminated(EXTRACTION_PROMPT));
    PROMPT.as_ptr()
}

/// Takes in what a language model extracted from a session. Quotes are looked
/// up, entries and tasks become records, and every step is an event. Taking in
/// the same extraction again writes nothing.
///
/// @param[in] memory the memory.
/// @param[in] session the session's name.
/// @param[in] extraction JSON after recallite_extraction_schema, at most 8 MiB.
/// @param[in] options which model extracted; NULL to tell nothing.
/// @param[out] report what became of it, to be freed with
///     recallite_ingest_report_free; may be NULL.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT naming the element, for example
///     "entries[3].quotes[0].message_index", when the extraction is wrong;
///     RECALLITE_NOT_FOUND when there is no such session; RECALLITE_BUSY,
///     RECALLITE_FULL or RECALLITE_IO when the store cannot be written. Nothing
///     of the extraction is stored then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_ingest(
    memory: *mut recallite_memory,
    session: recallite_str,
    extraction: recallite_str,
    options: *const recallite_ingest_options,
    report: *mut *mut recallite_ingest_report,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |memory| {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (session, extraction, options, report) = unsafe {
            (
                session.required("session")?,
                extraction.required("extraction")?,
                recallite_ingest_options::taken("options", options)?,
                optional_out("report", report)?,
            )
        };
        let done = memory.ingest_with(session, extraction, &options)?;
        if report.is_wanted() {
            report.set(give_one(done));
        }
        Ok(())
    })
}

fn terminated(text: &str) -> CString {
    CString::new(text).expect("the published texts hold no zero byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_version_of_the_schema() {
        let version = recallite::rules::extraction::SCHEMA_VERSION;
        assert_eq!(u64::from(RECALLITE_EXTRACTION_SCHEMA_VERSION), version);
    }
}
