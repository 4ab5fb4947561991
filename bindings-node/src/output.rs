//! Converts numbers for JavaScript.

use recallite::{Error, ErrorCode, Result, Timestamp};

/// The largest integer below which every integer is exact in a double.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A count as a double, never rounded.
pub fn number(value: u64) -> Result<f64> {
    if value > MAX_SAFE_INTEGER {
        return Err(Error::new(
            ErrorCode::Unsupported,
            format!("{value} is too large for an exact JavaScript number"),
        ));
    }
    Ok(value as f64)
}

/// A time in milliseconds since 1970.
pub fn ms(time: Timestamp) -> f64 {
    // Years 1 to 9999 are well within what a double represents exactly.
    time.millis() as f64
}
