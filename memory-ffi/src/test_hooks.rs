//! Ways to make the library fail on purpose. Only with the feature
//! `test-hooks`, and not in the header.

use crate::call::with_memory;
use crate::error::recallite_error;
use crate::generated::recallite_status;
use crate::handle::recallite_memory;

/// Panics inside a call on `memory`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_test_panic(
    memory: *mut recallite_memory,
    error: *mut *mut recallite_error,
) -> recallite_status {
    with_memory(memory, error, |_| panic!("a panic that a test asked for"))
}
