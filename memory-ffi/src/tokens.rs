//! A program's own function for counting tokens.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use recallite::{Error, ErrorCode, Result, TokenCounter};

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

/// The count of a failed counter: above any budget, yet sums of several do not overflow.
const TOO_MANY: usize = (u32::MAX >> 4) as usize;

/// A counter for one call, and whether it failed.
pub(crate) struct Counting {
    counter: Option<TokenCounter>,
    answer: Arc<AtomicI32>,
}

impl Counting {
    /// # Safety
    /// The function can be called until the end of the call.
    pub(crate) unsafe fn new(
        callback: recallite_count_tokens_callback,
        user_data: *mut c_void,
    ) -> Counting {
        let answer = Arc::new(AtomicI32::new(0));
        let failed = Arc::clone(&answer);
        // The caller keeps it: the core counts only during the call, on its thread.
        let user_data = UserData::new(user_data, None);
        let counter = callback.map(|count| {
            TokenCounter::new(move |text| {
                if failed.load(Ordering::Relaxed) != 0 {
                    return TOO_MANY;
                }
                let mut parts = Parts::default();
                let view = parts.text(text);
                let mut tokens = 0usize;
                // SAFETY: a function of the caller with this signature, within
                // the call; the arguments live during the callback.
                match unsafe { count(view, &raw mut tokens, user_data.pointer()) } {
                    0 => tokens.min(TOO_MANY),
                    number => {
                        failed.store(number, Ordering::Relaxed);
                        TOO_MANY
                    }
                }
            })
        });
        Counting { counter, answer }
    }

    /// The counter, or the default one.
    pub(crate) fn counter(&self) -> TokenCounter {
        self.counter.clone().unwrap_or_default()
    }

    /// The error if the function failed.
    pub(crate) fn check(&self) -> Result<()> {
        match self.answer.load(Ordering::Relaxed) {
            0 => Ok(()),
            number => Err(failed("count_tokens", number)),
        }
    }
}

/// The error of a failed callback.
pub(crate) fn failed(argument: &str, answer: i32) -> Error {
    Error::new(
        ErrorCode::Callback,
        format!("{argument}: the callback failed and returned {answer}"),
    )
    .with_argument(argument)
}
