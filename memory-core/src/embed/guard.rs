//! The guard around an embedder: validates answers, catches panics and enforces the time
//! limit.

use super::callback::check_description;
use super::{Embedder, normalise};
use crate::model::error::{Error, ErrorCode, Result};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The number of abandoned calls, and the process they belong to: threads do not survive `fork`, so a
/// child starts at none. A single atomic word, with the process in its upper half, because a fork
/// could copy a lock in its locked state.
#[derive(Debug, Default)]
struct Abandoned(AtomicU64);

impl Abandoned {
    fn calls(word: u64) -> u64 {
        match word >> 32 == u64::from(std::process::id()) {
            true => word & u64::from(u32::MAX),
            false => 0,
        }
    }

    fn count(&self) -> u64 {
        Self::calls(self.0.load(Ordering::Acquire))
    }

    fn change(&self, change: impl Fn(u64) -> u64) {
        let process = u64::from(std::process::id()) << 32;
        // The closure always returns a word, so the update cannot fail.
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                Some(process | change(Self::calls(word)))
            });
    }

    fn add(&self) {
        self.change(|calls| calls + 1);
    }

    fn remove(&self) {
        self.change(|calls| calls.saturating_sub(1));
    }
}

/// An embedder whose answers are validated and normalised to length 1.
///
/// Clones share the embedder and its state. A guard never calls the embedder again by
/// itself after a failure; that is up to the outbox.
///
/// # Threads
/// A call without a time limit runs on the caller's thread. One with a limit runs on a thread
/// named `recallite-embedder`, which is joined when it answers in time. A thread cannot be
/// stopped from outside: when the time is over it is left behind, and until it returns every
/// further call fails at once with [`ErrorCode::Embedder`], so that a hanging embedder costs one
/// thread and one time limit, not one per recall.
#[derive(Clone)]
pub struct GuardedEmbedder {
    embedder: Arc<dyn Embedder>,
    id: Arc<str>,
    dimensions: usize,
    abandoned: Arc<Abandoned>,
}

impl GuardedEmbedder {
    /// Guards an embedder.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] when what it says of its id or dimensions is impossible;
    /// [`ErrorCode::Callback`] when it panics while it is asked.
    pub fn new(embedder: Arc<dyn Embedder>) -> Result<GuardedEmbedder> {
        let described = catch_unwind(AssertUnwindSafe(|| {
            check_description(embedder.as_ref())?;
            Ok((Arc::from(embedder.id()), embedder.dimensions()))
        }));
        let (id, dimensions) = described.unwrap_or_else(|payload| {
            Err(Error::new(
                ErrorCode::Callback,
                format!("the embedder panicked: {}", panic_text(payload.as_ref())),
            ))
        })?;
        Ok(GuardedEmbedder {
            embedder,
            id,
            dimensions,
            abandoned: Arc::default(),
        })
    }

    /// Returns the embedder's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the number of dimensions of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the name under which the embedder's vectors are stored; see
    /// [`embedding_version`](super::embedding_version).
    ///
    /// # Errors
    /// [`ErrorCode::Callback`] when the embedder panics while it is asked.
    pub fn version(&self) -> Result<String> {
        self.call(|embedder| Ok(super::embedding_version(embedder)))
    }

    /// Returns the guarded embedder.
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// Returns true if a call can be made now, and false while a call that ran out of time
    /// has not returned.
    pub fn is_available(&self) -> bool {
        self.abandoned.count() == 0
    }

