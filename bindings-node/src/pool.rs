//! Threads for calls that may wait for an embedder in JavaScript.
//!
//! A libuv worker must not wait for one. There are only four by default, needed for reading
//! files and looking up names, also by an embedder that reads a file or calls a service: if
//! all of them waited for it, it would never answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{Either, Object, PromiseRaw, ToNapiValue, TypeName};
use napi::{Env, Task};
use recallite::{Error, ErrorCode};

use crate::outcome::{Job, Outcome};

/// How many calls of one memory run at once: more would only wait for the single JavaScript
/// thread.
const MAX_RUNNING: usize = 4;

/// A call; it receives the reason if it cannot run.
type Work = Box<dyn FnOnce(Option<Error>) + Send>;

/// The threads of one embedder. Each ends when no call is waiting.
#[derive(Default)]
pub struct Pool(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: VecDeque<Work>,
    running: usize,
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Work> {
        let mut state = self.state();
        let work = state.waiting.pop_front();
        if work.is_none() {
            state.running -= 1;
        }
        work
    }

    /// Runs a call on a thread in its turn.
    fn run(self: &Arc<Self>, work: Work) {
        let mut state = self.state();
        state.waiting.push_back(work);
        if state.running == MAX_RUNNING {
            return;
        }
        state.running += 1;
        drop(state);
        let pool = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("recallite-call".to_owned())
            .spawn(move || {
                // A call catches its own panics.
                while let Some(work) = pool.next() {
                    work(None);
                }
            });
        if let Err(cause) = spawned {
            let mut state = self.state();
            state.running -= 1;
            // Another thread will reach it, unless there is none.
            let stuck = match state.running {
                0 => std::mem::take(&mut state.waiting),
                _ => VecDeque::new(),
            };
            drop(state);
            let error = Error::new(ErrorCode::Io, format!("could not start a thread: {cause}"));
            for work in stuck {
                work(Some(error.clone()));
            }
        }
    }
}

/// The promise of a call, wherever it runs.
pub type Promised<'env, T> = Either<PromiseRaw<'env, Outcome<T>>, Object<'env>>;

/// Starts a call that may embed: on a libuv worker, or on a thread of the embedder if it may
/// have to wait for JavaScript.
pub fn start<'env, T: ToNapiValue + TypeName + Send + 'static>(
    env: &'env Env,
    pool: Option<Arc<Pool>>,
    mut job: Job<T>,
) -> napi::Result<Promised<'env, T>> {
    let Some(pool) = pool else {
        return Ok(Either::A(env.spawn(job)?.promise_object()));
    };
    let (deferred, promise) = env.create_deferred()?;
    pool.run(Box::new(move |refusal| {
        let outcome = match refusal {
            None => job.compute().unwrap_or_else(|error| {
                Either::B(Error::new(ErrorCode::Internal, error.reason.as_str()).into())
            }),
            Some(error) => Either::B(error.into()),
        };
        // The job may hold the last reference to the store, so drop it here.
        drop(job);
        deferred.resolve(move |_| Ok(outcome));
    }));
    Ok(Either::B(promise))
}
