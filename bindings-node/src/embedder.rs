//! The embedder and the token counter backed by JavaScript functions.

use std::sync::Arc;

use napi_derive::napi;
use recallite::embed::CallbackEmbedder;
use recallite::{Error, ErrorCode, Result, TokenCounter};

use crate::input::count;
use crate::js_calls::{Answer, Ask, JsCalls};

/// An embedder in JavaScript, to be handed to `open`.
#[napi]
pub struct NativeEmbedder {
    id: String,
    dimensions: f64,
    max_batch: Option<f64>,
    js_calls: Arc<JsCalls>,
}

#[napi]
impl NativeEmbedder {
    /// `ask` gets a request to answer, or null, which asks for nothing.
    #[napi(constructor)]
    pub fn new(
        id: String,
        dimensions: f64,
        max_batch: Option<f64>,
        is_async: bool,
        #[napi(ts_arg_type = "(request: NativeRequest | null) => void")] ask: Ask<'_>,
    ) -> napi::Result<Self> {
        Ok(NativeEmbedder {
            id,
            dimensions,
            max_batch,
            js_calls: JsCalls::new(&ask, is_async)?,
        })
    }
}

/// What a worker needs to open a memory with an embedder.
pub struct Described {
    id: String,
    dimensions: f64,
    max_batch: Option<f64>,
    /// The calls to its function.
    pub js_calls: Arc<JsCalls>,
}

/// The description of an optional embedder.
pub fn described(embedder: Option<&NativeEmbedder>) -> Option<Described> {
    embedder.map(|embedder| Described {
        id: embedder.id.clone(),
        dimensions: embedder.dimensions,
        max_batch: embedder.max_batch,
        js_calls: Arc::clone(&embedder.js_calls),
    })
}

impl Described {
    /// The embedder in the core's form.
    pub fn embedder(&self) -> Result<CallbackEmbedder> {
        let size = |argument, value| {
            count(argument, value).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
        };
        let dimensions = size("embedder.dimensions", self.dimensions)?;
        let max_batch = self
            .max_batch
            .map(|texts| match size("embedder.max_batch", texts)? {
                0 => Err(Error::invalid("embedder.max_batch", "must be at least 1")),
                texts => Ok(texts),
            })
            .transpose()?;
        let js_calls = Arc::clone(&self.js_calls);
        let embedder = CallbackEmbedder::new(self.id.clone(), dimensions, move |texts| {
            match js_calls.ask(texts.iter().map(|&text| text.to_owned()).collect())? {
                Answer::Vectors(vectors) => Ok(vectors),
                Answer::Failed(problem) => Err(problem.into()),
                Answer::Number(_) => Err("it returned a number".into()),
            }
        })?;
        Ok(match max_batch {
            Some(texts) => embedder.with_max_batch(texts),
            None => embedder,
        })
    }
}

/// Counts tokens in JavaScript; without a function, by the estimate.
pub fn counter(js_calls: Option<Arc<JsCalls>>) -> TokenCounter {
    let Some(js_calls) = js_calls else {
        return TokenCounter::default();
    };
    TokenCounter::fallible(move |text| {
        let problem = match js_calls.ask(vec![text.to_owned()]) {
            // The TypeScript layer checks the number; `as` keeps it in range.
            Ok(Answer::Number(tokens)) => return Ok(tokens as usize),
            Ok(Answer::Failed(problem)) => problem,
            Ok(Answer::Vectors(_)) => "it returned vectors".to_owned(),
            Err(problem) => problem.to_owned(),
        };
        let problem = format!("countTokens failed: {problem}");
        Err(Error::new(ErrorCode::Callback, problem))
    })
}
