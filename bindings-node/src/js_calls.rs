//! Carries callbacks to JavaScript and their answers back, for both forms of calls.
//!
//! JavaScript runs on one thread. How a request gets there depends on what that thread is
//! doing:
//!
//! - it runs its event loop, because the asking call is asynchronous: a threadsafe function
//!   delivers the request, and the answer may come later, from a promise;
//! - it is inside a blocking call: then that call runs on a thread of its own ([`serve`])
//!   while the JavaScript thread answers requests. Waiting for itself would deadlock, and so
//!   would waiting for a promise, which cannot settle meanwhile: promises are refused.
//!
//! Nobody waits for an environment that is ending: a waiting worker would keep
//! `process.exit` and `Worker.terminate` from returning, because libuv joins its threads.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use napi::bindgen_prelude::{Float32Array, Function, JsObjectValue, Unknown};
use napi::threadsafe_function::{
    ThreadsafeCallContext, ThreadsafeFunction, ThreadsafeFunctionCallMode,
};
use napi::{Env, Status};
use napi_derive::napi;
use recallite::{Error, ErrorCode, Result};

use crate::pool::Pool;

/// How long an asker waits before it checks whether the environment is alive.
const PATIENCE: Duration = Duration::from_millis(50);

/// A JavaScript function, as a call receives it.
pub type Ask<'a> = Function<'a, Option<NativeRequest>, ()>;

type Call = ThreadsafeFunction<Message, (), Option<NativeRequest>, Status, false, true, 0>;

/// JavaScript's answer.
#[derive(Debug)]
pub enum Answer {
    /// One vector for each text.
    Vectors(Vec<Vec<f32>>),
    /// A number.
    Number(f64),
    /// A failure, in its own words.
    Failed(String),
}

enum Message {
    Ask(Request),
    /// Requests nothing: probes whether JavaScript can still run.
    Ping,
}

/// Shared by a request and its asker.
#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Default)]
enum State {
    #[default]
    Waiting,
    Answered(Answer),
    /// The request was dropped, so there will be no answer.
    Dropped,
}

impl Slot {
    /// Settles the request unless already settled.
    fn settle(&self, state: State) {
        let mut now = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*now, State::Waiting) {
            *now = state;
            self.settled.notify_all();
        }
    }

    fn is_waiting(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*state, State::Waiting)
    }

    /// The outcome, if there is one before the timeout.
    fn wait(&self, patience: Duration) -> State {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut state, _) = self
            .settled
            .wait_timeout_while(state, patience, |state| matches!(state, State::Waiting))
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state)
    }
}

/// A request in flight; dropping it tells the asker that no answer will come.
struct Request {
    texts: Vec<String>,
    slot: Arc<Slot>,
    gives_promises: Arc<AtomicBool>,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.slot.settle(State::Dropped);
    }
}

/// A request in the hands of the TypeScript layer, which answers it once, now
/// or later.
#[napi]
pub struct NativeRequest {
    request: Request,
}

#[napi]
impl NativeRequest {
    /// The texts that are asked about; a second call gives none.
    #[napi]
    pub fn take_texts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.request.texts)
    }

    /// Answers with one vector for each text.
    #[napi]
    pub fn answer_vectors(&self, vectors: Vec<Float32Array>) {
        let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
        self.settle(Answer::Vectors(vectors));
    }

    /// Answers with a number.
    #[napi]
    pub fn answer_number(&self, number: f64) {
        self.settle(Answer::Number(number));
    }

    /// Answers that the callback failed.
    #[napi]
    pub fn fail(&self, problem: String) {
        self.settle(Answer::Failed(problem));
    }

    /// Says that the callback gave a promise.
    #[napi]
    pub fn later(&self) {
        self.request.gives_promises.store(true, Ordering::Release);
    }
}

impl NativeRequest {
    fn settle(&self, answer: Answer) {
        self.request.slot.settle(State::Answered(answer));
    }
}

