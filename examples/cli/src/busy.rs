//! An indicator on standard error that long work is in progress; only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The interval at which the indicator moves.
const EVERY: Duration = Duration::from_millis(120);

/// Shown until it is dropped, which erases it.
#[derive(Debug)]
pub(crate) struct Busy(ProgressBar);

impl Busy {
    /// Begins work with a description such as "checking the store".
    pub(crate) fn with(what: &'static str) -> Busy {
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let bar = ProgressBar::new_spinner()
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
            .with_message(what);
        if !bar.is_hidden() {
            bar.tick();
            bar.enable_steady_tick(EVERY);
        }
        Busy(bar)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
