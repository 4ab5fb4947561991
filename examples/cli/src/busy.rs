//! Long work: an indicator on standard error, only on a terminal, and what Ctrl-C does.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use recallite::{Memory, Progress};

use crate::interrupt::{self, Interruptible};

/// The interval at which the indicator moves.
pub(crate) const EVERY: Duration = Duration::from_millis(120);

/// Shown until it is dropped, which erases it.
#[derive(Debug)]
pub(crate) struct Busy {
    bar: ProgressBar,
    /// The memory whose progress it shows.
    memory: Option<Memory>,
    /// Whether Ctrl-C stops it and lets it remove what it has begun.
    _interruptible: Option<Interruptible>,
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
        Busy {
            bar,
            memory: None,
            _interruptible: None,
        }
    }

    /// Begins a long operation of a memory, whose progress becomes a bar once its total is known.
    pub(crate) fn of(memory: &Memory, what: &'static str) -> Busy {
        let mut busy = Busy::with(what);
        if !busy.bar.is_hidden() {
            busy.follow(memory, || true);
        }
        busy
    }

    /// The same for an operation that would leave half a copy behind if a signal ended it.
    pub(crate) fn of_copy(memory: &Memory, what: &'static str) -> Busy {
        let mut busy = Busy::with(what);
        busy.follow(memory, || !interrupt::is_asked_for());
        busy._interruptible = Some(Interruptible::begin());
        busy
    }

    fn follow(&mut self, memory: &Memory, goes_on: fn() -> bool) {
        let bar = self.bar.clone();
        memory.set_progress_handler(Some(Arc::new(move |progress| {
            show(&bar, progress);
            goes_on()
        })));
        self.memory = Some(memory.clone());
    }
}

fn show(bar: &ProgressBar, progress: &Progress) {
    // A finished one is about to be erased, or another round follows.
    if let Some(total) = progress.total.filter(|total| *total > progress.done) {
        if bar.length().is_none()
            && let Ok(style) = ProgressStyle::with_template("{bar:40} {percent}% {msg}, {elapsed}")
        {
            bar.set_style(style);
        }
        bar.set_length(total);
        bar.set_position(progress.done);
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
