//! An indicator on standard error that long work is in progress; only on a terminal.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use recallite::Memory;

/// The interval at which the indicator moves.
pub(crate) const EVERY: Duration = Duration::from_millis(120);

/// Shown until it is dropped, which erases it.
#[derive(Debug)]
pub(crate) struct Busy {
    bar: ProgressBar,
    /// The memory whose progress it shows.
    memory: Option<Memory>,
}

impl Busy {
    /// Begins work with a description such as "pulling new records".
    pub(crate) fn with(what: &'static str) -> Busy {
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let bar = ProgressBar::new_spinner()
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
            .with_message(what);
        if !bar.is_hidden() {
            bar.tick();
            bar.enable_steady_tick(EVERY);
        }
        Busy { bar, memory: None }
    }

    /// Begins a long operation of a memory, whose progress becomes a bar once its total is known.
    pub(crate) fn of(memory: &Memory, what: &'static str) -> Busy {
        let mut busy = Busy::with(what);
        if busy.bar.is_hidden() {
            return busy;
        }
        let bar = busy.bar.clone();
        memory.set_progress_handler(Some(Arc::new(move |progress| {
            // A finished one is about to be erased, or another round follows.
            if let Some(total) = progress.total.filter(|total| *total > progress.done) {
                if bar.length().is_none()
                    && let Ok(style) =
                        ProgressStyle::with_template("{bar:40} {percent}% {msg}, {elapsed}")
                {
                    bar.set_style(style);
                }
                bar.set_length(total);
                bar.set_position(progress.done);
            }
            true
        })));
        busy.memory = Some(memory.clone());
        busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some(memory) = &self.memory {
            memory.set_progress_handler(None);
        }
        self.bar.finish_and_clear();
    }
}
