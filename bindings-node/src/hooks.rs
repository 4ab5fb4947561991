//! Functions for tests of the boundary only: the feature `test-hooks` is off in every
//! published package.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Error, ErrorCode, Result};

use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome, now};

/// Simulates a defect of the core.
pub fn panic_on_purpose<T>() -> Result<T> {
    panic!("a panic on purpose")
}

/// Panics inside a blocking call of this memory.
#[napi]
pub fn test_panic_sync(memory: &NativeMemory) -> Outcome<()> {
    memory.now(|_| panic_on_purpose())
}

/// Panics inside a call of this memory on a worker.
#[napi(ts_return_type = "Promise<undefined | Failure>")]
pub fn test_panic(memory: &NativeMemory) -> AsyncTask<Job<()>> {
    AsyncTask::new(memory.later(None, |_| panic_on_purpose()))
}

/// Fails with each error code in turn, so that the mapping of those which
/// nothing can cause today is tested too.
#[napi]
pub fn test_failure(code: String) -> Outcome<()> {
    now(None, || {
        let code = ErrorCode::ALL.iter().find(|known| known.as_str() == code);
        match code {
            Some(code) => Err(Error::new(*code, "a failure on purpose").with_argument("some_name")),
            None => Ok(()),
        }
    })
}

/// A job that only waits, to keep the workers busy.
#[napi(ts_return_type = "Promise<undefined | Failure>")]
pub fn test_sleep(ms: u32) -> AsyncTask<Job<()>> {
    AsyncTask::new(Job::new(None, None, move || -> Result<()> {
        std::thread::sleep(std::time::Duration::from_millis(u64::from(ms)));
        Ok(())
    }))
}
