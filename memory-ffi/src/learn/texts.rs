//! Functions over text that need no memory: keys, hashes, short forms.

use recallite::Result;
use recallite::rules::align::similarity;
use recallite::rules::tasks::EntityKind;
use recallite::text::citation::parse_citation;
use recallite::text::keys::{EntityKeyKind, canonical_key, content_hash, entity_key};
use recallite::text::show::{harmless, harmless_line};
use recallite::text::summary::{preview, summary};
use recallite::text::tokens::estimate_tokens;

use crate::call::{guard, out};
use crate::error::recallite_error;
use crate::status::recallite_status;
use crate::text::{give_text, recallite_str, recallite_string};
use crate::words::{self};

/// Makes the key by which titles are compared: lowercase words in Unicode's
/// compatibility form (NFKC), without punctuation; a longer one than 200
/// characters ends in a digest.
///
/// @param[in] title the title.
/// @param[in] project goes in front, as in "app::vector search"; absent for
///     none.
/// @param[out] key the key, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_canonical_key(
    title: recallite_str,
    project: recallite_str,
    key: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (title, project, key) = unsafe {
            (
                title.required("title")?,
                project.optional("project")?,
                out("key", key)?,
            )
        };
        key.set(give_text(canonical_key(title, project)));
        Ok(())
    })
}

/// Makes the key of an entity: "task:shop:fix-login-bug",
/// "cond:shop:api-key-configured" or "art:jira:SHOP-12".
///
/// @param[in] kind one of recallite_entity_kind.
/// @param[in] identifier a title, a condition's text, or an artifact's address.
/// @param[in] project absent for the project "default"; artifacts have none.
/// @param[out] key the key, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for an unknown kind or text that is not
///     UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_entity_key(
    kind: i32,
    identifier: recallite_str,
    project: recallite_str,
    key: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        let kind = match words::word("kind", kind)? {
            EntityKind::Task => EntityKeyKind::Task,
            EntityKind::Condition => EntityKeyKind::Condition,
            EntityKind::Artifact => EntityKeyKind::Artifact,
        };
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (identifier, project, key) = unsafe {
            (
                identifier.required("identifier")?,
                project.optional("project")?,
                out("key", key)?,
            )
        };
        key.set(give_text(entity_key(kind, identifier, project)));
        Ok(())
    })
}

/// The BLAKE3 digest of a text, as 64 hexadecimal digits: the hash that
/// evidence carries for its quotes.
///
/// @param[in] content the text.
/// @param[out] hash the digest, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_content_hash(
    content: recallite_str,
    hash: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: as the header asks, for both.
        unsafe { map("content", content, "hash", hash, content_hash) }
    })
}

/// One line of at most 100 UTF-16 code units that says what a text is about.
///
/// @param[in] content the text.
/// @param[out] line the summary, to be freed with recallite_string_free; empty
///     for blank text.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_summary(
    content: recallite_str,
    line: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: as the header asks, for both.
        unsafe { map("content", content, "line", line, summary) }
    })
}

/// A text on one line, at most 200 UTF-16 code units long; a longer one is cut
/// and ends in "...".
///
/// @param[in] content the text.
/// @param[out] line the preview, to be freed with recallite_string_free; empty
///     for blank text.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_preview(
    content: recallite_str,
    line: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: as the header asks, for both.
        unsafe { map("content", content, "line", line, preview) }
    })
}

/// Stored text as it may be shown on a terminal: line ends as "\n" alone, and a blank
/// or U+FFFD in the place of what controls instead of showing, such as escape
/// sequences and overrides of the writing direction. What is stored stays whole.
///
/// @param[in] content the text.
/// @param[out] shown the text, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_harmless(
    content: recallite_str,
    shown: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: as the header asks, for both.
        unsafe {
            map("content", content, "shown", shown, |text| {
                harmless(text).into_owned()
            })
        }
    })
}

/// As recallite_harmless, on one line.
///
/// @param[in] content the text.
/// @param[out] shown the line, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_harmless_line(
    content: recallite_str,
    shown: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: as the header asks, for both.
        unsafe {
            map("content", content, "shown", shown, |text| {
                harmless_line(text).into_owned()
            })
        }
    })
}

/// The citation id in what a person typed or pasted: "a7Bc3x", "[a7Bc3x]", or
/// the first "mem:a7Bc3x" anywhere in the text.
///
/// @param[in] text what was typed.
/// @param[out] id the id, to be freed with recallite_string_free; NULL when
///     there is none.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_parse_citation(
    text: recallite_str,
    id: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (text, id) = unsafe { (text.required("text")?, out("id", id)?) };
        id.set(parse_citation(text).map_or(std::ptr::null_mut(), give_text));
        Ok(())
    })
}

/// How many tokens a language model will count for a text, roughly: a quarter
/// of its UTF-16 code units, rounded up.
///
/// @param[in] text the text.
/// @param[out] tokens the estimate.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_estimate_tokens(
    text: recallite_str,
    tokens: *mut usize,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (text, tokens) = unsafe { (text.required("text")?, out("tokens", tokens)?) };
        tokens.set(estimate_tokens(text));
        Ok(())
    })
}

/// How similar two texts are: 1 minus their Levenshtein distance divided by the
/// length of the longer, in characters.
///
/// @param[in] a a text.
/// @param[in] b another.
/// @param[out] score from 0 to 1; 1 for equal texts.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_INVALID_ARGUMENT for text that is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_similarity(
    a: recallite_str,
    b: recallite_str,
    score: *mut f64,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (a, b, score) = unsafe { (a.required("a")?, b.required("b")?, out("score", score)?) };
        score.set(similarity(a, b));
        Ok(())
    })
}

/// Gives what `function` makes of a text.
///
/// # Safety
/// `content` is absent or readable, `place` NULL or writable.
unsafe fn map(
    argument: &str,
    content: recallite_str,
    place_argument: &str,
    place: *mut *mut recallite_string,
    function: impl FnOnce(&str) -> String,
) -> Result<()> {
    // SAFETY: the caller keeps the same conditions.
    let (content, place) = unsafe { (content.required(argument)?, out(place_argument, place)?) };
    place.set(give_text(function(content)));
    Ok(())
}
