//! Numbers the steps of a switch of generations and of an erasure, so that a test can stop
//! before each of them: with an error, by ending the process on the spot, or while others
//! continue. Does nothing outside tests.

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
pub(crate) use planned::{Stop, meanwhile, plan, taken, unreached};

#[cfg(test)]
mod planned {
    use std::cell::{Cell, RefCell};
    use std::collections::HashMap;

    use crate::model::error::{Error, ErrorCode, Result};

    /// What happens at the planned step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Stop {
        /// The step fails as a disk does.
        Fail,
        /// The process ends, as if killed.
        Abort,
    }

    type Act = Box<dyn FnOnce()>;

    thread_local! {
        static ACTS: RefCell<HashMap<&'static str, Act>> = RefCell::default();
        static PLAN: Cell<Option<(u32, Stop)>> = const { Cell::new(None) };
        static TAKEN: Cell<u32> = const { Cell::new(0) };
    }

    /// Makes the step with this number, counted from 0, fail; `None` lets all pass.
    /// Restarts the count.
    pub(crate) fn plan(stop: Option<(u32, Stop)>) {
        PLAN.set(stop);
        TAKEN.set(0);
    }

    /// How many steps were taken since the plan was set.
    pub(crate) fn taken() -> u32 {
        TAKEN.get()
    }

    /// Runs `act` once, when this thread next reaches the step: what another process does
    /// while this one is suspended there.
    pub(crate) fn meanwhile(step: &'static str, act: impl FnOnce() + 'static) {
        ACTS.with(|acts| acts.borrow_mut().insert(step, Box::new(act)));
    }

    /// Removes the acts whose step was not reached.
    pub(crate) fn unreached() -> Vec<&'static str> {
        ACTS.with(|acts| acts.borrow_mut().drain().map(|(step, _)| step).collect())
    }

    pub(in crate::store) fn step(name: &'static str) -> Result<()> {
        let act = ACTS.with(|acts| acts.borrow_mut().remove(name));
        if let Some(act) = act {
            act();
        }
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