    /// Returns one unit vector per text, however long it takes. A text that means nothing
    /// to the embedder gets the zero vector. The texts are passed to the embedder in
    /// batches of its size.
    ///
    /// # Errors
    /// [`ErrorCode::Embedder`] when an answer has the wrong number of vectors or numbers, a number
    /// that is not finite (naming the text's index, never the text), or when an earlier call is
    /// still hanging; [`ErrorCode::Callback`] when the embedder panics; and its own errors.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.check_available()?;
        self.embed_checked(texts, None)
    }

    /// Like [`embed`](GuardedEmbedder::embed), but returns when `limit` is over.
    ///
    /// # Errors
    /// As [`embed`](GuardedEmbedder::embed), and [`ErrorCode::Embedder`] when the time is over or
    /// no thread can be started.
    pub fn embed_within(&self, texts: &[&str], limit: Duration) -> Result<Vec<Vec<f32>>> {
        self.check_available()?;
        let owned: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let guard = self.clone();
        let started = Instant::now();
        let (sender, receiver) = sync_channel(1);
        // Both sides set this; whoever sets it second knows that the other came first.
        let is_settled = Arc::new(AtomicBool::new(false));
        let is_settled_here = Arc::clone(&is_settled);
        let worker = thread::Builder::new()
            .name("recallite-embedder".to_owned())
            .spawn(move || {
                let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
                let answer = guard.embed_checked(&texts, Some((started, limit)));
                // The channel has room for one answer, so this never blocks; the receiver may
                // be gone.
                let _ = sender.send(answer);
                if is_settled.swap(true, Ordering::AcqRel) {
                    guard.abandoned.remove();
                }
            })
            .map_err(|cause| {
                Error::new(
                    ErrorCode::Embedder,
                    format!("embedder {}: could not start a thread", self.id),
                )
                .with_source(cause)
            })?;
        match receiver.recv_timeout(limit) {
            Ok(answer) => {
                // The worker returns only after it has sent, and does not panic outside the
                // guard.
                let _ = worker.join();
                answer
            }
            Err(RecvTimeoutError::Timeout) => {
                // Counted before it is settled, so that the worker never uncounts it too early.
                self.abandoned.add();
                if !is_settled_here.swap(true, Ordering::AcqRel) {
                    return Err(self.too_late(limit));
                }
                // The answer was sent just as the time ran out, before the call was settled.
                self.abandoned.remove();
                let _ = worker.join();
                receiver
                    .try_recv()
                    .unwrap_or_else(|_| Err(self.too_late(limit)))
            }
            Err(RecvTimeoutError::Disconnected) => Err(Error::new(
                ErrorCode::Embedder,
                format!(
                    "embedder {}: its thread ended without returning a result",
                    self.id
                ),
            )),
        }
    }

    fn check_available(&self) -> Result<()> {
        if self.is_available() {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Embedder,
            format!(
                "embedder {}: an earlier call timed out and has not returned yet",
                self.id
            ),
        ))
    }

    fn too_late(&self, limit: Duration) -> Error {
        Error::new(
            ErrorCode::Embedder,
            format!(
                "embedder {}: no answer within {} ms",
                self.id,
                limit.as_millis()
            ),
        )
    }

    /// Calls the embedder batch by batch; with a limit, starts no batch after it.
    fn embed_checked(
        &self,
        texts: &[&str],
        limit: Option<(Instant, Duration)>,
    ) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let batch_size = self.call(|embedder| Ok(embedder.max_batch()))?.max(1);
        for batch in texts.chunks(batch_size) {
            if let Some((started, limit)) = limit
                && !vectors.is_empty()
                && started.elapsed() >= limit
            {
                return Err(self.too_late(limit));
            }
            let answer = self.call(|embedder| embedder.embed(batch))?;
            self.check(batch.len(), vectors.len(), answer, &mut vectors)?;
        }
        Ok(vectors)
    }

    /// Calls the embedder and turns a panic into an error.
    fn call<T>(&self, call: impl FnOnce(&dyn Embedder) -> Result<T>) -> Result<T> {
        // A panic leaves none of our state half changed; the embedder's own state is its own
        // concern, and its next answer is validated like any other.
        catch_unwind(AssertUnwindSafe(|| call(self.embedder.as_ref()))).unwrap_or_else(|payload| {
            Err(Error::new(
                ErrorCode::Callback,
                format!(
                    "embedder {} panicked: {}",
                    self.id,
                    panic_text(payload.as_ref())
                ),
            ))
        })
    }

    /// Validates and appends the answer for one batch; `first` is the index of its first text.
    fn check(
        &self,
        wanted: usize,
        first: usize,
        answer: Vec<Vec<f32>>,
        vectors: &mut Vec<Vec<f32>>,
    ) -> Result<()> {
        let wrong = |problem: fmt::Arguments<'_>| {
            Error::new(
                ErrorCode::Embedder,
                format!("embedder {}: {problem}", self.id),
            )
        };
        if answer.len() != wanted {
            return Err(wrong(format_args!(
                "returned {} vectors for {wanted} texts",
                answer.len()
            )));
        }
        for (index, mut vector) in (first..).zip(answer) {
            if vector.len() != self.dimensions {
                return Err(wrong(format_args!(
                    "the vector for text {index} has {} numbers instead of {}",
                    vector.len(),
                    self.dimensions
                )));
            }
            if !normalise(&mut vector) {
                return Err(wrong(format_args!(
                    "the vector for text {index} contains a number that is not finite"
                )));
            }
            vectors.push(vector);
        }
        Ok(())
    }
}

impl fmt::Debug for GuardedEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedEmbedder")
            .field("id", &self.id)
            .field("dimensions", &self.dimensions)
            .field("is_available", &self.is_available())
            .finish_non_exhaustive()
    }
}