/// The calls of one JavaScript function, by which callbacks get their answers.
pub struct JsCalls {
    call: Call,
    /// The blocking calls that are answering requests, innermost last.
    served: Mutex<Vec<Serving>>,
    gives_promises: Arc<AtomicBool>,
    /// The memory is being closed, so nobody waits for answers any more.
    is_released: AtomicBool,
    state: Arc<Environment>,
    pool: Arc<Pool>,
}

/// A blocking call that answers requests.
struct Serving {
    id: u64,
    requests: Sender<(usize, Request)>,
    /// Which of the call's functions these requests address.
    place: usize,
}

/// Whether the JavaScript of a function can still run.
#[derive(Default)]
struct Environment {
    has_ended: AtomicBool,
    is_pinged: AtomicBool,
}

/// Marks the environment when napi drops the function's callback.
struct EndsWith(Arc<Environment>);

impl Drop for EndsWith {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Release);
    }
}

thread_local! {
    /// The environments of the functions of this JavaScript thread.
    static ENVIRONMENTS: RefCell<Vec<Weak<Environment>>> = const { RefCell::new(Vec::new()) };
}

/// Lets go of every worker that waits for a callback of this thread: JavaScript
/// will not run again, because the process or the worker thread exits.
#[napi]
pub fn release_callbacks() {
    ENVIRONMENTS.with_borrow_mut(|environments| {
        for state in environments.drain(..).filter_map(|state| state.upgrade()) {
            state.has_ended.store(true, Ordering::Release);
        }
    });
}

/// Whether JavaScript may run: not while an environment is torn down.
fn can_run(env: &Env) -> bool {
    env.get_global()
        .and_then(|global| global.get_named_property::<Unknown<'_>>("Object"))
        .is_ok()
}

impl JsCalls {
    /// The calls of a function; `gives_promises` if it is known to return promises.
    pub fn new(ask: &Ask<'_>, gives_promises: bool) -> napi::Result<Arc<JsCalls>> {
        let state = Arc::new(Environment::default());
        ENVIRONMENTS.with_borrow_mut(|environments| {
            environments.retain(|environment| environment.strong_count() > 0);
            environments.push(Arc::downgrade(&state));
        });
        let ends_with = EndsWith(Arc::clone(&state));
        let call = ask
            .build_threadsafe_function::<Message>()
            .callee_handled::<false>()
            .weak::<true>()
            .build_callback(move |context: ThreadsafeCallContext<Message>| {
                let environment = &ends_with.0;
                environment.is_pinged.store(false, Ordering::Release);
                if !can_run(&context.env) {
                    environment.has_ended.store(true, Ordering::Release);
                }
                Ok(match context.value {
                    Message::Ask(request) => Some(NativeRequest { request }),
                    Message::Ping => None,
                })
            })?;
        Ok(Arc::new(JsCalls {
            call,
            served: Mutex::default(),
            gives_promises: Arc::new(AtomicBool::new(gives_promises)),
            is_released: AtomicBool::new(false),
            state,
            pool: Arc::default(),
        }))
    }

    /// The threads of asynchronous calls that may make these calls.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Asks and waits for the answer. Must not be called on the JavaScript thread.
    pub fn ask(&self, texts: Vec<String>) -> std::result::Result<Answer, &'static str> {
        let slot = Arc::new(Slot::default());
        self.send(Request {
            texts,
            slot: Arc::clone(&slot),
            gives_promises: Arc::clone(&self.gives_promises),
        });
        loop {
            match slot.wait(PATIENCE) {
                State::Answered(answer) => return Ok(answer),
                State::Dropped => return Err("JavaScript returned no answer"),
                State::Waiting => {}
            }
            if self.state.has_ended.load(Ordering::Acquire) && !self.is_served() {
                return Err("the JavaScript environment is ending");
            }
            if self.is_released.load(Ordering::Acquire) && !self.is_served() {
                return Err("the memory was closed before an answer came");
            }
            if !self.state.is_pinged.swap(true, Ordering::AcqRel) {
                self.call
                    .call(Message::Ping, ThreadsafeFunctionCallMode::NonBlocking);
            }
        }
    }

    /// Releases everyone who waits for an answer, now and later: a function that never
    /// answers must not keep a closed memory's store open.
    pub fn release(&self) {
        self.is_released.store(true, Ordering::Release);
    }

    fn serving(&self) -> MutexGuard<'_, Vec<Serving>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_served(&self) -> bool {
        !self.serving().is_empty()
    }

    fn send(&self, mut request: Request) {
        if let Some(call) = self.serving().last() {
            match call.requests.send((call.place, request)) {
                Ok(()) => return,
                Err(back) => request = back.0.1,
            }
        }
        // A request that cannot be queued is dropped, which its asker notices.
        self.call.call(
            Message::Ask(request),
            ThreadsafeFunctionCallMode::NonBlocking,
        );
    }

    fn enter(&self, serving: Serving) {
        self.serving().push(serving);
    }

    /// By id, not the last one: a callback may make a blocking call of its own, and the
    /// outer call may end while that one runs.
    fn leave(&self, id: u64) {
        self.serving().retain(|call| call.id != id);
    }
}

