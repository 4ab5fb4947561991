//! A program's own function for counting tokens.

use std::ffi::c_void;

use recallite::{Error, ErrorCode, TokenCounter};

use crate::embedder::UserData;
use crate::owned::Parts;
use crate::text::recallite_str;

/// Counts the tokens of a text as a model would.
///
/// It is called during the call that it was passed to and on the same thread, several times
/// for one result. It may call the library. It must return: no exception and no longjmp.
///
/// text is valid during the callback only. Return 0 after writing tokens;
/// anything else is a failure, and the call fails with RECALLITE_CALLBACK.
pub type recallite_count_tokens_callback = Option<
    unsafe extern "C" fn(text: recallite_str, tokens: *mut usize, user_data: *mut c_void) -> i32,
>;

/// The counter of one call; without a function, the estimate.
///
/// # Safety
/// The function can be called until the end of the call.
pub(crate) unsafe fn counter(
    callback: recallite_count_tokens_callback,
    user_data: *mut c_void,
) -> TokenCounter {
    let Some(count) = callback else {
        return TokenCounter::default();
    };
    // The caller keeps it: the core counts only during the call, on its thread.
    let user_data = UserData::new(user_data, None);
    TokenCounter::fallible(move |text| {
        let mut parts = Parts::default();
        let view = parts.text(text);
        let mut tokens = 0usize;
        // SAFETY: a function of the caller with this signature, within the call; the
        // arguments live during the callback.
        match unsafe { count(view, &raw mut tokens, user_data.pointer()) } {
            0 => Ok(tokens),
            answer => Err(failed("count_tokens", answer)),
        }
    })
}

/// The error of a failed callback.
pub(crate) fn failed(argument: &str, answer: i32) -> Error {
    Error::new(
        ErrorCode::Callback,
        format!("{argument}: the callback failed and returned {answer}"),
    )
    .with_argument(argument)
}
