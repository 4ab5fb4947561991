//! The fail points of a switch of generations and of an erasure, which are numbered, so that a test
//! can stop at each of them: with an error, by ending the process on the spot, or while others
//! continue. Does nothing outside tests.

#[cfg(not(test))]
use crate::model::error::Result;

#[cfg(not(test))]
#[inline]
pub(in crate::store) fn fail_point(_name: &'static str) -> Result<()> {
    Ok(())
}

#[cfg(test)]
pub(in crate::store) use planned::fail_point;
#[cfg(test)]
pub(crate) use planned::{Failure, not_reached, on_reaching, passed, plan, refuse};

#[cfg(test)]
mod planned {
    use std::cell::{Cell, RefCell};
    use std::collections::HashMap;
    use std::io::ErrorKind;

    use crate::model::error::{Error, ErrorCode, Result};

    /// What happens at the planned step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Failure {
        /// The step fails as a disk does.
        Fail,
        /// The process ends, as if killed.
        Abort,
    }

    type Act = Box<dyn FnOnce()>;

    thread_local! {
        static ACTS: RefCell<HashMap<&'static str, Act>> = RefCell::default();
        static REFUSED: RefCell<HashMap<&'static str, ErrorKind>> = RefCell::default();
        static PLAN: Cell<Option<(u32, Failure)>> = const { Cell::new(None) };
        static PASSED: Cell<u32> = const { Cell::new(0) };
    }

    /// Makes the step with this number, counted from 0, fail; `None` lets all pass.
    /// Restarts the count.
    pub(crate) fn plan(stop: Option<(u32, Failure)>) {
        PLAN.set(stop);
        PASSED.set(0);
    }

    /// How many steps were taken since the plan was set.
    pub(crate) fn passed() -> u32 {
        PASSED.get()
    }

    /// Runs `act` once, when this thread next reaches the step: what another process does
    /// while this one is suspended there.
    pub(crate) fn on_reaching(step: &'static str, act: impl FnOnce() + 'static) {
        ACTS.with(|acts| acts.borrow_mut().insert(step, Box::new(act)));
    }

    /// Makes a step fail as the system does, whenever this thread reaches it; with `None`, no
    /// longer.
    pub(crate) fn refuse(step: &'static str, with: Option<ErrorKind>) {
        REFUSED.with(|refused| match with {
            Some(kind) => refused.borrow_mut().insert(step, kind),
            None => refused.borrow_mut().remove(step),
        });
    }

    /// Removes the acts whose step was not reached.
    pub(crate) fn not_reached() -> Vec<&'static str> {
        ACTS.with(|acts| acts.borrow_mut().drain().map(|(step, _)| step).collect())
    }

    pub(in crate::store) fn fail_point(name: &'static str) -> Result<()> {
        let act = ACTS.with(|acts| acts.borrow_mut().remove(name));
        if let Some(act) = act {
            act();
        }
        let refused = REFUSED.with(|refused| refused.borrow().get(name).copied());
        if let Some(kind) = refused {
            return Err(std::io::Error::from(kind).into());
        }
        let number = PASSED.get();
        PASSED.set(number + 1);
        match PLAN.get() {
            Some((wanted, Failure::Abort)) if wanted == number => std::process::abort(),
            Some((wanted, Failure::Fail)) if wanted == number => Err(Error::new(
                ErrorCode::Io,
                format!("a test made this step fail: {name}"),
            )),
            _ => Ok(()),
        }
    }
}
