//! Upkeep: maintenance, the outbox, waiting for changes.

use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Memory, Result, Seq};

use crate::cancel::{NativeCancel, switch};
use crate::convert::{give_plain, take};
use crate::generated::{NativeMaintainBudget, NativeMaintained, NativeProcessed};
use crate::input::{count, size};
use crate::lane::{Ask, serve};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};
use crate::output::number;
use crate::pool::Promised;

fn maintain(memory: &Memory, budget: NativeMaintainBudget) -> Result<NativeMaintained> {
    give_plain(memory.maintain(take("", budget)?)?)
}

fn process_outbox(memory: &Memory, limit: f64) -> Result<NativeProcessed> {
    give_plain(memory.process_outbox(size("limit", limit)?)?)
}

fn wait_for_change(memory: &Memory, after: f64, timeout_ms: f64) -> Result<f64> {
    let after = Seq(count("after", after)?);
    let timeout = Duration::from_millis(count("timeout_ms", timeout_ms)?);
    number(memory.wait_for_change(after, timeout)?.0)
}

#[napi]
impl NativeMemory {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeMaintained | Failure>")]
    pub fn maintain<'env>(
        &self,
        env: &'env Env,
        budget: NativeMaintainBudget,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<Promised<'env, NativeMaintained>> {
        let job = self.later(switch(cancel), |memory| maintain(memory, budget));
        self.start(env, job)
    }

    #[napi(
        catch_unwind,
        ts_args_type = "budget: NativeMaintainBudget, embed?: ((request: NativeRequest | null) => void) | undefined | null"
    )]
    pub fn maintain_sync(
        &self,
        budget: NativeMaintainBudget,
        embed: Option<Ask<'_>>,
    ) -> Outcome<NativeMaintained> {
        // Without jobs the embedder is not asked, so that one which gives
        // promises is no reason to refuse.
        let served = self.served(embed.filter(|_| budget.jobs != Some(0.0)));
        self.now(|memory| serve(&served, || maintain(memory, budget)))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeProcessed | Failure>")]
    pub fn process_outbox<'env>(
        &self,
        env: &'env Env,
        limit: f64,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<Promised<'env, NativeProcessed>> {
        let job = self.later(switch(cancel), move |memory| process_outbox(memory, limit));
        self.start(env, job)
    }

    #[napi(
        catch_unwind,
        ts_args_type = "limit: number, embed?: ((request: NativeRequest | null) => void) | undefined | null"
    )]
    pub fn process_outbox_sync(
        &self,
        limit: f64,
        embed: Option<Ask<'_>>,
    ) -> Outcome<NativeProcessed> {
        let served = self.served(embed);
        self.now(|memory| serve(&served, || process_outbox(memory, limit)))
    }

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
