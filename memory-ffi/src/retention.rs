//! How long events of a kind are kept.

use recallite::{MemoryBuilder, Result};

use crate::input;
use crate::words::word;

/// The retention period of events of one kind.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_retention {
    /// The kind: one of recallite_event_kind.
    pub kind: i32,
    /// How long to keep events, in milliseconds after their timestamp.
    pub ms: u64,
}

/// Sets the retention period of each kind.
///
/// # Safety
/// `items` is NULL or points to `len` readable items.
pub(crate) unsafe fn set(
    argument: &str,
    items: *const recallite_retention,
    len: usize,
    mut builder: MemoryBuilder,
) -> Result<MemoryBuilder> {
    // SAFETY: the caller keeps the same condition.
    let retention = unsafe { input::array(argument, items, len) }?;
    for (index, of_kind) in retention.iter().enumerate() {
        let kind = word(&format!("{argument}[{index}].kind"), of_kind.kind)?;
        builder = builder.retention_ms(kind, of_kind.ms);
    }
    Ok(builder)
}
