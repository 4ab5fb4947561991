//! Long work: an indicator on standard error, only on a terminal, and what Ctrl-C does.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use recallite::{Memory, Progress};

use crate::interrupt::{self, Interruptible};

/// The interval at which the indicator moves.
pub(crate) const EVERY: Duration = Duration::from_millis(120);

/// The interval at which somebody looks how far work has come that does not tell it.
const LOOKS_EVERY: Duration = Duration::from_millis(300);

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

    /// Work that shows nothing.
    pub(crate) fn silent() -> Busy {
        Busy {
            bar: ProgressBar::hidden(),
            memory: None,
            _interruptible: None,
        }
    }

    /// What shows how much is done, and how much there is to do; `None` where nobody sees it.
    pub(crate) fn bar(&self) -> Option<impl Fn(u64, u64) + Send + use<>> {
        let bar = self.bar.clone();
        (!bar.is_hidden()).then_some(move |done, total| move_to(&bar, done, total))
    }

    /// Does work that does not tell how far it has come, while another thread looks.
    pub(crate) fn looking<T>(
        &self,
        look: impl Fn() -> Option<(u64, u64)> + Send,
        work: impl FnOnce() -> T,
    ) -> T {
        let Some(show) = self.bar() else {
            return work();
        };
        std::thread::scope(|scope| {
            let (ends, ended) = mpsc::channel::<()>();
            scope.spawn(move || {
                let goes_on = mpsc::RecvTimeoutError::Timeout;
                while ended.recv_timeout(LOOKS_EVERY) == Err(goes_on) {
                    if let Some((done, total)) = look() {
                        show(done, total);
                    }
                }
            });
            let done = work();
            drop(ends);
            done
        })
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
    if let Some(total) = progress.total {
        move_to(bar, progress.done, total);
    }
}

fn move_to(bar: &ProgressBar, done: u64, total: u64) {
    // A finished one is about to be erased, or another round follows.
    if total > done {
        if bar.length().is_none()
            && let Ok(style) = ProgressStyle::with_template("{bar:40} {percent}% {msg}, {elapsed}")
        {
            bar.set_style(style);
        }
        bar.set_length(total);
        bar.set_position(done);
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
