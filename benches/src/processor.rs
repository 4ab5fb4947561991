//! The CPU time of a process, if the system reports it. Neither the disk nor other processes affect
//! it.

use std::fs;
use std::time::Duration;

/// The unit of [`ProcessorTime::of_process`]: the system counts hundredths of a second.
const TICK: Duration = Duration::from_millis(10);
/// From this many ticks on, the time is precise enough.
const MANY_TICKS: u64 = 50;

/// The fields of the process's status with its own times and those of its children.
const OWN: usize = 11;
const AFTER_OWN: usize = 13;

/// The CPU time spent up to a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorTime {
    /// By this thread.
    of_thread: Duration,
    /// By all threads of the process, in ticks, including those that have ended.
    of_process: u64,
}

impl ProcessorTime {
    pub(crate) fn now() -> Option<ProcessorTime> {
        // The system updates a thread's time when it yields the CPU.
        std::thread::yield_now();
        let of_thread = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = of_thread.split_whitespace().next()?.parse().ok()?;
        Some(ProcessorTime {
            of_thread: Duration::from_nanos(nanoseconds),
            of_process: ticks()?,
        })
    }

    /// The time spent since then: by all threads if it was long, and otherwise by this one, because
    /// short work runs on one thread.
    pub(crate) fn elapsed(self) -> Option<Duration> {
        let now = ProcessorTime::now()?;
        Some(match now.of_process - self.of_process {
            ticks @ MANY_TICKS.. => TICK * u32::try_from(ticks).unwrap_or(u32::MAX),
            _ => now.of_thread.saturating_sub(self.of_thread),
        })
    }
}

impl ProcessorTime {
    /// The time that all threads of the process have spent since then, to a hundredth of a second.
    pub(crate) fn elapsed_of_process(self) -> Option<Duration> {
        let spent = ticks()? - self.of_process;
        Some(TICK * u32::try_from(spent).unwrap_or(u32::MAX))
    }
}

/// The time of all child processes that were waited for.
pub(crate) fn of_children() -> Option<Duration> {
    let ticks = spent(AFTER_OWN)?;
    Some(TICK * u32::try_from(ticks).unwrap_or(u32::MAX))
}

/// The user and system time of the process.
fn ticks() -> Option<u64> {
    spent(OWN)
}

/// The user and system time, in ticks, starting at a field of the process's status.
fn spent(first: usize) -> Option<u64> {
    let all = fs::read_to_string("/proc/self/stat").ok()?;
    // The process name may contain spaces and ends at the last bracket.
    let (_, fields) = all.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(first);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}
