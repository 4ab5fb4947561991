//! The handle that the TypeScript class `Memory` holds.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Function, ToNapiValue, TypeName};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use recallite::{Error, ErrorCode, Memory, Result};

use crate::calls::{self, NativeImportDone};
use crate::cancel::{Cancel, NativeCancel, cancellable, switch};
use crate::convert::{give_plain, take, utf8};
use crate::cursor::{Cursors, NativeCursor};
use crate::embedder::{Described, NativeEmbedder, described};
use crate::generated::{
    NativeEventFilter, NativeImportFields, NativeImportProgress, NativeProgress, NativeQuery,
    NativeSearchResult,
};
use crate::js_calls::{Ask, JsCalls, Served, serve};
use crate::list::{NativeBatch, NativeReceipts};
use crate::logging::{NativeLogger, OnLog};
use crate::methods::methods;
use crate::options::NativeOpening;
use crate::outcome::{Failure, Job, Outcome, now, quick};
use crate::pool::{self, Promised};
use crate::progress::Watching;

/// An open memory, or what is left of it after `close`.
#[napi]
pub struct NativeMemory {
    memory: Arc<Mutex<Option<Memory>>>,
    cursors: Arc<Cursors>,
    poisoned: Arc<AtomicBool>,
    /// The way to an embedder in JavaScript; the core's memory keeps it alive.
    embedder: Weak<JsCalls>,
    watching: Watching,
    path: PathBuf,
    project: String,
}

fn held(memory: &Mutex<Option<Memory>>) -> Result<Memory> {
    memory
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
        .ok_or_else(|| Error::new(ErrorCode::Closed, "the memory was closed; open it again"))
}

fn close(memory: &Mutex<Option<Memory>>, cursors: &Cursors) -> Result<()> {
    cursors.close();
    let taken = memory.lock().unwrap_or_else(PoisonError::into_inner).take();
    match taken {
        Some(memory) => memory.close(),
        None => Ok(()),
    }
}

impl NativeMemory {
    fn open(
        path: &str,
        options: NativeOpening,
        embedder: Option<&Described>,
        on_log: Option<OnLog>,
    ) -> Result<Self, Failure> {
        let memory = calls::open(path, options, embedder, on_log)?;
        let watching = Watching::default();
        memory.set_progress_handler(Some(watching.handler()));
        Ok(NativeMemory {
            watching,
            embedder: embedder
                .map_or_else(Weak::new, |embedder| Arc::downgrade(&embedder.js_calls)),
            path: memory.path().to_owned(),
            project: memory.project().to_owned(),
            memory: Arc::new(Mutex::new(Some(memory))),
            cursors: Arc::default(),
            poisoned: Arc::new(AtomicBool::new(false)),
        })
    }

    /// The way to the embedder, when it is one in JavaScript.
    pub(crate) fn embedder(&self) -> Option<Arc<JsCalls>> {
        self.embedder.upgrade()
    }

    /// What a blocking call that may embed must serve; nothing unless the embedder is in
    /// JavaScript.
    pub(crate) fn served<'a>(&self, ask: Option<Ask<'a>>) -> Vec<Served<'a>> {
        match (self.embedder(), ask) {
            (Some(js_calls), Some(ask)) => vec![Served { js_calls, ask }],
            _ => Vec::new(),
        }
    }

    /// The same for a recall, which does not ask the embedder about a question whose vector
    /// is given.
    pub(crate) fn served_for<'a>(
        &self,
        query: &NativeQuery,
        ask: Option<Ask<'a>>,
    ) -> Vec<Served<'a>> {
        self.served(ask.filter(|_| query.vector.is_none()))
    }

    /// Starts a call that may embed.
    pub(crate) fn start<'env, T: ToNapiValue + TypeName + Send + 'static>(
        &self,
        env: &'env Env,
        job: Job<T>,
    ) -> napi::Result<Promised<'env, T>> {
        let pool = self.embedder().map(|js_calls| Arc::clone(js_calls.pool()));
        pool::start(env, pool, job)
    }

    pub(crate) fn now<T>(&self, call: impl FnOnce(&Memory) -> Result<T>) -> Outcome<T> {
        now(Some(&self.poisoned), || call(&held(&self.memory)?))
    }

    /// The handle is taken when the worker starts, so that a call which waits for a worker
    /// while `closeSync` runs fails with `closed`.
    pub(crate) fn later<T: Send + 'static>(
        &self,
        cancel: Option<Cancel>,
        call: impl FnOnce(&Memory) -> Result<T> + Send + 'static,
    ) -> Job<T> {
        let memory = Arc::clone(&self.memory);
        Job::new(Some(Arc::clone(&self.poisoned)), cancel, move || {
            call(&held(&memory)?)
        })
    }
}

