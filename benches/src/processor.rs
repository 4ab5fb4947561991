//! How long a process was on the processors, where the system tells: time that neither
//! the disk nor other processes make longer.

use std::fs;
use std::time::Duration;

/// The unit of [`ProcessorTime::of_process`]: the system counts a hundredth of a second.
const TICK: Duration = Duration::from_millis(10);
/// So many ticks are exact enough.
const MANY_TICKS: u64 = 50;

/// Where the times of the process stand in its status, and those of its children.
const OWN: usize = 11;
const AFTER_OWN: usize = 13;

/// What was spent until a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorTime {
    /// By this thread.
    of_thread: Duration,
    /// By all threads of the process, in ticks; also by those that have ended.
    of_process: u64,
}

impl ProcessorTime {
    pub(crate) fn now() -> Option<ProcessorTime> {
        // What a thread has spent is brought up to date when it gives the processor away.
        std::thread::yield_now();
        let of_thread = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = of_thread.split_whitespace().next()?.parse().ok()?;
        Some(ProcessorTime {
            of_thread: Duration::from_nanos(nanoseconds),
            of_process: ticks()?,
        })
    }

    /// What was spent since: by all threads when that was long, and otherwise by this one,
    /// which does short work alone.
    pub(crate) fn elapsed(self) -> Option<Duration> {
        let now = ProcessorTime::now()?;
        Some(match now.of_process - self.of_process {
            ticks @ MANY_TICKS.. => TICK * u32::try_from(ticks).unwrap_or(u32::MAX),
            _ => now.of_thread.saturating_sub(self.of_thread),
        })
    }
}

impl ProcessorTime {
    /// What all threads of the process have spent since, to a hundredth of a second.
    pub(crate) fn elapsed_of_process(self) -> Option<Duration> {
        let spent = ticks()? - self.of_process;
        Some(TICK * u32::try_from(spent).unwrap_or(u32::MAX))
    }
}

/// What processes that this one started and waited for have spent.
pub(crate) fn of_children() -> Option<Duration> {
    let ticks = spent(AFTER_OWN)?;
    Some(TICK * u32::try_from(ticks).unwrap_or(u32::MAX))
}

/// User time and system time of the process.
fn ticks() -> Option<u64> {
    spent(OWN)
}

/// User time and system time, in ticks, from a field of the process's status on.
fn spent(first: usize) -> Option<u64> {
    let all = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process, which may hold spaces, ends with the last bracket.
    let (_, fields) = all.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(first);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}
