//! Progress of long operations, and stopping them. What a JavaScript function is told waits
//! here until JavaScript takes it, so that no operation waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::Status;
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use recallite::{Progress, ProgressHandler};

use crate::cancel;

/// Maximum number of waiting calls: while JavaScript is busy, only the last one is kept up to
/// date.
const MAX_WAITING: usize = 1_000;

/// Does not keep the process alive.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true, 0>;

/// The way of progress to JavaScript.
#[derive(Clone, Default)]
pub struct Watching(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    progress: Vec<Progress>,
    /// `None` while no function is set.
    wake: Option<Wake>,
}

impl Watching {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on `wake` is called on the JavaScript thread when there is progress to take;
    /// without it, none is kept.
    pub fn watch(&self, wake: Option<Function<'_, (), ()>>) -> napi::Result<()> {
        let wake = match wake {
            None => None,
            Some(wake) => Some(
                wake.build_threadsafe_function::<()>()
                    .callee_handled::<false>()
                    .weak::<true>()
                    .build()?,
            ),
        };
        *self.waiting() = Waiting {
            progress: Vec::new(),
            wake,
        };
        Ok(())
    }

    /// What was told since this was last asked.
    pub fn take(&self) -> Vec<Progress> {
        std::mem::take(&mut self.waiting().progress)
    }

    /// The handler for the core. It is there even when JavaScript has none, to end the calls
    /// whose signal fires.
    pub fn handler(&self) -> ProgressHandler {
        let watching = self.clone();
        Arc::new(move |progress| {
            watching.waiting().tell(progress);
            !cancel::is_this_call_cancelled()
        })
    }
}

impl Waiting {
    fn tell(&mut self, progress: &Progress) {
        let Some(wake) = &self.wake else {
            return;
        };
        if self.progress.len() == MAX_WAITING {
            self.progress.pop();
        }
        self.progress.push(*progress);
        // One wake-up takes all that came before.
        if self.progress.len() == 1 {
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}