fn wait_for_change(memory: &Memory, after: f64, timeout_ms: f64) -> Result<f64> {
    let last = memory.wait_for_change(take("after", after)?, take("timeout_ms", timeout_ms)?)?;
    give_plain(last)
}

methods! {
    wait_for_change / wait_for_change_sync(after: [f64], timeout_ms: [f64])
        -> [f64] as "Promise<number | Failure>" = wait_for_change;
}

/// Opens a memory on a worker.
#[napi(catch_unwind, ts_return_type = "Promise<NativeMemory | Failure>")]
pub fn open(
    path: String,
    options: NativeOpening,
    cancel: Option<&NativeCancel>,
    embedder: Option<&NativeEmbedder>,
    logger: Option<&NativeLogger>,
) -> AsyncTask<Job<NativeMemory>> {
    let embedder = described(embedder);
    let on_log = logger.map(NativeLogger::function);
    AsyncTask::new(Job::new(None, switch(cancel), move || {
        NativeMemory::open(&path, options, embedder.as_ref(), on_log)
    }))
}

/// Opens a memory, blocking.
#[napi(catch_unwind)]
pub fn open_sync(
    path: String,
    options: NativeOpening,
    embedder: Option<&NativeEmbedder>,
    logger: Option<&NativeLogger>,
) -> Outcome<NativeMemory> {
    let on_log = logger.map(NativeLogger::function);
    now(None, || {
        NativeMemory::open(&path, options, described(embedder).as_ref(), on_log)
    })
}

#[napi]
impl NativeMemory {
    /// The folder of the memory; a failure when its path is not UTF-8.
    #[napi(getter)]
    pub fn path(&self) -> Outcome<String> {
        now(None, || utf8(self.path.clone()))
    }

