//! How much memory a call adds to the process, if the system reports it.

use std::fs;

/// The resident memory before a call. Taking it resets the system's record of the peak.
pub(super) struct Resident(Option<f64>);

impl Resident {
    pub(super) fn before() -> Resident {
        // "5" resets the peak.
        let is_reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        Resident(is_reset.then(|| status("VmRSS:")).flatten())
    }

    /// The maximum added since then, in MB.
    pub(super) fn added_mb(&self) -> Option<f64> {
        Some((status("VmHWM:")? - self.0?).max(0.0))
    }
}

fn status(field: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}
