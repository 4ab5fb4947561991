//! Streams bytes to and from a program's callbacks.

use std::ffi::c_void;
use std::io::{self, BufReader, Read, Write};

use recallite::{Error, ErrorCode, Result};

use crate::tokens::failed;

/// Receives bytes of an export.
///
/// It is called during the call that it was passed to and on the same thread, with at most
/// 64 KiB at a time. It may call the library. It must return: no exception and no longjmp.
///
/// bytes is valid during the callback only. Return 0 if all of it was taken; anything else
/// is a failure, and the call fails with RECALLITE_CALLBACK.
pub type recallite_write_callback =
    Option<unsafe extern "C" fn(bytes: *const u8, len: usize, user_data: *mut c_void) -> i32>;

/// Provides bytes of an export.
///
/// It is called during the call that it was passed to and on the same thread. It may call
/// the library. If anything is stored in the same store while recallite_upkeep_restore_jsonl_from
/// runs, that stays, and the restore fails with RECALLITE_ALREADY_EXISTS. It must return: no
/// exception and no longjmp.
///
/// Put up to capacity bytes at buffer, write their number to len, and return 0; a len of 0
/// is the end. Any other return value is a failure, and the call fails with
/// RECALLITE_CALLBACK.
pub type recallite_read_callback = Option<
    unsafe extern "C" fn(
        buffer: *mut u8,
        capacity: usize,
        len: *mut usize,
        user_data: *mut c_void,
    ) -> i32,
>;

/// Lines are buffered, so that the callback is not called for each.
const BUFFER_BYTES: usize = 64 << 10;

/// A writer that passes its bytes to the callback.
pub(crate) struct CallbackWriter {
    write: unsafe extern "C" fn(*const u8, usize, *mut c_void) -> i32,
    user_data: *mut c_void,
    pending: Vec<u8>,
    answer: i32,
}

impl CallbackWriter {
    /// # Safety
    /// The function can be called until the end of the call.
    pub(crate) unsafe fn new(
        write: recallite_write_callback,
        user_data: *mut c_void,
    ) -> Result<CallbackWriter> {
        let write = write.ok_or_else(|| Error::invalid("write", "must not be NULL"))?;
        Ok(CallbackWriter {
            write,
            user_data,
            pending: Vec::new(),
            answer: 0,
        })
    }

    fn hand_over(&mut self) -> io::Result<()> {
        if self.answer == 0 && !self.pending.is_empty() {
            // SAFETY: a function of the caller with this signature, within the
            // call; the bytes live during the callback.
            self.answer =
                unsafe { (self.write)(self.pending.as_ptr(), self.pending.len(), self.user_data) };
            self.pending.clear();
        }
        match self.answer {
            0 => Ok(()),
            _ => Err(io::Error::other("the callback failed")),
        }
    }

    /// The result of a call that wrote here, or the callback's failure.
    pub(crate) fn outcome<T>(&self, outcome: Result<T>) -> Result<T> {
        match self.answer {
            0 => outcome,
            number => Err(failed("write", number)),
        }
    }
}

impl Write for CallbackWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.len() == BUFFER_BYTES {
            self.hand_over()?;
        }
        let taken = bytes.len().min(BUFFER_BYTES - self.pending.len());
        self.pending.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_over()
    }
}

/// A reader that requests bytes from the callback.
pub(crate) struct CallbackReader {
    read: unsafe extern "C" fn(*mut u8, usize, *mut usize, *mut c_void) -> i32,
    user_data: *mut c_void,
    failure: Option<Error>,
}

impl CallbackReader {
    /// # Safety
    /// The function can be called until the end of the call.
    pub(crate) unsafe fn new(
        read: recallite_read_callback,
        user_data: *mut c_void,
    ) -> Result<CallbackReader> {
        let read = read.ok_or_else(|| Error::invalid("read", "must not be NULL"))?;
        Ok(CallbackReader {
            read,
            user_data,
            failure: None,
        })
    }

    /// Buffered, as the core requires.
    pub(crate) fn buffered(&mut self) -> BufReader<&mut CallbackReader> {
        BufReader::with_capacity(BUFFER_BYTES, self)
    }

    /// The result of a call that read here, or the callback's failure.
    pub(crate) fn outcome<T>(self, outcome: Result<T>) -> Result<T> {
        match self.failure {
            None => outcome.map_err(|error| about("read", error)),
            Some(failure) => Err(failure),
        }
    }
}

impl Read for CallbackReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut len = 0usize;
        let answer = if self.failure.is_some() {
            return Err(io::Error::other("the callback failed earlier"));
        } else {
            // SAFETY: a function of the caller with this signature, within the
            // call; `buffer` has room for the capacity.
            unsafe {
                (self.read)(
                    buffer.as_mut_ptr(),
                    buffer.len(),
                    &raw mut len,
                    self.user_data,
                )
            }
        };
        if answer == 0 && len <= buffer.len() {
            return Ok(len);
        }
        self.failure = Some(match answer {
            0 => Error::new(
                ErrorCode::Callback,
                format!(
                    "read: the callback reported {len} bytes for a buffer of {}",
                    buffer.len()
                ),
            )
            .with_argument("read"),
            number => failed("read", number),
        });
        Err(io::Error::other("the callback failed"))
    }
}

/// Attributes a core error about its reader to the C argument.
fn about(argument: &str, error: Error) -> Error {
    match error.argument() {
        Some("reader") => error.about(argument),
        _ => error,
    }
}
