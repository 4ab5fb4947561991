//! Embedders implemented by functions of the program.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use recallite::embed::{CallbackEmbedder, Embedder};
use recallite::{Error, Result};

use crate::input::Input;
use crate::owned::Parts;
use crate::text::recallite_str;

/// The maximum buffer for one call of an embedder: 256 MiB.
const MAX_NUMBERS: usize = 64 << 20;

/// The size of the text in a recallite_problem, in bytes.
pub const RECALLITE_PROBLEM_BYTES: usize = 256;

/// Where a callback says what went wrong:
///     snprintf(problem->text, sizeof(problem->text), "...");
/// The text reaches people through error messages, so keep stored text out of
/// it.
#[derive(Debug)]
#[repr(C)]
pub struct recallite_problem {
    /// Zero-terminated UTF-8; empty for "no details". It is empty when the callback is
    /// called.
    pub text: [c_char; RECALLITE_PROBLEM_BYTES],
}

/// Frees or releases what was passed to a callback as user_data.
///
/// It is called once, by the thread that drops the last use, which can be any thread of the
/// program or of the library. It must return: no exception and no longjmp.
pub type recallite_destructor = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// Turns texts into vectors.
///
/// It is called by threads that search, ask for context, process the outbox or run
/// maintenance, and by threads of the library named "recallite-embedder", several at once.
/// The library holds no lock in the meantime: the callback may call the library, except for
/// what would embed again. It must return: no exception and no longjmp.
///
/// texts holds texts_len texts, each followed by a zero byte. vectors has room
/// for texts_len times dimensions numbers, all 0: the first text's vector, then
/// the second's. They need not have length 1 but must be finite; a vector that
/// stays 0 says that the text means nothing. All pointers are valid during the
/// call only.
///
/// Return 0 for success. Anything else is a failure, which can be described in problem. A
/// search then continues with words alone and says degraded; a job of the outbox is retried
/// later.
pub type recallite_embed_callback = Option<
    unsafe extern "C" fn(
        texts: *const recallite_str,
        texts_len: usize,
        vectors: *mut f32,
        problem: *mut recallite_problem,
        user_data: *mut c_void,
    ) -> i32,
>;

/// An embedder, which turns texts into vectors so that recall can search by meaning as well
/// as by words. Begin with RECALLITE_INIT(recallite_embedder); id, dimensions and embed are
/// required.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_embedder {
    /// sizeof(recallite_embedder).
    pub struct_size: usize,
    /// The name of the model and its version, for example "all-MiniLM-L6-v2": 1 to 128
    /// bytes without control characters. Vectors of different names are never compared; if
    /// the name changes, everything stored is embedded again.
    pub id: recallite_str,
    /// The number of dimensions of each vector, from 1 to 16,384.
    pub dimensions: usize,
    /// The maximum number of texts per call. Default: 32.
    pub max_batch: usize,
    /// The function.
    pub embed: recallite_embed_callback,
    /// Passed to embed and destroy; may be NULL.
    pub user_data: *mut c_void,
    /// Called with user_data when the library no longer needs it: after the last handle and
    /// cursor of the memory has been freed and the last call has returned. It is not called
    /// if opening fails; the program then keeps ownership of user_data. NULL for nothing.
    pub destroy: recallite_destructor,
}

// SAFETY: repr(C), the size comes first; integers and raw pointers accept every bit
// pattern, and zero is NULL, the `None` of a function pointer. Any other function pointer
// value is valid in Rust too; that it is callable is the caller's promise.
unsafe impl Input for recallite_embedder {
    const FIRST_SIZE: usize = size_of::<recallite_embedder>();
}

/// The program's user_data and the function that releases it.
pub(crate) struct UserData {
    pointer: *mut c_void,
    destroy: recallite_destructor,
    /// Until then the program keeps ownership.
    is_taken_over: AtomicBool,
}

// SAFETY: the library only passes the pointer on; the header requires callbacks to be
// callable on every thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(pointer: *mut c_void, destroy: recallite_destructor) -> Arc<UserData> {
        Arc::new(UserData {
            pointer,
            destroy,
            is_taken_over: AtomicBool::new(false),
        })
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// From now on the library releases it.
    pub(crate) fn take_over(&self) {
        self.is_taken_over.store(true, Ordering::Release);
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy
            && self.is_taken_over.load(Ordering::Acquire)
        {
            // SAFETY: a function of the caller with this signature; this is the
            // last use of the pointer.
            unsafe { destroy(self.pointer) }
        }
    }
}

/// An embedder for the core, and what the library takes over once the memory is open.
pub(crate) struct Given {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) user_data: Arc<UserData>,
}

/// # Safety
/// The texts of `given` are absent or readable, and its functions can be called
/// from every thread until the user data is released.
pub(crate) unsafe fn embedder(given: &recallite_embedder) -> Result<Given> {
    // SAFETY: the caller keeps the same condition.
    let id = unsafe { given.id.required("embedder.id") }?;
    let embed = given
        .embed
        .ok_or_else(|| Error::invalid("embedder.embed", "must not be NULL"))?;
    let user_data = UserData::new(given.user_data, given.destroy);
    let (held, dimensions) = (Arc::clone(&user_data), given.dimensions);
    let mut embedder = CallbackEmbedder::new(id, dimensions, move |texts| {
        let mut parts = Parts::default();
        let (views, len) = parts.values(texts.iter().copied());
        let mut vectors = vec![0.0f32; len * dimensions];
        let mut problem = recallite_problem {
            text: [0; RECALLITE_PROBLEM_BYTES],
        };
        // SAFETY: a function of the caller with this signature; the arguments
        // live during the call, and `vectors` has the room that the header says.
        let answer = unsafe {
            embed(
                views,
                len,
                vectors.as_mut_ptr(),
                &raw mut problem,
                held.pointer(),
            )
        };
        match answer {
            0 => Ok(vectors.chunks(dimensions).map(<[f32]>::to_vec).collect()),
            number => Err(words(&problem, number).into()),
        }
    })?;
    if given.max_batch != 0 {
        // The library allocates the buffer for the answers.
        let most = MAX_NUMBERS / dimensions;
        embedder = embedder.with_max_batch(given.max_batch.min(most));
    }
    Ok(Given {
        embedder: Arc::new(embedder),
        user_data,
    })
}

/// A callback's description of its failure.
fn words(problem: &recallite_problem, answer: i32) -> String {
    let bytes: Vec<u8> = problem
        .text
        .iter()
        // `c_char` is signed on some machines.
        .map(|byte| byte.to_ne_bytes()[0])
        .take_while(|byte| *byte != 0)
        .collect();
    match bytes.is_empty() {
        true => format!("it returned {answer}"),
        false => String::from_utf8_lossy(&bytes).into_owned(),
    }
}
