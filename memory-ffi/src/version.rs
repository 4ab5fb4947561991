//! Which library is loaded, and whether the program's header matches it.

use std::ffi::c_char;

/// The version of the C interface. It increases when a program that was compiled with an
/// older header could break. If the library is loaded at run time, compare it with
/// recallite_abi_version().
pub const RECALLITE_ABI_VERSION: u32 = 0;

/// Returns the ABI version of the loaded library: its RECALLITE_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_abi_version() -> u32 {
    RECALLITE_ABI_VERSION
}

/// Returns the version of the loaded library, for example "0.1.0". The header has its own
/// in RECALLITE_VERSION.
///
/// @return zero-terminated text that is always valid; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn recallite_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
