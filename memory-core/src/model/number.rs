//! The one check of numbers that callers give.

use super::error::{Error, Result};

/// A share of 1; neither NaN nor infinite.
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

/// A number above 0; neither NaN nor infinite.
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
