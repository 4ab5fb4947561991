//! Delivers log records to a JavaScript function: they wait here until JavaScript takes
//! them, so that no worker waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::Status;
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use recallite::LogRecord;

use crate::convert::give_plain;
use crate::generated::NativeLogRecord;
use crate::outcome::{Outcome, quick};

/// Maximum number of waiting records: while JavaScript is busy, newer ones are dropped.
const MAX_WAITING: usize = 10_000;

/// Does not keep the process alive.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true, 0>;

/// The function for the core.
pub type OnLog = Box<dyn Fn(&LogRecord) + Send + Sync>;

/// The records that wait for JavaScript.
struct Waiting {
    records: Mutex<Vec<LogRecord>>,
    wake: Wake,
}

/// The way of records to JavaScript, to be handed to `open`.
#[napi]
pub struct NativeLogger {
    waiting: Arc<Waiting>,
}

#[napi]
impl NativeLogger {
    /// `wake` is called on the JavaScript thread when there are records to take.
    #[napi(constructor)]
    pub fn new(wake: Function<'_, (), ()>) -> napi::Result<Self> {
        let wake = wake
            .build_threadsafe_function::<()>()
            .callee_handled::<false>()
            .weak::<true>()
            .build()?;
        let records = Mutex::default();
        Ok(NativeLogger {
            waiting: Arc::new(Waiting { records, wake }),
        })
    }

    /// What was told since this was last asked.
    #[napi(catch_unwind)]
    pub fn take(&self) -> Outcome<Vec<NativeLogRecord>> {
        quick(|| give_plain(std::mem::take(&mut *self.waiting.records())))
    }
}

impl Waiting {
    fn records(&self) -> MutexGuard<'_, Vec<LogRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NativeLogger {
    /// The function for the core.
    pub fn function(&self) -> OnLog {
        let waiting = Arc::clone(&self.waiting);
        Box::new(move |record| {
            let mut records = waiting.records();
            if records.len() == MAX_WAITING {
                return;
            }
            records.push(record.clone());
            // One wake-up takes all records that came before.
            if records.len() == 1 {
                waiting
                    .wake
                    .call((), ThreadsafeFunctionCallMode::NonBlocking);
            }
        })
    }
}
