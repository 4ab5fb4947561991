//! Validates numbers from callers.

use super::error::{Error, Result};

/// A fraction from 0 to 1.
///
/// # Errors
/// `invalid_argument` naming `argument`.
pub(crate) fn share(argument: &str, number: f64) -> Result<()> {
    if (0.0..=1.0).contains(&number) {
        return Ok(());
    }
    Err(Error::invalid(
        argument,
        format_args!("must be between 0 and 1, not {number}"),
    ))
}

/// A finite number above 0.
///
/// # Errors
/// `invalid_argument` naming `argument`.
pub(crate) fn positive(argument: &str, number: f64) -> Result<()> {
    if number.is_finite() && number > 0.0 {
        return Ok(());
    }
    Err(Error::invalid(
        argument,
        format_args!("must be a number above 0, not {number}"),
    ))
}
