//! Passes log records to a function of the program.

use std::ffi::c_void;
use std::sync::Arc;

use recallite::{Error, LogRecord, Result};

use crate::embedder::{UserData, recallite_destructor};
use crate::generated::recallite_log_record;
use crate::input::Input;
use crate::owned::{Parts, Show};

/// Receives reports of what opening, recovery, upkeep and degraded searches do.
///
/// It is called by the thread that does the work, after the work is done and with no lock
/// of the library held. It may call the library; what those calls do is not reported.
/// record and its texts, each followed by a zero byte, are valid during the call only. It
/// must return: no exception and no longjmp.
pub type recallite_log_callback =
    Option<unsafe extern "C" fn(record: *const recallite_log_record, user_data: *mut c_void)>;

/// A logger, which is called with reports of what a memory does. Begin with
/// RECALLITE_INIT(recallite_logger); log is required.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_logger {
    /// sizeof(recallite_logger).
    pub struct_size: usize,
    /// The function.
    pub log: recallite_log_callback,
    /// Passed to log and destroy; may be NULL.
    pub user_data: *mut c_void,
    /// Called with user_data when the library no longer needs it: after the last handle and
    /// cursor of the memory has been freed and the last call has returned. It is not called
    /// if opening fails; the program then keeps ownership of user_data. NULL for nothing.
    pub destroy: recallite_destructor,
}

// SAFETY: repr(C), the size comes first; integers and raw pointers accept every bit
// pattern, and zero is NULL, the `None` of a function pointer. Any other function pointer
// value is valid in Rust too; that it is callable is the caller's promise.
unsafe impl Input for recallite_logger {
    const FIRST_SIZE: usize = size_of::<recallite_logger>();
}

/// A logger for the core, and what the library takes over once the memory is open.
///
/// # Safety
/// The functions of `given` can be called from every thread until the user data is
/// released.
pub(crate) unsafe fn logger(
    given: &recallite_logger,
) -> Result<(impl Fn(&LogRecord) + Send + Sync + 'static, Arc<UserData>)> {
    let log = given
        .log
        .ok_or_else(|| Error::invalid("on_log.log", "must not be NULL"))?;
    let user_data = UserData::new(given.user_data, given.destroy);
    let held = Arc::clone(&user_data);
    let tell = move |record: &LogRecord| {
        let mut parts = Parts::default();
        let record = record.clone().show(&mut parts);
        // SAFETY: a function of the caller with this signature; the record and its
        // texts live during the call.
        unsafe { log(&raw const record, held.pointer()) }
    };
    Ok((tell, user_data))
}
