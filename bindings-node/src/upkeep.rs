//! Waiting for changes.

use std::time::Duration;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Memory, Result, Seq};

use crate::cancel::{NativeCancel, switch};
use crate::input::count;
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};
use crate::output::number;

fn wait_for_change(memory: &Memory, after: f64, timeout_ms: f64) -> Result<f64> {
    let after = Seq(count("after", after)?);
    let timeout = Duration::from_millis(count("timeout_ms", timeout_ms)?);
    number(memory.wait_for_change(after, timeout)?.0)
}

#[napi]
impl NativeMemory {
    /// Waits on a worker: the TypeScript layer only asks for a moment at a time,
    /// since a worker that waits does nothing else.
    #[napi(catch_unwind, ts_return_type = "Promise<number | Failure>")]
    pub fn wait_for_change(
        &self,
        after: f64,
        timeout_ms: f64,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<f64>> {
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            wait_for_change(memory, after, timeout_ms)
        }))
    }

    #[napi(catch_unwind)]
    pub fn wait_for_change_sync(&self, after: f64, timeout_ms: f64) -> Outcome<f64> {
        self.now(|memory| wait_for_change(memory, after, timeout_ms))
    }
}
