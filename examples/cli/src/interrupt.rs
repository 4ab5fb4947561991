//! Ctrl-C while a copy is made: the library stops and removes what it has begun, and the command
//! ends. At any other time, and when it comes a second time, the signal ends the process as usual.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use crate::exit;

/// Long work that ends by itself when it is told to. While there is one, a first signal only tells.
#[derive(Debug)]
pub(crate) struct Interruptible(());

impl Interruptible {
    pub(crate) fn begin() -> Interruptible {
        SIGNALS.ends_at_once.store(false, Ordering::SeqCst);
        Interruptible(())
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        SIGNALS.ends_at_once.store(true, Ordering::SeqCst);
    }
}

/// Whether the work should stop.
pub(crate) fn is_asked_for() -> bool {
    SIGNALS.is_asked_for.load(Ordering::SeqCst)
}

/// The exit code of a command that a signal has stopped, as shells give it.
pub(crate) fn exit_code() -> u8 {
    let number = SIGNALS.number.load(Ordering::SeqCst);
    u8::try_from(128 + number).unwrap_or(exit::INTERRUPTED)
}

struct Signals {
    ends_at_once: Arc<AtomicBool>,
    is_asked_for: Arc<AtomicBool>,
    /// Of the signal that came.
    number: Arc<AtomicUsize>,
}

static SIGNALS: LazyLock<Signals> = LazyLock::new(|| {
    let signals = Signals {
        ends_at_once: Arc::new(AtomicBool::new(true)),
        is_asked_for: Arc::new(AtomicBool::new(false)),
        number: Arc::new(AtomicUsize::new(2)),
    };
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        use signal_hook::flag::{register, register_conditional_default, register_usize};
        let number = usize::try_from(signal).unwrap_or_default();
        // They run in this order. If one cannot be set, the signal ends the process.
        let _ = register_conditional_default(signal, Arc::clone(&signals.ends_at_once))
            .and_then(|_| register_conditional_default(signal, Arc::clone(&signals.is_asked_for)))
            .and_then(|_| register_usize(signal, Arc::clone(&signals.number), number))
            .and_then(|_| register(signal, Arc::clone(&signals.is_asked_for)));
    }
    signals
});
