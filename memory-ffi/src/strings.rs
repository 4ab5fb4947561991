//! Texts that the caller owns.

use crate::owned;
use crate::panics::guard_free;
use crate::text::recallite_str;

/// Text that the caller owns. Free it with recallite_string_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_string {
    /// The text.
    pub text: recallite_str,
}

/// Hands a text to C.
pub(crate) fn give_text(text: impl Into<String>) -> *mut recallite_string {
    owned::give(|parts| recallite_string {
        text: parts.text(text),
    })
}

/// Several texts that the caller owns. Free it with recallite_string_list_free.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_string_list {
    /// The texts.
    pub items: *const recallite_str,
    /// The number of texts.
    pub len: usize,
}

/// Hands several texts to C.
pub(crate) fn give_texts(texts: Vec<String>) -> *mut recallite_string_list {
    owned::give(|parts| {
        let (items, len) = parts.values(texts);
        recallite_string_list { items, len }
    })
}

/// Frees text that the caller owns. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_string_free(string: *mut recallite_string) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(string) });
}

/// Frees a list of texts. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_string_list_free(strings: *mut recallite_string_list) {
    // SAFETY: a pointer of this library that was not freed yet, or NULL.
    guard_free(|| unsafe { owned::free(strings) });
}
