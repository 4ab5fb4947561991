//! The steps of an erasure, so that a test can stop it before each of them: with
//! an error, or by ending the process on the spot. A built library does nothing
//! here.

#[cfg(not(test))]
use crate::model::error::Result;

#[cfg(not(test))]
#[inline]
pub(super) fn step(_name: &'static str) -> Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use planned::step;
#[cfg(test)]
pub(crate) use planned::{Stop, plan, taken};

#[cfg(test)]
mod planned {
    use std::cell::Cell;

    use crate::model::error::{Error, ErrorCode, Result};

    /// What happens at the planned step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Stop {
        /// The step fails as a disk does.
        Fail,
        /// The process ends, as if it were killed.
        Abort,
    }

    thread_local! {
        static PLAN: Cell<Option<(u32, Stop)>> = const { Cell::new(None) };
        static TAKEN: Cell<u32> = const { Cell::new(0) };
    }

    /// Lets the step with this number, counted from 0, fail; `None` lets all pass.
    /// Counts anew.
    pub(crate) fn plan(stop: Option<(u32, Stop)>) {
        PLAN.set(stop);
        TAKEN.set(0);
    }

    /// How many steps were taken since the plan was made.
    pub(crate) fn taken() -> u32 {
        TAKEN.get()
    }

    pub(in crate::store) fn step(name: &'static str) -> Result<()> {
        let number = TAKEN.get();
        TAKEN.set(number + 1);
        match PLAN.get() {
            Some((wanted, Stop::Abort)) if wanted == number => std::process::abort(),
            Some((wanted, Stop::Fail)) if wanted == number => Err(Error::new(
                ErrorCode::Io,
                format!("a test made this step fail: {name}"),
            )),
            _ => Ok(()),
        }
    }
}
