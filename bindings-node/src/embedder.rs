//! The embedder and the token counter backed by JavaScript functions.

use std::sync::Arc;

use napi_derive::napi;
use recallite::embed::CallbackEmbedder;
use recallite::{Error, ErrorCode, Result, TokenCounter};

use crate::input::count;
use crate::lane::{Answer, Ask, Lane};

/// An embedder in JavaScript, to be handed to `open`.
#[napi]
pub struct NativeEmbedder {
    id: String,
    dimensions: f64,
    max_batch: Option<f64>,
    lane: Arc<Lane>,
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
            lane: Lane::new(&ask, is_async)?,
        })
    }
}

/// What a worker needs to open a memory with an embedder.
pub struct Described {
    id: String,
    dimensions: f64,
    max_batch: Option<f64>,
    /// The lane to its function.
    pub lane: Arc<Lane>,
}

/// The description of an optional embedder.
pub fn described(embedder: Option<&NativeEmbedder>) -> Option<Described> {
    embedder.map(|embedder| Described {
        id: embedder.id.clone(),
        dimensions: embedder.dimensions,
        max_batch: embedder.max_batch,
        lane: Arc::clone(&embedder.lane),
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
        let lane = Arc::clone(&self.lane);
        let embedder = CallbackEmbedder::new(self.id.clone(), dimensions, move |texts| match lane
            .ask(texts.iter().map(|&text| text.to_owned()).collect())?
        {
            Answer::Vectors(vectors) => Ok(vectors),
            Answer::Failed(problem) => Err(problem.into()),
            Answer::Number(_) => Err("it returned a number".into()),
        })?;
        Ok(match max_batch {
            Some(texts) => embedder.with_max_batch(texts),
            None => embedder,
        })
    }
}

/// Counts tokens in JavaScript; without a function, by the estimate.
pub fn counter(lane: Option<Arc<Lane>>) -> TokenCounter {
    let Some(lane) = lane else {
        return TokenCounter::default();
    };
    TokenCounter::fallible(move |text| {
        let problem = match lane.ask(vec![text.to_owned()]) {
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
