//! Forgetting and erasing: what a selector means, and the receipts.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::scope::ProjectScope;
use recallite::{Memory, Result, Selector};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give_plain;
use crate::generated::{NativeErased, NativeForgotten};
use crate::input::{self, Name, Time, optional, time};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};
use crate::output::number;

/// Which events are meant.
#[napi(object, object_to_js = false)]
pub struct NativeSelector {
    pub ids: Option<Vec<Name>>,
    pub session: Option<String>,
    pub before: Option<Time>,
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub kinds: Option<Vec<String>>,
    pub everything: Option<bool>,
}

impl NativeSelector {
    /// The core's selector.
    pub fn selector(self) -> Result<Selector> {
        let mut selector = match self.everything {
            Some(true) => Selector::everything(),
            _ => Selector::new(),
        };
        if let Some(ids) = self.ids {
            selector = selector.ids(input::names("ids", ids)?);
        }
        selector.session = self.session;
        selector.before = optional("before", self.before, time)?;
        let scope: ProjectScope = input::scope(self.project, self.all_projects)?;
        selector.project = scope;
        if self.kinds.is_some() {
            selector = selector.kinds(input::kinds(self.kinds)?);
        }
        Ok(selector)
    }
}

fn forget(memory: &Memory, selector: NativeSelector) -> Result<NativeForgotten> {
    give_plain(memory.forget(&selector.selector()?)?)
}

fn erase(memory: &Memory, selector: NativeSelector) -> Result<NativeErased> {
    give_plain(memory.erase(&selector.selector()?)?)
}

fn count_selected(memory: &Memory, selector: NativeSelector) -> Result<f64> {
    number(memory.upkeep().count_selected(&selector.selector()?)?)
}

#[napi]
impl NativeMemory {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeForgotten | Failure>")]
    pub fn forget(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeForgotten>> {
        AsyncTask::new(self.later(switch(cancel), |memory| forget(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn forget_sync(&self, selector: NativeSelector) -> Outcome<NativeForgotten> {
        self.now(|memory| forget(memory, selector))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeErased | Failure>")]
    pub fn erase(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeErased>> {
        AsyncTask::new(self.later(switch(cancel), |memory| erase(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn erase_sync(&self, selector: NativeSelector) -> Outcome<NativeErased> {
        self.now(|memory| erase(memory, selector))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<number | Failure>")]
    pub fn count_selected(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<f64>> {
        AsyncTask::new(self.later(switch(cancel), |memory| count_selected(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn count_selected_sync(&self, selector: NativeSelector) -> Outcome<f64> {
        self.now(|memory| count_selected(memory, selector))
    }
}