/// The message of a panic, if it is text.
fn panic_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::super::CallbackEmbedder;
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    const LONG: Duration = Duration::from_secs(3600);

    fn guarded(
        callback: impl Fn(&[&str]) -> Vec<Vec<f32>> + Send + Sync + 'static,
    ) -> GuardedEmbedder {
        let embedder = CallbackEmbedder::new("test", 2, move |texts| Ok(callback(texts)))
            .expect("valid")
            .with_max_batch(3);
        GuardedEmbedder::new(Arc::new(embedder)).expect("valid")
    }

    #[test]
    fn answers_are_batched_and_normalised() {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&sizes);
        let guard = guarded(move |texts| {
            seen.lock().expect("not poisoned").push(texts.len());
            texts.iter().map(|t| vec![t.len() as f32, 0.0]).collect()
        });
        let texts = ["a", "", "한국어", "שלום", "🙂", "e\u{301}", "中文"];
        for vectors in [guard.embed(&texts), guard.embed_within(&texts, LONG)] {
            let vectors = vectors.expect("valid answers");
            assert_eq!(vectors.len(), 7);
            assert_eq!(vectors[0], [1.0, 0.0]);
            assert_eq!(vectors[1], [0.0, 0.0], "an empty text means nothing");
            assert_eq!(vectors[2], [1.0, 0.0]);
        }
        assert_eq!(*sizes.lock().expect("not poisoned"), [3, 3, 1, 3, 3, 1]);
        assert_eq!(
            guard.embed(&[]).expect("nothing to do"),
            Vec::<Vec<f32>>::new()
        );
    }

    #[test]
    fn wrong_answers_are_errors_that_name_the_text_by_index() {
        type Answer = fn(&[&str]) -> Vec<Vec<f32>>;
        let cases: [(Answer, &str); 5] = [
            (|_| vec![], "0 vectors for 3 texts"),
            (
                |t| vec![vec![1.0, 0.0]; t.len() + 1],
                "4 vectors for 3 texts",
            ),
            (
                |t| vec![vec![1.0]; t.len()],
                "text 0 has 1 numbers instead of 2",
            ),
            (
                |t| {
                    let mut vectors = vec![vec![1.0, 0.0]; t.len()];
                    vectors[1][1] = f32::NAN;
                    vectors
                },
                "text 1 contains a number that is not finite",
            ),
            (
                |t| match t.len() {
                    3 => vec![vec![1.0, 0.0]; 3],
                    _ => vec![vec![f32::INFINITY, 0.0]; t.len()],
                },
                "text 3 contains a number that is not finite",
            ),
        ];
        for (answer, problem) in cases {
            let guard = guarded(answer);
            for result in [
                guard.embed(&["secret"; 4]),
                guard.embed_within(&["secret"; 4], LONG),
            ] {
                let error = result.expect_err("a wrong answer");
                assert_eq!(error.code(), ErrorCode::Embedder);
                assert!(error.message().contains(problem), "{error}");
                assert!(!error.message().contains("secret"));
                assert!(error.is_retryable());
            }
        }
    }

    #[test]
    fn a_panic_is_an_error_and_the_embedder_stays_usable() {
        let guard = guarded(|texts| match texts[0] {
            "boom" => panic!("no such layer"),
            _ => vec![vec![0.0, 2.0]; texts.len()],
        });
        for result in [guard.embed(&["boom"]), guard.embed_within(&["boom"], LONG)] {
            let error = result.expect_err("it panics");
            assert_eq!(error.code(), ErrorCode::Callback);
            assert!(error.message().contains("no such layer"));
        }
        assert!(guard.is_available());
        assert_eq!(guard.embed(&["fine"]).expect("usable"), [[0.0, 1.0]]);
    }

    #[test]
    fn a_hanging_embedder_costs_one_time_limit_and_comes_back() {
        let (release, gate) = channel::<()>();
        let gate = Mutex::new(gate);
        let guard = guarded(move |texts| {
            // Blocks until the test releases it; later calls find the channel closed.
            let _ = gate.lock().expect("not poisoned").recv();
            vec![vec![1.0, 0.0]; texts.len()]
        });
        let error = guard
            .embed_within(&["a"], Duration::from_millis(5))
            .expect_err("it hangs");
        assert_eq!(error.code(), ErrorCode::Embedder);
        assert!(error.message().contains("within 5 ms"), "{error}");
        assert!(!guard.is_available());
        // Even without a time limit, another call does not wait behind the first.
        let error = guard.embed_within(&["a"], LONG).expect_err("unavailable");
        assert!(error.message().contains("has not returned"), "{error}");
        assert!(
            guard.clone().embed(&["a"]).is_err(),
            "clones share the state"
        );

        drop(release);
        while !guard.is_available() {
            thread::yield_now();
        }
        assert_eq!(guard.embed(&["a"]).expect("back"), [[1.0, 0.0]]);
    }

    #[test]
    fn impossible_embedders_are_refused() {
        struct Impossible;
        impl Embedder for Impossible {
            fn id(&self) -> &str {
                panic!("no name")
            }
            fn dimensions(&self) -> usize {
                2
            }
            fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>> {
                Ok(vec![])
            }
        }
        let error = GuardedEmbedder::new(Arc::new(Impossible)).expect_err("it panics");
        assert_eq!(error.code(), ErrorCode::Callback);
    }
}