    /// The project that the memory was opened for.
    #[napi(getter)]
    pub fn project(&self) -> &str {
        &self.project
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeReceipts | Failure>")]
    pub fn append_batch(
        &self,
        batch: &NativeBatch,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeReceipts>> {
        let events = batch.take();
        AsyncTask::new(self.later(switch(cancel), |memory| calls::append_batch(memory, events)))
    }

    #[napi(catch_unwind)]
    pub fn append_batch_sync(&self, batch: &NativeBatch) -> Outcome<NativeReceipts> {
        self.now(|memory| calls::append_batch(memory, batch.take()))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeCursor | Failure>")]
    pub fn events(
        &self,
        filter: NativeEventFilter,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeCursor>> {
        let poisoned = Arc::clone(&self.poisoned);
        let cursors = Arc::clone(&self.cursors);
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            let events = calls::events(memory, filter)?;
            Ok(NativeCursor::new(events, &cursors, poisoned))
        }))
    }

    #[napi(catch_unwind)]
    pub fn events_sync(&self, filter: NativeEventFilter) -> Outcome<NativeCursor> {
        self.now(|memory| {
            Ok(NativeCursor::new(
                calls::events(memory, filter)?,
                &self.cursors,
                Arc::clone(&self.poisoned),
            ))
        })
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeSearchResult | Failure>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: NativeQuery,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<Promised<'env, NativeSearchResult>> {
        let asked = Instant::now();
        let job = self.later(switch(cancel), move |memory| {
            calls::search(memory, query, asked)
        });
        self.start(env, job)
    }

    #[napi(
        catch_unwind,
        ts_args_type = "query: NativeQuery, embed?: ((request: NativeRequest | null) => void) | undefined | null"
    )]
    pub fn search_sync(
        &self,
        query: NativeQuery,
        embed: Option<Ask<'_>>,
    ) -> Outcome<NativeSearchResult> {
        let served = self.served_for(&query, embed);
        self.now(|memory| serve(&served, || calls::search(memory, query, Instant::now())))
    }

    /// The callback is called with the progress but not waited for; the import ends early when it
    /// is cancelled.
    #[napi(
        catch_unwind,
        ts_return_type = "Promise<NativeImportDone | Failure>",
        ts_args_type = "path: string, options: NativeImportFields, onProgress: ((progress: NativeImportProgress) => void) | undefined | null, cancel?: NativeCancel | undefined | null"
    )]
    pub fn import_claude_code(
        &self,
        path: String,
        options: NativeImportFields,
        on_progress: Option<Function<'_, NativeImportProgress, ()>>,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<AsyncTask<Job<NativeImportDone>>> {
        let on_progress = on_progress
            .map(|call| call.build_threadsafe_function().build())
            .transpose()?;
        let cancel = switch(cancel);
        let while_running = cancel.clone();
        Ok(AsyncTask::new(self.later(cancel, move |memory| {
            let goes_on = |now: NativeImportProgress| {
                if let Some(call) = &on_progress {
                    call.call(now, ThreadsafeFunctionCallMode::NonBlocking);
                }
                !while_running.as_ref().is_some_and(Cancel::is_cancelled)
            };
            // It ends with a report, not with the error of an operation that was stopped.
            cancellable(None, || {
                calls::import_claude_code(memory, &path, options, goes_on)
            })
        })))
    }

    /// As `import_claude_code`, blocking; the import ends when the callback
    /// gives false.
    #[napi(
        catch_unwind,
        ts_args_type = "path: string, options: NativeImportFields, onProgress?: ((progress: NativeImportProgress) => boolean) | undefined | null"
    )]
    pub fn import_claude_code_sync(
        &self,
        path: String,
        options: NativeImportFields,
        on_progress: Option<Function<'_, NativeImportProgress, bool>>,
    ) -> Outcome<NativeImportDone> {
        self.now(|memory| {
            calls::import_claude_code(memory, &path, options, |now| {
                // The TypeScript layer's callback keeps what it catches and returns false;
                // a throw that gets past it ends the import as well.
                on_progress
                    .as_ref()
                    .is_none_or(|call| call.call(now).unwrap_or(false))
            })
        })
    }

    /// `wake` is called on the JavaScript thread when there is progress to take; without it,
    /// none is kept.
    #[napi(catch_unwind, ts_args_type = "wake: (() => void) | undefined | null")]
    pub fn watch_progress(&self, wake: Option<Function<'_, (), ()>>) -> napi::Result<()> {
        self.watching.watch(wake)
    }

    /// What was told since this was last asked.
    #[napi(catch_unwind)]
    pub fn take_progress(&self) -> Outcome<Vec<NativeProgress>> {
        quick(|| give_plain(self.watching.take()))
    }

    /// Stops the long operations that run now.
    #[napi(catch_unwind)]
    pub fn interrupt(&self) -> Outcome<()> {
        self.now(|memory| {
            memory.interrupt();
            Ok(())
        })
    }

    /// Lets go of the calls that wait for the embedder, now and later.
    #[napi(catch_unwind)]
    pub fn release_embedder(&self) {
        if let Some(js_calls) = self.embedder() {
            js_calls.release();
        }
    }

    /// Closes the handle on a worker, where the store file is released.
    #[napi(catch_unwind, ts_return_type = "Promise<undefined | Failure>")]
    pub fn close(&self) -> AsyncTask<Job<()>> {
        let memory = Arc::clone(&self.memory);
        let cursors = Arc::clone(&self.cursors);
        // A poisoned handle can be closed too, hence no flag.
        AsyncTask::new(Job::new(None, None, move || close(&memory, &cursors)))
    }

    /// As `close`, blocking.
    #[napi(catch_unwind)]
    pub fn close_sync(&self) -> Outcome<()> {
        now(None, || close(&self.memory, &self.cursors))
    }

    /// Whether the handle is open.
    #[napi(getter)]
    pub fn is_open(&self) -> bool {
        held(&self.memory).is_ok_and(|memory| memory.is_open())
    }

    /// Whether an earlier panic left the handle unusable.
    #[napi(getter)]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }
}