/// The calls of a function, and that function, for [`serve`].
pub struct Served<'a> {
    /// The calls.
    pub js_calls: Arc<JsCalls>,
    /// Its function.
    pub ask: Ask<'a>,
}

fn refusal() -> Error {
    Error::new(
        ErrorCode::Unsupported,
        "the embedder returns promises, which a blocking call cannot await; \
         use the asynchronous form or a synchronous embedder",
    )
}

/// Runs a blocking call that may ask the functions, and answers its requests on
/// this thread, the JavaScript thread.
///
/// # Errors
/// Those of the call; `unsupported` if a callback returned a promise.
pub fn serve<T: Send>(served: &[Served<'_>], call: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if served.is_empty() {
        return call();
    }
    let gives_promises = |served: &[Served<'_>]| {
        served
            .iter()
            .any(|one| one.js_calls.gives_promises.load(Ordering::Acquire))
    };
    if gives_promises(served) {
        return Err(refusal());
    }
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let (sender, requests) = channel();
    for (place, one) in served.iter().enumerate() {
        one.js_calls.enter(Serving {
            id,
            requests: sender.clone(),
            place,
        });
    }
    // From here on only the calls hold senders, so the channel ends when they are left.
    drop(sender);
    let leaves = Leaves {
        js_calls: served.iter().map(|one| Arc::clone(&one.js_calls)).collect(),
        id,
    };
    let outcome = std::thread::scope(|scope| {
        let running = std::thread::Builder::new()
            .name("recallite-call".to_owned())
            .spawn_scoped(scope, move || {
                let _leaves = leaves;
                call()
            });
        let running = match running {
            Ok(running) => running,
            Err(cause) => {
                return Err(
                    Error::new(ErrorCode::Io, "could not start a thread").with_source(cause)
                );
            }
        };
        for (place, request) in requests {
            answer(&served[place], request);
        }
        running.join().unwrap_or_else(|panic| {
            // Not caught here: the caller's guard turns a panic into `internal`.
            std::panic::resume_unwind(panic)
        })
    });
    if gives_promises(served) {
        return Err(refusal());
    }
    outcome
}

/// Restores the usual route of requests, even if the call panics.
struct Leaves {
    js_calls: Vec<Arc<JsCalls>>,
    id: u64,
}

impl Drop for Leaves {
    fn drop(&mut self) {
        for calls in &self.js_calls {
            calls.leave(self.id);
        }
    }
}

fn answer(served: &Served<'_>, request: Request) {
    let slot = Arc::clone(&request.slot);
    let _ = served.ask.call(Some(NativeRequest { request }));
    if !slot.is_waiting() {
        return;
    }
    if served.js_calls.gives_promises.load(Ordering::Acquire) {
        slot.settle(State::Answered(Answer::Failed(
            "it returned a promise to a blocking call".to_owned(),
        )));
    } else {
        // The TypeScript layer's function always answers, so JavaScript was ended inside it. What
        // holds the request is an object of JavaScript's, which may never be collected.
        slot.settle(State::Dropped);
    }
}
