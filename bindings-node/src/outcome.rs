//! The result of a call as it crosses the boundary: a value, or a failure as data.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{Either, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;
use recallite::{Error, ErrorCode, Result};

use crate::cancel::{Cancel, cancellable};

/// A failure, as data. The property `failureCode` tells it from every result.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct Failure {
    /// The stable code, for example `not_found`; `aborted` when the call was
    /// cancelled before it began.
    pub failure_code: String,
    /// What happened and what to do next, in English.
    pub message: String,
    /// The argument that was wrong, as JavaScript spells it.
    pub argument: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Whether the memory must be opened again first.
    pub needs_reopen: bool,
    /// The messages of the causes, the nearest first.
    pub causes: Vec<String>,
}

/// A value or a failure.
pub type Outcome<T> = Either<T, Failure>;

impl From<Error> for Failure {
    /// A place inside an extraction keeps the spelling of the published schema.
    fn from(error: Error) -> Self {
        match error.argument().is_some_and(is_in_extraction) {
            true => Failure::in_json(&error),
            false => Failure::spelled(&error, camel_case),
        }
    }
}

/// Whether what an error names is in an extraction: no argument has the name of one of its
/// fields.
fn is_in_extraction(place: &str) -> bool {
    ["schema_version", "entries", "tasks", "relations"]
        .iter()
        .any(|field| place.starts_with(field))
}

impl Failure {
    /// An error about a place inside given JSON keeps the spelling of that JSON.
    pub fn in_json(error: &Error) -> Self {
        Failure::spelled(error, str::to_owned)
    }

    fn spelled(error: &Error, spell: impl FnOnce(&str) -> String) -> Self {
        let mut causes = Vec::new();
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            causes.push(inner.to_string());
            cause = inner.source();
        }
        let error = match error.argument().map(spell) {
            Some(spelled) => &error.clone().with_argument(spelled),
            None => error,
        };
        Failure {
            failure_code: error.code().as_str().to_owned(),
            message: spelled(error.message()),
            argument: error.argument().map(str::to_owned),
            retryable: error.is_retryable(),
            needs_reopen: error.needs_reopen(),
            causes,
        }
    }
}

/// A message of the core whose functions, as in `call import_jsonl()`, and options between
/// backticks are spelled as in JavaScript.
pub fn spelled(message: &str) -> String {
    recallite::respelled(message, |name| camel_case(name) + "()", camel_case)
}

/// `busy_timeout_ms` as `busyTimeoutMs`; what stands in brackets is a key of the caller's.
fn camel_case(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    let (mut is_upper, mut is_key) = (false, false);
    for letter in name.chars() {
        is_key = letter == '[' || is_key && letter != ']';
        if letter == '_' && !is_key {
            is_upper = true;
        } else if std::mem::take(&mut is_upper) {
            spelled.extend(letter.to_uppercase());
        } else {
            spelled.push(letter);
        }
    }
    spelled
}

/// Runs a call; a panic inside becomes `internal` and poisons the handle, if the call has
/// one, after which every call on it fails with `poisoned`.
fn guarded<T, E: Into<Failure>>(
    poisoned: Option<&AtomicBool>,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, Failure> {
    if poisoned.is_some_and(|flag| flag.load(Ordering::Acquire)) {
        return Err(Failure::from(Error::new(
            ErrorCode::Poisoned,
            "an earlier panic left this memory unusable; close it and open it again",
        )));
    }
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(outcome) => outcome.map_err(Into::into),
        Err(payload) => {
            // Dropping an unknown payload could panic again, outside of any guard.
            if !payload.is::<&str>() && !payload.is::<String>() {
                std::mem::forget(payload);
            }
            if let Some(flag) = poisoned {
                flag.store(true, Ordering::Release);
            }
            Err(panicked(poisoned.is_some()))
        }
    }
}

/// The failure of a call that panicked. The panic's text is not shown, because it may quote
/// stored text.
fn panicked(is_poisoning: bool) -> Failure {
    let next = match is_poisoning {
        true => "close the memory and open it again",
        false => "it can be called again",
    };
    let error = Error::new(
        ErrorCode::Internal,
        format!("a defect in recallite ended the call (see standard error); {next}"),
    );
    Failure {
        needs_reopen: is_poisoning,
        ..Failure::from(error)
    }
}

/// The blocking form of a call. `poisoned` belongs to the handle that a panic poisons.
pub fn now<T, E: Into<Failure>>(
    poisoned: Option<&AtomicBool>,
    call: impl FnOnce() -> Result<T, E>,
) -> Outcome<T> {
    match guarded(poisoned, call) {
        Ok(value) => Either::A(value),
        Err(failure) => Either::B(failure),
    }
}

/// A call that needs no memory and is too quick for a worker.
pub fn quick<T>(call: impl FnOnce() -> Result<T>) -> Outcome<T> {
    now(None, call)
}

/// The form of a call that runs on a libuv worker.
pub struct Job<T> {
    poisoned: Option<Arc<AtomicBool>>,
    cancel: Option<Cancel>,
    call: Option<Box<dyn FnOnce() -> Result<T, Failure> + Send>>,
}

impl<T> Job<T> {
    /// A call that runs unless it is cancelled before it starts; see [`now`] for `poisoned`.
    pub fn new<E: Into<Failure>>(
        poisoned: Option<Arc<AtomicBool>>,
        cancel: Option<Cancel>,
        call: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Self {
        Job {
            poisoned,
            cancel,
            call: Some(Box::new(move || -> Result<T, Failure> {
                call().map_err(Into::into)
            })),
        }
    }
}

impl<T: ToNapiValue + TypeName + Send + 'static> Task for Job<T> {
    type Output = Outcome<T>;
    type JsValue = Outcome<T>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        // Taken, so that what the call holds (above all the store) is released here on the
        // worker and not on the JavaScript thread.
        let call = self.call.take().expect("libuv runs a job once");
        if self.cancel.as_ref().is_some_and(|cancel| !cancel.begin()) {
            return Ok(Either::B(Failure {
                failure_code: "aborted".to_owned(),
                message: "the call was aborted before it began".to_owned(),
                argument: None,
                retryable: true,
                needs_reopen: false,
                causes: Vec::new(),
            }));
        }
        let poisoned = self.poisoned.as_deref();
        // A panic in the call is caught inside.
        Ok(cancellable(self.cancel.as_ref(), || now(poisoned, call)))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(output)
    }
}
